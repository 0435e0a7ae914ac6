/* SPDX-License-Identifier: MIT */
/* cgroup.h - a control group for a sandbox (cgroup v2), where this process may make one: then the kernel itself bounds memory and threads. */
#ifndef HOST_CGROUP_H
#define HOST_CGROUP_H

#include <limits.h>
#include <stdbool.h>

#include "host/sandbox/limits.h"

struct host_cgroup {
	char path[PATH_MAX]; /* "": there is none */
};

/* Beside the group that this process is in, or in it, with these limits; nothing is in it yet. false: it may not, or the kernel has no such groups: limits.h and who looks do without. Ended by end. */
bool host_cgroup_make(struct host_cgroup *group, const struct host_limits *limits);
/* The calling process, and what it starts from now on, for good where it can write nothing there. Does nothing without a group. */
void host_cgroup_enter(const struct host_cgroup *group);
/* Beside its own memory, as much as that is shared with it: what it touches first counts as its own. */
void host_cgroup_share(const struct host_cgroup *group, const struct host_limits *limits, uint64_t shared);
/* Has the kernel ended something of it for its memory? */
bool host_cgroup_met(const struct host_cgroup *group);
/* Kills what is in it, at once, and removes it when that is gone. */
void host_cgroup_kill(const struct host_cgroup *group);
void host_cgroup_end(struct host_cgroup *group);
/* May one be made here? Tried each time. */
bool host_cgroup_there(void);

#endif
