/* SPDX-License-Identifier: MIT */
/* tasks.c - the entries of a package as C files that call the task API, beside its kernels' sources. */
#include "tools/pack/pack.h"
#include "tools/pack/kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print/print_tasks.h"
#include "registry/text.h"
#include "tools/output.h"

static ptowsp_status file_write(const char *folder, const char *name, const char *text, struct ptowsp_error *error)
{
	ptowsp_status status;
	char *path;

	if (asprintf(&path, "%s/%s.c", folder, name) < 0)
		return reg_fail(error, PTOWSP_NO_MEMORY, "no memory to write %.80s", name);
	status = output_save(path, NULL, 0, text, strlen(text), error);
	free(path);
	return status;
}

/* What the task API lacks is said, and is no error: the kernels are there. */
ptowsp_status pack_tasks_write(const struct pkg_code *code, const struct print_functions *functions, const char *folder, struct ptowsp_error *error)
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
			status = file_write(folder, functions->entries[i], text, error);
			written++;
		}
		free(text);
	}
	if (!status && written)
		status = pack_headers_write(pack_task_headers, folder, error);
	return status;
}
