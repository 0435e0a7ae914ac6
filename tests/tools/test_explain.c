/* SPDX-License-Identifier: MIT
 * test_explain.c - a run and its --explain: the same exit code and the same sentence for everything that is known before a run begins, and nothing is left behind. */
#include "tests/contract/cli.h"

#include <stdlib.h>
#include <string.h>

#define SCALE "$K/scale.pkg.zst"
#define BOTH  "--device=cpu0,cpu1 $P/two_devices.pkg.zst"

#define LEFT  " this machine has " /* and then a number that is another one the next moment */

/* What follows $B/ptowsp-run; status: of both. */
static const struct alike {
	const char *name, *arguments;
	int status;
	const char *says;
} rows[] = {
	{"a_second_device_that_is_needed", "$P/two_devices.pkg.zst", 2,
	 "instruction 3 (two_devices.pto:19:5): this run has one device; give it more with --device=SEL,SEL"},
	{"a_device_that_has_no_program", "--device=cpu0,cpu1,cpu1 $P/two_devices.pkg.zst", 2, "no program for device 2"},
	{"two_devices", BOTH, 0, ""},
	{"a_pool_that_no_device_has", "--schedule 'pools=custom(0 - 1)' " BOTH, 1, "task 0: pools(custom) gives pool -1"},
	{"a_dispatch_that_processes_do_not_heed", "--strict --schedule 'dispatch=custom(0, 1)' $P/csp.pkg.zst", 5,
	 "schedule directive dispatch cannot be enforced for tasks of processes: each instance of a process is an executor of its own; leave it out"},
	{"a_value_that_no_device_has", "--set nobody=1 " BOTH, 2, "\"nobody\" is unknown"},
	{"memory_for_tensors", "--max-memory 200000 $P/llama.pkg.zst", 3, "the tensors need 232448 bytes, the limit (--max-memory) is 200000"},
	{"memory_for_tensors_of_any_backend", "--plugin=auto --plugin-order aie,cpu_sim --quiet --max-memory 200000 $P/llama.pkg.zst", 3,
	 "the tensors need 232448 bytes"},
	{"memory_without_kernels", "--no-kernels --max-memory 200000 $P/llama.pkg.zst", 0, ""},
	{"memory_for_tiles", "--threads 64 --max-memory 10000 counted.pkg.zst", 3, "the tiles of 64 threads need 20480 bytes"},
	{"a_tensor_beyond_all_memory", "--set n=4611686018427387904 huge.pkg.zst", 3, "tensor \"x\" is larger than 2^62 bytes"},
	{"files_of_a_backend_that_makes_none", "--emit /proc/x $P/softmax.pkg.zst", 5, "cpu_sim makes no files of a program"},
	{"files_of_a_program_nowhere", "--plugin=a2a3sim --emit /proc/x $P/vector_add.pkg.zst", 2, "the folder /proc/x cannot be made"},
	{"files_of_a_run_nowhere", "--plugin=aie --emit /proc/x $P/vector_add.pkg.zst", 2, "the folder /proc/x cannot be made"},
	{"files_where_a_file_is", "--plugin=aie --emit src.npy $P/vector_add.pkg.zst", 2, "the folder src.npy cannot be made"},
	{"an_input_that_nobody_knows", "--in scr=src.npy --set count=2 " SCALE, 2, "\"scr\" is unknown"},
	{"an_input_that_is_not_there", "--in src=nowhere.npy --set count=2 " SCALE, 2, "nowhere.npy cannot be read"},
	{"an_input_of_another_type", "--in src=wide.npy --set count=2 " SCALE, 2, "--in src: the tensor is f32, wide.npy holds f64"},
	{"an_input_of_another_shape", "--in a=src.npy shaped.pkg.zst", 2, "tensor \"a\" has shape [8, 8], but file src.npy has [128]"},
	{"an_input_that_is_too_short", "--in src=src.npy --set count=200 " SCALE, 2, "file src.npy has 128 elements, but the program touches 3200"},
	{"an_input_twice", "--in src=src.npy --fill src=ones --set count=2 " SCALE, 2, "has both --in and --fill"},
	{"a_fill_of_no_tensor", "--fill scr=ones --set count=2 " SCALE, 2, "\"scr\" is unknown"},
	{"a_fill_with_nothing_known", "--fill src=fun --set count=2 " SCALE, 2, "--fill \"fun\" is none of"},
	{"an_output_that_nobody_knows", "--in src=src.npy --set count=2 --out dts=new.npy " SCALE, 2, "\"dts\" is unknown"},
	{"an_output_into_no_folder", "--in src=src.npy --set count=2 --out dst=nowhere/new.npy " SCALE, 2, "nowhere/new.npy cannot be written"},
	{"an_output_that_is_the_package", "--in src=src.npy --set count=2 --out dst=" SCALE " " SCALE, 2, "would take the place of the package"},
	{"a_trace_into_no_folder", "--in src=src.npy --set count=2 --trace nowhere/t.json " SCALE, 2, "nowhere/t.json cannot be written"},
	{"a_graph_into_no_folder", "--in src=src.npy --set count=2 --graph nowhere/g.txt " SCALE, 2, "nowhere/g.txt cannot be written"},
	{"a_graph_of_no_kind", "--in src=src.npy --set count=2 --graph g.xyz " SCALE, 2, "graph \"g.xyz\": the name must end in"},
	{"an_expectation_of_no_tensor", "--in src=src.npy --set count=2 --expect dts=src.npy " SCALE, 2, "\"dts\" is unknown"},
	{"an_expectation_that_is_not_there", "--in src=src.npy --set count=2 --expect dst=nowhere.npy " SCALE, 2, "nowhere.npy cannot be read"},
	{"an_expectation_of_another_length", "--in a=square.npy --expect b=src.npy shaped.pkg.zst", 2,
	 "tensor \"b\" has shape [8, 8], but file src.npy has [128]"},
	{"an_expectation_beside_an_input", "--in src=src.npy --in dst=src.npy --set count=1 --expect dst=long.npy " SCALE, 2,
	 "\"dst\" has 128 elements, long.npy has 256"},
	{"a_checkpoint_of_a_program_without_one", "--in src=src.npy --set count=2 --checkpoint c.ck " SCALE, 2, "has no TG_CHECKPOINT"},
	{"a_checkpoint_that_is_none", "--restore src.npy $P/softmax.pkg.zst", 2, "has no TG_CHECKPOINT"},
	{"a_value_of_another_type", "--set total_rows=4000000000 $P/softmax.pkg.zst", 2, "is no value of type i32"},
	{"a_value_of_a_later_run", "--runs 2 --set total_rows=29,x $P/softmax.pkg.zst", 2, "\"x\" is no value of type i32"},
	{"values_of_more_runs_than_there_are", "--set total_rows=1,2 $P/softmax.pkg.zst", 2, "has 2 values for 1 run"},
	{"sample_data_that_are_too_short", "--set total_rows=100000 rows.pkg.zst", 2, "its sample data has 464 elements, but the program touches 1600000"},
	{"a_bound_divided_by_zero", "--entry quotient --set n=6 --set d=0 $K/vectors.pkg.zst", 1, "zero"},
	{"more_tasks_than_allowed", "--max-tasks 3 $P/attention_pipeline.pkg.zst", 10, "makes more than 3 tasks"},
	{"more_tasks_without_kernels", "--no-kernels --max-tasks 3 $P/softmax.pkg.zst", 10, "makes more than 3 tasks"},
	{"more_tasks_in_a_process_of_its_own", "--isolate=process --max-tasks 3 $P/csp.pkg.zst", 10, "makes more than 3 tasks"},
	{"more_tasks_in_a_later_run", "--runs 2 --set n=1,9 --max-tasks 3 counted.pkg.zst", 10, "makes more than 3 tasks"},
	{"memory_that_the_machine_lacks", "--set n=4611686018427387 huge.pkg.zst", 3, "the tensors need 147573952589676384 bytes, and" LEFT},
	{"memory_that_the_machine_lacks_for_an_array", "--plugin=aie large.pkg.zst", 3, "the tensors need 400000000000 bytes, and" LEFT},
	{"memory_that_is_allowed_and_not_there", "--max-memory 18446744073709551615 --set n=4611686018427387 huge.pkg.zst", 1,
	 "no memory for tensor \"x\" (147573952589676384 bytes)"},
	{"memory_for_a_design_that_is_run_twice", "--plugin=aie --isolate=process --max-memory 9000000000000 large.pkg.zst", 3,
	 "no memory to run a design twice, for which the tensors that it writes are copied twice: 800000000000 bytes"},
	{"a_part_beyond_its_tensor", "--set n=100 --set o=1 counted.pkg.zst", 1, "touches 8 x 8 elements at 1, 0 of tensor x"},
	{"a_kernel_that_nothing_serves", "unserved.pkg.zst", 1, "task 1 cannot run: kernel nowhere (unserved.pto:7): no payload for cpu_sim"},
	{"a_kernel_that_nothing_serves_on_an_array", "--plugin=aie unserved.pkg.zst", 1,
	 "task 1 cannot run: kernel nowhere (unserved.pto:7): no payload for aie"},
	{"a_kernel_that_nothing_serves_elsewhere", "--isolate=process --plugin=a2a3sim unserved.pkg.zst", 1,
	 "task 1 cannot run: kernel nowhere (unserved.pto:7): no payload for a2a3sim; built in: nop, copy, fill; registered: none that an isolated plugin can "
	 "call; --isolate=none\n"},
	{"a_kernel_that_nothing_serves_and_nobody_runs", "--no-kernels unserved.pkg.zst", 0, ""},
	{"expected_data_of_another_size", "$R/tests/mutants/kept/expected_data_of_another_size.pkg.zst", 3,
	 "\"y\" has 4096 elements, the package's expected data of it have 2048; pack expected data"},
	{"memory_for_the_plan_of_what_no_core_has_memory_for", "--plugin=aie --max-memory 700000 $P/flash_attention.pkg.zst", 3,
	 "the limit (--max-memory) of 700000"},
	{"blocks_of_channels", "--max-memory 300000000 $R/tests/mutants/kept/channel_of_many_blocks.pkg.zst", 3,
	 "the blocks of payload channels up to c need 4294967296 bytes, the limit is 300000000"},
	{"blocks_of_channels_without_kernels", "--no-kernels --max-memory 300000000 $R/tests/mutants/kept/channel_of_many_blocks.pkg.zst", 0, ""},
	{"a_window_that_a_scope_fills", "--schedule task_window=2 scope.pkg.zst", 7, "task_window=3"},
	{"all_of_it", "--in src=src.npy --set count=2 --out dst=new.npy --trace t.json --graph g.txt --stats " SCALE, 0, ""},
	{"all_files_of_a_design", "--plugin=aie --emit design $P/vector_add.pkg.zst", 0, ""},
};

static void files_make(void)
{
	static const double wide[128];
	static const float square[64];

	cli_npy_f32("src.npy", 128, 1, 1);
	cli_npy_f32("long.npy", 256, 1, 1);
	cli_npy_f32("x.npy", 464, 1, 1);
	REQUIRE_INT(cli("$B/ptowsp-pack --data x=x.npy $R/tests/fuzz/source/softmax.pto -o rows.pkg.zst"), 0);
	cli_npy("wide.npy", "<f8", "128,", wide, sizeof(wide));
	cli_npy("square.npy", "<f4", "8, 8", square, sizeof(square));
	REQUIRE_INT(cli("cat >huge.pto <<'END'\nsymbol %n : u64 = 8\ntensor %x : f32[%n, 8] inout\nfunc @one(%x: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile "
			": !pto.tile<8x8xf32>\n"
			"  %t = tload %x[0, 0]\n  tstore %t, %x[0, 0]\n}\nworkload @main {\n call @one(%x -> %x[0, 0])\n}\nEND\n$B/ptowsp-pack huge.pto -o "
			"huge.pkg.zst"),
		    0);
	REQUIRE_INT(cli("cat >large.pto <<'END'\ntensor %x : f32[2000000000, 50] inout\nfunc @one(%x: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : "
			"!pto.tile<8x8xf32>\n"
			"  %t = tload %x[0, 0]\n  tstore %t, %x[0, 0]\n}\nworkload @main {\n call @one(%x -> %x[0, 0])\n}\nEND\n$B/ptowsp-pack large.pto -o "
			"large.pkg.zst"),
		    0);
	REQUIRE_INT(
		cli("cat >counted.pto <<'END'\nsymbol %n : i64 = 2\nsymbol %o : i64 = 0\ntensor %x : f32[8, 8] inout\nfunc @one(%x: !pto.memref<gm,...,f32>) "
		    "{\n"
		    "  %t = alloc_tile : !pto.tile<8x8xf32>\n  %t = tload %x[0, 0]\n  tstore %t, %x[0, 0]\n}\nworkload @main {\n parallel_for %i in 0 to %n {\n"
		    "  call @one(%x -> %x[%o * %i, 0])\n }\n}\nEND\n$B/ptowsp-pack counted.pto -o counted.pkg.zst"),
		0);
	REQUIRE_INT(
		cli("cat >scope.pto <<'END'\ntensor %x : f32[8, 8] inout\nfunc @one(%x: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<8x8xf32>\n"
		    "  %t = tload %x[0, 0]\n  tstore %t, %x[0, 0]\n}\nworkload @main {\n scope {\n  parallel_for %i in 0 to 3 {\n   call @one(%x -> %x[0, "
		    "0])\n  }\n }\n}\nEND\n"
		    "$B/ptowsp-pack scope.pto -o scope.pkg.zst"),
		0);
	REQUIRE_INT(
		cli("cat >unserved.pto <<'END'\ntensor %x : f32[8, 8] inout\nfunc @one(%x: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<8x8xf32>\n"
		    "  %t = tload %x[0, 0]\n  tstore %t, %x[0, 0]\n}\nkernel @nowhere(%x: f32[8, 8] inout)\nworkload @main {\n call @one(%x -> %x[0, 0])\n "
		    "call @nowhere(%x -> %x[0, 0])\n}\nEND\n"
		    "$B/ptowsp-pack unserved.pto -o unserved.pkg.zst"),
		0);
	REQUIRE_INT(cli("cat >shaped.pto <<'END'\ntensor %a : f32[8, 8] in\ntensor %b : f32[8, 8] out\nfunc @one(%a: !pto.memref<gm,...,f32>, %b: "
			"!pto.memref<gm,...,f32>) {\n"
			"  %t = alloc_tile : !pto.tile<8x8xf32>\n  %t = tload %a[0, 0]\n  tstore %t, %b[0, 0]\n}\nworkload @main {\n call @one(%a -> %a[0, 0], "
			"%b -> %b[0, 0])\n}\nEND\n"
			"$B/ptowsp-pack shaped.pto -o shaped.pkg.zst"),
		    0);
}

static char *sentence_copy(void)
{
	const char *left = strstr(cli_err, LEFT);
	char *copy = strdup(cli_err);

	REQUIRE(copy != NULL);
	if (left)
		copy[left - cli_err] = '\0';
	return copy;
}

/* The test's name is a row. --explain first: what it leaves would be seen, and what the run writes is not there yet. */
static void a_row(void)
{
	const struct alike *row = CHECK_ROW(rows);
	char *before, *after, *sentence, *again;

	if (cli_slow() && strcmp(row->name, "memory_for_a_design_that_is_run_twice") == 0)
		CHECK_SKIP("sanitizers end a program that asks for so much");
	cli_begin();
	files_make();
	before = cli_listing();
	CHECK_INT(cli(check_fmt("$B/ptowsp-run --explain %s", row->arguments)), row->status);
	after = cli_listing();
	CHECK_STR(after, before);
	CHECK_CONTAINS(cli_err, row->says);
	if (!row->status)
		CHECK_CONTAINS(cli_out, "\nload: the backend takes it; no kernel was run: ");
	sentence = sentence_copy();
	CHECK_INT(cli(check_fmt("$B/ptowsp-run %s", row->arguments)), row->status);
	again = sentence_copy();
	if (row->status)
		CHECK_STR(again, sentence);
	free(again);
	free(sentence);
	free(before);
	free(after);
}

/* A backend that enforces a directive may meet it below that in a program, and says so when it loads it. */
TEST(verdicts_are_those_of_the_program)
{
	static const char *const processes[] = {"dispatch=round_robin(3)", "spatial_map=2,2", "batch_deps=4", "timing=batched(4)", "start=threshold(5)"};

	for (size_t i = 0; i < sizeof(processes) / sizeof(*processes); i++) {
		CLI_OUT(0, check_fmt("$B/ptowsp-run --explain --schedule '%s' $P/csp.pkg.zst", processes[i]), "recorded: schedule directive",
			"is recorded, not enforced, for tasks of processes: ");
		CLI_ERR(5, check_fmt("$B/ptowsp-run --strict --schedule '%s' $P/csp.pkg.zst", processes[i]), "cannot be enforced for tasks of processes: ");
		cli_check_sentence();
		CHECK_INT(cli(check_fmt("$B/ptowsp-run --strict --schedule '%s' $P/vector_add.pkg.zst", processes[i])), 0);
	}
	CLI_OUT(0, "$B/ptowsp-run --explain --schedule start=after_orchestration --schedule task_window=100 $P/vector_add.pkg.zst | tr -s ' '",
		"task_window=100 recorded: the whole graph is built before anything runs");
	CLI_OUT(0, "$B/ptowsp-run --explain --schedule 'dispatch=threshold(task, round_robin(2), 5: hash(task * 3, 4))' $P/vector_add.pkg.zst",
		"dispatch=threshold(task,round_robin(2),5,hash(task * 3,4))  enforced");
	REQUIRE_INT(cli("$B/ptowsp-run --explain " BOTH), 0);
	CHECK(!strstr(cli_out, "not known"));
}

/* Values that are still to be given are what it is asked for. */
TEST(values_to_be_given_are_shown)
{
	CLI_OUT(0, "$B/ptowsp-run --explain " SCALE, "must be set: --set count=VALUE",
		"\nload: the backend takes it; how its run ends is not known: \"count\" ");
	CLI_OUT(0, "$B/ptowsp-run --explain --set count=2 " SCALE, "\nload: the backend takes it; no kernel was run: ");
}

/* How many bytes it says depends on when it looks; below the design's size neither keeps the limit. */
TEST(memory_for_a_design_is_counted)
{
	static const char *const how[] = {"", "--explain"};

	if (cli_slow())
		CHECK_SKIP("sanitizers take memory of their own");
	cli_begin();
	for (size_t i = 0; i < sizeof(how) / sizeof(*how); i++) {
		CHECK_INT(cli(check_fmt("$B/ptowsp-run %s --plugin=aie --isolate=none --max-memory 500000 $P/dynamic_softmax.pkg.zst", how[i])), 3);
		CHECK_CONTAINS(cli_err, "the limit (--max-memory)");
		CHECK_INT(cli(check_fmt("$B/ptowsp-run %s --plugin=aie --isolate=none --max-memory 2000000 $P/dynamic_softmax.pkg.zst", how[i])), 0);
	}
}

/* How much that is depends on threads, too. */
TEST(memory_for_tasks_is_counted)
{
	cli_begin();
	files_make();
	CLI_ERR(3, "$B/ptowsp-run --set n=100000 --max-memory 100000 counted.pkg.zst", "the run holds ");
	CLI_ERR(3, "$B/ptowsp-run --explain --set n=100000 --max-memory 100000 counted.pkg.zst", "the run holds ");
}

/* Which tasks there are is not known of all. */
TEST(tasks_that_cannot_be_known_are_said_to_be)
{
	cli_begin();
	files_make();
	CLI_OUT(0, "$B/ptowsp-run --explain --timeout-ms 100 --set n=100000000000 counted.pkg.zst",
		"\nload: the backend takes it; how its run ends is not known: its tasks could not be counted in 100 ms (--timeout-ms gives more)\n");
	CLI_OUT(0, "$B/ptowsp-run --explain --max-tasks 1 $P/paged_attention.pkg.zst",
		"\nload: the backend takes it; how its run ends is not known: data of tensors decide which tasks there are, and only a run has them\n");
}

/* The page is there although the run would be refused. */
TEST(a_refusal_is_explained)
{
	CHECK_INT(cli("$B/ptowsp-run --explain --json --max-memory 200000 $P/llama.pkg.zst"), 3);
	CHECK_INT(cli_int(cli_json(), "load.exit"), 3);
	CHECK_STR(cli_text(cli_json(), "load.status"), "TOO_BIG");
	CHECK_CONTAINS(cli_text(cli_json(), "load.text"), "the tensors need 232448 bytes");
	CHECK_STR(cli_text(cli_json(), "plugin"), "cpu_sim");
}

void suite_explain(CU_pSuite s)
{
	CHECK_ROWS(s, rows, a_row);
}
