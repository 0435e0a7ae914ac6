/* SPDX-License-Identifier: MIT */
/* ir_form_pattern.c - operations as people write them, read and printed by one pattern each: those of aie, aiex and what cores branch with (ir_form.def), and those of
 * arith and memref that have a shape in common. Where patterns do not reach, text is read by ir_form_*.c and printed by ir_custom*.c. */
#include "aie/aie_arch.h"
#include "aie/ir/ir_form.h"
#include "aie/ir/ir_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct form_row {
	const char *name, *pattern;
	aie_form_rest *rest;
	aie_custom_form *print;
} rows[] = {
#define X(name, pattern, read, print) {name, pattern, read, print},
#include "aie/ir/ir_form.def"
#undef X
};
enum { ROWS = sizeof(rows) / sizeof(*rows), PART = 48, PATTERN_ATTRS = 8 };

static const char *const shapes[] = {
	[AIE_SHAPE_LOAD] = "% [ %] D : M0 =e0",     [AIE_SHAPE_STORE] = "% , % [ %] D : M1",       [AIE_SHAPE_ALLOC] = "() D S00 : =T",
	[AIE_SHAPE_DEALLOC] = "% D : M0",           [AIE_SHAPE_VIEW] = "% [ % ] [] D : T0 'to =T", [AIE_SHAPE_COPY] = "% , % D : T0 'to T1",
	[AIE_SHAPE_BINARY] = "% , % F D : T0 =0",   [AIE_SHAPE_UNARY] = "% F D : T0 =0",           [AIE_SHAPE_COMPARE] = "P , % , % F D : T0 =i1",
	[AIE_SHAPE_SELECT] = "% , % , % D : T1 =1", [AIE_SHAPE_CONVERT] = "% F D : T0 'to =T",
};

const char *aie_form_pattern(enum aie_shape shape)
{
	return (size_t)shape < sizeof(shapes) / sizeof(*shapes) ? shapes[shape] : NULL;
}

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

/* ---- parts of a pattern */

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

/* Number of the operand that a part says; the last one where it says none. */
static uint32_t operand_of(const struct aie_op *op, const char *digit)
{
	return *digit ? (uint32_t)(*digit - '0') : op->operand_count - 1;
}

/* The attribute that a part sets; NULL: it sets none. */
static const char *attr_name(const char *part)
{
	return *part == '$' ? strchr(part, ':') + 1 : strchr("#&@!", *part) ? part + 1 : NULL;
}

/* ---- reading */

/* overflow<nsw, nuw>, fastmath<nnan,ninf>: kept as the generic form has them. */
static const char *const flag_words[][2] = {{"overflow", "overflowFlags"}, {"fastmath", "fastmath"}};

static bool flags_read(struct aie_reader *reader, struct aie_op *op)
{
	char text[64];
	size_t length;

	for (size_t i = 0; i < 2; i++) {
		if (!aie_read_take_word(reader, flag_words[i][0]))
			continue;
		length = (size_t)snprintf(text, sizeof(text), "#arith.%s<", flag_words[i][0]);
		if (!aie_read_mark(reader, '<', "and flags"))
			return false;
		do {
			if (reader->token.kind != AIE_TOKEN_WORD || length + reader->token.length + 4 > sizeof(text))
				return aie_read_expected(reader, "a flag");
			length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%.*s",
						   text[length - 1] == '<' ? ""
						   : i                     ? ","
									   : ", ",
						   (int)reader->token.length, reader->token.begin);
			aie_read_next(reader);
		} while (aie_read_take(reader, ','));
		text[length] = '>';
		text[length + 1] = '\0';
		if (!aie_read_mark(reader, '>', "behind flags") ||
		    !aie_read_set(reader, op, flag_words[i][1], aie_attr_text(reader->module, AIE_ATTR_OTHER, text)))
			return false;
	}
	return true;
}

static bool predicate_read(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_type *wide = aie_type_plain(reader->module, AIE_TYPE_INT, 64);

	for (uint32_t i = 0; aie_op_predicate(row, i); i++)
		if (aie_read_take_word(reader, aie_op_predicate(row, i)))
			return aie_read_set(reader, op, "predicate", aie_attr_int(reader->module, wide, i));
	return aie_read_expected(reader, "how to compare, such as eq, slt or olt");
}

static bool type_read(struct aie_reader *reader, struct aie_op *op, const char *part)
{
	const struct aie_token at = reader->token;
	const struct aie_type *type;

	if (!aie_form_typed(reader, op, operand_of(op, part + 1), &type))
		return false;
	return *part == 'T' || type->kind == AIE_TYPE_MEMREF || aie_read_fail(reader, &at, "the type of a number stands here, expected a memref");
}

static bool result_read(struct aie_reader *reader, struct aie_op *op, const char *part)
{
	switch (*part) {
	case 'T': return aie_read_result(reader, op, aie_read_type(reader));
	case 'i': return aie_read_result(reader, op, aie_type_plain(reader->module, part[1] == '1' ? AIE_TYPE_INT : AIE_TYPE_INDEX, part[1] == '1'));
	case 'e': return aie_read_result(reader, op, op->operands[operand_of(op, part + 1)]->type->element);
	default: return aie_read_result(reader, op, op->operands[operand_of(op, part)]->type);
	}
}

static bool segments_read(struct aie_reader *reader, struct aie_op *op, const char *digits)
{
	int64_t segments[PART];
	uint32_t count = 0;

	for (; digits[count]; count++)
		segments[count] = digits[count] - '0';
	return aie_form_ints(reader, op, "operandSegmentSizes", 32, count, segments);
}

static bool initial_read(struct aie_reader *reader, struct aie_op *op)
{
	if (!aie_read_take(reader, '='))
		return true;
	if (op->results[0]->type->kind != AIE_TYPE_MEMREF)
		return aie_read_expected(reader, "nothing behind a buffer that is no memref");
	return aie_read_word(reader, "dense", "and the first values") &&
	       aie_read_set(reader, op, "initial_value", aie_read_dense(reader, op->results[0]->type));
}

static bool stands_here(const struct aie_reader *reader, const char *part)
{
	if (*part == '@' || *part == '!')
		return reader->token.kind == AIE_TOKEN_SYMBOL;
	return aie_read_at_mark(reader, *part);
}

static bool attrs_read(struct aie_reader *reader, struct aie_op *op, bool before_region)
{
	const bool said = aie_read_take_word(reader, "attributes");

	return (before_region && !said) || aie_form_attrs(reader, op);
}

/* The words behind a mark in a sentence, by the part that follows. */
static const char *mark_why(const char *next)
{
	while (*next == ' ')
		next++;
	if (*next == '%')
		return next[1] == ']' ? "and indices" : "and an operand";
	return *next && strchr("TM=", *next) ? "and a type" : "in an operation";
}

static bool part_read(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row, const char *part, const char *next)
{
	const struct aie_attr *attr;
	const char *text;
	char list[PART];

	switch (*part) {
	case '\'': return aie_read_word(reader, part + 1, mark_why(next));
	case '#': return aie_form_number(reader, op, part + 1);
	case '$':
		memcpy(list, part + 1, PART - 1);
		*strchr(list, ':') = '\0';
		return aie_form_listed(reader, op, list, attr_name(part));
	case '&': text = word_take(reader); return text && aie_read_set(reader, op, part + 1, aie_attr_text(reader->module, AIE_ATTR_STRING, text));
	case '@': attr = aie_read_symbol(reader); return attr && aie_read_set(reader, op, part + 1, attr);
	case '!': return aie_form_symbol(reader, op, part + 1);
	case '%': return part[1] ? aie_read_operands(reader, op, part[1]) : aie_read_operand(reader, op);
	case '^': return aie_read_successor(reader, op);
	case 'A': return attrs_read(reader, op, true);
	case 'D': return row ? aie_form_attrs(reader, op) : attrs_read(reader, op, false);
	case 'F': return flags_read(reader, op);
	case 'P': return predicate_read(reader, op, row);
	case 'S': return segments_read(reader, op, part + 1);
	case 'I': return initial_read(reader, op);
	case 'R': return aie_read_region(reader, op);
	case 'T':
	case 'M': return type_read(reader, op, part);
	case '=': return part[1] ? result_read(reader, op, part + 1) : aie_read_mark(reader, '=', mark_why(next));
	case '-': return aie_read_arrow(reader);
	default:
		return aie_read_mark(reader, *part, part[1] ? "as sizes stand in the type" : mark_why(next)) &&
		       (!part[1] || aie_read_mark(reader, part[1], "as sizes stand in the type"));
	}
}

bool aie_form_by_pattern(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row, const char *at)
{
	char part[PART];

	while (part_next(&at, part)) {
		const bool maybe = *part == '?';

		if (*part == ';')
			continue;
		if (maybe && !stands_here(reader, part + 1)) {
			while (*part != ';' && part_next(&at, part))
				;
			continue;
		}
		if (!part_read(reader, op, row, part + maybe, at))
			return false;
	}
	return true;
}

static const struct form_row *row_of(const char *name, size_t length)
{
	for (size_t i = 0; i < ROWS; i++)
		if (strlen(rows[i].name) == length && !memcmp(rows[i].name, name, length))
			return &rows[i];
	return NULL;
}

bool aie_form_device(struct aie_reader *reader, struct aie_op *op, const struct aie_token *at, bool *known_out)
{
	const struct form_row *row = row_of(at->begin, at->length);

	*known_out = row != NULL;
	if (!row)
		return false;
	op->name = aie_name(reader->module, row->name, strlen(row->name));
	if (!op->name)
		return aie_read_memory(reader);
	return aie_form_by_pattern(reader, op, NULL, row->pattern) && (!row->rest || row->rest(reader, op));
}

/* ---- printing */

struct printer {
	const struct aie_custom *custom;
	const struct aie_op *op;
	const struct aie_op_row *row; /* NULL: of aie or aiex */
	uint32_t depth, operands, results, regions;
	const char *without[PATTERN_ATTRS + 1]; /* attributes that parts print */
	uint32_t without_count;
	char last; /* of the text */
};

/* Texts of all parts but marks begin behind a blank, unless a mark that opens stands before them. */
static void put(struct printer *printer, const char *text)
{
	if (!(*text && strchr("()[],<>", *text)) && !(printer->last && strchr("([<", printer->last)))
		common_text_put(printer->custom->text, " ");
	common_text_put(printer->custom->text, text);
	printer->last = *text;
}

static const char *word_of(const struct aie_op *op, const char *part)
{
	const struct aie_attr *attr = aie_attr_kind_of(op, attr_name(part), AIE_ATTR_INT);

	for (size_t i = 0; attr && i < sizeof(words) / sizeof(*words); i++)
		if (!strncmp(words[i].list, part + 1, strlen(words[i].list)) && words[i].number == attr->number)
			return words[i].word;
	return NULL;
}

static bool attr_print(struct printer *printer, const char *part)
{
	const struct aie_attr *number = *part == '#' ? aie_attr_kind_of(printer->op, part + 1, AIE_ATTR_INT) : NULL,
			      *name = *part == '@'   ? aie_attr_kind_of(printer->op, part + 1, AIE_ATTR_SYMBOL)
				      : *part == '!' ? aie_attr_kind_of(printer->op, part + 1, AIE_ATTR_STRING)
						     : NULL;
	const char *word = *part == '$' ? word_of(printer->op, part) : NULL;

	if (!number && !name && !word)
		return false;
	put(printer, word ? word : "");
	if (number)
		common_text_add(printer->custom->text, "%" PRId64, number->number);
	if (name)
		aie_print_symbol(printer->custom->text, name->text);
	printer->last = 0;
	return true;
}

static void flags_print(const struct printer *printer)
{
	for (int i = 0; i < 2; i++) {
		const struct aie_attr *attr = aie_attr_kind_of(printer->op, flag_words[i][1], AIE_ATTR_OTHER);

		if (attr && !strncmp(attr->text, "#arith.", 7))
			common_text_add(printer->custom->text, " %s", attr->text + 7);
	}
}

static bool operands_print(struct printer *printer, char closing)
{
	const struct aie_op *op = printer->op;
	const uint32_t first = printer->operands;

	printer->operands = closing ? op->operand_count : first + 1;
	if (printer->operands > op->operand_count)
		return false;
	put(printer, "");
	aie_custom_values(printer->custom, op->operands, first, printer->operands);
	if (closing)
		common_text_bytes(printer->custom->text, &closing, 1);
	return true;
}

static bool region_print(struct printer *printer)
{
	const struct aie_op *op = printer->op;

	if (printer->regions == op->region_count || op->regions[printer->regions].argument_count)
		return false;
	put(printer, "");
	aie_custom_region(printer->custom, &op->regions[printer->regions++], printer->depth, NULL);
	return true;
}

static bool initial_print(struct printer *printer)
{
	const struct aie_attr *initial = aie_attr_of(printer->op, "initial_value");

	if (!initial || initial->kind != AIE_ATTR_DENSE)
		return !initial;
	common_text_put(printer->custom->text, " = ");
	aie_print_dense(printer->custom->text, initial);
	return true;
}

static bool type_print(struct printer *printer, const struct aie_type *type)
{
	put(printer, "");
	aie_print_type(printer->custom->text, type);
	return true;
}

static bool part_print(struct printer *printer, const char *part)
{
	const struct aie_op *op = printer->op;

	switch (*part) {
	case '#':
	case '$':
	case '@':
	case '!': return attr_print(printer, part);
	case '%': return operands_print(printer, part[1]);
	case 'D': aie_print_attrs(printer->custom->text, op, printer->without, " "); return true;
	case 'F': flags_print(printer); return true;
	case 'P': put(printer, aie_op_predicate(printer->row, (uint32_t)aie_attr_of(op, "predicate")->number)); return true;
	case 'A':
	case 'S': return true;
	case 'I': return initial_print(printer);
	case 'R': return region_print(printer);
	case 'T':
	case 'M': return type_print(printer, op->operands[operand_of(op, part + 1)]->type);
	case '=':
		if (printer->results++ == op->result_count)
			return false;
		return part[1] != 'T' || type_print(printer, op->results[printer->results - 1]->type);
	case '\'': put(printer, part + 1); return true;
	case '&':
	case '^':
	case '?': return false;
	default:
		put(printer, part);
		printer->last = part[1] ? 0 : *part;
		return true;
	}
}

/* Attributes that the parts themselves print. */
static void without_fill(struct printer *printer, const char *at)
{
	char part[PART];

	while (part_next(&at, part)) {
		const char *const own[] = {*part == 'P'   ? "predicate"
					   : *part == 'S' ? "operandSegmentSizes"
					   : *part == 'I' ? "initial_value"
							  : attr_name(part),
					   flag_words[0][1], flag_words[1][1]};

		for (int i = *part == 'F'; i < (*part == 'F' ? 3 : 1); i++)
			for (uint32_t a = 0; own[i] && a < printer->op->attr_count && printer->without_count < PATTERN_ATTRS; a++)
				if (!strcmp(printer->op->attrs[a].name, own[i]))
					printer->without[printer->without_count++] = printer->op->attrs[a].name;
	}
}

bool aie_custom_by_pattern(const struct aie_custom *custom, const struct aie_op *op, const struct aie_op_row *row, const char *at, uint32_t depth)
{
	struct printer printer = {.custom = custom, .op = op, .row = row, .depth = depth};
	const size_t before = custom->text->length;
	char part[PART];
	bool good = true;

	without_fill(&printer, at);
	aie_print_results(custom->text, custom->names, op);
	common_text_put(custom->text, op->name);
	while (good && part_next(&at, part))
		good = part_print(&printer, part);
	good = good && printer.operands == op->operand_count && printer.results == op->result_count && printer.regions == op->region_count;
	if (!good)
		custom->text->length = before;
	return good;
}

bool aie_custom_row(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth)
{
	return aie_custom_by_pattern(custom, op, NULL, row_of(op->name, strlen(op->name))->pattern, depth);
}

bool aie_custom_device_op(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth)
{
	const struct form_row *row = row_of(op->name, strlen(op->name));

	return row && row->print && row->print(custom, op, depth);
}
