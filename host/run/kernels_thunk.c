/* SPDX-License-Identifier: MIT */
/* kernels_thunk.c - direct calls for the signatures that kernels usually have; the rest goes through libffi. */
#include <string.h>

#include "host/run/kernels_ffi.h"

/* i-th scalar of the task as the named C type; floats are bit patterns. */
static float scalar_f32(const struct ptowsp_task *task, uint32_t i)
{
	uint32_t bits = (uint32_t)task->args[i];
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

#define P      void *
#define I64    int64_t
#define I32    int32_t
#define F32    float
#define T(i)   host_task_tensor(task, i)
#define S64(i) ((int64_t)task->args[i])
#define S32(i) ((int32_t)task->args[i])
#define SF(i)  scalar_f32(task, i)

/* X(NAME, signature, C argument types, C arguments) */
#define THUNKS(X)                                                                                                                                              \
	X(p, "v(p)", (P), (T(0)))                                                                                                                              \
	X(pp, "v(p,p)", (P, P), (T(0), T(1)))                                                                                                                  \
	X(ppp, "v(p,p,p)", (P, P, P), (T(0), T(1), T(2)))                                                                                                      \
	X(pppp, "v(p,p,p,p)", (P, P, P, P), (T(0), T(1), T(2), T(3)))                                                                                          \
	X(ppppp, "v(p,p,p,p,p)", (P, P, P, P, P), (T(0), T(1), T(2), T(3), T(4)))                                                                              \
	X(pi, "v(p,i64)", (P, I64), (T(0), S64(0)))                                                                                                            \
	X(ppi, "v(p,p,i64)", (P, P, I64), (T(0), T(1), S64(0)))                                                                                                \
	X(pppi, "v(p,p,p,i64)", (P, P, P, I64), (T(0), T(1), T(2), S64(0)))                                                                                    \
	X(ppii, "v(p,p,i64,i64)", (P, P, I64, I64), (T(0), T(1), S64(0), S64(1)))                                                                              \
	X(pppii, "v(p,p,p,i64,i64)", (P, P, P, I64, I64), (T(0), T(1), T(2), S64(0), S64(1)))                                                                  \
	X(pppiii, "v(p,p,p,i64,i64,i64)", (P, P, P, I64, I64, I64), (T(0), T(1), T(2), S64(0), S64(1), S64(2)))                                                \
	X(pppw, "v(p,p,p,i32)", (P, P, P, I32), (T(0), T(1), T(2), S32(0)))                                                                                    \
	X(ppf, "v(p,p,f32)", (P, P, F32), (T(0), T(1), SF(0)))                                                                                                 \
	X(pppf, "v(p,p,p,f32)", (P, P, P, F32), (T(0), T(1), T(2), SF(0)))                                                                                     \
	X(pppif, "v(p,p,p,i64,f32)", (P, P, P, I64, F32), (T(0), T(1), T(2), S64(0), SF(1)))

#define X(NAME, signature, c_types, c_arguments)                                                                                                               \
	static ptowsp_status run_##NAME(void *context, const struct ptowsp_task *task, struct ptowsp_kernel_out *out)                                          \
	{                                                                                                                                                      \
		const struct host_kernel *kernel = context;                                                                                                    \
		ptowsp_status status = host_kernel_check(kernel, task, out);                                                                                   \
		if (!status)                                                                                                                                   \
			((void(*) c_types)kernel->fn) c_arguments;                                                                                             \
		return status;                                                                                                                                 \
	}
THUNKS(X)
#undef X

host_kernel_fn host_kernel_thunk(const char *signature)
{
	static const struct {
		const char *signature;
		host_kernel_fn fn;
	} rows[] = {
#define X(NAME, signature, c_types, c_arguments) {signature, run_##NAME},
		THUNKS(X)
#undef X
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(rows[i].signature, signature))
			return rows[i].fn;
	return NULL;
}
