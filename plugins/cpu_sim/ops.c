/* SPDX-License-Identifier: MIT */
#include "ops.h"

#include "arch.h"
#include "caps.h"
#include "device.h"
#include "instance.h"
#include "options.h"
#include "program.h"
#include "queue.h"
#include "trace.h"

const struct ptowsp_ops cpu_ops = {
	.head = PTOWSP_HEAD(cpu_ops, OPS),
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
