/* SPDX-License-Identifier: MIT
 * fuzz_source.c - any bytes as a source: refused with places inside it, or a package that can be opened. */
#include "format/format_package.h"
#include "lang/lang.h"
#include "lang/lang_schedule.h"

#include <stdbool.h>
#include <stdlib.h>

/* A schedule that the source wrote has words in it. */
static void schedule_print(const struct pkg *package)
{
	static char memory[1 << 20];
	struct reg_text text;
	uint32_t row;

	reg_text_init(&text, memory, sizeof(memory));
	if (package && !lang_schedule_print(pkg_tables(package), &text, &row))
		abort();
}

bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lang_source source = {"fuzz.pto", (const char *)data, size};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct lang_diagnostics *list = NULL;
	struct pkg_writer *writer = pkg_writer_create();
	struct pkg *package = NULL;
	void *bytes = NULL;
	size_t length = 0;
	ptowsp_status status = lang_compile(writer, &source, 1, NULL, &list, &error);

	if (list && (status == 0) != (list->errors == 0))
		abort();
	for (uint32_t i = 0; list && i < list->count; i++)
		if (list->rows[i].line && (!list->rows[i].column || !*list->rows[i].excerpt))
			abort();
	/* What compiles without an error is a sound package. */
	if (!status && pkg_writer_seal(writer, &bytes, &length, &error))
		abort();
	if (!status && pkg_open_memory(&package, bytes, length, "fuzz", NULL, &error))
		abort();
	schedule_print(package);
	pkg_close(package);
	free(bytes);
	lang_diagnostics_destroy(list);
	pkg_writer_destroy(writer);
	return false;
}
