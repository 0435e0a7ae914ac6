/* SPDX-License-Identifier: MIT */
/* emit_text.c - text that grows: lines with their indentation, pieces, quoted names. */
#include "isa/emit/emit_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void isa_put(struct isa_emitter *e, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	common_text_add_list(&e->out.text, format, list);
	va_end(list);
}

void isa_indent(struct isa_emitter *e)
{
	for (unsigned i = 0; i < e->out.depth; i++)
		isa_put(e, "\t");
}

void isa_line(struct isa_emitter *e, const char *format, ...)
{
	va_list list;

	isa_indent(e);
	va_start(list, format);
	common_text_add_list(&e->out.text, format, list);
	va_end(list);
	isa_put(e, "\n");
}

void isa_open(struct isa_emitter *e, const char *format, ...)
{
	va_list list;

	isa_indent(e);
	va_start(list, format);
	common_text_add_list(&e->out.text, format, list);
	va_end(list);
	isa_put(e, "{\n");
	e->out.depth++;
}

void isa_close(struct isa_emitter *e)
{
	e->out.depth--;
	isa_line(e, "}");
}

struct isa_piece isa_piece(const char *format, ...)
{
	struct isa_piece piece;
	va_list list;

	va_start(list, format);
	vsnprintf(piece.text, sizeof(piece.text), format, list);
	va_end(list);
	return piece;
}

struct isa_piece isa_quoted(const char *name)
{
	struct isa_piece piece;
	size_t at = 0;

	piece.text[at++] = '"';
	for (; *name && at + 8 < sizeof(piece.text); name++) {
		const unsigned char c = (unsigned char)*name;

		if (c == '"' || c == '\\' || c == '?' || c < 0x20 || c > 0x7E)
			at += (size_t)snprintf(piece.text + at, 5, "\\%03o", c);
		else
			piece.text[at++] = (char)c;
	}
	memcpy(piece.text + at, "\"", 2);
	return piece;
}
