/* SPDX-License-Identifier: MIT */
/* parse_process.c - channel %c ... and process @p ... { } */
#include "lang/lang_process.h"
#include "lang/parse/parse.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Skips to the next word at the start of a line, or to a "{": what is left of a head with an error. */
static void head_skip(struct lang_parser *parser)
{
	while (!lang_at_mark(parser, '{') && !lang_peek(parser)->first && lang_peek(parser)->kind != LANG_END)
		lang_take(parser);
}

/* A whole number from least to most at the next token. what: "capacity". */
static bool count_parse(struct lang_parser *parser, const char *what, const char *unit, uint64_t least, uint64_t most, uint64_t *value_out)
{
	const struct lang_token *token = lang_peek(parser);
	char wanted[64], *stop;

	if (token->kind != LANG_NUMBER) {
		snprintf(wanted, sizeof(wanted), "a number of %s behind %s", unit, what);
		return lang_expected(parser, wanted);
	}
	lang_take(parser);
	*value_out = strtoull(token->text, &stop, 10);
	if (!*stop && strspn(token->text, "0123456789") == strlen(token->text) && strlen(token->text) < 19 && *value_out >= least && *value_out <= most)
		return true;
	lang_error(parser->unit, token->at, "%s is no number of %s from %llu to %llu", token->text, unit, (unsigned long long)least, (unsigned long long)most);
	*value_out = least;
	return false;
}

/* --- channels --- */

/* f32[4, 64] */
static int payload_parse(struct lang_parser *parser, struct lang_channel *channel)
{
	uint64_t rows, columns;
	struct lang_type type;

	if (!lang_type_parse(parser, &type))
		return 0;
	if (type.kind != LANG_TYPE_SCALAR || type.index) {
		lang_error(parser->unit, type.at, "a payload is written like f32[4, 64]: element type, rows, columns");
		return 0;
	}
	channel->dtype = type.dtype;
	if (!lang_expect(parser, '[', "and the rows and columns behind the element type") ||
	    !count_parse(parser, "the element type", "rows", 1, UINT32_MAX, &rows) || !lang_expect(parser, ',', "and the columns behind the rows") ||
	    !count_parse(parser, "the rows", "columns", 1, UINT32_MAX, &columns))
		return 0;
	channel->rows = (uint32_t)rows;
	channel->columns = (uint32_t)columns;
	return lang_expect(parser, ']', "behind the columns");
}

static int kind_parse(struct lang_parser *parser, struct lang_channel *channel)
{
	if (!lang_expect(parser, ':', "and the kind behind the channel's name"))
		return 0;
	if (lang_at_word(parser, "token")) {
		lang_take(parser);
		return 1;
	}
	if (!lang_at_word(parser, "payload"))
		return lang_expected(parser, "token or payload");
	lang_take(parser);
	channel->is_payload = 1;
	return payload_parse(parser, channel);
}

static bool limits_parse(struct lang_parser *parser, struct lang_channel *channel)
{
	struct lang_clauses clauses = {0};
	uint64_t capacity = channel->capacity;

	for (;;) {
		if (lang_clause_take(parser, &clauses, 0, "capacity")) {
			if (!count_parse(parser, "capacity", channel->is_payload ? "payloads" : "tokens", 0, UINT32_MAX, &capacity))
				return false;
			channel->capacity = (uint32_t)capacity;
		} else if (lang_clause_take(parser, &clauses, 1, "latency")) {
			if (!count_parse(parser, "latency", "cycles", 0, LANG_MAX_LATENCY, &channel->latency))
				return false;
		} else {
			return !clauses.again && (lang_peek(parser)->first || lang_peek(parser)->kind == LANG_END ||
						  lang_expected(parser, "capacity, latency or the end of the line"));
		}
	}
}

void lang_channel_parse(struct lang_parser *parser)
{
	struct lang_channel *channel = lang_decl_begin(parser, LANG_DECL_CHANNEL, sizeof(*channel), LANG_NAME, "the channel's name such as %c");

	if (!channel)
		return;
	channel->capacity = 1;
	if (kind_parse(parser, channel) && limits_parse(parser, channel))
		return;
	channel->head.broken = 1;
	head_skip(parser);
}

/* --- processes --- */

static int uses_parse(struct lang_parser *parser, struct lang_process *process, uint16_t direction)
{
	static const char *const words[] = {"produces", "consumes"};
	char where[64];

	lang_take(parser);
	snprintf(where, sizeof(where), "and the channels behind %s", words[direction]);
	if (!lang_expect(parser, '(', where))
		return 0;
	for (bool more = !lang_at_mark(parser, ')'); more; more = lang_comma_take(parser, ')')) {
		const struct lang_token *name = lang_peek(parser);

		if (name->kind != LANG_NAME)
			return lang_expected(parser, "a channel such as %c");
		lang_take(parser);
		*COMMON_PUSH(&parser->unit->arena, process->uses, process->use_count, process->use_capacity) =
			(struct lang_use){.name = name->text, .at = name->at, .direction = direction};
	}
	return lang_expect(parser, ')', "behind the channels");
}

/* A number out of range does not hide what follows it. */
static int replicas_parse(struct lang_parser *parser, struct lang_process *process)
{
	uint64_t replicas = 1;
	int number;

	process->replicas_at = lang_peek(parser)->at;
	number = lang_peek(parser)->kind == LANG_NUMBER;
	if (!count_parse(parser, "replicate", "instances", 1, LANG_MAX_INSTANCES, &replicas))
		process->head.broken = 1;
	process->replicas = (uint32_t)replicas;
	return number;
}

/* Up to "{". */
static int head_parse(struct lang_parser *parser, struct lang_process *process)
{
	struct lang_clauses clauses = {0};
	int ok = 1;

	while (ok && !lang_at_mark(parser, '{')) {
		if (lang_at_word(parser, "produces"))
			ok = uses_parse(parser, process, PTOWSP_CHANNEL_PRODUCES);
		else if (lang_at_word(parser, "consumes"))
			ok = uses_parse(parser, process, PTOWSP_CHANNEL_CONSUMES);
		else if (lang_clause_take(parser, &clauses, 0, "replicate"))
			ok = replicas_parse(parser, process);
		else
			ok = !clauses.again && lang_expected(parser, "produces, consumes, replicate or \"{\"");
	}
	return ok;
}

void lang_process_parse(struct lang_parser *parser)
{
	struct lang_process *process = lang_decl_begin(parser, LANG_DECL_PROCESS, sizeof(*process), LANG_AT, "the process's name such as @load");

	if (!process)
		return;
	process->replicas = 1;
	if (!head_parse(parser, process)) {
		process->head.broken = 1;
		head_skip(parser);
	}
	if (lang_at_mark(parser, '{'))
		lang_body_parse(parser, &process->body);
}
