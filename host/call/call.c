/* SPDX-License-Identifier: MIT */
/* call.c - records of calls: made, led through the layers, carried to a function of this process. */
#include "host/call/call.h"

#include <stdlib.h>

#include "host/call/struct_check.h"
#include "host/call/upward.h"
#include "host/host_error.h"
#include "registry/names.h"

static _Thread_local const struct host_call *current; /* the innermost call on this thread, in either direction */

/* ---- the description fits the headers, parameter by parameter ---- */

#define FITS(s, field, result, ...)                                                                                                                            \
	_Static_assert(_Generic(((struct ptowsp_##s *)0)->field, HOST_RESULT_##result(*)(HOST_EACH(HOST_DECLARE, 0, __VA_ARGS__) HOST_ERROR_##result) : 1,     \
				default : 0),                                                                                                                  \
		       "operations.def does not say what the headers say of " #s "." #field);
#define OPERATION(name, s, field, since, thread, result, ...) FITS(s, field, result, __VA_ARGS__)
#define SERVICE(name, s, field, since, thread, result, ...)   FITS(s, field, result, __VA_ARGS__)
#include "ptowsp/operations.def"
#define FUNCTION(s, field, callback)                                                                                                                           \
	_Static_assert(_Generic(((struct ptowsp_##s *)0)->field, host_fn_##callback * : 1, default : 0), "structs.def: " #s "." #field);
#include "ptowsp/structs.def"

/* ---- from a record to a function ---- */

/* Each in three steps: the function out of the record, the call, its result into the record. */
#define CARRY(name, type, function, result, ...)                                                                                                               \
	static void carry_##name(struct host_call *call)                                                                                                       \
	{                                                                                                                                                      \
		type = function;                                                                                                                               \
		HOST_KEEP_##result(call) fn(HOST_EACH(HOST_UNPACK, call->values, __VA_ARGS__) HOST_ERROR_UNPACK_##result(call));                               \
	}
#define OF_TABLE(name, s, field, result, ...)                                                                                                                  \
	CARRY(name, HOST_RESULT_##result (*fn)(HOST_EACH(HOST_DECLARE, 0, __VA_ARGS__) HOST_ERROR_##result), ((const struct ptowsp_##s *)call->table)->field,  \
	      result, __VA_ARGS__)
#define OPERATION(name, s, field, since, thread, result, ...) OF_TABLE(name, s, field, result, __VA_ARGS__)
#define SERVICE(name, s, field, since, thread, result, ...)   OF_TABLE(name, s, field, result, __VA_ARGS__)
#define CALLBACK(name, since, thread, result, ...)            CARRY(name, host_fn_##name *fn, (host_fn_##name *)call->function, result, __VA_ARGS__)
#include "ptowsp/operations.def"

void host_call_local(struct host_caller *caller, struct host_call *call)
{
	static void (*const carry[HOST_OPERATION_COUNT])(struct host_call * call) = {
#define OPERATION(name, ...) carry_##name,
#define SERVICE(name, ...)   carry_##name,
#define CALLBACK(name, ...)  carry_##name,
#include "ptowsp/operations.def"
	};

	(void)caller;
	carry[call->operation - host_operations](call);
}

/* ---- layers ---- */

static void layers_run(struct host_layer *layer, struct host_caller *caller, struct host_call *call,
		       void (*carry)(struct host_caller *caller, struct host_call *call))
{
	if (!layer) {
		carry(caller, call);
		return;
	}
	if (layer->before && !layer->before(layer, caller, call))
		return;
	layers_run(layer->next, caller, call, carry);
	if (layer->after)
		layer->after(layer, caller, call);
}

static void run(struct host_caller *caller, struct host_call *call, void (*carry)(struct host_caller *caller, struct host_call *call))
{
	if (!caller->layers) {
		carry(caller, call);
		return;
	}
	call->outer = current;
	current = call;
	layers_run(caller->layers, caller, call, carry);
	current = call->outer;
}

/* An object that a call is to make, and did not. */
static bool lacks_object(const struct host_call *call)
{
	for (unsigned i = 0; i < call->operation->parameter_count; i++) {
		const struct host_parameter *p = &call->operation->parameters[i];

		if (p->kind == HOST_PARAMETER_HANDLE && p->direction == HOST_DIRECTION_OUT && !*(void *const *)call->values[i].data)
			return true;
	}
	return false;
}

/* Callers rely on what headers promise, so that what a plugin answers otherwise is no answer to them: a status of status.def, an object with OK, a sentence with every other one. */
static void answer_check(const struct host_caller *caller, struct host_call *call)
{
	const char *operation = call->operation->name;

	if (call->status > 0)
		call->status = host_fail(call->error, PTOWSP_PLUGIN_REFUSED, "the plugin answered %s with the status %d; one is 0 or negative", operation,
					 call->status);
	else if (!call->status && lacks_object(call))
		call->status = host_fail(call->error, PTOWSP_PLUGIN_REFUSED, "the plugin answered %s with OK and no object", operation);
	else if (*reg_status_name(call->status) == '?')
		call->status =
			host_fail(call->error, PTOWSP_PLUGIN_REFUSED, "the plugin answered %s with the status %d, which is none", operation, call->status);
	if (!call->status || !call->error)
		return;
	host_line(call->error->text, sizeof(call->error->text));
	if (!*call->error->text)
		host_fail(call->error, call->status, "%s: %s failed and did not say why", caller->name ? caller->name : "the plugin", operation);
	call->error->code = call->status;
}

void host_call_run(struct host_caller *caller, struct host_call *call)
{
	const struct host_operation *o = call->operation;

	call->table = atomic_load_explicit(&caller->tables[o->table], memory_order_acquire);
	if (!host_table_has(call->table, (enum host_operation_id)(o - host_operations), caller->minor)) {
		call->status = host_fail(call->error, PTOWSP_UNIMPLEMENTED, "the plugin does not have the operation \"%s\"", o->name);
		return;
	}
	if (caller->upward && !host_upward_callbacks(caller, call)) {
		call->status = host_fail(call->error, PTOWSP_NO_MEMORY, "no memory for a callback of \"%s\"", o->name);
		return;
	}
	if (caller->main_lock && o->thread == HOST_THREAD_MAIN)
		pthread_mutex_lock(caller->main_lock);
	run(caller, call, caller->carry);
	if (caller->main_lock && o->thread == HOST_THREAD_MAIN)
		pthread_mutex_unlock(caller->main_lock);
	if (o->result == HOST_RESULT_IS_STATUS)
		answer_check(caller, call);
}

uint64_t host_call_number(const struct host_call *call, unsigned i)
{
	const struct host_parameter *p = &call->operation->parameters[i];

	if (p->direction != HOST_DIRECTION_OUT && p->direction != HOST_DIRECTION_INOUT)
		return call->values[i].number;
	return call->values[i].data ? host_field_number(call->values[i].data, 0, p->of) : 0;
}

void host_call_up(struct host_caller *caller, struct host_call *call)
{
	run(caller, call, caller->carry_up);
}

/* ---- from typed parameters to a record ---- */

#define OPERATION(name, s, field, since, thread, result, ...)                                                                                                  \
	HOST_RESULT_##result host_call_##name(struct host_caller *caller HOST_EACH(HOST_DECLARE_MORE, 0, __VA_ARGS__) HOST_ERROR_##result)                     \
	{                                                                                                                                                      \
		struct host_call call = {.operation = &host_operations[HOST_OPERATION_##name],                                                                 \
					 .values = {HOST_EACH(HOST_PACK, 0, __VA_ARGS__)} HOST_ERROR_PACK_##result};                                           \
                                                                                                                                                               \
		host_call_run(caller, &call);                                                                                                                  \
		HOST_RETURN_##result(&call);                                                                                                                   \
	}
#include "ptowsp/operations.def"

/* ---- callers ---- */

void host_caller_init(struct host_caller *caller, const struct ptowsp_ops *ops)
{
	*caller = (struct host_caller){.carry = host_call_local, .carry_up = host_call_local};
	atomic_store_explicit(&caller->tables[HOST_STRUCT_ops], ops, memory_order_relaxed); /* before anybody else sees it */
}

void host_caller_finish(struct host_caller *caller)
{
	for (struct host_layer *layer = caller->layers, *next; layer; layer = next) {
		next = layer->next;
		if (layer->destroy)
			layer->destroy(layer);
	}
	host_upward_destroy(caller->upward);
	*caller = (struct host_caller){0};
}

const struct ptowsp_host *host_caller_services(struct host_caller *caller, const struct ptowsp_host *services)
{
	caller->services = services;
	if (!caller->layers)
		return services;
	caller->upward = host_upward_create(caller);
	return caller->upward ? host_upward_services(caller->upward) : NULL;
}

bool host_caller_offers(struct host_caller *caller, struct ptowsp_object *instance, enum host_operation_id operation)
{
	const uint16_t table = host_operations[operation].table;

	if (host_operations[operation].since > caller->minor)
		return false;         /* an id of a later minor is not asked either */
	if (table != HOST_STRUCT_ops) /* acquire above: the table's bytes are seen with its address */
		atomic_store_explicit(&caller->tables[table], host_call_extension(caller, instance, host_extension_id(table)), memory_order_release);
	return host_table_has(atomic_load_explicit(&caller->tables[table], memory_order_acquire), operation, caller->minor);
}
