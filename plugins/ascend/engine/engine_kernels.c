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

static bool is_for(const char *target, const char *arch, const char *cores)
{
	for (const char *const *name = names_of(arch); *name; name++)
		if (!strncmp(target, *name, strlen(*name)) && !strcmp(target + strlen(*name), cores))
			return true;
	return false;
}

/* The kernel's own image for cores that the target names behind the architecture; object_out->bytes NULL: it has none, or none that is trusted, of which *distrusted_out tells. */
static ptowsp_status image_find(struct ascend_kernel_object *object_out, const char *cores, bool *distrusted_out, const struct ascend_loaded *loaded,
				uint32_t kernel, struct ptowsp_error *error)
{
	const struct base_sections *sections = &loaded->sections;
	struct ptowsp_kernel_record record;
	struct ptowsp_payload_record payload;
	ptowsp_status status = base_sections_row(&sections->kreg, kernel, &record, sizeof(record), error);

	*object_out = (struct ascend_kernel_object){0};
	*distrusted_out = false;
	for (uint32_t p = 0; !status && p < record.payload_count; p++) {
		status = base_sections_row(&sections->kpay, record.payloads + p, &payload, sizeof(payload), error);
		if (status || payload.kind != PTOWSP_PAYLOAD_IMAGE || !is_for(base_sections_string(sections, payload.target), loaded->engine->arch, cores))
			continue;
		*distrusted_out = !(loaded->flags & PTOWSP_LOAD_TRUST_NATIVE);
		if (*distrusted_out)
			continue;
		object_out->id = (int32_t)kernel;
		object_out->size = payload.size;
		if (loaded->image_cycles[kernel] < payload.cycles)
			loaded->image_cycles[kernel] = payload.cycles;
		return base_sections_code(sections, payload.offset, payload.size, &object_out->bytes, error);
	}
	return status;
}

/* The cube core of the kernel's cluster has a function of its own. */
static void cube_add(struct ascend_children *children, struct ascend_loaded *loaded, uint32_t kernel, const void *bytes, size_t size)
{
	struct ascend_plan_step *step = &loaded->tasks[kernel].step;

	step->shape = ASCEND_SHAPE_MIX;
	step->cube = loaded->kernel_count + children->cubes++;
	children->rows[children->count++] = (struct ascend_kernel_object){(int32_t)step->cube, bytes, size};
}

static ptowsp_status images_add(struct ascend_children *children, struct ascend_loaded *loaded, uint32_t kernel, const struct ascend_kernel_object *image,
				struct ptowsp_error *error)
{
	struct ascend_kernel_object cube;
	bool distrusted;
	ptowsp_status status = image_find(&cube, "_cube", &distrusted, loaded, kernel, error);

	children->rows[children->count++] = *image;
	if (cube.bytes)
		cube_add(children, loaded, kernel, cube.bytes, cube.size);
	return status;
}

static void compiled_add(struct ascend_children *children, struct ascend_loaded *loaded, uint32_t kernel)
{
	const struct ascend_cores *cores = &children->cores[kernel];

	children->rows[children->count++] = (struct ascend_kernel_object){(int32_t)kernel, cores->vector, cores->vector_size};
	loaded->tasks[kernel].step.shape = ASCEND_SHAPE_VECTOR;
	loaded->tasks[kernel].passed = (uint32_t)cores->workspace;
	if (cores->cube) /* it multiplies */
		cube_add(children, loaded, kernel, cores->cube, cores->cube_size);
}

ptowsp_status ascend_device_kernel_add(struct ascend_children *children, struct ascend_loaded *loaded, uint32_t kernel, struct ptowsp_error *error)
{
	const struct ascend_engine *engine = loaded->engine;
	const struct base_kernels *kernels = &loaded->program->kernels;
	const char *name = rt_kernel_name(loaded->planned, kernel);
	const struct isa_program *portable = kernel < kernels->count ? kernels->rows[kernel].isa : NULL;
	struct ascend_kernel_object image;
	bool distrusted;
	ptowsp_status status;

	status = image_find(&image, "", &distrusted, loaded, kernel, error);
	if (status)
		return status;
	if (image.bytes)
		return images_add(children, loaded, kernel, &image, error);
	if (!portable)
		return rt_fail(error, PTOWSP_UNSUPPORTED,
			       distrusted ? "kernel %.60s brings machine code for the device: say --trust=all if you trust the package"
					  : "kernel %.60s has no portable payload to compile for %s, and no image; give it one",
			       name, names_of(engine->arch)[1]);
	status = ascend_cores_make(&children->cores[kernel], portable, name, ascend_model_id(loaded->program->device->model), engine->cache, error);
	if (!status)
		compiled_add(children, loaded, kernel);
	return status;
}
