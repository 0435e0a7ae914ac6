/* SPDX-License-Identifier: MIT */
/* kernel.c - the kernel of plan.cpp. */
#include <stdint.h>

__attribute__((visibility("default"))) void kernel_entry(int64_t *args);

void kernel_entry(int64_t *args)
{
	(void)args;
}
