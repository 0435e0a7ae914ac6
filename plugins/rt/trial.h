/* SPDX-License-Identifier: MIT */
/* trial.h - which capacities would let a stuck pipeline go on. A proposal is tried before it is made: the pipeline runs again from its beginning, quietly and
 * without kernels, with one limit lifted, then with all that turn out to be in the way; how much it used of them is what is proposed. One thread. */
#ifndef RT_TRIAL_H
#define RT_TRIAL_H

#include "rt/process.h"

/* Limits that are lifted, or, after a trial, what was used of them. Bounded resources first, then channels by row. */
enum { RT_LIMIT_WINDOW, RT_LIMIT_MAP, RT_LIMIT_DEPS, RT_LIMIT_HEAP, RT_LIMIT_CHANNELS };
struct rt_settings {
	uint32_t count;
	uint64_t *values; /* 0: not lifted */
	char rest[256];   /* of a trial in which all that could be was lifted: what still waits */
};

/* The instance stands at a task or an alloc. */
bool rt_wants_place(const struct rt_instance *instance);
/* The limit that stops an instance, RT_LIMIT_CHANNELS + row for a channel; UINT32_MAX if no limit does. */
uint32_t rt_limit_of(struct rt_pipeline *pipeline, uint32_t at);
const char *rt_limit_directive(uint32_t limit);
/* What the pipeline has of it already. */
uint64_t rt_limit_now(const struct rt_pipeline *pipeline, uint32_t limit);

/* What is needed of each limit that has to be lifted, the others 0. False: no limit is a cure. */
bool rt_cure_find(struct rt_pipeline *pipeline, struct rt_settings *lifted, struct rt_settings *used);
/* A trial cannot know what tasks would have written, where it goes by what is there; and tokens alone say nothing about tensors. */
bool rt_cure_foreseeable(const struct rt_pipeline *pipeline);
/* Where trials go other ways: what lets the first one get on. */
bool rt_cure_guess(struct rt_pipeline *pipeline, struct rt_settings *lifted, struct rt_settings *used);

#endif
