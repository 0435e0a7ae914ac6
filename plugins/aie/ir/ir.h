/* SPDX-License-Identifier: MIT */
/* ir.h - operations of an MLIR module, as the generic form has them: what is emitted, what is read back, and what is run are this tree.
 *
 * A module owns all of its parts (one arena); pointers stay valid until aie_module_finish. Types and names are interned: equal ones are the same pointer. One
 * thread at a time. */
#ifndef AIE_IR_H
#define AIE_IR_H

#include "ptowsp/base.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum aie_type_kind {
	AIE_TYPE_INDEX,
	AIE_TYPE_INT, /* bits; signless, as MLIR's arith wants them */
	AIE_TYPE_BF16,
	AIE_TYPE_F16,
	AIE_TYPE_F32,
	AIE_TYPE_F64,
	AIE_TYPE_MEMREF,   /* static dims and strides, element */
	AIE_TYPE_FIFO,     /* !aie.objectfifo<element> */
	AIE_TYPE_FUNCTION, /* of the first `inputs` of parts to the others */
	AIE_TYPE_OBJECTS,  /* !aie.objectfifosubview<element>: what an acquire gives in epoch A */
	AIE_TYPE_OTHER,    /* any other, kept as text: vector<16xi32>, !llvm.ptr */
};
enum { AIE_DIMS = 5, AIE_REGIONS_FEW = 4, AIE_REGIONS = 64 }; /* most operations have few regions; an aie.dma has one for each descriptor */
#define AIE_DYNAMIC INT64_MIN                                 /* stands for a size, a stride or an offset that an operand gives */
struct aie_type {
	enum aie_type_kind kind;
	uint32_t bits;             /* of INT and of floats */
	uint32_t rank;             /* of MEMREF; 0 is one element */
	int64_t dims[AIE_DIMS];    /* elements, none below 0 */
	int64_t strides[AIE_DIMS]; /* elements; row major where the type has no layout */
	int64_t offset;            /* elements; AIE_DYNAMIC: `?`, known where it runs */
	bool strided;              /* MEMREF: strides and offset are said in the type */
	const struct aie_type *element;
	uint32_t inputs, part_count;
	const struct aie_type **parts;
	const char *text; /* of OTHER: as aie_name has it */
};

enum aie_attr_kind {
	AIE_ATTR_UNIT,
	AIE_ATTR_BOOL, /* also every i1 */
	AIE_ATTR_INT,
	AIE_ATTR_FLOAT,
	AIE_ATTR_STRING,
	AIE_ATTR_SYMBOL,
	AIE_ATTR_TYPE,
	AIE_ATTR_LIST,      /* [a, b] */
	AIE_ATTR_INTS,      /* array<i64: ...>, array<i32: ...>: type is of one */
	AIE_ATTR_DIMS,      /* #aie<bd_dim_layout_array[<size = s, stride = t>, ...]>: pairs in ints */
	AIE_ATTR_DIMS_LIST, /* #aie<bd_dim_layout_array_array[[...], ...]>: items are DIMS */
	AIE_ATTR_DENSE, /* dense<v> or dense<[..]> of a type: what a buffer begins with; ints are one (all are that) or all elements, of floats the bits of a double */
	AIE_ATTR_OTHER, /* #dialect.name<...>, kept as text */
};
struct aie_attr {
	enum aie_attr_kind kind;
	const struct aie_type *type; /* of INT, FLOAT, INTS, DENSE; the type itself of TYPE */
	int64_t number;              /* of BOOL and INT; signed, as many bits as the type has */
	double real;                 /* of FLOAT, rounded to the type */
	const char *text;            /* of STRING and SYMBOL, without quotes and @; of OTHER all of it */
	uint32_t count;              /* of items or ints */
	const struct aie_attr **items;
	const int64_t *ints;
};
struct aie_named_attr {
	const char *name;
	const struct aie_attr *attr;
};

struct aie_op;
struct aie_value {
	const struct aie_type *type;
	struct aie_op *op; /* that has it as its result, or whose region has it as an argument */
	uint32_t number;   /* of the result or argument, from 0 */
	bool argument;
	uint32_t id; /* its own in the module, from 0 */
};
/* Most regions are one block. Where one branches, each block but the first begins with an operation named AIE_BLOCK, whose results are the block's arguments and whose attribute
 * `label` is its name without '^'. */
#define AIE_BLOCK "^"
struct aie_region {
	struct aie_op *first, *last;
	struct aie_value **arguments;
	uint32_t argument_count;
};
struct aie_op {
	const char *name; /* "aie.tile" */
	struct aie_op *next, *parent;
	struct aie_value **operands, **results;
	struct aie_named_attr *attrs;
	struct aie_region *regions;
	struct aie_op **successors; /* blocks of its region that it may go to */
	uint32_t operand_count, result_count, attr_count, region_count, successor_count;
	uint32_t line, column; /* in the text it was read from, from 1; 0: it was built */
};
struct common_arena;
struct aie_intern;
struct aie_module {
	struct common_arena *arena;
	struct aie_intern *intern;
	struct aie_op *top;   /* "builtin.module", one region */
	uint32_t value_count; /* ids are below it */
};

/* Errors of all: NO_MEMORY. A module that is zeroed or was finished may be begun. */
ptowsp_status aie_module_begin(struct aie_module *module, struct ptowsp_error *error);
void aie_module_finish(struct aie_module *module);

/* ---- building. NULL where there is no memory; what is given NULL gives NULL, so that a whole chain is looked at once. -------------------------- */

const struct aie_type *aie_type_plain(struct aie_module *module, enum aie_type_kind kind, uint32_t bits);
const struct aie_type *aie_type_memref(struct aie_module *module, const struct aie_type *element, uint32_t rank, const int64_t *dims);
/* With strides and an offset, elements. */
const struct aie_type *aie_type_view(struct aie_module *module, const struct aie_type *element, uint32_t rank, const int64_t *dims, const int64_t *strides,
				     int64_t offset);
const struct aie_type *aie_type_fifo(struct aie_module *module, const struct aie_type *memref);
const struct aie_type *aie_type_objects(struct aie_module *module, const struct aie_type *memref);
const struct aie_type *aie_type_other(struct aie_module *module, const char *text);
const struct aie_type *aie_type_function(struct aie_module *module, uint32_t inputs, uint32_t count, const struct aie_type *const *parts);
/* Bytes of all elements of a memref, of one scalar; INDEX counts 4, the address of a core. */
uint64_t aie_type_bytes(const struct aie_type *type);
/* Elements of a memref. Both: UINT64_MAX where they are more. */
uint64_t aie_type_count(const struct aie_type *type);

const struct aie_attr *aie_attr_int(struct aie_module *module, const struct aie_type *type, int64_t value);
const struct aie_attr *aie_attr_float(struct aie_module *module, const struct aie_type *type, double value);
const struct aie_attr *aie_attr_bool(struct aie_module *module, bool value);
const struct aie_attr *aie_attr_text(struct aie_module *module, enum aie_attr_kind kind, const char *text);
const struct aie_attr *aie_attr_type(struct aie_module *module, const struct aie_type *type);
const struct aie_attr *aie_attr_ints(struct aie_module *module, enum aie_attr_kind kind, const struct aie_type *type, uint32_t count, const int64_t *ints);
const struct aie_attr *aie_attr_list(struct aie_module *module, enum aie_attr_kind kind, uint32_t count, const struct aie_attr *const *items);

const struct aie_attr *aie_attr_unit(struct aie_module *module);
/* The module's own copy of a name. */
const char *aie_name(struct aie_module *module, const char *text, size_t length);

/* Behind the last operation of the region, which is one of `parent`. */
struct aie_op *aie_op_add(struct aie_module *module, struct aie_op *parent, struct aie_region *region, const char *name);
bool aie_op_successor(struct aie_module *module, struct aie_op *op, struct aie_op *block);
bool aie_op_operand(struct aie_module *module, struct aie_op *op, struct aie_value *value);
struct aie_value *aie_op_result(struct aie_module *module, struct aie_op *op, const struct aie_type *type);
/* In place of the one of this name, if it has one. */
bool aie_op_attr(struct aie_module *module, struct aie_op *op, const char *name, const struct aie_attr *attr);
/* At most AIE_REGIONS; the first AIE_REGIONS_FEW stay where they are until there are more. */
struct aie_region *aie_op_region(struct aie_module *module, struct aie_op *op);
struct aie_value *aie_region_argument(struct aie_module *module, struct aie_op *op, struct aie_region *region, const struct aie_type *type);

/* ---- looking -------------------------------------------------------------------------------------------------------------------- */

const struct aie_attr *aie_attr_of(const struct aie_op *op, const char *name); /* NULL: it has none */
/* The same of one kind; NULL also where it is of another. */
const struct aie_attr *aie_attr_kind_of(const struct aie_op *op, const char *name, enum aie_attr_kind kind);
/* Is it `outer`, or somewhere in it? */
bool aie_op_inside(const struct aie_op *op, const struct aie_op *outer);
bool aie_types_same(struct aie_value *const *a, struct aie_value *const *b, uint32_t count);
static inline bool aie_op_is(const struct aie_op *op, const char *name)
{
	const char *a = op->name;

	while (*a && *a == *name)
		a++, name++;
	return *a == *name;
}

/* ---- text ----------------------------------------------------------------------------------------------------------------------- */

enum aie_form {
	AIE_FORM_GENERIC, /* every MLIR tool reads it; the artifact of record */
	AIE_FORM_EPOCH_A, /* as people write it, and the dialect's tools up to about August 2026: acquire gives a view whose objects are accessed */
	AIE_FORM_EPOCH_B, /* the same since then: acquire has the objects as its results */
};
/* Text of a module, to be freed with free. */
ptowsp_status aie_module_print(const struct aie_module *module, enum aie_form form, char **text_out, struct ptowsp_error *error);
enum { AIE_READ_BYTES = 1 << 26 }; /* most that a text may have */
/* The generic form; arith, scf, memref, func, cf, aie and aiex also as people write them. Untrusted text: depth, counts and numbers are limited (ir_read.h). Errors: INVALID with line,
 * column, what was expected. */
ptowsp_status aie_module_read(struct aie_module *module, const char *text, size_t length, struct ptowsp_error *error);

/* ---- between ir.c and ir_intern.c ------------------------------------------------------------------------------------------------ */

/* NULL: no memory. Its memory is the arena's. */
struct aie_intern *aie_intern_create(struct common_arena *arena);
/* The module's one that is equal to `like`, whose arrays may be the caller's. NULL: no memory. */
const struct aie_type *aie_intern_type(struct aie_module *module, const struct aie_type *like);
const struct aie_attr *aie_intern_attr(struct aie_module *module, const struct aie_attr *like);

/* ---- bits of floats of a type, and floats of bits; to nearest, ties to even ------------------------------------------------------ */

static inline bool aie_type_is_float(const struct aie_type *type)
{
	return type->kind >= AIE_TYPE_BF16 && type->kind <= AIE_TYPE_F64;
}
uint64_t aie_float_bits(const struct aie_type *type, double value);
/* Values of a dense attribute into memory of a memref. */
void aie_initial_put(uint8_t *memory, const struct aie_type *type, const struct aie_attr *initial);
double aie_float_of(const struct aie_type *type, uint64_t bits);

#endif
