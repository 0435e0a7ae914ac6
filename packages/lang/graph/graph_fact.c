/* SPDX-License-Identifier: MIT */
/* graph_fact.c - what an instruction says about the objects that it names. */
#include "lang/graph/lang_graph.h"

#include "format/container.h"

#define MAX_BYTES (UINT64_C(1) << 48) /* of an allocation: what addresses reach */

static void kernel_fill(struct lang_graph_reader *reader, struct lang_graph_inst *inst)
{
	struct lang_graph_kernel *kernel = lang_graph_kernel(inst->args[0].object);

	kernel->entry = inst->args[1].text;
	kernel->entry_at = inst->args[1].at;
	kernel->blockdim = (uint32_t)inst->args[2].value;
	kernel->core_type = (uint32_t)inst->args[3].value;
	kernel->workspace = inst->args[4].value;
	if (kernel->workspace > PKG_WORKSPACE_LIMIT)
		lang_error(reader->unit, inst->args[4].at, "the workspace of %s is %llu, it must be 0 to 2^37 bytes", kernel->object.name,
			   (unsigned long long)kernel->workspace);
	kernel->inst = inst;
	kernel->node = reader->graph->kernel_count;
	*COMMON_PUSH(&reader->unit->arena, reader->graph->kernels, reader->graph->kernel_count, reader->graph->kernel_capacity) = kernel;
}

static void depend_fill(struct lang_graph_reader *reader, struct lang_graph_inst *inst)
{
	struct lang_graph_depend *depend = common_alloc(&reader->unit->arena, sizeof(*depend));
	struct lang_graph_object *tensor = inst->args[3].object;

	depend->inst = inst;
	depend->src = lang_graph_kernel(inst->args[0].object);
	depend->dst = lang_graph_kernel(inst->args[1].object);
	depend->type = (uint32_t)inst->args[2].value;
	depend->tensor = tensor ? lang_graph_tensor(tensor) : NULL;
	*COMMON_PUSH(&reader->unit->arena, reader->graph->depends, reader->graph->depend_count, reader->graph->depend_capacity) = depend;
}

static void alloc_fill(struct lang_graph_reader *reader, const struct lang_graph_inst *inst)
{
	struct lang_graph_tensor *tensor = lang_graph_tensor(inst->args[0].object);
	uint64_t alignment = inst->args[2].value;

	tensor->size = inst->args[1].value;
	tensor->alignment = (uint32_t)alignment;
	tensor->location = (uint32_t)inst->args[3].value;
	if (!tensor->size || tensor->size > MAX_BYTES)
		lang_error(reader->unit, inst->args[1].at, "the size of %s is %llu, it must be 1 to 2^48 bytes", tensor->object.name,
			   (unsigned long long)tensor->size);
	if (!alignment || (alignment & (alignment - 1)) || alignment > (1u << 30))
		lang_error(reader->unit, inst->args[2].at, "the alignment of %s is %llu, it must be a power of two up to 2^30", tensor->object.name,
			   (unsigned long long)alignment);
}

static void bind_fill(struct lang_graph_reader *reader, struct lang_graph_inst *inst)
{
	struct lang_graph_program *p = reader->program;
	struct lang_graph_bind *bind = common_alloc(&reader->unit->arena, sizeof(*bind));

	bind->inst = inst;
	bind->kernel = lang_graph_kernel(inst->args[0].object);
	bind->arg = (uint32_t)inst->args[1].value;
	bind->tensor = lang_graph_tensor(inst->args[2].object);
	bind->offset = inst->args[3].scalar;
	bind->size = inst->args[4].scalar;
	*COMMON_PUSH(&reader->unit->arena, p->binds, p->bind_count, p->bind_capacity) = bind;
}

static void request_fill(struct lang_graph_reader *reader, const struct lang_graph_inst *inst)
{
	struct lang_graph_kernel *kernel = lang_graph_kernel(inst->args[0].object);

	if (kernel->requested) {
		lang_error(reader->unit, inst->at, "the cores of %s are requested twice", kernel->object.name);
		lang_help(reader->unit, "take one of the two CA_REQUEST out");
	}
	kernel->requested = 1;
	kernel->aic = (uint32_t)inst->args[1].value;
	kernel->aiv = (uint32_t)inst->args[2].value;
	kernel->aicpu = (uint32_t)inst->args[3].value;
}

static void persistent_fill(struct lang_graph_reader *reader, const struct lang_graph_inst *inst)
{
	struct lang_graph_kernel *kernel = lang_graph_kernel(inst->args[0].object);

	if (kernel->persistent) {
		lang_error(reader->unit, inst->at, "it is said twice how long %s stays resident", kernel->object.name);
		lang_help(reader->unit, "take one of the two TG_PERSISTENT out");
	}
	kernel->persistent = 1;
	kernel->duration = inst->args[1].value;
}

void lang_graph_facts_fill(struct lang_graph_reader *reader, struct lang_graph_inst *inst)
{
	switch (inst->op) {
	case PTOWSP_TG_KERNEL: kernel_fill(reader, inst); break;
	case PTOWSP_TG_DEPEND: depend_fill(reader, inst); break;
	case PTOWSP_MC_ALLOC: alloc_fill(reader, inst); break;
	case PTOWSP_MC_BIND: bind_fill(reader, inst); break;
	case PTOWSP_CA_REQUEST: request_fill(reader, inst); break;
	case PTOWSP_TG_PERSISTENT: persistent_fill(reader, inst); break;
	default: break;
	}
}
