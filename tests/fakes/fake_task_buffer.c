/* SPDX-License-Identifier: MIT */
/* fake_task_buffer.c - the fake runtime as tensormap_and_ringbuffer. */
#include <stdbool.h>

extern const bool fake_host_graph;
const bool fake_host_graph = false;
