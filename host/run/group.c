/* SPDX-License-Identifier: MIT */
#include "host/run/group.h"
#include "registry/common/common_grow.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "format/graph/graph_read.h"
#include "host/host_error.h"

#define SECOND UINT64_C(1000000000)

struct note {
	uint32_t from, to, notification;
	uint64_t cycles;
};
struct member {
	bool over;    /* its run has ended, or will never begin */
	bool waiting; /* for a notification that was not there when it looked */
	uint32_t from, notification;
	void (*moved)(void *context); /* NULL: it waits here */
	void *context;
	const struct pkg_tables *tables; /* of its package, for names; NULL once it is over */
};
struct host_group {
	pthread_mutex_t lock;
	pthread_cond_t moved; /* something was sent, or somebody left */
	struct member *members;
	struct note *notes; /* sent and not taken, oldest first */
	uint32_t count, left, note_count, note_room;
};

struct host_group *host_group_create(uint32_t members)
{
	struct host_group *group = calloc(1, sizeof(*group));
	struct member *rows = calloc(members + 1u, sizeof(*rows));
	pthread_condattr_t attr;

	if (!group || !rows || pthread_condattr_init(&attr)) {
		free(group);
		free(rows);
		return NULL;
	}
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_mutex_init(&group->lock, NULL);
	pthread_cond_init(&group->moved, &attr);
	pthread_condattr_destroy(&attr);
	group->members = rows;
	group->count = group->left = members;
	return group;
}

void host_group_watch(struct host_group *group, uint32_t member, void (*moved)(void *context), void *context)
{
	pthread_mutex_lock(&group->lock);
	group->members[member].moved = moved;
	group->members[member].context = context;
	pthread_mutex_unlock(&group->lock);
}

/* With the lock held. */
static void moved(struct host_group *group)
{
	pthread_cond_broadcast(&group->moved);
	for (uint32_t i = 0; i < group->count; i++)
		if (group->members[i].waiting && group->members[i].moved)
			group->members[i].moved(group->members[i].context);
}

uint32_t host_group_count(const struct host_group *group)
{
	return group->count;
}

static void destroy(struct host_group *group)
{
	pthread_cond_destroy(&group->moved);
	pthread_mutex_destroy(&group->lock);
	free(group->members);
	free(group->notes);
	free(group);
}

void host_group_names(struct host_group *group, uint32_t member, const struct pkg_tables *tables)
{
	group->members[member].tables = tables;
}

/* "READY", or its number where the member's package knows no such name. */
static void name_find(const struct host_group *group, uint32_t member, uint32_t notification, char *text, size_t size)
{
	const struct pkg_tables *t = group->members[member].tables;
	const struct pkg_place place = {.file = ""};
	struct pkg_graphs graphs = {0};
	struct reg_text out;

	reg_text_init(&out, text, size);
	if (t && !pkg_graphs_read(&graphs, t, &place))
		for (uint32_t i = 0; i < graphs.count && !*text; i++)
			for (uint32_t k = 0; k < graphs.rows[i].name_count && !*text; k++) {
				const struct pkg_graph_name *name = &graphs.rows[i].names[k];

				if (name->object == PTOWSP_GRAPH_NOTIFY && pkg_graph_notification(pkg_string(t, name->text)) == notification)
					reg_text_add(&out, "%s", pkg_string(t, name->text));
			}
	pkg_graphs_finish(&graphs);
	if (!*text)
		reg_text_add(&out, "%u", notification);
}

/* With the lock held. A notification from or to a member that nobody can take any more. */
static bool left_over(const struct host_group *group, uint32_t member, char *text, size_t size)
{
	const struct note *n = group->notes;
	struct reg_text out;
	char name[80];

	if (!group->note_count || group->left)
		return false;
	name_find(group, member, n->notification, name, sizeof(name));
	reg_text_init(&out, text, size);
	reg_text_add(&out, "device %u told device %u notification %s, and nobody waited for it", n->from, n->to, name);
	if (group->note_count > 1)
		reg_text_add(&out, "; %u more notification%s not waited for", group->note_count - 1, group->note_count > 2 ? "s were" : " was");
	return true;
}

bool host_group_leave(struct host_group *group, uint32_t member, char *text, size_t size)
{
	bool last, told;

	pthread_mutex_lock(&group->lock);
	group->members[member].over = true;
	group->members[member].moved = NULL;
	last = !--group->left;
	told = left_over(group, member, text, size);
	group->members[member].tables = NULL; /* its package may be closed now */
	moved(group);
	pthread_mutex_unlock(&group->lock);
	if (last)
		destroy(group);
	return told;
}

static ptowsp_status device_check(const struct host_group *group, uint32_t device, struct ptowsp_error *error)
{
	return device < group->count ? PTOWSP_OK
				     : host_fail(error, PTOWSP_INVALID, "there is no device %u in this run, it has %u; give it more with --device=SEL,SEL",
						 device, group->count);
}

ptowsp_status host_group_send(struct host_group *group, uint32_t from, uint32_t to, uint32_t notification, uint64_t cycles, struct ptowsp_error *error)
{
	ptowsp_status status = device_check(group, to, error);

	if (status)
		return status;
	pthread_mutex_lock(&group->lock);
	if (COMMON_GROW(group->notes, group->note_room, group->note_count))
		group->notes[group->note_count++] = (struct note){from, to, notification, cycles};
	else
		status = host_fail(error, PTOWSP_NO_MEMORY, "no memory for a notification");
	moved(group);
	pthread_mutex_unlock(&group->lock);
	return status;
}

/* With the lock held: its place, or note_count. */
static uint32_t find(const struct host_group *group, uint32_t member, uint32_t from, uint32_t notification)
{
	uint32_t i = 0;

	while (i < group->note_count && (group->notes[i].from != from || group->notes[i].to != member || group->notes[i].notification != notification))
		i++;
	return i;
}

/* With the lock held: nobody goes on who could send anything. */
static bool is_stuck(const struct host_group *group)
{
	for (uint32_t i = 0; i < group->count; i++) {
		const struct member *m = &group->members[i];

		if (!m->over && (!m->waiting || find(group, i, m->from, m->notification) < group->note_count))
			return false;
	}
	return true;
}

ptowsp_status host_group_take(struct host_group *group, uint32_t member, uint32_t from, uint32_t notification, uint64_t until_ns, uint64_t *cycles_out,
			      struct ptowsp_error *error)
{
	struct timespec until = {(time_t)(until_ns / SECOND), (long)(until_ns % SECOND)};
	struct member *me = &group->members[member];
	ptowsp_status status = device_check(group, from, error);
	char name[80];
	uint32_t at = 0;
	int rc = 0;

	if (status)
		return status;
	pthread_mutex_lock(&group->lock);
	if (!me->waiting || me->from != from || me->notification != notification) {
		me->waiting = true;
		me->from = from;
		me->notification = notification;
		moved(group); /* the others look whether anybody goes on */
	}
	while ((at = find(group, member, from, notification)) == group->note_count && !is_stuck(group) && !rc)
		rc = pthread_cond_timedwait(&group->moved, &group->lock, &until);
	if (at < group->note_count) {
		*cycles_out = group->notes[at].cycles;
		for (group->note_count--; at < group->note_count; at++)
			group->notes[at] = group->notes[at + 1];
		me->waiting = false;
	} else {
		status = is_stuck(group) ? PTOWSP_DEADLOCK : PTOWSP_AGAIN;
		if (status == PTOWSP_DEADLOCK) {
			name_find(group, member, notification, name, sizeof(name));
			status = host_fail(error, status, "device %u waits for notification %s of device %u, which never comes", member, name, from);
		}
	}
	pthread_mutex_unlock(&group->lock);
	return status;
}
