/* SPDX-License-Identifier: MIT */
/* common_inline.h - functions on the way of every task, or of every expression. */
#ifndef COMMON_INLINE_H
#define COMMON_INLINE_H

/* A call would put into memory what they work on in registers. */
#if defined(__GNUC__)
#define COMMON_INLINE static inline __attribute__((always_inline))
#else
#define COMMON_INLINE static inline
#endif

#endif
