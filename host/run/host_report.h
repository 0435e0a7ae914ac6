/* SPDX-License-Identifier: MIT */
/* host_report.h - how a run ended: the host's own copy of what a plugin's done carried. */
#ifndef HOST_REPORT_H
#define HOST_REPORT_H

#include <stdbool.h>

#include "ptowsp/run.h"

/* Zero before the first run. The copies have this host's full size whatever the plugin's were. */
struct host_report {
	ptowsp_status status;
	struct ptowsp_run_stats stats;   /* its arrays belong to the report */
	struct ptowsp_error error;       /* with status != OK */
	struct ptowsp_deadlock deadlock; /* with status DEADLOCK */
};
/* The rule that a done breaks: which one, for a sentence; NULL if it keeps all. Any thread. */
const char *host_done_breach(const struct ptowsp_done *done, uint32_t minor);
/* The end of a run whose done breaks a rule: DEVICE_LOST with that sentence. */
ptowsp_status host_done_refuse(const char *breach, struct ptowsp_error *error);
/* Copies what both sides know at the effective minor; a done that lies about itself (missing stats, absurd counts) gives a report that says so. */
void host_report_fill(struct host_report *report, const struct ptowsp_done *done, uint32_t minor);
void host_report_finish(struct host_report *report); /* frees, zeroes */

/* Copies stats of a plugin into full-size ones with own arrays; frees the arrays that *out had. After an error *out is what was copied until then. */
ptowsp_status host_stats_copy(struct ptowsp_run_stats *out, const struct ptowsp_run_stats *stats, uint32_t minor);
void host_stats_finish(struct ptowsp_run_stats *stats);

#endif
