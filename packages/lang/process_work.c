/* SPDX-License-Identifier: MIT */
/* process_work.c - send, consume and close: what processes do with channels. */
#include "lang/lang_process.h"

#include "lang/lower/lang_lower.h"
#include "lang/parse/parse.h"
#include "registry/common/common_dtype.h"
#include <stdbool.h>

/* --- parsing --- */

static bool channel_name_parse(struct lang_parser *parser, struct lang_work *work)
{
	const struct lang_token *name = lang_name_take(parser, LANG_NAME, "a channel such as %c");

	if (!name)
		return false;
	work->name = name->text;
	work->name_at = name->at;
	return true;
}

bool lang_send_parse(struct lang_parser *parser, struct lang_work *work)
{
	if (!channel_name_parse(parser, work) || !lang_expect(parser, ',', "and the token behind the channel"))
		return false;
	work->value = lang_scalar_parse(parser, "a token such as %i");
	if (!work->value)
		return false;
	return !lang_word_take(parser, "from") || lang_part_parse(parser, &work->parts[0]);
}

bool lang_consume_parse(struct lang_parser *parser, struct lang_work *work)
{
	const struct lang_token *name;

	if (!channel_name_parse(parser, work))
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
	return channel_name_parse(parser, work);
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
	use = lang_process_use(process, work->name, direction);
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

/* The tasks of a process and those of others come in turns. */
void lang_process_body_check(struct lang_module *module, struct lang_process *process)
{
	struct lang_work_check check = {.unit = module->unit, .scope = {.module = module, .around = process->head.name}, .decl = &process->head, .turns = 1};

	lang_body_check(&check, &process->body);
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
