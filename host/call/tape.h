/* SPDX-License-Identifier: MIT */
/* tape.h - calls as bytes, by the description: what layer trace writes and a replay reads. Little-endian, everything in 8-byte words.
 *
 * A file is a struct tape_file, then records: a struct tape_record, then items without gaps, as many as its operation's parameters say.
 *
 *   phase CALL     items of the parameters that go in (IN, INOUT, LAST), in their order. Behind those of `done`: u64 many, then a digest of the elements of each
 *                  binding of the run
 *   phase RETURN   the answer (TABLE, MEMORY, NUMBER: u64, addresses as 0 or 1); with a negative status the error record (256 bytes), else the parameters that
 *                  come out (OUT, INOUT)
 *
 *   VALUE, HANDLE                   u64; handles as the addresses that they were
 *   STRING, TEXT, BYTES, VALUES     u64 bytes (UINT64_MAX: NULL), then these, padded with zeros
 *   CONTEXT, ADDRESS, MEMORY, FUNCTION    u64: 1, or 0 for NULL
 *   ONE                             u64 bytes (0: NULL), the struct as it was, then items of its fields that point elsewhere, in their order
 *   ROWS, LENT, TABLES              u64 rows, u64 stride, the rows, then items of the fields of each. TABLES: each as ONE
 *   elements of a binding           as BYTES, behind u64 1; from TAPE_CONTENT bytes on u64 0, u64 bytes, u64 digest
 *
 * A digest is FNV-1a, 64 bits. Addresses in the structs' own bytes mean nothing. */
#ifndef HOST_TAPE_H
#define HOST_TAPE_H

#include "host/call/call.h"
#include "registry/common/common_text.h"

#define TAPE_MAGIC   UINT64_C(0x4C4C414357544F50) /* the bytes "POTWCALL" */
#define TAPE_VERSION 1u
#define TAPE_CONTENT (UINT64_C(64) << 20)
#define TAPE_ROOM    (UINT64_C(1) << 30) /* memory that structs and elements of one record may take */
enum { TAPE_CALL = 1, TAPE_RETURN = 2 };

struct tape_file {
	uint64_t magic;
	uint32_t version, minor;
	uint64_t description; /* host_tape_description() of the writer: operations and structs are numbered as there */
	uint64_t reserved;
};
struct tape_record {
	uint64_t size;      /* bytes, this included */
	uint16_t operation; /* enum host_operation_id */
	uint16_t phase;
	int32_t status;      /* RETURN */
	uint64_t number;     /* of the call, from 1; the same in both phases */
	uint64_t outer;      /* of the call that it was made in, 0: none */
	uint64_t thread, ns; /* caller, time on the monotonic clock */
};
uint64_t host_tape_description(void);
uint64_t host_tape_digest(const void *bytes, size_t size);

/* ---- writing ---- */

struct host_tape {
	struct common_text out; /* a record from its beginning: bytes, no text */
};
void host_tape_number(struct host_tape *tape, uint64_t number);
/* Makes the bytes of one record. */
void host_tape_call(struct host_tape *tape, const struct host_call *call, unsigned phase, uint64_t number, uint64_t outer, uint64_t thread, uint64_t ns);
void host_tape_close(struct host_tape *tape); /* after the last item: its size is right then */
void host_tape_finish(struct host_tape *tape);

/* ---- reading: every length is checked against what is left ---- */

struct host_tape_block;
struct host_tape_reader {
	const unsigned char *at, *end;
	bool wrong;                     /* something did not fit: everything after it reads as 0 or NULL */
	struct host_tape_block *blocks; /* owned: what was read */
	uint64_t taken;                 /* bytes of them, at most TAPE_ROOM */
};
uint64_t host_tape_take(struct host_tape_reader *reader);
/* Zeroed memory, 64-byte aligned, that lives as long as the reader. */
void *host_tape_room(struct host_tape_reader *reader, size_t size);
const void *host_tape_take_bytes(struct host_tape_reader *reader, uint64_t *size_out);
/* A struct with everything that it points to, pointers set; NULL where it was. handle: gives the object of now for one of then. */
void *host_tape_take_struct(struct host_tape_reader *reader, enum host_struct_id id, void *(*handle)(void *context, uint64_t then), void *context);
void host_tape_reader_finish(struct host_tape_reader *reader);

#endif
