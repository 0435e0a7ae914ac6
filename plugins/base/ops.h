/* SPDX-License-Identifier: MIT */
/* ops.h - the table of operations of a backend. */
#ifndef BASE_OPS_H
#define BASE_OPS_H

#include "backend.h"
#include "base_caps.h"
#include "device.h"
#include "instance.h"
#include "program.h"
#include "queue.h"
#include "trace/trace.h"

#include "ptowsp/note.h"
#include "ptowsp/plugin.h"

/* Defines `const struct ptowsp_ops ops`, the operations of `backend`. Calls without an instance know the backend by it; contracts
 * stand in models.h, options.h, base_caps.h, instance.h, trace.h. */
#define BASE_OPS(ops, backend)                                                                                                                                 \
	static ptowsp_status ops##_init(const struct ptowsp_host *host, const struct ptowsp_init_args *args, struct ptowsp_object **instance_out,              \
					struct ptowsp_error *error)                                                                                            \
	{                                                                                                                                                      \
		return base_init(&(backend), host, args, instance_out, error);                                                                                 \
	}                                                                                                                                                      \
	static const void *ops##_extension(struct ptowsp_object *instance, const char *id)                                                                     \
	{                                                                                                                                                      \
		return base_extension(&(backend), instance, id);                                                                                               \
	}                                                                                                                                                      \
	static ptowsp_status ops##_devices(struct ptowsp_object *instance, const struct ptowsp_device **devices_out, uint32_t *count,                          \
					   struct ptowsp_error *error)                                                                                         \
	{                                                                                                                                                      \
		return base_models_list(&(backend), instance, devices_out, count, error);                                                                      \
	}                                                                                                                                                      \
	static ptowsp_status ops##_options(const struct ptowsp_option **options_out, uint32_t *count, struct ptowsp_error *error)                              \
	{                                                                                                                                                      \
		return base_options_list(&(backend), options_out, count, error);                                                                               \
	}                                                                                                                                                      \
	static ptowsp_status ops##_capabilities(struct ptowsp_object *instance, const char *device, struct ptowsp_cap *rows_out, uint32_t stride,              \
						uint32_t *count, struct ptowsp_error *error)                                                                   \
	{                                                                                                                                                      \
		return base_caps_list(&(backend), instance, device, rows_out, stride, count, error);                                                           \
	}                                                                                                                                                      \
	const struct ptowsp_ops ops = {                                                                                                                        \
		.head = PTOWSP_HEAD(ops, OPS),                                                                                                                 \
		.init = ops##_init,                                                                                                                            \
		.fini = base_fini,                                                                                                                             \
		.extension = ops##_extension,                                                                                                                  \
		.devices = ops##_devices,                                                                                                                      \
		.options = ops##_options,                                                                                                                      \
		.capabilities = ops##_capabilities,                                                                                                            \
		.open = base_open,                                                                                                                             \
		.close = base_close,                                                                                                                           \
		.load = base_load,                                                                                                                             \
		.unload = base_unload,                                                                                                                         \
		.submit = base_submit,                                                                                                                         \
		.cancel = base_cancel,                                                                                                                         \
		.poll = base_poll,                                                                                                                             \
		.drain = base_drain,                                                                                                                           \
		.stats = base_stats,                                                                                                                           \
	}

/* Defines the note, the descriptor and the entry of the plugin whose operations are `ops`; the texts are literals. */
#define BASE_PLUGIN(ops_, name_, vendor_, version_, targets_)                                                                                                  \
	PTOWSP_NOTE(0, name_, vendor_, version_, targets_);                                                                                                    \
	BASE_ENTRY(ops_, name_, vendor_, version_, targets_)
/* A plugin whose driver breaks rules that ptowsp/note.h lets it declare: "driver=threads,environment", or "driver:OPTION=threads". */
#define BASE_PLUGIN_OF_DRIVER(ops_, name_, vendor_, version_, targets_, grants_)                                                                               \
	PTOWSP_NOTE_10_1(0, name_, vendor_, version_, targets_, grants_);                                                                                      \
	BASE_ENTRY(ops_, name_, vendor_, version_, targets_)
#define BASE_ENTRY(ops_, name_, vendor_, version_, targets_)                                                                                                   \
	static const struct ptowsp_plugin plugin = {                                                                                                           \
		.head = PTOWSP_HEAD(plugin, PLUGIN),                                                                                                           \
		.major = PTOWSP_ABI_MAJOR,                                                                                                                     \
		.minor = PTOWSP_ABI_TARGET,                                                                                                                    \
		.name = name_,                                                                                                                                 \
		.vendor = vendor_,                                                                                                                             \
		.version = version_,                                                                                                                           \
		.targets = targets_,                                                                                                                           \
		.ops = &(ops_),                                                                                                                                \
	};                                                                                                                                                     \
	const struct ptowsp_plugin *ptowsp_plugin_v10(uint32_t host_minor)                                                                                     \
	{                                                                                                                                                      \
		(void)host_minor; /* what is newer goes by that of the instance */                                                                             \
		return &plugin;                                                                                                                                \
	}                                                                                                                                                      \
	struct ptowsp_plugin

#endif
