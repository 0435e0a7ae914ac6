/* SPDX-License-Identifier: MIT */
/* mirror.h - elements that the core itself reads, writes or clears, where kernels may have them in a device's memory (rt.h). */
#ifndef RT_ACCESS_MIRROR_H
#define RT_ACCESS_MIRROR_H

#include "rt/rt.h"
#include <string.h>

static inline void rt_mirror_arena(const struct rt_mirror *mirror, void *base, uint64_t bytes)
{
	if (mirror)
		mirror->arena(mirror->context, base, bytes);
}
static inline void rt_mirror_fetch(const struct rt_mirror *mirror, const void *at, uint64_t bytes)
{
	if (mirror)
		mirror->fetch(mirror->context, at, bytes);
}
static inline void rt_mirror_push(const struct rt_mirror *mirror, const void *at, uint64_t bytes)
{
	if (mirror)
		mirror->push(mirror->context, at, bytes);
}
static inline void rt_mirror_clear(const struct rt_mirror *mirror, void *at, uint64_t bytes)
{
	if (mirror)
		mirror->clear(mirror->context, at, bytes);
	else
		memset(at, 0, (size_t)bytes);
}

#endif
