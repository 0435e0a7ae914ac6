/* SPDX-License-Identifier: MIT
 * test_aie_tool.c - ptowsp-aie, by which users run designs of others: files, kernels, what ends a run and what it leaves. */
#include <stdio.h>
#include <string.h>

#include "ptowsp/ids.h"
#include "registry/npy.h"
#include "tests/check.h"
#include "tests/contract/cli.h"

#define ARRAYS "$R/tests/aie/arrays/"

TEST(users_run_designs_with_files)
{
	CLI_PRINTS(0, "$B/ptowsp-aie " ARRAYS "add.mlir", "device 0: ended in cycle 6991\n");
	CLI_OUT(7, "$B/ptowsp-aie --trace t.json " ARRAYS "behind.mlir; status=$?; grep -c 'waits for never' t.json; exit $status",
		"dma (0,2) MM2S 0 waits for 1 of 'never', which has 0, from nobody: who ever releases it has ended\n", "\n1\n");
	CLI_ERR(5, "echo '%a = memref.expand_shape' >expand.mlir; $B/ptowsp-aie expand.mlir",
		"expand.mlir:1:6: 'memref.expand_shape' has no model, or is misspelt");
	CLI_ERR(2, "echo 'module { } loc(\"a\"' >cut.mlir; $B/ptowsp-aie cut.mlir", "cut.mlir:1:12: the text ends within this loc(, expected its ')'");
	CLI_OUT(7, "$B/ptowsp-aie " ARRAYS "order.mlir", "device 0: deadlock in cycle 12\n",
		"core (0,2) waits for 1 of 'right', which has 0, from core (0,3)\n", "each for the next: core (0,2) -> core (0,3) -> core (0,2)\n");
	CLI_OUT(5, "$B/ptowsp-aie " ARRAYS "kernel.mlir", "kernel @scale is not there; name it with --kernel scale=FILE.so or FILE.c, or say --no-kernels");
	CLI_OUT(0, "$B/ptowsp-aie --no-kernels=10 " ARRAYS "kernel.mlir", "2 of 2 calls were of kernels that are not there, and touched nothing\n");
	CLI_ERR(2, "$B/ptowsp-aie --in arg7=nothing.npy " ARRAYS "add.mlir", "--in arg7: no device that runs has memory of that name; there is arg0, arg1");
	CLI_ERR(2, "$B/ptowsp-aie --kernel scale " ARRAYS "add.mlir", "--kernel \"scale\" is not NAME=FILE");
	CLI_ERR(2, "$B/ptowsp-aie --kernel other=" ARRAYS "kernels.c " ARRAYS "add.mlir", "kernels.c has no function other; in C++ it has to be extern \"C\"");
	CLI_ERR(8, "echo 'int x' >bad.c; $B/ptowsp-aie --kernel scale=bad.c " ARRAYS "add.mlir", "the kernel scale cannot be compiled: ");
	CLI_OUT(0, "$B/ptowsp-aie --value arg2=3 " ARRAYS "counted.mlir", "device 0: ended in cycle ");
	CLI_OUT(5, "$B/ptowsp-aie " ARRAYS "counted.mlir", "give arguments that are numbers by --value");
	CLI_ERR(2, "$B/ptowsp-aie --value arg4294967298=3 " ARRAYS "counted.mlir", "--value takes argN=NUMBER");
	CLI_ERR(2, "$B/ptowsp-aie --value n=3 " ARRAYS "counted.mlir", "--value takes argN=NUMBER");
	CLI_ERR(2, "$B/ptowsp-aie --value arg3=3 " ARRAYS "counted.mlir", "--value arg3: the sequence has 3 arguments, of which the first is arg0");
	CLI_OUT(2, "$B/ptowsp-aie --value arg2=4294967299 " ARRAYS "counted.mlir", "argument 2 is a number of 32 bits, which 4294967299 does not fit into");
	CLI_OUT(2, "$B/ptowsp-aie --value arg2=-2147483649 " ARRAYS "counted.mlir", "argument 2 is a number of 32 bits, which -2147483649 does not fit into");
	CLI_ERR(2, "$B/ptowsp-aie --value 4 " ARRAYS "counted.mlir", "--value \"4\" is not argN=NUMBER");
	CLI_ERR(2, "$B/ptowsp-aie --cycles scale= " ARRAYS "add.mlir", "--cycles \"scale=\" is not NAME=CYCLES");
	CLI_ERR(2, "$B/ptowsp-aie --in arg0=a.npy --in arg0=b.npy " ARRAYS "add.mlir", "--in is given twice for \"arg0\"");
	CLI_ERR(2, "$B/ptowsp-aie --no-kernels=9223372036854775807 " ARRAYS "add.mlir", "--no-kernels takes at most 2^40 cycles");
	CLI_OUT(2, "$B/ptowsp-aie --arch xcvc1902 " ARRAYS "add.mlir", "it is written for npu1_1col, and the rows of xcvc1902 are of other kinds");
	CLI_ERR(2, "echo 'aie.device(npu1) { %t = aie.tile(0, 4294967298) }' >far.mlir; $B/ptowsp-aie far.mlir", "does not fit into 32 bits");
	CLI_OUT(2, "echo 'aie.device(npu1) { %t = aie.tile(0, 2) %l = aie.lock(%t, 16) }' >lock.mlir; $B/ptowsp-aie lock.mlir",
		"device 0: refused: lock.mlir:1: aie.lock: lock 16 of tile (0,2)");
	CLI_OUT(10,
		"echo 'aie.device(npu1) { %t = aie.tile(0, 2) aie.core(%t) { %a = arith.constant 0 : index %b = arith.constant 9223372036854775807 : index "
		"%c = arith.constant 1 : index scf.for %i = %a to %b step %c { } aie.end } }' >endless.mlir; $B/ptowsp-aie --max-seconds 1 endless.mlir",
		"the simulation is not over after 1 s of processor time, in cycle ");
	CLI_ERR(2, "$B/ptowsp-aie --only '' " ARRAYS "add.mlir", "--only needs a value: NAME|NUMBER");
	CLI_ERR(2, "$B/ptowsp-aie --only 3 " ARRAYS "add.mlir", "has no aie.device 3; it has 0\n");
	CLI_ERR(2, "echo 'aie.device(npu1) @a { } aie.device(npu2) { }' >two.mlir; $B/ptowsp-aie --only b two.mlir",
		"two.mlir has no aie.device b; it has 0 @a, 1\n");
	CLI_OUT(0, "$B/ptowsp-aie --only @a two.mlir", "device 0 @a: nothing moves");
	CLI_ERR(2, "echo 'module { }' >none.mlir; $B/ptowsp-aie none.mlir", "none.mlir has no aie.device\n");
	CLI_ERR(2, "$B/ptowsp-aie", "no FILE is given");
	CLI_OUT(2, "$B/ptowsp-aie --json nowhere.mlir", "\"error\": \"nowhere.mlir cannot be read: No such file", "\"devices\": []\n}\n");
	CLI_OUT(2, "echo '%a =' >bad.mlir; $B/ptowsp-aie --json bad.mlir", "\"error\": \"bad.mlir:2:1: the text ends here, expected an operation");
	CLI_OUT(8, "echo 'int x' >bad.c; $B/ptowsp-aie --json --kernel scale=bad.c " ARRAYS "add.mlir", "\"error\": \"the kernel scale cannot be compiled: ");
	CLI_ERR(2, "$B/ptowsp-aie nowhere.mlir", "nowhere.mlir cannot be read: No such file");
	CLI_ERR(2, "echo '%a =' >bad.mlir; $B/ptowsp-aie bad.mlir", "bad.mlir:2:1: the text ends here, expected an operation");
}

TEST(kernels_come_from_c_and_data_from_npy)
{
	static const float x[8] = {1, 2, [7] = -2};
	char file[NPY_HEADER + sizeof(x)];
	json_t *timeline;
	size_t size;

	cli_begin();
	size = npy_header(file, PTOWSP_F32, 1, (const uint64_t[]){8});
	memcpy(file + size, x, sizeof(x));
	REQUIRE(check_write(check_fmt("%s/x.npy", check_dir()), file, size + sizeof(x)));
	CLI_OUT(0,
		"$B/ptowsp-aie --kernel scale=" ARRAYS "kernels.c --kernel sum=" ARRAYS "kernels.c --in arg0=x.npy --out arg1=y.npy --trace t.json " ARRAYS
		"kernel.mlir",
		"device 0: ended in cycle ");
	CLI_PRINTS(0, "tail -c 32 y.npy | od -An -v -tf4 -w4 | tr -d ' ' | tr '\\n' ' '", "3.5 7 0 0 0 0 0 -7 ");
	CLI_OUT(0, "cat t.json", "\"name\":\"core (0,2)\"", "\"ph\":\"X\"");
	timeline = json_load_file(check_fmt("%s/t.json", check_dir()), 0, NULL);
	CHECK(json_array_size(json_object_get(timeline, "traceEvents")) > 10);
	json_decref(timeline);
	CLI_FIGURE("$B/ptowsp-aie --json " ARRAYS "add.mlir", "devices[0].cycles", 6991);
	CLI_FIGURE("$B/ptowsp-aie --json " ARRAYS "add.mlir", "devices[0].waited[0].times", 3);
	CLI_OUT(0, "$B/ptowsp-aie --stats " ARRAYS "add.mlir", "core (0,2)               waited for 'in' ");
	CLI_OUT(0, "cat t.json", "waits for scaled");
	CLI_OUT(0, "$B/ptowsp-aie --kernel scale=" ARRAYS "kernels.c --kernel sum=" ARRAYS "kernels.c --cycles scale=1000000 --stats " ARRAYS "kernel.mlir",
		"busy 1000");
	CLI_ERR(1, "echo 'void scale(int *volatile x) { x = 0; *x = 1; }' >fault.c; $B/ptowsp-aie --kernel scale=fault.c --no-kernels " ARRAYS "kernel.mlir",
		"kernel scale ended with signal 11 (Segmentation fault); its arguments have the sizes that the design says");
	CLI_ERR(2, "$B/ptowsp-aie --kernel scale=" ARRAYS "kernels.c --cycles scale=1x " ARRAYS "kernel.mlir",
		"--cycles scale=1x: a number of cycles from 1 on");
	CLI_ERR(2, "$B/ptowsp-aie --kernel scale=" ARRAYS "kernels.c --cycles sum=5 " ARRAYS "kernel.mlir", "--cycles sum: no --kernel names it");
	CLI_OUT(0, "$B/ptowsp-aie --kernel largest=" ARRAYS "kernels.c --out best=b.npy " ARRAYS "result.mlir", "device 0: cores ended in cycle ");
	CLI_PRINTS(0, "tail -c 8 b.npy | od -An -v -td4 -w8 | tr -s ' '", " 9 -3\n");
	CLI_OUT(0, "$B/ptowsp-aie --no-kernels --out best=b.npy " ARRAYS "result.mlir", "2 of 2 calls were of kernels that are not there");
	CLI_PRINTS(0, "tail -c 8 b.npy | od -An -v -td4 -w8 | tr -s ' '", " 0 0\n");
	CLI_OUT(2, "$B/ptowsp-aie --in arg0=b.npy " ARRAYS "add.mlir", "has 8 bytes of data, memory arg0 of the design 256");
	CLI_OUT(2, "$B/ptowsp-aie --in arg0=y.npy " ARRAYS "add.mlir", "--in arg0: the memory is of i32, y.npy holds f32");
}

#define K_C  "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\nvoid scale(float *x, float *y)"
#define EXIT "ptowsp-aie: kernel scale ended the process by exit(0); a kernel returns to its core\n"

/* What it says is on either stream; the old output is as it was, and nothing is left in the folder of temporary files. */
static void kernel_ends(const char *text, const char *flags, int status, const char *says)
{
	static const char left[] = "temp: out:old\n";

	REQUIRE(check_write(check_fmt("%s/k.c", check_dir()), text, strlen(text)));
	CLI_OUT(status,
		check_fmt("mkdir -p temp; echo old >y.npy; TMPDIR=$T/temp $B/ptowsp-aie --kernel scale=k.c --no-kernels --out arg1=y.npy %s " ARRAYS
			  "kernel.mlir 2>&1; s=$?; echo temp:$(ls temp) out:$(cat y.npy); exit $s",
			  flags),
		says, left);
}

TEST(kernels_that_end_the_process_or_go_too_far_are_told)
{
	cli_begin();
	kernel_ends(K_C " { exit(0); }", "", 1, EXIT);
	kernel_ends(K_C " { _exit(0); }", "", 1, EXIT);
	kernel_ends(K_C " { abort(); }", "", 1, "ptowsp-aie: kernel scale ended with signal 6 (Aborted); ");
	kernel_ends(K_C " { y[8] = 7; }", "", 1, "device 0: failed: kernel scale goes to element 8 of its argument 1, which has 8\n");
	kernel_ends(K_C " { y[-1] = 7; }", "", 1, "device 0: failed: kernel scale goes to element -1 of its argument 1, which has 8\n");
	kernel_ends(K_C " { y[8] = x[8]; }", "", 1, "device 0: failed: kernel scale goes to element 8 of its argument 1, which has 8\n");
	kernel_ends(K_C " { y[-1] = x[-1]; }", "", 1, "device 0: failed: kernel scale goes to element -1 of its argument 1, which has 8\n");
	kernel_ends(K_C " { y[9] = y[8]; }", "", 1, "device 0: failed: kernel scale goes to element 9 of its argument 1, which has 8\n");
	kernel_ends(K_C " { for (int i = 0; i < 100000; i++) y[i] = x[0]; }", "", 1, "element 1024 of its argument 1, which has 8; it ended with signal 11 ");
	kernel_ends("int scale = 5;", "", 2, "ptowsp-aie: kernel scale: in k.c that is a variable, no function\n");
	kernel_ends("void abort(void); __attribute__((constructor)) static void begin(void) { abort(); }", "", 1,
		    "ptowsp-aie: kernel scale: loading k.c ended with signal 6 (Aborted); is the file whole?\n");
	kernel_ends(K_C " { for (int i = 0; i < 64; i++) close(i); }", "", 1,
		    "ptowsp-aie: what the run says is lost: a kernel has closed stderr, which is not its own\n");
	kernel_ends("int x", "", 8, "ptowsp-aie: the kernel scale cannot be compiled: cc says above why\n");
}

TEST(a_kernel_without_an_end_is_ended)
{
	cli_begin();
	kernel_ends(K_C " { for (;;) __asm__(\"\"); }", "--max-seconds 1", 10,
		    "ptowsp-aie: kernel scale does not come back, and the run is not over after 1 s ");
}

/* Neither takes its bound by itself: one takes no processor time, the other no signals. */
TEST(a_kernel_that_sleeps_or_takes_no_signals_is_ended)
{
	cli_begin();
	kernel_ends(K_C " { for (;;) sleep(1000); }", "--max-seconds 1", 10,
		    "ptowsp-aie: kernel scale does not come back: it has been asleep for 1 s; a kernel computes and waits for nothing\n");
	kernel_ends("#include <signal.h>\nvoid scale(void) { sigset_t all; sigfillset(&all); sigprocmask(SIG_BLOCK, &all, 0); for (;;) __asm__(\"\"); }",
		    "--max-seconds 1", 10, "ptowsp-aie: kernel scale does not come back, and the run is not over after 1 s ");
}

/* 2^40 calls, of functions that each call the one before twice. */
TEST(a_design_that_cannot_be_built_in_time_is_ended)
{
	char text[1 << 13];
	size_t length = (size_t)sprintf(text, "aie.device(npu1) { func.func @f0() { return }\n");

	cli_begin();
	for (int i = 1; i <= 40; i++)
		length += (size_t)sprintf(text + length, "func.func @f%d() { func.call @f%d() : () -> () func.call @f%d() : () -> () return }\n", i, i - 1,
					  i - 1);
	length += (size_t)sprintf(text + length, "%%t = aie.tile(0, 2) aie.core(%%t) { func.call @f40() : () -> () aie.end } }\n");
	REQUIRE(check_write(check_fmt("%s/fan.mlir", check_dir()), text, length));
	CHECK_INT(cli("$B/ptowsp-aie --max-seconds 1 fan.mlir"), 10);
}

TEST(what_kernels_print_is_not_what_the_tool_says)
{
	static const char text[] = K_C " { printf(\"hello\\n\"); fflush(stdout); if (write(1, \"there\\n\", 6) < 0) exit(1); }";

	cli_begin();
	REQUIRE(check_write(check_fmt("%s/k.c", check_dir()), text, strlen(text)));
	CLI_FIGURE("$B/ptowsp-aie --json --kernel scale=k.c --no-kernels " ARRAYS "kernel.mlir", "devices[0].guessed_kernel_calls", 1);
	CHECK_STR(cli_err, "hello\nthere\n");
	CLI_OUT(0, "$B/ptowsp-aie --kernel scale=k.c --no-kernels " ARRAYS "kernel.mlir", "  cycles of 1 of 2 calls are a guess, ");
}

TEST(compilers_and_libraries_that_are_none_are_told)
{
	cli_begin();
	REQUIRE_INT(cli("echo 'void scale(void) {}' >k.c && cp k.c k.cc"), 0);
	CLI_ERR(8, "PTOWSP_CC=false $B/ptowsp-aie --kernel scale=k.c " ARRAYS "kernel.mlir", "the kernel scale cannot be compiled: false, ",
		"ends with 1 and says nothing");
	CLI_ERR(8, "PTOWSP_CC=/nowhere/cc $B/ptowsp-aie --kernel scale=k.c " ARRAYS "kernel.mlir",
		"/nowhere/cc, which compiles the kernel scale, cannot be run");
	CLI_ERR(2, "$B/ptowsp-aie --kernel scale=k.cc " ARRAYS "kernel.mlir", "kernel scale: k.cc is neither C (FILE.c) nor a shared object");
	CLI_OUT(2, "$B/ptowsp-aie --arch npu9 " ARRAYS "kernel.mlir", "--arch npu9: there is no such device; say npu1, ", "xcve2802");
}

/* All names are known and all files can be written before anything runs, and all are written or none. */
TEST(outputs_are_those_of_a_run_that_ends)
{
	static const char two[] = "aie.device(npu1) @a { %t = aie.tile(0, 2) %b = aie.buffer(%t) {sym_name = \"m\"} : memref<4xi32> }\n"
				  "aie.device(npu1) @b { %t = aie.tile(0, 2) %b = aie.buffer(%t) {sym_name = \"m\"} : memref<4xi32> }\n";

	cli_begin();
	REQUIRE(check_write(check_fmt("%s/two.mlir", check_dir()), two, strlen(two)));
	REQUIRE_INT(cli("echo old >y.npy"), 0);
	CLI_ERR(2, "$B/ptowsp-aie --in arg7=no.npy --out arg1=y.npy " ARRAYS "add.mlir", "--in arg7: no device that runs has memory of that name");
	CLI_ERR(2, "$B/ptowsp-aie --out arg1=y.npy --out nope=z.npy " ARRAYS "add.mlir", "--out nope: no device that runs has memory of that name");
	CLI_ERR(2, "$B/ptowsp-aie --out arg0=y.npy --out arg1=no/z.npy " ARRAYS "add.mlir", "no/z.npy cannot be written: ");
	CLI_OUT(7, "$B/ptowsp-aie --out scratch=y.npy " ARRAYS "order.mlir", "nothing is written for --out, which is of a run that ends\n");
	CLI_ERR(2, "$B/ptowsp-aie --out m=y.npy two.mlir", "--out m: several devices have memory of that name; say one of them by --only");
	CLI_PRINTS(0, "cat y.npy; ls", "old\ntwo.mlir\ny.npy\n");
	CHECK_INT(cli("$B/ptowsp-aie --only b --out m=y.npy two.mlir"), 0);
	CHECK_INT(cli("$B/ptowsp-aie --in m=y.npy --out m=y.npy --only b two.mlir"), 0);
	CLI_PRINTS(0, "tail -c 16 y.npy | od -An -v -td4 | tr -s ' '", " 0 0 0 0\n");
}

/* A design that the backend wrote, with its kernels as C, gives what cpu_sim gives: read, built and run by code that the backend does not use. */
TEST(emitted_designs_run_with_their_kernels)
{
	static const char *const forms[] = {"design.mlir", "design.custom.mlir"};

	REQUIRE_INT(cli("$B/ptowsp-run --quiet --plugin=aie --emit made --entry f32 --fill a_f32=random:1 --fill b_f32=random:2 --out a_f32=a.npy --out "
			"b_f32=b.npy "
			"$P/gemm_1.pkg.zst && $B/ptowsp-run --quiet --plugin=cpu_sim --entry f32 --fill a_f32=random:1 --fill b_f32=random:2 --out c_f32=c.npy "
			"$P/gemm_1.pkg.zst"),
		    0);
	for (size_t i = 0; i < 2; i++)
		CLI_OUT(0,
			check_fmt("PTOWSP_CC=\"cc -std=gnu11 -ffp-contract=off -DNDEBUG\" $B/ptowsp-aie --kernel kernel_add_f32=$(echo "
				  "made/kernels/*add_f32.c) --kernel kernel_zero_f32=$(echo made/kernels/*zero_f32.c) --in arg0=a.npy --in arg1=b.npy --out "
				  "arg2=d.npy "
				  "made/%s && tail -c 1024 c.npy >c && tail -c 1024 d.npy | cmp - c && echo the same",
				  forms[i]),
			"the same");
}
