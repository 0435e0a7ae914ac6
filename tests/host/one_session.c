/* SPDX-License-Identifier: MIT */
/* one_session.c - opening and closing it. */
#include "tests/host/one_session.h"

#include <stdlib.h>
#include <string.h>

#include "tests/check.h"

struct one_session one_session;
const struct one_task one_session_shaped = {.samples = true}, one_session_shapeless = {.shapeless = true};

static void on_log(void *context, int32_t level, const char *text)
{
	(void)context, (void)level;
	strncat(one_session.log, text, sizeof(one_session.log) - strlen(one_session.log) - 1);
}

void one_session_combine(float *x, float *y, float *z, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		z[i] = x[i] + y[i];
}

void one_session_close(void)
{
	ptowsp_program_unload(one_session.program);
	ptowsp_backend_close(one_session.backend);
	ptowsp_plan_destroy(one_session.plan);
	ptowsp_package_close(one_session.package);
	free(one_session.bytes);
	ptowsp_kernel_unregister("combine");
	one_session = (struct one_session){.error = one_session.error};
}

ptowsp_status one_session_plan(const struct one_task *spec, const char *const *schedule, uint32_t count)
{
	struct ptowsp_plan_options options = {.schedule = schedule, .schedule_count = count};
	size_t size;

	one_session_close(); /* of a test that failed before its end */
	one_session.bytes = one_task_pack(spec, &size, &one_session.error);
	if (!one_session.bytes)
		CHECK_FAIL("%s", one_session.error.text);
	if (!one_session.bytes || ptowsp_package_open_memory(&one_session.package, one_session.bytes, size, "session", 0, &one_session.error))
		return PTOWSP_BAD_PACKAGE;
	return ptowsp_plan_create(&one_session.plan, one_session.package, &options, &one_session.error);
}

ptowsp_status one_session_backend(const char *mode)
{
	const struct ptowsp_setting setting = {"mode", mode};
	const char *dir = check_fmt("%s/test/plugins", check_build());
	struct ptowsp_backend_options options = {.isolate = PTOWSP_ISOLATE_NONE,
						 .plugin = "probe",
						 .plugin_dirs = &dir,
						 .plugin_dir_count = 1,
						 .settings = &setting,
						 .setting_count = mode != NULL,
						 .log = on_log};

	return ptowsp_backend_open(&one_session.backend, &options, &one_session.error);
}

bool one_session_start(const struct one_task *spec, const char *mode)
{
	ptowsp_status status = one_session_plan(spec, NULL, 0);

	ptowsp_kernel_register("combine", "v(p,p,p,i64)", (ptowsp_native_fn)one_session_combine);
	if (!status)
		status = one_session_backend(mode);
	if (!status)
		status = ptowsp_program_load(&one_session.program, one_session.backend, one_session.plan, 0, &one_session.error);
	if (!status)
		status = ptowsp_value_set(one_session.program, "n", "16", &one_session.error);
	if (status)
		CHECK_FAIL("start: %s", one_session.error.text);
	return !status;
}

const float *one_session_output(void)
{
	struct ptowsp_tensor_view view;

	ptowsp_tensor_view(one_session.program, 2, &view);
	return view.data;
}
