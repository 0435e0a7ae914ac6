/* SPDX-License-Identifier: MIT
 * test_graph.c - task graphs: levels, the five forms, files. */
#include "tests/check.h"
#include "tools/graph_layout.h"
#include "tools/tools_graph.h"

#include <stdlib.h>
#include <string.h>

static struct ptowsp_error error;

/* 0 -> 1 -> 3, 0 -> 2, 2 -> 3, and 9 alone; ids are not rows. */
static void graph_fill(struct graph *g)
{
	memset(g, 0, sizeof(*g));
	graph_task_add(g, 3, "last", 0);
	graph_task_add(g, 0, "first", 16384);
	graph_task_add(g, 1, "say \"a\\b\"", 0);
	graph_task_add(g, 2, "two\nlines", 100);
	graph_task_add(g, 9, "alone", 0);
	graph_edge_add(g, 0, 1);
	graph_edge_add(g, 1, 3);
	graph_edge_add(g, 0, 2);
	graph_edge_add(g, 2, 3);
}

/* Text of the graph in a file with that ending, to be freed. */
static char *graph_text(const struct graph *g, const char *ending)
{
	const char *path = check_fmt("%s/g%s", check_tmp(), ending);

	CHECK_INT(graph_save(g, path, &error), PTOWSP_OK);
	return check_read(path, NULL);
}

TEST(levels_are_the_longest_way_to_a_task)
{
	struct graph g;
	struct graph_layout l;
	static const uint32_t levels[] = {2, 0, 1, 1, 0};

	graph_fill(&g);
	REQUIRE_INT(graph_layout_init(&l, &g, &error), PTOWSP_OK);
	CHECK_UINT(l.level_count, 3);
	for (uint32_t i = 0; i < 5; i++)
		CHECK_UINT(l.level[i], levels[i]);
	CHECK_MEM(l.order, ((uint32_t[]){1, 4, 2, 3, 0}), 20);
	graph_layout_finish(&l);
	graph_finish(&g);
}

#define RULE "================================================================================\n"
TEST(text_form_is_that_of_the_seed)
{
	struct graph g;
	char *text;

	graph_fill(&g);
	text = graph_text(&g, ".txt");
	CHECK_STR(text, RULE "PTO RUNTIME DUMP\n" RULE "\nSUMMARY\n  Total tasks scheduled:  5\n  Ready queue size:       2\n\nTASK TABLE\n"
			     "  Task 3: last           [WAIT]  fanin=2 buf=0.0KB fanout=[]\n"
			     "  Task 0: first          [READY] fanin=0 buf=16.0KB fanout=[1,2]\n"
			     "  Task 1: say \"a\\b\"      [WAIT]  fanin=1 buf=0.0KB fanout=[3]\n"
			     "  Task 2: two lines      [WAIT]  fanin=1 buf=0.1KB fanout=[3]\n"
			     "  Task 9: alone          [READY] fanin=0 buf=0.0KB fanout=[]\n"
			     "\nDEPENDENCY GRAPH\n  Task 0 -> Task 1\n  Task 0 -> Task 2\n  Task 1 -> Task 3\n  Task 2 -> Task 3\n");
	free(text);
	graph_finish(&g);
}

/* U+009B begins a command to a terminal. */
TEST(dot_form_has_no_command_to_a_terminal)
{
	struct graph g = {0};
	char *text;

	graph_task_add(&g, 0, "a\xc2\x9b[2J\x7f", 0);
	text = graph_text(&g, ".dot");
	CHECK_CONTAINS(text, "t0 [label=\"0\\na [2J \"];");
	free(text);
	graph_finish(&g);
}

TEST(dot_form_has_a_rank_per_level_and_escapes_names)
{
	struct graph g;
	char *text;

	graph_fill(&g);
	text = graph_text(&g, ".dot");
	CHECK_CONTAINS(text, "digraph tasks {\n  rankdir=LR;\n");
	CHECK_CONTAINS(text, "  {\n    rank=same;\n    t0 [label=\"0\\nfirst\\n16 KiB\"];\n    t9 [label=\"9\\nalone\"];\n  }\n");
	CHECK_CONTAINS(text, "t1 [label=\"1\\nsay \\\"a\\\\b\\\"\"];");
	CHECK_CONTAINS(text, "t2 [label=\"2\\ntwo lines\\n100 B\"];");
	CHECK_CONTAINS(text, "  t2 -> t3;\n}\n");
	free(text);
	graph_finish(&g);
}

TEST(json_form_is_read_again)
{
	struct graph g, again = {0};
	char *first, *second;

	graph_fill(&g);
	first = graph_text(&g, ".json");
	CHECK_INT(graph_read(&again, check_fmt("%s/g.json", check_dir()), &error), PTOWSP_OK);
	second = graph_text(&again, ".json");
	CHECK_STR(second, first);
	CHECK_CONTAINS(first, "{\"schema\": \"ptowsp.graph/1\",");
	CHECK_CONTAINS(first, "{\"id\": 0, \"kernel\": \"first\", \"bytes\": 16384}");
	free(first);
	free(second);
	graph_finish(&g);
	graph_finish(&again);
}

TEST(empty_graph_has_every_form)
{
	struct graph g = {0};
	char *text = graph_text(&g, ".txt");

	CHECK_CONTAINS(text, "Total tasks scheduled:  0\n");
	free(text);
	free(graph_text(&g, ".dot"));
	text = graph_text(&g, ".json");
	CHECK_STR(text, "{\"schema\": \"ptowsp.graph/1\",\n \"tasks\": [],\n \"edges\": []}\n");
	free(text);
}

TEST(wrong_graphs_are_refused)
{
	struct graph g;

	graph_fill(&g);
	graph_edge_add(&g, 3, 0);
	CHECK_INT(graph_save(&g, "-", &error), PTOWSP_INVALID);
	CHECK_STR(error.text, "the edges of the graph form a cycle");
	g.edges[4].to = 4;
	CHECK_INT(graph_save(&g, "-", &error), PTOWSP_INVALID);
	CHECK_STR(error.text, "edge 4 goes from 3 to 4: there is no such task");
	g.edge_count = 4;
	graph_task_add(&g, 9, "again", 0);
	CHECK_INT(graph_save(&g, "-", &error), PTOWSP_INVALID);
	CHECK_STR(error.text, "the graph has two tasks 9");
	CHECK_INT(graph_path_check("g.bmp", &error), PTOWSP_INVALID);
	CHECK_STR(error.text, "graph \"g.bmp\": the name must end in .txt, .dot, .svg, .pdf or .json, or be - for text");
	CHECK_INT(graph_path_check("-", &error), PTOWSP_OK);
	graph_finish(&g);
}

TEST(wrong_dumps_are_refused_by_place)
{
	static const struct {
		const char *text, *says;
	} dumps[] = {{"{\"tasks\": [", "line 1, column 11"},
		     {"[]", "it has no lists \"tasks\" and \"edges\""},
		     {"{\"tasks\": [{\"id\": -1, \"kernel\": \"k\"}], \"edges\": []}", "tasks[0] must be"},
		     {"{\"tasks\": [{\"id\": 1}], \"edges\": []}", "tasks[0] must be"},
		     {"{\"tasks\": [], \"edges\": [[1]]}", "edges[0] must be [producer, consumer]"}};
	const char *path = check_fmt("%s/d.json", check_tmp());

	for (size_t i = 0; i < sizeof(dumps) / sizeof(dumps[0]); i++) {
		struct graph g = {0};

		REQUIRE(check_write(path, dumps[i].text, strlen(dumps[i].text)));
		CHECK_INT(graph_read(&g, path, &error), PTOWSP_INVALID);
		CHECK_CONTAINS(error.text, dumps[i].says);
		graph_finish(&g);
	}
}

/* Names may hold anything but line breaks; what the form does not say, more digits of a size, is lost. */
TEST(text_form_is_read_again)
{
	struct graph g, again = {0};
	char *first, *second;

	memset(&g, 0, sizeof(g));
	graph_task_add(&g, 0, "f [WAIT]  fanin=3 buf=9.0KB fanout=[1]", 16384);
	graph_task_add(&g, 1, "", 100);
	graph_task_add(&g, 7, "-> Task 1: ", 1);
	graph_edge_add(&g, 0, 1);
	graph_edge_add(&g, 0, 7);
	first = graph_text(&g, ".txt");
	CHECK_INT(graph_read(&again, check_fmt("%s/g.txt", check_dir()), &error), PTOWSP_OK);
	CHECK_UINT(again.task_count, 3);
	CHECK_STR(again.tasks[0].kernel, "f [WAIT]  fanin=3 buf=9.0KB fanout=[1]");
	CHECK_UINT(again.tasks[0].bytes, 16384);
	second = graph_text(&again, ".txt");
	CHECK_STR(second, first);
	free(first);
	free(second);
	graph_finish(&g);
	graph_finish(&again);
}

/* Damaged dumps are refused or read; nothing else happens. */
TEST(damaged_dumps_are_refused_or_read)
{
	struct graph g;
	const char *path;
	char *text;
	size_t size, refused = 0;

	graph_fill(&g);
	text = graph_text(&g, ".txt");
	graph_finish(&g);
	size = strlen(text);
	path = check_fmt("%s/damaged.txt", check_tmp());
	for (unsigned i = 0; i < 4000; i++) {
		char was = text[i * 37 % size];
		struct graph again = {0};

		text[i * 37 % size] = (char)(i * 2654435761u >> 24);
		REQUIRE(check_write(path, text, i % 3 ? size : size - i % size));
		refused += graph_read(&again, path, &error) != PTOWSP_OK;
		graph_finish(&again);
		text[i * 37 % size] = was;
	}
	CHECK(refused > 1000 && refused < 4000);
	free(text);
}

TEST(failed_writing_leaves_the_old_file_alone)
{
	struct graph g;
	const char *dir = check_tmp(), *path = check_fmt("%s/g.svg", dir);
	char *old = getenv("PATH") ? strdup(getenv("PATH")) : NULL, *text, *out = NULL;

	graph_fill(&g);
	REQUIRE(check_write(path, "old", 3));
	setenv("PATH", "/nonexistent", 1);
	CHECK_INT(graph_save(&g, path, &error), PTOWSP_NO_DEVICE);
	setenv("PATH", old ? old : "", 1);
	CHECK_CONTAINS(error.text, "the program dot (Graphviz) is not in PATH");
	text = check_read(path, NULL);
	CHECK_STR(text, "old");
	CHECK_INT(check_run(check_fmt("ls '%s'", dir), &out, NULL), 0);
	CHECK_STR(out, "g.svg\n");
	CHECK_INT(graph_save(&g, check_fmt("%s/none/g.txt", dir), &error), PTOWSP_IO);
	graph_finish(&g);
	free(old);
	free(text);
	free(out);
}
