/* SPDX-License-Identifier: MIT */
/* plugin.c - the smallest complete plugin, to be copied: a backend called "null" that runs the empty program, and says so
 * when it is given another. C11 and C++17. Built by ./build; explained in ../README.md, whose rules (PL1...) are named here.
 *
 * What a real backend changes: the names, the device, the capability rows, program_verify and run_finish. */
#include <string.h>

#include "ptowsp/note.h"
#include "ptowsp/package.h"
#include "ptowsp/plugin.h"
#include "ptowsp/workload.h"

#define NAME "null"
#define VENDOR "example"
#define VERSION "1.0.0"
#define TARGETS "null"

/* PL2: the same facts twice, for a host that only looks and for one that loads. */
PTOWSP_NOTE(0, NAME, VENDOR, VERSION, TARGETS);

/* ---- what init, open and load make; the host sees only struct ptowsp_object ---------------------------------- */

struct instance {
	const struct ptowsp_host *host; /* valid until fini has returned */
};
struct device {
	struct instance *instance;
	struct program *pending; /* submitted, not yet done; one at a time here */
	uint64_t token;
};
struct program {
	const struct ptowsp_host *host; /* unload is given the program alone */
	uint64_t runs;
};

/* ---- errors and sizes ---------------------------------------------------------------------------------------- */

/* PL6: one sentence into the caller's record, which may be absent. */
static ptowsp_status fail(struct ptowsp_error *error, ptowsp_status code, const char *text)
{
	if (error) {
		memset(error, 0, sizeof(*error));
		error->head.size = sizeof(*error);
		error->head.type = PTOWSP_STRUCT_ERROR;
		error->code = code;
		error->domain = PTOWSP_DOMAIN_PLUGIN;
		error->where[0] = error->where[1] = UINT64_MAX;
		strncpy(error->text, text, sizeof(error->text) - 1);
	}
	return code;
}

/* PL3: a newer host may send more than this plugin knows; nothing of it may be ignored in silence. No host sends less than 10.0 had, which is all
 * that is known here: not sizeof, which grows with PTOWSP_ABI_TARGET. */
static ptowsp_status arguments_check(const struct ptowsp_head *head, uint32_t known, struct ptowsp_error *error)
{
	const unsigned char *bytes = (const unsigned char *)head;

	if (head->size < known || head->size > PTOWSP_SIZE_LIMIT)
		return fail(error, PTOWSP_INVALID, NAME ": the size of an argument is below that of v10.0 or beyond PTOWSP_SIZE_LIMIT");
	for (uint32_t i = known; i < head->size; i++)
		if (bytes[i])
			return fail(error, PTOWSP_UNKNOWN_FIELD, NAME ": an argument has a field that this plugin does not know");
	return PTOWSP_OK;
}

/* Memory that is accounted to this plugin, zeroed. */
static void *memory_get(const struct ptowsp_host *host, uint64_t size)
{
	return host->alloc(host->context, size, 16);
}

/* ---- init and fini ------------------------------------------------------------------------------------------- */

static ptowsp_status null_init(const struct ptowsp_host *host, const struct ptowsp_init_args *args,
			       struct ptowsp_object **instance_out, struct ptowsp_error *error)
{
	struct instance *instance;
	ptowsp_status status = arguments_check(&args->head, PTOWSP_INIT_ARGS_FLOOR_10_0, error);

	if (!status && args->setting_count)
		status = fail(error, PTOWSP_INVALID, NAME " has no options");
	if (status)
		return status;
	instance = (struct instance *)memory_get(host, sizeof(*instance));
	if (!instance)
		return fail(error, PTOWSP_NO_MEMORY, "no memory for an instance of " NAME);
	instance->host = host;
	*instance_out = (struct ptowsp_object *)instance;
	return PTOWSP_OK;
}

static ptowsp_status null_fini(struct ptowsp_object *object, struct ptowsp_error *error)
{
	struct instance *instance = (struct instance *)object;
	const struct ptowsp_host *host = instance->host;

	(void)error;
	host->release(host->context, instance, sizeof(*instance));
	return PTOWSP_OK;
}

/* ---- what the device is and what is enforced ------------------------------------------------------------------ */

static const struct ptowsp_arch_memory memories[] = {
	{ PTOWSP_SPACE_GM, 0, 1, 0 },
};
static const struct ptowsp_arch_unit units[] = {
	{ PTOWSP_UNIT_HOST, 1, 1 },
};
static const struct ptowsp_device device_model = {
	PTOWSP_HEAD(struct ptowsp_device, DEVICE), "null0", "runs the empty program", "none",
	memories, units, 1, sizeof(struct ptowsp_arch_memory), 1, sizeof(struct ptowsp_arch_unit),
	PTOWSP_DISPATCH_QUEUES, PTOWSP_SYNC_BARRIER, PTOWSP_TIMING_REFERENCE, 0, 0, 0, "null",
};

static ptowsp_status null_devices(struct ptowsp_object *instance, const struct ptowsp_device **devices_out, uint32_t *count,
				  struct ptowsp_error *error)
{
	uint32_t room = *count;

	(void)instance;
	*count = 1;
	if (!room)
		return fail(error, PTOWSP_MORE, NAME " has 1 device");
	devices_out[0] = &device_model;
	return PTOWSP_OK;
}

/* PL7: a row is a promise that a probe can test. What has no row is unsupported, and the host says so before load. */
static const struct ptowsp_cap rows[] = {
	{ PTOWSP_FEATURE_OPCODE(PTOWSP_OP_HALT), PTOWSP_STATE_ENFORCED, PTOWSP_EVIDENCE_CLAIMED, 0, 0, 0, 0 },
	{ PTOWSP_FEATURE_TOTAL_CYCLES, PTOWSP_STATE_ENFORCED, PTOWSP_EVIDENCE_CLAIMED, 0, 0, 0, 0 },
	{ PTOWSP_FEATURE_DETERMINISTIC, PTOWSP_STATE_ENFORCED, PTOWSP_EVIDENCE_CLAIMED, 0, 0, 0, 0 },
	{ PTOWSP_FEATURE_NO_KERNELS, PTOWSP_STATE_ENFORCED, PTOWSP_EVIDENCE_CLAIMED, 0, 0, 0, 0 },
};

/* Arrays go by count and stride: another host's rows may be longer than ours, or shorter. */
static ptowsp_status null_capabilities(struct ptowsp_object *instance, const char *device, struct ptowsp_cap *rows_out,
				       uint32_t stride, uint32_t *count, struct ptowsp_error *error)
{
	uint32_t room = *count, have = sizeof(rows) / sizeof(*rows);

	(void)instance;
	if (device && *device && strcmp(device, device_model.name) != 0)
		return fail(error, PTOWSP_NO_DEVICE, NAME " has one device, null0");
	*count = have;
	if (room < have)
		return fail(error, PTOWSP_MORE, NAME " has more capability rows");
	for (uint32_t i = 0; i < have; i++)
		memcpy((char *)rows_out + (size_t)i * stride, &rows[i], stride < sizeof(*rows) ? stride : sizeof(*rows));
	return PTOWSP_OK;
}

/* ---- open and close ------------------------------------------------------------------------------------------- */

static ptowsp_status null_open(struct ptowsp_object *instance, const struct ptowsp_open_args *args,
			       struct ptowsp_object **device_out, struct ptowsp_error *error)
{
	const struct ptowsp_host *host = ((struct instance *)instance)->host;
	struct device *device;
	ptowsp_status status = arguments_check(&args->head, PTOWSP_OPEN_ARGS_FLOOR_10_0, error);

	if (!status && args->selector && *args->selector && strcmp(args->selector, device_model.name) != 0)
		status = fail(error, PTOWSP_NO_DEVICE, NAME " has one device, null0");
	if (status)
		return status;
	device = (struct device *)memory_get(host, sizeof(*device));
	if (!device)
		return fail(error, PTOWSP_NO_MEMORY, "no memory for a device of " NAME);
	device->instance = (struct instance *)instance;
	*device_out = (struct ptowsp_object *)device;
	return PTOWSP_OK;
}

static ptowsp_status null_close(struct ptowsp_object *object, struct ptowsp_error *error)
{
	const struct ptowsp_host *host = ((struct device *)object)->instance->host;

	(void)error;
	host->release(host->context, object, sizeof(struct device));
	return PTOWSP_OK;
}

/* ---- load and unload ------------------------------------------------------------------------------------------ */

static const struct ptowsp_section *section_find(const struct ptowsp_load_args *args, uint32_t type)
{
	for (uint32_t i = 0; i < args->section_count; i++) {
		const char *at = (const char *)args->sections + (size_t)i * args->section_stride;

		if (((const struct ptowsp_section *)at)->type == type)
			return (const struct ptowsp_section *)at;
	}
	return NULL;
}

/* The first instruction of the entry that runs will start at; false if the sections do not hold it. PL4: the host has
 * verified container and tables, but nobody has looked at the bytecode before this. */
static int entry_read(const struct ptowsp_load_args *args, struct ptowsp_instruction *instruction_out)
{
	const struct ptowsp_section *entries = section_find(args, PTOWSP_SECTION_ENTR);
	const struct ptowsp_section *work = section_find(args, PTOWSP_SECTION_WORK);
	struct ptowsp_workload_header header;
	struct ptowsp_entry_record entry;
	const char *code;

	if (!entries || args->entry >= entries->count || !work || work->count < sizeof(header))
		return 0;
	code = (const char *)work->data;
	memset(&entry, 0, sizeof(entry)); /* a table's rows may be longer than ours, or shorter: what they lack is zero */
	memcpy(&entry, (const char *)entries->data + (size_t)args->entry * entries->stride,
	       entries->stride < sizeof(entry) ? entries->stride : sizeof(entry));
	memcpy(&header, code, sizeof(header));
	if (header.magic != PTOWSP_WORKLOAD_MAGIC || header.version != PTOWSP_WORKLOAD_VERSION ||
	    header.num_instructions > (work->count - sizeof(header)) / sizeof(*instruction_out))
		return 0;
	if (entry.flags & PTOWSP_ENTRY_KERNEL) { /* no bytecode: one task of a kernel */
		memset(instruction_out, 0, sizeof(*instruction_out));
		instruction_out->opcode = PTOWSP_OP_TASK;
		return 1;
	}
	if (entry.instruction >= header.num_instructions)
		return 0;
	memcpy(instruction_out, code + sizeof(header) + (size_t)entry.instruction * sizeof(*instruction_out),
	       sizeof(*instruction_out));
	return 1;
}

static ptowsp_status program_verify(const struct ptowsp_load_args *args, struct ptowsp_error *error)
{
	struct ptowsp_instruction first;

	if (!entry_read(args, &first))
		return fail(error, PTOWSP_BAD_PACKAGE, "the package's workload is damaged: its entry is not in it");
	if (first.opcode != PTOWSP_OP_HALT)
		return fail(error, PTOWSP_UNSUPPORTED, NAME " runs the empty program only; choose another plugin for this one");
	return PTOWSP_OK;
}

static ptowsp_status null_load(struct ptowsp_object *device, const struct ptowsp_load_args *args,
			       struct ptowsp_object **program_out, struct ptowsp_error *error)
{
	const struct ptowsp_host *host = ((struct device *)device)->instance->host;
	struct program *program;
	ptowsp_status status = arguments_check(&args->head, PTOWSP_LOAD_ARGS_FLOOR_10_0, error);

	if (!status)
		status = program_verify(args, error);
	if (status)
		return status;
	program = (struct program *)memory_get(host, sizeof(*program));
	if (!program)
		return fail(error, PTOWSP_NO_MEMORY, "no memory for a program of " NAME);
	program->host = host;
	*program_out = (struct ptowsp_object *)program;
	return PTOWSP_OK;
}

static ptowsp_status null_unload(struct ptowsp_object *object, struct ptowsp_error *error)
{
	struct program *program = (struct program *)object;
	const struct ptowsp_host *host = program->host;

	(void)error;
	host->release(host->context, program, sizeof(*program));
	return PTOWSP_OK;
}

/* ---- runs ----------------------------------------------------------------------------------------------------- */

static void stats_fill(struct ptowsp_run_stats *stats)
{
	memset(stats, 0, sizeof(*stats)); /* no task, no cycle: that is what the empty program costs */
	stats->head.size = sizeof(*stats);
	stats->head.type = PTOWSP_STRUCT_RUN_STATS;
	stats->deterministic = PTOWSP_DETERMINISTIC_YES;
	stats->resource_stride = sizeof(struct ptowsp_resource_stats);
	stats->kernel_stride = sizeof(struct ptowsp_kernel_stats);
}

/* PL5: accepted means done later, exactly once; refused means never. Submit itself does not call done. */
static ptowsp_status null_submit(struct ptowsp_object *object, const struct ptowsp_run_args *args, struct ptowsp_error *error)
{
	struct device *device = (struct device *)object;
	ptowsp_status status = arguments_check(&args->head, PTOWSP_RUN_ARGS_FLOOR_10_0, error);

	if (!status && device->pending)
		status = fail(error, PTOWSP_AGAIN, NAME " runs one program at a time; poll first");
	if (status)
		return status;
	device->pending = (struct program *)args->program;
	device->token = args->token;
	return PTOWSP_OK;
}

static void run_finish(struct device *device)
{
	const struct ptowsp_host *host = device->instance->host;
	struct ptowsp_run_stats stats;
	struct ptowsp_done done;

	stats_fill(&stats);
	memset(&done, 0, sizeof(done));
	done.head.size = sizeof(done);
	done.head.type = PTOWSP_STRUCT_DONE;
	done.token = device->token;
	done.stats = &stats;
	device->pending->runs++;
	device->pending = NULL; /* before done: the host may submit again from a thread that waits for it */
	host->done(host->context, &done);
}

/* A plugin without threads works here; one with threads waits here. */
static ptowsp_status null_poll(struct ptowsp_object *object, uint64_t until_ns, struct ptowsp_error *error)
{
	struct device *device = (struct device *)object;

	(void)until_ns, (void)error;
	if (device->pending)
		run_finish(device);
	return PTOWSP_OK;
}

/* A result: at most the caller's size is written, and what this plugin does not know becomes zero. */
static ptowsp_status null_stats(struct ptowsp_object *program, struct ptowsp_run_stats *stats_out, struct ptowsp_error *error)
{
	struct ptowsp_run_stats stats;
	uint32_t size = stats_out->head.size, known = size < sizeof(stats) ? size : (uint32_t)sizeof(stats);

	(void)program, (void)error;
	stats_fill(&stats);
	stats.head.size = size;
	memset((char *)stats_out + known, 0, size - known);
	memcpy(stats_out, &stats, known);
	return PTOWSP_OK;
}

/* ---- the tables and the entry --------------------------------------------------------------------------------- */

/* In the order of struct ptowsp_ops; C++17 has no designated initialisers. A NULL operation answers UNIMPLEMENTED. */
static const struct ptowsp_ops ops = {
	PTOWSP_HEAD(struct ptowsp_ops, OPS),
	null_init,
	null_fini,
	NULL, /* extension: none */
	null_devices,
	NULL, /* options: none */
	null_capabilities,
	null_open,
	null_close,
	null_load,
	null_unload,
	null_submit,
	NULL, /* cancel: no run lasts long enough */
	null_poll,
	null_poll, /* drain: the same for one run at a time */
	null_stats,
};

static const struct ptowsp_plugin plugin = {
	PTOWSP_HEAD(struct ptowsp_plugin, PLUGIN), PTOWSP_ABI_MAJOR, PTOWSP_ABI_TARGET, 0, NAME, VENDOR, VERSION, TARGETS, &ops, NULL, /* needs no extension of the host */
};

/* PL1: the only export; pure. */
const struct ptowsp_plugin *ptowsp_plugin_v10(uint32_t host_minor)
{
	(void)host_minor; /* nothing here is newer than 10.0 */
	return &plugin;
}
