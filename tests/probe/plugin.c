/* SPDX-License-Identifier: MIT */
/* plugin.c - the probe: a backend that does what its option `mode` says, for tests of the host. It "runs" a program by calling
 * each kernel once with all bindings in order and the values of all slots.
 *
 * mode: poll (works in poll), thread (on a thread of its own), twice (completes twice), again (the same, and asks for no kernel), stale (completes another token too),
 *	wait (until it is cancelled), builtin (adds the first two tensors into the third itself, asks for no kernel), leak (keeps a MiB), lie (absurd statistics). */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "ptowsp/ptowsp.h"

PTOWSP_NOTE(0, "probe", "tests", "1.0", "probe,probe_alias");

enum { KERNELS = 8, TENSORS = 16 };

struct instance {
	const struct ptowsp_host *host;
	char mode[16];
};
static struct instance the_instance; /* one at a time is enough for tests */

struct program {
	struct ptowsp_kernel_ref kernels[KERNELS];
	uint32_t kernel_count;
	/* the run in flight */
	struct ptowsp_tensor_arg tensors[TENSORS];
	uint64_t values[TENSORS], token;
	uint32_t tensor_count, value_count, flags;
	_Atomic int pending, cancelled;
	pthread_t thread;
	int joinable;
};
static struct program the_program;

static ptowsp_status fail(struct ptowsp_error *error, ptowsp_status status, const char *text)
{
	error->code = status;
	error->domain = PTOWSP_DOMAIN_PLUGIN;
	strncpy(error->text, text, sizeof(error->text) - 1);
	return status;
}

static int is(const char *mode)
{
	return !strcmp(the_instance.mode, mode);
}

static ptowsp_status init(const struct ptowsp_host *host, const struct ptowsp_init_args *args, struct ptowsp_object **instance_out, struct ptowsp_error *error)
{
	(void)error;
	the_instance = (struct instance){.host = host, .mode = "poll"};
	for (uint32_t i = 0; i < args->setting_count; i++)
		strncpy(the_instance.mode, args->settings[i].value, sizeof(the_instance.mode) - 1);
	*instance_out = (struct ptowsp_object *)&the_instance;
	return PTOWSP_OK;
}

static ptowsp_status end(struct ptowsp_object *object, struct ptowsp_error *error)
{
	(void)object, (void)error;
	return PTOWSP_OK;
}

static ptowsp_status devices(struct ptowsp_object *instance, const struct ptowsp_device **devices_out, uint32_t *count, struct ptowsp_error *error)
{
	static const struct ptowsp_device rows[] = {{.head = PTOWSP_HEAD(struct ptowsp_device, DEVICE), .name = "probe0", .cycle_model = "made up"},
						    {.head = PTOWSP_HEAD(struct ptowsp_device, DEVICE), .name = "probe1", .cycle_model = "made up twice"}};
	uint32_t room = *count;

	(void)instance;
	*count = 2;
	for (uint32_t i = 0; i < room && i < 2; i++)
		devices_out[i] = &rows[i];
	return room < 2 ? fail(error, PTOWSP_MORE, "there are two devices") : PTOWSP_OK;
}

static ptowsp_status options(const struct ptowsp_option **options_out, uint32_t *count, struct ptowsp_error *error)
{
	static const struct ptowsp_option mode = {PTOWSP_HEAD(struct ptowsp_option, OPTION),
						  "mode",
						  "word",
						  "poll",
						  "poll|thread|twice|again|stale|wait|builtin|leak|lie",
						  "what to do, \033[2J in a word"};
	uint32_t room = *count;

	*count = 1;
	if (!room)
		return fail(error, PTOWSP_MORE, "there is one option");
	options_out[0] = &mode;
	return PTOWSP_OK;
}

/* Every opcode; round_robin up to 4 executors enforced, ready=fifo recorded with a range from 0, deps=explicit unsupported. */
static ptowsp_status capabilities(struct ptowsp_object *instance, const char *device, struct ptowsp_cap *rows_out, uint32_t stride, uint32_t *count,
				  struct ptowsp_error *error)
{
	struct ptowsp_cap rows[259] = {{0}};
	uint32_t room = *count, n = 0;

	(void)instance, (void)device;
	for (; n < 256; n++)
		rows[n] = (struct ptowsp_cap){.feature = PTOWSP_FEATURE_OPCODE(n), .state = PTOWSP_STATE_ENFORCED};
	rows[n++] = (struct ptowsp_cap){
		.feature = PTOWSP_FEATURE_POLICY(PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_ROUND_ROBIN), .state = PTOWSP_STATE_ENFORCED, .low = 1, .high = 4};
	rows[n++] = (struct ptowsp_cap){.feature = PTOWSP_FEATURE_POLICY(PTOWSP_DIRECTIVE_READY, PTOWSP_READY_FIFO), .state = PTOWSP_STATE_RECORDED, .high = 8};
	rows[n++] = (struct ptowsp_cap){.feature = PTOWSP_FEATURE_POLICY(PTOWSP_DIRECTIVE_DEPS, PTOWSP_DEPS_EXPLICIT), .state = PTOWSP_STATE_UNSUPPORTED};
	*count = n;
	for (uint32_t i = 0; i < room && i < n; i++)
		memcpy((char *)rows_out + (size_t)i * stride, &rows[i], sizeof(rows[i]));
	return room < n ? fail(error, PTOWSP_MORE, "there are 259 rows") : PTOWSP_OK;
}

static ptowsp_status device_open(struct ptowsp_object *instance, const struct ptowsp_open_args *args, struct ptowsp_object **device_out,
				 struct ptowsp_error *error)
{
	(void)args, (void)error;
	*device_out = instance;
	return PTOWSP_OK;
}

static const void *section(const struct ptowsp_load_args *args, uint32_t type, uint64_t *count)
{
	for (uint32_t i = 0; i < args->section_count; i++) {
		const struct ptowsp_section *s = (const void *)((const char *)args->sections + (size_t)i * args->section_stride);

		if (s->type == type) {
			*count = s->count;
			return s->data;
		}
	}
	*count = 0;
	return NULL;
}

/* Says two things about one feature: the host keeps the first. */
static void say(const char *text)
{
	const struct ptowsp_host *host = the_instance.host;
	static const char again[] = "and says it again in other words";

	host->diagnose(host->context, PTOWSP_FEATURE_CANCEL, PTOWSP_STATE_DIAGNOSED, text, strlen(text));
	host->diagnose(host->context, PTOWSP_FEATURE_CANCEL, PTOWSP_STATE_DIAGNOSED, again, strlen(again));
	host->log(host->context, PTOWSP_LOG_INFO, text, strlen(text));
}

static ptowsp_status load(struct ptowsp_object *device, const struct ptowsp_load_args *args, struct ptowsp_object **program_out, struct ptowsp_error *error)
{
	const struct ptowsp_host *host = the_instance.host;
	const struct ptowsp_kernels_extension *x = host->extension(host->context, PTOWSP_EXTENSION_KERNELS);
	uint64_t count, size;
	const struct ptowsp_kernel_record *kernels = section(args, PTOWSP_SECTION_KREG, &count);
	const char *strings = section(args, PTOWSP_SECTION_STRS, &size);
	ptowsp_status status = PTOWSP_OK;

	(void)device;
	memset(&the_program, 0, sizeof(the_program));
	if (!x)
		return fail(error, PTOWSP_UNIMPLEMENTED, "the host has no kernels");
	for (uint64_t i = 0; i < count && i < KERNELS && !status && !is("builtin") && !is("wait") && !is("again"); i++)
		status = x->find(host->context, strings + kernels[i].name, strings + kernels[i].signature, NULL,
				 &the_program.kernels[the_program.kernel_count++], error);
	say("the probe says something");
	if (is("leak"))
		(void)!host->alloc(host->context, 1 << 20, 64);
	*program_out = (struct ptowsp_object *)&the_program;
	return status;
}

static void complete(struct program *p, ptowsp_status status)
{
	static const struct ptowsp_resource_stats ring = {.name = "task_ring", .capacity = 3, .high_water = 1};
	static const struct ptowsp_kernel_stats kernel = {.tasks = 1, .cycles = 7};
	const struct ptowsp_host *host = the_instance.host;
	struct ptowsp_error why = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR), .code = status, .text = "the probe failed"};
	struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(struct ptowsp_run_stats, RUN_STATS),
					 .total_cycles = 7,
					 .tasks = 1,
					 .executors = 1,
					 .deterministic = 1,
					 .resources = &ring,
					 .resource_count = 1,
					 .resource_stride = sizeof(ring),
					 .kernels = &kernel,
					 .kernel_count = 1,
					 .kernel_stride = sizeof(kernel)};
	struct ptowsp_done done = {
		.head = PTOWSP_HEAD(struct ptowsp_done, DONE), .token = p->token + 1, .status = status, .stats = &stats, .error = status ? &why : NULL};

	if (is("lie"))
		stats.resource_count = UINT32_MAX;
	atomic_store(&p->pending, 0);
	if (is("stale"))
		host->done(host->context, &done);
	done.token = p->token;
	host->done(host->context, &done);
	if (is("twice") || is("again"))
		host->done(host->context, &done);
}

static void add(const struct program *p)
{
	const float *x = p->tensors[0].data, *y = p->tensors[1].data;
	float *z = p->tensors[2].data;

	for (uint64_t i = 0; p->tensor_count == 3 && i < p->tensors[2].columns; i++)
		z[i] = x[i] + y[i];
}

static void work(struct program *p)
{
	struct ptowsp_task task = {.head = PTOWSP_HEAD(struct ptowsp_task, TASK),
				   .args = p->values,
				   .tensors = p->tensors,
				   .arg_count = p->value_count,
				   .tensor_count = p->tensor_count,
				   .tensor_stride = sizeof(*p->tensors),
				   .block_count = 1};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct ptowsp_kernel_out out = {.head = PTOWSP_HEAD(struct ptowsp_kernel_out, KERNEL_OUT), .cycles = 7, .error = &error};
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; i < p->kernel_count && !status && !(p->flags & PTOWSP_RUN_NO_KERNELS); i++)
		status = p->kernels[i].fn(p->kernels[i].context, &task, &out);
	if ((is("builtin") || is("again")) && !(p->flags & PTOWSP_RUN_NO_KERNELS))
		add(p);
	complete(p, status);
}

static void *run(void *context)
{
	work(context);
	return NULL;
}

static ptowsp_status submit(struct ptowsp_object *device, const struct ptowsp_run_args *args, struct ptowsp_error *error)
{
	struct program *p = (struct program *)args->program;

	(void)device;
	if (args->binding_count > TENSORS || args->value_count > TENSORS)
		return fail(error, PTOWSP_INVALID, "the probe takes no more than 16 tensors and values");
	if (p->joinable)
		pthread_join(p->thread, NULL);
	p->joinable = 0;
	p->tensor_count = args->binding_count;
	p->value_count = args->value_count;
	p->flags = args->flags;
	p->token = args->token;
	memcpy(p->values, args->values, args->value_count * sizeof(*args->values));
	for (uint32_t i = 0; i < args->binding_count; i++)
		p->tensors[i] = (struct ptowsp_tensor_arg){.data = args->bindings[i].data,
							   .rows = 1,
							   .columns = args->bindings[i].elements,
							   .column_stride = 1,
							   .dtype = args->bindings[i].dtype,
							   .tensor = args->bindings[i].tensor};
	atomic_store(&p->cancelled, 0);
	atomic_store(&p->pending, 1);
	if (is("thread"))
		p->joinable = !pthread_create(&p->thread, NULL, run, p);
	return PTOWSP_OK;
}

static ptowsp_status poll(struct ptowsp_object *device, uint64_t until_ns, struct ptowsp_error *error)
{
	(void)device, (void)until_ns;
	if (is("thread"))
		return fail(error, PTOWSP_UNIMPLEMENTED, "threads do it");
	if (!atomic_load(&the_program.pending))
		return PTOWSP_OK;
	if (!is("wait"))
		work(&the_program);
	else if (atomic_load(&the_program.cancelled))
		complete(&the_program, PTOWSP_CANCELLED);
	return PTOWSP_OK;
}

static ptowsp_status cancel(struct ptowsp_object *device, uint64_t token, struct ptowsp_error *error)
{
	(void)device, (void)token, (void)error;
	atomic_store(&the_program.cancelled, 1);
	return PTOWSP_OK;
}

static ptowsp_status unload(struct ptowsp_object *object, struct ptowsp_error *error)
{
	struct program *p = (struct program *)object;

	(void)error;
	if (p->joinable)
		pthread_join(p->thread, NULL);
	return PTOWSP_OK;
}

/* Touches as many elements as the first value says. */
static ptowsp_status measure(struct ptowsp_object *program, const struct ptowsp_run_args *args, uint64_t *elements_out, uint32_t count,
			     struct ptowsp_error *error)
{
	(void)program, (void)error;
	for (uint32_t i = 0; i < count; i++)
		elements_out[i] = args->value_count ? args->values[0] : 16;
	return PTOWSP_OK;
}

static const void *extension(struct ptowsp_object *instance, const char *id)
{
	static const struct ptowsp_extents_extension extents = {{sizeof(extents), PTOWSP_STRUCT_EXTENSION, 0}, measure};

	(void)instance;
	return !strcmp(id, PTOWSP_EXTENSION_EXTENTS) ? &extents : NULL;
}

static const struct ptowsp_ops ops = {.head = PTOWSP_HEAD(struct ptowsp_ops, OPS),
				      .init = init,
				      .fini = end,
				      .extension = extension,
				      .devices = devices,
				      .options = options,
				      .capabilities = capabilities,
				      .open = device_open,
				      .close = end,
				      .load = load,
				      .unload = unload,
				      .submit = submit,
				      .cancel = cancel,
				      .poll = poll};

static const struct ptowsp_plugin plugin = {.head = PTOWSP_HEAD(struct ptowsp_plugin, PLUGIN),
					    .major = PTOWSP_ABI_MAJOR,
					    .minor = PTOWSP_ABI_TARGET,
					    .name = "probe",
					    .vendor = "tests",
					    .version = "1.0",
					    .targets = "probe,probe_alias",
					    .ops = &ops};

const struct ptowsp_plugin *ptowsp_plugin_v10(uint32_t host_minor)
{
	(void)host_minor;
	return &plugin;
}
