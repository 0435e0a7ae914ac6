/* SPDX-License-Identifier: MIT */
/* verify_pipeline.c - the rules between channels, processes and entries. */
#include "format/verify/verify.h"

#include <stdlib.h>

#define REPLICA_LIMIT        4096u /* instances of all processes together: each has its own expander */
#define MUST(condition, ...) PKG_MUST(&c->place, condition, __VA_ARGS__)

/* seen: one byte per channel, for the directions in which the process uses it; given back as zeros. */
static ptowsp_status channels_check(const struct pkg_check *c, uint32_t i, uint8_t *seen)
{
	const struct pkg_tables *t = c->tables;
	uint32_t count = t->process[i].channel_count, k = 0;
	const struct ptowsp_process_channel_record *uses = count ? &t->process_channel[t->process[i].channels] : NULL;

	while (k < count && !(seen[uses[k].channel] & 1u << uses[k].direction)) {
		seen[uses[k].channel] |= (uint8_t)(1u << uses[k].direction);
		k++;
	}
	for (uint32_t n = 0; n < k; n++)
		seen[uses[n].channel] = 0;
	MUST(k == count, "PROC[%u] names the channel \"%.40s\" twice for the same direction", (unsigned)i, pkg_string(t, t->channel[uses[k].channel].name));
	return PTOWSP_OK;
}

/* seen: one byte per row, for the places in the order of declaration. */
static ptowsp_status processes_check(const struct pkg_check *c, uint32_t instructions, uint8_t *seen, uint8_t *channels)
{
	const struct pkg_tables *t = c->tables;
	uint64_t replicas = 0;
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; i < t->process_count && !status; i++) {
		const struct ptowsp_process_record *p = &t->process[i];

		MUST(p->instruction < instructions, "PROC[%u].instruction is %u, WORK has %u instructions", (unsigned)i, (unsigned)p->instruction,
		     (unsigned)instructions);
		MUST(p->replicas, "PROC[%u].replicas is 0: a process has at least one instance", (unsigned)i);
		replicas += p->replicas;
		MUST(replicas <= REPLICA_LIMIT, "PROC[%u].replicas is %u: all processes together have at most %u instances", (unsigned)i, (unsigned)p->replicas,
		     REPLICA_LIMIT);
		MUST(p->order < t->process_count && !seen[p->order], "PROC[%u].order is %u: the places 0 to %u are needed, each once", (unsigned)i,
		     (unsigned)p->order, (unsigned)t->process_count - 1);
		seen[p->order] = 1;
		status = channels_check(c, i, channels);
	}
	return status;
}

ptowsp_status pkg_verify_pipeline(const struct pkg_check *c, uint32_t instructions)
{
	const struct pkg_tables *t = c->tables;
	uint8_t *seen = calloc((size_t)t->process_count + 1, 1), *channels = calloc((size_t)t->channel_count + 1, 1);
	ptowsp_status status = PTOWSP_OK;

	if (!seen || !channels)
		status = pkg_fail(c->place.error, PTOWSP_NO_MEMORY, "%s: out of memory", c->place.file);
	for (uint32_t i = 0; i < t->entry_count && !status; i++)
		if (t->entry[i].flags & PTOWSP_ENTRY_PIPELINE && !t->process_count)
			status = pkg_refuse(&c->place, "ENTR[%u].flags say that it is a pipeline, and there is no process in PROC", (unsigned)i);
	if (!status)
		status = processes_check(c, instructions, seen, channels);
	free(seen);
	free(channels);
	return status;
}
