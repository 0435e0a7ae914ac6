/* SPDX-License-Identifier: MIT */
#include "ascend/ascend_arch.h"
#include "ascend/core/core.h"
#include "ascend/engine/engine_own.h"
#include "base/hints.h"

#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>

/* ---- devices --------------------------------------------------------------------------------------------------------- */

static ptowsp_status which_copy(struct ascend_engine *engine, const struct ascend_which *which, struct ptowsp_error *error)
{
	engine->root = realpath(which->root, NULL);
	engine->arch = strdup(which->arch);
	engine->variant = strdup(which->variant);
	if (!engine->root && *which->root)
		engine->root = strdup(which->root); /* ascend_files_find says what is wrong with it */
	if (!*which->root)
		return rt_fail(error, PTOWSP_NO_DEVICE, "engine=pto-runtime needs --opt runtime=DIR, the folder of a pto-runtime that was built in place");
	if (!engine->root || !engine->arch || !engine->variant)
		return rt_no_memory(error, "an engine");
	engine->which = (struct ascend_which){engine->root, engine->arch, engine->variant, which->onboard};
	return PTOWSP_OK;
}

/* The libraries first: what they are is told sooner than a compiler runs. */
ptowsp_status ascend_engine_open(struct ascend_engine **engine_out, const struct ascend_which *which, const struct ascend_engine_how *how, int device,
				 struct ptowsp_error *error)
{
	struct ascend_engine *engine = calloc(1, sizeof(*engine));
	ptowsp_status status;

	*engine_out = NULL;
	if (!engine)
		return rt_no_memory(error, "an engine");
	engine->mapped = how->mapped;
	engine->records = strdup(how->records);
	engine->cache = strdup(how->cache ? how->cache : "");
	status = engine->records && engine->cache ? which_copy(engine, which, error) : rt_no_memory(error, "an engine");
	if (!status)
		status = ascend_client_open(&engine->client, &engine->which, device, error);
	if (!status)
		status = ascend_objects_make(&engine->objects, &engine->which, how->cache, error);
	if (status)
		ascend_engine_close(engine);
	else
		*engine_out = engine;
	return status;
}

void ascend_engine_close(struct ascend_engine *engine)
{
	if (!engine)
		return;
	ascend_client_close(engine->client);
	ascend_objects_finish(&engine->objects);
	free(engine->root);
	free(engine->arch);
	free(engine->variant);
	free(engine->records);
	free(engine->cache);
	free(engine);
}

/* ---- programs -------------------------------------------------------------------------------------------------------- */

/* Tensors that the entry's tasks and moves touch, in order of rows: what is written comes back, and begins as it is bound. */
static void entries_number(struct ascend_loaded *loaded)
{
	const struct rt_program *rt = loaded->planned;

	loaded->entry_count = ASCEND_ENTRY_FIRST;
	loaded->directions[ASCEND_ENTRY_PLAN] = loaded->directions[ASCEND_ENTRY_CALLS] = ASCEND_IN;
	for (uint32_t t = 0; t < rt->tables.tensor.count; t++) {
		const unsigned moved = rt->traits[t].moved, access = rt->traits[t].access | moved;

		if (!access)
			continue;
		loaded->entries[t] = loaded->entry_count;
		loaded->directions[loaded->entry_count++] = access & PTOWSP_WRITE ? ASCEND_INOUT : ASCEND_IN;
	}
	if (rt->renamed) {
		loaded->versions_entry = loaded->entry_count;
		loaded->directions[loaded->entry_count++] = ASCEND_IN;
	}
	if (rt->move_count) {
		loaded->blocks_entry = loaded->entry_count;
		loaded->directions[loaded->entry_count++] = ASCEND_IN;
	}
}

/* The walk finds no edges but those that the package states; the runtime finds the others, and may miss some. */
static void edges_leave(struct ascend_loaded *loaded)
{
	loaded->planned->schedule.deps = PTOWSP_DEPS_EXPLICIT;
	loaded->planned->schedule.hybrid = false;
	base_log(loaded->program->device->instance, PTOWSP_LOG_WARNING,
		 "edges=runtime: the map of the pto-runtime lets a write pass the reads before it, so results may be others from run to run; compare with "
		 "edges=stated");
}

static ptowsp_status planned_make(struct ascend_loaded *loaded, const struct ptowsp_load_args *args, struct ptowsp_error *error)
{
	const bool onboard = loaded->engine->which.onboard;
	struct rt_kernels kernels;
	ptowsp_status status;

	loaded->kernels = (struct ascend_planned){{base_kernels_table(&loaded->program->kernels), &loaded->walk}, onboard, NULL};
	kernels = ascend_planned_table(&loaded->kernels);
	loaded->streamed = !onboard && !strcmp(loaded->engine->variant, ASCEND_TASK_BUFFER);
	status = base_planned_create(&loaded->planned, loaded->program, args, &kernels,
				     (struct base_planned_as){.windowed = loaded->streamed, .renames = !onboard}, error);
	if (!status && loaded->engine->mapped)
		edges_leave(loaded);
	return status;
}

/* A device is asked for nothing that none of the package's kernels does, before one of them is compiled. */
static ptowsp_status device_check(const struct ascend_loaded *loaded, struct ptowsp_error *error)
{
	const struct rt_program *planned = loaded->planned;

	if (!loaded->engine->which.onboard)
		return PTOWSP_OK;
	if (planned->move_count)
		return rt_fail(error, PTOWSP_UNSUPPORTED,
			       "the program sends payload through channels, and a device gets no code but that of the package's kernels, of which none copies; "
			       "take another backend, such as cpu_sim");
	if (planned->copy_kernel < loaded->kernel_count && planned->kernel_used[planned->copy_kernel])
		return rt_fail(error, PTOWSP_UNSUPPORTED,
			       "the package copies regions, and a device gets no code but that of the package's kernels; copy with a kernel");
	return PTOWSP_OK;
}

/* CA_REQUEST may ask for no more vector cores than cube cores. On a device both go along, as the flags of a cluster are those of both. */
static bool wants_one(const struct ascend_loaded *loaded, uint32_t kernel)
{
	const struct base_hints *hints = loaded->engine->which.onboard ? NULL : loaded->program->hints;

	for (uint32_t i = 0; hints && i < hints->count; i++)
		if (hints->rows[i].blocks && hints->rows[i].kernel == kernel)
			return hints->rows[i].vectors && hints->rows[i].vectors <= hints->rows[i].cubes;
	return false;
}

/* Kernels that multiply run on a cube core, whatever unit they do not state, and on a cluster where they do more than that. */
static uint8_t shape_of(const struct ascend_loaded *loaded, uint32_t kernel)
{
	const struct rt_tables *tables = &loaded->planned->tables;
	const struct base_kernels *kernels = &loaded->program->kernels;
	const struct ascend_arch *arch = ascend_model_arch(loaded->program->device->model);
	struct ptowsp_error why = {.head = PTOWSP_HEAD(why, ERROR)};
	unsigned unit = kernel < loaded->kernel_count ? tables->kernel.rows[kernel].unit : PTOWSP_UNIT_AIV;
	struct ascend_kernel *made = NULL;

	if (unit == PTOWSP_UNIT_ANY && kernel < kernels->count && kernels->rows[kernel].isa) {
		ascend_kernel_make(&made, kernels->rows[kernel].isa, kernels->rows[kernel].name, arch, unit, &why);
		unit = made && ascend_kernel_has_product(made) ? ascend_kernel_unit(made) : unit;
		ascend_kernel_destroy(made);
	}
	if (unit == PTOWSP_UNIT_AIC_AIV)
		return wants_one(loaded, kernel) ? ASCEND_SHAPE_MIX_ONE : ASCEND_SHAPE_MIX;
	return unit == PTOWSP_UNIT_AIC ? ASCEND_SHAPE_CUBE : ASCEND_SHAPE_VECTOR;
}

static ptowsp_status tables_make(struct ascend_loaded *loaded, struct ptowsp_error *error)
{
	uint32_t tensors = loaded->planned->tables.tensor.count;

	loaded->kernel_count = loaded->planned->tables.kernel.count;
	loaded->entries = calloc((size_t)tensors + 1, sizeof(*loaded->entries));
	loaded->directions = calloc((size_t)tensors + ASCEND_ENTRY_FIRST + 2, sizeof(*loaded->directions));
	loaded->image_cycles = calloc((size_t)loaded->kernel_count + 1, sizeof(*loaded->image_cycles));
	loaded->bindings = calloc((size_t)tensors + 1, sizeof(*loaded->bindings));
	loaded->tasks = calloc((size_t)loaded->kernel_count + 2, sizeof(*loaded->tasks));
	if (!loaded->entries || !loaded->directions || !loaded->bindings || !loaded->image_cycles || !loaded->tasks)
		return rt_no_memory(error, "a program of the pto-runtime");
	loaded->kernels.cycles = loaded->image_cycles;
	for (uint32_t k = 0; k <= loaded->kernel_count; k++) {
		const uint32_t blocks = k < loaded->kernel_count ? loaded->planned->tables.kernel.rows[k].blockdim : 1;

		loaded->tasks[k].step = (struct ascend_plan_step){
			.function = k, .cube = k, .shape = shape_of(loaded, k), .blocks = blocks && blocks <= INT16_MAX ? (uint16_t)blocks : 1};
	}
	entries_number(loaded);
	return PTOWSP_OK;
}

/* Moves are calls of the first kernel of the simulation, whichever that is: there is one. On a device the kernels of other entries are left out. */
static ptowsp_status children_make(struct ascend_children *children, struct ascend_loaded *loaded, struct ptowsp_error *error)
{
	const struct ascend_engine *engine = loaded->engine;
	const uint32_t count = loaded->kernel_count ? loaded->kernel_count : loaded->blocks_entry != 0;
	ptowsp_status status = PTOWSP_OK;

	children->rows = calloc((size_t)count * 2 + 1, sizeof(*children->rows));
	children->cores = calloc((size_t)count + 1, sizeof(*children->cores));
	if (!children->rows || !children->cores)
		return rt_no_memory(error, "kernels of the pto-runtime");
	for (uint32_t k = 0; !status && k < count; k++) {
		if (!engine->which.onboard)
			children->rows[children->count++] = (struct ascend_kernel_object){(int32_t)k, engine->objects.kernel, engine->objects.kernel_size};
		else if (loaded->planned->kernel_used[k])
			status = ascend_device_kernel_add(children, loaded, k, error);
	}
	return status;
}

static void children_finish(struct ascend_children *children, uint32_t count)
{
	for (uint32_t k = 0; children->cores && k < count; k++)
		ascend_cores_finish(&children->cores[k]);
	free(children->cores);
	free(children->rows);
}

/* Whoever compares results is told what they are. */
static void rounding_tell(const struct ascend_loaded *loaded, const struct ascend_children *children)
{
	static const char said[] = "portable kernels are compiled for the cores of the device, which round, add up and compute exp and others as they do: "
				   "results need not be those of other "
				   "backends bit for bit";
	const struct ptowsp_host *host = loaded->program->device->instance->host;

	for (uint32_t k = 0; k < loaded->kernel_count; k++)
		if (children->cores[k].vector) {
			host->diagnose(host->context, PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_PTO), PTOWSP_STATE_DIAGNOSED, said, sizeof(said) - 1);
			return;
		}
}

static ptowsp_status callable_register(struct ascend_loaded *loaded, struct ptowsp_error *error)
{
	const struct ascend_engine *engine = loaded->engine;
	struct ascend_children children = {0};
	void *block = NULL;
	ptowsp_status status = children_make(&children, loaded, error);
	const struct ascend_callable_args args = {
		engine->objects.orchestration, engine->objects.orchestration_size, children.rows, children.count, loaded->directions, loaded->entry_count};

	if (!status)
		status = ascend_callable_make(&block, &args, error);
	if (!status)
		status = ascend_client_register(engine->client, block, &loaded->callable, error);
	if (!status)
		rounding_tell(loaded, &children);
	free(block);
	children_finish(&children, loaded->kernel_count);
	return status;
}

ptowsp_status ascend_engine_load(struct ascend_engine *engine, struct ascend_loaded **loaded_out, struct base_program *program,
				 const struct ptowsp_load_args *args, struct ptowsp_error *error)
{
	struct ascend_loaded *loaded = calloc(1, sizeof(*loaded));
	ptowsp_status status;

	*loaded_out = NULL;
	if (!loaded)
		return rt_no_memory(error, "a program of the pto-runtime");
	loaded->engine = engine;
	loaded->program = program;
	loaded->callable = -1;
	loaded->flags = args->flags;
	base_sections_find(&loaded->sections, args);
	status = planned_make(loaded, args, error);
	if (!status)
		status = tables_make(loaded, error);
	if (!status)
		status = device_check(loaded, error);
	if (!status)
		status = callable_register(loaded, error);
	if (status)
		ascend_engine_unload(loaded);
	else
		*loaded_out = loaded;
	return status;
}

void ascend_engine_unload(struct ascend_loaded *loaded)
{
	if (!loaded)
		return;
	ascend_client_unregister(loaded->engine->client, loaded->callable);
	rt_program_destroy(loaded->planned);
	base_walk_finish(&loaded->walk);
	ascend_figures_finish(&loaded->figures);
	free(loaded->entries);
	free(loaded->tasks);
	free(loaded->directions);
	free(loaded->bindings);
	free(loaded->image_cycles);
	free(loaded);
}
