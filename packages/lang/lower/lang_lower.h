/* SPDX-License-Identifier: MIT */
/* lang_lower.h - a checked module to the tables of a package. */
#ifndef LANG_LOWER_H
#define LANG_LOWER_H

#include "format/writer.h"
#include "lang/ast.h"
#include "lang/builder/build.h"
#include "lang/builder/tables.h"
#include "lang/decl.h"
#include "lang/lang_axis.h"

#define LANG_MAX_SECTIONS 16u /* sections with ids */
struct lang_kernel;
struct lang_rows { /* of struct lang_row, below */
	uint32_t section;
	struct lang_row *rows;
	uint32_t count, capacity;
	struct lang_map names; /* place of a name's row plus 1: read by lang_row_find only */
};

/* Tables while they grow. Rows with ids (kernels, tensors, slots, entries) are numbered before anything refers to them. */
struct lang_lower {
	struct lang_unit *unit;
	struct lang_module *module;
	struct pkg_writer *writer;
	struct ptowsp_build *build;
	struct lang_tables *tables;  /* the build's */
	struct lang_span at;         /* of what is being built */
	struct build_entry *entry;   /* whose code is lowered: what it reads becomes its values; NULL outside of entries */
	struct build_entry pipeline; /* the values of processes, which all entries with processes around have */
	struct lang_rows rows[LANG_MAX_SECTIONS];
	uint32_t rows_count;
	uint32_t *schedule_values; /* SLOT rows that the schedule reads */
	uint32_t schedule_value_count, schedule_value_capacity;
	int schedule_known;    /* they are there */
	uint8_t graph;         /* 1: the code of a graph is being lowered: what messages call the things that instructions count */
	int graph_rows_shared; /* kernels of graphs that say the same have one row */
	const char *file;      /* of the latest position, and its string in the build */
	uint32_t file_string;
	uint32_t expansions;              /* calls expanded in place so far */
	struct lang_view **views;         /* per KREG row what its first task passes, per tensor; NULL: no task yet */
	uint32_t view_scopes, view_scope; /* scopes so far, LANG_VIEW_PROCESSES among them; whose code is lowered now */
};

/* Everything: declares, sorts, lowers, writes. Errors go to the unit's list. */
void lang_lower(struct lang_module *module, struct pkg_writer *writer, const char *name, const struct lang_options *options);

/* --- steps of lang_lower: lang_rows.c --- */

/* Names of all rows with ids, in the order of their ids, before anything refers to them; entries in the order of their code. */
void lang_rows_declare(struct lang_lower *lower);
/* Symbols that functions need and the slots of their scalars, with those that are declared. */
void lang_slots_build(struct lang_lower *lower);
/* NAME=VALUE: the value of a symbol unless a run sets it. */
void lang_default_set(struct lang_lower *lower, const char *text);
void lang_tensors_build(struct lang_lower *lower);
/* Kernels with their parameters and code. */
void lang_kernels_build(struct lang_lower *lower);
/* Code in the order of the source: first that of functions, then that of processes, then that of other declarations. */
void lang_code_lower(struct lang_lower *lower);
/* The variants of functions, which their calls have found. */
void lang_variants_build(struct lang_lower *lower);

/* --- entries --- */

/* Instructions belong to the entry from here on; slots and symbols that the code reads become its values. */
void lang_entry_begin(struct lang_lower *lower, uint32_t row);
void lang_entry_end(struct lang_lower *lower, int is_function);
/* Code of the entry of an Orchestration function. An InCore function has none: it is one task. */
void lang_entry_lower(struct lang_lower *lower, struct lang_function *function);

/* A memref of a function: a tensor, from an element on. */
struct lang_binding {
	uint32_t tensor; /* TENS row */
	uint32_t base;   /* EXPR row, elements */
};
/* The code of an Orchestration function in the middle of other code: its memrefs, an EXPR row per scalar that it needs, bodies and loops around,
 * tile levels in force. */
void lang_orchestration_lower(struct lang_lower *lower, const struct lang_function *function, const struct lang_binding *memrefs, const uint32_t *needs,
			      uint32_t depth, uint32_t loops, const struct lang_level_set *levels);

/* The parameters of a function or of a declared kernel, one of the two, as those of the kernel in that row. */
void lang_params_build(struct lang_lower *lower, uint32_t row, const struct lang_function *function, const struct lang_kernel *kernel);
/* The kernel's payload is the function's code, which the first kernel that has it holds for all. */
void lang_function_payload(struct lang_lower *lower, uint32_t kernel, struct lang_function *function);
/* An InCore function as a portable payload of a kernel. Warns if it cannot run. */
void lang_kernel_encode(struct lang_lower *lower, struct lang_function *function, uint32_t kernel, struct ptowsp_payload_record record);

/* How much of a tile is there: numbers of extents, a bit each. The least of them is how many rows or columns are there; none: all. */
struct lang_dims {
	uint64_t rows, columns;
	uint8_t zero;  /* the missing part is 0, as it was loaded */
	uint8_t mixed; /* ways that meet here have left different parts, none of which holds the other */
};
/* An instruction, a MOV, that sets a scalar to how many rows (or columns) of a tile are there at that place. */
struct lang_there {
	uint32_t inst;
	uint16_t tile;
	uint8_t columns;
};
/* A body whose tasks get parts of tiles. */
struct lang_parts {
	const struct lang_function *function;
	struct lang_tile_code *code;
	const struct lang_dims *memrefs; /* per parameter: extents of its window */
	const uint16_t *scalars;         /* per extent: the row that says it */
	const char *const *names;        /* per extent */
	const struct lang_there *theres; /* in the order of instructions */
	uint32_t there_count;
};
/* The body's instructions become such that they come out as if each operation saw what is there. */
void lang_parts_fill(struct lang_lower *lower, const struct lang_parts *parts);

/* Ends the compilation: calls and launches are expanded in place, and this package grows beyond every bound by that. */
_Noreturn void lang_too_large(struct lang_lower *lower, struct lang_span at);
/* One more call expanded in place; the same when there are too many. */
void lang_expansion_count(struct lang_lower *lower, struct lang_span at);

/* The entry being lowered reads a symbol or slot: a run must have a value for it. */
void lang_value_use(struct lang_lower *lower, uint32_t slot);

/* An instruction of WORK; its row. Too large operands end in an error at that place. */
uint32_t lang_word_add(struct lang_lower *lower, unsigned opcode, uint32_t operand1, uint32_t operand2, struct lang_span at);
/* The same with its position. */
uint32_t lang_word_add_at(struct lang_lower *lower, unsigned opcode, uint32_t operand1, uint32_t operand2, struct lang_span at);
/* Sets the place of the rows that are built next: its position in the package, and that of what the builder refuses. */
void lang_at(struct lang_lower *lower, struct lang_span at);
/* lang_expr_binary; a division remembers where it was written first, as it may end a run far from where its value is used. */
uint32_t lang_binary_at(struct lang_lower *lower, enum ptowsp_expr_op op, uint32_t a, uint32_t b, struct lang_span at);

/* The TLVL row of a loop's levels; PTOWSP_NONE for NULL. */
uint32_t lang_levels_row(struct lang_lower *lower, const struct lang_levels *levels);
/* The function that runs where `target` is called at a tile level; that call is noted. */
const struct lang_function *lang_variant_at(struct lang_lower *lower, struct lang_function *target, uint32_t rows);
/* Tells once, *warned says where that is kept, that at a level of so many rows a kernel touches more rows of a tensor than the loop steps by. */
void lang_step_warn(struct lang_lower *lower, uint8_t *warned, const char *kernel, uint32_t touched, uint32_t rows, const char *tensor, struct lang_span at);
/* Notes that `target` is called where loops may run at these levels: which variants stand in for it, and whether its tiles
 * are larger than a step. */
void lang_variants_note(struct lang_lower *lower, const struct lang_stmt *call, const struct lang_level_set *levels);
/* Called behind all calls: one warning per function or kernel that lacks variants. */
void lang_variants_warn(struct lang_lower *lower);

/* --- what has an id, before and after the rows of its table are numbered. --- */

/* A row that bears nobody's name: the lowering of a declaration makes it. */
struct lang_made {
	uint32_t row; /* known when the rows of its section are sorted */
	void (*build)(struct lang_lower *lower, struct lang_made *made, const char *name);
};
/* One row to be: of a function, a scalar of a function, a symbol, a declaration, or made. */
struct lang_row {
	uint64_t id;
	const char *name;
	struct lang_function *function;
	struct lang_var *var;
	struct lang_symbol *symbol;
	struct lang_decl *decl;
	struct lang_made *made;
	uint8_t samples; /* tensors: 1 << role of each sample that is there */
};
/* Rows of a section; made when first asked for. */
struct lang_rows *lang_rows_of(struct lang_lower *lower, uint32_t section);
struct lang_row *lang_row_add(struct lang_lower *lower, struct lang_rows *rows, const char *name);
/* The place of the row of that name, now or (when they are sorted) in the package; PTOWSP_NONE: there is none. */
uint32_t lang_row_find(const struct lang_rows *rows, const char *name);
/* Builds the rows of a section that are declared or made. */
void lang_rows_build(struct lang_lower *lower, uint32_t section);

/* calls that are expanded in place leave a record (CALL, CARG): what the source says, which its instructions do not show. */

/* A call by the code of an entry (ENTR row, PTOWSP_NONE: a process) begins; its arguments follow, tensors by position, then scalars. The record. */
uint32_t lang_call_begin(struct lang_lower *lower, uint32_t caller, uint32_t callee);
/* A tensor (TENS row) from where it begins, EXPR rows. */
void lang_call_tensor(struct lang_lower *lower, uint32_t record, uint32_t tensor, uint32_t row, uint32_t column);
/* The scalars that the function needs, by their symbols: in what order it declares them is not said. values: EXPR rows. */
void lang_call_scalars(struct lang_lower *lower, uint32_t record, const struct lang_function *callee, const uint32_t *values);
/* All of its instructions are there. */
void lang_call_end(struct lang_lower *lower, uint32_t record);

/* flat memory that tasks pass: all tasks of a kernel see a parameter of theirs alike, as elements or as bytes of a tensor of u8. */

#define LANG_VIEW_PROCESSES 1u /* scope: an entry that has processes around sees theirs, too; others have one each */

/* How the first task of a kernel passes a tensor. */
struct lang_view {
	uint32_t scope; /* 0: none has */
	uint8_t viewed;
	struct lang_span at;
};
/* The memory that a task passes for one tensor parameter. */
struct lang_viewing {
	uint32_t kernel;  /* KREG row */
	const char *name; /* of the kernel */
	uint32_t count;   /* its tensors */
	uint32_t tensor;  /* which of them */
	const char *param;
	uint8_t flat, viewed; /* viewed: bytes as elements of its type */
	struct lang_span at;
};
/* Tasks in the order of their code. An error at the one that passes flat memory in another way than the first one did. */
void lang_view_note(struct lang_lower *lower, const struct lang_viewing *viewing);

#endif
