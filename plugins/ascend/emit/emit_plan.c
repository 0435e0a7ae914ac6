/* SPDX-License-Identifier: MIT */
/* emit_plan.c - slots of plan.json, and one workload of it: its schedule with what the backend makes of each directive, its tensors, the slots that it changes, its bytecode. */
#include "ascend/emit/ascend_emit_state.h"

#include "rt/program/dtype.h"
#include <inttypes.h>
#include <string.h>

static const struct word {
	uint32_t id;
	const char *text;
} directives[] = {
#define X(NAME, code, text, ...) {code, text},
#include "ptowsp/directive.def"
#undef X
};

static const char *directive_text(uint32_t id)
{
	for (size_t i = 0; i < sizeof(directives) / sizeof(*directives); i++)
		if (directives[i].id == id)
			return directives[i].text;
	return "unknown";
}

static const char *const opcodes[] = {
#define X(NAME, code, mnemonic, operand1, operand2, effect) [code] = mnemonic,
#include "ptowsp/workload_ops.def"
#undef X
};

static void arguments_put(const struct rt_tables *t, const struct ptowsp_directive_record *d, struct common_text *json)
{
	const int64_t values[8] = {d->a0, d->a1, d->a2, d->a3, d->a4, d->a5, d->a6, d->a7};

	for (uint32_t i = 0; i < d->count && i < 8; i++) {
		const unsigned kind = d->kinds >> 8 * i & 0xFF;

		common_text_add(json, "%s", i ? ", " : "");
		if (kind == PTOWSP_ARGUMENT_WORD)
			common_text_json(json, rt_string(t, (uint32_t)values[i]));
		else
			common_text_add(json, kind ? "\"#%" PRIi64 "\"" : "%" PRIi64, values[i]);
	}
}

/* NULL: the code does it; else why it does not, as the rest of a sentence. */
static const char *left_out(const struct ptowsp_directive_record *d)
{
	switch (d->directive) {
	case PTOWSP_DIRECTIVE_TASK_WINDOW:
		return d->policy == PTOWSP_TASK_WINDOW_STALL
			       ? NULL
			       : "a full window of the emitted code always waits: modes abort and benchmark belong to a run's report";
	case PTOWSP_DIRECTIVE_TIMING: return d->policy == PTOWSP_TIMING_IMMEDIATE ? NULL : "the emitted code issues as soon as it can";
	case PTOWSP_DIRECTIVE_DISPATCH:
		return d->policy == PTOWSP_DISPATCH_WORK_STEAL
			       ? "which instance has least to do only running tells, and all of them must know: tasks go by number"
			       : NULL;
	case PTOWSP_DIRECTIVE_START: return "tasks of the emitted code start as soon as they may";
	case PTOWSP_DIRECTIVE_ISSUE_COST: return "it is a cost of the semantic clock, which the emitted code has not";
	case PTOWSP_DIRECTIVE_READY: return "what may start starts in the order of task numbers";
	case PTOWSP_DIRECTIVE_LAYOUT: return "each tensor is whole, in global memory";
	case PTOWSP_DIRECTIVE_TRACE: return "the emitted code records nothing";
	case PTOWSP_DIRECTIVE_TENSOR_MAP:
	case PTOWSP_DIRECTIVE_DEP_LIST: return "the builder's pools have a size of their own, and wait when they are full";
	case PTOWSP_DIRECTIVE_HEAP: return "each tensor of the tree has memory of its own";
	case PTOWSP_DIRECTIVE_READY_QUEUE: return "what may start is found among the tasks of the window";
	default: return NULL;
	}
}

static void schedule_put(struct ascend_emitter *e, struct common_text *json)
{
	const struct rt_tables *t = &e->p->tables;

	common_text_add(json, "\n   \"schedule\": [");
	for (uint32_t i = 0; i < t->directive.count; i++) {
		const struct ptowsp_directive_record *d = &t->directive.rows[i];

		common_text_add(json, "%s{\"directive\": \"%s\", \"policy\": %u, \"arguments\": [", i ? ",\n    " : "", directive_text(d->directive),
				d->policy);
		arguments_put(t, d, json);
		common_text_add(json, "], \"in_code\": %s}", left_out(d) ? "false" : "true");
		if (left_out(d))
			ascend_tell(e, "%s is kept in plan.json and not in the code: %s", directive_text(d->directive), left_out(d));
	}
	common_text_add(json, "],");
}

static void tensors_put(const struct ascend_emitter *e, struct common_text *json)
{
	const struct rt_tables *t = &e->p->tables;

	common_text_add(json, "\n   \"tensors\": [");
	for (uint32_t i = 0, n = 0; i < t->tensor.count; i++) {
		if (!e->p->traits[i].access && !e->p->traits[i].loaded && !e->p->traits[i].indexed && !e->p->traits[i].moved)
			continue;
		common_text_add(json, "%s{\"id\": \"TENSOR_%s\", \"name\": ", n++ ? ",\n    " : "", e->tensors.rows[i].text);
		common_text_json(json, rt_string(t, t->tensor.rows[i].name));
		common_text_add(json, ", \"dtype\": \"%s\", \"access\": %u}", rt_dtype_text(t->tensor.rows[i].dtype), e->p->traits[i].access);
	}
	common_text_add(json, "],\n   \"changes\": [");
	for (uint32_t i = 0, n = 0; i < t->slot.count; i++)
		if (e->p->changed[i])
			common_text_add(json, "%s\"SLOT_%s\"", n++ ? ", " : "", e->slots.rows[i].text);
	common_text_add(json, "],");
}

void ascend_plan_slots(struct ascend_emitter *e, const struct rt_program *program)
{
	const struct rt_tables *t = &program->tables;

	for (uint32_t i = 0; i < t->slot.count; i++) {
		common_text_add(&e->slots_json, "%s{\"id\": \"SLOT_%s\", \"name\": ", i ? ",\n   " : "\n   ", e->slots.rows[i].text);
		common_text_json(&e->slots_json, rt_string(t, t->slot.rows[i].name));
		common_text_add(&e->slots_json, ", \"value\": %" PRIi64 "}",
				t->slot.rows[i].flags & PTOWSP_SLOT_HAS_DEFAULT ? (int64_t)t->slot.rows[i].value : 0);
	}
}

/* From the entry's first instruction to its halt. */
static void code_put(const struct ascend_emitter *e, struct common_text *json)
{
	const struct rt_tables *t = &e->p->tables;

	common_text_add(json, "\n   \"bytecode\": [");
	for (uint32_t at = e->p->begin, n = 0; at < t->work.code_count; at++, n++) {
		const struct ptowsp_instruction *in = &t->work.code[at];

		common_text_add(json, "%s\"%" PRIu32 " %s %u %" PRIu32 "\"", n ? (n % 6 ? ", " : ",\n    ") : "", at, opcodes[in->opcode], in->operand1,
				in->operand2);
		if (in->opcode == PTOWSP_OP_HALT)
			break;
	}
	common_text_add(json, "]}");
}

void ascend_plan(struct ascend_emitter *e, const struct rt_program *program, struct common_text *json)
{
	e->p = program;
	common_text_add(json, "%s{\"workload\": \"%s\", \"name\": ", json->length ? ",\n  " : "\n  ", e->workloads.rows[program->entry].text);
	common_text_json(json, rt_string(&program->tables, program->tables.entry.rows[program->entry].name));
	common_text_add(json, ", \"tasks\": %" PRIu32 ", \"loops\": %" PRIu32 ", \"processes\": %s,", program->site_count, program->loop_count,
			program->tables.entry.rows[program->entry].flags & PTOWSP_ENTRY_PIPELINE ? "true" : "false");
	schedule_put(e, json);
	tensors_put(e, json);
	code_put(e, json);
}
