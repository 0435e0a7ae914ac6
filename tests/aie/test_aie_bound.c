/* SPDX-License-Identifier: MIT
 * test_aie_bound.c - on the arrays a schedule's numbers are obeyed: tasks under way, of a stream, of a batch; tokens in a channel; objects of fifos. */
#include "tests/aie/aie_written.h"
#include "tests/contract/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TASKS = 64 };
struct ran {
	int rc;
	unsigned count;
	uint64_t starts[TASKS], ends[TASKS];
	char kernels[TASKS][16];
	char *text;     /* of the design */
	unsigned waits; /* of the host, before it hands the last job over */
};

static unsigned waits_of(const char *text)
{
	const char *last = text;

	for (const char *at = text; (at = strstr(at, "aiex.npu.dma_memcpy_nd")); at++)
		last = at;
	return check_occurrences(text, "aiex.npu.dma_wait") - check_occurrences(last, "aiex.npu.dma_wait");
}

static void trace_take(struct ran *ran, json_t *trace)
{
	json_t *event, *list = json_object_get(trace, "traceEvents");
	size_t i;

	json_array_foreach(list ? list : trace, i, event)
	{
		json_t *number = json_object_get(json_object_get(event, "args"), "task");
		const char *kind = json_string_value(json_object_get(event, "ph"));
		size_t task = number ? (size_t)json_integer_value(number) : TASKS;

		if (task >= TASKS || !kind || strcmp(kind, "X"))
			continue;
		ran->starts[task] = (uint64_t)json_number_value(json_object_get(event, "ts"));
		ran->ends[task] = ran->starts[task] + (uint64_t)json_number_value(json_object_get(event, "dur"));
		snprintf(ran->kernels[task], sizeof(ran->kernels[task]), "%s", json_string_value(json_object_get(event, "name")));
		ran->count = task + 1 > ran->count ? (unsigned)task + 1 : ran->count;
	}
}

/* With the text that was run. what: behind the options. */
static struct ran run(const char *what)
{
	struct ran ran = {.rc = cli(check_fmt("$B/ptowsp-run --plugin=aie --quiet --emit $T/e --trace $T/t.json %s", what))};

	if (ran.rc)
		return ran;
	if (!cli("cat $T/e/design.mlir"))
		ran.text = strdup(cli_out);
	ran.waits = ran.text ? waits_of(ran.text) : 0;
	if (!cli("cat $T/t.json")) {
		json_t *trace = json_loads(cli_out, 0, NULL);

		trace_take(&ran, trace);
		json_decref(trace);
	}
	return ran;
}

static unsigned overlap(const struct ran *ran)
{
	unsigned most = 0;

	for (unsigned i = 0; i < ran->count; i++) {
		unsigned running = 0;

		for (unsigned k = 0; k < ran->count; k++)
			running += ran->starts[k] <= ran->starts[i] && ran->starts[i] < ran->ends[k];
		most = running > most ? running : most;
	}
	return most;
}

/* ---- tasks -------------------------------------------------------------------------------------------------------- */

TEST(no_more_tasks_than_the_window_are_under_way)
{
	unsigned waits[7];

	cli_begin();
	for (unsigned window = 1; window <= 6; window++) {
		struct ran ran = run(check_fmt("--stats=json --schedule task_window=%u --entry nest $P/probes/tasks.pkg.zst", window));

		CHECK_INT(ran.rc, 0);
		CHECK_UINT(ran.count, 6);
		CHECK_UINT(overlap(&ran), window);
		waits[window] = ran.waits;
		free(ran.text);
	}
	for (unsigned window = 2; window <= 6; window++) /* the host waits for one task less, in the text */
		CHECK(waits[window] <= waits[window - 1]);
	CHECK(waits[6] < waits[1]);
}

TEST(the_window_is_in_the_statistics)
{
	cli_begin();
	for (int window = 1; window <= 8; window++) {
		json_t *stats;

		REQUIRE_INT(cli(check_fmt("$B/ptowsp-run --plugin=aie --quiet --stats=json --schedule task_window=%d --entry nest $P/probes/tasks.pkg.zst",
					  window)),
			    0);
		stats = cli_json();
		CHECK_INT(cli_int(stats, "resources[task_ring].capacity"), window);
		CHECK_INT(cli_int(stats, "resources[task_ring].high_water"), window < 6 ? window : 6);
		CHECK((cli_int(stats, "resources[task_ring].stall_count") > 0) == (window < 6)); /* one wait may see several tasks end */
	}
}

TEST(a_full_window_aborts_or_counts)
{
	struct ran counted, without;

	CLI_ERR(1, "$B/ptowsp-run --plugin=aie --quiet --schedule task_window=2,abort --entry nest $P/probes/tasks.pkg.zst",
		"the task window of 2 is full at task 2, and its mode is abort");
	CHECK_INT(cli("$B/ptowsp-run --plugin=aie --quiet --schedule task_window=6,abort --entry nest $P/probes/tasks.pkg.zst"), 0);
	counted = run("--schedule task_window=2,benchmark --entry nest $P/probes/tasks.pkg.zst");
	without = run("--entry nest $P/probes/tasks.pkg.zst");
	CHECK_INT(counted.rc, 0);
	CHECK(counted.text && without.text && !strcmp(counted.text, without.text));
	free(counted.text);
	free(without.text);
	CLI_ERR(7, "$B/ptowsp-run --plugin=aie --quiet --schedule task_window=2 --entry scope $P/probes/control.pkg.zst",
		"held by an open scope (depth 1); use --schedule task_window=3");
	CHECK_INT(cli("$B/ptowsp-run --plugin=aie --quiet --schedule task_window=3 --entry scope $P/probes/control.pkg.zst"), 0);
	CHECK_INT(cli("$B/ptowsp-run --plugin=aie --quiet --schedule task_window=2,abort --entry scope $P/probes/control.pkg.zst"),
		  1); /* that a scope holds it makes it no less full */
	CHECK_CONTAINS(cli_err, "the task window of 2 is full at task 2, and its mode is abort");
}

TEST(batches_follow_each_other)
{
	cli_begin();
	for (unsigned batch = 1; batch <= 6; batch++) {
		struct ran ran = run(check_fmt("--schedule batch_deps=%u --entry nest $P/probes/tasks.pkg.zst", batch));

		CHECK_UINT(ran.count, 6);
		CHECK_UINT(overlap(&ran), batch);
		for (unsigned i = 0; i < ran.count; i++)
			for (unsigned k = 0; k < i / batch * batch; k++)
				CHECK(ran.ends[k] <= ran.starts[i]);
		free(ran.text);
	}
}

TEST(tasks_of_a_stream_follow_each_other)
{
	cli_begin();
	for (unsigned streams = 1; streams <= 4; streams++) {
		struct ran ran = run(check_fmt("--schedule streams=%u --entry nest $P/probes/tasks.pkg.zst", streams));

		CHECK_UINT(overlap(&ran), streams);
		for (unsigned i = streams; i < ran.count; i++)
			CHECK(ran.ends[i - streams] <= ran.starts[i]);
		free(ran.text);
	}
}

/* ---- fifos -------------------------------------------------------------------------------------------------------- */

TEST(the_depth_is_that_of_fifos)
{
	cli_begin();
	for (unsigned depth = 1; depth <= 4; depth++) {
		struct ran ran = run(check_fmt("--opt depth=2 --schedule pipeline_depth=%u --entry nest $P/probes/tasks.pkg.zst", depth));

		CHECK_UINT(overlap(&ran), depth);
		REQUIRE(ran.text);
		CHECK_UINT(check_occurrences(ran.text, check_fmt("elemNumber = [%u : i32, %u : i32]", depth, depth)),
			   check_occurrences(ran.text, "\"aie.objectfifo\""));
		free(ran.text);
	}
	CHECK_INT(cli("$B/ptowsp-run --plugin=aie --quiet --schedule pipeline_depth=40 $P/matmul.pkg.zst"), 5); /* never a smaller one instead */
	CHECK_CONTAINS(cli_err, "needs");
	cli_check_sentence();
}

/* ---- channels ----------------------------------------------------------------------------------------------------- */

/* Tasks of `fast` that start before the first one of `slow` has ended, which takes a token before it. */
static unsigned ahead(const struct ran *ran, const char *fast, const char *slow)
{
	unsigned first = 0, count = 0;

	while (first < ran->count && strcmp(ran->kernels[first], slow))
		first++;
	for (unsigned i = 0; i < ran->count; i++)
		count += !strcmp(ran->kernels[i], fast) && ran->starts[i] < ran->ends[first];
	return count;
}

static const char two_cores[] = "module @m\n"
				"tensor %out : i32[16] inout\n"
				"channel %c : token capacity 8\n"
				"// Function Type: InCore\n"
				"func @quick(%y: !pto.memref<gm,...,i32>) {\n  %a = alloc_tile : !pto.tile<1x1xi32>\n  %a = texpands %1 : i32, "
				"!pto.tile<1x1xi32>\n  tstore %a, %y[0, 0]\n  return\n}\n"
				"// Function Type: InCore\n"
				"func @slow(%y: !pto.memref<gm,...,i32>) {\n  %a = alloc_tile : !pto.tile<1x1xi32>\n  FOR %k:idx, 1:idx, 50000:idx, 1:idx\n    "
				"%a = texpands %2 : i32, !pto.tile<1x1xi32>\n"
				"  ENDFOR\n  tstore %a, %y[0, 0]\n  return\n}\n"
				"process @source produces(%c) {\n  for_each %i in 0 to 8 {\n    call @quick(%y -> %out[%i])\n    send %c, %i\n  }\n}\n"
				"process @sink consumes(%c) {\n  consume %c as %i {\n    call @slow(%y -> %out[%i + 8])\n  }\n}\n";

static void packed(const char *text)
{
	REQUIRE_INT(cli("test -d $T"), 0);
	check_put("p.pto", text);
	if (cli("$B/ptowsp-pack p.pto -o p.pkg.zst"))
		CHECK_FAIL("%s", cli_err);
}

/* One token is taken at once, a capacity's worth are in the channel, and one more is made for which there is no place. */
TEST(a_channel_takes_what_its_capacity_says)
{
	cli_begin();
	packed(two_cores);
	for (unsigned capacity = 0; capacity <= 6; capacity++)
		for (int place = 0; place < 2; place++) { /* with objects enough, and with few */
			struct ran ran = run(check_fmt("--opt depth=%d --schedule channel_capacity=c,%u p.pkg.zst", place ? 1 : 8, capacity));

			CHECK_INT(ran.rc, 0);
			CHECK_UINT(ran.count, 16);
			if (ahead(&ran, "quick", "slow") > capacity + 2 || (!place && ahead(&ran, "quick", "slow") < capacity + 2))
				CHECK_FAIL("capacity %u: %u tasks before the first token is done with", capacity, ahead(&ran, "quick", "slow"));
			free(ran.text);
		}
}

/* Quick tasks, each of which has ended before the next one is handed over; what they load does not lie evenly apart. */
static const char scoped[] =
	"module @m\n"
	"tensor %in : i32[64] in\n"
	"tensor %out : i32[64] inout\n"
	"// Function Type: InCore\n"
	"func @move(%x: !pto.memref<gm,...,i32>, %y: !pto.memref<gm,...,i32>) {\n  %a = alloc_tile : !pto.tile<1x1xi32>\n  %a = tload %x[0, 0]\n  tstore %a, "
	"%y[0, 0]\n  return\n}\n"
	"workload @main {\n  SCOPE {\n    parallel_for %i in 0 to 6 {\n      call @move(%x -> %in[%i * %i], %y -> %out[%i * %i])\n    }\n  }\n}\n";

static int high_water(void)
{
	if (cli("$B/ptowsp-run --plugin=aie --quiet --stats=json --opt cores=1 --schedule task_window=9 p.pkg.zst")) {
		CHECK_FAIL("%s", cli_err);
		return 0;
	}
	return (int)cli_int(cli_json(), "resources[task_ring].high_water");
}

TEST(a_scope_holds_its_places)
{
	char *text = strdup(scoped), *word = strstr(text, "SCOPE");

	cli_begin();
	memcpy(word, "scope", 5);
	packed(text);
	CHECK_INT(high_water(), 6);
	memcpy(word, "     ", 5);
	*strchr(word, '{') = ' ';
	text[strlen(text) - 4] = ' '; /* its end */
	packed(text);
	CHECK(high_water() < 6);
	free(text);
}

static const char crossed[] = "module @m\n"
			      "tensor %out : i32[16] inout\n"
			      "channel %many : token capacity 2\n"
			      "channel %first : token capacity 1\n"
			      "// Function Type: InCore\n"
			      "func @put(%y: !pto.memref<gm,...,i32>) {\n  %a = alloc_tile : !pto.tile<1x1xi32>\n  %a = texpands %1 : i32, "
			      "!pto.tile<1x1xi32>\n  tstore %a, %y[0, 0]\n  return\n}\n"
			      "process @source produces(%many, %first) {\n  call @put(%y -> %out[0])\n  send %many, 1\n  send %many, 2\n  send %first, 3\n}\n"
			      "process @sink consumes(%first, %many) {\n  consume %first as %i {\n    call @put(%y -> %out[4])\n  }\n  consume %many as %k {\n "
			      "   call @put(%y -> %out[8 + %k])\n  }\n}\n";

/* However many objects its fifos could have. */
TEST(too_small_a_capacity_is_a_deadlock)
{
	cli_begin();
	packed(crossed);
	CLI_ERR(7, "$B/ptowsp-run --plugin=aie --quiet --opt depth=8 --schedule channel_capacity=many,1 p.pkg.zst", "many", "channel_capacity=many,2");
	CHECK_INT(cli("$B/ptowsp-run --plugin=aie --quiet --opt depth=1 p.pkg.zst"), 0); /* and however few */
}

/* ---- closing ------------------------------------------------------------------------------------------------------ */

/* The source's kernel is long and comes behind its last token, in front of its end; the sink's comes behind the loop, or the relay's token does. */
#define CLOSING(processes)                                                                                                                                     \
	"module @m\n"                                                                                                                                          \
	"tensor %out : i32[16] inout\n"                                                                                                                        \
	"channel %c : token capacity 4\n"                                                                                                                      \
	"channel %d : token capacity 4\n"                                                                                                                      \
	"// Function Type: InCore\n"                                                                                                                           \
	"func @put(%y: !pto.memref<gm,...,i32>) {\n  %a = alloc_tile : !pto.tile<1x1xi32>\n  %a = texpands %1 : i32, !pto.tile<1x1xi32>\n  tstore %a, %y[0, "  \
	"0]\n  return\n}\n"                                                                                                                                    \
	"// Function Type: InCore\n"                                                                                                                           \
	"func @spin(%y: !pto.memref<gm,...,i32>) {\n  %a = alloc_tile : !pto.tile<1x1xi32>\n  FOR %k:idx, 1:idx, 50000:idx, 1:idx\n    %a = texpands %2 : "    \
	"i32, !pto.tile<1x1xi32>\n"                                                                                                                            \
	"  ENDFOR\n  tstore %a, %y[0, 0]\n  return\n}\n" processes

/* Every task of `last` starts when all of `spin` have ended; else none does. */
static void ends_before(const char *text, bool waits, unsigned spins, unsigned lasts)
{
	struct ran ran;
	uint64_t end = 0;

	packed(text);
	ran = run("p.pkg.zst");
	CHECK_INT(ran.rc, 0);
	CHECK_UINT(ran.count, spins + lasts);
	for (unsigned i = 0; i < ran.count; i++)
		end = strcmp(ran.kernels[i], "spin") || ran.ends[i] < end ? end : ran.ends[i];
	for (unsigned i = 0; i < ran.count; i++)
		if (!strcmp(ran.kernels[i], "put") && (ran.starts[i] >= end) != waits)
			CHECK_FAIL("task %u starts at %llu, the last spin ends at %llu: %s", i, (unsigned long long)ran.starts[i], (unsigned long long)end,
				   text);
	free(ran.text);
}

TEST(who_leaves_a_closed_channel_waits_for_its_producers)
{
	cli_begin();
	ends_before(CLOSING("process @source produces(%c, %d) {\n  send %c, 1\n  call @spin(%y -> %out[0])\n}\n"
			    "process @sink consumes(%c, %d) {\n  consume %c as %i {\n  }\n  call @put(%y -> %out[8])\n  consume %d as %k {\n  }\n}\n"),
		    true, 1, 1);
	ends_before(CLOSING("process @source produces(%c, %d) {\n  send %c, 1\n  close %c\n  call @spin(%y -> %out[0])\n}\n"
			    "process @sink consumes(%c, %d) {\n  consume %c as %i {\n  }\n  call @put(%y -> %out[8])\n  consume %d as %k {\n  }\n}\n"),
		    false, 1, 1);
	ends_before(CLOSING("process @source produces(%c, %d) {\n  send %c, 1\n  call @spin(%y -> %out[0])\n}\n"
			    "process @other produces(%c) {\n  call @spin(%y -> %out[1])\n  call @spin(%y -> %out[2])\n}\n"
			    "process @sink consumes(%c, %d) {\n  consume %c as %i {\n  }\n  call @put(%y -> %out[8])\n}\n"
			    "process @second consumes(%c) {\n  consume %c as %i {\n  }\n  call @put(%y -> %out[9])\n}\n"),
		    true, 3, 2);
}

/* A process of the host hears of it and passes it on: by a token, and by closing what it never sent into. */
TEST(the_host_knows_who_has_closed)
{
	cli_begin();
	ends_before(CLOSING("process @source produces(%c) {\n  send %c, 1\n  call @spin(%y -> %out[0])\n}\n"
			    "process @relay consumes(%c) produces(%d) {\n  consume %c as %i {\n  }\n  send %d, 2\n}\n"
			    "process @sink consumes(%d) {\n  consume %d as %i {\n    call @put(%y -> %out[8])\n  }\n}\n"),
		    true, 1, 1);
	ends_before(CLOSING("process @source produces(%c) {\n  send %c, 1\n  call @spin(%y -> %out[0])\n}\n"
			    "process @relay consumes(%c) produces(%d) {\n  consume %c as %i {\n  }\n}\n"
			    "process @sink consumes(%d) {\n  consume %d as %i {\n  }\n  call @put(%y -> %out[8])\n}\n"),
		    true, 1, 1);
}

TEST(capacities_do_not_change_results)
{
	cli_begin();
	for (unsigned capacity = 0; capacity <= 5; capacity++) {
		CHECK_INT(
			cli(check_fmt("$B/ptowsp-run --plugin=aie --quiet --schedule channel_capacity=c,%u --entry main $P/probes/payload.pkg.zst", capacity)),
			0);
		CHECK_INT(cli(check_fmt("$B/ptowsp-run --plugin=aie --quiet --schedule channel_capacity=arriving,%u --schedule channel_capacity=leaving,%u "
					"$P/passthrough.pkg.zst",
					capacity, capacity)),
			  0);
	}
}

/* ---- replicas ----------------------------------------------------------------------------------------------------------- */

static void stage_declared(struct written *text, unsigned s, unsigned replicas, unsigned capacity)
{
	written_add(text, "tensor %%a%u : f32[%u, 16] inout @ub\ntensor %%b%u : f32[%u, 16] inout @ub\nchannel %%c%u : payload f32[4, 16] capacity %u\n", s,
		    4 * replicas, s, 4 * replicas, s, capacity);
}

static void stage_written(struct written *text, unsigned s, unsigned replicas)
{
	written_add(text,
		    "process @s%u consumes(%%c%u) produces(%%c%u) replicate %u {\n  consume %%c%u as %%i into %%a%u[instance * 4, 0] {\n"
		    "    call @double(%%a -> %%a%u[instance * 4, 0], %%b -> %%b%u[instance * 4, 0])\n    send %%c%u, %%i from %%b%u[instance * 4, 0]\n  }\n}\n",
		    s, s, s + 1, replicas, s, s, s, s, s + 1, s);
}

/* 12 blocks through replicas of one process and of the next one, each of which doubles them: every one of the former hands on to some of the latter, if not to all. */
static void replicas_packed(unsigned first, unsigned second, unsigned capacity)
{
	struct written text;

	written_begin(&text);
	written_add(&text, "module @p\ntensor %%x : f32[48, 16] in\ntensor %%y : f32[48, 16] out\nchannel %%c2 : payload f32[4, 16] capacity %u\n", capacity);
	stage_declared(&text, 0, first, capacity);
	stage_declared(&text, 1, second, capacity);
	written_add(&text, "func @double(%%a: !pto.memref, %%b: !pto.memref) {\n  %%t = alloc_tile : !pto.tile<4x16xf32>\n  %%t = tload %%a[0, 0]\n"
			   "  %%t = tadd %%t, %%t\n  tstore %%t, %%b[0, 0]\n  return\n}\n"
			   "process @load produces(%%c0) {\n  for_each %%i in 0 to 12 {\n    send %%c0, %%i from %%x[%%i * 4, 0]\n  }\n}\n");
	stage_written(&text, 0, first);
	stage_written(&text, 1, second);
	written_add(&text, "process @store consumes(%%c2) {\n  consume %%c2 as %%i into %%y[%%i * 4, 0] { }\n}\n");
	packed(text.text);
	written_finish(&text);
}

/* A core has DMA channels for two streams each way, and locks for eight: what more there is lies in memories that two cores see, and takes one tile's locks. */
TEST(replicas_hand_on_through_memories_that_both_see)
{
	static const unsigned shapes[][3] = {{1, 4, 2}, {4, 1, 2}, {1, 4, 4}, {2, 2, 1}, {2, 3, 32}, {3, 2, 32}};

	cli_begin();
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		replicas_packed(shapes[i][0], shapes[i][1], shapes[i][2]);
		REQUIRE_INT(cli("$B/ptowsp-run --quiet --fill x=iota --out y=$T/y.npy p.pkg.zst"), 0);
		if (cli("$B/ptowsp-run --plugin=aie --quiet --fill x=iota --expect y=$T/y.npy p.pkg.zst"))
			CHECK_FAIL("%u and %u replicas, capacity %u: %s", shapes[i][0], shapes[i][1], shapes[i][2], cli_err);
	}
}

/* What is refused says what the user can do: words are for capacities, other streams for replicas. */
TEST(replicas_that_have_no_streams_say_what_helps)
{
	cli_begin();
	replicas_packed(3, 2, 1);
	CLI_ERR(5, "$B/ptowsp-run --plugin=aie --quiet --fill x=iota p.pkg.zst", "DMA channels", "say more capacity, or replicate less");
	replicas_packed(3, 3, 1);
	CLI_ERR(5, "$B/ptowsp-run --plugin=aie --quiet --fill x=iota p.pkg.zst", "stands still", "say more capacity of channels, or replicate less");
}

/* By the model: a core that waits for a token finds its channel empty, one that waits for place, or for the word that there is some, finds it full. */
TEST(cores_that_wait_for_channels_are_counted)
{
	json_t *stats;

	REQUIRE_INT(cli("$B/ptowsp-run --plugin=aie --quiet --stats=json $P/attention_pipeline.pkg.zst"), 0);
	stats = cli_json();
	CHECK(cli_int(stats, "channels[scored].empty_count") > 0);
	REQUIRE_INT(cli("$B/ptowsp-run --plugin=aie --quiet --stats=json $P/passthrough.pkg.zst"), 0);
	stats = cli_json();
	CHECK(cli_int(stats, "channels[leaving].full_count") > 0);
}
