/* SPDX-License-Identifier: MIT
 * test_module_random.c - random modules: the package, printed as source, as JSON and as calls of the builder, is the same package again; with one thread and
 * with two it runs alike. A failure names its seed, the module stays in build/test/tmp. PTOWSP_SEED=N takes one seed, PTOWSP_SEEDS=N that many. */
#include "format/json/json.h"
#include "print/print.h"
#include "tests/contract/cli.h"
#include "tests/lang/random_module.h"
#include "tests/lang/source.h"
#include "tools/inspect/inspect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};

/* --- there and back --- */

static const char *source_again(const struct source *s)
{
	uint32_t inexpressible = 0;
	char *text = NULL;
	ptowsp_status status = source_print(s->package, NULL, &text, &inexpressible, &error);

	if (!status && inexpressible)
		check_write(check_fmt("%s/printed.pto", check_tmp()), text, strlen(text));
	else if (!status)
		status = print_compare(s->package, text, NULL, &error);
	free(text);
	return inexpressible ? "source text cannot say it" : status ? error.text : NULL;
}

static const char *json_again(const struct source *s)
{
	struct pkg_writer *writer = pkg_writer_create();
	char *text = NULL;
	void *bytes = NULL;
	size_t size = 0;
	ptowsp_status status = pkg_to_json(s->package, &text, &error);
	int same;

	REQUIRE(writer != NULL);
	if (!status)
		status = pkg_from_json(writer, text, strlen(text), "module", &error);
	if (!status)
		status = pkg_writer_seal(writer, &bytes, &size, &error);
	same = !status && size == s->size && !memcmp(bytes, s->bytes, size);
	free(text);
	free(bytes);
	pkg_writer_destroy(writer);
	return status ? error.text : same ? NULL : "the JSON form packs to other bytes";
}

/* What is printed has been built: nothing of it may be bytes, strings in front, or stated rows. */
static const char *calls_again(const struct source *s)
{
	static const char *const raw[] = {"ptowsp_build_section(", "ptowsp_build_string(", "ptowsp_build_stated("};
	const char *why = NULL;
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);
	struct pkg_code *code;
	ptowsp_status status;

	REQUIRE(to != NULL);
	status = pkg_code_open(&code, s->package, &error);
	if (!status)
		status = inspect_c(code, 0, to, &error);
	pkg_code_close(code);
	fclose(to);
	for (size_t i = 0; i < sizeof(raw) / sizeof(raw[0]) && !status; i++)
		if (strstr(text, raw[i]))
			why = raw[i];
	free(text);
	return status ? error.text : why;
}

static void seed_round_trip(unsigned long seed)
{
	static const struct {
		const char *name;
		const char *(*again)(const struct source *s);
	} ways[] = {{"source", source_again}, {"JSON", json_again}, {"calls", calls_again}};
	char *text = random_module(seed);
	struct source s;

	REQUIRE(text != NULL);
	s = source_compile(text);
	if (s.status)
		CHECK_FAIL("seed %lu is refused: %s", seed, s.messages);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]) && !s.status; i++) {
		const char *why = ways[i].again(&s);

		if (why)
			CHECK_FAIL("seed %lu as %s: %s", seed, ways[i].name, why);
	}
	source_free(&s);
	free(text);
}

static void seeds_do(void (*what)(unsigned long seed), unsigned long count, unsigned long more)
{
	uint64_t seeds, first = check_seeds(&seeds, getenv("PTOWSP_TEST_LONG") ? more : count);

	for (uint64_t seed = first; seed < first + seeds; seed++)
		what(seed);
	printf("# module_random: PTOWSP_SEED=%ju to %ju\n", (uintmax_t)first, (uintmax_t)(first + seeds - 1));
}

TEST(random_modules_come_back)
{
	seeds_do(seed_round_trip, cli_slow() ? 60 : 400, 10000);
}

/* --- running --- */

static const char *run_of(unsigned long seed, int threads, int graph)
{
	return check_fmt("$B/ptowsp-run --threads %d --stats=json --fill t0=iota --fill t1=random:3 --fill t2=ones --fill t3=zeros --fill ints=iota %s"
			 " --entry %s --out t1=a%d.npy --out t2=b%d.npy --out t3=c%d.npy --out ints=i%d.npy seed_%lu.pkg.zst",
			 threads, graph ? "--fill GIN=iota" : "", "main", threads, threads, threads, threads, seed);
}

static void seed_runs_alike(unsigned long seed)
{
	char *text = random_module(seed);
	int graph = text && strstr(text, "GIN") != NULL;
	intmax_t figures[2][3];

	REQUIRE(text != NULL);
	CHECK(check_write(check_fmt("%s/seed_%lu.pto", getenv("T"), seed), text, strlen(text)));
	free(text);
	if (cli(check_fmt("$B/ptowsp-pack seed_%lu.pto -o seed_%lu.pkg.zst", seed, seed))) {
		CHECK_FAIL("seed %lu: pack: %s", seed, cli_err);
		return;
	}
	for (int threads = 1; threads <= 2; threads++) {
		static const char *const names[] = {"total_cycles", "num_tasks", "num_edges"};

		if (cli(run_of(seed, threads, graph))) {
			CHECK_FAIL("seed %lu with %d threads: %s", seed, threads, cli_err);
			return;
		}
		for (int i = 0; i < 3; i++)
			figures[threads - 1][i] = cli_int(cli_json(), names[i]);
	}
	if (memcmp(figures[0], figures[1], sizeof(figures[0])) != 0)
		CHECK_FAIL("seed %lu: %jd cycles, %jd tasks, %jd edges with one thread, %jd, %jd, %jd with two", seed, figures[0][0], figures[0][1],
			   figures[0][2], figures[1][0], figures[1][1], figures[1][2]);
	if (cli("for x in a b c i; do cmp ${x}1.npy ${x}2.npy || exit 1; done"))
		CHECK_FAIL("seed %lu: other results with two threads: %s", seed, cli_out);
}

TEST(random_modules_run_alike_with_one_thread_and_with_two)
{
	cli_begin();
	seeds_do(seed_runs_alike, cli_slow() ? 10 : 50, 1000);
}
