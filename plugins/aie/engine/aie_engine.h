/* SPDX-License-Identifier: MIT */
/* aie_engine.h - programs on the array: each run is walked, mapped, written, read back, and what was read is run. Thread rules of the hooks of base. */
#ifndef AIE_ENGINE_H
#define AIE_ENGINE_H

#include "base/backend.h"
#include "ptowsp/report.h"

ptowsp_status aie_engine_load(struct base_program *program, const struct ptowsp_load_args *args, struct ptowsp_error *error);
void aie_engine_unload(struct base_program *program);
/* Gives back what the latest run left: its report, blocks for the next one. */
void aie_engine_forget(struct base_program *program);
/* As rt_run. Errors also: UNSUPPORTED with what the array lacks. */
ptowsp_status aie_engine_run(struct base_program *program, const struct rt_run_args *args, struct ptowsp_run_stats *stats_out,
			     struct ptowsp_deadlock *deadlock_out, struct ptowsp_error *error);
/* "ptowsp.report/1" of programs that the array runs: engine_emit.c. */
extern const struct ptowsp_report_extension aie_report_table;

#endif
