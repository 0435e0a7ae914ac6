/* SPDX-License-Identifier: MIT */
/* remote_left.c - the end of a worker whose keeper was killed, or stopped, and of what its plugin has started: whatever its parents, group and session are, such a process has a variable in its environment
 * that its worker was started with, and that names this worker alone. */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/worker/remote_own.h"

#define CLEAR_NS UINT64_C(2000000000) /* longest that they are hunted for, as by a keeper */

enum { CLEAN = 2 }; /* looks in a row that find nothing: the first may pass by who is just being made */

char **remote_left_environment(struct host_remote *r, char *const *inherited)
{
	static _Atomic unsigned number;
	size_t count = 0;
	char **made;

	while (inherited && inherited[count])
		count++;
	made = calloc(count + 2, sizeof(*made));
	if (!made)
		return NULL;
	snprintf(r->mark, sizeof(r->mark), "PTOWSP_WORKER=%d.%u.%llx", (int)getpid(), atomic_fetch_add(&number, 1), (unsigned long long)host_now_ns());
	made[0] = r->mark;
	if (count)
		memcpy(made + 1, inherited, count * sizeof(*made));
	return made;
}

/* The variable with its NUL, wherever it stands in an environment of any size. */
static bool mark_read(int fd, const char *mark)
{
	const size_t length = strlen(mark) + 1;
	char bytes[8192];
	size_t have = 0;
	ssize_t n;

	while ((n = read(fd, bytes + have, sizeof(bytes) - have)) > 0) {
		have += (size_t)n;
		if (memmem(bytes, have, mark, length))
			return true;
		if (have >= length) {
			memmove(bytes, bytes + have - (length - 1), length - 1);
			have = length - 1;
		}
	}
	return false;
}

/* Held by its descriptor first: a number that another process gets meanwhile is none of ours. */
static bool marked_kill(int pid, const char *mark)
{
	const int held = (int)syscall(SYS_pidfd_open, pid, 0);
	char path[40];
	bool marked;
	int fd;

	if (held < 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/environ", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	marked = fd >= 0 && mark_read(fd, mark);
	if (marked)
		syscall(SYS_pidfd_send_signal, held, SIGKILL, NULL, 0);
	if (fd >= 0)
		close(fd);
	close(held);
	return marked;
}

static unsigned all_kill(const char *mark)
{
	DIR *folder = opendir("/proc");
	const struct dirent *entry;
	unsigned count = 0;

	while (folder && (entry = readdir(folder)))
		if (isdigit((unsigned char)*entry->d_name))
			count += marked_kill(atoi(entry->d_name), mark);
	if (folder)
		closedir(folder);
	return count;
}

void remote_left_end(struct host_remote *r)
{
	const uint64_t until_ns = host_now_ns() + CLEAR_NS;
	struct pollfd at = {.fd = r->worker_fd, .events = POLLIN};

	if (r->worker_fd >= 0)
		syscall(SYS_pidfd_send_signal, r->worker_fd, SIGKILL, NULL, 0);
	if (r->worker)
		kill(-r->worker, SIGKILL);
	for (unsigned clean = 0; clean < CLEAN && host_now_ns() < until_ns; poll(NULL, 0, 1))
		clean = all_kill(r->mark) ? 0 : clean + 1;
	if (r->worker_fd >= 0)
		poll(&at, 1, (int)(CLEAR_NS / 1000000));
}
