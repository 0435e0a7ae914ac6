/* SPDX-License-Identifier: MIT */
#include "rt/payload.h"

#include <stdlib.h>
#include <string.h>
#include "rt/error.h"
#include "rt/process.h"

enum { LINE = 64 };
#define MOST (UINT64_C(1) << 32) /* bytes of all blocks where nobody states a limit: a capacity is a number that a package may write */

/* Instances that consume from a channel. */
static uint64_t consumers_of(const struct rt_tables *tables, uint32_t channel)
{
	uint64_t count = 0;

	for (uint32_t p = 0; p < tables->process.count; p++) {
		const struct ptowsp_process_record *process = &tables->process.rows[p];

		for (uint32_t i = 0; i < process->channel_count; i++) {
			const struct ptowsp_process_channel_record *use = &tables->process_channel.rows[process->channels + i];

			count += use->channel == channel && use->direction == PTOWSP_CHANNEL_CONSUMES ? process->replicas : 0;
		}
	}
	return count;
}

/* Bytes of a channel's blocks, each at a multiple of a line; false if nobody can have so many. */
static bool bytes_of(const struct rt_program *program, uint32_t channel, uint64_t *bytes_out)
{
	uint64_t capacity = rt_channel_capacity(program, channel);
	uint64_t blocks = capacity ? capacity : consumers_of(&program->tables, channel);

	*bytes_out = (program->payloads[channel].bytes + LINE - 1) / LINE * LINE;
	if (*bytes_out && blocks > (UINT64_C(1) << 62) / *bytes_out)
		return false;
	*bytes_out *= blocks;
	return true;
}

static uint64_t limit_of(const struct rt_run *run)
{
	return run->memory ? run->memory : MOST;
}

static ptowsp_status too_big(const struct rt_run *run, uint32_t channel, uint64_t bytes)
{
	return rt_fail(run->error, PTOWSP_TOO_BIG,
		       "the blocks of payload channels up to %.40s need %llu bytes, the limit is %llu; lower channel_capacity=%.40s,N or %s --max-memory",
		       rt_channel_name(run->program, channel), (unsigned long long)bytes, (unsigned long long)limit_of(run),
		       rt_channel_name(run->program, channel), run->memory ? "raise" : "state");
}

static ptowsp_status places_find(struct rt_run *run)
{
	struct rt_payloads *payloads = &run->payloads;
	uint64_t bytes;

	for (uint32_t c = 0; c < run->program->tables.channel.count; c++) {
		bool fits = bytes_of(run->program, c, &bytes) && payloads->bytes <= (UINT64_C(1) << 62) - bytes;

		if (!fits || payloads->bytes + bytes > limit_of(run))
			return too_big(run, c, fits ? payloads->bytes + bytes : UINT64_MAX);
		payloads->first[c] = payloads->bytes;
		payloads->bytes += bytes;
	}
	return PTOWSP_OK;
}

ptowsp_status rt_payloads_init(struct rt_run *run)
{
	struct rt_payloads *payloads = &run->payloads;
	ptowsp_status st;

	if (!run->kernels || !run->program->move_count || run->program->planned)
		return PTOWSP_OK;
	payloads->first = calloc((size_t)run->program->tables.channel.count + 1, sizeof(*payloads->first));
	if (!payloads->first)
		return rt_no_memory(run->error, "payload channels");
	st = places_find(run);
	if (!st && payloads->bytes <= SIZE_MAX - LINE)
		payloads->memory = aligned_alloc(LINE, (size_t)payloads->bytes + LINE);
	return st || payloads->memory ? st : rt_no_memory(run->error, "the blocks of payload channels");
}

void rt_payloads_finish(struct rt_payloads *payloads)
{
	free(payloads->memory);
	free(payloads->first);
	memset(payloads, 0, sizeof(*payloads));
}

/* ---- copying --------------------------------------------------------------------------------------------------- */

static char *block_at(const struct rt_run *run, uint32_t channel, uint64_t block)
{
	return run->payloads.memory + run->payloads.first[channel] + block * ((run->program->payloads[channel].bytes + LINE - 1) / LINE * LINE);
}

void rt_payload_copy(const struct rt_run *run, uint32_t channel, uint64_t number, const struct rt_access *access, bool sends)
{
	const struct rt_payload *payload = &run->program->payloads[channel];
	const struct rt_tensor *tensor = &run->tensors.rows[access->io->tensor];
	size_t bytes = (size_t)payload->columns * payload->size, stride = (size_t)tensor->columns * payload->size;
	char *block = block_at(run, channel, number), *row = tensor->data + access->start * (int64_t)payload->size;

	for (uint32_t r = 0; r < payload->rows; r++, block += bytes, row += stride)
		memcpy(sends ? block : row, sends ? row : block, bytes);
}
