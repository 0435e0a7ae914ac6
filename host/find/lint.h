/* SPDX-License-Identifier: MIT */
/* lint.h - rules for every object that is loaded, plugin or payload. Errors: PLUGIN_REFUSED, naming the object by elf->path. */
#ifndef HOST_LINT_H
#define HOST_LINT_H

#include "host/find/elf.h"

ptowsp_status host_lint_stack(const struct host_elf *elf, struct ptowsp_error *error);    /* it does not ask for an executable one */
ptowsp_status host_lint_writable(const struct host_elf *elf, struct ptowsp_error *error); /* nothing is writable and executable */
ptowsp_status host_lint_text(const struct host_elf *elf, struct ptowsp_error *error);     /* no relocations in code */

#endif
