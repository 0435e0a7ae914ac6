/* SPDX-License-Identifier: MIT */
/* rt_verify.h - the verifier while it reads an entry: where it is, the bodies around that place, and what all instructions need to be checked and lowered.
 * A refusal says what is wrong; where that is, the pass says, once. One thread. rt_verify.c has the pass; each group of instructions has a file of its own. */
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
	uint32_t next;                   /* behind the instruction at `at` and its words */
	uint32_t where;                  /* the instruction that a refusal is about */
	uint32_t process;                /* PROC row whose body is read, PTOWSP_NONE in the entry's own */
	uint32_t loops;                  /* loops among the bodies */
	bool begun;                      /* an instruction other than nop and axis words was read */
	bool halted;                     /* at the halt */
	struct rt_axis_word *axis_words; /* per AXES row, NULL while there is none; owned */
	uint64_t tasks;                  /* tasks that can have been issued before this place, at most; UINT64_MAX: unknown */
	int64_t after;                   /* largest constant of an AFTER inside the outermost loop, -1: none */
	uint32_t after_at;
	uint32_t *first_tensors,
		*next_tensors; /* TENS rows of each entry: first[entry], next[first[entry]] ..., PTOWSP_NONE behind the last; NULL until asked for; owned */
	uint32_t *noted;       /* instructions that are looked at again once all are read: SIGNAL, WAIT, ALLOC, FREE; owned */
	uint32_t noted_count, noted_room;
	struct ptowsp_error *error;
};

#define RT_REFUSE(v, ...) rt_fail((v)->error, PTOWSP_BAD_PACKAGE, __VA_ARGS__)
/* Behind the last row of a list of the program; NO_MEMORY. */
#define RT_APPEND(v, list, count, room, value)                                                                                                                 \
	(COMMON_GROW((v)->program->list, (v)->program->room, (v)->program->count) ? ((v)->program->list[(v)->program->count++] = (value), PTOWSP_OK)           \
										  : rt_no_memory((v)->error, "the program"))

static inline const struct ptowsp_instruction *rt_verifier_word(const struct rt_verifier *v, uint32_t at)
{
	return &v->program->tables.work.code[at];
}
/* A refusal: there is no such row. what: "event". */
ptowsp_status rt_verifier_row(struct rt_verifier *v, const char *what, uint32_t row, uint32_t count);
/* Errors: BAD_PACKAGE when bodies nest too deeply. */
ptowsp_status rt_verifier_push(struct rt_verifier *v, struct rt_body body);
/* A target lies at `least` or behind it, and inside the body around it. */
ptowsp_status rt_verifier_target(struct rt_verifier *v, uint32_t target, uint32_t least);
/* An expression as seen from the nest; one that decides which tasks there are, or what they touch: program->asks. */
ptowsp_status rt_verifier_value(struct rt_verifier *v, uint32_t row, uint32_t *id_out);
ptowsp_status rt_verifier_expr(struct rt_verifier *v, uint32_t row, uint32_t *id_out);
/* Behind the instruction stands one word with that opcode, of tensor argument 0. */
bool rt_verifier_tensor_word(const struct rt_verifier *v, unsigned opcode);

/* All of program->entry, with its processes: checked and lowered behind what rt_program_begin made. v->program and v->error are set. */
ptowsp_status rt_verifier_entry(struct rt_verifier *v);
/* Frees its tables. */
void rt_verifier_finish(struct rt_verifier *v);
/* Reads from `instruction` to its halt, which v->at then is. */
ptowsp_status rt_verifier_pass(struct rt_verifier *v, uint32_t instruction, uint32_t process);
/* Says where, in front of what a refusal says. */
ptowsp_status rt_verifier_placed(struct rt_verifier *v, ptowsp_status status);

/* ---- instructions: the word at v->at, and the row that it becomes ---- */

/* verify_channel.c: SEND, CONSUME, CLOSE; the processes of a pipeline, behind the entry's own instructions first .. halt - 1. */
ptowsp_status rt_verify_send(struct rt_verifier *v, const struct ptowsp_instruction *in, struct rt_ins *out);
ptowsp_status rt_verify_consume(struct rt_verifier *v, const struct ptowsp_instruction *in, struct rt_ins *out);
ptowsp_status rt_verify_close(struct rt_verifier *v, const struct ptowsp_instruction *in, struct rt_ins *out);
ptowsp_status rt_verify_processes(struct rt_verifier *v, uint32_t first, uint32_t halt);
/* Once all are read: tensors whose elements channels move live as long as the run. */
ptowsp_status rt_verify_payloads(struct rt_verifier *v);

/* entry.c: an entry that is one task of a kernel and has no instructions of its own. */
ptowsp_status rt_verify_own_task(struct rt_verifier *v);

/* verify_loop.c, verify_sync.c */
ptowsp_status rt_verify_loop(struct rt_verifier *v, const struct ptowsp_instruction *in, struct rt_ins *out);
ptowsp_status rt_verify_axis(struct rt_verifier *v, const struct ptowsp_instruction *in, struct rt_ins *out);
ptowsp_status rt_verify_while(struct rt_verifier *v, const struct ptowsp_instruction *in, struct rt_ins *out);
ptowsp_status rt_verify_filter(struct rt_verifier *v, const struct ptowsp_instruction *in, struct rt_ins *out);
ptowsp_status rt_verify_event(struct rt_verifier *v, const struct ptowsp_instruction *in, struct rt_ins *out);
ptowsp_status rt_verify_barrier(struct rt_verifier *v, const struct ptowsp_instruction *in, struct rt_ins *out);
ptowsp_status rt_verify_notify(struct rt_verifier *v, const struct ptowsp_instruction *in, struct rt_ins *out);
ptowsp_status rt_verify_copy(struct rt_verifier *v, const struct ptowsp_instruction *in, struct rt_ins *out);
ptowsp_status rt_verify_memory(struct rt_verifier *v, const struct ptowsp_instruction *in, struct rt_ins *out);
/* Once all instructions are read: every WAIT can be ended. */
ptowsp_status rt_verify_events(struct rt_verifier *v);
/* A tile level in force; its place in program->levels goes to *index_out. */
ptowsp_status rt_verify_level(struct rt_verifier *v, uint32_t rows, uint8_t *index_out);

/* lower.c: the words of the TASK at v->at as the site behind the others. */
ptowsp_status rt_site_lower(struct rt_verifier *v);
/* The part common to all sites, behind its own words: stated edges, the schedule's operands; appends it, and makes *out of it. */
ptowsp_status rt_site_close(struct rt_verifier *v, struct rt_site *site, struct rt_ins *out);
/* Room for so many arguments and regions behind the others; not filled in. */
ptowsp_status rt_site_rooms(struct rt_verifier *v, uint32_t args, uint32_t ios);
/* How many scalars and tensors a KREG row takes that is there. Errors: BAD_PACKAGE. */
ptowsp_status rt_kernel_takes(const struct rt_verifier *v, uint32_t kernel, uint32_t counts_out[2]);
/* Once all sites are there: kernels per level, key classes of flat windows. */
ptowsp_status rt_sites_finish(struct rt_verifier *v);
/* region.c: fills *io, whose access is there, from a REGN row: expressions, key class, what can be proved. */
ptowsp_status rt_io_lower(struct rt_verifier *v, uint32_t region, struct rt_io *io);
/* parts.c: the words from v->next on that say how much of a region is there; before regions are lowered. */
ptowsp_status rt_site_parts(struct rt_verifier *v, const struct rt_site *site);
/* Once all sites and their kernels are there: parts_of. */
ptowsp_status rt_parts_finish(struct rt_verifier *v);
/* after.c: the AFTER words from v->next on. */
ptowsp_status rt_site_after(struct rt_verifier *v, struct rt_site *site);

#endif
