/* SPDX-License-Identifier: MIT */
/* scratch.h - a folder for what other programs write on the way to a result, and those programs: both are gone when the tool is, also when a
 * signal ends it. One folder at a time; one thread. SIGKILL alone leaves something behind. */
#ifndef TOOLS_SCRATCH_H
#define TOOLS_SCRATCH_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "ptowsp/base.h"

enum { SCRATCH_PROGRAMS = 64 }; /* that run at the same time */

/* Makes PREFIX-XXXXXX below TMPDIR, for this user alone. The tool has called output_abort_on_signals (tools/output.h). Errors: IO naming the place. */
ptowsp_status scratch_open(const char *prefix, struct ptowsp_error *error);
/* The path of the folder; "" while there is none. */
const char *scratch_path(void);
/* Ends the programs that still run and removes all that is in the folder, whoever wrote it. Says on stderr, after the name of the tool, what cannot be removed. */
void scratch_close(const char *tool);

/* Starts a program in the folder, with nothing to read, both outputs in its file `said`, and TMPDIR set to it. At most SCRATCH_PROGRAMS at a time.
 * 0: *program_out runs; 127: there is no such program; -1: it cannot be started. */
int scratch_start(char *const *argv, const char *said, pid_t *program_out);
/* fork for a part of the tool: the child leads a process group of its own, has no folder and no programs, and ends with this process; whatever is in its group ends with it, too. There
 * need not be a folder. 0 in the child, -1: it cannot be started. The tool has called output_abort_on_signals. */
pid_t scratch_fork(void);
/* Waits for its end. Its exit status, -1 if it has none. */
int scratch_wait(pid_t program);
/* The same, with what waitid says of its end; all of its group is ended, too. is_over is asked every 20 ms or so while it runs; the group is ended when it says so. */
void scratch_wait_told(pid_t program, bool (*is_over)(void *context, pid_t program), void *context, siginfo_t *info_out);

#endif
