/* SPDX-License-Identifier: MIT */
/* fuzz_aie_design.c - any bytes as a design of tiles: refused with one sentence that begins with its place, or a design whose channels and rules are looked at, with the
 * same result each time. */
#include "aie/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(const struct aie_module *module, struct ptowsp_error *error)
{
	struct aie_design design = {0};
	struct aie_channels channels = {0};
	ptowsp_status st = aie_design_read(&design, module, error);
	unsigned line, column;

	if (!st)
		st = aie_channels_assign(&channels, &design, NULL, error);
	if (!st)
		st = aie_check(&design, false, error);
	if (channels.arena) {
		char *report = aie_channels_report(&channels, &design);

		if (!report)
			abort();
		free(report);
	}
	if (st && (error->code != st || sscanf(error->text, "%u:%u: ", &line, &column) != 2 || strchr(error->text, '\n')))
		abort();
	aie_channels_finish(&channels);
	aie_design_finish(&design);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ptowsp_error first = {.code = PTOWSP_OK}, second = {.code = PTOWSP_OK};
	struct aie_module module = {0};

	if (aie_module_read(&module, (const char *)data, size, &first))
		return 0;
	look(&module, &first);
	look(&module, &second);
	if (first.code != second.code || strcmp(first.text, second.text))
		abort();
	aie_module_finish(&module);
	return 0;
}
