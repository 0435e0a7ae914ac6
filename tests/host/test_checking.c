/* SPDX-License-Identifier: MIT */
/* test_checking.c - a plugin that tests the host (tests/checking): no path of ptowsp-run and of the embedding API breaks a rule of abi/README.md. */
#include "tests/check.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "host/ptowsp_host.h"

#define EMPTY           "{\"schema\": \"ptowsp.package/1\", \"WORK\": {\"instructions\": [[\"halt\"]]}, \"ENTR\": [{\"name\": \"main\", \"flags\": 1}]}"
#define SAID_AT_THE_END ", all as they should be"

static const char *const paths[][3] = {
	/* test, arguments of ptowsp-run, what it does; $P is the plugin */
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
	REQUIRE_INT(check_run(check_fmt("cd %s && echo '%s' >e.json && %s/bin/ptowsp-pack --from-json e.json -o e.pkg.zst", check_tmp(), EMPTY, check_build()),
			      NULL, NULL),
		    0);
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
		rc = check_run(check_fmt("cd %s && export XDG_CACHE_HOME=\"$PWD/cache\" && D=%s/test/checking && P=\"-v --isolate=%s "
					 "--plugin=$D/libptowsp_checking.so\" && timeout -s KILL 60 "
					 "%s/bin/ptowsp-run %s",
					 check_dir(), check_build(), isolate + 4, check_build(), paths[i][1]),
			       &out, &err);
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

/* Only what it gave, under the same key, comes back. */
TEST(what_it_compiles_comes_back)
{
	static const char *const isolate[] = {"none", "process", "sandbox"};
	char *out, *err;

	package_make();
	for (size_t i = 0; i < 2 * sizeof(isolate) / sizeof(*isolate); i++) {
		CHECK_INT(check_run(check_fmt("cd %s && export XDG_CACHE_HOME=\"$PWD/cache\" && %s/bin/ptowsp-run --stats -v --isolate=%s "
					      "--plugin=%s/test/checking/libptowsp_checking.so --layer=validate,threads e.pkg.zst",
					      check_dir(), check_build(), isolate[i % 3], check_build()),
				    &out, &err),
			  0);
		if (i)
			CHECK_CONTAINS(out, "compiled earlier: 1 pieces of 34 bytes were found");
		CHECK_CONTAINS(err, SAID_AT_THE_END);
		CHECK(!strstr(err, "host bug") && !strstr(err, "the host broke"));
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

struct life {
	struct ptowsp_package *package;
	struct ptowsp_plan *plan;
	struct ptowsp_backend *backend;
};

static ptowsp_status life_begin(struct life *life, struct embedded *e)
{
	struct ptowsp_backend_options options = {.plugin = "checking",
						 .plugin_dirs = &e->dir,
						 .plugin_dir_count = 1,
						 .isolate = e->isolate,
						 .log = on_log,
						 .log_context = e,
						 .layers = "validate,threads",
						 .breach = &e->breach};
	ptowsp_status status = ptowsp_package_open(&life->package, e->package, 0, &e->error);

	if (!status)
		status = ptowsp_plan_create(&life->plan, life->package, NULL, &e->error);
	return status ? status : ptowsp_backend_open(&life->backend, &options, &e->error);
}

static void life_end(struct life *life)
{
	ptowsp_backend_close(life->backend);
	ptowsp_plan_destroy(life->plan);
	ptowsp_package_close(life->package);
}

static void fenced_run(struct embedded *e)
{
	struct life life = {NULL, NULL, NULL};
	struct ptowsp_program *program = NULL;
	struct ptowsp_fence *fence = NULL;
	uint64_t value = 0;
	ptowsp_status status = life_begin(&life, e);

	if (!status)
		status = ptowsp_program_load(&program, life.backend, life.plan, 0, &e->error);
	if (!status)
		status = ptowsp_fence_create(&fence, life.backend, 0, &e->error);
	CHECK_INT(fence && ptowsp_fence_is_apart(fence), 1);
	for (uint64_t turn = 0; turn < 3 && !status; turn++) {
		CHECK_INT(ptowsp_run_wait(program, fence, 2 * turn + 1, &e->error), 0);
		CHECK_INT(ptowsp_run_signal(program, fence, 2 * turn + 2, &e->error), 0);
		CHECK_INT(ptowsp_execute_async(program, NULL, &e->error), 0);
		CHECK_INT(ptowsp_fence_signal(fence, 2 * turn + 1, &e->error), 0);
		CHECK_INT(ptowsp_synchronize(program, UINT64_MAX, &e->error), 0);
		CHECK_INT(ptowsp_fence_wait(fence, 2 * turn + 2, UINT64_MAX, &e->error), 0);
		CHECK_INT(ptowsp_fence_read(fence, &value, &e->error), 0);
		CHECK_INT(value, 2 * turn + 2);
	}
	if (fence)
		CHECK_INT(ptowsp_fence_destroy(fence, &e->error), 0);
	ptowsp_program_unload(program);
	life_end(&life);
}

/* A backend of its own, two programs, each run and reloaded some times. */
static void *embedded_run(void *context)
{
	struct embedded *e = context;
	struct life life = {NULL, NULL, NULL};
	struct ptowsp_program *programs[2] = {NULL, NULL};
	ptowsp_status status = life_begin(&life, e);

	for (int round = 0; round < 6 && !status; round++) {
		status = ptowsp_program_load(&programs[round & 1], life.backend, life.plan, 0, &e->error);
		for (int run = 0; run < 5 && !status; run++)
			status = ptowsp_execute_async(programs[round & 1], NULL, &e->error) ? e->error.code
											    : ptowsp_synchronize(programs[round & 1], UINT64_MAX, &e->error);
		if (round < 5) {
			ptowsp_program_unload(programs[!(round & 1)]);
			programs[!(round & 1)] = NULL;
		}
	}
	ptowsp_program_unload(programs[0]);
	ptowsp_program_unload(programs[1]);
	life_end(&life);
	return NULL;
}

/* A run waits for what the caller signals, and signals what the caller waits for. */
TEST(fences_are_handed_over_as_they_should_be)
{
	static const uint32_t isolates[] = {PTOWSP_ISOLATE_NONE, PTOWSP_ISOLATE_PROCESS, PTOWSP_ISOLATE_SANDBOX};
	const char *const dir = check_fmt("%s/test/checking", check_build());

	package_make();
	for (size_t i = 0; i < sizeof(isolates) / sizeof(*isolates); i++) {
		struct embedded e = {.error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)},
				     .isolate = isolates[i],
				     .package = check_fmt("%s/e.pkg.zst", check_dir()),
				     .dir = dir};

		fenced_run(&e);
		CHECK_STR(e.error.text, "");
		CHECK_STR(e.breach.text, "");
		CHECK_CONTAINS(e.log, SAID_AT_THE_END);
	}
}

static void two_threads(uint32_t isolate)
{
	static struct embedded sides[2];
	pthread_t threads[2];

	package_make();
	for (int i = 0; i < 2; i++) {
		sides[i] = (struct embedded){.error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)},
					     .isolate = isolate,
					     .package = check_fmt("%s/e.pkg.zst", check_dir()),
					     .dir = check_fmt("%s/test/checking", check_build())};
		REQUIRE_INT(pthread_create(&threads[i], NULL, embedded_run, &sides[i]), 0);
	}
	for (int i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		CHECK_STR(sides[i].error.text, "");
		CHECK_STR(sides[i].breach.text, "");
		CHECK_CONTAINS(sides[i].log, SAID_AT_THE_END);
	}
}

TEST(two_threads_with_two_programs_each_in_this_process)
{
	two_threads(PTOWSP_ISOLATE_NONE);
}

TEST(two_threads_with_two_programs_each_in_workers)
{
	two_threads(PTOWSP_ISOLATE_PROCESS);
}

void suite_checking(CU_pSuite s)
{
	static const char *const isolates[] = {"none", "process", "sandbox"};

	for (size_t i = 0; i < PATHS; i++)
		for (size_t k = 0; k < 3; k++)
			check_add(s, check_fmt("%s_in_%s", paths[i][0], isolates[k]), a_path);
}
