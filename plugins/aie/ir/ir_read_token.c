/* SPDX-License-Identifier: MIT */
/* ir_read_token.c - tokens of the reader, and what it says when another one should stand there. */
#include "aie/ir/ir_read.h"

#include "base/error.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* loc(...) up to its closing mark: where something came from says nothing of what it is. */
static void location_skip(struct aie_reader *reader)
{
	const struct aie_token at = reader->token;
	uint32_t open = 0;

	do {
		reader->token = aie_lex(&reader->lexer);
		open += reader->token.kind == AIE_TOKEN_MARK && *reader->token.begin == '(';
		open -= reader->token.kind == AIE_TOKEN_MARK && *reader->token.begin == ')';
	} while (open && reader->token.kind != AIE_TOKEN_END);
	if (open)
		aie_read_fail(reader, &at, "the text ends within this loc(, expected its ')'");
}

void aie_read_next(struct aie_reader *reader)
{
	reader->token = aie_lex(&reader->lexer);
	while (reader->token.kind == AIE_TOKEN_WORD && reader->token.length == 3 && !memcmp(reader->token.begin, "loc", 3) &&
	       reader->lexer.at < reader->lexer.end && *reader->lexer.at == '(') {
		location_skip(reader);
		if (reader->token.kind != AIE_TOKEN_END)
			reader->token = aie_lex(&reader->lexer);
	}
}

static void refuse(struct aie_reader *reader, const struct aie_token *at, ptowsp_status status, const char *format, va_list list)
{
	char sentence[sizeof(reader->error->text)];

	if (reader->status)
		return;
	vsnprintf(sentence, sizeof(sentence), format, list);
	reader->status = base_fail(reader->error, status, "%u:%u: %s", at->line, at->column, sentence);
}

bool aie_read_fail(struct aie_reader *reader, const struct aie_token *at, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	refuse(reader, at, PTOWSP_INVALID, format, list);
	va_end(list);
	return false;
}

bool aie_read_unsupported(struct aie_reader *reader, const struct aie_token *at, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	refuse(reader, at, PTOWSP_UNSUPPORTED, format, list);
	va_end(list);
	return false;
}

bool aie_read_memory(struct aie_reader *reader)
{
	if (!reader->status)
		reader->status = base_fail(reader->error, PTOWSP_NO_MEMORY, "%u:%u: there is no memory for what was read so far", reader->token.line,
					   reader->token.column);
	return false;
}

/* The token as it may be shown: no control characters, not long. */
static void token_show(char shown[48], const struct aie_token *token)
{
	size_t length = token->length < 32 ? token->length : 32;

	for (size_t i = 0; i < length; i++)
		shown[i] = token->begin[i] >= 0x20 && token->begin[i] < 0x7F ? token->begin[i] : '?';
	memcpy(shown + length, token->length > length ? "..." : "", token->length > length ? 4 : 1);
}

bool aie_read_expected(struct aie_reader *reader, const char *what)
{
	const struct aie_token *token = &reader->token;
	char shown[48];

	token_show(shown, token);
	if (token->kind == AIE_TOKEN_END)
		return aie_read_fail(reader, token, "the text ends here, expected %s", what);
	if (token->kind == AIE_TOKEN_BAD && *token->begin == '"')
		return aie_read_fail(reader, token, "the string that begins here has no closing quote in its line, expected %s", what);
	if (token->kind == AIE_TOKEN_BAD && reader->lexer.at == reader->lexer.end && strchr("%@^#!", *token->begin))
		return aie_read_fail(reader, token, "the text ends behind this '%c', expected %s", *token->begin, what);
	if (token->kind == AIE_TOKEN_BAD)
		return aie_read_fail(reader, token, "the byte 0x%02X stands here, which begins no token, expected %s", (unsigned char)*token->begin, what);
	return aie_read_fail(reader, token, "'%s' stands here, expected %s", shown, what);
}

bool aie_read_at_mark(const struct aie_reader *reader, char mark)
{
	return reader->token.kind == AIE_TOKEN_MARK && *reader->token.begin == mark;
}

bool aie_read_at_word(const struct aie_reader *reader, const char *word)
{
	return reader->token.kind == AIE_TOKEN_WORD && reader->token.length == strlen(word) && !memcmp(reader->token.begin, word, reader->token.length);
}

bool aie_read_take(struct aie_reader *reader, char mark)
{
	if (!aie_read_at_mark(reader, mark))
		return false;
	aie_read_next(reader);
	return true;
}

bool aie_read_take_word(struct aie_reader *reader, const char *word)
{
	if (!aie_read_at_word(reader, word))
		return false;
	aie_read_next(reader);
	return true;
}

bool aie_read_mark(struct aie_reader *reader, char mark, const char *why)
{
	char what[80];

	if (aie_read_take(reader, mark))
		return true;
	snprintf(what, sizeof(what), "'%c' %s", mark, why);
	return aie_read_expected(reader, what);
}

bool aie_read_word(struct aie_reader *reader, const char *word, const char *why)
{
	char what[80];

	if (aie_read_take_word(reader, word))
		return true;
	snprintf(what, sizeof(what), "'%s' %s", word, why);
	return aie_read_expected(reader, what);
}

bool aie_read_arrow(struct aie_reader *reader)
{
	if (reader->token.kind != AIE_TOKEN_ARROW)
		return aie_read_expected(reader, "'->' and the types of results");
	aie_read_next(reader);
	return true;
}

bool aie_read_down(struct aie_reader *reader)
{
	if (reader->depth == AIE_READ_DEPTH)
		return aie_read_fail(reader, &reader->token, "regions, lists and types stand more than %d deep inside each other here", AIE_READ_DEPTH);
	reader->depth++;
	return true;
}

void aie_read_up(struct aie_reader *reader)
{
	reader->depth--;
}
