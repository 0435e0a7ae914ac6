/* SPDX-License-Identifier: MIT
 * check.c - assertions with messages, places, files and commands for tests. */
#include "tests/check.h"
#include "ptowsp/note.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void check_add(CU_pSuite s, const char *name, CU_TestFunc fn)
{
	if (!CU_add_test(s, name, fn)) {
		fprintf(stderr, "%s: %s\n", name, CU_get_error_msg());
		exit(1);
	}
}

static struct check_test *registered;

void check_register(struct check_test *test)
{
	test->next = registered;
	registered = test;
}

static bool is_of_suite(const struct check_test *test, const char *suite)
{
	const char *base = strrchr(test->file, '/') + 1 + strlen("test_");

	return !strncmp(base, suite, strlen(suite)) && !strcmp(base + strlen(suite), ".c");
}

static int by_line(const void *a, const void *b)
{
	return (*(struct check_test *const *)a)->line - (*(struct check_test *const *)b)->line;
}

bool check_fill(CU_pSuite s)
{
	const struct check_test *tests[128];
	size_t count = 0;

	for (const struct check_test *t = registered; t; t = t->next)
		if (is_of_suite(t, s->pName)) {
			assert(count < 128);
			tests[count++] = t;
		}
	qsort(tests, count, sizeof(*tests), by_line);
	for (size_t i = 0; i < count; i++)
		check_add(s, tests[i]->name, tests[i]->fn);
	return count;
}

const char *check_name(void)
{
	CU_pTest t = CU_get_current_test();

	return t ? t->pName : "";
}

static const char *row_name(const void *rows, size_t i, size_t stride)
{
	return *(const char *const *)(const void *)((const char *)rows + i * stride);
}

void check_rows(CU_pSuite s, const void *rows, size_t count, size_t stride, CU_TestFunc fn)
{
	for (size_t i = 0; i < count; i++)
		check_add(s, row_name(rows, i, stride), fn);
}

const void *check_row(const void *rows, size_t count, size_t stride)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(row_name(rows, i, stride), check_name()))
			return (const char *)rows + i * stride;
	abort();
}

static const char *keep_path(char *keep, const char *path)
{
	if (!*keep && !realpath(path, keep)) {
		*keep = 0; /* it may hold the part that exists */
		return NULL;
	}
	return keep;
}

const char *check_root(void)
{
	static char keep[PATH_MAX];
	const char *env = getenv("PTOWSP_ROOT");

	return keep_path(keep, env && *env ? env : ".");
}

const char *check_build(void)
{
	static char keep[PATH_MAX];

	if (!*keep && keep_path(keep, "/proc/self/exe"))
		for (int up = 0; up < 2; up++)
			*strrchr(keep, '/') = 0;
	return keep;
}

const char *check_sanitizer(void)
{
	static const char *const options[] = {"", "-fsanitize=address,undefined", "-fsanitize=thread"};

	return options[PTOWSP_SANITIZER];
}

bool check_only_threads(void)
{
	return PTOWSP_SANITIZER == PTOWSP_SANITIZER_THREAD && !getenv("PTOWSP_TEST_LONG");
}

/* Hashed, because programs make choices by the low bits of their seeds. */
bool check_seed_wanted(uint64_t seed)
{
	return !PTOWSP_SANITIZER || getenv("PTOWSP_TEST_LONG") || seed * UINT64_C(0x9e3779b97f4a7c15) >> 62 == (uint64_t)time(NULL) / 86400 % 4;
}

bool check_turn(uint64_t part, unsigned count)
{
	return getenv("PTOWSP_TEST_LONG") || (uint64_t)time(NULL) / 86400 % count == part % count;
}

uint64_t check_seeds(uint64_t *count_out, uint64_t usual)
{
	const char *one = getenv("PTOWSP_SEED"), *many = getenv("PTOWSP_SEEDS");

	*count_out = one ? 1 : many ? strtoull(many, NULL, 0) : usual;
	return one ? strtoull(one, NULL, 0) : 1;
}

const char *check_shared(void)
{
	static char keep[PATH_MAX];
	const char *env = getenv("PTOWSP_SHARED");

	return keep_path(keep, env && *env ? env : check_fmt("%s/../shared", check_root()));
}

unsigned check_occurrences(const char *text, const char *word)
{
	unsigned count = 0;

	for (const char *at = text; (at = strstr(at, word)); at++)
		count++;
	return count;
}

const char *check_fmt(const char *fmt, ...)
{
	static char bufs[8][4096];
	static unsigned next;
	char *buf = bufs[next++ % 8];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(bufs[0]), fmt, ap);
	va_end(ap);
	return buf;
}

const char *check_dir(void)
{
	static char dir[PATH_MAX];
	CU_pSuite suite = CU_get_current_suite();

	snprintf(dir, sizeof(dir), "%s/test/tmp/%s/%s", check_build(), suite ? suite->pName : "", check_name());
	return dir;
}

const char *check_tmp(void)
{
	const char *dir = check_dir();

	if (check_run(check_fmt("rm -rf '%s' && mkdir -p '%s'", dir, dir), NULL, NULL))
		CHECK_FAIL("cannot make %s", dir);
	return dir;
}

static char *read_stream(FILE *f, size_t *size_out)
{
	size_t size = 0, room = 4096, n;
	char *text = malloc(room);

	while (text && (n = fread(text + size, 1, room - size - 1, f)) > 0) {
		size += n;
		if (size + 1 == room) {
			char *more = realloc(text, room *= 2);

			if (!more)
				free(text);
			text = more;
		}
	}
	if (text)
		text[size] = 0;
	if (size_out)
		*size_out = size;
	return text;
}

char *check_read(const char *path, size_t *size_out)
{
	FILE *f = fopen(path, "rb");
	char *text = f ? read_stream(f, size_out) : NULL;

	if (f)
		fclose(f);
	return text;
}

bool check_write(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "wb");
	bool ok = f && fwrite(data, 1, size, f) == size;

	return (!f || !fclose(f)) && ok;
}

void check_put(const char *name, const char *text)
{
	REQUIRE(check_write(check_fmt("%s/%s", check_dir(), name), text, strlen(text)));
}

/* dup2 of an unlinked file over a standard stream of the child. */
static void redirect(FILE *f, int fd)
{
	if (f)
		dup2(fileno(f), fd);
	else if (!freopen("/dev/null", "w", fd == 1 ? stdout : stderr))
		_exit(127);
}

static void give(FILE *f, char **out)
{
	if (!f)
		return;
	rewind(f);
	*out = read_stream(f, NULL);
	fclose(f);
}

int check_run(const char *command, char **stdout_out, char **stderr_out)
{
	FILE *o = stdout_out ? tmpfile() : NULL, *e = stderr_out ? tmpfile() : NULL;
	int status = -1;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		redirect(o, 1);
		redirect(e, 2);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	give(o, stdout_out);
	give(e, stderr_out);
	if (pid < 0)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* As /proc tells; 0 of a process that has ended. */
static unsigned long long handled_signals(pid_t pid)
{
	char *status = check_read(check_fmt("/proc/%d/status", (int)pid), NULL);
	const char *mask = status ? strstr(status, "\nSigCgt:") : NULL;
	unsigned long long signals = mask ? strtoull(mask + 8, NULL, 16) : 0;

	free(status);
	return signals;
}

void check_handler_awaited(pid_t child, int signal)
{
	const struct timespec pause = {.tv_nsec = 5000000};
	siginfo_t ended = {0};

	for (int i = 0; i < 12000 && !(handled_signals(child) >> (signal - 1) & 1) && !ended.si_pid; i++) {
		nanosleep(&pause, NULL);
		waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT);
	}
}

bool check_that(bool ok, const char *text, const char *file, int line, bool fatal)
{
	/* CUnit copies text. */
	CU_assertImplementation(ok, (unsigned)line, text, file, "", fatal);
	return ok;
}

bool check_int(intmax_t a, intmax_t b, const char *ta, const char *tb, const char *file, int line, bool fatal)
{
	return check_that(a == b, a == b ? "" : check_fmt("%s is %jd, not %s (%jd)", ta, a, tb, b), file, line, fatal);
}

bool check_uint(uintmax_t a, uintmax_t b, const char *ta, const char *tb, const char *file, int line, bool fatal)
{
	return check_that(a == b, a == b ? "" : check_fmt("%s is %ju, not %s (%ju)", ta, a, tb, b), file, line, fatal);
}

/* Long texts that differ late: show where, not from the start. */
bool check_str(const char *a, const char *b, const char *ta, const char *file, int line, bool fatal)
{
	size_t at = 0, from;
	bool ok = a == b || (a && b && !strcmp(a, b));
	const char *text;

	if (ok) {
		text = "";
	} else if (!a || !b) {
		text = check_fmt("%s is %s%.1500s%s, not %s%.1500s%s", ta, a ? "\"" : "", a ? a : "NULL", a ? "\"" : "", b ? "\"" : "", b ? b : "NULL",
				 b ? "\"" : "");
	} else {
		while (a[at] && a[at] == b[at])
			at++;
		from = at > 40 ? at - 40 : 0;
		text = check_fmt("%s differs at byte %zu: \"%s%.200s\", not \"%s%.200s\"", ta, at, from ? "..." : "", a + from, from ? "..." : "", b + from);
	}
	return check_that(ok, text, file, line, fatal);
}

bool check_contains(const char *a, const char *b, const char *ta, const char *file, int line, bool fatal)
{
	bool ok = a && strstr(a, b);

	return check_that(ok, ok ? "" : check_fmt("%s lacks \"%.500s\": it is \"%.3000s\"", ta, b, a ? a : "(null)"), file, line, fatal);
}

bool check_mem(const void *a, const void *b, size_t n, const char *ta, const char *file, int line, bool fatal)
{
	const unsigned char *x = a, *y = b;
	size_t i = 0;

	while (i < n && x[i] == y[i])
		i++;
	return check_that(i == n, i == n ? "" : check_fmt("%s differs at byte %zu of %zu: 0x%02x, not 0x%02x", ta, i, n, x[i], y[i]), file, line, fatal);
}

bool check_near(double a, double b, double tol, const char *ta, const char *file, int line, bool fatal)
{
	bool ok = (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= tol;

	return check_that(ok, ok ? "" : check_fmt("%s is %.17g, not %.17g +- %g", ta, a, b, tol), file, line, fatal);
}
