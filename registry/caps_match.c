/* SPDX-License-Identifier: MIT */
/* caps_match.c - matching of needs and capabilities. */
#include "registry/caps_match.h"

#include <stdlib.h>
#include <string.h>

#include "registry/names.h"
#include "registry/platform.h"
#include "registry/schedule.h"
#include "registry/text.h"

enum { SCOPES = 7 }; /* bits of reg_needs.graph behind the first */

struct matching {
	const struct reg_needs *needs;
	const struct reg_caps *caps;
	struct common_tile_rows tiles;
	struct reg_verdict *rows;
	uint32_t count, room;
};

const struct ptowsp_cap *reg_caps_find(const struct reg_caps *caps, uint32_t feature)
{
	const struct ptowsp_cap *best = NULL;

	for (uint32_t i = 0; i < caps->count; i++) {
		const struct ptowsp_cap *row = (const void *)((const char *)caps->rows + (size_t)i * caps->stride);

		if (row->feature == feature && (!best || row->state > best->state))
			best = row;
	}
	return best;
}

static unsigned wanted_by_package(const struct reg_needs *needs, uint32_t feature)
{
	unsigned state = 0;

	for (uint32_t i = 0; i < needs->requirement_count; i++)
		if (needs->requirements[i].feature == feature && needs->requirements[i].state > state)
			state = needs->requirements[i].state;
	return state < PTOWSP_STATE_ENFORCED ? state : PTOWSP_STATE_ENFORCED;
}

static struct reg_verdict *verdict_add(struct matching *m, unsigned kind, uint32_t feature)
{
	struct reg_verdict *v = &m->rows[m->count++];

	*v = (struct reg_verdict){.feature = feature, .kind = (uint8_t)kind, .row = PTOWSP_NONE};
	return v;
}

static void reason_add(struct reg_verdict *v, const char *text)
{
	struct reg_text out;

	reg_text_init(&out, v->reason, sizeof(v->reason));
	reg_text_add(&out, "%s", text);
}

static const char unsupported[] = "it has no way for that with its options as they are; take others, another backend or engine";

/* The number that a row's limits speak about: the last numeric argument. */
static bool parameter_of(const struct ptowsp_directive_record *row, int64_t *value_out)
{
	bool found = false;

	for (unsigned i = 0; i < row->count && i < 8; i++)
		if (reg_directive_argument_kind(row, i) == PTOWSP_ARGUMENT_NUMBER) {
			*value_out = reg_directive_argument(row, i);
			found = true;
		}
	return found;
}

/* State of a directive by its capability row, with the reason when it is below enforced. */
static void directive_meet(struct reg_verdict *v, const struct ptowsp_directive_record *row, const struct ptowsp_cap *cap)
{
	int64_t value;
	struct reg_text text;

	if (!cap) {
		v->state = PTOWSP_STATE_DIAGNOSED;
		reason_add(v, "ignored: the backend has no capability row for it");
		return;
	}
	v->state = cap->state <= PTOWSP_STATE_ENFORCED ? cap->state : PTOWSP_STATE_DIAGNOSED;
	if (v->state == PTOWSP_STATE_RECORDED)
		reason_add(v, "kept in the program's metadata, behaviour unchanged");
	else if (v->state == PTOWSP_STATE_DIAGNOSED)
		reason_add(v, "ignored by the backend");
	else if (v->state == PTOWSP_STATE_UNSUPPORTED)
		reason_add(v, unsupported);
	if (!(cap->low || cap->high) || !parameter_of(row, &value) || (value >= cap->low && value <= cap->high))
		return;
	if (v->state > PTOWSP_STATE_DIAGNOSED)
		v->state = PTOWSP_STATE_DIAGNOSED;
	reg_text_init(&text, v->reason, sizeof(v->reason));
	reg_text_add(&text, "not met as stated, %lld is outside the backend's limits %lld..%lld", (long long)value, (long long)cap->low, (long long)cap->high);
}

static void refuse_below(struct reg_verdict *v)
{
	v->refused = v->state == PTOWSP_STATE_UNSUPPORTED || v->state < v->wanted;
}

static void match_directive(struct matching *m, uint32_t i)
{
	const struct ptowsp_directive_record *row = &m->needs->directives[i];
	uint32_t feature = PTOWSP_FEATURE_POLICY(row->directive, row->policy);
	struct reg_verdict *v = verdict_add(m, REG_VERDICT_DIRECTIVE, feature);
	struct reg_text text;

	reg_text_init(&text, v->what, sizeof(v->what));
	reg_directive_print(row, &m->needs->tables, &text);
	v->row = i;
	v->wanted = (uint8_t)wanted_by_package(m->needs, feature);
	if (m->needs->strict || (row->flags & PTOWSP_DIRECTIVE_MUST))
		v->wanted = PTOWSP_STATE_ENFORCED;
	directive_meet(v, row, reg_caps_find(m->caps, feature));
	refuse_below(v);
}

static void match_opcode(struct matching *m, unsigned opcode)
{
	uint32_t feature = PTOWSP_FEATURE_OPCODE(opcode);
	const struct ptowsp_cap *cap = reg_caps_find(m->caps, feature);
	struct reg_feature name;
	struct reg_verdict *v;
	struct reg_text text;

	if (cap && cap->state >= PTOWSP_STATE_ENFORCED)
		return;
	v = verdict_add(m, REG_VERDICT_OPCODE, feature);
	v->state = cap ? cap->state : PTOWSP_STATE_UNSUPPORTED;
	v->wanted = (uint8_t)wanted_by_package(m->needs, feature);
	reg_feature(feature, &name);
	reg_text_init(&text, v->what, sizeof(v->what));
	reg_text_add(&text, "opcode %s", name.name);
	reason_add(v, cap && !cap->state ? unsupported : cap ? "met below enforced" : "the backend has no capability row for it");
	refuse_below(v);
}

/* Has it a payload that may be used here and that the backend runs, of one kind or of any? */
static bool kernel_runs(const struct matching *m, const struct reg_kernel_need *kernel, uint32_t kinds)
{
	for (unsigned kind = 0; kind < 32; kind++) {
		const struct ptowsp_cap *cap = kernel->kinds & kinds & UINT32_C(1) << kind ? reg_caps_find(m->caps, PTOWSP_FEATURE_PAYLOAD(kind)) : NULL;

		if (cap && cap->state == PTOWSP_STATE_ENFORCED)
			return true;
	}
	return false;
}

/* Why its native code is not what runs; "" if it has none. */
static void native_say(const struct matching *m, const struct reg_kernel_need *kernel, struct reg_text *text)
{
	const char *target = kernel->target && *kernel->target ? kernel->target : "any machine";

	if (kernel->native == REG_NATIVE_UNTRUSTED && kernel->untrusted && *kernel->untrusted)
		reg_text_add(text, "native code (%.40s) is not trusted: %.144s", target, kernel->untrusted);
	else if (kernel->native == REG_NATIVE_UNTRUSTED)
		reg_text_add(text, "native code (%.40s) needs --trust=all", target);
	else if (kernel->native == REG_NATIVE_ELSEWHERE)
		reg_text_add(text, "its native code is for %.60s, not for this machine", target);
	else if (kernel->native == REG_NATIVE_SECOND)
		reg_text_add(text, "it stands before the native code (%.40s)", target);
	else if (kernel->native == REG_NATIVE_FIRST && !kernel_runs(m, kernel, UINT32_C(1) << PTOWSP_PAYLOAD_ELF))
		reg_text_add(text, "the backend runs no native code of packages");
}

/* The portable payload runs: as the backend says, else as its TILE rows do. True: not all of it on the device. */
static bool tiles_meet(const struct matching *m, const struct reg_kernel_need *kernel, struct reg_support *met_out, struct common_tile_lack *lack)
{
	*met_out = kernel->judged;
	if (!met_out->told && common_tile_lacks(&m->tiles, kernel->portable, kernel->portable_size, lack))
		*met_out = (struct reg_support){lack->state ? PTOWSP_STATE_DIAGNOSED : PTOWSP_STATE_UNSUPPORTED, true, lack->op, lack->text};
	return met_out->told && met_out->state < PTOWSP_STATE_ENFORCED;
}

static void tiles_say(struct matching *m, const struct reg_kernel_need *kernel, const struct reg_support *met)
{
	struct reg_verdict *v = verdict_add(m, REG_VERDICT_TILE, met->op == PTOWSP_NONE ? 0 : PTOWSP_FEATURE_TILE(met->op));
	const unsigned of_all = wanted_by_package(m->needs, PTOWSP_FEATURE_TILE(0u)), of_this = wanted_by_package(m->needs, v->feature);
	struct reg_text text;

	v->state = met->state;
	v->wanted = m->needs->strict ? PTOWSP_STATE_ENFORCED : (uint8_t)(of_all > of_this ? of_all : of_this);
	reg_text_init(&text, v->what, sizeof(v->what));
	reg_text_add(&text, "kernel %s", kernel->name);
	reg_text_init(&text, v->reason, sizeof(v->reason));
	reg_text_add(&text, "%s%s", met->state ? "the processor runs it: " : "", met->reason);
	refuse_below(v);
}

/* One that will run is told of only if it has native code: what runs is then not plain. */
static void match_kernel(struct matching *m, const struct reg_kernel_need *kernel)
{
	bool native = kernel->native == REG_NATIVE_FIRST && kernel_runs(m, kernel, UINT32_C(1) << PTOWSP_PAYLOAD_ELF);
	bool runs = kernel_runs(m, kernel, UINT32_MAX), flawed = native && *kernel->flaw;
	bool usable = !flawed && (runs || kernel->served || !kernel->carried);
	struct common_tile_lack lack;
	struct reg_support met;
	struct reg_verdict *v;
	struct reg_text text;
	char why[216];

	if (usable && runs && !native && tiles_meet(m, kernel, &met, &lack)) {
		tiles_say(m, kernel, &met);
		return;
	}
	if (usable && !kernel->native)
		return;
	reg_text_init(&text, why, sizeof(why));
	native_say(m, kernel, &text);
	v = verdict_add(m, REG_VERDICT_KERNEL, 0);
	reg_text_init(&text, v->what, sizeof(v->what));
	reg_text_add(&text, "kernel %s", kernel->name);
	v->state = usable ? PTOWSP_STATE_ENFORCED : PTOWSP_STATE_UNSUPPORTED;
	reg_text_init(&text, v->reason, sizeof(v->reason));
	if (flawed)
		reg_text_add(&text, "its native code is refused: %s", kernel->flaw);
	else if (native)
		reg_text_add(&text, "native code of the package (%.60s)", kernel->target && *kernel->target ? kernel->target : "any machine");
	else if (usable)
		reg_text_add(&text, "%s: %s", runs ? "portable payload" : "C function of the program", why);
	else if (kernel->kinds == UINT32_C(1) << PTOWSP_PAYLOAD_IMAGE)
		reg_text_add(&text, "its images are for cores of a device alone; give it a portable payload, too");
	else if (kernel->kinds)
		reg_text_add(&text, "the backend runs none of its payload kinds");
	else
		reg_text_add(&text, "%s%sno portable payload for this backend", why, *why ? "; " : "");
	refuse_below(v);
}

static bool is_directive_of(const struct reg_needs *needs, uint32_t feature)
{
	for (uint32_t i = 0; i < needs->directive_count; i++)
		if (PTOWSP_FEATURE_POLICY(needs->directives[i].directive, needs->directives[i].policy) == feature)
			return true;
	return false;
}

/* Requirements whose feature no directive of the program carries. */
static void match_requirement(struct matching *m, const struct ptowsp_requirement_record *need)
{
	const struct ptowsp_cap *cap = reg_caps_find(m->caps, need->feature);
	unsigned state = cap ? cap->state : (need->feature & 0xF000) == 0x2000 ? PTOWSP_STATE_DIAGNOSED : PTOWSP_STATE_UNSUPPORTED;
	struct reg_feature name;
	struct reg_verdict *v;

	if (common_tile_is_feature(need->feature)) { /* without any row all of them are enforced */
		cap = m->tiles.of[need->feature & 0xFF];
		state = cap ? cap->state : PTOWSP_STATE_ENFORCED;
	}
	if (is_directive_of(m->needs, need->feature) || state >= PTOWSP_STATE_ENFORCED)
		return;
	v = verdict_add(m, REG_VERDICT_REQUIREMENT, need->feature);
	v->state = (uint8_t)state;
	v->wanted = (uint8_t)wanted_by_package(m->needs, need->feature);
	reg_feature(need->feature, &name);
	memcpy(v->what, name.name, sizeof(name.name));
	reason_add(v, cap && !cap->state ? unsupported
		      : cap              ? "the package needs more than the backend does with it"
					 : "the backend has no capability row for it");
	refuse_below(v);
}

/* The payload of channels is no opcode of its own, but a need all the same. */
static void match_channels(struct matching *m)
{
	static const uint32_t features[] = {[PTOWSP_CHANNEL_TOKEN] = PTOWSP_FEATURE_CSP_TOKEN, [PTOWSP_CHANNEL_PAYLOAD] = PTOWSP_FEATURE_CSP_PAYLOAD};

	for (uint32_t kind = 0; kind < sizeof(features) / sizeof(*features); kind++)
		if (m->needs->channels >> kind & 1)
			match_requirement(m, &(struct ptowsp_requirement_record){.feature = features[kind], .state = PTOWSP_STATE_ENFORCED});
}

/* How elements lie in memory changes no result: a backend that keeps them otherwise says so, and refuses where more is asked for. */
static void match_memory(struct matching *m)
{
	const struct ptowsp_cap *cap = reg_caps_find(m->caps, PTOWSP_FEATURE_MEMORY_ORDER);
	struct reg_feature name;
	struct reg_verdict *v;

	if (!m->needs->memory || (cap && cap->state >= PTOWSP_STATE_ENFORCED))
		return;
	for (uint32_t i = 0; i < m->needs->requirement_count; i++)
		if (m->needs->requirements[i].feature == PTOWSP_FEATURE_MEMORY_ORDER)
			return; /* told there */
	v = verdict_add(m, REG_VERDICT_REQUIREMENT, PTOWSP_FEATURE_MEMORY_ORDER);
	v->state = cap ? cap->state : PTOWSP_STATE_DIAGNOSED;
	v->wanted = (uint8_t)wanted_by_package(m->needs, v->feature);
	reg_feature(v->feature, &name);
	memcpy(v->what, name.name, sizeof(name.name));
	reason_add(v, cap && cap->state == PTOWSP_STATE_RECORDED ? "kept in the package; this backend keeps elements in row_major order, results are the same"
								 : "this backend keeps elements in row_major order");
	refuse_below(v);
}

/* "MC_FENCE(L2)": a scope in use that the row leaves out. */
static void match_scope(struct matching *m, unsigned op, int scope)
{
	struct reg_verdict *v = verdict_add(m, REG_VERDICT_GRAPH, PTOWSP_FEATURE_GRAPH(op));
	struct reg_feature name;
	struct reg_text text;

	v->state = PTOWSP_STATE_DIAGNOSED;
	v->wanted = (uint8_t)wanted_by_package(m->needs, v->feature);
	reg_feature(v->feature, &name);
	reg_text_init(&text, v->what, sizeof(v->what));
	reg_text_add(&text, "%s(%s)", name.name, reg_fence_scope((unsigned)scope));
	reason_add(v, "the backend does every scope but this one");
	refuse_below(v);
}

/* Hints say themselves that they may be left out: nothing but `unsupported`, or what REQS ask for, refuses one. */
static void match_graph(struct matching *m, unsigned op)
{
	static const char *const reasons[] = {unsupported, "there is nothing to do for it on this backend", "kept in the package, behaviour unchanged"};
	uint32_t feature = PTOWSP_FEATURE_GRAPH(op);
	const struct ptowsp_cap *cap = reg_caps_find(m->caps, feature);
	struct reg_feature name;
	struct reg_verdict *v;

	for (int scope = 0; cap && cap->state >= PTOWSP_STATE_ENFORCED && scope < SCOPES; scope++)
		if (m->needs->graph[op] >> (scope + 1) & cap->bits >> scope & 1)
			match_scope(m, op, scope);
	if (!cap || cap->state >= PTOWSP_STATE_ENFORCED)
		return;
	v = verdict_add(m, REG_VERDICT_GRAPH, feature);
	v->state = cap->state;
	v->wanted = (uint8_t)wanted_by_package(m->needs, feature);
	reg_feature(feature, &name);
	memcpy(v->what, name.name, sizeof(name.name));
	reason_add(v, reasons[cap->state]);
	refuse_below(v);
}

static uint64_t used(const uint8_t *codes)
{
	uint64_t count = 0;

	for (unsigned code = 0; codes && code < 256; code++)
		count += codes[code] != 0;
	return count;
}

ptowsp_status reg_match(const struct reg_needs *needs, const struct reg_caps *caps, struct reg_verdict **rows_out, uint32_t *count_out)
{
	struct matching m = {.needs = needs, .caps = caps};
	uint64_t room = (uint64_t)needs->directive_count + needs->requirement_count + needs->kernel_count + used(needs->opcodes) + 2 + 1 +
			used(needs->graph) * (1 + SCOPES);

	*rows_out = NULL;
	*count_out = 0;
	m.rows = room < UINT32_MAX ? calloc((size_t)room, sizeof(*m.rows)) : NULL;
	if (!m.rows)
		return PTOWSP_NO_MEMORY;
	common_tile_rows_find(&m.tiles, caps->rows, caps->count, caps->stride);
	for (uint32_t i = 0; i < needs->directive_count; i++)
		match_directive(&m, i);
	for (unsigned opcode = 0; opcode < 256; opcode++)
		if (needs->opcodes && needs->opcodes[opcode])
			match_opcode(&m, opcode);
	for (unsigned op = 0; op < 256; op++)
		if (needs->graph && needs->graph[op])
			match_graph(&m, op);
	for (uint32_t i = 0; i < needs->kernel_count; i++)
		match_kernel(&m, &needs->kernels[i]);
	for (uint32_t i = 0; i < needs->requirement_count; i++)
		match_requirement(&m, &needs->requirements[i]);
	match_channels(&m);
	match_memory(&m);
	*rows_out = m.rows;
	*count_out = m.count;
	return PTOWSP_OK;
}

const struct reg_verdict *reg_match_refused(const struct reg_verdict *rows, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (rows[i].refused)
			return &rows[i];
	return NULL;
}
