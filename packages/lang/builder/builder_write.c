/* SPDX-License-Identifier: MIT */
/* builder_write.c - the tables in the order in which the front end writes them.
 *
 * Rows of tables with ids are appended as they were declared, and pkg_writer_sort puts them and what refers to them in order. Strings and
 * the runs that belong to rows (parameters, payloads, dimensions) are written in the order of the ids, as the front end does, or as they
 * were declared where rows are kept as stated. */
#include "format/format_package.h"
#include "format/writer.h"
#include "lang/builder/build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct seal {
	struct ptowsp_build *b;
	struct pkg_writer *writer;
};
struct ranked {
	uint64_t id;
	uint32_t row;
};

static int by_id(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* The string in the package. */
static uint32_t string_of(const struct seal *s, uint32_t name)
{
	return pkg_writer_string(s->writer, build_text(s->b, name));
}

static uint64_t id_of(const struct seal *s, uint32_t name)
{
	const char *text = build_text(s->b, name);

	return ptowsp_id(text, strlen(text));
}

/* rows: `count` structs of `size` bytes that begin with a record; its name is at `name`. The order in which they are written. */
static const struct ranked *order_of(const struct seal *s, const void *rows, uint32_t count, size_t size, size_t name)
{
	struct ranked *order = common_alloc(s->b->arena, ((size_t)count + 1) * sizeof(*order));

	for (uint32_t i = 0; i < count; i++) {
		uint32_t string;

		memcpy(&string, (const char *)rows + i * size + name, sizeof(string));
		order[i] = (struct ranked){id_of(s, string), i};
	}
	if (count && !s->b->tables.stated)
		qsort(order, count, sizeof(*order), by_id);
	return order;
}
#define ORDER(s, names, name_count, record)                                                                                                                    \
	order_of((s), (s)->b->names, (s)->b->name_count, sizeof(*(s)->b->names), offsetof(struct ptowsp_##record##_record, name))

/* Gives record its id and its name in the package. */
#define NAMED(s, record)                                                                                                                                       \
	do {                                                                                                                                                   \
		(record).id = id_of((s), (record).name);                                                                                                       \
		(record).name = string_of((s), (record).name);                                                                                                 \
	} while (0)

/* The beginning of a run of `count` rows. An empty one begins where it would, or nowhere where rows are kept as stated. */
static uint32_t run_begin(const struct seal *s, uint32_t section, uint32_t count)
{
	return count || !s->b->tables.stated ? pkg_writer_count(s->writer, section) : 0;
}

/* ---- tables with ids --------------------------------------------------------------------------------------------------------------- */

/* Tables whose rows are kept as they are written. */
#define ROWS_WRITE(rows, record, SECT)                                                                                                                         \
	static void rows##_write(const struct seal *s)                                                                                                         \
	{                                                                                                                                                      \
		struct ptowsp_build *b = s->b;                                                                                                                 \
		const struct ranked *order = ORDER(s, rows, record##_count, record);                                                                           \
                                                                                                                                                               \
		for (uint32_t i = 0; i < b->record##_count; i++)                                                                                               \
			NAMED(s, b->rows[order[i].row]);                                                                                                       \
		for (uint32_t i = 0; i < b->record##_count; i++)                                                                                               \
			pkg_writer_row(s->writer, PTOWSP_SECTION_##SECT, &b->rows[i], sizeof(b->rows[i]));                                                     \
	}
ROWS_WRITE(slots, slot, SLOT)
ROWS_WRITE(events, event, EVNT)
ROWS_WRITE(channels, channel, CSPC)

static void tensors_write(const struct seal *s)
{
	struct ptowsp_build *b = s->b;
	const struct ranked *order = ORDER(s, tensors, tensor_count, tensor);

	for (uint32_t i = 0; i < b->tensor_count; i++) {
		struct build_tensor *t = &b->tensors[order[i].row];

		NAMED(s, t->record);
		t->record.dims = t->record.dim_count ? pkg_writer_count(s->writer, PTOWSP_SECTION_DIMS) : 0;
		for (uint32_t k = 0; k < t->record.dim_count && !t->like; k++)
			pkg_writer_row(s->writer, PTOWSP_SECTION_DIMS, &t->dims[k], sizeof(t->dims[k]));
	}
	for (uint32_t i = 0; i < b->tensor_count; i++)
		if (b->tensors[i].like)
			b->tensors[i].record.dims = b->tensors[b->tensors[i].like - 1].record.dims;
	for (uint32_t i = 0; i < b->tensor_count; i++)
		pkg_writer_row(s->writer, PTOWSP_SECTION_TENS, &b->tensors[i].record, sizeof(b->tensors[i].record));
	for (uint32_t i = 0; i < b->tensor_count; i++) { /* in the order that the tensors will have */
		struct build_tensor *t = &b->tensors[order[i].row];

		if (!t->memory)
			continue;
		t->memory->tensor = order[i].row;
		pkg_writer_row(s->writer, PTOWSP_SECTION_TMEM, t->memory, sizeof(*t->memory));
	}
}

/* The values that the code of an entry needs are a set: by their rows. The values of a kernel's entry are its scalars, in their order. */
static void values_sort(const struct seal *s, struct build_entry *e)
{
	struct ranked *order = common_alloc(s->b->arena, ((size_t)e->record.value_count + 1) * sizeof(*order));

	if (s->b->tables.stated || e->record.flags & PTOWSP_ENTRY_KERNEL || !e->record.value_count)
		return;
	for (uint32_t i = 0; i < e->record.value_count; i++)
		order[i] = (struct ranked){s->b->slots[e->values[i]].id, e->values[i]};
	qsort(order, e->record.value_count, sizeof(*order), by_id);
	for (uint32_t i = 0; i < e->record.value_count; i++)
		e->values[i] = order[i].row;
}

/* The first entry with code and without tensors of its own, which is a workload. */
static uint32_t workload_first(struct ptowsp_build *b)
{
	uint8_t *placed = common_alloc(b->arena, (size_t)b->entry_count + 1);
	uint32_t first = 0;

	for (uint32_t i = 0; i < b->tensor_count; i++)
		if (b->tensors[i].record.entry < b->entry_count)
			placed[b->tensors[i].record.entry] = 1;
	while (first < b->entry_count && (placed[first] || b->entries[first].record.flags & PTOWSP_ENTRY_KERNEL))
		first++;
	return first;
}

static void entry_values_write(const struct seal *s)
{
	struct ptowsp_build *b = s->b;
	uint32_t workload = workload_first(b), before = 0;

	for (uint32_t i = 0; i < b->entry_count; i++) {
		struct build_entry *e = &b->entries[i];

		if (i == workload)
			before = run_begin(s, PTOWSP_SECTION_ESYM, 0);
		values_sort(s, e);
		if (e->made && i > workload) {
			e->record.values = before;
			continue;
		}
		e->record.values = run_begin(s, PTOWSP_SECTION_ESYM, e->record.value_count);
		for (uint32_t k = 0; k < e->record.value_count; k++) {
			struct ptowsp_entry_value_record value = {.slot = e->values[k]};

			pkg_writer_row(s->writer, PTOWSP_SECTION_ESYM, &value, sizeof(value));
		}
	}
}

static void entries_write(const struct seal *s)
{
	struct ptowsp_build *b = s->b;
	const struct ranked *order = ORDER(s, entries, entry_count, entry);

	entry_values_write(s);
	for (uint32_t i = 0; i < b->entry_count; i++) {
		struct build_entry *e = &b->entries[order[i].row];

		NAMED(s, e->record);
		build_debug(b, 2, order[i].row, e->place);
	}
	for (uint32_t i = 0; i < b->entry_count; i++)
		pkg_writer_row(s->writer, PTOWSP_SECTION_ENTR, &b->entries[i].record, sizeof(b->entries[i].record));
}

static void processes_write(const struct seal *s)
{
	struct ptowsp_build *b = s->b;
	const struct ranked *order = ORDER(s, processes, process_count, process);

	for (uint32_t i = 0; i < b->process_count; i++) {
		struct build_process *p = &b->processes[order[i].row];

		NAMED(s, p->record);
		p->record.channels = run_begin(s, PTOWSP_SECTION_PRCH, p->record.channel_count);
		for (uint32_t k = 0; k < p->record.channel_count; k++)
			pkg_writer_row(s->writer, PTOWSP_SECTION_PRCH, &p->uses[k], sizeof(p->uses[k]));
	}
	for (uint32_t i = 0; i < b->process_count; i++)
		pkg_writer_row(s->writer, PTOWSP_SECTION_PROC, &b->processes[i].record, sizeof(b->processes[i].record));
}

/* ---- kernels ------------------------------------------------------------------------------------------------------------------------ */

static void param_memory_write(const struct seal *s, const struct ptowsp_memory_record *m, uint32_t param)
{
	const struct ptowsp_param_memory_record record = PKG_MEMORY(struct ptowsp_param_memory_record, param, param, m);

	pkg_writer_row(s->writer, PTOWSP_SECTION_KMEM, &record, sizeof(record));
}

static void params_write(const struct seal *s, struct build_kernel *k)
{
	k->record.params = run_begin(s, PTOWSP_SECTION_KPRM, k->record.param_count);
	for (uint32_t i = 0; i < k->record.param_count; i++) {
		struct build_param *param = &s->b->params[k->params[i]];
		struct ptowsp_param_record record = param->record;
		uint32_t row;

		record.name = string_of(s, record.name);
		row = pkg_writer_row(s->writer, PTOWSP_SECTION_KPRM, &record, sizeof(record));
		for (uint32_t d = 0; d < param->dim_count; d++) {
			param->dims[d].param = row;
			pkg_writer_row(s->writer, PTOWSP_SECTION_KLAY, &param->dims[d], sizeof(param->dims[d]));
		}
		if (param->memory)
			param_memory_write(s, param->memory, row);
	}
}

/* The bytes of a portable kernel, with the strings of the package. */
static const void *code_encode(const struct seal *s, struct build_payload *p, size_t *size_out)
{
	struct ptowsp_build *b = s->b;
	const struct build_kernel *k = &b->kernels[p->kernel];
	struct ptowsp_tile_param *params = p->params ? p->params : build_tile_params(b, p->kernel);
	uint32_t count = p->params ? p->param_count : k->tensors, name;

	for (uint32_t i = 0; i < p->name_count; i++)
		string_of(s, p->names[i]);
	name = p->name ? string_of(s, p->name) : k->record.name; /* the kernel's is of the package already */
	for (uint32_t i = 0; i < p->code->tile_count; i++)
		p->code->tiles[i].name = string_of(s, p->code->tiles[i].name);
	for (uint32_t i = 0; i < p->code->scalar_count; i++)
		p->code->scalars[i].name = string_of(s, p->code->scalars[i].name);
	for (uint32_t i = 0; i < count; i++)
		params[i].name = string_of(s, params[i].name);
	return lang_tile_encode(p->code, name, params, count, size_out);
}

static void payloads_write(const struct seal *s, struct build_kernel *k)
{
	if (k->like)
		return; /* when all are written */
	k->record.payloads = run_begin(s, PTOWSP_SECTION_KPAY, k->record.payload_count);
	for (uint32_t i = 0; i < k->record.payload_count; i++) {
		struct build_payload *p = &s->b->payloads[k->payloads[i]];
		size_t size = (size_t)p->record.size;
		const void *bytes;

		p->record.target = string_of(s, p->record.target);
		p->record.entry = string_of(s, p->record.entry);
		bytes = p->code ? code_encode(s, p, &size) : p->bytes;
		p->record.offset = pkg_writer_bytes(s->writer, PTOWSP_SECTION_CODE, bytes, size, 64);
		p->record.size = size;
		pkg_writer_row(s->writer, PTOWSP_SECTION_KPAY, &p->record, sizeof(p->record));
	}
}

static void variants_write(const struct seal *s, struct build_kernel *k)
{
	k->record.variants = run_begin(s, PTOWSP_SECTION_KVAR, k->record.variant_count);
	for (uint32_t i = 0; i < k->record.variant_count; i++)
		pkg_writer_row(s->writer, PTOWSP_SECTION_KVAR, &k->variants[i], sizeof(k->variants[i]));
}

static void kernels_write(const struct seal *s)
{
	struct ptowsp_build *b = s->b;
	const struct ranked *order = ORDER(s, kernels, kernel_count, kernel);

	for (uint32_t i = 0; i < b->kernel_count; i++) {
		struct build_kernel *k = &b->kernels[order[i].row];

		NAMED(s, k->record);
		k->record.signature = string_of(s, k->record.signature);
		params_write(s, k);
		payloads_write(s, k);
		k->record.symbol = string_of(s, k->record.symbol);
		variants_write(s, k);
		build_debug(b, 1, order[i].row, k->place);
	}
	for (uint32_t i = 0; i < b->kernel_count; i++)
		if (b->kernels[i].like) {
			b->kernels[i].record.payloads = b->kernels[b->kernels[i].like - 1].record.payloads;
			b->kernels[i].record.payload_count = b->kernels[b->kernels[i].like - 1].record.payload_count;
		}
	for (uint32_t i = 0; i < b->kernel_count; i++)
		pkg_writer_row(s->writer, PTOWSP_SECTION_KREG, &b->kernels[i].record, sizeof(b->kernels[i].record));
}

/* ---- the rest --------------------------------------------------------------------------------------------------------------------------- */

static void facts_write(const struct seal *s)
{
	struct ptowsp_build *b = s->b;

	for (uint32_t i = 0; i < b->preset_count; i++)
		pkg_writer_string(s->writer, b->presets[i]);
	for (uint32_t i = 0; i < b->meta_count; i++)
		pkg_writer_meta(s->writer, build_text(b, b->metas[i].key), build_text(b, b->metas[i].value));
	for (uint32_t i = 0; i < b->target_count; i++)
		pkg_writer_target(s->writer, b->targets[i]);
}

static void directives_write(const struct seal *s)
{
	for (uint32_t i = 0; i < s->b->directive_count; i++) {
		struct ptowsp_directive_record row = s->b->directives[i];
		int64_t *const places[] = {&row.a0, &row.a1, &row.a2, &row.a3, &row.a4, &row.a5, &row.a6, &row.a7};

		for (uint32_t k = 0; k < row.count; k++)
			if ((row.kinds >> 8 * k & 0xFF) == PTOWSP_ARGUMENT_WORD)
				*places[k] = string_of(s, (uint32_t)*places[k]);
		pkg_writer_row(s->writer, PTOWSP_SECTION_SCHD, &row, sizeof(row));
	}
	for (uint32_t i = 0; i < s->b->requirement_count; i++)
		pkg_writer_row(s->writer, PTOWSP_SECTION_REQS, &s->b->requirements[i], sizeof(s->b->requirements[i]));
}

static void calls_write(const struct seal *s)
{
	struct ptowsp_build *b = s->b;

	for (uint32_t i = 0; i < b->call_count; i++) {
		struct build_call_note *call = &b->calls[i];

		/* The map keeps rows + 1. */
		call->record.callee = (uint32_t)(uintptr_t)lang_map_find(&b->names[BUILD_ENTRY], build_text(b, call->callee)) - 1;
		call->record.arguments = run_begin(s, PTOWSP_SECTION_CARG, call->record.argument_count);
		for (uint32_t k = 0; k < call->record.argument_count; k++)
			pkg_writer_row(s->writer, PTOWSP_SECTION_CARG, &call->arguments[k], sizeof(call->arguments[k]));
		pkg_writer_row(s->writer, PTOWSP_SECTION_CALL, &call->record, sizeof(call->record));
	}
}

static void graph_fill(const struct seal *s, struct pkg_graph_builder *builder, struct build_graph *g)
{
	for (uint32_t i = 0; i < g->name_count; i++)
		pkg_graph_add_name(builder, g->names[i].object, g->names[i].number, string_of(s, g->names[i].text));
	for (uint32_t i = 0; i < g->node_count; i++)
		pkg_graph_add_node(builder, &g->nodes[i]);
	for (uint32_t i = 0; i < g->set_count; i += g->sets[i] + 1)
		pkg_graph_add_set(builder, &g->sets[i + 1], g->sets[i]);
	for (uint32_t i = 0; i < g->inst_count; i++) {
		struct build_graph_inst *inst = &g->insts[i];

		for (uint32_t k = 0; k < inst->form->count; k++)
			if (inst->form->operands[k].kind == PKG_GRAPH_SYMBOL)
				inst->values[k] = string_of(s, (uint32_t)inst->values[k]);
		pkg_graph_add(builder, inst->form, inst->values);
	}
}

static void graphs_write(const struct seal *s)
{
	for (uint32_t i = 0; i < s->b->graph_count; i++) {
		struct pkg_graph_builder builder = {0};
		ptowsp_status status;

		graph_fill(s, &builder, &s->b->graphs[i]);
		status = pkg_graph_seal(&builder, s->writer, string_of(s, s->b->graphs[i].name), s->b->graphs[i].device);
		pkg_graph_builder_finish(&builder);
		if (status)
			longjmp(s->b->out, 1);
	}
}

static void samples_write(const struct seal *s)
{
	for (uint32_t i = 0; i < s->b->sample_count; i++) {
		struct build_sample *sample = &s->b->samples[i];

		sample->record.offset = pkg_writer_bytes(s->writer, PTOWSP_SECTION_TBLB, sample->bytes, (size_t)sample->record.size, 64);
		pkg_writer_row(s->writer, PTOWSP_SECTION_TDAT, &sample->record, sizeof(sample->record));
	}
}

/* Strings in rows of tables without ids. */
static void tables_write(const struct seal *s)
{
	struct ptowsp_build *b = s->b;
	struct lang_tables *tables = &b->tables;

	for (uint32_t i = 0; i < tables->exprs.count; i++)
		if (tables->exprs.rows[i].op == PTOWSP_EXPR_AXIS)
			tables->exprs.rows[i].a = string_of(s, tables->exprs.rows[i].a);
	for (uint32_t i = 0; i < tables->axis_count; i++)
		tables->axes[i].name = string_of(s, tables->axes[i].name);
	for (uint32_t i = 0; i < tables->debug_count; i++)
		tables->debug[i].file = string_of(s, tables->debug[i].file);
	for (uint32_t i = 0; i < b->axis_value_count; i++)
		pkg_writer_row(s->writer, PTOWSP_SECTION_AXVL, &b->axis_values[i], sizeof(b->axis_values[i]));
	tables->work_left_out = b->tables.stated && !tables->work_count && !tables->axis_count && !tables->work_kernel_count && !tables->work_tensor_count;
	lang_tables_write(tables, s->writer);
}

size_t build_write(struct ptowsp_build *b, struct pkg_writer *writer)
{
	const struct seal s = {b, writer};
	size_t strings;

	facts_write(&s);
	slots_write(&s);
	tensors_write(&s);
	events_write(&s);
	for (uint32_t i = 0; i < b->code_name_count; i++)
		string_of(&s, b->code_names[i]);
	entries_write(&s);
	kernels_write(&s);
	channels_write(&s);
	processes_write(&s);
	graphs_write(&s);
	calls_write(&s);
	tables_write(&s);
	strings = pkg_writer_strings(writer);
	directives_write(&s);
	samples_write(&s);
	return strings;
}

/* ---- the end of a builder: the tables written, the package made and verified, its file. ---- */

/* Words name expressions as #row, and rows have been put in order since the words were written: those that are not used any more are left out. */
static void words_settle(struct ptowsp_build *b, struct pkg_writer *writer, size_t before)
{
	struct word {
		int64_t *place;
		const char *text;
	} *words = common_alloc(b->arena, ((size_t)b->directive_count * 8 + 1) * sizeof(*words));
	size_t count = 0;

	for (uint32_t i = 0; i < b->directive_count; i++) {
		struct ptowsp_directive_record *row = pkg_writer_at(writer, PTOWSP_SECTION_SCHD, i);
		int64_t *const places[] = {&row->a0, &row->a1, &row->a2, &row->a3, &row->a4, &row->a5, &row->a6, &row->a7};

		for (uint32_t k = 0; k < row->count && k < 8; k++)
			if ((row->kinds >> 8 * k & 0xFF) == PTOWSP_ARGUMENT_WORD && *places[k] >= (int64_t)before) {
				const char *text = pkg_writer_text(writer, (uint32_t)*places[k]);

				words[count++] = (struct word){places[k], common_copy(b->arena, text, strlen(text))};
			}
	}
	pkg_writer_strings_cut(writer, before);
	for (size_t i = 0; i < count; i++)
		*words[i].place = pkg_writer_string(writer, words[i].text);
}

/* The digest of what was sealed, as text. */
static ptowsp_status digest_take(struct ptowsp_build *b, struct ptowsp_error *error)
{
	struct pkg *package;
	ptowsp_status status = pkg_open_memory(&package, b->bytes, b->size, "new package", NULL, error);

	for (int i = 0; i < 32 && !status; i++)
		snprintf(b->digest + 2 * i, 3, "%02x", pkg_digest(package)[i]);
	pkg_close(package);
	return status;
}

/* The number-th tensor, or scalar, of a kernel. */
static const struct build_param *param_at(const struct ptowsp_build *b, const struct build_kernel *k, unsigned kind, uint32_t number)
{
	for (uint32_t i = 0; i < k->record.param_count; i++)
		if (b->params[k->params[i]].record.kind == kind && b->params[k->params[i]].number == number)
			return &b->params[k->params[i]];
	return NULL;
}

/* A task is bound when its level is known: what takes the kernel's place has the same parameters. */
static void variant_check(struct ptowsp_build *b, const struct build_kernel *k, const struct build_kernel *other)
{
	int fits = k->tensors == other->tensors && k->scalars == other->scalars;

	for (uint32_t i = 0; i < k->record.param_count && fits; i++) {
		const struct build_param *own = &b->params[k->params[i]], *its = param_at(b, other, own->record.kind, own->number);

		fits = its && its->record.dtype == own->record.dtype && its->record.access == own->record.access;
	}
	if (!fits)
		build_refuse(b, "kernel %.80s is a variant of %.80s and has other parameters: number, types or directions", build_text(b, other->record.name),
			     build_text(b, k->record.name));
}

static void open_check(struct ptowsp_build *b)
{
	build_task_close(b);
	if (b->depth)
		build_refuse(b, "the code of %s \"%.80s\" is still open", b->entry != PTOWSP_NONE ? "entry" : "process",
			     build_text(b, b->entry != PTOWSP_NONE ? b->entries[b->entry].record.name : b->processes[b->process].record.name));
	if (b->body.code)
		build_refuse(b, "the body of kernel %.80s is still open", build_text(b, b->kernels[b->body.kernel].record.name));
	if (b->graph_open)
		build_refuse(b, "graph %.80s is still open", build_text(b, b->graphs[b->graph_count - 1].name));
	for (uint32_t i = 0; i < b->call_count; i++)
		if (!lang_map_find(&b->names[BUILD_ENTRY], build_text(b, b->calls[i].callee)))
			build_refuse(b, "there is no entry %.80s, which is called", build_text(b, b->calls[i].callee));
	for (uint32_t i = 0; i < b->kernel_count; i++)
		for (uint32_t v = 0; v < b->kernels[i].record.variant_count; v++)
			variant_check(b, &b->kernels[i], &b->kernels[b->kernels[i].variants[v].kernel]);
}

static uint32_t seal(struct ptowsp_build *b, struct pkg_writer *writer)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	size_t strings;
	ptowsp_status status;

	if (!build_enter(b, "ptowsp_build_seal"))
		return 0;
	if (setjmp(b->out)) {
		build_leave(b);
		return 0;
	}
	open_check(b);
	b->closed = 1;
	strings = build_write(b, writer);
	status = pkg_writer_sort(writer, &error);
	if (!status && !b->tables.stated)
		status = pkg_writer_normalise(writer, &error);
	if (!status && !b->tables.stated)
		words_settle(b, writer, strings);
	for (uint32_t i = 0; i < b->section_count; i++)
		pkg_writer_replace(writer, b->sections[i].type, b->sections[i].bytes, b->sections[i].size);
	if (!status)
		status = pkg_writer_seal(writer, &b->bytes, &b->size, &error);
	if (!status)
		status = digest_take(b, &error);
	if (status) {
		snprintf(b->error, sizeof(b->error), "ptowsp_build_seal: %s", error.text);
		b->status = status;
	}
	return 1;
}

ptowsp_status ptowsp_build_seal(struct ptowsp_build *b)
{
	struct pkg_writer *writer;

	if (!b)
		return PTOWSP_INVALID;
	if (b->status || b->closed)
		return b->status;
	writer = pkg_writer_create();
	if (writer) {
		seal(b, writer);
	} else {
		b->current_call = "ptowsp_build_seal";
		build_leave(b);
	}
	pkg_writer_destroy(writer);
	return b->status;
}

const void *ptowsp_build_bytes(const struct ptowsp_build *b)
{
	return b && !b->status ? b->bytes : NULL;
}

uint64_t ptowsp_build_size(const struct ptowsp_build *b)
{
	return b && !b->status ? b->size : 0;
}

const char *ptowsp_build_digest(const struct ptowsp_build *b)
{
	return b && !b->status ? b->digest : "";
}

ptowsp_status ptowsp_build_save(struct ptowsp_build *b, const char *path)
{
	FILE *file;
	int whole;

	if (ptowsp_build_seal(b))
		return ptowsp_build_status(b);
	file = path ? fopen(path, "wb") : NULL;
	whole = file && fwrite(b->bytes, 1, b->size, file) == b->size;
	if (file && fclose(file))
		whole = 0;
	if (whole)
		return PTOWSP_OK;
	snprintf(b->error, sizeof(b->error), "ptowsp_build_save: %.200s cannot be written: %s", path ? path : "(NULL)", path ? strerror(errno) : "no name");
	return b->status = PTOWSP_IO;
}
