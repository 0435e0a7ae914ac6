/* SPDX-License-Identifier: MIT */
/* plan.h - what a task instruction comes to in one run at one tile level: its kernel, per tensor argument two forms and the range in which
 * they may lie, and its uses of the tensor map. What does not change from task to task is worked out when the instruction is reached for the second
 * time. One thread. */
#ifndef RT_PLAN_H
#define RT_PLAN_H

#include "rt/access.h"
#include "rt/use.h"

/* Values low .. low + span are allowed, as one unsigned comparison. */
struct rt_limit {
	int64_t low;
	uint64_t span;
};
/* How an access is found from the loop values. */
struct rt_plan_io {
	struct rt_form row, column;
	int64_t pitch; /* start = row * pitch + column */
	struct rt_limit row_limit, column_limit, start_limit;
	uint64_t row_step, column_step; /* powers of two: values differ by multiples of them; 0: they never differ */
	uint64_t end;    /* open: of the tensor, in elements */
	bool checked;    /* limits are to be asked */
	bool open;       /* the window goes on to the end of its tensor, else its length is always the same */
	bool window_anew; /* moving the window to its start does not do */
	uint8_t alike;   /* PTOWSP_READ, PTOWSP_WRITE: an earlier argument of that access may have the same key */
};
struct rt_plan {
	uint32_t kernel;
	uint32_t io_count, use_count;
	bool args;      /* arguments have to be evaluated even where no kernel wants them: one of them can fail */
	bool direct;    /* its kernel may be called with `task` and `windows` */
	bool rare;      /* the instruction, or the run, asks for more than edges, place and time */
	bool named;     /* uses of the latest task that was placed are all by name, */
	bool sure;      /*   and are so for each task as long as no more tensors are accessed as intervals: */
	uint32_t divided;
	bool counted;   /* which of its keys are equal is found for each task, */
	bool sorted;    /*   which are too many to compare one by one */
	uint32_t map_most;  /* places in the tensor map if no two of its keys are equal */
	uint32_t map_need;  /*   of the latest task, unless sorted */
	struct ptowsp_task task; /* for the kernel: all but number, args, place */
	struct rt_use *uses;          /* of the latest task: reads, then both, then writes */
	struct rt_access *accesses;   /* of the latest task */
	struct ptowsp_tensor_arg *windows; /* of the latest task whose windows were moved */
	struct rt_plan_io ios[];
};
/* One per task instruction and level. */
struct rt_plans {
	struct rt_plan **rows; /* site * levels + level; NULL until it is reached twice */
	uint8_t *met;
	uint32_t levels;
	uint32_t count;
};
bool rt_plans_init(struct rt_plans *plans, const struct rt_program *program);
void rt_plans_finish(struct rt_plans *plans);
/* Windows of the latest task. */
void rt_plan_windows_move(struct rt_plan *plan, const struct rt_tensors *tensors);

static inline struct rt_plan **rt_plan_at(const struct rt_plans *plans, const struct rt_site *site, uint32_t level)
{
	return &plans->rows[(size_t)site->number * plans->levels + level];
}

/* Values within a limit. */
static inline bool rt_limit_allows(const struct rt_limit *limit, int64_t value)
{
	return (uint64_t)value - (uint64_t)limit->low <= limit->span;
}

struct rt_run;
/* After a task of the instruction has been resolved without a plan, which left run->accesses. Makes a plan from the second call on; whether there is
 * one makes no difference to any result. */
void rt_plan_make(struct rt_run *run, const struct rt_site *site, uint32_t level);
/* What the next task needs of the map, where keys are counted one by one. */
void rt_plan_count(struct rt_plan *plan, bool full);
/* Names and ways of the uses of the next task. */
void rt_plan_place(struct rt_run *run, struct rt_plan *plan);

/* The next task: its accesses, and what it needs of the map. False: an access lies outside its tensor or divides by zero; resolving it without the plan
 * finds the words. full: hazards. */
RT_INLINE bool rt_plan_find(struct rt_plan *plan, struct rt_env *env, bool full)
{
	struct rt_access *access = plan->accesses;
	bool inside = true;

	for (const struct rt_plan_io *io = plan->ios, *end = io + plan->io_count; io < end; io++, access++) {
		int64_t row = rt_form_value(env, &io->row, access->io->row), column = rt_form_value(env, &io->column, access->io->column);
		/* Unsigned: a row beyond its limit may overflow, and is refused. */
		int64_t start = (int64_t)((uint64_t)row * (uint64_t)io->pitch + (uint64_t)column);

		access->key.row = row;
		access->key.column = column;
		access->start = start;
		if (!io->checked)
			continue;
		inside &= rt_limit_allows(&io->row_limit, row) && rt_limit_allows(&io->column_limit, column) && rt_limit_allows(&io->start_limit, start);
		if (io->open)
			access->length = io->end - (uint64_t)start;
	}
	if (plan->counted)
		rt_plan_count(plan, full);
	return inside && !env->failed;
}

#endif
