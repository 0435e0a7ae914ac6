/* SPDX-License-Identifier: MIT */
/* builder_deps.h - who touched what: per tensor, pieces of its elements with their latest writer and who has read them since. Bounded: when the pieces are used
 * up, the builder waits for all tasks and begins again with none. One thread. */
#ifndef BUILDER_DEPS_H
#define BUILDER_DEPS_H

#include <stdint.h>

struct BuilderTracker;
BuilderTracker *tracker_create(uint32_t tensors, uint32_t pieces); /* NULL: no memory */
void tracker_destroy(BuilderTracker *tracker);
void tracker_clear(BuilderTracker *tracker);
/* Has it room for an access of so many pieces? Each takes up to three. */
bool tracker_fits(const BuilderTracker *tracker, uint64_t pieces);
/* Task touches elements [from, to) of a tensor: found(context, other) for each task before it that it has to wait for; full: also for readers and writers
 * before a write. Reads of a task come before its writes. */
typedef void (*tracker_found)(void *context, uint64_t other);
void tracker_read(BuilderTracker *tracker, uint32_t tensor, uint64_t from, uint64_t to, uint64_t task, tracker_found found, void *context);
void tracker_write(BuilderTracker *tracker, uint32_t tensor, uint64_t from, uint64_t to, uint64_t task, bool full, tracker_found found, void *context);
/* The same without entering anything: all who touched them (write), or wrote them. */
void tracker_look(const BuilderTracker *tracker, uint32_t tensor, uint64_t from, uint64_t to, bool readers, tracker_found found, void *context);

#endif
