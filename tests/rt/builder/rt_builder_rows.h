/* SPDX-License-Identifier: MIT */
/* rt_builder_rows.h - what the files of rt_builder.h share. Out of memory ends the test program: these are tests. */
#ifndef RT_BUILDER_ROWS_H
#define RT_BUILDER_ROWS_H

#include "tests/rt/builder/rt_builder.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 80, TOUCHES = 16 };

/* Rows of one section. */
struct table {
	char *rows;
	uint32_t count, room, size;
};
struct touch {
	uint32_t arg;
	int64_t offset;
	uint64_t length;
	unsigned access;
};
struct test_kernel {
	unsigned flags;
	struct touch touches[TOUCHES];
	uint32_t touch_count;
};
struct open {
	uint32_t at, branch, branches;
};
struct builder {
	struct table strings, event, axis_value, entry_value, expr, axis, levels, level, region, tensor, dim, slot, kernel, param, variant, directive, entry,
		code, axes, meta;
	struct table kernels; /* struct test_kernel */
	struct table shapes;  /* uint64_t[2] per tensor, as it was asked for */
	struct open open[DEPTH];
	uint32_t depth;
	struct table channel, process, process_channel;
	struct ptowsp_section sections[32];
	char *work;
	uint32_t *kernel_rows;
	struct rt_kernels table;
	_Atomic uint64_t calls;
	_Atomic uint64_t questions; /* about cycles and footprints */
	bool idle;
	char log[2048];
};

static inline void *need(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

static inline uint32_t add(struct table *t, uint32_t size, const void *row)
{
	t->size = size;
	if (t->count == t->room) {
		t->room = t->room ? t->room * 2 : 16;
		t->rows = need(realloc(t->rows, (size_t)t->room * size));
	}
	memcpy(t->rows + (size_t)t->count * size, row, size);
	return t->count++;
}
#define ADD(t, row) add(&(t), sizeof(row), &(row))

static inline struct test_kernel *test_kernel(const struct builder *b, uint32_t kernel)
{
	return (struct test_kernel *)b->kernels.rows + kernel;
}

static inline struct ptowsp_instruction *instruction(struct builder *b, uint32_t at)
{
	return (struct ptowsp_instruction *)b->code.rows + at;
}

/* rt_builder_kernels.c: what its kernels are, for a program. */
struct rt_kernels builder_kernels_make(struct builder *b);

#endif
