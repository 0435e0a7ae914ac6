/* SPDX-License-Identifier: MIT */
/* fake_runtime.c - a libhost_runtime.so for tests: the C interface of generation 4, which minds the order of calls, sizes, alignments and lifetimes, runs the tasks that
 * the orchestration submits, and fails where it is told to. No code of the real one is in it.
 *
 *   FAKE_LOG=FILE     a line per call; "WRONG ..." for what a client must not do, which the call then refuses; per run and ring what was used and waited for
 *   FAKE_FAULT=PHASE:CODE[:CLASS]   init, register, prepare, launch, wait or finalize fails: CODE > 0 as a fault of the runtime with that number and the sentence of
 *                     fake_faults.def, else with that result; CLASS is that of a scheduler timeout ("S1:running-stalled")
 *   FAKE_POLLS=N      a run is not ready for N polls
 *   FAKE_SEED=N       order among ready tasks */
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fake_device.h"
#include "fake_tasks.h"

extern const bool fake_host_graph; /* fake_host_graph.c, fake_task_buffer.c */

#define WRONG (-77)
#define MAGIC UINT64_C(0x46414B4552554E31)

struct program {
	bool there;
	void *orchestration;
	struct fake_code *children[ASCEND_FUNCTIONS];
	fake_kernel functions[ASCEND_FUNCTIONS];
	void (*bind)(struct fake_runtime *rt);
	void (*entry)(const struct fake_entry *args);
	struct fake_config (*config)(const struct fake_entry *args);
	int32_t directions[ASCEND_ENTRY_TENSORS];
	int32_t direction_count;
};
struct copy {
	void *host, *device;
	size_t size;
	bool back;
};
enum run_state { RUN_NONE, RUN_PREPARED, RUN_GOING, RUN_OVER };
/* What a client's storage holds while a run is prepared. */
struct run {
	uint64_t magic;
	enum run_state state;
	struct context *context;
	struct program *program;
	struct fake_graph graph;
	struct fake_entry entry;
	struct ascend_tensor tensors[ASCEND_ENTRY_TENSORS];
	struct copy copies[ASCEND_ENTRY_TENSORS];
	uint32_t copy_count;
	pthread_t thread;
	int polls;
};
struct context {
	bool started, finalized;
	int blocks;                 /* of device memory */
	struct run *active;
	struct program programs[ASCEND_CALLABLES];
	uint64_t latest_epoch;
};

static struct ascend_log_state *bound;

/* ---- telling --------------------------------------------------------------------------------------------------------- */

static void line(const char *format, va_list list)
{
	const char *path = getenv("FAKE_LOG");
	FILE *file = path ? fopen(path, "a") : NULL;

	if (!file)
		return;
	vfprintf(file, format, list);
	fputc('\n', file);
	fclose(file);
}

static void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void tell(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	line(format, list);
	va_end(list);
}

static int wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int wrong(const char *format, ...)
{
	char text[200];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	tell("WRONG %s", text);
	fprintf(stderr, "[mono_ns=0][T0x0][ERROR] fake_runtime: %s\n", text);
	return WRONG;
}

static const struct {
	int code;
	const char *name, *detail;
} faults[] = {
#define X(code, name, detail) {code, #name, detail},
#include "fake_faults.def"
#undef X
};

/* In the form of the real one: its failure line, then what it means (detail, NULL: the table's) and what helps. */
static int fault_tell(int code, const char *class, const char *detail)
{
	const char *name = "unknown";

	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		if (faults[i].code == code) {
			name = faults[i].name;
			detail = detail ? detail : faults[i].detail;
		}
	if (bound && bound->threshold > 40)
		return -code;
	fprintf(stderr, "[mono_ns=0][T0x0][ERROR] validate_runtime_impl: PTO2 runtime failed: orch_error_code=%d sched_error_code=%d runtime_status=%d\n",
		code < 100 ? code : 0, code < 100 ? 0 : code, -code);
	fprintf(stderr, "[mono_ns=0][T0x0][ERROR] validate_runtime_impl: error detail: %s=%d %s - %s\n", code < 100 ? "orch_error_code" : "sched_error_code",
		code, name, detail ? detail : "nobody knows this code");
	if (*class)
		fprintf(stderr, "[mono_ns=0][T0x0][ERROR] validate_runtime_impl: PTO2 scheduler timeout sub_class=%s (detail=1) completed=0/1\n", class);
	fprintf(stderr, "[mono_ns=0][T0x0][ERROR] validate_runtime_impl: error hint: what this fake says helps. See docs\n");
	return -code;
}

/* 0, or what this phase is told to answer. */
static int fault_of(const char *phase)
{
	const char *text = getenv("FAKE_FAULT"), *class;
	size_t length = strlen(phase);
	int code;

	if (!text || strncmp(text, phase, length) || text[length] != ':')
		return 0;
	code = atoi(text + length + 1);
	class = strchr(text + length + 1, ':');
	if (code > 0)
		return fault_tell(code, class ? class + 1 : "", NULL);
	fprintf(stderr, "[mono_ns=0][T0x0][ERROR] %s: answers %d because FAKE_FAULT says so\n", phase, code);
	return code;
}

/* ---- life ------------------------------------------------------------------------------------------------------------ */

int simpler_host_log_bind_state(struct ascend_log_state *state)
{
	tell("simpler_host_log_bind_state");
	if (!state || state->abi_version != ASCEND_LOG_VERSION || state->size < sizeof(*state) || state->threshold < 10 || state->threshold > 60)
		return -1;
	bound = state;
	return 0;
}

const struct ascend_contract *get_pipeline_contract(void)
{
	static const struct ascend_contract contract = {.abi_version = ASCEND_CONTRACT_VERSION, .depth = 1};

	tell("get_pipeline_contract");
	return &contract;
}

size_t get_runtime_size(void)
{
	return sizeof(struct run);
}

size_t get_runtime_alignment(void)
{
	return 64;
}

void *create_device_context(void)
{
	tell("create_device_context");
	if (!bound) {
		wrong("create_device_context before simpler_host_log_bind_state");
		return NULL;
	}
	return calloc(1, sizeof(struct context));
}

int simpler_init(struct context *context, int device, const uint8_t *aicpu, size_t aicpu_size, const uint8_t *aicore, size_t aicore_size,
		 const uint8_t *dispatcher, size_t dispatcher_size, const struct ascend_call_config *prewarm)
{
	int rc = fault_of("init");

	(void)prewarm;
	tell("simpler_init device %d, %zu, %zu, %zu bytes", device, aicpu_size, aicore_size, dispatcher_size);
	if (rc)
		return rc;
	if (context->started || device < 0 || !aicpu || !aicpu_size || !aicore || !aicore_size || (!dispatcher && dispatcher_size))
		return wrong("simpler_init: a second time, or without executors");
	rc = fake_device_start(device, aicore, aicore_size, dispatcher, dispatcher_size);
	context->started = !rc;
	return rc;
}

int finalize_device(struct context *context)
{
	tell("finalize_device");
	if (!context->started || context->active)
		return wrong("finalize_device: not started, or a run is prepared");
	if (context->blocks)
		return wrong("finalize_device: %d blocks of device memory are left", context->blocks);
	for (int id = 0; id < ASCEND_CALLABLES; id++)
		if (context->programs[id].there)
			return wrong("finalize_device: callable %d is registered", id);
	context->finalized = true;
	fake_device_stop();
	return 0;
}

void destroy_device_context(struct context *context)
{
	tell("destroy_device_context");
	if (context->active || (context->started && !context->finalized))
		wrong("destroy_device_context: a run is prepared, or finalize_device is due");
	free(context);
}

/* ---- memory ---------------------------------------------------------------------------------------------------------- */

/* What there is, so that copies can be checked. */
struct block {
	struct block *next;
	char *memory;
	size_t size;
};
static struct block *blocks;

void *device_malloc_ctx(struct context *context, size_t size)
{
	struct block *block = malloc(sizeof(*block));

	if (!block)
		return NULL;
	*block = (struct block){blocks, fake_device_alloc(size), size};
	if (!block->memory) {
		free(block);
		return NULL;
	}
	blocks = block;
	context->blocks++;
	return block->memory;
}

void device_free_ctx(struct context *context, void *memory)
{
	struct block **at = &blocks, *block;

	while (*at && (*at)->memory != memory)
		at = &(*at)->next;
	block = *at;
	if (!block) {
		wrong("device_free_ctx of what is no block");
		return;
	}
	*at = block->next;
	free(block);
	context->blocks--;
	fake_device_free(memory);
}

static bool inside(const void *device, size_t size)
{
	for (const struct block *block = blocks; block; block = block->next)
		if ((const char *)device >= block->memory && (const char *)device + size <= block->memory + block->size)
			return true;
	return false;
}

int copy_to_device_ctx(struct context *context, void *device, const void *host, size_t size)
{
	(void)context;
	return inside(device, size) ? fake_device_put(device, host, size) : wrong("copy_to_device_ctx: beyond the block");
}

int copy_from_device_ctx(struct context *context, void *host, const void *device, size_t size)
{
	(void)context;
	return inside(device, size) ? fake_device_get(host, device, size) : wrong("copy_from_device_ctx: beyond the block");
}

/* ---- callables ------------------------------------------------------------------------------------------------------- */

static void program_close(struct program *program)
{
	for (int i = 0; i < ASCEND_FUNCTIONS; i++)
		if (program->children[i])
			fake_device_code_close(program->children[i]);
	if (program->orchestration)
		dlclose(program->orchestration);
	*program = (struct program){0};
}

static int child_open(struct program *program, const struct ascend_callable *callable, int index)
{
	const char *storage = (const char *)callable + ASCEND_CALLABLE_STORAGE;
	uint32_t offset = callable->child_offsets[index];
	const struct ascend_child *child = (const struct ascend_child *)(const void *)(storage + offset);
	int32_t id = callable->child_ids[index];

	if (offset % ASCEND_BINARY_ALIGN || offset < callable->orchestration_bytes || id < 0 || id >= ASCEND_FUNCTIONS || program->children[id])
		return wrong("child %d lies at %u, its id is %d", index, offset, id);
	program->children[id] = fake_device_code((const char *)child + ASCEND_CHILD_BINARY, child->binary_bytes, &program->functions[id]);
	if (!program->children[id])
		return wrong("child %d of %u bytes is no code", index, child->binary_bytes);
	return program->functions[id] ? 0 : wrong("child %d has no kernel_entry", index);
}

static int program_open(struct program *program, const struct ascend_callable *callable)
{
	if (strcmp(callable->function, "aicpu_orchestration_entry") || callable->function_length != strlen(callable->function) ||
	    callable->config_length != strlen(callable->config) || callable->child_count < 0 || callable->child_count > ASCEND_FUNCTIONS ||
	    callable->signature_count < 0 || callable->signature_count > ASCEND_ENTRY_TENSORS)
		return wrong("a callable with impossible counts or names");
	program->there = true;
	program->direction_count = callable->signature_count;
	memcpy(program->directions, callable->signature, sizeof(program->directions));
	program->orchestration = fake_object_open((const char *)callable + ASCEND_CALLABLE_STORAGE, callable->orchestration_bytes);
	if (!program->orchestration)
		return wrong("the orchestration is no object: %s", dlerror());
	*(void **)&program->bind = dlsym(program->orchestration, "framework_bind_runtime");
	*(void **)&program->entry = dlsym(program->orchestration, callable->function);
	*(void **)&program->config = dlsym(program->orchestration, callable->config);
	if (!program->bind || !program->entry || !program->config)
		return wrong("the orchestration lacks one of its three functions");
	for (int i = 0; i < callable->child_count; i++)
		if (child_open(program, callable, i))
			return WRONG;
	return 0;
}

int simpler_register_callable(struct context *context, int32_t id, const void *callable)
{
	int rc = fault_of("register");

	tell("simpler_register_callable %d", id);
	if (rc)
		return rc;
	if (!context->started || context->active || id < 0 || id >= ASCEND_CALLABLES || context->programs[id].there || (uintptr_t)callable % 64)
		return wrong("simpler_register_callable %d: not started, or a run is prepared, or the id is taken or out of range", id);
	rc = program_open(&context->programs[id], callable);
	if (rc)
		program_close(&context->programs[id]);
	return rc;
}

int simpler_unregister_callable(struct context *context, int32_t id)
{
	tell("simpler_unregister_callable %d", id);
	if (context->active || id < 0 || id >= ASCEND_CALLABLES)
		return wrong("simpler_unregister_callable %d: a run is prepared, or there is no such id", id);
	program_close(&context->programs[id]);
	return 0;
}

/* ---- runs ------------------------------------------------------------------------------------------------------------ */

static bool config_valid(const struct ascend_call_config *config)
{
	if (config->aicpu_threads < 0 || config->aicpu_threads == 1)
		return false;
	for (int r = 0; r < ASCEND_RINGS; r++) {
		uint64_t window = config->task_window[r], heap = config->heap[r], pool = config->dep_pool[r];

		if ((window && (window < 4 || window & (window - 1) || window > INT32_MAX)) || (heap && heap < 1024) || (pool && (pool < 4 || pool > INT32_MAX)))
			return false;
	}
	return true;
}

static size_t bytes_of(const struct ascend_tensor *tensor)
{
	static const uint8_t sizes[ASCEND_DTYPES] = {4, 2, 4, 2, 1, 1, 2, 8, 8, 2, 4, 1};
	size_t bytes = tensor->dtype < ASCEND_DTYPES ? sizes[tensor->dtype] : 0;

	for (uint32_t d = 0; d < tensor->ndims; d++)
		bytes *= tensor->shapes[d];
	return bytes;
}

static bool entry_tensor_valid(const struct ascend_tensor *tensor)
{
	return tensor->addr && tensor->ndims >= 1 && tensor->ndims <= ASCEND_TENSOR_DIMS && tensor->owner == ASCEND_NO_TASK && !tensor->start && !tensor->version &&
	       !tensor->manual_dep && tensor->is_contiguous == 1 && tensor->address_space <= ASCEND_DEVICE && bytes_of(tensor) == tensor->bytes && tensor->bytes &&
	       tensor->strides[tensor->ndims - 1] == 1;
}

/* Host buffers get a copy on the device; it begins as theirs unless it is only written, and comes back unless it is only read. */
static int tensor_stage(struct run *run, int index, const struct ascend_tensor *tensor)
{
	int32_t direction = index < run->program->direction_count ? run->program->directions[index] : ASCEND_INOUT;
	struct copy *copy = &run->copies[run->copy_count];

	if (!entry_tensor_valid(tensor))
		return wrong("entry tensor %d has no address, or impossible dimensions or sizes", index);
	run->tensors[index] = *tensor;
	run->entry.tensors[index] = &run->tensors[index];
	if (tensor->address_space == ASCEND_DEVICE)
		return 0;
	*copy = (struct copy){(void *)(uintptr_t)tensor->addr, device_malloc_ctx(run->context, tensor->bytes), tensor->bytes, direction != ASCEND_IN};
	if (!copy->device)
		return -1;
	run->tensors[index].addr = (uintptr_t)copy->device;
	run->copy_count++;
	return direction != ASCEND_OUT ? copy_to_device_ctx(run->context, copy->device, copy->host, copy->size) : 0;
}

static int entry_stage(struct run *run, const struct ascend_entry_args *args)
{
	int rc = 0;

	if (args->tensor_count < 0 || args->tensor_count > ASCEND_ENTRY_TENSORS || args->scalar_count < 0 || args->scalar_count > ASCEND_ENTRY_SCALARS)
		return wrong("impossible counts of entry arguments");
	for (int i = 0; !rc && i < args->tensor_count; i++)
		rc = tensor_stage(run, i, &args->tensors[i]);
	run->entry.tensor_count = args->tensor_count;
	run->entry.scalar_count = args->scalar_count;
	memcpy(run->entry.scalars, args->scalars, sizeof(run->entry.scalars));
	return rc;
}

static int orchestrate(struct run *run)
{
	if (run->program->config(&run->entry).expected_arg_count > run->entry.tensor_count + run->entry.scalar_count)
		return wrong("the orchestration expects more arguments");
	run->program->bind(&run->graph.head);
	run->program->entry(&run->entry);
	run->program->bind(NULL);
	run->graph.depth = 0; /* the scope around it all ends */
	return 0;
}

/* A line per ring and resource that was used: FAKE_LOG. */
static void rings_tell(const struct fake_graph *graph)
{
	static const char *const names[] = {"slots", "bytes", "entries"};

	for (int r = 0; r < ASCEND_RINGS; r++) {
		const struct fake_ring *ring = &graph->rings[r];
		const uint64_t sizes[] = {ring->window, ring->heap, ring->pool};

		for (int k = 0; k < FAKE_RESOURCES; k++)
			if (ring->most[k])
				tell("ring %d: %llu of %llu %s, %llu stalls", r, (unsigned long long)ring->most[k], (unsigned long long)sizes[k], names[k],
				     (unsigned long long)ring->stalls[k]);
	}
}

static void run_release(struct run *run)
{
	rings_tell(&run->graph);
	for (uint32_t i = 0; i < run->copy_count; i++)
		device_free_ctx(run->context, run->copies[i].device);
	fake_graph_finish(&run->graph);
	run->context->active = NULL;
	memset(run, 0, sizeof(*run));
}

static int graph_result(const struct run *run)
{
	return run->graph.fatal ? fault_tell(run->graph.fatal, "", run->graph.detail) : 0;
}

static int prepare_check(const struct context *context, void *storage, int32_t id, const struct ascend_call_config *config,
			 const struct ascend_run_descriptor *descriptor)
{
	if (!context->started || context->active || (uintptr_t)storage % get_runtime_alignment() || ((struct run *)storage)->magic)
		return wrong("simpler_prepare_run: not started, a run is prepared, or the storage is not aligned or not zeroed");
	if (id < 0 || id >= ASCEND_CALLABLES || !context->programs[id].there)
		return wrong("simpler_prepare_run: callable %d is not registered", id);
	if (!config || !config_valid(config))
		return wrong("simpler_prepare_run: a config with impossible sizes");
	if (!descriptor || descriptor->slot || descriptor->arena_bank || !descriptor->generation || descriptor->run_epoch <= context->latest_epoch)
		return wrong("simpler_prepare_run: a descriptor with another slot, or an epoch that was there before");
	return 0;
}

int simpler_prepare_run(struct context *context, void *storage, int32_t id, const struct ascend_entry_args *args, const struct ascend_call_config *config,
			const struct ascend_run_descriptor *descriptor)
{
	const char *seed = getenv("FAKE_SEED"), *polls = getenv("FAKE_POLLS");
	struct run *run = storage;
	int rc = fault_of("prepare");

	tell("simpler_prepare_run %d, %d tensors, %d scalars, window %llu", id, args->tensor_count, args->scalar_count, (unsigned long long)config->task_window[0]);
	if (!rc && (uintptr_t)args % _Alignof(struct ascend_entry_args))
		rc = wrong("simpler_prepare_run: the arguments are not aligned");
	if (!rc)
		rc = prepare_check(context, storage, id, config, descriptor);
	if (rc)
		return rc;
	context->latest_epoch = descriptor->run_epoch;
	*run = (struct run){.magic = MAGIC, .state = RUN_PREPARED, .context = context, .program = &context->programs[id], .polls = polls ? atoi(polls) : 1};
	fake_graph_init(&run->graph, fake_host_graph, config, seed ? strtoull(seed, NULL, 10) : 1);
	run->graph.functions = run->program->functions;
	rc = entry_stage(run, args);
	if (!rc && fake_host_graph)
		rc = orchestrate(run);
	if (!rc && fake_host_graph && run->graph.fatal != 104)
		rc = graph_result(run);
	if (rc)
		run_release(run);
	else
		context->active = run;
	return rc;
}

static struct run *run_of(struct context *context, void *storage, enum run_state state, const char *what)
{
	struct run *run = storage;

	if (run->magic != MAGIC || run != context->active || (state != RUN_NONE && run->state != state)) {
		wrong("%s: no run is in that state there", what);
		return NULL;
	}
	return run;
}

static void *run_thread(void *context)
{
	struct run *run = context;

	if (!fake_host_graph)
		orchestrate(run);
	fake_graph_run(&run->graph);
	return NULL;
}

int simpler_launch_run(struct context *context, void *storage)
{
	struct run *run = run_of(context, storage, RUN_PREPARED, "simpler_launch_run");
	int rc = fault_of("launch");

	tell("simpler_launch_run");
	if (!run || rc)
		return run ? rc : WRONG;
	rc = fake_device_launch();
	if (rc)
		return rc;
	if (pthread_create(&run->thread, NULL, run_thread, run))
		return -1;
	run->state = RUN_GOING;
	return 0;
}

int simpler_poll_run(struct context *context, void *storage)
{
	struct run *run = run_of(context, storage, RUN_NONE, "simpler_poll_run");

	if (!run || run->state == RUN_PREPARED)
		return run ? wrong("simpler_poll_run: the run was not launched") : WRONG;
	return run->state == RUN_GOING && run->polls-- > 0 ? ASCEND_POLL_NOT_READY : ASCEND_POLL_COMPLETE;
}

static void run_join(struct run *run)
{
	if (run->state == RUN_GOING)
		pthread_join(run->thread, NULL);
	run->state = RUN_OVER;
}

int simpler_wait_run(struct context *context, void *storage)
{
	struct run *run = run_of(context, storage, RUN_NONE, "simpler_wait_run");
	int rc = fault_of("wait");

	tell("simpler_wait_run");
	if (!run || run->state == RUN_PREPARED)
		return run ? wrong("simpler_wait_run: the run was not launched") : WRONG;
	run_join(run);
	if (!rc)
		rc = fake_device_wait();
	return rc ? rc : -run->graph.fatal;
}

int simpler_finalize_run(struct context *context, void *storage)
{
	struct run *run = run_of(context, storage, RUN_NONE, "simpler_finalize_run");
	int rc = fault_of("finalize");
	bool launched;

	tell("simpler_finalize_run");
	if (!run)
		return WRONG;
	launched = run->state != RUN_PREPARED;
	run_join(run);
	if (!rc && launched)
		rc = graph_result(run);
	for (uint32_t i = 0; !rc && launched && i < run->copy_count; i++)
		if (run->copies[i].back)
			rc = copy_from_device_ctx(run->context, run->copies[i].host, run->copies[i].device, run->copies[i].size);
	run_release(run);
	return rc;
}
