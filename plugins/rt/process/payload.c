/* SPDX-License-Identifier: MIT */
#include "registry/common/common_grow.h"
#include "rt/access/mirror.h"
#include "rt/process/process.h"
#include "rt/program/rt_error.h"
#include "rt/run/feed.h"
#include <stdlib.h>
#include <string.h>

/* ---- blocks under way -------------------------------------------------------------------------------------------- */

enum { LINE = 64 };
#define MOST (UINT64_C(1) << 32) /* bytes of all blocks where nobody states a limit: a capacity is a number that a package may write */

/* Bytes of a channel's blocks, each at a multiple of a line; false if nobody can have so many. */
static bool bytes_of(const struct rt_program *program, uint32_t channel, uint64_t *bytes_out)
{
	uint64_t capacity = rt_channel_capacity(program, channel);
	uint64_t blocks = capacity ? capacity : program->payloads[channel].takers;

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
	ptowsp_status status;

	if (run->quiet || !run->program->move_count || run->program->planned)
		return PTOWSP_OK;
	payloads->first = calloc((size_t)run->program->tables.channel.count + 1, sizeof(*payloads->first));
	if (!payloads->first)
		return rt_no_memory(run->error, "payload channels");
	status = places_find(run);
	if (!run->kernels) {
		rt_payloads_finish(payloads);
		return rt_run_needs(run, PTOWSP_FEATURE_CSP_PAYLOAD, status);
	}
	if (!status && payloads->bytes <= SIZE_MAX - LINE)
		payloads->memory = aligned_alloc(LINE, (size_t)payloads->bytes + LINE);
	return status || payloads->memory ? status : rt_no_memory(run->error, "the blocks of payload channels");
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

	for (uint32_t r = 0; r < payload->rows; r++, block += bytes, row += stride) {
		if (sends)
			rt_mirror_fetch(run->program->kernels.mirror, row, bytes);
		memcpy(sends ? block : row, sends ? row : block, bytes);
		if (!sends)
			rt_mirror_push(run->program->kernels.mirror, row, bytes);
	}
}

/* ---- the region of a send or consume ----------------------------------------------------------------------------- */

const struct rt_move *rt_move_of(const struct rt_program *program, uint32_t instruction)
{
	return program->code[instruction].count ? &program->moves[program->code[instruction + 1].row] : NULL;
}

/* ---- where ----------------------------------------------------------------------------------------------------- */

static ptowsp_status failed(struct rt_pipeline *pipeline, const struct rt_instance *instance, const struct rt_move *move, const char *what)
{
	struct rt_run *run = pipeline->run;

	return rt_fail_at(run->error, PTOWSP_RUN_FAILED, run->tasks, UINT64_MAX, "process %.40s, channel %.40s: the region in tensor %.40s %s",
			  rt_process_name(run->program, instance->process), rt_channel_name(run->program, move->channel),
			  rt_tensor_name(run->program, run->program->ios[move->io].tensor), what);
}

static ptowsp_status outside(struct rt_pipeline *pipeline, const struct rt_instance *instance, const struct rt_move *move, int64_t row, int64_t column)
{
	struct rt_run *run = pipeline->run;
	const struct rt_io *io = &run->program->ios[move->io];
	const struct rt_tensor *tensor = &run->tensors.rows[io->tensor];

	return rt_fail_at(run->error, PTOWSP_RUN_FAILED, run->tasks, UINT64_MAX,
			  "process %.40s, channel %.40s: %u x %u elements at %lld, %lld are outside tensor %.40s, which is %lld x %lld",
			  rt_process_name(run->program, instance->process), rt_channel_name(run->program, move->channel), io->rows, io->columns, (long long)row,
			  (long long)column, rt_tensor_name(run->program, io->tensor), (long long)tensor->rows, (long long)tensor->columns);
}

static bool fits(int64_t at, uint32_t size, int64_t extent)
{
	return at >= 0 && at <= extent - (int64_t)size;
}

static ptowsp_status resolve(struct rt_pipeline *pipeline, const struct rt_instance *instance, const struct rt_move *move, struct rt_access *access)
{
	static const struct rt_footprint nothing = {0};
	struct rt_run *run = pipeline->run;
	const struct rt_io *io = &run->program->ios[move->io];
	const struct rt_tensor *tensor = &run->tensors.rows[io->tensor];
	int64_t row = rt_value(&run->env, io->row), column = rt_value(&run->env, io->column);

	if (run->env.failed)
		return failed(pipeline, instance, move, "divides by zero");
	if (run->bodies && !tensor->bound)
		return failed(pipeline, instance, move, "is bound to no memory");
	if (io->checked && !(fits(row, io->rows, tensor->rows) && fits(column, io->columns, tensor->columns)))
		return outside(pipeline, instance, move, row, column);
	return rt_access_resolve(access, run->program, &run->tensors, &run->env, io, 0, &nothing, 0, PTOWSP_NONE, run->error);
}

ptowsp_status rt_move_resolve(struct rt_pipeline *pipeline, const struct rt_instance *instance, const struct rt_move *move, struct rt_access *access)
{
	const struct rt_expand *expand = &pipeline->run->expand;
	ptowsp_status status = resolve(pipeline, instance, move, access);

	if (!status)
		return PTOWSP_OK;
	return rt_error_place(&pipeline->run->program->tables,
			      instance->standing == RT_SENDING ? rt_instance_instruction(pipeline, pipeline->turn) : expand->frames[expand->depth - 1].at,
			      status, pipeline->run->error);
}

/* ---- when ------------------------------------------------------------------------------------------------------ */

/* A region may be millions of pieces, so deadline and cancel are looked at between them. */
struct looking {
	struct rt_pipeline *pipeline;
	struct rt_history_row trail;
	uint64_t
		*writers; /* of what is sent, or all that touch where something arrives, for an engine: it may have ended those and not all tasks before them */
	uint32_t writer_count, writer_room;
	bool writes, listed, arrives;
	uint32_t pieces;
	ptowsp_status status;
};
#define LOOK_EVERY 1024u

static bool go_on(struct looking *looking)
{
	if (!looking->status && ++looking->pieces % LOOK_EVERY == 0)
		looking->status = rt_look(looking->pipeline->run);
	return !looking->status;
}

/* Neighbours mostly have the same few. */
enum { LATEST = 8 };

static void writer_add(void *context, uint64_t writer)
{
	struct looking *looking = context;

	for (uint32_t i = looking->writer_count; i-- && looking->writer_count - i <= LATEST;)
		if (looking->writers[i] == writer - 1)
			return;
	if (!COMMON_GROW(looking->writers, looking->writer_room, looking->writer_count))
		looking->status = rt_no_memory(looking->pipeline->run->error, "what payload channels follow");
	else
		looking->writers[looking->writer_count++] = writer - 1;
}

static bool piece_join(void *context, uint32_t tensor, int64_t first, int64_t last)
{
	struct looking *looking = context;

	if (looking->listed && looking->arrives)
		looking->listed = rt_history_touchers(&looking->pipeline->trails, tensor, first, last, looking->pipeline->turn, writer_add, looking);
	else if (looking->listed)
		rt_history_writers(&looking->pipeline->trails, tensor, first, last, writer_add, looking);
	rt_history_join(&looking->pipeline->trails, tensor, first, last, &looking->trail);
	return go_on(looking);
}

/* The tasks by name, or, if those are too many, all before a number. */
static ptowsp_status feed_put(const struct looking *looking, uint64_t tasks)
{
	uint32_t count = looking->listed ? looking->writer_count : 0;

	return rt_feed_put_follow(looking->pipeline->run->lag.feed, looking->listed && !count ? 0 : tasks, looking->writers, count);
}

ptowsp_status rt_move_follow(struct rt_pipeline *pipeline, const struct rt_access *access)
{
	struct rt_run *run = pipeline->run;
	bool arrives = access->io->access & PTOWSP_WRITE;
	struct looking looking = {.pipeline = pipeline, .arrives = arrives, .listed = run->lag.feed && (!arrives || pipeline->trails.named)};
	uint64_t end, tasks;

	rt_access_visit(access, &run->tensors, access->io->access, piece_join, &looking);
	tasks = arrives ? looking.trail.touched : looking.trail.wrote;
	end = arrives ? looking.trail.touched_end : looking.trail.wrote_end;
	if (!looking.status && run->lag.feed && feed_put(&looking, tasks))
		looking.status = rt_no_memory(run->error, "items");
	free(looking.writers);
	if (looking.status)
		return looking.status;
	if (end > run->clock.now)
		run->clock.now = end;
	return run->kernels ? rt_wait_tasks(run, tasks) : PTOWSP_OK;
}

/* ---- tasks ----------------------------------------------------------------------------------------------------- */

static bool piece_enter(void *context, uint32_t tensor, int64_t first, int64_t last)
{
	struct looking *looking = context;
	struct rt_run *run = looking->pipeline->run;

	if (!rt_history_enter(&looking->pipeline->trails, tensor, first, last, run->tasks, run->clock.now, looking->writes))
		looking->status = rt_no_memory(run->error, "what payload channels follow");
	return go_on(looking);
}

/* So many of the first tasks are over on every thread. */
static uint64_t over(const struct rt_run *run)
{
	return run->kernels && run->crew.sharing ? run->crew.ring.frontier : run->tasks;
}

ptowsp_status rt_move_task(struct rt_pipeline *pipeline, const struct rt_site *site)
{
	struct looking looking = {.pipeline = pipeline};
	struct rt_run *run = pipeline->run;
	const struct rt_access *accesses = rt_run_accesses(run);

	for (uint32_t i = 0; !looking.status && i < site->io_count; i++) {
		const struct rt_io *io = accesses[i].io;
		unsigned moved = run->program->traits[io->tensor].moved;

		for (unsigned bit = PTOWSP_READ; bit <= PTOWSP_WRITE; bit <<= 1) {
			looking.writes = bit == PTOWSP_WRITE;
			if (io->access & bit && moved & (looking.writes ? PTOWSP_READ | PTOWSP_WRITE : PTOWSP_WRITE))
				rt_access_visit(&accesses[i], &run->tensors, bit, piece_enter, &looking);
		}
	}
	if (rt_history_full(&pipeline->trails))
		rt_history_forget(&pipeline->trails, over(run), rt_clocks_least(&pipeline->clocks));
	return looking.status;
}
