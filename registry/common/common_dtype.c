/* SPDX-License-Identifier: MIT */
#include "registry/common/common_dtype.h"

#include <stddef.h>

static const struct common_dtype dtypes[] = {
#define X(name, code, bytes, cls, text, descr) [code] = {text, descr, code, bytes, cls},
#include "ptowsp/dtype.def"
#undef X
};

const struct common_dtype *common_dtype(uint64_t code)
{
	return code < sizeof(dtypes) / sizeof(*dtypes) ? &dtypes[code] : NULL;
}

uint16_t common_dtype_bytes(uint64_t code)
{
	return common_dtype(code) ? dtypes[code].bytes : 0;
}

char common_dtype_class(uint64_t code)
{
	return common_dtype(code) ? dtypes[code].class : 0;
}

const char *common_dtype_text(uint64_t code)
{
	return common_dtype(code) ? dtypes[code].text : "?";
}
