/* SPDX-License-Identifier: MIT
 * test_native.c - ptowsp-pack --native and --emit from outside: what a package has then, what is said without a compiler, and the emitted
 * text of three kernels, which is kept in tests/emit. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

static char *out, *err;

/* A tool in the test's folder. */
static int tool(const char *environment, const char *name, const char *args)
{
	free(out);
	free(err);
	return check_run(check_fmt("cd '%s' && mkdir -p temp && TMPDIR=\"$PWD/temp\" %s '%s/bin/%s' %s", check_fmt("%s/test/tmp/%s", check_build(), check_name()),
				   environment, check_build(), name, args),
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
	CHECK_INT(check_run(check_fmt("ls '%s/test/tmp/%s/temp'", check_build(), check_name()), &out, NULL), 0);
	CHECK_STR(out, "");
}

static void native_payloads_stand_before_portable_ones(void)
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
static void source_is_printed_without_what_was_added(void)
{
	static const char text[] = "kernel @own(%x: f32[2, 4] out) {\n  native x86_64-linux-gnu base64 \"f0VMRg==\" \"own\" cycles 5\n}\n"
				   "func @fill(%x: !pto.memref<gm,...,f32>) {\n  %a = alloc_tile : !pto.tile<2x4xf32>\n  %a = texpands %1.0\n"
				   "  tstore %a, %x[0, 0]\n}\n";

	check_tmp();
	REQUIRE(check_write(check_fmt("%s/test/tmp/%s/own.pto", check_build(), check_name()), text, sizeof(text) - 1));
	REQUIRE_INT(pack("", "own.pto -o plain.pkg.zst"), 0);
	REQUIRE_INT(pack("", "--native own.pto -o own.pkg.zst"), 0);
	CHECK_INT(tool("", "ptowsp-inspect", "--pto own.pkg.zst >again.pto"), 0);
	CHECK_STR(err, "");
	REQUIRE_INT(tool("", "ptowsp-inspect", "--pto plain.pkg.zst >plain.pto && printf '// %s\\n' 'Native code is left out: ptowsp-pack --native makes it again.'"
					       " | cat - plain.pto | cmp - again.pto"), 0);
	REQUIRE_INT(tool("", "ptowsp-inspect", "--pto plain.pkg.zst"), 0);
	CHECK_CONTAINS(out, "native x86_64-linux-gnu base64 ");
}

static void equal_sources_give_equal_packages(void)
{
	check_tmp();
	CHECK_INT(pack("", check_fmt("--native %s -o a.pkg.zst", example("softmax"))), 0);
	CHECK_INT(pack("", check_fmt("--native %s -o b.pkg.zst", example("softmax"))), 0);
	CHECK_INT(check_run(check_fmt("cmp '%s/test/tmp/%s/a.pkg.zst' '%s/test/tmp/%s/b.pkg.zst'", check_build(), check_name(), check_build(),
				      check_name()),
			    NULL, NULL),
		  0);
}

static void what_runs_is_the_same_with_native_payloads_beside(void)
{
	check_tmp();
	CHECK_INT(pack("", check_fmt("--native %s -o t.pkg.zst", example("tiles"))), 0);
	CHECK_INT(tool("", "ptowsp-run", "t.pkg.zst"), 0);
}

static void without_a_compiler_it_is_exit_8(void)
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
	CHECK_INT(check_run(check_fmt("ls '%s/test/tmp/%s/s.pkg.zst'", check_build(), check_name()), NULL, NULL), 2);
}

static void a_compiler_that_fails_is_exit_1(void)
{
	check_tmp();
	CHECK_INT(pack("CC='cc -fno-such-option'", check_fmt("--native %s -o s.pkg.zst", example("softmax"))), 1);
	CHECK_CONTAINS(err, "ptowsp-pack: \"cc -fno-such-option\" cannot compile the kernels: ");
	nothing_is_left_behind();
}

static void options_that_make_no_sense_are_exit_2(void)
{
	check_tmp();
	CHECK_INT(pack("", check_fmt("--emit=fortran %s -o f", example("softmax"))), 2);
	CHECK_CONTAINS(err, "no sources are written for --emit=fortran");
	CHECK_INT(pack("", check_fmt("--emit=c --native %s -o f", example("softmax"))), 2);
	CHECK_INT(pack("", check_fmt("--emit=c %s -o f.pkg.zst", example("softmax"))), 2);
	CHECK_INT(pack("", check_fmt("'--native=a b' %s -o f.pkg.zst", example("softmax"))), 2);
}

static void a_kernel_that_cannot_run_stays_portable_and_is_named(void)
{
	static const char text[] = "func @odd(%x: !pto.memref<gm,...,f32>) {\n  %a = alloc_tile : !pto.tile<2x4xf32>\n  %b = alloc_tile : !pto.tile<2x1xf32>\n"
				   "  %a = tadd %a, %b\n  tstore %a, %x[0, 0]\n}\nfunc @even(%x: !pto.memref<gm,...,f32>) {\n"
				   "  %a = alloc_tile : !pto.tile<2x4xf32>\n  %a = texpands %1.0\n  tstore %a, %x[0, 0]\n}\n";

	check_tmp();
	REQUIRE(check_write(check_fmt("%s/test/tmp/%s/odd.pto", check_build(), check_name()), text, sizeof(text) - 1));
	CHECK_INT(pack("", "--native odd.pto -o odd.pkg.zst"), 0);
	CHECK_CONTAINS(err, "ptowsp-pack: kernel odd stays portable only: ");
	CHECK_INT(tool("", "ptowsp-inspect", "odd.pkg.zst"), 0);
	CHECK_CONTAINS(out, "elf for ");
}

/* The emitted text, as it is in the tree; PTOWSP_UPDATE=1 writes it there. */
static void emitted_text_is_what_is_kept(void)
{
	static const char *const kernels[] = {"product_bf16", "silu_rows", "softmax_tile"};

	check_tmp();
	REQUIRE(pack("", check_fmt("--emit=c '%s/tests/emit/kernels.pto' -o emitted", check_root())) == 0);
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
		char *got = check_read(check_fmt("%s/test/tmp/%s/emitted/%s.c", check_build(), check_name(), kernels[i]), NULL);
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

static void emitted_text_compiles_without_the_tree(void)
{
	check_tmp();
	REQUIRE(pack("", check_fmt("--emit=c '%s/tests/emit/kernels.pto' -o emitted", check_root())) == 0);
	free(err);
	CHECK_INT(check_run(check_fmt("cd '%s/test/tmp/%s/emitted' && cc -std=c11 -Wall -Wextra -Werror -O2 -ffp-contract=off -fPIC -shared -I. *.c -o k.so -lm",
				      check_build(), check_name()),
			    NULL, &err),
		  0);
	CHECK_STR(err, "");
}

void suite_native(CU_pSuite s)
{
	TEST(s, native_payloads_stand_before_portable_ones);
	TEST(s, source_is_printed_without_what_was_added);
	TEST(s, equal_sources_give_equal_packages);
	TEST(s, what_runs_is_the_same_with_native_payloads_beside);
	TEST(s, without_a_compiler_it_is_exit_8);
	TEST(s, a_compiler_that_fails_is_exit_1);
	TEST(s, options_that_make_no_sense_are_exit_2);
	TEST(s, a_kernel_that_cannot_run_stays_portable_and_is_named);
	TEST(s, emitted_text_is_what_is_kept);
	TEST(s, emitted_text_compiles_without_the_tree);
}
