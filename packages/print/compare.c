/* SPDX-License-Identifier: MIT */
/* compare.c - does a printed text pack to the package that it was printed from? */
#include "print/print.h"

#include "format/fail.h"
#include "lang/lang.h"

#include <stdlib.h>
#include <string.h>

/* The first section that is not the same, by its four letters. */
static ptowsp_status sections_compare(const struct pkg *a, const struct pkg *b, struct ptowsp_error *error)
{
	struct pkg_content x, y;

	for (uint32_t i = 0;; i++) {
		int in_a = pkg_content(a, i, &x), in_b = pkg_content(b, i, &y);

		if (!in_a && !in_b)
			return pkg_fail(error, PTOWSP_MISMATCH, "the text packs to another digest, for its targets are others");
		if (!in_a || !in_b || x.type != y.type || x.stride != y.stride || memcmp(x.digest, y.digest, 32) != 0)
			return pkg_fail(error, PTOWSP_MISMATCH, "the text packs to another digest: section %.4s differs",
					(const char *)(in_a ? &x.type : &y.type));
	}
}

static ptowsp_status bytes_compare(const struct pkg *package, const void *bytes, size_t size, struct ptowsp_error *error)
{
	struct pkg *again = NULL;
	ptowsp_status st = pkg_open_memory(&again, bytes, size, "the text", NULL, error);

	if (!st && memcmp(pkg_digest(package), pkg_digest(again), 32) != 0)
		st = sections_compare(package, again, error);
	pkg_close(again);
	return st;
}

ptowsp_status print_compare(const struct pkg *package, const char *text, const struct print_files *files, struct ptowsp_error *error)
{
	const struct lang_source source = {"printed.pto", text, strlen(text)};
	const struct lang_options options = {.producer = pkg_meta(package, "producer"), .name = pkg_name(package),
					    .read = files ? files->read : NULL,
					    .context = files ? files->context : NULL};
	struct pkg_writer *writer = pkg_writer_create();
	struct lang_diagnostics *list = NULL;
	void *bytes = NULL;
	size_t size;
	ptowsp_status st;

	if (!writer)
		return pkg_fail(error, PTOWSP_NO_MEMORY, "no memory to pack the printed text");
	st = lang_compile(writer, &source, 1, &options, &list, error);
	if (st && list && list->errors)
		for (uint32_t i = 0; i < list->count; i++)
			if (list->rows[i].severity == LANG_ERROR) {
				pkg_fail(error, st, "the text is refused at line %lu: %.160s", (unsigned long)list->rows[i].line,
					 list->rows[i].text);
				break;
			}
	lang_diagnostics_destroy(list);
	if (!st)
		st = pkg_writer_seal(writer, &bytes, &size, error);
	if (!st)
		st = bytes_compare(package, bytes, size, error);
	pkg_writer_destroy(writer);
	free(bytes);
	return st;
}
