/* SPDX-License-Identifier: MIT */
/* parse_op.c - tile and scalar operations of functions, and the words of their modes. */
#include "isa/isa.h"
#include "lang/lang_work.h"
#include "lang/number.h"
#include "lang/parse/parse.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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

/* The mode of the statement's opcode; 0 after an error. attribute: "" is a suffix of the opcode, "," a word behind the operands. */
static bool mode_read(struct lang_parser *parser, struct lang_stmt *stmt, const char *attribute, const char *word, struct lang_span at)
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

/* "cmpMode = LT": how a comparison, in letters of any case, stands in braces behind operands; NULL: the word is none. */
static const char *mode_spelled(struct lang_unit *unit, const char *word)
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

/* ---- what stands behind the opcode of a statement: operands, attributes, types. ---- */

struct lang_operand *lang_operand_add(struct lang_parser *parser, struct lang_stmt *stmt, uint32_t *capacity)
{
	return COMMON_PUSH(&parser->unit->arena, stmt->operands, stmt->count, *capacity);
}

/* inf, nan: words that are numbers. */
static bool is_number_word(const struct lang_token *token)
{
	return token->kind == LANG_WORD && lang_number_is_word(token->text);
}

static bool value_refuse(struct lang_parser *parser, int bare)
{
	const struct lang_token *token = lang_peek(parser);

	lang_expected(parser, bare ? "a loop value, a scalar or a number" : "a value such as %x or %1.0");
	if (token->kind == LANG_WORD && mode_spelled(parser->unit, token->text))
		lang_help(parser->unit, "a comparison stands behind the operands: {%s}", mode_spelled(parser->unit, token->text));
	else if (token->kind == LANG_WORD && !token->first)
		lang_help(parser->unit, "names carry a sign: %%%s", token->text);
	else if (strchr("<>=!", token->mark) && token->mark)
		lang_help(parser->unit, "comparisons are words: EQ NE LT LE GT GE");
	return false;
}

bool lang_value_parse(struct lang_parser *parser, struct lang_operand *operand, int bare)
{
	const struct lang_token *token = lang_peek(parser);
	int word = !bare && is_number_word(token);

	if (token->kind != LANG_NAME && token->kind != LANG_LITERAL && token->kind != LANG_NUMBER && !word && !(bare && token->kind == LANG_WORD))
		return value_refuse(parser, bare);
	memset(operand, 0, sizeof(*operand));
	operand->kind = !word && (token->kind == LANG_NAME || token->kind == LANG_WORD) ? LANG_OPERAND_NAME : LANG_OPERAND_NUMBER;
	operand->bare = token->kind == LANG_WORD && !word;
	operand->text = token->text;
	operand->at = token->at;
	lang_take(parser);
	return true;
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
	for (bool more = !lang_at_mark(parser, ']'); more; more = lang_comma_take(parser, ']'))
		if (!lang_value_parse(parser, lang_operand_add(parser, stmt, capacity), 1))
			return 0;
	return lang_expect(parser, ']', "behind the indices");
}

bool lang_operands_parse(struct lang_parser *parser, struct lang_stmt *stmt, uint32_t *capacity, int annotated)
{
	for (;;) {
		struct lang_operand operand;

		if (!lang_value_parse(parser, &operand, 0) || (annotated && !lang_annotation_parse(parser, &operand)))
			return false;
		*lang_operand_add(parser, stmt, capacity) = operand;
		if (!indices_parse(parser, stmt, capacity))
			return false;
		if (!lang_at_mark(parser, ','))
			return true;
		lang_take(parser);
		if (annotated && stmt->op == PTOWSP_PTO_CMP && lang_peek(parser)->kind == LANG_WORD && !is_number_word(lang_peek(parser)))
			return true;
	}
}

/* {isBinary = false}, {cmpMode = #pto.cmp<GT>} */
static bool attribute_parse(struct lang_parser *parser, struct lang_stmt *stmt)
{
	const struct lang_token *name = lang_take(parser), *value;
	int wrapped;

	if (name->kind != LANG_WORD) {
		parser->at--;
		return lang_expected(parser, "the attribute's name");
	}
	if (!lang_expect(parser, '=', "behind the attribute's name"))
		return false;
	wrapped = lang_peek(parser)->kind == LANG_HASH;
	if (wrapped) {
		lang_take(parser);
		if (!lang_expect(parser, '<', "behind the attribute's type"))
			return false;
	}
	value = lang_peek(parser);
	if (value->kind != LANG_WORD && value->kind != LANG_NUMBER)
		return lang_expected(parser, "the attribute's value");
	lang_take(parser);
	return (!wrapped || lang_expect(parser, '>', "behind the attribute's value")) && mode_read(parser, stmt, name->text, value->text, value->at);
}

/* "{isBinary = false}", "{cmpMode = #pto.cmp<GT>}" and ": T, T -> T" behind the operands, if they are there. */
static int attributes_parse(struct lang_parser *parser, struct lang_stmt *stmt)
{
	if (!lang_at_mark(parser, '{'))
		return 1;
	lang_take(parser);
	for (bool more = !lang_at_mark(parser, '}'); more; more = lang_comma_take(parser, '}'))
		if (!attribute_parse(parser, stmt))
			return 0;
	return lang_expect(parser, '}', "behind the attributes");
}

/* "T", "T, T", "(T, T)" */
static bool types_parse(struct lang_parser *parser, struct lang_type **types, uint32_t *count)
{
	int wrapped = lang_at_mark(parser, '(');
	uint32_t capacity = 0;

	if (wrapped)
		lang_take(parser);
	for (;;) {
		if (!lang_type_parse(parser, COMMON_PUSH(&parser->unit->arena, *types, *count, capacity)))
			return false;
		if (wrapped ? !lang_at_more(parser) : !lang_at_mark(parser, ','))
			break;
		lang_take(parser);
	}
	return !wrapped || lang_expect(parser, ')', "behind the types");
}

static bool tail_parse(struct lang_parser *parser, struct lang_stmt *stmt)
{
	if (!lang_at_mark(parser, ':'))
		return true;
	lang_take(parser);
	if (!types_parse(parser, &stmt->tail, &stmt->tail_count))
		return false;
	if (lang_peek(parser)->kind != LANG_ARROW)
		return true;
	lang_take(parser);
	return types_parse(parser, &stmt->tail_results, &stmt->tail_result_count);
}

/* ---- tile and scalar operations of functions, and the words of their modes. ---- */

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
		return mode_read(parser, stmt, "", word->text + 5, word->at);
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
	if (!lang_operands_parse(parser, stmt, &capacity, 0) || !attributes_parse(parser, stmt) || !tail_parse(parser, stmt))
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
		if (!mode_read(parser, stmt, ",", mode->text, mode->at))
			return false;
	}
	return count_check(parser, stmt, isa_op(stmt->op)->operands);
}

int lang_scalar_op_find(const struct lang_token *word)
{
	const int op = word->kind == LANG_WORD && *word->text <= 'Z' ? isa_op_find(word->text, strlen(word->text)) : -1;

	return op >= PTOWSP_PTO_ADD && op <= PTOWSP_PTO_STORE ? op : -1;
}

/* ---- call @f(%x -> %T[%i*64, 0], %n -> 3) after %t: parts of tensors, arguments, stated edges. ---- */

static void part_end(struct lang_parser *parser, struct lang_part *part)
{
	struct lang_span end = parser->tokens.rows[parser->at - 1].at;

	part->all = part->at;
	if (end.line == part->at.line && end.file == part->at.file)
		part->all.length = end.column + end.length - part->at.column;
}

/* "%i*64, 0" and ": 64, 128" inside the brackets. */
static int part_indices_parse(struct lang_parser *parser, struct lang_part *part)
{
	do {
		if (part->index_count)
			lang_take(parser);
		if (part->index_count == LANG_MAX_RANK) {
			lang_error(parser->unit, lang_peek(parser)->at, "a tensor has at most %u dimensions", LANG_MAX_RANK);
			return 0;
		}
		part->indices[part->index_count] = lang_scalar_parse(parser, "an index such as %i*64");
		if (!part->indices[part->index_count++])
			return 0;
	} while (lang_at_more(parser));
	if (!lang_at_mark(parser, ':'))
		return 1;
	lang_take(parser);
	if (lang_dots_take(parser, NULL)) {
		part->flat = 1;
		if (!lang_at_more(parser))
			return 1;
		lang_take(parser);
		part->extents[1] = lang_scalar_parse(parser, "how many elements it may reach at most");
		return part->extents[1] != NULL;
	}
	part->extents[0] = lang_scalar_parse(parser, "how many rows");
	if (!part->extents[0] || !lang_expect(parser, ',', "and how many columns"))
		return 0;
	part->extents[1] = lang_scalar_parse(parser, "how many columns");
	return part->extents[1] != NULL;
}

bool lang_part_parse(struct lang_parser *parser, struct lang_part *part)
{
	const struct lang_token *name = lang_name_take(parser, LANG_NAME, "a tensor such as %x[0, 0]");

	memset(part, 0, sizeof(*part));
	if (!name)
		return false;
	part->tensor = name->text;
	part->at = name->at;
	if (lang_at_mark(parser, '[')) {
		lang_take(parser);
		if (!part_indices_parse(parser, part) || !lang_expect(parser, ']', "behind the indices"))
			return false;
	}
	part_end(parser, part);
	if (!lang_word_take(parser, "as"))
		return true;
	part->viewed = 1;
	return lang_element_parse(parser, &part->view, "the type that bytes are seen as, such as f32");
}

/* "inout %x[0, 0]": not as the callee's parameter says. */
static void access_parse(struct lang_parser *parser, struct lang_pass *pass)
{
	if (!pass->stated)
		pass->stated = (uint8_t)lang_access_take(parser, &pass->access);
}

static bool pass_parse(struct lang_parser *parser, struct lang_work *work)
{
	struct lang_pass *pass = COMMON_PUSH(&parser->unit->arena, work->passes, work->pass_count, work->pass_capacity);
	const struct lang_token *name = lang_name_take(parser, LANG_NAME, "an argument such as %x -> %tensor[0, 0]"), *token;

	memset(pass, 0, sizeof(*pass));
	if (!name)
		return false;
	pass->formal = name->text;
	pass->at = name->at;
	if (lang_peek(parser)->kind != LANG_ARROW)
		return lang_arrow_expected(parser, "call @f(%a -> %x[0, 0])");
	lang_take(parser);
	access_parse(parser, pass);
	token = lang_peek(parser);
	if (pass->stated)
		return lang_part_parse(parser, &pass->part);
	/* A name alone may be a tensor or a value; that is known when all names are. */
	pass->has_brackets = token->kind == LANG_NAME && (token[1].mark == '[' || (token[1].kind == LANG_WORD && !strcmp(token[1].text, "as")));
	if (pass->has_brackets)
		return lang_part_parse(parser, &pass->part);
	if (token->mark == '(' && token[1].kind == LANG_NAME && token[2].mark == ',') {
		lang_error(parser->unit, token->at, "a part of a tensor is written %%%s[row, column] here", token[1].text);
		lang_help(parser->unit, "(%%%s, row, column) stands in the CALL of an Orchestration function", token[1].text);
		return false;
	}
	pass->value = lang_scalar_parse(parser, "a tensor or a value");
	return pass->value != NULL;
}

static int passes_parse(struct lang_parser *parser, struct lang_work *work)
{
	if (!lang_expect(parser, '(', "and the arguments behind the function"))
		return 0;
	for (bool more = !lang_at_mark(parser, ')'); more && !lang_dots_take(parser, &work->rest); more = lang_comma_take(parser, ')'))
		if (!pass_parse(parser, work))
			return 0;
	return lang_expect(parser, ')', "behind the arguments");
}

/* "after %t, data %u" */
bool lang_afters_parse(struct lang_parser *parser, struct lang_work *work)
{
	if (!lang_word_take(parser, "after"))
		return true;
	for (;;) {
		struct lang_after *after = COMMON_PUSH(&parser->unit->arena, work->afters, work->after_count, work->after_capacity);

		*after = (struct lang_after){.kind = PTOWSP_AFTER_TASK};
		if (!lang_at_word(parser, "after"))
			lang_words_take(parser, PKG_WORDS_edge, &after->kind);
		after->task = lang_scalar_parse(parser, "a task such as %t");
		if (!after->task)
			return false;
		if (!lang_at_mark(parser, ','))
			return true;
		lang_take(parser);
	}
}

bool lang_task_parse(struct lang_parser *parser, struct lang_work *work)
{
	const struct lang_token *name = lang_name_take(parser, LANG_AT, "what is called, such as @f");

	if (!name)
		return false;
	work->callee = name->text;
	work->callee_at = name->at;
	return passes_parse(parser, work) && lang_afters_parse(parser, work);
}
