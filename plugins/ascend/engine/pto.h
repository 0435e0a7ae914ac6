/* SPDX-License-Identifier: MIT */
/* pto.h - options of the Ascend backends for the pto-runtime engine. */
#ifndef ASCEND_PTO_H
#define ASCEND_PTO_H

#include "ascend/engine/engine.h"
#include "base/options.h"

/* Constant after init; a member of the backend's options. */
struct ascend_pto {
	unsigned engine;  /* enum ascend_pto_engine */
	unsigned variant; /* place in the words of the option */
	unsigned edges;   /* enum ascend_edges_of */
	char runtime[BASE_TEXT], cache[BASE_TEXT], records[BASE_TEXT];
};
enum ascend_edges_of { ASCEND_EDGES_STATED, ASCEND_EDGES_MAPPED };
enum ascend_pto_engine { ASCEND_PTO_RUNTIME, ASCEND_BUILT_IN }; /* a device has the first one only */

/* Rows of a backend's table, whose options struct has `pto` at this place. */
#define ASCEND_PTO_OPTIONS(type, pto)                                                                                                                          \
	BASE_OPTION(offsetof(type, pto.runtime), "runtime", "path", "", "", "the root of a pto-runtime that was built in place"),                              \
		BASE_OPTION(offsetof(type, pto.variant), "variant", "word", ASCEND_TASK_BUFFER, ASCEND_TASK_BUFFER "|" ASCEND_HOST_GRAPH,                      \
			    "which of its runtimes runs a program"),                                                                                           \
		BASE_OPTION(offsetof(type, pto.edges), "edges", "word", "stated", "stated|runtime",                                                            \
			    "who finds which tasks a task comes behind: deps as ever, or the runtime by its own map, which lets a write pass earlier reads"),  \
		BASE_OPTION(offsetof(type, pto.records), "records", "path", "", "",                                                                            \
			    "a folder where the runtime writes down what a run did: swimlane, edges, PMU counters, scopes; empty: nothing"),                   \
		BASE_OPTION(offsetof(type, pto.cache), "cache", "path", "", "",                                                                                \
			    "where what is compiled for it is kept; empty: $XDG_CACHE_HOME/ptowsp or ~/.cache/ptowsp")
#define ASCEND_PTO_ENGINE(type, pto)                                                                                                                           \
	BASE_OPTION(offsetof(type, pto.engine), "engine", "word", "built-in", "pto-runtime|built-in",                                                          \
		    "who runs tasks: this library, or the runtime that runtime=DIR names")
#define ASCEND_PTO_ENGINE_ALONE(type, pto)                                                                                                                     \
	BASE_OPTION(offsetof(type, pto.engine), "engine", "word", "pto-runtime", "pto-runtime", "who runs tasks: the runtime that runtime=DIR names")

#endif
