/* SPDX-License-Identifier: MIT */
/* targets.c - whether the backends of --target that are here can run the kernels: by their TILE rows and their own judgement, as --explain of ptowsp-run says it; no device is opened. */
#include "tools/pack/pack.h"

#include <stdio.h>
#include <string.h>

#include "host/ptowsp_host.h"
#include "registry/text.h"

/* The first kernel that entry cannot have there, "kernel curve: texp of bf16, line 8; ..."; false: it can have all. */
static bool entry_lacks(const struct ptowsp_backend *backend, struct ptowsp_package *package, const char *entry, char *text, size_t room)
{
	struct ptowsp_plan_options options = {.entry = entry};
	struct ptowsp_match *match = NULL;
	struct ptowsp_verdict row;
	struct ptowsp_plan *plan = NULL;
	bool lacks = false;

	if (!ptowsp_plan_create(&plan, package, &options, NULL) && !ptowsp_match_create(&match, backend, plan, 0, NULL))
		for (uint32_t i = 0; !lacks && ptowsp_match_row(match, i, &row); i++)
			lacks = row.refused && !row.directive && !strncmp(row.what, "kernel ", strlen("kernel "));
	if (lacks)
		snprintf(text, room, "%.60s: %.150s", row.what, row.reason);
	ptowsp_match_destroy(match);
	ptowsp_plan_destroy(plan);
	return lacks;
}

/* A line per kernel, of each entry the first that is lacking; or the refusal of the first. */
static ptowsp_status target_meets(const struct pack_options *options, const char *target, struct ptowsp_package *package, const char *path,
				  struct ptowsp_error *error)
{
	const struct ptowsp_backend_options how = {.plugin = target};
	struct ptowsp_backend *backend;
	ptowsp_status status = PTOWSP_OK;
	const char *entry;
	char text[216], told[216] = "";

	if (ptowsp_backend_open(&backend, &how, NULL)) /* it is not here: whoever runs the package there is told */
		return PTOWSP_OK;
	for (uint32_t i = 0; !status && (entry = ptowsp_package_entry(package, i)); i++) {
		if (!entry_lacks(backend, package, entry, text, sizeof(text)) || !strcmp(text, told))
			continue;
		if (options->strict)
			status = reg_fail(error, PTOWSP_UNSUPPORTED, "%.60s: %.32s cannot run %s", path, target, text);
		else
			fprintf(stderr, "ptowsp-pack: warning: %s: %s cannot run %s\n", path, target, text);
		memcpy(told, text, sizeof(told));
	}
	ptowsp_backend_close(backend);
	return status;
}

ptowsp_status pack_targets_meet(const struct pack_options *options, const void *bytes, size_t size, const char *path, struct ptowsp_error *error)
{
	struct ptowsp_package *package;
	ptowsp_status status = ptowsp_package_open_memory(&package, bytes, size, path, 0, error);
	const char *target;

	for (uint32_t i = 0; !status && (target = ptowsp_package_target(package, i)); i++)
		status = target_meets(options, target, package, path, error);
	ptowsp_package_close(package);
	return status;
}
