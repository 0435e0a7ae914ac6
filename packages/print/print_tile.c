/* SPDX-License-Identifier: MIT */
/* print_tile.c - a portable kernel as the InCore function that it came from: tile operations, scalar operations, control, declarations. */
#include "isa/isa.h"
#include "print/parts.h"
#include "ptowsp/tile.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A kernel and its program, whose tables these are. */
struct print_kernel {
	const struct print_job *job;
	struct print_text *text;
	uint32_t entry; /* ENTR row */
	const struct ptowsp_kernel_record *record;
	struct isa_program *program; /* owned */
	struct ptowsp_tile_header header;
	const struct ptowsp_tile_param *params; /* these four of the program */
	const struct ptowsp_tile_tile *tiles;
	const struct ptowsp_tile_scalar *scalars;
	const struct ptowsp_tile_inst *insts;
	uint8_t *undeclared; /* owned, by scalar: 1: its FOR declares it */
	uint32_t depth;
};

static const struct mode {
	uint8_t op, mode;
	const char *attribute, *word;
} modes[] = {
#define X(op, attribute, word, mode) {PTOWSP_PTO_##op, mode, attribute, word},
#include "lang/modes.def"
#undef X
};

static const struct mode *mode_of(const struct ptowsp_tile_inst *inst)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (modes[i].op == inst->op && modes[i].mode == inst->mode)
			return &modes[i];
	return NULL;
}

/* --- operands --- */

static bool is_literal(const struct print_kernel *k, uint16_t row)
{
	return k->scalars[row].kind == PTOWSP_SCALAR_CONST;
}

static void literal_add(const struct print_kernel *k, uint16_t row, const char *sign)
{
	const struct ptowsp_tile_scalar *s = &k->scalars[row];
	char number[40];

	if (print_number(number, s->value, s->dtype)) {
		print_add(k->text, "%s%s", print_is_spelled(number) ? "%" : sign, number);
		return;
	}
	print_add(k->text, "%s0 ", sign);
	print_inexpressible(k->text, 0, "the %s with the bits 0x%llx", print_dtype(s->dtype), (unsigned long long)s->value);
}

static void scalar_add(const struct print_kernel *k, uint16_t row, const char *sign)
{
	if (is_literal(k, row))
		literal_add(k, row, sign);
	else
		print_add(k->text, "%%%s", print_string(k->job, k->scalars[row].name));
}

static void memref_add(const struct print_kernel *k, uint16_t row)
{
	print_add(k->text, "%%%s", print_string(k->job, k->params[row].name));
}

static void tile_add(const struct print_kernel *k, uint16_t row)
{
	print_add(k->text, "%%%s", print_string(k->job, k->tiles[row].name));
}

/* Scalars behind a memref, and those of textract, are indices in brackets. */
static unsigned indices_behind(const struct ptowsp_tile_inst *inst, const char *letters, unsigned k)
{
	if (letters[k] == 'm' || letters[k] == 'M' || (inst->op == PTOWSP_PTO_TEXTRACT && letters[k] == 't'))
		return (unsigned)strspn(letters + k + 1, "s");
	return 0;
}

static void indices_add(const struct print_kernel *k, const uint16_t *rows, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		print_add(k->text, "%s", i ? ", " : "[");
		scalar_add(k, rows[i], "");
	}
	print_add(k->text, "%s", count ? "]" : "");
}

static void operand_add(const struct print_kernel *k, char letter, uint16_t row)
{
	switch (letter) {
	case 'T':
	case 't': tile_add(k, row); break;
	case 'S':
	case 's': scalar_add(k, row, "%"); break;
	default: memref_add(k, row);
	}
}

/* --- tile operations --- */

static void tile_type(struct print_text *text, const struct ptowsp_tile_tile *t)
{
	print_add(text, "!pto.tile<%lux%lux%s", (unsigned long)t->rows, (unsigned long)t->columns, print_dtype(t->dtype));
	if (t->space != PTOWSP_SPACE_UB)
		print_add(text, ",%s", print_space(t->space));
	print_add(text, ">");
}

static bool types_equal(const struct ptowsp_tile_tile *a, const struct ptowsp_tile_tile *b)
{
	return a->rows == b->rows && a->columns == b->columns && a->dtype == b->dtype && a->space == b->space;
}

/* ": T" where all tiles have one type, ": (T, T) -> T" where all sources are tiles; else nothing, for the types are declared. */
static void types_add(const struct print_kernel *k, const char *letters, const uint16_t *rows)
{
	const struct ptowsp_tile_tile *dst = NULL, *src[4];
	unsigned tiles = 0, others = 0, results = 0;
	int one = 1;

	for (unsigned i = 0; letters[i]; i++)
		if (letters[i] == 't' && tiles < 4)
			src[tiles++] = &k->tiles[rows[i]];
		else if (letters[i] == 'T' && !results++)
			dst = &k->tiles[rows[i]];
		else
			others++;
	for (unsigned i = 0; dst && i < tiles; i++)
		one &= types_equal(dst, src[i]);
	if (!dst || results > 1 || (!one && (others || !tiles)))
		return;
	print_add(k->text, " : ");
	for (unsigned i = 0; i < tiles && !one; i++) {
		print_add(k->text, "%s", !i && tiles > 1 ? "(" : i ? ", " : "");
		tile_type(k->text, src[i]);
	}
	print_add(k->text, "%s", one ? "" : tiles > 1 ? ") -> " : " -> ");
	tile_type(k->text, dst);
}

static void load_types_add(const struct print_kernel *k, const uint16_t *rows)
{
	uint32_t tensor = print_tensor_of(k->job, k->entry, rows[1]);

	print_add(k->text, " : (!pto.memref<%s,...,%s>, index, index) -> ",
		  print_space(tensor == PTOWSP_NONE ? PTOWSP_SPACE_GM : k->job->t->tensor[tensor].location), print_dtype(k->params[rows[1]].dtype));
	tile_type(k->text, &k->tiles[rows[0]]);
}

static void mnemonic_add(const struct print_kernel *k, const struct ptowsp_tile_inst *inst)
{
	const struct mode *mode = inst->mode ? mode_of(inst) : NULL;

	print_add(k->text, "%s", isa_op(inst->op)->mnemonic);
	if (mode && !*mode->attribute)
		print_add(k->text, ".%s", mode->word);
}

static void attribute_add(const struct print_kernel *k, const struct ptowsp_tile_inst *inst)
{
	const struct mode *mode = mode_of(inst);
	int compares = inst->op == PTOWSP_PTO_TCMP || inst->op == PTOWSP_PTO_TCMPS;

	if (mode && *mode->attribute && (inst->mode || compares))
		print_add(k->text, " {%s = %s}", mode->attribute, mode->word);
	if (!mode && inst->mode) {
		print_end(k->text);
		print_inexpressible(k->text, k->depth, "mode %u of %s", inst->mode, isa_op(inst->op)->mnemonic);
	}
}

/* Results before the sign; setval and tassign take the tile that they change as an operand. */
static void tile_op_print(const struct print_kernel *k, const struct ptowsp_tile_inst *inst)
{
	const char *letters = isa_op(inst->op)->operands, *separator = " ";
	int changes = inst->op == PTOWSP_PTO_SETVAL || inst->op == PTOWSP_PTO_TASSIGN;
	unsigned results = changes ? 0 : (unsigned)strspn(letters, "TS");
	uint16_t rows[ISA_OPERANDS_MAX];
	unsigned count = isa_op_operands(isa_op(inst->op), inst, rows);

	for (unsigned i = 0; i < results; i++) {
		print_add(k->text, "%s", i ? ", " : "");
		operand_add(k, letters[i], rows[i]);
	}
	print_add(k->text, "%s", results ? " = " : "");
	mnemonic_add(k, inst);
	for (unsigned i = results; i < count; i++) {
		unsigned indices = indices_behind(inst, letters, i);

		print_add(k->text, "%s", separator);
		operand_add(k, letters[i], rows[i]);
		indices_add(k, rows + i + 1, indices);
		i += indices;
		separator = ", ";
	}
	attribute_add(k, inst);
	if (inst->op == PTOWSP_PTO_TLOAD)
		load_types_add(k, rows);
	else if (!changes)
		types_add(k, letters, rows);
}

/* --- scalars and control --- */

/* bare: the number takes its type from what it stands with. */
static void typed_add(const struct print_kernel *k, uint16_t row, int bare)
{
	scalar_add(k, row, "");
	if (!bare || !is_literal(k, row))
		print_add(k->text, ":%s", print_annotation(k->scalars[row].dtype));
}

/* ADD %d:i32, %a:i32, 1; LOAD %x:f32, %m[%i] */
static void scalar_op_print(const struct print_kernel *k, const struct ptowsp_tile_inst *inst)
{
	const char *letters = isa_op(inst->op)->operands;
	const struct mode *mode = mode_of(inst);
	uint16_t rows[ISA_OPERANDS_MAX];
	unsigned count = isa_op_operands(isa_op(inst->op), inst, rows);
	int bit = inst->op == PTOWSP_PTO_IF && inst->mode;

	print_add(k->text, "%s", bit ? "IF_BIT" : isa_op(inst->op)->mnemonic);
	for (unsigned i = 0; i < count; i++) {
		unsigned indices = indices_behind(inst, letters, i);

		print_add(k->text, "%s", i ? ", " : " ");
		if (letters[i] == 'S' || letters[i] == 's')
			typed_add(k, rows[i], inst->op == PTOWSP_PTO_LI && k->scalars[rows[0]].dtype == k->scalars[rows[i]].dtype);
		else
			memref_add(k, rows[i]);
		indices_add(k, rows + i + 1, indices);
		i += indices;
	}
	if (inst->op == PTOWSP_PTO_CMP && mode)
		print_add(k->text, ", %s", mode->word);
	else if (bit)
		print_add(k->text, ", %u", inst->mode - 1u);
}

static void tile_inst(struct print_kernel *k, const struct ptowsp_tile_inst *inst)
{
	int closes = inst->op == PTOWSP_PTO_ENDFOR || inst->op == PTOWSP_PTO_ENDWHILE || inst->op == PTOWSP_PTO_ENDIF;
	int turns = inst->op == PTOWSP_PTO_ELSE || inst->op == PTOWSP_PTO_DO;

	k->depth -= (uint32_t)closes;
	print_indent(k->text, k->depth - (uint32_t)turns);
	if (inst->op >= PTOWSP_PTO_ADD && inst->op <= PTOWSP_PTO_RETURN)
		scalar_op_print(k, inst);
	else
		tile_op_print(k, inst);
	print_end_at(k->text, (struct print_place){.line = closes || inst->op == PTOWSP_PTO_ELSE ? 0 : inst->line}, NULL, 0, NULL);
	k->depth += inst->op == PTOWSP_PTO_FOR || inst->op == PTOWSP_PTO_WHILE || inst->op == PTOWSP_PTO_IF;
}

/* ---- a portable kernel as the InCore function that it came from. Functions that it calls stay expanded: their tiles and scalars are called function.name in the package already. ---- */

static const char *name_at(const struct print_kernel *k, uint32_t offset)
{
	const char *name = print_string(k->job, offset);

	if (!lang_name_is_plain(name))
		print_inexpressible(k->text, 0, "the name \"%.80s\" in the kernel below", name);
	return name;
}

/* --- the head --- */

static void arguments_add(const struct print_kernel *k, uint32_t memrefs)
{
	uint32_t before = memrefs;

	for (uint32_t i = 0; i < k->header.scalar_count; i++)
		if (k->scalars[i].kind == PTOWSP_SCALAR_ARG)
			print_add(k->text, "%s%%%s: %s", before++ ? ", " : "", name_at(k, k->scalars[i].name), print_dtype(k->scalars[i].dtype));
}

/* The order in which loops first use their values: those that no declaration needs are the last rows in that order. */
static uint32_t loops_find(const struct print_kernel *k, uint32_t *order)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < k->header.inst_count; i++) {
		uint16_t row = k->insts[i].d;
		uint32_t seen = 0;

		while (k->insts[i].op == PTOWSP_PTO_FOR && seen < count && order[seen] != row)
			seen++;
		if (k->insts[i].op == PTOWSP_PTO_FOR && seen == count)
			order[count++] = row;
	}
	return count;
}

/* The last row that is no argument and no literal; PTOWSP_NONE: there is none. */
static uint32_t last_declared(const struct print_kernel *k)
{
	uint32_t last = PTOWSP_NONE;

	for (uint32_t i = 0; i < k->header.scalar_count; i++)
		if (k->scalars[i].kind != PTOWSP_SCALAR_ARG && k->scalars[i].kind != PTOWSP_SCALAR_CONST)
			last = i;
	return last;
}

static void undeclared_find(const struct print_kernel *k)
{
	uint32_t *order = calloc((size_t)k->header.scalar_count + 1, sizeof(*order));
	uint32_t count = order ? loops_find(k, order) : 0, row = last_declared(k), behind = count;

	/* Rows are visited from the end: each row that a loop uses first, the loops going backwards as the rows do. */
	while (behind > 0 && row != PTOWSP_NONE && k->scalars[row].dtype == PTOWSP_I64) {
		uint32_t at = behind;

		while (at > 0 && order[at - 1] != row)
			at--;
		if (!at)
			break;
		k->undeclared[row] = 1;
		behind = at - 1;
		row = row ? row - 1 : PTOWSP_NONE;
	}
	free(order);
}

static void declarations_print(const struct print_kernel *k)
{
	static const char *const words[] = {
		[PTOWSP_SCALAR_LOCAL] = "alloc_scalar", [PTOWSP_SCALAR_BLOCK] = "block_index", [PTOWSP_SCALAR_BLOCKS] = "block_count"};

	for (uint32_t i = 0; i < k->header.tile_count; i++) {
		print_add(k->text, "  %%%s = alloc_tile : ", name_at(k, k->tiles[i].name));
		tile_type(k->text, &k->tiles[i]);
		print_end(k->text);
	}
	for (uint32_t i = 0; i < k->header.scalar_count; i++) {
		const struct ptowsp_tile_scalar *s = &k->scalars[i];

		if (s->kind == PTOWSP_SCALAR_CONST || s->kind == PTOWSP_SCALAR_ARG || s->kind > PTOWSP_SCALAR_BLOCKS || k->undeclared[i])
			continue;
		print_add(k->text, "  %%%s = %s : %s", name_at(k, s->name), words[s->kind], s->dtype == PTOWSP_I64 ? "index" : print_dtype(s->dtype));
		print_end(k->text);
		if (s->kind == PTOWSP_SCALAR_LOCAL && s->value)
			print_inexpressible(k->text, 1, "%%%s starts as 0x%llx", print_string(k->job, s->name), (unsigned long long)s->value);
	}
}

/* --- the payload --- */

/* The program of a kernel's first payload; 0: it is none, or does not hold, or there is no memory. */
static bool program_open(struct print_kernel *k, struct ptowsp_error *error)
{
	const struct pkg_tables *t = k->job->t;
	const struct ptowsp_payload_record *p = &t->payload[k->record->payloads];

	if (!k->record->payload_count || p->kind != PTOWSP_PAYLOAD_PTO ||
	    isa_program_create(&k->program, t->code + p->offset, (size_t)p->size, t->strings, (size_t)t->strings_size, error))
		return false;
	k->header = *isa_program_header(k->program);
	k->params = isa_program_params(k->program);
	k->tiles = isa_program_tiles(k->program);
	k->scalars = isa_program_scalars(k->program);
	k->insts = isa_program_insts(k->program);
	return true;
}

int print_kernel_knows(const struct print_job *job, uint32_t entry, const char *name)
{
	struct print_kernel k = {.job = job, .entry = entry, .record = &job->t->kernel[job->t->entry[entry].instruction]};
	int knows = 0;

	program_open(&k, NULL);
	for (uint32_t i = 0; i < k.header.tile_count; i++)
		knows |= !strcmp(print_string(job, k.tiles[i].name), name);
	for (uint32_t i = 0; i < k.header.scalar_count; i++)
		knows |= !strcmp(print_string(job, k.scalars[i].name), name);
	isa_program_destroy(k.program);
	return knows;
}

static void function_print(struct print_kernel *k)
{
	uint32_t memrefs = 0;

	undeclared_find(k);
	print_add(k->text, "func @%s(", name_at(k, k->record->name));
	print_memrefs(k->job, k->text, k->entry, &memrefs);
	arguments_add(k, memrefs);
	print_add(k->text, ") {");
	print_end_of(k->job, k->text, 1, (uint32_t)(k->record - k->job->t->kernel));
	declarations_print(k);
	print_unused(k->job, k->text, k->entry);
	k->depth = 1;
	for (uint32_t i = 0; i < k->header.inst_count; i++)
		tile_inst(k, &k->insts[i]);
	print_add(k->text, "}");
	print_end(k->text);
}

/* A kernel is a function without more than one payload, a unit, blocks, memory of its own. */
static int is_function(const struct print_kernel *k)
{
	const struct pkg_tables *t = k->job->t;
	const struct ptowsp_kernel_record *r = k->record;
	const struct ptowsp_payload_record *p = &t->payload[r->payloads];
	const char *name = print_string(k->job, r->name);

	if (r->payload_count == 1 && p->kind == PTOWSP_PAYLOAD_PTO && !p->target && !p->entry && !p->cycles && !p->unit && !r->unit && !r->flags &&
	    r->blockdim <= 1 && !r->workspace && !*print_string(k->job, r->signature) && !strcmp(name, print_string(k->job, t->entry[k->entry].name)))
		return 1;
	print_inexpressible(k->text, 0, "kernel %.80s: a function is one portable payload for any unit", name);
	return 0;
}

void print_incore(struct print_job *job, struct print_text *text, uint32_t entry)
{
	const struct pkg_tables *t = job->t;
	struct print_kernel k = {.job = job, .text = text, .entry = entry, .record = &t->kernel[t->entry[entry].instruction]};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};

	if (!is_function(&k))
		return;
	if (!program_open(&k, &error)) {
		print_inexpressible(text, 0, "kernel %.80s: %s", print_string(job, k.record->name), error.text);
		return;
	}
	print_add(text, "// Function Type: InCore");
	print_end(text);
	k.undeclared = calloc((size_t)k.header.scalar_count + 1, 1);
	if (k.undeclared)
		function_print(&k);
	else
		text->out.failed = 1;
	free(k.undeclared);
	isa_program_destroy(k.program);
}
