/* SPDX-License-Identifier: MIT */
/* pass_check.c - what a call of a body passes: kind, type, direction, shape, and layouts of tensors that meet. */
#include "format/format_names.h"
#include "lang/check/range.h"
#include "lang/number.h"
#include "registry/common/common_dtype.h"

#include <stdbool.h>
#include <string.h>

/* --- tensors --- */

static const char *shape_text(struct lang_work_check *check, uint32_t rows, uint32_t columns)
{
	return common_format(&check->unit->arena, "%u x %u", rows, columns);
}

static void value_refuse(struct lang_work_check *check, const struct lang_work *work, const struct lang_pass *pass, const struct lang_callee_param *param)
{
	if (pass->value->kind == LANG_SCALAR_NAME && !lang_decl_find(check->scope.module, '%', pass->value->text)) {
		lang_error(check->unit, pass->value->at, "there is no tensor %%%s", pass->value->text);
		lang_decl_help(check->scope.module, '%', LANG_DECL_TENSOR, pass->value->text);
	} else {
		lang_error(check->unit, pass->value->all, "%%%s of @%s is a tensor, a value is passed", param->name, work->callee);
	}
}

static bool type_fits(struct lang_work_check *check, const struct lang_work *work, const struct lang_part *part, const struct lang_callee_param *param)
{
	if (lang_part_dtype(part) == param->dtype)
		return true;
	lang_error(check->unit, part->at, "%%%s is of type %s, the parameter %%%s of @%s is %s", part->tensor, common_dtype_text(lang_part_dtype(part)),
		   param->name, work->callee, common_dtype_text(param->dtype));
	return false;
}

/* The whole tensor is passed and has another shape: which part of it would do, its first rows and columns or its elements without a shape? */
static void whole_help(struct lang_work_check *check, const struct lang_part *part, const struct lang_callee_param *param)
{
	uint64_t wanted = (uint64_t)param->rows * param->columns, there = (uint64_t)part->rows * part->columns;

	if (part->viewed || part->extents[0] || part->index_count)
		return;
	if (part->rows >= param->rows && part->columns >= param->columns)
		lang_help(check->unit, "say where the part begins: %%%s[0, 0] passes its first %s", part->tensor,
			  shape_text(check, param->rows, param->columns));
	else if (there >= wanted)
		lang_help(check->unit, "pass its elements without a shape, as they follow each other: %%%s[0, 0 : ...]", part->tensor);
	else
		lang_help(check->unit, "it has %llu elements, %llu are needed: declare it larger at %s, or take a smaller tile", (unsigned long long)there,
			  (unsigned long long)wanted, lang_place(check->unit, part->decl->head.at));
}

/* A kernel is handed the shape that it states; a function may work on more than its first tile, never on less. */
static void shape_check(struct lang_work_check *check, const struct lang_work *work, const struct lang_part *part, const struct lang_callee_param *param)
{
	uint32_t columns = part->viewed ? part->columns / common_dtype_bytes(part->view) : part->columns;

	if (param->loose || !param->rows || !param->columns || (part->rows == param->rows && columns == param->columns) ||
	    (work->function && part->rows >= param->rows && columns >= param->columns))
		return;
	if (work->function)
		lang_error(check->unit, part->all, "this part of %%%s is %s, and @%s moves a tile of %s to or from %%%s", part->tensor,
			   shape_text(check, part->rows, columns), work->callee, shape_text(check, param->rows, param->columns), param->name);
	else
		lang_error(check->unit, part->all, "this part of %%%s is %s, the parameter %%%s of @%s is %s", part->tensor,
			   shape_text(check, part->rows, columns), param->name, work->callee, shape_text(check, param->rows, param->columns));
	whole_help(check, part, param);
}

/* Accesses of the code that is in the package: a function's, or that of the portable payloads of a kernel. */
static unsigned access_done(const struct lang_work *work, const struct lang_callee_param *param)
{
	const struct lang_kernel *kernel = (const struct lang_kernel *)work->target;
	unsigned access = work->function ? param->access : 0;

	for (uint32_t i = 0; !work->function && i < kernel->payload_count; i++)
		if (kernel->payloads[i].function && param->argument < kernel->payloads[i].function->memref_count)
			access |= kernel->payloads[i].function->memrefs[param->argument]->access;
	return access;
}

/* The call says what is done with the tensor. More than the callee does is harmless; less is a promise, which code that is in the package must not break. */
static bool access_check(struct lang_work_check *check, const struct lang_work *work, const struct lang_pass *pass, const struct lang_callee_param *param)
{
	unsigned missing = param->access & ~pass->access, broken;

	if (work->function && work->function->kind == LANG_ORCHESTRATION) {
		lang_error(check->unit, pass->part.at, "@%s is expanded in place: its own calls say what is done with %%%s", work->callee, param->name);
		return false;
	}
	broken = access_done(work, param) & missing;
	if (!broken && (!missing || !pass->access)) /* bind says by itself that only the address is passed */
		return true;
	(broken ? lang_error : lang_warn)(check->unit, pass->part.at, "@%s %s %%%s, and this call says that it does not", work->callee,
					  missing == PTOWSP_READ ? "reads" : "writes", param->name);
	if (broken)
		lang_help(check->unit, "say %s, or leave the word out", pkg_word(PKG_WORDS_access, broken | pass->access));
	else
		lang_help(check->unit, "nothing orders the task by what it does there; leave the word out unless that is meant");
	return !broken;
}

static void tensor_pass(struct lang_work_check *check, struct lang_work *work, struct lang_pass *pass, const struct lang_callee_param *param)
{
	const char *who = common_format(&check->unit->arena, "@%s", work->callee);
	struct lang_part *part = &pass->part;

	if (pass->value) {
		value_refuse(check, work, pass, param);
		return;
	}
	if (pass->stated && !access_check(check, work, pass, param))
		return;
	if (!lang_part_check(check, part, pass->stated ? pass->access : param->access, who) || !type_fits(check, work, part, param))
		return;
	if (param->layout) {
		const char *whose = common_format(&check->unit->arena, "%%%s of %s", param->name, who);

		if (!lang_part_memory_join(check, part, param->access, &param->layout->memory, whose))
			return;
		lang_part_join(check, part, param->access, param->layout, whose);
	}
	if (work->function && work->function->kind == LANG_ORCHESTRATION && (part->flat || part->viewed)) {
		lang_error(check->unit, part->all, "@%s is expanded in place: its own calls say what they see of %%%s", work->callee, part->tensor);
		return;
	}
	if (work->function && work->function->kind == LANG_ORCHESTRATION)
		return; /* its accesses are its own affair; it begins at that element */
	part->open = work->function != NULL;
	part->callee = work->callee;
	if (part->flat)
		lang_part_flat_check(check, part);
	else if (lang_part_size(check, part, param->rows, param->columns))
		shape_check(check, work, part, param);
}

/* --- scalars --- */

/* The value in the loops around; a number alone has been looked at. */
static void range_fits(struct lang_work_check *check, const struct lang_scalar *value, const struct lang_callee_param *param)
{
	struct lang_range range = {0};
	int64_t end;
	uint64_t bits;

	if (!lang_range_add(check, &range, value, 1) || !range.count)
		return;
	for (int greatest = 1; greatest >= 0; greatest--)
		if (lang_range_end(&range, greatest, &end) &&
		    lang_number_read(common_format(&check->unit->arena, "%lld", (long long)end), param->dtype, &bits) != LANG_NUMBER_OK) {
			lang_error(check->unit, value->all, "%lld does not fit %%%s of type %s%s", (long long)end, param->name, common_dtype_text(param->dtype),
				   lang_range_text(check->unit, &range, greatest));
			return;
		}
}

/* Numbers of a float parameter are literals, or symbols and slots of that type; all else are integers. */
static void scalar_pass(struct lang_work_check *check, struct lang_work *work, struct lang_pass *pass, const struct lang_callee_param *param)
{
	struct lang_scalar *value = pass->value;

	if (!value) {
		lang_error(check->unit, pass->part.at, "%%%s of @%s is a scalar, a tensor is passed", param->name, work->callee);
		lang_help(check->unit, "load an element into a slot: slot_load %%s, %%%s[0, 0]", pass->part.tensor);
		return;
	}
	if (lang_argument_check(&check->scope, value, param->dtype, param->name) && common_dtype_class(param->dtype) != 'f')
		range_fits(check, value, param);
}

void lang_pass_check(struct lang_work_check *check, struct lang_work *work, struct lang_pass *pass, const struct lang_callee_param *param)
{
	if (param->tensor)
		tensor_pass(check, work, pass, param);
	else
		scalar_pass(check, work, pass, param);
}

/* --- layouts of one call --- */

struct operand {
	const struct lang_part *part;
	uint8_t access, stated; /* stated: the kernel says itself what layout its parameter has */
};

/* The first dimension that the two shard over different axes; their rank: none. */
static uint32_t dim_between(const struct lang_layout *a, const struct lang_layout *b)
{
	uint32_t dim = 0;

	while (dim < a->rank && !(a->dims[dim].sharded && b->dims[dim].sharded && a->dims[dim].mesh_axis != b->dims[dim].mesh_axis))
		dim++;
	return dim;
}

/* Parts of one shape meet element by element, unless the kernel says of both what it wants. */
static bool pair_join(struct lang_work_check *check, const struct operand *a, const struct operand *b)
{
	const struct lang_layout *la = &a->part->decl->layout, *lb = &b->part->decl->layout;
	uint32_t dim;

	if (a->part->flat || b->part->flat || a->part->rows != b->part->rows || a->part->columns != b->part->columns || (a->stated && b->stated) ||
	    la->rank != lb->rank)
		return true;
	dim = dim_between(la, lb);
	if (dim == la->rank)
		return true;
	lang_layouts_refuse(check, b->part, b->access, la, common_format(&check->unit->arena, "%%%s of the same call", a->part->tensor));
	return false;
}

void lang_passes_join(struct lang_work_check *check, const struct lang_work *work)
{
	uint32_t all = lang_callee_count(work), count = 0;
	struct operand *operands = common_alloc(&check->unit->arena, (all + 1) * sizeof(*operands));

	for (uint32_t i = 0; i < all; i++) {
		const struct lang_pass *pass = work->binds[i];
		struct lang_callee_param param;

		if (!pass || pass->value || !pass->part.decl || !pass->part.rows || !pass->part.decl->layout.stated)
			continue;
		param = lang_callee_param(work, i);
		if (param.tensor)
			operands[count++] = (struct operand){&pass->part, param.access, param.layout && param.layout->stated};
	}
	for (uint32_t i = 1; i < count; i++)
		for (uint32_t k = 0; k < i; k++)
			if (!pair_join(check, &operands[k], &operands[i]))
				return;
}
