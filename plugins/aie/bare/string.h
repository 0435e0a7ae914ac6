/* SPDX-License-Identifier: MIT */
/* string.h - what kernels of a core use of C's memory functions, for compilers that come without a library; a library's own header is found before this one. */
#ifndef AIE_BARE_STRING_H
#define AIE_BARE_STRING_H

#include <stddef.h>

void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);

#endif
