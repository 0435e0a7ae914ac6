/* SPDX-License-Identifier: MIT */
/* lang_process.c - channels and processes: what must hold of them together, their rows, and what processes do with channels. */
#include "lang/lang_process.h"
#include "lang/lang_schedule.h"
#include "lang/lower/lang_lower.h"
#include "lang/parse/parse.h"
#include "registry/common/common_dtype.h"

#include <stdbool.h>
#include <string.h>

/* --- channels --- */

/* Uses of channels as processes state them, whatever the order of declarations. */
static void uses_note(struct lang_module *module)
{
	for (struct lang_decl *decl = module->decls; decl; decl = decl->next) {
		const struct lang_process *process = (const struct lang_process *)decl;

		for (uint32_t i = 0; decl->kind == LANG_DECL_PROCESS && i < process->use_count; i++) {
			struct lang_decl *channel = lang_decl_find(module, '%', process->uses[i].name);

			if (!channel || channel->kind != LANG_DECL_CHANNEL)
				continue;
			((struct lang_channel *)channel)->produced |= process->uses[i].direction == PTOWSP_CHANNEL_PRODUCES;
			((struct lang_channel *)channel)->consumed |= process->uses[i].direction == PTOWSP_CHANNEL_CONSUMES;
		}
	}
}

static void channel_check(struct lang_module *module, const struct lang_channel *channel)
{
	const char *name = channel->head.name;

	if (!channel->produced && !channel->consumed) {
		lang_error(module->unit, channel->head.at, "no process produces for channel %%%s, and none consumes from it", name);
		lang_help(module->unit, "write produces(%%%s) behind the name of one process and consumes(%%%s) behind that of another", name, name);
	} else if (!channel->produced) {
		lang_error(module->unit, channel->head.at, "no process produces for channel %%%s", name);
		lang_help(module->unit, "write produces(%%%s) behind the name of the process that sends into it", name);
	} else if (!channel->consumed) {
		lang_error(module->unit, channel->head.at, "no process consumes from channel %%%s", name);
		lang_help(module->unit, "write consumes(%%%s) behind the name of the process that takes its tokens", name);
	}
}

/* All at once, with the first. A process whose head is torn may have named any of them. */
void lang_channel_check(struct lang_module *module, struct lang_decl *first)
{
	if (first->position)
		return;
	uses_note(module);
	for (const struct lang_decl *decl = module->decls; decl; decl = decl->next)
		if (decl->kind == LANG_DECL_PROCESS && decl->broken)
			return;
	for (const struct lang_decl *decl = module->decls; decl; decl = decl->next)
		if (decl->kind == LANG_DECL_CHANNEL && !decl->broken && lang_decl_find(module, '%', decl->name) == decl)
			channel_check(module, (const struct lang_channel *)decl);
}

/* --- processes --- */

/* How a process says that it uses a channel; NULL: it does not. */
static struct lang_use *process_use(const struct lang_process *process, const char *channel, uint16_t direction)
{
	return lang_map_find(&process->by_name[direction], channel);
}

static const char *const directions[] = {[PTOWSP_CHANNEL_PRODUCES] = "produces", [PTOWSP_CHANNEL_CONSUMES] = "consumes"};

static void use_check(struct lang_module *module, struct lang_process *process, struct lang_use *use)
{
	struct lang_decl *decl = lang_decl_find(module, '%', use->name);

	if (process_use(process, use->name, use->direction)) {
		lang_error(module->unit, use->at, "%%%s is named twice in %s", use->name, directions[use->direction]);
		return;
	}
	lang_map_add(&process->by_name[use->direction], &module->unit->arena, use->name, use);
	if (decl && decl->kind == LANG_DECL_CHANNEL) {
		use->channel = (struct lang_channel *)decl;
		return;
	}
	if (decl)
		lang_error(module->unit, use->at, "%%%s is a %s, no channel; it is declared at %s", use->name, lang_decl_forms[decl->kind].word,
			   lang_place(module->unit, decl->at));
	else
		lang_error(module->unit, use->at, "there is no channel %%%s", use->name);
	if (!decl)
		lang_decl_help(module, '%', LANG_DECL_CHANNEL, use->name);
}

/* Told at the first process that is one too many. */
static void instances_check(struct lang_module *module)
{
	uint64_t count = 0;

	for (const struct lang_decl *decl = module->decls; decl; decl = decl->next) {
		const struct lang_process *process = (const struct lang_process *)decl;

		if (decl->kind != LANG_DECL_PROCESS)
			continue;
		count += process->replicas;
		if (count <= LANG_MAX_INSTANCES)
			continue;
		lang_error(module->unit, process->replicas_at.line ? process->replicas_at : decl->at,
			   "with these there are %llu instances, all processes together have %u at most", (unsigned long long)count, LANG_MAX_INSTANCES);
		return;
	}
}

static void built_check(struct lang_module *module)
{
	const struct lang_directive *directive = lang_schedule_find(module, PTOWSP_DIRECTIVE_START, PTOWSP_START_AFTER_ORCHESTRATION);

	if (!directive)
		return;
	lang_error(module->unit, directive->at, "the graph of a pipeline cannot be built before it runs: its tasks follow the tokens");
	lang_help(module->unit, "take start after_orchestration out");
}

/* Uses that a process states and does not make. */
static void unused_warn(struct lang_module *module, const struct lang_process *process)
{
	static const char *const undone[] = {[PTOWSP_CHANNEL_PRODUCES] = "sends into it", [PTOWSP_CHANNEL_CONSUMES] = "consumes from it"};

	for (uint32_t i = 0; i < process->use_count; i++)
		if (process->uses[i].channel && !process->uses[i].used)
			lang_warn(module->unit, process->uses[i].at, "@%s %s %%%s and never %s", process->head.name, directions[process->uses[i].direction],
				  process->uses[i].name, undone[process->uses[i].direction]);
}

/* The tasks of a process and those of others come in turns. */
static void process_body_check(struct lang_module *module, struct lang_process *process)
{
	struct lang_work_check check = {.unit = module->unit, .scope = {.module = module, .around = process->head.name}, .decl = &process->head, .turns = 1};

	lang_body_check(&check, &process->body);
}

void lang_process_check(struct lang_module *module, struct lang_decl *decl)
{
	struct lang_process *process = (struct lang_process *)decl;

	for (uint32_t i = 0; i < process->use_count; i++)
		use_check(module, process, &process->uses[i]);
	if (!decl->position) {
		instances_check(module);
		built_check(module);
	}
	process_body_check(module, process);
	if (!module->unit->list->head.errors) /* a statement with an error may be the one that is missed */
		unused_warn(module, process);
}

/* ---- channels and processes to CSPC, PROC and PRCH; what a pipeline needs of the entries in front of it. ---- */

bool lang_has_pipeline(const struct lang_module *module)
{
	return module->decl_counts[LANG_DECL_PROCESS] > 0;
}

void lang_pipeline_complete(struct lang_module *module)
{
	struct lang_parser parser = {.unit = module->unit, .module = module};
	struct lang_workload *workload;
	struct lang_decl *first = module->decls;

	if (!lang_has_pipeline(module) || module->decl_counts[LANG_DECL_WORKLOAD])
		return;
	while (first->kind != LANG_DECL_PROCESS)
		first = first->next;
	if (lang_decl_find(module, '@', "main") || lang_map_find(&module->functions, "main")) {
		lang_error(module->unit, first->at, "the pipeline needs an entry, and the name main is taken by something else");
		lang_help(module->unit, "write an entry of another name: workload @run { }");
		return;
	}
	workload = lang_decl_add(&parser, LANG_DECL_WORKLOAD, sizeof(*workload), "main", first->at);
	workload->body.last = &workload->body.first;
}

/* --- rows --- */

void lang_channel_build(struct lang_lower *lower, struct lang_decl *decl)
{
	const struct lang_channel *channel = (const struct lang_channel *)decl;

	build_channel_add(lower->build, decl->name,
			  (struct ptowsp_channel_record){.capacity = channel->capacity,
							 .latency = channel->latency,
							 .kind = channel->is_payload ? PTOWSP_CHANNEL_PAYLOAD : PTOWSP_CHANNEL_TOKEN});
}

void lang_process_build(struct lang_lower *lower, struct lang_decl *decl)
{
	const struct lang_process *process = (const struct lang_process *)decl;
	uint32_t row = build_process_add(lower->build, decl->name, process->replicas);

	lower->build->processes[row].record.order = decl->position;
	for (uint32_t i = 0; i < process->use_count; i++)
		build_process_use(
			lower->build, row,
			(struct ptowsp_process_channel_record){.channel = process->uses[i].channel->head.row, .direction = process->uses[i].direction});
}

/* --- code --- */

static void body_lower(struct lang_lower *lower, struct lang_process *process)
{
	struct lang_work_walk walk = {.lower = lower, .entry = PTOWSP_NONE, .body = &process->body};

	lower->build->processes[process->head.row].record.instruction = lower->tables->work_count;
	lang_body_lower(&walk, &process->body);
	lang_word_add_at(walk.lower, PTOWSP_OP_HALT, 0, 0, process->head.at);
}

/* Slots and symbols that the bodies read are noted as if they were one entry, and kept for all entries that processes run behind. */
void lang_pipeline_lower(struct lang_lower *lower)
{
	lower->entry = &lower->pipeline;
	for (struct lang_decl *decl = lower->module->decls; decl; decl = decl->next)
		if (decl->kind == LANG_DECL_PROCESS)
			body_lower(lower, (struct lang_process *)decl);
	lower->entry = NULL;
}

/* ---- send, consume and close: what processes do with channels. ---- */

/* --- parsing --- */

bool lang_send_parse(struct lang_parser *parser, struct lang_work *work)
{
	if (!lang_work_name_parse(parser, work, "a channel such as %c") || !lang_expect(parser, ',', "and the token behind the channel"))
		return false;
	work->value = lang_scalar_parse(parser, "a token such as %i");
	if (!work->value)
		return false;
	return !lang_word_take(parser, "from") || lang_part_parse(parser, &work->parts[0]);
}

bool lang_consume_parse(struct lang_parser *parser, struct lang_work *work)
{
	const struct lang_token *name;

	if (!lang_work_name_parse(parser, work, "a channel such as %c"))
		return 0;
	if (!lang_word_take(parser, "as"))
		return lang_expected(parser, "\"as\" and a name for the token");
	name = lang_name_take(parser, LANG_NAME, "a name for the token such as %i");
	if (!name)
		return 0;
	work->local = common_alloc(&parser->unit->arena, sizeof(*work->local));
	work->local->kind = LANG_LOCAL_LOOP;
	work->local->name = name->text;
	work->local->at = name->at;
	if (lang_word_take(parser, "into") && !lang_part_parse(parser, &work->parts[0]))
		return 0;
	return lang_work_body_parse(parser, work);
}

bool lang_close_parse(struct lang_parser *parser, struct lang_work *work)
{
	return lang_work_name_parse(parser, work, "a channel such as %c");
}

/* --- checking --- */

/* The channel, if the process around says that it uses it so; NULL after an error. */
static const struct lang_channel *channel_find(struct lang_work_check *check, struct lang_work *work, uint16_t direction)
{
	static const char *const verbs[] = {"produce for", "consume from"}, *const words[] = {"produces", "consumes"};
	const struct lang_process *process = (const struct lang_process *)check->decl;
	struct lang_use *use;

	if (check->decl->kind != LANG_DECL_PROCESS) {
		lang_error(check->unit, work->at, "%s stands in processes only, and @%s is a %s", work->form->word, check->decl->name,
			   lang_decl_forms[check->decl->kind].word);
		return NULL;
	}
	if (!lang_work_decl_find(check, work, LANG_DECL_CHANNEL, "a channel"))
		return NULL;
	use = process_use(process, work->name, direction);
	if (!use && !process->head.broken) {
		lang_error(check->unit, work->name_at, "process @%s does not %s %%%s", process->head.name, verbs[direction], work->name);
		lang_help(check->unit, "say so behind its name at %s: %s(%%%s)", lang_place(check->unit, process->head.at), words[direction], work->name);
	}
	if (use)
		use->used = 1;
	return work->decl->broken ? NULL : (const struct lang_channel *)work->decl;
}

static const char *payload_text(struct lang_work_check *check, const struct lang_channel *channel)
{
	return common_format(&check->unit->arena, "%s[%u, %u]", common_dtype_text(channel->dtype), channel->rows, channel->columns);
}

/* preposition: "from", "into" */
static void payload_check(struct lang_work_check *check, struct lang_work *work, const struct lang_channel *channel, const char *preposition)
{
	struct lang_part *part = &work->parts[0];
	unsigned access = work->form->opcode == PTOWSP_OP_SEND ? PTOWSP_READ : PTOWSP_WRITE;

	if (!part->tensor && channel->is_payload) {
		lang_error(check->unit, work->name_at, "%%%s carries %s, and %s does not say %s where", work->name, payload_text(check, channel),
			   work->form->word, preposition);
		lang_help(check->unit, "write %s %%tensor[row, column] behind the token", preposition);
	}
	if (!part->tensor)
		return;
	if (!channel->is_payload) {
		lang_error(check->unit, part->all, "%%%s carries tokens alone, so %s moves no elements", work->name, work->form->word);
		lang_help(check->unit, "declare the channel as one of payload, at %s", lang_place(check->unit, channel->head.at));
		return;
	}
	if (!lang_part_check(check, part, access, work->form->word) || !lang_part_size(check, part, channel->rows, channel->columns))
		return;
	if (part->rows != channel->rows || part->columns != channel->columns)
		lang_error(check->unit, part->all, "%%%s carries %s, this part has %u x %u elements", work->name, payload_text(check, channel), part->rows,
			   part->columns);
	if (part->viewed)
		lang_error(check->unit, part->all, "%s moves elements as they are declared: leave \"as\" out", work->form->word);
	else if (part->decl->dtype != channel->dtype)
		lang_error(check->unit, part->at, "%%%s carries %s, %%%s is of type %s", work->name, payload_text(check, channel), part->tensor,
			   common_dtype_text(part->decl->dtype));
}

void lang_send_check(struct lang_work_check *check, struct lang_work *work)
{
	const struct lang_channel *channel = channel_find(check, work, PTOWSP_CHANNEL_PRODUCES);

	lang_scalar_check(&check->scope, work->value, "a token");
	if (channel)
		payload_check(check, work, channel, "from");
}

/* The region of a payload may depend on its token. */
void lang_consume_check(struct lang_work_check *check, struct lang_work *work)
{
	const struct lang_channel *channel = channel_find(check, work, PTOWSP_CHANNEL_CONSUMES);
	struct lang_local *outer = check->scope.locals;

	if (!work->local) /* its head has an error, and what its body calls the token is not known */
		return;
	lang_scope_enter(&check->scope, work->local);
	check->loops++;
	if (channel)
		payload_check(check, work, channel, "into");
	check->loops--;
	lang_scope_leave(&check->scope, outer);
	for (uint32_t i = 0; i < work->body_count; i++)
		lang_loop_body_check(check, &work->bodies[i], work->local);
}

void lang_close_check(struct lang_work_check *check, struct lang_work *work)
{
	channel_find(check, work, PTOWSP_CHANNEL_PRODUCES);
}

/* --- lowering --- */

void lang_send_lower(struct lang_work_walk *walk, const struct lang_work *work)
{
	lang_word_add_at(walk->lower, PTOWSP_OP_SEND, work->decl->row, lang_scalar_lower(walk->lower, work->value), work->at);
	if (work->parts[0].tensor)
		lang_word_add(walk->lower, PTOWSP_OP_IO_INPUT, 0, lang_part_lower(walk, &work->parts[0]), work->at);
}

void lang_consume_lower(struct lang_work_walk *walk, const struct lang_work *work)
{
	uint32_t head = lang_word_add_at(walk->lower, PTOWSP_OP_CONSUME, work->decl->row, 0, work->at);

	work->local->loop = walk->loops; /* the token is the value of the loop that begins here, for the region, too */
	if (work->parts[0].tensor)
		lang_word_add(walk->lower, PTOWSP_OP_IO_OUTPUT, 0, lang_part_lower(walk, &work->parts[0]), work->at);
	lang_loop_body_lower(walk, head, work->local, &work->bodies[0]);
}

void lang_close_lower(struct lang_work_walk *walk, const struct lang_work *work)
{
	lang_word_add_at(walk->lower, PTOWSP_OP_CLOSE, work->decl->row, 0, work->at);
}
