/* SPDX-License-Identifier: MIT */
/* remote_watch.c - the end of a worker: seen, brought about when something hangs, and told to everybody who waits. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/worker/remote_own.h"
#include "registry/text.h"

#define TURN_NS  UINT64_C(1000000)
#define LITTLE   (UINT64_C(64) << 20) /* memory of a sandbox in which a worker, or a plugin, may not even begin, without being able to say so */
#define STILL_NS UINT64_C(1000000000) /* a process stopped so long does not go on by itself */
#define LOOK_NS  UINT64_C(250000000)  /* between two looks at a keeper while somebody waits: nobody tells that it was stopped */
#define FORCE_NS UINT64_C(5000000000) /* a keeper's time to end its worker; it needs two seconds at the most, unless it is stopped itself */

static const char *operation_text(uint32_t operation)
{
	switch (operation) {
#define X(name, text)                                                                                                                                          \
	case HOST_FRAME_##name: return text;
		HOST_FRAME_OWN(X)
#undef X
	}
	return operation < HOST_OPERATION_COUNT ? host_operations[operation].name : "an unknown operation";
}

void remote_alarm(struct host_remote *r, uint64_t at_ns)
{
	const uint64_t look_ns = host_now_ns() + LOOK_NS, next = at_ns < look_ns ? at_ns : look_ns;
	const struct itimerspec at = {.it_value = {(time_t)(next / 1000000000u), (long)(next % 1000000000u)}};

	if (r->armed_ns && r->armed_ns <= next)
		return;
	r->armed_ns = next;
	timerfd_settime(r->timer, TFD_TIMER_ABSTIME, &at, NULL);
}

void remote_kill(struct host_remote *r, enum remote_verdict verdict)
{
	pthread_mutex_lock(&r->lock);
	if (r->verdict == REMOTE_LIVES)
		r->verdict = verdict;
	if (!r->force_ns) {
		r->force_ns = host_now_ns() + FORCE_NS;
		remote_alarm(r, r->force_ns);
	}
	pthread_mutex_unlock(&r->lock);
	shutdown(r->life, SHUT_WR);
}

ptowsp_status remote_dead(const struct host_remote *r, struct ptowsp_error *error)
{
	return host_fail(error, r->end_status, "%s", r->end_text);
}

bool host_remote_ended(const struct host_remote *r)
{
	return atomic_load(&r->dead);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The earliest time by which an operation of the worker has to be over goes to *next_out, that of a run without grace_ns of it; true: that time has come at `now`. With the lock
 * held. */
static bool late_find(const struct host_remote *r, uint64_t now, uint64_t grace_ns, uint64_t *next_out)
{
	uint64_t next = UINT64_MAX;

	for (uint32_t i = 0; i < HOST_RUNS_IN_FLIGHT; i++)
		if (r->runs[i].used && r->runs[i].kill_ns)
			next = earlier(r->runs[i].kill_ns - grace_ns, next);
	for (const struct remote_call *call = r->calls; call; call = call->next)
		if (!call->answered)
			next = earlier(call->kill_ns, next);
	*next_out = next;
	return next <= now;
}

/* The plugin raised SIGSTOP, or another process did: the sender is unknown, but the reason why nothing goes on is known. An operation that has to be over meanwhile is late all
 * the same. */
static bool still_look(const struct host_remote *r, uint64_t now, uint64_t *next)
{
	if (r->stop_ns)
		*next = r->stop_ns < *next ? r->stop_ns : *next;
	return (r->stop_ns && r->stop_ns <= now) || (r->keeper_stop_ns && r->keeper_stop_ns <= now);
}

/* The keeper is this process's child, and its stop is left for whoever else waits for that. With the lock held. */
static void keeper_look(struct host_remote *r, uint64_t now)
{
	siginfo_t info = {0};

	if (waitid((idtype_t)P_PIDFD, (id_t)r->pidfd, &info, WSTOPPED | WEXITED | WNOHANG | WNOWAIT))
		return;
	if (info.si_pid && info.si_code == CLD_STOPPED && !r->keeper_signal) {
		r->keeper_signal = info.si_status;
		r->keeper_stop_ns = now + STILL_NS;
	} else if (!info.si_pid) {
		r->keeper_signal = 0;
		r->keeper_stop_ns = 0;
	}
}

/* Somebody waits for what its keeper or its worker does. With the lock held. */
static bool is_waited_for(const struct host_remote *r)
{
	for (uint32_t i = 0; i < HOST_RUNS_IN_FLIGHT; i++)
		if (r->runs[i].used)
			return true;
	return r->calls || !r->worker || r->verdict != REMOTE_LIVES;
}

/* The timer rang: somebody is late, or somebody else's time is the next one. */
static void late_look(struct host_remote *r)
{
	const uint64_t now = host_now_ns();
	uint64_t next = UINT64_MAX, expirations, later;
	bool late, still, forced;

	if (read(r->timer, &expirations, sizeof(expirations)) < 0 && errno != EAGAIN)
		return;
	pthread_mutex_lock(&r->lock);
	r->armed_ns = 0;
	keeper_look(r, now);
	late = late_find(r, now, 0, &next);
	still = still_look(r, now, &next) && r->verdict == REMOTE_LIVES;
	late = late || (still && late_find(r, now, HOST_REMOTE_GRACE_NS, &later));
	forced = (r->force_ns && r->force_ns <= now) || (r->keeper_stop_ns && r->keeper_stop_ns <= now); /* stopped keepers end nobody */
	if (r->force_ns)
		next = r->force_ns;
	if (!forced && (r->force_ns || (!late && !still)) && (next != UINT64_MAX || is_waited_for(r)))
		remote_alarm(r, next);
	pthread_mutex_unlock(&r->lock);
	if (late || still)
		remote_kill(r, late ? REMOTE_HUNG : REMOTE_STILL);
	if (forced)
		syscall(SYS_pidfd_send_signal, r->pidfd, SIGKILL, NULL, 0);
}

/* ---- what its keeper says --------------------------------------------------------------------------------------- */

/* Words of the keeper are taken with the lock held. */
static void word_take(struct host_remote *r, const struct host_frame_word *word)
{
	switch (word->kind) {
	case HOST_WORD_STARTED:
		r->worker = word->value;
		r->worker_fd = r->worker_fd < 0 ? (int)syscall(SYS_pidfd_open, r->worker, 0) : r->worker_fd;
		break;
	case HOST_WORD_STOPPED:
		r->stop_signal = word->value;
		r->stop_ns = host_now_ns() + STILL_NS;
		remote_alarm(r, r->stop_ns);
		break;
	case HOST_WORD_CONTINUED:
		r->stop_signal = 0;
		r->stop_ns = 0;
		break;
	case HOST_WORD_ENDED: r->end = *word; break;
	}
}

static bool words_take(struct host_remote *r)
{
	struct host_frame_word word;
	ssize_t n;

	while ((n = recv(r->life, &word, sizeof(word), MSG_DONTWAIT)) == (ssize_t)sizeof(word)) {
		pthread_mutex_lock(&r->lock);
		word_take(r, &word);
		pthread_cond_broadcast(&r->turned);
		pthread_mutex_unlock(&r->lock);
	}
	return n < 0; /* else there is nobody, and its end comes */
}

ptowsp_status remote_watch_started(struct host_remote *r, struct ptowsp_error *error)
{
	bool started;

	pthread_mutex_lock(&r->lock);
	remote_alarm(r, UINT64_MAX);
	while (!r->worker && !r->reaped)
		pthread_cond_wait(&r->turned, &r->lock);
	started = r->worker != 0;
	pthread_mutex_unlock(&r->lock);
	return started ? PTOWSP_OK : remote_dead(r, error);
}

/* ---- its end ---------------------------------------------------------------------------------------------------- */

static void how_it_ended(const struct host_frame_word *end, char *text, size_t room)
{
	if (end->how == CLD_EXITED)
		snprintf(text, room, "it left with exit status %d", end->value);
	else
		snprintf(text, room, "signal %d (%s)", end->value, strsignal(end->value));
}

/* Signal, last operation, last lines: as much as an error record has room for. */
static void end_say(struct host_remote *r)
{
	const char *busy = operation_text(atomic_load(&r->shared->operation));
	char how[64], limit[100], said[100] = "";
	struct reg_text text;

	how_it_ended(&r->end, how, sizeof(how));
	host_limits_text(&r->limits, r->end.limit, limit, sizeof(limit));
	pthread_mutex_lock(&r->lock);
	r->end_status = r->verdict == REMOTE_HUNG && !r->end.limit ? PTOWSP_DEADLINE : PTOWSP_DEVICE_LOST;
	if (*r->said[0])
		snprintf(said, sizeof(said), "; last lines: %.36s%s%.46s", r->said[1], *r->said[1] ? " / " : "", r->said[0]);
	reg_text_init(&text, r->end_text, sizeof(r->end_text));
	if (*limit)
		reg_text_add(&text, "%s: %s and was ended in %s%s", r->name, limit, busy, said);
	else if (r->keeper_signal && (r->verdict == REMOTE_STILL || r->verdict == REMOTE_HUNG))
		reg_text_add(&text, "%s: the keeper of its worker was stopped by signal %d (%s) and both were killed in %s%s", r->name, r->keeper_signal,
			     strsignal(r->keeper_signal), busy, said);
	else if (r->verdict == REMOTE_STILL || (r->verdict == REMOTE_HUNG && r->stop_signal))
		reg_text_add(&text, "%s: its worker was stopped by signal %d (%s) and killed in %s%s", r->name, r->stop_signal, strsignal(r->stop_signal), busy,
			     said);
	else if (r->verdict == REMOTE_HUNG)
		reg_text_add(&text, "%s did not end in time and its worker was killed in %s%s", r->name, busy, said);
	else if (r->verdict == REMOTE_FORGED)
		reg_text_add(&text, "%s: its worker sent what no worker sends, and was killed in %s%s", r->name, busy, said);
	else
		reg_text_add(&text, "%s: its worker ended in %s: %s%s", r->name, busy, how, said);
	if (!*limit && r->verdict == REMOTE_LIVES && r->sandbox && r->limits.memory < LITTLE)
		host_limits_hint(&r->limits, r->end_text, sizeof(r->end_text));
	pthread_mutex_unlock(&r->lock);
}

/* From here on nobody else reads the ring. Words of the worker before its end are heard. */
static void bury(struct host_remote *r)
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
	end_say(r);
	remote_runs_fail(r);
	pthread_mutex_lock(&r->lock);
	r->pumping = false;
	r->reaped = true;
	r->completions++;
	pthread_cond_broadcast(&r->turned);
	pthread_mutex_unlock(&r->lock);
}

/* A keeper that was killed has said nothing: then its worker has the same signal from the kernel, unless its plugin has taken that back, and all that is left has it from here. */
static void keeper_end(struct host_remote *r)
{
	siginfo_t info = {0};

	words_take(r);
	while (waitid((idtype_t)P_PIDFD, (id_t)r->pidfd, &info, WEXITED) < 0 && errno == EINTR)
		;
	if (r->end.kind)
		return;
	remote_left_end(r);
	r->end = (struct host_frame_word){.kind = HOST_WORD_ENDED, .value = info.si_status, .how = info.si_code};
}

static void *watch(void *context)
{
	struct host_remote *r = context;
	struct pollfd at[3] = {{.fd = r->pidfd, .events = POLLIN}, {.fd = r->timer, .events = POLLIN}, {.fd = r->life, .events = POLLIN}};

	for (;;) {
		if (poll(at, 3, -1) < 0 && errno != EINTR)
			break;
		if (at[0].revents)
			break;
		if (at[1].revents)
			late_look(r);
		if (at[2].revents && !words_take(r))
			at[2].fd = -1;
	}
	keeper_end(r);
	atomic_store(&r->dead, 1);
	atomic_store(&r->attention, 1);
	bury(r);
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
