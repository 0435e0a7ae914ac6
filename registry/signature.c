/* SPDX-License-Identifier: MIT */
/* signature.c - parsing of natural C signatures. */
#include "registry/signature.h"

#include <string.h>

#include "registry/text.h"

static const char *const names[REG_TYPE_COUNT] = {
#define X(NAME, text, sort, bytes) text,
#include "registry/type.def"
#undef X
};

static const char *blanks_skip(const char *at)
{
	while (*at == ' ' || *at == '\t')
		at++;
	return at;
}

/* Length of the word at `at`; *type_out REG_TYPE_COUNT if there is no such type. */
static size_t type_read(const char *at, uint8_t *type_out)
{
	size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_*");

	for (*type_out = 0; *type_out < REG_TYPE_COUNT; ++*type_out)
		if (strlen(names[*type_out]) == length && !memcmp(names[*type_out], at, length))
			break;
	return length;
}

static ptowsp_status wrong(struct ptowsp_error *error, const char *text, const char *why)
{
	return reg_fail(error, PTOWSP_INVALID, "signature \"%.60s\" %s; write it like v(p,p,i64,f32)", text, why);
}

static ptowsp_status wrong_type(struct ptowsp_error *error, const char *text, const char *at, size_t length)
{
	return reg_fail(error, PTOWSP_INVALID, "signature \"%.60s\": \"%.*s\" is no argument type; types are i8..i64, u8..u64, f32, f64, p", text,
			length < 20 ? (int)length : 20, at);
}

static ptowsp_status arguments_parse(struct reg_signature *out, const char **cursor, const char *text, struct ptowsp_error *error)
{
	const char *at = blanks_skip(*cursor);

	if (*at == ')') {
		*cursor = at + 1;
		return PTOWSP_OK;
	}
	for (;;) {
		uint8_t type;
		size_t length = type_read(at, &type);

		if (type == REG_TYPE_COUNT || type == REG_TYPE_V)
			return wrong_type(error, text, at, length);
		if (out->count == REG_SIGNATURE_ARGUMENTS)
			return wrong(error, text, "has more than 32 arguments");
		out->types[out->count++] = type;
		at = blanks_skip(at + length);
		if (*at != ',')
			break;
		at = blanks_skip(at + 1);
	}
	if (*at != ')')
		return wrong(error, text, "has no ')' where it should end");
	*cursor = at + 1;
	return PTOWSP_OK;
}

ptowsp_status reg_signature_parse(struct reg_signature *signature_out, const char *text, struct ptowsp_error *error)
{
	const char *at = blanks_skip(text);
	size_t length;
	ptowsp_status status;

	*signature_out = (struct reg_signature){0};
	length = type_read(at, &signature_out->result);
	if (signature_out->result == REG_TYPE_COUNT)
		return wrong(error, text, "does not begin with a result type");
	at = blanks_skip(at + length);
	if (*at != '(')
		return wrong(error, text, "has no '(' behind its result");
	at++;
	status = arguments_parse(signature_out, &at, text, error);
	if (!status && *blanks_skip(at))
		status = wrong(error, text, "goes on behind its ')'");
	return status;
}

void reg_signature_print(const struct reg_signature *signature, char text[REG_SIGNATURE_TEXT])
{
	struct reg_text out;

	reg_text_init(&out, text, REG_SIGNATURE_TEXT);
	reg_text_add(&out, "%s(", names[signature->result]);
	for (unsigned i = 0; i < signature->count; i++)
		reg_text_add(&out, "%s%s", i ? "," : "", names[signature->types[i]]);
	reg_text_add(&out, ")");
}
