/* SPDX-License-Identifier: MIT */
/* test_cli_run.c - the built ptowsp-run on the probe plugin: bindings, expectations, lists of values, signals, refusals. What it does on
 * cpu_sim is tested from the contract's side. */
#include "tests/check.h"

#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "registry/npy.h"
#include "tests/taskgraph/one_task.h"

static char *out, *err; /* of the last run */
static char dir[1024];
static const char *mode = "builtin"; /* of the probe */

/* A folder with package p.pkg.zst of this kind. */
static void begin(const struct one_task *spec)
{
	struct ptowsp_error error = {.text = ""};
	size_t size;
	void *bytes = one_task_pack(spec, &size, &error);

	strncpy(dir, check_tmp(), sizeof(dir) - 1);
	if (!bytes || !check_write(check_fmt("%s/p.pkg.zst", dir), bytes, size))
		CHECK_FAIL("no package: %s", error.text);
	free(bytes);
}

static const char *line(const char *arguments)
{
	return check_fmt("cd '%s' && exec '%s/bin/ptowsp-run' --plugin-dir '%s/test/plugins' --plugin=probe --opt mode=%s %s", dir, check_build(),
			 check_build(), mode, arguments);
}

static int run(const char *arguments)
{
	free(out);
	free(err);
	out = err = NULL;
	return check_run(line(arguments), &out, &err);
}

/* f32 file of n elements first, first + step, ... */
static void npy_make(const char *name, uint64_t n, float first, float step)
{
	char bytes[NPY_HEADER + 64 * 4];
	size_t length = npy_header(bytes, PTOWSP_F32, 1, &n);

	REQUIRE(n <= 64);
	for (uint64_t i = 0; i < n; i++) {
		float value = first + step * (float)i;

		memcpy(bytes + length + 4 * i, &value, 4);
	}
	CHECK(check_write(check_fmt("%s/%s", dir, name), bytes, length + 4 * n));
}

/* Zeros; without columns a scalar. */
static void npy_make_2d(const char *name, uint64_t rows, uint64_t columns)
{
	char bytes[NPY_HEADER + 64 * 4] = {0};
	uint64_t extents[2] = {rows, columns};
	size_t length = npy_header(bytes, PTOWSP_F32, columns ? 2 : 0, extents), data = 4 * rows * (columns ? columns : 1);

	memset(bytes + length, 0, data);
	CHECK(check_write(check_fmt("%s/%s", dir, name), bytes, length + data));
}

static float npy_at(const char *name, uint64_t i)
{
	struct ptowsp_error error = {.text = ""};
	struct npy npy;
	float value = -1;

	if (npy_open(&npy, check_fmt("%s/%s", dir, name), &error))
		CHECK_FAIL("%s", error.text);
	else if (i < npy.elements)
		memcpy(&value, (const char *)npy.data + 4 * i, 4);
	npy_close(&npy);
	return value;
}

static json_t *stats(void)
{
	json_error_t e;
	json_t *root = json_loads(out, 0, &e);

	if (!root)
		CHECK_FAIL("stdout is no JSON: %s: %.200s", e.text, out);
	return root;
}

static const struct one_task usual = {.samples = true, .set = true}, bare = {.set = true}, flat = {.shapeless = true};

TEST(a_bare_run_uses_and_compares_sample_data)
{
	begin(&usual);
	CHECK_INT(run("p.pkg.zst"), 0);
	CHECK_CONTAINS(out, "probe probe0: 1 task, 7 cycles (made up)");
	CHECK_CONTAINS(out, "compare: ok (1 tensor, 16 elements");
	CHECK_CONTAINS(err, "the probe says something");
}

TEST(a_wrong_expectation_in_the_package_is_exit_6)
{
	begin(&(struct one_task){.samples = true, .set = true, .wrong = true});
	CHECK_INT(run("p.pkg.zst"), 6);
	CHECK_CONTAINS(err, "\"z\" is not as expected: 1 of 16 elements");
	CHECK_CONTAINS(err, "worst [15]: 115 against 116");
	CHECK_INT(run("--fill x=zeros p.pkg.zst"), 0); /* no longer bare: nothing is promised */
	CHECK(!strstr(out, "compare"));
	CHECK(!strstr(err, "not compared"));
	CHECK_INT(run("--runs 2 --set n=16 p.pkg.zst"), 0);
	CHECK(!strstr(out, "compare"));
	CHECK_CONTAINS(err, "not compared: the package's expected data, as of \"z\", are not those of values given with --set; --expect z=FILE.npy compares\n");
	CHECK(!strstr(strstr(err, "not compared") + 1, "not compared"));
	CHECK_INT(run("--quiet --set n=16 p.pkg.zst"), 0);
	CHECK(!strstr(err, "compared"));
}

TEST(files_go_in_and_out)
{
	begin(&bare);
	npy_make("x.npy", 16, 1, 1);
	CHECK_INT(run("--in x=x.npy --fill main.y=ones --out z=z.npy p.pkg.zst"), 0);
	CHECK_NEAR(npy_at("z.npy", 15), 17, 0);
	CHECK_INT(run("--in x=x.npy --fill y=zeros --out x=x2.npy --expect z=x.npy --stats p.pkg.zst"), 0);
	CHECK_CONTAINS(out, "compare z with x.npy: ok");
	CHECK_CONTAINS(out, "task_ring");
	CHECK_INT(run("--in x=x.npy --fill y=ones --expect z=x.npy p.pkg.zst"), 6);
	npy_make("short.npy", 15, 0, 1);
	CHECK_INT(run("--in x=short.npy p.pkg.zst"), 2);
	CHECK_CONTAINS(err, "tensor \"x\" has shape [16], but file short.npy has [15]");
	npy_make_2d("flat.npy", 1, 16);
	CHECK_INT(run("--in x=flat.npy p.pkg.zst"), 2);
	CHECK_CONTAINS(err, "has [1, 16]");
	npy_make_2d("scalar.npy", 1, 0);
	CHECK_INT(run("--in x=scalar.npy p.pkg.zst"), 2);
	CHECK_CONTAINS(err, "has []");
}

TEST(shapeless_tensors_follow_files_and_extents)
{
	begin(&flat);
	npy_make("x.npy", 10, 1, 1);
	CHECK_INT(run("--in x=x.npy --set n=8 --fill y=iota --out z=z.npy p.pkg.zst"), 0);
	CHECK_NEAR(npy_at("z.npy", 7), 15, 0);
	CHECK_NEAR(npy_at("z.npy", 8), -1, 0); /* z has the 8 elements that are touched */
	CHECK_INT(run("--in x=x.npy --set n=11 p.pkg.zst"), 2);
	CHECK_CONTAINS(err, "\"x\": file x.npy has 10 elements, but the program touches 11");
	CHECK_INT(run("p.pkg.zst"), 2);
	CHECK_CONTAINS(err, "--set n=VALUE");
}

TEST(lists_of_values_are_for_as_many_runs)
{
	json_t *root;

	begin(&flat);
	CHECK_INT(run("--runs 3 --set n=4,1,2 --fill x=iota --fill y=zeros --out z=z.npy p.pkg.zst"), 0);
	CHECK_CONTAINS(out, "run 3: ");
	CHECK_NEAR(npy_at("z.npy", 3), 3, 0); /* sizes only grow */
	CHECK_INT(run("--runs 3 --set n=2,4,3 --fill x=iota --fill y=zeros --out z=z.npy p.pkg.zst"), 0);
	CHECK_NEAR(npy_at("z.npy", 2), 2, 0);
	CHECK_NEAR(npy_at("z.npy", 3), 3, 0); /* the probe adds all that is bound */
	CHECK_INT(run("--runs 2 --set n=4,1,2 p.pkg.zst"), 2);
	CHECK_CONTAINS(err, "3 values for 2 runs");
	CHECK_INT(run("--runs 2 --set n=4 --stats=json p.pkg.zst"), 0);
	root = stats();
	CHECK_INT(json_integer_value(json_object_get(root, "runs")), 2);
	json_decref(root);
}

TEST(statistics_are_one_json_object)
{
	static const char *const fields[] = {"schema",      "plugin",     "package",     "total_cycles",   "num_tasks", "num_edges", "num_executors",
					     "num_streams", "compile_ms", "execute_ms",  "peak_rss_bytes", "kernels",   "resources", "channels",
					     "diagnostics", "engine",     "cycle_model", "deterministic",  "recorded",  "compare",   "task_window"};
	json_t *root, *row;

	begin(&usual);
	CHECK_INT(run("--stats=json --schedule ready=fifo p.pkg.zst"), 0);
	CHECK_CONTAINS(out, "\"rtol\": 1e-5,"); /* not all the digits that a double has */
	root = stats();
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (!json_object_get(root, fields[i]))
			CHECK_FAIL("no field %s", fields[i]);
	CHECK_STR(json_string_value(json_object_get(root, "schema")), "ptowsp.stats/1");
	row = json_array_get(json_object_get(root, "recorded"), 0);
	CHECK_STR(json_string_value(json_object_get(row, "directive")), "ready");
	CHECK_STR(json_string_value(json_object_get(row, "value")), "fifo");
	row = json_array_get(json_object_get(root, "compare"), 0);
	CHECK(json_is_true(json_object_get(row, "ok")));
	json_decref(root);
}

TEST(auto_reports_every_skip)
{
	begin(&usual);
	CHECK_INT(run("--plugin auto --plugin-order nosuch,probe p.pkg.zst"), 0);
	CHECK_CONTAINS(err, "auto: nosuch skipped: no plugin");
	CHECK_INT(run("--plugin auto --plugin-order probe --schedule hazards=raw p.pkg.zst"), 4);
	CHECK_CONTAINS(err, "auto: probe skipped: hazards=raw is only diagnosed");
}

TEST(an_unknown_plugin_is_answered_with_the_nearest_names)
{
	begin(&usual);
	CHECK_INT(run("--plugin=prob p.pkg.zst"), 4);
	CHECK_CONTAINS(err, "no plugin \"prob\" (see --list-plugins); known: probe");
	CHECK_CONTAINS(err, "; looked in ");
	CHECK_CONTAINS(err, "/test/plugins");
}

TEST(strict_refuses_what_is_not_enforced)
{
	begin(&usual);
	CHECK_INT(run("--schedule hazards=raw p.pkg.zst"), 0);
	CHECK_CONTAINS(err, "hazards=raw is diagnosed");
	CHECK_INT(run("--strict --schedule hazards=raw p.pkg.zst"), 5);
	CHECK_CONTAINS(err, "hazards=raw is diagnosed on probe but must be at least enforced");
	CHECK_INT(run("--schedule deps=explicit p.pkg.zst"), 5);
}

TEST(flags_that_ask_for_what_is_usual_change_nothing)
{
	begin(&usual);
	CHECK_INT(run("--isolate=none --trust none --plugin-trust=any p.pkg.zst"), 0);
}

TEST(layers_name_the_side_that_broke_a_rule)
{
	begin(&usual);
	CHECK_INT(run("--layer=validate,threads p.pkg.zst"), 0);
	CHECK(!strstr(err, "broke"));
	mode = "again";
	CHECK_INT(run("--layer=validate p.pkg.zst"), 9);
	CHECK_CONTAINS(err, "plugin probe broke PL5 in done: the token is not in flight");
	mode = "builtin";
	CHECK_INT(run("--layer=valid p.pkg.zst"), 2);
	CHECK_CONTAINS(err, "layer \"valid\" is unknown; known: validate");
	CHECK_INT(run("--layer=fault:6 p.pkg.zst") > 0, 1); /* a refusal */
	CHECK_CONTAINS(err, "layer fault refused");
}

TEST(a_backend_that_makes_no_files_says_so)
{
	begin(&usual);
	CHECK_INT(run("--emit d p.pkg.zst"), 5);
	CHECK_CONTAINS(err, "makes no files of a program");
	CHECK_STR(out, "");
}

TEST(explain_shows_everything_and_runs_nothing)
{
	json_t *root;

	begin(&(struct one_task){.samples = true});
	CHECK_INT(run("--explain --schedule 'dispatch=round_robin(9)' p.pkg.zst"), 0);
	CHECK_CONTAINS(out, "dispatch=round_robin(9)");
	CHECK_CONTAINS(out, "outside the backend's limits 1..4");
	CHECK_CONTAINS(out, "must be set: --set n=VALUE");
	CHECK_CONTAINS(out, "sample data");
	CHECK_CONTAINS(out, "/test/plugins");
	CHECK_INT(run("--explain --json p.pkg.zst"), 0);
	root = stats();
	CHECK_STR(json_string_value(json_object_get(root, "schema")), "ptowsp.explain/1");
	CHECK_STR(json_string_value(json_object_get(root, "entry")), "main");
	json_decref(root);
}

TEST(usage_errors_are_one_sentence_and_exit_2)
{
	static const char *const rows[][2] = {
		{"--fill w=ones p.pkg.zst", "tensor \"w\" is unknown; known: x, y, z"},
		{"--set m=1 p.pkg.zst", "known: n"},
		{"--set n=9223372036854775808 p.pkg.zst",
		 "--set n: \"9223372036854775808\" is no value of type i64, which is -9223372036854775808..9223372036854775807"},
		{"--entry mian p.pkg.zst", "known: main"},
		{"--fill x=noise p.pkg.zst", "iota"},
		{"--opt mood=1 p.pkg.zst", "known: mode"},
		{"--opt mode=poll p.pkg.zst", "--opt is given twice"},
		{"--schedule task_windo=4 p.pkg.zst", "known: task_window"},
		{"--runs 0 p.pkg.zst", "--runs"},
		{"--stats=xml p.pkg.zst", "json"},
		{"--json p.pkg.zst", "a run has --stats=json"},
		{"--schedule 'dispatch=round_robin(2' p.pkg.zst", "the parentheses do not match"},
		{"--schedule 'dispatch=round_robin)' p.pkg.zst", "the parentheses do not match"},
		{"--no-kernel p.pkg.zst", "--no-kernels"},
		{"--no-kernels=1 p.pkg.zst", "takes no value"},
		{"--set p.pkg.zst", "not NAME=VALUE"},
		{"p.pkg.zst --set", "needs a value"},
		{"p.pkg.zst q.pkg.zst", "q.pkg.zst"},
		{"--no-kernels --out z=z.npy p.pkg.zst", "--no-kernels"},
		{"--graph - --stats=json p.pkg.zst", "both write to stdout"},
		{"--trace a.json --graph a.json p.pkg.zst",
		 "a.json is to be written twice; --out, --trace, --graph, --report and --checkpoint take a file each"},
		{"--out z=z.npy --out y=z.npy p.pkg.zst", "z.npy is to be written twice"},
		{"--device=cpu0, p.pkg.zst", "a name is missing beside a comma"},
		{"--device=cpu0,,cpu1 p.pkg.zst", "a name is missing beside a comma"},
		{"", "PACKAGE"},
	};

	begin(&usual);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK_INT(run(rows[i][0]), 2);
		CHECK_CONTAINS(err, rows[i][1]);
		CHECK_CONTAINS(err, "ptowsp-run: ");
		CHECK_STR(out, "");
	}
}

TEST(quiet_says_nothing_and_verbose_more)
{
	begin(&usual);
	CHECK_INT(run("-q p.pkg.zst"), 0);
	CHECK_STR(out, "");
	CHECK_STR(err, "");
	CHECK_INT(run("-v p.pkg.zst"), 0);
	CHECK(strlen(err) > strlen("ptowsp-run: the probe says something\n"));
}

/* A range that begins at 0 is one, too. */
TEST(capabilities_show_their_ranges)
{
	begin(&usual);
	CHECK_INT(run("--capabilities"), 0);
	CHECK_CONTAINS(out, " 1..4");
	CHECK_CONTAINS(out, "recorded 0..8");
}

TEST(help_lists_the_plugin_s_options)
{
	begin(&usual);
	CHECK_INT(run("--help"), 0);
	CHECK_CONTAINS(out, "Options of probe");
	CHECK_CONTAINS(out, "poll|thread");
	CHECK_CONTAINS(out, "what to do, ?[2J in a word\n");
	CHECK_CONTAINS(out, "--no-kernels");
	CHECK_INT(run("--capabilities --json"), 0);
	CHECK_CONTAINS(out, "ptowsp.capabilities/1");
	CHECK_INT(run("--devices"), 0);
	CHECK_CONTAINS(out, "probe1");
}

/* Starts a run that does not end by itself; sends the signals 0.6 s apart; its wait status. */
static int signalled(const char *arguments, const int *signals, int count)
{
	const char *command = check_fmt("%s >'%s/out' 2>'%s/err'", line(arguments), dir, dir);
	pid_t child = fork();
	int status = -1;

	if (!child) {
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	check_handler_awaited(child, signals[count - 1]);
	for (int i = 0; i < count; i++) {
		usleep(600000);
		kill(child, signals[i]);
	}
	waitpid(child, &status, 0);
	free(err);
	err = check_read(check_fmt("%s/err", dir), NULL);
	return status;
}

TEST(signals_cancel_and_leave_outputs_as_they_were)
{
	static const struct {
		int signals[2], count, exit;
	} rows[] = {{{SIGINT, 0}, 1, 130}, {{SIGTERM, 0}, 1, 143}, {{SIGUSR1, SIGINT}, 2, 130}};
	char *text;

	mode = "wait";
	for (int i = 0; i < 3; i++) {
		int status;

		begin(&usual);
		CHECK(check_write(check_fmt("%s/z.npy", dir), "old", 3));
		status = signalled("--out z=z.npy p.pkg.zst", rows[i].signals, rows[i].count);
		CHECK(WIFEXITED(status));
		CHECK_INT(WEXITSTATUS(status), rows[i].exit);
		CHECK_CONTAINS(err, "cancelled");
		if (rows[i].count > 1)
			CHECK_CONTAINS(err, "state");
		text = check_read(check_fmt("%s/z.npy", dir), NULL);
		CHECK_STR(text, "old");
		free(text);
		CHECK_INT(check_run(check_fmt("ls -A '%s' | wc -l", dir), &text, NULL), 0);
		CHECK_INT(atoi(text), 4); /* err, out, p.pkg.zst, z.npy: no temporary file is left */
		free(text);
	}
	mode = "builtin";
}
