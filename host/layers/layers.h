/* SPDX-License-Identifier: MIT */
/* layers.h - the checking layers by name, and what they share. */
#ifndef HOST_LAYERS_H
#define HOST_LAYERS_H

#include "host/layers/breach.h"

/* "NAME[:PARAMETER],...": trace[:FILE], validate, threads, fault[:SEED], each at most once; their order in the text does not matter, trace sees everything first.
 * Puts them into caller->layers; breaches outlive the caller. Errors: INVALID (lists the known names), IO (the file), NO_MEMORY. */
ptowsp_status host_layers_create(struct host_caller *caller, const char *text, struct host_breaches *breaches, struct ptowsp_error *error);
/* The text names that layer. text may be NULL. */
bool host_layers_have(const char *text, const char *name);

/* Each layer's maker: parameter "" if there is none. *layer_out is owned by the caller that it is put into. */
typedef ptowsp_status host_layer_make(struct host_layer **layer_out, const char *parameter, struct host_breaches *breaches, struct ptowsp_error *error);
host_layer_make host_layer_trace, host_layer_validate, host_layer_threads, host_layer_fault;

/* A call's parameter by kind and position; NULL if it has none. */
static inline const struct host_parameter *host_call_parameter(const struct host_call *call, unsigned kind, union host_value *value_out)
{
	for (unsigned i = 0; i < call->operation->parameter_count; i++)
		if (call->operation->parameters[i].kind == kind) {
			*value_out = call->values[i];
			return &call->operation->parameters[i];
		}
	return NULL;
}
static inline enum host_operation_id host_call_id(const struct host_call *call)
{
	return (enum host_operation_id)(call->operation - host_operations);
}

#endif
