/* SPDX-License-Identifier: MIT */
/* about.c - meta, require and samples: parsed, and their rows of META, REQS and TDAT. */
#include "lang/about.h"
#include "format/format_names.h"
#include "lang/decl.h"
#include "lang/diag.h"
#include "lang/lower/lang_lower.h"
#include "lang/number.h"
#include "lang/parse/parse.h"
#include "lang/tensor.h"
#include "registry/common/common_dtype.h"
#include "registry/npy.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define META_KEY_BYTES 127u

/* --- meta --- */

/* "text", or base64 "..." of one that cannot stand in quotes. NULL after an error. */
static const struct lang_token *quoted_take(struct lang_parser *parser, const char *what)
{
	int encoded = lang_word_take(parser, "base64");
	const struct lang_token *token = lang_name_take(parser, LANG_STRING, encoded ? "the text's bytes in quotes" : what);
	struct lang_token *read;
	size_t size;
	char *text;

	if (!token || !encoded)
		return token;
	text = lang_base64_read(parser->module, token->text, token->at, &size);
	if (!text)
		return NULL;
	read = common_alloc(&parser->unit->arena, sizeof(*read));
	*read = *token;
	read->text = common_copy(&parser->unit->arena, text, size);
	if (strlen(read->text) == size && lang_is_clean(read->text))
		return read;
	lang_error(parser->unit, token->at, "these bytes are no text: UTF-8 without control characters but tab and newline");
	return NULL;
}

/* The name of the fact: a word, a text, or base64 "..." with another text behind it. */
static const struct lang_token *key_take(struct lang_parser *parser)
{
	const struct lang_token *token = lang_peek(parser);
	int encoded = lang_at_word(parser, "base64") && token[1].kind == LANG_STRING && !token[2].first &&
		      (token[2].kind == LANG_STRING || (token[2].kind == LANG_WORD && !strcmp(token[2].text, "base64")));
	const struct lang_token *key;

	if (!encoded && token->kind != LANG_STRING)
		return lang_name_take(parser, LANG_WORD, "what the fact is called, such as license");
	key = quoted_take(parser, "what the fact is called");
	if (!key || (*key->text && strlen(key->text) <= META_KEY_BYTES))
		return key;
	lang_error(parser->unit, token->at, "what a fact is called has 1 to %u bytes", META_KEY_BYTES);
	return NULL;
}

/* How the program around the package gets its tasks; the only fact of those that every package has which is not the packer's to say. */
static bool kind_check(struct lang_parser *parser, const struct lang_token *text)
{
	if (!strcmp(text->text, "task_buffer") || !strcmp(text->text, "host_graph_build"))
		return true;
	lang_error(parser->unit, text->at, "the kind of entries is task_buffer or host_graph_build, not \"%.80s\"", text->text);
	return false;
}

void lang_meta_parse(struct lang_parser *parser)
{
	static const char *const taken[] = {"name", "producer", "wsp_runtime_abi"};
	const struct lang_token *key, *text;
	struct lang_meta *meta;

	lang_take(parser);
	key = key_take(parser);
	text = key ? quoted_take(parser, "its text in quotes") : NULL;
	if (!text || (!strcmp(key->text, "entry_kind") && !kind_check(parser, text))) {
		lang_decl_skip(parser);
		return;
	}
	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		if (!strcmp(key->text, taken[i])) {
			lang_error(parser->unit, key->at, "%s is not for the source to say", key->text);
			if (!i)
				lang_help(parser->unit, "module @name is the name of the package");
			return;
		}
	meta = lang_map_find(&parser->module->facts, key->text);
	if (meta) {
		lang_error(parser->unit, key->at, "%s is said already, at %s", key->text, lang_place(parser->unit, meta->head.at));
		return;
	}
	meta = lang_decl_add(parser, LANG_DECL_META, sizeof(*meta), "", key->at);
	meta->key = key->text;
	meta->text = text->text;
	lang_map_add(&parser->module->facts, &parser->unit->arena, meta->key, meta);
}

void lang_facts_build(struct lang_lower *lower, const char *name, const char *producer)
{
	const struct lang_meta *version = lang_map_find(&lower->module->facts, "version"), *kind = lang_map_find(&lower->module->facts, "entry_kind");

	build_facts(lower->build, name, version ? version->text : "", producer, kind ? kind->text : "task_buffer");
	for (const struct lang_decl *decl = lower->module->decls; decl; decl = decl->next) {
		const struct lang_meta *meta = (const struct lang_meta *)decl;

		if (decl->kind == LANG_DECL_META && meta != version && meta != kind)
			build_meta(lower->build, meta->key, meta->text);
	}
}

/* --- require --- */

void lang_require_parse(struct lang_parser *parser)
{
	static const char *const states[] = {"diagnosed", "recorded", "enforced"};
	const struct lang_token *feature;
	struct lang_require *require;
	uint32_t id;

	lang_take(parser);
	feature = lang_name_take(parser, LANG_STRING, "a feature such as \"opcode send\" or \"total_cycles\"");
	if (!feature) {
		lang_decl_skip(parser);
		return;
	}
	if (!pkg_feature_find(feature->text, &id)) {
		lang_error(parser->unit, feature->at, "there is no feature \"%.80s\"", feature->text);
		lang_help(parser->unit, "features are \"opcode send\", \"directive dispatch round_robin\", \"payload pto\", \"total_cycles\" and the like: "
					"ptowsp-run --capabilities lists them");
		lang_decl_skip(parser);
		return;
	}
	for (uint16_t i = 0; i < 3; i++)
		if (lang_word_take(parser, states[i])) {
			require = lang_decl_add(parser, LANG_DECL_REQUIRE, sizeof(*require), "", feature->at);
			require->feature = feature->text;
			require->state = i + 1u;
			return;
		}
	lang_expected(parser, "how much of it is needed: enforced, recorded or diagnosed");
	lang_decl_skip(parser);
}

void lang_require_build(struct lang_lower *lower, struct lang_decl *decl)
{
	const struct lang_require *require = (const struct lang_require *)decl;

	build_require(lower->build, require->feature, require->state);
}

/* ---- sample data: parsed, and their rows of TDAT. ---- */

#define SAMPLE_BYTES (UINT64_C(1) << 28)

/* "[2, 2]" */
static int extents_parse(struct lang_parser *parser, struct lang_sample *sample)
{
	if (!lang_at_mark(parser, '['))
		return 1;
	do {
		struct lang_span at = lang_take(parser)->at;
		uint32_t extent;

		if (!lang_uint_read(lang_peek(parser)->text ? lang_peek(parser)->text : "", &extent))
			return lang_expected(parser, "an extent such as 64");
		if (sample->rank == 4) {
			lang_error(parser->unit, at, "sample data have at most 4 dimensions");
			return 0;
		}
		sample->extents[sample->rank++] = extent;
		lang_take(parser);
	} while (lang_at_more(parser));
	return lang_expect(parser, ']', "behind the extents");
}

/* "[1, -2, 0.5]" */
static int numbers_parse(struct lang_parser *parser, struct lang_sample *sample)
{
	do {
		lang_take(parser);
		if (lang_peek(parser)->kind != LANG_NUMBER && !(lang_peek(parser)->kind == LANG_WORD && lang_number_is_word(lang_peek(parser)->text)))
			return lang_expected(parser, "a number");
		*COMMON_PUSH(&parser->unit->arena, sample->numbers, sample->number_count, sample->number_capacity) = lang_take(parser);
	} while (lang_at_more(parser));
	return lang_expect(parser, ']', "behind the numbers");
}

static int data_parse(struct lang_parser *parser, struct lang_sample *sample)
{
	const struct lang_token *text;

	sample->data_at = lang_peek(parser)->at;
	sample->form = LANG_SAMPLE_NUMBERS;
	if (lang_at_mark(parser, '['))
		return numbers_parse(parser, sample);
	sample->form = lang_word_take(parser, "base64") ? LANG_SAMPLE_BASE64 : LANG_SAMPLE_FILE;
	sample->data_at = lang_peek(parser)->at;
	text = lang_name_take(parser, LANG_STRING, "the data: [1, 2], base64 \"...\" or a file in quotes");
	sample->text = text ? text->text : NULL;
	return text != NULL;
}

void lang_sample_parse(struct lang_parser *parser)
{
	const struct lang_token *name;
	struct lang_sample *sample;
	int ok;

	lang_take(parser);
	name = lang_name_take(parser, LANG_NAME, "a tensor such as %x");
	if (!name) {
		lang_decl_skip(parser);
		return;
	}
	sample = lang_decl_add(parser, LANG_DECL_SAMPLE, sizeof(*sample), "", name->at);
	sample->tensor = name->text;
	sample->role = PTOWSP_SAMPLE_INPUT;
	ok = lang_word_take(parser, "input");
	if (!ok && lang_word_take(parser, "expected")) {
		sample->role = PTOWSP_SAMPLE_EXPECTED;
		ok = 1;
	}
	ok = (ok || lang_expected(parser, "what the data are: input, or expected behind a run")) && extents_parse(parser, sample) &&
	     lang_expect(parser, '=', "and the data") && data_parse(parser, sample);
	lang_decl_end(parser, &sample->head, ok);
}

static void *numbers_read(struct lang_lower *lower, const struct lang_sample *sample, uint16_t dtype, size_t *size_out)
{
	size_t element = common_dtype_bytes(dtype);
	uint8_t *bytes = common_alloc(&lower->unit->arena, sample->number_count * element);

	*size_out = sample->number_count * element;
	for (uint32_t i = 0; i < sample->number_count; i++) {
		const struct lang_token *token = sample->numbers[i];
		uint64_t value;

		if (lang_number_read(token->text, dtype, &value) != LANG_NUMBER_OK) {
			lang_error(lower->unit, token->at, "%.40s is no value of type %s", token->text, common_dtype_text(dtype));
			return NULL;
		}
		for (size_t k = 0; k < element; k++) /* packages are little-endian */
			bytes[i * element + k] = (uint8_t)(value >> (8 * k));
	}
	return bytes;
}

/* A file in NumPy's format says type and shape itself; what it holds follows. */
static void *npy_read(struct lang_lower *lower, struct lang_sample *sample, const void *bytes, uint16_t dtype, size_t *size)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct npy npy;

	if (npy_parse(&npy, bytes, *size, sample->text, &error)) {
		lang_error(lower->unit, sample->data_at, "%.200s", error.text);
		return NULL;
	}
	if (strcmp(common_dtype(npy.dtype)->descr, common_dtype(dtype)->descr) != 0) { /* bf16 has no descr of its own */
		lang_error(lower->unit, sample->data_at, "\"%.80s\" holds %s, and %%%s is %s", sample->text, common_dtype_text(npy.dtype), sample->tensor,
			   common_dtype_text(dtype));
		return NULL;
	}
	if (sample->rank && (sample->rank != npy.rank || memcmp(sample->extents, npy.extents, sample->rank * sizeof(*npy.extents)) != 0)) {
		lang_error(lower->unit, sample->data_at, "\"%.80s\" has another shape than what stands here", sample->text);
		lang_help(lower->unit, "leave the shape out: the file says it");
		return NULL;
	}
	sample->rank = npy.rank;
	memcpy(sample->extents, npy.extents, sizeof(npy.extents));
	*size = (size_t)npy.elements * common_dtype_bytes(dtype);
	return memcpy(common_alloc(&lower->unit->arena, *size + 1), npy.data, *size);
}

static void *data_read(struct lang_lower *lower, struct lang_sample *sample, uint16_t dtype, size_t *size_out)
{
	uint32_t errors;
	void *bytes;

	if (sample->form == LANG_SAMPLE_NUMBERS)
		return numbers_read(lower, sample, dtype, size_out);
	if (sample->form == LANG_SAMPLE_BASE64)
		return lang_base64_read(lower->module, sample->text, sample->data_at, size_out);
	errors = lower->unit->list->head.errors;
	bytes = lang_file_read(lower->module, sample->text, sample->data_at, SAMPLE_BYTES, size_out);
	if (!bytes && lower->unit->list->head.errors == errors)
		lang_error(lower->unit, sample->data_at, "the file \"%.80s\" has %zu bytes, sample data have 1 to 2^28", sample->text, *size_out);
	if (bytes && *size_out > 6 && !memcmp(bytes, "\x93NUMPY", 6))
		return npy_read(lower, sample, bytes, dtype, size_out);
	return bytes;
}

/* The row among all tensors, those of functions included; PTOWSP_NONE after an error. */
static uint32_t tensor_find(struct lang_lower *lower, const struct lang_sample *sample)
{
	const struct lang_rows *tensors = lang_rows_of(lower, PTOWSP_SECTION_TENS);
	uint32_t row = lang_row_find(tensors, sample->tensor);
	const char **names;

	if (row != PTOWSP_NONE)
		return row;
	names = common_alloc(&lower->unit->arena, (tensors->count + 1) * sizeof(*names));
	for (uint32_t i = 0; i < tensors->count; i++)
		names[i] = tensors->rows[i].name;
	lang_error(lower->unit, sample->head.at, "there is no tensor %%%s", sample->tensor);
	lang_known_help(lower->unit, sample->tensor, "%", names, tensors->count);
	return PTOWSP_NONE;
}

static bool size_check(struct lang_lower *lower, const struct lang_sample *sample, uint64_t size, size_t element)
{
	uint64_t want = element;

	for (uint32_t i = 0; i < sample->rank; i++)
		want = sample->extents[i] && want > SAMPLE_BYTES / sample->extents[i] ? SAMPLE_BYTES + 1 : want * sample->extents[i];
	if (sample->rank ? want == size : size % element == 0)
		return true;
	if (sample->rank)
		lang_error(lower->unit, sample->data_at,
			   size % element ? "the extents make %llu elements, here are %llu and a part of one" : "the extents make %llu elements, here are %llu",
			   (unsigned long long)(want / element), (unsigned long long)(size / element));
	else
		lang_error(lower->unit, sample->data_at, "%llu bytes are no whole number of elements, which have %zu each", (unsigned long long)size, element);
	return false;
}

static int is_repeated(struct lang_lower *lower, const struct lang_sample *sample, uint32_t tensor)
{
	uint8_t *samples = &lang_rows_of(lower, PTOWSP_SECTION_TENS)->rows[tensor].samples, bit = (uint8_t)(1u << sample->role);
	int repeated = *samples & bit;

	if (repeated)
		lang_error(lower->unit, sample->head.at, "%%%s has %s data already", sample->tensor,
			   sample->role == PTOWSP_SAMPLE_INPUT ? "input" : "expected");
	*samples |= bit;
	return repeated;
}

static const char *extents_text(const uint64_t *extents, uint32_t rank, char *text, size_t size)
{
	int length = 0;

	for (uint32_t i = 0; i < rank && length < (int)size; i++)
		length += snprintf(text + length, size - (size_t)length, "%s%llu", i ? ", " : "", (unsigned long long)extents[i]);
	return text;
}

/* Data of another shape than that of the tensor, as far as it is known here: a run counts elements. */
static void shape_meet(struct lang_lower *lower, const struct lang_sample *sample, const uint64_t *extents, uint32_t rank)
{
	const struct lang_decl *decl = lang_decl_find(lower->module, '%', sample->tensor);
	const struct lang_tensor *tensor = decl && decl->kind == LANG_DECL_TENSOR ? (const struct lang_tensor *)decl : NULL;
	uint64_t want[LANG_MAX_RANK] = {0}, data = 1, all = 1;
	char texts[2][96];
	int64_t extent = 0;

	for (uint32_t i = 0; tensor && i < tensor->rank; i++) {
		if (!lang_scalar_known(tensor->extents[i], &extent))
			return;
		want[i] = (uint64_t)extent;
		all *= want[i];
	}
	if (!tensor || (rank == tensor->rank && !memcmp(want, extents, rank * sizeof(*want))))
		return;
	for (uint32_t i = 0; i < rank; i++)
		data *= extents[i];
	lang_warn(lower->unit, sample->data_at,
		  data == all ? "these data are [%s] and %%%s is [%s]: a run takes them in their order"
			      : "these data are [%s] and %%%s is [%s]: no run takes them",
		  extents_text(extents, rank, texts[0], sizeof(texts[0])), sample->tensor, extents_text(want, tensor->rank, texts[1], sizeof(texts[1])));
	if (data == all)
		lang_help(lower->unit, "write [%s] in front of =", texts[1]);
}

void lang_sample_build(struct lang_lower *lower, struct lang_decl *decl)
{
	struct lang_sample *sample = (struct lang_sample *)decl;
	uint32_t tensor = tensor_find(lower, sample);
	struct ptowsp_sample_record record = {.tensor = tensor, .role = sample->role};
	uint64_t *places[4] = {&record.extent0, &record.extent1, &record.extent2, &record.extent3};
	size_t size, element;
	uint16_t dtype;
	void *bytes;

	if (tensor == PTOWSP_NONE || is_repeated(lower, sample, tensor))
		return;
	dtype = lower->build->tensors[tensor].record.dtype;
	element = common_dtype_bytes(dtype);
	bytes = data_read(lower, sample, dtype, &size);
	if (!bytes || !size_check(lower, sample, size, element))
		return;
	record.rank = (uint16_t)(sample->rank ? sample->rank : 1);
	record.extent0 = size / element;
	for (uint32_t i = 0; i < sample->rank; i++)
		*places[i] = sample->extents[i];
	shape_meet(lower, sample, sample->rank ? sample->extents : (const uint64_t[]){size / element}, record.rank);
	record.size = size;
	*BUILD_PUSH(lower->build, samples, sample) = (struct build_sample){record, bytes};
}
