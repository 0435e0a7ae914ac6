/* SPDX-License-Identifier: MIT */
/* as_parse.c - PTO-AS: module, functions, regions, and which function reads which operation. */
#include "lang/parse/as.h"

#include "isa/isa.h"

#include <stdbool.h>
#include <string.h>

static bool region_parse(struct lang_as *as, struct lang_block *block);

bool lang_as_at(const struct lang_parser *parser)
{
	const struct lang_token *token = lang_peek(parser);

	if (lang_at_word(parser, "func.func"))
		return true;
	return lang_at_word(parser, "module") && (token[1].mark == '{' || (token[1].kind == LANG_WORD && !strcmp(token[1].text, "attributes")));
}

/* "{...}" with what is in it. */
static void braces_skip(struct lang_parser *parser)
{
	int depth = 0;

	do {
		depth += lang_at_mark(parser, '{') - lang_at_mark(parser, '}');
		lang_take(parser);
	} while (depth > 0 && lang_peek(parser)->kind != LANG_END);
}

/* A token at which an operation that began before may end: the next line, unless that goes on with its operands. */
static bool at_next(const struct lang_parser *parser)
{
	return lang_peek(parser)->first && !lang_at_word(parser, "ins") && !lang_at_word(parser, "outs");
}

/* Behind an error: over the operation that begins at token `start`, its regions and attributes too. */
static void op_skip(struct lang_parser *parser, uint32_t start)
{
	int depth = 0;

	parser->at = start;
	do {
		depth += lang_at_mark(parser, '{') - lang_at_mark(parser, '}');
		lang_take(parser);
		if (depth <= 0 && lang_at_mark(parser, '}'))
			return;
	} while (lang_peek(parser)->kind != LANG_END && (depth > 0 || !at_next(parser)));
}

/* --- control --- */

/* A statement with regions; nothing is added to the block around it before its head is sound. */
static int nest(struct lang_as *as)
{
	if (as->parser->depth <= LANG_MAX_NESTING) /* the region of the function itself is no nest */
		return 1;
	lang_error(as->parser->unit, as->at, "loops and branches are nested deeper than %u", LANG_MAX_NESTING);
	return 0;
}

static bool carried_refuse(struct lang_as *as, const struct lang_as_results *results, const char *word)
{
	if (!results->count && !lang_at_word(as->parser, "iter_args") && lang_peek(as->parser)->kind != LANG_ARROW)
		return true;
	lang_error(as->parser->unit, as->at, "%s gives no values here", word);
	lang_help(as->parser->unit, "keep what goes from round to round in a tile");
	return false;
}

/* "%i = %a to %b step %c : index {...}" */
static int for_read(struct lang_as *as, const struct lang_as_results *results)
{
	static const char *const words[] = {"=", "to", "step"};
	const struct lang_type index = {.kind = LANG_TYPE_SCALAR, .dtype = PTOWSP_I64, .index = 1};
	const struct lang_token *name = lang_peek(as->parser);
	struct lang_as_term bounds[3];
	struct lang_operand operands[4];
	struct lang_as_value *outer, *value;
	struct lang_stmt *stmt;
	int ok;

	if (name->kind != LANG_NAME && name->kind != LANG_LITERAL)
		return lang_expected(as->parser, "the loop's value such as %i");
	lang_take(as->parser);
	for (int i = 0; i < 3; i++) {
		if (i == 0 ? !lang_expect(as->parser, '=', "behind the loop's value") : !lang_word_take(as->parser, words[i]))
			return i ? lang_expected(as->parser, i == 1 ? "\"to\" and the bound" : "\"step\" and the step") : 0;
		if (!lang_as_term(as, &bounds[i]))
			return 0;
	}
	if (!carried_refuse(as, results, "scf.for") || !lang_as_types_skip(as->parser) || !nest(as))
		return 0;
	if (!lang_at_mark(as->parser, '{'))
		return lang_expect(as->parser, '{', "and the region of the loop");
	outer = lang_as_region_enter(as);
	value = lang_as_define(as, name, LANG_AS_SCALAR);
	value->type = index;
	value->term.var = lang_as_var(as, LANG_LOOP, name->text, index, name->at);
	operands[0] = lang_as_of_name(as, value->term.var);
	for (int i = 0; i < 3; i++)
		operands[i + 1] = lang_as_of_term(as, bounds[i]);
	stmt = lang_as_emit(as, PTOWSP_PTO_FOR, operands, 4);
	ok = region_parse(as, &stmt->body);
	lang_as_region_leave(as, outer);
	return ok;
}

/* "%c {...} else {...}" */
static int if_read(struct lang_as *as, const struct lang_as_results *results)
{
	struct lang_as_term condition;
	struct lang_operand operand;
	struct lang_as_value *outer;
	struct lang_stmt *stmt;
	int ok;

	if (!lang_as_term(as, &condition) || !carried_refuse(as, results, "scf.if") || !nest(as))
		return 0;
	if (!lang_at_mark(as->parser, '{'))
		return lang_expect(as->parser, '{', "and the region of the branch");
	operand = lang_as_of_term(as, condition);
	stmt = lang_as_emit(as, PTOWSP_PTO_IF, &operand, 1);
	outer = lang_as_region_enter(as);
	ok = region_parse(as, &stmt->body);
	lang_as_region_leave(as, outer);
	if (!ok || !lang_at_word(as->parser, "else"))
		return ok;
	lang_take(as->parser);
	if (!lang_at_mark(as->parser, '{'))
		return lang_expect(as->parser, '{', "behind else");
	stmt->has_else = 1;
	outer = lang_as_region_enter(as);
	ok = region_parse(as, &stmt->other);
	lang_as_region_leave(as, outer);
	return ok;
}

/* A region that belongs to one sort of core: read in place. */
static int section_read(struct lang_as *as, const struct lang_as_results *results)
{
	struct lang_as_value *outer = lang_as_region_enter(as);
	struct lang_block *here = as->block;
	int ok;

	(void)results;
	ok = lang_at_mark(as->parser, '{') ? region_parse(as, here) : lang_expect(as->parser, '{', "and the region of the section");
	lang_as_region_leave(as, outer);
	return ok;
}

/* --- other operations --- */

/* Nothing to do here: values of a region that has none, order between the pipes of a machine. */
static int nothing_read(struct lang_as *as, const struct lang_as_results *results)
{
	(void)results;
	while (lang_peek(as->parser)->kind != LANG_END && !lang_peek(as->parser)->first && !lang_at_mark(as->parser, '}'))
		lang_take(as->parser);
	return 1;
}

/* Only at the end: what stands behind a return is never run. */
static int return_read(struct lang_as *as, const struct lang_as_results *results)
{
	(void)results;
	if (lang_peek(as->parser)->kind == LANG_NAME && !lang_peek(as->parser)->first) {
		lang_error(as->parser->unit, as->at, "a function gives no values: it writes memory");
		return 0;
	}
	lang_as_emit(as, PTOWSP_PTO_RETURN, NULL, 0);
	return 1;
}

static bool block_value(struct lang_as *as, const struct lang_as_results *results, uint8_t block)
{
	const struct lang_type type = {.kind = LANG_TYPE_SCALAR, .dtype = PTOWSP_I64};
	struct lang_as_value *value;

	if (results->count != 1) {
		lang_error(as->parser->unit, as->at, "pto.get_block_%s gives 1 result, here are %u", block == PTOWSP_SCALAR_BLOCK ? "idx" : "num",
			   results->count);
		return false;
	}
	value = lang_as_define(as, results->names[0], LANG_AS_SCALAR);
	value->type = type;
	value->term.var = lang_as_var(as, LANG_SCALAR, results->names[0]->text, type, results->names[0]->at);
	lang_var_find(as->parser->function, value->term.var)->block = block;
	return lang_as_types_skip(as->parser);
}

static int block_index_read(struct lang_as *as, const struct lang_as_results *results)
{
	return block_value(as, results, PTOWSP_SCALAR_BLOCK);
}

static int block_count_read(struct lang_as *as, const struct lang_as_results *results)
{
	return block_value(as, results, PTOWSP_SCALAR_BLOCKS);
}

static const struct operation {
	const char *word;
	int (*read)(struct lang_as *as, const struct lang_as_results *results);
} operations[] = {
	{"scf.for", for_read},
	{"scf.if", if_read},
	{"scf.yield", nothing_read},
	{"return", return_read},
	{"func.return", return_read},
	{"pto.make_tensor_view", lang_as_view_make},
	{"pto.subview", lang_as_view_part},
	{"pto.partition_view", lang_as_view_part},
	{"pto.alloc_tile", lang_as_tile_alloc},
	{"pto.getval", lang_as_element_get},
	{"pto.tgetval", lang_as_element_get},
	{"pto.get_block_idx", block_index_read},
	{"pto.get_block_num", block_count_read},
	{"pto.section.cube", section_read},
	{"pto.section.vector", section_read},
	{"pto.set_flag", nothing_read},
	{"pto.wait_flag", nothing_read},
	{"pto.record_event", nothing_read},
	{"pto.wait_event", nothing_read},
	{"pto.barrier", nothing_read},
	{"pto.barrier_sync", nothing_read},
	{"pto.pipe_barrier", nothing_read},
};
#define OPERATIONS (sizeof(operations) / sizeof(*operations))

static bool unknown_refuse(struct lang_as *as, const char *word)
{
	struct lang_guess guess;

	lang_error(as->parser->unit, as->at, "there is no operation \"%.80s\"", word);
	lang_guess_start(&guess, word);
	for (size_t i = 0; i < OPERATIONS; i++)
		lang_guess_try(&guess, operations[i].word);
	for (unsigned op = 0; op < PTOWSP_PTO_ADD; op++)
		if (isa_op(op))
			lang_guess_try(&guess, common_format(&as->parser->unit->arena, "pto.%s", isa_op(op)->mnemonic));
	lang_guess_help(as->parser->unit, &guess, "");
	return false;
}

/* A tile operation gives no results: it writes what outs names. */
static int tile_read(struct lang_as *as, const char *word, const struct lang_as_results *results)
{
	/* The elements of a tile have a t in front here. */
	const char *name = !strcmp(word, "pto.tsetval") ? "pto.setval" : word;
	const int op = strncmp(name, "pto.", 4) ? -1 : isa_op_find(name + 4, strlen(name + 4));

	if (op < 0 || op >= PTOWSP_PTO_ADD)
		return unknown_refuse(as, word);
	if (!results->count)
		return lang_as_tile_op(as, (unsigned)op, word);
	lang_error(as->parser->unit, as->at, "%s gives no result: it writes the tiles of outs(...)", word);
	return 0;
}

static int dispatch(struct lang_as *as, const char *word, const struct lang_as_results *results)
{
	for (size_t i = 0; i < OPERATIONS; i++)
		if (!strcmp(operations[i].word, word))
			return operations[i].read(as, results);
	if (!strncmp(word, "arith.", 6))
		return lang_as_arith(as, word + 6, results);
	return tile_read(as, word, results);
}

/* "%a, %b =" */
static bool results_read(struct lang_as *as, struct lang_as_results *results)
{
	results->count = 0;
	while (lang_peek(as->parser)->kind == LANG_NAME || lang_peek(as->parser)->kind == LANG_LITERAL) {
		if (results->count == LANG_AS_OPERANDS) {
			lang_error(as->parser->unit, lang_peek(as->parser)->at, "no operation gives more than %u results", LANG_AS_OPERANDS);
			return false;
		}
		results->names[results->count++] = lang_take(as->parser);
		if (!lang_at_mark(as->parser, ','))
			return lang_expect(as->parser, '=', "behind the result");
		lang_take(as->parser);
	}
	return true;
}

/* Results of an operation with an error are known all the same: its uses are not wrong, too. */
static void results_break(struct lang_as *as, const struct lang_as_results *results)
{
	for (uint32_t i = 0; i < results->count; i++) {
		const struct lang_as_name *name = lang_map_find(&as->names, results->names[i]->text);

		if (!name || !name->top)
			lang_as_define(as, results->names[i], LANG_AS_BROKEN);
	}
}

static void op_parse(struct lang_as *as)
{
	struct lang_parser *parser = as->parser;
	struct lang_as_results results;
	const struct lang_token *word;
	const uint32_t start = parser->at;
	int ok = results_read(as, &results);

	word = lang_peek(parser);
	as->at = word->at;
	if (ok && word->kind != LANG_WORD)
		ok = lang_expected(parser, "an operation such as pto.tload");
	if (ok) {
		lang_take(parser);
		ok = dispatch(as, word->text, &results);
	}
	if (ok)
		return;
	results_break(as, &results);
	if (lang_peek(parser)->kind != LANG_END)
		op_skip(parser, start);
}

/* "{ operations }", the brace is the next token. */
static bool region_parse(struct lang_as *as, struct lang_block *block)
{
	struct lang_block *outer = as->block;
	const struct lang_token *open = lang_take(as->parser);

	as->block = block;
	as->parser->depth++;
	while (!lang_at_mark(as->parser, '}') && lang_peek(as->parser)->kind != LANG_END && !lang_at_word(as->parser, "func.func"))
		op_parse(as);
	as->parser->depth--;
	as->block = outer;
	if (lang_at_mark(as->parser, '}')) {
		lang_take(as->parser);
		return true;
	}
	lang_error(as->parser->unit, open->at, "this region is not closed by \"}\"");
	return false;
}

/* --- functions --- */

static bool param_read(struct lang_as *as)
{
	const struct lang_token *name = lang_peek(as->parser);
	struct lang_as_type type;
	struct lang_as_value *value;
	int pointer;

	if (name->kind != LANG_NAME && name->kind != LANG_LITERAL)
		return lang_expected(as->parser, "a parameter such as %a: !pto.ptr<f16>");
	lang_take(as->parser);
	if (!lang_expect(as->parser, ':', "and a type behind the parameter") || !lang_as_type_parse(as->parser, &type))
		return false;
	if (lang_at_mark(as->parser, '{'))
		braces_skip(as->parser);
	pointer = type.kind == LANG_AS_TYPE_POINTER;
	if (!pointer && type.kind != LANG_AS_TYPE_SCALAR) {
		lang_error(as->parser->unit, type.at, "pointers and scalars are passed to a function, not this");
		lang_help(as->parser->unit, "pass the pointer and make the view inside: pto.make_tensor_view");
		return false;
	}
	value = lang_as_define(as, name, pointer ? LANG_AS_POINTER : LANG_AS_SCALAR);
	value->type = type.type;
	value->text = value->term.var = lang_as_var(as, pointer ? LANG_MEMREF : LANG_SCALAR, name->text, type.type, name->at);
	lang_var_find(as->parser->function, value->text)->param = 1;
	return true;
}

/* "@f(%a: T, ...) attributes {...}" up to its region. */
static bool signature_read(struct lang_as *as)
{
	if (!lang_expect(as->parser, '(', "and the parameters"))
		return false;
	while (!lang_at_mark(as->parser, ')')) {
		if (!param_read(as))
			return false;
		if (!lang_at_mark(as->parser, ','))
			break;
		lang_take(as->parser);
	}
	if (!lang_expect(as->parser, ')', "at the end of the parameters"))
		return false;
	if (lang_peek(as->parser)->kind == LANG_ARROW && lang_take(as->parser) && lang_at_mark(as->parser, '(') && lang_take(as->parser) &&
	    !lang_expect(as->parser, ')', "a function gives no values"))
		return false;
	if (lang_word_take(as->parser, "attributes") && lang_at_mark(as->parser, '{'))
		braces_skip(as->parser);
	return lang_at_mark(as->parser, '{') || lang_expect(as->parser, '{', "and the operations of the function");
}

/* The index tiles first, then what the text says. */
static void prologue_place(struct lang_as *as)
{
	struct lang_block *body = &as->parser->function->body;

	if (!as->prologue.first)
		return;
	*as->prologue.last = body->first;
	if (!body->first)
		body->last = as->prologue.last;
	body->first = as->prologue.first;
}

static void func_parse(struct lang_parser *parser)
{
	struct lang_as as = {.parser = parser};
	const uint32_t start = parser->at;
	const struct lang_token *name;
	int declared;

	lang_take(parser);
	declared = lang_word_take(parser, "private"); /* of something elsewhere */
	name = lang_peek(parser);
	if (name->kind != LANG_AT)
		lang_expected(parser, "the function's name such as @f");
	if (name->kind != LANG_AT || declared) {
		op_skip(parser, start);
		return;
	}
	lang_take(parser);
	lang_function_start(parser, name);
	parser->function->body.last = &parser->function->body.first;
	as.block = &parser->function->body;
	as.prologue.last = &as.prologue.first;
	as.at = name->at;
	if (!signature_read(&as)) {
		op_skip(parser, start);
		return;
	}
	parser->depth = 0;
	region_parse(&as, &parser->function->body);
	prologue_place(&as);
}

/* The rest of "module attributes {...} {"; 0 if no region follows. */
static void module_begin(struct lang_parser *parser)
{
	lang_take(parser);
	if (lang_word_take(parser, "attributes") && lang_at_mark(parser, '{'))
		braces_skip(parser);
	lang_expect(parser, '{', "and the functions of the module");
}

void lang_as_parse(struct lang_parser *parser)
{
	const int module = lang_at_word(parser, "module");

	if (module)
		module_begin(parser);
	for (;;) {
		const struct lang_token *token = lang_peek(parser);

		if (lang_at_word(parser, "func.func")) {
			func_parse(parser);
		} else if (token->kind == LANG_END || (module && token->mark == '}')) {
			break;
		} else {
			lang_error(parser->unit, token->at, "a module holds functions, and none begins here");
			lang_help(parser->unit, "func.func @name(%%a: !pto.ptr<f16>) {");
			op_skip(parser, parser->at);
		}
	}
	if (!module)
		return;
	if (!lang_at_mark(parser, '}')) {
		lang_expected(parser, "\"}\" at the end of the module");
		return;
	}
	lang_take(parser);
	if (lang_peek(parser)->kind != LANG_END)
		lang_error(parser->unit, lang_peek(parser)->at, "this stands behind the end of the module, and a file holds one");
}
