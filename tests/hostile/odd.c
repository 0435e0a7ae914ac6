/* SPDX-License-Identifier: MIT */
/* odd.c - the template with one obligation of abi/README.md broken at a time, by -DWRONG=NAME of the list below: what a backend gets wrong that crashes nobody at once.
 * odd.ninja builds one plugin of each, verdicts.def has what is said of them. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ptowsp/note.h"

enum wrong {
	IMPORTS_FORK,
	ENTRY_CHANGES,
	DEVICE_SHORT,
	WITHOUT_SUBMIT,
	DEVICE_WITHOUT_UNITS,
	DEFAULT_OUT_OF_RANGE,
	STRIDE_OF_ITS_OWN,
	ROW_TWICE,
	REFUSES_LATER_HOSTS,
	TAKES_SHORT_ARGUMENTS,
	SECTIONS_OF_ITS_OWN_STRIDE,
	TAKES_ANY_OPTION,
	NEEDS_AN_ERROR_RECORD,
	LOADS_NOTHING,
	NEEDS_EVERY_SECTION,
	TIRES,
	CANCELS_STRANGERS,
	CANCELS_WHAT_IS_OVER,
	DRAINS_NOTHING,
	LIVES_ONCE,
	ONE_END_FOR_ALL,
	THREAD_HEARS_SIGNALS,
	ALLOCATES_IN_HOPE,
	FORKS_BADLY,
	STATS_NOT_WHILE_IT_RUNS,
	BOUND_TO_A_THREAD
};

static int is(enum wrong which)
{
	return which == WRONG;
}

/* A note with a flag, in the place of the template's. */
#ifdef FORK_SAFE
PTOWSP_NOTE(1, "null", "example", "1.0.0", "null");
#undef PTOWSP_NOTE
#define PTOWSP_NOTE(...) extern int odd_note_elsewhere
#define PLUGIN_FLAGS     PTOWSP_PLUGIN_FORK_SAFE
#else
#define PLUGIN_FLAGS 0
#endif

/* Its operations are called from here; its entry is another one. */
#define ptowsp_plugin_v10 ptowsp_plugin_of_the_template
#include "abi/template/plugin.c"
#undef ptowsp_plugin_v10

static volatile uintptr_t nowhere = 64; /* an address that no compiler knows */
static const struct ptowsp_host *host_of;
static pthread_t own_thread, opener;
static volatile int running, ended, lives, runs, stop;
static pid_t home;

static void *wait_for_stop(void *unused)
{
	while (!stop)
		usleep(1000);
	return unused;
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static ptowsp_status later_refused(const struct ptowsp_head *head, uint32_t known, struct ptowsp_error *error)
{
	return is(REFUSES_LATER_HOSTS) && head->size > known ? fail(error, PTOWSP_INVALID, "an argument is longer than this plugin's") : PTOWSP_OK;
}

/* Where the template fills a record that may be absent. */
static void record_need(struct ptowsp_error *error, ptowsp_status status)
{
	if (is(NEEDS_AN_ERROR_RECORD) && status)
		*(volatile int32_t *)&error->code = status;
}

static ptowsp_status odd_init(const struct ptowsp_host *host, const struct ptowsp_init_args *args, struct ptowsp_object **out, struct ptowsp_error *error)
{
	struct ptowsp_init_args own = {PTOWSP_HEAD(struct ptowsp_init_args, INIT_ARGS), NULL, 0, 0};
	ptowsp_status status = later_refused(&args->head, sizeof(*args), error);

	host_of = host;
	home = home ? home : getpid();
	if (is(IMPORTS_FORK) && nowhere == 65)
		fork();
	if (is(LIVES_ONCE) && lives++)
		return fail(error, PTOWSP_INVALID, "this plugin was started before");
	if ((is(TAKES_SHORT_ARGUMENTS) && args->head.size < PTOWSP_INIT_ARGS_FLOOR_10_0) || (is(TAKES_ANY_OPTION) && args->head.size == sizeof(*args)))
		args = &own;
	status = status ? status : null_init(host, args, out, error);
	record_need(error, status);
	return status;
}

static ptowsp_status odd_fini(struct ptowsp_object *instance, struct ptowsp_error *error)
{
	ended = 1;
	return null_fini(instance, error);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static ptowsp_status odd_devices(struct ptowsp_object *instance, const struct ptowsp_device **out, uint32_t *count, struct ptowsp_error *error)
{
	static struct ptowsp_device odd;
	ptowsp_status status = null_devices(instance, out, count, error);

	if (status || !(is(DEVICE_SHORT) || is(DEVICE_WITHOUT_UNITS)))
		return status;
	odd = device_model;
	if (is(DEVICE_SHORT))
		odd.head.size = 16;
	else
		odd.unit_count = 0;
	out[0] = &odd;
	return status;
}

static ptowsp_status odd_options(const struct ptowsp_option **out, uint32_t *count, struct ptowsp_error *error)
{
	static const struct ptowsp_option level = {PTOWSP_HEAD(struct ptowsp_option, OPTION), "level", "int", "9", "0..3", "how much it tries"};
	const uint32_t room = *count, have = is(DEFAULT_OUT_OF_RANGE);

	*count = have;
	if (room < have)
		return fail(error, PTOWSP_MORE, "there is an option");
	if (have)
		out[0] = &level;
	return PTOWSP_OK;
}

static ptowsp_status odd_capabilities(struct ptowsp_object *instance, const char *device, struct ptowsp_cap *out, uint32_t stride, uint32_t *count,
				      struct ptowsp_error *error)
{
	ptowsp_status status = null_capabilities(instance, device, out, is(STRIDE_OF_ITS_OWN) ? sizeof(*out) : stride, count, error);

	if (is(ROW_TWICE) && !status)
		memcpy((char *)out + stride, out, sizeof(*out));
	return status;
}

/* ---- devices ----------------------------------------------------------------------------------------------------- */

static ptowsp_status odd_open(struct ptowsp_object *instance, const struct ptowsp_open_args *args, struct ptowsp_object **out, struct ptowsp_error *error)
{
	ptowsp_status status = later_refused(&args->head, sizeof(*args), error);

	if (is(FORKS_BADLY) && getpid() != home)
		return fail(error, PTOWSP_DEVICE_LOST, "the device belongs to another process");
	opener = pthread_self();
	stop = 0;
	if (is(ALLOCATES_IN_HOPE)) {
		char *notes = (char *)host_of->alloc(host_of->context, 100, 8);

		notes[(int)nowhere] = 1;
		host_of->release(host_of->context, notes, 100);
	}
	status = status ? status : null_open(instance, args, out, error);
	if (!status && is(THREAD_HEARS_SIGNALS) && pthread_create(&own_thread, NULL, wait_for_stop, NULL))
		abort();
	record_need(error, status);
	return status;
}

static ptowsp_status odd_close(struct ptowsp_object *device, struct ptowsp_error *error)
{
	stop = 1;
	if (is(THREAD_HEARS_SIGNALS))
		pthread_join(own_thread, NULL);
	return null_close(device, error);
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

static ptowsp_status odd_load(struct ptowsp_object *device, const struct ptowsp_load_args *args, struct ptowsp_object **out, struct ptowsp_error *error)
{
	struct ptowsp_load_args own = *args;
	ptowsp_status status = later_refused(&args->head, sizeof(*args), error);

	own.section_stride = is(SECTIONS_OF_ITS_OWN_STRIDE) ? (uint32_t)sizeof(*own.sections) : own.section_stride;
	if (is(LOADS_NOTHING))
		return *out = NULL, PTOWSP_OK;
	if (is(NEEDS_EVERY_SECTION) && *(const char *)section_find(args, PTOWSP_SECTION_ENTR)->data == 127)
		return fail(error, PTOWSP_UNSUPPORTED, "an entry with a strange name");
	if (is(BOUND_TO_A_THREAD) && !pthread_equal(opener, pthread_self()))
		return fail(error, PTOWSP_INVALID, "the device was opened on another thread");
	status = status ? status : null_load(device, is(SECTIONS_OF_ITS_OWN_STRIDE) ? &own : args, out, error);
	record_need(error, status);
	return status;
}

static ptowsp_status odd_submit(struct ptowsp_object *device, const struct ptowsp_run_args *args, struct ptowsp_error *error)
{
	ptowsp_status status = later_refused(&args->head, sizeof(*args), error);

	if (is(TIRES) && ++runs > 100)
		return fail(error, PTOWSP_LIMIT, "a hundred runs are enough");
	if (is(ONE_END_FOR_ALL) && ended)
		return fail(error, PTOWSP_DEVICE_LOST, "this plugin was ended");
	status = status ? status : null_submit(device, args, error);
	running = !status;
	record_need(error, status);
	return status;
}

static ptowsp_status odd_cancel(struct ptowsp_object *object, uint64_t token, struct ptowsp_error *error)
{
	struct device *device = (struct device *)object;
	struct ptowsp_run_stats stats;
	struct ptowsp_done done;

	(void)error;
	if (!(is(CANCELS_STRANGERS) && token != device->token) && !(is(CANCELS_WHAT_IS_OVER) && token == device->token && !device->pending))
		return PTOWSP_OK;
	stats_fill(&stats);
	memset(&done, 0, sizeof(done));
	done.head.size = sizeof(done);
	done.head.type = PTOWSP_STRUCT_DONE;
	done.token = token;
	done.stats = &stats;
	host_of->done(host_of->context, &done);
	return PTOWSP_OK;
}

static ptowsp_status odd_poll(struct ptowsp_object *device, uint64_t until_ns, struct ptowsp_error *error)
{
	if (is(STATS_NOT_WHILE_IT_RUNS) && running)
		usleep(2000);
	running = 0;
	return null_poll(device, until_ns, error);
}

static ptowsp_status odd_drain(struct ptowsp_object *device, uint64_t until_ns, struct ptowsp_error *error)
{
	return is(DRAINS_NOTHING) ? PTOWSP_OK : odd_poll(device, until_ns, error);
}

static ptowsp_status odd_stats(struct ptowsp_object *program, struct ptowsp_run_stats *out, struct ptowsp_error *error)
{
	if (is(STATS_NOT_WHILE_IT_RUNS) && running)
		return fail(error, PTOWSP_INVALID, "a run is going on");
	return null_stats(program, out, error);
}

static const struct ptowsp_ops odd_ops = {
	PTOWSP_HEAD(struct ptowsp_ops, OPS),
	odd_init,
	odd_fini,
	NULL,
	odd_devices,
	odd_options,
	odd_capabilities,
	odd_open,
	odd_close,
	odd_load,
	null_unload,
	WRONG == WITHOUT_SUBMIT ? NULL : odd_submit,
	odd_cancel,
	odd_poll,
	odd_drain,
	odd_stats,
};

PTOWSP_EXPORT const struct ptowsp_plugin *ptowsp_plugin_v10(uint32_t host_minor);
PTOWSP_EXPORT const struct ptowsp_plugin *ptowsp_plugin_v10(uint32_t host_minor)
{
	static unsigned calls;
	static const struct ptowsp_plugin two[2] = {
		{PTOWSP_HEAD(struct ptowsp_plugin, PLUGIN), PTOWSP_ABI_MAJOR, PTOWSP_ABI_TARGET, PLUGIN_FLAGS, NAME, VENDOR, VERSION, TARGETS, &odd_ops, NULL},
		{PTOWSP_HEAD(struct ptowsp_plugin, PLUGIN), PTOWSP_ABI_MAJOR, PTOWSP_ABI_TARGET, PLUGIN_FLAGS, NAME, VENDOR, VERSION, TARGETS, &odd_ops, NULL},
	};

	(void)ptowsp_plugin_of_the_template;
	(void)host_minor;
	return &two[is(ENTRY_CHANGES) && ++calls % 2];
}
