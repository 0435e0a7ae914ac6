/* SPDX-License-Identifier: MIT */
/* simulated.h - programs on the machine (machine.h), with what kernels cost there (core.h): hooks of base for a backend whose clock is its own. */
#ifndef ASCEND_SIMULATED_H
#define ASCEND_SIMULATED_H

#include "ascend/cost.h"
#include "base/backend.h"
#include "base/program.h"

enum ascend_order { ASCEND_READY_FIRST, ASCEND_LOWEST_FIRST, ASCEND_PROGRAM_ORDER };
/* Costs of instances and of the way to their cores: the lines of cost.def, of single steps or fitted to a total, or nothing. */
enum ascend_protocol_costs { ASCEND_PROTOCOL_PUBLISHED, ASCEND_PROTOCOL_FITTED, ASCEND_PROTOCOL_NONE };
/* A kernel whose tiles do not fit into the memories of a core: runs as if they did and says so, or does not run. */
enum ascend_limits { ASCEND_LIMITS_WARN, ASCEND_LIMITS_REFUSE };
/* Places of tasks: one window, or a ring per scope depth. */
enum ascend_ringed { ASCEND_RINGS_ONE, ASCEND_RINGS_RUNTIME };
/* Constant after init; a member of the backend's options. */
struct ascend_simulated {
	unsigned model;        /* enum ascend_model */
	unsigned order;        /* enum ascend_order */
	unsigned protocol;     /* enum ascend_protocol_costs */
	unsigned streams;      /* of the device */
	unsigned limits;       /* enum ascend_limits */
	unsigned orchestrator; /* 1: of its own */
	unsigned rings;        /* enum ascend_ringed */
};
/* Rows of a backend's table, whose options struct has `own` at this place. */
#define ASCEND_SIMULATED_OPTIONS(type, own)                                                                                                                    \
	BASE_OPTION(offsetof(type, own.model), "model", "word", "core", "core|op-sum|name",                                                                    \
		    "with clock=own: what kernels cost, by pipes, by the sum of their operations, or by their names"),                                         \
		BASE_OPTION(offsetof(type, own.order), "order", "word", "ready", "ready|number|program",                                                       \
			    "with clock=own: which ready task a core gets, the one that is ready longest, the one of lowest "                                  \
			    "number, or no queue: tasks in program order on the core that has least to do"),                                                   \
		BASE_OPTION(offsetof(type, own.protocol), "protocol", "word", "fitted", "published|fitted|none",                                               \
			    "with clock=own: what schedulers and the way to the cores cost, published figures of single steps, figures fitted to a "           \
			    "published total, or nothing"),                                                                                                    \
		BASE_OPTION(offsetof(type, own.orchestrator), "orchestrator", "word", "own", "shared|own",                                                     \
			    "with clock=own: who issues the tasks of a workload, each AICPU thread its own, or one more thread, as in a pto-runtime, all of "  \
			    "them"),                                                                                                                           \
		BASE_OPTION(offsetof(type, own.rings), "rings", "word", "one", "one|runtime",                                                                  \
			    "with clock=own: where tasks have their places, in one window of task_window, or, as in a pto-runtime, in a ring per scope depth " \
			    "of one place less"),                                                                                                              \
		BASE_OPTION(offsetof(type, own.limits), "limits", "word", "warn", "warn|refuse",                                                               \
			    "with clock=own: a kernel whose tiles are larger than the memories of a core runs with a warning, or not at all")

/* Sets program->own and program->kernels.costs. A kernel whose tiles do not fit says so when a task of it runs, or is to. Errors: NO_MEMORY. */
ptowsp_status ascend_simulated_bind(struct base_program *program, const struct ascend_simulated *own, struct ptowsp_error *error);
void ascend_simulated_unload(struct base_program *program);
/* Rows of a simulated device that differ from the rows of rt and its platform, as base_backend.caps; own NULL: by the reference clock. instances: AICPU threads that generate
 * tasks. */
uint32_t ascend_simulated_caps(const struct ascend_simulated *own, const struct base_model *model, uint32_t instances, struct ptowsp_cap *rows_out);
/* As rt_run, on the machine of the program's device; kernels cost nothing but their own cycles where order is program. Runner thread. */
ptowsp_status ascend_simulated_run(struct base_program *program, const struct ascend_simulated *own, const struct rt_run_args *args,
				   struct ptowsp_run_stats *stats_out, struct ptowsp_deadlock *deadlock_out, struct ptowsp_error *error);

#endif
