/* SPDX-License-Identifier: MIT */
/* emit_tree.h - a package emitted for the Ascend backends, its host side compiled, and its tasks beside those of the core. */
#ifndef TESTS_EMIT_TREE_H
#define TESTS_EMIT_TREE_H

#include "format/format_package.h"
#include "tests/check.h"

struct emit_tree; /* one package */

/* Opens and emits it for "ascend-a2a3" or "ascend-a5" into a fresh folder; entry NULL: the package's own. NULL after a failed check. */
struct emit_tree *emit_tree_make(const char *package, const char *entry, const char *target);
void emit_tree_destroy(struct emit_tree *tree); /* NULL is allowed */
const char *emit_tree_folder(const struct emit_tree *tree);
/* Sentences about what is not expressed, a line each; "" without one. */
const char *emit_tree_told(const struct emit_tree *tree);
/* A value for a symbol or slot by name, instead of the package's. */
void emit_tree_set(struct emit_tree *tree, const char *name, int64_t value);
/* Compiles the orchestration and compares its tasks with those of the core: numbers, kernels, arguments, regions, streams, owners among `instances`
 * scheduler instances where the core can tell them. Returns how many tasks there were. */
uint64_t emit_tree_compare(struct emit_tree *tree, uint32_t instances);
/* The AICore file by the stand-in of the toolkit's header, every kernel in it. */
void emit_tree_cores_compile(struct emit_tree *tree);

#endif
