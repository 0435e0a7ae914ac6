/* SPDX-License-Identifier: MIT
 * check.h - what a test file includes.
 *
 * test_ring.c in a folder of tests is the suite `ring`; a test is a function whose name is a sentence:
 *
 *	TEST(ring_rejects_push_when_full)
 *	{
 *		struct rt_ring r;
 *		REQUIRE(rt_ring_init(&r, 1) == 0);
 *		CHECK_INT(rt_ring_push(&r, 7), PTOWSP_OK);
 *		CHECK_INT(rt_ring_push(&r, 8), PTOWSP_E_AGAIN);
 *		rt_ring_finish(&r);
 *	}
 *
 * Tests run in the order of their lines. Behind them come those that the suite's function, if it has one, adds by hand: data-driven tests
 * register one function under many names and ask check_name() which of them runs:
 *
 *	void suite_ring(CU_pSuite s)
 *	{
 *		check_add(s, "golden_abs_f32_7", run_vector);
 *	}
 *
 * Names are one word: no spaces. CHECK* go on after a failure, REQUIRE* leave the
 * test (longjmp: what it held is leaked, which only a failing run notices). All of them survive NDEBUG.
 * They may be called from the test's own thread only.
 */
#ifndef PTOWSP_TESTS_CHECK_H
#define PTOWSP_TESTS_CHECK_H

#include <CUnit/CUnit.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* TEST(fn) begins the definition of a test of its file's suite; TEST(suite, fn) adds by hand, in a suite's function, a test that only some runs have. */
#define TEST_DEFINE(fn)                                                                                                                                        \
	static void fn(void);                                                                                                                                  \
	__attribute__((constructor)) static void fn##_register(void)                                                                                           \
	{                                                                                                                                                      \
		static struct check_test test = {#fn, __FILE__, __LINE__, fn, NULL};                                                                           \
                                                                                                                                                               \
		check_register(&test);                                                                                                                         \
	}                                                                                                                                                      \
	static void fn(void)
#define TEST_ADD(s, fn)             check_add((s), #fn, fn)
#define TEST_PICK(a, b, which, ...) which
#define TEST(...)                   TEST_PICK(__VA_ARGS__, TEST_ADD, TEST_DEFINE, )(__VA_ARGS__)

struct check_test {
	const char *name, *file;
	int line;
	CU_TestFunc fn;
	struct check_test *next;
};
/* The test is borrowed for the life of the program. */
void check_register(struct check_test *test);
/* Adds the tests of the file test_SUITE.c to the suite of that name; false: there is none. */
bool check_fill(CU_pSuite s);
/* Adds one test by hand; name is copied. */
void check_add(CU_pSuite s, const char *name, CU_TestFunc fn);

/* Name of the running test. */
const char *check_name(void);

/* A test for each row of a table, named by the row's first field, `const char *name`; and, in such a test, its row. */
#define CHECK_ROWS(s, rows, fn) check_rows((s), (rows), sizeof(rows) / sizeof(*(rows)), sizeof(*(rows)), (fn))
#define CHECK_ROW(rows)         check_row((rows), sizeof(rows) / sizeof(*(rows)), sizeof(*(rows)))
void check_rows(CU_pSuite s, const void *rows, size_t count, size_t stride, CU_TestFunc fn);
const void *check_row(const void *rows, size_t count, size_t stride);

/* Folders, without a trailing slash, absolute: the tree (PTOWSP_ROOT, else the current one), this variant's outputs (build,
 * build/asan, ...: above the running program), the corpus (PTOWSP_SHARED, else ../shared; NULL when it is not there). */
const char *check_root(void);
const char *check_build(void);
const char *check_shared(void);
/* What a compiler's command line needs so that a program of the test's own links with this variant's libraries: the sanitizer's
 * option, or nothing. */
const char *check_sanitizer(void);
/* What runs on one thread shows the thread sanitizer nothing, and takes it ten times as long: true in its build, unless PTOWSP_TEST_LONG is set. */
bool check_only_threads(void);
/* Of random programs, and other rows alike, that all builds run, those with sanitizers run a quarter, the next one each day; all with PTOWSP_TEST_LONG. True elsewhere. */
bool check_seed_wanted(uint64_t seed);
/* What compilers or drivers keep busy takes turns: of `count` parts that a test has or is, true for one, the next one each day; for all with PTOWSP_TEST_LONG. */
bool check_turn(uint64_t part, unsigned count);
/* The seeds of a test of random programs: the first, and how many. PTOWSP_SEED=N takes N alone, PTOWSP_SEEDS=N that many from 1 on, else there are `usual`. */
uint64_t check_seeds(uint64_t *count_out, uint64_t usual);

/* How often a word stands in a text. */
unsigned check_occurrences(const char *text, const char *word);
/* printf into one of eight rotating buffers of 4 KiB: for paths and commands inside one expression; the ninth call reuses the
 * first, and a failing check takes one too. */
const char *check_fmt(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The folder of the running test, build/test/tmp/SUITE/TEST: two suites may have tests of one name and run at once. The text stays until
 * the next test. */
const char *check_dir(void);
/* The same, emptied or made. */
const char *check_tmp(void);
/* Whole file plus a terminating 0, to be freed; NULL if it cannot be read. size_out may be NULL. */
char *check_read(const char *path, size_t *size_out);
/* Writes a whole file; false on error. */
bool check_write(const char *path, const void *data, size_t size);
/* Writes a text as a file of check_dir(); the test ends if that fails. */
void check_put(const char *name, const char *text);
/* Runs a shell command line. Returns its exit status (128 + signal as the shell does); its stdout and stderr come back as text
 * to be freed; either pointer may be NULL (then it goes to /dev/null). */
int check_run(const char *command, char **stdout_out, char **stderr_out);
/* Waits until a child handles the signal, as a tool does soon after its start and the shell before it does not; at most a minute, and no
 * longer than it lives. */
void check_handler_awaited(pid_t child, int signal);

/* Ends the test as skipped: listed by name with the reason, neither passed nor failed. */
#define CHECK_SKIP(reason)                                                                                                                                     \
	do {                                                                                                                                                   \
		check_skip(reason);                                                                                                                            \
		return;                                                                                                                                        \
	} while (0)
/* For tests that need what may not be here: why() says what is missing, NULL: nothing is. */
#define CHECK_NEED(why)                                                                                                                                        \
	do {                                                                                                                                                   \
		const char *need_why = why();                                                                                                                  \
                                                                                                                                                               \
		if (need_why)                                                                                                                                  \
			CHECK_SKIP(need_why);                                                                                                                  \
	} while (0)
/* For tests that need the corpus. */
#define CHECK_NEED_SHARED()                                                                                                                                    \
	do {                                                                                                                                                   \
		if (!check_shared())                                                                                                                           \
			CHECK_SKIP("the shared corpus is not here (PTOWSP_SHARED)");                                                                           \
	} while (0)

#define CHECK(cond)   check_that((cond), #cond, __FILE__, __LINE__, false)
#define REQUIRE(cond) check_that((cond), #cond, __FILE__, __LINE__, true)
/* Got, then wanted. */
#define CHECK_INT(a, b)    check_int((intmax_t)(a), (intmax_t)(b), #a, #b, __FILE__, __LINE__, false)
#define REQUIRE_INT(a, b)  check_int((intmax_t)(a), (intmax_t)(b), #a, #b, __FILE__, __LINE__, true)
#define CHECK_UINT(a, b)   check_uint((uintmax_t)(a), (uintmax_t)(b), #a, #b, __FILE__, __LINE__, false)
#define REQUIRE_UINT(a, b) check_uint((uintmax_t)(a), (uintmax_t)(b), #a, #b, __FILE__, __LINE__, true)
#define CHECK_STR(a, b)    check_str((a), (b), #a, __FILE__, __LINE__, false)
#define REQUIRE_STR(a, b)  check_str((a), (b), #a, __FILE__, __LINE__, true)
/* b occurs in a. */
#define CHECK_CONTAINS(a, b)  check_contains((a), (b), #a, __FILE__, __LINE__, false)
#define CHECK_MEM(a, b, n)    check_mem((a), (b), (n), #a, __FILE__, __LINE__, false)
#define CHECK_NEAR(a, b, tol) check_near((a), (b), (tol), #a, __FILE__, __LINE__, false)
/* Always fails, with a message. */
#define CHECK_FAIL(...) check_that(false, check_fmt(__VA_ARGS__), __FILE__, __LINE__, false)

void check_skip(const char *reason);
bool check_that(bool ok, const char *text, const char *file, int line, bool fatal);
bool check_int(intmax_t a, intmax_t b, const char *ta, const char *tb, const char *file, int line, bool fatal);
bool check_uint(uintmax_t a, uintmax_t b, const char *ta, const char *tb, const char *file, int line, bool fatal);
bool check_str(const char *a, const char *b, const char *ta, const char *file, int line, bool fatal);
bool check_contains(const char *a, const char *b, const char *ta, const char *file, int line, bool fatal);
bool check_mem(const void *a, const void *b, size_t n, const char *ta, const char *file, int line, bool fatal);
bool check_near(double a, double b, double tol, const char *ta, const char *file, int line, bool fatal);

#endif
