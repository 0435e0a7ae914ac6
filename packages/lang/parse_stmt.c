/* SPDX-License-Identifier: MIT */
#include "isa/isa.h"
#include "lang/habit.h"
#include "lang/number.h"
#include "lang/parse.h"

#include <stdio.h>
#include <string.h>

static const struct mode {
	uint8_t op;
	const char *attribute, *word;
	uint8_t mode;
} modes[] = {
#define X(op, attribute, word, mode) {PTOWSP_PTO_##op, attribute, word, mode},
#include "lang/modes.def"
#undef X
};

static int mode_find(struct lang_parser *parser, struct lang_stmt *stmt, const char *attribute, const char *word,
		     struct lang_span at)
{
	char known[160] = "";
	size_t used = 0;

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		if (modes[i].op != stmt->op || strcmp(modes[i].attribute, attribute) != 0)
			continue;
		if (!strcmp(modes[i].word, word)) {
			stmt->mode = modes[i].mode;
			return 1;
		}
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s", used ? " " : "", modes[i].word);
	}
	if (used) {
		lang_error(parser->unit, at, "\"%s\" is no mode of %s", word, stmt->word);
		lang_help(parser->unit, "it knows %s", known);
	} else {
		lang_error(parser->unit, at, "%s has no attribute \"%s\"", stmt->word, attribute);
	}
	return 0;
}

/* Letters alike whatever their case, "_" left out. */
static int is_like(const char *a, const char *b)
{
	for (;; a++, b++) {
		while (*a == '_')
			a++;
		while (*b == '_')
			b++;
		if ((*a | 0x20) != (*b | 0x20) || !*a != !*b)
			return 0;
		if (!*a)
			return 1;
	}
}

int lang_mode_find(struct lang_parser *parser, unsigned op, const char *attribute, const struct lang_token *word, uint8_t *mode_out)
{
	int known = 0;

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		if (modes[i].op != op || !is_like(modes[i].attribute, attribute))
			continue;
		known = 1;
		if (is_like(modes[i].word, word->text)) {
			*mode_out = modes[i].mode;
			return 1;
		}
	}
	if (known)
		lang_error(parser->unit, word->at, "\"%s\" is no %s", word->text, attribute);
	return !known;
}

struct lang_operand *lang_operand_add(struct lang_parser *parser, struct lang_stmt *stmt, uint32_t *capacity)
{
	return LANG_PUSH(&parser->unit->arena, stmt->operands, stmt->count, *capacity);
}

/* inf, nan: words that are numbers. */
static int is_number_word(const struct lang_token *token)
{
	return token->kind == LANG_WORD && lang_number_is_word(token->text);
}

static int value_refuse(struct lang_parser *parser, int bare)
{
	const struct lang_token *token = lang_peek(parser);

	lang_expected(parser, bare ? "a loop value, a scalar or a number" : "a value such as %x or %1.0");
	if (token->kind == LANG_WORD && !token->first)
		lang_help(parser->unit, "names carry a sign: %%%s", token->text);
	else if (strchr("<>=!", token->mark) && token->mark)
		lang_help(parser->unit, "comparisons are words: EQ NE LT LE GT GE");
	return 0;
}

/* One name or number. Names without % are loop values inside brackets and tuples. */
int lang_value_parse(struct lang_parser *parser, struct lang_operand *operand, int bare)
{
	const struct lang_token *token = lang_peek(parser);
	int word = !bare && is_number_word(token);

	if (token->kind != LANG_NAME && token->kind != LANG_LITERAL && token->kind != LANG_NUMBER && !word &&
	    !(bare && token->kind == LANG_WORD))
		return value_refuse(parser, bare);
	memset(operand, 0, sizeof(*operand));
	operand->kind = !word && (token->kind == LANG_NAME || token->kind == LANG_WORD) ? LANG_OPERAND_NAME : LANG_OPERAND_NUMBER;
	operand->bare = token->kind == LANG_WORD && !word;
	operand->text = token->text;
	operand->at = token->at;
	lang_take(parser);
	return 1;
}

int lang_annotation_parse(struct lang_parser *parser, struct lang_operand *operand)
{
	if (!lang_at_mark(parser, ':'))
		return 1;
	lang_take(parser);
	return lang_type_parse(parser, &operand->type);
}

/* "[r, c]" behind a memref or tile: more operands. */
static int indices_parse(struct lang_parser *parser, struct lang_stmt *stmt, uint32_t *capacity)
{
	if (!lang_at_mark(parser, '['))
		return 1;
	lang_take(parser);
	while (!lang_at_mark(parser, ']')) {
		if (!lang_value_parse(parser, lang_operand_add(parser, stmt, capacity), 1))
			return 0;
		if (!lang_at_mark(parser, ','))
			break;
		lang_take(parser);
	}
	return lang_expect(parser, ']', "behind the indices");
}

/* Operands up to the end of the list; annotated: "%x:i32". A word ends the list (the mode of CMP). */
int lang_operands_parse(struct lang_parser *parser, struct lang_stmt *stmt, uint32_t *capacity, int annotated)
{
	for (;;) {
		struct lang_operand operand;

		if (!lang_value_parse(parser, &operand, 0) || (annotated && !lang_annotation_parse(parser, &operand)))
			return 0;
		*lang_operand_add(parser, stmt, capacity) = operand;
		if (!indices_parse(parser, stmt, capacity))
			return 0;
		if (!lang_at_mark(parser, ','))
			return 1;
		lang_take(parser);
		if (annotated && lang_peek(parser)->kind == LANG_WORD && !is_number_word(lang_peek(parser)))
			return 1;
	}
}

/* {isBinary = false}, {cmpMode = #pto.cmp<GT>} */
static int attribute_parse(struct lang_parser *parser, struct lang_stmt *stmt)
{
	const struct lang_token *name = lang_take(parser), *value;
	int wrapped;

	if (name->kind != LANG_WORD) {
		parser->at--;
		return lang_expected(parser, "the attribute's name");
	}
	if (!lang_expect(parser, '=', "behind the attribute's name"))
		return 0;
	wrapped = lang_peek(parser)->kind == LANG_HASH;
	if (wrapped) {
		lang_take(parser);
		if (!lang_expect(parser, '<', "behind the attribute's type"))
			return 0;
	}
	value = lang_peek(parser);
	if (value->kind != LANG_WORD && value->kind != LANG_NUMBER)
		return lang_expected(parser, "the attribute's value");
	lang_take(parser);
	return (!wrapped || lang_expect(parser, '>', "behind the attribute's value")) &&
	       mode_find(parser, stmt, name->text, value->text, value->at);
}

static int attributes_parse(struct lang_parser *parser, struct lang_stmt *stmt)
{
	if (!lang_at_mark(parser, '{'))
		return 1;
	lang_take(parser);
	while (!lang_at_mark(parser, '}')) {
		if (!attribute_parse(parser, stmt))
			return 0;
		if (!lang_at_mark(parser, ','))
			break;
		lang_take(parser);
	}
	return lang_expect(parser, '}', "behind the attributes");
}

static int types_parse(struct lang_parser *parser, struct lang_type **types, uint32_t *count)
{
	int wrapped = lang_at_mark(parser, '(');
	uint32_t capacity = 0;

	if (wrapped)
		lang_take(parser);
	for (;;) {
		if (!lang_type_parse(parser, LANG_PUSH(&parser->unit->arena, *types, *count, capacity)))
			return 0;
		if (!lang_at_mark(parser, ','))
			break;
		lang_take(parser);
	}
	return !wrapped || lang_expect(parser, ')', "behind the types");
}

/* ": T, T -> T" */
static int tail_parse(struct lang_parser *parser, struct lang_stmt *stmt)
{
	if (!lang_at_mark(parser, ':'))
		return 1;
	lang_take(parser);
	if (!types_parse(parser, &stmt->tail, &stmt->tail_count))
		return 0;
	if (lang_peek(parser)->kind != LANG_ARROW)
		return 1;
	lang_take(parser);
	return types_parse(parser, &stmt->tail_results, &stmt->tail_result_count);
}

void lang_line_skip(struct lang_parser *parser)
{
	while (lang_peek(parser)->kind != LANG_END && !lang_peek(parser)->first)
		lang_take(parser);
}

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
		memmove(&stmt->operands[behind + 1], &stmt->operands[behind],
			(stmt->count - 1 - behind) * sizeof(*stmt->operands));
		stmt->operands[behind] =
			(struct lang_operand){.kind = LANG_OPERAND_NUMBER, .text = "0", .at = stmt->operands[behind - 1].at};
	}
}

/* How it is written, with the names that its effect has: "%d = tload %m[r, c]". */
static const char *form_text(struct lang_parser *parser, const struct lang_stmt *stmt, const char *operands, uint32_t results)
{
	struct lang_arena *arena = &parser->unit->arena;
	const char *text = results ? "" : stmt->word, *sources = "abcf", *targets = "de";
	uint32_t count = (uint32_t)strlen(operands);

	for (uint32_t i = 0; i < count; i++) {
		const char *comma = i > results || (i && i < results) ? "," : "", *name = "m";
		int element = strchr("Mm", operands[i]) && operands[i + 1] == 's' && operands[i + 2] == 's';

		if (results && i == results)
			text = lang_format(arena, "%s = %s", text, stmt->word);
		if (!strchr("Mm", operands[i]))
			name = lang_format(arena, "%c", strchr("TS", operands[i]) ? *targets++ : *sources++);
		if (operands[i] == 's' && stmt->op < PTOWSP_PTO_ADD)
			name = "s";
		text = lang_format(arena, "%s%s%s%%%s%s", text, comma, *text ? " " : "", name, element ? "[r, c]" : "");
		i += element ? 2 : 0;
	}
	return text;
}

/* The operands in words: "tadd takes 2 operands and gives 1 result". */
static int count_check(struct lang_parser *parser, struct lang_stmt *stmt, const char *operands)
{
	uint32_t want = (uint32_t)strlen(operands), results = results_of(operands);
	int scalar = strchr("SM", *operands) && stmt->op >= PTOWSP_PTO_ADD; /* results are listed first */

	if (scalar)
		results = 0;
	/* tassign and setval change a tile that may stand on either side of the sign. */
	if (stmt->count == want && (stmt->results == results || (!stmt->results && (stmt->op == PTOWSP_PTO_TASSIGN ||
										    stmt->op == PTOWSP_PTO_SETVAL))))
		return 1;
	if (stmt->results != results && results)
		lang_error(parser->unit, stmt->at, "%s gives %u result%s, here are %u", stmt->word, results, results > 1 ? "s" : "",
			   stmt->results);
	else if (stmt->results != results)
		lang_error(parser->unit, stmt->at, "%s gives no result: nothing stands before it with \"=\"", stmt->word);
	else
		lang_error(parser->unit, stmt->at, "%s takes %u operand%s, here are %u", stmt->word, want - results,
			   want - results == 1 ? "" : "s", stmt->count - stmt->results);
	lang_help(parser->unit, "%s: %s", form_text(parser, stmt, operands, results), isa_op(stmt->op)->effect);
	return 0;
}

static int op_find(struct lang_parser *parser, const struct lang_token *word, struct lang_stmt *stmt)
{
	int op = isa_op_find(word->text, strlen(word->text));
	struct lang_guess guess;

	stmt->word = word->text;
	stmt->at = word->at;
	if (op >= 0) {
		stmt->op = (uint8_t)op;
		return 1;
	}
	if (!strncmp(word->text, "tmov.", 5)) {
		stmt->op = PTOWSP_PTO_TMOV;
		return mode_find(parser, stmt, "", word->text + 5, word->at);
	}
	lang_error(parser->unit, word->at, "there is no instruction \"%.80s\"", word->text);
	if (lang_is_work_word(word->text)) {
		lang_help(parser->unit, "%.80s stands in workloads; %s", word->text,
			  !strcmp(word->text, "call") ? "functions write CALL" : "functions have FOR, IF, WHILE and CALL");
		return 0;
	}
	if (lang_habit_help(parser->unit, LANG_HABIT_FUNCTION, word->text) ||
	    (parser->function->bare && word->first && lang_habit_help(parser->unit, LANG_HABIT_FILE, word->text)))
		return 0;
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
	return 0;
}

/* "tadd %a, %b : T" behind "%c =", or "tstore %c, %m[0, 0]". */
static int tile_parse(struct lang_parser *parser, struct lang_stmt *stmt, uint32_t capacity)
{
	const struct lang_token *word = lang_take(parser);
	const char *operands;

	if (!op_find(parser, word, stmt))
		return 0;
	operands = isa_op(stmt->op)->operands;
	if (!*operands || stmt->op >= PTOWSP_PTO_ADD) {
		lang_error(parser->unit, stmt->at, "%s does not stand %s", stmt->word, stmt->results ? "behind a result" : "here");
		if (stmt->results && stmt->op >= PTOWSP_PTO_ADD && stmt->op <= PTOWSP_PTO_LOAD)
			lang_help(parser->unit, "what it sets is its first operand: %s %%%s, ...", stmt->word, stmt->operands[0].text);
		else
			lang_help(parser->unit, "%s: %s", stmt->word, isa_op(stmt->op)->effect);
		return 0;
	}
	if (!lang_operands_parse(parser, stmt, &capacity, 0) || !attributes_parse(parser, stmt) || !tail_parse(parser, stmt))
		return 0;
	indices_fill(parser, stmt, operands, &capacity);
	return count_check(parser, stmt, operands);
}

/* "ADD %d:i32, %a:i32, %b", "LI %x:f32, 0.5", "CMP %c:u1, %a:i32, %b:i32, GT", "LOAD %x:f32, %m[%i]" */
static int scalar_parse(struct lang_parser *parser, struct lang_stmt *stmt)
{
	uint32_t capacity = 0;

	if (!lang_operands_parse(parser, stmt, &capacity, 1))
		return 0;
	if (stmt->op == PTOWSP_PTO_CMP) {
		const struct lang_token *mode = lang_peek(parser);

		if (mode->kind != LANG_WORD)
			return lang_expected(parser, "the comparison: EQ NE LT LE GT or GE");
		lang_take(parser);
		if (!mode_find(parser, stmt, ",", mode->text, mode->at))
			return 0;
	}
	return count_check(parser, stmt, isa_op(stmt->op)->operands);
}

static int nothing_parse(struct lang_parser *parser, struct lang_stmt *stmt)
{
	(void)parser;
	(void)stmt;
	return 1;
}

/* Statements that begin with a word of their own; so do scalar operations, by every spelling that the opcode table has. Every
 * other word is a tile operation without a result. */
static const struct form {
	const char *word;
	uint8_t op;
	int (*parse)(struct lang_parser *parser, struct lang_stmt *stmt);
} forms[] = {
	{"FOR", PTOWSP_PTO_FOR, lang_for_parse},
	{"IF", PTOWSP_PTO_IF, lang_if_parse},             {"IF_BIT", PTOWSP_PTO_IF, lang_if_parse},
	{"WHILE", PTOWSP_PTO_WHILE, lang_while_parse},    {"BREAK", PTOWSP_PTO_BREAK, nothing_parse},
	{"CONTINUE", PTOWSP_PTO_CONTINUE, nothing_parse}, {"YIELD", PTOWSP_PTO_YIELD, nothing_parse},
	{"CALL", PTOWSP_PTO_CALL, lang_call_parse},       {"return", PTOWSP_PTO_RETURN, nothing_parse},
};

static int scalar_op_find(const struct lang_token *word)
{
	const int op = word->kind == LANG_WORD && *word->text <= 'Z' ? isa_op_find(word->text, strlen(word->text)) : -1;

	return op >= PTOWSP_PTO_ADD && op <= PTOWSP_PTO_STORE ? op : -1;
}

static int word_parse(struct lang_parser *parser, struct lang_stmt *stmt)
{
	const struct lang_token *word = lang_peek(parser);
	const int op = scalar_op_find(word);

	stmt->at = word->at;
	stmt->word = word->text;
	if (op >= 0) {
		stmt->op = (uint8_t)op;
		lang_take(parser);
		return scalar_parse(parser, stmt);
	}
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (lang_at_word(parser, forms[i].word)) {
			stmt->op = forms[i].op;
			lang_take(parser);
			return forms[i].parse(parser, stmt);
		}
	return tile_parse(parser, stmt, 0);
}

void lang_broken_declare(struct lang_parser *parser, const char *name, struct lang_span at)
{
	struct lang_type none = {0};

	if (!lang_var_find(parser->function, name))
		lang_var_add(parser->unit, parser->function, LANG_BROKEN, name, none, at);
}

static const struct declarer {
	const char *word;
	uint8_t tile, block;
} declarers[] = {{"alloc_tile", 1, 0},
		 {"alloc_scalar", 0, 0},
		 {"block_index", 0, PTOWSP_SCALAR_BLOCK},
		 {"block_count", 0, PTOWSP_SCALAR_BLOCKS}};
#define DECLARERS (sizeof(declarers) / sizeof(*declarers))

static const struct declarer *declarer_of(const char *word)
{
	for (size_t i = 0; word && i < DECLARERS; i++)
		if (!strcmp(declarers[i].word, word))
			return &declarers[i];
	return NULL;
}

/* A block's number is an integer that an InCore function reads. */
static void block_declare(struct lang_parser *parser, struct lang_var *var, uint8_t block)
{
	const char *word = block == PTOWSP_SCALAR_BLOCK ? "block_index" : "block_count";

	var->block = block;
	if (block && lang_dtype_class(var->type.dtype) == 'f')
		lang_error(parser->unit, var->type.at, "%s is an integer, not %s", word, lang_type_text(parser->unit, &var->type));
	if (block && parser->function->kind == LANG_ORCHESTRATION) {
		lang_error(parser->unit, var->at, "%s stands in InCore functions: a call of one may have several blocks, @%s has none", word,
			   parser->function->name);
		lang_help(parser->unit, "read it in the InCore function that is called");
	}
}

/* "%x = alloc_tile : T": a declaration, no statement. */
static int declaration_parse(struct lang_parser *parser, const struct lang_operand *name)
{
	const struct declarer *declarer = declarer_of(lang_peek(parser)->text);
	int tile = declarer->tile;
	struct lang_var *old = lang_var_find(parser->function, name->text);
	struct lang_type type;

	lang_take(parser);
	memset(&type, 0, sizeof(type));
	if (!lang_expect(parser, ':', "and the type behind the declaration") || !lang_type_parse(parser, &type)) {
		lang_broken_declare(parser, name->text, name->at);
		return 0;
	}
	if (type.kind != (tile ? LANG_TYPE_TILE : LANG_TYPE_SCALAR)) {
		lang_error(parser->unit, type.at, "%s needs %s", declarer->word,
			   tile ? "a tile type such as !pto.tile<8x8xf32>" : "an element type such as i32");
		lang_broken_declare(parser, name->text, name->at);
		return 1;
	}
	if (old && (old->kind != LANG_LOOP || tile)) {
		lang_error(parser->unit, name->at, "%%%s is declared twice, first at line %u", name->text, old->at.line);
		return 1;
	}
	if (!old)
		block_declare(parser,
			      lang_var_add(parser->unit, parser->function, tile ? LANG_TILE : LANG_SCALAR, name->text, type, name->at),
			      declarer->block);
	return 1;
}

/* "%x = alloctile" or "%x alloc_tile": what was meant is plain, and one error is enough. */
static int misspelt_declaration(const struct lang_parser *parser)
{
	const struct lang_token *token = lang_peek(parser);

	token += token->mark == '=';
	return token->kind == LANG_WORD && !token->first && !strncmp(token->text, "alloc", 5) &&
	       ((strcmp(token->text, "alloc_tile") != 0 && strcmp(token->text, "alloc_scalar") != 0) || token == lang_peek(parser));
}

/* "%x = ..." or "%x, %y = ..." */
static int instruction_expected(struct lang_parser *parser, const struct lang_operand *result)
{
	lang_expected(parser, "one instruction such as tadd");
	if (lang_peek(parser)->kind == LANG_NAME || lang_peek(parser)->kind == LANG_NUMBER)
		lang_help(parser->unit, "there are no expressions in functions: ADD %%%s, %%a, 1 adds scalars, %%t = tadd %%a, %%b tiles", result->text);
	return 0;
}

static int results_parse(struct lang_parser *parser, struct lang_stmt *stmt, int *declared)
{
	uint32_t capacity = 0;

	for (;;) {
		struct lang_operand *operand = lang_operand_add(parser, stmt, &capacity);

		if (lang_peek(parser)->kind != LANG_NAME)
			return lang_expected(parser, "a name such as %x");
		lang_value_parse(parser, operand, 0);
		if (!lang_at_mark(parser, ','))
			break;
		lang_take(parser);
	}
	stmt->results = stmt->count;
	if (misspelt_declaration(parser))
		lang_broken_declare(parser, stmt->operands[0].text, stmt->operands[0].at);
	if (!lang_expect(parser, '=', "behind the result"))
		return 0;
	*declared = lang_peek(parser)->kind == LANG_WORD && declarer_of(lang_peek(parser)->text);
	if (*declared && stmt->count == 1)
		return declaration_parse(parser, &stmt->operands[0]);
	if (lang_peek(parser)->kind != LANG_WORD || *declared)
		return instruction_expected(parser, &stmt->operands[0]);
	return tile_parse(parser, stmt, capacity);
}

static int block_ends(const struct lang_parser *parser)
{
	static const char *const words[] = {"ENDFOR", "ENDIF", "ELSE", "DO", "ENDWHILE", "func"};
	const struct lang_token *token = lang_peek(parser);

	if (token->kind == LANG_END || token->mark == '}' || (token->first && lang_decl_at(parser)))
		return 1;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (lang_at_word(parser, words[i]))
			return 1;
	return 0;
}

static int statement_expected(struct lang_parser *parser)
{
	const char mark = lang_peek(parser)->mark;

	lang_expected(parser, "a statement");
	if (mark == '{')
		lang_help(parser->unit, "there are no braces in functions: FOR ... ENDFOR, IF ... ELSE ... ENDIF, WHILE ... DO ... ENDWHILE");
	else if (mark && strchr("<>=!", mark))
		lang_help(parser->unit, "a condition is one scalar: CMP %%c:u1, %%a:i32, 1, GT sets it");
	return 0;
}

static void statement_parse(struct lang_parser *parser, struct lang_block *block)
{
	struct lang_stmt *stmt = lang_alloc(&parser->unit->arena, sizeof(*stmt));
	uint32_t start = parser->at;
	int declared = 0, ok;

	stmt->body.last = &stmt->body.first;
	stmt->other.last = &stmt->other.first;
	stmt->at = lang_peek(parser)->at;
	if (lang_peek(parser)->kind == LANG_NAME)
		ok = results_parse(parser, stmt, &declared);
	else if (lang_peek(parser)->kind == LANG_WORD)
		ok = word_parse(parser, stmt);
	else
		ok = statement_expected(parser);
	if (!ok) {
		if (parser->at == start)
			lang_take(parser);
		lang_line_skip(parser);
	}
	stmt->broken = !ok && (stmt->body.first || stmt->other.first);
	if (stmt->broken || (ok && !declared)) {
		*block->last = stmt;
		block->last = &stmt->next;
	}
}

void lang_block_parse(struct lang_parser *parser, struct lang_block *block)
{
	if (!block->last)
		block->last = &block->first;
	while (!block_ends(parser))
		statement_parse(parser, block);
}
