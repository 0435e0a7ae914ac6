/* SPDX-License-Identifier: MIT */
/* depth.h - how many objects each stream has at its source and at its ends. A channel has no more than its capacity says, counted over both. One thread. */
#ifndef AIE_DEPTH_H
#define AIE_DEPTH_H

#include "aie/graph/order.h"
#include "aie/place/aie_place.h"

/* Before places are known: depths has one row per stream of the graph, with what may be needed on either side. depth: objects at each end, at least 1. whole: channels get
 * all that their capacity lets them, however much that is. True if some channel got less. */
bool aie_depths_choose(struct aie_depths *depths, const struct aie_graph *graph, uint32_t depth, bool whole);
/* With places, of cells first: where two cores see one memory their objects are the same ones; elsewhere a channel's are divided between both ends. */
void aie_depths_settle(struct aie_depths *depths, const struct aie_graph *graph, const struct aie_arch *arch, const struct aie_place *places);

#endif
