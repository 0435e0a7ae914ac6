/* SPDX-License-Identifier: MIT */
/* fill.c - made content of tensors. */
#include "tools/run/fill.h"
#include "registry/common/common_dtype.h"
#include "registry/common/common_hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "registry/text.h"
#include "tools/run/run_element.h"

static const char *const words[] = {[FILL_ZEROS] = "zeros", [FILL_ONES] = "ones", [FILL_IOTA] = "iota", [FILL_RANDOM] = "random"};

ptowsp_status fill_parse(struct fill *fill_out, const char *text, struct ptowsp_error *error)
{
	char *stop = NULL;

	*fill_out = (struct fill){0};
	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(text, words[i])) {
			fill_out->kind = (enum fill_kind)i;
			return PTOWSP_OK;
		}
	if (!strncmp(text, "random:", 7) && text[7] >= '0' && text[7] <= '9') {
		errno = 0;
		fill_out->kind = FILL_RANDOM;
		fill_out->seed = strtoull(text + 7, &stop, 0);
		if (!*stop && !errno)
			return PTOWSP_OK;
	}
	return reg_fail(error, PTOWSP_INVALID, "--fill \"%.60s\" is none of zeros, ones, iota, random[:SEED]", text);
}

static double random_value(char sort, uint64_t bits)
{
	switch (sort) {
	case 'f': return -1.0 + 2.0 * ((double)(bits >> 40) * 0x1p-24);
	case 'i': return (double)(int8_t)(bits >> 56);
	case 'u': return (double)(bits >> 56);
	}
	return (double)(bits >> 63);
}

void fill_write(const struct fill *fill, uint16_t dtype, uint32_t position, void *data, uint64_t elements)
{
	const struct common_dtype *type = common_dtype(dtype);
	uint64_t base = fill->seed << 40 | (uint64_t)position << 32;

	if (fill->kind == FILL_ZEROS)
		memset(data, 0, (size_t)(elements * type->bytes));
	for (uint64_t i = 0; i < elements && fill->kind != FILL_ZEROS; i++) {
		double value = fill->kind == FILL_ONES   ? 1
			       : fill->kind == FILL_IOTA ? (double)i
							 : random_value(type->class, common_mix(COMMON_GOLDEN + (base | i)));

		element_set(dtype, data, i, value);
	}
}
