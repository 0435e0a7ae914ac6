/* SPDX-License-Identifier: MIT */
/* emit.c - the tree: names for everything, each workload's code, the templates filled, the files that are the same for all packages. */
#include "ascend/emit_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "isa/emit.h"
#include "ptowsp/exec.h"
#include "rt/arithmetic.h"
#include "rt/dtype.h"
#include "rt/error.h"

extern const struct isa_text ascend_templates[]; /* tools/ninja/embed; the last one's path is NULL */
extern const struct isa_text ascend_tree[];

/* ---- what is said --------------------------------------------------------------------------------------------------- */

void ascend_tell(struct ascend_emitter *e, const char *format, ...)
{
	struct ascend_text sentence = {0};
	va_list list;

	va_start(list, format);
	ascend_text_add_list(&sentence, format, list);
	va_end(list);
	ascend_text_add(&sentence, "\n");
	if (!sentence.failed && !strstr(ascend_text_view(&e->told), sentence.bytes)) {
		ascend_text_add(&e->told, "%s", sentence.bytes);
		sentence.bytes[sentence.length - 1] = '\0';
		ascend_text_add(&e->told_json, "%s", e->told_count++ ? ", " : "");
		ascend_text_json(&e->told_json, sentence.bytes);
		if (e->sink->tell)
			e->sink->tell(e->sink->context, sentence.bytes);
	}
	ascend_text_finish(&sentence);
}

static void file_give(struct ascend_emitter *e, const char *path, const struct ascend_text *text)
{
	if (!e->status && text->failed)
		e->status = rt_no_memory(e->error, path);
	if (!e->status)
		e->status = e->sink->file(e->sink->context, path, ascend_text_view(text), text->length);
}

const char *ascend_kernel(const struct ascend_emitter *e, uint32_t kernel)
{
	return kernel < e->kernels.count ? e->kernels.rows[kernel] : "none";
}

const char *ascend_tensor(const struct ascend_emitter *e, uint32_t tensor)
{
	return tensor < e->tensors.count ? e->tensors.rows[tensor] : "none";
}

/* ---- names ------------------------------------------------------------------------------------------------------------ */

static void name_add(struct ascend_emitter *e, struct ascend_names *names, const char *name, char letter)
{
	if (!ascend_names_add(names, name, letter) && !e->status)
		e->status = rt_no_memory(e->error, "names");
}

static void names_make(struct ascend_emitter *e, const struct rt_program *p)
{
	const struct rt_tables *t = &p->tables;

	for (uint32_t i = 0; i < t->kernel.count; i++)
		name_add(e, &e->kernels, rt_string(t, t->kernel.rows[i].name), 'k');
	for (uint32_t i = 0; i < t->tensor.count; i++)
		name_add(e, &e->tensors, rt_string(t, t->tensor.rows[i].name), 't');
	for (uint32_t i = 0; i < t->slot.count; i++)
		name_add(e, &e->slots, rt_string(t, t->slot.rows[i].name), ASCEND_LOCAL); /* locals of functions */
	for (uint32_t i = 0; i < t->axis.count; i++)
		name_add(e, &e->axes, rt_string(t, t->axis.rows[i].name), 'a');
	for (uint32_t i = 0; i < t->event.count; i++)
		name_add(e, &e->events, rt_string(t, t->event.rows[i].name), 'e');
	for (uint32_t i = 0; i < t->channel.count; i++)
		name_add(e, &e->channels, rt_string(t, t->channel.rows[i].name), 'c');
	for (uint32_t i = 0; i < t->entry.count; i++)
		name_add(e, &e->workloads, rt_string(t, t->entry.rows[i].name), 'w');
	for (uint32_t i = 0; i < t->process.count; i++)
		name_add(e, &e->workloads, rt_string(t, t->process.rows[i].name), 'p');
}

/* ---- rows of lists for templates ----------------------------------------------------------------------------------------- */

/* Rows of up to FIELDS fields whose texts are owned. */
enum { FIELDS = 9 };
struct rows {
	struct ascend_scope *scopes;
	struct ascend_field *fields;
	struct ascend_list *lists; /* one per row */
	uint32_t count, room;
	bool failed;
};

static void rows_finish(struct rows *rows)
{
	for (uint32_t i = 0; rows->fields && i < rows->count * FIELDS; i++)
		free((char *)(uintptr_t)rows->fields[i].text);
	free(rows->scopes);
	free(rows->fields);
	free(rows->lists);
	*rows = (struct rows){0};
}

static void rows_init(struct rows *rows, uint32_t room)
{
	*rows = (struct rows){.room = room};
	rows->scopes = calloc((size_t)room + 1, sizeof(*rows->scopes));
	rows->fields = calloc(((size_t)room + 1) * FIELDS, sizeof(*rows->fields));
	rows->lists = calloc((size_t)room + 1, sizeof(*rows->lists));
	rows->failed = !rows->scopes || !rows->fields || !rows->lists;
}

/* A new row; no more than room. */
static void row_add(struct rows *rows)
{
	if (rows->failed)
		return;
	rows->scopes[rows->count].fields = rows->fields + (size_t)rows->count * FIELDS;
	rows->count++;
}

static void field_add(struct rows *rows, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void field_add(struct rows *rows, const char *name, const char *format, ...)
{
	struct ascend_scope *row = rows->failed ? NULL : &rows->scopes[rows->count - 1];
	struct ascend_text text = {0};
	va_list list;

	if (!row || row->field_count == FIELDS)
		return;
	va_start(list, format);
	ascend_text_add_list(&text, format, list);
	va_end(list);
	ascend_text_add(&text, "%s", "");
	rows->failed |= text.failed;
	rows->fields[(size_t)(rows->count - 1) * FIELDS + row->field_count++] = (struct ascend_field){name, text.bytes ? text.bytes : strdup("")};
}

static void comment_add(struct rows *rows, const char *name, const char *before, const char *text)
{
	struct ascend_text comment = {0};

	ascend_text_add(&comment, "%s", before);
	ascend_text_comment(&comment, text);
	field_add(rows, name, "%s", ascend_text_view(&comment));
	ascend_text_finish(&comment);
}

static struct ascend_list list_of(const char *name, const struct rows *rows)
{
	return (struct ascend_list){name, rows->scopes, rows->failed ? 0 : rows->count};
}

static void named_rows(struct rows *rows, const struct ascend_names *names, const struct rt_tables *t, const uint32_t *offsets)
{
	rows_init(rows, names->count);
	for (uint32_t i = 0; i < names->count && !rows->failed; i++) {
		row_add(rows);
		field_add(rows, "name", "%s", names->rows[i]);
		comment_add(rows, "comment", "", rt_string(t, offsets[i]));
	}
}

/* ---- kernels ---------------------------------------------------------------------------------------------------------------- */

static const char *scalar_type(unsigned dtype)
{
	static const char *const types[] = {[PTOWSP_F32] = "float", [PTOWSP_F64] = "double", [PTOWSP_I8] = "int8_t", [PTOWSP_I16] = "int16_t",
					    [PTOWSP_I32] = "int32_t", [PTOWSP_I64] = "int64_t", [PTOWSP_U8] = "uint8_t", [PTOWSP_U16] = "uint16_t",
					    [PTOWSP_U32] = "uint32_t", [PTOWSP_U64] = "uint64_t", [PTOWSP_BOOL] = "bool", [PTOWSP_F16] = "uint16_t",
					    [PTOWSP_BF16] = "uint16_t"};

	return dtype < sizeof(types) / sizeof(*types) && types[dtype] ? types[dtype] : "uint64_t";
}

/* Scalars of a kernel, in a list of the row. */
static void scalars_put(struct rows *rows, struct rows *scalars, const struct rt_tables *t, const struct ptowsp_kernel_record *kernel)
{
	struct ascend_names names = {0};

	rows_init(scalars, kernel->param_count);
	for (uint32_t i = 0; i < kernel->param_count && !scalars->failed && !rows->failed; i++) {
		const struct ptowsp_param_record *param = &t->param.rows[kernel->params + i];
		const char *name;

		if (param->kind != PTOWSP_PARAM_SCALAR)
			continue;
		name = ascend_names_add(&names, rt_string(t, param->name), 'p');
		row_add(scalars);
		field_add(scalars, "field", "%s", name ? name : "");
		field_add(scalars, "type", "%s", scalar_type(param->dtype));
		field_add(scalars, "number", "%" PRIu32, scalars->count - 1);
	}
	if (!rows->failed) {
		rows->lists[rows->count - 1] = list_of("scalars", scalars);
		rows->scopes[rows->count - 1].lists = &rows->lists[rows->count - 1];
		rows->scopes[rows->count - 1].list_count = 1;
	}
	rows->failed |= scalars->failed;
	ascend_names_finish(&names);
}

static const struct isa_emit_target *target_of(const struct ascend_emitter *e)
{
	for (const struct isa_emit_target *t = isa_emit_targets; t->name; t++)
		if (!strcmp(t->name, e->args->target))
			return t;
	return NULL;
}

/* kernels/NAME.cpp; false: there is none, and why was said. */
static bool source_give(struct ascend_emitter *e, const struct rt_program *p, uint32_t kernel, const char *symbol, bool *cluster_out)
{
	const struct isa_program *program = e->args->portable ? e->args->portable(e->args->context, kernel) : NULL;
	struct ptowsp_error why = {.head = PTOWSP_HEAD(why, ERROR)};
	char path[ASCEND_NAME + 24], *text = NULL;
	uint64_t workspace = 0;
	size_t size = 0;
	ptowsp_status st;

	if (kernel == p->copy_kernel)
		return false;
	if (!program) {
		ascend_tell(e, "kernel %.80s has no portable code in the package: %s_incore is declared, and whoever builds the tree gives it", rt_kernel_name(p, kernel),
			    ascend_kernel(e, kernel));
		return false;
	}
	st = isa_emit(program, target_of(e), symbol, &text, &size, &why);
	if (!st)
		st = isa_emit_workspace(program, &workspace, &why);
	if (st) {
		free(text);
		if (st == PTOWSP_NO_MEMORY && !e->status)
			e->status = rt_no_memory(e->error, "kernels");
		ascend_tell(e, "kernel %.80s is not written for the device: %.200s; %s_incore is declared, and whoever builds the tree gives it",
			    rt_kernel_name(p, kernel), why.text, ascend_kernel(e, kernel));
		return false;
	}
	e->workspace = workspace > e->workspace ? workspace : e->workspace;
	*cluster_out = strstr(text, "tile_product<") != NULL; /* the call that may go to the cube */
	snprintf(path, sizeof(path), "kernels/%s.cpp", ascend_kernel(e, kernel));
	if (!e->status)
		e->status = e->sink->file(e->sink->context, path, text, size);
	free(text);
	return true;
}

static const char *const domains[] = {[PTOWSP_EXEC_DOMAIN_HOST_CPU] = "HostCPU", [PTOWSP_EXEC_DOMAIN_ASCEND_AICORE] = "AscendAICore",
				      [PTOWSP_EXEC_DOMAIN_AMD_AIE_TILE] = "AMDAIETile", [PTOWSP_EXEC_DOMAIN_ASCEND_AICPU] = "AscendAICPU"};

static const char *pool_text(unsigned code)
{
	static const char *const pools[] = {[PTOWSP_EXEC_POOL_VECTOR] = "Vector", [PTOWSP_EXEC_POOL_CUBE] = "Cube", [PTOWSP_EXEC_POOL_MIX] = "Mix",
					    [PTOWSP_EXEC_POOL_HOST] = "Host", [PTOWSP_EXEC_POOL_AICPU] = "AICPU", [PTOWSP_EXEC_POOL_AIE] = "AIE"};
	enum ptowsp_exec_pool pool = PTOWSP_EXEC_POOL_ANY;
	enum ptowsp_unit unit = PTOWSP_UNIT_ANY;

	return ptowsp_unit_read(code, &unit) && ptowsp_pool_of_unit(unit, &pool) && pool != PTOWSP_EXEC_POOL_ANY ? pools[pool] : "Any";
}

static const char *domain_text(const struct ascend_emitter *e, unsigned code)
{
	enum ptowsp_exec_domain domain = PTOWSP_EXEC_DOMAIN_HOST_CPU;
	enum ptowsp_unit unit = PTOWSP_UNIT_ANY;

	(void)e;
	if (!ptowsp_unit_read(code, &unit))
		return domains[0];
	if (unit == PTOWSP_UNIT_ANY) /* joins vector or cube */
		return domains[PTOWSP_EXEC_DOMAIN_ASCEND_AICORE];
	return ptowsp_domain_of_unit(unit, &domain) ? domains[domain] : domains[0];
}

static void kernels_make(struct ascend_emitter *e, const struct rt_program *p, struct rows *rows, struct rows *scalars)
{
	rows_init(rows, e->kernels.count);
	for (uint32_t i = 0; i < e->kernels.count && !rows->failed && !e->status; i++) {
		const struct ptowsp_kernel_record *kernel = &p->tables.kernel.rows[i];
		char symbol[ASCEND_NAME + 2];
		bool cluster = kernel->unit == PTOWSP_UNIT_AIC_AIV;

		snprintf(symbol, sizeof(symbol), "k_%s", e->kernels.rows[i]);
		row_add(rows);
		field_add(rows, "name", "%s", e->kernels.rows[i]);
		field_add(rows, "domain", "%s", domain_text(e, kernel->unit));
		field_add(rows, "pool", "%s", pool_text(kernel->unit));
		field_add(rows, "blocks", "%" PRIu32, kernel->blockdim ? kernel->blockdim : 1);
		field_add(rows, "symbol", "%s", symbol);
		comment_add(rows, "comment", "", rt_string(&p->tables, kernel->name));
		field_add(rows, "source", "%s", source_give(e, p, i, symbol, &cluster) ? "1" : "");
		field_add(rows, "copy", "%s", i == p->copy_kernel ? "1" : "");
		field_add(rows, "cluster", "%s", cluster ? "true" : "false");
		scalars_put(rows, &scalars[i], &p->tables, kernel);
		if (kernel->workspace > e->workspace)
			e->workspace = kernel->workspace;
	}
	if (rows->failed && !e->status)
		e->status = rt_no_memory(e->error, "kernels");
}

static void footprints_make(struct ascend_emitter *e, const struct rt_program *p)
{
	uint8_t *scales = calloc(UINT16_MAX + 1, 1); /* none: elements as the kernel sees them */
	uint64_t args[256] = {0};

	e->footprints = calloc((size_t)p->tables.kernel.count + 1, sizeof(*e->footprints));
	if (!e->footprints || !scales)
		e->status = rt_no_memory(e->error, "footprints");
	for (uint32_t i = 0; i < p->tables.kernel.count && !e->status; i++) {
		const struct ptowsp_kernel_record *kernel = &p->tables.kernel.rows[i];
		uint32_t tensors = 0, scalars = 0;

		for (uint32_t k = 0; k < kernel->param_count; k++)
			++*(p->tables.param.rows[kernel->params + k].kind == PTOWSP_PARAM_SCALAR ? &scalars : &tensors);
		/* What depends on the arguments is not known here. */
		if (i == p->copy_kernel || !p->kernels.footprint || tensors > UINT16_MAX || scalars > sizeof(args) / sizeof(*args) ||
		    (p->kernels.varies && p->kernels.varies(p->kernels.context, i)))
			continue;
		if (rt_footprint_ask(&e->footprints[i], &p->kernels, i, args, scales, tensors) == PTOWSP_NO_MEMORY)
			e->status = rt_no_memory(e->error, "footprints");
	}
	free(scales);
}

/* ---- axes ---------------------------------------------------------------------------------------------------------------------- */

static void axes_make(struct ascend_emitter *e, const struct rt_program *p, struct rows *rows)
{
	const struct rt_tables *t = &p->tables;

	rows_init(rows, t->axis.count);
	for (uint32_t i = 0; i < t->axis.count && !rows->failed; i++) {
		const struct ptowsp_axis_record *axis = &t->axis.rows[i];
		const bool rowed = axis->kind == PTOWSP_AXIS_RAGGED || axis->kind == PTOWSP_AXIS_SPARSE;
		const bool valued = rowed && axis->count && axis->count <= t->axis_value.count && axis->first <= t->axis_value.count - axis->count;
		struct ascend_text values = {0};

		for (uint32_t k = 0; valued && k < axis->count; k++)
			ascend_text_add(&values, "%s%s%" PRIi64, k ? "," : "", k % 16 ? " " : "\n\t", t->axis_value.rows[axis->first + k].value);
		row_add(rows);
		field_add(rows, "name", "%s", e->axes.rows[i]);
		field_add(rows, "kind", "%s", axis->kind == PTOWSP_AXIS_SPARSE ? "AXIS_IS_SPARSE" : "AXIS_IS_RAGGED");
		field_add(rows, "values", "%s", ascend_text_view(&values));
		field_add(rows, "pointer", valued ? "%s_values" : "%.0snullptr", e->axes.rows[i]);
		field_add(rows, "count", "%" PRIu32, valued ? axis->count : 0);
		field_add(rows, "lengths", "%s%s", rowed && !valued ? "TENSOR_" : "0", rowed && !valued ? ascend_tensor(e, axis->lengths) : "");
		field_add(rows, "indices", "%s%s", rowed && !valued && axis->kind == PTOWSP_AXIS_SPARSE ? "TENSOR_" : "0",
			  rowed && !valued && axis->kind == PTOWSP_AXIS_SPARSE ? ascend_tensor(e, axis->indices) : "");
		comment_add(rows, "comment", rowed ? "" : "dense: ", rt_string(t, axis->name));
		rows->failed |= values.failed;
		ascend_text_finish(&values);
	}
}

/* ---- files ---------------------------------------------------------------------------------------------------------------------- */

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void lines_join(struct ascend_text *text, const char *const *lines)
{
	for (; *lines; lines++)
		ascend_text_add(text, "%s", *lines);
	ascend_text_add(text, "%s", "");
}

/* Every template becomes the file of its name without .in. */
static void templates_fill(struct ascend_emitter *e, const struct ascend_scope *scope)
{
	for (const struct isa_text *t = ascend_templates; t->path && !e->status; t++) {
		struct ascend_text template = {0}, out = {0};
		char path[64];

		lines_join(&template, t->lines);
		snprintf(path, sizeof(path), "%.*s", (int)(strlen(base_of(t->path)) - 3), base_of(t->path));
		if (template.failed)
			e->status = rt_no_memory(e->error, path);
		else
			e->status = ascend_template_fill(template.bytes, base_of(t->path), scope, &out, e->error);
		file_give(e, path, &out);
		ascend_text_finish(&template);
		ascend_text_finish(&out);
	}
}

/* What is the same for all packages: the builder, platforms, headers of kernels. */
static void tree_give(struct ascend_emitter *e)
{
	for (const struct isa_text *t = ascend_tree; t->path && !e->status; t++) {
		struct ascend_text text = {0};

		lines_join(&text, t->lines);
		file_give(e, base_of(t->path), &text);
		ascend_text_finish(&text);
	}
	for (const struct isa_text *t = isa_emit_headers; t->path && !e->status; t++) {
		struct ascend_text text = {0};

		lines_join(&text, t->lines);
		file_give(e, t->path, &text);
		ascend_text_finish(&text);
	}
}

/* ---- all of it -------------------------------------------------------------------------------------------------------------------- */

static ptowsp_status program_make(struct ascend_emitter *e, uint32_t entry, struct rt_program **out, struct ptowsp_error *error)
{
	const struct rt_program_args args = {.sections = e->args->sections, .section_count = e->args->section_count, .section_stride = e->args->section_stride,
					     .entry = entry, .kernels = e->args->kernels, .caps = e->args->caps, .cap_count = e->args->cap_count,
					     .flags = e->args->flags};

	return rt_program_create(out, &args, error);
}

static void most_find(struct ascend_emitter *e, const struct rt_program *p)
{
	e->most_args = p->most_args > e->most_args ? p->most_args : e->most_args;
	e->most_tensors = p->most_ios > e->most_tensors ? p->most_ios : e->most_tensors;
}

static void workload_add(struct ascend_emitter *e, const struct rt_program *p, struct rows *rows, struct ascend_text *plans)
{
	struct ascend_text code = {0};

	most_find(e, p);
	ascend_entry(e, p, &code);
	ascend_plan(e, p, plans);
	row_add(rows);
	field_add(rows, "name", "%s", e->workloads.rows[p->entry]);
	field_add(rows, "code", "%s", ascend_text_view(&code));
	comment_add(rows, "comment", "", rt_string(&p->tables, p->tables.entry.rows[p->entry].name));
	rows->failed |= code.failed;
	ascend_text_finish(&code);
}

/* The chosen entry first, then all others that are workloads. */
static void workloads_make(struct ascend_emitter *e, const struct rt_program *chosen, struct rows *rows, struct ascend_text *plans)
{
	rows_init(rows, chosen->tables.entry.count);
	workload_add(e, chosen, rows, plans);
	for (uint32_t entry = 0; entry < chosen->tables.entry.count && !e->status && !rows->failed; entry++) {
		struct ptowsp_error why = {.head = PTOWSP_HEAD(why, ERROR)};
		struct rt_program *program = NULL;

		if (entry == chosen->entry || chosen->tables.entry.rows[entry].flags & PTOWSP_ENTRY_KERNEL)
			continue;
		if (program_make(e, entry, &program, &why)) {
			ascend_tell(e, "entry %.80s has no orchestration: %.200s", rt_string(&chosen->tables, chosen->tables.entry.rows[entry].name), why.text);
		} else {
			workload_add(e, program, rows, plans);
			rt_program_destroy(program);
		}
	}
	if (rows->failed && !e->status)
		e->status = rt_no_memory(e->error, "workloads");
}

/* An EXPR row with the values that the package gives symbols; without loops. Time is that of its nodes as a tree: the rest counts as 0. */
static int64_t standard_value(const struct rt_tables *t, uint32_t row, unsigned *budget)
{
	const struct ptowsp_expr_record *r = &t->expr.rows[row];
	uint32_t failed = 0;
	int64_t v[3] = {0};
	const uint32_t operands[3] = {r->a, r->b, r->c};

	if (!*budget || !--*budget || r->op == PTOWSP_EXPR_LOOP || r->op == PTOWSP_EXPR_AXIS)
		return 0;
	if (r->op == PTOWSP_EXPR_CONST)
		return (int64_t)((uint64_t)r->c << 32 | r->b);
	if (r->op == PTOWSP_EXPR_VALUE)
		return r->a < t->slot.count && t->slot.rows[r->a].flags & PTOWSP_SLOT_HAS_DEFAULT ? (int64_t)t->slot.rows[r->a].value : 0;
	if (!rt_operands(r->op) || rt_operands(r->op) > 3)
		return 0;
	for (unsigned k = 0; k < rt_operands(r->op); k++)
		v[k] = operands[k] < row ? standard_value(t, operands[k], budget) : 0;
	return rt_operation(r->op, v[0], v[1], v[2], &failed);
}

enum { SHAPELESS = 1 << 20 }; /* elements that a tensor without a shape has on the host */

/* Elements and columns with those values; a package's own shapes only. */
static void shape_find(const struct rt_tables *t, uint32_t tensor, uint64_t *elements_out, uint64_t *columns_out)
{
	const struct ptowsp_tensor_record *record = &t->tensor.rows[tensor];
	unsigned budget = 100000;

	*elements_out = record->flags & PTOWSP_TENSOR_SHAPELESS ? SHAPELESS : 1;
	*columns_out = record->flags & PTOWSP_TENSOR_SHAPELESS ? 1024 : 1;
	for (uint32_t d = 0; d < record->dim_count && !(record->flags & PTOWSP_TENSOR_SHAPELESS); d++) {
		const int64_t extent = standard_value(t, t->dim.rows[record->dims + d].extent, &budget);

		*columns_out = extent > 0 ? (uint64_t)extent : 0;
		*elements_out = *columns_out && *elements_out > UINT64_MAX / 16 / *columns_out ? 0 : *elements_out * *columns_out;
	}
}

static void tensors_make(struct ascend_emitter *e, const struct rt_program *p, struct rows *rows)
{
	rows_init(rows, e->tensors.count);
	for (uint32_t i = 0; i < e->tensors.count && !rows->failed; i++) {
		const unsigned dtype = p->tables.tensor.rows[i].dtype;
		uint64_t elements, columns;

		shape_find(&p->tables, i, &elements, &columns);
		row_add(rows);
		field_add(rows, "name", "%s", e->tensors.rows[i]);
		comment_add(rows, "comment", rt_dtype_text((uint16_t)dtype), "");
		field_add(rows, "elements", "%" PRIu64, elements);
		field_add(rows, "columns", "%" PRIu64, columns);
		field_add(rows, "dtype", "%u", dtype);
		field_add(rows, "size", "%u", (unsigned)rt_dtype_bytes((uint16_t)dtype));
	}
}

static void slots_make(struct ascend_emitter *e, const struct rt_program *p, struct rows *rows)
{
	rows_init(rows, e->slots.count);
	for (uint32_t i = 0; i < e->slots.count && !rows->failed; i++) {
		const struct ptowsp_slot_record *slot = &p->tables.slot.rows[i];
		const int64_t value = slot->flags & PTOWSP_SLOT_HAS_DEFAULT ? (int64_t)slot->value : 0;

		row_add(rows);
		field_add(rows, "name", "%s", e->slots.rows[i]);
		comment_add(rows, "comment", "", rt_string(&p->tables, slot->name));
		field_add(rows, "value", value == INT64_MIN ? "%.0sINT64_MIN" : "%sINT64_C(%" PRIi64 ")", "", value);
	}
}

static void dtypes_make(struct rows *rows)
{
	static const char *const names[] = {
#define X(NAME, code, bytes, class, text, descr) [code] = #NAME,
#include "ptowsp/dtype.def"
#undef X
	};

	rows_init(rows, sizeof(names) / sizeof(*names));
	for (uint32_t i = 0; i < sizeof(names) / sizeof(*names) && !rows->failed; i++) {
		row_add(rows);
		field_add(rows, "name", "%s", names[i]);
		field_add(rows, "code", "%" PRIu32, i);
	}
}

static const char *meta_of(const struct rt_tables *t, const char *key)
{
	for (uint32_t i = 0; i < t->meta.count; i++)
		if (!strcmp(rt_string(t, t->meta.rows[i].key), key))
			return rt_string(t, t->meta.rows[i].value);
	return "";
}

static void fill_all(struct ascend_emitter *e, const struct rt_program *p, const struct ascend_list *lists, uint32_t count, const struct ascend_text *plans)
{
	struct ascend_text package = {0}, told = {0}, package_json = {0};
	char most_args[16], most_tensors[16], workspace[24];

	ascend_text_json(&package_json, meta_of(&p->tables, "name"));
	ascend_text_comment(&package, *meta_of(&p->tables, "name") ? meta_of(&p->tables, "name") : "a package");
	for (const char *at = ascend_text_view(&e->told); *at; at = strchr(at, '\n') + 1)
		ascend_text_add(&told, "- %.*s\n", (int)(strchr(at, '\n') - at), at);
	snprintf(most_args, sizeof(most_args), "%" PRIu32, e->most_args ? e->most_args : 1);
	snprintf(most_tensors, sizeof(most_tensors), "%" PRIu32, e->most_tensors ? e->most_tensors : 1);
	snprintf(workspace, sizeof(workspace), "%" PRIu64, e->workspace);
	{
		const struct ascend_field fields[] = {
			{"package", ascend_text_view(&package)}, {"package_json", ascend_text_view(&package_json)}, {"target", e->args->target}, {"device", e->args->device ? e->args->device : ""},
			{"a5", strcmp(e->args->target, "ascend-a5") ? "" : "1"}, {"most_args", most_args}, {"most_tensors", most_tensors},
			{"workspace", workspace}, {"told", ascend_text_view(&told)}, {"told_json", ascend_text_view(&e->told_json)},
			{"plans", ascend_text_view(plans)}, {"arch", strcmp(e->args->target, "ascend-a5") ? "dav-c220" : "dav-c310"},
		};
		const struct ascend_scope scope = {fields, lists, sizeof(fields) / sizeof(*fields), count};

		if (package.failed || package_json.failed || told.failed || plans->failed)
			e->status = rt_no_memory(e->error, "the plan");
		else
			templates_fill(e, &scope);
	}
	ascend_text_finish(&package);
	ascend_text_finish(&package_json);
	ascend_text_finish(&told);
}

static void all_make(struct ascend_emitter *e, const struct rt_program *p)
{
	enum { KERNELS, TENSORS, SLOTS, AXES, EVENTS, CHANNELS, WORKLOADS, DTYPES, LISTS };
	static const char *const names[] = {"kernels", "tensors", "slots", "axes", "events", "channels", "workloads", "dtypes"};
	struct rows rows[LISTS] = {0}, *scalars = calloc((size_t)e->kernels.count + 1, sizeof(*scalars));
	uint32_t *offsets = calloc((size_t)p->tables.event.count + p->tables.channel.count + 1, sizeof(*offsets));
	struct ascend_list lists[LISTS];
	struct ascend_text plans = {0};

	e->slot_used = calloc((size_t)p->tables.slot.count + 1, 1);
	if (!scalars || !offsets || !e->slot_used)
		e->status = rt_no_memory(e->error, "lists");
	if (!e->status) {
		footprints_make(e, p);
		workloads_make(e, p, &rows[WORKLOADS], &plans);
	}
	if (!e->status)
		kernels_make(e, p, &rows[KERNELS], scalars);
	if (!e->status) {
		tensors_make(e, p, &rows[TENSORS]);
		slots_make(e, p, &rows[SLOTS]);
		for (uint32_t i = 0; i < p->tables.event.count; i++)
			offsets[i] = p->tables.event.rows[i].name;
		named_rows(&rows[EVENTS], &e->events, &p->tables, offsets);
		for (uint32_t i = 0; i < p->tables.channel.count; i++)
			offsets[i] = p->tables.channel.rows[i].name;
		named_rows(&rows[CHANNELS], &e->channels, &p->tables, offsets);
		axes_make(e, p, &rows[AXES]);
		dtypes_make(&rows[DTYPES]);
		for (unsigned k = 0; k < LISTS; k++) {
			lists[k] = list_of(names[k], &rows[k]);
			if (rows[k].failed && !e->status)
				e->status = rt_no_memory(e->error, names[k]);
		}
	}
	if (!e->status)
		fill_all(e, p, lists, LISTS, &plans);
	if (!e->status)
		tree_give(e);
	for (uint32_t i = 0; scalars && i < e->kernels.count; i++)
		rows_finish(&scalars[i]);
	for (unsigned k = 0; k < LISTS; k++)
		rows_finish(&rows[k]);
	ascend_text_finish(&plans);
	free(scalars);
	free(offsets);
}

static void emitter_finish(struct ascend_emitter *e, uint32_t kernels)
{
	struct ascend_names *const names[] = {&e->kernels, &e->tensors, &e->slots, &e->axes, &e->events, &e->channels, &e->workloads, &e->locals};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		ascend_names_finish(names[i]);
	for (uint32_t i = 0; e->footprints && i < kernels; i++)
		rt_footprint_finish(&e->footprints[i]);
	free(e->footprints);
	free(e->slot_used);
	ascend_text_finish(&e->told);
	ascend_text_finish(&e->told_json);
	ascend_text_finish(&e->body);
	ascend_text_finish(&e->fields);
	ascend_text_finish(&e->tables);
}

ptowsp_status ascend_emit(const struct ascend_emit_args *args, const struct ascend_emit_sink *sink, struct ptowsp_error *error)
{
	struct ascend_emitter e = {.args = args, .sink = sink, .error = error};
	struct rt_program *chosen = NULL;
	uint32_t kernels;

	if (!target_of(&e))
		return rt_fail(error, PTOWSP_INVALID, "there is no target %.40s to emit for", args->target);
	e.status = program_make(&e, args->entry, &chosen, error);
	if (e.status)
		return e.status;
	kernels = chosen->tables.kernel.count;
	names_make(&e, chosen);
	if (!e.status && kernels > UINT16_MAX)
		e.status = rt_fail(error, PTOWSP_TOO_BIG, "%" PRIu32 " kernels are more than a task can name", kernels);
	if (!e.status)
		all_make(&e, chosen);
	emitter_finish(&e, kernels);
	rt_program_destroy(chosen);
	return e.status;
}
