/* SPDX-License-Identifier: MIT */
/* options.c - the command line of ptowsp-pack: what it says, and what of it cannot be. */
#include "tools/pack/pack.h"

#include <errno.h>
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

static const struct flag flags[] = {
#define G(title)
#define X(name, letter, sort, field, argument, text) FLAG_ROW(struct pack_options, name, letter, sort, field, argument)
#include "tools/pack/flags.def"
#undef X
#undef G
};
enum { FLAGS = sizeof(flags) / sizeof(*flags) };

static int page_show(size_t page)
{
	if (page == 'h')
		page_print(&page_pack, stdout);
	else
		printf("ptowsp-pack %s\n", PTOWSP_ABI_STRING);
	return 0;
}

/* Flags beside --make-key and --sign. -1: this is not about files that are there, go on; -2: it is, and can be done; else the exit code. */
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
	if (o->json && (o->entry || o->name || o->defaults.count))
		return usage_fail("--entry, --name and --default belong to sources, not to --from-json", "");
	if (o->emit && !pack_emit_target(o->emit))
		return emit_fail(o->emit);
	if (o->emit && o->input_count && pack_sign_takes(o->inputs[0]) &&
	    (o->input_count > 1 || o->entry || o->name || o->defaults.count || o->data.count || o->expected.count || o->schedule.count || o->targets.count ||
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
	if (o->json && o->roots.count)
		return usage_fail("--data-root belongs to sources, not to --from-json", "");
	for (uint32_t i = 0; i < o->roots.count; i++)
		if (!is_folder(o->roots.at[i]))
			return usage_fail("--data-root takes a folder, and there is none at ", o->roots.at[i]);
	if (folders && folders != o->input_count)
		return usage_fail("files and folders cannot be packed together", "");
	if (folders && (o->entry || o->name || o->defaults.count || o->data.count || o->expected.count))
		return usage_fail("--entry, --name, --default, --data and --expected belong to one package, not to folders", "");
	if (folders && names_package(o->output))
		return usage_fail("a folder is packed into a folder, and -o names a package: ", o->output);
	o->folders = folders > 0;
	return -1;
}

void pack_options_finish(struct pack_options *o)
{
	free(o->inputs);
	flags_finish(flags, FLAGS, o);
}

int pack_options_read(struct pack_options *options_out, int argc, char **argv)
{
	struct command_line line = {.flags = flags, .count = FLAGS, .into = options_out};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	int code = -1;

	*options_out = (struct pack_options){0};
	if (command_line_read(&line, argc, argv, &error))
		code = usage_fail(error.text, "");
	else if (line.mode)
		code = page_show(line.mode->field);
	options_out->inputs = line.words.at;
	options_out->input_count = (int)line.words.count;
	if (code >= 0)
		return code;
	if (options_out->entry && *options_out->entry == '@')
		options_out->entry++;
	return options_check(options_out);
}
