/* SPDX-License-Identifier: MIT
 * test_check.c - the suite of tests/check.h itself. */
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void check_run_gives_exit_status_and_both_streams(void)
{
	char *out = NULL, *err = NULL;

	CHECK_INT(check_run("echo one; echo two >&2; exit 3", &out, &err), 3);
	CHECK_STR(out, "one\n");
	CHECK_STR(err, "two\n");
	free(out);
	free(err);
	CHECK_INT(check_run("echo noise; kill -9 $$", NULL, NULL), 128 + 9);
}

static void check_tmp_is_empty_and_files_come_back_whole(void)
{
	const char *path = check_fmt("%s/bytes", check_tmp());
	size_t size = 0;
	char *text;

	REQUIRE(check_write(path, "a\0b", 3));
	text = check_read(path, &size);
	CHECK_UINT(size, 3);
	CHECK_MEM(text, "a\0b", 4);
	free(text);
	CHECK(check_read(check_fmt("%s/bytes", check_tmp()), NULL) == NULL);
}

static void check_name_tells_the_running_test(void)
{
	CHECK_STR(check_name(), "check_name_tells_the_running_test");
}

static void check_build_holds_the_running_program(void)
{
	char *text;

	REQUIRE(check_root() && check_build());
	CHECK_INT(check_run(check_fmt("test -x '%s/bin/ptowsp-test'", check_build()), NULL, NULL), 0);
	text = check_read(check_fmt("%s/tests/suites.def", check_root()), NULL);
	CHECK_CONTAINS(text, "X(check");
	free(text);
}

/* What the runner says of a bad test: it runs again with only the planted test that PTOWSP_PLANT names. */
static void planted(void)
{
	const char *how = getenv("PTOWSP_PLANT");

	if (!strcmp(how, "fail")) {
		CHECK_INT(1 + 1, 3);
		CHECK_STR("two\nlines", "one");
	} else if (!strcmp(how, "require")) {
		REQUIRE(!"reached");
		abort();
	} else if (!strcmp(how, "skip")) {
		CHECK_SKIP("no hardware");
	} else if (!strcmp(how, "crash")) {
		abort();
	} else if (!strcmp(how, "hang")) {
		for (;;)
			pause();
	}
}

/* tests/run on this program, in a build folder of its own. */
static void run_planted(const char *how, int want_status, const char *want_stdout, const char *want_log)
{
	const char *dir = check_tmp();
	char *out = NULL, *log;

	CHECK_INT(check_run(check_fmt("mkdir '%s/bin' && ln -s '%s/bin/ptowsp-test' '%s/bin/'", dir, check_build(), dir), NULL, NULL), 0);
	CHECK_INT(check_run(check_fmt("cd '%s' && PTOWSP_PLANT=%s PTOWSP_SUITE_SECONDS=2 tests/run planted '%s' check", check_root(), how, dir), &out, NULL),
		  want_status);
	CHECK_CONTAINS(out, want_stdout);
	log = check_read(check_fmt("%s/test/check.log", dir), NULL);
	CHECK_CONTAINS(log, want_log);
	CHECK_INT(access(check_fmt("%s/test/check.ok", dir), F_OK), want_status ? -1 : 0);
	free(out);
	free(log);
}

static void runner_reports_every_failed_check_of_a_test_on_one_line(void)
{
	run_planted("fail", 1, "not ok planted - tests/test_check.c:", "1 + 1 is 2, not 3 (3); tests/test_check.c:");
}

static void runner_leaves_a_test_at_a_failed_require(void)
{
	run_planted("require", 1, "not ok planted", "reached");
}

static void runner_reports_a_skip_with_its_reason(void)
{
	run_planted("skip", 0, "", "skip planted - no hardware\n");
}

static void runner_reports_a_crash_as_a_failure(void)
{
	run_planted("crash", 1, "not ok check_suite_runs_to_its_end", "\nnot ok check_suite_runs_to_its_end - exit status");
}

static void runner_ends_a_suite_that_hangs(void)
{
	run_planted("hang", 1, "not ok check_suite_runs_to_its_end", "no end within 2 s");
}

void suite_check(CU_pSuite s)
{
	if (getenv("PTOWSP_PLANT")) {
		TEST(s, planted);
		return;
	}
	TEST(s, runner_reports_every_failed_check_of_a_test_on_one_line);
	TEST(s, runner_leaves_a_test_at_a_failed_require);
	TEST(s, runner_reports_a_skip_with_its_reason);
	TEST(s, runner_reports_a_crash_as_a_failure);
	TEST(s, runner_ends_a_suite_that_hangs);
	TEST(s, check_run_gives_exit_status_and_both_streams);
	TEST(s, check_tmp_is_empty_and_files_come_back_whole);
	TEST(s, check_name_tells_the_running_test);
	TEST(s, check_build_holds_the_running_program);
}
