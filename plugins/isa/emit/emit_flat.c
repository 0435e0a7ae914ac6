/* SPDX-License-Identifier: MIT */
/* emit_flat.c - emitted sources with their headers in them. */
#include "isa/emit/emit_state.h"

#include <string.h>

/* The path between the quotes of a line that includes one; its length, 0: the line does something else. */
static size_t included(const char *line, const char **path_out)
{
	static const char word[] = "#include \"";

	*path_out = line + sizeof(word) - 1;
	return strncmp(line, word, sizeof(word) - 1) ? 0 : strcspn(*path_out, "\"");
}

/* As compilers look for it: beside the file that includes it, then from the top. NULL: it is none of these. */
static const struct isa_text *header_find(const char *from, const char *path, size_t length)
{
	const char *slash = from ? strrchr(from, '/') : NULL;
	const size_t beside = slash ? (size_t)(slash + 1 - from) : 0;
	const struct isa_text *found = NULL;

	for (const struct isa_text *h = isa_emit_headers; h->path; h++) {
		if (beside && !strncmp(h->path, from, beside) && strlen(h->path) == beside + length && !strncmp(h->path + beside, path, length))
			return h;
		if (strlen(h->path) == length && !strncmp(h->path, path, length))
			found = h;
	}
	return found;
}

static void text_add(struct common_text *flat, const struct isa_text *header);

static void line_add(struct common_text *flat, const char *from, const char *line)
{
	const char *path;
	const size_t length = included(line, &path);
	const struct isa_text *header = length ? header_find(from, path, length) : NULL;

	if (header)
		text_add(flat, header);
	else
		common_text_bytes(flat, line, strcspn(line, "\n") + 1);
}

/* A guard keeps the header from being there twice; tables have none. */
static void text_add(struct common_text *flat, const struct isa_text *header)
{
	for (const char *const *line = header->lines; *line; line++)
		line_add(flat, header->path, *line);
}

ptowsp_status isa_emit_flat(const char *source, char **flat_out, size_t *size_out, struct ptowsp_error *error)
{
	struct common_text flat = {.failed = false};

	for (const char *line = source; *line; line += strcspn(line, "\n") + (strchr(line, '\n') != NULL))
		line_add(&flat, NULL, line);
	*flat_out = NULL;
	*size_out = 0;
	if (flat.failed) {
		common_text_finish(&flat);
		return isa_error(error, PTOWSP_NO_MEMORY, "no memory to write a program");
	}
	*flat_out = flat.bytes;
	*size_out = flat.length;
	return PTOWSP_OK;
}
