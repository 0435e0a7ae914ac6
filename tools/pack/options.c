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
#include "tools/tool.h"

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

static int emit_fail(const char *wanted)
{
	fprintf(stderr, "ptowsp-pack: no sources are written for --emit=%s; known:", wanted);
	for (const struct isa_emit_target *target = isa_emit_targets; target->name; target++)
		fprintf(stderr, "%s %s", target == isa_emit_targets ? "" : ",", target->name);
	fputs("\n", stderr);
	return 2;
}

#define FLAGS_FILE    "tools/pack/flags.def"
#define FLAGS_OPTIONS struct pack_options
#include "tools/flags_table.def"
const struct tool tool = {.page = &page_pack, .flags = flags, .flag_count = sizeof(flags) / sizeof(*flags)};

/* Flags beside --make-key and --sign. -1: this is not about files that are there, go on; -2: it is, and can be done; else the exit code. */
static int keys_check(const struct pack_options *o)
{
	int there = 0;

	if (o->make_key)
		return o->input_count || o->json || o->output || o->sign ? tool_misuse("--make-key goes with nothing else") : -2;
	if (!o->sign && (o->sign_for || o->sign_abi || o->sign_until))
		return tool_misuse("--sign-for, --sign-abi and --sign-until belong to --sign=KEY");
	if (o->sign && o->emit)
		return tool_misuse("--sign signs packages, and --emit makes none");
	for (int i = 0; o->sign && i < o->input_count; i++)
		there += pack_sign_takes(o->inputs[i]);
	for (int i = 0; o->sign && !o->output && !o->json && i < o->input_count; i++) /* signed in its place, if it were there */
		if (access(o->inputs[i], R_OK))
			return fprintf(stderr, "ptowsp-pack: %s cannot be read: %s\n", o->inputs[i], strerror(errno)), 2;
	if (!there)
		return -1;
	if (there != o->input_count)
		return tool_misuse("sources and what is packed already cannot be signed together");
	if (o->output && there > 1)
		return tool_misuse("-o takes one signed file; without it they are signed in their places");
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
		return tool_misuse("no SOURCE.pto is named");
	if (!o->output && o->sign && o->input_count)
		return tool_misuse("what is neither a package nor a plugin is a source, and is signed as the package that -o names: %s", o->inputs[0]);
	if (!o->output)
		return tool_misuse("-o PATH is missing");
	if (o->json && o->input_count)
		return tool_misuse("--from-json takes no source, here is %s", o->inputs[0]);
	if (o->json && o->lines)
		return tool_misuse("--json belongs to sources, not to --from-json");
	if (o->json && (o->entry || o->name || o->defaults.count))
		return tool_misuse("--entry, --name and --default belong to sources, not to --from-json");
	if (o->emit && !pack_emit_target(o->emit))
		return emit_fail(o->emit);
	if (o->emit && o->input_count && pack_sign_takes(o->inputs[0]) &&
	    (o->input_count > 1 || o->entry || o->name || o->defaults.count || o->data.count || o->expected.count || o->schedule.count || o->targets.count ||
	     o->lines))
		return tool_misuse("--emit takes one package that is there and nothing that belongs to sources, beside %s", o->inputs[0]);
	if (o->emit && o->native)
		return tool_misuse("--emit writes sources, --native puts code into a package: one of them");
	if (o->native && (strspn(o->native, "abcdefghijklmnopqrstuvwxyz0123456789_-") != strlen(o->native) || *o->native == '-'))
		return tool_misuse("--native takes a triple such as aarch64-linux-gnu, not %s", o->native);
	if (o->emit && names_package(o->output))
		return tool_misuse("--emit writes into a folder, and the name of a package is %s", o->output);
	if (pack_targets_check(o, &error))
		return tool_complain(&error);
	if (o->json && o->roots.count)
		return tool_misuse("--data-root belongs to sources, not to --from-json");
	for (uint32_t i = 0; i < o->roots.count; i++)
		if (!is_folder(o->roots.at[i]))
			return tool_misuse("--data-root takes a folder, and there is none at %s", o->roots.at[i]);
	if (folders && folders != o->input_count)
		return tool_misuse("files and folders cannot be packed together");
	if (folders && (o->entry || o->name || o->defaults.count || o->data.count || o->expected.count))
		return tool_misuse("--entry, --name, --default, --data and --expected belong to one package, not to folders");
	if (folders && names_package(o->output))
		return tool_misuse("a folder is packed into a folder, and -o names a package: %s", o->output);
	o->folders = folders > 0;
	return -1;
}

void pack_options_finish(struct pack_options *o)
{
	free(o->inputs);
	flags_finish(flags, tool.flag_count, o);
}

int pack_options_read(struct pack_options *options_out, int argc, char **argv)
{
	struct command_line line = {0};
	int code;

	*options_out = (struct pack_options){0};
	code = tool_read(&line, options_out, argc, argv);
	options_out->inputs = line.words.at;
	options_out->input_count = (int)line.words.count;
	if (code >= 0)
		return code;
	if (options_out->entry && *options_out->entry == '@')
		options_out->entry++;
	return options_check(options_out);
}
