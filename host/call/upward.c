/* SPDX-License-Identifier: MIT */
/* upward.c - from a call of the plugin to a record. */
#include "host/call/upward.h"
#include "host/call/services.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A callback that was handed to the plugin: what it was, and for whom. */
struct callback {
	struct callback *next;
	struct host_caller *caller;
	void (*function)(void);
	void *context;
	uint16_t operation;
};

/* Every table that the host offers, by the name of its struct. */
struct host_upward {
	struct ptowsp_host host;
#define TABLE_HOST(s) struct ptowsp_##s s;
#define TABLE_PLUGIN(...)
#define EXTENSION(s, side, id) TABLE_##side(s)
#include "ptowsp/operations.def"
#undef TABLE_HOST
	struct host_caller *caller;
	pthread_mutex_t lock; /* of callbacks; nothing is called under it */
	struct callback *callbacks;
};

/* The host's own table that a service belongs to, as what is known here is cut from it. */
static const void *table_of(const struct host_caller *caller, uint16_t table)
{
	const struct ptowsp_host *services = caller->services;

	return table == HOST_STRUCT_host ? services : services->extension(services->context, host_extension_id(table));
}

/* Ours in front of the host's table of that id. */
static const void *extension_of(const struct host_upward *u, const char *id)
{
#define TABLE_HOST(s, id_of)                                                                                                                                   \
	if (!strcmp(id, id_of))                                                                                                                                \
		return &u->s;
#define EXTENSION(s, side, id_of) TABLE_##side(s, id_of)
#include "ptowsp/operations.def"
#undef TABLE_HOST
	return NULL;
}

/* A text is read as far as it is printed, also by a layer or a worker in between: its length may be any number. */
static void texts_cut(struct host_call *call)
{
	for (unsigned i = 0; i < call->operation->parameter_count; i++) {
		const struct host_parameter *p = &call->operation->parameters[i];
		const uint64_t room = call->values[i].data ? HOST_LINE_LIMIT - 1 : 0;

		if (p->kind == HOST_PARAMETER_TEXT && call->values[p->count].number > room)
			call->values[p->count].number = room;
	}
}

static void service_run(struct host_caller *caller, struct host_call *call)
{
	call->table = table_of(caller, call->operation->table);
	call->values[0].pointer = caller->services->context;
	texts_cut(call);
	host_call_up(caller, call);
	if (call->operation == &host_operations[HOST_OPERATION_host_extension] && call->answer.data)
		call->answer.data = extension_of(caller->upward, call->values[1].data);
}

static void callback_run(const struct callback *given, struct host_call *call)
{
	call->function = given->function;
	call->values[0].pointer = given->context;
	host_call_up(given->caller, call);
}

#define TYPED(name, result, run, ...)                                                                                                                          \
	static HOST_RESULT_##result up_##name(HOST_EACH(HOST_DECLARE, 0, __VA_ARGS__) HOST_ERROR_##result)                                                     \
	{                                                                                                                                                      \
		struct host_call call = {.operation = &host_operations[HOST_OPERATION_##name],                                                                 \
					 .values = {HOST_EACH(HOST_PACK, 0, __VA_ARGS__)} HOST_ERROR_PACK_##result};                                           \
                                                                                                                                                               \
		run(context, &call);                                                                                                                           \
		HOST_RETURN_##result(&call);                                                                                                                   \
	}
#define SERVICE(name, s, field, since, thread, result, ...) TYPED(name, result, service_run, __VA_ARGS__)
#define CALLBACK(name, since, thread, result, ...)          TYPED(name, result, callback_run, __VA_ARGS__)
#include "ptowsp/operations.def"

/* A function that the host itself does not have stays a hole. */
static void holes_keep(struct ptowsp_host *ours, const struct ptowsp_host *theirs)
{
	const struct host_struct *s = &host_structs[HOST_STRUCT_host];

	for (unsigned i = 0; i < s->field_count; i++)
		if (s->fields[i].kind == HOST_FIELD_CALL && !host_table_has(theirs, s->fields[i].of, theirs->minor))
			memset((char *)ours + s->fields[i].offset, 0, s->fields[i].size);
}

struct host_upward *host_upward_create(struct host_caller *caller)
{
	struct host_upward *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	u->caller = caller;
	pthread_mutex_init(&u->lock, NULL);
	u->host = *caller->services;
	u->host.context = caller;
#define TABLE_HOST(s)                u->s.head = (struct ptowsp_head)PTOWSP_HEAD(struct ptowsp_##s, EXTENSION);
#define EXTENSION(s, side, id)       TABLE_##side(s)
#define SERVICE(name, s, field, ...) u->s.field = up_##name;
#include "ptowsp/operations.def"
#undef TABLE_HOST
	host_struct_cut(HOST_STRUCT_host, &u->host, u->host.minor);
	holes_keep(&u->host, caller->services);
#define TABLE_HOST(s)                                                                                                                                          \
	host_struct_cut(HOST_STRUCT_##s, &u->s, u->host.minor);                                                                                                \
	u->s.head.size = host_struct_size(HOST_STRUCT_##s, u->host.minor);
#define EXTENSION(s, side, id) TABLE_##side(s)
#include "ptowsp/operations.def"
#undef TABLE_HOST
	return u;
}

void host_upward_destroy(struct host_upward *u)
{
	if (!u)
		return;
	for (struct callback *given = u->callbacks, *next; given; given = next) {
		next = given->next;
		free(given);
	}
	pthread_mutex_destroy(&u->lock);
	free(u);
}

const struct ptowsp_host *host_upward_services(const struct host_upward *u)
{
	return &u->host;
}

/* The same callback again takes the place that it had: attaching for every run does not grow the list. */
static struct callback *callback_find(struct host_upward *u, uint16_t operation, void (*function)(void), void *context)
{
	struct callback *given;

	pthread_mutex_lock(&u->lock);
	for (given = u->callbacks; given; given = given->next)
		if (given->operation == operation && given->function == function && given->context == context)
			break;
	if (!given && (given = malloc(sizeof(*given)))) {
		*given = (struct callback){u->callbacks, u->caller, function, context, operation};
		u->callbacks = given;
	}
	pthread_mutex_unlock(&u->lock);
	return given;
}

bool host_upward_callbacks(struct host_caller *caller, struct host_call *call)
{
	static void (*const ups[HOST_OPERATION_COUNT])(void) = {
#define CALLBACK(name, ...) [HOST_OPERATION_##name] = (void (*)(void))up_##name,
#include "ptowsp/operations.def"
	};

	for (unsigned i = 0; i < call->operation->parameter_count; i++) {
		const struct host_parameter *p = &call->operation->parameters[i];
		struct callback *given;

		if (p->kind != HOST_PARAMETER_FUNCTION || !call->values[i].function)
			continue;
		given = callback_find(caller->upward, p->of, call->values[i].function, call->values[i + 1].pointer);
		if (!given)
			return false;
		call->values[i].function = ups[p->of];
		call->values[i + 1].pointer = given;
	}
	return true;
}
