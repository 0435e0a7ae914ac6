/* SPDX-License-Identifier: MIT */
#include "tests/host/fake_host.h"

#include "tests/check.h"
#include "tests/isa/fake_tile.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct fake fake;

static void *fake_alloc(void *context, uint64_t size, uint64_t align)
{
	void *memory;

	(void)context;
	if (fake.fail_at >= 0 && fake.allocations++ >= fake.fail_at)
		return NULL;
	memory = aligned_alloc(align, (size + align - 1) / align * align);
	if (memory)
		memset(memory, 0, size);
	fake.bytes += (long long)size;
	return memory;
}

static void fake_release(void *context, void *memory, uint64_t size)
{
	(void)context;
	if (memory)
		fake.bytes -= (long long)size;
	free(memory);
}

static void fake_log(void *context, int32_t level, const char *text, uint64_t length)
{
	size_t used = strlen(fake.log);

	(void)context, (void)level;
	snprintf(fake.log + used, sizeof(fake.log) - used, "%.*s\n", (int)length, text);
}

static void fake_diagnose(void *context, uint32_t feature, uint8_t state, const char *text, uint64_t length)
{
	(void)feature, (void)state;
	fake_log(context, 0, text, length);
}

static void fake_done(void *context, const struct ptowsp_done *done)
{
	(void)context;
	fake.tokens[fake.done_count++ % 64] = done->token;
	fake.status = done->status;
	fake.stats = *done->stats;
	fake.first_kernel_cycles = done->stats->kernel_count ? done->stats->kernels[0].cycles : 0;
	fake.device_tasks = done->stats->kernel_count ? done->stats->kernels[0].device_tasks : 0;
	fake.error[0] = 0;
	if (done->error)
		snprintf(fake.error, sizeof(fake.error), "%s", done->error->text);
	if (fake.on_done)
		fake.on_done();
}

uint64_t fake_now(void *context)
{
	struct timespec ts;

	(void)context;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

/* What the host has registered: "record" keeps which blocks it was called with. */
unsigned blocks_seen, block_count_seen;

static ptowsp_status record(void *context, const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	(void)context;
	blocks_seen |= 1u << task->block;
	block_count_seen = task->block_count;
	out->cycles = 5;
	return PTOWSP_OK;
}

static ptowsp_status sleepy(void *context, const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	struct timespec ts = {0, 2000000};

	(void)context, (void)task, (void)out;
	nanosleep(&ts, NULL);
	return PTOWSP_OK;
}

static ptowsp_status fake_find(void *context, const char *name, const char *signature, const void *native, struct ptowsp_kernel_ref *ref_out,
			       struct ptowsp_error *error)
{
	(void)context, (void)signature, (void)native;
	if (!strcmp(name, "record"))
		ref_out->fn = record;
	else if (!strcmp(name, "sleepy"))
		ref_out->fn = sleepy;
	else {
		snprintf(error->text, sizeof(error->text), "record, sleepy");
		return error->code = PTOWSP_NOT_FOUND;
	}
	return PTOWSP_OK;
}

static const void *fake_extension(void *context, const char *id)
{
	static const struct ptowsp_kernels_extension table = {.head = PTOWSP_HEAD(table, EXTENSION), .find = fake_find};

	(void)context;
	return strcmp(id, PTOWSP_EXTENSION_KERNELS) ? NULL : &table;
}

void fake_reset(void)
{
	void *so = dlopen(check_fmt("%s/lib/ptowsp/plugins/libptowsp_cpu_sim.so", check_build()), RTLD_NOW | RTLD_LOCAL);
	const struct ptowsp_plugin *(*entry)(uint32_t);
	const struct ptowsp_plugin *plugin;

	REQUIRE(so != NULL);
	*(void **)&entry = dlsym(so, PTOWSP_ENTRY_NAME);
	REQUIRE(entry != NULL);
	plugin = entry(0);
	fake_program_finish(&fake.code);
	memset(&fake, 0, sizeof(fake));
	fake.fail_at = -1;
	fake.ops = plugin->ops;
	fake.host = (struct ptowsp_host){.head = PTOWSP_HEAD(struct ptowsp_host, HOST),
					 .major = 10,
					 .extension = fake_extension,
					 .alloc = fake_alloc,
					 .release = fake_release,
					 .log = fake_log,
					 .diagnose = fake_diagnose,
					 .done = fake_done,
					 .now_ns = fake_now};
	fake_program_init(&fake.code);
}

ptowsp_status fake_init(const char *key, const char *value, struct ptowsp_error *error)
{
	struct ptowsp_setting setting = {key, value};
	struct ptowsp_init_args args = {
		.head = PTOWSP_HEAD(args, INIT_ARGS), .settings = &setting, .setting_count = key ? 1 : 0, .setting_stride = sizeof(setting)};

	return fake.ops->init(&fake.host, &args, &fake.instance, error);
}

ptowsp_status fake_open(uint32_t threads, struct ptowsp_error *error)
{
	struct ptowsp_open_args args = {.head = PTOWSP_HEAD(args, OPEN_ARGS), .threads = threads};

	return fake.ops->open(fake.instance, &args, &fake.device, error);
}

ptowsp_status fake_load(struct ptowsp_error *error)
{
	uint32_t count;
	const struct ptowsp_section *sections = fake_program_seal(&fake.code, &count);
	struct ptowsp_load_args args = {
		.head = PTOWSP_HEAD(args, LOAD_ARGS), .sections = sections, .section_count = count, .section_stride = sizeof(*sections)};

	return fake.ops->load(fake.device, &args, &fake.program, error);
}

ptowsp_status fake_judge(const struct ptowsp_support_extension *table, struct ptowsp_kernel_support *row_out)
{
	uint32_t count;
	const struct ptowsp_section *sections = fake_program_seal(&fake.code, &count);
	struct ptowsp_load_args args = {
		.head = PTOWSP_HEAD(args, LOAD_ARGS), .sections = sections, .section_count = count, .section_stride = sizeof(*sections)};

	return table->judge(fake.instance, NULL, &args, row_out, sizeof(*row_out), 1, NULL);
}

struct ptowsp_run_args fake_run_args(uint64_t token)
{
	static struct ptowsp_binding bindings[3];
	struct ptowsp_run_args args = {.head = PTOWSP_HEAD(args, RUN_ARGS),
				       .program = fake.program,
				       .token = token,
				       .bindings = bindings,
				       .binding_count = 3,
				       .binding_stride = sizeof(*bindings)};

	for (uint32_t i = 0; i < 3; i++)
		bindings[i] = (struct ptowsp_binding){
			.data = fake.data[i], .elements = ELEMENTS, .extents = {ROWS, COLUMNS}, .tensor = i, .dtype = PTOWSP_F32, .rank = 2};
	return args;
}

ptowsp_status fake_submit(uint64_t token, uint32_t flags, struct ptowsp_error *error)
{
	struct ptowsp_run_args args = fake_run_args(token);

	args.flags = flags;
	return fake.ops->submit(fake.device, &args, error);
}

void *fake_rows(uint32_t type)
{
	for (uint32_t i = 0; i < fake.code.table_count; i++)
		if (fake.code.tables[i].type == type)
			return fake.code.tables[i].rows;
	return NULL;
}

void fake_add_program(void)
{
	struct fake_tile tile = {0};
	uint32_t kernel, zero = fake_program_const(&fake.code, 0);
	uint64_t size;
	const void *payload;
	uint16_t r, a, b;

	for (unsigned i = 0; i < 3; i++)
		fake_tile_param(&tile, i == 2 ? PTOWSP_WRITE : PTOWSP_READ, ROWS, COLUMNS);
	a = fake_tile_tile(&tile, ROWS, COLUMNS);
	b = fake_tile_tile(&tile, ROWS, COLUMNS);
	r = fake_tile_const(&tile, 0);
	fake_tile_inst(&tile, PTOWSP_PTO_TLOAD, a, 0, r, r);
	fake_tile_inst(&tile, PTOWSP_PTO_TLOAD, b, 1, r, r);
	fake_tile_inst(&tile, PTOWSP_PTO_TADD, a, a, b, 0);
	fake_tile_inst(&tile, PTOWSP_PTO_TSTORE, 2, a, r, r);
	payload = fake_tile_pack(&tile, &size);
	kernel = fake_program_kernel(&fake.code, "add", 3, 0, payload, size);
	for (unsigned i = 0; i < 3; i++)
		fake_program_tensor(&fake.code, check_fmt("t%u", i), ROWS, COLUMNS);
	fake_program_task(&fake.code, kernel, 3, 0);
	for (uint32_t i = 0; i < 3; i++)
		fake_program_emit(&fake.code, i == 2 ? PTOWSP_OP_IO_OUTPUT : PTOWSP_OP_IO_INPUT, i, fake_program_region(&fake.code, i, zero, ROWS, COLUMNS));
}

void fake_chain_program(const char *kernel_name, uint32_t count)
{
	uint32_t kernel = fake_program_kernel(&fake.code, kernel_name, 1, 1, NULL, 0);
	uint32_t axis = fake_program_axis(&fake.code, "i", fake_program_const(&fake.code, count)), loop;

	for (unsigned i = 0; i < 3; i++)
		fake_program_tensor(&fake.code, check_fmt("t%u", i), ROWS, COLUMNS);
	loop = fake_program_emit(&fake.code, PTOWSP_OP_PARALLEL_FOR, axis, 0);
	fake_program_task(&fake.code, kernel, 1, 1);
	fake_program_emit(&fake.code, PTOWSP_OP_IO_INOUT, 0, fake_program_region(&fake.code, 0, fake_program_const(&fake.code, 0), ROWS, COLUMNS));
	fake_program_emit(&fake.code, PTOWSP_OP_PARAM_CONST, 0, 3);
	fake_program_end(&fake.code, loop);
}

void fake_start(uint32_t threads)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};

	CHECK_INT(fake_init(NULL, NULL, &error), PTOWSP_OK);
	CHECK_INT(fake_open(threads, &error), PTOWSP_OK);
	CHECK_INT(fake_load(&error), PTOWSP_OK);
	CHECK_STR(error.text, "");
	REQUIRE(fake.program != NULL);
}

void fake_drain(void)
{
	CHECK_INT(fake.ops->drain(fake.device, 0, NULL), PTOWSP_OK);
}

void fake_stop(void)
{
	if (fake.program)
		CHECK_INT(fake.ops->unload(fake.program, NULL), PTOWSP_OK);
	if (fake.device)
		CHECK_INT(fake.ops->close(fake.device, NULL), PTOWSP_OK);
	if (fake.instance)
		CHECK_INT(fake.ops->fini(fake.instance, NULL), PTOWSP_OK);
	CHECK_INT(fake.bytes, 0);
	fake_program_finish(&fake.code);
}
