/* SPDX-License-Identifier: MIT */
/* report.h - the extension "ptowsp.report/1": what a backend makes of one run of a program, as files, and what it has to say of it, as figures. For backends whose
 * artifact depends on bindings and values, as it does where tensors get places of their own. */
#ifndef PTOWSP_REPORT_H
#define PTOWSP_REPORT_H

#include "run.h"

PTOWSP_BEGIN

/* What a design takes of a limit, how busy a part of the machine was. For people and scripts, in the order of the backend. */
struct ptowsp_figure {
	char group[32]; /* of rows that belong together: "tile (0,2)"; NUL-terminated, as the others */
	char name[96];  /* "memory" */
	char unit[24];  /* of value and limit: "bytes" */
	uint64_t value;
	uint64_t limit; /* 0: there is none */
};
struct ptowsp_report_extension {
	struct ptowsp_head head;
	/* What a run with these arguments, as for submit, would be, as files: the path is below a folder of the host's choice, as in ptowsp_artifact_extension; bytes are
	 * borrowed for that call, and a status other than 0 ends the whole. No tensor is written; a kernel runs only
	 * where what it computes decides what follows, and then on copies. Not while a run of the program is going on.
	 * Errors: those of load and of a run. NULL: it makes none. [device] */
	ptowsp_status (*emit)(struct ptowsp_object *program, const struct ptowsp_run_args *args,
			      ptowsp_status (*file)(void *context, const char *path, const void *bytes, uint64_t size), void *context, struct ptowsp_error *error);
	/* Of the latest run that is over, as far as it came: the plugin's, valid until the next call for the program. stride: bytes per row. [device] */
	ptowsp_status (*figures)(struct ptowsp_object *program, const struct ptowsp_figure **rows_out, uint32_t *count_out, uint32_t *stride_out,
				 struct ptowsp_error *error);
};
#define PTOWSP_EXTENSION_REPORT "ptowsp.report/1"

PTOWSP_END
#endif
