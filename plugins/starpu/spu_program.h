/* SPDX-License-Identifier: MIT */
/* spu_program.h - a loaded package: the walk that says its tasks, and the codelet that runs them. */
#ifndef SPU_PROGRAM_H
#define SPU_PROGRAM_H

#include "base/digest.h"
#include "base/opencl/opencl_kernels.h"
#include "base/planned.h"
#include "base/program.h"
#include "ptowsp/report.h"
#include "starpu/spu_model.h"
#include "starpu/spu_part.h"

struct spu_program {
	struct base_program *base;
	struct rt_kernels serve; /* run: executes a task */
	struct base_planned planned;
	struct opencl_kernels *opencl; /* owned, for each OpenCL worker; NULL: there is none */
	struct base_compute compute;   /* theirs */
	_Atomic uint64_t ran[2][2];    /* of the latest run: tasks and ns, of CPU workers and of OpenCL workers */
	struct base_walk walk;
	struct rt_program *walked;
	bool *kept;                    /* owned, per TENS row: it has content when a run is over */
	struct base_digest package;    /* its sections */
	uint32_t entry;                /* of the load */
	uint32_t layout_count;         /* rows of layouts in base->shards, which has them in its statistics where there are several ranks */
	struct spu_share *shares;      /* owned, SPU_RANKS_MOST: of the latest run, on rank 0 */
	struct spu_model model;        /* of the latest run */
	struct spu_part part;          /* of a run whose rank is not 0; zeroed where the whole is walked */
	uint64_t began_ns;             /* on the host clock: the walk of the latest batch */
	bool parted, told;             /* rank 0 alone walks the whole of the run, and has said what of it is whose */
	struct ptowsp_figure *figures; /* owned: the two for statistics */
};
extern const struct ptowsp_report_extension spu_report; /* figures: what each of several ranks did */

/* The hooks. Errors: of base_planned_create, NO_MEMORY. */
ptowsp_status spu_load(struct base_program *program, const struct ptowsp_load_args *args, struct ptowsp_error *error);
void spu_unload(struct base_program *program);
void spu_forget(struct base_program *program);
ptowsp_status spu_run(struct base_program *program, const struct rt_run_args *args, struct ptowsp_run_stats *stats_out, struct ptowsp_deadlock *deadlock_out,
		      struct ptowsp_error *error);

#endif
