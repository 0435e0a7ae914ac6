/* SPDX-License-Identifier: MIT */
#include "host/layers/replay_notify.h"

#include <pthread.h>

#include "host/host_error.h"

enum { KEYS = 256 };

static struct {
	pthread_mutex_t lock; /* of all */
	const struct host_replay_log *log;
	size_t from;
	struct {
		uint32_t device, notification, taken;
	} keys[KEYS];
	uint32_t count;
	bool shared;
} told = {.lock = PTHREAD_MUTEX_INITIALIZER};

void host_replay_notify_begin(const struct host_replay_log *log, size_t from)
{
	pthread_mutex_lock(&told.lock);
	told.log = log;
	told.from = from;
	told.count = 0;
	told.shared = false;
	pthread_mutex_unlock(&told.lock);
}

/* The result of a call that went well: the return behind `at` with that number. */
static bool return_find(size_t at, uint64_t number, struct host_tape_reader *reader_out)
{
	struct tape_record record;

	while (host_replay_log_next(told.log, &at, &record, reader_out))
		if (record.phase == TAPE_RETURN && record.number == number)
			return !record.status;
	return false;
}

static ptowsp_status place(void *context, uint64_t token, uint32_t *device_out, uint32_t *count_out, struct ptowsp_error *error)
{
	struct host_tape_reader reader;
	struct tape_record record;
	size_t at = told.from;

	(void)context, (void)token, (void)error;
	*device_out = 0;
	*count_out = 1;
	while (host_replay_log_next(told.log, &at, &record, &reader))
		if (record.operation == HOST_OPERATION_notify_place && record.phase == TAPE_CALL && return_find(at, record.number, &reader)) {
			*device_out = (uint32_t)host_tape_take(&reader);
			*count_out = (uint32_t)host_tape_take(&reader);
			break;
		}
	pthread_mutex_lock(&told.lock);
	told.shared = *count_out > 1;
	pthread_mutex_unlock(&told.lock);
	return PTOWSP_OK;
}

static ptowsp_status send(void *context, uint64_t token, uint32_t device, uint32_t notification, uint64_t cycles, struct ptowsp_error *error)
{
	(void)context, (void)token, (void)device, (void)notification, (void)cycles, (void)error;
	return PTOWSP_OK;
}

/* How many of that kind it took before this one. */
static uint32_t count_up(uint32_t device, uint32_t notification)
{
	uint32_t i = 0, before = 0;

	pthread_mutex_lock(&told.lock);
	while (i < told.count && (told.keys[i].device != device || told.keys[i].notification != notification))
		i++;
	if (i == told.count && i < KEYS) {
		told.keys[i].device = device;
		told.keys[i].notification = notification;
		told.keys[told.count++].taken = 0;
	}
	if (i < KEYS)
		before = told.keys[i].taken++;
	pthread_mutex_unlock(&told.lock);
	return before;
}

static ptowsp_status take(void *context, uint64_t token, uint32_t device, uint32_t notification, uint64_t until_ns, uint64_t *cycles_out,
			  struct ptowsp_error *error)
{
	uint32_t before = count_up(device, notification);
	struct host_tape_reader reader;
	struct tape_record record;
	size_t at = told.from;

	(void)context, (void)token, (void)until_ns;
	while (host_replay_log_next(told.log, &at, &record, &reader)) {
		if (record.operation != HOST_OPERATION_notify_take || record.phase != TAPE_CALL)
			continue;
		host_tape_take(&reader); /* context */
		host_tape_take(&reader); /* token */
		if (host_tape_take(&reader) != device || host_tape_take(&reader) != notification || !return_find(at, record.number, &reader) || before--)
			continue;
		*cycles_out = host_tape_take(&reader);
		return PTOWSP_OK;
	}
	return host_fail(error, PTOWSP_DEADLOCK, "the log has no more of notification %u of device %u", notification, device);
}

bool host_replay_notify_shared(void)
{
	bool shared;

	pthread_mutex_lock(&told.lock);
	shared = told.shared;
	pthread_mutex_unlock(&told.lock);
	return shared;
}

const struct ptowsp_notify_extension *host_replay_notify(void)
{
	static const struct ptowsp_notify_extension table = {PTOWSP_HEAD(table, EXTENSION), place, send, take};

	return &table;
}
