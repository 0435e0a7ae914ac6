/* SPDX-License-Identifier: MIT
 * test_rt_graph.c - built graphs as bytes: what is in them, what is refused, that they can be moved, and running them. */
#include "tests/check.h"
#include "tests/taskgraph/graph_maker.h"
#include <stdlib.h>
#include <string.h>

static const char *check(const void *block, uint64_t size, uint64_t *where)
{
	uint32_t tasks = 0, *counts;
	const char *why = rt_graph_head_check(block, size, &tasks);

	if (why)
		return why;
	counts = malloc(((size_t)tasks + 1) * sizeof(*counts)); /* its own block: the sanitizer sees a count behind it */
	why = rt_graph_check(block, size, counts, where);
	free(counts);
	return why;
}

TEST(an_empty_graph_is_a_graph)
{
	uint64_t size;
	void *block = graph_make(1, 0, 0, 0, &size);
	struct rt_graph g;
	struct rt_graph_state state;
	struct rt_graph_how how = {0};

	rt_graph_open(&g, block);
	CHECK_UINT(g.task_count, 0);
	REQUIRE_INT(rt_graph_state_init(&state, &g, NULL), PTOWSP_OK);
	CHECK_INT(rt_graph_run(&state, &how, NULL), PTOWSP_OK);
	rt_graph_state_finish(&state);
	free(block);
}

TEST(successors_are_the_predecessors_turned_round)
{
	static const uint64_t none[1], first[] = {0}, both[] = {1, 0};
	struct rt_graph_build build = {0};
	struct rt_graph_task task = {.instruction = RT_GRAPH_NONE};
	struct rt_graph g;
	uint64_t size;
	void *block;

	rt_graph_kernel_add(&build, "k", PTOWSP_UNIT_ANY);
	REQUIRE_INT(rt_graph_task_add(&build, &task, NULL, NULL, none, 0, false, NULL), PTOWSP_OK);
	REQUIRE_INT(rt_graph_task_add(&build, &task, NULL, NULL, first, 1, false, NULL), PTOWSP_OK);
	REQUIRE_INT(rt_graph_task_add(&build, &task, NULL, NULL, both, 2, false, NULL), PTOWSP_OK);
	REQUIRE_INT(rt_graph_block_make(&build, &block, &size, NULL), PTOWSP_OK);
	CHECK_UINT(rt_graph_build_bytes(&build), size);
	rt_graph_open(&g, block);
	REQUIRE_UINT(g.edge_count, 3);
	CHECK_UINT(g.tasks[0].fanout_count, 2);
	CHECK_UINT(g.edges[0], 1);
	CHECK_UINT(g.edges[1], 2);
	CHECK_UINT(g.tasks[1].fanout_begin, 2);
	CHECK_UINT(g.edges[2], 2);
	CHECK_UINT(g.tasks[2].fanin, 2);
	CHECK_STR(g.text + g.kernels[0].name, "k");
	CHECK_UINT(g.tasks[0].pool, PTOWSP_EXEC_POOL_ANY);
	free(block);
	rt_graph_build_finish(&build);
}

TEST(the_same_tasks_make_the_same_bytes)
{
	uint64_t size, again;
	void *one = graph_make(5, 300, 4, GRAPH_STREAMS | GRAPH_ORDERS, &size), *two = graph_make(5, 300, 4, GRAPH_STREAMS | GRAPH_ORDERS, &again);

	REQUIRE_UINT(size, again);
	CHECK_MEM(one, two, size);
	free(one);
	free(two);
}

static void run_on(const struct rt_graph *g, uint32_t threads, int times)
{
	struct rt_graph_how how = {.task = graph_diary_task};
	struct rt_graph_state state;
	struct rt_pool *pool = NULL;

	REQUIRE_INT(rt_pool_create(&pool, threads, NULL), PTOWSP_OK);
	REQUIRE_INT(rt_graph_state_init(&state, g, NULL), PTOWSP_OK);
	how.pool = pool;
	while (times--) {
		struct graph_diary diary;
		const char *why;

		graph_diary_init(&diary, g);
		how.context = &diary;
		CHECK_INT(rt_graph_run(&state, &how, NULL), PTOWSP_OK);
		why = graph_diary_check(&diary);
		if (why)
			CHECK_FAIL("%u threads: %s", threads, why);
		graph_diary_finish(&diary);
	}
	rt_graph_state_finish(&state);
	rt_pool_destroy(pool);
}

TEST(a_graph_that_was_copied_elsewhere_runs)
{
	uint64_t size;
	void *block = graph_make(9, 200, 3, GRAPH_STREAMS, &size), *copy = aligned_alloc(64, size);
	struct rt_graph g;

	REQUIRE(copy != NULL);
	memcpy(copy, block, size);
	memset(block, 0xA5, size);
	free(block);
	rt_graph_open(&g, copy);
	run_on(&g, 2, 1);
	free(copy);
}

TEST(every_task_runs_once_behind_what_it_waits_for)
{
	static const uint32_t threads[] = {1, 2, 8};

	for (unsigned seed = 1; seed <= 24; seed++)
		for (unsigned i = 0; i < 3; i++) {
			uint64_t size;
			void *block = graph_make(seed, 20 + 23 * seed, seed % 7, seed & 7, &size);
			struct rt_graph g;

			rt_graph_open(&g, block);
			run_on(&g, threads[i], 2);
			free(block);
		}
}

TEST(running_writes_nothing_into_the_graph)
{
	uint64_t size;
	void *block = graph_make(3, 400, 4, GRAPH_STREAMS | GRAPH_ORDERS | GRAPH_POOLS, &size), *before = malloc(size);
	struct rt_graph g;

	REQUIRE(before != NULL);
	memcpy(before, block, size);
	rt_graph_open(&g, block);
	run_on(&g, 4, 3);
	CHECK_MEM(block, before, size);
	free(before);
	free(block);
}

TEST(a_failing_task_ends_the_run_and_the_next_run_is_whole)
{
	for (uint32_t threads = 1; threads <= 4; threads *= 2) {
		uint64_t size;
		void *block = graph_make(6, 200, 3, 0, &size);
		struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
		struct rt_graph g;
		struct rt_graph_state state;
		struct graph_diary diary, second;
		struct rt_pool *pool = NULL;
		struct rt_graph_how how = {.context = &diary, .task = graph_diary_task};
		const char *why;

		rt_graph_open(&g, block);
		REQUIRE_INT(rt_pool_create(&pool, threads, NULL), PTOWSP_OK);
		REQUIRE_INT(rt_graph_state_init(&state, &g, NULL), PTOWSP_OK);
		graph_diary_init(&diary, &g);
		graph_diary_init(&second, &g);
		how.pool = pool;
		diary.fail_at = 77;
		CHECK_INT(rt_graph_run(&state, &how, &error), PTOWSP_KERNEL_FAILED);
		CHECK_STR(error.text, "it was told to");
		for (uint32_t e = 0; e < g.tasks[77].fanout_count; e++)
			CHECK_UINT(diary.began[g.edges[g.tasks[77].fanout_begin + e]], 0);
		how.context = &second;
		CHECK_INT(rt_graph_run(&state, &how, &error), PTOWSP_OK);
		why = graph_diary_check(&second);
		if (why)
			CHECK_FAIL("%s", why);
		graph_diary_finish(&diary);
		graph_diary_finish(&second);
		rt_graph_state_finish(&state);
		rt_pool_destroy(pool);
		free(block);
	}
}

static ptowsp_status refuse(void *context, struct ptowsp_error *error)
{
	int *left = context;

	(void)error;
	return (*left)-- > 0 ? PTOWSP_OK : PTOWSP_CANCELLED;
}

static ptowsp_status nothing(void *context, uint32_t task, uint32_t worker, struct ptowsp_error *error)
{
	(void)context, (void)task, (void)worker, (void)error;
	return PTOWSP_OK;
}

TEST(a_look_that_says_no_ends_the_run)
{
	uint64_t size;
	void *block = graph_make(8, 500, 0, 0, &size);
	struct rt_graph g;

	rt_graph_open(&g, block);
	for (uint32_t threads = 1; threads <= 2; threads++) {
		struct rt_graph_state state;
		struct rt_pool *pool = NULL;
		int left = 0;
		struct rt_graph_how how = {.context = &left, .task = nothing, .look = refuse};

		REQUIRE_INT(rt_pool_create(&pool, threads, NULL), PTOWSP_OK);
		REQUIRE_INT(rt_graph_state_init(&state, &g, NULL), PTOWSP_OK);
		how.pool = pool;
		CHECK_INT(rt_graph_run(&state, &how, NULL), PTOWSP_CANCELLED);
		rt_graph_state_finish(&state);
		rt_pool_destroy(pool);
	}
	free(block);
}

/* ---- refused bytes -------------------------------------------------------------------------------------------------- */

struct damage {
	const char *name;
	void (*make)(char *block);
	const char *why;
};

static struct rt_graph_head *head(char *block)
{
	return (struct rt_graph_head *)(void *)block;
}

static struct rt_graph_task *task(char *block, uint32_t t)
{
	return (struct rt_graph_task *)(void *)(block + head(block)->parts[RT_GRAPH_TASKS].offset) + t;
}

static uint32_t *edges(char *block)
{
	return (uint32_t *)(void *)(block + head(block)->parts[RT_GRAPH_EDGES].offset);
}

static struct rt_graph_io *io(char *block, uint32_t i)
{
	return (struct rt_graph_io *)(void *)(block + head(block)->parts[RT_GRAPH_IOS].offset) + i;
}

#define DAMAGES(X)                                                                                                                                             \
	X(magic, head(b)->magic++, "the block does not begin with PTGB")                                                                                       \
	X(version, head(b)->version = 2, "the version is unknown")                                                                                             \
	X(bytes, head(b)->bytes += 64, "the block has not the size that its head says")                                                                        \
	X(rules, head(b)->rules = 16, "the head uses bits that this version does not know")                                                                    \
	X(zero, head(b)->zero[5] = 1, "the head uses bits that this version does not know")                                                                    \
	X(offset, head(b)->parts[RT_GRAPH_ARGS].offset += 64, "a part does not begin where the one before ends")                                               \
	X(record, head(b)->parts[RT_GRAPH_IOS].size = 24, "a part has records of another size")                                                                \
	X(fewer, head(b)->parts[RT_GRAPH_TEXT].count = 0xFFFFFFFFu, "the parts do not fill the block")                                                         \
	X(kernel, task(b, 3)->kernel = 2, "a task names no kernel")                                                                                            \
	X(pool, task(b, 3)->pool = 17, "the domain or the pool of a task is unknown")                                                                          \
	X(domain, task(b, 3)->domain = 9, "the domain or the pool of a task is unknown")                                                                       \
	X(tags, task(b, 3)->tags |= 0x100, "a task uses bits that this version does not know")                                                                 \
	X(order, task(b, 3)->order = 4, "a task is ordered behind itself")                                                                                     \
	X(range, task(b, 3)->fanout_begin++, "the ranges of a task do not follow those of the one before")                                                     \
	X(args, task(b, 99)->arg_count += 100, "the ranges of a task do not follow those of the one before")                                                   \
	X(fanin, task(b, 60)->fanin++, "the fan-in of a task is not the number of edges into it")                                                              \
	X(self, edges(b)[0] = 0, "the successors of a task are not later tasks in ascending order")                                                            \
	X(beyond, edges(b)[0] = 100, "the successors of a task are not later tasks in ascending order")                                                        \
	X(stream, task(b, 5)->stream_next = 4, "the next task of a stream is no later task of it")                                                             \
	X(tensor, io(b, 2)->tensor = 2, "a tensor argument names no tensor")                                                                                   \
	X(access, io(b, 2)->access = 4, "a tensor argument uses bits that this version does not know")                                                         \
	X(shape, io(b, 2)->length = 1, "a tensor argument is neither a rectangle nor one piece")                                                               \
	X(start, io(b, 2)->start = 121, "a tensor argument lies outside its tensor")                                                                           \
	X(rows, io(b, 2)->rows = 9, "a tensor argument lies outside its tensor")                                                                               \
	X(length, io(b, 5)->length = UINT64_MAX, "a tensor argument lies outside its tensor")
#define X(name, damage, why)                                                                                                                                   \
	static void damage_##name(char *b)                                                                                                                     \
	{                                                                                                                                                      \
		damage;                                                                                                                                        \
	}
DAMAGES(X)
#undef X
static const struct damage damages[] = {
#define X(name, damage, why) {#name, damage_##name, why},
	DAMAGES(X)
#undef X
};

TEST(wrong_bytes_are_refused_by_rule)
{
	uint64_t size, where = 0;
	char *block = graph_make(2, 100, 3, GRAPH_STREAMS, &size), *copy = aligned_alloc(64, size);

	REQUIRE(copy != NULL);
	for (size_t i = 0; i < sizeof(damages) / sizeof(*damages); i++) {
		const char *why;

		memcpy(copy, block, size);
		damages[i].make(copy);
		why = check(copy, size, &where);
		if (!why || strcmp(why, damages[i].why) != 0)
			CHECK_FAIL("%s: %s", damages[i].name, why ? why : "taken");
	}
	CHECK_STR(check(block, sizeof(struct rt_graph_head) - 1, NULL), "the block is shorter than its head");
	CHECK_STR(check(block, size - 64, NULL), "the block has not the size that its head says");
	memcpy(copy, block, size);
	task(copy, 42)->kernel = 7;
	check(copy, size, &where);
	CHECK_UINT(where, 42);
	free(copy);
	free(block);
}

/* What is taken can be run to its end: with a wrong fan-in it would hang or run a task too early. */
TEST(damaged_bytes_are_refused_or_run)
{
	uint64_t size, state = 12345, taken = 0;
	char *block = graph_make(7, 60, 3, GRAPH_STREAMS | GRAPH_ORDERS, &size), *copy = aligned_alloc(64, size);

	REQUIRE(copy != NULL);
	for (int i = 0; i < 4000; i++) {
		uint32_t changes = 1 + graph_pick(&state, 3);
		struct rt_graph g;

		memcpy(copy, block, size);
		while (changes--)
			copy[graph_pick(&state, (uint32_t)size)] ^= (char)(1u << graph_pick(&state, 8));
		if (check(copy, size, NULL))
			continue;
		taken++;
		rt_graph_open(&g, copy);
		if (i % 16 == 0)
			run_on(&g, 2, 1);
	}
	CHECK(taken > 100); /* cycles, executors, names and arguments may be anything */
	CHECK(taken < 3000);
	free(copy);
	free(block);
}

TEST(limits_of_a_build_are_kept)
{
	struct rt_graph_build build = {.max_tasks = 3};
	struct rt_graph_task row = {.instruction = RT_GRAPH_NONE};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};

	rt_graph_kernel_add(&build, "k", PTOWSP_UNIT_HOST);
	for (int i = 0; i < 3; i++)
		REQUIRE_INT(rt_graph_task_add(&build, &row, NULL, NULL, NULL, 0, false, &error), PTOWSP_OK);
	CHECK_INT(rt_graph_task_add(&build, &row, NULL, NULL, NULL, 0, false, &error), PTOWSP_LIMIT);
	CHECK_CONTAINS(error.text, "more than 3 tasks");
	build.max_tasks = 0;
	build.max_bytes = rt_graph_build_bytes(&build) + 64;
	CHECK_INT(rt_graph_task_add(&build, &row, NULL, NULL, NULL, 0, false, &error), PTOWSP_OK);
	CHECK_INT(rt_graph_task_add(&build, &row, NULL, NULL, NULL, 0, false, &error), PTOWSP_TOO_BIG);
	CHECK_CONTAINS(error.text, "--max-memory");
	CHECK_UINT(build.task_count, 4);
	rt_graph_build_finish(&build);
}

/* ---- vocabularies ----------------------------------------------------------------------------------------------------- */

TEST(executor_types_translate_by_table)
{
	static const char *const pools[256] = {
#define X(name, code, text) [code] = text,
#include "ptowsp/pool.def"
#undef X
	};
	enum ptowsp_exec_pool pool;
	enum ptowsp_exec_domain domain;
	enum ptowsp_core core;
	enum ptowsp_unit unit;

	/* The word for a pool is the same in unit.def and pool.def. */
#define X(name, code, text, word)                                                                                                                              \
	REQUIRE(ptowsp_pool_of_unit(PTOWSP_UNIT_##name, &pool) == 1);                                                                                          \
	CHECK_STR(pools[pool], word);                                                                                                                          \
	CHECK(ptowsp_domain_of_unit(PTOWSP_UNIT_##name, &domain) == 1);
#include "ptowsp/unit.def"
#undef X
	CHECK(ptowsp_core_of_unit(PTOWSP_UNIT_AIV, &core) && core == PTOWSP_CORE_AIV);
	CHECK_INT(ptowsp_core_of_unit(PTOWSP_UNIT_HOST, &core), 0);
	CHECK(ptowsp_unit_of_core(PTOWSP_CORE_AIC, &unit) && unit == PTOWSP_UNIT_AIC);
	CHECK(ptowsp_pool_of_unit(PTOWSP_UNIT_AIC, &pool) && pool == PTOWSP_EXEC_POOL_CUBE);
	CHECK_INT(PTOWSP_CORE_AIC, 0); /* cube: the same code as the vector pool, which is why nothing is cast */
	CHECK_INT(PTOWSP_EXEC_POOL_VECTOR, 0);
	CHECK_INT(ptowsp_pool_read(6, &pool), 0);
	CHECK(ptowsp_pool_read(255, &pool) && pool == PTOWSP_EXEC_POOL_ANY);
	CHECK_INT(ptowsp_core_read(4, &core), 0);
	CHECK_INT(ptowsp_domain_read(4, &domain), 0);
	CHECK_INT(ptowsp_unit_read(7, &unit), 0);
}
