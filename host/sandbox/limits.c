/* SPDX-License-Identifier: MIT */
/* limits.c - limits of a sandbox: what they are, and those that the kernel keeps for a process. */
#include "host/sandbox/limits.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { THREADS = 256, THREADS_PER_CORE = 4, DAY_S = 24 * 60 * 60, LATER_S = 5 /* the keeper comes first, says why */ };
#define GIBIBYTE (UINT64_C(1) << 30)
#define MEBIBYTE (UINT64_C(1) << 20)

static uint64_t memory_of_the_machine(void)
{
	return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

void host_limits_fill(struct host_limits *l, uint64_t memory_limit, uint32_t threads)
{
	const uint64_t half = memory_of_the_machine() / 2, cores = (uint64_t)sysconf(_SC_NPROCESSORS_CONF);
	const uint64_t cpu_s = cores * DAY_S;

	if (!l->memory && memory_limit && memory_limit < UINT64_MAX - GIBIBYTE)
		l->memory = memory_limit + GIBIBYTE;
	if (!l->memory)
		l->memory = half > GIBIBYTE ? half : GIBIBYTE;
	if (!l->threads)
		l->threads = THREADS + THREADS_PER_CORE * (threads > cores ? threads : (uint32_t)cores);
	if (!l->cpu_s)
		l->cpu_s = cpu_s < UINT32_MAX ? (uint32_t)cpu_s : UINT32_MAX;
}

static void limit(__rlimit_resource_t resource, uint64_t most)
{
	struct rlimit now;

	if (getrlimit(resource, &now))
		return;
	now.rlim_max = now.rlim_max < most ? now.rlim_max : (rlim_t)most;
	now.rlim_cur = now.rlim_cur < now.rlim_max ? now.rlim_cur : now.rlim_max;
	setrlimit(resource, &now);
}

/* No core of somebody else's tensors; descriptors for files, not for a flood; address space, in which shared tensors lie, too: twice the machine's memory. A file that would be too
 * long fails, and ends nobody. */
void host_limits_set(const struct host_limits *l, bool locks)
{
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_NOFILE, 1024);
	if (!locks)
		limit(RLIMIT_MEMLOCK, 0);
	limit(RLIMIT_MSGQUEUE, 0);
	limit(RLIMIT_FSIZE, l->memory);
	limit(RLIMIT_CPU, (uint64_t)l->cpu_s + LATER_S);
	signal(SIGXFSZ, SIG_IGN);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	limit(RLIMIT_DATA, l->memory);
	limit(RLIMIT_AS, 2 * memory_of_the_machine());
#endif
}

static void amount_text(const struct host_limits *l, uint32_t which, char *text, size_t room)
{
	switch (which) {
	case HOST_LIMIT_MEMORY:
		if (l->memory % MEBIBYTE)
			snprintf(text, room, "%llu bytes", (unsigned long long)l->memory);
		else
			snprintf(text, room, "%llu MiB", (unsigned long long)(l->memory / MEBIBYTE));
		break;
	case HOST_LIMIT_THREADS: snprintf(text, room, "%u", l->threads); break;
	default: snprintf(text, room, "%u", l->cpu_s);
	}
}

void host_limits_text(const struct host_limits *l, uint32_t which, char *text, unsigned room)
{
	char amount[32];

	amount_text(l, which, amount, sizeof(amount));
	switch (which) {
#define X(name, sentence, option)                                                                                                                              \
	case HOST_LIMIT_##name: snprintf(text, room, sentence " (" option ")", amount); break;
		HOST_LIMITS(X)
#undef X
	default: *text = '\0';
	}
}

void host_limits_hint(const struct host_limits *l, char *text, unsigned room)
{
	size_t length = strlen(text), needed;
	char memory[32], blame[128];

	amount_text(l, HOST_LIMIT_MEMORY, memory, sizeof(memory));
	needed = (size_t)snprintf(blame, sizeof(blame), "; its sandbox may take %s of memory and %u threads (--sandbox-memory, --sandbox-threads)", memory,
				  l->threads);
	if (length + needed >= room) /* the sentence is cut, not the flags */
		length = room > needed ? room - needed - 1 : 0;
	snprintf(text + length, room - length, "%s", blame);
}
