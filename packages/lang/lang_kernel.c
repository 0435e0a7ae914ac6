/* SPDX-License-Identifier: MIT */
/* lang_kernel.c - declared kernels and their variants: checked, and their rows. */
#include "lang/lang_kernel.h"
#include "format/container.h"
#include "lang/decl.h"
#include "lang/lang_axis.h"
#include "lang/lower/lang_lower.h"
#include "lang/parse/parse.h"
#include "registry/common/common_dtype.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- what takes the place of a declared kernel at other tile levels. ---- */

static struct lang_param function_param(const struct lang_function *f, uint32_t index)
{
	const bool tensor = index < f->memref_count;
	const struct lang_var *var = tensor ? f->memrefs[index] : f->needs[index - f->memref_count];

	return (struct lang_param){.name = var->name,
				   .at = var->at,
				   .tensor = tensor,
				   .access = tensor ? var->access : 0,
				   .loose = var->loose,
				   .rank = tensor && var->rows ? 2 : 0,
				   .dtype = var->type.dtype,
				   .rows = tensor ? var->rows : 0,
				   .columns = tensor ? var->columns : 0,
				   .argument = tensor ? index : index - f->memref_count};
}

struct lang_param lang_param(const struct lang_function *function, const struct lang_kernel *kernel, uint32_t index)
{
	const struct lang_kernel_param *param;

	if (function)
		return function_param(function, index);
	param = &kernel->params[index];
	return (struct lang_param){.name = param->name,
				   .at = param->at,
				   .tensor = param->tensor,
				   .access = param->access,
				   .rank = param->rank,
				   .dtype = param->dtype,
				   .rows = param->rows,
				   .columns = param->columns,
				   .argument = param->argument,
				   .layout = &param->layout};
}

uint32_t lang_param_count(const struct lang_function *function, const struct lang_kernel *kernel, bool tensors)
{
	if (function)
		return tensors ? function->memref_count : function->need_count;
	return !kernel ? 0 : tensors ? kernel->tensors.count : kernel->scalars.count;
}

struct lang_param lang_param_of(const struct lang_function *function, const struct lang_kernel *kernel, bool tensors, uint32_t number)
{
	if (number >= lang_param_count(function, kernel, tensors))
		return (struct lang_param){.name = NULL};
	if (function)
		return function_param(function, tensors ? number : function->memref_count + number);
	return lang_param(NULL, kernel, (tensors ? &kernel->tensors : &kernel->scalars)->params[number]);
}

/* --- checking --- */

static bool layouts_equal(const struct lang_layout *a, const struct lang_layout *b)
{
	int equal = a->stated == b->stated && a->rank == b->rank && a->memory.stated == b->memory.stated;

	for (uint32_t i = 0; i < a->rank && equal; i++)
		equal = a->dims[i].sharded == b->dims[i].sharded && a->dims[i].mesh_axis == b->dims[i].mesh_axis;
	return equal && (!a->memory.stated || lang_memory_equal(&a->memory, &b->memory));
}

/* The task is bound already when the level is known: what stands in takes the same. */
static bool parameter_check(struct lang_unit *unit, const struct lang_kernel *kernel, const struct lang_kernel_variant *variant, int tensors, uint32_t number)
{
	const struct lang_param own = lang_param_of(NULL, kernel, tensors, number);
	const struct lang_param other = lang_param_of(variant->function, variant->kernel, tensors, number);

	if (own.dtype != other.dtype) {
		lang_error(unit, variant->at, "%%%s of @%s is %s, %%%s of @%s is %s: a variant has the parameters of its kernel", other.name, variant->name,
			   common_dtype_text(other.dtype), own.name, kernel->head.name, common_dtype_text(own.dtype));
		return false;
	}
	if (own.access != other.access) {
		lang_error(unit, variant->at, "%%%s of @%s is %s, %%%s of @%s is %s: a variant has the parameters of its kernel", other.name, variant->name,
			   lang_access_text(other.access), own.name, kernel->head.name, lang_access_text(own.access));
		return false;
	}
	if (other.layout && (other.layout->stated || other.layout->memory.stated) && !layouts_equal(own.layout, other.layout)) {
		lang_error(unit, variant->at, "%%%s of @%s states another layout than %%%s of @%s, and calls are checked against that one", other.name,
			   variant->name, own.name, kernel->head.name);
		return false;
	}
	return true;
}

static bool parameters_check(struct lang_unit *unit, const struct lang_kernel *kernel, const struct lang_kernel_variant *variant)
{
	for (int tensors = 1; tensors >= 0; tensors--) {
		uint32_t own = lang_param_count(NULL, kernel, tensors), other = lang_param_count(variant->function, variant->kernel, tensors);

		if (own != other) {
			lang_error(unit, variant->at, "@%s takes %u %s%s, @%s takes %u: a variant has the parameters of its kernel", variant->name, other,
				   tensors ? "tensor" : "scalar", other == 1 ? "" : "s", kernel->head.name, own);
			return false;
		}
		for (uint32_t i = 0; i < own; i++)
			if (!parameter_check(unit, kernel, variant, tensors, i))
				return false;
	}
	return true;
}

static bool level_check(struct lang_unit *unit, const struct lang_kernel *kernel, struct lang_kernel_variant *variant)
{
	int64_t rows;

	if (!lang_scalar_known(variant->level, &rows) || rows < LANG_LEVEL_ROWS || rows > UINT32_MAX || rows % LANG_LEVEL_ROWS) {
		lang_error(unit, variant->level->all, "a tile level is a multiple of %u", LANG_LEVEL_ROWS);
		return false;
	}
	variant->rows = (uint32_t)rows;
	if (rows == LANG_LEVEL_ROWS) {
		lang_warn(unit, variant->level->all, "level %u is @%s itself: @%s never runs in its place", LANG_LEVEL_ROWS, kernel->head.name, variant->name);
		return true;
	}
	for (const struct lang_kernel_variant *other = kernel->variants; other < variant; other++)
		if (other->rows == rows) {
			lang_error(unit, variant->level->all, "@%s has a variant for level %u already, @%s", kernel->head.name, variant->rows, other->name);
			return false;
		}
	return true;
}

static bool target_find(struct lang_module *module, const struct lang_kernel *kernel, struct lang_kernel_variant *variant)
{
	struct lang_decl *decl = lang_decl_find(module, '@', variant->name);
	struct lang_function *function = lang_map_find(&module->functions, variant->name);

	if (function && function->inlined) {
		lang_inlined_refuse(module->unit, variant->at, function);
		return false;
	}
	if (function && function->kind == LANG_INCORE) {
		variant->function = function;
		return true;
	}
	if (decl && decl->kind == LANG_DECL_KERNEL && decl != &kernel->head) {
		decl->used = 1;
		variant->kernel = (struct lang_kernel *)decl;
		return true;
	}
	if (decl == &kernel->head)
		lang_error(module->unit, variant->at, "@%s is no variant of itself", variant->name);
	else if (decl)
		lang_error(module->unit, variant->at, "@%s is %s: a variant is a kernel or an InCore function", variant->name,
			   lang_decl_noun(module->unit, decl->kind));
	else if (function)
		lang_error(module->unit, variant->at, "@%s is an Orchestration function: a variant is a kernel or an InCore function", variant->name);
	else {
		lang_error(module->unit, variant->at, "there is no kernel @%s", variant->name);
		lang_decl_help(module, '@', LANG_DECL_KERNEL, variant->name);
	}
	return false;
}

/* Finds what the variants of a kernel are: kernels or InCore functions with its parameters, one per level. 0 after an error. */
static int kernel_variants_check(struct lang_module *module, struct lang_kernel *kernel)
{
	const struct lang_scope scope = {.module = module, .constant = 1};
	int ok = 1;

	for (uint32_t i = 0; i < kernel->variant_count; i++) {
		struct lang_kernel_variant *variant = &kernel->variants[i];

		if (!lang_scalar_check(&scope, variant->level, "a tile level") || !level_check(module->unit, kernel, variant) ||
		    !target_find(module, kernel, variant) || (variant->kernel && variant->kernel->head.broken) ||
		    (!module->unit->list->head.errors && !parameters_check(module->unit, kernel, variant)))
			ok = 0;
	}
	return ok;
}

/* --- lowering --- */

const struct lang_kernel_variant *lang_kernel_variant_at(const struct lang_kernel *kernel, uint32_t rows)
{
	for (uint32_t i = 0; i < kernel->variant_count && rows != LANG_LEVEL_ROWS; i++)
		if (kernel->variants[i].rows == rows)
			return &kernel->variants[i];
	return NULL;
}

void lang_kernel_variant_shape(const struct lang_kernel_variant *variant, uint32_t tensor, uint32_t *rows_out, uint32_t *columns_out)
{
	const struct lang_param parameter = lang_param_of(variant->function, variant->kernel, true, tensor);

	*rows_out = parameter.rows;
	*columns_out = parameter.columns;
}

void lang_kernel_level_note(struct lang_lower *lower, struct lang_kernel *kernel, uint32_t rows)
{
	if (rows == LANG_LEVEL_ROWS || lang_kernel_variant_at(kernel, rows))
		return;
	for (uint32_t i = 0; i < kernel->lacking_count; i++)
		if (kernel->missing_levels[i] == rows)
			return;
	*COMMON_PUSH(&lower->unit->arena, kernel->missing_levels, kernel->lacking_count, kernel->lacking_capacity) = rows;
}

/* ---- declared kernels checked, and their rows. ---- */

#define SIGNATURE_ARGUMENTS 32u /* more are only called in the uniform way */
#define PAYLOAD_BYTES       (UINT64_C(1) << 28)

/* --- parameters and attributes --- */

static int number_check(struct lang_module *module, struct lang_scalar *scalar, const char *what, int64_t least, int64_t most)
{
	struct lang_scope scope = {.module = module, .constant = 1};
	int64_t value;

	if (!scalar)
		return 1;
	if (!lang_scalar_check(&scope, scalar, what))
		return 0;
	if (lang_scalar_known(scalar, &value) && value >= least && value <= most)
		return 1;
	lang_error(module->unit, scalar->all, "%s is a number from %lld to %lld", what, (long long)least, (long long)most);
	return 0;
}

/* The rank of a parameter: of one with [] that of its layout, or else of its strides. */
static uint32_t param_rank(const struct lang_kernel_param *param)
{
	if (param->rank)
		return param->rank;
	return param->layout.stated ? param->layout.rank : param->layout.memory.count;
}

static bool param_check(struct lang_module *module, struct lang_kernel_param *param)
{
	uint32_t *sizes[2] = {&param->rows, &param->columns};
	int64_t value;

	for (uint32_t i = 0; i < param->rank; i++) {
		if (!number_check(module, param->extents[i], "an extent", 0, INT32_MAX) || !lang_scalar_known(param->extents[i], &value))
			return false;
		if (!value) {
			lang_error(module->unit, param->extents[i]->all, "an extent is at least 1");
			return false;
		}
		*sizes[param->rank == 1 ? 1 : i] = (uint32_t)value;
	}
	if (param->rank == 1)
		param->rows = 1;
	return lang_layout_check(module->unit, &param->layout, param->name, param_rank(param));
}

/* --- signature --- */

/* The type of a scalar in a natural C signature. */
static const char *scalar_type(uint16_t dtype)
{
	return dtype == PTOWSP_BOOL ? "u8" : common_dtype_text(dtype);
}

/* One type of the text against what the parameter wants (NULL: anything); *text moves behind it. */
static bool type_take(const char **text, const char *want)
{
	static const char *const known[] = {"v", "p", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64"};
	size_t length;

	*text += strspn(*text, " \t");
	length = strspn(*text, "abcdefghijklmnopqrstuvwxyz0123456789");
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strlen(known[i]) == length && !memcmp(known[i], *text, length) && (!want || !strcmp(known[i], want))) {
			*text += length + strspn(*text + length, " \t");
			return true;
		}
	return false;
}

/* "v(p,p,i64)": one type per parameter, in order. */
static bool signature_fits(const struct lang_kernel *kernel)
{
	const char *at = kernel->signature;

	if (!type_take(&at, NULL) || *at++ != '(')
		return false;
	for (uint32_t i = 0; i < kernel->param_count; i++) {
		if (i && *at++ != ',')
			return false;
		if (!type_take(&at, kernel->params[i].tensor ? "p" : scalar_type(kernel->params[i].dtype)))
			return false;
	}
	return *at == ')' && !at[1];
}

static const char *signature_make(struct lang_module *module, const struct lang_kernel *kernel)
{
	const char *text = "v(";

	for (uint32_t i = 0; i < kernel->param_count; i++)
		text = common_format(&module->unit->arena, "%s%s%s", text, i ? "," : "", kernel->params[i].tensor ? "p" : scalar_type(kernel->params[i].dtype));
	return common_format(&module->unit->arena, "%s)", text);
}

static bool signature_check(struct lang_module *module, const struct lang_kernel *kernel)
{
	if (!kernel->signature || (kernel->param_count <= SIGNATURE_ARGUMENTS && signature_fits(kernel)))
		return true;
	lang_error(module->unit, kernel->signature_at, "the signature \"%.80s\" does not fit the parameters of @%s", kernel->signature, kernel->head.name);
	if (kernel->param_count <= SIGNATURE_ARGUMENTS)
		lang_help(module->unit, "they are called as \"%s\"", signature_make(module, kernel));
	return false;
}

/* --- payloads --- */

/* base64 "...": the bytes stand in the source. */
static bool bytes_check(struct lang_module *module, struct lang_payload *payload)
{
	payload->bytes = lang_base64_read(module, payload->file, payload->file_at, &payload->size);
	return payload->bytes != NULL;
}

static bool file_check(struct lang_module *module, struct lang_payload *payload)
{
	uint32_t errors = module->unit->list->head.errors;

	payload->bytes = lang_file_read(module, payload->file, payload->file_at, PAYLOAD_BYTES, &payload->size);
	if (payload->bytes)
		return true;
	if (module->unit->list->head.errors == errors)
		lang_error(module->unit, payload->file_at, "the file \"%.80s\" has %zu bytes, a payload has 1 to 2^28", payload->file, payload->size);
	return false;
}

static bool access_fits(struct lang_unit *unit, const struct lang_kernel *kernel, const struct lang_payload *payload, const struct lang_kernel_param *param,
			const struct lang_var *var)
{
	unsigned more = var->access & ~param->access;

	if (!more)
		return true;
	lang_error(unit, payload->file_at, "@%s %s %%%s, and the parameter %%%s of @%s is %s", payload->function->name, more & PTOWSP_READ ? "reads" : "writes",
		   var->name, param->name, kernel->head.name, param->access == PTOWSP_READ ? "in" : "out");
	lang_help(unit, "declare it as %s at %s", var->access == PTOWSP_WRITE ? "out" : "inout", lang_place(unit, param->at));
	return false;
}

/* One parameter and what the function makes of it. */
static bool param_fits(struct lang_unit *unit, const struct lang_kernel *kernel, const struct lang_payload *payload, const struct lang_kernel_param *param,
		       const struct lang_var *var)
{
	const char *f = payload->function->name;

	if (var->type.dtype != param->dtype) {
		lang_error(unit, payload->file_at, "%%%s of @%s is %s, the parameter %%%s of @%s is %s", var->name, f, common_dtype_text(var->type.dtype),
			   param->name, kernel->head.name, common_dtype_text(param->dtype));
		return false;
	}
	if (!param->tensor)
		return true;
	if (!var->loose && param->rows && param->columns && (var->rows > param->rows || var->columns > param->columns)) {
		lang_error(unit, payload->file_at, "@%s moves a tile of %u x %u to or from %%%s, and the parameter %%%s of @%s is %u x %u", f, var->rows,
			   var->columns, var->name, param->name, kernel->head.name, param->rows, param->columns);
		return false;
	}
	return access_fits(unit, kernel, payload, param, var);
}

/* "1 scalar", "2 scalars" */
static const char *counted(struct lang_unit *unit, uint32_t count, const char *noun)
{
	return common_format(&unit->arena, "%u %s%s", count, noun, count == 1 ? "" : "s");
}

/* The function's memrefs and scalars must be the kernel's, in order. */
static int portable_fits(struct lang_unit *unit, const struct lang_kernel *kernel, const struct lang_payload *payload)
{
	const struct lang_function *f = payload->function;
	uint32_t tensors = 0, memrefs = 0, needs = 0;
	int ok = 1;

	for (uint32_t i = 0; i < kernel->param_count; i++)
		tensors += kernel->params[i].tensor;
	if (tensors != f->memref_count || kernel->param_count - tensors != f->need_count) {
		lang_error(unit, payload->file_at, "@%s takes %s and %s, @%s has %s and %s", f->name, counted(unit, f->memref_count, "memref"),
			   counted(unit, f->need_count, "scalar"), kernel->head.name, counted(unit, tensors, "tensor"),
			   counted(unit, kernel->param_count - tensors, "scalar"));
		if (f->extent_count)
			lang_help(unit, "some call says how much of %%%s is there, by %%%s, and a kernel's parts are whole: call a second function there",
				  f->extents[0]->extent_of->name, f->extents[0]->name);
		return 0;
	}
	for (uint32_t i = 0; i < kernel->param_count && ok; i++)
		ok = param_fits(unit, kernel, payload, &kernel->params[i], kernel->params[i].tensor ? f->memrefs[memrefs++] : f->needs[needs++]);
	return ok;
}

static bool portable_check(struct lang_module *module, const struct lang_kernel *kernel, struct lang_payload *payload)
{
	struct lang_function *f = lang_map_find(&module->functions, payload->file);

	if (!f || f->kind != LANG_INCORE) {
		lang_error(module->unit, payload->file_at,
			   f ? "@%s is an Orchestration function, a kernel's code is an InCore function" : "there is no function @%s", payload->file);
		return false;
	}
	if (f->inlined) {
		lang_inlined_refuse(module->unit, payload->file_at, f);
		return false;
	}
	payload->function = f;
	return module->unit->list->head.errors || portable_fits(module->unit, kernel, payload);
}

static bool offset_check(struct lang_module *module, const struct lang_payload *payload)
{
	int64_t offset;

	if (!payload->offset || !payload->bytes || !lang_scalar_known(payload->offset, &offset))
		return true;
	if (payload->entry) {
		lang_error(module->unit, payload->offset->all, "the entry has a name already, \"%.80s\"", payload->entry);
		return false;
	}
	if ((uint64_t)offset < payload->size)
		return true;
	lang_error(module->unit, payload->offset->all, "the payload has %zu bytes, its entry cannot be at %lld", payload->size, (long long)offset);
	return false;
}

void lang_kernel_check(struct lang_module *module, struct lang_decl *decl)
{
	struct lang_kernel *kernel = (struct lang_kernel *)decl;
	int ok = !decl->broken;

	for (uint32_t i = 0; i < kernel->param_count; i++)
		ok &= param_check(module, &kernel->params[i]);
	ok &= number_check(module, kernel->blockdim, "a number of blocks", 1, UINT32_MAX) &
	      number_check(module, kernel->workspace, "a workspace in bytes", 0, PKG_WORKSPACE_LIMIT);
	if (ok)
		ok = signature_check(module, kernel) & kernel_variants_check(module, kernel);
	for (uint32_t i = 0; i < kernel->payload_count && !decl->broken; i++) {
		struct lang_payload *payload = &kernel->payloads[i];

		ok &= payload->encoded                      ? bytes_check(module, payload)
		      : payload->kind == PTOWSP_PAYLOAD_PTO ? portable_check(module, kernel, payload)
							    : file_check(module, payload);
		ok &= number_check(module, payload->cycles, "a number of cycles", 0, INT64_MAX);
		ok &= number_check(module, payload->workspace, "the workspace of a payload in bytes", 0, PKG_WORKSPACE_LIMIT);
		ok &= number_check(module, payload->offset, "the offset of an entry", 0, INT64_MAX) && offset_check(module, payload);
	}
	decl->broken = !ok;
}

/* --- rows --- */

void lang_params_build(struct lang_lower *lower, uint32_t row, const struct lang_function *function, const struct lang_kernel *kernel)
{
	const uint32_t count = lang_param_count(function, kernel, true) + lang_param_count(function, kernel, false);

	for (uint32_t i = 0; i < count; i++) {
		const struct lang_param param = lang_param(function, kernel, i);
		const struct lang_layout *layout = param.layout;
		struct build_param p = {.kernel = row,
					.record = {.kind = param.tensor ? PTOWSP_PARAM_TENSOR : PTOWSP_PARAM_SCALAR,
						   .dtype = param.dtype,
						   .access = param.access,
						   .rows = param.rows,
						   .columns = param.columns}};

		for (uint32_t d = 0; layout && d < layout->rank; d++)
			build_param_dim(lower->build, &p,
					(struct ptowsp_param_layout_record){.distribution = layout->dims[d].sharded, .mesh_axis = layout->dims[d].mesh_axis});
		if (layout && layout->memory.stated)
			*build_memory(lower->build, &p.memory) = lang_memory_record(&layout->memory);
		build_param_add(lower->build, param.name, p);
	}
}

static uint64_t number_of(const struct lang_scalar *scalar)
{
	int64_t value = 0;

	if (scalar)
		lang_scalar_known(scalar, &value);
	return (uint64_t)value;
}

static void payloads_build(struct lang_lower *lower, const struct lang_kernel *kernel, uint32_t row)
{
	struct ptowsp_build *b = lower->build;

	for (uint32_t i = 0; i < kernel->payload_count; i++) {
		const struct lang_payload *payload = &kernel->payloads[i];
		struct ptowsp_payload_record record = {.target = build_string(b, payload->target),
						       .kind = payload->kind,
						       .unit = payload->unit_stated ? payload->unit : kernel->unit,
						       .entry_offset = number_of(payload->offset),
						       .entry = build_string(b, payload->entry ? payload->entry : ""),
						       .cycles = number_of(payload->cycles),
						       .workspace = number_of(payload->workspace),
						       .size = payload->size};

		if (payload->function)
			lang_kernel_encode(lower, payload->function, row, record);
		else
			build_payload_add(b, (struct build_payload){.record = record, .kernel = row, .bytes = payload->bytes});
	}
}

/* Without blanks, as packages have it. */
static uint32_t signature_build(struct lang_lower *lower, const char *signature)
{
	char *text = common_alloc(&lower->unit->arena, strlen(signature) + 1), *end = text;

	for (; *signature; signature++)
		if (*signature != ' ' && *signature != '\t')
			*end++ = *signature;
	return build_string(lower->build, text);
}

uint32_t lang_kernel_row_build(struct lang_lower *lower, struct lang_kernel *kernel, const char *name, struct ptowsp_kernel_record record)
{
	uint32_t row;

	record.signature = signature_build(lower, kernel->signature ? kernel->signature : "");
	record.flags = kernel->measured ? PTOWSP_KERNEL_MEASURED : 0;
	record.symbol = build_string(lower->build, kernel->function ? kernel->function : "");
	row = build_kernel_add(lower->build, name, record);
	lang_params_build(lower, row, NULL, kernel);
	lower->build->kernels[row].like = kernel->payload_row;
	if (!kernel->payload_row) {
		kernel->payload_row = row + 1;
		payloads_build(lower, kernel, row);
	}
	return row;
}

void lang_kernel_build(struct lang_lower *lower, struct lang_decl *decl)
{
	struct lang_kernel *kernel = (struct lang_kernel *)decl;
	struct ptowsp_kernel_record record = {
		.unit = kernel->unit, .blockdim = (uint32_t)number_of(kernel->blockdim), .workspace = number_of(kernel->workspace)};
	uint32_t row = lang_kernel_row_build(lower, kernel, decl->name, record);

	for (uint32_t i = 0; i < kernel->variant_count; i++) {
		const struct lang_kernel_variant *variant = &kernel->variants[i];

		build_variant_add(lower->build, row, variant->rows, variant->function ? variant->function->kernel : variant->kernel->head.row);
	}
}
