/* SPDX-License-Identifier: MIT */
/* standstill.h - streams that form a ring in which everybody waits for the next one: in words. One thread. */
#ifndef AIE_STANDSTILL_H
#define AIE_STANDSTILL_H

#include "aie/design/map.h"

/* Fails for a map whose order is stuck: UNSUPPORTED with the ring, cell by cell, or with who waits where none of the cells closes one. */
ptowsp_status aie_standstill_fail(const struct aie_map *map, const struct aie_map_args *args, struct ptowsp_error *error);

#endif
