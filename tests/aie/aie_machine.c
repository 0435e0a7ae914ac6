/* SPDX-License-Identifier: MIT
 * aie_machine.c - runs on a machine of fakes. */
#include "tests/aie/aie_machine.h"

#include <stdio.h>

/* The child is no tool of this build: where the fake XRT has a sanitizer it needs one, too. A sanitizer looks for what throws when a process begins, so it is there then. */
const char *machine_environment(void)
{
#if defined(__clang__)
	const char *compiler = "clang";
#else
	const char *compiler = "gcc";
#endif
	const char *throws = *check_sanitizer() ? "ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0 LD_PRELOAD=$(g++ -print-file-name=libstdc++.so.6)" : "";

	return check_fmt("FAKE_XRT_LOG=$T/log CC='%s %s' %s ", compiler, check_sanitizer(), throws);
}

int machine_run(const char *faults, const char *options)
{
	char line[1800];

	snprintf(line, sizeof(line), "rm -f log; %s FAKE_XRT='%s' $B/ptowsp-run %s", machine_environment(), faults, options);
	return cli(line);
}

bool machine_begin(void)
{
	cli_begin();
	if (cli("g++ --version && cc --version && ld --version"))
		return false;
	REQUIRE_INT(cli("ls -d $B/../test/aie_device_cache/aie-bridge-*[0-9a-f]") && machine_run("", KEPT "$P/vector_add.pkg.zst"), 0);
	return true;
}
