/* SPDX-License-Identifier: MIT
 * test_starpu.c - the starpu backend from outside: the examples and random programs against cpu_sim, byte by byte; how tensors are cut; what ends a run; what it refuses, and what it leaves behind. Skipped where
 * the plugin was not built. */
#include <stdlib.h>
#include <string.h>

#include "ptowsp/note.h"
#include "tests/check.h"
#include "tests/contract/cli.h"
#include "tests/tools/example_rows.h"

/* Why a test cannot run here; NULL: it can. */
static const char *missing(void)
{
	cli_begin();
	if (cli("test -e $B/../lib/ptowsp/plugins/libptowsp_starpu.so"))
		return "the plugin starpu is not built: there is no StarPU here";
	return PTOWSP_SANITIZER == PTOWSP_SANITIZER_THREAD ? "not run here: StarPU's own threads are no code of ours, and its atomics are not seen" : NULL;
}

static const char *missing_ranks(void)
{
	const char *why = missing();

	return why ? why : cli_slow() || cli("command -v mpirun") ? "there is no mpirun here, or it takes long" : NULL;
}

static void an_example_has_the_bytes_of_cpu_sim(void)
{
	const struct example_row *row = example_row_of(check_name());
	json_t *explained;

	REQUIRE(row != NULL);
	if (cli_slow() || row->name != row->package)
		CHECK_SKIP("it takes long; the release build runs those that are not large");
	if (!check_turn((uint64_t)(row - example_rows), 3))
		CHECK_SKIP("a third of the examples a day, all with --long");
	CHECK_NEED(missing);
	REQUIRE_INT(cli(check_fmt("$B/ptowsp-run --explain --json %s $P/%s.pkg.zst", row->options, row->package)), 0);
	explained = cli_json();
	REQUIRE(explained != NULL);
	json_incref(explained); /* the next output takes its place */
	if (strstr(row->options, "cpu1"))
		CLI_ERR(5, check_fmt("$B/ptowsp-run --plugin=starpu $P/%s.pkg.zst", row->package), "opcode notify is unsupported on starpu");
	else if (!example_run_to(row, explained, "cpu_sim", "cpu", "cpu") && !example_run_to(row, explained, "starpu", "starpu", "spu"))
		CHECK_INT(cli("for f in cpu.*.npy; do test ! -e $f || cmp $f spu${f#cpu} || exit; done"), 0);
	json_decref(explained);
}

static void random_programs_come_out_as_on_cpu_sim(void)
{
	const char *root = check_root();

	CHECK_NEED(missing);
	if (cli_slow() || cli("command -v python3"))
		CHECK_SKIP("it takes long, or there is no python3");
	CLI_OUT(0,
		check_fmt("python3 %s/tests/model/queues.py --build $B/.. --jobs 1 --first 370 --count %d --families "
			  "after,axes,bodies,bounds,csp,payload,scalars,sync,temp,units,while",
			  root, getenv("PTOWSP_TEST_LONG") ? 600 : 24),
		"ok queues_agree_on_seeds_370_to_");
}

/* Each task reads a row more than it writes: rows of the halo are blocks of their own. */
static void windows_that_overlap_are_cut_at_their_edges(void)
{
	CHECK_NEED(missing);
	REQUIRE_INT(
		cli("printf '%s\\n' 'tensor %x : f32[33, 16] in' 'tensor %y : f32[32, 16] out' "
		    "'func @add(%a: !pto.memref<gm,...,f32>, %b: !pto.memref<gm,...,f32>, %c: !pto.memref<gm,...,f32>) {' '  %s = alloc_tile : "
		    "!pto.tile<8x16xf32>' "
		    "'  %t = alloc_tile : !pto.tile<8x16xf32>' '  %s = tload %a[0, 0]' '  %t = tload %b[0, 0]' '  %s = tadd %s, %t' '  tstore %s, %c[0, 0]' "
		    "'  return' '}' 'workload @main {' '  parallel_for %i in 0 to 4 {' '    call @add(%a -> %x[%i * 8, 0], %b -> %x[%i * 8 + 1, 0], %c -> "
		    "%y[%i * 8, "
		    "0])' '  }' '}' >halo.pto && $B/ptowsp-pack halo.pto -o halo.pkg.zst"),
		0);
	CLI_ERR(0, "$B/ptowsp-run -v --plugin=starpu --fill x=iota --out y=s.npy halo.pkg.zst",
		"4 tasks, 13 data handles (tensors: 2 by tiles), 0 orders beside them");
	CHECK_INT(cli("$B/ptowsp-run --plugin=cpu_sim --fill x=iota --out y=c.npy halo.pkg.zst && cmp c.npy s.npy"), 0);
}

static void the_lowest_task_that_fails_ends_the_run(void)
{
	CHECK_NEED(missing);
	REQUIRE_INT(
		cli("for p in cpu_sim starpu; do $B/ptowsp-run --plugin=$p --entry=fail $P/probes/tasks.pkg.zst 2>$p.err; done; cmp cpu_sim.err starpu.err"),
		0);
}

static void a_deadline_ends_kernels(void)
{
	CHECK_NEED(missing);
	CLI_ERR(10, "$B/ptowsp-run --plugin=starpu --timeout-ms=300 --entry=long $P/probes/tasks.pkg.zst", "the deadline passed");
}

static void what_it_lacks_is_refused(void)
{
	CHECK_NEED(missing);
	CLI_ERR(2, "$B/ptowsp-run --plugin=starpu --opt sched=nosuch $P/vector_add.pkg.zst", "StarPU has no policy sched=nosuch; it has ", "lws");
	CLI_ERR(2, "$B/ptowsp-run --plugin=starpu --opt ncpu=many $P/vector_add.pkg.zst", "option ncpu takes ");
}

static void short_tasks_are_said(void)
{
	CHECK_NEED(missing);
	CLI_OUT(0, "$B/ptowsp-run --explain --plugin=starpu $P/softmax.pkg.zst", "tasks: they are short: the longest kernel, exp_shifted, takes 520 cycles");
}

static void it_runs_in_a_process_of_its_own(void)
{
	CHECK_NEED(missing);
	CLI_OUT(0, "$B/ptowsp-run --isolate=process --plugin=starpu $P/vector_add.pkg.zst", "compare: ok (1 tensor, 2048 elements, max abs 0)");
}

/* Opened and closed, and several devices beside each other; nothing of the process is changed, no thread stays. */
static void it_conforms(void)
{
	static const char *const all[] = {"*"}, *const brief[] = {"fini_returns_everything", "operations_leave_the_process_alone", "threads_block_all_signals"};
	const char *const *tests = getenv("PTOWSP_TEST_LONG") ? all : brief;
	const size_t count = getenv("PTOWSP_TEST_LONG") ? 1 : 3;

	CHECK_NEED(missing);
	if (cli_slow())
		CHECK_SKIP("the release build does it");
	for (size_t t = 0; t < count; t++)
		CLI_OUT(0, check_fmt("$B/ptowsp-conform --test '%s' $B/../lib/ptowsp/plugins/libptowsp_starpu.so", tests[t]), " 0 not ok");
}

/* Under mpirun, which as root wants to be told twice. */
static int ranks_run(unsigned count, const char *words)
{
	return cli(check_fmt(
		"OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 100 mpirun --bind-to none --oversubscribe -n %u $B/ptowsp-run %s </dev/null",
		count, words));
}

static void ranks_share_the_tasks_of_a_run(void)
{
	CHECK_NEED(missing_ranks);
	REQUIRE_INT(cli("$B/ptowsp-run --plugin=cpu_sim --out c=c.npy $P/bgemm.pkg.zst"), 0);
	CHECK_INT(ranks_run(2, "-v --plugin=starpu --threads 1 --out c=s.npy $P/bgemm.pkg.zst"), 0);
	CHECK_CONTAINS(cli_err, "starpu: rank 0 of 2 ran 96 tasks, sent 40 blocks, 655360 bytes, and received 8, 131072 bytes");
	CHECK_INT(cli_lines(cli_out), 1); /* rank 0 alone prints */
	CHECK_INT(cli("cmp c.npy s.npy"), 0);
}

static void a_task_that_fails_ends_all_ranks(void)
{
	CHECK_NEED(missing_ranks);
	CHECK_INT(ranks_run(3, "--plugin=starpu --threads 1 --entry=fail $P/probes/tasks.pkg.zst"), 1);
	CHECK_CONTAINS(cli_err, "task 0, kernel fail line 102: DIV of 1 by 0");
	CHECK_INT(ranks_run(2, "--plugin=starpu --threads 1 --timeout-ms=400 --entry=long $P/probes/tasks.pkg.zst"), 10);
}

static void a_plugin_without_ranks_says_so(void)
{
	CHECK_NEED(missing);
	CLI_ERR(2, "OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=4 $B/ptowsp-run --plugin=cpu_sim $P/vector_add.pkg.zst",
		"a launcher started 4 of these, and cpu_sim runs in one process; --ranks=ignore runs so many copies");
	CLI_ERR(2, "OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=4 $B/ptowsp-run $P/vector_add.pkg.zst",
		"name the plugin that runs on all of them, --plugin=NAME");
	CLI_ERR(2, "$B/ptowsp-run --ranks=some --plugin=cpu_sim $P/vector_add.pkg.zst", "--ranks takes auto or ignore");
	CLI_OUT(0, "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 $B/ptowsp-run --ranks=ignore --plugin=cpu_sim $P/vector_add.pkg.zst", "compare: ok");
	CLI_ERR(2, "$B/ptowsp-run --plugin=starpu --opt rank=4/4 $P/vector_add.pkg.zst", "option rank takes I/N");
}

void suite_starpu(CU_pSuite s);
void suite_starpu(CU_pSuite s)
{
	cli_suite("starpu");
	example_rows_read();
	TEST(s, random_programs_come_out_as_on_cpu_sim);
	TEST(s, windows_that_overlap_are_cut_at_their_edges);
	TEST(s, the_lowest_task_that_fails_ends_the_run);
	TEST(s, a_deadline_ends_kernels);
	TEST(s, what_it_lacks_is_refused);
	TEST(s, short_tasks_are_said);
	TEST(s, it_runs_in_a_process_of_its_own);
	TEST(s, it_conforms);
	TEST(s, ranks_share_the_tasks_of_a_run);
	TEST(s, a_task_that_fails_ends_all_ranks);
	TEST(s, a_plugin_without_ranks_says_so);
	for (size_t i = 0; i < example_count; i++)
		check_add(s, example_rows[i].name, an_example_has_the_bytes_of_cpu_sim);
}
