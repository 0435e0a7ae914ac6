/* SPDX-License-Identifier: MIT */
/* build_refused.h - what a builder refuses, in one line of a test: the sentence and the calls that lead to it. */
#ifndef TESTS_BUILD_REFUSED_H
#define TESTS_BUILD_REFUSED_H

#include "lang/builder.h"
#include "tests/check.h"

/* Operands of one instruction. */
#define OP(b, mnemonic, ...) ptowsp_build_op((b), (mnemonic), 0, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* What most refusals begin with. */
struct parts {
	struct ptowsp_build *b;
	uint32_t n, slot, zero, one, tensor, kernel, axis, region, event, channel;
};

static inline struct parts parts_build(void)
{
	struct parts p = {.b = ptowsp_build_create("parts")};

	p.n = ptowsp_build_symbol(p.b, "n", "u64");
	p.slot = ptowsp_build_slot(p.b, "s", "i32");
	p.zero = ptowsp_build_number(p.b, 0);
	p.one = ptowsp_build_number(p.b, 1);
	p.tensor = ptowsp_build_tensor(p.b, "t", "f32", "inout");
	p.kernel = ptowsp_build_kernel(p.b, "k", "any");
	ptowsp_build_param(p.b, p.kernel, "x", "f32", "inout");
	ptowsp_build_param_scalar(p.b, p.kernel, "v", "i32");
	p.axis = ptowsp_build_axis(p.b, "i", "dense", p.zero, p.n, p.one, 0);
	p.region = ptowsp_build_region(p.b, p.tensor, p.zero, p.zero, 1, 1);
	p.event = ptowsp_build_event(p.b, "e");
	p.channel = ptowsp_build_channel(p.b, "c", "token", 1, 0);
	CHECK_STR(ptowsp_build_error(p.b), "");
	return p;
}

/* Makes parts p, does the calls, and compares the sentence; the last call returns 0. */
#define REFUSED(text, ...)                                                                                                                                     \
	do {                                                                                                                                                   \
		struct parts p = parts_build();                                                                                                                \
		struct ptowsp_build *b = p.b;                                                                                                                  \
		CHECK_UINT((__VA_ARGS__), 0);                                                                                                                  \
		CHECK_STR(ptowsp_build_error(b), text);                                                                                                        \
		CHECK(ptowsp_build_status(b) == PTOWSP_INVALID);                                                                                               \
		CHECK_UINT(ptowsp_build_number(b, 1), 0);                                                                                                      \
		CHECK_STR(ptowsp_build_error(b), text);                                                                                                        \
		CHECK(ptowsp_build_bytes(b) == NULL);                                                                                                          \
		ptowsp_build_destroy(b);                                                                                                                       \
	} while (0)
/* Code may follow. */
#define CODE ptowsp_build_entry(b, "main")

#endif
