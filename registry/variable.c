/* SPDX-License-Identifier: MIT */
/* variable.c - variables of the environment. */
#include "registry/variable.h"

#include <stdlib.h>

const char *reg_variable(const char *name)
{
	const char *value = secure_getenv(name);

	return value && *value ? value : 0;
}
