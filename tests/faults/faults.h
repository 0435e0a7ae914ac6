/* SPDX-License-Identifier: MIT
 * faults.h - allocations of the project's own code, counted, one of them refused. Host and formats are linked into the program with
 * wrapped allocators, and so is cpu_sim into its own plugin; both meet in one struct, whose address is in the environment. */
#ifndef TESTS_FAULTS_H
#define TESTS_FAULTS_H

#define FAULTS_VARIABLE "PTOWSP_TEST_FAULTS" /* address as hexadecimal digits */

/* All functions: any thread. */
struct faults {
	int (*refuses)(void);       /* counts an allocation; 1: it must fail */
	void (*keep)(void *memory); /* memory was handed out */
	void (*drop)(void *memory); /* and is given back; memory that was not kept is ignored */
};

#endif
