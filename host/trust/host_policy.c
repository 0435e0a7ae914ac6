/* SPDX-License-Identifier: MIT */
/* host_policy.c - which policy holds, and who asks it. Needs no cryptography, which the worker of an isolated plugin does without. */
#include "host/trust/host_policy.h"

#include "host/find/refuse.h"

#include <sys/auxv.h>

uint32_t host_policy_kind(const struct host_policy *policy)
{
	uint32_t kind = policy ? policy->kind : PTOWSP_PLUGINS_ANY;

	return kind == PTOWSP_PLUGINS_ANY && getauxval(AT_SECURE) ? PTOWSP_PLUGINS_LISTED : kind;
}

ptowsp_status host_policy_seal(const struct host_policy *policy, struct host_file *file, struct ptowsp_error *error)
{
	return host_policy_kind(policy) == PTOWSP_PLUGINS_ANY ? PTOWSP_OK : host_file_seal(file, error);
}

ptowsp_status host_policy_check(const struct host_policy *policy, const struct host_file *file, char text_out[HOST_TRUST_TEXT], struct ptowsp_error *error)
{
	text_out[0] = 0;
	if (host_policy_kind(policy) == PTOWSP_PLUGINS_ANY)
		return PTOWSP_OK;
	return policy ? policy->check(policy, file, text_out, error)
		      : host_refuse(error, file->path, "under elevated privileges a plugin must be listed or signed");
}
