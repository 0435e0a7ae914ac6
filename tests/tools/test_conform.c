/* SPDX-License-Identifier: MIT */
/* test_conform.c - ptowsp-conform: the backends of this tree and the template pass it, whatever compiler built that; what it says of one that does not. */
#include "tests/check.h"
#include "tests/contract/seal.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* What is checked of bytes by seed needs thousands of rounds only to find what is new: the stages run more. */
#define QUICK "--rounds 100 --timeout 300 "

/* Runs the tool; stdout to be freed. err_out may be NULL. */
static char *conform(const char *before, const char *arguments, int wanted, char **err_out)
{
	char *out = NULL, *err = NULL;
	int rc = check_run(check_fmt("env %s %s/bin/ptowsp-conform %s", before, check_build(), arguments), &out, &err);

	if (rc != wanted)
		CHECK_FAIL("ptowsp-conform %s: exit %d, wanted %d: %.3000s%.500s", arguments, rc, wanted, out, err);
	if (err_out)
		*err_out = err;
	else
		free(err);
	return out;
}

/* Every test is ok, at least `least` of them really ran. */
static void plugin_passes(const char *before, const char *arguments, int least)
{
	char *out = conform(before, arguments, 0, NULL), *last = strstr(out, " ok, 0 not ok, ");

	CHECK(last != NULL);
	while (last && last > out && last[-1] != ' ')
		last--;
	if (!last || atoi(last) < least)
		CHECK_FAIL("fewer than %d tests ran: %.3000s", least, out);
	free(out);
}

static const char *plugin(const char *name)
{
	return check_fmt(QUICK "%s/lib/ptowsp/plugins/libptowsp_%s.so", check_build(), name);
}

TEST(cpu_sim_conforms)
{
	plugin_passes("", plugin("cpu_sim"), 49);
}

/* What only a plugin in the test's own process shows is skipped, and says why. */
TEST(cpu_sim_conforms_in_a_worker_and_in_a_sandbox)
{
	static const char *const ways[] = {"process", "sandbox"};

	for (size_t i = 0; i < 2; i++) {
		char *out = conform("", check_fmt("--isolate=%s %s", ways[i], plugin("cpu_sim")), 0, NULL);

		CHECK_CONTAINS(out, check_fmt("isolation %s, ", ways[i]));
		CHECK_CONTAINS(out, " ok, 0 not ok, ");
		CHECK_CONTAINS(out, " - many_runs_complete_once\n");
		CHECK_CONTAINS(out, " - bound_buffers_are_used_in_place\n");
		CHECK_CONTAINS(out, " - claims_hold\n");
		CHECK_CONTAINS(out, "fini_returns_everything # SKIP it looks at the process of the plugin: not with --isolate");
		CHECK_CONTAINS(out, "unknown_fields_are_refused # SKIP it looks at tables and bytes, which are written anew for a worker: not with --isolate");
		free(out);
	}
}

TEST(a2a3sim_conforms)
{
	plugin_passes("", plugin("a2a3sim"), 48);
}

TEST(aie_conforms)
{
	plugin_passes("", plugin("aie"), 48);
}

TEST(a2a3_without_a_device_conforms_as_far_as_that_goes)
{
	plugin_passes("env -u ASCEND_HOME_PATH", plugin("a2a3"), 15);
}

/* The fakes of tests/fakes are no sanitizer's. */
TEST(a2a3_conforms_on_a_device)
{
	const char *b = check_root(), *t = check_tmp();

	plugin_passes(check_fmt("ASCEND_HOME_PATH=%s/build/fakes/machine/cann LD_LIBRARY_PATH=%s/build/fakes/machine/usr/local/Ascend/driver/lib64/driver "
				"FAKE_CANN_LOG=%s/log",
				b, b, t),
		      check_fmt("--opt root=%s/build/fakes/machine --opt runtime=%s/build/fakes/simpler --opt cache=%s/cache %s", b, b, t, plugin("a2a3")), 42);
}

/* ---- the template, by several compilers --------------------------------------------------------------------------- */

static bool compiler_is_here(const char *name)
{
	return check_run(check_fmt("command -v %s", name), NULL, NULL) == 0;
}

static void template_build(const char *cc, const char *more)
{
	char *err;

	if (check_run(check_fmt("cd %s && env CC='%s' %s %s/abi/template/build", check_tmp(), cc, more, check_root()), NULL, &err))
		CHECK_FAIL("the template is not built by %s: %s", cc, err);
	free(err);
}

static void template_passes(const char *compiler, const char *cc)
{
	if (!compiler_is_here(compiler))
		CHECK_SKIP(check_fmt("%s is not here", compiler));
	template_build(cc, "");
	plugin_passes("", check_fmt(QUICK "%s/libptowsp_null.so", check_dir()), 43);
}

TEST(template_by_gcc_conforms)
{
	template_passes("gcc", "gcc -std=c11");
}

/* A plugin without threads works when it is polled, each of its devices, and a drain ends what is on its way back. */
TEST(template_conforms_in_a_worker_and_in_a_sandbox)
{
	static const char *const ways[] = {"process", "sandbox"};

	template_build("gcc -std=c11", "");
	for (size_t i = 0; i < 2; i++) {
		char *out = conform("", check_fmt(QUICK "--isolate=%s %s/libptowsp_null.so", ways[i], check_dir()), 0, NULL);

		CHECK_CONTAINS(out, " ok, 0 not ok, ");
		CHECK_CONTAINS(out, " - drain_leaves_nothing\n");
		CHECK_CONTAINS(out, " - devices_change_threads\n");
		free(out);
	}
}

TEST(template_by_gcc_as_c17_with_lto_conforms)
{
	template_passes("gcc", "gcc -std=c17 -O3 -flto");
}

TEST(template_by_clang_conforms)
{
	template_passes("clang", "clang -std=c11");
}

TEST(template_by_gxx_conforms)
{
	template_passes("g++", "g++ -x c++ -std=c++17");
}

TEST(template_by_clangxx_conforms)
{
	template_passes("clang++", "clang++ -x c++ -std=c++17");
}

/* tcc's assembler does not take the note and its linker no version script: gcc makes the note and links. The code and its layout are tcc's. */
TEST(template_compiled_by_tcc_conforms)
{
	char *err;

	if (!compiler_is_here("tcc"))
		CHECK_SKIP("tcc is not here");
	if (check_run(
		    check_fmt(
			    "cd %s && a=%s/abi && mkdir -p none/ptowsp && "
			    "echo '#define PTOWSP_NOTE(...) extern int note_elsewhere' >none/ptowsp/note.h && tcc -std=c11 -Inone -I$a -c $a/template/plugin.c "
			    "-o plugin.o && "
			    "printf '#include \"ptowsp/note.h\"\nPTOWSP_NOTE(0, \"null\", \"example\", \"1.0.0\", \"null\");\n' | "
			    "gcc -std=c11 -I$a -x c -c - -o note.o && "
			    "gcc -shared -Wl,-z,defs,-z,now,-z,relro,-z,noexecstack,--version-script=$a/ptowsp_plugin.map plugin.o note.o -o libptowsp_null.so",
			    check_tmp(), check_root()),
		    NULL, &err))
		CHECK_FAIL("the template is not built by tcc: %s", err);
	free(err);
	plugin_passes("", check_fmt(QUICK "%s/libptowsp_null.so", check_dir()), 43);
}

/* A list without room for all of its rows leaves them as they are. */
TEST(a_plugin_with_two_devices_conforms)
{
	static const char second[] = "s,\\*count = 1;,*count = 2;,; s,if (!room),if (room < 2),; "
				     "s,devices_out.0. = &device_model;,static struct ptowsp_device second; second = device_model; second.name = \"null1\"; "
				     "&devices_out[1] = \\&second;,";
	char *err;

	if (check_run(check_fmt("cd %s && sed '%s' %s/abi/template/plugin.c >plugin.c && cp %s/abi/template/build . && env ABI=%s/abi ./build", check_tmp(),
				second, check_root(), check_root(), check_root()),
		      NULL, &err))
		CHECK_FAIL("the template with two devices is not built: %s", err);
	free(err);
	plugin_passes("", check_fmt(QUICK "%s/libptowsp_null.so", check_dir()), 43);
}

/* ---- what it says ------------------------------------------------------------------------------------------------- */

static const char *hostile(const char *name)
{
	return check_fmt("%s/tests/hostile/libptowsp_%s.so", check_build(), name);
}

TEST(list_names_every_test_and_its_obligation)
{
	char *out = conform("", "--list", 0, NULL), id[16];

	for (int i = 1; i <= 12; i++) {
		snprintf(id, sizeof(id), "PL%d ", i);
		CHECK_CONTAINS(out, id);
	}
	CHECK_CONTAINS(out, "PL5   runs_complete_once: ");
	free(out);
}

TEST(wrong_command_lines_are_usage_and_a_missing_file_is_exit_4)
{
	static const struct {
		const char *arguments, *sentence;
		int status;
	} rows[] = {
		{"", "no plugin is given", 2},
		{"--nonsense x.so", "flag \"--nonsense\" is unknown; known: ", 2},
		{"--seed=x x.so", "--seed \"x\" is no whole number", 2},
		{"--timeout=0 x.so", "--timeout needs seconds", 2},
		{"--isolate=x x.so", "--isolate is process or sandbox, not \"x\"", 2},
		{"--lint=on x.so", "--lint knows only off", 2},
		{"--probes=/nowhere x.so", "--probes: /nowhere is no folder of probe packages", 2},
		{"--opt nothing x.so", "--opt \"nothing\" is not KEY=VALUE", 2},
		{"--opt nonsense=1 cpu_sim", "cpu_sim option \"nonsense\" is unknown; known: ", 2},
		{"--opt trace=odd cpu_sim", "option trace takes ", 2},
		{"a.so b.so", "one plugin at a time", 2},
		{"./nowhere.so", "cannot be opened: No such file", 4},
		{"nowhere", "cannot be opened: No such file", 4},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *err;

		free(conform("", rows[i].arguments, rows[i].status, &err));
		CHECK_CONTAINS(err, rows[i].sentence);
		free(err);
	}
}

/* As ptowsp-run --plugin=NAME does. */
TEST(a_name_means_the_plugin_that_is_found_by_it)
{
	char *out = conform("", "--test 'file*' cpu_sim", 0, NULL);

	CHECK_CONTAINS(out, "2 ok, 0 not ok, ");
	free(out);
}

/* The switch of those who test what a compiler makes: everything but the lint goes on. */
TEST(without_the_lint_a_refused_file_is_tested)
{
	char *out;

	REQUIRE_INT(check_run(check_fmt("cd %s && env LDFLAGS=-Wl,-z,lazy %s/abi/template/build", check_tmp(), check_root()), NULL, NULL), 0);
	out = conform("", check_fmt("--lint=off --rounds 10 --test '*e*' %s/libptowsp_null.so", check_dir()), 1, NULL);
	CHECK_CONTAINS(out, "not ok 1 - file_passes_the_lint");
	CHECK_CONTAINS(out, "ok 5 - entry_always_answers_the_same");
	CHECK_CONTAINS(out, ", 1 not ok, ");
	free(out);
}

/* The template has neither a trace nor a graph: what is asked for is what is missed. */
TEST(a_backend_without_a_graph_is_told_so)
{
	static const char empty[] =
		"{\"schema\": \"ptowsp.package/1\", \"WORK\": {\"instructions\": [[\"halt\"]]}, \"ENTR\": [{\"name\": \"main\", \"flags\": 1}]}";
	char *err = NULL;

	REQUIRE_INT(check_run(check_fmt("cd %s && %s/abi/template/build && echo '%s' >e.json && %s/bin/ptowsp-pack --from-json e.json -o e.pkg.zst",
					check_tmp(), check_root(), empty, check_build()),
			      NULL, NULL),
		    0);
	CHECK_INT(check_run(check_fmt("cd %s && %s/bin/ptowsp-run --plugin=./libptowsp_null.so --graph - e.pkg.zst", check_dir(), check_build()), NULL, &err),
		  5);
	CHECK_CONTAINS(err, "null offers no task graph");
	free(err);
}

/* As a package has them whose maker knew fewer fields (packages/FORMAT.md). */
TEST(template_takes_entries_of_shorter_rows)
{
	static const char empty[] =
		"{\"schema\": \"ptowsp.package/1\", \"WORK\": {\"instructions\": [[\"halt\"]]}, \"ENTR\": [{\"name\": \"main\", \"flags\": 1}]}";
	static struct seal seal;
	struct seal_section *entries;

	template_build("cc", "");
	REQUIRE_INT(check_run(check_fmt("cd %s && echo '%s' >e.json && %s/bin/ptowsp-pack --from-json e.json -o e.pkg.zst", check_dir(), empty, check_build()),
			      NULL, NULL),
		    0);
	REQUIRE_INT(seal_read(&seal, check_fmt("%s/e.pkg.zst", check_dir())), 0);
	entries = seal_find(&seal, "ENTR");
	REQUIRE(entries && entries->size == 32);
	entries->size = entries->row.stride = 20; /* without values */
	CHECK_INT(seal_write(&seal, check_fmt("%s/short.pkg.zst", check_dir())), 0);
	seal_finish(&seal);
	CHECK_INT(check_run(check_fmt("cd %s && %s/bin/ptowsp-run --plugin=./libptowsp_null.so short.pkg.zst", check_dir(), check_build()), NULL, NULL), 0);
}

/* What no host finds is said, too. */
TEST(a_file_of_another_name_is_told_its_own)
{
	char *out;

	REQUIRE_INT(check_run(check_fmt("cp %s/tests/hostile/nothing/libptowsp_null.so %s/null.so", check_build(), check_tmp()), NULL, NULL), 0);
	out = conform("", check_fmt("--test '*lint' %s/null.so", check_dir()), 1, NULL);
	CHECK_CONTAINS(out, "null.so: no host looks for a file of that name; call it libptowsp_null.so (PL1)");
	free(out);
}

/* A file that the lint refuses is not run: everything else is skipped with that reason. */
TEST(a_refused_file_is_not_run)
{
	char *out = conform("", hostile("exec_stack"), 1, NULL);

	CHECK_CONTAINS(out, "not ok 1 - file_passes_the_lint");
	CHECK_CONTAINS(out, "asks for an executable stack");
	CHECK_CONTAINS(out, "loading_has_no_effect # SKIP the file is refused");
	free(out);
}

TEST(json_has_a_row_per_test)
{
	char *out = conform("", check_fmt("--json --test 'entry_*' %s", plugin("cpu_sim")), 0, NULL);
	json_t *whole = json_loads(out, 0, NULL), *rows = json_object_get(whole, "tests");

	CHECK_STR(json_string_value(json_object_get(whole, "schema")), "ptowsp.conform/1");
	CHECK_STR(json_string_value(json_object_get(whole, "plugin")), "cpu_sim");
	REQUIRE_UINT(json_array_size(rows), 2);
	CHECK_STR(json_string_value(json_object_get(json_array_get(rows, 0), "name")), "entry_has_no_effect");
	CHECK_STR(json_string_value(json_object_get(json_array_get(rows, 0), "verdict")), "ok");
	CHECK_STR(json_string_value(json_object_get(json_array_get(rows, 0), "obligation")), "PL1");
	json_decref(whole);
	free(out);
}

/* However a plugin ends its process: the operation, the package, the seed, the signal, and the line that it logged last, for people and for scripts. */
TEST(the_end_of_a_plugin_is_told_with_all_that_is_known)
{
	static const struct {
		const char *plugin, *test, *how;
		int signal, seeded;
	} rows[] = {
		{"crash_load", "runs_complete_once", "ended by signal 11 (Segmentation fault) in load, package ", 11, 0},
		{"abort_load", "runs_complete_once", "ended by signal 6 (Aborted) in load, package ", 6, 0},
		{"exit_load", "runs_complete_once", "left the process with status 0 in load, package ", 0, 0},
		{"loop_load", "runs_complete_once", "did not end within 2 s, in load, package ", 0, 0},
		{"trusts_bytecode", "damaged_workloads_never_fault", "in load, package ", 11, 1},
	};

	if (*check_sanitizer())
		CHECK_SKIP("a sanitizer ends the process in its own way");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *path = check_fmt("%s/tests/hostile/%s/libptowsp_null.so", check_build(), rows[i].plugin);
		const char *arguments = check_fmt("--timeout %d --rounds 300 --test %s %s", strstr(rows[i].how, "2 s") ? 2 : 60, rows[i].test, path);
		char *out = conform("", arguments, 1, NULL);
		json_t *whole, *row;

		CHECK_CONTAINS(out, rows[i].how);
		CHECK_CONTAINS(out, "last log line: the hostile plugin starts");
		CHECK_CONTAINS(out, check_fmt("# again: ptowsp-conform --test %s --seed 1 --in-process %s", rows[i].test, path));
		free(out);
		out = conform("", check_fmt("--json %s", arguments), 1, NULL);
		whole = json_loads(out, 0, NULL);
		row = json_array_get(json_object_get(whole, "tests"), 0);
		CHECK_STR(json_string_value(json_object_get(row, "verdict")), "died");
		CHECK_STR(json_string_value(json_object_get(row, "operation")), "load");
		if (rows[i].seeded) /* which of the damaged ones reaches beyond what is mapped depends on what else is */
			CHECK(*json_string_value(json_object_get(row, "package")));
		else
			CHECK_STR(json_string_value(json_object_get(row, "package")), "smallest");
		CHECK_STR(json_string_value(json_object_get(row, "log")), "the hostile plugin starts");
		CHECK_INT(json_integer_value(json_object_get(row, "signal")), rows[i].signal);
		CHECK_INT(json_integer_value(json_object_get(row, "seed")) > 0, rows[i].seeded);
		CHECK_CONTAINS(json_string_value(json_object_get(row, "text")), rows[i].how);
		json_decref(whole);
		free(out);
	}
}

/* A worker's end is the test's, with what the host says of it; what the plugin said last stands beside it. */
TEST(the_end_of_a_worker_is_told_in_the_words_of_the_host)
{
	static const struct {
		const char *plugin, *test, *how;
	} rows[] = {
		{"crash_load", "runs_complete_once", "# null: its worker ended in load: signal 11 (Segmentation fault); last lines: the hostile plugin starts"},
		{"exit_load", "runs_complete_once", "# null: its worker ended in load: it left with exit status 0"},
		{"no_sentence", "strangers_are_refused", "without a sentence"},
		{"trusts_bytecode", "damaged_workloads_never_fault", "# null: its worker ended in load: signal "},
	};

	if (*check_sanitizer())
		CHECK_SKIP("a sanitizer ends the process in its own way");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *out = conform("",
				    check_fmt("--isolate=process --rounds 300 --test %s %s/tests/hostile/%s/libptowsp_null.so", rows[i].test, check_build(),
					      rows[i].plugin),
				    1, NULL);

		CHECK_CONTAINS(out, rows[i].how);
		CHECK_CONTAINS(out, "# its last line: the hostile plugin starts");
		CHECK_CONTAINS(out, "--isolate=process --in-process");
		free(out);
	}
}

/* Time counts from the last package, seed or step on: a test of many short ones may take longer than the limit of one. */
TEST(a_test_that_goes_on_is_not_ended)
{
	plugin_passes(
		"", check_fmt("--timeout 1 --rounds 20000 --test damaged_workloads_never_fault %s/lib/ptowsp/plugins/libptowsp_cpu_sim.so", check_build()), 1);
}

TEST(a_test_runs_in_the_tool_s_own_process_too)
{
	plugin_passes("", check_fmt("--in-process --test runs_complete_once %s", plugin("cpu_sim")), 1);
}

/* A folder in the place of /proc: what is counted there is skipped by name. */
TEST(without_proc_what_needs_it_is_skipped)
{
	const char *hidden = "unshare -rm sh -c 'mount -t tmpfs none /proc && exec \"$0\" \"$@\"' ";
	char *out;

	if (check_run(check_fmt("%s true", hidden), NULL, NULL))
		CHECK_SKIP("this machine gives no namespace of its own to mount in");
	REQUIRE_INT(check_run(check_fmt("%s %s/bin/ptowsp-conform --test '@(fini|entry|loading|threads)_*' %s", hidden, check_build(), plugin("cpu_sim")), &out,
			      NULL),
		    0);
	CHECK_CONTAINS(out, "fini_returns_everything # SKIP this machine has no /proc");
	CHECK_CONTAINS(out, "entry_has_no_effect # SKIP this machine has no /proc");
	CHECK_CONTAINS(out, "threads_block_all_signals # SKIP this machine has no /proc");
	free(out);
}
