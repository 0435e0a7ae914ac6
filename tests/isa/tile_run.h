/* SPDX-License-Identifier: MIT */
/* tile_run.h - what a builder holds, made into a program and run once. */
#ifndef PTOWSP_TESTS_TILE_RUN_H
#define PTOWSP_TESTS_TILE_RUN_H

#include "tests/check.h"
#include "tests/isa/tile_builder.h"

/* Fails the test where there is no program, or one that cannot run. The builder's tables are gone afterwards. */
static inline ptowsp_status tile_run_built(struct tile_task *task, struct tile_builder *b)
{
	struct isa_program *program = NULL;
	ptowsp_status status = tile_create(b, &program, &task->error);

	if (status)
		CHECK_FAIL("%s", task->error.text);
	else if (isa_program_unusable(program))
		CHECK_FAIL("%s", isa_program_unusable(program));
	if (!status)
		status = tile_run(task, program);
	isa_program_destroy(program);
	tile_finish(b);
	return status;
}

#endif
