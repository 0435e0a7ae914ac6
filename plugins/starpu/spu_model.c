/* SPDX-License-Identifier: MIT */
#include "starpu/spu_model.h"

#include "base/error.h"
#include "starpu/spu_tokens.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* ---- the network --------------------------------------------------------------------------------------------------------- */

/* False: the line says nothing of a network. */
static bool line_take(struct spu_network *network, const char *line)
{
	char name, behind;
	double ns;

	if (sscanf(line, " %c %lf %c", &name, &ns, &behind) != 2 || !(ns >= 0 && ns <= 1e12))
		return false;
	switch (name) {
	case 'L': network->latency = (uint64_t)ns; return true;
	case 'o': network->overhead = (uint64_t)ns; return true;
	case 'g': network->gap = (uint64_t)ns; return true;
	case 'G': network->gap_byte = (uint64_t)(ns * 1000); return true;
	default: return false;
	}
}

static ptowsp_status network_read(struct spu_network *network, const char *path, struct ptowsp_error *error)
{
	FILE *file;
	struct stat there;
	char line[128];
	unsigned number = 0;
	ptowsp_status status = PTOWSP_OK;

	if (!stat(path, &there) && !S_ISREG(there.st_mode))
		return base_fail(error, PTOWSP_INVALID, "starpu: option network: %.100s is no regular file", path);
	file = fopen(path, "re");
	if (!file)
		return base_fail(error, PTOWSP_IO, "starpu: option network: %.100s cannot be read: %s", path, strerror(errno));
	while (!status && fgets(line, sizeof(line), file)) {
		number++;
		line[strcspn(line, "#\n")] = '\0';
		if (line[strspn(line, " \t")] && !line_take(network, line))
			status = base_fail(error, PTOWSP_INVALID,
					   "starpu: option network: %.100s, line %u: a line is L, o, g or G and nanoseconds, as in \"L 2500\"", path, number);
	}
	fclose(file);
	return status;
}

void spu_model_message(struct spu_model *model, uint64_t bytes, uint32_t from, uint32_t to, uint64_t *at)
{
	const struct spu_network *network = &model->network;
	const uint64_t apart = later(network->overhead, network->gap), rest = bytes ? (bytes - 1) * network->gap_byte / 1000 : 0;
	const uint64_t left = later(*at, model->leave[from]), came = later(left + network->overhead + rest + network->latency, model->enter[to]);

	model->leave[from] = left + apart + rest;
	model->enter[to] = came + apart;
	*at = came + network->overhead;
	model->messages++;
	model->bytes += bytes;
	model->gathered = later(model->gathered, *at);
}

/* ---- a run --------------------------------------------------------------------------------------------------------------- */

ptowsp_status spu_model_begin(struct spu_model *model, uint32_t count, uint64_t task_ns, const char *path, struct ptowsp_error *error)
{
	*model = (struct spu_model){.count = count, .task_ns = task_ns, .network = {2500, 1500, 1000, 6000}};
	if (!count)
		return PTOWSP_OK;
	model->free = calloc(count, sizeof(*model->free));
	model->busy = calloc(count, sizeof(*model->busy));
	model->leave = calloc(count, sizeof(*model->leave));
	model->enter = calloc(count, sizeof(*model->enter));
	if (!model->free || !model->busy || !model->leave || !model->enter)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for %u modelled ranks", count);
	return *path ? network_read(&model->network, path, error) : PTOWSP_OK;
}

void spu_model_finish(struct spu_model *model)
{
	free(model->free);
	free(model->busy);
	free(model->leave);
	free(model->enter);
	*model = (struct spu_model){.count = 0};
}

/* A batch being added: ends of its tasks, and of the longest chain up to each. */
struct adding {
	struct spu_model *model;
	const struct spu_model_batch *batch;
	struct spu_ranks ranks;
	struct spu_tokens tokens;
	struct spu_uses uses;
	uint64_t *ends, *chains;
	uint64_t chain; /* before the batch */
};

/* The task begins when its blocks have come, when those before it on its rank have ended, and when its rank is free. */
static void task_run(struct adding *adding, uint64_t number)
{
	struct spu_model *model = adding->model;
	const struct spu_orders *orders = adding->batch->orders;
	const struct base_walk_task *task = &orders->walk->tasks[number];
	const uint32_t rank = adding->ranks.of[number];
	const uint64_t ns = model->task_ns ? model->task_ns : adding->batch->task_ns[number];
	uint64_t begin = later(adding->ranks.came, model->free[rank]), chain = adding->chain;

	for (uint64_t o = orders->begins[number]; o < orders->begins[number + 1]; o++) {
		const uint32_t before = orders->list[o];

		begin = adding->ranks.of[before] == rank ? later(begin, adding->ends[before]) : begin;
	}
	for (uint32_t p = 0; p < task->pred_count; p++)
		chain = later(chain, adding->chains[orders->walk->preds[task->preds + p]]);
	adding->ends[number] = model->free[rank] = begin + ns;
	adding->chains[number] = chain + ns;
	model->busy[rank] += ns;
	model->work += ns;
	model->tasks++;
	model->ended = later(model->ended, begin + ns);
	model->chain = later(model->chain, chain + ns);
	for (uint32_t u = 0; u < adding->uses.count; u++)
		if (adding->uses.rows[u].access & PTOWSP_WRITE)
			adding->uses.rows[u].block->at = begin + ns;
}

static ptowsp_status task_add(struct adding *adding, uint64_t number, struct ptowsp_error *error)
{
	const struct base_walk *walk = adding->batch->orders->walk;
	ptowsp_status status = spu_uses_find(&adding->uses, adding->batch->blocks, walk, number, error);

	if (!status)
		status = spu_ranks_touch(&adding->ranks, adding->batch->blocks, &adding->uses, adding->ranks.of[number], error);
	if (!status)
		task_run(adding, number);
	return status;
}

static ptowsp_status event_add(struct adding *adding, const struct base_walk_event *event, struct ptowsp_error *error)
{
	const struct base_walk_move *move = NULL;
	ptowsp_status status = PTOWSP_OK;

	if (event->kind == RT_ITEM_SEND || event->kind == RT_ITEM_TAKE)
		status = spu_tokens_next(&adding->tokens, event, adding->batch->blocks, &move, error);
	return status || !move ? status : spu_tokens_move(&adding->tokens, move, adding->batch->blocks, &adding->ranks, error);
}

static ptowsp_status walk_add(struct adding *adding, struct ptowsp_error *error)
{
	const struct base_walk *walk = adding->batch->orders->walk;
	uint32_t event = 0;
	ptowsp_status status = PTOWSP_OK;

	for (uint64_t task = 0; !status && task <= walk->task_count; task++) {
		for (; !status && event < walk->event_count && walk->events[event].at <= task; event++)
			status = event_add(adding, &walk->events[event], error);
		if (!status && task < walk->task_count)
			status = task_add(adding, task, error);
	}
	return status;
}

/* Where data decide what follows, all ranks have waited for them. */
static ptowsp_status gather(struct adding *adding, struct ptowsp_error *error)
{
	struct spu_model *model = adding->model;
	const uint64_t messages = model->messages, bytes = model->bytes;
	const ptowsp_status status = spu_ranks_gather(&adding->ranks, adding->batch->blocks, adding->batch->kept, error);

	model->gathered = later(model->gathered, model->ended);
	if (adding->batch->kept) {
		model->result_messages += model->messages - messages;
		model->result_bytes += model->bytes - bytes;
		return status;
	}
	for (uint32_t r = 0; r < model->count; r++)
		model->free[r] = model->gathered;
	return status;
}

ptowsp_status spu_model_add(struct spu_model *model, const struct spu_model_batch *batch, struct ptowsp_error *error)
{
	const struct base_walk *walk = batch->orders->walk;
	struct adding adding = {.model = model, .batch = batch, .ranks = {.world = {PTOWSP_NONE, model->count, false}, .model = model}, .chain = model->chain};
	ptowsp_status status = spu_tokens_init(&adding.tokens, walk, batch->context, error);

	adding.ends = calloc(walk->task_count + 1, sizeof(*adding.ends));
	adding.chains = calloc(walk->task_count + 1, sizeof(*adding.chains));
	if (!status && (!adding.ends || !adding.chains))
		status = base_fail(error, PTOWSP_NO_MEMORY, "no memory for the modelled tasks");
	if (!status)
		status = spu_ranks_plan(&adding.ranks, batch->blocks, batch->orders, error);
	if (!status)
		status = walk_add(&adding, error);
	if (!status)
		status = gather(&adding, error);
	spu_tokens_finish(&adding.tokens);
	spu_ranks_finish(&adding.ranks);
	free(adding.uses.rows);
	free(adding.ends);
	free(adding.chains);
	return status;
}

/* ---- figures ------------------------------------------------------------------------------------------------------------- */

void spu_model_tell(const struct spu_model *model, struct ptowsp_figure *rows)
{
	uint64_t most = 0, used = 0;

	for (uint32_t r = 0; r < model->count; r++) {
		most = later(most, model->busy[r]);
		used += model->busy[r] != 0;
	}
	const struct {
		const char *name, *unit;
		uint64_t value;
	} columns[SPU_MODEL_FIGURES] = {
		{"messages", "", model->messages},
		{"messages of results", "", model->result_messages},
		{"moved", "bytes", model->bytes},
		{"results", "bytes", model->result_bytes},
		{"ranks with tasks", "", used},
		{"work", "ns", model->work},
		{"busiest rank", "ns", most},
		{"longest chain of tasks", "ns", model->chain},
		{"end of the last task", "ns", model->ended},
		{"end of the last message", "ns", model->gathered},
	};

	for (unsigned c = 0; c < SPU_MODEL_FIGURES; c++) {
		rows[c].value = columns[c].value;
		base_text(rows[c].group, sizeof(rows->group), "model of %u ranks", model->count);
		base_text(rows[c].name, sizeof(rows->name), "%s", columns[c].name);
		base_text(rows[c].unit, sizeof(rows->unit), "%s", columns[c].unit);
	}
}
