/* SPDX-License-Identifier: MIT */
/* verify_samples.c - sample data: one run of bytes per tensor, as large as it. */
#include "format/verify/verify.h"

#include "registry/common/common_dtype.h"

#include <stdlib.h>

#define MUST(condition, ...) PKG_MUST(&c->place, condition, __VA_ARGS__)

/* Bytes of a sample, or 0 with *valid_out 0 if they do not fit into 64 bits. */
static uint64_t sample_bytes(const struct pkg_tables *t, const struct ptowsp_sample_record *s, int *valid_out)
{
	const uint64_t extents[4] = {s->extent0, s->extent1, s->extent2, s->extent3};
	uint64_t bytes = common_dtype_bytes(t->tensor[s->tensor].dtype);

	*valid_out = 1;
	for (uint32_t k = 0; k < s->rank && *valid_out; k++)
		if (__builtin_mul_overflow(bytes, extents[k], &bytes))
			*valid_out = 0;
	return bytes;
}

static ptowsp_status sample_check(const struct pkg_check *c, uint32_t i)
{
	const struct ptowsp_sample_record *s = &c->tables->sample[i];
	const uint64_t extents[4] = {s->extent0, s->extent1, s->extent2, s->extent3};
	uint64_t bytes;
	int valid;

	MUST(s->rank >= 1 && s->rank <= 4, "TDAT[%u].rank is %u: ranks are 1 to 4", (unsigned)i, (unsigned)s->rank);
	for (uint32_t k = s->rank; k < 4; k++)
		MUST(!extents[k], "TDAT[%u].extent%u is %llu: beyond the rank of %u it must be 0", (unsigned)i, (unsigned)k, (unsigned long long)extents[k],
		     (unsigned)s->rank);
	bytes = sample_bytes(c->tables, s, &valid);
	MUST(valid && bytes == s->size, "TDAT[%u].size is %llu: its extents and element type do not make that", (unsigned)i, (unsigned long long)s->size);
	MUST(s->offset % PKG_BLOB_ALIGNMENT == 0, "TDAT[%u].offset is %llu, which is no multiple of %u", (unsigned)i, (unsigned long long)s->offset,
	     PKG_BLOB_ALIGNMENT);
	return PTOWSP_OK;
}

static ptowsp_status samples_unique_check(const struct pkg_check *c, uint8_t *seen)
{
	const struct pkg_tables *t = c->tables;

	for (uint32_t i = 0; i < t->sample_count; i++) {
		uint8_t bit = (uint8_t)(1u << t->sample[i].role);

		MUST(!(seen[t->sample[i].tensor] & bit), "TDAT[%u]: another row gives the same tensor (\"%.40s\") for the same role", (unsigned)i,
		     pkg_string(t, t->tensor[t->sample[i].tensor].name));
		seen[t->sample[i].tensor] |= bit;
	}
	return PTOWSP_OK;
}

ptowsp_status pkg_verify_samples(const struct pkg_check *c)
{
	uint8_t *seen = calloc((size_t)c->tables->tensor_count + 1, 1);
	ptowsp_status status = PTOWSP_OK;

	if (!seen)
		return pkg_fail(c->place.error, PTOWSP_NO_MEMORY, "%s: out of memory", c->place.file);
	for (uint32_t i = 0; i < c->tables->sample_count && !status; i++)
		status = sample_check(c, i);
	if (!status)
		status = samples_unique_check(c, seen);
	free(seen);
	return status;
}
