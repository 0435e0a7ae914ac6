/* SPDX-License-Identifier: MIT */
/* packages.c - what it costs to make, open and load each example package, one of 100 KB, and the layer of the corpus. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "format/format_package.h"
#include "format/writer.h"
#include "host/ptowsp_host.h"
#include "lang/lang.h"
#include "registry/variable.h"
#include "tools/bench/bench.h"

#define SUFFIX ".pkg.zst"
#define PATH_SIZE 4096
#define PACK_MOST 50   /* ms, of the corpus's layer */
#define READY_MOST 2   /* ms, of a package of 100 KB */
#define LARGE 100000   /* bytes that count as such */

static void row_print_most(const char *subject, const char *measure, const char *unit, const struct bench_series *series, double most)
{
	struct bench_row row = {.benchmark = "packages", .subject = subject, .measure = measure, .unit = unit, .series = *series, .most = most};

	bench_table_row(&row);
}

static void row_print(const char *subject, const char *measure, const char *unit, const struct bench_series *series)
{
	row_print_most(subject, measure, unit, series, 0);
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

/* Source to the bytes of a package, in memory, to be freed. */
static ptowsp_status pack(const char *name, const char *text, size_t size, void **bytes_out, size_t *length_out)
{
	struct lang_source source = {name, text, size};
	struct lang_diagnostics *messages = NULL;
	struct pkg_writer *writer = pkg_writer_create();
	ptowsp_status st = writer ? lang_compile(writer, &source, 1, NULL, &messages, NULL) : PTOWSP_NO_MEMORY;

	*bytes_out = NULL;
	if (!st)
		st = pkg_writer_seal(writer, bytes_out, length_out, NULL);
	lang_diagnostics_destroy(messages);
	pkg_writer_destroy(writer);
	return st;
}

static void pack_measure(const struct bench_options *options, const char *subject, const char *path, double most)
{
	struct bench_series ms = {0};
	size_t size = 0, length;
	char *text = file_read(path, &size);
	ptowsp_status st = PTOWSP_OK;

	for (unsigned r = 0; text && !st && r < options->reps; r++) {
		uint64_t began = bench_now_ns();
		void *bytes;

		st = pack(subject, text, size, &bytes, &length);
		bench_series_add(&ms, (double)(bench_now_ns() - began) / 1e6);
		free(bytes);
	}
	free(text);
	if (st)
		ms.count = 0; /* packed from more than this file */
	row_print_most(subject, "compile and pack", "ms", &ms, most);
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
	char path[PATH_SIZE], source[PATH_SIZE], name[256];
	ptowsp_status st;

	snprintf(path, sizeof(path), "%s/%s", options->packages, file);
	snprintf(name, sizeof(name), "%.*s", (int)(strlen(file) - strlen(SUFFIX)), file);
	/* The sources lie in packages/examples of the tree whose build folder this is; "-" where there is no tree. */
	snprintf(source, sizeof(source), "%s/../../packages/examples/%s.pto", options->packages, name);
	pack_measure(options, name, source, 0);
	st = open_measure(options, name, path, error);
	return st ? st : load_measure(options, name, path, backend, error);
}

/* The layer that the corpus has, where there is one. */
static void corpus_measure(const struct bench_options *options)
{
	const char *shared = reg_variable("PTOWSP_SHARED");
	char path[PATH_SIZE];

	if (shared)
		snprintf(path, sizeof(path), "%s/corpus/pto/llama7b/llama7b_layer.pto", shared);
	else
		snprintf(path, sizeof(path), "%s/../../../shared/corpus/pto/llama7b/llama7b_layer.pto", options->packages);
	if (!access(path, R_OK))
		pack_measure(options, "llama7b_layer of the corpus", path, PACK_MOST);
}

/* Kernels of different shapes with constants that no compressor can guess, and a program that runs each of them. */
static char *large_source(unsigned kernels, size_t *size_out)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, size_out);
	uint32_t random = 1;

	for (unsigned k = 0; f && k < kernels; k++) {
		const unsigned rows = 1 + k % 32, columns = 8 + k % 61;

		fprintf(f, "func @kernel_%u(%%input: !pto.memref<gm,...,f32>, %%output: !pto.memref<gm,...,f32>) {\n"
			   "  %%x = alloc_tile : !pto.tile<%ux%uxf32>\n  %%y = alloc_tile : !pto.tile<%ux%uxf32>\n  %%x = tload %%input[0, 0]\n", k, rows, columns, rows,
			columns);
		for (unsigned i = 0; i < 16; i++) {
			random = random * 1664525u + 1013904223u;
			fprintf(f, "  %%y = tmuls %%x, %%%u.%05u\n  %%x = tadd %%x, %%y\n", random >> 29, (random >> 8) % 100000);
		}
		fprintf(f, "  tstore %%x, %%output[0, 0]\n  return\n}\n");
	}
	if (f)
		fprintf(f, "// Function Type: Orchestration\nfunc @main(%%from: !pto.memref<gm,...,f32>, %%to: !pto.memref<gm,...,f32>) {\n");
	for (unsigned k = 0; f && k < kernels; k++)
		fprintf(f, "  CALL @kernel_%u(%%input -> %%from, %%output -> %%to)\n", k);
	if (!f || fprintf(f, "  return\n}\n") < 0 || fclose(f)) {
		free(text);
		text = NULL;
	}
	return text;
}

/* A file of at least `least` bytes. */
static ptowsp_status large_make(unsigned kernels, size_t least, char *path, size_t path_size)
{
	const char *folder = reg_variable("TMPDIR");
	void *bytes = NULL;
	size_t length = 0, size;
	ptowsp_status st = PTOWSP_OK;
	int file;

	for (; !st && length < least; kernels += kernels / 8) {
		char *text = large_source(kernels, &size);

		free(bytes);
		bytes = NULL;
		st = text ? pack("made.pto", text, size, &bytes, &length) : PTOWSP_NO_MEMORY;
		free(text);
	}
	if ((size_t)snprintf(path, path_size, "%s/ptowsp-bench-XXXXXX", folder && *folder ? folder : "/tmp") >= path_size)
		st = st ? st : PTOWSP_IO;
	file = st ? -1 : mkstemp(path);
	if (!st && (file < 0 || write(file, bytes, length) != (ssize_t)length))
		st = PTOWSP_IO;
	if (file >= 0)
		close(file);
	free(bytes);
	return st;
}

/* From the path to a program that can be executed. */
static ptowsp_status ready_once(const char *path, struct ptowsp_backend *backend, double *ms_out, struct ptowsp_error *error)
{
	const uint64_t began = bench_now_ns();
	struct ptowsp_package *package = NULL;
	struct ptowsp_plan *plan = NULL;
	struct ptowsp_program *program = NULL;
	ptowsp_status st = ptowsp_package_open(&package, path, 0, error);

	if (!st)
		st = ptowsp_plan_create(&plan, package, NULL, error);
	if (!st)
		st = ptowsp_program_load(&program, backend, plan, 0, error);
	*ms_out = (double)(bench_now_ns() - began) / 1e6;
	ptowsp_program_unload(program);
	ptowsp_plan_destroy(plan);
	ptowsp_package_close(package);
	return st;
}

/* 100 KB of sections, or a file of 100 KB, which has seven times as much in it. */
static ptowsp_status large_measure(const struct bench_options *options, const char *subject, unsigned kernels, size_t least,
				   struct ptowsp_backend *backend, struct ptowsp_error *error)
{
	struct bench_series ms = {0};
	char path[PATH_SIZE];
	ptowsp_status st = large_make(kernels, least, path, sizeof(path));
	double value;

	if (st == PTOWSP_IO)
		snprintf(error->text, sizeof(error->text), "%.120s cannot be written: %.60s", path, strerror(errno));
	if (st)
		return st;
	st = open_measure(options, subject, path, error);
	for (unsigned r = 0; !st && r < options->reps; r++) {
		st = ready_once(path, backend, &value, error);
		if (!st)
			bench_series_add(&ms, value);
	}
	if (!st)
		row_print_most(subject, "from file to ready on cpu_sim", "ms", &ms, READY_MOST);
	unlink(path);
	return st;
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
	corpus_measure(options);
	if (!st)
		st = large_measure(options, "62 kernels, 100 KB of sections", 62, 1, backend, &error);
	if (!st)
		st = large_measure(options, "460 kernels, a file of 100 KB", 460, LARGE, backend, &error);
	ptowsp_backend_close(backend);
	if (st)
		fprintf(stderr, "ptowsp-bench packages: %s\n", error.text);
	return st ? 1 : 0;
}
