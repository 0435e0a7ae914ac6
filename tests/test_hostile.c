/* SPDX-License-Identifier: MIT */
/* test_hostile.c - plugins that break one rule each, in the host's process, in one of their own, and under ptowsp-conform. Those that are refused before they run
 * are in test_lint.c, test_note.c and test_load.c. */
#include "check.h"
#include "ptowsp/note.h"

#include <stdlib.h>
#include <string.h>

static const struct verdict {
	const char *plugin;
	int in_process, isolated;
	const char *test, *sentence;
} verdicts[] = {
#define X(plugin, in_process, isolated, test, sentence) {#plugin, in_process, isolated, #test, sentence},
#include "hostile/verdicts.def"
#undef X
};
enum { VERDICTS = sizeof(verdicts) / sizeof(*verdicts) };

/* The name of the test ends with the plugin. */
static const struct verdict *verdict(const char *before)
{
	const char *name = check_name() + strlen(before);

	for (size_t i = 0; i < VERDICTS; i++)
		if (!strcmp(verdicts[i].plugin, name))
			return &verdicts[i];
	return &verdicts[0];
}

static const char *path(const struct verdict *v)
{
	return check_fmt("%s/tests/hostile/%s/libptowsp_null.so", check_build(), v->plugin);
}

/* Exit status of a run of the empty program. */
static int run(const struct verdict *v, const char *how)
{
	const char *dir = check_tmp();

	REQUIRE_INT(check_run(check_fmt("cd %s && echo '{\"schema\": \"ptowsp.package/1\", \"WORK\": {\"instructions\": [[\"halt\"]]}, \"ENTR\": [{\"name\": \"main\", "
					"\"flags\": 1}]}' >e.json && %s/bin/ptowsp-pack --from-json e.json -o e.pkg.zst",
					dir, check_build()),
			      NULL, NULL), 0);
	return check_run(check_fmt("cd %s && timeout -s KILL 20 %s/bin/ptowsp-run %s --plugin=%s e.pkg.zst", dir, check_build(), how, path(v)), NULL, NULL);
}

static void in_process_(void)
{
	const struct verdict *v = verdict("in_process_");
	int status = run(v, "--isolate=none --timeout-ms 300 --load-timeout-ms 300");

	if (v->in_process >= 0 && !(PTOWSP_SANITIZER && v->in_process > 128)) /* a sanitizer ends the process in its own way */
		CHECK_INT(status, v->in_process);
}

static void isolated_(void)
{
	const struct verdict *v = verdict("isolated_");

	CHECK_INT(run(v, "--isolate=process --timeout-ms 1000 --load-timeout-ms 1000"), v->isolated);
}

static void found_out_(void)
{
	const struct verdict *v = verdict("found_out_");
	char *out;
	int status = check_run(check_fmt("%s/bin/ptowsp-conform --timeout 2 --rounds 300 --test %s %s", check_build(), v->test, path(v)), &out, NULL);

	CHECK_INT(status, *v->sentence ? 1 : 0);
	if (*v->sentence)
		CHECK_CONTAINS(out, check_fmt("not ok 1 - %s", v->test));
	if (!PTOWSP_SANITIZER)
		CHECK_CONTAINS(out, v->sentence);
	free(out);
}

/* Exchanged under its name between two calls of the tool that checks first: what is loaded is what was checked, each time. */
static void a_name_that_leads_to_another_file_is_checked_again(void)
{
	const char *dir = check_tmp();
	char *out;

	REQUIRE_INT(check_run(check_fmt("cd %s && ln -s %s libptowsp_null.so && %s/bin/ptowsp-conform --test '*lint' ./libptowsp_null.so", dir, path(&verdicts[0]), check_build()),
			      NULL, NULL), 0);
	REQUIRE_INT(check_run(check_fmt("cd %s && ln -sf %s/tests/hostile/libptowsp_exec_stack.so libptowsp_null.so", dir, check_build()), NULL, NULL), 0);
	CHECK_INT(check_run(check_fmt("cd %s && %s/bin/ptowsp-conform --test '*lint' ./libptowsp_null.so", dir, check_build()), &out, NULL), 1);
	CHECK_CONTAINS(out, "executable stack");
	free(out);
}

void suite_hostile(CU_pSuite s)
{
	for (size_t i = 0; i < VERDICTS; i++) {
		check_add(s, check_fmt("in_process_%s", verdicts[i].plugin), in_process_);
		check_add(s, check_fmt("isolated_%s", verdicts[i].plugin), isolated_);
		check_add(s, check_fmt("found_out_%s", verdicts[i].plugin), found_out_);
	}
	TEST(s, a_name_that_leads_to_another_file_is_checked_again);
}
