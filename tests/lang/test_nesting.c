/* SPDX-License-Identifier: MIT
 * test_nesting.c - the depth to which loops, branches and scopes nest: what is 64 deep is packed, run, printed and listed, what is 65 deep
 * is refused. That the builder says it, too, is tested with all of tests/printed in test_program.c. */
#include "tests/contract/cli.h"

#include "ptowsp/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOURCES "$R/tests/printed/"

/* A source that nests 64 deep, what a run leaves in the elements of y, and a block more beside the innermost line of the source. */
static const struct {
	const char *name;
	int rows; /* of y, 8 elements each */
	float value;
	const char *innermost, *block, *says;
} forms[] = {
	{"nested_loops", 4, 1, "call @more", "scope {\\n}", "loops and branches are nested deeper than 64"},
	{"nested_bodies", 1, 1, "call @more", "sequential {\\n}", "loops and branches are nested deeper than 64 when calls are expanded"},
	{"nested_tiles", 1, 4, "%t = tadds", "IF %go:u1\\nENDIF", "loops and branches are nested deeper than 64"},
	{"nested_tiles", 1, 4, "CALL @deep", "FOR %j:idx, 0:idx, 1:idx, 1:idx\\nENDFOR", "loops and branches are nested deeper than 64"},
	{"nested_graph", 1, 1, "TG_KERNEL", "CF_IF(n)\\nCF_ENDIF", "blocks nest deeper than 64"},
};

static void y_write(const char *name, int rows, float value)
{
	float data[4 * 8];

	for (int i = 0; i < rows * 8; i++)
		data[i] = value;
	cli_npy(name, "<f4", check_fmt("%d, 8", rows), data, (size_t)rows * 8 * sizeof(*data));
}

TEST(what_is_64_deep_is_packed_and_run)
{
	cli_begin();
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		y_write("zero.npy", forms[i].rows, 0);
		y_write("want.npy", forms[i].rows, forms[i].value);
		CHECK_INT(cli(check_fmt("$B/ptowsp-pack --strict " SOURCES "%s.pto -o p.pkg.zst", forms[i].name)), 0);
		CHECK_STR(cli_err, "");
		for (int threads = 1; threads <= 3; threads++)
			if (cli(check_fmt("$B/ptowsp-run -q --threads %d --in y=zero.npy --expect y=want.npy p.pkg.zst", threads)))
				CHECK_FAIL("%s with %d threads: %s%s", forms[i].name, threads, cli_out, cli_err);
		CHECK_INT(cli("$B/ptowsp-run -q --in y=zero.npy --graph g.json --trace t.json p.pkg.zst && $B/ptowsp-run --explain p.pkg.zst"), 0);
	}
}

TEST(what_is_64_deep_is_printed_and_listed)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		CHECK_INT(cli(check_fmt("$B/ptowsp-pack " SOURCES "%s.pto -o p.pkg.zst && $B/ptowsp-inspect --pto p.pkg.zst >again.pto && "
					"$B/ptowsp-pack again.pto --name %s -o again.pkg.zst && cmp p.pkg.zst again.pkg.zst",
					forms[i].name, forms[i].name)),
			  0);
		CHECK_STR(cli_err, "");
		CHECK_INT(cli("$B/ptowsp-inspect --c p.pkg.zst | grep -E 'build_(section|stated|string)'"), 1);
		CHECK_INT(
			cli("$B/ptowsp-inspect --json p.pkg.zst >p.json && $B/ptowsp-pack --from-json p.json -o again.pkg.zst && cmp p.pkg.zst again.pkg.zst"),
			0);
		CHECK_INT(cli("$B/ptowsp-inspect --disasm p.pkg.zst | grep -c '?'"), 1);
	}
}

TEST(what_is_65_deep_is_refused_with_its_place)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		CLI_ERR(3,
			check_fmt("sed 's/^%s.*/&\\n%s/' " SOURCES "%s.pto >more.pto && $B/ptowsp-pack more.pto -o p.pkg.zst", forms[i].innermost,
				  forms[i].block, forms[i].name),
			forms[i].says, "more.pto:");
	}
}

/* One loop of PTO-AS in another. */
static int as_pack(unsigned depth)
{
	FILE *file = fopen(check_fmt("%s/as.pto", getenv("T")), "w");

	REQUIRE(file != NULL);
	fputs("module {\nfunc.func @k(%arg0: !pto.ptr<f32>) {\n%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
	      "%c8 = arith.constant 8 : index\n%v = pto.make_tensor_view %arg0, shape=[%c1, %c8] strides=[%c8, %c1] : !pto.tensor_view<2xf32>\n"
	      "%t = pto.alloc_tile : !pto.tile_buf<loc=vec, dtype=f32, rows=1, cols=8, v_row=1, v_col=8, blayout=row_major, slayout=none_box, fractal=512, "
	      "pad=0>\n",
	      file);
	for (unsigned i = 0; i < depth; i++)
		fprintf(file, "scf.for %%i%u = %%c0 to %%c1 step %%c1 {\n", i);
	for (unsigned i = 0; i < depth; i++)
		fputs("}\n", file);
	fputs("func.return\n}\n}\n", file);
	fclose(file);
	return cli("$B/ptowsp-pack as.pto -o as.pkg.zst");
}

TEST(loops_of_pto_as_nest_as_deep)
{
	cli_begin();
	CHECK_INT(as_pack(PTOWSP_NESTING_LIMIT), 0);
	CLI_OUT(0, "$B/ptowsp-inspect --verify as.pkg.zst && $B/ptowsp-inspect --pto as.pkg.zst | grep -c '^ *FOR'", "64\n");
	CHECK_INT(as_pack(PTOWSP_NESTING_LIMIT + 1), 3);
	CHECK_CONTAINS(cli_err, "loops and branches are nested deeper than 64");
}
