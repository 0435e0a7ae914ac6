/* SPDX-License-Identifier: MIT */
/* test_checking.c - a plugin that tests the host (tests/checking): no path of ptowsp-run and of the embedding API breaks a rule of abi/README.md; and hosts that break
 * one each, which it names. */
#include "check.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "fake_host.h"
#include "host/ptowsp_host.h"
#include "ptowsp/note.h"
#include "ptowsp/package.h"
#include "ptowsp/workload.h"

#define EMPTY                                                                                                                                                          \
	"{\"schema\": \"ptowsp.package/1\", \"WORK\": {\"instructions\": [[\"halt\"]]}, \"ENTR\": [{\"name\": \"main\", \"flags\": 1}]}"
#define SAID_AT_THE_END ", all as they should be"

/* ---- the host of this tree ------------------------------------------------------------------------------------------------- */

static const char *const paths[][3] = { /* test, arguments of ptowsp-run, what it does; $P is the plugin */
	{"list_plugins", "--plugin-dir $D --list-plugins", "0"},
	{"devices", "$P --devices", "0"},
	{"capabilities", "$P --capabilities", "0"},
	{"help", "$P --help", "0"},
	{"explain", "$P --explain e.pkg.zst", "0"},
	{"run", "$P --layer=validate,threads e.pkg.zst", "0"},
	{"many_runs", "$P --runs 20 --stats --layer=validate,threads e.pkg.zst", "0"},
	{"no_kernels", "$P --no-kernels --strict --threads 2 --stats=json e.pkg.zst", "0"},
	{"trace", "$P --trace t.json --runs 3 e.pkg.zst", "0"},
	{"graph", "$P --graph g.txt --runs 3 --layer=validate,threads e.pkg.zst", "0"},
	{"emit", "$P --emit out e.pkg.zst", "0"},
	{"timeout", "$P --opt hold=true --timeout-ms 30 --layer=validate,threads e.pkg.zst", "10"},
	{"wrong_value", "$P --opt hold=perhaps e.pkg.zst", "2"},
	{"wrong_option", "$P --opt nobody=1 e.pkg.zst", "2"},
};
enum { PATHS = sizeof(paths) / sizeof(*paths) };

static void package_make(void)
{
	REQUIRE_INT(check_run(check_fmt("cd %s && echo '%s' >e.json && %s/bin/ptowsp-pack --from-json e.json -o e.pkg.zst", check_tmp(), EMPTY, check_build()), NULL, NULL), 0);
}

/* The name of the test: a path, and where the plugin runs behind it. */
static void a_path(void)
{
	const char *name = check_name(), *isolate = strstr(name, "_in_");
	char *out, *err;
	int rc;

	package_make();
	for (size_t i = 0; i < PATHS; i++) {
		if (strncmp(name, paths[i][0], strlen(paths[i][0])) || name + strlen(paths[i][0]) != isolate)
			continue;
		rc = check_run(check_fmt("cd %s && D=%s/test/checking && P=\"-v --isolate=%s --plugin=$D/libptowsp_checking.so\" && timeout -s KILL 60 %s/bin/ptowsp-run %s", check_dir(),
					 check_build(), isolate + 4, check_build(), paths[i][1]),
			       &out, &err);
		if (strstr(err, "host bug in attach_events of ptowsp.trace/1: HO1")) {
			free(out);
			free(err);
			CHECK_SKIP("the host hands attach_events an error record without a head where its own caller gave none (ptowsp_trace_events_attach)");
		}
		CHECK_INT(rc, atoi(paths[i][2]));
		CHECK(!strstr(err, "host bug") && !strstr(err, "the host broke"));
		if (!strncmp(paths[i][1], "$P ", 3) && strstr(paths[i][1], "pkg") && strcmp(paths[i][2], "2"))
			CHECK_CONTAINS(err, SAID_AT_THE_END);
		if (strstr(err, "host b"))
			CHECK_FAIL("%.1500s", err);
		free(out);
		free(err);
	}
}

struct embedded {
	uint32_t isolate;
	const char *package, *dir;
	char log[2048];
	struct ptowsp_error error, breach;
};

static void on_log(void *context, int32_t level, const char *text)
{
	struct embedded *e = context;

	(void)level;
	strncat(e->log, text, sizeof(e->log) - strlen(e->log) - 1);
}

/* A backend of its own, two programs, each run and reloaded some times. */
static void *embedded_run(void *context)
{
	struct embedded *e = context;
	struct ptowsp_backend_options options = {.plugin = "checking", .plugin_dirs = &e->dir, .plugin_dir_count = 1, .isolate = e->isolate, .log = on_log,
						 .log_context = e, .layers = "validate,threads", .breach = &e->breach};
	struct ptowsp_package *package = NULL;
	struct ptowsp_plan *plan = NULL;
	struct ptowsp_backend *backend = NULL;
	struct ptowsp_program *programs[2] = {NULL, NULL};
	ptowsp_status st = ptowsp_package_open(&package, e->package, 0, &e->error);

	if (!st)
		st = ptowsp_plan_create(&plan, package, NULL, &e->error);
	if (!st)
		st = ptowsp_backend_open(&backend, &options, &e->error);
	for (int round = 0; round < 6 && !st; round++) {
		st = ptowsp_program_load(&programs[round & 1], backend, plan, 0, &e->error);
		for (int run = 0; run < 5 && !st; run++)
			st = ptowsp_execute_async(programs[round & 1], NULL, &e->error) ? e->error.code : ptowsp_synchronize(programs[round & 1], UINT64_MAX, &e->error);
		if (round < 5) {
			ptowsp_program_unload(programs[!(round & 1)]);
			programs[!(round & 1)] = NULL;
		}
	}
	ptowsp_program_unload(programs[0]);
	ptowsp_program_unload(programs[1]);
	ptowsp_backend_close(backend);
	ptowsp_plan_destroy(plan);
	ptowsp_package_close(package);
	return NULL;
}

static void two_threads(uint32_t isolate)
{
	static struct embedded sides[2];
	pthread_t threads[2];

	package_make();
	for (int i = 0; i < 2; i++) {
		sides[i] = (struct embedded){.error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)}, .isolate = isolate, .package = check_fmt("%s/e.pkg.zst", check_dir()), .dir = check_fmt("%s/test/checking", check_build())};
		REQUIRE_INT(pthread_create(&threads[i], NULL, embedded_run, &sides[i]), 0);
	}
	for (int i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		CHECK_STR(sides[i].error.text, "");
		CHECK_STR(sides[i].breach.text, "");
		CHECK_CONTAINS(sides[i].log, SAID_AT_THE_END);
	}
}

static void two_threads_with_two_programs_each_in_this_process(void)
{
	two_threads(PTOWSP_ISOLATE_NONE);
}

static void two_threads_with_two_programs_each_in_workers(void)
{
	two_threads(PTOWSP_ISOLATE_PROCESS);
}

/* ---- hosts that break one rule ------------------------------------------------------------------------------------------------ */

static struct {
	void *so;
	_Alignas(64) struct { struct ptowsp_workload_header header; struct ptowsp_instruction code[1]; } work;
	_Alignas(64) struct ptowsp_entry_record entry[2];
	_Alignas(64) unsigned char tensors[64];
	struct ptowsp_section sections[3];
	float data[16];
	struct ptowsp_binding binding;
	struct ptowsp_object *programs[2];
	ptowsp_status status;
	struct ptowsp_error error;
} bad;

static struct ptowsp_error *fresh(void)
{
	bad.error = (struct ptowsp_error){.head = PTOWSP_HEAD(bad.error, ERROR)};
	return &bad.error;
}

static void sections_make(void)
{
	bad.work.header = (struct ptowsp_workload_header){.magic = PTOWSP_WORKLOAD_MAGIC, .version = PTOWSP_WORKLOAD_VERSION, .num_instructions = 1};
	bad.work.code[0] = (struct ptowsp_instruction){.opcode = PTOWSP_OP_HALT};
	bad.sections[0] = (struct ptowsp_section){PTOWSP_SECTION_WORK, 1, sizeof(bad.work.header) + sizeof(bad.work.code), &bad.work};
	bad.sections[1] = (struct ptowsp_section){PTOWSP_SECTION_ENTR, sizeof(bad.entry[0]), 1, bad.entry};
	bad.sections[2] = (struct ptowsp_section){PTOWSP_SECTION_TENS, sizeof(bad.tensors), 1, bad.tensors};
	bad.binding = (struct ptowsp_binding){.data = bad.data, .elements = 16, .extents = {16}, .rank = 1, .dtype = PTOWSP_F32};
}

static struct ptowsp_load_args load_args(void)
{
	return (struct ptowsp_load_args){.head = PTOWSP_HEAD(struct ptowsp_load_args, LOAD_ARGS), .sections = bad.sections, .section_count = 3,
					 .section_stride = sizeof(bad.sections[0])};
}

static struct ptowsp_run_args run_args(uint64_t token)
{
	return (struct ptowsp_run_args){.head = PTOWSP_HEAD(struct ptowsp_run_args, RUN_ARGS), .program = bad.programs[0], .token = token, .bindings = &bad.binding,
					.binding_count = 1, .binding_stride = sizeof(bad.binding)};
}

static ptowsp_status load(int i)
{
	const struct ptowsp_load_args args = load_args();

	return fake.ops->load(fake.device, &args, &bad.programs[i], fresh());
}

static ptowsp_status submit(uint64_t token)
{
	const struct ptowsp_run_args args = run_args(token);

	return fake.ops->submit(fake.device, &args, fresh());
}

static ptowsp_status poll(void)
{
	return fake.ops->poll(fake.device, fake_now(NULL) + 1000000, fresh());
}

/* The services of fake_host.c, and the checking plugin instead of cpu_sim. */
static void plugin_take(void)
{
	const struct ptowsp_plugin *(*entry)(uint32_t);

	fake_reset();
	memset(&bad, 0, sizeof(bad));
	bad.so = dlopen(check_fmt("%s/test/checking/libptowsp_checking.so", check_build()), RTLD_NOW | RTLD_LOCAL);
	REQUIRE(bad.so != NULL);
	*(void **)&entry = dlsym(bad.so, PTOWSP_ENTRY_NAME);
	REQUIRE(entry != NULL);
	fake.ops = entry(0)->ops;
	sections_make();
}

/* Up to a program that runs without a breach. */
static void good_life(const char *hold)
{
	REQUIRE_INT(fake_init(hold ? "hold" : NULL, hold, fresh()), 0);
	REQUIRE_INT(fake_open(1, fresh()), 0);
	REQUIRE_INT(load(0), 0);
	REQUIRE_INT(submit(7), 0);
	REQUIRE_INT(poll(), 0);
	REQUIRE_INT(fake.done_count, 1);
}

static void end_life(void)
{
	for (int i = 0; i < 2; i++)
		if (bad.programs[i])
			fake.ops->unload(bad.programs[i], NULL);
	if (fake.device)
		fake.ops->close(fake.device, NULL);
	if (fake.instance)
		fake.ops->fini(fake.instance, NULL);
	fake.program = fake.device = fake.instance = NULL;
	dlclose(bad.so);
}


static void an_args_head_too_small(void)
{
	struct ptowsp_load_args args = load_args();

	args.head.size -= 8;
	bad.status = fake.ops->load(fake.device, &args, &bad.programs[1], fresh());
}

static void an_args_head_of_another_type(void)
{
	struct ptowsp_run_args args = run_args(8);

	args.head.type = PTOWSP_STRUCT_LOAD_ARGS;
	bad.status = fake.ops->submit(fake.device, &args, fresh());
}

static void longer_args_with_a_tail(void)
{
	struct { struct ptowsp_run_args known; uint64_t later; } args = {run_args(8), 1};

	args.known.head.size = sizeof(args);
	bad.status = fake.ops->submit(fake.device, &args.known, fresh());
}

static void an_unknown_flag(void)
{
	struct ptowsp_load_args args = load_args();

	args.flags = 1u << 30;
	bad.status = fake.ops->load(fake.device, &args, &bad.programs[1], fresh());
}

static void a_later_operation(void)
{
	ptowsp_status (*const *later)(void) = (void *)((char *)(uintptr_t)fake.ops + PTOWSP_OPS_FLOOR_10_0);

	CHECK(fake.ops->head.size > PTOWSP_OPS_FLOOR_10_0);
	CHECK_INT(later[3](), PTOWSP_INVALID);
	bad.status = submit(8); /* what follows is told */
}

static void an_error_record_without_a_head(void)
{
	struct ptowsp_error none = {.head = {.size = 0}};

	CHECK_INT(fake.ops->devices(fake.instance, NULL, &(uint32_t){0}, &none), PTOWSP_INVALID);
	CHECK_STR(none.text, "");
	bad.status = submit(8);
}

static void a_result_too_small(void)
{
	struct ptowsp_run_stats stats = {.head = {64, PTOWSP_STRUCT_RUN_STATS, 0}};

	bad.status = fake.ops->stats(bad.programs[0], &stats, fresh());
}

static ptowsp_status file_and_devices(void *context, const char *path, const void *bytes, uint64_t size)
{
	(void)context, (void)path, (void)bytes, (void)size;
	bad.status = fake.ops->devices(fake.instance, NULL, &(uint32_t){0}, fresh());
	return PTOWSP_OK;
}

static void two_main_calls(void)
{
	const struct ptowsp_artifact_extension *x = fake.ops->extension(fake.instance, PTOWSP_EXTENSION_ARTIFACT);
	const struct ptowsp_load_args args = load_args();

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
	struct ptowsp_run_args args = run_args(token);

	args.deadline_ns = fake_now(NULL) + 300000000;
	REQUIRE_INT(fake.ops->submit(fake.device, &args, fresh()), 0);
}

static void two_device_calls(void)
{
	pthread_t thread;

	submit_held(8);
	REQUIRE_INT(pthread_create(&thread, NULL, poll_long, NULL), 0);
	for (int i = 0; i < 100 && !bad.status; i++) {
		check_run("sleep 0.01", NULL, NULL);
		bad.status = fake.ops->poll(fake.device, 0, fresh());
	}
	pthread_join(thread, NULL);
	CHECK_INT(fake.done_count, 2);
}

static void a_sink_during_a_run(void)
{
	const struct ptowsp_trace_extension *x = fake.ops->extension(fake.instance, PTOWSP_EXTENSION_TRACE);

	REQUIRE(x != NULL);
	CHECK_INT(submit(8), 0);
	bad.status = x->attach(bad.programs[0], NULL, NULL, fresh());
	fake.ops->poll(fake.device, 0, NULL);
}

static void a_call_after_fini(void)
{
	struct ptowsp_object *gone = fake.instance;

	CHECK_INT(fake.ops->unload(bad.programs[0], NULL) | fake.ops->close(fake.device, NULL) | fake.ops->fini(gone, NULL), 0);
	bad.status = fake.ops->devices(gone, NULL, &(uint32_t){0}, fresh());
	bad.programs[0] = fake.device = fake.instance = NULL;
}

static void a_poll_after_fini(void)
{
	struct ptowsp_object *gone = fake.device;

	CHECK_INT(fake.ops->unload(bad.programs[0], NULL) | fake.ops->close(gone, NULL) | fake.ops->fini(fake.instance, NULL), 0);
	bad.status = fake.ops->poll(gone, 0, fresh());
	bad.programs[0] = fake.device = fake.instance = NULL;
}

static void a_closed_device(void)
{
	struct ptowsp_object *gone = fake.device;

	CHECK_INT(fake.ops->unload(bad.programs[0], NULL) | fake.ops->close(gone, NULL), 0);
	bad.programs[0] = fake.device = NULL;
	bad.status = fake.ops->poll(gone, 0, fresh());
}

static void an_unloaded_program(void)
{
	CHECK_INT(fake.ops->unload(bad.programs[0], NULL), 0);
	bad.status = submit(8);
	bad.programs[0] = NULL;
}

static void a_fini_with_a_device(void)
{
	bad.status = fake.ops->fini(fake.instance, fresh());
	bad.programs[0] = fake.device = fake.instance = NULL;
}

static void a_close_with_a_program(void)
{
	bad.status = fake.ops->close(fake.device, fresh());
	bad.programs[0] = fake.device = NULL;
}

static void an_unload_during_a_run(void)
{
	CHECK_INT(submit(8), 0);
	bad.status = fake.ops->unload(bad.programs[0], fresh());
	fake.ops->poll(fake.device, 0, NULL);
}

static void a_section_changed_before_submit(void)
{
	bad.entry[0].name = 77;
	bad.status = submit(8);
}

static void a_section_changed_during_a_run(void)
{
	CHECK_INT(submit(8), 0);
	bad.work.header.num_axes = 1;
	bad.status = poll();
}

static void a_binding_changed_during_a_run(void)
{
	CHECK_INT(submit(8), 0);
	bad.data[15] = 1;
	bad.status = poll();
}

static void another_table_of_services(void)
{
	fake.host.flags = 1;
	bad.status = poll();
	fake.host.flags = 0;
}

static void a_token_in_flight(void)
{
	CHECK_INT(submit(8), 0);
	bad.status = submit(8);
	fake.ops->poll(fake.device, 0, NULL);
}

static void a_token_again(void)
{
	bad.status = submit(7); /* that of good_life */
}

static void a_time_of_next_year(void)
{
	bad.status = fake.ops->poll(fake.device, fake_now(NULL) + UINT64_C(31536000000000000), fresh());
}

static void a_section_out_of_line(void)
{
	struct ptowsp_load_args args = load_args();

	bad.sections[1].data = (char *)bad.entry + 8;
	bad.status = fake.ops->load(fake.device, &args, &bad.programs[1], fresh());
}

static void a_binding_of_no_tensor(void)
{
	bad.binding.tensor = 1;
	bad.status = submit(8);
}

static void values_of_no_slot(void)
{
	struct ptowsp_run_args args = run_args(8);

	args.values = (const uint64_t[]){1};
	args.value_count = 1;
	bad.status = fake.ops->submit(fake.device, &args, fresh());
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
	bad.status = fake_init(NULL, NULL, fresh());
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
	bad.status = fake_init(NULL, NULL, fresh());
}

static const struct breach {
	const char *name, *hold, *sentence;
	void (*break_it)(void);
} breaches[] = {
#define X(name, hold, sentence) {#name, hold, sentence, name}
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
	plugin_take();
	good_life(b->hold);
	b->break_it();
	CHECK_INT(bad.status, PTOWSP_INVALID);
	CHECK_INT(bad.error.code, PTOWSP_INVALID);
	CHECK_INT(bad.error.flags, PTOWSP_ERROR_HOST_BUG);
	CHECK_CONTAINS(bad.error.text, b->sentence);
	end_life();
}

static void a_good_life_is_not_blamed(void)
{
	plugin_take();
	good_life(NULL);
	CHECK_INT(load(1), 0);
	CHECK_INT(submit(8), 0);
	CHECK_INT(poll(), 0);
	CHECK_INT(fake.ops->cancel(fake.device, 8, fresh()), 0);
	CHECK_INT(fake.done_count, 2);
	end_life();
	CHECK(!strstr(fake.log, "host bug"));
	CHECK_CONTAINS(fake.log, SAID_AT_THE_END);
	CHECK_INT(fake.bytes, 0);
}

void suite_checking(CU_pSuite s)
{
	static const char *const isolates[] = {"none", "process", "sandbox"};

	for (size_t i = 0; i < PATHS; i++)
		for (size_t k = 0; k < 3; k++)
			check_add(s, check_fmt("%s_in_%s", paths[i][0], isolates[k]), a_path);
	TEST(s, two_threads_with_two_programs_each_in_this_process);
	TEST(s, two_threads_with_two_programs_each_in_workers);
	TEST(s, a_good_life_is_not_blamed);
	for (size_t i = 0; i < BREACHES; i++)
		check_add(s, check_fmt("named_%s", breaches[i].name), named);
}
