/* SPDX-License-Identifier: MIT */
/* graph_act.h - one act while its lines are written: graph_act.c says in which order, the others how. Where memory runs out the act is left at once; where room
 * is short, a flag says so and the act goes on: what comes of it is thrown away. One thread. */
#ifndef AIE_GRAPH_ACT_H
#define AIE_GRAPH_ACT_H

#include "aie/graph/graph_own.h"

enum { AIE_ACT_OPEN = 32 }; /* streams of which one act has an object */
struct aie_act_open {
	uint32_t stream;
	bool produces;
	uint64_t filled; /* bytes of a packed object */
};
struct aie_acting {
	struct aie_maker *maker;
	const struct aie_act *act;
	uint32_t number;
	struct aie_act_open open[AIE_ACT_OPEN];
	uint32_t open_count;
	uint32_t temps[AIE_ACT_OPEN]; /* buffers for this act alone */
	uint32_t temp_count;
	bool crowded; /* more than AIE_ACT_OPEN */
	bool crossed; /* a cell wants what another one makes in another order */
};

/* graph_line.c */
/* A line of the act's cell, behind those that are there. */
void aie_acting_line_add(struct aie_acting *acting, const struct aie_line *line);
/* The spot's place; those of one line follow each other. */
uint32_t aie_acting_spot_add(struct aie_acting *acting, const struct aie_spot *spot);
/* A line that copies elements of one shape. */
void aie_acting_copy_add(struct aie_acting *acting, const struct aie_spot *from, const struct aie_spot *to);
/* A job of the host, for this act. */
void aie_acting_job_add(struct aie_acting *acting, const struct aie_job *job);
/* Shape of an area, as a kernel sees it. */
struct aie_shape aie_acting_shape_of(const struct aie_maker *maker, uint32_t area);
/* One of this shape that is free in the cell, or a new one. */
struct aie_spot aie_acting_buffer_take(struct aie_acting *acting, struct aie_shape shape);
/* The buffer is free for others. */
void aie_acting_buffer_give(struct aie_acting *acting, uint32_t buffer);
/* The object that the act holds of a stream, NULL: none. */
struct aie_act_open *aie_acting_open_find(struct aie_acting *acting, uint32_t stream);
/* The act's object of the stream, acquired where it is not yet. */
struct aie_act_open *aie_acting_object_open(struct aie_acting *acting, uint32_t stream, bool produces);
/* Released, and counted. */
void aie_acting_object_close(struct aie_acting *acting, struct aie_act_open *open);
/* All that it holds as a source (produced), or as an end. */
void aie_acting_objects_close(struct aie_acting *acting, bool produced);
/* A part of the act's object, behind those that are there; where an object is one part, the next one. */
struct aie_spot aie_acting_part_add(struct aie_acting *acting, uint32_t stream, bool produces, struct aie_shape shape);
/* The stream with this label, made where there is none; packed: objects of several parts. */
uint32_t aie_acting_stream_of(struct aie_acting *acting, struct aie_label label, const uint32_t *ends, uint32_t end_count, bool packed);
/* graph_read.c */
/* The stream on which a version goes to other cells. */
uint32_t aie_acting_pass_stream(struct aie_acting *acting, uint32_t version, struct aie_shape shape);
/* The cell's end of the stream has taken one more: which one that is. */
uint32_t aie_acting_take_next(struct aie_acting *acting, uint32_t stream);
/* The whole of it. */
struct aie_spot aie_acting_home_spot(const struct aie_home *home, struct aie_shape shape);
/* The home whose elements a use begins with: a version of the cell, or what is kept. NULL: they arrive for it alone. */
struct aie_home *aie_acting_home_of(struct aie_acting *acting, uint32_t u);
/* The spot that a use reads. */
struct aie_spot aie_acting_source(struct aie_acting *acting, uint32_t u);
/* One reading less is to come. */
void aie_acting_read_done(struct aie_acting *acting, uint32_t u);
/* graph_write.c */
/* The stream on which the act's cell stores areas of a shape. */
uint32_t aie_acting_store_stream(struct aie_acting *acting, struct aie_shape shape);
/* The spot of a version that begins from nothing: in the object in which it leaves, if that can be. */
struct aie_spot aie_acting_begin(struct aie_acting *acting, uint32_t version, struct aie_shape shape);
/* The spot that a use writes. */
struct aie_spot aie_acting_target(struct aie_acting *acting, uint32_t u);
/* A version that was made leaves for wherever it is wanted, and stays as long as the cell reads it. */
void aie_acting_made(struct aie_acting *acting, uint32_t u);

#endif
