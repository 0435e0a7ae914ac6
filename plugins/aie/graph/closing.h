/* SPDX-License-Identifier: MIT */
/* closing.h - who leaves the loop over a closed channel goes on when all its producers have closed it, which may be later than their last token: one word per producer that did
 * something in between, if the consumer does anything behind. Source: runtime semantics, section 6, K. One thread. */
#ifndef AIE_CLOSING_H
#define AIE_CLOSING_H

#include "aie/graph/act.h"

/* acts: with a CLOSE for each end of a channel that a producer closes, and a LEAVE where a consumer finds it closed and empty, as the walk has them. Afterwards there is
 * a CLOSE and a LEAVE for each producer that a consumer has to wait for, at the same places, and no other. Errors: NO_MEMORY. */
ptowsp_status aie_closings_settle(struct aie_acts *acts, uint32_t channels, struct ptowsp_error *error);

#endif
