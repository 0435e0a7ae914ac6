/* SPDX-License-Identifier: MIT */
/* about.c - what a package says of itself: facts, features that it needs, sample data. */
#include "print/parts.h"

#include "format/base64.h"
#include "format/names.h"

#include <stdlib.h>
#include <string.h>

#define LIST_MOST 64u /* elements; more are printed as bytes */

/* --- META, REQS --- */

/* Facts that every package has. */
static int is_common(const char *key)
{
	static const char *const common[] = {"name", "producer", "entry_kind", "wsp_runtime_abi"};

	for (size_t i = 0; i < sizeof(common) / sizeof(*common); i++)
		if (!strcmp(common[i], key))
			return 1;
	return 0;
}

/* What stands in quotes has no quotes in it, and no line ends. */
static int is_quotable(const char *text)
{
	for (; *text; text++)
		if (*text == '"' || *text == '\n' || *text == '\r')
			return 0;
	return 1;
}

static void fact_print(const struct print_job *job, struct print_text *text, const struct ptowsp_meta_record *meta)
{
	const char *key = print_string(job, meta->key), *value = print_string(job, meta->value);

	if (is_common(key) || (!strcmp(key, "version") && !*value))
		return;
	if (!print_is_name(key) || !is_quotable(value)) {
		print_unsaid(text, 0, "the fact \"%.80s\"", key);
		return;
	}
	print_add(text, "meta %s \"%s\"", key, value);
	print_end(text);
}

void print_facts(const struct print_job *job, struct print_text *text)
{
	static const char *const states[] = {"", "diagnosed", "recorded", "enforced"};
	char feature[80];

	for (uint32_t i = 0; i < job->t->meta_count; i++)
		fact_print(job, text, &job->t->meta[i]);
	for (uint32_t i = 0; i < job->t->requirement_count; i++) {
		const struct ptowsp_requirement_record *r = &job->t->requirement[i];
		uint32_t known;

		pkg_feature_text(r->feature, feature, sizeof(feature));
		if (!pkg_feature_find(feature, &known) || known != r->feature || !r->state || r->state > 3) {
			print_unsaid(text, 0, "the need of feature 0x%lx", (unsigned long)r->feature);
			continue;
		}
		print_add(text, "require \"%s\" %s", feature, states[r->state]);
		print_end(text);
	}
}

/* --- TDAT --- */

static uint64_t element_at(const uint8_t *bytes, uint32_t size)
{
	uint64_t value = 0;

	for (uint32_t k = 0; k < size; k++)
		value |= (uint64_t)bytes[k] << (8 * k);
	return value;
}

static uint64_t widened(uint64_t value, uint16_t dtype, uint32_t size)
{
	int is_signed = dtype == PTOWSP_I8 || dtype == PTOWSP_I16 || dtype == PTOWSP_I32;
	unsigned shift = 64 - 8 * size;

	return is_signed ? (uint64_t)((int64_t)(value << shift) >> shift) : value;
}

/* "[1, 2, 3]"; 0 if that is too long, or some element has no number. */
static int list_add(struct print_text *text, const uint8_t *bytes, uint64_t count, uint16_t dtype, uint32_t size)
{
	char number[40];

	for (uint64_t i = 0; i < count; i++)
		if (count > LIST_MOST || !print_number(number, widened(element_at(bytes + i * size, size), dtype, size), dtype) || print_is_spelled(number))
			return 0;
	for (uint64_t i = 0; i < count; i++) {
		print_number(number, widened(element_at(bytes + i * size, size), dtype, size), dtype);
		print_add(text, "%s%s", i ? ", " : "[", number);
	}
	print_add(text, "]");
	return count > 0;
}

static void bytes_add(struct print_text *text, const void *bytes, uint64_t size)
{
	char *encoded = pkg_base64_write(bytes, (size_t)size);

	print_add(text, "base64 \"%s\"", encoded ? encoded : "");
	text->failed |= !encoded;
	free(encoded);
}

static void sample_print(const struct print_job *job, struct print_text *text, uint32_t row)
{
	const struct ptowsp_sample_record *s = &job->t->sample[row];
	const struct ptowsp_tensor_record *tensor = &job->t->tensor[s->tensor];
	const uint64_t extents[] = {s->extent0, s->extent1, s->extent2, s->extent3};
	const char *name = print_string(job, tensor->name);
	uint32_t element = pkg_dtype_bytes(tensor->dtype);
	const void *bytes;
	uint64_t size;

	if (!print_is_name(name) || !s->size || pkg_sample_bytes(job->package, row, &bytes, &size, NULL)) {
		print_unsaid(text, 0, "the sample data of \"%.80s\"", name);
		return;
	}
	print_add(text, "sample %%%s %s ", name, s->role == PTOWSP_SAMPLE_INPUT ? "input" : "expected");
	for (uint32_t i = 0; s->rank > 1 && i < s->rank && i < 4; i++)
		print_add(text, "%s%llu%s", i ? ", " : "[", (unsigned long long)extents[i], i + 1 == s->rank ? "] " : "");
	print_add(text, "= ");
	if (!list_add(text, bytes, size / element, tensor->dtype, element))
		bytes_add(text, bytes, size);
	print_end(text);
}

void print_samples(const struct print_job *job, struct print_text *text)
{
	for (uint32_t i = 0; i < job->t->sample_count; i++)
		sample_print(job, text, i);
}
