/* SPDX-License-Identifier: MIT
 * test_a2a3.c - the a2a3 plugin on a machine without an Ascend device: what can be asked without one, and what is said of what is missing. */
#include "ascend/engine/cores.h"
#include "ascend/hardware.h"
#include "tests/contract/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOWHERE "env -u ASCEND_HOME_PATH "

TEST(what_needs_no_device_needs_no_device)
{
	static const char *const asked[] = {"--devices --plugin=a2a3", "--capabilities --plugin=a2a3", "--capabilities --plugin=a2a3 --device=950-0",
					    "--help --plugin=a2a3", "--list-plugins"};

	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++)
		CHECK_INT(cli(check_fmt(NOWHERE "$B/ptowsp-run %s", asked[i])), 0);
	CHECK_INT(cli(NOWHERE "$B/ptowsp-run --explain --plugin=a2a3 $P/softmax.pkg.zst"), 8); /* as a run: it says so, behind what is known without one */
	CHECK_CONTAINS(cli_out, "\nload: refused, exit 8: ASCEND_HOME_PATH is not set");
	CHECK_CONTAINS(cli_out, "\nverdicts:\n");
	cli_check_sentence();
	CHECK_INT(cli(NOWHERE "$B/ptowsp-run --devices --plugin=ascend_950"), 0);
	CHECK_INT(strncmp(cli_out, "a2a3 950-0: ", 12), 0);
	CHECK_INT(cli(NOWHERE "$B/ptowsp-run --devices --plugin=dav_c310 --opt device=910c"), 0);
	CHECK_INT(strncmp(cli_out, "a2a3 910c-0: ", 13), 0);
	CLI_OUT(0, NOWHERE "$B/ptowsp-run --devices --plugin=a2a3",
		"a2a3 910b-0: Ascend 910B (A2), 24 cube and 48 vector cores\n  engine pto-runtime tensormap_and_ringbuffer, cycle model plan, timing events");
}

/* Rows say what a device would do; nothing here has shown it. */
TEST(its_rows_are_claims)
{
	CLI_OUT(0, NOWHERE "$B/ptowsp-run --capabilities --plugin=a2a3 --json", "\"evidence\": \"claimed\"");
	CHECK(!strstr(cli_out, "\"evidence\": \"self"));
	CLI_OUT(0, NOWHERE "$B/ptowsp-run --capabilities --plugin=a2a3", "cycles per kernel                    recorded",
		"payload pto                          claimed         claimed\n", "payload image                        claimed         claimed\n",
		"CA_AFFINITY                          recorded        recorded\n");
	CHECK(!strstr(cli_out, " enforced "));
	CHECK_INT(cli(NOWHERE "$B/ptowsp-run --capabilities --verify --plugin=a2a3"), 8); /* and what nobody can look at is not called false */
	CHECK_INT(strncmp(cli_out, "a2a3 0.1.0: nothing is proved, as its device cannot be opened: ", 62), 0);
	CHECK_CONTAINS(cli_out, "payload image                        claimed ");
	CHECK_CONTAINS(cli_out, " 0 false");
	CHECK_CONTAINS(cli_err, "ptowsp-run: nothing is proved, as no device could be opened: ");
}

TEST(a_run_ends_with_8_and_says_what_is_missing)
{
	static const struct {
		const char *environment, *options, *said;
	} rows[] = {
		{"env -u ASCEND_HOME_PATH", "--plugin=a2a3", "ASCEND_HOME_PATH is not set"},
		{"env ASCEND_HOME_PATH=", "--plugin=a2a3", "ASCEND_HOME_PATH is not set"},
		{"env ASCEND_HOME_PATH=$T/none", "--plugin=a2a3", "no libascendcl.so in lib64, runtime/lib64 and *-linux/lib64 of ASCEND_HOME_PATH="},
		{"env -u ASCEND_HOME_PATH", "--plugin=ascend_910b", "ASCEND_HOME_PATH"},
		{"env -u ASCEND_HOME_PATH", "--plugin=a2a3 --device=950-1 --opt clock=own", "ASCEND_HOME_PATH"},
		{"env -u ASCEND_HOME_PATH", "--plugin=a2a3 --no-kernels", "ASCEND_HOME_PATH"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CLI_ERR(8, check_fmt("%s $B/ptowsp-run %s $P/vector_add.pkg.zst", rows[i].environment, rows[i].options), rows[i].said);
		cli_check_sentence();
	}
	CLI_ERR(2, NOWHERE "$B/ptowsp-run --plugin=a2a3 --opt clock=reference $P/vector_add.pkg.zst",
		"clock=reference: a pto-runtime keeps no clock, its cycles are those of the plan");
	CHECK_INT(cli(NOWHERE "$B/ptowsp-run --plugin=a2a3 --opt aicpus=9 $P/vector_add.pkg.zst"), 2);
	CHECK_INT(cli(NOWHERE "$B/ptowsp-run --plugin=a2a3 --device=cpu0 $P/vector_add.pkg.zst"), 8);
}

/* ---- looking, in a folder that stands for a machine -------------------------------------------------------------- */

static const char *folder(void)
{
	return check_fmt("%s/test/a2a3.machine", check_build());
}

/* A file of the machine, empty; what is there so far. */
static void file_make(const char *path)
{
	REQUIRE_INT(check_run(check_fmt("mkdir -p \"$(dirname '%s/%s')\" && : >'%s/%s'", folder(), path, folder(), path), NULL, NULL), 0);
}

TEST(each_thing_is_missed_until_it_is_there)
{
	static const struct {
		const char *said, *make; /* what is said, and the file that helps */
	} steps[] = {
		{"no libascendcl.so in lib64", "cann/lib64/libascendcl.so"},
		{"no libruntime.so in lib64", "cann/x86_64-linux/lib64/libruntime.so"},
		{"no libascend_hal.so of the Ascend driver in LD_LIBRARY_PATH", "usr/local/Ascend/driver/lib64/driver/libascend_hal.so"},
		{"/dev/davinci1; npu-smi info lists", "dev/davinci1"},
	};
	char home[700], root[600];
	struct ascend_places places = {.home = home, .root = root};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ascend_hardware found;

	snprintf(root, sizeof(root), "%s", folder());
	snprintf(home, sizeof(home), "%s/cann", root);
	REQUIRE_INT(check_run(check_fmt("rm -rf '%s' && mkdir -p '%s'", root, home), NULL, NULL), 0);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		CHECK_INT(ascend_hardware_find(&found, &places, 1, &error), PTOWSP_NO_DEVICE);
		CHECK_CONTAINS(error.text, steps[i].said);
		file_make(steps[i].make);
	}
	CHECK_INT(ascend_hardware_find(&found, &places, 1, &error), PTOWSP_OK);
	CHECK_STR(found.runtime, check_fmt("%s/x86_64-linux/lib64/libruntime.so", home));
	CHECK_STR(found.device, check_fmt("%s/dev/davinci1", root));
	CHECK_INT(ascend_hardware_find(&found, &places, 0, &error), PTOWSP_NO_DEVICE);
	CHECK_CONTAINS(error.text, "/dev/davinci0");
}

/* The linker's path goes before the driver's own folder. */
TEST(the_driver_is_looked_for_where_the_linker_looks)
{
	char home[700], root[600], path[1400];
	struct ascend_places places = {.home = home, .root = root, .library = path};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ascend_hardware found;

	snprintf(root, sizeof(root), "%s", folder());
	snprintf(home, sizeof(home), "%s/cann", root);
	snprintf(path, sizeof(path), ":%s/nothing:%s/mine:", root, root);
	REQUIRE_INT(check_run(check_fmt("rm -rf '%s'", root), NULL, NULL), 0);
	file_make("cann/lib64/libascendcl.so");
	file_make("cann/runtime/lib64/libruntime.so");
	file_make("dev/davinci0");
	CHECK_INT(ascend_hardware_find(&found, &places, 0, &error), PTOWSP_NO_DEVICE);
	CHECK_CONTAINS(error.text, "libascend_hal.so");
	file_make("mine/libascend_hal.so");
	CHECK_INT(ascend_hardware_find(&found, &places, 0, &error), PTOWSP_OK);
	CHECK_STR(found.driver, check_fmt("%s/mine/libascend_hal.so", root));
}

/* ---- a device, by the fake CANN of tests/fakes -------------------------------------------------------------------- */

#define MACHINE   "ASCEND_HOME_PATH=$B/../fakes/machine/cann LD_LIBRARY_PATH=$B/../fakes/machine/usr/local/Ascend/driver/lib64/driver FAKE_CANN_LOG=$T/log "
#define ON_DEVICE "--plugin=a2a3 --opt root=$B/../fakes/machine --opt runtime=$B/../fakes/simpler --opt cache=$B/../test/ascend_cache --fill x=iota"

/* What a device gets of a kernel: the text section of a function that takes the runtime's records. Here it is this machine's code. */
static const char kernel_source[] = "#include <stdint.h>\n"
				    "struct tensor { uint64_t address, size, owner, start; };\n"
				    "void kernel_entry(int64_t *a)\n{\n"
				    "	const struct tensor *x = (const struct tensor *)(uintptr_t)a[0], *y = (const struct tensor *)(uintptr_t)a[1];\n"
				    "	const float *from = (const float *)(uintptr_t)x->address + x->start;\n"
				    "	float *to = (float *)(uintptr_t)y->address + y->start;\n"
				    "	for (int i = 0; i < 16; i++)\n		to[i] = from[i] + (float)a[2];\n}\n";
static const char package_source[] = "module @onboard\n"
				     "tensor %x : f32[64, 16] in\ntensor %y : f32[64, 16] out\ntensor %z : f32[64, 16] out\n"
				     "kernel @add(%a: f32[1, 16] in, %b: f32[1, 16] out, %n: i64) on vector { image a2a3 \"k.bin\" cycles 100 }\n"
				     "workload @main {\n  parallel_for %i in 0 to 64 {\n    call @add(%a -> %x[%i, 0], %b -> %y[%i, 0], %n -> 1)\n"
				     "    call @add(%a -> %y[%i, 0], %b -> %z[%i, 0], %n -> %i)\n  }\n}\n"
				     "workload @copied { call @add(%a -> %x[0, 0], %b -> %y[0, 0], %n -> 1) \n  copy %y -> %z }\n";

/* False: there is nothing to compile with. */
static bool device_begin(void)
{
	cli_begin();
	if (cli("g++ --version && gcc --version && objcopy --version"))
		return false;
	REQUIRE_INT(cli(check_fmt("cat >k.c <<'END'\n%s\nEND\n"
				  "gcc -c -O1 -ffreestanding -fPIC -fcf-protection=none -fno-asynchronous-unwind-tables -fno-stack-protector k.c -o k.o || "
				  "gcc -c -O1 -ffreestanding -fPIC -fno-asynchronous-unwind-tables -fno-stack-protector k.c -o k.o\n"
				  "objcopy -O binary -j .text k.o k.bin",
				  kernel_source)),
		    0);
	REQUIRE_INT(cli(check_fmt("cat >d.pto <<'END'\n%s\nEND\n$B/ptowsp-pack d.pto -o d.pkg.zst && sed s/a2a3/dav_c310/ d.pto >other.pto && "
				  "$B/ptowsp-pack other.pto -o other.pkg.zst",
				  package_source)),
		    0);
	return true;
}
#define NEED_DEVICE()                                                                                                                                          \
	do {                                                                                                                                                   \
		if (!device_begin())                                                                                                                           \
			CHECK_SKIP("there is no g++, gcc and objcopy to compile for the fake device with");                                                    \
	} while (0)

/* In the order of the real one; each once or more. */
static void check_log(void)
{
	static const char *const order[] = {"aclInit",
					    "rtSetDevice",
					    "rtStreamCreate",
					    "rtAicpuKernelLaunchExWithArgs",
					    "rtsBinaryLoadFromFile",
					    "rtRegisterAllKernel",
					    "rtsLaunchCpuKernel",
					    "halMemCtl",
					    "rtKernelLaunchWithHandleV2",
					    "rtsLaunchCpuKernel",
					    "aclrtSynchronizeStreamWithTimeout",
					    "rtMemcpy",
					    "rtsBinaryUnload",
					    "rtStreamDestroy",
					    "aclrtResetDevice",
					    "aclFinalize"};
	const char *at;

	REQUIRE_INT(cli("cat log"), 0);
	at = cli_out;
	CHECK(!strstr(at, "WRONG"));
	for (size_t i = 0; at && i < sizeof(order) / sizeof(*order); i++) {
		at = strstr(at, order[i]);
		CHECK_STR(at ? order[i] : "missing", order[i]);
	}
}

TEST(a_package_runs_on_a_device_to_its_end)
{
	static const char *const variants[] = {"tensormap_and_ringbuffer", "host_build_graph"}, *const places[] = {"none", "process"};
	json_t *stats;
	size_t bytes;
	float *z;

	NEED_DEVICE();
	for (size_t i = 0; i < 4; i++) {
		REQUIRE_INT(cli(check_fmt("rm -f log; " MACHINE "$B/ptowsp-run " ON_DEVICE
					  " --isolate=%s --opt variant=%s --trust=all --runs 2 --out z=z.npy --stats=json d.pkg.zst",
					  places[i / 2], variants[i % 2])),
			    0);
		stats = cli_json();
		REQUIRE(stats != NULL);
		CHECK_STR(cli_text(stats, "device"), "910b-0");
		CHECK_STR(cli_text(stats, "engine"), check_fmt("pto-runtime %s", variants[i % 2]));
		CHECK_STR(cli_text(stats, "cycle_model"), "plan");
		CHECK_STR(cli_text(stats, "numerics"), "device");
		CHECK_INT(cli_int(stats, "num_tasks"), 128);
		CHECK_INT(cli_int(stats, "total_cycles"), 200); /* what the package says of its kernel, twice */
		z = cli_npy_read("z.npy", "<f4", &bytes);
		REQUIRE(z != NULL);
		REQUIRE_INT(bytes, 4096);
		for (int at = 0; at < 1024; at++)
			CHECK_NEAR(z[at], at + 1 + at / 16, 0);
		free(z);
		check_log();
	}
}

/* A cube core runs an image of its own beside that of the vector cores. */
static const char cube_source[] = "#include <stdint.h>\n"
				  "struct tensor { uint64_t address, size, owner, start; };\n"
				  "void kernel_entry(int64_t *a)\n{\n"
				  "	const struct tensor *x = (const struct tensor *)(uintptr_t)a[0], *z = (const struct tensor *)(uintptr_t)a[2];\n"
				  "	const float *from = (const float *)(uintptr_t)x->address + x->start;\n"
				  "	float *to = (float *)(uintptr_t)z->address + z->start;\n"
				  "	for (int i = 0; i < 16; i++)\n		to[i] = from[i] + from[i];\n}\n";

TEST(a_mixed_kernel_has_an_image_for_its_cube_core)
{
	size_t bytes;
	float *y, *z;

	NEED_DEVICE();
	REQUIRE_INT(cli(check_fmt(
			    "sed 's/a\\[2\\]/a[3]/' k.c >v.c; cat >q.c <<'END'\n%s\nEND\n"
			    "for f in v q; do gcc -c -O1 -ffreestanding -fPIC -fno-asynchronous-unwind-tables -fno-stack-protector $f.c -o $f.o && "
			    "objcopy -O binary -j .text $f.o $f.bin; done\n"
			    "cat >m.pto <<'END'\nmodule @m\ntensor %%x : f32[64, 16] in\ntensor %%y : f32[64, 16] out\ntensor %%z : f32[64, 16] out\n"
			    "kernel @k(%%a: f32[1, 16] in, %%b: f32[1, 16] out, %%c: f32[1, 16] out, %%n: i64) "
			    "{ image a2a3 \"v.bin\" cycles 100\n image dav_c220_cube \"q.bin\" cycles 120 }\n"
			    "workload @main { parallel_for %%i in 0 to 64 { call @k(%%a -> %%x[%%i, 0], %%b -> %%y[%%i, 0], %%c -> %%z[%%i, 0], %%n -> 1) } }\n"
			    "END\n$B/ptowsp-pack m.pto -o m.pkg.zst",
			    cube_source)),
		    0);
	CLI_OUT(0, MACHINE "$B/ptowsp-run " ON_DEVICE " --trust=all --out y=y.npy --out z=z.npy m.pkg.zst", " 64 tasks, 120 cycles");
	y = cli_npy_read("y.npy", "<f4", &bytes);
	z = cli_npy_read("z.npy", "<f4", &bytes);
	REQUIRE(y && z && bytes == 4096);
	for (int at = 0; at < 1024; at++) {
		CHECK_NEAR(y[at], at + 1, 0);
		CHECK_NEAR(z[at], 2 * at, 0);
	}
	free(y);
	free(z);
}

/* The same under the checking layers; and its calls once more, from the log. */
TEST(a_run_on_a_device_breaks_no_rule_and_is_replayed)
{
	NEED_DEVICE();
	CHECK_INT(cli(MACHINE "$B/ptowsp-run " ON_DEVICE " --trust=all --layer=trace:run.calls,validate,threads d.pkg.zst"), 0);
	CHECK(!strstr(cli_err, " broke "));
	CLI_OUT(0, MACHINE "$B/ptowsp-conform --replay run.calls $B/../lib/ptowsp/plugins/libptowsp_a2a3.so", " 1 runs, 0 differences");
}

/* Whichever function of CANN fails, and whether or not the device goes with it: its name is in the sentence, and nothing is left there. */
TEST(every_function_of_the_toolkit_may_fail)
{
	static const char *const names[] = {"aclInit",
					    "rtSetDevice",
					    "rtStreamCreate",
					    "aclrtGetStreamResLimit",
					    "rtMalloc",
					    "rtAicpuKernelLaunchExWithArgs",
					    "rtsBinaryLoadFromFile",
					    "rtsFuncGetByName",
					    "rtRegisterAllKernel",
					    "rtsLaunchCpuKernel",
					    "aclrtSynchronizeStreamWithTimeout",
					    "halMemCtl",
					    "rtKernelLaunchWithHandleV2",
					    "rtMemcpy"};
	static const int codes[] = {107017, 507018};

	NEED_DEVICE();
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		for (size_t c = 0; c < sizeof(codes) / sizeof(*codes); c++) {
			CLI_ERR(1,
				check_fmt("rm -f log; " MACHINE "FAKE_CANN_FAULT=%s:%d $B/ptowsp-run " ON_DEVICE " --trust=all d.pkg.zst", names[i], codes[c]),
				check_fmt("answers %d", codes[c]), "of the pto-runtime answers -1: ");
			CHECK_INT(cli("grep WRONG log"), 1);
			CHECK_INT(cli("grep -q aclrtResetDevice log || ! grep -q rtStreamCreate log"), 0);
		}
	CHECK_INT(cli("rm -f log; " MACHINE "$B/ptowsp-run " ON_DEVICE " --trust=all d.pkg.zst"), 0);
}

/* Of a whole machine one thing is taken away. */
TEST(what_a_machine_lacks_is_named)
{
	static const struct {
		const char *take, *said;
	} rows[] = {
		{"machine/cann/lib64/libascendcl.so", "no libascendcl.so in lib64, runtime/lib64 and *-linux/lib64 of ASCEND_HOME_PATH="},
		{"machine/cann/lib64/libruntime.so", "no libruntime.so in lib64, runtime/lib64 and *-linux/lib64 of ASCEND_HOME_PATH="},
		{"machine/usr/local/Ascend/driver/lib64/driver/libascend_hal.so", "no libascend_hal.so of the Ascend driver in LD_LIBRARY_PATH, "},
		{"machine/dev/davinci0", "/dev/davinci0; npu-smi info lists the devices that there are"},
		{"machine/cann/tools/hcc/bin/aarch64-target-linux-gnu-g++",
		 "aarch64-target-linux-gnu-g++, which compiles the orchestration for the pto-runtime, cannot be run"},
		{"simpler/build/lib/a2a3/onboard", "needs build/lib/a2a3/onboard/tensormap_and_ringbuffer/libhost_runtime.so below runtime=DIR"},
		{"simpler/build/lib/a2a3/dispatcher", "needs build/lib/a2a3/dispatcher/libsimpler_aicpu_dispatcher.so below runtime=DIR"},
		{"simpler/src", "has no src/a2a3/runtime/tensormap_and_ringbuffer to compile the orchestration against"},
	};

	NEED_DEVICE();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		REQUIRE_INT(cli(check_fmt("rm -rf machine simpler cache && cp -r $B/../fakes/machine machine && cp -r $B/../fakes/simpler simpler && rm -r %s",
					  rows[i].take)),
			    0);
		CLI_ERR(8,
			"ASCEND_HOME_PATH=$T/machine/cann LD_LIBRARY_PATH=$T/machine/usr/local/Ascend/driver/lib64/driver $B/ptowsp-run --quiet "
			"--plugin=a2a3 --opt root=$T/machine "
			"--opt runtime=$T/simpler --opt cache=cache --trust=all d.pkg.zst",
			rows[i].said);
		cli_check_sentence();
	}
	CLI_ERR(8, MACHINE "$B/ptowsp-run --plugin=a2a3 --opt root=$B/../fakes/machine --trust=all d.pkg.zst", "910b-0: runtime=DIR is not given");
}

TEST(what_a_device_has_no_code_for_is_refused)
{
	NEED_DEVICE();
	CLI_ERR(5, MACHINE "$B/ptowsp-run " ON_DEVICE " d.pkg.zst", "kernel add is unsupported on a2a3: native code (a2a3) needs --trust=all");
	CLI_ERR(5, MACHINE "$B/ptowsp-run " ON_DEVICE " --trust=all --entry copied d.pkg.zst",
		"copy is unsupported on a2a3: it has no way for that with its options as they are; take others, another backend or engine");
	CLI_ERR(5, MACHINE "$B/ptowsp-run " ON_DEVICE " --trust=all other.pkg.zst",
		"kernel add has no portable payload to compile for dav_c220, and no image; give it one");
	CHECK_INT(cli(MACHINE "$B/ptowsp-run " ON_DEVICE " --trust=all --emit tree other.pkg.zst"), 0);
	CHECK_CONTAINS(cli_err, "nothing was run: kernel add has no portable payload to compile");
	CLI_OUT(0, MACHINE "$B/ptowsp-run " ON_DEVICE " --trust=all --emit other --explain other.pkg.zst",
		"\nload: refused, exit 5: kernel add has no portable payload to compile");
	CHECK_INT(cli("test ! -e other"), 0);
}

/* ---- portable kernels, compiled for cores by the fake toolkit ------------------------------------------------------------ */

#define COMPILES                                                                                                                                               \
	MACHINE "FAKE_CORES=$T FAKE_CCEC_LOG=$T/cores $B/ptowsp-run --plugin=a2a3 --opt root=$B/../fakes/machine --opt runtime=$B/../fakes/simpler --opt "     \
		"cache=$T/cache "

TEST(portable_kernels_are_compiled_for_cores_once)
{
	static const char *const names[] = {"vector_add", "dynamic_softmax", "gemm_16", "predicated", "vector_example"};

	NEED_DEVICE();
	REQUIRE_INT(cli("rm -rf cache cores"), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		CLI_OUT(0, check_fmt(COMPILES "$P/%s.pkg.zst", names[i]), "compare: ok (");
		CHECK_CONTAINS(cli_err, "results need not be those of other backends bit for bit");
		CLI_OUT(0, check_fmt("mv cores before; " COMPILES "--opt variant=host_build_graph $P/%s.pkg.zst; rc=$?; test ! -e cores && exit $rc", names[i]),
			"compare: ok (");
	}
	check_log();
	CHECK_INT(cli("sort -u before | grep -qx dav-c220-vec"), 0);
}

/* The cube core and the vector cores of a cluster have a function each. */
TEST(kernels_that_multiply_are_compiled_for_both_kinds_of_cores)
{
	NEED_DEVICE();
	REQUIRE_INT(cli("rm -rf cache cores"), 0);
	CHECK_INT(cli(COMPILES "$P/paged_attention.pkg.zst"), 6); /* the stand-in has no cube */
	CLI_OUT(0, "sort cores | uniq -c | tr -s ' '", " dav-c220-cube\n", " dav-c220-vec\n");
	CHECK_INT(cli("test $(grep -c cube cores) -lt $(grep -c vec cores)"), 0);
}

/* Vector core 0 alone writes the windows of a cluster: an element that is read and written in place changes once. */
static const char cluster_source[] = "module @mix\n"
				     "func @bumped(%a: !pto.memref<gm,...,f32>, %c: !pto.memref<gm,...,f32>) {\n"
				     "  %t = alloc_tile : !pto.tile<16x16xf32>\n"
				     "  %s = alloc_tile : !pto.tile<16x16xf32>\n"
				     "  %p = alloc_tile : !pto.tile<16x16xf32>\n"
				     "  %t = tload %a[0, 0] : (!pto.memref<gm,...,f32>, index, index) -> !pto.tile<16x16xf32>\n"
				     "  %p = tmatmul %t, %t : !pto.tile<16x16xf32>, !pto.tile<16x16xf32> -> !pto.tile<16x16xf32>\n"
				     "  %s = tload %c[0, 0] : (!pto.memref<gm,...,f32>, index, index) -> !pto.tile<16x16xf32>\n"
				     "  %s = tadds %s, 1.0 : !pto.tile<16x16xf32>\n"
				     "  tstore %s, %c[0, 0]\n"
				     "  return\n"
				     "}\n"
				     "tensor %x : f32[16, 16] in\n"
				     "tensor %y : f32[64, 16] inout\n"
				     "kernel @bump(%a: f32[16, 16] in, %c: f32[16, 16] inout) { portable @bumped }\n"
				     "workload @main {\n"
				     "  parallel_for %i in 0 to 4 {\n"
				     "    call @bump(%a -> %x[0, 0], %c -> %y[%i * 16, 0])\n"
				     "  }\n"
				     "}\n";

TEST(one_core_of_a_cluster_writes)
{
	size_t bytes;
	float *y;

	NEED_DEVICE();
	REQUIRE_INT(cli(check_fmt("cat >c.pto <<'END'\n%s\nEND\n$B/ptowsp-pack c.pto -o c.pkg.zst", cluster_source)), 0);
	REQUIRE_INT(cli(COMPILES "--quiet --fill x=iota --fill y=iota --out y=y.npy c.pkg.zst"), 0);
	CHECK_INT(cli("test $(sort -u cores | wc -l) -eq 2"), 0);
	y = cli_npy_read("y.npy", "<f4", &bytes);
	REQUIRE(y != NULL);
	REQUIRE_INT(bytes, 4096);
	for (int at = 0; at < 1024; at++)
		CHECK_NEAR(y[at], at + 1, 0);
	free(y);
}

TEST(what_keeps_a_kernel_from_the_cores_is_named)
{
	static const struct {
		const char *environment, *package;
		int code;
		const char *said;
	} rows[] = {
		{"FAKE_CCEC_FAULT=dav-c220-vec", "vector_add", 8,
		 "kernel add_block: the code cannot be compiled: kernel.cpp:1: error: no registers left; all of it is in "},
		{"FAKE_CCEC_FAULT=dav-c220-cube", "paged_attention", 8,
		 ": the code cannot be compiled: kernel.cpp:1: error: no registers left; all of it is in "},
		{"FAKE_LINK=relocated", "vector_add", 8,
		 "what the toolkit's linker made cannot be loaded, as its code has places that nobody filled in; it is ..."},
		{"FAKE_LINK=late", "vector_add", 8, "kernel_entry is not where its code begins"},
		{"FAKE_LINK=elsewhere", "vector_add", 8, "some of its code stands in a section of its own"},
		{"FAKE_LINK=none", "vector_add", 8, "it has no text section"},
		{"A=", "matmul_diamond", 5, "kernel matmul: its tiles take 524288 bytes of a unified buffer of 196608; use smaller ones, or fewer"},
	};

	NEED_DEVICE();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CLI_ERR(rows[i].code, check_fmt("rm -rf cache; env %s " COMPILES "--quiet $P/%s.pkg.zst", rows[i].environment, rows[i].package), rows[i].said);
		cli_check_sentence();
	}
	REQUIRE_INT(cli("rm -rf cache machine && cp -r $B/../fakes/machine machine && rm machine/cann/bin/ccec"), 0);
	CLI_ERR(8,
		"ASCEND_HOME_PATH=$T/machine/cann LD_LIBRARY_PATH=$T/machine/usr/local/Ascend/driver/lib64/driver $B/ptowsp-run --quiet --plugin=a2a3 --opt "
		"root=$T/machine "
		"--opt runtime=$B/../fakes/simpler --opt cache=cache $P/vector_add.pkg.zst",
		"kernel add_block: no ccec or bisheng in bin, compiler/ccec_compiler/bin and ccec_compiler/bin of ASCEND_HOME_PATH=");
	cli_check_sentence();
}

/* Whatever a linker makes, what lies outside is not read. */
TEST(images_are_read_within_their_bounds)
{
	char path[700], *image = NULL;
	const void *text;
	size_t size = 0, length;

	NEED_DEVICE();
	REQUIRE_INT(cli("printf '.text; .globl kernel_entry; kernel_entry: .quad 7' | gcc -c -x assembler - -o k.elf"), 0);
	REQUIRE_INT(cli("echo $T/k.elf"), 0);
	snprintf(path, sizeof(path), "%.*s", (int)strcspn(cli_out, "\n"), cli_out);
	image = check_read(path, &size);
	REQUIRE(image != NULL);
	CHECK(ascend_cores_text(image, size, &text, &length) == NULL);
	CHECK_UINT(length, 8);
	for (size_t cut = 0; cut < size; cut++)
		ascend_cores_text(image, cut, &text, &length);
	for (size_t at = 0; at < size; at++)
		for (int bit = 0; bit < 8; bit++) {
			image[at] = (char)(image[at] ^ 1 << bit);
			if (!ascend_cores_text(image, size, &text, &length))
				CHECK((const char *)text >= image && length <= size - (size_t)((const char *)text - image));
			image[at] = (char)(image[at] ^ 1 << bit);
		}
	free(image);
}

/* Records that kernels read lie where the runtime's own headers have them, and the orchestration compiles with those of each machine and variant. */
TEST(records_are_those_of_a_real_runtime)
{
	static const char *const variants[] = {"a2a3/runtime/tensormap_and_ringbuffer", "a2a3/runtime/host_build_graph", "a5/runtime/tensormap_and_ringbuffer",
					       "a5/runtime/host_build_graph"};

	if (!getenv("PTO_RUNTIME_DIR"))
		CHECK_SKIP("PTO_RUNTIME_DIR names no pto-runtime");
	for (size_t i = 0; i < sizeof(variants) / sizeof(*variants); i++)
		CHECK_INT(cli(check_fmt(
				  "D=$PTO_RUNTIME_DIR/src; V=$D/%s; A=${V%%%%/runtime/*}; set -- -std=c++17 -fsyntax-only -Wno-invalid-offsetof -I$V/runtime "
				  "-I$V/common "
				  "-I$V/orchestration -I$A/runtime -I$D/common/task_interface -I$D/common -I$A/platform/include -I$D/common/platform/include "
				  "-I$D/common/log/include -I$R/plugins/ascend; ${CXX:-g++} \"$@\" $R/plugins/ascend/orchestration/plan.cpp && ${CXX:-g++} "
				  "\"$@\" "
				  "$(case $V in */a5/*/tensormap*) echo '-DBLOCK(what)=s_block_##what' ;; esac) -DTILE_PTO_RUNTIME -I$R/plugins -I$R/abi "
				  "-I$R/tests/emit $R/tests/emit/runtime_records.cc",
				  variants[i])),
			  0);
}
