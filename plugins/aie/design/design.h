/* SPDX-License-Identifier: MIT */
/* design.h - a design as its module says it: tiles, fifos, links, buffers, cores, what the host does. A view of the module (ir.h), which stays and is not changed;
 * rules of the dialect and of the array are looked at while it is made and in aie_check.h. One thread. */
#ifndef AIE_DESIGN_H
#define AIE_DESIGN_H

#include "aie/aie_arch.h"
#include "aie/graph/area.h"
#include "aie/ir/ir.h"
#include "registry/common/common_names.h"

#define AIE_NONE UINT32_MAX

struct aie_tile {
	const struct aie_op *op;
	int32_t column, row;
	enum aie_kind kind;
};
/* A DMA's walk of an object: outermost first. */
struct aie_walk {
	uint32_t rank;
	int64_t sizes[4], strides[4]; /* elements */
};
/* aie.objectfifo: from one tile to one or more. */
struct aie_fifo {
	const struct aie_op *op;
	const char *name;
	const struct aie_type *type; /* of an object: a memref */
	uint32_t producer;           /* tile */
	const uint32_t *consumers;   /* tiles */
	uint32_t consumer_count;
	/* Objects: the producer's, then each consumer's. Where one number stands for all, a core's end has one more than it holds at once (1 stays 1), as the
	 * dialect's tools have it. Ends in one memory have the most of them: both of a fifo that does not move, and those that a link puts together. */
	const uint32_t *depths;
	uint32_t repeat;                    /* 1: each object is sent once */
	bool via_dma;                       /* said so; see moves */
	struct aie_walk to_stream;          /* rank 0: as it lies */
	const struct aie_walk *from_stream; /* per consumer */
	uint32_t link_in, link_out;         /* of the link that takes from it, that gives to it; AIE_NONE */
	uint32_t allocated;                 /* tile whose memory aie.objectfifo.allocate names; AIE_NONE */
	bool moves; /* it needs DMAs and a stream: more than one consumer, no memory that both ends see, dims, repeat, via_dma, or a link but for what is allocated */
	uint32_t memory; /* if not: the tile whose memory it lies in; of one in a link the objects are the link's */
};
/* Index in depths of an end on this tile, the producer's or a consumer's; AIE_NONE: none is. */
uint32_t aie_fifo_end(const struct aie_fifo *fifo, uint32_t tile, bool produces);
/* Objects of a fifo that does not move are those of its link? */
static inline bool aie_fifo_lent(const struct aie_fifo *fifo)
{
	return !fifo->moves && (fifo->link_in != AIE_NONE || fifo->link_out != AIE_NONE);
}
/* aie.objectfifo.link: objects of one become parts of those of several (distribute), or the other way round (join), or one to one. */
struct aie_link {
	const struct aie_op *op;
	const uint32_t *ins, *outs; /* fifos */
	uint32_t in_count, out_count;
	const int64_t *offsets; /* elements, of the side that has several; NULL: one to one */
	uint32_t tile;
};
/* aie.buffer */
struct aie_buffer {
	const struct aie_op *op;
	const char *name;
	uint32_t tile;
	const struct aie_type *type;
	const struct aie_attr *initial; /* NULL: zeros in the model, unknown on a device */
};
struct aie_core {
	const struct aie_op *op;
	uint32_t tile;
	uint64_t stack;     /* bytes */
	const char *object; /* link_with, NULL: none */
};
struct aie_function {
	const struct aie_op *op;
	const char *name;
	const struct aie_type *type;
	bool outside; /* it has no body: a kernel */
};
/* The kernel's window in an argument, by ptowsp.before and ptowsp.window; without them as the argument's type has it. */
struct aie_view aie_function_view(const struct aie_function *function, uint32_t argument);
/* The first argument that lies in the same memory, by ptowsp.shared; itself where there is none before it. */
uint32_t aie_function_shared(const struct aie_function *function, uint32_t argument);
/* Access of calls to an argument, by ptowsp.access: all elements are there before, all are written behind it. AIE_UNSAID: nobody says. */
enum aie_access_kind { AIE_UNSAID, AIE_READS, AIE_WRITES, AIE_CHANGES };
enum aie_access_kind aie_function_access(const struct aie_function *function, uint32_t argument);
/* aiex.npu.dma_memcpy_nd and aiex.npu.dma_wait, in their order. */
struct aie_step {
	const struct aie_op *op;
	uint32_t fifo;
	bool waits;                   /* for the token of the fifo's oldest task that has one; else a task */
	uint32_t argument;            /* of the sequence */
	int64_t offset;               /* elements, of all offsets together */
	int64_t sizes[4], strides[4]; /* elements, outermost first */
	uint32_t descriptor;          /* of the shim, that the task is written into */
	bool token;                   /* is asked for; the end of a task that writes memory gives one anyway */
};
struct aie_design {
	const struct aie_arch *arch;
	struct aie_tile *tiles;
	struct aie_fifo *fifos;
	struct aie_link *links;
	struct aie_buffer *buffers;
	struct aie_core *cores;
	struct aie_function *functions;
	struct aie_step *steps;
	const struct aie_type **arguments; /* of the runtime sequence: memrefs in DDR */
	uint32_t filler;                   /* the argument whose elements have no meaning, by ptowsp.filler; AIE_NONE */
	uint32_t tile_count, fifo_count, link_count, buffer_count, core_count, function_count, step_count, argument_count;
	uint32_t value_count; /* of the module: ids of values are below it */
	struct common_arena *arena;
	struct common_names function_names; /* rows as functions */
};
/* Fills a zeroed or finished design; module outlives it. Errors: INVALID, one sentence with line (0: built), operation, tile, resource, need and limit. */
ptowsp_status aie_design_read(struct aie_design *design, const struct aie_module *module, struct ptowsp_error *error);
void aie_design_finish(struct aie_design *design);
/* Does the array write elements of the step's argument in it? */
bool aie_design_writes(const struct aie_design *design, const struct aie_step *step);
/* The shim where a fifo begins or ends, of those with such an end. */
uint32_t aie_design_shim(const struct aie_design *design, uint32_t fifo);
/* The tile that a value names; AIE_NONE: it is no tile's. */
uint32_t aie_design_tile(const struct aie_design *design, const struct aie_value *value);
/* The core on a tile, the link that has the fifo; AIE_NONE. */
uint32_t aie_design_core(const struct aie_design *design, uint32_t tile);
/* By name; AIE_NONE. */
uint32_t aie_design_fifo(const struct aie_design *design, const char *name);
uint32_t aie_design_function(const struct aie_design *design, const char *name);

#endif
