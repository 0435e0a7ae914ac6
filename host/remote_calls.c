/* SPDX-License-Identifier: MIT */
/* remote_calls.c - the operations, one by one: what goes over, what comes back, and what of that is believed. */
#include <stdlib.h>
#include <string.h>

#include "host/remote_own.h"

enum { MOST = 4096 }; /* devices or options: more is a lie */

static struct ptowsp_object *object_of(uint64_t value)
{
	return (struct ptowsp_object *)(uintptr_t)value;
}

static const struct host_frame *frame_of(const struct host_unwire *wire)
{
	return (const struct host_frame *)(const void *)wire->bytes;
}

/* A request whose first value is an object of the plugin. */
static void request_begin(struct host_wire *request, enum host_frame_operation operation, const struct ptowsp_object *object)
{
	remote_frame(request, operation);
	if (!request->failed)
		REMOTE_VALUE(request, 0) = (uintptr_t)object;
}

static void value_put(struct host_wire *request, uint32_t i, uint64_t value)
{
	if (!request->failed)
		REMOTE_VALUE(request, i) = value;
}

static ptowsp_status forged(struct host_remote *r, struct ptowsp_error *error)
{
	remote_kill(r, REMOTE_FORGED);
	return host_fail(error, PTOWSP_DEVICE_LOST, "%s: its worker answered with what no worker answers, and was killed", r->name);
}

ptowsp_status host_remote_init(struct host_remote *r, const struct ptowsp_host *host, const struct ptowsp_init_args *args, struct ptowsp_object **instance_out,
			       struct ptowsp_error *error)
{
	struct host_wire request = {0};
	struct remote_call call = {0};
	struct host_unwire wire;
	ptowsp_status st;

	r->host = host;
	request_begin(&request, HOST_FRAME_INIT, NULL);
	value_put(&request, 0, host_wire_struct(&request, HOST_STRUCT_init_args, args));
	value_put(&request, 1, host->minor);
	st = remote_ask(r, 0, &request, &call, &wire, error);
	if (!st)
		*instance_out = object_of(frame_of(&wire)->values[0]);
	free(wire.bytes);
	host_wire_finish(&request);
	return st;
}

static ptowsp_status object_end(struct host_remote *r, enum host_frame_operation operation, const struct ptowsp_object *object, struct ptowsp_error *error)
{
	struct host_wire request = {0};

	request_begin(&request, operation, object);
	return remote_tell(r, 0, &request, 0, error);
}

ptowsp_status host_remote_fini(struct host_remote *r, struct ptowsp_object *instance, struct ptowsp_error *error)
{
	return object_end(r, HOST_FRAME_FINI, instance, error);
}

ptowsp_status host_remote_close(struct host_remote *r, struct ptowsp_object *device, struct ptowsp_error *error)
{
	return object_end(r, HOST_FRAME_CLOSE, device, error);
}

/* values[0] rows, each the place of a struct; values[1] how many. The reply is kept: the structs lie in it. */
static ptowsp_status tables_ask(struct host_remote *r, enum host_frame_operation operation, const struct ptowsp_object *instance, enum host_struct_id type,
				unsigned char **reply_out, void ***rows_out, uint32_t *count_out, struct ptowsp_error *error)
{
	struct host_wire request = {0};
	struct remote_call call = {0};
	struct host_unwire wire;
	uint64_t *places, count = 0;
	ptowsp_status st;

	request_begin(&request, operation, instance);
	st = remote_ask(r, 0, &request, &call, &wire, error);
	host_wire_finish(&request);
	if (!st) {
		count = frame_of(&wire)->values[1];
		places = count <= MOST ? host_unwire_values(&wire, frame_of(&wire)->values[0], count, sizeof(*places)) : NULL;
		*rows_out = calloc(count <= MOST ? count + 1 : 1, sizeof(**rows_out));
		if (!*rows_out)
			st = host_fail(error, PTOWSP_NO_MEMORY, "no memory for the tables of %s", r->name);
		else if (count && !places)
			st = forged(r, error);
		for (uint64_t i = 0; i < count && !st; i++) {
			(*rows_out)[i] = host_unwire_struct(&wire, type, places[i]);
			st = (*rows_out)[i] ? PTOWSP_OK : forged(r, error);
		}
	}
	if (st) {
		free(*rows_out);
		*rows_out = NULL;
		free(wire.bytes);
		return st;
	}
	*reply_out = wire.bytes;
	*count_out = (uint32_t)count;
	return PTOWSP_OK;
}

static ptowsp_status tables_give(const void *rows, uint32_t there, void *rows_out, uint32_t *count, struct ptowsp_error *error)
{
	const uint32_t room = *count;

	*count = there;
	if (room < there)
		return host_fail(error, PTOWSP_MORE, "there are %u", there);
	memcpy(rows_out, rows, there * sizeof(void *));
	return PTOWSP_OK;
}

ptowsp_status host_remote_devices(struct host_remote *r, struct ptowsp_object *instance, const struct ptowsp_device **devices_out, uint32_t *count,
				  struct ptowsp_error *error)
{
	ptowsp_status st = PTOWSP_OK;

	if (!r->devices || instance != r->devices_of) { /* what may have changed is asked again */
		void **rows = NULL;
		unsigned char *reply = NULL;

		st = tables_ask(r, HOST_FRAME_DEVICES, instance, HOST_STRUCT_device, &reply, &rows, &r->device_count, error);
		if (st)
			return st;
		free(r->devices);
		free(r->device_rows);
		r->devices = reply;
		r->device_rows = rows;
		r->devices_of = instance;
	}
	return tables_give(r->device_rows, r->device_count, devices_out, count, error);
}

ptowsp_status host_remote_options(struct host_remote *r, const struct ptowsp_option **options_out, uint32_t *count, struct ptowsp_error *error)
{
	ptowsp_status st = PTOWSP_OK;

	if (!r->options)
		st = tables_ask(r, HOST_FRAME_OPTIONS, NULL, HOST_STRUCT_option, &r->options, &r->option_rows, &r->option_count, error);
	return st ? st : tables_give(r->option_rows, r->option_count, options_out, count, error);
}

ptowsp_status host_remote_capabilities(struct host_remote *r, struct ptowsp_object *instance, const char *device, struct ptowsp_cap *rows_out, uint32_t stride,
				       uint32_t *count, struct ptowsp_error *error)
{
	struct host_wire request = {0};
	struct remote_call call = {0};
	struct host_unwire wire;
	const struct ptowsp_cap *rows;
	const uint32_t room = *count, take = stride < sizeof(*rows) ? stride : (uint32_t)sizeof(*rows);
	uint64_t there;
	ptowsp_status st;

	request_begin(&request, HOST_FRAME_CAPABILITIES, instance);
	value_put(&request, 1, host_wire_text(&request, device));
	st = remote_ask(r, 0, &request, &call, &wire, error);
	host_wire_finish(&request);
	if (!st) {
		there = frame_of(&wire)->values[1];
		rows = there <= MOST ? host_unwire_rows(&wire, HOST_STRUCT_cap, frame_of(&wire)->values[0], (uint32_t)there) : NULL;
		*count = (uint32_t)there;
		if (there && !rows)
			st = forged(r, error);
		else if (room < there)
			st = host_fail(error, PTOWSP_MORE, "there are %u", (uint32_t)there);
		for (uint32_t i = 0; i < there && !st; i++)
			memcpy((char *)rows_out + (size_t)i * stride, &rows[i], take);
	}
	free(wire.bytes);
	return st;
}

ptowsp_status host_remote_open(struct host_remote *r, struct ptowsp_object *instance, const struct ptowsp_open_args *args, struct ptowsp_object **device_out,
			       struct ptowsp_error *error)
{
	struct host_wire request = {0};
	struct remote_call call = {0};
	struct host_unwire wire;
	ptowsp_status st;

	request_begin(&request, HOST_FRAME_OPEN, instance);
	value_put(&request, 1, host_wire_struct(&request, HOST_STRUCT_open_args, args));
	st = remote_ask(r, 0, &request, &call, &wire, error);
	if (!st)
		*device_out = object_of(frame_of(&wire)->values[0]);
	free(wire.bytes);
	host_wire_finish(&request);
	return st;
}

/* A run that was told to end has as long for it as one whose deadline came. */
ptowsp_status host_remote_cancel(struct host_remote *r, struct ptowsp_object *device, uint64_t token, struct ptowsp_error *error)
{
	const uint64_t kill_ns = host_now_ns() + HOST_REMOTE_GRACE_NS;
	struct host_wire request = {0};

	pthread_mutex_lock(&r->lock);
	for (uint32_t i = 0; i < HOST_RUNS_IN_FLIGHT; i++)
		if (r->runs[i].used && r->runs[i].token == token && (!r->runs[i].kill_ns || r->runs[i].kill_ns > kill_ns)) {
			r->runs[i].kill_ns = kill_ns;
			remote_alarm(r, kill_ns);
		}
	pthread_mutex_unlock(&r->lock);
	request_begin(&request, HOST_FRAME_CANCEL, device);
	value_put(&request, 1, token);
	return remote_tell(r, 1, &request, 0, error);
}

static uint64_t dones(struct host_remote *r)
{
	uint64_t so_far;

	pthread_mutex_lock(&r->lock);
	so_far = r->dones;
	pthread_mutex_unlock(&r->lock);
	return so_far;
}

/* A run that was done in front of this call has been told; one that is in flight ends behind it. */
ptowsp_status host_remote_poll(struct host_remote *r, struct ptowsp_object *device, uint64_t until_ns, struct ptowsp_error *error)
{
	const uint64_t so_far = dones(r);
	bool busy = false, buried;

	(void)device;
	pthread_mutex_lock(&r->lock);
	buried = r->buried;
	for (uint32_t i = 0; i < HOST_RUNS_IN_FLIGHT && !busy; i++)
		busy = r->runs[i].used;
	pthread_mutex_unlock(&r->lock);
	if (busy)
		remote_pump(r, so_far, until_ns);
	return buried ? remote_dead(r, error) : PTOWSP_OK;
}

ptowsp_status host_remote_drain(struct host_remote *r, struct ptowsp_object *device, uint64_t until_ns, struct ptowsp_error *error)
{
	struct host_wire request = {0};

	request_begin(&request, HOST_FRAME_DRAIN, device);
	value_put(&request, 1, until_ns);
	return remote_tell(r, 0, &request, until_ns < UINT64_MAX / 2 ? until_ns + remote_limit_ns(r, HOST_FRAME_DRAIN) : UINT64_MAX, error);
}

/* The host's struct may be an older, shorter one. */
ptowsp_status host_remote_stats(struct host_remote *r, struct ptowsp_object *program, struct ptowsp_run_stats *stats_out, struct ptowsp_error *error)
{
	const uint32_t room = stats_out->head.size;
	struct host_wire request = {0};
	struct remote_call call = {0};
	struct host_unwire wire;
	const struct ptowsp_run_stats *stats;
	ptowsp_status st;

	request_begin(&request, HOST_FRAME_STATS, program);
	st = remote_ask(r, 1, &request, &call, &wire, error);
	host_wire_finish(&request);
	if (!st) {
		stats = host_unwire_struct(&wire, HOST_STRUCT_run_stats, frame_of(&wire)->values[0]);
		if (!stats)
			st = forged(r, error);
		else
			memcpy(stats_out, stats, room < sizeof(*stats) ? room : sizeof(*stats));
		stats_out->head.size = room;
	}
	if (st) {
		free(wire.bytes);
		return st;
	}
	pthread_mutex_lock(&r->lock);
	free(r->stats);
	r->stats = wire.bytes;
	pthread_mutex_unlock(&r->lock);
	return PTOWSP_OK;
}
