/* SPDX-License-Identifier: MIT */
/* diag.h - messages with a place: file:line:column, the line, a caret, one sentence of help. */
#ifndef LANG_DIAG_H
#define LANG_DIAG_H

#include <stdbool.h>

#include "lang/lang.h"
#include "registry/common/common_arena.h"

/* A piece of one line of one source. line 0: the source as a whole. */
struct lang_span {
	uint32_t file;         /* source number */
	uint32_t line, column; /* 1 first; column counts bytes */
	uint32_t length;       /* bytes */
};

/* The state that all stages of a compilation share. */
struct lang_unit {
	struct common_arena arena;         /* everything but the diagnostics */
	const struct lang_source *sources; /* the caller's, behind them the included ones */
	uint32_t source_count, own_count;
	struct lang_included *included; /* one per included source, in the arena */
	struct lang_list *list;         /* the diagnostics so far */
	jmp_buf out;                    /* left to when memory runs out or after the last error that is collected */
	int stopped;                    /* 1: left because of too many errors */
	uint32_t misuses;               /* errors that are about the options of the compilation, not about a source */
	struct lang_places *places;     /* one per source up to place_count, in the arena: where its lines came from, as they say */
	uint32_t place_count;
};

/* A source that another one includes: what it names is read as seen from its folder below that of the caller's source `root`. */
struct lang_included {
	uint32_t root;
	const char *folder; /* "" or with a '/' at its end */
};

/* The place where a line of a source begins; at NULL: none was looked for. */
struct lang_line {
	const char *at;
	uint32_t file, line;
};

/* The growing form of struct lang_diagnostics; its texts outlive the compilation in an arena of their own. */
struct lang_list {
	struct lang_diagnostics head; /* first: the pointer handed out is the list's */
	struct common_arena arena;
	struct lang_diagnostic *rows;
	uint32_t capacity;
	struct lang_line near; /* the line that was found last */
};
struct lang_list *lang_list_create(jmp_buf *out); /* NULL without memory */
void lang_list_sort(struct lang_list *list);      /* by place */

#define LANG_MAX_ERRORS   20u
#define LANG_MAX_WARNINGS 200u

/* Ends the compilation: nothing behind the errors that were told is worth looking at. */
_Noreturn void lang_stop(struct lang_unit *unit);
/* The same with an error, that loops and branches nest too deep; why: " when calls are expanded", "". */
_Noreturn void lang_too_deep(struct lang_unit *unit, struct lang_span at, const char *why);
void lang_error(struct lang_unit *unit, struct lang_span at, const char *format, ...) __attribute__((format(printf, 3, 4)));
void lang_warn(struct lang_unit *unit, struct lang_span at, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Adds the sentence of help to the latest message. */
void lang_help(struct lang_unit *unit, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* All of a line but the blanks around it. */
struct lang_span lang_line_span(const struct lang_unit *unit, uint32_t file, uint32_t line);
/* The first place in that line, which lang_line_span found, where the word stands and does not go on; else the line itself. */
struct lang_span lang_word_span(const struct lang_unit *unit, struct lang_span line, const char *word, size_t length);

/* "file:line" of a span, for messages that name a second place. */
const char *lang_place(struct lang_unit *unit, struct lang_span at);

/* A guess at what was meant: feed candidates, take the nearest if it is near. */
struct lang_guess {
	const char *word;
	const char *best; /* NULL: none is near */
	uint32_t distance;
};
void lang_guess_start(struct lang_guess *guess, const char *word);
void lang_guess_try(struct lang_guess *guess, const char *candidate);
/* The names that there are as the help of the latest message, nearest to word first and as many as fit in a line; before them
 * "did you mean PREFIXbest?" if one is near. */
void lang_known_help(struct lang_unit *unit, const char *word, const char *prefix, const char *const *names, uint32_t count);
/* "did you mean PREFIXbest?" as the help of the latest message, if there is a guess; returns 1 if so. */
bool lang_guess_help(struct lang_unit *unit, const struct lang_guess *guess, const char *prefix);

/* --- where a statement came from: where it stands, or what a source that was printed from a package says of itself. --- */

/* A position as the package keeps it. line 0: there is none. */
struct lang_origin {
	const char *file; /* without folder */
	uint32_t line, column;
};

/* 1: the source states its positions itself. */
bool lang_places_stated(const struct lang_unit *unit, uint32_t file);
struct lang_origin lang_origin_of(struct lang_unit *unit, struct lang_span at);
/* The same of an operator / or %, or of the statement DIV. */
struct lang_origin lang_origin_of_division(struct lang_unit *unit, struct lang_span at);

/* --- texts of a package are UTF-8 without control characters, but for tabs and newlines. --- */

/* A copy with "_" for control characters, tabs and newlines among them, and for bytes that are no UTF-8. */
char *lang_clean(struct common_arena *arena, const char *text, size_t length);
/* 1: a package may hold the text. */
bool lang_is_clean(const char *text);

#endif
