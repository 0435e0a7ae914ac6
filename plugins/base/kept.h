/* SPDX-License-Identifier: MIT */
/* kept.h - what a backend has compiled of sources, in a folder of the cache that is named after everything that went into it: the sources, the commands, and what the backend says. */
#ifndef BASE_KEPT_H
#define BASE_KEPT_H

#include "base/cache.h"
#include "base/command.h"
#include "base/digest.h"
#include "isa/emit/emit.h"

#define BASE_KEPT_PATH (BASE_CACHE_PATH + 100)
/* A file that a command makes, run in the folder. */
struct base_kept_step {
	const char *what, *whose;           /* base_command_compile */
	const char *output;                 /* name of the file */
	const struct base_command *command; /* of no words: there is nothing to do */
};
struct base_kept {
	const char *cache;                  /* base_cache_find */
	const char *prefix;                 /* of the folder's name, before the digest */
	const struct isa_text *sources;     /* written into the folder by the last part of their paths; one without a path ends */
	const struct base_kept_step *steps; /* in their order */
	uint32_t step_count;
};
/* Finds the folder, or makes it: another process that does so at the same time does no harm, and a folder in which a step failed stays beside it, to be looked at. digest: begun, with whatever
 * else decides what comes out. *compiled_out: now, and not before. Any thread. Errors: INVALID, IO, and those of base_command_compile. */
ptowsp_status base_kept_make(char folder_out[BASE_KEPT_PATH], const struct base_kept *kept, struct base_digest digest, bool *compiled_out,
			     struct ptowsp_error *error);

#endif
