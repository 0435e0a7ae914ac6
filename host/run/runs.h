/* SPDX-License-Identifier: MIT */
/* runs.h - runs in flight on one plugin: tokens with generations, completion exactly once. */
#ifndef HOST_RUNS_H
#define HOST_RUNS_H

#include <pthread.h>

#include "host/run/group.h"
#include "host/run/host_fence.h"
#include "host/run/host_report.h"

enum { HOST_RUNS_IN_FLIGHT = 64, HOST_RUNS_TEXT = 240 };

/* One run of a program, in its memory; guarded by the lock of struct host_runs while it is in flight. */
struct host_run {
	struct host_report report;
	uint64_t token;
	uint64_t begin_ns, end_ns; /* submit and completion on host_now_ns */
	uint64_t deadline_ns;      /* that it was given, 0: none; of whoever submits and waits */
	_Atomic bool cancelled;    /* by whoever submitted it; any thread */
	bool in_flight;
	bool looks;               /* PTOWSP_RUN_LOOK */
	struct host_group *group; /* NULL: a run by itself; left when the run is complete */
	uint32_t member;
	struct host_fence_points waits, signals; /* told and given back when it is complete */
	_Atomic bool held;                       /* by this host, for fences that it keeps: the plugin does not know it yet */
};

/* Token = generation << 32 | slot: a late or repeated done finds another generation and is refused. Any thread. */
struct host_runs {
	pthread_mutex_t lock;
	pthread_cond_t ended; /* some run completed */
	struct {
		struct host_run *run; /* NULL: free */
		uint32_t generation;
	} slots[HOST_RUNS_IN_FLIGHT];
	uint32_t minor; /* effective: how far results are read */
};

uint64_t host_now_ns(void); /* monotonic */

/* init/finish: caller provides *runs. No run is in flight at finish. */
ptowsp_status host_runs_init(struct host_runs *runs, uint32_t minor);
void host_runs_finish(struct host_runs *runs);
/* Gives the run a token and marks it in flight. AGAIN if too many are. */
ptowsp_status host_runs_begin(struct host_runs *runs, struct host_run *run);
/* The submit was refused: the token is void. */
void host_runs_abandon(struct host_runs *runs, struct host_run *run);
/* Called by the plugin's done. False if nothing in flight has that token: a bug of the plugin. */
bool host_runs_complete(struct host_runs *runs, const struct ptowsp_done *done);
/* Before that: the run leaves its group, if it has one. True: text says what its devices told each other for nothing. */
bool host_runs_leave(struct host_runs *runs, uint64_t token, char text[HOST_RUNS_TEXT]);
/* The group of the run in flight that has this token, and its place there; NULL: by itself, or there is none. */
struct host_group *host_runs_group(struct host_runs *runs, uint64_t token, uint32_t *member_out);
bool host_runs_is_complete(struct host_runs *runs, const struct host_run *run);
/* Is any in flight? */
bool host_runs_any(struct host_runs *runs);
/* Waits until some run completes, or until until_ns. */
void host_runs_pause(struct host_runs *runs, uint64_t until_ns);
/* Waits until the run is complete (true) or the time until_ns of host_now_ns has come (false). */
bool host_runs_wait(struct host_runs *runs, const struct host_run *run, uint64_t until_ns);

#endif
