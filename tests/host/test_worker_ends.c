/* SPDX-License-Identifier: MIT */
/* test_worker_ends.c - a plugin that crashes, hangs or forges in a worker: its run ends and says how, the host and other runs go on. */
#include "ptowsp/note.h"
#include "tests/check.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/run/runs.h"
#include "tests/host/moody.h"

static struct ptowsp_error error;

static uint32_t load_timeout_ms; /* of what is opened next */

/* As far as it goes: to a run that is over. */
static ptowsp_status moody_run(struct moody *s, const char *mood, uint64_t timeout_ns)
{
	const struct ptowsp_execute_options options = {.timeout_ns = timeout_ns};
	struct ptowsp_run_stats live = {.head = PTOWSP_HEAD(struct ptowsp_run_stats, RUN_STATS)};
	ptowsp_status status = moody_package(s, moody_empty(), &error);

	if (!status)
		status = moody_backend(s, mood, PTOWSP_ISOLATE_PROCESS, load_timeout_ms, &error);
	if (!status)
		status = ptowsp_program_load(&s->program, s->backend, s->plan, 0, &error);
	if (!status)
		status = ptowsp_execute(s->program, &options, &error);
	if (!status)
		status = ptowsp_stats_live(s->program, &live, &error);
	return status;
}

static bool alive(int64_t pid)
{
	return pid > 0 && !kill((pid_t)pid, 0);
}

/* Every operation that answers with a status; the session is closed afterwards as always. */
TEST(a_crash_in_each_operation_is_told_with_signal_and_operation)
{
	static const char *const operations[] = {"init", "devices", "capabilities", "open", "load", "submit", "poll", "stats"};
	struct moody s = {0};

	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++) {
		CHECK_INT(moody_run(&s, check_fmt("segv:%s", operations[i]), 0), PTOWSP_DEVICE_LOST);
		CHECK_CONTAINS(error.text, "signal 11");
		CHECK_CONTAINS(error.text, "now it happens");
		if (strcmp(operations[i], "stats")) /* comes beside the others */
			CHECK_CONTAINS(error.text, check_fmt("in %s", operations[i]));
		moody_close(&s);
	}
	CHECK_INT(moody_run(&s, "abort:submit", 0), PTOWSP_DEVICE_LOST);
	CHECK_CONTAINS(error.text, "signal 6");
	moody_close(&s);
	CHECK_INT(moody_run(&s, "exit:poll", 0), PTOWSP_DEVICE_LOST);
	CHECK_CONTAINS(error.text, "exit status 3");
	moody_close(&s);
}

TEST(a_crash_at_the_end_harms_nobody_and_is_told)
{
	static const char *const operations[] = {"unload", "close", "fini", "cancel"};
	struct moody s = {0};

	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++) {
		CHECK_INT(moody_run(&s, check_fmt("segv:%s", operations[i]), 0), 0);
		ptowsp_program_unload(s.program);
		ptowsp_backend_close(s.backend);
		s.program = NULL, s.backend = NULL;
		if (strcmp(operations[i], "cancel")) /* nobody calls that */
			CHECK_CONTAINS(s.log, check_fmt("moody: its worker ended in %s: signal 11", operations[i]));
		moody_close(&s);
	}
	CHECK_INT(moody_run(&s, "calm", 0), 0);
	moody_close(&s);
}

TEST(every_later_call_says_how_it_ended)
{
	struct moody s = {0};

	CHECK_INT(moody_run(&s, "segv:poll", 0), PTOWSP_DEVICE_LOST);
	for (int i = 0; i < 3; i++) {
		error.text[0] = '\0';
		CHECK_INT(ptowsp_execute(s.program, NULL, &error), PTOWSP_DEVICE_LOST);
		CHECK_CONTAINS(error.text, "signal 11");
	}
	moody_close(&s);
}

/* Its worker lives: the next run has the same end. */
TEST(a_done_that_breaks_the_rules_is_told_as_in_this_process)
{
	struct moody s = {0};

	CHECK_INT(moody_run(&s, "absurd", 0), PTOWSP_DEVICE_LOST);
	CHECK_STR(error.text, "the plugin broke the rules of done: absurd counts");
	CHECK(alive(ptowsp_backend_worker(s.backend)));
	CHECK_INT(ptowsp_execute(s.program, NULL, &error), PTOWSP_DEVICE_LOST);
	CHECK_STR(error.text, "the plugin broke the rules of done: absurd counts");
	moody_close(&s);
}

TEST(a_hang_is_ended_after_the_deadline)
{
	static const char *const operations[] = {"submit", "poll"};
	struct moody s = {0};

	for (int i = 0; i < 2; i++) {
		const uint64_t begin = host_now_ns();

		CHECK_INT(moody_run(&s, check_fmt("hang:%s", operations[i]), UINT64_C(50000000)), PTOWSP_DEADLINE);
		CHECK(host_now_ns() - begin < UINT64_C(4000000000));
		CHECK_CONTAINS(error.text, check_fmt("killed in %s", operations[i]));
		CHECK(!alive(ptowsp_backend_worker(s.backend)));
		moody_close(&s);
	}
}

TEST(a_stopped_worker_is_ended_and_called_stopped)
{
	struct moody s = {0};

	CHECK_INT(moody_run(&s, "stop:poll", UINT64_C(50000000)), PTOWSP_DEADLINE);
	CHECK_CONTAINS(error.text, check_fmt("stopped by signal %d", SIGSTOP));
	CHECK_CONTAINS(error.text, "killed in poll");
	CHECK(!alive(ptowsp_backend_worker(s.backend)));
	moody_close(&s);
}

/* Nobody who waits has a time, and it is no crash either: a run without a deadline would be waited for for ever. */
TEST(a_stopped_worker_is_ended_without_a_deadline_too)
{
	static const char *const operations[] = {"load", "submit", "poll"};
	struct moody s = {0};

	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++) {
		const uint64_t begin = host_now_ns();

		CHECK_INT(moody_run(&s, check_fmt("stop:%s", operations[i]), 0), PTOWSP_DEVICE_LOST);
		CHECK_CONTAINS(error.text, check_fmt("stopped by signal %d", SIGSTOP));
		CHECK(host_now_ns() - begin < UINT64_C(4000000000));
		CHECK(!alive(ptowsp_backend_worker(s.backend)));
		moody_close(&s);
	}
}

/* A stop is looked at after a second: whoever has more than that is not late by then, be it half a second more. */
TEST(a_worker_that_stops_before_it_is_late_is_no_late_one)
{
	struct moody s = {0};

	REQUIRE_INT(moody_package(&s, moody_empty(), &error), 0);
	REQUIRE_INT(moody_backend(&s, "stop:load", PTOWSP_ISOLATE_PROCESS, 1500, &error), 0);
	CHECK_INT(ptowsp_program_load(&s.program, s.backend, s.plan, 0, &error), PTOWSP_DEVICE_LOST);
	CHECK_CONTAINS(error.text, check_fmt("stopped by signal %d", SIGSTOP));
	CHECK_CONTAINS(error.text, "killed in load");
	moody_close(&s);
}

TEST(a_worker_that_goes_on_after_a_stop_goes_on)
{
	struct moody s = {0};

	REQUIRE_INT(moody_open(&s, moody_empty(), "calm", &error), 0);
	kill((pid_t)ptowsp_backend_worker(s.backend), SIGSTOP);
	usleep(200000);
	kill((pid_t)ptowsp_backend_worker(s.backend), SIGCONT);
	usleep(1200000);
	CHECK_INT(ptowsp_execute(s.program, NULL, &error), 0);
	moody_close(&s);
}

/* The process has the ring and the socket of the worker that left it, in a session of its own. */
TEST(a_process_that_a_worker_leaves_ends_with_it)
{
	static const char *const operations[] = {"load", "poll", "fini"};

	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++) {
		const uint64_t begin = host_now_ns();
		struct moody s = {0};
		const char *child;

		CHECK_INT(moody_run(&s, check_fmt("child:%s", operations[i]), 0), i < 2 ? PTOWSP_DEVICE_LOST : 0);
		if (i < 2)
			CHECK_CONTAINS(error.text, "exit status 3");
		if (i == 2) {
			ptowsp_program_unload(s.program);
			ptowsp_backend_close(s.backend);
			s.program = NULL, s.backend = NULL;
		}
		child = strstr(s.log, "child ");
		REQUIRE(child != NULL);
		CHECK(!alive(atoi(child + 6)));
		moody_close(&s);
		CHECK(host_now_ns() - begin < UINT64_C(4000000000));
	}
}

/* Its keeper was killed and can end nobody: neither the worker, which took the kernel's word back, nor the process in a session of its own. The host does. */
TEST(what_is_left_without_a_keeper_is_ended)
{
	static const char *const operations[] = {"init", "load", "poll"};

	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++) {
		const uint64_t begin = host_now_ns();
		struct moody s = {0};
		const char *child;

		CHECK_INT(moody_run(&s, check_fmt("orphan:%s", operations[i]), 0), PTOWSP_DEVICE_LOST);
		CHECK_CONTAINS(error.text, check_fmt("ended in %s: signal 9", operations[i]));
		child = strstr(s.log, "child ");
		REQUIRE(child != NULL);
		CHECK(check_run(check_fmt("grep -qs '^State:.[A-WY]' /proc/%d/status", atoi(child + 6)), NULL, NULL) !=
		      0); /* one that nobody reaps may be there */
		moody_close(&s);
		CHECK(host_now_ns() - begin < UINT64_C(4000000000));
	}
}

TEST(a_stopped_keeper_is_ended_and_called_stopped)
{
	static const char *const operations[] = {"load", "poll"};
	struct moody s = {0};

	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++) {
		const uint64_t begin = host_now_ns();

		CHECK_INT(moody_run(&s, check_fmt("halt:%s", operations[i]), 0), PTOWSP_DEVICE_LOST);
		CHECK_CONTAINS(error.text, check_fmt("the keeper of its worker was stopped by signal %d", SIGSTOP));
		CHECK(host_now_ns() - begin < UINT64_C(4000000000));
		moody_close(&s);
	}
}

/* What a plugin says is read as far as it is printed, in its worker, too. */
TEST(a_text_of_any_length_ends_nobody)
{
	struct moody s = {0};

	CHECK_INT(moody_run(&s, "chat:submit", 0), 0);
	CHECK_CONTAINS(s.log, "a text of no end");
	moody_close(&s);
}

/* A sentence is one line with an end, whoever wrote it. */
TEST(what_a_plugin_says_becomes_one_line)
{
	struct moody s = {0};

	CHECK_INT(moody_run(&s, "shout:submit", 0), PTOWSP_DEVICE_LOST);
	CHECK_CONTAINS(error.text, "one two");
	moody_close(&s);
	for (uint32_t isolate = PTOWSP_ISOLATE_NONE; isolate <= PTOWSP_ISOLATE_PROCESS; isolate++) {
		CHECK_INT(moody_package(&s, moody_empty(), &error), 0);
		REQUIRE_INT(moody_backend(&s, "endless", isolate, 0, &error), 0);
		CHECK_INT(ptowsp_program_load(&s.program, s.backend, s.plan, 0, &error), PTOWSP_RUN_FAILED);
		CHECK(!strncmp(error.text, "xxx xxx", 7) && memchr(error.text, '\0', sizeof(error.text)));
		CHECK_STR(ptowsp_last_error(), error.text);
		moody_close(&s);
	}
}

/* 12,000 short lines, or 2,000 of a KiB, in one load: the first ones are told, and how many are not. */
TEST(what_a_plugin_says_is_told_up_to_a_limit)
{
	static const struct {
		const char *mood;
		uint32_t told, left_out;
	} rows[] = {{"talks", 10000, 2000}, {"speaks", 1024, 976}};

	for (size_t i = 0; i < 4; i++) {
		struct moody s = {0};

		REQUIRE_INT(moody_package(&s, moody_empty(), &error), 0);
		REQUIRE_INT(moody_backend(&s, rows[i / 2].mood, i & 1 ? PTOWSP_ISOLATE_PROCESS : PTOWSP_ISOLATE_NONE, 0, &error), 0);
		CHECK_INT(ptowsp_program_load(&s.program, s.backend, s.plan, 0, &error), 0);
		CHECK_UINT(s.lines, rows[i / 2].told + 1);
		CHECK_CONTAINS(s.last, check_fmt("%u more lines of the plugin are left out", rows[i / 2].left_out));
		moody_close(&s);
	}
}

/* It says more than anybody can hear: who only looks comes back, and who waits does so at the deadline. */
TEST(a_plugin_that_never_stops_talking_holds_nobody)
{
	const struct ptowsp_execute_options options = {.timeout_ns = UINT64_C(100000000)};
	struct moody s = {0};
	unsigned looks = 0;

	REQUIRE_INT(moody_open(&s, moody_empty(), "flood", &error), 0);
	REQUIRE_INT(ptowsp_execute_async(s.program, &options, &error), 0);
	while (!ptowsp_is_complete(s.program))
		looks++;
	CHECK(looks > 1);
	CHECK_INT(ptowsp_synchronize(s.program, UINT64_MAX, &error), PTOWSP_DEADLINE);
	moody_close(&s);
}

/* Calls without a deadline have a limit of their own. */
TEST(a_call_that_hangs_is_ended_after_its_limit)
{
	static const char *const operations[] = {"init", "devices", "capabilities", "open", "load"};
	struct moody s = {0};

	load_timeout_ms = 400;
	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++) {
		const uint64_t begin = host_now_ns();

		CHECK_INT(moody_run(&s, check_fmt("hang:%s", operations[i]), 0), PTOWSP_DEADLINE);
		CHECK(host_now_ns() - begin < UINT64_C(3000000000));
		CHECK_CONTAINS(error.text, check_fmt("killed in %s", operations[i]));
		CHECK_CONTAINS(error.text, "now it happens");
		moody_close(&s);
	}
	load_timeout_ms = 0;
}

/* The worker's ring is full from that operation on: each call that comes next ends with its limit, and so does the end of the worker. */
TEST(a_ring_that_is_never_read_holds_nobody)
{
	static const char *const operations[] = {"open", "load", "fini"};
	struct moody s = {0};

	load_timeout_ms = 400;
	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++) {
		const uint64_t begin = host_now_ns();

		CHECK_INT(moody_run(&s, check_fmt("full:%s", operations[i]), 0), i < 2 ? PTOWSP_DEADLINE : 0);
		if (i < 2)
			CHECK_CONTAINS(error.text, "did not end in time");
		moody_close(&s);
		CHECK(host_now_ns() - begin < UINT64_C(5000000000));
	}
	load_timeout_ms = 0;
}

enum { TENSORS = 300 };

static const char *tensors_package(void)
{
	static char text[32 * 1024], path[512];
	size_t used = 0;

	snprintf(path, sizeof(path), "%s/tensors.pkg.zst", check_tmp());

#define ADD(...) used += (size_t)snprintf(text + used, sizeof(text) - used, __VA_ARGS__)
	ADD("{\"schema\": \"ptowsp.package/1\", \"TENS\": [");
	for (int i = 0; i < TENSORS; i++)
		ADD("%s{\"name\": \"t%d\", \"role\": \"inout\", \"flags\": 1}", i ? ", " : "", i);
	ADD("], \"WORK\": {\"instructions\": [[\"halt\"]]}, \"ENTR\": [{\"name\": \"main\", \"flags\": 1}]}");
#undef ADD
	if (!check_write(check_fmt("%s/tensors.json", check_dir()), text, used) ||
	    check_run(check_fmt("%s/bin/ptowsp-pack --from-json %s/tensors.json -o %s", check_build(), check_dir(), path), NULL, NULL))
		CHECK_FAIL("no package at %s", path);
	return path;
}

/* More of them than have room on the socket; and, in the second run, the ends of those that were there. */
static ptowsp_status tensors_run(struct moody *s, void *memory[TENSORS], uint64_t timeout_ns)
{
	const struct ptowsp_execute_options options = {.timeout_ns = timeout_ns};
	ptowsp_status status = PTOWSP_OK;

	for (int i = 0; i < TENSORS && !status; i++) {
		ptowsp_buffer_free(memory[i]);
		status = ptowsp_buffer_alloc(&memory[i], 4096, &error);
		if (!status)
			status = ptowsp_tensor_bind(s->program, check_fmt("t%d", i), memory[i], 1024, &error);
	}
	return status ? status : ptowsp_execute(s->program, &options, &error);
}

TEST(tensors_that_are_never_taken_hold_nobody)
{
	static const char *const moods[] = {"calm", "full:load", "full:poll"};
	const char *package = tensors_package();
	static void *memory[TENSORS];

	for (int i = 0; i < 6; i++) {
		const uint64_t timeout_ns = i & 1 ? UINT64_C(100000000) : 0;
		struct moody s = {0};
		uint64_t begin;

		REQUIRE_INT(moody_package(&s, package, &error), 0);
		REQUIRE_INT(moody_backend(&s, moods[i / 2], PTOWSP_ISOLATE_PROCESS, i / 2 ? 500 : 0, &error), 0);
		REQUIRE_INT(ptowsp_program_load(&s.program, s.backend, s.plan, 0, &error), 0);
		begin = host_now_ns();
		CHECK_INT(tensors_run(&s, memory, timeout_ns), i / 2 == 1 ? PTOWSP_DEADLINE : 0);
		CHECK_INT(tensors_run(&s, memory, timeout_ns), i / 2 ? PTOWSP_DEADLINE : 0);
		CHECK(host_now_ns() - begin < UINT64_C(4000000000));
		moody_close(&s);
	}
	for (int i = 0; i < TENSORS; i++)
		ptowsp_buffer_free(memory[i]);
}

TEST(a_cancel_that_is_not_heard_ends_the_worker)
{
	struct moody s = {0};

	REQUIRE_INT(moody_package(&s, moody_empty(), &error), 0);
	REQUIRE_INT(moody_backend(&s, "hang:cancel", PTOWSP_ISOLATE_PROCESS, 0, &error), 0);
	REQUIRE_INT(ptowsp_program_load(&s.program, s.backend, s.plan, 0, &error), 0);
	moody_close(&s);
	REQUIRE_INT(moody_package(&s, moody_empty(), &error), 0);
	REQUIRE_INT(moody_backend(&s, "waits", PTOWSP_ISOLATE_PROCESS, 0, &error), 0);
	REQUIRE_INT(ptowsp_program_load(&s.program, s.backend, s.plan, 0, &error), 0);
	REQUIRE_INT(ptowsp_execute_async(s.program, NULL, &error), 0);
	CHECK_INT(ptowsp_synchronize(s.program, 10000000, &error), PTOWSP_AGAIN);
	CHECK_INT(ptowsp_cancel(s.program, &error), PTOWSP_UNIMPLEMENTED);
	CHECK_INT(ptowsp_synchronize(s.program, UINT64_C(5000000000), &error), PTOWSP_DEADLINE);
	moody_close(&s);
}

TEST(forged_ring_data_ends_the_worker_and_not_the_host)
{
	static const char *const kinds[] = {"head", "tail", "record"};
	struct moody s = {0};

	for (int i = 0; i < 3; i++) {
		const bool down = !strcmp(kinds[i], "tail"); /* met with the next request */

		CHECK_INT(moody_run(&s, check_fmt("%s:poll", kinds[i]), down ? UINT64_C(50000000) : 0), down ? PTOWSP_DEADLINE : PTOWSP_DEVICE_LOST);
		if (!down)
			CHECK_CONTAINS(error.text, "sent what no worker sends");
		moody_close(&s);
	}
}

TEST(another_run_goes_on_while_one_crashes)
{
	struct moody calm = {0}, s = {0};

	CHECK_INT(moody_run(&calm, "calm", 0), 0);
	CHECK_INT(moody_run(&s, "segv:poll", 0), PTOWSP_DEVICE_LOST);
	CHECK_INT(ptowsp_execute(calm.program, NULL, &error), 0);
	moody_close(&s);
	CHECK_INT(ptowsp_execute(calm.program, NULL, &error), 0);
	moody_close(&calm);
}

/* It was counted as the end of a run, so that the worker polled from then on, also what was closed. */
TEST(the_end_of_a_strange_run_is_none_of_the_worker_s)
{
	struct ptowsp_run_stats live = {.head = PTOWSP_HEAD(struct ptowsp_run_stats, RUN_STATS)};
	struct moody s = {0};

	CHECK_INT(moody_run(&s, "stranger", 0), 0);
	CHECK_CONTAINS(s.log, "not in flight");
	s.log[0] = '\0';
	usleep(50000);
	CHECK_INT(ptowsp_stats_live(s.program, &live, &error), 0); /* whoever asks hears what was said */
	CHECK_STR(s.log, "");
	moody_close(&s);
}

static void *kill_later(void *context)
{
	uint64_t *at = context;

	usleep(100000);
	*at = host_now_ns();
	kill((pid_t)at[1], SIGKILL);
	return NULL;
}

/* The best of a few: a machine that does something else is no finding. A sanitizer makes every step ten times as long. */
TEST(a_crash_is_seen_within_ten_milliseconds)
{
	const uint64_t most = PTOWSP_SANITIZER ? 100000000 : 10000000; /* ns */
	uint64_t best = UINT64_MAX, at[2];
	pthread_t thread;

	for (int i = 0; i < 5 && best > most; i++) {
		struct moody s = {0};
		uint64_t seen;

		REQUIRE_INT(moody_package(&s, moody_empty(), &error), 0);
		REQUIRE_INT(moody_backend(&s, "waits", PTOWSP_ISOLATE_PROCESS, 0, &error), 0);
		REQUIRE_INT(ptowsp_program_load(&s.program, s.backend, s.plan, 0, &error), 0);
		at[1] = (uint64_t)ptowsp_backend_worker(s.backend);
		REQUIRE_INT(pthread_create(&thread, NULL, kill_later, at), 0);
		CHECK_INT(ptowsp_execute(s.program, NULL, &error), PTOWSP_DEVICE_LOST);
		seen = host_now_ns();
		pthread_join(thread, NULL);
		best = seen - at[0] < best ? seen - at[0] : best;
		moody_close(&s);
	}
	CHECK(best < most);
}
