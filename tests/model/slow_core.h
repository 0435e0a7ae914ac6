/* SPDX-License-Identifier: MIT
 * slow_core.h - cores behind their registers: which one gets a task, when that starts and when its FIN is seen. */
#ifndef TESTS_MODEL_SLOW_CORE_H
#define TESTS_MODEL_SLOW_CORE_H

#include "tests/model/slow_state.h"

void slow_cores_make(struct slow *s);
/* The lowest idle one, or cluster; else, in turns, one that has a payload free: *cursor_out is where the turns then are. SLOW_NONE: none. */
int slow_core_find(struct slow *s, int instance, enum slow_kind kind, int *cursor_out);
/* A payload of it is in use from now on, or not any more. */
void slow_core_hold(struct slow *s, int at, enum slow_kind kind);
void slow_core_free(struct slow *s, int at, enum slow_kind kind);
/* The token is written. */
void slow_core_send(struct slow *s, int at, int task);
/* The earliest FIN that has come, lowest core first, goes to the list of its instance. False: none has. */
bool slow_core_fin(struct slow *s);
/* When the next one comes. */
uint64_t slow_core_time(const struct slow *s);
/* As it stands in a trace. */
uint32_t slow_core_number(const struct slow *s, int at);

#endif
