/* SPDX-License-Identifier: MIT */
/* lang_bytes.c - bytes that a source names: a file beside it, or base64 text. */
#include "lang/lang_bytes.h"

#include "format/base64.h"
#include "lang/decl.h"

#include <stdlib.h>
#include <string.h>

void *lang_base64_read(struct lang_module *module, const char *text, struct lang_span at, size_t *size_out)
{
	size_t size, wrong;
	uint8_t *bytes = pkg_base64_read(text, strlen(text), &size, &wrong);
	void *copy = bytes && size != SIZE_MAX && size ? lang_alloc(&module->unit->arena, size) : NULL;

	if (copy)
		memcpy(copy, bytes, size);
	free(bytes);
	if (!copy)
		lang_error(module->unit, at, "these are no bytes in base64");
	*size_out = copy ? size : 0;
	return copy;
}

void *lang_file_read(struct lang_module *module, const char *file, struct lang_span at, uint64_t most, size_t *size_out)
{
	const struct lang_options *options = module->options;
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	void *bytes = NULL, *copy;
	size_t size = 0;

	*size_out = 0;
	if (!options->read) {
		lang_error(module->unit, at, "the file \"%.80s\" cannot be read: this packer was given texts, not a folder", file);
		return NULL;
	}
	if (options->read(options->context, at.file, file, &bytes, &size, &error)) {
		free(bytes);
		lang_error(module->unit, at, "%.200s", error.text);
		return NULL;
	}
	copy = size && size <= most ? lang_alloc(&module->unit->arena, size) : NULL;
	if (copy)
		memcpy(copy, bytes, size);
	free(bytes);
	*size_out = size;
	return copy;
}
