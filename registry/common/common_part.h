/* SPDX-License-Identifier: MIT */
/* common_part.h - words of WORK that say how much of a task's region is there. Headers of 10.0 have none. */
#ifndef COMMON_PART_H
#define COMMON_PART_H

#include "ptowsp/workload.h"
#include <stdbool.h>

#if PTOWSP_ABI_MINOR >= 1
enum { COMMON_PART_ROWS = PTOWSP_OP_IO_ROWS, COMMON_PART_COLUMNS = PTOWSP_OP_IO_COLUMNS };
#else
enum { COMMON_PART_ROWS = 0x100, COMMON_PART_COLUMNS = 0x101 }; /* no word has such a code */
#endif

static inline bool common_is_columns(unsigned opcode)
{
	return opcode == COMMON_PART_COLUMNS;
}
static inline bool common_is_part(unsigned opcode)
{
	return opcode == COMMON_PART_ROWS || common_is_columns(opcode);
}

#endif
