/* SPDX-License-Identifier: MIT */
/* Faults of the runtime, provoked one by one: what no plan of ours asks for, given to it all the same. The fake one of tests/fakes answers as a real one does where
 * PTO_RUNTIME_DIR names its folder: the same code, the same word in its sentence. */
#include "ascend/engine/callable.h"
#include "ascend/engine/client.h"
#include "ascend/engine/compile.h"
#include "ascend/plan/plan_build.h"
#include "ascend/plan/plan_check.h"
#include "tests/check.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Of all tasks of a trial. */
struct record {
	struct ascend_call call;
	_Atomic uint32_t calls;
	uint32_t sleep_ms;
};
struct trial {
	struct ascend_entry_args args;
	struct ascend_call_config config;
	struct ascend_client *client;
	struct ascend_objects objects;
	struct record record;
	struct ascend_plan_build build;
	int32_t callable;
	bool host_graph;
};
static struct ptowsp_error error;

static void kernel_run(const struct ascend_call *call, const int64_t *args)
{
	struct record *record = (struct record *)(uintptr_t)call;
	struct timespec nap = {record->sleep_ms / 1000, record->sleep_ms % 1000 * 1000000L};

	(void)args;
	atomic_fetch_add(&record->calls, 1);
	if (record->sleep_ms)
		nanosleep(&nap, NULL);
}

/* ---- trials ---------------------------------------------------------------------------------------------------------- */

static void callable_register(struct trial *trial)
{
	static const int32_t directions[ASCEND_ENTRY_FIRST] = {ASCEND_IN, ASCEND_IN};
	const struct ascend_kernel_object kernel = {0, trial->objects.kernel, trial->objects.kernel_size};
	const struct ascend_callable_args args = {trial->objects.orchestration, trial->objects.orchestration_size, &kernel, 1, directions, ASCEND_ENTRY_FIRST};
	void *block;

	REQUIRE_INT(ascend_callable_make(&block, &args, &error), PTOWSP_OK);
	REQUIRE_INT(ascend_client_register(trial->client, block, &trial->callable, &error), PTOWSP_OK);
	free(block);
}

static struct trial *trial_open(const char *root, const char *variant)
{
	const struct ascend_which which = {root, "a2a3", variant, false};
	struct trial *trial = aligned_alloc(64, (sizeof(*trial) + 63) / 64 * 64);

	memset(trial, 0, sizeof(*trial));
	trial->host_graph = !strcmp(variant, ASCEND_HOST_GRAPH);
	trial->record.call.run = kernel_run;
	REQUIRE_INT(ascend_objects_make(&trial->objects, &which, check_fmt("%s/test/ascend_cache", check_build()), &error), PTOWSP_OK);
	REQUIRE_INT(ascend_client_open(&trial->client, &which, 0, &error), PTOWSP_OK);
	callable_register(trial);
	return trial;
}

static void trial_close(struct trial *trial)
{
	ascend_client_close(trial->client);
	ascend_objects_finish(&trial->objects);
	free(trial);
}

static void entry_set(struct trial *trial, uint32_t index, const void *data, uint64_t bytes, uint8_t space)
{
	trial->args.tensors[index] = (struct ascend_tensor){.addr = (uintptr_t)data,
							    .bytes = bytes,
							    .owner = ASCEND_NO_TASK,
							    .ndims = 1,
							    .dtype = ASCEND_U8,
							    .is_contiguous = 1,
							    .address_space = space,
							    .shapes = {(uint32_t)bytes},
							    .strides = {1},
							    .extent = bytes};
}

/* What was built, and then nothing is. magic: of the plan. */
static ptowsp_status trial_run(struct trial *trial, uint32_t magic)
{
	struct ascend_plan_head *plan;
	ptowsp_status status;

	REQUIRE_INT(ascend_plan_block_make(&trial->build, &plan, &error), PTOWSP_OK);
	ascend_plan_build_finish(&trial->build);
	plan->magic = magic;
	entry_set(trial, ASCEND_ENTRY_PLAN, plan, plan->bytes, ASCEND_HOST);
	entry_set(trial, ASCEND_ENTRY_CALLS, &trial->record, sizeof(trial->record), ASCEND_DEVICE);
	trial->args.tensor_count = ASCEND_ENTRY_FIRST;
	trial->args.scalar_count = ASCEND_ENTRY_NUMBERS;
	trial->args.scalars[ASCEND_ENTRY_ADDRESS] = trial->host_graph ? (uintptr_t)plan : 0;
	trial->record.calls = 0;
	error = (struct ptowsp_error){.head = PTOWSP_HEAD(error, ERROR)};
	status = ascend_client_run(trial->client, trial->callable, &trial->args, &trial->config, NULL, &error);
	free(plan);
	return status;
}

/* ---- plans ----------------------------------------------------------------------------------------------------------- */

static uint32_t task_add(struct trial *trial, uint32_t function)
{
	const struct ascend_plan_window record = {.entry = ASCEND_ENTRY_CALLS,
						  .dtype = ASCEND_U8,
						  .access = ASCEND_WINDOW_READ,
						  .ndims = 1,
						  .contiguous = 1,
						  .shapes = {sizeof(struct record), 1},
						  .strides = {1, 1}};
	uint32_t step = ascend_plan_step_add(&trial->build, &(struct ascend_plan_step){.function = function, .blocks = 1, .shape = ASCEND_SHAPE_VECTOR});

	ascend_plan_window_add(&trial->build, &record);
	return step;
}

static void tasks_add(struct trial *trial, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		task_add(trial, 0);
}

static void scope_add(struct trial *trial, bool begin)
{
	ascend_plan_step_add(&trial->build, &(struct ascend_plan_step){.blocks = 1, .kind = begin ? ASCEND_STEP_SCOPE_BEGIN : ASCEND_STEP_SCOPE_END});
}

static void scopes_in_scopes(struct trial *trial, uint32_t depth, uint32_t tasks)
{
	for (uint32_t d = 0; d < depth; d++) {
		scope_add(trial, true);
		tasks_add(trial, tasks);
	}
	for (uint32_t d = 0; d < depth; d++)
		scope_add(trial, false);
}

/* One task behind so many others. */
static void fan_in(struct trial *trial, uint32_t producers)
{
	scope_add(trial, true);
	tasks_add(trial, producers);
	task_add(trial, 0);
	for (uint32_t i = 0; i < producers; i++)
		ascend_plan_edge_add(&trial->build, 1 + i);
	scope_add(trial, false);
}

static void one_task(struct trial *trial)
{
	tasks_add(trial, 1);
}
static void scope_of_63(struct trial *trial)
{
	scopes_in_scopes(trial, 1, 63);
}
static void scope_of_64(struct trial *trial)
{
	scopes_in_scopes(trial, 1, 64);
}
static void eight_scopes(struct trial *trial)
{
	scopes_in_scopes(trial, 8, 3);
}
static void scopes_to_the_limit(struct trial *trial)
{
	scopes_in_scopes(trial, ASCEND_SCOPE_DEPTH, 1);
}
static void hundred_tasks(struct trial *trial)
{
	tasks_add(trial, 100);
}
static void ready_to_the_limit(struct trial *trial)
{
	tasks_add(trial, 8192);
}
static void ready_beyond_the_limit(struct trial *trial)
{
	tasks_add(trial, 8193);
}
static void sixty_producers(struct trial *trial)
{
	trial->record.sleep_ms = 20; /* they run while their consumer comes */
	fan_in(trial, 60);
}
static void fan_in_to_the_limit(struct trial *trial)
{
	fan_in(trial, 128);
}
static void fan_in_beyond_the_limit(struct trial *trial)
{
	fan_in(trial, 200);
}

/* fails: the code, 0: it runs, and all `tasks` of it. What ends the process of a real runtime is not here: a function that was not registered, a scope too deep. */
static const struct row {
	const char *variant;
	void (*plan)(struct trial *trial);
	uint64_t window, dep_pool;
	uint32_t tasks;
	int fails;
	ptowsp_status status;
	const char *said;
} rows[] = {
	{ASCEND_TASK_BUFFER, scope_of_63, 64, 0, 63, 0, PTOWSP_OK, ""},
	{ASCEND_TASK_BUFFER, scope_of_64, 64, 0, 0, 1, PTOWSP_DEADLOCK, "SCOPE_DEADLOCK: tasks submitted in one scope reached the ring task-window cap"},
	{ASCEND_TASK_BUFFER, eight_scopes, 4, 0, 0, 3, PTOWSP_DEADLOCK, "FLOW_CONTROL_DEADLOCK: "},
	{ASCEND_TASK_BUFFER, scopes_to_the_limit, 0, 0, 63, 0, PTOWSP_OK, ""},
	{ASCEND_TASK_BUFFER, sixty_producers, 0, 64, 61, 0, PTOWSP_OK, ""},
	{ASCEND_TASK_BUFFER, sixty_producers, 0, 32, 0, 4, PTOWSP_TOO_SMALL, "DEP_POOL_OVERFLOW: a task's producer dependencies exceeded the "},
	{ASCEND_TASK_BUFFER, fan_in_to_the_limit, 0, 0, 129, 0, PTOWSP_OK, ""},
	{ASCEND_TASK_BUFFER, fan_in_beyond_the_limit, 0, 0, 201, 0, PTOWSP_OK, ""},
	{ASCEND_TASK_BUFFER, fan_in_beyond_the_limit, 0, 4, 0, 4, PTOWSP_TOO_SMALL, "DEP_POOL_OVERFLOW: a task's producer dependencies exceeded the "},
	{ASCEND_TASK_BUFFER, ready_beyond_the_limit, 0, 0, 8193, 0, PTOWSP_OK, ""},
	{ASCEND_HOST_GRAPH, hundred_tasks, 128, 0, 100, 0, PTOWSP_OK, ""},
	{ASCEND_HOST_GRAPH, hundred_tasks, 16, 0, 0, 3, PTOWSP_DEADLOCK,
	 "FLOW_CONTROL_DEADLOCK: the task allocator could not admit another task because the configured task window"},
	{ASCEND_HOST_GRAPH, fan_in_to_the_limit, 0, 0, 129, 0, PTOWSP_OK, ""},
	{ASCEND_HOST_GRAPH, fan_in_beyond_the_limit, 0, 0, 0, 4, PTOWSP_TOO_SMALL, "DEP_POOL_OVERFLOW: a task's producer dependencies exceeded the "},
	{ASCEND_HOST_GRAPH, ready_to_the_limit, 0, 0, 8192, 0, PTOWSP_OK, ""},
	{ASCEND_HOST_GRAPH, ready_beyond_the_limit, 0, 0, 0, 104, PTOWSP_TOO_SMALL,
	 "READY_QUEUE_OVERFLOW: a scheduler ready queue rejected a task because it had no free slot"},
};

static void config_set(struct trial *trial, uint64_t window, uint64_t dep_pool)
{
	for (int ring = 0; ring < ASCEND_RINGS; ring++) {
		trial->config.task_window[ring] = window;
		trial->config.dep_pool[ring] = dep_pool;
	}
}

/* Then the same device runs what it can. */
static void row_try(struct trial *trial, const struct row *row)
{
	config_set(trial, row->window, row->dep_pool);
	row->plan(trial);
	CHECK_INT(trial_run(trial, ASCEND_PLAN_MAGIC), row->status);
	if (row->fails) {
		CHECK_INT(error.native, -row->fails);
		CHECK_CONTAINS(error.text, row->said);
	} else {
		CHECK_UINT(trial->record.calls, row->tasks);
	}
	config_set(trial, 0, 0);
	trial->record.sleep_ms = 0;
	one_task(trial);
	CHECK_INT(trial_run(trial, ASCEND_PLAN_MAGIC), PTOWSP_OK);
	CHECK_UINT(trial->record.calls, 1);
}

static void faults_are_provoked(const char *folder, const char *variant)
{
	struct trial *trial = trial_open(folder, variant);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(rows[i].variant, variant))
			row_try(trial, &rows[i]);
	one_task(trial);
	CHECK_INT(trial_run(trial, 1), PTOWSP_RUN_FAILED);
	CHECK_INT(error.native, -5);
	CHECK_CONTAINS(error.text, "the pto-runtime reports INVALID_ARGS: ");
	trial_close(trial);
}

/* No compiler where the tests run: nothing can be loaded. */
#define NEED_COMPILERS()                                                                                                                                       \
	do {                                                                                                                                                   \
		if (check_run("g++ --version && gcc --version", NULL, NULL))                                                                                   \
			CHECK_SKIP("there is no g++ and gcc to compile the orchestration with");                                                               \
	} while (0)

TEST(the_fake_runtime_fails_as_the_real_one)
{
	NEED_COMPILERS();
	faults_are_provoked(check_fmt("%s/fakes/simpler", check_build()), ASCEND_TASK_BUFFER);
	faults_are_provoked(check_fmt("%s/fakes/simpler", check_build()), ASCEND_HOST_GRAPH);
}

static const char *real(void)
{
	return getenv("PTO_RUNTIME_DIR");
}

TEST(the_real_runtime_fails_as_the_fake_one)
{
	if (!real())
		CHECK_SKIP("PTO_RUNTIME_DIR names no pto-runtime");
	NEED_COMPILERS();
	faults_are_provoked(real(), ASCEND_TASK_BUFFER);
	faults_are_provoked(real(), ASCEND_HOST_GRAPH);
}

/* It says so, and comes back only when the kernel does. */
TEST(the_real_runtime_tells_of_a_kernel_that_does_not_end)
{
	struct trial *trial;

	if (!real())
		CHECK_SKIP("PTO_RUNTIME_DIR names no pto-runtime");
	NEED_COMPILERS();
	setenv("SIMPLER_SCHEDULER_TIMEOUT_MS", "500", 1);
	trial = trial_open(real(), ASCEND_TASK_BUFFER);
	trial->record.sleep_ms = 2000;
	one_task(trial);
	CHECK_INT(trial_run(trial, ASCEND_PLAN_MAGIC), PTOWSP_DEADLINE);
	CHECK_INT(error.native, -100);
	CHECK_CONTAINS(error.text, "the pto-runtime reports SCHEDULER_TIMEOUT, S1:running-stalled: ");
	trial_close(trial);
	unsetenv("SIMPLER_SCHEDULER_TIMEOUT_MS");
}
