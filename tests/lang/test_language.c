/* SPDX-License-Identifier: MIT
 * test_language.c - the pages of the language (packages/LANGUAGE.md) say what the code does: their blocks pack, their lists are complete. */
#include "isa/isa.h"
#include "tests/check.h"
#include "tests/lang/source.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *page;

static void page_read(void)
{
	if (!page)
		page = source_pages();
	REQUIRE(page != NULL);
}

static struct source block_compile(const char *text)
{
	return source_compile_as("test.pto", text, strlen(text), &source_with_files);
}

TEST(every_block_of_the_pages_packs_without_a_word)
{
	const char *at;
	char *text;
	int count = 0;

	page_read();
	for (at = page; (text = source_block(&at)); count++) {
		struct source s = block_compile(text);

		if (s.status || *s.messages)
			CHECK_FAIL("block %d: %s", count, s.messages);
		source_free(&s);
		free(text);
	}
	CHECK(count >= 31);
}

/* Marks the opcodes of all kernels. */
static void opcodes_mark(const struct source *s, uint8_t seen[256])
{
	for (uint32_t k = 0; k < s->t->payload_count; k++) {
		const struct ptowsp_tile_header *header = (const void *)(s->t->code + s->t->payload[k].offset);
		const struct ptowsp_tile_inst *insts;
		size_t skip;

		if (s->t->payload[k].kind != PTOWSP_PAYLOAD_PTO)
			continue;
		skip = sizeof(*header) + header->param_count * sizeof(struct ptowsp_tile_param) + header->tile_count * sizeof(struct ptowsp_tile_tile) +
		       header->scalar_count * sizeof(struct ptowsp_tile_scalar);
		insts = (const void *)((const char *)header + skip);
		for (uint32_t i = 0; i < header->inst_count; i++)
			seen[insts[i].op] = 1;
	}
}

TEST(the_pages_have_an_example_of_every_opcode)
{
	uint8_t seen[256] = {[PTOWSP_PTO_CALL] = 1}; /* expanded, so never in a package */
	const char *at;
	char *text;

	page_read();
	for (at = page; (text = source_block(&at));) {
		struct source s = block_compile(text);

		if (s.t)
			opcodes_mark(&s, seen);
		source_free(&s);
		free(text);
	}
	for (unsigned op = 0; op < 256; op++)
		if (isa_op(op) && !seen[op])
			CHECK_FAIL("no block uses %s", isa_op(op)->mnemonic);
}

TEST(the_pages_name_every_opcode_mode_and_type)
{
	static const char *const words[] = {
#define X(op, attribute, word, mode) word,
#include "lang/modes.def"
#undef X
#define X(name, code, bytes, cls, text, descr) text,
#include "ptowsp/dtype.def"
#undef X
#define X(name, code, text) text,
#include "ptowsp/space.def"
#undef X
	};

	page_read();
	for (unsigned op = 0; op < 256; op++)
		if (isa_op(op) && !strstr(page, isa_op(op)->mnemonic))
			CHECK_FAIL("%s is on no page", isa_op(op)->mnemonic);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strstr(page, words[i]))
			CHECK_FAIL("%s is on no page", words[i]);
}

/* 1 if the word stands in some block with a blank behind it or at the end of its line. */
static bool in_some_block(const char *word)
{
	const char *next = page;
	size_t length = strlen(word);
	char *text;

	while ((text = source_block(&next))) {
		for (const char *at = text; (at = strstr(at, word)); at += length)
			if (strchr(" \n", at[length]) && (at == text || strchr(" \n{", at[-1]))) {
				free(text);
				return true;
			}
		free(text);
	}
	return false;
}

TEST(the_pages_have_an_example_of_every_declaration_and_statement)
{
	static const char *const words[] = {
#define X(word, KIND, sign, section, parse, check, write, code) word,
#include "lang/decls.def"
#undef X
#define X(word, opcode, parse, check, lower) word,
#include "lang/works.def"
#undef X
	};

	page_read();
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!in_some_block(words[i]))
			CHECK_FAIL("no block uses %s", words[i]);
}

TEST(examples_pack_without_a_word)
{
	static const char *const names[] = {"vector_add", "softmax", "matmul", "llama_layer"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t size = 0;
		char *text = check_read(check_fmt("%s/packages/examples/%s.pto", check_root(), names[i]), &size);
		struct source s;

		REQUIRE(text != NULL);
		s = source_compile_as(check_fmt("%s.pto", names[i]), text, size, NULL);
		CHECK_STR(s.messages, "");
		if (s.t && i == 3) /* the program of a workload of any length is kilobytes */
			CHECK(s.t->raw_work_size + s.t->axis_count * sizeof(*s.t->axis) < 2048 && s.size < 24 << 10);
		source_free(&s);
		free(text);
	}
}
