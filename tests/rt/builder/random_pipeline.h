/* SPDX-License-Identifier: MIT
 * random_pipeline.h - random pipelines: stages of process instances, each taking tokens from the stage before and passing them on, with tasks between. */
#ifndef TESTS_RANDOM_PIPELINE_H
#define TESTS_RANDOM_PIPELINE_H

#include "tests/lang/random_loops.h"

enum random_pipeline_kind {
	RANDOM_PIPELINE_PLAIN, /* tasks on vector cores, a window and a pool of dependencies that may be full */
	RANDOM_PIPELINE_SLOTS, /* slots as well: loaded, set */
	RANDOM_PIPELINE_ANY    /* and every unit, resource and directive that processes have; versions, ALLOC and FREE, events, blocks that are sent */
};
/* The program of a seed; the builder is the caller's. */
struct builder *random_pipeline_make(uint64_t seed, enum random_pipeline_kind kind);

#endif
