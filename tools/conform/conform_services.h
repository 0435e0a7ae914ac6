/* SPDX-License-Identifier: MIT */
/* conform_services.h - the host's side of a conformance test: struct ptowsp_host with accounts of memory, tokens and everything that a plugin does wrong with them. */
#ifndef TOOLS_CONFORM_SERVICES_H
#define TOOLS_CONFORM_SERVICES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "host/call/services.h"
#include "ptowsp/plugin.h"

enum { CONFORM_TOKENS = 4096 };

struct conform_record;
struct host_group;

/* One token: the plugin may complete it once, after it was handed over and if it was not refused. */
struct conform_token {
	uint64_t token;
	_Atomic int state; /* enum conform_token_state */
	_Atomic int done;  /* how often */
	_Atomic ptowsp_status status;
	uint64_t cycles, tasks; /* of its statistics */
	_Atomic uint64_t done_ns;
	struct host_group *group; /* of a run on several devices, until this half of it is done; else NULL */
	uint32_t member;          /* its number among them */
};
enum conform_token_state { CONFORM_FREE = 0, CONFORM_SUBMITTING, CONFORM_ACCEPTED, CONFORM_REFUSED };

/* Given to a plugin at init; the plugin calls it from any thread. */
struct conform_services {
	struct ptowsp_host table;
	struct conform_record *record;
	_Atomic uint64_t bytes, blocks; /* held by the plugin */
	_Atomic uint64_t allocations;   /* so far */
	_Atomic uint64_t fail_at;       /* this one, counted from 1, gets nothing; 0: none */
	_Atomic uint64_t failed;        /* got nothing so far */
	_Atomic uint32_t codes;         /* functions of native code that it got so far */
	struct conform_token tokens[CONFORM_TOKENS];
	_Atomic uint32_t token_count;
	pthread_mutex_t lock; /* of what follows */
	char wrong[320];      /* the first thing that was wrong, "" if nothing was */
	char ended[216];      /* the sentence of the run that was completed last; "" if it went well */
	uint32_t diagnosed;
};

void conform_services_init(struct conform_services *services, struct conform_record *record);
/* Makes the table that of a plugin of that effective minor. */
void conform_services_speak(struct conform_services *services, uint32_t minor);
/* Something that the plugin must not do; the first one is kept. [any] */
void conform_wrong(struct conform_services *services, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A fresh token, marked as being submitted; NULL when there are no more. */
struct conform_token *conform_token_make(struct conform_services *services);
/* NULL: it was never given out. [any] */
struct conform_token *conform_token_find(struct conform_services *services, uint64_t token);
/* Notes the answer of submit. */
void conform_token_answer(struct conform_services *services, struct conform_token *token, ptowsp_status status);
/* Tokens are numbered again from the first; none may be in flight. */
void conform_tokens_forget(struct conform_services *services);
/* The thread that is inside of submit must not come back by done. */
extern _Thread_local int conform_in_submit;

/* ---- extensions.c ---- */

/* host->extension: ptowsp.kernels/1, ptowsp.code/1 and ptowsp.notify/1. [any] */
const void *conform_extension(void *context, const char *id);
/* The place into which the thread that is inside of load puts the functions that the plugin finds; NULL outside. */
extern _Thread_local struct host_findings *conform_loading;
/* No function of it is called any more. */
void conform_findings_finish(struct host_findings *findings);

#endif
