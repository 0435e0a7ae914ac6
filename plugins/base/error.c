/* SPDX-License-Identifier: MIT */
#include "error.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

ptowsp_status base_fail(struct ptowsp_error *error, ptowsp_status code, const char *format, ...)
{
	va_list ap;

	assert(code < 0);
	if (!error)
		return code;
	*error = (struct ptowsp_error){.head = PTOWSP_HEAD(*error, ERROR), .code = code, .domain = PTOWSP_DOMAIN_PLUGIN, .where = {UINT64_MAX, UINT64_MAX}};
	va_start(ap, format);
	vsnprintf(error->text, sizeof(error->text), format, ap);
	va_end(ap);
	return code;
}

void base_text(char *text, size_t size, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, size, format, ap);
	va_end(ap);
}

ptowsp_status base_args_check(const struct ptowsp_head *head, uint16_t type, uint32_t known, const char *what, struct ptowsp_error *error)
{
	const unsigned char *bytes = (const unsigned char *)head;

	if (!head)
		return base_fail(error, PTOWSP_INVALID, "%s: no arguments were given", what);
	if (head->size < known || head->size > PTOWSP_SIZE_LIMIT)
		return base_fail(error, PTOWSP_INVALID, "%s: the argument struct has %u bytes, v10.0 has %u", what, head->size, known);
	if (head->type != type)
		return base_fail(error, PTOWSP_INVALID, "%s: the argument struct is of kind %u, not %u", what, head->type, type);
	for (uint32_t i = known; i < head->size; i++)
		if (bytes[i])
			return base_fail(error, PTOWSP_UNKNOWN_FIELD, "%s: byte %u of the arguments is set, and this plugin knows only %u bytes", what, i,
					 known);
	return PTOWSP_OK;
}

void base_result_copy(struct ptowsp_head *result, const struct ptowsp_head *value)
{
	uint32_t room = result->size, bytes = room < value->size ? room : value->size;

	memcpy(result, value, bytes);
	memset((unsigned char *)result + bytes, 0, room - bytes);
	result->size = room;
}
