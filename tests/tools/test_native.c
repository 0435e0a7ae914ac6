/* SPDX-License-Identifier: MIT
 * test_native.c - ptowsp-pack --native and --emit from outside: what a package has then, what is said without a compiler, and the emitted
 * text of three kernels, which is kept in tests/emit. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/check.h"

static char *out, *err;

/* A tool in the test's folder. */
static int tool(const char *environment, const char *name, const char *args)
{
	free(out);
	free(err);
	return check_run(check_fmt("cd '%s' && mkdir -p temp && TMPDIR=\"$PWD/temp\" %s '%s/bin/%s' %s", check_dir(), environment, check_build(), name, args),
			 &out, &err);
}

static int pack(const char *environment, const char *args)
{
	return tool(environment, "ptowsp-pack", args);
}

static const char *example(const char *name)
{
	return check_fmt("'%s/packages/examples/%s.pto'", check_root(), name);
}

static void nothing_is_left_behind(void)
{
	free(out);
	CHECK_INT(check_run(check_fmt("ls '%s/temp'", check_dir()), &out, NULL), 0);
	CHECK_STR(out, "");
}

TEST(native_payloads_stand_before_portable_ones)
{
	check_tmp();
	CHECK_INT(pack("", check_fmt("--native %s -o s.pkg.zst", example("softmax"))), 0);
	CHECK_STR(err, "");
	nothing_is_left_behind();
	CHECK_INT(tool("", "ptowsp-inspect", "s.pkg.zst"), 0);
	CHECK_CONTAINS(out, "native_compiler");
	CHECK_CONTAINS(out, "native_flags     -std=c11 -O3 -fPIC -shared -ffp-contract=off");
	CHECK_CONTAINS(out, "elf for ");
	CHECK(strstr(out, "elf for ") < strstr(out, ", pto "));
}

/* What the source says itself stays: a shared object before a portable kernel of the same package. */
TEST(source_is_printed_without_what_was_added)
{
	static const char text[] = "kernel @own(%x: f32[2, 4] out) {\n  native x86_64-linux-gnu base64 \"f0VMRg==\" \"own\" cycles 5\n}\n"
				   "func @fill(%x: !pto.memref<gm,...,f32>) {\n  %a = alloc_tile : !pto.tile<2x4xf32>\n  %a = texpands %1.0\n"
				   "  tstore %a, %x[0, 0]\n}\n";

	check_tmp();
	REQUIRE(check_write(check_fmt("%s/own.pto", check_dir()), text, sizeof(text) - 1));
	REQUIRE_INT(pack("", "own.pto -o plain.pkg.zst"), 0);
	REQUIRE_INT(pack("", "--native own.pto -o own.pkg.zst"), 0);
	CHECK_INT(tool("", "ptowsp-inspect", "--pto own.pkg.zst >again.pto"), 0);
	CHECK_STR(err, "");
	REQUIRE_INT(tool("", "ptowsp-inspect",
			 "--pto plain.pkg.zst >plain.pto && printf '// %s\\n' 'Native code is left out: ptowsp-pack --native makes it again.'"
			 " | cat - plain.pto | cmp - again.pto"),
		    0);
	REQUIRE_INT(tool("", "ptowsp-inspect", "--pto plain.pkg.zst"), 0);
	CHECK_CONTAINS(out, "native x86_64-linux-gnu base64 ");
}

TEST(equal_sources_give_equal_packages)
{
	check_tmp();
	CHECK_INT(pack("", check_fmt("--native %s -o a.pkg.zst", example("softmax"))), 0);
	CHECK_INT(pack("", check_fmt("--native %s -o b.pkg.zst", example("softmax"))), 0);
	CHECK_INT(check_run(check_fmt("cmp '%s/a.pkg.zst' '%s/b.pkg.zst'", check_dir(), check_dir()), NULL, NULL), 0);
}

/* ptowsp-inspect --c says all that is in the package, the object too; --pto what its source says. */
TEST(calls_make_the_whole_package_again)
{
	const char *folder = check_tmp();

	REQUIRE_INT(pack("", check_fmt("--native %s -o s.pkg.zst", example("vector_add"))), 0);
	REQUIRE_INT(pack("", check_fmt("%s -o plain.pkg.zst", example("vector_add"))), 0);
	REQUIRE_INT(tool("", "ptowsp-inspect", "--c s.pkg.zst >again.c"), 0);
	free(err);
	CHECK_INT(check_run(check_fmt("cd '%s' && cc -std=c11 -O0 -Wall -Wextra -Werror -DPTOWSP_TREE -I'%s/abi' -I'%s/packages' again.c -o again -L'%s/lib' "
				      "-lptowsp-pack %s -Wl,-rpath,'%s/lib' && ./again again.pkg.zst >digest && cmp s.pkg.zst again.pkg.zst && "
				      "'%s/bin/ptowsp-inspect' s.pkg.zst | grep -q \"digest *$(cut -d' ' -f1 digest)\"",
				      folder, check_root(), check_root(), check_build(), check_sanitizer(), check_build(), check_build()),
			    NULL, &err),
		  0);
	CHECK_STR(err, "");
	REQUIRE_INT(tool("", "ptowsp-inspect", "--pto again.pkg.zst >again.pto"), 0);
	REQUIRE_INT(pack("", "again.pto -o left.pkg.zst"), 0);
	CHECK_INT(check_run(check_fmt("cd '%s' && '%s/bin/ptowsp-inspect' --pto plain.pkg.zst >plain.pto && tail -n +2 again.pto | cmp - plain.pto", folder,
				      check_build()),
			    NULL, NULL),
		  0);
}

TEST(what_runs_is_the_same_with_native_payloads_beside)
{
	check_tmp();
	CHECK_INT(pack("", check_fmt("--native %s -o t.pkg.zst", example("tiles"))), 0);
	CHECK_INT(tool("", "ptowsp-run", "t.pkg.zst"), 0);
}

/* examples_native compiles products for the processor that is here only. */
TEST(products_are_compiled_for_every_processor)
{
	check_tmp();
	CHECK_INT(pack("", check_fmt("--native %s -o m.pkg.zst", example("matmul"))), 0);
	CHECK_INT(tool("", "ptowsp-run", "--trust=all m.pkg.zst"), 0);
}

/* What a cache sees of two calls is the same: it can find the second again. */
TEST(a_cache_of_compilers_is_used_where_it_is_there)
{
	static const char cache[] = "#!/bin/sh\necho \"$@\" >>\"$LOG\"\nexec \"$@\"\n";

	check_tmp();
	REQUIRE(check_write(check_fmt("%s/ccache", check_dir()), cache, sizeof(cache) - 1));
	REQUIRE_INT(check_run(check_fmt("cd '%s' && chmod +x ccache && ln -s \"$(command -v gcc)\" cc", check_dir()), NULL, NULL), 0);
	CHECK_INT(pack("LOG=\"$PWD/one\" PATH=\"$PWD:$PATH\"", check_fmt("--native %s -o s.pkg.zst", example("softmax"))), 0);
	CHECK_INT(pack("LOG=\"$PWD/two\" PATH=\"$PWD:$PATH\"", check_fmt("--native %s -o t.pkg.zst", example("softmax"))), 0);
	CHECK_INT(check_run(check_fmt("cd '%s' && sort one >1 && sort two >2 && cmp 1 2 && grep -q -- ' -c -o ' 1 && cmp s.pkg.zst t.pkg.zst", check_dir()),
			    NULL, NULL),
		  0);
	CHECK_INT(pack("CC=./cc LOG=\"$PWD/three\" PATH=\"$PWD:$PATH\"", check_fmt("--native %s -o s.pkg.zst", example("softmax"))), 0);
	CHECK_INT(check_run(check_fmt("ls '%s/three'", check_dir()), NULL, NULL), 2);
}

/* Ten kernels in two files, which compile although kernels and parameters are called like what a source has for itself. */
TEST(kernels_share_a_file_whatever_they_are_called)
{
	static const char *const names[] = {"a", "a_body", "body", "params", "kernel", "kernels", "tile_params_1", "task", "a_kernel", "main_body"};
	static const char cache[] = "#!/bin/sh\necho \"$@\" >>\"$LOG\"\nexec \"$@\"\n";
	const size_t count = sizeof(names) / sizeof(*names);
	FILE *source;

	check_tmp();
	REQUIRE(check_write(check_fmt("%s/ccache", check_dir()), cache, sizeof(cache) - 1));
	REQUIRE((source = fopen(check_fmt("%s/names.pto", check_dir()), "w")) != NULL);
	fprintf(source, "tensor %%x : f32[%zu, 4] out\n", count);
	for (size_t i = 0; i < count; i++)
		fprintf(source,
			"func @%s(%%params: !pto.memref<gm,...,f32>) {\n  %%kernel = alloc_tile : !pto.tile<1x4xf32>\n"
			"  %%kernel = texpands %%%zu.0\n  tstore %%kernel, %%params[0, 0]\n}\n",
			names[i], i);
	fprintf(source, "workload @main {\n");
	for (size_t i = 0; i < count; i++)
		fprintf(source, "  call @%s(%%params -> %%x[%zu, 0])\n", names[i], i);
	fprintf(source, "}\n");
	fclose(source);
	REQUIRE_INT(check_run(check_fmt("cd '%s' && chmod +x ccache && ln -s \"$(command -v gcc)\" cc", check_dir()), NULL, NULL), 0);
	CHECK_INT(pack("LOG=\"$PWD/log\" PATH=\"$PWD:$PATH\"", "--native names.pto -o n.pkg.zst"), 0);
	CHECK_STR(err, "");
	CHECK_INT(check_run(check_fmt("test \"$(grep -c -- ' -c -o ' '%s/log')\" = 2", check_dir()), NULL, NULL), 0);
	CHECK_INT(tool("", "ptowsp-run", "--trust=all --isolate=none --out x=native.npy n.pkg.zst"), 0);
	CHECK_INT(tool("", "ptowsp-run", "--out x=portable.npy n.pkg.zst"), 0);
	CHECK_INT(check_run(check_fmt("cd '%s' && cmp native.npy portable.npy", check_dir()), NULL, NULL), 0);
}

TEST(without_a_compiler_it_is_exit_8)
{
	check_tmp();
	CHECK_INT(pack("CC=/nowhere/cc", check_fmt("--native %s -o s.pkg.zst", example("softmax"))), 8);
	CHECK_CONTAINS(err, "ptowsp-pack: no compiler \"/nowhere/cc\" for ");
	CHECK_CONTAINS(err, ": install it, or name one in CC\n");
	nothing_is_left_behind();
	CHECK_INT(pack("", check_fmt("--native=vax-dec-vms %s -o s.pkg.zst", example("softmax"))), 8);
	CHECK_STR(err, "ptowsp-pack: no compiler \"vax-dec-vms-gcc\" for vax-dec-vms: install it, or name one in CC\n");
	CHECK_INT(pack("CC=false", check_fmt("--native %s -o s.pkg.zst", example("softmax"))), 8);
	CHECK_STR(err, "ptowsp-pack: \"false --version\" fails: it is no compiler that --native can use\n");
	CHECK_INT(check_run(check_fmt("ls '%s/s.pkg.zst'", check_dir()), NULL, NULL), 2);
}

TEST(a_compiler_that_fails_is_exit_1)
{
	check_tmp();
	CHECK_INT(pack("CC='cc -fno-such-option'", check_fmt("--native %s -o s.pkg.zst", example("softmax"))), 1);
	CHECK_CONTAINS(err, "ptowsp-pack: \"cc -fno-such-option\" cannot compile the kernels: ");
	nothing_is_left_behind();
}

/* A compiler that starts another program, which makes files until somebody ends it. */
static const char endless[] = "#!/bin/sh\ncase $* in --version) echo endless 1; exit ;; esac\n"
			      "(n=0; while :; do n=$((n + 1)); mkdir -p $TMPDIR/d$n/e; : >$TMPDIR/d$n/e/f; done) &\nwait\n";

/* A signal of a shell to what is no ptowsp-pack yet would be lost, because a shell's background ignores it. Ended at some moment, ptowsp-pack leaves neither files nor programs: those that it started have a variable that nobody else has. */
static void signals_check(const char *compiler, unsigned rounds, unsigned most_ms)
{
	const char *folder = check_tmp(), *seed = getenv("PTOWSP_SEED");
	const unsigned first = seed ? (unsigned)strtoul(seed, NULL, 10) : (unsigned)time(NULL);
	static const char *const signals[] = {"TERM", "INT", "HUP"};
	static const int codes[] = {143, 130, 129};

	REQUIRE(check_write(check_fmt("%s/endless", folder), endless, sizeof(endless) - 1));
	srand(first);
	for (unsigned i = 0; i < rounds; i++) {
		const unsigned ms = (unsigned)rand() % most_ms, which = (unsigned)rand() % 3;

		free(out);
		CHECK_INT(check_run(check_fmt("cd '%s' && chmod +x endless && mkdir -p temp && export CCACHE_DISABLE=1 BEGUN_BY=%s_%u TMPDIR=$PWD/temp; "
					      "env --default-signal=INT,HUP CC='%s' '%s/bin/ptowsp-pack' --native %s -o s.pkg.zst & "
					      "while read -r name </proc/$!/comm && [ \"$name\" != ptowsp-pack ]; do :; done; "
					      "sleep %u.%03u; kill -%s $!; wait $!; code=$?; ls temp; ls s.pkg.zst 2>/dev/null; unset BEGUN_BY; "
					      "grep -lsa BEGUN_BY=%s_%u /proc/[0-9]*/environ; exit $code",
					      folder, check_name(), i, compiler, check_build(), example("softmax"), ms / 1000, ms % 1000, signals[which],
					      check_name(), i),
				    &out, NULL),
			  codes[which]);
		if (*out)
			CHECK_FAIL("PTOWSP_SEED=%u, round %u, %s after %u ms: there is still %s", first, i, signals[which], ms, out);
	}
}

TEST(a_signal_ends_compilers_and_leaves_no_file)
{
	signals_check("./endless", 24, 400);
}

TEST(a_signal_ends_the_real_compiler_too)
{
	signals_check("cc", 4, 300);
}

TEST(options_that_make_no_sense_are_exit_2)
{
	check_tmp();
	CHECK_INT(pack("", check_fmt("--emit=fortran %s -o f", example("softmax"))), 2);
	CHECK_CONTAINS(err, "no sources are written for --emit=fortran; known: c, cuda, opencl, ascend-a2a3, ascend-a5\n");
	CHECK_INT(pack("", check_fmt("--emit=c --native %s -o f", example("softmax"))), 2);
	CHECK_INT(pack("", check_fmt("--emit=c %s -o f.pkg.zst", example("softmax"))), 2);
	CHECK_INT(pack("", check_fmt("'--native=a b' %s -o f.pkg.zst", example("softmax"))), 2);
}

TEST(a_kernel_that_cannot_run_stays_portable_and_is_named)
{
	static const char text[] = "func @odd(%x: !pto.memref<gm,...,f32>) {\n  %a = alloc_tile : !pto.tile<2x4xf32>\n  %b = alloc_tile : !pto.tile<2x1xf32>\n"
				   "  %a = tadd %a, %b\n  tstore %a, %x[0, 0]\n}\nfunc @even(%x: !pto.memref<gm,...,f32>) {\n"
				   "  %a = alloc_tile : !pto.tile<2x4xf32>\n  %a = texpands %1.0\n  tstore %a, %x[0, 0]\n}\n";

	check_tmp();
	REQUIRE(check_write(check_fmt("%s/odd.pto", check_dir()), text, sizeof(text) - 1));
	CHECK_INT(pack("", "--native odd.pto -o odd.pkg.zst"), 0);
	CHECK_CONTAINS(err, "ptowsp-pack: kernel odd stays portable only: ");
	CHECK_INT(tool("", "ptowsp-inspect", "odd.pkg.zst"), 0);
	CHECK_CONTAINS(out, "elf for ");
}

/* The emitted text, as it is in the tree; PTOWSP_UPDATE=1 writes it there. */
TEST(emitted_text_is_what_is_kept)
{
	static const char *const kernels[] = {"product_bf16", "silu_rows", "softmax_tile"};

	check_tmp();
	REQUIRE(pack("", check_fmt("--emit=c '%s/tests/emit/kernels.pto' -o emitted", check_root())) == 0);
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
		char *got = check_read(check_fmt("%s/emitted/%s.c", check_dir(), kernels[i]), NULL);
		char *want;

		REQUIRE(got != NULL);
		if (getenv("PTOWSP_UPDATE"))
			check_write(check_fmt("%s/tests/emit/%s.c.txt", check_root(), kernels[i]), got, strlen(got));
		want = check_read(check_fmt("%s/tests/emit/%s.c.txt", check_root(), kernels[i]), NULL);
		REQUIRE(want != NULL);
		CHECK_STR(got, want);
		free(got);
		free(want);
	}
}

/* A package that is there has the same text as its source. */
TEST(a_package_is_emitted_like_its_source)
{
	check_tmp();
	CHECK_INT(pack("", check_fmt("--emit=opencl %s -o of_source && '%s/bin/ptowsp-pack' --emit=opencl '%s/packages/softmax.pkg.zst' -o of_package && "
				     "diff -r of_source of_package && test -s of_package/exp_shifted.cl",
				     example("softmax"), check_build(), check_build())),
		  0);
}

TEST(emitted_text_compiles_without_the_tree)
{
	check_tmp();
	REQUIRE(pack("", check_fmt("--emit=c '%s/tests/emit/kernels.pto' -o emitted", check_root())) == 0);
	free(err);
	CHECK_INT(check_run(check_fmt("cd '%s/emitted' && cc -std=c11 -Wall -Wextra -Werror -O2 -ffp-contract=off -fPIC -shared -I. *.c -o k.so -lm",
				      check_dir()),
			    NULL, &err),
		  0);
	CHECK_STR(err, "");
}

/* A kernel that needs no memory of its own, one whose tiles lie on the stack, one whose tiles are too large for that. */
static const char *const program =
	"tensor %x : f32[512, 1024] in\ntensor %y : f32[512, 1024] out\ntensor %z : f32[512, 1024] out\ntensor %n : i32[1, 1] out\n"
	"func @one(%n: !pto.memref<gm,...,i32>) {\n  %k = alloc_scalar : i32\n  LI %k:i32, 7\n  STORE %k:i32, %n[0]\n  return\n}\n"
	"func @double(%a: !pto.memref<gm,...,f32>, %b: !pto.memref<gm,...,f32>) {\n"
	"  %t = alloc_tile : !pto.tile<8x1024xf32>\n  %s = alloc_tile : !pto.tile<8x1xf32>\n  %t = tload %a[0, 0]\n  %s = trowmax %t\n"
	"  %t = trowexpandmul %t, %s\n  tstore %t, %b[0, 0]\n  return\n}\n"
	"func @turn(%a: !pto.memref<gm,...,f32>, %b: !pto.memref<gm,...,f32>) {\n"
	"  %t = alloc_tile : !pto.tile<512x1024xf32>\n  %s = alloc_tile : !pto.tile<1x1024xf32>\n  %t = tload %a[0, 0]\n  %s = tcolmax %t\n"
	"  %t = tcolexpand %s\n  tstore %t, %b[0, 0]\n  return\n}\n"
	"workload @main {\n  call @one(%n -> %n[0, 0 : 1, 1])\n"
	"  parallel_for %i in 0 to 64 { call @double(%a -> %x[%i * 8, 0], %b -> %y[%i * 8, 0]) }\n  call @turn(%a -> %y, %b -> %z)\n}\n";
static const char *const caller =
	"#include \"main_.c\"\nstatic float x[512 * 1024], y[512 * 1024], z[512 * 1024];\nstatic int n[1];\n"
	"int main(void)\n{\n\tstruct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};\n\tstruct rt_tasks *tasks;\n"
	"\tstruct main_ o = {.memory = {.x = {x, 512 * 1024}, .y = {y, 512 * 1024}, .z = {z, 512 * 1024}, .n = {n, 1}}};\n"
	"\tfor (int i = 0; i < 512; i++)\n\t\tx[i * 1024 + 5] = 2, x[i * 1024 + 1023] = (float)(i + 1) / 2 > 2 ? 2 : 1;\n"
	"\tif (rt_tasks_create(&tasks, NULL, &error))\n\t\treturn 2;\n\tmain__begin(tasks, &o);\n"
	"\tif (rt_tasks_run(tasks, main_, &o, 2, 0, NULL, &error)) {\n\t\tputs(error.text);\n\t\treturn 3;\n\t}\n"
	"\tprintf(\"%d %g %g %g %g\\n\", n[0], y[5], y[1023], z[5], z[511 * 1024 + 1023]);\n\trt_tasks_destroy(tasks);\n\treturn 0;\n}\n";

TEST(emitted_entries_run_with_their_kernels)
{
	const char *folder = check_tmp();

	REQUIRE(check_write(check_fmt("%s/p.pto", folder), program, strlen(program)));
	REQUIRE(pack("", "--emit=c p.pto -o emitted") == 0);
	free(out);
	free(err);
	REQUIRE(check_write(check_fmt("%s/emitted/run.c", folder), caller, strlen(caller)));
	CHECK_INT(check_run(check_fmt("cd '%s/emitted' && mv main_.c main_.h && sed -i s/main_.c/main_.h/ run.c && "
				      "cc -std=c11 -Wall -Wextra -Werror -O2 -fwrapv -ffp-contract=off -I. *.c '%s/lib/libptowsp-rt.a' %s -lpthread -lm -o run "
				      "&& ./run",
				      folder, check_build(), check_sanitizer()),
			    &out, &err),
		  0);
	CHECK_STR(err, "");
	CHECK_STR(out, "7 4 2 4 4\n");
}

/* The first block of that kind in a page of packages/, as a file in the test's folder. */
static void block_take(const char *page, const char *kind, const char *file)
{
	CHECK_INT(tool(check_fmt("awk '/^```%s$/ && !n++ { on = 1; next } /^```/ { on = 0 } on' '%s/packages/%s' >%s;", kind, check_root(), page, file),
		       "ptowsp-pack", "--version"),
		  0);
}

TEST(the_documented_program_around_an_entry_runs)
{
	check_tmp();
	block_take("LANGUAGE.md", "pto", "double.pto");
	block_take("GRAMMAR.md", "c", "run.c");
	CHECK_INT(pack("", check_fmt("--emit=c double.pto -o double && cc -std=c11 -Wall -Wextra -Werror -O2 -fwrapv -ffp-contract=off -Idouble run.c "
				     "double/double_.c '%s/lib/libptowsp-rt.a' %s -lpthread -lm && ./a.out",
				     check_build(), check_sanitizer())),
		  0);
	CHECK_STR(err, "");
}

/* A folder of sources becomes a folder of folders, each named after its source. */
TEST(folders_of_sources_are_written_below_the_output)
{
	const char *folder = check_tmp();
	char *text;

	REQUIRE(check_run(check_fmt("mkdir -p '%s/in/sub'", folder), NULL, NULL) == 0);
	REQUIRE(check_write(check_fmt("%s/in/sub/a.pto", folder), program, strlen(program)));
	REQUIRE(pack("", "--emit=c in -o out") == 0);
	text = check_read(check_fmt("%s/out/sub/a/main_.c", folder), NULL);
	CHECK(text != NULL);
	free(text);
}
