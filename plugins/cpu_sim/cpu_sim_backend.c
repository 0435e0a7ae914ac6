/* SPDX-License-Identifier: MIT */
#include "cpu_sim/cpu_sim_backend.h"

#include "base/memory/base_buffer.h"
#include "base/ops.h"

#define MODEL(name) BASE_MODEL(name, "this machine's processor: portable kernels interpreted by worker threads", "threads", THREADS, REFERENCE)
/* Two that are alike: what one tells the other needs a second one. */
static const struct base_model all[] = {MODEL("cpu0"), MODEL("cpu1")};

static const struct base_model *models(const struct base_options *options, uint32_t *count_out)
{
	(void)options; /* the same clock with all of them */
	*count_out = sizeof(all) / sizeof(*all);
	return all;
}

static const struct ptowsp_cap own[] = {BASE_NOTIFIES};

static uint32_t caps(const struct base_options *options, const struct base_model *model, struct ptowsp_cap *rows_out)
{
	(void)options, (void)model;
	return BASE_CAPS_ADD(rows_out, 0, own);
}

const struct base_backend cpu_backend = {.name = CPU_NAME, .targets = CPU_NAME, .models = models, .caps = caps, .buffers = &base_buffers_host, .fences = true};
BASE_OPS(cpu_ops, cpu_backend);
