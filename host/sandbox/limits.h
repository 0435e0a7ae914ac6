/* SPDX-License-Identifier: MIT */
/* limits.h - what a sandbox may take of the machine. */
#ifndef HOST_LIMITS_H
#define HOST_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

struct host_limits {
	uint64_t memory;  /* bytes of its own: anonymous memory, also swapped out, and memory files; shared tensors and sections of the host do not count */
	uint32_t threads; /* at once */
	uint32_t cpu_s;   /* seconds of processor time in all */
};
/* The limit met. X(name, sentence of %s: plugin, %s: amount; option) */
#define HOST_LIMITS(X)                                                                                                                                         \
	X(MEMORY, "its sandbox took more than %s of memory", "--sandbox-memory")                                                                               \
	X(THREADS, "its sandbox had more than %s threads", "--sandbox-threads")                                                                                \
	X(CPU, "its sandbox took more than %s s of processor time", "--sandbox-cpu")
enum {
	HOST_LIMIT_NONE,
#define X(name, text, option) HOST_LIMIT_##name,
	HOST_LIMITS(X)
#undef X
};

/* host_limits_fill puts a limit that ordinary plugins do not meet on this machine in the place of each 0: of memory half of the machine's, or memory_limit, which
 * tensors may have (0: no such limit), and a gibibyte; of threads 256 and four per core, or per thread that is asked for (0: as many as cores); of processor time a day per
 * core. */
void host_limits_fill(struct host_limits *limits, uint64_t memory_limit, uint32_t threads);
/* host_limits_set bounds this process, for good, in all that the kernel can bound of one process alone; locks: but for pages that stay where they are. Sanitizers map more than there is, and are left alone. */
void host_limits_set(const struct host_limits *limits, bool locks);
/* "its sandbox took more than 256 MiB of memory (--sandbox-memory)", "" for none. */
void host_limits_text(const struct host_limits *limits, uint32_t limit, char *text, unsigned room);
/* Behind the sentence in text, which is about memory or threads that the system did not give: "; its sandbox may take 4000000 bytes of memory and 264 threads (--sandbox-memory,
 * --sandbox-threads)". The failed call cannot know that these limits were it, and they may not have been. */
void host_limits_hint(const struct host_limits *limits, char *text, unsigned room);

#endif
