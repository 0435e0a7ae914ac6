/* SPDX-License-Identifier: MIT */
#include "lang/builder_calls.h"

#include <string.h>

#define TEXT(i) a[i].text
#define U32(i) (uint32_t)a[i].number
#define I32(i) (int32_t)(uint32_t)a[i].number
#define U64(i) a[i].number
#define I64(i) (int64_t)a[i].number
#define BYTES(i) a[i].data
#define U32S(i) a[i].data
#define U64S(i) a[i].data
#define I64S(i) a[i].data

#define CALL(name, makes, args, ...)                                                                                   \
	static uint32_t call_##name(struct ptowsp_build *b, const struct build_arg *a)                                 \
	{                                                                                                              \
		return ptowsp_build_##name(b, __VA_ARGS__);                                                            \
	}
#define CALL0(name, makes)                                                                                             \
	static uint32_t call_##name(struct ptowsp_build *b, const struct build_arg *a)                                 \
	{                                                                                                              \
		(void)a;                                                                                               \
		return ptowsp_build_##name(b);                                                                         \
	}
#include "lang/builder.def"
#undef CALL
#undef CALL0

#define CALL(name, makes, args, ...) {#name, args, BUILD_##makes, call_##name},
#define CALL0(name, makes) {#name, "", BUILD_##makes, call_##name},
static const struct build_call calls[] = {
#include "lang/builder.def"
};
#undef CALL
#undef CALL0

const struct build_call *build_calls(uint32_t *count_out)
{
	*count_out = sizeof(calls) / sizeof(*calls);
	return calls;
}

const struct build_call *build_call_find(const char *name)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (!strcmp(calls[i].name, name))
			return &calls[i];
	return NULL;
}
