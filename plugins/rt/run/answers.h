/* SPDX-License-Identifier: MIT */
/* answers.h - what a backend has said of kernels. It is the same in every run of a program, so a run leaves it to the next one. */
#ifndef RT_ANSWERS_H
#define RT_ANSWERS_H

#include "rt/access/footprint.h"

struct rt_program;
/* About a kernel, with the arguments of the latest question. */
struct rt_answer {
	struct rt_footprint footprint;
	uint64_t cycles;
	bool varies;  /* other arguments are another question */
	bool counted; /* cycles or later is set */
	bool later;   /* cycles are known only by running */
};
struct rt_answers {
	uint32_t count;
	uint64_t *args;          /* of the latest question, most_args of the program per kernel */
	struct rt_answer rows[]; /* per KREG row */
};
/* Empty ones. NULL: no memory. */
struct rt_answers *rt_answers_make(const struct rt_program *program);
/* NULL is none. */
void rt_answers_free(struct rt_answers *answers);

#endif
