/* SPDX-License-Identifier: MIT */
/* isa.h - the PTO tile ISA: verify a portable kernel once, then run it, walk it for cycles and footprint, print it. */
#ifndef ISA_ISA_H
#define ISA_ISA_H

#include <stdbool.h>

#include "ptowsp/task.h"
#include "ptowsp/tile.h"

/* One row per opcode, from pto_ops.def. */
struct isa_op {
	const char *mnemonic;
	const char *operands; /* this and the next two: see pto_ops.def */
	const char *keys;
	const char *types;
	uint8_t shape; /* enum isa_shape */
	uint8_t cost;  /* enum isa_cost */
	const char *effect;
};
const struct isa_op *isa_op(unsigned opcode); /* NULL if there is none */
/* Opcode or -1; case matters. SADD SSUB SMUL SDIV SMOV SLI SCMP are ADD SUB MUL DIV MOV LI CMP. */
int isa_op_find(const char *mnemonic, size_t length);

/* Does the opcode accept these shapes? Used by the packer (with a caret) and by the verifier: one rule, one home.
 * dst, src: declared tiles in operand order (scalars and memrefs left out). Returns 0, or INVALID and a sentence such as
 * "tdiv needs equal shapes, got 8x8 and 8x1" in text (size bytes). */
ptowsp_status isa_shape_check(unsigned opcode, const struct ptowsp_tile_tile *const *dst, unsigned dst_count, const struct ptowsp_tile_tile *const *src,
			      unsigned src_count, char *text, size_t size);

/* A verified portable kernel; immutable, shared by all threads; does not keep the payload bytes. */
struct isa_program;

/* Verifies payload (untrusted) and copies it. strings: STRS, for names in messages, may be NULL.
 * Errors: BAD_PACKAGE with instruction index and rule, UNKNOWN_OPCODE, NO_MEMORY. Wrong shapes and types (pto_ops.def) are no error
 * here: the program is then unusable, but can still be walked unless the type is that of a scalar that may steer it.
 * *program_out is NULL after an error. */
ptowsp_status isa_program_create(struct isa_program **program_out, const void *payload, size_t size, const char *strings, size_t strings_size,
				 struct ptowsp_error *error);
/* The same, but products of floats may be fused with their sums and rows be summed in another order: faster on some processors, and
 * not the same bits on all. */
ptowsp_status isa_program_create_fast(struct isa_program **program_out, const void *payload, size_t size, const char *strings, size_t strings_size,
				      struct ptowsp_error *error);
/* Either of them, with so much effort for its speed; what it computes is the same at all levels, bit for bit. 0: one instruction after the other, by what every processor has,
 * each tile in memory of its own; 1: tiles share memory, loads that only products read copy nothing, vector instructions of this processor; 2 and more, as above: row-wise
 * instructions in blocks of rows, too. */
enum { ISA_LEVEL_STEPS, ISA_LEVEL_TILES, ISA_LEVEL_ROWS };
ptowsp_status isa_program_create_at(struct isa_program **program_out, unsigned level, bool fast, const void *payload, size_t size, const char *strings,
				    size_t strings_size, struct ptowsp_error *error);
void isa_program_destroy(struct isa_program *program); /* NULL is allowed */
/* Names of the tensors whose windows tasks have, by their TENS rows: sentences of runs have them beside the names of parameters. context: as long as the program runs.
 * Set before its runs, on the thread that made it; without one, parameters are named alone. */
struct isa_tensor_names {
	const char *(*name)(const void *context, uint32_t tensor); /* "" where there is no such row */
	const void *context;
};
void isa_program_tensors(struct isa_program *program, struct isa_tensor_names names);

/* How far an instruction of a fast program may be off: relative = k u / (1 - k u) times the sum of the sizes of what is added up,
 * with k roundings of u, half a unit in the last place of 1. rounded: and then once to the narrower type of the result. */
struct isa_bound {
	const char *mnemonic;
	uint32_t line; /* 0: not known */
	uint64_t roundings;
	double unit, relative;
	bool rounded;
};
/* The next one from instruction *inst on, which becomes the one behind it; false if there is none. */
bool isa_program_bound(const struct isa_program *program, uint32_t *inst, struct isa_bound *bound_out);

const struct ptowsp_tile_header *isa_program_header(const struct isa_program *program);
const struct ptowsp_tile_param *isa_program_params(const struct isa_program *program);
const char *isa_program_unusable(const struct isa_program *program); /* NULL, or the sentence why it cannot run */
size_t isa_program_scratch(const struct isa_program *program);       /* bytes one run needs for tiles and scalars */
/* Bytes of tile memory if every tile had its own, and as a run uses it: tiles whose lifetimes do not meet share. */
void isa_program_memory(const struct isa_program *program, uint64_t *without_out, uint64_t *with_out);
/* 1 if control flow and footprint depend on the scalar arguments; 0 if every task does the same. */
int isa_program_varies(const struct isa_program *program);
/* 1 if control flow or footprint depend on which block of how many runs; 0 if every block of a task does the same. */
int isa_program_by_block(const struct isa_program *program);
/* 1 if control flow or addresses depend on tensor elements: cycles are known only by running. Indices of mgather and mscatter
 * do not count: they change neither. */
int isa_program_data_dependent(const struct isa_program *program);

/* Called for each tload, tstore, gather, LOAD ... : `length` consecutive elements from `offset` of parameter `param`.
 * offset is relative to the window and may be negative or too large: it is what the program would touch.
 * Gather and scatter, whose addresses are data, report offset 0 and length UINT64_MAX. Offsets beyond 2^61 saturate.
 * width: columns of the tile, which lie in a row of a window that has several; 0: single elements, counted row by row. */
typedef void (*isa_touch_fn)(void *context, uint32_t param, int64_t offset, uint64_t length, uint64_t width, unsigned access);

/* Walks the control flow of a task's only block on scalars alone: cycles of the reference model and every touch. touch may be NULL; then loops whose
 * rounds are all equal take no time. Needs no scratch; any thread.
 * Errors: INVALID for too few arguments, UNSUPPORTED if data dependent or steered by a type that is unknown here, LIMIT after
 * max_steps instructions (0 = 2^32), RUN_FAILED for a step that is not positive or a division by zero, NO_MEMORY. */
ptowsp_status isa_walk(const struct isa_program *program, const uint64_t *args, uint32_t arg_count, uint64_t max_steps, isa_touch_fn touch, void *context,
		       uint64_t *cycles_out, struct ptowsp_error *error);

/* Runs it on a task. scratch: isa_program_scratch bytes, 64-byte aligned, this thread's. out->cycles is what was executed.
 * Every access is checked against the task's windows: in a flat one a tile at [r, c] is R * C elements from r * R * C + c, in
 * others rows r * R ... from column c. Any thread, several at once. Errors: KERNEL_FAILED with kernel, source line and what was
 * wrong, or why the program is unusable; RUN_FAILED after 2^32 jumps back. */
ptowsp_status isa_run(const struct isa_program *program, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, void *scratch);

/* For programs that may take long: stop is asked every few thousand instructions and ends them by a value that is not 0. Between two questions a program whose way no element decides is
 * also looked at: where it has the scalars of an earlier time it goes round for ever, and ends with RUN_FAILED. */
struct isa_guard {
	int (*stop)(void *context);
	void *context;
};
/* One of the calls of a task whose kernel has a blockdim. */
struct isa_block {
	uint32_t index, count; /* index < count */
};
/* isa_walk of one block without a limit of its own. Errors also: CANCELLED if the guard ended it. */
ptowsp_status isa_walk_guarded(const struct isa_program *program, const uint64_t *args, uint32_t arg_count, struct isa_block block, isa_touch_fn touch,
			       void *context, const struct isa_guard *guard, uint64_t *cycles_out, struct ptowsp_error *error);
/* isa_run. Errors also: CANCELLED if the guard ended it. */
ptowsp_status isa_run_guarded(const struct isa_program *program, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, void *scratch,
			      const struct isa_guard *guard);

/* The program for a model of a machine: inst_count instructions, tile_count tiles (isa_program_header). They live as long as the program. */
const struct ptowsp_tile_inst *isa_program_insts(const struct isa_program *program);
const struct ptowsp_tile_tile *isa_program_tiles(const struct isa_program *program);
const struct ptowsp_tile_scalar *isa_program_scalars(const struct isa_program *program);
const char *isa_program_name(const struct isa_program *program); /* the function's */
/* Cycles of the reference model for executing instruction inst once, inst < inst_count; a loop's own, without its body. */
uint64_t isa_program_cost(const struct isa_program *program, uint32_t inst);
/* Offset of a tile in the tile memory that isa_program_memory calls shared, a multiple of 64: those whose lifetimes meet do not overlap, and no instruction's result
 * lies on another operand of it. */
uint32_t isa_program_tile_at(const struct isa_program *program, uint32_t tile);
/* Tiles that some path reads before it has written them, which hold zeros at the start. */
const uint32_t *isa_program_zeros(const struct isa_program *program, uint32_t *count_out);
/* The fields of an instruction in the order of its operand letters: upper-case letters are d, e; lower-case a, b, c, f.
 * Returns how many operands the opcode has. */
enum { ISA_OPERANDS_MAX = 6 };
unsigned isa_op_operands(const struct isa_op *op, const struct ptowsp_tile_inst *inst, uint16_t values_out[ISA_OPERANDS_MAX]);
unsigned isa_dtype_bytes(unsigned dtype); /* of an element; 0: there is no such type */
/* Tiles of an instruction: those that it writes wholly, and those that it reads (or writes in part), in operand order. */
struct isa_uses {
	uint16_t written[2], read[5];
	unsigned written_count, read_count;
};
struct isa_uses isa_uses(const struct ptowsp_tile_inst *inst);
/* Bytes of memory that the tiles with in[tile] != 0 need if they alone lie in it and those whose lifetimes do not meet share; each begins
 * at a multiple of 64. at_out (tile_count of them, may be NULL): where each of them then lies. in NULL: all tiles. NO_MEMORY. */
ptowsp_status isa_program_memory_of(const struct isa_program *program, const uint8_t *in, uint32_t *at_out, uint64_t *bytes_out);

/* Goes along with an execution or a walk. */
struct isa_visitor {
	/* Each instruction that is executed, control too, in this order. */
	void (*inst)(void *context, uint32_t inst);
	/* Walk only: the `count` instructions from `first` on, `rounds` times, none of them control but the last, the ENDFOR. NULL: each
	 * is told to inst. */
	void (*rounds)(void *context, uint32_t first, uint32_t count, uint64_t rounds);
	/* Execution only: the instructions from `first` to `last` are done, in one pass over their rows where there are several. NULL: each is told to inst. */
	void (*pass)(void *context, uint32_t first, uint32_t last);
	void *context;
	const uint64_t **scalars; /* NULL, or where a walk leaves its scalars, one per row, for inst to look at: as they are behind the instruction */
};
/* isa_walk_guarded for a visitor. guard may be NULL. */
ptowsp_status isa_walk_visited(const struct isa_program *program, const uint64_t *args, uint32_t arg_count, struct isa_block block,
			       const struct isa_visitor *visitor, const struct isa_guard *guard, struct ptowsp_error *error);
/* isa_run_guarded for a visitor, which is told an instruction when it is done. guard may be NULL. */
ptowsp_status isa_run_visited(const struct isa_program *program, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, void *scratch,
			      const struct isa_visitor *visitor, const struct isa_guard *guard);

/* Prints the program as text, one line per instruction, through emit. */
void isa_disassemble(const struct isa_program *program, void (*emit)(void *context, const char *line), void *context);

#endif
