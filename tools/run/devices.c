/* SPDX-License-Identifier: MIT */
/* devices.c - --devices: every device with its architecture model. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "registry/names.h"
#include "registry/text.h"
#include "tools/plain.h"
#include "tools/run/run_run.h"

/* Bits as words; `names` by rising bit. */
static void bits_text(uint32_t bits, const char *const *names, unsigned count, char *memory, size_t room)
{
	struct reg_text text;

	reg_text_init(&text, memory, room);
	for (unsigned i = 0; i < count; i++)
		if (bits >> i & 1)
			reg_text_add(&text, "%s%s", text.length ? "," : "", names[i]);
}

static const char *const dispatch_names[] = {"threads", "core_grid", "queues", "waves"};
static const char *const sync_names[] = {"barrier", "flag", "cross_device"};
static const char *const timing_names[] = {"?", "reference", "events", "measured"};

const char *run_engine(const struct ptowsp_device *device)
{
	return device && PTOWSP_HAS(device, struct ptowsp_device, engine) && device->engine ? device->engine : "unknown";
}

const char *run_cycle_model(const struct ptowsp_device *device)
{
	return device && device->cycle_model ? device->cycle_model : "unknown";
}

static const struct ptowsp_arch_memory *memory_at(const struct ptowsp_device *d, uint32_t i)
{
	return (const void *)((const char *)d->memories + (size_t)i * d->memory_stride);
}

static const struct ptowsp_arch_unit *unit_at(const struct ptowsp_device *d, uint32_t i)
{
	return (const void *)((const char *)d->units + (size_t)i * d->unit_stride);
}

static json_t *device_json(const struct ptowsp_backend *backend, const struct ptowsp_device *d)
{
	json_t *memories = json_array(), *units = json_array();
	char dispatch[64], sync[64];

	bits_text(d->dispatch, dispatch_names, 4, dispatch, sizeof(dispatch));
	bits_text(d->sync, sync_names, 3, sync, sizeof(sync));
	for (uint32_t i = 0; i < d->memory_count; i++) {
		const struct ptowsp_arch_memory *m = memory_at(d, i);

		json_array_append_new(memories, json_pack("{s:s, s:I, s:i, s:b}", "space", reg_space_text(m->space), "capacity", (json_int_t)m->capacity,
							  "granularity", (int)m->granularity, "per_unit", (int)m->per_unit));
	}
	for (uint32_t i = 0; i < d->unit_count; i++) {
		const struct ptowsp_arch_unit *u = unit_at(d, i);

		json_array_append_new(
			units, json_pack("{s:s, s:I, s:i}", "unit", reg_pool_text(u->unit), "count", (json_int_t)u->count, "concurrency", (int)u->concurrency));
	}
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:[I, I]}", "plugin", ptowsp_backend_name(backend), "name", d->name, "text",
			 d->text ? d->text : "", "engine", run_engine(d), "cycle_model", run_cycle_model(d), "timing",
			 timing_names[d->timing < 4 ? d->timing : 0], "memories", memories, "units", units, "dispatch", run_words_json(dispatch), "sync",
			 run_words_json(sync), "grid", (json_int_t)d->grid_rows, (json_int_t)d->grid_columns);
}

static void device_print(const struct ptowsp_backend *backend, const struct ptowsp_device *d)
{
	char dispatch[64], sync[64];

	bits_text(d->dispatch, dispatch_names, 4, dispatch, sizeof(dispatch));
	bits_text(d->sync, sync_names, 3, sync, sizeof(sync));
	plain_line(stdout, "%s %s: %s", ptowsp_backend_name(backend), d->name, d->text ? d->text : "");
	plain_print(stdout, "  engine %s, cycle model %s, timing %s, dispatch by %s, synchronisation %s", run_engine(d), run_cycle_model(d),
		    timing_names[d->timing < 4 ? d->timing : 0], dispatch, *sync ? sync : "none");
	if (d->grid_rows)
		printf(", grid %ux%u", d->grid_rows, d->grid_columns);
	printf("\n");
	for (uint32_t i = 0; i < d->memory_count; i++) {
		const struct ptowsp_arch_memory *m = memory_at(d, i);
		char size[32] = "the machine's";

		if (m->capacity)
			snprintf(size, sizeof(size), "%llu bytes", (unsigned long long)m->capacity);
		printf("  memory %-6s size %s, granularity %u byte%s%s\n", reg_space_text(m->space), size, m->granularity, m->granularity == 1 ? "" : "s",
		       m->per_unit ? ", per unit" : "");
	}
	for (uint32_t i = 0; i < d->unit_count; i++) {
		const struct ptowsp_arch_unit *u = unit_at(d, i);
		char count[32] = "as many as the schedule says";

		if (u->count)
			snprintf(count, sizeof(count), "%u", u->count);
		printf("  unit   %-6s %s, %u task%s at once each\n", reg_pool_text(u->unit), count, u->concurrency, u->concurrency == 1 ? "" : "s");
	}
}

static void devices_visit(void *context, struct ptowsp_backend *backend)
{
	json_t *rows = context;
	const struct ptowsp_device *device;

	for (uint32_t i = 0; (device = ptowsp_backend_device(backend, i)); i++) {
		if (rows)
			json_array_append_new(rows, device_json(backend, device));
		else
			device_print(backend, device);
	}
}

ptowsp_status run_devices(const struct run_options *options, struct ptowsp_error *error)
{
	json_t *rows = options->json ? json_array() : NULL;
	ptowsp_status status = run_each_backend(options, devices_visit, rows, error);

	if (!rows)
		return status;
	if (!status)
		return run_json_print(json_pack("{s:s, s:o}", "schema", "ptowsp.devices/1", "devices", rows), error);
	json_decref(rows);
	return status;
}
