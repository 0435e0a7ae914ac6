/* SPDX-License-Identifier: MIT */
/* array_own.h - what the files that make an array know of each other. */
#ifndef AIE_ARRAY_OWN_H
#define AIE_ARRAY_OWN_H

#include "aie/array/array.h"
#include "aie/ir/body.h"

enum {
	AIE_ARRAY_ROWS = 1 << 14, /* most of tiles, locks, buffers, fifos, flows, channels each */
	AIE_ARRAY_DEPTH = 1024,   /* most objects of a fifo */
	AIE_ARRAY_FIFOS = 1024,
	AIE_ARRAY_BYTES = 1 << 20, /* most that a padded descriptor sends, and of a fifo's objects */
	AIE_ARRAY_CHANNELS = 64,   /* most of a tile, each way */
	AIE_ARRAY_TURNS = 1 << 16, /* most of all loops of a sequence */
	AIE_ARRAY_CHAIN = 4096,    /* most descriptors of a chain */
	AIE_ARRAY_DIMS = 4,        /* most of a descriptor */
	AIE_ARRAY_ITERATION = 64,  /* times that a descriptor goes on before it begins anew: a field of 6 bits */
	AIE_ARRAY_PACKETS = 31,    /* largest number of a packet */
	AIE_ARRAY_REPEATS = 255,   /* most times more that a channel's queue does a task: a field of 8 bits, AIEXDialect.cpp */
};
#define AIE_ARRAY_HOST_BYTES (UINT64_C(1) << 34) /* most of all arguments and external buffers */

/* A device by name: how its rows are, and whose costs it has. */
struct array_arch {
	const char *name, *costs;
	int32_t columns, rows, memtiles; /* memtiles: rows of them, from row 1 on */
	bool binary;                     /* locks of the first generation */
};
struct array_tile {
	const struct aie_op *op, *core, *box, *mux; /* core, switch and mux of a shim; NULL: none */
	int32_t column, row;
	enum aie_kind kind;
	uint32_t named;                           /* values that name it */
	uint64_t bytes, ids, lent;                /* of its memory that are taken; a bit per number of a descriptor; lent: to tasks of the host */
	uint32_t locks, descriptors;              /* that it needs */
	uint32_t chained[2];                      /* descriptors of fifos in even and in odd channels */
	uint32_t channels[2][AIE_ARRAY_CHANNELS]; /* S2MM, MM2S: + 1; 0: not used */
};
struct array_lock {
	const struct aie_op *op;
	uint32_t tile, semaphore;
	int64_t id;
};
struct array_buffer {
	const struct aie_op *op;
	uint32_t memory; /* in memories */
};
/* One way of a tile's DMA. */
struct array_channel {
	uint32_t tile, number;
	bool sends;
	uint32_t end;   /* of the net */
	uint32_t group; /* channels of a stream: the least of them; itself: none */
	bool packets;   /* its group has packets, or more than one sender */
	const char *name;
};
struct array_flow {
	uint32_t from, to; /* channels */
	uint32_t packet;   /* AIE_NONE: a circuit */
};
/* Objects, and the locks at both sides of them. */
struct array_pool {
	uint8_t **objects;
	uint32_t depth;
	uint64_t bytes;     /* of an object */
	uint32_t put, full; /* semaphores: room, objects */
};
struct array_part {
	uint64_t offset, bytes;
	uint32_t put, full;
};
struct array_fifo {
	const struct aie_op *op;
	const char *name;
	const struct aie_type *type;
	uint32_t producer, *consumers, consumer_count;
	uint32_t *depths; /* the producer's, then each consumer's; as they stand in the text */
	bool listed;      /* the text has one for each */
	bool moves;
	uint32_t from, *to;                       /* channels, where it moves */
	uint32_t link_in, link_out;               /* AIE_NONE */
	uint32_t allocated;                       /* tile that aie.objectfifo.allocate names; AIE_NONE */
	struct array_pool put, *got;              /* at the producer, at each consumer; objects NULL: in DDR */
	struct array_part *parts_put, *parts_got; /* of the link's pool: where this fifo's part lies; NULL: all of it */
	uint32_t part_count_put, part_count_got;
	uint32_t repeat, times; /* times: how often its objects go round, 0: for ever */
};
struct array_link {
	uint32_t *ins, *outs, in_count, out_count, tile;
};
struct array_allocation {
	const char *name;
	uint32_t channel;
	int64_t packet; /* of what goes through it; -1: none */
};
/* aiex.dma_configure_task: what it is when it is started. */
struct array_task {
	const struct aie_op *op;
	uint32_t channel, piece, repeat;
	uint64_t ids; /* descriptors of its tile that are its own until it is awaited or freed */
	bool token;
};
/* A number of a sequence. */
struct array_known {
	int64_t number;
	bool known;
};
struct array_core {
	struct aie_array *array;
	const struct aie_op *op;
	uint32_t tile, core; /* of the net */
	uint64_t stack;      /* bytes */
	struct aie_body_outside outside;
	struct aie_body *body;
};
struct aie_array {
	const struct aie_array_args *args;
	struct aie_net *net;
	struct aie_array_report *report;
	struct ptowsp_error *error;
	const struct aie_op *device, *sequence;
	const struct array_arch *arch;
	const struct aie_arch *costs;
	struct aie_design functions; /* its functions alone */
	struct common_arena *arena;
	uint32_t *places;           /* [values of the module]: row of what a value is, by its operation; AIE_NONE */
	struct array_known *values; /* [values of the module] */
	uint32_t value_count, turns;
	struct array_tile *tiles;
	struct array_lock *locks;
	struct array_buffer *buffers;
	struct array_channel *channels;
	struct array_flow *flows;
	struct array_fifo *fifos;
	struct array_link *links;
	struct array_allocation *allocations;
	struct array_task *tasks;
	struct array_core *cores; /* [core_total] */
	struct aie_array_memory *memories;
	uint32_t tile_count, lock_count, buffer_count, channel_count, flow_count, fifo_count, link_count, allocation_count, task_count, core_count,
		memory_count;
	uint32_t tile_room, lock_room, buffer_room, channel_room, flow_room, fifo_room, link_room, allocation_room, task_room, memory_room;
	uint32_t core_total;
	uint64_t host_bytes;
	jmp_buf out;              /* whatever fails while the array is made and while it runs leaves by it */
	ptowsp_status status;     /* why it was left; OK: there was no memory */
	bool ran;                 /* it began to */
	struct common_names said; /* flows of the text by their ends, row by row with their lines */
	uint32_t *said_lines;
	uint32_t chain; /* the channel whose descriptors are read */
};

/* ---- what ends it: none of these returns where something failed, nor does anything that is called with an array and makes a part of it. Its memory is the arena's and the net's. */
_Noreturn void array_fail(struct aie_array *array, const struct aie_op *op, ptowsp_status status, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* INVALID: an operation is not as it has to be. */
_Noreturn void array_shape_fail(struct aie_array *array, const struct aie_op *op);
/* The reports of others, the sentence with them; whether they had memory. */
void array_expect(struct aie_array *array, ptowsp_status status);
void array_memory(struct aie_array *array, bool there);
/* A new zeroed row of one of the arrays, for an operation: the last one. */
void array_row(struct aie_array *array, const struct aie_op *op, const char *what, void **rows, uint32_t *count, uint32_t *room, size_t size);
#define ARRAY_ROW(array, op, row)                                                                                                                              \
	(array_row(array, op, #row "s", (void **)&(array)->row##s, &(array)->row##_count, &(array)->row##_room, sizeof(*(array)->row##s)),                     \
	 &(array)->row##s[(array)->row##_count - 1])

/* ---- attributes: a number, `missing` where there is none; number i of a list, or the one that stands for all; text of a symbol or string, NULL; "name = 4" in a text that is kept as it stands. */
int64_t array_number(const struct aie_op *op, const char *name, int64_t missing);
int64_t array_number_at(const struct aie_attr *attr, uint32_t i, int64_t missing);
const char *array_text(const struct aie_op *op, const char *name);
bool array_flag(const struct aie_op *op, const char *name);
int64_t array_number_in(const char *text, const char *name, int64_t missing);

/* ---- array_attr.c: attributes of an operation and of all in it. Errors: UNSUPPORTED naming one without a model. */
void array_attrs(struct aie_array *array, const struct aie_op *op);

/* ---- array_arch.c */
const struct array_arch *array_arch_find(const char *name);
enum { ARRAY_ARCH_NAMES = 128 };
const char *array_arch_names(char *text, size_t size); /* whole devices, for a sentence, into text; that */
enum aie_kind array_arch_kind(const struct array_arch *arch, int32_t row);

/* ---- array_read.c: tiles, locks, buffers, functions, allocations. */
void array_read(struct aie_array *array);
/* Row of what this value is, where it is one of this operation's (NULL: of any that has rows); AIE_NONE. */
uint32_t array_place(const struct aie_array *array, const struct aie_value *value, const char *name);
/* The tile that an operand names; AIE_NONE. */
uint32_t array_tile_of(const struct aie_array *array, const struct aie_op *op, uint32_t operand);
/* aie.mem, aie.memtile_dma, aie.shim_dma. */
bool array_is_dma(const struct aie_op *op);
/* The channel of a tile, made where it is new. */
uint32_t array_channel(struct aie_array *array, uint32_t tile, bool sends, uint32_t number);
/* Takes so many bytes of a tile's memory. Errors: INVALID with what it needs and has. */
void array_bytes_take(struct aie_array *array, const struct aie_op *op, uint32_t tile, uint64_t bytes);
/* By the name of an allocation or of a fifo with one end on a shim; AIE_NONE. */
uint32_t array_channel_named(const struct aie_array *array, const char *name);
uint32_t array_tile_at(struct aie_array *array, int32_t column, int32_t row);
/* "(0,2)"; AIE_NONE: the host's memory. */
const char *array_tile_text(const struct aie_array *array, uint32_t tile);

/* ---- array_flow.c: aie.flow; aie.packet_flow. Errors: INVALID for one that stands twice. */
void array_flow_read(struct aie_array *array, const struct aie_op *op);
void array_packets_read(struct aie_array *array, const struct aie_op *op);
/* The channel of a port; AIE_NONE: of one that is no DMA's. */
uint32_t array_port(struct aie_array *array, const struct aie_op *op, uint32_t tile, int64_t bundle, int64_t number, bool sends);
/* A flow between channels, once; AIE_NONE at an end: it carries nothing. Errors: INVALID where another one leads there and one of both is no packets'. */
void array_flow_add(struct aie_array *array, const struct aie_op *op, uint32_t from, uint32_t to, uint32_t packet);

/* ---- array_rules.c: what a tile has. Errors: INVALID with the line. */
/* The channel of this number, made where it is new. */
uint32_t array_channel_take(struct aie_array *array, const struct aie_op *op, uint32_t tile, bool sends, int64_t number);
/* So many locks more, which begin with `init`; a lock's number; what a core or DMA of the tile gives to one, or takes. */
void array_locks_take(struct aie_array *array, const struct aie_op *op, uint32_t tile, uint32_t count, int64_t init);
void array_lock_number(struct aie_array *array, const struct aie_op *op, uint32_t tile, int64_t id);
void array_lock_value(struct aie_array *array, const struct aie_op *op, uint32_t tile, bool gives, int64_t value);
/* A lock of the tile as one of the net. */
uint32_t array_semaphore(struct aie_array *array, uint32_t tile, const char *name, int64_t value, bool binary);
/* The number of a packet; that of an attribute `packet`. */
void array_packet(struct aie_array *array, const struct aie_op *op, int64_t number);
int64_t array_packet_of(struct aie_array *array, const struct aie_op *op, int64_t missing);
/* How often a channel does a chain: its repeat_count and once. */
uint32_t array_times(struct aie_array *array, const struct aie_op *op);
/* The number of a channel's descriptor, where the attribute is there; all of a tile's DMA. */
void array_descriptor_number(struct aie_array *array, const struct aie_op *op, uint32_t channel, const char *name);
void array_descriptors_take(struct aie_array *array, const struct aie_region *region, uint32_t tile);
/* Descriptors for the pieces of a task's chain, from `first` on, as aie-assign-runtime-sequence-bd-ids gives them: the numbers that the text has, else the least that are free. They come
 * back when the task is awaited or freed. */
void array_task_descriptors(struct aie_array *array, struct array_task *task, uint32_t first);
void array_task_release(struct aie_array *array, struct array_task *task);
/* Number of a shim's descriptor among those of all shims; AIE_NONE: of no shim, or beyond what the net keeps. */
uint32_t array_descriptor_place(const struct aie_array *array, uint32_t tile, int64_t id);
/* A buffer, a lock or host's memory that a channel uses; all that a core's region does, and the values of its locks. */
void array_dma_reach(struct aie_array *array, const struct aie_op *op, uint32_t channel, const struct aie_value *value);
void array_core_reach(struct aie_array *array, const struct aie_region *region, uint32_t tile);
/* Descriptors of a fifo's chain in a channel. */
void array_chain_take(struct aie_array *array, const struct array_fifo *fifo, uint32_t channel, uint32_t count);
/* Rules of a fifo's ends, and of a link's members. */
void array_fifo_check(struct aie_array *array, const struct array_fifo *fifo);
void array_link_check(struct aie_array *array, const struct aie_op *op, const struct array_link *link);
/* aie.objectfifo.allocate names this fifo and this tile. */
void array_allocate_check(struct aie_array *array, const struct aie_op *op, const struct array_fifo *fifo, uint32_t tile);

/* ---- array_switch.c: flows by way of switches that say theirs. */
void array_switches(struct aie_array *array);

/* ---- array_fifo.c: fifos and links as pools, locks and flows; their descriptors, when streams are there; a core's end of one. */
void array_fifos(struct aie_array *array);
void array_fifo_chains(struct aie_array *array);
bool array_fifo_end(const struct aie_array *array, uint32_t tile, const char *name, int64_t port, struct aie_body_fifo *end_out);

/* ---- array_stream.c: streams of channels. */
void array_streams(struct aie_array *array);

/* ---- array_dma.c: chains of descriptors of DMAs; the chain of a task. */
void array_dmas(struct aie_array *array);
/* The descriptors of a channel, in an operation's region from its first block on, or from `block` on; AIE_NONE: there are none. */
uint32_t array_chain(struct aie_array *array, uint32_t channel, const struct aie_op *owner, const struct aie_op *block);
/* A path of so many dimensions over elements, which must lie within `bytes` behind `offset` (elements) and move whole words. */
void array_path(struct aie_array *array, const struct aie_op *op, const struct aie_type *type, int64_t offset, uint32_t rank, const int64_t *sizes,
		const int64_t *strides, struct aie_path *path_out);

/* ---- array_core.c, array_host.c */
void array_cores(struct aie_array *array);
void array_cores_finish(struct aie_array *array);
void array_host(struct aie_array *array);

/* Operations of a region of the sequence, one after the other. */
void array_steps(struct aie_array *array, const struct aie_region *region);

/* ---- array_value.c: a number that is known before the run; false: it is none. */
bool array_value(const struct aie_array *array, const struct aie_value *value, int64_t *number_out);
/* Arith on known numbers, loops and choices; false: it is none of these. */
bool array_control(struct aie_array *array, const struct aie_op *op);
/* Arguments that are numbers, as the caller gave them. */
void array_arguments(struct aie_array *array);

#endif
