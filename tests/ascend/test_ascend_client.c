/* SPDX-License-Identifier: MIT */
/* The client of libhost_runtime.so on the fake one of tests/fakes, and on a real one where PTO_RUNTIME_DIR names its folder. */
#include "ascend/engine/fault.h"
#include "ascend/engine/filter_object.h"
#include "tests/ascend/ascend_example.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct ptowsp_error error;

/* ---- running --------------------------------------------------------------------------------------------------------- */

static void runs_three_times(const char *root, const char *variant)
{
	struct ascend_example *example = ascend_example_open(root, variant);

	for (uint32_t run = 1; run <= 3; run++) {
		example->data[2][0] = example->data[2][ASCEND_EXAMPLE_LENGTH - 1] = 0;
		CHECK_INT(ascend_example_run(example, &error), PTOWSP_OK);
		CHECK_UINT(example->calls, 5 * run);
		CHECK(example->client->times.prepare_ns && example->client->times.run_ns && example->client->times.finalize_ns);
		CHECK(example->data[2][0] == 47 && example->data[2][ASCEND_EXAMPLE_LENGTH - 1] == 47);
	}
	ascend_example_close(example);
}

TEST(vector_example_is_47_on_the_task_buffer)
{
	ASCEND_EXAMPLE_NEEDS_COMPILERS();
	runs_three_times(ascend_example_fakes(), ASCEND_TASK_BUFFER);
}

TEST(vector_example_is_47_on_the_host_graph)
{
	ASCEND_EXAMPLE_NEEDS_COMPILERS();
	runs_three_times(ascend_example_fakes(), ASCEND_HOST_GRAPH);
}

TEST(order_among_ready_tasks_does_not_matter)
{
	ASCEND_EXAMPLE_NEEDS_COMPILERS();
	for (int seed = 1; seed < 20; seed++) {
		setenv("FAKE_SEED", check_fmt("%d", seed), 1);
		runs_three_times(ascend_example_fakes(), seed & 1 ? ASCEND_HOST_GRAPH : ASCEND_TASK_BUFFER);
	}
	unsetenv("FAKE_SEED");
}

TEST(real_runtime_gives_47)
{
	const char *root = getenv("PTO_RUNTIME_DIR");

	if (!root)
		CHECK_SKIP("PTO_RUNTIME_DIR names no pto-runtime");
	ASCEND_EXAMPLE_NEEDS_COMPILERS();
	runs_three_times(root, ASCEND_TASK_BUFFER);
	runs_three_times(root, ASCEND_HOST_GRAPH);
}

/* What the fake saw, and nothing that it minds. */
TEST(calls_come_in_order)
{
	static const char *const wanted[] = {"simpler_host_log_bind_state", "get_pipeline_contract",         "create_device_context", "simpler_init",
					     "simpler_register_callable 0", "simpler_prepare_run 0",         "simpler_launch_run",    "simpler_wait_run",
					     "simpler_finalize_run",        "simpler_unregister_callable 0", "finalize_device",       "destroy_device_context"};
	const char *path, *found;
	struct ascend_example *example;
	char *log;

	ASCEND_EXAMPLE_NEEDS_COMPILERS();
	path = check_fmt("%s/log", check_tmp());
	setenv("FAKE_LOG", path, 1);
	example = ascend_example_open(ascend_example_fakes(), ASCEND_TASK_BUFFER);
	CHECK_INT(ascend_example_run(example, &error), PTOWSP_OK);
	log = ascend_example_log(example, path);
	found = log;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted) && found; i++) {
		found = strstr(found, wanted[i]);
		CHECK_STR(found ? wanted[i] : "missing", wanted[i]);
	}
	free(log);
}

TEST(objects_are_compiled_once)
{
	const char *cache = check_fmt("%s/cache", check_tmp());
	const struct ascend_which which = {ascend_example_fakes(), "a2a3", ASCEND_HOST_GRAPH, false};
	struct ascend_objects first, second;

	ASCEND_EXAMPLE_NEEDS_COMPILERS();
	REQUIRE_INT(ascend_objects_make(&first, &which, cache, &error), PTOWSP_OK);
	REQUIRE_INT(ascend_objects_make(&second, &which, cache, &error), PTOWSP_OK);
	CHECK(first.compiled && !second.compiled);
	CHECK_STR(first.folder, second.folder);
	CHECK(first.orchestration_size == second.orchestration_size && !memcmp(first.orchestration, second.orchestration, first.orchestration_size));
	ascend_objects_finish(&first);
	ascend_objects_finish(&second);
}

/* The compilers run in another folder. */
TEST(a_cache_may_be_a_relative_path)
{
	const struct ascend_which which = {ascend_example_fakes(), "a2a3", ASCEND_TASK_BUFFER, false};
	struct ascend_objects objects;
	char here[1024], wanted[2048];

	ASCEND_EXAMPLE_NEEDS_COMPILERS();
	REQUIRE(getcwd(here, sizeof(here)) != NULL);
	snprintf(wanted, sizeof(wanted), "%s/deeper/cache/", check_tmp());
	REQUIRE_INT(chdir(check_tmp()), 0);
	CHECK_INT(ascend_objects_make(&objects, &which, "deeper/./cache", &error), PTOWSP_OK);
	CHECK_INT(strncmp(objects.folder, wanted, strlen(wanted)), 0);
	CHECK(objects.compiled && objects.orchestration_size);
	ascend_objects_finish(&objects);
	REQUIRE_INT(chdir(here), 0);
}

TEST(a_cache_whose_path_is_too_long_is_refused)
{
	const struct ascend_which which = {ascend_example_fakes(), "a2a3", ASCEND_TASK_BUFFER, false};
	struct ascend_objects objects;
	char path[960];

	ASCEND_EXAMPLE_NEEDS_COMPILERS();
	memset(path, 'x', sizeof(path));
	path[0] = '/';
	path[901] = 0;
	CHECK_INT(ascend_objects_make(&objects, &which, path, &error), PTOWSP_INVALID);
	CHECK_STR(error.text, "cache=DIR: the path is longer than 900 bytes; use a shorter one");
	ascend_objects_finish(&objects);
}

TEST(all_callables_are_given_out_and_taken_back)
{
	struct ascend_example *example;
	int32_t ids[ASCEND_CALLABLES], id;
	const int32_t direction = ASCEND_IN;
	struct ascend_callable_args args;
	void *block;

	ASCEND_EXAMPLE_NEEDS_COMPILERS();
	example = ascend_example_open(ascend_example_fakes(), ASCEND_HOST_GRAPH);
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
	ascend_example_close(example);
}

/* As the simulator does with the library of its cores: written to a new file and loaded, each run. */
static void *symbol_of_a_copy(const void *bytes, size_t size, const char *name)
{
	const char *path = check_fmt("%s/copy.so", check_tmp());
	FILE *file = fopen(path, "w");
	void *library, *symbol;

	REQUIRE(file && fwrite(bytes, size, 1, file) == 1 && !fclose(file));
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		CHECK_FAIL("%s", dlerror());
	symbol = library ? dlsym(library, name) : NULL;
	if (library)
		dlclose(library);
	remove(path);
	return symbol;
}

TEST(a_core_library_is_loaded_once_for_all_runs)
{
	const char *path = check_fmt("%s/build/lib/libcpu_sim_context.so", ascend_example_fakes());
	void *bytes, *first;
	size_t size = 0;

	REQUIRE_INT(ascend_filter_object_make(&bytes, &size, path, &error), PTOWSP_OK);
	REQUIRE(bytes != NULL);
	first = symbol_of_a_copy(bytes, size, "simpler_host_log_bind_state");
	CHECK(first != NULL);
	CHECK(symbol_of_a_copy(bytes, size, "simpler_host_log_bind_state") == first);
	free(bytes);
	CHECK_INT(ascend_filter_object_make(&bytes, &size, check_fmt("%s/tests/ascend/test_ascend_client.c", check_root()), &error), PTOWSP_OK);
	CHECK(bytes == NULL);
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

TEST(deadline_and_cancel_end_a_run)
{
	struct watch watch = {0};
	uint32_t cancel = 0;
	struct ascend_patience patience = {&cancel, 5, watch_now, &watch, watch_stop};
	struct ascend_example *example;

	ASCEND_EXAMPLE_NEEDS_COMPILERS();
	setenv("FAKE_POLLS", "1000", 1);
	example = ascend_example_open(ascend_example_fakes(), ASCEND_TASK_BUFFER);
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
	ascend_example_close(example);
}
