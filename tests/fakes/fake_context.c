/* SPDX-License-Identifier: MIT */
/* fake_context.c - a libcpu_sim_context.so for tests: takes the log's record, as every library of a runtime does. */
#include "ascend/engine/pod.h"

int simpler_host_log_bind_state(struct ascend_log_state *state);

int simpler_host_log_bind_state(struct ascend_log_state *state)
{
	return state && state->abi_version == ASCEND_LOG_VERSION && state->size >= sizeof(*state) ? 0 : -1;
}
