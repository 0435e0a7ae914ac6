/* SPDX-License-Identifier: MIT */
/* platform.h - the table of platforms against instructions of task graphs (platform.def), by name. */
#ifndef REGISTRY_PLATFORM_H
#define REGISTRY_PLATFORM_H

#include <stdbool.h>
#include <stdint.h>

enum { REG_PLATFORMS = 4 };
const char *reg_platform_name(unsigned platform); /* "A2", "A3", "A5", "CPU Sim" */

struct reg_platform_cell {
	const char *word; /* "Yes", "Partial", "Hint", "N/A", "No" */
	uint8_t state;    /* PTOWSP_STATE_x */
	uint8_t without;  /* scopes of MC_FENCE that are not enforced, as in ptowsp_cap.bits */
};
struct reg_platform_row {
	const char *name; /* "TG_BEGIN" */
	uint32_t feature; /* PTOWSP_FEATURE_GRAPH */
	struct reg_platform_cell cells[REG_PLATFORMS];
};
/* In the order of platform.def; false behind the last. */
bool reg_platform_at(uint32_t index, struct reg_platform_row *row_out);

const char *reg_fence_scope(unsigned scope); /* "L2"; "scope 5" is "?" */

#endif
