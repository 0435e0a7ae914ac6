/* SPDX-License-Identifier: MIT */
/* payload.h - blocks of elements on their way through payload channels: memory for as many as each channel can hold, made once before the first task of a run
 * with kernels. It never grows. A rendezvous has a block per consumer instance, because one token can be given to each before the first of them has its turn.
 * The thread of rt_run owns it. */
#ifndef RT_PAYLOAD_H
#define RT_PAYLOAD_H

#include "rt/access/access.h"

struct rt_payloads {
	char *memory;    /* NULL: nothing is moved */
	uint64_t *first; /* per CSPC row: where its blocks begin */
	uint64_t bytes;
};

struct rt_run;
/* Only where the entry is a pipeline; a planned program moves nothing, and without kernels there is no memory, but what a run with them would be refused for is told. Errors: TOO_BIG for more than the run's memory limit, NO_MEMORY. */
ptowsp_status rt_payloads_init(struct rt_run *run);
void rt_payloads_finish(struct rt_payloads *payloads);
/* Copies the elements of a region into block `number` of the channel, or out of it. The caller has waited for who touches them. */
void rt_payload_copy(const struct rt_run *run, uint32_t channel, uint64_t number, const struct rt_access *access, bool sends);

#endif
