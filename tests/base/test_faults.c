/* SPDX-License-Identifier: MIT
 * test_faults.c - running out of memory anywhere between opening a package and closing the backend; tests/faults does it. */
#include "ptowsp/note.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

/* Each try loads a plugin, which takes long under a sanitizer: one allocation in two fails, there one in sixteen, all of them with --long. */
static unsigned every(void)
{
	return getenv("PTOWSP_TEST_LONG") ? 1 : PTOWSP_SANITIZER ? 16 : 2;
}

/* The name of the test is that of a program of tests/faults/main.c. */
static void each_allocation_fails_in_turn(void)
{
	const char *name = strstr(check_name(), "turn_in_") + 8;
	char *out, *err;
	int status =
		check_run(check_fmt("%s/obj/tests/faults/faults %s/test/faults %s/packages %s %u", check_build(), check_build(), check_build(), name, every()),
			  &out, &err);

	if (status || strncmp(out, "ok ", 3))
		CHECK_FAIL("exit %d: %s%s", status, out, err);
	free(out);
	free(err);
}

/* Which sentence says that memory ran out, by what was being done. */
TEST(memory_that_runs_out_is_told_by_what_needed_it)
{
	static const char want[] = "code: a.pkg.zst: no memory for its code\n"
				   "code: a.pkg.zst: out of memory\n"
				   "code: a.pkg.zst: out of memory for GRPH\n"
				   "code: a.pkg.zst: out of memory for SHA-256\n"
				   "code: a.pkg.zst: out of memory for the N bytes of section S\n"
				   "code: out of memory for SHA-256\n"
				   "compile: new package: out of memory\n"
				   "compile: new package: out of memory for GRPH\n"
				   "compile: new package: out of memory for SHA-256\n"
				   "compile: new package: out of memory for the N bytes of section S\n"
				   "compile: no memory to compile test.pto\n"
				   "compile: out of memory for SHA-256\n"
				   "compile: out of memory for the package\n"
				   "compile: there is no writer\n"
				   "compile: zstd cannot pack a section: Allocation error : not enough memory\n"
				   "cut: source.pto changed while it was read\n"
				   "image: a.pkg.zst: out of memory\n"
				   "image: a.pkg.zst: out of memory for the N bytes of section S\n"
				   "image: out of memory for SHA-256\n"
				   "image: out of memory for the package\n"
				   "image: zstd cannot pack a section: Allocation error : not enough memory\n"
				   "json: a.json: out of memory\n"
				   "json: new package: out of memory\n"
				   "json: new package: out of memory for GRPH\n"
				   "json: new package: out of memory for SHA-256\n"
				   "json: new package: out of memory for table AXES\n"
				   "json: new package: out of memory for the N bytes of section S\n"
				   "json: out of memory for SHA-256\n"
				   "json: out of memory for the package\n"
				   "json: there is no writer\n"
				   "json: zstd cannot pack a section: Allocation error : not enough memory\n"
				   "kernels: no memory for the kernel registry\n"
				   "load: no memory to read source.pto\n"
				   "numbers: x.npy cannot be mapped: Cannot allocate memory\n"
				   "open: a.pkg.zst: out of memory\n"
				   "open: a.pkg.zst: out of memory for GRPH\n"
				   "open: a.pkg.zst: out of memory for SHA-256\n"
				   "open: a.pkg.zst: out of memory for table AXES\n"
				   "open: a.pkg.zst: out of memory for the N bytes of section S\n"
				   "open: channels: out of memory for its JSON form\n"
				   "open: flow: out of memory for its JSON form\n"
				   "open: graphs: out of memory for its JSON form\n"
				   "open: out of memory for SHA-256\n"
				   "open: vector_add: out of memory for its JSON form\n"
				   "plain: a.pkg.zst: out of memory\n"
				   "plain: a.pkg.zst: out of memory for GRPH\n"
				   "plain: a.pkg.zst: out of memory for SHA-256\n"
				   "plain: a.pkg.zst: out of memory for the N bytes of section S\n"
				   "plain: new package: out of memory\n"
				   "plain: new package: out of memory for GRPH\n"
				   "plain: new package: out of memory for SHA-256\n"
				   "plain: new package: out of memory for the N bytes of section S\n"
				   "plain: out of memory for SHA-256\n"
				   "plain: out of memory for the package\n"
				   "plain: zstd cannot pack a section: Allocation error : not enough memory\n"
				   "schedule: no memory for an expression\n"
				   "schedule: no memory for the schedule\n"
				   "unknown name: no memory for an expression\n";
	char *out, *err;
	int status = check_run(check_fmt("%s/obj/tests/faults/faults_texts %s %s/packages", check_build(), check_tmp(), check_build()), &out, &err);

	CHECK_INT(status, 0);
	CHECK_STR(out, want);
	CHECK_STR(err, "");
	free(out);
	free(err);
}

void suite_faults(CU_pSuite s)
{
	static const char *const names[] = {
		"softmax",
		"softmax_two_threads",
		"llama_layer_without_kernels",
		"exact_raw_pools_streams",
		"slots_and_loads",
		"a_deadlock",
		"a_kernel_that_fails",
		"no_such_entry",
		"processes",
		"processes_two_threads",
		"versions",
		"versions_without_bound",
		"rows_from_tensors",
		"stated_edges",
		"memory_that_is_given_back",
		"built_first",
		"choosing_an_axis",
		"branches_in_turn",
		"several_instances",
		"several_instances_with_small_rings",
		"several_instances_that_generate_first",
		"several_instances_in_a_deadlock",
		"payload",
		"payload_two_threads",
		"races_between_processes",
		"a_graph_with_a_checkpoint",
		"a_graph_with_branches",
		"two_devices",
		"two_devices_that_fail",
		"an_array",
		"an_array_in_phases",
		"an_array_for_processes",
		"a_machine",
		"a_machine_for_processes",
		"tasks_from_c_safe",
		"tasks_from_c_pipelined",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		check_add(s, check_fmt("each_allocation_fails_in_turn_in_%s", names[i]), each_allocation_fails_in_turn);
}
