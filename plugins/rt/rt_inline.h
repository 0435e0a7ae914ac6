/* SPDX-License-Identifier: MIT */
/* rt_inline.h - functions on the way of every task. */
#ifndef RT_INLINE_H
#define RT_INLINE_H

/* A call would put into memory what they work on in registers. */
#if defined(__GNUC__)
#define RT_INLINE static inline __attribute__((always_inline))
#else
#define RT_INLINE static inline
#endif

#endif
