/* SPDX-License-Identifier: MIT */
/* pto_told.h - what kernels on the pto-runtime tell, and a word to wait at: an entry tensor behind those of the package. C11 and C++17. */
#ifndef PTO_TOLD_H
#define PTO_TOLD_H

#include <stdint.h>

struct PtoTold {
	uint64_t task; /* the one that failed + 1, 0: none */
	int64_t status;
	uint64_t mark; /* written by nobody: what the orchestration waits for stands for it */
	char text[488];
};

#endif
