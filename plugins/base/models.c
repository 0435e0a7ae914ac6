/* SPDX-License-Identifier: MIT */
#include "models.h"

#include "backend.h"
#include "error.h"
#include "instance.h"
#include <stdio.h>
#include <string.h>

const struct ptowsp_arch_memory base_model_memories[BASE_MODEL_MEMORIES] = {
	{.space = PTOWSP_SPACE_GM, .granularity = 1},
	{.space = PTOWSP_SPACE_UB, .per_unit = 1, .granularity = 1},
};
const struct ptowsp_arch_unit base_model_units[BASE_MODEL_UNITS] = {
#define X(name, code, text, pool) {.unit = PTOWSP_UNIT_##name, .concurrency = 1},
#include "ptowsp/unit.def"
#undef X
};

/* "cpu0, cpu1" into text. */
static void names(const struct base_model *models, uint32_t count, char *text, size_t size)
{
	size_t used = 0;

	*text = 0;
	for (uint32_t i = 0; i < count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", models[i].device.name);
}

ptowsp_status base_model_find(const struct base_backend *backend, const struct base_options *options, const char *selector, const struct base_model **model_out,
			      struct ptowsp_error *error)
{
	char known[96];
	uint32_t count;
	const struct base_model *models = backend->models(options, &count);

	for (uint32_t i = 0; i < count; i++)
		if (!selector || !*selector || !strcmp(selector, models[i].device.name)) {
			*model_out = &models[i];
			return PTOWSP_OK;
		}
	names(models, count, known, sizeof(known));
	return base_fail(error, PTOWSP_NO_DEVICE, "%s has no device \"%.60s\"; it has %s", backend->name, selector, known);
}

ptowsp_status base_models_list(const struct base_backend *backend, struct ptowsp_object *instance, const struct ptowsp_device **devices_out, uint32_t *count,
			       struct ptowsp_error *error)
{
	uint32_t room = *count;
	const struct base_model *models = backend->models(base_options_of(instance), count);

	for (uint32_t i = 0; i < room && i < *count; i++)
		devices_out[i] = &models[i].device;
	if (room < *count)
		return base_fail(error, PTOWSP_MORE, "%s has %u devices, there is room for %u", backend->name, *count, room);
	return PTOWSP_OK;
}
