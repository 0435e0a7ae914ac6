/* SPDX-License-Identifier: MIT
 * test_trust.c - whose code runs: native code of signed packages, and plugins that are listed or signed. */
#include "contract/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host/ptowsp_host.h"
#include "host/trust.h"

static const char source[] = "module @m\n"
			     "tensor %x : f32[4] in\n"
			     "tensor %y : f32[4] out\n"
			     "sample %x input [4] = [1, 2, 3, 4]\n"
			     "func @fives(%x: !pto.memref<gm,...,f32>, %y: !pto.memref<gm,...,f32>, %n: i64) {\n"
			     "  %t = alloc_tile : !pto.tile<1x4xf32>\n"
			     "  %t = tload %x[0, 0]\n"
			     "  FOR %k:idx, 0:idx, %n:idx, 1:idx\n"
			     "    %t = texpands 5.0\n"
			     "  ENDFOR\n"
			     "  tstore %t, %y[0, 0]\n"
			     "  return\n"
			     "}\n"
			     "kernel @k(%x: f32[4] in, %y: f32[4] out, %n: i64) sig \"v(p,p,i64)\" { ";

/* m.pkg.zst, whose kernel has native code that doubles and, if portable, a payload that writes fives; two keys, ann's is in keys. */
static void begin(bool portable)
{
	char machine[64] = "";
	char *name;

	cli_begin();
	REQUIRE(!check_run("uname -m", &name, NULL));
	snprintf(machine, sizeof(machine), "%.*s", (int)strcspn(name, "\n"), name);
	free(name);
	name = (char *)(uintptr_t)check_fmt("%snative %s-linux-gnu \"lib.so\" \"twice\"%s }\nworkload @main { call @k(%%x -> %%x, %%y -> %%y, %%n -> 4) }\n", source, machine,
					   portable ? " portable @fives" : "");
	REQUIRE(check_write(check_fmt("%s/m.pto", getenv("T")), name, strlen(name)));
	REQUIRE_INT(cli("echo '#include <stdint.h>\nvoid twice(const float *x, float *y, int64_t n) { for (int64_t i = 0; i < n; i++) y[i] = 2 * x[i]; }' >lib.c\n"
			"gcc -std=c11 -O2 -fPIC -shared lib.c -o lib.so && $B/ptowsp-pack m.pto -o m.pkg.zst"), 0);
	REQUIRE_INT(cli("$B/ptowsp-pack --make-key ann && $B/ptowsp-pack --make-key bob && mkdir keys && cp ann.pub keys"), 0);
}

#define SIGNED "$B/ptowsp-run --trust=signed --trust-dir keys "

static void ran(const char *code)
{
	CHECK_INT(cli(SIGNED "--stats=json m.pkg.zst"), 0);
	CHECK_STR(cli_text(cli_json(), "kernels[k].code"), code);
}

/* ---- packages ---- */

static void native_code_of_a_signed_package_runs(void)
{
	begin(true);
	CHECK_INT(cli("$B/ptowsp-pack --sign=ann m.pkg.zst"), 0);
	ran("native");
	CHECK_CONTAINS(cli_text(cli_json(), "trust"), "signed by ann (");
	CHECK_INT(cli(SIGNED "--stats m.pkg.zst"), 0);
	CHECK_CONTAINS(cli_out, "trust in native code: signed by ann (");
	CHECK_INT(cli(SIGNED "--explain m.pkg.zst"), 0);
	CHECK_CONTAINS(cli_out, "trust in native code: signed by ann (");
	CHECK_INT(cli(SIGNED "--plugin=auto --stats=json m.pkg.zst"), 0);
	CHECK_STR(cli_text(cli_json(), "kernels[k].code"), "native");
	CHECK_INT(cli("PTOWSP_TRUST_DIR=relative:$T/keys $B/ptowsp-run --trust=signed --stats=json m.pkg.zst"), 0);
	CHECK_STR(cli_text(cli_json(), "kernels[k].code"), "native");
	CHECK_INT(cli("$B/ptowsp-run --stats=json m.pkg.zst"), 0); /* nobody asked */
	CHECK_STR(cli_text(cli_json(), "kernels[k].code"), "portable");
}

/* Each row signs another way; then no native code runs, and the sentence says why. */
static void native_code_that_no_signature_covers_does_not_run(void)
{
	static const struct {
		const char *sign, *why;
	} rows[] = {
		{"true", "it is not signed"},
		{"$B/ptowsp-pack --sign=bob m.pkg.zst", ", which is no trusted key"},
		{"$B/ptowsp-pack --sign=ann --sign-for=aie,a2a* m.pkg.zst", "the signature of ann is for aie,a2a*, not for cpu_sim"},
		{"$B/ptowsp-pack --sign=ann --sign-abi=v10.4321 m.pkg.zst", "the signature of ann needs ABI v10.4321, here is v10."},
		{"$B/ptowsp-pack --sign=ann --sign-until=2001-02-03 m.pkg.zst", "the signature of ann has expired on 2001-02-03"},
		{"n=$(stat -c %s m.pkg.zst); cp $P/softmax.pkg.zst o; m=$(stat -c %s o); $B/ptowsp-pack --sign=ann o; tail -c +$((m + 1)) o >>m.pkg.zst",
		 "the signature of ann is not one of this package"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		begin(true);
		CHECK_INT(cli(rows[i].sign), 0);
		ran("portable");
		CHECK_CONTAINS(cli_text(cli_json(), "trust"), rows[i].why);
		CHECK_INT(cli(SIGNED "--explain m.pkg.zst"), 0);
		CHECK_CONTAINS(cli_out, "native code (");
		CHECK_CONTAINS(cli_out, rows[i].why);
	}
}

static void code_that_is_native_only_is_refused_with_the_reason(void)
{
	begin(false);
	CHECK_INT(cli("$B/ptowsp-pack --sign=ann --sign-for=aie m.pkg.zst; " SIGNED "m.pkg.zst"), 5);
	CHECK_CONTAINS(cli_err, "kernel k is unsupported on cpu_sim: native code (");
	CHECK_CONTAINS(cli_err, ") is not trusted: the signature of ann is for aie, not for cpu_sim");
	cli_check_sentence();
	CHECK_INT(cli("$B/ptowsp-pack --sign=ann --sign-for=cpu_sim m.pkg.zst; " SIGNED "m.pkg.zst"), 0);
	CHECK_INT(cli("$B/ptowsp-run --trust=signed --trust-dir nowhere m.pkg.zst"), 2);
	CHECK_CONTAINS(cli_err, "trust folder nowhere cannot be read");
}

static void one_of_several_signatures_is_enough(void)
{
	begin(true);
	CHECK_INT(cli("$B/ptowsp-pack --sign=bob m.pkg.zst; $B/ptowsp-pack --make-key cid; cp cid.pub keys; $B/ptowsp-pack --sign=cid --sign-for=aie m.pkg.zst"), 0);
	ran("portable");
	CHECK_CONTAINS(cli_text(cli_json(), "trust"), "the signature of cid is for aie"); /* which comes nearer than bob's */
	CHECK_INT(cli("$B/ptowsp-pack --sign=ann m.pkg.zst"), 0);
	ran("native");
}

static void portable_kernels_need_no_signature(void)
{
	begin(true);
	CHECK_INT(cli(SIGNED "$P/vector_add.pkg.zst"), 0);
	CHECK_STR(cli_err, "");
}

/* ---- the embedding API ---- */

static void an_embedding_program_gets_the_same(void)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	const char *dirs[1], *plugin_dirs[1];
	struct ptowsp_backend_options options = {.plugin = "cpu_sim", .trust_dirs = dirs, .trust_dir_count = 1, .plugin_dirs = plugin_dirs, .plugin_dir_count = 1};
	struct ptowsp_package *package;
	struct ptowsp_plan *plan;

	begin(true);
	CHECK_INT(cli("$B/ptowsp-pack --sign=ann m.pkg.zst"), 0);
	dirs[0] = check_fmt("%s/keys", getenv("T"));
	plugin_dirs[0] = check_fmt("%s/lib/ptowsp/plugins", check_build());
	REQUIRE_INT(ptowsp_package_open(&package, check_fmt("%s/m.pkg.zst", getenv("T")), 0, &error), 0);
	REQUIRE_INT(ptowsp_plan_create(&plan, package, NULL, &error), 0);
	for (uint32_t flags = 0; flags <= PTOWSP_BACKEND_TRUST_SIGNED; flags += PTOWSP_BACKEND_TRUST_SIGNED) {
		struct ptowsp_backend *backend;
		struct ptowsp_program *program;

		options.flags = flags;
		REQUIRE_INT(ptowsp_backend_open(&backend, &options, &error), 0);
		REQUIRE_INT(ptowsp_program_load(&program, backend, plan, PTOWSP_LOAD_TRUST_SIGNED, &error), 0);
		CHECK_CONTAINS(ptowsp_program_trust(program), flags ? "signed by ann (" : "the backend was opened without trusted keys");
		REQUIRE_INT(ptowsp_execute(program, NULL, &error), 0);
		CHECK_UINT(ptowsp_stats(program)->kernels[0].flags & PTOWSP_KERNEL_NATIVE, flags ? PTOWSP_KERNEL_NATIVE : 0);
		ptowsp_program_unload(program);
		REQUIRE_INT(ptowsp_program_load(&program, backend, plan, 0, &error), 0);
		CHECK_STR(ptowsp_program_trust(program), "");
		ptowsp_program_unload(program);
		ptowsp_backend_close(backend);
	}
	ptowsp_plan_destroy(plan);
	ptowsp_package_close(package);
}

void suite_trust(CU_pSuite s)
{
	cli_suite("trust");
	TEST(s, native_code_of_a_signed_package_runs);
	TEST(s, native_code_that_no_signature_covers_does_not_run);
	TEST(s, code_that_is_native_only_is_refused_with_the_reason);
	TEST(s, one_of_several_signatures_is_enough);
	TEST(s, portable_kernels_need_no_signature);
	TEST(s, an_embedding_program_gets_the_same);
}
