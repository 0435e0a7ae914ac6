/* SPDX-License-Identifier: MIT */
/* array_core.c - cores of an array: their regions compiled, with the buffers, locks and fifos of the device. */
#include "aie/array/array_own.h"
#include "registry/common/common_arena.h"

enum { STACK_BYTES = 1024 }; /* of a core that does not say */

static uint8_t *buffer_find(void *context, const struct aie_op *op)
{
	const struct array_core *core = context;
	const struct aie_array *array = core->array;

	if ((!aie_op_is(op, "aie.buffer") && !aie_op_is(op, "aie.external_buffer")) || op->result_count != 1)
		return NULL;
	return array->memories[array->buffers[array->places[op->results[0]->id]].memory].bytes;
}

static uint32_t semaphore_find(void *context, const struct aie_op *op)
{
	const struct array_core *core = context;

	if (!aie_op_is(op, "aie.lock"))
		return AIE_NONE;
	return core->array->locks[core->array->places[op->results[0]->id]].semaphore;
}

static uint32_t lock_of(struct aie_array *array, uint32_t tile, int64_t id)
{
	struct array_lock *lock;

	for (uint32_t i = 0; i < array->lock_count; i++)
		if (array->locks[i].tile == tile && array->locks[i].id == id)
			return array->locks[i].semaphore;
	lock = ARRAY_ROW(array, array->device, lock);
	*lock = (struct array_lock){NULL, tile, array_semaphore(array, tile, "a lock without a name", 0, array->arch->binary), id};
	return lock->semaphore;
}

/* A core knows 64 locks by numbers: 16 each of the tiles to the south, west and north, and its own. Source: AIETargetModel.cpp getLockLocalBaseIndex. */
static uint32_t local_find(void *context, int64_t number)
{
	static const int32_t columns[] = {0, -1, 0, 0}, rows[] = {-1, 0, 1, 0};
	const struct array_core *core = context;
	const struct array_tile *tile = &core->array->tiles[core->tile];
	uint32_t of;

	if (number < 0 || number > 63)
		return AIE_NONE;
	if (tile->column + columns[number / 16] < 0 || tile->row + rows[number / 16] >= core->array->arch->rows)
		return AIE_NONE;
	of = array_tile_at(core->array, tile->column + columns[number / 16], tile->row + rows[number / 16]);
	return of == AIE_NONE ? of : lock_of(core->array, of, number % 16);
}

static bool fifo_find(void *context, const char *name, int64_t port, struct aie_body_fifo *fifo_out)
{
	const struct array_core *core = context;

	return array_fifo_end(core->array, core->tile, name, port, fifo_out);
}

static void gives(void *context, uint32_t semaphore)
{
	const struct array_core *core = context;

	aie_net_giver(core->array->net, core->core, semaphore); /* without it a deadlock's text says less */
}

/* A core has one form; its stack lies in its tile's memory, from address 0 on, and all buffers behind it. Source: mlir-aie's AIEOps.td, AIE_CoreOp
 * (stack_size, 0x400 unless it says another), and AIEAssignBuffers.cpp, basicAllocation, where addresses begin with stack_size. */
static void core_check(struct aie_array *array, const struct aie_op *op, uint32_t tile, uint64_t *stack_out)
{
	const int64_t stack = array_number(op, "stack_size", STACK_BYTES);

	if (op->result_count > 1 || (op->result_count && op->results[0]->type->kind != AIE_TYPE_INDEX) || op->regions[0].argument_count)
		array_fail(array, op, PTOWSP_INVALID, "a core gives an index or nothing, and its region takes no arguments");
	if (stack < 0)
		array_fail(array, op, PTOWSP_INVALID, "its stack_size is below 0");
	*stack_out = (uint64_t)stack;
	array_bytes_take(array, op, tile, *stack_out);
}

static void core_make(struct aie_array *array, const struct aie_op *op)
{
	struct array_core *core = &array->cores[array->core_count++];
	const struct aie_op *tile = op->operands[0]->op;

	*core = (struct array_core){.array = array, .op = op, .tile = array_place(array, op->operands[0], tile->name)};
	core->core = aie_net_core(array->net, aie_net_agent(array->net, "core %s", array_tile_text(array, core->tile)), (struct aie_program){0});
	core->outside = (struct aie_body_outside){.context = core,
						  .buffer = buffer_find,
						  .design = &array->functions,
						  .kernels = array->args->kernels,
						  .core = core->core,
						  .who = array->net->agents[array->net->cores[core->core].agent].name,
						  .now = &array->net->now,
						  .stack = &core->stack,
						  .fifo = fifo_find,
						  .semaphore = semaphore_find,
						  .local = local_find,
						  .gives = gives};
	core_check(array, op, core->tile, &core->stack);
	array_core_reach(array, &op->regions[0], core->tile);
	array_expect(array, aie_body_create(&core->body, op, &core->outside, array->error));
	array->net->cores[core->core].program = (struct aie_program){core->body, aie_body_next};
}

void array_cores(struct aie_array *array)
{
	array->cores = common_take(array->arena, array->core_total + 1, sizeof(*array->cores));
	for (const struct aie_op *op = array->device->regions[0].first; op; op = op->next)
		if (aie_op_is(op, "aie.core"))
			core_make(array, op);
}

void array_cores_finish(struct aie_array *array)
{
	for (uint32_t i = 0; i < array->core_count; i++)
		aie_body_destroy(array->cores[i].body);
}
