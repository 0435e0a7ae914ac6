/* SPDX-License-Identifier: MIT */
/* worker_usage.c - what a sandbox takes, as its keeper sees it: the kernel bounds some of it for a process (limits.c), but neither memory files nor threads. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "host/worker/worker.h"

enum { BLOCK = 512 }; /* of st_blocks */

struct usage {
	uint64_t anonymous, swapped, shared, threads; /* kibibytes, but threads */
	bool lives;                                   /* it has memory */
};

static void line_take(const char *line, struct usage *out)
{
	unsigned long long number;

	out->lives = out->lives || !strncmp(line, "VmRSS:", 6);
	if (sscanf(line, "RssAnon: %llu", &number) == 1)
		out->anonymous = number;
	else if (sscanf(line, "VmSwap: %llu", &number) == 1)
		out->swapped = number;
	else if (sscanf(line, "RssShmem: %llu", &number) == 1)
		out->shared = number;
	else if (sscanf(line, "Threads: %llu", &number) == 1)
		out->threads = number;
}

static struct usage status_read(const char *thread)
{
	struct usage usage = {0};
	char path[64], line[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/status", thread);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		line_take(line, &usage);
	if (file)
		fclose(file);
	return usage;
}

/* A thread whose memory is that of the process: a thread that has ended has none any more, and the first one may end long before the others. All have one memory and, in a sandbox, one
 * table of descriptors. */
static struct usage usage_read(pid_t process, char thread_out[48])
{
	struct usage usage;
	struct dirent *entry;
	char path[48];
	DIR *folder;

	snprintf(thread_out, 48, "/proc/%d", (int)process);
	usage = status_read(thread_out);
	if (usage.lives)
		return usage;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)process);
	folder = opendir(path);
	while (folder && !usage.lives && (entry = readdir(folder)))
		if (*entry->d_name != '.') {
			snprintf(thread_out, 48, "/proc/%d/task/%.16s", (int)process, entry->d_name);
			usage = status_read(thread_out);
		}
	if (folder)
		closedir(folder);
	return usage;
}

/* Memory files that are open: what was written to them needs no mapping. A sandbox can delete no file, so one without a name is one of these. */
static uint64_t files_bytes(const char *thread)
{
	uint64_t bytes = 0;
	struct dirent *entry;
	struct stat file;
	char path[64];
	DIR *folder;

	snprintf(path, sizeof(path), "%s/fd", thread);
	folder = opendir(path);
	while (folder && (entry = readdir(folder)))
		if (!fstatat(dirfd(folder), entry->d_name, &file, 0) && S_ISREG(file.st_mode) && !file.st_nlink)
			bytes += (uint64_t)file.st_blocks * BLOCK;
	if (folder)
		closedir(folder);
	return bytes;
}

static uint64_t cpu_s(pid_t process)
{
	struct timespec used = {0};
	clockid_t clock;

	return !clock_getcpuclockid(process, &clock) && !clock_gettime(clock, &used) ? (uint64_t)used.tv_sec : 0;
}

uint32_t worker_usage_over(pid_t process, const struct host_limits *limits, uint64_t shared)
{
	char thread[48];
	const struct usage u = usage_read(process, thread);
	const uint64_t mapped = u.shared << 10, own = mapped > shared ? mapped - shared : 0;

	if (((u.anonymous + u.swapped) << 10) + own + files_bytes(thread) > limits->memory)
		return HOST_LIMIT_MEMORY;
	if (u.threads > limits->threads)
		return HOST_LIMIT_THREADS;
	return cpu_s(process) >= limits->cpu_s ? HOST_LIMIT_CPU : HOST_LIMIT_NONE;
}
