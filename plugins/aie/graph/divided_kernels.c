/* SPDX-License-Identifier: MIT */
/* divided_kernels.c - kernels of parts beside those of the package: numbers above the package's own are of parts. */
#include "aie/graph/divided.h"

uint32_t aie_divided_kernel(const struct aie_divided *divided, uint32_t kernel)
{
	if (divided->any && kernel > divided->package)
		for (uint32_t r = divided->row_count; r-- > 0;)
			if (kernel >= divided->rows[r].first)
				return divided->rows[r].kernel;
	return kernel;
}

ptowsp_status aie_divided_run(struct aie_divided *divided, struct base_kernels *watched, const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	struct base_kernels *kernels = &divided->kernels;
	const struct rt_kernels table = base_kernels_table(kernels);
	ptowsp_status status;

	base_kernels_watch(kernels, watched->watch.cancel, watched->watch.deadline_ns);
	status = table.run(table.context, task, out, 0);
	if (atomic_load(&kernels->watch.stopped)) /* it is the whole that was ended */
		atomic_store(&watched->watch.stopped, aie_divided_kernel(divided, task->kernel) + 1);
	return status;
}

static const struct rt_kernels *whose(const struct aie_divided_kernels *kernels, uint32_t kernel)
{
	return kernel > kernels->divided->package ? &kernels->own : kernels->others;
}

static ptowsp_status footprint(void *context, uint32_t kernel, const uint64_t *args, rt_touch_fn touch, void *sink)
{
	const struct rt_kernels *of = whose(context, kernel);

	return of->footprint(of->context, kernel, args, touch, sink);
}

static int varies(void *context, uint32_t kernel)
{
	const struct rt_kernels *of = whose(context, kernel);

	return of->varies(of->context, kernel);
}

struct rt_kernels aie_divided_table(struct aie_divided_kernels *kernels)
{
	struct rt_kernels table = *kernels->others;

	kernels->own = base_kernels_table((struct base_kernels *)&kernels->divided->kernels);
	table.context = kernels;
	table.footprint = footprint;
	table.varies = varies;
	return table;
}
