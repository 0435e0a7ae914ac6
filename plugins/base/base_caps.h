/* SPDX-License-Identifier: MIT */
/* base_caps.h - capability rows of a device: the backend's own, then those of this library, of the runtime core and of the platform. */
#ifndef BASE_CAPS_H
#define BASE_CAPS_H

#include "models.h"
#include "ptowsp/caps.h"
#include "ptowsp/graph.h"
#include "ptowsp/ids.h"

#define BASE_CAPS_LIMIT 512u

/* Rows of a table: feature and state; a probe of this project looks at it. */
#define BASE_CAP(f, s)                                                                                                                                         \
	{                                                                                                                                                      \
		.feature = (f), .state = PTOWSP_STATE_##s, .evidence = PTOWSP_EVIDENCE_SELF_TESTED                                                             \
	}
/* A TILE row (caps.h): the operation, 0 for all that have none of their own, and the types that it has, 0 for all: BASE_TILE(0, ENFORCED, BASE_TYPE(F32) | BASE_TYPE(I32)),
 * BASE_TILE(PTOWSP_PTO_TSORT32, UNSUPPORTED, 0). Loading a program obeys such rows, too (base_support.h). */
#define BASE_TYPE(name) (UINT64_C(1) << PTOWSP_##name)
#define BASE_TILE(op, s, types)                                                                                                                                \
	{                                                                                                                                                      \
		.feature = PTOWSP_FEATURE_TILE(op), .state = PTOWSP_STATE_##s, .evidence = PTOWSP_EVIDENCE_SELF_TESTED, .since = 1, .bits = (types)            \
	}
/* With base_compute tasks are counted where they ran. */
#define BASE_DEVICE_TASKS                                                                                                                                      \
	{                                                                                                                                                      \
		.feature = PTOWSP_FEATURE_DEVICE_TASKS, .state = PTOWSP_STATE_ENFORCED, .evidence = PTOWSP_EVIDENCE_SELF_TESTED, .since = 1                    \
	}
/* Rows beyond the platform's: two devices of a run notify each other (base_backend without an engine of its own), and a fence becomes edges. */
#define BASE_NOTIFIES                                                                                                                                          \
	BASE_CAP(PTOWSP_FEATURE_GRAPH(PTOWSP_MC_FENCE), ENFORCED), BASE_CAP(PTOWSP_FEATURE_GRAPH(PTOWSP_SY_NOTIFY), ENFORCED),                                 \
		BASE_CAP(PTOWSP_FEATURE_GRAPH(PTOWSP_SY_WAIT_NOTIFY), ENFORCED)
#define BASE_POLICY(directive, policy) PTOWSP_FEATURE_POLICY(PTOWSP_DIRECTIVE_##directive, PTOWSP_##directive##_##policy)

/* Appends the rows whose features are not among the first `there` yet. Returns how many there are then; at most BASE_CAPS_LIMIT. */
uint32_t base_caps_add(struct ptowsp_cap rows[BASE_CAPS_LIMIT], uint32_t there, const struct ptowsp_cap *more, uint32_t count);
#define BASE_CAPS_ADD(rows, there, list) base_caps_add(rows, there, list, (uint32_t)(sizeof(list) / sizeof(*(list))))
/* The same for features of one state. */
uint32_t base_caps_state(struct ptowsp_cap rows[BASE_CAPS_LIMIT], uint32_t there, const uint32_t *features, uint32_t count, uint16_t state);
#define BASE_CAPS_STATE(rows, there, list, state) base_caps_state(rows, there, list, (uint32_t)(sizeof(list) / sizeof(*(list))), PTOWSP_STATE_##state)
/* Do worker threads take ready tasks in a stated order, with so many threads? */
bool base_in_order(const struct base_model *model, uint32_t threads);
/* Appends the rows of that. Returns how many there are then. */
uint32_t base_caps_order(struct ptowsp_cap rows[BASE_CAPS_LIMIT], uint32_t there);
/* Appends the rows of a backend that walks a program first and lets what is free run: nobody issues tasks one after the other, and no runtime has rings and queues of its own. */
uint32_t base_caps_unissued(struct ptowsp_cap rows[BASE_CAPS_LIMIT], uint32_t there);
/* The rows that the core is given: each feature once, as the first row says it. Returns how many rows there are. Any thread. */
uint32_t base_caps(const struct base_backend *backend, const struct base_options *options, const struct base_model *model,
		   struct ptowsp_cap rows_out[BASE_CAPS_LIMIT]);
/* The op `capabilities`: those rows, and what the options take away from them. */
ptowsp_status base_caps_list(const struct base_backend *backend, struct ptowsp_object *instance, const char *device, struct ptowsp_cap *rows_out,
			     uint32_t stride, uint32_t *count, struct ptowsp_error *error);

#endif
