/* SPDX-License-Identifier: MIT */
/* ptowsp_pack.c - the C ABI of libptowsp-pack.so. */
#include "lang/ptowsp_pack.h"

#include "format/fail.h"
#include "format/format_file.h"
#include "lang/lang.h"
#include "registry/common/common_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ptowsp_pack_result {
	void *bytes; /* owned */
	size_t size;
	char **messages; /* owned, each too */
	uint32_t message_count, error_count;
};

static void line_add(void *text, const char *line)
{
	common_text_put(text, line);
}

static ptowsp_status messages_take(struct ptowsp_pack_result *result, const struct lang_diagnostics *list)
{
	result->messages = calloc((size_t)list->count + 1, sizeof(*result->messages));
	if (!result->messages)
		return PTOWSP_NO_MEMORY;
	result->error_count = list->errors;
	for (uint32_t i = 0; i < list->count; i++) {
		struct common_text text = {0};

		lang_diagnostic_print(&list->rows[i], line_add, &text);
		result->messages[result->message_count++] = text.bytes;
		if (text.failed || !text.bytes)
			return PTOWSP_NO_MEMORY;
	}
	return PTOWSP_OK;
}

static ptowsp_status compile(struct ptowsp_pack_result *result, const struct lang_source *sources, uint32_t count, const struct lang_options *options)
{
	struct pkg_writer *writer = pkg_writer_create();
	struct lang_diagnostics *list = NULL;
	ptowsp_status status = PTOWSP_NO_MEMORY, told = PTOWSP_OK;

	if (writer)
		status = lang_compile(writer, sources, count, options, &list, NULL);
	if (list)
		told = messages_take(result, list);
	if (!status)
		status = told;
	if (!status)
		status = pkg_writer_seal(writer, &result->bytes, &result->size, NULL);
	lang_diagnostics_destroy(list);
	pkg_writer_destroy(writer);
	return status;
}

ptowsp_status ptowsp_pack_sources(const char *const *names, const char *const *texts, const uint64_t *sizes, uint32_t count, const char *name,
				  const char *entry, struct ptowsp_pack_result **result_out)
{
	struct lang_options options = {.name = name, .entry = entry};
	struct lang_source *sources;
	ptowsp_status status;

	if (!result_out)
		return PTOWSP_INVALID;
	*result_out = NULL;
	if (!names || !texts || !count)
		return PTOWSP_INVALID;
	for (uint32_t i = 0; i < count; i++)
		if (!names[i] || !texts[i] || (sizes && sizes[i] > SIZE_MAX))
			return PTOWSP_INVALID;
	sources = calloc(count, sizeof(*sources));
	*result_out = calloc(1, sizeof(**result_out));
	status = sources && *result_out ? PTOWSP_OK : PTOWSP_NO_MEMORY;
	for (uint32_t i = 0; i < count && !status; i++)
		sources[i] = (struct lang_source){names[i], texts[i], sizes ? (size_t)sizes[i] : strlen(texts[i])};
	if (!status)
		status = compile(*result_out, sources, count, &options);
	free(sources);
	return status;
}

/* --- files --- */

/* The paths and folders by which named_read finds a file that a source names. */
struct naming {
	const char *const *paths; /* of the sources */
	struct lang_roots roots;
};

static ptowsp_status named_read(void *context, uint32_t source, const char *file, void **bytes_out, size_t *size_out, struct ptowsp_error *error)
{
	const struct naming *naming = context;

	return lang_named_load(naming->paths[source], file, &naming->roots, bytes_out, size_out, error);
}

static ptowsp_status message_add(struct ptowsp_pack_result *result, const char *path, const char *text)
{
	size_t size = strlen(path) + strlen(text) + sizeof(": error: \n");

	result->messages = calloc(1, sizeof(*result->messages));
	if (!result->messages)
		return PTOWSP_NO_MEMORY;
	*result->messages = malloc(size);
	if (!*result->messages)
		return PTOWSP_NO_MEMORY;
	snprintf(*result->messages, size, "%s: error: %s\n", path, text);
	result->message_count = result->error_count = 1;
	return PTOWSP_OK;
}

static ptowsp_status sources_load(struct ptowsp_pack_result *result, const char *const *paths, uint32_t count, struct lang_source *sources)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};

	for (uint32_t i = 0; i < count; i++) {
		void *text;
		ptowsp_status status = pkg_file_load(paths[i], PKG_FILE_SOURCE, &text, &sources[i].size, &error), told;

		sources[i].name = paths[i];
		sources[i].text = text;
		if (!status)
			continue;
		told = message_add(result, paths[i], error.text);
		return told ? told : status;
	}
	return PTOWSP_OK;
}

ptowsp_status ptowsp_pack_files(const char *const *paths, uint32_t count, const char *name, const char *entry, struct ptowsp_pack_result **result_out)
{
	return ptowsp_pack_files_below(paths, count, name, entry, NULL, 0, result_out);
}

ptowsp_status ptowsp_pack_files_below(const char *const *paths, uint32_t count, const char *name, const char *entry, const char *const *folders,
				      uint32_t folder_count, struct ptowsp_pack_result **result_out)
{
	struct naming naming = {paths, {folders, folder_count}};
	struct lang_options options = {.name = name, .entry = entry, .read = named_read, .context = &naming};
	struct lang_source *sources;
	ptowsp_status status;

	if (!result_out)
		return PTOWSP_INVALID;
	*result_out = NULL;
	if (!paths || !count || (folder_count && !folders))
		return PTOWSP_INVALID;
	for (uint32_t i = 0; i < count; i++)
		if (!paths[i])
			return PTOWSP_INVALID;
	for (uint32_t i = 0; i < folder_count; i++)
		if (!folders[i])
			return PTOWSP_INVALID;
	sources = calloc(count, sizeof(*sources));
	*result_out = calloc(1, sizeof(**result_out));
	status = sources && *result_out ? sources_load(*result_out, paths, count, sources) : PTOWSP_NO_MEMORY;
	if (!status)
		status = compile(*result_out, sources, count, &options);
	for (uint32_t i = 0; sources && i < count; i++)
		free((void *)(uintptr_t)sources[i].text);
	free(sources);
	return status;
}

ptowsp_status lang_pack_refuse(const char *name, const struct ptowsp_error *why, struct ptowsp_pack_result **result_out)
{
	*result_out = calloc(1, sizeof(**result_out));
	return *result_out ? message_add(*result_out, name, why->text) : PTOWSP_NO_MEMORY;
}

ptowsp_status ptowsp_pack_text(const char *name, const char *text, struct ptowsp_pack_result **result_out)
{
	return ptowsp_pack_sources(&name, &text, NULL, 1, NULL, NULL, result_out);
}

void ptowsp_pack_destroy(struct ptowsp_pack_result *result)
{
	if (!result)
		return;
	for (uint32_t i = 0; i < result->message_count; i++)
		free(result->messages[i]);
	free(result->messages);
	free(result->bytes);
	free(result);
}

const void *ptowsp_pack_bytes(const struct ptowsp_pack_result *result)
{
	return result->bytes;
}

uint64_t ptowsp_pack_size(const struct ptowsp_pack_result *result)
{
	return result->size;
}

uint32_t ptowsp_pack_message_count(const struct ptowsp_pack_result *result)
{
	return result->message_count;
}

const char *ptowsp_pack_message(const struct ptowsp_pack_result *result, uint32_t index)
{
	return index < result->message_count ? result->messages[index] : NULL;
}

uint32_t ptowsp_pack_error_count(const struct ptowsp_pack_result *result)
{
	return result->error_count;
}

const char *ptowsp_pack_abi(void)
{
	return PTOWSP_ABI_STRING;
}
