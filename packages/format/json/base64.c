/* SPDX-License-Identifier: MIT */
/* base64.c - see base64.h. */
#include "format/json/base64.h"

#include <stdlib.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char *pkg_base64_write(const void *bytes, size_t size)
{
	const uint8_t *from = bytes;
	char *text = malloc((size + 2) / 3 * 4 + 1), *to = text;

	for (size_t i = 0; text && i < size; i += 3) {
		uint32_t left = (uint32_t)(size - i < 3 ? size - i : 3), word = 0;

		for (uint32_t k = 0; k < left; k++)
			word |= (uint32_t)from[i + k] << (16 - 8 * k);
		for (uint32_t k = 0; k < 4; k++)
			*to++ = k <= left ? digits[word >> (18 - 6 * k) & 63] : '=';
	}
	if (text)
		*to = 0;
	return text;
}

/* 0..63, or -1. */
static int digit_value(char c)
{
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* One group of four; how many bytes it gave, 0 if it is wrong at *bad_out. Bits that belong to no byte must be 0. */
static size_t group_read(const char *text, int last, uint8_t *to, size_t *bad_out)
{
	size_t count = 4;
	uint32_t word = 0;

	if (last && text[3] == '=')
		count = text[2] == '=' ? 2 : 3;
	for (size_t k = 0; k < count; k++) {
		int value = digit_value(text[k]);

		*bad_out = k;
		if (value < 0)
			return 0;
		word |= (uint32_t)value << (18 - 6 * k);
	}
	if ((count == 2 && (word & 0xFFFF)) || (count == 3 && (word & 0xFF)))
		return 0;
	for (size_t k = 0; k + 1 < count; k++)
		to[k] = (uint8_t)(word >> (16 - 8 * k));
	return count - 1;
}

uint8_t *pkg_base64_read(const char *text, size_t length, size_t *size_out, size_t *at_out)
{
	uint8_t *bytes = malloc(length / 4 * 3 + 1);
	size_t size = 0, bad;

	*size_out = 0;
	*at_out = length;
	if (!bytes)
		return NULL;
	if (length % 4) {
		*size_out = SIZE_MAX;
		return bytes;
	}
	for (size_t i = 0; i < length; i += 4) {
		size_t got = group_read(text + i, i + 4 == length, bytes + size, &bad);

		if (!got) {
			*size_out = SIZE_MAX;
			*at_out = i + bad;
			return bytes;
		}
		size += got;
	}
	*size_out = size;
	return bytes;
}
