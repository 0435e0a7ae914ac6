/* SPDX-License-Identifier: MIT */
/* parse_op.c - tile and scalar operations of functions, and the words of their modes. */
#include "isa/isa.h"
#include "lang/parse/parse.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static uint32_t results_of(const char *operands)
{
	return (uint32_t)strspn(operands, "TS");
}

/* "%m" and "%m[]" mean "%m[0, 0]". */
static void indices_fill(struct lang_parser *parser, struct lang_stmt *stmt, const char *operands, uint32_t *capacity)
{
	const char *memref = strpbrk(operands, "mM");
	uint32_t behind;

	if (!memref || strncmp(memref + 1, "ss", 2) != 0 || stmt->count + 2 != strlen(operands))
		return;
	behind = (uint32_t)(memref - operands) + 1;
	for (int i = 0; i < 2; i++) {
		lang_operand_add(parser, stmt, capacity);
		memmove(&stmt->operands[behind + 1], &stmt->operands[behind], (stmt->count - 1 - behind) * sizeof(*stmt->operands));
		stmt->operands[behind] = (struct lang_operand){.kind = LANG_OPERAND_NUMBER, .text = "0", .at = stmt->operands[behind - 1].at};
	}
}

/* How it is written, with the names that its effect has: "%d = tload %m[r, c]". */
static const char *form_text(struct lang_parser *parser, const struct lang_stmt *stmt, const char *operands, uint32_t results)
{
	struct common_arena *arena = &parser->unit->arena;
	const char *text = results ? "" : stmt->word, *sources = "abcf", *targets = "de";
	uint32_t count = (uint32_t)strlen(operands);

	for (uint32_t i = 0; i < count; i++) {
		const char *comma = i > results || (i && i < results) ? "," : "", *name = "m";
		int element = strchr("Mm", operands[i]) && operands[i + 1] == 's' && operands[i + 2] == 's';

		if (results && i == results)
			text = common_format(arena, "%s = %s", text, stmt->word);
		if (!strchr("Mm", operands[i]))
			name = common_format(arena, "%c", strchr("TS", operands[i]) ? *targets++ : *sources++);
		if (operands[i] == 's' && stmt->op < PTOWSP_PTO_ADD)
			name = "s";
		text = common_format(arena, "%s%s%s%%%s%s", text, comma, *text ? " " : "", name, element ? "[r, c]" : "");
		i += element ? 2 : 0;
	}
	return text;
}

/* Says the numbers in words: "tadd takes 2 operands and gives 1 result". */
static bool count_check(struct lang_parser *parser, struct lang_stmt *stmt, const char *operands)
{
	uint32_t want = (uint32_t)strlen(operands), results = results_of(operands);
	int scalar = strchr("SM", *operands) && stmt->op >= PTOWSP_PTO_ADD; /* results are listed first */

	if (scalar)
		results = 0;
	/* tassign and setval change a tile that may stand on either side of the sign. */
	if (stmt->count == want && (stmt->results == results || (!stmt->results && (stmt->op == PTOWSP_PTO_TASSIGN || stmt->op == PTOWSP_PTO_SETVAL))))
		return true;
	if (stmt->results != results && results)
		lang_error(parser->unit, stmt->at, "%s gives %u result%s, here are %u", stmt->word, results, results > 1 ? "s" : "", stmt->results);
	else if (stmt->results != results)
		lang_error(parser->unit, stmt->at, "%s gives no result: nothing stands before it with \"=\"", stmt->word);
	else
		lang_error(parser->unit, stmt->at, "%s takes %u operand%s, here are %u", stmt->word, want - results, want - results == 1 ? "" : "s",
			   stmt->count - stmt->results);
	lang_help(parser->unit, "%s: %s", form_text(parser, stmt, operands, results), isa_op(stmt->op)->effect);
	return false;
}

static void op_guess(struct lang_parser *parser, const struct lang_token *word, const struct lang_stmt *stmt)
{
	struct lang_guess guess;

	lang_guess_start(&guess, word->text);
	for (unsigned i = 0; i < 256; i++)
		if (isa_op(i) && (!stmt->results || i < PTOWSP_PTO_ADD))
			lang_guess_try(&guess, isa_op(i)->mnemonic);
	for (size_t i = 0; i < LANG_DECL_KINDS && parser->function->bare && word->first; i++)
		if (lang_decl_forms[i].word)
			lang_guess_try(&guess, lang_decl_forms[i].word);
	lang_guess_try(&guess, "alloc_tile");
	lang_guess_try(&guess, "alloc_scalar");
	lang_guess_try(&guess, "IF_BIT");
	lang_guess_help(parser->unit, &guess, "");
}

static bool op_refuse(struct lang_parser *parser, const struct lang_token *word, const struct lang_stmt *stmt)
{
	const int heads_file = parser->function->bare && word->first;

	lang_error(parser->unit, word->at, "there is no instruction \"%.80s\"", word->text);
	if (lang_is_work_word(word->text))
		lang_help(parser->unit, "%.80s stands in workloads; %s", word->text,
			  !strcmp(word->text, "call") ? "functions write CALL" : "functions have FOR, IF, WHILE and CALL");
	else if (!lang_habit_help(parser->unit, LANG_HABIT_FUNCTION, word->text) && !(heads_file && lang_habit_help(parser->unit, LANG_HABIT_FILE, word->text)))
		op_guess(parser, word, stmt);
	return false;
}

static bool op_find(struct lang_parser *parser, const struct lang_token *word, struct lang_stmt *stmt)
{
	int op = isa_op_find(word->text, strlen(word->text));

	stmt->word = word->text;
	stmt->at = word->at;
	if (op >= 0) {
		stmt->op = (uint8_t)op;
		return true;
	}
	if (!strncmp(word->text, "tmov.", 5)) {
		stmt->op = PTOWSP_PTO_TMOV;
		return lang_mode_read(parser, stmt, "", word->text + 5, word->at);
	}
	return op_refuse(parser, word, stmt);
}

bool lang_tile_op_parse(struct lang_parser *parser, struct lang_stmt *stmt, uint32_t capacity)
{
	const struct lang_token *word = lang_take(parser);
	const char *operands;

	if (!op_find(parser, word, stmt))
		return false;
	operands = isa_op(stmt->op)->operands;
	if (!*operands || stmt->op >= PTOWSP_PTO_ADD) {
		lang_error(parser->unit, stmt->at, "%s does not stand %s", stmt->word, stmt->results ? "behind a result" : "here");
		if (stmt->results && stmt->op >= PTOWSP_PTO_ADD && stmt->op <= PTOWSP_PTO_LOAD)
			lang_help(parser->unit, "what it sets is its first operand: %s %%%s, ...", stmt->word, stmt->operands[0].text);
		else
			lang_help(parser->unit, "%s: %s", stmt->word, isa_op(stmt->op)->effect);
		return false;
	}
	if (!lang_operands_parse(parser, stmt, &capacity, 0) || !lang_attributes_parse(parser, stmt) || !lang_tail_parse(parser, stmt))
		return false;
	indices_fill(parser, stmt, operands, &capacity);
	return count_check(parser, stmt, operands);
}

bool lang_scalar_op_parse(struct lang_parser *parser, struct lang_stmt *stmt)
{
	uint32_t capacity = 0;

	if (!lang_operands_parse(parser, stmt, &capacity, 1))
		return false;
	if (stmt->op == PTOWSP_PTO_CMP) {
		const struct lang_token *mode = lang_peek(parser);

		if (mode->kind != LANG_WORD)
			return lang_expected(parser, "the comparison: EQ NE LT LE GT or GE");
		lang_take(parser);
		if (!lang_mode_read(parser, stmt, ",", mode->text, mode->at))
			return false;
	}
	return count_check(parser, stmt, isa_op(stmt->op)->operands);
}

int lang_scalar_op_find(const struct lang_token *word)
{
	const int op = word->kind == LANG_WORD && *word->text <= 'Z' ? isa_op_find(word->text, strlen(word->text)) : -1;

	return op >= PTOWSP_PTO_ADD && op <= PTOWSP_PTO_STORE ? op : -1;
}

/* ---- modes of opcodes: the words that attributes, suffixes and comparisons say them with. ---- */

static const struct mode {
	uint8_t op;
	const char *attribute, *word;
	uint8_t mode;
} modes[] = {
#define X(op, attribute, word, mode) {PTOWSP_PTO_##op, attribute, word, mode},
#include "lang/modes.def"
#undef X
};

bool lang_mode_read(struct lang_parser *parser, struct lang_stmt *stmt, const char *attribute, const char *word, struct lang_span at)
{
	char known[160] = "";
	size_t used = 0;

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		if (modes[i].op != stmt->op || strcmp(modes[i].attribute, attribute) != 0)
			continue;
		if (!strcmp(modes[i].word, word)) {
			stmt->mode = modes[i].mode;
			return true;
		}
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s", used ? " " : "", modes[i].word);
	}
	if (used) {
		lang_error(parser->unit, at, "\"%s\" is no mode of %s", word, stmt->word);
		lang_help(parser->unit, "it knows %s", known);
	} else {
		lang_error(parser->unit, at, "%s has no attribute \"%s\"", stmt->word, attribute);
	}
	return false;
}

/* Letters alike whatever their case, "_" left out. */
static bool is_like(const char *a, const char *b)
{
	for (;; a++, b++) {
		while (*a == '_')
			a++;
		while (*b == '_')
			b++;
		if ((*a | 0x20) != (*b | 0x20) || !*a != !*b)
			return false;
		if (!*a)
			return true;
	}
}

const char *lang_mode_spelled(struct lang_unit *unit, const char *word)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (!strcmp(modes[i].attribute, "cmpMode") && is_like(modes[i].word, word))
			return common_format(&unit->arena, "%s = %s", modes[i].attribute, modes[i].word);
	return NULL;
}

bool lang_mode_find(struct lang_parser *parser, unsigned op, const char *attribute, const struct lang_token *word, uint8_t *mode_out)
{
	int known = 0;

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		if (modes[i].op != op || !is_like(modes[i].attribute, attribute))
			continue;
		known = 1;
		if (is_like(modes[i].word, word->text)) {
			*mode_out = modes[i].mode;
			return true;
		}
	}
	if (known)
		lang_error(parser->unit, word->at, "\"%s\" is no %s", word->text, attribute);
	return !known;
}
