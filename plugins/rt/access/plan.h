/* SPDX-License-Identifier: MIT */
/* plan.h - what a task instruction comes to in one run at one tile level: its kernel, per tensor argument two affine forms and the range in which
 * they may lie, and its uses of the tensor map. Parts that all tasks share are worked out when the instruction is reached for the second
 * time. While the innermost loop goes on, everything moves on by a constant per step of its value, and if the last iteration stays inside its tensors, so
 * do those before it. Uses are moved for each task; accesses and windows when somebody asks for them. One thread. */
#ifndef RT_PLAN_H
#define RT_PLAN_H

#include "rt/access/access.h"
#include "rt/access/use.h"
#include "rt/expand/expand.h"
#include "rt/time/clock.h"

/* No round: a number of a plan. */
#define RT_NO_ROUND UINT64_MAX

/* Values low .. low + span are allowed, as one unsigned comparison. */
struct rt_limit {
	int64_t low;
	uint64_t span;
};
/* How an access is found from loop values and registers. */
struct rt_plan_io {
	uint64_t row_step, column_step, start_step; /* per 1 of the innermost loop; they wrap */
	struct rt_form row, column, start;
	uint64_t row_unit, column_unit; /* powers of two: values differ by multiples of them; 0: they never differ */
	int64_t pitch;                  /* start = row * pitch + column */
	uint64_t end;                   /* open: of the tensor, in elements */
	bool begins;                    /* each task makes a version through it */
	bool open;                      /* the window goes on to the end of its tensor, else its length is always the same, */
	bool varies;                    /*   or it is a block of which each task says what is there: */
	bool fits;                      /*   as far as its tensor goes, and whole elsewhere; */
	struct rt_form rows, columns;   /*   of any part; `fits`: over registers of plan.part_code */
};
/* Bounds of rows, columns and starts of accesses; each sum stands once. */
struct rt_plan_check {
	struct rt_form sum;
	struct rt_limit limit;
};
/* A window that does not stay: it begins `start` elements of `size` bytes behind `place`, and moves on by `step` bytes per 1 of the innermost loop. */
struct rt_plan_move {
	uint64_t step;
	struct ptowsp_tensor_arg *window;
	const struct rt_form *start;
	char *place;
	int64_t size;
};
/* Two accesses whose keys can be equal. */
struct rt_plan_pair {
	uint8_t later, earlier; /* of the accesses */
	uint8_t bits;           /* accesses of both: PTOWSP_READ, PTOWSP_WRITE */
	uint8_t uses[2];        /* of the two, where `pairs_named` */
};
/* Questions that a plan leaves to each task: its arguments are wanted, and vary; the clock hears of the slots that it reads; which of its keys are equal changes within a round; not all uses are
 * by name. */
enum { RT_ASK_ARGS = 1, RT_ASK_SLOTS = 2, RT_ASK_KEYS = 4, RT_ASK_USES = 8 };
struct rt_plan {
	const struct rt_site *site;
	uint32_t kernel;
	uint32_t io_count, use_count;
	uint32_t inner;                  /* depth of the innermost loop */
	uint32_t code;                   /* row of the run's codes + 1: steps that fill registers for the forms; 0: none */
	uint32_t part_code;              /* the same, of sizes of parts that fit: filled where accesses are asked for */
	bool affine;                     /* there is one, and all accesses move on by constants */
	bool failing;                    /* arguments have to be evaluated even where no kernel wants them: one of them can fail */
	uint64_t round;                  /* of that loop, in which the accesses were found and its rest was proved; RT_NO_ROUND: none */
	int64_t at;                      /* its value at the latest task */
	int64_t accesses_at, windows_at; /* values of both */
	bool accesses_anew;              /* accesses: of no task since the plan was found */
	bool windows_anew;               /* windows: not of this round */
	bool windows_loose;              /* moving them on does not do: their lengths change, too */
	bool windows_made;               /* all but where they begin is there */
	bool plain;                      /* its tasks need nothing but what stands here: rt_issue_plain; then: */
	bool versions;                   /* each makes versions, or gets windows into some: rt_versions_planned */
	bool lone;                       /* neither, there is one place where they can run, and the tensor map has room for each: clock_lone.c */
	struct rt_clock_task timed;      /* what the clock hears of each */
	struct ptowsp_kernel_stats *stats;
	uint64_t told;           /* tasks that the clock has, and stats lack: rt_plans_count */
	uint32_t asks;           /* of each of its tasks: RT_ASK_x */
	bool settled;            /* all uses are cells whatever the task, until another tensor is divided */
	bool counted;            /* equal keys are found for each round */
	bool pairs_named;        /* none are where names differ */
	uint32_t map_most;       /* places in the tensor map if no two of its keys are equal; of the latest task: timed.need.map */
	struct ptowsp_task task; /* for the kernel: all but number and args */
	struct rt_use *uses;     /* reads, then both, then writes, then versions that begin */
	struct rt_use *uses_anew, *uses_end;
	struct rt_plan_check *checks, *checks_end;
	struct rt_access *accesses;
	struct ptowsp_tensor_arg *windows;
	uint64_t *args;                         /* of the latest task; they stay where none of them varies */
	struct rt_plan_move *moves, *moves_end; /* from `rests` on: windows that stay during a round */
	struct rt_plan_move *rests;
	struct rt_plan_pair *pairs; /* where `counted` */
	uint32_t pair_count;
	struct rt_plan_io ios[];
};
/* One per task instruction and level. */
struct rt_plans {
	struct rt_plan **rows;  /* site * levels + level; NULL until it is reached twice */
	struct rt_plan **plain; /* plans that are plain */
	uint8_t *met;           /* per row, how often its instruction was reached before it had a plan */
	uint32_t levels;
	uint32_t count;
};
/* In the arena, as plans are; when it is exhausted there are none. */
void rt_plans_init(struct rt_plans *plans, const struct rt_program *program, struct common_arena *arena);
/* Statistics of kernels get the tasks that their plans have counted. */
void rt_plans_count(const struct rt_plans *plans);
/* Another tensor is divided: all plans find their places anew. */
void rt_plans_forget(struct rt_plans *plans);
/* Accesses of the task at which the expander stands, as windows where the kernel wants to see them. */
void rt_plan_accesses_move(struct rt_plan *plan, const struct rt_env *env);
void rt_plan_windows_anew(struct rt_plan *plan, const struct rt_env *env);
/* What the same need of the tensor map, where it varies. full: hazards. */
void rt_plan_recount(struct rt_plan *plan, const int64_t *places, bool full);

/* Windows that end with their tensor change their length, and one that is not touched may begin anywhere: those are made anew. */
static inline void rt_plan_windows_move(struct rt_plan *plan, const struct rt_env *env)
{
	uint64_t steps = (uint64_t)plan->at - (uint64_t)plan->windows_at;

	if (plan->windows_anew) {
		rt_plan_windows_anew(plan, env);
		return;
	}
	for (const struct rt_plan_move *move = plan->moves, *end = plan->rests; move < end; move++)
		move->window->data = (char *)move->window->data + move->step * steps;
	plan->windows_at = plan->at;
}

static inline struct rt_plan **rt_plan_at(const struct rt_plans *plans, const struct rt_program *program, const struct rt_site *site, uint32_t level)
{
	return &plans->rows[(size_t)(site - program->sites) * plans->levels + level];
}

struct rt_run;
/* plan_part.c: sizes of the blocks of which a task says what is there; before their places. False: as rt_coding_end. */
bool rt_plan_parts(struct rt_plan *plan, struct rt_run *run);
/* Sizes of a part that does not fit, in the code of the places. False: each task has to be asked, because its keys depend on them. */
bool rt_plan_part_follow(struct rt_plan_io *to, const struct rt_run *run, const struct rt_io *io, struct rt_coding *coding);
/* After a task of the instruction has been resolved without a plan, which left run->accesses. Makes a plan from the second call on; whether there is
 * one makes no difference to any result. */
void rt_plan_make(struct rt_run *run, const struct rt_site *site, uint32_t level);
/* A task that is not the next one of the plan's round: everything from the forms. False: an access lies outside its tensor or divides
 * by zero; resolving it without the plan finds the words. */
bool rt_plan_find(struct rt_run *run, struct rt_plan *plan);

/* The plan becomes that of the task at which the expander stands: within a round nothing has to be found. False: as rt_plan_find. */
RT_INLINE bool rt_plan_reach(struct rt_run *run, struct rt_plan *plan, const struct rt_expand *expand)
{
	plan->at = expand->loops[plan->inner];
	return plan->round == expand->rounds[plan->inner].number || rt_plan_find(run, plan);
}

/* Names of the latest task. */
static inline void rt_plan_uses_name(struct rt_plan *plan)
{
	for (struct rt_use *use = plan->uses, *end = plan->uses_end; use < end; use++)
		use->name = use->origin + use->step * (uint64_t)plan->at;
}

#endif
