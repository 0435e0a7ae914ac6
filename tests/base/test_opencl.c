/* SPDX-License-Identifier: MIT
 * test_opencl.c - the opencl backend on the device of this machine (PoCL, where nothing else is): every operation of every type and random programs against the interpreter in each way that memory and
 * tiles can lie, the examples against cpu_sim, cancel, what it says when it cannot. Skipped where there is no driver. PTOWSP_SEED=n repeats a trial. */
#include <stdlib.h>
#include <string.h>

#include "base/ops.h"
#include "isa/isa_program.h"
#include "opencl/opencl_backend.h"
#include "opencl/opencl_program.h"
#include "ptowsp/note.h"
#include "tests/base/emit_trials.h"
#include "tests/check.h"
#include "tests/host/fake_host.h"
#include "tests/isa/tile_random.h"
#include "tests/tools/example_rows.h"

static struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};

/* ---- a device, and programs on it ---------------------------------------------------------------------------------------- */

static const char *option_key, *option_value;
static struct base_kernel rows[TILE_TYPES];
static struct base_program program;

static int never(void *context)
{
	(void)context;
	return 0;
}

static bool device_open(void)
{
	fake_reset();
	fake.ops = &opencl_ops;
	REQUIRE_INT(fake_init(option_key, option_value, &error), 0);
	if (fake_open(1, &error) == PTOWSP_OK)
		return true;
	fake_stop();
	return false;
}

static const char *device_missing(void)
{
	option_key = NULL;
	if (!device_open())
		return "not run here: there is no OpenCL device";
	fake_stop();
	return NULL;
}

static void programs_finish(void)
{
	if (!program.device)
		return;
	opencl_unload(&program);
	free(program.kernels.scratch);
	fake_stop();
}

static bool programs_make(struct isa_program *const *programs, unsigned count)
{
	program = (struct base_program){.device = NULL};
	if (!device_open()) {
		CHECK_FAIL("%s", error.text);
		return false;
	}
	program.device = (struct base_device *)(void *)fake.device;
	program.kernels = (struct base_kernels){.instance = program.device->instance, .rows = rows, .count = count, .workers = 1};
	for (unsigned i = 0; i < count; i++) {
		rows[i] = (struct base_kernel){.name = "trial", .isa = programs[i], .blocks = 1};
		if (isa_program_scratch(programs[i]) > program.kernels.scratch_bytes)
			program.kernels.scratch_bytes = isa_program_scratch(programs[i]);
	}
	program.kernels.scratch = aligned_alloc(64, program.kernels.scratch_bytes / 64 * 64 + 64);
	if (opencl_bind(&program, &error)) {
		CHECK_FAIL("%s", error.text);
		return false;
	}
	return true;
}

static ptowsp_status block_call(void *function, const struct ptowsp_task *task, uint64_t *cycles_out)
{
	const struct isa_guard guard = {never, NULL};
	struct ptowsp_error why = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct ptowsp_kernel_out out = {.head = PTOWSP_HEAD(out, KERNEL_OUT), .error = &why};
	struct ptowsp_task call = *task;
	ptowsp_status status;

	call.kernel = (uint32_t)(uintptr_t)function;
	status = opencl_block(program.own, call.kernel, &call, &out, 0, &guard);
	if (status && !why.text[0])
		CHECK_FAIL("a task ends with %d and no sentence", status);
	*cycles_out = out.cycles;
	return status;
}

/* What the driver's library computes: erfc, and exp, log and tanh of f64. */
static bool is_driver(const struct isa_program *p)
{
	for (uint32_t i = 0; i < p->header.inst_count; i++) {
		const unsigned op = p->insts[i].op;
		const bool f64 = p->steps[i].a.dtype == PTOWSP_F64;

		if (op == PTOWSP_PTO_TGELU ||
		    (f64 && (op == PTOWSP_PTO_TEXP || op == PTOWSP_PTO_TLOG || op == PTOWSP_PTO_TTANH || op == PTOWSP_PTO_TSIGMOID || op == PTOWSP_PTO_TSILU)))
			return true;
	}
	return false;
}

static const struct emit_way way = {.target = "opencl",
				    .call = block_call,
				    .make = programs_make,
				    .finish = programs_finish,
				    .near = is_driver,
				    .cycles = true,
				    .products = true,
				    .tolerance = 1e-2};

static void trials(const char *key, const char *value, int part, unsigned seed)
{
	if (PTOWSP_SANITIZER)
		CHECK_SKIP("not run here: compilers in this process are no code of ours; the release build does it");
	CHECK_NEED(device_missing);
	option_key = key;
	option_value = value;
	emit_trials_run(&way, random_start() + seed, part);
}

static void way_run(unsigned number, const char *key, const char *value)
{
	if (!check_turn(number, 3))
		CHECK_SKIP("drivers compile slowly: one of the three ways a day, all with --long");
	trials(key, value, -1, (number + 1) * 1000);
}

TEST(every_operation_of_every_type_does_what_the_interpreter_does)
{
	for (unsigned part = 0; part < 4; part++)
		if (check_turn(part, 4))
			trials(NULL, NULL, (int)part, part * 100);
}

TEST(random_programs_do_so_where_the_memory_is_shared)
{
	way_run(0, "memory", "shared");
}

TEST(random_programs_do_so_by_copies)
{
	way_run(1, "memory", "copied");
}

TEST(random_programs_do_so_with_tiles_in_global_memory)
{
	way_run(2, "tiles", "global");
}

/* ---- the plugin from outside ---------------------------------------------------------------------------------------------- */

static void an_example_has_the_bytes_of_cpu_sim(void)
{
	static const char *const ways[] = {"opencl", "opencl --opt memory=copied"};

	CHECK_NEED(device_missing);
	example_has_bytes_of_cpu_sim(example_row_of(check_name()), "opencl", ways, 2);
}

/* PoCL takes minutes to compile larger kernels for several work-items. */
TEST(an_example_runs_by_many_work_items)
{
	CHECK_NEED(device_missing);
	CLI_OUT(0, "$B/ptowsp-run --plugin=opencl --opt width=8 $P/vector_add.pkg.zst", "compare: ok (1 tensor, 2048 elements, max abs 0)");
}

/* Small, for its compiler is asked for a binary. The driver's own cache is not in the way: what was found is said. */
TEST(a_binary_of_an_earlier_load_is_found)
{
	CHECK_NEED(device_missing);
	CHECK_INT(cli("rm -rf kept && mkdir kept"), 0);
	for (int i = 0; i < 3; i++)
		CLI_OUT(0,
			check_fmt(
				"XDG_CACHE_HOME=\"$PWD/kept\" $B/ptowsp-run --plugin=opencl --opt binaries=on %s --stats --out c=%d.npy $P/vector_add.pkg.zst",
				i == 2 ? "--isolate=none" : "--isolate=process", i),
			i ? "compiled earlier: 1 pieces of" : "compare: ok");
	CHECK_INT(cli("cmp 0.npy 1.npy && cmp 0.npy 2.npy && test \"$(ls kept/ptowsp/compiled | wc -l)\" -eq 1"), 0);
}

/* Copies of tensors between host and device in a run of a package whose kernels the driver has built before. */
static void moved_check(const char *package, const char *there, const char *back)
{
	CLI_OUT(0, check_fmt("$B/ptowsp-run --plugin=opencl --opt memory=copied --stats $P/%s.pkg.zst | tr -s ' '", package),
		check_fmt("to the device, transfers %s\n", there), check_fmt("from the device, transfers %s\n", back));
}

TEST(each_tensor_goes_there_and_back_once)
{
	CHECK_NEED(device_missing);
	cli_begin();
	moved_check("bgemm", "3", "1"); /* versions of its temp tensor stay there */
	moved_check("vector_add", "3", "1");
	moved_check("predicated", "3", "18"); /* slots are loaded from what tasks wrote */
}

/* Tensors of a chain lie on the device before its runs and behind them. */
TEST(a_chain_of_runs_moves_nothing)
{
	static const char *const packages[] = {"bgemm", "vector_add"};

	CHECK_NEED(device_missing);
	for (size_t i = 0; i < sizeof(packages) / sizeof(*packages); i++)
		CLI_OUT(0, check_fmt("$B/ptowsp-run --plugin=opencl --opt memory=copied --chain --runs 3 --stats $P/%s.pkg.zst | tr -s ' '", packages[i]),
			"to the device, transfers 0\n", "from the device, transfers 0\n", "stayed on the device\n");
	CLI_OUT(0, "$B/ptowsp-run --plugin=opencl --opt memory=copied --chain --runs 3 $P/vector_add.pkg.zst", "compare: ok");
	CLI_OUT(0, "$B/ptowsp-run --plugin=opencl --chain --runs 3 $P/vector_add.pkg.zst", "compare: ok");
	CLI_OUT(0, "$B/ptowsp-run --plugin=opencl --opt memory=copied --chain --runs 2 --schedule spatial_map=2,2 --schedule layout=a,S0 $P/matmul.pkg.zst",
		"compare: ok");
}

/* A region of which the device, a C function of the host, the host's own copies and slots have a part in turn; the arena has room for few versions, which are moved together; and parts of a
 * layout lie nowhere that the device knows. */
TEST(host_and_device_see_what_the_other_wrote)
{
	static const char *const ways[] = {"", "--schedule heap=1536", "--threads 4 --runs 2", "--opt tiles=global"};

	CHECK_NEED(device_missing);
	REQUIRE_INT(cli(check_fmt("$B/ptowsp-pack %s/tests/base/opencl_turns.pto -o turns.pkg.zst", check_root())), 0);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		REQUIRE_INT(cli(check_fmt("$B/ptowsp-run -q %s --fill x=random:1 --out y=cpu.npy turns.pkg.zst", i == 3 ? "" : ways[i])), 0);
		REQUIRE_INT(cli(check_fmt("$B/ptowsp-run -q --plugin=opencl --opt memory=copied %s --fill x=random:1 --out y=ocl.npy turns.pkg.zst", ways[i])),
			    0);
		CHECK_INT(cli("cmp cpu.npy ocl.npy"), 0);
	}
	CLI_OUT(0, "$B/ptowsp-run --plugin=opencl --opt memory=copied --schedule spatial_map=2,2 --schedule layout=a,S0 $P/matmul.pkg.zst", "compare: ok");
}

TEST(a_driver_has_a_process_of_its_own_and_waivers)
{
	CHECK_NEED(device_missing);
	CLI_OUT(0, "$B/ptowsp-run --list-plugins", "runs in a process of its own, as its driver declares threads,environment,handlers");
	CLI_OUT(0, "$B/ptowsp-run --plugin=opencl --stats=json $P/vector_add.pkg.zst", "\"isolation\": \"process\"");
	CLI_OUT(0, "$B/ptowsp-conform --test '*_leave_the_process_alone' $B/../lib/ptowsp/plugins/libptowsp_opencl.so",
		"# WAIVED driver=", "1 ok, 0 not ok, 0 skipped, 1 waived");
	CLI_OUT(1, "$B/ptowsp-conform --no-waivers --test '*_leave_the_process_alone' $B/../lib/ptowsp/plugins/libptowsp_opencl.so", "(PL8)");
}

TEST(a_device_that_is_not_there_is_named)
{
	CHECK_NEED(device_missing);
	CLI_ERR(8, "$B/ptowsp-run --plugin=opencl --opt device=nosuch $P/vector_add.pkg.zst", "no OpenCL device is device=nosuch; there is 0: ");
	CLI_ERR(2, "$B/ptowsp-run --plugin=opencl --opt width=5000 $P/vector_add.pkg.zst", "option width takes ");
	CLI_ERR(2, "$B/ptowsp-run --plugin=opencl --opt width=3 $P/vector_add.pkg.zst", "option width takes ");
}

TEST(without_a_driver_it_says_so)
{
	CLI_ERR(8, "OCL_ICD_VENDORS=/nonexistent $B/ptowsp-run --plugin=opencl $P/vector_add.pkg.zst", "OpenCL");
	CLI_ERR(8, "OCL_ICD_VENDORS=/nonexistent $B/ptowsp-run --capabilities --verify --plugin=opencl", "nothing is proved, as no device could be opened: ");
}

/* The device of a driver that keeps what it compiles in files. */
TEST(without_a_cache_that_it_can_write_pocl_says_so)
{
	CHECK_NEED(device_missing);
	if (cli("$B/ptowsp-run --plugin=opencl --opt 'device=Portable Computing Language' --isolate=process -q $P/vector_add.pkg.zst"))
		CHECK_SKIP("not run here: the driver is not PoCL");
	CLI_ERR(8, "env -u POCL_CACHE_DIR XDG_CACHE_HOME=/dev/null $B/ptowsp-run --plugin=opencl $P/vector_add.pkg.zst",
		"cannot write its cache, which is below /dev/null");
}

/* A loop that counts for years: by the deadline, and by the interpreter's limit of jumps nowhere near. */
TEST(a_kernel_without_an_end_is_ended)
{
	CHECK_NEED(device_missing);
	REQUIRE_INT(cli("printf '%s\\n' 'tensor %x : f32[8, 8] inout' 'func @turn(%a: !pto.memref<gm,...,f32>, %n: i32) {' '  %t = alloc_tile : "
			"!pto.tile<8x8xf32>' "
			"'  %c = alloc_scalar : u1' '  %k = alloc_scalar : i64' '  LI %k:i64, 0' '  %t = tload %a[0, 0]' '  WHILE' "
			"'    CMP %c:u1, %k:i64, 9000000000000000000:i64, LT' '  DO %c:u1' '    ADD %k:i64, %k:i64, 1:i64' '    %t = tadd %t, %t' '  ENDWHILE' "
			"'  tstore %t, %a[0, 0]' '}' 'workload @main {' '  call @turn(%a -> %x[0, 0], %n -> 1)' '}' >turn.pto && $B/ptowsp-pack turn.pto -o "
			"turn.pkg.zst"),
		    0);
	CLI_ERR(10, "$B/ptowsp-run --plugin=opencl --timeout-ms=20000 turn.pkg.zst", "the deadline passed in kernel turn");
}

void suite_opencl(CU_pSuite s)
{
	example_rows_add(s, "", an_example_has_the_bytes_of_cpu_sim);
}
