/* SPDX-License-Identifier: MIT */
/* remote_watch.c - the end of a worker: seen, brought about when something hangs, and told to everybody who waits. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/remote_own.h"
#include "registry/text.h"

#define TURN_NS UINT64_C(1000000)

static const char *operation_text(uint32_t operation)
{
	switch (operation) {
#define X(name, text) case HOST_FRAME_##name: return text;
	HOST_FRAME_OWN(X)
#undef X
	}
	return operation < HOST_OPERATION_COUNT ? host_operations[operation].name : "an unknown operation";
}

void remote_alarm(struct host_remote *r, uint64_t at_ns)
{
	const struct itimerspec at = {.it_value = {(time_t)(at_ns / 1000000000u), (long)(at_ns % 1000000000u)}};

	if (r->armed_ns && r->armed_ns <= at_ns)
		return;
	r->armed_ns = at_ns;
	timerfd_settime(r->timer, TFD_TIMER_ABSTIME, &at, NULL);
}

void remote_kill(struct host_remote *r, enum remote_verdict verdict)
{
	pthread_mutex_lock(&r->lock);
	if (r->verdict == REMOTE_LIVES)
		r->verdict = verdict;
	pthread_mutex_unlock(&r->lock);
	syscall(SYS_pidfd_send_signal, r->pidfd, SIGKILL, NULL, 0);
}

ptowsp_status remote_dead(const struct host_remote *r, struct ptowsp_error *error)
{
	return host_fail(error, r->end_status, "%s", r->end_text);
}

bool host_remote_ended(const struct host_remote *r)
{
	return atomic_load(&r->dead);
}

/* Its plugin raised SIGSTOP, or somebody else did: which of both is not known, but why nothing went on is. */
static void stop_look(struct host_remote *r)
{
	siginfo_t info = {0};

	if (waitid((idtype_t)P_PIDFD, (id_t)r->pidfd, &info, WSTOPPED | WNOHANG | WNOWAIT) || info.si_code != CLD_STOPPED)
		return;
	pthread_mutex_lock(&r->lock);
	r->stop_signal = info.si_status;
	pthread_mutex_unlock(&r->lock);
}

/* The timer rang: somebody is late, or somebody else's time is the next one. */
static void late_look(struct host_remote *r)
{
	const uint64_t now = host_now_ns();
	uint64_t next = UINT64_MAX, expirations;
	bool late = false;

	if (read(r->timer, &expirations, sizeof(expirations)) < 0 && errno != EAGAIN)
		return;
	pthread_mutex_lock(&r->lock);
	r->armed_ns = 0;
	for (uint32_t i = 0; i < HOST_RUNS_IN_FLIGHT; i++)
		if (r->runs[i].used && r->runs[i].kill_ns) {
			late = late || r->runs[i].kill_ns <= now;
			next = r->runs[i].kill_ns < next ? r->runs[i].kill_ns : next;
		}
	for (const struct remote_call *call = r->calls; call; call = call->next)
		if (!call->answered) {
			late = late || call->kill_ns <= now;
			next = call->kill_ns < next ? call->kill_ns : next;
		}
	if (!late && next != UINT64_MAX)
		remote_alarm(r, next);
	pthread_mutex_unlock(&r->lock);
	if (!late)
		return;
	stop_look(r);
	remote_kill(r, REMOTE_HUNG);
}

static void how_it_ended(const siginfo_t *info, char *text, size_t room)
{
	if (info->si_code == CLD_EXITED)
		snprintf(text, room, "it left with exit status %d", info->si_status);
	else
		snprintf(text, room, "signal %d (%s)", info->si_status, strsignal(info->si_status));
}

/* Signal, last operation, last lines: as much as an error record has room for. */
static void end_say(struct host_remote *r, const siginfo_t *info)
{
	const char *busy = operation_text(atomic_load(&r->shared->operation));
	char how[64], said[100] = "";
	struct reg_text text;

	how_it_ended(info, how, sizeof(how));
	pthread_mutex_lock(&r->lock);
	r->end_status = r->verdict == REMOTE_HUNG ? PTOWSP_DEADLINE : PTOWSP_DEVICE_LOST;
	if (*r->said[0])
		snprintf(said, sizeof(said), "; last lines: %.36s%s%.46s", r->said[1], *r->said[1] ? " / " : "", r->said[0]);
	reg_text_init(&text, r->end_text, sizeof(r->end_text));
	if (r->verdict == REMOTE_HUNG && r->stop_signal)
		reg_text_add(&text, "%s: its worker was stopped by signal %d (%s) and killed in %s%s", r->name, r->stop_signal, strsignal(r->stop_signal), busy, said);
	else if (r->verdict == REMOTE_HUNG)
		reg_text_add(&text, "%s did not end in time and its worker was killed in %s%s", r->name, busy, said);
	else if (r->verdict == REMOTE_FORGED)
		reg_text_add(&text, "%s: its worker sent what no worker sends, and was killed in %s%s", r->name, busy, said);
	else
		reg_text_add(&text, "%s: its worker ended in %s: %s%s", r->name, busy, how, said);
	pthread_mutex_unlock(&r->lock);
}

/* From here on nobody else reads the ring. What the worker said before it ended is heard. */
static void bury(struct host_remote *r, const siginfo_t *info)
{
	pthread_mutex_lock(&r->lock);
	while (r->pumping) {
		const uint64_t until = host_now_ns() + TURN_NS;
		const struct timespec at = {(time_t)(until / 1000000000u), (long)(until % 1000000000u)};

		host_ring_wake(&r->shared->up);
		pthread_cond_timedwait(&r->turned, &r->lock, &at);
	}
	r->pumping = true;
	pthread_mutex_unlock(&r->lock);
	remote_read(r);
	end_say(r, info);
	remote_runs_fail(r);
	pthread_mutex_lock(&r->lock);
	r->pumping = false;
	r->buried = true;
	r->dones++;
	pthread_cond_broadcast(&r->turned);
	pthread_mutex_unlock(&r->lock);
}

static void *watch(void *context)
{
	struct host_remote *r = context;
	struct pollfd at[2] = {{.fd = r->pidfd, .events = POLLIN}, {.fd = r->timer, .events = POLLIN}};
	siginfo_t info = {0};

	for (;;) {
		if (poll(at, 2, -1) < 0 && errno != EINTR)
			break;
		if (at[0].revents)
			break;
		if (at[1].revents)
			late_look(r);
	}
	kill(-r->pid, SIGKILL); /* what its plugin has started and not taken out of its group; the number is its own until it is waited for */
	while (waitid((idtype_t)P_PIDFD, (id_t)r->pidfd, &info, WEXITED) < 0 && errno == EINTR)
		;
	atomic_store(&r->dead, 1);
	atomic_store(&r->attention, 1);
	bury(r, &info);
	return NULL;
}

int remote_thread(pthread_t *thread_out, void *(*run)(void *context), struct host_remote *r)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(thread_out, NULL, run, r);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc;
}

ptowsp_status remote_watch_begin(struct host_remote *r, struct ptowsp_error *error)
{
	r->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (r->timer < 0 || remote_thread(&r->watcher, watch, r))
		return host_fail(error, PTOWSP_NO_MEMORY, "%s: no thread or timer to watch its worker", r->name);
	r->watched = true;
	return PTOWSP_OK;
}

void remote_watch_end(struct host_remote *r)
{
	if (r->watched)
		pthread_join(r->watcher, NULL);
	if (r->timer >= 0)
		close(r->timer);
}
