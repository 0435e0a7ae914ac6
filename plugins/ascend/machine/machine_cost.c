/* SPDX-License-Identifier: MIT */
#include "ascend/machine/machine_cost.h"

#include "ascend/cost.h"

static uint64_t cycles(const struct ascend_arch *arch, enum ascend_wire wire)
{
	return ascend_wire_cycles(arch, wire);
}

/* The orchestrator's published figure is one per task. Half of it is charged for the producer map, where instances take turns, and half for what
 * they do side by side. A notice to another instance goes by way of global memory, and is found like COND is read. */
struct ascend_protocol ascend_protocol_of(const struct ascend_arch *arch, bool fitted)
{
	const enum ascend_wire generates = fitted ? ASCEND_WIRE_generate_fitted : ASCEND_WIRE_generate,
			       dispatches = fitted ? ASCEND_WIRE_dispatch_fitted : ASCEND_WIRE_dispatch,
			       completes = fitted ? ASCEND_WIRE_complete_fitted : ASCEND_WIRE_complete;
	uint64_t generate = cycles(arch, generates), store = cycles(arch, ASCEND_WIRE_dmb_store);

	return (struct ascend_protocol){
		.lookup = generate / 2,
		.submit = generate - generate / 2,
		.dispatch = cycles(arch, dispatches) + store,
		.token = cycles(arch, ASCEND_WIRE_aicpu_to_aicore),
		.pickup = cycles(arch, ASCEND_WIRE_pickup),
		.fin = cycles(arch, ASCEND_WIRE_aicore_to_aicpu),
		.complete = cycles(arch, completes) + cycles(arch, ASCEND_WIRE_cond_read),
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
		.payloads = 2,
		.cost = ascend_protocol_of(arch, false),
	};
}
