/* SPDX-License-Identifier: MIT */
/* host_ring.h - messages from one process to another through shared memory: one writer, one reader, a ring of bytes. The reader trusts nothing that lies there: positions and
 * lengths are copied out first and looked at afterwards, and a message is read from its copy only.
 *
 * A message is one or more records: u32 bytes, u16 kind, u16 flags, the bytes, zeros up to a multiple of 8. Long ones are cut into several. */
#ifndef HOST_RING_H
#define HOST_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	HOST_RING_BYTES = 1 << 19,     /* of one ring; a power of two */
	HOST_RING_CHUNK = 1 << 16,     /* bytes of the longest record */
	HOST_RING_MESSAGE = 256 << 20, /* longest message: more is a lie */
	HOST_RING_SPIN_NS = 50000      /* a reader looks that long before it sleeps; a sixteenth of it where that was in vain before */
};

/* The memory that both processes see. Positions count bytes and run freely; the writer owns head, the reader tail. */
struct host_ring_shared {
	_Alignas(64) _Atomic uint32_t head; /* a futex of the reader */
	_Atomic uint32_t reader_sleeps;
	_Alignas(64) _Atomic uint32_t tail; /* a futex of the writer */
	_Atomic uint32_t writer_sleeps;
	_Alignas(64) unsigned char bytes[HOST_RING_BYTES];
};

/* One end. Not for two threads at once: writers of one end take a lock round it. */
struct host_ring {
	struct host_ring_shared *shared;
	uint32_t at;     /* this end's own position: what the shared word says of it is not believed */
	uint32_t misses; /* of a reader: how often in a row it has looked in vain */
	/* of a reader: the message that is being put together */
	unsigned char *message; /* owned, 16-byte aligned */
	size_t size, room;
	uint16_t kind;
	bool partly;
};

enum host_ring_state { HOST_RING_NOTHING, HOST_RING_READY, HOST_RING_FORGED, HOST_RING_NO_MEMORY, HOST_RING_LATE, HOST_RING_STOPPED };

/* init/finish: caller provides *ring and the shared memory, which is zero at first. */
void host_ring_init(struct host_ring *ring, struct host_ring_shared *shared);
void host_ring_finish(struct host_ring *ring);

/* Appends one message; READY: it is there. It waits for room until until_ns of host_now_ns (LATE) or until *stop is set (STOPPED), and what finds room needs no time. FORGED: the
 * reader's position is a lie, or the message longer than one may be. After anything but READY a part of it may be there: nothing more can be written. */
enum host_ring_state host_ring_write(struct host_ring *ring, uint16_t kind, const void *bytes, size_t size, uint64_t until_ns, const _Atomic int *stop);
/* Whether a message of one record goes in without waiting. */
bool host_ring_fits(const struct host_ring *ring, size_t size);
/* The next message if it is there: ring->kind, message and size, until the next call. FORGED: the writer broke the rules; nothing more can be read. */
enum host_ring_state host_ring_read(struct host_ring *ring);
/* Waits until something was written, until_ns of host_now_ns has come, or *stop is set: spins first, then sleeps. */
void host_ring_wait(struct host_ring *ring, uint64_t until_ns, const _Atomic int *stop);
/* Lets a sleeping reader, in either process, look at its *stop. */
void host_ring_wake(struct host_ring_shared *shared);

#endif
