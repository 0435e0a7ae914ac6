/* SPDX-License-Identifier: MIT */
/* features.c - the numbering of capability features and their names. */
#include "registry/names.h"

#include <stddef.h>
#include <string.h>

#include "ptowsp/package.h"
#include "ptowsp/workload.h"
#include "registry/common/common_tile.h"
#include "registry/text.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

struct row {
	uint32_t id;
	const char *prefix, *name;
};
static const struct row opcodes[] = {
#define X(NAME, code, mnemonic, operand1, operand2, effect) {PTOWSP_FEATURE_OPCODE(code), "", mnemonic},
#include "ptowsp/workload_ops.def"
#undef X
};
static const struct row payloads[] = {
#define X(name, code, text, trust) {PTOWSP_FEATURE_PAYLOAD(code), "payload ", text},
#include "ptowsp/payload.def"
#undef X
};
static const struct row others[] = {
#define X(name, id, text) {id, "", text},
#include "ptowsp/features.def"
#undef X
};
static const struct row graphs[] = {
#define GRAPH_OP(NAME, code, place, effect) {PTOWSP_FEATURE_GRAPH(code), "", #NAME},
#include "registry/common/common_graph_ops.def"
};
static const struct row tiles[] = {
	{PTOWSP_FEATURE_TILE(0u), "tile ", "operations"},
#define X(NAME, code, mnemonic, operands, shape, keys, types, cost, effect) {PTOWSP_FEATURE_TILE(code), "tile ", mnemonic},
#include "ptowsp/pto_ops.def"
#undef X
};
static const struct group {
	const char *name;
	const struct row *rows;
	uint32_t count;
} groups[] = {
	{"opcode", opcodes, COUNT(opcodes)}, {"payload", payloads, COUNT(payloads)}, {"feature", others, COUNT(others)},
	{"graph", graphs, COUNT(graphs)},    {"tile", tiles, COUNT(tiles)},
};

static void name_row(struct reg_feature *feature, const struct group *group, const struct row *row)
{
	struct reg_text text;

	reg_text_init(&text, feature->name, sizeof(feature->name));
	reg_text_add(&text, "%s%s", row->prefix, row->name);
	feature->group = group->name;
	feature->id = row->id;
	feature->optional = common_tile_is_feature(row->id);
}

/* "dispatch=round_robin"; a bare policy is named without its "=": "task_window(stall)". */
static void name_policy(struct reg_feature *feature, const struct reg_policy *policy)
{
	struct reg_text text;

	reg_text_init(&text, feature->name, sizeof(feature->name));
	reg_text_add(&text, "%s%s%s", reg_directive(policy->directive)->text, reg_policy_is_bare(policy) ? "" : "=", policy->word);
	feature->group = "directive";
	feature->id = PTOWSP_FEATURE_POLICY(policy->directive, policy->code);
	feature->optional = false;
}

uint32_t reg_feature_count(void)
{
	uint32_t count;

	reg_policies(&count);
	for (size_t g = 0; g < COUNT(groups); g++)
		count += groups[g].count;
	return count;
}

bool reg_feature_at(uint32_t index, struct reg_feature *feature_out)
{
	uint32_t count;
	const struct reg_policy *policies = reg_policies(&count);

	if (index < count) {
		name_policy(feature_out, &policies[index]);
		return true;
	}
	index -= count;
	for (size_t g = 0; g < COUNT(groups); index -= groups[g].count, g++)
		if (index < groups[g].count) {
			name_row(feature_out, &groups[g], &groups[g].rows[index]);
			return true;
		}
	return false;
}

bool reg_feature(uint32_t id, struct reg_feature *feature_out)
{
	struct reg_text text;

	for (uint32_t i = 0; reg_feature_at(i, feature_out); i++)
		if (feature_out->id == id)
			return true;
	reg_text_init(&text, feature_out->name, sizeof(feature_out->name));
	reg_text_add(&text, "feature 0x%04x", (unsigned)id);
	feature_out->group = "unknown";
	feature_out->id = id;
	feature_out->optional = false;
	return false;
}
