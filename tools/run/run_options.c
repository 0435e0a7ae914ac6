/* SPDX-License-Identifier: MIT */
/* run_options.c - parser of the command line, driven by run/flags.def. */
#include "tools/run/run_options.h"
#include "host/ptowsp_host.h"
#include "registry/common/common_grow.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "host/ptowsp_host.h"
#include "ptowsp/run.h"
#include "registry/text.h"

enum sort { MODE, FLAG, TEXT, OPTIONAL, NUMBER, REAL, MANY, PAIRS };

/* The place of a flag's value; for MODE rows the offset is the mode itself. */
static const struct flag {
	const char *name;
	char letter;
	uint8_t sort;
	size_t field;
	const char *argument;
} flags[] = {
#define FIELD_MODE(field)     field
#define FIELD_FLAG(field)     offsetof(struct run_options, field)
#define FIELD_TEXT(field)     offsetof(struct run_options, field)
#define FIELD_OPTIONAL(field) offsetof(struct run_options, field)
#define FIELD_NUMBER(field)   offsetof(struct run_options, field)
#define FIELD_REAL(field)     offsetof(struct run_options, field)
#define FIELD_MANY(field)     offsetof(struct run_options, field)
#define FIELD_PAIRS(field)    offsetof(struct run_options, field)
#define G(title)
#define X(name, letter, sort, field, argument, text) {name, letter, sort, FIELD_##sort(field), argument},
#include "tools/run/flags.def"
#undef X
#undef G
};
enum { FLAGS = sizeof(flags) / sizeof(*flags) };

#define RUN_OPTIONS_STANDARD                                                                                                                                   \
	{                                                                                                                                                      \
		.runs = 1, .load_timeout_ms = 120000, .rtol = 1e-5, .atol = 1e-6                                                                               \
	}

/* The arguments that are left. */
struct cursor {
	char **argv;
	int at, count;
	struct run_options *options;
	struct ptowsp_error *error;
	const struct flag *mode;  /* the latest flag of sort MODE; NULL: none yet */
	const struct flag *taker; /* that took the last argument, which does not stand behind its "="; NULL: none did */
};

ptowsp_status run_list_add(struct run_list *list, char *name, const char *value, struct ptowsp_error *error)
{
	if (!COMMON_RESIZE(list->rows, list->count + 1u)) {
		free(name);
		return reg_fail(error, PTOWSP_NO_MEMORY, "no memory for the command line");
	}
	list->rows[list->count++] = (struct run_pair){name, value};
	return PTOWSP_OK;
}

static ptowsp_status pair_add(struct run_list *list, const struct flag *flag, const char *text, struct ptowsp_error *error)
{
	const char *equals = strchr(text, '=');
	char *name;

	if (!equals || equals == text || !equals[1])
		return reg_fail(error, PTOWSP_INVALID, "--%s \"%.80s\" is not %s", flag->name, text, flag->argument);
	name = strndup(text, (size_t)(equals - text));
	if (!name)
		return reg_fail(error, PTOWSP_NO_MEMORY, "no memory for the command line");
	if (run_list_find(list, name)) {
		ptowsp_status status = reg_fail(error, PTOWSP_INVALID, "--%s is given twice for \"%.80s\"", flag->name, name);

		free(name);
		return status;
	}
	return run_list_add(list, name, equals + 1, error);
}

static ptowsp_status number_parse(const struct flag *flag, const char *text, uint64_t *out, struct ptowsp_error *error)
{
	char *stop;

	errno = 0;
	*out = strtoull(text, &stop, 10);
	if (*text >= '0' && *text <= '9' && !*stop && errno)
		return reg_fail(error, PTOWSP_INVALID, "--%s %.40s is more than %llu", flag->name, text, (unsigned long long)UINT64_MAX);
	if (*text < '0' || *text > '9' || *stop)
		return reg_fail(error, PTOWSP_INVALID, "--%s \"%.40s\" is no whole number of 0 or more", flag->name, text);
	return PTOWSP_OK;
}

/* Decimal digits, a point, an exponent: strtod alone takes blanks, signs, hexadecimal digits and words, too. */
static ptowsp_status real_parse(const struct flag *flag, const char *text, double *out, struct ptowsp_error *error)
{
	const bool begins = (*text >= '0' && *text <= '9') || (*text == '.' && text[1] >= '0' && text[1] <= '9');
	char *stop;

	*out = strtod(text, &stop);
	if (!begins || *stop || !isfinite(*out) || text[strcspn(text, "xX")])
		return reg_fail(error, PTOWSP_INVALID, "--%s \"%.40s\" is no number of 0 or more", flag->name, text);
	return PTOWSP_OK;
}

/* One thing is done at a time; help is not refused. */
static ptowsp_status mode_set(struct cursor *c, const struct flag *flag)
{
	const struct flag *before = c->mode;

	if (before && before != flag && c->options->mode != RUN_HELP && flag->field != RUN_HELP)
		return reg_fail(c->error, PTOWSP_INVALID, "--%s and --%s are two things to do; ask for one", before->name, flag->name);
	if (!before || c->options->mode != RUN_HELP) {
		c->options->mode = (enum run_mode)flag->field;
		c->mode = flag;
	}
	return PTOWSP_OK;
}

/* value: NULL if there was none. */
static ptowsp_status flag_store(struct cursor *c, const struct flag *flag, const char *value)
{
	void *field = (char *)c->options + flag->field;

	switch (flag->sort) {
	case MODE: return mode_set(c, flag);
	case FLAG: *(uint32_t *)field = 1; return PTOWSP_OK;
	case OPTIONAL: *(const char **)field = value ? value : "text"; return PTOWSP_OK;
	case TEXT: *(const char **)field = value; return PTOWSP_OK;
	case NUMBER: return number_parse(flag, value, field, c->error);
	case REAL: return real_parse(flag, value, field, c->error);
	case MANY: return run_list_add(field, NULL, value, c->error);
	}
	return pair_add(field, flag, value, c->error);
}

static ptowsp_status fail_unknown(struct cursor *c, const char *text)
{
	const char *names[FLAGS];
	char spelled[FLAGS][24], wanted[48];
	struct reg_text out;

	for (unsigned i = 0; i < FLAGS; i++) {
		reg_text_init(&out, spelled[i], sizeof(spelled[i]));
		reg_text_add(&out, "--%s", flags[i].name);
		names[i] = spelled[i];
	}
	reg_text_init(&out, wanted, sizeof(wanted));
	reg_text_add(&out, "%.*s", (int)strcspn(text, "="), text);
	return reg_fail_unknown(c->error, PTOWSP_INVALID, "flag", wanted, names, FLAGS);
}

/* Takes the value behind "=" or the next argument, as the flag's sort wants. */
static ptowsp_status flag_take(struct cursor *c, const struct flag *flag, const char *spelled, const char *value)
{
	bool wants = flag->sort >= NUMBER || flag->sort == TEXT;

	if (value && (flag->sort == MODE || flag->sort == FLAG))
		return reg_fail(c->error, PTOWSP_INVALID, "%s takes no value", spelled);
	if (wants && (value ? !*value : c->at == c->count || !*c->argv[c->at]))
		return reg_fail(c->error, PTOWSP_INVALID, "%s needs a value: %s", spelled, flag->argument);
	if (wants && !value) {
		value = c->argv[c->at++];
		c->taker = c->at == c->count ? flag : NULL;
	}
	return flag_store(c, flag, value);
}

static ptowsp_status long_take(struct cursor *c, const char *text)
{
	size_t length = strcspn(text + 2, "=");
	const char *value = text[2 + length] ? text + 3 + length : NULL;
	char spelled[48];
	struct reg_text out;

	for (unsigned i = 0; i < FLAGS; i++)
		if (strlen(flags[i].name) == length && !memcmp(flags[i].name, text + 2, length)) {
			reg_text_init(&out, spelled, sizeof(spelled));
			reg_text_add(&out, "--%s", flags[i].name);
			return flag_take(c, &flags[i], spelled, value);
		}
	return fail_unknown(c, text);
}

static ptowsp_status short_take(struct cursor *c, const char *text)
{
	for (unsigned i = 0; i < FLAGS; i++)
		if (flags[i].letter && flags[i].letter == text[1] && !text[2])
			return flag_take(c, &flags[i], text, NULL);
	return reg_fail(c->error, PTOWSP_INVALID, "flag \"%.40s\" is unknown; --help lists all", text);
}

static ptowsp_status argument_take(struct cursor *c, bool *only_files)
{
	const char *text = c->argv[c->at++];

	if (!*only_files && !strcmp(text, "--")) {
		*only_files = true;
		return PTOWSP_OK;
	}
	if (!*only_files && !strncmp(text, "--", 2))
		return long_take(c, text);
	if (!*only_files && text[0] == '-' && text[1])
		return short_take(c, text);
	if (c->options->package)
		return reg_fail(c->error, PTOWSP_INVALID, "there is already a package, \"%.80s\" is one too many", text);
	c->options->package = text;
	return PTOWSP_OK;
}

const char *run_isolation_text(uint32_t isolate)
{
	static const char *const words[] = {"", "none", "process", "sandbox"};

	return isolate <= PTOWSP_ISOLATE_SANDBOX ? words[isolate] : "";
}

uint32_t run_isolation(const struct run_options *o)
{
	for (uint32_t i = PTOWSP_ISOLATE_NONE; o->isolate && i <= PTOWSP_ISOLATE_SANDBOX; i++)
		if (!strcmp(o->isolate, run_isolation_text(i)))
			return i;
	return PTOWSP_ISOLATE_DEFAULT;
}

/* Files of one run are different ones: what is written last would be all that is left. */
static ptowsp_status files_check(const struct run_options *o, struct ptowsp_error *error)
{
	const char *const single[] = {o->trace, o->graph, o->report, o->checkpoint};
	const uint32_t count = o->out.count + (uint32_t)(sizeof(single) / sizeof(*single));

	for (uint32_t i = 0; i < count; i++) {
		const char *file = i < o->out.count ? o->out.rows[i].value : single[i - o->out.count];

		for (uint32_t k = 0; file && strcmp(file, "-") && k < i; k++) {
			const char *other = k < o->out.count ? o->out.rows[k].value : single[k - o->out.count];

			if (other && !strcmp(file, other))
				return reg_fail(error, PTOWSP_INVALID,
						"%.160s is to be written twice; --out, --trace, --graph, --report and --checkpoint take a file each", file);
		}
	}
	return PTOWSP_OK;
}

/* Flags that only a run, or its explanation, heeds. */
static const char *const of_a_run[] = {"in",         "fill", "out",   "expect", "rtol",  "atol",   "checkpoint", "restore", "set",  "schedule",
				       "no-kernels", "runs", "stats", "trace",  "graph", "report", "profile",    "emit",    "entry"};

static bool given(const struct run_options *o, const struct flag *flag)
{
	const struct run_options none = RUN_OPTIONS_STANDARD;
	const char *field = (const char *)o + flag->field, *same = (const char *)&none + flag->field;

	switch (flag->sort) {
	case FLAG: return *(const uint32_t *)(const void *)field;
	case TEXT:
	case OPTIONAL: return *(const char *const *)(const void *)field != NULL;
	case NUMBER: return memcmp(field, same, sizeof(uint64_t)) != 0;
	case REAL: return memcmp(field, same, sizeof(double)) != 0;
	case MANY:
	case PAIRS: return ((const struct run_list *)(const void *)field)->count != 0;
	default: return false;
	}
}

/* A flag without effect is an error of who gave it. */
static ptowsp_status mode_check(const struct cursor *c)
{
	if (c->options->mode != RUN_LIST_PLUGINS && c->options->mode != RUN_DEVICES && c->options->mode != RUN_CAPABILITIES)
		return PTOWSP_OK;
	for (unsigned i = 0; i < FLAGS; i++)
		for (size_t k = 0; given(c->options, &flags[i]) && k < sizeof(of_a_run) / sizeof(*of_a_run); k++)
			if (!strcmp(flags[i].name, of_a_run[k]))
				return reg_fail(c->error, PTOWSP_INVALID, "--%s belongs to a run, and --%s runs no package; leave one of them out", of_a_run[k],
						c->mode->name);
	return PTOWSP_OK;
}

/* A package where one is wanted, and nowhere else. */
static ptowsp_status package_check(const struct cursor *c)
{
	const struct run_options *o = c->options;

	if (o->package && (o->mode == RUN_LIST_PLUGINS || o->mode == RUN_DEVICES || o->mode == RUN_CAPABILITIES))
		return reg_fail(c->error, PTOWSP_INVALID, "--%s takes no package, here is %.160s", c->mode->name, o->package);
	if (o->package || (o->mode != RUN_PACKAGE && o->mode != RUN_EXPLAIN))
		return PTOWSP_OK;
	if (c->taker)
		return reg_fail(c->error, PTOWSP_INVALID, "no PACKAGE is named: \"%.120s\" is the value of --%s; --help shows the options",
				c->argv[c->count - 1], c->taker->name);
	return reg_fail(c->error, PTOWSP_INVALID, "no PACKAGE is named: ptowsp-run [options] PACKAGE; --help shows the options");
}

static ptowsp_status together_check(const struct run_options *o, struct ptowsp_error *error)
{
	if (o->json && o->mode == RUN_PACKAGE)
		return reg_fail(error, PTOWSP_INVALID, "--json goes with --list-plugins, --devices, --capabilities and --explain; a run has --stats=json");
	if (o->html && (o->mode != RUN_CAPABILITIES || o->verify || o->host || o->json))
		return reg_fail(error, PTOWSP_INVALID, "--html goes with --capabilities, without --verify, --host and --json; --report writes a page of a run");
	if (o->host && (o->mode != RUN_CAPABILITIES || o->verify || o->plugin))
		return reg_fail(error, PTOWSP_INVALID, "--host goes with --capabilities alone: it shows what the host does, not a plugin");
	if (o->verify && o->mode != RUN_CAPABILITIES)
		return reg_fail(error, PTOWSP_INVALID, "--verify goes with --capabilities; a package is checked by ptowsp-inspect --verify");
	if (o->stats && strcmp(o->stats, "text") && strcmp(o->stats, "json"))
		return reg_fail(error, PTOWSP_INVALID, "--stats=%.40s is neither text nor json", o->stats);
	if (!o->runs || o->runs > UINT32_MAX)
		return reg_fail(error, PTOWSP_INVALID, "--runs must be 1 or more");
	if (!o->load_timeout_ms || o->load_timeout_ms > UINT32_MAX)
		return reg_fail(error, PTOWSP_INVALID, "--load-timeout-ms must be 1 to %u", UINT32_MAX);
	if (o->sandbox_threads > UINT32_MAX || o->sandbox_cpu > UINT32_MAX)
		return reg_fail(error, PTOWSP_INVALID, "--sandbox-threads and --sandbox-cpu are %u at the most", UINT32_MAX);
	if (o->sandbox_threads && o->threads >= o->sandbox_threads)
		return reg_fail(error, PTOWSP_INVALID,
				"--sandbox-threads %llu has no room for --threads %llu and those of the worker; allow more, or use fewer threads",
				(unsigned long long)o->sandbox_threads, (unsigned long long)o->threads);
	if ((o->sandbox_memory || o->sandbox_threads || o->sandbox_cpu) && (!o->isolate || strcmp(o->isolate, "sandbox")))
		return reg_fail(error, PTOWSP_INVALID, "--sandbox-memory, --sandbox-threads and --sandbox-cpu go with --isolate=sandbox, not %s%.40s",
				o->isolate ? "with " : "alone", o->isolate ? o->isolate : "");
	if (o->threads > 65536)
		return reg_fail(error, PTOWSP_INVALID, "--threads %llu is more than 65536", (unsigned long long)o->threads);
	if (o->graph && !strcmp(o->graph, "-") && o->stats && !strcmp(o->stats, "json"))
		return reg_fail(error, PTOWSP_INVALID, "--graph - and --stats=json both write to stdout; give the graph a file");
	if (o->plugin_order && (!o->plugin || strcmp(o->plugin, "auto") != 0))
		return reg_fail(error, PTOWSP_INVALID, "--plugin-order goes with --plugin=auto");
	if (o->isolate && !run_isolation(o))
		return reg_fail(error, PTOWSP_INVALID, "--isolate=%.40s is neither none, process nor sandbox", o->isolate);
	if (o->trust && strcmp(o->trust, "none") && strcmp(o->trust, "all") && strcmp(o->trust, "signed"))
		return reg_fail(error, PTOWSP_INVALID, "--trust=%.40s is none of none, signed, all", o->trust);
	if (o->plugin_trust && strcmp(o->plugin_trust, "any") && strcmp(o->plugin_trust, "listed") && strcmp(o->plugin_trust, "signed"))
		return reg_fail(error, PTOWSP_INVALID, "--plugin-trust=%.40s is none of any, listed, signed", o->plugin_trust);
	if (o->device && (*o->device == ',' || strstr(o->device, ",,") || (*o->device && o->device[strlen(o->device) - 1] == ',')))
		return reg_fail(error, PTOWSP_INVALID, "--device=%.60s: a name is missing beside a comma; ptowsp-run --devices lists them", o->device);
	return files_check(o, error);
}

ptowsp_status run_options_parse(struct run_options *options_out, int argc, char **argv, struct ptowsp_error *error)
{
	struct cursor c = {.argv = argv, .at = 1, .count = argc, .options = options_out, .error = error};
	bool only_files = false;
	ptowsp_status status = PTOWSP_OK;

	*options_out = (struct run_options)RUN_OPTIONS_STANDARD;
	while (c.at < argc && !status)
		status = argument_take(&c, &only_files);
	if (!status)
		status = together_check(options_out, error);
	if (!status)
		status = mode_check(&c);
	return status ? status : package_check(&c);
}

uint32_t run_load_flags(const struct run_options *options)
{
	const char *trust = options->trust ? options->trust : "none";

	return (options->strict ? PTOWSP_LOAD_STRICT : 0) | (!strcmp(trust, "all") ? PTOWSP_LOAD_TRUST_NATIVE : 0) |
	       (!strcmp(trust, "signed") ? PTOWSP_LOAD_TRUST_SIGNED : 0);
}

void run_list_finish(struct run_list *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		free(list->rows[i].name);
	free(list->rows);
	*list = (struct run_list){.rows = NULL};
}

void run_options_finish(struct run_options *options)
{
	for (unsigned i = 0; i < FLAGS; i++)
		if (flags[i].sort == MANY || flags[i].sort == PAIRS)
			run_list_finish((struct run_list *)(void *)((char *)options + flags[i].field));
}

const char **run_list_values(const struct run_list *list)
{
	const char **values = calloc(list->count + 1u, sizeof(*values));

	for (uint32_t i = 0; values && i < list->count; i++)
		values[i] = list->rows[i].value;
	return values;
}

const struct run_pair *run_list_find(const struct run_list *list, const char *name)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (!strcmp(list->rows[i].name, name))
			return &list->rows[i];
	return NULL;
}
