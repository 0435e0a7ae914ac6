/* SPDX-License-Identifier: MIT */
/* builder.h - libptowsp-pack.so: packages by calls instead of source text, for frontends in any language. packages/BUILDER.md is the
 * tour; here is what each call demands.
 *
 *	struct ptowsp_build *b = ptowsp_build_create("twice");
 *	uint32_t n = ptowsp_build_symbol(b, "n", "u64");
 *	...
 *	if (ptowsp_build_save(b, "twice.pkg.zst"))
 *		fprintf(stderr, "%s\n", ptowsp_build_error(b));
 *	ptowsp_build_destroy(b);
 *
 * Plain functions on plain types. A call that makes something returns its handle, the others 1; all return 0 when they refuse. The
 * first refusal is kept with one sentence that begins with the call's name; all later calls do nothing and return 0, so that one look
 * at the end is enough. Handles know what they stand for: a tensor where a region is
 * wanted is refused, as is any other misuse; those of one builder mean nothing to another. Texts and arrays are copied. Texts are UTF-8 without control characters;
 * words are those of the package (packages/FORMAT.md): dtypes f32 ..., roles in, out, inout, temp, const, memories gm, ub ....
 *
 * An expression may be given as the handle of an expression, or of a symbol or slot whose value is meant.
 * One thread at a time per builder; nothing is shared between builders. */
#ifndef PTOWSP_BUILDER_H
#define PTOWSP_BUILDER_H

#include "lang/ptowsp_pack.h"

PTOWSP_BEGIN

struct ptowsp_build;

/* name: of the package, with the facts that ptowsp-pack states (version, producer, entry_kind, wsp_runtime_abi); NULL: no facts but
 * those of ptowsp_build_meta. NULL without memory. */
PTOWSP_PACK_API struct ptowsp_build *ptowsp_build_create(const char *name);
PTOWSP_PACK_API void ptowsp_build_destroy(struct ptowsp_build *b); /* NULL is allowed */

/* "" or the first refusal: "ptowsp_build_task: 7 is no handle of a kernel". Borrowed. */
PTOWSP_PACK_API const char *ptowsp_build_error(const struct ptowsp_build *b);
PTOWSP_PACK_API ptowsp_status ptowsp_build_status(const struct ptowsp_build *b); /* 0, INVALID, NO_MEMORY, BAD_PACKAGE */
/* Notices: no errors but worth knowing, index 0 first: a kernel that is packed and cannot run. NULL behind the last. Borrowed. */
PTOWSP_PACK_API const char *ptowsp_build_notice(const struct ptowsp_build *b, uint32_t index);

/* Ends the building: everything must be closed. Sorts what has an id, writes the tables in the order in which ptowsp-pack writes
 * them, and verifies the package. Returns the status. A second call returns the same. */
PTOWSP_PACK_API ptowsp_status ptowsp_build_seal(struct ptowsp_build *b);
/* After it: the file's bytes (borrowed; NULL and 0 otherwise), and the digest that stands for the content, 64 hexadecimal digits, "" otherwise. */
PTOWSP_PACK_API const void *ptowsp_build_bytes(const struct ptowsp_build *b);
PTOWSP_PACK_API uint64_t ptowsp_build_size(const struct ptowsp_build *b);
PTOWSP_PACK_API const char *ptowsp_build_digest(const struct ptowsp_build *b);
/* Seals if that has not been done, and writes the file. Errors: those of seal, IO. */
PTOWSP_PACK_API ptowsp_status ptowsp_build_save(struct ptowsp_build *b, const char *path);

/* ---- facts ------------------------------------------------------------------------------------------------------------------- */

/* A fact; that of an earlier equal key is replaced. */
PTOWSP_PACK_API uint32_t ptowsp_build_meta(struct ptowsp_build *b, const char *key, const char *value);
/* A backend that the package is for; none: any. */
PTOWSP_PACK_API uint32_t ptowsp_build_target(struct ptowsp_build *b, const char *target);
/* The place in the source of the things that the following calls build: kept for instructions, tile instructions (line), divisions, entries and
 * kernels, until the next call. file "": nowhere. Folders are left out of file. */
PTOWSP_PACK_API uint32_t ptowsp_build_position(struct ptowsp_build *b, const char *file, uint32_t line, uint32_t column);

/* ---- for those who must meet given bytes (ptowsp-inspect --c prints them where they are needed) ----------------------------- */

/* Before everything else: rows are kept as they are stated. Without it equal expressions, axes, regions and levels share a row,
 * constants are folded, expressions lie in the order of their first use, arguments take their shortest form, kernels are written in the order of their ids, symbols without a default are added to the
 * values of the entry that uses them, and loops make the expression of their value. */
PTOWSP_PACK_API uint32_t ptowsp_build_stated(struct ptowsp_build *b);
/* The next string of section STRS, in front of those that come in the course of things. */
PTOWSP_PACK_API uint32_t ptowsp_build_string(struct ptowsp_build *b, const char *text);
/* Gives the bytes of a section ("KPRM"), which it holds in the end instead of the rows that were built. Verified like everything. */
PTOWSP_PACK_API uint32_t ptowsp_build_section(struct ptowsp_build *b, const char *section, const void *bytes, uint64_t size);
/* The next row in the lists of section WORK: an axis, kernel or tensor. Without any: all axes, the kernels as they come, no tensors. */
PTOWSP_PACK_API uint32_t ptowsp_build_list(struct ptowsp_build *b, uint32_t handle);

/* ---- symbols, slots, expressions --------------------------------------------------------------------------------------------- */

/* A value that is set between runs; one that a run may change. Names are unique among both. */
PTOWSP_PACK_API uint32_t ptowsp_build_symbol(struct ptowsp_build *b, const char *name, const char *dtype);
PTOWSP_PACK_API uint32_t ptowsp_build_slot(struct ptowsp_build *b, const char *name, const char *dtype);
/* The slot is not set from outside. */
PTOWSP_PACK_API uint32_t ptowsp_build_internal(struct ptowsp_build *b, uint32_t slot);
/* The value of a slot unless a run sets it, as text ("1024", "0.5") or as 64 bits: sign-extended integer or bit pattern of the float. */
PTOWSP_PACK_API uint32_t ptowsp_build_default(struct ptowsp_build *b, uint32_t slot, const char *text);
PTOWSP_PACK_API uint32_t ptowsp_build_default_bits(struct ptowsp_build *b, uint32_t slot, uint64_t bits);

/* A constant; the value of a symbol or slot; of the enclosing loop at a depth, 0 the outermost; of the innermost enclosing loop of
 * that name, 0 outside. */
PTOWSP_PACK_API uint32_t ptowsp_build_number(struct ptowsp_build *b, int64_t value);
PTOWSP_PACK_API uint32_t ptowsp_build_value(struct ptowsp_build *b, uint32_t slot);
PTOWSP_PACK_API uint32_t ptowsp_build_loop(struct ptowsp_build *b, uint32_t depth);
PTOWSP_PACK_API uint32_t ptowsp_build_named(struct ptowsp_build *b, const char *loop);
/* A node of expr_ops.def by its word: "+", "min", "select", "task" ...; operands that it does not have are 0. */
PTOWSP_PACK_API uint32_t ptowsp_build_expr(struct ptowsp_build *b, const char *op, uint32_t x, uint32_t y, uint32_t z);

/* ---- axes ---------------------------------------------------------------------------------------------------------------------- */

/* Tile levels: blocks[i] has rows[i] tile rows; powers of two, multiples of 32 as FORMAT.md says. */
PTOWSP_PACK_API uint32_t ptowsp_build_levels(struct ptowsp_build *b, uint32_t max_range, uint32_t min_range, const uint32_t *blocks, const uint32_t *rows,
					     uint32_t count);
/* low, low + step, ... below high; kind "dense" or "dense_dyn"; levels 0 for none. */
PTOWSP_PACK_API uint32_t ptowsp_build_axis(struct ptowsp_build *b, const char *name, const char *kind, uint32_t low, uint32_t high, uint32_t step,
					   uint32_t levels);
/* The values 0 .. lengths[row] - 1. */
PTOWSP_PACK_API uint32_t ptowsp_build_ragged(struct ptowsp_build *b, const char *name, uint32_t row, const int64_t *lengths, uint32_t rows);
/* indices[begins[row]] .. before indices[begins[row + 1]]; begins has rows + 1 numbers, begins[rows] is how many indices there are. */
PTOWSP_PACK_API uint32_t ptowsp_build_sparse(struct ptowsp_build *b, const char *name, uint32_t row, const int64_t *begins, uint32_t rows,
					     const int64_t *indices);
/* The same from tensors of integers: how many rows as an expression; indices 0: ragged, lengths is the length of each row; else
 * sparse, lengths is where each row begins, and their end. */
PTOWSP_PACK_API uint32_t ptowsp_build_axis_of(struct ptowsp_build *b, const char *name, uint32_t row, uint32_t rows, uint32_t lengths, uint32_t indices);

/* ---- tensors ------------------------------------------------------------------------------------------------------------------- */

PTOWSP_PACK_API uint32_t ptowsp_build_tensor(struct ptowsp_build *b, const char *name, const char *dtype, const char *role);
PTOWSP_PACK_API uint32_t ptowsp_build_tensor_space(struct ptowsp_build *b, uint32_t tensor, const char *space);
PTOWSP_PACK_API uint32_t ptowsp_build_tensor_alignment(struct ptowsp_build *b, uint32_t tensor, uint32_t bytes);
/* The next extent, outermost first, at most 4; constants and symbols only. */
PTOWSP_PACK_API uint32_t ptowsp_build_tensor_dim(struct ptowsp_build *b, uint32_t tensor, uint32_t extent);
/* The extent stated last is sharded over an axis of the grid. */
PTOWSP_PACK_API uint32_t ptowsp_build_tensor_shard(struct ptowsp_build *b, uint32_t tensor, uint32_t mesh_axis);
/* The tensor's layout is stated and R in every dimension, as layout(R, R) says; without this call and without shards it states none. */
PTOWSP_PACK_API uint32_t ptowsp_build_tensor_replicated(struct ptowsp_build *b, uint32_t tensor);
/* How its elements lie in memory (row_major unless stated): row_major, col_major, blocked, nz, strides; swizzle bits 0 to 7. Behind it the block of
 * blocked and nz, or a stride per dimension, in elements, outermost first. */
PTOWSP_PACK_API uint32_t ptowsp_build_tensor_memory(struct ptowsp_build *b, uint32_t tensor, const char *order, uint32_t swizzle);
PTOWSP_PACK_API uint32_t ptowsp_build_tensor_block(struct ptowsp_build *b, uint32_t tensor, uint32_t rows, uint32_t columns);
PTOWSP_PACK_API uint32_t ptowsp_build_tensor_stride(struct ptowsp_build *b, uint32_t tensor, uint32_t elements);
/* The tensor has the dimensions of another one, the same rows of DIMS; the other one's are stated first. */
PTOWSP_PACK_API uint32_t ptowsp_build_tensor_like(struct ptowsp_build *b, uint32_t tensor, uint32_t other);
/* The tensor takes the shape of its binding. */
PTOWSP_PACK_API uint32_t ptowsp_build_tensor_shapeless(struct ptowsp_build *b, uint32_t tensor);
/* The tensor is the entry's own (0: everyone's), at that place of its signature. Without this call: everyone's, in the order of declaration. */
PTOWSP_PACK_API uint32_t ptowsp_build_tensor_place(struct ptowsp_build *b, uint32_t tensor, uint32_t entry, uint32_t position);
/* rows x columns elements from [row, column], which are expressions; rows and columns are numbers. Or, flat, what the kernel touches from element row * unit + column on, unit at least 1, and
 * of that at most reach elements, 0: to the end of the tensor. */
PTOWSP_PACK_API uint32_t ptowsp_build_region(struct ptowsp_build *b, uint32_t tensor, uint32_t row, uint32_t column, uint32_t rows, uint32_t columns);
PTOWSP_PACK_API uint32_t ptowsp_build_window(struct ptowsp_build *b, uint32_t tensor, uint32_t row, uint32_t column, uint32_t unit, uint32_t reach);
/* Either, of a tensor of u8 that is seen as elements of another type; positions and sizes are bytes. unit 0: rows x columns, else flat with
 * that reach in columns. */
PTOWSP_PACK_API uint32_t ptowsp_build_view(struct ptowsp_build *b, uint32_t tensor, const char *dtype, uint32_t row, uint32_t column, uint32_t rows,
					   uint32_t columns, uint32_t unit);
/* Sample data, "input" or "expected": bytes of rank extents, product of the extents times the element. */
PTOWSP_PACK_API uint32_t ptowsp_build_sample(struct ptowsp_build *b, uint32_t tensor, const char *role, const uint64_t *extents, uint32_t rank,
					     const void *bytes, uint64_t size);

/* ---- kernels ------------------------------------------------------------------------------------------------------------------- */

/* unit: any, host, aic, aiv, aic_aiv, aicpu, aie_core. */
PTOWSP_PACK_API uint32_t ptowsp_build_kernel(struct ptowsp_build *b, const char *name, const char *unit);
PTOWSP_PACK_API uint32_t ptowsp_build_kernel_signature(struct ptowsp_build *b, uint32_t kernel, const char *signature); /* "v(p,p,i64)" */
PTOWSP_PACK_API uint32_t ptowsp_build_kernel_blocks(struct ptowsp_build *b, uint32_t kernel, uint32_t blockdim);
PTOWSP_PACK_API uint32_t ptowsp_build_kernel_workspace(struct ptowsp_build *b, uint32_t kernel, uint64_t bytes);
PTOWSP_PACK_API uint32_t ptowsp_build_kernel_symbol(struct ptowsp_build *b, uint32_t kernel, const char *symbol); /* C function where no payload serves */
PTOWSP_PACK_API uint32_t ptowsp_build_kernel_measured(struct ptowsp_build *b, uint32_t kernel);                   /* its cycles are measured */
/* The next parameter: a tensor (access: none, in, out, inout), or a scalar. Before the first task of the kernel. rows and columns of the
 * first tile that touches it are found in the kernel's body, or stated. */
PTOWSP_PACK_API uint32_t ptowsp_build_param(struct ptowsp_build *b, uint32_t kernel, const char *name, const char *dtype, const char *access);
PTOWSP_PACK_API uint32_t ptowsp_build_param_tile(struct ptowsp_build *b, uint32_t param, uint32_t rows, uint32_t columns);
/* The next dimension of the layout that the parameter states, outermost first: "replicated", or "sharded" over an axis of the grid. None: it
 * states no layout. At most 4, of a parameter with rows and columns 2. */
PTOWSP_PACK_API uint32_t ptowsp_build_param_dim(struct ptowsp_build *b, uint32_t param, const char *distribution, uint32_t mesh_axis);
/* The order in memory that the parameter takes (any unless stated), as ptowsp_build_tensor_memory says it, and behind it block or strides. */
PTOWSP_PACK_API uint32_t ptowsp_build_param_memory(struct ptowsp_build *b, uint32_t param, const char *order, uint32_t swizzle);
PTOWSP_PACK_API uint32_t ptowsp_build_param_block(struct ptowsp_build *b, uint32_t param, uint32_t rows, uint32_t columns);
PTOWSP_PACK_API uint32_t ptowsp_build_param_stride(struct ptowsp_build *b, uint32_t param, uint32_t elements);
PTOWSP_PACK_API uint32_t ptowsp_build_param_scalar(struct ptowsp_build *b, uint32_t kernel, const char *name, const char *dtype);
/* The next payload, best first: kind pto, elf, image or source. */
PTOWSP_PACK_API uint32_t ptowsp_build_payload(struct ptowsp_build *b, uint32_t kernel, const char *kind, const void *bytes, uint64_t size);
/* The same with the bytes of a file, 1 to 2^28 of them; path as the calling program sees it. */
PTOWSP_PACK_API uint32_t ptowsp_build_payload_file(struct ptowsp_build *b, uint32_t kernel, const char *kind, const char *path);
/* The kernel has the payloads of another one, the same rows; neither has payloads of its own then but the other. */
PTOWSP_PACK_API uint32_t ptowsp_build_payload_like(struct ptowsp_build *b, uint32_t kernel, uint32_t other);
PTOWSP_PACK_API uint32_t ptowsp_build_payload_target(struct ptowsp_build *b, uint32_t payload, const char *target);
PTOWSP_PACK_API uint32_t ptowsp_build_payload_unit(struct ptowsp_build *b, uint32_t payload, const char *unit);
PTOWSP_PACK_API uint32_t ptowsp_build_payload_entry(struct ptowsp_build *b, uint32_t payload, const char *symbol);
PTOWSP_PACK_API uint32_t ptowsp_build_payload_offset(struct ptowsp_build *b, uint32_t payload, uint64_t entry_offset);
PTOWSP_PACK_API uint32_t ptowsp_build_payload_cycles(struct ptowsp_build *b, uint32_t payload, uint64_t cycles);
/* Bytes that it needs as its task's workspace; a task has the larger of this and its kernel's. */
PTOWSP_PACK_API uint32_t ptowsp_build_payload_workspace(struct ptowsp_build *b, uint32_t payload, uint64_t bytes);
/* The other kernel takes the kernel's place at tile level `rows`: one with the same parameters, which sealing checks. */
PTOWSP_PACK_API uint32_t ptowsp_build_variant(struct ptowsp_build *b, uint32_t kernel, uint32_t rows, uint32_t other);

/* A payload of kind pto in the tile ISA, until body_end. Returns the payload. The kernel's parameters are declared before. */
PTOWSP_PACK_API uint32_t ptowsp_build_body(struct ptowsp_build *b, uint32_t kernel);
/* The name that the payload gives itself, the kernel's unless stated. */
PTOWSP_PACK_API uint32_t ptowsp_build_body_name(struct ptowsp_build *b, const char *name);
PTOWSP_PACK_API uint32_t ptowsp_build_tile(struct ptowsp_build *b, const char *name, const char *dtype, uint32_t rows, uint32_t columns);
PTOWSP_PACK_API uint32_t ptowsp_build_tile_space(struct ptowsp_build *b, uint32_t tile, const char *space); /* ub unless stated */
/* kind: local, block_index, block_count. */
PTOWSP_PACK_API uint32_t ptowsp_build_scalar(struct ptowsp_build *b, const char *name, const char *dtype, const char *kind);
/* The value of a scalar parameter; needed only where its place among the scalars matters: ptowsp_build_op takes the parameter itself. */
PTOWSP_PACK_API uint32_t ptowsp_build_argument(struct ptowsp_build *b, uint32_t param);
PTOWSP_PACK_API uint32_t ptowsp_build_literal(struct ptowsp_build *b, const char *dtype, const char *text);
PTOWSP_PACK_API uint32_t ptowsp_build_literal_bits(struct ptowsp_build *b, const char *dtype, uint64_t bits);
/* One instruction of pto_ops.def by its mnemonic ("tload", "tadd", "FOR", "ENDFOR", "IF", ...), operands in textual order,
 * destinations first: tiles, scalars, literals, parameters. mode as in tile.h, 0 where the opcode has none. Loops and branches find their
 * targets themselves. */
PTOWSP_PACK_API uint32_t ptowsp_build_op(struct ptowsp_build *b, const char *mnemonic, uint32_t mode, const uint32_t *operands, uint32_t count);
/* Ends it and verifies it as a backend would; adds the return where there is none. */
PTOWSP_PACK_API uint32_t ptowsp_build_body_end(struct ptowsp_build *b);

/* ---- entries and their code ------------------------------------------------------------------------------------------------ */

/* An entry whose code follows until its ptowsp_build_end. */
PTOWSP_PACK_API uint32_t ptowsp_build_entry(struct ptowsp_build *b, const char *name);
/* An entry that is one task of a kernel: its tensors are those placed in it, its scalars the entry's values in order. */
PTOWSP_PACK_API uint32_t ptowsp_build_entry_kernel(struct ptowsp_build *b, const char *name, uint32_t kernel);
PTOWSP_PACK_API uint32_t ptowsp_build_entry_default(struct ptowsp_build *b, uint32_t entry);  /* runs unless another one is asked for */
PTOWSP_PACK_API uint32_t ptowsp_build_entry_pipeline(struct ptowsp_build *b, uint32_t entry); /* then its processes run */
/* A symbol or slot that must have a value. An entry with such a call has none but those stated. */
PTOWSP_PACK_API uint32_t ptowsp_build_entry_value(struct ptowsp_build *b, uint32_t entry, uint32_t slot);

/* Bodies, each closed by ptowsp_build_end, which also ends an entry or process. Loops return the expression of their
 * value, or 1 where rows are kept as stated. */
PTOWSP_PACK_API uint32_t ptowsp_build_parallel_for(struct ptowsp_build *b, uint32_t axis);
PTOWSP_PACK_API uint32_t ptowsp_build_for_each(struct ptowsp_build *b, uint32_t axis);
PTOWSP_PACK_API uint32_t ptowsp_build_select(struct ptowsp_build *b, uint32_t axis);
PTOWSP_PACK_API uint32_t ptowsp_build_while(struct ptowsp_build *b, uint32_t condition);
PTOWSP_PACK_API uint32_t ptowsp_build_if(struct ptowsp_build *b, uint32_t condition);
PTOWSP_PACK_API uint32_t ptowsp_build_else(struct ptowsp_build *b);
PTOWSP_PACK_API uint32_t ptowsp_build_combine(struct ptowsp_build *b, uint32_t branches);
PTOWSP_PACK_API uint32_t ptowsp_build_sequential(struct ptowsp_build *b, uint32_t steps);
PTOWSP_PACK_API uint32_t ptowsp_build_next(struct ptowsp_build *b); /* the next branch or step; the first one has begun */
PTOWSP_PACK_API uint32_t ptowsp_build_scope(struct ptowsp_build *b);
PTOWSP_PACK_API uint32_t ptowsp_build_end(struct ptowsp_build *b);
PTOWSP_PACK_API uint32_t ptowsp_build_break(struct ptowsp_build *b);

/* A task; behind it, in this order, one arg per scalar parameter, one use per tensor parameter, and its stated edges. */
PTOWSP_PACK_API uint32_t ptowsp_build_task(struct ptowsp_build *b, uint32_t kernel);
PTOWSP_PACK_API uint32_t ptowsp_build_arg(struct ptowsp_build *b, uint32_t expr);
PTOWSP_PACK_API uint32_t ptowsp_build_arg_number(struct ptowsp_build *b, int32_t value);
PTOWSP_PACK_API uint32_t ptowsp_build_arg_loop(struct ptowsp_build *b, uint32_t depth);
PTOWSP_PACK_API uint32_t ptowsp_build_use(struct ptowsp_build *b, uint32_t region);
PTOWSP_PACK_API uint32_t ptowsp_build_use_as(struct ptowsp_build *b, uint32_t region, const char *access); /* not as the parameter says */
/* How many rows or columns of the region of a tensor argument (0 the first) are there, 1 to all: behind the uses. The kernel works on the whole tile of its parameter, and sees to what is not there. */
PTOWSP_PACK_API uint32_t ptowsp_build_use_rows(struct ptowsp_build *b, uint32_t argument, uint32_t expr);
PTOWSP_PACK_API uint32_t ptowsp_build_use_columns(struct ptowsp_build *b, uint32_t argument, uint32_t expr);
/* An edge from the earlier task of that number: kind after, data, barrier, soft. Behind a copy, too. */
PTOWSP_PACK_API uint32_t ptowsp_build_after(struct ptowsp_build *b, const char *kind, uint32_t task);

/* The code from here to call_end is that of another entry, expanded in place: a note for those who print source. Its tensors by position,
 * then its scalars, stand in front of the code. Calls inside of it are not noted again. */
PTOWSP_PACK_API uint32_t ptowsp_build_call(struct ptowsp_build *b, const char *entry);
PTOWSP_PACK_API uint32_t ptowsp_build_call_tensor(struct ptowsp_build *b, uint32_t tensor, uint32_t row, uint32_t column);
PTOWSP_PACK_API uint32_t ptowsp_build_call_scalar(struct ptowsp_build *b, uint32_t symbol, uint32_t expr);
PTOWSP_PACK_API uint32_t ptowsp_build_call_end(struct ptowsp_build *b);

PTOWSP_PACK_API uint32_t ptowsp_build_slot_set(struct ptowsp_build *b, uint32_t slot, uint32_t expr);
PTOWSP_PACK_API uint32_t ptowsp_build_slot_load(struct ptowsp_build *b, uint32_t slot, uint32_t region);
PTOWSP_PACK_API uint32_t ptowsp_build_slot_load_bits(struct ptowsp_build *b, uint32_t slot, uint32_t region); /* the bit pattern */
PTOWSP_PACK_API uint32_t ptowsp_build_event(struct ptowsp_build *b, const char *name);
PTOWSP_PACK_API uint32_t ptowsp_build_signal(struct ptowsp_build *b, uint32_t event);
PTOWSP_PACK_API uint32_t ptowsp_build_wait(struct ptowsp_build *b, uint32_t event);
PTOWSP_PACK_API uint32_t ptowsp_build_barrier(struct ptowsp_build *b);
/* In entries: tells a device of the run when all tasks so far have ended; takes one such notification of it. Another device of the run, by its number up to 65535, and a notification: any number that both agree on. A graph's name N is that of 2^31 | ptowsp_id(N). */
PTOWSP_PACK_API uint32_t ptowsp_build_notify(struct ptowsp_build *b, uint32_t device, uint32_t notification);
PTOWSP_PACK_API uint32_t ptowsp_build_wait_notify(struct ptowsp_build *b, uint32_t device, uint32_t notification);
PTOWSP_PACK_API uint32_t ptowsp_build_copy(struct ptowsp_build *b, uint32_t from, uint32_t to);
PTOWSP_PACK_API uint32_t ptowsp_build_fence(struct ptowsp_build *b, const char *scope); /* core, device, system */
/* A copy between tensors whose layouts need not join: relayout, or one of the collectives all_gather and broadcast, whose layouts have to be such
 * (packages/WORKLOADS.md). Edges may follow. */
PTOWSP_PACK_API uint32_t ptowsp_build_move(struct ptowsp_build *b, const char *word, uint32_t from, uint32_t to);
/* all_reduce or reduce_scatter: to = sum, max or min of from over its first dimension, which is sharded. Extents are the same expressions. Makes
 * a kernel such as sum.f32.32x96 where there is none, with an entry of its own as an InCore function has one, loops, copies and tasks. */
PTOWSP_PACK_API uint32_t ptowsp_build_reduce(struct ptowsp_build *b, const char *word, uint32_t from, uint32_t to, const char *op);
PTOWSP_PACK_API uint32_t ptowsp_build_alloc(struct ptowsp_build *b, uint32_t tensor);
PTOWSP_PACK_API uint32_t ptowsp_build_free(struct ptowsp_build *b, uint32_t tensor);
/* At the beginning of an entry: the axis has that kind and extent there, a number or, for dense_dyn, the value of a slot. */
PTOWSP_PACK_API uint32_t ptowsp_build_extent(struct ptowsp_build *b, uint32_t axis, const char *kind, uint32_t extent);
PTOWSP_PACK_API uint32_t ptowsp_build_extent_slot(struct ptowsp_build *b, uint32_t axis, uint32_t slot);
/* Tasks of the rest of the body belong to the instance that a policy of dispatch ("hash") picks for the expression. */
PTOWSP_PACK_API uint32_t ptowsp_build_filter(struct ptowsp_build *b, const char *policy, uint32_t expr);
/* The entry or process ends here, in none of its bodies; what follows until its ptowsp_build_end never runs. */
PTOWSP_PACK_API uint32_t ptowsp_build_halt(struct ptowsp_build *b);
PTOWSP_PACK_API uint32_t ptowsp_build_nop(struct ptowsp_build *b);

/* ---- channels and processes --------------------------------------------------------------------------------------------- */

/* kind: token, payload. */
PTOWSP_PACK_API uint32_t ptowsp_build_channel(struct ptowsp_build *b, const char *name, const char *kind, uint32_t capacity, uint64_t latency);
/* A process whose code follows until its ptowsp_build_end. */
PTOWSP_PACK_API uint32_t ptowsp_build_process(struct ptowsp_build *b, const char *name, uint32_t replicas);
PTOWSP_PACK_API uint32_t ptowsp_build_process_uses(struct ptowsp_build *b, uint32_t process, const char *direction, uint32_t channel);
PTOWSP_PACK_API uint32_t ptowsp_build_process_order(struct ptowsp_build *b, uint32_t process, uint32_t order); /* else as declared */
/* In processes. consume is a loop over the tokens. Behind either, where the channel carries payload: its region, which may use the token. */
PTOWSP_PACK_API uint32_t ptowsp_build_send(struct ptowsp_build *b, uint32_t channel, uint32_t expr);
PTOWSP_PACK_API uint32_t ptowsp_build_consume(struct ptowsp_build *b, uint32_t channel);
PTOWSP_PACK_API uint32_t ptowsp_build_carry(struct ptowsp_build *b, uint32_t region);
PTOWSP_PACK_API uint32_t ptowsp_build_close(struct ptowsp_build *b, uint32_t channel);

/* ---- schedule ---------------------------------------------------------------------------------------------------------------- */

/* directive.def and policy.def: "dispatch", "round_robin"; policy "" where the directive has only one. Its arguments follow, in order. The
 * schedule comes last: expressions that are made behind the first directive share no rows. */
PTOWSP_PACK_API uint32_t ptowsp_build_directive(struct ptowsp_build *b, const char *directive, const char *policy);
PTOWSP_PACK_API uint32_t ptowsp_build_directive_number(struct ptowsp_build *b, uint32_t directive, int64_t value);
PTOWSP_PACK_API uint32_t ptowsp_build_directive_word(struct ptowsp_build *b, uint32_t directive, const char *word);
PTOWSP_PACK_API uint32_t ptowsp_build_directive_expr(struct ptowsp_build *b, uint32_t directive, uint32_t expr);
PTOWSP_PACK_API uint32_t ptowsp_build_directive_must(struct ptowsp_build *b, uint32_t directive); /* an error where it is not enforced */
/* A feature that the package needs ("opcode task", "total_cycles"), at least diagnosed 1, recorded 2, enforced 3. */
PTOWSP_PACK_API uint32_t ptowsp_build_require(struct ptowsp_build *b, const char *feature, uint32_t state);

/* ---- graphs of the instruction form --------------------------------------------------------------------------------------------- */

/* A graph binary for section GRPH, until graph_end: instructions of graph_ops.def ("TG_KERNEL") with their operands behind them, in order;
 * those at the end may be left out where they have defaults. Objects are numbers; graph_name says what the source calls one ("kernel", 3, "MLA").
 * Names may come in any order. Runs execute code of entries: ptowsp_pack_graphs makes it of the sealed package, or it is built like any other. */
PTOWSP_PACK_API uint32_t ptowsp_build_graph(struct ptowsp_build *b, const char *name, uint32_t device);
PTOWSP_PACK_API uint32_t ptowsp_build_graph_name(struct ptowsp_build *b, const char *object, uint32_t number, const char *name);
PTOWSP_PACK_API uint32_t ptowsp_build_graph_op(struct ptowsp_build *b, const char *op);
/* Operands: an id, a number, or a constant scalar; a word of an enumeration, or the name of a kernel function; a set of ids. */
PTOWSP_PACK_API uint32_t ptowsp_build_graph_number(struct ptowsp_build *b, uint64_t value);
PTOWSP_PACK_API uint32_t ptowsp_build_graph_word(struct ptowsp_build *b, const char *word);
PTOWSP_PACK_API uint32_t ptowsp_build_graph_set(struct ptowsp_build *b, const uint32_t *numbers, uint32_t count);
/* A scalar that is no constant: its nodes, operands first, then graph_scalar. op: of expr_ops.def or "iteration"; value: of const, else
 * the number of the object of value (a scalar) and axis (an iterator). graph_element: element of a tensor, its index is the node before. */
PTOWSP_PACK_API uint32_t ptowsp_build_graph_node(struct ptowsp_build *b, const char *op, int64_t value);
PTOWSP_PACK_API uint32_t ptowsp_build_graph_element(struct ptowsp_build *b, uint32_t tensor, const char *dtype);
PTOWSP_PACK_API uint32_t ptowsp_build_graph_scalar(struct ptowsp_build *b);
PTOWSP_PACK_API uint32_t ptowsp_build_graph_end(struct ptowsp_build *b);

PTOWSP_END
#endif
