/* SPDX-License-Identifier: MIT */
/* map_own.h - between the files of a map. */
#ifndef AIE_MAP_OWN_H
#define AIE_MAP_OWN_H

#include "aie/design/map.h"

/* Places of a graph whose depths are settled. Errors: UNSUPPORTED with node, resource, need and limit; NO_MEMORY. */
ptowsp_status aie_map_place(struct aie_map *map, const struct aie_map_args *args, struct ptowsp_error *error);

#endif
