/* SPDX-License-Identifier: MIT */
/* common_tile.h - what a portable kernel asks of the device, instruction by instruction, against the TILE rows that it has. One rule for the host, which refuses beforehand, and for
 * backends, which refuse when they load. Any thread. */
#ifndef REGISTRY_COMMON_COMMON_TILE_H
#define REGISTRY_COMMON_COMMON_TILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptowsp/caps.h"

#ifndef PTOWSP_FEATURE_TILE /* headers of 10.0 */
#define PTOWSP_FEATURE_TILE(op) (0x6000u | (op))
#endif
enum { COMMON_TILE_OPS = 256 };
static inline bool common_tile_is_feature(uint32_t feature)
{
	return feature >= PTOWSP_FEATURE_TILE(0u) && feature < PTOWSP_FEATURE_TILE(0u) + COMMON_TILE_OPS;
}
/* "texp"; "operations" of 0, the row of all that have none; NULL if there is no such operation. Static. */
const char *common_tile_op_text(unsigned op);

/* The row of each operation, that of 0 where it has none of its own; NULL: every type, enforced. Of several the best one, as of other features. rows: `stride` bytes apart, borrowed. */
struct common_tile_rows {
	const struct ptowsp_cap *of[COMMON_TILE_OPS];
};
void common_tile_rows_find(struct common_tile_rows *rows_out, const void *rows, uint32_t count, uint32_t stride);

/* The first of the instructions that are met least. */
struct common_tile_lack {
	uint32_t op, dtype, line; /* dtype: the type that is missing, PTOWSP_NONE: it is not the type; line: of the source, 0 unknown */
	uint8_t state;            /* how it is met: PTOWSP_STATE_x below ENFORCED */
	char text[160];           /* "texp of bf16, line 12; the device has it for f32 f64" */
};
/* payload: untrusted bytes of kind pto; malformed ones lack nothing, as whoever loads them refuses them. False: nothing is lacking. */
bool common_tile_lacks(const struct common_tile_rows *rows, const void *payload, size_t size, struct common_tile_lack *lack_out);

#endif
