/* SPDX-License-Identifier: MIT */
/* test_graph_binary.c - the PTOG binary of task graphs, byte by byte: what is written, what is read, what is refused. */
#include "format/graph/graph_read.h"
#include "format/writer.h"
#include "ptowsp/workload.h"
#include "tests/check.h"
#include "tests/lang/source.h"

#include <stdlib.h>
#include <string.h>

/* --- bytes --- */

static uint64_t number_at(const uint8_t *at, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)at[i] << (8 * i);
	return value;
}

/* Rows of numbers as they lie in the file; widths: bytes of each number. */
static const uint8_t *rows_are(const uint8_t *at, const char *widths, const uint64_t *want, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		unsigned bytes = (unsigned)(widths[i % strlen(widths)] - '0');

		CHECK_UINT(number_at(at, bytes), want[i]);
		at += bytes;
	}
	return at;
}

TEST(the_first_tables_are_those_of_the_original_format)
{
	struct source s = source_compile(
		"TG_BEGIN(3)\nTG_KERNEL(4, first, 24, AIC_AIV, 64*1024)\nTG_KERNEL(5, second, 1, AICPU, 1 << 33)\n"
		"TG_DEPEND(4, 5, DATA, 9)\nMC_ALLOC(9, 1 << 34, 512, SHARED)\nMC_BIND(4, 0, 9)\nMC_BIND(5, 1, 9, 1 << 32, 256)\nMC_BIND(5, 0, 8)\nTG_END(3)\n");
	const uint8_t *at;

	CHECK_STR(s.messages, "test.pto:1:10: warning: no graph of this program is launched: no kernel of it ever runs\n    TG_BEGIN(3)\n             ^\n"
			      "    help: TG_LAUNCH(3, stream) behind its end\n");
	REQUIRE(s.t != NULL && s.t->graph_size > 20);
	CHECK_MEM(s.t->graph, "PTOG", 4);
	at = rows_are(s.t->graph + 4, "4444", (const uint64_t[]){10, 2, 1, 1}, 4);
	CHECK_STR(pkg_string(s.t, (uint32_t)number_at(at + 4, 4)), "first");
	CHECK_STR(pkg_string(s.t, (uint32_t)number_at(at + 28, 4)), "second");
	at = rows_are(at, "44448", (const uint64_t[]){4, number_at(at + 4, 4), 24, 2, 65536, 5, number_at(at + 28, 4), 1, 3, UINT64_C(1) << 33}, 10);
	at = rows_are(at, "4444", (const uint64_t[]){4, 5, 1, 9}, 4);
	at = rows_are(at, "4844", (const uint64_t[]){9, UINT64_C(1) << 34, 512, 3}, 4);
	at = rows_are(at, "44488", (const uint64_t[]){4, 0, 9, 0, 0, 5, 1, 9, UINT64_C(1) << 32, 256, 5, 0, 8, 0, 0}, 15);
	CHECK_UINT(number_at(at, 4), UINT32_MAX);
	CHECK_UINT(number_at(at + 12, 8), (uint64_t)(s.t->graph + s.t->graph_size - at) - 28);
	source_free(&s);
}

/* A package with nothing but these bytes in GRPH, and strings "", "k" (1), "n" (3). */
static ptowsp_status graph_open(struct pkg **package_out, const void *bytes, size_t size, struct ptowsp_error *error)
{
	struct pkg_writer *writer = pkg_writer_create();
	void *file = NULL;
	size_t file_size = 0;
	ptowsp_status status;

	pkg_writer_string(writer, "k");
	pkg_writer_string(writer, "n");
	pkg_writer_bytes(writer, PTOWSP_SECTION_GRPH, bytes, size, 1);
	status = pkg_writer_seal(writer, &file, &file_size, error);
	pkg_writer_destroy(writer);
	*package_out = NULL;
	if (!status) {
		status = pkg_open_memory(package_out, file, file_size, "test", NULL, error);
		CHECK_INT(status, 0);
	}
	free(file);
	return status;
}

TEST(a_file_of_the_original_format_still_reads)
{
	static const uint32_t words[] = {PTOWSP_GRAPH_MAGIC,
					 1,
					 2,
					 1,
					 0,
					 /* kernels: id, entry, blockDim, core, workspace */ 0,
					 1,
					 24,
					 2,
					 4096,
					 0,
					 1,
					 3,
					 1,
					 1,
					 0,
					 0,
					 /* edge */ 0,
					 1,
					 1,
					 5,
					 /* bindings: kernel, argument, tensor, offset, size */ 0,
					 0,
					 5,
					 0,
					 0,
					 0,
					 0,
					 1,
					 0,
					 5,
					 256,
					 0,
					 64,
					 0};
	struct ptowsp_error error = {.text = ""};
	struct pkg *package;
	char *text;

	REQUIRE_INT(graph_open(&package, words, sizeof(words), &error), 0);
	text = source_graphs(pkg_tables(package));
	CHECK_STR(text, "graph @graph {\n  TG_BEGIN(0)\n    TG_KERNEL(0, k, 24, AIC_AIV, 4096)\n    TG_KERNEL(1, n, 1, AIV, 0)\n    TG_DEPEND(0, 1, DATA, 5)\n"
			"    MC_BIND(0, 0, 5)\n    MC_BIND(1, 0, 5, 256, 64)\n  TG_END(0)\n}\n");
	free(text);
	pkg_close(package);
}

/* --- refusals --- */

/* The words of a small binary of version 10. */
static const uint32_t simple[] = {PTOWSP_GRAPH_MAGIC,
				  10,
				  1,
				  0,
				  0,
				  /* 5: TG_KERNEL 0 */ 0,
				  1,
				  24,
				  2,
				  0,
				  0,
				  /* 11: end of the bindings; 14: bytes that follow */ UINT32_MAX,
				  0,
				  0,
				  204,
				  0,
				  0,
				  0,
				  /* 18: name, device, tables, 0 */ 3,
				  0,
				  7,
				  0,
				  /* 22: TG_BEGIN */ 1,
				  4,
				  1,
				  /* 25: TG_END */ 2,
				  4,
				  1,
				  /* 28: CF_IF */ 0x40,
				  8,
				  1,
				  /* 31: CA_AFFINITY */ 0x61,
				  8,
				  1,
				  /* 34: SETS */ 0x100,
				  4,
				  2,
				  /* 37: NODE */ 0x101,
				  24,
				  1,
				  /* 40: ORDER */ 0x103,
				  8,
				  6,
				  /* 43 */ 0,
				  /* 44 */ 0,
				  /* 45 */ 0,
				  0x80000000,
				  /* 47 */ 0,
				  2,
				  /* 49 */ 1,
				  0,
				  /* 51 */ 2,
				  0,
				  0,
				  0,
				  0,
				  0,
				  /* 57 */ 1,
				  0,
				  0x40,
				  0,
				  0x42,
				  0,
				  3,
				  0,
				  0x61,
				  0,
				  2,
				  0};

static ptowsp_status image_open(const uint32_t *words, size_t count, size_t bytes, struct ptowsp_error *error)
{
	struct pkg *package;
	ptowsp_status status;

	*error = (struct ptowsp_error){.text = ""};
	status = graph_open(&package, words, bytes ? bytes : count * 4, error);
	pkg_close(package);
	return status;
}

TEST(a_small_binary_is_accepted)
{
	struct ptowsp_error error;

	CHECK_INT(image_open(simple, sizeof(simple) / 4, 0, &error), 0);
	CHECK_STR(error.text, "");
}

TEST(every_wrong_word_has_its_sentence)
{
	static const struct {
		uint32_t at, value;
		const char *text;
	} cases[] = {
		{0, 7, "GRPH[0] does not begin with PTOG"},
		{1, 11, "GRPH[0] has version 11; this build knows 1 and 10"},
		{1, 1, "GRPH[0] has version 1 and tables behind its bindings"},
		{2, 1 << 20, "GRPH[0] has fewer bytes than its 1048576 kernels need"},
		{3, 1 << 20, "GRPH[0] has fewer bytes than its 1048576 dependencies need"},
		{4, 1 << 20, "GRPH[0] has fewer bytes than its 1048576 allocations need"},
		{5, UINT32_MAX, "GRPH[0].TG_KERNEL[0].kernel_id: 4294967295 is no id"},
		{6, 2, "GRPH[0].TG_KERNEL[0].entry_symbol: 2 is no string"},
		{7, 0, "GRPH[0].TG_KERNEL[0].blockDim: 0 is not 1 to 65535"},
		{7, 65536, "GRPH[0].TG_KERNEL[0].blockDim: 65536 is not 1 to 65535"},
		{8, 4, "GRPH[0].TG_KERNEL[0].core_type: 4 is no core_type"},
		{11, 0, "GRPH[0] ends inside a binding"},
		{14, 500, "GRPH[0] says that 500 bytes follow its bindings, 204 do"},
		{14, 8, "GRPH[0] ends inside of what follows the bindings"},
		{14, 176, "GRPH[0] ends inside of table 0x103"},
		{18, 2, "GRPH[0].name: 2 is no string"},
		{20, 300, "GRPH[0] has no room for 300 tables"},
		{20, 6, "GRPH[0] has 60 bytes behind its tables"},
		{21, 1, "GRPH[0].reserved is not 0"},
		{22, 3, "GRPH[0]: table 0x2 is not in order"},
		{23, 3, "GRPH[0]: rows of table 0x1 cannot have 3 bytes"},
		{32, 5, "GRPH[0]: rows of table 0x61 cannot have 5 bytes"},
		{35, 8, "GRPH[0]: rows of table 0x100 cannot have 8 bytes"},
		{38, 20, "GRPH[0]: rows of table 0x101 cannot have 20 bytes"},
		{43, 65536, "GRPH[0].TG_BEGIN[0].graph_id: 65536 is no id of a graph"},
		{44, 1, "GRPH[0].order[5]: TG_END does not match TG_BEGIN"},
		{45, 1, "GRPH[0].CF_IF[0].condition: node 1 is not the next scalar"},
		{46, 0, "GRPH[0] has sets or nodes that no instruction uses"},
		{47, 1, "GRPH[0].CA_AFFINITY[0].kernel_set: 1 is not the next set"},
		{48, 3, "GRPH[0].CA_AFFINITY[0].affinity_type: 3 is no affinity_type"},
		{49, 2, "GRPH[0].CA_AFFINITY[0].kernel_set: 0 is not the next set"},
		{49, 0, "GRPH[0].CA_AFFINITY[0].kernel_set: the set is empty"},
		{50, 1, "GRPH[0].order[4]: there is no kernel 1"},
		{51, 1, "GRPH[0].node[0]: 1 is no operation"},
		{51, 0, "GRPH[0].CF_IF[0].condition: node 0 is a constant, which belongs into the operand itself"},
		{51, 0x10, "GRPH[0].node[0]: operand 1 is not the node before it"},
		{51, 3, "GRPH[0].order[0]: there is no iterator 0"},
		{51, 0xFF0080, "GRPH[0].node[0]: 255 is no dtype"},
		{57, 0x99, "GRPH[0].order[0]: instruction 0x99 is unknown to this build; use a newer ptowsp"},
		{57, 2, "GRPH[0].order[5]: row 0 of TG_END is not the next one"},
		{58, 1, "GRPH[0].order[0]: row 1 of TG_BEGIN is not the next one"},
		{61, 0x44, "GRPH[0].order[2]: CF_ENDLOOP ends nothing"},
		{61, 0x41, "GRPH[0].order[5]: TG_END ends nothing"},
		{61, 0x45, "GRPH[0].order[2]: row 0 of CF_BREAK is not the next one"},
		{59, 0x41, "GRPH[0]: row 0 of CF_IF has no place in the order"},
		{67, 0x42, "GRPH[0]: row 0 of TG_END has no place in the order"},
	};
	uint32_t words[sizeof(simple) / 4];
	struct ptowsp_error error;

	memcpy(words, simple, sizeof(words));
	words[57] = 3; /* TG_BEGIN and TG_KERNEL change places */
	words[63] = 1;
	CHECK_INT(image_open(words, sizeof(words) / 4, 0, &error), PTOWSP_BAD_PACKAGE);
	CHECK_STR(error.text, "new package: GRPH[0].order[0]: TG_KERNEL cannot stand outside of a graph");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		memcpy(words, simple, sizeof(words));
		words[cases[i].at] = cases[i].value;
		CHECK_INT(image_open(words, sizeof(words) / 4, 0, &error), PTOWSP_BAD_PACKAGE);
		CHECK_STR(error.text, check_fmt("new package: %s", cases[i].text));
	}
}

TEST(a_binary_cut_anywhere_is_refused)
{
	struct ptowsp_error error;

	for (size_t bytes = 1; bytes < sizeof(simple); bytes++) {
		CHECK_INT(image_open(simple, 0, bytes, &error), PTOWSP_BAD_PACKAGE);
		if (bytes < sizeof(struct ptowsp_graph_header))
			CHECK_STR(error.text, "new package: GRPH[0] ends inside its header");
	}
}

/* The small binary with a table of one name in front of the order. */
TEST(wrong_names_are_refused)
{
	static const struct {
		uint32_t object, text;
		const char *want;
	} cases[] = {
		{PTOWSP_GRAPH_KERNEL, 1, ""},
		{PTOWSP_GRAPH_OBJECTS, 1, "new package: GRPH[0].name[0]: 11 is no object"},
		{PTOWSP_GRAPH_KERNEL, 2, "new package: GRPH[0].name[0]: 2 is no string"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const uint32_t table[] = {PTOWSP_GRAPH_TABLE_NAME, 12, 1}, row[] = {cases[i].object, 0, cases[i].text};
		uint32_t words[sizeof(simple) / 4 + 6];
		struct ptowsp_error error;

		memcpy(words, simple, 40 * 4);
		memcpy(words + 40, table, sizeof(table));
		memcpy(words + 43, simple + 40, 17 * 4);
		memcpy(words + 60, row, sizeof(row));
		memcpy(words + 63, simple + 57, sizeof(simple) - 57 * 4);
		words[14] += 24;
		words[20]++;
		CHECK_INT(image_open(words, sizeof(words) / 4, 0, &error), *cases[i].want ? PTOWSP_BAD_PACKAGE : 0);
		CHECK_STR(error.text, cases[i].want);
	}
}

/* The condition of the small binary under so many signs. */
TEST(scalars_of_binaries_nest_1024_deep)
{
	for (uint32_t signs = 1023; signs <= 1024; signs++) {
		static uint32_t words[sizeof(simple) / 4 + 1024 * 6];
		struct ptowsp_error error;

		memcpy(words, simple, 57 * 4);
		for (uint32_t i = 1; i <= signs; i++) {
			uint32_t *node = words + 51 + 6 * i;

			memset(node, 0, 24);
			node[0] = PTOWSP_EXPR_NEG;
			node[1] = i - 1;
		}
		memcpy(words + 57 + 6 * signs, simple + 57, sizeof(simple) - 57 * 4);
		words[14] += 24 * signs;
		words[39] += signs;
		words[45] = signs;
		CHECK_INT(image_open(words, sizeof(simple) / 4 + 6 * signs, 0, &error), signs < 1024 ? 0 : PTOWSP_BAD_PACKAGE);
		CHECK_STR(error.text, signs < 1024 ? "" : "new package: GRPH[0].node[1024]: the scalar nests deeper than 1024");
	}
}

TEST(several_binaries_lie_one_behind_the_other)
{
	uint32_t words[2 * sizeof(simple) / 4];
	struct ptowsp_error error;

	memcpy(words, simple, sizeof(simple));
	memcpy(words + sizeof(simple) / 4, simple, sizeof(simple));
	CHECK_INT(image_open(words, sizeof(words) / 4, 0, &error), 0);
	words[sizeof(simple) / 4] = 0;
	CHECK_INT(image_open(words, sizeof(words) / 4, 0, &error), PTOWSP_BAD_PACKAGE);
	CHECK_CONTAINS(error.text, "GRPH[1] does not begin with PTOG");
}

/* Rows with more operands than this build knows are cut, shorter ones are filled up. */
TEST(longer_rows_are_cut_and_missing_operands_have_their_default)
{
	static const uint32_t words[] = {PTOWSP_GRAPH_MAGIC,
					 10,
					 1,
					 0,
					 0,
					 0,
					 1,
					 1,
					 1,
					 0,
					 0,
					 UINT32_MAX,
					 0,
					 0,
					 140,
					 0,
					 0,
					 0,
					 3,
					 0,
					 4,
					 0,
					 1,
					 8,
					 1,
					 2,
					 4,
					 1,
					 0x60,
					 12,
					 1,
					 0x103,
					 12,
					 4,
					 /* TG_BEGIN and more */ 6,
					 77,
					 /* TG_END */ 6,
					 /* CA_REQUEST */ 0,
					 5,
					 6,
					 /* order */ 1,
					 0,
					 0,
					 3,
					 0,
					 0,
					 0x60,
					 0,
					 0,
					 2,
					 0,
					 0};
	uint32_t copy[sizeof(words) / 4];
	struct ptowsp_error error = {.text = ""};
	struct pkg *package;
	char *text;

	memcpy(copy, words, sizeof(words));
	copy[14] = sizeof(words) - 18 * 4;
	REQUIRE_INT(graph_open(&package, copy, sizeof(copy), &error), 0);
	text = source_graphs(pkg_tables(package));
	CHECK_STR(text, "graph @n {\n  TG_BEGIN(6)\n    TG_KERNEL(0, k, 1, AIV, 0)\n    CA_REQUEST(0, 5, 6)\n  TG_END(6)\n}\n");
	free(text);
	pkg_close(package);
}

/* `count` binaries of nothing but a header. */
TEST(as_many_binaries_as_there_may_be)
{
	static const uint32_t empty[] = {PTOWSP_GRAPH_MAGIC, 10, 0, 0, 0, UINT32_MAX, 0, 0, 16, 0, 0, 0, /* name, device, tables, 0 */ 0, 0, 0, 0};
	uint8_t *bytes = malloc(4097 * sizeof(empty));
	struct ptowsp_error error;

	REQUIRE(bytes != NULL);
	for (size_t i = 0; i < 4097; i++)
		memcpy(bytes + i * sizeof(empty), empty, sizeof(empty));
	CHECK_INT(image_open((const void *)bytes, 0, 4096 * sizeof(empty), &error), 0);
	CHECK_STR(error.text, "");
	CHECK_INT(image_open((const void *)bytes, 0, 4097 * sizeof(empty), &error), PTOWSP_BAD_PACKAGE);
	CHECK_CONTAINS(error.text, "GRPH has more than 4096 binaries");
	free(bytes);
}

/* The order has room for 2^20 fences and ends; one more is too many. */
TEST(as_many_instructions_as_there_may_be)
{
	enum { MOST = 1 << 20 };
	/* MC_FENCE with a table of one-word rows, ORDER behind it. */
	static const uint32_t head[] = {PTOWSP_GRAPH_MAGIC, 10, 0, 0, 0, UINT32_MAX, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, PTOWSP_MC_FENCE, 4, 0, 0x103, 8, 0};
	uint32_t *words = calloc((size_t)MOST * 3 + 64, 4);
	struct ptowsp_error error;

	REQUIRE(words != NULL);
	for (uint32_t count = MOST; count < MOST + 2; count++) {
		size_t size = sizeof(head) + (size_t)count * 12;

		memcpy(words, head, sizeof(head));
		words[8] = (uint32_t)(size - 12 * 4);
		words[18] = words[21] = count;
		memset(words + 22, 0, (size_t)count * 4);
		for (uint32_t i = 0; i < count; i++) {
			words[22 + count + 2 * i] = PTOWSP_MC_FENCE;
			words[22 + count + 2 * i + 1] = i;
		}
		CHECK_INT(image_open(words, 0, size, &error), count > MOST ? PTOWSP_BAD_PACKAGE : 0);
		if (count > MOST)
			CHECK_CONTAINS(error.text, "GRPH[0] has more than 1048576 instructions");
		else
			CHECK_STR(error.text, "");
	}
	free(words);
}

/* Without an order a graph is put around: 2^20 less TG_BEGIN and TG_END. */
TEST(as_many_rows_of_the_original_format_as_there_may_be)
{
	enum { MOST = (1 << 20) - 2 };
	uint32_t *words = calloc((size_t)MOST * 5 + 64, 4);
	struct ptowsp_error error;

	REQUIRE(words != NULL);
	words[0] = PTOWSP_GRAPH_MAGIC;
	words[1] = 1;
	for (uint32_t count = MOST; count < MOST + 2; count++) {
		words[4] = count;
		for (uint32_t i = 0; i < count; i++) {
			words[5 + 5 * i] = i; /* MC_ALLOC: tensor, size, alignment, location */
			words[5 + 5 * i + 1] = 64;
			words[5 + 5 * i + 3] = 64;
		}
		CHECK_INT(image_open(words, 0, 20 + (size_t)count * 20, &error), count > MOST ? PTOWSP_BAD_PACKAGE : 0);
		if (count > MOST)
			CHECK_CONTAINS(error.text, "GRPH[0] has more than 1048576 instructions");
		else
			CHECK_STR(error.text, "");
	}
	free(words);
}

/* Random damage: refused, or shown in every way. */
TEST(damaged_binaries_are_refused_or_readable)
{
	struct source s;
	char *text = check_read(check_fmt("%s/tests/graphs/every.pto", check_root()), NULL), *printed;
	uint32_t seed = 12345;
	uint8_t *bytes;
	struct pkg_tables tables;
	const struct pkg_place place = {"test", NULL};
	unsigned good = 0;

	REQUIRE(text != NULL);
	s = source_compile(text);
	REQUIRE(s.package != NULL);
	bytes = malloc((size_t)s.t->graph_size);
	for (int round = 0; round < 20000; round++) {
		struct pkg_graphs graphs;

		memcpy(bytes, s.t->graph, (size_t)s.t->graph_size);
		for (int i = 0; i < 1 + round % 3; i++) {
			seed = seed * 1664525u + 1013904223u;
			bytes[(seed >> 8) % s.t->graph_size] = (uint8_t)(round & 1 ? seed >> 3 : (seed >> 3) % 9);
		}
		tables = *s.t;
		tables.graph = bytes;
		if (!pkg_graphs_read(&graphs, &tables, &place)) {
			printed = source_graphs(&tables);
			good += printed != NULL;
			free(printed);
		}
		pkg_graphs_finish(&graphs);
	}
	CHECK(good > 100);
	free(bytes);
	free(text);
	source_free(&s);
}
