/* SPDX-License-Identifier: MIT */
#include "rt/generate.h"

#include <stdlib.h>
#include <string.h>
#include "rt/error.h"

/* ---- failures ----------------------------------------------------------------------------------------------------- */

void rt_generate_fail(struct rt_generate *g, uint64_t task, ptowsp_status st, const struct ptowsp_error *error)
{
	if (g->failed <= task && g->status)
		return;
	g->failed = task;
	g->status = st;
	g->error = *error;
	g->changes++;
}

/* ---- who waits for whom ------------------------------------------------------------------------------------------- */

static uint64_t everybody(const struct rt_generate *g)
{
	return g->count == 64 ? UINT64_MAX : (UINT64_C(1) << g->count) - 1;
}

/* Instances that may have tasks of an instruction: known where the policy leaves no choice. */
static uint64_t owners_of(const struct rt_generate *g, const struct rt_site *site, bool filtered)
{
	const struct rt_dispatch *dispatch = &g->run->program->schedule.dispatch;
	bool fixed = false;

	switch (dispatch->policy) {
	case PTOWSP_DISPATCH_AFFINITY: fixed = site->affinity < 0; break;
	case PTOWSP_DISPATCH_HASH:
	case PTOWSP_DISPATCH_CUSTOM: fixed = !g->run->program->exprs.rows[site->dispatch].read_count && g->run->forms[site->dispatch].terms == 0; break;
	}
	return fixed && !filtered ? UINT64_C(1) << rt_owner_find(&g->schedulers[0].skip.owner, site, 0) : everybody(g);
}

static bool has_filter(const struct rt_program *program)
{
	for (uint32_t i = 0; i < program->tables.work.code_count; i++)
		if (program->code[i].op == PTOWSP_OP_DISPATCH_FILTER)
			return true;
	return false;
}

static void sets_find(struct rt_generate *g)
{
	const struct rt_program *program = g->run->program;
	bool filtered = has_filter(program);

	for (uint32_t k = 0; k < program->site_count; k++) {
		const struct rt_site *site = &program->sites[k];
		uint64_t owners = owners_of(g, site, filtered);

		for (uint32_t i = 0; i < site->io_count; i++) {
			const struct rt_io *io = &program->ios[site->first_io + i];

			g->readers[io->tensor] |= io->access & PTOWSP_READ ? owners : 0;
			g->writers[io->tensor] |= io->access & PTOWSP_WRITE ? owners : 0;
		}
	}
}

/* The smallest number whose task has not ended, or was not issued. */
static uint64_t frontier(const struct rt_generate *g)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t p = 0; p < g->count; p++) {
		const struct rt_scheduler *s = &g->schedulers[p];
		uint64_t first = s->ended < s->issued ? s->ring[s->ended & s->mask]->number : s->passed;

		least = first < least ? first : least;
	}
	return least;
}

static bool passed_by(const struct rt_generate *g, uint64_t instances, uint32_t me, uint64_t number)
{
	for (uint32_t p = 0; p < g->count; p++)
		if (p != me && instances >> p & 1 && g->schedulers[p].passed <= number)
			return false;
	return true;
}

static bool tensors_free(const struct rt_generate *g, const struct rt_scheduler *s, const struct rt_site *site)
{
	uint64_t instances = 0;

	for (uint32_t i = 0; i < site->io_count; i++) {
		const struct rt_io *io = &g->run->program->ios[site->first_io + i];

		instances |= io->access & PTOWSP_READ ? g->writers[io->tensor] : 0;
		instances |= io->access & PTOWSP_WRITE ? g->readers[io->tensor] | g->writers[io->tensor] : 0;
	}
	return passed_by(g, instances, s->me, s->skip.task);
}

static bool may_issue(const struct rt_generate *g, const struct rt_scheduler *s)
{
	uint64_t number = s->skip.task, first;

	if (number >= g->failed || (!g->safe && g->run->window && s->issued - s->gone >= g->run->window))
		return false;
	if (!tensors_free(g, s, &g->run->program->sites[s->run->expand.site]))
		return false;
	first = s->order || g->window ? frontier(g) : 0;
	/* Marks are kept for W * N numbers, and accounting may be behind. */
	return (g->safe || first >= s->order) && (!g->window || number < g->window ||
						   (first > number - g->window && (g->run->tasks > number - g->window || g->over)));
}

/* ---- issuing ------------------------------------------------------------------------------------------------------ */

static bool marks_grow(struct rt_generate *g, uint64_t number)
{
	uint64_t mask = g->mask;
	struct rt_mark *marks;
	uint64_t *numbers;

	if (g->window || number <= g->mask)
		return true;
	while (mask < number)
		mask = 2 * mask + 1;
	marks = realloc(g->marks, (mask + 1) * sizeof(*marks));
	g->marks = marks ? marks : g->marks;
	numbers = realloc(g->numbers, (mask + 1) * sizeof(*numbers));
	g->numbers = numbers ? numbers : g->numbers;
	if (!marks || !numbers)
		return false;
	memset(marks + g->mask + 1, 0, (mask - g->mask) * sizeof(*marks));
	g->mask = mask;
	return true;
}

/* Edges that the program states; numbers, not places in the map. */
static ptowsp_status stated_add(struct rt_generate *g, struct rt_scheduler *s, const struct rt_site *site, uint64_t *preds, uint32_t *count)
{
	struct rt_run *run = s->run;
	struct rt_preds *list = &run->preds;
	ptowsp_status st;

	rt_preds_next(list, s->skip.task, g->window);
	st = rt_after_enter(run, site);
	for (uint32_t i = 0; !st && i < list->count; i++) {
		bool there = false;

		for (uint32_t k = 0; k < *count; k++)
			there |= preds[k] == list->list[i];
		if (!there)
			preds[(*count)++] = list->list[i];
	}
	return st;
}

/* Who comes before the task: what the map says, as numbers of tasks that are still remembered. *preds_out is freed by the caller. */
static ptowsp_status preds_find(struct rt_generate *g, struct rt_scheduler *s, const struct rt_site *site, uint64_t **preds_out, uint32_t *count_out,
				struct rt_need *need)
{
	struct rt_run *map = g->map, *run = s->run;
	struct rt_access *own = map->accesses;
	struct rt_site plain = *site;
	uint64_t number = s->skip.task, *preds;
	ptowsp_status st;

	plain.after_count = 0;
	map->accesses = run->accesses;
	map->plan = NULL;
	map->kernel = run->kernel;
	g->numbers[map->tasks & g->mask] = number;
	st = rt_infer(map, &plain, need);
	map->accesses = own;
	preds = st ? NULL : malloc(((size_t)map->preds.count + site->after_count + 1) * sizeof(*preds));
	*preds_out = preds;
	*count_out = 0;
	if (!preds)
		return st ? st : PTOWSP_NO_MEMORY;
	for (uint32_t i = 0; i < map->preds.count; i++) {
		uint64_t pred = g->numbers[map->preds.list[i] & g->mask];

		if (!g->window || number < g->window || pred > number - g->window)
			preds[(*count_out)++] = pred;
	}
	map->env.task = ++map->tasks;
	if (site->after_count)
		st = stated_add(g, s, site, preds, count_out);
	need->deps = *count_out;
	return st;
}

static void link_add(struct rt_generate *g, struct rt_own_task *task)
{
	for (uint32_t i = 0; i < task->pred_count; i++) {
		struct rt_mark *mark = rt_mark_of(g, task->preds[i]);

		if (!mark->task || mark->task->ended)
			continue;
		task->links[i].consumer = task;
		task->links[i].next = mark->task->waiters;
		mark->task->waiters = &task->links[i];
		task->waits++;
	}
}

static ptowsp_status issue(struct rt_generate *g, struct rt_scheduler *s)
{
	const struct rt_site *site = &g->run->program->sites[s->run->expand.site];
	struct rt_own_task *task = NULL;
	uint64_t *preds = NULL;
	uint32_t count = 0;
	struct rt_need need;
	ptowsp_status st = PTOWSP_NO_MEMORY;

	if (marks_grow(g, s->skip.task > g->map->tasks ? s->skip.task : g->map->tasks) && rt_scheduler_grow(s))
		st = preds_find(g, s, site, &preds, &count, &need);
	if (!st)
		task = rt_own_task_make(s, preds, count);
	free(preds);
	if (!st && !task)
		st = PTOWSP_NO_MEMORY;
	if (st)
		return st == PTOWSP_NO_MEMORY ? rt_no_memory(&s->error, "tasks in flight") : st;
	rt_windows_store(s->run, site, task->windows);
	task->need = need;
	s->ring[s->issued++ & s->mask] = task;
	*rt_mark_of(g, task->number) = (struct rt_mark){.number = task->number + 1, .task = task, .owner = s->me};
	link_add(g, task);
	if (!task->waits)
		rt_scheduler_ready(s, task);
	s->passed = s->skip.number;
	s->state = RT_OWN_GOING;
	g->changes++;
	return PTOWSP_OK;
}

/* ---- walking ------------------------------------------------------------------------------------------------------ */

/* What its own walk means to an instance; *state_out: what it does next, for the others to see when the lock is held again. */
static ptowsp_status event_take(struct rt_scheduler *s, enum rt_event event, enum rt_own_state *state_out)
{
	struct rt_run *run = s->run;

	run->tasks = s->skip.number;
	switch (event) {
	case RT_EVENT_TASK:
		run->tasks = s->skip.task;
		*state_out = RT_OWN_HOLDING;
		/* Plans look at the map when they are made; here many instances would. */
		memset(run->plans.met, 0, run->plans.count);
		return rt_prepare(run, &run->program->sites[run->expand.site], run->expand.level);
	case RT_EVENT_ORDER_STEP: s->order = s->skip.number; return PTOWSP_OK;
	case RT_EVENT_SYNC: s->order = s->skip.number; return PTOWSP_OK; /* a barrier: others are refused */
	case RT_EVENT_SLOT_SET: return rt_slot_set(run, run->expand.slot, run->expand.expr);
	case RT_EVENT_SLOT_LOAD: return rt_slot_load(run, run->expand.slot, &run->program->ios[run->expand.io]);
	case RT_EVENT_PAUSE: return rt_look(run);
	case RT_EVENT_END: *state_out = RT_OWN_OVER; return PTOWSP_OK;
	case RT_EVENT_FAILED: return run->expand.failure;
	default: return PTOWSP_OK;
	}
}

/* One event. Entered and left with the lock held; the walk itself needs none. */
static void walk(struct rt_generate *g, struct rt_scheduler *s)
{
	enum rt_own_state state = RT_OWN_GOING;
	ptowsp_status st;

	pthread_mutex_unlock(&g->lock);
	st = event_take(s, rt_skip_next(&s->skip), &state);
	pthread_mutex_lock(&g->lock);
	s->state = state;
	s->passed = s->state == RT_OWN_OVER ? UINT64_MAX : s->state == RT_OWN_HOLDING ? s->skip.task : s->skip.number;
	if (st) {
		s->state = RT_OWN_OVER; /* it stays at its number: nobody goes on behind it */
		s->passed = s->run->tasks;
		rt_generate_fail(g, s->run->tasks, st, &s->error);
	}
	g->changes++;
}

/* ---- running ------------------------------------------------------------------------------------------------------ */

/* To each instance that waits for the task one note: a chain of its links. Where its ring is full it is read for it. */
static void ended(struct rt_generate *g, struct rt_scheduler *s, struct rt_own_task *task)
{
	struct rt_own_link *chains[RT_SKIP_LIMIT] = {NULL}, *link = task->waiters;

	while (link) {
		struct rt_own_link *next = link->next;

		link->next = chains[link->consumer->owner];
		chains[link->consumer->owner] = link;
		link = next;
	}
	task->waiters = NULL;
	task->ended = true;
	for (uint32_t p = 0; p < g->count; p++) {
		struct rt_scheduler *to = &g->schedulers[p];

		if (!chains[p])
			continue;
		if (to == s) {
			rt_scheduler_release(to, chains[p]);
			continue;
		}
		if (to->note_tail - to->note_head == RT_NOTES)
			rt_scheduler_hear(to);
		to->notes[to->note_tail++ % RT_NOTES] = chains[p];
	}
	if (task->accounted)
		rt_mark_of(g, task->number)->task = NULL;
	rt_scheduler_retire(s);
	g->changes++;
}

static bool may_run(struct rt_generate *g)
{
	bool over = !g->status;

	for (uint32_t p = 0; !g->started && p < g->count; p++)
		over &= g->schedulers[p].state == RT_OWN_OVER;
	g->started |= over;
	return g->started;
}

static bool task_run(struct rt_generate *g, struct rt_scheduler *s, uint32_t worker)
{
	struct rt_own_task *task = may_run(g) ? rt_scheduler_take(s, frontier(g)) : NULL;
	struct rt_call call;
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	uint64_t cycles;
	ptowsp_status st = PTOWSP_OK;

	if (!task)
		return false;
	if (task->number > g->failed)
		return true; /* it does not begin any more, nor does what waits for it */
	if (g->run->kernels) {
		call = (struct rt_call){.site = task->site, .number = task->number, .cycles = task->cycles, .kernel = task->kernel,
					.executor = s->me, .args = task->words, .windows = task->windows};
		pthread_mutex_unlock(&g->lock);
		st = rt_crew_call(&g->run->crew, &call, worker, &cycles, &error);
		if (!st)
			st = rt_look(s->run);
		pthread_mutex_lock(&g->lock);
		if (task->later)
			task->cycles = cycles;
	}
	if (st)
		rt_generate_fail(g, st == PTOWSP_KERNEL_FAILED ? task->number : 0, st, st == PTOWSP_KERNEL_FAILED ? &error : &s->error);
	else
		ended(g, s, task);
	return true;
}

/* One step of an instance: hears, generates a task if it may, else runs one. False: it waits. */
static bool step(struct rt_generate *g, struct rt_scheduler *s, uint32_t worker)
{
	bool moved = rt_scheduler_hear(s);
	ptowsp_status st;

	if (s->state == RT_OWN_GOING && s->passed <= g->failed) {
		walk(g, s);
		moved = true;
	}
	if (s->state == RT_OWN_HOLDING && may_issue(g, s)) {
		st = issue(g, s);
		if (st) {
			s->state = RT_OWN_OVER;
			rt_generate_fail(g, s->skip.task, st, &s->error);
		}
		return true;
	}
	return task_run(g, s, worker) || moved;
}

/* Nothing is left to do: all is accounted for and has ended, or a task failed and those before it have ended. */
static bool done(const struct rt_generate *g)
{
	for (uint32_t p = 0; g->status && !g->started && p < g->count; p++)
		if (g->schedulers[p].passed < g->failed)
			return false;
	if (g->status)
		return g->over && (!g->started || frontier(g) >= g->failed);
	for (uint32_t p = 0; p < g->count; p++)
		if (g->schedulers[p].state != RT_OWN_OVER || g->schedulers[p].ended < g->schedulers[p].issued)
			return false;
	return g->over;
}

static void work(void *context, uint32_t worker)
{
	struct rt_generate *g = context;

	pthread_mutex_lock(&g->lock);
	while (!done(g)) {
		uint64_t changes = g->changes;
		bool moved = false;

		for (uint32_t p = worker; p < g->count; p += g->threads)
			moved |= step(g, &g->schedulers[p], worker);
		while (!worker && rt_account(g))
			moved = true;
		if (changes != g->changes || moved)
			pthread_cond_broadcast(&g->moved);
		else
			pthread_cond_wait(&g->moved, &g->lock);
	}
	g->changes++;
	pthread_cond_broadcast(&g->moved);
	pthread_mutex_unlock(&g->lock);
}

/* ---- making and unmaking ------------------------------------------------------------------------------------------ */

static ptowsp_status refuse(const struct rt_run *run, uint32_t at, const char *what)
{
	char text[160];

	return rt_fail(run->error, PTOWSP_UNSUPPORTED, "%s: %s needs one scheduler instance, this run has %u; use schedulers=1",
		       at == PTOWSP_NONE ? "the program" : rt_position(&run->program->tables, at, text, sizeof(text)), what, run->schedulers);
}

/* What several instances would have to agree about while they run. */
static ptowsp_status check(const struct rt_run *run)
{
	const struct rt_program *program = run->program;
	ptowsp_status st = PTOWSP_OK;

	if (run->schedulers > RT_SKIP_LIMIT)
		return rt_fail(run->error, PTOWSP_INVALID, "%u scheduler instances; there can be %u", run->schedulers, RT_SKIP_LIMIT);
	if (program->tables.entry.rows[program->entry].flags & PTOWSP_ENTRY_PIPELINE)
		return refuse(run, PTOWSP_NONE, "a pipeline of processes");
	if (program->schedule.interleaved)
		return refuse(run, PTOWSP_NONE, "timing=interleaved");
	if (run->args->flags & PTOWSP_RUN_STRICT && !rt_schedule_safe(&program->schedule))
		return refuse(run, PTOWSP_NONE, "the check of --strict");
	for (uint32_t k = 0; !st && k < program->site_count; k++)
		if (program->sites[k].renamed)
			st = refuse(run, program->sites[k].instruction, "a temp tensor with versions");
	for (uint32_t i = 0; !st && i < program->tables.work.code_count; i++) {
		const struct rt_ins *in = &program->code[i];

		if (in->op == PTOWSP_OP_SIGNAL || in->op == PTOWSP_OP_WAIT || in->op == PTOWSP_OP_FENCE)
			st = refuse(run, i, "an event or fence");
		else if (in->op == PTOWSP_OP_ALLOC || in->op == PTOWSP_OP_FREE)
			st = refuse(run, i, "memory that is allocated");
		else if (in->op == PTOWSP_OP_SLOT_LOAD && program->tensor_access[program->ios[in->row].tensor] & PTOWSP_WRITE)
			st = refuse(run, i, "a slot that is loaded from what tasks write");
	}
	return st;
}

static ptowsp_status map_make(struct rt_generate *g)
{
	const struct rt_run_args args = {.args = g->run->args, .cancel = g->run->cancel, .fixed_map = g->run->fixed_map};
	ptowsp_status st;

	g->map = calloc(1, sizeof(*g->map));
	if (!g->map)
		return rt_no_memory(g->run->error, "the tensor map");
	g->map->quiet = true;
	st = rt_run_init(g->map, g->run->program, &args, g->run->error);
	g->map->window = 4 * g->window;
	return st ? st : rt_infer_init(g->map);
}

static ptowsp_status generate_init(struct rt_generate *g, struct rt_run *run, struct rt_pool *pool)
{
	size_t tensors = (size_t)run->program->tables.tensor.count + 1;
	ptowsp_status st;

	g->run = run;
	g->count = run->schedulers;
	g->threads = run->kernels ? rt_pool_threads(pool) : 1;
	g->safe = run->program->schedule.built;
	g->started = !g->safe;
	g->window = run->window * g->count;
	g->failed = UINT64_MAX;
	g->mask = 4095;
	while (g->mask + 1 < 4 * g->window)
		g->mask = 2 * g->mask + 1;
	g->marks = calloc(g->mask + 1, sizeof(*g->marks));
	g->numbers = calloc(g->mask + 1, sizeof(*g->numbers));
	g->schedulers = calloc(g->count, sizeof(*g->schedulers));
	g->readers = calloc(tensors, sizeof(*g->readers));
	g->writers = calloc(tensors, sizeof(*g->writers));
	if (!g->marks || !g->numbers || !g->schedulers || !g->readers || !g->writers)
		return rt_no_memory(run->error, "scheduler instances");
	st = map_make(g);
	for (uint32_t p = 0; !st && p < g->count; p++)
		st = rt_scheduler_init(&g->schedulers[p], run, p, g->count);
	if (!st)
		sets_find(g);
	return st;
}

static void generate_finish(struct rt_generate *g)
{
	for (uint32_t p = 0; g->schedulers && p < g->count; p++)
		rt_scheduler_finish(&g->schedulers[p]);
	if (g->map && g->map->program)
		rt_run_finish(g->map);
	free(g->map);
	free(g->schedulers);
	free(g->marks);
	free(g->numbers);
	free(g->readers);
	free(g->writers);
}

static void stats_take(struct rt_generate *g)
{
	struct rt_run *run = g->run;

	rt_account_sum(g);
	run->cross_edges = g->cross_edges;
	run->notifications = g->notifications;
	for (uint32_t p = 0; p < g->count; p++)
		run->shares[p] = (struct ptowsp_scheduler_stats){.tasks = g->schedulers[p].tasks, .skipped = g->schedulers[p].skip.skipped,
								 .walked = g->schedulers[p].skip.walked};
}

ptowsp_status rt_generate_run(struct rt_run *run, struct rt_pool *pool)
{
	struct rt_generate g = {0};
	ptowsp_status st = check(run);

	if (st)
		return st;
	pthread_mutex_init(&g.lock, NULL);
	pthread_cond_init(&g.moved, NULL);
	st = generate_init(&g, run, pool);
	if (!st) {
		rt_expand_start(&run->expand, run->program, &run->env, run->error);
		if (g.threads > 1)
			rt_pool_enter(pool, work, &g);
		work(&g, 0);
		if (g.threads > 1)
			rt_pool_leave(pool);
		stats_take(&g);
		st = g.status;
		if (st)
			*run->error = g.error;
	}
	generate_finish(&g);
	pthread_cond_destroy(&g.moved);
	pthread_mutex_destroy(&g.lock);
	return st;
}
