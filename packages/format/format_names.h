/* SPDX-License-Identifier: MIT */
/* format_names.h - the words of every code that appears in a table: for messages, JSON and listings. */
#ifndef FORMAT_NAMES_H
#define FORMAT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The enumerations that records.def, graph_ops.def and workload_ops.def name. */
enum pkg_words {
	PKG_WORDS_dtype,
	PKG_WORDS_unit,
	PKG_WORDS_space,
	PKG_WORDS_payload,
	PKG_WORDS_expr_op,
	PKG_WORDS_directive,
	PKG_WORDS_param_kind,
	PKG_WORDS_role,
	PKG_WORDS_distribution,
	PKG_WORDS_slot_kind,
	PKG_WORDS_axis_kind,
	PKG_WORDS_sample_role,
	PKG_WORDS_channel_kind,
	PKG_WORDS_channel_direction,
	PKG_WORDS_opcode,
	PKG_WORDS_memory_order,
	PKG_WORDS_core_type,
	PKG_WORDS_dep_type,
	PKG_WORDS_location,
	PKG_WORDS_fence_scope,
	PKG_WORDS_affinity_type, /* of graph_ops.def */
	PKG_WORDS_access,
	PKG_WORDS_edge,
	PKG_WORDS_scope, /* of tasks and fences */
	PKG_WORDS_COUNT
};

struct pkg_word {
	uint32_t code;
	const char *word;
};

const struct pkg_word *pkg_words(enum pkg_words which, uint32_t *count);
const char *pkg_words_name(enum pkg_words which);          /* "dtype" */
const char *pkg_word(enum pkg_words which, uint64_t code); /* NULL if unknown */
/* 1 and the code, or 0. */
bool pkg_word_find(enum pkg_words which, const char *word, uint32_t *code_out);
/* "f32, f16, bf16, ..." into text; cut with "..." where it does not fit. */
void pkg_words_list(enum pkg_words which, char *text, size_t size);

/* One row of policy.def. */
struct pkg_policy {
	uint16_t directive, policy;
	const char *word;    /* in parentheses where the directive takes its arguments without a word, e.g. task_window=64 */
	uint8_t least, most; /* arguments */
};
const struct pkg_policy *pkg_policy(uint32_t directive, uint32_t policy); /* NULL if unknown */
/* Finds a policy by its word, with or without parentheses; word NULL: the only policy of its directive, if there is only one. */
const struct pkg_policy *pkg_policy_find(uint32_t directive, const char *word);
bool pkg_policy_is_bare(const struct pkg_policy *policy);
/* The word without parentheses. */
struct pkg_policy_text {
	char text[28];
};
struct pkg_policy_text pkg_policy_text(const struct pkg_policy *policy);
/* "round_robin, affinity, ..." into text; cut with "..." where it does not fit. */
void pkg_policy_list(uint32_t directive, char *text, size_t size);

/* The content of operand 0 or 1 of an instruction of WORK, as workload_ops.def says it: "axis", "expression", ..., "" for nothing, and where
 * there is no such opcode. */
const char *pkg_operand(uint32_t opcode, unsigned number);

/* One row of expr_ops.def. operands: how many of a, b, c are earlier rows of EXPR. */
uint32_t pkg_expr_operands(uint32_t op);

/* A feature id as words: "opcode task", "directive dispatch round_robin", "payload pto", or a text of features.def;
 * "0x1234" if unknown. */
void pkg_feature_text(uint32_t feature, char *text, size_t size);
/* The same backwards: 1 and the id, or 0. */
int pkg_feature_find(const char *text, uint32_t *feature_out);

/* A section type as its letters, or "0x00000000" if they cannot be printed. */
struct pkg_type_text {
	char text[12];
};
struct pkg_type_text pkg_type_text(uint32_t type);

#endif
