/* SPDX-License-Identifier: MIT */
/* use.h - what a task does to one key of a tensor map. Accesses that can make no edge have none; a read and a write of the same key are one. */
#ifndef RT_USE_H
#define RT_USE_H

#include "ptowsp/task.h"
#include "rt/access/lattice.h"

/* How a use finds its cell: by name; by a name that has to be asked for; overlap: through the intervals of its tensor;
 * VERSION: by name too, a key of a renamed tensor that is written only, which may begin anew, as the task's other accesses say. */
enum { RT_USE_NAMED, RT_USE_INTERNED, RT_USE_PIECES, RT_USE_VERSION };

/* While the innermost loop goes on, the name moves on by a constant. */
struct rt_use {
	uint64_t name;
	uint64_t origin;             /* of a plan: the name where the loop is 0; */
	uint64_t step;               /*   per 1 of it, 0 where it moves otherwise; both wrap */
	const struct rt_form *start; /* of a plan: where the access starts; */
	uint64_t base;               /*   its name is that much more, */
	bool sure;                   /*   whatever the task, while its tensor is not accessed as intervals */
	bool asked;                  /* whether it is sure has been found */
	bool anew;                   /* each task begins a version: it writes a renamed tensor, and no other access of it is of that tensor */
	uint16_t argument;           /* of the tensor arguments, the first that the use stands for */
	uint8_t access;              /* PTOWSP_READ | PTOWSP_WRITE */
	uint8_t way;                 /* RT_USE_x */
	uint32_t tensor;
};

/* By its name, as things are. lattices: NULL without. */
static inline bool rt_use_named(const struct rt_use *use, const struct rt_lattice *lattices)
{
	return use->way == RT_USE_NAMED && !(lattices && lattices[use->tensor].pieces);
}

struct rt_run;
struct rt_io;
/* How the access can make an edge: not by reads of what nobody writes, and with raw hazards not by writes of what nobody reads. */
unsigned rt_use_bits(const struct rt_run *run, const struct rt_io *io);
/* The task begins a version of its key, which comes behind nobody. After rt_versions_look where that depends on the task. */
bool rt_use_begins(const struct rt_run *run, const struct rt_use *use);
struct rt_site;
struct rt_access;
struct rt_io;
struct rt_plan_io;
/* How far a loop goes on: its value moves by multiples of stride, `left` at most. */
struct rt_way {
	uint64_t stride;
	int64_t left;
};
/* Uses of a task whose accesses are there; uses_out has room for two per access. Returns how many; placed for this task alone. */
uint32_t rt_uses_make(struct rt_run *run, const struct rt_site *site, const struct rt_access *accesses, struct rt_use *uses_out);
/* Names, and ways that hold for all of `way`. ios: how the accesses move; NULL, with a way of 0, 0: they do not. */
void rt_uses_place(struct rt_run *run, struct rt_use *uses, uint32_t count, const struct rt_access *accesses, const struct rt_plan_io *ios, struct rt_way way);
/* Distance of names per 1 of the innermost loop. */
uint64_t rt_use_step(const struct rt_run *run, const struct rt_io *io, const struct rt_plan_io *plan);
/* RT_USE_INTERNED: the name of the access's key. RT_NO_NAME when out of memory. */
uint64_t rt_use_name(struct rt_run *run, const struct rt_access *access);

#endif
