/* SPDX-License-Identifier: MIT
 * test_aie_device.c - engine=device of the aie plugin: what is missing, and a machine that stands for a real one. The bridge is the one that users compile; XRT beneath it and
 * the compilers are fakes (tests/fakes), and the array is the simulator, which reads the text that the compilers were given and calls the kernels that they made. */
#include "aie/bridge.h"
#include "aie/engine/aie_hardware.h"
#include "aie/engine/core_program.h"
#include "tests/aie/aie_machine.h"
#include "tests/contract/cli.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- without a device --------------------------------------------------------------------------------------------------- */

TEST(without_the_option_nothing_is_looked_for)
{
	cli_begin();
	CHECK_INT(machine_run("abort_open", "--plugin=aie --opt root=$B/../fakes/xrt --opt cache=$T/cache $P/vector_add.pkg.zst"), 0);
	CHECK_INT(cli("test ! -e log && test ! -e cache"), 0);
	CHECK_INT(machine_run("abort_open", "--devices " KEPT), 0);
	CHECK_CONTAINS(
		cli_out,
		"aie npu1: XDNA1 (Phoenix, Hawk Point): 4 columns, 16 AIE2 cores; by way of XRT\n  engine device, cycle model host clock, ns, timing measured");
	CHECK_INT(machine_run("abort_open", "--capabilities " KEPT), 0);
	CHECK_INT(cli("test ! -e log"), 0);
	CHECK_INT(machine_run("abort_open", "--explain " KEPT "$P/vector_add.pkg.zst"), 8); /* which needs it to know what a run would say */
	CHECK_CONTAINS(cli_out, "\nload: refused, exit 8: ");
}

/* Rows say what a device would do; nothing here has shown it. */
TEST(its_rows_are_claims)
{
	CLI_OUT(0, NOWHERE "$B/ptowsp-run --capabilities --plugin=aie --opt engine=device --json", "\"evidence\": \"claimed\"");
	CHECK(!strstr(cli_out, "\"evidence\": \"self"));
	CLI_OUT(0, NOWHERE "$B/ptowsp-run --capabilities --plugin=aie --opt engine=device", "cycles per kernel                    unsupported");
	CLI_OUT(0, NOWHERE "$B/ptowsp-run --capabilities --plugin=aie --json", "\"evidence\": \"self");
}

/* Every piece is named, with where it was looked for and what to do; the last line is the first of those that nothing runs without. */
TEST(a_bare_machine_ends_with_8_and_says_what_it_lacks)
{
	static const char *const lines[] = {
		"engine=device: no device /dev/accel/accel0: load the driver amdxdna",
		"engine=device: no libxrt_coreutil.so.2 in lib, lib64 or lib/*-linux-gnu of xrt=",
		"engine=device: no xrt/xrt_hw_context.h in include of xrt=",
		"engine=device: no aiecc in the folders of PATH: install mlir-aie 1.4.3 or newer",
		"engine=device: no Peano: PEANO_INSTALL_DIR is not set; install llvm-aie, or name it with peano=DIR",
	};

	cli_begin();
	if (!access("/dev/accel/accel0", F_OK))
		CHECK_SKIP("this machine has an array");
	CHECK_INT(cli(NOWHERE "PATH=/nowhere:/usr/bin:/bin $B/ptowsp-run --plugin=aie --opt engine=device --opt xrt=$T/none $P/vector_add.pkg.zst"), 8);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (!strstr(cli_err, lines[i]) || strstr(strstr(cli_err, lines[i]) + 1, lines[i]))
			CHECK_FAIL("not there once: %s", lines[i]);
	CLI_ERR(8, NOWHERE "$B/ptowsp-run --quiet --plugin=aie --opt engine=device $P/vector_add.pkg.zst", "no device /dev/accel/accel0");
	cli_check_sentence();
	CLI_ERR(2, NOWHERE "$B/ptowsp-run --plugin=aie --opt engine=device --opt clock=reference $P/vector_add.pkg.zst",
		"clock=reference: engine=device has no such clock");
	CHECK_INT(cli("$B/ptowsp-run --plugin=aie --opt engine=xrt $P/vector_add.pkg.zst"), 2);
}

/* A machine that gets one piece after the other. */
TEST(each_piece_is_missed_until_it_is_there)
{
	static const struct {
		enum aie_piece_kind kind;
		const char *said, *make, *found;
	} rows[] = {
		{AIE_PIECE_DRIVER, "/dev/accel/accel0: load the driver", "mkdir -p m/dev/accel && : >m/dev/accel/accel0", "/m/dev/accel/accel0"},
		{AIE_PIECE_XRT, "no libxrt_coreutil.so.2 in lib, lib64 or lib/*-linux-gnu of /opt/xilinx/xrt and /usr",
		 "mkdir -p m/usr/lib/x86_64-linux-gnu && : >m/usr/lib/x86_64-linux-gnu/libxrt_coreutil.so.2", "/m/usr/lib/x86_64-linux-gnu"},
		{AIE_PIECE_XRT, NULL, "mkdir -p m/opt/xilinx/xrt/lib && : >m/opt/xilinx/xrt/lib/libxrt_coreutil.so.2", "/m/opt/xilinx/xrt/lib"},
		{AIE_PIECE_HEADERS, "no xrt/xrt_hw_context.h in include of /opt/xilinx/xrt and /usr",
		 "mkdir -p m/opt/xilinx/xrt/include/xrt && : >m/opt/xilinx/xrt/include/xrt/xrt_hw_context.h", "/m/opt/xilinx/xrt/include"},
		{AIE_PIECE_AIECC, "no aiecc in the folders of PATH", "mkdir -p m/bin && : >m/bin/aiecc && chmod +x m/bin/aiecc", "/m/bin/aiecc"},
		{AIE_PIECE_PEANO, "no bin/clang and bin/ld.lld of Peano in",
		 "mkdir -p m/peano/bin && : >m/peano/bin/clang && : >m/peano/bin/ld.lld && chmod +x m/peano/bin/*", "/m/peano"},
	};
	char root[500], path[1200], peano[600];
	struct aie_piece pieces[AIE_PIECES];
	struct aie_places places = {.root = root, .path = path, .peano_install = peano};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};

	REQUIRE_INT(cli("pwd"), 0);
	snprintf(root, sizeof(root), "%.*s/m", (int)strcspn(cli_out, "\n"), cli_out);
	snprintf(path, sizeof(path), "relative:%s/none::%s/bin:/", root, root);
	snprintf(peano, sizeof(peano), "%s/peano", root);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		aie_pieces_find(pieces, &places);
		if (rows[i].said) {
			CHECK_STR(pieces[rows[i].kind].found, "");
			CHECK_CONTAINS(pieces[rows[i].kind].missing, rows[i].said);
			CHECK_INT(aie_pieces_need(pieces, &rows[i].kind, 1, &error), PTOWSP_NO_DEVICE);
			CHECK_CONTAINS(error.text, rows[i].said);
		}
		REQUIRE_INT(cli(rows[i].make), 0);
		aie_pieces_find(pieces, &places);
		CHECK_STR(pieces[rows[i].kind].found + strlen(pieces[rows[i].kind].found) - strlen(rows[i].found), rows[i].found);
		CHECK_INT(aie_pieces_need(pieces, &rows[i].kind, 1, &error), PTOWSP_OK);
	}
	places.root = "/nowhere";
	aie_pieces_find(pieces, &places);
	CHECK_CONTAINS(pieces[AIE_PIECE_DRIVER].missing, "no device /nowhere/dev/accel/accel0:");
	CHECK_CONTAINS(pieces[AIE_PIECE_XRT].missing, "of /opt/xilinx/xrt and /usr below /nowhere:");
	places.aiecc = "/nowhere/aiecc";
	places.xrt = "/nowhere/xrt";
	aie_pieces_find(pieces, &places);
	CHECK_CONTAINS(pieces[AIE_PIECE_AIECC].missing, "aiecc=/nowhere/aiecc is no program");
	CHECK_CONTAINS(pieces[AIE_PIECE_XRT].missing, "of xrt=/nowhere/xrt:");
}

/* ---- a run to its end --------------------------------------------------------------------------------------------------- */

TEST(calls_come_in_their_order)
{
	static const char log[] = "device 0\ndevice closed\nalive: 0 devices, 0 xclbins, 0 contexts, 0 buffers, 0 runs\n" /* the child */
				  "device 0\nxclbin\nregister\ncontext\nkernel MLIR_AIE\nbuffer 8 cacheable 1\nsync to 1\n"
				  "buffer 8192 host_only 3\nbuffer 8192 host_only 4\nbuffer 8192 host_only 5\nsync to 3\nsync to 4\nsync to 5\n"
				  "start: opcode 3, 2 words, 3 buffers\nwait: state 4\nsync from 5\nrun closed\nbuffer closed 3\nbuffer closed 4\nbuffer "
				  "closed 5\nbuffer closed 1\n"
				  "context closed\ndevice closed\nalive: 0 devices, 0 xclbins, 0 contexts, 0 buffers, 0 runs\n";
	json_t *stats;

	NEED_DEVICE();
	REQUIRE_INT(machine_run("", KEPT "--stats=json $P/vector_add.pkg.zst"), 0);
	stats = cli_json();
	REQUIRE(stats != NULL);
	CHECK_STR(cli_text(stats, "engine"), "device");
	CHECK_STR(cli_text(stats, "cycle_model"), "host clock, ns");
	CHECK_INT(cli_int(stats, "num_tasks"), 8);
	CHECK(cli_int(stats, "total_cycles") > 0);
	CLI_PRINTS(0, "cat log", log);
}

/* The text and the compiled C of each kernel, against the tile ISA's interpreter: results of the examples have the same bits. */
TEST(compiled_kernels_have_the_bits_of_the_interpreter)
{
	static const struct {
		const char *name, *tensors;
	} rows[] = {
		{"vector_add", "c"},
		{"softmax", "y"},
		{"gemm_1", "c_i8 c_i16 c_bf16 c_f32"},
		{"csp", "y"},
		{"two_stage", "y"},
		{"llama", "y"},
		{"tiles", "y"},
		{"attention_pipeline", "o"},
		{"alternating_matmul_add", "c z"},
		{"dynamic_softmax", "y"},
		{"fan_in", "slots y"},
		{"fused_softmax", "y"},
		{"gemm_16", "c_i8 c_i16 c_bf16 c_f32"},
		{"gemm_32", "c_i8 c_i16 c_bf16 c_f32"},
		{"matmul", "c"},
		{"paged_attention", "out"},
		{"passthrough", "y"},
		{"bgemm", "c"},
		{"indexer", "y chosen"},
		{"predicated", "y gates"},
		{"moe", "y share counts tokens"},
	};

	NEED_DEVICE();
	for (size_t i = 0; i < (cli_slow() ? 2 : sizeof(rows) / sizeof(*rows)); i++) {
		REQUIRE_INT(cli(check_fmt("$B/ptowsp-run --plugin=aie --quiet $(for t in %s; do echo --out $t=a.$t.npy; done) $P/%s.pkg.zst", rows[i].tensors,
					  rows[i].name)),
			    0);
		CHECK_INT(machine_run("", check_fmt(KEPT "$(for t in %s; do echo --out $t=b.$t.npy; done) $P/%s.pkg.zst", rows[i].tensors, rows[i].name)), 0);
		CHECK_CONTAINS(cli_out, "compare: ok");
		if (cli(check_fmt("for t in %s; do cmp a.$t.npy b.$t.npy || exit 1; done", rows[i].tensors)))
			CHECK_FAIL("%s: %.200s", rows[i].name, cli_out);
		CHECK_INT(cli("grep -q refused log"), 1);
		CHECK_INT(cli("tail -n1 log | grep -qx 'alive: 0 devices, 0 xclbins, 0 contexts, 0 buffers, 0 runs'"), 0);
	}
}

/* With exp, ln and tanh of a core, which are not the interpreter's, results are within what the examples allow, and they are others. */
TEST(compiled_kernels_have_functions_of_their_own)
{
	static const char *const rows[][2] = {{"softmax", "y"}, {"attention_pipeline", "o"}, {"paged_attention", "out"}};

	NEED_DEVICE();
	REQUIRE_INT(cli(OWN_BEGIN), 0);
	setenv("FAKE_PEANO", "core", 1);
	for (size_t i = 0; i < (cli_slow() ? 1 : sizeof(rows) / sizeof(*rows)); i++) {
		REQUIRE_INT(cli(check_fmt("$B/ptowsp-run --plugin=aie --quiet --out %s=a.npy $P/%s.pkg.zst", rows[i][1], rows[i][0])), 0);
		CHECK_INT(machine_run("", check_fmt(OWN "--out %s=b.npy $P/%s.pkg.zst", rows[i][1], rows[i][0])), 0);
		CHECK_CONTAINS(cli_out, "compare: ok");
		CHECK_INT(cli("cmp a.npy b.npy"), 1);
	}
	unsetenv("FAKE_PEANO");
}

/* An object that takes a difference in place of a sum: what comes out is its, and the simulator's is the package's. It lies beside the sources as it was, and is asked for before a run. */
TEST(objects_of_the_user_are_linked)
{
	static const struct {
		const char *objects, *says;
	} rows[] = {
		{"add=own.o", "the package has no kernel add"},
		{"add_block", "an object is KERNEL=FILE"},
		{"add_block=none.o", "none.o cannot be read: No such file"},
		{"add_block=own.c", "own.c is no object file"},
	};

	NEED_DEVICE();
	REQUIRE_INT(cli("echo 'void kernel_add_block(float *x, float *y, float *sum) { for (int i = 0; i < 256; i++) sum[i] = x[i] - y[i]; }' >own.c && cc -O1 "
			"-fPIC -c own.c -o own.o && " OWN_BEGIN),
		    0);
	CHECK_INT(machine_run("", OWN "--opt objects=add_block=own.o --fill a=iota --fill b=iota --out c=c.npy $P/vector_add.pkg.zst"), 0);
	CLI_PRINTS(0, "tail -c 8192 c.npy | tr -d '\\000' | wc -c", "0\n");
	CHECK_INT(machine_run("", OWN "--fill a=iota --fill b=iota --out c=c.npy $P/vector_add.pkg.zst"), 0);
	CLI_PRINTS(0, "tail -c 4 c.npy | od -An -tf4 | tr -d ' '", "4094\n");
	CLI_OUT(0, "$B/ptowsp-run --plugin=aie --quiet --opt objects=add_block=own.o --emit e --stats $P/vector_add.pkg.zst",
		"add_block: 8 calls of your object");
	CHECK_INT(cli("cmp own.o e/kernels/kernel_0_add_block.o && grep -F '| `kernels/*.o` |' e/README.md && sh -n e/build.sh"), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		CLI_ERR(2, check_fmt("$B/ptowsp-run --plugin=aie --quiet --opt objects=%s --emit no $P/vector_add.pkg.zst", rows[i].objects), rows[i].says);
	CHECK_INT(cli("test ! -e no"), 0);
}

/* The same in the source: an image for these cores, with a name of its own, where the package is trusted. The array runs the body. */
#define IMAGED                                                                                                                                                 \
	"tensor %%x : f32[16, 16] in\ntensor %%y : f32[16, 16] out\n"                                                                                          \
	"func @sum(%%a: !pto.memref<gm,...,f32>, %%b: !pto.memref<gm,...,f32>) {\n  %%t = alloc_tile : !pto.tile<16x16xf32>\n  %%t = tload %%a[0, 0]\n"        \
	"  %%t = tadd %%t, %%t\n  tstore %%t, %%b[0, 0]\n  return\n}\nkernel @twice(%%a: f32[16, 16] in, %%b: f32[16, 16] out) {\n%s}\n"                       \
	"workload @main {\n  call @twice(%%a -> %%x, %%b -> %%y)\n}\n"
TEST(images_of_the_package_are_linked)
{
	static const struct {
		const char *payloads, *words;
		int code;
		const char *says;
	} rows[] = {
		{"  portable @sum\n  image aie2 \"own.c\"\n", "--trust=all", 3, "kernel twice: its image for aie2 is no object file"},
		{"  portable @sum\n  image aie2 \"own.o\" \"a.b\"\n", "--trust=all", 3, "kernel twice: its image's entry \"a.b\" is no name of a C function"},
		{"  image aie2 \"own.o\" \"less\"\n", "", 5, "kernel twice is unsupported on aie: native code (aie2) needs --trust=all"},
		{"  image aie2 \"own.o\" \"less\"\n", "--trust=all", 5, "its images are for cores of a device alone; give it a portable payload, too"},
	};
	const char *source;

	NEED_DEVICE();
	source = check_fmt(IMAGED, "  portable @sum\n  image aie2p \"own.c\"\n  image npu1 \"own.o\" \"less\" cycles 1000\n");
	REQUIRE(check_write(check_fmt("%s/k.pto", check_dir()), source, strlen(source)));
	REQUIRE_INT(
		cli("echo 'void less(float *x, float *y) { for (int i = 0; i < 256; i++) y[i] = x[i] - x[i]; }' >own.c && cc -O1 -fPIC -c own.c -o own.o && "
		    "$B/ptowsp-pack k.pto -o k.zst && " OWN_BEGIN),
		0);
	CHECK_INT(machine_run("", OWN "--trust=all --fill x=iota --out y=y.npy k.zst"), 0);
	CLI_PRINTS(0, "tail -c 1024 y.npy | tr -d '\\000' | wc -c", "0\n");
	CHECK_INT(machine_run("", OWN "--fill x=iota --out y=y.npy k.zst"), 0);
	CLI_PRINTS(0, "tail -c 4 y.npy | od -An -tf4 | tr -d ' '", "510\n");
	CLI_OUT(0, "$B/ptowsp-run --plugin=aie --trust=all --quiet --fill x=iota --out y=y.npy --emit e --stats k.zst",
		"twice: 1 calls of your object, as its image says");
	CHECK_CONTAINS(cli_out, " 1030 cycles\n");
	CLI_PRINTS(0, "tail -c 4 y.npy | od -An -tf4 | tr -d ' '", "510\n");
	CHECK_INT(cli("cmp own.o e/kernels/kernel_1_twice.o && grep -F 'sym_name = \"less\"' e/design.mlir && grep -F 'callee = @less' e/design.mlir"), 0);
	CHECK_INT(cli("$B/ptowsp-run --plugin=aie --quiet --emit f k.zst && test -e f/kernels/kernel_1_twice.c"), 0);
	CLI_ERR(3, "$B/ptowsp-run --plugin=aie --device=npu2 --trust=all --quiet --emit no k.zst", "its image for aie2p is no object file");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		source = check_fmt(IMAGED, rows[i].payloads);
		REQUIRE(check_write(check_fmt("%s/k.pto", check_dir()), source, strlen(source)));
		REQUIRE_INT(cli("$B/ptowsp-pack k.pto -o k.zst"), 0);
		CLI_ERR(rows[i].code, check_fmt("$B/ptowsp-run --plugin=aie --quiet %s --emit no k.zst", rows[i].words), rows[i].says);
	}
	CHECK_INT(cli("test ! -e no"), 0);
}

/* The stack that the design gives a core is raised where the compiler at hand reports larger frames, and is not where they fit. */
TEST(stacks_are_as_large_as_the_frames_that_were_measured)
{
	NEED_DEVICE();
	REQUIRE_INT(cli("$B/ptowsp-run --plugin=aie --quiet --emit $T/framed $P/csp.pkg.zst"), 0);
	REQUIRE_INT(cli(check_fmt("cd framed && %s sh build.sh $B/../fakes/xrt/peano $B/../fakes/xrt/peano/bin/aiecc", machine_environment())), 0);
	CHECK_INT(cli("test $(grep -c 'stack_size = 2048 ' framed/aie.xclbin) = 2"), 0);
	REQUIRE_INT(cli(check_fmt("cd framed && sed -i 's/stack_size = 2048/stack_size = 64/' design.mlir && %s sh build.sh $B/../fakes/xrt/peano "
				  "$B/../fakes/xrt/peano/bin/aiecc",
				  machine_environment())),
		    0);
	CHECK_INT(cli("! grep -q 'stack_size = 64 ' framed/aie.xclbin && grep -q 'stack_size = 64 ' framed/design.mlir"), 0);
	CHECK_INT(cli("sed -n 's/.*stack_size = \\([0-9]*\\) .*/\\1/p' framed/aie.xclbin | while read n; do test $n -gt 1280 && test $((n % 32)) = 0 || exit "
		      "1; done"),
		  0);
}

TEST(scripts_name_what_is_missing_before_they_begin)
{
	NEED_DEVICE();
	REQUIRE_INT(cli("$B/ptowsp-run --plugin=aie --quiet --emit $T/made $P/csp.pkg.zst && ln -s $B/../fakes/xrt/peano $T/fp && ls made >before"), 0);
	CLI_ERR(8, "unset PEANO_INSTALL_DIR; PATH=/usr/bin:/bin sh made/build.sh", "build.sh: no PEANO/bin/clang: name the folder of Peano",
		"build.sh: no aiecc: name that of mlir-aie", "build.sh: xclbinutil of XRT is not in PATH");
	CLI_ERR(8, "sh made/build.sh none fp/bin/none", "/none/bin/clang: name", "/fp/bin/none: name");
	CHECK_INT(cli("ls made | cmp - before"), 0);
	REQUIRE_INT(cli(check_fmt("%s sh made/build.sh fp fp/bin/aiecc && test -s made/aie.xclbin", machine_environment())), 0);
}

/* Where aie_api lies beside aiecc, kernels are compiled as C++, and products go through the core's unit. Numbers of the package have the same results there. */
TEST(products_go_through_the_unit_where_there_is_one)
{
	static const char *const entries[] = {"i8", "i16", "bf16"};

	NEED_DEVICE();
	REQUIRE_INT(
		cli(OWN_BEGIN " && mkdir -p mlir/bin mlir/include && cp $B/../fakes/xrt/peano/bin/aiecc mlir/bin && cp -r $R/tests/fakes/aie_api mlir/include"),
		0);
	for (size_t i = 0; i < (cli_slow() ? 1 : sizeof(entries) / sizeof(*entries)); i++) {
		CHECK_INT(cli(check_fmt("rm -f words; %s FAKE_PEANO_LOG=$T/words $B/ptowsp-run " PLACE "--opt peano=$B/../fakes/xrt/peano --opt cache=$T/cache "
					"--opt aiecc=$T/mlir/bin/aiecc --entry %s $P/gemm_1.pkg.zst",
					machine_environment(), entries[i])),
			  0);
		CHECK_CONTAINS(cli_out, "compare: ok");
		CHECK_INT(cli("grep -e '-x c++ -std=c++20' words"), 0);
	}
}

/* Their names are nobody's else in a core's program. */
TEST(kernels_may_have_names_of_the_library)
{
	NEED_DEVICE();
	REQUIRE_INT(
		cli("$B/ptowsp-pack $R/tests/aie/designs/names.pto -o names.pkg.zst && $B/ptowsp-run --quiet --fill x=random:1 --out z=cpu.npy names.pkg.zst"),
		0);
	REQUIRE_INT(cli(OWN_BEGIN), 0);
	CHECK_INT(machine_run("", OWN "--quiet --opt cores=1 --fill x=random:1 --out z=own.npy names.pkg.zst"), 0);
	CHECK_INT(cli("cmp cpu.npy own.npy"), 0);
	CLI_OUT(0, "nm -D --defined-only cache/aie-[0-9a-f][0-9a-f]*/kernels.so", " T kernel_memcpy\n");
	CHECK(!strstr(cli_out, " T memcpy") && !strstr(cli_out, " T main"));
}

/* Buffers that end with a word where tensors do not, and windows within what cores get. */
TEST(words_that_are_shared_come_back_whole)
{
	NEED_DEVICE();
	REQUIRE_INT(cli("$B/ptowsp-pack $R/tests/aie/designs/words.pto -o words.pkg.zst"), 0);
#define WORDS "--quiet --fill x=random:1 --fill y=random:2 --fill z=random:3 --fill w=random:4 words.pkg.zst "
	REQUIRE_INT(cli("$B/ptowsp-run " WORDS "--out y=cpu.npy --out z=cpu.z.npy"), 0);
	CHECK_INT(machine_run("", KEPT WORDS "--out y=own.npy --out z=own.z.npy"), 0);
	CHECK_INT(cli("cmp cpu.npy own.npy && cmp cpu.z.npy own.z.npy && grep -q 'buffer 72 host_only' log"), 0);
}

/* Cores have run to their end, so each run has a context of its own. */
TEST(every_run_has_a_context_of_its_own)
{
	NEED_DEVICE();
	CHECK_INT(machine_run("", KEPT "--runs 3 $P/vector_add.pkg.zst"), 0);
	CHECK_INT(cli("test \"$(grep -cx context log)\" = 3 && test \"$(grep -cx 'context closed' log)\" = 3"), 0);
}

/* A second process needs no compiler, and one that has none says where the sources stand. */
TEST(what_was_compiled_is_taken_again)
{
	NEED_DEVICE();
	CHECK_INT(machine_run("", PLACE "--opt aiecc=$B/../fakes/xrt/peano/bin/aiecc --opt cache=$T/cache --opt peano=$T $P/vector_add.pkg.zst"), 8);
	CHECK_CONTAINS(cli_err, "no bin/clang and bin/ld.lld of Peano in");
	CHECK_CONTAINS(cli_err, "engine=device: the design stands in ");
	REQUIRE_INT(cli(check_fmt("%s sh cache/aie-[0-9a-f]*/build.sh $B/../fakes/xrt/peano $B/../fakes/xrt/peano/bin/aiecc", machine_environment())), 0);
	CHECK_INT(cli("ls cache/aie-[0-9a-f]* | grep -q work"), 1);
	CHECK_INT(machine_run("", PLACE "--opt aiecc=$B/../fakes/xrt/peano/bin/aiecc --opt cache=$T/cache --opt peano=$T $P/vector_add.pkg.zst"), 0);
	CLI_PRINTS(0, "ls cache | grep -c aie-bridge", "1\n");
}

/* The other array has another target and another name. */
TEST(each_array_has_its_compiler)
{
	NEED_DEVICE();
	REQUIRE_INT(cli(OWN_BEGIN), 0);
	CHECK_INT(machine_run("strix", "--opt device=npu2 " OWN "$P/vector_add.pkg.zst"), 0);
	CHECK_INT(cli("grep -q -- --target=aie2p-none-unknown-elf cache/aie-[0-9a-f]*/build.sh"), 0);
	CHECK_INT(machine_run("strix", KEPT "$P/vector_add.pkg.zst"), 8);
	CHECK_CONTAINS(cli_err, "this machine has NPU Strix, an npu2, and designs would be for npu1; take --opt device=npu2");
	CHECK_INT(machine_run("", KEPT "--opt device=npu2 $P/vector_add.pkg.zst"), 8);
	CHECK_CONTAINS(cli_err, "take --opt device=npu1");
	CHECK_INT(machine_run("nameless", KEPT "$P/vector_add.pkg.zst"), 0); /* which may be any */
}

/* Cores have pointers of 32 bits. */
TEST(kernels_are_compiled_for_short_pointers)
{
	NEED_DEVICE();
	REQUIRE_INT(cli(OWN_BEGIN), 0);
	REQUIRE_INT(cli("mkdir -p gnu && : >gnu/stubs-32.h && echo '#include <stdio.h>' >t.c"), 0);
#define SHORT                                                                                                                                                  \
	"clang --target=i386-linux-gnu -std=gnu11 -O1 -Wall -Wextra -Werror -fsyntax-only -I. -I$T -isystem /usr/include -isystem "                            \
	"/usr/include/x86_64-linux-gnu "
	if (cli(SHORT "t.c"))
		CHECK_SKIP("no clang with headers of this machine for 32 bits");
	REQUIRE_INT(machine_run("", OWN "$P/softmax.pkg.zst"), 0);
	CHECK_INT(cli("cd cache/aie-[0-9a-f][0-9a-f]* && for f in kernel_*.c; do " SHORT "$f || exit 1; done"), 0);
}

/* ---- what goes wrong ---------------------------------------------------------------------------------------------------- */

/* Whatever XRT throws: its words are in the sentence, and nothing is left there. */
TEST(every_call_may_fail)
{
	static const struct {
		const char *fault;
		int exit;
		const char *said;
	} rows[] = {
		{"no_device", 8, "engine=device: XRT opens no device 0: xrt::device: No such device '0'; xrt-smi examine lists those that there are"},
		{"abort_open", 8, "engine=device: XRT ended the process that opened device 0"},
		{"bad_xclbin", 8, "NPU Phoenix, load: the device does not take it: xrt::xclbin: xclbin is corrupted"},
		{"other_kernel", 8, "load: the device does not take it: xclbin: no kernel whose name begins with MLIR_AIE"},
		{"few_args", 8, "kernel MLIR_AIE takes 4 arguments, with 3 buffers it has 6; compile with mlir-aie 1.4.3 or newer"},
		{"register", 8, "load: the device does not take it: register_xclbin, hw_context, kernel: Operation not supported"},
		{"firmware", 8, "DRM_IOCTL_AMDXDNA_CREATE_HWCTX IOCTL failed (err=-22): Invalid argument"},
		{"words", 1, "load: there is no memory for it: xrt::bo: no room in the device heap"},
		{"buffer", 1, "load: there is no memory for it: xrt::bo: std::bad_alloc of a buffer"},
		{"map", 9, "NPU Phoenix, buffer to the device: xrt::bo::map: mmap failed"},
		{"sync_to", 9, "NPU Phoenix, buffer to the device: xrt::bo::sync: sync failed"},
		{"start", 9, "NPU Phoenix, start: xrt::run: no slot in the queue"},
		{"error_state", 1, "wait: the run failed, state 5: xrt::run::wait: the command did not complete"},
		{"timeout_state", 1, "wait: the run failed, state 8: "},
		{"wait", 9, "NPU Phoenix, wait: xrt::run::wait: Failed to wait for command: Input/output error"},
		{"sync_from", 9, "NPU Phoenix, buffer from the device: xrt::bo::sync: sync failed"},
	};

	NEED_DEVICE();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK_INT(machine_run(rows[i].fault, KEPT "--quiet --out c=c.npy $P/vector_add.pkg.zst"), rows[i].exit);
		CHECK_CONTAINS(cli_err, rows[i].said);
		cli_check_sentence();
		CHECK_INT(cli("test -e c.npy || grep -q refused log"), 1);
		CHECK_INT(cli("tail -n1 log | grep -qx 'alive: 0 devices, 0 xclbins, 0 contexts, 0 buffers, 0 runs'"), i == 1); /* who aborts counts nothing */
	}
	CHECK_INT(machine_run("", KEPT "$P/vector_add.pkg.zst"), 0);
}

/* A core that stands still tells nobody why: the simulator, given the same, does. */
TEST(a_kernel_that_refuses_is_named)
{
	int32_t places[64] = {[5] = -1};

	NEED_DEVICE();
	cli_npy("places.npy", "<i4", "4, 16", places, sizeof(places));
	REQUIRE_INT(cli("$B/ptowsp-pack $R/tests/aie/kernels_that_refuse.pto -o $T/refuse.pkg.zst"), 0);
	CHECK_INT(machine_run("timeout_state", KEPT "--quiet --entry run_gather --in places=places.npy --fill table=iota refuse.pkg.zst"), 1);
	CHECK_CONTAINS(cli_err, "task 0, kernel gather line 12: mgather reads element -1 of %m (tensor table), which has 64 (on the device: ");
	CHECK_INT(cli("tail -n1 log | grep -qx 'alive: 0 devices, 0 xclbins, 0 contexts, 0 buffers, 0 runs'"), 0);
}

/* A run without an end: the deadline, a signal, and a driver that does not take the run back. */
TEST(a_run_that_hangs_is_ended)
{
	const int stop[] = {SIGINT};

	NEED_DEVICE();
	CHECK_INT(machine_run("hang", KEPT "--timeout-ms 4000 $P/vector_add.pkg.zst"), 10);
	CHECK_CONTAINS(cli_err,
		       "the deadline passed on NPU Phoenix; allow more time with --timeout-ms, or see with engine=array whether the design comes to an end");
	CHECK_INT(cli("grep -qx abort log && tail -n1 log | grep -qx 'alive: 0 devices, 0 xclbins, 0 contexts, 0 buffers, 0 runs'"), 0);
	CHECK_INT(machine_run("hang abort", KEPT "--timeout-ms 4000 $P/vector_add.pkg.zst"), 10);
	CHECK_CONTAINS(cli_err, "NPU Phoenix could not end the run: xrt::run::abort: abort is not supported");
	CHECK_INT(cli("tail -n1 log | grep -qx 'alive: 0 devices, 0 xclbins, 0 contexts, 0 buffers, 0 runs'"), 0);
	CHECK_INT(cli_signalled(check_fmt("rm -f log; export FAKE_XRT=hang %s; exec $B/ptowsp-run " KEPT "$P/vector_add.pkg.zst", machine_environment()), stop,
				1, 2000),
		  130);
	CHECK_INT(cli("grep -qx abort log"), 0);
}

TEST(tools_that_refuse_are_quoted)
{
	static const struct {
		const char *environment, *said;
	} rows[] = {
		{"FAKE_AIECC=fail", "the design cannot be compiled: design.mlir:3:5: error: 'aie.objectfifo' op requires something; all of it is in "},
		{"FAKE_AIECC=nothing", "the design cannot be compiled: "},
		{"FAKE_AIECC=odd", "/insts.bin is no file of instructions, which are words of 4 bytes; remove its folder, and it is compiled again"},
		{"FAKE_CC=false", "the design cannot be compiled: "},
		{"CXX=/nowhere/g++", "/nowhere/g++, which compiles the bridge to XRT, cannot be run; install it"},
		{"CXX='g++ -include /nowhere.h'", "the bridge cannot be compiled: "},
		{"CC=/nowhere/gcc", "/nowhere/gcc, which compiles the probe of the bridge to XRT, cannot be run; install it"},
	};

	NEED_DEVICE();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CLI_ERR(8,
			check_fmt(OWN_BEGIN " && rm -f log; export %s %s; $B/ptowsp-run --quiet " OWN "$P/vector_add.pkg.zst", machine_environment(),
				  rows[i].environment),
			rows[i].said);
		cli_check_sentence();
		CHECK_INT(cli("ls cache/aie-*/work* 2>/dev/null"), 2);
	}
	CLI_ERR(2, check_fmt("rm -rf cache; : >cache; %s $B/ptowsp-run --quiet " OWN "$P/vector_add.pkg.zst", machine_environment()), "cache=");
}

/* Only a compiler knows it; the file that it leaves says it of each core. */
TEST(what_a_program_takes_is_read_from_what_was_compiled)
{
	NEED_DEVICE();
	REQUIRE_INT(cli(OWN_BEGIN), 0);
	CHECK_INT(machine_run("", OWN "--quiet --stats --opt cores=2 $P/vector_add.pkg.zst"), 0);
	CHECK_CONTAINS(cli_out, "program memory");
	CHECK_CONTAINS(cli_out, "4096 of 16384 bytes");
	CHECK(!strstr(cli_out, "not measured"));
	CHECK_INT(cli(check_fmt(OWN_BEGIN "; rm -f log; export %s FAKE_PROGRAM=16384; $B/ptowsp-run --quiet " OWN "$P/vector_add.pkg.zst",
				machine_environment())),
		  0);
	for (int overflow = 0; overflow < 2; overflow++) {
		CLI_ERR(5,
			check_fmt(OWN_BEGIN "; rm -f log; export %s FAKE_PROGRAM=16385 FAKE_AIECC=%s; $B/ptowsp-run --quiet " OWN "$P/vector_add.pkg.zst",
				  machine_environment(), overflow ? "overflow" : ""),
			"core tile (", "its program takes 16385 bytes, a core has 16384 of program memory");
		cli_check_sentence();
		CHECK_INT(cli("grep -q start log"), 1);
		CHECK_INT(machine_run("", OWN "--quiet $P/vector_add.pkg.zst"),
			  overflow ? 0 : 5); /* what is kept is measured again, what was refused is compiled again */
	}
	CHECK_INT(cli(check_fmt(OWN_BEGIN "; rm -f log; export %s FAKE_PROGRAM=none; $B/ptowsp-run --quiet --stats " OWN "$P/vector_add.pkg.zst",
				machine_environment())),
		  0);
	CHECK_CONTAINS(cli_out, "not measured");
	CHECK_CONTAINS(cli_out, "program memory, of which each has 16384 bytes");
}

/* Whatever lies there: nothing is read that is not in the file. */
TEST(a_file_that_is_no_program_says_nothing)
{
	static const unsigned char begin[] = {0x7f, 'E', 'L', 'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 8, 1, 1, 0, 0, 0, 0, 0, 0, 0, 52};
	unsigned char file[116] = {0};

	memcpy(file, begin, sizeof(begin));
	file[40] = 52;
	file[42] = 32;
	file[44] = 2;
	file[52] = 1; /* loaded, at 0x100 */
	file[52 + 13] = 1;
	file[52 + 20] = 0x40;
	file[84] = 1; /* loaded, where data lies */
	file[84 + 14] = 7;
	file[84 + 20] = 0x80;
	CHECK_UINT(aie_core_program_bytes(file, sizeof(file)), 0x140);
	file[84 + 14] = 1; /* behind the program, but nobody's data */
	CHECK_UINT(aie_core_program_bytes(file, sizeof(file)), 0x10080);
	file[84 + 12] = file[84 + 13] = file[84 + 14] = 0xff;
	file[84 + 15] = 0xff;
	CHECK_UINT(aie_core_program_bytes(file, sizeof(file)), 0x140);
	for (size_t size = 0; size < sizeof(file); size++)
		CHECK_UINT(aie_core_program_bytes(file, size), AIE_UNMEASURED);
	file[4] = 2;
	CHECK_UINT(aie_core_program_bytes(file, sizeof(file)), AIE_UNMEASURED);
	file[4] = 1;
	file[28] = file[29] = file[30] = file[31] = 0xff;
	CHECK_UINT(aie_core_program_bytes(file, sizeof(file)), AIE_UNMEASURED);
}

/* A bridge of the user's own. */
TEST(a_bridge_may_be_named_and_is_looked_at)
{
	static const char source[] = "#include \"aie/bridge.h\"\nstatic const struct aie_bridge bridge = {%s};\nconst struct aie_bridge "
				     "*ptowsp_aie_bridge(void) { return &bridge; }\n";
	static const char *const fields[] = {"AIE_BRIDGE_VERSION + 1, sizeof(bridge)", "AIE_BRIDGE_VERSION, sizeof(bridge) - 8"};

	NEED_DEVICE();
	REQUIRE_INT(machine_run("", OWN "$P/vector_add.pkg.zst"), 0);
	CHECK_INT(machine_run("", OWN "--opt xrt=$B/../fakes/xrt/opt/xilinx/xrt --opt bridge=$(echo $T/cache/aie-bridge*/bridge.so) $P/vector_add.pkg.zst"), 0);
	CHECK_INT(machine_run("", MACHINE "--opt bridge=$T/none.so $P/vector_add.pkg.zst"), 8);
	CHECK_CONTAINS(cli_err, "engine=device: no bridge=");
	CHECK_INT(cli("echo text >text.so"), 0);
	CHECK_INT(machine_run("", OWN "--opt bridge=$T/text.so $P/vector_add.pkg.zst"), 8);
	CHECK_CONTAINS(cli_err, "text.so cannot be loaded: ");
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		REQUIRE_INT(cli(check_fmt("cat >b.c <<'END'\n%sEND\ncc -shared -fPIC -I$R/plugins b.c -o b.so", check_fmt(source, fields[i]))), 0);
		CHECK_INT(machine_run("", OWN "--opt bridge=$T/b.so $P/vector_add.pkg.zst"), 8);
		CHECK_CONTAINS(cli_err, "b.so cannot be loaded: it is no bridge of this version");
	}
}

TEST(what_a_core_has_no_code_for_is_refused)
{
	static const char package[] = "module @copies\ntensor %x : f32[4, 16] in\ntensor %y : f32[4, 16] out\nworkload @main { copy %x -> %y }\n";

	NEED_DEVICE();
	REQUIRE_INT(cli(check_fmt("cat >d.pto <<'END'\n%s\nEND\n$B/ptowsp-pack d.pto -o d.pkg.zst", package)), 0);
	CHECK_INT(machine_run("", KEPT "--fill x=iota d.pkg.zst"), 5);
	CHECK_CONTAINS(cli_err, "copy");
	CHECK_INT(machine_run("", KEPT "--no-kernels $P/vector_add.pkg.zst"), 0); /* counted by the model: nothing goes to the device */
	CHECK_CONTAINS(cli_out, "8 tasks");
	CHECK_CONTAINS(cli_out, "no kernels run");
}
