/* SPDX-License-Identifier: MIT */
/* as_tile.c - tile operations of PTO-AS: pto.tadd ins(%a, %b : T, T) outs(%c : T). Sources and destinations are those of the
 * opcode's letters, in their order. */
#include "lang/parse/as.h"

#include "isa/isa.h"
#include "registry/common/common_dtype.h"

#include <stdbool.h>
#include <string.h>

#define TILE_ELEMENTS (1u << 24)

/* "addr = %a valid_row = %r valid_col = %c" before the type: the last two are numbers here. */
static bool extents_read(struct lang_as *as, uint32_t extents[2])
{
	static const char *const words[] = {"valid_row", "valid_col", "addr"};

	for (;;) {
		struct lang_as_term term;
		size_t i = 0;

		while (i < 3 && !lang_at_word(as->parser, words[i]))
			i++;
		if (i == 3)
			return true;
		lang_take(as->parser);
		if (!lang_expect(as->parser, '=', "behind the word") || !lang_as_term(as, &term))
			return false;
		if (i < 2 && (term.var || term.number < 1 || term.number > UINT32_MAX)) {
			lang_error(as->parser->unit, as->at, "the valid part of a tile is a number here, %s is none", words[i]);
			lang_help(as->parser->unit, "a tile has one shape: write it as arith.constant");
			return false;
		}
		if (i < 2)
			extents[i] = (uint32_t)term.number;
		if (lang_at_mark(as->parser, ','))
			lang_take(as->parser);
	}
}

int lang_as_tile_alloc(struct lang_as *as, const struct lang_as_results *results)
{
	uint32_t extents[2] = {0, 0};
	struct lang_as_type type;
	struct lang_as_value *value;

	if (results->count != 1) {
		lang_error(as->parser->unit, as->at, "pto.alloc_tile gives 1 result, here are %u", results->count);
		return 0;
	}
	if (!extents_read(as, extents) || !lang_expect(as->parser, ':', "and the tile's type") || !lang_as_type_parse(as->parser, &type))
		return 0;
	if (type.kind != LANG_AS_TYPE_TILE) {
		lang_error(as->parser->unit, type.at, "pto.alloc_tile needs the type of a tile");
		return 0;
	}
	type.type.rows = type.type.rows ? type.type.rows : extents[0];
	type.type.columns = type.type.columns ? type.type.columns : extents[1];
	if (!type.type.rows || !type.type.columns || (uint64_t)type.type.rows * type.type.columns > TILE_ELEMENTS) {
		lang_error(as->parser->unit, type.at, "a tile has 1 to %u elements, this one is %ux%u", TILE_ELEMENTS, type.type.rows, type.type.columns);
		if (!type.type.rows || !type.type.columns)
			lang_help(as->parser->unit, "what the type leaves open is stated before it: valid_row = %%c16 valid_col = %%c128");
		return 0;
	}
	value = lang_as_define(as, results->names[0], LANG_AS_TILE);
	value->type = type.type;
	value->text = lang_as_var(as, LANG_TILE, results->names[0]->text, type.type, results->names[0]->at);
	return 1;
}

/* Values of one ins(...) or outs(...). */
struct values {
	struct lang_as_value *rows[LANG_AS_OPERANDS];
	uint32_t count;
};

/* "{cmpMode = #pto.cmp<GT>}", "{cmpMode = #pto<cmp gt>}"; what no mode of the opcode is called like is for machines, and so is
 * whatever stands in braces of its own. */
static bool attributes_read(struct lang_as *as, unsigned op, uint8_t *mode)
{
	const char *key = "";
	int depth = 0;

	if (!lang_at_mark(as->parser, '{'))
		return true;
	do {
		const struct lang_token *token = lang_peek(as->parser);

		if (token->kind == LANG_END)
			return lang_expected(as->parser, "\"}\" behind the attributes");
		depth += (token->mark == '{') - (token->mark == '}');
		if (token->kind == LANG_WORD && token[1].mark == '=')
			key = token->text;
		else if (token->kind == LANG_WORD && depth == 1 && token[1].kind != LANG_WORD && !lang_mode_find(as->parser, op, key, token, mode))
			return false;
		lang_take(as->parser);
	} while (depth > 0);
	return true;
}

/* A type that is repeated must be the same. */
static bool types_check(struct lang_as *as, const struct values *values)
{
	uint32_t i = 0;

	if (!lang_at_mark(as->parser, ':'))
		return true;
	lang_take(as->parser);
	for (;; i++) {
		struct lang_as_type type;
		const struct lang_as_value *value = i < values->count ? values->rows[i] : NULL;

		if (!lang_as_type_parse(as->parser, &type))
			return false;
		if (value && value->kind == LANG_AS_TILE && type.kind == LANG_AS_TYPE_TILE &&
		    (type.type.dtype != value->type.dtype || (type.type.rows && type.type.rows != value->type.rows) ||
		     (type.type.columns && type.type.columns != value->type.columns))) {
			lang_error(as->parser->unit, type.at, "%%%s is %ux%u of %s, the type says otherwise", value->name, value->type.rows,
				   value->type.columns, common_dtype_text(value->type.dtype));
			return false;
		}
		if (!lang_at_mark(as->parser, ','))
			return true;
		lang_take(as->parser);
	}
}

static bool values_read(struct lang_as *as, unsigned op, const char *word, struct values *values, uint8_t *mode)
{
	values->count = 0;
	if (!lang_at_word(as->parser, word))
		return lang_expected(as->parser, !strcmp(word, "ins") ? "ins(...)" : "outs(...)");
	lang_take(as->parser);
	if (!lang_expect(as->parser, '(', "and the operands"))
		return false;
	while (!lang_at_mark(as->parser, ':') && !lang_at_mark(as->parser, ')')) {
		if (!attributes_read(as, op, mode))
			return false;
		if (lang_at_mark(as->parser, ':') || lang_at_mark(as->parser, ')'))
			break;
		if (values->count == LANG_AS_OPERANDS) {
			lang_error(as->parser->unit, lang_peek(as->parser)->at, "no operation has more than %u operands", LANG_AS_OPERANDS);
			return false;
		}
		values->rows[values->count] = lang_as_operand(as);
		if (!values->rows[values->count++])
			return false;
		if (lang_at_mark(as->parser, ','))
			lang_take(as->parser);
	}
	return types_check(as, values) && lang_expect(as->parser, ')', "behind the operands");
}

/* An index counts elements of the memory, so that a view must begin where the memory does. */
static bool begins_elsewhere(const struct lang_as_value *value)
{
	return value->kind == LANG_AS_VIEW && (value->view->base.var || value->view->base.number);
}

static uint32_t letters(const char *operands, const char *set)
{
	uint32_t count = 0;

	for (; *operands; operands++)
		count += strchr(set, *operands) != NULL;
	return count;
}

static const char *kind_text(const struct lang_as_value *value)
{
	static const char *const texts[] = {"broken", "a number", "a number", "a scalar", "a tile", "a pointer", "a view"};

	return texts[value->kind];
}

static int fits(char letter, const struct lang_as_value *value)
{
	switch (letter) {
	case 'T':
	case 't': return value->kind == LANG_AS_TILE;
	case 'S':
	case 's': return value->kind == LANG_AS_NUMBER || value->kind == LANG_AS_FLOAT || (value->kind == LANG_AS_SCALAR);
	default: return value->kind == LANG_AS_VIEW || value->kind == LANG_AS_POINTER;
	}
}

/* Operands by letter: destinations from outs, sources from ins. */
static bool operands_order(struct lang_as *as, unsigned op, const char *word, const struct values *ins, const struct values *outs,
			   struct lang_operand *operands)
{
	const char *order = isa_op(op)->operands;
	uint32_t in = 0, out = 0;

	for (uint32_t i = 0; order[i]; i++) {
		const struct lang_as_value *value = order[i] < 'a' ? outs->rows[out++] : ins->rows[in++];

		if (!fits(order[i], value)) {
			lang_error(as->parser->unit, as->at, "%s needs a %s as %s %u, %%%s is %s", word,
				   strchr("Tt", order[i])   ? "tile"
				   : strchr("Ss", order[i]) ? "scalar"
							    : "view",
				   order[i] < 'a' ? "destination" : "source", order[i] < 'a' ? out : in, value->name ? value->name : value->text,
				   kind_text(value));
			return false;
		}
		if (begins_elsewhere(value)) {
			lang_error(as->parser->unit, as->at, "%s counts elements from the beginning of the memory, %%%s begins elsewhere", word, value->name);
			return false;
		}
		operands[i] = lang_as_of_value(as, value);
	}
	return true;
}

/* Reductions name a scratch tile behind their source, which nothing here needs. */
static void scratch_drop(unsigned op, struct values *ins)
{
	if (op >= PTOWSP_PTO_TROWSUM && op <= PTOWSP_PTO_TCOLMIN && ins->count == 2)
		ins->count = 1;
}

static bool move_refuse(struct lang_as *as, unsigned op, const char *word)
{
	lang_error(as->parser->unit, as->at, op == PTOWSP_PTO_TLOAD ? "%s goes from a part of a view to a tile" : "%s goes from a tile to a part of a view",
		   word);
	return false;
}

/* The tile scaled by column, which is then stored as any other. */
static const struct lang_as_value *scaled(struct lang_as *as, const struct lang_as_value *tile, const struct lang_as_value *scale)
{
	struct lang_as_value *value = common_alloc(&as->parser->unit->arena, sizeof(*value));
	struct lang_operand operands[3];

	*value = *tile;
	value->text = lang_as_var(as, LANG_TILE, "scaled", tile->type, as->at);
	operands[0] = lang_as_of_name(as, value->text);
	operands[1] = lang_as_of_name(as, tile->text);
	operands[2] = lang_as_of_name(as, scale->text);
	lang_as_emit(as, PTOWSP_PTO_TMOV_FP, operands, 3);
	return value;
}

static int move(struct lang_as *as, unsigned op, const struct values *ins, const struct values *outs, const char *word)
{
	const struct lang_as_value *from = ins->rows[0], *to = outs->rows[0];
	const uint32_t count = op == PTOWSP_PTO_TSTORE_FP ? 2 : 1;

	if (ins->count != count || outs->count != 1 || from->kind != (op == PTOWSP_PTO_TLOAD ? LANG_AS_VIEW : LANG_AS_TILE) ||
	    to->kind != (op == PTOWSP_PTO_TLOAD ? LANG_AS_TILE : LANG_AS_VIEW) || (count == 2 && ins->rows[1]->kind != LANG_AS_TILE))
		return move_refuse(as, op, word);
	if (op == PTOWSP_PTO_TLOAD)
		return lang_as_load(as, from, to);
	return lang_as_store(as, count == 2 ? scaled(as, from, ins->rows[1]) : from, to);
}

/* A move into a tile of another type converts, as the machine's does. */
static unsigned move_op(unsigned op, const struct values *ins, const struct values *outs)
{
	return op == PTOWSP_PTO_TMOV && ins->count == 1 && outs->count == 1 && ins->rows[0]->kind == LANG_AS_TILE &&
			       ins->rows[0]->type.dtype != outs->rows[0]->type.dtype
		       ? PTOWSP_PTO_TCVT
		       : op;
}

bool lang_as_tile_op(struct lang_as *as, unsigned op, const char *word)
{
	const char *order = isa_op(op)->operands;
	const uint32_t outs_want = letters(order, "TSM"), ins_want = letters(order, "tsm");
	struct lang_operand operands[LANG_AS_OPERANDS];
	struct values ins = {.count = 0}, outs = {.count = 0};
	uint8_t mode = UINT8_MAX;

	if (ins_want && lang_at_word(as->parser, "ins") && !values_read(as, op, "ins", &ins, &mode))
		return false;
	if ((outs_want || lang_at_word(as->parser, "outs")) && !values_read(as, op, "outs", &outs, &mode))
		return false;
	if (!attributes_read(as, op, &mode))
		return false;
	if (op == PTOWSP_PTO_TLOAD || op == PTOWSP_PTO_TSTORE || op == PTOWSP_PTO_TSTORE_FP)
		return move(as, op, &ins, &outs, word);
	scratch_drop(op, &ins);
	if (ins.count != ins_want || outs.count != outs_want) {
		lang_error(as->parser->unit, as->at, "%s takes %u source%s and %u destination%s, here are %u and %u", word, ins_want, ins_want == 1 ? "" : "s",
			   outs_want, outs_want == 1 ? "" : "s", ins.count, outs.count);
		lang_help(as->parser->unit, "%s: %s", isa_op(op)->mnemonic, isa_op(op)->effect);
		return false;
	}
	if (mode == UINT8_MAX && (op == PTOWSP_PTO_TCMP || op == PTOWSP_PTO_TCMPS)) {
		lang_error(as->parser->unit, as->at, "%s needs a mode: {cmpMode = #pto.cmp<GT>}", word);
		return false;
	}
	mode = mode == UINT8_MAX ? 0 : mode;
	op = move_op(op, &ins, &outs);
	if (!operands_order(as, op, word, &ins, &outs, operands))
		return false;
	lang_as_emit(as, op, operands, (uint32_t)strlen(order))->mode = mode;
	return true;
}

int lang_as_element_get(struct lang_as *as, const struct lang_as_results *results)
{
	struct values ins = {.count = 0};
	struct lang_operand operands[3];
	struct lang_as_value *value;
	uint8_t mode = UINT8_MAX;

	if (!values_read(as, PTOWSP_PTO_GETVAL, "ins", &ins, &mode))
		return 0;
	if (lang_at_word(as->parser, "outs"))
		lang_take(as->parser);
	if (!lang_as_types_skip(as->parser))
		return 0;
	if (results->count != 1 || ins.count != 2 || !fits('t', ins.rows[0]) || !fits('s', ins.rows[1])) {
		lang_error(as->parser->unit, as->at, "an element of a tile is got like this: %%v = pto.getval ins(%%tile, %%index : T, index)");
		return 0;
	}
	value = lang_as_define(as, results->names[0], LANG_AS_SCALAR);
	value->type = (struct lang_type){.kind = LANG_TYPE_SCALAR, .dtype = ins.rows[0]->type.dtype};
	value->term.var = lang_as_var(as, LANG_SCALAR, results->names[0]->text, value->type, results->names[0]->at);
	operands[0] = lang_as_of_name(as, value->term.var);
	operands[1] = lang_as_of_value(as, ins.rows[0]);
	operands[2] = lang_as_of_value(as, ins.rows[1]);
	lang_as_emit(as, PTOWSP_PTO_GETVAL, operands, 3);
	return 1;
}
