/* SPDX-License-Identifier: MIT */
/* ascend_example.h - the vector example of the pto-runtime as its client is given it: a plan, kernels, tensors, and a client that is open. */
#ifndef TESTS_ASCEND_EXAMPLE_H
#define TESTS_ASCEND_EXAMPLE_H

#include "ascend/engine/callable.h"
#include "ascend/engine/client.h"
#include "ascend/engine/compile.h"
#include "tests/check.h"

enum { ASCEND_EXAMPLE_LENGTH = 16384, ASCEND_EXAMPLE_TENSORS = 7 };

/* f = (a + b + 1) * (a + b + 2) + (a + b): five tasks, with what the kernels need in their records. */
struct ascend_example {
	struct ascend_client *client;
	struct ascend_objects objects;
	struct ascend_plan_head *plan;
	struct ascend_example_record *records; /* owned */
	uint32_t record_count;
	_Atomic uint32_t calls;
	int32_t callable;
	float *data[ASCEND_EXAMPLE_TENSORS]; /* a, b, f on the host; c, d, e, g on the device */
	struct ascend_entry_args args;
	struct ascend_call_config config;
};

/* On the runtime in that folder; fails the test where something does not go well. To be closed. */
struct ascend_example *ascend_example_open(const char *root, const char *variant);
void ascend_example_close(struct ascend_example *example);
/* Closes it, and gives what the fakes have told since FAKE_LOG named that path, in which nothing may be wrong; to be freed. */
char *ascend_example_log(struct ascend_example *example, const char *path);
ptowsp_status ascend_example_run(struct ascend_example *example, struct ptowsp_error *error);

/* The folder of the fake runtime. */
const char *ascend_example_fakes(void);
/* Where the tests run there may be no compiler: then nothing can be loaded. */
bool ascend_example_has_compilers(void);
#define ASCEND_EXAMPLE_NEEDS_COMPILERS()                                                                                                                       \
	do {                                                                                                                                                   \
		if (!ascend_example_has_compilers())                                                                                                           \
			CHECK_SKIP("there is no g++ and gcc to compile the orchestration with");                                                               \
	} while (0)

#endif
