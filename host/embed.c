/* SPDX-License-Identifier: MIT */
/* embed.c - the general part of the embedding API, and kernels of the embedding program. */
#include "host/host_error.h"
#include "host/ptowsp_host.h"
#include "registry/registry_kernels.h"

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

const char *ptowsp_version(void)
{
	return TEXT(PTOWSP_ABI_MAJOR) "." TEXT(PTOWSP_ABI_MINOR) ".0";
}

const char *ptowsp_features(void)
{
	return "plugin ABI " PTOWSP_ABI_STRING " minor " TEXT(PTOWSP_ABI_MINOR) ", packages " PTOWSP_ABI_STRING ", kernels through libffi";
}

ptowsp_status ptowsp_kernel_register(const char *name, const char *signature, ptowsp_native_fn fn)
{
	struct ptowsp_error *error = host_error_enter(NULL);

	return host_error_leave(reg_kernel_register(name, signature ? signature : "", fn, error), error);
}

int ptowsp_kernel_has(const char *name)
{
	return reg_kernel_has(name);
}

int ptowsp_kernel_unregister(const char *name)
{
	return reg_kernel_unregister(name);
}
