/* SPDX-License-Identifier: MIT */
/* engine_kernels.c - kernels as the planned program asks about them, and as a device gets them. */
#include "ascend/engine/engine_own.h"
#include "ptowsp/ids.h"
#include "rt/program/rt_error.h"
#include <string.h>

/* Cycles that only a run tells are put in when it has run. */
static ptowsp_status cycles(void *context, uint32_t kernel, const uint64_t *args, uint64_t *cycles_out)
{
	const struct ascend_planned *planned = context;
	const struct rt_kernels *served = &planned->base.served;

	*cycles_out = planned->cycles ? planned->cycles[kernel] : 0;
	if (!*cycles_out)
		served->cycles(served->context, kernel, args, cycles_out);
	return PTOWSP_OK;
}

/* Load has found what the cores of the device get. */
static const char *unusable(void *context, uint32_t kernel)
{
	(void)context;
	(void)kernel;
	return NULL;
}

static uint32_t code(void *context, uint32_t kernel)
{
	(void)context;
	(void)kernel;
	return PTOWSP_KERNEL_NATIVE;
}

struct rt_kernels ascend_planned_table(struct ascend_planned *planned)
{
	struct rt_kernels table = base_planned_table(&planned->base);

	table.cycles = cycles;
	if (planned->onboard) {
		table.unusable = unusable;
		table.code = code;
	}
	return table;
}

/* Names by which packages may call the cores of the engine's architecture. NULL ends. */
static const char *const *names_of(const char *arch)
{
	static const char *const a2a3[] = {"a2a3", "dav_c220", "ascend_910b", "ascend_910c", NULL}, *const a5[] = {"a5", "dav_c310", "ascend_950", NULL};

	return strcmp(arch, "a5") ? a2a3 : a5;
}

static bool is_for(const char *target, const char *arch)
{
	for (const char *const *name = names_of(arch); *name; name++)
		if (!strcmp(target, *name))
			return true;
	return false;
}

ptowsp_status ascend_image_find(struct ascend_kernel_object *object, uint64_t *cycles_out, const struct ascend_loaded *loaded, uint32_t kernel,
				struct ptowsp_error *error)
{
	const struct base_sections *sections = &loaded->sections;
	struct ptowsp_kernel_record record;
	struct ptowsp_payload_record payload;
	ptowsp_status status;

	if (kernel == loaded->planned->copy_kernel)
		return rt_fail(error, PTOWSP_UNSUPPORTED,
			       "the package copies regions, and a device gets no code but that of the package's kernels; copy with a kernel");
	status = base_sections_row(&sections->kreg, kernel, &record, sizeof(record), error);

	for (uint32_t p = 0; !status && p < record.payload_count; p++) {
		status = base_sections_row(&sections->kpay, record.payloads + p, &payload, sizeof(payload), error);
		if (status || payload.kind != PTOWSP_PAYLOAD_IMAGE || !is_for(base_sections_string(sections, payload.target), loaded->engine->arch))
			continue;
		if (!(loaded->flags & PTOWSP_LOAD_TRUST_NATIVE))
			return rt_fail(error, PTOWSP_UNSUPPORTED, "kernel %.60s brings machine code for the device: say --trust=all if you trust the package",
				       rt_kernel_name(loaded->planned, kernel));
		object->id = (int32_t)kernel;
		object->size = payload.size;
		*cycles_out = payload.cycles;
		return base_sections_code(sections, payload.offset, payload.size, &object->bytes, error);
	}
	return status ? status
		      : rt_fail(error, PTOWSP_UNSUPPORTED,
				"kernel %.60s has no image payload for %s (%s): compile kernels/NAME.cpp of --emit with -DTILE_PTO_RUNTIME, and pack its text "
				"section",
				rt_kernel_name(loaded->planned, kernel), loaded->engine->arch, names_of(loaded->engine->arch)[1]);
}
