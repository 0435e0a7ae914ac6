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
};

static void line_take(const char *line, struct usage *out)
{
	unsigned long long number;

	if (sscanf(line, "RssAnon: %llu", &number) == 1)
		out->anonymous = number;
	else if (sscanf(line, "VmSwap: %llu", &number) == 1)
		out->swapped = number;
	else if (sscanf(line, "RssShmem: %llu", &number) == 1)
		out->shared = number;
	else if (sscanf(line, "Threads: %llu", &number) == 1)
		out->threads = number;
}

static struct usage status_read(pid_t process)
{
	struct usage usage = {0};
	char path[48], line[256];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)process);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		line_take(line, &usage);
	if (file)
		fclose(file);
	return usage;
}

/* Memory files that are open: what was written to them needs no mapping. A sandbox can delete no file, so one without a name is one of these. */
static uint64_t files_bytes(pid_t process)
{
	uint64_t bytes = 0;
	struct dirent *entry;
	struct stat file;
	char path[48];
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)process);
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
	const struct usage u = status_read(process);
	const uint64_t mapped = u.shared << 10, own = mapped > shared ? mapped - shared : 0;

	if (((u.anonymous + u.swapped) << 10) + own + files_bytes(process) > limits->memory)
		return HOST_LIMIT_MEMORY;
	if (u.threads > limits->threads)
		return HOST_LIMIT_THREADS;
	return cpu_s(process) >= limits->cpu_s ? HOST_LIMIT_CPU : HOST_LIMIT_NONE;
}
