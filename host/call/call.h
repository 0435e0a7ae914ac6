/* SPDX-License-Identifier: MIT */
/* call.h - the one way from the host to a plugin and back. A call is a record; layers see it before and after; a carrier takes it to the callee,
 * which is a function in this process or in another one. For every row of operations.def there is a typed function that makes the record, so that
 * its users write plain calls. */
#ifndef HOST_CALL_H
#define HOST_CALL_H

#include <pthread.h>
#include <stdatomic.h>

#include "host/call/describe.h"
#include "host/call/each.h"

enum { HOST_LAYERS = 4 };

union host_value {
	uint64_t number; /* VALUE IN; a signed one is extended */
	void *pointer;
	const void *data;
	void (*function)(void);
};

/* One call, on its caller's stack. */
struct host_call {
	const struct host_operation *operation;
	const void *table;      /* that has the function: operations, services, an extension's; NULL for a callback */
	void (*function)(void); /* a callback; else NULL */
	union host_value values[HOST_PARAMETERS];
	struct ptowsp_error *error;    /* STATUS: the caller's record, may be NULL */
	ptowsp_status status;          /* STATUS, ANSWER: what came back */
	union host_value answer;       /* TABLE: data, MEMORY: pointer, NUMBER: number */
	const struct host_call *outer; /* of this thread: the call that this one is made in; NULL. Set where there are layers */
	void *kept[HOST_LAYERS];       /* of each layer, from `before` to `after` */
};

struct host_caller;

/* Something that sees all calls between the host and one instance of a plugin, in both directions, on any thread. */
struct host_layer {
	/* In front of the callee. false: the layer has answered the call itself; those behind it and the callee do not see it. */
	bool (*before)(struct host_layer *layer, struct host_caller *caller, struct host_call *call);
	/* Behind it, in reverse order, for every layer whose `before` said true. Either may be NULL. */
	void (*after)(struct host_layer *layer, struct host_caller *caller, struct host_call *call);
	void (*destroy)(struct host_layer *layer);
	struct host_layer *next;
	unsigned place; /* its number among those of one caller, below HOST_LAYERS */
};

/* Layers, or another process, stand in front of the host's services and callbacks where there are layers, or another process. */
struct host_upward;

/* The way between the host and one instance of a plugin. Provided by the caller; does not move. */
struct host_caller {
	/* Takes a record to the plugin and brings back what it answered. Local: host_call_local. */
	void (*carry)(struct host_caller *caller, struct host_call *call);
	/* Takes a call of the plugin to the host. Local: host_call_local. */
	void (*carry_up)(struct host_caller *caller, struct host_call *call);
	void *carrier;                                 /* of a carrier that is not local; owned by whoever set it */
	const void *_Atomic tables[HOST_STRUCT_COUNT]; /* of the plugin, by struct: its normalised operations, extensions once they were asked for */
	struct host_layer *layers; /* the first one is nearest to the host, for calls in both directions. Owned; set before the first call */
	const char *name;          /* of the plugin, in sentences; borrowed; may be NULL */
	uint32_t minor;            /* effective; 0 unless set */
	pthread_mutex_t *
		main_lock; /* held during every [main] operation: of the loaded plugin, which may have other instances. Recursive; borrowed; NULL: there is one caller */
	const struct ptowsp_host *services; /* the host's own; set by host_caller_services */
	struct host_upward *upward;         /* owned; NULL without layers in the host's process */
};

/* A local caller without layers. ops: normalised, outlives the caller. */
void host_caller_init(struct host_caller *caller, const struct ptowsp_ops *ops);
void host_caller_finish(struct host_caller *caller); /* layers too; not the carrier */
/* The services as the plugin gets them: `services` itself, or with layers a table that leads there through them. NULL: no memory. */
const struct ptowsp_host *host_caller_services(struct host_caller *caller, const struct ptowsp_host *services);
/* Whether the plugin has that operation; asks it for the extension's table. instance may be NULL. */
bool host_caller_offers(struct host_caller *caller, struct ptowsp_object *instance, enum host_operation_id operation);

/* From the host to the plugin: finds the table, runs the layers round the carrier. Any thread, as the operation's tag says. An operation of an
 * extension that was not asked for or does not have it: UNIMPLEMENTED. PLUGIN_REFUSED: a status that is none, or OK without the object that it is to make. Every failure has a sentence. */
void host_call_run(struct host_caller *caller, struct host_call *call);
/* A parameter VALUE: what it is, or what stands where it points to; 0 where that is NULL. */
uint64_t host_call_number(const struct host_call *call, unsigned i);
/* From the plugin to the host: runs the layers round the host's function. Of services, values[0] is set here. For carriers that are not local. */
void host_call_up(struct host_caller *caller, struct host_call *call);
/* The local carrier: calls the function in the record, or that of its table. caller may be NULL: it is not looked at. */
void host_call_local(struct host_caller *caller, struct host_call *call);

/* ---- typed functions, of operations.def ---- */

#define CALLBACK(name, since, thread, result, ...) typedef HOST_RESULT_##result host_fn_##name(HOST_EACH(HOST_DECLARE, 0, __VA_ARGS__));
#include "ptowsp/operations.def"

/* host_call_submit(caller, device, args, error), and so on: one per OPERATION. */
#define OPERATION(name, s, field, since, thread, result, ...)                                                                                                  \
	HOST_RESULT_##result host_call_##name(struct host_caller *caller HOST_EACH(HOST_DECLARE_MORE, 0, __VA_ARGS__) HOST_ERROR_##result);
#include "ptowsp/operations.def"

#endif
