/* SPDX-License-Identifier: MIT */
/* layer_threads.c - the thread tags, in both directions: one [main] call of a loaded plugin at a time, one [device] call per device, one call at a time of a sink,
 * [main] services inside a call of the host only. */
#include <pthread.h>
#include <stdlib.h>

#include "host/call/handles.h"
#include "host/host_error.h"
#include "host/layers/layers.h"

enum { SINK = HOST_HANDLE_RUN + 1 }; /* rows besides objects: sinks by their context */

/* [main] calls that go on: of a loaded plugin, whatever the instance, so that all layers of this process look into one list. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct going {
	const void *plugin;
	struct going *next;
} * going; /* owned */

struct threads {
	struct host_layer layer;
	struct host_breaches *breaches;
	struct host_handles handles; /* devices, programs below them, sinks */
};

/* Objects that are loaded once: a worker, or the table of operations. */
static const void *plugin_of(const struct host_caller *caller)
{
	return caller->carrier ? caller->carrier : atomic_load_explicit(&caller->tables[HOST_STRUCT_ops], memory_order_relaxed);
}

/* False: another one is going on. Without memory it is not kept, and not missed. */
static bool main_enter(const void *plugin)
{
	struct going *row = malloc(sizeof(*row)), *at;

	pthread_mutex_lock(&lock);
	for (at = going; at && at->plugin != plugin; at = at->next)
		;
	if (row) {
		*row = (struct going){plugin, going};
		going = row;
	}
	pthread_mutex_unlock(&lock);
	return !at;
}

static void main_leave(const void *plugin)
{
	struct going **at = &going, *gone;

	pthread_mutex_lock(&lock);
	while (*at && (*at)->plugin != plugin)
		at = &(*at)->next;
	gone = *at;
	if (gone)
		*at = gone->next;
	pthread_mutex_unlock(&lock);
	free(gone);
}

/* The device that a call is about: named, or that of the program or the buffer. */
static uint64_t device_of(struct threads *t, const struct host_call *call)
{
	struct host_handle_row row;
	union host_value value;
	const struct host_parameter *p = host_call_parameter(call, HOST_PARAMETER_HANDLE, &value);

	if (p && p->of == HOST_HANDLE_DEVICE)
		return (uintptr_t)value.pointer;
	return p && p->of > HOST_HANDLE_DEVICE && host_handles_find(&t->handles, p->of, (uintptr_t)value.pointer, &row) ? row.parent : 0;
}

static void host_calls(struct threads *t, const struct host_caller *caller, struct host_call *call)
{
	const uint16_t tag = call->operation->thread;

	if (tag == HOST_THREAD_MAIN && !main_enter(plugin_of(caller)))
		host_breach(t->breaches, HOST_SIDE_HOST, "HO2", call,
			    "another [main] operation of this plugin is going on; these come one at a time, whatever the instance");
	if (tag != HOST_THREAD_DEVICE)
		return;
	call->kept[t->layer.place] = (void *)(uintptr_t)device_of(t, call); /* the program may be gone afterwards */
	if (!host_handles_enter(&t->handles, HOST_HANDLE_DEVICE, (uintptr_t)call->kept[t->layer.place]))
		host_breach(t->breaches, HOST_SIDE_HOST, "HO2", call,
			    "another [device] operation of the same device is going on; a device has one caller at a time");
}

static bool inside_of(const struct host_call *call, enum host_operation_id id)
{
	for (const struct host_call *at = call->outer; at; at = at->outer)
		if (host_call_id(at) == id)
			return true;
	return false;
}

static void plugin_calls(struct threads *t, struct host_call *call)
{
	if (call->operation->thread == HOST_THREAD_MAIN && !call->outer)
		host_breach(t->breaches, HOST_SIDE_PLUGIN, "its thread tag", call,
			    "a [main] service is called on a thread of the plugin's own, or outside of any operation");
	if (host_call_id(call) == HOST_OPERATION_done && inside_of(call, HOST_OPERATION_submit))
		host_breach(t->breaches, HOST_SIDE_PLUGIN, "PL5", call, "done is called from inside submit; it follows after submit has returned");
	if (call->operation->thread != HOST_THREAD_CB)
		return;
	host_handles_add(&t->handles, SINK, (uintptr_t)call->values[0].pointer, 0);
	if (!host_handles_enter(&t->handles, SINK, (uintptr_t)call->values[0].pointer))
		host_breach(t->breaches, HOST_SIDE_PLUGIN, "its thread tag", call, "a callback is called on two threads at once");
}

static bool before(struct host_layer *layer, struct host_caller *caller, struct host_call *call)
{
	struct threads *t = (struct threads *)layer;

	if (call->operation->caller == HOST_SIDE_HOST)
		host_calls(t, caller, call);
	else
		plugin_calls(t, call);
	return true;
}

static void objects_follow(struct threads *t, const struct host_call *call)
{
	const uint64_t first = (uintptr_t)call->values[0].pointer;

	for (unsigned i = 0; i < call->operation->parameter_count; i++) {
		const struct host_parameter *p = &call->operation->parameters[i];

		if (p->kind != HOST_PARAMETER_HANDLE || p->of == HOST_HANDLE_INSTANCE)
			continue;
		if (p->direction == HOST_DIRECTION_OUT && !call->status)
			host_handles_add(&t->handles, p->of, (uintptr_t) * (struct ptowsp_object **)call->values[i].pointer, first);
		else if (p->direction == HOST_DIRECTION_LAST)
			host_handles_take(&t->handles, p->of, first, NULL);
	}
}

static void after(struct host_layer *layer, struct host_caller *caller, struct host_call *call)
{
	struct threads *t = (struct threads *)layer;
	const uint16_t tag = call->operation->thread;

	if (call->operation->caller == HOST_SIDE_PLUGIN) {
		if (tag == HOST_THREAD_CB)
			host_handles_leave(&t->handles, SINK, (uintptr_t)call->values[0].pointer);
		return;
	}
	if (tag == HOST_THREAD_MAIN)
		main_leave(plugin_of(caller));
	if (tag == HOST_THREAD_DEVICE)
		host_handles_leave(&t->handles, HOST_HANDLE_DEVICE, (uintptr_t)call->kept[t->layer.place]);
	objects_follow(t, call);
}

static void destroy(struct host_layer *layer)
{
	struct threads *t = (struct threads *)layer;

	host_handles_finish(&t->handles);
	free(t);
}

ptowsp_status host_layer_threads(struct host_layer **out, const char *parameter, struct host_breaches *breaches, struct ptowsp_error *error)
{
	struct threads *t = calloc(1, sizeof(*t));

	(void)parameter;
	if (!t)
		return host_fail(error, PTOWSP_NO_MEMORY, "no memory for the layer threads");
	t->layer = (struct host_layer){.before = before, .after = after, .destroy = destroy};
	t->breaches = breaches;
	host_handles_init(&t->handles);
	*out = &t->layer;
	return PTOWSP_OK;
}
