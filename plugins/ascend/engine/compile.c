/* SPDX-License-Identifier: MIT */
#include "ascend/engine/compile.h"

#include "base/cache.h"
#include "base/command.h"
#include "base/digest.h"
#include "isa/emit/emit.h"
#include "rt/program/rt_error.h"
#include <errno.h>
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

static void digest_command(struct base_digest *digest, const struct base_command *command)
{
	for (uint32_t i = 0; i < command->count; i++)
		base_digest_add(digest, command->words[i], strlen(command->words[i]) + 1);
}

/* Headers and sources of the checkout, and ours. False: the checkout has no sources. */
static bool digest_sources(struct base_digest *digest, const struct ascend_which *which)
{
	static const char *const folders[] = {"src/ARCH/runtime/VARIANT", "src/ARCH/platform/include", "src/common"};
	char path[ASCEND_PATH];
	bool found = true;

	for (const struct isa_text *text = ascend_sources; text->path; text++)
		for (const char *const *line = text->lines; *line; line++)
			base_digest_add(digest, *line, strlen(*line));
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		ascend_path_fill(path, which, folders[i]);
		found &= base_digest_folder(digest, path) || i > 0;
	}
	return found;
}

/* ---- folders --------------------------------------------------------------------------------------------------------- */

static ptowsp_status sources_write(const char *folder, struct ptowsp_error *error)
{
	char path[2 * ASCEND_PATH];
	bool written = true;

	for (const struct isa_text *text = ascend_sources; text->path; text++) {
		const char *name = strrchr(text->path, '/');
		FILE *file;

		snprintf(path, sizeof(path), "%s/%s", folder, name ? name + 1 : text->path);
		file = fopen(path, "w");
		for (const char *const *line = text->lines; file && *line; line++)
			written &= fputs(*line, file) >= 0;
		written &= file && !fclose(file);
	}
	return written ? PTOWSP_OK : rt_fail(error, PTOWSP_IO, "%.120s cannot be written: %s; name another folder with cache=DIR", folder, strerror(errno));
}

/* ---- compiling ------------------------------------------------------------------------------------------------------- */

static ptowsp_status object_compile(const struct base_command *command, const char *folder, const char *what, struct ptowsp_error *error)
{
	return base_command_compile(command, folder, what, " for the pto-runtime", error);
}

static ptowsp_status objects_compile(const struct base_command *orchestration, const struct base_command *kernel, const char *folder,
				     struct ptowsp_error *error)
{
	ptowsp_status status = sources_write(folder, error);

	if (!status)
		status = object_compile(orchestration, folder, "orchestration", error);
	return status || !kernel->count ? status : object_compile(kernel, folder, "kernel", error);
}

static ptowsp_status objects_read(struct ascend_objects *objects, bool kernel, struct ptowsp_error *error)
{
	char path[ASCEND_PATH + 32];
	ptowsp_status status;

	snprintf(path, sizeof(path), "%s/orchestration.so", objects->folder);
	status = ascend_file_read(path, &objects->orchestration, &objects->orchestration_size, error);
	snprintf(path, sizeof(path), "%s/kernel.so", objects->folder);
	return status || !kernel ? status : ascend_file_read(path, &objects->kernel, &objects->kernel_size, error);
}

/* Files of one folder, and the folder. */
static void folder_remove(const char *folder)
{
	static const char *const names[] = {"ascend_plan.h",    "adapter.h", "plan.cpp",          "kernel.c",
					    "orchestration.so", "kernel.so", "orchestration.log", "kernel.log"};
	char path[ASCEND_PATH + 32];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		unlink(path);
	}
	rmdir(folder);
}

/* In a folder of its own, which then becomes the one that is kept; a second build uses the first one's. A failed one stays, to be looked at. */
static ptowsp_status kept_make(struct ascend_objects *objects, const struct base_command *orchestration, const struct base_command *kernel,
			       struct ptowsp_error *error)
{
	char folder[ASCEND_PATH + 8];
	ptowsp_status status;

	snprintf(folder, sizeof(folder), "%s.XXXXXX", objects->folder);
	if (!mkdtemp(folder))
		return rt_fail(error, PTOWSP_IO, "%.120s cannot be made: %s; name another folder with cache=DIR", folder, strerror(errno));
	status = objects_compile(orchestration, kernel, folder, error);
	objects->compiled = !status;
	if (!status && rename(folder, objects->folder))
		folder_remove(folder);
	return status;
}

ptowsp_status ascend_objects_make(struct ascend_objects *objects, const struct ascend_which *which, const char *cache, struct ptowsp_error *error)
{
	struct base_command orchestration = {0}, kernel = {0};
	struct base_digest digest;
	char path[BASE_CACHE_PATH + 1];
	ptowsp_status status;

	*objects = (struct ascend_objects){0};
	orchestration_command(&orchestration, which);
	if (!which->onboard)
		kernel_command(&kernel);
	base_digest_init(&digest);
	digest_command(&digest, &orchestration);
	digest_command(&digest, &kernel);
	status = base_cache_find(path, cache, error);
	if (!status && !digest_sources(&digest, which))
		status = rt_fail(error, PTOWSP_NO_DEVICE, "runtime=%.80s has no src/%s/runtime/%s to compile the orchestration against; name a whole checkout",
				 which->root, which->arch, which->variant);
	snprintf(objects->folder, sizeof(objects->folder), "%.*s/%016llx%016llx", BASE_CACHE_PATH, path, (unsigned long long)digest.words[0],
		 (unsigned long long)digest.words[1]);
	if (!status && access(objects->folder, R_OK | X_OK))
		status = kept_make(objects, &orchestration, &kernel, error);
	if (!status)
		status = objects_read(objects, kernel.count, error);
	base_command_finish(&orchestration);
	base_command_finish(&kernel);
	if (status)
		ascend_objects_finish(objects);
	return status;
}

void ascend_objects_finish(struct ascend_objects *objects)
{
	free(objects->orchestration);
	free(objects->kernel);
	objects->orchestration = objects->kernel = NULL;
}
