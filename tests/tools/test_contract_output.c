/* SPDX-License-Identifier: MIT
 * test_contract_output.c - what tools write: why stdout failed, files that appear whole or not at all, nothing left behind, nothing overwritten that is read. */
#include "tests/contract/cli.h"

#include "tools/output.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SCALE   "$K/scale.pkg.zst"
#define GOOD    "--fill src=ones --set count=8"
#define VECTORS "$K/vectors.pkg.zst"

/* ---- stdout ---- */

static const char *const talkers[] = {
	"$B/ptowsp-run " GOOD " " SCALE,
	"$B/ptowsp-run " GOOD " --stats " SCALE,
	"$B/ptowsp-run " GOOD " --stats=json " SCALE,
	"$B/ptowsp-run " GOOD " --graph - " SCALE,
	"$B/ptowsp-run --explain " SCALE,
	"$B/ptowsp-run --explain --json " SCALE,
	"$B/ptowsp-run --list-plugins",
	"$B/ptowsp-run --list-plugins --json",
	"$B/ptowsp-run --devices --plugin=cpu_sim",
	"$B/ptowsp-run --devices --plugin=cpu_sim --json",
	"$B/ptowsp-run --capabilities --plugin=cpu_sim",
	"$B/ptowsp-run --capabilities --plugin=cpu_sim --json",
	"$B/ptowsp-run --capabilities --host",
	"$B/ptowsp-run --help",
	"$B/ptowsp-run --version",
	"$B/ptowsp-inspect " SCALE,
	"$B/ptowsp-inspect --json " SCALE,
	"$B/ptowsp-inspect --disasm " SCALE,
	"$B/ptowsp-inspect --pto " SCALE,
	"$B/ptowsp-inspect --c " SCALE,
	"$B/ptowsp-inspect --verify " SCALE,
	"$B/ptowsp-pack --json $S/scale.pto -o s.pkg.zst",
	"$B/ptowsp-conform --list",
	"$B/ptowsp-bench --version",
	"$B/ptowsp-aie $R/tests/aie/arrays/add.mlir",
	"$B/ptowsp-aie --json $R/tests/aie/arrays/add.mlir",
};

static void talks(const char *talker, const char *way, const char *why)
{
	CHECK_INT(cli(check_fmt(way, talker)), 2);
	if (!strstr(cli_err, "stdout cannot be written: ") || !strstr(cli_err, why))
		CHECK_FAIL("%s: %s", check_fmt(way, talker), cli_err);
}

TEST(a_stdout_that_fails_says_why)
{
	cli_begin();
	for (size_t i = 0; i < sizeof(talkers) / sizeof(*talkers); i++) {
		talks(talkers[i], "%s >/dev/full", ": No space left on device\n");
		talks(talkers[i], "%s >&-", ": Bad file descriptor\n");
	}
}

/* As on a full disk, whatever writes the page: also where it is more than a stream keeps. */
TEST(a_page_that_fails_says_why)
{
	static const char *const writers[] = {
		"$B/ptowsp-inspect --html page.html $P/llama.pkg.zst",
		"$B/ptowsp-run --report page.html $P/softmax.pkg.zst",
		"$B/ptowsp-run --capabilities --html page.html",
		"$B/ptowsp-run --trace page.html $P/softmax.pkg.zst",
	};

	cli_begin();
	for (size_t i = 0; i < sizeof(writers) / sizeof(*writers); i++) {
		cli(check_fmt("(trap '' XFSZ; ulimit -f 0; %s 2>&1; echo ends with $?) | cat", writers[i]));
		if (!strstr(cli_out, "page.html cannot be written: File too large\n") || !strstr(cli_out, "ends with 2\n"))
			CHECK_FAIL("%s: %s", writers[i], cli_out);
	}
}

TEST(a_pipe_that_nobody_reads_is_told_where_its_signal_is_ignored)
{
	static const char way[] = "mkfifo pipe && { trap '' PIPE; cat pipe >/dev/null & reader=$!; exec 9>pipe; kill $reader; wait; %s >&9; }; status=$?; rm "
				  "-f pipe; exit $status";

	cli_begin();
	talks(talkers[0], way, ": Broken pipe\n");
	talks(talkers[2], way, ": Broken pipe\n");
	talks(talkers[17], way, ": Broken pipe\n");
}

/* A file must not get the number of a stream that is closed: what is printed would be in it. */
TEST(with_closed_streams_files_are_what_they_are_otherwise)
{
	REQUIRE_INT(cli("$B/ptowsp-run -q --fill src=iota --set count=8 --out dst=right.npy " SCALE), 0);
	CHECK_INT(cli("$B/ptowsp-run --stats --fill src=iota --set count=8 --out dst=1.npy " SCALE " >&-"), 2);
	CHECK_INT(cli("$B/ptowsp-run --stats --fill src=iota --set count=8 --out dst=2.npy --trace t.json " SCALE " <&- >&- 2>&-"), 2);
	CHECK_INT(cli("cmp right.npy 1.npy && cmp right.npy 2.npy"), 0);
	CHECK_INT(cli("$B/ptowsp-run --stats=json " GOOD " --layer=trace:log " SCALE " >&-"), 2);
	CHECK_INT(cli("grep -c kernels_run log"), 1);
	CHECK(cli_json_file("t.json") != NULL);
}

/* ---- what may be overwritten ---- */

TEST(what_is_read_is_not_overwritten)
{
	static const struct {
		const char *command, *first, *second;
	} cases[] = {
		{"$B/ptowsp-run -q " GOOD " --out dst=s.pkg.zst s.pkg.zst", "--out dst", "the package"},
		{"$B/ptowsp-run -q " GOOD " --out dst=./no/../s.pkg.zst s.pkg.zst", "--out dst", "the package"},
		{"$B/ptowsp-run -q " GOOD " --trace hard s.pkg.zst", "--trace", "the package"},
		{"$B/ptowsp-run -q " GOOD " --graph soft.json s.pkg.zst", "--graph", "the package"},
		{"$B/ptowsp-run -q --set count=8 --in src=src.npy --trace src.npy s.pkg.zst", "--trace", "--in src"},
		{"$B/ptowsp-run -q " GOOD " --expect dst=src.npy --out dst=src.npy s.pkg.zst", "--out dst", "--expect dst"},
		{"$B/ptowsp-run -q " GOOD " --plugin=./libptowsp_cpu_sim.so --out dst=libptowsp_cpu_sim.so s.pkg.zst", "--out dst", "the plugin"},
		{"$B/ptowsp-run -q " GOOD " --plugin-dir=. --trace libptowsp_cpu_sim.so s.pkg.zst", "--trace", "the plugin"},
		{"$B/ptowsp-run -q " GOOD " --out dst=new --trace no/../new s.pkg.zst", "--out dst", "--trace"},
		{"$B/ptowsp-run -q " GOOD " --trace new.json --graph ./new.json s.pkg.zst", "--trace", "--graph"},
		{"$B/ptowsp-run -q " GOOD " --layer=threads,trace:s.pkg.zst s.pkg.zst", "the log of --layer=trace", "the package"},
		{"$B/ptowsp-run -q --plugin=a2a3sim --emit e --out dst=e/plan.json " GOOD " s.pkg.zst", "a file of --emit", "--out dst"},
		{"$B/ptowsp-pack scale.pto -o scale.pto", "what is written", "the source"},
		{"$B/ptowsp-pack scale.pto -o link.pto", "what is written", "the source"},
		{"$B/ptowsp-pack --from-json s.json -o s.json", "what is written", "the JSON"},
		{"$B/ptowsp-pack --data src=src.npy scale.pto -o src.npy", "what is written", "the data"},
		{"$B/ptowsp-pack --sign=key scale.pto -o key", "what is written", "the key"},
		{"$B/ptowsp-pack --sign=key scale.pto -o key.pub", "what is written", "the public half of the key"},
		{"$B/ptowsp-pack --sign=key libptowsp_cpu_sim.so -o libptowsp_cpu_sim.so", "what is written", "the plugin"},
		{"$B/ptowsp-inspect --graph g.txt g.txt", "what is written", "the dump"},
	};
	char *before, *after;

	cli_begin();
	cli_npy_f32("src.npy", 32, 0, 1);
	REQUIRE_INT(cli("mkdir no e && cp $S/scale.pto . && ln -s scale.pto link.pto && $B/ptowsp-pack scale.pto -o s.pkg.zst && ln s.pkg.zst hard && ln -s "
			"s.pkg.zst soft.json &&"
			" $B/ptowsp-inspect --json s.pkg.zst >s.json && cp $B/../lib/ptowsp/plugins/libptowsp_cpu_sim.so . && $B/ptowsp-pack --make-key key &&"
			" $B/ptowsp-run -q " GOOD " --graph g.txt s.pkg.zst && cat * 2>/dev/null | sha256sum"),
		    0);
	before = strdup(cli_out);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		CHECK_INT(cli(cases[i].command), 2);
		cli_check_sentence();
		if (!strstr(cli_err, cases[i].first) || !strstr(cli_err, cases[i].second))
			CHECK_FAIL("%s: %s", cases[i].command, cli_err);
	}
	REQUIRE_INT(cli("ls -d e/* new* 2>/dev/null | wc -l; cat * 2>/dev/null | sha256sum"), 0);
	after = strdup(cli_out);
	CHECK_CONTAINS(before, after + 2);
	CHECK(!strncmp(after, "0\n", 2));
	free(before);
	free(after);
}

TEST(a_package_is_signed_in_place)
{
	REQUIRE_INT(cli("$B/ptowsp-pack --make-key key && cp " SCALE
			" s.pkg.zst && $B/ptowsp-pack --sign=key s.pkg.zst && $B/ptowsp-pack --sign=key s.pkg.zst -o t.pkg.zst"),
		    0);
	CHECK_INT(cli("cmp s.pkg.zst t.pkg.zst"), 0);
}

TEST(a_log_of_calls_takes_the_place_of_nothing_else)
{
	REQUIRE_INT(cli("echo mine >mine && : >empty"), 0);
	CLI_ERR(2, "$B/ptowsp-run -q " GOOD " --layer=trace:mine " SCALE, "mine: it is there already and no log of calls");
	CLI_PRINTS(0, "cat mine", "mine\n");
	for (int i = 0; i < 2; i++)
		CHECK_INT(cli("$B/ptowsp-run -q " GOOD " --layer=trace:empty " SCALE), 0);
}

/* Behind --graph alone it is stdout. */
TEST(a_dash_is_no_name_of_a_file)
{
	static const char *const commands[] = {("$B/ptowsp-run " GOOD " --out dst=- " SCALE),
					       ("$B/ptowsp-run " GOOD " --trace - " SCALE),
					       ("$B/ptowsp-run " GOOD " --layer=trace:- " SCALE),
					       "$B/ptowsp-run --plugin=aie --emit - $P/vector_add.pkg.zst",
					       "$B/ptowsp-run --plugin=a2a3sim --emit - $P/vector_add.pkg.zst",
					       ("$B/ptowsp-run --explain " GOOD " --out dst=- " SCALE),
					       "$B/ptowsp-pack $S/scale.pto -o -",
					       "$B/ptowsp-pack --emit=c $S/scale.pto -o -",
					       "$B/ptowsp-pack $R/tests/vectors -o -",
					       "$B/ptowsp-pack --make-key -",
					       ("$B/ptowsp-inspect --pto --out - " SCALE)};

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		CLI_ERR(2, commands[i], " cannot be called -: it is a file, and does not go to stdout; ./- is a name\n");
		REQUIRE_INT(cli("ls -A"), 0);
		CHECK_STR(cli_out, "");
	}
	CHECK_INT(cli("$B/ptowsp-run -q " GOOD " --out dst=./- --graph - " SCALE " && test -f ./-"), 0);
}

TEST(files_of_others_are_not_replaced_by_emit)
{
	static const struct {
		const char *command, *file;
	} makers[] = {
		{"$B/ptowsp-run -q --plugin=aie $P/vector_add.pkg.zst --emit", "design.mlir"},
		{"$B/ptowsp-run -q --plugin=a2a3sim $P/vector_add.pkg.zst --emit", "plan.json"},
		{"$B/ptowsp-run -q --plugin=a2a3sim --explain $P/vector_add.pkg.zst --emit", "plan.json"},
		{"$B/ptowsp-pack --emit=c $S/scale.pto -o", "isa/kernel.h"},
	};

	cli_begin();
	for (size_t i = 0; i < sizeof(makers) / sizeof(*makers); i++) {
		const char *file = makers[i].file, *command = makers[i].command;

		REQUIRE_INT(cli(check_fmt("rm -rf e; mkdir -p e/isa && echo mine >e/%s && echo mine >e/notes.txt", file)), 0);
		CLI_ERR(2, check_fmt("%s e", command), check_fmt("--emit: e/%s is there, and no earlier --emit made it; name another folder\n", file));
		CHECK_INT(cli(check_fmt("find e -type f | sort && cat e/%s", file)), 0);
		CHECK_STR(cli_out, check_fmt(strcmp(file, "plan.json") < 0 ? "e/%s\ne/notes.txt\nmine\n" : "e/notes.txt\ne/%s\nmine\n", file));
		REQUIRE_INT(cli(check_fmt("rm e/%s && ln -s nowhere e/%s", file, file)), 0);
		CHECK_INT(cli(check_fmt("%s e", command)), 2);
		REQUIRE_INT(cli(check_fmt("rm e/%s", file)), 0);
		CLI_OUT(0, check_fmt("%s e && %s e && cat e/notes.txt", command, command), "mine\n");
	}
	REQUIRE_INT(cli("rm -rf e; mkdir e && echo mine >e/.ptowsp-emit"), 0);
	CHECK_INT(cli(check_fmt("%s e", makers[0].command)), 2);
	CLI_PRINTS(0, "ls -A e && cat e/.ptowsp-emit", ".ptowsp-emit\nmine\n");
}

/* ---- nothing is left ---- */

TEST(what_cannot_be_written_leaves_nothing)
{
	static const struct {
		const char *command, *says;
		int status;
	} cases[] = {
		{"$B/ptowsp-run -q " GOOD " --emit e " SCALE, "makes no files", 5},
		{"$B/ptowsp-run -q --plugin=aie --emit e $P/deepseek.pkg.zst", "needs", 5},
		{"ulimit -f 1; $B/ptowsp-run -q --plugin=a2a3sim --emit e $P/attention_pipeline.pkg.zst", "File too large", 2},
		{"ulimit -f 1; $B/ptowsp-run -q --plugin=aie --emit e $P/attention_pipeline.pkg.zst", "File too large", 2},
		{"ulimit -f 1; $B/ptowsp-run -q --entry mixed --trace t.json --no-kernels --set n=100 --set m=100 " VECTORS, "File too large", 2},
		{"ulimit -f 1; $B/ptowsp-run -q --entry nest --graph g.json --no-kernels --set n=100 --set m=10 " VECTORS, "File too large", 2},
		{"ulimit -f 1; $B/ptowsp-run -q --entry nest --graph g.svg --no-kernels --set n=100 --set m=10 " VECTORS, "File too large", 2},
		{"ulimit -f 1; $B/ptowsp-run -q --out OUT=o.npy $P/llama_layer.pkg.zst", "", 2},
		{"ulimit -f 1; $B/ptowsp-pack $R/packages/examples/attention_pipeline.pto -o p.pkg.zst", "File too large", 2},
		{"ulimit -f 1; $B/ptowsp-pack $R/packages/examples -o all", "File too large", 2},
		{"ulimit -f 1; $B/ptowsp-inspect --json $P/llama_layer.pkg.zst >o; status=$?; rm o; exit $status", "stdout cannot be written: File too large",
		 2},
		{"ulimit -f 1; $B/ptowsp-conform --help >o; status=$?; rm o; exit $status", "stdout cannot be written: File too large", 2},
		{"ulimit -f 1; $B/ptowsp-bench --help >o; status=$?; rm o; exit $status", "stdout cannot be written: File too large", 2},
		{"ulimit -f 1; $B/ptowsp-pack --emit=c $R/packages/examples/softmax.pto -o c", "File too large", 2},
		{"ulimit -f 1; $B/ptowsp-inspect --pto --out o $P/attention_pipeline.pkg.zst", "File too large", 2},
		{"$B/ptowsp-inspect --pto --out o nowhere.pkg.zst", "nowhere", 2},
		{"mkdir s && echo rubbish >s/bad.pto && $B/ptowsp-pack s -o deep; status=$?; rm -r s; exit $status", "bad.pto", 3},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		CHECK_INT(cli(cases[i].command), cases[i].status);
		if (!strstr(cli_err, cases[i].says))
			CHECK_FAIL("%s: %s", cases[i].command, cli_err);
		REQUIRE_INT(cli("ls -A"), 0);
		if (*cli_out)
			CHECK_FAIL("%s left: %s", cases[i].command, cli_out);
	}
}

/* A log that stdout goes to, or any open file, by whatever name: it keeps what is in it. */
TEST(an_output_replaces_no_stream)
{
	static const char *const outputs[] = {"--out y=/dev/stdout", "--trace /dev/fd/1", "--trace /proc/self/fd/1", "--out y=/dev/stderr", "--trace log",
					      "--trace /dev/fd/5",   "--trace link"};

	REQUIRE_INT(cli("ln -s /proc/self/fd/5 link"), 0);
	for (size_t i = 0; i < sizeof(outputs) / sizeof(*outputs); i++) {
		CHECK_INT(cli(check_fmt("echo before >log; $B/ptowsp-run %s $P/softmax.pkg.zst >>log 2>>err 5>>log", outputs[i])), 2);
		CLI_OUT(0, "cat log; tail -n 1 err", "before\n", "it is no plain file");
	}
}

TEST(a_failed_emit_leaves_the_files_that_were_there)
{
	REQUIRE_INT(cli("mkdir e && echo mine >e/mine"), 0);
	CHECK_INT(cli("ulimit -f 1; $B/ptowsp-run -q --plugin=aie --emit e $P/attention_pipeline.pkg.zst"), 2);
	CLI_PRINTS(0, "ls -A e", "mine\n");
}

TEST(a_killed_run_leaves_nothing)
{
	static const int kill_it[] = {SIGKILL};

	cli_begin();
	CHECK_INT(cli_signalled("exec $B/ptowsp-run --fill src=zeros --out dst=o.npy --trace t.json $K/spin.pkg.zst", kill_it, 1, 1000), 128 + SIGKILL);
	CLI_PRINTS(0, "ls -A", "");
}

/* Opens path as an output and writes to it; then the process kills itself, or waits to be killed. Its number. */
static pid_t writer(const char *path, bool named, bool waits)
{
	int ready[2];
	char byte;
	pid_t child;

	if (pipe(ready))
		return -1;
	child = fork();
	if (!child) {
		struct ptowsp_error error;
		struct output output;

		output_named(named);
		if (output_open(&output, path, &error) || fprintf(output.file, "half") != 4 || fflush(output.file) || write(ready[1], "", 1) != 1)
			_exit(1);
		while (waits)
			pause();
		raise(SIGKILL);
	}
	close(ready[1]);
	CHECK_INT(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	if (!waits)
		CHECK_INT(waitpid(child, NULL, 0), child);
	return child;
}

static const char *in_test(const char *name)
{
	return check_fmt("%s/%s", getenv("T"), name);
}

/* Names below the test's folder, sorted, those of temporary files without what is random. */
static void holds(const char *names)
{
	CLI_PRINTS(0, "ls -A | sed 's/^\\(" OUTPUT_TEMPORARY "\\).*/\\1/' | tr '\\n' ' '", names);
}

TEST(what_a_killed_writer_leaves_the_next_output_removes)
{
	pid_t alive;

	cli_begin();
	writer(in_test("killed"), true, false);
	holds(OUTPUT_TEMPORARY " ");
	alive = writer(in_test("alive"), true, true);
	holds(OUTPUT_TEMPORARY " "); /* that one looked, too */
	REQUIRE_INT(cli("echo other >.ptowsp && $B/ptowsp-pack $S/scale.pto -o s.pkg.zst"), 0);
	holds(".ptowsp " OUTPUT_TEMPORARY " s.pkg.zst ");
	kill(alive, SIGKILL);
	waitpid(alive, NULL, 0);
	REQUIRE_INT(cli("$B/ptowsp-run -q " GOOD " --out dst=o.npy s.pkg.zst"), 0);
	holds(".ptowsp o.npy s.pkg.zst ");
}

TEST(a_file_without_a_name_vanishes_with_its_writer)
{
	cli_begin();
	writer(in_test("killed"), false, false);
	holds("");
}

TEST(a_finished_output_replaces_a_file_with_and_without_a_name)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};

	cli_begin();
	for (int named = 0; named < 2; named++) {
		output_named(named);
		for (int again = 0; again < 3; again++) {
			const char *text = check_fmt("%d%d\n", named, again);

			CHECK_INT(output_save(in_test("file"), NULL, 0, text, strlen(text), &error), PTOWSP_OK);
			REQUIRE_INT(cli("cat file"), 0);
			CHECK_STR(cli_out, text);
		}
		REQUIRE_INT(cli(": >plain && stat -c %a plain >want && stat -c %a file | cmp - want && rm plain want"), 0);
		holds("file ");
	}
	output_named(false);
}
