/* SPDX-License-Identifier: MIT */
/* fake_host_graph.c - the fake runtime as host_build_graph. */
#include <stdbool.h>

extern const bool fake_host_graph;
const bool fake_host_graph = true;
