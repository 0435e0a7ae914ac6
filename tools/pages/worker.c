/* SPDX-License-Identifier: MIT */
/* worker.c - what is said of ptowsp-worker, whose sources are in host/. It has a manual page and nothing else: nobody calls it. */
#include "tools/pages/page.h"

static const struct page_row rows[] = {
	PAGE_U("", "") PAGE_P("Nobody calls this by hand: libptowsp starts one for each backend that is opened with isolation (ptowsp-run --isolate=process or "
			      "--isolate=sandbox, and by itself for plugins "
			      "that are not where and whose they should be). It loads one plugin and makes the host's calls to it, in a process whose crash or "
			      "hang is one failed run of the host.")
		PAGE_P("It has /dev/null as its standard input and output, the host's standard error, a socket, the memory that both share, and the plugin's "
		       "file. There are two processes of it for each backend: "
		       "the keeper, which no plugin runs in, and the worker. When the host ends, in whatever way, or the worker, the keeper ends the worker "
		       "and all that the plugin has started. In a sandbox it may read the system's libraries and the plugin's folder, write nothing, reach no "
		       "network and start no process.") PAGE_P("Started in another way it says so and leaves.") PAGE_E("0", "the host has told it to end")
			PAGE_E("1", "the host says what no host says, or there is no memory") PAGE_E("2", "it was started by somebody else")};

const struct page page_worker = {"ptowsp-worker", "runs a plugin of libptowsp in a process of its own", "", rows, sizeof(rows) / sizeof(*rows), 1, 0};
