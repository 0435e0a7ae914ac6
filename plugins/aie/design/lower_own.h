/* SPDX-License-Identifier: MIT */
/* lower_own.h - what the files of lowering share. */
#ifndef AIE_LOWER_OWN_H
#define AIE_LOWER_OWN_H

#include "aie/design/lower.h"
#include "ptowsp/base.h"
#include "registry/common/common_names.h"
#include <stdbool.h>
#include <stdint.h>

#define AIE_OBJECT_NAME 80 /* bytes of an object file's name */
#define AIE_BUFFER_NAME 32 /* bytes of a buffer's name */

struct aie_lowering {
	struct aie_module *module;
	const struct aie_lower_args *args;
	struct aie_lowered *lowered;
	struct aie_op *device;
	struct aie_region *body;       /* of the device */
	struct aie_value **tiles;      /* per column and row */
	struct aie_value **cell_tiles; /* per cell */
	char (*streams)[64];           /* names */
	char (*held)[72];              /* names of the fifos that cells have of them: these, but where objects lie beside a cell */
	struct common_names functions; /* per function: what its calls have in common */
	struct common_names symbols;   /* of fifos and functions */
	uint32_t function_room, kernel_room, task_room;
	struct ptowsp_error *error;
	ptowsp_status failed;
};
/* MLIR's type of an element; NULL with `failed` set where it has none. */
const struct aie_type *aie_lower_element(struct aie_lowering *lowering, unsigned dtype);
const struct aie_type *aie_lower_shape(struct aie_lowering *lowering, const struct aie_shape *shape);
/* As objects of a stream are declared. */
const struct aie_type *aie_lower_object(struct aie_lowering *lowering, uint32_t stream);
/* lower_name.c: names of fifos, one per stream; then of functions, which no fifo and no function before has: the caller's, NULL without memory; the object file of a kernel. */
void aie_lower_stream_names(struct aie_lowering *lowering);
char *aie_lower_function_name(struct aie_lowering *lowering, uint32_t kernel);
void aie_lower_object_name(char name_out[AIE_OBJECT_NAME], uint32_t kernel, const char *name);
/* A name for a buffer of the graph, which no symbol before has. */
void aie_lower_buffer_name(struct aie_lowering *lowering, char name_out[AIE_BUFFER_NAME], uint32_t buffer);
/* The tile in whose memory a buffer lies. */
struct aie_value *aie_lower_buffer_tile(struct aie_lowering *lowering, uint32_t buffer);
/* lower_core.c: functions that the cells call, buffers, and one core per cell. */
void aie_lower_functions(struct aie_lowering *lowering);
void aie_lower_cores(struct aie_lowering *lowering);
/* lower_host.c: the runtime sequence. */
void aie_lower_host(struct aie_lowering *lowering);

/* Does the end of a stream at its cell lie beside it? */
static inline bool aie_lower_near(const struct aie_lowering *lowering, uint32_t stream)
{
	return lowering->args->near->streams[stream] != AIE_NOTHING;
}

static inline const struct aie_attr *aie_i32(struct aie_lowering *lowering, int64_t value)
{
	return aie_attr_int(lowering->module, aie_type_plain(lowering->module, AIE_TYPE_INT, 32), value);
}

/* A program of a cell with what repeats written once: lines that follow each other several times become a loop, and so inside of it. Values of the lines' objects
 * do not leave a loop: what it acquires it releases. One thread. */
/* A line, or so many rounds of what follows. */
struct aie_turn {
	uint32_t rounds; /* 0: a line */
	uint32_t line;   /* its number; of rounds: how many turns belong to it, nested ones counted */
};
struct aie_loops {
	struct aie_turn *turns;
	uint32_t count, room;
};
struct aie_loops_args {
	const uint32_t *ids;  /* per line: lines with one id do the same */
	const int32_t *opens; /* per line: stream side + 1 where it acquires, minus that where it releases, else 0 */
	uint32_t count, sides;
};
/* Fills zeroed or finished loops. Errors: NO_MEMORY. */
ptowsp_status aie_loops_find(struct aie_loops *loops, const struct aie_loops_args *args, struct ptowsp_error *error);
void aie_loops_finish(struct aie_loops *loops);

#endif
