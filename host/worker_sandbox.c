/* SPDX-License-Identifier: MIT */
/* worker_sandbox.c - what an isolated plugin cannot do. */
#include "host/error.h"
#include "host/worker.h"

ptowsp_status worker_sandbox(const char *plugin, struct ptowsp_error *error)
{
	(void)plugin;
	return host_fail(error, PTOWSP_UNSUPPORTED, "this build has no sandbox");
}
