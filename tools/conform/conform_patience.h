/* SPDX-License-Identifier: MIT */
/* conform_patience.h - how long a test has gone on without a sign of life. */
#ifndef TOOLS_CONFORM_PATIENCE_H
#define TOOLS_CONFORM_PATIENCE_H

#include <stdint.h>
#include <sys/types.h>

struct conform_record;

enum { PATIENCE_THREADS = 512 };

/* One thread's. Threads beyond the room are not looked at. */
struct conform_patience {
	pid_t child;                         /* the process of the test */
	const struct conform_record *record; /* borrowed; the child writes it */
	uint64_t step, looked_ns, spent_ns;  /* digest of the record's last step; when it was looked at; since that step */
	struct patience_thread {
		pid_t id;
		uint64_t waited_ns; /* for a processor, all its life */
	} threads[PATIENCE_THREADS], before[PATIENCE_THREADS];
	uint32_t count, before_count;
};
void conform_patience_begin(struct conform_patience *p, pid_t child, const struct conform_record *record);
/* Nanoseconds since the test came to another package, seed or step. What its threads, and those of processes that it started, waited for a processor that others had is
 * not the plugin's time and counts a tenth: of each look, the most of any thread. Without /proc all of it counts. */
uint64_t conform_patience_spent(struct conform_patience *p);

#endif
