/* SPDX-License-Identifier: MIT */
/* about.h - what a package says of itself beside its program: facts, features that it needs, sample data. */
#ifndef LANG_ABOUT_H
#define LANG_ABOUT_H

#include "lang/decl.h"

/* LANG_DECL_META: meta license "MIT" */
struct lang_meta {
	struct lang_decl head;
	const char *key, *text;
};
/* LANG_DECL_REQUIRE: require "opcode send" enforced */
struct lang_require {
	struct lang_decl head;
	const char *feature;
	uint16_t state; /* 1 diagnosed, 2 recorded, 3 enforced */
};
/* LANG_DECL_SAMPLE: sample %x input [2, 2] = [1, 2, 3, 4] */
struct lang_sample {
	struct lang_decl head; /* without a name of its own */
	const char *tensor;    /* a declared one, or "function.memref" */
	uint16_t role;         /* PTOWSP_SAMPLE_x */
	uint64_t extents[4];
	uint32_t rank; /* 0: one dimension, as long as the data */
	uint8_t form;  /* enum lang_sample_form */
	struct lang_span data_at;
	const char *text; /* base64, or the name of a file */
	const struct lang_token **numbers;
	uint32_t number_count, number_capacity;
};
enum lang_sample_form { LANG_SAMPLE_NUMBERS, LANG_SAMPLE_BASE64, LANG_SAMPLE_FILE };

void lang_meta_parse(struct lang_parser *parser);
void lang_require_parse(struct lang_parser *parser);
void lang_require_build(struct lang_lower *lower, struct lang_decl *decl);
void lang_sample_parse(struct lang_parser *parser);
void lang_sample_build(struct lang_lower *lower, struct lang_decl *decl);
/* The facts that every package begins with, then those of the source. */
void lang_facts_build(struct lang_lower *lower, const char *name, const char *producer);

#endif
