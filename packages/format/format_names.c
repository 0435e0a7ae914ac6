/* SPDX-License-Identifier: MIT */
/* format_names.c - words and codes, from the .def tables of abi/ptowsp. */
#include "format/format_names.h"
#include "registry/common/common_operation.h"
#include "registry/common/common_tile.h"

#include "ptowsp/caps.h"
#include "ptowsp/package.h"
#include "ptowsp/task.h"
#include "ptowsp/workload.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct pkg_word dtype_words[] = {
#define X(name, code, bytes, cls, text, descr) {code, text},
#include "ptowsp/dtype.def"
#undef X
};
static const struct pkg_word unit_words[] = {
#define X(name, code, text, pool) {code, text},
#include "ptowsp/unit.def"
#undef X
};
static const struct pkg_word space_words[] = {
#define X(name, code, text) {code, text},
#include "ptowsp/space.def"
#undef X
};
static const struct pkg_word payload_words[] = {
#define X(name, code, text, trust) {code, text},
#include "ptowsp/payload.def"
#undef X
};
static const struct pkg_word expr_op_words[] = {
#define X(NAME, code, mnemonic, operands, effect) {code, mnemonic},
#include "ptowsp/expr_ops.def"
#undef X
};
static const struct pkg_word directive_words[] = {
#define X(name, code, text, meaning) {code, text},
#include "ptowsp/directive.def"
#undef X
};
static const struct pkg_word opcode_words[] = {
#define X(NAME, code, mnemonic, operand1, operand2, effect) {code, mnemonic},
#include "ptowsp/workload_ops.def"
#undef X
};
static const struct pkg_word feature_words[] = {
#define X(name, id, text) {id, text},
#include "ptowsp/features.def"
#undef X
};
static const struct pkg_word param_kind_words[] = {{PTOWSP_PARAM_TENSOR, "tensor"}, {PTOWSP_PARAM_SCALAR, "scalar"}};
static const struct pkg_word role_words[] = {
	{PTOWSP_ROLE_IN, "in"}, {PTOWSP_ROLE_OUT, "out"}, {PTOWSP_ROLE_INOUT, "inout"}, {PTOWSP_ROLE_TEMP, "temp"}, {PTOWSP_ROLE_CONST, "const"}};
static const struct pkg_word distribution_words[] = {{0, "replicated"}, {1, "sharded"}};
static const struct pkg_word slot_kind_words[] = {{PTOWSP_SLOT_SYMBOL, "symbol"}, {PTOWSP_SLOT_SLOT, "slot"}};
static const struct pkg_word axis_kind_words[] = {
	{PTOWSP_AXIS_DENSE, "dense"}, {PTOWSP_AXIS_DENSE_DYN, "dense_dyn"}, {PTOWSP_AXIS_RAGGED, "ragged"}, {PTOWSP_AXIS_SPARSE, "sparse"}};
static const struct pkg_word channel_kind_words[] = {{PTOWSP_CHANNEL_TOKEN, "token"}, {PTOWSP_CHANNEL_PAYLOAD, "payload"}};
static const struct pkg_word channel_direction_words[] = {{PTOWSP_CHANNEL_PRODUCES, "produces"}, {PTOWSP_CHANNEL_CONSUMES, "consumes"}};
static const struct pkg_word sample_role_words[] = {{PTOWSP_SAMPLE_INPUT, "input"}, {PTOWSP_SAMPLE_EXPECTED, "expected"}};

static const struct pkg_word memory_order_words[] = {{PTOWSP_MEMORY_ROW_MAJOR, "row_major"},
						     {PTOWSP_MEMORY_COL_MAJOR, "col_major"},
						     {PTOWSP_MEMORY_BLOCKED, "blocked"},
						     {PTOWSP_MEMORY_NZ, "nz"},
						     {PTOWSP_MEMORY_STRIDED, "strides"}};

static const struct pkg_word core_type_words[] = {
#define X(NAME, code, text, unit) {code, #NAME},
#include "ptowsp/core.def"
#undef X
};
static const struct pkg_word access_words[] = {{0, "none"}, {PTOWSP_READ, "in"}, {PTOWSP_WRITE, "out"}, {PTOWSP_READ | PTOWSP_WRITE, "inout"}};
static const struct pkg_word edge_words[] = {
	{PTOWSP_AFTER_TASK, "after"}, {PTOWSP_AFTER_DATA, "data"}, {PTOWSP_AFTER_BARRIER, "barrier"}, {PTOWSP_AFTER_SOFT, "soft"}};
static const struct pkg_word scope_words[] = {{PTOWSP_FENCE_CORE, "core"}, {PTOWSP_FENCE_DEVICE, "device"}, {PTOWSP_FENCE_SYSTEM, "system"}};
/* graph_words.def holds several enumerations: each takes its own rows. */
#define GRAPH_WORD(words, NAME, code) {code, #NAME},
#define GRAPH_NO_WORD(words, NAME, code)
#define X(words, NAME, code) X_##words(words, NAME, code)
#define X_dep_type           GRAPH_WORD
#define X_location           GRAPH_NO_WORD
#define X_fence_scope        GRAPH_NO_WORD
#define X_affinity_type      GRAPH_NO_WORD
static const struct pkg_word dep_type_words[] = {
#include "ptowsp/graph_words.def"
};
#undef X_dep_type
#undef X_location
#define X_dep_type GRAPH_NO_WORD
#define X_location GRAPH_WORD
static const struct pkg_word location_words[] = {
#include "ptowsp/graph_words.def"
};
#undef X_location
#undef X_fence_scope
#define X_location    GRAPH_NO_WORD
#define X_fence_scope GRAPH_WORD
static const struct pkg_word fence_scope_words[] = {
#include "ptowsp/graph_words.def"
};
#undef X_fence_scope
#undef X_affinity_type
#define X_fence_scope   GRAPH_NO_WORD
#define X_affinity_type GRAPH_WORD
static const struct pkg_word affinity_type_words[] = {
#include "ptowsp/graph_words.def"
};
#undef X

static const struct {
	const char *name;
	const struct pkg_word *words;
	uint32_t count;
} vocabulary[PKG_WORDS_COUNT] = {
#define WORDS_AS(name, text) [PKG_WORDS_##name] = {text, name##_words, sizeof(name##_words) / sizeof(name##_words[0])},
#define WORDS(name)          WORDS_AS(name, #name)
	WORDS(dtype) WORDS(unit) WORDS(space) WORDS(payload) WORDS(expr_op) WORDS(directive) WORDS(param_kind) WORDS(role) WORDS(distribution) WORDS(slot_kind)
		WORDS(axis_kind) WORDS(sample_role) WORDS(channel_kind) WORDS(channel_direction) WORDS(opcode) WORDS(memory_order) WORDS(core_type)
			WORDS(dep_type) WORDS(location) WORDS(fence_scope) WORDS(affinity_type) WORDS(access) WORDS_AS(edge, "kind of edge")
				WORDS_AS(scope, "scope of a fence")
#undef WORDS
#undef WORDS_AS
};

const struct pkg_word *pkg_words(enum pkg_words which, uint32_t *count)
{
	*count = vocabulary[which].count;
	return vocabulary[which].words;
}

const char *pkg_words_name(enum pkg_words which)
{
	return vocabulary[which].name;
}

static const char *word_at(const struct pkg_word *words, size_t count, uint64_t code)
{
	for (size_t i = 0; i < count; i++)
		if (words[i].code == code)
			return words[i].word;
	return NULL;
}

static bool word_find(const struct pkg_word *words, size_t count, const char *word, uint32_t *code_out)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(words[i].word, word)) {
			*code_out = words[i].code;
			return true;
		}
	return false;
}

const char *pkg_word(enum pkg_words which, uint64_t code)
{
	return word_at(vocabulary[which].words, vocabulary[which].count, code);
}

bool pkg_word_find(enum pkg_words which, const char *word, uint32_t *code_out)
{
	return word_find(vocabulary[which].words, vocabulary[which].count, word, code_out);
}

/* Appends one word to a list; 0 if it did not fit. */
static bool list_append(char *text, size_t size, const char *word)
{
	size_t used = strlen(text);

	if (used + strlen(word) + sizeof(", , ...") > size) {
		snprintf(text + used, size - used, "%s", size - used > 5 ? ", ..." : "");
		return false;
	}
	snprintf(text + used, size - used, "%s%s", used ? ", " : "", word);
	return true;
}

void pkg_words_list(enum pkg_words which, char *text, size_t size)
{
	text[0] = 0;
	for (uint32_t i = 0; i < vocabulary[which].count; i++)
		if (!list_append(text, size, vocabulary[which].words[i].word))
			return;
}

static const struct pkg_policy policies[] = {
#define X(directive, name, code, word, least, most, effect) {PTOWSP_DIRECTIVE_##directive, code, word, least, most},
#include "ptowsp/policy.def"
#undef X
};
#define POLICY_COUNT (sizeof(policies) / sizeof(policies[0]))

const struct pkg_policy *pkg_policy(uint32_t directive, uint32_t policy)
{
	for (size_t i = 0; i < POLICY_COUNT; i++)
		if (policies[i].directive == directive && policies[i].policy == policy)
			return &policies[i];
	return NULL;
}

bool pkg_policy_is_bare(const struct pkg_policy *policy)
{
	return policy->word[0] == '(';
}

struct pkg_policy_text pkg_policy_text(const struct pkg_policy *policy)
{
	struct pkg_policy_text text;
	size_t length = strlen(policy->word);
	int bare = pkg_policy_is_bare(policy);

	snprintf(text.text, sizeof(text.text), "%.*s", (int)(bare ? length - 2 : length), policy->word + bare);
	return text;
}

const struct pkg_policy *pkg_policy_find(uint32_t directive, const char *word)
{
	const struct pkg_policy *found = NULL;
	unsigned of_directive = 0;

	for (size_t i = 0; i < POLICY_COUNT; i++) {
		if (policies[i].directive != directive)
			continue;
		of_directive++;
		if (!word || !strcmp(policies[i].word, word) || !strcmp(pkg_policy_text(&policies[i]).text, word))
			found = &policies[i];
	}
	return word || of_directive == 1 ? found : NULL;
}

void pkg_policy_list(uint32_t directive, char *text, size_t size)
{
	text[0] = 0;
	for (size_t i = 0; i < POLICY_COUNT; i++)
		if (policies[i].directive == directive && !list_append(text, size, pkg_policy_text(&policies[i]).text))
			return;
}

const char *pkg_operand(uint32_t opcode, unsigned number)
{
	switch (opcode) {
#define X(NAME, code, mnemonic, operand1, operand2, effect)                                                                                                    \
	case code:                                                                                                                                             \
		return number ? operand2 : operand1;
#include "ptowsp/workload_ops.def"
#undef X
	}
	return "";
}

uint32_t pkg_expr_operands(uint32_t op)
{
	const uint32_t operands = common_operands(op);

	return operands == UINT32_MAX ? 0 : operands;
}

static const struct pkg_word graph_ops[] = {
#define GRAPH_OP(NAME, code, place, effect) {code, #NAME},
#include "registry/common/common_graph_ops.def"
};

/* Walks every feature id and its words; stops when visit returns 1. */
static bool features_visit(int (*visit)(void *context, uint32_t feature, const char *text), void *context)
{
	char text[64];

	for (size_t i = 0; i < sizeof(feature_words) / sizeof(feature_words[0]); i++)
		if (visit(context, feature_words[i].code, feature_words[i].word))
			return true;
	for (size_t i = 0; i < sizeof(opcode_words) / sizeof(opcode_words[0]); i++) {
		snprintf(text, sizeof(text), "opcode %s", opcode_words[i].word);
		if (visit(context, PTOWSP_FEATURE_OPCODE(opcode_words[i].code), text))
			return true;
	}
	for (size_t i = 0; i < POLICY_COUNT; i++) {
		snprintf(text, sizeof(text), "%s %s", pkg_word(PKG_WORDS_directive, policies[i].directive), pkg_policy_text(&policies[i]).text);
		if (visit(context, PTOWSP_FEATURE_POLICY(policies[i].directive, policies[i].policy), text))
			return true;
	}
	for (size_t i = 0; i < sizeof(payload_words) / sizeof(payload_words[0]); i++) {
		snprintf(text, sizeof(text), "payload %s", payload_words[i].word);
		if (visit(context, PTOWSP_FEATURE_PAYLOAD(payload_words[i].code), text))
			return true;
	}
	for (size_t i = 0; i < sizeof(graph_ops) / sizeof(graph_ops[0]); i++)
		if (visit(context, PTOWSP_FEATURE_GRAPH(graph_ops[i].code), graph_ops[i].word))
			return true;
	for (unsigned op = 0; op < COMMON_TILE_OPS; op++) {
		if (!common_tile_op_text(op))
			continue;
		snprintf(text, sizeof(text), "tile %s", common_tile_op_text(op));
		if (visit(context, PTOWSP_FEATURE_TILE(op), text))
			return true;
	}
	return false;
}

struct feature_query {
	uint32_t feature;
	const char *wanted; /* by text, or NULL: by id */
	char *text;
	size_t size;
};

static int feature_match(void *context, uint32_t feature, const char *text)
{
	struct feature_query *query = context;

	if (query->wanted ? strcmp(query->wanted, text) != 0 : query->feature != feature)
		return 0;
	query->feature = feature;
	if (query->text)
		snprintf(query->text, query->size, "%s", text);
	return 1;
}

void pkg_feature_text(uint32_t feature, char *text, size_t size)
{
	struct feature_query query = {feature, NULL, text, size};

	if (!features_visit(feature_match, &query))
		snprintf(text, size, "0x%04x", (unsigned)feature);
}

int pkg_feature_find(const char *text, uint32_t *feature_out)
{
	struct feature_query query = {0, text, NULL, 0};
	int found = features_visit(feature_match, &query);

	if (found)
		*feature_out = query.feature;
	return found;
}

struct pkg_type_text pkg_type_text(uint32_t type)
{
	struct pkg_type_text text;
	char letters[5] = {0};
	int printable = 1;

	for (int i = 0; i < 4; i++) {
		letters[i] = (char)(type >> 8 * i & 0xFF);
		printable &= (letters[i] >= 'A' && letters[i] <= 'Z') || (letters[i] >= 'a' && letters[i] <= 'z') || (letters[i] >= '0' && letters[i] <= '9') ||
			     letters[i] == '_';
	}
	if (printable)
		snprintf(text.text, sizeof(text.text), "%s", letters);
	else
		snprintf(text.text, sizeof(text.text), "0x%08x", (unsigned)type);
	return text;
}
