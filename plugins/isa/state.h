/* SPDX-License-Identifier: MIT */
/* state.h - one execution of a program: what the interpreter and the operations share. Belongs to one thread. */
#ifndef ISA_STATE_H
#define ISA_STATE_H

#include "isa/element.h"
#include "isa/isa_program.h"

#include <string.h>

struct isa_state {
	const struct isa_program *program;
	unsigned char *scratch;         /* tiles at their offsets; not used by a walk */
	uint64_t *scalars;              /* as in task.h: integers sign-extended, floats as their bits */
	const struct ptowsp_task *task; /* NULL in a walk */
	isa_touch_fn touch;             /* walk only, may be NULL */
	void *context;
	const struct isa_visitor *visitor; /* of the two that are visited */
	struct ptowsp_error *error;        /* may be NULL */
	uint64_t cycles;                   /* saturates */
	uint64_t budget;                   /* until AGAIN; run: jumps back, walk: instructions */
	uint64_t pause;                    /* run: cycles beyond which it is AGAIN, too; UINT64_MAX: none */
	const struct isa_guard *guard;     /* asked within an instruction that takes long; NULL: nobody is */
	uint64_t left;                     /* walk: further budgets that will follow, which a loop in closed form may draw on */
	uint32_t pc;
};

/* "kernel rowmax line 12: " and the sentence. s NULL: no place. Returns KERNEL_FAILED, RUN_FAILED in a walk. */
ptowsp_status isa_state_fail(const struct isa_state *state, const struct isa_step *s, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Elements of work between two questions to a guard, as cycles count them: some milliseconds. */
enum { ISA_WORK_SLICE = 1 << 23 };
/* Within an instruction: has the run to end now? */
static inline bool isa_state_over(const struct isa_state *state)
{
	return state->guard && state->guard->stop(state->guard->context);
}
/* With the sentence: CANCELLED. */
ptowsp_status isa_state_stopped(const struct isa_state *state);

/* Goes on from pc. 0 at a return; AGAIN when the budget is used up, or at a pause: then it can go on with a new one. */
ptowsp_status isa_state_run(struct isa_state *state);
ptowsp_status isa_state_walk(struct isa_state *state);
ptowsp_status isa_state_run_visited(struct isa_state *state);
ptowsp_status isa_state_walk_visited(struct isa_state *state);

/* isa_run with another limit of jumps back than 2^32. */
ptowsp_status isa_run_within(const struct isa_program *program, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, void *scratch, uint64_t jumps);

#endif
