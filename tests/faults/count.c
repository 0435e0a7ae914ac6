/* SPDX-License-Identifier: MIT
 * count.c - the allocations so far, and the memory that is in use. */
#include "tests/faults/count.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/faults/faults.h"

enum { SLOTS = 1 << 16 }; /* of memory in use at one time: far more than any program here has */
static struct {
	pthread_mutex_t lock;
	void *memory[SLOTS]; /* open addressing */
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct fault_count fault_count;

static int refuses(void)
{
	int here = atomic_fetch_add(&fault_count.count, 1) + 1 == atomic_load(&fault_count.fail_at);

	if (here && fault_count.instead)
		fault_count.instead();
	return here && !fault_count.instead;
}

static size_t slot_of(const void *memory)
{
	size_t at = (size_t)((uintptr_t)memory * UINT64_C(0x9E3779B97F4A7C15) >> 48);

	while (state.memory[at] && state.memory[at] != memory)
		at = (at + 1) % SLOTS;
	return at;
}

static void keep(void *memory)
{
	pthread_mutex_lock(&state.lock);
	if (++fault_count.used == SLOTS / 2)
		abort();
	state.memory[slot_of(memory)] = memory;
	pthread_mutex_unlock(&state.lock);
}

/* What stands behind it in its run moves up. */
static void drop(void *memory)
{
	size_t at;

	pthread_mutex_lock(&state.lock);
	at = slot_of(memory);
	if (state.memory[at]) {
		fault_count.used--;
		state.memory[at] = NULL;
		for (at = (at + 1) % SLOTS; state.memory[at]; at = (at + 1) % SLOTS) {
			void *moved = state.memory[at];

			state.memory[at] = NULL;
			state.memory[slot_of(moved)] = moved;
		}
	}
	pthread_mutex_unlock(&state.lock);
}

static const struct faults faults = {refuses, keep, drop};

void fault_count_start(void)
{
	char address[32];

	snprintf(address, sizeof(address), "%" PRIxPTR, (uintptr_t)&faults);
	setenv(FAULTS_VARIABLE, address, 1);
}
