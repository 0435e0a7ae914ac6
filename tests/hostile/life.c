/* SPDX-License-Identifier: MIT */
/* life.c - the template's whole life with one wrong at a time, by -DWRONG=NAME of the list below; hostile.ninja builds one plugin of each, verdicts.def has what is
 * said of them. */
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

enum wrong {
	NOTHING,
	CRASH_INIT,
	CRASH_DEVICES,
	CRASH_CAPABILITIES,
	CRASH_OPEN,
	CRASH_LOAD,
	CRASH_SUBMIT,
	CRASH_POLL,
	CRASH_STATS,
	CRASH_UNLOAD,
	CRASH_CLOSE,
	CRASH_FINI,
	ABORT_LOAD,
	EXIT_LOAD,
	EXIT_BY_HANDLERS,
	LOOP_LOAD,
	LOOP_SUBMIT,
	DONE_TWICE,
	DONE_NEVER,
	DONE_STRANGER,
	DONE_REFUSED,
	DONE_INSIDE,
	DONE_WITHOUT_STATS,
	THREAD_LEFT,
	MEMORY_LEFT,
	MEMORY_TWICE,
	MEMORY_SIZE,
	ROOM_IGNORED,
	STATS_TOO_LONG,
	FIELDS_IGNORED,
	NO_SENTENCE,
	ERROR_WITHOUT_FAILURE,
	STATUS_POSITIVE,
	STATUS_UNKNOWN,
	PRINTS,
	CHANGES_FOLDER,
	CHANGES_ENVIRONMENT,
	CHANGES_MASK,
	CHANGES_LOCALE,
	CHANGES_HANDLER,
	CHANGES_ROUNDING,
	CHANGES_LIMIT,
	STARTS_TIMER,
	CLOSES_STDIN,
	KEEPS_ARGUMENTS,
	TRUSTS_BYTECODE,
	SLEEPS_IN_POLL,
	LIES,
	OPEN_WITHOUT_DEVICE,
	KNOWS_EVERY_EXTENSION,
	ENTRY_ALLOCATES,
	ENTRY_STARTS,
	CRASH_CONSTRUCTOR,
	CRASH_ENTRY,
	CRASH_OPTIONS,
	HANG_CONSTRUCTOR,
	HANG_ENTRY,
	HANG_INIT,
	HANG_OPTIONS,
	HANG_FINI,
	CUTS_TIES,
	LEAVES_SESSION
};
#ifndef WRONG
#define WRONG NOTHING
#endif

static int is(enum wrong which)
{
	return which == WRONG;
}

static volatile uintptr_t nowhere = 64; /* an address that no compiler knows */

static void crash(enum wrong where)
{
	if (is(where))
		*(volatile int *)(intptr_t)nowhere = 1;
}

static void hang(enum wrong where)
{
	while (is(where))
		pause();
}

__attribute__((constructor)) static void construct(void)
{
	crash(CRASH_CONSTRUCTOR);
	hang(HANG_CONSTRUCTOR);
}

/* Its operations are called from here; its entry is another one. */
#define ptowsp_plugin_v10 ptowsp_plugin_of_the_template
#include "abi/template/plugin.c"
#undef ptowsp_plugin_v10

static const struct ptowsp_host *host_of;
static const struct ptowsp_run_args *kept_args;
static void *volatile kept;

static void *sleep_for_ever(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static void limit_lower(void)
{
	struct rlimit files;

	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur--;
		setrlimit(RLIMIT_NOFILE, &files);
	}
}

/* Whatever would end this process with its host, taken back as far as a process can: every descriptor, the kernel's word, signals that ask. */
static void ties_cut(void)
{
	prctl(PR_SET_PDEATHSIG, 0L, 0L, 0L, 0L);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGIO, SIG_IGN);
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	hang(CUTS_TIES);
}

/* A process that nobody waits for, in no group of its parent's; where there may be none, it is as above. In the host's own process nobody ends the
 * one that is left: it ends by itself, later than any test looks for it. The host's own alarm stays its own. */
static void session_leave(void)
{
	const pid_t child = fork();

	if (!child && setsid() > 0 && fork())
		_exit(0);
	ties_cut();
	if (!child) {
		signal(SIGALRM, SIG_DFL);
		alarm(10);
	}
	hang(LEAVES_SESSION);
}

static void process_change(void)
{
	if (is(CUTS_TIES))
		ties_cut();
	if (is(LEAVES_SESSION))
		session_leave();
	if (is(PRINTS))
		fprintf(stderr, "hello from a plugin\n");
	if (is(CHANGES_FOLDER) && chdir("/"))
		abort();
	if (is(CHANGES_ENVIRONMENT))
		setenv("PTOWSP_HOSTILE", "1", 1);
	if (is(CHANGES_MASK))
		umask(0);
	if (is(CHANGES_LOCALE))
		setlocale(LC_ALL, "C.UTF-8");
	if (is(CHANGES_HANDLER))
		signal(SIGUSR2, SIG_IGN);
	if (is(CHANGES_ROUNDING))
		fesetround(FE_UPWARD);
	if (is(CHANGES_LIMIT))
		limit_lower();
	if (is(STARTS_TIMER))
		setitimer(ITIMER_VIRTUAL, &(struct itimerval){.it_value = {1000000, 0}}, NULL);
	if (is(CLOSES_STDIN))
		close(0);
}

static ptowsp_status wrong_init(const struct ptowsp_host *host, const struct ptowsp_init_args *args, struct ptowsp_object **out, struct ptowsp_error *error)
{
	struct ptowsp_init_args known = *args;
	pthread_t thread;

	crash(CRASH_INIT);
	hang(HANG_INIT);
	host_of = host;
	host->log(host->context, PTOWSP_LOG_DEBUG, "the hostile plugin starts", 25); /* what is told of its end has its last line */
	known.head.size = is(FIELDS_IGNORED) ? (uint32_t)sizeof(known) : known.head.size;
	if (is(MEMORY_LEFT))
		kept = host->alloc(host->context, 100, 8);
	if (is(THREAD_LEFT) && pthread_create(&thread, NULL, sleep_for_ever, NULL))
		abort();
	return null_init(host, is(FIELDS_IGNORED) ? &known : args, out, error);
}

static ptowsp_status wrong_fini(struct ptowsp_object *instance, struct ptowsp_error *error)
{
	void *memory = is(MEMORY_TWICE) || is(MEMORY_SIZE) ? host_of->alloc(host_of->context, 64, 8) : NULL;

	crash(CRASH_FINI);
	if (is(HANG_FINI) && !freopen("/dev/null", "w", stderr)) /* the host still says how that ends */
		abort();
	hang(HANG_FINI);
	if (memory)
		host_of->release(host_of->context, memory, is(MEMORY_SIZE) ? 8 : 64);
	if (memory && is(MEMORY_TWICE))
		host_of->release(host_of->context, instance, 64);
	return null_fini(instance, error);
}

static ptowsp_status wrong_devices(struct ptowsp_object *instance, const struct ptowsp_device **out, uint32_t *count, struct ptowsp_error *error)
{
	uint32_t room = *count;

	crash(CRASH_DEVICES);
	if (is(ROOM_IGNORED))
		room = 1, out[0] = &device_model;
	*count = room;
	return null_devices(instance, out, count, error);
}

static ptowsp_status wrong_options(const struct ptowsp_option **out, uint32_t *count, struct ptowsp_error *error)
{
	(void)out, (void)error;
	crash(CRASH_OPTIONS);
	hang(HANG_OPTIONS);
	*count = 0;
	return PTOWSP_OK;
}

static ptowsp_status wrong_capabilities(struct ptowsp_object *instance, const char *device, struct ptowsp_cap *out, uint32_t stride, uint32_t *count,
					struct ptowsp_error *error)
{
	ptowsp_status status;

	crash(CRASH_CAPABILITIES);
	status = null_capabilities(instance, device, out, stride, count, error);
	if (is(LIES) && !status)
		out[1].feature = PTOWSP_FEATURE_CANCEL;
	return status;
}

static ptowsp_status wrong_open(struct ptowsp_object *instance, const struct ptowsp_open_args *args, struct ptowsp_object **out, struct ptowsp_error *error)
{
	crash(CRASH_OPEN);
	if (is(OPEN_WITHOUT_DEVICE))
		return *out = NULL, PTOWSP_OK;
	return null_open(instance, args, out, error);
}

static ptowsp_status wrong_close(struct ptowsp_object *device, struct ptowsp_error *error)
{
	crash(CRASH_CLOSE);
	return null_close(device, error);
}

static ptowsp_status wrong_load(struct ptowsp_object *device, const struct ptowsp_load_args *args, struct ptowsp_object **out, struct ptowsp_error *error)
{
	ptowsp_status status;

	crash(CRASH_LOAD);
	if (is(ABORT_LOAD))
		abort();
	if (is(EXIT_LOAD))
		_exit(0);
	if (is(EXIT_BY_HANDLERS))
		exit(0);
	while (is(LOOP_LOAD))
		;
	process_change();
	if (is(TRUSTS_BYTECODE)) {
		const struct ptowsp_section *work = section_find(args, PTOWSP_SECTION_WORK);
		const struct ptowsp_workload_header *header = work ? work->data : NULL;
		const struct ptowsp_instruction *code = header ? (const void *)(header + 1) : NULL;

		for (uint32_t i = 0; header && i < header->num_instructions; i++)
			kept = (void *)(uintptr_t)((volatile const struct ptowsp_instruction *)code)[i].opcode;
	}
	status = null_load(device, args, out, is(NO_SENTENCE) ? NULL : error);
	if (is(STATUS_POSITIVE) && !status)
		return null_unload(*out, NULL), 1; /* nobody else will */
	if (is(STATUS_UNKNOWN) && status)
		return -4711;
	if (is(ERROR_WITHOUT_FAILURE) && !status)
		fail(error, PTOWSP_INVALID, "nothing is wrong");
	return status;
}

static ptowsp_status wrong_unload(struct ptowsp_object *program, struct ptowsp_error *error)
{
	crash(CRASH_UNLOAD);
	return null_unload(program, error);
}

static void done_send(struct device *device, uint64_t token, int with_stats)
{
	struct ptowsp_run_stats stats;
	struct ptowsp_done done = {.head = PTOWSP_HEAD(done, DONE), .token = token, .stats = with_stats ? &stats : NULL};
	const struct ptowsp_host *host = device->instance->host;

	stats_fill(&stats);
	host->done(host->context, &done);
}

static ptowsp_status wrong_submit(struct ptowsp_object *object, const struct ptowsp_run_args *args, struct ptowsp_error *error)
{
	struct device *device = (struct device *)object;
	ptowsp_status status;

	crash(CRASH_SUBMIT);
	while (is(LOOP_SUBMIT))
		;
	if (is(DONE_REFUSED)) {
		done_send(device, args->token, 1);
		return fail(error, PTOWSP_UNSUPPORTED, "refused, and done all the same");
	}
	status = null_submit(object, args, error);
	kept_args = args;
	if (is(DONE_INSIDE) && !status)
		run_finish(device);
	return status;
}

static ptowsp_status wrong_poll(struct ptowsp_object *object, uint64_t until_ns, struct ptowsp_error *error)
{
	struct device *device = (struct device *)object;
	uint64_t token = device->token;
	int pending = device->pending != NULL;

	crash(CRASH_POLL);
	if (is(SLEEPS_IN_POLL))
		usleep(1500000);
	if (is(DONE_NEVER))
		return usleep(1000), PTOWSP_OK;
	if (is(KEEPS_ARGUMENTS) && pending)
		device->token = *(volatile const uint64_t *)&kept_args->token;
	if (pending && is(DONE_STRANGER))
		done_send(device, token + 1000, 1);
	if (pending && is(DONE_WITHOUT_STATS))
		return device->pending = NULL, done_send(device, token, 0), PTOWSP_OK;
	null_poll(object, until_ns, error);
	if (pending && is(DONE_TWICE))
		done_send(device, token, 1);
	return PTOWSP_OK;
}

static ptowsp_status wrong_stats(struct ptowsp_object *program, struct ptowsp_run_stats *out, struct ptowsp_error *error)
{
	crash(CRASH_STATS);
	if (!is(STATS_TOO_LONG))
		return null_stats(program, out, error);
	stats_fill(out);
	return PTOWSP_OK;
}

static const void *wrong_extension(struct ptowsp_object *instance, const char *id)
{
	static const struct ptowsp_head head = {8, PTOWSP_STRUCT_EXTENSION, 0};

	(void)instance, (void)id;
	return is(KNOWS_EVERY_EXTENSION) ? &head : NULL;
}

static const struct ptowsp_ops wrong_ops = {
	PTOWSP_HEAD(struct ptowsp_ops, OPS),
	wrong_init,
	wrong_fini,
	wrong_extension,
	wrong_devices,
	wrong_options,
	wrong_capabilities,
	wrong_open,
	wrong_close,
	wrong_load,
	wrong_unload,
	wrong_submit,
	NULL,
	wrong_poll,
	wrong_poll,
	wrong_stats,
};

PTOWSP_EXPORT const struct ptowsp_plugin *ptowsp_plugin_v10(uint32_t host_minor);
PTOWSP_EXPORT const struct ptowsp_plugin *ptowsp_plugin_v10(uint32_t host_minor)
{
	static struct ptowsp_plugin wrong_plugin;
	pthread_t thread;

	(void)host_minor;
	(void)ptowsp_plugin_of_the_template;
	crash(CRASH_ENTRY);
	hang(HANG_ENTRY);
	wrong_plugin = plugin;
	wrong_plugin.ops = &wrong_ops;
	if (is(ENTRY_ALLOCATES))
		kept = malloc(1000);
	if (is(ENTRY_STARTS) && pthread_create(&thread, NULL, sleep_for_ever, NULL))
		abort();
	return &wrong_plugin;
}
