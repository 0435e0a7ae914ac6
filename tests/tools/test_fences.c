/* SPDX-License-Identifier: MIT
 * test_fences.c - runs that wait for fences and signal them: those of cpu_sim, in this process and in a worker, and those of the host for a2a3sim, which has none. */
#include "host/ptowsp_host.h"
#include "tests/check.h"
#include "tests/contract/cli.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 16, BYTES = N * 16 * 4, MANY = 64 };
#define MS UINT64_C(1000000)

#define KERNEL(op)                                                                                                                                             \
	"tensor %y : f32[16, 16] inout\nfunc @f(%a: !pto.memref<gm,...,f32>) {\n  %s = alloc_tile : !pto.tile<16x16xf32>\n  %s = tload %a[0, 0]\n" op          \
	"\n  tstore %s, %a[0, 0]\n  return\n}\nworkload @main { parallel_for %i in 0 to 1 { call @f(%a -> %y[%i * 16, 0]) } }\n"
/* y + 1 and y + y: one behind the other has another result than the other way round. */
static const char *const sources[] = {KERNEL("  %s = tadds %s, 1.0"), KERNEL("  %s = tadd %s, %s")};
enum { INCREMENT, DOUBLE };

static struct ptowsp_error error;
static struct {
	struct ptowsp_package *packages[2];
	struct ptowsp_plan *plans[2];
	struct ptowsp_backend *backend;
	struct ptowsp_program *programs[8];
	unsigned count;
	float *y; /* of all of them */
} host;

/* Where the runs are. */
static const struct place {
	const char *plugin;
	uint32_t isolate;
	int apart; /* the fences are the plugin's */
} places[] = {{"cpu_sim", PTOWSP_ISOLATE_NONE, 1},
	      {"cpu_sim", PTOWSP_ISOLATE_PROCESS, 1},
	      {"cpu_sim", PTOWSP_ISOLATE_SANDBOX, 1},
	      {"a2a3sim", PTOWSP_ISOLATE_NONE, 0},
	      {"a2a3sim", PTOWSP_ISOLATE_SANDBOX, 0}};
enum { PLACES = sizeof(places) / sizeof(*places) };

static struct ptowsp_backend *backend_open(const struct place *place)
{
	const struct ptowsp_backend_options options = {.plugin = place->plugin, .isolate = place->isolate, .threads = 1, .layers = "validate,threads"};
	struct ptowsp_backend *backend;

	REQUIRE_INT(ptowsp_backend_open(&backend, &options, &error), 0);
	return backend;
}

static void begin(const struct place *place)
{
	void *memory;

	cli_begin();
	memset(&host, 0, sizeof(host));
	error = (struct ptowsp_error){.head = PTOWSP_HEAD(error, ERROR)};
	check_put("0.pto", sources[0]);
	check_put("1.pto", sources[1]);
	REQUIRE_INT(cli("$B/ptowsp-pack 0.pto -o 0.pkg.zst && $B/ptowsp-pack 1.pto -o 1.pkg.zst"), 0);
	for (int i = 0; i < 2; i++) {
		REQUIRE_INT(ptowsp_package_open(&host.packages[i], check_fmt("%s/%d.pkg.zst", check_dir(), i), 0, &error), 0);
		REQUIRE_INT(ptowsp_plan_create(&host.plans[i], host.packages[i], NULL, &error), 0);
	}
	host.backend = backend_open(place);
	REQUIRE_INT(ptowsp_buffer_alloc(&memory, BYTES, &error), 0);
	host.y = memory;
}

static struct ptowsp_program *load(int which)
{
	struct ptowsp_program *program;

	REQUIRE_INT(ptowsp_program_load(&program, host.backend, host.plans[which], 0, &error), 0);
	CHECK_INT(ptowsp_tensor_bind(program, "y", host.y, N * 16, &error), 0);
	return host.programs[host.count++] = program;
}

static void end(void)
{
	for (unsigned i = 0; i < host.count; i++)
		ptowsp_program_unload(host.programs[i]);
	ptowsp_backend_close(host.backend);
	for (int i = 0; i < 2; i++) {
		ptowsp_plan_destroy(host.plans[i]);
		ptowsp_package_close(host.packages[i]);
	}
	ptowsp_buffer_free(host.y);
}

static struct ptowsp_fence *fence_make(const struct place *place, uint64_t value)
{
	struct ptowsp_fence *fence;

	REQUIRE_INT(ptowsp_fence_create(&fence, host.backend, value, &error), 0);
	CHECK_INT(ptowsp_fence_is_apart(fence), place->apart);
	return fence;
}

static void fence_end(struct ptowsp_fence *fence)
{
	CHECK_INT(ptowsp_fence_destroy(fence, &error), 0);
}

static void value_is(struct ptowsp_fence *fence, uint64_t expected)
{
	uint64_t value = ~expected;

	CHECK_INT(ptowsp_fence_read(fence, &value, &error), 0);
	CHECK_UINT(value, expected);
}

static void start(struct ptowsp_program *program, struct ptowsp_fence *waits, uint64_t wait, struct ptowsp_fence *signals, uint64_t signal, uint64_t timeout_ns)
{
	const struct ptowsp_execute_options options = {.timeout_ns = timeout_ns};

	if (waits)
		CHECK_INT(ptowsp_run_wait(program, waits, wait, &error), 0);
	if (signals)
		CHECK_INT(ptowsp_run_signal(program, signals, signal, &error), 0);
	CHECK_INT(ptowsp_execute_async(program, &options, &error), 0);
}

static void values_only_grow(const struct place *place)
{
	static const uint64_t steps[] = {5, 6, 6, 1000, UINT64_MAX - 1, UINT64_MAX};
	struct ptowsp_fence *fence;

	begin(place);
	fence = fence_make(place, 5);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		CHECK_INT(ptowsp_fence_signal(fence, steps[i], &error), 0);
		value_is(fence, steps[i]);
		CHECK_INT(ptowsp_fence_signal(fence, steps[i] - 1, &error), PTOWSP_INVALID);
		value_is(fence, steps[i]);
		CHECK_INT(ptowsp_fence_wait(fence, steps[i], 0, &error), 0);
	}
	fence_end(fence);
	end();
}

static void runs_take_turns(const struct place *place)
{
	struct ptowsp_program *one, *two;
	struct ptowsp_fence *fence;
	float expected = 0;

	begin(place);
	one = load(INCREMENT);
	two = load(DOUBLE);
	fence = fence_make(place, 0);
	for (uint64_t turn = 0; turn < MANY / 8; turn++) { /* the later one is started first */
		start(two, fence, 2 * turn + 1, fence, 2 * turn + 2, 0);
		start(one, fence, 2 * turn, fence, 2 * turn + 1, 0);
		CHECK_INT(ptowsp_fence_wait(fence, 2 * turn + 2, UINT64_MAX, &error), 0);
		value_is(fence, 2 * turn + 2);
		CHECK_INT(ptowsp_synchronize(one, UINT64_MAX, &error), 0);
		CHECK_INT(ptowsp_synchronize(two, UINT64_MAX, &error), 0);
		expected = (expected + 1) * 2;
		CHECK(host.y[0] == expected && host.y[N * 16 - 1] == expected);
	}
	fence_end(fence);
	end();
}

static void a_run_waits_for_its_caller(const struct place *place)
{
	struct ptowsp_program *program;
	struct ptowsp_fence *go, *said;

	begin(place);
	program = load(INCREMENT);
	go = fence_make(place, 0);
	said = fence_make(place, 0);
	start(program, go, 3, said, 9, 0);
	CHECK_INT(ptowsp_synchronize(program, 20 * MS, &error), PTOWSP_AGAIN);
	CHECK_INT(ptowsp_fence_signal(go, 2, &error), 0);
	CHECK_INT(ptowsp_synchronize(program, 20 * MS, &error), PTOWSP_AGAIN);
	CHECK_INT(ptowsp_fence_destroy(go, &error), PTOWSP_INVALID);
	CHECK_INT(ptowsp_fence_wait(said, 9, 20 * MS, &error), PTOWSP_AGAIN);
	CHECK(host.y[0] == 0);
	CHECK_INT(ptowsp_fence_signal(go, 4, &error), 0);
	CHECK_INT(ptowsp_fence_wait(said, 9, UINT64_MAX, &error), 0);
	CHECK_INT(ptowsp_synchronize(program, UINT64_MAX, &error), 0);
	CHECK(host.y[0] == 1);
	CHECK_UINT(ptowsp_stats(program)->tasks, 1);
	fence_end(go);
	fence_end(said);
	end();
}

static void failures_stay(const struct place *place)
{
	struct ptowsp_program *late, *next, *last;
	struct ptowsp_fence *never, *first, *second;
	uint64_t value;

	begin(place);
	late = load(INCREMENT);
	next = load(INCREMENT);
	last = load(INCREMENT);
	never = fence_make(place, 0);
	first = fence_make(place, 0);
	second = fence_make(place, 0);
	start(next, first, 1, second, 1, 0);
	start(late, never, 1, first, 1, 10 * MS);
	CHECK_INT(ptowsp_synchronize(late, UINT64_MAX, &error), PTOWSP_DEADLINE);
	CHECK_INT(ptowsp_synchronize(next, UINT64_MAX, &error), PTOWSP_RUN_FAILED);
	CHECK_CONTAINS(error.text, "fence");
	CHECK_INT(ptowsp_fence_read(first, &value, &error), PTOWSP_DEADLINE);
	CHECK_INT(ptowsp_fence_signal(first, 5, &error), PTOWSP_DEADLINE);
	CHECK_INT(ptowsp_fence_wait(first, 1, UINT64_MAX, &error), PTOWSP_DEADLINE);
	CHECK_INT(ptowsp_fence_read(second, &value, &error), PTOWSP_RUN_FAILED);
	start(last, second, 1, NULL, 0, 0);
	CHECK_INT(ptowsp_synchronize(last, UINT64_MAX, &error), PTOWSP_RUN_FAILED);
	CHECK(host.y[0] == 0);
	CHECK_INT(ptowsp_execute(last, NULL, &error), 0); /* fences are those of one run */
	CHECK(host.y[0] == 1);
	fence_end(never);
	fence_end(first);
	fence_end(second);
	end();
}

static void a_waiting_run_is_cancelled(const struct place *place)
{
	struct ptowsp_program *program;
	struct ptowsp_fence *never, *said;
	uint64_t value;

	begin(place);
	program = load(INCREMENT);
	never = fence_make(place, 0);
	said = fence_make(place, 0);
	start(program, never, 1, said, 1, 0);
	CHECK_INT(ptowsp_cancel(program, &error), 0);
	CHECK_INT(ptowsp_synchronize(program, UINT64_MAX, &error), PTOWSP_CANCELLED);
	CHECK_INT(ptowsp_fence_read(said, &value, &error), PTOWSP_CANCELLED);
	CHECK_INT(ptowsp_execute(program, NULL, &error), 0);
	CHECK(host.y[0] == 1);
	fence_end(never);
	fence_end(said);
	end();
}

static void *later(void *fence)
{
	nanosleep(&(struct timespec){0, 30000000}, NULL);
	return ptowsp_fence_signal(fence, 1, NULL) ? fence : NULL;
}

static void another_thread_signals(const struct place *place)
{
	struct ptowsp_program *program;
	struct ptowsp_fence *go;
	pthread_t thread;
	void *failed;

	begin(place);
	program = load(INCREMENT);
	go = fence_make(place, 0);
	start(program, go, 1, NULL, 0, 0);
	REQUIRE_INT(pthread_create(&thread, NULL, later, go), 0);
	CHECK_INT(ptowsp_synchronize(program, UINT64_MAX, &error), 0);
	pthread_join(thread, &failed);
	CHECK(!failed);
	fence_end(go);
	end();
}

static void what_cannot_be_is_refused(const struct place *place)
{
	struct ptowsp_backend *other;
	struct ptowsp_program *program;
	struct ptowsp_fence *fence, *theirs;

	begin(place);
	program = load(INCREMENT);
	fence = fence_make(place, 0);
	other = backend_open(place);
	REQUIRE_INT(ptowsp_fence_create(&theirs, other, 0, &error), 0);
	CHECK_INT(ptowsp_run_wait(program, theirs, 1, &error), PTOWSP_INVALID);
	CHECK_INT(ptowsp_run_signal(program, theirs, 1, &error), PTOWSP_INVALID);
	CHECK_CONTAINS(error.text, "the fence is one of another backend");
	fence_end(theirs);
	ptowsp_backend_close(other);
	for (int i = 0; i < MANY; i++)
		CHECK_INT(ptowsp_run_wait(program, fence, 0, &error), 0);
	CHECK_INT(ptowsp_run_wait(program, fence, 0, &error), PTOWSP_INVALID);
	CHECK_INT(ptowsp_fence_destroy(fence, &error), PTOWSP_INVALID);
	CHECK_CONTAINS(error.text, "runs that wait for the fence or signal it: 64; they end first");
	CHECK_INT(ptowsp_execute(program, NULL, &error), 0);
	fence_end(fence);
	fence_end(NULL);
	end();
}

/* What it waits for is never signalled, and nobody asks again. */
static void a_waiting_run_is_unloaded(const struct place *place)
{
	struct ptowsp_fence *never;

	begin(place);
	never = fence_make(place, 0);
	start(load(INCREMENT), never, 1, never, 2, place->apart ? 10 * MS : 0);
	ptowsp_program_unload(host.programs[0]);
	host.count = 0;
	CHECK(host.y[0] == 0);
	fence_end(never);
	end();
}

#define EVERYWHERE(name)                                                                                                                                       \
	TEST(of_##name)                                                                                                                                        \
	{                                                                                                                                                      \
		for (int i = 0; i < PLACES; i++)                                                                                                               \
			name(&places[i]);                                                                                                                      \
	}
EVERYWHERE(values_only_grow)
EVERYWHERE(runs_take_turns)
EVERYWHERE(a_run_waits_for_its_caller)
EVERYWHERE(failures_stay)
EVERYWHERE(a_waiting_run_is_cancelled)
EVERYWHERE(another_thread_signals)
EVERYWHERE(what_cannot_be_is_refused)
EVERYWHERE(a_waiting_run_is_unloaded)
