/* SPDX-License-Identifier: MIT
 * test_aie_command.c - tools/aie-device, the one command of plugins/aie/DEVICE.md, on a bare machine and on one of fakes; and that page. */
#include "tests/aie/aie_machine.h"

#include <stdio.h>
#include <string.h>

#define REPORT   "rm -rf rep rep.tar.gz && $R/tools/aie-device --out rep "
#define STAND_IN "--root $B/../fakes/xrt --peano $B/../fakes/xrt/peano --aiecc $B/../fakes/xrt/peano/bin/aiecc --cache $B/../test/aie_device_cache "

/* Its exit status on the machine of fakes. */
static int report(const char *variables, const char *options)
{
	return cli(check_fmt("rm -f log; export %s %s; " REPORT "%s", machine_environment(), variables, options));
}

static void lines_there(const char *const *lines, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strstr(cli_out, lines[i]))
			CHECK_FAIL("not there: %s; %.600s", lines[i], cli_out);
}

TEST(the_report_of_a_bare_machine_names_each_piece)
{
	static const char *const lines[] = {"missing xrt - no libxrt_coreutil.so.2 in lib, lib64",
					    "missing headers - no xrt/xrt_hw_context.h",
					    "missing aiecc - no aiecc in the folders of PATH: install mlir-aie 1.4.3 or newer, or name it with --aiecc FILE\n",
					    "missing peano - no Peano: PEANO_INSTALL_DIR is not set; install llvm-aie, or name it with --peano DIR\n",
					    "skipped bridge - it needs driver",
					    "ok model vector_add - ",
					    "skipped compile vector_add - it needs aiecc",
					    "skipped run vector_add - it needs driver"};

	REQUIRE_INT(cli("mkdir -p empty"), 0);
	CHECK_INT(cli(NOWHERE "sh -c '" REPORT "--root empty --xrt empty vector_add'"), 8);
	lines_there(lines, sizeof(lines) / sizeof(*lines));
	CHECK_CONTAINS(cli_out, "missing driver - no device empty/dev/accel/accel0: load the driver amdxdna");
	CHECK_INT(cli("grep -q '^| vector_add | [0-9]* | needs aiecc | needs driver |$' rep/REPORT.md && tar -tzf rep.tar.gz | grep -qx rep/REPORT.md"), 0);
}

TEST(the_report_of_a_machine_has_all_examples)
{
	static const char *const lines[] = {"ok driver",
					    "ok bridge - designs are for npu1",
					    "ok model softmax - ",
					    "ok run vector_add - equal, ",
					    "ok run softmax - equal, ",
					    "skipped model two_devices - opcode notify is unsupported on aie"};

	NEED_DEVICE();
	CHECK_INT(report("FAKE_XRT=''", STAND_IN "vector_add softmax two_devices"), 0);
	lines_there(lines, sizeof(lines) / sizeof(*lines));
	CHECK_INT(cli("grep -q '^| softmax | [0-9]* | - | equal, [0-9]* ns |$' rep/REPORT.md"), 0);
	CHECK_INT(report("FAKE_XRT=strix", STAND_IN "--only bridge"), 0); /* which array it is, the device says */
	CHECK_CONTAINS(cli_out, "ok bridge - designs are for npu2");
	CHECK_INT(cli("test ! -e rep/vector_add.model.txt"), 0);
	CHECK_INT(report("FAKE_XRT=''",
			 "--only compile --root none --device npu2 --peano $B/../fakes/xrt/peano --aiecc $B/../fakes/xrt/peano/bin/aiecc vector_add"),
		  0);
	CHECK_CONTAINS(cli_out, "ok compile vector_add");
	CHECK_INT(cli("test -s rep/vector_add.design/aie.xclbin && test -s rep/vector_add.design/insts.bin"), 0);
}

/* What refuses, what fails, what comes back as something else. */
TEST(the_report_says_what_went_wrong)
{
	NEED_DEVICE();
	CHECK_INT(report("FAKE_XRT=error_state", STAND_IN "vector_add"), 1);
	CHECK_CONTAINS(cli_out, "not ok run vector_add - NPU Phoenix, wait: the run failed, state 5");
	CHECK_INT(report("FAKE_XRT=abort_open", STAND_IN "vector_add"), 1);
	CHECK_CONTAINS(cli_out, "not ok bridge - engine=device: XRT ended the process that opened device 0");
	CHECK_CONTAINS(cli_out, "skipped run vector_add - it needs bridge");
	CHECK_INT(report("FAKE_AIECC=fail", "--only compile --root none --peano $B/../fakes/xrt/peano --aiecc $B/../fakes/xrt/peano/bin/aiecc vector_add"), 1);
	CHECK_CONTAINS(cli_out, "not ok compile vector_add - design.mlir:3:5: error: ");
	REQUIRE_INT(cli(OWN_BEGIN
			" && printf '%s\n' 'for w; do case $w in *.c) sed -i \"s/tx_tile\\[at\\] + /tx_tile[at] - /\" $w ;; esac; done' 'exec cc \"$@\"' >odd"),
		    0);
	CHECK_INT(report("FAKE_XRT='' FAKE_CC='sh '$T/odd",
			 "--root $B/../fakes/xrt --peano $B/../fakes/xrt/peano --aiecc $B/../fakes/xrt/peano/bin/aiecc --cache "
			 "$T/cache vector_add"),
		  1);
	CHECK_CONTAINS(cli_out, "not ok run vector_add - ");
	CHECK_CONTAINS(cli_out, "\"c\" is not as expected: 2048 of 2048 elements exceed rtol 0, atol 0");
	CLI_ERR(2, "$R/tools/aie-device --only all", "--only all is none of pieces, bridge, model, compile, run");
	CLI_ERR(2, "mkdir -p there && $R/tools/aie-device --out there", "the folder there is there already");
	CLI_ERR(2, "$R/tools/aie-device --out new nothing", "there is no example ");
	CHECK_INT(cli("test ! -e new"), 0);
}

/* Each option that plugins/aie/DEVICE.md names is there, and each file of the tree. */
TEST(what_the_page_names_is_there)
{
	CHECK_INT(cli("for o in $(grep -o -- '--opt [a-z]*=' $R/plugins/aie/DEVICE.md | sort -u | sed 's/.* //; s/=//'); do\n"
		      "$B/ptowsp-run --help --plugin=aie | grep -q \"  *$o\" || { echo \"$o\" && exit 1; }\ndone"),
		  0);
	CHECK_INT(cli("cd $R && for f in $(grep -oE '(plugins|tests|build/packages)/[A-Za-z0-9_./]*[A-Za-z0-9]' plugins/aie/DEVICE.md | sort -u); do\n"
		      "test -e $f || { echo \"$f\" && exit 1; }\ndone"),
		  0);
	CHECK_INT(cli("for f in $(grep -oE 'xrt/[a-z_/]*\\.h' $R/plugins/aie/DEVICE.md | sort -u); do grep -q \"$f\" $R/plugins/aie/bridge/xrt.cc || exit 1; "
		      "done"),
		  0);
}
