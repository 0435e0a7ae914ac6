/* SPDX-License-Identifier: MIT */
#include "mutant_subject.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/fail.h"
#include "format/json/json.h"

#define SAMPLES_MOST 16384u /* bytes of sample data that a mutant may carry */
#define FILE_MOST    (16u << 20)

/* A package is sound without its sample data, too. */
static void samples_drop(struct pkg_image *image)
{
	const struct pkg_image_section *bytes = pkg_image_find(image, PTOWSP_SECTION_TBLB);
	uint32_t kept = 0;

	if (!bytes || bytes->size <= SAMPLES_MOST)
		return;
	for (uint32_t i = 0; i < image->section_count; i++) {
		struct pkg_image_section *s = &image->sections[i];

		if (s->type == PTOWSP_SECTION_TBLB || s->type == PTOWSP_SECTION_TDAT)
			free(s->data);
		else
			image->sections[kept++] = *s;
	}
	image->section_count = kept;
}

static ptowsp_status image_read(struct subject *s, struct ptowsp_error *error)
{
	FILE *file = fopen(s->path, "rb");
	char *bytes = malloc(FILE_MOST);
	size_t size = file && bytes ? fread(bytes, 1, FILE_MOST, file) : 0;
	ptowsp_status status = pkg_image_read(&s->image, bytes, size, s->path, error);

	s->image.level = 1;
	samples_drop(&s->image);
	if (file)
		fclose(file);
	free(bytes);
	return status;
}

static ptowsp_status text_make(struct subject *s, struct ptowsp_error *error)
{
	struct pkg *package = NULL;
	void *bytes;
	size_t size;
	ptowsp_status status = pkg_image_seal(&s->image, &bytes, &size, error);

	if (!status)
		status = pkg_open_memory(&package, bytes, size, s->path, NULL, error);
	if (!status)
		status = pkg_to_json(package, &s->text, error);
	pkg_close(package);
	free(bytes);
	s->length = s->text ? strlen(s->text) : 0;
	return status;
}

/* Length of the number or string that begins at `at`, 0: none does. */
static uint32_t token_length(const char *text, size_t at)
{
	uint32_t n = 0;

	if (text[at] == '"') {
		do
			n += text[at + n] == '\\' ? 2 : 1;
		while (text[at + n] && text[at + n] != '"');
		return n + 1;
	}
	while (isdigit((unsigned char)text[at + n]) || (text[at + n] == '-' && !n))
		n++;
	return n;
}

static ptowsp_status text_cut(struct subject *s, struct ptowsp_error *error)
{
	s->tokens = calloc(s->length + 1, sizeof(*s->tokens));
	s->lines = calloc(s->length + 2, sizeof(*s->lines));
	if (!s->tokens || !s->lines)
		return pkg_fail(error, PTOWSP_NO_MEMORY, "%s: out of memory", s->path);
	for (size_t at = 0; at < s->length;) {
		uint32_t length = token_length(s->text, at);

		if (length)
			s->tokens[s->token_count++] = (struct subject_token){(uint32_t)at, length};
		if (!at || s->text[at - 1] == '\n')
			s->lines[s->line_count++] = (uint32_t)at;
		at += length ? length : 1;
	}
	s->lines[s->line_count] = (uint32_t)s->length;
	return PTOWSP_OK;
}

ptowsp_status subject_read(struct subject *s, const char *path, struct ptowsp_error *error)
{
	uint64_t size = 0;
	ptowsp_status status;

	*s = (struct subject){.path = path};
	pkg_image_init(&s->image);
	status = image_read(s, error);
	if (!status)
		status = text_make(s, error);
	if (!status)
		status = text_cut(s, error);
	for (uint32_t i = 0; i < s->image.section_count; i++)
		size += s->image.sections[i].size;
	s->weight = 65536 / (size + 1024) + 1;
	return status;
}

void subject_finish(struct subject *s)
{
	pkg_image_finish(&s->image);
	free(s->text);
	free(s->tokens);
	free(s->lines);
}

const struct subject *subject_draw(const struct subject *subjects, uint32_t count, uint64_t *d)
{
	uint64_t all = 0, at;

	for (uint32_t i = 0; i < count; i++)
		all += subjects[i].weight;
	at = draw(d, all);
	while (at >= subjects->weight)
		at -= subjects++->weight;
	return subjects;
}
