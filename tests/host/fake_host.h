/* SPDX-License-Identifier: MIT
 * fake_host.h - a host of cpu_sim that the suites look through: its ops table alone, no container, no libptowsp. */
#ifndef TESTS_FAKE_HOST_H
#define TESTS_FAKE_HOST_H

#include "ptowsp/plugin.h"
#include "ptowsp/support.h"
#include "tests/host/record_program.h"
#include <stdatomic.h>

#define ROWS     8u
#define COLUMNS  16u
#define ELEMENTS (ROWS * COLUMNS)

/* A host that counts what it gives and keeps what comes back. done is called on the plugin's thread: read the results after
 * drain, which orders them. */
struct fake {
	struct ptowsp_host host;
	const struct ptowsp_ops *ops;
	struct ptowsp_object *instance, *device, *program;
	atomic_llong bytes;              /* held by the plugin */
	atomic_int allocations, fail_at; /* fail_at: this allocation and all after it give NULL; -1 none */
	int done_count;
	void (*on_done)(void); /* called at the end of done, on the plugin's thread; NULL for none */
	uint64_t tokens[64];
	ptowsp_status status;
	struct ptowsp_run_stats stats;
	uint64_t first_kernel_cycles, device_tasks; /* of the first kernel */
	char error[216];
	char log[4096];
	struct fake_program code;
	float data[3][ELEMENTS];
};
extern struct fake fake;

/* What the kernel "record" was called with. */
extern unsigned blocks_seen, block_count_seen;

/* A host that holds nothing, and the plugin behind it. */
void fake_reset(void);
/* The steps of a session. key: an option of the plugin, NULL for none. */
ptowsp_status fake_init(const char *key, const char *value, struct ptowsp_error *error);
ptowsp_status fake_open(uint32_t threads, struct ptowsp_error *error);
ptowsp_status fake_load(struct ptowsp_error *error);
/* Of the first kernel. */
ptowsp_status fake_judge(const struct ptowsp_support_extension *table, struct ptowsp_kernel_support *row_out);
struct ptowsp_run_args fake_run_args(uint64_t token);
ptowsp_status fake_submit(uint64_t token, uint32_t flags, struct ptowsp_error *error);
/* A table of the program that is being written. */
void *fake_rows(uint32_t type);
/* c = a + b on tiles of 8 x 16, as one portable kernel and one task. */
void fake_add_program(void);
/* count tasks of a kernel without payload; each takes an index and inout region [0, 0] of tensor 0. */
void fake_chain_program(const char *kernel_name, uint32_t count);
/* All steps up to the program, which must succeed. */
void fake_start(uint32_t threads);
/* The clock of deadlines; context: NULL. */
uint64_t fake_now(void *context);
void fake_drain(void);
/* Everything is given back. */
void fake_stop(void);

#endif
