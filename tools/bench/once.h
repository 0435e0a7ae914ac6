/* SPDX-License-Identifier: MIT */
/* once.h - one thing done once, in a function with a name of its own, so that a profiler can be told to look at nothing else. */
#ifndef TOOLS_BENCH_ONCE_H
#define TOOLS_BENCH_ONCE_H

#include "tools/bench/layer.h"
#include "tools/bench/load.h"

enum bench_what {
	BENCH_FIND, /* expansion and inference */
	BENCH_COUNT, /* a run without kernels */
	BENCH_RUN
};

/* What to do: with the layer, or else with the load. */
struct bench_once {
	struct bench_layer layer;
	struct bench_load load;
	bool is_layer;
	enum bench_what what;
};

/* The function that a profiler names. */
ptowsp_status bench_once_measured(struct bench_once *once, struct ptowsp_error *error);

#endif
