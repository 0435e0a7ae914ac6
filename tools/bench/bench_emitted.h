/* SPDX-License-Identifier: MIT */
/* bench_emitted.h - a tile program as native code: emitted as C, compiled as ptowsp-pack --native does, and loaded into this process. */
#ifndef TOOLS_BENCH_EMITTED_H
#define TOOLS_BENCH_EMITTED_H

#include "isa/isa.h"

struct bench_emitted {
	ptowsp_status (*fn)(const struct ptowsp_task *task, struct ptowsp_kernel_out *out); /* NULL: no compiler is here */
	uint64_t workspace_size;
	void *workspace, *library; /* owned */
};

/* Says on stderr why fn is NULL. */
void bench_emitted_make(struct bench_emitted *native, const struct isa_program *program);
void bench_emitted_finish(struct bench_emitted *native);

#endif
