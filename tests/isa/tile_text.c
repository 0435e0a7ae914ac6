/* SPDX-License-Identifier: MIT */
#include "tests/isa/tile_text.h"

#include <stdio.h>

#include "registry/common/common_dtype.h"

enum { WORDS = 12 };

/* One statement, in words. */
struct statement {
	char text[160];
	const char *words[WORDS + 1]; /* ended by NULL */
	unsigned count;
};

static void fail(const struct statement *s, const char *why)
{
	fprintf(stderr, "tile_text: %s:", why);
	for (unsigned i = 0; i < s->count; i++)
		fprintf(stderr, " %s", s->words[i]);
	fputc('\n', stderr);
	abort();
}

static void statement_split(struct statement *s, const char *text, size_t length)
{
	*s = (struct statement){.count = 0};
	if (length >= sizeof(s->text))
		fail(s, "a statement is too long");
	memcpy(s->text, text, length);
	for (char *word = strtok(s->text, " \t"); word; word = strtok(NULL, " \t")) {
		if (s->count == WORDS)
			fail(s, "a statement has too many words");
		s->words[s->count++] = word;
	}
}

static bool is_number(const char *word)
{
	return strspn(word, "-.0123456789einfa+") == strlen(word) && strpbrk(word, "0123456789");
}

static unsigned dtype_of(const struct statement *s, const char *word)
{
	for (unsigned code = 0; code < 64; code++)
		if (common_dtype(code) && !strcmp(common_dtype(code)->text, word))
			return code;
	fail(s, "a type is unknown");
	return 0;
}

unsigned tile_named(const struct tile_builder *b, const char *name)
{
	for (unsigned i = b->header.tile_count; i--;)
		if (!strcmp(b->strings + b->tiles[i].name, name))
			return i;
	fprintf(stderr, "tile_text: there is no tile %s\n", name);
	abort();
}

unsigned tile_scalar_named(const struct tile_builder *b, const char *name)
{
	for (unsigned i = b->header.scalar_count; i--;)
		if (!strcmp(b->strings + b->scalars[i].name, name))
			return i;
	fprintf(stderr, "tile_text: there is no scalar %s\n", name);
	abort();
}

static unsigned param_named(const struct tile_builder *b, const char *name)
{
	for (unsigned i = b->header.param_count; i--;)
		if (!strcmp(b->strings + b->params[i].name, name))
			return i;
	fprintf(stderr, "tile_text: there is no memref %s\n", name);
	abort();
}

static unsigned scalar_of(struct tile_builder *b, const char *word)
{
	if (!is_number(word))
		return tile_scalar_named(b, word);
	return strpbrk(word, ".") ? tile_float(b, strtof(word, NULL)) : tile_int(b, strtoll(word, NULL, 0));
}

static unsigned operand_of(struct tile_builder *b, char letter, const char *word)
{
	switch (letter) {
	case 'T':
	case 't': return tile_named(b, word);
	case 'M':
	case 'm': return param_named(b, word);
	default: return scalar_of(b, word);
	}
}

static void tiles_declare(struct tile_builder *b, const struct statement *s)
{
	unsigned shape = 1, rows, columns;

	while (shape < s->count && sscanf(s->words[shape], "%ux%u", &rows, &columns) != 2)
		shape++;
	if (shape + 2 < s->count || shape >= s->count)
		fail(s, "tile NAME... ROWSxCOLUMNS [TYPE]");
	for (unsigned i = 1; i < shape; i++)
		tile_tile(b, s->words[i], rows, columns, s->words[shape + 1] ? dtype_of(s, s->words[shape + 1]) : PTOWSP_F32);
}

static void scalar_declare(struct tile_builder *b, const struct statement *s, bool argument)
{
	if (s->count < 3 || s->count > (argument ? 3 : 4))
		fail(s, "local NAME TYPE [VALUE], arg NAME TYPE");
	if (argument)
		tile_arg(b, s->words[1], dtype_of(s, s->words[2]));
	else
		tile_local(b, s->words[1], dtype_of(s, s->words[2]), s->words[3] ? strtoull(s->words[3], NULL, 0) : 0);
}

static unsigned mode_of(const struct statement *s, const char *word)
{
	static const char *const modes[] = {"eq", "ne", "lt", "le", "gt", "ge"};

	for (unsigned i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (!strcmp(word, modes[i]))
			return i;
	if (!is_number(word))
		fail(s, "a mode is unknown");
	return (unsigned)strtoul(word, NULL, 0);
}

static void operation_add(struct tile_builder *b, const struct statement *s)
{
	const int opcode = isa_op_find(s->words[0], strlen(s->words[0]));
	const char *letters = opcode < 0 ? "" : isa_op((unsigned)opcode)->operands;
	const unsigned count = (unsigned)strlen(letters);
	unsigned rows[6] = {0};

	if (opcode < 0)
		fail(s, "an operation is unknown");
	if (s->count < 1 + count || s->count > 2 + count)
		fail(s, "an operation has another number of operands");
	for (unsigned i = 0; i < count; i++)
		rows[i] = operand_of(b, letters[i], s->words[1 + i]);
	tile_op(b, (unsigned)opcode, rows[0], rows[1], rows[2], rows[3], rows[4], rows[5]);
	if (s->words[1 + count])
		tile_mode(b, mode_of(s, s->words[1 + count]));
}

static void statement_add(struct tile_builder *b, const struct statement *s)
{
	static const struct {
		const char *word;
		unsigned count;
	} words[] = {{"tile", 0}, {"local", 0}, {"arg", 0}, {"for", 5}, {"while", 1}, {"do", 2}, {"if", 0}, {"else", 1}, {"end", 1}};
	unsigned i = 0;

	while (i < sizeof(words) / sizeof(*words) && strcmp(words[i].word, s->words[0]))
		i++;
	if (i < sizeof(words) / sizeof(*words) && words[i].count && s->count != words[i].count)
		fail(s, "a statement has another number of words");
	switch (i) {
	case 0: tiles_declare(b, s); break;
	case 1: scalar_declare(b, s, false); break;
	case 2: scalar_declare(b, s, true); break;
	case 3: {
		const unsigned i_row = scalar_of(b, s->words[1]), from = scalar_of(b, s->words[2]), to = scalar_of(b, s->words[3]);

		tile_for(b, i_row, from, to, scalar_of(b, s->words[4]));
		break;
	}
	case 4: tile_while(b); break;
	case 5: tile_do(b, scalar_of(b, s->words[1])); break;
	case 6:
		tile_if(b, scalar_of(b, s->words[1]));
		if (s->words[2])
			tile_mode(b, mode_of(s, s->words[2]));
		break;
	case 7: tile_else(b); break;
	case 8: tile_end(b); break;
	default: operation_add(b, s); break;
	}
}

void tile_text(struct tile_builder *b, const char *text)
{
	while (*text) {
		const size_t length = strcspn(text, ";\n");
		struct statement s;

		statement_split(&s, text, length);
		if (s.count)
			statement_add(b, &s);
		text += length + (text[length] != '\0');
	}
}
