/* SPDX-License-Identifier: MIT */
/* moody.c - opening and closing what a test has on the plugin that has moods. */
#include "tests/host/moody.h"

#include <stdio.h>
#include <string.h>

#include "host/run/runs.h"
#include "tests/check.h"

static void on_log(void *context, int32_t level, const char *text)
{
	struct moody *m = context;

	(void)level;
	m->said_ns = host_now_ns();
	m->lines++;
	snprintf(m->last, sizeof(m->last), "%s", text);
	strncat(m->log, text, sizeof(m->log) - strlen(m->log) - 1);
}

const char *moody_empty(void)
{
	static const char json[] =
		"{\"schema\": \"ptowsp.package/1\", \"WORK\": {\"instructions\": [[\"halt\"]]}, \"ENTR\": [{\"name\": \"main\", \"flags\": 1}]}";
	static char path[512];

	snprintf(path, sizeof(path), "%s/empty.pkg.zst", check_tmp());
	if (!check_write(check_fmt("%s/empty.json", check_dir()), json, sizeof(json) - 1) ||
	    check_run(check_fmt("%s/bin/ptowsp-pack --from-json %s/empty.json -o %s", check_build(), check_dir(), path), NULL, NULL))
		CHECK_FAIL("no package at %s", path);
	return path;
}

ptowsp_status moody_package(struct moody *m, const char *path, struct ptowsp_error *error)
{
	ptowsp_status status = ptowsp_package_open(&m->package, path, 0, error);

	return status ? status : ptowsp_plan_create(&m->plan, m->package, NULL, error);
}

ptowsp_status moody_backend(struct moody *m, const char *mood, uint32_t isolate, uint32_t load_timeout_ms, struct ptowsp_error *error)
{
	const struct ptowsp_setting setting = {"mood", mood};
	const char *plugin = check_fmt("%s/test/isolate/libptowsp_%s.so", check_build(), m->asks ? "granted" : "moody");
	struct ptowsp_backend_options options = {.plugin = plugin,
						 .settings = &setting,
						 .setting_count = 1,
						 .log = on_log,
						 .log_context = m,
						 .isolate = isolate,
						 .load_timeout_ms = load_timeout_ms};

	return ptowsp_backend_open(&m->backend, &options, error);
}

ptowsp_status moody_open(struct moody *m, const char *package, const char *mood, struct ptowsp_error *error)
{
	ptowsp_status status = moody_package(m, package, error);

	if (!status)
		status = moody_backend(m, mood, PTOWSP_ISOLATE_PROCESS, 0, error);
	return status ? status : ptowsp_program_load(&m->program, m->backend, m->plan, 0, error);
}

void moody_close(struct moody *m)
{
	ptowsp_program_unload(m->program);
	ptowsp_backend_close(m->backend);
	ptowsp_plan_destroy(m->plan);
	ptowsp_package_close(m->package);
	*m = (struct moody){0};
}
