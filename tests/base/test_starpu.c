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

	CHECK_NEED(missing);
	if (strstr(row->options, "cpu1"))
		CLI_ERR(5, check_fmt("$B/ptowsp-run --plugin=starpu $P/%s.pkg.zst", row->package), "opcode notify is unsupported on starpu");
	else
		example_has_bytes_of_cpu_sim(row, "starpu", (const char *const[]){"starpu"}, 1);
}

/* ---- OpenCL workers ------------------------------------------------------------------------------------------------------- */

/* StarPU loses an event for each row that it copies to a device (1.3.10), and LLVM gives the thread that opens one another stack for signals, which the sanitizer would free: neither is checked. */
#define SANE   "ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0:use_sigaltstack=0 "
#define RUN    SANE "$B/ptowsp-run "
#define OPENCL "--plugin=starpu --threads 1 --opt nopencl=1 --opt where=opencl"

static const char *missing_opencl(void)
{
	const char *why = missing();

	return why ? why : cli(RUN OPENCL " $P/vector_add.pkg.zst") == 8 ? "not run here: there is no OpenCL device" : NULL;
}

static void an_example_runs_on_an_opencl_worker(void)
{
	const struct example_row *row = example_row_of(check_name() + strlen("opencl_"));

	CHECK_NEED(missing_opencl);
	if (!strstr(row->options, "cpu1"))
		example_has_bytes_of_cpu_sim(row, "starpu", (const char *const[]){"starpu --opt nopencl=1 --opt where=opencl"}, 1);
}

/* Over all groups of figures of the output, or over one. */
static uint64_t figure_sum_of(const char *group, const char *name)
{
	const json_t *row;
	uint64_t sum = 0;
	size_t i;

	json_array_foreach(json_object_get(cli_json(), "figures"), i, row)
	{
		if (!strcmp(json_string_value(json_object_get(row, "name")), name) &&
		    (!group || !strcmp(json_string_value(json_object_get(row, "group")), group)))
			sum += (uint64_t)json_integer_value(json_object_get(row, "value"));
	}
	return sum;
}

static uint64_t figure_sum(const char *name)
{
	return figure_sum_of(NULL, name);
}

TEST(tasks_are_counted_by_kind_of_worker)
{
	CHECK_NEED(missing_opencl);
	CLI_OUT(0, RUN "--stats=json " OPENCL " $P/bgemm.pkg.zst", "\"tasks\": 128");
	CHECK_INT(figure_sum_of("OpenCL workers", "tasks"), 128);
	CHECK_INT(figure_sum_of("CPU workers", "tasks"), 0);
	for (unsigned i = 0; i < 2; i++) { /* dmdas measures kernels in a folder of its own */
		static const char *const ways[] = {"", "--opt sched=dmdas --opt cache=$PWD/cache"};

		CLI_OUT(0, check_fmt(RUN "--stats=json --plugin=starpu --threads 1 --opt nopencl=1 %s $P/bgemm.pkg.zst", ways[i]), "\"tasks\": 128");
		CHECK_INT(figure_sum_of("OpenCL workers", "tasks") + figure_sum_of("CPU workers", "tasks"), 128);
	}
	CHECK_INT(cli("find cache -name 'ptowsp_*' | grep -q ."), 0);
	/* 24 blocks of a kernel, which do not take the same cycles each. */
	CLI_OUT(0, "$B/ptowsp-run --plugin=cpu_sim --stats=json $P/deepseek.pkg.zst", "\"total_cycles\": 3014656");
	CLI_OUT(0, RUN "--stats=json " OPENCL " $P/deepseek.pkg.zst", "\"total_cycles\": 3014656");
}

TEST(a_task_that_fails_on_a_device_says_why)
{
	CHECK_NEED(missing_opencl);
	REQUIRE_INT(cli("for p in --plugin=cpu_sim '" OPENCL "'; do " RUN "$p --entry=fail $P/probes/tasks.pkg.zst 2>${#p}.err; done; cmp *.err"), 0);
	CLI_ERR(10, RUN OPENCL " --timeout-ms=300 --entry=long $P/probes/tasks.pkg.zst", "the deadline passed");
}

/* What a driver does to a process is that of a worker, and waived; without OpenCL workers there is neither. */
TEST(opencl_workers_have_a_process_of_their_own)
{
	CHECK_NEED(missing_opencl);
	CLI_OUT(0, "$B/ptowsp-run --list-plugins", "runs in a process of its own with option nopencl, as its driver declares threads,environment,handlers");
	CLI_OUT(0, "$B/ptowsp-run --plugin=starpu --stats=json $P/vector_add.pkg.zst", "\"isolation\": \"none\"");
	CLI_OUT(0, RUN "--stats=json " OPENCL " $P/vector_add.pkg.zst", "\"isolation\": \"process\"");
	CLI_OUT(0, SANE "$B/ptowsp-conform --opt nopencl=1 --test '*_leave_the_process_alone' $B/../lib/ptowsp/plugins/libptowsp_starpu.so",
		"# WAIVED driver=", "1 ok, 0 not ok, 0 skipped, 1 waived");
	CLI_OUT(1, SANE "$B/ptowsp-conform --no-waivers --opt nopencl=1 --test '*_leave_the_process_alone' $B/../lib/ptowsp/plugins/libptowsp_starpu.so",
		"(PL8)");
}

/* A kernel that no payload serves is a C function, of this processor. */
TEST(kernels_that_no_device_takes_are_said)
{
	CHECK_NEED(missing_opencl);
	REQUIRE_INT(cli("printf '%s\\n' 'tensor %x : i32[8] in' 'tensor %y : i32[8] out' 'kernel @copy(%a: i32[8] in, %b: i32[8] out)' 'workload @main { call "
			"@copy(%a -> %x[0], %b -> "
			"%y[0]) }' >copy.pto && $B/ptowsp-pack copy.pto -o copy.pkg.zst"),
		    0);
	CLI_OUT(0, RUN "--explain " OPENCL " copy.pkg.zst", "CPU workers alone run kernels that are C functions, ", ": copy");
	CLI_OUT(0, RUN "--stats=json " OPENCL " copy.pkg.zst", "\"tasks\": 1");
	CHECK_INT(figure_sum_of("CPU workers", "tasks"), 1);
	CLI_ERR(8, RUN "--plugin=starpu --opt nopencl=8 $P/vector_add.pkg.zst", "option nopencl asks for 8 OpenCL devices, and there are ");
}

/* ---- random programs, and what else is seen from outside -------------------------------------------------------------------- */

TEST(random_programs_come_out_as_on_cpu_sim)
{
	const char *root = check_root();

	CHECK_NEED(missing);
	if (cli_slow() || cli("command -v python3"))
		CHECK_SKIP("it takes long, or there is no python3");
	CLI_OUT(0,
		check_fmt("python3 %s/tests/model/queues.py --build $B/.. --jobs 1 --first 30 --count %d --families "
			  "after,axes,bodies,bounds,csp,payload,scalars,sync,temp,units,while",
			  root, getenv("PTOWSP_TEST_LONG") ? 600 : 24),
		"ok queues_agree_on_seeds_30_to_");
}

/* Each task reads a row more than it writes: rows of the halo are blocks of their own, and a window of a task is several blocks, which lie side by side again on a device. */
TEST(windows_that_overlap_are_cut_at_their_edges)
{
	const char *no_opencl = missing_opencl();

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
	if (!no_opencl)
		CHECK_INT(cli(RUN OPENCL " --fill x=iota --out y=o.npy halo.pkg.zst && cmp c.npy o.npy"), 0);
}

TEST(the_lowest_task_that_fails_ends_the_run)
{
	CHECK_NEED(missing);
	REQUIRE_INT(
		cli("for p in cpu_sim starpu; do $B/ptowsp-run --plugin=$p --entry=fail $P/probes/tasks.pkg.zst 2>$p.err; done; cmp cpu_sim.err starpu.err"),
		0);
}

TEST(a_deadline_ends_kernels)
{
	CHECK_NEED(missing);
	CLI_ERR(10, "$B/ptowsp-run --plugin=starpu --timeout-ms=300 --entry=long $P/probes/tasks.pkg.zst", "the deadline passed");
}

/* Kernels that are over before they look at the clock: the deadline falls between two tasks, or a machine is faster than it and all tasks are done. */
TEST(a_deadline_between_tasks_ends_the_run)
{
	CHECK_NEED(missing);
	REQUIRE_INT(cli("printf '%s\n' 'tensor %y : i32[64, 1] inout' 'func @add(%a: !pto.memref<gm,...,i32>) {' '  %t = alloc_tile : !pto.tile<1x1xi32>' "
			"'  %t = tload %a[0, 0]' '  %t = tadds %t, 1' '  tstore %t, %a[0, 0]' '  return' '}' 'workload @main { parallel_for %j in 0 to 400 { "
			"parallel_for %i in 0 to 64 { call @add(%a -> %y[%i, 0]) } } }' >adds.pto && $B/ptowsp-pack adds.pto -o adds.pkg.zst && "
			"$B/ptowsp-run --plugin=starpu --threads 1 --fill y=zeros --out y=c.npy adds.pkg.zst"),
		    0);
	for (unsigned ms = 5; ms <= 40; ms += ms)
		CHECK_INT(cli(check_fmt(
				  "rm -f s.npy; $B/ptowsp-run --plugin=starpu --threads 1 --timeout-ms %u --fill y=zeros --out y=s.npy adds.pkg.zst; code=$?; "
				  "test $code = 10 -a ! -e s.npy || { test $code = 0 && cmp c.npy s.npy; }",
				  ms)),
			  0);
}

/* StarPU aborts on each of these. */
TEST(what_starpu_keeps_may_be_damaged)
{
	static const char *const files[] = {"bus/*.config", "bus/*.affinity", "bus/*.bandwidth", "bus/*.latency", "codelets/*/ptowsp_*"};
	const char *run = "$B/ptowsp-run --plugin=starpu --threads 1 --opt cache=$PWD/cache --opt sched=dmda $P/bgemm.pkg.zst";

	CHECK_NEED(missing);
	CLI_OUT(0, run, "compare: ok");
	for (size_t f = 0; f < sizeof(files) / sizeof(*files); f++) {
		REQUIRE_INT(cli(check_fmt("for f in cache/.starpu/sampling/%s; do test -s $f || exit 3; : >$f; done", files[f])), 0);
		CLI_OUT(0, run, "compare: ok");
		REQUIRE_INT(cli(check_fmt("for f in cache/.starpu/sampling/%s; do test -s $f || exit 3; echo '# 1 x' >$f; done", files[f])), 0);
		CLI_OUT(0, run, "compare: ok");
	}
	CLI_ERR(2, check_fmt("STARPU_HOME=/proc/none %s", run), "cache=/proc/none cannot be made: No such file or directory; name another folder");
	CLI_ERR(2, check_fmt("STARPU_NCPU=-5 %s", run), "starpu: the variable STARPU_NCPU=-5 is no number of workers; unset it");
	CLI_ERR(2, check_fmt("STARPU_SCHED=none %s", run), "StarPU has no policy sched=none; it has ");
	CLI_ERR(2, check_fmt("rm cache/starpu.lock && mkdir cache/starpu.lock && %s", run), "starpu: files cannot be written below");
}

TEST(what_it_lacks_is_refused)
{
	CHECK_NEED(missing);
	CLI_ERR(2, "$B/ptowsp-run --plugin=starpu --opt sched=nosuch $P/vector_add.pkg.zst", "StarPU has no policy sched=nosuch; it has ", "lws");
	CLI_ERR(2, "$B/ptowsp-run --plugin=starpu --opt ncpu=many $P/vector_add.pkg.zst", "option ncpu takes ");
}

TEST(short_tasks_are_said)
{
	CHECK_NEED(missing);
	CLI_OUT(0, "$B/ptowsp-run --explain --plugin=starpu $P/softmax.pkg.zst", "tasks: they are short: the longest kernel, exp_shifted, takes 776 cycles");
}

TEST(it_runs_in_a_process_of_its_own)
{
	CHECK_NEED(missing);
	CLI_OUT(0, "$B/ptowsp-run --isolate=process --plugin=starpu $P/vector_add.pkg.zst", "compare: ok (1 tensor, 2048 elements, max abs 0)");
}

TEST(what_it_claims_is_seen)
{
	CHECK_NEED(missing);
	if (cli_slow())
		CHECK_SKIP("the release build does it");
	CLI_OUT(0, "$B/ptowsp-run --plugin=starpu --capabilities --verify", ", 0 false");
}

/* Opened and closed, and several devices beside each other; nothing of the process is changed, no thread stays. */
TEST(it_conforms)
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

/* A command under mpirun, which as root wants to be told twice. */
static const char *under_mpirun(unsigned count, const char *command)
{
	return check_fmt("OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 100 mpirun --bind-to none --oversubscribe -n %u %s </dev/null",
			 count, command);
}

static int ranks_run(unsigned count, const char *words)
{
	return cli(under_mpirun(count, check_fmt("$B/ptowsp-run %s", words)));
}

TEST(ranks_share_the_tasks_of_a_run)
{
	CHECK_NEED(missing_ranks);
	REQUIRE_INT(cli("$B/ptowsp-run --plugin=cpu_sim --out c=c.npy $P/bgemm.pkg.zst"), 0);
	CHECK_INT(ranks_run(2, "-v --plugin=starpu --threads 1 --out c=s.npy $P/bgemm.pkg.zst"), 0);
	CHECK_CONTAINS(cli_err, "starpu: rank 0 of 2 ran 96 tasks of 128 looked at, sent 32 blocks, 524288 bytes, and received 8, 131072 bytes");
	CHECK_INT(cli_lines(cli_out), 1); /* rank 0 alone prints */
	CHECK_INT(cli("cmp c.npy s.npy"), 0);
}

/* Tiles of y are at home on ranks by columns, as its layout says, so each row of tiles that a task of the second kernel reads comes from all of them; without the layout rows stay where they are. Rows of z go
 * to rank 0 in the end. A model of as many ranks has the same. */
TEST(a_layout_says_which_rank_owns_a_tile)
{
	static const struct {
		const char *layout;
		unsigned ranks, messages, shards;
	} rows[] = {{"", 2, 2, 0}, {"", 4, 3, 0}, {"layout(R, S(1))", 2, 10, 2}, {"layout(R, S(1))", 4, 15, 4}, {"layout(S(0), S(1))", 4, 11, 4}};

	CHECK_NEED(missing_ranks);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		REQUIRE_INT(
			cli(check_fmt(
				"printf '%%s\n' 'tensor %%x : f32[64, 64] in' 'tensor %%y : f32[64, 64] temp %s' 'tensor %%z : f32[64, 64] out' "
				"'func @tile(%%a: !pto.memref<gm,...,f32>, %%b: !pto.memref<gm,...,f32>) {' '  %%t = alloc_tile : !pto.tile<16x16xf32>' '  %%t "
				"= tload %%a[0, 0]' '  %%t = tadd %%t, %%t' '  tstore %%t, %%b[0, 0]' '  return' '}' 'func @row(%%a: "
				"!pto.memref<gm,...,f32>, %%b: !pto.memref<gm,...,f32>) {' '  %%t = alloc_tile : !pto.tile<16x64xf32>' '  %%t = tload "
				"%%a[0, 0]' '  %%t = tadds %%t, 1.0' '  tstore %%t, %%b[0, 0]' '  return' '}' 'workload @main {' '  parallel_for %%i in 0 to 4 "
				"{ parallel_for %%j in 0 to 4 {' '    call @tile(%%a -> %%x[%%i * 16, %%j * 16], %%b -> %%y[%%i * 16, %%j * 16])' '  } }' "
				"'  parallel_for %%i in 0 to 4 { call @row(%%a -> %%y[%%i * 16, 0], %%b -> %%z[%%i * 16, 0]) }' '}' >owns.pto && "
				"$B/ptowsp-pack "
				"owns.pto -o owns.pkg.zst && $B/ptowsp-run --plugin=cpu_sim --fill x=iota --out z=c.npy owns.pkg.zst",
				rows[i].layout)),
			0);
		REQUIRE_INT(ranks_run(rows[i].ranks, "--stats=json --plugin=starpu --threads 1 --fill x=iota --out z=s.npy owns.pkg.zst"), 0);
		CHECK_INT(figure_sum("messages sent"), rows[i].messages);
		CHECK_INT(json_integer_value(json_object_get(json_array_get(json_object_get(cli_json(), "layouts"), 0), "shards")), rows[i].shards);
		CHECK_INT(cli("cmp c.npy s.npy"), 0);
		CHECK_INT(cli(check_fmt("$B/ptowsp-run --stats=json --plugin=starpu --threads 1 --opt model=%u --fill x=iota owns.pkg.zst", rows[i].ranks)), 0);
		CHECK_INT(figure_sum("messages"), rows[i].messages);
	}
	CLI_OUT(0, "$B/ptowsp-run --explain --plugin=starpu --opt model=6 owns.pkg.zst",
		"each of 6 ranks owns tiles as layouts say, over 2 x 3 places: y S0,S1");
	CLI_OUT(0, "$B/ptowsp-run --explain --plugin=starpu owns.pkg.zst", "tasks: they are short");
	CHECK(!strstr(cli_out, "owns tiles"));
}

/* Twenty tiles of rank 0 are read by ranks 1 and 2. Once rank 0 has sent enough, rank 1 passes on what it has: 40 messages in all, as ever, and 20 and 20 of results. */
TEST(ranks_pass_on_what_others_read_too)
{
	CHECK_NEED(missing_ranks);
	REQUIRE_INT(
		cli("printf '%s\n' 'tensor %x : f32[960, 16] in' 'tensor %s : f32[960, 16] temp layout(S(0), R)' 'tensor %y : f32[960, 16] out layout(S(0), "
		    "R)' 'func @tile(%a: !pto.memref<gm,...,f32>, %b: !pto.memref<gm,...,f32>) {' '  %t = alloc_tile : !pto.tile<16x16xf32>' '  %t = tload "
		    "%a[0, 0]' '  %t = tadd %t, %t' '  tstore %t, %b[0, 0]' '  return' '}' 'workload @main {' '  parallel_for %k in 0 to 20 { call "
		    "@tile(%a -> %x[%k * 16, 0], %b -> %s[%k * 16, 0]) }' '  parallel_for %r in 0 to 3 { parallel_for %k in 0 to 20 { call @tile(%a -> %s[%k * "
		    "16, 0], %b -> %y[(%r * 20 + %k) * 16, 0]) } }' '}' >all.pto && $B/ptowsp-pack all.pto -o all.pkg.zst && $B/ptowsp-run --plugin=cpu_sim "
		    "--fill x=iota --out y=c.npy all.pkg.zst"),
		0);
	for (unsigned whole = 0; whole < 2; whole++) {
		REQUIRE_INT(ranks_run(3, check_fmt("--stats=json --plugin=starpu --threads 1 --opt whole=%u --fill x=iota --out y=s.npy all.pkg.zst", whole)),
			    0);
		CHECK_INT(figure_sum_of("rank 0 of 3", "messages sent"), 28);
		CHECK_INT(figure_sum_of("rank 1 of 3", "messages sent"), 12 + 20);
		CHECK_INT(figure_sum_of("rank 2 of 3", "messages sent"), 20);
		CHECK_INT(cli("cmp c.npy s.npy"), 0);
	}
}

/* Rows stay where they are computed; what rank 1 computes goes to rank 0, once, and nothing else moves. A large input is read by whoever touches it. */
TEST(what_ranks_did_is_told)
{
	const json_t *figures, *row;
	size_t i;

	CHECK_NEED(missing_ranks);
	REQUIRE_INT(cli("printf '%s\\n' 'tensor %x : f32[512, 1024] in' 'tensor %y : f32[512, 1024] out' "
			"'func @twice(%a: !pto.memref<gm,...,f32>, %b: !pto.memref<gm,...,f32>) {' '  %t = alloc_tile : !pto.tile<8x1024xf32>' '  %t = tload "
			"%a[0, 0]' "
			"'  %t = tadd %t, %t' '  tstore %t, %b[0, 0]' '  return' '}' 'workload @main {' '  parallel_for %i in 0 to 64 {' "
			"'    call @twice(%a -> %x[%i * 8, 0], %b -> %y[%i * 8, 0])' '  }' '}' >twice.pto && $B/ptowsp-pack twice.pto -o twice.pkg.zst && "
			"$B/ptowsp-run --fill x=iota --out x=x.npy --out y=c.npy twice.pkg.zst"),
		    0);
	REQUIRE_INT(ranks_run(2, "--stats=json --plugin=starpu --threads 1 --in x=x.npy --out y=s.npy twice.pkg.zst"), 0);
	figures = json_object_get(cli_json(), "figures");
	REQUIRE_INT(json_array_size(figures), 16);
	json_array_foreach(figures, i, row)
	{
		static const json_int_t wanted[] = {32, 64, -1, 0, 32, 0, 1 << 20, -1, 32, 32, -1, 32, 0, 1 << 20, 0, -1};

		if (wanted[i] >= 0)
			CHECK_INT(json_integer_value(json_object_get(row, "value")), wanted[i]);
		CHECK_STR(json_string_value(json_object_get(row, "group")), i < 8 ? "rank 0 of 2" : "rank 1 of 2");
	}
	CHECK_INT(cli("cmp c.npy s.npy"), 0);
}

/* A rank is told what is its own, and has the messages that it has when it walks the whole. */
TEST(ranks_pass_over_what_is_not_theirs)
{
	const char *root = check_root();

	CHECK_NEED(missing_ranks);
	if (cli("command -v python3"))
		CHECK_SKIP("there is no python3");
	CLI_OUT(0,
		check_fmt("OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 python3 %s/tests/model/queues.py --build $B/.. --jobs 1 --ranks 3 --first "
			  "1 --count %d "
			  "--families axes,bodies,bounds,levels,payload,policies,scalars,units </dev/null",
			  root, getenv("PTOWSP_TEST_LONG") ? 40 : 4),
		"ok queues_agree_on_seeds_1_to_");
}

/* One process says what ranks do that are not there: the messages that they have when they are, a stencil's halos among them. */
TEST(a_model_has_the_messages_of_a_run)
{
	static const char *const names[] = {"bgemm", "csp", "moe"};
	uint64_t messages = 0, bytes = 0;

	CHECK_NEED(missing_ranks);
	for (size_t p = 0; p < sizeof(names) / sizeof(*names); p++) {
		REQUIRE_INT(ranks_run(2, check_fmt("--stats=json --plugin=starpu --threads 1 $P/%s.pkg.zst", names[p])), 0);
		messages = figure_sum("messages sent");
		bytes = figure_sum("sent");
		CHECK_INT(figure_sum("messages received"), messages);
		CHECK_INT(cli(check_fmt("$B/ptowsp-run --stats=json --plugin=starpu --threads 1 --opt model=2 --opt model_us=10 $P/%s.pkg.zst", names[p])), 0);
		CHECK_INT(figure_sum("messages"), messages);
		CHECK_INT(figure_sum("moved"), bytes);
	}
	/* Two rows of places beside each of three borders, in each of twelve rounds but the first. */
	CHECK_INT(cli(check_fmt("$B/ptowsp-pack %s/tools/bench/programs/halo.pto -o halo.pkg.zst && "
				"$B/ptowsp-run --stats=json --plugin=starpu --threads 1 --opt model=4 --set n=6 halo.pkg.zst",
				check_root())),
		  0);
	CHECK_INT(figure_sum("messages") - figure_sum("messages of results"), 66);
	CLI_ERR(2, "printf 'L 1\\nx 2\\n' >net; $B/ptowsp-run --plugin=starpu --opt model=2 --opt network=net $P/vector_add.pkg.zst",
		"net, line 2: a line is L, o, g or G");
	CLI_ERR(2, "$B/ptowsp-run --plugin=starpu --opt model=2 --opt network=/dev/zero $P/vector_add.pkg.zst", "/dev/zero is no regular file");
}

TEST(a_task_that_fails_ends_all_ranks)
{
	CHECK_NEED(missing_ranks);
	CHECK_INT(ranks_run(3, "--plugin=starpu --threads 1 --entry=fail $P/probes/tasks.pkg.zst"), 1);
	CHECK_CONTAINS(cli_err, "task 0, kernel fail line 102: DIV of 1 by 0");
	/* The walk of rank 1 begins with the task of 0, and ends there; that of rank 0 does not. */
	REQUIRE_INT(
		cli("printf '%s\n' 'tensor %y : i32[4, 8] inout' 'func @turn(%a: !pto.memref<gm,...,i32>, %n: i64) {' '  %t = alloc_tile : !pto.tile<1x8xi32>' "
		    "'  %q = alloc_scalar : i64' '  DIV %q:i64, 1, %n:i64' '  %t = tload %a[0, 0]' '  tstore %t, %a[0, 0]' '  return' '}' "
		    "'workload @main { parallel_for %i in 0 to 4 { call @turn(%a -> %y[%i, 0], %n -> 2 - %i) } }' >third.pto && $B/ptowsp-pack third.pto -o "
		    "third.pkg.zst"),
		0);
	CHECK_INT(ranks_run(2, "--plugin=starpu --threads 1 third.pkg.zst"), 1);
	CHECK_CONTAINS(cli_err, "DIV of 1 by 0");
	CHECK_INT(ranks_run(2, "--plugin=starpu --threads 1 --timeout-ms=400 --entry=long $P/probes/tasks.pkg.zst"), 10);
}

/* How long all took to end behind the kill, as the shell has noted it. It is said; the bound is one that a busy machine keeps. */
static void end_was_soon(const char *phase)
{
	unsigned long ms;

	REQUIRE_INT(cli("cat ms"), 0);
	ms = strtoul(cli_out, NULL, 10);
	printf("# rank 1 of 2 is killed %s: all have ended after %lu.%lu s\n", phase, ms / 1000, ms / 100 % 10);
	CHECK(ms < 60000);
}

#define NOW "$(($(date +%%s%%N) / 1000000))"

/* Rank 1, which is `command`, or as all ranks ptowsp-run with `words`, is killed when a shell's condition has come true, in a phase. Then all end soon, with the code of the one that is killed or of the one that has seen it, whichever
 * mpirun sees first, and outputs are as they were. The shell of each rank outlives what mpirun sends to end it. */
static void rank_is_killed(const char *phase, const char *command, const char *words, const char *when)
{
	const char *run = check_fmt("$B/ptowsp-run --plugin=starpu --threads 1 --timeout-ms=60000 %s", words);

	REQUIRE_INT(
		cli(check_fmt("rm -f said.* pid.* code.*; echo old >out.npy; printf '%%s\n' 'trap \"\" TERM USR1' 'run() { exec %s; }' "
			      "'[ $OMPI_COMM_WORLD_RANK = 0 ] || run() { exec %s; }' 'run 2>said.$OMPI_COMM_WORLD_RANK &' 'echo $! >pid.$OMPI_COMM_WORLD_RANK' "
			      "'wait $!' 'code=$?' 'echo $code >code.$OMPI_COMM_WORLD_RANK' 'exit $code' >rank.sh",
			      run, *command ? command : run)),
		0);
	CHECK_INT(cli(check_fmt("%s & until test -s pid.0 && test -s pid.1 && %s; do sleep 0.05; done 2>/dev/null; s=" NOW
				"; kill -9 $(cat pid.1); wait $!; code=$?; "
				"echo $((" NOW " - s)) >ms; test $code = 137 -o $code = 9 && grep -qx old out.npy",
				under_mpirun(2, "sh rank.sh"), when)),
		  0);
	end_was_soon(phase);
}

/* A rank says its state when it is in the run; without a task of it there is one who walks, and one who waits to hear what is its own. */
#define IS_IN_RUN(rank) "{ kill -USR1 $(cat pid." rank "); grep -q state: said." rank "; }"

#define GONE            "starpu: rank 1/2 is gone, without which this run cannot go on: rank 0/2 ends, too, and writes nothing"

TEST(a_rank_that_is_killed_ends_the_others)
{
	const char *root = check_root();

	CHECK_NEED(missing_ranks);
	REQUIRE_INT(cli(check_fmt("$B/ptowsp-pack %s/tools/bench/programs/halo.pto -o halo.pkg.zst", root)), 0);
	REQUIRE_INT(cli("printf '%s\\n' 'tensor %y : i32[2, 8] inout' 'func @turn(%a: !pto.memref<gm,...,i32>, %n: i64) {' '  %t = alloc_tile : "
			"!pto.tile<1x8xi32>' '  %t = tload %a[0, 0]' "
			"'  FOR %i:idx, 0:idx, %n:idx, 1:idx' '    %t = tadds %t, 1' '  ENDFOR' '  tstore %t, %a[0, 0]' '  return' '}' 'workload @main {' "
			"'  parallel_for %i in 0 to 2 { call @turn(%a -> %y[%i, 0], %n -> %i * 1000000000) }' '}' >turns.pto && $B/ptowsp-pack turns.pto -o "
			"turns.pkg.zst"),
		    0);
	rank_is_killed("before it comes to MPI, where rank 0 waits", "sleep 60", "--out x=out.npy halo.pkg.zst", "sleep 0.5");
	rank_is_killed("while rank 0 walks", "", "--set n=8000 --out x=out.npy halo.pkg.zst", IS_IN_RUN("1"));
	CHECK_INT(cli("grep -q '" GONE "' said.0 && grep -qx 9 code.0"), 0);
	rank_is_killed("while a task of rank 0 runs, and MPI waits and does not tell", "", "--entry=long $P/probes/tasks.pkg.zst", IS_IN_RUN("0"));
	CHECK_INT(cli("grep -q '" GONE "' said.0 && grep -qx 9 code.0"), 0);
	rank_is_killed("while a task of its own runs, for whose result rank 0 waits", "", "--out y=out.npy turns.pkg.zst", IS_IN_RUN("1"));
	CHECK_INT(cli("grep -q '" GONE "' said.0 && grep -qx 9 code.0"), 0);
}

/* Rank 1 has no more to do then and waits for the end of MPI; mpirun ends rank 0. The drawing of the graph, which comes behind the tensors, waits until that has happened. */
TEST(a_rank_that_is_killed_while_results_are_written_leaves_them_as_they_were)
{
	CHECK_NEED(missing_ranks);
	REQUIRE_INT(cli("mkdir bin && printf '#!/bin/sh\ntouch writing\nexec sleep 60\n' >bin/dot && chmod +x bin/dot && echo old >c.npy && echo old >g.svg && "
			"printf '%s\n' 'echo $$ >pid.$OMPI_COMM_WORLD_RANK' 'exec $B/ptowsp-run --plugin=starpu --threads 1 --graph g.svg --out c=c.npy "
			"$P/bgemm.pkg.zst 2>said.$OMPI_COMM_WORLD_RANK' >rank.sh"),
		    0);
	CHECK_INT(cli(check_fmt("PATH=$PWD/bin:$PATH; %s & until test -e writing; do sleep 0.02; done; s=" NOW
				"; kill -9 $(cat pid.1); wait $!; code=$?; echo $((" NOW " - s)) >ms; exit $code",
				under_mpirun(2, "sh rank.sh"))),
		  137);
	end_was_soon("while rank 0 writes results");
	CHECK_INT(cli("grep -qx 'ptowsp-run: cancelled by a signal' said.0"), 0);
	CHECK_INT(cli("test $(cat c.npy g.svg | grep -cx old) = 2 && ! ls -A | grep ptowsp-output"), 0);
}

/* The others wait for it in a run that it does not begin. */
TEST(a_rank_that_fails_alone_ends_the_others)
{
	CHECK_NEED(missing_ranks);
	REQUIRE_INT(cli("$B/ptowsp-run --plugin=cpu_sim --out c=in.0.npy $P/bgemm.pkg.zst"), 0);
	CHECK_INT(cli(under_mpirun(2, "sh -c '$B/ptowsp-run --plugin=starpu --threads 1 --in a=in.$OMPI_COMM_WORLD_RANK.npy $P/bgemm.pkg.zst'")), 2);
	CHECK_CONTAINS(cli_err, "rank 1/2: --in a: in.1.npy cannot be read");
}

/* Rank 0 waits in MPI for one that never comes to it. */
TEST(opening_ends_in_time)
{
	CHECK_NEED(missing_ranks);
	CHECK_INT(cli(under_mpirun(
			  2, "sh -c '[ $OMPI_COMM_WORLD_RANK = 0 ] || exec sleep 60; exec $B/ptowsp-run --plugin=starpu --threads 1 --load-timeout-ms 500 "
			     "$P/bgemm.pkg.zst'")),
		  10);
	CHECK_CONTAINS(cli_err, "did not end in 500 ms");
}

/* By hand as by ptowsp-run: rank 0 alone has results, and compares them. */
TEST(a_rank_may_be_stated)
{
	CHECK_NEED(missing_ranks);
	CHECK_INT(cli(under_mpirun(2, "sh -c '$B/ptowsp-run --plugin=starpu --threads 1 --opt rank=$OMPI_COMM_WORLD_RANK/2 --out c=$OMPI_COMM_WORLD_RANK.npy "
				      "$P/bgemm.pkg.zst'")),
		  0);
	CHECK_INT(cli_lines(cli_out), 1);
	CHECK_INT(cli("$B/ptowsp-run --plugin=cpu_sim --out c=c.npy $P/bgemm.pkg.zst && cmp c.npy 0.npy && test ! -e 1.npy"), 0);
}

/* Rank 1 has other words than rank 0: whichever is about to do more says so, and both end before a block has gone. */
TEST(ranks_that_are_not_to_do_the_same_are_refused)
{
	static const struct {
		const char *words[2], *text;
	} rows[] = {{{"--set rows=3 $P/llama.pkg.zst", "--set rows=2 $P/llama.pkg.zst"}, "starpu: rank 1/2 has other values (--set) than rank 0"},
		    {{"$P/bgemm.pkg.zst", "$P/softmax.pkg.zst"}, "starpu: rank 1/2 has another package or schedule than rank 0"},
		    {{"--fill a=iota $P/bgemm.pkg.zst", "--fill a=ones $P/bgemm.pkg.zst"}, "starpu: rank 1/2 has other inputs than rank 0"},
		    {{"--opt whole=1 $P/bgemm.pkg.zst", "$P/bgemm.pkg.zst"}, "starpu: rank 1/2 has the option whole otherwise than rank 0"},
		    {{"--runs 2 $P/bgemm.pkg.zst", "$P/bgemm.pkg.zst"}, "starpu: rank 1/2 has ended, and rank 0 begins a run"},
		    {{"$P/bgemm.pkg.zst", "--runs 2 $P/bgemm.pkg.zst"}, "rank 1/2: starpu: rank 0/2 has ended, and rank 1 begins a run"}};

	CHECK_NEED(missing_ranks);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK_INT(cli(under_mpirun(
				  2, check_fmt("sh -c 'if [ $OMPI_COMM_WORLD_RANK = 0 ]; then exec $B/ptowsp-run --plugin=starpu --threads 1 %s; else exec "
					       "$B/ptowsp-run --plugin=starpu --threads 1 %s; fi'",
					       rows[i].words[0], rows[i].words[1]))),
			  2);
		CHECK_CONTAINS(cli_err, rows[i].text);
	}
}

TEST(results_come_to_all_ranks_where_it_is_said)
{
	CHECK_NEED(missing_ranks);
	CHECK_INT(cli(under_mpirun(2, "sh -c '$B/ptowsp-run --plugin=starpu --threads 1 --opt rank=$OMPI_COMM_WORLD_RANK/2/all --stats=json --out "
				      "c=$OMPI_COMM_WORLD_RANK.npy $P/bgemm.pkg.zst >$OMPI_COMM_WORLD_RANK.json'")),
		  0);
	CHECK_INT(cli("$B/ptowsp-run --plugin=cpu_sim --out c=c.npy $P/bgemm.pkg.zst && cmp c.npy 0.npy && cmp c.npy 1.npy"), 0);
	CHECK_INT(cli("grep -o '\"total_cycles\": [0-9]*' 0.json >0; grep -o '\"total_cycles\": [0-9]*' 1.json | cmp - 0"), 0);
	if (getenv("PTOWSP_TEST_LONG"))
		CHECK_INT(ranks_run(2, "--capabilities --verify --plugin=starpu --threads 1"), 0);
}

TEST(a_plugin_without_ranks_says_so)
{
	CHECK_NEED(missing);
	CLI_ERR(2, "OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=4 $B/ptowsp-run --plugin=cpu_sim $P/vector_add.pkg.zst",
		"a launcher started 4 of these, and cpu_sim runs in one process; --ranks=ignore runs so many copies");
	CLI_ERR(2, "OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=4 $B/ptowsp-run $P/vector_add.pkg.zst",
		"name the plugin that runs on all of them, --plugin=NAME");
	CLI_ERR(2, "OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=4 $B/ptowsp-run --plugin=auto $P/vector_add.pkg.zst",
		"name the plugin that runs on all of them, --plugin=NAME");
	CLI_ERR(2, "$B/ptowsp-run --ranks=some --plugin=cpu_sim $P/vector_add.pkg.zst", "--ranks takes auto or ignore");
	CLI_OUT(0, "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 $B/ptowsp-run --ranks=ignore --plugin=cpu_sim $P/vector_add.pkg.zst", "compare: ok");
	CHECK_INT(cli("OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 $B/ptowsp-run --list-plugins"), 0);
	CHECK_STR(cli_out, ""); /* rank 0 lists them */
	CLI_ERR(2, "OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=4 $B/ptowsp-run --nonsense", "ptowsp-run: rank 3/4: flag \"--nonsense\" is unknown");
	CLI_ERR(2, "OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 $B/ptowsp-run --plugin=starpu --opt trace=real --graph g.txt $P/bgemm.pkg.zst",
		"trace=real has the tasks of rank 0 alone, and a graph needs all");
	CLI_ERR(2, "$B/ptowsp-run --plugin=starpu --opt rank=4/4 $P/vector_add.pkg.zst", "option rank takes I/N");
	CLI_ERR(2, "$B/ptowsp-run --plugin=starpu --opt rank=0/65 $P/vector_add.pkg.zst", "65 ranks are too many; start at most 64");
	CLI_ERR(2, "$B/ptowsp-run --plugin=starpu --opt rank=0/4/some $P/vector_add.pkg.zst", "or I/N/all");
}

void suite_starpu(CU_pSuite s)
{
	example_rows_add(s, "", an_example_has_the_bytes_of_cpu_sim);
	example_rows_add(s, "opencl_", an_example_runs_on_an_opencl_worker);
}
