/* SPDX-License-Identifier: MIT */
/* verify_schedule.c - directives of the schedule. */
#include "format/verify/verify.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(condition, ...) PKG_MUST(&c->place, condition, __VA_ARGS__)

static ptowsp_status argument_check(const struct pkg_check *c, uint32_t i, uint32_t k, int64_t value, uint64_t kind)
{
	const struct pkg_tables *t = c->tables;

	MUST(kind <= PTOWSP_ARGUMENT_EXPR, "SCHD[%u].kinds: argument %u has kind %u; known: 0 number, 1 word, 2 expression", (unsigned)i, (unsigned)k,
	     (unsigned)kind);
	if (kind == PTOWSP_ARGUMENT_WORD)
		MUST(value >= 0 && pkg_verify_is_string(c, (uint64_t)value), "SCHD[%u].a%u is %lld, which is no string of STRS", (unsigned)i, (unsigned)k,
		     (long long)value);
	if (kind == PTOWSP_ARGUMENT_EXPR)
		MUST(value >= 0 && value < (int64_t)t->expr_count, "SCHD[%u].a%u is %lld, EXPR has %u rows", (unsigned)i, (unsigned)k, (long long)value,
		     (unsigned)t->expr_count);
	return PTOWSP_OK;
}

/* A loop of the package, or one of the words: a name that is neither would hold nothing back. */
static int is_domain(const struct pkg_tables *t, const char *name)
{
	static const char *const words[] = {"global", "stream", "pool"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(name, words[i]))
			return 1;
	for (uint32_t i = 0; i < t->axis_count; i++)
		if (*name && !strcmp(name, pkg_string(t, t->axis[i].name)))
			return 1;
	return 0;
}

static ptowsp_status domain_check(const struct pkg_check *c, uint32_t i)
{
	const struct ptowsp_directive_record *d = &c->tables->directive[i];
	int named = d->directive == PTOWSP_DIRECTIVE_PIPELINE_DEPTH && d->count == 2 && (d->kinds & 0xFF) == PTOWSP_ARGUMENT_WORD;

	MUST(!named || is_domain(c->tables, pkg_string(c->tables, (uint32_t)d->a0)),
	     "SCHD[%u]: pipeline_depth names the domain \"%.40s\", and no loop of the package has that name; known: global, stream, pool, or a loop",
	     (unsigned)i, pkg_string(c->tables, (uint32_t)d->a0));
	return PTOWSP_OK;
}

static ptowsp_status directive_check(const struct pkg_check *c, uint32_t i)
{
	const struct ptowsp_directive_record *d = &c->tables->directive[i];
	const int64_t values[8] = {d->a0, d->a1, d->a2, d->a3, d->a4, d->a5, d->a6, d->a7};
	const struct pkg_policy *policy = pkg_policy(d->directive, d->policy);
	ptowsp_status status = PTOWSP_OK;
	char known[128], most[16];

	pkg_policy_list(d->directive, known, sizeof(known));
	MUST(policy, "SCHD[%u].policy is %u: %s has no such policy; known: %s", (unsigned)i, (unsigned)d->policy, pkg_word(PKG_WORDS_directive, d->directive),
	     known);
	most[0] = 0;
	if (policy && policy->least != policy->most)
		snprintf(most, sizeof(most), " to %u", policy->most);
	MUST(d->count >= policy->least && d->count <= policy->most, "SCHD[%u].count is %u: %s %s takes %u%s arguments", (unsigned)i, (unsigned)d->count,
	     pkg_word(PKG_WORDS_directive, d->directive), pkg_policy_text(policy).text, policy->least, most);
	for (uint32_t k = 0; k < 8 && !status; k++) {
		uint64_t kind = d->kinds >> 8 * k & 0xFF;

		if (k < d->count)
			status = argument_check(c, i, k, values[k], kind);
		else
			MUST(!kind && !values[k], "SCHD[%u].a%u: behind the last argument there must be zeros", (unsigned)i, (unsigned)k);
	}
	return status ? status : domain_check(c, i);
}

/* --- layouts --- */

/* As the package names it, or as its own entry does: what stands behind the last point. */
static bool is_called(const struct pkg_tables *t, const struct ptowsp_tensor_record *x, uint32_t entry, const char *name)
{
	const char *full = pkg_string(t, x->name), *point = strrchr(full, '.');

	return !strcmp(full, name) || (point && x->entry != PTOWSP_NONE && (entry == PTOWSP_NONE || x->entry == entry) && !strcmp(point + 1, name));
}

/* The axis of the grid that a word of a layout means, -1 for R; -2: it means none. */
static int axis_of(const char *word)
{
	static const char *const words[] = {"R", "S0", "S1", "S(0)", "S(1)"};

	for (int i = 0; i < 5; i++)
		if (!strcmp(word, words[i]))
			return i ? (i - 1) % 2 : -1;
	return -2;
}

/* A policy of dispatch threshold that is one, among the words that are policies. */
static bool threshold_has_grid(const struct pkg_tables *t, const struct ptowsp_directive_record *d)
{
	const int64_t values[8] = {d->a0, d->a1, d->a2, d->a3, d->a4, d->a5, d->a6, d->a7};

	for (unsigned k = 1; k < d->count && k < 8; k += 2)
		if ((d->kinds >> 8 * k & 0xFF) == PTOWSP_ARGUMENT_WORD && strstr(pkg_string(t, (uint32_t)values[k]), "spatial_map("))
			return true;
	return false;
}

static int has_grid(const struct pkg_tables *t)
{
	for (uint32_t i = 0; i < t->directive_count; i++) {
		const struct ptowsp_directive_record *d = &t->directive[i];

		if (d->directive == PTOWSP_DIRECTIVE_SPATIAL_MAP)
			return 1;
		if (d->directive == PTOWSP_DIRECTIVE_DISPATCH &&
		    (d->policy == PTOWSP_DISPATCH_GRID || (d->policy == PTOWSP_DISPATCH_THRESHOLD && threshold_has_grid(t, d))))
			return 1;
	}
	return 0;
}

/* The words behind the tensor's name. */
static int dimensions_wrong(const struct pkg_tables *t, const struct ptowsp_directive_record *d, const char *name, char *text)
{
	const int64_t values[8] = {d->a0, d->a1, d->a2, d->a3, d->a4, d->a5, d->a6, d->a7};
	unsigned cut = 0;

	for (unsigned k = 1; k < d->count && k < 8; k++) {
		int named = (d->kinds >> 8 * k & 0xFF) == PTOWSP_ARGUMENT_WORD;
		int axis = named ? axis_of(pkg_string(t, (uint32_t)values[k])) : -2;

		if (axis == -2)
			return snprintf(text, PKG_LAYOUT_WRONG, "layout of tensor %.60s: dimension %u is %s%.20s%s; write R, S0 or S1", name, k - 1,
					named ? "\"" : "", named ? pkg_string(t, (uint32_t)values[k]) : "a number", named ? "\"" : "");
		if (axis >= 0 && cut & 1u << axis)
			return snprintf(text, PKG_LAYOUT_WRONG, "layout of tensor %.60s: two dimensions lie over axis %d of the grid; write R for one of them",
					name, axis);
		cut |= axis >= 0 ? 1u << axis : 0;
	}
	return 0;
}

int pkg_layout_wrong(const struct pkg_tables *t, uint32_t row, uint32_t entry, char *text)
{
	const struct ptowsp_directive_record *d = &t->directive[row];
	const struct ptowsp_tensor_record *x = NULL;
	const char *name;
	uint32_t rank;

	if (d->directive != PTOWSP_DIRECTIVE_LAYOUT)
		return 0;
	if ((d->kinds & 0xFF) != PTOWSP_ARGUMENT_WORD)
		return snprintf(text, PKG_LAYOUT_WRONG, "layout: its first argument is the name of a tensor");
	name = pkg_string(t, (uint32_t)d->a0);
	for (uint32_t i = 0; i < t->tensor_count && !x; i++)
		x = is_called(t, &t->tensor[i], entry, name) ? &t->tensor[i] : NULL;
	if (!x)
		return snprintf(text, PKG_LAYOUT_WRONG, "layout: there is no tensor \"%.80s\"; --explain of ptowsp-run lists them", name);
	rank = x->flags & PTOWSP_TENSOR_SHAPELESS ? 4 : x->dim_count;
	if (d->count - 1u > rank)
		return snprintf(text, PKG_LAYOUT_WRONG, "layout of tensor %.60s: of its %u dimension%s%s, %u are laid out; take words out", name, rank,
				rank == 1 ? "" : "s", x->flags & PTOWSP_TENSOR_SHAPELESS ? " at most" : "", d->count - 1u);
	if (!has_grid(t))
		return snprintf(text, PKG_LAYOUT_WRONG, "layout of tensor %.60s: spatial_map=R,C says over which grid shards lie, and is missing; add it",
				name);
	return dimensions_wrong(t, d, name, text);
}

static ptowsp_status layout_check(const struct pkg_check *c, uint32_t i)
{
	char text[PKG_LAYOUT_WRONG];

	MUST(!pkg_layout_wrong(c->tables, i, PTOWSP_NONE, text), "SCHD[%u]: %s", (unsigned)i, text);
	return PTOWSP_OK;
}

ptowsp_status pkg_verify_schedule(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; i < t->directive_count && !status; i++)
		status = directive_check(c, i);
	for (uint32_t i = 0; i < t->directive_count && !status; i++)
		status = layout_check(c, i);
	for (uint32_t i = 0; i < t->requirement_count && !status; i++)
		MUST(t->requirement[i].state >= 1 && t->requirement[i].state <= 3, "REQS[%u].state is %u: states are 1 to 3", (unsigned)i,
		     (unsigned)t->requirement[i].state);
	return status;
}
