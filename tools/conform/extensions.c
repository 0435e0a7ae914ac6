/* SPDX-License-Identifier: MIT */
/* extensions.c - the host's extensions as a test offers them: the host's own code behind them, for the program that is being loaded and for the tokens of conform_services.c. */
#include <stdio.h>
#include <string.h>

#include "host/host_error.h"
#include "host/run/group.h"
#include "host/run/kernels_ffi.h"
#include "host/trust/code.h"
#include "tools/conform/conform_services.h"

_Thread_local struct host_findings *conform_loading;

/* ---- ptowsp.kernels/1, ptowsp.code/1 ---------------------------------------------------------------------------- */

static ptowsp_status kernel_find(void *context, const char *name, const char *signature, const void *native, struct ptowsp_kernel_ref *ref_out,
				 struct ptowsp_error *error)
{
	struct host_kernel *kernel;
	ptowsp_status status;

	(void)context;
	if (!conform_loading)
		return host_fail(error, PTOWSP_INVALID, "kernel \"%.60s\": kernels are looked up while a program is loaded, on the thread that loads it", name);
	status = host_kernel_bind(&kernel, name, signature ? signature : "", native, ref_out, error);
	if (!status)
		host_kernel_link(kernel, &conform_loading->kernels);
	return status;
}

/* Trust comes first, as in every host. */
static ptowsp_status code_load(void *context, const char *kernel, const void *bytes, uint64_t size, const char *entry, uint64_t entry_offset,
			       const void **function_out, struct ptowsp_error *error)
{
	struct conform_services *s = context;
	ptowsp_status status;

	*function_out = NULL;
	if (!conform_loading)
		return host_fail(error, PTOWSP_INVALID, "native code of kernel %.60s: code is loaded while a program is loaded, on the thread that loads it",
				 kernel);
	if (!conform_loading->trusted)
		return host_fail(error, PTOWSP_UNSUPPORTED, "native code of kernel %.60s is not run: the package is not trusted", kernel);
	status = host_code_load(&conform_loading->code, kernel, bytes, size, entry ? entry : "", entry_offset, function_out, error);
	if (!status)
		atomic_fetch_add(&s->codes, 1);
	return status;
}

void conform_findings_finish(struct host_findings *findings)
{
	host_kernels_destroy(findings->kernels);
	host_code_destroy(findings->code);
	*findings = (struct host_findings){0};
}

/* ---- ptowsp.notify/1 -------------------------------------------------------------------------------------------- */

/* The token's group if its run is in flight; what else it may be is told as wrong. */
static struct conform_token *run_of(struct conform_services *s, uint64_t token, const char *what)
{
	struct conform_token *row = conform_token_find(s, token);

	if (row && !atomic_load(&row->done))
		return row;
	conform_wrong(s, "it called %s of " PTOWSP_EXTENSION_NOTIFY " with the token 0x%llx, whose run is %s (PL5)", what, (unsigned long long)token,
		      row ? "over" : "none that was given to it");
	return NULL;
}

static ptowsp_status place(void *context, uint64_t token, uint32_t *device_out, uint32_t *count_out, struct ptowsp_error *error)
{
	struct conform_token *run = run_of(context, token, "place");

	if (!run)
		return host_fail(error, PTOWSP_INVALID, "the token is of no run in flight");
	*device_out = run->group ? run->member : 0;
	*count_out = run->group ? host_group_count(run->group) : 1;
	return PTOWSP_OK;
}

static ptowsp_status alone(struct ptowsp_error *error)
{
	return host_fail(error, PTOWSP_INVALID, "this run has one device");
}

static ptowsp_status send(void *context, uint64_t token, uint32_t device, uint32_t notification, uint64_t cycles, struct ptowsp_error *error)
{
	struct conform_token *run = run_of(context, token, "send");

	return run && run->group ? host_group_send(run->group, run->member, device, notification, cycles, error) : alone(error);
}

static ptowsp_status take(void *context, uint64_t token, uint32_t device, uint32_t notification, uint64_t until_ns, uint64_t *cycles_out,
			  struct ptowsp_error *error)
{
	struct conform_token *run = run_of(context, token, "take");

	return run && run->group ? host_group_take(run->group, run->member, device, notification, until_ns, cycles_out, error) : alone(error);
}

/* ---- by id ------------------------------------------------------------------------------------------------------ */

const void *conform_extension(void *context, const char *id)
{
	static const struct ptowsp_kernels_extension kernels = {PTOWSP_HEAD(kernels, EXTENSION), kernel_find};
	static const struct ptowsp_code_extension code = {PTOWSP_HEAD(code, EXTENSION), code_load};
	static const struct ptowsp_notify_extension notify = {PTOWSP_HEAD(notify, EXTENSION), place, send, take};
	static const struct {
		const char *id;
		const void *table;
	} rows[] = {{PTOWSP_EXTENSION_KERNELS, &kernels}, {PTOWSP_EXTENSION_CODE, &code}, {PTOWSP_EXTENSION_NOTIFY, &notify}};

	if (!id) {
		conform_wrong(context, "it asked host->extension for NULL");
		return NULL;
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(rows[i].id, id))
			return rows[i].table;
	return NULL;
}
