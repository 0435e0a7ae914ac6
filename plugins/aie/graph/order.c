/* SPDX-License-Identifier: MIT */
#include "aie/graph/order.h"

#include "registry/common/common_grow.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>

struct stream_state {
	uint32_t first, count; /* tasks of the host, places in graph.own */
	uint32_t begun, over;  /* of them, in their order */
	uint32_t waited;
	uint32_t most;       /* tasks that may be begun and not waited for */
	uint32_t open, made; /* objects that its cell holds, that it has released */
	uint32_t moved;      /* that all ends have got */
};
struct runner {
	struct aie_order *order;
	const struct aie_graph *graph;
	const struct aie_depths *depths;
	struct stream_state *streams;
	uint32_t *place;       /* per job that a task begins with: in graph.own */
	uint32_t *at;          /* per cell: line */
	uint32_t *held, *left; /* per end: objects acquired, released */
	struct aie_order_bound bound;
	bool failed;
	struct base_patience *patience;
};

/* ---- objects ------------------------------------------------------------------------------------------------------------ */

static uint32_t job_of(const struct runner *runner, const struct stream_state *state, uint32_t n)
{
	return runner->graph->own[state->first + n];
}

/* Objects that the host has put on the way, all tasks of them, or has made room for. */
static uint32_t host_objects(const struct runner *runner, uint32_t s)
{
	const struct stream_state *state = &runner->streams[s];

	return state->begun == state->count ? runner->graph->streams[s].objects : runner->graph->jobs[job_of(runner, state, state->begun)].object;
}

/* Objects that all members of a stream's group have moved. */
static uint32_t members_moved(const struct runner *runner, uint32_t s)
{
	const struct aie_group *group = &runner->graph->groups[runner->graph->streams[s].group];
	uint32_t least = UINT32_MAX;

	for (uint32_t m = group->members; m < group->members + group->count; m++) {
		uint32_t moved = runner->streams[runner->graph->members[m]].moved;

		least = moved < least ? moved : least;
	}
	return least;
}

static uint32_t whole_moved(const struct runner *runner, uint32_t s)
{
	return runner->streams[runner->graph->groups[runner->graph->streams[s].group].whole].moved;
}

/* Objects that went on from a stream's end. In a memory tile a place is free again when all parts of its object went on; in fact each part's is when that one did, so
 * what never stands still here does not there. */
static uint32_t gone_on(const struct runner *runner, uint32_t s, uint32_t e)
{
	if (runner->graph->ends[e] != AIE_LINKED)
		return runner->left[e];
	return runner->graph->streams[s].whole ? members_moved(runner, s) : whole_moved(runner, s);
}

static bool ends_have_room(const struct runner *runner, uint32_t s)
{
	const struct aie_stream *stream = &runner->graph->streams[s];

	for (uint32_t e = stream->to; e < stream->to + stream->to_count; e++)
		if (runner->graph->ends[e] == AIE_HOST ? runner->streams[s].moved >= host_objects(runner, s)
						       : runner->streams[s].moved - gone_on(runner, s, e) >= runner->depths[s].to)
			return false;
	return true;
}

/* Objects that a stream's source has had, all parts of them. */
static uint32_t source_objects(const struct runner *runner, uint32_t s)
{
	const struct aie_stream *stream = &runner->graph->streams[s];

	if (stream->from == AIE_HOST)
		return host_objects(runner, s);
	if (stream->from != AIE_LINKED)
		return runner->streams[s].made;
	return stream->whole ? members_moved(runner, s) : whole_moved(runner, s);
}

/* Tasks of the host are over when their part of an object has gone, which it does as soon as the others have room for the object, or have it, whether or not the host has
 * begun the tasks of its other parts. */
static bool tasks_end(struct runner *runner, uint32_t s)
{
	struct stream_state *state = &runner->streams[s];
	uint32_t before = state->over, until = state->moved;

	if (state->over == state->begun)
		return false;
	until += runner->graph->streams[s].from == AIE_HOST ? ends_have_room(runner, s) : source_objects(runner, s) > state->moved;
	while (state->over < state->begun && runner->graph->jobs[job_of(runner, state, state->over)].last_object < until)
		state->over++;
	return state->over > before;
}

/* The next object goes from its source to all ends. */
static bool object_move(struct runner *runner, uint32_t s)
{
	struct stream_state *state = &runner->streams[s];

	if (state->moved >= source_objects(runner, s) || (!runner->depths[s].joint && !ends_have_room(runner, s)))
		return false;
	state->moved++;
	return true;
}

static uint32_t end_of(const struct runner *runner, uint32_t s, uint32_t cell)
{
	uint32_t e = runner->graph->streams[s].to;

	while (runner->graph->ends[e] != cell)
		e++;
	return e;
}

/* ---- cells -------------------------------------------------------------------------------------------------------------- */

/* Objects of the source that have not left it: where both sides have the same ones, that the end has not given back. */
static uint32_t objects_out(const struct runner *runner, uint32_t s)
{
	const struct stream_state *state = &runner->streams[s];

	return state->made + state->open - (runner->depths[s].joint ? runner->left[runner->graph->streams[s].to] : state->moved);
}

static bool line_do(struct runner *runner, uint32_t cell, const struct aie_line *line)
{
	struct stream_state *state = &runner->streams[line->stream];
	uint32_t e = line->kind == AIE_LINE_COPY || line->kind == AIE_LINE_CALL || line->produces ? 0 : end_of(runner, line->stream, cell);

	if (line->kind == AIE_LINE_ACQUIRE && line->produces) {
		if (objects_out(runner, line->stream) >= runner->depths[line->stream].from)
			return false;
		state->open++;
	} else if (line->kind == AIE_LINE_ACQUIRE) {
		if (runner->held[e] >= state->moved)
			return false;
		runner->held[e]++;
	} else if (line->kind == AIE_LINE_RELEASE && line->produces) {
		state->open--;
		state->made++;
	} else if (line->kind == AIE_LINE_RELEASE) {
		runner->left[e]++;
	}
	return true;
}

static bool cell_go(struct runner *runner, uint32_t cell)
{
	const struct aie_lines *program = &runner->graph->cells[cell];
	uint32_t before = runner->at[cell];

	while (runner->at[cell] < program->count && line_do(runner, cell, &program->lines[runner->at[cell]]))
		runner->at[cell]++;
	return runner->at[cell] > before;
}

/* ---- the host ----------------------------------------------------------------------------------------------------------- */

static void step_add(struct runner *runner, bool waits, uint32_t number, uint32_t task)
{
	struct aie_order *order = runner->order;

	if (!COMMON_GROW(order->steps, order->room, order->count))
		runner->failed = true;
	else
		order->steps[order->count++] = (struct aie_order_step){waits, number, task};
}

/* Tasks of a job's stream up to the one that moves it. */
static uint32_t tasks_to(const struct runner *runner, uint32_t job)
{
	return runner->place[runner->graph->jobs[job].with] - runner->streams[runner->graph->jobs[job].stream].first + 1;
}

static bool is_over(const struct runner *runner, uint32_t job)
{
	return tasks_to(runner, job) <= runner->streams[runner->graph->jobs[job].stream].over;
}

/* Have all tasks of the bound's line that the job's task waits for ended? */
static bool bound_met(struct runner *runner, const struct aie_bound *bound)
{
	uint32_t *ended = &runner->bound.ended[bound->line];

	while (*ended < bound->count && is_over(runner, aie_order_bound_end(&runner->bound, bound->line, *ended)))
		++*ended;
	return *ended >= bound->count;
}

static bool bounds_met(struct runner *runner, uint32_t job)
{
	const struct aie_bounds *bounds = runner->bound.bounds;
	uint32_t task = aie_order_bound_task(&runner->bound, job);

	if (task == AIE_NOTHING)
		return true;
	if (bounds->ordered && !aie_order_bound_next(&runner->bound, task))
		return false;
	for (uint32_t r = bounds->first[task]; r < bounds->first[task + 1]; r++)
		if (!bound_met(runner, &bounds->rows[r]))
			return false;
	return true;
}

static bool can_begin(struct runner *runner, const struct stream_state *state, uint32_t number)
{
	const struct aie_job *job;

	if (state->begun - state->over >= state->most)
		return false;
	for (; number != AIE_NOTHING; number = job->next) {
		job = &runner->graph->jobs[number];
		if (!bounds_met(runner, number))
			return false;
		for (uint32_t d = 0; d < job->dep_count; d++)
			if (!is_over(runner, runner->graph->deps[job->deps + d]))
				return false;
	}
	return true;
}

/* task: as in a step. */
static void wait_until(struct runner *runner, uint32_t stream, uint32_t over, uint32_t task)
{
	for (; runner->streams[stream].waited < over; runner->streams[stream].waited++)
		step_add(runner, true, stream, task);
}

static void wait_job(struct runner *runner, uint32_t job, uint32_t task)
{
	uint32_t stream = runner->graph->jobs[job].stream;

	wait_until(runner, stream, tasks_to(runner, job), task);
}

/* The host waits for the ends of those tasks that it has not seen end. */
static void wait_bounds(struct runner *runner, uint32_t job)
{
	const struct aie_bounds *bounds = runner->bound.bounds;
	uint32_t task = aie_order_bound_task(&runner->bound, job);

	for (uint32_t r = task == AIE_NOTHING ? 0 : bounds->first[task]; task != AIE_NOTHING && r < bounds->first[task + 1]; r++) {
		const struct aie_bound *bound = &bounds->rows[r];

		for (uint32_t *seen = &runner->bound.seen[bound->line]; *seen < bound->count; ++*seen)
			wait_job(runner, aie_order_bound_end(&runner->bound, bound->line, *seen), bound->window ? task : AIE_NOTHING);
	}
	aie_order_bound_begun(&runner->bound, job);
}

/* A task's needs are over when it begins; the host, which does not see that, waits for them. */
static void begin(struct runner *runner, uint32_t number)
{
	const struct aie_job *jobs = runner->graph->jobs;
	struct stream_state *state = &runner->streams[jobs[number].stream];

	for (uint32_t j = number; j != AIE_NOTHING; j = jobs[j].next)
		for (uint32_t d = 0; d < jobs[j].dep_count; d++)
			wait_job(runner, runner->graph->deps[jobs[j].deps + d], AIE_NOTHING);
	if (state->begun >= state->most)
		wait_until(runner, jobs[number].stream, state->begun - state->most + 1, AIE_NOTHING);
	for (uint32_t j = number; j != AIE_NOTHING; j = jobs[j].next)
		wait_bounds(runner, j);
	step_add(runner, false, number, AIE_NOTHING);
	state->begun++;
}

static bool bounds_seen(const struct runner *runner, uint32_t job)
{
	const struct aie_bounds *bounds = runner->bound.bounds;
	const uint32_t task = aie_order_bound_task(&runner->bound, job);

	for (uint32_t r = task == AIE_NOTHING ? 0 : bounds->first[task]; task != AIE_NOTHING && r < bounds->first[task + 1]; r++)
		if (runner->bound.seen[bounds->rows[r].line] < bounds->rows[r].count)
			return false;
	return true;
}

/* The host has seen the ends of all that it needs: begin would wait for nothing. */
static bool is_free(const struct runner *runner, const struct stream_state *state, uint32_t number)
{
	const struct aie_job *job;

	if (state->begun >= state->waited + state->most)
		return false;
	for (; number != AIE_NOTHING; number = job->next) {
		job = &runner->graph->jobs[number];
		if (!bounds_seen(runner, number))
			return false;
		for (uint32_t d = 0; d < job->dep_count; d++) {
			const uint32_t dep = runner->graph->deps[job->deps + d];

			if (tasks_to(runner, dep) > runner->streams[runner->graph->jobs[dep].stream].waited)
				return false;
		}
	}
	return true;
}

/* The first in order of all that can begin at once; where the host has to wait for each, the first of all: what comes behind a wait is held up by it, though nothing of it may need that. */
static bool host_go(struct runner *runner)
{
	uint32_t best = AIE_NOTHING, free_best = AIE_NOTHING;

	for (uint32_t s = 0; s < runner->graph->stream_count; s++) {
		const struct stream_state *state = &runner->streams[s];
		uint32_t job = state->begun < state->count ? job_of(runner, state, state->begun) : AIE_NOTHING;

		if (job >= best && job >= free_best)
			continue;
		if (!can_begin(runner, state, job))
			continue;
		best = job < best ? job : best;
		if (job < free_best && is_free(runner, state, job))
			free_best = job;
	}
	best = free_best == AIE_NOTHING ? best : free_best;
	if (best != AIE_NOTHING)
		begin(runner, best);
	return best != AIE_NOTHING;
}

/* ---- all ---------------------------------------------------------------------------------------------------------------- */

static bool stands(const struct runner *runner, uint32_t cell)
{
	return cell < runner->graph->cell_count && runner->at[cell] < runner->graph->cells[cell].count;
}

static const struct aie_line *line_of(const struct runner *runner, uint32_t cell)
{
	return &runner->graph->cells[cell].lines[runner->at[cell]];
}

/* The cell that one that stands still waits for; AIE_NOTHING: none that does so, too. */
static uint32_t waited_for(const struct runner *runner, uint32_t cell)
{
	const struct aie_line *line = line_of(runner, cell);
	const struct aie_stream *stream = &runner->graph->streams[line->stream];

	if (!line->produces)
		return stands(runner, stream->from) ? stream->from : AIE_NOTHING;
	for (uint32_t e = stream->to; e < stream->to + stream->to_count; e++)
		if (stands(runner, runner->graph->ends[e]) && runner->streams[line->stream].made + 1 > runner->left[e])
			return runner->graph->ends[e];
	return AIE_NOTHING;
}

/* From a cell as many steps as there are cells: then it is in a ring, if it leads into one. */
static void ring_find(const struct runner *runner, uint32_t cell)
{
	struct aie_order *order = runner->order;
	uint32_t first;

	for (uint32_t i = 0; i < runner->graph->cell_count && cell != AIE_NOTHING; i++)
		cell = waited_for(runner, cell);
	first = cell;
	while (cell != AIE_NOTHING && order->ring_count < AIE_ORDER_RING && (!order->ring_count || cell != first)) {
		order->ring[order->ring_count++] = (struct aie_order_wait){cell, line_of(runner, cell)->stream, line_of(runner, cell)->produces};
		cell = waited_for(runner, cell);
	}
}

static ptowsp_status stuck(const struct runner *runner, struct ptowsp_error *error)
{
	for (uint32_t c = 0; c < runner->graph->cell_count && !runner->order->ring_count; c++)
		if (stands(runner, c)) {
			runner->order->stuck = true;
			ring_find(runner, c);
		}
	for (uint32_t c = 0; c < runner->graph->cell_count; c++)
		if (runner->at[c] < runner->graph->cells[c].count) {
			const struct aie_line *line = &runner->graph->cells[c].lines[runner->at[c]];

			return rt_fail(error, PTOWSP_UNSUPPORTED,
				       "cell %u stands still at line %u, where it %s an object of stream %u: what others do first waits for it; use fewer "
				       "cores (--opt grid)",
				       c, runner->at[c], line->produces ? "makes" : "takes", line->stream);
		}
	for (uint32_t s = 0; s < runner->graph->stream_count; s++)
		if (runner->streams[s].over < runner->streams[s].count)
			return rt_fail(error, PTOWSP_UNSUPPORTED, "stream %u stands still at object %u, which no cell takes or makes", s,
				       runner->streams[s].moved);
	return PTOWSP_OK;
}

/* A task with filler behind it is two that the channel's queue and the tile's descriptors have. */
static uint32_t most_of(const struct runner *runner, const struct stream_state *state, uint32_t queue)
{
	for (uint32_t n = 0; n < state->count; n++)
		if (runner->graph->jobs[job_of(runner, state, n)].fill)
			return queue > 1 ? queue / 2 : 1;
	return queue;
}

static bool begin_all(struct runner *runner, uint32_t queue)
{
	const struct aie_graph *graph = runner->graph;

	runner->streams = calloc((size_t)graph->stream_count + 1, sizeof(*runner->streams));
	runner->place = calloc((size_t)graph->job_count + 1, sizeof(*runner->place));
	runner->at = calloc((size_t)graph->cell_count + 1, sizeof(*runner->at));
	runner->held = calloc((size_t)graph->end_count + 1, sizeof(*runner->held));
	runner->left = calloc((size_t)graph->end_count + 1, sizeof(*runner->left));
	if (!runner->streams || !runner->place || !runner->at || !runner->held || !runner->left)
		return false;
	for (uint32_t s = 0; s < graph->stream_count; s++) {
		runner->streams[s].first = graph->own_first[s];
		runner->streams[s].count = graph->own_first[s + 1] - graph->own_first[s];
		runner->streams[s].most = most_of(runner, &runner->streams[s], queue);
		for (uint32_t k = graph->own_first[s]; k < graph->own_first[s + 1]; k++)
			runner->place[graph->own[k]] = k;
	}
	return true;
}

static void run(struct runner *runner)
{
	bool going = true;

	while (going && !runner->failed) {
		runner->failed = base_patience_over(runner->patience, runner->graph->stream_count);
		going = false;
		for (uint32_t c = 0; c < runner->graph->cell_count; c++)
			going |= cell_go(runner, c);
		for (uint32_t s = 0; s < runner->graph->stream_count; s++)
			while (object_move(runner, s) || tasks_end(runner, s))
				going = true;
		going |= !going && host_go(runner);
	}
	for (uint32_t s = 0; s < runner->graph->stream_count; s++)
		if (runner->graph->ends[runner->graph->streams[s].to] == AIE_HOST)
			wait_until(runner, s, runner->streams[s].count, AIE_NOTHING);
}

ptowsp_status aie_order_make(struct aie_order *order, const struct aie_order_args *args, struct ptowsp_error *error)
{
	struct runner runner = {.order = order, .graph = args->graph, .depths = args->depths, .patience = args->acts->patience};
	ptowsp_status status = PTOWSP_OK;

	aie_order_finish(order);
	if (begin_all(&runner, args->queue) && aie_order_bound_make(&runner.bound, args))
		run(&runner);
	else
		runner.failed = true;
	if (runner.failed)
		status = rt_no_memory(error, "the host's order");
	else
		status = stuck(&runner, error);
	aie_order_bound_finish(&runner.bound);
	free(runner.streams);
	free(runner.place);
	free(runner.at);
	free(runner.held);
	free(runner.left);
	return status;
}

void aie_order_finish(struct aie_order *order)
{
	free(order->steps);
	memset(order, 0, sizeof(*order));
}
