/* SPDX-License-Identifier: MIT
 * slow_room.h - the bounded resources: who holds what, is there room for an item, which tasks have left. */
#ifndef TESTS_MODEL_SLOW_ROOM_H
#define TESTS_MODEL_SLOW_ROOM_H

#include "tests/model/slow_state.h"

/* Room for a TASK or ALLOC, whatever is issued behind it. */
bool slow_room(const struct slow *s, enum slow_resource resource, int item);
/* It has what it needs: high-water marks of that, from `first` on. */
void slow_room_mark(struct slow *s, int item, enum slow_resource first);
void slow_room_stalled(struct slow *s, enum slow_resource resource, int item, uint64_t cycles);
/* Something ended, or a scope did: `ended` and `left` as they are now. */
void slow_room_leave(struct slow *s);

#endif
