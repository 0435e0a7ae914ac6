/* SPDX-License-Identifier: MIT */
/* dtype.h - element types, from dtype.def. */
#ifndef RT_DTYPE_H
#define RT_DTYPE_H

#include "registry/common/common_dtype.h"

static inline uint16_t rt_dtype_bytes(unsigned dtype)
{
	return common_dtype_bytes(dtype);
}

static inline const char *rt_dtype_text(unsigned dtype)
{
	return common_dtype_text(dtype);
}

#endif
