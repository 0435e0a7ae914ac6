/* SPDX-License-Identifier: MIT */
/* runner.h - which tests run, each in a process of its own, and what is said of them. */
#ifndef TOOLS_CONFORM_RUNNER_H
#define TOOLS_CONFORM_RUNNER_H

#include <stdbool.h>
#include <stdint.h>

#include "ptowsp/run.h"
#include "tools/command_line.h"

struct conform_options {
	const char *replay;                 /* a log of --layer=trace, instead of the tests; NULL */
	const char *plugin;                 /* a path with a '/' */
	const char *pattern;                /* of names, as a shell's; NULL: all */
	const char *probes;                 /* NULL: where they are installed */
	struct ptowsp_setting settings[16]; /* key=value of the plugin's options */
	uint32_t setting_count;
	struct flag_pairs opt; /* the same, of the command line */
	const char *lint;      /* "off": a file that fails the lint is tested all the same; NULL */
	uint64_t seed;
	uint32_t timeout_s;                  /* of a test */
	uint32_t rounds;                     /* damaged packages of each sort */
	bool list, json, in_process, strict; /* strict: nothing is waived */
	const char *isolation;               /* "process", "sandbox"; NULL: the plugin is in the process of the test */
	uint32_t isolate;                    /* the same as PTOWSP_ISOLATE_x */
};

/* Prints TAP or JSON on stdout. The exit status of the tool: 0, 1 if a test is not ok, 2 if stdout cannot be written or no test has such a name, 4 if there is no such
 * file. */
int conform_run_all(const struct conform_options *options);
/* The names with what they are about. */
void conform_list(const struct conform_options *options);

#endif
