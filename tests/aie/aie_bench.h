/* SPDX-License-Identifier: MIT
 * aie_bench.h - a module of one core, whose body is run alone. */
#ifndef PTOWSP_TESTS_AIE_BENCH_H
#define PTOWSP_TESTS_AIE_BENCH_H

#include "aie/ir/body.h"

enum { AIE_BENCH_BUFFERS = 4, AIE_BENCH_BYTES = 16384 };

/* A module of one core, whose buffers a, b, c, d are here. Zeroed or finished before it is made; what is set in outside.kernels stays. */
struct aie_bench {
	struct aie_module module;
	struct aie_design design;
	struct aie_function functions[8];
	struct aie_body_outside outside;
	struct aie_body *body;
	uint8_t memory[AIE_BENCH_BUFFERS][AIE_BENCH_BYTES];
	struct ptowsp_error error;
	uint64_t cycles;
};
/* types: of the buffers' memrefs, in their order; functions and body are text. Errors: in b->error. */
ptowsp_status aie_bench_make(struct aie_bench *b, const char *const *types, const char *functions, const char *body);
/* To the end of the body; cycles of all of it. */
ptowsp_status aie_bench_run(struct aie_bench *b);
void aie_bench_finish(struct aie_bench *b);

#endif
