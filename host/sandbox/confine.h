/* SPDX-License-Identifier: MIT */
/* confine.h - what a process can be kept from, for the rest of its life: Landlock, seccomp, memory that is never writable and executable, limits. */
#ifndef HOST_CONFINE_H
#define HOST_CONFINE_H

#include <stdbool.h>

#include "host/sandbox/limits.h"
#include "ptowsp/base.h"

/* Protections that this kernel offers. Any thread. */
int host_landlock_version(void); /* 0: none */
bool host_seccomp_there(void);
bool host_mdwe_there(void);
bool host_sealing_there(void);

/* The calling thread and those that it starts. plugin: real path, whose folder stays readable. Nothing can be written but what is open, no program be run, no process
 * be made, signalled or limited, no socket be opened. grants (grants.h, without fault; "": none) are given beyond that. Errors: UNSUPPORTED where the kernel lacks Landlock or seccomp. */
ptowsp_status host_confine(const char *plugin, const char *grants, const struct host_limits *limits, struct ptowsp_error *error);
struct sock_filter;
enum { HOST_CONFINE_ROWS = 320 };
/* The filter of system calls that it gives the kernel, for the calling process with these grants: how many rows. rows has room for HOST_CONFINE_ROWS. */
unsigned host_confine_filter(struct sock_filter *rows, const char *grants);
/* No mapping is writable and executable, and none gets executable. Contents of a memory file can be mapped as code all the same: that is how the linker
 * works. false: the kernel does not have that. The whole process. */
bool host_confine_memory(void);

#endif
