/* SPDX-License-Identifier: MIT */
/* rt_inline.h - functions on the way of every task. */
#ifndef RT_INLINE_H
#define RT_INLINE_H

#include "registry/common/common_inline.h"

#define RT_INLINE COMMON_INLINE

#endif
