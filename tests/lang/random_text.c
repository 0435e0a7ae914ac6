/* SPDX-License-Identifier: MIT */
#include "tests/lang/random_text.h"

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
	uint64_t z = text->seed += 0x9E3779B97F4A7C15u;

	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	return (unsigned)((z ^ (z >> 31)) % limit);
}

bool random_text_chance(struct random_text *text, unsigned percent)
{
	return random_text_below(text, 100) < percent;
}
