/* SPDX-License-Identifier: MIT */
/* ascend_emit.c - the tree: names for everything, each workload's code, the tables and files of the others put together. */
#include "ascend/emit/ascend_emit_state.h"

#include "isa/emit/emit.h"
#include "rt/program/rt_error.h"
#include "rt/rt_feed.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is said --------------------------------------------------------------------------------------------------- */

void ascend_tell(struct ascend_emitter *e, const char *format, ...)
{
	struct common_text sentence = {0};
	va_list list;

	va_start(list, format);
	common_text_add_list(&sentence, format, list);
	va_end(list);
	common_text_add(&sentence, "\n");
	if (!sentence.failed && !strstr(common_text_view(&e->told), sentence.bytes)) {
		common_text_add(&e->told, "%s", sentence.bytes);
		sentence.bytes[sentence.length - 1] = '\0';
		common_text_add(&e->told_json, "%s", e->told_count++ ? ", " : "");
		common_text_json(&e->told_json, sentence.bytes);
		if (e->sink->tell)
			e->sink->tell(e->sink->context, sentence.bytes);
	}
	common_text_finish(&sentence);
}

const char *ascend_kernel(const struct ascend_emitter *e, uint32_t kernel)
{
	return kernel < e->kernels.count ? e->kernels.rows[kernel].text : "none";
}

const char *ascend_tensor(const struct ascend_emitter *e, uint32_t tensor)
{
	return tensor < e->tensors.count ? e->tensors.rows[tensor].text : "none";
}

/* ---- names ------------------------------------------------------------------------------------------------------------ */

static void name_add(struct ascend_emitter *e, struct common_names *names, const char *name, char letter)
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

/* ---- all of it -------------------------------------------------------------------------------------------------------------------- */

static ptowsp_status at_once(void *context, struct rt_feed *feed, struct ptowsp_error *error)
{
	(void)context;
	(void)feed;
	(void)error;
	return PTOWSP_OK;
}

/* dispatch=auto is decided before the first task of a run, which here has none: with the values that the package gives. */
static void auto_decide(struct ascend_emitter *e, struct rt_program *p)
{
	const struct rt_tables *t = &p->tables;
	struct ptowsp_error why = {.head = PTOWSP_HEAD(why, ERROR)};
	struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(stats, RUN_STATS)};
	const struct rt_engine engine = {.run = at_once};
	struct ptowsp_run_args args = {.head = PTOWSP_HEAD(args, RUN_ARGS), .value_count = t->slot.count, .flags = PTOWSP_RUN_NO_KERNELS};
	struct rt_run_args how = {.args = &args, .schedulers = 1, .engine = &engine};
	uint64_t *values = calloc((size_t)t->slot.count + 1, sizeof(*values));
	ptowsp_status status = values ? rt_pool_create(&how.pool, 1, &why) : rt_no_memory(&why, "values");

	for (uint32_t i = 0; values && i < t->slot.count; i++)
		values[i] = t->slot.rows[i].value;
	args.values = values;
	if (!status)
		status = rt_run(p, &how, &stats, NULL, &why);
	if (p->schedule.dispatch.policy == PTOWSP_DISPATCH_AUTO)
		ascend_tell(e, "dispatch auto is decided when a program runs, which it does not here: tasks go by number (%.120s)", why.text);
	else
		ascend_tell(e, "dispatch auto is affinity to loop %.60s in the code: so the values decide that the package gives",
			    *stats.auto_axis ? stats.auto_axis : "none");
	rt_pool_destroy(how.pool);
	free(values);
}

static ptowsp_status program_make(struct ascend_emitter *e, uint32_t entry, struct rt_program **out, struct ptowsp_error *error)
{
	const struct rt_program_args args = {.sections = e->args->sections,
					     .section_count = e->args->section_count,
					     .section_stride = e->args->section_stride,
					     .entry = entry,
					     .kernels = e->args->kernels,
					     .caps = e->args->caps,
					     .cap_count = e->args->cap_count,
					     .flags = e->args->flags};

	ptowsp_status status = rt_program_create(out, &args, error);

	if (!status && (*out)->schedule.dispatch.policy == PTOWSP_DISPATCH_AUTO)
		auto_decide(e, *out);
	return status;
}

static void most_find(struct ascend_emitter *e, const struct rt_program *p)
{
	e->most_args = p->most_args > e->most_args ? p->most_args : e->most_args;
	e->most_tensors = p->most_ios > e->most_tensors ? p->most_ios : e->most_tensors;
}

static void workload_add(struct ascend_emitter *e, const struct rt_program *p, struct ascend_rows *rows, struct common_text *plans)
{
	struct common_text code = {0};

	most_find(e, p);
	ascend_entry(e, p, &code);
	ascend_plan(e, p, plans);
	ascend_row_add(rows);
	ascend_row_field(rows, "name", "%s", e->workloads.rows[p->entry].text);
	ascend_row_field(rows, "code", "%s", common_text_view(&code));
	ascend_row_comment(rows, "comment", "", rt_string(&p->tables, p->tables.entry.rows[p->entry].name));
	rows->failed |= code.failed;
	common_text_finish(&code);
}

/* The chosen entry first, then all others that are workloads. */
static void workloads_make(struct ascend_emitter *e, const struct rt_program *chosen, struct ascend_rows *rows, struct common_text *plans)
{
	ascend_rows_init(rows, chosen->tables.entry.count);
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

static const char *meta_of(const struct rt_tables *t, const char *key)
{
	for (uint32_t i = 0; i < t->meta.count; i++)
		if (!strcmp(rt_string(t, t->meta.rows[i].key), key))
			return rt_string(t, t->meta.rows[i].value);
	return "";
}

/* ---- files ----------------------------------------------------------------------------------------------------------- */

extern const struct isa_text ascend_templates[]; /* tools/ninja/embed; the last one's path is NULL */
extern const struct isa_text ascend_tree[];

static void file_give(struct ascend_emitter *e, const char *path, const struct common_text *text)
{
	if (!e->status && text->failed)
		e->status = rt_no_memory(e->error, path);
	if (!e->status)
		e->status = e->sink->file(e->sink->context, path, common_text_view(text), text->length);
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void lines_join(struct common_text *text, const char *const *lines)
{
	for (; *lines; lines++)
		common_text_add(text, "%s", *lines);
	common_text_add(text, "%s", "");
}

/* Every template becomes the file of its name without .in. */
static void templates_fill(struct ascend_emitter *e, const struct ascend_scope *scope)
{
	for (const struct isa_text *t = ascend_templates; t->path && !e->status; t++) {
		struct common_text template = {0}, out = {0};
		char path[64];

		lines_join(&template, t->lines);
		snprintf(path, sizeof(path), "%.*s", (int)(strlen(base_of(t->path)) - 3), base_of(t->path));
		if (template.failed)
			e->status = rt_no_memory(e->error, path);
		else
			e->status = ascend_template_fill(template.bytes, base_of(t->path), scope, &out, e->error);
		file_give(e, path, &out);
		common_text_finish(&template);
		common_text_finish(&out);
	}
}

/* Files that all packages share. Those of the tree lie side by side, others at the path by which they are included. */
static void texts_copy(struct ascend_emitter *e, const struct isa_text *texts)
{
	for (const struct isa_text *t = texts; t->path && !e->status; t++) {
		struct common_text text = {0};

		lines_join(&text, t->lines);
		file_give(e, strstr(t->path, "/tree/") ? base_of(t->path) : t->path, &text);
		common_text_finish(&text);
	}
}

static void fill_all(struct ascend_emitter *e, const struct rt_program *p, const struct ascend_list *lists, uint32_t count, const struct common_text *plans)
{
	struct common_text package = {0}, told = {0}, package_json = {0}, names = {0};
	char most_args[16], most_tensors[16], workspace[24];

	common_text_json(&package_json, meta_of(&p->tables, "name"));
	common_text_comment(&package, *meta_of(&p->tables, "name") ? meta_of(&p->tables, "name") : "a package");
	for (const char *at = common_text_view(&e->told); *at; at = strchr(at, '\n') + 1)
		common_text_add(&told, "- %.*s\n", (int)(strchr(at, '\n') - at), at);
	for (uint32_t i = 0; i < e->kernels.count; i++)
		common_text_add(&names, "%s%s", i ? " " : "", e->kernels.rows[i].text);
	snprintf(most_args, sizeof(most_args), "%" PRIu32, e->most_args ? e->most_args : 1);
	snprintf(most_tensors, sizeof(most_tensors), "%" PRIu32, e->most_tensors ? e->most_tensors : 1);
	snprintf(workspace, sizeof(workspace), "%" PRIu64, e->workspace);
	{
		const struct ascend_field fields[] = {
			{"package", common_text_view(&package)},
			{"package_json", common_text_view(&package_json)},
			{"target", e->args->target},
			{"device", e->args->device ? e->args->device : ""},
			{"a5", strcmp(e->args->target, "ascend-a5") ? "" : "1"},
			{"most_args", most_args},
			{"most_tensors", most_tensors},
			{"workspace", workspace},
			{"told", common_text_view(&told)},
			{"told_json", common_text_view(&e->told_json)},
			{"slots", common_text_view(&e->slots_json)},
			{"plans", common_text_view(plans)},
			{"kernel_names", common_text_view(&names)},
			{"arch", strcmp(e->args->target, "ascend-a5") ? "dav-c220" : "dav-c310"},
		};
		const struct ascend_scope scope = {fields, lists, sizeof(fields) / sizeof(*fields), count};

		if (package.failed || package_json.failed || told.failed || names.failed || e->slots_json.failed || plans->failed)
			e->status = rt_no_memory(e->error, "the plan");
		else
			templates_fill(e, &scope);
	}
	common_text_finish(&package);
	common_text_finish(&package_json);
	common_text_finish(&names);
	common_text_finish(&told);
}

/* Lists of the templates. */
enum { KERNELS, TENSORS, SLOTS, AXES, EVENTS, CHANNELS, WORKLOADS, DTYPES, LISTS };
static const char *const list_names[LISTS] = {"kernels", "tensors", "slots", "axes", "events", "channels", "workloads", "dtypes"};
struct made {
	struct ascend_rows rows[LISTS];
	struct ascend_rows *scalars, *params; /* per kernel */
	struct common_text plans;             /* of workloads, as JSON */
};

static void named_make(struct ascend_emitter *e, const struct rt_program *p, struct made *made)
{
	const struct rt_tables *t = &p->tables;
	uint32_t *offsets = calloc((size_t)t->event.count + t->channel.count + 1, sizeof(*offsets));

	if (!offsets) {
		e->status = rt_no_memory(e->error, "lists");
		return;
	}
	for (uint32_t i = 0; i < t->event.count; i++)
		offsets[i] = t->event.rows[i].name;
	ascend_emit_named(&made->rows[EVENTS], &e->events, t, offsets);
	for (uint32_t i = 0; i < t->channel.count; i++)
		offsets[i] = t->channel.rows[i].name;
	ascend_emit_named(&made->rows[CHANNELS], &e->channels, t, offsets);
	free(offsets);
}

static void tables_make(struct ascend_emitter *e, const struct rt_program *p, struct made *made)
{
	ascend_emit_tensors(e, p, &made->rows[TENSORS]);
	ascend_emit_slots(e, p, &made->rows[SLOTS]);
	named_make(e, p, made);
	ascend_emit_axes(e, p, &made->rows[AXES]);
	ascend_emit_dtypes(&made->rows[DTYPES]);
}

static void lists_fill(struct ascend_emitter *e, const struct rt_program *p, struct made *made)
{
	struct ascend_list lists[LISTS];

	for (unsigned k = 0; k < LISTS; k++) {
		lists[k] = ascend_rows_list(list_names[k], &made->rows[k]);
		if (made->rows[k].failed && !e->status)
			e->status = rt_no_memory(e->error, list_names[k]);
	}
	if (!e->status)
		fill_all(e, p, lists, LISTS, &made->plans);
	if (!e->status)
		texts_copy(e, ascend_tree), texts_copy(e, isa_emit_headers);
}

static void made_finish(struct made *made, uint32_t kernels)
{
	for (uint32_t i = 0; made->scalars && i < kernels; i++)
		ascend_rows_finish(&made->scalars[i]);
	for (uint32_t i = 0; made->params && i < kernels; i++)
		ascend_rows_finish(&made->params[i]);
	for (unsigned k = 0; k < LISTS; k++)
		ascend_rows_finish(&made->rows[k]);
	common_text_finish(&made->plans);
	free(made->scalars);
	free(made->params);
}

static void all_make(struct ascend_emitter *e, const struct rt_program *p)
{
	struct made made = {.scalars = calloc((size_t)e->kernels.count + 1, sizeof(*made.scalars)),
			    .params = calloc((size_t)e->kernels.count + 1, sizeof(*made.params))};

	e->slot_used = calloc((size_t)p->tables.slot.count + 1, 1);
	e->turns = calloc((size_t)p->tables.process.count + 1, sizeof(*e->turns));
	if (!made.scalars || !made.params || !e->slot_used || !e->turns)
		e->status = rt_no_memory(e->error, "lists");
	if (!e->status) {
		ascend_emit_footprints(e, p);
		ascend_plan_slots(e, p);
		workloads_make(e, p, &made.rows[WORKLOADS], &made.plans);
	}
	if (!e->status)
		ascend_emit_kernels(e, p, &made.rows[KERNELS], made.scalars, made.params);
	if (!e->status)
		tables_make(e, p, &made);
	if (!e->status)
		lists_fill(e, p, &made);
	made_finish(&made, e->kernels.count);
}

static void emitter_finish(struct ascend_emitter *e, uint32_t kernels)
{
	struct common_names *const names[] = {&e->kernels, &e->tensors, &e->slots, &e->axes, &e->events, &e->channels, &e->workloads, &e->locals};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		common_names_finish(names[i]);
	for (uint32_t i = 0; e->footprints && i < kernels; i++)
		rt_footprint_finish(&e->footprints[i]);
	free(e->footprints);
	free(e->slot_used);
	free(e->turns);
	common_text_finish(&e->told);
	common_text_finish(&e->told_json);
	common_text_finish(&e->slots_json);
	common_text_finish(&e->body);
	common_text_finish(&e->fields);
	common_text_finish(&e->tables);
}

ptowsp_status ascend_emit(const struct ascend_emit_args *args, const struct ascend_emit_sink *sink, struct ptowsp_error *error)
{
	struct ascend_emitter e = {.args = args, .sink = sink, .error = error};
	struct rt_program *chosen = NULL;
	uint32_t kernels;

	if (!ascend_emit_target(&e))
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
