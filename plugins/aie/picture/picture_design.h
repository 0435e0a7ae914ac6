/* SPDX-License-Identifier: MIT */
/* picture_design.h - a design as a picture: what its module, its channels and its routes say. */
#ifndef AIE_PICTURE_DESIGN_H
#define AIE_PICTURE_DESIGN_H

#include "aie/design/aie_channels.h"
#include "aie/picture/picture.h"

struct aie_picture_design {
	struct aie_picture picture;
	struct aie_picture_tile *tiles; /* of the picture */
	struct common_arena *arena;     /* of what the picture points at */
};
/* Fills a zeroed or finished one. On a core tile stand the kernels that its core calls, on a memory tile its links, on a shim the fifos that it ends; a fifo that does not
 * move on the tile of its memory. Design, channels, routes (of the channels' flows) and title outlive it. Errors: NO_MEMORY. One thread. */
ptowsp_status aie_picture_of_design(struct aie_picture_design *drawn, const struct aie_design *design, const struct aie_channels *channels,
				    const struct aie_routes *routes, const char *title, struct ptowsp_error *error);
/* Cycles that the core on that tile computed in the run whose cycles the picture has. */
void aie_picture_busy(struct aie_picture_design *drawn, int32_t column, int32_t row, uint64_t cycles);
/* Bytes of the program of the core on that tile, and of the largest frame of its functions, by a stand-in (engine/program_proxy.h). */
void aie_picture_program(struct aie_picture_design *drawn, int32_t column, int32_t row, uint64_t program, uint64_t frame);
void aie_picture_design_finish(struct aie_picture_design *drawn);

#endif
