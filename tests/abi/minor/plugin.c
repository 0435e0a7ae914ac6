/* SPDX-License-Identifier: MIT */
/* plugin.c - the template as a plugin of the test minor: it uses everything that appended.txt appends where the effective minor has it, and is a plugin of 10.0 elsewhere.
 * What comes in by a new field comes back by another, so that a host sees that both crossed. */
#include <stdatomic.h>
#include <stdbool.h>

#include "ptowsp/note.h"
#include "ptowsp/plugin.h"
PTOWSP_NOTE(0, "minor", "tests", "1.0.0", "minor");
#undef PTOWSP_NOTE
#define PTOWSP_NOTE(...)  struct no_other_note

#define ptowsp_plugin_v10 template_plugin
#include "template/plugin.c"
#undef ptowsp_plugin_v10

static _Atomic uint64_t opened, submitted; /* the latest open_args.later, run_args.later */

static bool is_later(const struct ptowsp_host *host)
{
	return host->minor >= 9999;
}

/* A copy of arguments in the size of 10.0, for the template. The newest size is known here; beyond it the template's rule holds. */
static const struct ptowsp_head *cut(const struct ptowsp_host *host, const struct ptowsp_head *args, void *copy, uint32_t floor, uint32_t known)
{
	if (!is_later(host) || args->size < known)
		return args; /* nothing in it is new */
	for (uint32_t i = known; i < args->size && args->size <= PTOWSP_SIZE_LIMIT; i++)
		if (((const unsigned char *)args)[i])
			return args;
	if (args->size > PTOWSP_SIZE_LIMIT)
		return args;
	memcpy(copy, args, floor);
	((struct ptowsp_head *)copy)->size = floor;
	return (const struct ptowsp_head *)copy;
}

static ptowsp_status minor_init(const struct ptowsp_host *host, const struct ptowsp_init_args *args, struct ptowsp_object **out, struct ptowsp_error *error)
{
	if (is_later(host) && host->later) /* ptowsp-conform has none, and the worker of an isolated plugin */
		host->later(host->context, 7);
	return null_init(host, args, out, error);
}

static ptowsp_status minor_open(struct ptowsp_object *object, const struct ptowsp_open_args *args, struct ptowsp_object **out, struct ptowsp_error *error)
{
	struct ptowsp_open_args copy;
	const struct ptowsp_head *given = cut(((struct instance *)object)->host, &args->head, &copy, PTOWSP_OPEN_ARGS_FLOOR_10_0, sizeof(*args));

	opened = given == &args->head ? 0 : args->later;
	return null_open(object, (const struct ptowsp_open_args *)given, out, error);
}

static ptowsp_status minor_submit(struct ptowsp_object *object, const struct ptowsp_run_args *args, struct ptowsp_error *error)
{
	struct ptowsp_run_args copy;
	const struct ptowsp_head *given = cut(((struct device *)object)->instance->host, &args->head, &copy, PTOWSP_RUN_ARGS_FLOOR_10_0, sizeof(*args));

	submitted = given == &args->head ? 0 : args->later;
	return null_submit(object, (const struct ptowsp_run_args *)given, error);
}

/* As the template's run_finish, with results that have more. */
static ptowsp_status minor_poll(struct ptowsp_object *object, uint64_t until_ns, struct ptowsp_error *error)
{
	struct device *device = (struct device *)object;
	const struct ptowsp_host *host = device->instance->host;
	struct ptowsp_resource_stats row = {.name = "later", .later = submitted + 1};
	struct ptowsp_run_stats stats;
	struct ptowsp_done done = {.head = PTOWSP_HEAD(done, DONE), .token = device->token, .stats = &stats};

	if (!is_later(host) || !device->pending)
		return null_poll(object, until_ns, error);
	stats_fill(&stats);
	stats.later = submitted + 2;
	stats.resources = &row;
	stats.resource_count = 1;
	stats.resource_stride = sizeof(row);
	device->pending = NULL;
	host->done(host->context, &done);
	return PTOWSP_OK;
}

static ptowsp_status minor_devices(struct ptowsp_object *instance, const struct ptowsp_device **out, uint32_t *count, struct ptowsp_error *error)
{
	static struct ptowsp_device longer;
	ptowsp_status status = null_devices(instance, out, count, error);

	if (!status) {
		longer = *out[0];
		longer.head.size = sizeof(longer);
		longer.later = "said of the device";
		out[0] = &longer;
	}
	return status;
}

static ptowsp_status minor_options(const struct ptowsp_option **out, uint32_t *count, struct ptowsp_error *error)
{
	static const struct ptowsp_option option = {PTOWSP_HEAD(option, OPTION), "none", "bool", "false", "", "nothing is done by it", 11};
	uint32_t room = *count;

	*count = 1;
	if (!room)
		return fail(error, PTOWSP_MORE, "minor has 1 option");
	out[0] = &option;
	return PTOWSP_OK;
}

/* The template's rows, and one of a feature that 10.0 does not have. */
static ptowsp_status minor_capabilities(struct ptowsp_object *object, const char *device, struct ptowsp_cap *out, uint32_t stride, uint32_t *count,
					struct ptowsp_error *error)
{
	static const struct ptowsp_cap row = {PTOWSP_FEATURE_LATER, PTOWSP_STATE_DIAGNOSED, PTOWSP_EVIDENCE_CLAIMED, 9999, 0, 0, 0, 5};
	const uint32_t have = sizeof(rows) / sizeof(*rows), room = *count;
	ptowsp_status status;

	if (!object || !is_later(((struct instance *)object)->host))
		return null_capabilities(object, device, out, stride, count, error);
	status = null_capabilities(object, device, out, stride, count, error);
	if (status && status != PTOWSP_MORE)
		return status;
	*count = have + 1;
	if (room <= have)
		return fail(error, PTOWSP_MORE, "minor has more capability rows");
	memcpy((char *)out + (size_t)have * stride, &row, stride < sizeof(row) ? stride : sizeof(row));
	return PTOWSP_OK;
}

static ptowsp_status minor_later(struct ptowsp_object *device, uint64_t number, uint64_t *sum_out, struct ptowsp_error *error)
{
	(void)device;
	if (number == UINT64_MAX)
		return fail(error, PTOWSP_LATER, "a sum beyond all numbers");
	*sum_out = number + opened;
	return PTOWSP_OK;
}

static ptowsp_status trace_attach(struct ptowsp_object *program, void (*sink)(void *, const struct ptowsp_trace_task *, uint32_t, uint32_t), void *context,
				  struct ptowsp_error *error)
{
	(void)program, (void)sink, (void)context, (void)error; /* no task is ever told */
	return PTOWSP_OK;
}

static ptowsp_status trace_later(struct ptowsp_object *program, uint64_t number, struct ptowsp_error *error)
{
	(void)program;
	return number == 3 ? PTOWSP_OK : fail(error, PTOWSP_INVALID, "not 3");
}

static const void *minor_extension(struct ptowsp_object *instance, const char *id)
{
	static const struct ptowsp_trace_extension trace = {PTOWSP_HEAD(trace, EXTENSION), trace_attach, NULL, trace_later};

	(void)instance;
	return strcmp(id, PTOWSP_EXTENSION_TRACE) ? NULL : &trace;
}

static const struct ptowsp_ops minor_ops = {
	PTOWSP_HEAD(minor_ops, OPS),
	minor_init,
	null_fini,
	minor_extension,
	minor_devices,
	minor_options,
	minor_capabilities,
	minor_open,
	null_close,
	null_load,
	null_unload,
	minor_submit,
	NULL,
	minor_poll,
	minor_poll,
	null_stats,
	minor_later,
};

static const struct ptowsp_plugin minor = {
	PTOWSP_HEAD(minor, PLUGIN), PTOWSP_ABI_MAJOR, PTOWSP_ABI_TARGET, 0, "minor", "tests", "1.0.0", "minor", &minor_ops, NULL, "said of the plugin",
};

const struct ptowsp_plugin *ptowsp_plugin_v10(uint32_t host_minor)
{
	(void)host_minor; /* without what is new it runs, too */
	return &minor;
}
