/* SPDX-License-Identifier: MIT */
/* platforms.c - the table of platforms below --capabilities. */
#include <jansson.h>
#include <stdio.h>

#include "registry/names.h"
#include "registry/platform.h"
#include "registry/text.h"
#include "tools/columns.h"
#include "tools/run/run_run.h"

/* "Partial but L2" */
static void platform_text(const struct reg_platform_cell *cell, char *memory, size_t room)
{
	struct reg_text text;

	reg_text_init(&text, memory, room);
	reg_text_add(&text, "%s", cell->word);
	for (unsigned scope = 0; scope < 8; scope++)
		if (cell->without >> scope & 1)
			reg_text_add(&text, " but %s", reg_fence_scope(scope));
}

void run_platforms_print(void)
{
	struct columns table = {0};
	struct reg_platform_row row;
	char cells[REG_PLATFORMS][32];

	printf("\ngraph instructions by platform, as specified (Yes: enforced, Hint: recorded, N/A: diagnosed, No: unsupported)\n");
	columns_add(&table, "  instruction\t%s\t%s\t%s\t%s", reg_platform_name(0), reg_platform_name(1), reg_platform_name(2), reg_platform_name(3));
	for (uint32_t i = 0; reg_platform_at(i, &row); i++) {
		for (unsigned p = 0; p < REG_PLATFORMS; p++)
			platform_text(&row.cells[p], cells[p], sizeof(cells[p]));
		columns_add(&table, "  %s\t%s\t%s\t%s\t%s", row.name, cells[0], cells[1], cells[2], cells[3]);
	}
	columns_print(&table, stdout, 0);
}

json_t *run_platforms_json(void)
{
	json_t *names = json_array(), *rows = json_array();
	struct reg_platform_row row;

	for (unsigned p = 0; p < REG_PLATFORMS; p++)
		json_array_append_new(names, json_string(reg_platform_name(p)));
	for (uint32_t i = 0; reg_platform_at(i, &row); i++) {
		json_t *cells = json_object();

		for (unsigned p = 0; p < REG_PLATFORMS; p++) {
			const struct reg_platform_cell *cell = &row.cells[p];
			json_t *without = json_array();

			for (unsigned scope = 0; scope < 8; scope++)
				if (cell->without >> scope & 1)
					json_array_append_new(without, json_string(reg_fence_scope(scope)));
			json_object_set_new(cells, reg_platform_name(p),
					    json_pack("{s:s, s:s, s:o}", "word", cell->word, "state", reg_state_text(cell->state), "without", without));
		}
		json_array_append_new(rows, json_pack("{s:s, s:i, s:o}", "instruction", row.name, "id", (int)row.feature, "platforms", cells));
	}
	return json_pack("{s:o, s:o}", "platforms", names, "instructions", rows);
}
