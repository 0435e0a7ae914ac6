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

ptowsp_status aie_check(const struct aie_design *design, bool proven, struct ptowsp_error *error)
{
	ptowsp_status status = aie_check_bodies(design, error);

	if (!status)
		status = aie_check_recursion(design, error);
	if (!status)
		status = aie_check_stacks(design, error);
	if (!status)
		status = aie_check_held(design, error);
	if (!status)
		status = aie_check_uses(design, error);
	if (!status)
		status = aie_check_walks(design, error);
	if (!status)
		status = aie_check_host(design, error);
	if (!status)
		status = aie_check_counts(design, error);
	if (!status && !proven)
		status = aie_check_rings(design, error);
	return status;
}
