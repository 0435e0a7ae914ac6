/* SPDX-License-Identifier: MIT
 * test_breach.c - what checking layers say of breaches: how many of them, of which side, and the verdict at the end. */
#include "host/call/answer.h"
#include "host/layers/breach.h"
#include "registry/names.h"
#include "tests/check.h"

#include <string.h>

static unsigned lines;
static char last[256];

static void hear(void *context, int32_t level, const char *text)
{
	CHECK(context == &lines);
	CHECK_INT(level, PTOWSP_LOG_ERROR);
	snprintf(last, sizeof(last), "%s", text);
	lines++;
}

static const struct host_operation operation = {.name = "init"};
static const struct host_call call = {.operation = &operation};

static void begin(struct host_breaches *b)
{
	lines = 0;
	host_breaches_init(b, "odd", hear, &lines);
}

TEST(twenty_breaches_are_said_and_all_are_counted)
{
	struct host_breaches b;

	begin(&b);
	for (int i = 1; i <= 25; i++)
		host_breach(&b, HOST_SIDE_PLUGIN, "R1", &call, "breach %d", i);
	CHECK_UINT(lines, 20);
	CHECK_STR(last, "plugin odd broke R1 in init: breach 20");
	CHECK_UINT(b.count, 25);
	host_breaches_finish(&b);
	host_breach(NULL, HOST_SIDE_PLUGIN, "R1", &call, "nobody listens");
	CHECK_UINT(lines, 20);
}

TEST(the_verdict_is_the_first_breach_with_its_side)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct host_breaches b;

	begin(&b);
	CHECK_INT(host_breaches_verdict(&b, &error), PTOWSP_OK);
	host_breach(&b, HOST_SIDE_HOST, "R2", &call, "the first");
	host_breach(&b, HOST_SIDE_PLUGIN, "R1", &call, "the second");
	CHECK_INT(host_breaches_verdict(&b, &error), PTOWSP_RUN_FAILED);
	CHECK_STR(error.text, "the host broke R2 in init: the first");
	CHECK_UINT(error.flags, PTOWSP_ERROR_HOST_BUG);
	CHECK_INT(host_breaches_verdict(&b, NULL), PTOWSP_RUN_FAILED);
	host_breaches_finish(&b);
	begin(&b);
	host_breach(&b, HOST_SIDE_PLUGIN, "R1", &call, "the second");
	CHECK_INT(host_breaches_verdict(&b, &error), PTOWSP_DEVICE_LOST);
	CHECK_UINT(error.flags, PTOWSP_ERROR_PLUGIN_BUG);
	host_breaches_finish(&b);
}

TEST(the_first_failure_of_a_layer_counts_where_nobody_broke_a_rule)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct host_breaches b;

	begin(&b);
	host_breaches_fail(&b, PTOWSP_IO, "the log is full after %d calls", 3);
	host_breaches_fail(&b, PTOWSP_NO_MEMORY, "later");
	CHECK_UINT(lines, 1);
	CHECK_INT(host_breaches_verdict(&b, &error), PTOWSP_IO);
	CHECK_STR(error.text, "the log is full after 3 calls");
	CHECK_UINT(error.flags, 0);
	host_breach(&b, HOST_SIDE_PLUGIN, "R1", &call, "more than that");
	CHECK_INT(host_breaches_verdict(&b, &error), PTOWSP_DEVICE_LOST);
	host_breaches_finish(&b);
	host_breaches_init(&b, "odd", NULL, NULL);
	host_breach(&b, HOST_SIDE_PLUGIN, "R1", &call, "nobody listens");
	host_breaches_fail(&b, PTOWSP_IO, "nobody listens");
	CHECK_UINT(lines, 2);
	host_breaches_finish(&b);
}

/* ---- what a plugin answers, held against facts ---- */

static void answers(ptowsp_status status, struct host_cause cause, ptowsp_status expected)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR), .text = "hostile"};

	cause.plugin = "null";
	cause.operation = "load";
	CHECK_INT(host_answer(&cause, status, &error), expected);
	if (status == expected)
		CHECK_STR(error.text, "hostile");
	else
		CHECK_STR(error.text, check_fmt("null answers load with %s: hostile", reg_status_name(status)));
}

TEST(statuses_about_the_caller_need_a_fact)
{
	const struct host_cause none = {0}, chosen = {.chosen = true}, cancelled = {.cancelled = true}, late = {.late = true},
				all = {.chosen = true, .cancelled = true, .late = true};
	static const ptowsp_status settings[] = {PTOWSP_INVALID, PTOWSP_NOT_FOUND, PTOWSP_IO};

	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		answers(settings[i], none, PTOWSP_RUN_FAILED);
		answers(settings[i], cancelled, PTOWSP_RUN_FAILED);
		answers(settings[i], chosen, settings[i]);
	}
	answers(PTOWSP_CANCELLED, chosen, PTOWSP_RUN_FAILED);
	answers(PTOWSP_CANCELLED, cancelled, PTOWSP_CANCELLED);
	answers(PTOWSP_DEADLINE, chosen, PTOWSP_RUN_FAILED);
	answers(PTOWSP_DEADLINE, late, PTOWSP_DEADLINE);
	answers(PTOWSP_MISMATCH, all, PTOWSP_RUN_FAILED);
	answers(PTOWSP_BAD_PACKAGE, none, PTOWSP_BAD_PACKAGE);
}
