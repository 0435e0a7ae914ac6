/* SPDX-License-Identifier: MIT */
/* test_session.c - the embedding API from package to results, on the probe plugin and with a kernel of the embedding program
 * on cpu_sim. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "host/program.h"
#include "host/ptowsp_host.h"
#include "host/runs.h"
#include "one_task.h"

enum { N = ONE_TASK_ELEMENTS };

static struct ptowsp_error error;

/* ---- one of everything, closed at the end of each test ------------------------------------------------------ */

static struct session {
	void *bytes;
	struct ptowsp_package *package;
	struct ptowsp_plan *plan;
	struct ptowsp_backend *backend;
	struct ptowsp_program *program;
	char log[512];
} s;

static void on_log(void *context, int32_t level, const char *text)
{
	(void)context, (void)level;
	strncat(s.log, text, sizeof(s.log) - strlen(s.log) - 1);
}

static void combine(float *x, float *y, float *z, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		z[i] = x[i] + y[i];
}

static void close_all(void)
{
	ptowsp_program_unload(s.program);
	ptowsp_backend_close(s.backend);
	ptowsp_plan_destroy(s.plan);
	ptowsp_package_close(s.package);
	free(s.bytes);
	ptowsp_kernel_unregister("combine");
	s = (struct session){.bytes = NULL};
}

static ptowsp_status plan_open(const struct one_task *spec, const char *const *schedule, uint32_t count)
{
	struct ptowsp_plan_options options = {.schedule = schedule, .schedule_count = count};
	size_t size;

	close_all(); /* of a test that failed before its end */
	s.bytes = one_task_pack(spec, &size, &error);
	if (!s.bytes)
		CHECK_FAIL("%s", error.text);
	if (!s.bytes || ptowsp_package_open_memory(&s.package, s.bytes, size, "session", 0, &error))
		return PTOWSP_BAD_PACKAGE;
	return ptowsp_plan_create(&s.plan, s.package, &options, &error);
}

static ptowsp_status backend_open(const char *mode)
{
	const struct ptowsp_setting setting = {"mode", mode};
	const char *dir = check_fmt("%s/test/plugins", check_build());
	struct ptowsp_backend_options options = {.isolate = PTOWSP_ISOLATE_NONE, .plugin = "probe", .plugin_dirs = &dir, .plugin_dir_count = 1, .settings = &setting,
						 .setting_count = mode != NULL, .log = on_log};

	return ptowsp_backend_open(&s.backend, &options, &error);
}

/* Everything up to a loaded program with n set. */
static bool start(const struct one_task *spec, const char *mode)
{
	ptowsp_status st = plan_open(spec, NULL, 0);

	ptowsp_kernel_register("combine", "v(p,p,p,i64)", (ptowsp_native_fn)combine);
	if (!st)
		st = backend_open(mode);
	if (!st)
		st = ptowsp_program_load(&s.program, s.backend, s.plan, 0, &error);
	if (!st)
		st = ptowsp_value_set(s.program, "n", "16", &error);
	if (st)
		CHECK_FAIL("start: %s", error.text);
	return !st;
}

static const float *output(void)
{
	struct ptowsp_tensor_view view;

	ptowsp_tensor_view(s.program, 2, &view);
	return view.data;
}

static const struct one_task shaped = {.samples = true}, shapeless = {.shapeless = true};

/* ---- tests -------------------------------------------------------------------------------------------------- */

static void a_function_of_the_embedding_program_runs(void)
{
	static const char *const modes[] = {"poll", "thread"};

	for (int m = 0; m < 2; m++) {
		REQUIRE(start(&shaped, modes[m]));
		CHECK_INT(ptowsp_execute(s.program, NULL, &error), 0);
		for (int i = 0; i < N; i++)
			CHECK_NEAR(output()[i], i + 100, 0);
		CHECK_UINT(ptowsp_stats(s.program)->total_cycles, 7);
		REQUIRE_UINT(ptowsp_stats(s.program)->resource_count, 1);
		CHECK_STR(ptowsp_stats(s.program)->resources[0].name, "task_ring");
		CHECK(ptowsp_elapsed_ms(s.program) >= 0 && ptowsp_compile_ms(s.program) >= 0);
		CHECK(ptowsp_deadlock(s.program) == NULL);
		close_all();
	}
}

static void memory_of_the_caller_is_used_in_place(void)
{
	float x[N] = {1, 2, 3}, y[N] = {10, 20, 30}, z[N] = {0};

	REQUIRE(start(&shaped, "poll"));
	CHECK_INT(ptowsp_tensor_bind(s.program, "x", x, N, &error), 0);
	CHECK_INT(ptowsp_tensor_bind(s.program, "main.y", y, N, &error), 0); /* the full name too */
	CHECK_INT(ptowsp_tensor_bind(s.program, "z", z, N, &error), 0);
	CHECK_INT(ptowsp_execute(s.program, NULL, &error), 0);
	CHECK_NEAR(z[2], 33, 0);
	CHECK_INT(ptowsp_tensor_bind(s.program, "w", z, N, &error), PTOWSP_NOT_FOUND);
	CHECK_CONTAINS(error.text, "known: x, y, z");
	CHECK_INT(ptowsp_tensor_bind(s.program, "x", x, N - 1, &error), 0);
	CHECK_INT(ptowsp_execute(s.program, NULL, &error), PTOWSP_INVALID);
	CHECK_CONTAINS(error.text, "15 elements, its shape needs 16");
	close_all();
}

static void async_runs_complete_once(void)
{
	REQUIRE(start(&shaped, "thread"));
	CHECK(ptowsp_is_complete(s.program));
	CHECK_INT(ptowsp_synchronize(s.program, 0, &error), 0); /* nothing runs */
	for (int i = 0; i < 50; i++) {
		CHECK_INT(ptowsp_execute_async(s.program, NULL, &error), 0);
		CHECK_INT(ptowsp_synchronize(s.program, UINT64_MAX, &error), 0);
		CHECK(ptowsp_is_complete(s.program));
	}
	close_all();
}

static void a_run_that_waits_times_out_and_is_cancelled(void)
{
	REQUIRE(start(&shaped, "wait"));
	CHECK_INT(ptowsp_execute_async(s.program, NULL, &error), 0);
	CHECK(!ptowsp_is_complete(s.program));
	CHECK_INT(ptowsp_synchronize(s.program, 20000000, &error), PTOWSP_AGAIN);
	CHECK_INT(ptowsp_execute_async(s.program, NULL, &error), PTOWSP_INVALID);
	CHECK_CONTAINS(error.text, "still running");
	CHECK_INT(ptowsp_cancel(s.program, &error), 0);
	CHECK_INT(ptowsp_synchronize(s.program, UINT64_MAX, &error), PTOWSP_CANCELLED);
	CHECK_CONTAINS(error.text, "the probe failed");
	CHECK_STR(ptowsp_last_error(), error.text);
	CHECK_INT(ptowsp_cancel(s.program, &error), 0); /* nothing to cancel */
	close_all();
}

static void a_second_completion_is_ignored_and_logged(void)
{
	static const char *const modes[] = {"twice", "stale"};

	for (int m = 0; m < 2; m++) {
		REQUIRE(start(&shaped, modes[m]));
		CHECK_INT(ptowsp_execute(s.program, NULL, &error), 0);
		CHECK_CONTAINS(s.log, "not in flight");
		CHECK_INT(ptowsp_execute(s.program, NULL, &error), 0);
		close_all();
	}
}

static void tokens_of_the_past_do_not_complete_the_present(void)
{
	struct host_runs runs;
	struct host_run run = {.token = 0};
	struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(struct ptowsp_run_stats, RUN_STATS)};
	struct ptowsp_done done = {.head = PTOWSP_HEAD(struct ptowsp_done, DONE), .stats = &stats};
	uint64_t first;

	REQUIRE_INT(host_runs_init(&runs, 0), 0);
	host_report_finish(&run.report);
	CHECK_INT(host_runs_begin(&runs, &run), 0);
	first = done.token = run.token;
	CHECK(host_runs_complete(&runs, &done));
	CHECK(!host_runs_complete(&runs, &done));
	CHECK_INT(host_runs_begin(&runs, &run), 0);
	CHECK(run.token != first);
	CHECK(!host_runs_complete(&runs, &done));
	CHECK(!host_runs_is_complete(&runs, &run));
	host_runs_abandon(&runs, &run);
	CHECK(host_runs_is_complete(&runs, &run));
	done.token = UINT64_MAX;
	CHECK(!host_runs_complete(&runs, &done));
	host_runs_finish(&runs);
}

static void absurd_statistics_are_the_plugin_s_fault(void)
{
	REQUIRE(start(&shaped, "lie"));
	CHECK_INT(ptowsp_execute(s.program, NULL, &error), PTOWSP_DEVICE_LOST);
	CHECK_CONTAINS(error.text, "absurd counts");
	close_all();
}

static void diagnostics_are_kept_once_per_feature_and_program(void)
{
	struct ptowsp_diagnostic row;

	REQUIRE(start(&shaped, "poll"));
	REQUIRE(ptowsp_diagnostic_row(s.program, 0, &row));
	CHECK_UINT(row.feature, PTOWSP_FEATURE_CANCEL);
	CHECK_STR(row.text, "the probe says something");
	CHECK(!ptowsp_diagnostic_row(s.program, 1, &row));
	close_all();
}

static void inputs_that_nobody_gave_are_zeros_and_said(void)
{
	struct ptowsp_diagnostic row;
	struct ptowsp_tensor_view view;

	REQUIRE(start(&(struct one_task){.samples = false}, "poll"));
	CHECK_INT(ptowsp_execute(s.program, NULL, &error), 0);
	CHECK_INT(ptowsp_execute(s.program, NULL, &error), 0);
	REQUIRE(ptowsp_diagnostic_row(s.program, 1, &row));
	CHECK_CONTAINS(row.text, "--in x=");
	REQUIRE(ptowsp_diagnostic_row(s.program, 2, &row));
	CHECK_CONTAINS(row.text, "--in y=");
	CHECK(!ptowsp_diagnostic_row(s.program, 3, &row)); /* the output is none, and the second run says nothing new */
	ptowsp_tensor_view(s.program, 0, &view);
	CHECK_UINT(view.origin, PTOWSP_ORIGIN_ZEROS);
	close_all();
}

static void shapeless_tensors_take_what_the_program_touches(void)
{
	struct ptowsp_tensor_view view;
	float x[N] = {1};

	REQUIRE(start(&shapeless, "poll"));
	CHECK_INT(ptowsp_value_set(s.program, "n", "5", &error), 0);
	CHECK_INT(ptowsp_execute(s.program, NULL, &error), 0);
	ptowsp_tensor_view(s.program, 2, &view);
	CHECK_UINT(view.elements, 5);
	CHECK_UINT(view.rank, 1);
	CHECK_INT(ptowsp_tensor_bind(s.program, "x", x, 4, &error), 0);
	CHECK_INT(ptowsp_execute(s.program, NULL, &error), PTOWSP_INVALID);
	CHECK_CONTAINS(error.text, "\"x\": the bound memory has 4 elements, but the program touches 5");
	close_all();
}

static void outputs_start_as_zeros_in_every_run(void)
{
	REQUIRE(start(&shaped, "poll"));
	CHECK_INT(ptowsp_execute(s.program, NULL, &error), 0);
	CHECK_NEAR(output()[15], 115, 0);
	CHECK_INT(ptowsp_value_set(s.program, "n", "4", &error), 0);
	CHECK_INT(ptowsp_execute(s.program, NULL, &error), 0);
	CHECK_NEAR(output()[3], 103, 0);
	CHECK_NEAR(output()[15], 0, 0);
	close_all();
}

static void texts_are_values_of_their_type_or_refused(void)
{
	static const struct {
		uint16_t dtype;
		const char *text;
		bool fine;
		uint64_t bits;
	} rows[] = {
		{PTOWSP_I8, "-128", true, (uint64_t)-128}, {PTOWSP_I8, "128", false, 0},	  {PTOWSP_I8, "127", true, 127},
		{PTOWSP_I32, "-1", true, UINT64_MAX},	   {PTOWSP_I32, "5000000000", false, 0}, {PTOWSP_U8, "255", true, 255},
		{PTOWSP_U8, "256", false, 0},		   {PTOWSP_U8, "-1", false, 0},		  {PTOWSP_U64, "-1", false, 0},
		{PTOWSP_U64, "18446744073709551615", true, UINT64_MAX}, {PTOWSP_U64, "18446744073709551616", false, 0},
		{PTOWSP_U32, "0xff", true, 255},	   {PTOWSP_BOOL, "true", true, 1},	  {PTOWSP_BOOL, "0", true, 0},
		{PTOWSP_BOOL, "2", false, 0},		   {PTOWSP_F32, "0.5", true, 0x3F000000}, {PTOWSP_F32, "half", false, 0},
		{PTOWSP_F64, "-2", true, UINT64_C(0xC000000000000000)}, {PTOWSP_I64, "", false, 0}, {PTOWSP_I64, "1.5", false, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t bits = 7;
		ptowsp_status st = host_value_parse(rows[i].dtype, "v", rows[i].text, &bits, &error);

		if (rows[i].fine != !st || (!st && bits != rows[i].bits))
			CHECK_FAIL("\"%s\" as type %u: status %d, bits %llx", rows[i].text, rows[i].dtype, st, (unsigned long long)bits);
	}
}

static void a_float_beyond_its_type_is_refused_with_the_largest_value(void)
{
	static const struct {
		uint16_t dtype;
		const char *text;
		bool fine;
	} rows[] = {
		{PTOWSP_F32, "3.4028234e38", true}, {PTOWSP_F32, "3.4028236e38", false}, {PTOWSP_F32, "-1e39", false}, {PTOWSP_F32, "1e300", false},
		{PTOWSP_F32, "1e999", false},	    {PTOWSP_F32, "inf", true},		 {PTOWSP_F32, "-inf", true},   {PTOWSP_F32, "1e-60", true},
		{PTOWSP_F64, "1e300", true},	    {PTOWSP_F64, "1e999", false},	 {PTOWSP_F64, "-1e999", false}, {PTOWSP_F64, "inf", true},
	};
	uint64_t bits;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		ptowsp_status st = host_value_parse(rows[i].dtype, "v", rows[i].text, &bits, &error);

		CHECK_INT(st, rows[i].fine ? PTOWSP_OK : PTOWSP_INVALID);
		if (!rows[i].fine)
			CHECK_CONTAINS(error.text, "whose largest value is");
	}
}

static void values_are_parsed_in_their_type(void)
{
	struct ptowsp_value_info info;

	REQUIRE_INT(plan_open(&shaped, NULL, 0), 0);
	ptowsp_kernel_register("combine", "v(p,p,p,i64)", (ptowsp_native_fn)combine);
	REQUIRE_INT(backend_open("poll"), 0);
	REQUIRE_INT(ptowsp_program_load(&s.program, s.backend, s.plan, 0, &error), 0);
	REQUIRE(ptowsp_plan_value(s.plan, 0, &info));
	CHECK_STR(info.name, "n");
	CHECK(info.flags & PTOWSP_VALUE_NEEDED);
	CHECK_INT(ptowsp_execute(s.program, NULL, &error), PTOWSP_INVALID);
	CHECK_CONTAINS(error.text, "--set n=VALUE");
	CHECK_INT(ptowsp_value_set(s.program, "n", "x", &error), PTOWSP_INVALID);
	CHECK_INT(ptowsp_value_set(s.program, "n", "1 ", &error), PTOWSP_INVALID);
	CHECK_INT(ptowsp_value_set(s.program, "n", "9223372036854775808", &error), PTOWSP_INVALID);
	CHECK_INT(ptowsp_value_set(s.program, "m", "1", &error), PTOWSP_NOT_FOUND);
	CHECK_CONTAINS(error.text, "known: n");
	CHECK_INT(ptowsp_value_set(s.program, "main.n", "0x10", &error), 0);
	CHECK_INT(ptowsp_execute(s.program, NULL, &error), 0);
	close_all();
}

static void memory_beyond_the_limit_is_refused_before_the_run(void)
{
	struct ptowsp_execute_options options = {.memory_limit = 3 * N * 4 - 1};

	REQUIRE(start(&shaped, "poll"));
	CHECK_INT(ptowsp_execute(s.program, &options, &error), PTOWSP_TOO_BIG);
	CHECK_CONTAINS(error.text, "192 bytes");
	options.memory_limit++;
	CHECK_INT(ptowsp_execute(s.program, &options, &error), 0);
	close_all();
}

static void without_kernels_nothing_is_bound_or_called(void)
{
	struct ptowsp_execute_options options = {.flags = PTOWSP_RUN_NO_KERNELS, .memory_limit = 1};

	REQUIRE(start(&shaped, "poll"));
	CHECK_INT(ptowsp_execute(s.program, &options, &error), 0);
	CHECK(output() == NULL);
	close_all();
}

static void sample_data_come_with_the_package(void)
{
	struct ptowsp_tensor_view view;
	struct ptowsp_tensor_info info;

	REQUIRE(start(&shaped, "poll"));
	REQUIRE(ptowsp_plan_tensor(s.plan, 2, &info));
	CHECK_STR(info.name, "z");
	CHECK(info.flags & PTOWSP_TENSOR_INFO_EXPECTED && !(info.flags & PTOWSP_TENSOR_INFO_SAMPLE));
	CHECK_INT(ptowsp_tensor_sample(s.program, 2, PTOWSP_SAMPLE_EXPECTED, &view, &error), 0);
	CHECK_UINT(view.elements, N);
	CHECK_INT(ptowsp_tensor_sample(s.program, 2, PTOWSP_SAMPLE_INPUT, &view, &error), PTOWSP_NOT_FOUND);
	close_all();
}

static void a_kernel_that_nobody_has_is_named_with_what_is_known(void)
{
	REQUIRE_INT(plan_open(&shaped, NULL, 0), 0);
	REQUIRE_INT(backend_open("poll"), 0);
	CHECK_INT(ptowsp_program_load(&s.program, s.backend, s.plan, 0, &error), PTOWSP_NOT_FOUND);
	CHECK_CONTAINS(error.text, "combine");
	CHECK(s.program == NULL);
	ptowsp_kernel_register("combine", "v(p)", (ptowsp_native_fn)combine);
	CHECK_INT(ptowsp_program_load(&s.program, s.backend, s.plan, 0, &error), PTOWSP_INVALID);
	CHECK_CONTAINS(error.text, "v(p,p,p,i64)");
	close_all();
}

static void options_are_checked_before_the_plugin_sees_them(void)
{
	const struct ptowsp_setting wrong[] = {{"mood", "poll"}, {"mode", "gently"}};
	const char *dir = check_fmt("%s/test/plugins", check_build());
	struct ptowsp_backend_options options = {.isolate = PTOWSP_ISOLATE_NONE, .plugin = "probe_alias", .plugin_dirs = &dir, .plugin_dir_count = 1, .setting_count = 1};

	options.settings = &wrong[0];
	CHECK_INT(ptowsp_backend_open(&s.backend, &options, &error), PTOWSP_INVALID);
	CHECK_CONTAINS(error.text, "known: mode");
	options.settings = &wrong[1];
	CHECK_INT(ptowsp_backend_open(&s.backend, &options, &error), PTOWSP_INVALID);
	CHECK_CONTAINS(error.text, "poll|thread");
	options.setting_count = 0;
	options.device = "probe1,probe7";
	CHECK_INT(ptowsp_backend_open(&s.backend, &options, &error), PTOWSP_NO_DEVICE);
	CHECK_CONTAINS(error.text, "device \"probe7\" is unknown; known: probe0");
	options.device = "probe1";
	CHECK_INT(ptowsp_backend_open(&s.backend, &options, &error), 0);
	CHECK_STR(ptowsp_backend_current(s.backend)->name, "probe1");
	CHECK_STR(ptowsp_backend_option(s.backend, 0)->name, "mode");
	CHECK(ptowsp_backend_option(s.backend, 1) == NULL);
	close_all();
}

static void leaked_memory_is_noticed_at_the_end(void)
{
	static char log[sizeof(s.log)];

	REQUIRE(start(&shaped, "leak"));
	ptowsp_program_unload(s.program);
	s.program = NULL;
	ptowsp_backend_close(s.backend);
	s.backend = NULL;
	strcpy(log, s.log);
	CHECK_CONTAINS(log, "1048576 bytes");
	close_all();
}

static void verdicts_follow_schedule_and_capabilities(void)
{
	static const char *const schedule[] = {"dispatch=round_robin(5)", "ready=fifo", "hazards=raw"};
	struct ptowsp_match *match;
	struct ptowsp_verdict v;

	REQUIRE_INT(plan_open(&shaped, schedule, 3), 0);
	REQUIRE_INT(backend_open("poll"), 0);
	REQUIRE_INT(ptowsp_match_create(&match, s.backend, s.plan, 0, &error), 0);
	REQUIRE(ptowsp_match_row(match, 0, &v));
	CHECK_STR(v.what, "dispatch=round_robin(5)");
	CHECK_UINT(v.state, PTOWSP_STATE_DIAGNOSED);
	REQUIRE(ptowsp_match_row(match, 1, &v));
	CHECK_UINT(v.state, PTOWSP_STATE_RECORDED);
	REQUIRE(ptowsp_match_row(match, 2, &v));
	CHECK_UINT(v.state, PTOWSP_STATE_DIAGNOSED);
	CHECK(!ptowsp_match_row(match, 3, &v));
	ptowsp_match_destroy(match);
	ptowsp_kernel_register("combine", "v(p,p,p,i64)", (ptowsp_native_fn)combine);
	CHECK_INT(ptowsp_program_load(&s.program, s.backend, s.plan, PTOWSP_LOAD_STRICT, &error), PTOWSP_UNSUPPORTED);
	CHECK_CONTAINS(error.text, "dispatch=round_robin(5)");
	close_all();
}

/* Verdicts of a package with one directive under an override: how many, and the first. */
static const char *overridden(const char *text, uint32_t *count_out)
{
	const struct ptowsp_directive_record directive = {.directive = PTOWSP_DIRECTIVE_DISPATCH, .count = 1,
							  .policy = PTOWSP_DISPATCH_ROUND_ROBIN, .a0 = 2};
	static char what[64];
	struct ptowsp_match *match;
	struct ptowsp_verdict v = {.what = ""};

	*count_out = 0;
	REQUIRE_INT(plan_open(&(struct one_task){.samples = true, .directive = &directive}, &text, *text != 0), 0);
	REQUIRE_INT(backend_open("poll"), 0);
	REQUIRE_INT(ptowsp_match_create(&match, s.backend, s.plan, 0, &error), 0);
	while (ptowsp_match_row(match, *count_out, &v))
		++*count_out;
	ptowsp_match_row(match, 0, &v);
	strncpy(what, v.what, sizeof(what) - 1);
	ptowsp_match_destroy(match);
	close_all();
	return what;
}

static void overrides_replace_the_package_s_directive(void)
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

static void names_of_other_functions_are_not_bare(void)
{
	REQUIRE_INT(plan_open(&shaped, NULL, 0), 0);
	CHECK_STR(host_plan_bare_name(s.plan, "main.x"), "x");
	CHECK_STR(host_plan_bare_name(s.plan, "mainx"), "mainx");
	CHECK(host_plan_bare_name(s.plan, "main2.x") == NULL);
	CHECK(host_plan_bare_name(s.plan, "other.x") == NULL);
	close_all();
}

static void what_is_unsupported_stops_before_loading(void)
{
	static const char *const schedule[] = {"deps=explicit"};

	REQUIRE_INT(plan_open(&shaped, schedule, 1), 0);
	REQUIRE_INT(backend_open("poll"), 0);
	CHECK_INT(ptowsp_program_load(&s.program, s.backend, s.plan, 0, &error), PTOWSP_UNSUPPORTED);
	CHECK_CONTAINS(error.text, "deps=explicit is unsupported on probe");
	close_all();
	REQUIRE_INT(plan_open(&(struct one_task){.target = "a2a3", .samples = true}, NULL, 0), 0);
	REQUIRE_INT(backend_open("poll"), 0);
	CHECK_INT(ptowsp_program_load(&s.program, s.backend, s.plan, 0, &error), PTOWSP_UNSUPPORTED);
	CHECK_CONTAINS(error.text, "made for a2a3");
	close_all();
	CHECK_INT(plan_open(&(struct one_task){.target = "probe_alias", .samples = true}, NULL, 0), 0);
	CHECK_INT(backend_open("poll"), 0);
	ptowsp_kernel_register("combine", "v(p,p,p,i64)", (ptowsp_native_fn)combine);
	CHECK_INT(ptowsp_program_load(&s.program, s.backend, s.plan, 0, &error), 0);
	close_all();
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

static void auto_takes_the_first_that_enforces_everything(void)
{
	static const char *const weak[] = {"hazards=raw"};
	const char *dir = check_fmt("%s/test/plugins", check_build());
	struct ptowsp_backend_options options = {.isolate = PTOWSP_ISOLATE_NONE, .plugin_dirs = &dir, .plugin_dir_count = 1};

	skipped[0] = '\0';
	REQUIRE_INT(plan_open(&shaped, NULL, 0), 0);
	CHECK_INT(ptowsp_backend_choose(&s.backend, &options, "nosuch,,probe", s.plan, on_skip, NULL, &error), 0);
	REQUIRE(s.backend != NULL);
	CHECK_STR(ptowsp_backend_name(s.backend), "probe");
	CHECK_CONTAINS(skipped, "nosuch: ");
	CHECK(strchr(skipped, '\n') && !strchr(skipped, '\n')[1]); /* the empty name is none */
	close_all();
	skipped[0] = '\0';
	REQUIRE_INT(plan_open(&shaped, weak, 1), 0);
	CHECK_INT(ptowsp_backend_choose(&s.backend, &options, "probe", s.plan, on_skip, NULL, &error), PTOWSP_PLUGIN_REFUSED);
	CHECK_CONTAINS(skipped, "probe: hazards=raw is only diagnosed");
	CHECK_CONTAINS(error.text, "probe");
	close_all();
}

static void plugins_are_listed_without_running_them(void)
{
	const char *dir = check_fmt("%s/test/plugins", check_build());
	struct ptowsp_backend_options options = {.isolate = PTOWSP_ISOLATE_NONE, .plugin_dirs = &dir, .plugin_dir_count = 1};
	struct ptowsp_listing *listing;
	struct ptowsp_listing_row row;
	bool found = false;

	REQUIRE_INT(ptowsp_listing_create(&listing, &options, &error), 0);
	for (uint32_t i = 0; ptowsp_listing_row(listing, i, &row); i++)
		found |= !strcmp(row.name, "probe") && row.usable && !strcmp(row.targets, "probe,probe_alias");
	CHECK(found);
	CHECK(ptowsp_listing_folder(listing, 0) != NULL);
	ptowsp_listing_destroy(listing);
}

/* The whole way on the real backend. */
static void cpu_sim_calls_the_embedding_program_s_function(void)
{
	const char *dir = check_fmt("%s/lib/ptowsp/plugins", check_build());
	struct ptowsp_backend_options options = {.isolate = PTOWSP_ISOLATE_NONE, .plugin_dirs = &dir, .plugin_dir_count = 1, .threads = 2};

	REQUIRE_INT(plan_open(&shaped, NULL, 0), 0);
	ptowsp_kernel_register("combine", "v(p,p,p,i64)", (ptowsp_native_fn)combine);
	if (ptowsp_backend_open(&s.backend, &options, &error)) {
		CHECK_FAIL("%s", error.text);
		return;
	}
	REQUIRE_INT(ptowsp_program_load(&s.program, s.backend, s.plan, 0, &error), 0);
	CHECK_INT(ptowsp_value_set(s.program, "n", "16", &error), 0);
	CHECK_INT(ptowsp_execute(s.program, NULL, &error), 0);
	for (int i = 0; i < N && output(); i++)
		CHECK_NEAR(output()[i], i + 100, 0);
	CHECK_UINT(ptowsp_stats(s.program)->tasks, 1);
	close_all();
}

void suite_session(CU_pSuite suite)
{
	TEST(suite, a_function_of_the_embedding_program_runs);
	TEST(suite, memory_of_the_caller_is_used_in_place);
	TEST(suite, async_runs_complete_once);
	TEST(suite, a_run_that_waits_times_out_and_is_cancelled);
	TEST(suite, a_second_completion_is_ignored_and_logged);
	TEST(suite, tokens_of_the_past_do_not_complete_the_present);
	TEST(suite, absurd_statistics_are_the_plugin_s_fault);
	TEST(suite, diagnostics_are_kept_once_per_feature_and_program);
	TEST(suite, inputs_that_nobody_gave_are_zeros_and_said);
	TEST(suite, shapeless_tensors_take_what_the_program_touches);
	TEST(suite, outputs_start_as_zeros_in_every_run);
	TEST(suite, texts_are_values_of_their_type_or_refused);
	TEST(suite, values_are_parsed_in_their_type);
	TEST(suite, a_float_beyond_its_type_is_refused_with_the_largest_value);
	TEST(suite, memory_beyond_the_limit_is_refused_before_the_run);
	TEST(suite, without_kernels_nothing_is_bound_or_called);
	TEST(suite, sample_data_come_with_the_package);
	TEST(suite, a_kernel_that_nobody_has_is_named_with_what_is_known);
	TEST(suite, options_are_checked_before_the_plugin_sees_them);
	TEST(suite, leaked_memory_is_noticed_at_the_end);
	TEST(suite, verdicts_follow_schedule_and_capabilities);
	TEST(suite, overrides_replace_the_package_s_directive);
	TEST(suite, names_of_other_functions_are_not_bare);
	TEST(suite, what_is_unsupported_stops_before_loading);
	TEST(suite, auto_takes_the_first_that_enforces_everything);
	TEST(suite, plugins_are_listed_without_running_them);
	TEST(suite, cpu_sim_calls_the_embedding_program_s_function);
}
