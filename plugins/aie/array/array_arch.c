/* SPDX-License-Identifier: MIT */
/* array_arch.c - devices that arrays are written for, by name. */
#include "aie/array/array_own.h"

#include <stdio.h>
#include <string.h>

/* npu1 and npu2 and their parts are aie_arch.def's. The others have no costs of their own, those of npu1 stand for them: getDeviceName and AIETargetModel.cpp of mlir-aie. */
static const struct array_arch archs[] = {
	{"npu1", "npu1", 4, 6, 1, false},           {"npu1_1col", "npu1_1col", 1, 6, 1, false}, {"npu1_2col", "npu1_2col", 2, 6, 1, false},
	{"npu1_3col", "npu1_3col", 3, 6, 1, false}, {"npu1_4col", "npu1", 4, 6, 1, false},      {"npu2", "npu2", 8, 6, 1, false},
	{"npu4", "npu2", 8, 6, 1, false},           {"npu2_1col", "npu2_1col", 1, 6, 1, false}, {"npu2_2col", "npu2_2col", 2, 6, 1, false},
	{"npu2_3col", "npu2_3col", 3, 6, 1, false}, {"npu2_4col", "npu2_4col", 4, 6, 1, false}, {"npu2_5col", "npu2_5col", 5, 6, 1, false},
	{"npu2_6col", "npu2_6col", 6, 6, 1, false}, {"npu2_7col", "npu2_7col", 7, 6, 1, false}, {"xcvc1902", "npu1", 50, 9, 0, true},
	{"xcve2302", "npu1", 17, 4, 1, false},      {"xcve2802", "npu1", 38, 11, 2, false},
};

const struct array_arch *array_arch_find(const char *name)
{
	for (size_t i = 0; i < sizeof(archs) / sizeof(*archs); i++)
		if (!strcmp(archs[i].name, name))
			return &archs[i];
	return NULL;
}

const char *array_arch_names(char *text, size_t size)
{
	size_t length = 0;

	for (size_t i = 0; i < sizeof(archs) / sizeof(*archs) && length < size; i++)
		if (!strchr(archs[i].name, '_'))
			length += (size_t)snprintf(text + length, size - length, "%s, ", archs[i].name);
	if (length < size)
		snprintf(text + length, size - length, "or a part, as npu2_3col");
	return text;
}

enum aie_kind array_arch_kind(const struct array_arch *arch, int32_t row)
{
	return row == 0 ? AIE_SHIM : row <= arch->memtiles ? AIE_MEMTILE : AIE_CORE;
}
