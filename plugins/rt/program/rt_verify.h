/* SPDX-License-Identifier: MIT */
/* rt_verify.h - the verifier while it reads an entry: where it is, the bodies around that place, and what all instructions need to be checked.
 * One thread. rt_verify.c has the pass; each group of instructions has a file of its own. */
#ifndef RT_VERIFY_H
#define RT_VERIFY_H

#include "rt/program/rt_error.h"
#include "rt/program/rt_program.h"

enum rt_body_kind { RT_BODY_ENTRY, RT_BODY_LOOP, RT_BODY_WHILE, RT_BODY_SCOPE, RT_BODY_BRANCHES };

/* A body that is being read. */
struct rt_body {
	enum rt_body_kind kind;
	uint32_t end;              /* of the current branch */
	uint32_t targets;          /* first TARGET word */
	uint32_t branch, branches; /* RT_BODY_BRANCHES */
	uint32_t outer_key;        /* RT_BODY_LOOP: nest.key around it */
	uint64_t before;           /* loops: tasks before it, at most */
	uint64_t times;            /* loops: how often the body runs, at most; UINT64_MAX: unknown */
};
/* An axis as the entry states it. */
struct rt_axis_word {
	bool stated;
	uint32_t kind, low, high, step; /* PTOWSP_AXIS_x, expressions */
};
struct rt_verifier {
	struct rt_program *program;
	struct rt_nest nest;
	struct rt_body bodies[PTOWSP_NESTING_LIMIT + 1];
	uint32_t depth, at;
	uint32_t process;                /* PROC row whose body is read, PTOWSP_NONE in the entry's own */
	uint32_t loops;                  /* loops among the bodies */
	bool begun;                      /* an instruction other than nop and axis words was read */
	struct rt_axis_word *axis_words; /* per AXES row, NULL while there is none; owned */
	uint64_t tasks;                  /* tasks that can have been issued before this place, at most; UINT64_MAX: unknown */
	int64_t after;                   /* largest constant of an AFTER inside the outermost loop, -1: none */
	uint32_t after_at;
	uint32_t *noted; /* instructions that are looked at again once all are read: SIGNAL, WAIT, ALLOC, FREE; owned */
	uint32_t noted_count, noted_room;
	struct ptowsp_error *error;
	char text[160];
};

/* "instruction 7 (file.pto:3:5)" of v->at; valid until the next call. */
const char *rt_verifier_here(struct rt_verifier *v);
/* BAD_PACKAGE with that sentence behind the place. */
ptowsp_status rt_verifier_refuse(struct rt_verifier *v, const char *text, ...) RT_PRINTF(2, 3);
const struct ptowsp_instruction *rt_verifier_word(const struct rt_verifier *v, uint32_t at);
uint32_t rt_verifier_code_count(const struct rt_verifier *v);
/* Says where, when a deeper step only knew what. */
ptowsp_status rt_verifier_placed(struct rt_verifier *v, ptowsp_status status);
/* Errors: BAD_PACKAGE when bodies nest too deeply. */
ptowsp_status rt_verifier_push(struct rt_verifier *v, struct rt_body body);
/* A target lies at `least` or behind it, and inside the body around it. */
ptowsp_status rt_verifier_target(struct rt_verifier *v, uint32_t target, uint32_t least);
ptowsp_status rt_verifier_expr(struct rt_verifier *v, uint32_t row, uint32_t *id_out);

/* All of program->entry, with its processes: checked and lowered behind what rt_program_common and rt_classes_init made. v->program and v->error are set. */
ptowsp_status rt_verifier_entry(struct rt_verifier *v);
/* What it owns. */
void rt_verifier_finish(struct rt_verifier *v);
/* Reads from `instruction` to its halt, which v->at then is. */
ptowsp_status rt_verifier_pass(struct rt_verifier *v, uint32_t instruction, uint32_t process);

/* verify_channel.c: send, consume and close at v->at; and the processes of a pipeline, after the entry's own instructions, which
 * are first .. halt. */
ptowsp_status rt_verify_send(struct rt_verifier *v);
ptowsp_status rt_verify_consume(struct rt_verifier *v);
ptowsp_status rt_verify_close(struct rt_verifier *v);
ptowsp_status rt_verify_processes(struct rt_verifier *v, uint32_t first, uint32_t halt);

/* Once the whole entry was read. Errors: UNSUPPORTED naming a tensor between ALLOC and FREE that a channel moves. */
ptowsp_status rt_verify_payloads(struct rt_verifier *v);

/* Each of the following lowers the instruction at v->at and moves behind it; a body's first instruction is next.
 * verify_loop.c: loops; axes stated by the entry. */
ptowsp_status rt_verify_loop(struct rt_verifier *v);
ptowsp_status rt_verify_axis(struct rt_verifier *v);
/* verify_sync.c: while, break, dispatch_filter; events, barriers, copies, memory. */
ptowsp_status rt_verify_while(struct rt_verifier *v);
ptowsp_status rt_verify_break(struct rt_verifier *v);
ptowsp_status rt_verify_filter(struct rt_verifier *v);
ptowsp_status rt_verify_event(struct rt_verifier *v);
ptowsp_status rt_verify_barrier(struct rt_verifier *v);
ptowsp_status rt_verify_notify(struct rt_verifier *v);
ptowsp_status rt_verify_copy(struct rt_verifier *v);
ptowsp_status rt_verify_memory(struct rt_verifier *v);
/* Once the whole entry was read. Errors: BAD_PACKAGE naming an event that is waited for and never signalled. */
ptowsp_status rt_verify_events(struct rt_verifier *v);
/* rt_verify.c: how many tasks there can be, after a task instruction. Errors: BAD_PACKAGE for an AFTER that
 * can only name the task itself or a later one. */
ptowsp_status rt_verify_count_task(struct rt_verifier *v, const struct rt_site *site);
/* Number of a tile level, made when it is new. */
ptowsp_status rt_verify_level(struct rt_program *program, uint32_t rows, uint8_t *index_out, struct ptowsp_error *error);

#endif
