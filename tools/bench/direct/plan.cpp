/* SPDX-License-Identifier: MIT */
/* plan.cpp - tasks that do nothing as an orchestration of the pto-runtime that is written for it by hand, in the manner of its own examples: each inout on a word of its own,
 * in scopes of 256. What the runtime takes for itself, beside what the engine adds to that. */
#include <stddef.h>
#include <stdint.h>

#include "pto_orchestration_api.h"

enum { ROUND = 256 };

extern "C" {

__attribute__((visibility("default"))) PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs &args)
{
	(void)args;
	return PTO2OrchestrationConfig{1};
}

__attribute__((visibility("default"))) void aicpu_orchestration_entry(const ChipTaskArgs &args)
{
	const ChipTensor &x = args.tensor(0).ref();
	const uint32_t count = x.shapes[0], shapes[1] = {1};
	const bool mapped = args.scalar(0) != 0;

	for (uint32_t round = 0; round < count; round += ROUND) {
		PTO2_SCOPE() {
			for (uint32_t i = round; i < count && i < round + ROUND; i++) {
				const uint32_t offsets[1] = {i};
				ChipTensor word = x.view(shapes, offsets);
				CoreTaskArgs task;

				if (mapped)
					task.add_inout(word);
				else
					task.add_no_dep(word);
				rt_submit_aiv_task(0, task);
			}
		}
	}
}

} // extern "C"
