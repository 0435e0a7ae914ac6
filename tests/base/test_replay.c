/* SPDX-License-Identifier: MIT */
/* test_replay.c - logs of layer trace: a run's calls once more give the same, another backend differs, and damaged logs are refused. */
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/call/tape.h"
#include "host/layers/replay.h"
#include "host/ptowsp_host.h"

static struct ptowsp_error error;
static struct host_replay_result result;

static const char *plugin_of(const char *name)
{
	return check_fmt("%s/lib/ptowsp/plugins/libptowsp_%s.so", check_build(), name);
}

/* A log of a run on a backend; its path. */
static const char *log_make(const char *plugin, const char *package)
{
	static char path[1024];
	char *err = NULL;

	strncpy(path, check_fmt("%s/run.calls", check_tmp()), sizeof(path) - 1);
	if (check_run(check_fmt("'%s/bin/ptowsp-run' --plugin=%s --isolate=none --layer=trace:'%s',validate '%s/packages/%s.pkg.zst'", check_build(), plugin,
				path, check_build(), package),
		      NULL, &err))
		CHECK_FAIL("%s", err);
	free(err);
	return path;
}

/* A log that is not whole is not passed over: the run was made for it. */
TEST(a_log_that_cannot_be_written_is_an_error)
{
	char *err = NULL;

	CHECK_INT(check_run(check_fmt("ulimit -f 8; '%s/bin/ptowsp-run' --layer=trace:'%s/run.calls' '%s/packages/vector_add.pkg.zst'", check_build(),
				      check_tmp(), check_build()),
			    NULL, &err),
		  2);
	CHECK_CONTAINS(err, "run.calls ends early, a replay shows less than the run did: File too large");
	free(err);
}

/* A FIFO once stood still until somebody read it, and devices were taken as if a replay could read them. */
TEST(what_is_no_file_is_no_log)
{
	const char *const fifo = check_fmt("%s/fifo", check_tmp()), *const names[] = {fifo, "/dev/null", "/dev/zero", "/dev/full"};
	char *err = NULL;

	REQUIRE_INT(check_run(check_fmt("mkfifo '%s'", fifo), NULL, NULL), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		CHECK_INT(check_run(check_fmt("timeout -k 1 60 '%s/bin/ptowsp-run' --layer=trace:'%s' '%s/packages/vector_add.pkg.zst'", check_build(),
					      names[i], check_build()),
				    NULL, &err),
			  2);
		CHECK_CONTAINS(err, check_fmt("layer trace: %s: it is no file, and a log can be nothing else; name another one", names[i]));
		free(err);
	}
	CHECK_INT(check_run(check_fmt("'%s/bin/ptowsp-run' --layer=trace:'%s' '%s/packages/vector_add.pkg.zst'", check_build(), check_tmp(), check_build()),
			    NULL, &err),
		  2);
	CHECK_CONTAINS(err, "Is a directory");
	free(err);
}

static ptowsp_status replay(const char *file, const char *plugin)
{
	error = (struct ptowsp_error){.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	return host_replay(file, plugin_of(plugin), NULL, NULL, &result, &error);
}

TEST(a_run_gives_the_same_again)
{
	static const char *const plugins[] = {"cpu_sim", "a2a3sim", "aie"};

	for (size_t i = 0; i < 3; i++) {
		if (replay(log_make(plugins[i], "fused_softmax"), plugins[i]))
			CHECK_FAIL("%s: %s", plugins[i], error.text);
		CHECK_INT(result.runs, 1);
		CHECK_INT(result.differences, 0);
		CHECK(result.calls >= 8); /* init, devices, capabilities, open, load, submit, unload, close, fini at least */
	}
}

/* Statistics of a worker point nowhere where there are no rows, whatever their stride: what stands behind them was taken for damage, and then for the same. */
TEST(a_log_of_a_worker_is_compared_as_well)
{
	const char *path = check_fmt("%s/worker.calls", check_tmp());
	size_t size;
	char *log;

	REQUIRE_INT(check_run(check_fmt("'%s/bin/ptowsp-run' --isolate=process --layer=trace:'%s' '%s/packages/vector_add.pkg.zst'", check_build(), path,
					check_build()),
			      NULL, NULL),
		    0);
	CHECK_INT(replay(path, "cpu_sim"), 0);
	log = check_read(path, &size);
	REQUIRE(log != NULL && size > 32768);
	log[size / 2] ^= 1; /* of a tensor: they are most of it */
	REQUIRE(check_write(path, log, size));
	free(log);
	CHECK_INT(replay(path, "cpu_sim"), PTOWSP_MISMATCH);
	CHECK_CONTAINS(error.text, "has other elements");
}

TEST(a_log_without_a_call_is_none)
{
	const char *path = log_make("cpu_sim", "vector_add");
	size_t size;
	char *log = check_read(path, &size);

	REQUIRE(log != NULL && check_write(path, log, sizeof(struct tape_file)));
	free(log);
	CHECK_INT(replay(path, "cpu_sim"), PTOWSP_INVALID);
	CHECK_CONTAINS(error.text, "has no call");
}

TEST(another_backend_is_a_difference)
{
	CHECK_INT(replay(log_make("cpu_sim", "fused_softmax"), "a2a3sim"), PTOWSP_MISMATCH);
	CHECK(result.differences > 0);
	CHECK_CONTAINS(error.text, "answer differently");
}

/* Two devices, two backends: whoever comes second writes beside the first, and each is replayed by itself. */
TEST(a_run_on_two_devices_has_two_logs)
{
	size_t size;
	char *log;

	REQUIRE_INT(check_run(check_fmt("cd '%s' && '%s/bin/ptowsp-run' --plugin=cpu_sim --device=cpu0,cpu1 --isolate=none --layer=trace:two.calls "
					"'%s/packages/two_devices.pkg.zst'",
					check_tmp(), check_build(), check_build()),
			      NULL, NULL),
		    0);
	for (int i = 0; i < 2; i++) {
		uint64_t at = sizeof(struct tape_file);

		log = check_read(check_fmt("%s/two.calls%s", check_dir(), i ? ".2" : ""), &size);
		REQUIRE(log != NULL && size > at);
		while (at + sizeof(uint64_t) <= size && *(const uint64_t *)(const void *)(log + at) >= sizeof(struct tape_record))
			at += *(const uint64_t *)(const void *)(log + at); /* whole records to the end: nobody else wrote there */
		CHECK_UINT(at, size);
		free(log);
		if (replay(check_fmt("%s/two.calls%s", check_dir(), i ? ".2" : ""), "cpu_sim")) /* what the other one told it then is in the log */
			CHECK_FAIL("log %d: %s", i, error.text);
		CHECK_INT(result.runs, 1);
	}
}

/* A log of a run that waits for a fence and signals it. `later`: what it waits for is signalled behind submit. */
static const char *fenced_log_make(bool later)
{
	const char *const path = check_fmt("%s/fenced%d.calls", check_tmp(), later);
	const struct ptowsp_backend_options options = {.plugin = "cpu_sim", .isolate = PTOWSP_ISOLATE_NONE, .layers = check_fmt("trace:%s,validate", path)};
	struct ptowsp_package *package = NULL;
	struct ptowsp_plan *plan = NULL;
	struct ptowsp_backend *backend = NULL;
	struct ptowsp_program *program = NULL;
	struct ptowsp_fence *fence = NULL;

	REQUIRE_INT(ptowsp_package_open(&package, check_fmt("%s/packages/vector_add.pkg.zst", check_build()), 0, &error), 0);
	REQUIRE_INT(ptowsp_plan_create(&plan, package, NULL, &error), 0);
	REQUIRE_INT(ptowsp_backend_open(&backend, &options, &error), 0);
	REQUIRE_INT(ptowsp_program_load(&program, backend, plan, 0, &error), 0);
	REQUIRE_INT(ptowsp_fence_create(&fence, backend, later ? 0 : 1, &error), 0);
	CHECK_INT(ptowsp_run_wait(program, fence, 1, &error), 0);
	CHECK_INT(ptowsp_run_signal(program, fence, 2, &error), 0);
	CHECK_INT(ptowsp_execute_async(program, NULL, &error), 0);
	if (later)
		CHECK_INT(ptowsp_fence_signal(fence, 1, &error), 0);
	CHECK_INT(ptowsp_fence_wait(fence, 2, UINT64_MAX, &error), 0);
	CHECK_INT(ptowsp_synchronize(program, UINT64_MAX, &error), 0);
	CHECK_INT(ptowsp_fence_destroy(fence, &error), 0);
	ptowsp_program_unload(program);
	ptowsp_backend_close(backend);
	ptowsp_plan_destroy(plan);
	ptowsp_package_close(package);
	return path;
}

TEST(fences_are_made_again_and_a_run_that_waits_for_later_is_refused)
{
	if (replay(fenced_log_make(false), "cpu_sim"))
		CHECK_FAIL("%s", error.text);
	CHECK_INT(result.runs, 1);
	CHECK_INT(replay(fenced_log_make(true), "cpu_sim"), PTOWSP_UNSUPPORTED);
	CHECK_CONTAINS(error.text, "waits for a fence that only a later call signals");
}

TEST(the_tool_says_how_many_calls_it_made)
{
	const char *path = log_make("cpu_sim", "fused_softmax");
	char *out = NULL;

	CHECK_INT(check_run(check_fmt("'%s/bin/ptowsp-conform' --replay '%s' '%s'", check_build(), path, plugin_of("cpu_sim")), &out, NULL), 0);
	CHECK_CONTAINS(out, "1 runs, 0 differences");
	free(out);
	CHECK_INT(check_run(check_fmt("'%s/bin/ptowsp-conform' --replay '%s/nowhere' '%s'", check_build(), check_tmp(), plugin_of("cpu_sim")), &out, NULL), 4);
	CHECK_STR(out, ""); /* nothing was compared */
	free(out);
}

TEST(what_is_no_log_is_refused)
{
	CHECK_INT(replay(check_fmt("%s/nowhere", check_tmp()), "cpu_sim"), PTOWSP_IO);
	CHECK_INT(replay(check_fmt("%s/README.md", check_root()), "cpu_sim"), PTOWSP_INVALID);
	CHECK_CONTAINS(error.text, "is no log of layer trace");
}

/* Cut at any place, and with any word of its beginning changed: refused or replayed, never more. */
TEST(a_damaged_log_is_refused)
{
	size_t size;
	char path[1024], *log;
	unsigned refused = 0;

	strncpy(path, log_make("cpu_sim", "vector_add"), sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	log = check_read(path, &size);
	REQUIRE(log != NULL && size > 4096);
	for (size_t cut = 0; cut < size; cut += cut < 4096 ? 88 : size / 16) {
		REQUIRE(check_write(path, log, cut));
		refused += replay(path, "cpu_sim") == PTOWSP_INVALID;
	}
	CHECK(refused > 20);
	for (size_t at = sizeof(struct tape_file); at < 2048; at += 8) {
		char was[8];

		memcpy(was, log + at, 8);
		memset(log + at, 0xFE, 8);
		REQUIRE(check_write(path, log, 2048));
		CHECK(replay(path, "cpu_sim") != PTOWSP_OK);
		memcpy(log + at, was, 8);
	}
	free(log);
}

TEST(a_log_of_another_description_is_refused)
{
	size_t size;
	const char *path = log_make("cpu_sim", "vector_add");
	char *log = check_read(path, &size);

	REQUIRE(log != NULL);
	log[offsetof(struct tape_file, description)] ^= 1;
	REQUIRE(check_write(path, log, size));
	CHECK_INT(replay(path, "cpu_sim"), PTOWSP_INVALID);
	CHECK_CONTAINS(error.text, "another description");
	free(log);
}
