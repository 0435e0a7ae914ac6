/* SPDX-License-Identifier: MIT
 * test_notify.c - two devices in one run: what one tells the other, when, and what happens if nobody does. */
#include "tests/check.h"
#include "tests/taskgraph/taskgraph_run.h"

#include <stdlib.h>
#include <string.h>

#define ADD                                                                                                                                                    \
	"func @ten(%x: !pto.memref<gm,...,i32>) {\n  %t = alloc_tile : !pto.tile<1x8xi32>\n"                                                                   \
	"  %t = tload %x[0, 0] : (!pto.memref<gm,...,i32>, index, index) -> !pto.tile<1x8xi32>\n"                                                              \
	"  %t = tadds %t, %1 : !pto.tile<1x8xi32>, i32\n  tstore %t, %x[0, 0]\n  return\n}\n"
#define KERNEL(k) "TG_KERNEL(" k ", ten, 1, AIV, 0) MC_BIND(" k ", 0, X, 0, 32)\n"

/* A on device 0, then B on device 1, then C on device 0 again. */
static const char ping_pong[] = ADD "graph @first {\nTG_BEGIN(G)\n" KERNEL(
	"A") "SY_NOTIFY(1, READY)\nTG_END(G)\n"
	     "TG_BEGIN(H)\nSY_WAIT_NOTIFY(1, DONE)\n" KERNEL("C") "TG_END(H)\nTG_LAUNCH(G, s) TG_LAUNCH(H, s) TG_SYNC(H)\n}\n"
								  "graph @second on device 1 {\nTG_BEGIN(G)\nSY_WAIT_NOTIFY(0, READY)\n" KERNEL(
									  "B") "SY_NOTIFY(0, DONE)\nTG_END(G)\nTG_LAUNCH(G, s) TG_SYNC(G)\n}\n";

static struct graph_run *a, *b;

static bool open_both(const char *text, uint32_t threads)
{
	struct ptowsp_program *programs[2];

	a = graph_run_open(text, "first", threads);
	b = a ? graph_run_open(text, "second", threads) : NULL;
	if (!b)
		return false;
	programs[0] = a->program;
	programs[1] = b->program;
	CHECK_INT(ptowsp_programs_join(programs, 2, &a->error), PTOWSP_OK);
	return true;
}

static void go_both(void)
{
	const struct ptowsp_execute_options options = {.timeout_ns = UINT64_C(20000000000)};

	CHECK_INT(ptowsp_execute_async(a->program, &options, &a->error), PTOWSP_OK);
	CHECK_INT(ptowsp_execute_async(b->program, &options, &b->error), PTOWSP_OK);
	a->status = ptowsp_synchronize(a->program, UINT64_MAX, &a->error);
	b->status = ptowsp_synchronize(b->program, UINT64_MAX, &b->error);
}

/* Both go, and end so. */
static void both_end(ptowsp_status first, ptowsp_status second)
{
	go_both();
	CHECK_INT(a->status, first);
	CHECK_INT(b->status, second);
}

static void close_both(void)
{
	graph_run_close(a);
	graph_run_close(b);
	a = b = NULL;
}

TEST(devices_tell_each_other_on_one_time)
{
	for (uint32_t threads = 1; threads < 3; threads++) {
		static int32_t x[8];

		REQUIRE(open_both(ping_pong, threads));
		memset(x, 0, sizeof(x));
		graph_run_bind(a, "X", x, 8);
		graph_run_bind(b, "X", x, 8);
		go_both();
		CHECK_STR(a->error.text, "");
		CHECK_STR(b->error.text, "");
		CHECK_INT(a->status, PTOWSP_OK);
		CHECK_INT(b->status, PTOWSP_OK);
		for (int i = 0; i < 8; i++)
			CHECK_INT(x[i], 3);
		CHECK_STR(a->times, "A 0-24 C 48-72");
		CHECK_STR(b->times, "B 24-48");
		close_both();
	}
}

#define PROGRAM(name, device, body) "graph @" name device " {\nTG_BEGIN(G)\n" body "TG_END(G)\nTG_LAUNCH(G, s) TG_SYNC(G)\n}\n"

TEST(devices_that_wait_for_each_other_are_a_deadlock)
{
	REQUIRE(open_both(PROGRAM("first", "", "SY_WAIT_NOTIFY(1, X)\nSY_NOTIFY(1, Y)\n")
				  PROGRAM("second", " on device 1", "SY_WAIT_NOTIFY(0, Y)\nSY_NOTIFY(0, X)\n"),
			  1));
	both_end(PTOWSP_DEADLOCK, PTOWSP_DEADLOCK);
	CHECK_CONTAINS(a->error.text, "device 0 waits for notification");
	CHECK_CONTAINS(b->error.text, "of device 0, which never comes");
	REQUIRE(ptowsp_deadlock(b->program) != NULL);
	CHECK_INT(ptowsp_deadlock(b->program)->kind, PTOWSP_DEADLOCK_EVENT);
	CHECK_CONTAINS(ptowsp_deadlock(b->program)->text, "every other device of the run has ended or waits too");
	close_both();
}

TEST(a_device_that_ends_tells_nothing_more)
{
	REQUIRE(open_both(PROGRAM("first", "", "TG_KERNEL(A, tick1, 1, AIC, 0)\nSY_NOTIFY(1, 3)\n")
				  PROGRAM("second", " on device 1", "SY_WAIT_NOTIFY(0, 3)\nTG_KERNEL(B, tick1, 1, AIC, 0)\nSY_WAIT_NOTIFY(0, 3)\n"),
			  2));
	both_end(PTOWSP_OK, PTOWSP_DEADLOCK);
	CHECK_CONTAINS(b->error.text, "device 1 waits for notification 3 of device 0, which never comes");
	CHECK_STR(b->times, "B 1-2");
	close_both();
}

TEST(a_run_of_one_device_has_nobody_to_tell)
{
	struct graph_run *r = graph_run_open(PROGRAM("first", "", "SY_NOTIFY(1, X)\n") PROGRAM("second", " on device 1", "SY_WAIT_NOTIFY(0, X)\n"), "first", 1);

	REQUIRE(r != NULL);
	CHECK_INT(graph_run_go(r), PTOWSP_INVALID);
	CHECK_CONTAINS(r->error.text, "this run has one device; give it more with --device=SEL,SEL");
	graph_run_close(r);
}

TEST(a_device_may_tell_itself)
{
	struct graph_run *r =
		graph_run_open("TG_BEGIN(G)\nTG_KERNEL(A, tick10, 1, AIC, 0)\nSY_NOTIFY(0, X)\nSY_WAIT_NOTIFY(0, X)\nTG_KERNEL(B, tick1, 1, AIC, 0)\n"
			       "TG_END(G)\nTG_LAUNCH(G, s) TG_SYNC(G)\n",
			       NULL, 2);

	REQUIRE(r != NULL);
	CHECK_INT(graph_run_go(r), PTOWSP_OK);
	CHECK_STR(r->error.text, "");
	CHECK_STR(r->times, "A 0-10 B 10-11");
	graph_run_close(r);
}

TEST(one_that_is_not_started_is_waited_for_until_the_deadline)
{
	const struct ptowsp_execute_options options = {.timeout_ns = UINT64_C(50000000)};

	REQUIRE(open_both(ping_pong, 1));
	CHECK_INT(ptowsp_execute_async(b->program, &options, &b->error), PTOWSP_OK);
	CHECK_INT(ptowsp_synchronize(b->program, UINT64_MAX, &b->error), PTOWSP_DEADLINE);
	close_both();
}

TEST(joining_is_refused_where_it_makes_no_sense)
{
	struct ptowsp_program *programs[2];

	REQUIRE(open_both(ping_pong, 1));
	programs[0] = programs[1] = a->program;
	CHECK_INT(ptowsp_programs_join(programs, 2, &a->error), PTOWSP_INVALID);
	CHECK_CONTAINS(a->error.text, "part of another run on several devices");
	close_both();
	a = graph_run_open(ping_pong, "first", 1);
	REQUIRE(a != NULL);
	programs[0] = programs[1] = a->program;
	CHECK_INT(ptowsp_programs_join(programs, 2, &a->error), PTOWSP_INVALID);
	CHECK_CONTAINS(a->error.text, "programs 0 and 1 have one backend");
	close_both();
}

/* Packs the text and runs it as a user does, with all plugins in this process and each in one of its own; what waits for somebody who never comes is ended. */
static void command_is(const char *text, const char *options, int exit, const char *out_has, const char *err_is)
{
	const char *dir = check_tmp();
	char *out, *err;

	REQUIRE(check_write(check_fmt("%s/two.pto", dir), text, strlen(text)));
	CHECK_INT(check_run(check_fmt("cd '%s' && '%s/bin/ptowsp-pack' two.pto -o two.pkg.zst", dir, check_build()), NULL, NULL), 0);
	for (size_t i = 0; i < 2; i++) {
		CHECK_INT(check_run(check_fmt("cd '%s' && timeout 120 '%s/bin/ptowsp-run' --isolate=%s --fill X=zeros %s two.pkg.zst", dir, check_build(),
					      i ? "process" : "none", options),
				    &out, &err),
			  exit);
		CHECK_CONTAINS(out, out_has);
		CHECK_STR(err, err_is);
		free(out);
		free(err);
	}
}

TEST(the_command_line_takes_several_devices)
{
	command_is(ping_pong, "--device=cpu0,cpu1", 0, "cpu_sim cpu1: 1 task, 48 cycles\ncpu_sim cpu0: 2 tasks, 72 cycles", "");
	command_is(ping_pong, "--entry first --device=cpu1,cpu0 --threads 2", 0, "cpu_sim cpu0: 1 task, 48 cycles\ncpu_sim cpu1: 2 tasks, 72 cycles", "");
}

/* OUT and SIDE belong to the second device alone; X is filled for both by command_is. */
TEST(what_only_the_second_device_uses_is_bound_and_written)
{
	static const char text[] =
		"func @add(%a: !pto.memref, %b: !pto.memref, %c: !pto.memref) {\n%t = alloc_tile : !pto.tile<2x4xf32>\n%u = alloc_tile : !pto.tile<2x4xf32>\n"
		"%t = tload %a\n%u = tload %b\n%t = tadd %t, %u\ntstore %t, %c\nreturn\n}\n"
		"graph @first {\nTG_BEGIN(G)\nTG_KERNEL(A, add, 1, AIV, 0)\nMC_BIND(A, 0, X) MC_BIND(A, 1, X) MC_BIND(A, 2, Y)\nTG_END(G)\n"
		"TG_LAUNCH(G, s)\nTG_SYNC(G)\nSY_NOTIFY(1, READY)\n}\n"
		"graph @second on device 1 {\nSY_WAIT_NOTIFY(0, READY)\nTG_BEGIN(G)\nTG_KERNEL(B, add, 1, AIV, 0)\n"
		"MC_BIND(B, 0, Y) MC_BIND(B, 1, SIDE) MC_BIND(B, 2, OUT)\nTG_END(G)\nTG_LAUNCH(G, s)\n}\n";

	command_is(text, "--device=cpu0,cpu1 --runs 2 --fill SIDE=iota --out OUT=../second_device.npy", 0, "1 task", "");
	command_is(text, "--device=cpu0,cpu1 --fill SIDE=iota --expect OUT=../second_device.npy", 0, "compare: ok (1 tensor, 8 elements, max abs 0)", "");
	command_is(text, "--device=cpu0,cpu1 --in SIDE=../second_device.npy --expect OUT=../second_device.npy", 0,
		   "compare: ok (1 tensor, 8 elements, max abs 0)", "");
	command_is(text, "--device=cpu0,cpu1 --fill SIDE=ones --expect OUT=../second_device.npy", 6, "1 task",
		   "ptowsp-run: \"OUT\" is not as expected: 7 of 8 elements exceed rtol 1e-05, atol 1e-06; first [0]: 1 against 0, worst [7]: 1 against 7\n");
	command_is("tensor %Z : f32[2, 4] out\n" ADD
		   "graph @first {\nTG_BEGIN(G)\nTG_KERNEL(A, ten, 1, AIV, 0) MC_BIND(A, 0, X)\nTG_END(G)\nTG_LAUNCH(G, s)\n}\n",
		   "--out Z=z.npy", 2, "", "ptowsp-run: --out Z: the entry does not use that tensor; --explain says what it uses\n");
}

/* Whichever device fails, the other one, which would never end, is ended; and so is a third one. The program of that device comes first. */
TEST(who_fails_ends_the_others)
{
#define LOOP(from, count)                                                                                                                                      \
	"TG_BEGIN(G)\nTG_KERNEL(A, ten, 1, AIV, 0) MC_BIND(A, 0, X, " from ", 32)\nTG_END(G)\nCF_LOOP(" count ", i)\nTG_LAUNCH(G, s)\nCF_ENDLOOP\n}\n"
	static const char *const heads[] = {"graph @first {\n", "graph @second on device 1 {\n", "graph @third on device 2 {\n"};

	for (size_t who = 0; who < 3; who++) { /* each has elements of its own: nothing orders the devices */
		const char *text = check_fmt("tensor %%X : i32[24] inout\nsymbol %%n : u64 = 0\nsymbol %%m : u64 = 4000000000\n%s%s%s%s%s%s%s", ADD, heads[who],
					     LOOP("0", "m / n"), heads[(who + 1) % 3], LOOP("32", "m"), heads[(who + 2) % 3], LOOP("64", "m"));

		command_is(text, "--device=cpu0,cpu1,cpu0", 1, "",
			   check_fmt("ptowsp-run: %sinstruction 0 (two.pto:15:1): division by zero in a loop bound (0)\n", who == 1   ? "device 1: "
															   : who == 2 ? "device 2: "
																      : ""));
	}
}

/* Y is made by the first device and read by the second; nobody uses Z. */
TEST(devices_share_what_comes_from_outside)
{
	static const char text[] = "tensor %Z : i32[8] out\n" ADD "graph @first {\nTG_BEGIN(G)\n" KERNEL(
		"A") "TG_END(G)\nTG_LAUNCH(G, s)\nTG_SYNC(G)\nMC_COPY(X, Y, 32)\n"
		     "SY_NOTIFY(1, READY)\n}\ngraph @second on device 1 {\nSY_WAIT_NOTIFY(0, READY)\nMC_COPY(Y, OUT, 32)\n}\n";

	command_is(text, "--device=cpu0,cpu1 --out OUT=../shared.npy", 0, "1 task", "");
	command_is(text, "--device=cpu0,cpu1 --expect X=../shared.npy", 0, "compare: ok (1 tensor, 8 elements, max abs 0)", "");
	command_is(text, "--device=cpu0,cpu1 --fill OUT=zeros --expect Y=../shared.npy", 0, "compare: ok (1 tensor, 8 elements, max abs 0)", "");
	command_is(text, "--device=cpu0,cpu1 --out Z=z.npy", 2, "", "ptowsp-run: --out Z: the entry does not use that tensor; --explain says what it uses\n");
}

/* A temp tensor is one per device, and what a file or a fill gives is there in every run. */
TEST(devices_have_their_own_temps_and_every_run_its_content)
{
	static const char text[] =
		"tensor %S : i32[8] temp\n" ADD "graph @first {\nMC_COPY(X, S, 32)\nTG_BEGIN(G)\nTG_KERNEL(A, ten, 1, AIV, 0) MC_BIND(A, 0, S)\nTG_END(G)\n"
		"TG_LAUNCH(G, s)\nTG_SYNC(G)\nSY_NOTIFY(1, READY)\nSY_WAIT_NOTIFY(1, DONE)\nMC_COPY(S, OUT, 32)\n}\n"
		"graph @second on device 1 {\nSY_WAIT_NOTIFY(0, READY)\nMC_COPY(FAR, S, 32)\nTG_BEGIN(G)\n"
		"TG_KERNEL(B, ten, 1, AIV, 0) MC_BIND(B, 0, S)\nTG_KERNEL(C, ten, 1, AIV, 0) MC_BIND(C, 0, ACC, 0, 32)\nTG_END(G)\n"
		"TG_LAUNCH(G, s)\nTG_SYNC(G)\nMC_COPY(S, FAR, 32)\nSY_NOTIFY(0, DONE)\n}\n";

	command_is(text, "--device=cpu0,cpu1 --fill FAR=iota --fill ACC=zeros --out OUT=../one.npy", 0, "cpu_sim cpu1: 4 tasks", "");
	command_is(text, "--device=cpu0,cpu1 --fill FAR=iota --fill ACC=zeros --expect ACC=../one.npy --runs 2", 0,
		   "compare: ok (1 tensor, 8 elements, max abs 0)", "");
	command_is(text, "--device=cpu0,cpu1 --fill FAR=zeros --fill ACC=zeros --expect FAR=../one.npy --expect OUT=../one.npy --runs 2", 0,
		   "compare: ok (2 tensors, 16 elements, max abs 0)", "");
}

TEST(values_are_set_on_every_device_that_has_them)
{
	static const char text[] = "symbol %n : u64 = 1\n" ADD
				   "graph @first {\nSY_NOTIFY(1, READY)\n}\ngraph @second on device 1 {\nSY_WAIT_NOTIFY(0, READY)\nTG_BEGIN(G)\n" KERNEL(
					   "B") "TG_END(G)\nCF_LOOP(n, i)\nTG_LAUNCH(G, s)\nCF_ENDLOOP\n}\n";

	command_is(text, "--device=cpu0,cpu1", 0, "cpu_sim cpu1: 1 task,", "");
	command_is(text, "--device=cpu0,cpu1 --set n=3", 0, "cpu_sim cpu1: 3 tasks,", "");
}

/* The name is the only one that the second program has. */
TEST(a_notification_alone_is_called_by_its_name)
{
	command_is(ADD "graph @first {\nTG_BEGIN(G)\n" KERNEL("A") "TG_END(G)\nTG_LAUNCH(G, s)\n}\ngraph @second on device 1 {\nSY_WAIT_NOTIFY(0, READY)\n}\n",
		   "--device=cpu0,cpu1", 7, "",
		   "ptowsp-run: device 1: instruction 3 (two.pto:15:1): device 1 waits for notification READY of device 0, which never comes\n");
}

#define ALONE       "this run has one device; give it more with --device=SEL,SEL\n"
#define ONE(text)   ADD "graph @first {\nTG_BEGIN(G)\n" KERNEL("A") text "TG_END(G)\nTG_LAUNCH(G, s)\n}\n"
#define OTHER(text) "graph @second on device 1 {\nTG_BEGIN(G)\n" text KERNEL("B") "TG_END(G)\nTG_LAUNCH(G, s)\n}\n"

TEST(wrong_use_is_a_sentence_and_an_exit_code)
{
	command_is(ping_pong, "--entry first", 2, "", "ptowsp-run: instruction 2 (two.pto:11:1): " ALONE);
	command_is(ping_pong, "--device=cpu0,cpu7", 8, "", "ptowsp-run: device \"cpu7\" is unknown; known: cpu0, cpu1\n");
	command_is(ping_pong, "--device=cpu0,cpu0,cpu1", 2, "",
		   "ptowsp-run: --device=cpu0,cpu0,cpu1: the package has no program for device 2; graph @name on device 2 { ... } is its program\n");
	command_is(ADD, "--device=cpu0,cpu1", 2, "", "ptowsp-run: --device=cpu0,cpu1: the package has no graphs, so it runs on one device; name one of them\n");
	command_is(ADD OTHER(""), "", 2, "", "ptowsp-run: the package has no default entry; choose one with --entry: ten, second\n");
	command_is(ping_pong, "--entry second --device=cpu0,cpu1", 2, "",
		   "ptowsp-run: --entry second is the program of device 1, and a run begins with that of device 0, of 2 devices here; name that one, or leave "
		   "--entry out\n");
	command_is(ONE("SY_NOTIFY(3, READY)\n") OTHER("SY_WAIT_NOTIFY(0, READY)\n"), "--device=cpu0,cpu1", 2, "",
		   "ptowsp-run: instruction 2 (two.pto:11:1): there is no device 3 in this run, it has 2; give it more with --device=SEL,SEL\n");
	command_is(ONE("SY_NOTIFY(1, READY)\nSY_NOTIFY(1, EXTRA)\nSY_NOTIFY(1, 7)\n") OTHER("SY_WAIT_NOTIFY(0, READY)\n"), "--device=cpu0,cpu1", 0, "1 task",
		   "ptowsp-run: device 0 told device 1 notification EXTRA, and nobody waited for it; 1 more notification was not waited for\n");
	command_is(ONE("") OTHER("SY_WAIT_NOTIFY(0, READY)\n"), "--device=cpu0,cpu1", 7, "",
		   "ptowsp-run: device 1: instruction 3 (two.pto:16:1): device 1 waits for notification READY of device 0, which never comes\n");
	command_is(ONE("SY_WAIT_NOTIFY(1, 5)\n") "graph @second on device 1 {\nTG_BEGIN(G)\nTG_KERNEL(B, ten, 1, AIV, 0) MC_BIND(B, 0, Y, 0, "
						 "32)\nTG_END(G)\nTG_LAUNCH(G, s)\n}\n",
		   "--device=cpu0,cpu1", 7, "", "ptowsp-run: instruction 2 (two.pto:11:1): device 0 waits for notification 5 of device 1, which never comes\n");
}
