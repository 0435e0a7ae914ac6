/* SPDX-License-Identifier: MIT */
/* emit_home.h - where tiles of a core's function lie, and places in its windows. One thread. */
#ifndef ISA_EMIT_HOME_H
#define ISA_EMIT_HOME_H

#include "isa/emit/emit_state.h"

/* `homes` and `done` of an emitter with a core: tiles that lie in windows, and the loads and stores that are then none. Errors: NO_MEMORY. */
ptowsp_status isa_homes_find(struct isa_emitter *e);

/* The place of the tload or tstore i: elements from row to row in its window; whether its rows lie one behind the other; an expression, the pointer to its first element; elements from
 * the window's first to it, if always the same. */
uint64_t isa_place_step(const struct isa_emitter *e, uint32_t i);
bool isa_place_packed(const struct isa_emitter *e, uint32_t i);
struct isa_piece isa_place_pointer(struct isa_emitter *e, uint32_t i);
bool isa_place_constant(const struct isa_emitter *e, uint32_t i, int64_t *at_out);
/* Two places: the same, element by element; no element in common. Neither may be known. */
bool isa_places_same(const struct isa_emitter *e, uint32_t a, uint32_t b);
bool isa_places_apart(const struct isa_emitter *e, uint32_t a, uint32_t b);

#endif
