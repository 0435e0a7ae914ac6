/* SPDX-License-Identifier: MIT */
/* options.h - --opt KEY=VALUE: the options that every backend made of rt and isa has, and those that a backend adds. */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include "ptowsp/plugin.h"
#include <stddef.h>

struct base_backend;

/* Options that every backend has. A backend's own struct begins with this one. Constant after init. */
struct base_options {
	unsigned opt_level;  /* 0 to 3: of isa_program_create_at */
	unsigned fixed_map;  /* 1: the tensor map is a fixed pool */
	unsigned profiling;  /* 1: wall time per kernel is logged after each run */
	unsigned debug;      /* 1: load logs the server of each kernel */
	unsigned schedulers; /* instances that generate tasks from the bytecode, 1 to 64 */
	unsigned own_clock;  /* 1: the backend's own clock, 0: the reference clock */
	unsigned fast;       /* 1: portable kernels may fuse and reorder sums of floats */
	unsigned threads;    /* worker threads of a device; 0: all cores this process may use */
	unsigned real_time;  /* enum base_times: what the trace shows */
};

#define BASE_TEXT 1024u

/* An option and where its value goes. Of type int it is a number of its range, L..H or L alone; without a standard value any text shorter than BASE_TEXT
 * bytes; else a word of its range, A|B|C (a bool without one: false|true), stored as its place there. */
struct base_option {
	struct ptowsp_option option;
	size_t field; /* offset in the backend's struct: of an unsigned, or of a char[BASE_TEXT] */
};
#define BASE_OPTION(at, n, ty, std, rng, txt)                                                                                                                  \
	{                                                                                                                                                      \
		{.head = PTOWSP_HEAD(struct ptowsp_option, OPTION), .name = n, .type = ty, .standard = std, .range = rng, .text = txt}, at                     \
	}

/* Bytes of the backend's struct. */
uint32_t base_options_size(const struct base_backend *backend);
/* Defaults, then the settings in order, into such a struct. Errors: INVALID naming key, value and what would do. */
ptowsp_status base_options_read(const struct base_backend *backend, struct base_options *options_out, const struct ptowsp_init_args *args,
				struct ptowsp_error *error);
/* The op `options`. */
ptowsp_status base_options_list(const struct base_backend *backend, const struct ptowsp_option **options_out, uint32_t *count, struct ptowsp_error *error);

#endif
