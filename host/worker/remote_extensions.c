/* SPDX-License-Identifier: MIT */
/* remote_extensions.c - extensions of the plugin that the description knows, and callbacks of the host: both stand on the other side as something else, a table as a list of what it
 * has, a function as a number. */
#include <stdlib.h>
#include <string.h>

#include "host/call/marshal.h"
#include "host/worker/remote_own.h"

/* ---- extensions ------------------------------------------------------------------------------------------------- */

/* Stands for an entry of the plugin, which is called by its operation and never by this address. */
static void elsewhere(void)
{
	abort();
}

/* With the lock held. there: 0: no table, else a bit per field. */
static void table_fill(struct remote_extension *x, enum host_struct_id id, uint64_t there)
{
	x->offered = there != 0;
	if (!x->table && there)
		x->table = calloc(1, host_structs[id].size);
	for (unsigned i = 1; x->table && i < host_structs[id].field_count; i++) {
		void (*const entry)(void) = there >> i & 1 ? elsewhere : NULL;

		memcpy((char *)x->table + host_structs[id].fields[i].offset, &entry, sizeof(entry));
	}
	if (x->table)
		*x->table = (struct ptowsp_head){host_structs[id].size, PTOWSP_STRUCT_EXTENSION, 0};
}

/* With the lock held. Another instance may offer something else. */
static struct remote_extension *extension_of(struct host_remote *r, enum host_struct_id id, const struct ptowsp_object *instance)
{
	for (unsigned i = 0; r->asked_of != instance && i < HOST_STRUCT_COUNT; i++)
		r->extensions[i].asked = false;
	r->asked_of = instance;
	return &r->extensions[id];
}

void remote_extension(struct host_remote *r, struct host_call *call)
{
	const enum host_struct_id id = host_extension_find(HOST_SIDE_PLUGIN, call->values[1].data);
	struct remote_crossing crossing = {0};
	struct remote_extension *x;
	bool asked;

	call->answer.data = NULL;
	if (id == HOST_STRUCT_COUNT)
		return;
	pthread_mutex_lock(&r->lock);
	x = extension_of(r, id, call->values[0].pointer);
	asked = x->asked;
	call->answer.data = asked && x->offered ? x->table : NULL;
	pthread_mutex_unlock(&r->lock);
	if (asked) /* an instance's offer does not change, and asking costs a round trip */
		return;
	remote_cross(r, call, &crossing);
	pthread_mutex_lock(&r->lock);
	x->asked = !call->status;
	if (x->asked)
		table_fill(x, id, call->answer.number);
	call->answer.data = x->asked && x->offered ? x->table : NULL;
	pthread_mutex_unlock(&r->lock);
}

/* ---- callbacks --------------------------------------------------------------------------------------------------- */

/* One that may be NULL stays until another one, or NULL, takes its place, or its object is gone; others are lent for the call. */
static bool stays(const struct host_parameter *p)
{
	return p->stride == 1;
}

/* With the lock held. */
static struct remote_given *given_find(struct host_remote *r, const struct host_call *call, unsigned parameter)
{
	for (struct remote_given *g = r->given; g; g = g->next)
		if (g->function && stays(&call->operation->parameters[parameter]) && g->operation == call->operation && g->parameter == parameter &&
		    g->object == call->values[0].data)
			return g;
	return NULL;
}

/* With the lock held: a place that nobody has; its number is taken again, so that they stay few on the other side. */
static struct remote_given *given_make(struct host_remote *r)
{
	struct remote_given *g = r->given;

	while (g && g->function)
		g = g->next;
	if (g || !(g = calloc(1, sizeof(*g))))
		return g;
	g->number = r->given ? r->given->number + 1 : 1;
	g->next = r->given;
	return r->given = g;
}

/* Known here before the worker may use it. */
static bool callback_give(struct host_remote *r, const struct host_call *call, unsigned i, uint64_t *number_out)
{
	struct remote_given *g;

	pthread_mutex_lock(&r->lock);
	g = given_find(r, call, i);
	if (!g)
		g = given_make(r);
	if (g)
		*g = (struct remote_given){g->next, g->number, call->operation, i, call->values[0].data, call->values[i].function, call->values[i + 1].pointer};
	*number_out = g ? g->number : 0;
	pthread_mutex_unlock(&r->lock);
	return g != NULL;
}

ptowsp_status remote_callbacks_give(struct host_remote *r, struct host_call *call, struct host_wire *request)
{
	for (unsigned i = 0; i < call->operation->parameter_count && !request->failed; i++)
		if (call->operation->parameters[i].kind == HOST_PARAMETER_FUNCTION && call->values[i].function &&
		    !callback_give(r, call, i, &((struct host_frame *)(void *)request->bytes)->values[i]))
			return host_fail(call->error, PTOWSP_NO_MEMORY, "%s: no memory for a callback", r->name);
	return PTOWSP_OK;
}

/* Forgotten here after the worker may not use it any more. */
void remote_callbacks_end(struct host_remote *r, const struct host_call *call)
{
	pthread_mutex_lock(&r->lock);
	for (struct remote_given *g = r->given; g; g = g->next) {
		const bool own = g->operation == call->operation && g->object == call->values[0].data;
		const struct host_parameter *p = own ? &call->operation->parameters[g->parameter] : NULL;

		if (own && (!stays(p) || !call->values[g->parameter].function || call->status))
			g->function = NULL;
		if (call->operation->parameters[0].direction == HOST_DIRECTION_LAST && g->object == call->values[0].data)
			g->function = NULL;
	}
	pthread_mutex_unlock(&r->lock);
}

bool remote_callback_find(struct host_remote *r, uint64_t number, struct host_call *call)
{
	bool found = false;

	pthread_mutex_lock(&r->lock);
	for (const struct remote_given *g = r->given; g && !found; g = g->next)
		if (g->number == number && g->function && &host_operations[g->operation->parameters[g->parameter].of] == call->operation) {
			call->function = g->function;
			call->values[0].pointer = g->context;
			found = true;
		}
	pthread_mutex_unlock(&r->lock);
	return found;
}
