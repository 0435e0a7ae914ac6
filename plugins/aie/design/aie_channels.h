/* SPDX-License-Identifier: MIT */
/* aie_channels.h - what fifos, buffers and cores of a design take from their tiles: DMA channels, buffer descriptors, locks, memory. In the order in which the design says
 * its fifos; same design, same channels. One thread. */
#ifndef AIE_CHANNELS_H
#define AIE_CHANNELS_H

#include "aie/design/design.h"
#include "aie/place/route.h"

/* An end of a fifo that moves. */
struct aie_channel {
	uint32_t fifo;
	uint32_t consumer; /* of the fifo; AIE_NONE: the producer's end */
	uint32_t tile;
	uint32_t number;      /* MM2S of the producer's end, S2MM of the others */
	uint32_t descriptors; /* 0 on a shim, where each task of the host brings one */
};
/* A stretch of a tile's memory. */
enum aie_memory_sort { AIE_MEMORY_STACK, AIE_MEMORY_FIFO, AIE_MEMORY_BUFFER, AIE_MEMORY_SORTS };
struct aie_memory {
	uint32_t tile;
	enum aie_memory_sort sort;
	const char *what;       /* "stack", "fifo in", "buffer acc" */
	uint64_t offset, bytes; /* offset below the limit, or what lies beyond it */
};
struct aie_channels {
	struct aie_channel *channels;
	struct aie_memory *memory;    /* by tile, from offset 0 on */
	uint64_t (*used)[AIE_LIMITS]; /* per tile of the design: MEMORY, LOCKS, BDS, DMA_IN, DMA_OUT; the others 0 */
	struct aie_flow *flows;       /* of fifos that move */
	uint32_t *flow_fifos;         /* fifo of each */
	uint32_t channel_count, memory_count, flow_count;
	struct common_arena *arena;
};
enum { AIE_MEMORY_ALIGN = 32 }; /* bytes: the width of a load, AM020 */

/* Fills zeroed or finished channels. Errors: INVALID naming tile, resource, need and limit (everything is filled then, too); NO_MEMORY. */
ptowsp_status aie_channels_assign(struct aie_channels *channels, const struct aie_design *design, struct ptowsp_error *error);
void aie_channels_finish(struct aie_channels *channels);
/* Uses of a tile's memory for texts, "1024 of stack, 96 of fifos, 0 of buffers": with the padding of alignment their sum is all that is used. */
void aie_channels_memory(const struct aie_channels *channels, uint32_t tile, char *text, size_t size);
/* The end of a fifo; consumer AIE_NONE: the producer's. NULL: it does not move. */
const struct aie_channel *aie_channels_of(const struct aie_channels *channels, uint32_t fifo, uint32_t consumer);
/* Streams of a design, and which fifo each is; both belong to channels. */
void aie_design_flows(const struct aie_channels *channels, const struct aie_flow **flows_out, const uint32_t **fifos_out, uint32_t *count_out);
/* A line per tile, "core (0,2): 1,216 of 65,536 bytes of memory, ..."; to be freed. NULL: no memory. */
char *aie_channels_report(const struct aie_channels *channels, const struct aie_design *design);

#endif
