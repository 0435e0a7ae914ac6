/* SPDX-License-Identifier: MIT */
/* builder_calls.h - the calls of builder.h as data: one table, so that programs can make any of them by name. */
#ifndef LANG_BUILDER_CALLS_H
#define LANG_BUILDER_CALLS_H

#include "lang/builder/build.h"

#define BUILD_ARGS 8u

/* One argument: the member that its letter in builder.def says. */
struct build_arg {
	const char *text;
	uint64_t number;  /* any integer, signed ones as their bit pattern */
	const void *data; /* p, v, w, x, y */
};
struct build_call {
	const char *name; /* "symbol": of ptowsp_build_symbol */
	const char *args; /* letters of builder.def */
	uint8_t makes;    /* enum build_kind of the handle that it returns, BUILD_NONE: none */
	uint32_t (*run)(struct ptowsp_build *b, const struct build_arg *args);
};
const struct build_call *build_calls(uint32_t *count_out);
const struct build_call *build_call_find(const char *name); /* NULL if there is none */

#endif
