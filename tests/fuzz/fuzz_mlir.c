/* SPDX-License-Identifier: MIT */
/* fuzz_mlir.c - any bytes as MLIR's text: refused with one sentence that begins with its place, or a module whose text gives the same text again; it can also be
 * printed as people write it. */
#include "aie/ir/ir.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static ptowsp_status again(const char *text, size_t length, char **text_out)
{
	struct ptowsp_error error = {.code = PTOWSP_OK};
	struct aie_module module = {0};
	ptowsp_status status = aie_module_read(&module, text, length, &error);
	unsigned line, column;

	*text_out = NULL;
	if (status) {
		if (error.code != status || sscanf(error.text, "%u:%u: ", &line, &column) != 2 || !line || !column || strchr(error.text, '\n'))
			abort();
		return status;
	}
	if (aie_module_print(&module, AIE_FORM_GENERIC, text_out, &error))
		abort();
	for (int form = AIE_FORM_EPOCH_A; form <= AIE_FORM_EPOCH_B; form++) {
		char *custom;

		if (aie_module_print(&module, (enum aie_form)form, &custom, &error))
			abort();
		free(custom);
	}
	aie_module_finish(&module);
	return PTOWSP_OK;
}

bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *first, *second;

	if (again((const char *)data, size, &first))
		return false;
	if (again(first, strlen(first), &second) || strcmp(first, second))
		abort();
	free(first);
	free(second);
	return false;
}
