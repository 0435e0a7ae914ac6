/* SPDX-License-Identifier: MIT */
/* plugin.c - the cpu_sim backend: reference implementation of every semantic, on the processor that runs the host. */
#include "ptowsp/plugin.h"

#include "cpu_sim_backend.h"
#include "ptowsp/note.h"

#define NAME    CPU_NAME
#define VENDOR  "ptowsp"
#define VERSION "0.1.0"

PTOWSP_NOTE(0, NAME, VENDOR, VERSION, NAME);

static const struct ptowsp_plugin plugin = {
	.head = PTOWSP_HEAD(plugin, PLUGIN),
	.major = PTOWSP_ABI_MAJOR,
	.minor = PTOWSP_ABI_TARGET,
	.name = NAME,
	.vendor = VENDOR,
	.version = VERSION,
	.targets = NAME,
	.ops = &cpu_ops,
};

const struct ptowsp_plugin *ptowsp_plugin_v10(uint32_t host_minor)
{
	(void)host_minor; /* nothing here is newer than 10.0 */
	return &plugin;
}
