/* SPDX-License-Identifier: MIT */
/* type.c - which element types an instruction accepts, by types.def. A violation makes the program unusable, not bad. */
#include "isa/program.h"

struct types {
	const char *keys, *letters;
};
static const struct types types[256] = {
#define X(NAME, key_list, type_letters) [PTOWSP_PTO_##NAME] = {.keys = key_list, .letters = type_letters},
#include "isa/types.def"
#undef X
};

struct dtype {
	const char *text;
	uint8_t bytes;
};
static const struct dtype dtypes[] = {
#define X(name, code, size, cls, word, descr) [code] = {.text = word, .bytes = size},
#include "ptowsp/dtype.def"
#undef X
};

const char *isa_dtype_text(unsigned dtype)
{
	return dtype < sizeof(dtypes) / sizeof(*dtypes) && dtypes[dtype].text ? dtypes[dtype].text : "?";
}

unsigned isa_dtype_bytes(unsigned dtype)
{
	return dtype < sizeof(dtypes) / sizeof(*dtypes) ? dtypes[dtype].bytes : 0;
}

static bool is_integer(unsigned dtype)
{
	return dtype == PTOWSP_I32 || dtype == PTOWSP_I64 || dtype == PTOWSP_BOOL;
}

/* Keys and masks are f32 or i32 so far. */
static bool is_key(const char *keys, unsigned dtype)
{
	for (; *keys; keys++)
		if (dtype == (*keys == 'f' ? PTOWSP_F32 : PTOWSP_I32))
			return true;
	return false;
}

/* One instruction under examination. */
struct check {
	struct isa_program *p;
	uint32_t inst;
	const char *op; /* mnemonic */
	const char *keys;
	int key, mask, class; /* element types met so far, -1 none; class: of scalars, F32 or I64 for any integer */
	bool bad;
};

static const char *keys_text(const char *keys)
{
	return keys[1] ? "f32 and i32" : keys[0] == 'f' ? "f32" : "i32";
}

/* The program cannot run; if a scalar is wrong it cannot be walked either, because control or addresses may hang on it. */
#define BAD(c, ...)                                                                                                            \
	do {                                                                                                                   \
		(c)->bad = true;                                                                                               \
		isa_program_mark((c)->p, (c)->p->unusable, (c)->inst, __VA_ARGS__);                                            \
	} while (0)
#define BAD_SCALAR(c, ...)                                                                                                     \
	do {                                                                                                                   \
		BAD(c, __VA_ARGS__);                                                                                           \
		isa_program_mark((c)->p, (c)->p->unwalkable, (c)->inst, __VA_ARGS__);                                          \
	} while (0)

static void key_check(struct check *c, unsigned dtype, const char *name)
{
	const char *got = isa_dtype_text(dtype);

	if (c->key < 0 && !is_key(c->keys, dtype))
		BAD(c, "%s works on %s, not on %s (%%%.48s)", c->op, keys_text(c->keys), got, name);
	else if (c->key >= 0 && dtype != (unsigned)c->key)
		BAD(c, "%s needs one element type, got %s and %s (%%%.48s)", c->op, isa_dtype_text((unsigned)c->key), got,
		    name);
	if (c->key < 0)
		c->key = (int)dtype;
}

static void value_check(struct check *c, unsigned dtype, const char *name)
{
	const bool want_float = c->key == PTOWSP_F32;

	if (want_float ? dtype == PTOWSP_F32 : is_integer(dtype))
		return;
	BAD(c, "%s of %s needs %s scalar, got %s (%%%.48s)", c->op, isa_dtype_text((unsigned)c->key),
	    want_float ? "an f32" : "an integer", isa_dtype_text(dtype), name);
}

static void class_check(struct check *c, unsigned dtype, const char *name)
{
	const int class = is_integer(dtype) ? PTOWSP_I64 : (int)dtype;

	if (class != PTOWSP_F32 && class != PTOWSP_I64)
		BAD_SCALAR(c, "%s works on f32, i32, i64 and bool, not on %s (%%%.48s)", c->op, isa_dtype_text(dtype), name);
	else if (c->class >= 0 && class != c->class)
		BAD_SCALAR(c, "%s mixes f32 with integers (%%%.48s)", c->op, name);
	c->class = class;
}

static void letter_check(struct check *c, char letter, unsigned dtype, const char *name)
{
	switch (letter) {
	case 'k':
		key_check(c, dtype, name);
		break;
	case 'm':
		if (!is_key("fi", dtype))
			BAD(c, "%s works on f32 and i32, not on %s (%%%.48s)", c->op, isa_dtype_text(dtype), name);
		c->mask = (int)dtype;
		break;
	case 'i':
		if (dtype != PTOWSP_I32)
			BAD(c, "%s needs i32 indices, got %s (%%%.48s)", c->op, isa_dtype_text(dtype), name);
		break;
	case 'n':
		if (!is_integer(dtype))
			BAD_SCALAR(c, "%s needs an integer, got %s (%%%.48s)", c->op, isa_dtype_text(dtype), name);
		break;
	case 'c':
		class_check(c, dtype, name);
		break;
	case 'x':
		c->class = -1;
		class_check(c, dtype, name);
		break;
	default:
		break;
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
}

int isa_type_check(struct isa_program *p, uint32_t i)
{
	const struct ptowsp_tile_inst *inst = &p->insts[i];
	const struct isa_op *op = isa_op(inst->op);
	const char *letters = types[inst->op].letters;
	struct check c = {
		.p = p, .inst = i, .op = op->mnemonic, .keys = types[inst->op].keys, .key = -1, .mask = -1, .class = -1};
	uint16_t rows[ISA_OPERANDS_MAX];
	const unsigned count = isa_op_operands(op, inst, rows);
	unsigned dtype = 0;
	const char *name = "";

	for (unsigned k = 0; k < count; k++) {
		operand_find(p, op->operands[k], rows[k], &dtype, &name);
		letter_check(&c, letters[k], dtype, name);
	}
	/* Values go with the key, which may come after them. */
	for (unsigned k = 0; k < count; k++)
		if (letters[k] == 'v' && c.key >= 0) {
			operand_find(p, op->operands[k], rows[k], &dtype, &name);
			value_check(&c, dtype, name);
		}
	special_check(&c, inst);
	if (c.bad)
		return -1;
	return (c.key == PTOWSP_I32 || c.class == PTOWSP_I64) + 2 * (c.mask == PTOWSP_I32);
}
