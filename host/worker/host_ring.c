/* SPDX-License-Identifier: MIT */
/* host_ring.c - bytes through shared memory: positions, records, sleeping. */
#include "host/worker/host_ring.h"

#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "host/run/runs.h"
#include "registry/common/common_grow.h"

enum { MORE = 1, PATIENCE = 4, RETRY = 64 };
#define SLICE_NS UINT64_C(50000000) /* longest sleep: a wake that was missed costs no more */
#define MASK     (HOST_RING_BYTES - 1u)

struct record {
	uint32_t size;
	uint16_t kind, flags;
};
_Static_assert(!(HOST_RING_BYTES & MASK), "positions are taken modulo a power of two");
_Static_assert(sizeof(struct record) + HOST_RING_CHUNK <= HOST_RING_BYTES / 2, "a record fits while another one is read");

static uint32_t padded(uint32_t size)
{
	return (uint32_t)sizeof(struct record) + ((size + 7u) & ~7u);
}

/* The word is shared between processes, so the futex is no private one. */
static void futex_wait(_Atomic uint32_t *word, uint32_t seen, uint64_t ns)
{
	const struct timespec span = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};

	syscall(SYS_futex, word, FUTEX_WAIT, seen, &span, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static void pause_briefly(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

void host_ring_init(struct host_ring *ring, struct host_ring_shared *shared)
{
	*ring = (struct host_ring){.shared = shared};
}

void host_ring_finish(struct host_ring *ring)
{
	free(ring->message);
	*ring = (struct host_ring){0};
}

static void bytes_put(struct host_ring_shared *s, uint32_t at, const void *bytes, size_t size)
{
	const size_t first = size < HOST_RING_BYTES - (at & MASK) ? size : HOST_RING_BYTES - (at & MASK);

	memcpy(s->bytes + (at & MASK), bytes, first);
	memcpy(s->bytes, (const unsigned char *)bytes + first, size - first);
}

static void bytes_get(const struct host_ring_shared *s, uint32_t at, void *bytes, size_t size)
{
	const size_t first = size < HOST_RING_BYTES - (at & MASK) ? size : HOST_RING_BYTES - (at & MASK);

	memcpy(bytes, s->bytes + (at & MASK), first);
	memcpy((unsigned char *)bytes + first, s->bytes, size - first);
}

/* Sleep and wake: each side stores its word, then looks at the other's. Both are sequentially consistent, so that one of them sees the other. */
static enum host_ring_state room_wait(struct host_ring *r, uint32_t need, uint64_t until_ns, const _Atomic int *stop)
{
	struct host_ring_shared *s = r->shared;

	for (;;) {
		const uint32_t tail = atomic_load(&s->tail);
		uint64_t now;

		if (atomic_load(stop))
			return HOST_RING_STOPPED;
		if (r->at - tail > HOST_RING_BYTES)
			return HOST_RING_FORGED;
		if (HOST_RING_BYTES - (r->at - tail) >= need)
			return HOST_RING_READY;
		now = host_now_ns();
		if (now >= until_ns)
			return HOST_RING_LATE;
		atomic_store(&s->writer_sleeps, 1);
		if (atomic_load(&s->tail) == tail)
			futex_wait(&s->tail, tail, until_ns - now < SLICE_NS ? until_ns - now : SLICE_NS);
	}
}

static enum host_ring_state record_write(struct host_ring *r, const struct record *record, const void *bytes, uint64_t until_ns, const _Atomic int *stop)
{
	struct host_ring_shared *s = r->shared;
	const enum host_ring_state state = room_wait(r, padded(record->size), until_ns, stop);

	if (state != HOST_RING_READY)
		return state;
	bytes_put(s, r->at, record, sizeof(*record));
	bytes_put(s, r->at + (uint32_t)sizeof(*record), bytes, record->size);
	r->at += padded(record->size);
	atomic_store(&s->head, r->at);
	if (atomic_load(&s->reader_sleeps)) {
		atomic_store(&s->reader_sleeps, 0);
		futex_wake(&s->head);
	}
	return HOST_RING_READY;
}

enum host_ring_state host_ring_write(struct host_ring *r, uint16_t kind, const void *bytes, size_t size, uint64_t until_ns, const _Atomic int *stop)
{
	enum host_ring_state state = HOST_RING_FORGED;
	const unsigned char *at = bytes;

	if (size > HOST_RING_MESSAGE)
		return state;
	do {
		const size_t now = size < HOST_RING_CHUNK ? size : HOST_RING_CHUNK;
		const struct record record = {(uint32_t)now, kind, now < size ? MORE : 0};

		state = record_write(r, &record, at, until_ns, stop);
		at += now;
		size -= now;
	} while (size && state == HOST_RING_READY);
	return state;
}

bool host_ring_fits(const struct host_ring *r, size_t size)
{
	const uint32_t used = r->at - atomic_load(&r->shared->tail);

	return size <= HOST_RING_CHUNK && used <= HOST_RING_BYTES && HOST_RING_BYTES - used >= padded((uint32_t)size);
}

/* Adds the record at this end's position to the message. */
static enum host_ring_state record_read(struct host_ring *r, uint32_t there, uint16_t *flags_out)
{
	struct host_ring_shared *s = r->shared;
	struct record record;

	if (there < sizeof(record))
		return HOST_RING_FORGED;
	bytes_get(s, r->at, &record, sizeof(record));
	if (record.size > HOST_RING_CHUNK || padded(record.size) > there || (record.flags & ~MORE) || (record.flags && record.size != HOST_RING_CHUNK) ||
	    (r->partly && record.kind != r->kind))
		return HOST_RING_FORGED;
	if (!r->partly)
		r->size = 0;
	if (r->size + record.size > HOST_RING_MESSAGE)
		return HOST_RING_FORGED;
	if (!COMMON_RESERVE(r->message, r->room, r->size + record.size + 1))
		return HOST_RING_NO_MEMORY;
	bytes_get(s, r->at + (uint32_t)sizeof(record), r->message + r->size, record.size);
	r->size += record.size;
	r->kind = record.kind;
	r->at += padded(record.size);
	*flags_out = record.flags;
	return HOST_RING_READY;
}

enum host_ring_state host_ring_read(struct host_ring *r)
{
	struct host_ring_shared *s = r->shared;

	for (;;) {
		const uint32_t there = atomic_load(&s->head) - r->at;
		uint16_t flags = 0;
		enum host_ring_state state;

		if (!there)
			return HOST_RING_NOTHING;
		if (there > HOST_RING_BYTES || (there & 7))
			return HOST_RING_FORGED;
		state = record_read(r, there, &flags);
		if (state != HOST_RING_READY)
			return state;
		atomic_store(&s->tail, r->at);
		if (atomic_load(&s->writer_sleeps)) {
			atomic_store(&s->writer_sleeps, 0);
			futex_wake(&s->tail);
		}
		r->partly = flags & MORE;
		if (!r->partly)
			return HOST_RING_READY;
	}
}

/* A look keeps the other process from writing where both share a core: then a short one does, and a long one is tried again now and then. */
static uint64_t spin_ns(const struct host_ring *r)
{
	return r->misses < PATIENCE || r->misses % RETRY == 0 ? HOST_RING_SPIN_NS : HOST_RING_SPIN_NS / 16;
}

void host_ring_wait(struct host_ring *r, uint64_t until_ns, const _Atomic int *stop)
{
	struct host_ring_shared *s = r->shared;
	uint64_t now = host_now_ns(), spin = now + spin_ns(r);
	bool slept = false;

	while (atomic_load_explicit(&s->head, memory_order_acquire) == r->at && !atomic_load(stop) && now < until_ns) {
		if (now < spin) {
			for (int i = 0; i < 32; i++)
				pause_briefly();
		} else {
			const uint64_t left = until_ns - now;

			slept = true;
			atomic_store(&s->reader_sleeps, 1);
			if (atomic_load(&s->head) == r->at && !atomic_load(stop))
				futex_wait(&s->head, r->at, left < SLICE_NS ? left : SLICE_NS);
		}
		now = host_now_ns();
	}
	r->misses = slept ? r->misses + 1 : 0;
}

void host_ring_wake(struct host_ring_shared *s)
{
	futex_wake(&s->head);
}
