/* SPDX-License-Identifier: MIT */
/* engine_kernels.c - kernels as the planned program asks about them, and as a device gets them. */
#include <string.h>
#include "engine_own.h"
#include "ptowsp/ids.h"
#include "rt/error.h"

/* What only a run tells is put in when it has run. */
ptowsp_status ascend_planned_cycles(void *context, uint32_t kernel, const uint64_t *args, uint64_t *cycles_out)
{
	const struct ascend_planned *planned = context;

	*cycles_out = 0;
	planned->served.cycles(planned->served.context, kernel, args, cycles_out);
	return PTOWSP_OK;
}

ptowsp_status ascend_planned_footprint(void *context, uint32_t kernel, const uint64_t *args, rt_touch_fn touch, void *sink)
{
	const struct ascend_planned *planned = context;

	return planned->served.footprint(planned->served.context, kernel, args, touch, sink);
}

int ascend_planned_varies(void *context, uint32_t kernel)
{
	const struct ascend_planned *planned = context;

	return planned->served.varies(planned->served.context, kernel);
}

ptowsp_status ascend_planned_run(void *context, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker)
{
	return ascend_walk_task_run(((const struct ascend_planned *)context)->walk, task, out, worker);
}

const char *ascend_planned_unusable(void *context, uint32_t kernel)
{
	const struct ascend_planned *planned = context;

	return planned->served.unusable(planned->served.context, kernel);
}

void ascend_planned_explain(void *context, uint32_t kernel, const uint64_t *args, struct ptowsp_error *error)
{
	const struct ascend_planned *planned = context;

	planned->served.explain(planned->served.context, kernel, args, error);
}

uint32_t ascend_planned_code(void *context, uint32_t kernel)
{
	const struct ascend_planned *planned = context;

	return planned->served.code(planned->served.context, kernel);
}

ptowsp_status ascend_image_find(struct ascend_kernel_object *object, const struct ascend_loaded *loaded, uint32_t kernel, struct ptowsp_error *error)
{
	const struct base_sections *sections = &loaded->sections;
	struct ptowsp_kernel_record record;
	struct ptowsp_payload_record payload;
	ptowsp_status st = base_sections_row(&sections->kreg, kernel, &record, sizeof(record), error);

	for (uint32_t p = 0; !st && p < record.payload_count; p++) {
		st = base_sections_row(&sections->kpay, record.payloads + p, &payload, sizeof(payload), error);
		if (st || payload.kind != PTOWSP_PAYLOAD_IMAGE || strcmp(base_sections_string(sections, payload.target), loaded->engine->arch))
			continue;
		object->id = (int32_t)kernel;
		object->size = payload.size;
		return base_sections_code(sections, payload.offset, payload.size, &object->bytes, error);
	}
	return st ? st : rt_fail(error, PTOWSP_UNSUPPORTED, "kernel %.60s has no image payload for %s: compile it with --emit for that device, and pack the text section",
				 rt_kernel_name(loaded->planned, kernel), loaded->engine->arch);
}
