/* SPDX-License-Identifier: MIT */
/* bench_packages.c - what it costs to make, open and load each example package. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "format/package.h"
#include "format/writer.h"
#include "host/ptowsp_host.h"
#include "lang/lang.h"
#include "tools/bench.h"

#define SUFFIX ".pkg.zst"
#define PATH_SIZE 4096

static void row_print(const char *subject, const char *measure, const char *unit, const struct bench_series *series)
{
	struct bench_row row = {.benchmark = "packages", .subject = subject, .measure = measure, .unit = unit, .series = *series};

	bench_table_row(&row);
}

static void one_print(const char *subject, const char *measure, const char *unit, double value)
{
	struct bench_series series = {0};

	bench_series_add(&series, value);
	row_print(subject, measure, unit, &series);
}

static char *file_read(const char *path, size_t *size_out)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	char *text = f && !fstat(fileno(f), &st) ? malloc((size_t)st.st_size + 1) : NULL;

	if (text)
		*size_out = fread(text, 1, (size_t)st.st_size, f);
	if (f)
		fclose(f);
	return text;
}

/* Source to the bytes of a package, in memory. */
static ptowsp_status pack(const char *name, const char *text, size_t size)
{
	struct lang_source source = {name, text, size};
	struct lang_diagnostics *messages = NULL;
	struct pkg_writer *writer = pkg_writer_create();
	void *bytes = NULL;
	size_t length;
	ptowsp_status st = writer ? lang_compile(writer, &source, 1, NULL, &messages, NULL) : PTOWSP_NO_MEMORY;

	if (!st)
		st = pkg_writer_seal(writer, &bytes, &length, NULL);
	free(bytes);
	lang_diagnostics_destroy(messages);
	pkg_writer_destroy(writer);
	return st;
}

/* The sources lie in packages/examples of the tree whose build folder this is; "-" where there is no tree. */
static void pack_measure(const struct bench_options *options, const char *name)
{
	struct bench_series ms = {0};
	char path[PATH_SIZE];
	size_t size = 0;
	char *text;
	ptowsp_status st = PTOWSP_OK;

	snprintf(path, sizeof(path), "%s/../../packages/examples/%s.pto", options->packages, name);
	text = file_read(path, &size);
	for (unsigned r = 0; text && !st && r < options->reps; r++) {
		uint64_t began = bench_now_ns();

		st = pack(name, text, size);
		bench_series_add(&ms, (double)(bench_now_ns() - began) / 1e6);
	}
	free(text);
	if (st)
		ms.count = 0; /* packed from more than this file */
	row_print(name, "compile and pack", "ms", &ms);
}

static uint64_t content_bytes(const struct pkg *package)
{
	uint32_t count;
	const struct ptowsp_section *sections = pkg_sections(package, &count);
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < count; i++)
		bytes += sections[i].count * sections[i].stride;
	return bytes;
}

static ptowsp_status open_measure(const struct bench_options *options, const char *name, const char *path,
				  struct ptowsp_error *error)
{
	struct bench_series ms = {0};
	struct stat file;
	ptowsp_status st = PTOWSP_OK;
	uint64_t bytes = 0;

	for (unsigned r = 0; !st && r < options->reps; r++) {
		uint64_t began = bench_now_ns();
		struct pkg *package = NULL;

		st = pkg_open(&package, path, NULL, error);
		bench_series_add(&ms, (double)(bench_now_ns() - began) / 1e6);
		bytes = st ? 0 : content_bytes(package);
		pkg_close(package);
	}
	if (st)
		return st;
	row_print(name, "open and verify", "ms", &ms);
	if (!stat(path, &file))
		one_print(name, "file", "bytes", (double)file.st_size);
	one_print(name, "sections handed to a backend", "bytes", (double)bytes);
	return st;
}

static ptowsp_status load_measure(const struct bench_options *options, const char *name, const char *path,
				  struct ptowsp_backend *backend, struct ptowsp_error *error)
{
	struct bench_series ms = {0};
	struct ptowsp_package *package = NULL;
	struct ptowsp_plan *plan = NULL;
	ptowsp_status st = ptowsp_package_open(&package, path, 0, error);

	if (!st)
		st = ptowsp_plan_create(&plan, package, NULL, error);
	for (unsigned r = 0; !st && r < options->reps; r++) {
		struct ptowsp_program *program = NULL;

		st = ptowsp_program_load(&program, backend, plan, 0, error);
		if (!st)
			bench_series_add(&ms, ptowsp_compile_ms(program));
		ptowsp_program_unload(program);
	}
	if (!st)
		row_print(name, "load on cpu_sim", "ms", &ms);
	ptowsp_plan_destroy(plan);
	ptowsp_package_close(package);
	return st;
}

static ptowsp_status package_measure(const struct bench_options *options, const char *file, struct ptowsp_backend *backend,
				     struct ptowsp_error *error)
{
	char path[PATH_SIZE], name[256];
	ptowsp_status st;

	snprintf(path, sizeof(path), "%s/%s", options->packages, file);
	snprintf(name, sizeof(name), "%.*s", (int)(strlen(file) - strlen(SUFFIX)), file);
	pack_measure(options, name);
	st = open_measure(options, name, path, error);
	return st ? st : load_measure(options, name, path, backend, error);
}

static int is_package(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name), suffix = strlen(SUFFIX);

	return length > suffix && !strcmp(entry->d_name + length - suffix, SUFFIX);
}

int bench_packages(const struct bench_options *options)
{
	struct ptowsp_backend_options cpu = {.plugin = "cpu_sim", .threads = options->threads};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_backend *backend = NULL;
	struct dirent **files = NULL;
	int count = scandir(options->packages, &files, is_package, alphasort);
	ptowsp_status st = PTOWSP_OK;

	if (count <= 0)
		return fprintf(stderr, "ptowsp-bench packages: no package in %s; give --packages DIR\n", options->packages), 2;
	st = ptowsp_backend_open(&backend, &cpu, &error);
	for (int i = 0; i < count; i++) {
		if (!st)
			st = package_measure(options, files[i]->d_name, backend, &error);
		free(files[i]);
	}
	free(files);
	ptowsp_backend_close(backend);
	if (st)
		fprintf(stderr, "ptowsp-bench packages: %s\n", error.text);
	return st ? 1 : 0;
}
