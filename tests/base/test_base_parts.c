/* SPDX-License-Identifier: MIT
 * test_base_parts.c - parts of plugins/base each by itself: patience, tables of a package, the folder of compiled code. */
#include "tests/check.h"

#include "base/cache.h"
#include "base/error.h"
#include "base/patience.h"
#include "base/sections.h"
#include "ptowsp/graph.h"
#include "ptowsp/ids.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- work that may be long ------------------------------------------------------------------------------------- */

static uint64_t time_ns;

static uint64_t time_now(void *context)
{
	(void)context;
	return time_ns;
}

TEST(work_ends_at_its_deadline_or_when_somebody_cancels_it)
{
	static const struct ptowsp_host host = {.now_ns = time_now};
	static const struct {
		uint32_t cancel;
		uint64_t deadline_ns, now_ns, tasks;
		ptowsp_status status;
		const char *text;
	} rows[] = {
		{0, 0, UINT64_MAX, 1, PTOWSP_OK, ""},
		{0, 1000, 999, 1, PTOWSP_OK, ""},
		{0, 1000, 1000, 1, PTOWSP_DEADLINE, "the deadline passed while it planned and simulated 1 task; allow more time with --timeout-ms"},
		{0, 1000, 1001, 14, PTOWSP_DEADLINE, "the deadline passed while it planned and simulated 14 tasks; allow more time with --timeout-ms"},
		{1, 1000, 1001, 0, PTOWSP_CANCELLED, "the run was cancelled while it planned the program's tasks"},
		{1, 0, 0, 2, PTOWSP_CANCELLED, "the run was cancelled while it planned 2 tasks"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct ptowsp_run_args run = {.deadline_ns = rows[i].deadline_ns};
		const struct rt_run_args args = {.args = &run, .cancel = &rows[i].cancel};
		struct base_patience patience = base_patience_of(&host, &args, 0);
		struct ptowsp_error why = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};

		patience.tasks = rows[i].tasks;
		time_ns = rows[i].now_ns;
		CHECK_INT(base_patience_check(&patience, &why), rows[i].status);
		CHECK_STR(why.text, rows[i].text);
		time_ns = 0;
		CHECK_INT(base_patience_over(&patience, 1), rows[i].status != PTOWSP_OK); /* for good */
		CHECK_INT(base_patience_told(&patience, PTOWSP_OK, &why), PTOWSP_OK);
		CHECK_INT(base_patience_told(&patience, PTOWSP_NO_MEMORY, &why), rows[i].status ? rows[i].status : PTOWSP_NO_MEMORY);
		CHECK_INT(base_patience_told(NULL, PTOWSP_NO_MEMORY, &why), PTOWSP_NO_MEMORY);
		CHECK_INT(base_patience_check(NULL, &why), PTOWSP_OK);
		CHECK(!base_patience_over(NULL, UINT64_MAX));
	}
}

TEST(the_clock_is_looked_at_behind_enough_work)
{
	static const struct ptowsp_host host = {.now_ns = time_now};
	const struct ptowsp_run_args run = {.deadline_ns = 1};
	const struct rt_run_args args = {.args = &run};
	struct base_patience patience = base_patience_of(&host, &args, 0);
	unsigned asked = 0;

	time_ns = 0;
	CHECK(!base_patience_over(&patience, 0)); /* the first one looks */
	time_ns = 1;
	while (!base_patience_over(&patience, 1) && asked < 100000)
		asked++;
	CHECK(asked > 0 && asked < 100000);
}

/* ---- tables of a package ---------------------------------------------------------------------------------------- */

TEST(rows_strings_and_code_outside_their_tables_are_none)
{
	static const char strings[] = "\0abc\0de", open[] = {'a', 'b'};
	static const struct ptowsp_debug_record debug[] = {{.file = 1, .kind = 0, .row = 5, .line = 9}, {.file = 5, .kind = 1, .row = 5, .line = 7}};
	struct base_sections sections = {.strs = {PTOWSP_SECTION_STRS, 1, sizeof(strings), strings},
					 .code = {PTOWSP_SECTION_CODE, 1, 8, strings},
					 .dbgi = {PTOWSP_SECTION_DBGI, sizeof(*debug), 2, debug}};
	struct ptowsp_error why = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct ptowsp_debug_record row;
	const void *bytes;
	char place[64];

	CHECK_STR(base_sections_string(&sections, 1), "abc");
	CHECK_STR(base_sections_string(&sections, sizeof(strings) - 1), "");
	CHECK_STR(base_sections_string(&sections, sizeof(strings)), "");
	CHECK_STR(base_sections_string(&sections, UINT32_MAX), "");
	CHECK_STR(base_sections_place(&sections, 5, place, sizeof(place)), "de:7");
	CHECK_STR(base_sections_place(&sections, 6, place, sizeof(place)), "");
	CHECK_INT(base_sections_code(&sections, 8, 0, &bytes, &why), PTOWSP_OK);
	CHECK_INT(base_sections_code(&sections, 3, 5, &bytes, &why), PTOWSP_OK);
	CHECK(bytes == strings + 3);
	CHECK_INT(base_sections_code(&sections, 3, 6, &bytes, &why), PTOWSP_BAD_PACKAGE);
	CHECK_STR(why.text, "a payload lies at 3, 6 bytes, outside section CODE of 8 bytes");
	CHECK_INT(base_sections_code(&sections, 9, 0, &bytes, &why), PTOWSP_BAD_PACKAGE);
	CHECK_INT(base_sections_code(&sections, 4, UINT64_MAX, &bytes, &why), PTOWSP_BAD_PACKAGE);
	CHECK_INT(base_sections_row(&sections.dbgi, 1, &row, sizeof(row), &why), PTOWSP_OK);
	CHECK_UINT(row.line, 7);
	CHECK_INT(base_sections_row(&sections.dbgi, 2, &row, sizeof(row), &why), PTOWSP_BAD_PACKAGE);
	CHECK_STR(why.text, "section DBGI has 2 rows, row 2 is referred to");
	CHECK_INT(base_sections_row(&sections.kreg, 0, &row, sizeof(row), &why), PTOWSP_BAD_PACKAGE);
	CHECK_STR(why.text, "section ? has 0 rows, row 0 is referred to");
	sections.dbgi.stride = 4; /* an older file's */
	CHECK_INT(base_sections_row(&sections.dbgi, 0, &row, sizeof(row), &why), PTOWSP_OK);
	CHECK(row.line == 0 && row.row == 0);
	sections.strs = (struct ptowsp_section){PTOWSP_SECTION_STRS, 1, sizeof(open), open};
	CHECK_STR(base_sections_string(&sections, 0), "");
	sections.strs.count = 0;
	CHECK_STR(base_sections_string(&sections, 0), "");
}

/* ---- where it keeps what it has compiled ------------------------------------------------------------------------- */

static void cache_is(const char *stated, const char *want)
{
	struct ptowsp_error why = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	char path[BASE_CACHE_PATH + 1];

	CHECK_INT(base_cache_find(path, stated, &why), PTOWSP_OK);
	CHECK_STR(path, want);
	CHECK_INT(access(path, W_OK), 0);
}

TEST(what_is_compiled_is_kept_where_the_user_s_caches_are)
{
	char *const xdg = getenv("XDG_CACHE_HOME") ? strdup(getenv("XDG_CACHE_HOME")) : NULL, *const home = getenv("HOME") ? strdup(getenv("HOME")) : NULL;
	struct ptowsp_error why = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	char path[BASE_CACHE_PATH + 1], at[BASE_CACHE_PATH + 2];
	const char *folder = check_tmp();

	setenv("HOME", check_fmt("%s/home", folder), 1);
	setenv("XDG_CACHE_HOME", check_fmt("%s/xdg/deep", folder), 1);
	cache_is(NULL, check_fmt("%s/xdg/deep/ptowsp", folder));
	cache_is("", check_fmt("%s/xdg/deep/ptowsp", folder));
	cache_is(check_fmt("%s/stated/../here", folder), check_fmt("%s/here", folder));
	setenv("XDG_CACHE_HOME", "relative", 1); /* which the specification of these folders says to ignore */
	cache_is(NULL, check_fmt("%s/home/.cache/ptowsp", folder));
	unsetenv("XDG_CACHE_HOME");
	cache_is(NULL, check_fmt("%s/home/.cache/ptowsp", folder));

	REQUIRE(check_write(check_fmt("%s/file", folder), "x", 1));
	CHECK_INT(base_cache_find(path, check_fmt("%s/file/below", folder), &why), PTOWSP_IO);
	CHECK_CONTAINS(why.text, "/file/below cannot be made: Not a directory; name another folder, --opt cache=DIR");
	CHECK_INT(base_cache_find(path, check_fmt("%s/file", folder), &why), PTOWSP_IO);
	CHECK_CONTAINS(why.text, "/file cannot be made: Not a directory; name another folder, --opt cache=DIR");
	for (size_t more = 0; more < 2; more++) {
		snprintf(at, sizeof(at), "%s", folder);
		while (strlen(at) < BASE_CACHE_PATH + more)
			strcat(at, strlen(at) % 100 ? "c" : "/");
		CHECK_INT(base_cache_find(path, at, &why), more ? PTOWSP_INVALID : PTOWSP_OK);
		if (!more)
			CHECK_STR(path, at);
	}
	CHECK_STR(why.text, "cache=DIR: the path is longer than 900 bytes; use a shorter one");

	if (xdg)
		setenv("XDG_CACHE_HOME", xdg, 1);
	if (home)
		setenv("HOME", home, 1);
	free(xdg);
	free(home);
}

TEST(a_cache_below_a_folder_that_is_gone_is_none)
{
	struct ptowsp_error why = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	const char *gone = check_fmt("%s/gone", check_tmp());
	const int back = open(".", O_RDONLY | O_DIRECTORY);
	char path[BASE_CACHE_PATH + 1];

	REQUIRE(back >= 0 && !mkdir(gone, 0755) && !chdir(gone) && !rmdir(gone));
	CHECK_INT(base_cache_find(path, ".", &why), PTOWSP_IO);
	CHECK_STR(why.text, "cache=. cannot be opened: No such file or directory; name another folder, --opt cache=DIR");
	CHECK_INT(fchdir(back), 0);
	close(back);
}
