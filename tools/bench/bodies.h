/* SPDX-License-Identifier: MIT */
/* bodies.h - what the portable kernels of a package cost and touch, by walking them as a backend does; nobody runs them. */
#ifndef TOOLS_BENCH_BODIES_H
#define TOOLS_BENCH_BODIES_H

#include "format/package.h"
#include "rt/rt.h"

struct isa_program;
struct bench_bodies {
	struct isa_program **rows; /* per KREG row; NULL: it has no portable payload, costs one cycle and says nothing */
	uint32_t *scalars;         /* how many each takes */
	uint32_t count;
};
/* Call finish also after a failure. Errors: BAD_PACKAGE, NO_MEMORY. */
ptowsp_status bench_bodies_init(struct bench_bodies *bodies, const struct pkg_tables *tables, struct ptowsp_error *error);
void bench_bodies_finish(struct bench_bodies *bodies);
/* The answers that struct rt_kernels asks for, of a KREG row. */
ptowsp_status bench_bodies_cycles(const struct bench_bodies *bodies, uint32_t kernel, const uint64_t *args, uint64_t *cycles_out);
ptowsp_status bench_bodies_footprint(const struct bench_bodies *bodies, uint32_t kernel, const uint64_t *args, rt_touch_fn touch, void *sink);

#endif
