/* SPDX-License-Identifier: MIT */
/* run_options.h - the command line of ptowsp-run. */
#ifndef TOOLS_RUN_OPTIONS_H
#define TOOLS_RUN_OPTIONS_H

#include "tools/command_line.h"

enum run_mode { RUN_PACKAGE, RUN_LIST_PLUGINS, RUN_DEVICES, RUN_CAPABILITIES, RUN_EXPLAIN, RUN_HELP, RUN_VERSION };

struct run_options {
	enum run_mode mode;
	const char *package; /* NULL if none was given */
	const char *plugin, *entry, *device, *stats, *trace, *graph, *report, *html, *ranks, *plugin_order, *plugin_trust, *trust, *isolate, *emit, *layer,
		*checkpoint, *restore, *sandbox_grants, *cache; /* NULL unless given */
	struct flag_pairs in, fill, out, expect, set, opt;
	struct flag_list schedule, plugin_dirs, trust_dirs;
	uint64_t runs, threads, timeout_ms, load_timeout_ms, max_memory, max_tasks, sandbox_memory, sandbox_threads, sandbox_cpu, cache_size;
	uint64_t rank, rank_count; /* of the processes that a launcher started for one run; 0, 0: it is alone */
	char rank_text[48];        /* I/N */
	char rank_option[56];      /* the value of the plugin's option */
	double rtol, atol;
	bool json, no_kernels, chain, strict, profile, verbose, quiet, progress, user_plugins, verify, host, help;
};

/* Errors: INVALID for everything that is wrong with the command line, UNSUPPORTED for values that this version refuses,
 * NO_MEMORY. Finish in any case. */
ptowsp_status run_options_parse(struct run_options *options_out, int argc, char **argv, struct ptowsp_error *error);
/* PTOWSP_LOAD_x that they ask for, PTOWSP_LOAD_TRUST_SIGNED too. */
uint32_t run_load_flags(const struct run_options *options);
/* PTOWSP_ISOLATE_x; DEFAULT where nothing or no such word was given. */
uint32_t run_isolation(const struct run_options *options);
const char *run_isolation_text(uint32_t isolate); /* the word of --isolate; "" for DEFAULT */
void run_options_finish(struct run_options *options);

#endif
