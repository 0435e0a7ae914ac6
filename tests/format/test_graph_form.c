/* SPDX-License-Identifier: MIT
 * test_graph_form.c - task graphs as text, as JSON, and as text again. The bytes of the PTOG binary are in test_graph_binary.c. */
#include "format/graph/graph_read.h"
#include "format/json/json.h"
#include "format/writer.h"
#include "ptowsp/workload.h"
#include "tests/check.h"
#include "tests/lang/source.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* Source to package to source to package, and the same through JSON: the digests are one. */
static void comes_back(const char *name, const char *source, size_t size)
{
	static const struct lang_options options = {.name = "same"};
	struct source first = source_compile_as(name, source, size, &options), second;
	struct pkg_writer *writer = pkg_writer_create();
	struct ptowsp_error error = {.text = ""};
	struct pkg *third = NULL;
	void *bytes = NULL;
	size_t bytes_size;
	char *text, *json = NULL;

	CHECK_STR(first.messages, "");
	REQUIRE(first.package != NULL);
	text = source_graphs(first.t);
	second = source_compile_as(name, text, strlen(text), &options);
	CHECK_STR(second.messages, "");
	REQUIRE(second.package != NULL);
	REQUIRE_UINT(second.t->graph_size, first.t->graph_size);
	CHECK_MEM(second.t->graph, first.t->graph, (size_t)first.t->graph_size);
	REQUIRE_INT(pkg_to_json(first.package, &json, &error), 0);
	CHECK_INT(pkg_from_json(writer, json, strlen(json), "json", &error), 0);
	CHECK_STR(error.text, "");
	REQUIRE_INT(pkg_writer_seal(writer, &bytes, &bytes_size, &error), 0);
	REQUIRE_INT(pkg_open_memory(&third, bytes, bytes_size, "third", NULL, &error), 0);
	CHECK_MEM(pkg_digest(third), pkg_digest(first.package), 32);
	pkg_close(third);
	free(bytes);
	free(json);
	free(text);
	pkg_writer_destroy(writer);
	source_free(&first);
	source_free(&second);
}

static void file_comes_back(const char *path, const char *name)
{
	size_t size;
	char *text = check_read(path, &size);

	REQUIRE(text != NULL);
	comes_back(name, text, size);
	free(text);
}

TEST(every_instruction_comes_back)
{
	file_comes_back(check_fmt("%s/tests/graphs/every.pto", check_root()), "every.pto");
}

/* Bare text is called after its file. */
TEST(bare_text_comes_back)
{
	file_comes_back(check_fmt("%s/tests/graphs/indexer.pto", check_root()), "indexer.pto");
}

static void names_every_instruction(const char *file)
{
	char *text = check_read(check_fmt("%s/%s", check_root(), file), NULL);
	uint32_t count;
	const struct pkg_graph_form *forms = pkg_graph_forms(&count);

	REQUIRE(text != NULL);
	for (uint32_t i = 0; i < count; i++)
		CHECK_CONTAINS(text, forms[i].name);
	free(text);
}

TEST(the_example_and_the_page_name_every_instruction)
{
	names_every_instruction("tests/graphs/every.pto");
	names_every_instruction("packages/GRAPHS.md");
}

/* The text of section 8 of the original, found in the seeds by its first line. */
TEST(the_original_text_is_accepted_as_it_is)
{
	DIR *dir;
	struct dirent *entry;
	unsigned found = 0;

	CHECK_NEED_SHARED();
	dir = opendir(check_fmt("%s/seeds", check_shared()));
	if (!dir)
		CHECK_SKIP("the seeds are not here (PTOWSP_SHARED)");
	while ((entry = readdir(dir))) {
		char *seed = entry->d_name[0] == '.' ? NULL : check_read(check_fmt("%s/seeds/%s", check_shared(), entry->d_name), NULL);
		char *start = seed ? strstr(seed, "```c\n// Define the task graph\nTG_BEGIN(") : NULL, *end = start ? strstr(start + 5, "```") : NULL;

		if (end) {
			comes_back("original.pto", start + 5, (size_t)(end - start) - 5);
			*end = '\0';
			comes_back("block.pto", check_fmt("graph @block {\n%s}\n", start + 5), strlen(start + 5) + strlen("graph @block {\n}\n"));
			found++;
		}
		free(seed);
	}
	closedir(dir);
	if (!found)
		CHECK_SKIP("no seed has the text");
}

/* --- refusals --- */

/* What JSON can say and no package may. */
static void json_is(const char *names, const char *instructions, const char *want)
{
	struct pkg_writer *writer = pkg_writer_create();
	struct ptowsp_error error = {.text = ""};
	void *bytes = NULL;
	size_t size = strlen(names) + strlen(instructions) + 200;
	char *json = malloc(size);
	ptowsp_status status;

	REQUIRE(json != NULL);
	snprintf(json, size, "{\"schema\": \"ptowsp.package/1\", \"GRPH\": [{\"name\": \"g\", \"device\": 0, \"names\": [%s], \"instructions\": [%s]}]}", names,
		 instructions);
	status = pkg_from_json(writer, json, strlen(json), "json", &error);
	if (!status)
		status = pkg_writer_seal(writer, &bytes, &size, &error);
	CHECK_STR(error.text, want);
	CHECK_INT(status, *want ? PTOWSP_BAD_PACKAGE : 0);
	free(bytes);
	free(json);
	pkg_writer_destroy(writer);
}

#define BEGIN "[\"TG_BEGIN\", 1], [\"TG_KERNEL\", 1, \"k\", 1, \"AIV\", 0], "
#define END   ", [\"TG_END\", 1]"

TEST(wrong_programs_are_refused_by_instruction)
{
	static const struct {
		const char *names, *instructions, *text;
	} cases[] = {
		{"", BEGIN "[\"MC_FENCE\", \"GM\"]" END, ""},
		{"[\"kernel\", 1, \"A\"]", BEGIN "[\"CA_REQUEST\", \"A\", 1, 1, 0]" END, ""},
		{"[\"kernel\", 1, \"A\"], [\"kernel\", 2, \"A\"]", BEGIN "[\"CA_REQUEST\", \"A\", 1, 1, 0]" END,
		 "json: GRPH.instructions[2]: \"A\" is the name of no kernel, or of several"},
		{"[\"engine\", 1, \"A\"]", "", "json: GRPH.names[0] must be a list [\"kernel\", number, name]"},
		{"[\"kernel\", 2, \"A\"], [\"kernel\", 1, \"B\"]", "", "new package: GRPH[0].name[1] is not in order"},
		{"", BEGIN "[\"CA_AFFINITY\", 1, \"COLOCATE\"]" END, "json: GRPH.instructions[2]: kernel_set is a list"},
		{"", "[\"TG_BEGIN\", 1], [\"TG_KERNEL\", 1, 4, 1, \"AIV\", 0]" END, "json: GRPH.instructions[1]: entry_symbol is a string"},
		{"", BEGIN "[\"MC_FENCE\", 3]" END, "json: GRPH.instructions[2]: this is no word of fence_scope"},
		{"", BEGIN "[\"CF_IF\", [1, 2]], [\"CF_ENDIF\"]" END, "json: GRPH.instructions[2]: a scalar is a number or a list that begins with a word"},
		{"", "[\"TG_KERNAL\", 1]", "json: GRPH.instructions[0] must be a list [\"TG_KERNEL\", operands ...]"},
		{"", "[\"TG_BEGIN\"]", "json: GRPH.instructions[0]: TG_BEGIN has 1 operand"},
		{"", BEGIN "[\"MC_FENCE\", \"L3\"]" END, "json: GRPH.instructions[2]: L3 is no word of fence_scope"},
		{"", BEGIN "[\"CF_IF\", [\"plus\", 1, 2]], [\"CF_ENDIF\"]" END, "json: GRPH.instructions[2]: \"plus\" is no operation"},
		{"", BEGIN "[\"CF_IF\", [\"+\", 1]], [\"CF_ENDIF\"]" END, "json: GRPH.instructions[2]: \"+\" has 2 operands"},
		{"", BEGIN "[\"CF_IF\", [\"element\", 1, 0]], [\"CF_ENDIF\"]" END,
		 "json: GRPH.instructions[2]: an element is [\"element\", tensor, index, dtype]"},
		{"", BEGIN "[\"CF_IF\", [\"iterator\", 4]], [\"CF_ENDIF\"]" END, "new package: GRPH[0].order[0]: there is no iterator 4"},
		{"", BEGIN "[\"TG_BEGIN\", 2], [\"TG_END\", 2]" END, "new package: GRPH[0].order[2]: a graph inside of a graph"},
		{"", BEGIN "[\"TG_LAUNCH\", 1, 0]" END, "new package: GRPH[0].order[2]: TG_LAUNCH cannot stand inside of a graph"},
		{"", BEGIN "[\"CF_ELSE\"]" END, "new package: GRPH[0].order[2]: CF_ELSE belongs to no CF_IF"},
		{"", BEGIN "[\"CF_IF\", 1], [\"CF_ELSE\"], [\"CF_ELSE\"], [\"CF_ENDIF\"]" END, "new package: GRPH[0].order[4]: CF_ELSE belongs to no CF_IF"},
		{"", BEGIN "[\"CF_BREAK\", 1]" END, "new package: GRPH[0].order[2]: CF_BREAK is in no loop"},
		{"", BEGIN "[\"CF_IF\", 1]", "new package: GRPH[0]: CF_IF is not ended"},
		{"", BEGIN "[\"TG_KERNEL\", 1, \"k\", 1, \"AIV\", 0]" END, "new package: GRPH[0]: kernel 1 is defined twice"},
		{"", BEGIN "[\"TG_DEPEND\", 1, 2, \"AFTER\", 0]" END, "new package: GRPH[0].order[2]: there is no kernel 2"},
		{"", BEGIN "[\"MC_FENCE\", \"GM\"]" END ", [\"TG_BEGIN\", 2], [\"CA_REQUEST\", 1, 1, 1, 1], [\"TG_END\", 2]",
		 "new package: GRPH[0].order[5]: kernel 1 belongs to another graph"},
		{"", BEGIN "[\"MC_FREE\", 3]" END, "new package: GRPH[0].order[2]: there is no tensor 3"},
		{"", "[\"TG_LAUNCH\", 3, 0]", "new package: GRPH[0].order[0]: there is no graph 3"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		json_is(cases[i].names, cases[i].instructions, cases[i].text);
}

/* `word` so many times, "last" behind it. */
static char *repeated(const char *word, unsigned times, const char *last)
{
	char *text = calloc(1, strlen(word) * times + strlen(last) + 1), *at = text;

	for (unsigned i = 0; text && i < times; i++, at += strlen(word))
		memcpy(at, word, strlen(word));
	if (text)
		strcpy(at, last);
	return text;
}

TEST(depths_and_counts_have_limits)
{
	char *blocks = repeated("[\"CF_IF\", 1], ", 65, "[\"CF_ENDIF\"]"), *front = repeated("[\"neg\", ", 1100, "1"), *back = repeated("]", 1100, "");
	char *deep = malloc(strlen(front) + strlen(back) + 100);

	REQUIRE(blocks && front && back && deep);
	json_is("", blocks, "new package: GRPH[0].order[64]: blocks nest deeper than 64");
	sprintf(deep, "[\"CF_IF\", %s%s], [\"CF_ENDIF\"]", front, back);
	json_is("", deep, "json: GRPH.instructions[0]: the scalar nests deeper than 1024");
	free(blocks);
	free(front);
	free(back);
	free(deep);
}

/* Numbers of programs that count from 0 are never those of names. */
TEST(notifications_by_name_lie_apart_from_those_by_number)
{
	char name[2] = "";

	for (name[0] = 'a'; name[0] <= 'z'; name[0]++) {
		CHECK_UINT(pkg_graph_notification(name) >> 31, 1);
		CHECK_UINT(pkg_graph_notification(name) & UINT32_MAX >> 1, (uint32_t)ptowsp_id(name, 1) & UINT32_MAX >> 1);
	}
}

/* The JSON of a graph whose only kernel has a name of so many letters; to be freed. */
static char *json_of_name(int letters)
{
	struct pkg_writer *writer = pkg_writer_create();
	struct ptowsp_error error = {.text = ""};
	struct pkg *package = NULL;
	void *bytes = NULL;
	size_t size = 0;
	char *name = repeated("k", letters, ""), *json = NULL;

	REQUIRE(name && writer);
	json = strdup(check_fmt("{\"schema\": \"ptowsp.package/1\", \"GRPH\": [{\"name\": \"g\", \"device\": 0, \"names\": [[\"kernel\", 1, \"%s\"]], "
				"\"instructions\": [[\"TG_BEGIN\", 1], [\"TG_KERNEL\", 1, \"k\", 1, \"AIV\", 0]" END "]}]}",
				name));
	REQUIRE_INT(pkg_from_json(writer, json, strlen(json), "json", &error), 0);
	REQUIRE_INT(pkg_writer_seal(writer, &bytes, &size, &error), 0);
	REQUIRE_INT(pkg_open_memory(&package, bytes, size, "name", NULL, &error), 0);
	free(json);
	REQUIRE_INT(pkg_to_json(package, &json, &error), 0);
	pkg_close(package);
	pkg_writer_destroy(writer);
	free(bytes);
	free(name);
	return json;
}

TEST(names_of_more_than_400_bytes_are_written_as_numbers)
{
	char *named = json_of_name(400), *numbered = json_of_name(401);

	CHECK_CONTAINS(named, "[\"TG_KERNEL\", \"kkk");
	CHECK_CONTAINS(numbered, "[\"TG_KERNEL\", 1, \"k\", 1, ");
	free(named);
	free(numbered);
}
