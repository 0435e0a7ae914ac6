/* SPDX-License-Identifier: MIT */
/* expand.h - the bytecode interpreter: walks a lowered program and gives one event at a time, so that its user can stop in the
 * middle of any nest and go on later. No recursion, no allocation, O(nesting) state. One thread. */
#ifndef RT_EXPAND_H
#define RT_EXPAND_H

#include "rt/program/axis.h"
#include "rt/program/rt_program.h"

enum rt_event {
	RT_EVENT_TASK, /* expand.site, level, loops */
	RT_EVENT_SCOPE_BEGIN,
	RT_EVENT_SCOPE_END,
	RT_EVENT_ORDER_BEGIN, /* a for_each or sequential */
	RT_EVENT_ORDER_STEP,  /* its next iteration or step */
	RT_EVENT_ORDER_END,
	RT_EVENT_READ,      /* a condition or bound read the slots expand.read ... of exprs.reads */
	RT_EVENT_SLOT_SET,  /* expand.slot, expand.expr: not yet evaluated */
	RT_EVENT_SLOT_LOAD, /* expand.slot, expand.io */
	RT_EVENT_SEND,      /* expand.channel, expand.expr: not yet evaluated */
	RT_EVENT_CONSUME,   /* expand.channel: the next token is wanted; rt_expand_token or rt_expand_closed goes on */
	RT_EVENT_CLOSE,     /* expand.channel */
	RT_EVENT_SYNC,      /* expand.sync: a SIGNAL, WAIT, BARRIER, FENCE, ALLOC or FREE of program.code */
	RT_EVENT_PAUSE,     /* time for a look at deadline and cancel: every RT_PAUSE_EVERY instructions */
	RT_EVENT_END,
	RT_EVENT_FAILED, /* expand.error was filled: RUN_FAILED */
	RT_EVENT_NONE    /* nothing to tell: of rt_expand_step only */
};

/* Instructions between two pauses. */
#define RT_PAUSE_EVERY 1024u

struct rt_interleave;
/* A body that is being walked. */
struct rt_frame {
	uint8_t op;                  /* opcode that opened it; the entry has its own */
	uint16_t branch;             /* sequential: step */
	uint32_t at;                 /* the instruction that opened it */
	uint32_t end;                /* of the body or branch */
	uint32_t depth;              /* loops: of the value */
	uint8_t level;               /* in force outside it */
	int64_t step;                /* loops; select: place of the next index */
	uint64_t left;               /* loops without levels: iterations after this one; cond: where to go on behind the then part */
	uint64_t given;              /* tasks before it, of this expander */
	struct rt_interleave *turns; /* combine under timing interleaved: owned */
	struct rt_level_walk walk;
	char reserved[32]; /* 128 bytes: it is found by a shift */
};
_Static_assert(sizeof(struct rt_frame) == 128, "a frame is found by a shift");

/* One execution of a loop: its value grows from iteration to iteration, and the loops around it stand still. */
struct rt_round {
	uint64_t number; /* never twice in a run; 0: none */
	int64_t last;    /* no value is larger */
	uint64_t stride; /* values differ by multiples of it */
};
struct rt_expand {
	const struct rt_program *program;
	const struct rt_ins *code; /* program->code */
	struct rt_env *env;        /* where expressions look */
	int64_t *loops;            /* env->loops: of the expander whose turn it is */
	uint64_t *slots;           /* NULL, or where values of slots are put at once, because nobody else hears of it */
	struct ptowsp_error *error;
	ptowsp_status failure; /* of RT_EVENT_FAILED: RUN_FAILED, or NO_MEMORY */
	uint64_t round_count;
	uint32_t depth, at;
	uint32_t site, level;
	uint32_t budget; /* instructions until the next PAUSE */
	uint32_t slot, expr, io, read, read_count, sync;
	uint32_t channel; /* CSPC row */
	uint64_t given;   /* tasks so far */
	bool turns;       /* branches take turns */
	bool ordering;    /* a for_each was entered, of which ORDER_BEGIN has not been given */
	bool passing;     /*   and one is over */
	bool breaking;    /* bodies are being left up to the innermost loop */
	/* Arrays last, filled from the front: rt_expand_move leaves out what is not in use. */
	struct rt_round rounds[PTOWSP_NESTING_LIMIT]; /* of the loop at each depth */
	struct rt_frame frames[PTOWSP_NESTING_LIMIT + 1];
};

void rt_expand_start(struct rt_expand *expand, const struct rt_program *program, struct rt_env *env, struct ptowsp_error *error);
/* As if a BREAK were reached here: the innermost loop is left with the next event. False: there is none. */
bool rt_expand_break(struct rt_expand *expand);
/* One instruction, or the end of one body, at a time: for who looks at the frames in between. Not where branches take turns. */
enum rt_event rt_expand_step(struct rt_expand *expand);
/* Gives back what bodies hold that were not walked to their end; nothing otherwise. */
void rt_expand_finish(struct rt_expand *expand);

/* At the end of the body of a loop: its next iteration, if it is a dense one of a parallel_for. False: not so. */
static inline bool rt_expand_iterate(struct rt_expand *expand, struct rt_frame *frame)
{
	if (frame->op != PTOWSP_OP_PARALLEL_FOR || frame->walk.set || !frame->left)
		return false;
	frame->left--;
	expand->loops[frame->depth] += frame->step;
	expand->at = frame->at + 1;
	return true;
}

/* Stands the expander at a task, perhaps after an iteration of which nobody hears? Then it is given. */
static inline bool rt_expand_task(struct rt_expand *expand)
{
	struct rt_frame *top = &expand->frames[expand->depth - 1];
	const struct rt_ins *in;

	if (expand->turns || expand->ordering || expand->breaking || expand->budget < 2)
		return false;
	if (expand->at == top->end && !rt_expand_iterate(expand, top))
		return false;
	in = &expand->code[expand->at];
	if (in->op != PTOWSP_OP_TASK)
		return false;
	expand->budget--;
	expand->site = in->row;
	expand->at = in->end;
	expand->given++;
	return true;
}
/* The next event, whatever it is. */
enum rt_event rt_expand_any(struct rt_expand *expand);
static inline enum rt_event rt_expand_next(struct rt_expand *expand)
{
	return rt_expand_task(expand) ? RT_EVENT_TASK : rt_expand_any(expand);
}

/* Moves `to` to the place of `from`, of the same env; values of loops stay. Rounds and budget stay those of `to`: they are counted per run. */
void rt_expand_move(struct rt_expand *to, const struct rt_expand *from);
/* After RT_EVENT_CONSUME: the body runs with this token; or the loop ends. */
void rt_expand_token(struct rt_expand *expand, uint64_t token);
void rt_expand_closed(struct rt_expand *expand);

#endif
