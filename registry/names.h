/* SPDX-License-Identifier: MIT */
/* names.h - what an id is called: statuses, types, units, directives, policies, features. Everything comes from the .def
 * tables of abi/ptowsp. All texts are static; all functions may be called from any thread. */
#ifndef REGISTRY_NAMES_H
#define REGISTRY_NAMES_H

#include <stdbool.h>

#include "ptowsp/caps.h"
#include "ptowsp/ids.h"

const char *reg_status_name(ptowsp_status status); /* "NO_DEVICE", "?" if unknown */
const char *reg_status_text(ptowsp_status status);
int reg_status_exit(ptowsp_status status); /* exit code of the tools; 1 if unknown */

/* Texts of codes; "?" if unknown. */
const char *reg_pool_text(unsigned unit); /* the unit as people say it: "vector" */
const char *reg_space_text(unsigned space);
bool reg_payload_needs_trust(unsigned kind);
const char *reg_resource_text(unsigned resource);
const char *reg_stall_text(unsigned resource);    /* "TASK_RING_FULL" */
const char *reg_state_text(unsigned state);       /* "enforced" */
const char *reg_state_meaning(unsigned state);    /* "changes behaviour" */
const char *reg_evidence_text(unsigned evidence); /* "claimed" */
const char *reg_role_text(unsigned role);         /* "in" */

/* Directives in order of their codes. */
struct reg_directive {
	const char *text; /* "task_window" */
	const char *meaning;
	uint16_t code;
};
const struct reg_directive *reg_directives(uint32_t *count);
const struct reg_directive *reg_directive(unsigned code); /* NULL if unknown */

/* Policies of all directives; a directive's rows stand together. */
struct reg_policy {
	const char *word;  /* "round_robin", or "(stall)": not typed */
	const char *kinds; /* letters of arguments.def */
	const char *effect;
	uint16_t directive, code;
	uint16_t least, most; /* arguments */
};
const struct reg_policy *reg_policies(uint32_t *count);
const struct reg_policy *reg_policy(unsigned directive, unsigned code); /* NULL if unknown */
bool reg_policy_is_bare(const struct reg_policy *policy);               /* its word is never typed */

/* Every feature that this host knows, group by group. */
struct reg_feature {
	char name[48];     /* "parallel_for", "dispatch=round_robin", "payload pto", "deadlock report" */
	const char *group; /* "opcode", "directive", "payload", "feature", "graph", "tile" */
	uint32_t id;
	bool optional; /* a backend need not say anything of it: lists leave it out where no row does */
};
uint32_t reg_feature_count(void);
bool reg_feature_at(uint32_t index, struct reg_feature *feature_out); /* false behind the last */
/* By id; an unknown one gets the name "feature 0x...." and false. */
bool reg_feature(uint32_t id, struct reg_feature *feature_out);

#endif
