/* SPDX-License-Identifier: MIT */
/* builder_entry.c - entries, events, channels and processes, and the schedule: what has code, and what code speaks of by name. */
#include "format/format_names.h"
#include "lang/builder/build.h"

#include <stdio.h>
#include <string.h>

/* ---- entries ------------------------------------------------------------------------------------------------------------------------ */

uint32_t build_entry_add(struct ptowsp_build *b, const char *name, uint32_t flags, uint32_t instruction)
{
	struct build_entry entry = {.record = {.flags = flags, .instruction = instruction}, .place = b->place};

	entry.record.name = build_name(b, BUILD_ENTRY, name, b->entry_count);
	*BUILD_PUSH(b, entries, entry) = entry;
	return b->entry_count - 1;
}

/* No code may be open: the code of one ends before that of the next begins. */
static void code_begin(struct ptowsp_build *b)
{
	if (b->depth)
		build_refuse(b, "the code of %s \"%.80s\" is still open", b->entry != PTOWSP_NONE ? "entry" : "process",
			     build_text(b, b->entry != PTOWSP_NONE ? b->entries[b->entry].record.name : b->processes[b->process].record.name));
	/* Equal regions are shared within an entry, so that the order of its rows does not depend on other entries. */
	b->tables.region_first = b->tables.region_count;
}

uint32_t ptowsp_build_entry(struct ptowsp_build *b, const char *name)
{
	BUILD_CALL(b);
	uint32_t handle;

	code_begin(b);
	handle = build_handle(b, BUILD_ENTRY, build_entry_add(b, name, 0, b->tables.work_count));
	b->entry = b->entry_count - 1;
	build_open(b, PTOWSP_OP_HALT, b->tables.work_count, 0);
	return handle;
}

uint32_t ptowsp_build_entry_kernel(struct ptowsp_build *b, const char *name, uint32_t kernel)
{
	BUILD_CALL(b);
	return build_handle(b, BUILD_ENTRY, build_entry_add(b, name, PTOWSP_ENTRY_KERNEL, build_row(b, BUILD_KERNEL, kernel)));
}

uint32_t ptowsp_build_entry_default(struct ptowsp_build *b, uint32_t entry)
{
	BUILD_CALL(b);
	uint32_t row = build_row(b, BUILD_ENTRY, entry);

	for (uint32_t i = 0; i < b->entry_count; i++)
		if (i != row && b->entries[i].record.flags & PTOWSP_ENTRY_DEFAULT)
			build_refuse(b, "entry %.80s is the default already", build_text(b, b->entries[i].record.name));
	b->entries[row].record.flags |= PTOWSP_ENTRY_DEFAULT;
	return BUILD_DONE;
}

uint32_t ptowsp_build_entry_pipeline(struct ptowsp_build *b, uint32_t entry)
{
	BUILD_CALL(b);
	struct build_entry *e = &b->entries[build_row(b, BUILD_ENTRY, entry)];

	if (e->record.flags & PTOWSP_ENTRY_KERNEL)
		build_refuse(b, "entry %.80s is one task of a kernel", build_text(b, e->record.name));
	e->record.flags |= PTOWSP_ENTRY_PIPELINE;
	return BUILD_DONE;
}

uint32_t ptowsp_build_entry_value(struct ptowsp_build *b, uint32_t entry, uint32_t slot)
{
	BUILD_CALL(b);
	struct build_entry *e = &b->entries[build_row(b, BUILD_ENTRY, entry)];
	uint32_t row = build_row(b, BUILD_SLOT, slot);

	if (!e->stated)
		e->record.value_count = 0;
	e->stated = 1;
	*COMMON_PUSH(b->arena, e->values, e->record.value_count, e->value_capacity) = row;
	return BUILD_DONE;
}

/* ---- events and channels ----------------------------------------------------------------------------------------------------------- */

uint32_t build_event_add(struct ptowsp_build *b, const char *name)
{
	struct ptowsp_event_record event = {.name = build_name(b, BUILD_EVENT, name, b->event_count)};

	*BUILD_PUSH(b, events, event) = event;
	return b->event_count - 1;
}

uint32_t ptowsp_build_event(struct ptowsp_build *b, const char *name)
{
	BUILD_CALL(b);
	return build_handle(b, BUILD_EVENT, build_event_add(b, name));
}

uint32_t build_channel_add(struct ptowsp_build *b, const char *name, struct ptowsp_channel_record channel)
{
	channel.name = build_name(b, BUILD_CHANNEL, name, b->channel_count);
	*BUILD_PUSH(b, channels, channel) = channel;
	return b->channel_count - 1;
}

uint32_t ptowsp_build_channel(struct ptowsp_build *b, const char *name, const char *kind, uint32_t capacity, uint64_t latency)
{
	BUILD_CALL(b);
	struct ptowsp_channel_record channel = {.capacity = capacity, .latency = latency, .kind = (uint16_t)build_word(b, PKG_WORDS_channel_kind, kind)};

	return build_handle(b, BUILD_CHANNEL, build_channel_add(b, name, channel));
}

/* ---- processes ------------------------------------------------------------------------------------------------------------------------ */

uint32_t build_process_add(struct ptowsp_build *b, const char *name, uint32_t replicas)
{
	struct build_process process = {.record = {.instruction = b->tables.work_count, .replicas = replicas, .order = b->process_count}, .place = b->place};

	if (!replicas || replicas > 4096)
		build_refuse(b, "%u replicas: 1 to 4096 are possible", replicas);
	process.record.name = build_name(b, BUILD_PROCESS, name, b->process_count);
	*BUILD_PUSH(b, processes, process) = process;
	return b->process_count - 1;
}

uint32_t ptowsp_build_process(struct ptowsp_build *b, const char *name, uint32_t replicas)
{
	BUILD_CALL(b);
	code_begin(b);
	b->process = build_process_add(b, name, replicas);
	build_open(b, PTOWSP_OP_HALT, b->tables.work_count, 0);
	return build_handle(b, BUILD_PROCESS, b->process);
}

uint32_t ptowsp_build_process_uses(struct ptowsp_build *b, uint32_t process, const char *direction, uint32_t channel)
{
	BUILD_CALL(b);
	struct ptowsp_process_channel_record use = {.channel = build_row(b, BUILD_CHANNEL, channel),
						    .direction = (uint16_t)build_word(b, PKG_WORDS_channel_direction, direction)};

	build_process_use(b, build_row(b, BUILD_PROCESS, process), use);
	return BUILD_DONE;
}

void build_process_use(struct ptowsp_build *b, uint32_t process, struct ptowsp_process_channel_record use)
{
	struct build_process *p = &b->processes[process];

	for (uint32_t i = 0; i < p->record.channel_count; i++)
		if (p->uses[i].channel == use.channel && p->uses[i].direction == use.direction)
			build_refuse(b, "process %.80s has channel %.80s as one that it %s already", build_text(b, p->record.name),
				     build_text(b, b->channels[use.channel].name), pkg_word(PKG_WORDS_channel_direction, use.direction));
	*COMMON_PUSH(b->arena, p->uses, p->record.channel_count, p->use_capacity) = use;
}

uint32_t ptowsp_build_process_order(struct ptowsp_build *b, uint32_t process, uint32_t order)
{
	BUILD_CALL(b);
	b->processes[build_row(b, BUILD_PROCESS, process)].record.order = order;
	return BUILD_DONE;
}

/* The channel of a statement of the process that is open, which says that it uses it so. */
static uint32_t channel_of(struct ptowsp_build *b, uint32_t handle, uint16_t direction)
{
	uint32_t channel = build_row(b, BUILD_CHANNEL, handle);
	const struct build_process *p;

	build_code(b);
	if (b->process == PTOWSP_NONE)
		build_refuse(b, "this stands in the code of a process");
	p = &b->processes[b->process];
	for (uint32_t i = 0; i < p->record.channel_count; i++)
		if (p->uses[i].channel == channel && p->uses[i].direction == direction)
			return channel;
	build_refuse(b, "process %.80s does not say that it %s %.80s: ptowsp_build_process_uses", build_text(b, p->record.name),
		     direction == PTOWSP_CHANNEL_PRODUCES ? "produces for" : "consumes from", build_text(b, b->channels[channel].name));
}

/* A token of a payload channel has a region, which comes next. */
static void carry_want(struct ptowsp_build *b, uint32_t channel, unsigned op)
{
	if (b->channels[channel].kind == PTOWSP_CHANNEL_PAYLOAD)
		b->carry = op;
}

uint32_t ptowsp_build_send(struct ptowsp_build *b, uint32_t channel, uint32_t expr)
{
	BUILD_CALL(b);
	uint32_t row = channel_of(b, channel, PTOWSP_CHANNEL_PRODUCES), value = build_expr(b, expr);

	build_evaluate(b, value);
	build_emit_at(b, PTOWSP_OP_SEND, row, value);
	carry_want(b, row, PTOWSP_OP_IO_INPUT);
	return BUILD_DONE;
}

uint32_t ptowsp_build_consume(struct ptowsp_build *b, uint32_t channel)
{
	BUILD_CALL(b);
	uint32_t row = channel_of(b, channel, PTOWSP_CHANNEL_CONSUMES);

	build_open(b, PTOWSP_OP_CONSUME, build_emit_at(b, PTOWSP_OP_CONSUME, row, 0), 1);
	carry_want(b, row, PTOWSP_OP_IO_OUTPUT);
	return build_loop_value(b);
}

uint32_t ptowsp_build_carry(struct ptowsp_build *b, uint32_t region)
{
	BUILD_CALL(b);
	if (!b->carry)
		build_refuse(b, "this stands behind the send or consume of a payload channel, once");
	build_emit(b, b->carry, 0, build_region_row(b, region));
	b->carry = 0;
	return BUILD_DONE;
}

uint32_t ptowsp_build_close(struct ptowsp_build *b, uint32_t channel)
{
	BUILD_CALL(b);
	build_emit_at(b, PTOWSP_OP_CLOSE, channel_of(b, channel, PTOWSP_CHANNEL_PRODUCES), 0);
	return BUILD_DONE;
}

/* ---- directives of the schedule, and what the package needs. ---- */

uint32_t ptowsp_build_directive(struct ptowsp_build *b, const char *directive, const char *policy)
{
	BUILD_CALL(b);
	struct ptowsp_directive_record row = {.directive = (uint16_t)build_word(b, PKG_WORDS_directive, directive)};
	const struct pkg_policy *found = pkg_policy_find(row.directive, policy && *policy ? policy : NULL);
	char known[256];

	if (!found) {
		pkg_policy_list(row.directive, known, sizeof(known));
		build_refuse(b, "\"%.40s\" is no policy of %s; known: %s", policy ? policy : "", directive, known);
	}
	row.policy = found->policy;
	*BUILD_PUSH(b, directives, directive) = row;
	return build_handle(b, BUILD_DIRECTIVE, b->directive_count - 1);
}

static uint32_t argument_add(struct ptowsp_build *b, uint32_t handle, uint64_t kind, int64_t value)
{
	struct ptowsp_directive_record *row = &b->directives[build_row(b, BUILD_DIRECTIVE, handle)];
	int64_t *const places[] = {&row->a0, &row->a1, &row->a2, &row->a3, &row->a4, &row->a5, &row->a6, &row->a7};
	const struct pkg_policy *policy = pkg_policy(row->directive, row->policy);

	if (row->count >= policy->most || row->count >= 8)
		build_refuse(b, "%s %s takes at most %u argument%s", pkg_word(PKG_WORDS_directive, row->directive), pkg_policy_text(policy).text, policy->most,
			     policy->most == 1 ? "" : "s");
	*places[row->count] = value;
	row->kinds |= kind << 8 * row->count;
	row->count++;
	return BUILD_DONE;
}

uint32_t ptowsp_build_directive_number(struct ptowsp_build *b, uint32_t directive, int64_t value)
{
	BUILD_CALL(b);
	return argument_add(b, directive, PTOWSP_ARGUMENT_NUMBER, value);
}

uint32_t ptowsp_build_directive_word(struct ptowsp_build *b, uint32_t directive, const char *word)
{
	BUILD_CALL(b);
	return argument_add(b, directive, PTOWSP_ARGUMENT_WORD, build_string(b, word));
}

uint32_t ptowsp_build_directive_expr(struct ptowsp_build *b, uint32_t directive, uint32_t expr)
{
	BUILD_CALL(b);
	return argument_add(b, directive, PTOWSP_ARGUMENT_EXPR, build_expr(b, expr));
}

uint32_t ptowsp_build_directive_must(struct ptowsp_build *b, uint32_t directive)
{
	BUILD_CALL(b);
	b->directives[build_row(b, BUILD_DIRECTIVE, directive)].flags |= PTOWSP_DIRECTIVE_MUST;
	return BUILD_DONE;
}

uint32_t ptowsp_build_require(struct ptowsp_build *b, const char *feature, uint32_t state)
{
	BUILD_CALL(b);

	build_require(b, feature, state);
	return BUILD_DONE;
}

void build_require(struct ptowsp_build *b, const char *feature, uint32_t state)
{
	struct ptowsp_requirement_record row = {.state = (uint16_t)state};

	if (!feature || !pkg_feature_find(feature, &row.feature))
		build_refuse(b, "\"%.60s\" is no feature: \"opcode task\", \"directive dispatch round_robin\", \"payload pto\", \"total_cycles\"",
			     feature ? feature : "");
	if (!state || state > 3)
		build_refuse(b, "state %u: 1 is diagnosed, 2 recorded, 3 enforced", state);
	*BUILD_PUSH(b, requirements, requirement) = row;
}
