/* SPDX-License-Identifier: MIT */
/* check_parts.c - parts of which a run decides how many rows and columns are there: the scalars %x.rows and %x.columns of the functions that get them, what calls pass for those, what is known of
 * such sizes when a program is packed. */
#include "isa/isa.h"
#include "lang/check/lang_check.h"
#include "lang/lang_process.h"
#include "lang/lang_work.h"

#include <stdbool.h>
#include <string.h>

static const char *const axes[] = {"rows", "columns"};

/* --- the scalars --- */

static struct lang_var *extent_find(struct lang_unit *unit, const struct lang_function *f, const struct lang_var *of, unsigned axis)
{
	return lang_var_find(f, common_format(&unit->arena, "%s.%s", of->name, axes[axis]));
}

static void extent_link(struct lang_var *of, struct lang_var *scalar, unsigned axis)
{
	of->extents[axis] = scalar;
	scalar->extent_of = of;
	scalar->extent_columns = (uint8_t)axis;
	scalar->needed = 1;
}

static bool type_check(struct lang_unit *unit, const struct lang_var *of, const struct lang_var *scalar, unsigned axis)
{
	if (scalar->kind == LANG_SCALAR && scalar->type.dtype == PTOWSP_I32)
		return true;
	lang_error(unit, scalar->type.at, "%%%s is how many %s of %%%s are there, which is an i32, not %s", scalar->name, axes[axis], of->name,
		   lang_type_text(unit, &scalar->type));
	lang_help(unit, "declare it as %%%s: i32, or give it another name", scalar->name);
	return false;
}

/* A parameter of that name is such a scalar of a memref or of a tile that is a parameter, whether or not the function reads it. */
static void declared_link(struct lang_unit *unit, struct lang_function *f)
{
	for (uint32_t i = 0, count = f->var_count; i < count; i++)
		for (unsigned axis = 0; axis < 2 && f->vars[i]->param && (f->vars[i]->kind == LANG_MEMREF || f->vars[i]->kind == LANG_TILE); axis++) {
			struct lang_var *scalar = extent_find(unit, f, f->vars[i], axis);

			if (scalar && scalar->param && scalar->kind != LANG_BROKEN && type_check(unit, f->vars[i], scalar, axis))
				extent_link(f->vars[i], scalar, axis);
		}
}

/* The function has something else of the name that the scalar would get; of a parameter the declaration was told. */
static bool name_taken(struct lang_unit *unit, const struct lang_function *f, const struct lang_var *memref, unsigned axis)
{
	const struct lang_var *other = extent_find(unit, f, memref, axis);

	if (other && other->kind != LANG_BROKEN && !other->param) {
		lang_error(unit, other->at, "%%%s is how many %s of %%%s are there, which calls say of @%s", other->name, axes[axis], memref->name, f->name);
		lang_help(unit, "declare it as a parameter, %%%s: i32, or give this another name", other->name);
	}
	return other;
}

/* Some call passes not all of the axis. */
static void extent_declare(struct lang_unit *unit, struct lang_function *f, struct lang_var *memref, unsigned axis)
{
	const struct lang_type type = {.kind = LANG_TYPE_SCALAR, .dtype = PTOWSP_I32};

	if (memref->extents[axis] || name_taken(unit, f, memref, axis))
		return;
	if (f->extent_count == LANG_MAX_EXTENTS) {
		lang_error(unit, memref->at, "@%s gets more than %u parts of which a run says how much is there", f->name, LANG_MAX_EXTENTS);
		return;
	}
	if (!f->apart)
		f->apart = common_alloc(&unit->arena, LANG_MAX_EXTENTS * sizeof(*f->apart));
	memref->parts |= (uint8_t)(1u << axis);
	extent_link(memref, lang_var_add(unit, f, LANG_SCALAR, common_format(&unit->arena, "%s.%s", memref->name, axes[axis]), type, memref->at), axis);
	memref->extents[axis]->param = 1;
	memref->extents[axis]->extent = f->extent_count;
	*COMMON_PUSH(&unit->arena, f->extents, f->extent_count, f->extent_capacity) = memref->extents[axis];
}

static void touch_find(const struct lang_function *f, const struct lang_block *block, struct lang_var *memref, bool branch);

/* Once for each memref, and not again inside itself. */
static void touch_note(const struct lang_function *f, struct lang_var *memref)
{
	if (memref->looked)
		return;
	memref->looked = 1;
	touch_find(f, &f->body, memref, false);
}

/* The callee has the memref as its own parameter `formal`: its account of that counts for both. */
static void handed_find(const struct lang_stmt *stmt, const char *formal, struct lang_var *memref, bool branch)
{
	struct lang_var *param = lang_var_find(stmt->target, formal);

	if (!param || param->kind != LANG_MEMREF)
		return;
	touch_note(stmt->target, param);
	memref->loose |= param->loose || branch;
	memref->first = memref->first ? memref->first : param->first;
}

static void operands_find(const struct lang_function *f, const struct lang_stmt *stmt, struct lang_var *memref, bool branch)
{
	const char *letters = stmt->op == PTOWSP_PTO_CALL ? "" : isa_op(stmt->op)->operands;
	const struct lang_var *tile = NULL;
	bool touched = false;

	for (uint32_t i = 0; i < stmt->count && letters[i] && stmt->operands[i].text; i++) {
		if ((letters[i] | 32) == 't' && !tile)
			tile = lang_var_find(f, stmt->operands[i].text);
		touched |= (letters[i] | 32) == 'm' && !strcmp(stmt->operands[i].text, memref->name);
	}
	memref->loose |= touched && (branch || stmt->op == PTOWSP_PTO_MGATHER || stmt->op == PTOWSP_PTO_MSCATTER);
	if (touched && !memref->first && tile && tile->kind == LANG_TILE)
		memref->first = &tile->type;
}

static void touch_find(const struct lang_function *f, const struct lang_block *block, struct lang_var *memref, bool branch)
{
	for (const struct lang_stmt *stmt = block->first; stmt; stmt = stmt->next) {
		const bool inner = branch || stmt->op == PTOWSP_PTO_IF;

		for (uint32_t i = 0; i < stmt->arg_count && stmt->target; i++)
			if (stmt->args[i].actual.text && stmt->args[i].formal && !strcmp(stmt->args[i].actual.text, memref->name))
				handed_find(stmt, stmt->args[i].formal, memref, branch);
		if (stmt->rest.line && stmt->target)
			handed_find(stmt, memref->name, memref, branch);
		operands_find(f, stmt, memref, branch);
		touch_find(f, &stmt->body, memref, inner);
		touch_find(f, &stmt->other, memref, inner);
	}
}

/* A size that a run decides, or a number below the tile's. A function that gathers, or takes only some branch to it, touches no more than numbers alone say, by its own account. */
static bool is_part(const struct lang_function *f, const struct lang_part *part, struct lang_var *memref, unsigned axis)
{
	int64_t known, other;

	if (!part->extents[0] || !part->extents[1])
		return false;
	if (!lang_scalar_known(part->extents[axis], &known))
		return true;
	touch_note(f, memref);
	if ((memref->loose || part->viewed) && lang_scalar_known(part->extents[!axis], &other))
		return false;
	return memref->first && known < (axis ? memref->first->columns : memref->first->rows);
}

static void call_note(struct lang_module *module, const struct lang_work *call)
{
	struct lang_function *f = call->callee ? lang_map_find(&module->functions, call->callee) : NULL;

	for (uint32_t i = 0; f && f->kind == LANG_INCORE && !f->inlined && i < call->pass_count; i++) {
		const struct lang_part *part = &call->passes[i].part;
		struct lang_var *memref = call->passes[i].formal ? lang_var_find(f, call->passes[i].formal) : NULL; /* a name that could not be read */

		for (unsigned axis = 0; axis < 2 && memref && memref->kind == LANG_MEMREF && !part->flat; axis++)
			if (is_part(f, part, memref, axis))
				extent_declare(module->unit, f, memref, axis);
	}
}

static void body_note(struct lang_module *module, const struct lang_body *body)
{
	for (const struct lang_work *work = body->first; work; work = work->next) {
		call_note(module, work);
		for (uint32_t i = 0; i < work->body_count; i++)
			body_note(module, &work->bodies[i]);
	}
}

void lang_parts_note(struct lang_module *module)
{
	for (struct lang_function *f = module->first; f; f = f->next)
		declared_link(module->unit, f);
	for (struct lang_decl *decl = module->decls; decl; decl = decl->next)
		if (decl->kind == LANG_DECL_WORKLOAD)
			body_note(module, &((struct lang_workload *)decl)->body);
		else if (decl->kind == LANG_DECL_PROCESS)
			body_note(module, &((struct lang_process *)decl)->body);
}

/* --- what calls pass --- */

struct lang_scalar *lang_part_extent(struct lang_work_check *check, const struct lang_work *work, const struct lang_var *scalar)
{
	const struct lang_var *memref = scalar->extent_of;
	const struct lang_pass *pass = memref ? work->binds[memref->number] : NULL;
	struct lang_scalar *number;

	if (!pass || pass->value)
		return NULL;
	if (pass->part.flat) {
		lang_error(check->unit, pass->part.all, "@%s is told how many %s of its tile of %%%s are there, and flat memory has none", work->callee,
			   axes[scalar->extent_columns], memref->name);
		return NULL;
	}
	if (pass->part.parts >> scalar->extent_columns & 1)
		return pass->part.extents[scalar->extent_columns];
	number = common_alloc(&check->unit->arena, sizeof(*number));
	number->kind = LANG_SCALAR_NUMBER;
	number->value = scalar->extent_columns ? memref->columns : memref->rows;
	number->text = common_format(&check->unit->arena, "%lld", (long long)number->value);
	number->at = number->all = work->callee_at;
	return number;
}

static bool same_value(const struct lang_scalar *a, const struct lang_scalar *b)
{
	bool same = a->kind == b->kind && a->op == b->op && a->local == b->local && a->decl == b->decl;

	if (!same || a->kind == LANG_SCALAR_NUMBER)
		return same && a->value == b->value;
	if (a->kind == LANG_SCALAR_OP && a->op == PTOWSP_EXPR_AXIS)
		return !strcmp(a->text, b->text);
	for (int i = 0; same && i < 3; i++)
		same = !a->operands[i] == !b->operands[i] && (!a->operands[i] || same_value(a->operands[i], b->operands[i]));
	return same;
}

static const struct lang_scalar *passed(const struct lang_work *work, const struct lang_var *scalar)
{
	const uint32_t i = work->function->memref_count + scalar->need;

	return work->binds[i] ? work->binds[i]->value : work->needs[i];
}

void lang_part_extents_note(const struct lang_work *work)
{
	struct lang_function *f = work->function;

	for (uint32_t i = 0; i < f->extent_count; i++)
		for (uint32_t k = 0; k < i; k++) {
			const struct lang_scalar *a = passed(work, f->extents[i]), *b = passed(work, f->extents[k]);

			if (a && b && same_value(a, b))
				continue;
			f->apart[i] |= UINT64_C(1) << k;
			f->apart[k] |= UINT64_C(1) << i;
		}
}

/* --- sizes --- */

/* The least (or greatest) value, of min(a, b) that of either: false where it is not known, or only that of one side and that does not do. */
static bool bound_find(const struct lang_work_check *check, const struct lang_scalar *size, int greatest, struct lang_range *range_out, int64_t *value_out)
{
	struct lang_range ranges[2] = {{0}, {0}};
	int64_t values[2];
	bool known[2];

	if (size->kind != LANG_SCALAR_OP || size->op != PTOWSP_EXPR_MIN) {
		*range_out = (struct lang_range){0};
		return lang_range_add(check, range_out, size, 1) && lang_range_end(range_out, greatest, value_out);
	}
	for (int i = 0; i < 2; i++)
		known[i] = bound_find(check, size->operands[i], greatest, &ranges[i], &values[i]);
	if (!known[0] && !known[1])
		return false;
	/* One side alone bounds from above. */
	*range_out = ranges[!known[0] || (known[1] && values[1] < values[0])];
	*value_out = values[!known[0] || (known[1] && values[1] < values[0])];
	return greatest || known[0] || known[1];
}

/* A size that some iteration surely has and that no part can have is an error; what is not known is left to the run, which looks at each. */
static bool size_check(struct lang_work_check *check, const struct lang_part *part, unsigned axis, uint32_t whole)
{
	const struct lang_scalar *size = part->extents[axis];
	const bool is_min = size->kind == LANG_SCALAR_OP && size->op == PTOWSP_EXPR_MIN;
	struct lang_range range;
	int64_t value;

	if (!is_min && bound_find(check, size, 1, &range, &value) && value > whole) {
		lang_error(check->unit, size->all, "%lld %s%s are more than the %u of the tile", (long long)value, axes[axis],
			   lang_range_text(check->unit, &range, 1), whole);
		lang_help(check->unit, "take the smaller one: min(%u, ...)", whole);
		return false;
	}
	if (bound_find(check, size, 0, &range, &value) && value < 1) {
		lang_error(check->unit, size->all, "a part has at least one of its %s, here are %lld%s", axes[axis], (long long)value,
			   lang_range_text(check->unit, &range, 0));
		return false;
	}
	return true;
}

bool lang_part_open(struct lang_work_check *check, struct lang_part *part, unsigned axis, uint32_t whole, uint32_t *size_out)
{
	if (!part->open) {
		lang_error(check->unit, part->extents[axis]->all, "the size of a part is a number from 1 to %d", INT32_MAX);
		if (part->callee)
			lang_help(check->unit, "only a function is told how much is there: call the function that @%s has behind portable", part->callee);
		else
			lang_help(check->unit, "only a function is told how much is there: call one that loads a tile and stores it, with parts of that size");
		return false;
	}
	if (part->viewed || !whole) {
		lang_error(check->unit, part->extents[axis]->all,
			   part->viewed ? "a run cannot decide the size of a part that is seen as another type"
					: "a run decides this size, and @%s moves no tile to or from it that says the greatest",
			   part->callee);
		return false;
	}
	part->parts |= (uint8_t)(1u << axis);
	*size_out = whole;
	return size_check(check, part, axis, whole);
}
