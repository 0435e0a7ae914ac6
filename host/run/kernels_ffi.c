/* SPDX-License-Identifier: MIT */
/* kernels_ffi.c - binding of C functions: lookup, signature, libffi. */
#include "host/run/kernels_ffi.h"

#include <ffi.h>
#include <stdlib.h>
#include <string.h>

#include "registry/registry_kernels.h"

/* The call description of libffi for one function, prepared once. */
struct call {
	ffi_cif cif;
	ffi_type *types[REG_SIGNATURE_ARGUMENTS];
};

static ffi_type *const types[REG_TYPE_COUNT] = {
	[REG_TYPE_V] = &ffi_type_void,     [REG_TYPE_I8] = &ffi_type_sint8,  [REG_TYPE_I16] = &ffi_type_sint16, [REG_TYPE_I32] = &ffi_type_sint32,
	[REG_TYPE_I64] = &ffi_type_sint64, [REG_TYPE_U8] = &ffi_type_uint8,  [REG_TYPE_U16] = &ffi_type_uint16, [REG_TYPE_U32] = &ffi_type_uint32,
	[REG_TYPE_U64] = &ffi_type_uint64, [REG_TYPE_F32] = &ffi_type_float, [REG_TYPE_F64] = &ffi_type_double, [REG_TYPE_P] = &ffi_type_pointer,
};

ptowsp_status host_kernel_check(const struct host_kernel *kernel, const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	if (task->tensor_count >= kernel->tensors && task->arg_count >= kernel->scalars)
		return PTOWSP_OK;
	return host_fail(out->error, PTOWSP_KERNEL_FAILED, "kernel \"%s\" takes %u tensors and %u scalars, its task brings %u and %u", kernel->name,
			 kernel->tensors, kernel->scalars, task->tensor_count, task->arg_count);
}

/* Little-endian: the low bytes of a task argument are the narrower type, for integers and for float bit patterns. */
static ptowsp_status run_ffi(void *context, const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	struct host_kernel *kernel = context;
	struct call *call = kernel->call;
	void *pointers[REG_SIGNATURE_ARGUMENTS], *values[REG_SIGNATURE_ARGUMENTS];
	uint64_t scalars[REG_SIGNATURE_ARGUMENTS];
	uint32_t tensor = 0, scalar = 0;
	union {
		ffi_arg integer;
		double number;
		void *pointer;
	} ignored;
	ptowsp_status status = host_kernel_check(kernel, task, out);

	if (status)
		return status;
	for (uint32_t i = 0; i < kernel->signature.count; i++) {
		if (kernel->signature.types[i] == REG_TYPE_P) {
			pointers[i] = host_task_tensor(task, tensor++);
			values[i] = &pointers[i];
		} else {
			scalars[i] = task->args[scalar++];
			values[i] = &scalars[i];
		}
	}
	ffi_call(&call->cif, kernel->fn, &ignored, values);
	return PTOWSP_OK;
}

static ptowsp_status run_uniform(void *context, const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	struct host_kernel *kernel = context;

	return ((ptowsp_kernel_fn)kernel->fn)(task, out);
}

static ptowsp_status ffi_prepare(struct host_kernel *kernel, struct ptowsp_error *error)
{
	const struct reg_signature *s = &kernel->signature;
	struct call *call = calloc(1, sizeof(*call));

	kernel->call = call;
	if (!call)
		return host_fail(error, PTOWSP_NO_MEMORY, "no memory to bind kernel \"%s\"", kernel->name);
	for (uint32_t i = 0; i < s->count; i++)
		call->types[i] = types[s->types[i]];
	if (ffi_prep_cif(&call->cif, FFI_DEFAULT_ABI, s->count, types[s->result], call->types) != FFI_OK)
		return host_fail(error, PTOWSP_INVALID, "kernel \"%s\": libffi cannot call its signature", kernel->name);
	return PTOWSP_OK;
}

/* Chooses how the function will be called. */
static ptowsp_status choose(struct host_kernel *kernel, const char *signature, host_kernel_fn *fn_out, struct ptowsp_error *error)
{
	char text[REG_SIGNATURE_TEXT];
	ptowsp_status status;

	kernel->how = "uniform";
	*fn_out = run_uniform;
	if (!*signature)
		return PTOWSP_OK;
	status = reg_signature_parse(&kernel->signature, signature, error);
	if (status)
		return status;
	for (uint32_t i = 0; i < kernel->signature.count; i++)
		kernel->signature.types[i] == REG_TYPE_P ? kernel->tensors++ : kernel->scalars++;
	reg_signature_print(&kernel->signature, text);
	kernel->how = "thunk";
	*fn_out = host_kernel_thunk(text);
	if (*fn_out)
		return PTOWSP_OK;
	kernel->how = "libffi";
	*fn_out = run_ffi;
	return ffi_prepare(kernel, error);
}

ptowsp_status host_kernel_bind(struct host_kernel **kernel_out, const char *name, const char *signature, const void *native, struct ptowsp_kernel_ref *ref_out,
			       struct ptowsp_error *error)
{
	struct host_kernel *kernel = calloc(1, sizeof(*kernel));
	host_kernel_fn fn = NULL;
	ptowsp_status status = PTOWSP_OK;

	*kernel_out = NULL;
	*ref_out = (struct ptowsp_kernel_ref){0};
	if (!kernel)
		return host_fail(error, PTOWSP_NO_MEMORY, "no memory to bind kernel \"%.60s\"", name);
	strncpy(kernel->name, name, sizeof(kernel->name) - 1);
	if (native)
		memcpy(&kernel->fn, &native, sizeof(kernel->fn)); /* POSIX: both pointers have one form */
	else
		status = reg_kernel_find(name, signature, &kernel->fn, error);
	if (!status)
		status = choose(kernel, signature, &fn, error);
	if (status) {
		host_kernels_destroy(kernel);
		return status;
	}
	*kernel_out = kernel;
	*ref_out = (struct ptowsp_kernel_ref){fn, kernel};
	return PTOWSP_OK;
}

void host_kernel_link(struct host_kernel *kernel, struct host_kernel **list)
{
	kernel->next = *list;
	*list = kernel;
}

void host_kernels_destroy(struct host_kernel *list)
{
	while (list) {
		struct host_kernel *next = list->next;

		free(list->call);
		free(list);
		list = next;
	}
}
