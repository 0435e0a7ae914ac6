/* SPDX-License-Identifier: MIT */
/* kernels.c - kernels that cost one cycle and say nothing. */
#include "tools/bench/kernels.h"

static ptowsp_status cycles(void *context, uint32_t kernel, const uint64_t *args, uint64_t *cycles_out)
{
	(void)context, (void)kernel, (void)args;
	*cycles_out = 1;
	return PTOWSP_OK;
}

static ptowsp_status footprint(void *context, uint32_t kernel, const uint64_t *args, rt_touch_fn touch, void *sink)
{
	(void)context, (void)kernel, (void)args, (void)touch, (void)sink;
	return PTOWSP_UNSUPPORTED; /* regions say it all */
}

static int varies(void *context, uint32_t kernel)
{
	(void)context, (void)kernel;
	return 0;
}

static const char *unusable(void *context, uint32_t kernel)
{
	(void)context, (void)kernel;
	return NULL;
}

struct rt_kernels bench_kernels(ptowsp_status (*run)(void *context, const struct ptowsp_task *task,
						     struct ptowsp_kernel_out *out, uint32_t worker))
{
	return (struct rt_kernels){.cycles = cycles, .footprint = footprint, .varies = varies, .run = run, .unusable = unusable};
}
