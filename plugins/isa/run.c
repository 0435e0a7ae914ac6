/* SPDX-License-Identifier: MIT */
/* run.c - one task: arguments and windows checked, scratch prepared, program run. */
#include "isa/state.h"

#include "registry/common/common_dtype.h"

#include <stdlib.h>

static const struct ptowsp_tensor_arg *window(const struct ptowsp_task *task, uint32_t i)
{
	return (const struct ptowsp_tensor_arg *)(const void *)((const unsigned char *)task->tensors + (size_t)i * task->tensor_stride);
}

static ptowsp_status windows_check(const struct isa_state *status)
{
	const struct isa_program *p = status->program;
	const struct ptowsp_task *task = status->task;

	if (task->tensor_count < p->header.param_count || task->arg_count < p->arg_count)
		return isa_state_fail(status, NULL, "takes %lu tensors and %lu scalars, the task has %lu and %lu", (unsigned long)p->header.param_count,
				      (unsigned long)p->arg_count, (unsigned long)task->tensor_count, (unsigned long)task->arg_count);
	for (uint32_t i = 0; i < p->header.param_count; i++) {
		const struct ptowsp_tensor_arg *w = window(task, i);

		if (w->dtype != p->params[i].dtype)
			return isa_state_fail(status, NULL, "%%%.64s is %s, the task's tensor is %s", p->param_names[i], common_dtype_text(p->params[i].dtype),
					      common_dtype_text(w->dtype));
		if (p->params[i].access & ~w->access)
			return isa_state_fail(status, NULL, "%s %%%.64s, which the task does not allow",
					      p->params[i].access & ~w->access & PTOWSP_WRITE ? "writes" : "reads", p->param_names[i]);
	}
	return PTOWSP_OK;
}

static void scalars_init(const struct isa_program *p, uint64_t *scalars, const uint64_t *args, struct isa_block block)
{
	memcpy(scalars, p->initial, p->header.scalar_count * sizeof(*scalars));
	for (uint32_t i = 0; i < p->arg_count; i++)
		scalars[p->arg_rows[i]] = isa_scalar_narrow(args[i], p->scalars[p->arg_rows[i]].dtype);
	for (uint32_t i = 0; p->of_blocks && i < p->header.scalar_count; i++)
		if (p->scalars[i].kind >= PTOWSP_SCALAR_BLOCK)
			scalars[i] = isa_scalar_narrow(p->scalars[i].kind == PTOWSP_SCALAR_BLOCK ? block.index : block.count, p->scalars[i].dtype);
}

/* Tiles that may be read before they are written start as zeros: a result never depends on the task before. */
static void tiles_init(const struct isa_program *p, unsigned char *scratch)
{
	for (uint32_t i = 0; i < p->zero_count; i++) {
		const struct ptowsp_tile_tile *t = &p->tiles[p->zero_tiles[i]];

		memset(scratch + p->tiles_at + p->plan.at[p->zero_tiles[i]], 0, (size_t)t->rows * t->columns * isa_dtype_bytes(t->dtype));
	}
}

/* Between two questions to the guard. */
enum { JUMPS_SLICE = 1 << 10, STEPS_SLICE = 1 << 16 };

/* The next slice of `left`: false if there is none. Without a guard one slice is all. */
static bool slice_take(struct isa_state *status, const struct isa_guard *guard, uint64_t size)
{
	if (status->left != UINT64_MAX)
		status->left += status->budget; /* of a slice that ended at a pause */
	status->pause = !guard || status->cycles > UINT64_MAX - ISA_WORK_SLICE ? UINT64_MAX : status->cycles + ISA_WORK_SLICE;
	status->budget = guard && status->left > size ? size : status->left;
	if (status->left != UINT64_MAX || !guard)
		status->left -= status->budget;
	return status->budget != 0;
}

ptowsp_status isa_state_stopped(const struct isa_state *state)
{
	return isa_error(state->error, PTOWSP_CANCELLED, "kernel %.64s was stopped", state->program->name);
}

/* A place that a program was at behind a slice, and its scalars there. Where no element decides, that is all its way depends on: there again, it goes round for ever. */
struct past {
	uint64_t *scalars;      /* NULL: none yet */
	uint64_t slices, taken; /* so far; of them when it was taken */
	uint32_t pc;
};

/* Brent's search for a cycle: the place is taken anew whenever the slices have doubled. Without memory nothing is found. */
static bool past_meets(struct past *past, const struct isa_state *st)
{
	const size_t bytes = st->program->header.scalar_count * sizeof(*st->scalars);

	if (st->program->data_dependent)
		return false;
	if (past->scalars && past->pc == st->pc && !memcmp(past->scalars, st->scalars, bytes))
		return true;
	if (++past->slices < 2 * past->taken)
		return false;
	past->scalars = past->scalars ? past->scalars : malloc(bytes + 1);
	if (past->scalars)
		memcpy(past->scalars, st->scalars, bytes);
	past->pc = st->pc;
	past->taken = past->slices;
	return false;
}

/* A state that comes round again ends the run; its sentence, with kernel and line, is in st->error already. */
static ptowsp_status endless(const struct isa_state *st)
{
	if (st->error)
		st->error->code = PTOWSP_RUN_FAILED;
	return PTOWSP_RUN_FAILED;
}

/* Runs or walks st->left in slices. CANCELLED if the guard said so, RUN_FAILED if it has no end, AGAIN at the limit. */
static ptowsp_status state_go(struct isa_state *st, const struct isa_guard *guard, uint64_t slice, ptowsp_status (*go)(struct isa_state *state))
{
	ptowsp_status status = PTOWSP_AGAIN;
	struct past past = {.scalars = NULL};

	while (status == PTOWSP_AGAIN && slice_take(st, guard, slice)) {
		status = go(st);
		if (status != PTOWSP_AGAIN || !guard)
			continue;
		if (past_meets(&past, st)) {
			isa_state_fail(st, &st->program->steps[st->pc], "all scalars are what they were here before; the loop has no end");
			status = endless(st);
		} else if (guard->stop(guard->context)) {
			status = isa_state_stopped(st);
		}
	}
	free(past.scalars);
	return status;
}

static ptowsp_status run_within(const struct isa_program *program, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, void *scratch, uint64_t jumps,
				const struct isa_visitor *visitor, const struct isa_guard *guard)
{
	struct isa_state st = {.program = program,
			       .scratch = scratch,
			       .scalars = scratch,
			       .task = task,
			       .visitor = visitor,
			       .error = out->error,
			       .guard = guard,
			       .left = jumps};
	ptowsp_status status;

	if (program->unusable[0]) {
		isa_state_fail(&st, NULL, "%s", "");
		if (out->error)
			memcpy(out->error->text, program->unusable, sizeof(program->unusable));
		return PTOWSP_KERNEL_FAILED;
	}
	status = windows_check(&st);
	if (!status && (visitor || program->steps[0].op != PTOWSP_PTO_RETURN)) { /* nothing has to be there for a program that returns at once */
		scalars_init(program, st.scalars, task->args, (struct isa_block){task->block, task->block_count});
		tiles_init(program, scratch);
		status = state_go(&st, guard, JUMPS_SLICE, visitor ? isa_state_run_visited : isa_state_run);
	}
	if (status == PTOWSP_AGAIN) {
		isa_state_fail(&st, &program->steps[st.pc], "jumped back %llu times; the loop seems to have no end", (unsigned long long)jumps);
		status = endless(&st);
	}
	out->cycles = st.cycles;
	return status;
}

ptowsp_status isa_run_within(const struct isa_program *program, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, void *scratch, uint64_t jumps)
{
	return run_within(program, task, out, scratch, jumps, NULL, NULL);
}

ptowsp_status isa_run(const struct isa_program *program, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, void *scratch)
{
	return run_within(program, task, out, scratch, UINT64_C(1) << 32, NULL, NULL);
}

ptowsp_status isa_run_guarded(const struct isa_program *program, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, void *scratch,
			      const struct isa_guard *guard)
{
	return run_within(program, task, out, scratch, UINT64_C(1) << 32, NULL, guard);
}

ptowsp_status isa_run_visited(const struct isa_program *program, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, void *scratch,
			      const struct isa_visitor *visitor, const struct isa_guard *guard)
{
	return run_within(program, task, out, scratch, UINT64_C(1) << 32, visitor, guard);
}

/* The conditions of a walk. */
static ptowsp_status walk_check(const struct isa_program *p, uint32_t arg_count, struct ptowsp_error *error)
{
	if (arg_count < p->arg_count)
		return isa_error(error, PTOWSP_INVALID, "kernel %.64s takes %lu scalars, got %lu", p->name, (unsigned long)p->arg_count,
				 (unsigned long)arg_count);
	if (p->unwalkable[0])
		return isa_error(error, PTOWSP_UNSUPPORTED, "%s", p->unwalkable);
	if (p->data_dependent)
		return isa_error(error, PTOWSP_UNSUPPORTED, "kernel %.64s: its way depends on tensor elements and shows only in a run", p->name);
	return PTOWSP_OK;
}

static ptowsp_status walk_within(const struct isa_program *program, const uint64_t *args, uint32_t arg_count, struct isa_block block, uint64_t steps,
				 isa_touch_fn touch, void *context, const struct isa_visitor *visitor, const struct isa_guard *guard, uint64_t *cycles_out,
				 struct ptowsp_error *error)
{
	uint64_t few[64];
	const uint32_t count = program->header.scalar_count;
	struct isa_state st = {.program = program, .scalars = few, .touch = touch, .context = context, .visitor = visitor, .error = error, .left = steps};
	ptowsp_status status = walk_check(program, arg_count, error);

	*cycles_out = 0;
	if (status)
		return status;
	if (count > sizeof(few) / sizeof(*few)) {
		st.scalars = malloc(count * sizeof(*st.scalars));
		if (!st.scalars)
			return isa_error(error, PTOWSP_NO_MEMORY, "no memory to walk kernel %.64s", program->name);
	}
	scalars_init(program, st.scalars, args, block);
	if (visitor && visitor->scalars)
		*visitor->scalars = st.scalars;
	status = state_go(&st, guard, STEPS_SLICE, visitor ? isa_state_walk_visited : isa_state_walk);
	if (status == PTOWSP_AGAIN)
		status = isa_error(error, PTOWSP_LIMIT, "kernel %.64s takes more than %llu instructions", program->name, (unsigned long long)steps);
	*cycles_out = st.cycles;
	if (st.scalars != few)
		free(st.scalars);
	return status;
}

ptowsp_status isa_walk(const struct isa_program *program, const uint64_t *args, uint32_t arg_count, uint64_t max_steps, isa_touch_fn touch, void *context,
		       uint64_t *cycles_out, struct ptowsp_error *error)
{
	return walk_within(program, args, arg_count, (struct isa_block){0, 1}, max_steps ? max_steps : UINT64_C(1) << 32, touch, context, NULL, NULL,
			   cycles_out, error);
}

ptowsp_status isa_walk_guarded(const struct isa_program *program, const uint64_t *args, uint32_t arg_count, struct isa_block block, isa_touch_fn touch,
			       void *context, const struct isa_guard *guard, uint64_t *cycles_out, struct ptowsp_error *error)
{
	return walk_within(program, args, arg_count, block, UINT64_MAX, touch, context, NULL, guard, cycles_out, error);
}

ptowsp_status isa_walk_visited(const struct isa_program *program, const uint64_t *args, uint32_t arg_count, struct isa_block block,
			       const struct isa_visitor *visitor, const struct isa_guard *guard, struct ptowsp_error *error)
{
	uint64_t cycles;

	return walk_within(program, args, arg_count, block, UINT64_MAX, NULL, NULL, visitor, guard, &cycles, error);
}
