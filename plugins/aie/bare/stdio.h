/* SPDX-License-Identifier: MIT */
/* stdio.h - for compilers that come without a library: nobody on a core reads sentences, so nothing of it is used. */
#ifndef AIE_BARE_STDIO_H
#define AIE_BARE_STDIO_H

#include <stddef.h>

int snprintf(char *, size_t, const char *, ...);
int vsnprintf(char *, size_t, const char *, __builtin_va_list);

#endif
