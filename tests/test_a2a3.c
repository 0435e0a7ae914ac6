/* SPDX-License-Identifier: MIT
 * test_a2a3.c - the a2a3 plugin on a machine without an Ascend device: what can be asked without one, and what is said of what is missing. */
#include "ascend/hardware.h"
#include "contract/cli.h"

#include <stdio.h>
#include <string.h>

#define NOWHERE "env -u ASCEND_HOME_PATH "

static void what_needs_no_device_needs_no_device(void)
{
	static const char *const asked[] = {"--devices --plugin=a2a3", "--capabilities --plugin=a2a3", "--capabilities --plugin=a2a3 --device=950-0",
					    "--explain --plugin=a2a3 $P/softmax.pkg.zst", "--help --plugin=a2a3", "--list-plugins"};

	cli_begin();
	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++)
		CHECK_INT(cli(check_fmt(NOWHERE "$B/ptowsp-run %s", asked[i])), 0);
	CHECK_INT(cli(NOWHERE "$B/ptowsp-run --devices --plugin=a2a3"), 0);
	CHECK_CONTAINS(cli_out, "a2a3 910b-0: Ascend 910B (A2), 24 cube and 48 vector cores\n  engine pto-runtime tensormap_and_ringbuffer, cycle model plan, timing events");
}

/* Rows say what a device would do; nothing here has shown it. */
static void its_rows_are_claims(void)
{
	cli_begin();
	REQUIRE_INT(cli(NOWHERE "$B/ptowsp-run --capabilities --plugin=a2a3 --json"), 0);
	CHECK_CONTAINS(cli_out, "\"evidence\": \"claimed\"");
	CHECK(!strstr(cli_out, "\"evidence\": \"self"));
	CHECK_INT(cli(NOWHERE "$B/ptowsp-run --capabilities --plugin=a2a3"), 0);
	CHECK_CONTAINS(cli_out, "cycles per kernel                    recorded");
}

static void a_run_ends_with_8_and_says_what_is_missing(void)
{
	static const struct {
		const char *environment, *options, *said;
	} rows[] = {
		{"env -u ASCEND_HOME_PATH", "--plugin=a2a3", "ASCEND_HOME_PATH is not set"},
		{"env ASCEND_HOME_PATH=", "--plugin=a2a3", "ASCEND_HOME_PATH is not set"},
		{"env ASCEND_HOME_PATH=$T/none", "--plugin=a2a3", "no libascendcl.so in lib64, runtime/lib64 and *-linux/lib64 of ASCEND_HOME_PATH="},
		{"env -u ASCEND_HOME_PATH", "--plugin=ascend_910b", "ASCEND_HOME_PATH"},
		{"env -u ASCEND_HOME_PATH", "--plugin=a2a3 --device=950-1 --opt clock=reference", "ASCEND_HOME_PATH"},
		{"env -u ASCEND_HOME_PATH", "--plugin=a2a3 --no-kernels", "ASCEND_HOME_PATH"},
	};

	cli_begin();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK_INT(cli(check_fmt("%s $B/ptowsp-run %s $P/vector_add.pkg.zst", rows[i].environment, rows[i].options)), 8);
		CHECK_CONTAINS(cli_err, rows[i].said);
		cli_check_sentence();
	}
	CHECK_INT(cli(NOWHERE "$B/ptowsp-run --plugin=a2a3 --opt aicpus=9 $P/vector_add.pkg.zst"), 2);
	CHECK_INT(cli(NOWHERE "$B/ptowsp-run --plugin=a2a3 --device=cpu0 $P/vector_add.pkg.zst"), 8);
}

/* ---- looking, in a folder that stands for a machine -------------------------------------------------------------- */

static const char *folder(void)
{
	return check_fmt("%s/test/a2a3.machine", check_build());
}

/* A file of the machine, empty; what is there so far. */
static void file_make(const char *path)
{
	REQUIRE_INT(check_run(check_fmt("mkdir -p \"$(dirname '%s/%s')\" && : >'%s/%s'", folder(), path, folder(), path), NULL, NULL), 0);
}

static void each_thing_is_missed_until_it_is_there(void)
{
	static const struct {
		const char *said, *make; /* what is said, and the file that helps */
	} steps[] = {
		{"no libascendcl.so in lib64", "cann/lib64/libascendcl.so"},
		{"no libruntime.so in lib64", "cann/x86_64-linux/lib64/libruntime.so"},
		{"no libascend_hal.so of the Ascend driver in LD_LIBRARY_PATH", "usr/local/Ascend/driver/lib64/driver/libascend_hal.so"},
		{"/dev/davinci1; npu-smi info lists", "dev/davinci1"},
	};
	char home[700], root[600];
	struct ascend_places places = {.home = home, .root = root};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ascend_hardware found;

	snprintf(root, sizeof(root), "%s", folder());
	snprintf(home, sizeof(home), "%s/cann", root);
	REQUIRE_INT(check_run(check_fmt("rm -rf '%s' && mkdir -p '%s'", root, home), NULL, NULL), 0);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		CHECK_INT(ascend_hardware_find(&found, &places, 1, &error), PTOWSP_NO_DEVICE);
		CHECK_CONTAINS(error.text, steps[i].said);
		file_make(steps[i].make);
	}
	CHECK_INT(ascend_hardware_find(&found, &places, 1, &error), PTOWSP_OK);
	CHECK_STR(found.runtime, check_fmt("%s/x86_64-linux/lib64/libruntime.so", home));
	CHECK_STR(found.device, check_fmt("%s/dev/davinci1", root));
	CHECK_INT(ascend_hardware_find(&found, &places, 0, &error), PTOWSP_NO_DEVICE);
	CHECK_CONTAINS(error.text, "/dev/davinci0");
}

/* The linker's path goes before the driver's own folder. */
static void the_driver_is_looked_for_where_the_linker_looks(void)
{
	char home[700], root[600], path[1400];
	struct ascend_places places = {.home = home, .root = root, .library = path};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ascend_hardware found;

	snprintf(root, sizeof(root), "%s", folder());
	snprintf(home, sizeof(home), "%s/cann", root);
	snprintf(path, sizeof(path), ":%s/nothing:%s/mine:", root, root);
	REQUIRE_INT(check_run(check_fmt("rm -rf '%s'", root), NULL, NULL), 0);
	file_make("cann/lib64/libascendcl.so");
	file_make("cann/runtime/lib64/libruntime.so");
	file_make("dev/davinci0");
	CHECK_INT(ascend_hardware_find(&found, &places, 0, &error), PTOWSP_NO_DEVICE);
	CHECK_CONTAINS(error.text, "libascend_hal.so");
	file_make("mine/libascend_hal.so");
	CHECK_INT(ascend_hardware_find(&found, &places, 0, &error), PTOWSP_OK);
	CHECK_STR(found.driver, check_fmt("%s/mine/libascend_hal.so", root));
}

void suite_a2a3(CU_pSuite s)
{
	cli_suite("a2a3");
	TEST(s, what_needs_no_device_needs_no_device);
	TEST(s, its_rows_are_claims);
	TEST(s, a_run_ends_with_8_and_says_what_is_missing);
	TEST(s, each_thing_is_missed_until_it_is_there);
	TEST(s, the_driver_is_looked_for_where_the_linker_looks);
}
