/* SPDX-License-Identifier: MIT */
/* aie_report.h - what a design takes of its array and how busy the model says its parts were, as figures (ptowsp/report.h); a deadlock of the array as the report that hosts
 * know. One thread. */
#ifndef AIE_REPORT_H
#define AIE_REPORT_H

#include "aie/design/aie_channels.h"
#include "aie/engine/core_program.h"
#include "aie/graph/divided.h"
#include "aie/graph/fits.h"
#include "aie/picture/picture.h"
#include "aie/sim/sim.h"
#include "aie/sim/work.h"
#include "ptowsp/report.h"
#include "ptowsp/run.h"

/* Rows, owned; and programs of cores whose size a row has when somebody looks. */
struct aie_report {
	struct ptowsp_figure *rows;
	uint32_t count, room;
	struct aie_report_program {
		uint32_t row;
		uint64_t limit;                  /* bytes, of a core */
		struct aie_program_proxy *proxy; /* owned */
	} * programs;
	uint32_t program_count, program_room;
};
/* Cores of how many, streams, total path length, the hottest link, the narrowest stream, each tile's use of each limit. programs: per core the bytes of its program
 * (core_program.h), NULL: nothing was compiled; what was not measured has no number. Errors: NO_MEMORY. */
ptowsp_status aie_report_design(struct aie_report *report, const struct aie_design *design, const struct aie_channels *channels,
				const struct aie_picture *picture, const uint64_t *programs, struct ptowsp_error *error);
/* Rows for programs and frames of all cores by a stand-in, which take the proxy, also where it fails; aie_report_look measures what no one has looked at yet, by compilers. Errors:
 * NO_MEMORY. */
ptowsp_status aie_report_program(struct aie_report *report, struct aie_program_proxy *proxy, uint64_t limit, struct ptowsp_error *error);
void aie_report_look(struct aie_report *report);
/* The kernel that took most of a core's time, and whether it called others, too. */
struct aie_report_stage {
	const char *kernel; /* NULL: it called none */
	uint64_t cycles;    /* of all its calls */
	bool others;
};
struct aie_report_stages {
	const struct aie_design *design;
	const struct aie_report_stage *rows; /* per core of the design */
};
/* Cycles, until all was over and until the last task was (last), memory, the bottleneck, how busy each core, DMA channel and the host was; under a title that says that it is a model.
 * Errors: NO_MEMORY. */
ptowsp_status aie_report_run(struct aie_report *report, const struct aie_report_stages *stages, const struct aie_sim_stats *stats, uint64_t last,
			     struct ptowsp_error *error);
/* All calls of a kernel together. */
struct aie_calls {
	uint64_t count;
	struct aie_work work;
	bool object; /* cores are linked with an object of the user's: it counts as written by hand */
	bool stated; /* unless that says what it takes */
};
/* Cycles of a kernel's calls by its emitted code, and by kernels as people write them by hand; nothing where it was not called. Errors: NO_MEMORY. */
ptowsp_status aie_report_calls(struct aie_report *report, const char *kernel, const struct aie_calls *calls, struct ptowsp_error *error);
/* Bytes of a core's memory that a call of the kernel takes at least (graph/fits.h). Errors: NO_MEMORY. */
ptowsp_status aie_report_fits(struct aie_report *report, const char *kernel, const struct aie_fits *fits, uint64_t limit, struct ptowsp_error *error);
/* Calls of a kernel that do not fit into a core: how many parts all of them are, and how, or that they are whole. Errors: NO_MEMORY. */
ptowsp_status aie_report_divided(struct aie_report *report, const char *kernel, const struct aie_divided_row *row, struct ptowsp_error *error);
/* Each constant of the model with its source, and how many of them were read on another device. Errors: NO_MEMORY. */
ptowsp_status aie_report_costs(struct aie_report *report, const struct aie_arch *arch, struct ptowsp_error *error);
/* Compares a run with 0 words of stream buffering (stats[0]) and one with 8 (stats[1]). */
ptowsp_status aie_report_buffering(struct aie_report *report, const struct aie_sim_stats stats[2], bool depends, struct ptowsp_error *error);
/* Rows from number `from` on are those of a phase of a run, counted from 1: their groups say so, and one says how many tasks it has and why it ended. Errors: NO_MEMORY. */
ptowsp_status aie_report_phase(struct aie_report *report, uint32_t from, uint32_t phase, uint64_t tasks, const char *why, struct ptowsp_error *error);
/* All phases together. Errors: NO_MEMORY. */
ptowsp_status aie_report_phases(struct aie_report *report, uint32_t phases, uint64_t cycles, struct ptowsp_error *error);
void aie_report_finish(struct aie_report *report);
/* Waiting agents, what for, and the ring, as far as there is room. sentence: of the run's error. */
void aie_report_stuck(const struct aie_sim_stats *stats, const char *sentence, struct ptowsp_deadlock *deadlock_out);

#endif
