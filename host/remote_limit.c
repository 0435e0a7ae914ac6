/* SPDX-License-Identifier: MIT */
/* remote_limit.c - how long an operation over there may take before its worker is ended. */
#include "host/remote_own.h"

#define SECOND UINT64_C(1000000000)

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What only asks or attaches is quick. What loads a library or finds a device may have to wait for a disk or a machine. What translates a program, or expands it to measure it, takes as
 * long as the program is large. */
uint64_t remote_limit_ns(const struct host_remote *r, uint32_t operation)
{
	switch (operation) {
	case HOST_FRAME_LOAD:
	case HOST_FRAME_ARTIFACT:
	case HOST_FRAME_MEASURE:
	case HOST_FRAME_REPORT:
	case HOST_FRAME_SUBMIT: return r->load_limit_ns;
	case HOST_FRAME_BEGIN:
	case HOST_FRAME_INIT:
	case HOST_FRAME_OPEN: return smaller(30 * SECOND, r->load_limit_ns);
	default: return smaller(10 * SECOND, r->load_limit_ns);
	}
}
