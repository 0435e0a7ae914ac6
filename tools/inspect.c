/* SPDX-License-Identifier: MIT */
/* inspect.c - ptowsp-inspect: reads packages, and draws saved task graphs. */
#include "tools/inspect.h"

#include "format/fail.h"
#include "format/json.h"
#include "tools/columns.h"
#include "tools/graph.h"
#include "tools/output.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum mode { SUMMARY, JSON, LISTING, SOURCE, VERIFY, PROGRAM, GRAPH };

struct options {
	enum mode mode;
	const char *mode_name; /* the flag that chose it */
	const char *graph;     /* --graph OUT */
	char **paths;          /* of argv */
	int path_count;
};

static const char usage[] =
	"usage: ptowsp-inspect [--json|--disasm|--pto|--c|--verify] PACKAGE...\n"
	"       ptowsp-inspect --graph OUT DUMP\n"
	"\n"
	"Reads packages; runs nothing of them. Without a flag one PACKAGE gives a summary of all its tables; several, or\n"
	"folders (their *.pkg.zst), give one line each.\n"
	"\n"
	"  --json        the whole package in its JSON form, which ptowsp-pack --from-json packs to the same digests\n"
	"  --disasm      the workload's bytecode with names, then every portable kernel\n"
	"  --pto         source text that ptowsp-pack packs to the same digest; what the language cannot say is a comment line each,\n"
	"                and the exit status is then 5\n"
	"  --verify      check everything that a run would check before it starts: container, digests, tables, bytecode,\n"
	"                portable kernels; says what was checked\n"
	"  --c           a C program that builds the packages again by calls of libptowsp-pack.so, with the same digests\n"
	"  --graph OUT   draw DUMP, a graph that ptowsp-run --graph FILE.json or FILE.txt has saved; OUT ends in .txt, .dot, .svg, .pdf\n"
	"                or .json, or is - for text (.svg and .pdf need the program dot of Graphviz)\n"
	"  --help        this text\n"
	"  --version     version and ABI\n"
	"\n"
	"Exit status: 0 success, 1 out of memory, 2 usage or a file that cannot be read or written, 3 package refused,\n"
	"5 a package that source text cannot say, 8 Graphviz not there.\n";

static int exit_code(ptowsp_status status)
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

/* One sentence on stderr; the exit code. */
static int complain(const struct ptowsp_error *error)
{
	fprintf(stderr, "ptowsp-inspect: %s\n", error->text);
	return exit_code(error->code);
}

/* The same of a part that does not know which file it is in. */
static int complain_of(const char *path, const struct ptowsp_error *error)
{
	if (strstr(error->text, path))
		return complain(error);
	fprintf(stderr, "ptowsp-inspect: %s: %s\n", path, error->text);
	return exit_code(error->code);
}

static int misuse(const char *format, const char *what)
{
	fputs("ptowsp-inspect: ", stderr);
	fprintf(stderr, format, what);
	fputs("; usage: ptowsp-inspect [--json|--disasm|--pto|--c|--verify] PACKAGE..., more with --help\n", stderr);
	return 2;
}

static void notices_print(const struct pkg *package, const char *path)
{
	const char *notice;

	for (uint32_t i = 0; (notice = pkg_notice(package, i)); i++)
		fprintf(stderr, "ptowsp-inspect: %s: %s\n", path, notice);
}

/* One package in the chosen way. */
static int package_show(enum mode mode, const char *path)
{
	struct ptowsp_error error = {.code = PTOWSP_OK};
	struct pkg *package;
	char *text = NULL;
	ptowsp_status st = pkg_open(&package, path, NULL, &error);

	if (st)
		return complain(&error);
	notices_print(package, path);
	switch (mode) {
	case JSON:
		st = pkg_to_json(package, &text, &error);
		if (!st)
			fputs(text, stdout);
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
		break;
	default:
		inspect_summary(package, path, stdout);
	}
	pkg_close(package);
	return st ? complain_of(path, &error) : 0;
}

/* One line of the table for several packages. */
static int package_line(struct columns *columns, const char *path)
{
	struct ptowsp_error error = {.code = PTOWSP_OK};
	struct pkg *package;
	const struct pkg_tables *t;
	const char *version;
	uint32_t targets;
	const char *const *target;

	if (pkg_open(&package, path, NULL, &error))
		return complain(&error);
	notices_print(package, path);
	t = pkg_tables(package);
	version = pkg_meta(package, "version");
	target = pkg_targets(package, &targets);
	columns_add(columns, "%.60s\t%.20s\t%llu\t%u\t%u\t%u\t%.60s%s\t%.400s", pkg_name(package), version && *version ? version : "-",
		    (unsigned long long)pkg_file_size(package), (unsigned)t->entry_count, (unsigned)t->kernel_count,
		    (unsigned)t->tensor_count, targets ? target[0] : "any", targets > 1 ? ", ..." : "", path);
	pkg_close(package);
	return 0;
}

/* ---- several files and folders ---- */

struct paths {
	char **items; /* owned */
	size_t count, room;
	int failed;
};

static void path_add(struct paths *paths, const char *folder, const char *name)
{
	size_t size = strlen(folder) + strlen(name) + 2;
	char *path = malloc(size);

	if (paths->count == paths->room) {
		size_t room = paths->room ? paths->room * 2 : 32;
		char **items = realloc(paths->items, room * sizeof(*items));

		if (items) {
			paths->items = items;
			paths->room = room;
		}
	}
	if (!path || paths->count == paths->room) {
		paths->failed = 1;
		free(path);
		return;
	}
	snprintf(path, size, "%s%s%s", folder, *folder ? "/" : "", name);
	paths->items[paths->count++] = path;
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The *.pkg.zst of a folder, by name. 0, or 2 if it cannot be read. */
static int folder_add(struct paths *paths, const char *folder)
{
	static const char ending[] = ".pkg.zst";
	size_t first = paths->count;
	DIR *directory = opendir(folder);
	const struct dirent *item;

	if (!directory) {
		fprintf(stderr, "ptowsp-inspect: %s cannot be read: %s\n", folder, strerror(errno));
		return 2;
	}
	while ((item = readdir(directory))) {
		size_t length = strlen(item->d_name);

		if (length > strlen(ending) && !strcmp(item->d_name + length - strlen(ending), ending))
			path_add(paths, folder, item->d_name);
	}
	closedir(directory);
	if (paths->count > first)
		qsort(paths->items + first, paths->count - first, sizeof(paths->items[0]), compare_paths);
	return 0;
}

static int is_folder(const char *path)
{
	struct stat facts;

	return !stat(path, &facts) && S_ISDIR(facts.st_mode);
}

static int worse(int a, int b)
{
	return a ? a : b;
}

/* The files that the command line names, folders opened; 0 or an exit code. */
static int paths_collect(struct paths *paths, const struct options *options)
{
	int status = 0;

	for (int i = 0; i < options->path_count; i++)
		if (is_folder(options->paths[i]))
			status = worse(status, folder_add(paths, options->paths[i]));
		else
			path_add(paths, "", options->paths[i]);
	if (!paths->count && !status) {
		fprintf(stderr, "ptowsp-inspect: there is no *.pkg.zst in %s\n", options->paths[0]);
		status = 2;
	}
	return status;
}

static void paths_free(struct paths *paths)
{
	for (size_t i = 0; i < paths->count; i++)
		free(paths->items[i]);
	free(paths->items);
}

static int program_add(const char *path, uint32_t number, FILE *to, const char **name_out)
{
	struct ptowsp_error error = {.code = PTOWSP_OK};
	struct pkg *package;
	const char *base = strrchr(path, '/');
	ptowsp_status st = pkg_open(&package, path, NULL, &error);

	*name_out = base ? base + 1 : path;
	if (st)
		return complain(&error);
	notices_print(package, path);
	st = inspect_c(package, number, to, &error);
	pkg_close(package);
	return st ? complain_of(path, &error) : 0;
}

/* One program for all packages, printed when all of them could be said. */
static int program_show(const struct options *options)
{
	struct paths paths = {0};
	char *text = NULL;
	size_t size = 0;
	int status = paths_collect(&paths, options);
	const char **names = calloc(paths.count + 1, sizeof(*names));
	FILE *to = open_memstream(&text, &size);

	status = worse(status, !names || !to || paths.failed);
	if (!status)
		inspect_c_begin(to);
	for (size_t i = 0; i < paths.count && !status; i++)
		status = program_add(paths.items[i], (uint32_t)i, to, &names[i]);
	if (!status)
		inspect_c_end(to, names, (uint32_t)paths.count);
	if (to && fclose(to))
		status = worse(status, 1);
	if (!status)
		fputs(text, stdout);
	free(text);
	free(names);
	paths_free(&paths);
	return status;
}

static int several_show(const struct options *options)
{
	struct paths paths = {0};
	struct columns columns = {0};
	int status = paths_collect(&paths, options);

	columns_add(&columns, "name\tversion\tbytes\tentries\tkernels\ttensors\ttargets\tfile");
	for (size_t i = 0; i < paths.count; i++) {
		status = worse(status, options->mode == VERIFY ? package_show(VERIFY, paths.items[i])
							       : package_line(&columns, paths.items[i]));
	}
	columns_print(&columns, options->mode == VERIFY || !paths.count ? NULL : stdout, 0);
	status = worse(status, paths.failed);
	paths_free(&paths);
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
	return st ? complain(&error) : 0;
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
	if (options->path_count > 1 && options->mode != SUMMARY && options->mode != VERIFY && options->mode != PROGRAM)
		return misuse("%s takes one file", options->mode_name);
	return -1;
}

int main(int argc, char **argv)
{
	struct options options = {.mode = SUMMARY};
	int status = options_read(&options, argc, argv);

	if (status >= 0)
		; /* said already */
	else if (options.mode == GRAPH)
		status = graph_draw(options.graph, options.paths[0]);
	else if (options.mode == PROGRAM)
		status = program_show(&options);
	else if (options.path_count > 1 || (is_folder(options.paths[0]) && (options.mode == SUMMARY || options.mode == VERIFY)))
		status = several_show(&options);
	else
		status = package_show(options.mode, options.paths[0]);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "ptowsp-inspect: cannot write to stdout: %s\n", strerror(errno));
		return worse(status, 2);
	}
	return status;
}
