/* SPDX-License-Identifier: MIT */
/* pack.c - what ptowsp-pack says about itself. */
#include "tools/pages/page.h"

#define G PAGE_G
#define X PAGE_X
static const struct page_row rows[] = {
	PAGE_U("SOURCE.pto... -o PACKAGE.pkg.zst", "compile; several files are one module set linked by name") PAGE_U(
		"FOLDER... -o FOLDER", "every .pto file below them, each its own package, one line each") PAGE_U("--from-json FILE -o PACKAGE.pkg.zst",
														 "a package from its JSON form")
		PAGE_U("--emit=TARGET SOURCE.pto... -o FOLDER", "source files of its kernels") PAGE_U(
			"--emit=TARGET PACKAGE.pkg.zst -o FOLDER",
			"the same of a package that is there") PAGE_U("--make-key FILE", "a key pair: FILE signs, FILE.pub goes into trust folders")
			PAGE_U("--sign=KEY PACKAGE.pkg.zst...", "sign packages that are there, in their place or with -o") PAGE_U(
				"--sign=KEY libptowsp_NAME.so", "sign a plugin: libptowsp_NAME.so.sig beside it")
#include "tools/pack/flags.def"
				PAGE_N("The language is described in packages/LANGUAGE.md. Of folders the exit status is that of the first file that fails.")
					PAGE_V("CC", "the compiler of --native, instead of cc, which runs under ccache where that is there")
						PAGE_E("0", "success") PAGE_E("1", "out of memory, or the compiler failed")
							PAGE_E("2", "usage, or a file that cannot be read or written") PAGE_E("3", "source or JSON refused")
								PAGE_E("5", "a backend of --target cannot run a kernel, with --strict")
									PAGE_E("8", "no compiler for --native")
										PAGE_SHOW("ptowsp-pack softmax.pto -o mine.pkg.zst", "Compile one source.")};
#undef X
#undef G

const struct page page_pack = {"ptowsp-pack", "make packages of sources or of the JSON form", "*.pto", rows, sizeof(rows) / sizeof(*rows), 0, 0};
