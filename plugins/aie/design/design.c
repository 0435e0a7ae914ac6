/* SPDX-License-Identifier: MIT */
#include "aie/design/design.h"
#include "aie/design/design_read.h"
#include "registry/common/common_arena.h"

#include "base/error.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- refusals */

static _Noreturn void leave(struct aie_design_reader *reader, ptowsp_status status)
{
	reader->status = status;
	longjmp(reader->out, 1);
}

void aie_design_fail(struct aie_design_reader *reader, const struct aie_op *op, enum aie_rule rule, const char *format, ...)
{
	char sentence[sizeof(reader->error->text)];
	va_list list;

	va_start(list, format);
	vsnprintf(sentence, sizeof(sentence), format, list);
	va_end(list);
	leave(reader, aie_rule_fail(reader->error, PTOWSP_INVALID, op, rule, "%s", sentence));
}

void aie_design_unsupported(struct aie_design_reader *reader, const struct aie_op *op, enum aie_rule rule, const char *what)
{
	leave(reader, aie_rule_fail(reader->error, PTOWSP_UNSUPPORTED, op, rule, "%s, which no model here knows", what));
}

/* ---- parts of operations */

void aie_design_shape(struct aie_design_reader *reader, const struct aie_op *op, uint32_t operands, bool more, uint32_t results, uint32_t regions)
{
	if (op->operand_count < operands || (!more && op->operand_count > operands))
		aie_design_fail(reader, op, AIE_RULE_SHAPE, "it has %u operands, %s%u are needed", op->operand_count, more ? "at least " : "", operands);
	if (op->result_count != results)
		aie_design_fail(reader, op, AIE_RULE_SHAPE, "it has %u results, %u are needed", op->result_count, results);
	if (op->region_count != regions)
		aie_design_fail(reader, op, AIE_RULE_SHAPE, "it has %u regions, %u are needed", op->region_count, regions);
}

const struct aie_attr *aie_design_attr(struct aie_design_reader *reader, const struct aie_op *op, const char *name, enum aie_attr_kind kind)
{
	const struct aie_attr *attr = aie_attr_of(op, name);

	if (!attr)
		aie_design_fail(reader, op, AIE_RULE_ATTRIBUTE, "attribute '%s' is missing", name);
	if (attr->kind != kind)
		aie_design_fail(reader, op, AIE_RULE_ATTRIBUTE, "attribute '%s' is of another kind than it must be", name);
	return attr;
}

void aie_design_number(struct aie_design_reader *reader, const struct aie_op *op, const char *name, bool needed, int64_t least, int64_t most,
		       int64_t *value_out)
{
	const struct aie_attr *attr;

	if (!needed && !aie_attr_of(op, name))
		return;
	attr = aie_design_attr(reader, op, name, AIE_ATTR_INT);
	if (attr->number < least || attr->number > most)
		aie_design_fail(reader, op, AIE_RULE_ATTRIBUTE, "attribute '%s' is %" PRId64 ", expected %" PRId64 " to %" PRId64, name, attr->number, least,
				most);
	*value_out = attr->number;
}

bool aie_design_flag(struct aie_design_reader *reader, const struct aie_op *op, const char *name)
{
	const struct aie_attr *attr = aie_attr_of(op, name);

	return attr && (attr->kind == AIE_ATTR_UNIT || aie_design_attr(reader, op, name, AIE_ATTR_BOOL)->number);
}

void aie_design_known(struct aie_design_reader *reader, const struct aie_op *op, const char *const *names)
{
	for (uint32_t i = 0; i < op->attr_count; i++) {
		const char *const *name = names;

		while (*name && strcmp(*name, op->attrs[i].name))
			name++;
		if (!*name)
			aie_design_fail(reader, op, AIE_RULE_ATTRIBUTE, "attribute '%.48s' is not known", op->attrs[i].name);
	}
}

const char *aie_design_tile_text(const struct aie_design *design, uint32_t tile)
{
	static _Thread_local char texts[4][32];
	static _Thread_local unsigned next;
	char *text = texts[next++ % 4];

	snprintf(text, sizeof(texts[0]), "%s (%d,%d)", aie_arch_kind_text(design->tiles[tile].kind), design->tiles[tile].column, design->tiles[tile].row);
	return text;
}

/* ---- looking up */

uint32_t aie_design_tile(const struct aie_design *design, const struct aie_value *value)
{
	for (uint32_t i = 0; i < design->tile_count; i++)
		if (design->tiles[i].op == value->op)
			return i;
	return AIE_NONE;
}

uint32_t aie_design_core(const struct aie_design *design, uint32_t tile)
{
	for (uint32_t i = 0; i < design->core_count; i++)
		if (design->cores[i].tile == tile)
			return i;
	return AIE_NONE;
}

uint32_t aie_design_symbol(const struct aie_design *design, const char *name)
{
	for (uint32_t i = 0; i < design->fifo_count; i++)
		if (design->fifos[i].name == name)
			return i;
	return AIE_NONE;
}

uint32_t aie_design_fifo(const struct aie_design *design, const char *name)
{
	for (uint32_t i = 0; i < design->fifo_count; i++)
		if (!strcmp(design->fifos[i].name, name))
			return i;
	return AIE_NONE;
}

uint32_t aie_design_function(const struct aie_design *design, const char *name)
{
	const uint32_t row = common_names_find(&design->function_names, name);

	return row ? row - 1 : AIE_NONE;
}

/* Number `at` of a list, 0 where there is none. */
static int64_t number_of(const struct aie_function *function, const char *name, uint32_t at)
{
	const struct aie_attr *attr = aie_attr_of(function->op, name);

	return attr && attr->kind == AIE_ATTR_INTS && at < attr->count ? attr->ints[at] : 0;
}

struct aie_view aie_function_view(const struct aie_function *function, uint32_t argument)
{
	const struct aie_type *type = function->type->parts[argument];
	struct aie_view view = {.before = number_of(function, "ptowsp.before", argument), .rows = (uint64_t)number_of(function, "ptowsp.window", 3 * argument)};

	if (view.rows) {
		view.columns = (uint64_t)number_of(function, "ptowsp.window", 3 * argument + 1);
		view.stride = (uint64_t)number_of(function, "ptowsp.window", 3 * argument + 2);
	} else { /* rank 1 is what its kernel lays out by itself, behind the elements that it leaves alone, which are not there */
		view.rows = type->rank == 2 ? (uint64_t)type->dims[0] : 1;
		view.columns = view.stride = (uint64_t)(type->dims[type->rank - 1] + view.before);
	}
	return view;
}

uint32_t aie_function_shared(const struct aie_function *function, uint32_t argument)
{
	const int64_t back = number_of(function, "ptowsp.shared", argument);

	return back > 0 && back <= argument ? argument - (uint32_t)back : argument;
}

enum aie_access_kind aie_function_access(const struct aie_function *function, uint32_t argument)
{
	const int64_t access = number_of(function, "ptowsp.access", argument);

	return access > AIE_UNSAID && access <= AIE_CHANGES ? (enum aie_access_kind)access : AIE_UNSAID;
}

/* ---- rows */

static void read_tile(struct aie_design_reader *reader, const struct aie_op *op)
{
	static const char *const names[] = {"col", "row", NULL};
	struct aie_design *design = reader->design;
	struct aie_tile tile = {.op = op};
	int64_t column, row;

	aie_design_shape(reader, op, 0, false, 1, 0);
	aie_design_known(reader, op, names);
	aie_design_number(reader, op, "col", true, INT32_MIN, INT32_MAX, &column);
	aie_design_number(reader, op, "row", true, INT32_MIN, INT32_MAX, &row);
	tile.column = (int32_t)column;
	tile.row = (int32_t)row;
	if (op->results[0]->type->kind != AIE_TYPE_INDEX)
		aie_design_fail(reader, op, AIE_RULE_SHAPE, "the result of tile (%d,%d) is no index", tile.column, tile.row);
	if (!aie_arch_inside(design->arch, tile.column, tile.row))
		aie_design_fail(reader, op, AIE_RULE_TILE_INSIDE, "tile (%d,%d) lies outside of %s, which has columns 0 to %u and rows 0 to %u", tile.column,
				tile.row, design->arch->name, design->arch->columns - 1, design->arch->rows - 1);
	for (uint32_t i = 0; i < design->tile_count; i++)
		if (design->tiles[i].column == tile.column && design->tiles[i].row == tile.row)
			aie_design_fail(reader, op, AIE_RULE_TILE_ONCE, "tile (%d,%d) stands twice, name it once", tile.column, tile.row);
	tile.kind = aie_arch_kind(design->arch, tile.row);
	COMMON_ARENA_ADD(design->arena, design->tiles, design->tile_count, tile);
}

static void read_function(struct aie_design_reader *reader, const struct aie_op *op)
{
	struct aie_design *design = reader->design;
	struct aie_function function = {.op = op, .name = aie_attr_of(op, "sym_name")->text, .type = aie_attr_of(op, "function_type")->type};

	if (design->function_count == AIE_DESIGN_FUNCTIONS)
		aie_design_fail(reader, op, AIE_RULE_COUNT, "a design has more than %d functions", AIE_DESIGN_FUNCTIONS);
	if (aie_design_function(design, function.name) != AIE_NONE)
		aie_design_fail(reader, op, AIE_RULE_NAME, "function '%.64s' stands twice", function.name);
	function.outside = !op->regions[0].first;
	COMMON_ARENA_ADD(design->arena, design->functions, design->function_count, function);
	if (!common_names_add(&design->function_names, function.name))
		longjmp(reader->out, 1);
}

/* The tile of operand i. */
static uint32_t tile_of(struct aie_design_reader *reader, const struct aie_op *op, uint32_t i)
{
	const uint32_t tile = aie_design_tile(reader->design, op->operands[i]);

	if (tile == AIE_NONE)
		aie_design_fail(reader, op, AIE_RULE_FIFO_TILE, "operand %u is no tile", i);
	return tile;
}

static void read_buffer(struct aie_design_reader *reader, const struct aie_op *op)
{
	static const char *const names[] = {"sym_name", "initial_value", NULL};
	struct aie_design *design = reader->design;
	struct aie_buffer buffer = {.op = op, .initial = aie_attr_of(op, "initial_value")};
	const struct aie_attr *name;

	aie_design_shape(reader, op, 1, false, 1, 0);
	aie_design_known(reader, op, names);
	name = aie_design_attr(reader, op, "sym_name", AIE_ATTR_STRING);
	buffer.tile = tile_of(reader, op, 0);
	buffer.name = name->text;
	buffer.type = op->results[0]->type;
	if (buffer.type->kind != AIE_TYPE_MEMREF || buffer.type->strided)
		aie_design_fail(reader, op, AIE_RULE_SHAPE, "buffer '%.64s' is no memref without strides", buffer.name);
	if (buffer.initial && (buffer.initial->kind != AIE_ATTR_DENSE || buffer.initial->type != buffer.type))
		aie_design_fail(reader, op, AIE_RULE_ATTRIBUTE, "the first value of buffer '%.64s' is none of its type", buffer.name);
	if (design->tiles[buffer.tile].kind == AIE_SHIM)
		aie_design_fail(reader, op, AIE_RULE_MEMORY, "buffer '%.64s' needs memory of %s, which has none", buffer.name,
				aie_design_tile_text(design, buffer.tile));
	if (design->buffer_count == AIE_DESIGN_BUFFERS)
		aie_design_fail(reader, op, AIE_RULE_COUNT, "a design has more than %d buffers", AIE_DESIGN_BUFFERS);
	for (uint32_t i = 0; i < design->buffer_count; i++)
		if (design->buffers[i].name == buffer.name)
			aie_design_fail(reader, op, AIE_RULE_NAME, "buffer '%.64s' stands twice", buffer.name);
	COMMON_ARENA_ADD(design->arena, design->buffers, design->buffer_count, buffer);
}

static void read_core(struct aie_design_reader *reader, const struct aie_op *op)
{
	static const char *const names[] = {"stack_size", "link_with", NULL};
	struct aie_design *design = reader->design;
	struct aie_core core = {.op = op};
	int64_t stack;

	aie_design_shape(reader, op, 1, false, 1, 1);
	aie_design_known(reader, op, names);
	core.tile = tile_of(reader, op, 0);
	if (op->results[0]->type->kind != AIE_TYPE_INDEX)
		aie_design_fail(reader, op, AIE_RULE_SHAPE, "the result of a core on %s is no index", aie_design_tile_text(design, core.tile));
	if (design->tiles[core.tile].kind != AIE_CORE)
		aie_design_fail(reader, op, AIE_RULE_TILE_CORE, "a core stands on %s, which has none; cores begin in row %d",
				aie_design_tile_text(design, core.tile), AIE_FIRST_CORE);
	if (aie_design_core(design, core.tile) != AIE_NONE)
		aie_design_fail(reader, op, AIE_RULE_TILE_ONCE, "%s has two cores, of 1", aie_design_tile_text(design, core.tile));
	stack = (int64_t)design->arch->generation->tiles[AIE_CORE].limits[AIE_STACK];
	aie_design_number(reader, op, "stack_size", false, 0, INT32_MAX, &stack);
	core.stack = (uint64_t)stack;
	core.object = aie_attr_of(op, "link_with") ? aie_design_attr(reader, op, "link_with", AIE_ATTR_STRING)->text : NULL;
	COMMON_ARENA_ADD(design->arena, design->cores, design->core_count, core);
}

/* aie.cascade_flow: the rules are the dialect's; no model here runs one. */
static void read_cascade(struct aie_design_reader *reader, const struct aie_op *op)
{
	const struct aie_tile *from, *to;
	uint32_t ends[2];

	aie_design_shape(reader, op, 2, false, 0, 0);
	for (uint32_t i = 0; i < 2; i++)
		ends[i] = tile_of(reader, op, i);
	from = &reader->design->tiles[ends[0]];
	to = &reader->design->tiles[ends[1]];
	if (!aie_arch_cascades(reader->design->arch, from->column, from->row, to->column, to->row))
		aie_design_fail(reader, op, AIE_RULE_CASCADE,
				"a cascade goes from tile (%d,%d) to (%d,%d), expected core tiles and the next to the east or south", from->column, from->row,
				to->column, to->row);
	for (const struct aie_op *other = op->next; other; other = other->next)
		if (aie_op_is(other, op->name) && other->operand_count == 2 && (other->operands[0] == op->operands[0] || other->operands[1] == op->operands[1]))
			aie_design_fail(reader, other, AIE_RULE_CASCADE_ONCE, "tile (%d,%d) %s 2 cascades, of 1",
					other->operands[0] == op->operands[0] ? from->column : to->column,
					other->operands[0] == op->operands[0] ? from->row : to->row, other->operands[0] == op->operands[0] ? "gives" : "takes");
	aie_design_unsupported(reader, op, AIE_RULE_KNOWN, "a cascade stands here");
}

static void read_end(struct aie_design_reader *reader, const struct aie_op *op)
{
	if (op->next)
		aie_design_fail(reader, op, AIE_RULE_KNOWN, "it stands before the end of its region");
	aie_design_shape(reader, op, 0, false, 0, 0);
}

static void note_sequence(struct aie_design_reader *reader, const struct aie_op *op)
{
	if (reader->sequence)
		aie_design_fail(reader, op, AIE_RULE_DEVICE, "a design has two sequences for the host, of 1");
	reader->sequence = op;
}

typedef void read_row(struct aie_design_reader *reader, const struct aie_op *op);
/* Tiles before what stands on them, fifos before links, and both before what uses them, whatever their order in the text. */
static const struct kind {
	const char *name;
	read_row *read;
	int pass;
} kinds[] = {
	{"aie.tile", read_tile, 0},
	{"func.func", read_function, 0},
	{"aie.end", read_end, 0},
	{"aie.objectfifo", aie_design_read_fifo, 1},
	{"aie.buffer", read_buffer, 1},
	{"aie.core", read_core, 1},
	{"aie.cascade_flow", read_cascade, 1},
	{"aie.runtime_sequence", note_sequence, 1},
	{"aie.objectfifo.link", aie_design_read_link, 2},
	{"aie.objectfifo.allocate", aie_design_read_allocate, 3},
};
enum { PASSES = 4 };

static const struct kind *kind_of(const struct aie_op *op)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (aie_op_is(op, kinds[i].name))
			return &kinds[i];
	return NULL;
}

static void read_pass(struct aie_design_reader *reader, const struct aie_region *region, int pass)
{
	for (const struct aie_op *op = region->first; op; op = op->next) {
		const struct kind *kind = kind_of(op);

		if (!kind)
			aie_design_fail(reader, op, AIE_RULE_KNOWN, "this operation is not known in a device");
		if (kind->pass == pass)
			kind->read(reader, op);
	}
}

/* The one device; functions may stand beside it. */
static const struct aie_op *read_module(struct aie_design_reader *reader, const struct aie_module *module)
{
	const struct aie_op *device = NULL;

	reader->design->value_count = module->value_count;
	for (const struct aie_op *op = module->top->regions[0].first; op; op = op->next) {
		if (aie_op_is(op, "func.func")) {
			read_function(reader, op);
			continue;
		}
		if (!aie_op_is(op, "aie.device") || device)
			aie_design_fail(reader, op, device ? AIE_RULE_DEVICE : AIE_RULE_KNOWN, "a module has one aie.device and functions, and nothing else");
		device = op;
	}
	if (!device)
		aie_design_fail(reader, module->top, AIE_RULE_DEVICE, "there is no aie.device in this module");
	return device;
}

static void read_device(struct aie_design_reader *reader, const struct aie_op *op)
{
	static const char *const names[] = {"device", "sym_name", NULL};
	int64_t number;

	aie_design_shape(reader, op, 0, false, 0, 1);
	aie_design_known(reader, op, names);
	aie_design_number(reader, op, "device", true, INT32_MIN, INT32_MAX, &number);
	aie_design_attr(reader, op, "sym_name", AIE_ATTR_STRING);
	reader->design->arch = aie_arch_device((int32_t)number);
	if (!reader->design->arch)
		aie_design_fail(reader, op, AIE_RULE_DEVICE, "device %d is not known, npu1 is 4 and npu2 is 8", (int)number);
	if (!op->regions[0].last || !aie_op_is(op->regions[0].last, "aie.end"))
		aie_design_fail(reader, op, AIE_RULE_SHAPE, "the device has no aie.end at its end");
	for (int pass = 0; pass < PASSES; pass++)
		read_pass(reader, &op->regions[0], pass);
	aie_design_settle_fifos(reader);
	if (reader->sequence)
		aie_design_read_sequence(reader, reader->sequence);
}

static void all_read(void *context)
{
	struct aie_design_reader *reader = context;

	read_device(reader, read_module(reader, reader->module));
}

ptowsp_status aie_design_read(struct aie_design *design, const struct aie_module *module, struct ptowsp_error *error)
{
	struct ptowsp_error own;
	struct aie_design_reader reader = {.design = design, .module = module, .error = error ? error : &own};

	*design = (struct aie_design){.arena = common_arena_create(), .filler = AIE_NONE};
	if (design->arena)
		design->arena->out = &reader.out;
	if ((!design->arena || !common_job(&reader.out, all_read, &reader)) && !reader.status)
		reader.status = base_fail(reader.error, PTOWSP_NO_MEMORY, "there is no memory for the view of a design");
	if (reader.status)
		aie_design_finish(design);
	else
		design->arena->out = NULL;
	return reader.status;
}

bool aie_design_writes(const struct aie_design *design, const struct aie_step *step)
{
	return !step->waits && design->tiles[design->fifos[step->fifo].producer].kind != AIE_SHIM;
}

uint32_t aie_design_shim(const struct aie_design *design, uint32_t number)
{
	const struct aie_fifo *fifo = &design->fifos[number];

	for (uint32_t i = 0; i < fifo->consumer_count; i++)
		if (design->tiles[fifo->consumers[i]].kind == AIE_SHIM)
			return fifo->consumers[i];
	return fifo->producer;
}

void aie_design_finish(struct aie_design *design)
{
	common_arena_destroy(design->arena);
	common_names_finish(&design->function_names);
	*design = (struct aie_design){0};
}
