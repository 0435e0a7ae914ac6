/* SPDX-License-Identifier: MIT */
/* inspect.c - what ptowsp-inspect says about itself. */
#include "tools/pages/page.h"

#define G PAGE_G
#define X PAGE_X
static const struct page_row rows[] = {
	PAGE_U("[--json|--disasm|--pto [--out FOLDER]|--c] PACKAGE...", "") PAGE_U("--verify [--trust-dir DIR] [--trust=signed] PACKAGE...", "") PAGE_U(
		"--graph OUT DUMP",
		"") PAGE_P("Reads packages; runs nothing of them. Without a flag one PACKAGE gives a summary of all its tables; several, or folders "
			   "(every *.pkg.zst below them), give one line each, and a package that is refused has its line, too.")
#include "tools/inspect/flags.def"
		PAGE_V("PTOWSP_TRUST_DIR", "absolute folders with trusted keys, separated by ':'; not read under elevated privileges") PAGE_E("0", "success")
			PAGE_E("1", "out of memory") PAGE_E("2", "usage, or a file that cannot be read or written") PAGE_E("3", "package refused")
				PAGE_E("5", "a package that source text cannot say") PAGE_E("6", "source text that packs to another digest")
					PAGE_E("8", "Graphviz not there") PAGE_SHOW("ptowsp-inspect softmax.pkg.zst", "A summary.")
						PAGE_SHOW("ptowsp-inspect --verify softmax.pkg.zst", "Everything that can be checked without running it.")};
#undef X
#undef G

const struct page page_inspect = {"ptowsp-inspect", "read packages, draw saved task graphs", "*.pkg.zst", rows, sizeof(rows) / sizeof(*rows), 0, 0};
