/* SPDX-License-Identifier: MIT */
/* print_about.c - what a package says of itself: facts, features that it needs, sample data, the schedule. */
#include "format/format_names.h"
#include "format/json/base64.h"
#include "lang/lang_schedule.h"
#include "print/parts.h"
#include "registry/common/common_dtype.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define LIST_MOST 64u /* elements; more are printed as bytes */

/* --- META, REQS --- */

/* Facts that every package has. */
static bool is_common(const char *key)
{
	static const char *const common[] = {"name", "producer", "wsp_runtime_abi"};

	for (size_t i = 0; i < sizeof(common) / sizeof(*common); i++)
		if (!strcmp(common[i], key))
			return true;
	return false;
}

/* Text in quotes has no quotes in it, no line ends and the like. */
static bool is_quotable(const char *text)
{
	for (; *text; text++)
		if (*text == '"' || (unsigned char)*text < 32 || *text == 127)
			return false;
	return true;
}

static void bytes_add(struct print_text *text, const void *bytes, uint64_t size)
{
	char *encoded = pkg_base64_write(bytes, (size_t)size);

	print_add(text, "base64 \"%s\"", encoded ? encoded : "");
	text->out.failed |= !encoded;
	free(encoded);
}

static void quoted_add(struct print_text *text, const char *quoted)
{
	if (is_quotable(quoted))
		print_add(text, "\"%s\"", quoted);
	else
		bytes_add(text, quoted, strlen(quoted));
}

static void fact_print(const struct print_job *job, struct print_text *text, const struct ptowsp_meta_record *meta)
{
	const char *key = print_string(job, meta->key), *value = print_string(job, meta->value);

	if (is_common(key) || (!strcmp(key, "version") && !*value) || (!strcmp(key, "entry_kind") && !strcmp(value, "task_buffer")))
		return;
	print_add(text, "meta ");
	if (lang_name_is_plain(key))
		print_add(text, "%s", key);
	else
		quoted_add(text, key);
	print_add(text, " ");
	quoted_add(text, value);
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
			print_inexpressible(text, 0, "the need of feature 0x%lx", (unsigned long)r->feature);
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
static bool list_add(struct print_text *text, const uint8_t *bytes, uint64_t count, uint16_t dtype, uint32_t size)
{
	char number[40];

	for (uint64_t i = 0; i < count; i++)
		if (count > LIST_MOST || !print_number(number, widened(element_at(bytes + i * size, size), dtype, size), dtype))
			return false;
	for (uint64_t i = 0; i < count; i++) {
		print_number(number, widened(element_at(bytes + i * size, size), dtype, size), dtype);
		print_add(text, "%s%s", i ? ", " : "[", number);
	}
	print_add(text, "]");
	return count > 0;
}

/* The data go into a file beside the text. */
static ptowsp_status file_add(const struct print_job *job, struct print_text *text, const struct print_data *data, struct ptowsp_error *error)
{
	const char *name;
	ptowsp_status status = job->files->write(job->files->context, data, &name, error);

	if (!status)
		print_add(text, "= \"%s\"", name);
	return status;
}

static void extents_add(struct print_text *text, const struct print_data *data)
{
	for (uint32_t i = 0; data->rank > 1 && i < data->rank; i++)
		print_add(text, "%s%llu%s", i ? ", " : "[", (unsigned long long)data->extents[i], i + 1 == data->rank ? "] " : "");
	print_add(text, "= ");
}

static ptowsp_status data_add(const struct print_job *job, struct print_text *text, const struct print_data *data, struct ptowsp_error *error)
{
	struct print_text list = {0};
	ptowsp_status status = PTOWSP_OK;

	if (list_add(&list, data->bytes, data->size / data->dtype->bytes, data->dtype->code, data->dtype->bytes)) {
		extents_add(text, data);
		print_append(text, &list);
	} else if (job->files) {
		status = file_add(job, text, data, error);
	} else {
		extents_add(text, data);
		bytes_add(text, data->bytes, data->size);
	}
	text->out.failed |= list.out.failed;
	print_text_finish(&list);
	return status;
}

static ptowsp_status sample_print(const struct print_job *job, struct print_text *text, uint32_t row, struct ptowsp_error *error)
{
	const struct ptowsp_sample_record *s = &job->t->sample[row];
	const struct ptowsp_tensor_record *tensor = &job->t->tensor[s->tensor];
	struct print_data data = {.tensor = print_string(job, tensor->name),
				  .dtype = common_dtype(tensor->dtype),
				  .expected = s->role == PTOWSP_SAMPLE_EXPECTED,
				  .rank = s->rank < 4 ? s->rank : 4u,
				  .extents = {s->extent0, s->extent1, s->extent2, s->extent3}};
	ptowsp_status status = PTOWSP_OK;

	if (!lang_name_is_plain(data.tensor) || !data.dtype || !s->size) {
		print_inexpressible(text, 0, "the sample data of \"%.80s\"", data.tensor);
		return status;
	}
	status = pkg_sample_bytes(job->package, row, &data.bytes, &data.size, error);
	if (status)
		return status;
	print_add(text, "sample %%%s %s ", data.tensor, data.expected ? "expected" : "input");
	status = data_add(job, text, &data, error);
	print_end(text);
	return status;
}

ptowsp_status print_samples(const struct print_job *job, struct print_text *text, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; i < job->t->sample_count && !status; i++)
		status = sample_print(job, text, i, error);
	return status;
}

/* ---- the schedule, and what it reads. ---- */

#define DIRECTIVE_TEXT 16384u

static void root_mark(const struct print_job *job, uint8_t *exprs, uint64_t row)
{
	if (row < job->t->expr_count)
		exprs[row] = 1;
}

static void roots_mark(const struct print_job *job, uint8_t *exprs, const struct ptowsp_directive_record *d)
{
	const int64_t arguments[] = {d->a0, d->a1, d->a2, d->a3, d->a4, d->a5, d->a6, d->a7};

	for (unsigned k = 0; k < d->count && k < 8; k++) {
		const unsigned kind = (unsigned)(d->kinds >> (8 * k)) & 0xFF;
		const char *word = kind == PTOWSP_ARGUMENT_WORD ? print_string(job, (uint32_t)arguments[k]) : "";

		if (kind == PTOWSP_ARGUMENT_EXPR)
			root_mark(job, exprs, (uint64_t)arguments[k]);
		for (word = strchr(word, '#'); word; word = strchr(word + 1, '#')) /* policies inside of others are words, in which #row is an expression */
			root_mark(job, exprs, strtoul(word + 1, NULL, 10));
	}
}

/* Operands are earlier rows: one pass from behind. */
int print_schedule_index(struct print_job *job)
{
	uint8_t *exprs = calloc((size_t)job->t->expr_count + 1, 1);
	int done;

	job->index.scheduled = calloc((size_t)job->t->slot_count + 1, 1);
	for (uint32_t i = 0; exprs && i < job->t->directive_count; i++)
		roots_mark(job, exprs, &job->t->directive[i]);
	for (uint32_t i = exprs && job->index.scheduled ? job->t->expr_count : 0; i-- > 0;) {
		const struct ptowsp_expr_record *e = &job->t->expr[i];
		const uint32_t operands[3] = {e->a, e->b, e->c};

		for (unsigned k = 0; k < pkg_expr_operands(e->op); k++)
			exprs[operands[k]] |= exprs[i];
		if (e->op == PTOWSP_EXPR_VALUE)
			job->index.scheduled[e->a] |= exprs[i];
	}
	done = exprs && job->index.scheduled;
	free(exprs);
	return done;
}

static void directive_print(const struct print_job *job, struct print_text *text, uint32_t row)
{
	char *memory = malloc(DIRECTIVE_TEXT);
	struct reg_text directive;

	if (!memory) {
		text->out.failed = 1;
		return;
	}
	reg_text_init(&directive, memory, DIRECTIVE_TEXT);
	if (lang_directive_print(job->t, row, &directive)) {
		print_add(text, "  %s", memory);
		print_end(text);
	} else {
		print_inexpressible(text, 1, "directive %lu of the schedule", (unsigned long)row);
	}
	free(memory);
}

void print_schedule(const struct print_job *job, struct print_text *text)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < job->t->directive_count; i++) {
		if (job->made.directives[i])
			continue;
		if (!count++) {
			print_end(text);
			print_add(text, "schedule {");
			print_end(text);
		}
		directive_print(job, text, i);
	}
	if (count) {
		print_add(text, "}");
		print_end(text);
	}
}
