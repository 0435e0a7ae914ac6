/* SPDX-License-Identifier: MIT
 * test_check.c - the suite of tests/check.h itself. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

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

void suite_check(CU_pSuite s)
{
	TEST(s, check_run_gives_exit_status_and_both_streams);
	TEST(s, check_tmp_is_empty_and_files_come_back_whole);
	TEST(s, check_name_tells_the_running_test);
	TEST(s, check_build_holds_the_running_program);
}
