/* SPDX-License-Identifier: MIT */
/* aie_device.c - the manual page of tools/aie-device, a script whose --help is its own; tools/check/pages compares their flags. */
#include "tools/pages/page.h"

static const struct page_row rows[] = {
	PAGE_U("[options] [EXAMPLE...]", "") PAGE_P(
		"What a machine with an AMD NPU needs for --opt engine=device of the plugin aie, whether it is there, and what the examples do on it: "
		"finds driver, XRT, its headers, aiecc and Peano, compiles the bridge to XRT, opens the device, and compiles and runs each EXAMPLE (a "
		"name or a file; without any all that are installed) beside the processor. What is missing is named, and the steps that do not need it "
		"are done all the same. The report and its logs lie in a folder, and beside it as an archive to be sent in.") PAGE_G("Options")
		PAGE_X("only", 0, , , "STEP,...",
		       "of pieces, bridge, model, compile, run (default: pieces, bridge, model, and what "
		       "the machine has the pieces for)") PAGE_X("device", 0, , , "NAME", "npu1 or npu2 (default: the one that the bridge finds, else npu1)")
			PAGE_X("out", 0, , , "DIR", "where the report and its logs go; it must not be there yet (default aie-report)") PAGE_X(
				"xrt", 0, , , "DIR", "where XRT is installed") PAGE_X("peano", 0, , , "DIR",
										      "where Peano, the compiler of the cores, is installed")
				PAGE_X("aiecc", 0, , , "FILE", "mlir-aie's compiler") PAGE_X("root", 0, , , "DIR", "before /dev, /opt and /usr, in a container")
					PAGE_X("cache", 0, , , "DIR", "where compiled designs are kept")
						PAGE_X("bridge", 0, , , "FILE", "a bridge of yours, which share/doc/ptowsp/plugins/aie/bridge.h describes")
							PAGE_X("timeout", 0, , , "SECONDS", "of one example, its compilation with it (default 1800)") PAGE_X(
								"help", 'h', , , "", "the options, shorter") PAGE_X("version", 0, , , "", "version and ABI")
								PAGE_V("XILINX_XRT", "where XRT is installed, unless --xrt says")
									PAGE_V("PEANO_INSTALL_DIR", "where Peano is installed, unless --peano says")
										PAGE_V("CC, CXX", "compilers of the "
												  "bridge (default gcc, g++)") PAGE_E("0", "all is well")
											PAGE_E("1", "something went wrong") PAGE_E("2", "usage")
												PAGE_E("8", "something is missing")};

const struct page page_aie_device = {
	"ptowsp-aie-device", "what a machine with an AMD NPU needs, and what it does", "*.pkg.zst", rows, sizeof(rows) / sizeof(*rows), 0, 1};
