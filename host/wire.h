/* SPDX-License-Identifier: MIT */
/* wire.h - deep copies of the ABI's structs in one piece of memory, with offsets where pointers were, and back. Driven by the description of the structs (wire_types.c).
 *
 * Things lie in the order in which they are met: a struct, then what its fields point to, in the order of the fields. Who reads demands that order, so that no two
 * things overlap, and turns an offset into a pointer only after it looked at every byte behind it. */
#ifndef HOST_WIRE_H
#define HOST_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum host_wire_kind {
	HOST_WIRE_TEXT,   /* const char *, NUL-terminated or NULL */
	HOST_WIRE_ROWS,   /* array with a count, and a stride in a field or none */
	HOST_WIRE_STRUCT, /* one struct with a head, or NULL */
	HOST_WIRE_ADDRESS /* what it points to does not cross: 0 there */
};
struct host_wire_type;
struct host_wire_field {
	uint16_t offset, kind;
	uint16_t count, stride;             /* ROWS: offsets of these fields (u32); stride 0: there is none */
	const struct host_wire_type *type;  /* of a row, of the struct; NULL: rows of u64 */
};
struct host_wire_type {
	const char *name;
	uint32_t size;
	uint16_t head;                      /* PTOWSP_STRUCT_x of one with a head; 0: it has none */
	uint16_t field_count;
	const struct host_wire_field *fields;
};

/* What is being written. A failure (no memory, absurd counts) is remembered and met at the end. */
struct host_wire {
	unsigned char *bytes; /* owned */
	size_t size, room;
	bool failed;
};
void host_wire_finish(struct host_wire *wire);
/* All give the offset of what was added, 8-byte aligned; 0 of NULL (text, structure). Offset 0 is the frame, so nothing else lies there. */
uint64_t host_wire_bytes(struct host_wire *wire, const void *bytes, size_t size);
uint64_t host_wire_text(struct host_wire *wire, const char *text);
uint64_t host_wire_struct(struct host_wire *wire, const struct host_wire_type *type, const void *from);
/* Rows of `stride` bytes as rows of this side's size. type NULL: of u64. */
uint64_t host_wire_rows(struct host_wire *wire, const struct host_wire_type *type, const void *rows, uint32_t count, uint32_t stride);

/* What is being read: a private copy, which is changed in place. */
struct host_unwire {
	unsigned char *bytes;
	size_t size, at; /* nothing below `at` may be referred to any more */
	bool forged;
};
/* All give NULL for offset 0, and NULL with forged set where the bytes are no such thing. */
void *host_unwire_bytes(struct host_unwire *wire, uint64_t offset, uint64_t size);
const char *host_unwire_text(struct host_unwire *wire, uint64_t offset);
void *host_unwire_struct(struct host_unwire *wire, const struct host_wire_type *type, uint64_t offset);
void *host_unwire_rows(struct host_unwire *wire, const struct host_wire_type *type, uint64_t offset, uint32_t count);

extern const struct host_wire_type host_wire_init_args, host_wire_open_args, host_wire_run_args, host_wire_load_args, host_wire_device, host_wire_option,
	host_wire_cap, host_wire_run_stats, host_wire_done, host_wire_error, host_wire_figure, host_wire_trace_task, host_wire_trace_event,
	host_wire_graph_edge;

#endif
