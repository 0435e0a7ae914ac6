/* SPDX-License-Identifier: MIT */
#include "tools/bench/subject.h"

#include "format/format_file.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a program ----------------------------------------------------------------------------------------------------- */

ptowsp_status bench_subject_open(struct bench_subject *s, struct ptowsp_error *error)
{
	ptowsp_status status = s->path ? ptowsp_package_open(&s->package, s->path, 0, error)
				       : ptowsp_package_open_memory(&s->package, s->bytes, s->size, "made" BENCH_PACKAGE, 0, error);

	if (!status)
		status = ptowsp_plan_create(&s->plan, s->package, &s->schedule, error);
	if (!status && !s->shared)
		status = ptowsp_backend_open(&s->backend, &s->on, error);
	return status ? status : ptowsp_program_load(&s->program, s->shared ? s->shared : s->backend, s->plan, s->trust, error);
}

void bench_subject_close(struct bench_subject *s)
{
	ptowsp_program_unload(s->program);
	ptowsp_backend_close(s->backend);
	ptowsp_plan_destroy(s->plan);
	ptowsp_package_close(s->package);
	s->program = NULL;
	s->backend = NULL;
	s->plan = NULL;
	s->package = NULL;
}

ptowsp_status bench_subject_run(struct bench_subject *s, uint32_t flags, bench_clock *clock, double *ns_out, struct ptowsp_error *error)
{
	const struct ptowsp_execute_options options = {.flags = flags};
	ptowsp_status status = ptowsp_prepare(s->program, &options, error);
	const uint64_t began = clock();

	if (!status)
		status = ptowsp_execute(s->program, &options, error);
	*ns_out = (double)(clock() - began);
	return status;
}

/* ---- a package ----------------------------------------------------------------------------------------------------- */

static ptowsp_status named_read(void *context, uint32_t source, const char *file, void **bytes_out, size_t *size_out, struct ptowsp_error *error)
{
	char path[BENCH_PATH];

	(void)source;
	snprintf(path, sizeof(path), "%s/%s", (const char *)context, file);
	return pkg_file_load(path, PKG_FILE_NAMED, bytes_out, size_out, error);
}

ptowsp_status bench_pack(const struct lang_source *sources, uint32_t count, const char *files, void **bytes_out, size_t *size_out, struct ptowsp_error *error)
{
	const struct lang_options options = {.read = files ? named_read : NULL, .context = (void *)(uintptr_t)files};
	struct lang_diagnostics *messages = NULL;
	struct pkg_writer *writer = pkg_writer_create();
	ptowsp_status status = writer ? lang_compile(writer, sources, count, &options, &messages, error) : PTOWSP_NO_MEMORY;

	*bytes_out = NULL;
	if (!status)
		status = pkg_writer_seal(writer, bytes_out, size_out, error);
	lang_diagnostics_destroy(messages);
	pkg_writer_destroy(writer);
	return status;
}

const char *bench_build_path(const struct bench *bench, const char *file, char path[BENCH_PATH])
{
	snprintf(path, BENCH_PATH, "%s/../%s", bench->options.packages, file);
	return path;
}

ptowsp_status bench_shapes_check(struct bench *bench)
{
	char path[BENCH_PATH];

	if (!access(bench_build_path(bench, "obj/tools/bench/shapes", path), R_OK))
		return PTOWSP_OK;
	snprintf(bench->error.text, sizeof(bench->error.text),
		 "its programs are in a built tree alone, and %.40s is no folder of packages in one; give --packages TREE/build/packages",
		 bench->options.packages);
	return PTOWSP_INVALID;
}

static int is_package(const struct dirent *entry)
{
	const size_t length = strlen(entry->d_name), suffix = strlen(BENCH_PACKAGE);

	return length > suffix && !strcmp(entry->d_name + length - suffix, BENCH_PACKAGE);
}

ptowsp_status bench_packages_walk(struct bench *bench, const char *folder, ptowsp_status (*take)(struct bench *bench, const char *path, const char *name))
{
	struct dirent **files = NULL;
	const int count = scandir(folder, &files, is_package, alphasort);
	ptowsp_status status = count > 0 ? PTOWSP_OK : PTOWSP_INVALID;
	char path[BENCH_PATH], name[256];

	if (status)
		snprintf(bench->error.text, sizeof(bench->error.text), "no package in %.120s; give --packages DIR", folder);
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%.3000s/%s", folder, files[i]->d_name);
		snprintf(name, sizeof(name), "%.*s", (int)(strlen(files[i]->d_name) - strlen(BENCH_PACKAGE)), files[i]->d_name);
		if (!status)
			status = take(bench, path, name);
		free(files[i]);
	}
	free(files);
	return status;
}
