/* SPDX-License-Identifier: MIT */
/* check_host.c - what the host gives to DMAs of shims and waits for, step by step.
 *
 * The host writes a task into one of its shim's buffer descriptors and pushes the descriptor's number to a channel, which reads it when the task begins, so the descriptor
 * belongs to the task until that has ended. A full queue drops a push. The host sees the end of a task by a token alone; tasks of a channel end in the order in which they
 * were pushed, so a token also tells that those before it have ended. */
#include "aie/design/check_parts.h"
#include "aie/design/design_read.h"

enum {
	QUEUE_MOST = 8,      /* tasks of a channel, of any generation */
	LOOKS_MOST = 1 << 18 /* at rows of a task that is held against another one: what takes more of them is only looked at so far */
};

/* Tasks of one fifo whose end the host has not seen, oldest first. */
struct pushed {
	const struct aie_step *steps[QUEUE_MOST];
	uint32_t count;
};
struct checker {
	const struct aie_design *design;
	struct pushed *pushed;             /* per fifo */
	uint32_t written[AIE_COLUMNS_MAX]; /* per shim: a bit for each descriptor that belongs to a task */
	struct aie_check_job *check;
};

static bool gives_token(const struct checker *checker, const struct aie_step *step)
{
	return step->token || aie_design_writes(checker->design, step);
}

/* Elements from dimension d of a task on, behind `base`: is one of them in the run from `from` up to `to`? looks: that are left. */
static bool run_meets(const struct aie_step *step, uint32_t d, int64_t base, int64_t from, int64_t to, uint32_t *looks)
{
	int64_t inner = step->sizes[3], first = 0, last = step->sizes[d] - 1;

	if (d == 3)
		return base < to && base + inner > from;
	for (uint32_t i = d + 1; i < 3; i++)
		inner += step->strides[i] * (step->sizes[i] - 1);
	if (step->strides[d]) { /* only those that reach into it */
		first = from - base - inner >= 0 ? (from - base - inner) / step->strides[d] + 1 : 0;
		last = (to - 1 - base) / step->strides[d] < last ? (to - 1 - base) / step->strides[d] : last;
	}
	for (int64_t i = first; to > base && *looks && i <= last; i++) {
		(*looks)--;
		if (run_meets(step, d + 1, base + i * step->strides[d], from, to, looks))
			return true;
	}
	return false;
}

/* Has one of the elements of a task from dimension d on, behind `base`, another one? Elements of a row lie one after the other. */
static bool steps_meet(const struct aie_step *a, uint32_t d, int64_t base, const struct aie_step *b, uint32_t *looks)
{
	if (d == 3)
		return run_meets(b, 0, b->offset, base, base + a->sizes[3], looks);
	for (int64_t i = 0; *looks && i < (a->strides[d] ? a->sizes[d] : 1); i++) {
		(*looks)--;
		if (steps_meet(a, d + 1, base + i * a->strides[d], b, looks))
			return true;
	}
	return false;
}

/* Nobody says which of two channels is first. */
static void stores_apart(const struct checker *checker, const struct aie_step *step)
{
	const struct aie_design *design = checker->design;

	if (!aie_design_writes(design, step) || step->argument == design->filler)
		return;
	for (uint32_t f = 0; f < design->fifo_count; f++)
		for (uint32_t i = 0; f != step->fifo && i < checker->pushed[f].count; i++) {
			const struct aie_step *other = checker->pushed[f].steps[i];
			uint32_t looks = LOOKS_MOST;

			if (other->argument == step->argument && aie_design_writes(design, other) && steps_meet(step, 0, step->offset, other, &looks))
				aie_check_fail(checker->check, step->op, AIE_RULE_STORE_ALONE,
					       "a task for fifo '%.40s' writes elements that one of fifo '%.40s' writes, whose end the host has not seen",
					       design->fifos[step->fifo].name, design->fifos[f].name);
		}
}

static void task_push(struct checker *checker, const struct aie_step *step, uint32_t shim)
{
	const struct aie_design *design = checker->design;
	const char *fifo = design->fifos[step->fifo].name;
	const uint64_t queue = design->arch->generation->tiles[AIE_SHIM].limits[AIE_DMA_QUEUE];
	struct pushed *pushed = &checker->pushed[step->fifo];
	uint32_t *written = &checker->written[design->tiles[shim].column];

	aie_check_task(design, step, shim, checker->check);
	if (pushed->count == queue || pushed->count == QUEUE_MOST)
		aie_check_fail(checker->check, step->op, AIE_RULE_QUEUE,
			       "a task for fifo '%.40s' on %s comes behind %u whose ends the host has not seen, and a channel takes %llu", fifo,
			       aie_design_tile_text(design, shim), pushed->count, (unsigned long long)queue);
	if (*written & UINT32_C(1) << step->descriptor)
		aie_check_fail(checker->check, step->op, AIE_RULE_TASK_WRITTEN,
			       "a task for fifo '%.40s' is written into descriptor %u of %s, whose last task the host has not seen end", fifo, step->descriptor,
			       aie_design_tile_text(design, shim));
	stores_apart(checker, step);
	*written |= UINT32_C(1) << step->descriptor;
	pushed->steps[pushed->count++] = step;
}

/* Takes the oldest task with a token, and those before it. */
static void token_wait(struct checker *checker, const struct aie_step *step, uint32_t shim)
{
	const struct aie_design *design = checker->design;
	struct pushed *pushed = &checker->pushed[step->fifo];
	uint32_t ended = 0;

	while (ended < pushed->count && !gives_token(checker, pushed->steps[ended]))
		ended++;
	if (ended++ == pushed->count)
		aie_check_fail(checker->check, step->op, AIE_RULE_WAIT, "the host waits for a token of fifo '%.48s' on %s, and no task before has one left",
			       design->fifos[step->fifo].name, aie_design_tile_text(design, shim));
	for (uint32_t i = 0; i < pushed->count; i++)
		if (i < ended)
			checker->written[design->tiles[shim].column] &= ~(UINT32_C(1) << pushed->steps[i]->descriptor);
		else
			pushed->steps[i - ended] = pushed->steps[i];
	pushed->count -= ended;
}

/* A run is over for its user when the sequence is: by then memory has all bytes. */
static void stores_ended(const struct checker *checker)
{
	for (uint32_t f = 0; f < checker->design->fifo_count; f++) {
		const struct pushed *pushed = &checker->pushed[f];

		if (pushed->count && aie_design_writes(checker->design, pushed->steps[0]))
			aie_check_fail(checker->check, pushed->steps[0]->op, AIE_RULE_STORE_ENDED,
				       "the host does not wait for the end of %u tasks of fifo '%.48s', which write its memory", pushed->count,
				       checker->design->fifos[f].name);
	}
}

void aie_check_host(const struct aie_design *design, struct aie_check_job *check)
{
	struct checker checker = {.design = design, .pushed = common_take(&check->arena, design->fifo_count + 1, sizeof(*checker.pushed)), .check = check};

	for (uint32_t i = 0; i < design->step_count; i++) {
		const struct aie_step *step = &design->steps[i];
		const uint32_t shim = aie_design_shim(design, step->fifo);

		if (step->waits)
			token_wait(&checker, step, shim);
		else
			task_push(&checker, step, shim);
	}
	stores_ended(&checker);
}
