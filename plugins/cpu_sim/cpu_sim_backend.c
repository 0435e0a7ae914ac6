/* SPDX-License-Identifier: MIT */
#include "cpu_sim/cpu_sim_backend.h"

#include "base/base_buffer.h"
#include "base/ops.h"
#include "cpu_sim_arch.h"
#include "ptowsp/graph.h"

/* The rows beyond the platform's: two devices can notify each other, and a fence becomes edges here as elsewhere. */
static const struct ptowsp_cap own[] = {
	BASE_CAP(PTOWSP_FEATURE_GRAPH(PTOWSP_MC_FENCE), ENFORCED),
	BASE_CAP(PTOWSP_FEATURE_GRAPH(PTOWSP_SY_NOTIFY), ENFORCED),
	BASE_CAP(PTOWSP_FEATURE_GRAPH(PTOWSP_SY_WAIT_NOTIFY), ENFORCED),
};

static uint32_t caps(const struct base_options *options, const struct base_model *model, struct ptowsp_cap *rows_out)
{
	(void)options, (void)model;
	return BASE_CAPS_ADD(rows_out, 0, own);
}

const struct base_backend cpu_backend = {
	.name = CPU_NAME, .targets = CPU_NAME, .models = cpu_models, .caps = caps, .buffers = &base_buffers_host, .fences = true};
BASE_OPS(cpu_ops, cpu_backend);
