/* SPDX-License-Identifier: MIT */
/* lang_schedule.h - schedule { }: directives as the source writes them to rows of SCHD, and rows to source again.
 *
 * How each directive is spelled is schedule.def; what it takes is registry's policy table. */
#ifndef LANG_SCHEDULE_H
#define LANG_SCHEDULE_H

#include <stdbool.h>

#include "format/format_package.h"
#include "lang/decl.h"
#include "lang/parse/parse.h"
#include "registry/names.h"
#include "registry/text.h"

enum { LANG_DIRECTIVE_ARGUMENTS = 16 }; /* a threshold's policies and bounds; the SCHD row keeps the last ones in one word */

/* One row of schedule.def. */
struct lang_spelling {
	const char *word, *text;
	uint16_t directive, policy;
	int64_t most;
};
const struct lang_spelling *lang_spellings(uint32_t *count);
/* The next piece of a spelling, copied, and the rest behind it; NULL at the end. */
enum { LANG_PIECE_BYTES = 32 };
const char *lang_spelling_piece(const char *text, char piece_out[LANG_PIECE_BYTES]);
/* " " or "": what stands before a piece that is written behind another one. */
const char *lang_piece_blank(const char *piece, const char *before);
/* A whole directive spelled so, "dispatch round_robin(4)", for whoever has to be shown one. In the arena. */
const char *lang_spelling_example(struct common_arena *arena, const struct lang_spelling *spelling);
/* How many arguments a row spelled so has: -1 for as many as there are ($0+, $1s, $1p). */
int lang_spelling_arguments(const struct lang_spelling *spelling);
/* Does it spell rows and columns of a grid? */
bool lang_spelling_is_grid(const struct lang_spelling *spelling);
/* The letter of arguments.def for argument i of `count`; the policy's optional argument is its leading word. */
char lang_argument_kind(const struct reg_policy *policy, unsigned count, unsigned i);

struct lang_argument {
	char kind; /* letters of arguments.def; c channel, t tensor, s shard, p policy, i any number */
	struct lang_span at;
	const char *name;                /* loop, domain, word, channel, tensor, shard "S0"; a number's or an expression's text on one line */
	const struct lang_token *tokens; /* of an expression */
	uint32_t token_count;
	int64_t number;
	struct lang_directive *policy;
};

struct lang_directive {
	struct lang_directive *next;
	const struct lang_spelling *spelling;
	struct lang_span at; /* its word */
	uint8_t required;    /* 1: must be enforced */
	const char *line;    /* as registry/schedule.h reads it, made when it is lowered */
	uint32_t count;
	struct lang_argument arguments[LANG_DIRECTIVE_ARGUMENTS];
};

struct lang_schedule {
	struct lang_decl decl;
	struct lang_directive *first, **last;
};

/* schedule { }; the word is the next token. Numbers, words, what stands twice and what excludes each other are checked here. */
void lang_schedule_parse(struct lang_parser *parser);
/* The directive with that policy; NULL: the source has none. */
const struct lang_directive *lang_schedule_find(const struct lang_module *module, unsigned directive, unsigned policy);
/* The entry being lowered needs the symbols and slots that the schedule reads: every entry runs under it. */
void lang_schedule_values(struct lang_lower *lower);
/* Names against the tables of the package, which are complete but for EXPR and SCHD; then its rows. */
void lang_schedule_lower(struct lang_lower *lower);

/* --- tokens against the spellings of a directive, and what was expected where none fits. --- */

enum { LANG_EXPECTATIONS = 16 };

/* One try after the other; what is left is the one that got furthest. */
struct lang_match {
	struct lang_unit *unit;
	const struct lang_token *tokens;    /* the last one is LANG_END */
	uint32_t at;                        /* the next token */
	uint32_t depth;                     /* parentheses of spellings around */
	const struct lang_spelling *trying; /* that of the directive, also inside a threshold */
	/* where the tries got stuck that got furthest, what each of them wanted there, and the first of them */
	uint32_t stuck;
	const struct lang_spelling *nearest;
	uint32_t expected_count;
	struct lang_expectation {
		uint8_t literal; /* 1: that very word or mark */
		const char *text;
	} expected[LANG_EXPECTATIONS];
};

/* The spellings of `word` (inner: a policy inside a threshold) from match->at on, up to the end of the directive. 1: *directive_out has its
 * spelling and arguments, and match->at is behind it. 0: match says where it got stuck. */
bool lang_directive_match(struct lang_match *match, const char *word, int inner, struct lang_directive *directive_out);
/* A word of some directive. */
bool lang_is_directive(const char *word);

/* --- rows of SCHD as the source writes them. --- */

/* One directive, without a line end: "task_window 8192 tasks stall". 0 if the source has no words for the row. */
bool lang_directive_print(const struct pkg_tables *tables, uint32_t row, struct reg_text *text);
/* The whole block, with its line ends; nothing where there is no row. 0 if some row cannot be written: *row_out is the first. */
bool lang_schedule_print(const struct pkg_tables *tables, struct reg_text *text, uint32_t *row_out);

#endif
