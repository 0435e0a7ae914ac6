/* SPDX-License-Identifier: MIT */
/* fenced.c - cpu_sim with one obligation of "ptowsp.fences/0" broken at a time, by -DWRONG=NAME of the list below. odd.ninja builds one plugin of each, verdicts.def has what is said of them. */
#include <string.h>

#include "ptowsp/fences.h"
#include "ptowsp/note.h"
#include "ptowsp/ptowsp.h"
#include "tests/hostile/hostile.h"

enum wrong {
	TAKES_LESS,       /* a signal of less than a fence has is well */
	FORGETS_FAILURES, /* what a failed fence has is 0 */
	WAITS_BLINDLY,    /* a run that waits has no deadline */
	WAITS_LONGER,     /* than it was told, a second */
	SIGNALS_LATER,    /* than done: when somebody waits */
	MAKES_NO_FENCE    /* and says OK */
};

static int is(enum wrong which)
{
	return which == WRONG;
}

PTOWSP_NOTE(0, "null", "example", "1.0.0", "null");

static const struct ptowsp_fences_extension *right;
static struct ptowsp_fence_point later;

static ptowsp_status fenced_create(struct ptowsp_object *device, uint64_t value, struct ptowsp_object **fence_out, struct ptowsp_error *error)
{
	*fence_out = NULL;
	return is(MAKES_NO_FENCE) ? PTOWSP_OK : right->create(device, value, fence_out, error);
}

static ptowsp_status fenced_destroy(struct ptowsp_object *fence, struct ptowsp_error *error)
{
	return right->destroy(fence, error);
}

static ptowsp_status fenced_signal(struct ptowsp_object *fence, uint64_t value, struct ptowsp_error *error)
{
	const ptowsp_status status = right->signal(fence, value, is(TAKES_LESS) ? NULL : error);

	return is(TAKES_LESS) ? PTOWSP_OK : status;
}

static ptowsp_status fenced_read(struct ptowsp_object *fence, uint64_t *value_out, struct ptowsp_error *error)
{
	const ptowsp_status status = right->read(fence, value_out, is(FORGETS_FAILURES) ? NULL : error);

	return is(FORGETS_FAILURES) ? PTOWSP_OK : status;
}

static ptowsp_status fenced_wait(struct ptowsp_object *fence, uint64_t value, uint64_t until_ns, struct ptowsp_error *error)
{
	if (later.fence)
		right->signal(later.fence, later.value, NULL);
	return right->wait(fence, value, is(WAITS_LONGER) && until_ns ? until_ns + 1000000000u : until_ns, error);
}

static ptowsp_status fenced_import(struct ptowsp_object *device, const struct ptowsp_external *external, struct ptowsp_object **fence_out,
				   struct ptowsp_error *error)
{
	*fence_out = NULL;
	return is(MAKES_NO_FENCE) ? PTOWSP_OK : right->import(device, external, fence_out, error);
}

static const void *fenced_extension(struct ptowsp_object *instance, const char *id)
{
	static const struct ptowsp_fences_extension wrong = {.head = PTOWSP_HEAD(wrong, EXTENSION),
							     .create = fenced_create,
							     .destroy = fenced_destroy,
							     .signal = fenced_signal,
							     .read = fenced_read,
							     .wait = fenced_wait,
							     .import = WRONG == MAKES_NO_FENCE ? fenced_import : NULL};
	const void *table = cpu_ops.extension(instance, id);

	if (strcmp(id, PTOWSP_EXTENSION_FENCES) != 0)
		return table;
	right = table;
	return table ? &wrong : NULL;
}

static ptowsp_status fenced_submit(struct ptowsp_object *device, const struct ptowsp_run_args *args, struct ptowsp_error *error)
{
	struct ptowsp_run_args own = *args;

	if (right && is(WAITS_BLINDLY) && args->wait_count)
		own.deadline_ns = 0;
	if (right && is(SIGNALS_LATER) && args->signal_count) {
		later = *args->signals;
		own.signal_count = 0;
	}
	return cpu_ops.submit(device, &own, error);
}

HOSTILE_CPU_SIM(ops.extension = fenced_extension; ops.submit = fenced_submit;)
