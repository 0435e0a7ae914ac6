/* SPDX-License-Identifier: MIT */
/* What the client of libhost_runtime.so tells when something goes wrong, on the fake one of tests/fakes: other generations, missing files, faults of each kind. */
#include "ascend/engine/fault.h"
#include "tests/ascend/ascend_example.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct ptowsp_error error;

static void refused(const char *folder, ptowsp_status status, const char *text)
{
	const struct ascend_which which = {folder, "a2a3", ASCEND_TASK_BUFFER, false};
	struct ascend_client *client;

	CHECK_INT(ascend_client_open(&client, &which, 0, &error), status);
	CHECK_STR(error.text, text);
	CHECK(!client);
}

TEST(other_generations_are_refused_by_name)
{
	refused(check_fmt("%s/fakes/other_1", check_build()), PTOWSP_UNSUPPORTED,
		"libhost_runtime.so of runtime=DIR has generation 1 (launch_runtime, January 2026); engine=pto-runtime needs generation 4 (simpler_launch_run, "
		"August 2026): "
		"build it from sources of that time");
	refused(check_fmt("%s/fakes/other_2", check_build()), PTOWSP_UNSUPPORTED,
		"libhost_runtime.so of runtime=DIR has generation 2 or 3 (run_runtime, April 2026); engine=pto-runtime needs generation 4 (simpler_launch_run, "
		"August 2026): "
		"build it from sources of that time");
	refused(check_fmt("%s/fakes/other_3", check_build()), PTOWSP_UNSUPPORTED,
		"libhost_runtime.so of runtime=DIR has no pto-runtime interface; engine=pto-runtime needs generation 4 (simpler_launch_run, August 2026): "
		"build it from sources of that time");
	refused(check_fmt("%s/fakes/other_4", check_build()), PTOWSP_UNSUPPORTED,
		"libhost_runtime.so of runtime=DIR is of generation 4 but has no get_pipeline_contract: it is of another month; rebuild the runtime");
	refused(check_fmt("%s/fakes/other_5", check_build()), PTOWSP_UNSUPPORTED,
		"libhost_runtime.so of runtime=DIR has a pipeline contract of version 2, depth 1, 0 resources; needed: version 1, depth 1 to 2");
}

TEST(missing_files_are_named)
{
	const struct ascend_which no_variant = {"/", "a2a3", "aicpu_build_graph", false};
	struct ascend_files files;

	refused("/nowhere", PTOWSP_NO_DEVICE,
		"engine=pto-runtime: runtime=/nowhere cannot be opened: No such file or directory; name the folder of a pto-runtime");
	refused("/", PTOWSP_NO_DEVICE,
		"engine=pto-runtime needs build/lib/a2a3/sim/tensormap_and_ringbuffer/libhost_runtime.so below runtime=DIR: No such file or directory; build "
		"the runtime there");
	CHECK_INT(ascend_files_find(&files, &no_variant, &error), PTOWSP_INVALID);
	CHECK_STR(error.text, "variant=aicpu_build_graph: there are host_build_graph and tensormap_and_ringbuffer");
}

TEST(phases_that_fail_are_told)
{
	struct ascend_which which = {NULL, "a2a3", ASCEND_TASK_BUFFER, false};
	struct ascend_client *client;

	which.root = ascend_example_fakes();
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
TEST(every_fault_is_mapped)
{
	static const struct {
		int code;
		ptowsp_status status;
		const char *name, *remedy;
	} faults[] = {
#define X(code, name, status, remedy) {code, PTOWSP_##status, #name, remedy},
#include "ascend/engine/fault.def"
#undef X
	};
	static const struct {
		int code;
		const char *name, *detail;
	} told[] = {
#define X(code, name, detail) {code, #name, detail},
#include "tests/fakes/fake_faults.def"
#undef X
	};
	struct ascend_example *example;
	size_t count = 0;

	ASCEND_EXAMPLE_NEEDS_COMPILERS();
	example = ascend_example_open(ascend_example_fakes(), ASCEND_TASK_BUFFER);
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
		if (faults[i].code == 6)
			continue; /* the host graph's name of 4 that nothing reports any more */
		REQUIRE(count < sizeof(told) / sizeof(*told));
		CHECK_INT(told[count].code, faults[i].code);
		CHECK_STR(told[count].name, faults[i].name);
		setenv("FAKE_FAULT", check_fmt("wait:%d", faults[i].code), 1);
		CHECK_INT(ascend_example_run(example, &error), faults[i].status);
		CHECK_STR(error.text, check_fmt("the pto-runtime reports %s: %s; %s", faults[i].name, told[count].detail, faults[i].remedy));
		CHECK_INT(error.native, -faults[i].code);
		count++;
	}
	CHECK_UINT(count, sizeof(told) / sizeof(*told));
	unsetenv("FAKE_FAULT");
	CHECK_INT(ascend_example_run(example, &error), PTOWSP_OK);
	ascend_example_close(example);
}

/* The classes of a scheduler's timeout, as the runtime writes them. */
TEST(every_class_of_a_timeout_is_mapped)
{
	static const struct {
		const char *class;
		ptowsp_status status;
	} rows[] = {{"S1:running-stalled", PTOWSP_DEADLINE},
		    {"S3:ready-idle", PTOWSP_DEVICE_LOST},
		    {"S4:dep-deadlock", PTOWSP_DEADLOCK},
		    {"S5:orch-starvation", PTOWSP_DEVICE_LOST},
		    {"other", PTOWSP_DEVICE_LOST}};
	struct ascend_example *example;

	ASCEND_EXAMPLE_NEEDS_COMPILERS();
	example = ascend_example_open(ascend_example_fakes(), ASCEND_TASK_BUFFER);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		setenv("FAKE_FAULT", check_fmt("wait:100:%s", rows[i].class), 1);
		CHECK_INT(ascend_example_run(example, &error), rows[i].status);
		CHECK_STR(error.text, check_fmt("the pto-runtime reports SCHEDULER_TIMEOUT, %s: no task has ended for ten seconds; set "
						"SIMPLER_SCHEDULER_TIMEOUT_MS to tell a slow "
						"kernel from one that does not end",
						rows[i].class));
	}
	unsetenv("FAKE_FAULT");
	CHECK_INT(ascend_example_run(example, &error), PTOWSP_OK);
	ascend_example_close(example);
}

/* Whichever call of a run fails, and however: what was prepared is finalized, the next run is a good one, nothing is done that the runtime minds. */
TEST(every_call_may_fail_and_the_next_run_is_good)
{
	static const struct {
		const char *phase, *call;
	} phases[] = {{"prepare", "simpler_prepare_run"}, {"launch", "simpler_launch_run"}, {"wait", "simpler_wait_run"}, {"finalize", "simpler_finalize_run"}};
	static const int codes[] = {-1, -2, -3, 1, 2, 104};
	struct ascend_example *example;
	char path[1100], *log;

	ASCEND_EXAMPLE_NEEDS_COMPILERS();
	snprintf(path, sizeof(path), "%s/log", check_tmp());
	setenv("FAKE_LOG", path, 1);
	example = ascend_example_open(ascend_example_fakes(), ASCEND_TASK_BUFFER);
	for (size_t p = 0; p < sizeof(phases) / sizeof(*phases); p++)
		for (size_t c = 0; c < sizeof(codes) / sizeof(*codes); c++) {
			setenv("FAKE_FAULT", check_fmt("%s:%d", phases[p].phase, codes[c]), 1);
			CHECK(ascend_example_run(example, &error) != PTOWSP_OK);
			CHECK_INT(error.native, codes[c] < 0 ? codes[c] : -codes[c]);
			CHECK_CONTAINS(error.text, codes[c] < 0 ? phases[p].call : "the pto-runtime reports ");
			unsetenv("FAKE_FAULT");
			CHECK_INT(ascend_example_run(example, &error), PTOWSP_OK);
		}
	log = ascend_example_log(example, path);
	CHECK(strstr(log, "destroy_device_context") != NULL);
	free(log);
}

TEST(timeouts_count_by_their_class)
{
	char text[400];

	snprintf(text, sizeof(text),
		 "[ERROR] x: sched_error_code=100\n[ERROR] x: error detail: y=100 SCHEDULER_TIMEOUT - no progress\n[ERROR] x: sub_class=S1:a\n");
	CHECK_INT(ascend_fault(ASCEND_PHASE_WAIT, -100, text, &error), PTOWSP_DEADLINE);
	CHECK_STR(error.text, "the pto-runtime reports SCHEDULER_TIMEOUT, S1:a: no progress; set SIMPLER_SCHEDULER_TIMEOUT_MS to tell a slow kernel from one "
			      "that does not end");
	strstr(text, "S1:a")[1] = '4';
	CHECK_INT(ascend_fault(ASCEND_PHASE_WAIT, -100, text, &error), PTOWSP_DEADLOCK);
	strstr(text, "S4:a")[1] = '3';
	CHECK_INT(ascend_fault(ASCEND_PHASE_WAIT, -100, text, &error), PTOWSP_DEVICE_LOST);
}

/* -1 and -3 are faults only where the runtime says so. */
TEST(small_codes_are_faults_where_they_are_told)
{
	CHECK_INT(ascend_fault(ASCEND_PHASE_PREPARE, -1, "", &error), PTOWSP_RUN_FAILED);
	CHECK_STR(error.text, "simpler_prepare_run of the pto-runtime answers -1: it wrote nothing about it");
	CHECK_INT(ascend_fault(ASCEND_PHASE_PREPARE, -3, "[a][ERROR] b: orch_error_code=3 sched_error_code=0\n", &error), PTOWSP_DEADLOCK);
	CHECK_INT(ascend_fault(ASCEND_PHASE_WAIT, -104, "", &error), PTOWSP_TOO_SMALL);
}

/* No sentence ends in the middle of a word: as many clauses as there is room for. */
TEST(long_sentences_end_with_a_clause)
{
	CHECK_INT(ascend_fault(
			  ASCEND_PHASE_WAIT, -1,
			  "[ERROR] a: orch_error_code=1 sched_error_code=0\n[ERROR] a: error detail: orch_error_code=1 SCOPE_DEADLOCK - tasks submitted in "
			  "one scope reached the ring task-window cap; their fanout references are only released at scope_end, so no slot can be reclaimed\n",
			  &error),
		  PTOWSP_DEADLOCK);
	CHECK_STR(error.text,
		  "the pto-runtime reports SCOPE_DEADLOCK: tasks submitted in one scope reached the ring task-window cap; their fanout references are only "
		  "released at scope_end; raise --schedule task_window, or split the scope");
	CHECK_INT(ascend_fault(ASCEND_PHASE_WAIT, -11,
			       "[ERROR] a: orch_error_code=11 sched_error_code=0\n[ERROR] a: error detail: x - the tensormap could not reserve the entries "
			       "required to register another task's outputs and whatever else would have had to be said here about it\n",
			       &error),
		  PTOWSP_TOO_SMALL);
	CHECK_STR(error.text, "the pto-runtime reports TENSORMAP_OVERFLOW: the tensormap could not reserve the entries required to register another task's "
			      "outputs and whatever "
			      "else would have had to be said; divide the run, or use smaller scopes");
}

TEST(files_that_cannot_be_read_say_why)
{
	void *bytes;
	size_t size;

	CHECK_INT(ascend_file_read("/nowhere/at/all", &bytes, &size, &error), PTOWSP_IO);
	CHECK_STR(error.text, "/nowhere/at/all cannot be read: No such file or directory");
	CHECK_INT(ascend_file_read("/", &bytes, &size, &error), PTOWSP_IO);
	CHECK(!bytes && !size);
}

TEST(scope_that_fills_the_window_is_a_deadlock)
{
	struct ascend_example *example;

	ASCEND_EXAMPLE_NEEDS_COMPILERS();
	example = ascend_example_open(ascend_example_fakes(), ASCEND_TASK_BUFFER);
	for (int ring = 0; ring < ASCEND_RINGS; ring++)
		example->config.task_window[ring] = 4;
	CHECK_INT(ascend_example_run(example, &error), PTOWSP_DEADLOCK);
	CHECK(strstr(error.text, "SCOPE_DEADLOCK") && strstr(error.text, "--schedule task_window"));
	ascend_example_close(example);
}

TEST(host_graph_that_fills_the_window_is_told)
{
	struct ascend_example *example;

	ASCEND_EXAMPLE_NEEDS_COMPILERS();
	example = ascend_example_open(ascend_example_fakes(), ASCEND_HOST_GRAPH);
	for (int ring = 0; ring < ASCEND_RINGS; ring++)
		example->config.task_window[ring] = 4;
	CHECK_INT(ascend_example_run(example, &error), PTOWSP_DEADLOCK);
	CHECK(strstr(error.text, "FLOW_CONTROL_DEADLOCK") != NULL);
	CHECK_UINT(example->calls, 0);
	ascend_example_close(example);
}
