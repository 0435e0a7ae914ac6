/* SPDX-License-Identifier: MIT */
/* simulated.h - programs on the machine (machine.h), with what kernels cost there (core.h): hooks of base for a backend whose clock is its own. */
#ifndef ASCEND_SIMULATED_H
#define ASCEND_SIMULATED_H

#include "ascend/cost.h"
#include "base/backend.h"
#include "base/program.h"

enum ascend_order { ASCEND_READY_FIRST, ASCEND_LOWEST_FIRST, ASCEND_PROGRAM_ORDER };
/* Costs of instances and of the way to their cores: the lines of cost.def, or nothing. */
enum ascend_protocol_costs { ASCEND_PROTOCOL_PUBLISHED, ASCEND_PROTOCOL_NONE };
/* A kernel whose tiles do not fit into the memories of a core: runs as if they did and says so, or does not run. */
enum ascend_limits { ASCEND_LIMITS_WARN, ASCEND_LIMITS_REFUSE };
/* Constant after init; a member of the backend's options. */
struct ascend_simulated {
	unsigned model;    /* enum ascend_model */
	unsigned order;    /* enum ascend_order */
	unsigned protocol; /* enum ascend_protocol_costs */
	unsigned streams;  /* of the device */
	unsigned limits;   /* enum ascend_limits */
};
/* Rows of a backend's table, whose options struct has `own` at this place. */
#define ASCEND_SIMULATED_OPTIONS(type, own)                                                                                                                    \
	{BASE_OPTION("model", "word", "core", "core|op-sum|name",                                                                                              \
		     "with clock=own: what kernels cost, by pipes, by the sum of their operations, or by their names"),                                        \
	 offsetof(type, own.model),                                                                                                                            \
	 ASCEND_MODEL_CORE,                                                                                                                                    \
	 {[ASCEND_MODEL_CORE] = "core", [ASCEND_MODEL_OP_SUM] = "op-sum", [ASCEND_MODEL_NAME] = "name"},                                                       \
	 0,                                                                                                                                                    \
	 0},                                                                                                                                                   \
		{BASE_OPTION("order", "word", "ready", "ready|number|program",                                                                                 \
			     "with clock=own: which ready task a core gets, the one that is ready longest, the one of lowest "                                 \
			     "number, or no queue: tasks in program order on the core that has least to do"),                                                  \
		 offsetof(type, own.order),                                                                                                                    \
		 ASCEND_READY_FIRST,                                                                                                                           \
		 {"ready", "number", "program"},                                                                                                               \
		 0,                                                                                                                                            \
		 0},                                                                                                                                           \
		{BASE_OPTION("protocol", "word", "published", "published|none",                                                                                \
			     "with clock=own: what schedulers and the way to the cores cost, published figures or nothing"),                                   \
		 offsetof(type, own.protocol),                                                                                                                 \
		 ASCEND_PROTOCOL_PUBLISHED,                                                                                                                    \
		 {"published", "none"},                                                                                                                        \
		 0,                                                                                                                                            \
		 0},                                                                                                                                           \
	{                                                                                                                                                      \
		BASE_OPTION("limits", "word", "warn", "warn|refuse",                                                                                           \
			    "with clock=own: a kernel whose tiles are larger than the memories of a core runs with a warning, or not at all"),                 \
			offsetof(type, own.limits), ASCEND_LIMITS_WARN, {"warn", "refuse"}, 0, 0                                                               \
	}

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
