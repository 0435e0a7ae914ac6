/* SPDX-License-Identifier: MIT */
/* variable.c - variables of the environment. */
#include "registry/variable.h"

#include <stdlib.h>
#include <sys/auxv.h>

const char *reg_variable(const char *name)
{
	const char *value = secure_getenv(name);

	return value && *value ? value : 0;
}

bool reg_variables_guard(void)
{
	return !getauxval(AT_SECURE) || (!clearenv() && !setenv("PATH", "/usr/bin:/bin", 1));
}
