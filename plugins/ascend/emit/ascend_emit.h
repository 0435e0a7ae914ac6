/* SPDX-License-Identifier: MIT */
/* ascend_emit.h - a program as a source tree for review: orchestration for the AICPU, wrappers and kernels for the AICores, the task's layout, the plan, a build script.
 * Needs no device and no toolkit. Features that it cannot express are named in the tree (PLAN.md, plan.json) and handed to `tell`; nothing is left out silently. */
#ifndef ASCEND_EMIT_H
#define ASCEND_EMIT_H

#include "isa/isa.h"
#include "rt/rt.h"

struct ascend_emit_args {
	const struct ptowsp_section *sections; /* of a package that was loaded */
	uint32_t section_count, section_stride;
	uint32_t entry;                   /* ENTR row that was chosen */
	const struct rt_kernels *kernels; /* footprints; nothing is run */
	/* The portable program of a KREG row, NULL without one. Borrowed. */
	const struct isa_program *(*portable)(void *context, uint32_t kernel);
	void *context;
	const struct ptowsp_cap *caps; /* of the backend, as for rt_program_create */
	uint32_t cap_count, flags;
	const char *target; /* row of isa_emit_targets: "ascend-a2a3", "ascend-a5" */
	const char *device; /* "910B" and so on: for people */
};
/* Receivers of the files; both get `sink`. file: path below the folder, with '/', bytes borrowed for the call; not 0 ends it with that status. tell: one sentence
 * about something that is not expressed; may be NULL. */
struct ascend_emit_sink {
	void *context;
	ptowsp_status (*file)(void *context, const char *path, const void *bytes, uint64_t size);
	void (*tell)(void *context, const char *sentence);
};
/* Every workload of the package that can be lowered; the chosen entry has to be. Deterministic: the same bytes for the same package. Errors: of rt_program_create for
 * the chosen entry, of the sink, NO_MEMORY, TOO_BIG (an orchestration of more than 64 MiB). */
ptowsp_status ascend_emit(const struct ascend_emit_args *args, const struct ascend_emit_sink *sink, struct ptowsp_error *error);

#endif
