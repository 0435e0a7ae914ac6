/* SPDX-License-Identifier: MIT */
#include "aie/design/check_parts.h"

#include "base/error.h"
#include <stdarg.h>
#include <stdio.h>

static const struct aie_rule_row rows[] = {
#define X(id, number, text, source) {#id, number, text, source},
#include "aie/design/aie_check.def"
#undef X
};

const struct aie_rule_row *aie_rule_row(enum aie_rule rule)
{
	return &rows[rule];
}

ptowsp_status aie_rule_fail(struct ptowsp_error *error, ptowsp_status code, const struct aie_op *op, enum aie_rule rule, const char *format, ...)
{
	char sentence[sizeof(error->text)];
	va_list list;

	va_start(list, format);
	vsnprintf(sentence, sizeof(sentence), format, list);
	va_end(list);
	return base_fail(error, code, "%u:%u: %s: %.170s (rule %s)", op->line, op->column, op->name, sentence, rows[rule].number);
}

void aie_check_leave(struct aie_check_job *check, ptowsp_status status)
{
	check->status = status;
	longjmp(check->out, 1);
}

void aie_check_fail(struct aie_check_job *check, const struct aie_op *op, enum aie_rule rule, const char *format, ...)
{
	char sentence[sizeof(check->error->text)];
	va_list list;

	va_start(list, format);
	vsnprintf(sentence, sizeof(sentence), format, list);
	va_end(list);
	aie_check_leave(check, aie_rule_fail(check->error, PTOWSP_INVALID, op, rule, "%s", sentence));
}

static void all_check(void *context)
{
	struct aie_check_job *check = context;

	aie_check_bodies(check->design, check);
	aie_check_recursion(check->design, check);
	aie_check_stacks(check->design, check);
	aie_check_held(check->design, check);
	aie_check_uses(check->design, check);
	aie_check_walks(check->design, check);
	aie_check_host(check->design, check);
	aie_check_counts(check->design, check);
	if (!check->proven)
		aie_check_rings(check->design, check);
}

static void rings_check(void *context)
{
	struct aie_check_job *check = context;

	aie_check_rings(check->design, check);
}

static ptowsp_status job_run(struct aie_check_job *check, void (*job)(void *), struct ptowsp_error *error)
{
	struct ptowsp_error own = {.head = PTOWSP_HEAD(own, ERROR)};

	check->error = error ? error : &own;
	common_arena_init(&check->arena, SIZE_MAX, &check->out);
	if (!common_job(&check->out, job, check) && !check->status)
		check->status = base_fail(error, PTOWSP_NO_MEMORY, "there is no memory to check a design");
	common_arena_finish(&check->arena);
	return check->status;
}

ptowsp_status aie_check(const struct aie_design *design, bool proven, struct ptowsp_error *error)
{
	struct aie_check_job check = {.design = design, .proven = proven};

	return job_run(&check, all_check, error);
}

ptowsp_status aie_check_streams(const struct aie_design *design, struct ptowsp_error *error)
{
	struct aie_check_job check = {.design = design};

	return job_run(&check, rings_check, error);
}
