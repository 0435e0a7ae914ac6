/* SPDX-License-Identifier: MIT */
#include "aie/graph/fits.h"

#include "rt/program/rt_error.h"

/* Each area once: what is changed in place is there once. */
static bool is_new(const struct aie_acts *acts, const struct aie_act *act, uint32_t u)
{
	for (uint32_t before = act->uses; before < u; before++)
		if (acts->uses[before].area == acts->uses[u].area)
			return false;
	return true;
}

/* The least that its arguments take, in bytes. */
static uint64_t arguments_of(const struct aie_acts *acts, const struct aie_act *act)
{
	uint64_t bytes = 0;

	for (uint32_t u = act->uses; u < act->uses + act->use_count; u++)
		if (is_new(acts, act, u))
			bytes += aie_area_bytes(&acts->areas.rows[acts->uses[u].area]);
	return bytes;
}

ptowsp_status aie_fits_check(const struct aie_acts *acts, const struct aie_map_args *args, struct ptowsp_error *error)
{
	const uint64_t stack = aie_arch_tile(args->arch, AIE_FIRST_CORE)->limits[AIE_STACK], there = aie_arch_core_bytes(args->arch);

	for (uint32_t a = 0; a < acts->count; a++) {
		const struct aie_act *act = &acts->rows[a];
		uint64_t tiles, arguments;

		if (act->kind != AIE_ACT_CALL)
			continue;
		tiles = args->stacks[act->kernel];
		arguments = arguments_of(acts, act);
		if (tiles + arguments + stack > there)
			return rt_fail_at(error, PTOWSP_UNSUPPORTED, act->task, act->kernel,
					  "task %llu, kernel %.60s needs %llu bytes of a core tile's memory, %llu for its tiles, %llu for its arguments, %llu "
					  "of stack, and one has %llu; "
					  "give it smaller tiles, or use --opt clock=reference",
					  (unsigned long long)act->task, args->kernel_name(args->context, act->kernel),
					  (unsigned long long)(tiles + arguments + stack), (unsigned long long)tiles, (unsigned long long)arguments,
					  (unsigned long long)stack, (unsigned long long)there);
	}
	return PTOWSP_OK;
}
