/* SPDX-License-Identifier: MIT */
/* Out tensors that are read before they are written, on random tasks, beside a second count that keeps a byte per element and follows addresses instead of places. */
#include "ascend/plan/plan_direction.h"
#include "ptowsp/ids.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

enum { TENSORS = 3, ELEMENTS = 120, TASKS = 12, ARGS = 3, COPY = 7 };

static float data[TENSORS][ELEMENTS];
static struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};

static uint32_t next(uint64_t *state, uint32_t below)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((*state >> 33) % below);
}

static const char *name(const void *context, uint32_t tensor)
{
	(void)context;
	return tensor == 0 ? "a" : tensor == 1 ? "b" : "c";
}

/* A part of a row-major matrix, sometimes of every other column, sometimes nothing. */
static struct ptowsp_tensor_arg arg_make(uint64_t *state)
{
	uint32_t tensor = next(state, TENSORS), columns = 1 + next(state, 5), rows = next(state, 4), stride = 12, apart = 1 + next(state, 2);
	uint32_t first = next(state, ELEMENTS - 3 * stride - 10);

	return (struct ptowsp_tensor_arg){.data = &data[tensor][first],
					  .rows = rows,
					  .columns = columns,
					  .row_stride = stride,
					  .column_stride = apart,
					  .dtype = PTOWSP_F32,
					  .access = (uint16_t)(1 + next(state, 3)),
					  .tensor = tensor};
}

struct walk {
	struct base_walk walk;
	struct base_walk_task tasks[TASKS];
	struct ptowsp_tensor_arg args[TASKS * ARGS];
};

static void walk_make(struct walk *w, uint64_t *state)
{
	memset(w, 0, sizeof(*w));
	w->walk.tasks = w->tasks;
	w->walk.tensors = w->args;
	for (uint32_t t = 0; t < TASKS; t++) {
		w->tasks[t].tensors = w->walk.tensor_count;
		w->tasks[t].tensor_count = next(state, ARGS + 1);
		w->tasks[t].kernel = next(state, 5) ? t % COPY : COPY;
		for (uint32_t i = 0; i < w->tasks[t].tensor_count; i++)
			w->args[w->walk.tensor_count++] = arg_make(state);
	}
	w->walk.task_count = TASKS;
}

/* What the sentence has to say; "" where nothing is wrong. */
static const char *naive(const struct walk *w, const uint8_t *outs)
{
	static char written[TENSORS][ELEMENTS];

	memset(written, 0, sizeof(written));
	for (uint32_t t = 0; t < TASKS; t++) {
		const struct ptowsp_tensor_arg *args = &w->args[w->tasks[t].tensors];

		for (uint32_t i = 0; i < w->tasks[t].tensor_count; i++) {
			uint64_t fresh = 0;

			if (!outs[args[i].tensor] || !(args[i].access & PTOWSP_READ) || w->tasks[t].kernel == COPY)
				continue;
			for (const float *row = args[i].data, *end = row + args[i].rows * args[i].row_stride; row < end; row += args[i].row_stride)
				for (uint64_t c = 0; c < args[i].columns; c++)
					fresh += !written[args[i].tensor][row + c * args[i].column_stride - data[args[i].tensor]];
			if (fresh)
				return check_fmt("tensor %s is out, but task %u reads %llu of the %llu elements of its tensor argument %u before any task "
						 "writes them; declare it inout",
						 name(NULL, args[i].tensor), t, (unsigned long long)fresh, (unsigned long long)(args[i].rows * args[i].columns),
						 i);
		}
		for (uint32_t i = 0; i < w->tasks[t].tensor_count; i++)
			for (uint64_t r = 0; args[i].access & PTOWSP_WRITE && r < args[i].rows; r++)
				for (uint64_t c = 0; c < args[i].columns; c++)
					written[args[i].tensor]
					       [(const float *)args[i].data + r * args[i].row_stride + c * args[i].column_stride - data[args[i].tensor]] = 1;
	}
	return "";
}

static void random_tasks_are_told_alike(void)
{
	uint32_t wrong = 0, right = 0;

	for (uint64_t seed = 1; seed <= 3000; seed++) {
		struct ptowsp_binding bindings[TENSORS];
		const uint8_t outs[TENSORS] = {seed & 1, seed >> 1 & 1, seed >> 2 & 1};
		const struct ascend_direction_args args = {TENSORS, outs, bindings, COPY, name, NULL};
		uint64_t state = seed;
		struct walk w;
		const char *said;

		for (uint32_t t = 0; t < TENSORS; t++)
			bindings[t] = (struct ptowsp_binding){.data = data[t], .elements = ELEMENTS, .tensor = t, .dtype = PTOWSP_F32};
		walk_make(&w, &state);
		said = naive(&w, outs);
		*error.text = 0;
		if (ascend_direction_check(&w.walk, &args, &error) != (*said ? PTOWSP_UNSUPPORTED : PTOWSP_OK) || strcmp(error.text, said))
			CHECK_FAIL("seed %llu: \"%s\", not \"%s\"", (unsigned long long)seed, error.text, said);
		wrong += *said != 0;
		right += *said == 0;
	}
	CHECK(wrong > 500 && right > 500);
}

void suite_plan_direction(CU_pSuite s)
{
	TEST(s, random_tasks_are_told_alike);
}
