/* SPDX-License-Identifier: MIT */
/* test_layers_run.c - the backends of this tree under the checking layers: none breaks a rule, here or isolated, and what fails by a seed ends cleanly. */
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const backends[] = {"cpu_sim", "a2a3sim", "aie"};
/* Plain with --strict, because layer validate makes errors of races; gemm_32 has none, and more executors than aie has cores, which is an error of --strict alone. */
static const struct {
	const char *package, *plain;
} rows[] = {{"vector_add", "--strict"}, {"fused_softmax", "--strict"}, {"csp", "--strict"},          {"predicated", "--strict"},
	    {"moe", "--strict"},        {"probes/graphs", "--strict"}, {"probes/stuck", "--strict"}, {"gemm_32", ""}};

static char *out, *err;

static int run(const char *arguments)
{
	free(out);
	free(err);
	out = err = NULL;
	return check_run(check_fmt("cd '%s' && exec '%s/bin/ptowsp-run' %s", check_tmp(), check_build(), arguments), &out, &err);
}

static void a_backend_breaks_no_rule(void)
{
	const char *backend = check_name() + strlen("rules_are_kept_by_");

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *rest = check_fmt("--plugin=%s --isolate=none '%s/packages/%s.pkg.zst'", backend, check_build(), rows[i].package);
		const int plain = run(check_fmt("%s %s", rows[i].plain, rest)), layered = run(check_fmt("--layer=validate,threads %s %s", rows[i].plain, rest));

		if (layered != plain || strstr(err, " broke "))
			CHECK_FAIL("%s on %s: exit %d, with layers %d: %s", rows[i].package, backend, plain, layered, err);
	}
}

TEST(an_isolated_backend_breaks_no_rule)
{
	CHECK_INT(run(check_fmt("--layer=validate,threads --isolate=process '%s/packages/fused_softmax.pkg.zst'", check_build())), 0);
	CHECK_STR(err, "");
}

/* Every example says the same with layers as without, wall time aside, whether it runs or is refused; and its log gives the same once more. */
static void examples_are_the_same(void)
{
	static const char script[] = "b='%s' p=%s; for x in \"$b\"/packages/*.pkg.zst; do "
				     "\"$b\"/bin/ptowsp-run --plugin=$p --isolate=none \"$x\" >plain 2>&1; was=$?; "
				     "\"$b\"/bin/ptowsp-run --plugin=$p --isolate=none --layer=trace:run.calls,validate,threads \"$x\" >layered 2>&1; now=$?; "
				     "sed -i 's/[0-9.]* ms;* *//' plain layered; "
				     "[ $was = $now ] && cmp -s plain layered || { echo \"$x: exit $was, with layers $now\"; cat plain layered; }; "
				     "\"$b\"/bin/ptowsp-conform --replay run.calls \"$b\"/lib/ptowsp/plugins/libptowsp_$p.so >replayed 2>&1 || { echo \"$x: "
				     "replay\"; cat replayed; }; done";

	if (*check_sanitizer())
		CHECK_SKIP("the release build runs all examples");
	CHECK_INT(check_run(check_fmt("cd '%s' && { %s; }", check_tmp(), check_fmt(script, check_build(), check_name() + strlen("examples_are_the_same_on_"))),
			    &out, &err),
		  0);
	if (*out)
		CHECK_FAIL("%.3000s", out);
	free(out);
	free(err);
	out = err = NULL;
}

/* What failed is a sentence and an exit code, and the layer says that it was the layer; nothing crashes, hangs or leaks. */
static void faults_end_a_run_cleanly(void)
{
	const char *backend = check_name() + strlen("faults_end_cleanly_on_");
	unsigned failed = 0;

	for (int seed = 1; seed <= 24; seed++) {
		const int code =
			run(check_fmt("--layer=validate,fault:%d --timeout-ms 20000 --threads 2 --plugin=%s --isolate=none '%s/packages/fused_softmax.pkg.zst'",
				      seed, backend, check_build()));

		failed += code != 0;
		if (code >= 64 || code == 10 || strstr(err, " broke ") || (code && !strstr(err, "layer fault ")))
			CHECK_FAIL("seed %d on %s: exit %d: %s", seed, backend, code, err);
	}
	CHECK(failed > 0 && failed < 24);
}

void suite_layers_run(CU_pSuite s)
{
	for (size_t i = 0; i < sizeof(backends) / sizeof(*backends); i++)
		check_add(s, check_fmt("rules_are_kept_by_%s", backends[i]), a_backend_breaks_no_rule);
	for (size_t i = 0; i < sizeof(backends) / sizeof(*backends); i++)
		check_add(s, check_fmt("examples_are_the_same_on_%s", backends[i]), examples_are_the_same);
	for (size_t i = 0; i < sizeof(backends) / sizeof(*backends); i++)
		check_add(s, check_fmt("faults_end_cleanly_on_%s", backends[i]), faults_end_a_run_cleanly);
}
