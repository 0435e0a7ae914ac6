/* SPDX-License-Identifier: MIT */
/* lang_place.h - where a statement came from: where it stands, or what a source that was printed from a package says of itself. */
#ifndef LANG_PLACE_H
#define LANG_PLACE_H

#include "lang/diag.h"

/* A position as the package keeps it. line 0: there is none. */
struct lang_origin {
	const char *file; /* without folder */
	uint32_t line, column;
};

/* "12:5", "12" or "12:5 /12:20 /12:31 file.pto" behind a line; other text is a comment like any other. What begins with "/" are the places of its
 * divisions (operators / and %) in their order. */
void lang_place_read(struct lang_unit *unit, uint32_t file, uint32_t line, const char *text, size_t length);
/* An operator / or % stands there; told in the order of the text. */
void lang_place_division(struct lang_unit *unit, struct lang_span at);
/* From now on the positions of that source are those that its lines state, in the file `name`; lines that state none have none. */
void lang_places_state(struct lang_unit *unit, uint32_t file, const char *name);

/* 1: the source states its positions itself. */
int lang_places_stated(const struct lang_unit *unit, uint32_t file);
struct lang_origin lang_origin_of(struct lang_unit *unit, struct lang_span at);
/* The same of an operator / or %, or of the statement DIV. */
struct lang_origin lang_origin_of_division(struct lang_unit *unit, struct lang_span at);

#endif
