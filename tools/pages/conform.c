/* SPDX-License-Identifier: MIT */
/* conform.c - what ptowsp-conform says about itself. */
#include "tools/pages/page.h"

#define G PAGE_G
#define X PAGE_X
static const struct page_row rows[] = {
	PAGE_U("[options] PLUGIN.so|NAME", "test a plugin, a file or one that ptowsp-run finds by its name; TAP on stdout") PAGE_U("--list", "the tests")
		PAGE_U("--replay FILE PLUGIN.so|NAME", "the calls of a log once more") PAGE_P(
			"Each test runs in a process of its own. One that dies or hangs is reported with the operation that was called last, the package and "
			"its "
			"seed, the signal, and the last line that the plugin logged. Tests that need a device which is not there are skipped, and say so.")
#include "tools/conform/flags.def"
			PAGE_E("0", "every test is ok or skipped")
				PAGE_E("1", "a test is not ok; with --replay: something answers differently, or the log is none") PAGE_E("2", "usage")
					PAGE_E("4", "there is no such file, and no plugin of that name")
						PAGE_SHOW("ptowsp-conform --list", "The tests, and which obligation each is about.")};
#undef X
#undef G

const struct page page_conform = {
	"ptowsp-conform", "test a plugin against every obligation of the ptowsp plugin ABI", "*.so", rows, sizeof(rows) / sizeof(*rows), 0, 0};
