/* SPDX-License-Identifier: MIT */
/* worker_keeper.c - the process between host and worker, which no plugin ever runs in: whatever a plugin does to its own process, descriptors and signals included, this one ends it, and all that it has
 * started, with the host. It waits, and tells the host what becomes of its worker. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/run/runs.h"
#include "host/sandbox/cgroup.h"
#include "host/worker/worker.h"

#define CLEAR_NS                                                                                                                                               \
	UINT64_C(2000000000) /* longest that what a plugin has left is hunted for: who starts processes faster than they are ended keeps the host no longer */

enum { LOOK_MS = 50 }; /* between two looks at what a sandbox takes */
#define LOOK_NS (LOOK_MS * UINT64_C(1000000))

static pid_t kept;               /* the worker's number, its own until it is waited for */
static struct host_cgroup group; /* of a sandbox, where one may be made */
static uint64_t shared;          /* bytes that the host shares with it, by its word */

static void tell(const struct host_frame_word *word)
{
	while (send(HOST_WORKER_LIFE, word, sizeof(*word), MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

/* ---- what it has started ---------------------------------------------------------------------------------------- */

/* Processes that lost their parent are children of the keeper, in whatever group or session they are. */
static void children_kill(void)
{
	FILE *file = fopen("/proc/thread-self/children", "r");
	int child;

	while (file && fscanf(file, "%d", &child) == 1)
		kill(child, SIGKILL);
	if (file)
		fclose(file);
}

static void children_end(void)
{
	const uint64_t until_ns = host_now_ns() + CLEAR_NS;
	siginfo_t info;

	do {
		memset(&info, 0, sizeof(info));
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | __WALL) && errno != EINTR)
			return;
		if (info.si_pid)
			continue;
		children_kill();
		poll(NULL, 0, 1);
	} while (host_now_ns() < until_ns);
}

/* An orphan that ends before the worker has no other process to reap it. */
static void orphans_reap(void)
{
	siginfo_t info;

	do
		memset(&info, 0, sizeof(info));
	while (!waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) && info.si_pid && info.si_pid != kept &&
	       !waitid(P_PID, (id_t)info.si_pid, &info, WEXITED | WNOHANG | __WALL));
}

/* ---- the worker ------------------------------------------------------------------------------------------------- */

static void stop_look(void)
{
	siginfo_t info = {0};

	if (!waitid(P_PID, (id_t)kept, &info, WSTOPPED | WCONTINUED | WNOHANG) && info.si_pid)
		tell(&(struct host_frame_word){.kind = info.si_code == CLD_CONTINUED ? HOST_WORD_CONTINUED : HOST_WORD_STOPPED, .value = info.si_status});
}

static bool has_ended(void)
{
	siginfo_t info = {0};

	return !waitid(P_PID, (id_t)kept, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid;
}

/* The worker's group is killed first, at once; then, one by one, the processes that have left that group. */
static void worker_end(uint32_t limit)
{
	struct host_frame_word word = {.kind = HOST_WORD_ENDED, .limit = limit};
	siginfo_t info = {0};

	kill(kept, SIGKILL);
	kill(-kept, SIGKILL);
	host_cgroup_kill(&group);
	while (waitid(P_PID, (id_t)kept, &info, WEXITED) && errno == EINTR)
		;
	word.value = info.si_status;
	word.how = info.si_code;
	if (worker.confined && info.si_code != CLD_EXITED && info.si_status == SIGXCPU)
		word.limit = HOST_LIMIT_CPU;
	else if (!limit && info.si_status == SIGKILL && host_cgroup_met(&group))
		word.limit = HOST_LIMIT_MEMORY;
	children_end();
	worker_said_end();
	host_cgroup_end(&group);
	tell(&word);
	_exit(0);
}

/* false: the host has shut down its side. */
static bool host_hear(void)
{
	uint64_t bytes;
	ssize_t n;

	while ((n = recv(HOST_WORKER_LIFE, &bytes, sizeof(bytes), MSG_DONTWAIT)) > 0)
		if (n == (ssize_t)sizeof(bytes)) {
			shared = bytes;
			host_cgroup_share(&group, &worker.limits, shared);
		}
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

/* The host tells of shared memory before its worker can take that: a worker that seems to have too much is looked at once more with all messages heard. */
static uint32_t limit_find(void)
{
	if (!worker.confined || !worker_usage_over(kept, &worker.limits, shared) || !host_hear())
		return HOST_LIMIT_NONE;
	return worker_usage_over(kept, &worker.limits, shared);
}

static void keep(int host, int said)
{
	sigset_t all;
	struct pollfd at[4] = {{.fd = HOST_WORKER_LIFE, .events = POLLIN}, {.fd = host, .events = POLLIN}, {.events = POLLIN}, {.fd = said, .events = POLLIN}};
	struct signalfd_siginfo ignored;
	uint32_t limit = HOST_LIMIT_NONE;
	uint64_t look_ns = 0;

	sigfillset(&all);
	at[2].fd = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
	tell(&(struct host_frame_word){.kind = HOST_WORD_STARTED, .value = kept});
	while (!has_ended() && !limit) {
		poll(at, 4, worker.confined ? LOOK_MS : -1);
		if ((at[0].revents && !host_hear()) || at[1].revents)
			break;
		while (read(at[2].fd, &ignored, sizeof(ignored)) > 0)
			;
		if (at[3].revents && !worker_said_hear())
			at[3].fd = -1;
		stop_look();
		orphans_reap();
		if (host_now_ns() >= look_ns) { /* a sandbox that has much to say is looked at all the same */
			limit = limit_find();
			look_ns = host_now_ns() + LOOK_NS;
		}
	}
	worker_end(limit);
}

/* The worker ends with its keeper, too, by a signal that nothing of another process can take back. */
static bool worker_begin(pid_t keeper)
{
	sigset_t none;

	sigemptyset(&none);
	close(HOST_WORKER_LIFE);
	host_cgroup_enter(&group);
	if (worker.confined && !worker_said_own())
		return false;
	return !setpgid(0, 0) && !prctl(PR_SET_PDEATHSIG, (long)SIGKILL, 0L, 0L, 0L) && getppid() == keeper && !sigprocmask(SIG_SETMASK, &none, NULL);
}

bool worker_keep(pid_t host)
{
	const int host_fd = (int)syscall(SYS_pidfd_open, host, 0);
	const pid_t keeper = getpid();
	sigset_t all;

	sigfillset(&all);
	if (host_fd < 0 || getppid() != host || prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L) || sigprocmask(SIG_SETMASK, &all, NULL))
		return false;
	if (worker.confined && !worker_said_begin())
		return false;
	if (worker.confined)
		host_cgroup_make(&group, &worker.limits);
	kept = fork();
	if (kept < 0)
		return false;
	if (!kept) {
		close(host_fd);
		return worker_begin(keeper);
	}
	munmap(worker.shared, sizeof(*worker.shared)); /* bytes there, and on the socket, are the worker's */
	for (int fd = HOST_WORKER_SOCKET; fd < HOST_WORKER_LIFE; fd++)
		close(fd);
	setpgid(kept, kept); /* by both: the group is there before it is ended */
	keep(host_fd, worker.confined ? worker_said_keep() : -1);
	return false;
}
