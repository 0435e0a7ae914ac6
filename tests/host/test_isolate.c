/* SPDX-License-Identifier: MIT */
/* test_isolate.c - plugins in processes of their own: the same results, copies and shared memory, what a sandbox takes away, several devices. */
#include "ptowsp/note.h"
#include "tests/check.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "host/run/runs.h"
#include "host/sandbox/confine.h"
#include "host/worker/isolate.h"
#include "tests/host/moody.h"
#include "tests/taskgraph/one_task.h"

static struct ptowsp_error error;

/* ---- the same results ---------------------------------------------------------------------------------------- */

static const char *const isolations[] = {"none", "process", "sandbox"};

/* Figures that wall time does not touch, the trace, and the tensors. */
static char *example_run(const char *name, const char *isolate)
{
	char *out = NULL, *err = NULL;
	const char *dir = check_dir();
	int rc = check_run(check_fmt("cd %s && %s/bin/ptowsp-run --isolate=%s --threads 1 --trace %s.%s.json --graph %s.%s.txt %s/packages/%s.pkg.zst", dir,
				     check_build(), isolate, name, isolate, name, isolate, check_build(), name),
			   &out, &err);

	CHECK_INT(rc, 0);
	if (rc)
		CHECK_FAIL("%s in %s: %s", name, isolate, err);
	free(err);
	return out;
}

TEST(examples_do_the_same_wherever_they_run)
{
	static const char *const names[] = {"vector_add", "softmax", "csp", "fan_in", "matmul_diamond", "tiles"};

	check_tmp();
	for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++) {
		char *reference = example_run(names[n], "none");

		for (int i = 1; i < 3; i++) {
			char *out = example_run(names[n], isolations[i]), *cut = out ? strstr(out, "(reference)") : NULL;

			REQUIRE(cut && reference);
			CHECK(!strncmp(out, reference, (size_t)(cut - out)));
			CHECK_INT(check_run(check_fmt("cd %s && cmp %s.none.json %s.%s.json && cmp %s.none.txt %s.%s.txt", check_dir(), names[n], names[n],
						      isolations[i], names[n], names[n], isolations[i]),
					    NULL, NULL),
				  0);
			free(out);
		}
		free(reference);
	}
}

TEST(a_tool_says_where_the_plugin_runs)
{
	char *out = NULL;

	CHECK_INT(check_run(check_fmt("%s/bin/ptowsp-run --isolate=process --stats=json %s/packages/vector_add.pkg.zst", check_build(), check_build()), &out,
			    NULL),
		  0);
	CHECK_CONTAINS(out, "\"isolation\": \"process\"");
	CHECK_CONTAINS(out, "\"isolation_copy_bytes\": 0"); /* the host's own tensors lie in shared memory */
	free(out);
	CHECK_INT(
		check_run(check_fmt("%s/bin/ptowsp-run --isolate=process --explain %s/packages/vector_add.pkg.zst", check_build(), check_build()), &out, NULL),
		0);
	CHECK_CONTAINS(out, "isolation: process");
	free(out);
	CHECK_INT(check_run(check_fmt("%s/bin/ptowsp-run --isolate=prison %s/packages/vector_add.pkg.zst", check_build(), check_build()), NULL, &out), 2);
	CHECK_CONTAINS(out, "neither none, process nor sandbox");
	free(out);
}

TEST(the_host_says_what_protects_it)
{
	char *out = NULL, *err = NULL;

	CHECK_INT(check_run(check_fmt("%s/bin/ptowsp-run --capabilities --host --json", check_build()), &out, NULL), 0);
	CHECK_CONTAINS(out, "\"isolation\"");
	CHECK_CONTAINS(out, "\"memory sealing\"");
	CHECK_CONTAINS(out, "\"landlock\"");
	CHECK_CONTAINS(out, "\"sandbox limits\"");
	free(out);
	CHECK_INT(check_run(check_fmt("%s/bin/ptowsp-run --host --devices", check_build()), NULL, &err), 2);
	CHECK_CONTAINS(err, "--capabilities");
	free(err);
}

/* ---- memory -------------------------------------------------------------------------------------------------- */

enum { ELEMENTS = 2048 };

static ptowsp_status add_run(struct moody *s, float *x, float *y, float *z)
{
	struct ptowsp_backend_options options = {.plugin = "cpu_sim", .isolate = PTOWSP_ISOLATE_PROCESS};
	float *const memory[] = {x, y, z};
	struct ptowsp_tensor_info info;
	ptowsp_status status = moody_package(s, check_fmt("%s/packages/vector_add.pkg.zst", check_build()), &error);

	if (!status)
		status = ptowsp_backend_open(&s->backend, &options, &error);
	if (!status)
		status = ptowsp_program_load(&s->program, s->backend, s->plan, 0, &error);
	for (uint32_t i = 0; i < 3 && !status; i++)
		status = ptowsp_plan_tensor(s->plan, i, &info) ? ptowsp_tensor_bind(s->program, info.name, memory[i], ELEMENTS, &error) : PTOWSP_NOT_FOUND;
	return status ? status : ptowsp_execute(s->program, NULL, &error);
}

static void numbers_fill(float *x, float *y, float *z)
{
	for (int i = 0; i < ELEMENTS; i++) {
		x[i] = (float)i;
		y[i] = 0.5f * (float)i;
		z[i] = -1;
	}
}

TEST(memory_of_the_caller_is_copied_and_counted)
{
	static float x[ELEMENTS], y[ELEMENTS], z[ELEMENTS];
	struct moody s = {0};

	numbers_fill(x, y, z);
	CHECK_INT(add_run(&s, x, y, z), 0);
	CHECK_NEAR(z[100], 150, 0);
	CHECK_NEAR(z[ELEMENTS - 1], 1.5 * (ELEMENTS - 1), 0);
	CHECK_UINT(ptowsp_backend_copied(s.backend), sizeof(x) + sizeof(y) + 2 * sizeof(z)); /* inputs come in, the output in and out */
	moody_close(&s);
}

TEST(shared_buffers_are_not_copied)
{
	struct moody s = {0};
	void *m[3];

	for (int i = 0; i < 3; i++)
		REQUIRE_INT(ptowsp_buffer_alloc(&m[i], ELEMENTS * sizeof(float), &error), 0);
	numbers_fill(m[0], m[1], m[2]);
	CHECK_INT(add_run(&s, m[0], m[1], m[2]), 0);
	CHECK_NEAR(((float *)m[2])[100], 150, 0);
	CHECK_UINT(ptowsp_backend_copied(s.backend), 0);
	for (int run = 0; run < 20; run++) { /* new ones take the place of those that went */
		ptowsp_buffer_free(m[0]);
		REQUIRE_INT(ptowsp_buffer_alloc(&m[0], ELEMENTS * sizeof(float), &error), 0);
		((float *)m[0])[7] = (float)run;
		CHECK_INT(ptowsp_tensor_bind(s.program, "a", m[0], ELEMENTS, &error), 0);
		CHECK_INT(ptowsp_execute(s.program, NULL, &error), 0);
		CHECK_NEAR(((float *)m[2])[7], 3.5 + run, 0);
	}
	CHECK_UINT(ptowsp_backend_copied(s.backend), 0);
	moody_close(&s);
	for (int i = 0; i < 3; i++)
		ptowsp_buffer_free(m[i]);
	ptowsp_buffer_free(NULL);
}

/* A run of so many tensors that their files have no room on the socket at once. */
TEST(a_run_has_any_number_of_tensors)
{
	enum { TENSORS = 399 };
	static char text[64 * 1024];
	size_t used = 0;
	char *out = NULL;

#define ADD(...) used += (size_t)snprintf(text + used, sizeof(text) - used, __VA_ARGS__)
	ADD("// PTO Module: many\n// Entry: @many\n\n// Function Type: InCore\nfunc @copy(%%x: !pto.memref<gm,...,f32>, %%y: !pto.memref<gm,...,f32>) {\n"
	    "  %%t = alloc_tile : !pto.tile<1x8xf32>\n  %%t = tload %%x[0, 0] : (!pto.memref<gm,...,f32>, index, index) -> !pto.tile<1x8xf32>\n"
	    "  tstore %%t, %%y[0, 0]\n  return\n}\n\n// Function Type: Orchestration\nfunc @many(");
	for (int i = 0; i < TENSORS; i++)
		ADD("%s%%t%d: !pto.memref<gm,...,f32>", i ? ", " : "", i);
	ADD(") {\n");
	for (int i = 1; i < TENSORS; i++)
		ADD("  CALL @copy(%%x -> (%%t%d, 0, 0), %%y -> (%%t%d, 0, 0))\n", i - 1, i);
	ADD("  return\n}\n");
#undef ADD
	REQUIRE(used < sizeof(text) && check_write(check_fmt("%s/many.pto", check_tmp()), text, used));
	CHECK_INT(check_run(check_fmt("cd '%s' && '%s/bin/ptowsp-pack' many.pto -o many.pkg.zst && '%s/bin/ptowsp-run' --isolate=process --timeout-ms 30000 "
				      "many.pkg.zst",
				      check_dir(), check_build(), check_build()),
			    &out, NULL),
		  0);
	CHECK_CONTAINS(out, "398 tasks");
	free(out);
}

/* ---- what it may not do, what is refused ----------------------------------------------------------------------- */

/* Tensors of the host are none of its doing: more of them than it may take itself. */
TEST(tensors_do_not_count_as_a_sandbox_s_own)
{
	char *err = NULL;

	if (!host_landlock_version() || !host_seccomp_there() || PTOWSP_SANITIZER)
		CHECK_SKIP("this kernel has no Landlock or no seccomp, or a sanitizer's own memory counts");
	CHECK_INT(check_run(check_fmt("%s/bin/ptowsp-run --isolate=sandbox --threads 2 --sandbox-memory %d --set total_rows=600000 --fill x=random:7 "
				      "%s/packages/softmax.pkg.zst",
				      check_build(), 96 << 20, check_build()),
			    NULL, &err),
		  0);
	if (err && *err)
		CHECK_FAIL("%s", err);
	free(err);
}

TEST(a_refusal_by_the_sandbox_says_that_it_was_the_sandbox)
{
	struct moody s = {0};

	if (!host_landlock_version() || !host_seccomp_there())
		CHECK_SKIP("this kernel has no Landlock or no seccomp");
	for (uint32_t isolate = PTOWSP_ISOLATE_PROCESS; isolate <= PTOWSP_ISOLATE_SANDBOX; isolate++) {
		REQUIRE_INT(moody_package(&s, moody_empty(), &error), 0);
		REQUIRE_INT(moody_backend(&s, "reads", isolate, 0, &error), 0);
		CHECK_INT(ptowsp_program_load(&s.program, s.backend, s.plan, 0, &error), isolate == PTOWSP_ISOLATE_SANDBOX ? PTOWSP_IO : 0);
		if (isolate == PTOWSP_ISOLATE_SANDBOX)
			CHECK_STR(error.text, "Permission denied; it runs in a sandbox, which may do little; --isolate=process lets it do that");
		moody_close(&s);
	}
}

/* Devices, files, memory and calls of its note, and nothing beside them; a process of its own without a sandbox has all. */
TEST(a_sandbox_gives_what_the_note_asks_for)
{
	struct moody s = {.asks = true}, without = {0};

	if (!host_landlock_version() || !host_seccomp_there())
		CHECK_SKIP("this kernel has no Landlock or no seccomp");
	REQUIRE_INT(moody_backend(&s, "asks:init", PTOWSP_ISOLATE_SANDBOX, 0, &error), 0);
	CHECK_CONTAINS(s.log, "passwd yes, group no, full yes, tty no, ioctl yes, locked yes, allocated yes, flock no");
	moody_close(&s);
	REQUIRE_INT(moody_backend(&without, "asks:init", PTOWSP_ISOLATE_SANDBOX, 0, &error), 0);
	CHECK_CONTAINS(without.log, "passwd no, group no, full no, tty no, ioctl no, locked no, allocated no, flock no");
	moody_close(&without);
}

/* Whose file it is decides, unless a list or a signature has. */
TEST(grants_are_for_those_who_are_trusted)
{
	const char *path = check_fmt("%s/plugin.so", check_tmp());

	REQUIRE(check_write(path, "x", 1));
	CHECK(host_isolate_grants(path, PTOWSP_PLUGINS_ANY));
	CHECK(!host_isolate_grants(check_fmt("%s/none", check_dir()), PTOWSP_PLUGINS_ANY));
	if (chown(path, 65534, 65534))
		CHECK_SKIP("nobody but root gives a file away");
	CHECK(!host_isolate_grants(path, PTOWSP_PLUGINS_ANY));
	CHECK(host_isolate_grants(path, PTOWSP_PLUGINS_LISTED));
	CHECK(host_isolate_grants(path, PTOWSP_PLUGINS_SIGNED));
}

/* What it writes to standard error comes out as a line of plain text, behind what is there. */
TEST(a_sandbox_has_no_descriptor_of_its_host)
{
	char *said;

	if (!host_landlock_version() || !host_seccomp_there())
		CHECK_SKIP("this kernel has no Landlock or no seccomp");
	CHECK_INT(check_run(check_fmt("cd '%s' && echo before >said.txt && '%s/bin/ptowsp-run' --devices --isolate=sandbox "
				      "--plugin='%s/test/isolate/libptowsp_moody.so' --opt mood=spoils:init 2>>said.txt",
				      check_tmp(), check_build(), check_build()),
			    NULL, NULL),
		  0);
	said = check_read(check_fmt("%s/said.txt", check_dir()), NULL);
	CHECK_CONTAINS(said, "before\n");
	CHECK_CONTAINS(said, " [31mred\n");
	CHECK(said && !strchr(said, '\033'));
	free(said);
}

/* Too little for a worker, for the plugin, for its threads: who fails differs, and the flags are named. */
TEST(a_sandbox_that_is_too_small_names_its_flags)
{
	static const int sizes[] = {1000, 1000000, 4000000, 10000000};
	char *err = NULL;

	if (!host_landlock_version() || !host_seccomp_there())
		CHECK_SKIP("this kernel has no Landlock or no seccomp");
	if (PTOWSP_SANITIZER)
		CHECK_SKIP("sanitizers have memory of their own");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		const int status = check_run(check_fmt("%s/bin/ptowsp-run --isolate=sandbox --threads 2 --sandbox-memory %d %s/packages/vector_add.pkg.zst",
						       check_build(), sizes[i], check_build()),
					     NULL, &err);

		if (status != 1 && status != 9)
			CHECK_FAIL("exit %d with %d bytes: %s", status, sizes[i], err);
		CHECK_CONTAINS(err, "--sandbox-memory");
		CHECK_CONTAINS(err, check_fmt("%d bytes", sizes[i]));
		free(err);
	}
}

TEST(a_sandbox_with_fewer_threads_than_it_has_does_not_run)
{
	static const struct {
		const char *flags, *said;
		int status;
	} rows[] = {{"--isolate=sandbox --sandbox-threads 1 --threads 16", "--sandbox-threads 1 has no room for --threads 16", 2},
		    {"--isolate=sandbox --sandbox-threads 9 --threads 8", "its sandbox had more than 9 threads (--sandbox-threads)", 9},
		    {"--isolate=sandbox --sandbox-threads 1", "its sandbox had more than 1 threads (--sandbox-threads)", 9},
		    {"--isolate=process --sandbox-threads 9", "go with --isolate=sandbox", 2},
		    {"--isolate=sandbox --sandbox-threads 40 --threads 8", "", 0}};
	char *err = NULL;

	if (!host_landlock_version() || !host_seccomp_there())
		CHECK_SKIP("this kernel has no Landlock or no seccomp");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK_INT(check_run(check_fmt("%s/bin/ptowsp-run %s %s/packages/vector_add.pkg.zst", check_build(), rows[i].flags, check_build()), NULL, &err),
			  rows[i].status);
		CHECK_CONTAINS(err, rows[i].said);
		free(err);
	}
}

/* Whatever lies beside a plugin can be read by it. */
TEST(a_folder_with_more_than_plugins_is_warned_of)
{
	char *err = NULL;

	if (!host_landlock_version() || !host_seccomp_there())
		CHECK_SKIP("this kernel has no Landlock or no seccomp");
	REQUIRE_INT(check_run(check_fmt("cp %s/lib/ptowsp/plugins/libptowsp_cpu_sim.so %s", check_build(), check_tmp()), NULL, NULL), 0);
	for (int more = 0; more < 2; more++) {
		CHECK_INT(check_run(check_fmt("cd %s && %s %s/bin/ptowsp-run --isolate=sandbox --plugin=./libptowsp_cpu_sim.so %s/packages/vector_add.pkg.zst",
					      check_dir(), more ? "touch secret.txt;" : "", check_build(), check_build()),
				    NULL, &err),
			  0);
		if (more)
			CHECK_CONTAINS(err, "holds more than plugins (secret.txt)");
		else
			CHECK_STR(err, "");
		free(err);
	}
}

/* Code that was written runs nowhere, where the kernel can forbid it. */
TEST(a_sandbox_takes_files_network_and_processes_away)
{
	struct moody s = {0};

	if (!host_landlock_version() || !host_seccomp_there())
		CHECK_SKIP("this kernel has no Landlock or no seccomp");
	for (uint32_t isolate = PTOWSP_ISOLATE_PROCESS; isolate <= PTOWSP_ISOLATE_SANDBOX; isolate++) {
		REQUIRE_INT(moody_backend(&s, "tries:init", isolate, 0, &error), 0);
		CHECK_UINT(ptowsp_backend_isolation(s.backend), isolate);
		CHECK_CONTAINS(s.log,
			       isolate == PTOWSP_ISOLATE_SANDBOX ? "file no, secret no, network no, child no" : "file yes, secret yes, network yes, child yes");
		if (host_mdwe_there())
			CHECK_CONTAINS(s.log, "code no");
		CHECK_CONTAINS(s.log, isolate == PTOWSP_ISOLATE_SANDBOX ? "limits no, signals no" : "limits yes, signals yes"); /* of the host */
		moody_close(&s);
	}
}

TEST(a_plugin_that_cannot_be_isolated_is_refused_with_that_reason)
{
	const char *plugin = check_fmt("%s/test/isolate/libptowsp_unsafe.so", check_build());
	struct ptowsp_backend_options options = {.plugin = plugin, .isolate = PTOWSP_ISOLATE_PROCESS};
	struct ptowsp_backend *backend;

	CHECK_INT(ptowsp_backend_open(&backend, &options, &error), PTOWSP_PLUGIN_REFUSED);
	CHECK_CONTAINS(error.text, "PTOWSP_PLUGIN_ISOLATION_UNSAFE");
}

static void nothing(void)
{
}

TEST(functions_of_the_embedding_program_are_not_there)
{
	const struct one_task spec = {.samples = true, .set = true};
	struct ptowsp_backend_options options = {.plugin = "cpu_sim", .isolate = PTOWSP_ISOLATE_PROCESS};
	struct moody s = {0};
	size_t size;
	void *bytes = one_task_pack(&spec, &size, &error);

	REQUIRE(bytes);
	ptowsp_kernel_register("combine", "v(p,p,p,i64)", nothing);
	REQUIRE_INT(ptowsp_package_open_memory(&s.package, bytes, size, "one", 0, &error), 0);
	REQUIRE_INT(ptowsp_plan_create(&s.plan, s.package, NULL, &error), 0);
	REQUIRE_INT(ptowsp_backend_open(&s.backend, &options, &error), 0);
	if (!ptowsp_program_load(&s.program, s.backend, s.plan, 0, &error))
		CHECK(ptowsp_execute(s.program, NULL, &error) != 0);
	CHECK_CONTAINS(error.text, "registered: none that an isolated plugin can call; --isolate=none");
	moody_close(&s);
	ptowsp_kernel_unregister("combine");
	free(bytes);
}

/* The row of a claim whose probe ended the worker holds nothing, whichever run of the probe it was. */
TEST(a_probe_that_loses_its_worker_proves_nothing)
{
	char *out = NULL, *err = NULL;

	CHECK_INT(check_run(check_fmt("%s/bin/ptowsp-run --capabilities --verify --isolate=process --plugin=%s/test/isolate/libptowsp_moody.so --opt "
				      "mood=kill:submit",
				      check_build(), check_build()),
			    &out, &err),
		  9);
	CHECK_CONTAINS(out, "\nTG_BEGIN                             -         lost        -         moody: its worker ended in submit: signal 9 ");
	CHECK_CONTAINS(err, "ptowsp-run: the probe of TG_BEGIN crashed the backend: ");
	free(out);
	free(err);
}

/* A plugin whose poll comes back at once is not asked without a pause, in the host or in a worker: that would take a processor. */
TEST(polls_that_complete_nothing_are_few)
{
	static const uint32_t where[] = {PTOWSP_ISOLATE_NONE, PTOWSP_ISOLATE_PROCESS};

	for (size_t i = 0; i < 2; i++) {
		struct moody s = {0};
		unsigned polls = 0;
		const char *said;

		REQUIRE_INT(moody_package(&s, moody_empty(), &error), 0);
		REQUIRE_INT(moody_backend(&s, "hasty", where[i], 0, &error), 0);
		REQUIRE_INT(ptowsp_program_load(&s.program, s.backend, s.plan, 0, &error), 0);
		CHECK_INT(ptowsp_execute(s.program, NULL, &error), 0);
		said = strstr(s.log, "polls ");
		CHECK(said && sscanf(said, "polls %u", &polls) == 1);
		CHECK(polls > 1 && polls < 2000); /* in 200 ms, and as many again where the machine is busy */
		moody_close(&s);
	}
}

static uint64_t clock_ns(pid_t process)
{
	struct timespec used = {0};
	clockid_t clock;

	return !clock_getcpuclockid(process, &clock) && !clock_gettime(clock, &used) ? (uint64_t)used.tv_sec * UINT64_C(1000000000) + (uint64_t)used.tv_nsec
										     : 0;
}

TEST(a_worker_that_nobody_asks_takes_no_processor_time)
{
	struct moody s = {0};
	char *below = NULL, *at;
	pid_t processes[8] = {0};
	uint64_t before = 0, after = 0;
	unsigned count = 0;

	REQUIRE_INT(moody_open(&s, moody_empty(), "", &error), 0);
	check_run(check_fmt("below() { for c in $(cat /proc/$1/task/*/children); do echo $c; below $c; done; }; below %d", (int)getpid()), &below, NULL);
	for (at = below; *at && count < 8; at += strspn(at, "\n"))
		processes[count++] = (pid_t)strtol(at, &at, 10);
	usleep(100000);
	for (unsigned i = 0; i < count; i++)
		before += clock_ns(processes[i]);
	usleep(400000);
	for (unsigned i = 0; i < count; i++)
		after += clock_ns(processes[i]);
	CHECK(before > 0); /* of those that are there still */
	CHECK(after - before < UINT64_C(20000000));
	free(below);
	moody_close(&s);
}

/* ---- several devices of one run --------------------------------------------------------------------------------- */

/* The first device adds ten to X, tells the second one, which does the same and tells the first; `last` is what that one waits for at the end. */
static const char *two_package(const char *last)
{
	static const char kernel[] = "func @ten(%x: !pto.memref<gm,...,i32>) {\n%t = alloc_tile : !pto.tile<1x8xi32>\n"
				     "%t = tload %x[0, 0] : (!pto.memref<gm,...,i32>, index, index) -> !pto.tile<1x8xi32>\n"
				     "%t = tadds %t, %1 : !pto.tile<1x8xi32>, i32\ntstore %t, %x[0, 0]\nreturn\n}\n";
	const char *text =
		check_fmt("%sgraph @first {\nTG_BEGIN(G)\nTG_KERNEL(A, ten, 1, AIV, 0) MC_BIND(A, 0, X, 0, 32)\nSY_NOTIFY(1, READY)\nTG_END(G)\nTG_LAUNCH(G, "
			  "s)\nSY_WAIT_NOTIFY(1, %s)\n}\n"
			  "graph @second on device 1 {\nSY_WAIT_NOTIFY(0, READY)\nTG_BEGIN(G)\nTG_KERNEL(B, ten, 1, AIV, 0) MC_BIND(B, 0, X, 0, 32)\n"
			  "SY_NOTIFY(0, DONE)\nTG_END(G)\nTG_LAUNCH(G, s)\nTG_SYNC(G)\n%s}\n",
			  kernel, last, strcmp(last, "DONE") ? "SY_WAIT_NOTIFY(0, LATER)\n" : "");
	const char *path = check_fmt("%s/two.pkg.zst", check_tmp());

	if (!check_write(check_fmt("%s/two.pto", check_dir()), text, strlen(text)) ||
	    check_run(check_fmt("%s/bin/ptowsp-pack %s/two.pto -o %s", check_build(), check_dir(), path), NULL, NULL))
		CHECK_FAIL("no package at %s", path);
	return path;
}

static ptowsp_status device_open(struct moody *s, const char *path, const char *entry, uint32_t isolate, void *x)
{
	const struct ptowsp_backend_options options = {.plugin = "cpu_sim", .isolate = isolate, .threads = 1};
	const struct ptowsp_plan_options plan = {.entry = entry};
	ptowsp_status status = ptowsp_package_open(&s->package, path, 0, &error);

	if (!status)
		status = ptowsp_plan_create(&s->plan, s->package, &plan, &error);
	if (!status)
		status = ptowsp_backend_open(&s->backend, &options, &error);
	if (!status)
		status = ptowsp_program_load(&s->program, s->backend, s->plan, 0, &error);
	return status ? status : ptowsp_tensor_bind(s->program, "X", x, 8, &error);
}

static ptowsp_status devices_start(struct moody s[2], const char *path, uint32_t first, uint32_t second, int32_t *x)
{
	const struct ptowsp_execute_options options = {.timeout_ns = UINT64_C(20000000000)};
	ptowsp_status status = device_open(&s[0], path, "first", first, x);

	if (!status)
		status = device_open(&s[1], path, "second", second, x);
	if (!status)
		status = ptowsp_programs_join((struct ptowsp_program *[]){s[0].program, s[1].program}, 2, &error);
	if (!status)
		status = ptowsp_execute_async(s[0].program, &options, &error);
	return status ? status : ptowsp_execute_async(s[1].program, &options, &error);
}

TEST(devices_in_different_processes_tell_each_other)
{
	static const uint32_t where[][2] = {
		{PTOWSP_ISOLATE_PROCESS, PTOWSP_ISOLATE_PROCESS}, {PTOWSP_ISOLATE_PROCESS, PTOWSP_ISOLATE_NONE}, {PTOWSP_ISOLATE_NONE, PTOWSP_ISOLATE_PROCESS}};
	struct moody s[2] = {{0}, {0}};
	void *x;

	for (size_t i = 0; i < 3; i++) {
		REQUIRE_INT(ptowsp_buffer_alloc(&x, 32, &error), 0);
		CHECK_INT(devices_start(s, two_package("DONE"), where[i][0], where[i][1], x), 0);
		CHECK_INT(ptowsp_synchronize(s[0].program, UINT64_MAX, &error), 0); /* nobody waits for the other one meanwhile */
		CHECK_INT(ptowsp_synchronize(s[1].program, UINT64_MAX, &error), 0);
		CHECK_INT(((int32_t *)x)[7], 2);
		moody_close(&s[0]);
		moody_close(&s[1]);
		ptowsp_buffer_free(x);
	}
}

TEST(a_device_whose_worker_ends_is_not_waited_for)
{
	struct moody s[2] = {{0}, {0}};
	void *x;

	REQUIRE_INT(ptowsp_buffer_alloc(&x, 32, &error), 0);
	for (int both = 0; both < 2; both++) { /* both wait: a deadlock; the worker of one is ended: the other one waits for nobody */
		REQUIRE_INT(devices_start(s, two_package(both ? "NEVER" : "DONE"), PTOWSP_ISOLATE_PROCESS, PTOWSP_ISOLATE_PROCESS, x), 0);
		if (!both)
			kill((pid_t)ptowsp_backend_worker(s[0].backend), SIGKILL);
		CHECK_INT(ptowsp_synchronize(s[0].program, UINT64_MAX, &error), both ? PTOWSP_DEADLOCK : PTOWSP_DEVICE_LOST);
		ptowsp_synchronize(s[1].program, UINT64_MAX, &error);
		if (both)
			CHECK_CONTAINS(error.text, "device 1 waits for notification LATER of device 0, which never comes");
		moody_close(&s[0]);
		moody_close(&s[1]);
	}
	ptowsp_buffer_free(x);
}

/* Each would have a copy of it. */
TEST(devices_need_memory_that_they_share)
{
	struct moody s[2] = {{0}, {0}};
	int32_t x[8] = {0};

	CHECK_INT(devices_start(s, two_package("DONE"), PTOWSP_ISOLATE_PROCESS, PTOWSP_ISOLATE_PROCESS, x), PTOWSP_UNSUPPORTED);
	CHECK_CONTAINS(error.text, "ptowsp_buffer_alloc");
	moody_close(&s[0]);
	moody_close(&s[1]);
}
