/* SPDX-License-Identifier: MIT */
/* tasks.c - the entries of a package as C files that call the task API, beside its kernels' sources. */
#include "tools/pack/pack.h"
#include "tools/pack/pack_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print/print_tasks.h"

/* What the task API lacks is said, and is no error: the kernels are there. */
ptowsp_status pack_tasks_add(struct emitted *files, const struct pkg_code *code, const struct print_functions *functions, struct ptowsp_error *error)
{
	const struct pkg_tables *t = pkg_tables(pkg_code_package(code));
	ptowsp_status status = PTOWSP_OK;
	unsigned written = 0;

	for (uint32_t i = 0; i < t->entry_count && !status; i++) {
		char *text = NULL;

		if (t->entry[i].flags & PTOWSP_ENTRY_KERNEL)
			continue;
		status = print_tasks(code, functions, i, &text, error);
		if (status == PTOWSP_UNSUPPORTED) {
			fprintf(stderr, "ptowsp-pack: %s\n", error->text);
			error->code = status = PTOWSP_OK;
			error->text[0] = '\0';
		} else if (!status) {
			status = pack_source_add(files, functions->entries[i], "c", text, strlen(text), error);
			written++;
		}
		free(text);
	}
	if (!status && written)
		status = pack_headers_add(files, pack_task_headers, error);
	return status;
}
