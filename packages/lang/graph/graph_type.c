/* SPDX-License-Identifier: MIT */
/* graph_type.c - which element type each tensor of a graph program has: that of the kernel parameters it is bound to, where all agree and every
 * offset falls between elements; else it is a tensor of bytes, and kernels see views of it. */
#include "lang/graph/graph_lower.h"

#include "registry/common/common_dtype.h"

#include <stdbool.h>
#include <string.h>

/* A scalar is a multiple of `size` whatever its variables are. */
static bool is_multiple(const struct lang_graph_scalar *scalar, int64_t size)
{
	int64_t value;

	switch (scalar->op) {
	case PTOWSP_EXPR_CONST: return scalar->value % size == 0;
	case PTOWSP_EXPR_NEG: return is_multiple(scalar->a, size);
	case PTOWSP_EXPR_ADD:
	case PTOWSP_EXPR_SUB:
	case PTOWSP_EXPR_MOD:
	case PTOWSP_EXPR_MIN:
	case PTOWSP_EXPR_MAX:
	case PTOWSP_EXPR_OR:
	case PTOWSP_EXPR_XOR: return is_multiple(scalar->a, size) && is_multiple(scalar->b, size);
	case PTOWSP_EXPR_SHL:
		return is_multiple(scalar->a, size) ||
		       (lang_graph_constant(scalar->b, &value) && value >= 0 && value < 62 && (INT64_C(1) << value) % size == 0);
	case PTOWSP_EXPR_AND: /* sizes of elements are powers of two */
	case PTOWSP_EXPR_MUL: return is_multiple(scalar->a, size) || is_multiple(scalar->b, size);
	case PTOWSP_EXPR_SELECT: return is_multiple(scalar->b, size) && is_multiple(scalar->c, size);
	default: return size == 1;
	}
}

static struct lang_graph_memory *memory_of(struct lang_graph_lowering *lowering, const struct lang_graph_tensor *tensor)
{
	return &lowering->memories[tensor->object.index];
}

static struct lang_graph_memory *leader_of(struct lang_graph_memory *memory)
{
	while (memory->leader != memory)
		memory = memory->leader = memory->leader->leader;
	return memory;
}

/* A use as elements of that type. */
static void type_use(struct lang_graph_memory *memory, unsigned dtype)
{
	memory = leader_of(memory);
	memory->mixed |= memory->typed && memory->dtype != dtype;
	memory->typed = 1;
	memory->dtype = (uint16_t)dtype;
}

static void join(struct lang_graph_memory *a, struct lang_graph_memory *b)
{
	a = leader_of(a);
	b = leader_of(b);
	if (a == b)
		return;
	b->leader = a;
	a->mixed |= b->mixed;
	if (b->typed)
		type_use(a, b->dtype);
}

struct lang_graph_bind *lang_graph_bind_of(const struct lang_graph_kernel *kernel, uint32_t arg)
{
	/* The offsets are sorted, and mostly without gaps. */
	if (arg < kernel->bind_count && kernel->binds[arg]->arg == arg)
		return kernel->binds[arg];
	for (uint32_t i = 0; i < kernel->bind_count; i++)
		if (kernel->binds[i]->arg == arg)
			return kernel->binds[i];
	return NULL;
}

/* Elements that scalars read. */
static void scalar_see(struct lang_graph_lowering *lowering, const struct lang_graph_scalar *scalar)
{
	struct lang_graph_memory *memory;

	if (!scalar)
		return;
	scalar_see(lowering, scalar->a);
	scalar_see(lowering, scalar->b);
	scalar_see(lowering, scalar->c);
	if (scalar->op != PTOWSP_GRAPH_NODE_ELEMENT)
		return;
	memory = memory_of(lowering, lang_graph_tensor(scalar->object));
	type_use(memory, scalar->dtype);
	memory->ordered = 1;
}

static void copy_see(struct lang_graph_lowering *lowering, const struct lang_graph_inst *inst)
{
	struct lang_graph_memory *from = memory_of(lowering, lang_graph_tensor(inst->args[0].object));
	struct lang_graph_memory *to = memory_of(lowering, lang_graph_tensor(inst->args[1].object));

	from->ordered = to->ordered = 1;
	join(from, to);
}

/* MC_FREE stands in the block of the MC_ALLOC. */
static bool is_freed_beside(const struct lang_graph_inst *alloc, const struct lang_graph_inst *freed)
{
	const struct lang_graph_inst *parent = alloc->parent;

	while (freed && freed->parent != parent)
		freed = freed->freed_too;
	if (!freed)
		return false;
	return !parent || !parent->has_else || (alloc->order < parent->else_order) == (freed->order < parent->else_order);
}

static void block_see(struct lang_graph_lowering *lowering, const struct lang_graph_block *block)
{
	for (const struct lang_graph_inst *inst = block->first; inst; inst = inst->next) {
		for (unsigned i = 0; i < inst->arg_count; i++)
			scalar_see(lowering, inst->args[i].scalar);
		if (inst->op == PTOWSP_MC_COPY)
			copy_see(lowering, inst);
		if (inst->op == PTOWSP_MC_ALLOC)
			memory_of(lowering, lang_graph_tensor(inst->args[0].object))->freed_inside =
				(uint8_t)is_freed_beside(inst, lang_graph_tensor(inst->args[0].object)->freed);
		block_see(lowering, &inst->body);
		block_see(lowering, &inst->other);
	}
}

/* A number of bytes that is said of a tensor falls between its elements; else it holds elements of no one type. */
static void bytes_see(struct lang_graph_lowering *lowering, const struct lang_graph_tensor *tensor, const struct lang_graph_scalar *bytes)
{
	struct lang_graph_memory *leader = leader_of(memory_of(lowering, tensor));

	leader->mixed |= leader->typed && !is_multiple(bytes, common_dtype_bytes(leader->dtype));
}

static void copies_see(struct lang_graph_lowering *lowering, const struct lang_graph_block *block)
{
	for (const struct lang_graph_inst *inst = block->first; inst; inst = inst->next) {
		for (int i = 0; inst->op == PTOWSP_MC_COPY && i < 2; i++) {
			bytes_see(lowering, lang_graph_tensor(inst->args[i].object), inst->args[2].scalar);
			bytes_see(lowering, lang_graph_tensor(inst->args[i].object), inst->args[3 + i].scalar);
		}
		copies_see(lowering, &inst->body);
		copies_see(lowering, &inst->other);
	}
}

/* Sizes and offsets in bytes, of tensors, bindings and copies. */
static void mixed_find(struct lang_graph_lowering *lowering)
{
	const struct lang_graph_program *program = lowering->program;

	for (uint32_t i = 0; i < program->tensor_count; i++) {
		struct lang_graph_memory *leader = leader_of(&lowering->memories[i]);

		leader->mixed |= leader->typed && program->tensors[i]->object.defined && program->tensors[i]->size % common_dtype_bytes(leader->dtype);
	}
	for (uint32_t i = 0; i < program->bind_count; i++) {
		bytes_see(lowering, program->binds[i]->tensor, program->binds[i]->offset);
		bytes_see(lowering, program->binds[i]->tensor, program->binds[i]->size);
	}
	copies_see(lowering, &program->body);
}

/* A tensor that is only copied here is of the type that a program above sees under that name: it is one tensor. */
static void type_borrow(const struct lang_graph_lowering *lowering, struct lang_graph_memory *memory)
{
	for (const struct lang_decl *decl = lowering->module->decls; decl && !leader_of(memory)->typed; decl = decl->next) {
		const struct lang_graph_lowering *other = decl->kind == LANG_DECL_GRAPH ? ((const struct lang_graph_program *)decl)->lowering : NULL;
		const struct lang_graph_object *object =
			other && other != lowering ? lang_graph_find(other->program, PTOWSP_GRAPH_TENSOR, memory->tensor->object.name) : NULL;

		if (object && !object->defined && other->memories[object->index].dtype != PTOWSP_U8)
			type_use(memory, other->memories[object->index].dtype);
	}
}

void lang_graph_types_find(struct lang_graph_lowering *lowering)
{
	struct lang_graph_program *program = lowering->program;

	for (uint32_t i = 0; i < program->tensor_count; i++)
		lowering->memories[i] = (struct lang_graph_memory){.tensor = program->tensors[i], .leader = &lowering->memories[i]};
	for (uint32_t i = 0; i < program->tensor_count; i++) {
		lowering->memories[i].declared = program->tensors[i]->declared;
		if (lowering->memories[i].declared)
			type_use(&lowering->memories[i], lowering->memories[i].declared->dtype);
	}
	block_see(lowering, &program->body);
	for (uint32_t i = 0; i < program->bind_count; i++) {
		struct lang_param param = lang_graph_param(program->binds[i]->kernel, true, program->binds[i]->arg);

		scalar_see(lowering, program->binds[i]->offset);
		scalar_see(lowering, program->binds[i]->size);
		if (param.name)
			type_use(memory_of(lowering, program->binds[i]->tensor), param.dtype);
	}
	for (uint32_t i = 0; i < program->tensor_count; i++)
		if (!program->tensors[i]->object.defined)
			type_borrow(lowering, &lowering->memories[i]);
	mixed_find(lowering);
	for (uint32_t i = 0; i < program->tensor_count; i++) {
		const struct lang_graph_memory *leader = leader_of(&lowering->memories[i]);
		struct lang_graph_memory *memory = &lowering->memories[i];

		memory->dtype = leader->typed && !leader->mixed ? leader->dtype : PTOWSP_U8;
		memory->elements = memory->tensor->object.defined ? memory->tensor->size / common_dtype_bytes(memory->dtype) : 0;
	}
}

/* Accesses that edges state for a kernel whose body nobody knows. */
static unsigned stated_access(const struct lang_graph_lowering *lowering, const struct lang_graph_kernel *kernel, const struct lang_graph_tensor *tensor)
{
	const struct lang_graph_links *links = &lowering->links[kernel->object.index];
	unsigned access = 0;

	for (const struct lang_graph_link *link = links->from.first; link; link = link->next)
		if (link->depend->type == PTOWSP_dep_type_DATA && link->depend->tensor == tensor)
			access |= PTOWSP_WRITE;
	for (const struct lang_graph_link *link = links->into.first; link; link = link->next)
		if (link->depend->type == PTOWSP_dep_type_DATA && link->depend->tensor == tensor)
			access |= PTOWSP_READ;
	return access;
}

unsigned lang_graph_access(const struct lang_graph_lowering *lowering, const struct lang_graph_kernel *kernel, const struct lang_graph_bind *bind)
{
	struct lang_param param = lang_graph_param(kernel, true, bind->arg);

	if (param.name)
		return param.access;
	if (lowering->memories[bind->tensor->object.index].ordered)
		return PTOWSP_READ | PTOWSP_WRITE;
	if (!bind->tensor->object.defined && !bind->tensor->size)
		return 0; /* nobody knows how much of it: what is bound says, and edges order */
	return stated_access(lowering, kernel, bind->tensor);
}
