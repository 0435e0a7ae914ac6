/* SPDX-License-Identifier: MIT */
#include "mutate.h"

#include <stdlib.h>
#include <string.h>

#include "format/schema.h"
#include "ptowsp/tile.h"
#include "ptowsp/workload.h"

uint64_t mutate_number(uint64_t was, uint64_t *d)
{
	static const uint64_t borders[] = {0, 1, 2, 7, 8, 64, 255, 256, 4096, INT16_MAX, UINT16_MAX, INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX};

	switch (draw(d, 8)) {
	case 0:
	case 1: return was + 1;
	case 2: return was - 1;
	case 3: return draw(d, 12);
	case 4: return was ^ UINT64_C(1) << draw(d, 64);
	case 5: return draw(d, 2) ? was * 2 : was / 2;
	case 6: return borders[draw(d, sizeof(borders) / sizeof(*borders))];
	default: return 0 - was;
	}
}

/* ---- one section, whose bytes are its own -------------------------------------------------------------------- */

static uint8_t *row_of(struct pkg_image_section *s, uint64_t *d)
{
	return s->data + draw(d, s->size / s->stride) * s->stride;
}

/* A field gets what it has in another row, or a number. */
static void field_mutate(struct pkg_image_section *s, const struct pkg_schema *schema, uint64_t *d)
{
	uint32_t count;
	const struct pkg_field *fields = pkg_schema_fields(schema, &count), *f = &fields[draw(d, count)];
	uint8_t *row = row_of(s, d);
	uint64_t was;

	if (f->offset + f->bytes > s->stride)
		return;
	was = pkg_field_get(row, f);
	pkg_field_set(row, f, draw(d, 3) ? mutate_number(was, d) : pkg_field_get(row_of(s, d), f));
}

static void rows_mutate(struct pkg_image_section *s, uint64_t *d)
{
	uint8_t *a = row_of(s, d), *b = row_of(s, d), *data;
	uint8_t row[4096];

	if (s->stride > sizeof(row))
		return;
	memcpy(row, a, s->stride);
	switch (draw(d, 4)) {
	case 0: /* swapped */
		memcpy(a, b, s->stride);
		memcpy(b, row, s->stride);
		return;
	case 1: /* over another */ memcpy(b, row, s->stride); return;
	case 2: /* gone */
		memmove(a, a + s->stride, (size_t)(s->data + s->size - a) - s->stride);
		s->size -= s->stride;
		s->count--;
		return;
	default: /* once more, at the end */
		data = realloc(s->data, s->size + s->stride);
		if (!data)
			return;
		memcpy(data + s->size, row, s->stride);
		s->data = data;
		s->size += s->stride;
		s->count++;
	}
}

/* Bytecode and payloads: words of some size at places that are multiples of it, most of the time those of instructions. */
static void words_mutate(struct pkg_image_section *s, uint64_t *d)
{
	static const uint32_t sizes[] = {1, 2, 4, 8};
	uint32_t size = sizes[draw(d, 4)];
	uint64_t words = s->size / size, value = 0, was = 0;
	uint8_t *at;

	if (!words)
		return;
	at = s->data + draw(d, words) * size;
	memcpy(&was, at, size);
	value = mutate_number(was, d);
	if (!draw(d, 2))
		memcpy(&value, s->data + draw(d, words) * size, size);
	memcpy(at, &value, size);
}

/* Two pieces as large as an instruction change places, or one is written over the other. */
static void instructions_mutate(struct pkg_image_section *s, uint64_t *d)
{
	size_t size = s->type == PTOWSP_SECTION_WORK ? sizeof(struct ptowsp_instruction) : sizeof(struct ptowsp_tile_inst);
	size_t head = s->type == PTOWSP_SECTION_WORK ? sizeof(struct ptowsp_workload_header) : sizeof(struct ptowsp_tile_header) % 8;
	uint8_t piece[sizeof(struct ptowsp_tile_inst)], *a, *b;

	if (s->size < head + 2 * size)
		return;
	a = s->data + head + draw(d, (s->size - head - size) / 8 + 1) * 8;
	b = s->data + head + draw(d, (s->size - head - size) / 8 + 1) * 8;
	memcpy(piece, a, size);
	memmove(a, b, size);
	if (draw(d, 2))
		memcpy(b, piece, size);
}

/* What the table of contents says of it. */
static void contents_mutate(struct pkg_image_section *s, uint64_t *d)
{
	switch (draw(d, 4)) {
	case 0: s->count = mutate_number(s->count, d); break;
	case 1: s->stride = (uint32_t)mutate_number(s->stride, d); break;
	case 2: s->flags = (uint32_t)mutate_number(s->flags, d); break;
	default: s->type = (uint32_t)mutate_number(s->type, d);
	}
}

static void section_mutate(struct pkg_image_section *s, uint64_t *d)
{
	const struct pkg_schema *schema = pkg_schema_find(s->type);

	if (!draw(d, 24) || !s->size || !s->stride || s->size < s->stride)
		contents_mutate(s, d);
	else if (schema && schema->fields)
		(draw(d, 5) ? field_mutate(s, schema, d) : rows_mutate(s, d));
	else if ((s->type == PTOWSP_SECTION_WORK || s->type == PTOWSP_SECTION_CODE) && !draw(d, 3))
		instructions_mutate(s, d);
	else
		words_mutate(s, d);
}

/* ---- the image ------------------------------------------------------------------------------------------------ */

/* Sections that are not changed are the subject's. */
struct mutant {
	struct pkg_image image;
	uint8_t owned[PKG_IMAGE_SECTIONS];
};

static struct pkg_image_section *section_own(struct mutant *m, uint32_t i)
{
	struct pkg_image_section *s = &m->image.sections[i];
	uint8_t *copy = m->owned[i] ? s->data : malloc(s->size + 1);

	if (!copy)
		return NULL;
	if (!m->owned[i])
		memcpy(copy, s->data, s->size);
	s->data = copy;
	m->owned[i] = 1;
	return s;
}

static void section_put(struct mutant *m, uint32_t i, const struct pkg_image_section *from)
{
	if (m->owned[i])
		free(m->image.sections[i].data);
	m->owned[i] = 0;
	m->image.sections[i] = *from;
}

/* Sections change places, one is left out, there twice, or one of another package. */
static void order_mutate(struct mutant *m, const struct subject *other, uint64_t *d)
{
	struct pkg_image *image = &m->image;
	uint32_t a = (uint32_t)draw(d, image->section_count), b = (uint32_t)draw(d, image->section_count);
	struct pkg_image_section at = image->sections[a];
	uint8_t owned = m->owned[a];

	switch (draw(d, 4)) {
	case 0:
		image->sections[a] = image->sections[b];
		image->sections[b] = at;
		m->owned[a] = m->owned[b];
		m->owned[b] = owned;
		break;
	case 1:
		image->section_count--;
		if (owned)
			free(at.data);
		image->sections[a] = image->sections[image->section_count];
		m->owned[a] = m->owned[image->section_count];
		m->owned[image->section_count] = 0;
		break;
	case 2:
		if (image->section_count < PKG_IMAGE_SECTIONS && !owned)
			image->sections[image->section_count++] = at;
		break;
	default: section_put(m, a, &other->image.sections[draw(d, other->image.section_count)]);
	}
}

static void header_mutate(struct pkg_image *image, uint64_t *d)
{
	switch (draw(d, 3)) {
	case 0: image->header_flags = (uint32_t)mutate_number(0, d); break;
	case 1: image->format_minor = (uint16_t)mutate_number(image->format_minor, d); break;
	default: image->abi[draw(d, sizeof(image->abi))] ^= (char)(1u << draw(d, 8));
	}
}

ptowsp_status mutate_sections(const struct subject *subject, const struct subject *other, uint64_t *d, void **bytes_out, size_t *size_out,
			      struct ptowsp_error *error)
{
	struct mutant m = {.image = subject->image};
	ptowsp_status status;

	do {
		uint64_t what = draw(d, 64);
		struct pkg_image_section *s;

		if (!what || !m.image.section_count) {
			header_mutate(&m.image, d);
		} else if (what < 4) {
			order_mutate(&m, other, d);
		} else {
			s = section_own(&m, (uint32_t)draw(d, m.image.section_count));
			if (s)
				section_mutate(s, d);
		}
	} while (!draw(d, 3));
	status = pkg_image_seal(&m.image, bytes_out, size_out, error);
	for (uint32_t i = 0; i < m.image.section_count; i++)
		if (m.owned[i])
			free(m.image.sections[i].data);
	return status;
}
