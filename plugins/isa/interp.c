/* SPDX-License-Identifier: MIT */
/* interp.c - the interpreter: control flow here, everything else behind one call per instruction. The same loop runs a program
 * and walks it on its scalars, so that both always agree about the way and its cost. */
#include "isa/state.h"

static uint64_t add_saturated(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

static bool for_step_bad(const struct isa_state *status, const struct isa_step *loop)
{
	return (int64_t)status->scalars[loop->c.at] <= 0;
}

static ptowsp_status for_step_fail(const struct isa_state *status, const struct isa_step *loop)
{
	return isa_state_fail(status, loop, "FOR needs a positive step, got %lld", (long long)(int64_t)status->scalars[loop->c.at]);
}

/* d = a, then into the body or behind the loop. */
static void for_enter(struct isa_state *status, const struct isa_step *loop)
{
	uint64_t *x = status->scalars;

	x[loop->d.at] = isa_scalar_narrow(x[loop->a.at], loop->d.dtype);
	status->pc = (int64_t)x[loop->d.at] < (int64_t)x[loop->b.at] ? status->pc + 1 : loop->target;
}

/* d += c. A sum beyond 64 bits has passed every bound. True if the loop goes on. */
static bool for_next(struct isa_state *status, const struct isa_step *loop)
{
	uint64_t *x = status->scalars;
	const int64_t now = (int64_t)x[loop->d.at], step = (int64_t)x[loop->c.at], bound = (int64_t)x[loop->b.at];
	const bool over = now > INT64_MAX - step;

	x[loop->d.at] = isa_scalar_narrow((uint64_t)now + (uint64_t)step, loop->d.dtype);
	return !over && (int64_t)((uint64_t)now + (uint64_t)step) < bound;
}

/* Whether d runs up to b without wrapping at its own width. */
static bool for_fits(const struct isa_step *loop, int64_t bound)
{
	return loop->d.dtype == PTOWSP_I64 || (loop->d.dtype == PTOWSP_I32 && bound <= INT32_MAX);
}

/* Walk only: `rounds` rounds of `each` instructions. If it would end inside, nothing is left and they are not taken. */
static bool steps_take(struct isa_state *status, uint64_t rounds, uint64_t each)
{
	const uint64_t all = add_saturated(status->left, status->budget);

	if (rounds > all / each) {
		status->left = status->budget = 0;
		return false;
	}
	if (all == UINT64_MAX)
		return true;
	status->budget = all - rounds * each < status->budget ? all - rounds * each : status->budget;
	status->left = all - rounds * each - status->budget;
	return true;
}

/* Walk only: all rounds of a loop whose rounds are equal at once, behind a successful for_enter. */
static void for_closed(struct isa_state *status, const struct isa_step *loop)
{
	uint64_t *x = status->scalars;
	const uint64_t step = x[loop->c.at], span = x[loop->b.at] - x[loop->d.at];
	const uint64_t rounds = span / step + (span % step != 0);

	if (!for_fits(loop, (int64_t)x[loop->b.at]))
		return; /* round by round */
	if (!steps_take(status, rounds, loop->flat))
		return;
	status->cycles = add_saturated(status->cycles, loop->round_cost && rounds > UINT64_MAX / loop->round_cost ? UINT64_MAX : rounds * loop->round_cost);
	if (status->visitor)
		status->visitor->rounds(status->visitor->context, status->pc, loop->flat, rounds);
	x[loop->d.at] = isa_scalar_narrow(x[loop->d.at] + rounds * step, loop->d.dtype);
	status->pc = loop->target;
}

/* An instruction was executed, or all of a group. */
static void visit(const struct isa_state *status, uint32_t first)
{
	if (status->visitor->pass) {
		status->visitor->pass(status->visitor->context, first, status->pc);
		return;
	}
	for (uint32_t i = first; i <= status->pc; i++)
		status->visitor->inst(status->visitor->context, i);
}

static bool if_true(const struct isa_state *status, const struct isa_step *s)
{
	const uint64_t value = status->scalars[s->a.at];

	return s->mode ? (value >> (s->mode - 1)) & 1 : isa_scalar_true(value, s->a.dtype);
}

static inline __attribute__((always_inline)) ptowsp_status go(struct isa_state *st, const bool walking, const bool visited)
{
	const struct isa_step *const steps = st->program->steps;
	const struct isa_step *s, *loop;
	isa_step_fn fn;
	ptowsp_status status;

	for (;;) {
		s = &steps[st->pc];
		if (walking) {
			if (st->budget == 0)
				return PTOWSP_AGAIN;
			st->budget--;
		}
		if (!isa_op_is_control(s->op)) { /* nearly all are: ahead of the switch */
			fn = walking ? s->walk : s->run;
			status = fn ? fn(s, st) : PTOWSP_OK;
			if (status)
				return status;
			st->cycles = add_saturated(st->cycles, s->cost);
			if (visited)
				visit(st, (uint32_t)(s - steps));
			st->pc++;
			if (!walking && st->cycles > st->pause)
				return PTOWSP_AGAIN;
			continue;
		}
		if (visited)
			visit(st, st->pc);
		switch (s->op) {
		case PTOWSP_PTO_FOR:
			if (for_step_bad(st, s))
				return for_step_fail(st, s);
			for_enter(st, s);
			if (walking && !st->touch && s->flat && st->pc != s->target && !(visited && !st->visitor->rounds))
				for_closed(st, s);
			break;
		case PTOWSP_PTO_ENDFOR:
			if (!walking && st->budget-- == 0) {
				st->budget = 0;
				return PTOWSP_AGAIN;
			}
			loop = &steps[s->target];
			if (for_step_bad(st, loop))
				return for_step_fail(st, loop);
			st->pc = for_next(st, loop) ? s->target + 1 : st->pc + 1;
			break;
		case PTOWSP_PTO_ENDWHILE:
			if (!walking && st->budget-- == 0) {
				st->budget = 0;
				return PTOWSP_AGAIN;
			}
			st->pc = s->target;
			break;
		case PTOWSP_PTO_DO: st->pc = isa_scalar_true(st->scalars[s->a.at], s->a.dtype) ? st->pc + 1 : s->target; break;
		case PTOWSP_PTO_IF: st->pc = if_true(st, s) ? st->pc + 1 : s->target; break;
		case PTOWSP_PTO_ELSE:
		case PTOWSP_PTO_BREAK:
		case PTOWSP_PTO_CONTINUE: st->pc = s->target; break;
		case PTOWSP_PTO_RETURN: return PTOWSP_OK;
		default: /* YIELD and marks of blocks */
			st->cycles = add_saturated(st->cycles, s->cost);
			st->pc++;
			break;
		}
	}
}

ptowsp_status isa_state_run(struct isa_state *state)
{
	return go(state, false, false);
}

ptowsp_status isa_state_walk(struct isa_state *state)
{
	return go(state, true, false);
}

ptowsp_status isa_state_run_visited(struct isa_state *state)
{
	return go(state, false, true);
}

ptowsp_status isa_state_walk_visited(struct isa_state *state)
{
	return go(state, true, true);
}
