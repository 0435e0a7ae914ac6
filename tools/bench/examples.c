/* SPDX-License-Identifier: MIT */
/* examples.c - every package of a folder: without kernels, tasks per millisecond, at a size of thousands of tasks where it has one to set; and packed, opened, loaded. */
#include "format/format_file.h"
#include "registry/variable.h"
#include "tools/bench/programs.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- examples ------------------------------------------------------------------------------------------------------ */

/* Values beyond the defaults; the script instructions has the same sizes. */
static const struct {
	const char *example, *symbol, *value;
} sizes[] = {
#define X(example, symbol, value) {example, symbol, value},
#include "tools/bench/sizes.def"
#undef X
};

/* An example of two devices has no single program: it is left out. */
static ptowsp_status example_measure(struct bench *bench, const char *path, const char *example)
{
	char name[160], spec[BENCH_PATH];
	const struct bench_program_row rows[] = {
		{.row = {name, "tasks", "tasks", NULL, 0, 0}, .take = bench_program_tasks, .spec = spec},
		{.row = {name, "without kernels", "tasks/ms", NULL, 0, 0}, .take = bench_program_rate},
	};
	int used = snprintf(name, sizeof(name), "%.60s", example), written = snprintf(spec, sizeof(spec), "%.400s --no-kernels", path);

	for (size_t i = 0; !bench->options.small && i < sizeof(sizes) / sizeof(*sizes); i++)
		if (!strcmp(example, sizes[i].example)) {
			used += snprintf(name + used, sizeof(name) - (size_t)used, " %s=%s", sizes[i].symbol, sizes[i].value);
			written += snprintf(spec + written, sizeof(spec) - (size_t)written, " --set=%s=%s", sizes[i].symbol, sizes[i].value);
		}
	return strcmp(example, "two_devices") ? bench_programs_measure(bench, rows, 2) : PTOWSP_OK;
}

ptowsp_status bench_examples(struct bench *bench)
{
	char large[BENCH_PATH];
	ptowsp_status status = bench_packages_walk(bench, bench->options.packages, example_measure);

	snprintf(large, sizeof(large), "%s/large", bench->options.packages);
	if (!status && !access(large, R_OK)) /* these are not built with all others */
		status = bench_packages_walk(bench, large, example_measure);
	return status;
}

/* ---- packages ------------------------------------------------------------------------------------------------------ */

static ptowsp_status pack_ms(void *context, double *value_out, struct ptowsp_error *error)
{
	const uint64_t began = bench_now_ns();
	size_t size;
	void *bytes;
	ptowsp_status status = bench_pack(context, 1, NULL, &bytes, &size, error);

	*value_out = (double)(bench_now_ns() - began) / 1e6;
	free(bytes);
	return status;
}

/* A source that names files, or is not there, cannot be measured. */
static ptowsp_status pack_measure(struct bench *bench, const char *name, const char *path, double most)
{
	struct lang_source source = {.name = name};
	struct bench_way way = {.row = {name, "compile and pack", "ms", NULL, 0, most}, .context = &source};
	void *text = NULL;
	double unused;
	ptowsp_status status;

	if (!pkg_file_load(path, PKG_FILE_SOURCE, &text, &source.size, NULL)) {
		source.text = text;
		way.take = pack_ms(&source, &unused, NULL) ? NULL : pack_ms;
	}
	status = bench_measure(bench, &way, 1);
	free(text);
	return status;
}

/* The sources lie in packages/examples of the tree whose build folder this is. */
static ptowsp_status package_measure(struct bench *bench, const char *path, const char *name)
{
	const struct bench_program_row rows[] = {
		{.row = {name, "open and verify", "ms", NULL, 0, 0}, .take = bench_program_open_ms, .spec = path},
		{.row = {name, "file", "bytes", NULL, 0, 0}, .take = bench_program_file_bytes},
		{.row = {name, "sections handed to a backend", "bytes", NULL, 0, 0}, .take = bench_program_bytes},
		{.row = {name, "load on cpu_sim", "ms", NULL, 0, 0}, .take = bench_program_load_ms},
	};
	char source[BENCH_PATH];
	ptowsp_status status;

	snprintf(source, sizeof(source), "%s/../../packages/examples/%.200s.pto", bench->options.packages, name);
	status = pack_measure(bench, name, source, 0);
	return status ? status : bench_programs_measure(bench, rows, sizeof(rows) / sizeof(*rows));
}

/* Then the layer that the corpus has, where there is one. */
ptowsp_status bench_packages(struct bench *bench)
{
	const char *shared = reg_variable("PTOWSP_SHARED");
	char path[BENCH_PATH];
	ptowsp_status status = bench_packages_walk(bench, bench->options.packages, package_measure);

	snprintf(path, sizeof(path), "%s%s/corpus/pto/llama7b/llama7b_layer.pto", shared ? "" : bench->options.packages, shared ? shared : "/../../../shared");
	return status || access(path, R_OK) ? status : pack_measure(bench, "llama7b_layer of the corpus", path, 50);
}
