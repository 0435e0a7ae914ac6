/* SPDX-License-Identifier: MIT
 * program.h - random programs of the corpus dialect: as text for the tools, and as tasks for the plain model. One at a time. */
#ifndef TESTS_CONTRACT_PROGRAM_H
#define TESTS_CONTRACT_PROGRAM_H

#include "model.h"

enum { CONTRACT_KERNELS = 5, CONTRACT_PARAMS = 3, CONTRACT_NODES = 64 };

struct contract_param {
	int rows, columns, mode, tile_row, column;
};
struct contract_kernel {
	int param_count, variant_rows; /* of a variant for level 64; 0: none */
	struct contract_param params[CONTRACT_PARAMS];
};
enum contract_node_kind { CONTRACT_LOOP, CONTRACT_BRANCH, CONTRACT_CALL };
struct contract_argument {
	int tensor, tuple, row_loop; /* row_loop: loop whose value is the row, -1: a number */
	int row, column;
};
struct contract_node {
	enum contract_node_kind kind;
	int child, next;
	int loop, low, high, step, levels; /* levels: 0, else index of contract_level_sets */
	int compare_loop, compare_with;    /* CONTRACT_BRANCH: value > number */
	int kernel;
	struct contract_argument arguments[CONTRACT_PARAMS];
};
struct contract_level_set {
	int max_range, min_range;
	const char *text;
	int rows_of_8, rows_of_4;
};
extern const struct contract_level_set contract_level_sets[];

/* The program of the latest seed. */
extern struct contract_program {
	uint64_t state;
	struct contract_kernel kernels[CONTRACT_KERNELS];
	struct contract_node nodes[CONTRACT_NODES];
	int node_count, loops;
	struct model_schedule schedule;
	char text[32768], options[1024];
	/* expansion */
	struct model_task tasks[MODEL_TASKS];
	int task_count;
	int64_t values[MODEL_LOOPS];
	int64_t touched[MODEL_TENSORS];
	float memory[MODEL_TENSORS][MODEL_ELEMENTS];
} contract_program;

/* Makes that of a seed: its text, options and schedule, and its tasks. */
void contract_program_make(uint64_t seed);

/* ---- what its files share -------------------------------------------------------------------------------------------- */

/* What kernel k folds into its parameter i. */
float contract_constant(int k, int i);
/* The parameter that is read for what is written into parameter i; -1: none. */
int contract_source_of(const struct contract_kernel *k, int i);
/* The form of a kernel at level 64. */
struct contract_kernel contract_variant_of(const struct contract_kernel *k);
/* Fills in the tasks below a node, and memory as they leave it. */
void contract_program_expand(int root);

#endif
