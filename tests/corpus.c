/* SPDX-License-Identifier: MIT
 * corpus.c - reads the shared corpus and compiles its sources in process. */
#include "tests/corpus.h"

#include "format/writer.h"
#include "lang/lang.h"
#include "tests/check.h"
#include "tests/draw.h"
#include <stdlib.h>
#include <string.h>

/* ---- tables --------------------------------------------------------------------------------------------------- */

static char *text_read(const char *path)
{
	char *text = NULL;

	if (!strstr(path, ".gz"))
		return check_read(path, NULL);
	return check_run(check_fmt("gzip -dc '%s'", path), &text, NULL) ? free(text), NULL : text;
}

static uint32_t lines_of(const char *text)
{
	uint32_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static void row_split(struct corpus_row *row, char *line)
{
	for (uint32_t c = 0; c < CORPUS_COLUMNS; c++) {
		char *tab = line ? strchr(line, '\t') : NULL;

		row->columns[c] = line ? line : (char *)"";
		if (tab)
			*tab++ = 0;
		line = tab;
	}
}

bool corpus_table_read(struct corpus_table *table_out, const char *path)
{
	char *line;

	*table_out = (struct corpus_table){.text = text_read(path)};
	if (!table_out->text)
		return false;
	table_out->rows = calloc(lines_of(table_out->text) + 1, sizeof(*table_out->rows));
	line = strchr(table_out->text, '\n');
	while (table_out->rows && line && *++line) {
		char *end = strchr(line, '\n');

		if (end)
			*end = 0;
		row_split(&table_out->rows[table_out->count++], line);
		line = end;
	}
	return table_out->rows != NULL;
}

void corpus_table_free(struct corpus_table *table)
{
	free(table->rows);
	free(table->text);
	*table = (struct corpus_table){0};
}

/* ---- programs ------------------------------------------------------------------------------------------------- */

static void *compile(const char *name, const char *text, size_t length, size_t *size_out)
{
	struct lang_source source = {.name = name, .text = text, .size = length};
	struct lang_diagnostics *messages = NULL;
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct pkg_writer *writer = pkg_writer_create();
	void *bytes = NULL;
	ptowsp_status status = lang_compile(writer, &source, 1, NULL, &messages, &error);

	if (!status)
		status = pkg_writer_seal(writer, &bytes, size_out, &error);
	if (status)
		CHECK_FAIL("%s: %s%s%s", name, error.text, messages && messages->count ? "; " : "", messages && messages->count ? messages->rows[0].text : "");
	lang_diagnostics_destroy(messages);
	pkg_writer_destroy(writer);
	return status ? NULL : bytes;
}

struct ptowsp_package *corpus_compile(const char *name, const char *text, size_t size, void **bytes_out)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_package *package = NULL;
	size_t length = 0;

	*bytes_out = compile(name, text, size, &length);
	if (*bytes_out && ptowsp_package_open_memory(&package, *bytes_out, length, name, 0, &error))
		CHECK_FAIL("%s: %s", name, error.text);
	return package;
}

struct ptowsp_package *corpus_package(const char *source)
{
	static struct ptowsp_package *package;
	static void *bytes;
	static char name[256];
	size_t length;
	char *text;

	if (package && !strcmp(name, source))
		return package;
	ptowsp_package_close(package);
	free(bytes);
	package = NULL, bytes = NULL;
	text = check_read(check_fmt("%s/corpus/%s", check_shared(), source), &length);
	if (!text)
		return CHECK_FAIL("cannot read %s", source), NULL;
	package = corpus_compile(source, text, length, &bytes);
	free(text);
	strncpy(name, source, sizeof(name) - 1);
	return package;
}

static const char *const plugins[] = {"cpu_sim", "a2a3sim"};
static unsigned chosen; /* of plugins */

void corpus_plugin(const char *name)
{
	chosen = !strcmp(name, plugins[1]);
	REQUIRE_STR(name, plugins[chosen]);
}

struct ptowsp_backend *corpus_backend(unsigned threads)
{
	static struct ptowsp_backend *opened[2][17];
	struct ptowsp_backend **backends = opened[chosen];
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	const char *dir = check_fmt("%s/lib/ptowsp/plugins", check_build());
	struct ptowsp_backend_options options = {
		.isolate = PTOWSP_ISOLATE_NONE, .plugin = plugins[chosen], .plugin_dirs = &dir, .plugin_dir_count = 1, .threads = threads};

	if (!backends[threads] && ptowsp_backend_open(&backends[threads], &options, &error))
		CHECK_FAIL("%s: %s", plugins[chosen], error.text);
	return backends[threads];
}

static ptowsp_status values_set(struct ptowsp_program *program, const char *values, struct ptowsp_error *error)
{
	char text[512], *at = text, *item;
	ptowsp_status status = PTOWSP_OK;

	strncpy(text, values, sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	while (!status && strcmp(values, "-") && (item = strsep(&at, ","))) {
		char *value = strchr(item, '=');

		if (!value)
			return PTOWSP_INVALID;
		*value++ = 0;
		status = ptowsp_value_set(program, item, value, error);
	}
	return status;
}

struct ptowsp_program *corpus_load(const char *source, const char *entry, const char *const *schedule, uint32_t schedule_count, const char *values,
				   struct ptowsp_plan **plan_out)
{
	struct ptowsp_plan_options options = {.entry = entry, .schedule = schedule, .schedule_count = schedule_count};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_package *package = corpus_package(source);
	struct ptowsp_program *program = NULL;
	ptowsp_status status;

	*plan_out = NULL;
	if (!package || !corpus_backend(2))
		return NULL;
	status = ptowsp_plan_create(plan_out, package, &options, &error);
	if (!status)
		status = ptowsp_program_load(&program, corpus_backend(2), *plan_out, 0, &error);
	if (!status)
		status = values_set(program, values, &error);
	if (!status)
		return program;
	CHECK_FAIL("%s @%s: %s", source, entry, error.text);
	ptowsp_program_unload(program);
	ptowsp_plan_destroy(*plan_out);
	*plan_out = NULL;
	return NULL;
}

/* ---- arrays --------------------------------------------------------------------------------------------------- */

float *corpus_npy(const char *path, uint64_t *elements_out)
{
	size_t size, head;
	char *file = check_read(path, &size);
	float *data = NULL;

	*elements_out = 0;
	if (file && size > 10 && !memcmp(file, "\x93NUMPY\x01", 7)) {
		head = 10 + ((unsigned char)file[8] | (size_t)(unsigned char)file[9] << 8);
		if (head <= size && strstr(file + 10, "'<f4'")) {
			data = malloc(size - head + 1);
			if (data)
				memcpy(data, file + head, size - head);
			*elements_out = (size - head) / sizeof(float);
		}
	}
	free(file);
	return data;
}

float corpus_random(uint64_t seed, uint64_t arg, uint64_t i, double low, double high)
{
	return (float)(low + (high - low) * ((double)(draw_mix(seed << 40 | arg << 32 | i) >> 40) * 0x1p-24));
}
