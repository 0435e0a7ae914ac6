/* SPDX-License-Identifier: MIT */
/* print.c - a program as text, close to the .pto that it came from. */
#include "isa/convert.h"
#include "isa/state.h"
#include "registry/common/common_decimal.h"
#include "registry/common/common_dtype.h"

#include <stdarg.h>
#include <stdio.h>

/* One line under construction; what does not fit is cut off. */
struct line {
	char text[1024];
	size_t length;
};

static void add(struct line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct line *l, const char *format, ...)
{
	const size_t room = sizeof(l->text) - l->length;
	va_list list;
	int n;

	va_start(list, format);
	n = vsnprintf(l->text + l->length, room, format, list);
	va_end(list);
	l->length += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

struct printer {
	const struct isa_program *p;
	void (*emit)(void *context, const char *line);
	void *context;
	uint32_t depth;
};

static void flush(const struct printer *out, struct line *l)
{
	out->emit(out->context, l->text);
	l->length = 0;
	l->text[0] = '\0';
}

static const char *type_text(unsigned dtype)
{
	return dtype == PTOWSP_BOOL ? "u1" : dtype == PTOWSP_I64 ? "idx" : common_dtype_text(dtype);
}

/* Shortest decimal that reads back as the same value, with a point or an exponent. */
static void add_float(struct line *l, uint64_t bits, unsigned dtype)
{
	const double value = isa_double_of(isa_convert_scalar(bits, dtype, PTOWSP_F64));
	char text[40];

	for (int digits = 1; digits <= 17; digits++) {
		common_decimal_print(text, sizeof(text), 'g', digits, value);
		if (isa_convert_scalar(isa_bits_of_double(common_decimal_double(text, NULL)), PTOWSP_F64, dtype) == bits)
			break;
	}
	add(l, "%s%s", text, strpbrk(text, ".enai") ? "" : ".0");
}

static void add_value(struct line *l, uint64_t value, unsigned dtype)
{
	if (isa_element(dtype)->class == 'f')
		add_float(l, value, dtype);
	else if (dtype == PTOWSP_U64)
		add(l, "%llu", (unsigned long long)value);
	else
		add(l, "%lld", (long long)(int64_t)value);
}

static bool is_literal(const struct isa_program *p, uint16_t row)
{
	return p->scalars[row].kind == PTOWSP_SCALAR_CONST;
}

/* Literals of tile operations carry the sigil, those of control, addresses and LI do not. */
static void add_scalar(struct line *l, const struct isa_program *p, uint16_t row, const char *sigil)
{
	if (is_literal(p, row)) {
		add(l, "%s", sigil);
		add_value(l, p->initial[row], p->scalars[row].dtype);
	} else {
		add(l, "%%%s", p->scalar_names[row]);
	}
}

static void add_typed(struct line *l, const struct isa_program *p, uint16_t row)
{
	add_scalar(l, p, row, "");
	add(l, ":%s", type_text(p->scalars[row].dtype));
}

static void add_tile_type(struct line *l, const struct ptowsp_tile_tile *t)
{
	add(l, "!pto.tile<%lux%lux%s>", (unsigned long)t->rows, (unsigned long)t->columns, common_dtype_text(t->dtype));
}

static const char *const compare_text[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
static const char *const round_text[] = {"NONE", "RINT", "ROUND", "FLOOR", "CEIL", "TRUNC", "ODD"};

/* Destinations and sources in order, as names. Memrefs take the two scalars that follow as their index. */
static void add_operands(struct line *l, const struct isa_program *p, const struct isa_op *op, const uint16_t *rows, bool dst)
{
	const char *separator = dst ? "" : " ";
	unsigned last_scalars = 0;

	for (unsigned k = 0; op->operands[k]; k++) {
		const char letter = op->operands[k];

		if ((letter == 'T' || letter == 'S') != dst)
			continue;
		if (last_scalars) {
			last_scalars--;
			add_scalar(l, p, rows[k], "");
			add(l, "%s", last_scalars ? ", " : "]");
			separator = ", ";
			continue;
		}
		add(l, "%s", separator);
		separator = ", ";
		switch (letter) {
		case 'T':
		case 't': add(l, "%%%s", p->tile_names[rows[k]]); break;
		case 'S':
		case 's': add_scalar(l, p, rows[k], "%"); break;
		default:
			add(l, "%%%s", p->param_names[rows[k]]);
			for (const char *next = op->operands + k + 1; *next == 's'; next++)
				last_scalars++;
			add(l, "%s", last_scalars ? "[" : "");
			break;
		}
	}
}

static void add_mode(struct line *l, const struct ptowsp_tile_inst *inst)
{
	if (inst->op == PTOWSP_PTO_TCMP || inst->op == PTOWSP_PTO_TCMPS)
		add(l, " {cmpMode = %s}", compare_text[inst->mode]);
	else if (inst->op == PTOWSP_PTO_TCVT)
		add(l, " {rmode = %s}", round_text[inst->mode]);
	else if (inst->mode)
		add(l, " {mode = %u}", inst->mode);
}

static bool type_equal(const struct ptowsp_tile_tile *a, const struct ptowsp_tile_tile *b)
{
	return a->rows == b->rows && a->columns == b->columns && a->dtype == b->dtype;
}

/* Types behind the colon: one if all tiles have it; else those of the sources, an arrow and that of the destination. */
static void add_types(struct line *l, const struct isa_program *p, const struct isa_op *op, const uint16_t *rows)
{
	const struct ptowsp_tile_tile *dst = NULL, *src[4];
	unsigned count = 0;
	bool one = true;

	for (unsigned k = 0; op->operands[k]; k++)
		if (op->operands[k] == 't')
			src[count++] = &p->tiles[rows[k]];
		else if (op->operands[k] == 'T' && !dst)
			dst = &p->tiles[rows[k]];
	for (unsigned k = 0; dst && k < count; k++)
		one &= type_equal(dst, src[k]);
	for (unsigned k = 0; k < count && !(dst && one); k++) {
		add(l, "%s", k ? ", " : " : ");
		add_tile_type(l, src[k]);
	}
	if (dst) {
		add(l, "%s", one ? " : " : " -> ");
		add_tile_type(l, dst);
	}
}

static void add_tile_inst(struct line *l, const struct isa_program *p, const struct ptowsp_tile_inst *inst, const uint16_t *rows)
{
	const struct isa_op *op = isa_op(inst->op);

	add_operands(l, p, op, rows, true);
	add(l, "%s%s", strpbrk(op->operands, "TS") ? " = " : "", op->mnemonic);
	add_operands(l, p, op, rows, false);
	add_mode(l, inst);
	add_types(l, p, op, rows);
}

/* ADD %d:i32, %a:i32, 1:i32; IF %c:u1 */
static void add_scalar_inst(struct line *l, const struct isa_program *p, const struct ptowsp_tile_inst *inst, const uint16_t *rows)
{
	const struct isa_op *op = isa_op(inst->op);

	add(l, "%s", inst->op == PTOWSP_PTO_IF && inst->mode ? "IF_BIT" : op->mnemonic);
	for (unsigned k = 0; op->operands[k]; k++) {
		add(l, "%s", k ? ", " : " ");
		if (op->operands[k] == 'm' || op->operands[k] == 'M')
			add(l, "%%%s", p->param_names[rows[k]]);
		else if (inst->op == PTOWSP_PTO_LI && k == 1)
			add_scalar(l, p, rows[k], "");
		else
			add_typed(l, p, rows[k]);
	}
	if (inst->op == PTOWSP_PTO_CMP)
		add(l, ", %s", compare_text[inst->mode]);
	else if (inst->op == PTOWSP_PTO_IF && inst->mode)
		add(l, ", %u", inst->mode - 1u);
}

static void add_inst(struct line *l, const struct isa_program *p, uint32_t i)
{
	const struct ptowsp_tile_inst *inst = &p->insts[i];
	const struct isa_op *op = isa_op(inst->op);
	uint16_t rows[ISA_OPERANDS_MAX];

	isa_op_operands(op, inst, rows);
	if (op->shape == ISA_SHAPE_SCALAR || op->shape == ISA_SHAPE_SCALAR_MASK || op->shape == ISA_SHAPE_CONTROL)
		add_scalar_inst(l, p, inst, rows);
	else
		add_tile_inst(l, p, inst, rows);
}

void isa_inst_text(const struct isa_program *p, uint32_t i, char text[1024])
{
	struct line l = {.length = 0};

	add_inst(&l, p, i);
	memcpy(text, l.text, l.length + 1);
}

static void inst_print(struct printer *out, uint32_t i)
{
	const struct ptowsp_tile_inst *inst = &out->p->insts[i];
	struct line l = {.length = 0};
	const bool closes = inst->op == PTOWSP_PTO_ENDFOR || inst->op == PTOWSP_PTO_ENDWHILE || inst->op == PTOWSP_PTO_ENDIF;
	const bool turns = inst->op == PTOWSP_PTO_ELSE || inst->op == PTOWSP_PTO_DO;

	out->depth -= closes;
	add(&l, "%*s", (int)(2 * (out->depth + 1 - turns)), "");
	add_inst(&l, out->p, i);
	if (inst->line)
		add(&l, "%*s// line %lu", l.length < 70 ? (int)(72 - l.length) : 2, "", (unsigned long)inst->line);
	flush(out, &l);
	out->depth += inst->op == PTOWSP_PTO_FOR || inst->op == PTOWSP_PTO_WHILE || inst->op == PTOWSP_PTO_IF;
}

static const char *access_text(unsigned access)
{
	static const char *const texts[] = {"not touched", "read", "written", "read, written"};

	return texts[access & 3];
}

static void head_print(const struct printer *out)
{
	const struct isa_program *p = out->p;
	const uint32_t count = p->header.param_count;
	struct line l = {.length = 0};

	if (p->unusable[0]) {
		add(&l, "// cannot run: %s", p->unusable);
		flush(out, &l);
	}
	add(&l, "func @%s(%s", p->name, count ? "" : ") {");
	flush(out, &l);
	for (uint32_t i = 0; i < count; i++) {
		add(&l, "    %%%s: !pto.memref<gm,...,%s>%s", p->param_names[i], common_dtype_text(p->params[i].dtype), i + 1 < count ? "," : ") {");
		add(&l, "  // %s", access_text(p->params[i].access));
		flush(out, &l);
	}
}

static void declarations_print(const struct printer *out)
{
	const struct isa_program *p = out->p;
	struct line l = {.length = 0};

	for (uint32_t i = 0; i < p->header.tile_count; i++) {
		add(&l, "  %%%s = alloc_tile : ", p->tile_names[i]);
		add_tile_type(&l, &p->tiles[i]);
		flush(out, &l);
	}
	for (uint32_t i = 0; i < p->header.scalar_count; i++) {
		const struct ptowsp_tile_scalar *s = &p->scalars[i];

		if (s->kind == PTOWSP_SCALAR_CONST)
			continue;
		add(&l, "  %%%s = %s : %s", p->scalar_names[i],
		    s->kind == PTOWSP_SCALAR_BLOCK    ? "block_index"
		    : s->kind == PTOWSP_SCALAR_BLOCKS ? "block_count"
						      : "alloc_scalar",
		    type_text(s->dtype));
		if (s->kind == PTOWSP_SCALAR_ARG)
			add(&l, "  // argument %llu", (unsigned long long)s->value);
		else if (p->initial[i]) {
			add(&l, "  // starts as ");
			add_value(&l, p->initial[i], s->dtype);
		}
		flush(out, &l);
	}
}

void isa_disassemble(const struct isa_program *program, void (*emit)(void *context, const char *line), void *context)
{
	struct printer out = {.p = program, .emit = emit, .context = context};

	head_print(&out);
	declarations_print(&out);
	for (uint32_t i = 0; i < program->header.inst_count; i++)
		inst_print(&out, i);
	emit(context, "}");
}
