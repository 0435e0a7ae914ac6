/* SPDX-License-Identifier: MIT */
#include "ascend/machine/machine_cost.h"

#include "ascend/cost.h"

static uint64_t cycles(const struct ascend_arch *arch, enum ascend_wire wire)
{
	return ascend_wire_cycles(arch, wire);
}

/* What is published of the orchestrator is one figure per task. Half of it is charged for the producer map, where instances take turns, and half for what
 * they do side by side. What another instance is told goes by way of global memory, and is found like COND is read. */
static struct ascend_protocol protocol_of(const struct ascend_arch *arch)
{
	uint64_t generate = cycles(arch, ASCEND_WIRE_generate), store = cycles(arch, ASCEND_WIRE_dmb_store);

	return (struct ascend_protocol){
		.lookup = generate / 2,
		.submit = generate - generate / 2,
		.dispatch = cycles(arch, ASCEND_WIRE_dispatch) + store,
		.token = cycles(arch, ASCEND_WIRE_aicpu_to_aicore),
		.pickup = cycles(arch, ASCEND_WIRE_pickup),
		.fin = cycles(arch, ASCEND_WIRE_aicore_to_aicpu),
		.complete = cycles(arch, ASCEND_WIRE_complete) + cycles(arch, ASCEND_WIRE_cond_read),
		.notify = store,
		.notice = cycles(arch, ASCEND_WIRE_aicore_to_gm),
		.hear = cycles(arch, ASCEND_WIRE_cond_read),
	};
}

struct ascend_machine_config ascend_machine_of(const struct ascend_arch *arch)
{
	return (struct ascend_machine_config){
		.clusters = arch->clusters,
		.vectors_each = arch->vectors_each,
		.first_cube = arch->first_cube,
		.first_vector = arch->first_vector,
		.rings = arch->rings,
		.payloads = 2,
		.cost = protocol_of(arch),
	};
}
