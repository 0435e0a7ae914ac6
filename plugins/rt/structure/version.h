/* SPDX-License-Identifier: MIT */
/* version.h - versions of the keys of renamed tensors: which a task makes, which it uses, when they are given back.
 *
 * A task that writes a key without reading it makes a new version, which begins as zeros. The version before it is given back when all tasks before that
 * one have left; that of a scope, when the last task of the scope has. A key without a version shows the memory of the tensor itself.
 * Counts here are structure: arena.h says what could have come back, the clock when it does, version_memory.h where the bytes are. One thread. */
#ifndef RT_VERSION_H
#define RT_VERSION_H

#include "rt/access/access.h"
#include "rt/program/rt_program.h"
#include "rt/structure/flow.h"
#include "rt/structure/version_memory.h"

/* A version that has not been given back. */
struct rt_version {
	uint64_t name; /* tensor << RT_PLACE_BITS | first element of its key */
	uint64_t bytes;
	uint64_t users;        /* its latest task + 1 */
	char *block;           /* NULL where no kernels run */
	uint32_t next;         /* of its bucket, or the next free one */
	uint32_t scope;        /* list it is in, RT_NO_VERSION without one */
	uint32_t older, newer; /* in that list */
};
#define RT_NO_VERSION UINT32_MAX

/* The open scopes of a workload, or of one process instance. */
struct rt_version_scopes {
	uint32_t newest[PTOWSP_NESTING_LIMIT + 1]; /* per open scope: its newest version */
	uint32_t depth;
	uint64_t tasks; /* latest task of the workload or instance + 1 */
};
/* A version that the task being issued makes. */
struct rt_making {
	uint64_t name, bytes;
	uint32_t old; /* the one that it replaces, RT_NO_VERSION: none */
};
struct rt_versions {
	bool on;          /* the program has renamed tensors */
	uint8_t *renamed; /* per TENS row, in this run */
	uint64_t *ended;  /* per TENS row: how many tasks there were when a scope last gave back a version of it */
	struct rt_version *rows;
	uint32_t *buckets; /* first row of each */
	uint32_t count, room, spare, mask;
	struct rt_version_scopes *scopes; /* the workload's, then one per process instance */
	uint32_t scope_count;
	struct rt_making *making; /* of the task being issued */
	uint32_t making_count;
	uint64_t need, replaced; /* its bytes; bytes that come back when the tasks before it have left */
	struct rt_store store;
};

static inline uint64_t rt_version_name(const struct rt_access *access)
{
	return (uint64_t)access->io->tensor << RT_PLACE_BITS | (uint64_t)access->start;
}
static inline uint32_t rt_version_tensor(const struct rt_version *version)
{
	return (uint32_t)(version->name >> RT_PLACE_BITS);
}
/* Row of the version of that name, or RT_NO_VERSION. */
uint32_t rt_version_find(const struct rt_versions *versions, uint64_t name);

struct rt_run;
struct rt_plan;
ptowsp_status rt_versions_init(struct rt_run *run);
void rt_versions_finish(struct rt_run *run);
/* Versions that the task being issued would make; nothing changes. Errors: RUN_FAILED for a key off the lattice of all proved ones. */
ptowsp_status rt_versions_look(struct rt_run *run, const struct rt_site *site);
/* Does every task of the instruction make a version through this access, whatever its key? It does where no other access is of the tensor. */
bool rt_versions_begins(const struct rt_run *run, const struct rt_site *site, const struct rt_io *io);
/* A plan says of all its tasks which versions they make. */
bool rt_versions_planned(const struct rt_run *run, const struct rt_site *site);
/* rt_versions_look of the task at which the expander stands, by its plan, which is planned. */
void rt_versions_name(struct rt_run *run, const struct rt_plan *plan);
/* Does it make the version of this key? */
bool rt_versions_makes(const struct rt_run *run, uint32_t tensor, int64_t start);
/* After a look: is there, or will there be, room? held_from: the first task that an open scope keeps from leaving. TOO_SMALL, or AGAIN where nothing gives back
 * what is needed: *block_out says why. */
ptowsp_status rt_versions_room(struct rt_run *run, uint64_t held_from, struct rt_block *block_out);
/* Takes the bytes and gives the old versions back. owner: 0 the workload, else instance + 1. told: the clock hears of it. Errors: NO_MEMORY, the clock's. */
ptowsp_status rt_versions_take(struct rt_run *run, uint32_t owner, bool told);
/* version_memory.c: where kernels run, memory for what it makes, and all windows into versions, in run's accesses. Waits for tasks where it must. */
ptowsp_status rt_versions_place(struct rt_run *run, const struct rt_site *site);
/* Then: versions that the task of the plan makes begin as zeros, in its windows, which are there. */
void rt_versions_clear(const struct rt_run *run, const struct rt_plan *plan);
/* The versions of the innermost scope are given back when it ends. */
ptowsp_status rt_versions_scope_begin(struct rt_run *run, uint32_t owner);
ptowsp_status rt_versions_scope_end(struct rt_run *run, uint32_t owner, bool told);
/* So many instances begin. False when out of memory. */
bool rt_versions_instances(struct rt_run *run, uint32_t instances);

#endif
