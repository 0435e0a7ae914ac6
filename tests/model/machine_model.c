/* SPDX-License-Identifier: MIT */
#include "tests/model/machine_model.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "tests/model/rt_model_parts.h"

enum { VECTOR, CUBE, MIX, ITSELF, KINDS };
enum state { UNMET, MET, ISSUED, READY, PARKED, TAKEN, ENDED };
enum doing { NOTHING, COMPLETING, HEARING, SENDING, COMPUTING, ISSUING };
enum stage { WINDOW, MAP, DEPS, QUEUE, ALL };
enum { CORES = 64, INSTANCES = 8, NEVER = -1, ITERATION = -1, BARRIER = -2 };

struct row {
	enum state state;
	int owner, kind, waits, core;
	int parked[2];       /* PARKED: row of pipeline_depth, and its domain */
	uint64_t since;      /* READY, PARKED */
	bool any;
	uint64_t virtual_since;
	bool virtual;        /* the window was full, and is only counted */
};
/* `task` waits for a task, for all tasks of an iteration, or for all before a barrier. */
struct wait {
	int task, pred, order, step; /* pred ITERATION; BARRIER: step is how many tasks */
	int notice;          /* 0: nobody has told its instance */
	bool over;
};
struct notice {
	int id;
	uint64_t time;
};
struct core {
	int instance, kind, count, running, tasks[2];
	uint64_t fins[2], free;
};
struct instance {
	enum doing doing;
	int what, core;
	uint64_t free;
	int first, clusters, cursor[2];
	int seen[MODEL_TASKS], seen_count;
	struct notice notices[MODEL_TASKS * 4];
	int notice_count;
	int batch[MODEL_TASKS], batch_count; /* emitted, not flushed */
};
struct sim {
	struct machine_model *m;
	const struct model *p;
	const struct ascend_machine_config *config;
	const struct ascend_protocol *cost;
	const struct model_schedule *s;
	uint64_t now, chain, since;
	struct row rows[MODEL_TASKS];
	struct wait *waits;
	int wait_count, wait_room, notice_ids;
	struct core cores[CORES];
	int core_count;
	struct instance instances[INSTANCES];
	int head, issued, ended, left; /* head: the next to be issued */
	bool met, stalled, started, no_memory;
	enum stage stage;
	int in_flight[3][32];
};

static int kind_of(const struct sim *sim, int task, bool *any)
{
	unsigned unit = ROW(sim->p, KREG, kernel, sim->p->tasks[task].kernel)->unit;

	*any = unit == PTOWSP_UNIT_ANY;
	return unit == PTOWSP_UNIT_AIC ? CUBE : unit == PTOWSP_UNIT_AIC_AIV ? MIX : unit == PTOWSP_UNIT_HOST || unit == PTOWSP_UNIT_AICPU ? ITSELF : VECTOR;
}

static uint64_t cycles_of(const struct sim *sim, int task)
{
	return sim->p->tasks[task].end - sim->p->tasks[task].start;
}

/* ---- iterations and scopes, as far as the walk has come: to the task `head` ------------------------------------------ */

static bool within(const struct model_task *t, int order, int step)
{
	for (int d = 0; d < t->order_count; d++)
		if (t->order_instance[d] == order && t->order_step[d] == step)
			return true;
	return false;
}

static bool iteration_over(const struct sim *sim, int order, int step)
{
	for (int i = 0; i < sim->p->count; i++)
		if (within(&sim->p->tasks[i], order, step) && (i >= sim->head || sim->rows[i].state != ENDED))
			return false;
	return true;
}

/* The walk stands before the head, and maybe before what leads to it: a value that is awaited. */
static bool walked_past(const struct sim *sim, int order, int step)
{
	return sim->head >= sim->p->count || !within(&sim->p->tasks[sim->head], order, step);
}

static bool inside(const struct model *p, int task, int scope)
{
	for (int s = p->tasks[task].scope; s >= 0; s = p->scope_parent[s])
		if (s == scope)
			return true;
	return false;
}

static bool scope_holds(const struct sim *sim, int task)
{
	int scope = sim->p->tasks[task].scope;

	return scope >= 0 && sim->head < sim->p->count && inside(sim->p, sim->head, scope);
}

/* ---- readiness --------------------------------------------------------------------------------------------------- */

static bool has_idle(const struct sim *sim, int instance, int kind)
{
	for (int c = 0; c < sim->core_count; c++)
		if (sim->cores[c].instance == instance && sim->cores[c].kind == kind && !sim->cores[c].count)
			return true;
	return false;
}

static void wait_over(struct sim *sim, int task)
{
	struct row *row = &sim->rows[task];

	if (--row->waits)
		return;
	row->state = READY;
	row->since = sim->now;
	if (row->any)
		row->kind = !has_idle(sim, row->owner, VECTOR) && has_idle(sim, row->owner, CUBE) ? CUBE : VECTOR;
}

static void wait_add(struct sim *sim, int task, int pred, int order, int step)
{
	if (sim->wait_count == sim->wait_room) {
		int room = 2 * sim->wait_room + 1024;
		struct wait *more = realloc(sim->waits, (size_t)room * sizeof(*more));

		sim->no_memory |= !more;
		if (!more)
			return;
		sim->waits = more;
		sim->wait_room = room;
	}
	sim->waits[sim->wait_count++] = (struct wait){.task = task, .pred = pred, .order = order, .step = step};
	sim->rows[task].waits++;
}

/* What they waited for is over, at an instance: its own tasks know at once, each other instance that has some gets one notice. */
static int tell(struct sim *sim, int pred, int order, int step, int instance)
{
	int told = 0;

	for (int to = 0; to < sim->m->instances; to++) {
		struct instance *other = &sim->instances[to];
		bool some = false;

		for (int w = 0; w < sim->wait_count; w++) {
			struct wait *wait = &sim->waits[w];

			if (wait->over || wait->notice || wait->pred != pred || (pred < 0 && (wait->order != order || wait->step != step)) ||
			    sim->rows[wait->task].owner != to)
				continue;
			some = true;
			if (to == instance) {
				wait->over = true;
				wait_over(sim, wait->task);
			} else {
				wait->notice = sim->notice_ids + 1;
			}
		}
		if (!some || to == instance)
			continue;
		other->notices[other->notice_count++] = (struct notice){++sim->notice_ids, sim->now + sim->cost->notice};
		told++;
	}
	sim->m->notifications += (uint64_t)told;
	return told;
}

static void hear(struct sim *sim, int id)
{
	for (int w = 0; w < sim->wait_count; w++)
		if (sim->waits[w].notice == id && !sim->waits[w].over) {
			sim->waits[w].over = true;
			wait_over(sim, sim->waits[w].task);
		}
}

/* ---- pipeline_depth ---------------------------------------------------------------------------------------------- */

static int domain_of(const struct sim *sim, int d, int task)
{
	const struct model_task *t = &sim->p->tasks[task];

	switch (sim->s->depths[d].domain) {
	case MODEL_STREAM: return sim->s->streams ? (int)t->stream : 0;
	case MODEL_POOL: return (int)t->pool;
	case MODEL_LOOP: return t->in_depth[d] ? 0 : NEVER;
	default: return 0;
	}
}

static void depths_move(struct sim *sim, int task, int by)
{
	for (int d = 0; d < sim->s->depth_count; d++)
		if (domain_of(sim, d, task) != NEVER)
			sim->in_flight[d][domain_of(sim, d, task)] += by;
}

static int full_row(const struct sim *sim, int task)
{
	for (int d = 0; d < sim->s->depth_count; d++)
		if (domain_of(sim, d, task) != NEVER && (uint64_t)sim->in_flight[d][domain_of(sim, d, task)] >= sim->s->depths[d].depth)
			return d;
	return NEVER;
}

static bool goes_before(const struct sim *sim, int a, int b)
{
	if (sim->config->by_number || sim->rows[a].since == sim->rows[b].since)
		return a < b;
	return sim->rows[a].since < sim->rows[b].since;
}

/* One that waits for the same row and domain goes back to its queue for each that ends. */
static void depths_leave(struct sim *sim, int task)
{
	depths_move(sim, task, -1);
	for (int d = 0; d < sim->s->depth_count; d++) {
		int domain = domain_of(sim, d, task), first = NEVER;

		for (int i = 0; i < sim->p->count && domain != NEVER; i++)
			if (sim->rows[i].state == PARKED && sim->rows[i].parked[0] == d && sim->rows[i].parked[1] == domain &&
			    (first == NEVER || goes_before(sim, i, first)))
				first = i;
		if (first != NEVER)
			sim->rows[first].state = READY;
	}
}

/* The first ready task of a kind that may start; those before it that may not are parked. */
static int ready_first(struct sim *sim, int instance, int kind)
{
	for (;;) {
		int first = NEVER, row;

		for (int i = 0; i < sim->p->count; i++)
			if (sim->rows[i].state == READY && sim->rows[i].owner == instance && sim->rows[i].kind == kind &&
			    (first == NEVER || goes_before(sim, i, first)))
				first = i;
		row = first == NEVER ? NEVER : full_row(sim, first);
		if (row == NEVER)
			return first;
		sim->rows[first].state = PARKED;
		sim->rows[first].parked[0] = row;
		sim->rows[first].parked[1] = domain_of(sim, row, first);
	}
}

/* ---- the head: room, stalls -------------------------------------------------------------------------------------- */

static uint64_t use_of(const struct sim *sim, enum stage stage, int task)
{
	uint64_t sum = 0;

	if (stage == WINDOW)
		return (uint64_t)(task - sim->left);
	if (stage == QUEUE) {
		for (int i = 0; i < sim->head; i++)
			sum += sim->p->tasks[i].pool == sim->p->tasks[task].pool && sim->rows[i].state != TAKEN && sim->rows[i].state != ENDED;
		return sum;
	}
	for (int i = sim->left; i < task; i++)
		sum += stage == MAP ? sim->p->tasks[i].map_need : sim->p->tasks[i].edge_count;
	return sum;
}

static uint64_t need_of(const struct sim *sim, enum stage stage, int task)
{
	return stage == MAP ? sim->p->tasks[task].map_need : stage == DEPS ? sim->p->tasks[task].edge_count : 1;
}

static uint64_t capacity_of(const struct sim *sim, enum stage stage)
{
	const uint64_t capacities[] = {sim->s->window, sim->s->map, sim->s->deps, sim->s->ready};

	return capacities[stage];
}

static struct model_meter *meter_of(struct sim *sim, enum stage stage, int task)
{
	return stage == WINDOW ? &sim->m->ring : stage == MAP ? &sim->m->map : stage == DEPS ? &sim->m->deps : &sim->m->ready[sim->p->tasks[task].pool];
}

static bool room(const struct sim *sim, enum stage stage, int task)
{
	uint64_t need = need_of(sim, stage, task);

	return !capacity_of(sim, stage) || !need || use_of(sim, stage, task) + need <= capacity_of(sim, stage);
}

static void stall_count(struct model_meter *meter, uint64_t cycles)
{
	meter->stalls += cycles > 0;
	meter->cycles += cycles;
}

static bool values_there(const struct sim *sim)
{
	for (int i = 0; i < sim->head; i++)
		if (sim->p->tasks[sim->head].awaits[i] && sim->rows[i].state != ENDED)
			return false;
	return true;
}

/* Without dispatch by number; work_steal: who of so many has least to do; else as the policy says. */
static int owner_of(const struct sim *sim, int task)
{
	int least = 0, load[INSTANCES] = {0};

	if (sim->s->dispatch == MODEL_NONE)
		return task % sim->m->instances;
	if (sim->s->dispatch != MODEL_STEAL)
		return (int)(sim->p->tasks[task].executor % (uint64_t)sim->m->instances);
	for (int i = 0; i < sim->head; i++)
		load[sim->rows[i].owner] += sim->rows[i].state != ENDED;
	for (int p = 1; p < sim->m->instances && p < sim->s->executors; p++)
		least = load[p] < load[least] ? p : least;
	return least;
}

static void batch_flush(struct sim *sim, struct instance *instance)
{
	for (int i = 0; i < instance->batch_count; i++)
		wait_over(sim, instance->batch[i]);
	instance->batch_count = 0;
}

/* batch_deps: emit, flush, run. */
static void batch_add(struct sim *sim, struct instance *instance, int task)
{
	bool stands = !sim->met || sim->stalled;

	instance->batch[instance->batch_count++] = task;
	if ((uint64_t)instance->batch_count >= sim->s->batch || stands)
		batch_flush(sim, instance);
}

/* Nothing is issued before something ends. */
static void stand(struct sim *sim)
{
	sim->started = true;
	for (int p = 0; p < sim->m->instances; p++)
		batch_flush(sim, &sim->instances[p]);
}

/* The walk goes on to the next task, if the values are there that lead to it. */
static void head_meet(struct sim *sim)
{
	if (sim->met || sim->head >= sim->p->count) {
		if (sim->head >= sim->p->count)
			stand(sim);
		return;
	}
	if (!values_there(sim)) {
		stand(sim);
		return;
	}
	sim->met = true;
	sim->stalled = false;
	sim->stage = WINDOW;
	sim->rows[sim->head].state = MET;
	sim->rows[sim->head].owner = owner_of(sim, sim->head);
}

/* work_steal: is it still the one that has least to do? Else the task is another one's now. */
static bool head_keep(struct sim *sim)
{
	int owner = sim->s->dispatch == MODEL_STEAL ? owner_of(sim, sim->head) : sim->rows[sim->head].owner;
	bool same = owner == sim->rows[sim->head].owner;

	sim->rows[sim->head].owner = owner;
	return same;
}

static int head_owner(const struct sim *sim)
{
	return sim->met ? sim->rows[sim->head].owner : -1;
}

static bool head_ready(struct sim *sim)
{
	for (; sim->stage < ALL; sim->stage++) {
		if (room(sim, sim->stage, sim->head)) {
			if (sim->stalled)
				stall_count(meter_of(sim, sim->stage, sim->head), sim->now - sim->since);
			sim->stalled = false;
		} else if (sim->stalled) {
			return false;
		} else if (sim->stage == WINDOW && sim->s->benchmark) {
			sim->rows[sim->head].virtual = true;
			sim->rows[sim->head].virtual_since = sim->now;
		} else {
			sim->stalled = true;
			sim->since = sim->now;
			stand(sim);
			return false;
		}
	}
	return true;
}

/* Something is over: what the walk waits for may be there. */
static void head_look(struct sim *sim)
{
	bool waited = !sim->met && sim->head < sim->p->count;

	if (sim->met && sim->stalled)
		head_ready(sim);
	head_meet(sim);
	if (waited && sim->met)
		sim->chain = model_later(sim->chain, sim->now);
}

static void tasks_leave(struct sim *sim)
{
	while (sim->ended < sim->p->count && sim->rows[sim->ended].state == ENDED)
		sim->ended++;
	while (sim->left < sim->ended && !scope_holds(sim, sim->left))
		sim->left++;
	for (int i = 0; i < sim->p->count; i++)
		if (sim->rows[i].virtual && (uint64_t)i < (uint64_t)sim->left + sim->s->window) {
			sim->rows[i].virtual = false;
			stall_count(&sim->m->ring, sim->now - sim->rows[i].virtual_since);
		}
}

/* The latest earlier iteration, of the innermost construct that has one with tasks. */
static void iteration_await(struct sim *sim, int task)
{
	const struct model_task *t = &sim->p->tasks[task];

	for (int d = t->order_count - 1; d >= 0; d--)
		for (int step = t->order_step[d] - 1; step >= 0; step--) {
			bool some = false;

			for (int i = 0; i < task; i++)
				some |= within(&sim->p->tasks[i], t->order_instance[d], step);
			if (!some)
				continue;
			if (!iteration_over(sim, t->order_instance[d], step))
				wait_add(sim, task, ITERATION, t->order_instance[d], step);
			return;
		}
}

static void edge_await(struct sim *sim, int task, int pred)
{
	if (sim->rows[pred].state != ENDED)
		wait_add(sim, task, pred, 0, 0);
}

/* Of the device. */
static uint64_t stream_of(const struct sim *sim, int task)
{
	return sim->config->streams ? sim->p->tasks[task].stream % sim->config->streams : sim->p->tasks[task].stream;
}

static uint64_t head_issue(struct sim *sim)
{
	int task = sim->head++, latest = NEVER;
	struct row *row = &sim->rows[task];
	uint64_t lookup = sim->cost->lookup + sim->p->tasks[task].edge_count * sim->cost->lookup_use;

	for (enum stage stage = WINDOW; stage < ALL; stage++) {
		struct model_meter *meter = meter_of(sim, stage, task);

		meter->high_water = model_later(meter->high_water, use_of(sim, stage, task) + (stage == MAP || stage == DEPS ? need_of(sim, stage, task) : 1) -
									   (stage == QUEUE)); /* itself is among them */
	}
	row->state = ISSUED;
	row->waits = 1;
	row->kind = kind_of(sim, task, &row->any);
	for (int i = 0; i < task; i++) {
		if (sim->p->tasks[task].preds[i]) {
			sim->m->crossing += sim->rows[i].owner != row->owner;
			edge_await(sim, task, i);
		}
		latest = sim->s->streams && stream_of(sim, i) == stream_of(sim, task) ? i : latest;
	}
	if (latest != NEVER)
		edge_await(sim, task, latest);
	iteration_await(sim, task);
	if (sim->p->tasks[task].barrier > sim->ended)
		wait_add(sim, task, BARRIER, 0, sim->p->tasks[task].barrier);
	sim->issued++;
	sim->chain = sim->now + model_later(lookup, sim->s->spacing);
	sim->met = false;
	sim->started |= (uint64_t)sim->issued >= sim->s->start;
	tasks_leave(sim); /* scopes may have ended behind it */
	head_meet(sim);
	return lookup + sim->cost->submit;
}

/* ---- cores ------------------------------------------------------------------------------------------------------- */

static void cores_make(struct sim *sim)
{
	int clusters = (int)sim->config->clusters, each = (int)sim->config->vectors_each;

	sim->core_count = clusters * (1 + each);
	for (int p = 0; p < sim->m->instances; p++) {
		struct instance *instance = &sim->instances[p];

		instance->first = clusters * p / sim->m->instances;
		instance->clusters = clusters * (p + 1) / sim->m->instances - instance->first;
		for (int c = instance->first; c < instance->first + instance->clusters; c++) {
			sim->cores[c] = (struct core){.instance = p, .kind = CUBE};
			for (int k = 0; k < each; k++)
				sim->cores[clusters + c * each + k] = (struct core){.instance = p, .kind = VECTOR};
		}
	}
}

static bool cluster_idle(const struct sim *sim, int cluster)
{
	int each = (int)sim->config->vectors_each;
	bool idle = !sim->cores[cluster].count;

	for (int k = 0; k < each; k++)
		idle &= !sim->cores[(int)sim->config->clusters + cluster * each + k].count;
	return idle;
}

/* The lowest idle one; else, in turns, one that has a payload free. */
static int core_find(struct sim *sim, int p, int kind)
{
	struct instance *instance = &sim->instances[p];
	int base = kind == CUBE ? instance->first : (int)sim->config->clusters + instance->first * (int)sim->config->vectors_each;
	int count = instance->clusters * (kind == CUBE ? 1 : (int)sim->config->vectors_each);

	for (int c = instance->first; kind == MIX && c < instance->first + instance->clusters; c++)
		if (cluster_idle(sim, c))
			return c;
	if (kind == MIX)
		return NEVER;
	for (int c = 0; c < count; c++)
		if (!sim->cores[base + c].count)
			return base + c;
	for (int k = 0; k < count && sim->config->payloads > 1; k++) {
		int c = (instance->cursor[kind] + k) % count;

		if (sim->cores[base + c].count == 1) {
			instance->cursor[kind] = (c + 1) % count;
			return base + c;
		}
	}
	return NEVER;
}

static void cluster_count(struct sim *sim, int cluster, int count)
{
	int each = (int)sim->config->vectors_each;

	sim->cores[cluster].count = count;
	for (int k = 0; k < each; k++)
		sim->cores[(int)sim->config->clusters + cluster * each + k].count = count;
}

static void core_send(struct sim *sim, int at, int task)
{
	struct core *core = &sim->cores[at];
	struct machine_model_task *t = &sim->m->tasks[task];

	sim->rows[task].core = at;
	t->core = at < (int)sim->config->clusters ? sim->config->first_cube + (uint32_t)at : sim->config->first_vector + (uint32_t)at - sim->config->clusters;
	t->start = model_later(sim->now + sim->cost->token, core->free) + sim->cost->pickup;
	t->end = core->free = t->start + cycles_of(sim, task);
	core->tasks[core->running] = task;
	core->fins[core->running++] = t->end + sim->cost->fin;
}

static void core_fin(struct core *core, struct instance *instance)
{
	instance->seen[instance->seen_count++] = core->tasks[0];
	core->tasks[0] = core->tasks[1];
	core->fins[0] = core->fins[1];
	core->running--;
}

/* ---- instances --------------------------------------------------------------------------------------------------- */

static int task_end(struct sim *sim, int p, int task)
{
	const struct model_task *t = &sim->p->tasks[task];
	int told, before;

	sim->rows[task].state = ENDED;
	sim->m->total = model_later(sim->m->total, sim->m->tasks[task].end);
	depths_leave(sim, task);
	told = tell(sim, task, 0, 0, p);
	for (int d = t->order_count - 1; d >= 0; d--) {
		if (!walked_past(sim, t->order_instance[d], t->order_step[d]) || !iteration_over(sim, t->order_instance[d], t->order_step[d]))
			break;
		told += tell(sim, ITERATION, t->order_instance[d], t->order_step[d], p);
	}
	before = sim->ended;
	tasks_leave(sim);
	for (int number = before + 1; number <= sim->ended; number++)
		told += tell(sim, BARRIER, 0, number, p);
	head_look(sim);
	return told;
}

/* What it was doing is over. Returns the cycles that it then takes to tell others. */
static uint64_t action_end(struct sim *sim, int p)
{
	struct instance *instance = &sim->instances[p];
	enum doing doing = instance->doing;
	int task = instance->what;

	instance->doing = NOTHING;
	switch (doing) {
	case COMPLETING:
		if (sim->rows[task].kind == MIX)
			cluster_count(sim, sim->rows[task].core, 0);
		else
			sim->cores[sim->rows[task].core].count--;
		return (uint64_t)task_end(sim, p, task) * sim->cost->notify;
	case COMPUTING: return (uint64_t)task_end(sim, p, task) * sim->cost->notify;
	case HEARING: hear(sim, task); return 0;
	case ISSUING: batch_add(sim, instance, task); return 0;
	case SENDING:
		core_send(sim, instance->core, task);
		sim->rows[task].state = TAKEN;
		head_look(sim); /* its place in the queue is free */
		return 0;
	default: return 0;
	}
}

static bool begin(struct sim *sim, int p, enum doing doing, int what, uint64_t cycles, uint64_t *cycles_out)
{
	sim->instances[p].doing = doing;
	sim->instances[p].what = what;
	*cycles_out = cycles;
	return true;
}

static bool sending_begin(struct sim *sim, int p, uint64_t *cycles_out)
{
	static const int kinds[] = {MIX, CUBE, VECTOR};
	int task;

	for (int k = 0; k < 3; k++) {
		int cursor[2] = {sim->instances[p].cursor[0], sim->instances[p].cursor[1]}, core = core_find(sim, p, kinds[k]);

		task = core == NEVER ? NEVER : ready_first(sim, p, kinds[k]);
		if (task == NEVER) {
			memcpy(sim->instances[p].cursor, cursor, sizeof(cursor)); /* nobody has taken it */
			continue;
		}
		if (kinds[k] == MIX)
			cluster_count(sim, core, 2);
		else
			sim->cores[core].count++;
		depths_move(sim, task, 1);
		sim->rows[task].state = MET; /* neither ready nor sent */
		sim->instances[p].core = core;
		return begin(sim, p, SENDING, task, sim->cost->dispatch, cycles_out);
	}
	task = ready_first(sim, p, ITSELF);
	if (task == NEVER)
		return false;
	depths_move(sim, task, 1);
	sim->rows[task].state = TAKEN;
	sim->m->tasks[task] = (struct machine_model_task){sim->now, sim->now + cycles_of(sim, task),
							  sim->config->first_vector + sim->config->clusters * sim->config->vectors_each + (uint32_t)p};
	head_look(sim);
	return begin(sim, p, COMPUTING, task, cycles_of(sim, task), cycles_out);
}

/* The first of what there is to do: what is over, what others say, what can start, what is to be generated. */
static bool action_begin(struct sim *sim, int p, uint64_t *cycles_out)
{
	struct instance *instance = &sim->instances[p];
	int task;

	if (instance->seen_count) {
		task = instance->seen[0];
		memmove(instance->seen, instance->seen + 1, (size_t)--instance->seen_count * sizeof(*instance->seen));
		return begin(sim, p, COMPLETING, task, sim->cost->complete, cycles_out);
	}
	if (instance->notice_count && instance->notices[0].time <= sim->now) {
		int id = instance->notices[0].id;

		memmove(instance->notices, instance->notices + 1, (size_t)--instance->notice_count * sizeof(*instance->notices));
		return begin(sim, p, HEARING, id, sim->cost->hear, cycles_out);
	}
	if (sim->started && sending_begin(sim, p, cycles_out))
		return true;
	if (head_owner(sim) == p && sim->chain <= sim->now && head_ready(sim) && head_keep(sim)) {
		task = sim->head;
		return begin(sim, p, ISSUING, task, head_issue(sim), cycles_out);
	}
	return sim->started && sending_begin(sim, p, cycles_out);
}

/* As long as time stands still. False: nothing to do. */
static bool act(struct sim *sim, int p)
{
	struct instance *instance = &sim->instances[p];
	bool some = false;

	while (instance->free <= sim->now) {
		bool was = sim->stalled, started = sim->started;
		int owner = head_owner(sim);
		uint64_t cycles = 0;

		if (instance->doing)
			cycles = action_end(sim, p), some = true;
		if (!cycles && !action_begin(sim, p, &cycles))
			return some || was != sim->stalled || started != sim->started || owner != head_owner(sim);
		some = true;
		instance->free = sim->now + cycles;
		if (cycles)
			break;
	}
	return some;
}

static uint64_t time_next(const struct sim *sim)
{
	uint64_t time = UINT64_MAX;

	for (int c = 0; c < sim->core_count; c++)
		if (sim->cores[c].running && sim->cores[c].fins[0] < time)
			time = sim->cores[c].fins[0];
	for (int p = 0; p < sim->m->instances; p++) {
		const struct instance *instance = &sim->instances[p];

		if (instance->free > sim->now && instance->free < time)
			time = instance->free;
		if (instance->notice_count && instance->notices[0].time > sim->now && instance->notices[0].time < time)
			time = instance->notices[0].time;
	}
	return sim->met && sim->chain > sim->now && sim->chain < time ? sim->chain : time;
}

static bool first_acts(struct sim *sim)
{
	for (int c = 0; c < sim->core_count; c++)
		if (sim->cores[c].running && sim->cores[c].fins[0] <= sim->now) {
			core_fin(&sim->cores[c], &sim->instances[sim->cores[c].instance]);
			return true;
		}
	for (int p = 0; p < sim->m->instances; p++)
		if (act(sim, p))
			return true;
	return false;
}

bool machine_model_run(struct machine_model *m)
{
	struct sim *sim = calloc(1, sizeof(*sim));
	bool ok;

	if (!sim)
		return false;
	memset(m->tasks, 0, sizeof(*m) - offsetof(struct machine_model, tasks));
	sim->m = m;
	sim->p = m->program;
	sim->s = m->program->schedule;
	sim->config = m->config;
	sim->cost = &m->config->cost;
	sim->started = sim->s->start <= 1;
	cores_make(sim);
	for (head_meet(sim); sim->now != UINT64_MAX && !sim->no_memory; sim->now = time_next(sim))
		while (first_acts(sim) && !sim->no_memory)
			;
	m->ended = sim->ended;
	ok = !sim->no_memory;
	free(sim->waits);
	free(sim);
	return ok;
}
