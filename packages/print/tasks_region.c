/* SPDX-License-Identifier: MIT */
/* tasks_region.c - regions of the package as regions of the task API. A tensor whose users all see tiles of as many columns is a matrix of
 * so many. One that is flat memory for some and blocks for others is a matrix of its declared columns, of which the former take elements one behind the other; any other one is a single row of
 * all its elements, and a region a part of it. Where the length of declared rows is a value of the run, it is a matrix of so many columns as that value makes when NAME_begin is called. */
#include "format/format_names.h"
#include "isa/emit/emit.h"
#include "isa/isa.h"
#include "isa/isa_program.h"
#include "print/tasks_parts.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

/* A region as a tensor argument of a kernel sees it. */
struct window {
	const struct ptowsp_region_record *region;
	uint32_t tensor;
	struct print_reach reach; /* of flat ones */
	int64_t column;           /* of flat ones */
	uint32_t column_known;
};

static const char *tensor_name(const struct print_tasks *p, uint32_t tensor)
{
	return pkg_string(p->t, p->t->tensor[tensor].name);
}

/* The kernel's tensor parameter of that number; PTOWSP_NONE: it has none. */
static uint32_t param_of(const struct print_tasks *p, uint32_t kernel, uint32_t argument)
{
	const struct ptowsp_kernel_record *row = &p->t->kernel[kernel];

	for (uint32_t i = 0; i < row->param_count; i++)
		if (p->t->param[row->params + i].kind == PTOWSP_PARAM_TENSOR && !argument--)
			return i;
	return PTOWSP_NONE;
}

/* The expression of the last extent of a declared tensor; PTOWSP_NONE: it has no shape of its own. */
static uint32_t row_extent(const struct print_tasks *p, uint32_t tensor)
{
	const struct ptowsp_tensor_record *row = &p->t->tensor[tensor];

	return row->flags & PTOWSP_TENSOR_SHAPELESS || !row->dim_count ? PTOWSP_NONE : p->t->dim[row->dims + row->dim_count - 1].extent;
}

/* Elements of a row of a declared tensor; 0: it has no shape of its own, or a run says. */
static uint32_t row_length(const struct print_tasks *p, uint32_t tensor)
{
	const uint32_t row = row_extent(p, tensor);
	int64_t extent;

	return row != PTOWSP_NONE && print_c_constant(p, row, &extent) && extent >= 1 && extent <= INT32_MAX ? (uint32_t)extent : 0;
}

/* Symbols of the expression say how long rows are. */
static void lengths_mark(struct print_tasks *p, uint32_t row)
{
	const struct ptowsp_expr_record *r = &p->t->expr[row];
	const uint32_t operands[3] = {r->a, r->b, r->c};

	if (p->seen[row] == p->walk)
		return;
	p->seen[row] = p->walk;
	if (r->op == PTOWSP_EXPR_VALUE)
		print_c_slot(p, r->a)->in_length = p->slots[r->a].used = 1;
	for (unsigned i = 0; i < pkg_expr_operands(r->op); i++)
		lengths_mark(p, operands[i]);
}

/* A matrix whose columns are made of values: true, unless its rows have a fixed length or none of their own. */
static int by_value(struct print_tasks *p, const struct window *w)
{
	const uint32_t row = row_extent(p, w->tensor);
	struct print_c_tensor *tensor;
	int64_t extent;

	if (w->region->unit || row == PTOWSP_NONE || print_c_constant(p, row, &extent))
		return 0;
	p->walk++;
	lengths_mark(p, row);
	if (!(p->exprs[row] & PRINT_C_STEADY))
		print_c_refuse(p, "rows of tensor %.80s are as long as more than sums and products of symbols: let a symbol of its own say their length",
			       tensor_name(p, w->tensor));
	tensor = print_c_tensor(p, w->tensor);
	tensor->by_value = p->rows = 1;
	tensor->length = row;
	return 1;
}

static bool window_make(struct print_tasks *p, struct window *w, uint32_t kernel, uint32_t argument, uint32_t region)
{
	const uint32_t param = kernel == PTOWSP_NONE ? PTOWSP_NONE : param_of(p, kernel, argument);
	const struct print_reach *reach;
	const struct ptowsp_memory_record *memory;

	*w = (struct window){.region = &p->t->region[region], .tensor = p->t->region[region].tensor, .reach = {PRINT_WHOLE, 0}};
	reach = param == PTOWSP_NONE ? NULL : print_c_reach(p, kernel);
	if (!reach && kernel != PTOWSP_NONE) {
		print_c_refuse(p, "kernel %.80s has no tensor parameter %" PRIu32, pkg_string(p->t, p->t->kernel[kernel].name), argument);
		return false;
	}
	if (reach)
		w->reach = reach[param];
	w->column_known = (uint32_t)print_c_constant(p, w->region->column, &w->column);
	memory = pkg_tensor_memory(p->t, w->tensor);
	if (memory && memory->order != 0)
		print_c_refuse(p, "tensor %.80s does not lie row by row, and a tensor of the task API does", tensor_name(p, w->tensor));
	if (w->region->view)
		print_c_refuse(p, "a region of tensor %.80s is seen as another type, and a tensor of the task API has one", tensor_name(p, w->tensor));
	if (w->region->unit && w->region->columns && w->reach.elements > w->region->columns)
		w->reach.elements = w->region->columns;
	return !p->why.code;
}

/* Columns of the matrix that this window fits in; 0: none. */
static uint32_t fitting(const struct window *w)
{
	const uint32_t columns = w->reach.columns;

	if (!w->region->unit)
		return 0;
	if (!columns || w->region->unit % columns || !w->column_known || w->column % columns)
		return 0;
	return w->reach.elements == PRINT_WHOLE || w->reach.elements % columns == 0 ? columns : 0;
}

void print_c_region_note(struct print_tasks *p, uint32_t kernel, uint32_t argument, uint32_t region)
{
	struct print_c_tensor *tensor;
	struct window w;
	uint32_t declared, columns;

	if (!window_make(p, &w, kernel, argument, region))
		return;
	tensor = print_c_tensor(p, w.tensor);
	tensor->blocks |= !w.region->unit;
	if (by_value(p, &w))
		return;
	declared = row_length(p, w.tensor);
	if (!tensor->columns)
		tensor->columns = declared;
	columns = w.region->unit ? fitting(&w) : declared;
	if (!w.region->unit && !declared)
		print_c_refuse(p, "tensor %.80s has no shape of its own, and a kernel takes blocks of it: declare it with one", tensor_name(p, w.tensor));
	if (!tensor->columns)
		tensor->columns = columns;
	tensor->mixed |= !columns || columns != tensor->columns;
}

/* Is a flat window elements behind each other, in a matrix that others have as blocks? So is one that its kernel does not touch. */
static bool is_piece(const struct print_tasks *p, const struct window *w)
{
	const struct print_c_tensor *tensor = &p->tensors[w->tensor];

	return w->region->unit && ((tensor->blocks && (tensor->mixed || tensor->by_value)) || !w->reach.elements);
}

static void place_print(struct print_tasks *p, struct print_text *text, uint32_t row)
{
	int64_t value;

	print_add(text, print_c_constant(p, row, &value) ? "" : "(uint64_t)");
	print_c_expr(p, text, row, 12);
}

/* row * factor / divisor, and a constant of elements behind it. */
static void scaled_print(struct print_tasks *p, struct print_text *text, uint32_t row, uint32_t factor, uint32_t column, uint32_t divisor)
{
	int64_t value, behind;

	if (print_c_constant(p, row, &value) && print_c_constant(p, column, &behind)) {
		print_add(text, "%" PRIi64, (int64_t)((uint64_t)value * factor + (uint64_t)behind) / divisor);
		return;
	}
	if (factor == divisor && print_c_constant(p, column, &behind) && !behind) {
		place_print(p, text, row);
		return;
	}
	print_add(text, "(uint64_t)(");
	if (factor / divisor != 1)
		print_add(text, "%" PRIu32 " * ", factor / divisor);
	print_c_expr(p, text, row, factor / divisor != 1 ? PRINT_C_PRODUCT + 1 : PRINT_C_SUM);
	if (!print_c_constant(p, column, &behind) || behind) {
		print_add(text, " + ");
		print_c_expr(p, text, column, PRINT_C_PRODUCT);
		if (divisor != 1)
			print_add(text, " / %" PRIu32, divisor);
	}
	print_add(text, ")");
}

/* Elements from one on: the rest of a call of rt_task_add_flat but for how they are touched. */
static void piece_print(struct print_tasks *p, struct print_text *text, const struct window *w)
{
	struct print_text start = {0};

	scaled_print(p, &start, w->region->row, w->region->unit, w->region->column, 1);
	print_add(text, "%s, ", common_text_view(&start.out));
	if (w->reach.elements != PRINT_WHOLE)
		print_add(text, "%" PRIu64, w->reach.elements);
	else
		print_add(text, "o->memory.%s.elements - %s", p->tensors[w->tensor].name, common_text_view(&start.out));
	p->body.out.failed |= start.out.failed;
	print_text_finish(&start);
}

/* A flat window in a matrix, or in a single row. */
static void flat_print(struct print_tasks *p, struct print_text *text, const struct window *w)
{
	const int single = p->tensors[w->tensor].mixed;
	const uint32_t columns = single ? 1 : p->tensors[w->tensor].columns;
	struct print_text start = {0};
	const char *name = p->tensors[w->tensor].name;

	scaled_print(p, &start, w->region->row, w->region->unit, w->region->column, columns);
	print_add(text, single ? "0, %s, 1, " : "%s, 0, ", common_text_view(&start.out));
	if (w->reach.elements != PRINT_WHOLE)
		print_add(text, "%" PRIu64, w->reach.elements / columns);
	else if (columns == 1)
		print_add(text, "(uint32_t)(o->memory.%s.elements - %s)", name, common_text_view(&start.out));
	else
		print_add(text, "(uint32_t)(o->memory.%s.elements / %" PRIu32 " - %s)", name, columns, common_text_view(&start.out));
	if (!single)
		print_add(text, ", %" PRIu32, columns);
	p->body.out.failed |= start.out.failed;
	print_text_finish(&start);
}

void print_c_element(struct print_tasks *p, struct print_text *text, uint32_t tensor, const char *element)
{
	print_add(text, "rt_tasks_load(tasks, o->tensor.%s, %s, false, &", print_c_tensor(p, tensor)->name, element);
}

/* Elements from one row of the region's tensor to the next, if that is a number; 0: an expression of the run says. */
static uint32_t row_pitch(const struct print_tasks *p, const struct ptowsp_region_record *r)
{
	const uint32_t extent = row_extent(p, r->tensor);
	int64_t value;

	if (r->unit || extent == PTOWSP_NONE)
		return r->unit;
	return print_c_constant(p, extent, &value) && value >= 1 && value <= INT32_MAX ? (uint32_t)value : 0;
}

void print_c_load(struct print_tasks *p, struct print_text *text, uint32_t region, bool bits)
{
	const struct ptowsp_region_record *r = &p->t->region[region];
	const struct ptowsp_memory_record *memory = pkg_tensor_memory(p->t, r->tensor);
	const uint32_t pitch = row_pitch(p, r);

	if (r->view)
		print_c_refuse(p, "an element of tensor %.80s is seen as another type, and a tensor of the task API has one", tensor_name(p, r->tensor));
	if (memory && memory->order != 0)
		print_c_refuse(p, "tensor %.80s does not lie row by row, and a tensor of the task API does", tensor_name(p, r->tensor));
	print_add(text, "rt_tasks_load(tasks, o->tensor.%s, ", print_c_tensor(p, r->tensor)->name);
	if (pitch) {
		scaled_print(p, text, r->row, pitch, r->column, 1);
	} else {
		print_add(text, "(uint64_t)(");
		print_c_expr(p, text, r->row, PRINT_C_PRODUCT);
		print_add(text, " * ");
		print_c_expr(p, text, row_extent(p, r->tensor), PRINT_C_PRODUCT + 1);
		print_add(text, " + ");
		print_c_expr(p, text, r->column, PRINT_C_PRODUCT);
		print_add(text, ")");
	}
	print_add(text, ", %s, &", bits ? "true" : "false");
}

/* So many of the rows, or columns, are there. */
static void there_print(struct print_tasks *p, struct print_text *text, uint32_t there, uint32_t all)
{
	if (there == PTOWSP_NONE) {
		print_add(text, ", %" PRIu32, all);
		return;
	}
	p->parts = 1;
	print_add(text, ", part_of(");
	print_c_expr(p, text, there, PRINT_C_ANY);
	print_add(text, ", %" PRIu32 ")", all);
}

void print_c_region(struct print_tasks *p, struct print_text *text, uint32_t kernel, uint32_t argument, uint32_t region, const uint32_t there[2],
		    unsigned access)
{
	static const char *const calls[] = {"bound", "input", "output", "inout"}, *const touches[] = {"0", "PTOWSP_READ", "PTOWSP_WRITE",
												      "PTOWSP_READ | PTOWSP_WRITE"};
	struct window w;
	bool piece;

	if (!window_make(p, &w, kernel, argument, region))
		return;
	piece = is_piece(p, &w);
	print_add(text, "rt_task_add_%s(tasks, t, o->tensor.%s, ", piece ? "flat" : calls[access], p->tensors[w.tensor].name);
	if (piece) {
		piece_print(p, text, &w);
		print_add(text, ", %s", touches[access]);
	} else if (w.region->unit) {
		flat_print(p, text, &w);
	} else {
		place_print(p, text, w.region->row);
		print_add(text, ", ");
		place_print(p, text, w.region->column);
		there_print(p, text, there[0], w.region->rows);
		there_print(p, text, there[1], w.region->columns);
	}
}

void print_c_block_region(struct print_tasks *p, struct print_text *text, uint32_t region, bool begin)
{
	struct window w;

	if (!window_make(p, &w, PTOWSP_NONE, 0, region))
		return;
	if (w.region->unit)
		print_c_refuse(p, "tensor %.80s is copied as flat memory, and the task API copies blocks: copy it as [row, column]", tensor_name(p, w.tensor));
	print_add(text, ", o->tensor.%s, ", p->tensors[w.tensor].name);
	place_print(p, text, w.region->row);
	print_add(text, ", ");
	place_print(p, text, w.region->column);
	if (!begin)
		print_add(text, ", %" PRIu32 ", %" PRIu32, w.region->rows, w.region->columns);
}

/* ---- how far a kernel reaches in each of its tensors, and in tiles of how many columns: from its portable payload. ---- */

static void touch(void *context, uint32_t param, int64_t offset, uint64_t length, uint64_t width, unsigned access)
{
	struct print_reach *reach = (struct print_reach *)context + param;

	(void)width, (void)access;
	if (offset < 0 || length > INT64_MAX - (uint64_t)offset)
		reach->elements = PRINT_WHOLE;
	else if (reach->elements < (uint64_t)offset + length)
		reach->elements = (uint64_t)offset + length;
}

static void columns_find(const struct isa_program *program, struct print_reach *reach, uint32_t count)
{
	for (uint32_t i = 0; i < program->header.inst_count; i++) {
		const struct ptowsp_tile_inst *inst = &program->insts[i];
		const int loads = inst->op == PTOWSP_PTO_TLOAD, stores = inst->op == PTOWSP_PTO_TSTORE || inst->op == PTOWSP_PTO_TSTORE_FP;
		const char *operands = isa_op(inst->op)->operands;
		uint32_t param = PTOWSP_NONE;

		for (unsigned k = 0; operands[k]; k++)
			param = operands[k] == 'M' ? inst->d : operands[k] == 'm' ? inst->a : param;
		if (param < count && (!(loads || stores) || reach[param].columns != program->tiles[loads ? inst->d : inst->a].columns))
			reach[param].columns = 0;
	}
}

static void payload_ask(struct print_reach *reach, uint32_t count, const struct isa_program *program)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	const int known = !isa_program_varies(program) && !isa_program_data_dependent(program);
	uint64_t args[64] = {0}, cycles;

	if (program->header.param_count > count)
		return;
	for (uint32_t i = 0; i < count; i++)
		reach[i] =
			(struct print_reach){.elements = known ? 0 : PRINT_WHOLE, .columns = i < program->header.param_count ? program->params[i].columns : 0};
	columns_find(program, reach, program->header.param_count);
	if (known && (program->arg_count > 64 || isa_walk(program, args, program->arg_count, 0, touch, reach, &cycles, &error)))
		for (uint32_t i = 0; i < count; i++)
			reach[i].elements = PRINT_WHOLE;
}

static struct print_reach *reach_make(const struct print_tasks *p, uint32_t kernel)
{
	const struct ptowsp_kernel_record *row = &p->t->kernel[kernel];
	struct print_reach *reach = calloc((size_t)row->param_count + 1, sizeof(*reach));

	for (uint32_t i = 0; reach && i < row->param_count; i++)
		reach[i] = (struct print_reach){PRINT_WHOLE, p->t->param[row->params + i].columns};
	for (uint32_t i = 0; reach && i < row->payload_count; i++) {
		const struct ptowsp_payload_record *payload = &p->t->payload[row->payloads + i];
		struct isa_program *program;

		if (payload->kind != PTOWSP_PAYLOAD_PTO ||
		    isa_program_create(&program, p->t->code + payload->offset, payload->size, p->t->strings, p->t->strings_size, NULL))
			continue;
		payload_ask(reach, row->param_count, program);
		isa_program_destroy(program);
		break;
	}
	return reach;
}

const struct print_reach *print_c_reach(struct print_tasks *p, uint32_t kernel)
{
	if (!p->reach[kernel])
		p->reach[kernel] = reach_make(p, kernel);
	if (!p->reach[kernel])
		p->body.out.failed = 1;
	return p->reach[kernel];
}

/* ---- the memory that kernels work in. ---- */

/* A program that does not run has no function: nobody calls it. */
uint64_t print_c_workspace(const struct print_tasks *p, const struct print_function *function)
{
	const struct ptowsp_payload_record *payload = function->payload == PTOWSP_NONE ? NULL : &p->t->payload[function->payload];
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct isa_program *program;
	uint64_t tiles = 0;

	if (!payload || isa_program_create(&program, p->t->code + payload->offset, payload->size, p->t->strings, p->t->strings_size, &error))
		return function->workspace;
	if (isa_emit_workspace(program, isa_emit_targets, &tiles, &error))
		tiles = 0;
	isa_program_destroy(program);
	return tiles > function->workspace ? tiles : function->workspace;
}
