/* SPDX-License-Identifier: MIT */
#include "aie/place/part.h"

#include "rt/program/rt_error.h"
#include <stdio.h>
#include <stdlib.h>

/* Digits only. 0: there are none, or too many. */
static uint32_t number_read(const char **at)
{
	uint32_t value = 0;

	while (**at >= '0' && **at <= '9' && value < 1000)
		value = value * 10 + (uint32_t)(*(*at)++ - '0');
	return value;
}

/* The array of this generation that has so many columns. */
static const struct aie_arch *narrowed(const struct aie_arch *arch, uint32_t columns)
{
	char name[32];

	if (columns == arch->columns)
		return arch;
	snprintf(name, sizeof(name), "%s_%ucol", arch->name, columns);
	return aie_arch_named(name);
}

ptowsp_status aie_part_read(struct aie_arch *part_out, const struct aie_arch *arch, const char *text, struct ptowsp_error *error)
{
	uint32_t most = arch->rows - AIE_FIRST_CORE, rows = most, columns = arch->columns;
	const struct aie_arch *narrow;
	const char *at = text;

	if (*text) {
		rows = number_read(&at);
		columns = *at == 'x' ? at++, number_read(&at) : 0;
	}
	narrow = columns && columns <= arch->columns ? narrowed(arch, columns) : NULL;
	if (*at || !rows || rows > most || !narrow)
		return rt_fail(error, PTOWSP_INVALID, "--opt grid=%.40s: %s has %u rows of cores and %u columns; state rows x columns, at most %ux%u", text,
			       arch->name, most, arch->columns, most, arch->columns);
	*part_out = *narrow;
	part_out->rows = AIE_FIRST_CORE + rows;
	return PTOWSP_OK;
}
