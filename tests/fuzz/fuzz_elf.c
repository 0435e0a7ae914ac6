/* SPDX-License-Identifier: MIT */
/* fuzz_elf.c - any bytes as a plugin's file: the lint, the note and the warning read nothing outside them. */
#include "host/plugin.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct ptowsp_error error = {0};
	struct host_note note;
	char text[128];

	if (host_lint(bytes, size, "fuzz.so", &error))
		assert(error.code == PTOWSP_PLUGIN_REFUSED && memchr(error.text, 0, sizeof(error.text)));
	if (!host_note_parse(bytes, size, "fuzz.so", &note, &error))
		assert(note.major == PTOWSP_ABI_MAJOR && note.name[0]);
	host_lint_warn(bytes, size, text, sizeof(text));
	return 0;
}
