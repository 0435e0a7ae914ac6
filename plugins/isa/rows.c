/* SPDX-License-Identifier: MIT */
/* rows.c - groups in blocks of rows: how many rows, which memory moves on, and the run itself. */
#include "isa/rows.h"
#include "isa/live.h"
#include "isa/ops/isa_ops.h"

#include <stdlib.h>

static uint64_t add_saturated(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

static const unsigned char *window_end(const struct isa_window *w)
{
	return w->at + (w->rows - 1) * w->step + (w->columns - 1) * w->stride + w->bytes;
}

/* A load and a store behind it. Bytes that they share do no harm if each row lies in the same place in both, and in no other row. */
static bool windows_clash(const struct isa_window *from, const struct isa_window *to)
{
	if (window_end(from) <= to->at || window_end(to) <= from->at)
		return false;
	return from->at != to->at || from->step != to->step || from->stride != to->stride || from->columns != to->columns || from->bytes != to->bytes ||
	       to->step < (to->columns - 1) * to->stride + to->bytes;
}

static bool is_window(unsigned opcode)
{
	return opcode == PTOWSP_PTO_TLOAD || opcode == PTOWSP_PTO_TSTORE;
}

/* False: something lies outside, or the group must run one instruction after the other. */
static bool windows_find(const struct isa_rows *r, const struct isa_state *state, struct isa_window *windows)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < r->count; i++) {
		const struct isa_step *s = &state->program->steps[r->first + i];

		if (!is_window(s->op))
			continue;
		if (isa_window_find(s, state, &windows[found]))
			return false;
		for (uint32_t k = 0; s->op == PTOWSP_PTO_TSTORE && k < found; k++)
			if (windows_clash(&windows[k], &windows[found]))
				return false;
		found++;
	}
	return true;
}

static void fields_add(const struct isa_row_field *fields, uint32_t count, struct isa_step *steps)
{
	for (uint32_t i = 0; i < count; i++)
		*(uint32_t *)(void *)((unsigned char *)steps + fields[i].at) += fields[i].more;
}

/* Other than full blocks: the last one. */
static void heights_set(const struct isa_rows *r, struct isa_step *steps, uint32_t rows)
{
	for (uint32_t i = 0; i < r->heights_count; i++)
		*(uint32_t *)(void *)((unsigned char *)steps + r->heights[i].at) = rows;
}

/* Rows [first, first + count) through all instructions. */
static ptowsp_status block_run(const struct isa_rows *r, struct isa_state *state, const struct isa_step *steps, const struct isa_window *windows,
			       uint32_t first, uint32_t count)
{
	ptowsp_status status = PTOWSP_OK;

	for (const struct isa_step *s = steps; s < steps + r->count && !status; s++)
		if (s->run)
			status = s->run(s, state);
		else if (s->op == PTOWSP_PTO_TLOAD)
			isa_window_move(windows++, first, count, isa_tile(state, &s->d), true);
		else
			isa_window_move(windows++, first, count, isa_tile(state, &s->a), false);
	return status;
}

/* More work was done since somebody asked: time to ask whether the run has to end? */
static bool is_over(const struct isa_state *state, uint64_t *work, uint64_t more)
{
	*work = add_saturated(*work, more);
	if (*work <= ISA_WORK_SLICE)
		return false;
	*work = 0;
	return isa_state_over(state);
}

static ptowsp_status blocks_run(const struct isa_rows *r, struct isa_state *state, const struct isa_window *windows)
{
	struct isa_step *steps = (struct isa_step *)(void *)(state->scratch + state->program->rows_at);
	ptowsp_status status = PTOWSP_OK;
	uint64_t work = 0;

	memcpy(steps, r->steps, r->count * sizeof(*steps));
	for (uint32_t at = 0; at < r->rows && !status; at += r->block) {
		const uint32_t left = r->rows - at, count = left < r->block ? left : r->block;

		if (is_over(state, &work, r->row_cost * count))
			return isa_state_stopped(state);
		if (count < r->block)
			heights_set(r, steps, count);
		status = block_run(r, state, steps, windows, at, count);
		fields_add(r->places, r->places_count, steps);
	}
	return status;
}

/* One instruction after the other, as without groups. Steps that end well count here, the first with the interpreter. */
static ptowsp_status steps_run(const struct isa_rows *r, struct isa_state *state)
{
	const struct isa_step *steps = &state->program->steps[r->first];
	ptowsp_status status = r->first_run(&steps[0], state);
	uint64_t work = 0;

	if (status)
		return status;
	for (uint32_t i = 1; i < r->count; i++) {
		if (is_over(state, &work, steps[i - 1].cost))
			return isa_state_stopped(state);
		state->pc = r->first + i;
		status = steps[i].run(&steps[i], state);
		if (status) {
			state->cycles = add_saturated(state->cycles, steps[0].cost);
			return status;
		}
		state->cycles = add_saturated(state->cycles, steps[i].cost);
	}
	return PTOWSP_OK;
}

static ptowsp_status rows_run(const struct isa_step *s, struct isa_state *state)
{
	const struct isa_rows *r = &state->program->rows[s->target];
	struct isa_window windows[ISA_ROWS_WINDOWS];
	ptowsp_status status = PTOWSP_OK;

	if (!windows_find(r, state, windows))
		return steps_run(r, state);
	status = blocks_run(r, state, windows);
	state->cycles = add_saturated(state->cycles, r->cost);
	state->pc = r->first + r->count - 1;
	return status;
}

/* Bytes that one row of the group's tiles takes; tiles that share a place count once, as long as there are not too many. */
static uint64_t row_bytes(const struct isa_program *p, const struct isa_group *g)
{
	uint32_t seen[64], count = 0;
	uint64_t bytes = 0;

	for (uint32_t i = g->first; i < g->end; i++) {
		const struct isa_uses u = isa_uses(&p->insts[i]);

		for (unsigned k = 0; k < u.written_count + u.read_count; k++) {
			const uint32_t tile = k < u.written_count ? u.written[k] : u.read[k - u.written_count];
			uint32_t known = 0;

			while (known < count && seen[known] != p->plan.at[tile])
				known++;
			if (known < count)
				continue;
			if (count < sizeof(seen) / sizeof(*seen))
				seen[count++] = p->plan.at[tile];
			bytes += (uint64_t)p->tiles[tile].columns * isa_dtype_bytes(p->tiles[tile].dtype);
		}
	}
	return bytes;
}

/* Rows of a block: whole packets of eight, which is how many rows a reduction has in flight. */
static uint32_t block_rows(const struct isa_program *p, const struct isa_group *g, uint32_t bytes)
{
	const uint64_t each = row_bytes(p, g), rows = each ? bytes / each : g->rows;

	if (rows >= g->rows)
		return g->rows;
	return rows > 8 ? (uint32_t)rows / 8 * 8 : rows ? (uint32_t)rows : 1;
}

/* More than one block, and nothing in it that has to see all rows. */
static bool is_worth(const struct isa_program *p, const struct isa_group *g, uint32_t bytes)
{
	uint32_t windows = 0;

	for (uint32_t i = g->first; i < g->end; i++) {
		windows += is_window(p->insts[i].op);
		if (p->insts[i].op == PTOWSP_PTO_TSTORE_FP)
			return false;
	}
	return g->end - g->first <= ISA_ROWS_STEPS && windows <= ISA_ROWS_WINDOWS && g->end - g->first > windows && g->end - g->first > 1 &&
	       block_rows(p, g, bytes) < g->rows;
}

static struct isa_operand *operand(struct isa_step *s, bool is_dst, unsigned k)
{
	struct isa_operand *const dst[2] = {&s->d, &s->e}, *const src[4] = {&s->a, &s->b, &s->c, &s->f};

	return is_dst ? dst[k] : src[k];
}

static uint32_t distance(const struct isa_rows *r, const uint32_t *field)
{
	return (uint32_t)((const unsigned char *)(const void *)field - (const unsigned char *)(const void *)r->steps);
}

static void step_make(struct isa_rows *r, const struct isa_program *p, const struct isa_group *g, uint32_t i)
{
	struct isa_step *s = &r->steps[i];
	unsigned dst_count = 0, src_count = 0;

	*s = p->steps[g->first + i];
	if (is_window(s->op))
		s->run = NULL;
	for (const char *letter = isa_op(s->op)->operands; *letter; letter++) {
		struct isa_operand *o = *letter < 'a' ? operand(s, true, dst_count++) : operand(s, false, src_count++);

		if ((*letter != 'T' && *letter != 't') || o->rows != g->rows)
			continue;
		r->heights[r->heights_count++].at = distance(r, &o->rows);
		o->rows = r->block;
		if (isa_plan_is_behind(&p->plan, g, o->row) || isa_plan_is_before(&p->plan, g, o->row))
			r->places[r->places_count++] = (struct isa_row_field){.at = distance(r, &o->at), .more = r->block * o->columns * o->bytes};
	}
}

static ptowsp_status group_make(struct isa_rows *r, struct isa_program *p, const struct isa_group *g, uint32_t bytes)
{
	const uint32_t count = g->end - g->first;

	*r = (struct isa_rows){.first = g->first, .count = count, .rows = g->rows, .block = block_rows(p, g, bytes)};
	r->steps = calloc(count, sizeof(*r->steps));
	r->places = calloc(count * (size_t)ISA_OPERANDS_MAX, sizeof(*r->places));
	r->heights = calloc(count * (size_t)ISA_OPERANDS_MAX, sizeof(*r->heights));
	if (!r->steps || !r->places || !r->heights)
		return PTOWSP_NO_MEMORY;
	for (uint32_t i = 0; i < count; i++) {
		step_make(r, p, g, i);
		r->cost = add_saturated(r->cost, i ? p->steps[g->first + i].cost : 0);
	}
	r->row_cost = add_saturated(r->cost, p->steps[g->first].cost) / g->rows;
	r->first_run = p->steps[g->first].run;
	p->steps[g->first].run = rows_run;
	p->steps[g->first].target = p->rows_count;
	return PTOWSP_OK;
}

/* Behind everything else in scratch: the steps of the longest group. */
static void scratch_extend(struct isa_program *p)
{
	size_t most = 0;

	for (uint32_t i = 0; i < p->rows_count; i++)
		most = p->rows[i].count > most ? p->rows[i].count : most;
	p->rows_at = (p->scratch + ISA_ALIGN - 1) / ISA_ALIGN * ISA_ALIGN;
	p->scratch = p->rows_at + most * sizeof(struct isa_step);
}

ptowsp_status isa_rows_make(struct isa_program *p, uint32_t bytes)
{
	ptowsp_status status = PTOWSP_OK;
	uint32_t count = 0;

	if (p->unusable[0] || p->plan.bytes_without <= bytes)
		return PTOWSP_OK;
	for (uint32_t i = 0; i < p->plan.group_count; i++)
		count += is_worth(p, &p->plan.groups[i], bytes);
	if (!count)
		return PTOWSP_OK;
	p->rows = calloc(count, sizeof(*p->rows));
	if (!p->rows)
		return PTOWSP_NO_MEMORY;
	for (uint32_t i = 0; i < p->plan.group_count && !status; i++)
		if (is_worth(p, &p->plan.groups[i], bytes)) {
			status = group_make(&p->rows[p->rows_count], p, &p->plan.groups[i], bytes);
			p->rows_count++;
		}
	if (!status)
		scratch_extend(p);
	return status;
}

void isa_rows_finish(struct isa_program *p)
{
	for (uint32_t i = 0; i < p->rows_count; i++) {
		free(p->rows[i].steps);
		free(p->rows[i].places);
		free(p->rows[i].heights);
	}
	free(p->rows);
}
