/* SPDX-License-Identifier: MIT */
/* test_bad_host.c - hosts that break one rule of abi/README.md each: the checking plugin (tests/checking) names it, refuses the call, and says nothing of a host that keeps them. */
#include "tests/check.h"
#include "tests/host/bad_host.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "ptowsp/buffers.h"
#include "ptowsp/compiled.h"
#include "ptowsp/fences.h"
#include "ptowsp/note.h"

static void an_args_head_too_small(void)
{
	struct ptowsp_load_args args = bad_load_args();

	args.head.size = PTOWSP_LOAD_ARGS_FLOOR_10_0 - 8;
	bad.status = fake.ops->load(fake.device, &args, &bad.programs[1], bad_error());
}

static void an_args_head_of_another_type(void)
{
	struct ptowsp_run_args args = bad_run_args(8);

	args.head.type = PTOWSP_STRUCT_LOAD_ARGS;
	bad.status = fake.ops->submit(fake.device, &args, bad_error());
}

static void longer_args_with_a_tail(void)
{
	struct {
		struct ptowsp_run_args known;
		uint64_t later;
	} args = {bad_run_args(8), 1};

	args.known.head.size = sizeof(args);
	bad.status = fake.ops->submit(fake.device, &args.known, bad_error());
}

static void an_unknown_flag(void)
{
	struct ptowsp_load_args args = bad_load_args();

	args.flags = 1u << 30;
	bad.status = fake.ops->load(fake.device, &args, &bad.programs[1], bad_error());
}

static void a_later_operation(void)
{
	ptowsp_status (*const *later)(void) = (void *)((char *)(uintptr_t)fake.ops + PTOWSP_OPS_FLOOR_10_0);

	CHECK(fake.ops->head.size > PTOWSP_OPS_FLOOR_10_0);
	CHECK_INT(later[3](), PTOWSP_INVALID);
	bad.status = bad_submit(8); /* what follows is told */
}

static void an_error_record_without_a_head(void)
{
	struct ptowsp_error none = {.head = {.size = 0}};

	CHECK_INT(fake.ops->devices(fake.instance, NULL, &(uint32_t){0}, &none), PTOWSP_INVALID);
	CHECK_STR(none.text, "");
	bad.status = bad_submit(8);
}

static void a_result_too_small(void)
{
	struct ptowsp_run_stats stats = {.head = {64, PTOWSP_STRUCT_RUN_STATS, 0}};

	bad.status = fake.ops->stats(bad.programs[0], &stats, bad_error());
}

static ptowsp_status file_and_devices(void *context, const char *path, const void *bytes, uint64_t size)
{
	(void)context, (void)path, (void)bytes, (void)size;
	bad.status = fake.ops->devices(fake.instance, NULL, &(uint32_t){0}, bad_error());
	return PTOWSP_OK;
}

static void two_main_calls(void)
{
	const struct ptowsp_artifact_extension *x = fake.ops->extension(fake.instance, PTOWSP_EXTENSION_ARTIFACT);
	const struct ptowsp_load_args args = bad_load_args();

	REQUIRE(x != NULL);
	x->emit(fake.instance, NULL, &args, file_and_devices, NULL, NULL);
}

static void *poll_long(void *unused)
{
	fake.ops->poll(fake.device, fake_now(NULL) + 300000000, NULL);
	return unused;
}

/* A run with a deadline in 300 ms, which `hold` keeps. */
static void submit_held(uint64_t token)
{
	struct ptowsp_run_args args = bad_run_args(token);

	args.deadline_ns = fake_now(NULL) + 300000000;
	REQUIRE_INT(fake.ops->submit(fake.device, &args, bad_error()), 0);
}

static void two_device_calls(void)
{
	pthread_t thread;

	submit_held(8);
	REQUIRE_INT(pthread_create(&thread, NULL, poll_long, NULL), 0);
	for (int i = 0; i < 100 && !bad.status; i++) {
		check_run("sleep 0.01", NULL, NULL);
		bad.status = fake.ops->poll(fake.device, 0, bad_error());
	}
	pthread_join(thread, NULL);
	CHECK_INT(fake.done_count, 2);
}

static void a_sink_during_a_run(void)
{
	const struct ptowsp_trace_extension *x = fake.ops->extension(fake.instance, PTOWSP_EXTENSION_TRACE);

	REQUIRE(x != NULL);
	CHECK_INT(bad_submit(8), 0);
	bad.status = x->attach(bad.programs[0], NULL, NULL, bad_error());
	fake.ops->poll(fake.device, 0, NULL);
}

static void a_call_after_fini(void)
{
	struct ptowsp_object *gone = fake.instance;

	CHECK_INT(fake.ops->unload(bad.programs[0], NULL) | fake.ops->close(fake.device, NULL) | fake.ops->fini(gone, NULL), 0);
	bad.status = fake.ops->devices(gone, NULL, &(uint32_t){0}, bad_error());
	bad.programs[0] = fake.device = fake.instance = NULL;
}

static void a_poll_after_fini(void)
{
	struct ptowsp_object *gone = fake.device;

	CHECK_INT(fake.ops->unload(bad.programs[0], NULL) | fake.ops->close(gone, NULL) | fake.ops->fini(fake.instance, NULL), 0);
	bad.status = fake.ops->poll(gone, 0, bad_error());
	bad.programs[0] = fake.device = fake.instance = NULL;
}

static void a_closed_device(void)
{
	struct ptowsp_object *gone = fake.device;

	CHECK_INT(fake.ops->unload(bad.programs[0], NULL) | fake.ops->close(gone, NULL), 0);
	bad.programs[0] = fake.device = NULL;
	bad.status = fake.ops->poll(gone, 0, bad_error());
}

static void an_unloaded_program(void)
{
	CHECK_INT(fake.ops->unload(bad.programs[0], NULL), 0);
	bad.status = bad_submit(8);
	bad.programs[0] = NULL;
}

static void a_fini_with_a_device(void)
{
	bad.status = fake.ops->fini(fake.instance, bad_error());
	bad.programs[0] = fake.device = fake.instance = NULL;
}

static void a_close_with_a_program(void)
{
	bad.status = fake.ops->close(fake.device, bad_error());
	bad.programs[0] = fake.device = NULL;
}

static void an_unload_during_a_run(void)
{
	CHECK_INT(bad_submit(8), 0);
	bad.status = fake.ops->unload(bad.programs[0], bad_error());
	fake.ops->poll(fake.device, 0, NULL);
}

static void a_section_changed_before_submit(void)
{
	bad.entry[0].name = 77;
	bad.status = bad_submit(8);
}

static void a_section_changed_during_a_run(void)
{
	CHECK_INT(bad_submit(8), 0);
	bad.work.header.num_axes = 1;
	bad.status = bad_poll();
}

static void a_binding_changed_during_a_run(void)
{
	CHECK_INT(bad_submit(8), 0);
	bad.data[15] = 1;
	bad.status = bad_poll();
}

static void another_table_of_services(void)
{
	fake.host.flags = 1;
	bad.status = bad_poll();
	fake.host.flags = 0;
}

static void a_token_in_flight(void)
{
	CHECK_INT(bad_submit(8), 0);
	bad.status = bad_submit(8);
	fake.ops->poll(fake.device, 0, NULL);
}

static void a_token_again(void)
{
	bad.status = bad_submit(7); /* that of good_life */
}

static void a_time_of_next_year(void)
{
	bad.status = fake.ops->poll(fake.device, fake_now(NULL) + UINT64_C(31536000000000000), bad_error());
}

static void a_section_out_of_line(void)
{
	struct ptowsp_load_args args = bad_load_args();

	bad.sections[1].data = (char *)bad.entry + 8;
	bad.status = fake.ops->load(fake.device, &args, &bad.programs[1], bad_error());
}

static void a_binding_of_no_tensor(void)
{
	bad.binding.tensor = 1;
	bad.status = bad_submit(8);
}

static struct ptowsp_object *buffer_make(const struct ptowsp_buffers_extension **table_out)
{
	struct ptowsp_object *buffer = NULL;

	*table_out = fake.ops->extension(fake.instance, PTOWSP_EXTENSION_BUFFERS);
	REQUIRE(*table_out != NULL);
	CHECK_INT((*table_out)->create(fake.device, sizeof(bad.data), &buffer, bad_error()), 0);
	return buffer;
}

static void a_binding_of_a_dead_buffer(void)
{
	const struct ptowsp_buffers_extension *table;

	bad.binding.buffer = buffer_make(&table);
	bad.binding.data = NULL;
	CHECK_INT(table->destroy(bad.binding.buffer, bad_error()), 0);
	bad.status = bad_submit(8);
}

static void bytes_behind_a_buffer(void)
{
	const struct ptowsp_buffers_extension *table;
	struct ptowsp_object *buffer = buffer_make(&table);

	bad.status = table->write(buffer, 8, bad.data, sizeof(bad.data), bad_error());
	table->destroy(buffer, NULL);
}

static void memory_of_nobody(void)
{
	const struct ptowsp_external nobody = {.head = PTOWSP_HEAD(nobody, EXTERNAL), .type = PTOWSP_EXTERNAL_HOST, .bytes = 4096, .fd = -1};
	const struct ptowsp_buffers_extension *table;
	struct ptowsp_object *buffer = buffer_make(&table);

	bad.status = table->import(fake.device, &nobody, &bad.binding.buffer, bad_error());
	table->destroy(buffer, NULL);
}

static void a_buffer_that_a_run_has(void)
{
	const struct ptowsp_buffers_extension *table;

	bad.binding.buffer = buffer_make(&table);
	bad.binding.data = NULL;
	CHECK_INT(bad_submit(8), 0);
	bad.status = table->destroy(bad.binding.buffer, bad_error());
	fake.ops->poll(fake.device, 0, NULL);
	table->destroy(bad.binding.buffer, NULL);
}

static struct ptowsp_object *fence_make(const struct ptowsp_fences_extension **table_out)
{
	struct ptowsp_object *fence = NULL;

	*table_out = fake.ops->extension(fake.instance, PTOWSP_EXTENSION_FENCES);
	REQUIRE(*table_out != NULL);
	CHECK_INT((*table_out)->create(fake.device, 0, &fence, bad_error()), 0);
	return fence;
}

static ptowsp_status submit_behind(const struct ptowsp_fence_point *wait, const struct ptowsp_fence_point *signal)
{
	struct ptowsp_run_args args = bad_run_args(8);

	args.waits = wait;
	args.signals = signal;
	args.wait_count = wait != NULL;
	args.signal_count = signal != NULL;
	args.wait_stride = args.signal_stride = sizeof(*wait);
	return fake.ops->submit(fake.device, &args, bad_error());
}

static void a_signal_of_a_dead_fence(void)
{
	const struct ptowsp_fences_extension *table;
	const struct ptowsp_fence_point point = {fence_make(&table), 1};

	CHECK_INT(table->destroy(point.fence, bad_error()), 0);
	bad.status = submit_behind(NULL, &point);
}

static void a_fence_that_a_run_waits_for(void)
{
	const struct ptowsp_fences_extension *table;
	const struct ptowsp_fence_point point = {fence_make(&table), 1};

	CHECK_INT(submit_behind(&point, NULL), 0);
	bad.status = table->destroy(point.fence, bad_error());
	table->signal(point.fence, 1, NULL);
	fake.ops->poll(fake.device, 0, NULL);
	table->destroy(point.fence, NULL);
}

static void a_blob_of_nobody(void)
{
	const struct ptowsp_blob blob = {"checked", "of nobody", 9};
	struct ptowsp_load_args args = bad_load_args();

	args.blobs = &blob;
	args.blob_count = 1;
	args.blob_stride = sizeof(blob);
	bad.status = fake.ops->load(fake.device, &args, &bad.programs[1], bad_error());
}

static void compiled_during_a_run(void)
{
	const struct ptowsp_compiled_extension *table = fake.ops->extension(fake.instance, PTOWSP_EXTENSION_COMPILED);

	CHECK_INT(bad_submit(8), 0);
	bad.status = table->save(bad.programs[0], NULL, NULL, bad_error());
	fake.ops->poll(fake.device, 0, NULL);
}

static void values_of_no_slot(void)
{
	struct ptowsp_run_args args = bad_run_args(8);

	args.values = (const uint64_t[]){1};
	args.value_count = 1;
	bad.status = fake.ops->submit(fake.device, &args, bad_error());
}

static uint64_t stopped_clock;
static uint64_t backward(void *context)
{
	(void)context;
	return stopped_clock -= 1000;
}

static void a_clock_that_goes_back(void)
{
	CHECK_INT(fake.ops->unload(bad.programs[0], NULL) | fake.ops->close(fake.device, NULL) | fake.ops->fini(fake.instance, NULL), 0);
	bad.programs[0] = fake.device = NULL;
	stopped_clock = fake_now(NULL);
	fake.host.now_ns = backward;
	bad.status = fake_init(NULL, NULL, bad_error());
	fake.instance = NULL;
}

static void *dirty(void *context, uint64_t size, uint64_t align)
{
	void *memory = aligned_alloc(align < 8 ? 8 : align, (size + 4095) / 4096 * 4096);

	(void)context;
	fake.bytes += (long long)size;
	return memory ? memset(memory, 0x5a, size) : NULL;
}

static void memory_that_is_not_zeroed(void)
{
	CHECK_INT(fake.ops->unload(bad.programs[0], NULL) | fake.ops->close(fake.device, NULL) | fake.ops->fini(fake.instance, NULL), 0);
	bad.programs[0] = fake.device = fake.instance = NULL;
	fake.host.alloc = dirty;
	bad.status = fake_init(NULL, NULL, bad_error());
}

static const struct breach {
	const char *name, *hold, *sentence;
	void (*break_it)(void);
} breaches[] = {
#define X(name, hold, sentence)                                                                                                                                \
	{                                                                                                                                                      \
#name, hold, sentence, name                                                                                                                    \
	}
	X(an_args_head_too_small, NULL, "HO1: the arguments' head"),
	X(an_args_head_of_another_type, NULL, "HO1: the arguments' head"),
	X(longer_args_with_a_tail, NULL, "HO1: bytes of the arguments above"),
	X(an_unknown_flag, NULL, "HO1: a flag of load"),
	X(a_later_operation, NULL, "HO1: it is above the effective minor"),
	X(an_error_record_without_a_head, NULL, "HO1: the head of the error record"),
	X(a_result_too_small, NULL, "HO1: the head of the result"),
	X(two_main_calls, NULL, "HO2: another [main] call"),
	X(two_device_calls, "true", "HO2: another [device] call"),
	X(a_sink_during_a_run, NULL, "HO2: a run of the program is going on"),
	X(a_call_after_fini, NULL, "HO6: it is called after fini"),
	X(a_poll_after_fini, NULL, "HO6: it is called after fini"),
	X(a_closed_device, NULL, "HO6: the object is closed"),
	X(an_unloaded_program, NULL, "HO6: the program is unloaded"),
	X(a_fini_with_a_device, NULL, "HO6: a device is still open"),
	X(a_close_with_a_program, NULL, "HO7: the device has programs"),
	X(an_unload_during_a_run, NULL, "HO7: a run of the program is in flight"),
	X(a_section_changed_before_submit, NULL, "HO7: a section is another one"),
	X(a_section_changed_during_a_run, NULL, "HO7: a section is another one"),
	X(a_binding_changed_during_a_run, NULL, "HO7: the memory of a binding"),
	X(another_table_of_services, NULL, "HO7: the table of the host's services"),
	X(a_token_in_flight, NULL, "HO7: the token is in flight"),
	X(a_token_again, NULL, "HO8: the token was given to an earlier run"),
	X(a_time_of_next_year, NULL, "HO8: until_ns"),
	X(a_section_out_of_line, NULL, "HO8: the data of a section"),
	X(a_binding_of_no_tensor, NULL, "HO8: a binding is for no row"),
	X(values_of_no_slot, NULL, "HO8: there are more or fewer values"),
	X(a_binding_of_a_dead_buffer, NULL, "HO9: a binding's buffer is destroyed"),
	X(bytes_behind_a_buffer, NULL, "HO9: the bytes do not lie in the buffer"),
	X(memory_of_nobody, NULL, "HO9: memory of nobody, or of no bytes, as a buffer"),
	X(a_buffer_that_a_run_has, NULL, "HO9: a run in flight has the buffer"),
	X(a_signal_of_a_dead_fence, NULL, "HO11: a run's fence is destroyed"),
	X(a_fence_that_a_run_waits_for, NULL, "HO11: a run in flight waits for the fence"),
	X(a_blob_of_nobody, NULL, "HO10: a blob is not what was given"),
	X(compiled_during_a_run, NULL, "HO2: a run of the program is going on"),
	X(a_clock_that_goes_back, NULL, "HO8: now_ns goes back"),
	X(memory_that_is_not_zeroed, NULL, "HO8: memory of alloc is not zeroed"),
#undef X
};
enum { BREACHES = sizeof(breaches) / sizeof(*breaches) };

/* The name of the test ends with the breach. */
static void named(void)
{
	const struct breach *b = breaches;

	while (strcmp(b->name, check_name() + strlen("named_")))
		b++;
	if (PTOWSP_SANITIZER == PTOWSP_SANITIZER_THREAD && b->break_it == two_device_calls)
		CHECK_SKIP("it is a race on purpose");
	bad_begin();
	bad_live(b->hold);
	b->break_it();
	CHECK_INT(bad.status, PTOWSP_INVALID);
	CHECK_INT(bad.error.code, PTOWSP_INVALID);
	CHECK_INT(bad.error.flags, PTOWSP_ERROR_HOST_BUG);
	CHECK_CONTAINS(bad.error.text, b->sentence);
	bad_end();
}

TEST(a_good_life_is_not_blamed)
{
	bad_begin();
	bad_live(NULL);
	CHECK_INT(bad_load(1), 0);
	CHECK_INT(bad_submit(8), 0);
	CHECK_INT(bad_poll(), 0);
	CHECK_INT(fake.ops->cancel(fake.device, 8, bad_error()), 0);
	CHECK_INT(fake.done_count, 2);
	bad_end();
	CHECK(!strstr(fake.log, "host bug"));
	CHECK_CONTAINS(fake.log, ", all as they should be");
	CHECK_INT(fake.bytes, 0);
}

void suite_bad_host(CU_pSuite s)
{
	for (size_t i = 0; i < BREACHES; i++)
		check_add(s, check_fmt("named_%s", breaches[i].name), named);
}
