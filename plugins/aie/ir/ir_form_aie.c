/* SPDX-License-Identifier: MIT */
/* ir_form_aie.c - operations of aie, aiex, and what cores branch with, as people write them: read by patterns (ir_form_aie.def), and where those do not reach, by hand
 * (ir_form_more.c). */
#include "aie/aie_arch.h"
#include "aie/ir/ir_form.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static const struct form_row {
	const char *name, *pattern;
	aie_form_rest *rest;
} rows[] = {
#define X(name, pattern, form) {name, pattern, form},
#include "aie/ir/ir_form_aie.def"
#undef X
};
enum { ROWS = sizeof(rows) / sizeof(*rows), PART = 48 };

/* ---- words that are numbers */

static const struct word {
	const char *list, *word;
	int32_t number;
} words[] = {
	{"action", "Acquire", 0},
	{"action", "Release", 1},
	{"action", "AcquireGreaterEqual", 2},
	{"direction", "S2MM", 0},
	{"direction", "MM2S", 1},
	{"port", "Produce", 0},
	{"port", "Consume", 1},
	{"bundle", "Core", AIE_BUNDLE_CORE},
	{"bundle", "DMA", AIE_BUNDLE_DMA},
	{"bundle", "FIFO", AIE_BUNDLE_FIFO},
	{"bundle", "South", AIE_BUNDLE_SOUTH},
	{"bundle", "West", AIE_BUNDLE_WEST},
	{"bundle", "North", AIE_BUNDLE_NORTH},
	{"bundle", "East", AIE_BUNDLE_EAST},
	{"bundle", "PLIO", AIE_BUNDLE_PLIO},
	{"bundle", "NOC", AIE_BUNDLE_NOC},
	{"bundle", "Trace", AIE_BUNDLE_TRACE},
	{"bundle", "TileControl", AIE_BUNDLE_CONTROL},
	{"bundle", "CTRL", AIE_BUNDLE_CONTROL},
};

/* A word, or a string's text, as an interned one; NULL: neither stands here. */
static const char *word_take(struct aie_reader *reader)
{
	const struct aie_token at = reader->token;
	const char *text;

	if (at.kind == AIE_TOKEN_STRING)
		return aie_read_text(reader);
	if (at.kind != AIE_TOKEN_WORD) {
		aie_read_expected(reader, "a word");
		return NULL;
	}
	text = aie_name(reader->module, at.begin, at.length);
	if (!text)
		aie_read_memory(reader);
	aie_read_next(reader);
	return text;
}

const struct aie_attr *aie_form_i32(struct aie_reader *reader, int64_t value)
{
	if (value != (int32_t)value) {
		aie_read_fail(reader, &reader->token, "%lld stands before this, which does not fit into 32 bits", (long long)value);
		return NULL;
	}
	return aie_read_made(reader, aie_attr_int(reader->module, aie_type_plain(reader->module, AIE_TYPE_INT, 32), value));
}

bool aie_form_listed(struct aie_reader *reader, struct aie_op *op, const char *list, const char *name)
{
	const struct aie_token at = reader->token;
	const char *text = word_take(reader);

	if (!text)
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i].list, list) && !strcasecmp(words[i].word, text))
			return aie_read_set(reader, op, name, aie_form_i32(reader, words[i].number));
	return aie_read_fail(reader, &at, "'%.32s' stands here, which is no %s that is known", text, list);
}

bool aie_form_number(struct aie_reader *reader, struct aie_op *op, const char *name)
{
	int64_t value;

	return aie_read_integer(reader, &value) && aie_read_set(reader, op, name, aie_form_i32(reader, value));
}

bool aie_form_symbol(struct aie_reader *reader, struct aie_op *op, const char *name)
{
	const struct aie_attr *symbol = aie_read_symbol(reader);

	return symbol && aie_read_set(reader, op, name, aie_attr_text(reader->module, AIE_ATTR_STRING, symbol->text));
}

/* ---- patterns */

/* The part that begins at *at, which goes behind it; false: there is none. */
static bool part_next(const char **at, char part[PART])
{
	size_t length = 0;

	while (**at == ' ')
		++*at;
	while ((*at)[length] && (*at)[length] != ' ' && length + 1 < PART)
		length++;
	memcpy(part, *at, length);
	part[length] = '\0';
	*at += length;
	return length != 0;
}

static bool result_plain(struct aie_reader *reader, struct aie_op *op, const char *type)
{
	return aie_read_result(reader, op,
			       strcmp(type, "i1") ? aie_type_plain(reader->module, AIE_TYPE_INDEX, 0) : aie_type_plain(reader->module, AIE_TYPE_INT, 1));
}

static bool stands_here(const struct aie_reader *reader, const char *part)
{
	if (*part == '@' || *part == '!')
		return reader->token.kind == AIE_TOKEN_SYMBOL;
	return aie_read_at_mark(reader, *part);
}

static bool attrs(struct aie_reader *reader, struct aie_op *op, bool before_region)
{
	const bool said = aie_read_take_word(reader, "attributes");

	return (before_region && !said) || aie_form_attrs(reader, op);
}

static bool part_read(struct aie_reader *reader, struct aie_op *op, const char *part)
{
	const struct aie_attr *attr;
	const struct aie_type *type;
	char list[PART];

	switch (*part) {
	case '\'': return aie_read_word(reader, part + 1, "in an operation");
	case '#': return aie_form_number(reader, op, part + 1);
	case '$':
		memcpy(list, part + 1, PART - 1);
		*strchr(list, ':') = '\0';
		return aie_form_listed(reader, op, list, strchr(part, ':') + 1);
	case '&': {
		const char *text = word_take(reader);

		return text && aie_read_set(reader, op, part + 1, aie_attr_text(reader->module, AIE_ATTR_STRING, text));
	}
	case '@': attr = aie_read_symbol(reader); return attr && aie_read_set(reader, op, part + 1, attr);
	case '!': return aie_form_symbol(reader, op, part + 1);
	case '%': return aie_read_operand(reader, op);
	case '^': return aie_read_successor(reader, op);
	case 'A':
	case 'D': return attrs(reader, op, *part == 'A');
	case 'R': return aie_read_region(reader, op);
	case 'T': return aie_form_typed(reader, op, op->operand_count - 1, &type);
	case '=':
		if (part[1] == 'T')
			return aie_read_result(reader, op, aie_read_type(reader));
		return !part[1] ? aie_read_mark(reader, '=', "in an operation") : result_plain(reader, op, part + 1);
	case '-': return aie_read_arrow(reader);
	default: return aie_read_mark(reader, *part, "in an operation");
	}
}

static bool pattern_read(struct aie_reader *reader, struct aie_op *op, const char *at)
{
	char part[PART];

	while (part_next(&at, part)) {
		if (*part == ';')
			continue;
		if (*part != '?') {
			if (!part_read(reader, op, part))
				return false;
			continue;
		}
		if (!stands_here(reader, part + 1)) {
			while (*part != ';' && part_next(&at, part))
				;
			continue;
		}
		if (!part_read(reader, op, part + 1))
			return false;
	}
	return true;
}

bool aie_form_device(struct aie_reader *reader, struct aie_op *op, const struct aie_token *at, bool *known_out)
{
	const struct form_row *row = NULL;

	for (size_t i = 0; !row && i < ROWS; i++)
		if (strlen(rows[i].name) == at->length && !memcmp(rows[i].name, at->begin, at->length))
			row = &rows[i];
	*known_out = row != NULL;
	if (!row)
		return false;
	op->name = aie_name(reader->module, row->name, strlen(row->name));
	if (!op->name)
		return aie_read_memory(reader);
	return pattern_read(reader, op, row->pattern) && (!row->rest || row->rest(reader, op));
}
