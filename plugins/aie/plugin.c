/* SPDX-License-Identifier: MIT */
/* plugin.c - the aie backend: tile arrays of AMD, mapped, written as MLIR and simulated. */
#include "ptowsp/plugin.h"

#include "aie/aie_backend.h"
#include "ptowsp/note.h"

#define NAME    AIE_BACKEND_NAME
#define VENDOR  "ptowsp"
#define VERSION "0.1.0"

PTOWSP_NOTE(0, NAME, VENDOR, VERSION, AIE_TARGETS);

static const struct ptowsp_plugin plugin = {
	.head = PTOWSP_HEAD(plugin, PLUGIN),
	.major = PTOWSP_ABI_MAJOR,
	.minor = PTOWSP_ABI_TARGET,
	.name = NAME,
	.vendor = VENDOR,
	.version = VERSION,
	.targets = AIE_TARGETS,
	.ops = &aie_ops,
};

const struct ptowsp_plugin *ptowsp_plugin_v10(uint32_t host_minor)
{
	(void)host_minor; /* nothing here is newer than 10.0 */
	return &plugin;
}
