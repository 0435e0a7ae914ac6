/* SPDX-License-Identifier: MIT */
/* live.h - which tiles hold a value that is still read, everywhere in a verified program. Only while a plan is made. */
#ifndef ISA_LIVE_H
#define ISA_LIVE_H

#include "isa/isa_program.h"

/* Nodes: runs of instructions without control, and each control instruction; sets of tiles as bits, `words` of 64 each. */
struct isa_live {
	uint32_t nodes, words;
	uint32_t *start;       /* per node its first instruction; start[nodes] is behind the last */
	struct isa_uses *uses; /* per instruction */
	uint64_t *sets;        /* per node: read before written, written, live at its begin, live at its end */
};

/* Whether the program is small enough: the time and memory that a load takes have a bound. */
bool isa_live_fits(const struct isa_program *p);
/* NO_MEMORY; then there is nothing to finish. */
ptowsp_status isa_live_make(struct isa_live *live, const struct isa_program *p);
void isa_live_finish(struct isa_live *live);
uint64_t *isa_live_in(const struct isa_live *live, uint32_t node);
uint64_t *isa_live_out(const struct isa_live *live, uint32_t node);
/* Goes over one instruction from behind: `set` holds what is live behind it, then before it. */
void isa_live_back(const struct isa_uses *uses, uint64_t *set);

static inline bool isa_set_has(const uint64_t *set, uint32_t tile)
{
	return set[tile / 64] >> tile % 64 & 1;
}

static inline void isa_set_add(uint64_t *set, uint32_t tile)
{
	set[tile / 64] |= UINT64_C(1) << tile % 64;
}

static inline void isa_set_drop(uint64_t *set, uint32_t tile)
{
	set[tile / 64] &= ~(UINT64_C(1) << tile % 64);
}

#endif
