/* SPDX-License-Identifier: MIT */
#include "rt/access/footprint.h"

#include "registry/common/common_grow.h"
#include <stdlib.h>
#include <string.h>

enum { RAW_KEPT = 4096 }; /* touches, for the next question */

struct rt_raw_touch {
	uint32_t arg, access; /* one access bit */
	struct rt_span span;
};

void rt_footprint_finish(struct rt_footprint *footprint)
{
	free(footprint->spans);
	free(footprint->args);
	free(footprint->raw);
	memset(footprint, 0, sizeof(*footprint));
}

/* Consecutive loads of a loop usually continue each other. */
static bool joined(struct rt_footprint *footprint, uint32_t arg, uint32_t access, struct rt_span span)
{
	for (uint32_t k = 1; k <= 4 && k <= footprint->raw_count; k++) {
		struct rt_raw_touch *last = &footprint->raw[footprint->raw_count - k];

		if (last->arg == arg && last->access == access && span.start >= last->span.start && span.start <= last->span.end) {
			last->span.end = span.end > last->span.end ? span.end : last->span.end;
			return true;
		}
	}
	return false;
}

static int compare(const void *a, const void *b)
{
	const struct rt_raw_touch *x = a, *y = b;

	if (x->arg != y->arg)
		return x->arg < y->arg ? -1 : 1;
	if (x->access != y->access)
		return x->access < y->access ? -1 : 1;
	return (x->span.start > y->span.start) - (x->span.start < y->span.start);
}

/* Sorted by argument and access; those of each are disjoint, and not adjacent. */
static void gather(struct rt_footprint *footprint)
{
	struct rt_raw_touch *raw = footprint->raw, *last = NULL;
	uint32_t kept = 0;

	if (footprint->raw_count)
		qsort(raw, footprint->raw_count, sizeof(*raw), compare);
	for (uint32_t i = 0; i < footprint->raw_count; i++) {
		if (last && last->arg == raw[i].arg && last->access == raw[i].access && raw[i].span.start <= last->span.end) {
			last->span.end = raw[i].span.end > last->span.end ? raw[i].span.end : last->span.end;
		} else {
			last = &raw[kept++];
			*last = raw[i];
		}
	}
	footprint->raw_count = kept;
	footprint->too_many = kept > RT_FOOTPRINT_SPANS;
}

/* A kernel may touch element by element in any order: a span of many such touches counts once. */
static void raw_add(struct rt_footprint *footprint, uint32_t arg, uint32_t access, struct rt_span span)
{
	if (footprint->too_many || joined(footprint, arg, access, span))
		return;
	if (footprint->raw_count == 2 * RT_FOOTPRINT_SPANS)
		gather(footprint);
	if (!COMMON_GROW(footprint->raw, footprint->raw_room, footprint->raw_count)) {
		footprint->out_of_memory = true;
		return;
	}
	footprint->raw[footprint->raw_count++] = (struct rt_raw_touch){arg, access, span};
}

/* In which order, and how wide. */
static void turn_note(struct rt_footprint *footprint, struct rt_touched *arg, uint64_t width, unsigned access)
{
	footprint->told++;
	if (access & PTOWSP_READ)
		arg->last_read = footprint->told;
	if (!(access & PTOWSP_WRITE))
		return;
	arg->first_write = arg->first_write ? arg->first_write : footprint->told;
	if (width && (!arg->widest || width < arg->narrowest))
		arg->narrowest = width;
	arg->widest = width > arg->widest ? width : arg->widest;
}

static void touched(void *sink, uint32_t arg, int64_t offset, uint64_t length, uint64_t width, unsigned access)
{
	struct rt_footprint *footprint = sink;
	struct rt_span span = {offset < -RT_FAR ? -RT_FAR : offset, RT_FAR};

	if (arg >= footprint->arg_count || !length)
		return;
	turn_note(footprint, &footprint->args[arg], width, access);
	if (footprint->scales[arg] > 1) {
		offset = offset > -RT_FAR / 8 && offset < RT_FAR / 8 ? offset * footprint->scales[arg] : offset < 0 ? -RT_FAR : RT_FAR;
		length = length < (uint64_t)RT_FAR / 8 ? length * footprint->scales[arg] : UINT64_MAX;
		span.start = offset < -RT_FAR ? -RT_FAR : offset;
	}
	if (offset >= RT_FAR)
		span.start = RT_FAR - 1; /* beyond every tensor: the bound check says so */
	else if (length < (uint64_t)RT_FAR && span.start + (int64_t)length < RT_FAR)
		span.end = span.start + (int64_t)length;
	for (unsigned bit = PTOWSP_READ; bit <= PTOWSP_WRITE; bit <<= 1)
		if (access & bit)
			raw_add(footprint, arg, bit, span);
}

/* A span for each touch that is left. */
static bool spans_make(struct rt_footprint *footprint)
{
	for (uint32_t i = 0; i < footprint->raw_count; i++) {
		const struct rt_raw_touch *touch = &footprint->raw[i];
		struct rt_touched *arg = &footprint->args[touch->arg];
		uint32_t *first = touch->access == PTOWSP_READ ? &arg->read : &arg->write;
		uint32_t *count = touch->access == PTOWSP_READ ? &arg->read_count : &arg->write_count;

		if (!COMMON_GROW(footprint->spans, footprint->span_room, i))
			return false;
		footprint->spans[i] = touch->span;
		*first = *count ? *first : i;
		++*count;
	}
	for (uint32_t a = 0; a < footprint->arg_count; a++) {
		struct rt_touched *arg = &footprint->args[a];
		bool any = false;

		for (uint32_t k = 0; k < arg->read_count + arg->write_count; k++) {
			const struct rt_span *span = &footprint->spans[k < arg->read_count ? arg->read + k : arg->write + k - arg->read_count];

			arg->least = any && arg->least < span->start ? arg->least : span->start;
			arg->most = any && arg->most > span->end ? arg->most : span->end;
			any = true;
		}
	}
	return true;
}

ptowsp_status rt_footprint_ask(struct rt_footprint *footprint, const struct rt_kernels *kernels, uint32_t kernel, const uint64_t *args, const uint8_t *scales,
			       uint32_t arg_count)
{
	ptowsp_status status = PTOWSP_UNSUPPORTED;

	if (!footprint->args || footprint->arg_count != arg_count) {
		free(footprint->args);
		footprint->args = calloc((size_t)arg_count + 1, sizeof(*footprint->args));
		footprint->arg_count = footprint->args ? arg_count : 0;
		if (!footprint->args)
			return PTOWSP_NO_MEMORY;
	}
	memset(footprint->args, 0, arg_count * sizeof(*footprint->args));
	footprint->raw_count = 0;
	footprint->told = 0;
	footprint->too_many = false;
	footprint->scales = scales;
	if (kernels->footprint)
		status = kernels->footprint(kernels->context, kernel, args, touched, footprint);
	if (footprint->out_of_memory)
		return PTOWSP_NO_MEMORY;
	gather(footprint);
	footprint->known = !status && !footprint->too_many;
	footprint->asked = true;
	if (footprint->known && !spans_make(footprint))
		status = PTOWSP_NO_MEMORY;
	if (footprint->raw_room > RAW_KEPT) {
		free(footprint->raw);
		footprint->raw = NULL;
		footprint->raw_room = footprint->raw_count = 0;
	}
	return status == PTOWSP_UNSUPPORTED ? PTOWSP_OK : status;
}
