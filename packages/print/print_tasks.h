/* SPDX-License-Identifier: MIT */
/* print_tasks.h - the code of an entry as C: the same loops, branches and tasks as calls of the task API (plugins/rt/task_api.h), whatever the kernels are
 * compiled for. */
#ifndef PRINT_TASKS_H
#define PRINT_TASKS_H

#include "format/format_code.h"
#include "print/function.h"

struct print_tasks;
/* For the entries of a package whose code was verified; functions: of the package. Both are borrowed until it is destroyed. NULL: no memory. One thread. */
struct print_tasks *print_tasks_create(const struct pkg_code *code, const struct print_functions *functions);
void print_tasks_destroy(struct print_tasks *tasks); /* NULL too */
/* One C file for an entry with code (row of ENTR), NUL-terminated, to be freed; functions->entries[entry] is the name of its function, NAME of NAME.c. Errors: UNSUPPORTED with a
 * sentence about the first thing that the task API has no counterpart for, NO_MEMORY. */
ptowsp_status print_tasks_entry(struct print_tasks *tasks, uint32_t entry, char **text_out, struct ptowsp_error *error);

#endif
