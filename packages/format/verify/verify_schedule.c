/* SPDX-License-Identifier: MIT */
/* verify_schedule.c - what samples, pipelines and directives have to keep. */
#include "format/verify/verify.h"
#include "registry/common/common_dtype.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- sample data: one run of bytes per tensor, as large as it. ---- */

#define MUST(condition, ...) PKG_MUST(&c->place, condition, __VA_ARGS__)

/* Bytes of a sample, or 0 with *valid_out 0 if they do not fit into 64 bits. */
static uint64_t sample_bytes(const struct pkg_tables *t, const struct ptowsp_sample_record *s, int *valid_out)
{
	const uint64_t extents[4] = {s->extent0, s->extent1, s->extent2, s->extent3};
	uint64_t bytes = common_dtype_bytes(t->tensor[s->tensor].dtype);

	*valid_out = 1;
	for (uint32_t k = 0; k < s->rank && *valid_out; k++)
		if (__builtin_mul_overflow(bytes, extents[k], &bytes))
			*valid_out = 0;
	return bytes;
}

static ptowsp_status sample_check(const struct pkg_check *c, uint32_t i)
{
	const struct ptowsp_sample_record *s = &c->tables->sample[i];
	const uint64_t extents[4] = {s->extent0, s->extent1, s->extent2, s->extent3};
	uint64_t bytes;
	int valid;

	MUST(s->rank >= 1 && s->rank <= 4, "TDAT[%u].rank is %u: ranks are 1 to 4", (unsigned)i, (unsigned)s->rank);
	for (uint32_t k = s->rank; k < 4; k++)
		MUST(!extents[k], "TDAT[%u].extent%u is %llu: beyond the rank of %u it must be 0", (unsigned)i, (unsigned)k, (unsigned long long)extents[k],
		     (unsigned)s->rank);
	bytes = sample_bytes(c->tables, s, &valid);
	MUST(valid && bytes == s->size, "TDAT[%u].size is %llu: its extents and element type do not make that", (unsigned)i, (unsigned long long)s->size);
	MUST(s->offset % PKG_BLOB_ALIGNMENT == 0, "TDAT[%u].offset is %llu, which is no multiple of %u", (unsigned)i, (unsigned long long)s->offset,
	     PKG_BLOB_ALIGNMENT);
	return PTOWSP_OK;
}

static ptowsp_status samples_unique_check(const struct pkg_check *c, uint8_t *seen)
{
	const struct pkg_tables *t = c->tables;

	for (uint32_t i = 0; i < t->sample_count; i++) {
		uint8_t bit = (uint8_t)(1u << t->sample[i].role);

		MUST(!(seen[t->sample[i].tensor] & bit), "TDAT[%u]: another row gives the same tensor (\"%.40s\") for the same role", (unsigned)i,
		     pkg_string(t, t->tensor[t->sample[i].tensor].name));
		seen[t->sample[i].tensor] |= bit;
	}
	return PTOWSP_OK;
}

ptowsp_status pkg_verify_samples(const struct pkg_check *c)
{
	uint8_t *seen = calloc((size_t)c->tables->tensor_count + 1, 1);
	ptowsp_status status = PTOWSP_OK;

	if (!seen)
		return pkg_fail(c->place.error, PTOWSP_NO_MEMORY, "%s: out of memory", c->place.file);
	for (uint32_t i = 0; i < c->tables->sample_count && !status; i++)
		status = sample_check(c, i);
	if (!status)
		status = samples_unique_check(c, seen);
	free(seen);
	return status;
}

/* ---- the rules between channels, processes and entries. ---- */

#define REPLICA_LIMIT        4096u /* instances of all processes together: each has its own expander */
#define MUST(condition, ...) PKG_MUST(&c->place, condition, __VA_ARGS__)

/* seen: one byte per channel, for the directions in which the process uses it; given back as zeros. */
static ptowsp_status channels_check(const struct pkg_check *c, uint32_t i, uint8_t *seen)
{
	const struct pkg_tables *t = c->tables;
	uint32_t count = t->process[i].channel_count, k = 0;
	const struct ptowsp_process_channel_record *uses = count ? &t->process_channel[t->process[i].channels] : NULL;

	while (k < count && !(seen[uses[k].channel] & 1u << uses[k].direction)) {
		seen[uses[k].channel] |= (uint8_t)(1u << uses[k].direction);
		k++;
	}
	for (uint32_t n = 0; n < k; n++)
		seen[uses[n].channel] = 0;
	MUST(k == count, "PROC[%u] names the channel \"%.40s\" twice for the same direction", (unsigned)i, pkg_string(t, t->channel[uses[k].channel].name));
	return PTOWSP_OK;
}

/* seen: one byte per row, for the places in the order of declaration. */
static ptowsp_status processes_check(const struct pkg_check *c, uint32_t instructions, uint8_t *seen, uint8_t *channels)
{
	const struct pkg_tables *t = c->tables;
	uint64_t replicas = 0;
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; i < t->process_count && !status; i++) {
		const struct ptowsp_process_record *p = &t->process[i];

		MUST(p->instruction < instructions, "PROC[%u].instruction is %u, WORK has %u instructions", (unsigned)i, (unsigned)p->instruction,
		     (unsigned)instructions);
		MUST(p->replicas, "PROC[%u].replicas is 0: a process has at least one instance", (unsigned)i);
		replicas += p->replicas;
		MUST(replicas <= REPLICA_LIMIT, "PROC[%u].replicas is %u: all processes together have at most %u instances", (unsigned)i, (unsigned)p->replicas,
		     REPLICA_LIMIT);
		MUST(p->order < t->process_count && !seen[p->order], "PROC[%u].order is %u: the places 0 to %u are needed, each once", (unsigned)i,
		     (unsigned)p->order, (unsigned)t->process_count - 1);
		seen[p->order] = 1;
		status = channels_check(c, i, channels);
	}
	return status;
}

ptowsp_status pkg_verify_pipeline(const struct pkg_check *c, uint32_t instructions)
{
	const struct pkg_tables *t = c->tables;
	uint8_t *seen = calloc((size_t)t->process_count + 1, 1), *channels = calloc((size_t)t->channel_count + 1, 1);
	ptowsp_status status = PTOWSP_OK;

	if (!seen || !channels)
		status = pkg_fail(c->place.error, PTOWSP_NO_MEMORY, "%s: out of memory", c->place.file);
	for (uint32_t i = 0; i < t->entry_count && !status; i++)
		if (t->entry[i].flags & PTOWSP_ENTRY_PIPELINE && !t->process_count)
			status = pkg_refuse(&c->place, "ENTR[%u].flags say that it is a pipeline, and there is no process in PROC", (unsigned)i);
	if (!status)
		status = processes_check(c, instructions, seen, channels);
	free(seen);
	free(channels);
	return status;
}

/* ---- directives of the schedule. ---- */

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
