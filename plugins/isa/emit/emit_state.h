/* SPDX-License-Identifier: MIT */
/* emit_state.h - one emission: text that grows, names, what is known so far. */
#ifndef ISA_EMIT_STATE_H
#define ISA_EMIT_STATE_H

#include "isa/element.h"
#include "isa/emit/emit.h"
#include "isa/emit/emit_core.h"
#include "isa/isa_plan.h"
#include "isa/isa_program.h"
#include "registry/common/common_names.h"
#include "registry/common/common_text.h"

enum isa_form { ISA_FORM_NOTHING, ISA_FORM_LOOP, ISA_FORM_LOAD, ISA_FORM_STORE, ISA_FORM_REDUCE, ISA_FORM_CALL, ISA_FORM_SCALAR, ISA_FORM_CONTROL };

/* A row of emit.def, or of elementwise.def, whose expressions are C. */
struct isa_emit_op {
	uint8_t form;
	bool is_c;
	const char *access;
	const char *floats, *is_signed, *is_unsigned, *u1;
};
const struct isa_emit_op *isa_emit_op(unsigned opcode);

/* Text under construction. */
struct isa_writing {
	struct common_text text;
	unsigned depth; /* of blocks, a tab each */
};

/* A tile's home in a core's function: 0, memory of its own, else 1 + the load or store in whose window it lies. moves: each load gives its place anew. */
struct isa_home {
	uint32_t inst;
	bool moves;
};

struct isa_group_tile;
struct isa_emitter {
	const struct isa_program *p;
	const struct isa_emit_target *target;
	const char *symbol;
	struct isa_writing out;
	struct common_names names;          /* the function's, of parameters, tiles and scalars, as in emitted code */
	bool *tile_used;                    /* memory of its own is used */
	struct isa_group_tile *group_tiles; /* owned, by tile (emit_group.h); zeros between groups */
	bool *scalar_used;
	uint64_t cycles;    /* done, and not yet in the text */
	uint64_t temp_at;   /* bytes of tiles; temporary memory begins there */
	uint64_t temp_most; /* of it that some statement needs */
	uint64_t temp_now;  /* of it that the statement in question has */
	bool products;      /* product.h is used */
	bool functions;     /* of isa_tile.h are, or conversions or sums of rows, which gain from the longest vectors */
	bool shuffles;      /* loops of tile_op.h, or conversions to integers, are, which need all that a compiler knows */
	bool counted;       /* jumps back are counted */
	const uint32_t *at; /* per tile, where its memory begins: the plan's, or a core's own */
	/* A function for a core; NULL: one for any task. */
	const struct isa_core_function *core;
	struct isa_home *homes;          /* owned, per tile */
	bool *done;                      /* owned, per instruction: nothing is left of it, as its tile lies in the window */
	struct common_text product_text; /* functions for its products, each once */
};

/* emit_text.c: a line, indented; pieces of one; a line that opens or closes a block. */
void isa_put(struct isa_emitter *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
void isa_line(struct isa_emitter *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
void isa_open(struct isa_emitter *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
void isa_close(struct isa_emitter *e);
void isa_indent(struct isa_emitter *e);

/* A piece of text made at once; what does not fit is cut, which no expression is long enough for. */
struct isa_piece {
	char text[1536];
};
struct isa_piece isa_piece(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A name of the program between quotes, as C writes it. */
struct isa_piece isa_quoted(const char *name);

/* emit_names.c: names that C takes and that differ from each other. */
ptowsp_status isa_names_make(struct isa_emitter *e);
const char *isa_param_name(const struct isa_emitter *e, uint32_t row);
const char *isa_tile_name(const struct isa_emitter *e, uint32_t row);
const char *isa_scalar_name(const struct isa_emitter *e, uint32_t row);

/* emit_value.c */
const char *isa_stored_type(unsigned dtype); /* "float", "uint16_t" */
const char *isa_scalar_type(unsigned dtype); /* of a variable that holds a scalar register */
const char *isa_type_suffix(unsigned dtype); /* "f32", "u1" */
const char *isa_type_code(unsigned dtype);   /* "F32", "BOOL", behind PTOWSP_ */
const char *isa_compare_sign(unsigned mode);
/* A scalar's register as an expression; as an integer of 64 bits; as a condition; as it is stored in, or computed with, elements of
 * a type. */
struct isa_piece isa_scalar_text(struct isa_emitter *e, uint32_t row);
struct isa_piece isa_scalar_i64(struct isa_emitter *e, uint32_t row);
struct isa_piece isa_scalar_condition(struct isa_emitter *e, uint32_t row);
struct isa_piece isa_scalar_stored(struct isa_emitter *e, uint32_t row, unsigned dtype);
/* An integer of 64 bits as what a scalar of this type holds. */
struct isa_piece isa_narrowed(const char *expression, unsigned dtype);
/* A literal of a scalar register's value. */
struct isa_piece isa_literal(uint64_t bits, unsigned dtype);
/* Stored to computed, computed to wide, a result in what is computed with to stored. */
struct isa_piece isa_computed(const char *stored, unsigned dtype);
struct isa_piece isa_rounded(const char *expression, unsigned dtype);

/* Operands of an instruction as stored elements, by their place among the sources. */
struct isa_element_texts {
	struct isa_piece source[4];
	struct isa_piece number; /* of the element */
};
/* An expression of emit.def for instruction i, filled in; and its own, as it is stored. */
struct isa_piece isa_filled(struct isa_emitter *e, uint32_t i, const char *expression, unsigned key, const struct isa_element_texts *texts);
struct isa_piece isa_expression(struct isa_emitter *e, uint32_t i, const struct isa_element_texts *texts);
/* Type that emit.def's expression is chosen by. */
unsigned isa_key_type(const struct isa_emitter *e, uint32_t i);

/* emit_loop.c: a group of row-wise instructions. emit_call.c, emit_flow.c: one instruction. */
void isa_group_emit(struct isa_emitter *e, const struct isa_group *group);
void isa_call_emit(struct isa_emitter *e, uint32_t i);
void isa_scalar_emit(struct isa_emitter *e, uint32_t i);
void isa_control_emit(struct isa_emitter *e, uint32_t i);
/* Whether some path may jump back 2^32 times. */
bool isa_jumps_counted(const struct isa_program *p);

/* emit_ascend.c */
uint32_t isa_ascend_statement(struct isa_emitter *e, uint32_t i);
void isa_ascend_head(struct isa_emitter *e);
void isa_ascend_tail(struct isa_emitter *e);
/* emit_c.c, emit_cuda.c, emit_opencl.c: heads and tails of rows of the table. */
void isa_c_head(struct isa_emitter *e);
void isa_c_tail(struct isa_emitter *e);
void isa_cuda_head(struct isa_emitter *e);
void isa_cuda_tail(struct isa_emitter *e);
void isa_opencl_head(struct isa_emitter *e);
void isa_opencl_tail(struct isa_emitter *e);
/* emit_c.c. May tasks have only parts of the parameter's tile? Bytes of their copies as whole tiles, which lie behind isa_memory_bytes. */
bool isa_param_is_part(const struct isa_program *p, uint32_t param);
uint64_t isa_parts_bytes(const struct isa_program *p);
/* The part that heads of several targets share: the table of parameters, behind `kind` ("static const"); tiles and scalars as variables. */
void isa_params_put(struct isa_emitter *e, const char *kind);
void isa_wholes_put(struct isa_emitter *e, const char *kind); /* the same for tiles of parts; behind the body */
void isa_param_names_put(struct isa_emitter *e);              /* of that table, their numbers */
uint64_t isa_memory_bytes(const struct isa_emitter *e);       /* of tiles and temporary memory; behind the body */
void isa_tiles_put(struct isa_emitter *e);
void isa_scalars_put(struct isa_emitter *e);

/* emit_core.c: a product of these types and this shape as a function of the file; its name. */
struct isa_piece isa_core_product(struct isa_emitter *e, const char *macro, const unsigned *dtypes, unsigned count, unsigned how, const unsigned long *shape,
				  unsigned shape_count);
/* Whether what an instruction reads or writes has to be looked at: in a core's function only where data decide it. */
bool isa_is_checked(const struct isa_emitter *e);
/* A line that ends the kernel, by this statement or however a core does. */
void isa_fail_put(struct isa_emitter *e, const char *statement);
/* The window of a parameter as an expression: of the call, or of the core's function. */
struct isa_piece isa_window_text(struct isa_emitter *e, uint32_t param);

/* emit.c: tables of an emitter, made and freed; the statements of all instructions. */
ptowsp_status isa_emitter_begin(struct isa_emitter *e); /* NO_MEMORY */
void isa_emitter_finish(struct isa_emitter *e);
void isa_body_emit(struct isa_emitter *e);
void isa_barrier_put(struct isa_emitter *e);                              /* nothing where the target has none */
struct isa_piece isa_place_text(const struct isa_emitter *e, uint32_t i); /* "line 12" between quotes */
void isa_comment(struct isa_emitter *e, uint32_t i);                      /* the instruction, on a line of its own */
struct isa_piece isa_comment_text(struct isa_emitter *e, uint32_t i);     /* without types */
void isa_cycles_put(struct isa_emitter *e);                               /* before what can fail or go elsewhere */
bool isa_tile_is_placed(const struct isa_emitter *e, uint32_t tile);      /* loaded on its own, read by products alone: NAME_place is where it lies */
struct isa_piece isa_tile(struct isa_emitter *e, uint32_t tile);          /* its memory, which is then declared */
/* Temporary memory of the statement, aligned; as a pointer to elements of a type. temp_now is 0 at its begin. */
struct isa_piece isa_temp(struct isa_emitter *e, uint64_t count, unsigned dtype);
uint64_t isa_temp_take(struct isa_emitter *e, uint64_t count, unsigned dtype); /* where in the memory it begins */

#endif
