/* SPDX-License-Identifier: MIT */
/* backends.c - the preference list. */
#include "registry/backends.h"

static const char *const names[] = {
#define X(name) name,
#include "registry/backends.def"
#undef X
};

const char *const *reg_backends(uint32_t *count)
{
	*count = sizeof(names) / sizeof(*names);
	return names;
}
