/* SPDX-License-Identifier: MIT */
#include "aie/place/pin.h"

#include "rt/program/rt_error.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 96 };
struct pin {
	char name[NAME];
	unsigned column, row;
};

/* The next one; *at behind it and its semicolon. */
static bool pin_read(const char **at, struct pin *pin)
{
	int length = 0;

	if (sscanf(*at, "%95[^@;]@%3u,%3u%n", pin->name, &pin->column, &pin->row, &length) != 3 || !length)
		return false;
	*at += length;
	if (**at && **at != ';')
		return false;
	*at += **at == ';';
	return true;
}

static bool is_named(const struct aie_pins *pins, const struct aie_cell *cell, const char *name)
{
	char text[NAME];
	uint32_t replica = 0;
	const char *process;

	if (cell->process == PTOWSP_NONE) {
		snprintf(text, sizeof(text), "%u", cell->executor);
		return cell->executor != PTOWSP_NONE && !strcmp(text, name);
	}
	process = pins->process_name(pins->context, cell->process, &replica);
	snprintf(text, sizeof(text), "%.80s[%u]", process, replica);
	return !strcmp(text, name) || (!replica && !strcmp(process, name));
}

ptowsp_status aie_pins_apply(const struct aie_pins *pins, struct aie_cells *cells, struct ptowsp_error *error)
{
	const char *at = pins->text;
	struct pin pin;

	while (*at) {
		const char *from = at;
		uint32_t c = 0;

		if (!pin_read(&at, &pin))
			return rt_fail(error, PTOWSP_INVALID,
				       "--opt pins=%.60s: a pin is NAME@COLUMN,ROW, the name of a process, as load or load[1], or the number of an executor",
				       from);
		while (c < cells->count && !is_named(pins, &cells->rows[c], pin.name))
			c++;
		if (c == cells->count)
			return rt_fail(error, PTOWSP_INVALID,
				       "--opt pins=%.60s: no process of that name calls kernels, and the schedule gives tasks to no executor of that number",
				       from);
		cells->rows[c].column = (int32_t)pin.column;
		cells->rows[c].row = (int32_t)pin.row;
	}
	return PTOWSP_OK;
}
