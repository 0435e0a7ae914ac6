/* SPDX-License-Identifier: MIT
 * test_cpu_sim.c - the cpu_sim plugin through its ops table alone, with a host of its own: no container, no libptowsp. */
#include "check.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "ptowsp/plugin.h"
#include "tools/bench_program.h"
#include "tools/bench_tile.h"

#define ROWS 8u
#define COLUMNS 16u
#define ELEMENTS (ROWS * COLUMNS)

/* A host that counts what it gives and keeps what comes back. done is called on the plugin's thread: read the results after
 * drain, which orders them. */
static struct fake {
	struct ptowsp_host host;
	const struct ptowsp_ops *ops;
	struct ptowsp_object *instance, *device, *program;
	atomic_llong bytes;        /* held by the plugin */
	atomic_int allocations, fail_at; /* fail_at: this allocation and all after it give NULL; -1 none */
	int done_count;
	uint64_t tokens[64];
	ptowsp_status status;
	struct ptowsp_run_stats stats;
	uint64_t first_kernel_cycles;
	char error[216];
	char log[4096];
	struct bench_program code;
	float data[3][ELEMENTS];
} fake;

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
	fake.error[0] = 0;
	if (done->error)
		snprintf(fake.error, sizeof(fake.error), "%s", done->error->text);
}

static uint64_t fake_now(void *context)
{
	struct timespec ts;

	(void)context;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

/* What the host has registered: "record" keeps which blocks it was called with. */
static unsigned blocks_seen, block_count_seen;

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

static ptowsp_status fake_find(void *context, const char *name, const char *signature, const void *native,
			       struct ptowsp_kernel_ref *ref_out, struct ptowsp_error *error)
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

static void fake_reset(void)
{
	void *so = dlopen(check_fmt("%s/lib/ptowsp/plugins/libptowsp_cpu_sim.so", check_build()), RTLD_NOW | RTLD_LOCAL);
	const struct ptowsp_plugin *(*entry)(uint32_t);
	const struct ptowsp_plugin *plugin;

	REQUIRE(so != NULL);
	*(void **)&entry = dlsym(so, PTOWSP_ENTRY_NAME);
	REQUIRE(entry != NULL);
	plugin = entry(0);
	bench_program_finish(&fake.code);
	memset(&fake, 0, sizeof(fake));
	fake.fail_at = -1;
	fake.ops = plugin->ops;
	fake.host = (struct ptowsp_host){.head = PTOWSP_HEAD(struct ptowsp_host, HOST), .major = 10,
					 .extension = fake_extension, .alloc = fake_alloc, .release = fake_release,
					 .log = fake_log, .diagnose = fake_diagnose, .done = fake_done, .now_ns = fake_now};
	bench_program_init(&fake.code);
}

static ptowsp_status init(const char *key, const char *value, struct ptowsp_error *error)
{
	struct ptowsp_setting setting = {key, value};
	struct ptowsp_init_args args = {.head = PTOWSP_HEAD(args, INIT_ARGS), .settings = &setting,
					.setting_count = key ? 1 : 0, .setting_stride = sizeof(setting)};

	return fake.ops->init(&fake.host, &args, &fake.instance, error);
}

static ptowsp_status open_device(uint32_t threads, struct ptowsp_error *error)
{
	struct ptowsp_open_args args = {.head = PTOWSP_HEAD(args, OPEN_ARGS), .threads = threads};

	return fake.ops->open(fake.instance, &args, &fake.device, error);
}

static ptowsp_status load(struct ptowsp_error *error)
{
	uint32_t count;
	const struct ptowsp_section *sections = bench_program_seal(&fake.code, &count);
	struct ptowsp_load_args args = {.head = PTOWSP_HEAD(args, LOAD_ARGS), .sections = sections,
					.section_count = count, .section_stride = sizeof(*sections)};

	return fake.ops->load(fake.device, &args, &fake.program, error);
}

static struct ptowsp_run_args run_args(uint64_t token)
{
	static struct ptowsp_binding bindings[3];
	struct ptowsp_run_args args = {.head = PTOWSP_HEAD(args, RUN_ARGS), .program = fake.program, .token = token,
				       .bindings = bindings, .binding_count = 3, .binding_stride = sizeof(*bindings)};

	for (uint32_t i = 0; i < 3; i++)
		bindings[i] = (struct ptowsp_binding){.data = fake.data[i], .elements = ELEMENTS, .extents = {ROWS, COLUMNS},
						      .tensor = i, .dtype = PTOWSP_F32, .rank = 2};
	return args;
}

static ptowsp_status submit(uint64_t token, uint32_t flags, struct ptowsp_error *error)
{
	struct ptowsp_run_args args = run_args(token);

	args.flags = flags;
	return fake.ops->submit(fake.device, &args, error);
}

/* A table of the program that is being written. */
static void *rows_of(uint32_t type)
{
	for (uint32_t i = 0; i < fake.code.table_count; i++)
		if (fake.code.tables[i].type == type)
			return fake.code.tables[i].rows;
	return NULL;
}

/* c = a + b on tiles of 8 x 16, as one portable kernel and one task. */
static void add_program(void)
{
	struct bench_tile tile = {0};
	uint32_t kernel, zero = bench_program_const(&fake.code, 0);
	uint64_t size;
	const void *payload;
	uint16_t r, a, b;

	for (unsigned i = 0; i < 3; i++)
		bench_tile_param(&tile, i == 2 ? PTOWSP_WRITE : PTOWSP_READ, ROWS, COLUMNS);
	a = bench_tile_tile(&tile, ROWS, COLUMNS);
	b = bench_tile_tile(&tile, ROWS, COLUMNS);
	r = bench_tile_const(&tile, 0);
	bench_tile_inst(&tile, PTOWSP_PTO_TLOAD, a, 0, r, r);
	bench_tile_inst(&tile, PTOWSP_PTO_TLOAD, b, 1, r, r);
	bench_tile_inst(&tile, PTOWSP_PTO_TADD, a, a, b, 0);
	bench_tile_inst(&tile, PTOWSP_PTO_TSTORE, 2, a, r, r);
	payload = bench_tile_pack(&tile, &size);
	kernel = bench_program_kernel(&fake.code, "add", 3, 0, payload, size);
	for (unsigned i = 0; i < 3; i++)
		bench_program_tensor(&fake.code, check_fmt("t%u", i), ROWS, COLUMNS);
	bench_program_task(&fake.code, kernel, 3, 0);
	for (uint32_t i = 0; i < 3; i++)
		bench_program_emit(&fake.code, i == 2 ? PTOWSP_OP_IO_OUTPUT : PTOWSP_OP_IO_INPUT, i,
				   bench_program_region(&fake.code, i, zero, ROWS, COLUMNS));
}

/* count tasks of a kernel without payload; each takes an index and inout region [0, 0] of tensor 0. */
static void chain_program(const char *kernel_name, uint32_t count)
{
	uint32_t kernel = bench_program_kernel(&fake.code, kernel_name, 1, 1, NULL, 0);
	uint32_t axis = bench_program_axis(&fake.code, "i", bench_program_const(&fake.code, count)), loop;

	for (unsigned i = 0; i < 3; i++)
		bench_program_tensor(&fake.code, check_fmt("t%u", i), ROWS, COLUMNS);
	loop = bench_program_emit(&fake.code, PTOWSP_OP_PARALLEL_FOR, axis, 0);
	bench_program_task(&fake.code, kernel, 1, 1);
	bench_program_emit(&fake.code, PTOWSP_OP_IO_INOUT, 0,
			   bench_program_region(&fake.code, 0, bench_program_const(&fake.code, 0), ROWS, COLUMNS));
	bench_program_emit(&fake.code, PTOWSP_OP_PARAM_CONST, 0, 3);
	bench_program_end(&fake.code, loop);
}

static void start(uint32_t threads)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};

	CHECK_INT(init(NULL, NULL, &error), PTOWSP_OK);
	CHECK_INT(open_device(threads, &error), PTOWSP_OK);
	CHECK_INT(load(&error), PTOWSP_OK);
	CHECK_STR(error.text, "");
	REQUIRE(fake.program != NULL);
}

static void drain(void)
{
	CHECK_INT(fake.ops->drain(fake.device, 0, NULL), PTOWSP_OK);
}

/* Everything is given back. */
static void stop(void)
{
	if (fake.program)
		CHECK_INT(fake.ops->unload(fake.program, NULL), PTOWSP_OK);
	if (fake.device)
		CHECK_INT(fake.ops->close(fake.device, NULL), PTOWSP_OK);
	if (fake.instance)
		CHECK_INT(fake.ops->fini(fake.instance, NULL), PTOWSP_OK);
	CHECK_INT(fake.bytes, 0);
	bench_program_finish(&fake.code);
}

static void one_task_adds_two_tensors(void)
{
	fake_reset();
	add_program();
	for (unsigned i = 0; i < ELEMENTS; i++)
		fake.data[0][i] = (float)i, fake.data[1][i] = 0.5f, fake.data[2][i] = -1;
	start(2);
	CHECK_INT(submit(7, 0, NULL), PTOWSP_OK);
	drain();
	CHECK_INT(fake.done_count, 1);
	CHECK_UINT(fake.tokens[0], 7);
	CHECK_INT(fake.status, PTOWSP_OK);
	CHECK_STR(fake.error, "");
	CHECK_UINT(fake.stats.tasks, 1);
	/* two loads, an addition, a store: one cycle per element each */
	CHECK_UINT(fake.stats.total_cycles, 4 * ELEMENTS);
	for (unsigned i = 0; i < ELEMENTS; i++)
		CHECK_NEAR(fake.data[2][i], (double)i + 0.5, 0);
	stop();
}

static void runs_are_done_once_each_and_in_order(void)
{
	fake_reset();
	chain_program("nop", 10);
	start(2);
	for (uint64_t token = 1; token <= 20; token++)
		CHECK_INT(submit(token, 0, NULL), PTOWSP_OK);
	drain();
	CHECK_INT(fake.done_count, 20);
	for (uint64_t token = 1; token <= 20; token++)
		CHECK_UINT(fake.tokens[token - 1], token);
	CHECK_INT(fake.status, PTOWSP_OK);
	CHECK_UINT(fake.stats.tasks, 10);
	CHECK_UINT(fake.stats.total_cycles, 30); /* a chain of nops of 3 cycles */
	CHECK_UINT(fake.stats.edges, 9);
	stop();
}

static void cancel_ends_waiting_and_running_runs(void)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};

	fake_reset();
	chain_program("sleepy", 1000);
	start(1);
	CHECK_INT(submit(1, 0, NULL), PTOWSP_OK);
	CHECK_INT(submit(2, 0, NULL), PTOWSP_OK);
	CHECK_INT(fake.ops->unload(fake.program, &error), PTOWSP_INVALID);
	CHECK_CONTAINS(error.text, "drain or cancel first");
	CHECK_INT(fake.ops->cancel(fake.device, 2, NULL), PTOWSP_OK);
	CHECK_INT(fake.ops->cancel(fake.device, 1, NULL), PTOWSP_OK);
	drain();
	CHECK_INT(fake.done_count, 2);
	CHECK_INT(fake.status, PTOWSP_CANCELLED);
	CHECK(fake.stats.tasks < 1000);
	CHECK_INT(fake.ops->cancel(fake.device, 1, &error), PTOWSP_NOT_FOUND);
	CHECK_CONTAINS(error.text, "token 1");
	stop();
}

static void fini_cancels_and_joins_what_is_left(void)
{
	fake_reset();
	chain_program("sleepy", 1000);
	start(2);
	CHECK_INT(submit(1, 0, NULL), PTOWSP_OK);
	CHECK_INT(submit(2, 0, NULL), PTOWSP_OK);
	CHECK_INT(fake.ops->fini(fake.instance, NULL), PTOWSP_OK);
	CHECK_INT(fake.done_count, 2);
	CHECK_INT(fake.status, PTOWSP_CANCELLED);
	CHECK_INT(fake.bytes, 0);
	bench_program_finish(&fake.code);
}

static void deadline_ends_a_run(void)
{
	struct ptowsp_run_args args;

	fake_reset();
	chain_program("sleepy", 1000);
	start(1);
	args = run_args(1);
	args.deadline_ns = 1;
	CHECK_INT(fake.ops->submit(fake.device, &args, NULL), PTOWSP_OK);
	drain();
	CHECK_INT(fake.status, PTOWSP_DEADLINE);
	args.deadline_ns = fake_now(NULL) + 20000000;
	CHECK_INT(fake.ops->submit(fake.device, &args, NULL), PTOWSP_OK);
	CHECK_INT(fake.ops->poll(fake.device, fake_now(NULL) + 1000000, NULL), PTOWSP_AGAIN);
	CHECK_INT(fake.ops->drain(fake.device, fake_now(NULL) + 1000000, NULL), PTOWSP_DEADLINE);
	CHECK_INT(fake.ops->poll(fake.device, 0, NULL), PTOWSP_OK);
	drain();
	CHECK_INT(fake.done_count, 2);
	CHECK_INT(fake.status, PTOWSP_DEADLINE);
	stop();
}

/* A kernel that would take hours, and what walking it costs in closed form. */
static void long_program(int64_t rounds)
{
	struct bench_tile tile = {0};
	uint32_t kernel, loop;
	uint64_t size;
	const void *payload;
	uint16_t a = bench_tile_tile(&tile, 8, 8);

	loop = bench_tile_loop(&tile, rounds);
	bench_tile_inst(&tile, PTOWSP_PTO_TADD, a, a, a, 0);
	bench_tile_end(&tile, loop);
	payload = bench_tile_pack(&tile, &size);
	kernel = bench_program_kernel(&fake.code, "slow", 0, 0, payload, size);
	for (unsigned i = 0; i < 3; i++)
		bench_program_tensor(&fake.code, check_fmt("t%u", i), ROWS, COLUMNS);
	bench_program_task(&fake.code, kernel, 0, 0);
}

static void a_kernel_that_takes_too_long_is_ended_and_named(void)
{
	struct ptowsp_run_args args;

	fake_reset();
	long_program(INT64_C(1) << 31);
	start(1);
	args = run_args(1);
	args.deadline_ns = fake_now(NULL) + 200000000;
	CHECK_INT(fake.ops->submit(fake.device, &args, NULL), PTOWSP_OK);
	drain();
	CHECK_INT(fake.status, PTOWSP_DEADLINE);
	CHECK_CONTAINS(fake.error, "kernel slow");
	CHECK_INT(submit(2, 0, NULL), PTOWSP_OK);
	CHECK_INT(fake.ops->poll(fake.device, fake_now(NULL) + 5000000, NULL), PTOWSP_AGAIN);
	CHECK_INT(fake.ops->cancel(fake.device, 2, NULL), PTOWSP_OK);
	drain();
	CHECK_INT(fake.status, PTOWSP_CANCELLED);
	CHECK_INT(submit(3, PTOWSP_RUN_NO_KERNELS, NULL), PTOWSP_OK);
	drain();
	CHECK_INT(fake.status, PTOWSP_OK);
	CHECK_UINT(fake.stats.total_cycles, UINT64_C(64) << 31);
	stop();
}

static void each_block_knows_its_index(void)
{
	fake_reset();
	chain_program("record", 1);
	((struct ptowsp_kernel_record *)rows_of(PTOWSP_SECTION_KREG))->blockdim = 4;
	start(2);
	blocks_seen = 0;
	CHECK_INT(submit(1, 0, NULL), PTOWSP_OK);
	drain();
	CHECK_STR(fake.error, "");
	CHECK_UINT(blocks_seen, 0xF);
	CHECK_UINT(block_count_seen, 4);
	CHECK_UINT(fake.stats.tasks, 1);
	CHECK_UINT(fake.stats.total_cycles, 20); /* four rounds of one block of 5 */
	CHECK_UINT(fake.first_kernel_cycles, 20);
	stop();
}

static void blocks_of_a_portable_kernel_add_up_with_and_without_running(void)
{
	fake_reset();
	add_program();
	((struct ptowsp_kernel_record *)rows_of(PTOWSP_SECTION_KREG))->blockdim = 3;
	start(1);
	CHECK_INT(submit(1, 0, NULL), PTOWSP_OK);
	drain();
	CHECK_UINT(fake.stats.total_cycles, 3 * 4 * ELEMENTS);
	CHECK_INT(submit(2, PTOWSP_RUN_NO_KERNELS, NULL), PTOWSP_OK);
	drain();
	CHECK_UINT(fake.stats.total_cycles, 3 * 4 * ELEMENTS);
	stop();
}

static void built_in_kernels_copy_and_fill(void)
{
	uint32_t fill, copy, zero;

	fake_reset();
	zero = bench_program_const(&fake.code, 0);
	fill = bench_program_kernel(&fake.code, "fill", 1, 1, NULL, 0);
	copy = bench_program_kernel(&fake.code, "copy", 2, 0, NULL, 0);
	for (unsigned i = 0; i < 3; i++)
		bench_program_tensor(&fake.code, check_fmt("t%u", i), ROWS, COLUMNS);
	bench_program_task(&fake.code, fill, 1, 1);
	bench_program_emit(&fake.code, PTOWSP_OP_IO_OUTPUT, 0, bench_program_region(&fake.code, 0, zero, ROWS, COLUMNS));
	bench_program_emit(&fake.code, PTOWSP_OP_PARAM_CONST, 0, 0x40000000); /* 2.0f */
	bench_program_task(&fake.code, copy, 2, 0);
	bench_program_emit(&fake.code, PTOWSP_OP_IO_INPUT, 0, bench_program_region(&fake.code, 0, zero, 2, COLUMNS));
	bench_program_emit(&fake.code, PTOWSP_OP_IO_OUTPUT, 1, bench_program_region(&fake.code, 1, zero, 2, COLUMNS));
	start(2);
	CHECK_INT(submit(1, 0, NULL), PTOWSP_OK);
	drain();
	CHECK_STR(fake.error, "");
	CHECK_UINT(fake.stats.total_cycles, ELEMENTS + 2 * COLUMNS);
	CHECK_NEAR(fake.data[0][ELEMENTS - 1], 2, 0);
	CHECK_NEAR(fake.data[1][2 * COLUMNS - 1], 2, 0);
	CHECK_NEAR(fake.data[1][2 * COLUMNS], 0, 0);
	stop();
}

static void a_kernel_nobody_serves_is_named_and_still_counted(void)
{
	fake_reset();
	chain_program("mystery", 4);
	start(2);
	CHECK_INT(submit(1, 0, NULL), PTOWSP_OK);
	drain();
	CHECK_INT(fake.status, PTOWSP_KERNEL_FAILED);
	CHECK_CONTAINS(fake.error, "mystery");
	CHECK_CONTAINS(fake.error, "cpu_sim");
	CHECK_CONTAINS(fake.error, "nop");
	CHECK_CONTAINS(fake.error, "sleepy");
	CHECK_INT(submit(2, PTOWSP_RUN_NO_KERNELS, NULL), PTOWSP_OK);
	drain();
	CHECK_INT(fake.status, PTOWSP_OK);
	CHECK_UINT(fake.stats.tasks, 4);
	stop();
}

static ptowsp_status load_flags(uint32_t flags, struct ptowsp_error *error)
{
	uint32_t count;
	const struct ptowsp_section *sections = bench_program_seal(&fake.code, &count);
	struct ptowsp_load_args args = {.head = PTOWSP_HEAD(args, LOAD_ARGS), .sections = sections, .section_count = count,
					.section_stride = sizeof(*sections), .flags = flags};

	*error = (struct ptowsp_error){.head = PTOWSP_HEAD(*error, ERROR)};
	return fake.ops->load(fake.device, &args, &fake.program, error);
}

static void native_code_is_skipped_without_trust_and_refused_with_it(void)
{
	struct ptowsp_error error;

	for (uint32_t flags = 0; flags <= PTOWSP_LOAD_TRUST_NATIVE; flags++) {
		fake_reset();
		add_program();
		((struct ptowsp_payload_record *)rows_of(PTOWSP_SECTION_KPAY))->kind = PTOWSP_PAYLOAD_ELF;
		CHECK_INT(init(NULL, NULL, &error), PTOWSP_OK);
		CHECK_INT(open_device(1, &error), PTOWSP_OK);
		CHECK_INT(load_flags(flags, &error), flags ? PTOWSP_UNSUPPORTED : PTOWSP_OK);
		if (flags) {
			CHECK_CONTAINS(error.text, "kernel add carries native code");
			CHECK(fake.program == NULL);
		} else {
			CHECK_INT(submit(1, 0, NULL), PTOWSP_OK);
			drain();
			CHECK_INT(fake.status, PTOWSP_KERNEL_FAILED);
			CHECK_CONTAINS(fake.error, "without --trust");
		}
		stop();
	}
}

static void a_payload_for_another_target_does_not_serve(void)
{
	fake_reset();
	add_program();
	((struct ptowsp_payload_record *)rows_of(PTOWSP_SECTION_KPAY))->target = bench_program_string(&fake.code, "aie");
	start(1);
	CHECK_INT(submit(1, 0, NULL), PTOWSP_OK);
	drain();
	CHECK_INT(fake.status, PTOWSP_KERNEL_FAILED);
	CHECK_CONTAINS(fake.error, "only for other targets");
	stop();
}

static void cycles_of_a_payload_may_be_fixed(void)
{
	fake_reset();
	add_program();
	((struct ptowsp_payload_record *)rows_of(PTOWSP_SECTION_KPAY))->cycles = 77;
	start(1);
	CHECK_INT(submit(1, 0, NULL), PTOWSP_OK);
	drain();
	CHECK_UINT(fake.stats.total_cycles, 77);
	CHECK_INT(submit(1, PTOWSP_RUN_NO_KERNELS, NULL), PTOWSP_OK);
	drain();
	CHECK_UINT(fake.stats.total_cycles, 77);
	stop();
}

static void a_broken_payload_is_refused_when_loaded(void)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};

	fake_reset();
	add_program();
	bench_program_kernel(&fake.code, "later", 0, 0, NULL, 0); /* not reached */
	((unsigned char *)rows_of(PTOWSP_SECTION_CODE))[0] ^= 1;
	CHECK_INT(init(NULL, NULL, &error), PTOWSP_OK);
	CHECK_INT(open_device(1, &error), PTOWSP_OK);
	CHECK_INT(load(&error), PTOWSP_BAD_PACKAGE);
	CHECK(*error.text);
	CHECK(fake.program == NULL);
	stop();
}

/* d = a + b of different shapes: the kernel cannot run, and says where and why; it is still counted. */
static void a_shape_error_fails_only_the_runs_that_reach_it(void)
{
	struct ptowsp_debug_record place = {.kind = 1, .row = 0, .line = 12};
	struct bench_tile tile = {0};
	uint32_t kernel;
	uint64_t size;
	const void *payload;
	uint16_t a, b;

	fake_reset();
	a = bench_tile_tile(&tile, 8, 8);
	b = bench_tile_tile(&tile, 8, 1);
	bench_tile_inst(&tile, PTOWSP_PTO_TDIV, a, a, b, 0);
	payload = bench_tile_pack(&tile, &size);
	kernel = bench_program_kernel(&fake.code, "crooked", 0, 0, payload, size);
	place.file = bench_program_string(&fake.code, "softmax.pto");
	bench_program_row(&fake.code, PTOWSP_SECTION_DBGI, &place, sizeof(place));
	for (unsigned i = 0; i < 3; i++)
		bench_program_tensor(&fake.code, check_fmt("t%u", i), ROWS, COLUMNS);
	bench_program_task(&fake.code, kernel, 0, 0);
	start(1);
	CHECK_INT(submit(1, 0, NULL), PTOWSP_OK);
	drain();
	CHECK_INT(fake.status, PTOWSP_KERNEL_FAILED);
	CHECK_CONTAINS(fake.error, "crooked (softmax.pto:12)");
	CHECK_CONTAINS(fake.error, "tdiv");
	CHECK_CONTAINS(fake.error, "8x1");
	CHECK_INT(submit(2, PTOWSP_RUN_NO_KERNELS, NULL), PTOWSP_OK);
	drain();
	CHECK_INT(fake.status, PTOWSP_OK);
	CHECK_UINT(fake.stats.tasks, 1);
	stop();
}

static uint64_t traced, last_end, edges_seen;

static void on_tasks(void *context, const struct ptowsp_trace_task *tasks, uint32_t count, uint32_t stride)
{
	(void)context;
	for (uint32_t i = 0; i < count; i++) {
		const struct ptowsp_trace_task *task = (const void *)((const char *)tasks + (size_t)i * stride);

		if (task->task == traced && task->start >= last_end)
			traced++;
		last_end = task->end;
	}
}

static void on_edges(void *context, const struct ptowsp_graph_edge *edges, uint32_t count, uint32_t stride)
{
	(void)context, (void)stride;
	for (uint32_t i = 0; i < count; i++)
		edges_seen += edges[i].producer + 1 == edges[i].consumer;
}

static void trace_and_graph_show_every_task_and_edge(void)
{
	const struct ptowsp_trace_extension *trace;
	const struct ptowsp_graph_extension *graph;

	fake_reset();
	chain_program("nop", 1000);
	start(2);
	trace = fake.ops->extension(fake.instance, PTOWSP_EXTENSION_TRACE);
	graph = fake.ops->extension(fake.instance, PTOWSP_EXTENSION_GRAPH);
	REQUIRE(trace && graph);
	CHECK(fake.ops->extension(fake.instance, "com.acme.x/2") == NULL);
	CHECK_INT(trace->attach(fake.program, on_tasks, NULL, NULL), PTOWSP_OK);
	CHECK_INT(graph->attach(fake.program, on_edges, NULL, NULL), PTOWSP_OK);
	traced = last_end = edges_seen = 0;
	CHECK_INT(submit(1, 0, NULL), PTOWSP_OK);
	drain();
	CHECK_UINT(traced, 1000);
	CHECK_UINT(last_end, fake.stats.total_cycles);
	CHECK_UINT(edges_seen, 999);
	stop();
}

static void options_are_accepted_or_refused_by_name(void)
{
	static const char *const good[][2] = {{"opt_level", "0"}, {"opt_level", "3"}, {"profiling", "on"}, {"debug", "on"},
					      {"clock", "reference"}, {"clock", "own"}, {"schedulers", "1"}, {"schedulers", "64"}};
	static const char *const bad[][3] = {{"opt_level", "4", "0..3"}, {"profiling", "yes", "off|on"},
					     {"clock", "wall", "reference|own"}, {"schedulers", "65", "1..64"}, {"schedulers", "0", "1..64"}, {"optlevel", "1", "opt_level, profiling"}};
	const struct ptowsp_option *options[16];
	uint32_t count = 1;

	fake_reset();
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		CHECK_INT(init(good[i][0], good[i][1], NULL), PTOWSP_OK);
		CHECK_INT(fake.ops->fini(fake.instance, NULL), PTOWSP_OK);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};

		CHECK_INT(init(bad[i][0], bad[i][1], &error), PTOWSP_INVALID);
		CHECK_CONTAINS(error.text, bad[i][0]);
		CHECK_CONTAINS(error.text, bad[i][2]);
		CHECK(fake.instance == NULL);
	}
	CHECK_INT(fake.ops->options(options, &count, NULL), PTOWSP_MORE);
	count = 16;
	CHECK_INT(fake.ops->options(options, &count, NULL), PTOWSP_OK);
	CHECK_UINT(count, 6);
	CHECK_INT(fake.bytes, 0);
}

static void profiling_and_debug_say_what_they_saw(void)
{
	fake_reset();
	chain_program("nop", 5);
	CHECK_INT(init("profiling", "on", NULL), PTOWSP_OK);
	CHECK_INT(open_device(1, NULL), PTOWSP_OK);
	CHECK_INT(load(NULL), PTOWSP_OK);
	CHECK_INT(submit(1, 0, NULL), PTOWSP_OK);
	drain();
	CHECK_CONTAINS(fake.log, "profile: kernel nop: 5 tasks");
	stop();
	fake_reset();
	chain_program("nop", 5);
	CHECK_INT(init("debug", "on", NULL), PTOWSP_OK);
	CHECK_INT(open_device(1, NULL), PTOWSP_OK);
	CHECK_INT(load(NULL), PTOWSP_OK);
	CHECK_CONTAINS(fake.log, "kernel nop: built-in C function");
	stop();
}

static void device_and_capabilities_are_listed_without_an_instance(void)
{
	const struct ptowsp_device *devices[4];
	struct ptowsp_cap rows[512];
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	uint32_t count = 4, first;

	fake_reset();
	CHECK_INT(fake.ops->devices(NULL, devices, &count, NULL), PTOWSP_OK);
	CHECK_UINT(count, 1);
	CHECK_STR(devices[0]->name, "cpu0");
	CHECK_STR(devices[0]->cycle_model, "reference");
	count = 1;
	CHECK_INT(fake.ops->capabilities(NULL, NULL, rows, sizeof(*rows), &count, NULL), PTOWSP_MORE);
	CHECK(count > 1 && count <= 512);
	first = count;
	CHECK_INT(fake.ops->capabilities(NULL, "cpu0", rows, sizeof(*rows), &count, NULL), PTOWSP_OK);
	CHECK_UINT(count, first);
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < i; k++)
			CHECK(rows[i].feature != rows[k].feature);
	CHECK_INT(fake.ops->capabilities(NULL, "gpu7", rows, sizeof(*rows), &count, &error), PTOWSP_NO_DEVICE);
	CHECK_CONTAINS(error.text, "cpu0");
}

static void arguments_with_unknown_fields_are_refused(void)
{
	struct {
		struct ptowsp_open_args args;
		uint64_t later;
	} longer = {.args = {.head = {sizeof(longer), PTOWSP_STRUCT_OPEN_ARGS, 0}}};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};

	fake_reset();
	CHECK_INT(init(NULL, NULL, NULL), PTOWSP_OK);
	longer.args.threads = 1;
	CHECK_INT(fake.ops->open(fake.instance, &longer.args, &fake.device, &error), PTOWSP_OK);
	CHECK_INT(fake.ops->close(fake.device, NULL), PTOWSP_OK);
	longer.later = 1;
	CHECK_INT(fake.ops->open(fake.instance, &longer.args, &fake.device, &error), PTOWSP_UNKNOWN_FIELD);
	CHECK(fake.device == NULL);
	longer.args.head.size = 8;
	CHECK_INT(fake.ops->open(fake.instance, &longer.args, &fake.device, &error), PTOWSP_INVALID);
	stop();
}

/* Every allocation of the backend fails once, with all that follow: each step refuses with NO_MEMORY and leaves nothing. */
static void every_failed_allocation_is_survived(void)
{
	int at, ok = 0;

	for (at = 0; !ok && at < 200; at++) {
		struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
		ptowsp_status st;

		fake_reset();
		add_program();
		fake.fail_at = at;
		st = init(NULL, NULL, &error);
		if (!st)
			st = open_device(1, &error);
		if (!st)
			st = load(&error);
		if (!st)
			st = submit(1, 0, &error);
		if (!st)
			drain();
		ok = !st;
		if (!ok) {
			CHECK_INT(st, PTOWSP_NO_MEMORY);
			CHECK_CONTAINS(error.text, "no memory");
			CHECK_INT(fake.done_count, 0);
		}
		stop();
	}
	CHECK(ok);
	CHECK(at > 4);
}

static void stats_can_be_read_while_a_run_goes_on(void)
{
	struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(stats, RUN_STATS)};

	fake_reset();
	chain_program("sleepy", 20);
	start(2);
	CHECK_INT(fake.ops->stats(fake.program, &stats, NULL), PTOWSP_OK);
	CHECK_UINT(stats.tasks, 0);
	CHECK_INT(submit(1, 0, NULL), PTOWSP_OK);
	for (int i = 0; i < 10; i++) {
		CHECK_INT(fake.ops->stats(fake.program, &stats, NULL), PTOWSP_OK);
		CHECK(stats.tasks <= 20);
	}
	drain();
	CHECK_INT(fake.ops->stats(fake.program, &stats, NULL), PTOWSP_OK);
	CHECK_UINT(stats.tasks, 20);
	stop();
}

void suite_cpu_sim(CU_pSuite s)
{
	TEST(s, one_task_adds_two_tensors);
	TEST(s, runs_are_done_once_each_and_in_order);
	TEST(s, cancel_ends_waiting_and_running_runs);
	TEST(s, fini_cancels_and_joins_what_is_left);
	TEST(s, deadline_ends_a_run);
	TEST(s, a_kernel_that_takes_too_long_is_ended_and_named);
	TEST(s, each_block_knows_its_index);
	TEST(s, blocks_of_a_portable_kernel_add_up_with_and_without_running);
	TEST(s, built_in_kernels_copy_and_fill);
	TEST(s, a_kernel_nobody_serves_is_named_and_still_counted);
	TEST(s, native_code_is_skipped_without_trust_and_refused_with_it);
	TEST(s, a_payload_for_another_target_does_not_serve);
	TEST(s, cycles_of_a_payload_may_be_fixed);
	TEST(s, a_broken_payload_is_refused_when_loaded);
	TEST(s, a_shape_error_fails_only_the_runs_that_reach_it);
	TEST(s, trace_and_graph_show_every_task_and_edge);
	TEST(s, options_are_accepted_or_refused_by_name);
	TEST(s, profiling_and_debug_say_what_they_saw);
	TEST(s, device_and_capabilities_are_listed_without_an_instance);
	TEST(s, arguments_with_unknown_fields_are_refused);
	TEST(s, every_failed_allocation_is_survived);
	TEST(s, stats_can_be_read_while_a_run_goes_on);
}
