/* SPDX-License-Identifier: MIT */
/* processor.h - the one device of a backend of tests: the processor, with the reference cycle model. */
#ifndef TESTS_NARROW_PROCESSOR_H
#define TESTS_NARROW_PROCESSOR_H

#include "base/ops.h"

/* base_backend.models of such a backend. */
#define PROCESSOR_MODELS(device_name, device_text)                                                                                                             \
	static const struct base_model *models(const struct base_options *chosen, uint32_t *count_out)                                                         \
	{                                                                                                                                                      \
		static const struct ptowsp_arch_memory memory = {.space = PTOWSP_SPACE_GM, .granularity = 1};                                                  \
		static const struct ptowsp_arch_unit unit = {.unit = PTOWSP_UNIT_HOST, .concurrency = 1, .count = 1};                                          \
		static const struct base_model model = {                                                                                                       \
			.platform = RT_PLATFORM_CPU,                                                                                                           \
			.device = {.head = PTOWSP_HEAD(struct ptowsp_device, DEVICE),                                                                          \
				   .name = device_name,                                                                                                        \
				   .text = device_text,                                                                                                        \
				   .cycle_model = "reference",                                                                                                 \
				   .memories = &memory,                                                                                                        \
				   .units = &unit,                                                                                                             \
				   .memory_count = 1,                                                                                                          \
				   .memory_stride = sizeof(memory),                                                                                            \
				   .unit_count = 1,                                                                                                            \
				   .unit_stride = sizeof(unit)},                                                                                               \
		};                                                                                                                                             \
                                                                                                                                                               \
		(void)chosen;                                                                                                                                  \
		*count_out = 1;                                                                                                                                \
		return &model;                                                                                                                                 \
	}

#endif
