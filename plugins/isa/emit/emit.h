/* SPDX-License-Identifier: MIT */
/* emit.h - source text out of a verified tile program: one function per kernel, for a row of the table of targets. */
#ifndef ISA_EMIT_H
#define ISA_EMIT_H

#include <stdbool.h>

#include "isa/isa.h"

struct isa_emitter;

/* How emitted code looks on one target. Bodies of loops come from emit.def. */
struct isa_emit_target {
	const char *name;      /* --emit=NAME */
	const char *extension; /* of the file that a kernel becomes */
	/* "" or what makes all threads of the kernel see the memory of its tiles, behind each stage. */
	const char *barrier;
	/* A loop of `name` from one text to another, and by how much it goes on: format of name, from, name, to, name. */
	const char *loop;
	const char *loop_rows, *loop_columns; /* the same for one loop in the other, where threads share them; NULL: as above, and rows go in blocks */
	bool windows;          /* loops read windows where they are as often as they like, and rows of short ones lie one behind the other (tile_read_packed) */
	const char *loop_note; /* a line before it, or "" */
	const char *turn;      /* beginning of each turn of a loop of the kernel's own, or NULL */
	/* Statements that set a tile's bytes to 0, format of tile and bytes, and that copy some: to, from, bytes; what they read and write may overlap
	 * where the second one says so. */
	const char *zero, *move, *move_over;
	/* Writes instruction i (no control, no arithmetic of scalars), and maybe those behind it, in the target's own way; the next one. NULL: groups become
	 * loops. Then no cycles are counted either. */
	uint32_t (*statement)(struct isa_emitter *e, uint32_t i);
	bool registers; /* A5: vector registers */
	bool parts;     /* a call makes whole tiles of parts in its memory (kernel_parts.h) */
	/* Before the type of what a pointer to tiles, or to windows, points to: "", or the name of an address space and a blank. */
	const char *memory, *global;
	/* Memory of copies of windows, placed like the tiles; NULL: the memory of the tiles. */
	const char *copies;
	/* Statements that read the element of a window at `at` into `value`, and the other way round. */
	const char *fetch, *drop;
	/* The file up to the first statement, and from the last one on. The body exists when they are called. */
	void (*head)(struct isa_emitter *e);
	void (*tail)(struct isa_emitter *e);
};
/* Rows; the last one's name is NULL. */
extern const struct isa_emit_target isa_emit_targets[];

/* A header that emitted sources include: the path under which they do, and its lines, the last one NULL. */
struct isa_text {
	const char *path;
	const char *const *lines;
};
extern const struct isa_text isa_emit_headers[]; /* the last one's path is NULL */
/* A source, or several in one text, with these headers in the place of the lines that include them, for compilers that are given one text. *flat_out is malloc'd, ends with a 0 that
 * *size_out does not count. Errors: NO_MEMORY. */
ptowsp_status isa_emit_flat(const char *source, char **flat_out, size_t *size_out, struct ptowsp_error *error);

/* The name of a kernel as one of a C function: other characters become '_', words of the language and of its library get one. */
void isa_emit_symbol(char *symbol_out, size_t size, const char *name);
/* One source file with one function `symbol`, which is called as task.h says. *text_out is malloc'd, ends with a 0 that *size_out does
 * not count. Errors: UNSUPPORTED with the sentence why the program cannot run, NO_MEMORY. */
ptowsp_status isa_emit(const struct isa_program *program, const struct isa_emit_target *target, const char *symbol, char **text_out, size_t *size_out,
		       struct ptowsp_error *error);
/* Does the text, Ascend C, multiply on a cube? Then its cores pass factors and products through global memory, no more of them than its tiles have, each at a multiple of this. */
bool isa_emit_multiplies(const char *text);
enum { ISA_EMIT_PASS = 512 };
/* Bytes that the function for a target needs as its task's workspace. Errors: NO_MEMORY. */
ptowsp_status isa_emit_workspace(const struct isa_program *program, const struct isa_emit_target *target, uint64_t *bytes_out, struct ptowsp_error *error);
/* How many of them are for copies of parts of tiles. */
uint64_t isa_emit_parts(const struct isa_program *program, const struct isa_emit_target *target);

#endif
