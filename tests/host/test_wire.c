/* SPDX-License-Identifier: MIT */
/* test_wire.c - messages between a host and its workers: what was sent arrives, what a hostile worker could send is refused. */
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

#include "host/call/wire.h"
#include "host/worker/host_frame.h"
#include "host/worker/host_ring.h"

static uint64_t random_next(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

static size_t done_encode(struct host_wire *wire)
{
	const struct ptowsp_resource_stats resources[3] = {{.resource = 1, .name = "task_ring"}, {.resource = 2}, {.resource = 3}};
	const struct ptowsp_kernel_stats kernels[2] = {{.kernel = 1, .tasks = 2}, {.kernel = 2, .cycles = 77}};
	const struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(struct ptowsp_run_stats, RUN_STATS),
					       .resources = resources,
					       .resource_count = 3,
					       .resource_stride = sizeof(*resources),
					       .kernels = kernels,
					       .kernel_count = 2,
					       .kernel_stride = sizeof(*kernels)};
	const struct ptowsp_error why = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR), .text = "because"};
	const struct ptowsp_done done = {.head = PTOWSP_HEAD(struct ptowsp_done, DONE), .token = 5, .stats = &stats, .error = &why};
	const struct host_frame frame = {0};

	host_wire_bytes(wire, &frame, sizeof(frame));
	return (size_t)host_wire_struct(wire, HOST_STRUCT_done, &done);
}

TEST(what_was_sent_arrives)
{
	struct host_wire wire = {0};
	const size_t at = done_encode(&wire);
	struct host_unwire in = {.bytes = wire.bytes, .size = wire.size, .at = sizeof(struct host_frame)};
	const struct ptowsp_done *done = host_unwire_struct(&in, HOST_STRUCT_done, at);

	REQUIRE(done && !in.forged);
	CHECK_UINT(done->token, 5);
	REQUIRE_UINT(done->stats->resource_count, 3);
	CHECK_STR(done->stats->resources[0].name, "task_ring");
	CHECK_UINT(done->stats->kernels[1].cycles, 77);
	CHECK_STR(done->error->text, "because");
	CHECK(!done->deadlock && !done->stats->channels);
	host_wire_finish(&wire);
}

static uint64_t rows_sum(const struct ptowsp_done *done)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; done->stats && i < done->stats->resource_count; i++)
		sum += done->stats->resources[i].used;
	for (uint32_t i = 0; done->stats && i < done->stats->kernel_count; i++)
		sum += done->stats->kernels[i].cycles;
	return sum + (done->error ? (uint64_t)done->error->code : 0);
}

/* What a hostile worker says of rows that it does not send is nothing, and rows are as far apart as they are here. */
TEST(counts_without_rows_are_none)
{
	struct host_wire wire = {0};
	const size_t at = done_encode(&wire);
	struct host_unwire in = {.bytes = wire.bytes, .size = wire.size, .at = sizeof(struct host_frame)}, again;
	unsigned char *copy = malloc(wire.size);
	const struct ptowsp_done *done;
	struct ptowsp_run_stats *forged;

	REQUIRE(copy != NULL);
	memcpy(copy, wire.bytes, wire.size);
	done = host_unwire_struct(&in, HOST_STRUCT_done, at);
	REQUIRE(done && done->stats);
	forged = (struct ptowsp_run_stats *)(void *)(copy + ((const unsigned char *)done->stats - (const unsigned char *)wire.bytes));
	forged->channel_count = 5;
	forged->channel_stride = 3;
	forged->kernel_stride = 1;
	again = (struct host_unwire){.bytes = copy, .size = wire.size, .at = sizeof(struct host_frame)};
	done = host_unwire_struct(&again, HOST_STRUCT_done, at);
	REQUIRE(done && done->stats);
	CHECK(!done->stats->channels);
	CHECK_UINT(done->stats->channel_count, 0);
	CHECK_UINT(done->stats->kernel_count, 2);
	CHECK_UINT(done->stats->kernel_stride, sizeof(struct ptowsp_kernel_stats));
	free(copy);
	host_wire_finish(&wire);
}

/* Whatever comes out of changed bytes can be read. */
TEST(changed_bytes_are_refused_or_harmless)
{
	uint64_t seed = 20261122, sum = 0;
	struct host_wire wire = {0};
	const size_t at = done_encode(&wire);
	unsigned char *copy = malloc(wire.size);
	uint32_t refused = 0;

	printf("# changed_bytes_are_refused_or_harmless: seed %llu\n", (unsigned long long)seed);
	REQUIRE(copy);
	for (int round = 0; round < 20000; round++) {
		const size_t size = round & 1 ? wire.size : at + random_next(&seed) % (wire.size - at + 1);
		struct host_unwire in = {.bytes = copy, .size = size, .at = sizeof(struct host_frame)};
		const struct ptowsp_done *done;

		memcpy(copy, wire.bytes, wire.size);
		for (uint64_t n = random_next(&seed) % 4; n; n--)
			copy[at + random_next(&seed) % (wire.size - at)] =
				(unsigned char)(random_next(&seed) % 3 ? random_next(&seed) : random_next(&seed) % 8 * 8);
		done = host_unwire_struct(&in, HOST_STRUCT_done, at);
		refused += !done;
		sum += done ? rows_sum(done) : 1;
	}
	CHECK(refused > 1000 && refused < 19000);
	CHECK(sum != 0);
	free(copy);
	host_wire_finish(&wire);
}

TEST(a_ring_carries_messages_of_any_length)
{
	static struct host_ring_shared shared;
	static unsigned char bytes[HOST_RING_BYTES / 2];
	const size_t sizes[] = {0, 1, 7, 8, 9, HOST_RING_CHUNK, HOST_RING_CHUNK + 1, sizeof(bytes)};
	struct host_ring writer, reader;
	const _Atomic int stop = 0;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * 31 >> 3);
	host_ring_init(&writer, &shared);
	host_ring_init(&reader, &shared);
	for (int round = 0; round < 20; round++)
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			CHECK_INT(host_ring_read(&reader), HOST_RING_NOTHING);
			REQUIRE_INT(host_ring_write(&writer, (uint16_t)i, bytes, sizes[i], UINT64_MAX, &stop), HOST_RING_READY);
			REQUIRE_INT(host_ring_read(&reader), HOST_RING_READY);
			CHECK_UINT(reader.kind, i);
			REQUIRE_UINT(reader.size, sizes[i]);
			CHECK(!memcmp(reader.message, bytes, sizes[i]));
		}
	atomic_fetch_add(&shared.head, 3);
	CHECK_INT(host_ring_read(&reader), HOST_RING_FORGED);
	host_ring_finish(&reader);
	host_ring_finish(&writer);
}

/* What a worker may write over the head of a record: size, and flags in the upper half of the second word. */
TEST(a_record_with_a_false_head_is_forged)
{
	const struct {
		uint32_t word, value;
	} rows[] = {{0, HOST_RING_CHUNK + 1}, {0, 9}, {0, UINT32_MAX}, {1, 0x80000000}};
	static struct host_ring_shared shared;
	const _Atomic int stop = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct host_ring writer, reader;

		memset(&shared, 0, sizeof(shared));
		host_ring_init(&writer, &shared);
		host_ring_init(&reader, &shared);
		REQUIRE_INT(host_ring_write(&writer, 0, "message", 8, UINT64_MAX, &stop), HOST_RING_READY);
		memcpy(shared.bytes + rows[i].word * sizeof(uint32_t), &rows[i].value, sizeof(rows[i].value));
		CHECK_INT(host_ring_read(&reader), HOST_RING_FORGED);
		host_ring_finish(&reader);
		host_ring_finish(&writer);
	}
}
