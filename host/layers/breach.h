/* SPDX-License-Identifier: MIT */
/* breach.h - what checking layers find: a sentence for each breach of a numbered rule of abi/README.md, and the verdict at the end. Any thread. */
#ifndef HOST_BREACH_H
#define HOST_BREACH_H

#include <pthread.h>

#include "host/call/call.h"

struct host_breaches {
	pthread_mutex_t lock;
	/* Lines for people; called under `lock`, so one at a time. NULL: dropped. */
	void (*say)(void *context, int32_t level, const char *text);
	void *context;
	const char *plugin;    /* its name, for sentences */
	uint32_t count;        /* all, said or not */
	enum host_side side;   /* of the first one */
	char first[216];       /* its sentence */
	ptowsp_status failure; /* of the first layer that could not do its own work; OK: none */
	char why[216];
};

void host_breaches_init(struct host_breaches *breaches, const char *plugin, void (*say)(void *context, int32_t level, const char *text), void *context);
void host_breaches_finish(struct host_breaches *breaches);
/* One breach: who broke which rule in which call, and how. NULL breaches: nothing is said. */
void host_breach(struct host_breaches *breaches, enum host_side side, const char *rule, const struct host_call *call, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
/* A layer could not do its own work: nobody broke a rule, but what was asked for is not there. */
void host_breaches_fail(struct host_breaches *breaches, ptowsp_status code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The sentence of the first breach: DEVICE_LOST where the plugin's, RUN_FAILED where the host's, with the flag that says whose bug it is. Without one, the first
 * failure of a layer. Else OK. */
ptowsp_status host_breaches_verdict(struct host_breaches *breaches, struct ptowsp_error *error);

#endif
