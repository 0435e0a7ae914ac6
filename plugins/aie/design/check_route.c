/* SPDX-License-Identifier: MIT */
/* check_route.c - routes beside the switches that they go through, without the router's own tables. */
#include "aie/design/aie_check.h"

#include "base/error.h"
#include <stdlib.h>

enum { PORT_CHANNELS = 16 };

/* Per port the flow that has it, + 1. */
struct ports {
	const struct aie_arch *arch;
	uint32_t *into, *out;
};

static size_t port_at(const struct ports *ports, const struct aie_port *port)
{
	return (((size_t)port->column * ports->arch->rows + (size_t)port->row) * AIE_BUNDLES + port->bundle) * PORT_CHANNELS + port->channel;
}

/* A port of a flow as a switch has it: those of a shim's DMA are South ports. */
static bool switch_port(const struct ports *ports, const struct aie_port *port, bool into, struct aie_port *port_out)
{
	*port_out = *port;
	if (!aie_arch_inside(ports->arch, port->column, port->row) || port->channel >= PORT_CHANNELS || port->bundle >= AIE_BUNDLES)
		return false;
	if (aie_arch_kind(ports->arch, port->row) != AIE_SHIM || (port->bundle != AIE_BUNDLE_DMA && port->bundle != AIE_BUNDLE_NOC))
		return true;
	port_out->bundle = AIE_BUNDLE_SOUTH;
	return aie_arch_mux(port->bundle, port->channel, into, &port_out->channel);
}

static bool is_side(enum aie_bundle bundle)
{
	return bundle == AIE_BUNDLE_SOUTH || bundle == AIE_BUNDLE_WEST || bundle == AIE_BUNDLE_NORTH || bundle == AIE_BUNDLE_EAST;
}

static ptowsp_status check_hop(struct ports *ports, const struct aie_hop *hop, uint32_t flow, const struct aie_op *op, struct ptowsp_error *error)
{
	struct aie_port in = {hop->column, hop->row, hop->in, hop->in_channel}, out = {hop->column, hop->row, hop->out, hop->out_channel};

	if (!switch_port(ports, &in, true, &in) || !switch_port(ports, &out, false, &out) ||
	    !aie_arch_connects(ports->arch, aie_arch_kind(ports->arch, hop->row), hop->in, hop->in_channel, hop->out, hop->out_channel))
		return aie_rule_fail(error, PTOWSP_INVALID, op, AIE_RULE_PORT, "the switch of tile (%d,%d) has no way from %s %u to %s %u", hop->column,
				     hop->row, aie_arch_bundle_text(hop->in), hop->in_channel, aie_arch_bundle_text(hop->out), hop->out_channel);
	if (ports->out[port_at(ports, &out)])
		return aie_rule_fail(error, PTOWSP_INVALID, op, AIE_RULE_PORT_ONCE, "port %s %u out of the switch of tile (%d,%d) is driven by 2 streams, of 1",
				     aie_arch_bundle_text(hop->out), hop->out_channel, hop->column, hop->row);
	if (ports->into[port_at(ports, &in)] != flow + 1)
		return aie_rule_fail(error, PTOWSP_INVALID, op, AIE_RULE_PORT, "nothing of its stream comes to port %s %u into the switch of tile (%d,%d)",
				     aie_arch_bundle_text(hop->in), hop->in_channel, hop->column, hop->row);
	ports->out[port_at(ports, &out)] = flow + 1;
	if (!is_side(hop->out) || !aie_arch_wires(ports->arch, hop->column, hop->row, hop->out))
		return PTOWSP_OK;
	out.bundle = aie_arch_step(hop->out, &out.column, &out.row);
	ports->into[port_at(ports, &out)] = flow + 1;
	return PTOWSP_OK;
}

static ptowsp_status check_flow(struct ports *ports, const struct aie_flow *flow, uint32_t number, const struct aie_routes *routes, const struct aie_op *op,
				struct ptowsp_error *error)
{
	const struct aie_route *route = &routes->routes[number];
	struct aie_port port;
	ptowsp_status status = PTOWSP_OK;

	if (switch_port(ports, &flow->from, true, &port))
		ports->into[port_at(ports, &port)] = number + 1;
	for (uint32_t i = 0; !status && i < route->count; i++)
		status = check_hop(ports, &routes->hops[route->first + i], number, op, error);
	for (uint32_t i = 0; !status && i < flow->to_count; i++)
		if (!switch_port(ports, &flow->to[i], false, &port) || ports->out[port_at(ports, &port)] != number + 1)
			status = aie_rule_fail(error, PTOWSP_INVALID, op, AIE_RULE_PORT, "its stream does not come to %s %u of tile (%d,%d)",
					       aie_arch_bundle_text(flow->to[i].bundle), flow->to[i].channel, flow->to[i].column, flow->to[i].row);
	return status;
}

ptowsp_status aie_check_routes(const struct aie_design *design, const struct aie_channels *channels, const struct aie_routes *routes,
			       struct ptowsp_error *error)
{
	const size_t count = (size_t)design->arch->columns * design->arch->rows * AIE_BUNDLES * PORT_CHANNELS;
	struct ports ports = {design->arch, calloc(count, sizeof(*ports.into)), calloc(count, sizeof(*ports.out))};
	ptowsp_status status = PTOWSP_OK;

	if (!ports.into || !ports.out)
		status = base_fail(error, PTOWSP_NO_MEMORY, "there is no memory to check routes");
	else if (routes->count != channels->flow_count)
		status = base_fail(error, PTOWSP_INVALID, "there are %u routes for %u streams", routes->count, channels->flow_count);
	for (uint32_t i = 0; !status && i < channels->flow_count; i++)
		status = check_flow(&ports, &channels->flows[i], i, routes, design->fifos[channels->flow_fifos[i]].op, error);
	free(ports.into);
	free(ports.out);
	return status;
}
