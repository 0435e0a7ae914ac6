/* SPDX-License-Identifier: MIT */
#include "registry/platform.h"

#include <stddef.h>
#include <string.h>

#include "ptowsp/caps.h"
#include "ptowsp/graph.h"

#define YES                                                                                                                                                    \
	{                                                                                                                                                      \
		"Yes", PTOWSP_STATE_ENFORCED, 0                                                                                                                \
	}
#define PARTIAL(scope)                                                                                                                                         \
	{                                                                                                                                                      \
		"Partial", PTOWSP_STATE_ENFORCED, 1u << PTOWSP_fence_scope_##scope                                                                             \
	}
#define HINT                                                                                                                                                   \
	{                                                                                                                                                      \
		"Hint", PTOWSP_STATE_RECORDED, 0                                                                                                               \
	}
#define NA                                                                                                                                                     \
	{                                                                                                                                                      \
		"N/A", PTOWSP_STATE_DIAGNOSED, 0                                                                                                               \
	}
#define NO                                                                                                                                                     \
	{                                                                                                                                                      \
		"No", PTOWSP_STATE_UNSUPPORTED, 0                                                                                                              \
	}
static const struct reg_platform_row rows[] = {
#define X(instruction, a2, a3, a5, cpu) {#instruction, PTOWSP_FEATURE_GRAPH(PTOWSP_##instruction), {a2, a3, a5, cpu}},
#include "ptowsp/platform.def"
#undef X
};

static const struct {
	const char *words, *name;
	uint32_t code;
} words[] = {
#define X(words, NAME, code) {#words, #NAME, code},
#include "ptowsp/graph_words.def"
#undef X
};

const char *reg_platform_name(unsigned platform)
{
	static const char *const names[REG_PLATFORMS] = {"A2", "A3", "A5", "CPU Sim"};

	return names[platform];
}

bool reg_platform_at(uint32_t index, struct reg_platform_row *row_out)
{
	if (index >= sizeof(rows) / sizeof(*rows))
		return false;
	*row_out = rows[index];
	return true;
}

const char *reg_fence_scope(unsigned scope)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i].words, "fence_scope") && words[i].code == scope)
			return words[i].name;
	return "?";
}
