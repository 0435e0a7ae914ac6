/* SPDX-License-Identifier: MIT */
/* bench.c - ptowsp-bench: the project's benchmarks, one table. */
#include "tools/bench.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "host/ptowsp_host.h"

static const struct benchmark {
	const char *name;
	int (*run)(const struct bench_options *options);
	const char *text;
} benchmarks[] = {
	{"tasks", bench_tasks, "tasks per ms of the runtime core on the llama layer: expansion, execution, both; memory per task"},
	{"work", bench_work, "the same on the llama graph and on w1 to w4 of the peer comparison, beside a ready stack and a fixed order written by hand"},
	{"threads", bench_threads, "w1 to w4 with 1 to 8 threads, two threads against one, and against a fixed order on two threads"},
	{"share", bench_share, "what finding the tasks costs of a run whose kernels take 1, 10 and 50 us"},
	{"sizes", bench_sizes, "bytes of the llama layer for several lengths, ms from its file to its first task"},
	{"instructions", bench_instructions, "instructions per task, counted by valgrind --tool=callgrind"},
	{"filter", bench_filter, "ms that a scheduler instance needs for 33,554,432 tasks of which it keeps one in 64, by predicate"},
	{"softmax", bench_softmax, "ms of a fused softmax on the C interface of tasks: everything built first against a start at 20 tasks"},
	{"a2a3sim", bench_a2a3sim, "tasks per ms of the machine of a2a3sim, beside the runtime's own simulation (PTO_RUNTIME_DIR: run in turns); instructions per task; paged attention; what an instance holds"},
	{"aie", bench_aie, "events per second of the simulator of AMD's arrays; ms to place, route and draw 32 cores; the model beside published figures"},
	{"packages", bench_packages, "ms to pack, open, verify and load the example packages, and their sizes"},
	{"isa", bench_isa, "GFLOP/s and GB/s of the portable kernels' interpreter"},
	{"kernels", bench_kernel, "products of tiles beside OpenBLAS and a loop for this processor; ns of a kernel on 8x8 and 128x128: interpreter, native code, loops by hand"},
	{"call", bench_call, "ns per call of a C function: direct, through a thunk, through libffi, as native payload"},
};
#define BENCHMARKS (sizeof(benchmarks) / sizeof(*benchmarks))

static void usage(FILE *to)
{
	fprintf(to, "usage: ptowsp-bench [--reps N] [--threads N] [--packages DIR] [--small] [--json] [NAME...]\n"
		    "       ptowsp-bench peer --workload w1|w2|w3|w4 --n N --threads T --work-ns S --reps R\n"
		    "       ptowsp-bench once --subject layer|llama|w1|w2|w3|w4 --n N --deps exact|overlap --hazards full|raw --what find|count|run [--replay off]\n\n"
		    "Prints one table of tab-separated values: median, least and most of the repetitions, how many of them were\n"
		    "disturbed by others, beside a reference figure and a target where there is one, and whether the median meets it,\n"
		    "which is unclear where most of them were disturbed;\n"
		    "\"-\" is what cannot be measured. Without a NAME all of them:\n\n");
	for (size_t i = 0; i < BENCHMARKS; i++)
		fprintf(to, "  %-12s %s\n", benchmarks[i].name, benchmarks[i].text);
	fprintf(to, "  %-12s one row in the columns of a comparison of task-graph runtimes; --columns prints them;\n"
		    "  %-12s exit status 3 for what does not apply\n\n"
		    "  --reps N        timed repetitions, 1 to %u (default 7)\n"
		    "  --threads N     worker threads of the runtime (default 1)\n"
		    "  --packages DIR  folder of the example packages (default: packages/ of the build this program lies in)\n"
		    "  --small         small sizes, for a look at the rows: what they say means little\n"
		    "  --json          one JSON object instead of the table\n"
		    "  --version       version of the project and of the ABI\n"
		    "  --help          this text\n",
		"peer", "", BENCH_REPS_LIMIT);
}

static int refuse(const char *what, const char *value)
{
	fprintf(stderr, "ptowsp-bench: %s \"%s\"; --help shows what there is\n", what, value);
	return 2;
}

/* The build's packages/ beside the bin/ of this program. */
static const char *packages_find(void)
{
	static char path[PATH_MAX + 16];
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n <= 0)
		return "packages";
	self[n] = 0;
	snprintf(path, sizeof(path), "%s/../packages", dirname(self));
	return path;
}

static int number(const char *text, unsigned least, unsigned most, unsigned *value_out)
{
	char *end;
	unsigned long value = text ? strtoul(text, &end, 10) : 0;

	if (!text || !*text || *end || value < least || value > most)
		return refuse("not a number in range:", text ? text : "");
	*value_out = (unsigned)value;
	return 0;
}

struct choice {
	bool json, help, version, wanted[BENCHMARKS], any;
};

static int name_take(struct choice *choice, const char *name)
{
	for (size_t i = 0; i < BENCHMARKS; i++)
		if (!strcmp(benchmarks[i].name, name)) {
			choice->wanted[i] = choice->any = true;
			return 0;
		}
	if (name[0] == '-')
		return refuse("no option", name);
	fprintf(stderr, "ptowsp-bench: no benchmark \"%s\"; there are", name);
	for (size_t i = 0; i < BENCHMARKS; i++)
		fprintf(stderr, " %s,", benchmarks[i].name);
	fprintf(stderr, " peer\n");
	return 2;
}

static int arguments_read(int argc, char **argv, struct bench_options *options, struct choice *choice)
{
	int rc = 0;

	for (int i = 1; !rc && i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : NULL;

		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			choice->help = true;
		else if (!strcmp(argv[i], "--version"))
			choice->version = true;
		else if (!strcmp(argv[i], "--json"))
			choice->json = true;
		else if (!strcmp(argv[i], "--small"))
			options->small = true;
		else if (!strcmp(argv[i], "--reps"))
			rc = number(value, 1, BENCH_REPS_LIMIT, &options->reps), i++;
		else if (!strcmp(argv[i], "--threads"))
			rc = number(value, 1, 1024, &options->threads), i++;
		else if (!strcmp(argv[i], "--packages") && value)
			options->packages = value, i++;
		else
			rc = name_take(choice, argv[i]);
	}
	return rc;
}

static int bench(int argc, char **argv)
{
	struct bench_options options = {.reps = 7, .threads = 1, .packages = packages_find()};
	struct choice choice = {0};
	int rc;

	if (argc > 1 && !strcmp(argv[1], "peer"))
		return bench_peer(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "once"))
		return bench_once(argc - 1, argv + 1);
	rc = arguments_read(argc, argv, &options, &choice);
	if (rc || choice.help)
		return choice.help ? usage(stdout), 0 : rc;
	if (choice.version)
		return printf("ptowsp-bench %s, ABI " PTOWSP_ABI_STRING "\n", ptowsp_version()), 0;
	bench_table_begin(stdout, choice.json, argc, argv);
	for (size_t i = 0; !rc && i < BENCHMARKS; i++)
		if (choice.wanted[i] || !choice.any)
			rc = benchmarks[i].run(&options);
	bench_table_end();
	return rc;
}

int main(int argc, char **argv)
{
	int rc = bench(argc, argv);

	if (!fflush(stdout) && !ferror(stdout))
		return rc;
	fprintf(stderr, "ptowsp-bench: cannot write to stdout: %s\n", strerror(errno));
	return rc ? rc : 2;
}
