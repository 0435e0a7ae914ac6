/* SPDX-License-Identifier: MIT */
/* names.c - tables of names, made from the .def files. */
#include "registry/names.h"

#include <stddef.h>
#include <string.h>

#include "ptowsp/package.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const struct status_row {
	const char *name, *text;
	ptowsp_status code;
	int exit;
} statuses[] = {
#define X(name, value, exit_code, text) {#name, text, value, exit_code},
#include "ptowsp/status.def"
#undef X
};

static const struct status_row *status_row(ptowsp_status status)
{
	static const struct status_row unknown = {"?", "unknown status", 0, 1};

	for (size_t i = 0; i < COUNT(statuses); i++)
		if (statuses[i].code == status)
			return &statuses[i];
	return &unknown;
}

const char *reg_status_name(ptowsp_status status)
{
	return status_row(status)->name;
}

const char *reg_status_text(ptowsp_status status)
{
	return status_row(status)->text;
}

int reg_status_exit(ptowsp_status status)
{
	return status_row(status)->exit;
}

static const char *const pools[] = {
#define X(name, code, text, pool) [code] = pool,
#include "ptowsp/unit.def"
#undef X
};
static const char *const spaces[] = {
#define X(name, code, text) [code] = text,
#include "ptowsp/space.def"
#undef X
};
static const char *const resources[] = {
#define X(name, code, text, reason, capacity) [code] = text,
#include "ptowsp/resource.def"
#undef X
};
static const char *const stalls[] = {
#define X(name, code, text, reason, capacity) [code] = reason,
#include "ptowsp/resource.def"
#undef X
};

static const char *pick(const char *const *texts, size_t count, unsigned index)
{
	return index < count && texts[index] ? texts[index] : "?";
}

const char *reg_pool_text(unsigned unit)
{
	return pick(pools, COUNT(pools), unit);
}

const char *reg_space_text(unsigned space)
{
	return pick(spaces, COUNT(spaces), space);
}

bool reg_payload_needs_trust(unsigned kind)
{
	switch (kind) {
#define X(name, code, text, trust)                                                                                                                             \
	case code:                                                                                                                                             \
		return trust;
#include "ptowsp/payload.def"
#undef X
	}
	return true;
}

const char *reg_resource_text(unsigned resource)
{
	return pick(resources, COUNT(resources), resource);
}

const char *reg_stall_text(unsigned resource)
{
	return pick(stalls, COUNT(stalls), resource);
}

const char *reg_state_text(unsigned state)
{
	static const char *const texts[] = {"unsupported", "diagnosed", "recorded", "enforced"};

	return pick(texts, COUNT(texts), state);
}

const char *reg_state_meaning(unsigned state)
{
	static const char *const texts[] = {"refused before anything is loaded", "ignored, and said so once",
					    "kept in the program's metadata, behaviour unchanged, said so once", "changes behaviour; --verify shows how"};

	return pick(texts, COUNT(texts), state);
}

const char *reg_evidence_text(unsigned evidence)
{
	static const char *const texts[] = {"claimed", "self-tested", "conformance"};

	return pick(texts, COUNT(texts), evidence);
}

const char *reg_role_text(unsigned role)
{
	static const char *const texts[] = {
		[PTOWSP_ROLE_IN] = "in", [PTOWSP_ROLE_OUT] = "out", [PTOWSP_ROLE_INOUT] = "inout", [PTOWSP_ROLE_TEMP] = "temp", [PTOWSP_ROLE_CONST] = "const",
	};

	return pick(texts, COUNT(texts), role);
}

static const struct reg_directive directives[] = {
#define X(name, code, text, meaning) {text, meaning, code},
#include "ptowsp/directive.def"
#undef X
};

const struct reg_directive *reg_directives(uint32_t *count)
{
	*count = COUNT(directives);
	return directives;
}

const struct reg_directive *reg_directive(unsigned code)
{
	for (size_t i = 0; i < COUNT(directives); i++)
		if (directives[i].code == code)
			return &directives[i];
	return NULL;
}

/* Kinds by policy, joined by name: a policy without a row in arguments.def does not compile. */
#define X(directive, name, kinds) static const char kinds_##directive##_##name[] = kinds;
#include "registry/arguments.def"
#undef X

static const struct reg_policy policies[] = {
#define X(directive, name, code, word, least, most, effect) {word, kinds_##directive##_##name, effect, PTOWSP_DIRECTIVE_##directive, code, least, most},
#include "ptowsp/policy.def"
#undef X
};

const struct reg_policy *reg_policies(uint32_t *count)
{
	*count = COUNT(policies);
	return policies;
}

const struct reg_policy *reg_policy(unsigned directive, unsigned code)
{
	for (size_t i = 0; i < COUNT(policies); i++)
		if (policies[i].directive == directive && policies[i].code == code)
			return &policies[i];
	return NULL;
}

bool reg_policy_is_bare(const struct reg_policy *policy)
{
	return policy->word[0] == '(';
}
