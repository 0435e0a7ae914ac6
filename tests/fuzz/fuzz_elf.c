/* SPDX-License-Identifier: MIT */
/* fuzz_elf.c - any bytes as a plugin's file, or as native code of a package: the lint, the note, the warning and the rules for code read
 * nothing outside them, and what the host would read of such a file lies in it. */
#include "host/find/elf.h"
#include "host/find/host_plugin.h"
#include "host/trust/code.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

bool LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void parts_check(const uint8_t *bytes, size_t size)
{
	uint64_t have = 0, want, from, length;

	while ((want = host_elf_head(bytes, have, size)) > have)
		have = want;
	assert(have <= size);
	for (uint32_t i = 0; host_elf_part(bytes, size, i, &from, &length); i++)
		assert(from <= size && length <= size - from);
}

bool LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct ptowsp_error error = {0};
	struct host_code_entry entry;
	struct host_note note;
	char text[128];

	parts_check(bytes, size);
	if (host_lint(bytes, size, "fuzz.so", &error))
		assert(error.code == PTOWSP_PLUGIN_REFUSED && memchr(error.text, 0, sizeof(error.text)));
	if (!host_note_parse(bytes, size, "fuzz.so", &note, &error))
		assert(note.major == PTOWSP_ABI_MAJOR && note.name[0]);
	host_lint_warn(bytes, size, text, sizeof(text));
	for (unsigned way = 0; way < 3; way++)
		if (host_code_check(bytes, size, "fuzz", way == 1 ? "entry" : "", way == 2 ? size / 2 : 0, &entry, &error))
			assert(error.code == PTOWSP_BAD_PACKAGE && memchr(error.text, 0, sizeof(error.text)));
	return false;
}
