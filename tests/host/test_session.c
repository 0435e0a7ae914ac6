/* SPDX-License-Identifier: MIT */
/* test_session.c - the embedding API from package to results, on the probe plugin and with a kernel of the embedding program
 * on cpu_sim. What is chosen before a program is loaded is in test_choice.c. */
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host/run/host_program.h"
#include "host/run/runs.h"
#include "tests/host/one_session.h"

enum { N = ONE_TASK_ELEMENTS };

/* ---- tests -------------------------------------------------------------------------------------------------- */

TEST(a_function_of_the_embedding_program_runs)
{
	static const char *const modes[] = {"poll", "thread"};

	for (int m = 0; m < 2; m++) {
		REQUIRE(one_session_start(&one_session_shaped, modes[m]));
		CHECK_INT(ptowsp_execute(one_session.program, NULL, &one_session.error), 0);
		for (int i = 0; i < N; i++)
			CHECK_NEAR(one_session_output()[i], i + 100, 0);
		CHECK_UINT(ptowsp_stats(one_session.program)->total_cycles, 7);
		REQUIRE_UINT(ptowsp_stats(one_session.program)->resource_count, 1);
		CHECK_STR(ptowsp_stats(one_session.program)->resources[0].name, "task_ring");
		CHECK(ptowsp_elapsed_ms(one_session.program) >= 0 && ptowsp_compile_ms(one_session.program) >= 0);
		CHECK(ptowsp_deadlock(one_session.program) == NULL);
		one_session_close();
	}
}

TEST(memory_of_the_caller_is_used_in_place)
{
	float x[N] = {1, 2, 3}, y[N] = {10, 20, 30}, z[N] = {0};

	REQUIRE(one_session_start(&one_session_shaped, "poll"));
	CHECK_INT(ptowsp_tensor_bind(one_session.program, "x", x, N, &one_session.error), 0);
	CHECK_INT(ptowsp_tensor_bind(one_session.program, "main.y", y, N, &one_session.error), 0); /* the full name too */
	CHECK_INT(ptowsp_tensor_bind(one_session.program, "z", z, N, &one_session.error), 0);
	CHECK_INT(ptowsp_execute(one_session.program, NULL, &one_session.error), 0);
	CHECK_NEAR(z[2], 33, 0);
	CHECK_INT(ptowsp_tensor_bind(one_session.program, "w", z, N, &one_session.error), PTOWSP_NOT_FOUND);
	CHECK_CONTAINS(one_session.error.text, "known: x, y, z");
	CHECK_INT(ptowsp_tensor_bind(one_session.program, "x", x, N - 1, &one_session.error), 0);
	CHECK_INT(ptowsp_execute(one_session.program, NULL, &one_session.error), PTOWSP_INVALID);
	CHECK_CONTAINS(one_session.error.text, "15 elements, its shape needs 16");
	one_session_close();
}

TEST(tensors_of_which_a_run_writes_one_share_no_memory)
{
	float memory[3 * N] = {0};
	/* x and y are read, z is written; elements at which each begins */
	static const struct {
		uint32_t at[3];
		const char *wrong;
	} cases[] = {
		{{0, 0, N}, NULL},
		{{0, N / 2, 2 * N}, NULL},
		{{0, N, 1}, "\"x\" and \"z\" share memory, and a run writes \"z\""},
		{{2 * N, 1, 0}, "\"z\" and \"y\" share memory, and a run writes \"z\""},
		{{0, 2 * N, 2 * N}, "share memory, and a run writes \"z\""},
	};

	REQUIRE(one_session_start(&one_session_shaped, "poll"));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (uint32_t t = 0; t < 3; t++)
			CHECK_INT(ptowsp_tensor_bind(one_session.program, (const char *[]){"x", "y", "z"}[t], memory + cases[i].at[t], N, &one_session.error),
				  0);
		CHECK_INT(ptowsp_execute(one_session.program, NULL, &one_session.error), cases[i].wrong ? PTOWSP_INVALID : 0);
		if (cases[i].wrong)
			CHECK_CONTAINS(one_session.error.text, cases[i].wrong);
	}
	one_session_close();
}

TEST(async_runs_complete_once)
{
	REQUIRE(one_session_start(&one_session_shaped, "thread"));
	CHECK(ptowsp_is_complete(one_session.program));
	CHECK_INT(ptowsp_synchronize(one_session.program, 0, &one_session.error), 0); /* nothing runs */
	for (int i = 0; i < 50; i++) {
		CHECK_INT(ptowsp_execute_async(one_session.program, NULL, &one_session.error), 0);
		CHECK_INT(ptowsp_synchronize(one_session.program, UINT64_MAX, &one_session.error), 0);
		CHECK(ptowsp_is_complete(one_session.program));
	}
	one_session_close();
}

TEST(a_run_that_waits_times_out_and_is_cancelled)
{
	REQUIRE(one_session_start(&one_session_shaped, "wait"));
	CHECK_INT(ptowsp_execute_async(one_session.program, NULL, &one_session.error), 0);
	CHECK(!ptowsp_is_complete(one_session.program));
	CHECK_INT(ptowsp_synchronize(one_session.program, 20000000, &one_session.error), PTOWSP_AGAIN);
	CHECK_INT(ptowsp_execute_async(one_session.program, NULL, &one_session.error), PTOWSP_INVALID);
	CHECK_CONTAINS(one_session.error.text, "still running");
	CHECK_INT(ptowsp_prepare(one_session.program, NULL, &one_session.error), PTOWSP_INVALID);
	CHECK_CONTAINS(one_session.error.text, "still running");
	CHECK_INT(ptowsp_cancel(one_session.program, &one_session.error), 0);
	CHECK_INT(ptowsp_synchronize(one_session.program, UINT64_MAX, &one_session.error), PTOWSP_CANCELLED);
	CHECK_CONTAINS(one_session.error.text, "the probe failed");
	CHECK_STR(ptowsp_last_error(), one_session.error.text);
	CHECK_INT(ptowsp_cancel(one_session.program, &one_session.error), 0); /* nothing to cancel */
	one_session_close();
}

TEST(shapes_are_demanded_and_an_index_that_no_tensor_has_is_refused)
{
	const uint64_t extents[1] = {N};
	struct ptowsp_tensor_view view = {.rank = 7};

	REQUIRE(one_session_start(&one_session_shaped, "poll"));
	CHECK_INT(ptowsp_tensor_shape(one_session.program, 0, 1, (uint64_t[]){N - 1}, "a file", &one_session.error), 0);
	CHECK_INT(ptowsp_prepare(one_session.program, NULL, &one_session.error), PTOWSP_INVALID);
	CHECK_CONTAINS(one_session.error.text, "but a file has [");
	CHECK_INT(ptowsp_tensor_shape(one_session.program, 0, 0, NULL, NULL, &one_session.error), 0); /* taken back */
	CHECK_INT(ptowsp_prepare(one_session.program, NULL, &one_session.error), 0);
	for (uint32_t index = 3; index; index = index == 3 ? UINT32_MAX : 0) {
		CHECK_INT(ptowsp_tensor_shape(one_session.program, index, 1, extents, NULL, &one_session.error), PTOWSP_NOT_FOUND);
		CHECK_CONTAINS(one_session.error.text, "main has no tensor with index ");
		CHECK_INT(ptowsp_tensor_sample(one_session.program, index, PTOWSP_SAMPLE_INPUT, &view, &one_session.error), PTOWSP_NOT_FOUND);
		CHECK_CONTAINS(one_session.error.text, "it has 3, 0 first");
		ptowsp_tensor_fill(one_session.program, index, NULL, NULL);
		view.rank = 7;
		ptowsp_tensor_view(one_session.program, index, &view);
		CHECK_INT(view.rank, 0);
	}
	one_session_close();
}

TEST(a_second_completion_is_ignored_and_logged)
{
	static const char *const modes[] = {"twice", "stale"};

	for (int m = 0; m < 2; m++) {
		REQUIRE(one_session_start(&one_session_shaped, modes[m]));
		CHECK_INT(ptowsp_execute(one_session.program, NULL, &one_session.error), 0);
		CHECK_CONTAINS(one_session.log, "not in flight");
		CHECK_INT(ptowsp_execute(one_session.program, NULL, &one_session.error), 0);
		one_session_close();
	}
}

TEST(tokens_of_the_past_do_not_complete_the_present)
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

TEST(absurd_statistics_are_the_plugin_s_fault)
{
	REQUIRE(one_session_start(&one_session_shaped, "lie"));
	CHECK_INT(ptowsp_execute(one_session.program, NULL, &one_session.error), PTOWSP_DEVICE_LOST);
	CHECK_CONTAINS(one_session.error.text, "absurd counts");
	one_session_close();
}

TEST(diagnostics_are_kept_once_per_feature_and_program)
{
	struct ptowsp_diagnostic row;

	REQUIRE(one_session_start(&one_session_shaped, "poll"));
	REQUIRE(ptowsp_diagnostic_row(one_session.program, 0, &row));
	CHECK_UINT(row.feature, PTOWSP_FEATURE_CANCEL);
	CHECK_STR(row.text, "the probe says something");
	CHECK(!ptowsp_diagnostic_row(one_session.program, 1, &row));
	one_session_close();
}

TEST(inputs_that_nobody_gave_are_zeros_and_said)
{
	struct ptowsp_diagnostic row;
	struct ptowsp_tensor_view view;

	REQUIRE(one_session_start(&(struct one_task){.samples = false}, "poll"));
	CHECK_INT(ptowsp_execute(one_session.program, NULL, &one_session.error), 0);
	CHECK_INT(ptowsp_execute(one_session.program, NULL, &one_session.error), 0);
	REQUIRE(ptowsp_diagnostic_row(one_session.program, 1, &row));
	CHECK_CONTAINS(row.text, "--in x=");
	REQUIRE(ptowsp_diagnostic_row(one_session.program, 2, &row));
	CHECK_CONTAINS(row.text, "--in y=");
	CHECK(!ptowsp_diagnostic_row(one_session.program, 3, &row)); /* the output is none, and the second run says nothing new */
	ptowsp_tensor_view(one_session.program, 0, &view);
	CHECK_UINT(view.origin, PTOWSP_ORIGIN_ZEROS);
	one_session_close();
}

TEST(shapeless_tensors_take_what_the_program_touches)
{
	struct ptowsp_tensor_view view;
	float x[N] = {1};

	REQUIRE(one_session_start(&one_session_shapeless, "poll"));
	CHECK_INT(ptowsp_value_set(one_session.program, "n", "5", &one_session.error), 0);
	CHECK_INT(ptowsp_execute(one_session.program, NULL, &one_session.error), 0);
	ptowsp_tensor_view(one_session.program, 2, &view);
	CHECK_UINT(view.elements, 5);
	CHECK_UINT(view.rank, 1);
	CHECK_INT(ptowsp_tensor_bind(one_session.program, "x", x, 4, &one_session.error), 0);
	CHECK_INT(ptowsp_execute(one_session.program, NULL, &one_session.error), PTOWSP_INVALID);
	CHECK_CONTAINS(one_session.error.text, "\"x\": the bound memory has 4 elements, but the program touches 5");
	one_session_close();
}

TEST(outputs_start_as_zeros_in_every_run)
{
	REQUIRE(one_session_start(&one_session_shaped, "poll"));
	CHECK_INT(ptowsp_execute(one_session.program, NULL, &one_session.error), 0);
	CHECK_NEAR(one_session_output()[15], 115, 0);
	CHECK_INT(ptowsp_value_set(one_session.program, "n", "4", &one_session.error), 0);
	CHECK_INT(ptowsp_execute(one_session.program, NULL, &one_session.error), 0);
	CHECK_NEAR(one_session_output()[3], 103, 0);
	CHECK_NEAR(one_session_output()[15], 0, 0);
	one_session_close();
}

TEST(texts_are_values_of_their_type_or_refused)
{
	static const struct {
		uint16_t dtype;
		const char *text;
		bool fine;
		uint64_t bits;
	} rows[] = {
		{PTOWSP_I8, "-128", true, (uint64_t)-128},
		{PTOWSP_I8, "128", false, 0},
		{PTOWSP_I8, "127", true, 127},
		{PTOWSP_I32, "-1", true, UINT64_MAX},
		{PTOWSP_I32, "5000000000", false, 0},
		{PTOWSP_U8, "255", true, 255},
		{PTOWSP_U8, "256", false, 0},
		{PTOWSP_U8, "-1", false, 0},
		{PTOWSP_U64, "-1", false, 0},
		{PTOWSP_U64, "18446744073709551615", true, UINT64_MAX},
		{PTOWSP_U64, "18446744073709551616", false, 0},
		{PTOWSP_U32, "0xff", true, 255},
		{PTOWSP_BOOL, "true", true, 1},
		{PTOWSP_BOOL, "0", true, 0},
		{PTOWSP_BOOL, "2", false, 0},
		{PTOWSP_F32, "0.5", true, 0x3F000000},
		{PTOWSP_F32, "half", false, 0},
		{PTOWSP_F64, "-2", true, UINT64_C(0xC000000000000000)},
		{PTOWSP_I64, "", false, 0},
		{PTOWSP_I64, "1.5", false, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t bits = 7;
		ptowsp_status status = host_value_parse(rows[i].dtype, "v", rows[i].text, &bits, &one_session.error);

		if (rows[i].fine != !status || (!status && bits != rows[i].bits))
			CHECK_FAIL("\"%s\" as type %u: status %d, bits %llx", rows[i].text, rows[i].dtype, status, (unsigned long long)bits);
	}
}

TEST(a_float_beyond_its_type_is_refused_with_the_largest_value)
{
	static const struct {
		uint16_t dtype;
		const char *text;
		bool fine;
	} rows[] = {
		{PTOWSP_F32, "3.4028234e38", true}, {PTOWSP_F32, "3.4028236e38", false}, {PTOWSP_F32, "-1e39", false},  {PTOWSP_F32, "1e300", false},
		{PTOWSP_F32, "1e999", false},       {PTOWSP_F32, "inf", true},           {PTOWSP_F32, "-inf", true},    {PTOWSP_F32, "1e-60", true},
		{PTOWSP_F64, "1e300", true},        {PTOWSP_F64, "1e999", false},        {PTOWSP_F64, "-1e999", false}, {PTOWSP_F64, "inf", true},
	};
	uint64_t bits;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		ptowsp_status status = host_value_parse(rows[i].dtype, "v", rows[i].text, &bits, &one_session.error);

		CHECK_INT(status, rows[i].fine ? PTOWSP_OK : PTOWSP_INVALID);
		if (!rows[i].fine)
			CHECK_CONTAINS(one_session.error.text, "whose largest value is");
	}
}

TEST(values_are_parsed_in_their_type)
{
	struct ptowsp_value_info info;

	REQUIRE_INT(one_session_plan(&one_session_shaped, NULL, 0), 0);
	ptowsp_kernel_register("combine", "v(p,p,p,i64)", (ptowsp_native_fn)one_session_combine);
	REQUIRE_INT(one_session_backend("poll"), 0);
	REQUIRE_INT(ptowsp_program_load(&one_session.program, one_session.backend, one_session.plan, 0, &one_session.error), 0);
	REQUIRE(ptowsp_plan_value(one_session.plan, 0, &info));
	CHECK_STR(info.name, "n");
	CHECK(info.flags & PTOWSP_VALUE_NEEDED);
	CHECK_INT(ptowsp_execute(one_session.program, NULL, &one_session.error), PTOWSP_INVALID);
	CHECK_CONTAINS(one_session.error.text, "--set n=VALUE");
	CHECK_INT(ptowsp_value_set(one_session.program, "n", "x", &one_session.error), PTOWSP_INVALID);
	CHECK_INT(ptowsp_value_set(one_session.program, "n", "1 ", &one_session.error), PTOWSP_INVALID);
	CHECK_INT(ptowsp_value_set(one_session.program, "n", "9223372036854775808", &one_session.error), PTOWSP_INVALID);
	CHECK_INT(ptowsp_value_set(one_session.program, "m", "1", &one_session.error), PTOWSP_NOT_FOUND);
	CHECK_CONTAINS(one_session.error.text, "known: n");
	CHECK_INT(ptowsp_value_set(one_session.program, "main.n", "0x10", &one_session.error), 0);
	CHECK_INT(ptowsp_execute(one_session.program, NULL, &one_session.error), 0);
	one_session_close();
}

TEST(memory_beyond_the_limit_is_refused_before_the_run)
{
	struct ptowsp_execute_options options = {.memory_limit = 3 * N * 4 - 1};

	REQUIRE(one_session_start(&one_session_shaped, "poll"));
	CHECK_INT(ptowsp_execute(one_session.program, &options, &one_session.error), PTOWSP_TOO_BIG);
	CHECK_CONTAINS(one_session.error.text, "192 bytes");
	options.memory_limit++;
	CHECK_INT(ptowsp_execute(one_session.program, &options, &one_session.error), 0);
	one_session_close();
}

/* Until the time of the run is over. */
static ptowsp_status slow_fill(void *context, void *data, uint64_t elements, struct ptowsp_error *error)
{
	static const struct timespec pause = {.tv_nsec = 3000000};

	(void)data, (void)elements, (void)error;
	++*(unsigned *)context;
	nanosleep(&pause, NULL);
	return PTOWSP_OK;
}

TEST(a_deadline_ends_the_filling_of_tensors)
{
	const struct ptowsp_execute_options options = {.timeout_ns = 2000000};
	unsigned filled = 0;

	REQUIRE(one_session_start(&one_session_shaped, "poll"));
	for (uint32_t i = 0; i < 3; i++)
		ptowsp_tensor_fill(one_session.program, i, slow_fill, &filled);
	CHECK_INT(ptowsp_prepare(one_session.program, &options, &one_session.error), PTOWSP_DEADLINE);
	CHECK_CONTAINS(one_session.error.text, " had its content");
	CHECK(filled <= 1);
	CHECK_INT(ptowsp_prepare(one_session.program, NULL, &one_session.error), 0);
	one_session_close();
}

TEST(without_kernels_nothing_is_bound_or_called)
{
	struct ptowsp_execute_options options = {.flags = PTOWSP_RUN_NO_KERNELS, .memory_limit = 1};

	REQUIRE(one_session_start(&one_session_shaped, "poll"));
	CHECK_INT(ptowsp_execute(one_session.program, &options, &one_session.error), 0);
	CHECK(one_session_output() == NULL);
	one_session_close();
}

TEST(sample_data_come_with_the_package)
{
	struct ptowsp_tensor_view view;
	struct ptowsp_tensor_info info;

	REQUIRE(one_session_start(&one_session_shaped, "poll"));
	REQUIRE(ptowsp_plan_tensor(one_session.plan, 2, &info));
	CHECK_STR(info.name, "z");
	CHECK(info.flags & PTOWSP_TENSOR_INFO_EXPECTED && !(info.flags & PTOWSP_TENSOR_INFO_SAMPLE));
	CHECK_INT(ptowsp_tensor_sample(one_session.program, 2, PTOWSP_SAMPLE_EXPECTED, &view, &one_session.error), 0);
	CHECK_UINT(view.elements, N);
	CHECK_INT(ptowsp_tensor_sample(one_session.program, 2, PTOWSP_SAMPLE_INPUT, &view, &one_session.error), PTOWSP_NOT_FOUND);
	one_session_close();
}

TEST(a_kernel_that_nobody_has_is_named_with_what_is_known)
{
	REQUIRE_INT(one_session_plan(&one_session_shaped, NULL, 0), 0);
	REQUIRE_INT(one_session_backend("poll"), 0);
	CHECK_INT(ptowsp_program_load(&one_session.program, one_session.backend, one_session.plan, 0, &one_session.error), PTOWSP_NOT_FOUND);
	CHECK_CONTAINS(one_session.error.text, "combine");
	CHECK(one_session.program == NULL);
	ptowsp_kernel_register("combine", "v(p)", (ptowsp_native_fn)one_session_combine);
	CHECK_INT(ptowsp_program_load(&one_session.program, one_session.backend, one_session.plan, 0, &one_session.error), PTOWSP_INVALID);
	CHECK_CONTAINS(one_session.error.text, "v(p,p,p,i64)");
	one_session_close();
}

TEST(leaked_memory_is_noticed_at_the_end)
{
	static char log[sizeof(one_session.log)];

	REQUIRE(one_session_start(&one_session_shaped, "leak"));
	ptowsp_program_unload(one_session.program);
	one_session.program = NULL;
	ptowsp_backend_close(one_session.backend);
	one_session.backend = NULL;
	strcpy(log, one_session.log);
	CHECK_CONTAINS(log, "1048576 bytes");
	one_session_close();
}

/* The whole way on the real backend. */
TEST(cpu_sim_calls_the_embedding_program_s_function)
{
	const char *dir = check_fmt("%s/lib/ptowsp/plugins", check_build());
	struct ptowsp_backend_options options = {.isolate = PTOWSP_ISOLATE_NONE, .plugin_dirs = &dir, .plugin_dir_count = 1, .threads = 2};

	REQUIRE_INT(one_session_plan(&one_session_shaped, NULL, 0), 0);
	ptowsp_kernel_register("combine", "v(p,p,p,i64)", (ptowsp_native_fn)one_session_combine);
	if (ptowsp_backend_open(&one_session.backend, &options, &one_session.error)) {
		CHECK_FAIL("%s", one_session.error.text);
		return;
	}
	REQUIRE_INT(ptowsp_program_load(&one_session.program, one_session.backend, one_session.plan, 0, &one_session.error), 0);
	CHECK_INT(ptowsp_value_set(one_session.program, "n", "16", &one_session.error), 0);
	CHECK_INT(ptowsp_execute(one_session.program, NULL, &one_session.error), 0);
	for (int i = 0; i < N && one_session_output(); i++)
		CHECK_NEAR(one_session_output()[i], i + 100, 0);
	CHECK_UINT(ptowsp_stats(one_session.program)->tasks, 1);
	one_session_close();
}
