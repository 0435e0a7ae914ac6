/* SPDX-License-Identifier: MIT */
/* The client of libhost_runtime.so on the fake one of tests/fakes, and on a real one where PTO_RUNTIME_DIR names its folder. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ascend/callable.h"
#include "ascend/client.h"
#include "ascend/compile.h"
#include "ascend/fault.h"
#include "ascend/plan_build.h"
#include "check.h"

enum { LENGTH = 16384, TENSORS = 7 };
enum { PLUS, PLUS_SCALAR, TIMES };

/* f = (a + b + 1) * (a + b + 2) + (a + b): five tasks, with what the kernels need in their records. */
struct record {
	struct ascend_call call;
	uint32_t kernel, inputs;
	_Atomic uint32_t *calls;
};
struct example {
	struct ascend_client *client;
	struct ascend_objects objects;
	struct ascend_plan_head *plan;
	struct record *records;
	uint32_t record_count;
	_Atomic uint32_t calls;
	int32_t callable;
	float *data[TENSORS]; /* a, b, f on the host; c, d, e, g on the device */
	struct ascend_entry_args args;
	struct ascend_call_config config;
};
static struct ptowsp_error error;

static const float *at(const int64_t *args, uint32_t index)
{
	const struct ascend_tensor *tensor = (const struct ascend_tensor *)(uintptr_t)args[index];

	return (const float *)(uintptr_t)tensor->addr + tensor->start;
}

static float scalar_at(const int64_t *args, uint32_t index)
{
	float value;

	memcpy(&value, &args[index], sizeof(value));
	return value;
}

static void kernel_run(const struct ascend_call *call, const int64_t *args)
{
	const struct record *record = (const struct record *)call;
	const float *x = at(args, 1), *y = at(args, 2);
	float *to = (float *)(uintptr_t)at(args, 1 + record->inputs);

	(*record->calls)++;
	for (uint32_t i = 0; i < LENGTH; i++)
		to[i] = record->kernel == PLUS ? x[i] + y[i] : record->kernel == TIMES ? x[i] * y[i] : x[i] + scalar_at(args, 3);
}

static void window_add(struct ascend_plan_build *build, uint32_t entry, uint8_t dtype, uint64_t start, uint32_t length)
{
	ascend_plan_window_add(build, &(struct ascend_plan_window){.start = start, .entry = entry, .dtype = dtype, .access = 3, .ndims = 1, .contiguous = 1,
								   .shapes = {length, 1}, .strides = {1, 1}});
}

/* tensors: inputs and the output, by place in data. after: one bit per earlier task. */
static void task_add(struct example *example, struct ascend_plan_build *build, uint32_t kernel, const uint32_t *tensors, float scalar, uint32_t after)
{
	uint32_t number = example->record_count++, count = kernel == PLUS_SCALAR ? 2 : 3;
	uint64_t bits = 0;

	example->records[number] = (struct record){{kernel_run}, kernel, count - 1, &example->calls};
	ascend_plan_step_add(build, &(struct ascend_plan_step){.number = number, .function = kernel, .blocks = 1, .shape = ASCEND_SHAPE_VECTOR});
	for (uint32_t i = 0; i < number; i++)
		if (after >> i & 1)
			ascend_plan_edge_add(build, i);
	window_add(build, ASCEND_ENTRY_CALLS, ASCEND_U8, number * sizeof(struct record), sizeof(struct record));
	for (uint32_t i = 0; i < count; i++)
		window_add(build, ASCEND_ENTRY_FIRST + tensors[i], ASCEND_F32, 0, LENGTH);
	memcpy(&bits, &scalar, sizeof(scalar));
	if (kernel == PLUS_SCALAR)
		ascend_plan_scalar_add(build, bits);
}

static void plan_make(struct example *example)
{
	struct ascend_plan_build build = {0};
	enum { A, B, F, C, D, E, G };

	example->records = calloc(8, sizeof(*example->records));
	task_add(example, &build, PLUS, (const uint32_t[]){A, B, C}, 0, 0);
	task_add(example, &build, PLUS_SCALAR, (const uint32_t[]){C, D}, 1, 1);
	task_add(example, &build, PLUS_SCALAR, (const uint32_t[]){C, E}, 2, 1);
	task_add(example, &build, TIMES, (const uint32_t[]){D, E, G}, 0, 6);
	task_add(example, &build, PLUS, (const uint32_t[]){G, C, F}, 0, 9);
	REQUIRE_INT(ascend_plan_block_make(&build, &example->plan, &error), PTOWSP_OK);
	ascend_plan_build_finish(&build);
}

static void entry_set(struct example *example, uint32_t index, const void *data, uint64_t count, uint8_t dtype, uint8_t space)
{
	example->args.tensors[index] = (struct ascend_tensor){.addr = (uintptr_t)data, .bytes = count * (dtype == ASCEND_U8 ? 1 : 4), .owner = ASCEND_NO_TASK, .ndims = 1,
							      .dtype = dtype, .is_contiguous = 1, .address_space = space, .shapes = {(uint32_t)count},
							      .strides = {1}, .extent = count};
}

static void args_make(struct example *example, const char *variant)
{
	entry_set(example, ASCEND_ENTRY_PLAN, example->plan, example->plan->bytes, ASCEND_U8, ASCEND_HOST);
	entry_set(example, ASCEND_ENTRY_CALLS, example->records, 8 * sizeof(struct record), ASCEND_U8, ASCEND_DEVICE);
	for (uint32_t i = 0; i < TENSORS; i++)
		entry_set(example, ASCEND_ENTRY_FIRST + i, example->data[i], LENGTH, ASCEND_F32, i < 3 ? ASCEND_HOST : ASCEND_DEVICE);
	example->args.tensor_count = ASCEND_ENTRY_FIRST + TENSORS;
	example->args.scalar_count = 1;
	example->args.scalars[ASCEND_ENTRY_ADDRESS] = strcmp(variant, ASCEND_HOST_GRAPH) ? 0 : (uintptr_t)example->plan;
}

static void callable_make(struct example *example)
{
	const int32_t directions[] = {ASCEND_IN, ASCEND_IN, ASCEND_IN, ASCEND_IN, ASCEND_OUT, ASCEND_INOUT, ASCEND_INOUT, ASCEND_INOUT, ASCEND_INOUT};
	struct ascend_kernel_object kernels[3];
	struct ascend_callable_args args = {example->objects.orchestration, example->objects.orchestration_size, kernels, 3, directions, ASCEND_ENTRY_FIRST + TENSORS};
	void *block;

	for (int32_t i = 0; i < 3; i++)
		kernels[i] = (struct ascend_kernel_object){i, example->objects.kernel, example->objects.kernel_size};
	REQUIRE_INT(ascend_callable_make(&block, &args, &error), PTOWSP_OK);
	REQUIRE_INT(ascend_client_register(example->client, block, &example->callable, &error), PTOWSP_OK);
	free(block);
}

static struct example *example_open(const char *root, const char *variant)
{
	const struct ascend_which which = {root, "a2a3", variant, false};
	struct example *example = aligned_alloc(64, (sizeof(*example) + 63) / 64 * 64);

	memset(example, 0, sizeof(*example));
	REQUIRE_INT(ascend_objects_make(&example->objects, &which, check_fmt("%s/test/ascend_cache", check_build()), &error), PTOWSP_OK);
	REQUIRE_INT(ascend_client_open(&example->client, &which, 0, &error), PTOWSP_OK);
	for (uint32_t i = 0; i < TENSORS; i++)
		example->data[i] = i < 3 ? calloc(LENGTH, sizeof(float)) : ascend_client_alloc(example->client, LENGTH * sizeof(float));
	for (uint32_t i = 0; i < LENGTH; i++) {
		example->data[0][i] = 2;
		example->data[1][i] = 3;
	}
	plan_make(example);
	args_make(example, variant);
	callable_make(example);
	return example;
}

static void example_close(struct example *example)
{
	for (uint32_t i = 0; i < TENSORS; i++)
		if (i < 3)
			free(example->data[i]);
		else
			ascend_client_free(example->client, example->data[i]);
	ascend_client_close(example->client);
	ascend_objects_finish(&example->objects);
	free(example->plan);
	free(example->records);
	free(example);
}

static ptowsp_status example_run(struct example *example)
{
	return ascend_client_run(example->client, example->callable, &example->args, &example->config, NULL, &error);
}

static const char *fakes(void)
{
	return check_fmt("%s/fakes/simpler", check_build());
}

/* No compiler where the tests run: nothing can be loaded. */
static bool has_compilers(void)
{
	return !check_run("g++ --version && gcc --version", NULL, NULL);
}
#define NEED_COMPILERS()                                                                                               \
	do {                                                                                                           \
		if (!has_compilers())                                                                                  \
			CHECK_SKIP("there is no g++ and gcc to compile the orchestration with");                       \
	} while (0)

/* ---- running --------------------------------------------------------------------------------------------------------- */

static void runs_three_times(const char *root, const char *variant)
{
	struct example *example = example_open(root, variant);

	for (uint32_t run = 1; run <= 3; run++) {
		example->data[2][0] = example->data[2][LENGTH - 1] = 0;
		CHECK_INT(example_run(example), PTOWSP_OK);
		CHECK_UINT(example->calls, 5 * run);
		CHECK(example->client->times.prepare_ns && example->client->times.run_ns && example->client->times.finalize_ns);
		CHECK(example->data[2][0] == 47 && example->data[2][LENGTH - 1] == 47);
	}
	example_close(example);
}

static void vector_example_is_47_on_the_task_buffer(void)
{
	NEED_COMPILERS();
	runs_three_times(fakes(), ASCEND_TASK_BUFFER);
}

static void vector_example_is_47_on_the_host_graph(void)
{
	NEED_COMPILERS();
	runs_three_times(fakes(), ASCEND_HOST_GRAPH);
}

static void order_among_ready_tasks_does_not_matter(void)
{
	NEED_COMPILERS();
	for (int seed = 1; seed < 20; seed++) {
		setenv("FAKE_SEED", check_fmt("%d", seed), 1);
		runs_three_times(fakes(), seed & 1 ? ASCEND_HOST_GRAPH : ASCEND_TASK_BUFFER);
	}
	unsetenv("FAKE_SEED");
}

static void real_runtime_gives_47(void)
{
	const char *root = getenv("PTO_RUNTIME_DIR");

	if (!root)
		CHECK_SKIP("PTO_RUNTIME_DIR names no pto-runtime");
	NEED_COMPILERS();
	runs_three_times(root, ASCEND_TASK_BUFFER);
	runs_three_times(root, ASCEND_HOST_GRAPH);
}

/* What the fake saw, and nothing that it minds. */
static void calls_come_in_order(void)
{
	static const char *const wanted[] = {"simpler_host_log_bind_state", "get_pipeline_contract", "create_device_context", "simpler_init", "simpler_register_callable 0",
					     "simpler_prepare_run 0", "simpler_launch_run", "simpler_wait_run", "simpler_finalize_run", "simpler_unregister_callable 0",
					     "finalize_device", "destroy_device_context"};
	const char *path, *found;
	struct example *example;
	char *log;

	NEED_COMPILERS();
	path = check_fmt("%s/log", check_tmp());
	setenv("FAKE_LOG", path, 1);
	example = example_open(fakes(), ASCEND_TASK_BUFFER);
	CHECK_INT(example_run(example), PTOWSP_OK);
	example_close(example);
	unsetenv("FAKE_LOG");
	log = check_read(path, NULL);
	REQUIRE(log != NULL);
	CHECK(!strstr(log, "WRONG"));
	found = log;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted) && found; i++) {
		found = strstr(found, wanted[i]);
		CHECK_STR(found ? wanted[i] : "missing", wanted[i]);
	}
	free(log);
}

static void objects_are_compiled_once(void)
{
	const char *cache = check_fmt("%s/cache", check_tmp());
	const struct ascend_which which = {fakes(), "a2a3", ASCEND_HOST_GRAPH, false};
	struct ascend_objects first, second;

	NEED_COMPILERS();
	REQUIRE_INT(ascend_objects_make(&first, &which, cache, &error), PTOWSP_OK);
	REQUIRE_INT(ascend_objects_make(&second, &which, cache, &error), PTOWSP_OK);
	CHECK(first.compiled && !second.compiled);
	CHECK_STR(first.folder, second.folder);
	CHECK(first.orchestration_size == second.orchestration_size && !memcmp(first.orchestration, second.orchestration, first.orchestration_size));
	ascend_objects_finish(&first);
	ascend_objects_finish(&second);
}

/* The compilers run in another folder. */
static void a_cache_may_be_a_relative_path(void)
{
	const struct ascend_which which = {fakes(), "a2a3", ASCEND_TASK_BUFFER, false};
	struct ascend_objects objects;
	char here[1024], wanted[2048];

	NEED_COMPILERS();
	REQUIRE(getcwd(here, sizeof(here)) != NULL);
	snprintf(wanted, sizeof(wanted), "%s/deeper/cache/", check_tmp());
	REQUIRE_INT(chdir(check_tmp()), 0);
	CHECK_INT(ascend_objects_make(&objects, &which, "deeper/./cache", &error), PTOWSP_OK);
	CHECK_INT(strncmp(objects.folder, wanted, strlen(wanted)), 0);
	CHECK(objects.compiled && objects.orchestration_size);
	ascend_objects_finish(&objects);
	REQUIRE_INT(chdir(here), 0);
}

static void a_cache_whose_path_is_too_long_is_refused(void)
{
	const struct ascend_which which = {fakes(), "a2a3", ASCEND_TASK_BUFFER, false};
	struct ascend_objects objects;
	char path[960];

	NEED_COMPILERS();
	memset(path, 'x', sizeof(path));
	path[0] = '/';
	path[901] = 0;
	CHECK_INT(ascend_objects_make(&objects, &which, path, &error), PTOWSP_INVALID);
	CHECK_STR(error.text, "cache=DIR: the path is longer than 900 bytes; use a shorter one");
	ascend_objects_finish(&objects);
}

static void all_callables_are_given_out_and_taken_back(void)
{
	struct example *example;
	int32_t ids[ASCEND_CALLABLES], id;
	const int32_t direction = ASCEND_IN;
	struct ascend_callable_args args;
	void *block;

	NEED_COMPILERS();
	example = example_open(fakes(), ASCEND_HOST_GRAPH);
	args = (struct ascend_callable_args){example->objects.orchestration, example->objects.orchestration_size, NULL, 0, &direction, 1};
	REQUIRE_INT(ascend_callable_make(&block, &args, &error), PTOWSP_OK);
	for (int i = 1; i < ASCEND_CALLABLES; i++)
		REQUIRE_INT(ascend_client_register(example->client, block, &ids[i], &error), PTOWSP_OK);
	CHECK_INT(ascend_client_register(example->client, block, &id, &error), PTOWSP_TOO_SMALL);
	CHECK_STR(error.text, "64 programs are loaded on this device; the pto-runtime has room for 64 callables: unload one");
	ascend_client_unregister(example->client, ids[7]);
	CHECK_INT(ascend_client_register(example->client, block, &id, &error), PTOWSP_OK);
	CHECK_INT(id, 7);
	free(block);
	example_close(example);
}

/* ---- what goes wrong ------------------------------------------------------------------------------------------------- */

static void refused(const char *folder, ptowsp_status status, const char *text)
{
	const struct ascend_which which = {folder, "a2a3", ASCEND_TASK_BUFFER, false};
	struct ascend_client *client;

	CHECK_INT(ascend_client_open(&client, &which, 0, &error), status);
	CHECK_STR(error.text, text);
	CHECK(!client);
}

static void other_generations_are_refused_by_name(void)
{
	refused(check_fmt("%s/fakes/other_1", check_build()), PTOWSP_UNSUPPORTED,
		"libhost_runtime.so of runtime=DIR has generation 1 (launch_runtime, January 2026); engine=pto-runtime needs generation 4 (simpler_launch_run, August 2026): "
		"build it from sources of that time");
	refused(check_fmt("%s/fakes/other_2", check_build()), PTOWSP_UNSUPPORTED,
		"libhost_runtime.so of runtime=DIR has generation 2 or 3 (run_runtime, April 2026); engine=pto-runtime needs generation 4 (simpler_launch_run, August 2026): "
		"build it from sources of that time");
	refused(check_fmt("%s/fakes/other_3", check_build()), PTOWSP_UNSUPPORTED,
		"libhost_runtime.so of runtime=DIR has no pto-runtime interface; engine=pto-runtime needs generation 4 (simpler_launch_run, August 2026): "
		"build it from sources of that time");
	refused(check_fmt("%s/fakes/other_4", check_build()), PTOWSP_UNSUPPORTED,
		"libhost_runtime.so of runtime=DIR is of generation 4 but has no get_pipeline_contract: it is of another month; rebuild the runtime");
	refused(check_fmt("%s/fakes/other_5", check_build()), PTOWSP_UNSUPPORTED,
		"libhost_runtime.so of runtime=DIR has a pipeline contract of version 2, depth 1, 0 resources; needed: version 1, depth 1 to 2");
}

static void missing_files_are_named(void)
{
	const struct ascend_which no_variant = {"/", "a2a3", "aicpu_build_graph", false};
	struct ascend_files files;

	refused("/nowhere", PTOWSP_NO_DEVICE, "engine=pto-runtime: runtime=/nowhere cannot be opened: No such file or directory; name the folder of a pto-runtime");
	refused("/", PTOWSP_NO_DEVICE,
		"engine=pto-runtime needs build/lib/a2a3/sim/tensormap_and_ringbuffer/libhost_runtime.so below runtime=DIR: No such file or directory; build the runtime there");
	CHECK_INT(ascend_files_find(&files, &no_variant, &error), PTOWSP_INVALID);
	CHECK_STR(error.text, "variant=aicpu_build_graph: there are host_build_graph and tensormap_and_ringbuffer");
}

static void phases_that_fail_are_told(void)
{
	struct ascend_which which = {NULL, "a2a3", ASCEND_TASK_BUFFER, false};
	struct ascend_client *client;

	which.root = fakes();
	setenv("FAKE_FAULT", "init:-3", 1);
	CHECK_INT(ascend_client_open(&client, &which, 0, &error), PTOWSP_RUN_FAILED);
	CHECK_STR(error.text, "simpler_init of the pto-runtime answers -3: init: answers -3 because FAKE_FAULT says so");
	CHECK_INT(error.native, -3);
	setenv("FAKE_FAULT", "init:-2", 1);
	CHECK_INT(ascend_client_open(&client, &which, 0, &error), PTOWSP_UNSUPPORTED);
	CHECK_STR(error.text, "simpler_init of the pto-runtime answers -2, not supported on this platform; use another variant or platform");
	unsetenv("FAKE_FAULT");
}

/* Every code of fault.def, where the runtime would latch it, with the runtime's own sentence; then the same client runs on. */
static void every_fault_is_mapped(void)
{
	static const struct {
		int code;
		ptowsp_status status;
		const char *name, *remedy;
	} faults[] = {
#define X(code, name, status, remedy) {code, PTOWSP_##status, #name, remedy},
#include "ascend/fault.def"
#undef X
	};
	static const struct {
		int code;
		const char *name, *detail;
	} told[] = {
#define X(code, name, detail) {code, #name, detail},
#include "fakes/fake_faults.def"
#undef X
	};
	struct example *example;
	size_t count = 0;

	NEED_COMPILERS();
	example = example_open(fakes(), ASCEND_TASK_BUFFER);
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
		if (faults[i].code == 6)
			continue; /* the host graph's name of 4 that nothing reports any more */
		REQUIRE(count < sizeof(told) / sizeof(*told));
		CHECK_INT(told[count].code, faults[i].code);
		CHECK_STR(told[count].name, faults[i].name);
		setenv("FAKE_FAULT", check_fmt("wait:%d", faults[i].code), 1);
		CHECK_INT(example_run(example), faults[i].status);
		CHECK_STR(error.text, check_fmt("the pto-runtime reports %s: %s; %s", faults[i].name, told[count].detail, faults[i].remedy));
		CHECK_INT(error.native, -faults[i].code);
		count++;
	}
	CHECK_UINT(count, sizeof(told) / sizeof(*told));
	unsetenv("FAKE_FAULT");
	CHECK_INT(example_run(example), PTOWSP_OK);
	example_close(example);
}

/* The classes of a scheduler's timeout, as the runtime writes them. */
static void every_class_of_a_timeout_is_mapped(void)
{
	static const struct {
		const char *class;
		ptowsp_status status;
	} rows[] = {{"S1:running-stalled", PTOWSP_DEADLINE}, {"S3:ready-idle", PTOWSP_DEVICE_LOST}, {"S4:dep-deadlock", PTOWSP_DEADLOCK},
		    {"S5:orch-starvation", PTOWSP_DEVICE_LOST}, {"other", PTOWSP_DEVICE_LOST}};
	struct example *example;

	NEED_COMPILERS();
	example = example_open(fakes(), ASCEND_TASK_BUFFER);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		setenv("FAKE_FAULT", check_fmt("wait:100:%s", rows[i].class), 1);
		CHECK_INT(example_run(example), rows[i].status);
		CHECK_STR(error.text, check_fmt("the pto-runtime reports SCHEDULER_TIMEOUT, %s: no task has ended for ten seconds; set SIMPLER_SCHEDULER_TIMEOUT_MS to tell a slow "
						"kernel from one that does not end", rows[i].class));
	}
	unsetenv("FAKE_FAULT");
	CHECK_INT(example_run(example), PTOWSP_OK);
	example_close(example);
}

/* Whichever call of a run fails, and however: what was prepared is finalized, the next run is a good one, nothing is done that the runtime minds. */
static void every_call_may_fail_and_the_next_run_is_good(void)
{
	static const struct {
		const char *phase, *call;
	} phases[] = {{"prepare", "simpler_prepare_run"}, {"launch", "simpler_launch_run"}, {"wait", "simpler_wait_run"}, {"finalize", "simpler_finalize_run"}};
	static const int codes[] = {-1, -2, -3, 1, 2, 104};
	struct example *example;
	char path[1100], *log;

	NEED_COMPILERS();
	snprintf(path, sizeof(path), "%s/log", check_tmp());
	setenv("FAKE_LOG", path, 1);
	example = example_open(fakes(), ASCEND_TASK_BUFFER);
	for (size_t p = 0; p < sizeof(phases) / sizeof(*phases); p++)
		for (size_t c = 0; c < sizeof(codes) / sizeof(*codes); c++) {
			setenv("FAKE_FAULT", check_fmt("%s:%d", phases[p].phase, codes[c]), 1);
			CHECK(example_run(example) != PTOWSP_OK);
			CHECK_INT(error.native, codes[c] < 0 ? codes[c] : -codes[c]);
			CHECK_CONTAINS(error.text, codes[c] < 0 ? phases[p].call : "the pto-runtime reports ");
			unsetenv("FAKE_FAULT");
			CHECK_INT(example_run(example), PTOWSP_OK);
		}
	example_close(example);
	unsetenv("FAKE_LOG");
	log = check_read(path, NULL);
	REQUIRE(log != NULL);
	CHECK(!strstr(log, "WRONG"));
	CHECK(strstr(log, "destroy_device_context") != NULL);
	free(log);
}

static void timeouts_count_by_their_class(void)
{
	char text[400];

	snprintf(text, sizeof(text), "[ERROR] x: sched_error_code=100\n[ERROR] x: error detail: y=100 SCHEDULER_TIMEOUT - no progress\n[ERROR] x: sub_class=S1:a\n");
	CHECK_INT(ascend_fault(ASCEND_PHASE_WAIT, -100, text, &error), PTOWSP_DEADLINE);
	CHECK_STR(error.text, "the pto-runtime reports SCHEDULER_TIMEOUT, S1:a: no progress; set SIMPLER_SCHEDULER_TIMEOUT_MS to tell a slow kernel from one that does not end");
	strstr(text, "S1:a")[1] = '4';
	CHECK_INT(ascend_fault(ASCEND_PHASE_WAIT, -100, text, &error), PTOWSP_DEADLOCK);
	strstr(text, "S4:a")[1] = '3';
	CHECK_INT(ascend_fault(ASCEND_PHASE_WAIT, -100, text, &error), PTOWSP_DEVICE_LOST);
}

/* -1 and -3 are faults only where the runtime says so. */
static void small_codes_are_faults_where_they_are_told(void)
{
	CHECK_INT(ascend_fault(ASCEND_PHASE_PREPARE, -1, "", &error), PTOWSP_RUN_FAILED);
	CHECK_STR(error.text, "simpler_prepare_run of the pto-runtime answers -1: it wrote nothing about it");
	CHECK_INT(ascend_fault(ASCEND_PHASE_PREPARE, -3, "[a][ERROR] b: orch_error_code=3 sched_error_code=0\n", &error), PTOWSP_DEADLOCK);
	CHECK_INT(ascend_fault(ASCEND_PHASE_WAIT, -104, "", &error), PTOWSP_TOO_SMALL);
}

/* No sentence ends in the middle of a word: as many clauses as there is room for. */
static void long_sentences_end_with_a_clause(void)
{
	CHECK_INT(ascend_fault(ASCEND_PHASE_WAIT, -1, "[ERROR] a: orch_error_code=1 sched_error_code=0\n[ERROR] a: error detail: orch_error_code=1 SCOPE_DEADLOCK - tasks submitted in "
			       "one scope reached the ring task-window cap; their fanout references are only released at scope_end, so no slot can be reclaimed\n", &error),
		  PTOWSP_DEADLOCK);
	CHECK_STR(error.text, "the pto-runtime reports SCOPE_DEADLOCK: tasks submitted in one scope reached the ring task-window cap; their fanout references are only "
			      "released at scope_end; raise --schedule task_window, or split the scope");
	CHECK_INT(ascend_fault(ASCEND_PHASE_WAIT, -11, "[ERROR] a: orch_error_code=11 sched_error_code=0\n[ERROR] a: error detail: x - the tensormap could not reserve the entries "
			       "required to register another task's outputs and whatever else would have had to be said here about it\n", &error), PTOWSP_TOO_SMALL);
	CHECK_STR(error.text, "the pto-runtime reports TENSORMAP_OVERFLOW: the tensormap could not reserve the entries required to register another task's outputs and whatever "
			      "else would have had to be said here; set PTO2_TENSORMAP_POOL_SIZE");
}

static void files_that_cannot_be_read_say_why(void)
{
	void *bytes;
	size_t size;

	CHECK_INT(ascend_file_read("/nowhere/at/all", &bytes, &size, &error), PTOWSP_IO);
	CHECK_STR(error.text, "/nowhere/at/all cannot be read: No such file or directory");
	CHECK_INT(ascend_file_read("/", &bytes, &size, &error), PTOWSP_IO);
	CHECK(!bytes && !size);
}

static void scope_that_fills_the_window_is_a_deadlock(void)
{
	struct example *example;

	NEED_COMPILERS();
	example = example_open(fakes(), ASCEND_TASK_BUFFER);
	for (int ring = 0; ring < ASCEND_RINGS; ring++)
		example->config.task_window[ring] = 4;
	CHECK_INT(example_run(example), PTOWSP_DEADLOCK);
	CHECK(strstr(error.text, "SCOPE_DEADLOCK") && strstr(error.text, "--schedule task_window"));
	example_close(example);
}

static void host_graph_that_fills_the_window_is_told(void)
{
	struct example *example;

	NEED_COMPILERS();
	example = example_open(fakes(), ASCEND_HOST_GRAPH);
	for (int ring = 0; ring < ASCEND_RINGS; ring++)
		example->config.task_window[ring] = 4;
	CHECK_INT(example_run(example), PTOWSP_DEADLOCK);
	CHECK(strstr(error.text, "FLOW_CONTROL_DEADLOCK") != NULL);
	CHECK_UINT(example->calls, 0);
	example_close(example);
}

/* ---- patience -------------------------------------------------------------------------------------------------------- */

struct watch {
	uint64_t now;
	uint32_t stops;
};
static uint64_t watch_now(void *context)
{
	return ((struct watch *)context)->now++;
}
static void watch_stop(void *context)
{
	((struct watch *)context)->stops++;
}

static void deadline_and_cancel_end_a_run(void)
{
	struct watch watch = {0};
	uint32_t cancel = 0;
	struct ascend_patience patience = {&cancel, 5, watch_now, &watch, watch_stop};
	struct example *example;

	NEED_COMPILERS();
	setenv("FAKE_POLLS", "1000", 1);
	example = example_open(fakes(), ASCEND_TASK_BUFFER);
	CHECK_INT(ascend_client_run(example->client, example->callable, &example->args, &example->config, &patience, &error), PTOWSP_DEADLINE);
	CHECK_UINT(watch.stops, 1);
	cancel = 1;
	patience.deadline_ns = 0;
	CHECK_INT(ascend_client_run(example->client, example->callable, &example->args, &example->config, &patience, &error), PTOWSP_CANCELLED);
	CHECK_UINT(watch.stops, 2);
	cancel = 0;
	setenv("FAKE_POLLS", "3", 1);
	CHECK_INT(ascend_client_run(example->client, example->callable, &example->args, &example->config, &patience, &error), PTOWSP_OK);
	CHECK_UINT(watch.stops, 2);
	unsetenv("FAKE_POLLS");
	example_close(example);
}

void suite_ascend_client(CU_pSuite s)
{
	TEST(s, vector_example_is_47_on_the_task_buffer);
	TEST(s, vector_example_is_47_on_the_host_graph);
	TEST(s, order_among_ready_tasks_does_not_matter);
	TEST(s, real_runtime_gives_47);
	TEST(s, calls_come_in_order);
	TEST(s, objects_are_compiled_once);
	TEST(s, a_cache_may_be_a_relative_path);
	TEST(s, a_cache_whose_path_is_too_long_is_refused);
	TEST(s, all_callables_are_given_out_and_taken_back);
	TEST(s, other_generations_are_refused_by_name);
	TEST(s, missing_files_are_named);
	TEST(s, phases_that_fail_are_told);
	TEST(s, every_fault_is_mapped);
	TEST(s, every_class_of_a_timeout_is_mapped);
	TEST(s, every_call_may_fail_and_the_next_run_is_good);
	TEST(s, timeouts_count_by_their_class);
	TEST(s, small_codes_are_faults_where_they_are_told);
	TEST(s, long_sentences_end_with_a_clause);
	TEST(s, files_that_cannot_be_read_say_why);
	TEST(s, scope_that_fills_the_window_is_a_deadlock);
	TEST(s, host_graph_that_fills_the_window_is_told);
	TEST(s, deadline_and_cancel_end_a_run);
}
