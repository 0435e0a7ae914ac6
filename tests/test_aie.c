/* SPDX-License-Identifier: MIT
 * test_aie.c - the aie plugin: packages become designs, and what is computed is what the emitted text says, run by the simulator. */
#include "contract/cli.h"
#include "example_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Those that fit into the memories of cores and are known before they run. */
static const char *const fitting[] = {"vector_add", "softmax", "fused_softmax", "dynamic_softmax", "matmul", "alternating_matmul_add", "gemm_1", "gemm_16", "gemm_32",
				      "paged_attention", "fan_in", "passthrough", "two_stage", "tiles", "csp"};

static void examples_compute_what_they_should(void)
{
	cli_begin();
	example_rows_read();
	for (size_t i = 0; i < sizeof(fitting) / sizeof(*fitting); i++) {
		const struct example_row *row = example_row_of(fitting[i]);

		REQUIRE(row);
		example_run(row, check_fmt("$P/%s.pkg.zst", fitting[i]), "--plugin=aie", 1);
		example_run(row, check_fmt("$P/%s.pkg.zst", fitting[i]), "--plugin=aie --device=npu2", 1);
	}
}

/* Whatever the number of cores and the depth of fifos. */
static void results_do_not_depend_on_the_array(void)
{
	static const char *const ways[] = {"cores=1", "cores=2", "cores=5", "depth=1", "depth=4", "buffering=0", "seed=77"};

	cli_begin();
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		example_run(example_row_of("paged_attention"), "$P/paged_attention.pkg.zst", check_fmt("--plugin=aie --opt %s", ways[i]), 1);
		example_run(example_row_of("dynamic_softmax"), "$P/dynamic_softmax.pkg.zst", check_fmt("--plugin=aie --opt %s", ways[i]), 1);
	}
}

static char *design_of(const char *name, const char *how)
{
	if (cli(check_fmt("$B/ptowsp-run --plugin=aie --quiet %s --emit $T/emitted $P/%s.pkg.zst", how, name)))
		return NULL;
	return cli("cat $T/emitted/design.mlir") ? NULL : strdup(cli_out);
}

static void the_same_package_gives_the_same_text(void)
{
	char *first, *second;

	cli_begin();
	for (size_t i = 0; i < sizeof(fitting) / sizeof(*fitting); i++) {
		first = design_of(fitting[i], "");
		second = design_of(fitting[i], "");
		if (!first || !second || strcmp(first, second))
			CHECK_FAIL("%s: two texts for one package, or none", fitting[i]);
		free(first);
		free(second);
	}
}

static void channels_are_streams_of_the_text(void)
{
	char *text;

	cli_begin();
	text = design_of("csp", "");
	REQUIRE(text);
	CHECK_CONTAINS(text, "sym_name = \"loaded_");
	CHECK_CONTAINS(text, "sym_name = \"computed_");
	CHECK_CONTAINS(text, "func.func\"() ({}) {function_type = (memref<8x32xf32>, memref<32x32xf32>, memref<8x32xf32>) -> (), sym_name = \"layer\"");
	free(text);
	text = design_of("two_stage", ""); /* what the stages share goes from core to core, and the token beside it */
	REQUIRE(text);
	CHECK_CONTAINS(text, "sym_name = \"ready_");
	CHECK_CONTAINS(text, "sym_name = \"pass_");
	free(text);
}

/* What an array has no room or no way for is refused with what it needs, nothing runs, and the way out is said. */
static void what_does_not_fit_is_refused(void)
{
	static const struct {
		const char *run, *said;
	} rows[] = {
		{"$P/matmul_diamond.pkg.zst", "bytes of memory, and a core tile has 65536"},
		{"$P/predicated.pkg.zst", "this engine is given all tasks before the first one runs"},
		{"--device cpu_sim,npu1 $P/two_devices.pkg.zst", ""},
		{"--no-kernels $P/softmax.pkg.zst", "--opt clock=reference"},
		{"--opt cores=1 $P/csp.pkg.zst", "process instances call kernels"},
	};

	cli_begin();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int rc = cli(check_fmt("$B/ptowsp-run --plugin=aie --quiet %s", rows[i].run));

		if (rc != 5 && rc != 8)
			CHECK_FAIL("%s: exit %d, %s", rows[i].run, rc, cli_err);
		CHECK_CONTAINS(cli_err, rows[i].said);
		cli_check_sentence();
	}
	CHECK_INT(cli("$B/ptowsp-run --plugin=aie --quiet --opt clock=reference $P/predicated.pkg.zst"), 0);
}

static void no_row_is_false(void)
{
	cli_begin();
	CHECK_INT(cli("$B/ptowsp-run --plugin=aie --capabilities --verify"), 0);
	CHECK_CONTAINS(cli_out, " 0 false");
}

void suite_aie(CU_pSuite s)
{
	cli_suite("aie");
	TEST(s, examples_compute_what_they_should);
	TEST(s, results_do_not_depend_on_the_array);
	TEST(s, the_same_package_gives_the_same_text);
	TEST(s, channels_are_streams_of_the_text);
	TEST(s, what_does_not_fit_is_refused);
	TEST(s, no_row_is_false);
}
