/* SPDX-License-Identifier: MIT */
/* tasks_parts.h - what the files share that print an entry as C. */
#ifndef PRINT_TASKS_PARTS_H
#define PRINT_TASKS_PARTS_H

#include <stdbool.h>

#include "format/verify/rank.h"
#include "print/function.h"
#include "print/print_tasks.h"
#include "print/print_text.h"
#include "ptowsp/workload.h"
#include "registry/common/common_names.h"

enum { PRINT_C_NAME = 64 };                        /* bytes of a name in C */
#define PRINT_EXPRESSION_MOST 16384u               /* bytes of an expression in C */
#define PRINT_TASKS_MOST      (UINT32_C(16) << 20) /* bytes of a file */
#define PRINT_WHOLE           UINT64_MAX           /* a reach: to the end of the tensor */

/* How a kernel touches one of its tensors. */
struct print_reach {
	uint64_t elements; /* behind the start of its window, PRINT_WHOLE: that depends on what it is given */
	uint32_t columns;  /* of all tiles that touch it, 0: there are several */
};
/* A tensor of the entry. */
struct print_c_tensor {
	char name[PRINT_C_NAME];
	uint32_t columns; /* of the matrix that it is for the task API, 0: nobody has touched it yet */
	int used, blocks; /* blocks: some touch it as rows and columns */
	int mixed;        /* no matrix for everybody who touches it: for none of them without blocks, then it is one row of all its elements */
	int by_value;     /* a matrix whose columns are made of the entry's values: the expression `length` */
	uint32_t length;
};
/* Arrays by row are made once; a row is cleared behind each entry that touched it, so that an entry costs what it uses. */
struct print_tasks {
	struct pkg *package;
	const struct pkg_tables *t;
	uint32_t entry;
	struct ptowsp_workload_header work;
	const struct pkg_code *code;
	const struct print_functions *functions; /* of the package */
	const char *name;                        /* of the function */
	struct print_text body;
	uint32_t depth;                     /* of indentation */
	uint32_t *kernels, kernel_count;    /* owned: KREG rows in the order of their first tasks */
	char (*kernel_names)[PRINT_C_NAME]; /* owned: of those: their functions', with a number behind it where several have one */
	uint32_t *kernel_at;                /* owned, by KREG row: 1 + its place in kernels, 0: it has no task */
	uint32_t *first_of;                 /* owned, by function: 1 + the place of its first kernel, 0: none has a task */
	struct common_names named;          /* of kernels */
	int no_memory;                      /* for one of those */
	struct pkg_ranks order;             /* TENS rows that it uses, those of the entry first and by position */
	struct print_c_tensor *tensors;     /* owned, by TENS row; zeros where the entry does not use one */
	struct print_reach **reach;         /* owned, by KREG row: of its tensors; NULL: no entry has asked yet */
	struct pkg_ranks slot_order;        /* SLOT rows that it uses */
	struct print_c_slot {
		char name[PRINT_C_NAME];
		int listed, used, set, in_length;
	} * slots;                 /* owned, by SLOT row; zeros as those */
	struct common_names names; /* of tensors, then of slots */
	struct print_c_loop {
		char name[PRINT_C_NAME];
		const char *axis;
	} loops[PTOWSP_NESTING_LIMIT];
	uint32_t loop_count;
	int pipeline;                             /* processes follow the instructions of the entry; they share its values */
	int in_process;                           /* the code at hand is one of them */
	struct print_text processes;              /* as functions */
	char (*channels)[PRINT_C_NAME];           /* owned, by CSPC row: names */
	uint32_t *payloads;                       /* owned, by CSPC row: 1 + the region of what goes with a token, 0: nothing */
	struct ptowsp_instruction *extents;       /* owned, by AXES row: the word that states it in the entry, nop: none does */
	char copy[PRINT_C_NAME];                  /* the kernel of copies, "": none */
	uint32_t level;                           /* tile rows in force, 0: as stated */
	uint32_t scopes;                          /* open ones in the innermost loop */
	int in_loop, in_levels;                   /* left by a BREAK */
	int divides, orders, floats, rows, parts; /* helpers that the text needs */
	uint8_t *exprs;                           /* owned, by EXPR row: see below */
	uint32_t *seen, walk;                     /* owned, by EXPR row: the latest walk that came by */
	int counts;                               /* task numbers are values of the package */
	uint32_t most_tensors, most_args;
	int first_pass;          /* the first time */
	struct ptowsp_error why; /* the first refusal */
};

/* An expression, with flags for what its operands come to: it is made of sums, differences and products of numbers and symbols; something in it may change in a run. */
enum { PRINT_C_STEADY = 1, PRINT_C_CHANGES = 2 };

struct ptowsp_instruction print_c_instruction(const struct print_tasks *p, uint32_t at);
const char *print_c_dtype(unsigned dtype); /* "PTOWSP_F32" */
/* Keeps the first sentence. */
void print_c_refuse(struct print_tasks *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A line. */
void print_c_line(struct print_tasks *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* tasks_name.c: a name as C takes it, and different from what the file uses itself. */
void print_c_name(char name_out[PRINT_C_NAME], const char *name);
/* A tensor, a slot that the entry uses. */
struct print_c_tensor *print_c_tensor(struct print_tasks *p, uint32_t tensor);
struct print_c_slot *print_c_slot(struct print_tasks *p, uint32_t slot);
/* Names of the tensors and slots that the entry uses, when all of them are known. 0: no memory. */
int print_c_names_make(struct print_tasks *p);
bool print_c_is_slot(const struct print_tasks *p, const char *name);
/* Function of a kernel. */
const char *print_c_function(const struct print_tasks *p, uint32_t kernel);
/* A kernel that has a task; its name in the struct. */
const char *print_c_kernel_add(struct print_tasks *p, uint32_t kernel);

/* tasks_region.c: bytes that a function works in: the larger of what its kernels, their payloads, and the function that is made of its program say. */
uint64_t print_c_workspace(const struct print_tasks *p, const struct print_function *function);

/* tasks_expr.c: an expression (EXPR row) as C, in as few parentheses as C needs; least: strength of what stands around it, 0 none. */
void print_c_expr(struct print_tasks *p, struct print_text *text, uint32_t row, unsigned least);
enum { PRINT_C_ANY = 0, PRINT_C_SUM = 9, PRINT_C_PRODUCT = 10 };
/* Lines that end the function where a divisor in it is 0. */
void print_c_divisors_check(struct print_tasks *p, uint32_t row);
/* The value of a slot. */
void print_c_value(struct print_tasks *p, struct print_text *text, uint32_t slot);
bool print_c_constant(const struct print_tasks *p, uint32_t row, int64_t *value_out);

/* tasks_region.c: the call of rt_tasks_load up to the variable that gets the value, "rt_tasks_load(tasks, o->tensor.x, 3, false, &": of the first element of a region; of the element
 * of a tensor whose number is that C. */
void print_c_load(struct print_tasks *p, struct print_text *text, uint32_t region, bool bits);
void print_c_element(struct print_tasks *p, struct print_text *text, uint32_t tensor, const char *element);

/* tasks_region.c: of a kernel's tensors, one per parameter; NULL: no memory. */
const struct print_reach *print_c_reach(struct print_tasks *p, uint32_t kernel);

/* tasks_region.c: a region as a kernel's tensor argument number `argument` touches it; first finds out whether the tensor is a matrix for it, then
 * prints the call but for its end, "rt_task_add_input(tasks, t, o->tensor.x, row, column, rows, columns". there: how many rows and columns of it, expressions; PTOWSP_NONE: all. access: bits of
 * how the task has it. */
void print_c_region_note(struct print_tasks *p, uint32_t kernel, uint32_t argument, uint32_t region);
void print_c_region(struct print_tasks *p, struct print_text *text, uint32_t kernel, uint32_t argument, uint32_t region, const uint32_t there[2],
		    unsigned access);

/* The same of a region that is copied, and its beginning alone: ", tensor, row, column". */
void print_c_block_region(struct print_tasks *p, struct print_text *text, uint32_t region, bool begin);

/* tasks_loop.c; of what a channel gives, too. */
void print_c_loop(struct print_tasks *p, uint32_t at);
void print_c_consume(struct print_tasks *p, uint32_t at);
/* tasks_process.c: a token is sent; the instruction behind it. Is the word behind `at` the region of what goes with a token? Then it is noted. */
uint32_t print_c_send(struct print_tasks *p, uint32_t at);
bool print_c_payload(struct print_tasks *p, uint32_t at);
/* All processes as functions in p->processes; what the struct, NAME_begin and the orchestration function have for them. */
void print_c_processes_make(struct print_tasks *p);
void print_c_channels_declare(const struct print_tasks *p, struct print_text *text);
void print_c_channels_begin(const struct print_tasks *p, struct print_text *text);
void print_c_processes_run(const struct print_tasks *p, struct print_text *text);
/* tasks_code.c: instructions [from, to). Twice: the first time to find out about regions, without text. */
void print_c_block(struct print_tasks *p, uint32_t from, uint32_t to);

#endif
