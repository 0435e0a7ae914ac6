/* SPDX-License-Identifier: MIT */
#include "patience.h"

#include <stdio.h>
#include <string.h>

#include "error.h"
#include "rt/structure/memory_limit.h"

enum { SLICE = 1024 };                      /* work between two looks at the clock: about a millisecond */
enum { PIECE = 1 << 20, PIECE_WORK = 256 }; /* bytes that are copied at once, and what work that is */
#define HELD_NS UINT64_C(10000000)          /* between two looks at memory, which takes microseconds */

struct base_patience base_patience_of(const struct ptowsp_host *host, const struct rt_run_args *args, uint64_t most)
{
	struct rt_memory_limit now;

	rt_memory_limit_begin(&now, 1, 0);
	return (struct base_patience){.host = host,
				      .cancel = args->cancel,
				      .deadline_ns = args->args->deadline_ns,
				      .held = args->held && args->held->limit ? args->held : NULL,
				      .before = now.before,
				      .most = most};
}

/* With a limit of 1 byte above what there was: how many bytes there are more than that. */
static uint64_t taken(const struct base_patience *patience)
{
	const struct rt_memory_limit held = {.limit = 1, .before = patience->before};

	return rt_memory_limit_bytes(&held);
}

static bool memory_over(struct base_patience *patience)
{
	if (patience->held)
		return rt_memory_limit_bytes(patience->held) > patience->held->limit;
	return patience->most && taken(patience) > patience->most;
}

bool base_patience_look(struct base_patience *patience)
{
	const uint64_t now = patience->host->now_ns(patience->host->context);

	patience->left = SLICE;
	if (patience->ended)
		return true;
	if (patience->cancel && __atomic_load_n(patience->cancel, __ATOMIC_RELAXED))
		patience->ended = PTOWSP_CANCELLED;
	else if (patience->deadline_ns && now >= patience->deadline_ns)
		patience->ended = PTOWSP_DEADLINE;
	else if (now - patience->held_ns >= HELD_NS) {
		patience->held_ns = now;
		if (memory_over(patience))
			patience->ended = PTOWSP_TOO_BIG;
	}
	return patience->ended;
}

/* "the program's tasks" before the first one is known; "1 task", "14 tasks". */
static const char *tasks_text(const struct base_patience *patience, char text[32])
{
	if (!patience->tasks)
		return "the program's tasks";
	snprintf(text, 32, "%llu task%s", (unsigned long long)patience->tasks, patience->tasks == 1 ? "" : "s");
	return text;
}

static ptowsp_status memory_fail(const struct base_patience *patience, struct ptowsp_error *error)
{
	char tasks[32];

	/* The memory that was too much may have been given back since. */
	if (patience->held)
		return base_fail(error, PTOWSP_TOO_BIG,
				 "planning %s before they run takes more memory than the limit (--max-memory) of %llu bytes, %llu of them tensors and tiles; "
				 "raise it, or take another backend, such as cpu_sim",
				 tasks_text(patience, tasks), (unsigned long long)patience->held->limit, (unsigned long long)patience->held->given);
	return base_fail(error, PTOWSP_TOO_BIG,
			 "planning %s before they run takes more than %llu bytes of memory; let each task do more, allow more with --max-memory, or take "
			 "another backend, such as cpu_sim",
			 tasks_text(patience, tasks), (unsigned long long)patience->most);
}

bool base_patience_copy(struct base_patience *patience, void *to, const void *from, uint64_t bytes)
{
	bool over = false;

	for (uint64_t at = 0; at < bytes && !over; at += PIECE) {
		memcpy((char *)to + at, (const char *)from + at, bytes - at < PIECE ? bytes - at : PIECE);
		over = base_patience_over(patience, PIECE_WORK);
	}
	return !over;
}

ptowsp_status base_patience_told(const struct base_patience *patience, ptowsp_status status, struct ptowsp_error *error)
{
	char tasks[32];

	if (!patience || !status)
		return status;
	switch (patience->ended) {
	case PTOWSP_CANCELLED: return base_fail(error, PTOWSP_CANCELLED, "the run was cancelled while it planned %s", tasks_text(patience, tasks));
	case PTOWSP_DEADLINE:
		return base_fail(error, PTOWSP_DEADLINE, "the deadline passed while it planned and simulated %s; allow more time with --timeout-ms",
				 tasks_text(patience, tasks));
	case PTOWSP_TOO_BIG: return memory_fail(patience, error);
	default: return status;
	}
}

ptowsp_status base_patience_check(struct base_patience *patience, struct ptowsp_error *error)
{
	return patience && base_patience_look(patience) ? base_patience_told(patience, patience->ended, error) : PTOWSP_OK;
}
