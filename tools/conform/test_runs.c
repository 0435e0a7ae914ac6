/* SPDX-License-Identifier: MIT */
/* test_runs.c - runs and what ends them: completion, cancel, deadlines, poll, drain. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "registry/names.h"
#include "tools/conform/conform.h"
#include "tools/conform/packages.h"

static const uint64_t second = UINT64_C(1000000000);

/* Every accepted token is done once; afterwards nothing comes any more. */
static void end(struct conform *c, struct conform_program *p)
{
	struct conform_services *s = &c->services;

	conform_program_unload(c, p);
	conform_close(c);
	for (uint32_t i = 0; i < s->token_count; i++) {
		const struct conform_token *t = &s->tokens[i];

		CONFORM_MUST(c, t->done == (t->state == CONFORM_ACCEPTED), "run %u of %u was %s and completed %d times (PL5)", i, s->token_count,
			     t->state == CONFORM_ACCEPTED ? "accepted" : "refused", t->done);
	}
	pthread_mutex_lock(&s->lock);
	if (*s->wrong)
		conform_fail(c, "%s", s->wrong);
	pthread_mutex_unlock(&s->lock);
}

void conform_test_runs_complete_once(struct conform *c)
{
	struct conform_program p;
	ptowsp_status first;

	conform_begin(c, &p, 1);
	first = conform_run(c, c->device, &p, 0, 0);
	conform_ok(c, first, "a run of a package that its rows allow");
	for (int i = 0; i < 20; i++)
		conform_ok(c, conform_run(c, c->device, &p, i & 1 ? PTOWSP_RUN_NO_KERNELS : 0, 0), "the same run again");
	for (uint32_t i = 1; i < c->services.token_count; i++)
		CONFORM_MUST(c,
			     conform_claim(c, PTOWSP_FEATURE_DETERMINISTIC) < PTOWSP_STATE_ENFORCED || c->services.tokens[i].state != CONFORM_ACCEPTED ||
				     c->services.tokens[i].cycles == c->services.tokens[0].cycles,
			     "the same run took %llu cycles, then %llu, and its rows enforce determinism (PL7)",
			     (unsigned long long)c->services.tokens[0].cycles, (unsigned long long)c->services.tokens[i].cycles);
	end(c, &p);
}

void conform_test_many_runs_complete_once(struct conform *c)
{
	enum { RUNS = 300 };
	struct conform_token *tokens[RUNS];
	struct conform_program p;

	conform_smallest(c, &p);
	conform_open(c, 2);
	conform_ok(c, conform_program_load(c, c->device, &p), "load of the smallest package");
	for (int i = 0; i < RUNS; i++) {
		struct ptowsp_run_args args = conform_program_run(&p, PTOWSP_RUN_NO_KERNELS);

		tokens[i] = conform_submit(c, c->device, &args);
		CONFORM_MUST(c, tokens[i], "run %d of %d was refused: %.200s", i, RUNS, c->error.text);
	}
	for (int i = 0; i < RUNS; i++) {
		CONFORM_MUST(c, conform_wait(c, c->device, tokens[i], 60 * second), "run %d of %d was not completed within 60 s (PL5)", i, RUNS);
		CONFORM_MUST(c, !tokens[i]->status, "run %d of %d ended as %s", i, RUNS, reg_status_name(tokens[i]->status));
	}
	end(c, &p);
}

/* ---- cancel ----------------------------------------------------------------------------------------------------- */

void conform_test_strangers_are_not_cancelled(struct conform *c)
{
	static const uint64_t strangers[] = {0, 1, UINT64_MAX, UINT64_C(0x100000000), UINT64_C(0xDEADBEEFDEADBEEF)};
	struct conform_program p;

	conform_begin(c, &p, 1);
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < sizeof(strangers) / sizeof(*strangers); i++)
			CONFORM_CALL(c, cancel, c->device, strangers[i], &c->error);
		conform_ok(c, conform_run(c, c->device, &p, 0, 0), "a run after cancels of tokens that never were");
		for (uint32_t i = 0; i < c->services.token_count; i++)
			CONFORM_CALL(c, cancel, c->device, c->services.tokens[i].token, &c->error);
	}
	conform_ok(c, conform_run(c, c->device, &p, 0, 0), "a run after cancels of runs that are over");
	end(c, &p);
}

enum { STORMERS = 4, STORM_RUNS = 200 };

struct stormer {
	struct conform *c;
	_Atomic int *stop;
	uint64_t random;
	_Atomic uint64_t calls;
};

/* Waits until so many cancels more were made, a while at most: runs are short, and each is to be cancelled while it goes on and when it is over. */
static void storm_wait(struct stormer *stormers, uint64_t more)
{
	uint64_t begin = 0, now = 0, until = host_now_ns() + 5000000;

	for (int i = 0; i < STORMERS; i++)
		begin += stormers[i].calls;
	do {
		now = 0;
		for (int i = 0; i < STORMERS; i++)
			now += stormers[i].calls;
	} while (now < begin + more && host_now_ns() < until && !usleep(10));
}

/* Cancels whatever was submitted last, and now and then something else. */
static void *storm(void *context)
{
	struct stormer *s = context;
	struct conform_services *services = &s->c->services;

	while (!atomic_load(s->stop)) {
		uint32_t count = atomic_load(&services->token_count);
		struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
		uint64_t token;

		s->random = s->random * UINT64_C(6364136223846793005) + 1442695040888963407;
		token = count && s->random >> 61 ? services->tokens[count - 1].token : s->random;
		s->c->plugin->ops.cancel(s->c->device, token, s->random >> 60 & 1 ? &error : NULL);
		s->calls++;
		if (!(s->random >> 58 & 7))
			usleep(50);
	}
	return NULL;
}

void conform_test_cancel_storms_complete_once(struct conform *c)
{
	struct stormer stormers[STORMERS];
	pthread_t threads[STORMERS];
	_Atomic int stop = 0;
	struct conform_program p;

	conform_begin(c, &p, 2);
	if (c->plugin->descriptor && !c->plugin->descriptor->ops->cancel)
		conform_skip(c, "it has no operation cancel");
	for (uint32_t i = 0; i < STORMERS; i++) {
		stormers[i] = (struct stormer){.c = c, .stop = &stop, .random = c->seed + i};
		conform_thread_start(c, &threads[i], storm, &stormers[i]);
	}
	for (int i = 0; i < STORM_RUNS; i++) {
		ptowsp_status status = conform_run(c, c->device, &p, 0, 0);

		if (status && status != PTOWSP_CANCELLED) {
			atomic_store(&stop, 1);
			conform_fail(c, "a run that was cancelled or not ended as %s", reg_status_name(status));
		}
		storm_wait(stormers, 8);
	}
	atomic_store(&stop, 1);
	for (int i = 0; i < STORMERS; i++)
		pthread_join(threads[i], NULL);
	end(c, &p);
}

/* ---- runs that take long ---------------------------------------------------------------------------------------- */

/* Begins a test of a feature by a run that takes long; allowed_ns: of its deadline from now on, 0: it has none. */
static struct conform_token *begin_long(struct conform *c, struct conform_program *p, uint32_t feature, uint64_t allowed_ns, uint64_t *deadline_ns_out)
{
	struct ptowsp_run_args args;
	struct conform_token *token;
	bool fits;

	if (!conform_program_find(c, p, "tasks:long"))
		conform_skip(c, "package tasks of the probes is not here; --probes says where it is");
	conform_match_begin(c);
	fits = conform_program_fits(c, p);
	conform_match_end(c);
	if (!fits)
		conform_skip(c, "it does not take the package with the long task");
	conform_open(c, 1);
	if (conform_claim(c, feature) < PTOWSP_STATE_ENFORCED)
		conform_skip(c, "its rows do not enforce it");
	conform_ok(c, conform_program_load(c, c->device, p), "load of a package that its rows allow");
	args = conform_program_run(p, 0);
	args.deadline_ns = allowed_ns ? host_now_ns() + allowed_ns : 0;
	*deadline_ns_out = args.deadline_ns;
	token = conform_submit(c, c->device, &args);
	CONFORM_MUST(c, token, "the run was refused: %.200s", c->error.text);
	return token;
}

/* A plugin without threads is inside of poll while another thread cancels. */
struct canceller {
	struct conform *c;
	uint64_t token;
};

static void *cancel_later(void *context)
{
	struct canceller *k = context;

	usleep(30000);
	k->c->plugin->ops.cancel(k->c->device, k->token, NULL);
	return NULL;
}

void conform_test_a_cancelled_run_ends(struct conform *c)
{
	struct canceller canceller = {.c = c};
	struct conform_program p;
	uint64_t none;
	struct conform_token *token = begin_long(c, &p, PTOWSP_FEATURE_CANCEL, 0, &none);
	pthread_t thread;

	canceller.token = token->token;
	conform_thread_start(c, &thread, cancel_later, &canceller);
	CONFORM_MUST(c, conform_wait(c, c->device, token, 10 * second), "a run was cancelled after 30 ms and not completed within 10 s (PL10)");
	pthread_join(thread, NULL);
	CONFORM_MUST(c, token->status == PTOWSP_CANCELLED, "a cancelled run ended as %s, not CANCELLED", reg_status_name(token->status));
	end(c, &p);
}

void conform_test_a_past_deadline_ends_a_run(struct conform *c)
{
	struct conform_program p;
	ptowsp_status status;

	conform_begin(c, &p, 1);
	if (conform_claim(c, PTOWSP_FEATURE_DEADLINE) < PTOWSP_STATE_ENFORCED)
		conform_skip(c, "its rows do not enforce deadlines");
	for (int i = 0; i < 50; i++) {
		status = conform_run(c, c->device, &p, 0, i & 1 ? 1 : host_now_ns() - 1);
		CONFORM_MUST(c, !status || status == PTOWSP_DEADLINE, "a run whose deadline was past ended as %s, not DEADLINE", reg_status_name(status));
	}
	conform_ok(c, conform_run(c, c->device, &p, 0, 0), "a run without a deadline after runs with one");
	end(c, &p);
}

void conform_test_a_near_deadline_ends_a_run(struct conform *c)
{
	struct conform_program p;
	uint64_t deadline_ns;
	struct conform_token *token = begin_long(c, &p, PTOWSP_FEATURE_DEADLINE, 50000000, &deadline_ns);

	CONFORM_MUST(c, conform_wait(c, c->device, token, 10 * second), "a run had 50 ms and was not completed within 10 s (PL10)");
	CONFORM_MUST(c, token->status == PTOWSP_DEADLINE, "a run beyond its deadline ended as %s, not DEADLINE", reg_status_name(token->status));
	CONFORM_MUST(c, token->done_ns < deadline_ns + 5 * second, "a run ended %.1f s after its deadline (PL10)",
		     (double)(token->done_ns - deadline_ns) / 1e9);
	end(c, &p);
}

/* ---- poll and drain --------------------------------------------------------------------------------------------- */

void conform_test_poll_returns_in_time(struct conform *c)
{
	static const uint64_t grace = 500000000; /* a loaded machine */
	struct conform_program p;

	conform_begin(c, &p, 1);
	for (int i = 0; i < 100; i++) {
		CONFORM_WAIT(c, poll, c->device, i & 1 ? 0 : host_now_ns(), &c->error);
		CONFORM_MUST(c, c->took_ns < grace, "poll with a time that is past took %.1f s (PL10)", (double)c->took_ns / 1e9);
	}
	CONFORM_WAIT(c, poll, c->device, host_now_ns() + 50000000, &c->error);
	CONFORM_MUST(c, c->took_ns < 50000000 + grace, "poll until 50 ms from then took %.1f s (PL10)", (double)c->took_ns / 1e9);
	conform_ok(c, conform_run(c, c->device, &p, 0, 0), "a run after polls without one");
	CONFORM_WAIT(c, poll, c->device, 0, &c->error);
	end(c, &p);
}

void conform_test_drain_leaves_nothing(struct conform *c)
{
	struct conform_token *tokens[8];
	struct conform_program p;
	uint32_t count = 0;

	conform_begin(c, &p, 2);
	for (; count < 8; count++) {
		struct ptowsp_run_args args = conform_program_run(&p, 0);
		struct conform_token *token = conform_token_make(&c->services);
		ptowsp_status status;

		args.token = token->token;
		status = CONFORM_CALL(c, submit, c->device, &args, &c->error);
		conform_token_answer(&c->services, token, status);
		if (status == PTOWSP_AGAIN)
			break;
		conform_ok(c, status, "submit behind others");
		tokens[count] = token;
	}
	if (CONFORM_WAIT(c, drain, c->device, host_now_ns() + 30 * second, &c->error) == PTOWSP_UNIMPLEMENTED)
		for (uint32_t i = 0; i < count; i++)
			conform_wait(c, c->device, tokens[i], 30 * second);
	for (uint32_t i = 0; i < count; i++)
		CONFORM_MUST(c, tokens[i]->done == 1, "drain returned, and run %u of %u was completed %d times (PL5)", i, count, tokens[i]->done);
	CONFORM_WAIT(c, drain, c->device, host_now_ns(), &c->error);
	CONFORM_MUST(c, c->took_ns < second, "drain of nothing took %.1f s (PL10)", (double)c->took_ns / 1e9);
	end(c, &p);
}

/* ---- lives ------------------------------------------------------------------------------------------------------ */

void conform_test_lives_repeat(struct conform *c)
{
	struct conform_program p;

	conform_program_choose(c, &p, conform_short_programs);
	for (int i = 0; i < 5; i++) {
		conform_open(c, 1);
		for (int k = 0; k < 5; k++) {
			conform_ok(c, conform_program_load(c, c->device, &p), "load again");
			conform_ok(c, conform_run(c, c->device, &p, 0, 0), "a run of what was loaded again");
			conform_program_unload(c, &p);
		}
		conform_ok(c, CONFORM_CALL(c, close, c->device, &c->error), "close");
		conform_ok(c, conform_device_open(c, 2, &c->device), "open again");
		conform_close(c);
	}
}

void conform_test_two_instances_do_not_meet(struct conform *c)
{
	struct ptowsp_init_args args = conform_init_args(c);
	struct ptowsp_object *first, *second_instance = NULL, *first_device, *second_device;
	struct conform_program p, q;

	conform_begin(c, &p, 1);
	first = c->instance, first_device = c->device;
	conform_ok(c, CONFORM_CALL(c, init, &c->services.table, &args, &second_instance, &c->error), "a second instance beside the first");
	c->instance = second_instance;
	conform_device_again(c, 1, &second_device);
	conform_program_choose(c, &q, conform_short_programs);
	conform_ok(c, conform_program_load(c, second_device, &q), "load on the second instance");
	conform_ok(c, conform_run(c, first_device, &p, 0, 0), "a run on the first of two instances");
	conform_ok(c, conform_run(c, second_device, &q, 0, 0), "a run on the second of two instances");
	conform_program_unload(c, &q);
	conform_ok(c, CONFORM_CALL(c, close, second_device, &c->error), "close on the second instance");
	conform_ok(c, CONFORM_WAIT(c, fini, second_instance, &c->error), "the end of the second instance");
	c->instance = first, c->device = first_device;
	conform_ok(c, conform_run(c, first_device, &p, 0, 0), "a run on the first instance after the end of the second");
	end(c, &p);
}
