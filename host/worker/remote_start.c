/* SPDX-License-Identifier: MIT */
/* remote_start.c - starting a worker and ending it. It gets its files and nothing else of this process: no descriptor, no lock, no thread. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/find/refuse.h"
#include "host/find/search.h"
#include "host/worker/remote_own.h"

enum { FILES = 4, ABOVE = 16, END_MS = 2000, DEFAULT_MS = 120000 };
extern char **environ;

/* Descriptors above those that the worker will have them at: the order of the copies does not matter then. */
static int above(int fd)
{
	return fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, ABOVE);
}

static int actions_fill(posix_spawn_file_actions_t *actions, const int files[FILES])
{
	int rc = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);

	if (!rc)
		rc = posix_spawn_file_actions_addopen(actions, 1, "/dev/null", O_WRONLY, 0);
	for (int i = 0; i < FILES && !rc; i++)
		rc = posix_spawn_file_actions_adddup2(actions, files[i], HOST_WORKER_SOCKET + i);
	return rc ? rc : posix_spawn_file_actions_addclosefrom_np(actions, HOST_WORKER_LIFE + 1);
}

/* Signals as a fresh program has them: what the embedding program blocks or ignores is its own. A group of its own: what is typed at a terminal is for the host, which then
 * ends its worker. */
static int attributes_fill(posix_spawnattr_t *attributes)
{
	sigset_t none, all;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_setsigmask(attributes, &none);
	posix_spawnattr_setsigdefault(attributes, &all);
	posix_spawnattr_setpgroup(attributes, 0);
	return posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

static int spawn(struct host_remote *r, const char *program, const int files[FILES], bool sandbox)
{
	char host[16], memory[24], threads[16], cpu[16];
	char *arguments[] = {(char *)(uintptr_t) "ptowsp-worker", r->name, host, sandbox ? memory : NULL, threads, cpu, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int rc = posix_spawn_file_actions_init(&actions);
	char **environment;

	if (rc)
		return rc;
	environment = remote_left_environment(r, sandbox || getauxval(AT_SECURE) ? NULL : environ);
	snprintf(host, sizeof(host), "%d", (int)getpid());
	snprintf(memory, sizeof(memory), "%llu", (unsigned long long)r->limits.memory);
	snprintf(threads, sizeof(threads), "%u", r->limits.threads);
	snprintf(cpu, sizeof(cpu), "%u", r->limits.cpu_s);
	rc = environment ? posix_spawnattr_init(&attributes) : ENOMEM;
	if (!rc) {
		rc = attributes_fill(&attributes);
		if (!rc)
			rc = actions_fill(&actions, files);
		if (!rc)
			rc = posix_spawn(&r->pid, program, &actions, &attributes, arguments, environment);
		posix_spawnattr_destroy(&attributes);
	}
	posix_spawn_file_actions_destroy(&actions);
	free(environment);
	return rc;
}

static int memory_make(struct host_remote *r)
{
	const int fd = host_memory_file("ptowsp worker", sizeof(*r->shared));

	if (fd < 0 || !host_memory_file_seal(fd, false)) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	r->shared = mmap(NULL, sizeof(*r->shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (r->shared == MAP_FAILED) {
		r->shared = NULL;
		close(fd);
		return -1;
	}
	atomic_store_explicit(&r->shared->operation, HOST_FRAME_START, memory_order_relaxed); /* until the worker says otherwise */
	host_ring_init(&r->down[0], &r->shared->down[0]);
	host_ring_init(&r->down[1], &r->shared->down[1]);
	host_ring_init(&r->up, &r->shared->up);
	return fd;
}

static ptowsp_status process_make(struct host_remote *r, const struct host_remote_start *start, struct ptowsp_error *error)
{
	int pair[2] = {-1, -1}, life[2] = {-1, -1}, memory = memory_make(r), files[FILES], rc = EMFILE;
	const struct timeval patience = {.tv_sec = 10};
	char program[PATH_MAX];

	if (memory < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, life)) {
		const int why = errno;

		for (int i = 0; i < 2; i++)
			if (pair[i] >= 0)
				close(pair[i]);
		if (memory >= 0)
			close(memory);
		return host_fail(error, PTOWSP_NO_MEMORY, "%s: no %s for a worker: %s", start->name,
				 why == EFBIG ? "file of its size (ulimit -f), which is shared memory," : "memory or descriptors", strerror(why));
	}
	r->socket = pair[0];
	r->life = life[1];
	setsockopt(r->life, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	files[0] = above(pair[1]);
	files[1] = above(memory);
	files[2] = above(start->fd);
	files[3] = above(life[0]);
	if (!host_beside_find("ptowsp-worker", program, sizeof(program)))
		rc = ENOENT;
	else if (files[0] >= 0 && files[1] >= 0 && files[2] >= 0 && files[3] >= 0)
		rc = spawn(r, program, files, start->sandbox);
	for (int i = 0; i < FILES; i++)
		if (files[i] >= 0)
			close(files[i]);
	close(life[0]);
	close(pair[1]);
	close(memory);
	if (rc)
		return host_fail(error, host_refuse_status(rc),
				 "%s cannot be isolated: the worker %.100s does not start: %s; --isolate=none runs it in this process", start->name, program,
				 strerror(rc));
	r->pidfd = (int)syscall(SYS_pidfd_open, r->pid, 0);
	if (r->pidfd < 0)
		return host_fail(error, PTOWSP_PLUGIN_REFUSED, "%s cannot be isolated: this kernel has no pidfd (%s)", start->name, strerror(errno));
	fcntl(r->pidfd, F_SETFD, FD_CLOEXEC);
	return PTOWSP_OK;
}

static ptowsp_status plugin_load(struct host_remote *r, const struct host_remote_start *start, struct ptowsp_error *error)
{
	struct host_wire request = {0};
	struct remote_call call = {0};
	struct host_frame *frame = host_marshal_begin(&request, HOST_FRAME_BEGIN);
	struct host_unwire wire;
	ptowsp_status status;
	uint64_t path, grants;

	if (frame)
		frame->values[0] =
			(start->sandbox ? HOST_WORKER_SANDBOX : 0) | (start->lint_off ? HOST_WORKER_LINT_OFF : 0) | (start->jit ? HOST_WORKER_JIT : 0);
	path = host_wire_text(&request, start->path);
	grants = host_wire_text(&request, start->grants);
	if (!request.failed) {
		((struct host_frame *)(void *)request.bytes)->values[1] = path;
		((struct host_frame *)(void *)request.bytes)->values[2] = grants;
	}
	status = remote_ask(r, 0, &request, &call, &wire, error);
	free(wire.bytes);
	host_wire_finish(&request);
	return status;
}

static struct host_remote *remote_make(const char *name)
{
	struct host_remote *r = calloc(1, sizeof(*r));
	pthread_condattr_t monotonic;

	if (!r)
		return NULL;
	r->pidfd = r->socket = r->timer = r->life = r->worker_fd = -1;
	strncpy(r->name, name, sizeof(r->name) - 1);
	pthread_mutex_init(&r->lock, NULL);
	pthread_mutex_init(&r->down_lock[0], NULL);
	pthread_mutex_init(&r->down_lock[1], NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&r->turned, &monotonic);
	pthread_condattr_destroy(&monotonic);
	return r;
}

ptowsp_status host_remote_start(struct host_remote **out, const struct host_remote_start *start, struct ptowsp_error *error)
{
	struct host_remote *r = remote_make(start->name);
	ptowsp_status status = r ? PTOWSP_OK : host_fail(error, PTOWSP_NO_MEMORY, "no memory for a worker");

	*out = NULL;
	if (r) {
		r->sandbox = start->sandbox;
		r->limits = start->limits;
	}
	if (r)
		r->load_limit_ns = (start->load_timeout_ms ? start->load_timeout_ms : DEFAULT_MS) * UINT64_C(1000000);
	if (!status)
		status = process_make(r, start, error);
	if (!status)
		status = remote_watch_begin(r, error);
	if (!status) {
		remote_buffers_begin(r);
		status = remote_watch_started(r, error); /* a plugin is loaded where both processes are known */
	}
	if (!status)
		status = plugin_load(r, start, error);
	if (status)
		host_remote_stop(r);
	else
		*out = r;
	return status;
}

/* The worker leaves when it is told to, or is ended when it cannot in time. */
static void process_end(struct host_remote *r)
{
	const struct host_frame end = {.operation = HOST_FRAME_END};
	struct pollfd at = {.fd = r->pidfd, .events = POLLIN};

	pthread_mutex_lock(&r->lock);
	if (r->verdict == REMOTE_LIVES)
		r->verdict = REMOTE_STOPPED;
	if (r->watched)
		remote_alarm(r, UINT64_MAX);
	pthread_mutex_unlock(&r->lock);
	if (r->watched && !atomic_load(&r->dead)) {
		if (remote_send(r, 0, &end, sizeof(end), host_now_ns() + END_MS * UINT64_C(1000000)))
			while (poll(&at, 1, END_MS) < 0 && errno == EINTR)
				;
	}
	if (r->watched)
		remote_kill(r, REMOTE_STOPPED);
	else
		syscall(SYS_pidfd_send_signal, r->pidfd, SIGKILL, NULL, 0);
}

/* Frees what lay in replies, and what stood for functions. */
static void kept_finish(struct host_remote *r)
{
	for (unsigned i = 0; i < HOST_OPERATION_COUNT; i++)
		free(r->lent[i]);
	for (unsigned i = 0; i < HOST_STRUCT_COUNT; i++)
		free(r->extensions[i].table);
	for (struct remote_reply *reply = r->replies, *next; reply; reply = next) {
		next = reply->next;
		free(reply->bytes);
		free(reply);
	}
	for (struct remote_given *g = r->given, *next; g; g = next) {
		next = g->next;
		free(g);
	}
}

void host_remote_stop(struct host_remote *r)
{
	if (!r)
		return;
	if (r->pidfd >= 0)
		process_end(r);
	else if (r->pid > 0)
		kill(r->pid, SIGKILL);
	if (r->pid > 0 && !r->watched)
		waitpid(r->pid, NULL, 0);
	remote_watch_end(r);
	remote_joined_end(r);
	remote_buffers_finish(r);
	host_ring_finish(&r->up);
	if (r->shared)
		munmap(r->shared, sizeof(*r->shared));
	if (r->socket >= 0)
		close(r->socket);
	if (r->life >= 0)
		close(r->life);
	if (r->pidfd >= 0)
		close(r->pidfd);
	if (r->worker_fd >= 0)
		close(r->worker_fd);
	kept_finish(r);
	pthread_cond_destroy(&r->turned);
	pthread_mutex_destroy(&r->down_lock[0]);
	pthread_mutex_destroy(&r->down_lock[1]);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

void host_remote_serve(struct host_remote *r, struct host_services *services)
{
	r->services = services;
}

uint64_t host_remote_copied(const struct host_remote *r)
{
	return atomic_load(&r->copied);
}

int host_remote_pid(const struct host_remote *r)
{
	return (int)r->worker;
}
