/* SPDX-License-Identifier: MIT */
#include "ascend/engine/compile.h"

#include "base/kept.h"
#include "rt/program/rt_error.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct isa_text ascend_sources[]; /* made by tools/ninja/embed: ascend_plan.h, adapter.h, orchestration/plan.cpp, orchestration/kernel.c */

/* ---- commands -------------------------------------------------------------------------------------------------------- */

static bool is_clang(const struct base_command *command)
{
	for (uint32_t i = 0; i < command->count; i++)
		if (strstr(command->words[i], "clang"))
			return true;
	return false;
}

/* Folders of headers, as the runtime's own build names them; kernel_compiler.py. */
static const char *const includes[] = {"src/ARCH/runtime/VARIANT/runtime",
				       "src/ARCH/runtime/VARIANT/common",
				       "src/ARCH/runtime/VARIANT/orchestration",
				       "src/ARCH/runtime",
				       "src/common/task_interface",
				       "src/common",
				       "src/ARCH/platform/include",
				       "src/common/platform/include",
				       "src/common/log/include"};

static bool on_host(const struct ascend_which *which)
{
	return !which->onboard || !strcmp(which->variant, ASCEND_HOST_GRAPH);
}

/* Sources beside ours: what binds the runtime, and what the helpers in its headers call. Files that this checkout has not are left out. */
static void sources_add(struct base_command *command, const struct ascend_which *which)
{
	static const char *const files[] = {"src/ARCH/runtime/VARIANT/orchestration/common.cpp",
					    "src/ARCH/runtime/VARIANT/host_orchestration_support/graph_recorder_prewarm.cpp",
					    "src/common/platform/PLATFORM/aicpu/cache_ops.cpp",
					    "src/common/platform/PLATFORM/aicpu/device_time.cpp",
					    "src/common/log/host_log.cpp",
					    "src/common/log/unified_log_host.cpp"};
	char path[ASCEND_PATH];

	for (size_t i = 0; i < (on_host(which) ? 6 : 4); i++)
		if (ascend_path_fill(path, which, files[i]) && !access(path, R_OK))
			base_command_add(command, "%s", path);
}

static void orchestration_command(struct base_command *command, const struct ascend_which *which)
{
	const char *ascend = secure_getenv("ASCEND_HOME_PATH");
	char path[ASCEND_PATH];

	if (on_host(which))
		base_command_begin(command, "CXX", "g++");
	else
		base_command_add(command, "%s/tools/hcc/bin/aarch64-target-linux-gnu-g++", ascend ? ascend : "");
	for (const char *const *flag = (const char *const[]){"-shared", "-fPIC", "-O3", "-std=c++17", "-Wl,--build-id=sha1", NULL}; *flag; flag++)
		base_command_add(command, "%s", *flag);
	if (!is_clang(command))
		base_command_add(command, "-fno-gnu-unique"); /* or dlclose would not unload it */
	if (on_host(which))
		base_command_add(command, "-pthread");
	for (size_t i = 0; i < sizeof(includes) / sizeof(*includes); i++) {
		ascend_path_fill(path, which, includes[i]);
		base_command_add(command, "-I%s", path);
	}
	base_command_add(command, "-I.");
	base_command_add(command, "plan.cpp");
	sources_add(command, which);
	base_command_add(command, "-o");
	base_command_add(command, "orchestration.so");
}

static void kernel_command(struct base_command *command)
{
	base_command_begin(command, "CC", "gcc");
	for (const char *const *flag =
		     (const char *const[]){"-shared", "-fPIC", "-O2", "-std=c11", "-Wl,--build-id=sha1", "-I.", "kernel.c", "-o", "kernel.so", NULL};
	     *flag; flag++)
		base_command_add(command, "%s", *flag);
}

/* ---- what goes into them --------------------------------------------------------------------------------------------- */

/* Headers and sources of the checkout. False: it has no sources. */
static bool digest_sources(struct base_digest *digest, const struct ascend_which *which)
{
	static const char *const folders[] = {"src/ARCH/runtime/VARIANT", "src/ARCH/platform/include", "src/common"};
	char path[ASCEND_PATH];
	bool found = true;

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		ascend_path_fill(path, which, folders[i]);
		found &= base_digest_folder(digest, path) || i > 0;
	}
	return found;
}

/* ---- compiling ------------------------------------------------------------------------------------------------------- */

static ptowsp_status objects_read(struct ascend_objects *objects, bool kernel, struct ptowsp_error *error)
{
	char path[ASCEND_PATH + 32];
	ptowsp_status status;

	snprintf(path, sizeof(path), "%s/orchestration.so", objects->folder);
	status = ascend_file_read(path, &objects->orchestration, &objects->orchestration_size, error);
	snprintf(path, sizeof(path), "%s/kernel.so", objects->folder);
	return status || !kernel ? status : ascend_file_read(path, &objects->kernel, &objects->kernel_size, error);
}

ptowsp_status ascend_objects_of(struct ascend_objects *objects, const struct isa_text *sources, const struct ascend_which *which, const char *cache,
				struct ptowsp_error *error)
{
	struct base_command orchestration = {0}, kernel = {0};
	const struct base_kept_step steps[] = {{"orchestration", " for the pto-runtime", "orchestration.so", &orchestration},
					       {"kernel", " for the pto-runtime", "kernel.so", &kernel}};
	const struct base_kept kept = {cache, "", sources, steps, 2};
	struct base_digest digest;
	ptowsp_status status = PTOWSP_OK;

	*objects = (struct ascend_objects){0};
	orchestration_command(&orchestration, which);
	if (!which->onboard)
		kernel_command(&kernel);
	base_digest_init(&digest);
	if (!digest_sources(&digest, which))
		status = rt_fail(error, PTOWSP_NO_DEVICE, "runtime=%.80s has no src/%s/runtime/%s to compile the orchestration against; name a whole checkout",
				 which->root, which->arch, which->variant);
	if (!status)
		status = base_kept_make(objects->folder, &kept, digest, &objects->compiled, error);
	if (!status)
		status = objects_read(objects, kernel.count, error);
	base_command_finish(&orchestration);
	base_command_finish(&kernel);
	if (status)
		ascend_objects_finish(objects);
	return status;
}

ptowsp_status ascend_objects_make(struct ascend_objects *objects, const struct ascend_which *which, const char *cache, struct ptowsp_error *error)
{
	return ascend_objects_of(objects, ascend_sources, which, cache, error);
}

void ascend_objects_finish(struct ascend_objects *objects)
{
	free(objects->orchestration);
	free(objects->kernel);
	objects->orchestration = objects->kernel = NULL;
}
