/* SPDX-License-Identifier: MIT */
/* match_schedule.h - tokens against the spellings of a directive, and what was expected where none fits. */
#ifndef LANG_MATCH_SCHEDULE_H
#define LANG_MATCH_SCHEDULE_H

#include "lang/parse.h"
#include "lang/lang_schedule.h"

enum { LANG_EXPECTATIONS = 16 };

/* One try after the other; what is left is the one that got furthest. */
struct lang_match {
	struct lang_unit *unit;
	const struct lang_token *tokens; /* the last one is LANG_END */
	uint32_t at;                     /* the next token */
	uint32_t depth;                  /* parentheses of spellings around */
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
int lang_directive_match(struct lang_match *match, const char *word, int inner, struct lang_directive *directive_out);
/* A word of some directive. */
int lang_is_directive(const char *word);

#endif
