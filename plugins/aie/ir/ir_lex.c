/* SPDX-License-Identifier: MIT */
#include "aie/ir/ir_read.h"

#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static char peek(const struct aie_lexer *lexer, size_t ahead)
{
	return (size_t)(lexer->end - lexer->at) > ahead ? lexer->at[ahead] : '\0';
}

static void skip_blanks(struct aie_lexer *lexer)
{
	while (lexer->at < lexer->end) {
		const char c = *lexer->at;

		if (c == '/' && peek(lexer, 1) == '/') {
			while (lexer->at < lexer->end && *lexer->at != '\n')
				lexer->at++;
			continue;
		}
		if (c != ' ' && c != '\t' && c != '\r' && c != '\n')
			return;
		lexer->at++;
		if (c == '\n') {
			lexer->line++;
			lexer->line_start = lexer->at;
		}
	}
}

/* Bytes of a name from `from` on: letters, digits and those of `more`. */
static size_t name_end(const struct aie_lexer *lexer, size_t from, const char *more)
{
	char c = peek(lexer, from);

	while (c && (is_letter(c) || is_digit(c) || strchr(more, c)))
		c = peek(lexer, ++from);
	return from;
}

static size_t digits_end(const struct aie_lexer *lexer, size_t from)
{
	while (is_digit(peek(lexer, from)))
		from++;
	return from;
}

/* Behind the closing quote; 0: there is none on this line. */
static size_t string_end(const struct aie_lexer *lexer, size_t from)
{
	for (size_t at = from + 1; peek(lexer, at) && peek(lexer, at) != '\n'; at++) {
		if (peek(lexer, at) == '"')
			return at + 1;
		if (peek(lexer, at) == '\\' && peek(lexer, at + 1) != '\n')
			at++;
	}
	return 0;
}

static size_t hex_end(const struct aie_lexer *lexer, size_t from)
{
	char c = peek(lexer, from);

	while (c && (is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')))
		c = peek(lexer, ++from);
	return from;
}

static size_t number_end(const struct aie_lexer *lexer, enum aie_token_kind *kind_out)
{
	const size_t first = peek(lexer, 0) == '-';
	size_t end = digits_end(lexer, first), exponent;

	*kind_out = AIE_TOKEN_INTEGER;
	if (peek(lexer, first) == '0' && peek(lexer, first + 1) == 'x' && hex_end(lexer, first + 2) > first + 2)
		return hex_end(lexer, first + 2);
	if (peek(lexer, end) != '.')
		return end;
	*kind_out = AIE_TOKEN_REAL;
	end = digits_end(lexer, end + 1);
	if (peek(lexer, end) != 'e' && peek(lexer, end) != 'E')
		return end;
	exponent = end + 1 + (peek(lexer, end + 1) == '-' || peek(lexer, end + 1) == '+');
	return is_digit(peek(lexer, exponent)) ? digits_end(lexer, exponent) : end;
}

static size_t value_end(const struct aie_lexer *lexer)
{
	const size_t end = is_digit(peek(lexer, 1)) ? digits_end(lexer, 1) : name_end(lexer, 1, "$.-");

	return peek(lexer, end) == '#' && is_digit(peek(lexer, end + 1)) ? digits_end(lexer, end + 1) : end;
}

/* Bytes of the token that begins here; 0: none does. */
static size_t token_end(const struct aie_lexer *lexer, enum aie_token_kind *kind_out)
{
	static const struct {
		char sign;
		enum aie_token_kind kind;
	} signs[] = {{'@', AIE_TOKEN_SYMBOL}, {'^', AIE_TOKEN_BLOCK}, {'#', AIE_TOKEN_HASH}, {'!', AIE_TOKEN_BANG}};
	const char c = peek(lexer, 0);

	*kind_out = AIE_TOKEN_WORD;
	if (is_letter(c))
		return name_end(lexer, 0, "$.");
	if (is_digit(c) || (c == '-' && is_digit(peek(lexer, 1))))
		return number_end(lexer, kind_out);
	if (c == '%') {
		*kind_out = AIE_TOKEN_VALUE;
		return value_end(lexer) > 1 ? value_end(lexer) : 0;
	}
	if (c == '"' || (c == '@' && peek(lexer, 1) == '"')) {
		*kind_out = c == '"' ? AIE_TOKEN_STRING : AIE_TOKEN_SYMBOL;
		return string_end(lexer, c == '@');
	}
	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
		if (c == signs[i].sign) {
			*kind_out = signs[i].kind;
			return is_letter(peek(lexer, 1)) ? name_end(lexer, 1, "$.") : 0;
		}
	*kind_out = AIE_TOKEN_ARROW;
	if (c == '-' && peek(lexer, 1) == '>')
		return 2;
	*kind_out = AIE_TOKEN_MARK;
	return c && strchr("(){}[]<>,:=?*+/-|", c) ? 1 : 0;
}

struct aie_token aie_lex(struct aie_lexer *lexer)
{
	struct aie_token token;

	skip_blanks(lexer);
	token = (struct aie_token){AIE_TOKEN_END, lexer->at, 0, lexer->line, (uint32_t)(lexer->at - lexer->line_start) + 1};
	if (lexer->at == lexer->end)
		return token;
	token.length = token_end(lexer, &token.kind);
	if (!token.length) {
		token.kind = AIE_TOKEN_BAD;
		token.length = 1;
	}
	lexer->at += token.length;
	return token;
}
