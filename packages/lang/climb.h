/* SPDX-License-Identifier: MIT */
/* climb.h - expressions by precedence climbing over tokens: operators, signs, parentheses and "c ? a : b". What a value is and
 * what an operation becomes is the user's: scalars of workloads (parse_scalar.c) and of graphs (graph_scalar.c). */
#ifndef LANG_CLIMB_H
#define LANG_CLIMB_H

#include "lang/parse.h"

/* One expression being read. parser, what, primary and operation are given, the rest begins as 0; all borrowed. */
struct lang_climb {
	struct lang_parser *parser;
	const char *what;       /* is expected, for messages */
	uint32_t max_operators; /* of one expression */
	int bare_names;         /* names carry no sign: "%m" is a remainder's sign and a name */
	/* A number, name or call at the next token; NULL after an error. */
	void *(*primary)(struct lang_climb *climb);
	/* op on operands (b and c NULL where there are fewer) at the sign's place; NULL after an error. */
	void *(*operation)(struct lang_climb *climb, unsigned op, struct lang_span at, void *a, void *b, void *c);
	/* May be NULL: the value stood in parentheses from one span to the other. */
	void (*grouped)(void *value, struct lang_span from, struct lang_span to);
	uint32_t operators, depth;
};

/* An expression, up to what does not belong to it. NULL after an error, which is said. */
void *lang_climb(struct lang_climb *climb);
/* The operands "(a, b, ...)" behind a function's name, 1 to 3 of them; *end_out is the ")". 0 after an error. */
int lang_climb_operands(struct lang_climb *climb, uint32_t count, void *operands[3], struct lang_span *end_out);
/* op on operands (NULL where there are fewer), counted; NULL after an error. */
void *lang_climb_operation(struct lang_climb *climb, unsigned op, struct lang_span at, void *const operands[3]);

#endif
