/* SPDX-License-Identifier: MIT */
/* incore.h - an InCore function while it becomes a portable kernel. */
#ifndef LANG_INCORE_H
#define LANG_INCORE_H

#include "lang/lang_lower.h"
#include "lang/lang_map.h"
#include "lang/tile_code.h"

/* One kernel being encoded. */
struct lang_incore {
	struct lang_lower *lower;
	const struct lang_function *function; /* the kernel's own */
	struct lang_tile_code code; /* its names are rows of texts until the order of its tables is known */
	const char **texts;
	uint32_t text_count, text_capacity;
	struct lang_map bodies; /* to struct incore_body, by name: functions expanded so far, of which a second call uses the same tiles and scalars */
};

/* The payload in the arena, once all instructions are there. */
void *lang_incore_payload(struct lang_incore *kernel, size_t *size_out);
/* The verifier of the backends has the last word: what it says about element types becomes a warning, and a structure that it refuses is a defect of
 * the front end. */
void lang_incore_verify(struct lang_incore *kernel, struct lang_function *function, const void *payload, size_t size);

#endif
