/* SPDX-License-Identifier: MIT */
/* plugin.c - the cpu_sim backend: reference implementation of every semantic, on the processor that runs the host. */
#include "ptowsp/plugin.h"

#include "arch.h"
#include "caps.h"
#include "device.h"
#include "instance.h"
#include "options.h"
#include "program.h"
#include "ptowsp/note.h"
#include "queue.h"
#include "trace.h"

#define NAME "cpu_sim"
#define VENDOR "ptowsp"
#define VERSION "0.1.0"

PTOWSP_NOTE(0, NAME, VENDOR, VERSION, NAME);

static const struct ptowsp_ops ops = {
	.head = PTOWSP_HEAD(ops, OPS),
	.init = cpu_init,
	.fini = cpu_fini,
	.extension = cpu_extension,
	.devices = cpu_devices_list,
	.options = cpu_options_list,
	.capabilities = cpu_caps_list,
	.open = cpu_open,
	.close = cpu_close,
	.load = cpu_load,
	.unload = cpu_unload,
	.submit = cpu_submit,
	.cancel = cpu_cancel,
	.poll = cpu_poll,
	.drain = cpu_drain,
	.stats = cpu_stats,
};

static const struct ptowsp_plugin plugin = {
	.head = PTOWSP_HEAD(plugin, PLUGIN),
	.major = PTOWSP_ABI_MAJOR,
	.minor = PTOWSP_ABI_TARGET,
	.name = NAME,
	.vendor = VENDOR,
	.version = VERSION,
	.targets = NAME,
	.ops = &ops,
};

const struct ptowsp_plugin *ptowsp_plugin_v10(uint32_t host_minor)
{
	(void)host_minor; /* nothing here is newer than 10.0 */
	return &plugin;
}
