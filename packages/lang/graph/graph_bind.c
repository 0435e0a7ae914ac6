/* SPDX-License-Identifier: MIT */
/* graph_bind.c - what the kernels of a program are, and which bytes of which tensors they get. */
#include "lang/graph/graph_lower.h"
#include "lang/graph/lang_graph.h"
#include "lang/lang_kernel.h"
#include "ptowsp/task.h"
#include "registry/common/common_dtype.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ARGUMENTS 65535u /* of a kernel */

/* --- bindings --- */

static int by_argument(const void *a, const void *b)
{
	const struct lang_graph_bind *x = *(struct lang_graph_bind *const *)a, *y = *(struct lang_graph_bind *const *)b;

	return x->arg != y->arg ? (x->arg < y->arg ? -1 : 1) : x->inst->order < y->inst->order ? -1 : x->inst->order > y->inst->order;
}

/* The iterators of a scalar must be those of loops around the kernel. */
static bool iterators_check(struct lang_unit *unit, const struct lang_graph_scalar *scalar, const struct lang_graph_kernel *kernel)
{
	const struct lang_graph_inst *at = kernel->inst;

	if (!scalar)
		return true;
	if (scalar->op == PTOWSP_EXPR_AXIS) {
		while (at && at != scalar->object->inst)
			at = at->parent;
		if (!at)
			lang_error(unit, scalar->at, "%s stands outside of the loop over %s", kernel->object.name, scalar->object->name);
		return at != NULL;
	}
	return iterators_check(unit, scalar->a, kernel) && iterators_check(unit, scalar->b, kernel) && iterators_check(unit, scalar->c, kernel);
}

static const char *origin_word(const struct lang_graph_tensor *tensor)
{
	return tensor->declared ? "declared" : "allocated";
}

static const char *origin_place(struct lang_unit *unit, const struct lang_graph_tensor *tensor)
{
	return lang_place(unit, tensor->declared ? tensor->declared->head.at : tensor->object.at);
}

/* Bytes first .. last of a tensor, of which `room` are there. */
static void outside_refuse(struct lang_unit *unit, struct lang_span at, const struct lang_graph_tensor *tensor, int64_t first, int64_t last)
{
	lang_error(unit, at, "bytes %lld to %lld are outside of %s, which has %llu", (long long)first, (long long)last, tensor->object.name,
		   (unsigned long long)tensor->room);
	lang_help(unit, "%s is %s at %s", tensor->object.name, origin_word(tensor), origin_place(unit, tensor));
}

/* A constant that no tensor is as large as. */
static bool far_refuse(struct lang_unit *unit, const struct lang_graph_tensor *tensor, const struct lang_graph_scalar *bytes, const char *what)
{
	int64_t value;

	if (!lang_graph_constant(bytes, &value))
		return false;
	lang_error(unit, bytes->at, "this %s %s is %lld, no tensor is as large as that", what, tensor->object.name, (long long)value);
	return true;
}

/* A part of a tensor that begins at offset; size 0: the rest. External tensors grow with what is said of them. 0: that was wrong. */
static bool part_check(struct lang_unit *unit, struct lang_graph_tensor *tensor, const struct lang_graph_scalar *offset, const struct lang_graph_scalar *size,
		       int written)
{
	int64_t low, high, least = 0, most = 0, end;

	if (!lang_graph_range(offset, &low, &high)) {
		tensor->open |= (uint8_t)written;
		return !far_refuse(unit, tensor, offset, "offset into");
	}
	if (low < 0) {
		lang_error(unit, offset->at, "this offset into %s can be %lld", tensor->object.name, (long long)low);
		return false;
	}
	if (!lang_graph_range(size, &least, &most)) {
		if (far_refuse(unit, tensor, size, "size of a part of"))
			return false;
		most = least = 0;
	}
	if (least < 0) {
		lang_error(unit, size->at, "this size of a part of %s can be %lld", tensor->object.name, (long long)least);
		return false;
	}
	tensor->open |= (uint8_t)(written && !most);
	end = high + (most ? most : 1);
	if (!tensor->object.defined)
		tensor->size = most && (uint64_t)end > tensor->size ? (uint64_t)end : tensor->size;
	if (!tensor->room || (uint64_t)end <= tensor->room)
		return true;
	outside_refuse(unit, offset->at.length && high ? offset->at : size->at, tensor, high, end - 1);
	return false;
}

/* Nothing writes what the file declares as in or const; who: a kernel's entry, an instruction. */
static void written_check(struct lang_unit *unit, struct lang_span at, const struct lang_graph_tensor *tensor, const char *who)
{
	const struct lang_tensor *declared = tensor->declared;

	if (!declared || declared->head.broken || (declared->role != PTOWSP_ROLE_IN && declared->role != PTOWSP_ROLE_CONST))
		return;
	lang_error(unit, at, "%s writes %s, which is declared as %s", who, tensor->object.name, declared->role == PTOWSP_ROLE_IN ? "in" : "const");
	lang_help(unit, "declare it as inout or out at %s", lang_place(unit, declared->head.at));
}

/* Bound bytes begin with an element of the parameter's type. */
static void element_check(struct lang_unit *unit, const struct lang_graph_bind *bind)
{
	const struct lang_param param = lang_graph_param(bind->kernel, true, bind->arg);
	int64_t offset;

	if (!param.name || !lang_graph_constant(bind->offset, &offset) || offset % common_dtype_bytes(param.dtype) == 0)
		return;
	lang_error(unit, bind->offset->at, "no element begins %lld bytes into %s: %%%s of %s is %s, %u bytes each", (long long)offset,
		   bind->tensor->object.name, param.name, bind->kernel->entry, common_dtype_text(param.dtype), common_dtype_bytes(param.dtype));
}

/* The most bytes that the binding can give; 0: that is not known. */
static int64_t bind_most(const struct lang_graph_bind *bind)
{
	int64_t low, high, least, most;

	if (!lang_graph_range(bind->size, &least, &most))
		return 0;
	if (most)
		return least ? most : 0;
	return bind->tensor->room && lang_graph_range(bind->offset, &low, &high) ? (int64_t)bind->tensor->room - low : 0;
}

/* A function's first tile, or what a kernel is declared with, lies inside of what is bound: a run would refuse it, native code would go beyond. */
static void shape_check(struct lang_unit *unit, const struct lang_graph_bind *bind)
{
	const struct lang_param param = lang_graph_param(bind->kernel, true, bind->arg);
	const struct lang_graph_tensor *tensor = bind->tensor;
	int64_t need = param.loose ? 0 : (int64_t)param.rows * param.columns, most = bind_most(bind), size, offset;
	int sized = !lang_graph_constant(bind->size, &size) || size;
	int known = lang_graph_constant(sized ? bind->size : bind->offset, &offset);

	if (!param.name || need > LANG_GRAPH_FAR / 8)
		return;
	need *= common_dtype_bytes(param.dtype);
	if (!most || need <= most)
		return;
	lang_error(unit, sized ? bind->size->at : bind->inst->args[2].at, "%s gets %s%lld byte%s of %s, and %%%s of %s takes %u x %u of type %s, %lld bytes",
		   bind->kernel->object.name, known ? "" : "at most ", (long long)most, most == 1 ? "" : "s", tensor->object.name, param.name,
		   bind->kernel->entry, param.rows, param.columns, common_dtype_text(param.dtype), (long long)need);
	if (sized)
		lang_help(unit, "bind %lld bytes", (long long)need);
	else
		lang_help(unit, "%s is %s at %s with %llu bytes", tensor->object.name, origin_word(tensor), origin_place(unit, tensor),
			  (unsigned long long)tensor->room);
}

static void bind_check(struct lang_unit *unit, struct lang_graph_bind *bind)
{
	struct lang_graph_kernel *kernel = bind->kernel;
	uint32_t count = lang_graph_tensor_params(kernel);

	if (bind->arg >= MAX_ARGUMENTS || bind->arg >= count) {
		lang_error(unit, bind->inst->args[1].at, "%s has no argument %u", kernel->object.name, bind->arg);
		if (count != UINT32_MAX)
			lang_help(unit, "%s takes %u tensor%s, the first one is 0", kernel->entry, count, count == 1 ? "" : "s");
		return;
	}
	if (count != UINT32_MAX)
		bind->access = lang_graph_param(kernel, true, bind->arg).access;
	bind->tensor->access |= bind->access;
	if (bind->access & PTOWSP_WRITE)
		written_check(unit, bind->inst->args[2].at, bind->tensor, kernel->entry);
	element_check(unit, bind);
	if (iterators_check(unit, bind->offset, kernel))
		iterators_check(unit, bind->size, kernel);
	if (part_check(unit, bind->tensor, bind->offset, bind->size, bind->access != PTOWSP_READ))
		shape_check(unit, bind);
}

static void arguments_check(struct lang_unit *unit, struct lang_graph_kernel *kernel)
{
	uint32_t count = 0, known = lang_graph_tensor_params(kernel);

	if (kernel->bind_count)
		qsort(kernel->binds, kernel->bind_count, sizeof(*kernel->binds), by_argument);
	for (uint32_t i = 0; i < kernel->bind_count; i++) {
		const struct lang_graph_bind *bind = kernel->binds[i];

		if (i && bind->arg == kernel->binds[i - 1]->arg) {
			lang_error(unit, bind->inst->args[1].at, "argument %u of %s is bound twice, first at %s", bind->arg, kernel->object.name,
				   lang_place(unit, kernel->binds[i - 1]->inst->at));
			return;
		}
		if (bind->arg != count++)
			break;
	}
	kernel->arg_count = kernel->bind_count ? kernel->binds[kernel->bind_count - 1]->arg + 1 : 0;
	if (known != UINT32_MAX && kernel->arg_count < known)
		kernel->arg_count = known;
	for (uint32_t i = 0; i < kernel->arg_count; i++)
		if (i >= kernel->bind_count || kernel->binds[i]->arg != i) {
			lang_error(unit, kernel->object.at, "argument %u of %s is not bound", i, kernel->object.name);
			if (i < known && known != UINT32_MAX)
				lang_help(unit, "it is %%%s of %s: MC_BIND(%s, %u, TENSOR)", lang_graph_param(kernel, true, i).name, kernel->entry,
					  kernel->object.name, i);
			return;
		}
}

/* --- copies and frees --- */

static bool is_inside(const struct lang_graph_inst *inst, const struct lang_graph_inst *around)
{
	while (inst && inst != around)
		inst = inst->parent;
	return inst != NULL;
}

static void copy_check(struct lang_unit *unit, const struct lang_graph_inst *inst)
{
	struct lang_graph_tensor *from = lang_graph_tensor(inst->args[0].object), *to = lang_graph_tensor(inst->args[1].object);
	int64_t size, a, b;

	if (lang_graph_constant(inst->args[2].scalar, &size) && !size) {
		lang_error(unit, inst->args[2].at, "this copies no bytes");
		return;
	}
	part_check(unit, from, inst->args[3].scalar, inst->args[2].scalar, 0);
	part_check(unit, to, inst->args[4].scalar, inst->args[2].scalar, 1);
	from->access |= PTOWSP_READ;
	to->access |= PTOWSP_WRITE;
	written_check(unit, inst->args[1].at, to, "MC_COPY");
	if (from == to && lang_graph_constant(inst->args[2].scalar, &size) && lang_graph_constant(inst->args[3].scalar, &a) &&
	    lang_graph_constant(inst->args[4].scalar, &b) && a < b + size && b < a + size)
		lang_error(unit, inst->at, "the copy inside of %s overlaps itself", from->object.name);
}

/* The loop around the free that is not around the allocation. */
static const struct lang_graph_inst *loop_between(const struct lang_graph_inst *inst, const struct lang_graph_inst *alloc)
{
	for (const struct lang_graph_inst *at = inst->parent; at; at = at->parent)
		if ((at->op == PTOWSP_CF_LOOP || at->op == PTOWSP_CF_WHILE) && !is_inside(alloc, at))
			return at;
	return NULL;
}

/* One MC_FREE of the tensor, which may be reached in the same round as the instruction. */
static const struct lang_graph_inst *freed_before(const struct lang_graph_tensor *tensor, const struct lang_graph_inst *inst)
{
	const struct lang_graph_inst *freed = tensor->freed;

	while (freed && lang_graph_are_alternatives(freed, inst))
		freed = freed->freed_too;
	return freed;
}

static void free_check(struct lang_unit *unit, struct lang_graph_inst *inst)
{
	struct lang_graph_tensor *tensor = lang_graph_tensor(inst->args[0].object);

	if (!tensor->object.defined) {
		lang_error(unit, inst->args[0].at, "%s is not allocated here: it cannot be freed", tensor->object.name);
		lang_help(unit, "tensors without MC_ALLOC belong to the caller");
	} else if (freed_before(tensor, inst)) {
		lang_error(unit, inst->args[0].at, "%s is freed twice, first at %s", tensor->object.name, lang_place(unit, freed_before(tensor, inst)->at));
	} else if (tensor->object.inst->order > inst->order) {
		lang_error(unit, inst->args[0].at, "%s is freed before it is allocated at %s", tensor->object.name, lang_place(unit, tensor->object.at));
	} else if (loop_between(inst, tensor->object.inst)) {
		lang_error(unit, inst->args[0].at, "%s is freed in every round of the loop at %s and allocated once", tensor->object.name,
			   lang_place(unit, loop_between(inst, tensor->object.inst)->at));
	} else {
		inst->freed_too = tensor->freed;
		tensor->freed = inst;
	}
}

/* Bytes that are read where they may be gone; inside of one graph. Uses outside of graphs are looked at with the launches. */
static void use_check(struct lang_unit *unit, const struct lang_graph_inst *inst, struct lang_span at, const struct lang_graph_object *object)
{
	const struct lang_graph_tensor *tensor = (const struct lang_graph_tensor *)(const void *)object;
	const struct lang_graph_inst *freed = freed_before(tensor, inst);

	if (freed && freed->graph && freed->graph == inst->graph && freed->order < inst->order)
		lang_error(unit, at, "%s is freed at %s, above", object->name, lang_place(unit, freed->at));
}

static void scalar_check(struct lang_unit *unit, const struct lang_graph_inst *inst, const struct lang_graph_scalar *scalar)
{
	const struct lang_graph_tensor *tensor;
	int64_t low, high, size;

	if (!scalar)
		return;
	scalar_check(unit, inst, scalar->a);
	scalar_check(unit, inst, scalar->b);
	scalar_check(unit, inst, scalar->c);
	if (scalar->op != PTOWSP_GRAPH_NODE_ELEMENT)
		return;
	use_check(unit, inst, scalar->at, scalar->object);
	tensor = lang_graph_tensor(scalar->object);
	size = common_dtype_bytes(scalar->dtype);
	if (!lang_graph_range(scalar->a, &low, &high))
		return;
	if (low < 0)
		lang_error(unit, scalar->a->at, "this index into %s can be %lld", scalar->object->name, (long long)low);
	else if (tensor->room && high >= (int64_t)tensor->room / size) {
		lang_error(unit, scalar->a->at, "element %lld is outside of %s, which has %lld of them", (long long)high, scalar->object->name,
			   (long long)tensor->room / size);
		lang_help(unit, "one of type %s has %lld bytes; %s is %s at %s", common_dtype_text(scalar->dtype), (long long)size, scalar->object->name,
			  origin_word(tensor), origin_place(unit, tensor));
	}
}

static void uses_check(struct lang_unit *unit, const struct lang_graph_block *block)
{
	for (const struct lang_graph_inst *inst = block->first; inst; inst = inst->next) {
		for (uint32_t i = 0; i < inst->arg_count; i++)
			scalar_check(unit, inst, inst->args[i].scalar);
		for (uint32_t i = 0; inst->op == PTOWSP_MC_COPY && i < 2; i++)
			use_check(unit, inst, inst->args[i].at, inst->args[i].object);
		uses_check(unit, &inst->body);
		uses_check(unit, &inst->other);
	}
}

static void block_check(struct lang_unit *unit, struct lang_graph_block *block)
{
	for (struct lang_graph_inst *inst = block->first; inst; inst = inst->next) {
		if (inst->op == PTOWSP_MC_COPY)
			copy_check(unit, inst);
		else if (inst->op == PTOWSP_MC_FREE)
			free_check(unit, inst);
		block_check(unit, &inst->body);
		block_check(unit, &inst->other);
	}
}

/* A kernel below the free, or one that is bound below it, uses what is not there any more. */
static void freed_check(struct lang_unit *unit, const struct lang_graph_bind *bind)
{
	const struct lang_graph_inst *freed = freed_before(bind->tensor, bind->kernel->inst);
	const char *name = bind->tensor->object.name;

	/* Frees outside of graphs are looked at with the launches. */
	if (!freed || !freed->graph || freed->graph != bind->kernel->object.graph)
		return;
	if (bind->kernel->inst->order > freed->order || bind->inst->order > freed->order) {
		lang_error(unit, freed->args[0].at, "%s is still in use: kernel %s below gets it", name, bind->kernel->object.name);
		lang_help(unit, "move MC_FREE(%s) behind all kernels and bindings that use it", name);
	}
}

/* The size and type that the file states for the tensor. */
static void tensor_find(struct lang_module *module, struct lang_graph_tensor *tensor)
{
	const struct lang_decl *decl = tensor->object.defined ? NULL : lang_decl_find(module, '%', tensor->object.name);
	int64_t rows, columns;

	tensor->room = tensor->object.defined ? tensor->size : 0;
	if (!decl || decl->kind != LANG_DECL_TENSOR || decl->broken)
		return;
	tensor->declared = (const struct lang_tensor *)decl;
	if (lang_tensor_shape(tensor->declared, &rows, &columns) && columns <= LANG_GRAPH_FAR / INT32_MAX / 8)
		tensor->room = (uint64_t)(rows * columns) * common_dtype_bytes(tensor->declared->dtype);
}

void lang_graph_bind(struct lang_module *module, struct lang_graph_program *program)
{
	struct lang_unit *unit = module->unit;

	for (uint32_t i = 0; i < program->kernel_count; i++)
		lang_graph_entry_find(module, program->kernels[i]);
	for (uint32_t i = 0; i < program->tensor_count; i++)
		tensor_find(module, program->tensors[i]);
	for (uint32_t i = 0; i < program->bind_count; i++) {
		struct lang_graph_bind *bind = program->binds[i];
		struct lang_graph_kernel *kernel = bind->kernel;

		bind_check(unit, bind);
		*COMMON_PUSH(&unit->arena, kernel->binds, kernel->bind_count, kernel->bind_capacity) = bind;
	}
	for (uint32_t i = 0; i < program->kernel_count; i++)
		arguments_check(unit, program->kernels[i]);
	block_check(unit, &program->body);
	uses_check(unit, &program->body);
	for (uint32_t i = 0; i < program->bind_count; i++)
		freed_check(unit, program->binds[i]);
}
