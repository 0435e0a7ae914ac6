/* SPDX-License-Identifier: MIT */
/* lower_core.c - functions that cells call, their buffers, and a core per cell. */
#include "aie/design/design.h"
#include "aie/design/lower_own.h"
#include "ptowsp/ids.h"
#include "registry/common/common_arena.h"
#include "registry/common/common_grow.h"
#include "registry/common/common_text.h"
#include "rt/program/dtype.h"
#include "rt/program/policy.h"
#include "rt/program/rt_error.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	STACK = 1024, /* bytes of a core's stack besides tiles: what the dialect takes where nothing is said */
	ALIGN = 32    /* bytes, as of objects: the width of a load */
};

/* ---- functions ---------------------------------------------------------------------------------------------------------- */

/* The line that calls for an act. */
struct call {
	const struct aie_line *line;
	const struct base_walk_task *task;
};

static struct call call_of(const struct aie_lowering *lowering, const struct aie_line *line)
{
	return (struct call){line, &lowering->args->walk->tasks[lowering->args->acts->rows[line->act].task]};
}

static const struct aie_use *use_of(const struct aie_lowering *lowering, const struct call *call, uint32_t i)
{
	return &lowering->args->acts->uses[lowering->args->acts->rows[call->line->act].uses + i];
}

/* As a function sees them. */
static bool uses_same(const struct aie_use *a, const struct aie_use *b)
{
	return a->view.before == b->view.before && a->view.rows == b->view.rows && a->view.columns == b->view.columns && a->view.stride == b->view.stride &&
	       a->with == b->with && a->reads == b->reads && a->writes == b->writes;
}

static bool types_same(const struct aie_lowering *lowering, const struct call *a, const struct call *b)
{
	const struct aie_spot *spots = lowering->args->graph->spots;
	bool same = a->task->kernel == b->task->kernel && a->task->arg_count == b->task->arg_count && a->line->count == b->line->count;

	for (uint32_t i = 0; same && i < a->line->count; i++)
		same = aie_shape_same(&spots[a->line->spots + i].shape, &spots[b->line->spots + i].shape) &&
		       uses_same(use_of(lowering, a, i), use_of(lowering, b, i));
	return same;
}

static const struct aie_type *function_type(struct aie_lowering *lowering, const struct call *call)
{
	uint32_t count = call->line->count + call->task->arg_count;
	const struct aie_type **parts = common_take(lowering->module->arena, (size_t)count + 1, sizeof(*parts));

	for (uint32_t i = 0; parts && i < count; i++)
		parts[i] = i < call->line->count ? aie_lower_shape(lowering, &lowering->args->graph->spots[call->line->spots + i].shape)
						 : aie_type_plain(lowering->module, AIE_TYPE_INT, 64);
	return parts ? aie_type_function(lowering->module, count, count, parts) : NULL;
}

static void numbers_tell(struct aie_lowering *lowering, struct aie_op *op, const char *name, uint32_t count, const int64_t *numbers)
{
	bool any = false;

	for (uint32_t i = 0; i < count; i++)
		any |= numbers[i] != 0;
	if (any)
		aie_op_attr(lowering->module, op, name,
			    aie_attr_ints(lowering->module, AIE_ATTR_INTS, aie_type_plain(lowering->module, AIE_TYPE_INT, 64), count, numbers));
}

/* How many elements of its window a kernel has in front of each memref, where it does not touch the first ones, what it sees where that is not all, how many arguments before it is
 * the one whose memory it shares, and whether it reads and writes. */
static void views_tell(struct aie_lowering *lowering, const struct call *call, struct aie_op *op)
{
	int64_t before[AIE_MOST_TENSORS], windows[3 * AIE_MOST_TENSORS], shared[AIE_MOST_TENSORS], access[AIE_MOST_TENSORS];

	for (uint32_t i = 0; i < call->line->count; i++) {
		const struct aie_use *use = use_of(lowering, call, i);
		const struct aie_view *view = &use->view;

		before[i] = view->before;
		shared[i] = (int64_t)i - use->with;
		access[i] = (use->reads ? AIE_READS : 0) + (use->writes ? AIE_WRITES : 0);
		windows[3 * i] = (int64_t)view->rows;
		windows[3 * i + 1] = (int64_t)view->columns;
		windows[3 * i + 2] = (int64_t)view->stride;
	}
	numbers_tell(lowering, op, "ptowsp.before", call->line->count, before);
	numbers_tell(lowering, op, "ptowsp.window", 3 * call->line->count, windows);
	numbers_tell(lowering, op, "ptowsp.shared", call->line->count, shared);
	numbers_tell(lowering, op, "ptowsp.access", call->line->count, access);
}

static void function_make(struct aie_lowering *lowering, const struct call *call, const char *name)
{
	const char *kernel = aie_kernel_name(&lowering->args->names, call->task->kernel);
	struct aie_module *module = lowering->module;
	struct aie_op *op = aie_op_add(module, lowering->device, lowering->body, "func.func");
	char object[AIE_OBJECT_NAME];

	aie_lower_object_name(object, call->task->kernel, kernel);
	aie_op_region(module, op);
	aie_op_attr(module, op, "function_type", aie_attr_type(module, function_type(lowering, call)));
	aie_op_attr(module, op, "sym_name", aie_attr_text(module, AIE_ATTR_STRING, name));
	aie_op_attr(module, op, "sym_visibility", aie_attr_text(module, AIE_ATTR_STRING, "private"));
	aie_op_attr(module, op, "link_with", aie_attr_text(module, AIE_ATTR_STRING, object));
	aie_op_attr(module, op, "ptowsp.kernel", aie_attr_text(module, AIE_ATTR_STRING, kernel));
	views_tell(lowering, call, op);
}

/* Text that calls of one function have in common: all that types_same compares. */
static void key_make(const struct aie_lowering *lowering, const struct call *call, struct common_text *key)
{
	common_text_add(key, "%" PRIu32 " %" PRIu32, call->task->kernel, call->task->arg_count);
	for (uint32_t i = 0; i < call->line->count; i++) {
		const struct aie_shape *shape = &lowering->args->graph->spots[call->line->spots + i].shape;
		const struct aie_use *use = use_of(lowering, call, i);
		const struct aie_view *view = &use->view;

		common_text_add(key, ", %u %d %" PRIu64 " %" PRIu64 " %" PRIi64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu32 " %d %d",
				(unsigned)shape->dtype, shape->flat, shape->rows, shape->columns, view->before, view->rows, view->columns, view->stride,
				use->with, use->reads, use->writes);
	}
}

/* function_count: there is none yet. */
static uint32_t function_find(struct aie_lowering *lowering, const struct call *call, bool add)
{
	struct common_text key = {0};
	uint32_t row;

	key_make(lowering, call, &key);
	row = common_names_find(&lowering->functions, common_text_view(&key));
	if (key.failed || (!row && add && !common_names_add(&lowering->functions, common_text_view(&key))))
		lowering->failed = PTOWSP_NO_MEMORY;
	common_text_finish(&key);
	return row ? row - 1 : lowering->lowered->function_count;
}

static void function_add(struct aie_lowering *lowering, const struct aie_line *line)
{
	struct aie_lowered *lowered = lowering->lowered;
	struct call call = call_of(lowering, line);

	if (function_find(lowering, &call, true) < lowered->function_count || lowering->failed)
		return;
	if (!COMMON_GROW(lowered->functions, lowering->function_room, lowered->function_count) ||
	    !COMMON_GROW(lowered->kernels, lowering->kernel_room, lowered->function_count) ||
	    !COMMON_GROW(lowered->tasks, lowering->task_room, lowered->function_count)) {
		lowering->failed = PTOWSP_NO_MEMORY;
		return;
	}
	lowered->kernels[lowered->function_count] = call.task->kernel;
	lowered->tasks[lowered->function_count] = lowering->args->acts->rows[line->act].task;
	lowered->functions[lowered->function_count] = aie_lower_function_name(lowering, call.task->kernel);
	if (!lowered->functions[lowered->function_count])
		lowering->failed = PTOWSP_NO_MEMORY;
	else
		function_make(lowering, &call, lowered->functions[lowered->function_count++]);
}

void aie_lower_functions(struct aie_lowering *lowering)
{
	const struct aie_graph *graph = lowering->args->graph;

	for (uint32_t c = 0; c < graph->cell_count; c++)
		for (uint32_t l = 0; !lowering->failed && l < graph->cells[c].count; l++)
			if (graph->cells[c].lines[l].kind == AIE_LINE_CALL)
				function_add(lowering, &graph->cells[c].lines[l]);
}

/* ---- a body ------------------------------------------------------------------------------------------------------------- */

struct body {
	struct aie_lowering *lowering;
	struct aie_op *parent;
	struct aie_region *region;
	const struct aie_lines *program;
	struct aie_value **objects; /* per stream: the one that is open */
	struct aie_value **buffers; /* per buffer of the graph */
};

static struct aie_value *constant(struct body *body, const struct aie_type *type, int64_t value)
{
	struct aie_module *module = body->lowering->module;
	struct aie_op *op = aie_op_add(module, body->parent, body->region, "arith.constant");

	aie_op_attr(module, op, "value", aie_attr_int(module, type, value));
	return aie_op_result(module, op, type);
}

static struct aie_value *index_constant(struct body *body, int64_t value)
{
	return constant(body, aie_type_plain(body->lowering->module, AIE_TYPE_INDEX, 0), value);
}

/* The memory of a spot: all of an object or buffer, or a part of a packed one. */
static struct aie_value *spot_value(struct body *body, const struct aie_spot *spot)
{
	struct aie_module *module = body->lowering->module;
	const struct aie_type *type = aie_lower_shape(body->lowering, &spot->shape);
	struct aie_value *whole = spot->kind == AIE_SPOT_OBJECT ? body->objects[spot->number] : body->buffers[spot->number], *shift;
	struct aie_op *op;

	if (!whole || whole->type == type)
		return whole;
	shift = index_constant(body, (int64_t)spot->at);
	op = aie_op_add(module, body->parent, body->region, "memref.view");
	aie_op_operand(module, op, whole);
	aie_op_operand(module, op, shift);
	return aie_op_result(module, op, type);
}

static struct aie_op *fifo_op(struct body *body, const char *name, const struct aie_line *line)
{
	struct aie_lowering *lowering = body->lowering;
	struct aie_op *op = aie_op_add(lowering->module, body->parent, body->region, name);

	aie_op_attr(lowering->module, op, "objFifo_name", aie_attr_text(lowering->module, AIE_ATTR_SYMBOL, lowering->held[line->stream]));
	aie_op_attr(lowering->module, op, "port", aie_i32(lowering, line->produces ? 0 : 1));
	aie_op_attr(lowering->module, op, "size", aie_i32(lowering, 1));
	return op;
}

static void copy_make(struct body *body, const struct aie_line *line)
{
	const struct aie_spot *spots = body->lowering->args->graph->spots + line->spots;
	struct aie_value *from = spot_value(body, &spots[0]), *to = spot_value(body, &spots[1]);
	struct aie_op *op = aie_op_add(body->lowering->module, body->parent, body->region, "memref.copy");

	aie_op_operand(body->lowering->module, op, from);
	aie_op_operand(body->lowering->module, op, to);
}

static void call_make(struct body *body, const struct aie_line *line)
{
	struct aie_lowering *lowering = body->lowering;
	struct aie_module *module = lowering->module;
	const struct call call = call_of(lowering, line);
	const uint32_t function = function_find(lowering, &call, false), count = line->count + call.task->arg_count;
	struct aie_value **values = calloc((size_t)count + 1, sizeof(struct aie_value *));
	struct aie_op *op;

	if (!values || lowering->failed) {
		lowering->failed = PTOWSP_NO_MEMORY;
		free(values);
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		values[i] = i < line->count ? spot_value(body, &lowering->args->graph->spots[line->spots + i])
					    : constant(body, aie_type_plain(module, AIE_TYPE_INT, 64),
						       (int64_t)lowering->args->walk->args[call.task->args + i - line->count]);
	op = aie_op_add(module, body->parent, body->region, "func.call");
	for (uint32_t i = 0; i < count; i++)
		aie_op_operand(module, op, values[i]);
	aie_op_attr(module, op, "callee", aie_attr_text(module, AIE_ATTR_SYMBOL, lowering->lowered->functions[function]));
	free(values);
}

static void line_make(struct body *body, const struct aie_line *line)
{
	struct aie_op *op;

	if (line->kind == AIE_LINE_ACQUIRE) {
		op = fifo_op(body, "aie.objectfifo.acquire", line);
		body->objects[line->stream] = aie_op_result(body->lowering->module, op, aie_lower_object(body->lowering, line->stream));
	} else if (line->kind == AIE_LINE_RELEASE) {
		fifo_op(body, "aie.objectfifo.release", line);
	} else if (line->kind == AIE_LINE_COPY) {
		copy_make(body, line);
	} else {
		call_make(body, line);
	}
}

/* scf.for with what follows in it; the body's place is there until the loop is over. */
static struct aie_op *loop_begin(struct body *body, uint32_t rounds)
{
	struct aie_module *module = body->lowering->module;
	struct aie_value *from = index_constant(body, 0), *to = index_constant(body, rounds), *step = index_constant(body, 1);
	struct aie_op *op = aie_op_add(module, body->parent, body->region, "scf.for");

	aie_op_operand(module, op, from);
	aie_op_operand(module, op, to);
	aie_op_operand(module, op, step);
	body->parent = op;
	body->region = aie_op_region(module, op);
	if (body->region)
		aie_region_argument(module, op, body->region, aie_type_plain(module, AIE_TYPE_INDEX, 0));
	return op;
}

static void turns_make(struct body *body, const struct aie_turn *turns, uint32_t count)
{
	struct aie_op *parent = body->parent;
	struct aie_region *region = body->region;

	for (uint32_t t = 0; t < count && body->region; t++) {
		if (!turns[t].rounds) {
			line_make(body, &body->program->lines[turns[t].line]);
			continue;
		}
		loop_begin(body, turns[t].rounds);
		if (body->region)
			turns_make(body, turns + t + 1, turns[t].line);
		if (body->region)
			aie_op_add(body->lowering->module, body->parent, body->region, "scf.yield");
		t += turns[t].line;
		body->parent = parent;
		body->region = region;
	}
}

/* ---- what repeats ------------------------------------------------------------------------------------------------------- */

static bool scalars_same(const struct aie_lowering *lowering, const struct call *a, const struct call *b)
{
	const uint64_t *args = lowering->args->walk->args;
	size_t count = a->task->arg_count;

	return !count || !memcmp(args + a->task->args, args + b->task->args, count * sizeof(*args));
}

static bool lines_same(const struct aie_lowering *lowering, const struct aie_line *a, const struct aie_line *b)
{
	const struct aie_spot *spots = lowering->args->graph->spots;
	struct call x, y;

	if (a->kind != b->kind || a->produces != b->produces || a->stream != b->stream || a->count != b->count)
		return false;
	for (uint32_t i = 0; i < a->count; i++) {
		const struct aie_spot *s = &spots[a->spots + i], *t = &spots[b->spots + i];

		if (s->kind != t->kind || s->number != t->number || s->at != t->at || !aie_shape_same(&s->shape, &t->shape))
			return false;
	}
	if (a->kind != AIE_LINE_CALL)
		return true;
	x = call_of(lowering, a);
	y = call_of(lowering, b);
	return types_same(lowering, &x, &y) && scalars_same(lowering, &x, &y);
}

static uint64_t line_hash(const struct aie_lowering *lowering, const struct aie_line *line)
{
	uint64_t h = rt_mix64((uint64_t)line->kind << 40 ^ (uint64_t)line->produces << 32 ^ line->stream) ^ line->count;

	for (uint32_t i = 0; i < line->count; i++) {
		const struct aie_spot *spot = &lowering->args->graph->spots[line->spots + i];

		h = rt_mix64(h ^ ((uint64_t)spot->kind << 40 ^ (uint64_t)spot->number << 8) ^ rt_mix64(spot->at));
	}
	return line->kind == AIE_LINE_CALL ? rt_mix64(h ^ call_of(lowering, line).task->kernel) : h;
}

/* A number per line, the same for those that do the same. */
static bool ids_find(const struct aie_lowering *lowering, const struct aie_lines *program, uint32_t *ids)
{
	size_t slots = 16, at;
	uint32_t *table;

	while (slots < 2 * (size_t)program->count)
		slots *= 2;
	table = calloc(slots, sizeof(*table));
	for (uint32_t l = 0; table && l < program->count; l++) {
		at = line_hash(lowering, &program->lines[l]) & (slots - 1);
		while (table[at] && !lines_same(lowering, &program->lines[table[at] - 1], &program->lines[l]))
			at = (at + 1) & (slots - 1);
		if (!table[at])
			table[at] = l + 1;
		ids[l] = table[at] - 1;
	}
	free(table);
	return table;
}

static ptowsp_status loops_find(struct aie_lowering *lowering, const struct aie_lines *program, struct aie_loops *loops)
{
	struct aie_loops_args args = {.count = program->count, .sides = lowering->args->graph->stream_count};
	uint32_t *ids = calloc((size_t)program->count + 1, sizeof(*ids));
	int32_t *opens = calloc((size_t)program->count + 1, sizeof(*opens));
	ptowsp_status status = ids && opens && ids_find(lowering, program, ids) ? PTOWSP_OK : PTOWSP_NO_MEMORY;

	for (uint32_t l = 0; !status && l < program->count; l++) {
		const struct aie_line *line = &program->lines[l];

		opens[l] = line->kind == AIE_LINE_ACQUIRE ? (int32_t)line->stream + 1 : line->kind == AIE_LINE_RELEASE ? -(int32_t)line->stream - 1 : 0;
	}
	args.ids = ids;
	args.opens = opens;
	if (!status)
		status = aie_loops_find(loops, &args, lowering->error);
	free(ids);
	free(opens);
	return status;
}

/* ---- cores -------------------------------------------------------------------------------------------------------------- */

/* Memory of the core's tile, or of one beside it, that nobody else uses. */
static void buffers_make(struct aie_lowering *lowering, uint32_t cell, struct body *body)
{
	struct aie_module *module = lowering->module;
	const struct aie_graph *graph = lowering->args->graph;

	for (uint32_t b = 0; b < graph->buffer_count; b++) {
		char name[AIE_BUFFER_NAME];
		struct aie_op *op;

		if (graph->buffers[b].cell != cell)
			continue;
		aie_lower_buffer_name(lowering, name, b);
		op = aie_op_add(module, lowering->device, lowering->body, "aie.buffer");
		aie_op_operand(module, op, aie_lower_buffer_tile(lowering, b));
		aie_op_attr(module, op, "sym_name", aie_attr_text(module, AIE_ATTR_STRING, name));
		body->buffers[b] = aie_op_result(module, op, aie_lower_shape(lowering, &graph->buffers[b].shape));
	}
}

/* Tiles of a kernel lie on the core's stack. */
static uint64_t stack_of(const struct aie_lowering *lowering, const struct aie_lines *program)
{
	uint64_t most = 0;

	for (uint32_t l = 0; l < program->count; l++)
		if (program->lines[l].kind == AIE_LINE_CALL) {
			uint64_t bytes = lowering->args->acts->rows[program->lines[l].act].stack;

			most = bytes > most ? bytes : most;
		}
	return STACK + (most + ALIGN - 1) / ALIGN * ALIGN;
}

static void core_make(struct aie_lowering *lowering, uint32_t cell, struct body *body, const struct aie_loops *loops)
{
	struct aie_module *module = lowering->module;
	struct aie_op *op;

	buffers_make(lowering, cell, body);
	op = aie_op_add(module, lowering->device, lowering->body, "aie.core");
	aie_op_operand(module, op, lowering->cell_tiles[cell]);
	body->parent = op;
	body->region = aie_op_region(module, op);
	if (body->region)
		turns_make(body, loops->turns, loops->count);
	if (body->region)
		aie_op_add(module, op, body->region, "aie.end");
	aie_op_attr(module, op, "stack_size", aie_i32(lowering, (int64_t)stack_of(lowering, body->program)));
	aie_op_result(module, op, aie_type_plain(module, AIE_TYPE_INDEX, 0));
}

void aie_lower_cores(struct aie_lowering *lowering)
{
	const struct aie_graph *graph = lowering->args->graph;
	struct body body = {.lowering = lowering,
			    .objects = calloc((size_t)graph->stream_count + 1, sizeof(struct aie_value *)),
			    .buffers = calloc((size_t)graph->buffer_count + 1, sizeof(struct aie_value *))};
	struct aie_loops loops = {0};

	if (!body.objects || !body.buffers)
		lowering->failed = PTOWSP_NO_MEMORY;
	for (uint32_t c = 0; !lowering->failed && c < graph->cell_count; c++) {
		body.program = &graph->cells[c];
		lowering->failed = loops_find(lowering, body.program, &loops);
		if (!lowering->failed)
			core_make(lowering, c, &body, &loops);
	}
	aie_loops_finish(&loops);
	free(body.objects);
	free(body.buffers);
}
