/* SPDX-License-Identifier: MIT */
/* replay.h - the calls of a log of layer trace once more, to any plugin: the same arguments in the same order, and what comes back compared. */
#ifndef HOST_REPLAY_H
#define HOST_REPLAY_H

#include "ptowsp/base.h"

struct host_replay_result {
	uint32_t calls;       /* made again; polls and what reads the clock are not */
	uint32_t runs;        /* completed again */
	uint32_t differences; /* statuses, total cycles, tasks, edges, digests of tensors that are not those of the log */
};
/* file: written by --layer=trace:FILE, by a host of the same description. plugin: its path. say: a line for each difference; may be NULL. Errors: IO, INVALID (the file
 * is none, is cut short, or of another description; says at which byte), PLUGIN_REFUSED, MISMATCH (the first difference), DEADLINE (a run took more than a minute).
 * Runs the plugin in this process. One at a time. */
ptowsp_status host_replay(const char *file, const char *plugin, void (*say)(void *context, const char *line), void *context,
			  struct host_replay_result *result_out, struct ptowsp_error *error);

#endif
