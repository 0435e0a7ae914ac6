/* SPDX-License-Identifier: MIT
 * test_pto_engine.c - packages on the pto-runtime engine, with the fake runtime of tests/fakes; where PTO_RUNTIME_DIR names a real one, with that, too. */
#include "contract/cli.h"
#include "example_rows.h"
#include "ptowsp/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const variants[] = {"tensormap_and_ringbuffer", "host_build_graph"};

/* What the engine refuses, and says so: slots that tasks fill, payload in channels, several devices. */
static const char *const refused[] = {"moe", "predicated", "passthrough", "tiles", "csp", "two_devices"};

static bool has_compilers(void)
{
	return !check_run("g++ --version && gcc --version", NULL, NULL);
}
#define NEED_COMPILERS()                                                                                               \
	do {                                                                                                           \
		if (!has_compilers())                                                                                  \
			CHECK_SKIP("there is no g++ and gcc to compile the orchestration with");                       \
	} while (0)

static const char *engine(const char *runtime, const char *variant)
{
	return check_fmt("--plugin a2a3sim --opt engine=pto-runtime --opt runtime=%s --opt variant=%s --opt cache=%s/test/ascend_cache", runtime, variant, check_build());
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

static void nothing_is_wrong_or_left_in_the_runtime(void)
{
	char *log;

	NEED_COMPILERS();
	cli_begin();
	for (int variant = 0; variant < 2; variant++) {
		CHECK_INT(cli(check_fmt("FAKE_LOG=$T/log $B/ptowsp-run %s --runs 3 $P/vector_example.pkg.zst", fake(variant))), 0);
		REQUIRE_INT(cli("cat $T/log"), 0);
		log = cli_out;
		CHECK(!strstr(log, "WRONG"));
		CHECK(strstr(log, "finalize_device") && strstr(log, "destroy_device_context"));
	}
}

/* In one sentence each, and the rows say so. */
static void refusals_are_named(void)
{
	static const struct {
		const char *package, *device, *said, *row;
	} rows[] = {
		{"predicated", "", "slot open is read from tensor gates, which task 1 fills, but this engine is given all tasks before the first one runs; use another engine",
		 "slots loaded from tensors            diagnosed"},
		{"csp", "", "channels of payload is unsupported on a2a3sim: it has no way for that; take another backend or engine",
		 "channels of payload                  unsupported"},
		{"two_devices", "--device=950-0,950-1", "opcode notify is unsupported on a2a3sim: it has no way for that; take another backend or engine",
		 "  notify                               unsupported"},
	};

	NEED_COMPILERS();
	cli_begin();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (int variant = 0; variant < 2; variant++) {
			CHECK_INT(cli(check_fmt("$B/ptowsp-run --quiet %s %s $P/%s.pkg.zst", fake(variant), rows[i].device, rows[i].package)), 5);
			CHECK_CONTAINS(cli_err, rows[i].said);
			cli_check_sentence();
			CHECK_INT(cli(check_fmt("$B/ptowsp-run --capabilities %s", fake(variant))), 0);
			CHECK_CONTAINS(cli_out, rows[i].row);
		}
	CHECK_INT(cli(check_fmt("$B/ptowsp-run %s $P/vector_example.pkg.zst", "--plugin a2a3sim --opt engine=pto-runtime")), 8);
	CHECK(strstr(cli_err, "engine=pto-runtime needs --opt runtime=DIR, the folder of a pto-runtime that was built in place"));
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

static void more_ready_tasks_than_a_queue_takes_are_told_before(void)
{
	NEED_COMPILERS();
	cli_begin();
	pack("ready", tasks_of("parallel_for %i in 0 to 8193 { call @touch(%a -> %x[%i, 0]) }"));
	CHECK_INT(cli(check_fmt("$B/ptowsp-run %s $T/ready.pkg.zst", fake(1))), 5);
	CHECK(strstr(cli_err, "8193 vector tasks are ready at once; host_build_graph has room for 8192 of each shape: use variant=tensormap_and_ringbuffer, or order them"));
	CHECK_INT(cli(check_fmt("$B/ptowsp-run %s $T/ready.pkg.zst", fake(0))), 0);
}

/* 17,000 tasks are more than the runtime's own window: a host graph gets a larger one, the ring gives back. */
static void more_tasks_than_the_window_run(void)
{
	NEED_COMPILERS();
	cli_begin();
	pack("many", tasks_of("parallel_for %i in 0 to 1000 { for_each %j in 0 to 17 { call @touch(%a -> %x[%i, 0]) } }"));
	for (int variant = 0; variant < 2; variant++)
		CHECK_INT(cli(check_fmt("$B/ptowsp-run %s $T/many.pkg.zst", fake(variant))), 0);
}

static void windows_of_every_size_run_on_the_task_buffer(void)
{
	NEED_COMPILERS();
	cli_begin();
	for (int window = 1; window < 20; window += 3)
		CHECK_INT(cli(check_fmt("$B/ptowsp-run %s --schedule task_window=%d $P/paged_attention.pkg.zst", fake(0), window)), 0);
}

static void scope_that_holds_the_window_is_a_deadlock(void)
{
	NEED_COMPILERS();
	cli_begin();
	pack("scope", tasks_of("scope { parallel_for %i in 0 to 256 { call @touch(%a -> %x[%i, 0]) } }"));
	CHECK_INT(cli(check_fmt("$B/ptowsp-run %s --schedule task_window=16 $T/scope.pkg.zst", fake(0))), 7);
	CHECK(strstr(cli_err, "--schedule task_window=256"));
	CHECK_INT(cli(check_fmt("$B/ptowsp-run %s --schedule task_window=256 $T/scope.pkg.zst", fake(0))), 0);
	CHECK_INT(cli(check_fmt("$B/ptowsp-run %s $T/scope.pkg.zst", fake(1))), 0);
}

/* The packer sees that something writes %y; only a run tells that it is not what is read. */
static void outs_that_are_read_before_they_are_written_are_told(void)
{
	NEED_COMPILERS();
	cli_begin();
	pack("fresh", "module @m\ntensor %x : f32[4, 16] in\ntensor %y : f32[4, 16] out\ntensor %z : f32[4, 16] out\n"
		      "func @moved(%a: !pto.memref<gm,...,f32>, %b: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<1x16xf32>\n  %t = tload %a[0, 0]\n"
		      "  tstore %t, %b[0, 0]\n  return\n}\nkernel @move(%a: f32[1, 16] in, %b: f32[1, 16] out) { portable @moved }\nsymbol %first : i64 = 0\n"
		      "workload @main {\n  parallel_for %i in 0 to 3 { call @move(%a -> %x[%i, 0], %b -> %y[%i, 0]) }\n"
		      "  parallel_for %i in 0 to 3 { call @move(%a -> %y[%i + %first, 0], %b -> %z[%i, 0]) }\n}");
	for (int variant = 0; variant < 2; variant++) {
		CHECK_INT(cli(check_fmt("$B/ptowsp-run %s $T/fresh.pkg.zst", fake(variant))), 0);
		CHECK_INT(cli(check_fmt("$B/ptowsp-run %s --set first=1 $T/fresh.pkg.zst", fake(variant))), 5);
		CHECK_CONTAINS(cli_err, "tensor y is out, but task 5 reads 16 of the 16 elements of its tensor argument 0 before any task writes them; declare it inout");
	}
}

/* ---- faults ---------------------------------------------------------------------------------------------------------- */

/* Exit codes of every fault, and the runtime's own sentence. */
static void faults_become_exit_codes(void)
{
	static const struct {
		int code;
		ptowsp_status status;
	} faults[] = {
#define X(code, name, status, remedy) {code, PTOWSP_##status},
#include "ascend/fault.def"
#undef X
	};
	static const char *const details[] = {
#define X(code, name, detail) [code] = detail,
#include "fakes/fake_faults.def"
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

/* tests/model/engines.py: both variants, results beside cpu_sim's. */
static void random_programs_have_the_results_of_cpu_sim(void)
{
	static const char *const families[] = {"after,axes,bounds,csp,deep,policies,small,start,sync,units,while", "csp,scalars,sync,while"};
	const char *only = getenv("PTOWSP_SEED");
	int count = only ? 1 : getenv("PTOWSP_TEST_LONG") ? 1000 : cli_slow() ? 8 : 40;

	NEED_COMPILERS();
	cli_begin();
	if (cli("python3 -c 'import json'"))
		CHECK_SKIP("python3 is not installed");
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		if (cli(check_fmt("python3 '%s/tests/model/engines.py' --build '%s' --families %s --first %s --count %d", check_root(), check_build(), families[i],
				  only ? only : "1", count)))
			CHECK_FAIL("%s%s", cli_out, cli_err);
	printf("# pto_engine: PTOWSP_SEED=%s\n", only ? only : "1");
}

static void no_claim_is_false(void)
{
	NEED_COMPILERS();
	cli_begin();
	for (int variant = 0; variant < 2; variant++) {
		CHECK_INT(cli(check_fmt("$B/ptowsp-run %s --capabilities --verify", fake(variant))), 0);
		CHECK(strstr(cli_out, " 0 false"));
	}
}

void suite_pto_engine(CU_pSuite s)
{
	cli_suite("pto_engine");
	example_rows_read();
	for (size_t i = 0; i < example_count; i++)
		if (!is_refused(&example_rows[i]))
			check_add(s, example_rows[i].name, run_example);
	check_add(s, "real_runtime_runs_the_examples", run_real);
	TEST(s, nothing_is_wrong_or_left_in_the_runtime);
	TEST(s, refusals_are_named);
	TEST(s, more_ready_tasks_than_a_queue_takes_are_told_before);
	TEST(s, more_tasks_than_the_window_run);
	TEST(s, windows_of_every_size_run_on_the_task_buffer);
	TEST(s, scope_that_holds_the_window_is_a_deadlock);
	TEST(s, outs_that_are_read_before_they_are_written_are_told);
	TEST(s, faults_become_exit_codes);
	TEST(s, random_programs_have_the_results_of_cpu_sim);
	TEST(s, no_claim_is_false);
}
