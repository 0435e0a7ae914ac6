/* SPDX-License-Identifier: MIT
 * test_pto_engine.c - packages on the pto-runtime engine, with the fake runtime of tests/fakes; where PTO_RUNTIME_DIR names a real one, with that, too. */
#include "ascend/plan/plan_window.h"
#include "ptowsp/base.h"
#include "tests/contract/cli.h"
#include "tests/tools/example_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const variants[] = {"tensormap_and_ringbuffer", "host_build_graph"};

/* What the engine refuses, and says so: several devices. */
static const char *const refused[] = {"two_devices"};

static bool has_compilers(void)
{
	return !check_run("g++ --version && gcc --version", NULL, NULL);
}
#define NEED_COMPILERS()                                                                                                                                       \
	do {                                                                                                                                                   \
		if (!has_compilers())                                                                                                                          \
			CHECK_SKIP("there is no g++ and gcc to compile the orchestration with");                                                               \
	} while (0)

static const char *engine(const char *runtime, const char *variant)
{
	return check_fmt("--plugin a2a3sim --opt engine=pto-runtime --opt runtime=%s --opt variant=%s --opt cache=%s/test/ascend_cache", runtime, variant,
			 check_build());
}

static const char *fake(int variant)
{
	return engine(check_fmt("%s/fakes/simpler", check_build()), variants[variant]);
}

static bool is_refused(const struct example_row *row)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		if (!strcmp(refused[i], row->name))
			return true;
	return row->name != row->package; /* large ones lie in a folder */
}

/* ---- examples -------------------------------------------------------------------------------------------------------- */

/* The fake minds how it is used, and picks another order among ready tasks with each seed. */
static void run_example(void)
{
	const struct example_row *row = example_row_of(check_name());

	REQUIRE(row != NULL);
	NEED_COMPILERS();
	cli_begin();
	for (int variant = 0; variant < 2; variant++) {
		setenv("FAKE_SEED", variant ? "7" : "99", 1);
		example_run(row, check_fmt("$P/%s.pkg.zst", row->package), check_fmt("%s --threads 2 --runs 2", fake(variant)), 2);
	}
	unsetenv("FAKE_SEED");
}

static void run_real(void)
{
	const char *runtime = getenv("PTO_RUNTIME_DIR");

	if (!runtime)
		CHECK_SKIP("PTO_RUNTIME_DIR names no pto-runtime");
	NEED_COMPILERS();
	cli_begin();
	for (size_t i = 0; i < example_count; i++)
		for (int variant = 0; !is_refused(&example_rows[i]) && variant < 2; variant++)
			example_run(&example_rows[i], check_fmt("$P/%s.pkg.zst", example_rows[i].package), engine(runtime, variants[variant]), 1);
}

TEST(nothing_is_wrong_or_left_in_the_runtime)
{
	char *log;

	NEED_COMPILERS();
	for (int variant = 0; variant < 2; variant++) {
		CHECK_INT(cli(check_fmt("FAKE_LOG=$T/log $B/ptowsp-run %s --runs 3 $P/vector_example.pkg.zst", fake(variant))), 0);
		REQUIRE_INT(cli("cat $T/log"), 0);
		log = cli_out;
		CHECK(!strstr(log, "WRONG"));
		CHECK(strstr(log, "finalize_device") && strstr(log, "destroy_device_context"));
	}
}

TEST(verbose_tells_what_the_runtime_takes)
{
	NEED_COMPILERS();
	for (int variant = 0; variant < 2; variant++) {
		CLI_ERR(0, check_fmt("$B/ptowsp-run -v %s $P/vector_example.pkg.zst", fake(variant)), "pto-runtime: ", " ms to prepare the run, ");
	}
}

/* In one sentence each, and the rows say so. */
TEST(refusals_are_named)
{
	static const struct {
		const char *package, *device, *said, *row;
	} rows[] = {
		{"two_devices", "--device=950-0,950-1",
		 "opcode notify is unsupported on a2a3sim: it has no way for that with its options as they are; take others, another backend or engine",
		 "  notify                               unsupported"},
	};

	NEED_COMPILERS();
	cli_begin();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (int variant = 0; variant < 2; variant++) {
			CLI_ERR(5, check_fmt("$B/ptowsp-run --quiet %s %s $P/%s.pkg.zst", fake(variant), rows[i].device, rows[i].package), rows[i].said);
			cli_check_sentence();
			CLI_OUT(0, check_fmt("$B/ptowsp-run --capabilities %s", fake(variant)), rows[i].row);
		}
	CHECK_INT(cli(check_fmt("$B/ptowsp-run %s $P/vector_example.pkg.zst", "--plugin a2a3sim --opt engine=pto-runtime")), 8);
	CHECK(strstr(cli_err, "engine=pto-runtime needs --opt runtime=DIR, the folder of a pto-runtime that was built in place"));
}

/* ---- windows and queues ------------------------------------------------------------------------------------------------ */

#define TOUCH                                                                                                                                                  \
	"func @touch(%a: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<1x16xf32>\n  %t = tload %a[0, 0]\n  %t = tadds %t, 1.0\n  tstore %t, "      \
	"%a[0, 0]\n  return\n}\n"

static void pack(const char *name, const char *source);

/* A full ring is a deadlock to the runtime after half a second, so a narrow window is kept without one. */
TEST(a_narrow_window_has_rings_of_the_usual_size)
{
	NEED_COMPILERS();
	cli_begin();
	pack("narrow", "module @m\ntensor %x : f32[64, 16] inout\n" TOUCH
		       "workload @main { parallel_for %i in 0 to 64 { call @touch(%a -> %x[%i, 0]) } }\nschedule { task_window 4 }");
	CHECK_INT(cli(check_fmt("FAKE_LOG=$T/log $B/ptowsp-run --fill x=zeros %s --stats $T/narrow.pkg.zst", fake(0))), 0);
	CLI_OUT(0, "cat $T/log", " of 16384 slots, 0 stalls");
}

/* A ring that is full is one that a slow kernel may keep full for too long. */
TEST(no_ring_is_ever_full)
{
	static const char *const windows[] = {"", "--schedule task_window=64", "--schedule task_window=5000"};

	NEED_COMPILERS();
	cli_begin();
	pack("full", "module @m\ntensor %x : f32[9000, 16] inout\ntensor %y : f32[64, 16] inout\n" TOUCH
		     "workload @main { parallel_for %i in 0 to 9000 { call @touch(%a -> %x[%i, 0]) call @touch(%a -> %y[%i % 64, 0]) } }");
	for (size_t i = 0; i < sizeof(windows) / sizeof(*windows); i++) {
		CHECK_INT(cli(check_fmt("FAKE_LOG=$T/log $B/ptowsp-run --fill x=zeros --fill y=zeros %s %s $T/full.pkg.zst", fake(0), windows[i])), 0);
		REQUIRE_INT(cli("grep -c stalls $T/log && ! grep stalls $T/log | grep -v ' 0 stalls'"), 0);
		cli("rm $T/log");
	}
}

/* Edges of bgemm are those of renamed tiles; a version's place is used again when it has to be. */
TEST(temp_tensors_are_renamed)
{
	NEED_COMPILERS();
	for (int variant = 0; variant < 2; variant++) {
		CLI_OUT(0, check_fmt("$B/ptowsp-run %s --stats=json $P/bgemm.pkg.zst", fake(variant)), "\"num_edges\": 112,");
	}
}

static const char *runtime(void)
{
	const char *real = getenv("PTO_RUNTIME_DIR");

	return real ? real : check_fmt("%s/fakes/simpler", check_build());
}

/* Of pto-runtime's own tests those that no example has; the emitted trees of them are test_ascend_tree.c's. */
TEST(scenarios_of_blocks_and_clusters_give_what_cpu_sim_gives)
{
	static const char *const scenarios[][3] = {{"mixed", "a b", "c f i j l m"}, {"spmd_multiblock", "x", "y z"}};

	NEED_COMPILERS();
	cli_begin();
	for (size_t i = 0; i < 2; i++) {
		REQUIRE_INT(
			cli(check_fmt("run() { for n in %s; do set -- \"$@\" --fill $n=iota; done; for n in %s; do set -- \"$@\" --out $n=$to.$n.npy; done; "
				      "$B/ptowsp-run --quiet \"$@\" s.pkg.zst; }\n"
				      "$B/ptowsp-pack $R/tests/ascend/scenarios/%s.pto -o s.pkg.zst && to=cpu run --plugin=cpu_sim && to=%s run %s && to=%s "
				      "run %s && "
				      "for n in %s; do cmp cpu.$n.npy %s.$n.npy && cmp cpu.$n.npy %s.$n.npy || exit 1; done",
				      scenarios[i][1], scenarios[i][2], scenarios[i][0], variants[0], engine(runtime(), variants[0]), variants[1],
				      engine(runtime(), variants[1]), scenarios[i][2], variants[0], variants[1])),
			0);
	}
}

/* Memory managers may place a version where its tensor ends; a window without elements may begin there, and is the tensor's. */
TEST(a_version_lies_right_behind_its_tensor)
{
	static float memory[32];
	static const uint32_t entries[] = {3};
	const struct ptowsp_binding binding = {.data = memory, .elements = 16, .dtype = PTOWSP_F32};
	const struct ascend_plan_rules rules = {.versions_entry = 5, .entries = entries, .bindings = &binding};
	struct ptowsp_tensor_arg arg = {.rows = 1, .columns = 16, .row_stride = 16, .column_stride = 1, .dtype = PTOWSP_F32};
	struct ascend_plan_window window;

	for (int i = 0; i < 3; i++) {
		const bool version = i == 1;

		arg.data = memory + (i ? 16 : 0);
		arg.columns = i < 2 ? 16 : 0;
		CHECK(ascend_window_of(&window, &rules, &arg));
		CHECK_INT(window.entry, version ? 5 : 3);
		CHECK_INT(window.start, version ? ((uintptr_t)arg.data - (uintptr_t)ASCEND_VERSIONS_BASE) / sizeof(*memory) : 0);
	}
}

TEST(memory_does_not_grow_with_tasks)
{
	long peak[2];

	NEED_COMPILERS();
	if (cli_slow())
		CHECK_SKIP("sanitizers keep memory that is freed");
	cli_begin();
	pack("large", "module @m\nsymbol %n : i64 = 1\ntensor %x : f32[64, 16] inout\n" TOUCH
		      "workload @main { parallel_for %i in 0 to %n { call @touch(%a -> %x[%i % 64, 0]) } }");
	for (int i = 0; i < 2; i++) {
		REQUIRE_INT(cli(check_fmt("$B/ptowsp-run --no-kernels --set n=%d --stats=json %s $T/large.pkg.zst", i ? 300000 : 30000, fake(0))), 0);
		REQUIRE(strstr(cli_out, "\"peak_rss_bytes\": ") != NULL);
		peak[i] = atol(strstr(cli_out, "\"peak_rss_bytes\": ") + strlen("\"peak_rss_bytes\": "));
	}
	CHECK(peak[1] - peak[0] < 4 << 20);
}

TEST(tasks_that_become_ready_later_are_counted_before_the_run)
{
	NEED_COMPILERS();
	cli_begin();
	pack("late", "module @m\ntensor %x : f32[9001, 16] inout\n" TOUCH
		     "workload @main { call @touch(%a -> %x[0, 0]) barrier parallel_for %i in 0 to 9000 { call @touch(%a -> %x[%i + 1, 0]) } }");
	CLI_ERR(5, check_fmt("$B/ptowsp-run --fill x=zeros %s $T/late.pkg.zst", fake(1)), "9000 vector tasks may become ready at once");
	pack("two", "module @m\ntensor %x : f32[9002, 16] inout\n" TOUCH "workload @main { %p = call @touch(%a -> %x[0, 0]) %q = call @touch(%a -> %x[1, 0])\n"
		    "parallel_for %i in 0 to 9000 { call @touch(%a -> %x[%i + 2, 0]) after %p, %q } }\nschedule { deps hybrid }");
	CLI_ERR(5, check_fmt("$B/ptowsp-run --fill x=zeros %s $T/two.pkg.zst", fake(1)), "9000 vector tasks may become ready at once");
	cli_check_sentence();
	CHECK_INT(cli(check_fmt("$B/ptowsp-run --no-kernels %s $T/late.pkg.zst", fake(0))), 0);
}

/* ---- limits ---------------------------------------------------------------------------------------------------------- */

static void pack(const char *name, const char *source)
{
	REQUIRE_INT(cli(check_fmt("cat >$T/%s.pto <<'END'\n%s\nEND\n$B/ptowsp-pack $T/%s.pto -o $T/%s.pkg.zst", name, source, name, name)), 0);
}

static const char body[] = "module @m\ntensor %x : f32[16384, 16] inout\n"
			   "func @touch(%a: !pto.memref) {\n  %t = alloc_tile : !pto.tile<1x16xf32>\n  %t = tload %a[0, 0]\n  %t = tadds %t, 1.0\n"
			   "  tstore %t, %a[0, 0]\n  return\n}\n";

static const char *tasks_of(const char *what)
{
	return check_fmt("%sworkload @main { %s }\n", body, what);
}

TEST(more_ready_tasks_than_a_queue_takes_are_told_before)
{
	NEED_COMPILERS();
	cli_begin();
	pack("ready", tasks_of("parallel_for %i in 0 to 8193 { call @touch(%a -> %x[%i, 0]) }"));
	CHECK_INT(cli(check_fmt("$B/ptowsp-run %s $T/ready.pkg.zst", fake(1))), 5);
	CHECK(strstr(
		cli_err,
		"8193 vector tasks are ready at once; host_build_graph has room for 8192 of each shape: use variant=tensormap_and_ringbuffer, or order them"));
	CHECK_INT(cli(check_fmt("$B/ptowsp-run %s $T/ready.pkg.zst", fake(0))), 0);
}

/* 17,000 tasks are more than the runtime's own window: a host graph gets a larger one, the ring gives back. */
TEST(more_tasks_than_the_window_run)
{
	NEED_COMPILERS();
	cli_begin();
	pack("many", tasks_of("parallel_for %i in 0 to 1000 { for_each %j in 0 to 17 { call @touch(%a -> %x[%i, 0]) } }"));
	for (int variant = 0; variant < 2; variant++)
		CHECK_INT(cli(check_fmt("$B/ptowsp-run %s $T/many.pkg.zst", fake(variant))), 0);
}

TEST(windows_of_every_size_run_on_the_task_buffer)
{
	NEED_COMPILERS();
	for (int window = 1; window < 20; window += 3)
		CHECK_INT(cli(check_fmt("$B/ptowsp-run %s --schedule task_window=%d $P/paged_attention.pkg.zst", fake(0), window)), 0);
}

TEST(depths_of_every_size_run)
{
	static const char *const depths[] = {"global,1", "global,3", "stream,2", "pool,16777216"};

	NEED_COMPILERS();
	cli_begin();
	for (size_t i = 0; i < sizeof(depths) / sizeof(*depths); i++)
		for (int variant = 0; variant < 2; variant++)
			CHECK_INT(cli(check_fmt("$B/ptowsp-run %s --schedule pipeline_depth=%s $P/paged_attention.pkg.zst", fake(variant), depths[i])), 0);
}

TEST(scope_that_holds_the_window_is_a_deadlock)
{
	NEED_COMPILERS();
	cli_begin();
	pack("scope", tasks_of("scope { parallel_for %i in 0 to 256 { call @touch(%a -> %x[%i, 0]) } }"));
	CHECK_INT(cli(check_fmt("$B/ptowsp-run %s --schedule task_window=16 $T/scope.pkg.zst", fake(0))), 7);
	CHECK(strstr(cli_err, "use at least --schedule task_window=17"));
	CHECK_INT(cli(check_fmt("$B/ptowsp-run %s --schedule task_window=256 $T/scope.pkg.zst", fake(0))), 0);
	CHECK_INT(cli(check_fmt("$B/ptowsp-run %s $T/scope.pkg.zst", fake(1))), 0);
}

/* With cpu_sim, and with the fake and the real runtime: what is in %x and %y. */
static void same_as_cpu_sim(const char *package, const char *options)
{
	const char *roots[] = {check_fmt("%s/fakes/simpler", check_build()), getenv("PTO_RUNTIME_DIR")};

	REQUIRE_INT(cli(check_fmt("$B/ptowsp-run --schedule dep_list=1048576 %s --fill x=iota --out y=$T/y.npy $T/%s.pkg.zst", options, package)), 0);
	for (int i = 0; i < 4; i++) {
		if (!roots[i / 2])
			continue;
		CHECK_INT(cli(check_fmt("$B/ptowsp-run %s %s --fill x=iota --out y=$T/own.npy $T/%s.pkg.zst", engine(roots[i / 2], variants[i % 2]), options,
					package)),
			  0);
		CHECK_INT(cli("cmp $T/y.npy $T/own.npy"), 0);
	}
}

/* A mixed kernel leaves the other vector core of its cluster free where it asks for one. */
TEST(one_vector_core_of_a_cluster_may_be_asked_for)
{
	static const char program[] =
		"tensor %%x : i32[4] inout\ntensor %%y : i32[4] out\nfunc @twice(%%x: !pto.memref<gm,...,i32>, %%y: !pto.memref<gm,...,i32>) {\n"
		"  %%t = alloc_tile : !pto.tile<1x4xi32>\n  %%t = tload %%x[0, 0]\n  %%t = tadd %%t, %%t\n  tstore %%t, %%y[0, 0]\n  return\n}\n"
		"graph @g {\nTG_BEGIN(G)\nTG_KERNEL(A, twice, 1, AIC_AIV, 0)\nMC_BIND(A, 0, x)\nMC_BIND(A, 1, y)\n%s\nTG_END(G)\n"
		"TG_LAUNCH(G, s)\nTG_SYNC(G)\n}\n";
	static const char *const asked[] = {"", "CA_REQUEST(A, 1, 2)", "CA_REQUEST(A, 1, 1)"};

	NEED_COMPILERS();
	cli_begin();
	for (int i = 0; i < 6; i++) {
		pack("asks", check_fmt(program, asked[i / 2]));
		same_as_cpu_sim("asks", "");
		CHECK_INT(cli(check_fmt("rm -f $T/log; FAKE_LOG=$T/log $B/ptowsp-run --fill x=iota %s $T/asks.pkg.zst", fake(i % 2))), 0);
		CLI_OUT(0, "grep 'tasks on' $T/log",
			i / 2 == 2 ? "1 tasks on a cube core and 1 vector cores\n" : "1 tasks on a cube core and 2 vector cores\n");
	}
}

/* 100,000 dependencies, more than the runtime's own pool of 16,384 has entries for: in one scope, where none come back, and in those that the engine makes. */
TEST(more_dependencies_than_the_pool_has_run)
{
	static const char wide[] = "module @m\ntensor %%x : f32[300, 16] in\ntensor %%z : f32[300, 16] temp\ntensor %%y : f32[300, 16] out\n"
				   "func @touch(%%a: !pto.memref, %%b: !pto.memref) {\n  %%t = alloc_tile : !pto.tile<1x16xf32>\n  %%t = tload %%a[0, 0]\n"
				   "  %%t = tadds %%t, 1.0\n  tstore %%t, %%b[0, 0]\n  return\n}\n"
				   "kernel @one(%%a: f32[1, 16] in, %%b: f32[1, 16] out) on vector { portable @touch }\n"
				   "kernel @all(%%a: f32[300, 16] in, %%b: f32[1, 16] out) on vector { portable @touch }\nworkload @main {\n%s"
				   "  parallel_for %%i in 0 to 300 { call @one(%%a -> %%x[%%i, 0], %%b -> %%z[%%i, 0]) }\n"
				   "  parallel_for %%i in 0 to 300 { call @all(%%a -> %%z, %%b -> %%y[%%i, 0]) }\n%s}\n";

	NEED_COMPILERS();
	cli_begin();
	pack("wide", check_fmt(wide, "", ""));
	same_as_cpu_sim("wide", "");
	pack("wide_scope", check_fmt(wide, "  scope {\n", "  }\n"));
	same_as_cpu_sim("wide_scope", "");
}

/* Steps without a kernel stand in the ring, too: 40 ordered tasks are more than 64 steps. */
TEST(ordered_tasks_of_a_scope_run_in_a_window_that_has_them)
{
	NEED_COMPILERS();
	cli_begin();
	pack("ordered", "module @m\ntensor %x : f32[40, 16] in\ntensor %y : f32[40, 16] out\n"
			"func @touch(%a: !pto.memref, %b: !pto.memref) {\n  %t = alloc_tile : !pto.tile<1x16xf32>\n  %t = tload %a[0, 0]\n  tstore %t, %b[0, "
			"0]\n  return\n}\n"
			"workload @main { scope { for_each %i in 0 to 40 { call @touch(%a -> %x[%i, 0], %b -> %y[%i, 0]) } } }");
	same_as_cpu_sim("ordered", "--schedule task_window=64");
	same_as_cpu_sim("ordered", "--schedule task_window=40");
}

/* The runtime ends the process with one more. */
TEST(scopes_that_lie_too_deep_are_told_before)
{
	char source[4096] = "";

	NEED_COMPILERS();
	cli_begin();
	for (int depth = 63; depth <= 64; depth++) {
		snprintf(source, sizeof(source), "%sworkload @main { ", body);
		for (int d = 0; d < depth; d++)
			strcat(source, "scope { ");
		strcat(source, "call @touch(%a -> %x[0, 0]) ");
		for (int d = 0; d <= depth; d++)
			strcat(source, "} ");
		pack("deep", source);
		CHECK_INT(cli(check_fmt("$B/ptowsp-run %s $T/deep.pkg.zst", fake(1))), 0);
		CHECK_INT(cli(check_fmt("$B/ptowsp-run %s $T/deep.pkg.zst", fake(0))), depth == 63 ? 0 : 5);
	}
	CHECK_CONTAINS(cli_err, "scopes lie 64 deep inside each other; tensormap_and_ringbuffer takes 63: use variant=host_build_graph, or fewer");
}

/* Scopes of processes lie across each other. Who finds the window held by them waits for its turn, so tasks have the order of cpu_sim; where nobody's turn comes
 * that is a deadlock with the report of cpu_sim. */
TEST(scopes_of_processes_hold_the_window)
{
	static const char source[] = "module @m\ntensor %x : f32[64, 16] inout\nchannel %c : token capacity 2\n"
				     "func @moved(%a: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<1x16xf32>\n  %t = tload %a[0, 0]\n  tstore %t, "
				     "%a[0, 0]\n  return\n}\n"
				     "kernel @one(%a: f32[1, 16] inout) { portable @moved }\nkernel @two(%a: f32[1, 16] inout) { portable @moved }\n"
				     "process @p produces(%c) {\n  parallel_for %k in 0 to 3 {\n    scope { parallel_for %i in 0 to 3 { call @one(%a -> inout "
				     "%x[%i, 0]) } }\n    send %c, %k\n  }\n}\n"
				     "process @q consumes(%c) { consume %c as %k { call @two(%a -> inout %x[%k + 10, 0]) } }\n"
				     "process @r { parallel_for %i in 0 to 7 { call @two(%a -> inout %x[%i + 20, 0]) } }\n";
	char order[2][400], said[2][400];

	NEED_COMPILERS();
	cli_begin();
	pack("scoped", source);
	for (int window = 2; window < 10; window++) {
		int status[2];

		for (int engine = 0; engine < 2; engine++) {
			status[engine] = cli(check_fmt("rm -f g.json; $B/ptowsp-run --quiet %s --schedule task_window=%d --graph g.json $T/scoped.pkg.zst",
						       engine ? fake(0) : "--plugin=cpu_sim", window));
			snprintf(said[engine], sizeof(said[engine]), "%s", cli_err);
			snprintf(order[engine], sizeof(order[engine]), "%s", status[engine] ? "" : cli_kernels(cli_json_file("g.json")));
		}
		CHECK_INT(status[1], window < 6 ? 7 : 0);
		CHECK_INT(status[1], status[0]);
		CHECK_STR(said[1], said[0]);
		CHECK_STR(order[1], order[0]);
	}
	CHECK_INT(cli(check_fmt("$B/ptowsp-run %s --schedule task_window=2 $T/scoped.pkg.zst", fake(1))), 0); /* nothing is given back, and nothing waits */
}

/* ---- faults ---------------------------------------------------------------------------------------------------------- */

/* Exit codes of every fault, and the runtime's own sentence. */
TEST(faults_become_exit_codes)
{
	static const struct {
		int code;
		ptowsp_status status;
	} faults[] = {
#define X(code, name, status, remedy) {code, PTOWSP_##status},
#include "ascend/engine/fault.def"
#undef X
	};
	static const char *const details[] = {
#define X(code, name, detail) [code] = detail,
#include "tests/fakes/fake_faults.def"
#undef X
	};
	static const struct {
		ptowsp_status status;
		int code;
	} exits[] = {
#define X(name, value, exit_code, text) {PTOWSP_##name, exit_code},
#include "ptowsp/status.def"
#undef X
	};

	NEED_COMPILERS();
	cli_begin();
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		for (size_t e = 0; e < sizeof(exits) / sizeof(*exits); e++)
			if (exits[e].status == faults[i].status && faults[i].code != 6) {
				CHECK_INT(cli(check_fmt("FAKE_FAULT=wait:%d $B/ptowsp-run %s $P/vector_add.pkg.zst", faults[i].code, fake(0))), exits[e].code);
				CHECK_CONTAINS(cli_err, details[faults[i].code]);
			}
}

/* The schedulers of a real runtime wait for a first task for ever: nothing is launched without one, nor before a deadlock that no task precedes. */
TEST(a_run_without_a_task_ends)
{
	NEED_COMPILERS();
	cli_begin();
	for (int variant = 0; variant < 2; variant++) {
		CHECK_INT(cli(check_fmt("FAKE_LOG=$T/log $B/ptowsp-run %s --set total_rows=0 $P/softmax.pkg.zst", fake(variant))), 0);
		CHECK_CONTAINS(cli_out, " 0 tasks, 0 cycles");
		CHECK_INT(cli(check_fmt("FAKE_LOG=$T/log $B/ptowsp-run %s --schedule channel_capacity=many,1 $P/probes/stuck.pkg.zst", fake(variant))), 7);
		CHECK_CONTAINS(cli_err, "channel_capacity=many,2");
	}
	CHECK_INT(cli("grep WRONG $T/log"), 1);
}

/* tests/model/engines.py: both variants, results beside cpu_sim's. */
TEST(random_programs_have_the_results_of_cpu_sim)
{
	static const char *const families[] = {"after,axes,bounds,csp,deep,policies,small,start,sync,units,while", "csp,payload,scalars,sync,while"};
	const char *only = getenv("PTOWSP_SEED");
	int count = only ? 1 : getenv("PTOWSP_TEST_LONG") ? 1000 : cli_slow() ? 8 : 40;

	NEED_COMPILERS();
	cli_begin();
	if (cli("python3 -c 'import json'"))
		CHECK_SKIP("python3 is not installed");
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		if (cli(check_fmt("python3 '%s/tests/model/engines.py' --build '%s' --families %s --first %s --count %d", check_root(), check_build(),
				  families[i], only ? only : "1", count)))
			CHECK_FAIL("%s%s", cli_out, cli_err);
	printf("# pto_engine: PTOWSP_SEED=%s\n", only ? only : "1");
}

TEST(no_claim_is_false)
{
	NEED_COMPILERS();
	if (cli_slow())
		CHECK_SKIP("probes have deadlines that sanitizers miss");
	for (int variant = 0; variant < 2; variant++) {
		CHECK_INT(cli(check_fmt("$B/ptowsp-run %s --capabilities --verify", fake(variant))), 0);
		/* That a version waits for bytes, and that the whole graph is there first, is nothing that a run shows. */
		CHECK_CONTAINS(cli_out, check_fmt(", %d claimed without a probe that can tell, 0 false", variant + 1));
		CHECK_CONTAINS(cli_out, "dispatch_filter                      recorded ");
	}
}

/* ---- what the runtime found and measured ----------------------------------------------------------------------------- */

#define BY_FAKE "--plugin=a2a3sim --opt engine=pto-runtime --opt runtime=$B/../fakes/simpler --opt cache=$B/../test/ascend_cache"

/* What the map finds goes to --graph: a chain of reads and writes has its edges, a read before a write has none, and that is said. */
TEST(edges_may_be_those_of_the_runtimes_map)
{
	for (size_t i = 0; i < sizeof(variants) / sizeof(*variants); i++) {
		const char *run = check_fmt("mkdir -p records && $B/ptowsp-run %s --opt edges=runtime --opt "
					    "records=records --graph g.json --stats=json $P/softmax.pkg.zst",
					    fake((int)i));

		CLI_FIGURE(run, "num_edges", 8);
		CHECK_CONTAINS(cli_err, "edges=runtime: the map of the pto-runtime lets a write pass the reads before it");
		CHECK_INT(cli("cp g.json found.json && $B/ptowsp-run -q --plugin=cpu_sim --graph g.json $P/softmax.pkg.zst && cmp g.json found.json"), 0);
	}
	CLI_OUT(0, "$B/ptowsp-run --capabilities " BY_FAKE " --opt edges=runtime", "deps=bytes_overlap                   recorded");
	CLI_ERR(2, "$B/ptowsp-run " BY_FAKE " --opt edges=none $P/softmax.pkg.zst", "stated|runtime");
	CLI_ERR(2, "$B/ptowsp-run " BY_FAKE " --opt edges=runtime --opt records=nowhere $P/softmax.pkg.zst", "nowhere/deps.json cannot be read");
}

/* Times of the runtime's own clock stand beside modelled ones, of every task of every run. */
TEST(real_times_come_from_the_runtimes_records)
{
	for (size_t i = 0; i < sizeof(variants) / sizeof(*variants); i++) {
		char run[500];

		snprintf(run, sizeof(run), "mkdir -p records/scope_stats && $B/ptowsp-run %s --opt records=records --runs 2", fake((int)i));
		CLI_FIGURE(check_fmt("%s --stats=json $P/softmax.pkg.zst", run), "kernels[divide_by_sum].device_tasks", 4);
		CLI_FIGURE(check_fmt("%s --stats=json $P/predicated.pkg.zst", run), "kernels[fill].device_ns", 2000);
		CLI_OUT(0, check_fmt("%s --stats $P/softmax.pkg.zst", run),
			"divide_by_sum                               4             1568 portable  0.008 ms on the device",
			"dep_list                     64              7 ", "heap                       4096           2048 ",
			"tensor_map                  128              3 ");
		CLI_FIGURE(check_fmt("%s --stats=json $P/softmax.pkg.zst", run), "pipes[1].cycles", 12 * 60);
	}
	REQUIRE_INT(cli("printf 'module @c\\ntensor %%y : f32[8, 8] in\\ntensor %%z : f32[8, 8] out\\nworkload @main {\\n  copy %%y -> %%z\\n}\\n' >c.pto && "
			"$B/ptowsp-pack c.pto -o c.pkg.zst"),
		    0);
	CHECK_INT(cli("$B/ptowsp-run " BY_FAKE " --opt records=records --stats --fill y=iota c.pkg.zst"), 0);
	CLI_ERR(0, "$B/ptowsp-run " BY_FAKE " --opt records=nowhere $P/softmax.pkg.zst", "no times of tasks on the device: nowhere/deps.json cannot be read");
	CLI_OUT(0, "$B/ptowsp-run --capabilities " BY_FAKE " --opt records=records", "tasks counted where they ran         enforced");
}

void suite_pto_engine(CU_pSuite s)
{
	example_rows_read();
	for (size_t i = 0; i < example_count; i++)
		if (!is_refused(&example_rows[i]))
			check_add(s, example_rows[i].name, run_example);
	check_add(s, "real_runtime_runs_the_examples", run_real);
}
