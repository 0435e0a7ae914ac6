/* SPDX-License-Identifier: MIT */
/* rt_schedule.h - SCHD rows as a configuration. A row that the backend does not claim as enforced is diagnosed and left at its default. */
#ifndef RT_SCHEDULE_H
#define RT_SCHEDULE_H

#include "ptowsp/ids.h"
#include "rt/program/table.h"
#include "rt/rt.h"
#include "rt/rt_feed.h"
#include <stdbool.h>

enum { RT_BOUND_LIMIT = 7, RT_POOL_LIMIT = 256, RT_EXECUTOR_LIMIT = 65536, RT_PART_LIMIT = 8 };

/* Placement of tasks, for rt_policy rows. */
struct rt_dispatch {
	uint32_t policy;            /* PTOWSP_DISPATCH_x, GRID of every spatial_map, 0: one executor per pool */
	uint32_t executors;         /* per pool */
	uint32_t expr;              /* EXPR row or PTOWSP_NONE */
	uint32_t axis, axis_length; /* affinity: bytes of STRS; length 0: up to their NUL */
	uint32_t bound_count;
	int64_t bounds[RT_BOUND_LIMIT];
	int64_t rows, columns; /* spatial map */
	int64_t threshold;     /* of a part: least value that it serves */
};

struct rt_schedule {
	struct rt_dispatch dispatch;
	struct rt_dispatch parts[RT_PART_LIMIT]; /* threshold: its policies, the one below all thresholds first */
	uint32_t part_count;
	bool interleaved; /* timing: branches of combine take turns */
	uint32_t deps;    /* PTOWSP_DEPS_x; hybrid: of what is inferred */
	bool hybrid;
	bool full; /* hazards */
	uint32_t window_mode;
	bool window_stated;
	uint64_t window;                    /* 0: unbounded */
	bool stated[PTOWSP_RESOURCE_COUNT]; /* capacity directives */
	uint64_t capacity[PTOWSP_RESOURCE_COUNT];
	struct rt_depth depths[RT_DEPTH_LIMIT];
	uint32_t depth_count;
	uint32_t pools;       /* PTOWSP_POOLS_x */
	uint32_t pool_expr;   /* EXPR row */
	uint64_t streams;     /* 0: none */
	uint32_t stream_expr; /* EXPR row or PTOWSP_NONE */
	uint64_t batch;       /* 0: none */
	uint64_t issue_cost;  /* and of timing rate_limit, which is the next one while rows are read */
	uint64_t rate;
	uint64_t start; /* threshold, at least 1 */
	bool built;     /* the whole graph is built before anything starts; the task window is recorded */
	uint32_t ready; /* PTOWSP_READY_x: the order of ready tasks, of worker threads or of an engine; 0: none is stated */
	bool strict;
};

/* caps, flags: as in rt_program_args. Errors: BAD_PACKAGE naming the directive and what is wrong with its arguments, UNSUPPORTED for one
 * that must be enforced and is not, BAD_PACKAGE for unknown codes. */
ptowsp_status rt_schedule_init(struct rt_schedule *schedule, const struct rt_tables *tables, const struct ptowsp_cap *caps, uint32_t cap_count, uint32_t flags,
			       const struct ptowsp_host *host, struct ptowsp_error *error);

/* policy_text.c: "round_robin(2)", "hash(#12, 4), 100: affinity(i, 2)" ... at a STRS offset as parts of the schedule, the first from
 * `threshold` on; #12 is row 12 of EXPR. Errors: BAD_PACKAGE naming what is wrong. */
ptowsp_status rt_threshold_read(struct rt_schedule *schedule, const struct rt_tables *tables, uint32_t text, int64_t threshold, struct ptowsp_error *error);
/* A DISPATCH row as such a part. word_length: bytes of its word, which need not end in NUL. */
ptowsp_status rt_dispatch_read(struct rt_dispatch *part, const struct rt_tables *tables, const struct ptowsp_directive_record *row, uint32_t word_length,
			       struct ptowsp_error *error);
/* policy.c: the part that serves a value. */
uint32_t rt_threshold_part(const struct rt_schedule *schedule, int64_t value);

/* True if what is found can be trusted to be deterministic: overlap and full hazards. */
bool rt_schedule_safe(const struct rt_schedule *schedule);

/* Rows of policy.def; behind the last one a word that is NULL. */
struct rt_policy_row {
	uint8_t directive, policy, least, most; /* arguments */
	const char *word;
};
extern const struct rt_policy_row rt_policy_rows[];
/* As packages spell it; NULL: there is no such directive. */
const char *rt_directive_name(unsigned directive);
/* Is there a policy of this core for it? */
bool rt_directive_obeyed(unsigned directive, unsigned policy);

#endif
