/* SPDX-License-Identifier: MIT */
/* test_layers.c - the checking layers between a caller and a plugin that is a few functions here: each breach of either side is named, and no other. */
#include "tests/check.h"

#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "host/call/loan.h"
#include "host/find/normalise.h"
#include "host/host_error.h"
#include "host/layers/layers.h"
#include "host/run/runs.h"

/* ---- a plugin ---- */

static enum {
	HONEST,
	SILENT,
	POSITIVE,
	NULL_OBJECT,
	BEYOND,
	ROUNDING,
	EARLY_DONE,
	TWICE,
	NO_STATS,
	ERROR_WITH_OK,
	REFUSES_AND_COMPLETES,
	COUNT_LIES,
	BAD_DEVICE,
	OWN_THREAD,
	FIND_NULL,
	SLOW,
	LATE,
	LEAVES_RUNS,
	WRITES_ERROR,
	SHORT_TABLE,
	BLANK,
	NONE_SUCH
} mode;
static const struct ptowsp_host *services;
static uint64_t token;
static _Atomic int inside, let_go;
static int objects[3];
static const struct ptowsp_init_args *kept; /* a pointer that was lent */

static void complete(void)
{
	struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(struct ptowsp_run_stats, RUN_STATS)};
	struct ptowsp_error why = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR), .text = "why"};
	struct ptowsp_done done = {.head = PTOWSP_HEAD(struct ptowsp_done, DONE),
				   .token = token,
				   .stats = mode == NO_STATS ? NULL : &stats,
				   .error = mode == ERROR_WITH_OK ? &why : NULL};

	services->done(services->context, &done);
}

static ptowsp_status init(const struct ptowsp_host *host, const struct ptowsp_init_args *args, struct ptowsp_object **out, struct ptowsp_error *error)
{
	services = host;
	kept = args;
	if (mode == SILENT)
		return PTOWSP_INVALID;
	if (mode == POSITIVE)
		return 1;
	if (mode == NONE_SUCH)
		return -4711;
	if (mode == BLANK) {
		memset(error->text, '\n', sizeof(error->text));
		return PTOWSP_UNSUPPORTED;
	}
	if (mode == ROUNDING)
		fesetround(FE_UPWARD);
	if (mode == WRITES_ERROR)
		host_fail(error, PTOWSP_INVALID, "all is well");
	*out = mode == NULL_OBJECT ? NULL : (struct ptowsp_object *)&objects[0];
	return PTOWSP_OK;
}
static ptowsp_status end(struct ptowsp_object *object, struct ptowsp_error *error)
{
	(void)object, (void)error;
	return PTOWSP_OK;
}
static ptowsp_status devices(struct ptowsp_object *instance, const struct ptowsp_device **out, uint32_t *count, struct ptowsp_error *error)
{
	static const struct ptowsp_device good = {.head = PTOWSP_HEAD(struct ptowsp_device, DEVICE), .name = "d"},
					  bad = {.head = {8, PTOWSP_STRUCT_DEVICE, 0}, .name = "d"};
	const uint32_t room = *count;

	(void)instance;
	*count = mode == COUNT_LIES ? 2 : 1;
	if (mode == COUNT_LIES)
		return PTOWSP_OK;
	if (room < 1)
		return host_fail(error, PTOWSP_MORE, "one device");
	out[0] = mode == BAD_DEVICE ? &bad : &good;
	if (mode == BEYOND)
		out[1] = &good;
	return PTOWSP_OK;
}
static ptowsp_status device_open(struct ptowsp_object *instance, const struct ptowsp_open_args *args, struct ptowsp_object **out, struct ptowsp_error *error)
{
	(void)instance, (void)args, (void)error;
	*out = (struct ptowsp_object *)&objects[1];
	return PTOWSP_OK;
}
static void *find(void *context)
{
	const struct ptowsp_kernels_extension *x = services->extension(services->context, PTOWSP_EXTENSION_KERNELS);
	struct ptowsp_kernel_ref ref;

	(void)context;
	x->find(services->context, mode == FIND_NULL ? NULL : "k", "", NULL, &ref, NULL);
	return NULL;
}
static ptowsp_status load(struct ptowsp_object *device, const struct ptowsp_load_args *args, struct ptowsp_object **out, struct ptowsp_error *error)
{
	pthread_t thread;

	(void)device, (void)args, (void)error;
	if (mode == OWN_THREAD && !pthread_create(&thread, NULL, find, NULL))
		pthread_join(thread, NULL);
	else
		find(NULL);
	*out = (struct ptowsp_object *)&objects[2];
	return PTOWSP_OK;
}
static ptowsp_status submit(struct ptowsp_object *device, const struct ptowsp_run_args *args, struct ptowsp_error *error)
{
	(void)device;
	token = args->token;
	if (mode == EARLY_DONE || mode == REFUSES_AND_COMPLETES)
		complete();
	return mode == REFUSES_AND_COMPLETES ? host_fail(error, PTOWSP_AGAIN, "full") : PTOWSP_OK;
}
static ptowsp_status poll(struct ptowsp_object *device, uint64_t until_ns, struct ptowsp_error *error)
{
	(void)device, (void)until_ns, (void)error;
	if (mode == SLOW) {
		atomic_store(&inside, 1);
		while (!atomic_load(&let_go))
			;
		return PTOWSP_OK;
	}
	if (mode == EARLY_DONE || mode == LATE || mode == LEAVES_RUNS)
		return PTOWSP_OK;
	complete();
	if (mode == TWICE)
		complete();
	return PTOWSP_OK;
}
static ptowsp_status drain(struct ptowsp_object *device, uint64_t until_ns, struct ptowsp_error *error)
{
	(void)device, (void)until_ns, (void)error;
	return PTOWSP_OK;
}
static const void *extension(struct ptowsp_object *object, const char *id)
{
	static const struct ptowsp_head small = {8, PTOWSP_STRUCT_EXTENSION, 0};

	(void)object;
	return mode == SHORT_TABLE && !strcmp(id, PTOWSP_EXTENSION_TRACE) ? &small : NULL;
}
static const struct ptowsp_ops ops = {.head = PTOWSP_HEAD(struct ptowsp_ops, OPS),
				      .init = init,
				      .fini = end,
				      .devices = devices,
				      .open = device_open,
				      .close = end,
				      .load = load,
				      .unload = end,
				      .submit = submit,
				      .poll = poll,
				      .drain = drain,
				      .extension = extension};

/* ---- a host ---- */

static struct host_caller caller;
static struct host_breaches breaches;
static unsigned completions;
static struct ptowsp_error error;

static void told(void *context, const struct ptowsp_done *done)
{
	(void)context, (void)done;
	completions++;
}
static ptowsp_status found(void *context, const char *name, const char *signature, const void *native, struct ptowsp_kernel_ref *out, struct ptowsp_error *why)
{
	(void)context, (void)name, (void)signature, (void)native, (void)out;
	return host_fail(why, PTOWSP_NOT_FOUND, "none");
}
static const void *table(void *context, const char *id)
{
	static const struct ptowsp_kernels_extension kernels = {PTOWSP_HEAD(struct ptowsp_kernels_extension, EXTENSION), found};

	(void)context;
	return strcmp(id, PTOWSP_EXTENSION_KERNELS) ? NULL : &kernels;
}
static const struct ptowsp_host own = {.head = PTOWSP_HEAD(struct ptowsp_host, HOST), .major = 10, .done = told, .extension = table};

static struct ptowsp_object *instance, *device, *program;
static struct ptowsp_open_args open_args = {.head = PTOWSP_HEAD(struct ptowsp_open_args, OPEN_ARGS)};
static struct ptowsp_load_args load_args = {.head = PTOWSP_HEAD(struct ptowsp_load_args, LOAD_ARGS)};

static void begin(int how, const char *layers)
{
	static struct ptowsp_ops normal;
	static const struct ptowsp_setting settings[] = {{"key", "value"}};
	const struct ptowsp_init_args args = {PTOWSP_HEAD(struct ptowsp_init_args, INIT_ARGS), settings, 1, sizeof(*settings)};

	mode = how;
	completions = 0;
	instance = device = program = NULL;
	error = (struct ptowsp_error){.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	host_ops_normalise(&normal, &ops, 0);
	host_caller_init(&caller, &normal);
	host_breaches_init(&breaches, "fake", NULL, NULL);
	REQUIRE_INT(host_layers_create(&caller, layers, &breaches, &error), PTOWSP_OK);
	host_call_init(&caller, host_caller_services(&caller, &own), &args, &instance, &error);
}

static void live(void)
{
	const struct ptowsp_device *rows[1];
	struct ptowsp_run_args run = {.head = PTOWSP_HEAD(struct ptowsp_run_args, RUN_ARGS), .token = 7};
	uint32_t count = 1;

	host_call_devices(&caller, instance, rows, &count, &error);
	host_call_open(&caller, instance, &open_args, &device, &error);
	host_call_load(&caller, device, &load_args, &program, &error);
	run.program = program;
	run.deadline_ns = mode == LATE ? 1 : 0;
	host_call_extension(&caller, instance, PTOWSP_EXTENSION_TRACE);
	host_call_submit(&caller, device, &run, &error);
	if (mode != REFUSES_AND_COMPLETES)
		host_call_poll(&caller, device, UINT64_MAX, &error);
	host_call_drain(&caller, device, UINT64_MAX, &error);
}

static void end_life(void)
{
	host_call_unload(&caller, program, &error);
	host_call_close(&caller, device, &error);
	host_call_fini(&caller, instance, &error);
}

static void finish(void)
{
	host_caller_finish(&caller);
	host_breaches_finish(&breaches);
	fesetround(FE_TONEAREST);
}

TEST(an_honest_plugin_and_host_break_nothing)
{
	begin(HONEST, "validate,threads");
	live();
	end_life();
	CHECK_INT(completions, 1);
	CHECK_STR(breaches.first, "");
	CHECK_INT(host_breaches_verdict(&breaches, &error), PTOWSP_OK);
	finish();
}

/* Whatever a plugin answers, callers have a status of status.def, and with every failure its sentence. */
TEST(answers_that_are_none_do_not_reach_the_caller)
{
	static const struct {
		int mode;
		ptowsp_status status;
		const char *sentence;
	} rows[] = {{SILENT, PTOWSP_INVALID, "the plugin: init failed and did not say why"},
		    {BLANK, PTOWSP_UNSUPPORTED, "the plugin: init failed and did not say why"},
		    {POSITIVE, PTOWSP_PLUGIN_REFUSED, "the plugin answered init with the status 1; one is 0 or negative"},
		    {NONE_SUCH, PTOWSP_PLUGIN_REFUSED, "the plugin answered init with the status -4711, which is none"},
		    {NULL_OBJECT, PTOWSP_PLUGIN_REFUSED, "the plugin answered init with OK and no object"}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		begin(rows[i].mode, "threads");
		CHECK_INT(error.code, rows[i].status);
		CHECK_STR(error.text, rows[i].sentence);
		finish();
	}
}

static const struct {
	const char *name;
	int mode;
	const char *sentence;
} plugins[] = {
	{"an_error_without_a_sentence", SILENT, "plugin fake broke PL6 in init"},
	{"a_positive_status", POSITIVE, "plugin fake broke PL6 in init"},
	{"an_object_that_is_null", NULL_OBJECT, "plugin fake broke its result in init"},
	{"a_write_behind_a_result", BEYOND, "plugin fake broke PL3 in devices: it wrote behind"},
	{"another_rounding_mode", ROUNDING, "plugin fake broke PL8 in init"},
	{"done_inside_of_submit", EARLY_DONE, "plugin fake broke PL5 in done: done is called from inside submit"},
	{"done_twice", TWICE, "plugin fake broke PL5 in done: the token is not in flight"},
	{"done_of_a_refused_run", REFUSES_AND_COMPLETES, "plugin fake broke PL5 in"},
	{"done_without_statistics", NO_STATS, "plugin fake broke PL5 in done: stats is NULL"},
	{"an_error_of_a_good_run", ERROR_WITH_OK, "plugin fake broke PL6 in done"},
	{"a_count_that_does_not_fit", COUNT_LIES, "plugin fake broke PL3 in devices: the count"},
	{"a_table_below_its_floor", BAD_DEVICE, "plugin fake broke PL3 in devices: device.head"},
	{"a_main_service_on_a_thread_of_its_own", OWN_THREAD, "plugin fake broke its thread tag in kernels_find"},
	{"a_run_past_its_deadline", LATE, "plugin fake broke PL10 in poll: the run 0x7 is not completed a second after its deadline"},
	{"a_run_left_by_drain", LEAVES_RUNS, "plugin fake broke PL5 in drain: it returned 0, and the run 0x7 is not completed"},
	{"an_error_of_a_good_call", WRITES_ERROR, "plugin fake broke PL6 in init: the status is 0"},
	{"an_extension_below_its_floor", SHORT_TABLE, "plugin fake broke PL3 in extension: the extension's head says a size"},
	{"null_where_none_may_be", FIND_NULL, "plugin fake broke PL3 in kernels_find"},
};

static void a_plugin_is_named(void)
{
	unsigned i = 0;

	while (strcmp(check_name() + strlen("a_plugin_with_"), plugins[i].name))
		i++;
	begin(plugins[i].mode, "validate,threads");
	if (instance) {
		live();
		end_life();
	}
	CHECK_CONTAINS(breaches.first, plugins[i].sentence);
	if (*plugins[i].sentence) {
		CHECK_INT(host_breaches_verdict(&breaches, &error), PTOWSP_DEVICE_LOST);
		CHECK_INT(error.flags, PTOWSP_ERROR_PLUGIN_BUG);
	}
	if (plugins[i].mode == TWICE)
		CHECK_INT(completions, 1); /* the host did not hear of the second */
	finish();
}

/* ---- the host's side ---- */

TEST(a_host_that_uses_what_is_gone_is_named)
{
	begin(HONEST, "validate,threads");
	live();
	host_call_close(&caller, device, &error);
	CHECK_CONTAINS(breaches.first, "the host broke HO7 in close: the device has programs");
	CHECK_INT(host_breaches_verdict(&breaches, &error), PTOWSP_RUN_FAILED);
	finish();
	begin(HONEST, "validate");
	live();
	host_call_unload(&caller, program, &error);
	host_call_unload(&caller, program, &error);
	CHECK_CONTAINS(breaches.first, "the host broke HO1 in unload: a handle is no object that is alive");
	finish();
}

TEST(a_host_that_sends_what_nobody_knows_is_named)
{
	struct {
		struct ptowsp_open_args known;
		uint64_t later;
	} longer = {{.head = {sizeof(longer), PTOWSP_STRUCT_OPEN_ARGS, 0}}, 0};
	struct ptowsp_open_args args = open_args;

	begin(HONEST, "validate");
	CHECK_INT(host_call_open(&caller, instance, &longer.known, &device, &error), PTOWSP_OK);
	CHECK_STR(breaches.first, ""); /* zeros are nothing */
	finish();
	longer.later = 1;
	begin(HONEST, "validate");
	host_call_open(&caller, instance, &longer.known, &device, &error);
	CHECK_CONTAINS(breaches.first, "the host broke HO1 in open: open_args has bytes that are not zero");
	finish();
	args.reserved = 1;
	begin(HONEST, "validate");
	host_call_open(&caller, instance, &args, &device, &error);
	CHECK_CONTAINS(breaches.first, "open_args.reserved is not 0");
	finish();
}

static void *poll_too(void *context)
{
	(void)context;
	host_call_poll(&caller, device, UINT64_MAX, NULL);
	return NULL;
}

TEST(a_host_with_two_callers_of_a_device_is_named)
{
	pthread_t thread;

	begin(SLOW, "threads");
	host_call_open(&caller, instance, &open_args, &device, &error);
	atomic_store(&inside, 0);
	atomic_store(&let_go, 0);
	REQUIRE_INT(pthread_create(&thread, NULL, poll_too, NULL), 0);
	while (!atomic_load(&inside))
		;
	host_call_load(&caller, device, &load_args, &program, &error);
	CHECK_CONTAINS(breaches.first, "the host broke HO2 in load: another [device] operation");
	atomic_store(&let_go, 1);
	pthread_join(thread, NULL);
	finish();
}

/* ---- loans ---- */

TEST(what_is_lent_is_a_copy_of_all_of_it)
{
	const struct ptowsp_setting settings[] = {{"a", "b"}, {"c", "d"}};
	const struct ptowsp_init_args args = {PTOWSP_HEAD(struct ptowsp_init_args, INIT_ARGS), settings, 2, sizeof(*settings)};
	struct host_loan loan = {0};
	const struct ptowsp_init_args *lent = host_loan_struct(&loan, HOST_STRUCT_init_args, &args, 0);

	CHECK(lent != &args && lent->settings != settings && lent->settings[1].value != settings[1].value);
	CHECK_STR(lent->settings[1].key, "c");
	CHECK_STR(lent->settings[1].value, "d");
	CHECK(host_loan_settle(&loan));
	host_loan_finish(&loan);
}

TEST(sections_are_lent_for_longer)
{
	const struct ptowsp_section sections[] = {{.type = 1, .stride = 1}};
	struct ptowsp_load_args args = load_args;
	struct host_loan loan = {0};
	const struct ptowsp_load_args *lent;

	args.sections = sections;
	args.section_count = 1;
	args.section_stride = sizeof(*sections);
	lent = host_loan_struct(&loan, HOST_STRUCT_load_args, &args, 0);
	CHECK(lent != &args && lent->sections == sections);
	host_loan_finish(&loan);
}

TEST(what_was_lent_is_not_the_host_s_memory)
{
	begin(HONEST, "validate");
	CHECK(kept != NULL); /* and points to memory that is gone: only the address sanitizer may look */
	live();
	end_life();
	finish();
}

/* ---- faults ---- */

TEST(faults_follow_their_seed)
{
	char first[64] = "", again[64] = "";

	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 32; i++) {
			char *said = round ? again : first;

			begin(HONEST, check_fmt("fault:%d", i));
			said[i] = instance ? 'y' : 'n';
			finish();
		}
	CHECK_STR(again, first);
	CHECK(strchr(first, 'y') && strchr(first, 'n'));
}

TEST(texts_of_layers_are_checked)
{
	static const char *const wrong[] = {"valid", "validate,validate", "validate:1", "fault:x", "fault:18446744073709551616", "threads,,fault"};
	struct host_caller c;

	host_caller_init(&c, &ops);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		if (host_layers_create(&c, wrong[i], &breaches, &error) != PTOWSP_INVALID)
			CHECK_FAIL("\"%s\" is taken", wrong[i]);
	CHECK(host_layers_have("threads,validate", "validate") && !host_layers_have("threads", "validate") && !host_layers_have(NULL, "validate"));
	host_caller_finish(&c);
}

void suite_layers(CU_pSuite s)
{
	for (size_t i = 0; i < sizeof(plugins) / sizeof(*plugins); i++)
		check_add(s, check_fmt("a_plugin_with_%s", plugins[i].name), a_plugin_is_named);
}
