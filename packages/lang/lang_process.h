/* SPDX-License-Identifier: MIT */
/* lang_process.h - channels, processes, and what processes do with channels. */
#ifndef LANG_PROCESS_H
#define LANG_PROCESS_H

#include <stdbool.h>

#include "lang/lang_work.h"

#define LANG_MAX_INSTANCES 4096u               /* of all processes together, as the verifier of packages has it */
#define LANG_MAX_LATENCY   (UINT64_C(1) << 40) /* cycles */

/* LANG_DECL_CHANNEL; the CSPC row is head.row. */
struct lang_channel {
	struct lang_decl head;
	uint8_t is_payload;
	uint16_t dtype;             /* of a payload's elements */
	uint32_t rows, columns;     /* of one payload */
	uint32_t capacity;          /* tokens; 0: a rendezvous */
	uint64_t latency;           /* cycles */
	uint8_t produced, consumed; /* 1: some process says so */
};

/* produces(%a, %b), consumes(%c): one channel. */
struct lang_use {
	const char *name;
	struct lang_span at;
	uint16_t direction;           /* PTOWSP_CHANNEL_PRODUCES, _CONSUMES */
	uint8_t used;                 /* 1: its body does so */
	struct lang_channel *channel; /* found by checking; NULL after an error */
};

/* LANG_DECL_PROCESS; the PROC row is head.row. */
struct lang_process {
	struct lang_decl head;
	struct lang_use *uses;
	uint32_t use_count, use_capacity;
	struct lang_map by_name[2]; /* of the uses, by direction; each channel once */
	uint32_t replicas;
	struct lang_span replicas_at;
	struct lang_body body;
};

void lang_channel_parse(struct lang_parser *parser);
void lang_channel_check(struct lang_module *module, struct lang_decl *decl);
void lang_channel_build(struct lang_lower *lower, struct lang_decl *decl);

void lang_process_parse(struct lang_parser *parser);
void lang_process_check(struct lang_module *module, struct lang_decl *decl);
void lang_process_build(struct lang_lower *lower, struct lang_decl *decl);

/* A package with processes: they run behind each of its workloads. */
bool lang_has_pipeline(const struct lang_module *module);
/* Before anything is checked: a pipeline without a workload gets one that does nothing, its entry "main". */
void lang_pipeline_complete(struct lang_module *module);
/* Code of all processes, in source order, behind that of functions and before that of workloads. It reads lower->pipeline_values. */
void lang_pipeline_lower(struct lang_lower *lower);

#endif
