/* SPDX-License-Identifier: MIT */
/* replay_notify.h - ptowsp.notify/1 of a replay: one device of a run on several, and what the others told it then, from the log. */
#ifndef HOST_REPLAY_NOTIFY_H
#define HOST_REPLAY_NOTIFY_H

#include "host/layers/replay_log.h"

/* The run whose submit ends at byte `from` of the log is the one that is told; one at a time, until the next. The log outlives it. */
void host_replay_notify_begin(const struct host_replay_log *log, size_t from);
/* The place of the logged run among the devices, and each notification that it took, in their order; what it sends goes nowhere. Errors: DEADLOCK (the log has no more of that). Any thread. */
const struct ptowsp_notify_extension *host_replay_notify(void);

/* Did the logged run have several devices? Then its tensors may have been written by the others. */
bool host_replay_notify_shared(void);

#endif
