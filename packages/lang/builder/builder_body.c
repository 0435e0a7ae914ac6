/* SPDX-License-Identifier: MIT */
/* builder_body.c - portable kernels: tiles, scalars and instructions, and what holds once all of them are there. */
#include "format/format_names.h"
#include "isa/isa.h"
#include "lang/builder/build.h"
#include "ptowsp/task.h"

#include <stdio.h>
#include <string.h>

/* ---- tables ----------------------------------------------------------------------------------------------------------------------- */

struct lang_tile_code *build_tile_code(struct ptowsp_build *b)
{
	if (!b->body.code)
		build_refuse(b, "this stands between ptowsp_build_body and ptowsp_build_body_end");
	return b->body.code;
}

static struct build_payload *payload_of(struct ptowsp_build *b)
{
	return &b->payloads[b->body.payload];
}

void build_body_open(struct ptowsp_build *b, uint32_t kernel, struct ptowsp_payload_record record, const char *name)
{
	struct lang_tile_code *code = common_alloc(b->arena, sizeof(*code));

	code->arena = b->arena;
	code->turns = b->turns;
	b->kernels[kernel].has_body = 1;
	record.kind = PTOWSP_PAYLOAD_PTO;
	build_payload_add(b, (struct build_payload){.record = record, .kernel = kernel, .code = code, .name = name ? build_string(b, name) : 0});
	b->body = (struct build_body){.payload = b->payload_count - 1,
				      .kernel = kernel,
				      .code = code,
				      .arguments = common_alloc(b->arena, ((size_t)b->kernels[kernel].scalars + 1) * sizeof(uint32_t)),
				      .tile_first = b->tile_handles,
				      .scalar_first = b->scalar_handles};
}

uint32_t ptowsp_build_body(struct ptowsp_build *b, uint32_t kernel)
{
	BUILD_CALL(b);
	uint32_t row = build_row(b, BUILD_KERNEL, kernel);

	if (b->body.code)
		build_refuse(b, "the body of kernel %.80s is still open", build_text(b, b->kernels[b->body.kernel].record.name));
	build_body_open(b, row, (struct ptowsp_payload_record){0}, NULL);
	return build_handle(b, BUILD_PAYLOAD, b->body.payload);
}

uint32_t ptowsp_build_body_name(struct ptowsp_build *b, const char *name)
{
	BUILD_CALL(b);
	build_tile_code(b);
	payload_of(b)->name = build_string(b, name);
	return BUILD_DONE;
}

/* The name of a tile or scalar. Calls note it in the order of declaration, in which its string will stand; the compilation of a source leaves that to
 * the order of the rows. */
static uint32_t local_name(struct ptowsp_build *b, const char *name)
{
	struct build_payload *payload = payload_of(b);
	uint32_t string = build_string(b, name);

	if (b->current_call)
		*COMMON_PUSH(b->arena, payload->names, payload->name_count, payload->name_capacity) = string;
	return string;
}

static uint32_t row_check(struct ptowsp_build *b, uint32_t row)
{
	if (row == LANG_MAX_ROWS)
		build_refuse(b, "a body has at most %u tiles, and as many scalars and literals", LANG_MAX_ROWS);
	return row;
}

uint32_t build_tile_add(struct ptowsp_build *b, const char *name, struct ptowsp_tile_tile tile)
{
	if (!tile.rows || !tile.columns)
		build_refuse(b, "a tile of %u x %u has no elements", tile.rows, tile.columns);
	tile.name = local_name(b, name);
	return row_check(b, lang_tile_add(b->body.code, &tile));
}

uint32_t ptowsp_build_tile(struct ptowsp_build *b, const char *name, const char *dtype, uint32_t rows, uint32_t columns)
{
	BUILD_CALL(b);
	struct ptowsp_tile_tile tile = {.rows = rows, .columns = columns, .space = PTOWSP_SPACE_UB};

	build_tile_code(b);
	tile.dtype = (uint16_t)build_word(b, PKG_WORDS_dtype, dtype);
	b->tile_handles = b->body.tile_first + build_tile_add(b, name, tile) + 1;
	return build_handle(b, BUILD_TILE, b->tile_handles - 1);
}

uint32_t ptowsp_build_tile_space(struct ptowsp_build *b, uint32_t tile, const char *space)
{
	BUILD_CALL(b);
	struct lang_tile_code *code = build_tile_code(b);
	uint32_t row = build_row(b, BUILD_TILE, tile);

	if (row < b->body.tile_first)
		build_refuse(b, "the tile belongs to another body: each body declares its own");
	code->tiles[row - b->body.tile_first].space = (uint16_t)build_word(b, PKG_WORDS_space, space);
	return BUILD_DONE;
}

uint32_t build_scalar_add(struct ptowsp_build *b, const char *name, uint16_t dtype, uint16_t kind, uint64_t value)
{
	return row_check(b, lang_tile_scalar_add(b->body.code, local_name(b, name), dtype, kind, value));
}

uint32_t build_literal_add(struct ptowsp_build *b, uint16_t dtype, uint64_t bits)
{
	return row_check(b, lang_tile_literal_add(b->body.code, dtype, bits));
}

/* Handles of scalars are given out for rows up to the latest: literals may share an earlier one. */
static uint32_t scalar_handle(struct ptowsp_build *b, uint32_t row)
{
	row += b->body.scalar_first;
	if (row >= b->scalar_handles)
		b->scalar_handles = row + 1;
	return build_handle(b, BUILD_SCALAR, row);
}

uint32_t ptowsp_build_scalar(struct ptowsp_build *b, const char *name, const char *dtype, const char *kind)
{
	BUILD_CALL(b);
	static const struct {
		const char *word;
		uint16_t kind;
	} kinds[] = {{"local", PTOWSP_SCALAR_LOCAL}, {"block_index", PTOWSP_SCALAR_BLOCK}, {"block_count", PTOWSP_SCALAR_BLOCKS}};
	uint16_t type;

	build_tile_code(b);
	type = (uint16_t)build_word(b, PKG_WORDS_dtype, dtype);
	for (size_t i = 0; kind && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].word, kind))
			return scalar_handle(b, build_scalar_add(b, name, type, kinds[i].kind, 0));
	build_refuse(b, "\"%.40s\" is no kind of scalar; known: local, block_index, block_count", kind ? kind : "");
}

/* The row of the scalar that a parameter (a row) is in the body. */
static uint32_t argument_row(struct ptowsp_build *b, uint32_t param)
{
	const struct build_param *p = &b->params[param];
	uint32_t *row = &b->body.arguments[p->number];

	if (!*row) {
		*row = build_scalar_add(b, build_text(b, p->record.name), p->record.dtype, PTOWSP_SCALAR_ARG, p->number) + 1;
		scalar_handle(b, *row - 1);
	}
	return *row - 1;
}

/* A parameter of the kernel whose body is open: its row. */
static uint32_t param_row(struct ptowsp_build *b, uint32_t handle)
{
	uint32_t param = build_row(b, BUILD_PARAM, handle);

	if (b->params[param].kernel != b->body.kernel)
		build_refuse(b, "parameter %.80s belongs to another kernel", build_text(b, b->params[param].record.name));
	return param;
}

uint32_t ptowsp_build_argument(struct ptowsp_build *b, uint32_t param)
{
	BUILD_CALL(b);
	uint32_t row;

	build_tile_code(b);
	row = param_row(b, param);
	if (b->params[row].record.kind != PTOWSP_PARAM_SCALAR)
		build_refuse(b, "parameter %.80s is a tensor, tiles are loaded from it: only scalars are arguments", build_text(b, b->params[row].record.name));
	return scalar_handle(b, argument_row(b, row));
}

uint32_t ptowsp_build_literal_bits(struct ptowsp_build *b, const char *dtype, uint64_t bits)
{
	BUILD_CALL(b);
	build_tile_code(b);
	return scalar_handle(b, build_literal_add(b, (uint16_t)build_word(b, PKG_WORDS_dtype, dtype), bits));
}

uint32_t ptowsp_build_literal(struct ptowsp_build *b, const char *dtype, const char *text)
{
	BUILD_CALL(b);
	uint16_t type;

	build_tile_code(b);
	type = (uint16_t)build_word(b, PKG_WORDS_dtype, dtype);
	return scalar_handle(b, build_literal_add(b, type, build_bits(b, type, text)));
}

/* ---- the end ------------------------------------------------------------------------------------------------------------------------ */

/* Parameters that the code touches, and the first tile of each. */
static void touch(struct ptowsp_build *b, struct ptowsp_tile_param *params, const struct ptowsp_tile_inst *inst)
{
	const char *letters = isa_op(inst->op)->operands;
	const struct ptowsp_tile_tile *tile = NULL;
	uint16_t rows[ISA_OPERANDS_MAX];
	const uint32_t count = isa_op_operands(isa_op(inst->op), inst, rows);
	uint32_t memory = 0;
	unsigned access = 0;

	for (uint32_t i = 0; i < count; i++) {
		if ((letters[i] | 32) == 't' && !tile)
			tile = &b->body.code->tiles[rows[i]];
		if ((letters[i] | 32) == 'm') {
			access = letters[i] == 'M' ? PTOWSP_WRITE : PTOWSP_READ;
			memory = rows[i];
		}
	}
	if (!access)
		return;
	params[memory].access |= (uint16_t)access;
	if (!params[memory].rows && tile) {
		params[memory].rows = tile->rows;
		params[memory].columns = tile->columns;
	}
}

struct ptowsp_tile_param *build_tile_params(struct ptowsp_build *b, uint32_t kernel)
{
	const struct build_kernel *k = &b->kernels[kernel];
	struct ptowsp_tile_param *params = common_alloc(b->arena, ((size_t)k->tensors + 1) * sizeof(*params));

	for (uint32_t i = 0; i < k->record.param_count; i++) {
		const struct build_param *p = &b->params[k->params[i]];

		if (p->record.kind == PTOWSP_PARAM_TENSOR)
			params[p->number] = (struct ptowsp_tile_param){p->record.name, p->record.dtype, p->record.access, p->record.rows, p->record.columns};
	}
	return params;
}

static void params_check(struct ptowsp_build *b)
{
	static const char *const words[] = {"does not touch it", "reads it", "writes it", "reads and writes it"};
	const struct build_kernel *k = &b->kernels[b->body.kernel];
	struct ptowsp_tile_param *found = common_alloc(b->arena, ((size_t)k->tensors + 1) * sizeof(*found));

	for (uint32_t i = 0; i < b->body.code->inst_count; i++)
		touch(b, found, &b->body.code->insts[i]);
	for (uint32_t i = 0; i < k->record.param_count; i++) {
		struct build_param *p = &b->params[k->params[i]];

		if (p->record.kind != PTOWSP_PARAM_TENSOR)
			continue;
		if (p->record.access != found[p->number].access)
			build_refuse(b, "parameter %.80s of kernel %.80s is declared %s, but the body %s", build_text(b, p->record.name),
				     build_text(b, k->record.name),
				     p->record.access == PTOWSP_READ    ? "in"
				     : p->record.access == PTOWSP_WRITE ? "out"
				     : p->record.access                 ? "inout"
									: "none",
				     words[found[p->number].access]);
		if (!p->record.rows) {
			p->record.rows = found[p->number].rows;
			p->record.columns = found[p->number].columns;
		}
	}
}

/* The verifier of the backends has the last word. */
static void payload_verify(struct ptowsp_build *b, const void *payload, size_t size)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct isa_program *program = NULL;
	ptowsp_status status = isa_program_create(&program, payload, size, b->strings.bytes, b->strings.size, &error);
	char why[256] = "";

	if (program && isa_program_unusable(program))
		snprintf(why, sizeof(why), "%s; it is packed but will not run", isa_program_unusable(program));
	isa_program_destroy(program);
	if (status == PTOWSP_NO_MEMORY)
		longjmp(b->out, 1);
	if (status)
		build_refuse(b, "%s", error.text);
	if (*why)
		build_notice(b, why);
}

const void *build_body_close(struct ptowsp_build *b, struct ptowsp_tile_param *params, uint32_t param_count, size_t *size_out)
{
	const struct build_kernel *k = &b->kernels[b->body.kernel];
	struct build_payload *payload = payload_of(b);
	const void *bytes;

	if (!b->tables.stated)
		lang_tile_order(b->body.code); /* the normal form: no handle of a scalar is used any more */
	payload->params = params;
	payload->param_count = param_count;
	bytes = lang_tile_encode(b->body.code, payload->name ? payload->name : k->record.name, params ? params : build_tile_params(b, b->body.kernel),
				 params ? param_count : k->tensors, size_out);
	payload->record.size = *size_out;
	b->body.code = NULL;
	return bytes;
}

static struct ptowsp_tile_inst *tile_inst(struct ptowsp_build *b, unsigned op)
{
	struct ptowsp_tile_inst *inst = lang_tile_inst_add(b->body.code, op, b->place.line);

	if (!inst)
		build_refuse(b, "a body has at most %u instructions", LANG_MAX_INSTRUCTIONS);
	return inst;
}

uint32_t ptowsp_build_body_end(struct ptowsp_build *b)
{
	BUILD_CALL(b);
	struct lang_tile_code *code = build_tile_code(b);
	const struct build_kernel *k = &b->kernels[b->body.kernel];
	size_t size;
	const void *payload;

	if (code->depth)
		build_refuse(b, "%s has no end", isa_op(code->turns[code->depth - 1].op)->mnemonic);
	for (uint32_t i = 0; i < k->scalars; i++)
		for (uint32_t p = 0; p < k->record.param_count && !b->body.arguments[i]; p++)
			if (b->params[k->params[p]].record.kind == PTOWSP_PARAM_SCALAR && b->params[k->params[p]].number == i)
				argument_row(b, k->params[p]);
	if (!code->inst_count || code->insts[code->inst_count - 1].op != PTOWSP_PTO_RETURN)
		tile_inst(b, PTOWSP_PTO_RETURN);
	params_check(b);
	payload = build_body_close(b, NULL, 0, &size);
	payload_verify(b, payload, size);
	return BUILD_DONE;
}

/* ---- instructions of portable kernels. ---- */

static uint16_t scalar_row(struct ptowsp_build *b, uint32_t handle)
{
	uint32_t row;

	if (handle >> BUILD_ROW_BITS == BUILD_PARAM) {
		row = param_row(b, handle);
		if (b->params[row].record.kind == PTOWSP_PARAM_SCALAR)
			return (uint16_t)argument_row(b, row);
		build_refuse(b, "parameter %.80s is a tensor, a scalar is needed", build_text(b, b->params[row].record.name));
	}
	row = build_row(b, BUILD_SCALAR, handle);
	if (row < b->body.scalar_first)
		build_refuse(b, "the scalar belongs to another body");
	return (uint16_t)(row - b->body.scalar_first);
}

static uint16_t operand_row(struct ptowsp_build *b, uint32_t handle, char letter)
{
	uint32_t row;

	switch (letter) {
	case 'T':
	case 't':
		row = build_row(b, BUILD_TILE, handle);
		if (row < b->body.tile_first)
			build_refuse(b, "the tile belongs to another body: each body declares its own");
		return (uint16_t)(row - b->body.tile_first);
	case 'M':
	case 'm':
		row = param_row(b, handle);
		if (b->params[row].record.kind != PTOWSP_PARAM_TENSOR)
			build_refuse(b, "parameter %.80s is a scalar, a tensor is needed", build_text(b, b->params[row].record.name));
		return (uint16_t)b->params[row].number;
	default:
		row = scalar_row(b, handle);
		if (letter == 'S' && b->body.code->scalars[row].kind == PTOWSP_SCALAR_CONST)
			build_refuse(b, "a literal cannot be set");
		return (uint16_t)row;
	}
}

static void count_refuse(struct ptowsp_build *b, const char *mnemonic, const char *letters, uint32_t count)
{
	char text[64] = ""; /* of six operands at most */

	for (size_t i = 0, used = 0; letters[i]; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? ", " : "",
					 strchr("Tt", letters[i])   ? "tile"
					 : strchr("Mm", letters[i]) ? "memref"
								    : "scalar");
	build_refuse(b, "%s has %zu operands%s%s, here are %u", mnemonic, strlen(letters), *text ? ": " : "", text, count);
}

uint32_t ptowsp_build_op(struct ptowsp_build *b, const char *mnemonic, uint32_t mode, const uint32_t *operands, uint32_t count)
{
	BUILD_CALL(b);
	int op = mnemonic ? isa_op_find(mnemonic, strlen(mnemonic)) : -1;
	uint16_t rows[6] = {0};
	const char *letters, *why;
	struct ptowsp_tile_inst *inst;

	build_tile_code(b);
	if (op < 0)
		build_refuse(b, "\"%.40s\" is no opcode of the tile ISA (pto_ops.def)", mnemonic ? mnemonic : "");
	if (op == PTOWSP_PTO_CALL)
		build_refuse(b, "CALL is never in a package: state what is called in its place");
	letters = isa_op((unsigned)op)->operands;
	if (strlen(letters) != count || (count && !operands))
		count_refuse(b, mnemonic, letters, operands ? count : 0);
	if (mode > UINT8_MAX)
		build_refuse(b, "%s has no mode %u", mnemonic, mode);
	for (uint32_t i = 0; i < count; i++)
		rows[i] = operand_row(b, operands[i], letters[i]);
	inst = tile_inst(b, (unsigned)op);
	inst->mode = (uint8_t)mode;
	lang_tile_operands_set(inst, letters, rows, count);
	why = lang_tile_control(b->body.code);
	if (why)
		build_refuse(b, "%s", why);
	return BUILD_DONE;
}
