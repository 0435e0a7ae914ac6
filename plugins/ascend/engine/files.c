/* SPDX-License-Identifier: MIT */
#include "ascend/engine/files.h"

#include "rt/program/rt_error.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *word_of(const struct ascend_which *which, const char *word, size_t length)
{
	if (length == 4 && !strncmp(word, "ARCH", length))
		return which->arch;
	if (length == 7 && !strncmp(word, "VARIANT", length))
		return which->variant;
	if (length == 8 && !strncmp(word, "PLATFORM", length))
		return which->onboard ? "onboard" : "sim";
	return NULL;
}

bool ascend_path_fill(char *path, const struct ascend_which *which, const char *template)
{
	int used = snprintf(path, ASCEND_PATH, "%s", which->root);

	for (const char *at = template; *at && used < ASCEND_PATH;) {
		size_t length = strcspn(at, "/");
		const char *word = word_of(which, at, length);

		used += snprintf(path + used, ASCEND_PATH - (size_t)used, "/%.*s", (int)(word ? strlen(word) : length), word ? word : at);
		at += length + (at[length] == '/');
	}
	return used < ASCEND_PATH;
}

static ptowsp_status path_find(char *path, const struct ascend_which *which, const char *template, struct ptowsp_error *error)
{
	if (!ascend_path_fill(path, which, template))
		return rt_fail(error, PTOWSP_INVALID, "runtime=DIR: the path is longer than %d bytes; use a shorter one", ASCEND_PATH - 200);
	if (!access(path, R_OK))
		return PTOWSP_OK;
	return rt_fail(error, PTOWSP_NO_DEVICE, "engine=pto-runtime needs %.100s below runtime=DIR: %s; build the runtime there",
		       path + strlen(which->root) + 1, strerror(errno));
}

static ptowsp_status variant_check(const struct ascend_which *which, struct ptowsp_error *error)
{
	if (!strcmp(which->variant, ASCEND_HOST_GRAPH) || !strcmp(which->variant, ASCEND_TASK_BUFFER))
		return PTOWSP_OK;
	return rt_fail(error, PTOWSP_INVALID, "variant=%.40s: there are %s and %s", which->variant, ASCEND_HOST_GRAPH, ASCEND_TASK_BUFFER);
}

ptowsp_status ascend_files_find(struct ascend_files *files, const struct ascend_which *which, struct ptowsp_error *error)
{
	ptowsp_status status = variant_check(which, error);

	*files = (struct ascend_files){0};
	if (!status && access(which->root, R_OK | X_OK))
		status = rt_fail(error, PTOWSP_NO_DEVICE, "engine=pto-runtime: runtime=%.80s cannot be opened: %s; name the folder of a pto-runtime",
				 which->root, strerror(errno));
	if (!status)
		status = path_find(files->host, which, "build/lib/ARCH/PLATFORM/VARIANT/libhost_runtime.so", error);
	if (!status)
		status = path_find(files->aicpu, which, "build/lib/ARCH/PLATFORM/VARIANT/libaicpu_kernel.so", error);
	if (!status && which->onboard)
		status = path_find(files->aicore, which, "build/lib/ARCH/PLATFORM/VARIANT/aicore_kernel.o", error);
	else if (!status)
		status = path_find(files->aicore, which, "build/lib/ARCH/PLATFORM/VARIANT/libaicore_kernel.so", error);
	if (!status && which->onboard)
		return path_find(files->dispatcher, which, "build/lib/ARCH/dispatcher/libsimpler_aicpu_dispatcher.so", error);
	return status ? status : path_find(files->context, which, "build/lib/libcpu_sim_context.so", error);
}

static ptowsp_status unreadable(const char *path, struct ptowsp_error *error)
{
	return rt_fail(error, PTOWSP_IO, "%.120s cannot be read: %s", path, strerror(errno ? errno : EIO));
}

ptowsp_status ascend_file_read(const char *path, void **bytes_out, size_t *size_out, struct ptowsp_error *error)
{
	struct stat about;
	ptowsp_status status = PTOWSP_OK;
	FILE *file;

	*bytes_out = NULL;
	*size_out = 0;
	errno = 0; /* a path that is no file, and one that has become shorter, set none */
	file = fopen(path, "rb");
	if (!file || fstat(fileno(file), &about) || !S_ISREG(about.st_mode))
		status = unreadable(path, error);
	if (!status && !(*bytes_out = malloc((size_t)about.st_size + 1)))
		status = rt_no_memory(error, "a file of the runtime");
	if (!status && fread(*bytes_out, 1, (size_t)about.st_size, file) != (size_t)about.st_size)
		status = unreadable(path, error);
	if (file)
		fclose(file);
	if (status) {
		free(*bytes_out);
		*bytes_out = NULL;
		return status;
	}
	((char *)*bytes_out)[about.st_size] = 0;
	*size_out = (size_t)about.st_size;
	return PTOWSP_OK;
}
