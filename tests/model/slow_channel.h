/* SPDX-License-Identifier: MIT
 * slow_channel.h - tokens in time, by section 6 of the semantics: S(k), C(k), who was passed over, closing. What is possible is structure: the order of items says it. */
#ifndef TESTS_MODEL_SLOW_CHANNEL_H
#define TESTS_MODEL_SLOW_CHANNEL_H

#include "tests/model/slow_state.h"

/* When the SEND, TAKE or CLOSED at which a process stands happens. False: that is not known yet. */
bool slow_channel_time(const struct slow *s, const struct slow_process *process, uint64_t *time_out);
/* And it does: what it waited for is counted. */
void slow_channel_pass(struct slow *s, const struct slow_process *process, uint64_t time);

#endif
