/* SPDX-License-Identifier: MIT */
/* slot_element.h - an element as 64 bits; at points to it. slot.c has both. Any thread. */
#ifndef RT_SLOT_ELEMENT_H
#define RT_SLOT_ELEMENT_H

#include <stdint.h>

int64_t rt_element_value(const char *at, unsigned dtype); /* floats toward zero */
uint64_t rt_element_bits(const char *at, uint32_t size);  /* the pattern, zero-extended */

#endif
