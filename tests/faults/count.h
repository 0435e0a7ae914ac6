/* SPDX-License-Identifier: MIT
 * count.h - counts the allocations of a program linked with wrap.c, and refuses one of them. */
#ifndef TESTS_FAULTS_COUNT_H
#define TESTS_FAULTS_COUNT_H

#include <stdatomic.h>
#include <stdint.h>

struct fault_count {
	_Atomic uint64_t count, fail_at; /* since they were set to 0; fail_at 0: none */
	_Atomic uint64_t used;           /* pieces of memory in use */
	void (*instead)(void);           /* not NULL: called at fail_at, where nothing is refused then */
};
extern struct fault_count fault_count;

/* From here on allocations are counted. */
void fault_count_start(void);

#endif
