/* SPDX-License-Identifier: MIT */
#include "tests/model/slow_wait.h"

#include "tests/model/slow_ready.h"
#include <stdlib.h>

static bool within(const struct slow_program *p, int task, int iteration)
{
	int at = slow_task(p, task)->iteration;

	while (at != SLOW_NONE && at != iteration)
		at = p->iterations[at].outer;
	return at != SLOW_NONE;
}

/* The walk has come behind it, and all its tasks have ended. */
static bool iteration_over(const struct slow *s, int iteration)
{
	if (!s->walked[s->p->iterations[iteration].end])
		return false;
	for (int i = 0; i < s->p->task_count; i++)
		if (s->rows[i].stage != SLOW_ENDED && within(s->p, i, iteration))
			return false;
	return true;
}

static void wait_add(struct slow *s, int task, enum slow_cause cause, int what)
{
	if (s->wait_count == s->wait_room) {
		int room = 2 * s->wait_room + 1024;
		struct slow_wait *more = realloc(s->waits, (size_t)room * sizeof(*more));

		s->no_memory |= !more;
		if (!more)
			return;
		s->waits = more;
		s->wait_room = room;
	}
	s->waits[s->wait_count++] = (struct slow_wait){.task = task, .cause = cause, .what = what};
	s->rows[task].waits++;
}

/* The latest earlier iteration, of the innermost construct that has one with tasks. */
static void iteration_await(struct slow *s, int task)
{
	for (int at = slow_task(s->p, task)->iteration; at != SLOW_NONE; at = s->p->iterations[at].outer)
		for (int before = s->p->iterations[at].before; before != SLOW_NONE; before = s->p->iterations[before].before)
			if (s->p->iterations[before].tasks) {
				if (!iteration_over(s, before))
					wait_add(s, task, SLOW_FOR_ITERATION, before);
				return;
			}
}

static uint64_t stream_of(const struct slow *s, int task)
{
	uint64_t stream = slow_task(s->p, task)->rt.stream;

	return s->config->streams ? stream % s->config->streams : stream;
}

static void task_await(struct slow *s, int task, int other)
{
	if (s->rows[other].stage != SLOW_ENDED)
		wait_add(s, task, SLOW_FOR_TASK, other);
}

static void stream_await(struct slow *s, int task)
{
	for (int i = task - 1; i >= 0 && s->p->limits.streams; i--)
		if (stream_of(s, i) == stream_of(s, task)) {
			task_await(s, task, i);
			return;
		}
}

void slow_wait_begin(struct slow *s, int task)
{
	const struct slow_item *item = slow_task(s->p, task);

	for (uint32_t k = 0; k < item->rt.count; k++) {
		int pred = (int)item->rt.list[k];

		s->m->crossing += s->rows[pred].owner != s->rows[task].owner;
		task_await(s, task, pred);
	}
	stream_await(s, task);
	iteration_await(s, task);
	if (item->barrier > (uint64_t)s->ended)
		wait_add(s, task, SLOW_FOR_BARRIER, (int)item->barrier);
}

static void notice_send(struct slow *s, int to)
{
	struct slow_instance *other = &s->instances[to];

	s->notice_ids++;
	if (other->notice_count == other->notice_room) {
		int room = 2 * other->notice_room + 64;
		struct slow_notice *more = realloc(other->notices, (size_t)room * sizeof(*more));

		s->no_memory |= !more;
		if (!more)
			return;
		other->notices = more;
		other->notice_room = room;
	}
	other->notices[other->notice_count++] = (struct slow_notice){s->notice_ids, s->now + s->cost->notice};
}

static bool tell_one(struct slow *s, enum slow_cause cause, int what, int to, bool at_once)
{
	bool some = false;

	for (int w = 0; w < s->wait_count; w++) {
		struct slow_wait *wait = &s->waits[w];

		if (wait->over || wait->notice || wait->cause != cause || wait->what != what || s->rows[wait->task].owner != to)
			continue;
		some = true;
		if (at_once) {
			wait->over = true;
			slow_ready_count(s, wait->task);
		} else {
			wait->notice = s->notice_ids + 1;
		}
	}
	return some;
}

int slow_wait_tell(struct slow *s, enum slow_cause cause, int what, int instance)
{
	int told = 0;

	for (int to = 0; to < s->m->instances; to++)
		if (tell_one(s, cause, what, to, to == instance) && to != instance) {
			notice_send(s, to);
			told++;
		}
	s->m->notifications += (uint64_t)told;
	return told;
}

void slow_wait_hear(struct slow *s, int notice)
{
	for (int w = 0; w < s->wait_count; w++)
		if (s->waits[w].notice == notice && !s->waits[w].over) {
			s->waits[w].over = true;
			slow_ready_count(s, s->waits[w].task);
		}
}

int slow_wait_iterations(struct slow *s, int task, int instance)
{
	int told = 0;

	for (int at = slow_task(s->p, task)->iteration; at != SLOW_NONE && iteration_over(s, at); at = s->p->iterations[at].outer)
		told += slow_wait_tell(s, SLOW_FOR_ITERATION, at, instance);
	return told;
}
