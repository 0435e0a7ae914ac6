/* SPDX-License-Identifier: MIT */
/* watch.c - the calls of the host, one by one: who, when, with what. lent.c has what is in the arguments. */
#include "watch.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { OBJECTS = 4096, TOKENS = 8192 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct watch objects[OBJECTS]; /* never used twice */
static uint32_t object_count;
static struct {
	const struct watch *instance;
	uint64_t token;
} tokens[TOKENS]; /* the latest ones */
static uint32_t token_count;

static void fail_with(struct ptowsp_error *error, const char *sentence)
{
	if (!error)
		return;
	*error = (struct ptowsp_error){.head = PTOWSP_HEAD(*error, ERROR),
				       .code = PTOWSP_INVALID,
				       .domain = PTOWSP_DOMAIN_PLUGIN,
				       .flags = PTOWSP_ERROR_HOST_BUG,
				       .where = {UINT64_MAX, UINT64_MAX}};
	snprintf(error->text, sizeof(error->text), "%s", sentence);
}

static void remember(struct watch *instance, const char *name, const char *sentence)
{
	pthread_mutex_lock(&lock);
	if (!instance->broken) {
		snprintf(instance->sentence, sizeof(instance->sentence), "host bug in %s: %s", name, sentence);
		instance->broken = true;
	}
	pthread_mutex_unlock(&lock);
}

void watch_broke(struct watch_call *call, const char *sentence)
{
	char text[200];

	call->status = PTOWSP_INVALID;
	snprintf(text, sizeof(text), "host bug in %s: %s", call->name, sentence);
	if (call->instance && call->instance->alive) {
		remember(call->instance, call->name, sentence);
		call->instance->host->log(call->instance->host->context, PTOWSP_LOG_ERROR, text, strlen(text));
	} else { /* nobody is left to log it */
		fprintf(stderr, "checking: %s\n", text);
	}
	fail_with(call->error, text);
}

/* With the lock held. */
static struct watch *object_find(const void *handle, enum watch_kind kind)
{
	for (uint32_t i = 0; i < object_count; i++)
		if (&objects[i] == handle)
			return objects[i].kind == kind && objects[i].alive ? &objects[i] : NULL;
	return NULL;
}

struct watch *watch_find(const void *handle, enum watch_kind kind)
{
	struct watch *found;

	pthread_mutex_lock(&lock);
	found = object_find(handle, kind);
	pthread_mutex_unlock(&lock);
	return found;
}

/* Of a handle that is dead, too; NULL: it never was one. */
static struct watch *instance_of(const void *handle)
{
	struct watch *at = NULL;

	for (uint32_t i = 0; i < object_count && !at; i++)
		if (&objects[i] == handle)
			at = &objects[i];
	while (at && at->parent)
		at = at->parent;
	return at;
}

static void error_check(struct watch_call *call)
{
	const struct ptowsp_head *head = call->error ? &call->error->head : NULL;

	if (!head || (head->size == sizeof(*call->error) && head->type == PTOWSP_STRUCT_ERROR && !head->flags))
		return;
	call->error = NULL; /* of another size: nothing is written there */
	watch_broke(call, "HO1: the head of the error record has another size, type or flags than its 256 bytes");
}

static atomic_int main_inside; /* of all instances: two backends of one program may be on two threads */

static void tag_enter(struct watch_call *call, enum watch_tag tag)
{
	struct watch *device = call->object && call->object->kind >= WATCH_PROGRAM ? call->object->parent : call->object;
	const struct timespec moment = {0, 20000}; /* others may come */

	call->inside = tag == WATCH_MAIN ? &main_inside : tag == WATCH_ANY || !call->object ? NULL : &device->inside;
	if (!call->inside)
		return;
	if (atomic_fetch_add(call->inside, 1))
		watch_broke(call, tag == WATCH_MAIN ? "HO2: another [main] call is going on; these come one at a time"
						    : "HO2: another [device] call of the same device is going on; a device has one caller at a time");
	nanosleep(&moment, NULL);
}

struct watch *watch_enter(struct watch_call *call, const char *name, struct ptowsp_object *object, enum watch_kind kind, enum watch_tag tag,
			  struct ptowsp_error *error)
{
	*call = (struct watch_call){.name = name, .error = error};
	pthread_mutex_lock(&lock);
	call->object = object_find(object, kind);
	call->instance = instance_of(object);
	pthread_mutex_unlock(&lock);
	error_check(call);
	if (!call->object && (object || kind != WATCH_INSTANCE)) {
		watch_broke(call, call->instance && !call->instance->alive ? "HO6: it is called after fini; nothing is"
									   : "HO6: the object is closed, unloaded, of another kind, or was never given");
		return NULL;
	}
	tag_enter(call, tag);
	if (!call->instance)
		return call->object;
	call->instance->calls++;
	if (call->instance->broken && !call->status) {
		call->status = PTOWSP_INVALID;
		fail_with(call->error, call->instance->sentence);
	}
	if (ptowsp_id((const char *)call->instance->host, call->instance->host->head.size) != call->instance->host_digest)
		watch_broke(call, "HO7: the table of the host's services is another one than at init; it is lent until fini has returned");
	return call->object;
}

ptowsp_status watch_leave(struct watch_call *call, ptowsp_status status)
{
	if (call->inside)
		atomic_fetch_sub(call->inside, 1);
	return call->status ? call->status : status;
}

struct watch *watch_make(enum watch_kind kind, struct watch *parent, struct ptowsp_object *inner, const struct ptowsp_host *host)
{
	struct watch *made = NULL;

	pthread_mutex_lock(&lock);
	if (object_count < OBJECTS) {
		made = &objects[object_count++];
		made->kind = kind;
		made->parent = parent;
		made->inner = inner;
		made->host = host;
		made->host_digest = ptowsp_id((const char *)host, host->head.size);
		made->alive = 1;
		if (parent)
			parent->children++;
	}
	pthread_mutex_unlock(&lock);
	return made;
}

void watch_end(struct watch *object)
{
	object->alive = 0;
	if (object->parent)
		object->parent->children--;
}

ptowsp_status watch_later(void)
{
	for (uint32_t i = 0; i < object_count; i++)
		if (objects[i].kind == WATCH_INSTANCE && objects[i].alive) {
			struct watch_call call = {.name = "a later operation", .instance = &objects[i]};

			watch_broke(&call, "HO1: it is above the effective minor, and is called");
		}
	return PTOWSP_INVALID;
}

void watch_token(struct watch_call *call, uint64_t token)
{
	bool used = false;

	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < token_count && i < TOKENS; i++)
		used |= tokens[i].instance == call->instance && tokens[i].token == token;
	tokens[token_count % TOKENS].instance = call->instance;
	tokens[token_count++ % TOKENS].token = token;
	pthread_mutex_unlock(&lock);
	if (used)
		watch_broke(call, "HO8: the token was given to an earlier run; a second done could not be told from the first");
}

void watch_until(struct watch_call *call, uint64_t until_ns)
{
	const uint64_t now = call->instance->host->now_ns(call->instance->host->context), hour = UINT64_C(3600000000000);

	if (now < call->object->now_ns)
		watch_broke(call, "HO8: now_ns goes back");
	call->object->now_ns = now;
	if (until_ns && until_ns != UINT64_MAX && (until_ns > now + 24 * hour || until_ns + hour < now))
		watch_broke(call, "HO8: until_ns is no time of today on the clock of now_ns");
}
