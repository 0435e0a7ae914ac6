/* SPDX-License-Identifier: MIT */
/* test_hostile.c - plugins that break one rule each, in the host's process, in one of their own, under the checking layers, and under ptowsp-conform. More that are refused
 * before they run are in test_lint.c, test_note.c and test_load.c. */
#include "host/ptowsp_host.h"
#include "host/sandbox/confine.h"
#include "ptowsp/buffers.h"
#include "ptowsp/note.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct verdict {
	const char *plugin;
	int in_process, isolated, sandboxed;
	const char *layer, *test, *sentence;
} verdicts[] = {
#define X(plugin, in_process, isolated, sandboxed, layer, test, sentence) {#plugin, in_process, isolated, sandboxed, layer, #test, sentence},
#include "tests/hostile/verdicts.def"
#undef X
};
enum { VERDICTS = sizeof(verdicts) / sizeof(*verdicts) };

/* The name of the test ends with the plugin. */
static const struct verdict *verdict(const char *before)
{
	const char *name = check_name() + strlen(before);

	for (size_t i = 0; i < VERDICTS; i++)
		if (!strcmp(verdicts[i].plugin, name))
			return &verdicts[i];
	return &verdicts[0];
}

/* Those of life.c, odd.c and sim.c are all the plugin null, in a folder each; those of plugin.c have names. */
static const char *path(const struct verdict *v)
{
	const char *folder = check_fmt("%s/tests/hostile/%s/libptowsp_null.so", check_build(), v->plugin);

	return access(folder, R_OK) ? check_fmt("%s/tests/hostile/libptowsp_%s.so", check_build(), v->plugin) : folder;
}

/* ---- all runs, a few at a time, because some take their whole time ------------------------------------------------ */

#define RUN "timeout -s KILL 60 %s/bin/ptowsp-run --cache=off %s --timeout-ms %d --load-timeout-ms %d --plugin=%s e.pkg.zst"
/* A sanitizer takes some of it, too. */
#if PTOWSP_SANITIZER
#define SANDBOX_MEMORY "2147483648"
#else
#define SANDBOX_MEMORY "268435456"
#endif
static const struct way {
	const char *name, *options;
	int hang_ms; /* what a plugin gets that is to hang */
} ways[] = {
	{"in_process", "--isolate=none", 300},
	{"isolated", "--isolate=process", 1000},
	{"sandboxed", "--isolate=sandbox --sandbox-memory " SANDBOX_MEMORY " --sandbox-threads 64 --sandbox-cpu 3", 1000},
	{"layered", "--isolate=none --layer=validate,threads", 300},
};
/* What another one gets, however busy the machine is: a sanitizer takes its time to tell of a crash. */
enum { PATIENCE_MS = 60000 };

static const char *folder(void)
{
	return check_fmt("%s/test/hostile.runs", check_build());
}

/* One line of a shell for each plugin and way; its output and its status become files. */
static char *commands_make(void)
{
	size_t size = 1 << 20, used = 0;
	char *text = malloc(size);

	for (size_t i = 0; text && i < VERDICTS; i++) {
		const struct verdict *v = &verdicts[i];

		for (size_t k = 0; k < sizeof(ways) / sizeof(*ways); k++) {
			const int ms = v->in_process == 10 || v->isolated == 10 ? ways[k].hang_ms : PATIENCE_MS;

			used += (size_t)snprintf(text + used, size - used, RUN " >%s.%s.out 2>&1; echo $? >%s.%s\n", check_build(), ways[k].options, ms, ms,
						 path(v), v->plugin, ways[k].name, v->plugin, ways[k].name);
		}
		used += (size_t)snprintf(text + used, size - used,
					 "%s/bin/ptowsp-conform --timeout %d --rounds 300 --test %s %s >%s.found_out.out 2>&1; echo $? >%s.found_out\n",
					 check_build(), strstr(v->sentence, "did not end") ? 2 : 20, v->test, path(v), v->plugin, v->plugin);
	}
	return text;
}

static void runs_make(void)
{
	static const char empty[] =
		"{\"schema\": \"ptowsp.package/1\", \"WORK\": {\"instructions\": [[\"halt\"]]}, \"ENTR\": [{\"name\": \"main\", \"flags\": 1}]}";
	static bool made;
	char *commands;

	if (made)
		return;
	made = true;
	REQUIRE_INT(check_run(check_fmt("rm -rf %s && mkdir -p %s", folder(), folder()), NULL, NULL), 0);
	commands = commands_make();
	REQUIRE(commands != NULL && check_write(check_fmt("%s/commands", folder()), commands, strlen(commands)));
	free(commands);
	REQUIRE(check_write(check_fmt("%s/e.json", folder()), empty, sizeof(empty) - 1));
	REQUIRE_INT(check_run(check_fmt("cd %s && %s/bin/ptowsp-pack --from-json e.json -o e.pkg.zst", folder(), check_build()), NULL, NULL), 0);
	REQUIRE_INT(check_run(check_fmt("cd %s && xargs -d '\\n' -P 4 -n 1 sh -c <commands 2>/dev/null", folder()), NULL, NULL), 0);
}

/* Exit status; output to be freed. */
static int result(const struct verdict *v, const char *way, char **out)
{
	char *status;
	int number;

	runs_make();
	*out = check_read(check_fmt("%s/%s.%s.out", folder(), v->plugin, way), NULL);
	status = check_read(check_fmt("%s/%s.%s", folder(), v->plugin, way), NULL);
	REQUIRE(*out != NULL && status != NULL);
	number = atoi(status);
	free(status);
	return number;
}

/* ---- verdicts ----------------------------------------------------------------------------------------------------- */

static void in_process_(void)
{
	const struct verdict *v = verdict("in_process_");
	char *out;
	int status = result(v, "in_process", &out);

	if (v->in_process >= 0 && !(PTOWSP_SANITIZER && v->in_process > 128) && status != v->in_process) /* a sanitizer ends the process in its own way */
		CHECK_FAIL("exit %d, not %d: %.500s", status, v->in_process, out);
	free(out);
}

static void isolated_(void)
{
	const struct verdict *v = verdict("isolated_");
	char *out;
	int status = result(v, "isolated", &out);

	if (status != v->isolated)
		CHECK_FAIL("exit %d, not %d: %.500s", status, v->isolated, out);
	free(out);
}

static void sandboxed_(void)
{
	const struct verdict *v = verdict("sandboxed_");
	char *out;
	int status;

	if (!host_landlock_version() || !host_seccomp_there())
		CHECK_SKIP("this kernel has no Landlock or no seccomp");
	status = result(v, "sandboxed", &out);
	if (status != v->sandboxed)
		CHECK_FAIL("exit %d, not %d: %.500s", status, v->sandboxed, out);
	free(out);
}

static void layered_(void)
{
	const struct verdict *v = verdict("layered_");
	char *out;
	int status = result(v, "layered", &out);

	if (*v->layer && !(PTOWSP_SANITIZER && v->in_process < 0)) {
		CHECK_CONTAINS(out, v->layer);
		CHECK(status != 0 || !strstr(v->layer, "broke")); /* what breaks a rule is no good run */
	} else if (!*v->layer && strstr(out, " broke PL")) {
		CHECK_FAIL("a rule is named: %.500s", out);
	}
	free(out);
}

static void found_out_(void)
{
	const struct verdict *v = verdict("found_out_");
	char *out;
	int status = result(v, "found_out", &out);

	CHECK_INT(status, *v->sentence ? 1 : 0);
	if (*v->sentence)
		CHECK_CONTAINS(out, check_fmt("not ok 1 - %s", v->test));
	if (!PTOWSP_SANITIZER)
		CHECK_CONTAINS(out, v->sentence);
	free(out);
}

/* A test that finds nobody out is none. */
TEST(every_test_finds_a_plugin_out)
{
	char *list = NULL;

	REQUIRE_INT(check_run(check_fmt("%s/bin/ptowsp-conform --list", check_build()), &list, NULL), 0);
	for (char *line = strtok(list, "\n"); line; line = strtok(NULL, "\n")) {
		char name[64] = "";
		bool found = false;

		REQUIRE_INT(sscanf(line, "%*s %63[a-z0-9_]", name), 1);
		for (size_t i = 0; i < VERDICTS; i++)
			found = found || (!strcmp(verdicts[i].test, name) && *verdicts[i].sentence);
		if (!found)
			CHECK_FAIL("no plugin of tests/hostile/verdicts.def breaks what %s is about", name);
	}
	free(list);
}

/* ---- names that lead elsewhere ------------------------------------------------------------------------------------ */

/* What asks every plugin leaves it out and says why; what asks it alone fails. */
TEST(a_plugin_that_crashes_or_hangs_harms_no_other_page)
{
	static const struct {
		const char *plugin, *said;
		int status;
	} rows[] = {{"crash_constructor", "in loading it (constructors): ", 9},
		    {"crash_entry", "in its entry: ", 9},
		    {"crash_options", "in options: ", 9},
		    {"crash_devices", "in devices: ", 9},
		    {"crash_capabilities", "in capabilities: ", 9},
		    {"hang_options", "killed in options", 10}};

	const int limit_ms = PTOWSP_SANITIZER ? 15000 : 2500; /* of the others, too */

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *page = i & 1 ? "--capabilities" : "--devices", *dir = check_fmt("%s/tests/hostile/%s", check_build(), rows[i].plugin);
		char *out, *err;

		CHECK_INT(
			check_run(check_fmt("%s/bin/ptowsp-run --isolate=process --load-timeout-ms %d --plugin-dir %s %s", check_build(), limit_ms, dir, page),
				  &out, &err),
			0);
		CHECK_CONTAINS(out, "cpu_sim");
		CHECK_CONTAINS(err, "null skipped: null");
		CHECK_CONTAINS(err, rows[i].said);
		free(out);
		free(err);
		CHECK_INT(check_run(check_fmt("%s/bin/ptowsp-run --isolate=process --load-timeout-ms %d --plugin=%s/libptowsp_null.so %s", check_build(),
					      limit_ms, dir, page),
				    NULL, &err),
			  rows[i].status);
		CHECK_CONTAINS(err, rows[i].said);
		free(err);
	}
}

/* A line of the table that says both. */
static bool is_said_together(const char *table, const char *one, const char *other)
{
	for (const char *line = table, *end; *line; line = *end ? end + 1 : end) {
		const char *first = strstr(line, one), *second = strstr(line, other);

		end = line + strcspn(line, "\n");
		if (first && second && first < end && second < end)
			return true;
	}
	return false;
}

/* Asked whether it does what it says: nothing is said of where it runs, so that it gets a worker. What it crashes in has shown nothing, and is what the sentence is about; of one that does
 * not come back nothing more is asked. */
TEST(a_probe_that_loses_the_plugin_holds_nothing)
{
	static const struct {
		const char *plugin, *end, *how;
		int status;
	} rows[] = {{"exit_load", "crashed the backend", "left with exit status 0", 9},
		    {"abort_load", "crashed the backend", "in load", 9},
		    {"loop_load", "did not come back", "killed in load", 10},
		    {"loop_submit", "did not come back", "killed in submit", 10},
		    {"done_never", "did not come back", "killed in poll", 10}};
	const int limit_ms = PTOWSP_SANITIZER ? 15000 : 2500;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *call = check_fmt(
			"%s/bin/ptowsp-run --capabilities --verify --timeout-ms 1000 --load-timeout-ms %d --plugin=%s/tests/hostile/%s/libptowsp_null.so",
			check_build(), limit_ms, check_build(), rows[i].plugin);
		char *out, *err, *again;

		CHECK_INT(check_run(call, &out, &err), rows[i].status);
		CHECK_CONTAINS(err, check_fmt("ptowsp-run: the probe of TG_BEGIN %s: null", rows[i].end));
		CHECK_CONTAINS(err, rows[i].how);
		CHECK_CONTAINS(out, check_fmt("null 1.0.0: the probe of TG_BEGIN %s: ", rows[i].end));
		CHECK(is_said_together(out, "TG_BEGIN ", " lost "));
		CHECK(!is_said_together(out, " lost ", " holds "));
		CHECK(is_said_together(out, "SY_WAIT_NOTIFY ", "not probed"));
		CHECK_INT(check_run(check_fmt("%s --json 2>&1 | grep -c -e '\"lost\": \"the probe of TG_BEGIN' -e 'ptowsp-run: the probe of TG_BEGIN'", call),
				    &again, NULL),
			  0);
		CHECK_STR(again, "2\n");
		free(out), free(err), free(again);
	}
}

/* In this process nothing but the tool's own clock can end it. */
TEST(a_page_that_hangs_in_this_process_is_ended)
{
	static const struct {
		const char *page, *plugin, *said;
	} rows[] = {{"--capabilities --verify", "loop_load", "loading did not end in 400 ms"},
		    {"--capabilities --verify", "loop_submit", "the deadline of 300 ms passed"},
		    {"--capabilities --verify", "hang_fini", "closing the plugin did not end in 400 ms"},
		    {"--devices", "hang_fini", "closing the plugin did not end in 400 ms"}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *err;

		CHECK_INT(check_run(check_fmt("timeout -s KILL 60 %s/bin/ptowsp-run %s --isolate=none --timeout-ms 300 --load-timeout-ms 400 "
					      "--plugin=%s/tests/hostile/%s/libptowsp_null.so",
					      check_build(), rows[i].page, check_build(), rows[i].plugin),
				    NULL, &err),
			  10);
		CHECK_CONTAINS(err, rows[i].said);
		free(err);
	}
}

/* Exchanged under its name between two calls of the tool that checks first: what is loaded is what was checked, each time. */
TEST(a_name_that_leads_to_another_file_is_checked_again)
{
	const char *dir = check_tmp();
	char *out;

	REQUIRE_INT(check_run(check_fmt("cd %s && ln -s %s libptowsp_null.so && %s/bin/ptowsp-conform --test '*lint' ./libptowsp_null.so", dir,
					path(&verdicts[0]), check_build()),
			      NULL, NULL),
		    0);
	REQUIRE_INT(check_run(check_fmt("cd %s && ln -sf %s/tests/hostile/libptowsp_exec_stack.so libptowsp_null.so", dir, check_build()), NULL, NULL), 0);
	CHECK_INT(check_run(check_fmt("cd %s && %s/bin/ptowsp-conform --test '*lint' ./libptowsp_null.so", dir, check_build()), &out, NULL), 1);
	CHECK_CONTAINS(out, "executable stack");
	free(out);
}

/* Exchanged again and again, while it is loaded: a good plugin, and one that the lint refuses and whose constructor prints. Nothing of that one runs, here or in a worker. */
TEST(a_name_that_is_swapped_while_it_is_loaded_runs_what_was_checked)
{
	static const char script[] =
		"cp '%s'/e.pkg.zst . && touch swapping || exit 1; " /* before anything of it goes on beside the runs */
		"(while [ -e swapping ]; do ln -sf '%s' libptowsp_null.so; ln -sf '%s/tests/hostile/swapped/libptowsp_null.so' libptowsp_null.so; done) & "
		"for i in $(seq 25); do for how in none process; do "
		"'%s'/bin/ptowsp-run --isolate=$how --plugin=./libptowsp_null.so e.pkg.zst; echo \"exit $?\"; done; done; rm swapping; wait";
	char *out = NULL;
	unsigned good = 0, refused = 0, ends = 0;

	runs_make();
	REQUIRE_INT(check_run(check_fmt("cd '%s' && { %s; } 2>&1", check_tmp(), check_fmt(script, folder(), path(&verdicts[0]), check_build(), check_build())),
			      &out, NULL),
		    0);
	for (const char *at = out; (at = strstr(at, "exit ")); at += 5) {
		good += atoi(at + 5) == 0;
		refused += atoi(at + 5) == 4;
		ends++;
	}
	CHECK_INT(ends, 50);
	CHECK(good + refused == ends && good > 0 && refused > 0);
	if (strstr(out, "the constructor of a plugin ran") || good + refused != ends)
		CHECK_FAIL("%.2000s", out);
	free(out);
}

/* bomb_heap has no row here, because malloc fails in the plugin, which alone could tell of that; the other limits are seen from outside. */
TEST(what_a_sandbox_took_too_much_of_is_named)
{
	static const struct {
		const char *plugin, *said;
	} rows[] = {{"bomb_shared", "of memory (--sandbox-memory) and was ended in load"},
		    {"bomb_files", "of memory (--sandbox-memory) and was ended in load"},
		    {"bomb_left", "of memory (--sandbox-memory) and was ended in load"},
		    {"bomb_threads", "more than 64 threads (--sandbox-threads)"},
		    {"bomb_processor", "more than 3 s of processor time (--sandbox-cpu)"}};

	if (!host_landlock_version() || !host_seccomp_there())
		CHECK_SKIP("this kernel has no Landlock or no seccomp");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct verdict v = {.plugin = rows[i].plugin};
		char *out;

		CHECK_INT(result(&v, "sandboxed", &out), 9);
		CHECK_CONTAINS(out, *check_sanitizer() ? "its sandbox " : rows[i].said); /* under a sanitizer another limit may come first */
		free(out);
	}
}

/* ---- names that are none ---------------------------------------------------------------------------------------------------- */

/* A host that gives on what a plugin said would have its caller end in memory that is not there. */
static void name_is_refused(const char *plugin, uint32_t type, uint32_t isolate, ptowsp_status status, const char *says)
{
	const struct ptowsp_backend_options options = {
		.plugin = check_fmt("%s/tests/hostile/%s/libptowsp_null.so", check_build(), plugin), .isolate = isolate, .threads = 1};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_device_buffer *buffer;
	struct ptowsp_external name;
	struct ptowsp_backend *backend;

	REQUIRE_INT(ptowsp_backend_open(&backend, &options, &error), 0);
	REQUIRE_INT(ptowsp_device_buffer_create(&buffer, backend, 10000, &error), 0);
	CHECK_INT(ptowsp_device_buffer_expose(buffer, type, &name, &error), status);
	CHECK_CONTAINS(error.text, says);
	CHECK_INT(name.fd, -1);
	ptowsp_device_buffer_destroy(buffer);
	ptowsp_backend_close(backend);
}

TEST(names_of_no_memory_stay_with_the_host)
{
	name_is_refused("exposes_less", PTOWSP_EXTERNAL_OPAQUE_FD, PTOWSP_ISOLATE_NONE, PTOWSP_RUN_FAILED,
			"expose gave no good name: the file is shorter than the buffer");
	name_is_refused("exposes_less", PTOWSP_EXTERNAL_OPAQUE_FD, PTOWSP_ISOLATE_SANDBOX, PTOWSP_RUN_FAILED,
			"expose gave no good name: the file is shorter than the buffer");
	name_is_refused("exposes_closed", PTOWSP_EXTERNAL_OPAQUE_FD, PTOWSP_ISOLATE_NONE, PTOWSP_RUN_FAILED,
			"expose gave no good name: there is no such descriptor");
	name_is_refused("exposes_closed", PTOWSP_EXTERNAL_OPAQUE_FD, PTOWSP_ISOLATE_SANDBOX, PTOWSP_UNSUPPORTED,
			"no descriptor can be taken out of the worker");
	name_is_refused("exposes_pipes", PTOWSP_EXTERNAL_DMABUF, PTOWSP_ISOLATE_NONE, PTOWSP_RUN_FAILED, "expose gave no good name: it is no dma-buf");
	name_is_refused("exposes_pipes", PTOWSP_EXTERNAL_DMABUF, PTOWSP_ISOLATE_SANDBOX, PTOWSP_RUN_FAILED, "expose gave no good name: it is no dma-buf");
}

/* ---- objects that are none ---------------------------------------------------------------------------------------------------- */

/* A host that takes OK for an object would use nothing as one with the next call. */
static void object_is_refused(uint32_t isolate)
{
	const char *plugins = check_fmt("%s/tests/hostile", check_build());
	struct ptowsp_external of_host = {.head = PTOWSP_HEAD(of_host, EXTERNAL), .type = PTOWSP_EXTERNAL_HOST, .bytes = 4096, .fd = -1}, event = of_host;
	struct ptowsp_backend_options options = {.plugin = check_fmt("%s/makes_no_buffer/libptowsp_null.so", plugins), .isolate = isolate, .threads = 1};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_device_buffer *buffer;
	struct ptowsp_backend *backend;
	struct ptowsp_fence *fence;
	void *memory;

	REQUIRE_INT(ptowsp_buffer_alloc(&memory, 4096, &error), 0);
	of_host.address = (uintptr_t)memory;
	REQUIRE_INT(ptowsp_backend_open(&backend, &options, &error), 0);
	CHECK_INT(ptowsp_device_buffer_create(&buffer, backend, 100, &error), PTOWSP_PLUGIN_REFUSED);
	CHECK_STR(error.text, "the plugin answered buffers_create with OK and no object");
	CHECK_INT(ptowsp_device_buffer_import(&buffer, backend, &of_host, &error), PTOWSP_PLUGIN_REFUSED);
	CHECK_STR(ptowsp_last_error(), "the plugin answered buffers_import with OK and no object");
	CHECK(buffer == NULL);
	ptowsp_backend_close(backend);
	options.plugin = check_fmt("%s/makes_no_fence/libptowsp_null.so", plugins);
	REQUIRE_INT(ptowsp_backend_open(&backend, &options, &error), 0);
	CHECK_INT(ptowsp_fence_create(&fence, backend, 0, &error), PTOWSP_PLUGIN_REFUSED);
	CHECK_STR(error.text, "the plugin answered fences_create with OK and no object");
	event.type = PTOWSP_EXTERNAL_NATIVE, event.address = 1, event.api = 4, event.bytes = 0;
	CHECK_INT(ptowsp_fence_import(&fence, backend, &event, &error), isolate == PTOWSP_ISOLATE_NONE ? PTOWSP_PLUGIN_REFUSED : PTOWSP_UNSUPPORTED);
	CHECK(fence == NULL);
	ptowsp_backend_close(backend);
	ptowsp_buffer_free(memory);
}

TEST(objects_that_are_none_stay_with_the_plugin)
{
	object_is_refused(PTOWSP_ISOLATE_NONE);
	object_is_refused(PTOWSP_ISOLATE_PROCESS);
	object_is_refused(PTOWSP_ISOLATE_SANDBOX);
}

void suite_hostile(CU_pSuite s)
{
	for (size_t i = 0; i < VERDICTS; i++) {
		check_add(s, check_fmt("in_process_%s", verdicts[i].plugin), in_process_);
		check_add(s, check_fmt("isolated_%s", verdicts[i].plugin), isolated_);
		check_add(s, check_fmt("sandboxed_%s", verdicts[i].plugin), sandboxed_);
		check_add(s, check_fmt("layered_%s", verdicts[i].plugin), layered_);
		check_add(s, check_fmt("found_out_%s", verdicts[i].plugin), found_out_);
	}
}
