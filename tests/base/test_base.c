/* SPDX-License-Identifier: MIT
 * test_base.c - plugins/base through a backend that uses all of it: options and rows of its own, and every hook. */
#include "tests/check.h"
#include "tests/host/fake_host.h"

#include "base/cache.h"
#include "base/error.h"
#include "base/ops.h"
#include "base/patience.h"
#include "base/sections.h"
#include "ptowsp/graph.h"
#include "ptowsp/ids.h"
#include "ptowsp/support.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the backend ---------------------------------------------------------------------------------------------- */

struct trial_options {
	struct base_options base;
	unsigned lanes, mood, calm;
	char folder[BASE_TEXT];
};

static const struct base_option trial_rows[] = {
	BASE_OPTION(offsetof(struct base_options, schedulers), "schedulers", "int", "4", "2..8", "of this machine"),
	BASE_OPTION(offsetof(struct trial_options, lanes), "lanes", "int", "3", "1..5", "how wide it is"),
	BASE_OPTION(offsetof(struct trial_options, mood), "mood", "word", "good", "good|bad", "how it is"),
	BASE_OPTION(offsetof(struct trial_options, calm), "calm", "bool", "false", "", "how it goes on"),
	BASE_OPTION(offsetof(struct trial_options, folder), "folder", "path", "", "", "where it looks"),
};

/* In a bad mood its second device comes first, and it enforces less. */
static const struct base_model *trial_models(const struct base_options *options, uint32_t *count_out)
{
	static const struct base_model models[] = {
		{.device = {.head = PTOWSP_HEAD(struct ptowsp_device, DEVICE), .name = "old0", .cycle_model = "reference"}, .platform = RT_PLATFORM_A2},
		{.device = {.head = PTOWSP_HEAD(struct ptowsp_device, DEVICE), .name = "new0", .cycle_model = "reference"}, .platform = RT_PLATFORM_A5},
		{.device = {.head = PTOWSP_HEAD(struct ptowsp_device, DEVICE), .name = "old0", .cycle_model = "reference"}, .platform = RT_PLATFORM_A2},
	};
	const struct trial_options *o = (const void *)options;

	*count_out = 2;
	return models + (o && o->mood);
}

static struct {
	int opens, closes, binds, loads, unloads, runs;
	ptowsp_status open, bind, load, run; /* what the hooks answer */
	uint64_t cost;
	const struct ptowsp_cap *tiles; /* rows of its own, one */
	uint32_t judged, verdict;       /* what the hook sets, 0: nothing */
	bool device;                    /* portable kernels are executed by trial_compute */
	atomic_bool hangs;
	atomic_int computed; /* blocks */
	struct base_program *program;
	unsigned lanes;
	char folder[64];
} seen;

static uint32_t trial_caps(const struct base_options *options, const struct base_model *model, struct ptowsp_cap *rows_out)
{
	static const struct ptowsp_cap rows[] = {
		BASE_CAP(PTOWSP_FEATURE_TOTAL_CYCLES, RECORDED),                 /* base's */
		BASE_CAP(BASE_POLICY(DISPATCH, HASH), DIAGNOSED),                /* the core's */
		BASE_CAP(PTOWSP_FEATURE_GRAPH(PTOWSP_CA_AFFINITY), UNSUPPORTED), /* the platform's */
	};

	(void)model;
	if (seen.tiles)
		return base_caps_add(rows_out, 0, seen.tiles, 1);
	return options && ((const struct trial_options *)(const void *)options)->mood ? BASE_CAPS_ADD(rows_out, 0, rows) : 0;
}

static ptowsp_status trial_open(struct base_device *device, struct ptowsp_error *error)
{
	const struct trial_options *o = (const void *)device->instance->options;

	seen.opens++;
	seen.lanes = o->lanes;
	snprintf(seen.folder, sizeof(seen.folder), "%.60s", o->folder);
	if (seen.open)
		return base_fail(error, seen.open, "%s: nothing at \"%s\"", device->model->device.name, o->folder);
	device->own = base_alloc(device->instance, 100);
	return PTOWSP_OK;
}

static void trial_close(struct base_device *device)
{
	seen.closes++;
	base_release(device->instance, device->own, 100);
}

/* What a block costs: seen.cost, if that is known without running it, else five cycles more than the reference model says. */
static ptowsp_status trial_walk(void *context, uint32_t row, const uint64_t *args, uint32_t arg_count, struct isa_block block, const struct isa_guard *guard,
				uint64_t *cycles_out, struct ptowsp_error *error)
{
	(void)args, (void)arg_count, (void)guard, (void)error;
	CHECK(context == &seen && row == 0 && block.count == 1);
	*cycles_out = seen.cost;
	return seen.cost ? PTOWSP_OK : PTOWSP_UNSUPPORTED;
}

static ptowsp_status trial_block(void *context, uint32_t row, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, void *scratch,
				 const struct isa_guard *guard)
{
	ptowsp_status status = isa_run_guarded(seen.program->kernels.rows[row].isa, task, out, scratch, guard);

	CHECK(context == &seen);
	out->cycles += 5;
	return status;
}

/* Waits where the device is said to hang: until it is told to stop. */
static ptowsp_status trial_compute(void *context, uint32_t row, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker,
				   const struct isa_guard *guard)
{
	struct base_kernels *kernels = &seen.program->kernels;
	ptowsp_status status;

	CHECK(context == &seen && task->kernel == row && worker < kernels->workers);
	atomic_fetch_add(&seen.computed, 1);
	while (atomic_load(&seen.hangs))
		if (guard->stop(guard->context))
			return PTOWSP_CANCELLED;
	status = isa_run_guarded(kernels->rows[row].isa, task, out, kernels->scratch + worker * kernels->scratch_bytes, guard);
	out->cycles = 11;
	return status;
}

static ptowsp_status trial_bind(struct base_program *program, struct ptowsp_error *error)
{
	static const struct base_costs costs = {&seen, trial_walk, trial_block};
	static const struct base_compute compute = {.context = &seen, .block = trial_compute};

	seen.binds++;
	seen.program = program;
	CHECK(!program->rt && program->kernels.count == 1);
	if (program->kernels.rows[0].isa)
		program->kernels.costs = &costs;
	if (seen.device)
		program->kernels.compute = &compute;
	return seen.bind ? base_fail(error, seen.bind, "kernel %s is too wide", program->kernels.rows[0].name) : PTOWSP_OK;
}

static ptowsp_status trial_load(struct base_program *program, const struct ptowsp_load_args *args, struct ptowsp_error *error)
{
	seen.loads++;
	CHECK(args->section_count > 0 && program->rt && program->device->own);
	if (seen.load)
		return base_fail(error, seen.load, "it does not fit");
	program->own = base_alloc(program->device->instance, 200);
	return PTOWSP_OK;
}

static void trial_unload(struct base_program *program)
{
	seen.unloads++;
	CHECK(program->device->own != NULL);
	base_release(program->device->instance, program->own, 200);
}

static ptowsp_status trial_run(struct base_program *program, const struct rt_run_args *args, struct ptowsp_run_stats *stats_out,
			       struct ptowsp_deadlock *deadlock_out, struct ptowsp_error *error)
{
	ptowsp_status status = rt_run(program->rt, args, stats_out, deadlock_out, error);

	seen.runs++;
	stats_out->total_cycles *= 10;
	return seen.run ? base_fail(error, seen.run, "the machine fell over") : status;
}

static const void *trial_extension(struct ptowsp_object *instance, const char *id)
{
	(void)instance;
	return !strcmp(id, "tests.trial/1") ? &seen : NULL;
}

static void trial_judge(const struct base_options *options, const struct base_model *model, const struct base_kernel *kernel,
			struct ptowsp_kernel_support *support)
{
	(void)options, (void)model;
	CHECK(kernel->isa && support->payload == 0);
	seen.judged++;
	if (!seen.verdict)
		return;
	support->verdict = (uint16_t)seen.verdict;
	snprintf(support->reason, sizeof(support->reason), "it says so");
}

static const struct base_backend trial = {.name = "trial",
					  .targets = "trial,brother,sister",
					  .models = trial_models,
					  .caps = trial_caps,
					  .options = trial_rows,
					  .option_count = sizeof(trial_rows) / sizeof(*trial_rows),
					  .options_size = sizeof(struct trial_options),
					  .extension = trial_extension,
					  .open = trial_open,
					  .close = trial_close,
					  .bind = trial_bind,
					  .load = trial_load,
					  .unload = trial_unload,
					  .run = trial_run};
BASE_OPS(trial_ops, trial);
/* Its processor runs what its device does not have; and one that judges each kernel. */
static struct base_backend beside;
BASE_OPS(beside_ops, beside);
static struct base_backend judging;
BASE_OPS(judging_ops, judging);
/* Its options are the standard ones alone. */
static const struct base_model *plain_models(const struct base_options *options, uint32_t *count_out)
{
	(void)options;
	return trial_models(NULL, count_out);
}

static const struct base_backend plain = {.name = "plain", .targets = "plain", .models = plain_models};
BASE_OPS(plain_ops, plain);

static void begin(const struct ptowsp_ops *ops)
{
	fake_reset();
	fake.ops = ops;
	memset(&seen, 0, sizeof(seen));
}

/* ---- options -------------------------------------------------------------------------------------------------- */

static const struct ptowsp_option *listed(const struct ptowsp_ops *ops, const char *name, uint32_t *count_out)
{
	const struct ptowsp_option *rows[32], *found = NULL;

	*count_out = 32;
	REQUIRE_INT(ops->options(rows, count_out, NULL), PTOWSP_OK);
	for (uint32_t i = 0; i < *count_out; i++)
		if (!strcmp(rows[i]->name, name)) {
			CHECK(!found);
			found = rows[i];
		}
	return found;
}

TEST(its_options_stand_beside_the_standard_ones_or_in_their_place)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	const struct ptowsp_option *rows[4];
	uint32_t mine, theirs, count = 4;

	CHECK_STR(listed(&trial_ops, "schedulers", &mine)->range, "2..8");
	CHECK_STR(listed(&plain_ops, "schedulers", &theirs)->range, "1..64");
	CHECK_UINT(mine, theirs + 4);
	CHECK(listed(&trial_ops, "lanes", &mine) && listed(&trial_ops, "folder", &mine) && !listed(&plain_ops, "lanes", &theirs));
	CHECK_INT(trial_ops.options(rows, &count, &error), PTOWSP_MORE);
	CHECK_UINT(count, mine);
	CHECK_CONTAINS(error.text, "trial has");
}

TEST(values_go_where_the_row_says)
{
	static const struct {
		const char *key, *value, *said; /* NULL: it is taken */
	} rows[] = {{"lanes", "5", NULL},
		    {"lanes", "6", "trial: option lanes takes 1..5, not \"6\""},
		    {"lanes", "0", "takes 1..5"},
		    {"schedulers", "8", NULL},
		    {"schedulers", "1", "trial: option schedulers takes 2..8, not \"1\""},
		    {"mood", "bad", NULL},
		    {"mood", "odd", "trial: option mood takes good|bad, not \"odd\""},
		    {"calm", "true", NULL},
		    {"calm", "on", "trial: option calm takes false|true, not \"on\""},
		    {"folder", "/a b", NULL},
		    {"folder", "", NULL},
		    {"debug", "on", NULL},
		    {"weather", "on", "trial has no option \"weather\"; it has opt_level, "}};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		begin(&trial_ops);
		CHECK_INT(fake_init(rows[i].key, rows[i].value, &error), rows[i].said ? PTOWSP_INVALID : PTOWSP_OK);
		if (rows[i].said)
			CHECK_CONTAINS(error.text, rows[i].said);
		else
			CHECK_INT(fake_open(1, &error), PTOWSP_OK);
		CHECK_UINT(seen.lanes, rows[i].said ? 0 : !strcmp(rows[i].key, "lanes") ? 5 : 3);
		CHECK_STR(seen.folder, rows[i].said || strcmp(rows[i].key, "folder") ? "" : rows[i].value);
		fake_stop();
	}
}

TEST(text_that_is_too_long_is_refused)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	char text[BASE_TEXT + 1];

	memset(text, 'x', sizeof(text) - 1);
	text[BASE_TEXT] = 0;
	begin(&trial_ops);
	CHECK_INT(fake_init("folder", text, &error), PTOWSP_INVALID);
	CHECK_CONTAINS(error.text, "option folder takes at most 1023 bytes, not 1024");
	text[BASE_TEXT - 1] = 0;
	CHECK_INT(fake_init("folder", text, &error), PTOWSP_OK);
	fake_stop();
}

/* ---- devices and rows ----------------------------------------------------------------------------------------- */

TEST(devices_may_depend_on_the_options)
{
	const struct ptowsp_device *devices[2];
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	uint32_t count = 2;

	begin(&trial_ops);
	CHECK_INT(trial_ops.devices(NULL, devices, &count, NULL), PTOWSP_OK);
	CHECK_STR(devices[0]->name, "old0");
	CHECK_INT(fake_init("mood", "bad", NULL), PTOWSP_OK);
	CHECK_INT(trial_ops.devices(fake.instance, devices, &count, NULL), PTOWSP_OK);
	CHECK_STR(devices[0]->name, "new0");
	count = 1;
	CHECK_INT(trial_ops.devices(fake.instance, devices, &count, &error), PTOWSP_MORE);
	CHECK_STR(error.text, "trial has 2 devices, there is room for 1");
	CHECK_UINT(count, 2);
	fake_stop();
}

/* State of a feature, -1: no row. */
static int state(const char *device, uint32_t feature)
{
	static struct ptowsp_cap rows[BASE_CAPS_LIMIT];
	uint32_t count = BASE_CAPS_LIMIT;
	int found = -1;

	REQUIRE_INT(fake.ops->capabilities(fake.instance, device, rows, sizeof(*rows), &count, NULL), PTOWSP_OK);
	for (uint32_t i = 0; i < count; i++)
		if (rows[i].feature == feature) {
			CHECK_INT(found, -1); /* each feature once */
			found = rows[i].state;
		}
	return found;
}

TEST(its_rows_go_before_those_of_base_core_and_platform)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_cap row;
	uint32_t count = 1;

	begin(&trial_ops);
	CHECK_INT(state(NULL, PTOWSP_FEATURE_TOTAL_CYCLES), PTOWSP_STATE_ENFORCED);
	CHECK_INT(state(NULL, BASE_POLICY(DISPATCH, HASH)), PTOWSP_STATE_ENFORCED);
	CHECK_INT(state("old0", PTOWSP_FEATURE_GRAPH(PTOWSP_CA_AFFINITY)), PTOWSP_STATE_RECORDED);
	CHECK_INT(state("new0", PTOWSP_FEATURE_GRAPH(PTOWSP_CA_AFFINITY)), PTOWSP_STATE_ENFORCED);
	CHECK_INT(fake_init("mood", "bad", NULL), PTOWSP_OK);
	CHECK_INT(state(NULL, PTOWSP_FEATURE_TOTAL_CYCLES), PTOWSP_STATE_RECORDED);
	CHECK_INT(state(NULL, BASE_POLICY(DISPATCH, HASH)), PTOWSP_STATE_DIAGNOSED);
	CHECK_INT(state(NULL, BASE_POLICY(DISPATCH, AFFINITY)), PTOWSP_STATE_ENFORCED);
	CHECK_INT(state("new0", PTOWSP_FEATURE_GRAPH(PTOWSP_CA_AFFINITY)), PTOWSP_STATE_UNSUPPORTED);
	CHECK_INT(trial_ops.capabilities(fake.instance, NULL, &row, sizeof(row), &count, &error), PTOWSP_MORE);
	CHECK_CONTAINS(error.text, "trial has");
	CHECK(count > 100);
	CHECK_INT(trial_ops.capabilities(fake.instance, "cpu0", &row, sizeof(row), &count, &error), PTOWSP_NO_DEVICE);
	CHECK_STR(error.text, "trial has no device \"cpu0\"; it has new0, old0");
	fake_stop();
}

/* ---- hooks ---------------------------------------------------------------------------------------------------- */

TEST(every_hook_is_called_in_its_place)
{
	begin(&trial_ops);
	fake_chain_program("nop", 10);
	fake_start(2);
	CHECK_INT(fake_submit(1, 0, NULL), PTOWSP_OK);
	fake_drain();
	CHECK_INT(fake.status, PTOWSP_OK);
	CHECK_UINT(fake.stats.total_cycles, 300); /* ten times what rt says */
	seen.run = PTOWSP_DEVICE_LOST;
	CHECK_INT(fake_submit(2, 0, NULL), PTOWSP_OK);
	fake_drain();
	CHECK_INT(fake.status, PTOWSP_DEVICE_LOST);
	CHECK_STR(fake.error, "the machine fell over");
	CHECK(fake.ops->extension(fake.instance, "tests.trial/1") == &seen);
	CHECK(fake.ops->extension(NULL, PTOWSP_EXTENSION_TRACE) && !fake.ops->extension(NULL, "tests.other/1"));
	fake_stop();
	CHECK_INT(seen.opens == 1 && seen.closes == 1 && seen.loads == 1 && seen.unloads == 1, 1);
	CHECK_INT(seen.runs, 2);
}

TEST(what_a_hook_refuses_leaves_nothing_behind)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};

	begin(&trial_ops);
	fake_chain_program("nop", 10);
	CHECK_INT(fake_init("folder", "/here", NULL), PTOWSP_OK);
	seen.open = PTOWSP_NO_DEVICE;
	CHECK_INT(fake_open(1, &error), PTOWSP_NO_DEVICE);
	CHECK_STR(error.text, "old0: nothing at \"/here\"");
	CHECK(!fake.device && !seen.closes);
	seen.open = PTOWSP_OK;
	seen.load = PTOWSP_TOO_BIG;
	CHECK_INT(fake_open(1, &error), PTOWSP_OK);
	CHECK_INT(fake_load(&error), PTOWSP_TOO_BIG);
	CHECK_STR(error.text, "it does not fit");
	CHECK_INT(seen.unloads, 1);
	seen.bind = PTOWSP_TOO_SMALL;
	CHECK_INT(fake_load(&error), PTOWSP_TOO_SMALL);
	CHECK_STR(error.text, "kernel nop is too wide");
	CHECK(!fake.program && seen.loads == 1 && seen.unloads == 2);
	fake_stop();
	CHECK_INT(seen.closes, 1);
}

/* Ten times, as trial_run does. */
TEST(it_says_what_its_kernels_cost)
{
	static const uint64_t costs[][2] = {{7, 70}, {0, 10 * (4 * ELEMENTS + 5)}};

	for (int known = 0; known < 2; known++) {
		begin(&trial_ops);
		seen.cost = costs[known][0];
		fake_add_program();
		fake.data[0][0] = 2, fake.data[1][0] = 3;
		fake_start(1);
		CHECK_INT(fake_submit(1, 0, NULL), PTOWSP_OK);
		fake_drain();
		CHECK_INT(fake.status, PTOWSP_OK);
		CHECK_UINT(fake.stats.total_cycles, costs[known][1]);
		CHECK_NEAR(fake.data[2][0], 5, 0);
		fake_stop();
	}
}

/* Each task goes there, with cycles that are known before and with those that it says, run after run; trial_run makes them ten times as many. */
TEST(a_device_executes_every_portable_kernel)
{
	static const uint64_t costs[][2] = {{7, 70}, {0, 110}};

	for (int known = 0; known < 2; known++) {
		begin(&trial_ops);
		seen.cost = costs[known][0];
		seen.device = true;
		fake_add_program();
		fake.data[0][0] = 2, fake.data[1][0] = 3;
		fake_start(1);
		for (int again = 1; again < 4; again++) {
			CHECK_INT(fake_submit((uint64_t)again, 0, NULL), PTOWSP_OK);
			fake_drain();
			CHECK_INT(fake.status, PTOWSP_OK);
			CHECK_UINT(fake.stats.total_cycles, costs[known][1]);
			CHECK_NEAR(fake.data[2][0], 5, 0);
			CHECK_INT(atomic_load(&seen.computed), again);
		}
		fake_stop();
	}
}

/* What "ptowsp.support/0" says of the kernel, and what becomes of a run: computed blocks, -1: it fails. */
static int supported(const struct ptowsp_ops *ops, const struct ptowsp_cap *row, uint32_t verdict, struct ptowsp_kernel_support *told)
{
	const struct ptowsp_support_extension *table;
	int computed;

	begin(ops);
	fake.host.minor = 1;
	seen.tiles = row;
	seen.verdict = verdict;
	seen.device = true;
	seen.cost = 7;
	fake_add_program();
	fake.data[0][0] = 2, fake.data[1][0] = 3;
	fake_start(1);
	*told = (struct ptowsp_kernel_support){0};
	table = ops->extension(fake.instance, PTOWSP_EXTENSION_SUPPORT);
	CHECK(!ops->extension(NULL, PTOWSP_EXTENSION_SUPPORT));
	if (table)
		CHECK_INT(fake_judge(table, told), PTOWSP_OK);
	CHECK_INT(fake_submit(1, 0, NULL), PTOWSP_OK);
	fake_drain();
	computed = atomic_load(&seen.computed);
	CHECK_UINT(fake.device_tasks, computed);
	if (!fake.status)
		CHECK_NEAR(fake.data[2][0], 5, 0);
	CHECK_CONTAINS(fake.error, fake.status ? told->reason : "");
	computed = fake.status ? -1 : computed;
	fake_stop();
	return computed;
}

TEST(kernels_run_where_rows_and_the_backend_say)
{
	static const struct ptowsp_cap has = BASE_TILE(0, ENFORCED, BASE_TYPE(F32)), lacks = BASE_TILE(PTOWSP_PTO_TADD, UNSUPPORTED, 0),
				       not_f32 = BASE_TILE(PTOWSP_PTO_TADD, ENFORCED, BASE_TYPE(I32)), weak = BASE_TILE(PTOWSP_PTO_TADD, DIAGNOSED, 0);
	struct ptowsp_kernel_support told;

	CHECK_INT(supported(&trial_ops, &has, 0, &told), 1);
	CHECK_UINT(told.verdict, PTOWSP_SUPPORT_UNTOLD); /* rows say it all: there is no such extension */
	CHECK_INT(supported(&trial_ops, &lacks, 0, &told), -1);
	CHECK_CONTAINS(fake.error, "kernel add: tadd, line 3; the device does not have it");
	CHECK_INT(supported(&trial_ops, &weak, 0, &told), 0);
	beside = judging = trial;
	beside.processor = 1;
	CHECK_INT(supported(&beside_ops, &not_f32, 0, &told), 0);
	CHECK_UINT(told.verdict, PTOWSP_SUPPORT_HOST);
	CHECK_STR(told.reason, "tadd of f32, line 3; the device has it for i32");
	CHECK_UINT(told.opcode, PTOWSP_PTO_TADD);
	CHECK_UINT(told.dtype, PTOWSP_F32);
	CHECK_INT(supported(&beside_ops, &has, 0, &told), 1);
	CHECK_UINT(told.verdict, PTOWSP_SUPPORT_DEVICE);
	judging.judge = trial_judge;
	CHECK_INT(supported(&judging_ops, &has, 0, &told), 1);
	CHECK_UINT(seen.judged, 2); /* for the host, and for the program */
	CHECK_INT(supported(&judging_ops, &lacks, PTOWSP_SUPPORT_DEVICE, &told), 1);
	CHECK_INT(supported(&judging_ops, &has, PTOWSP_SUPPORT_HOST, &told), 0);
	CHECK_INT(supported(&judging_ops, &has, PTOWSP_SUPPORT_NO, &told), -1);
	CHECK_CONTAINS(fake.error, "kernel add: it says so");
}

TEST(hosts_of_10_0_hear_nothing_of_operations)
{
	static const struct ptowsp_cap lacks = BASE_TILE(PTOWSP_PTO_TADD, UNSUPPORTED, 0);

	begin(&judging_ops);
	judging = trial;
	judging.judge = trial_judge;
	seen.tiles = &lacks;
	CHECK_INT(fake_init(NULL, NULL, NULL), PTOWSP_OK);
	CHECK(!fake.ops->extension(fake.instance, PTOWSP_EXTENSION_SUPPORT));
	CHECK_INT(state(NULL, lacks.feature), -1);
	fake_stop();
	begin(&judging_ops);
	seen.tiles = &lacks;
	fake.host.minor = 1;
	CHECK_INT(state(NULL, lacks.feature), -1); /* no instance: nobody said that it is of 10.1 */
	CHECK_INT(fake_init(NULL, NULL, NULL), PTOWSP_OK);
	CHECK_INT(state(NULL, lacks.feature), PTOWSP_STATE_UNSUPPORTED);
	CHECK(fake.ops->extension(fake.instance, PTOWSP_EXTENSION_SUPPORT) != NULL);
	fake_stop();
}

TEST(a_device_that_hangs_is_told_of_a_cancel)
{
	begin(&trial_ops);
	seen.device = true;
	atomic_store(&seen.hangs, true);
	fake_add_program();
	fake_start(1);
	CHECK_INT(fake_submit(1, 0, NULL), PTOWSP_OK);
	while (!atomic_load(&seen.computed))
		sched_yield();
	CHECK_INT(fake.ops->cancel(fake.device, 1, NULL), PTOWSP_OK);
	fake_drain();
	CHECK_INT(fake.status, PTOWSP_CANCELLED);
	CHECK_CONTAINS(fake.error, "the run was cancelled in kernel");
	fake_stop();
}

TEST(fini_closes_in_order_what_is_open)
{
	begin(&trial_ops);
	fake_chain_program("nop", 10);
	fake_start(1);
	CHECK_INT(fake.ops->fini(fake.instance, NULL), PTOWSP_OK);
	CHECK_INT(seen.unloads == 1 && seen.closes == 1, 1);
	CHECK_INT(fake.bytes, 0);
	fake.instance = fake.device = fake.program = NULL;
	fake_stop();
}

TEST(without_hooks_it_is_what_the_processor_does)
{
	begin(&plain_ops);
	fake_chain_program("nop", 10);
	fake_start(2);
	CHECK_INT(fake_submit(1, 0, NULL), PTOWSP_OK);
	fake_drain();
	CHECK_UINT(fake.stats.total_cycles, 30);
	CHECK(!fake.ops->extension(NULL, "tests.trial/1"));
	fake_stop();
	CHECK_INT(seen.opens + seen.runs, 0);
}

/* ---- payloads ------------------------------------------------------------------------------------------------- */

TEST(payloads_for_its_name_and_its_targets_are_its_own)
{
	static const struct {
		const char *target;
		int mine;
	} rows[] = {{"trial", 1}, {"brother", 1}, {"sister", 1}, {"sist", 0}, {"trial,brother", 0}, {"cpu_sim", 0}, {"", 1}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ptowsp_payload_record *payload;

		begin(&trial_ops);
		fake_add_program();
		payload = fake_rows(PTOWSP_SECTION_KPAY);
		payload->target = fake_program_string(&fake.code, rows[i].target);
		fake_start(1);
		CHECK_INT(fake_submit(1, 0, NULL), PTOWSP_OK);
		fake_drain();
		CHECK_INT(fake.status, rows[i].mine ? PTOWSP_OK : PTOWSP_KERNEL_FAILED);
		if (!rows[i].mine)
			CHECK_CONTAINS(fake.error, "no payload for trial (only for other targets); built in: nop");
		fake_stop();
	}
}
