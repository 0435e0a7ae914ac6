/* SPDX-License-Identifier: MIT */
/* fuzz_elf.c - any bytes as a plugin's file, or as native code of a package: the lint, the note, the warning and the rules for code read
 * nothing outside them. */
#include "host/code.h"
#include "host/plugin.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct ptowsp_error error = {0};
	struct host_code_entry entry;
	struct host_note note;
	char text[128];

	if (host_lint(bytes, size, "fuzz.so", &error))
		assert(error.code == PTOWSP_PLUGIN_REFUSED && memchr(error.text, 0, sizeof(error.text)));
	if (!host_note_parse(bytes, size, "fuzz.so", &note, &error))
		assert(note.major == PTOWSP_ABI_MAJOR && note.name[0]);
	host_lint_warn(bytes, size, text, sizeof(text));
	for (unsigned way = 0; way < 3; way++)
		if (host_code_check(bytes, size, "fuzz", way == 1 ? "entry" : "", way == 2 ? size / 2 : 0, &entry, &error))
			assert(error.code == PTOWSP_BAD_PACKAGE && memchr(error.text, 0, sizeof(error.text)));
	return 0;
}
