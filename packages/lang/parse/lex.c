/* SPDX-License-Identifier: MIT */
/* lex.c - tokens, and where they come from where a source says that itself. */
#include "lang/parse/lex.h"
#include "format/graph/graph_schema.h"
#include "format/verify/rank.h"
#include "lang/decl.h"
#include "lang/diag.h"
#include "ptowsp/base.h"

#include <stdbool.h>
#include <string.h>

struct lang_place_row {
	uint32_t at; /* line where it is stated */
	struct lang_origin origin;
	struct lang_origin *divisions;
	uint32_t division_count, division_capacity;
};
struct lang_places {
	struct lang_span *divisions; /* where operators stand, in the order of the text */
	uint32_t division_count, division_capacity;
	struct lang_place_row *rows; /* by `at`: a source is read from its first line to its last */
	uint32_t count, capacity;
	const char *name;    /* NULL: positions are where the text stands */
	const char *natural; /* the source's own file name once somebody asked */
};

static struct lang_places *places_of(struct lang_unit *unit, uint32_t file)
{
	if (file >= unit->place_count) { /* included files come later */
		struct lang_places *more = common_alloc(&unit->arena, unit->source_count * sizeof(*more));

		if (unit->place_count)
			memcpy(more, unit->places, unit->place_count * sizeof(*more));
		unit->places = more;
		unit->place_count = unit->source_count;
	}
	return &unit->places[file];
}

/* Digits up to something else; NULL if there are none or too many. */
static const char *number_read(const char *text, const char *end, uint32_t *value_out)
{
	uint64_t value = 0;
	const char *at = text;

	for (; at < end && *at >= '0' && *at <= '9'; at++) {
		value = value * 10 + (uint64_t)(*at - '0');
		if (value > UINT32_MAX)
			return NULL;
	}
	*value_out = (uint32_t)value;
	return at > text ? at : NULL;
}

/* Packages hold no folders. */
static const char *file_name(struct lang_unit *unit, const char *path, size_t length)
{
	const char *from = path + length;

	while (from > path && from[-1] != '/')
		from--;
	return lang_clean(&unit->arena, from, (size_t)(path + length - from));
}

/* "12:5" or "12", up to a blank or the end, and the blanks behind it; NULL if it is something else. */
static const char *origin_read(const char *text, const char *end, struct lang_origin *origin_out)
{
	const char *at = number_read(text, end, &origin_out->line);

	if (at && at < end && *at == ':')
		at = number_read(at + 1, end, &origin_out->column);
	if (!at || (at < end && *at != ' '))
		return NULL;
	while (at < end && *at == ' ')
		at++;
	return at;
}

/* "12:5", "12" or "12:5 /12:20 /12:31 file.pto" behind a line; other text is a comment like any other. Words with a "/" are the places of its
 * divisions (operators / and %) in their order. */
static void place_read(struct lang_unit *unit, uint32_t file, uint32_t line, const char *text, size_t length)
{
	struct lang_places *places = places_of(unit, file);
	struct lang_place_row row = {.at = line};
	const char *end = text + length, *at;

	while (end > text && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	at = origin_read(text, end, &row.origin);
	while (at && end - at > 1 && *at == '/' && at[1] >= '0' && at[1] <= '9') {
		struct lang_origin *division = COMMON_PUSH(&unit->arena, row.divisions, row.division_count, row.division_capacity);

		memset(division, 0, sizeof(*division));
		at = origin_read(at + 1, end, division);
	}
	if (!at)
		return;
	if (at < end)
		row.origin.file = file_name(unit, at, (size_t)(end - at));
	*COMMON_PUSH(&unit->arena, places->rows, places->count, places->capacity) = row;
}

/* Positions of that source are from now on those that its lines state, in the file `name`; lines that state none have none. */
static void places_state(struct lang_unit *unit, uint32_t file, const char *name)
{
	places_of(unit, file)->name = file_name(unit, name, strlen(name));
}

bool lang_places_stated(const struct lang_unit *unit, uint32_t file)
{
	return file < unit->place_count && unit->places[file].name;
}

static const struct lang_place_row *row_find(const struct lang_places *places, uint32_t line)
{
	uint32_t low = pkg_row_from(places->rows, sizeof(*places->rows), offsetof(struct lang_place_row, at), places->count, line);

	return low < places->count && places->rows[low].at == line ? &places->rows[low] : NULL;
}

/* An operator / or % stands there; told in the order of the text. */
static void place_division(struct lang_unit *unit, struct lang_span at)
{
	struct lang_places *places = places_of(unit, at.file);

	*COMMON_PUSH(&unit->arena, places->divisions, places->division_count, places->division_capacity) = at;
}

/* Number in its line of the division at that very place, 0 first; PTOWSP_NONE: none stands there. */
static uint32_t division_number(const struct lang_places *places, struct lang_span at)
{
	uint32_t low = pkg_row_from(places->divisions, sizeof(*places->divisions), offsetof(struct lang_span, line), places->division_count, at.line);

	for (uint32_t i = low; i < places->division_count && places->divisions[i].line == at.line; i++)
		if (places->divisions[i].column == at.column)
			return i - low;
	return PTOWSP_NONE;
}

/* The position that the line states for itself; zeros where it states none. row_out: all that it says. */
static struct lang_origin origin_stated(const struct lang_places *places, uint32_t line, const struct lang_place_row **row_out)
{
	struct lang_origin origin = {0};

	*row_out = row_find(places, line);
	if (*row_out)
		origin = (*row_out)->origin;
	return origin;
}

struct lang_origin lang_origin_of(struct lang_unit *unit, struct lang_span at)
{
	struct lang_origin origin = {.line = at.line, .column = at.column};
	struct lang_places *places = places_of(unit, at.file);
	const struct lang_place_row *row;

	if (!places->name) {
		const char *path = unit->sources[at.file].name;

		if (!places->natural)
			places->natural = file_name(unit, path, strlen(path));
		origin.file = places->natural;
		return origin;
	}
	origin = origin_stated(places, at.line, &row);
	if (!origin.file)
		origin.file = places->name;
	return origin;
}

struct lang_origin lang_origin_of_division(struct lang_unit *unit, struct lang_span at)
{
	struct lang_origin origin = lang_origin_of(unit, at);
	struct lang_places *places = places_of(unit, at.file);
	const struct lang_place_row *row;
	uint32_t number = division_number(places, at);

	if (!places->name)
		return origin;
	origin_stated(places, at.line, &row);
	if (row && number == PTOWSP_NONE && row->division_count) /* the statement DIV, which is not where it was written first */
		number = 0;
	if (number == PTOWSP_NONE)
		return origin;
	if (!row || number >= row->division_count)
		return (struct lang_origin){0};
	origin.line = row->divisions[number].line;
	origin.column = row->divisions[number].column;
	return origin;
}

#define TOKENS_GUESS (1u << 23) /* room that is taken at once, at most */

struct lexer {
	struct lang_unit *unit;
	const char *at, *end, *line_start;
	uint32_t file, line, capacity;
	uint8_t fresh;    /* nothing on this line yet */
	uint8_t declares; /* behind the word of a declaration other than func: operators and strings are tokens there; 2: of PTO-AS, where "!" begins types */
	uint8_t note;
	struct lang_span note_at;
	struct lang_tokens *tokens;
	const char *marks[256]; /* by character */
};

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char peek(const struct lexer *lexer, size_t ahead)
{
	return (size_t)(lexer->end - lexer->at) > ahead ? lexer->at[ahead] : '\0';
}

static struct lang_span span_of(const struct lexer *lexer, const char *from, size_t length)
{
	return (struct lang_span){lexer->file, lexer->line, (uint32_t)(from - lexer->line_start) + 1, (uint32_t)length};
}

/* Half of all tokens are marks: each has one text. */
static const char *mark_text(struct lexer *lexer, char mark)
{
	const char **text = &lexer->marks[(unsigned char)mark];

	if (!*text)
		*text = common_copy(&lexer->unit->arena, &mark, 1);
	return *text;
}

static void token_add(struct lexer *lexer, enum lang_token_kind kind, size_t skip, size_t length)
{
	struct lang_tokens *tokens = lexer->tokens;
	struct lang_token *token = COMMON_PUSH(&lexer->unit->arena, tokens->rows, tokens->count, lexer->capacity);

	token->kind = (uint8_t)kind;
	token->mark = kind == LANG_MARK ? *lexer->at : '\0';
	token->first = lexer->fresh;
	token->note = lexer->note;
	token->note_at = lexer->note_at;
	token->text = kind == LANG_MARK ? mark_text(lexer, *lexer->at) : common_copy(&lexer->unit->arena, lexer->at + skip, length - skip);
	token->at = span_of(lexer, lexer->at, length);
	if (token->mark == '/' || token->mark == '%')
		place_division(lexer->unit, token->at);
	lexer->fresh = 0;
	lexer->note = LANG_NOTE_NONE;
	lexer->at += length;
}

/* Bytes of the word (letters, digits, dots) from `skip` on. */
static size_t word_length(const struct lexer *lexer, size_t skip)
{
	size_t length = skip;

	while (is_letter(peek(lexer, length)) || is_digit(peek(lexer, length)) || peek(lexer, length) == '.')
		length++;
	return length;
}

/* The same for a number, whose exponent may have a sign: 1e-05. "-inf" and "-nan" count, too. */
static size_t number_length(const struct lexer *lexer, size_t skip)
{
	size_t length = skip + (peek(lexer, skip) == '-' || peek(lexer, skip) == '+');
	int decimal = 1;

	for (;; length++) {
		char c = peek(lexer, length);

		if ((c == '-' || c == '+') && decimal && length > skip && (lexer->at[length - 1] == 'e' || lexer->at[length - 1] == 'E')) {
			decimal = 0;
			continue;
		}
		if (!is_letter(c) && !is_digit(c) && c != '.')
			return length;
		decimal &= is_digit(c) || c == '.' || c == 'e' || c == 'E';
	}
}

/* "inf" or "nan", and nothing that goes on. */
static bool is_spelled(const struct lexer *lexer, size_t skip)
{
	char a = peek(lexer, skip), b = peek(lexer, skip + 1), c = peek(lexer, skip + 2), next = peek(lexer, skip + 3);

	return ((a == 'i' && b == 'n' && c == 'f') || (a == 'n' && b == 'a' && c == 'n')) && !is_letter(next) && !is_digit(next) && next != '.';
}

static bool starts_number(const struct lexer *lexer, size_t skip)
{
	char c = peek(lexer, skip), next = peek(lexer, skip + 1);

	if (c == '-' || c == '+')
		return is_digit(next) || next == '.' || is_spelled(lexer, skip + 1);
	return is_digit(c) || c == '.';
}

/* The text behind "key:" at the start of a comment, without blanks at either end; 0 if it is another comment. */
static bool remark_match(const char *text, size_t length, const char *key, const char **value_out, size_t *size_out)
{
	size_t key_length = strlen(key);

	if (length < key_length || memcmp(text, key, key_length) != 0)
		return false;
	text += key_length;
	length -= key_length;
	while (length && (*text == ' ' || *text == '\t')) {
		text++;
		length--;
	}
	while (length && (text[length - 1] == ' ' || text[length - 1] == '\t' || text[length - 1] == '\r'))
		length--;
	*value_out = text;
	*size_out = length;
	return true;
}

static void remark_set(struct lexer *lexer, struct lang_remark *remark, const char *text, size_t length)
{
	if (remark->text || !length)
		return;
	remark->text = lang_clean(&lexer->unit->arena, text, length);
	remark->at = span_of(lexer, text, length);
}

static bool starts_with(const char *text, size_t length, const char *word)
{
	size_t word_length = strlen(word);

	return length >= word_length && !memcmp(text, word, word_length) &&
	       (length == word_length || (!is_letter(text[word_length]) && !is_digit(text[word_length])));
}

static void comment_read(struct lexer *lexer)
{
	const char *text = lexer->at + 2, *stop = memchr(lexer->at, '\n', (size_t)(lexer->end - lexer->at));
	const char *value;
	size_t length, size;

	if (!stop)
		stop = lexer->end;
	while (text < stop && (*text == ' ' || *text == '\t'))
		text++;
	length = (size_t)(stop - text);
	if (remark_match(text, length, "Function Type:", &value, &size)) {
		lexer->note = starts_with(value, size, "InCore")          ? LANG_NOTE_INCORE
			      : starts_with(value, size, "Orchestration") ? LANG_NOTE_ORCHESTRATION
									  : LANG_NOTE_OTHER;
		lexer->note_at = span_of(lexer, value, size);
	} else if (remark_match(text, length, "Entry:", &value, &size)) {
		remark_set(lexer, lexer->tokens->entry.text ? &lexer->tokens->second_entry : &lexer->tokens->entry, value, size);
	} else if (remark_match(text, length, "PTO Module:", &value, &size)) {
		remark_set(lexer, &lexer->tokens->module, value, size);
	} else if (remark_match(text, length, "PTO Program:", &value, &size)) {
		remark_set(lexer, &lexer->tokens->program, value, size);
	} else if (remark_match(text, length, "Positions:", &value, &size)) {
		remark_set(lexer, &lexer->tokens->positions, value, size);
	} else if (length && *text == '@') {
		place_read(lexer->unit, lexer->file, lexer->line, text + 1, length - 1);
	}
	lexer->at = stop;
}

/* A comment between slash and star, over lines. */
static void block_comment_skip(struct lexer *lexer)
{
	struct lang_span at = span_of(lexer, lexer->at, 2);

	for (lexer->at += 2; lexer->at < lexer->end; lexer->at++) {
		if (peek(lexer, 0) == '*' && peek(lexer, 1) == '/') {
			lexer->at += 2;
			return;
		}
		if (*lexer->at == '\n') {
			lexer->line++;
			lexer->line_start = lexer->at + 1;
			lexer->fresh = 1;
		}
	}
	lang_error(lexer->unit, at, "this comment has no end");
}

static bool blank_skip(struct lexer *lexer)
{
	char c = peek(lexer, 0);

	if (c == '\n') {
		lexer->at++;
		lexer->line++;
		lexer->line_start = lexer->at;
		lexer->fresh = 1;
	} else if (c == ' ' || c == '\t' || c == '\r') {
		lexer->at++;
	} else if (c == '/' && peek(lexer, 1) == '/') {
		comment_read(lexer);
	} else if (c == '/' && peek(lexer, 1) == '*') {
		block_comment_skip(lexer);
	} else {
		return false;
	}
	return true;
}

/* %name or %literal, @f, !type, #attribute. */
static bool sigil_read(struct lexer *lexer)
{
	static const struct {
		char sign;
		enum lang_token_kind kind;
	} signs[] = {{'%', LANG_NAME}, {'@', LANG_AT}, {'!', LANG_TYPE}, {'#', LANG_HASH}};

	if (peek(lexer, 0) == '%' && starts_number(lexer, 1)) {
		token_add(lexer, LANG_LITERAL, 1, number_length(lexer, 1));
		return true;
	}
	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
		if (peek(lexer, 0) == signs[i].sign && is_letter(peek(lexer, 1))) {
			token_add(lexer, signs[i].kind, 1, word_length(lexer, 1));
			return true;
		}
	return false;
}

static void byte_refuse(struct lexer *lexer)
{
	unsigned char c = (unsigned char)*lexer->at;

	if (c > 32 && c < 127)
		lang_error(lexer->unit, span_of(lexer, lexer->at, 1), "\"%c\" begins nothing of this language", c);
	else
		lang_error(lexer->unit, span_of(lexer, lexer->at, 1), "the byte 0x%02x is outside of a comment", c);
	if (c == '%')
		lang_help(lexer->unit, "write the name of a value directly behind the sign: %%x");
	else if (c == '#')
		lang_help(lexer->unit, "comments are // to the end of the line, or /* to */");
	else if (c == ';')
		lang_help(lexer->unit, "nothing stands between statements");
	lexer->at++;
	/* One message for a run of such bytes is enough. */
	while (lexer->at < lexer->end && (unsigned char)*lexer->at >= 127)
		lexer->at++;
}

/* A word; at the beginning of a line it may say what follows. */
static void word_read(struct lexer *lexer)
{
	const struct lang_token *token;
	const struct lang_decl_form *form;

	token_add(lexer, LANG_WORD, 0, word_length(lexer, 0));
	token = &lexer->tokens->rows[lexer->tokens->count - 1];
	form = token->first ? lang_decl_word(token->text) : NULL;
	if (form)
		lexer->declares = form->kind != LANG_DECL_FUNC;
	else if (token->first && !strcmp(token->text, "func.func"))
		lexer->declares = 2;
	else if (token->first && (pkg_graph_form_find(token->text) || !strcmp(token->text, "include")))
		lexer->declares = 1;
}

/* "text" on one line. */
static bool string_read(struct lexer *lexer)
{
	const char *end = memchr(lexer->at + 1, '"', (size_t)(lexer->end - lexer->at - 1));
	size_t length;

	if (!end || memchr(lexer->at, '\n', (size_t)(end - lexer->at))) {
		lang_error(lexer->unit, span_of(lexer, lexer->at, 1), "this text has no second \" on its line");
		lexer->at++;
		return true;
	}
	length = (size_t)(end - lexer->at);
	if (strlen(lang_clean(&lexer->unit->arena, lexer->at, length)) != length ||
	    memcmp(lang_clean(&lexer->unit->arena, lexer->at, length), lexer->at, length) != 0)
		lang_error(lexer->unit, span_of(lexer, lexer->at, length + 1), "this text holds bytes that are no text");
	token_add(lexer, LANG_STRING, 1, length);
	lexer->tokens->rows[lexer->tokens->count - 1].at.length++;
	lexer->at++;
	return true;
}

/* Text that is more than corpus functions know: operators of scalar expressions, and texts. */
static bool declared_read(struct lexer *lexer)
{
	char c = peek(lexer, 0), next = peek(lexer, 1);

	if (!lexer->declares || c == '\0')
		return false;
	if (c == '"')
		return string_read(lexer);
	if (!strchr("+-*/%&|^~!?", c) || (c == '%' && (is_letter(next) || is_digit(next))) || (c == '!' && lexer->declares == 2))
		return false;
	token_add(lexer, LANG_MARK, 0, 1);
	return true;
}

static void token_read(struct lexer *lexer)
{
	char c = peek(lexer, 0);

	if (is_letter(c))
		word_read(lexer);
	else if (c == '-' && peek(lexer, 1) == '>')
		token_add(lexer, LANG_ARROW, 0, 2);
	else if (starts_number(lexer, 0))
		token_add(lexer, LANG_NUMBER, 0, number_length(lexer, 0));
	else if (c != '\0' && strchr("()[]{}<>,:=", c))
		token_add(lexer, LANG_MARK, 0, 1);
	else if (!declared_read(lexer) && !sigil_read(lexer))
		byte_refuse(lexer);
}

void lang_lex(struct lang_unit *unit, uint32_t file, struct lang_tokens *tokens_out)
{
	const struct lang_source *source = &unit->sources[file];
	struct lexer lexer = {.unit = unit,
			      .at = source->text,
			      .end = source->text + source->size,
			      .line_start = source->text,
			      .file = file,
			      .line = 1,
			      .fresh = 1,
			      .tokens = tokens_out};

	memset(tokens_out, 0, sizeof(*tokens_out));
	/* Some editors begin UTF-8 text with a mark that says so. */
	if (source->size >= 3 && !memcmp(source->text, "\xef\xbb\xbf", 3))
		lexer.at = lexer.line_start = source->text + 3;
	/* Generated sources have a token in three bytes or so. */
	lexer.capacity = (uint32_t)(source->size / 3 < TOKENS_GUESS ? source->size / 3 + 64 : TOKENS_GUESS);
	tokens_out->rows = common_alloc(&unit->arena, lexer.capacity * sizeof(*tokens_out->rows));
	while (lexer.at < lexer.end)
		if (!blank_skip(&lexer))
			token_read(&lexer);
	token_add(&lexer, LANG_END, 0, 0);
	if (tokens_out->positions.text)
		places_state(unit, file, tokens_out->positions.text);
}
