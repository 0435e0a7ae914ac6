/* SPDX-License-Identifier: MIT */
/* graph_object.c - what the ids of a program mean: one object per spelling and kind, and the entry that a kernel calls. */
#include "lang/graph/lang_graph.h"
#include "lang/lang_kernel.h"
#include "lang/parse/parse.h"
#include "registry/common/common_hash.h"

#include <stdbool.h>
#include <string.h>

static bool in_graph(enum ptowsp_graph_object kind)
{
	return kind == PTOWSP_GRAPH_KERNEL || kind == PTOWSP_GRAPH_BARRIER;
}

struct lang_graph_object *lang_graph_find(const struct lang_graph_program *program, enum ptowsp_graph_object kind, const char *name)
{
	return lang_map_find(&program->names[kind], name);
}

static int is_number(const char *name)
{
	return *name >= '0' && *name <= '9';
}

/* Memory of an object and its place in the array of its kind. */
static struct lang_graph_object *object_make(struct lang_graph_reader *reader, enum ptowsp_graph_object kind)
{
	struct lang_graph_program *p = reader->program;
	struct common_arena *arena = &reader->unit->arena;
	struct lang_graph *graph;
	struct lang_graph_kernel *kernel;
	struct lang_graph_tensor *tensor;
	struct lang_graph_object *object;

	switch (kind) {
	case PTOWSP_GRAPH_GRAPH:
		graph = common_alloc(arena, sizeof(*graph));
		graph->object.index = p->graph_count;
		graph->own.last = &graph->own.first;
		graph->body = &graph->own;
		*COMMON_PUSH(arena, p->graphs, p->graph_count, p->graph_capacity) = graph;
		return &graph->object;
	case PTOWSP_GRAPH_KERNEL:
		kernel = common_alloc(arena, sizeof(*kernel));
		kernel->object.index = p->kernel_count;
		*COMMON_PUSH(arena, p->kernels, p->kernel_count, p->kernel_capacity) = kernel;
		return &kernel->object;
	case PTOWSP_GRAPH_TENSOR:
		tensor = common_alloc(arena, sizeof(*tensor));
		tensor->object.index = p->tensor_count;
		tensor->alignment = 512;
		*COMMON_PUSH(arena, p->tensors, p->tensor_count, p->tensor_capacity) = tensor;
		return &tensor->object;
	default:
		object = common_alloc(arena, sizeof(*object));
		object->index = p->object_count;
		*COMMON_PUSH(arena, p->objects, p->object_count, p->object_capacity) = object;
		return object;
	}
}

static struct lang_graph_object *object_add(struct lang_graph_reader *reader, enum ptowsp_graph_object kind, const char *name, struct lang_span at)
{
	struct lang_graph_object *object = object_make(reader, kind);

	object->kind = (uint8_t)kind;
	object->name = name;
	object->numeric = (uint8_t)is_number(name);
	object->at = at;
	object->graph = in_graph(kind) ? reader->graph : NULL;
	if (kind != PTOWSP_GRAPH_ITERATOR || !lang_graph_find(reader->program, kind, name)) /* loops may share a name: the first one keeps it */
		lang_map_add(&reader->program->names[kind], &reader->unit->arena, name, object);
	return object;
}

struct lang_graph_object *lang_graph_mention(struct lang_graph_reader *reader, enum ptowsp_graph_object kind, const char *name, struct lang_span at)
{
	struct lang_graph_object *object = lang_graph_find(reader->program, kind, name);

	return object ? object : object_add(reader, kind, name, at);
}

/* Iterators live in their loops: only those around count. */
static struct lang_graph_object *iterator_find(const struct lang_graph_reader *reader, const char *name)
{
	for (uint32_t i = reader->iterator_count; i-- > 0;)
		if (!strcmp(reader->iterators[i]->name, name))
			return reader->iterators[i];
	return NULL;
}

struct lang_graph_object *lang_graph_define(struct lang_graph_reader *reader, enum ptowsp_graph_object kind, const char *name, struct lang_span at,
					    struct lang_graph_inst *inst)
{
	struct lang_graph_object *object = kind == PTOWSP_GRAPH_ITERATOR ? iterator_find(reader, name) : lang_graph_find(reader->program, kind, name);
	const char *text = pkg_graph_object_text(kind);

	if (object && object->defined == 1) {
		lang_error(reader->unit, at, "there are two %ss %s, the first one at %s", text, name, lang_place(reader->unit, object->at));
		lang_help(reader->unit, "give one of them another id: ids of %ss are unique%s", text,
			  in_graph(kind)                  ? " in a graph"
			  : kind == PTOWSP_GRAPH_ITERATOR ? " among loops inside of each other"
							  : "");
		return object;
	}
	if (!object || (kind == PTOWSP_GRAPH_ITERATOR && object->defined != 1))
		object = object_add(reader, kind, name, at);
	object->defined = 1;
	object->at = at;
	object->inst = inst;
	return object;
}

void lang_graph_forget(struct lang_graph_reader *reader)
{
	memset(&reader->program->names[PTOWSP_GRAPH_KERNEL], 0, sizeof(struct lang_map));
	memset(&reader->program->names[PTOWSP_GRAPH_BARRIER], 0, sizeof(struct lang_map));
}

/* The ids of that kind that are defined, as help of the latest message. */
static void known_help(struct lang_graph_reader *reader, const struct lang_graph_object *wrong)
{
	const struct lang_graph_program *p = reader->program;
	const char **names = common_alloc(&reader->unit->arena, (p->graph_count + p->kernel_count + p->tensor_count + 1) * sizeof(*names));
	uint32_t count = 0;

	for (uint32_t i = 0; i < p->kernel_count && wrong->kind == PTOWSP_GRAPH_KERNEL; i++)
		if (p->kernels[i]->object.defined == 1 && p->kernels[i]->object.graph == wrong->graph)
			names[count++] = p->kernels[i]->object.name;
	for (uint32_t i = 0; i < p->graph_count && wrong->kind == PTOWSP_GRAPH_GRAPH; i++)
		if (p->graphs[i]->object.defined == 1)
			names[count++] = p->graphs[i]->object.name;
	if (count)
		lang_known_help(reader->unit, wrong->name, "", names, count);
}

void lang_graph_missing_refuse(struct lang_graph_reader *reader, struct lang_graph_object *object)
{
	const char *how = object->kind == PTOWSP_GRAPH_KERNEL  ? "TG_KERNEL defines it in this graph"
			  : object->kind == PTOWSP_GRAPH_GRAPH ? "TG_BEGIN or TG_FUSE defines it above"
							       : "TG_CHECKPOINT saves it above";

	lang_error(reader->unit, object->at, "there is no %s %s: no %s", pkg_graph_object_text(object->kind), object->name, how);
	known_help(reader, object);
	object->defined = LANG_GRAPH_TOLD;
}

void lang_graph_undefined_refuse(struct lang_graph_reader *reader, const struct lang_graph *graph)
{
	struct lang_graph_program *p = reader->program;

	for (uint32_t i = reader->first_kernel; graph && i < p->kernel_count; i++)
		if (!p->kernels[i]->object.defined && p->kernels[i]->object.graph == graph)
			lang_graph_missing_refuse(reader, &p->kernels[i]->object);
	for (uint32_t i = 0; !graph && i < p->graph_count; i++)
		if (!p->graphs[i]->object.defined)
			lang_graph_missing_refuse(reader, &p->graphs[i]->object);
	for (uint32_t i = 0; !graph && i < p->object_count; i++)
		if (!p->objects[i]->defined && p->objects[i]->kind == PTOWSP_GRAPH_CHECKPOINT)
			lang_graph_missing_refuse(reader, p->objects[i]);
}

/* --- numbers --- */

/* Numbers of one kind that are taken. */
struct numbers {
	uint32_t *taken; /* sorted by nothing: a hash set, 0 free, else number + 1 */
	uint32_t mask;
};

static int number_take(struct numbers *numbers, uint32_t number)
{
	uint32_t at = (uint32_t)(common_hash(0, number) >> 32) & numbers->mask;

	while (numbers->taken[at]) {
		if (numbers->taken[at] == number + 1)
			return 0;
		at = (at + 1) & numbers->mask;
	}
	numbers->taken[at] = number + 1;
	return 1;
}

static struct lang_graph_object *object_at(const struct lang_graph_program *p, enum ptowsp_graph_object kind, uint32_t i)
{
	switch (kind) {
	case PTOWSP_GRAPH_GRAPH: return i < p->graph_count ? &p->graphs[i]->object : NULL;
	case PTOWSP_GRAPH_KERNEL: return i < p->kernel_count ? &p->kernels[i]->object : NULL;
	case PTOWSP_GRAPH_TENSOR: return i < p->tensor_count ? &p->tensors[i]->object : NULL;
	default: return i < p->object_count ? p->objects[i] : NULL;
	}
}

static void kind_number(struct lang_graph_reader *reader, enum ptowsp_graph_object kind)
{
	struct lang_graph_program *p = reader->program;
	struct numbers numbers = {.mask = 15};
	/* A tensor 0 in TG_DEPEND means none, unless there is one. */
	uint32_t count = 0, next = kind == PTOWSP_GRAPH_TENSOR;
	struct lang_graph_object *object;
	uint8_t *done;

	while (object_at(p, kind, count))
		count++;
	while (numbers.mask < count * 2)
		numbers.mask = numbers.mask * 2 + 1;
	numbers.taken = common_alloc(&reader->unit->arena, (numbers.mask + 1) * sizeof(*numbers.taken));
	done = common_alloc(&reader->unit->arena, count + 1);
	for (uint32_t i = 0; i < count; i++) {
		object = object_at(p, kind, i);
		if (object->kind == kind && object->numeric && lang_uint_read(object->name, &object->number))
			done[i] = object->number < UINT32_MAX && number_take(&numbers, object->number);
	}
	for (uint32_t i = 0; i < count; i++) {
		object = object_at(p, kind, i);
		if (object->kind != kind || done[i])
			continue;
		while (!number_take(&numbers, next))
			next++;
		object->number = next++;
	}
}

void lang_graph_number(struct lang_graph_reader *reader)
{
	for (uint32_t kind = 0; kind < PTOWSP_GRAPH_OBJECTS; kind++)
		kind_number(reader, kind);
}

/* ---- what is known of the entry that a graph's kernel calls: an InCore function, a declared kernel, or nothing. ---- */

void lang_graph_entry_find(struct lang_module *module, struct lang_graph_kernel *kernel)
{
	struct lang_function *function = lang_map_find(&module->functions, kernel->entry);
	struct lang_decl *decl = lang_decl_find(module, '@', kernel->entry);

	if (function && function->kind == LANG_ORCHESTRATION) {
		lang_error(module->unit, kernel->entry_at, "%s is an Orchestration function, a kernel is an InCore one", kernel->entry);
		return;
	}
	if (function && function->inlined) {
		lang_inlined_refuse(module->unit, kernel->entry_at, function);
		return;
	}
	if (!function && decl && decl->kind != LANG_DECL_KERNEL) {
		lang_error(module->unit, kernel->entry_at, "%s is a %s, no kernel", kernel->entry, lang_decl_forms[decl->kind].word);
		return;
	}
	kernel->function = function;
	kernel->decl = function ? NULL : (struct lang_kernel *)decl;
}

uint32_t lang_graph_tensor_params(const struct lang_graph_kernel *kernel)
{
	return kernel->function || kernel->decl ? lang_param_count(kernel->function, kernel->decl, true) : UINT32_MAX;
}

bool lang_graph_is_portable(const struct lang_graph_kernel *kernel)
{
	for (uint32_t i = 0; kernel->decl && i < kernel->decl->payload_count; i++)
		if (kernel->decl->payloads[i].kind == PTOWSP_PAYLOAD_PTO)
			return true;
	return kernel->function != NULL;
}
