/* SPDX-License-Identifier: MIT */
/* isa_program.h - a verified tile program and its decoded form. Built by create in this order: copy (isa_program.c), verify.c,
 * isa_plan.c, type.c, lower.c, flow.c,
 * rows.c, isa_place.c; immutable afterwards, but for the names of tensors, which are set before the first run. */
#ifndef ISA_PROGRAM_H
#define ISA_PROGRAM_H

#include "isa/isa_plan.h"

enum { ISA_ALIGN = 64, ISA_NAME_MAX = 255, ISA_NESTING_MAX = 64, ISA_INSTS_MAX = 1 << 20 };
#define ISA_TILE_BYTES_MAX (UINT64_C(1) << 30) /* all tiles of a program together */

struct isa_step;
struct isa_state;
/* Does one instruction; 0 or a negative status with the sentence in the state's error record. */
typedef ptowsp_status (*isa_step_fn)(const struct isa_step *s, struct isa_state *state);

struct isa_operand {
	uint32_t at;            /* tile: byte offset in scratch; scalar and memref: row of its table */
	uint32_t rows, columns; /* tile */
	uint8_t dtype, bytes;   /* code and size of its element type */
	uint16_t row;           /* of its table */
};
/* One decoded instruction. */
struct isa_step {
	isa_step_fn run;  /* NULL: the interpreter's own, or nothing to do */
	isa_step_fn walk; /* on scalars alone; NULL: nothing but its cost */
	uint64_t cost;
	struct isa_operand d, e, a, b, c, f;
	uint32_t target;
	uint32_t line;
	uint32_t flat; /* FOR: instructions of a round, ENDFOR too, if the body is straight and writes no scalar; else 0 */
	uint8_t op, mode;
	uint16_t copy;       /* nonzero: the destination is also a source that must survive; work in scratch temp */
	uint64_t round_cost; /* FOR with flat: cycles of one round */
};

enum { ISA_TAINT_ARG = 1, ISA_TAINT_DATA = 2, ISA_TAINT_BLOCK = 4 };

struct isa_program {
	struct ptowsp_tile_header header;
	struct ptowsp_tile_param *params;
	struct ptowsp_tile_tile *tiles;
	struct ptowsp_tile_scalar *scalars;
	struct ptowsp_tile_inst *insts;
	const char *name; /* this and the tables below point into pool */
	const char **param_names, **tile_names, **scalar_names;
	char *pool;
	struct isa_tensor_names tensor_names;

	struct isa_step *steps; /* one per instruction */
	struct isa_plan plan;
	struct isa_rows *rows; /* rows.h: groups that run in blocks */
	uint32_t rows_count;
	size_t *place_at;   /* isa_place.h: per tile where in scratch the place it was loaded from stands, or 0; NULL: no tile has one */
	uint32_t tiles_at;  /* where tile memory begins in scratch: plan.at counts from there */
	uint64_t *initial;  /* the scalars at the start, one per row */
	uint32_t *arg_rows; /* scalar row of each argument */
	uint32_t arg_count;
	uint32_t *zero_tiles; /* tiles that some path reads before it writes them */
	uint32_t zero_count;
	uint8_t *taint; /* per scalar: ISA_TAINT_x of any value it may hold */
	bool varies, data_dependent, by_block;
	bool of_blocks;                   /* some scalar is a block's number or count */
	size_t temp_at, rows_at, scratch; /* scratch: scalars, tiles, temp, steps of a group in blocks */
	char unusable[216];               /* why it cannot run, or empty */
	char unwalkable[216];             /* why not even its control flow makes sense, or empty */
};

/* verify.c: structure of the copied tables. BAD_PACKAGE or UNKNOWN_OPCODE. */
ptowsp_status isa_verify(struct isa_program *p, struct ptowsp_error *error);
/* type.c: element types of instruction i. Returns the code of the key type, or of the class in which scalars compute (a float type,
 * I64, or U64), or -1; the program is then marked. */
int isa_type_check(struct isa_program *p, uint32_t i);
struct isa_options;
/* lower.c: scratch layout, decoded steps, shapes and types. */
ptowsp_status isa_lower(struct isa_program *p, const struct isa_options *options, struct ptowsp_error *error);
/* flow.c: what depends on what, loops in closed form, tiles to clear. */
ptowsp_status isa_flow(struct isa_program *p, struct ptowsp_error *error);

/* isa_program_create with what is otherwise decided there. */
struct isa_options {
	bool own_places;     /* every tile has memory of its own */
	uint32_t rows_bytes; /* of a block of rows (rows.h); 0: no group runs in blocks */
	bool all_copied;     /* every load copies (isa_place.h) */
	bool any_processor;  /* no instructions that only some have */
	bool fast;           /* isa_program_create_fast */
};
ptowsp_status isa_program_create_with(struct isa_program **program_out, const void *payload, size_t size, const char *strings, size_t strings_size,
				      const struct isa_options *options, struct ptowsp_error *error);

/* isa_program.c: keeps the first sentence. Both name the kernel and the instruction's line. */
void isa_program_mark(struct isa_program *p, char text[216], uint32_t inst, const char *format, ...) __attribute__((format(printf, 4, 5)));
/* "line 12", or "instruction 5" where no line is known. */
struct isa_place {
	char text[32];
};
struct isa_place isa_program_place(const struct isa_program *p, uint32_t inst);

/* print.c: instruction i as text, without its line. */
void isa_inst_text(const struct isa_program *p, uint32_t i, char text[1024]);

/* error.c */
ptowsp_status isa_error(struct ptowsp_error *error, ptowsp_status code, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
