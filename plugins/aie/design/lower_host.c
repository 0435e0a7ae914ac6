/* SPDX-License-Identifier: MIT */
/* lower_host.c - the runtime sequence: what the host's DMAs move, in the order that was found, and for what it waits. */
#include "aie/design/lower_own.h"
#include "ptowsp/ids.h"
#include "registry/common/common_grow.h"
#include "rt/program/dtype.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>

/* Buffer descriptors of a stream at its shim: as many as its channel takes tasks, in turn, so that one is written again only when its task has ended. */
struct descriptors {
	uint32_t first, next;
};
struct host {
	struct aie_lowering *lowering;
	uint32_t queue;                  /* tasks of a channel that are not waited for, which is also its descriptors */
	struct descriptors *descriptors; /* per stream */
	uint32_t *waited;                /* per stream: tasks of the graph that the host has waited for */
	uint32_t step;                   /* of the order, which is written */
	struct aie_op *op;
	struct aie_region *region;
	struct aie_value **tensors; /* per TENS row: its argument */
	struct aie_value *filler;
};

/* ---- arguments ---------------------------------------------------------------------------------------------------------- */

static void argument_add(struct host *host, uint32_t tensor, unsigned dtype, uint64_t elements)
{
	struct aie_lowering *lowering = host->lowering;
	const int64_t dims[1] = {(int64_t)elements};
	const struct aie_type *type = aie_type_memref(lowering->module, aie_lower_element(lowering, dtype), 1, dims);
	struct aie_value *value = aie_region_argument(lowering->module, host->op, host->region, type);

	lowering->lowered->arguments[lowering->lowered->argument_count++] = tensor;
	if (tensor == AIE_NOTHING)
		host->filler = value;
	else
		host->tensors[tensor] = value;
}

/* The largest stretch without meaning. */
static uint64_t filler_find(const struct aie_graph *graph)
{
	uint64_t most = 0;

	for (uint32_t j = 0; j < graph->job_count; j++) {
		uint64_t own = graph->jobs[j].area == AIE_NOTHING ? graph->jobs[j].bytes : 0;

		own = graph->jobs[j].fill > own ? graph->jobs[j].fill : own;
		most = own > most ? own : most;
	}
	return (most + 3) / 4 * 4;
}

/* The end of the last word that is moved of each tensor, in bytes; 0: none is. NULL: no memory. */
static uint64_t *ends_find(const struct aie_lower_args *args)
{
	uint64_t *ends = calloc((size_t)args->tensor_count + 1, sizeof(*ends));

	for (uint32_t j = 0; ends && j < args->graph->job_count; j++) {
		const struct aie_area *area = args->graph->jobs[j].area == AIE_NOTHING ? NULL : &args->acts->areas.rows[args->graph->jobs[j].area];
		const uint64_t end = area ? area->at + (area->rows - 1) * area->stride + aie_area_row_bytes(area) : 0;

		if (area && end > ends[area->tensor])
			ends[area->tensor] = end;
	}
	return ends;
}

/* All elements of each tensor that is moved; the last word may end behind them. */
static bool arguments_make(struct host *host)
{
	const struct aie_lower_args *args = host->lowering->args;
	struct aie_lowered *lowered = host->lowering->lowered;
	uint64_t *ends = ends_find(args);

	lowered->arguments = calloc((size_t)args->tensor_count + 2, sizeof(*lowered->arguments));
	if (!ends || !lowered->arguments) {
		free(ends);
		return false;
	}
	for (uint32_t t = 0; t < args->tensor_count; t++) {
		const uint64_t size = rt_dtype_bytes(args->tensors[t].dtype), whole = args->tensors[t].elements * size;

		if (ends[t])
			argument_add(host, t, args->tensors[t].dtype, (ends[t] > whole ? ends[t] : whole) / size);
	}
	lowered->filler_bytes = filler_find(args->graph);
	if (lowered->filler_bytes)
		argument_add(host, AIE_NOTHING, PTOWSP_I32, lowered->filler_bytes / 4);
	free(ends);
	return true;
}

/* ---- descriptors -------------------------------------------------------------------------------------------------------- */

/* Streams at one shim have a channel each, of at most four, so their descriptors do not meet. */
static void descriptors_share(struct host *host)
{
	const struct aie_graph *graph = host->lowering->args->graph;
	const struct aie_place *place = &host->lowering->args->places[graph->cell_count];
	uint32_t taken[AIE_COLUMNS_MAX] = {0};

	for (uint32_t s = 0; s < graph->stream_count; s++)
		if (aie_stream_hosted(graph, &graph->streams[s])) {
			host->descriptors[s].first = taken[place->column];
			taken[place->column] += host->queue;
			place++;
		}
}

static uint32_t descriptor_take(struct host *host, uint32_t stream)
{
	struct descriptors *own = &host->descriptors[stream];

	return own->first + own->next++ % host->queue;
}

/* The step of the order that the last operation of the sequence comes from. */
static void step_note(struct host *host)
{
	struct aie_lowered *lowered = host->lowering->lowered;

	if (!COMMON_GROW(lowered->steps, lowered->step_room, lowered->step_count))
		host->lowering->failed = PTOWSP_NO_MEMORY;
	else
		lowered->steps[lowered->step_count++] = host->step;
}

/* ---- steps -------------------------------------------------------------------------------------------------------------- */

static const struct aie_attr *numbers(struct aie_lowering *lowering, const int64_t *values)
{
	return aie_attr_ints(lowering->module, AIE_ATTR_INTS, aie_type_plain(lowering->module, AIE_TYPE_INT, 64), 4, values);
}

/* A task: sizes and strides in elements of the argument, outermost first. */
static void copy_make(struct host *host, uint32_t stream, struct aie_value *argument, int64_t at, const int64_t *sizes, const int64_t *strides, bool token)
{
	static const int64_t segments[4] = {1, 0, 0, 0};
	struct aie_lowering *lowering = host->lowering;
	struct aie_module *module = lowering->module;
	const int64_t offsets[4] = {0, 0, 0, at};
	struct aie_op *op = aie_op_add(module, host->op, host->region, "aiex.npu.dma_memcpy_nd");

	aie_op_operand(module, op, argument);
	aie_op_attr(module, op, "id", aie_attr_int(module, aie_type_plain(module, AIE_TYPE_INT, 64), descriptor_take(host, stream)));
	aie_op_attr(module, op, "issue_token", aie_attr_bool(module, token));
	aie_op_attr(module, op, "metadata", aie_attr_text(module, AIE_ATTR_SYMBOL, lowering->streams[stream]));
	aie_op_attr(module, op, "operandSegmentSizes", aie_attr_ints(module, AIE_ATTR_INTS, aie_type_plain(module, AIE_TYPE_INT, 32), 4, segments));
	aie_op_attr(module, op, "static_offsets", numbers(lowering, offsets));
	aie_op_attr(module, op, "static_sizes", numbers(lowering, sizes));
	aie_op_attr(module, op, "static_strides", numbers(lowering, strides));
	step_note(host);
}

static void filler_move(struct host *host, uint32_t stream, uint64_t bytes, bool token)
{
	const int64_t sizes[4] = {1, 1, 1, (int64_t)(bytes / 4)}, strides[4] = {0, 0, 0, 1};

	copy_make(host, stream, host->filler, 0, sizes, strides, token);
}

/* The areas of a task's jobs. */
static void area_move(struct host *host, const struct aie_job *job, const struct aie_area *area, bool token)
{
	struct aie_lowering *lowering = host->lowering;
	uint64_t size = rt_dtype_bytes(lowering->args->tensors[area->tensor].dtype), row = aie_area_run_bytes(area), rows = aie_area_bytes(area) / row;
	const int64_t sizes[4] = {job->turns, job->parts, (int64_t)rows, (int64_t)(row / size)};
	const int64_t strides[4] = {job->turns > 1 ? (int64_t)(job->turn / size) : 0, job->parts > 1 ? (int64_t)(job->step / size) : 0,
				    rows > 1 ? (int64_t)(area->stride / size) : 0, 1};

	if (row % 4 || area->at % 4 || (rows > 1 && area->stride % 4) || row % size || area->at % size || (rows > 1 && area->stride % size)) {
		lowering->failed =
			rt_fail(lowering->error, PTOWSP_UNSUPPORTED,
				"a channel or a layout has %llu bytes of a row of tensor %.40s from byte %llu on, and DMAs move words of 4 bytes; use --opt "
				"clock=reference",
				(unsigned long long)row, aie_tensor_name(&lowering->args->names, area->tensor), (unsigned long long)area->at);
		return;
	}
	copy_make(host, job->stream, host->tensors[area->tensor], (int64_t)(area->at / size), sizes, strides, token);
}

/* Behind its parts comes what the object lacks there. Tasks of a channel end in their order, so that the token of the last one says that all have; the device gives one for each
 * store whether it is asked for or not. */
static void task_make(struct host *host, uint32_t j)
{
	const struct aie_lower_args *args = host->lowering->args;
	const struct aie_job *job = &args->graph->jobs[j];
	const bool token = job->stores || !job->fill;

	if (job->area == AIE_NOTHING)
		filler_move(host, job->stream, job->bytes, token);
	else
		area_move(host, job, &args->acts->areas.rows[job->area], token);
	if (job->fill)
		filler_move(host, job->stream, job->fill, true);
}

static void token_wait(struct host *host, uint32_t stream)
{
	struct aie_lowering *lowering = host->lowering;
	struct aie_op *op = aie_op_add(lowering->module, host->op, host->region, "aiex.npu.dma_wait");

	aie_op_attr(lowering->module, op, "symbol", aie_attr_text(lowering->module, AIE_ATTR_SYMBOL, lowering->streams[stream]));
	step_note(host);
}

/* For the oldest task of the stream that nobody waited for: for all of its tokens. */
static void task_wait(struct host *host, uint32_t stream)
{
	const struct aie_graph *graph = host->lowering->args->graph;
	const struct aie_job *job = &graph->jobs[graph->own[graph->own_first[stream] + host->waited[stream]++]];

	token_wait(host, stream);
	if (job->stores && job->fill)
		token_wait(host, stream);
}

static void steps_make(struct host *host)
{
	const struct aie_order *order = host->lowering->args->order;

	for (host->step = 0; !host->lowering->failed && host->step < order->count; host->step++)
		if (order->steps[host->step].waits)
			task_wait(host, order->steps[host->step].number);
		else
			task_make(host, order->steps[host->step].number);
}

void aie_lower_host(struct aie_lowering *lowering)
{
	const struct aie_lower_args *args = lowering->args;
	const size_t streams = (size_t)args->graph->stream_count + 1;
	struct host host = {.lowering = lowering,
			    .queue = (uint32_t)aie_arch_tile(args->arch, 0)->limits[AIE_DMA_QUEUE],
			    .descriptors = calloc(streams, sizeof(*host.descriptors)),
			    .waited = calloc(streams, sizeof(*host.waited)),
			    .op = aie_op_add(lowering->module, lowering->device, lowering->body, "aie.runtime_sequence"),
			    .tensors = calloc((size_t)args->tensor_count + 1, sizeof(struct aie_value *))};

	host.region = aie_op_region(lowering->module, host.op);
	if (!host.region || !host.tensors || !host.descriptors || !host.waited || !arguments_make(&host))
		lowering->failed = PTOWSP_NO_MEMORY;
	aie_op_attr(lowering->module, host.op, "sym_name", aie_attr_text(lowering->module, AIE_ATTR_STRING, "sequence"));
	if (!lowering->failed && host.filler)
		aie_op_attr(lowering->module, host.op, "ptowsp.filler", aie_i32(lowering, host.filler->number));
	if (!lowering->failed) {
		descriptors_share(&host);
		steps_make(&host);
	}
	free(host.descriptors);
	free(host.waited);
	free(host.tensors);
}
