/* SPDX-License-Identifier: MIT */
/* conform_process.h - what a plugin must leave as it is (PL8): looked at before and after. Looking allocates nothing. */
#ifndef TOOLS_CONFORM_PROCESS_H
#define TOOLS_CONFORM_PROCESS_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

enum { PROCESS_DESCRIPTORS = 256, PROCESS_SIGNALS = 65 };

struct conform;

struct conform_process {
	char folder[PATH_MAX];
	uint64_t environment; /* digest of its strings in order */
	mode_t mask;
	struct sigaction actions[PROCESS_SIGNALS];
	sigset_t blocked;
	char locale[128];
	struct rlimit limits[RLIM_NLIMITS];
	bool timers[3];                            /* of setitimer: armed */
	uint64_t descriptors[PROCESS_DESCRIPTORS]; /* device and inode of each open one, mixed; 0: closed */
	uint32_t threads;
	uint64_t printed;   /* bytes on stdout and stderr so far, as far as they go into a file */
	uint64_t allocated; /* bytes of malloc in use; 0 where that cannot be told */
	uint64_t maps;      /* digest of the memory map, the heap's end and stacks left out */
	uint32_t map_count;
};

/* Everything but the maps. */
void conform_process_look(struct conform_process *process_out);
/* Fails the test if the process is not what it was: threads may come and go, and so may memory, unless `strict`. */
void conform_process_compare(struct conform *c, const struct conform_process *before, const char *who);
void conform_process_compare_strict(struct conform *c, const struct conform_process *before, const char *who);
void conform_maps_look(struct conform_process *process_out);
/* Skips the test where there is no /proc to look into. */
void conform_proc_need(struct conform *c);
uint32_t conform_thread_count(void); /* 0: it cannot be told */
/* Rounding mode, flushing of subnormals, masked exceptions; not the flags of what happened. */
unsigned conform_control_word(void);
void conform_control_set(unsigned word);

#endif
