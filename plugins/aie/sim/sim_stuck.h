/* SPDX-License-Identifier: MIT */
/* sim_stuck.h - who waits for whom when nothing can happen any more. */
#ifndef AIE_SIM_STUCK_H
#define AIE_SIM_STUCK_H

#include "aie/sim/sim_net.h"

/* Looks at a net in which nothing happens any more. OK: all is done that anybody asked for. A host that waits, or tasks that are not done, or, where there is no host's
 * sequence, a core that waits: DEADLOCK with one sentence, the ring first. */
ptowsp_status aie_stuck_look(const struct aie_net *net, struct ptowsp_error *error);
/* Waiting agents, and a ring of them; into zeroed stats, owned by them. false: no memory. */
bool aie_stuck_list(const struct aie_net *net, struct aie_sim_stats *stats);

#endif
