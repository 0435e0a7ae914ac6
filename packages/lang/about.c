/* SPDX-License-Identifier: MIT */
/* about.c - meta and require: parsed, and their rows of META and REQS. */
#include "lang/about.h"

#include "format/format_names.h"
#include "lang/lang_bytes.h"
#include "lang/lang_clean.h"
#include "lang/lower/lang_lower.h"
#include "lang/parse/parse.h"

#include <stdbool.h>
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
