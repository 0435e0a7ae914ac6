/* SPDX-License-Identifier: MIT */
#include "tests/taskgraph/fused_softmax.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = FUSED_SOFTMAX_ROWS, COLUMNS = FUSED_SOFTMAX_COLUMNS };

/* ---- kernels ------------------------------------------------------------------------------------------------------------ */

static float *at(const struct ptowsp_task *task, uint32_t argument, uint64_t row)
{
	const struct ptowsp_tensor_arg *tensor = &task->tensors[argument];

	return (float *)tensor->data + row * tensor->row_stride;
}

static ptowsp_status rowmax(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	(void)out;
	for (uint64_t r = 0; r < task->tensors[0].rows; r++) {
		const float *x = at(task, 0, r);
		float most = x[0];

		for (uint64_t c = 1; c < task->tensors[0].columns; c++)
			most = x[c] > most ? x[c] : most;
		*at(task, 1, r) = most;
	}
	return PTOWSP_OK;
}

static ptowsp_status rowexpandsub(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	(void)out;
	for (uint64_t r = 0; r < task->tensors[0].rows; r++)
		for (uint64_t c = 0; c < task->tensors[0].columns; c++)
			at(task, 2, r)[c] = at(task, 0, r)[c] - *at(task, 1, r);
	return PTOWSP_OK;
}

static ptowsp_status elem_exp(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	(void)out;
	for (uint64_t r = 0; r < task->tensors[0].rows; r++)
		for (uint64_t c = 0; c < task->tensors[0].columns; c++)
			at(task, 1, r)[c] = expf(at(task, 0, r)[c]);
	return PTOWSP_OK;
}

static ptowsp_status rowsum(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	(void)out;
	for (uint64_t r = 0; r < task->tensors[0].rows; r++) {
		float sum = 0;

		for (uint64_t c = 0; c < task->tensors[0].columns; c++)
			sum += at(task, 0, r)[c];
		*at(task, 1, r) = sum;
	}
	return PTOWSP_OK;
}

static ptowsp_status rowexpanddiv(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	(void)out;
	for (uint64_t r = 0; r < task->tensors[0].rows; r++)
		for (uint64_t c = 0; c < task->tensors[0].columns; c++)
			at(task, 2, r)[c] = at(task, 0, r)[c] / *at(task, 1, r);
	return PTOWSP_OK;
}

/* ---- the program -------------------------------------------------------------------------------------------------------- */

/* A tensor, and how many columns of it a task touches. */
struct part {
	uint32_t tensor, columns;
};

/* A task that writes one part and reads the others. What a call returns is kept by the tasks; the run says it. */
static void step_submit(struct fused_softmax *f, unsigned kernel, uint64_t row, struct part to, unsigned count, const struct part *from)
{
	uint64_t t;

	rt_task_alloc(f->tasks, f->kernels[kernel], &t);
	for (unsigned i = 0; i < count; i++)
		rt_task_add_input(f->tasks, t, from[i].tensor, row, 0, ROWS, from[i].columns);
	rt_task_add_output(f->tasks, t, to.tensor, row, 0, ROWS, to.columns);
	rt_task_submit(f->tasks, t);
}

static void tile_submit(struct fused_softmax *f, uint64_t row)
{
	const struct part x = {f->x, COLUMNS}, most = {f->most, 1}, shifted = {f->shifted, COLUMNS}, raised = {f->raised, COLUMNS}, sum = {f->sum, 1};

	step_submit(f, 0, row, most, 1, (const struct part[]){x});
	step_submit(f, 1, row, shifted, 2, (const struct part[]){x, most});
	step_submit(f, 2, row, raised, 1, (const struct part[]){shifted});
	step_submit(f, 3, row, sum, 1, (const struct part[]){raised});
	step_submit(f, 4, row, (struct part){f->y, COLUMNS}, 2, (const struct part[]){raised, sum});
}

ptowsp_status fused_softmax_orchestrate(struct rt_tasks *tasks, void *context)
{
	struct fused_softmax *f = context;

	(void)tasks;
	for (uint32_t tile = 0; tile < f->tiles; tile++)
		tile_submit(f, (uint64_t)tile * ROWS);
	return PTOWSP_OK;
}

/* ---- memory ------------------------------------------------------------------------------------------------------------- */

static void input_fill(float *input, uint64_t count)
{
	uint64_t state = 4711;

	for (uint64_t i = 0; i < count; i++) {
		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		input[i] = (float)(state >> 40) / 2097152.0f - 4.0f; /* -4 .. 4 */
	}
}

static void names_make(struct fused_softmax *f, uint64_t rows)
{
	static const struct {
		const char *name;
		ptowsp_kernel_fn fn;
	} kernels[FUSED_SOFTMAX_TASKS] = {
		{"rowmax", rowmax}, {"rowexpandsub", rowexpandsub}, {"elem_exp", elem_exp}, {"rowsum", rowsum}, {"rowexpanddiv", rowexpanddiv},
	};
	uint64_t all = rows * COLUMNS;

	for (int k = 0; k < FUSED_SOFTMAX_TASKS; k++)
		f->kernels[k] = rt_tasks_kernel(f->tasks, kernels[k].name, PTOWSP_UNIT_AIV, kernels[k].fn);
	f->x = rt_tasks_tensor(f->tasks, "input", f->input, PTOWSP_F32, rows, COLUMNS);
	f->y = rt_tasks_tensor(f->tasks, "output", f->output, PTOWSP_F32, rows, COLUMNS);
	f->shifted = rt_tasks_tensor(f->tasks, "shifted", f->output + all, PTOWSP_F32, rows, COLUMNS);
	f->raised = rt_tasks_tensor(f->tasks, "raised", f->output + 2 * all, PTOWSP_F32, rows, COLUMNS);
	f->most = rt_tasks_tensor(f->tasks, "most", f->output + 3 * all, PTOWSP_F32, rows, 1);
	f->sum = rt_tasks_tensor(f->tasks, "sum", f->output + 3 * all + rows, PTOWSP_F32, rows, 1);
}

ptowsp_status fused_softmax_init(struct fused_softmax *f, uint32_t tiles, const struct rt_tasks_config *config)
{
	uint64_t rows = (uint64_t)tiles * ROWS, all = rows * COLUMNS;
	ptowsp_status status;

	memset(f, 0, sizeof(*f));
	f->tiles = tiles;
	f->memory = f->input = calloc(4 * all + 2 * rows + 1, sizeof(float));
	status = f->memory ? rt_tasks_create(&f->tasks, config, NULL) : PTOWSP_NO_MEMORY;
	if (status) {
		fused_softmax_finish(f);
		return status;
	}
	f->output = f->input + all;
	input_fill(f->input, all);
	names_make(f, rows);
	return PTOWSP_OK;
}

void fused_softmax_finish(struct fused_softmax *f)
{
	rt_tasks_destroy(f->tasks);
	free(f->memory);
	memset(f, 0, sizeof(*f));
}

/* The same operations in the same order: the same bits. */
uint64_t fused_softmax_wrong(const struct fused_softmax *f)
{
	uint64_t wrong = 0;

	for (uint64_t r = 0; r < (uint64_t)f->tiles * ROWS; r++) {
		const float *x = f->input + r * COLUMNS;
		float most = x[0], sum = 0;

		for (int c = 1; c < COLUMNS; c++)
			most = x[c] > most ? x[c] : most;
		for (int c = 0; c < COLUMNS; c++)
			sum += expf(x[c] - most);
		for (int c = 0; c < COLUMNS; c++)
			wrong += f->output[r * COLUMNS + c] != expf(x[c] - most) / sum;
	}
	return wrong;
}
