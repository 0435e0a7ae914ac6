/* SPDX-License-Identifier: MIT */
/* tasks.c - the entries of a package as C files that call the task API, beside its kernels' sources. */
#include "tools/pack/pack.h"
#include "tools/pack/pack_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print/print_tasks.h"
#include "registry/text.h"

/* A gap of the task API is told, and is no error unless all is wanted: the kernels are there. */
ptowsp_status pack_tasks_add(struct emitted *files, const struct pkg_code *code, const struct print_functions *functions, bool all, struct ptowsp_error *error)
{
	const struct pkg_tables *t = pkg_tables(pkg_code_package(code));
	struct print_tasks *tasks = print_tasks_create(code, functions);
	ptowsp_status status = tasks ? PTOWSP_OK : reg_fail(error, PTOWSP_NO_MEMORY, "no memory to write entries as C");
	unsigned written = 0;

	for (uint32_t i = 0; i < t->entry_count && !status; i++) {
		char *text = NULL;

		if (t->entry[i].flags & PTOWSP_ENTRY_KERNEL)
			continue;
		status = print_tasks_entry(tasks, i, &text, error);
		if (status == PTOWSP_UNSUPPORTED && !all) {
			fprintf(stderr, "ptowsp-pack: %s\n", error->text);
			error->code = status = PTOWSP_OK;
			error->text[0] = '\0';
		} else if (!status) {
			status = pack_source_add(files, functions->entries[i], "c", text, strlen(text), error);
			written++;
		}
		free(text);
	}
	print_tasks_destroy(tasks);
	if (!status && written)
		status = pack_headers_add(files, pack_task_headers, error);
	return status;
}
