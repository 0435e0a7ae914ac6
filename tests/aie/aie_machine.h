/* SPDX-License-Identifier: MIT
 * aie_machine.h - a machine that stands for one with an array: paths of its fakes (tests/fakes) for options of tools, and runs on it. */
#ifndef PTOWSP_TESTS_AIE_MACHINE_H
#define PTOWSP_TESTS_AIE_MACHINE_H

#include <stdbool.h>

#include "tests/contract/cli.h"

#define NOWHERE "env -u XILINX_XRT -u PEANO_INSTALL_DIR "
#define PLACE   "--plugin=aie --opt engine=device --opt root=$B/../fakes/xrt "
#define MACHINE PLACE "--opt peano=$B/../fakes/xrt/peano --opt aiecc=$B/../fakes/xrt/peano/bin/aiecc "
/* What is compiled once may serve all tests of both suites; a cache of a test's own begins with its bridge. */
#define KEPT      MACHINE "--opt cache=$B/../test/aie_device_cache "
#define OWN       MACHINE "--opt cache=$T/cache "
#define OWN_BEGIN "rm -rf cache && mkdir cache && cp -r $B/../test/aie_device_cache/aie-bridge-* cache/"

/* Variables for what is compiled there, and for the log of the fake XRT, which is $T/log. */
const char *machine_environment(void);
/* ptowsp-run with a list of faults and options; its exit status. The log begins anew. */
int machine_run(const char *faults, const char *options);
/* Compiles what the kept cache has. False: there is nothing to compile with. */
bool machine_begin(void);
#define NEED_DEVICE()                                                                                                                                          \
	do {                                                                                                                                                   \
		if (!machine_begin())                                                                                                                          \
			CHECK_SKIP("there is no g++, cc and ld to compile the bridge and the kernels with");                                                   \
	} while (0)

#endif
