/* SPDX-License-Identifier: MIT */
/* dtype.h - element types, from dtype.def. */
#ifndef RT_DTYPE_H
#define RT_DTYPE_H

#include <stdint.h>

/* Bytes of one element; 0: there is no such type. */
uint16_t rt_dtype_bytes(unsigned dtype);
/* As sources spell it; "?" where there is no such type. */
const char *rt_dtype_text(unsigned dtype);

#endif
