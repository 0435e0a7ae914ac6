/* SPDX-License-Identifier: MIT */
#include "tests/lang/random_text.h"
#include "tests/draw.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define PIECE 4096

void random_text_add(struct random_text *text, const char *format, ...)
{
	va_list list;
	int length;

	if (text->room - text->size < PIECE) {
		char *more = realloc(text->text, text->room * 2 + 2 * PIECE);

		text->failed |= !more;
		if (!more)
			return;
		text->text = more;
		text->room = text->room * 2 + 2 * PIECE;
	}
	va_start(list, format);
	length = vsnprintf(text->text + text->size, PIECE, format, list);
	va_end(list);
	text->size += length > 0 && length < PIECE ? (size_t)length : 0;
}

unsigned random_text_below(struct random_text *text, unsigned limit)
{
	return (unsigned)draw(&text->seed, limit);
}

bool random_text_chance(struct random_text *text, unsigned percent)
{
	return random_text_below(text, 100) < percent;
}
