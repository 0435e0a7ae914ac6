/* SPDX-License-Identifier: MIT */
/* aie.c - what ptowsp-aie says about itself. */
#include "tools/pages/page.h"

#define G PAGE_G
#define X PAGE_X
static const struct page_row rows[] = {PAGE_U("[options] FILE.mlir", "") PAGE_P(
	"Runs a design for AMD's AI engines that any tool wrote, on a simulator: cores, DMAs, locks, streams and the host's sequence of an aie.device, in the "
	"form that aie-opt "
	"prints or the generic one. Times are those of a model; nothing is measured. A run that stands still says who waits for which lock and for whom.")
#include "tools/aie/flags.def"
					       PAGE_V("PTOWSP_CC", "compiler for kernels in C, with arguments") PAGE_E("0", "every device ran to its end")
						       PAGE_E("1", "out of memory, or a core did what no program may")
							       PAGE_E("2", "usage, a file that cannot be read or written, or a design that breaks a rule of "
									   "the language or of the array") PAGE_E("5", "what no model here knows")
								       PAGE_E("7", "deadlock: who waits is said") PAGE_E(
									       "8", "no compiler for a kernel in C, or one that refuses it")
									       PAGE_E("10", "not over after --max-events or --max-seconds") PAGE_SHOW(
										       "ptowsp-run --quiet --plugin=aie --emit made softmax.pkg.zst && "
										       "ptowsp-aie --no-kernels --stats made/design.mlir",
										       "A design that ptowsp itself made of a package, without its kernels: "
										       "what moves, and who waits for whom.")
										       PAGE_N("Data of arguments come and go by name: ptowsp-aie --kernel "
											      "scale=scale.c --in arg0=a.npy --out arg1=b.npy design.mlir.")};
#undef X
#undef G

const struct page page_aie = {"ptowsp-aie", "run designs for AMD's AI engines on a simulator", "*.mlir", rows, sizeof(rows) / sizeof(*rows), 0, 0};
