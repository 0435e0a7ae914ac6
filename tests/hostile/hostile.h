/* SPDX-License-Identifier: MIT */
/* hostile.h - what plugins have in common that are cpu_sim with one obligation broken. */
#ifndef TESTS_HOSTILE_H
#define TESTS_HOSTILE_H

#include "cpu_sim/cpu_sim_backend.h"
#include "ptowsp/ptowsp.h"

/* The entry of the plugin null with cpu_sim's operations; the statements put others into `ops`. */
#define HOSTILE_CPU_SIM(...)                                                                                                                                   \
	PTOWSP_EXPORT const struct ptowsp_plugin *ptowsp_plugin_v10(uint32_t host_minor);                                                                      \
	PTOWSP_EXPORT const struct ptowsp_plugin *ptowsp_plugin_v10(uint32_t host_minor)                                                                       \
	{                                                                                                                                                      \
		static struct ptowsp_ops ops;                                                                                                                  \
		static const struct ptowsp_plugin plugin = {                                                                                                   \
			PTOWSP_HEAD(plugin, PLUGIN), PTOWSP_ABI_MAJOR, PTOWSP_ABI_TARGET, 0, "null", "example", "1.0.0", "null", &ops, NULL};                  \
                                                                                                                                                               \
		(void)host_minor;                                                                                                                              \
		ops = cpu_ops;                                                                                                                                 \
		__VA_ARGS__                                                                                                                                    \
		return &plugin;                                                                                                                                \
	}

#endif
