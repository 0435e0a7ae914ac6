/* SPDX-License-Identifier: MIT
 * test_cpu_sim.c - the cpu_sim plugin through its ops table alone, with a host of its own: no container, no libptowsp. */
#include "tests/check.h"

#include "tests/host/fake_host.h"
#include "tests/isa/fake_tile.h"
#include <semaphore.h>

TEST(one_task_adds_two_tensors)
{
	fake_reset();
	fake_add_program();
	for (unsigned i = 0; i < ELEMENTS; i++)
		fake.data[0][i] = (float)i, fake.data[1][i] = 0.5f, fake.data[2][i] = -1;
	fake_start(2);
	CHECK_INT(fake_submit(7, 0, NULL), PTOWSP_OK);
	fake_drain();
	CHECK_INT(fake.done_count, 1);
	CHECK_UINT(fake.tokens[0], 7);
	CHECK_INT(fake.status, PTOWSP_OK);
	CHECK_STR(fake.error, "");
	CHECK_UINT(fake.stats.tasks, 1);
	/* two loads, an addition, a store: one cycle per element each */
	CHECK_UINT(fake.stats.total_cycles, 4 * ELEMENTS);
	for (unsigned i = 0; i < ELEMENTS; i++)
		CHECK_NEAR(fake.data[2][i], (double)i + 0.5, 0);
	fake_stop();
}

TEST(runs_are_done_once_each_and_in_order)
{
	fake_reset();
	fake_chain_program("nop", 10);
	fake_start(2);
	for (uint64_t token = 1; token <= 20; token++)
		CHECK_INT(fake_submit(token, 0, NULL), PTOWSP_OK);
	fake_drain();
	CHECK_INT(fake.done_count, 20);
	for (uint64_t token = 1; token <= 20; token++)
		CHECK_UINT(fake.tokens[token - 1], token);
	CHECK_INT(fake.status, PTOWSP_OK);
	CHECK_UINT(fake.stats.tasks, 10);
	CHECK_UINT(fake.stats.total_cycles, 30); /* a chain of nops of 3 cycles */
	CHECK_UINT(fake.stats.edges, 9);
	fake_stop();
}

static sem_t heard, seen;

static void done_waits(void)
{
	sem_post(&heard);
	sem_wait(&seen);
}

/* The host's thread may go on as soon as it hears, however long the plugin's own takes to come back from done. */
TEST(a_program_rests_once_done_was_called)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	const struct ptowsp_trace_extension *trace;

	sem_init(&heard, 0, 0);
	sem_init(&seen, 0, 0);
	fake_reset();
	fake_chain_program("nop", 10);
	fake_start(1);
	fake.on_done = done_waits;
	CHECK_INT(fake_submit(1, 0, NULL), PTOWSP_OK);
	sem_wait(&heard);
	trace = fake.ops->extension(fake.instance, PTOWSP_EXTENSION_TRACE);
	CHECK_INT(trace->attach(fake.program, NULL, NULL, &error), PTOWSP_OK);
	CHECK_INT(fake.ops->unload(fake.program, &error), PTOWSP_OK);
	CHECK_STR(error.text, "");
	fake.program = NULL;
	sem_post(&seen);
	fake_drain();
	fake_stop();
	sem_destroy(&heard);
	sem_destroy(&seen);
}

TEST(cancel_ends_waiting_and_running_runs)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};

	fake_reset();
	fake_chain_program("sleepy", 1000);
	fake_start(1);
	CHECK_INT(fake_submit(1, 0, NULL), PTOWSP_OK);
	CHECK_INT(fake_submit(2, 0, NULL), PTOWSP_OK);
	CHECK_INT(fake.ops->unload(fake.program, &error), PTOWSP_INVALID);
	CHECK_CONTAINS(error.text, "drain or cancel first");
	CHECK_INT(fake.ops->cancel(fake.device, 2, NULL), PTOWSP_OK);
	CHECK_INT(fake.ops->cancel(fake.device, 1, NULL), PTOWSP_OK);
	fake_drain();
	CHECK_INT(fake.done_count, 2);
	CHECK_INT(fake.status, PTOWSP_CANCELLED);
	CHECK(fake.stats.tasks < 1000);
	CHECK_INT(fake.ops->cancel(fake.device, 1, &error), PTOWSP_NOT_FOUND);
	CHECK_CONTAINS(error.text, "token 1");
	fake_stop();
}

TEST(fini_cancels_and_joins_what_is_left)
{
	fake_reset();
	fake_chain_program("sleepy", 1000);
	fake_start(2);
	CHECK_INT(fake_submit(1, 0, NULL), PTOWSP_OK);
	CHECK_INT(fake_submit(2, 0, NULL), PTOWSP_OK);
	CHECK_INT(fake.ops->fini(fake.instance, NULL), PTOWSP_OK);
	CHECK_INT(fake.done_count, 2);
	CHECK_INT(fake.status, PTOWSP_CANCELLED);
	CHECK_INT(fake.bytes, 0);
	fake_program_finish(&fake.code);
}

TEST(deadline_ends_a_run)
{
	struct ptowsp_run_args args;

	fake_reset();
	fake_chain_program("sleepy", 1000);
	fake_start(1);
	args = fake_run_args(1);
	args.deadline_ns = 1;
	CHECK_INT(fake.ops->submit(fake.device, &args, NULL), PTOWSP_OK);
	fake_drain();
	CHECK_INT(fake.status, PTOWSP_DEADLINE);
	args.deadline_ns = fake_now(NULL) + 20000000;
	CHECK_INT(fake.ops->submit(fake.device, &args, NULL), PTOWSP_OK);
	CHECK_INT(fake.ops->poll(fake.device, fake_now(NULL) + 1000000, NULL), PTOWSP_AGAIN);
	CHECK_INT(fake.ops->drain(fake.device, fake_now(NULL) + 1000000, NULL), PTOWSP_DEADLINE);
	CHECK_INT(fake.ops->poll(fake.device, 0, NULL), PTOWSP_OK);
	fake_drain();
	CHECK_INT(fake.done_count, 2);
	CHECK_INT(fake.status, PTOWSP_DEADLINE);
	fake_stop();
}

/* A kernel that would take hours, and what walking it costs in closed form. */
static void long_program(int64_t rounds)
{
	struct fake_tile tile = {0};
	uint32_t kernel, loop;
	uint64_t size;
	const void *payload;
	uint16_t a = fake_tile_tile(&tile, 8, 8);

	loop = fake_tile_loop(&tile, rounds);
	fake_tile_inst(&tile, PTOWSP_PTO_TADD, a, a, a, 0);
	fake_tile_end(&tile, loop);
	payload = fake_tile_pack(&tile, &size);
	kernel = fake_program_kernel(&fake.code, "slow", 0, 0, payload, size);
	for (unsigned i = 0; i < 3; i++)
		fake_program_tensor(&fake.code, check_fmt("t%u", i), ROWS, COLUMNS);
	fake_program_task(&fake.code, kernel, 0, 0);
}

TEST(a_kernel_that_takes_too_long_is_ended_and_named)
{
	struct ptowsp_run_args args;

	fake_reset();
	long_program(INT64_C(1) << 31);
	fake_start(1);
	args = fake_run_args(1);
	args.deadline_ns = fake_now(NULL) + 200000000;
	CHECK_INT(fake.ops->submit(fake.device, &args, NULL), PTOWSP_OK);
	fake_drain();
	CHECK_INT(fake.status, PTOWSP_DEADLINE);
	CHECK_CONTAINS(fake.error, "kernel slow");
	CHECK_INT(fake_submit(2, 0, NULL), PTOWSP_OK);
	CHECK_INT(fake.ops->poll(fake.device, fake_now(NULL) + 5000000, NULL), PTOWSP_AGAIN);
	CHECK_INT(fake.ops->cancel(fake.device, 2, NULL), PTOWSP_OK);
	fake_drain();
	CHECK_INT(fake.status, PTOWSP_CANCELLED);
	CHECK_INT(fake_submit(3, PTOWSP_RUN_NO_KERNELS, NULL), PTOWSP_OK);
	fake_drain();
	CHECK_INT(fake.status, PTOWSP_OK);
	CHECK_UINT(fake.stats.total_cycles, UINT64_C(64) << 31);
	fake_stop();
}

static uint64_t traced, last_end, edges_seen;

static void on_tasks(void *context, const struct ptowsp_trace_task *tasks, uint32_t count, uint32_t stride)
{
	(void)context;
	for (uint32_t i = 0; i < count; i++) {
		const struct ptowsp_trace_task *task = (const void *)((const char *)tasks + (size_t)i * stride);

		if (task->task == traced && task->start >= last_end)
			traced++;
		last_end = task->end;
	}
}

static void on_edges(void *context, const struct ptowsp_graph_edge *edges, uint32_t count, uint32_t stride)
{
	(void)context, (void)stride;
	for (uint32_t i = 0; i < count; i++)
		edges_seen += edges[i].producer + 1 == edges[i].consumer;
}

TEST(trace_and_graph_show_every_task_and_edge)
{
	const struct ptowsp_trace_extension *trace;
	const struct ptowsp_graph_extension *graph;

	fake_reset();
	fake_chain_program("nop", 1000);
	fake_start(2);
	trace = fake.ops->extension(fake.instance, PTOWSP_EXTENSION_TRACE);
	graph = fake.ops->extension(fake.instance, PTOWSP_EXTENSION_GRAPH);
	REQUIRE(trace && graph);
	CHECK(fake.ops->extension(fake.instance, "com.acme.x/2") == NULL);
	CHECK_INT(trace->attach(fake.program, on_tasks, NULL, NULL), PTOWSP_OK);
	CHECK_INT(graph->attach(fake.program, on_edges, NULL, NULL), PTOWSP_OK);
	traced = last_end = edges_seen = 0;
	CHECK_INT(fake_submit(1, 0, NULL), PTOWSP_OK);
	fake_drain();
	CHECK_UINT(traced, 1000);
	CHECK_UINT(last_end, fake.stats.total_cycles);
	CHECK_UINT(edges_seen, 999);
	fake_stop();
}

TEST(options_are_accepted_or_refused_by_name)
{
	static const char *const good[][2] = {{"opt_level", "0"}, {"opt_level", "3"},   {"profiling", "on"},   {"debug", "on"},       {"clock", "reference"},
					      {"clock", "own"},   {"schedulers", "1"},  {"schedulers", "64"},  {"numerics", "exact"}, {"numerics", "fast"},
					      {"threads", "0"},   {"threads", "65536"}, {"trace", "semantic"}, {"trace", "real"}};
	static const char *const bad[][3] = {
		{"opt_level", "4", "0..3"},       {"profiling", "yes", "off|on"},          {"clock", "wall", "reference|own"},
		{"numerics", "0", "exact|fast"},  {"schedulers", "65", "1..64"},           {"schedulers", "0", "1..64"},
		{"threads", "65537", "0..65536"}, {"trace", "wall", "semantic|real|both"}, {"optlevel", "1", "opt_level, profiling"}};
	const struct ptowsp_option *options[16];
	uint32_t count = 1;

	fake_reset();
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		CHECK_INT(fake_init(good[i][0], good[i][1], NULL), PTOWSP_OK);
		CHECK_INT(fake.ops->fini(fake.instance, NULL), PTOWSP_OK);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};

		CHECK_INT(fake_init(bad[i][0], bad[i][1], &error), PTOWSP_INVALID);
		CHECK_CONTAINS(error.text, bad[i][0]);
		CHECK_CONTAINS(error.text, bad[i][2]);
		CHECK(fake.instance == NULL);
	}
	CHECK_INT(fake.ops->options(options, &count, NULL), PTOWSP_MORE);
	count = 16;
	CHECK_INT(fake.ops->options(options, &count, NULL), PTOWSP_OK);
	CHECK_UINT(count, 9);
	CHECK_INT(fake.bytes, 0);
}

TEST(profiling_and_debug_say_what_they_saw)
{
	fake_reset();
	fake_chain_program("nop", 5);
	CHECK_INT(fake_init("profiling", "on", NULL), PTOWSP_OK);
	CHECK_INT(fake_open(1, NULL), PTOWSP_OK);
	CHECK_INT(fake_load(NULL), PTOWSP_OK);
	CHECK_INT(fake_submit(1, 0, NULL), PTOWSP_OK);
	fake_drain();
	CHECK_CONTAINS(fake.log, "profile: kernel nop: 5 tasks");
	fake_stop();
	fake_reset();
	fake_chain_program("nop", 5);
	CHECK_INT(fake_init("debug", "on", NULL), PTOWSP_OK);
	CHECK_INT(fake_open(1, NULL), PTOWSP_OK);
	CHECK_INT(fake_load(NULL), PTOWSP_OK);
	CHECK_CONTAINS(fake.log, "kernel nop: built-in C function");
	fake_stop();
}

TEST(device_and_capabilities_are_listed_without_an_instance)
{
	const struct ptowsp_device *devices[4];
	struct ptowsp_cap rows[512];
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	uint32_t count = 4, first;

	fake_reset();
	CHECK_INT(fake.ops->devices(NULL, devices, &count, NULL), PTOWSP_OK);
	CHECK_UINT(count, 2);
	CHECK_STR(devices[0]->name, "cpu0");
	CHECK_STR(devices[1]->name, "cpu1");
	CHECK_STR(devices[0]->cycle_model, "reference");
	count = 1;
	CHECK_INT(fake.ops->capabilities(NULL, NULL, rows, sizeof(*rows), &count, NULL), PTOWSP_MORE);
	CHECK(count > 1 && count <= 512);
	first = count;
	CHECK_INT(fake.ops->capabilities(NULL, "cpu0", rows, sizeof(*rows), &count, NULL), PTOWSP_OK);
	CHECK_UINT(count, first);
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < i; k++)
			CHECK(rows[i].feature != rows[k].feature);
	CHECK_INT(fake.ops->capabilities(NULL, "gpu7", rows, sizeof(*rows), &count, &error), PTOWSP_NO_DEVICE);
	CHECK_CONTAINS(error.text, "cpu0");
}

TEST(arguments_with_unknown_fields_are_refused)
{
	struct {
		struct ptowsp_open_args args;
		uint64_t later;
	} longer = {.args = {.head = {sizeof(longer), PTOWSP_STRUCT_OPEN_ARGS, 0}}};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};

	fake_reset();
	CHECK_INT(fake_init(NULL, NULL, NULL), PTOWSP_OK);
	longer.args.threads = 1;
	CHECK_INT(fake.ops->open(fake.instance, &longer.args, &fake.device, &error), PTOWSP_OK);
	CHECK_INT(fake.ops->close(fake.device, NULL), PTOWSP_OK);
	longer.later = 1;
	CHECK_INT(fake.ops->open(fake.instance, &longer.args, &fake.device, &error), PTOWSP_UNKNOWN_FIELD);
	CHECK(fake.device == NULL);
	longer.args.head.size = 8;
	CHECK_INT(fake.ops->open(fake.instance, &longer.args, &fake.device, &error), PTOWSP_INVALID);
	fake_stop();
}

/* Every allocation of the backend fails once, with all that follow: each step refuses with NO_MEMORY and leaves nothing. */
TEST(every_failed_allocation_is_survived)
{
	int at, ok = 0;

	for (at = 0; !ok && at < 200; at++) {
		struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
		ptowsp_status status;

		fake_reset();
		fake_add_program();
		fake.fail_at = at;
		status = fake_init(NULL, NULL, &error);
		if (!status)
			status = fake_open(1, &error);
		if (!status)
			status = fake_load(&error);
		if (!status)
			status = fake_submit(1, 0, &error);
		if (!status)
			fake_drain();
		ok = !status;
		if (!ok) {
			CHECK_INT(status, PTOWSP_NO_MEMORY);
			CHECK_CONTAINS(error.text, "no memory");
			CHECK_INT(fake.done_count, 0);
		}
		fake_stop();
	}
	CHECK(ok);
	CHECK(at > 4);
}

TEST(stats_can_be_read_while_a_run_goes_on)
{
	struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(stats, RUN_STATS)};

	fake_reset();
	fake_chain_program("sleepy", 20);
	fake_start(2);
	CHECK_INT(fake.ops->stats(fake.program, &stats, NULL), PTOWSP_OK);
	CHECK_UINT(stats.tasks, 0);
	CHECK_INT(fake_submit(1, 0, NULL), PTOWSP_OK);
	for (int i = 0; i < 10; i++) {
		CHECK_INT(fake.ops->stats(fake.program, &stats, NULL), PTOWSP_OK);
		CHECK(stats.tasks <= 20);
	}
	fake_drain();
	CHECK_INT(fake.ops->stats(fake.program, &stats, NULL), PTOWSP_OK);
	CHECK_UINT(stats.tasks, 20);
	fake_stop();
}
