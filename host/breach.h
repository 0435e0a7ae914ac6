/* SPDX-License-Identifier: MIT */
/* breach.h - what checking layers find: a sentence for each breach of a numbered rule of abi/README.md, and the verdict at the end. Any thread. */
#ifndef HOST_BREACH_H
#define HOST_BREACH_H

#include <pthread.h>

#include "host/call.h"

struct host_breaches {
	pthread_mutex_t lock;
	/* Lines for people; called under `lock`, so one at a time. NULL: dropped. */
	void (*say)(void *context, int32_t level, const char *text);
	void *context;
	const char *plugin;       /* its name, for sentences */
	uint32_t count;           /* all, said or not */
	enum host_side side;      /* of the first one */
	char first[216];          /* its sentence */
};

void host_breaches_init(struct host_breaches *breaches, const char *plugin, void (*say)(void *context, int32_t level, const char *text), void *context);
void host_breaches_finish(struct host_breaches *breaches);
/* Who broke which rule in which call, and how. NULL breaches: nothing is said. */
void host_breach(struct host_breaches *breaches, enum host_side side, const char *rule, const struct host_call *call, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
/* OK without a breach; else the sentence of the first one: DEVICE_LOST where the plugin's, RUN_FAILED where the host's, with the flag that says whose bug it is. */
ptowsp_status host_breaches_verdict(struct host_breaches *breaches, struct ptowsp_error *error);

#endif
