/* SPDX-License-Identifier: MIT */
/* inline_own.h - a kernel's body while it is written. */
#ifndef AIE_INLINE_OWN_H
#define AIE_INLINE_OWN_H

#include "inline.h"

/* A scalar register of the program: a number where it is known, else a value: i64 as task.h keeps integers, floats in their own type. */
struct aie_inline_scalar {
	bool known;
	uint64_t bits;
	struct aie_value *value;
};
/* A place or a distance in elements. */
struct aie_inline_index {
	bool known;
	int64_t number;
	struct aie_value *value;  /* of type index; where it is not known */
};
struct aie_inline_constant {
	const struct aie_attr *attr;
	struct aie_value *value;
};
struct aie_inliner {
	const struct aie_inline_args *args;
	struct aie_module *module;
	const struct isa_program *program;
	const struct ptowsp_tile_inst *insts;
	const struct ptowsp_tile_tile *tiles;
	const struct ptowsp_tile_scalar *rows;    /* of scalars */
	struct aie_op *scope;
	struct aie_op *head;                      /* the last one of constants and tiles, which stand first in the scope; NULL: none yet */
	struct aie_op *parent;                    /* where the next operation goes */
	struct aie_region *region;
	struct aie_inline_scalar *scalars;        /* per row */
	struct aie_value *memory;                 /* of tiles */
	struct aie_value **flat, **grid;          /* per tile, and one for temporary memory: views of rank 1 and 2, made when they are asked for */
	struct aie_inline_constant *constants;
	uint32_t constant_count, constant_room;
	uint64_t bytes;                           /* of memory: all tiles, and what lies behind them */
	bool failed;                              /* there is no memory */
	char *why;                                /* not empty: refused */
};

/* ---- inline_build.c. Values that are NULL make NULL, and `failed`. ------------------------------------------------------ */

struct aie_value *aie_inline_make(struct aie_inliner *in, const char *name, const struct aie_type *result, uint32_t count, struct aie_value *const *operands, struct aie_op **op_out);
struct aie_value *aie_inline_unary(struct aie_inliner *in, const char *name, const struct aie_type *result, struct aie_value *a);
struct aie_value *aie_inline_binary(struct aie_inliner *in, const char *name, struct aie_value *a, struct aie_value *b); /* of their type */
/* arith.cmpi and cmpf; floats or integers by the operands. */
struct aie_value *aie_inline_compare(struct aie_inliner *in, uint32_t predicate, struct aie_value *a, struct aie_value *b);
struct aie_value *aie_inline_select(struct aie_inliner *in, struct aie_value *condition, struct aie_value *yes, struct aie_value *no);
/* Among constants and tiles, in front of the rest. */
struct aie_value *aie_inline_head(struct aie_inliner *in, const char *name, const struct aie_type *result, uint32_t count, struct aie_value *const *operands, struct aie_op **op_out);
struct aie_value *aie_inline_int(struct aie_inliner *in, const struct aie_type *type, int64_t number);
struct aie_value *aie_inline_float(struct aie_inliner *in, const struct aie_type *type, double number);
const struct aie_type *aie_inline_bits(struct aie_inliner *in, uint32_t bits); /* iN */
const struct aie_type *aie_inline_index_type(struct aie_inliner *in);
/* Of elements as tiles hold them, u1 in a byte; as instructions compute with them. */
const struct aie_type *aie_inline_stored(struct aie_inliner *in, unsigned dtype);
const struct aie_type *aie_inline_computed(struct aie_inliner *in, unsigned dtype);
bool aie_inline_is_float(const struct aie_type *type);
/* The class letter of element.def. */
char aie_inline_class(unsigned dtype);

struct aie_inline_index aie_inline_number(int64_t number);
struct aie_inline_index aie_inline_of(struct aie_value *value);
struct aie_inline_index aie_inline_add(struct aie_inliner *in, struct aie_inline_index a, struct aie_inline_index b);
struct aie_inline_index aie_inline_times(struct aie_inliner *in, struct aie_inline_index a, int64_t by);
struct aie_value *aie_inline_value(struct aie_inliner *in, struct aie_inline_index index);

struct aie_value *aie_inline_load(struct aie_inliner *in, struct aie_value *memref, uint32_t rank, struct aie_value *const *at);
void aie_inline_store(struct aie_inliner *in, struct aie_value *value, struct aie_value *memref, uint32_t rank, struct aie_value *const *at);
void aie_inline_copy(struct aie_inliner *in, struct aie_value *from, struct aie_value *to);
/* A part of a memref, as a memref with strides; the memref where it is all of it. */
struct aie_value *aie_inline_part(struct aie_inliner *in, struct aie_value *memref, const struct aie_inline_index *offsets, const int64_t *sizes);

/* scf.for from one index to another; what follows goes into it. carried: values that go from round to round; carried_out: them, in the body. */
struct aie_inline_loop {
	struct aie_op *op, *parent;
	struct aie_region *region;
	struct aie_value *counter;
};
struct aie_inline_loop aie_inline_loop_begin(struct aie_inliner *in, struct aie_value *from, struct aie_value *to, struct aie_value *step, uint32_t carried,
					     struct aie_value *const *values, struct aie_value **carried_out);
struct aie_inline_loop aie_inline_count(struct aie_inliner *in, int64_t from, int64_t to); /* by 1, carrying nothing */
/* values: of the round. Results go to results_out. */
void aie_inline_loop_end(struct aie_inliner *in, const struct aie_inline_loop *loop, uint32_t carried, struct aie_value *const *values, struct aie_value **results_out);

/* ---- inline.c ----------------------------------------------------------------------------------------------------------- */

void aie_inline_refuse(struct aie_inliner *in, uint32_t inst, const char *what); /* the first one stays */
uint64_t aie_inline_count_of(const struct aie_inliner *in, uint32_t tile);       /* elements */
/* The memory of a tile, as `count` elements in a row, and as its rows and columns. */
struct aie_value *aie_inline_flat(struct aie_inliner *in, uint32_t tile);
struct aie_value *aie_inline_grid(struct aie_inliner *in, uint32_t tile);
/* Memory behind the tiles, like that of a tile; the next one that is asked for is the same. */
struct aie_value *aie_inline_temp(struct aie_inliner *in, uint32_t tile, bool flat);
/* inline_flow.c: instructions [first, end). */
void aie_inline_range(struct aie_inliner *in, uint32_t first, uint32_t end);

/* Operands of an instruction in the order of its letters. */
struct aie_inline_operands {
	const struct isa_op *op;
	uint16_t rows[ISA_OPERANDS_MAX];
	uint16_t dst[2], src[4];  /* the same: tiles, scalars and parameters that are written; that are read */
	unsigned count;
	char src_letters[5];
	unsigned key;             /* dtype of what the operation works on */
};
struct aie_inline_operands aie_inline_operands(const struct aie_inliner *in, uint32_t inst);

/* ---- inline_value.c: elements ------------------------------------------------------------------------------------------- */

/* From how they are stored to how they are computed with, and back. */
struct aie_value *aie_inline_widen(struct aie_inliner *in, struct aie_value *stored, unsigned dtype);
struct aie_value *aie_inline_narrow(struct aie_inliner *in, struct aie_value *computed, unsigned dtype);
/* Is it not 0? */
struct aie_value *aie_inline_true(struct aie_inliner *in, struct aie_value *value);
/* What an expression of inline.def sees. */
struct aie_inline_element {
	unsigned key;                  /* dtype */
	unsigned result;               /* dtype of what is made */
	unsigned mode;                 /* of a comparison */
	struct aie_value *stored[3];   /* operands */
	unsigned dtypes[3];
	struct aie_value *computed[3]; /* NULL: of stored, when it is asked for */
	struct aie_value *number;      /* of the element, an index */
	struct aie_value *carried;     /* of a reduction */
};
/* As it is computed; as it is stored where the expression begins with '='. */
struct aie_value *aie_inline_expression(struct aie_inliner *in, struct aie_inline_element *element, const char *text);

/* ---- inline_scalar.c ---------------------------------------------------------------------------------------------------- */

struct aie_value *aie_inline_scalar(struct aie_inliner *in, uint32_t row);
struct aie_inline_index aie_inline_scalar_index(struct aie_inliner *in, uint32_t row);
/* As an element of this type. */
struct aie_value *aie_inline_scalar_stored(struct aie_inliner *in, uint32_t row, unsigned dtype);
struct aie_value *aie_inline_scalar_computed(struct aie_inliner *in, uint32_t row, unsigned dtype);
void aie_inline_scalar_set(struct aie_inliner *in, uint32_t row, struct aie_value *value);
const struct aie_type *aie_inline_scalar_type(struct aie_inliner *in, uint32_t row);
/* The low bits of an i64 as a scalar of this type holds them; from an element to a scalar. */
struct aie_value *aie_inline_scalar_narrow(struct aie_inliner *in, struct aie_value *value, unsigned dtype);
struct aie_value *aie_inline_scalar_of(struct aie_inliner *in, struct aie_value *stored, unsigned from, unsigned to);

/* inline_convert.c: an element of one type as one of another, by mode (PTOWSP_ROUND_x); NULL and refused where there is no way. */
struct aie_value *aie_inline_converted(struct aie_inliner *in, uint32_t inst, struct aie_value *value, unsigned from, unsigned to, unsigned mode);

/* ---- a row per operation ------------------------------------------------------------------------------------------------ */

struct aie_inline_row;
typedef void aie_inline_fn(struct aie_inliner *in, uint32_t inst, const struct aie_inline_row *row);
struct aie_inline_row {
	aie_inline_fn *make;           /* NULL: it has no body */
	const char *access;
	const char *floats, *signeds, *unsigneds, *bools;
};
extern const struct aie_inline_row aie_inline_rows[256];
/* The expression for a type, "": it has none. */
const char *aie_inline_text(const struct aie_inline_row *row, unsigned dtype);
#define AIE_INLINE_ROWS(X) \
	X(load) X(store) X(store_scaled) X(memory_gather) X(memory_scatter) X(element_get) X(element_set) X(elements) X(product) X(product_scaled) X(reduce) X(move) X(transpose) \
	X(extract) X(gather) X(scatter) X(convert) X(sort) X(merge) X(scalar_arith) X(scalar_move) X(scalar_compare) X(scalar_load) X(scalar_store) X(nothing)
#define X(name) aie_inline_fn aie_inline_make_##name;
AIE_INLINE_ROWS(X)
#undef X

#endif
