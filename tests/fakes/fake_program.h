/* SPDX-License-Identifier: MIT */
/* fake_program.h - a callable that was registered: its orchestration and its kernels, opened. */
#ifndef FAKE_PROGRAM_H
#define FAKE_PROGRAM_H

#include "fake_api.h"
#include "fake_device.h"

struct fake_program {
	bool there;
	void *orchestration;
	struct fake_code *children[ASCEND_FUNCTIONS];
	fake_kernel functions[ASCEND_FUNCTIONS];
	void (*bind)(struct fake_runtime *rt);
	void (*entry)(const struct fake_entry *args);
	struct fake_config (*config)(const struct fake_entry *args);
	int32_t directions[ASCEND_ENTRY_TENSORS];
	int32_t direction_count;
};
#pragma GCC visibility push(hidden)
/* program: zeroed. 0, or WRONG: then there is none. */
int fake_program_open(struct fake_program *program, const struct ascend_callable *callable);
void fake_program_close(struct fake_program *program);
#pragma GCC visibility pop

#endif
