/* SPDX-License-Identifier: MIT
 * test_contract_temp.c - temp tensors as a user meets them: what is said of those that are not renamed, not written, read too early. */
#include "tests/contract/cli.h"

#define EVENTS "$P/probes/events.pkg.zst"

TEST(nothing_of_a_temp_tensor_is_written_or_compared)
{
	CHECK_INT(cli("$B/ptowsp-run --entry temp --out first=first.npy --out out=out.npy " EVENTS), 2);
	cli_check_sentence();
	CHECK_CONTAINS(cli_err, "--out first: it is a temp tensor");
	CHECK_INT(cli("test -e first.npy -o -e out.npy"), 1);
	CHECK_INT(cli("$B/ptowsp-run --entry temp --out out=out.npy " EVENTS), 0);
	CLI_ERR(2, "$B/ptowsp-run --entry temp --expect first=out.npy " EVENTS, "--expect first: it is a temp tensor");
}

/* The second task that writes "first" does not say so any more. */
TEST(explain_says_which_temp_tensors_are_ordinary_and_why)
{
	CLI_OUT(0, "$B/ptowsp-run --explain --entry temp " EVENTS, "temp tensors:\n  all are renamed");
	REQUIRE_INT(cli("sed -e 's/call @put(%v -> 7, %y -> %first/call @nop(%y -> bind %first/' $R/packages/probes/events.pto > e.pto; "
			"echo 'kernel @nop(%y: i32[1, 1] out)' >> e.pto; $B/ptowsp-pack e.pto -o e.pkg.zst"),
		    0);
	CHECK_INT(cli("$B/ptowsp-run --explain --entry temp --json e.pkg.zst"), 0);
	CHECK_CONTAINS(cli_text(cli_json(), "temps[0]"), "temp tensor first is not renamed but an ordinary one: it is bound without saying");
}

/* A temp tensor that is not renamed changes no result, so a run says so only with -v or --stats=json. */
TEST(ordinary_temp_tensors_are_told_to_who_asks)
{
	static const char said[] = "temp tensor first is not renamed but an ordinary one: its regions differ in shape";

	REQUIRE_INT(cli("sed -e 's/copy %first.0 : 1, 1. -> %out.1./copy %first[0 : 1, 2] -> %out[1]/' $R/packages/probes/events.pto > e.pto; "
			"$B/ptowsp-pack e.pto -o e.pkg.zst"),
		    0);
	CHECK_INT(cli("$B/ptowsp-run --entry temp e.pkg.zst"), 0);
	CHECK_STR(cli_err, "");
	CLI_ERR(0, "$B/ptowsp-run --entry temp -v e.pkg.zst", said);
	CHECK_INT(cli("$B/ptowsp-run --entry temp --stats=json e.pkg.zst"), 0);
	CHECK_CONTAINS(cli_text(cli_json(), "diagnostics[0].text"), said);
}

/* Said once, of what nobody gave anything; refused with --strict. A tensor that the first task writes is not told, whatever reads it later. */
TEST(a_temp_tensor_that_is_read_before_any_task_wrote_it_is_told)
{
	static const char said[] = "ptowsp-run: temp tensor t is read before any task has written it, by task 0, kernel cp";
	static const char source[] =
		"cat > t.pto <<'END'\ntensor %t : f32[64] temp\ntensor %y : f32[64] inout\nfunc @cp(%a: !pto.memref<gm,...,f32>, %b: !pto.memref<gm,...,f32>) "
		"{\n"
		"  %t = alloc_tile : !pto.tile<1x8xf32>\n  %t = tload %a[0, 0]\n  tstore %t, %b[0, 0]\n  return\n}\nworkload @early {\n  for_each %i in 0 to 4 "
		"{\n"
		"    call @cp(%a -> %t[0, %i * 8 : 1, 8], %b -> %y[0, 0 : 1, 8])\n    call @cp(%a -> %y[0, 0 : 1, 8], %b -> %t[0, %i * 8 + 8 : 1, 8])\n  }\n}\n"
		"workload @fine {\n  call @cp(%a -> %y[0, 0 : 1, 8], %b -> %t[0, 0 : 1, 8])\n"
		"  parallel_for %i in 0 to 8 { call @cp(%a -> %t[0, 0 : 1, 8], %b -> %y[0, %i * 8 : 1, 8]) }\n}\nEND\n$B/ptowsp-pack t.pto -o t.pkg.zst";
	static const char *const plugins[] = {"cpu_sim", "a2a3sim", "aie"};

	REQUIRE_INT(cli(source), 0);
	CHECK_STR(cli_err, "");
	for (size_t i = 0; i < 3; i++) {
		CHECK_INT(cli(check_fmt("$B/ptowsp-run --plugin=%s --entry early --fill y=ones --runs 2 t.pkg.zst", plugins[i])), 0);
		CHECK_STR(cli_err, check_fmt("%s: it holds zeros then\n", said));
		CHECK_INT(cli(check_fmt("$B/ptowsp-run --plugin=%s --entry early --fill y=ones --strict --out y=y.npy t.pkg.zst; r=$?; test -e y.npy && exit "
					"99; exit $r",
					plugins[i])),
			  5);
		CHECK_STR(cli_err, check_fmt("%s, and --strict refuses that; write it first\n", said));
		CHECK_INT(cli(check_fmt("$B/ptowsp-run --plugin=%s --entry early --fill y=ones --fill t=ones --strict t.pkg.zst", plugins[i])), 0);
		CHECK_STR(cli_err, "");
		CHECK_INT(cli(check_fmt("$B/ptowsp-run --plugin=%s --entry fine --fill y=ones --strict t.pkg.zst", plugins[i])), 0);
		CHECK_STR(cli_err, "");
	}
	CHECK_INT(cli("$B/ptowsp-run --entry early --no-kernels t.pkg.zst"), 0);
	CHECK_STR(cli_err, "");
}

/* Tasks go another way where somebody hears of each; versions are the same. */
TEST(a_run_that_is_heard_counts_the_same)
{
	json_t *alone;

	REQUIRE_INT(cli("$B/ptowsp-run -q --threads 1 --stats=json $P/llama.pkg.zst"), 0);
	alone = json_deep_copy(json_object_get(cli_json(), "resources"));
	REQUIRE_INT(cli("$B/ptowsp-run -q --threads 1 --stats=json --trace t.json $P/llama.pkg.zst"), 0);
	CHECK(json_array_size(alone) > 0 && json_equal(alone, json_object_get(cli_json(), "resources")));
	json_decref(alone);
}
