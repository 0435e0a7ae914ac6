/* SPDX-License-Identifier: MIT */
/* bomb.c - the template, which in a sandbox takes more and more of one thing, by -DWRONG=NAME of the list below; elsewhere it does nothing of the kind, so that no machine suffers from it. odd.ninja
 * builds one plugin of each, verdicts.def has what is said of them. */
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum wrong { BOMB_HEAP, BOMB_SHARED, BOMB_FILES, BOMB_LEFT, BOMB_PROCESSES, BOMB_THREADS, BOMB_PROCESSOR };

static int is(enum wrong which)
{
	return which == WRONG;
}

/* The template's operations are called from this file; its entry gets another name, because this plugin has its own. */
#define ptowsp_plugin_v10 ptowsp_plugin_of_the_template
#include "abi/template/plugin.c"
#undef ptowsp_plugin_v10

enum { CHUNK = 1 << 20, SECCOMP_FILTERED = 2 };

static void heap_take(void)
{
	for (;;) {
		char *memory = malloc(CHUNK);

		if (!memory)
			abort();
		memset(memory, 1, CHUNK);
	}
}

/* Memory that is in no file and no heap, and outlives nothing. */
static void shared_take(void)
{
	for (;;) {
		char *memory = mmap(NULL, CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

		if (memory == MAP_FAILED)
			abort();
		memset(memory, 1, CHUNK);
	}
}

/* Written, never mapped: no figure of the process has them. */
static void files_take(void)
{
	static char bytes[CHUNK];
	int fd = -1;

	for (unsigned i = 0;; i++) {
		if (i % 64 == 0)
			fd = memfd_create("bomb", 0);
		if (fd < 0 || write(fd, bytes, CHUNK) != CHUNK)
			abort();
	}
}

static void *files_take_alone(void *unused)
{
	usleep(100000); /* until the first thread is no more */
	files_take();
	return unused;
}

/* A process whose first thread has ended has neither memory nor descriptors, for who looks at that thread. */
static void files_take_behind(void)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, files_take_alone, NULL))
		syscall(SYS_exit, 0);
}

static void *wait_for_ever(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static void *spin_for_ever(void *unused)
{
	for (;;)
		;
	return unused;
}

/* Where there is room for no more it goes on with those that it has: who counts them looks now and then. */
static void threads_take(void *(*body)(void *), unsigned count)
{
	pthread_attr_t small;
	pthread_t thread;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 1 << 17);
	for (unsigned i = 0; i < count; i++)
		if (pthread_create(&thread, &small, body, NULL))
			break;
	body(NULL);
}

/* A sandbox lets no process begin, so fork fails at once there and the plugin goes on as any other. */
static void processes_take(void)
{
	while (fork() >= 0)
		;
}

static void explode(void)
{
	if (prctl(PR_GET_SECCOMP) != SECCOMP_FILTERED)
		return;
	if (is(BOMB_HEAP))
		heap_take();
	if (is(BOMB_SHARED))
		shared_take();
	if (is(BOMB_FILES))
		files_take();
	if (is(BOMB_LEFT))
		files_take_behind();
	if (is(BOMB_PROCESSES))
		processes_take();
	if (is(BOMB_THREADS))
		threads_take(wait_for_ever, UINT_MAX);
	if (is(BOMB_PROCESSOR))
		threads_take(spin_for_ever, 4);
}

static ptowsp_status bomb_load(struct ptowsp_object *device, const struct ptowsp_load_args *args, struct ptowsp_object **out, struct ptowsp_error *error)
{
	explode();
	return null_load(device, args, out, error);
}

PTOWSP_EXPORT const struct ptowsp_plugin *ptowsp_plugin_v10(uint32_t host_minor);
PTOWSP_EXPORT const struct ptowsp_plugin *ptowsp_plugin_v10(uint32_t host_minor)
{
	static struct ptowsp_plugin bomb_plugin;
	static struct ptowsp_ops bomb_ops;

	(void)host_minor;
	(void)ptowsp_plugin_of_the_template;
	bomb_ops = ops;
	bomb_ops.load = bomb_load;
	bomb_plugin = plugin;
	bomb_plugin.ops = &bomb_ops;
	return &bomb_plugin;
}
