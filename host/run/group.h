/* SPDX-License-Identifier: MIT */
/* group.h - runs that are one run on several devices: notifications between them, and whether they all wait for each other. */
#ifndef HOST_GROUP_H
#define HOST_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptowsp/base.h"

/* Lives from ptowsp_programs_join until every member has left. Any thread; its lock is taken inside of no other. */
struct host_group;
/* members: at least 1, each of whom leaves once. NULL without memory. */
struct host_group *host_group_create(uint32_t members);
/* Tells where the names of its notifications are; before any of its calls, and there until it leaves. */
struct pkg_tables;
void host_group_names(struct host_group *group, uint32_t member, const struct pkg_tables *tables);
/* A member's run is over, or never began. The last one to leave destroys the group; true: and text says what was sent that nobody waited for. */
bool host_group_leave(struct host_group *group, uint32_t member, char *text, size_t size);
/* Something may have moved for this member, whose waiting is done elsewhere: it looks again with host_group_take and no time. Called under the group's lock, so it may wake somebody and nothing else; until
 * the member leaves. */
void host_group_watch(struct host_group *group, uint32_t member, void (*moved)(void *context), void *context);
uint32_t host_group_count(const struct host_group *group);
/* Member `from` tells member `to`. Errors: INVALID for a device that the run does not have, NO_MEMORY. */
ptowsp_status host_group_send(struct host_group *group, uint32_t from, uint32_t to, uint32_t notification, uint64_t cycles, struct ptowsp_error *error);
/* Takes the oldest such notification of `from` to `member`. AGAIN at until_ns on host_now_ns. DEADLOCK: nobody is left who could send it. */
ptowsp_status host_group_take(struct host_group *group, uint32_t member, uint32_t from, uint32_t notification, uint64_t until_ns, uint64_t *cycles_out,
			      struct ptowsp_error *error);

#endif
