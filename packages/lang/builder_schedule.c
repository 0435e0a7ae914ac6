/* SPDX-License-Identifier: MIT */
/* builder_schedule.c - directives of the schedule, and what the package needs. */
#include "lang/build.h"

#include "format/format_names.h"

#include <stdio.h>
#include <string.h>

uint32_t ptowsp_build_directive(struct ptowsp_build *b, const char *directive, const char *policy)
{
	BUILD_CALL(b);
	struct ptowsp_directive_record row = {.directive = (uint16_t)build_word(b, PKG_WORDS_directive, directive)};
	const struct pkg_policy *found = pkg_policy_find(row.directive, policy && *policy ? policy : NULL);
	char known[256];

	if (!found) {
		pkg_policy_list(row.directive, known, sizeof(known));
		build_refuse(b, "\"%.40s\" is no policy of %s; known: %s", policy ? policy : "", directive, known);
	}
	row.policy = found->policy;
	*BUILD_PUSH(b, directives, directive) = row;
	return build_handle(b, BUILD_DIRECTIVE, b->directive_count - 1);
}

static uint32_t argument_add(struct ptowsp_build *b, uint32_t handle, uint64_t kind, int64_t value)
{
	struct ptowsp_directive_record *row = &b->directives[build_row(b, BUILD_DIRECTIVE, handle)];
	int64_t *const places[] = {&row->a0, &row->a1, &row->a2, &row->a3, &row->a4, &row->a5, &row->a6, &row->a7};
	const struct pkg_policy *policy = pkg_policy(row->directive, row->policy);

	if (row->count >= policy->most || row->count >= 8)
		build_refuse(b, "%s %s takes at most %u argument%s", pkg_word(PKG_WORDS_directive, row->directive),
			     pkg_policy_text(policy).text, policy->most, policy->most == 1 ? "" : "s");
	*places[row->count] = value;
	row->kinds |= kind << 8 * row->count;
	row->count++;
	return BUILD_DONE;
}

uint32_t ptowsp_build_directive_number(struct ptowsp_build *b, uint32_t directive, int64_t value)
{
	BUILD_CALL(b);
	return argument_add(b, directive, PTOWSP_ARGUMENT_NUMBER, value);
}

uint32_t ptowsp_build_directive_word(struct ptowsp_build *b, uint32_t directive, const char *word)
{
	BUILD_CALL(b);
	return argument_add(b, directive, PTOWSP_ARGUMENT_WORD, build_string(b, word));
}

uint32_t ptowsp_build_directive_expr(struct ptowsp_build *b, uint32_t directive, uint32_t expr)
{
	BUILD_CALL(b);
	return argument_add(b, directive, PTOWSP_ARGUMENT_EXPR, build_expr(b, expr));
}

uint32_t ptowsp_build_directive_must(struct ptowsp_build *b, uint32_t directive)
{
	BUILD_CALL(b);
	b->directives[build_row(b, BUILD_DIRECTIVE, directive)].flags |= PTOWSP_DIRECTIVE_MUST;
	return BUILD_DONE;
}

uint32_t ptowsp_build_require(struct ptowsp_build *b, const char *feature, uint32_t state)
{
	BUILD_CALL(b);
	struct ptowsp_requirement_record row = {.state = (uint16_t)state};

	if (!feature || !pkg_feature_find(feature, &row.feature))
		build_refuse(b, "\"%.60s\" is no feature: \"opcode task\", \"directive dispatch round_robin\", \"payload pto\", \"total_cycles\"", feature ? feature : "");
	if (!state || state > 3)
		build_refuse(b, "state %u: 1 is diagnosed, 2 recorded, 3 enforced", state);
	*BUILD_PUSH(b, requirements, requirement) = row;
	return BUILD_DONE;
}
