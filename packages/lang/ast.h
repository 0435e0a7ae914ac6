/* SPDX-License-Identifier: MIT */
/* ast.h - what the parser makes of a module set, and the facts that checking adds. Everything lies in the unit's arena. */
#ifndef LANG_AST_H
#define LANG_AST_H

#include "lang/diag.h"
#include "lang/lang_map.h"
#include "lang/parse/lex.h"
#include "ptowsp/task.h"
#include "ptowsp/tile.h"
#include "ptowsp/workload.h"

#define LANG_MAX_NESTING PTOWSP_NESTING_LIMIT

enum lang_type_kind { LANG_TYPE_NONE, LANG_TYPE_TILE, LANG_TYPE_MEMREF, LANG_TYPE_SCALAR };
struct lang_type {
	uint8_t kind;  /* enum lang_type_kind */
	uint8_t index; /* written as idx or index: fits every integer type */
	uint8_t open;  /* "!pto.memref" alone: of f32 in gm where it declares something, any memref where it repeats what is declared */
	uint16_t dtype, space;
	uint32_t rows, columns; /* tiles */
	struct lang_span at;
};

enum lang_var_kind { LANG_MEMREF, LANG_TILE, LANG_SCALAR, LANG_LOOP, LANG_BROKEN /* its declaration has an error */ };
/* Something with a name in a function. */
struct lang_var {
	const char *name;
	struct lang_type type;
	struct lang_span at; /* its declaration */
	uint8_t kind;        /* enum lang_var_kind */
	uint8_t param;       /* 1: in the signature */
	uint8_t implied;     /* 1: taken over from a callee that needs it, declared nowhere */
	uint8_t active;      /* loop values: 1 while checking is inside the loop */
	uint8_t handed;      /* tile parameters, once the caller asks: 1 the caller's tile is read before it is written, 2 it is not, 0 unknown */
	uint8_t block;       /* scalars: 0, or PTOWSP_SCALAR_BLOCK, PTOWSP_SCALAR_BLOCKS: it is the task's block or their count */
	uint32_t id;         /* number in function->vars */
	/* memrefs */
	struct lang_decl *decl;        /* of an Orchestration function: the declared tensor that it is; NULL: a parameter */
	uint8_t access;                /* PTOWSP_READ | PTOWSP_WRITE */
	uint32_t rows, columns;        /* of the first tile that touches it in program text, 0, 0 if none */
	uint8_t looked;                /* 1: loose and first were looked for, before anything is checked */
	const struct lang_type *first; /* the type of the first tile that is moved to or from it, NULL: none is known */
	uint8_t loose;                 /* 1: gathered from, scattered to or touched in a branch: it need not be as large as that tile */
	uint32_t number;               /* in function->memrefs */
	struct lang_var *extents[2];   /* scalars %x.rows and %x.columns: how many of that tile's are there; NULL: all */
	uint8_t parts;                 /* 1 rows, 2 columns: which of them the packer declared, as a call says that not all are there */
	/* scalars; `order` counts statements in program text */
	uint8_t needed;      /* 1: read before anything initialises it: its value comes from outside */
	uint32_t need;       /* needed: its number in function->needs */
	uint8_t pure;        /* 1: one assignment that every use follows, of a value that does not change: folded */
	uint8_t conditional; /* 1: the first assignment stands inside a loop or a branch */
	uint32_t reads, writes;
	uint32_t write_order, write_end; /* of the first assignment, and where its block ends */
	uint8_t early_read;              /* 1: read outside (write_order, write_end] */
	struct lang_var *extent_of;      /* the memref of whose tile, or the tile, of which it is the rows or columns that are there; NULL: of none */
	uint8_t extent_columns;
	uint32_t extent;            /* its number, where the packer declared it */
	struct lang_symbol *symbol; /* needed: what stands for it if no caller has such a scalar */
	uint32_t slot;              /* orchestration, neither needed-only nor pure: its SLOT row */
};

/* The symbol of a scalar that comes from outside. Functions with equal names and types share the row. */
struct lang_symbol {
	const char *name; /* bare, or function.name where types differ */
	uint16_t dtype;
	const struct lang_function *function;
	const struct lang_var *var;
	uint32_t row; /* of the SLOT table */
};

enum lang_operand_kind { LANG_OPERAND_NAME, LANG_OPERAND_NUMBER };
struct lang_operand {
	uint8_t kind;
	uint8_t bare;     /* 1: a name written without % */
	const char *text; /* without signs */
	struct lang_span at;
	struct lang_type type; /* the annotation behind it, kind NONE if there is none */
	struct lang_var *var;  /* names: what they mean; NULL after an error */
	uint64_t value;        /* numbers: in the type that checking found, as in task.h */
	uint16_t dtype;        /* numbers */
};

/* %formal -> actual in a CALL. */
struct lang_arg {
	const char *formal;
	struct lang_span at;
	struct lang_operand actual;
	uint8_t tuple;                   /* 1: (%actual, row, column) */
	struct lang_operand row, column; /* of a tuple */
	struct lang_var *param;          /* the callee's */
};

struct lang_level {
	uint32_t block, rows;
	struct lang_span at;
};
/* max_range=4096 min_range=256 tile_levels={...} of a FOR. */
struct lang_levels {
	uint32_t max_range, min_range; /* 0: not stated */
	uint8_t stated;                /* 1: there is a tile_levels list */
	struct lang_level *rows;
	uint32_t count, capacity;
	struct lang_span at, max_at, min_at;
};

struct lang_block {
	struct lang_stmt *first, **last;
};

struct lang_stmt {
	struct lang_stmt *next;
	uint8_t op;          /* enum ptowsp_pto_op */
	uint8_t mode;        /* as in struct ptowsp_tile_inst */
	struct lang_span at; /* its first word */
	const char *word;    /* the mnemonic as written */
	/* destinations first, as the opcode's operands say; FOR: value, low, high, step; IF, DO: condition (the WHILE's) */
	struct lang_operand *operands;
	uint32_t count, results;               /* results: operands written before "=" */
	struct lang_type *tail, *tail_results; /* "a, b -> c" */
	uint32_t tail_count, tail_result_count;
	struct lang_span do_at; /* WHILE: place of its DO, line 0 if there is none */
	struct lang_levels *levels;
	/* FOR: body. IF: then, else. WHILE: condition, body. */
	struct lang_block body, other;
	uint8_t has_else;
	uint8_t broken; /* 1: its head or end has an error; kept for what its blocks hold */
	/* CALL */
	const char *callee;
	struct lang_span callee_at;
	struct lang_function *target;
	struct lang_arg *args;
	uint32_t arg_count, arg_capacity;
	struct lang_span rest;       /* of "...": memrefs and tiles that are not passed are those of their names; line 0: there is none */
	struct lang_arg **bound;     /* by id of the target's variable, found by checking; NULL: nothing is passed */
	struct lang_operand **needs; /* one per needed scalar of the target, in its order: what it takes the value from */
};

#define LANG_MAX_PARAMS 65535u /* of a kernel or function, as the package format has it */

/* Declarations other than functions; decl.h has them. */
enum lang_decl_kind {
	LANG_DECL_NONE,
#define X(word, KIND, sign, section, parse, check, build, code) LANG_DECL_##KIND,
#include "lang/decls.def"
#undef X
	LANG_DECL_KINDS
};
struct lang_decl;

enum lang_function_kind { LANG_INCORE, LANG_ORCHESTRATION };
struct lang_function {
	struct lang_function *next;
	const char *name;
	struct lang_span at;
	uint8_t kind;
	uint8_t bare;             /* 1: statements without func */
	uint8_t inlined;          /* 1: it has tile parameters: expanded in place where it is called, and nothing else; in no list once it is checked */
	uint8_t broken_signature; /* 1: its signature could not be read to the end, or names one twice: any name may be a parameter */
	struct lang_var **vars;
	uint32_t var_count, var_capacity;
	struct lang_map names; /* of vars */
	struct lang_block body;
	/* found by checking */
	uint8_t handed;                     /* 1: what it does with tiles that it is handed is known */
	uint8_t state;                      /* of the walk over calls: 0 new, 1 on the path, 2 done */
	const char *unusable;               /* NULL, or why the kernel cannot run */
	struct lang_var **memrefs, **needs; /* parameters in signature order; needed scalars in declaration order */
	uint32_t memref_count, need_count, need_capacity;
	/* rows in the package */
	uint32_t kernel, entry;
	uint32_t payload;  /* the kernel that holds its payload plus 1, 0: none yet */
	uint32_t *tensors; /* TENS row per memref */
	/* variants by tile level, found while calls are lowered */
	struct lang_variant {
		uint32_t rows;
		struct lang_function *function; /* NULL: there is none */
	} * variants;
	uint32_t variant_count, variant_capacity;
	uint8_t steps_warned;
	/* scalars that the packer declared for parts (parts.c) */
	struct lang_var **extents;
	uint32_t extent_count, extent_capacity;
	uint64_t *apart; /* per scalar: those that some call passes another value than for it */
};
#define LANG_MAX_EXTENTS 64u

struct lang_module {
	struct lang_unit *unit;
	struct lang_function *first, **last;
	uint32_t function_count;
	struct lang_map functions;
	const char *name;         /* of "PTO Module", NULL */
	struct lang_span end;     /* of the first source */
	struct lang_remark entry; /* of "Entry", text without @; NULL */
	uint8_t entry_chosen;     /* 1: the caller says which entry is the default */
	struct lang_function *default_entry;
	struct lang_function **order; /* callees before callers */
	struct lang_symbol **symbols;
	uint32_t symbol_count, symbol_capacity;
	/* declarations */
	struct lang_decl *decls, **last_decl; /* in source order */
	uint32_t decl_counts[LANG_DECL_KINDS];
	struct lang_map values, routines; /* with %names; with @names */
	struct lang_map facts;            /* of `meta key "text"`, by key */
	struct lang_map loops;            /* names of loops of workloads and processes, once known */
	uint8_t loops_known;
	const char *module_name; /* of `module @name`, NULL */
	struct lang_span module_at;
	const char **targets;
	uint32_t target_count, target_capacity;
	const struct lang_options *options;
	struct ptowsp_build *build;     /* owned by the compilation: what the module becomes; NULL: nothing yet */
	struct lang_decl *default_decl; /* the default entry, if it is no function */
};

static inline struct lang_var *lang_var_find(const struct lang_function *function, const char *name)
{
	return lang_map_find(&function->names, name);
}
/* Adds a variable; its name must be free. */
struct lang_var *lang_var_add(struct lang_unit *unit, struct lang_function *function, enum lang_var_kind kind, const char *name, struct lang_type type,
			      struct lang_span at);

/* The error that a function with tile parameters is to be a task, a kernel or an entry. */
void lang_inlined_refuse(struct lang_unit *unit, struct lang_span at, const struct lang_function *function);

/* "i32", "!pto.tile<8x8xf32>", "!pto.memref<gm,...,f32>", as the source writes them. */
const char *lang_type_text(struct lang_unit *unit, const struct lang_type *type);

#endif
