/* SPDX-License-Identifier: MIT */
/* span.c - parts of texts. */
#include "registry/span.h"

#include <string.h>

#include "registry/text.h"

struct reg_span reg_span_trimmed(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	return (struct reg_span){at, (size_t)(end - at)};
}

bool reg_span_is(struct reg_span span, const char *text)
{
	return strlen(text) == span.length && !memcmp(text, span.at, span.length);
}

bool reg_span_is_word(struct reg_span span)
{
	for (size_t i = 0; i < span.length; i++) {
		char c = span.at[i];
		bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';

		if (!letter && !(i && c >= '0' && c <= '9'))
			return false;
	}
	return span.length > 0;
}

int reg_span_print(struct reg_span span)
{
	return span.length < 60 ? (int)span.length : 60;
}

bool reg_span_call(struct reg_span text, struct reg_span *word_out, struct reg_span *inside_out, bool wordless)
{
	const char *open = memchr(text.at, '(', text.length), *end = text.at + text.length;
	int depth = 0;

	if (!open || end[-1] != ')')
		return false;
	*word_out = reg_span_trimmed(text.at, open);
	for (const char *at = open; at < end; at++) {
		depth += *at == '(' ? 1 : *at == ')' ? -1 : 0;
		if (!depth && at + 1 < end)
			return false;
	}
	*inside_out = reg_span_trimmed(open + 1, end - 1);
	return wordless ? !word_out->length : reg_span_is_word(*word_out);
}

struct reg_span reg_span_unwrapped(struct reg_span text)
{
	struct reg_span word, inside;

	if (text.length < 2 || *text.at != '(')
		return text;
	return reg_span_call(text, &word, &inside, true) ? inside : text;
}

ptowsp_status reg_span_split(struct reg_span text, struct reg_span *parts, unsigned most, unsigned *count, struct ptowsp_error *error)
{
	const char *begin = text.at, *end = text.at + text.length;
	int depth = 0;

	for (const char *at = begin; at <= end && depth >= 0; at++) {
		depth += at == end ? 0 : *at == '(' ? 1 : *at == ')' ? -1 : 0;
		if (at < end && (depth || (*at != ',' && *at != ':')))
			continue;
		if (*count == most)
			return reg_fail(error, PTOWSP_INVALID, "\"%.*s\" has more than %u arguments", reg_span_print(text), text.at, most);
		parts[(*count)++] = reg_span_trimmed(begin, at);
		begin = at + 1;
	}
	if (depth)
		return reg_fail(error, PTOWSP_INVALID, "\"%.*s\": the parentheses do not match", reg_span_print(text), text.at);
	return PTOWSP_OK;
}
