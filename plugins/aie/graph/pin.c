/* SPDX-License-Identifier: MIT */
#include "aie/graph/cell.h"

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
	char column[4], row[4];
	int length = 0;

	if (sscanf(*at, "%95[^@;]@%3[0-9],%3[0-9]%n", pin->name, column, row, &length) != 3 || !length)
		return false;
	pin->column = (unsigned)atoi(column);
	pin->row = (unsigned)atoi(row);
	*at += length;
	if (**at && **at != ';')
		return false;
	*at += **at == ';';
	return true;
}

/* "load[1]", or the number of an executor; "": a cell without either. */
static void name_of(const struct aie_pins *pins, const struct aie_cell *cell, char text[NAME])
{
	uint32_t replica = 0;
	const char *process;

	if (cell->process == PTOWSP_NONE) {
		*text = '\0';
		if (cell->executor != PTOWSP_NONE)
			snprintf(text, NAME, "%u", cell->executor);
		return;
	}
	process = pins->process_name(pins->context, cell->process, &replica);
	snprintf(text, NAME, "%.80s[%u]", process, replica);
}

static bool is_named(const struct aie_pins *pins, const struct aie_cell *cell, const char *name)
{
	char text[NAME], *replica;

	name_of(pins, cell, text);
	if (!*text || !strcmp(text, name))
		return *text;
	replica = strstr(text, "[0]");
	if (replica)
		*replica = '\0';
	return replica && !strcmp(text, name);
}

static ptowsp_status nobody_tell(const struct aie_pins *pins, const struct aie_cells *cells, const char *name, struct ptowsp_error *error)
{
	char text[NAME], names[120] = "";
	size_t length = 0;

	for (uint32_t c = 0; c < cells->count; c++) {
		name_of(pins, &cells->rows[c], text);
		if (*text && length + strlen(text) + 8 < sizeof(names))
			length += (size_t)sprintf(names + length, "%s%s", length ? ", " : "", text);
		else if (*text && length && names[length - 1] != '.')
			length += (size_t)sprintf(names + length, " ...");
	}
	return rt_fail(error, PTOWSP_INVALID, "--opt pins: %.40s is nobody who calls kernels; %s%s", name,
		       length ? "there are " : "no process does, and no executor has tasks", names);
}

/* Whether a pin before `end` is of the cell, too. */
static bool is_pinned(const struct aie_pins *pins, const struct aie_cell *cell, const char *end)
{
	const char *at = pins->text;
	struct pin pin;

	while (at < end && pin_read(&at, &pin))
		if (is_named(pins, cell, pin.name))
			return true;
	return false;
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
			return nobody_tell(pins, cells, pin.name, error);
		if (is_pinned(pins, &cells->rows[c], from))
			return rt_fail(error, PTOWSP_INVALID, "--opt pins=%.60s: %.40s has a pin already; leave one", from, pin.name);
		cells->rows[c].column = (int32_t)pin.column;
		cells->rows[c].row = (int32_t)pin.row;
	}
	return PTOWSP_OK;
}
