/* SPDX-License-Identifier: MIT */
#include "tools/bench/bodies.h"

#include <stdlib.h>
#include "isa/isa.h"

static ptowsp_status row_make(struct bench_bodies *bodies, const struct pkg_tables *t, uint32_t row, struct ptowsp_error *error)
{
	const struct ptowsp_kernel_record *kernel = &t->kernel[row];

	for (uint32_t i = 0; i < kernel->param_count; i++)
		bodies->scalars[row] += t->param[kernel->params + i].kind == PTOWSP_PARAM_SCALAR;
	for (uint32_t i = 0; i < kernel->payload_count; i++) {
		const struct ptowsp_payload_record *payload = &t->payload[kernel->payloads + i];

		if (payload->kind == PTOWSP_PAYLOAD_PTO)
			return isa_program_create(&bodies->rows[row], t->code + payload->offset, payload->size, t->strings, t->strings_size, error);
	}
	return PTOWSP_OK;
}

ptowsp_status bench_bodies_init(struct bench_bodies *bodies, const struct pkg_tables *tables, struct ptowsp_error *error)
{
	ptowsp_status st;

	*bodies = (struct bench_bodies){0};
	bodies->rows = calloc((size_t)tables->kernel_count + 1, sizeof(struct isa_program *));
	bodies->scalars = calloc((size_t)tables->kernel_count + 1, sizeof(*bodies->scalars));
	st = bodies->rows && bodies->scalars ? PTOWSP_OK : PTOWSP_NO_MEMORY;
	for (; !st && bodies->count < tables->kernel_count; bodies->count++)
		st = row_make(bodies, tables, bodies->count, error);
	return st;
}

void bench_bodies_finish(struct bench_bodies *bodies)
{
	for (uint32_t i = 0; i < bodies->count; i++)
		isa_program_destroy(bodies->rows[i]);
	free(bodies->rows);
	free(bodies->scalars);
	*bodies = (struct bench_bodies){0};
}

ptowsp_status bench_bodies_cycles(const struct bench_bodies *bodies, uint32_t kernel, const uint64_t *args, uint64_t *cycles_out)
{
	*cycles_out = 1;
	return bodies->rows[kernel] ? isa_walk(bodies->rows[kernel], args, bodies->scalars[kernel], 0, NULL, NULL, cycles_out, NULL) : PTOWSP_OK;
}

ptowsp_status bench_bodies_footprint(const struct bench_bodies *bodies, uint32_t kernel, const uint64_t *args, rt_touch_fn touch, void *sink)
{
	uint64_t cycles;

	if (!bodies->rows[kernel])
		return PTOWSP_UNSUPPORTED;
	return isa_walk(bodies->rows[kernel], args, bodies->scalars[kernel], 0, touch, sink, &cycles, NULL);
}
