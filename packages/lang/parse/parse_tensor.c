/* SPDX-License-Identifier: MIT */
/* parse_tensor.c - tensor %T : f32[rows, columns] role @space align 64 layout(...) mem(...) */
#include "lang/parse/parse.h"
#include "lang/tensor.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* "[%seq, 128]" */
static int shape_parse(struct lang_parser *parser, struct lang_tensor *tensor)
{
	if (!lang_expect(parser, '[', "and the shape behind the element type"))
		return 0;
	while (tensor->rank < LANG_MAX_RANK) {
		tensor->extents[tensor->rank] = lang_scalar_parse(parser, "an extent such as 64 or %n");
		if (!tensor->extents[tensor->rank])
			return 0;
		tensor->rank++;
		if (!lang_at_more(parser))
			return lang_expect(parser, ']', "behind the shape");
		lang_take(parser);
	}
	lang_error(parser->unit, lang_peek(parser)->at, "a tensor has at most %u dimensions", LANG_MAX_RANK);
	return 0;
}

static bool role_parse(struct lang_parser *parser, struct lang_tensor *tensor)
{
	uint32_t role;

	if (!lang_words_take(parser, PKG_WORDS_role, &role))
		return lang_expected(parser, "the tensor's role: in, out, inout, temp or const");
	tensor->role = (uint16_t)role;
	return true;
}

static bool space_parse(struct lang_parser *parser, struct lang_tensor *tensor)
{
	const struct lang_token *token = lang_take(parser);
	uint32_t space;

	if (tensor->space_stated) {
		lang_error(parser->unit, token->at, "a memory stands here already, and a tensor lies in one");
		return false;
	}
	tensor->space_stated = 1;
	if (pkg_word_find(PKG_WORDS_space, token->text, &space)) {
		tensor->space = (uint16_t)space;
		return true;
	}
	lang_error(parser->unit, token->at, "there is no memory @%.80s", token->text);
	lang_help(parser->unit, "memories are @gm, @l2, @hbm, @shared, @ub and @l1");
	return false;
}

/* "align 64" */
static bool alignment_parse(struct lang_parser *parser, struct lang_tensor *tensor)
{
	const struct lang_token *token = lang_peek(parser);

	if (token->kind != LANG_NUMBER || !lang_uint_read(token->text, &tensor->alignment) || !tensor->alignment ||
	    tensor->alignment & (tensor->alignment - 1) || tensor->alignment > 1u << 30)
		return lang_expected(parser, "an alignment in bytes, a power of two up to 2^30");
	lang_take(parser);
	return true;
}

static bool attributes_parse(struct lang_parser *parser, struct lang_tensor *tensor)
{
	struct lang_clauses clauses = {0};

	for (;;) {
		const struct lang_token *token = lang_peek(parser);
		int ok;

		if (token->kind == LANG_AT && !token->first)
			ok = space_parse(parser, tensor);
		else if (lang_clause_take(parser, &clauses, 0, "align"))
			ok = alignment_parse(parser, tensor);
		else if (lang_at_word(parser, "layout") || lang_at_word(parser, "mem"))
			ok = lang_layout_parse(parser, &tensor->layout);
		else
			return !clauses.again && (token->first || token->kind == LANG_END ||
						  lang_expected(parser, "@space, align, layout(...), mem(...) or the end of the line"));
		if (!ok)
			return false;
	}
}

void lang_tensor_parse(struct lang_parser *parser)
{
	struct lang_tensor *tensor = lang_decl_begin(parser, LANG_DECL_TENSOR, sizeof(*tensor), LANG_NAME, "the tensor's name such as %x");
	int ok;

	if (!tensor)
		return;
	tensor->role = PTOWSP_ROLE_INOUT; /* where it cannot be read, nothing else is said of it */
	ok = lang_expect(parser, ':', "and the type behind the name");
	tensor->type_at = lang_peek(parser)->at;
	ok = ok && lang_element_parse(parser, &tensor->dtype, "an element type such as f32") && shape_parse(parser, tensor) && role_parse(parser, tensor) &&
	     attributes_parse(parser, tensor);
	lang_decl_end(parser, &tensor->head, ok);
}
