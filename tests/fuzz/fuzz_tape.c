/* SPDX-License-Identifier: MIT */
/* fuzz_tape.c - any bytes as a log of layer trace, as it is and with the right head: the arguments of each call are refused, or all of them can be read, and results have the room that
 * their counts say. */
#include "host/call/struct_check.h"
#include "host/layers/replay_log.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sum;

/* All objects of then are there but 0 and 7. */
static void *object(void *context, uint64_t then)
{
	static char here;

	(void)context;
	return then && then != 7 ? &here : NULL;
}

static void done(void)
{
}

static void (*callback(uint16_t operation))(void)
{
	(void)operation;
	return done;
}

static void bytes_touch(const void *bytes, uint64_t size)
{
	for (uint64_t i = 0; bytes && i < size; i++)
		sum += ((const unsigned char *)bytes)[i];
}

/* What a plugin would read. */
static void in_touch(const struct host_parameter *p, const union host_value *value)
{
	struct host_check check = {.minor = PTOWSP_ABI_MINOR};

	if (p->kind == HOST_PARAMETER_STRING && value->data)
		bytes_touch(value->data, strlen(value->data) + 1);
	if (p->kind == HOST_PARAMETER_ONE && p->of != HOST_STRUCT_host && value->data)
		sum += host_check_struct(&check, p->of, value->data, 0);
	if (p->kind == HOST_PARAMETER_HANDLE)
		bytes_touch(value->data, 1);
}

/* What a plugin would write, with the numbers as they get there. */
static void out_touch(const struct host_call *call, const struct host_parameter *p, union host_value *value)
{
	uint32_t count = 0;

	switch (p->kind) {
	case HOST_PARAMETER_TABLES:
		memcpy(&count, call->values[p->count].data, sizeof(count));
		memset(value->pointer, 0, (size_t)count * sizeof(void *));
		break;
	case HOST_PARAMETER_ROWS:
		memcpy(&count, call->values[p->count].data, sizeof(count));
		memset(value->pointer, 0, (size_t)count * (uint32_t)call->values[p->stride].number);
		break;
	case HOST_PARAMETER_VALUES: memset(value->pointer, 0, (size_t)(uint32_t)call->values[p->count].number * p->of); break;
	case HOST_PARAMETER_ONE:
		memset((char *)value->pointer + sizeof(struct ptowsp_head), 0, ((const struct ptowsp_head *)value->data)->size - sizeof(struct ptowsp_head));
		break;
	default: memset(value->pointer, 0, sizeof(void *));
	}
}

static void call_take(const struct tape_record *record, struct host_tape_reader *reader)
{
	static const struct ptowsp_host services = {.head = PTOWSP_HEAD(struct ptowsp_host, HOST)};
	const struct host_replay_now now = {NULL, object, NULL, callback, &services};
	struct host_call call = {.operation = &host_operations[record->operation]};
	const struct host_parameter *p = call.operation->parameters;

	if (record->phase != TAPE_CALL || call.operation->caller != HOST_SIDE_HOST || !host_replay_arguments(reader, &call, &now))
		return;
	for (unsigned i = 0; i < call.operation->parameter_count; i++, p++)
		if (p->direction == HOST_DIRECTION_OUT)
			out_touch(&call, p, &call.values[i]);
		else
			in_touch(p, &call.values[i]);
}

static void log_read(const struct host_replay_log *log)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct host_tape_reader reader;
	struct tape_record record;
	size_t at = sizeof(struct tape_file);

	if (host_replay_log_check(log, "input", &error)) {
		if (error.code != PTOWSP_INVALID || strncmp(error.text, "input ", 6))
			abort();
		return;
	}
	while (at < log->size && host_replay_log_next(log, &at, &record, &reader)) {
		call_take(&record, &reader);
		host_tape_reader_finish(&reader);
	}
}

bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct tape_file head = {TAPE_MAGIC, TAPE_VERSION, 0, host_tape_description(), 0};
	unsigned char *bytes = malloc(size + 1);
	const struct host_replay_log log = {bytes, size};

	if (!bytes)
		return false;
	memcpy(bytes, data, size);
	log_read(&log);
	if (size >= sizeof(head)) {
		memcpy(bytes, &head, sizeof(head));
		log_read(&log);
	}
	free(bytes);
	return false;
}
