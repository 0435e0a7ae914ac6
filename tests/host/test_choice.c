/* SPDX-License-Identifier: MIT */
/* test_choice.c - the embedding API before a program is loaded: options, verdicts, overrides, which backend, which plugins there are. */
#include "tests/check.h"

#include <string.h>

#include "host/run/host_program.h"
#include "tests/host/one_session.h"

TEST(options_are_checked_before_the_plugin_sees_them)
{
	const struct ptowsp_setting wrong[] = {{"mood", "poll"}, {"mode", "gently"}};
	const char *dir = check_fmt("%s/test/plugins", check_build());
	struct ptowsp_backend_options options = {
		.isolate = PTOWSP_ISOLATE_NONE, .plugin = "probe_alias", .plugin_dirs = &dir, .plugin_dir_count = 1, .setting_count = 1};

	options.settings = &wrong[0];
	CHECK_INT(ptowsp_backend_open(&one_session.backend, &options, &one_session.error), PTOWSP_INVALID);
	CHECK_CONTAINS(one_session.error.text, "known: mode");
	options.settings = &wrong[1];
	CHECK_INT(ptowsp_backend_open(&one_session.backend, &options, &one_session.error), PTOWSP_INVALID);
	CHECK_CONTAINS(one_session.error.text, "poll|thread");
	options.setting_count = 0;
	options.device = "probe1,probe7";
	CHECK_INT(ptowsp_backend_open(&one_session.backend, &options, &one_session.error), PTOWSP_NO_DEVICE);
	CHECK_CONTAINS(one_session.error.text, "device \"probe7\" is unknown; known: probe0");
	options.device = "probe1";
	CHECK_INT(ptowsp_backend_open(&one_session.backend, &options, &one_session.error), 0);
	CHECK_STR(ptowsp_backend_current(one_session.backend)->name, "probe1");
	CHECK_STR(ptowsp_backend_option(one_session.backend, 0)->name, "mode");
	CHECK(ptowsp_backend_option(one_session.backend, 1) == NULL);
	one_session_close();
}

TEST(verdicts_follow_schedule_and_capabilities)
{
	static const char *const schedule[] = {"dispatch=round_robin(5)", "ready=fifo", "hazards=raw"};
	struct ptowsp_match *match;
	struct ptowsp_verdict v;

	REQUIRE_INT(one_session_plan(&one_session_shaped, schedule, 3), 0);
	REQUIRE_INT(one_session_backend("poll"), 0);
	REQUIRE_INT(ptowsp_match_create(&match, one_session.backend, one_session.plan, 0, &one_session.error), 0);
	REQUIRE(ptowsp_match_row(match, 0, &v));
	CHECK_STR(v.what, "dispatch=round_robin(5)");
	CHECK_UINT(v.state, PTOWSP_STATE_DIAGNOSED);
	REQUIRE(ptowsp_match_row(match, 1, &v));
	CHECK_UINT(v.state, PTOWSP_STATE_RECORDED);
	REQUIRE(ptowsp_match_row(match, 2, &v));
	CHECK_UINT(v.state, PTOWSP_STATE_DIAGNOSED);
	CHECK(!ptowsp_match_row(match, 3, &v));
	ptowsp_match_destroy(match);
	ptowsp_kernel_register("combine", "v(p,p,p,i64)", (ptowsp_native_fn)one_session_combine);
	CHECK_INT(ptowsp_program_load(&one_session.program, one_session.backend, one_session.plan, PTOWSP_LOAD_STRICT, &one_session.error), PTOWSP_UNSUPPORTED);
	CHECK_CONTAINS(one_session.error.text, "dispatch=round_robin(5)");
	one_session_close();
}

/* Verdicts of a package with one directive under an override: how many, and the first. */
static const char *overridden(const char *text, uint32_t *count_out)
{
	const struct ptowsp_directive_record directive = {.directive = PTOWSP_DIRECTIVE_DISPATCH, .count = 1, .policy = PTOWSP_DISPATCH_ROUND_ROBIN, .a0 = 2};
	static char what[64];
	struct ptowsp_match *match;
	struct ptowsp_verdict v = {.what = ""};

	*count_out = 0;
	REQUIRE_INT(one_session_plan(&(struct one_task){.samples = true, .directive = &directive}, &text, *text != 0), 0);
	REQUIRE_INT(one_session_backend("poll"), 0);
	REQUIRE_INT(ptowsp_match_create(&match, one_session.backend, one_session.plan, 0, &one_session.error), 0);
	while (ptowsp_match_row(match, *count_out, &v))
		++*count_out;
	ptowsp_match_row(match, 0, &v);
	strncpy(what, v.what, sizeof(what) - 1);
	ptowsp_match_destroy(match);
	one_session_close();
	return what;
}

TEST(overrides_replace_the_package_s_directive)
{
	uint32_t count;

	CHECK_STR(overridden("", &count), "dispatch=round_robin(2)");
	CHECK_UINT(count, 1);
	CHECK_STR(overridden("dispatch=work_steal(3)", &count), "dispatch=work_steal(3)");
	CHECK_UINT(count, 1);
	CHECK_STR(overridden("spatial_map=2,2", &count), "spatial_map=2,2"); /* says which executor, as dispatch does */
	CHECK_UINT(count, 1);
	CHECK_STR(overridden("task_window=8", &count), "dispatch=round_robin(2)");
	CHECK_UINT(count, 2);
}

TEST(names_of_other_functions_are_not_bare)
{
	REQUIRE_INT(one_session_plan(&one_session_shaped, NULL, 0), 0);
	CHECK_STR(host_plan_bare_name(one_session.plan, "main.x"), "x");
	CHECK_STR(host_plan_bare_name(one_session.plan, "mainx"), "mainx");
	CHECK(host_plan_bare_name(one_session.plan, "main2.x") == NULL);
	CHECK(host_plan_bare_name(one_session.plan, "other.x") == NULL);
	one_session_close();
}

TEST(what_is_unsupported_stops_before_loading)
{
	static const char *const schedule[] = {"deps=explicit"};

	REQUIRE_INT(one_session_plan(&one_session_shaped, schedule, 1), 0);
	REQUIRE_INT(one_session_backend("poll"), 0);
	CHECK_INT(ptowsp_program_load(&one_session.program, one_session.backend, one_session.plan, 0, &one_session.error), PTOWSP_UNSUPPORTED);
	CHECK_CONTAINS(one_session.error.text, "deps=explicit is unsupported on probe");
	one_session_close();
	REQUIRE_INT(one_session_plan(&(struct one_task){.target = "a2a3", .samples = true}, NULL, 0), 0);
	REQUIRE_INT(one_session_backend("poll"), 0);
	CHECK_INT(ptowsp_program_load(&one_session.program, one_session.backend, one_session.plan, 0, &one_session.error), PTOWSP_UNSUPPORTED);
	CHECK_CONTAINS(one_session.error.text, "made for a2a3");
	one_session_close();
	CHECK_INT(one_session_plan(&(struct one_task){.target = "probe_alias", .samples = true}, NULL, 0), 0);
	CHECK_INT(one_session_backend("poll"), 0);
	ptowsp_kernel_register("combine", "v(p,p,p,i64)", (ptowsp_native_fn)one_session_combine);
	CHECK_INT(ptowsp_program_load(&one_session.program, one_session.backend, one_session.plan, 0, &one_session.error), 0);
	one_session_close();
}

static char skipped[512];

static void on_skip(void *context, const char *name, const char *reason)
{
	(void)context;
	strncat(skipped, name, sizeof(skipped) - strlen(skipped) - 1);
	strncat(skipped, ": ", sizeof(skipped) - strlen(skipped) - 1);
	strncat(skipped, reason, sizeof(skipped) - strlen(skipped) - 1);
	strncat(skipped, "\n", sizeof(skipped) - strlen(skipped) - 1);
}

TEST(auto_takes_the_first_that_enforces_everything)
{
	static const char *const weak[] = {"hazards=raw"};
	const char *dir = check_fmt("%s/test/plugins", check_build());
	struct ptowsp_backend_options options = {.isolate = PTOWSP_ISOLATE_NONE, .plugin_dirs = &dir, .plugin_dir_count = 1};

	skipped[0] = '\0';
	REQUIRE_INT(one_session_plan(&one_session_shaped, NULL, 0), 0);
	ptowsp_kernel_register("combine", "v(p,p,p,i64)", (ptowsp_native_fn)one_session_combine);
	CHECK_INT(ptowsp_backend_choose(&one_session.backend, &options, "nosuch,,probe", one_session.plan, on_skip, NULL, &one_session.error), 0);
	REQUIRE(one_session.backend != NULL);
	CHECK_STR(ptowsp_backend_name(one_session.backend), "probe");
	CHECK_CONTAINS(skipped, "nosuch: ");
	CHECK(strchr(skipped, '\n') && !strchr(skipped, '\n')[1]); /* the empty name is none */
	one_session_close();
	skipped[0] = '\0';
	REQUIRE_INT(one_session_plan(&one_session_shaped, weak, 1), 0);
	CHECK_INT(ptowsp_backend_choose(&one_session.backend, &options, "probe", one_session.plan, on_skip, NULL, &one_session.error), PTOWSP_PLUGIN_REFUSED);
	CHECK_CONTAINS(skipped, "probe: hazards=raw is only diagnosed");
	CHECK_CONTAINS(one_session.error.text, "probe");
	one_session_close();
}

/* The kernel is one of the embedding program, which has not registered it: capabilities are as they should be, and loading says no. */
TEST(auto_passes_over_who_does_not_load_it)
{
	const char *dir = check_fmt("%s/test/plugins", check_build());
	struct ptowsp_backend_options options = {.isolate = PTOWSP_ISOLATE_NONE, .plugin_dirs = &dir, .plugin_dir_count = 1};

	skipped[0] = '\0';
	REQUIRE_INT(one_session_plan(&one_session_shaped, NULL, 0), 0);
	CHECK_INT(ptowsp_backend_choose(&one_session.backend, &options, "probe", one_session.plan, on_skip, NULL, &one_session.error), PTOWSP_PLUGIN_REFUSED);
	CHECK_CONTAINS(skipped, "probe: ");
	CHECK_CONTAINS(skipped, "combine");
	one_session_close();
}

/* The program that the choice loaded goes to the next load of the plan; a further load of that plan makes a new program. */
TEST(what_auto_loaded_is_kept)
{
	const char *dir = check_fmt("%s/test/plugins", check_build());
	struct ptowsp_backend_options options = {.isolate = PTOWSP_ISOLATE_NONE, .plugin_dirs = &dir, .plugin_dir_count = 1};
	struct ptowsp_program *second;

	REQUIRE_INT(one_session_plan(&one_session_shaped, NULL, 0), 0);
	ptowsp_kernel_register("combine", "v(p,p,p,i64)", (ptowsp_native_fn)one_session_combine);
	REQUIRE_INT(ptowsp_backend_choose(&one_session.backend, &options, "probe", one_session.plan, NULL, NULL, &one_session.error), 0);
	REQUIRE_INT(ptowsp_program_load(&one_session.program, one_session.backend, one_session.plan, 0, &one_session.error), 0);
	CHECK_INT(ptowsp_value_set(one_session.program, "n", "16", &one_session.error), 0);
	CHECK_INT(ptowsp_execute(one_session.program, NULL, &one_session.error), 0);
	REQUIRE_INT(ptowsp_program_load(&second, one_session.backend, one_session.plan, PTOWSP_LOAD_LOOK, &one_session.error), 0);
	CHECK(second != one_session.program);
	CHECK_INT(ptowsp_value_set(second, "n", "16", &one_session.error), 0);
	CHECK_INT(ptowsp_execute(second, NULL, &one_session.error), PTOWSP_INVALID);
	CHECK_CONTAINS(one_session.error.text, "PTOWSP_LOAD_LOOK");
	ptowsp_program_unload(second);
	one_session_close();
}

TEST(plugins_are_listed_without_running_them)
{
	const char *dir = check_fmt("%s/test/plugins", check_build());
	struct ptowsp_backend_options options = {.isolate = PTOWSP_ISOLATE_NONE, .plugin_dirs = &dir, .plugin_dir_count = 1};
	struct ptowsp_listing *listing;
	struct ptowsp_listing_row row;
	bool found = false;

	REQUIRE_INT(ptowsp_listing_create(&listing, &options, &one_session.error), 0);
	for (uint32_t i = 0; ptowsp_listing_row(listing, i, &row); i++)
		found |= !strcmp(row.name, "probe") && row.usable && !strcmp(row.targets, "probe,probe_alias");
	CHECK(found);
	CHECK(ptowsp_listing_folder(listing, 0) != NULL);
	ptowsp_listing_destroy(listing);
}
