/* SPDX-License-Identifier: MIT */
/* host_plan.h - what is to be run, before any backend is asked: entry, schedule, its tensors and values by name. */
#ifndef HOST_PLAN_H
#define HOST_PLAN_H

#include "format/format_package.h"
#include "host/plan/usage.h"
#include "host/ptowsp_host.h"
#include "registry/schedule.h"

struct ptowsp_package {
	struct pkg *pkg; /* owned */
};

/* A tensor that the entry can see. */
struct host_plan_tensor {
	const char *name;   /* as the entry calls it */
	uint32_t row;       /* TENS */
	uint32_t position;  /* its own */
	uint32_t sample[2]; /* TDAT rows of input and expectation, PTOWSP_NONE without */
	bool used;
};
/* A symbol or slot that the entry can see. */
struct host_plan_value {
	const char *name;
	uint32_t row; /* SLOT */
	bool needed;  /* the entry reads it */
};

/* Immutable after create. */
struct ptowsp_plan {
	const struct ptowsp_package *package; /* borrowed */
	const struct pkg_tables *tables;
	uint32_t entry; /* ENTR row */
	struct host_usage usage;
	struct host_plan_tensor *tensors; /* owned, in order of position */
	struct host_plan_value *values;   /* owned, in order of SLOT */
	uint32_t tensor_count, value_count;
	/* The schedule in force: the package's rows, with the overrides in their places. */
	struct reg_schedule overrides;
	struct ptowsp_directive_record *directives; /* owned */
	uint32_t directive_count;
	const char *strings; /* STRS that they refer to */
	uint64_t strings_size;
	/* The sections that a plugin is given: the package's, with SCHD, EXPR and STRS replaced if there are overrides. */
	struct ptowsp_section *sections; /* owned */
	uint32_t section_count;
	void *replaced[3]; /* owned, 64-byte aligned bytes of the replaced ones */
};

/* plan_names.c: fill tensors and values. */
ptowsp_status host_plan_name(struct ptowsp_plan *plan, struct ptowsp_error *error);
/* plan_schedule.c: parse overrides, fill directives and sections. */
ptowsp_status host_plan_schedule(struct ptowsp_plan *plan, const char *const *texts, uint32_t count, struct ptowsp_error *error);
/* The tables that expressions of the directives refer to. */
struct reg_expression_tables host_plan_expressions(const struct ptowsp_plan *plan);
/* Arguments of load: these sections for the plan's entry. Borrowed from both. */
struct ptowsp_load_args host_plan_load_args(const struct ptowsp_plan *plan, const struct ptowsp_section *sections, uint32_t count, uint32_t flags);
/* Index of a value by name. NOT_FOUND lists the known ones. */
ptowsp_status host_plan_value_find(const struct ptowsp_plan *plan, const char *name, uint32_t *index_out, struct ptowsp_error *error);
/* Data that only a run has decide which tasks there are, so that a look cannot tell: INVALID. */
ptowsp_status host_plan_data_check(const struct ptowsp_plan *plan, struct ptowsp_error *error);
/* The name without "entry." in front if it is the entry's own, NULL if it belongs to another function. */
const char *host_plan_bare_name(const struct ptowsp_plan *plan, const char *name);

#endif
