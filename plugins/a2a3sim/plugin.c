/* SPDX-License-Identifier: MIT */
/* plugin.c - the a2a3sim backend: Ascend 910B, 910C and 950, simulated. */
#include "ptowsp/plugin.h"

#include "a2a3sim_backend.h"
#include "ptowsp/note.h"

#define NAME    A2A3SIM_NAME
#define VENDOR  "ptowsp"
#define VERSION "0.1.0"

PTOWSP_NOTE(0, NAME, VENDOR, VERSION, A2A3SIM_TARGETS);

static const struct ptowsp_plugin plugin = {
	.head = PTOWSP_HEAD(plugin, PLUGIN),
	.major = PTOWSP_ABI_MAJOR,
	.minor = PTOWSP_ABI_TARGET,
	.name = NAME,
	.vendor = VENDOR,
	.version = VERSION,
	.targets = A2A3SIM_TARGETS,
	.ops = &a2a3sim_ops,
};

const struct ptowsp_plugin *ptowsp_plugin_v10(uint32_t host_minor)
{
	(void)host_minor; /* nothing here is newer than 10.0 */
	return &plugin;
}
