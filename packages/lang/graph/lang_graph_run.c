/* SPDX-License-Identifier: MIT */
/* lang_graph_run.c - a program as a run meets it: what is launched when, what is in use then, who signals what. */
#include "lang/graph/graph_lower.h"
#include "lang/graph/lang_graph.h"

#include <string.h>

enum { IDLE, LAUNCHED, SYNCED };

/* A graph that uses a tensor, in the list of the tensor. */
struct user {
	struct user *next;
	const struct lang_graph *graph;
};
struct run_check {
	struct lang_unit *unit;
	const struct lang_graph_program *program;
	uint8_t *state;                                  /* by graph: IDLE ... */
	const struct lang_graph_inst **launches;         /* by graph: the last launch */
	const struct lang_graph_tensor **gone;           /* by graph: a tensor of it that is freed */
	const struct lang_graph_inst **gone_at;          /* and what has freed it */
	const struct lang_graph_inst **freed;            /* by tensor: what has freed it so far */
	struct lang_graph_list *syncs;                   /* by graph: its SY_SIGNAL and SY_WAIT */
	uint8_t *signalled;                              /* by object: an event that a graph so far signals */
	struct user **users;                             /* by tensor */
	const struct lang_graph_inst **signals, **waits; /* by object: the first one, of events */
	struct lang_map saved;                           /* checkpoint to its TG_CHECKPOINT */
};

/* Uses of tensors by graphs. */
static void users_find(struct run_check *check)
{
	for (uint32_t g = 0; g < check->program->graph_count; g++) {
		const struct lang_graph *graph = check->program->graphs[g];

		for (uint32_t i = 0; i < graph->kernel_count; i++)
			for (uint32_t k = 0; k < graph->kernels[i]->bind_count; k++) {
				struct user **list = &check->users[graph->kernels[i]->binds[k]->tensor->object.index], *user;

				if (*list && (*list)->graph == graph)
					continue;
				user = common_alloc(&check->unit->arena, sizeof(*user));
				user->graph = graph;
				user->next = *list;
				*list = user;
			}
	}
}

static void gone_note(struct run_check *check, const struct lang_graph_tensor *tensor, const struct lang_graph_inst *freed)
{
	check->freed[tensor->object.index] = freed;
	for (const struct user *user = check->users[tensor->object.index]; user; user = user->next) {
		check->gone[user->graph->object.index] = tensor;
		check->gone_at[user->graph->object.index] = freed;
	}
}

static void free_meet(struct run_check *check, const struct lang_graph_inst *inst)
{
	const struct lang_graph_tensor *tensor = lang_graph_tensor(inst->args[0].object);

	for (const struct user *user = check->users[tensor->object.index]; user; user = user->next)
		if (check->state[user->graph->object.index] == LAUNCHED) {
			const char *name = user->graph->object.name;

			lang_error(check->unit, inst->args[0].at, "%s is in use: graph %s, launched at %s, may still run", tensor->object.name, name,
				   lang_place(check->unit, check->launches[user->graph->object.index]->at));
			lang_help(check->unit, "write TG_SYNC(%s) before it", name);
			return;
		}
	gone_note(check, tensor, inst);
}

/* A tensor that a graph frees and does not allocate itself is gone when it, or another one that uses it, is launched again. */
static void frees_meet(struct run_check *check, const struct lang_graph_block *block)
{
	for (const struct lang_graph_inst *inst = block->first; inst; inst = inst->next) {
		if (inst->op == PTOWSP_MC_FREE && !inst->args[0].object->inst->graph)
			gone_note(check, lang_graph_tensor(inst->args[0].object), inst);
		frees_meet(check, &inst->body);
		frees_meet(check, &inst->other);
	}
}

/* Tasks are issued in the order of the launches, so that what signals an event must be launched above what waits for it. */
static void events_meet(struct run_check *check, const struct lang_graph_inst *inst, const struct lang_graph *graph)
{
	const struct lang_graph_list *list = &check->syncs[graph->object.index];

	for (const struct lang_graph_link *link = list->first; link; link = link->next)
		if (link->inst->op == PTOWSP_SY_SIGNAL)
			check->signalled[link->inst->args[0].object->index] = 1;
	for (const struct lang_graph_link *link = list->first; link; link = link->next) {
		const struct lang_graph_object *event = link->inst->args[0].object;

		if (link->inst->op != PTOWSP_SY_WAIT || check->signalled[event->index] || !check->signals[event->index])
			continue;
		lang_error(check->unit, inst->args[0].at, "kernel %s of %s waits for event %s, and no graph that is launched above signals it",
			   link->inst->args[1].object->name, graph->object.name, event->name);
		lang_help(check->unit, "launch %s above, on another stream", check->signals[event->index]->graph->object.name);
		return;
	}
}

static void syncs_find(struct run_check *check, const struct lang_graph *graph, const struct lang_graph_block *block)
{
	for (struct lang_graph_inst *inst = block->first; inst; inst = inst->next) {
		if (inst->op == PTOWSP_SY_SIGNAL || inst->op == PTOWSP_SY_WAIT)
			lang_graph_list_add(&check->unit->arena, &check->syncs[graph->object.index], inst, NULL);
		syncs_find(check, graph, &inst->body);
		syncs_find(check, graph, &inst->other);
	}
}

/* Instructions outside of graphs that read or write a tensor. */
static void use_meet(struct run_check *check, const struct lang_graph_inst *inst, struct lang_span at, const struct lang_graph_object *tensor)
{
	const struct lang_graph_inst *freed = check->freed[tensor->index];

	if (!inst->graph && freed && !lang_graph_are_alternatives(freed, inst))
		lang_error(check->unit, at, "%s is freed at %s, above", tensor->name, lang_place(check->unit, freed->at));
}

static void scalar_meet(struct run_check *check, const struct lang_graph_inst *inst, const struct lang_graph_scalar *scalar)
{
	if (!scalar)
		return;
	if (scalar->op == PTOWSP_GRAPH_NODE_ELEMENT)
		use_meet(check, inst, scalar->at, scalar->object);
	scalar_meet(check, inst, scalar->a);
	scalar_meet(check, inst, scalar->b);
	scalar_meet(check, inst, scalar->c);
}

static void uses_meet(struct run_check *check, const struct lang_graph_inst *inst)
{
	for (uint32_t i = 0; i < inst->arg_count; i++)
		scalar_meet(check, inst, inst->args[i].scalar);
	for (uint32_t i = 0; inst->op == PTOWSP_MC_COPY && i < 2; i++)
		use_meet(check, inst, inst->args[i].at, inst->args[i].object);
}

static void launch_meet(struct run_check *check, const struct lang_graph_inst *inst)
{
	const struct lang_graph *graph = lang_graph_of(inst->args[0].object);
	uint32_t g = graph->object.index;

	events_meet(check, inst, graph);
	if (check->gone[g] && !lang_graph_are_alternatives(check->gone_at[g], inst)) {
		lang_error(check->unit, inst->args[0].at, "graph %s uses %s, which is freed at %s", graph->object.name, check->gone[g]->object.name,
			   lang_place(check->unit, check->gone_at[g]->at));
		return;
	}
	/* A second launch of a graph frees nothing that the first one has not. */
	if (check->state[g] == IDLE)
		frees_meet(check, graph->body);
	check->state[g] = LAUNCHED;
	check->launches[g] = inst;
}

static void sync_meet(struct run_check *check, const struct lang_graph_inst *inst)
{
	const struct lang_graph *graph = lang_graph_of(inst->args[0].object);

	if (check->state[graph->object.index] == IDLE) {
		lang_warn(check->unit, inst->args[0].at, "graph %s is launched nowhere above: this waits for nothing", graph->object.name);
		lang_help(check->unit, "TG_LAUNCH(%s, stream)", graph->object.name);
	}
	check->state[graph->object.index] = SYNCED;
}

static void restore_meet(struct run_check *check, const struct lang_graph_inst *inst)
{
	const struct lang_graph_inst *saved = lang_map_find(&check->saved, inst->args[1].object->name);

	if (!saved)
		lang_error(check->unit, inst->args[1].at, "checkpoint %s is saved below, at %s", inst->args[1].object->name,
			   lang_place(check->unit, inst->args[1].object->at));
	else if (saved->args[0].object != inst->args[0].object)
		lang_error(check->unit, inst->args[0].at, "checkpoint %s is one of graph %s", inst->args[1].object->name, saved->args[0].object->name);
}

/* The first SY_SIGNAL and SY_WAIT of every event. */
static void event_note(struct run_check *check, const struct lang_graph_inst *inst)
{
	const struct lang_graph_inst **list = inst->op == PTOWSP_SY_SIGNAL ? check->signals : check->waits;

	if (!list[inst->args[0].object->index])
		list[inst->args[0].object->index] = inst;
}

static void notify_check(struct run_check *check, const struct lang_graph_inst *inst)
{
	if (check->program->placed && inst->args[0].value == check->program->device) {
		lang_error(check->unit, inst->args[0].at, "device %u is the one that this graph runs on", check->program->device);
		lang_help(check->unit, "SY_NOTIFY and SY_WAIT_NOTIFY name the other device");
	}
}

static void block_run(struct run_check *check, const struct lang_graph_block *block)
{
	for (const struct lang_graph_inst *inst = block->first; inst; inst = inst->next) {
		uses_meet(check, inst);
		switch (inst->op) {
		case PTOWSP_MC_FREE:
			if (!inst->graph)
				free_meet(check, inst);
			break;
		case PTOWSP_TG_LAUNCH:
		case PTOWSP_TG_INVOKE: launch_meet(check, inst); break;
		case PTOWSP_TG_SYNC: sync_meet(check, inst); break;
		case PTOWSP_TG_CHECKPOINT:
			if (!lang_map_find(&check->saved, inst->args[1].object->name))
				lang_map_add(&check->saved, &check->unit->arena, inst->args[1].object->name, (void *)(uintptr_t)inst);
			break;
		case PTOWSP_TG_RESTORE: restore_meet(check, inst); break;
		case PTOWSP_SY_NOTIFY:
		case PTOWSP_SY_WAIT_NOTIFY: notify_check(check, inst); break;
		default: break;
		}
		block_run(check, &inst->body);
		block_run(check, &inst->other);
	}
}

/* Before anything runs. */
static void events_find(struct run_check *check, const struct lang_graph_block *block)
{
	for (const struct lang_graph_inst *inst = block->first; inst; inst = inst->next) {
		if (inst->op == PTOWSP_SY_SIGNAL || inst->op == PTOWSP_SY_WAIT)
			event_note(check, inst);
		events_find(check, &inst->body);
		events_find(check, &inst->other);
	}
}

static void events_check(struct run_check *check)
{
	const struct lang_graph_program *p = check->program;

	for (uint32_t i = 0; i < p->object_count; i++) {
		if (p->objects[i]->kind == PTOWSP_GRAPH_EVENT && check->signals[i] && !check->waits[i])
			lang_warn(check->unit, check->signals[i]->at, "kernel %s signals event %s, which nothing waits for",
				  check->signals[i]->args[1].object->name, p->objects[i]->name);
		if (p->objects[i]->kind == PTOWSP_GRAPH_EVENT && check->waits[i] && !check->signals[i]) {
			lang_error(check->unit, check->waits[i]->at, "kernel %s waits for event %s, which nothing signals",
				   check->waits[i]->args[1].object->name, p->objects[i]->name);
			lang_help(check->unit, "SY_SIGNAL(%s, KERNEL)", p->objects[i]->name);
		}
	}
}

/* A program of definitions alone may be a form to keep graphs in: once is enough, and behind an error it is no news. */
static void definitions_warn(const struct run_check *check)
{
	const struct lang_graph_object *first = check->program->graph_count ? &check->program->graphs[0]->object : NULL;

	if (!first || check->unit->list->head.errors)
		return;
	lang_warn(check->unit, first->at, "no graph of this program is launched: no kernel of it ever runs");
	lang_help(check->unit, "TG_LAUNCH(%s, stream) behind its end", first->name);
}

/* A graph that nothing launches, and that is no part of another one, was forgotten. */
static void idle_check(const struct run_check *check)
{
	const struct lang_graph_program *p = check->program;
	uint32_t launched = 0;

	for (uint32_t i = 0; i < p->graph_count; i++)
		launched += check->launches[i] != NULL;
	if (!launched) {
		definitions_warn(check);
		return;
	}
	for (uint32_t i = 0; i < p->graph_count; i++)
		for (uint32_t k = 0; p->graphs[i]->fused[0] && k < 2; k++)
			check->state[p->graphs[i]->fused[k]->object.index] = SYNCED;
	for (uint32_t i = 0; i < p->graph_count; i++)
		if (check->state[p->graphs[i]->object.index] == IDLE) {
			lang_warn(check->unit, p->graphs[i]->object.at, "graph %s is launched nowhere: its kernels never run", p->graphs[i]->object.name);
			lang_help(check->unit, "TG_LAUNCH(%s, stream) behind its end", p->graphs[i]->object.name);
		}
}

void lang_graph_run_check(struct lang_unit *unit, const struct lang_graph_program *program)
{
	struct run_check check = {.unit = unit, .program = program};

	check.state = common_alloc(&unit->arena, program->graph_count + 1);
	check.launches = common_alloc(&unit->arena, (program->graph_count + 1) * sizeof(*check.launches));
	check.gone = common_alloc(&unit->arena, (program->graph_count + 1) * sizeof(*check.gone));
	check.gone_at = common_alloc(&unit->arena, (program->graph_count + 1) * sizeof(*check.gone_at));
	check.users = common_alloc(&unit->arena, (program->tensor_count + 1) * sizeof(*check.users));
	check.signals = common_alloc(&unit->arena, (program->object_count + 1) * sizeof(*check.signals));
	check.waits = common_alloc(&unit->arena, (program->object_count + 1) * sizeof(*check.waits));
	check.freed = common_alloc(&unit->arena, (program->tensor_count + 1) * sizeof(*check.freed));
	check.signalled = common_alloc(&unit->arena, program->object_count + 1);
	check.syncs = common_alloc(&unit->arena, (program->graph_count + 1) * sizeof(*check.syncs));
	for (uint32_t g = 0; g < program->graph_count; g++)
		syncs_find(&check, program->graphs[g], program->graphs[g]->body);
	users_find(&check);
	events_find(&check, &program->body);
	block_run(&check, &program->body);
	events_check(&check);
	idle_check(&check);
}
