/* SPDX-License-Identifier: MIT
 * test_contract_scope.c - bytecode that the source dialect cannot say, written in the JSON form of a package: scopes against the window,
 * deadlock and its cure, ordered loops. */
#include "tests/contract/cli.h"

#include <stdlib.h>
#include <string.h>

/* Scopes around tasks [from, to); a list ends with from = to. Scopes that begin at one place: the outer first. */
struct scope {
	int from, to;
};
struct scoped {
	const char *name;
	struct scope scopes[6];
	int window, status;
	const char *trace;
	int stalls, stall_cycles;
};
static const struct scoped cases[] = {
	{"without_a_scope_places_come_back_one_by_one", {{0}}, 2, 0, "0/0 1/0 2/0 3/0", 2, 2},
	{"a_scope_that_fits_gives_its_places_back_at_its_end", {{0, 2}}, 2, 0, "0/0 1/0 2/0 3/0", 2, 2},
	{"inner_scopes_that_are_closed_hold_nothing", {{0, 4}, {0, 1}, {1, 2}, {2, 3}, {3, 4}}, 3, 0, "0/0 1/0 2/0 3/0", 1, 1},
	{"a_scope_as_large_as_the_window_goes_on_behind_it", {{0, 3}}, 3, 0, "0/0 1/0 2/0 3/0", 1, 1},
	{"a_scope_in_an_unbounded_window_never_waits", {{0, 4}}, 0, 0, "0/0 1/0 2/0 3/0", 0, 0},
	{"a_scope_larger_than_the_window_is_a_deadlock", {{0, 3}}, 2, 7, NULL, 0, 0},
	{"a_scope_opened_later_is_a_deadlock_too", {{1, 4}}, 2, 7, NULL, 0, 0},
};

/* The entry "four" begins at this instruction: task k is the two from first + 2 k, then comes halt. */
static size_t first_instruction(json_t *root)
{
	json_t *entry = cli_at(root, "ENTR[four].instruction");

	return (size_t)json_integer_value(entry);
}

static void scopes_insert(json_t *root, const struct scope *scopes)
{
	json_t *code = cli_at(root, "WORK.instructions");
	size_t first = first_instruction(root), count = 0;

	while (count < 6 && scopes[count].from < scopes[count].to)
		count++;
	for (size_t i = 0; i < count; i++) {
		size_t begin = first + 2 * (size_t)scopes[i].from, end = first + 2 * (size_t)scopes[i].to;

		for (size_t k = 0; k < count; k++) { /* scopes that come to stand before the two places */
			begin += k < i && scopes[k].from <= scopes[i].from;
			end += scopes[k].from < scopes[i].to;
		}
		json_array_insert_new(code, begin, json_pack("[s, i, I]", "scope", 0, (json_int_t)end));
	}
}

static void run_scoped(void)
{
	const struct scoped *c = CHECK_ROW(cases);
	json_t *root;

	cli_begin();
	REQUIRE_INT(cli("$B/ptowsp-inspect --json $K/four.pkg.zst"), 0);
	root = cli_json();
	scopes_insert(root, c->scopes);
	json_object_del(root, "DBGI"); /* its rows are instructions */
	REQUIRE_INT(json_dump_file(root, check_fmt("%s/s.json", getenv("T")), JSON_INDENT(1)), 0);
	REQUIRE_INT(cli("$B/ptowsp-pack --from-json s.json -o s.pkg.zst"), 0);
	CHECK_INT(cli(check_fmt("$B/ptowsp-run --fill a=ones --stats=json --trace t.json --out a=a.npy --schedule task_window=%d s.pkg.zst", c->window)),
		  c->status);
	if (c->status) {
		cli_check_sentence();
		CHECK_CONTAINS(cli_err, "--schedule task_window=3");
		CHECK_CONTAINS(cli_err, "scope");
		CHECK_INT(cli("ls t.json a.npy"), 2);
		return;
	}
	CHECK_INT(cli_int(cli_json(), "resources[task_ring].stall_count"), c->stalls);
	CHECK_INT(cli_int(cli_json(), "resources[task_ring].stall_cycles"), c->stall_cycles);
	CHECK_STR(cli_trace(cli_json_file("t.json")), c->trace);
}

TEST(a_deadlock_is_reported_with_its_figures)
{
	json_t *root;

	REQUIRE_INT(cli("$B/ptowsp-inspect --json $K/four.pkg.zst"), 0);
	root = cli_json();
	scopes_insert(root, (const struct scope[]){{0, 3}, {0, 0}});
	json_object_del(root, "DBGI");
	REQUIRE_INT(json_dump_file(root, check_fmt("%s/s.json", getenv("T")), JSON_INDENT(1)), 0);
	REQUIRE_INT(cli("$B/ptowsp-pack --from-json s.json -o s.pkg.zst"), 0);
	for (int threads = 1; threads <= 4; threads *= 2) {
		CHECK_INT(cli(check_fmt("$B/ptowsp-run --threads %d --fill a=ones --schedule task_window=2 --stats=json s.pkg.zst", threads)), 7);
		CHECK(cli_json() != NULL);
		CHECK(cli_ms < 5000); /* at once: time never makes a deadlock */
	}
	CHECK_INT(cli("$B/ptowsp-run --no-kernels --schedule task_window=2 s.pkg.zst"), 7);
	CHECK_INT(cli("$B/ptowsp-run --fill a=ones --schedule task_window=3 s.pkg.zst"), 0);
}

/* A report names what the blocked task lacks; the settings with which the program ends let it end. */
TEST(the_first_lack_of_a_scope_is_proposed)
{
	static const char options[] = "--schedule tensor_map=24 --schedule task_window=16 --schedule dep_list=8 --schedule heap=512";

	REQUIRE_INT(cli("$B/ptowsp-pack $S/short.pto -o s.pkg.zst"), 0);
	for (int threads = 1; threads <= 2; threads++) {
		CHECK_INT(cli(check_fmt("$B/ptowsp-run --threads %d --stats=json s.pkg.zst", threads)), 7);
		cli_check_sentence();
		CHECK_CONTAINS(cli_err, "use at least --schedule tensor_map=4");
		CHECK_STR(cli_text(cli_json(), "deadlock.resource"), "tensor_map");
		CHECK_INT(cli_int(cli_json(), "deadlock.proposed"), 4);
		CHECK_STR(cli_text(cli_json(), "deadlock.option"), "--schedule tensor_map=4");
		CHECK_INT(cli(check_fmt("$B/ptowsp-run --threads %d %s s.pkg.zst", threads, options)), 0);
	}
}

TEST(a_scope_in_a_window_that_aborts_is_a_deadlock)
{
	REQUIRE_INT(cli("$B/ptowsp-pack $S/abort.pto -o a.pkg.zst"), 0);
	CLI_ERR(7, "$B/ptowsp-run a.pkg.zst", "use at least --schedule task_window=4");
	CHECK_INT(cli("$B/ptowsp-run --schedule task_window=16 --schedule dep_list=8 a.pkg.zst"), 0);
}

/* Resources are at their limit while the kernels run. */
TEST(a_slow_kernel_is_no_deadlock)
{
	REQUIRE_INT(cli("$B/ptowsp-pack $S/slow.pto -o s.pkg.zst"), 0);
	for (int threads = 1; threads <= 4; threads *= 2) {
		CHECK_INT(cli(check_fmt("$B/ptowsp-run -q --threads %d --stats=json s.pkg.zst", threads)), 0);
		CHECK_INT(cli_int(cli_json(), "resources[tensor_map].high_water"), 6);
		CHECK_INT(cli_int(cli_json(), "resources[ready_any].stall_count"), 3);
	}
	CHECK_INT(cli("$B/ptowsp-run -q --set n=2000000000 --timeout-ms 100 s.pkg.zst"), 10); /* nor where time is up */
}

/* for_each in place of parallel_for: an iteration starts when all before it have ended; no edges. */
TEST(an_ordered_loop_is_a_barrier_not_an_edge)
{
	json_t *root, *code, *instruction;
	size_t i;

	REQUIRE_INT(cli("$B/ptowsp-inspect --json $K/vectors.pkg.zst"), 0);
	root = cli_json();
	code = cli_at(root, "WORK.instructions");
	i = (size_t)json_integer_value(cli_at(root, "ENTR[nest].instruction"));
	instruction = json_array_get(code, i);
	REQUIRE_STR(json_string_value(json_array_get(instruction, 0)), "parallel_for");
	json_array_set_new(instruction, 0, json_string("for_each"));
	REQUIRE_INT(json_dump_file(root, check_fmt("%s/s.json", getenv("T")), JSON_INDENT(1)), 0);
	REQUIRE_INT(cli("$B/ptowsp-pack --from-json s.json -o s.pkg.zst"), 0);
	REQUIRE_INT(
		cli("$B/ptowsp-run --fill a=ones --entry nest --set n=2 --set m=3 --schedule 'dispatch=round_robin(4)' --stats=json --trace t.json s.pkg.zst"),
		0);
	CHECK_INT(cli_int(cli_json(), "num_edges"), 0);
	CHECK_INT(cli_int(cli_json(), "total_cycles"), 2);
	CHECK_STR(cli_trace(cli_json_file("t.json")), "0/0 0/1 0/2 1/3 1/0 1/1");
}

void suite_contract_scope(CU_pSuite s)
{
	CHECK_ROWS(s, cases, run_scoped);
}
