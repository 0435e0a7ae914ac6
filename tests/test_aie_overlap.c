/* SPDX-License-Identifier: MIT
 * test_aie_overlap.c - windows that have elements in common, on the arrays: what is read is what was written last, whoever wrote it. */
#include "contract/cli.h"

#include <string.h>

/* ---- programs ----------------------------------------------------------------------------------------------------------- */

/* Both tensors are what cpu_sim has. */
static void is_right(const char *text, const char *ways)
{
	static const char run[] = "$B/ptowsp-run --quiet --strict --fill x=random:1 --fill w=random:2 --fill y=random:3";

	REQUIRE(check_write(check_fmt("%s/p.pto", check_dir()), text, strlen(text)));
	REQUIRE_INT(cli(check_fmt("$B/ptowsp-pack --strict p.pto -o p.pkg.zst && %s --plugin=cpu_sim --out w=w.npy --out y=y.npy p.pkg.zst", run)), 0);
	if (cli(check_fmt("%s --plugin=aie %s --out w=aie.w.npy --out y=aie.y.npy p.pkg.zst && cmp w.npy aie.w.npy && cmp y.npy aie.y.npy", run, ways)))
		CHECK_FAIL("%s%s\n%s", cli_out, cli_err, text);
}

/* ---- windows of different tasks ----------------------------------------------------------------------------------------- */

static const char plus[] = "tensor %%x : f32[16, 16] in\ntensor %%w : f32[16, 16] inout\ntensor %%y : f32[16, 16] inout\n"
			   "func @plus(%%a: !pto.memref<gm,...,f32>, %%b: !pto.memref<gm,...,f32>) {\n  %%t = alloc_tile : !pto.tile<8x16xf32>\n"
			   "  %%t = tload %%a[0, 0]\n  %%t = tadds %%t, %%1.0\n  tstore %%t, %%b[0, 0]\n  return\n}\nworkload @main {\n%s}\n";

/* Rows 4 to 11 are read, rows 0 to 7 written, rows 4 to 11 read again: the load of x for the second task is none of y for the third. */
static void what_was_read_before_is_read_again_behind_a_write_that_meets_it(void)
{
	static const char again[] = "  call @plus(%%a -> %%y[4, 0 : 8, 16], %%b -> %%w[0, 0 : 8, 16])\n  call @plus(%%a -> %%x[0, 0 : 8, 16], %%b -> %%y[0, 0 : 8, 16])\n"
				    "  call @plus(%%a -> %%y[4, 0 : 8, 16], %%b -> %s)\n";

	cli_begin();
	is_right(check_fmt(plus, check_fmt(again, "%w[4, 0 : 8, 16]")), "");
	is_right(check_fmt(plus, check_fmt(again, "%w[4, 0 : 8, 16]")), "--device=npu2 --opt opt_level=0");
	is_right(check_fmt(plus, check_fmt(again, "%y[4, 0 : 8, 16]")), "");
}

void suite_aie_overlap(CU_pSuite s)
{
	cli_suite("aie_overlap");
	TEST(s, what_was_read_before_is_read_again_behind_a_write_that_meets_it);
}
