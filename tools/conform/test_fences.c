/* SPDX-License-Identifier: MIT */
/* test_fences.c - values by which runs wait for each other, by "ptowsp.fences/0" (PL14). */
#include <stdio.h>

#include "host/run/runs.h"
#include "registry/common/common_hash.h"
#include "registry/names.h"
#include "tools/conform/conform.h"
#include "tools/conform/packages.h"

#if PTOWSP_ABI_MINOR < 1
#define NONE(name)                                                                                                                                             \
	void conform_test_##name(struct conform *c)                                                                                                            \
	{                                                                                                                                                      \
		conform_skip(c, "this host is of 10.0, which has no ptowsp.fences");                                                                           \
	}
NONE(fences_count_up)
NONE(fences_fail_for_ever)
NONE(waiting_runs_end)
NONE(fence_wait_returns_in_time)
NONE(signals_come_before_done)
#else
#include "ptowsp/fences.h"

#define CALL(c, table, operation, ...) (conform_before(c, #operation), conform_after(c, (table)->operation(__VA_ARGS__), false))

static const uint64_t second = 1000000000, grace = 500000000; /* a loaded machine */

/* init; the extension's table. */
static const struct ptowsp_fences_extension *table_of(struct conform *c)
{
	const struct ptowsp_fences_extension *table;

	conform_init(c);
	table = c->plugin->minor >= 1 ? c->plugin->ops.extension(c->instance, PTOWSP_EXTENSION_FENCES) : NULL;
	if (!table)
		conform_skip(c, "it has no %s: the host keeps fences itself", PTOWSP_EXTENSION_FENCES);
	CONFORM_MUST(c,
		     table->head.size >= sizeof(*table) && table->head.type == PTOWSP_STRUCT_EXTENSION && table->create && table->destroy && table->signal &&
			     table->read && table->wait,
		     "%s has no head, or a hole (PL2)", PTOWSP_EXTENSION_FENCES);
	return table;
}

static struct ptowsp_object *create(struct conform *c, const struct ptowsp_fences_extension *table, uint64_t value)
{
	struct ptowsp_object *fence = NULL;

	conform_ok(c, CALL(c, table, create, c->device, value, &fence, &c->error), "create of a fence");
	CONFORM_MUST(c, fence, "create answered 0 and left no fence");
	return fence;
}

static void destroy(struct conform *c, const struct ptowsp_fences_extension *table, struct ptowsp_object *fence)
{
	conform_ok(c, CALL(c, table, destroy, fence, &c->error), "destroy of a fence that nobody waits for");
}

static void expect(struct conform *c, const struct ptowsp_fences_extension *table, struct ptowsp_object *fence, uint64_t value, const char *when)
{
	uint64_t is = ~value;

	conform_ok(c, CALL(c, table, read, fence, &is, &c->error), "read of a fence");
	CONFORM_MUST(c, is == value, "a fence is %llu %s, not %llu (PL14)", (unsigned long long)is, when, (unsigned long long)value);
}

static void failed(struct conform *c, const struct ptowsp_fences_extension *table, struct ptowsp_object *fence, ptowsp_status status, const char *when)
{
	uint64_t is = 0;
	const ptowsp_status said = CALL(c, table, read, fence, &is, &c->error);

	CONFORM_MUST(c, said == status, "read of a fence %s answered %s, not %s (PL14)", when, reg_status_name(said), reg_status_name(status));
}

/* A run of the program that waits for one fence and signals another; NULL: for none, none. */
static struct conform_token *submit(struct conform *c, const struct conform_program *p, struct ptowsp_object *waits, struct ptowsp_object *signals,
				    uint64_t value, uint64_t deadline_ns)
{
	const struct ptowsp_fence_point wait = {waits, value}, signal = {signals, value};
	struct ptowsp_run_args args = conform_program_run(p, 0);
	struct conform_token *token;

	args.deadline_ns = deadline_ns;
	args.waits = waits ? conform_lend_copy(c, &wait, sizeof(wait)) : NULL;
	args.signals = signals ? conform_lend_copy(c, &signal, sizeof(signal)) : NULL;
	args.wait_count = waits != NULL;
	args.signal_count = signals != NULL;
	args.wait_stride = args.signal_stride = sizeof(wait);
	token = conform_submit(c, c->device, &args);
	CONFORM_MUST(c, token, "a run with fences was refused: %.200s", c->error.text);
	conform_take_back(c);
	return token;
}

static void ends(struct conform *c, const struct conform_token *token, ptowsp_status status, const char *what)
{
	CONFORM_MUST(c, conform_wait(c, c->device, token, 10 * second), "%s did not end within 10 s (PL14)", what);
	CONFORM_MUST(c, atomic_load(&token->status) == status, "%s ended as %s, not %s (PL14)", what, reg_status_name(atomic_load(&token->status)),
		     reg_status_name(status));
}

/* ---- values -------------------------------------------------------------------------------------------------------------- */

void conform_test_fences_count_up(struct conform *c)
{
	enum { STEPS = 24 };
	const struct ptowsp_fences_extension *table = table_of(c);
	struct ptowsp_object *fence, *other;
	uint64_t value = 3;

	conform_open(c, 1);
	fence = create(c, table, value);
	other = create(c, table, UINT64_MAX);
	for (unsigned i = 0; i < STEPS; i++) {
		expect(c, table, fence, value, "behind values that only grew");
		conform_refused(c, CALL(c, table, signal, fence, value - 1, &c->error), PTOWSP_INVALID, 0, "signal of less than a fence has");
		expect(c, table, fence, value, "behind a signal of less");
		conform_ok(c, CALL(c, table, wait, fence, value, 0, &c->error), "wait for a value that is reached");
		value += common_mix(c->seed + i) >> (i % 2 ? 8 : 60);
		conform_ok(c, CALL(c, table, signal, fence, value, &c->error), "signal of as much or more than a fence has");
	}
	expect(c, table, other, UINT64_MAX, "that nobody signalled");
	destroy(c, table, other);
	destroy(c, table, fence);
	conform_close(c);
}

void conform_test_fence_wait_returns_in_time(struct conform *c)
{
	const struct ptowsp_fences_extension *table = table_of(c);
	struct ptowsp_object *fence;
	uint64_t until;

	conform_open(c, 1);
	fence = create(c, table, 0);
	for (int i = 0; i < 20; i++) {
		until = i & 1 ? 0 : host_now_ns();
		conform_refused(c, CALL(c, table, wait, fence, 1, until, &c->error), PTOWSP_AGAIN, 0, "wait with a time that is past");
		CONFORM_MUST(c, c->took_ns < grace, "wait with a time that is past took %.1f s (PL10)", (double)c->took_ns / 1e9);
	}
	until = host_now_ns() + second / 20;
	conform_refused(c, CALL(c, table, wait, fence, 1, until, &c->error), PTOWSP_AGAIN, 0, "wait for a value that nobody signals");
	CONFORM_MUST(c, host_now_ns() >= until, "wait answered AGAIN before its time (PL14)");
	CONFORM_MUST(c, c->took_ns < second / 20 + grace, "wait until 50 ms from then took %.1f s (PL10)", (double)c->took_ns / 1e9);
	destroy(c, table, fence);
	conform_close(c);
}

/* ---- runs -------------------------------------------------------------------------------------------------------------- */

void conform_test_fences_fail_for_ever(struct conform *c)
{
	const struct ptowsp_fences_extension *table = table_of(c);
	struct ptowsp_object *never, *first, *last;
	struct conform_token *behind;
	struct conform_program p;

	conform_begin(c, &p, 1);
	never = create(c, table, 0);
	first = create(c, table, 0);
	last = create(c, table, 5);
	behind = submit(c, &p, first, last, 1, 0);
	ends(c, submit(c, &p, never, first, 1, host_now_ns() + second / 100), PTOWSP_DEADLINE, "a run that waits beyond its deadline");
	ends(c, behind, PTOWSP_RUN_FAILED, "a run that waits for a fence that fails");
	failed(c, table, first, PTOWSP_DEADLINE, "that a late run signals");
	failed(c, table, last, PTOWSP_RUN_FAILED, "whose run waits for one that failed");
	conform_refused(c, CALL(c, table, signal, first, 9, &c->error), PTOWSP_DEADLINE, 0, "signal of a fence that has failed");
	conform_refused(c, CALL(c, table, wait, first, 1, host_now_ns() + 30 * second, &c->error), PTOWSP_DEADLINE, 0, "wait for a fence that has failed");
	ends(c, submit(c, &p, first, NULL, 0, 0), PTOWSP_RUN_FAILED, "a run that waits for a fence that has failed");
	failed(c, table, first, PTOWSP_DEADLINE, "that failed long ago");
	destroy(c, table, never);
	destroy(c, table, first);
	destroy(c, table, last);
	ends(c, submit(c, &p, NULL, NULL, 0, 0), PTOWSP_OK, "a run without fences");
	conform_program_unload(c, &p);
	conform_close(c);
}

void conform_test_waiting_runs_end(struct conform *c)
{
	const struct ptowsp_fences_extension *table = table_of(c);
	struct conform_token *waiting;
	struct conform_program p;
	struct ptowsp_object *never, *go;

	conform_begin(c, &p, 1);
	never = create(c, table, 0);
	go = create(c, table, 0);
	ends(c, submit(c, &p, never, NULL, 1, host_now_ns() + second / 20), PTOWSP_DEADLINE, "a run that waits beyond its deadline");
	if (conform_claim(c, PTOWSP_FEATURE_CANCEL) >= PTOWSP_STATE_ENFORCED) {
		waiting = submit(c, &p, never, NULL, 1, 0);
		conform_ok(c, CONFORM_CALL(c, cancel, c->device, waiting->token, &c->error), "cancel of a run that waits");
		ends(c, waiting, PTOWSP_CANCELLED, "a cancelled run that waits");
	}
	waiting = submit(c, &p, go, NULL, 2, 0);
	conform_ok(c, CALL(c, table, signal, go, 1, &c->error), "signal of less than a run waits for");
	CONFORM_MUST(c, !conform_wait(c, c->device, waiting, second / 50), "a run began before the fence that it waits for was reached (PL14)");
	conform_refused(c, CALL(c, table, destroy, go, &c->error), PTOWSP_INVALID, 0, "destroy of a fence that a run waits for");
	conform_ok(c, CALL(c, table, signal, go, 7, &c->error), "signal of more than a run waits for");
	ends(c, waiting, PTOWSP_OK, "a run whose fence is reached");
	destroy(c, table, go);
	destroy(c, table, never);
	conform_program_unload(c, &p);
	conform_close(c);
}

/* Runs of which each waits for the one that is submitted behind it; whatever its end is, its value is there. */
void conform_test_signals_come_before_done(struct conform *c)
{
	enum { RUNS = 8 };
	const struct ptowsp_fences_extension *table = table_of(c);
	struct ptowsp_object *fences[RUNS + 1];
	struct conform_token *tokens[RUNS];
	struct conform_program p;

	conform_begin(c, &p, 1);
	for (unsigned i = 0; i <= RUNS; i++)
		fences[i] = create(c, table, i % 2);
	for (unsigned i = RUNS; i-- > 0;)
		tokens[i] = submit(c, &p, fences[i], fences[i + 1], 5, 0);
	conform_ok(c, CALL(c, table, signal, fences[0], 5, &c->error), "signal of what the first of several runs waits for");
	for (unsigned i = 0; i < RUNS; i++) {
		ends(c, tokens[i], PTOWSP_OK, "a run of several that wait for each other");
		expect(c, table, fences[i + 1], 5, "when the run that signals it is done");
	}
	ends(c, submit(c, &p, NULL, fences[0], 4, 0), PTOWSP_OK, "a run that signals less than a fence has");
	expect(c, table, fences[0], 5, "behind a run that signals less");
	for (unsigned i = 0; i <= RUNS; i++)
		destroy(c, table, fences[i]);
	conform_program_unload(c, &p);
	conform_close(c);
}
#endif
