/* SPDX-License-Identifier: MIT */
/* runs.c - tokens of runs in flight. */
#include "host/run/runs.h"

#include <time.h>

#define SECOND UINT64_C(1000000000)

uint64_t host_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

ptowsp_status host_runs_init(struct host_runs *runs, uint32_t minor)
{
	pthread_condattr_t attr;

	*runs = (struct host_runs){.lock = PTHREAD_MUTEX_INITIALIZER, .minor = minor};
	if (pthread_condattr_init(&attr))
		return PTOWSP_NO_MEMORY;
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	if (pthread_cond_init(&runs->ended, &attr)) {
		pthread_condattr_destroy(&attr);
		return PTOWSP_NO_MEMORY;
	}
	pthread_condattr_destroy(&attr);
	return PTOWSP_OK;
}

void host_runs_finish(struct host_runs *runs)
{
	pthread_cond_destroy(&runs->ended);
	pthread_mutex_destroy(&runs->lock);
}

ptowsp_status host_runs_begin(struct host_runs *runs, struct host_run *run)
{
	ptowsp_status status = PTOWSP_AGAIN;

	pthread_mutex_lock(&runs->lock);
	for (uint32_t i = 0; i < HOST_RUNS_IN_FLIGHT && status; i++) {
		if (runs->slots[i].run)
			continue;
		runs->slots[i].run = run;
		runs->slots[i].generation++;
		host_report_finish(&run->report);
		run->token = (uint64_t)runs->slots[i].generation << 32 | i;
		run->begin_ns = host_now_ns();
		run->end_ns = 0;
		run->in_flight = true;
		status = PTOWSP_OK;
	}
	pthread_mutex_unlock(&runs->lock);
	return status;
}

/* With the lock held: frees the slot of a token that is in flight, gives its run, else NULL. */
static struct host_run *take(struct host_runs *runs, uint64_t token)
{
	uint32_t slot = (uint32_t)token;
	struct host_run *run;

	if (slot >= HOST_RUNS_IN_FLIGHT || runs->slots[slot].generation != token >> 32)
		return NULL;
	run = runs->slots[slot].run;
	runs->slots[slot].run = NULL;
	return run;
}

void host_runs_abandon(struct host_runs *runs, struct host_run *run)
{
	struct host_group *group;
	char unsaid[HOST_RUNS_TEXT];

	pthread_mutex_lock(&runs->lock);
	take(runs, run->token);
	run->in_flight = false;
	run->end_ns = host_now_ns();
	group = run->group;
	run->group = NULL;
	pthread_mutex_unlock(&runs->lock);
	if (group)
		host_group_leave(group, run->member, unsaid, sizeof(unsaid)); /* the refusal is what the caller hears */
}

bool host_runs_complete(struct host_runs *runs, const struct ptowsp_done *done)
{
	struct host_run *run;

	pthread_mutex_lock(&runs->lock);
	run = take(runs, done->token);
	if (run) {
		host_report_fill(&run->report, done, runs->minor);
		host_fences_end(&run->signals, run->report.status, run->report.error.text);
		host_fence_points_free(&run->waits);
		host_fence_points_free(&run->signals);
		run->end_ns = host_now_ns();
		run->in_flight = false;
		pthread_cond_broadcast(&runs->ended);
	}
	pthread_mutex_unlock(&runs->lock);
	return run != NULL;
}

struct host_group *host_runs_group(struct host_runs *runs, uint64_t token, uint32_t *member_out)
{
	uint32_t slot = (uint32_t)token;
	struct host_group *group = NULL;

	*member_out = 0;
	pthread_mutex_lock(&runs->lock);
	if (slot < HOST_RUNS_IN_FLIGHT && runs->slots[slot].run && runs->slots[slot].generation == token >> 32) {
		group = runs->slots[slot].run->group;
		*member_out = runs->slots[slot].run->member;
	}
	pthread_mutex_unlock(&runs->lock);
	return group;
}

bool host_runs_leave(struct host_runs *runs, uint64_t token, char text[HOST_RUNS_TEXT])
{
	uint32_t slot = (uint32_t)token, member = 0;
	struct host_group *group = NULL;

	pthread_mutex_lock(&runs->lock);
	if (slot < HOST_RUNS_IN_FLIGHT && runs->slots[slot].run && runs->slots[slot].generation == token >> 32) {
		group = runs->slots[slot].run->group;
		member = runs->slots[slot].run->member;
		runs->slots[slot].run->group = NULL;
	}
	pthread_mutex_unlock(&runs->lock);
	return group && host_group_leave(group, member, text, HOST_RUNS_TEXT);
}

bool host_runs_is_complete(struct host_runs *runs, const struct host_run *run)
{
	bool complete;

	pthread_mutex_lock(&runs->lock);
	complete = !run->in_flight;
	pthread_mutex_unlock(&runs->lock);
	return complete;
}

bool host_runs_wait(struct host_runs *runs, const struct host_run *run, uint64_t until_ns)
{
	struct timespec until = {(time_t)(until_ns / SECOND), (long)(until_ns % SECOND)};
	bool complete;
	int rc = 0;

	pthread_mutex_lock(&runs->lock);
	while (run->in_flight && !rc)
		rc = pthread_cond_timedwait(&runs->ended, &runs->lock, &until);
	complete = !run->in_flight;
	pthread_mutex_unlock(&runs->lock);
	return complete;
}

bool host_runs_any(struct host_runs *runs)
{
	bool any = false;

	pthread_mutex_lock(&runs->lock);
	for (uint32_t i = 0; i < HOST_RUNS_IN_FLIGHT && !any; i++)
		any = runs->slots[i].run != NULL;
	pthread_mutex_unlock(&runs->lock);
	return any;
}

void host_runs_pause(struct host_runs *runs, uint64_t until_ns)
{
	struct timespec until = {(time_t)(until_ns / SECOND), (long)(until_ns % SECOND)};

	pthread_mutex_lock(&runs->lock);
	pthread_cond_timedwait(&runs->ended, &runs->lock, &until);
	pthread_mutex_unlock(&runs->lock);
}
