/* SPDX-License-Identifier: MIT */
/* schedule.c - parser of KEY=VALUE texts for the schedule. */
#include "registry/schedule.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "registry/common/common_grow.h"
#include "registry/span.h"
#include "registry/text.h"

enum { ARGUMENT_LIMIT = 8, PART_LIMIT = 16, TEXT_LIMIT = 4096 }; /* parts: of a threshold, whose policies beyond the fourth share a word */

/* VALUE taken apart: word(argument, ...), or bare arguments with an empty word. */
struct value {
	struct reg_span word, arguments[PART_LIMIT];
	unsigned count;
};
/* The state of a step. */
struct job {
	struct reg_schedule *schedule;
	const struct reg_scope *scope;
	const struct reg_directive *directive;
	const struct reg_policy *policy;
	struct ptowsp_directive_record row;
	struct ptowsp_error *error;
};

void reg_schedule_init(struct reg_schedule *schedule, uint32_t string_base, uint32_t expression_base)
{
	*schedule = (struct reg_schedule){.string_base = string_base};
	schedule->expressions.base = expression_base;
}

void reg_schedule_finish(struct reg_schedule *schedule)
{
	reg_rows_finish(&schedule->expressions);
	free(schedule->strings);
	schedule->strings = NULL;
}

/* Appends the arguments of a text to *value. */
static ptowsp_status split(struct value *value, struct reg_span text, unsigned most, struct ptowsp_error *error)
{
	return reg_span_split(text, value->arguments, most, &value->count, error);
}

static const struct reg_policy *policy_by_word(const struct reg_directive *directive, struct reg_span word, bool bare)
{
	uint32_t count;
	const struct reg_policy *rows = reg_policies(&count);

	for (uint32_t i = 0; i < count; i++) {
		const char *text = rows[i].word;
		struct reg_span inner = {text + 1, strlen(text) - 2};

		if (rows[i].directive != directive->code || reg_policy_is_bare(&rows[i]) != bare)
			continue;
		if (bare ? word.length == inner.length && !memcmp(word.at, inner.at, inner.length) : reg_span_is(word, text))
			return &rows[i];
	}
	return NULL;
}

/* The policy of a directive that takes bare arguments: the first of its kind. NULL if it has none. */
static const struct reg_policy *policy_bare(const struct reg_directive *directive)
{
	uint32_t count;
	const struct reg_policy *rows = reg_policies(&count);

	for (uint32_t i = 0; i < count; i++)
		if (rows[i].directive == directive->code && reg_policy_is_bare(&rows[i]))
			return &rows[i];
	return NULL;
}

/* The policy of another directive that has the word; NULL: none has it. */
static const struct reg_policy *policy_elsewhere(struct reg_span word)
{
	uint32_t count;
	const struct reg_policy *rows = reg_policies(&count);

	for (uint32_t i = 0; i < count; i++)
		if (!reg_policy_is_bare(&rows[i]) && reg_span_is(word, rows[i].word))
			return &rows[i];
	return NULL;
}

/* A known word with its arguments behind a comma, or a word of another directive: what to write is clear. OK: it is neither. */
static ptowsp_status fail_known(const struct job *job, struct reg_span text)
{
	const char *comma = memchr(text.at, ',', text.length), *end = text.at + text.length, *key = job->directive->text;
	const struct reg_span word = reg_span_trimmed(text.at, comma ? comma : end), rest = reg_span_trimmed(comma ? comma + 1 : end, end);
	const struct reg_policy *own = policy_by_word(job->directive, word, false);
	const struct reg_policy *other = own ? NULL : policy_elsewhere(word);

	if (own && rest.length && own->most)
		return reg_fail(job->error, PTOWSP_INVALID, "%s: arguments of %s stand in parentheses; write %s=%s(%.*s)", key, own->word, key, own->word,
				reg_span_print(rest), rest.at);
	if (own && rest.length)
		return reg_fail(job->error, PTOWSP_INVALID, "%s: %s takes no arguments; write %s=%s", key, own->word, key, own->word);
	if (other)
		return reg_fail(job->error, PTOWSP_INVALID, "\"%s\" is a word of %s, not of %s; write %s=%s%s", other->word,
				reg_directive(other->directive)->text, key, reg_directive(other->directive)->text, other->word, other->least ? "(...)" : "");
	return PTOWSP_OK;
}

static ptowsp_status fail_word(const struct job *job, struct reg_span word)
{
	const char *known[16];
	char copy[64], what[64];
	struct reg_text text;
	uint32_t count, found = 0;
	const struct reg_policy *rows = reg_policies(&count);
	ptowsp_status status = fail_known(job, word);

	if (status)
		return status;
	for (uint32_t i = 0; i < count && found < 16; i++)
		if (rows[i].directive == job->directive->code)
			known[found++] = rows[i].word;
	reg_text_init(&text, copy, sizeof(copy));
	reg_text_add(&text, "%.*s", reg_span_print(word), word.at);
	reg_text_init(&text, what, sizeof(what));
	reg_text_add(&text, "%s word", job->directive->text);
	return reg_fail_unknown(job->error, PTOWSP_INVALID, what, copy, known, found);
}

/* A mode at the end of bare arguments picks among the bare policies: task_window=64,abort; "tasks" is only a unit. */
static void mode_take(struct job *job, struct value *value)
{
	const struct reg_policy *mode;

	while (value->count > 1) {
		struct reg_span last = value->arguments[value->count - 1];

		mode = policy_by_word(job->directive, last, true);
		if (mode)
			job->policy = mode;
		else if (!(job->directive->code == PTOWSP_DIRECTIVE_TASK_WINDOW && reg_span_is(last, "tasks")))
			return;
		value->count--;
	}
}

static bool is_threshold(const struct reg_policy *policy)
{
	return policy->directive == PTOWSP_DIRECTIVE_DISPATCH && policy->code == PTOWSP_DISPATCH_THRESHOLD;
}

static bool takes_word(char kind)
{
	return kind == 'w' || kind == 'd';
}

/* Finds the policy and leaves its arguments in *value. */
static ptowsp_status policy_choose(struct job *job, struct value *value, struct reg_span text)
{
	struct reg_span word = text, inside = {text.at + text.length, 0};
	bool call = reg_span_call(text, &word, &inside, false);

	job->policy = policy_by_word(job->directive, word, false);
	if (!job->policy)
		job->policy = policy_by_word(job->directive, word, true);
	if (job->policy && (call || reg_span_is_word(text)))
		return call && inside.length ? split(value, inside, is_threshold(job->policy) ? PART_LIMIT : ARGUMENT_LIMIT, job->error) : PTOWSP_OK;
	job->policy = policy_bare(job->directive);
	if (!job->policy) {
		ptowsp_status status = split(value, text, ARGUMENT_LIMIT, job->error); /* "round_robin(4" is no unknown word */

		return status ? status : fail_word(job, word);
	}
	if (call && takes_word(job->policy->kinds[0]) && job->policy->most > 1) { /* domain(2) is domain, 2 */
		value->arguments[value->count++] = word;
		text = inside;
	}
	if (job->policy->kinds[0] != 'e')
		text = reg_span_unwrapped(text);
	return split(value, text, ARGUMENT_LIMIT, job->error);
}

/* STRS offset of a text; one that was stored before is found again. */
static ptowsp_status string_add(struct job *job, struct reg_span span, int64_t *offset_out)
{
	struct reg_schedule *s = job->schedule;

	for (uint32_t at = 0; at < s->string_bytes; at += (uint32_t)strlen(s->strings + at) + 1)
		if (reg_span_is(span, s->strings + at)) {
			*offset_out = (int64_t)s->string_base + at;
			return PTOWSP_OK;
		}
	if (span.length >= TEXT_LIMIT || s->string_bytes > (1u << 20) || s->string_base > UINT32_MAX - (2u << 20))
		return reg_fail(job->error, PTOWSP_INVALID, "the schedule's words are too long together");
	if (!COMMON_RESERVE(s->strings, s->string_room, s->string_bytes + span.length + 1))
		return reg_fail(job->error, PTOWSP_NO_MEMORY, "no memory for the schedule");
	*offset_out = (int64_t)s->string_base + s->string_bytes;
	memcpy(s->strings + s->string_bytes, span.at, span.length);
	s->strings[s->string_bytes + span.length] = '\0';
	s->string_bytes += (uint32_t)span.length + 1;
	return PTOWSP_OK;
}

/* Behind a number that is none, for directives that take more than one: source text has units and marks instead of commas. */
static const char *typed_as(const struct reg_directive *directive)
{
	switch (directive->code) {
	case PTOWSP_DIRECTIVE_TASK_WINDOW: return "; write task_window=64, or task_window=64,abort";
	case PTOWSP_DIRECTIVE_PIPELINE_DEPTH: return "; write pipeline_depth=2, or pipeline_depth=stream,2";
	case PTOWSP_DIRECTIVE_CHANNEL_CAPACITY: return "; write channel_capacity=CHANNEL,2";
	default: return "";
	}
}

static ptowsp_status number_parse(struct job *job, struct reg_span span, int64_t least, int64_t *value_out)
{
	char copy[24], *stop = copy;
	long long value = 0;

	errno = 0;
	if (span.length && span.length < sizeof(copy)) {
		memcpy(copy, span.at, span.length);
		copy[span.length] = '\0';
		value = strtoll(copy, &stop, 10);
	}
	if (stop == copy || *stop || copy[0] == '+' || errno == ERANGE)
		return reg_fail(job->error, PTOWSP_INVALID, "%s: \"%.*s\" is no number%s", job->directive->text, reg_span_print(span), span.at,
				typed_as(job->directive));
	if (value < least)
		return reg_fail(job->error, PTOWSP_INVALID, "%s: %lld is too small, the least is %lld", job->directive->text, value, (long long)least);
	*value_out = value;
	return PTOWSP_OK;
}

static ptowsp_status axis_parse(struct job *job, struct reg_span span, int64_t *offset_out)
{
	int loop = reg_scope_loop(job->scope, span.at, span.length);
	char copy[64];
	struct reg_text text;

	if (loop >= 0) {
		*offset_out = job->scope->loop_strings[loop];
		return PTOWSP_OK;
	}
	reg_text_init(&text, copy, sizeof(copy));
	reg_text_add(&text, "%.*s", reg_span_print(span), span.at);
	return reg_fail_unknown(job->error, PTOWSP_INVALID, "loop", copy, job->scope->loops, job->scope->loop_count);
}

/* global, stream, pool or a loop: a name that is none of them would hold nothing back. */
static ptowsp_status domain_parse(struct job *job, struct reg_span span, int64_t *offset_out)
{
	static const char *const domains[] = {"global", "stream", "pool"};

	for (size_t i = 0; i < sizeof(domains) / sizeof(*domains); i++)
		if (reg_span_is(span, domains[i]))
			return string_add(job, span, offset_out);
	return axis_parse(job, span, offset_out);
}

/* One argument of the given kind into place i of the row. */
static ptowsp_status argument_parse(struct job *job, struct reg_span span, char kind, unsigned i)
{
	int64_t *at = &(&job->row.a0)[i];
	uint64_t sort = PTOWSP_ARGUMENT_NUMBER;
	uint32_t row = 0;
	ptowsp_status status;

	switch (kind) {
	case 'n':
	case 'N':
	case 'i': /* any number */ status = number_parse(job, span, kind == 'i' ? INT64_MIN : kind == 'N', at); break;
	case 'a':
		sort = PTOWSP_ARGUMENT_WORD;
		status = axis_parse(job, span, at);
		break;
	case 'd':
		sort = PTOWSP_ARGUMENT_WORD;
		status = domain_parse(job, span, at);
		break;
	case 'e':
		sort = PTOWSP_ARGUMENT_EXPR;
		status = reg_expression_compile(span.at, span.length, job->scope, &job->schedule->expressions, &row, job->error);
		*at = row;
		break;
	default:
		sort = PTOWSP_ARGUMENT_WORD;
		if (!span.length)
			return reg_fail(job->error, PTOWSP_INVALID, "%s: an argument is empty", job->directive->text);
		status = string_add(job, span, at);
	}
	job->row.kinds |= sort << (8 * i);
	return status;
}

/* A policy inside a threshold is kept as text, in which an expression is "#" and its row, and loops are known ones. */
static ptowsp_status inner_expression(struct job *job, struct reg_span span, struct reg_text *text)
{
	uint32_t row = 0;
	ptowsp_status status = reg_expression_compile(span.at, span.length, job->scope, &job->schedule->expressions, &row, job->error);

	reg_text_add(text, "#%u", (unsigned)row);
	return status;
}

/* "1 argument", "0 to 8 arguments" */
static const char *count_print(const struct reg_policy *policy, char *range, size_t size)
{
	struct reg_text text;

	reg_text_init(&text, range, size);
	reg_text_add(&text, "%u", policy->least);
	if (policy->most > policy->least)
		reg_text_add(&text, " to %u", policy->most);
	reg_text_add(&text, " argument%s", policy->most == 1 ? "" : "s");
	return range;
}

static ptowsp_status inner_policy(struct job *job, struct reg_span span, struct reg_text *text)
{
	char range[48];
	struct reg_span word = span, inside = {span.at + span.length, 0};
	struct value value = {.count = 0};
	const struct reg_policy *policy;
	int64_t number;
	ptowsp_status status = PTOWSP_OK;

	reg_span_call(span, &word, &inside, false);
	policy = policy_by_word(job->directive, word, false);
	if (!policy || is_threshold(policy) || policy->code == PTOWSP_DISPATCH_AUTO)
		return policy ? reg_fail(job->error, PTOWSP_INVALID, "dispatch threshold cannot hold %s", policy->word) : fail_word(job, word);
	if (inside.length)
		status = split(&value, inside, ARGUMENT_LIMIT, job->error);
	if (!status && (value.count < policy->least || value.count > policy->most))
		return reg_fail(job->error, PTOWSP_INVALID, "%s takes %s, got %u", policy->word, count_print(policy, range, sizeof(range)), value.count);
	reg_text_add(text, "%s(", policy->word);
	for (unsigned i = 0; i < value.count && !status; i++) {
		struct reg_span argument = value.arguments[i];

		reg_text_add(text, "%s", i ? "," : "");
		if (policy->kinds[i] == 'e') {
			status = inner_expression(job, argument, text);
			continue;
		}
		status = policy->kinds[i] == 'a' ? axis_parse(job, argument, &number) : number_parse(job, argument, policy->kinds[i] == 'N', &number);
		reg_text_add(text, "%.*s", (int)argument.length, argument.at);
	}
	reg_text_add(text, ")");
	return status;
}

/* expression, p0, t1: p1, ...: the eighth argument holds the fourth policy and all thresholds and policies behind it. */
static ptowsp_status threshold_parse(struct job *job, const struct value *value)
{
	char copy[TEXT_LIMIT];
	struct reg_text text;
	unsigned i = 1;
	ptowsp_status status;

	if (value->count < 2 || value->count % 2)
		return reg_fail(job->error, PTOWSP_INVALID, "dispatch threshold takes an expression, a policy, and pairs threshold: policy");
	status = argument_parse(job, value->arguments[0], 'e', 0);
	job->row.count = 1;
	while (i < value->count && !status) {
		bool last = i == ARGUMENT_LIMIT - 1;
		int64_t number;

		reg_text_init(&text, copy, sizeof(copy));
		do {
			status = inner_policy(job, value->arguments[i++], &text);
			if (last && i < value->count && !status) {
				status = number_parse(job, value->arguments[i], INT64_MIN, &number);
				reg_text_add(&text, ", %lld: ", (long long)number);
				i++;
			}
		} while (last && i < value->count && !status);
		if (!status)
			status = argument_parse(job, (struct reg_span){copy, strlen(copy)}, 'w', job->row.count++);
		if (i < value->count && !status)
			status = argument_parse(job, value->arguments[i++], 'i', job->row.count++);
	}
	job->row.directive = job->policy->directive;
	job->row.policy = job->policy->code;
	return status;
}

static ptowsp_status fail_count(const struct job *job, unsigned count)
{
	char range[48];

	return reg_fail(job->error, PTOWSP_INVALID, "%s %s takes %s, got %u: %s", job->directive->text, job->policy->word,
			count_print(job->policy, range, sizeof(range)), count, job->policy->effect);
}

static ptowsp_status arguments_parse(struct job *job, const struct value *value)
{
	const struct reg_policy *policy = job->policy;
	const char *kinds = policy->kinds;
	ptowsp_status status = PTOWSP_OK;

	if (is_threshold(policy))
		return threshold_parse(job, value);
	if (value->count < policy->least || value->count > policy->most)
		return fail_count(job, value->count);
	if (takes_word(*kinds) && strlen(kinds) > policy->least)
		kinds += policy->most - value->count; /* the leading word is the optional one */
	for (unsigned i = 0; i < value->count && !status; i++)
		status = argument_parse(job, value->arguments[i], kinds[i], i);
	job->row.directive = policy->directive;
	job->row.policy = policy->code;
	job->row.count = (uint16_t)value->count;
	return status;
}

static bool places_tasks(const struct ptowsp_directive_record *row)
{
	return row->directive == PTOWSP_DIRECTIVE_DISPATCH || row->directive == PTOWSP_DIRECTIVE_SPATIAL_MAP;
}

int64_t reg_directive_subject(const struct ptowsp_directive_record *row)
{
	switch (row->directive) {
	case PTOWSP_DIRECTIVE_PIPELINE_DEPTH: return row->count < 2 ? 0 : row->a0;
	case PTOWSP_DIRECTIVE_CHANNEL_CAPACITY:
	case PTOWSP_DIRECTIVE_LAYOUT: return row->a0;
	default: return 0;
	}
}

bool reg_directive_replaces(const struct ptowsp_directive_record *a, const struct ptowsp_directive_record *b)
{
	if (places_tasks(a) && places_tasks(b))
		return true;
	return a->directive == b->directive && reg_directive_subject(a) == reg_directive_subject(b);
}

static ptowsp_status row_store(const struct job *job)
{
	struct reg_schedule *schedule = job->schedule;
	uint32_t i = 0;

	while (i < schedule->count && !(schedule->rows[i].directive == job->row.directive && reg_directive_replaces(&schedule->rows[i], &job->row)))
		i++;
	if (i == sizeof(schedule->rows) / sizeof(*schedule->rows))
		return reg_fail(job->error, PTOWSP_INVALID, "%s names too many domains", job->directive->text);
	schedule->rows[i] = job->row;
	if (i == schedule->count)
		schedule->count++;
	return PTOWSP_OK;
}

static ptowsp_status fail_key(struct reg_span key, struct ptowsp_error *error)
{
	const char *known[32];
	char copy[64];
	struct reg_text text;
	uint32_t count;
	const struct reg_directive *rows = reg_directives(&count);

	assert(count <= 32);
	for (uint32_t i = 0; i < count; i++)
		known[i] = rows[i].text;
	reg_text_init(&text, copy, sizeof(copy));
	reg_text_add(&text, "%.*s", reg_span_print(key), key.at);
	return reg_fail_unknown(error, PTOWSP_INVALID, "schedule directive", copy, known, count);
}

static const struct reg_directive *directive_by_span(struct reg_span key)
{
	uint32_t count;
	const struct reg_directive *rows = reg_directives(&count);

	for (uint32_t i = 0; i < count; i++)
		if (reg_span_is(key, rows[i].text))
			return &rows[i];
	return NULL;
}

ptowsp_status reg_schedule_add(struct reg_schedule *schedule, const char *text, const struct reg_scope *scope, struct ptowsp_error *error)
{
	struct job job = {.schedule = schedule, .scope = scope, .error = error};
	const char *equals = strchr(text, '=');
	struct value value = {.count = 0};
	struct reg_span key;
	ptowsp_status status;

	if (!equals || strlen(text) > TEXT_LIMIT)
		return reg_fail(error, PTOWSP_INVALID, "schedule \"%.60s\" is not KEY=VALUE, such as task_window=64", text);
	key = reg_span_trimmed(text, equals);
	if (reg_span_is(key, "dispatch_threshold")) { /* dispatch=threshold(...) under its other name */
		job.directive = reg_directive(PTOWSP_DIRECTIVE_DISPATCH);
		job.policy = reg_policy(PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_THRESHOLD);
		status = split(&value, reg_span_unwrapped(reg_span_trimmed(equals + 1, text + strlen(text))), PART_LIMIT, error);
		if (!status)
			status = threshold_parse(&job, &value);
		return status ? status : row_store(&job);
	}
	job.directive = directive_by_span(key);
	if (!job.directive)
		return fail_key(key, error);
	status = policy_choose(&job, &value, reg_span_trimmed(equals + 1, text + strlen(text)));
	if (!status && reg_policy_is_bare(job.policy))
		mode_take(&job, &value);
	if (!status)
		status = arguments_parse(&job, &value);
	return status ? status : row_store(&job);
}
