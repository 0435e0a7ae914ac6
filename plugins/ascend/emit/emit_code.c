/* SPDX-License-Identifier: MIT */
/* emit_code.c - instructions as statements: branches, scopes, ordered steps, values, events, what processes do with channels. */
#include "ascend/emit/ascend_emit_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void ascend_line(struct ascend_emitter *e, const char *format, ...)
{
	va_list list;

	for (unsigned i = 0; i < e->depth; i++)
		common_text_add(&e->body, "\t");
	va_start(list, format);
	common_text_add_list(&e->body, format, list);
	va_end(list);
	common_text_add(&e->body, "\n");
}

/* ---- places at which a process goes on --------------------------------------------------------------------------------- */

void ascend_turn_ends(struct ascend_emitter *e)
{
	ascend_line(e, "TURN_ENDS(s, %" PRIu32 ");", ++e->resume);
}

void ascend_turn_until(struct ascend_emitter *e, const char *condition)
{
	ascend_line(e, "TURN_UNTIL(s, %" PRIu32 ", %s);", ++e->resume, condition);
}

/* ---- branches ------------------------------------------------------------------------------------------------------------ */

static void open_push(struct ascend_emitter *e, enum ascend_open what)
{
	if (e->open_count < sizeof(e->open))
		e->open[e->open_count++] = (uint8_t)what;
}

static void part(struct ascend_emitter *e, uint32_t from, uint32_t to)
{
	e->depth++;
	ascend_block(e, from, to);
	e->depth--;
}

static uint32_t cond_put(struct ascend_emitter *e, uint32_t at)
{
	const struct rt_ins *in = &e->p->code[at];
	const uint32_t then_end = in[1].end, end = in[2].end;
	struct common_text value = {0};

	ascend_expr(e, &value, in->row);
	ascend_line(e, "if (%s) {", common_text_view(&value));
	part(e, at + 3, then_end);
	if (end > then_end) {
		ascend_line(e, "} else {");
		part(e, then_end, end);
	}
	ascend_line(e, "}");
	e->body.failed |= value.failed;
	common_text_finish(&value);
	return end;
}

static uint32_t while_put(struct ascend_emitter *e, uint32_t at)
{
	const struct rt_ins *in = &e->p->code[at];
	struct common_text value = {0};

	ascend_expr(e, &value, in->row);
	ascend_line(e, "while (!b.status && %s) {", common_text_view(&value));
	ascend_body(e, at + 2, in->end);
	e->body.failed |= value.failed;
	common_text_finish(&value);
	return in->end;
}

/* Branches that nothing orders, in the order in which tasks are numbered. */
static uint32_t combine_put(struct ascend_emitter *e, uint32_t at)
{
	const struct rt_ins *in = &e->p->code[at];
	uint32_t from = at + 1 + in->count;

	if (e->p->schedule.interleaved)
		ascend_tell(e, "branches of combine take turns under timing interleaved; emitted code goes through them one after the other, so its tasks have "
			       "other numbers");
	for (uint32_t i = 0; i < in->count; i++) {
		ascend_line(e, "{ /* branch %" PRIu32 " */", i);
		part(e, from, in[1 + i].end);
		ascend_line(e, "}");
		from = in[1 + i].end;
	}
	return from;
}

static uint32_t sequential_put(struct ascend_emitter *e, uint32_t at)
{
	const struct rt_ins *in = &e->p->code[at];
	uint32_t from = at + 1 + in->count;

	ascend_line(e, "b.order_begin();");
	open_push(e, ASCEND_OPEN_ORDER);
	for (uint32_t i = 0; i < in->count; i++) {
		ascend_line(e, "{ /* step %" PRIu32 " */", i);
		if (i)
			ascend_line(e, "\tb.order_step();");
		part(e, from, in[1 + i].end);
		ascend_line(e, "}");
		from = in[1 + i].end;
	}
	e->open_count--;
	ascend_line(e, "b.order_end();");
	return from;
}

static uint32_t scope_put(struct ascend_emitter *e, uint32_t at)
{
	const struct rt_ins *in = &e->p->code[at];

	ascend_line(e, "b.scope_begin();");
	ascend_line(e, "{");
	open_push(e, ASCEND_OPEN_SCOPE);
	part(e, at + 1, in->end);
	e->open_count--;
	ascend_line(e, "}");
	ascend_line(e, "b.scope_end();");
	return in->end;
}

/* Blocks open between here and the innermost loop end as usual. */
static uint32_t break_put(struct ascend_emitter *e, uint32_t at)
{
	static const char *const ends[] = {
		[ASCEND_OPEN_SCOPE] = "b.scope_end();", [ASCEND_OPEN_ORDER] = "b.order_end();", [ASCEND_OPEN_FILTER] = "b.filter_end();"};

	for (uint32_t i = e->open_count; i-- > 0 && e->open[i] != ASCEND_OPEN_LOOP;)
		ascend_line(e, "%s", ends[e->open[i]]);
	ascend_line(e, "break;");
	return at + 1;
}

/* ---- values -------------------------------------------------------------------------------------------------------------- */

static uint32_t set_put(struct ascend_emitter *e, uint32_t at)
{
	const struct rt_ins *in = &e->p->code[at];
	struct common_text value = {0};

	ascend_expr(e, &value, in->row);
	e->slot_used[in->slot] = 1;
	ascend_line(e, "%s = %s;", e->slots.rows[in->slot].text, common_text_view(&value));
	e->body.failed |= value.failed;
	common_text_finish(&value);
	return at + 1;
}

static void fail_return(struct ascend_emitter *e)
{
	ascend_line(e, e->process ? "\treturn TURN_FAILED;" : "\treturn b.status;");
}

static uint32_t load_put(struct ascend_emitter *e, uint32_t at)
{
	const struct rt_ins *in = &e->p->code[at];
	struct common_text region = {0};

	ascend_region(e, &region, &e->p->ios[in->row], NULL, 0, 0);
	e->slot_used[in->slot] = 1;
	ascend_line(e, "if (!b.load(%s, %s, %s))", e->slots.rows[in->slot].text, common_text_view(&region),
		    in->flags & PTOWSP_SLOT_LOAD_BITS ? "true" : "false");
	fail_return(e);
	e->body.failed |= region.failed;
	common_text_finish(&region);
	return at + 1;
}

static uint32_t filter_put(struct ascend_emitter *e, uint32_t at)
{
	const struct rt_ins *in = &e->p->code[at];
	struct common_text owner = {0};

	ascend_filter_owner(e, &owner, in->count, in->row);
	ascend_line(e, "b.filter_begin(%s);", common_text_view(&owner));
	open_push(e, ASCEND_OPEN_FILTER);
	e->body.failed |= owner.failed;
	common_text_finish(&owner);
	return at + 1;
}

/* ---- events, memory, devices ----------------------------------------------------------------------------------------------- */

static uint32_t wait_put(struct ascend_emitter *e, uint32_t at)
{
	const char *event = e->events.rows[e->p->code[at].slot].text;

	if (e->process) {
		char condition[ASCEND_NAME + 40];

		snprintf(condition, sizeof(condition), "b.signalled(EVENT_%s)", event);
		ascend_turn_until(e, condition);
	}
	ascend_line(e, "if (!b.wait(EVENT_%s))", event);
	fail_return(e);
	return at + 1;
}

static uint32_t notify_put(struct ascend_emitter *e, uint32_t at)
{
	const struct rt_ins *in = &e->p->code[at];

	if (in->op == PTOWSP_OP_NOTIFY) {
		ascend_line(e, "b.notify(%u, %" PRIu32 ");", (unsigned)in->count, in->slot);
	} else {
		ascend_line(e, "if (!b.wait_notify(%u, %" PRIu32 "))", (unsigned)in->count, in->slot);
		fail_return(e);
	}
	return at + 1;
}

/* The heap arena is a bound that the package states; the tree binds memory for every tensor. */
static uint32_t memory_put(struct ascend_emitter *e, uint32_t at)
{
	const struct rt_ins *in = &e->p->code[at];
	const bool gets = in->op == PTOWSP_OP_ALLOC;

	ascend_line(e, "/* %s %s */", gets ? "alloc" : "free", ascend_tensor(e, in->slot));
	ascend_tell(e, "alloc and free of tensors are written as comments: each tensor of the tree has memory of its own for the whole run, and the heap arena "
		       "is not counted");
	return at + 1;
}

/* ---- channels --------------------------------------------------------------------------------------------------------------- */

static const struct rt_io *move_of(const struct ascend_emitter *e, uint32_t at)
{
	return e->p->code[at].count ? &e->p->ios[e->p->moves[e->p->code[at + 1].row].io] : NULL;
}

static void channel_until(struct ascend_emitter *e, const char *call, uint32_t channel)
{
	char condition[ASCEND_NAME + 40];

	snprintf(condition, sizeof(condition), "b.%s(CHANNEL_%s)", call, e->channels.rows[channel].text);
	ascend_turn_until(e, condition);
}

static uint32_t send_put(struct ascend_emitter *e, uint32_t at)
{
	const struct rt_ins *in = &e->p->code[at];
	const struct rt_io *from = move_of(e, at);
	struct common_text token = {0}, region = {0};

	channel_until(e, "can_send", in->slot);
	ascend_expr(e, &token, in->row);
	if (from) {
		common_text_add(&region, ", ");
		ascend_region(e, &region, from, NULL, 0, 0);
	}
	ascend_line(e, "b.send(CHANNEL_%s, %s%s);", e->channels.rows[in->slot].text, common_text_view(&token), common_text_view(&region));
	e->body.failed |= token.failed || region.failed;
	common_text_finish(&token);
	common_text_finish(&region);
	return at + 1 + in->count;
}

static uint32_t consume_put(struct ascend_emitter *e, uint32_t at)
{
	const struct rt_ins *in = &e->p->code[at];
	const struct rt_io *into = move_of(e, at);
	char value[ASCEND_NAME + 4];

	ascend_local(e, value, "token", "int64_t");
	snprintf(e->loops[in->row], sizeof(e->loops[0]), "%s", value);
	ascend_line(e, "for (;;) {");
	e->depth++;
	channel_until(e, "can_consume", in->slot);
	ascend_line(e, "if (!b.consume(CHANNEL_%s, %s))", e->channels.rows[in->slot].text, value);
	ascend_line(e, "\tbreak;");
	if (into) {
		struct common_text region = {0};

		ascend_region(e, &region, into, NULL, 0, 0);
		ascend_line(e, "b.receive(CHANNEL_%s, %s);", e->channels.rows[in->slot].text, common_text_view(&region));
		e->body.failed |= region.failed;
		common_text_finish(&region);
	}
	e->depth--;
	ascend_body(e, at + 1 + in->count, in->end);
	return in->end;
}

/* ---- all of them ---------------------------------------------------------------------------------------------------------------- */

static uint32_t statement_put(struct ascend_emitter *e, uint32_t at)
{
	const struct rt_ins *in = &e->p->code[at];

	switch (in->op) {
	case PTOWSP_OP_TASK: ascend_task(e, in->row); return in->end;
	case PTOWSP_OP_PARALLEL_FOR:
	case PTOWSP_OP_FOR_EACH:
	case PTOWSP_OP_SELECT: return ascend_loop(e, at);
	case PTOWSP_OP_COND: return cond_put(e, at);
	case PTOWSP_OP_COMBINE: return combine_put(e, at);
	case PTOWSP_OP_SEQUENTIAL: return sequential_put(e, at);
	case PTOWSP_OP_WHILE: return while_put(e, at);
	case PTOWSP_OP_BREAK: return break_put(e, at);
	case PTOWSP_OP_SCOPE: return scope_put(e, at);
	case PTOWSP_OP_SLOT_SET: return set_put(e, at);
	case PTOWSP_OP_SLOT_LOAD: return load_put(e, at);
	case PTOWSP_OP_DISPATCH_FILTER: return filter_put(e, at);
	case PTOWSP_OP_SIGNAL: ascend_line(e, "b.signal(EVENT_%s);", e->events.rows[in->slot].text); return at + 1;
	case PTOWSP_OP_WAIT: return wait_put(e, at);
	case PTOWSP_OP_BARRIER: ascend_line(e, "b.barrier();"); return at + 1;
	case PTOWSP_OP_FENCE: ascend_line(e, "b.fence();"); return at + 1;
	case PTOWSP_OP_ALLOC:
	case PTOWSP_OP_FREE: return memory_put(e, at);
	case PTOWSP_OP_NOTIFY:
	case PTOWSP_OP_WAIT_NOTIFY: return notify_put(e, at);
	case PTOWSP_OP_SEND: return send_put(e, at);
	case PTOWSP_OP_CONSUME: return consume_put(e, at);
	case PTOWSP_OP_CLOSE: ascend_line(e, "b.close(CHANNEL_%s);", e->channels.rows[in->slot].text); return at + 1;
	default: return at + 1; /* NOP */
	}
}

void ascend_block(struct ascend_emitter *e, uint32_t from, uint32_t to)
{
	const uint32_t open = e->open_count;

	if (e->body.length > ASCEND_EMIT_MOST) {
		if (!e->status)
			e->status = rt_fail(e->error, PTOWSP_TOO_BIG, "the orchestration of entry %.80s has more than %u MiB as source",
					    rt_string(&e->p->tables, e->p->tables.entry.rows[e->p->entry].name), (unsigned)(ASCEND_EMIT_MOST >> 20));
		return;
	}
	for (uint32_t at = from; at < to && !e->status && !e->body.failed && e->p->code[at].op != PTOWSP_OP_HALT;)
		at = statement_put(e, at);
	for (; e->open_count > open; e->open_count--) /* filters hold up to the end of the body */
		ascend_line(e, "b.filter_end();");
}
