/* SPDX-License-Identifier: MIT
 * test_rt_renamed.c - which temp tensors have versions, and what that is said to depend on. */
#include "tests/rt/builder/temp_builder.h"

/* Not renamed, and why. */
static void ordinary_check(struct builder *b, const char *reason)
{
	struct outcome *o = builder_run(b, &(struct outcome_how){.flags = PTOWSP_RUN_NO_KERNELS});

	CHECK_INT(o->status, PTOWSP_OK);
	CHECK_CONTAINS(o->log, "temp tensor z is not renamed but an ordinary one: ");
	CHECK_CONTAINS(o->log, reason);
	CHECK_UINT(outcome_resource(o, "heap")->high_water, 0);
	outcome_done(b, o);
}

TEST(keys_that_may_overlap_are_not_renamed)
{
	struct builder *b = temp_builder();

	builder_task(b, 0, 1, "w", temp_tile(b, 0, 0));
	builder_task(b, 0, 1, "w", temp_tile(b, 1, 0));
	ordinary_check(b, "may overlap in part");
	b = temp_builder();
	builder_task(b, 0, 1, "w", temp_tile(b, 0, 0));
	builder_task(b, 0, 1, "w", builder_region(b, 0, builder_const(b, 4), builder_const(b, 0), 1, 4));
	ordinary_check(b, "differ in shape");
	b = temp_builder();
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 3);
	builder_task(b, 0, 1, "w", builder_region(b, 0, builder_expr(b, PTOWSP_EXPR_LOOP, 0, 0, 0), builder_const(b, 0), 2, 4));
	builder_end(b);
	ordinary_check(b, "may overlap in part");
}

TEST(what_others_look_into_is_not_renamed)
{
	struct builder *b = temp_builder();

	builder_kernel_flags(b, 0, BUILDER_NO_FOOTPRINT);
	builder_task(b, 0, 1, "w", builder_window(b, 0, builder_const(b, 0), builder_const(b, 0), 8));
	ordinary_check(b, "flat window");
	b = temp_builder();
	builder_task(b, 0, 1, "w", temp_tile(b, 0, 0));
	builder_slot_load(b, builder_slot(b, "s", PTOWSP_SLOT_SLOT, 0), builder_region(b, 0, builder_const(b, 0), builder_const(b, 0), 1, 1));
	ordinary_check(b, "a slot is loaded from it");
	b = temp_builder();
	builder_task(b, 1, 1, "wb", temp_tile(b, 0, 0), temp_tile(b, 0, 0));
	ordinary_check(b, "bound without saying");
}

/* Steps of 2 in a loop, of 3 by a factor, of 4 behind an offset or in a loop: all no smaller than the tile. */
TEST(steps_of_loops_and_factors_prove_it)
{
	static const struct {
		int64_t low, high, step, factor, offset, rows;
	} cases[] = {{0, 8, 2, 1, 0, 2}, {1, 7, 2, 1, 0, 2}, {0, 2, 1, 3, 1, 3}, {0, 2, 1, 4, 1, 3}, {0, 8, 4, 1, 2, 2}};

	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		struct builder *b = temp_builder();
		uint32_t row;
		struct outcome *o;

		builder_loop(
			b, PTOWSP_OP_PARALLEL_FOR,
			builder_axis(b, "i", builder_const(b, cases[k].low), builder_const(b, cases[k].high), builder_const(b, cases[k].step), PTOWSP_NONE));
		row = builder_expr(b, PTOWSP_EXPR_MUL, builder_expr(b, PTOWSP_EXPR_LOOP, 0, 0, 0), builder_const(b, cases[k].factor), 0);
		row = builder_expr(b, PTOWSP_EXPR_ADD, row, builder_const(b, cases[k].offset), 0);
		builder_task(b, 0, 1, "w", builder_region(b, 0, row, builder_const(b, 0), (uint32_t)cases[k].rows, 4));
		builder_end(b);
		o = builder_run(b, NULL);
		CHECK_STR(o->error.text, "");
		CHECK_STR(o->log, "");
		CHECK(outcome_resource(o, "heap")->high_water >= 64);
		outcome_done(b, o);
	}
}

/* 3 * i wraps: rows 0 and 1 are no multiple of 3 apart, and the regions of 3 rows would overlap. */
TEST(an_index_that_wraps_off_its_lattice_is_a_run_error)
{
	struct builder *b = temp_builder();
	uint32_t slot = builder_slot(b, "s", PTOWSP_SLOT_SYMBOL, INT64_C(6148914691236517206)), row; /* 3 * it = 2^64 + 2 */

	row = builder_expr(b, PTOWSP_EXPR_MUL, builder_expr(b, PTOWSP_EXPR_VALUE, slot, 0, 0), builder_const(b, 3), 0);
	builder_task(b, 0, 1, "w", builder_region(b, 0, builder_const(b, 0), builder_const(b, 0), 3, 4));
	builder_task(b, 0, 1, "w", builder_region(b, 0, row, builder_const(b, 0), 3, 4));
	check_refused(b, PTOWSP_RUN_FAILED, "went beyond 64 bits");
}

static struct outcome *strict_run(bool stays)
{
	struct builder *b = temp_builder();
	struct outcome *o;

	builder_schedule(b, PTOWSP_DIRECTIVE_HAZARDS, PTOWSP_HAZARDS_RAW, "");
	for (int i = 0; i < 2; i++) {
		builder_task(b, 0, 1, "w", temp_tile(b, 0, 0));
		builder_task(b, 0, 1, "r", temp_tile(b, 0, 0));
	}
	if (stays)
		builder_task(b, 0, 1, "m", temp_tile(b, 0, 0));
	o = builder_run(b, &(struct outcome_how){.flags = PTOWSP_RUN_STRICT | PTOWSP_RUN_NO_KERNELS});
	builder_destroy(b);
	return o;
}

TEST(strict_finds_races_inside_a_version_only)
{
	struct outcome *o = strict_run(false);

	CHECK_INT(o->status, PTOWSP_OK);
	outcome_destroy(o);
	o = strict_run(true);
	CHECK_INT(o->status, PTOWSP_UNSUPPORTED);
	CHECK_CONTAINS(o->error.text, "race: task 3 (k) and task 4 (k)");
	outcome_destroy(o);
}
