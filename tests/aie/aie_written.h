/* SPDX-License-Identifier: MIT */
/* aie_written.h - designs as text: written, read, routed and run. */
#ifndef TESTS_AIE_WRITTEN_H
#define TESTS_AIE_WRITTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aie/design/aie_channels.h"
#include "aie/sim/sim.h"

/* A text that grows; begun by written_begin. */
struct written {
	char *text;
	size_t length, room;
};
void written_begin(struct written *text);
void written_add(struct written *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void written_finish(struct written *text);
/* Pieces of the generic form. Tiles are called %t<column>_<row>, arguments of the sequence %p<n>. */
void written_tile(struct written *text, int column, int row);
/* to: "%t0_2, %t0_3"; depths: "2 : i32" or "[1 : i32, 2 : i32]". */
void written_fifo(struct written *text, const char *name, const char *from, const char *to, int consumers, const char *depths, const char *memref,
		  bool via_dma);
void written_acquire(struct written *text, const char *value, const char *fifo, int port, const char *memref);
void written_release(struct written *text, const char *fifo, int port);
/* A row of words of the argument. */
void written_task(struct written *text, int argument, int id, const char *fifo, long offset, long count, const char *memref, bool token);
void written_wait(struct written *text, const char *fifo);

/* Adds to a text in a buffer of `room` bytes; what is too much is cut. */
void text_put(char *text, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));

struct aie_whole {
	struct aie_module module;
	struct aie_design design;
	struct aie_channels channels;
	struct aie_routes routes;
};
/* Read, channels given out, routed. A failure's text in error. */
ptowsp_status aie_whole_read(struct aie_whole *whole, const char *text, struct ptowsp_error *error);
void aie_whole_finish(struct aie_whole *whole);

#endif
