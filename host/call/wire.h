/* SPDX-License-Identifier: MIT */
/* wire.h - deep copies of the ABI's structs in one piece of memory, with offsets where pointers were, and back, by the description (describe.h): a field that is appended
 * there crosses.
 *
 * Things lie in the order in which they are met: a struct, then what its fields point to, in the order of the fields. A reader demands that order, so that no two
 * things overlap, and turns an offset into a pointer only after it looked at every byte behind it. Numbers, handles and texts in place cross as they are. Elements and
 * records lie in memory of their own: `away` knows how that crosses. Of functions, contexts and other addresses there is NULL on the other side. */
#ifndef HOST_WIRE_H
#define HOST_WIRE_H

#include "host/call/describe.h"

/* Elements or records, not NULL. */
struct host_away {
	enum host_struct_id id;
	const struct host_field *field;
	const void *at; /* the struct that has the field */
	void *memory;
	uint64_t size; /* bytes */
};

/* Bytes that are being written. A failure (no memory, absurd counts) is remembered and met at the end. */
struct host_wire {
	uint32_t minor;       /* of whoever made the structs: what is behind it is not looked at */
	unsigned char *bytes; /* owned */
	size_t size, room;
	bool failed;
	bool (*away)(struct host_wire *wire, const struct host_away *away, uint64_t *place_out); /* false: it fails. NULL: they are left out */
	void *context;                                                                           /* of `away` */
	const void *handles[HOST_HANDLES];                                                       /* the latest of each sort that was met in a struct */
};
void host_wire_finish(struct host_wire *wire);
/* All give the offset of what was added, 8-byte aligned; 0 of NULL or nothing. Offset 0 is the frame, so nothing else lies there. */
uint64_t host_wire_bytes(struct host_wire *wire, const void *bytes, size_t size);
uint64_t host_wire_text(struct host_wire *wire, const char *text);
uint64_t host_wire_struct(struct host_wire *wire, enum host_struct_id id, const void *from);
/* Rows of `stride` bytes as rows of this side's size. */
uint64_t host_wire_rows(struct host_wire *wire, enum host_struct_id id, const void *rows, uint64_t count, uint32_t stride);
/* So many integers of `size` bytes. */
uint64_t host_wire_values(struct host_wire *wire, const void *values, uint64_t count, size_t size);

/* Bytes that are being read: a private copy, which is changed in place. */
struct host_unwire {
	unsigned char *bytes;
	size_t size, at; /* nothing below `at` may be referred to any more */
	bool forged;
	void *(*away)(struct host_unwire *wire, const struct host_field *field,
		      uint64_t place); /* NULL: there is no such memory. Left out: all of it is NULL */
	void *context;                 /* of `away` */
};
/* All give NULL for offset 0, and NULL with forged set where the bytes are no such thing. */
void *host_unwire_bytes(struct host_unwire *wire, uint64_t offset, uint64_t size);
const char *host_unwire_text(struct host_unwire *wire, uint64_t offset);
void *host_unwire_struct(struct host_unwire *wire, enum host_struct_id id, uint64_t offset);
void *host_unwire_rows(struct host_unwire *wire, enum host_struct_id id, uint64_t offset, uint64_t count);
void *host_unwire_values(struct host_unwire *wire, uint64_t offset, uint64_t count, size_t size);

#endif
