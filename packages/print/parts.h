/* SPDX-License-Identifier: MIT */
/* parts.h - what the files of the printer share. */
#ifndef PRINT_PARTS_H
#define PRINT_PARTS_H

#include <stdbool.h>

#include "format/verify/rank.h"
#include "print/print.h"
#include "print/print_text.h"
#include "ptowsp/workload.h"

/* Rows by what they are looked up by; names by pkg_rank_text. */
struct print_index {
	struct pkg_ranks tensors; /* entry << 32 | position */
	struct pkg_ranks calls;   /* caller */
	struct pkg_ranks owners;  /* slots of functions: the function's name */
	struct pkg_ranks tails;   /* symbols: what stands behind a '.' of their names */
	struct pkg_ranks unused;  /* symbols that nothing reads: the entry that declares them */
	uint8_t *exprs;           /* owned, by EXPR row: of what is in the expression, however often; operands of operands may be 2^64 */
	uint8_t *scheduled;       /* owned, by SLOT row: 1: the schedule reads it */
};
enum { PRINT_READS_SLOT = 1, PRINT_DIVIDES = 2 };
/* One package being printed. */
struct print_job {
	struct pkg *package;
	const struct print_files *files; /* NULL: everything stands in the text */
	const struct pkg_tables *t;
	const struct pkg_code *code;
	struct print_index index;
	struct ptowsp_workload_header work; /* zeros without WORK */
	const char *file;                   /* of the positions, NULL: there are none */
	uint32_t *positions[5];             /* owned: DBGI row + 1 of each instruction, kernel, entry; none; expression */
	const char *helper;                 /* beginning of helper scalars' names: no name of the package begins so */
	uint8_t *stated;                    /* owned, by AXES row: 1: some entry says its extent, so it is declared */
	struct {
		uint8_t *kernels, *tensors, *slots, *events, *entries, *directives; /* owned, by row: 1: a graph makes it */
	} made;
	struct {
		char *text; /* owned: the graphs as source; NULL: there are none */
		struct print_graph {
			uint32_t entry;
			size_t begin;
		} * parts; /* owned: of each graph its entry, PTOWSP_NONE without one, and its text */
		uint32_t count;
		uint8_t *named;      /* owned, by tensor: one of that name comes to a graph from outside, and it has a shape, so it may be declared */
		uint32_t first_line; /* of it, in what was packed */
		struct pkg *package; /* owned: functions and graphs alone, packed; NULL if that cannot be */
		void *bytes;         /* owned: that package */
	} graphs;
	int declares; /* 1: there is something to declare around functions, so values are declared there too */
};

static inline const char *print_string(const struct print_job *job, uint32_t offset)
{
	return pkg_string(job->t, offset);
}

/* Entries without code are kernels: functions of tile code. */
static inline bool print_has_code(const struct print_job *job, uint32_t entry)
{
	return !(job->t->entry[entry].flags & PTOWSP_ENTRY_KERNEL);
}

/* --- position.c --- */

#define PRINT_MAX_DIVISIONS 64u /* on one line; further ones lose their positions */
/* The divisions of a line, in its order. */
struct print_divisions {
	struct print_place places[PRINT_MAX_DIVISIONS];
	uint32_t count;
};
/* One row of EXPR; those of an expression, as it is printed. */
void print_division_add(const struct print_job *job, struct print_divisions *divisions, uint32_t row);
void print_divisions_add(const struct print_job *job, struct print_divisions *divisions, uint32_t row);

/* Ends the line with the position of a row; kind as in DBGI, 0 to 2 or 4. */
void print_end_of(const struct print_job *job, struct print_text *text, unsigned kind, uint32_t row);
/* The same with divisions. */
void print_end_with(const struct print_job *job, struct print_text *text, unsigned kind, uint32_t row, const struct print_divisions *divisions);

/* --- index.c --- */

/* 0 without memory; finish accepts what is there then. */
bool print_index_make(struct print_job *job);
void print_index_finish(struct print_job *job);
/* The tensor of an entry at a position; PTOWSP_NONE if there is none. */
uint32_t print_tensor_of(const struct print_job *job, uint32_t entry, uint32_t position);
/* The calls of an entry, in the order of their rows, are those from print_call_from on until print_call_at is NULL. */
uint32_t print_call_from(const struct print_job *job, uint32_t entry);
const struct ptowsp_call_record *print_call_at(const struct print_job *job, uint32_t entry, uint32_t at);
/* Has the function slots of its own? */
bool print_has_slots(const struct print_job *job, uint32_t entry);

/* --- name.c --- */

/* Fills job->helper. */
void print_helper_choose(struct print_job *job);
/* "%x: !pto.memref<gm,...,f32>, ..." of an entry's own tensors; 0 and a line about it if they are not those of a function. */
bool print_memrefs(const struct print_job *job, struct print_text *text, uint32_t entry, uint32_t *count_out);
/* The part of a tensor's name behind "function."; NULL if the name is another one. */
const char *print_memref_name(const struct print_job *job, uint32_t entry, uint32_t tensor);
/* The name of a symbol inside a function: its name, or the part behind "function." where several functions use it for several types. */
const char *print_symbol_name(const struct print_job *job, const char *function, uint32_t slot);

/* --- where symbols are declared --- */

/* Fills job->index.unused. 0 without memory. */
bool print_homes_find(struct print_job *job);
/* Declarations of the symbols that nothing reads and that this entry is to declare. */
void print_unused(const struct print_job *job, struct print_text *text, uint32_t entry);

/* Is the slot or symbol declared at the top of the text? */
bool print_is_declared(const struct print_job *job, uint32_t slot);

/* --- schedule.c --- */

void print_schedule(const struct print_job *job, struct print_text *text);
/* Fills index.scheduled. 0: no memory. */
int print_schedule_index(struct print_job *job);

/* --- declare.c, process.c, graph.c, about.c --- */

void print_values(const struct print_job *job, struct print_text *text);
void print_tensors(struct print_job *job, struct print_text *text);
void print_axes(struct print_job *job, struct print_text *text);
void print_kernels(const struct print_job *job, struct print_text *text);
void print_channels(const struct print_job *job, struct print_text *text);
void print_processes(struct print_job *job, struct print_text *text);
/* The text of the graphs, and which entries they are. 0 without memory. */
bool print_graphs_begin(struct print_job *job);
/* Packs functions and graphs, to know what the graphs make. 0 without memory. */
bool print_graphs_prepare(struct print_job *job, const struct print_text *functions);
/* Prints the graphs of that entry, PTOWSP_NONE: those that have none. */
void print_graphs(const struct print_job *job, struct print_text *text, uint32_t entry);
void print_graphs_finish(struct print_job *job);
/* Facts about the package and features that it needs. */
void print_facts(const struct print_job *job, struct print_text *text);
/* Sample data. Errors: BAD_PACKAGE, those of writing files. */
ptowsp_status print_samples(const struct print_job *job, struct print_text *text, struct ptowsp_error *error);

/* --- print_work.c, process.c --- */

/* An instruction of WORK; row of the axis that an operand names. */
struct ptowsp_instruction print_instruction(const struct print_job *job, uint32_t at);
uint32_t print_axis_row(const struct print_job *job, uint32_t index);
/* " max_range=256 min_range=64 tile_levels={256:64}" of a row of TLVL, PTOWSP_NONE: nothing. */
void print_levels(const struct print_job *job, struct print_text *text, uint32_t row, const char *separator);
/* Row of ENTR. */
void print_workload(struct print_job *job, struct print_text *text, uint32_t entry);

/* --- print_tile.c, orchestration.c --- */

/* Has the kernel of an entry a tile or a scalar of that name? */
int print_kernel_knows(const struct print_job *job, uint32_t entry, const char *name);
/* An InCore function, and an Orchestration function: rows of ENTR. */
void print_incore(struct print_job *job, struct print_text *text, uint32_t entry);
void print_orchestration(struct print_job *job, struct print_text *text, uint32_t entry);

#endif
