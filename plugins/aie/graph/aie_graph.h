/* SPDX-License-Identifier: MIT */
/* aie_graph.h - the virtual graph: what each cell does with objects and buffers, line by line, the streams between cells and host, and what the host has to move. Nothing has a
 * place yet. One thread. */
#ifndef AIE_GRAPH_H
#define AIE_GRAPH_H

#include "aie/aie_arch.h"
#include "aie/graph/bound.h"
#include "aie/graph/cell.h"

/* Which write each read sees. A write of an area makes a version of it; a read of the same area sees the latest one as a whole, and can get it from who made
 * it; a read of anything else sees what lies in memory, where then all that it meets has to be stored before. One thread. */
#define AIE_FROM_MEMORY UINT32_MAX

/* Elements that come from memory although a cell has them. */
enum aie_apart {
	AIE_TOGETHER,
	AIE_APART_CELLS, /* of what another cell made: cells hand each other nothing */
	AIE_APART_ACTS,  /* and what the cell itself made: it keeps nothing from one act to the next */
};

struct aie_version {
	uint32_t act, use; /* that made it */
	uint32_t area, cell;
	bool stored;     /* it goes to memory: it is seen after the run, or somebody reads it there */
	uint32_t local;  /* later reads by its own cell */
	uint32_t remote; /* and by others, not the host */
};
struct aie_versions {
	struct aie_version *rows;
	uint32_t count;
	uint32_t *needs; /* versions that have to be in memory before a use reads there, in increasing order */
	uint32_t *first; /*   of use u from first[u] to first[u + 1] */
	uint32_t need_count, need_room;
};
/* Fills zeroed or finished versions, and from and to of all uses. kept: per TENS row, 1 where what is written is seen after the run. Errors: NO_MEMORY. */
ptowsp_status aie_versions_make(struct aie_versions *versions, struct aie_acts *acts, const uint8_t *kept, enum aie_apart apart, struct ptowsp_error *error);
void aie_versions_finish(struct aie_versions *versions);

#define AIE_NOTHING UINT32_MAX
#define AIE_LINKED  (UINT32_MAX - 1) /* in the place of a cell: the memory tile of a stream's group */

/* Elements as a kernel sees them, without gaps. */
struct aie_shape {
	uint16_t dtype;
	bool flat;              /* one row that is laid out by its kernel */
	uint64_t rows, columns; /* elements */
};
uint64_t aie_shape_bytes(const struct aie_shape *shape);
bool aie_shape_same(const struct aie_shape *a, const struct aie_shape *b);

enum aie_stream_kind { AIE_STREAM_LOAD, AIE_STREAM_STORE, AIE_STREAM_PASS, AIE_STREAM_CHANNEL, AIE_STREAM_TOKEN };
struct aie_stream {
	uint8_t kind;          /* enum aie_stream_kind */
	bool packed;           /* an object has several parts, one after the other, or fewer and then nothing */
	bool whole;            /* between the host and the memory tile of its group: what its members get, or give, together */
	uint32_t group;        /* that it is the whole or a member of; AIE_NOTHING: none */
	uint32_t from;         /* cell, AIE_HOST, AIE_LINKED */
	uint32_t to, to_count; /* cells or AIE_HOST, AIE_LINKED: places in ends */
	uint32_t channel;      /* of CHANNEL, and of TOKEN that says that there is room in it: CSPC row */
	uint32_t
		room; /* of CHANNEL: most tokens that may be in it, from the release at its source to the acquire at its end; of TOKEN, not 0: that have to fit */
	struct aie_shape shape; /* of an object */
	uint32_t objects;       /* that go through it */
};
enum aie_spot_kind { AIE_SPOT_OBJECT, AIE_SPOT_BUFFER };
struct aie_spot {
	uint8_t kind;
	uint32_t number; /* stream, whose object the cell holds; buffer */
	uint64_t at;     /* bytes from its beginning */
	struct aie_shape shape;
};
enum aie_line_kind { AIE_LINE_ACQUIRE, AIE_LINE_RELEASE, AIE_LINE_COPY, AIE_LINE_CALL };
struct aie_line {
	uint8_t kind;
	bool produces;         /* of ACQUIRE and RELEASE: the cell is the stream's source */
	uint32_t stream;       /* of both */
	uint32_t act;          /* of CALL */
	uint32_t spots, count; /* of COPY: from and to; of CALL: one per tensor argument */
};
/* Memory of a cell. */
struct aie_room {
	uint32_t cell;
	struct aie_shape shape;
};
/* Streams that a memory tile distributes out of one, or joins to one: an object of the whole is one object of each member, one behind the other. */
struct aie_group {
	bool joins;
	uint32_t whole;          /* stream */
	uint32_t members, count; /* streams: places in members */
};
/* A area of memory that becomes a part of an object, or the other way round; AIE_NOTHING: filler. */
struct aie_job {
	uint32_t stream, object; /* its number in the stream */
	uint32_t area;
	uint64_t at, bytes; /* in the object */
	uint32_t act, use;  /* use: of the act; AIE_NOTHING: a token without elements */
	bool stores;
	uint32_t after;           /* 0, or a job + 1 that is over before it begins, whatever both move */
	uint32_t deps, dep_count; /* jobs that are over before it begins, earlier ones */
	/* One task of the host moves several jobs whose areas lie equally far apart: graph_task.c. */
	uint32_t with;         /* the job that its task begins with */
	uint32_t next;         /* of the same task, AIE_NOTHING */
	uint32_t parts, turns; /* of the first: areas, and turns of so many areas */
	uint64_t step, turn;   /*   bytes from one area to the next, from turn to turn */
	uint32_t last_object;  /*   that of the last area */
	uint64_t fill;         /*   bytes without meaning behind it */
};
struct aie_lines {
	struct aie_line *lines;
	uint32_t count, room;
};
struct aie_graph {
	struct aie_stream *streams;
	uint32_t *ends;
	struct aie_lines *cells; /* one per cell */
	struct aie_spot *spots;
	struct aie_room *buffers;
	struct aie_job *jobs; /* those of a stream in the order of its objects and, in one, of their places; but those of a whole in the order of the walk */
	uint32_t *deps;
	struct aie_group *groups;
	uint32_t *members;
	uint32_t *own,
		*own_first;   /* first jobs of tasks by stream, in the order of its objects and places: of stream s from own_first[s] to own_first[s + 1] */
	bool crowded;         /* the host would need more DMA channels than there are, were it not for groups */
	uint64_t host_cycles; /* by the model, at least: of the host, to hand over its tasks, or of its longest stream */
	bool by_use;          /* loads of a cell are packed by their place among its arguments, so that cells can share them */
	uint32_t group_count, group_room, member_count, member_room;
	uint32_t cell_count, stream_count, stream_room, end_count, end_room, spot_count, spot_room, buffer_count, buffer_room, job_count, job_room, dep_count,
		dep_room;
};
struct aie_graph_args {
	const struct aie_acts *acts;
	const struct aie_cells *cells;
	const struct aie_versions *versions;
	const struct aie_arch *arch;
	bool share;     /* loads that bring several cells the same become one stream */
	bool pack;      /* a cell that has too many loads gets all of them as one stream, even where those of each argument together would do */
	uint32_t group; /* most streams that become one at a memory tile, where the host has too few channels; 0: none do */
	bool always;    /*   wherever streams can be one */
	uint32_t tiles; /* whose DMA channels a cell has: its own, and those beside it */
	uint64_t keep;  /* bytes of what is read again that a cell keeps */
	const struct aie_bounds *bounds; /* tasks whose begin or end the host sees; NULL: none */
	const uint64_t *capacities;      /* per CSPC row; NULL: channels take any number of tokens */
	struct aie_called names;
};
/* Fills a zeroed or finished graph. Errors: UNSUPPORTED naming the cell or the shims, what is needed and the limit; NO_MEMORY. */
ptowsp_status aie_graph_make(struct aie_graph *graph, const struct aie_graph_args *args, struct ptowsp_error *error);
/* Does the stream go from one core to one other? Without DMA, where one of them sees the other's memory. */
bool aie_stream_shared(const struct aie_graph *graph, const struct aie_stream *stream);
/* Does the host move its objects? */
bool aie_stream_hosted(const struct aie_graph *graph, const struct aie_stream *stream);
void aie_graph_finish(struct aie_graph *graph);

#endif
