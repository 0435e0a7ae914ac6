/* SPDX-License-Identifier: MIT */
/* emit_text.c - text that grows: lines with their indentation, pieces, quoted names. */
#include "isa/emit_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool room_make(struct isa_writing *w, size_t more)
{
	char *text;
	size_t room = w->room;

	while (room < w->length + more + 1)
		room = room * 2 + 4096;
	if (room == w->room)
		return true;
	text = realloc(w->text, room);
	w->failed |= !text;
	if (!text)
		return false;
	w->text = text;
	w->room = room;
	return true;
}

static void append(struct isa_emitter *e, const char *format, va_list list)
{
	struct isa_writing *w = &e->out;
	va_list again;
	int length;

	va_copy(again, list);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (length < 0 || !room_make(w, (size_t)length))
		return;
	vsnprintf(w->text + w->length, (size_t)length + 1, format, list);
	w->length += (size_t)length;
}

void isa_put(struct isa_emitter *e, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	append(e, format, list);
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
	append(e, format, list);
	va_end(list);
	isa_put(e, "\n");
}

void isa_open(struct isa_emitter *e, const char *format, ...)
{
	va_list list;

	isa_indent(e);
	va_start(list, format);
	append(e, format, list);
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
