/* SPDX-License-Identifier: MIT */
/* options.c - the command line of ptowsp-pack: what it says, and what of it cannot be. */
#include "tools/pack/pack.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "isa/emit/emit.h"
#include "tools/pages/page.h"

static bool is_folder(const char *path)
{
	struct stat info;

	return !stat(path, &info) && S_ISDIR(info.st_mode);
}

static bool names_package(const char *path)
{
	size_t length = strlen(path), ending = strlen(".pkg.zst");

	return length > ending && !strcmp(path + length - ending, ".pkg.zst");
}

static int usage_fail(const char *sentence, const char *what)
{
	fprintf(stderr, "ptowsp-pack: %s%s; --help shows what there is\n", sentence, what);
	return 2;
}

static int emit_fail(const char *wanted)
{
	fprintf(stderr, "ptowsp-pack: no sources are written for --emit=%s; known:", wanted);
	for (const struct isa_emit_target *target = isa_emit_targets; target->name; target++)
		fprintf(stderr, "%s %s", target == isa_emit_targets ? "" : ",", target->name);
	fputs("\n", stderr);
	return 2;
}

#define G(title)
enum {
	OPTION_FIRST = 255,
#define X(name, letter, sort, field, argument, text) OPTION_##field,
#include "tools/pack/flags.def"
#undef X
};

static const struct option long_options[] = {
#define TAKES_FLAG                                   no_argument
#define TAKES_TEXT                                   required_argument
#define TAKES_MANY                                   required_argument
#define TAKES_OPTIONAL                               optional_argument
#define X(name, letter, sort, field, argument, text) {name, TAKES_##sort, NULL, OPTION_##field},
#include "tools/pack/flags.def"
#undef X
	{NULL, 0, NULL, 0},
};
#undef G

/* -1: go on; else the exit code. */
static int option_take(struct pack_options *o, int option)
{
	if (optarg && !*optarg && option != OPTION_NATIVE)
		return usage_fail("an empty value names nothing: give the option one, or leave it out", "");
	switch (option) {
	case 'o':
	case OPTION_OUTPUT: o->output = optarg; return -1;
	case OPTION_JSON: o->json = optarg; return -1;
	case OPTION_ENTRY: o->entry = optarg + (*optarg == '@'); return -1;
	case OPTION_NAME: o->name = optarg; return -1;
	case OPTION_DEFAULT: o->defaults[o->default_count++] = optarg; return -1;
	case OPTION_TARGET: o->targets[o->target_count++] = optarg; return -1;
	case OPTION_DATA: o->data[o->data_count++] = optarg; return -1;
	case OPTION_ROOT: o->roots[o->root_count++] = optarg; return -1;
	case OPTION_EXPECTED: o->expected[o->expected_count++] = optarg; return -1;
	case OPTION_SCHEDULE: o->schedule[o->schedule_count++] = optarg; return -1;
	case OPTION_LINES: o->lines = 1; return -1;
	case OPTION_STRICT: o->strict = 1; return -1;
	case OPTION_NATIVE: o->native = optarg ? optarg : ""; return -1;
	case OPTION_EMIT: o->emit = optarg; return -1;
	case OPTION_KEY: o->make_key = optarg; return -1;
	case OPTION_SIGN: o->sign = optarg; return -1;
	case OPTION_FOR: o->sign_for = optarg; return -1;
	case OPTION_ABI: o->sign_abi = optarg; return -1;
	case OPTION_UNTIL: o->sign_until = optarg; return -1;
	case 'h':
	case OPTION_HELP: page_print(&page_pack, stdout); return 0;
	case OPTION_VERSION: printf("ptowsp-pack %s\n", PTOWSP_ABI_STRING); return 0;
	default: return usage_fail("unknown option", "");
	}
}

/* What --make-key and --sign go with. -1: this is not about files that are there, go on; -2: it is, and can be done; else the exit code. */
static int keys_check(const struct pack_options *o)
{
	int there = 0;

	if (o->make_key)
		return o->input_count || o->json || o->output || o->sign ? usage_fail("--make-key goes with nothing else", "") : -2;
	if (!o->sign && (o->sign_for || o->sign_abi || o->sign_until))
		return usage_fail("--sign-for, --sign-abi and --sign-until belong to --sign=KEY", "");
	if (o->sign && o->emit)
		return usage_fail("--sign signs packages, and --emit makes none", "");
	for (int i = 0; o->sign && i < o->input_count; i++)
		there += pack_sign_takes(o->inputs[i]);
	for (int i = 0; o->sign && !o->output && !o->json && i < o->input_count; i++) /* signed in its place, if it were there */
		if (access(o->inputs[i], R_OK))
			return fprintf(stderr, "ptowsp-pack: %s cannot be read: %s\n", o->inputs[i], strerror(errno)), 2;
	if (!there)
		return -1;
	if (there != o->input_count)
		return usage_fail("sources and what is packed already cannot be signed together", "");
	if (o->output && there > 1)
		return usage_fail("-o takes one signed file; without it they are signed in their places", "");
	return -2;
}

/* -1: what is asked for can be done; else the exit code. */
static int options_check(struct pack_options *o)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	int folders = 0, keys = keys_check(o);

	if (keys != -1)
		return keys == -2 ? -1 : keys;
	for (int i = 0; i < o->input_count; i++)
		folders += is_folder(o->inputs[i]);
	if (!o->json && !o->input_count)
		return usage_fail("no SOURCE.pto is named", "");
	if (!o->output && o->sign && o->input_count)
		return usage_fail("what is neither a package nor a plugin is a source, and is signed as the package that -o names: ", o->inputs[0]);
	if (!o->output)
		return usage_fail("-o PATH is missing", "");
	if (o->json && o->input_count)
		return usage_fail("--from-json takes no source, here is ", o->inputs[0]);
	if (o->json && o->lines)
		return usage_fail("--json belongs to sources, not to --from-json", "");
	if (o->json && (o->entry || o->name || o->default_count))
		return usage_fail("--entry, --name and --default belong to sources, not to --from-json", "");
	if (o->emit && !pack_emit_target(o->emit))
		return emit_fail(o->emit);
	if (o->emit && o->input_count && pack_sign_takes(o->inputs[0]) &&
	    (o->input_count > 1 || o->entry || o->name || o->default_count || o->data_count || o->expected_count || o->schedule_count || o->target_count ||
	     o->lines))
		return usage_fail("--emit takes one package that is there and nothing that belongs to sources, beside ", o->inputs[0]);
	if (o->emit && o->native)
		return usage_fail("--emit writes sources, --native puts code into a package: one of them", "");
	if (o->native && (strspn(o->native, "abcdefghijklmnopqrstuvwxyz0123456789_-") != strlen(o->native) || *o->native == '-'))
		return usage_fail("--native takes a triple such as aarch64-linux-gnu, not ", o->native);
	if (o->emit && names_package(o->output))
		return usage_fail("--emit writes into a folder, and the name of a package is ", o->output);
	if (pack_targets_check(o, &error))
		return pack_fail(&error);
	if (o->json && o->root_count)
		return usage_fail("--data-root belongs to sources, not to --from-json", "");
	for (int i = 0; i < o->root_count; i++)
		if (!is_folder(o->roots[i]))
			return usage_fail("--data-root takes a folder, and there is none at ", o->roots[i]);
	if (folders && folders != o->input_count)
		return usage_fail("files and folders cannot be packed together", "");
	if (folders && (o->entry || o->name || o->default_count || o->data_count || o->expected_count))
		return usage_fail("--entry, --name, --default, --data and --expected belong to one package, not to folders", "");
	if (folders && names_package(o->output))
		return usage_fail("a folder is packed into a folder, and -o names a package: ", o->output);
	o->folders = folders > 0;
	return -1;
}

/* Room for argc texts in each list. */
static int lists_create(struct pack_options *o, int argc)
{
	const char ***lists[] = {&o->inputs, &o->defaults, &o->schedule, &o->data, &o->expected, &o->targets, &o->roots};
	int ok = 1;

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		*lists[i] = calloc((size_t)argc + 1, sizeof(**lists[i]));
		ok = ok && *lists[i];
	}
	return ok;
}

void pack_options_finish(struct pack_options *o)
{
	free(o->inputs);
	free(o->defaults);
	free(o->schedule);
	free(o->data);
	free(o->expected);
	free(o->targets);
	free(o->roots);
}

/* option_refuse says why getopt_long could not take an option. */
static int option_refuse(int option, const char *text)
{
	char sentence[160];

	if (option == ':')
		snprintf(sentence, sizeof(sentence), "%.100s needs a value", text);
	else if (optopt >= OPTION_FIRST)
		snprintf(sentence, sizeof(sentence), "%.*s takes no value", (int)strcspn(text, "="), text);
	else
		snprintf(sentence, sizeof(sentence), "unknown option %.100s", text);
	return usage_fail(sentence, "");
}

int pack_options_read(struct pack_options *options_out, int argc, char **argv)
{
	struct pack_options *o = options_out;
	int code = -1, option;

	*o = (struct pack_options){0};
	if (!lists_create(o, argc)) {
		fputs("ptowsp-pack: out of memory\n", stderr);
		return 1;
	}
	opterr = 0;
	while (code < 0 && (option = getopt_long(argc, argv, ":ho:", long_options, NULL)) != -1)
		code = option == '?' || option == ':' ? option_refuse(option, argv[optind - 1]) : option_take(o, option);
	while (optind < argc)
		o->inputs[o->input_count++] = argv[optind++];
	return code < 0 ? options_check(o) : code;
}
