/* SPDX-License-Identifier: MIT */
#include "starpu/spu_same.h"

#include "base/error.h"
#include "starpu/spu_watch.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* What rank 0 has found, for all. */
struct answer {
	char text[200]; /* "": all are about to do the same */
	bool left, alone;
};
static bool left; /* a rank has left while others had more to do: nobody asks again */

void spu_same_content(struct base_digest *digest, const void *bytes, uint64_t size)
{
	enum { END = 1 << 16 };
	const char *at = bytes;

	base_digest_add(digest, &size, sizeof(size));
	base_digest_add(digest, at, size < 2 * END ? size : END);
	if (size >= 2 * END)
		base_digest_add(digest, at + size - END, END);
}

#define MEMBER(member) offsetof(struct spu_next, member), sizeof(((struct spu_next *)NULL)->member)
static const struct {
	const char *text;
	size_t at, size;
} members[] = {{"another package or schedule", MEMBER(package)},
	       {"another entry", MEMBER(entry)},
	       {"other values (--set)", MEMBER(values)},
	       {"results for all ranks or for rank 0 alone, otherwise", MEMBER(all)},
	       {"the option whole otherwise", MEMBER(whole)},
	       {"the options nopencl or where otherwise", MEMBER(opencl)},
	       {"other flags of a run (--no-kernels, --strict)", MEMBER(flags)},
	       {"another limit of tasks", MEMBER(tasks)},
	       {"a deadline where the other has none", MEMBER(deadline)},
	       {"other shapes of tensors", MEMBER(shapes)},
	       {"other inputs", MEMBER(inputs)}};

static void runs_compare(struct answer *answer, const struct spu_world *world, const struct spu_next *own, uint32_t rank, const struct spu_next *other)
{
	for (size_t m = 0; m < sizeof(members) / sizeof(*members); m++)
		if (memcmp((const char *)own + members[m].at, (const char *)other + members[m].at, members[m].size)) {
			snprintf(answer->text, sizeof(answer->text), "starpu: rank %u/%u has %s than rank 0; give all ranks the same", rank, world->count,
				 members[m].text);
			return;
		}
}

static void nexts_compare(struct answer *answer, const struct spu_world *world, const struct spu_next *own, uint32_t rank, const struct spu_next *other)
{
	const uint32_t gone = other->leaves ? rank : 0;

	if (own->leaves != other->leaves) {
		snprintf(answer->text, sizeof(answer->text), "starpu: rank %u/%u has ended, and rank %u begins a run; give all ranks the same (--runs)", gone,
			 world->count, gone ? 0 : rank);
		answer->left = true;
		answer->alone |= other->leaves ? other->alone : own->alone;
	} else if (!own->leaves)
		runs_compare(answer, world, own, rank, other);
}

/* Each rank asks rank 0, which answers when all have asked. */
static struct answer ask(const struct spu_world *world, const struct spu_next *own)
{
	struct spu_next other = *own;
	struct answer answer = {.text = ""};

	if (world->rank) {
		spu_ranks_ask(&other, sizeof(other), 0, true);
		spu_ranks_ask(&answer, sizeof(answer), 0, false);
	}
	for (uint32_t r = 1; !world->rank && r < world->count; r++) {
		spu_ranks_ask(&other, sizeof(other), r, false);
		if (!*answer.text)
			nexts_compare(&answer, world, own, r, &other);
	}
	for (uint32_t r = 1; !world->rank && r < world->count; r++)
		spu_ranks_ask(&answer, sizeof(answer), r, true);
	left |= answer.left;
	return answer;
}

ptowsp_status spu_same_check(const struct spu_world *world, const struct spu_next *next, struct ptowsp_error *error)
{
	const struct timespec time = {.tv_sec = 6}; /* a tool's rank lets rank 0 speak first, two seconds */
	struct answer answer;

	if (left)
		return base_fail(error, PTOWSP_INVALID, "starpu: another rank has ended");
	answer = ask(world, next);
	if (!*answer.text)
		return PTOWSP_OK;
	if (answer.alone) {
		spu_watch_arm(false); /* that it is gone then is no news */
		nanosleep(&time, NULL);
	}
	return base_fail(error, PTOWSP_INVALID, "%s", answer.text);
}

bool spu_same_leave(const struct spu_world *world, bool alone)
{
	struct spu_next next;

	if (left)
		return false;
	memset(&next, 0, sizeof(next));
	next.leaves = true;
	next.alone = alone;
	return !*ask(world, &next).text;
}
