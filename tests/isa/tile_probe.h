/* SPDX-License-Identifier: MIT
 * tile_probe.h - one tile program at a time, run on two tensors of 4096 floats: what the suites of the interpreter share. */
#ifndef PTOWSP_TESTS_TILE_PROBE_H
#define PTOWSP_TESTS_TILE_PROBE_H

#include "isa/state.h"
#include "tests/check.h"
#include "tests/isa/tile_run.h"
#include "tests/isa/tile_text.h"

static struct tile_builder b; /* the program of the test that runs */
static struct tile_task task;
static struct isa_program *program __attribute__((unused)); /* of tests that look at it */
static float memory[2][4096];

/* Starts a program with memrefs %in and %out (0 and 1), f32, both 4096 elements. */
static inline void begin(void)
{
	tile_begin(&b, "probe");
	tile_param(&b, "in", PTOWSP_F32);
	tile_param(&b, "out", PTOWSP_F32);
	tile_task_begin(&task);
	for (unsigned i = 0; i < 2; i++)
		tile_window(&task, i, memory[i], PTOWSP_F32, 4096);
	for (unsigned i = 0; i < 4096; i++) {
		memory[0][i] = (float)i;
		memory[1][i] = -1.0f;
	}
}

/* The program to be looked at, in `program`; false after a failed check where there is none, or one that cannot run. */
static inline bool probe_create(void)
{
	const ptowsp_status status = tile_create(&b, &program, &task.error);

	if (status)
		CHECK_FAIL("%s", task.error.text);
	else if (isa_program_unusable(program))
		CHECK_FAIL("%s", isa_program_unusable(program));
	tile_finish(&b);
	return !status;
}

/* Starts a program, as begin() does, that is a text. */
static inline void begin_text(const char *text)
{
	begin();
	tile_text(&b, text);
}

static inline ptowsp_status run(void)
{
	return tile_run_built(&task, &b);
}

static inline void run_fails(ptowsp_status want, const char *sentence)
{
	task.task.number = 42;
	task.task.kernel = 7;
	CHECK_INT(run(), want);
	CHECK_STR(task.error.text, sentence);
	CHECK_INT(task.error.code, want);
	CHECK_UINT(task.error.domain, PTOWSP_DOMAIN_KERNEL);
	CHECK_UINT(task.error.where[0], 42);
	CHECK_UINT(task.error.where[1], 7);
}

/* Writes a scalar to %out[at] as f32. */
static inline void put(unsigned scalar, unsigned at)
{
	const unsigned f = tile_local(&b, "f", PTOWSP_F32, 0);

	tile_op(&b, PTOWSP_PTO_MOV, f, scalar);
	tile_op(&b, PTOWSP_PTO_STORE, f, 1, tile_int(&b, at));
}

/* tload %in[r, c], tstore %out[0, 0] of an 8x8 tile */
static inline void tile_move(int64_t r, int64_t c)
{
	unsigned x;

	begin();
	x = tile_tile(&b, "x", 8, 8, PTOWSP_F32);
	tile_op(&b, PTOWSP_PTO_TLOAD, x, 0, tile_int(&b, r), tile_int(&b, c));
	tile_op(&b, PTOWSP_PTO_TSTORE, x, 1, tile_int(&b, 0), tile_int(&b, 0));
}

#endif
