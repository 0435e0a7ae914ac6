/* SPDX-License-Identifier: MIT */
/* test_memory.c - memory, threads and descriptors that a plugin takes, and pointers that it is lent. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "registry/names.h"
#include "tools/conform/conform.h"
#include "tools/conform/conform_process.h"
#include "tools/conform/packages.h"

void conform_test_fini_returns_everything(struct conform *c)
{
	static struct conform_process before;
	struct conform_program p;
	uint32_t own; /* not 1 where an emulator has threads of its own */

	conform_proc_need(c);
	own = conform_thread_count();
	conform_program_choose(c, &p, conform_short_programs);
	conform_load(c);
	for (int i = 0; i < 2; i++) { /* memory for all lives was made in the first */
		if (i)
			conform_process_look(&before);
		conform_open(c, 4);
		conform_ok(c, conform_program_load(c, c->device, &p), "load of a package that its rows allow");
		conform_ok(c, conform_run(c, c->device, &p, 0, 0), "a run of it");
		conform_program_unload(c, &p);
		conform_close(c);
		for (int wait = 0; wait < 100 && conform_thread_count() > own; wait++)
			usleep(1000); /* a joined thread may stand in /proc for a moment */
		CONFORM_MUST_BUT(c, PTOWSP_DRIVER_THREADS, conform_thread_count() <= own, "fini returned, and threads of it are still there: %u (PL9)",
				 conform_thread_count() - own);
	}
	conform_process_compare_strict(c, &before, "a life from init to fini");
}

/* ---- allocations that fail -------------------------------------------------------------------------------------- */

/* An answer while memory runs out: it went well, or says that it ran out. */
static bool went(struct conform *c, ptowsp_status status)
{
	CONFORM_MUST(c, !status || status == PTOWSP_NO_MEMORY, "allocation %llu failed, and %s answered %s, not NO_MEMORY: %.200s",
		     (unsigned long long)c->services.fail_at, c->record->operation, reg_status_name(status), c->error.text);
	return !status;
}

static void run_try(struct conform *c, struct conform_program *p)
{
	struct ptowsp_run_args args = conform_program_run(p, 0);
	struct conform_token *token = conform_token_make(&c->services);
	ptowsp_status status;

	if (!token)
		conform_tokens_forget(&c->services), token = conform_token_make(&c->services);
	args.token = token->token;
	status = CONFORM_CALL(c, submit, c->device, &args, &c->error);
	conform_token_answer(&c->services, token, status);
	if (!went(c, status))
		return;
	CONFORM_MUST(c, conform_wait(c, c->device, token, UINT64_C(20000000000)),
		     "allocation %llu failed, and an accepted run was not completed within 20 s (PL5)", (unsigned long long)c->services.fail_at);
	snprintf(c->record->operation, sizeof(c->record->operation), "done");
	went(c, token->status);
}

/* A whole life in which allocation `fail_at` gets nothing; true: it was reached. */
static bool life_try(struct conform *c, struct conform_program *p, uint64_t fail_at)
{
	struct ptowsp_init_args init = conform_init_args(c);
	struct ptowsp_open_args open = {.head = PTOWSP_HEAD(open, OPEN_ARGS), .threads = 1};
	struct conform_services *s = &c->services;

	atomic_store(&s->allocations, 0);
	atomic_store(&s->failed, 0);
	atomic_store(&s->fail_at, fail_at);
	if (fail_at)
		conform_about(c, "NULL from call %llu of host->alloc", (unsigned long long)fail_at);
	c->instance = c->device = NULL;
	if (went(c, CONFORM_CALL(c, init, &s->table, &init, &c->instance, &c->error))) {
		if (went(c, CONFORM_CALL(c, open, c->instance, &open, &c->device, &c->error)) && went(c, conform_program_load(c, c->device, p)))
			run_try(c, p);
		conform_program_unload(c, p);
	}
	conform_close(c);
	CONFORM_MUST(c, !s->blocks, "allocation %llu failed, and %llu bytes in %llu pieces were never returned (PL9)", (unsigned long long)fail_at,
		     (unsigned long long)s->bytes, (unsigned long long)s->blocks);
	return s->failed > 0;
}

void conform_test_each_allocation_fails_in_turn(struct conform *c)
{
	struct conform_program p;
	uint64_t at = 1;

	conform_smallest(c, &p);
	conform_open(c, 1); /* skips where there is no device */
	conform_close(c);
	while (life_try(c, &p, at))
		CONFORM_MUST(c, ++at < 100000, "the smallest package takes more than 100000 allocations");
	CONFORM_MUST(c, !life_try(c, &p, 0), "a life after all those failed");
}

/* ---- lent memory ------------------------------------------------------------------------------------------------ */

static void *lend_text(struct conform *c, const char *text)
{
	size_t size = (strlen(text) + 8) / 8 * 8;
	char *copy = conform_lend(c, size);

	memset(copy, 0, size);
	return strcpy(copy, text);
}

/* With room for all of them: what an answer of MORE leaves in the rows is nothing. */
static const char *first_device(struct conform *c)
{
	const struct ptowsp_device *rows[64];
	uint32_t count = 64;

	conform_ok(c, CONFORM_CALL(c, devices, c->instance, rows, &count, &c->error), "the list of devices");
	CONFORM_MUST(c, count, "it lists no device");
	return rows[0]->name;
}

static void open_lent(struct conform *c)
{
	struct ptowsp_open_args open = {.head = PTOWSP_HEAD(open, OPEN_ARGS), .selector = lend_text(c, first_device(c)), .threads = 2};
	ptowsp_status status = CONFORM_CALL(c, open, c->instance, conform_lend_copy(c, &open, sizeof(open)), &c->device, &c->error);

	if (status == PTOWSP_NO_DEVICE)
		conform_skip(c, "its device is not there: %s", c->error.text);
	conform_ok(c, status, "open of the first device by its name");
	conform_take_back(c);
}

/* Section data stay until unload; the rows that point to them do not. */
static void load_lent(struct conform *c, struct conform_program *p)
{
	for (uint32_t i = 0; i < p->section_count; i++) {
		struct ptowsp_section *s = &p->sections[i];
		size_t bytes = (size_t)(s->count * s->stride);

		if (!bytes)
			continue;
		s->data = memcpy(conform_lend(c, (bytes + 63) / 64 * 64), s->data, bytes);
	}
	c->taken = c->lent_count; /* none is taken back yet */
	p->load.sections = conform_lend_copy(c, p->sections, p->section_count * sizeof(*p->sections));
	conform_ok(c, CONFORM_CALL(c, load, c->device, conform_lend_copy(c, &p->load, sizeof(p->load)), &p->object, &c->error),
		   "load of a package that its rows allow");
	conform_take_back(c);
}

static void run_lent(struct conform *c, struct conform_program *p)
{
	struct ptowsp_run_args args = conform_program_run(p, 0);
	struct conform_token *token = conform_token_make(&c->services);
	ptowsp_status status;

	args.token = token->token;
	args.bindings = conform_lend_copy(c, p->bindings, p->binding_count * sizeof(*p->bindings));
	args.values = conform_lend_copy(c, p->values, p->value_count * sizeof(*p->values));
	status = CONFORM_CALL(c, submit, c->device, conform_lend_copy(c, &args, sizeof(args)), &c->error);
	conform_token_answer(&c->services, token, status);
	conform_ok(c, status, "submit of arguments that are then unreadable");
	conform_take_back(c);
	CONFORM_MUST(c, conform_wait(c, c->device, token, UINT64_C(60000000000)), "an accepted run was not completed within 60 s (PL5)");
	CONFORM_MUST(c, !token->status, "a run whose arguments were unreadable after submit ended as %s (PL11)", reg_status_name(token->status));
}

void conform_test_lent_memory_is_not_kept(struct conform *c)
{
	struct conform_program p;

	conform_program_choose(c, &p, conform_short_programs);
	conform_load(c);
	conform_services_speak(&c->services, c->plugin->minor);
	{
		struct ptowsp_init_args init = conform_init_args(c);

		conform_ok(c, CONFORM_CALL(c, init, &c->services.table, conform_lend_copy(c, &init, sizeof(init)), &c->instance, &c->error), "start");
		conform_take_back(c);
	}
	open_lent(c);
	load_lent(c, &p);
	for (int i = 0; i < 5; i++)
		run_lent(c, &p);
	conform_program_unload(c, &p);
	for (uint32_t i = 0; i < c->lent_count; i++) /* the sections too */
		conform_take_back(c);
	conform_close(c);
}
