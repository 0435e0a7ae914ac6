/* SPDX-License-Identifier: MIT */
/* moody.c - the template's plugin with moods: `mood` is WHAT:OPERATION, what it does to its process in that operation. In a worker only. */
#include "ptowsp/note.h"

#ifndef FLAGS
#define FLAGS 0
#endif
#ifdef GRANTS
PTOWSP_NOTE_10_1(FLAGS, "moody", "tests", "1.0.0", "moody", "read=/etc/passwd;device=/dev/ful*;memory=locked;call=fallocate");
#else
PTOWSP_NOTE(FLAGS, "moody", "tests", "1.0.0", "moody");
#endif
#undef PTOWSP_NOTE
#define PTOWSP_NOTE(...) struct no_other_note

#include "ptowsp/plugin.h"
#define ptowsp_plugin_v10 template_plugin
#include "template/plugin.c"
#undef ptowsp_plugin_v10

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "host/worker/host_frame.h"

static char mood[64];
static const struct ptowsp_host *own_host;
static char longest[4096] = "a text of no end";

/* The memory that host and worker share, which a plugin has no business to know. */
static struct host_frame_shared *shared_find(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long long begin = 0;
	char line[512];

	while (maps && !begin && fgets(line, sizeof(line), maps))
		if (strstr(line, "ptowsp worker"))
			sscanf(line, "%llx", &begin);
	if (maps)
		fclose(maps);
	if (!begin)
		_exit(77);
	return (struct host_frame_shared *)(uintptr_t)begin;
}

/* The plugin in the worker overwrites shared memory by which the host judges that worker. */
static void forge(const char *how)
{
	struct host_frame_shared *shared = shared_find();

	if (!strcmp(how, "head")) { /* more than a ring holds */
		atomic_fetch_add(&shared->up.head, HOST_RING_BYTES * 2 + 8);
	} else if (!strcmp(how, "tail")) {
		atomic_fetch_add(&shared->down[0].tail, HOST_RING_BYTES * 2 + 8);
	} else { /* a record of lies */
		const uint32_t at = atomic_load(&shared->up.head);

		memset(shared->up.bytes + at % HOST_RING_BYTES, 0x7f, 8);
		atomic_fetch_add(&shared->up.head, 64);
	}
	sleep(60);
}

/* What a sandbox forbids, tried. */
static void tries(void)
{
	const int file = open("/tmp/ptowsp_sandbox_probe", O_CREAT | O_WRONLY, 0600), secret = open("/etc/passwd", O_RDONLY),
		  network = socket(AF_INET, SOCK_STREAM, 0);
	const int child = fork();
	void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const int gain = mprotect(code, 4096, PROT_READ | PROT_EXEC);
	struct rlimit files;
	const int limits = prlimit(getppid(), RLIMIT_NOFILE, NULL, &files) || prlimit(getppid(), RLIMIT_NOFILE, &files, NULL); /* as they are */
	int ends[2];
	const int signals = pipe(ends) ? 0 : fcntl(ends[0], F_SETOWN, getppid());
	char line[200];

	if (!child)
		_exit(0);
	snprintf(line, sizeof(line), "file %s, secret %s, network %s, child %s, code %s, limits %s, signals %s", file < 0 ? "no" : "yes",
		 secret < 0 ? "no" : "yes", network < 0 ? "no" : "yes", child < 0 ? "no" : "yes", gain < 0 ? "no" : "yes", limits ? "no" : "yes",
		 signals < 0 ? "no" : "yes");
	own_host->log(own_host->context, PTOWSP_LOG_INFO, line, strlen(line));
	unlink("/tmp/ptowsp_sandbox_probe");
	mood[0] = '\0';
}

/* What the note with grants asks for, tried, and what lies beside it. An ioctl that the sandbox lets through fails, as /dev/full has none. */
static void asks(void)
{
	const int listed = open("/etc/passwd", O_RDONLY), beside = open("/etc/group", O_RDONLY), device = open("/dev/full", O_RDWR),
		  other = open("/dev/tty", O_RDWR), file = memfd_create("asks", 0);
	const int reached = ioctl(device, TCGETS, longest) && errno == ENOTTY;
	const int locked = (int)syscall(SYS_mlock, longest, 1UL); /* a sanitizer's mlock does nothing */
	const int allocated = fallocate(file, 0, 0, 4096), limit = flock(file, LOCK_SH);
	char line[200];

	snprintf(line, sizeof(line), "passwd %s, group %s, full %s, tty %s, ioctl %s, locked %s, allocated %s, flock %s", listed < 0 ? "no" : "yes",
		 beside < 0 ? "no" : "yes", device < 0 ? "no" : "yes", other < 0 ? "no" : "yes", reached ? "yes" : "no", locked ? "no" : "yes",
		 allocated ? "no" : "yes", limit ? "no" : "yes");
	own_host->log(own_host->context, PTOWSP_LOG_INFO, line, strlen(line));
	mood[0] = '\0';
}

/* The file behind standard error, cut and written over; a terminal would turn red. */
static void error_spoil(void)
{
	static const char red[] = "\033[31mred\n";

	ftruncate(STDERR_FILENO, 0);
	pwrite(STDERR_FILENO, red, sizeof(red) - 1, 0);
	if (write(STDERR_FILENO, red, sizeof(red) - 1) < 0)
		_exit(78);
	mood[0] = '\0';
}

/* The ring to this process has no room from here on, as if nothing were ever read of it. */
static void ring_fill(void)
{
	struct host_frame_shared *shared = shared_find();

	atomic_store(&shared->down[0].tail, atomic_load(&shared->down[0].head) - HOST_RING_BYTES);
}

/* Leaves a process in a session of its own, which has all that this one has, the ring and the socket too; its number is what this one says. */
static void child_make(void)
{
	char line[32];
	pid_t child = fork();

	if (!child) {
		setsid();
		for (;;)
			pause();
	}
	snprintf(line, sizeof(line), "child %d", (int)child);
	own_host->log(own_host->context, PTOWSP_LOG_INFO, line, strlen(line));
}

static void child_leave(void)
{
	child_make();
	_exit(3);
}

/* Kills the keeper, after it took back the kernel's word that both end together. */
static void keeper_kill(void)
{
	prctl(PR_SET_PDEATHSIG, 0L, 0L, 0L, 0L);
	child_make();
	kill(getppid(), SIGKILL);
	for (;;)
		pause();
}

static void act(const char *operation)
{
	const char *at = strchr(mood, ':');

	if (!at || strcmp(at + 1, operation) != 0)
		return;
	if (!strncmp(mood, "asks", 4)) {
		asks();
		return;
	}
	if (!strncmp(mood, "tries", 5)) {
		tries();
		return;
	}
	if (!strncmp(mood, "spoils", 6)) {
		error_spoil();
		return;
	}
	own_host->log(own_host->context, PTOWSP_LOG_INFO, "now it happens", 14);
	if (!strncmp(mood, "segv", 4)) {
		signal(SIGSEGV, SIG_DFL); /* of a sanitizer */
		raise(SIGSEGV);
	} else if (!strncmp(mood, "abort", 5)) {
		signal(SIGABRT, SIG_DFL);
		abort();
	} else if (!strncmp(mood, "kill", 4)) {
		kill(getpid(), SIGKILL);
	} else if (!strncmp(mood, "exit", 4)) {
		_exit(3);
	} else if (!strncmp(mood, "stop", 4)) {
		raise(SIGSTOP);
	} else if (!strncmp(mood, "shout", 5)) {
		own_host->log(own_host->context, PTOWSP_LOG_INFO, "one\ntwo", 7);
		kill(getpid(), SIGKILL);
	} else if (!strncmp(mood, "chat", 4)) { /* says more than there is */
		own_host->log(own_host->context, PTOWSP_LOG_INFO, longest, UINT64_MAX);
		own_host->log(own_host->context, PTOWSP_LOG_INFO, NULL, 5);
	} else if (!strncmp(mood, "hang", 4)) {
		for (;;)
			pause();
	} else if (!strncmp(mood, "orphan", 6)) {
		keeper_kill();
	} else if (!strncmp(mood, "halt", 4)) {
		kill(getppid(), SIGSTOP);
		for (;;)
			pause();
	} else if (!strncmp(mood, "child", 5)) {
		child_leave();
	} else if (!strncmp(mood, "full", 4)) {
		ring_fill();
	} else if (!strncmp(mood, "head", 4)) {
		forge("head");
	} else if (!strncmp(mood, "tail", 4)) {
		forge("tail");
	} else {
		forge("record");
	}
}

static const struct ptowsp_option option = {PTOWSP_HEAD(struct ptowsp_option, OPTION), "mood", "word", "", "", "what it does, and where"};

static ptowsp_status moody_options(const struct ptowsp_option **options_out, uint32_t *count, struct ptowsp_error *error)
{
	const uint32_t room = *count;

	*count = 1;
	if (!room)
		return fail(error, PTOWSP_MORE, "1");
	options_out[0] = &option;
	return PTOWSP_OK;
}

static ptowsp_status moody_init(const struct ptowsp_host *host, const struct ptowsp_init_args *args, struct ptowsp_object **instance_out,
				struct ptowsp_error *error)
{
	struct ptowsp_init_args none = *args;

	own_host = host;
	if (args->setting_count && !strcmp(args->settings[0].value, "speaks"))
		memset(longest, 'x', sizeof(longest) - 1);
	if (args->setting_count)
		strncpy(mood, args->settings[0].value, sizeof(mood) - 1);
	none.setting_count = 0;
	act("init");
	return null_init(host, &none, instance_out, error);
}

static ptowsp_status moody_fini(struct ptowsp_object *instance, struct ptowsp_error *error)
{
	act("fini");
	return null_fini(instance, error);
}

static const void *moody_extension(struct ptowsp_object *instance, const char *id)
{
	static const struct ptowsp_head unknown = {sizeof(unknown), PTOWSP_STRUCT_EXTENSION, 0};

	(void)instance;
	act("extension");
	return strcmp(id, "com.example.own/1") ? NULL : &unknown;
}

static ptowsp_status moody_devices(struct ptowsp_object *instance, const struct ptowsp_device **devices_out, uint32_t *count, struct ptowsp_error *error)
{
	act("devices");
	return null_devices(instance, devices_out, count, error);
}

static ptowsp_status moody_capabilities(struct ptowsp_object *instance, const char *device, struct ptowsp_cap *rows_out, uint32_t stride, uint32_t *count,
					struct ptowsp_error *error)
{
	act("capabilities");
	return null_capabilities(instance, device, rows_out, stride, count, error);
}

static ptowsp_status moody_open(struct ptowsp_object *instance, const struct ptowsp_open_args *args, struct ptowsp_object **device_out,
				struct ptowsp_error *error)
{
	act("open");
	return null_open(instance, args, device_out, error);
}

static ptowsp_status moody_close(struct ptowsp_object *device, struct ptowsp_error *error)
{
	act("close");
	return null_close(device, error);
}

static ptowsp_status moody_load(struct ptowsp_object *device, const struct ptowsp_load_args *args, struct ptowsp_object **program_out,
				struct ptowsp_error *error)
{
	if (!strcmp(mood, "endless")) { /* two lines, of which the second has no end */
		memset(error->text, 'x', sizeof(error->text));
		error->text[3] = '\n';
		return error->code = PTOWSP_RUN_FAILED;
	}
	if (!strcmp(mood, "reads") && open("/etc/passwd", O_RDONLY) < 0)
		return fail(error, PTOWSP_IO, strerror(errno));
	for (int i = 0; i < 12000 && !strcmp(mood, "talks"); i++)
		own_host->log(own_host->context, PTOWSP_LOG_INFO, "and", 3);
	for (int i = 0; i < 2000 && !strcmp(mood, "speaks"); i++)
		own_host->log(own_host->context, PTOWSP_LOG_INFO, longest, sizeof(longest));
	act("load");
	return null_load(device, args, program_out, error);
}

static ptowsp_status moody_unload(struct ptowsp_object *program, struct ptowsp_error *error)
{
	act("unload");
	return null_unload(program, error);
}

static ptowsp_status moody_submit(struct ptowsp_object *device, const struct ptowsp_run_args *args, struct ptowsp_error *error)
{
	act("submit");
	return null_submit(device, args, error);
}

static ptowsp_status moody_cancel(struct ptowsp_object *device, uint64_t token, struct ptowsp_error *error)
{
	(void)device, (void)token;
	act("cancel");
	return fail(error, PTOWSP_UNIMPLEMENTED, "no run lasts long enough");
}

/* The end of a run that nobody asked for, before that of the one that is there. */
static void stranger_complete(void)
{
	struct ptowsp_run_stats stats;
	struct ptowsp_done done = {.head = PTOWSP_HEAD(done, DONE), .token = 4711, .stats = &stats};

	stats_fill(&stats);
	own_host->done(own_host->context, &done);
}

/* A poll that does not wait, of a run that takes 200 ms; how many there were stands in the log. */
static ptowsp_status hasty_poll(struct ptowsp_object *device, uint64_t until_ns, struct ptowsp_error *error)
{
	static struct timespec begin;
	static unsigned polls;
	struct timespec now;
	char line[32];

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!polls++)
		begin = now;
	if ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < 200)
		return PTOWSP_OK;
	if (((struct device *)device)->pending) {
		snprintf(line, sizeof(line), "polls %u", polls);
		own_host->log(own_host->context, PTOWSP_LOG_INFO, line, strlen(line));
	}
	return null_poll(device, until_ns, error);
}

/* A run's end with more rows than there are. */
static void absurd_finish(struct device *device)
{
	struct ptowsp_resource_stats row = {0};
	struct ptowsp_run_stats stats;
	struct ptowsp_done done = {.head = PTOWSP_HEAD(struct ptowsp_done, DONE), .token = device->token, .stats = &stats};

	stats_fill(&stats);
	stats.resources = &row;
	stats.resource_count = UINT32_MAX;
	device->pending = NULL;
	own_host->done(own_host->context, &done);
}

static ptowsp_status moody_poll(struct ptowsp_object *device, uint64_t until_ns, struct ptowsp_error *error)
{
	if (!strcmp(mood, "waits"))
		return usleep(1000) ? PTOWSP_OK : PTOWSP_OK;
	if (!strcmp(mood, "hasty"))
		return hasty_poll(device, until_ns, error);
	while (!strcmp(mood, "flood"))
		own_host->log(own_host->context, PTOWSP_LOG_DEBUG, "and", 3);
	if (!strcmp(mood, "stranger"))
		stranger_complete();
	if (!strcmp(mood, "absurd") && ((struct device *)device)->pending)
		absurd_finish((struct device *)device);
	act("poll");
	return null_poll(device, until_ns, error);
}

static ptowsp_status moody_stats(struct ptowsp_object *program, struct ptowsp_run_stats *stats_out, struct ptowsp_error *error)
{
	act("stats");
	return null_stats(program, stats_out, error);
}

static const struct ptowsp_ops moody_ops = {
	PTOWSP_HEAD(struct ptowsp_ops, OPS),
	moody_init,
	moody_fini,
	moody_extension,
	moody_devices,
	moody_options,
	moody_capabilities,
	moody_open,
	moody_close,
	moody_load,
	moody_unload,
	moody_submit,
	moody_cancel,
	moody_poll,
	moody_poll,
	moody_stats,
};
static const struct ptowsp_plugin moody = {
	.head = PTOWSP_HEAD(struct ptowsp_plugin, PLUGIN),
	.major = PTOWSP_ABI_MAJOR,
	.minor = PTOWSP_ABI_TARGET,
	.flags = FLAGS,
	.name = "moody",
	.vendor = "tests",
	.version = "1.0.0",
	.targets = "moody",
	.needs = "",
	.ops = &moody_ops,
};

const struct ptowsp_plugin *ptowsp_plugin_v10(uint32_t host_minor)
{
	(void)host_minor;
	return &moody;
}
