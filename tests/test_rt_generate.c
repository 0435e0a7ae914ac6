/* SPDX-License-Identifier: MIT
 * test_rt_generate.c - several scheduler instances on the same bytecode: whose each task is, counted and walked; the same tasks, edges and memory as one
 * instance. Random programs name their seed in a failure: PTOWSP_SEED=N runs one, PTOWSP_SEEDS=N that many. */
#include "check.h"
#include "rt/run.h"
#include "rt/skip.h"
#include "rt_builder.h"

#include <stdlib.h>
#include <string.h>

/* ---- random programs ---------------------------------------------------------------------------------------------- */

enum { ROWS = 6, INDICES = 9 };
struct random {
	uint64_t state;
	struct builder *b;
	int loops, depth, budget;
	bool filters, tensors;
};

static uint32_t pick(struct random *r, uint32_t n)
{
	r->state ^= r->state << 13;
	r->state ^= r->state >> 7;
	r->state ^= r->state << 17;
	return (uint32_t)(r->state >> 20) % n;
}

static uint32_t number(struct random *r, int64_t n)
{
	return builder_const(r->b, n);
}

static uint32_t binary(struct random *r, unsigned op, uint32_t a, uint32_t b)
{
	return builder_expr(r->b, op, a, b, 0);
}

/* A sum of loop values, now and then something that is not. */
static uint32_t some_value(struct random *r)
{
	uint32_t a = r->loops ? builder_expr(r->b, PTOWSP_EXPR_LOOP, pick(r, (uint32_t)r->loops), 0, 0) : number(r, pick(r, 5));

	switch (pick(r, 6)) {
	case 0: return binary(r, PTOWSP_EXPR_ADD, a, builder_expr(r->b, PTOWSP_EXPR_TASK, 0, 0, 0));
	case 1: return binary(r, PTOWSP_EXPR_SUB, binary(r, PTOWSP_EXPR_MUL, a, number(r, 3)), number(r, pick(r, 9)));
	case 2: return binary(r, PTOWSP_EXPR_DIV, a, number(r, 2));
	default: return a;
	}
}

/* The value of a loop around, between 0 and ROWS - 1. */
static uint32_t some_row(struct random *r)
{
	return r->loops ? binary(r, PTOWSP_EXPR_MIN, number(r, ROWS - 1), builder_expr(r->b, PTOWSP_EXPR_LOOP, pick(r, (uint32_t)r->loops), 0, 0))
			: number(r, pick(r, ROWS));
}

static uint32_t axis_make(struct random *r, unsigned *op_out)
{
	static const char *const names[] = {"i", "j", "k"};
	static const int64_t sums[ROWS + 1] = {0, 3, 3, 4, 9, 11, 12}, sparse[ROWS + 1 + INDICES] = {0, 2, 2, 5, 6, 9, 9, 1, 4, 0, 7, 2, 3, 5, 3, 0};
	static const uint32_t levels[2][2] = {{8, 64}, {4, 128}};
	const char *name = names[pick(r, 3)];
	uint32_t low = number(r, 0), one = number(r, 1);

	*op_out = pick(r, 4) ? PTOWSP_OP_PARALLEL_FOR : PTOWSP_OP_FOR_EACH;
	switch (pick(r, 9)) {
	case 0: return builder_axis_values(r->b, name, PTOWSP_AXIS_RAGGED, ROWS, some_row(r), ROWS + 1, sums);
	case 1: /* rows follow each other with the outer loop */
		return builder_axis_values(r->b, name, PTOWSP_AXIS_RAGGED, ROWS, r->loops ? builder_expr(r->b, PTOWSP_EXPR_LOOP, (uint32_t)r->loops - 1, 0, 0) : low,
					   ROWS + 1, sums);
	case 2:
		*op_out = PTOWSP_OP_SELECT;
		return builder_axis_values(r->b, name, PTOWSP_AXIS_SPARSE, ROWS, some_row(r), ROWS + 1 + INDICES, sparse);
	case 3: return builder_axis(r->b, name, low, number(r, pick(r, 25)), one, builder_levels(r->b, 8, 4, 2, levels));
	case 4: return builder_axis(r->b, name, low, binary(r, PTOWSP_EXPR_MIN, some_value(r), number(r, 7)), one, PTOWSP_NONE);
	case 5: return builder_axis(r->b, name, number(r, (int64_t)pick(r, 6) - 3), number(r, pick(r, 12)), number(r, 1 + pick(r, 3)), PTOWSP_NONE);
	default: return builder_axis(r->b, name, low, number(r, 1 + pick(r, ROWS)), one, PTOWSP_NONE);
	}
}

static void task_make(struct random *r)
{
	static const char *const shapes[] = {"r", "w", "m", "rw", "rm", "rrw", "ww"};
	const char *access = r->tensors ? shapes[pick(r, 7)] : "";
	uint32_t regions[3], count = (uint32_t)strlen(access);

	for (uint32_t k = 0; k < count; k++) {
		uint32_t row = r->loops && pick(r, 4) ? binary(r, PTOWSP_EXPR_AND, builder_expr(r->b, PTOWSP_EXPR_LOOP, pick(r, (uint32_t)r->loops), 0, 0), number(r, 7))
						      : number(r, pick(r, 8));

		regions[k] = builder_region(r->b, pick(r, 4), pick(r, 3) ? row : number(r, pick(r, 7)), number(r, pick(r, 2) * 2), 1, 2);
	}
	builder_task_list(r->b, count, number(r, 1 + pick(r, 20)), count, access, regions);
	r->budget--;
}

static void body_make(struct random *r);

static void loop_make(struct random *r)
{
	unsigned op;
	uint32_t axis = axis_make(r, &op);

	builder_loop(r->b, op, axis);
	r->loops++;
	body_make(r);
	r->loops--;
	builder_end(r->b);
}

static void branches_make(struct random *r)
{
	static const unsigned ops[] = {PTOWSP_OP_COND, PTOWSP_OP_SEQUENTIAL, PTOWSP_OP_COMBINE};
	unsigned op = ops[pick(r, 3)];

	builder_branches(r->b, op, 2, op == PTOWSP_OP_COND ? binary(r, PTOWSP_EXPR_AND, some_value(r), number(r, 1)) : 0);
	builder_next(r->b);
	body_make(r);
	builder_next(r->b);
	body_make(r);
	builder_end(r->b);
}

static void filter_make(struct random *r)
{
	static const unsigned kinds[] = {PTOWSP_DISPATCH_ROUND_ROBIN, PTOWSP_DISPATCH_AFFINITY, PTOWSP_DISPATCH_HASH, PTOWSP_DISPATCH_CUSTOM,
					 PTOWSP_DISPATCH_STATIC_PARTITION, PTOWSP_DISPATCH_THRESHOLD};

	builder_emit(r->b, PTOWSP_OP_DISPATCH_FILTER, kinds[pick(r, 6)], some_value(r));
}

static void statement_make(struct random *r)
{
	switch (pick(r, 10)) {
	case 0:
		builder_scope(r->b);
		body_make(r);
		builder_end(r->b);
		return;
	case 1:
	case 2: branches_make(r); return;
	case 3:
		if (r->filters)
			filter_make(r);
		/* fall through */
	case 4:
	case 5: task_make(r); return;
	default: loop_make(r); return;
	}
}

static void body_make(struct random *r)
{
	int count = 1 + (int)pick(r, 3);

	r->depth++;
	for (int k = 0; k < count; k++) {
		if (r->budget > 0 && r->depth < 5)
			statement_make(r);
		else
			task_make(r);
	}
	r->depth--;
}

static void schedule_make(struct random *r)
{
	struct builder *b = r->b;
	uint32_t value = builder_axis_value(b, "j");

	switch (pick(r, 9)) {
	case 0: break;
	case 1: builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_ROUND_ROBIN, "n", (int64_t)3); break;
	case 2: builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_AFFINITY, "wn", "i", (int64_t)4); break;
	case 3: builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_HASH, "en", value, (int64_t)2); break;
	case 4: builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_CUSTOM, "en", binary(r, PTOWSP_EXPR_SUB, number(r, 2), value), (int64_t)5); break;
	case 5: builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_STATIC_PARTITION, "nnn", (int64_t)pick(r, 9), (int64_t)20, (int64_t)13); break;
	case 6:
		builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_THRESHOLD, "ewnw", builder_axis_value(b, "i"), "round_robin(2)", (int64_t)2,
				 "affinity(k, 3)");
		break;
	case 7: builder_schedule(b, PTOWSP_DIRECTIVE_SPATIAL_MAP, PTOWSP_SPATIAL_MAP_GRID, "nn", (int64_t)2, (int64_t)3); break;
	case 8:
		builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_CUSTOM, "en",
				 binary(r, PTOWSP_EXPR_MOD, builder_expr(b, PTOWSP_EXPR_TASK, 0, 0, 0), number(r, 7)), (int64_t)5);
		break;
	}
}

/* Kernel n has n tensors; four tensors of 8 x 4. */
static struct random random_make(uint64_t seed, bool filters, bool tensors)
{
	struct random r = {.state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1, .b = builder_create(), .budget = 12, .filters = filters, .tensors = tensors};
	static const unsigned units[] = {PTOWSP_UNIT_AIV, PTOWSP_UNIT_AIC, PTOWSP_UNIT_AIV, PTOWSP_UNIT_AIC};

	for (uint32_t k = 0; k < 4; k++)
		builder_kernel(r.b, check_fmt("k%u", k), units[k], 1, k);
	for (uint32_t t = 0; t < 4; t++)
		builder_tensor(r.b, check_fmt("t%u", t), PTOWSP_I64, 8, 4);
	schedule_make(&r);
	body_make(&r);
	return r;
}

static uint64_t seeds_first(uint64_t *count, uint64_t standard)
{
	const char *one = getenv("PTOWSP_SEED"), *many = getenv("PTOWSP_SEEDS");

	*count = one ? 1 : many ? strtoull(many, NULL, 10) : standard;
	return one ? strtoull(one, NULL, 10) : 1;
}

/* ---- walking and counting ----------------------------------------------------------------------------------------- */

struct told {
	uint64_t task;
	uint32_t site, level;
	int64_t loops[8];
};
struct list {
	struct told *rows;
	uint64_t count, total;
	bool failed;
};

static void told_add(struct list *list, const struct rt_program *program, const struct rt_expand *expand, uint64_t task)
{
	struct told *row;

	if (!(list->count & (list->count - 1)))
		list->rows = realloc(list->rows, (list->count ? 2 * list->count : 1) * sizeof(*list->rows));
	row = &list->rows[list->count++];
	memset(row, 0, sizeof(*row));
	row->task = task;
	row->site = expand->site;
	row->level = expand->level;
	for (uint32_t d = 0; d < program->sites[expand->site].depth && d < 8; d++)
		row->loops[d] = expand->loops[d];
}

/* A run as far as expressions need it. */
static struct rt_run *run_make(struct rt_program *program, struct ptowsp_error *error)
{
	static const struct ptowsp_run_args none = {PTOWSP_HEAD(none, RUN_ARGS), .flags = PTOWSP_RUN_NO_KERNELS};
	struct rt_run_args args = {.args = &none};
	struct rt_run *run = calloc(1, sizeof(*run));

	run->quiet = true;
	REQUIRE_INT(rt_run_init(run, program, &args, error), PTOWSP_OK);
	return run;
}

static void run_free(struct rt_run *run)
{
	rt_run_finish(run);
	free(run);
}

static struct list own_tasks(struct rt_program *program, uint32_t me, uint32_t n)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct rt_run *run = run_make(program, &error);
	struct rt_skip *skip = calloc(1, sizeof(*skip));
	struct list list = {0};
	enum rt_event event;

	REQUIRE_INT(rt_skip_init(skip, &run->expand, program, &run->env, me, n, &error), PTOWSP_OK);
	while ((event = rt_skip_next(skip)) != RT_EVENT_END && event != RT_EVENT_FAILED)
		if (event == RT_EVENT_TASK)
			told_add(&list, program, &run->expand, skip->task);
	list.total = skip->number;
	list.failed = event == RT_EVENT_FAILED;
	CHECK_UINT(skip->given + skip->walked + skip->skipped, skip->number);
	CHECK_UINT(skip->given, list.count);
	rt_skip_finish(skip);
	free(skip);
	run_free(run);
	return list;
}

/* All tasks, and whose each is. Filters have no say: rt_owner_find does not know them. */
static struct list all_tasks(struct rt_program *program, uint32_t n, uint32_t *owners, uint64_t room)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct rt_run *run = run_make(program, &error);
	struct rt_skip *skip = calloc(1, sizeof(*skip));
	struct list list = {0};
	enum rt_event event = RT_EVENT_NONE;

	REQUIRE_INT(rt_skip_init(skip, &run->expand, program, &run->env, 0, n, &error), PTOWSP_OK);
	while (list.count < room && (event = rt_expand_next(&run->expand)) != RT_EVENT_END && event != RT_EVENT_FAILED) {
		if (event != RT_EVENT_TASK)
			continue;
		if (list.count < room)
			owners[list.count] = rt_owner_find(&skip->owner, &program->sites[run->expand.site], list.count);
		told_add(&list, program, &run->expand, list.count);
		run->env.task = list.count;
	}
	list.total = list.count;
	list.failed = event == RT_EVENT_FAILED;
	rt_skip_finish(skip);
	free(skip);
	run_free(run);
	return list;
}

enum { MOST = 60000 };

/* Every task is given to one instance, with its number, place and loop values; without filters, to the owner. */
static bool shares_agree(struct rt_program *program, uint32_t n, bool filters, uint64_t seed)
{
	uint32_t *owners = calloc(MOST, sizeof(*owners));
	uint8_t *seen = calloc(MOST, 1);
	struct list all = all_tasks(program, n, owners, MOST);
	uint64_t given = 0, wrong = 0;

	for (uint32_t me = 0; me < n && all.count < MOST; me++) {
		struct list own = own_tasks(program, me, n);

		wrong += own.failed != all.failed || (!all.failed && own.total != all.total);
		for (uint64_t i = 0; i < own.count; i++) {
			uint64_t task = own.rows[i].task;

			given++;
			wrong += task >= all.count || memcmp(&own.rows[i], &all.rows[task], sizeof(own.rows[i])) != 0;
			if (task >= all.count)
				continue;
			wrong += seen[task]++ != 0 || (!filters && owners[task] != me);
		}
		free(own.rows);
	}
	if (all.count < MOST)
		wrong += given != all.count;
	if (wrong)
		CHECK_FAIL("seed %llu, %u instances: %llu differences", (unsigned long long)seed, n, (unsigned long long)wrong);
	free(all.rows);
	free(owners);
	free(seen);
	return !wrong;
}

static void shares_of_random(bool filters)
{
	uint64_t count, seed = seeds_first(&count, 400);
	bool ok = true;

	for (; ok && count--; seed++) {
		struct random r = random_make(seed, filters, false);
		struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
		struct rt_program *program = NULL;

		if (!builder_program(r.b, &program, &error))
			for (uint32_t k = 0; ok && k < 4; k++)
				ok = shares_agree(program, (uint32_t[]){1, 2, 3, 5}[k], filters, seed);
		else
			CHECK_FAIL("seed %llu: %s", (unsigned long long)seed, error.text);
		rt_program_destroy(program);
		builder_destroy(r.b);
	}
}

static void instances_share_the_tasks_of_random_programs(void)
{
	shares_of_random(false);
}

static void filters_give_every_task_to_one_instance(void)
{
	shares_of_random(true);
}

/* ---- several instances against one -------------------------------------------------------------------------------- */

static int edge_compare(const void *a, const void *b)
{
	const struct outcome_edge *x = a, *y = b;

	if (x->consumer != y->consumer)
		return x->consumer < y->consumer ? -1 : 1;
	return (x->producer > y->producer) - (x->producer < y->producer);
}

static bool same_edges(struct outcome *a, struct outcome *b)
{
	bool same = a->edge_count == b->edge_count && a->stats.edges == b->stats.edges;

	if (!same || !a->edge_count)
		return same;
	qsort(a->edges, a->edge_count, sizeof(*a->edges), edge_compare);
	qsort(b->edges, b->edge_count, sizeof(*b->edges), edge_compare);
	return !memcmp(a->edges, b->edges, a->edge_count * sizeof(*a->edges));
}

static bool same_tasks(const struct outcome *a, const struct outcome *b)
{
	bool same = a->task_count == b->task_count;

	for (uint32_t i = 0; same && i < a->task_count; i++)
		same = a->tasks[i].task == b->tasks[i].task && a->tasks[i].kernel == b->tasks[i].kernel &&
		       a->tasks[i].end - a->tasks[i].start == b->tasks[i].end - b->tasks[i].start;
	return same;
}

static bool same_memory(const struct outcome *a, const struct outcome *b)
{
	return a->memory_count == b->memory_count && !memcmp(a->memory, b->memory, a->memory_count * sizeof(*a->memory));
}

static bool same_times(const struct outcome *a, const struct outcome *b)
{
	bool same = a->task_count == b->task_count && a->stats.total_cycles == b->stats.total_cycles &&
		    a->stats.cross_edges == b->stats.cross_edges && a->stats.notifications == b->stats.notifications;

	for (uint32_t i = 0; same && i < a->task_count; i++)
		same = a->tasks[i].start == b->tasks[i].start && a->tasks[i].executor == b->tasks[i].executor;
	return same;
}

static bool same_shares(const struct outcome *a, const struct outcome *b)
{
	bool same = a->stats.scheduler_count == b->stats.scheduler_count;

	for (uint32_t p = 0; same && p < a->stats.scheduler_count; p++)
		same = a->schedulers[p].tasks == b->schedulers[p].tasks && a->schedulers[p].skipped == b->schedulers[p].skipped &&
		       a->schedulers[p].walked == b->schedulers[p].walked;
	return same;
}

/* N instances with one thread, and with several: tasks, edges and memory of one instance; times the same for any number of threads. */
static bool instances_agree(struct builder *b, uint64_t seed, uint32_t n, bool edges, uint32_t threads)
{
	struct outcome *one = builder_run(b, NULL), *many = builder_run(b, &(struct outcome_how){.schedulers = n});
	struct outcome *busy = builder_run(b, &(struct outcome_how){.schedulers = n, .threads = threads});
	bool held = one->status == PTOWSP_DEADLOCK || many->status == PTOWSP_DEADLOCK; /* N rings have more places than one */
	const char *what = one->status != many->status && !held ? "status" : many->status != busy->status ? "status with threads"
			   : !same_shares(many, busy)				  ? "shares with threads"
										  : NULL;

	if (!what && !one->status && !many->status)
		what = !same_tasks(one, many)		   ? "tasks"
		       : edges && !same_edges(one, many)   ? "edges"
		       : !same_memory(one, many)	   ? "memory"
		       : !same_times(many, busy)	   ? "times with threads"
		       : !same_memory(one, busy)	   ? "memory with threads"
		       : !same_edges(many, busy)	   ? "edges with threads"
		       : many->calls != many->stats.tasks ? "calls"
							   : NULL;
	if (what)
		CHECK_FAIL("seed %llu, %u instances, %u threads: %s; one: %d %.200s; several: %d %.200s; threads: %d %.200s", (unsigned long long)seed, n, threads, what,
			   (int)one->status, one->error.text, (int)many->status, many->error.text, (int)busy->status, busy->error.text);
	outcome_destroy(one);
	outcome_destroy(many);
	outcome_destroy(busy);
	return !what;
}

static void window_state(struct random *r)
{
	static const unsigned deps[] = {PTOWSP_DEPS_BYTES_OVERLAP, PTOWSP_DEPS_TENSOR_MAP_EXACT, PTOWSP_DEPS_BYTES_OVERLAP};

	builder_schedule(r->b, PTOWSP_DIRECTIVE_DEPS, deps[pick(r, 3)], "");
}

static void runs_of_random(bool small)
{
	uint64_t count, seed = seeds_first(&count, 150);
	bool ok = true;

	for (; ok && count--; seed++) {
		struct random r = random_make(seed, seed % 3 == 0, true);

		window_state(&r);
		if (!small)
			builder_schedule(r.b, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, "n", (int64_t)0);
		else
			builder_schedule(r.b, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, "n", (int64_t)(40 + pick(&r, 40)));
		if (small && pick(&r, 2))
			builder_schedule(r.b, PTOWSP_DIRECTIVE_ISSUE_COST, PTOWSP_ISSUE_COST_CYCLES, "n", (int64_t)3);
		if (!small && !pick(&r, 3))
			builder_schedule(r.b, PTOWSP_DIRECTIVE_START, PTOWSP_START_AFTER_ORCHESTRATION, "");
		for (uint32_t k = 0; ok && k < 3; k++)
			ok = instances_agree(r.b, seed, (uint32_t[]){2, 3, 5}[k], !small, 2 + (uint32_t)(seed % 3));
		builder_destroy(r.b);
	}
}

static void several_instances_give_the_results_of_one(void)
{
	runs_of_random(false);
}

static void small_rings_change_no_result(void)
{
	runs_of_random(true);
}

/* ---- what is counted ---------------------------------------------------------------------------------------------- */

/* Batches by heads by steps: a step goes on with what the step before it wrote, and all heads of a batch add to one row. */
static struct builder *attention(unsigned policy, const char *axis)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "step", PTOWSP_UNIT_AIV, 1, 2), out, state;

	builder_tensor(b, "state", PTOWSP_I64, 8, 4);
	builder_tensor(b, "out", PTOWSP_I64, 8, 4);
	if (axis)
		builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, policy, "wn", axis, (int64_t)4);
	else
		builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, policy, "n", (int64_t)4);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "batch", 8);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "head", 4);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "tile", 6);
	state = builder_region(b, 0, builder_axis_value(b, "batch"), builder_axis_value(b, "head"), 1, 1);
	out = builder_region(b, 1, builder_axis_value(b, "batch"), builder_const(b, 0), 1, 4);
	builder_task(b, k, 5, "mm", state, out);
	builder_end(b);
	builder_end(b);
	builder_end(b);
	return b;
}

static void auto_takes_the_batch_axis_of_attention_and_no_edge_crosses(void)
{
	struct builder *b = attention(PTOWSP_DISPATCH_AUTO, NULL), *other = attention(PTOWSP_DISPATCH_AFFINITY, "tile");
	struct outcome *o = builder_run(b, &(struct outcome_how){.schedulers = 4}), *x = builder_run(other, &(struct outcome_how){.schedulers = 4});

	CHECK_STR(o->error.text, "");
	CHECK_CONTAINS(o->log, "affinity(batch, 4), 0 of ");
	CHECK_UINT(o->stats.tasks, 192);
	CHECK_UINT(o->stats.cross_edges, 0);
	CHECK_UINT(o->stats.notifications, 0);
	REQUIRE_UINT(o->stats.scheduler_count, 4);
	CHECK_UINT(o->stats.schedulers[3].tasks, 48);
	CHECK_UINT(o->stats.schedulers[3].skipped, 144); /* whole batches, as a number */
	CHECK_UINT(o->stats.schedulers[3].walked, 0);
	CHECK_UINT(x->stats.cross_edges, 184); /* every one: tile follows tile, head follows head */
	CHECK(x->stats.notifications > 0 && x->stats.notifications <= x->stats.cross_edges);
	outcome_destroy(o);
	outcome_destroy(x);
	builder_destroy(b);
	builder_destroy(other);
}

/* Six tasks that take no time: what is seen is when they are issued. */
static struct outcome *issued(uint32_t schedulers, int filter)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0);
	struct outcome *o;

	builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_ROUND_ROBIN, "n", (int64_t)6);
	builder_schedule(b, PTOWSP_DIRECTIVE_ISSUE_COST, PTOWSP_ISSUE_COST_CYCLES, "n", (int64_t)50);
	if (filter >= 0)
		builder_emit(b, PTOWSP_OP_DISPATCH_FILTER, PTOWSP_DISPATCH_CUSTOM, builder_const(b, filter));
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 6);
	builder_task(b, k, 1, "");
	builder_end(b);
	o = builder_run(b, &(struct outcome_how){.schedulers = schedulers});
	builder_destroy(b);
	return o;
}

static void instances_issue_side_by_side_and_a_filter_takes_it_back(void)
{
	struct outcome *one = issued(1, -1), *two = issued(2, -1), *filtered = issued(2, 1);

	CHECK_UINT(one->stats.total_cycles, 251);
	CHECK_UINT(two->stats.total_cycles, 101);
	CHECK_UINT(two->tasks[1].start, 0);
	CHECK_UINT(two->tasks[4].start, 100);
	CHECK_UINT(filtered->stats.total_cycles, 251);
	REQUIRE_UINT(filtered->stats.scheduler_count, 2);
	CHECK_UINT(filtered->stats.schedulers[0].tasks, 0);
	CHECK_UINT(filtered->stats.schedulers[0].skipped, 6);
	CHECK_UINT(filtered->stats.schedulers[1].tasks, 6);
	outcome_destroy(one);
	outcome_destroy(two);
	outcome_destroy(filtered);
}

/* gate(i) is the task W places earlier of the same instance. */
static void each_instance_has_a_ring_of_its_own(void)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0);
	struct outcome *one, *two;

	builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_ROUND_ROBIN, "n", (int64_t)4);
	builder_schedule(b, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, "n", (int64_t)2);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 4);
	builder_task(b, k, 10, "");
	builder_end(b);
	one = builder_run(b, NULL);
	two = builder_run(b, &(struct outcome_how){.schedulers = 2});
	CHECK_UINT(one->stats.total_cycles, 20);
	CHECK_UINT(two->stats.total_cycles, 10);
	CHECK_UINT(two->stats.task_window, 2);
	CHECK_UINT(outcome_resource(one, "task_ring")->stall_count, 1);
	CHECK_UINT(outcome_resource(two, "task_ring")->stall_count, 0);
	outcome_destroy(one);
	outcome_destroy(two);
	builder_destroy(b);
}

static void a_failing_kernel_ends_all_instances_with_the_first_failure(void)
{
	for (uint32_t threads = 1; threads < 4; threads++) {
		struct builder *b = builder_create();
		uint32_t good = builder_kernel(b, "good", PTOWSP_UNIT_AIV, 1, 0), bad = builder_kernel(b, "bad", PTOWSP_UNIT_AIC, 1, 0);
		struct outcome *o;

		builder_kernel_flags(b, bad, BUILDER_FAILS);
		builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 20);
		builder_task(b, good, 1, "");
		builder_task(b, bad, 1, "");
		builder_end(b);
		o = builder_run(b, &(struct outcome_how){.schedulers = 3, .threads = threads});
		CHECK_INT(o->status, PTOWSP_KERNEL_FAILED);
		CHECK_UINT(o->error.where[0], 1);
		outcome_destroy(o);
		builder_destroy(b);
	}
}

/* Tasks, then a loop whose step is wrong: what ran before that was met? */
static uint64_t calls_before_the_end(bool safe)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0), zero = builder_const(b, 0), high = builder_const(b, 3);
	uint32_t step = builder_expr(b, PTOWSP_EXPR_VALUE, builder_slot(b, "s", PTOWSP_SLOT_SYMBOL, 0), 0, 0);
	struct outcome *o;
	uint64_t calls;

	if (safe)
		builder_schedule(b, PTOWSP_DIRECTIVE_START, PTOWSP_START_AFTER_ORCHESTRATION, "");
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 20);
	builder_task(b, k, 1, "");
	builder_end(b);
	builder_loop(b, PTOWSP_OP_PARALLEL_FOR, builder_axis(b, "j", zero, high, step, PTOWSP_NONE));
	builder_task(b, k, 1, "");
	builder_end(b);
	o = builder_run(b, &(struct outcome_how){.schedulers = 3});
	CHECK_INT(o->status, PTOWSP_RUN_FAILED);
	calls = o->calls;
	outcome_destroy(o);
	builder_destroy(b);
	return calls;
}

static void nothing_runs_before_all_is_generated_if_that_is_wanted(void)
{
	CHECK_UINT(calls_before_the_end(true), 0);
	CHECK_UINT(calls_before_the_end(false), 20);
}

static void what_only_one_instance_can_do_is_refused_by_name(void)
{
	struct builder *b = builder_create();
	struct outcome *o;

	builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0);
	builder_event(b, "e");
	builder_emit(b, PTOWSP_OP_SIGNAL, 0, 0);
	builder_emit(b, PTOWSP_OP_WAIT, 0, 0);
	o = builder_run(b, &(struct outcome_how){.schedulers = 2});
	CHECK_INT(o->status, PTOWSP_UNSUPPORTED);
	CHECK_CONTAINS(o->error.text, "an event or fence needs one scheduler instance, this run has 2; use schedulers=1");
	outcome_destroy(o);
	builder_destroy(b);
}

void suite_rt_generate(CU_pSuite s)
{
	TEST(s, auto_takes_the_batch_axis_of_attention_and_no_edge_crosses);
	TEST(s, instances_issue_side_by_side_and_a_filter_takes_it_back);
	TEST(s, each_instance_has_a_ring_of_its_own);
	TEST(s, a_failing_kernel_ends_all_instances_with_the_first_failure);
	TEST(s, nothing_runs_before_all_is_generated_if_that_is_wanted);
	TEST(s, what_only_one_instance_can_do_is_refused_by_name);
	TEST(s, small_rings_change_no_result);
	TEST(s, several_instances_give_the_results_of_one);
	TEST(s, instances_share_the_tasks_of_random_programs);
	TEST(s, filters_give_every_task_to_one_instance);
}
