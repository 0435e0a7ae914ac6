/* SPDX-License-Identifier: MIT */
/* remote_limit.c - how long an operation over there may take before its worker is ended. */
#include "host/worker/remote_own.h"

#define SECOND UINT64_C(1000000000)

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Asking and attaching are quick. Loading a library or finding a device may have to wait for a disk or a machine. Translating a program, or expanding it to measure it, takes as
 * long as the program is large. */
uint64_t remote_limit_ns(const struct host_remote *r, uint32_t operation)
{
	switch (operation) {
	case HOST_OPERATION_load:
	case HOST_OPERATION_artifact_emit:
	case HOST_OPERATION_extents_measure:
	case HOST_OPERATION_report_emit:
	case HOST_OPERATION_submit: return r->load_limit_ns;
	case HOST_FRAME_BEGIN:
	case HOST_OPERATION_init:
#if PTOWSP_ABI_MINOR >= 1
	case HOST_OPERATION_compiled_save: /* behind the run, whose result stands */
#endif
	case HOST_OPERATION_open: return smaller(30 * SECOND, r->load_limit_ns);
	default: return smaller(10 * SECOND, r->load_limit_ns);
	}
}

uint64_t remote_until_ns(const struct host_remote *r, uint32_t operation, uint64_t kill_ns)
{
	return kill_ns ? kill_ns : host_now_ns() + remote_limit_ns(r, operation);
}
