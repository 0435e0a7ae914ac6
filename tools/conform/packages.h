/* SPDX-License-Identifier: MIT */
/* packages.h - what tests load: the empty program, which is made here, and packages of the probes. */
#ifndef TOOLS_CONFORM_PACKAGES_H
#define TOOLS_CONFORM_PACKAGES_H

#include "host/plan/host_plan.h"
#include "tools/conform/conform.h"

enum { PROGRAM_TENSORS = 64, PROGRAM_SECTIONS = 64, PROGRAM_ELEMENTS = 1024 };

/* An entry of a package, as load and submit take it. */
struct conform_program {
	char name[64];            /* "tasks:nest" */
	struct ptowsp_plan *plan; /* NULL: not there */
	struct ptowsp_section sections[PROGRAM_SECTIONS];
	uint32_t section_count;
	struct ptowsp_load_args load;
	struct ptowsp_binding bindings[PROGRAM_TENSORS];
	uint32_t binding_count;
	uint64_t *values; /* one per row of SLOT */
	uint32_t value_count;
	uint64_t *memory; /* of all tensors */
	size_t memory_bytes;
	struct ptowsp_object *object;  /* loaded, else NULL */
	struct host_findings findings; /* functions that it found while it was loaded; gone with it */
};

/* The smallest package: an entry that ends at once. */
void conform_smallest(struct conform *c, struct conform_program *program_out);
/* An entry of a package of the probes, "tasks:nest". false: the folder or the package is not there. */
bool conform_program_find(struct conform *c, struct conform_program *program_out, const char *name);
/* Does the plugin take it, by its capability rows? Between begin and end: by the host's own matching, on a backend of its own, one instance more of the same plugin where
 * plugins of its kind run, so that what crashes or stays there is not taken for the test's. */
void conform_match_begin(struct conform *c);
bool conform_program_fits(struct conform *c, const struct conform_program *program);
void conform_match_end(struct conform *c);
/* The first of these names, NULL behind the last, that is there and that the plugin takes; else the smallest. */
void conform_program_choose(struct conform *c, struct conform_program *program_out, const char *const *names);
/* Short programs with several tasks, for it: what most tests run. */
extern const char *const conform_short_programs[];
/* How most tests begin: one of these, a device with that many workers, load. */
void conform_begin(struct conform *c, struct conform_program *program_out, uint32_t threads);
/* Name of entry `index` of all packages of the probes; false behind the last. */
bool conform_program_at(struct conform *c, uint32_t index, char name_out[64]);

/* load on a device with sections as they are in the program. */
ptowsp_status conform_program_load(struct conform *c, struct ptowsp_object *device, struct conform_program *program);
void conform_program_unload(struct conform *c, struct conform_program *program);
/* Arguments of a run of the loaded program; flags: PTOWSP_RUN_x. */
struct ptowsp_run_args conform_program_run(const struct conform_program *program, uint32_t flags);

/* ---- damage ---- */

enum { CONFORM_SUBJECTS = 48 };
/* Programs that are damaged: those that the plugin takes, and that end soon. The first one is the smallest. */
uint32_t conform_subjects_find(struct conform *c, struct conform_program programs_out[CONFORM_SUBJECTS]);
/* Puts a damaged copy of a section, by seed, in its place; false: there is none. The copy is lent. */
bool conform_damage(struct conform *c, struct conform_program *program, uint32_t type, uint64_t seed);

/* ---- runs ---- */

/* submit; AGAIN is answered by polling until there is room. NULL: the plugin refused, c->error has why. */
struct conform_token *conform_submit(struct conform *c, struct ptowsp_object *device, struct ptowsp_run_args *args);
/* Polls until the run is done, at most that long; false: it is not. */
bool conform_wait(struct conform *c, struct ptowsp_object *device, const struct conform_token *token, uint64_t limit_ns);
/* submit, wait, exactly once. The status of the run; a refusal of submit is that status, too. */
ptowsp_status conform_run(struct conform *c, struct ptowsp_object *device, const struct conform_program *program, uint32_t flags, uint64_t deadline_ns);

#endif
