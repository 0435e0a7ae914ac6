/* SPDX-License-Identifier: MIT */
#include "tools/command_line.h"

#include "registry/common/common_grow.h"
#include "registry/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

const char flag_bare[] = "";

/* The arguments that are left. */
struct cursor {
	struct command_line *line;
	char **argv;
	int at, count;
	struct ptowsp_error *error;
};

/* ---- lists ---- */

ptowsp_status flag_pairs_add(struct flag_pairs *pairs, char *name, const char *value, struct ptowsp_error *error)
{
	if (!name || !COMMON_RESIZE(pairs->rows, pairs->count + 1u)) {
		free(name);
		return reg_fail(error, PTOWSP_NO_MEMORY, "no memory for the command line");
	}
	pairs->rows[pairs->count++] = (struct flag_pair){.name = name, .value = value};
	return PTOWSP_OK;
}

const struct flag_pair *flag_pairs_find(const struct flag_pairs *pairs, const char *name)
{
	for (uint32_t i = 0; i < pairs->count; i++)
		if (!strcmp(pairs->rows[i].name, name))
			return &pairs->rows[i];
	return NULL;
}

void flag_pairs_finish(struct flag_pairs *pairs)
{
	for (uint32_t i = 0; i < pairs->count; i++)
		free(pairs->rows[i].name);
	free(pairs->rows);
	*pairs = (struct flag_pairs){.rows = NULL};
}

static ptowsp_status list_add(struct flag_list *list, const char *text, struct ptowsp_error *error)
{
	if (!COMMON_RESIZE(list->at, list->count + 1u))
		return reg_fail(error, PTOWSP_NO_MEMORY, "no memory for the command line");
	list->at[list->count++] = text;
	return PTOWSP_OK;
}

/* ---- values ---- */

static ptowsp_status pair_read(struct flag_pairs *pairs, const struct flag *flag, const char *text, struct ptowsp_error *error)
{
	const char *equals = strchr(text, '=');

	if (!equals || equals == text || !equals[1])
		return reg_fail(error, PTOWSP_INVALID, "--%s \"%.80s\" is not %s", flag->name, text, flag->argument);
	for (uint32_t i = 0; i < pairs->count; i++)
		if (!strncmp(pairs->rows[i].name, text, (size_t)(equals - text)) && !pairs->rows[i].name[equals - text])
			return reg_fail(error, PTOWSP_INVALID, "--%s is given twice for \"%.80s\"", flag->name, pairs->rows[i].name);
	return flag_pairs_add(pairs, strndup(text, (size_t)(equals - text)), equals + 1, error);
}

static ptowsp_status number_read(const struct flag *flag, const char *text, uint64_t most, uint64_t *out, struct ptowsp_error *error)
{
	char *stop;

	errno = 0;
	*out = strtoull(text, &stop, !strncmp(text, "0x", 2) ? 16 : 10);
	if (*text < '0' || *text > '9' || *stop)
		return reg_fail(error, PTOWSP_INVALID, "--%s \"%.40s\" is no whole number of 0 or more", flag->name, text);
	if (errno || *out > most)
		return reg_fail(error, PTOWSP_INVALID, "--%s %.40s is more than %llu", flag->name, text, (unsigned long long)most);
	return PTOWSP_OK;
}

/* Decimal digits, a point, an exponent: strtod alone takes blanks, signs, hexadecimal digits and words, too. */
static ptowsp_status real_read(const struct flag *flag, const char *text, double *out, struct ptowsp_error *error)
{
	const bool begins = (*text >= '0' && *text <= '9') || (*text == '.' && text[1] >= '0' && text[1] <= '9');
	char *stop;

	*out = strtod(text, &stop);
	if (!begins || *stop || !isfinite(*out) || text[strcspn(text, "xX")])
		return reg_fail(error, PTOWSP_INVALID, "--%s \"%.40s\" is no number of 0 or more", flag->name, text);
	return PTOWSP_OK;
}

static ptowsp_status mode_set(struct cursor *c, const struct flag *flag)
{
	const struct flag *before = c->line->mode;

	if (before && before != flag && flag->sort == FLAG_MODE)
		return reg_fail(c->error, PTOWSP_INVALID, "--%s and --%s are two things to do; ask for one", before->name, flag->name);
	c->line->mode = flag;
	return PTOWSP_OK;
}

/* value: NULL if there was none. */
static ptowsp_status flag_store(struct cursor *c, const struct flag *flag, const char *value)
{
	void *field = (char *)c->line->into + flag->field;
	ptowsp_status status = PTOWSP_OK;
	uint64_t number;

	switch (flag->sort) {
	case FLAG_MODE:
	case FLAG_PAGE: status = mode_set(c, flag); break;
	case FLAG_FLAG: *(bool *)field = true; break;
	case FLAG_OPTIONAL: *(const char **)field = value ? value : flag_bare; break;
	case FLAG_TEXT: *(const char **)field = value; break;
	case FLAG_NUMBER: status = number_read(flag, value, UINT64_MAX, field, c->error); break;
	case FLAG_COUNT:
		status = number_read(flag, value, UINT32_MAX, &number, c->error);
		*(uint32_t *)field = (uint32_t)number;
		break;
	case FLAG_REAL: status = real_read(flag, value, field, c->error); break;
	case FLAG_MANY: status = list_add(field, value, c->error); break;
	default: status = pair_read(field, flag, value, c->error);
	}
	return status;
}

/* ---- flags ---- */

static ptowsp_status unknown_fail(struct cursor *c, const char *text)
{
	const char *names[COMMAND_LINE_FLAGS];
	char spelled[COMMAND_LINE_FLAGS][24], wanted[48];

	for (size_t i = 0; i < c->line->count; i++) {
		snprintf(spelled[i], sizeof(spelled[i]), "--%s", c->line->flags[i].name);
		names[i] = spelled[i];
	}
	snprintf(wanted, sizeof(wanted), "%.*s", (int)strcspn(text, "="), text);
	return reg_fail_unknown(c->error, PTOWSP_INVALID, "flag", wanted, names, (uint32_t)c->line->count);
}

/* Takes the value that stands in the same argument, or the next argument, as the flag's sort wants. */
static ptowsp_status flag_take(struct cursor *c, const struct flag *flag, const char *spelled, const char *value)
{
	const bool wants = flag->sort >= FLAG_TEXT;

	if (value && flag->sort <= FLAG_FLAG)
		return reg_fail(c->error, PTOWSP_INVALID, "%.40s takes no value", spelled);
	if (wants && (value ? !*value : c->at == c->count || !*c->argv[c->at]))
		return reg_fail(c->error, PTOWSP_INVALID, "%.40s needs a value: %s", spelled, flag->argument);
	if (wants && !value) {
		value = c->argv[c->at++];
		c->line->last = c->at == c->count ? flag : NULL;
		c->line->last_value = value;
	}
	c->line->given[flag - c->line->flags] = true;
	return flag_store(c, flag, value);
}

static ptowsp_status long_take(struct cursor *c, const char *text)
{
	const size_t length = strcspn(text + 2, "=");
	char spelled[48];

	for (size_t i = 0; i < c->line->count; i++)
		if (strlen(c->line->flags[i].name) == length && !memcmp(c->line->flags[i].name, text + 2, length)) {
			snprintf(spelled, sizeof(spelled), "--%s", c->line->flags[i].name);
			return flag_take(c, &c->line->flags[i], spelled, text[2 + length] ? text + 3 + length : NULL);
		}
	return unknown_fail(c, text);
}

static ptowsp_status short_take(struct cursor *c, const char *text)
{
	const char spelled[] = {'-', text[1], '\0'};

	for (size_t i = 0; i < c->line->count; i++)
		if (c->line->flags[i].letter == text[1] && (!text[2] || c->line->flags[i].sort >= FLAG_TEXT))
			return flag_take(c, &c->line->flags[i], spelled, text[2] ? text + 2 : NULL);
	return reg_fail(c->error, PTOWSP_INVALID, "flag \"%.40s\" is unknown; --help lists all", text);
}

ptowsp_status command_line_read(struct command_line *line, int argc, char **argv, struct ptowsp_error *error)
{
	struct cursor c = {.line = line, .argv = argv, .at = 1, .count = argc, .error = error};
	bool only_words = false;
	ptowsp_status status = PTOWSP_OK;

	while (c.at < argc && !status && !(line->mode && line->mode->sort == FLAG_PAGE)) {
		const char *text = argv[c.at++];

		if (only_words || text[0] != '-' || !text[1])
			status = list_add(&line->words, text, error);
		else if (!strcmp(text, "--"))
			only_words = true;
		else
			status = text[1] == '-' ? long_take(&c, text) : short_take(&c, text);
	}
	return status;
}

bool command_line_has(const struct command_line *line, const char *name)
{
	for (size_t i = 0; i < line->count; i++)
		if (!strcmp(line->flags[i].name, name))
			return line->given[i];
	return false;
}

void flags_finish(const struct flag *flags, size_t count, void *into)
{
	for (size_t i = 0; i < count; i++) {
		void *field = (char *)into + flags[i].field;

		if (flags[i].sort == FLAG_PAIRS)
			flag_pairs_finish(field);
		if (flags[i].sort == FLAG_MANY)
			free(((struct flag_list *)field)->at);
	}
}
