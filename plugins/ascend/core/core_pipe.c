/* SPDX-License-Identifier: MIT */
/* core_pipe.c - executes the moves of a kernel. All times only grow, and each is the largest of other times plus constants; that makes
 * rounds of a loop foreseeable (leap). */
#include "ascend/core/core_kernel.h"

#include <stdlib.h>
#include <string.h>

#define TIME_MOST (UINT64_MAX / 4) /* saturated */
enum { TIMES_FEW = 256, TILES_FEW = 64 };

struct run {
	const struct ascend_kernel *kernel;
	uint64_t *times;
	uint8_t *there; /* per tile: enum ascend_side */
	uint64_t busy[ASCEND_PIPE_COUNT];
	uint32_t count; /* of times */
	bool failed;    /* no memory for a loop */
	uint64_t few_times[TIMES_FEW];
	uint8_t few_there[TILES_FEW];
};

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t capped(uint64_t time)
{
	return time < TIME_MOST ? time : TIME_MOST;
}

static void barrier(struct run *r)
{
	uint64_t last = 0;

	for (int p = 0; p < ASCEND_PIPE_COUNT; p++)
		last = later(last, r->times[p]);
	for (int p = 0; p < ASCEND_PIPE_COUNT; p++)
		r->times[p] = last;
}

static void move_do(struct run *r, const struct ascend_move *m)
{
	const uint32_t *list = r->kernel->times;
	uint64_t *times = r->times, at;

	if (m->lacks && r->there[m->tile] & m->lacks)
		return;
	if (m->pipe == ASCEND_PIPE_COUNT) {
		barrier(r);
		return;
	}
	at = later(times[m->pipe], times[ASCEND_PIPE_SCALAR]);
	for (uint32_t n = 0; n < m->waits; n++)
		at = later(at, times[list[m->wait + n]]);
	for (uint32_t n = 0; n < m->rooms; n++)
		at = later(at, times[list[m->room + n]]);
	at = capped(at + m->cycles);
	times[m->pipe] = at;
	for (uint32_t n = 0; n < m->sets; n++)
		times[list[m->set + n]] = later(times[list[m->set + n]], at);
	if (m->makes)
		r->there[m->tile] = (uint8_t)((m->makes & ASCEND_ONLY ? 0 : r->there[m->tile]) | (m->makes & ~ASCEND_ONLY));
	r->busy[m->pipe] = capped(r->busy[m->pipe] + m->cycles);
}

static void insts_do(struct run *r, uint32_t first, uint32_t count)
{
	const uint32_t end = r->kernel->first[first + count];

	for (uint32_t m = r->kernel->first[first]; m < end; m++)
		move_do(r, &r->kernel->moves[m]);
}

static void inst(void *context, uint32_t i)
{
	insts_do(context, i, 1);
}

/* Changes of times in a round, and times that a leap tries. */
struct loop {
	uint32_t first, count;
	uint64_t *before, *more, *tried;
	uint64_t busy[ASCEND_PIPE_COUNT]; /* of a round */
	uint8_t *there;                   /* before the round */
};

static bool loop_make(struct loop *l, const struct run *r)
{
	l->before = malloc(3 * (size_t)r->count * sizeof(*l->before));
	l->there = malloc(r->kernel->tile_count + 1u);
	l->more = l->before ? l->before + r->count : NULL;
	l->tried = l->before ? l->more + r->count : NULL;
	return l->before && l->there;
}

static void loop_finish(struct loop *l)
{
	free(l->before);
	free(l->there);
}

/* One round; true if it did the same as the round before, known says whether there was one. */
static bool round_do(struct run *r, struct loop *l, bool known)
{
	uint64_t busy[ASCEND_PIPE_COUNT];
	bool same = known;

	memcpy(busy, r->busy, sizeof(busy));
	memcpy(l->before, r->times, r->count * sizeof(*l->before));
	memcpy(l->there, r->there, r->kernel->tile_count);
	insts_do(r, l->first, l->count);
	for (uint32_t n = 0; n < r->count; n++) {
		const uint64_t more = r->times[n] - l->before[n];

		same = same && more == l->more[n];
		l->more[n] = more;
	}
	for (int p = 0; p < ASCEND_PIPE_COUNT; p++)
		l->busy[p] = r->busy[p] - busy[p];
	return same && !memcmp(l->there, r->there, r->kernel->tile_count);
}

static uint64_t plus_times(uint64_t base, uint64_t each, uint64_t count)
{
	return each && count > (TIME_MOST - base) / each ? TIME_MOST : base + each * count;
}

static void busy_more(struct run *r, const struct loop *l, uint64_t rounds)
{
	for (int p = 0; p < ASCEND_PIPE_COUNT; p++)
		r->busy[p] = plus_times(r->busy[p], l->busy[p], rounds);
}

/* All that is left of a loop that never ends in the time that is counted. */
static bool saturates(struct run *r, const struct loop *l, uint64_t rounds)
{
	bool over = false;

	for (uint32_t n = 0; n < r->count; n++)
		over |= plus_times(r->times[n], l->more[n], rounds) == TIME_MOST;
	for (uint32_t n = 0; over && n < r->count; n++)
		r->times[n] = plus_times(r->times[n], l->more[n], rounds);
	if (over)
		busy_more(r, l, rounds);
	return over;
}

/* Two rounds added the same. Times at the end of a round are convex functions of those at its begin, so a third round far ahead that adds
 * the same again says that all between do. Tries that with `skipped` rounds between; then they and the third are done. */
static bool leap_try(struct run *r, const struct loop *l, uint64_t skipped)
{
	bool same = true;

	memcpy(l->tried, r->times, r->count * sizeof(*l->tried));
	for (uint32_t n = 0; n < r->count; n++)
		r->times[n] += l->more[n] * skipped;
	insts_do(r, l->first, l->count);
	for (uint32_t n = 0; same && n < r->count; n++)
		same = r->times[n] == l->tried[n] + l->more[n] * (skipped + 1);
	if (same) {
		busy_more(r, l, skipped);
		return true;
	}
	memcpy(r->times, l->tried, r->count * sizeof(*l->tried));
	for (int p = 0; p < ASCEND_PIPE_COUNT; p++)
		r->busy[p] -= l->busy[p];
	return false;
}

/* Returns how many of `left` rounds it did. */
static uint64_t leap(struct run *r, const struct loop *l, uint64_t left)
{
	if (saturates(r, l, left))
		return left;
	for (uint64_t skipped = left - 1; skipped; skipped /= 2)
		if (leap_try(r, l, skipped))
			return skipped + 1;
	return 0;
}

static void rounds(void *context, uint32_t first, uint32_t count, uint64_t left)
{
	struct run *r = context;
	struct loop l = {.first = first, .count = count};
	bool known = false;

	r->failed |= !loop_make(&l, r);
	while (left && !r->failed) {
		const bool same = round_do(r, &l, known);

		known = true;
		left--;
		if (same && left)
			left -= leap(r, &l, left);
	}
	loop_finish(&l);
}

/* Tiles that nothing wrote are everywhere. */
static ptowsp_status run_init(struct run *r, const struct ascend_kernel *k, struct ptowsp_error *error)
{
	r->kernel = k;
	r->count = ascend_time_count(k);
	r->failed = false;
	memset(r->busy, 0, sizeof(r->busy));
	r->times = r->count <= TIMES_FEW ? r->few_times : malloc(r->count * sizeof(*r->times));
	r->there = k->tile_count <= TILES_FEW ? r->few_there : malloc(k->tile_count);
	if (!r->times || !r->there)
		return rt_fail(error, PTOWSP_NO_MEMORY, "no memory for the cycles of a kernel");
	memset(r->times, 0, r->count * sizeof(*r->times));
	memset(r->there, ASCEND_ON_VECTOR | ASCEND_ON_CUBE, k->tile_count);
	return PTOWSP_OK;
}

static void run_finish(struct run *r)
{
	if (r->times != r->few_times)
		free(r->times);
	if (r->there != r->few_there)
		free(r->there);
}

static uint64_t saturated(uint64_t time)
{
	return time == TIME_MOST ? UINT64_MAX : time;
}

static void cost_tell(const struct run *r, struct ascend_cost *cost)
{
	uint64_t last = 0;

	for (int p = 0; p < ASCEND_PIPE_COUNT; p++) {
		last = later(last, r->times[p]);
		cost->busy[p] = saturated(r->busy[p]);
	}
	cost->cycles = saturated(last);
}

ptowsp_status ascend_kernel_cost(const struct ascend_kernel *kernel, const uint64_t *args, uint32_t arg_count, struct isa_block block,
				 const struct isa_guard *guard, struct ascend_cost *cost_out, struct ptowsp_error *error)
{
	struct run r;
	const struct isa_visitor visitor = {.inst = inst, .rounds = rounds, .context = &r};
	ptowsp_status status = run_init(&r, kernel, error);

	*cost_out = (struct ascend_cost){.cycles = 0};
	if (!status)
		status = isa_walk_visited(kernel->program, args, arg_count, block, &visitor, guard, error);
	if (!status && r.failed)
		status = rt_fail(error, PTOWSP_NO_MEMORY, "no memory for the cycles of a kernel");
	if (!status)
		cost_tell(&r, cost_out);
	run_finish(&r);
	return status;
}

ptowsp_status ascend_kernel_run(const struct ascend_kernel *kernel, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, void *scratch,
				const struct isa_guard *guard, struct ascend_cost *cost_out)
{
	struct run r;
	const struct isa_visitor visitor = {.inst = inst, .context = &r};
	ptowsp_status status = run_init(&r, kernel, out->error);

	*cost_out = (struct ascend_cost){.cycles = 0};
	if (!status) {
		status = isa_run_visited(kernel->program, task, out, scratch, &visitor, guard);
		cost_tell(&r, cost_out);
	}
	run_finish(&r);
	return status;
}
