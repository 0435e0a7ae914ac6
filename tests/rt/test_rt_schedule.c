/* SPDX-License-Identifier: MIT
 * test_rt_schedule.c - rows of a schedule that are not obeyed: said, refused, or wrong; capability rows. */
#include "tests/check_outcome.h"

#include <string.h>

TEST(what_is_not_enforced_is_said_and_left_alone)
{
	struct builder *b = builder_grid();
	struct outcome *o;

	ROW(TIMING, IMMEDIATE, "");
	ROW(LAYOUT, SHARD, "w", "x");
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_OK);
	CHECK_CONTAINS(o->log, "schedule directive timing immediate is recorded, not enforced");
	CHECK_CONTAINS(o->log, "schedule directive layout (shard) is ignored, not enforced");
	outcome_done(b, o);
}

TEST(directives_that_must_be_enforced_are_refused_otherwise)
{
	struct builder *b = builder_grid();
	struct ptowsp_directive_record *rows;
	const struct ptowsp_section *sections;
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct rt_program *program;
	uint32_t count;

	ROW(TIMING, IMMEDIATE, "");
	sections = builder_sections(b, &count);
	for (uint32_t i = 0; i < count; i++)
		if (sections[i].type == PTOWSP_SECTION_SCHD) {
			rows = (struct ptowsp_directive_record *)sections[i].data;
			rows[0].flags = PTOWSP_DIRECTIVE_MUST;
		}
	CHECK_INT(builder_program(b, &program, &error), PTOWSP_UNSUPPORTED);
	CHECK_CONTAINS(error.text, "timing immediate cannot be enforced here");
	builder_destroy(b);
}

/* Without a capability row nothing is obeyed. */
TEST(a_directive_that_the_backend_does_not_claim_is_not_obeyed)
{
	struct builder *b = builder_grid();
	struct rt_program_args args = {.section_stride = sizeof(struct ptowsp_section), .kernels = builder_kernels(b)};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct rt_program *program;
	struct outcome *o;

	ROW(DISPATCH, ROUND_ROBIN, "n", INT64_C(4));
	args.sections = builder_sections(b, &args.section_count);
	REQUIRE_INT(rt_program_create(&program, &args, &error), PTOWSP_OK);
	o = builder_run_program(b, program, NULL);
	CHECK_UINT(o->stats.executors, 1);
	outcome_destroy(o);
	rt_program_destroy(program);
	builder_destroy(b);
}

TEST(wrong_arguments_are_refused_by_name)
{
	static const struct {
		uint16_t directive, policy;
		const char *args, *why;
		int64_t n;
	} rows[] = {
		{PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_ROUND_ROBIN, "n", "dispatch: 0 is outside 1..65536", 0},
		{PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_ROUND_ROBIN, "", "takes 1 to 1 arguments, not 0", 0},
		{PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_HASH, "nn", "argument 1 must be an expression", 3},
		{PTOWSP_DIRECTIVE_PIPELINE_DEPTH, PTOWSP_PIPELINE_DEPTH_DEPTH, "n", "pipeline_depth: 0 is outside", 0},
		{PTOWSP_DIRECTIVE_STREAMS, PTOWSP_STREAMS_COUNT, "n", "streams: 0 is outside", 0},
		{PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, "n", "task_window: -1 is outside", -1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct builder *b = builder_grid();

		builder_schedule(b, rows[i].directive, rows[i].policy, rows[i].args, rows[i].n, rows[i].n);
		check_refused(b, PTOWSP_BAD_PACKAGE, rows[i].why);
	}
}

TEST(directives_that_need_or_exclude_each_other_are_refused)
{
	struct builder *b = builder_grid();

	ROW(STREAM_BY, EXPRESSION, "e", builder_const(b, 0));
	check_refused(b, PTOWSP_BAD_PACKAGE, "stream_by needs streams");
	b = builder_grid();
	ROW(DISPATCH, ROUND_ROBIN, "n", INT64_C(4));
	ROW(SPATIAL_MAP, GRID, "nn", INT64_C(2), INT64_C(2));
	check_refused(b, PTOWSP_BAD_PACKAGE, "exclude each other");
}

TEST(a_promise_is_said_once_and_makes_determinism_unknown)
{
	struct builder *b = builder_grid();
	struct outcome *o;
	const char *at;

	ROW(HAZARDS, RAW, "");
	o = builder_run(b, NULL);
	CHECK_UINT(o->stats.deterministic, PTOWSP_DETERMINISTIC_UNKNOWN);
	at = strstr(o->log, "promise of its author");
	REQUIRE(at);
	CHECK(!strstr(at + 1, "promise"));
	outcome_destroy(o);
	o = builder_run(b, &(struct outcome_how){.flags = PTOWSP_RUN_STRICT});
	CHECK_INT(o->status, PTOWSP_OK);
	CHECK_UINT(o->stats.deterministic, PTOWSP_DETERMINISTIC_YES);
	outcome_done(b, o);
}

TEST(no_two_capability_rows_say_the_same)
{
	struct ptowsp_cap rows[256];
	uint32_t count = rt_capabilities(rows, 256);

	REQUIRE(count > 50 && count <= 256);
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < i; k++)
			CHECK(rows[i].feature != rows[k].feature);
	CHECK_UINT(rt_capabilities(rows, 3), count);
}
