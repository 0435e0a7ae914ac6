/* SPDX-License-Identifier: MIT */
/* inspect.c - ptowsp-inspect: reads packages, and draws saved task graphs. */
#include "tools/inspect.h"

#include "format/fail.h"
#include "format/json.h"
#include "tools/graph.h"
#include "tools/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum mode { SUMMARY, JSON, LISTING, SOURCE, VERIFY, PROGRAM, GRAPH };

struct options {
	enum mode mode;
	const char *mode_name; /* the flag that chose it */
	const char *graph;     /* --graph OUT */
	const char *out;       /* --out FOLDER; NULL: stdout */
	struct inspect_trust trust;
	char **paths;          /* of argv */
	int path_count;
};

static const char usage[] =
	"usage: ptowsp-inspect [--json|--disasm|--pto [--out FOLDER]|--c|--verify] PACKAGE...\n"
	"       ptowsp-inspect --graph OUT DUMP\n"
	"\n"
	"Reads packages; runs nothing of them. Without a flag one PACKAGE gives a summary of all its tables; several, or\n"
	"folders (every *.pkg.zst below them), give one line each, and a package that is refused has its line, too.\n"
	"\n"
	"  --json        the whole package in its JSON form, which ptowsp-pack --from-json packs to the same digests, and\n"
	"                tile_memory, what the tiles of its kernels take beside what targets have, which it does not read;\n"
	"                of several packages one JSON object per line, with what the table says\n"
	"  --disasm      the workload's bytecode with names, then every portable kernel\n"
	"  --pto         source text that ptowsp-pack packs to the same digest; what the language cannot say is a comment line each,\n"
	"                and the exit status is then 5\n"
	"  --out FOLDER  with --pto: NAME.pto there instead of on stdout, of each package, and a line about it; sample data of more\n"
	"                than a few numbers in NAME.TENSOR.npy beside it. Packages of several folders lie there in folders as\n"
	"                they lie below the one that holds them all; --c names them so, too\n"
	"  --verify      check everything that a run would check before it starts: container, digests, tables, bytecode,\n"
	"                portable kernels; says what was checked, and of each signature whose it is, for which plugins, from which ABI on,\n"
	"                and whether it is valid. One that is not of this package is a reason to refuse it\n"
	"  --trust-dir DIR  with --verify: the keys DIR/NAME.pub are trusted, too (several: repeat it; also PTOWSP_TRUST_DIR; always\n"
	"                /etc/ptowsp/trust)\n"
	"  --trust=signed   with --verify: a package without a valid signature of a trusted key is refused\n"
	"  --c           a C program that builds the packages again by calls of libptowsp-pack.so, with the same digests\n"
	"  --graph OUT   draw DUMP, a graph that ptowsp-run --graph FILE.json or FILE.txt has saved; OUT ends in .txt, .dot, .svg, .pdf\n"
	"                or .json, or is - for text (.svg and .pdf need the program dot of Graphviz)\n"
	"  --help        this text\n"
	"  --version     version and ABI\n"
	"\n"
	"Exit status: 0 success, 1 out of memory, 2 usage or a file that cannot be read or written, 3 package refused,\n"
	"5 a package that source text cannot say, 8 Graphviz not there.\n";

int inspect_exit(ptowsp_status status)
{
	switch (status) {
#define X(name, code, exit_code, text)                                                                                 \
	case code:                                                                                                     \
		return exit_code;
#include "ptowsp/status.def"
#undef X
	}
	return 1;
}

int inspect_complain(const struct ptowsp_error *error, const char *path)
{
	if (!path || strstr(error->text, path))
		fprintf(stderr, "ptowsp-inspect: %s\n", error->text);
	else
		fprintf(stderr, "ptowsp-inspect: %s: %s\n", path, error->text);
	return inspect_exit(error->code);
}

static int misuse(const char *format, const char *what)
{
	fputs("ptowsp-inspect: ", stderr);
	fprintf(stderr, format, what);
	fputs("; usage: ptowsp-inspect [--json|--disasm|--pto|--c|--verify] PACKAGE..., more with --help\n", stderr);
	return 2;
}

void inspect_notices(const struct pkg *package, const char *path)
{
	const char *notice;

	for (uint32_t i = 0; (notice = pkg_notice(package, i)); i++)
		fprintf(stderr, "ptowsp-inspect: %s: %s\n", path, notice);
}

/* One package in the chosen way. */
static int package_show(const struct options *options, const char *path)
{
	struct ptowsp_error error = {.code = PTOWSP_OK};
	struct pkg *package;
	char *text = NULL;
	ptowsp_status st = pkg_open(&package, path, NULL, &error);

	if (st)
		return inspect_complain(&error, NULL);
	inspect_notices(package, path);
	switch (options->mode) {
	case JSON:
		st = pkg_to_json(package, &text, &error);
		if (!st && inspect_memory_append(pkg_tables(package), text, stdout))
			st = pkg_fail(&error, PTOWSP_NO_MEMORY, "no memory for the text");
		free(text);
		break;
	case LISTING:
		st = inspect_listing(package, stdout, &error);
		break;
	case SOURCE:
		st = inspect_source(package, stdout, &error);
		break;
	case VERIFY:
		st = inspect_verify(package, path, stdout, &error);
		if (!st)
			st = inspect_signatures(package, path, &options->trust, stdout, &error);
		break;
	default:
		inspect_summary(package, path, stdout);
	}
	pkg_close(package);
	return st ? inspect_complain(&error, path) : 0;
}

static int is_several(const struct options *options)
{
	return options->path_count > 1 || inspect_is_folder(options->paths[0]);
}

/* What the command line names. */
static int packages_show(const struct options *options)
{
	struct inspect_paths paths = {0};
	int status = inspect_paths_collect(&paths, options->paths, options->path_count), several = is_several(options);

	if (options->mode == PROGRAM)
		status = status ? status : inspect_program(&paths, stdout);
	else if (options->mode == SOURCE && options->out)
		status = inspect_worse(status, inspect_sources_save(&paths, options->out, stdout));
	else if (several && options->mode != VERIFY)
		status = inspect_worse(status, inspect_lines(&paths, options->mode == JSON, stdout));
	else
		for (size_t i = 0; i < paths.count; i++)
			status = inspect_worse(status, package_show(options, paths.items[i].path));
	inspect_paths_finish(&paths);
	return status;
}

static int graph_draw(const char *out, const char *dump)
{
	struct ptowsp_error error = {.code = PTOWSP_OK};
	struct graph graph = {0};
	ptowsp_status st = graph_path_check(out, &error);

	output_abort_on_signals();
	if (!st)
		st = graph_read(&graph, dump, &error);
	if (!st)
		st = graph_save(&graph, out, &error);
	graph_finish(&graph);
	return st ? inspect_complain(&error, NULL) : 0;
}

/* ---- the command line ---- */

static int mode_set(struct options *options, enum mode mode, const char *name)
{
	if (options->mode_name && options->mode != mode)
		return misuse("%s excludes the flag before it", name);
	options->mode = mode;
	options->mode_name = name;
	return 0;
}

/* -1: go on; else the exit status. */
static int flag_take(struct options *options, int argc, char **argv, int *at)
{
	static const struct {
		const char *name;
		enum mode mode;
	} modes[] = {{"--json", JSON}, {"--disasm", LISTING}, {"--pto", SOURCE}, {"--verify", VERIFY}, {"--c", PROGRAM}};
	const char *flag = argv[*at];

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(flag, modes[i].name))
			return mode_set(options, modes[i].mode, flag) ? 2 : -1;
	if (!strncmp(flag, "--graph", 7) && (!flag[7] || flag[7] == '=')) {
		if (!flag[7] && *at + 1 >= argc)
			return misuse("%s needs a file to write", flag);
		options->graph = flag[7] ? flag + 8 : argv[++*at];
		return mode_set(options, GRAPH, "--graph") ? 2 : -1;
	}
	if (!strncmp(flag, "--out", 5) && (!flag[5] || flag[5] == '=')) {
		if (!flag[5] && *at + 1 >= argc)
			return misuse("%s needs a folder", flag);
		options->out = flag[5] ? flag + 6 : argv[++*at];
		return -1;
	}
	if (!strncmp(flag, "--trust-dir", 11) && (!flag[11] || flag[11] == '=')) {
		if (!flag[11] && *at + 1 >= argc)
			return misuse("%s needs a folder", flag);
		options->trust.dirs[options->trust.dir_count++] = flag[11] ? flag + 12 : argv[++*at];
		return -1;
	}
	if (!strcmp(flag, "--trust=signed")) {
		options->trust.wanted = 1;
		return -1;
	}
	if (!strcmp(flag, "--help")) {
		fputs(usage, stdout);
		return 0;
	}
	if (!strcmp(flag, "--version")) {
		printf("ptowsp-inspect %d.%d.0, ABI %s, package format 1.0\n", PTOWSP_ABI_MAJOR, PTOWSP_ABI_MINOR, PTOWSP_ABI_STRING);
		return 0;
	}
	return misuse("unknown flag %s", flag);
}

/* -1: run; else the exit status. */
static int options_read(struct options *options, int argc, char **argv)
{
	int flags = 1;

	options->paths = argv;
	for (int i = 1; i < argc; i++) {
		if (flags && !strcmp(argv[i], "--")) {
			flags = 0;
		} else if (flags && argv[i][0] == '-') {
			int status = flag_take(options, argc, argv, &i);

			if (status >= 0)
				return status;
		} else {
			options->paths[options->path_count++] = argv[i]; /* never ahead of i */
		}
	}
	if (!options->path_count)
		return misuse("no %s is given", options->mode == GRAPH ? "DUMP" : "PACKAGE");
	if (options->out && options->mode != SOURCE)
		return misuse("--out belongs to %s", "--pto");
	if ((options->trust.dir_count || options->trust.wanted) && options->mode != VERIFY)
		return misuse("--trust-dir and --trust=signed belong to %s", "--verify");
	if (is_several(options) && (options->mode == LISTING || options->mode == GRAPH || (options->mode == SOURCE && !options->out)))
		return misuse(options->mode == SOURCE ? "%s prints one package, or several with --out FOLDER" : "%s takes one file", options->mode_name);
	return -1;
}

int main(int argc, char **argv)
{
	struct options options = {.mode = SUMMARY, .trust.dirs = calloc((size_t)argc + 1, sizeof(char *))};
	int status = options.trust.dirs ? options_read(&options, argc, argv) : 1;

	if (status >= 0)
		; /* said already */
	else if (options.mode == GRAPH)
		status = graph_draw(options.graph, options.paths[0]);
	else
		status = packages_show(&options);
	free(options.trust.dirs);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "ptowsp-inspect: cannot write to stdout: %s\n", strerror(errno));
		return status ? status : 2;
	}
	return status;
}
