/* SPDX-License-Identifier: MIT
 * array_trial.h - a device that any tool could have written, run from its text with memories of the test. */
#ifndef PTOWSP_TESTS_AIE_ARRAY_TRIAL_H
#define PTOWSP_TESTS_AIE_ARRAY_TRIAL_H

#include "aie/array/array.h"

enum { MEMORIES = 8 };
struct array_trial {
	/* Filled before the run, by name; kept behind it. */
	struct content {
		const char *name;
		void *bytes;
		size_t size;
	} in[MEMORIES], out[MEMORIES];
	const char *arch;
	const struct aie_array_value *values;
	uint32_t value_count;
	struct aie_sim_kernels kernels;
	uint32_t buffering, number;
	const volatile uint32_t *cancel;
	struct aie_array_report report;
	struct aie_sim_stats stats;
	struct ptowsp_error error;
};
/* Runs device `number` of the text, with at most a million events. A refusal's sentence is in error; statistics are the caller's to finish, whatever it gives. */
ptowsp_status array_trial_run(struct array_trial *trial, const char *text);

#define MEMORY(of, array)                                                                                                                                      \
	{                                                                                                                                                      \
		of, array, sizeof(array)                                                                                                                       \
	}

#endif
