/* SPDX-License-Identifier: MIT */
/* writer.c - sections growing in memory; sealing them into a file. */
#include "format/writer.h"

#include "format/fail.h"
#include "format/format_package.h"
#include "format/format_seal.h"
#include "format/schema.h"
#include "format/strings.h"
#include "registry/common/common_grow.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct growing {
	uint8_t *bytes; /* owned */
	size_t size, room;
};

struct pkg_writer {
	struct pkg_strings strings;
	struct growing sections[PKG_IMAGE_SECTIONS]; /* by place in pkg_schema_all; the one of STRS stays empty */
	struct pkg_image image;                      /* targets, and the sections while sealing */
	uint8_t *axes;                               /* owned: AXES without the fields that no row uses, NULL where that saves nothing */
	int failed;                                  /* an allocation failed */
};

/* Sections that a reader may leave out: a run needs none of them. */
static const uint32_t optional_types[] = {PTOWSP_SECTION_META, PTOWSP_SECTION_TDAT, PTOWSP_SECTION_TBLB, PTOWSP_SECTION_DBGI, PTOWSP_SECTION_CALL,
					  PTOWSP_SECTION_CARG, PTOWSP_SECTION_KLAY, PTOWSP_SECTION_TMEM, PTOWSP_SECTION_KMEM};

struct pkg_writer *pkg_writer_create(void)
{
	struct pkg_writer *w = calloc(1, sizeof(*w));
	uint32_t offset;

	if (!w)
		return NULL;
	pkg_image_init(&w->image);
	if (!pkg_strings_add(&w->strings, "", &offset)) {
		pkg_writer_destroy(w);
		return NULL;
	}
	return w;
}

void pkg_writer_destroy(struct pkg_writer *w)
{
	if (!w)
		return;
	pkg_strings_finish(&w->strings);
	for (size_t i = 0; i < PKG_IMAGE_SECTIONS; i++)
		free(w->sections[i].bytes);
	free(w->axes);
	pkg_image_finish(&w->image);
	free(w);
}

static const struct pkg_schema *schema_of(uint32_t type)
{
	const struct pkg_schema *schema = pkg_schema_find(type);

	assert(schema);
	return schema;
}

static struct growing *section_of(struct pkg_writer *w, uint32_t type)
{
	uint32_t count;

	return &w->sections[schema_of(type) - pkg_schema_all(&count)];
}

/* Zeroed bytes at the end, or NULL without memory. */
static void *section_extend(struct pkg_writer *w, struct growing *g, size_t padding, size_t size)
{
	if (!COMMON_RESERVE(g->bytes, g->room, g->size + padding + size + 1)) { /* never NULL: a row may be of no bytes */
		w->failed = 1;
		return NULL;
	}
	memset(g->bytes + g->size, 0, padding + size);
	g->size += padding + size;
	return g->bytes + g->size - size;
}

uint32_t pkg_writer_string(struct pkg_writer *w, const char *text)
{
	uint32_t offset;

	if (!pkg_strings_add(&w->strings, text, &offset))
		w->failed = 1;
	return offset;
}

size_t pkg_writer_strings(const struct pkg_writer *w)
{
	return w->strings.size;
}

void pkg_writer_strings_cut(struct pkg_writer *w, size_t size)
{
	pkg_strings_cut(&w->strings, size);
}

const char *pkg_writer_text(const struct pkg_writer *w, uint32_t offset)
{
	assert(offset < w->strings.size);
	return w->strings.bytes + offset;
}

uint32_t pkg_writer_row(struct pkg_writer *w, uint32_t type, const void *record, size_t size)
{
	struct growing *g = section_of(w, type);
	uint32_t row = pkg_writer_count(w, type);
	void *at;

	assert(schema_of(type)->fields && size == schema_of(type)->bytes);
	at = section_extend(w, g, 0, size);
	if (at)
		memcpy(at, record, size);
	return row;
}

uint64_t pkg_writer_bytes(struct pkg_writer *w, uint32_t type, const void *bytes, size_t size, size_t align)
{
	struct growing *g = section_of(w, type);
	size_t padding = align ? (align - g->size % align) % align : 0;
	void *at;

	assert(!schema_of(type)->fields && type != PTOWSP_SECTION_STRS);
	at = section_extend(w, g, padding, size);
	if (at && size)
		memcpy(at, bytes, size);
	return g->size - size;
}

void pkg_writer_replace(struct pkg_writer *w, uint32_t type, const void *bytes, size_t size)
{
	struct growing *g = section_of(w, type);
	void *at;

	assert(type != PTOWSP_SECTION_STRS && size % schema_of(type)->bytes == 0);
	g->size = 0;
	at = section_extend(w, g, 0, size);
	if (at && size)
		memcpy(at, bytes, size);
}

uint32_t pkg_writer_count(const struct pkg_writer *w, uint32_t type)
{
	uint32_t count;
	const struct pkg_schema *schema = schema_of(type);

	return (uint32_t)(w->sections[schema - pkg_schema_all(&count)].size / schema->bytes);
}

void *pkg_writer_at(struct pkg_writer *w, uint32_t type, uint32_t row)
{
	assert(row < pkg_writer_count(w, type));
	return section_of(w, type)->bytes + (size_t)row * schema_of(type)->bytes;
}

void pkg_writer_cut(struct pkg_writer *w, uint32_t type, uint32_t rows)
{
	assert(rows <= pkg_writer_count(w, type));
	section_of(w, type)->size = (size_t)rows * schema_of(type)->bytes;
}

void pkg_writer_meta(struct pkg_writer *w, const char *key, const char *value)
{
	struct ptowsp_meta_record record = {pkg_writer_string(w, key), pkg_writer_string(w, value)};

	pkg_writer_row(w, PTOWSP_SECTION_META, &record, sizeof(record));
}

void pkg_writer_target(struct pkg_writer *w, const char *target)
{
	char *copy = w->image.target_count < PKG_IMAGE_TARGETS ? strdup(target) : NULL;

	if (copy)
		w->image.targets[w->image.target_count++] = copy;
	else
		w->failed = 1;
}

static uint32_t flags_of(uint32_t type)
{
	for (size_t i = 0; i < sizeof(optional_types) / sizeof(optional_types[0]); i++)
		if (optional_types[i] == type)
			return 0;
	return 1;
}

/* Dense axes, which most programs have alone, need half a record; a reader completes it. */
static void axes_shorten(struct pkg_writer *w, struct pkg_image_section *s)
{
	const size_t least = offsetof(struct ptowsp_axis_record, row);
	const struct ptowsp_axis_record *rows = (const void *)s->data;

	for (uint64_t i = 0; i < s->count; i++)
		if (rows[i].row != PTOWSP_NONE || rows[i].lengths != PTOWSP_NONE || rows[i].indices != PTOWSP_NONE || rows[i].first || rows[i].count ||
		    rows[i].reserved2)
			return;
	free(w->axes);
	w->axes = malloc(s->count * least + 1);
	if (!w->axes) {
		w->failed = 1;
		return;
	}
	for (uint64_t i = 0; i < s->count; i++)
		memcpy(w->axes + i * least, &rows[i], least);
	s->data = w->axes;
	s->stride = (uint32_t)least;
	s->size = s->count * least;
}

/* Lends the writer's bytes to the image, in the order of the schema; tables without rows are left out. */
static void image_fill(struct pkg_writer *w)
{
	uint32_t count;
	const struct pkg_schema *schemas = pkg_schema_all(&count);

	w->image.section_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct pkg_image_section s = {schemas[i].type, flags_of(schemas[i].type), schemas[i].bytes, 0, w->sections[i].bytes, w->sections[i].size};

		if (s.type == PTOWSP_SECTION_STRS) {
			s.data = (uint8_t *)w->strings.bytes;
			s.size = w->strings.size;
		}
		s.count = s.size / s.stride;
		if (s.type == PTOWSP_SECTION_AXES && s.size)
			axes_shorten(w, &s);
		if (s.size)
			w->image.sections[w->image.section_count++] = s;
	}
}

void pkg_writer_level(struct pkg_writer *w, int level)
{
	w->image.level = level;
}

ptowsp_status pkg_writer_seal(struct pkg_writer *w, void **bytes_out, size_t *size_out, struct ptowsp_error *error)
{
	struct pkg *package = NULL;
	ptowsp_status status;

	*bytes_out = NULL;
	*size_out = 0;
	if (w->failed)
		return pkg_fail(error, PTOWSP_NO_MEMORY, "out of memory for the package");
	image_fill(w);
	status = w->failed ? pkg_fail(error, PTOWSP_NO_MEMORY, "out of memory for the package") : pkg_image_seal(&w->image, bytes_out, size_out, error);
	w->image.section_count = 0; /* the bytes stay the writer's */
	if (!status)
		status = pkg_open_memory(&package, *bytes_out, *size_out, "new package", NULL, error);
	pkg_close(package);
	if (status) {
		free(*bytes_out);
		*bytes_out = NULL;
		*size_out = 0;
	}
	return status;
}
