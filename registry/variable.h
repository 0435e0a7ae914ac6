/* SPDX-License-Identifier: MIT */
/* variable.h - the one place where host and tools read the environment. */
#ifndef REGISTRY_VARIABLE_H
#define REGISTRY_VARIABLE_H

#include <stdbool.h>

/* Value of a variable, NULL if it is not set or empty, and of every one where the program runs with elevated privileges (set-user-ID, file
 * capabilities): who started it must not steer it. Borrowed; any thread, while nobody changes the environment. */
const char *reg_variable(const char *name);

/* At the beginning of a program: with elevated privileges the environment becomes PATH=/usr/bin:/bin and nothing else, for libraries that read it in their own
 * way and for programs that are started. Else nothing happens. false: no memory for that, and the program should end. */
bool reg_variables_guard(void);

#endif
