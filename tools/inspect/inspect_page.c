/* SPDX-License-Identifier: MIT */
/* inspect_page.c - --html: the tables of a package, its bytecode and its source as a page to look at. */
#include "tools/inspect/inspect.h"

#include <stdlib.h>
#include <string.h>

#include "registry/text.h"
#include "tools/html_page.h"
#include "tools/output.h"

/* Text of one way of showing the package. */
static ptowsp_status summary(struct pkg *package, const char *path, FILE *to, struct ptowsp_error *error)
{
	(void)error;
	inspect_summary(package, path, to);
	return PTOWSP_OK;
}

static ptowsp_status listing(struct pkg *package, const char *path, FILE *to, struct ptowsp_error *error)
{
	(void)path;
	return inspect_listing(package, to, error);
}

static ptowsp_status source(struct pkg *package, const char *path, FILE *to, struct ptowsp_error *error)
{
	(void)path;
	return inspect_source(package, to, error);
}

/* Text up to a row that cannot be printed is shown all the same, with the sentence in front. */
static json_t *shown(ptowsp_status (*print)(struct pkg *, const char *, FILE *, struct ptowsp_error *), struct pkg *package, const char *path)
{
	struct ptowsp_error error = {.code = PTOWSP_OK};
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);
	json_t *row = NULL;

	if (!to)
		return NULL;
	error.text[0] = 0;
	print(package, path, to, &error);
	if (!fclose(to))
		row = json_pack("{s:s, s:s}", "text", text, "why", error.text);
	free(text);
	return row;
}

struct place {
	struct pkg *package;
	const char *path;
	bool no_memory;
};
static bool place_fill(void *context, const char *line, FILE *file)
{
	struct place *place = context;
	json_t *root;

	if (strcmp(line, "@package@\n"))
		return false;
	root = json_pack("{s:o, s:o, s:o}", "summary", shown(summary, place->package, place->path), "listing", shown(listing, place->package, place->path),
			 "source", shown(source, place->package, place->path));
	/* no "</script>" can come of it; what cannot be written is the file's error */
	place->no_memory = !root || (json_dumpf(root, file, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_ESCAPE_SLASH) && !ferror(file));
	json_decref(root);
	return true;
}

ptowsp_status inspect_page_save(struct pkg *package, const char *path, const char *out, struct ptowsp_error *error)
{
	struct output output = {.slot = -1};
	struct place place = {package, path, false};
	ptowsp_status status = output_open(&output, out, error);

	if (!status) {
		html_page_print(output.file, inspect_page, place_fill, &place);
		status = place.no_memory ? reg_fail(error, PTOWSP_NO_MEMORY, "no memory for the page") : output_finish(&output, error);
	}
	if (!status)
		status = output_publish(&output, error);
	output_drop(&output);
	return status;
}
