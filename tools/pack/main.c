/* SPDX-License-Identifier: MIT */
/* main.c - ptowsp-pack: sources, or the JSON form, to packages. */
#include "tools/pack/pack.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/container.h"
#include "format/format_file.h"
#include "format/json/json.h"
#include "lang/lang.h"
#include "registry/names.h"
#include "registry/text.h"
#include "registry/variable.h"
#include "tools/apart.h"
#include "tools/channels.h"
#include "tools/entries.h"
#include "tools/folder.h"
#include "tools/output.h"
#include "tools/standard.h"
#include "tools/tool.h"

static void print_line(void *context, const char *line)
{
	(void)context;
	fputs(line, stderr);
}

/* The first error, on one line. */
static void error_keep(const struct lang_diagnostic *row, struct pack_counts *counts)
{
	if (row->severity == LANG_ERROR && !counts->error.text[0])
		snprintf(counts->error.text, sizeof(counts->error.text), "%.80s:%u:%u: %.100s", row->file, row->line, row->column, row->text);
}

/* Prints the list and takes it over. */
static void diagnostics_print(struct lang_diagnostics *list, struct pack_counts *counts)
{
	for (uint32_t i = 0; list && i < list->count; i++) {
		lang_diagnostic_print(&list->rows[i], print_line, NULL);
		if (counts)
			error_keep(&list->rows[i], counts);
	}
	if (list && list->dropped)
		fprintf(stderr, "ptowsp-pack: %u more warnings\n", list->dropped);
	if (list && counts) {
		counts->warnings = list->warnings;
		counts->errors = list->errors;
	}
	lang_diagnostics_destroy(list);
}

static ptowsp_status sources_read(const char *const *files, int count, struct lang_source *sources, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	for (int i = 0; i < count && !status; i++) {
		void *text = NULL;

		sources[i].name = files[i];
		status = apart_input(files[i], "the source", error);
		if (!status)
			status = pkg_file_load(files[i], PKG_FILE_SOURCE, &text, &sources[i].size, error);
		sources[i].text = text;
		if (!status && sources[i].size >= PKG_FRAME_HEAD + strlen(PKG_MAGIC) && !memcmp(sources[i].text + PKG_FRAME_HEAD, PKG_MAGIC, strlen(PKG_MAGIC)))
			status = reg_fail(error, PTOWSP_INVALID, "%.160s is a package already, no source; ptowsp-inspect reads it, with --pto as source",
					  files[i]);
	}
	return status;
}

/* The sources and folders by which named_read finds a file that a source names. */
struct naming {
	const char *const *files; /* the sources */
	struct lang_roots roots;
};

static ptowsp_status named_read(void *context, uint32_t source, const char *file, void **bytes_out, size_t *size_out, struct ptowsp_error *error)
{
	const struct naming *naming = context;
	const char *own = naming->files[source], *slash = strrchr(own, '/');
	char *path;
	ptowsp_status status;

	if (asprintf(&path, "%.*s%s", slash && *file != '/' ? (int)(slash + 1 - own) : 0, own, file) < 0)
		return reg_fail(error, PTOWSP_NO_MEMORY, "no memory to read %.160s", file);
	status = apart_input(path, "a file that the source names", error);
	if (!status)
		status = lang_named_load(own, file, &naming->roots, bytes_out, size_out, error);
	free(path);
	return status;
}

/* A package that no run could load is refused here already: an edge to a later task, a wait that nobody signals, a resource too small for one task. A newer opcode is
 * for who knows it. A pipeline that must block is worth a line, under --strict that of the refusal. */
static ptowsp_status package_check(const struct pack_options *options, const void *bytes, size_t size, const char *path, struct ptowsp_error *error)
{
	struct ptowsp_error why = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct pkg *package = NULL;
	ptowsp_status status = pkg_open_memory(&package, bytes, size, path, NULL, error);

	if (!status && entries_verify(package, &why) == PTOWSP_BAD_PACKAGE)
		status = reg_fail(error, PTOWSP_BAD_PACKAGE, "%.100s: %.150s", path, why.text);
	if (!status && options->strict)
		status = channels_refuse(package, path, error);
	else if (!status)
		channels_warn(package, "ptowsp-pack", path);
	if (!status && options->measured)
		status = pack_measured_tell(pkg_tables(package), options->measured, error);
	pkg_close(package);
	return status ? status : pack_targets_meet(options, bytes, size, path, error);
}

/* The path is either what it was or the whole new package. */
static ptowsp_status package_write(const struct pack_options *options, struct pkg_writer *writer, const char *path, struct ptowsp_error *error)
{
	void *bytes;
	size_t size;
	ptowsp_status status = pkg_writer_seal(writer, &bytes, &size, error);

	if (status)
		return status;
	if (pkg_writer_count(writer, PTOWSP_SECTION_ENTR))
		status = package_check(options, bytes, size, path, error);
	if (status) {
		free(bytes);
		return status;
	}
	status = options->sign ? pack_package_sign(options, path, &bytes, &size, error) : PTOWSP_OK;
	output_last();
	if (!status)
		status = output_save(path, NULL, 0, bytes, size, error);
	free(bytes);
	return status;
}

static ptowsp_status writer_finish(const struct pack_options *options, struct pkg_writer *writer, const char *output, struct pack_counts *counts,
				   struct ptowsp_error *error)
{
	ptowsp_status status = pack_extras_add(options, writer, error);

	if (status)
		return status;
	counts->kernels = pkg_writer_count(writer, PTOWSP_SECTION_KREG);
	counts->entries = pkg_writer_count(writer, PTOWSP_SECTION_ENTR);
	if (options->emit)
		return pack_emit_write(options, writer, output, error);
	status = pack_native_add(options, writer, error);
	if (status)
		return status;
	return package_write(options, writer, output, error);
}

int pack_files(const struct pack_options *options, const char *const *files, int file_count, const char *output, struct pack_counts *counts_out)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct naming naming = {files, {options->roots.at, options->roots.count}};
	struct lang_options lang = {.name = options->name,
				    .read = named_read,
				    .context = &naming,
				    .entry = options->entry,
				    .defaults = options->defaults.at,
				    .default_count = options->defaults.count};
	struct lang_source *sources = calloc((size_t)file_count, sizeof(*sources));
	struct pkg_writer *writer = pkg_writer_create();
	struct lang_diagnostics *list = NULL;
	ptowsp_status status = PTOWSP_OK;

	memset(counts_out, 0, sizeof(*counts_out));
	if (!sources || !writer)
		status = reg_fail(&error, PTOWSP_NO_MEMORY, "no memory to compile %.160s", files[0]);
	if (!status)
		status = sources_read(files, file_count, sources, &error);
	if (!status) {
		status = lang_compile(writer, sources, (uint32_t)file_count, &lang, &list, &error);
		diagnostics_print(list, counts_out);
	}
	if (!status && options->strict && counts_out->warnings)
		status = reg_fail(&error, PTOWSP_BAD_PACKAGE, "%.160s: %u warning%s, and --strict refuses them", files[0], counts_out->warnings,
				  counts_out->warnings == 1 ? "" : "s");
	if (!status)
		status = writer_finish(options, writer, output, counts_out, &error);
	for (int i = 0; sources && i < file_count; i++)
		free((void *)(uintptr_t)sources[i].text);
	free(sources);
	pkg_writer_destroy(writer);
	if (!counts_out->error.text[0])
		counts_out->error = error;
	counts_out->error.code = status;
	return status ? tool_complain(&error) : 0;
}

static int pack_json(const struct pack_options *options)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct pkg_writer *writer = pkg_writer_create();
	struct pack_counts counts;
	void *text = NULL;
	size_t size = 0;
	ptowsp_status status = PTOWSP_OK;

	if (!writer)
		status = reg_fail(&error, PTOWSP_NO_MEMORY, "no memory to read %.160s", options->json);
	if (!status)
		status = apart_input(options->json, "the JSON", &error);
	if (!status)
		status = pkg_file_load(options->json, PKG_FILE_TEXT, &text, &size, &error);
	if (!status)
		status = pkg_from_json(writer, text, size, options->json, &error);
	if (!status)
		status = writer_finish(options, writer, options->output, &counts, &error);
	free(text);
	pkg_writer_destroy(writer);
	return status ? tool_complain(&error) : 0;
}

/* Neither half of a key is a place for what it signs. */
static ptowsp_status key_apart(const char *key, struct ptowsp_error *error)
{
	char *public = NULL;
	ptowsp_status status = apart_input(key, "the key", error);

	if (status)
		return status;
	if (asprintf(&public, "%s.pub", key) < 0)
		return reg_fail(error, PTOWSP_NO_MEMORY, "no memory for the name of a key");
	status = apart_input(public, "the public half of the key", error);
	free(public);
	return status;
}

static int options_run(const struct pack_options *o)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct pack_counts counts;
	int code;

	if (o->sign && key_apart(o->sign, &error))
		return tool_complain(&error);
	if (o->make_key)
		return pack_key_make(o->make_key);
	if (o->sign && o->input_count && pack_sign_takes(o->inputs[0]))
		return pack_sign_files(o);
	if (o->emit && o->input_count && pack_sign_takes(o->inputs[0]))
		return pack_emit_package(o);
	if (o->json)
		return pack_json(o);
	if (o->folders)
		return pack_folders(o);
	code = pack_files(o, o->inputs, o->input_count, o->output, &counts);
	return o->lines ? pack_line(o, o->inputs[0], o->output, code, &counts) : code;
}

int main(int argc, char **argv)
{
	struct pack_options options = {0};
	int code;

	standard_begin();
	code = reg_variables_guard() ? pack_options_read(&options, argc, argv) : 1;
	output_abort_on_signals();
	if (code < 0)
		code = options_run(&options);
	pack_options_finish(&options);
	if (code)
		folder_drop_empty();
	return standard_end("ptowsp-pack", code, code ? code : 2);
}
