/* SPDX-License-Identifier: MIT */
/* kernel.c - the kernel of every task in the runtime's simulation, where kernels are functions of this process: hands the task back to the backend, which
 * interprets tile programs and calls C functions. One object serves all kernels of a package; the runtime loads it once per kernel. */
#include "adapter.h"

__attribute__((visibility("default"))) void kernel_entry(int64_t *args);

/* args: the address of a tensor record per tensor argument, then the scalars. */
void kernel_entry(int64_t *args)
{
	const struct ascend_call *call = ascend_call_find(args);

	call->run(call, args);
}
