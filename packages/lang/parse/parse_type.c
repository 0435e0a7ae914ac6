/* SPDX-License-Identifier: MIT */
#include "lang/parse/parse.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define TILE_ELEMENTS (1u << 24) /* more than any tile memory holds */

/* The words of the source for element types. */
static const struct element {
	const char *text;
	uint16_t dtype;
	uint8_t index;
} elements[] = {
	{"idx", PTOWSP_I64, 1},
	{"index", PTOWSP_I64, 1},
	{"u1", PTOWSP_BOOL, 0},
#define X(name, code, bytes, cls, text, descr) {text, code, 0},
#include "ptowsp/dtype.def"
#undef X
};

bool lang_uint_read(const char *text, uint32_t *value_out)
{
	uint64_t value = 0;

	if (!*text)
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return false;
		value = value * 10 + (uint64_t)(*text - '0');
		if (value > UINT32_MAX)
			return false;
	}
	*value_out = (uint32_t)value;
	return true;
}

static bool element_find(struct lang_parser *parser, const char *text, struct lang_span at, struct lang_type *type)
{
	struct lang_guess guess;

	lang_guess_start(&guess, text);
	for (size_t i = 0; i < sizeof(elements) / sizeof(*elements); i++) {
		if (!strcmp(elements[i].text, text)) {
			type->dtype = elements[i].dtype;
			type->index = elements[i].index;
			return true;
		}
		lang_guess_try(&guess, elements[i].text);
	}
	lang_error(parser->unit, at, "there is no element type \"%s\"", text);
	if (!lang_guess_help(parser->unit, &guess, ""))
		lang_help(parser->unit, "element types are f16 bf16 f32 f64 i8 i16 i32 i64 u1 u8 u16 u32 u64 and index");
	return false;
}

static bool space_find(struct lang_parser *parser, struct lang_type *type)
{
	uint32_t space;

	if (!lang_words_take(parser, PKG_WORDS_space, &space))
		return lang_expected(parser, "a memory space (gm, l2, hbm, shared, ub, l1)");
	type->space = (uint16_t)space;
	return true;
}

/* "32x128xf32" */
static bool shape_read(struct lang_parser *parser, const struct lang_token *token, struct lang_type *type)
{
	char *text = common_copy(&parser->unit->arena, token->text, strlen(token->text));
	char *columns = strchr(text, 'x'), *element = columns ? strchr(columns + 1, 'x') : NULL;

	if (!element) {
		lang_error(parser->unit, token->at, "\"%s\" is no tile shape", token->text);
		lang_help(parser->unit, "a tile is rows x columns x element type: !pto.tile<32x128xf32>");
		return false;
	}
	*columns++ = '\0';
	*element++ = '\0';
	if (!lang_uint_read(text, &type->rows) || !lang_uint_read(columns, &type->columns) || !type->rows || !type->columns ||
	    (uint64_t)type->rows * type->columns > TILE_ELEMENTS) {
		lang_error(parser->unit, token->at, "a tile has 1 to %u elements, not \"%s\"", TILE_ELEMENTS, token->text);
		return false;
	}
	return element_find(parser, element, token->at, type);
}

static int tile_read(struct lang_parser *parser, struct lang_type *type)
{
	type->kind = LANG_TYPE_TILE;
	type->space = PTOWSP_SPACE_UB;
	if (lang_peek(parser)->kind != LANG_NUMBER)
		return lang_expected(parser, "the tile's shape such as 32x128xf32");
	if (!shape_read(parser, lang_take(parser), type))
		return 0;
	if (!lang_at_mark(parser, ','))
		return 1;
	lang_take(parser);
	return space_find(parser, type);
}

/* "gm,...,f32": the dots are part of the notation, a memref has no shape of its own. */
static bool memref_read(struct lang_parser *parser, struct lang_type *type)
{
	const struct lang_token *token;

	type->kind = LANG_TYPE_MEMREF;
	if (!space_find(parser, type) || !lang_expect(parser, ',', "behind the memory space"))
		return false;
	if (!lang_dots_take(parser, NULL))
		return lang_expected(parser, "\"...\" (a memref has no shape of its own)");
	if (!lang_expect(parser, ',', "behind \"...\""))
		return false;
	token = lang_peek(parser);
	if (token->kind != LANG_WORD)
		return lang_expected(parser, "an element type");
	lang_take(parser);
	return element_find(parser, token->text, token->at, type);
}

int lang_type_parse(struct lang_parser *parser, struct lang_type *type_out)
{
	const struct lang_token *token = lang_peek(parser);
	int ok;

	memset(type_out, 0, sizeof(*type_out));
	type_out->at = token->at;
	if (token->kind == LANG_WORD) {
		lang_take(parser);
		type_out->kind = LANG_TYPE_SCALAR;
		return element_find(parser, token->text, token->at, type_out);
	}
	if (token->kind != LANG_TYPE)
		return lang_expected(parser, "a type");
	lang_take(parser);
	if (strcmp(token->text, "pto.tile") != 0 && strcmp(token->text, "pto.memref") != 0) {
		lang_error(parser->unit, token->at, "there is no type !%s", token->text);
		lang_help(parser->unit, "types are !pto.tile<RxCxf32>, !pto.memref<gm,...,f32> and element types");
		return 0;
	}
	if (!strcmp(token->text, "pto.memref") && !lang_at_mark(parser, '<')) {
		*type_out = (struct lang_type){.kind = LANG_TYPE_MEMREF, .open = 1, .dtype = PTOWSP_F32, .space = PTOWSP_SPACE_GM, .at = token->at};
		return 1;
	}
	if (!lang_expect(parser, '<', "behind the type's name"))
		return 0;
	ok = !strcmp(token->text, "pto.tile") ? tile_read(parser, type_out) : memref_read(parser, type_out);
	if (ok) {
		const struct lang_token *end = lang_peek(parser);

		ok = lang_expect(parser, '>', "at the end of the type");
		if (ok && end->at.line == token->at.line)
			type_out->at.length = end->at.column + 1 - token->at.column;
	}
	return ok;
}
