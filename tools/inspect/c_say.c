/* SPDX-License-Identifier: MIT */
/* c_say.c - one call of the builder: printed, and made. */
#include "tools/inspect/c.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

/* Variables by kind: e[7] is the expression of row 7. */
static const char *const letters[BUILD_KINDS] = {
	[BUILD_SLOT] = "slot",       [BUILD_EXPR] = "e",          [BUILD_LEVELS] = "levels", [BUILD_AXIS] = "axis",
	[BUILD_TENSOR] = "tensor",   [BUILD_REGION] = "region",   [BUILD_KERNEL] = "kernel", [BUILD_PARAM] = "param",
	[BUILD_PAYLOAD] = "payload", [BUILD_TILE] = "tile",       [BUILD_SCALAR] = "scalar", [BUILD_EVENT] = "event",
	[BUILD_CHANNEL] = "channel", [BUILD_PROCESS] = "process", [BUILD_ENTRY] = "entry",   [BUILD_DIRECTIVE] = "directive"};

const char *inspect_c_variable(unsigned kind)
{
	return letters[kind];
}

/* "tensor[3]" of a handle: the variable of the text that holds it; 0 is "0". */
static void handle_say(struct said *s, uint32_t handle)
{
	uint32_t kind = handle >> BUILD_ROW_BITS, row = handle & ((1u << BUILD_ROW_BITS) - 1);

	if (kind == BUILD_NONE || kind >= BUILD_KINDS) {
		fprintf(s->to, "%" PRIu32, handle);
		return;
	}
	if (s->rows[kind] <= row)
		s->rows[kind] = row + 1;
	fprintf(s->to, "%s[%" PRIu32 "]", letters[kind], row);
}

/* Octal escapes have three digits, so that what follows is never part of them; "??" might be a trigraph. */
void say_text(FILE *to, const char *text)
{
	fputc('"', to);
	for (; *text; text++)
		if (*text == '"' || *text == '\\' || (*text == '?' && text[1] == '?'))
			fprintf(to, "\\%c", *text);
		else if ((unsigned char)*text < 32 || (unsigned char)*text > 126)
			fprintf(to, "\\%03o", (unsigned char)*text);
		else
			fputc(*text, to);
	fputc('"', to);
}

static void bytes_say(FILE *to, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		fprintf(to, i % 24 ? ",%u" : i ? ",\n\t\t%u" : "\n\t\t%u", bytes[i]);
	fputs(size ? "}" : "0}", to);
}

/* Prints bytes as text, 24 a line, with the shortest escapes: megabytes of numbers cost a compiler ten times as long and four times the memory. */
static void bytes_say_as_text(FILE *to, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		const bool ends = i % 24 == 23 || i + 1 == size, digit_follows = !ends && bytes[i + 1] >= '0' && bytes[i + 1] <= '7';

		fputs(i % 24 ? "" : "\n\t\t\"", to);
		if (bytes[i] >= ' ' && bytes[i] <= '~' && !strchr("\"\\?", bytes[i]))
			fputc(bytes[i], to);
		else
			fprintf(to, digit_follows ? "\\%03o" : "\\%o", bytes[i]);
		fputs(ends ? "\"" : "", to);
	}
}

/* Bytes written in a call lie on the stack of the program: many are an array of their own, in a block with the call. */
enum { BYTES_IN_CALL = 4096 };

static bool bytes_begin(FILE *to, const char *letters_of, const struct build_arg *args)
{
	const char *at = strchr(letters_of, 'p');
	const struct build_arg *arg = at ? &args[at - letters_of] : NULL;

	if (!arg || arg[1].number <= BYTES_IN_CALL)
		return false;
	fputs("\t{\n\tstatic const unsigned char bytes[] =", to);
	bytes_say_as_text(to, arg->data, (size_t)arg[1].number);
	fputs(";\n", to);
	return true;
}

static void signed_say(FILE *to, int64_t value)
{
	if (value == INT64_MIN)
		fputs("INT64_MIN", to);
	else
		fprintf(to, value > INT32_MAX || value < INT32_MIN ? "INT64_C(%" PRId64 ")" : "%" PRId64, value);
}

static void read_note(struct said *s, uint32_t handle)
{
	if (handle >> BUILD_ROW_BITS < BUILD_KINDS)
		s->reads[handle >> BUILD_ROW_BITS] = 1;
}

static void array_say(struct said *s, char letter, const void *data, uint32_t length)
{
	static const char *const types[] = {['v'] = "uint32_t", ['w'] = "uint32_t", ['x'] = "int64_t", ['y'] = "uint64_t"};

	if (!length) {
		fputs("NULL", s->to);
		return;
	}
	fprintf(s->to, "(const %s[]){", types[(unsigned char)letter]);
	for (uint32_t i = 0; i < length; i++) {
		fputs(i ? ", " : "", s->to);
		if (letter == 'w') {
			read_note(s, ((const uint32_t *)data)[i]);
			handle_say(s, ((const uint32_t *)data)[i]);
		} else if (letter == 'v') {
			fprintf(s->to, "%" PRIu32, ((const uint32_t *)data)[i]);
		} else if (letter == 'y') {
			fprintf(s->to, "UINT64_C(%" PRIu64 ")", ((const uint64_t *)data)[i]);
		} else {
			signed_say(s->to, ((const int64_t *)data)[i]);
		}
	}
	fputc('}', s->to);
}

/* Takes an argument of that letter; size_out: of the bytes that are printed when their n comes. */
static void arg_take(struct build_arg *arg, char letter, va_list *list, uint32_t *length_out)
{
	switch (letter) {
	case 's': arg->text = va_arg(*list, const char *); break;
	case 'p': arg->data = va_arg(*list, const void *); break;
	case 'v':
	case 'w':
	case 'x':
	case 'y':
		arg->data = va_arg(*list, const void *);
		*length_out = va_arg(*list, uint32_t);
		break;
	case 'l': arg->number = (uint64_t)va_arg(*list, int64_t); break;
	case 'q':
	case 'n': arg->number = va_arg(*list, uint64_t); break;
	case 'j': arg->number = (uint64_t)va_arg(*list, int32_t); break;
	default: arg->number = va_arg(*list, uint32_t);
	}
}

static void arg_say(struct said *s, const struct build_arg *args, uint32_t i, char letter, uint32_t length)
{
	switch (letter) {
	case 's': say_text(s->to, args[i].text); break;
	case 'h':
		read_note(s, (uint32_t)args[i].number);
		handle_say(s, (uint32_t)args[i].number);
		break;
	case 'p':
		if (args[i + 1].number > BYTES_IN_CALL) {
			fputs("bytes", s->to);
			break;
		}
		fputs("(const unsigned char[]){", s->to);
		bytes_say(s->to, args[i].data, (size_t)args[i + 1].number);
		break;
	case 'v':
	case 'w':
	case 'x':
	case 'y': array_say(s, letter, args[i].data, length); break;
	case 'l': signed_say(s->to, (int64_t)args[i].number); break;
	case 'j': fprintf(s->to, "%" PRId32, (int32_t)(uint32_t)args[i].number); break;
	case 'q': fprintf(s->to, args[i].number > UINT32_MAX ? "UINT64_C(%" PRIu64 ")" : "%" PRIu64, args[i].number); break;
	default: fprintf(s->to, "%" PRIu64, args[i].number);
	}
}

static void line_begin(struct said *s)
{
	for (uint32_t i = 0; i <= s->depth; i++)
		fputc('\t', s->to);
}

uint32_t say_call(struct said *s, const struct build_call *call, const struct build_arg *args, const uint32_t *lengths)
{
	const uint32_t handle = call->run(s->b, args);
	const bool apart = bytes_begin(s->to, call->args, args);

	line_begin(s);
	if (call->makes && handle >> BUILD_ROW_BITS == call->makes) {
		handle_say(s, handle);
		fputs(" = ", s->to);
	}
	fprintf(s->to, "ptowsp_build_%s(b", call->name);
	for (uint32_t i = 0; call->args[i]; i++) {
		fputs(", ", s->to);
		arg_say(s, args, i, call->args[i], lengths ? lengths[i] : 0);
	}
	fputs(apart ? ");\n\t}\n" : ");\n", s->to);
	return handle;
}

uint32_t say(struct said *s, const char *name, ...)
{
	const struct build_call *call = build_call_find(name);
	struct build_arg args[BUILD_ARGS] = {{0}};
	uint32_t lengths[BUILD_ARGS] = {0};
	va_list list;

	va_start(list, name);
	for (uint32_t i = 0; call->args[i]; i++)
		arg_take(&args[i], call->args[i], &list, &lengths[i]);
	va_end(list);
	return say_call(s, call, args, lengths);
}

void say_place(struct said *s, const struct ptowsp_debug_record *place)
{
	if (place->line == s->place.line && place->column == s->place.column && place->file == s->place.file)
		return;
	s->place = *place;
	say(s, "position", !place->line ? "" : place->file == SAY_ANY_FILE ? "tiles" : pkg_string(s->t, place->file), place->line, place->column);
}

void say_position(struct said *s, uint16_t kind, uint32_t row)
{
	const struct pkg_tables *t = s->t;
	struct ptowsp_debug_record place = {0};
	const uint64_t key = (uint64_t)kind << 32 | row;

	for (uint32_t i = pkg_ranks_from(&s->places, key); i < s->places.count && s->places.rows[i].key == key && !place.line; i++)
		place = t->debug[s->places.rows[i].row];
	say_place(s, &place);
}
