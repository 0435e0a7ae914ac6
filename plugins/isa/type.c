/* SPDX-License-Identifier: MIT */
/* type.c - element types, and which of them an instruction accepts, by pto_ops.def. A violation makes the program unusable, not
 * bad. */
#include "isa/element.h"
#include "isa/isa_program.h"
#include "registry/common/common_dtype.h"

static const struct isa_element elements[ISA_DTYPES] = {
#define X(type, NAME, letter, stored, computed_in, wide, size, sum_type, matrix, one_bits)                                                                     \
	[PTOWSP_##NAME] = {.bytes = size, .class = letter, .sum = PTOWSP_##sum_type, .computed = PTOWSP_##matrix, .one = one_bits},
#include "isa/element.def"
#undef X
};

const struct isa_element *isa_element(unsigned dtype)
{
	static const struct isa_element none = {.bytes = 0};

	return dtype < ISA_DTYPES ? &elements[dtype] : &none;
}

unsigned isa_dtype_bytes(unsigned dtype)
{
	return isa_element(dtype)->bytes;
}

static bool is_float(unsigned dtype)
{
	return isa_element(dtype)->class == 'f';
}

static bool is_key(const char *keys, unsigned dtype)
{
	const char class = isa_element(dtype)->class;

	for (; *keys; keys++)
		if (*keys == class || (*keys == 'i' && class == 'u'))
			return true;
	return false;
}

/* One instruction under examination. */
struct check {
	struct isa_program *p;
	uint32_t inst;
	const char *op; /* mnemonic */
	const char *keys;
	int key, sum, class; /* codes met so far, -1 none; class: of scalars, a float type or I64 for any integer */
	bool is_unsigned;    /* an operand of the class is u64 */
	bool bad;
};

static const char *keys_text(const char *keys)
{
	switch (keys[0]) {
	case 'f': return keys[1] == '\0' ? "floats" : "floats and integers";
	default: return keys[1] == '\0' ? "integers" : "integers and bool";
	}
}

/* The program cannot run; if a scalar is wrong it cannot be walked either, because control or addresses may hang on it. */
#define BAD(c, ...)                                                                                                                                            \
	do {                                                                                                                                                   \
		(c)->bad = true;                                                                                                                               \
		isa_program_mark((c)->p, (c)->p->unusable, (c)->inst, __VA_ARGS__);                                                                            \
	} while (0)
#define BAD_SCALAR(c, ...)                                                                                                                                     \
	do {                                                                                                                                                   \
		BAD(c, __VA_ARGS__);                                                                                                                           \
		isa_program_mark((c)->p, (c)->p->unwalkable, (c)->inst, __VA_ARGS__);                                                                          \
	} while (0)

static void key_check(struct check *c, unsigned dtype, const char *name)
{
	const char *got = common_dtype_text(dtype);

	if (c->key < 0 && !is_key(c->keys, dtype))
		BAD(c, "%s works on %s, not on %s (%%%.48s)", c->op, keys_text(c->keys), got, name);
	else if (c->key >= 0 && dtype != (unsigned)c->key)
		BAD(c, "%s needs one element type, got %s and %s (%%%.48s)", c->op, common_dtype_text((unsigned)c->key), got, name);
	if (c->key < 0)
		c->key = (int)dtype;
}

/* The type in which a product adds up: all such tiles have one type, which is the key or its wider one. */
static void sum_check(struct check *c, unsigned dtype, const char *name)
{
	const unsigned key = (unsigned)c->key, wider = isa_element(key)->sum;

	if (c->sum >= 0 && (unsigned)c->sum != dtype)
		BAD(c, "%s needs one type of result, got %s and %s (%%%.48s)", c->op, common_dtype_text((unsigned)c->sum), common_dtype_text(dtype), name);
	else if (dtype != key && dtype != wider && wider == key)
		BAD(c, "%s needs one element type, got %s and %s (%%%.48s)", c->op, common_dtype_text(key), common_dtype_text(dtype), name);
	else if (dtype != key && dtype != wider)
		BAD(c, "%s of %s adds up in %s or %s, not in %s (%%%.48s)", c->op, common_dtype_text(key), common_dtype_text(key), common_dtype_text(wider),
		    common_dtype_text(dtype), name);
	c->sum = (int)dtype;
}

static const char *article(unsigned dtype)
{
	return dtype == PTOWSP_BF16 ? "a" : "an";
}

static void value_check(struct check *c, unsigned dtype, const char *name)
{
	const unsigned key = (unsigned)c->key;

	if (is_float(key) ? dtype == key : !is_float(dtype))
		return;
	if (is_float(key))
		BAD(c, "%s of %s needs %s %s scalar, got %s (%%%.48s)", c->op, common_dtype_text(key), article(key), common_dtype_text(key),
		    common_dtype_text(dtype), name);
	else
		BAD(c, "%s of %s needs an integer scalar, got %s (%%%.48s)", c->op, common_dtype_text(key), common_dtype_text(dtype), name);
}

static void class_check(struct check *c, unsigned dtype, const char *name)
{
	const int class = is_float(dtype) ? (int)dtype : PTOWSP_I64;

	if (c->class >= 0 && class != c->class && (class == PTOWSP_I64 || c->class == PTOWSP_I64))
		BAD_SCALAR(c, "%s mixes %s with integers (%%%.48s)", c->op, common_dtype_text((unsigned)(class == PTOWSP_I64 ? c->class : class)), name);
	else if (c->class >= 0 && class != c->class)
		BAD_SCALAR(c, "%s needs one type of float, got %s and %s (%%%.48s)", c->op, common_dtype_text((unsigned)c->class), common_dtype_text(dtype),
			   name);
	c->class = class;
}

static void letter_check(struct check *c, char letter, unsigned dtype, const char *name)
{
	switch (letter) {
	case 'k': key_check(c, dtype, name); break;
	case 'i':
		if (dtype != PTOWSP_I32 && dtype != PTOWSP_U32)
			BAD(c, "%s needs i32 or u32 indices, got %s (%%%.48s)", c->op, common_dtype_text(dtype), name);
		break;
	case 'n':
		if (is_float(dtype))
			BAD_SCALAR(c, "%s needs an integer, got %s (%%%.48s)", c->op, common_dtype_text(dtype), name);
		break;
	case 'c': class_check(c, dtype, name); break;
	case 'x': c->class = is_float(dtype) ? (int)dtype : PTOWSP_I64; break;
	default: break;
	}
}

static void operand_find(const struct isa_program *p, char letter, uint16_t row, unsigned *dtype_out, const char **name_out)
{
	switch (letter) {
	case 'T':
	case 't':
		*dtype_out = p->tiles[row].dtype;
		*name_out = p->tile_names[row];
		break;
	case 'S':
	case 's':
		*dtype_out = p->scalars[row].dtype;
		*name_out = p->scalar_names[row];
		break;
	default:
		*dtype_out = p->params[row].dtype;
		*name_out = p->param_names[row];
		break;
	}
}

/* Rules that concern one opcode only. */
static void special_check(struct check *c, const struct ptowsp_tile_inst *inst)
{
	if (inst->op == PTOWSP_PTO_TSORT32 && inst->d == inst->e)
		BAD(c, "tsort32 cannot write values and indices to one tile (%%%.48s)", c->p->tile_names[inst->d]);
	if (inst->op == PTOWSP_PTO_IF && inst->mode && c->class != PTOWSP_I64)
		BAD_SCALAR(c, "IF_BIT needs an integer (%%%.48s)", c->p->scalar_names[inst->a]);
	if (inst->op == PTOWSP_PTO_DIV || inst->op == PTOWSP_PTO_CMP)
		c->is_unsigned = c->p->scalars[inst->a].dtype == PTOWSP_U64 || c->p->scalars[inst->b].dtype == PTOWSP_U64;
}

/* Operands that go with the key are looked at when the key is known: it may come later. */
static void letters_check(struct check *c, const struct isa_op *op, const uint16_t *rows, unsigned count, bool with_key)
{
	unsigned dtype = 0;
	const char *name = "";

	for (unsigned k = 0; k < count; k++) {
		const char letter = op->types[k];

		operand_find(c->p, op->operands[k], rows[k], &dtype, &name);
		if (!with_key)
			letter_check(c, letter, dtype, name);
		else if (letter == 'v' && c->key >= 0)
			value_check(c, dtype, name);
		else if (letter == 'r' && c->key >= 0)
			sum_check(c, dtype, name);
	}
}

int isa_type_check(struct isa_program *p, uint32_t i)
{
	const struct ptowsp_tile_inst *inst = &p->insts[i];
	const struct isa_op *op = isa_op(inst->op);
	struct check c = {.p = p, .inst = i, .op = op->mnemonic, .keys = op->keys, .key = -1, .sum = -1, .class = -1};
	uint16_t rows[ISA_OPERANDS_MAX];
	const unsigned count = isa_op_operands(op, inst, rows);

	letters_check(&c, op, rows, count, false);
	letters_check(&c, op, rows, count, true);
	special_check(&c, inst);
	if (c.bad)
		return -1;
	if (c.key >= 0)
		return c.key;
	return c.class < 0 ? PTOWSP_I64 : c.class == PTOWSP_I64 && c.is_unsigned ? PTOWSP_U64 : c.class;
}
