/* SPDX-License-Identifier: MIT
 * test_contract_json.c - what the tools say of themselves: plugins, devices, capabilities, verdicts, help and version, as text and JSON. */
#include "tests/contract/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VECTORS "$K/vectors.pkg.zst"
#define CC      "cc -std=c11 -shared -fPIC -Wl,-z,now -I$R/abi -Wl,--version-script=$R/abi/ptowsp_plugin.map $R/tests/contract/plugin.c "

/* Does any string below the value contain the text? */
static bool mentions(const json_t *value, const char *text)
{
	const char *key;
	json_t *item;
	size_t i;

	if (json_is_string(value))
		return strstr(json_string_value(value), text) != NULL;
	json_array_foreach((json_t *)value, i, item) if (mentions(item, text)) return true;
	json_object_foreach((json_t *)value, key, item) if (mentions(item, text)) return true;
	return false;
}

static json_t *json_of(const char *command)
{
	if (cli(command)) {
		CHECK_FAIL("%s fails: \"%s\"", command, cli_err);
		return NULL;
	}
	return cli_json();
}

TEST(listing_plugins_runs_none_of_them)
{
	json_t *list;

	REQUIRE_INT(cli("mkdir d && " CC "-DMARK='\"mark\"' -o d/libptowsp_odd.so && " CC "-DMARK='\"mark\"' -DNO_NOTE -o d/libptowsp_bare.so && " CC
			"-DNAME='\"cpu_sim\"' -o d/libptowsp_cpu_sim.so && "
			"echo text >d/libptowsp_text.so && echo text >d/readme.txt"),
		    0);
	CLI_OUT(0, "$B/ptowsp-run --list-plugins --plugin-dir d", "odd", "cpu_sim", "shadowed", "libptowsp_bare.so", "note", "libptowsp_text.so", "ELF");
	CHECK(!strstr(cli_out, "readme.txt"));
	list = json_of("$B/ptowsp-run --list-plugins --json --plugin-dir d");
	CHECK(mentions(list, "libptowsp_bare.so") && mentions(list, "libptowsp_text.so") && mentions(list, "cpu_sim"));
	CLI_PRINTS(0, "ls -A", "d\n"); /* nobody left a mark */
	REQUIRE_INT(cli("$B/ptowsp-run --capabilities --plugin-dir d --plugin=odd"), 0);
	CHECK_INT(cli("ls mark"), 0); /* the mark works */
}

/* A name that is no UTF-8 or has a command to the terminal in it. */
TEST(files_of_any_name_are_listed)
{
	json_t *list;

	REQUIRE_INT(cli("mkdir d\377 && echo text >d\377/libptowsp_$(printf 'a\\377').so && echo text >d\377/\"$(printf 'libptowsp_\\033[31m.so')\""), 0);
	list = json_of("$B/ptowsp-run --list-plugins --json --plugin-dir d\377");
	CHECK(mentions(list, "d?/libptowsp_a?.so") && mentions(list, "d?/libptowsp_\033[31m.so"));
	list = json_of("$B/ptowsp-run --explain --json --plugin-dir d\377 $K/scale.pkg.zst");
	CHECK(mentions(list, "d?/libptowsp_a?.so") && mentions(list, "d?/libptowsp_\033[31m.so"));
	CLI_OUT(0, "$B/ptowsp-run --list-plugins --plugin-dir d\377", "libptowsp_?[31m.so");
	CLI_OUT(0, "$B/ptowsp-run --explain --plugin-dir d\377 $K/scale.pkg.zst", "libptowsp_?[31m.so");
	CLI_OUT(0, "cp $K/scale.pkg.zst \"$(printf 's\\033.pkg.zst')\" && $B/ptowsp-inspect . .", "./s?.pkg.zst\n");
}

TEST(folders_of_the_environment_are_searched_after_the_tool_s_own)
{
	REQUIRE_INT(cli("mkdir d && " CC "-o d/libptowsp_odd.so"), 0);
	CLI_OUT(0, "PTOWSP_PLUGIN_PATH=$T/d $B/ptowsp-run --list-plugins", "libptowsp_odd.so");
	REQUIRE_INT(cli("$B/ptowsp-run --list-plugins"), 0);
	CHECK(!strstr(cli_out, "libptowsp_odd.so"));
	CLI_OUT(0, "PTOWSP_PLUGIN_PATH=/nonexistent:$T/d $B/ptowsp-run --explain " VECTORS, "/nonexistent");
}

TEST(cpu_sim_is_listed_with_its_facts)
{
	json_t *list;

	cli_begin();
	list = json_of("$B/ptowsp-run --list-plugins --json");
	CHECK(mentions(list, "cpu_sim") && mentions(list, "libptowsp_cpu_sim.so"));
	CLI_OUT(0, "$B/ptowsp-run --list-plugins", "cpu_sim");
}

TEST(devices_have_an_architecture_model)
{
	json_t *list;

	CLI_OUT(0, "$B/ptowsp-run --devices", "cpu");
	list = json_of("$B/ptowsp-run --devices --json");
	CHECK(mentions(list, "cpu_sim") && mentions(list, "reference"));
	list = json_of("$B/ptowsp-run --devices --plugin=cpu_sim --json");
	CHECK(mentions(list, "reference"));
	CHECK_INT(cli("$B/ptowsp-run --devices --plugin=nosuch"), 4);
	cli_check_sentence();
}

TEST(capabilities_are_a_matrix)
{
	json_t *matrix;

	CLI_OUT(0, "$B/ptowsp-run --capabilities --plugin=cpu_sim", "round_robin", "enforced", "parallel_for");
	matrix = json_of("$B/ptowsp-run --capabilities --plugin=cpu_sim --json");
	CHECK(mentions(matrix, "enforced") && mentions(matrix, "work_steal"));
	matrix = json_of("$B/ptowsp-run --capabilities --json");
	CHECK(mentions(matrix, "cpu_sim"));
	CLI_OUT(0, "mkdir d && " CC "-o d/libptowsp_odd.so && $B/ptowsp-run --capabilities --plugin-dir d", "cpu_sim", "odd");
	CHECK(!strstr(cli_out, " \n"));
	REQUIRE_INT(cli("mkdir -p moved/bin && cp $B/ptowsp-run moved/bin"), 0); /* away from its probes */
	CHECK_INT(cli("LD_LIBRARY_PATH=$B/../lib moved/bin/ptowsp-run --capabilities --verify --plugin=$B/../lib/ptowsp/plugins/libptowsp_cpu_sim.so "
		      "--isolate=none"),
		  11);
	CHECK_INT(strncmp(cli_out, "cpu_sim 0.1.0: nothing is proved, as nothing that it claims can be seen here\n", 75), 0);
	cli_check_sentence();
}

/* Where the column behind the names begins is the same in every line of a table. */
TEST(explain_has_straight_columns)
{
	static const char source[] = "// Function Type: InCore\n"
				     "func @k(%x: !pto.memref<gm,...,f32>, %a_tensor_with_a_name_of_37_characters: !pto.memref<gm,...,f32>) {\n"
				     "  %a = alloc_tile : !pto.tile<4x4xf32>\n"
				     "  %a = tload %x[0, 0] : (!pto.memref<gm,...,f32>, index, index) -> !pto.tile<4x4xf32>\n"
				     "  tstore %a, %a_tensor_with_a_name_of_37_characters[0, 0]\n"
				     "  return\n"
				     "}\n";
	const char *name, *first, *second;

	cli_begin();
	REQUIRE(check_write(check_fmt("%s/long.pto", getenv("T")), source, sizeof(source) - 1));
	REQUIRE_INT(cli("$B/ptowsp-pack long.pto -o p.pkg.zst && $B/ptowsp-run --explain p.pkg.zst"), 0);
	name = strstr(cli_out, "\n  x ");
	first = name ? strstr(name, "f32") : NULL;
	second = first ? strstr(first, "\n  a_tensor_with_a_name_of_37_characters  f32  out") : NULL;
	REQUIRE(second != NULL);
	CHECK_INT(first - name, strstr(second, "f32") - second);
	CHECK(!strstr(cli_out, " \n"));
}

TEST(explain_gives_a_verdict_per_directive_and_runs_nothing)
{
	json_t *verdicts;

	REQUIRE_INT(cli("$B/ptowsp-run --explain --entry endless $K/endless.pkg.zst"), 0);
	CLI_OUT(0, "$B/ptowsp-run --explain " VECTORS " --schedule task_window=64 --schedule 'dispatch=round_robin(4)'", "task_window", "round_robin",
		"enforced");
	CHECK_CONTAINS(cli_out, "/lib/ptowsp/plugins"); /* the search path */
	verdicts = json_of("$B/ptowsp-run --explain --json --schedule task_window=64 " VECTORS);
	CHECK(mentions(verdicts, "enforced") && mentions(verdicts, "task_window"));
	CHECK_CONTAINS(cli_text(verdicts, "plugin_path"), "libptowsp_cpu_sim.so");
	CHECK_CONTAINS(cli_text(verdicts, "plugin_version"), ".");
	CLI_PRINTS(0, "ls -A", "");
}

TEST(explain_gives_the_program_of_every_device)
{
	json_t *told;
	const char *first, *second;

	REQUIRE_INT(cli("$B/ptowsp-run --explain --device=cpu0,cpu1 $P/two_devices.pkg.zst"), 0);
	first = strstr(cli_out, "package two_devices, entry left\n");
	second = strstr(cli_out, "package two_devices, entry right, the program of device 1\n");
	REQUIRE(first && second && first < second);
	CHECK(strstr(first, "\ndevice cpu0, ") < second);
	CHECK_CONTAINS(second, "\ndevice cpu1, ");
	CHECK_CONTAINS(second, "  IN      f32  in     shape of the bound file, sample data, not used by this entry\n");
	told = json_of("$B/ptowsp-run --explain --json --device=cpu0,cpu1 $P/two_devices.pkg.zst");
	CHECK_STR(cli_text(told, "entry"), "left");
	CHECK_STR(cli_text(told, "devices[0].device"), "cpu0");
	CHECK_STR(cli_text(told, "devices[1].entry"), "right");
	CHECK_STR(cli_text(told, "devices[1].device"), "cpu1");
	CHECK(cli_at(told, "devices[1].verdicts[0]") && !cli_at(told, "devices[2]"));
	CHECK(!cli_at(json_of("$B/ptowsp-run --explain --json " VECTORS), "devices"));
	CLI_ERR(2, "$B/ptowsp-run --explain --device=cpu0,cpu1,cpu2 $P/two_devices.pkg.zst", "the package has no program for device 2");
	CHECK_STR(cli_out, "");
}

/* A tile of 128 KiB, of which no core of an array has half, in a program whose schedule counts tasks, so that none is divided: nothing that a package says of its needs tells it, so only who lays it out can. */
#define WIDE                                                                                                                                                   \
	"cat >wide.pto <<'END'\ntensor %x : f32[128, 256] inout\nfunc @one(%x: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<128x256xf32>\n"       \
	"  %t = tload %x[0, 0]\n  tstore %t, %x[0, 0]\n}\nworkload @main {\n call @one(%x -> %x[0, 0])\n}\nschedule { task_window 64 tasks stall "             \
	"}\nEND\n$B/ptowsp-pack wide.pto -o wide.pkg.zst"

/* A run and its --explain end alike, also with the plugin in a process of its own. */
TEST(explain_ends_as_the_run_does)
{
	static const char *const where[] = {"", "--isolate=process ", "--isolate=sandbox "};
	json_t *told;

	REQUIRE_INT(cli(WIDE), 0);
	for (size_t i = 0; i < sizeof(where) / sizeof(*where); i++) {
		char *sentence;

		CHECK_INT(cli(check_fmt("$B/ptowsp-run %s--plugin=aie wide.pkg.zst", where[i])), 5);
		sentence = strdup(cli_err);
		REQUIRE(sentence != NULL);
		CHECK_CONTAINS(sentence, "task 0, kernel one (wide.pto:2) needs 132096");
		CHECK_INT(cli(check_fmt("$B/ptowsp-run --explain %s--plugin=aie wide.pkg.zst", where[i])), 5);
		CHECK_STR(cli_err, sentence);
		CHECK_CONTAINS(cli_out, check_fmt("\nload: refused, exit 5: %s", sentence + strlen("ptowsp-run: ")));
		CHECK_CONTAINS(cli_out, "\nverdicts:\n");
		free(sentence);
	}
	CHECK_INT(cli("$B/ptowsp-run --explain --json --plugin=aie wide.pkg.zst"), 5);
	told = cli_json();
	CHECK_STR(cli_text(told, "load.status"), "UNSUPPORTED");
	CHECK_CONTAINS(cli_text(told, "load.text"), "task 0, kernel one (wide.pto:2) needs 132096");
	CLI_OUT(0, "$B/ptowsp-run --explain wide.pkg.zst", "\nload: the backend takes it; no kernel was run: ");
	CHECK_INT(cli("$B/ptowsp-run --explain --plugin=aie $P/paged_attention.pkg.zst"), 0); /* which tasks there are is not known */
	CHECK_CONTAINS(cli_out, "\nload: the backend takes it; how its run ends is not known: data of tensors decide ");
	CHECK_STR(cli_err, "");
	CHECK_INT(cli("$B/ptowsp-run --explain --plugin=aie --timeout-ms 200 $K/endless.pkg.zst"), 0); /* nor is it in time */
	CHECK_CONTAINS(cli_out, "how its run ends is not known: the deadline passed in kernel endless");
}

/* A process loads a slot from what a task writes: an array is given all tasks of processes before. Where data from outside decide whether that happens, a look cannot tell. */
#define LATE(first, branch)                                                                                                                                    \
	"cat >late.pto <<'END'\nslot %s : i64 = 0\nslot %n : i64 = 0\ntensor %given : i32[4, 4] in\ntensor %made : i32[4, 4] out\n"                            \
	"channel %c : token capacity 1\n"                                                                                                                      \
	"func @put(%x: !pto.memref<gm,...,i32>) {\n  %t = alloc_tile : !pto.tile<4x4xi32>\n  %t = texpands %1\n  tstore %t, %x[0, 0]\n}\n"                     \
	"process @p produces(%c) {\n " first " call @put(%x -> %made[0, 0])\n " branch                                                                         \
	" { slot_load %n, %made[0, 0] }\n if %n { send %c, 1 }\n}\nprocess @q consumes(%c) {\n consume %c as %v { }\n}\nEND\n"                                 \
	"$B/ptowsp-pack late.pto -o late.pkg.zst"
#define LATE_SENTENCE " is read from tensor "

TEST(data_of_tasks_are_refused_before_the_run)
{
	char *sentence;

	REQUIRE_INT(cli(LATE("", "if 1")), 0);
	CLI_ERR(5, "$B/ptowsp-run --plugin=aie late.pkg.zst", LATE_SENTENCE);
	sentence = strdup(cli_err + strlen("ptowsp-run: "));
	REQUIRE(sentence != NULL);
	CHECK_INT(cli("$B/ptowsp-run --explain --plugin=aie late.pkg.zst"), 5);
	CHECK_STR(cli_err + strlen("ptowsp-run: "), sentence);
	CHECK_INT(cli("$B/ptowsp-run --plugin=auto --plugin-order aie,cpu_sim late.pkg.zst"), 0);
	CHECK_STR(cli_err, check_fmt("ptowsp-run: auto: aie skipped: %s", sentence));
	CHECK_INT(strncmp(cli_out, "cpu_sim cpu0: ", 14), 0);
	CHECK_INT(cli("$B/ptowsp-run --explain --no-kernels --plugin=aie late.pkg.zst"), 0);     /* which takes zeros for them */
	CHECK_INT(cli("$B/ptowsp-run --no-kernels --plugin=aie --emit design late.pkg.zst"), 5); /* of a run that there cannot be */
	CHECK_INT(cli("test ! -e design"), 0);
	free(sentence);
}

TEST(data_from_outside_are_waited_for)
{
	REQUIRE_INT(cli(LATE("slot_load %s, %given[0, 0]\n", "if %s")), 0);
	CHECK_INT(cli("$B/ptowsp-run --plugin=aie --fill given=zeros late.pkg.zst"), 0);
	CLI_ERR(5, "$B/ptowsp-run --plugin=aie --fill given=ones late.pkg.zst", LATE_SENTENCE);
	CLI_OUT(0, "$B/ptowsp-run --explain --plugin=aie late.pkg.zst", "how its run ends is not known: data of tensors decide ");
	CLI_OUT(0, "$B/ptowsp-run --explain --plugin=aie $P/moe.pkg.zst", "how its run ends is not known: data of tensors decide ");
	CHECK_INT(cli("$B/ptowsp-run --plugin=auto --plugin-order aie,cpu_sim $P/moe.pkg.zst"), 0);
	CHECK_INT(strncmp(cli_out, "aie npu1: ", 10), 0);
}

TEST(auto_goes_on_where_a_backend_does_not_take_it)
{
	REQUIRE_INT(cli(WIDE), 0);
	CHECK_INT(cli("$B/ptowsp-run --plugin=auto --plugin-order aie,cpu_sim wide.pkg.zst"), 0);
	CHECK_INT(strncmp(cli_out, "cpu_sim cpu0: 1 task", 20), 0);
	CHECK_CONTAINS(cli_err, "ptowsp-run: auto: aie skipped: task 0, kernel one (wide.pto:2) needs 132096");
	CHECK_INT(cli("$B/ptowsp-run --explain --plugin=auto --plugin-order aie,cpu_sim --json wide.pkg.zst"), 0);
	CHECK_STR(cli_text(cli_json(), "plugin"), "cpu_sim");
	CHECK_STR(cli_text(cli_json(), "passed[0].name"), "aie");
	CHECK_CONTAINS(cli_text(cli_json(), "passed[0].reason"), "task 0, kernel one (wide.pto:2) needs 132096");
	CLI_OUT(0, "$B/ptowsp-run --explain --plugin=auto --plugin-order aie,cpu_sim wide.pkg.zst",
		"\npassed over: aie: task 0, kernel one (wide.pto:2) needs 132096");
	CHECK_INT(cli("$B/ptowsp-run --plugin=auto --plugin-order aie wide.pkg.zst"), 4);
}

/* Without a package there is nothing to choose for: what would be chosen among is shown. */
TEST(lists_for_auto_show_all)
{
	static const char *const lists[] = {"--devices", "--devices --json", "--capabilities", "--capabilities --json"};

	cli_begin();
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		char *all;

		CHECK_INT(cli(check_fmt("$B/ptowsp-run %s", lists[i])), 0);
		all = strdup(cli_out);
		CLI_PRINTS(0, check_fmt("$B/ptowsp-run %s --plugin=auto", lists[i]), all);
		CHECK_CONTAINS(cli_out, "cpu_sim");
		free(all);
	}
	CLI_OUT(0, "$B/ptowsp-run --help --plugin=auto", "\nOptions of aie, ", "\nOptions of cpu_sim, ");
}

/* The command runs on that device of aie. */
static void opens(const char *device, const char *command)
{
	CHECK_INT(cli(command), 0);
	CHECK_INT(strncmp(cli_out, check_fmt("aie %s: ", device), 10), 0);
}

/* The name of a device, and the target of a package, are of one device among a plugin's. */
TEST(a_target_opens_its_device)
{
	cli_begin();
	opens("npu2", "$B/ptowsp-run --plugin=xdna2 $P/vector_add.pkg.zst");
	opens("npu1", "$B/ptowsp-run --plugin=amd_aie $P/vector_add.pkg.zst");
	opens("npu1", "$B/ptowsp-run --plugin=xdna2 --device=npu1 $P/vector_add.pkg.zst");
	opens("npu2", "$B/ptowsp-run --plugin=npu2 $P/vector_add.pkg.zst");
	REQUIRE_INT(
		cli("$B/ptowsp-inspect --pto $P/vector_add.pkg.zst >v.pto && { echo 'target xdna2'; cat v.pto; } >t.pto && $B/ptowsp-pack t.pto -o t.pkg.zst"),
		0);
	opens("npu2", "$B/ptowsp-run --plugin=aie t.pkg.zst");
	opens("npu2", "$B/ptowsp-run --plugin=auto --plugin-order aie t.pkg.zst");
	opens("npu1", "$B/ptowsp-run --plugin=aie --opt device=npu1 t.pkg.zst");
}

/* Every flag of the contract that this tool has, and what it prints without a run. */
static void check_help(const char *tool, const char *const *words)
{
	REQUIRE_INT(cli(check_fmt("$B/%s --help", tool)), 0);
	CHECK_STR(cli_err, "");
	CHECK_CONTAINS(cli_out, tool);
	for (; *words; words++)
		CHECK_CONTAINS(cli_out, *words);
}

TEST(run_helps)
{
	static const char *const words[] = {"--plugin",
					    "--list-plugins",
					    "--devices",
					    "--capabilities",
					    "--explain",
					    "--json",
					    "--in",
					    "--fill",
					    "--out",
					    "--expect",
					    "--rtol",
					    "--atol",
					    "--set",
					    "--entry",
					    "--schedule",
					    "--no-kernels",
					    "--runs",
					    "--threads",
					    "--plugin-dir",
					    "--user-plugins",
					    "--opt",
					    "--stats",
					    "--trace",
					    "--graph",
					    "--timeout-ms",
					    "--strict",
					    "--max-memory",
					    "--max-tasks",
					    "--version",
					    "-v",
					    "-q",
					    "--progress",
					    "--help",
					    "random",
					    "iota",
					    "PTOWSP_PLUGIN_PATH",
					    /* exit codes */ "success",
					    "usage",
					    "refused",
					    "deadlock",
					    "deadline",
					    NULL};

	cli_begin();
	check_help("ptowsp-run", words);
	CLI_OUT(0, "$B/ptowsp-run --help --plugin=cpu_sim", "opt_level", "profiling", "debug", "clock");
}

TEST(pack_helps)
{
	static const char *const words[] = {"-o", "--from-json", "--strict", "--version", "--help", NULL};

	cli_begin();
	check_help("ptowsp-pack", words);
}

TEST(inspect_helps)
{
	static const char *const words[] = {"--json", "--disasm", "--verify", "--graph", "--version", "--help", NULL};

	cli_begin();
	check_help("ptowsp-inspect", words);
	CHECK_CONTAINS(cli_out, "\n  6    source text that packs to another digest\n");
}

TEST(bench_helps)
{
	static const char *const words[] = {"tasks", "peer", "--threads", NULL};

	cli_begin();
	check_help("ptowsp-bench", words);
}

TEST(every_tool_tells_its_version_and_the_abi)
{
	static const char *const tools[] = {"ptowsp-run", "ptowsp-pack", "ptowsp-inspect", "ptowsp-bench"};

	for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++) {
		CLI_OUT(0, check_fmt("$B/%s --version", tools[i]), tools[i], "v10.0");
		CHECK_STR(cli_err, "");
	}
}

TEST(declared_options_are_taken)
{
	for (int level = 0; level < 4; level++)
		CHECK_INT(cli(check_fmt("$B/ptowsp-run --opt opt_level=%d --entry mixed " VECTORS, level)), 0);
	CHECK_INT(cli("$B/ptowsp-run --opt clock=reference --opt profiling=off --opt debug=off --entry mixed " VECTORS), 0);
	CHECK_INT(cli("$B/ptowsp-run --opt clock=sideways --entry mixed " VECTORS), 2);
	cli_check_sentence();
}

static json_int_t whole_of(const json_t *root, const char *key)
{
	return json_integer_value(json_object_get(root, key));
}

/* Each level does something that can be seen, and changes no result; a backend that has no use for it refuses it by name. */
TEST(a_level_of_effort_does_something_or_is_refused)
{
	json_int_t cycles[4], bytes[4];

	cli_begin();
	for (int level = 0; level < 4; level++) {
		const char *text;
		json_t *stats =
			json_of(check_fmt("$B/ptowsp-run --opt opt_level=%d --no-kernels --set num_tiles=32 --stats=json $P/llama_layer.pkg.zst", level));

		cycles[level] = whole_of(stats, "total_cycles");
		REQUIRE_INT(cli(check_fmt("$B/ptowsp-run --opt opt_level=%d --opt debug=on -v $P/fused_softmax.pkg.zst", level)), 0);
		text = strstr(cli_err, check_fmt("opt_level %d, ", level));
		REQUIRE(text != NULL);
		bytes[level] = atoll(text + strlen("opt_level 0, "));
	}
	CHECK(bytes[0] > bytes[1]); /* tiles share memory */
	CHECK(cycles[0] == cycles[1] && cycles[1] == cycles[2] && cycles[2] == cycles[3]);
	CLI_ERR(2, "$B/ptowsp-run --plugin=a2a3 --opt opt_level=3 $P/vector_add.pkg.zst", "opt_level");
	cli_check_sentence();
}

/* Lines of a table have as many columns as its head. */
static void check_table(const char *text)
{
	int want = -1;

	for (const char *end; *text; text = end + 1) {
		int tabs = 0;

		if (!(end = strchr(text, '\n'))) {
			CHECK_FAIL("the last line is cut: \"%s\"", text);
			return;
		}
		for (const char *at = text; at < end; at++)
			tabs += *at == '\t';
		if (want < 0)
			want = tabs;
		if (*text != '#' && tabs != want)
			CHECK_FAIL("%d columns, not %d: \"%.*s\"", tabs + 1, want + 1, (int)(end - text), text);
	}
	CHECK(want > 3);
}

TEST(a_peer_row_has_the_columns_of_the_harness)
{
	static const struct {
		const char *args;
		int tasks, edges;
	} rows[] = {{"--workload w1 --n 8", 3 * 64 + 13 * 8, 7 * 64 + 10 * 8},
		    {"--workload w2 --n 16", 256, 2 * 16 * 15},
		    {"--workload w3 --n 1000", 1000, 0},
		    {"--workload w4 --n 1000", 1000, 999}};
	char name[32];
	int threads, tasks, edges, work, reps;

	for (size_t i = 0; i < 4; i++) {
		REQUIRE_INT(cli(check_fmt("PB_QUIET_S=0 $B/ptowsp-bench peer %s --threads 2 --work-ns 0 --reps 3", rows[i].args)), 0);
		CHECK_UINT(cli_lines(cli_out), 1);
		check_table(cli_out);
		REQUIRE_INT(sscanf(cli_out, "%31s %d %*s %d %d %d %d", name, &threads, &tasks, &edges, &work, &reps), 6);
		CHECK_INT(threads, 2);
		CHECK_INT(tasks, rows[i].tasks);
		CHECK_INT(edges, rows[i].edges);
		CHECK_INT(reps, 3);
		CHECK_CONTAINS(cli_out, "\tok\n");
	}
	CHECK_INT(cli("$B/ptowsp-bench peer --workload w9 --n 8 --threads 1 --work-ns 0 --reps 1"), 2);
	cli_check_sentence();
	CHECK_INT(cli("$B/ptowsp-bench peer --workload w1 --n x --threads 1 --work-ns 0 --reps 1"), 2);
	cli_check_sentence();
}

TEST(no_output_is_coloured_without_a_terminal)
{
	CLI_PRINTS(1,
		   "{ $B/ptowsp-run --list-plugins; $B/ptowsp-run --capabilities; $B/ptowsp-run --entry mixed --stats " VECTORS
		   "; $B/ptowsp-run --frob; } 2>&1 | grep -c \"$(printf '\\033')\"",
		   "0\n");
}
