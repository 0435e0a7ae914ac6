/* SPDX-License-Identifier: MIT
 * plugin.c - a small plugin that a test compiles with one oddity of its choice:
 *	-DNAME="\"odd\""      its name (default "odd")
 *	-DANSWER=-14          submit answers this status through done (default 0: success)
 *	-DREFUSE=-14          submit itself returns it
 *	-DOPEN=-14            open returns it
 *	-DMAJOR=11            major in the descriptor (the note keeps 10)
 *	-DNO_NOTE -DNULL_OPS -DNULL_ENTRY -DOTHER_NAME
 *	-DMARK="\"path\""     the constructor writes that file: whoever finds it knows that code ran */
#include "ptowsp/ptowsp.h"

#include <stdio.h>
#include <string.h>

#ifndef NAME
#define NAME "odd"
#endif
#ifndef ANSWER
#define ANSWER 0
#endif
#ifndef REFUSE
#define REFUSE 0
#endif
#ifndef OPEN
#define OPEN 0
#endif
#ifndef MAJOR
#define MAJOR PTOWSP_ABI_MAJOR
#endif

#ifndef NO_NOTE
PTOWSP_NOTE(0, NAME, "tests", "1.0", NAME);
#endif

#ifdef MARK
__attribute__((constructor)) static void mark(void)
{
	FILE *f = fopen(MARK, "w");

	if (f)
		fclose(f);
}
#endif

static struct ptowsp_host services;

static ptowsp_status fail(struct ptowsp_error *error, ptowsp_status status, const char *what)
{
	if (status && error) {
		error->code = status;
		error->domain = PTOWSP_DOMAIN_PLUGIN;
		snprintf(error->text, sizeof(error->text), "the odd plugin says %d in %s; ask its author", status, what);
	}
	return status;
}

static ptowsp_status start(const struct ptowsp_host *host, const struct ptowsp_init_args *args, struct ptowsp_object **instance_out, struct ptowsp_error *error)
{
	(void)args, (void)error;
	memcpy(&services, host, sizeof(services) < host->head.size ? sizeof(services) : host->head.size);
	*instance_out = (struct ptowsp_object *)&services;
	return 0;
}

static ptowsp_status end(struct ptowsp_object *object, struct ptowsp_error *error)
{
	(void)object, (void)error;
	return 0;
}

static ptowsp_status devices(struct ptowsp_object *instance, const struct ptowsp_device **devices_out, uint32_t *count, struct ptowsp_error *error)
{
	static const struct ptowsp_device device = {.head = PTOWSP_HEAD(struct ptowsp_device, DEVICE),
						    .name = "odd0",
						    .text = "an odd device",
						    .cycle_model = "odd",
						    .dispatch = PTOWSP_DISPATCH_THREADS,
						    .timing = PTOWSP_TIMING_REFERENCE};
	uint32_t room = *count;

	(void)instance, (void)error;
	*count = 1;
	if (room < 1)
		return PTOWSP_MORE;
	devices_out[0] = &device;
	return 0;
}

static ptowsp_status capabilities(struct ptowsp_object *instance, const char *device, struct ptowsp_cap *rows_out, uint32_t stride, uint32_t *count,
				  struct ptowsp_error *error)
{
	uint32_t room = *count, n = 0;
	char *at = (char *)rows_out;

	(void)instance, (void)device, (void)error;
	for (uint32_t feature = 0x1000; feature < 0x1100; feature++, n++) { /* every opcode */
		struct ptowsp_cap row = {.feature = feature, .state = PTOWSP_STATE_ENFORCED};

		if (n < room)
			memcpy(at + (size_t)n * stride, &row, sizeof(row));
	}
	for (uint32_t feature = 0x3000; feature < 0x3010; feature++, n++) { /* every payload */
		struct ptowsp_cap row = {.feature = feature, .state = PTOWSP_STATE_ENFORCED};

		if (n < room)
			memcpy(at + (size_t)n * stride, &row, sizeof(row));
	}
	*count = n;
	return n > room ? PTOWSP_MORE : 0;
}

static ptowsp_status device_open(struct ptowsp_object *instance, const struct ptowsp_open_args *args, struct ptowsp_object **device_out,
				 struct ptowsp_error *error)
{
	(void)args;
	*device_out = instance;
	return fail(error, OPEN, "open");
}

static ptowsp_status load(struct ptowsp_object *device, const struct ptowsp_load_args *args, struct ptowsp_object **program_out, struct ptowsp_error *error)
{
	(void)args, (void)error;
	*program_out = device;
	return 0;
}

static ptowsp_status submit(struct ptowsp_object *device, const struct ptowsp_run_args *args, struct ptowsp_error *error)
{
	static struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(struct ptowsp_run_stats, RUN_STATS)};
	static struct ptowsp_error why = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct ptowsp_done done = {.head = PTOWSP_HEAD(struct ptowsp_done, DONE), .token = args->token, .status = ANSWER, .stats = &stats};

	(void)device;
	if (REFUSE)
		return fail(error, REFUSE, "submit");
	fail(&why, ANSWER, "done");
	done.error = ANSWER ? &why : NULL;
	services.done(services.context, &done);
	return 0;
}

static const struct ptowsp_ops ops = {.head = PTOWSP_HEAD(struct ptowsp_ops, OPS),
				      .init = start,
				      .fini = end,
				      .devices = devices,
				      .capabilities = capabilities,
				      .open = device_open,
				      .close = end,
				      .load = load,
				      .unload = end,
				      .submit = submit};

static const struct ptowsp_plugin plugin = {
	.head = PTOWSP_HEAD(struct ptowsp_plugin, PLUGIN),
	.major = MAJOR,
	.minor = PTOWSP_ABI_TARGET,
#ifdef OTHER_NAME
	.name = "another",
#else
	.name = NAME,
#endif
	.vendor = "tests",
	.version = "1.0",
	.targets = NAME,
#ifdef NULL_OPS
	.ops = NULL,
#else
	.ops = &ops,
#endif
};

const struct ptowsp_plugin *ptowsp_plugin_v10(uint32_t host_minor)
{
	(void)host_minor;
	(void)ops;
#ifdef NULL_ENTRY
	return NULL;
#else
	return &plugin;
#endif
}
