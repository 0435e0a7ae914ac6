/* SPDX-License-Identifier: MIT */
#include "tests/base/emit_tree.h"

#include "ascend/emit/ascend_emit.h"
#include "rt/program/arithmetic.h"
#include "rt/program/dtype.h"
#include "rt/rt_feed.h"
#include "tests/base/emit_seen.h"
#include "tests/emit/tree_glue.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct emit_tree {
	struct pkg *package;
	const struct pkg_tables *t;
	struct isa_program **programs; /* per KREG row, NULL: none */
	void *scratch;
	struct rt_kernels kernels;
	uint32_t entry;
	char folder[512];
	char *told;
	size_t told_size;
	FILE *told_to;
	uint64_t *values;
	struct ptowsp_binding *bindings; /* per TENS row; data NULL: not bound */
	void **memory;                   /* owned, two per tensor: as it is before a run, and while one goes on */
	bool computes;                   /* kernels have to run, as what they write decides on tasks */
	struct seen_list core, emitted;
	uint32_t *owners; /* of the core's tasks with several instances, as an engine is told; NULL: it cannot tell */
	uint64_t owner_count;
};

/* ---- kernels, as the core calls them ---------------------------------------------------------------------------------- */

static const struct isa_program *program_of(const struct emit_tree *tree, uint32_t kernel)
{
	return kernel < tree->t->kernel_count ? tree->programs[kernel] : NULL;
}

static ptowsp_status kernel_cycles(void *context, uint32_t kernel, const uint64_t *args, uint64_t *cycles_out)
{
	(void)context, (void)kernel, (void)args;
	*cycles_out = 1;
	return PTOWSP_OK;
}

static ptowsp_status kernel_footprint(void *context, uint32_t kernel, const uint64_t *args, rt_touch_fn touch, void *sink)
{
	const struct isa_program *program = program_of(context, kernel);
	const struct emit_tree *tree = context;
	uint32_t scalars = 0;
	uint64_t ignored;

	for (uint32_t i = 0; program && i < tree->t->kernel[kernel].param_count; i++)
		scalars += tree->t->param[tree->t->kernel[kernel].params + i].kind == PTOWSP_PARAM_SCALAR;
	return program ? isa_walk(program, args, scalars, 0, touch, sink, &ignored, NULL) : PTOWSP_UNSUPPORTED;
}

static int kernel_varies(void *context, uint32_t kernel)
{
	const struct isa_program *program = program_of(context, kernel);

	return program && isa_program_varies(program);
}

static void core_keep(struct emit_tree *tree, const struct ptowsp_task *task)
{
	struct seen *seen = seen_add(&tree->core);

	seen->kernel = task->kernel;
	seen->stream = task->stream;
	seen->arg_count = task->arg_count;
	seen->window_count = task->tensor_count;
	memcpy(seen->args, task->args, 8 * (task->arg_count < SEEN_ARGS ? task->arg_count : SEEN_ARGS));
	for (uint32_t i = 0; i < task->tensor_count && i < SEEN_WINDOWS; i++) {
		const struct ptowsp_tensor_arg *w = (const void *)((const char *)task->tensors + (size_t)i * task->tensor_stride);
		const struct ptowsp_binding *b = &tree->bindings[w->tensor];
		const uint64_t size = rt_dtype_bytes(b->dtype), at = (uint64_t)((uintptr_t)w->data - (uintptr_t)b->data);

		/* A version of a renamed tensor lies elsewhere. */
		seen->windows[i] = (struct tree_window){(uint64_t)(uintptr_t)w->data,
							w->rows,
							w->columns,
							w->row_stride,
							w->column_stride,
							at <= b->elements * size ? at / size : UINT64_MAX,
							w->tensor,
							w->access,
							w->dtype};
	}
}

static ptowsp_status compute(struct emit_tree *tree, const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	const struct isa_program *program = program_of(tree, task->kernel);
	struct ptowsp_task block = *task;
	const uint32_t blocks = tree->t->kernel[task->kernel].blockdim > 1 ? tree->t->kernel[task->kernel].blockdim : 1;
	ptowsp_status status = PTOWSP_OK;

	block.block_count = blocks;
	for (block.block = 0; program && tree->computes && !status && block.block < blocks; block.block++)
		status = isa_run(program, &block, out, tree->scratch);
	return status;
}

static ptowsp_status kernel_run(void *context, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker)
{
	struct emit_tree *tree = context;

	(void)worker;
	if (!tree->owners)
		core_keep(tree, task);
	return compute(tree, task, out);
}

static void programs_make(struct emit_tree *tree)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	size_t most = 64;

	tree->programs = calloc(tree->t->kernel_count + 1u, sizeof(*tree->programs));
	for (uint32_t i = 0; i < tree->t->kernel_count; i++) {
		const struct ptowsp_kernel_record *kernel = &tree->t->kernel[i];

		for (uint32_t k = 0; k < kernel->payload_count && !tree->programs[i]; k++) {
			const struct ptowsp_payload_record *payload = &tree->t->payload[kernel->payloads + k];

			if (payload->kind == PTOWSP_PAYLOAD_PTO && isa_program_create(&tree->programs[i], tree->t->code + payload->offset, payload->size,
										      tree->t->strings, tree->t->strings_size, &error))
				CHECK_FAIL("%s", error.text);
		}
		if (tree->programs[i] && isa_program_scratch(tree->programs[i]) > most)
			most = isa_program_scratch(tree->programs[i]);
	}
	tree->scratch = aligned_alloc(64, (most + 63) / 64 * 64);
	tree->kernels =
		(struct rt_kernels){.context = tree, .cycles = kernel_cycles, .footprint = kernel_footprint, .varies = kernel_varies, .run = kernel_run};
}

/* ---- the tree ------------------------------------------------------------------------------------------------------------ */

static ptowsp_status file_write(void *context, const char *path, const void *bytes, uint64_t size)
{
	const struct emit_tree *tree = context;
	char folder[700];

	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(folder, sizeof(folder), "%s/%.*s", tree->folder, (int)(slash - path), path);
		mkdir(folder, 0777);
	}
	return check_write(check_fmt("%s/%s", tree->folder, path), bytes, size) ? PTOWSP_OK : PTOWSP_IO;
}

static void tell(void *context, const char *sentence)
{
	fprintf(((struct emit_tree *)context)->told_to, "%s\n", sentence);
}

static const struct isa_program *portable(void *context, uint32_t kernel)
{
	return program_of(context, kernel);
}

static bool emit(struct emit_tree *tree, const char *target)
{
	static struct ptowsp_cap caps[256];
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ascend_emit_args args = {.entry = tree->entry,
					.section_stride = sizeof(struct ptowsp_section),
					.kernels = &tree->kernels,
					.portable = portable,
					.context = tree,
					.caps = caps,
					.target = target,
					.device = "910B"};
	const struct ascend_emit_sink sink = {tree, file_write, tell};

	args.cap_count = rt_capabilities(caps, 256);
	args.sections = pkg_sections(tree->package, &args.section_count);
	tree->told_to = open_memstream(&tree->told, &tree->told_size);
	if (ascend_emit(&args, &sink, &error))
		CHECK_FAIL("%s: %s", check_name(), error.text);
	fclose(tree->told_to);
	return !error.text[0];
}

static int64_t expression(const struct emit_tree *tree, uint32_t row)
{
	const struct ptowsp_expr_record *r = &tree->t->expr[row];
	uint32_t failed = 0;

	if (r->op == PTOWSP_EXPR_CONST)
		return (int64_t)((uint64_t)r->c << 32 | r->b);
	if (r->op == PTOWSP_EXPR_VALUE)
		return (int64_t)tree->values[r->a];
	return rt_operation(r->op, expression(tree, r->a), rt_operands(r->op) > 1 ? expression(tree, r->b) : 0,
			    rt_operands(r->op) > 2 ? expression(tree, r->c) : 0, &failed);
}

struct emit_tree *emit_tree_make(const char *package, const char *entry, const char *target)
{
	struct emit_tree *tree = calloc(1, sizeof(*tree));
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};

	snprintf(tree->folder, sizeof(tree->folder), "%s", check_tmp());
	if (pkg_open(&tree->package, package, NULL, &error)) {
		CHECK_FAIL("%s", error.text);
		free(tree);
		return NULL;
	}
	tree->t = pkg_tables(tree->package);
	while (tree->entry + 1 < tree->t->entry_count &&
	       (entry ? strcmp(pkg_string(tree->t, tree->t->entry[tree->entry].name), entry) != 0 : !(tree->t->entry[tree->entry].flags & 1)))
		tree->entry++;
	tree->values = calloc(tree->t->slot_count + 1u, sizeof(*tree->values));
	for (uint32_t i = 0; i < tree->t->slot_count; i++)
		tree->values[i] = tree->t->slot[i].flags & PTOWSP_SLOT_HAS_DEFAULT ? tree->t->slot[i].value : 0;
	programs_make(tree);
	if (emit(tree, target))
		return tree;
	emit_tree_destroy(tree);
	return NULL;
}

void emit_tree_destroy(struct emit_tree *tree)
{
	if (!tree)
		return;
	for (uint32_t i = 0; i < tree->t->kernel_count; i++)
		isa_program_destroy(tree->programs[i]);
	for (uint32_t i = 0; tree->memory && i < tree->t->tensor_count * 2; i++)
		free(tree->memory[i]);
	free(tree->programs);
	free(tree->scratch);
	free(tree->told);
	free(tree->values);
	free(tree->bindings);
	free(tree->memory);
	free(tree->core.rows);
	free(tree->emitted.rows);
	pkg_close(tree->package);
	free(tree);
}

const char *emit_tree_folder(const struct emit_tree *tree)
{
	return tree->folder;
}

const char *emit_tree_told(const struct emit_tree *tree)
{
	return tree->told ? tree->told : "";
}

void emit_tree_set(struct emit_tree *tree, const char *name, int64_t value)
{
	for (uint32_t i = 0; i < tree->t->slot_count; i++)
		if (!strcmp(pkg_string(tree->t, tree->t->slot[i].name), name))
			tree->values[i] = (uint64_t)value;
}

/* ---- memory -------------------------------------------------------------------------------------------------------------------- */

static const struct ptowsp_sample_record *sample_of(const struct emit_tree *tree, uint32_t tensor, uint32_t *row_out)
{
	for (uint32_t i = 0; i < tree->t->sample_count; i++)
		if (tree->t->sample[i].tensor == tensor && !tree->t->sample[i].role) {
			*row_out = i;
			return &tree->t->sample[i];
		}
	return NULL;
}

static void bind(struct emit_tree *tree, uint32_t tensor, uint64_t touched)
{
	const struct ptowsp_tensor_record *record = &tree->t->tensor[tensor];
	struct ptowsp_binding *b = &tree->bindings[tensor];
	uint32_t row = 0;
	const struct ptowsp_sample_record *sample = sample_of(tree, tensor, &row);
	const void *bytes = NULL;
	uint64_t size = 0;

	*b = (struct ptowsp_binding){.tensor = tensor, .dtype = record->dtype, .rank = (uint16_t)record->dim_count, .elements = 1};
	for (uint32_t d = 0; d < record->dim_count; d++) {
		const int64_t extent = expression(tree, tree->t->dim[record->dims + d].extent);

		b->extents[d] = extent > 0 ? (uint64_t)extent : 0;
		b->elements *= b->extents[d];
	}
	if (record->flags & PTOWSP_TENSOR_SHAPELESS) {
		b->rank = sample ? sample->rank : 1;
		b->extents[0] = sample ? sample->extent0 : touched == UINT64_MAX ? 1 << 20 : touched;
		b->extents[1] = sample ? sample->extent1 : 0;
		b->extents[2] = sample ? sample->extent2 : 0;
		b->extents[3] = sample ? sample->extent3 : 0;
		for (uint32_t d = 0; d < b->rank; d++)
			b->elements *= b->extents[d];
	}
	tree->memory[2 * tensor] = calloc(b->elements + 8, rt_dtype_bytes(b->dtype));
	tree->memory[2 * tensor + 1] = calloc(b->elements + 8, rt_dtype_bytes(b->dtype));
	if (sample && !pkg_sample_bytes(tree->package, row, &bytes, &size, NULL) && size <= b->elements * rt_dtype_bytes(b->dtype))
		memcpy(tree->memory[2 * tensor], bytes, size);
	b->data = tree->memory[2 * tensor + 1];
}

static struct rt_program *core_program(struct emit_tree *tree)
{
	static struct ptowsp_cap caps[256];
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct rt_program_args args = {.entry = tree->entry, .section_stride = sizeof(struct ptowsp_section), .kernels = &tree->kernels, .caps = caps};
	struct rt_program *program = NULL;

	args.cap_count = rt_capabilities(caps, 256);
	args.sections = pkg_sections(tree->package, &args.section_count);
	if (rt_program_create(&program, &args, &error))
		CHECK_FAIL("%s", error.text);
	return program;
}

static struct ptowsp_run_args run_args(const struct emit_tree *tree)
{
	return (struct ptowsp_run_args){.head = {sizeof(struct ptowsp_run_args), PTOWSP_STRUCT_RUN_ARGS, 0},
					.bindings = tree->bindings,
					.binding_count = tree->bindings ? tree->t->tensor_count : 0,
					.binding_stride = sizeof(*tree->bindings),
					.values = tree->values,
					.value_count = tree->t->slot_count};
}

static void memory_make(struct emit_tree *tree, struct rt_program *program)
{
	struct ptowsp_run_args args = run_args(tree);
	uint64_t *touched = calloc(tree->t->tensor_count + 1u, sizeof(*touched));
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};

	rt_extents(program, &args, touched, tree->t->tensor_count, &error); /* what it cannot tell has a size all the same */
	tree->bindings = calloc(tree->t->tensor_count + 1u, sizeof(*tree->bindings));
	tree->memory = calloc(tree->t->tensor_count * 2u + 1, sizeof(*tree->memory));
	for (uint32_t i = 0; i < tree->t->tensor_count; i++)
		bind(tree, i, touched[i]);
	free(touched);
}

static void memory_reset(struct emit_tree *tree)
{
	for (uint32_t i = 0; i < tree->t->tensor_count; i++)
		memcpy(tree->memory[2 * i + 1], tree->memory[2 * i], tree->bindings[i].elements * rt_dtype_bytes(tree->bindings[i].dtype));
}

/* ---- the core ------------------------------------------------------------------------------------------------------------------- */

/* Other devices are there, and have always told already. */
static ptowsp_status notify_send(void *context, uint32_t device, uint32_t notification, uint64_t cycles, struct ptowsp_error *error)
{
	(void)context, (void)device, (void)notification, (void)cycles, (void)error;
	return PTOWSP_OK;
}

static ptowsp_status notify_take(void *context, uint32_t device, uint32_t notification, uint64_t until_ns, uint64_t *cycles_out, struct ptowsp_error *error)
{
	(void)context, (void)device, (void)notification, (void)until_ns, (void)error;
	*cycles_out = 0;
	return PTOWSP_OK;
}

/* An engine that does nothing but look. */
static ptowsp_status owners_keep(void *context, struct rt_feed *feed, struct ptowsp_error *error)
{
	struct emit_tree *tree = context;
	const struct rt_item *item;
	ptowsp_status status;

	(void)error;
	while (!(status = rt_feed_next(feed, &item)) && item->kind != RT_ITEM_END)
		if (item->kind == RT_ITEM_TASK && item->number < tree->owner_count)
			tree->owners[item->number] = item->owner;
	return status;
}

static ptowsp_status core_run(struct emit_tree *tree, struct rt_program *program, uint32_t instances, struct ptowsp_error *error)
{
	const struct rt_notify notify = {NULL, 0, notify_send, notify_take};
	const struct ptowsp_run_args args = run_args(tree);
	struct rt_pool *pool = NULL;
	const struct rt_sinks sinks = {0};
	const struct rt_engine engine = {.context = tree, .run = owners_keep};
	struct rt_run_args how = {.args = &args, .sinks = &sinks, .schedulers = instances, .notify = &notify, .engine = instances > 1 ? &engine : NULL};
	struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(stats, RUN_STATS)};
	ptowsp_status status = rt_pool_create(&pool, 1, error);

	how.pool = pool;
	memory_reset(tree);
	if (!status)
		status = rt_run(program, &how, &stats, NULL, error);
	rt_pool_destroy(pool);
	return status;
}

/* Is there a slot that tasks fill? */
static bool loads(const struct pkg_tables *t)
{
	struct ptowsp_workload_header head;

	memcpy(&head, t->raw_work, sizeof(head));
	for (uint32_t i = 0; i < head.num_instructions; i++)
		if (t->raw_work[sizeof(head) + 8ull * i] == PTOWSP_OP_SLOT_LOAD)
			return true;
	return false;
}

/* ---- the compiled tree ---------------------------------------------------------------------------------------------------------- */

static void emitted_keep(void *context, const struct tree_task *task)
{
	struct emit_tree *tree = context;
	struct seen *seen = seen_add(&tree->emitted);

	seen->kernel = task->kernel;
	seen->stream = task->stream;
	seen->owner = task->owner;
	seen->arg_count = task->arg_count;
	seen->window_count = task->window_count;
	memcpy(seen->args, task->args, 8 * (task->arg_count < SEEN_ARGS ? task->arg_count : SEEN_ARGS));
	memcpy(seen->windows, task->windows, sizeof(*task->windows) * (task->window_count < SEEN_WINDOWS ? task->window_count : SEEN_WINDOWS));
}

/* As the core would call it. */
static int32_t emitted_compute(void *context, const struct tree_task *task)
{
	struct emit_tree *tree = context;
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_kernel_out out = {PTOWSP_HEAD(out, KERNEL_OUT), 0, &error};
	struct ptowsp_tensor_arg windows[SEEN_WINDOWS];
	struct ptowsp_task call = {.head = PTOWSP_HEAD(call, TASK),
				   .args = task->args,
				   .tensors = windows,
				   .arg_count = task->arg_count,
				   .tensor_count = task->window_count,
				   .tensor_stride = sizeof(*windows),
				   .kernel = task->kernel,
				   .number = task->number};
	ptowsp_status status;

	if (task->kernel >= tree->t->kernel_count || !tree->computes)
		return 0;
	for (uint32_t i = 0; i < task->window_count && i < SEEN_WINDOWS; i++) {
		const struct tree_window *w = &task->windows[i];

		windows[i] = (struct ptowsp_tensor_arg){(void *)(uintptr_t)w->data, w->rows,  w->columns, w->row_stride, w->column_stride, (uint16_t)w->dtype,
							(uint16_t)w->access,        w->tensor};
	}
	status = compute(tree, &call, &out);
	if (status)
		CHECK_FAIL("task %llu: %s", (unsigned long long)task->number, error.text);
	return status;
}

static bool tree_compile(const struct emit_tree *tree)
{
	char *err = NULL;
	int status = check_run(
		check_fmt("cd '%s' && c++ -std=c++17 -O0 -fwrapv -fPIC -shared -Wall -Wextra -Werror -I. -I'%s/tests/emit' aicpu_orchestrate.cc builder.cc "
			  "builder_deps.cc builder_values.cc builder_process.cc '%s/tests/emit/tree_glue.cc' -o tree.so",
			  tree->folder, check_root(), check_root()),
		NULL, &err);

	if (status)
		CHECK_FAIL("%s: %.1500s", check_name(), err);
	free(err);
	return !status;
}

static bool tree_call(struct emit_tree *tree, uint32_t instances)
{
	void *library = dlopen(check_fmt("%s/tree.so", tree->folder), RTLD_NOW | RTLD_LOCAL);
	int32_t (*run)(struct tree_setup * setup) = NULL;
	struct tree_tensor *tensors = calloc(tree->t->tensor_count + 1u, sizeof(*tensors));
	int64_t *slots = calloc(tree->t->slot_count + 1u, sizeof(*slots));
	struct tree_setup setup = {
		.context = tree, .submitted = emitted_keep, .run = emitted_compute, .tensors = tensors, .slots = slots, .instances = instances};
	int32_t status = -1;

	for (uint32_t i = 0; i < tree->t->tensor_count; i++) {
		const struct ptowsp_binding *b = &tree->bindings[i];

		tensors[i] = (struct tree_tensor){(uint64_t)(uintptr_t)b->data, b->elements, b->rank ? b->extents[b->rank - 1] : 1, b->dtype,
						  rt_dtype_bytes(b->dtype)};
	}
	for (uint32_t i = 0; i < tree->t->slot_count; i++)
		slots[i] = (int64_t)tree->values[i];
	memory_reset(tree);
	if (library)
		*(void **)&run = dlsym(library, "tree_run");
	if (run)
		status = run(&setup);
	if (status)
		CHECK_FAIL("%s: status %d, %s", check_name(), (int)status, run ? setup.message : dlerror());
	if (library)
		dlclose(library);
	free(tensors);
	free(slots);
	return !status;
}

/* ---- both ------------------------------------------------------------------------------------------------------------------------- */

static void lists_compare(struct emit_tree *tree)
{
	const uint64_t count = tree->core.count < tree->emitted.count ? tree->core.count : tree->emitted.count;
	unsigned wrong = 0;

	if (tree->core.count != tree->emitted.count)
		CHECK_FAIL("%s: %llu tasks, the core has %llu", check_name(), (unsigned long long)tree->emitted.count, (unsigned long long)tree->core.count);
	for (uint64_t i = 0; i < count && wrong < 3; i++) {
		const struct seen *core = &tree->core.rows[i], *emitted = &tree->emitted.rows[i];
		const bool varies = kernel_varies(tree, core->kernel) || !program_of(tree, core->kernel);
		const char *what = seen_difference(core, emitted, varies);

		if (!what && tree->owners && tree->owners[i] != emitted->owner)
			what = "owner";
		if (what)
			CHECK_FAIL("%s: task %llu has another %s (kernel %u, owner %u, core %u; start %llu columns %llu, core start %llu columns %llu)",
				   check_name(), (unsigned long long)i, what, emitted->kernel, emitted->owner, tree->owners ? tree->owners[i] : 0,
				   (unsigned long long)emitted->windows[0].start, (unsigned long long)emitted->windows[0].columns,
				   (unsigned long long)core->windows[0].start, (unsigned long long)core->windows[0].columns);
		wrong += what != NULL;
	}
}

uint64_t emit_tree_compare(struct emit_tree *tree, uint32_t instances)
{
	struct rt_program *program = core_program(tree);
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	ptowsp_status status;

	if (!program)
		return 0;
	tree->computes = loads(tree->t);
	memory_make(tree, program);
	status = core_run(tree, program, 1, &error);
	if (status)
		CHECK_FAIL("%s: the core says %s", check_name(), error.text);
	tree->owner_count = tree->core.count;
	tree->owners = calloc(tree->owner_count + 1, sizeof(*tree->owners));
	if (status || core_run(tree, program, instances, &error)) { /* several devices: nobody answers here */
		printf("# %s: owners are not compared: %s\n", check_name(), error.text);
		free(tree->owners);
		tree->owners = NULL;
	}
	if (!status && tree_compile(tree) && tree_call(tree, instances))
		lists_compare(tree);
	free(tree->owners);
	tree->owners = NULL;
	rt_program_destroy(program);
	return tree->emitted.count;
}

void emit_tree_cores_compile(struct emit_tree *tree)
{
	char *err = NULL;

	if (check_run(check_fmt("cd '%s' && c++ -std=c++17 -Wall -Wextra -Wno-unused -Werror -fsyntax-only -I. -I'%s/tests/emit' aicore_kernel_dispatch.cc",
				tree->folder, check_root()),
		      NULL, &err))
		CHECK_FAIL("%s: %.900s", check_name(), err);
	free(err);
}
