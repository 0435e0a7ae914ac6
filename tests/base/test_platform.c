/* SPDX-License-Identifier: MIT
 * test_platform.c - what each platform does with instructions of task graphs: the table of the specification, and what cpu_sim claims. */
#include "tests/check.h"
#include "tests/taskgraph/taskgraph_run.h"

#include "ptowsp/caps.h"
#include "ptowsp/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { A2, A3, A5, CPU, PLATFORMS };
enum word { YES, PARTLY, HINT, NA, NO };
#define PARTIAL(scope) PARTLY
static const char *const words[] = {"Yes", "Partial", "Hint", "N/A", "No"};

static const struct row {
	const char *name;
	uint32_t op;
	enum word platforms[PLATFORMS];
} rows[] = {
#define X(instruction, a2, a3, a5, cpu) {#instruction, PTOWSP_##instruction, {a2, a3, a5, cpu}},
#include "ptowsp/platform.def"
#undef X
};

static const struct row *row_of(const char *name)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

/* "TG_BEGIN/END" is TG_BEGIN and TG_END, "SY_NOTIFY (multi-chip)" SY_NOTIFY. */
static void line_check(const char *names, char cells[PLATFORMS][16], unsigned *seen)
{
	char name[40] = "";
	const char *slash = strchr(names, '/');
	const struct row *row;

	for (int part = 0; part < (slash ? 2 : 1); part++) {
		const char *begin = part ? slash + 1 : names;

		snprintf(name, sizeof(name), "%.*s%.*s", part ? 3 : 0, names, (int)strcspn(begin, "/ "), begin);
		row = row_of(name);
		if (!row) {
			CHECK_FAIL("platform.def has no row for %s", name);
			continue;
		}
		++*seen;
		for (int p = 0; p < PLATFORMS; p++)
			CHECK_STR(words[row->platforms[p]], cells[p]);
	}
}

/* tests/platform.golden has the specification's table, a line each: names and what stands in the columns. */
TEST(the_rows_are_the_golden_ones)
{
	char *text = check_read(check_fmt("%s/tests/platform.golden", check_root()), NULL), *at = text, names[40], cells[PLATFORMS][16];
	unsigned seen = 0;

	REQUIRE(text != NULL);
	for (; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
		if (*at != '#' && sscanf(at, "%39s %15s %15s %15s %15s", names, cells[0], cells[1], cells[2], cells[3]) == 5)
			line_check(names, cells, &seen);
	CHECK_UINT(seen, sizeof(rows) / sizeof(*rows));
	free(text);
}

TEST(the_rows_are_those_of_the_specification)
{
	const char *path = check_shared();
	char *text, *at, names[40], cells[PLATFORMS][16];
	unsigned seen = 0;

	CHECK_NEED_SHARED();
	text = check_read(check_fmt("%s/seeds/004_7470f3e1a2a39cf1.txt", path), NULL);
	REQUIRE(text != NULL);
	at = strstr(text, "| Instruction | A2 |");
	REQUIRE(at != NULL);
	for (at = strchr(at, '\n'); at && at[1] == '|'; at = strchr(at + 1, '\n'))
		if (sscanf(at + 1, "| %39[^|]| %15[^ ] | %15[^ ] | %15[^ ] | %15[^ ] |", names, cells[0], cells[1], cells[2], cells[3]) == 5)
			line_check(names, cells, &seen);
	CHECK_UINT(seen, sizeof(rows) / sizeof(*rows));
	free(text);
}

static unsigned state_of(enum word word)
{
	static const uint8_t states[] = {[YES] = PTOWSP_STATE_ENFORCED,
					 [PARTLY] = PTOWSP_STATE_ENFORCED,
					 [HINT] = PTOWSP_STATE_RECORDED,
					 [NA] = PTOWSP_STATE_DIAGNOSED,
					 [NO] = PTOWSP_STATE_UNSUPPORTED};

	return states[word];
}

/* cpu_sim is the column "CPU Sim", with three exceptions: it has two devices, so that what tells another one can be shown without a multi-chip machine, a fence orders here, too,
 * and two threads or more share or part the kernels of a set. */
TEST(cpu_sim_claims_its_column)
{
	const char *dir = check_fmt("%s/lib/ptowsp/plugins", check_build());
	struct ptowsp_backend_options options = {.isolate = PTOWSP_ISOLATE_NONE, .plugin = "cpu_sim", .plugin_dirs = &dir, .plugin_dir_count = 1};
	struct ptowsp_backend *backend;

	for (uint32_t d = 0; d < 4; d++) {
		options.device = d & 1 ? "cpu1" : "cpu0";
		options.threads = 1 + d / 2;
		REQUIRE_INT(ptowsp_backend_open(&backend, &options, NULL), PTOWSP_OK);
		for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
			const struct ptowsp_cap *cap = ptowsp_backend_cap(backend, PTOWSP_FEATURE_GRAPH(rows[i].op));
			bool more =
				rows[i].op == PTOWSP_SY_NOTIFY || rows[i].op == PTOWSP_MC_FENCE || (rows[i].op == PTOWSP_CA_AFFINITY && options.threads > 1);
			unsigned wanted = more ? PTOWSP_STATE_ENFORCED : state_of(rows[i].platforms[CPU]);

			if (!cap || cap->state != wanted)
				CHECK_FAIL("%s is in state %d, the table says %u", rows[i].name, cap ? cap->state : -1, wanted);
		}
		ptowsp_backend_close(backend);
	}
}

/* Once per instruction, however often it stands there; what is enforced is not spoken of. */
TEST(what_is_not_enforced_is_said_once)
{
	struct graph_run *r = graph_run_open("CA_PARTITION(P, 0, 1, 0, 1)\nTG_BEGIN(G)\n TG_KERNEL(A, tick1, 1, AIC, 0)\n TG_KERNEL(B, tick1, 1, AIC, 0)\n"
					     " CA_REQUEST(A, 1, 0) CA_REQUEST(B, 1, 0) CA_AFFINITY({A, B}, SEPARATE) TG_PERSISTENT(A, 0)\n"
					     "TG_END(G)\nTG_SET_PRIORITY(G, 1)\nMC_FENCE(GM)\nTG_LAUNCH(G, s) TG_SYNC(G)\n",
					     NULL, 1);
	struct ptowsp_diagnostic row;
	char said[1024] = "";

	REQUIRE(r != NULL);
	CHECK_INT(graph_run_go(r), PTOWSP_OK);
	for (uint32_t i = 0; ptowsp_diagnostic_row(r->program, i, &row); i++)
		snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s\n", row.text);
	CHECK_STR(said, "TG_PERSISTENT is recorded: kept in the package, behaviour unchanged\n"
			"TG_SET_PRIORITY is recorded: kept in the package, behaviour unchanged\n"
			"CA_REQUEST is diagnosed: there is nothing to do for it on this backend\n"
			"CA_AFFINITY is diagnosed: there is nothing to do for it on this backend\n"
			"CA_PARTITION is diagnosed: there is nothing to do for it on this backend\n");
	graph_run_close(r);
}

/* What a device of that platform makes of the line, as ptowsp-run says it. */
static void platform_is(const char *platform, const char *line, int exit, const char *err_is)
{
	const char *dir = check_tmp(), *build = check_build();
	const char *text = check_fmt("func @k(%%x: !pto.memref<gm,...,i32>) {\n  %%t = alloc_tile : !pto.tile<1x8xi32>\n  tstore %%t, %%x[0, 0]\n  return\n}\n"
				     "graph @g {\nTG_BEGIN(G)\n TG_KERNEL(A, k, 1, AIV, 0)\n TG_KERNEL(B, k, 1, AIV, 0)\n TG_DEPEND(A, B)\n"
				     " MC_BIND(A, 0, X, 0, 32) MC_BIND(B, 0, X, 0, 32)\n %s\nTG_END(G)\nTG_LAUNCH(G, s)\n}\n",
				     line);
	char *err;

	REQUIRE(check_write(check_fmt("%s/p.pto", dir), text, strlen(text)));
	CHECK_INT(check_run(check_fmt("cd '%s' && '%s/bin/ptowsp-pack' p.pto -o p.pkg.zst", dir, build), NULL, NULL), 0);
	CHECK_INT(check_run(check_fmt("cd '%s' && '%s/bin/ptowsp-run' --plugin='%s/test/plugins/libptowsp_liar.so' --opt platform=%s --device=cpu1 --entry g "
				      "p.pkg.zst",
				      dir, build, build, platform),
			    NULL, &err),
		  exit);
	CHECK_STR(err, err_is);
	free(err);
}

/* The liar's second device takes its rows from the table as any backend of such a device does. */
TEST(each_word_of_the_table_has_its_effect)
{
	platform_is("A5", "MC_FENCE(L2)", 0, "");
	platform_is("A2", "MC_FENCE(GM)", 0, "");
	platform_is("A2", "MC_FENCE(L2)", 0, "ptowsp-run: MC_FENCE(L2) is diagnosed: the backend does every scope but this one\n");
	platform_is("A3", "CA_REQUEST(A, 1, 0)", 0, "ptowsp-run: CA_REQUEST is recorded: kept in the package, behaviour unchanged\n");
	platform_is("A3", "CA_AFFINITY({A, B}, COLOCATE)", 0, "ptowsp-run: CA_AFFINITY is recorded: kept in the package, behaviour unchanged\n");
	platform_is("A5", "CA_AFFINITY({A, B}, COLOCATE)", 0, "");
	platform_is(
		"A2", "SY_NOTIFY(1, 0)", 5,
		"ptowsp-run: SY_NOTIFY is unsupported on liar: it has no way for that with its options as they are; take others, another backend or engine\n");
	platform_is("A3", "SY_WAIT_NOTIFY(1, 0)", 5,
		    "ptowsp-run: SY_WAIT_NOTIFY is unsupported on liar: it has no way for that with its options as they are; take others, another backend or "
		    "engine\n");
}

TEST(capabilities_have_a_column_per_device_that_differs)
{
	const char *build = check_build();
	char *out;

	CHECK_INT(check_run(check_fmt("'%s/bin/ptowsp-run' --capabilities --plugin='%s/test/plugins/libptowsp_liar.so' --opt platform=A2", build, build), &out,
			    NULL),
		  0);
	CHECK_CONTAINS(out, "feature                                liar cpu0    liar cpu1\n");
	CHECK_CONTAINS(out, "  MC_FENCE                             enforced     enforced but L2\n");
	CHECK_CONTAINS(out, "  SY_NOTIFY                            enforced     unsupported\n");
	free(out);
	CHECK_INT(check_run(check_fmt("'%s/bin/ptowsp-run' --capabilities --plugin='%s/test/plugins/libptowsp_liar.so'", build, build), &out, NULL), 0);
	CHECK_CONTAINS(out, "feature                                liar\n");
	CHECK_CONTAINS(out, "\n  instruction  A2              A3    A5    CPU Sim\n  TG_BEGIN     Yes             Yes   Yes   Yes\n");
	CHECK_CONTAINS(out, "\n  MC_FENCE     Partial but L2  Yes   Yes   N/A\n");
	free(out);
	CHECK_INT(check_run(check_fmt("'%s/bin/ptowsp-run' --capabilities --json --plugin=cpu_sim", build), &out, NULL), 0);
	CHECK_CONTAINS(out, "\"word\": \"Partial\"");
	CHECK_CONTAINS(out, "\"CPU Sim\"");
	free(out);
}
