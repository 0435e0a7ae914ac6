/* SPDX-License-Identifier: MIT */
/* artifact.c - what a backend makes of a program, as files, without a device. */
#include <string.h>

#include "host/host_error.h"
#include "host/run/artifact.h"
#include "host/run/host_program.h"

enum { PATH_MOST = 200, PARTS_MOST = 8 };

static bool is_part(const char *at, size_t length)
{
	if (!length || (at[0] == '.' && (length == 1 || (length == 2 && at[1] == '.'))))
		return false;
	for (size_t i = 0; i < length; i++)
		if (!((at[i] >= 'a' && at[i] <= 'z') || (at[i] >= 'A' && at[i] <= 'Z') || (at[i] >= '0' && at[i] <= '9') || strchr("_.-", at[i])))
			return false;
	return true;
}

/* Paths come from the plugin: below the folder, and nothing that a shell or another system would take for something else. */
static bool is_path(const char *path)
{
	unsigned parts = 0;

	if (!path || strnlen(path, PATH_MOST + 1) > PATH_MOST)
		return false;
	for (;; path++) {
		const size_t length = strcspn(path, "/");

		if (!is_part(path, length) || ++parts > PARTS_MOST)
			return false;
		path += length;
		if (!*path)
			return true;
	}
}

ptowsp_status host_artifact_take(void *context, const char *path, const void *bytes, uint64_t size)
{
	struct host_artifact_sink *g = context;

	if (g->refused)
		return g->refused;
	if (!is_path(path) || (size && !bytes))
		g->refused = host_fail(g->error, PTOWSP_PLUGIN_REFUSED, "%s: artifact: a path is not of parts of [A-Za-z0-9_.-] joined by '/', or has no bytes",
				       ptowsp_backend_name(g->backend));
	else
		g->refused = g->file(g->context, path, bytes, size);
	return g->refused;
}

ptowsp_status host_artifact_answer(struct host_artifact_sink *g, ptowsp_status status, struct ptowsp_error *theirs, struct ptowsp_error *error)
{
	theirs->text[sizeof(theirs->text) - 1] = '\0';
	if (g->refused)
		return host_fail(error, g->refused, "%s", *g->error->text ? g->error->text : "a file of the artifact could not be written");
	if (status)
		return host_fail(error, status, "%s", *theirs->text ? theirs->text : "the backend made no files and did not say why");
	return PTOWSP_OK;
}

ptowsp_status ptowsp_artifact_emit(struct ptowsp_backend *backend, const struct ptowsp_plan *plan, uint32_t flags,
				   ptowsp_status (*file)(void *context, const char *path, const void *bytes, uint64_t size), void *context,
				   struct ptowsp_error *error)
{
	const struct ptowsp_device *device = ptowsp_backend_current(backend);
	const struct ptowsp_load_args args = host_plan_load_args(plan, plan->sections, plan->section_count, flags & PTOWSP_LOAD_STRICT);
	struct ptowsp_error theirs = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)}, ours = theirs;
	struct host_artifact_sink g = {backend, file, context, PTOWSP_OK, &ours};
	ptowsp_status status;

	error = host_error_enter(error);
	if (!host_caller_offers(&backend->caller, backend->instance, HOST_OPERATION_artifact_emit))
		return host_error_leave(host_fail(error, PTOWSP_UNSUPPORTED, "%s makes no files of a program", ptowsp_backend_name(backend)), error);
	status = host_call_artifact_emit(&backend->caller, backend->instance, device ? device->name : "", &args, host_artifact_take, &g, &theirs);
	status = host_artifact_answer(&g, status, &theirs, error);
	return host_error_leave(g.refused ? status : host_answer_plan(backend, plan, "emit", status, error), error);
}
