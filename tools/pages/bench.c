/* SPDX-License-Identifier: MIT */
/* bench.c - what ptowsp-bench says about itself. */
#include "tools/pages/page.h"

#define G                       PAGE_G
#define X                       PAGE_X
#define B(name, function, text) PAGE_W(name, text)
static const struct page_row rows[] = {
	PAGE_U("[--reps N] [--threads N] [--packages DIR] [--plugin NAME] [--shape NAME] [--seed N] [--small] [--tsv] [--json] [NAME...]", "") PAGE_U(
		"peer --workload SHAPE --n N --threads T --work-ns S --reps R [--deps exact|overlap] [--window N] [--plugin NAME] [--packages DIR]", "")
		PAGE_P("Prints one table: median, least and most of the repetitions, how many of them were disturbed by others, "
		       "beside a reference figure and a target where there is one, and whether the median meets it, which is unclear where most of them "
		       "were disturbed; \"-\" is what cannot be measured. Without a NAME all of them.") PAGE_G("Benchmarks")
#include "tools/bench/cases.def"
			PAGE_W("peer", "one row in the columns of a comparison of task-graph runtimes; --columns prints them; w1 to w4 are the shapes llama, "
				       "wavefront, independent, chain; exit status 3 for what does not apply")
#include "tools/bench/flags.def"
				PAGE_E("0", "success") PAGE_E("1", "a benchmark could not be run") PAGE_E("2", "usage, or a table that cannot be written")
					PAGE_E("3", "peer: a workload that does not apply")};
#undef B
#undef X
#undef G

const struct page page_bench = {"ptowsp-bench", "the project's benchmarks, one table", "", rows, sizeof(rows) / sizeof(*rows), 0, 0};
