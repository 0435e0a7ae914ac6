/* SPDX-License-Identifier: MIT */
#include "tools/bench/layer.h"
#include "tools/bench/bench.h"
#include "tools/bench/kernels.h"
#include "tools/bench/spin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SYMBOL "num_tiles" /* of the package: length of the sequence in tiles of 32 rows */
#define LEVEL_TILES 256u
#define LONG_ENOUGH (UINT64_C(1) << 40) /* elements: behind the last window of every size that is measured */

/* ---- kernels ---------------------------------------------------------------------------------------------------- */

static ptowsp_status run(void *context, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker)
{
	struct bench_layer *layer = context;

	(void)out, (void)worker;
	if (!task->number)
		layer->first_ns = bench_now_ns();
	if (layer->work)
		bench_spin(layer->work);
	return PTOWSP_OK;
}

static ptowsp_status cycles(void *context, uint32_t kernel, const uint64_t *args, uint64_t *cycles_out)
{
	return bench_bodies_cycles(&((const struct bench_layer *)context)->bodies, kernel, args, cycles_out);
}

static ptowsp_status footprint(void *context, uint32_t kernel, const uint64_t *args, rt_touch_fn touch, void *sink)
{
	return bench_bodies_footprint(&((const struct bench_layer *)context)->bodies, kernel, args, touch, sink);
}

/* ---- values and tensors --------------------------------------------------------------------------------------- */

/* From 256 tiles on the package takes 64 rows at a time, which halves the iterations. */
static uint64_t num_tiles(uint32_t iterations)
{
	return iterations < LEVEL_TILES ? iterations : 2 * (uint64_t)iterations;
}

static ptowsp_status values_set(struct bench_layer *layer)
{
	const struct pkg_tables *t = pkg_tables(layer->package);

	layer->values = calloc(t->slot_count + 1, sizeof(*layer->values));
	if (!layer->values)
		return PTOWSP_NO_MEMORY;
	for (uint32_t i = 0; i < t->slot_count; i++) {
		const char *name = pkg_string(t, t->slot[i].name), *tail = strrchr(name, '.');

		layer->values[i] = t->slot[i].value;
		if (!strcmp(tail ? tail + 1 : name, SYMBOL))
			layer->values[i] = num_tiles(layer->iterations);
	}
	return PTOWSP_OK;
}

/* Extents are sums and products of constants and symbols. */
static int64_t extent(const struct bench_layer *layer, uint32_t row)
{
	const struct ptowsp_expr_record *e = &pkg_tables(layer->package)->expr[row];

	switch (e->op) {
	case PTOWSP_EXPR_CONST:
		return (int64_t)((uint64_t)e->c << 32 | e->b);
	case PTOWSP_EXPR_VALUE:
		return (int64_t)layer->values[e->a];
	case PTOWSP_EXPR_ADD:
		return extent(layer, e->a) + extent(layer, e->b);
	case PTOWSP_EXPR_SUB:
		return extent(layer, e->a) - extent(layer, e->b);
	case PTOWSP_EXPR_MUL:
		return extent(layer, e->a) * extent(layer, e->b);
	case PTOWSP_EXPR_DIV:
		return extent(layer, e->b) ? extent(layer, e->a) / extent(layer, e->b) : 0;
	default:
		return 0;
	}
}

static void binding_shape(const struct bench_layer *layer, struct ptowsp_binding *b, uint32_t tensor, uint64_t touched)
{
	const struct pkg_tables *t = pkg_tables(layer->package);
	const struct ptowsp_tensor_record *record = &t->tensor[tensor];

	if (touched == UINT64_MAX)
		touched = LONG_ENOUGH; /* these kernels do not say what they touch */
	*b = (struct ptowsp_binding){.tensor = tensor, .dtype = record->dtype, .rank = 1, .elements = touched, .extents = {touched}};
	if (record->flags & PTOWSP_TENSOR_SHAPELESS)
		return;
	b->rank = (uint16_t)record->dim_count;
	b->elements = 1;
	for (uint32_t d = 0; d < record->dim_count && d < 4; d++) {
		b->extents[d] = (uint64_t)extent(layer, t->dim[record->dims + d].extent);
		b->elements *= b->extents[d];
	}
}

static struct ptowsp_run_args run_args(struct bench_layer *layer, uint32_t flags)
{
	return (struct ptowsp_run_args){.head = PTOWSP_HEAD(struct ptowsp_run_args, RUN_ARGS),
					.bindings = layer->bindings,
					.binding_count = layer->binding_count,
					.binding_stride = sizeof(*layer->bindings),
					.values = layer->values,
					.value_count = pkg_tables(layer->package)->slot_count,
					.flags = flags};
}

/* The kernels touch nothing, so that one element serves as the memory of every tensor. */
static ptowsp_status tensors_bind(struct bench_layer *layer, struct ptowsp_error *error)
{
	uint32_t count = pkg_tables(layer->package)->tensor_count;
	uint64_t *touched = calloc(count + 1, sizeof(*touched));
	struct ptowsp_run_args args = run_args(layer, PTOWSP_RUN_NO_KERNELS);
	ptowsp_status st = touched ? rt_extents(layer->program, &args, touched, count, error) : PTOWSP_NO_MEMORY;

	layer->bindings = calloc(count + 1, sizeof(*layer->bindings));
	if (!st && !layer->bindings)
		st = PTOWSP_NO_MEMORY;
	layer->memory = st ? NULL : calloc(1, sizeof(double));
	for (uint32_t i = 0; !st && i < count; i++) {
		binding_shape(layer, &layer->bindings[i], i, touched[i]);
		layer->bindings[i].data = layer->memory;
	}
	layer->binding_count = st ? 0 : count;
	free(touched);
	return st ? st : layer->memory ? PTOWSP_OK : PTOWSP_NO_MEMORY;
}

/* ---- program -------------------------------------------------------------------------------------------------- */

static void directive_set(struct bench_layer *layer, uint32_t *count, unsigned directive, unsigned policy, int64_t value)
{
	uint32_t row = 0;

	while (row < *count && layer->schedule[row].directive != directive)
		row++;
	layer->schedule[row] = (struct ptowsp_directive_record){
		.directive = (uint16_t)directive, .policy = (uint16_t)policy, .count = value >= 0, .a0 = value >= 0 ? value : 0};
	*count += row == *count;
}

static ptowsp_status sections_take(struct bench_layer *layer)
{
	const struct pkg_tables *t = pkg_tables(layer->package);
	uint32_t count, rows = t->directive_count;
	const struct ptowsp_section *sections = pkg_sections(layer->package, &count);

	if (count >= BENCH_LAYER_SECTIONS || rows + 3 > sizeof(layer->schedule) / sizeof(*layer->schedule))
		return PTOWSP_TOO_SMALL;
	for (uint32_t i = 0; i < rows; i++)
		layer->schedule[i] = t->directive[i];
	directive_set(layer, &rows, PTOWSP_DIRECTIVE_DEPS, layer->deps, -1);
	directive_set(layer, &rows, PTOWSP_DIRECTIVE_HAZARDS, layer->hazards, -1);
	if (layer->window)
		directive_set(layer, &rows, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, layer->window);
	for (uint32_t i = 0; i < count; i++)
		if (sections[i].type != PTOWSP_SECTION_SCHD)
			layer->sections[layer->section_count++] = sections[i];
	layer->sections[layer->section_count++] =
		(struct ptowsp_section){PTOWSP_SECTION_SCHD, sizeof(*layer->schedule), rows, layer->schedule};
	for (uint32_t i = 0; i < t->entry_count; i++)
		if (t->entry[i].flags & PTOWSP_ENTRY_DEFAULT)
			layer->entry = i;
	return PTOWSP_OK;
}

static ptowsp_status program_make(struct bench_layer *layer, struct ptowsp_error *error)
{
	struct rt_kernels kernels = bench_kernels(run);
	struct ptowsp_cap caps[512];
	ptowsp_status st = bench_bodies_init(&layer->bodies, pkg_tables(layer->package), error);
	struct rt_program_args args = {.sections = layer->sections, .section_count = layer->section_count,
				       .section_stride = sizeof(*layer->sections), .entry = layer->entry, .kernels = &kernels,
				       .caps = caps, .cap_count = rt_capabilities(caps, sizeof(caps) / sizeof(*caps))};

	kernels.context = layer;
	kernels.cycles = cycles;
	kernels.footprint = footprint;
	return st ? st : rt_program_create(&layer->program, &args, error);
}

static ptowsp_status tasks_check(struct bench_layer *layer, struct ptowsp_error *error)
{
	uint64_t wanted = bench_layer_tasks(layer->iterations);
	struct rt_survey survey;
	ptowsp_status st = bench_layer_survey(layer, &survey, error);

	if (st || survey.tasks == wanted)
		return st;
	snprintf(error->text, sizeof(error->text), "the package makes %llu tasks in %u iterations, not 16 M + 3 M^2 = %llu",
		 (unsigned long long)survey.tasks, layer->iterations, (unsigned long long)wanted);
	return PTOWSP_TOO_SMALL;
}

static ptowsp_status load(struct bench_layer *layer, const char *path, struct ptowsp_error *error)
{
	ptowsp_status st = pkg_open(&layer->package, path, NULL, error);

	if (!st)
		st = sections_take(layer);
	if (!st)
		st = values_set(layer);
	if (!st)
		st = rt_pool_create(&layer->pool, layer->threads, error);
	return st ? st : program_make(layer, error);
}

ptowsp_status bench_layer_init(struct bench_layer *layer, const char *path, struct ptowsp_error *error)
{
	ptowsp_status st = load(layer, path, error);

	if (!st)
		st = tensors_bind(layer, error);
	return st ? st : tasks_check(layer, error);
}

void bench_layer_finish(struct bench_layer *layer)
{
	rt_program_destroy(layer->program);
	bench_bodies_finish(&layer->bodies);
	rt_pool_destroy(layer->pool);
	pkg_close(layer->package);
	free(layer->values);
	free(layer->bindings);
	free(layer->memory);
	*layer = (struct bench_layer){0};
}

ptowsp_status bench_layer_run(struct bench_layer *layer, uint32_t flags, const struct rt_sinks *sinks,
			      struct ptowsp_run_stats *stats_out, struct ptowsp_error *error)
{
	struct ptowsp_run_args args = run_args(layer, flags);
	struct rt_run_args run = {.args = &args, .pool = layer->pool, .sinks = sinks};
	struct ptowsp_deadlock deadlock = {.head = PTOWSP_HEAD(deadlock, DEADLOCK)};

	return rt_run(layer->program, &run, stats_out, &deadlock, error);
}

ptowsp_status bench_layer_survey(struct bench_layer *layer, struct rt_survey *survey_out, struct ptowsp_error *error)
{
	struct ptowsp_run_args args = run_args(layer, PTOWSP_RUN_NO_KERNELS);

	return rt_survey(layer->program, &args, survey_out, error);
}

ptowsp_status bench_layer_start(const struct bench_layer *like, const char *path, double *ns_out, struct ptowsp_error *error)
{
	struct bench_layer layer = {.iterations = like->iterations, .deps = like->deps, .hazards = like->hazards, .window = like->window,
				    .threads = like->threads};
	struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(stats, RUN_STATS)};
	uint64_t began = bench_now_ns();
	ptowsp_status st = load(&layer, path, error);

	layer.bindings = like->bindings; /* borrowed: not part of the way */
	layer.binding_count = like->binding_count;
	if (!st)
		st = bench_layer_run(&layer, 0, NULL, &stats, error);
	*ns_out = (double)(layer.first_ns - began);
	layer.bindings = NULL;
	bench_layer_finish(&layer);
	return st;
}
