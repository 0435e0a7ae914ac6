/* SPDX-License-Identifier: MIT */
/* probe_native.c - what native.pto carries. */
#include <stdint.h>

__attribute__((visibility("default"))) void put(int32_t *y)
{
	for (int i = 0; i < 4; i++)
		y[i] = 7;
}
