/* SPDX-License-Identifier: MIT */
/* layer_fault.c - what may fail fails, by a seed: memory is not there, an operation is refused before the plugin hears of it, a completion comes late. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host/host_error.h"
#include "host/layers/layers.h"
#include "registry/common/common_hash.h"

enum { REFUSED_OF = 8, ALLOC_OF = 16, LATE_OF = 4, LATE_MS = 20 };

struct fault {
	struct host_layer layer;
	_Atomic uint64_t draws; /* of all threads together: with several the same seed may hit other calls */
	_Atomic bool told;      /* that memory was not there: a plugin's sentence of that does not know why */
	uint64_t seed;
};

/* splitmix64 of the seed and the number of the draw. */
static uint64_t draw(struct fault *f)
{
	return common_mix(f->seed + (atomic_fetch_add_explicit(&f->draws, 1, memory_order_relaxed) + 1) * COMMON_GOLDEN);
}

/* Operations that end an object, or say how many there are, cannot be refused: a host would have no way on. */
static bool may_be_refused(const struct host_call *call)
{
	const struct host_operation *o = call->operation;

	if (o->caller != HOST_SIDE_HOST || o->result != HOST_RESULT_IS_STATUS)
		return false;
	for (unsigned i = 0; i < o->parameter_count; i++)
		if (o->parameters[i].direction == HOST_DIRECTION_LAST || o->parameters[i].direction == HOST_DIRECTION_INOUT)
			return false;
	return true;
}

/* true: there is memory as always. */
static bool alloc_allow(struct fault *f, const struct host_caller *caller)
{
	const struct ptowsp_host *host = caller->services;
	char line[80];

	if (draw(f) % ALLOC_OF)
		return true;
	if (!atomic_exchange(&f->told, true)) {
		snprintf(line, sizeof(line), "layer fault answers alloc with NULL now and then (seed %llu)", (unsigned long long)f->seed);
		host->log(host->context, PTOWSP_LOG_WARNING, line, strlen(line));
	}
	return false;
}

static bool before(struct host_layer *layer, struct host_caller *caller, struct host_call *call)
{
	static const ptowsp_status refusals[] = {PTOWSP_NO_MEMORY, PTOWSP_AGAIN, PTOWSP_DEVICE_LOST, PTOWSP_RUN_FAILED};
	struct fault *f = (struct fault *)layer;
	uint64_t x;

	if (may_be_refused(call)) {
		x = draw(f);
		if (x % REFUSED_OF)
			return true;
		call->status = host_fail(call->error, refusals[x / REFUSED_OF % 4], "layer fault refused %s (seed %llu)", call->operation->name,
					 (unsigned long long)f->seed);
		return false;
	}
	if (host_call_id(call) == HOST_OPERATION_alloc)
		return alloc_allow(f, caller); /* or it is answered with NULL */
	if (host_call_id(call) == HOST_OPERATION_done && (x = draw(f)) % LATE_OF == 0)
		nanosleep(&(struct timespec){0, (long)(x / LATE_OF % LATE_MS) * 1000000}, NULL);
	return true;
}

static void destroy(struct host_layer *layer)
{
	free(layer);
}

ptowsp_status host_layer_fault(struct host_layer **out, const char *parameter, struct host_breaches *breaches, struct ptowsp_error *error)
{
	struct fault *f = calloc(1, sizeof(*f));
	char *end = NULL;

	(void)breaches;
	if (!f)
		return host_fail(error, PTOWSP_NO_MEMORY, "no memory for the layer fault");
	errno = 0;
	f->seed = *parameter ? strtoull(parameter, &end, 10) : 1;
	if (end && (*end || errno || *parameter < '0' || *parameter > '9')) {
		free(f);
		return host_fail(error, PTOWSP_INVALID, "layer fault: seed \"%.40s\" is no whole number below 2^64", parameter);
	}
	f->layer = (struct host_layer){.before = before, .destroy = destroy};
	*out = &f->layer;
	return PTOWSP_OK;
}
