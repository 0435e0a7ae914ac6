/* SPDX-License-Identifier: MIT */
/* kernels_ffi.h - C functions of natural signatures made callable as tasks: bound once when a program is loaded, by a
 * direct thunk for common shapes, else through libffi. */
#ifndef HOST_KERNELS_FFI_H
#define HOST_KERNELS_FFI_H

#include "host/host_error.h"
#include "ptowsp/host.h"
#include "registry/signature.h"

/* One bound function; owned by the program that found it. Immutable after bind: called from any thread. */
struct host_kernel {
	struct host_kernel *next;
	void (*fn)(void);
	uint32_t tensors, scalars; /* that the signature takes */
	struct reg_signature signature;
	const char *how; /* "uniform", "thunk" or "libffi", static */
	char name[64];
	void *call; /* of the libffi path, owned */
};

/* native NULL: looked up among the registered ones. ref_out->context is *kernel_out, destroyed by host_kernels_destroy.
 * Errors: NOT_FOUND, INVALID, NO_MEMORY with a sentence. Any thread. */
ptowsp_status host_kernel_bind(struct host_kernel **kernel_out, const char *name, const char *signature, const void *native, struct ptowsp_kernel_ref *ref_out,
			       struct ptowsp_error *error);
void host_kernel_link(struct host_kernel *kernel, struct host_kernel **list);
/* Destroys a whole list; NULL is allowed. */
void host_kernels_destroy(struct host_kernel *list);

/* Direct thunks (kernels_thunk.c): NULL if the signature, as reg_signature_print writes it, has none. */
typedef ptowsp_status (*host_kernel_fn)(void *context, const struct ptowsp_task *task, struct ptowsp_kernel_out *out);
host_kernel_fn host_kernel_thunk(const char *signature);
/* Does the task bring what the signature takes? KERNEL_FAILED with a sentence if not. */
ptowsp_status host_kernel_check(const struct host_kernel *kernel, const struct ptowsp_task *task, struct ptowsp_kernel_out *out);
/* i-th tensor of a task, whatever the stride. */
static inline void *host_task_tensor(const struct ptowsp_task *task, uint32_t i)
{
	const char *base = (const char *)task->tensors + (size_t)i * task->tensor_stride;

	return ((const struct ptowsp_tensor_arg *)(const void *)base)->data;
}

#endif
