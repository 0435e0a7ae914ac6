/* SPDX-License-Identifier: MIT */
/* core.c - a kernel prepared for one machine, what is known of it, and the model op-sum. */
#include "ascend/core/core_kernel.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const pipe_texts[ASCEND_PIPE_COUNT] = {
#define X(pipe, text) [ASCEND_PIPE_##pipe] = text,
	ASCEND_PIPES(X)
#undef X
};

const char *ascend_pipe_text(enum ascend_pipe pipe)
{
	return pipe_texts[pipe];
}

static void tables_borrow(struct ascend_kernel *k, const struct isa_program *program)
{
	const struct ptowsp_tile_header *header = isa_program_header(program);

	k->program = program;
	k->insts = isa_program_insts(program);
	k->tiles = isa_program_tiles(program);
	k->inst_count = header->inst_count;
	k->tile_count = header->tile_count;
	k->param_count = header->param_count;
}

ptowsp_status ascend_kernel_make(struct ascend_kernel **kernel_out, const struct isa_program *program, const char *name, const struct ascend_arch *arch,
				 unsigned unit, struct ptowsp_error *error)
{
	struct ascend_kernel *k = calloc(1, sizeof(*k));
	ptowsp_status status = PTOWSP_NO_MEMORY, fits = PTOWSP_OK;

	*kernel_out = NULL;
	if (k) {
		k->arch = arch;
		tables_borrow(k, program);
		status = ascend_kernel_sides(k, unit);
	}
	if (!status)
		fits = ascend_kernel_limits(k, name ? name : isa_program_name(program), error);
	if (!status && fits != PTOWSP_TOO_SMALL)
		status = fits;
	if (!status)
		status = ascend_kernel_moves(k);
	if (status == PTOWSP_NO_MEMORY)
		rt_fail(error, status, "no memory for the cycles of a kernel");
	if (status)
		ascend_kernel_destroy(k);
	else
		*kernel_out = k;
	return status ? status : fits;
}

ptowsp_status ascend_kernel_create(struct ascend_kernel **kernel_out, const struct isa_program *program, const char *name, const struct ascend_arch *arch,
				   unsigned unit, struct ptowsp_error *error)
{
	ptowsp_status status = ascend_kernel_make(kernel_out, program, name, arch, unit, error);

	if (status) {
		ascend_kernel_destroy(*kernel_out);
		*kernel_out = NULL;
	}
	return status;
}

void ascend_kernel_destroy(struct ascend_kernel *k)
{
	if (!k)
		return;
	free(k->sides);
	free(k->made);
	free(k->at);
	free(k->homes);
	for (int m = 0; m < ASCEND_MEMORY_COUNT; m++)
		free(k->places[m]);
	free(k->moves);
	free(k->first);
	free(k->times);
	free(k);
}

unsigned ascend_kernel_unit(const struct ascend_kernel *kernel)
{
	return kernel->unit;
}

bool ascend_kernel_has_product(const struct ascend_kernel *kernel)
{
	return kernel->has_product;
}

uint64_t ascend_kernel_need(const struct ascend_kernel *kernel, enum ascend_memory memory)
{
	return kernel->need[memory];
}

struct sum {
	const struct ascend_kernel *kernel;
	uint64_t cycles; /* saturates */
};

static uint64_t add_saturated(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* By its result, or what it stores. */
static uint64_t op_cycles(const struct ascend_kernel *k, uint32_t i)
{
	const struct isa_uses u = isa_uses(&k->insts[i]);
	const struct ptowsp_tile_tile *t = u.written_count ? &k->tiles[u.written[0]] : u.read_count ? &k->tiles[u.read[0]] : NULL;

	return ascend_op_cycles(k->insts[i].op, t ? (uint64_t)t->rows * t->columns : 1);
}

static void sum_inst(void *context, uint32_t i)
{
	struct sum *s = context;

	s->cycles = add_saturated(s->cycles, op_cycles(s->kernel, i));
}

static void sum_rounds(void *context, uint32_t first, uint32_t count, uint64_t rounds)
{
	struct sum *s = context;
	uint64_t one = 0;

	for (uint32_t i = first; i < first + count; i++)
		one = add_saturated(one, op_cycles(s->kernel, i));
	s->cycles = one && rounds > UINT64_MAX / one ? UINT64_MAX : add_saturated(s->cycles, one * rounds);
}

ptowsp_status ascend_kernel_op_sum(const struct ascend_kernel *kernel, const uint64_t *args, uint32_t arg_count, struct isa_block block,
				   const struct isa_guard *guard, uint64_t *cycles_out, struct ptowsp_error *error)
{
	struct sum s = {.kernel = kernel};
	const struct isa_visitor visitor = {.inst = sum_inst, .rounds = sum_rounds, .context = &s};
	const ptowsp_status status = isa_walk_visited(kernel->program, args, arg_count, block, &visitor, guard, error);

	*cycles_out = status ? 0 : s.cycles;
	return status;
}

static ptowsp_status block_cycles(const struct ascend_kernel *k, enum ascend_model model, const uint64_t *args, uint32_t arg_count, struct isa_block block,
				  const struct isa_guard *guard, uint64_t *cycles_out, struct ptowsp_error *error)
{
	struct ascend_cost cost;
	ptowsp_status status;

	if (model == ASCEND_MODEL_OP_SUM)
		return ascend_kernel_op_sum(k, args, arg_count, block, guard, cycles_out, error);
	status = ascend_kernel_cost(k, args, arg_count, block, guard, &cost, error);
	*cycles_out = cost.cycles;
	return status;
}

static uint64_t times_saturated(uint64_t each, uint32_t count)
{
	return count && each > UINT64_MAX / count ? UINT64_MAX : each * count;
}

ptowsp_status ascend_task_cycles(const struct ascend_kernel *kernel, enum ascend_model model, const char *name, const uint64_t *args, uint32_t arg_count,
				 uint32_t blocks, const struct isa_guard *guard, uint64_t *cycles_out, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;
	uint32_t asked;
	uint64_t one = 0, sum = 0;

	if (model == ASCEND_MODEL_NAME) {
		*cycles_out = times_saturated(ascend_name_cycles(name), blocks);
		return PTOWSP_OK;
	}
	asked = isa_program_by_block(kernel->program) ? blocks : 1;
	for (uint32_t i = 0; !status && i < asked; i++) {
		status = block_cycles(kernel, model, args, arg_count, (struct isa_block){i, blocks}, guard, &one, error);
		sum = add_saturated(sum, one);
	}
	*cycles_out = status ? 0 : asked == 1 ? times_saturated(one, blocks) : sum;
	return status;
}

static unsigned share(uint64_t part, uint64_t all)
{
	return (unsigned)(part > UINT64_MAX / 100 ? part / (all / 100) : part * 100 / all);
}

void ascend_cost_text(const struct ascend_cost *cost, char *text, size_t size)
{
	size_t at = (size_t)snprintf(text, size, "%llu cycles", (unsigned long long)cost->cycles);
	const char *before = ": ";

	for (int p = 0; p < ASCEND_PIPE_COUNT && at < size; p++)
		if (cost->busy[p]) {
			at += (size_t)snprintf(text + at, size - at, "%s%s %u %%", before, pipe_texts[p], share(cost->busy[p], cost->cycles));
			before = ", ";
		}
}
