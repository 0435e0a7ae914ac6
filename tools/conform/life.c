/* SPDX-License-Identifier: MIT */
/* life.c - from a file to an open device, and back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/conform/isolated.h"

bool conform_load_try(struct conform *c, struct ptowsp_error *error)
{
	struct host_search search = {.lint_off = c->lint_off};
	ptowsp_status status;

	snprintf(c->record->operation, sizeof(c->record->operation), "loading");
	if (c->isolate != PTOWSP_ISOLATE_NONE)
		return conform_isolated_load(c, error);
	status = host_plugin_load(&search, c->path, &c->plugin, error);
	c->record->operation[0] = 0;
	return !status;
}

void conform_load(struct conform *c)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};

	if (!conform_load_try(c, &error))
		conform_skip(c, "no host loads it, as descriptor_says_what_the_note_says tells: %s", error.text);
}

struct ptowsp_init_args conform_init_args(const struct conform *c)
{
	return (struct ptowsp_init_args){.head = PTOWSP_HEAD(struct ptowsp_init_args, INIT_ARGS),
					 .settings = c->settings,
					 .setting_count = c->setting_count,
					 .setting_stride = sizeof(*c->settings)};
}

static ptowsp_status init(struct conform *c)
{
	struct ptowsp_init_args args = conform_init_args(c);

	return CONFORM_CALL(c, init, &c->services.table, &args, &c->instance, &c->error);
}

void conform_init(struct conform *c)
{
	if (!c->plugin)
		conform_load(c);
	conform_services_speak(&c->services, c->plugin->minor);
	conform_ok(c, init(c), "start");
	CONFORM_MUST(c, c->instance, "init answered 0 and left no instance");
}

ptowsp_status conform_device_open(struct conform *c, uint32_t threads, struct ptowsp_object **device_out)
{
	struct ptowsp_open_args args = {.head = PTOWSP_HEAD(args, OPEN_ARGS), .threads = threads};
	ptowsp_status status;

	*device_out = NULL;
	status = CONFORM_CALL(c, open, c->instance, &args, device_out, &c->error);
	CONFORM_MUST(c, status || *device_out, "open answered 0 and left no device");
	return status;
}

void conform_device_again(struct conform *c, uint32_t threads, struct ptowsp_object **device_out)
{
	if (conform_device_open(c, threads, device_out))
		conform_skip(c, "its device cannot be opened twice: %s", c->error.text);
}

void conform_open(struct conform *c, uint32_t threads)
{
	ptowsp_status status;

	if (!c->instance)
		conform_init(c);
	status = conform_device_open(c, threads, &c->device);
	if (status == PTOWSP_NO_DEVICE)
		conform_skip(c, "its device is not there: %s", c->error.text);
	conform_ok(c, status, "open of the first device");
}

void conform_close(struct conform *c)
{
	if (c->device)
		conform_ok(c, CONFORM_CALL(c, close, c->device, &c->error), "close of an open device");
	c->device = NULL;
	if (!c->instance)
		return;
	conform_ok(c, CONFORM_WAIT(c, fini, c->instance, &c->error), "the end");
	c->instance = NULL;
	CONFORM_MUST(c, !c->services.blocks, "fini left %llu bytes in %llu pieces that host->alloc gave (PL9)", (unsigned long long)c->services.bytes,
		     (unsigned long long)c->services.blocks);
	conform_isolated_end(c);
}

unsigned conform_claim(struct conform *c, uint32_t feature)
{
	uint32_t count = 0;
	struct ptowsp_cap *rows;
	unsigned state = PTOWSP_STATE_UNSUPPORTED;

	if (c->plugin->ops.capabilities(c->instance, NULL, NULL, sizeof(*rows), &count, NULL) != PTOWSP_MORE)
		return state;
	rows = calloc(count + 1u, sizeof(*rows));
	if (rows && !c->plugin->ops.capabilities(c->instance, NULL, rows, sizeof(*rows), &count, NULL))
		for (uint32_t i = 0; i < count; i++)
			if (rows[i].feature == feature)
				state = rows[i].state;
	free(rows);
	return state;
}
