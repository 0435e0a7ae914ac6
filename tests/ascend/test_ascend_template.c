/* SPDX-License-Identifier: MIT
 * test_ascend_template.c - templates that are filled, names as identifiers, texts in comments and strings; random ones. PTOWSP_SEED=n repeats a trial. */
#include "tests/check.h"
#include "tests/draw.h"

#include "ascend/emit/name.h"
#include "ascend/emit/template.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct ascend_field outer[] = {{"name", "softmax"}, {"empty", ""}, {"hole", "${name}"}};
static const struct ascend_field row_fields[][2] = {{{"name", "add"}, {"id", "0"}}, {{"name", "mul"}, {"id", "1"}}};
static const struct ascend_list inner_lists[] = {{"nothing", NULL, 0}};
static const struct ascend_scope rows[] = {{row_fields[0], inner_lists, 2, 1}, {row_fields[1], NULL, 2, 0}};
static const struct ascend_list lists[] = {{"kernels", rows, 2}, {"nothing", NULL, 0}};
static const struct ascend_scope scope = {outer, lists, 3, 2};

static void filled_check(const char *template, const char *wanted)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct common_text out = {0};

	if (ascend_template_fill(template, "t.in", &scope, &out, &error))
		CHECK_FAIL("%s", error.text);
	CHECK_STR(common_text_view(&out), wanted);
	common_text_finish(&out);
}

static void refused_check(const char *template, const char *sentence)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct common_text out = {0};

	CHECK_INT(ascend_template_fill(template, "t.in", &scope, &out, &error), PTOWSP_INVALID);
	CHECK_STR(error.text, sentence);
	common_text_finish(&out);
}

TEST(text_without_holes_is_copied)
{
	filled_check("", "");
	filled_check("a { $b } $ // % end\n\n\tc", "a { $b } $ // % end\n\n\tc");
	filled_check("100%\n% if\n", "100%\n% if\n");
}

TEST(holes_take_fields)
{
	filled_check("${name}_orchestrate(${name});${empty}\n", "softmax_orchestrate(softmax);\n");
	filled_check("$${HOME} ${name}", "${HOME} softmax");
}

TEST(what_is_put_in_is_not_looked_at_again)
{
	filled_check("${hole}", "${name}");
}

TEST(lists_repeat_their_lines)
{
	filled_check("{\n//%each kernels\n\tX(${id}, ${name})\n//%end\n}\n", "{\n\tX(0, add)\n\tX(1, mul)\n}\n");
	filled_check("\t#%each nothing\nx\n\t#%end\ny", "y");
}

TEST(blocks_nest_and_look_outwards)
{
	filled_check("//%each kernels\n//%each kernels\n${name}\n//%end\n//%if nothing\nno\n//%else\n=${empty}\n//%end\n//%end\n",
		     "add\nmul\n=\nadd\nmul\n=\n");
}

TEST(conditions_ask_fields_and_lists)
{
	filled_check("//%if name\na\n//%else\nb\n//%end\n//%if empty\na\n//%else\nb\n//%end\n//%if kernels\nc\n//%end\n//%if nothing\nd\n//%end\n",
		     "a\nb\nc\n");
}

TEST(mistakes_of_templates_are_named_with_their_lines)
{
	refused_check("a\n${nome}\n", "template t.in, line 2: there is no field nome");
	refused_check("${name", "template t.in, line 1: a } is missing behind ${name");
	refused_check("\n\n//%each kernel\n//%end\n", "template t.in, line 3: there is no list kernel");
	refused_check("//%if what\n//%end\n", "template t.in, line 1: there is no field or list what");
	refused_check("//%if name\n", "template t.in, line 1: no end of the block of name");
	refused_check("a\n//%end\n", "template t.in, line 2: nothing is open that could end here");
	refused_check("//%else\n", "template t.in, line 1: nothing is open that could end here");
}

TEST(blocks_nest_sixteen_deep)
{
	char text[1024] = "";

	for (int i = 0; i < 16; i++)
		strcat(text, "//%if name\n");
	strcat(text, "x\n");
	for (int i = 0; i < 16; i++)
		strcat(text, "//%end\n");
	filled_check(text, "x\n");
	memmove(text + 11, text, strlen(text) + 1);
	strcat(text, "//%end\n");
	refused_check(text, "template t.in, line 17: blocks nest too deep at name");
}

/* ---- random templates: a second reading of them that goes piece by piece -------------------------------------------------- */

static uint64_t state;

static unsigned below(unsigned n)
{
	return (unsigned)draw(&state, n);
}

/* A template and what it becomes, made side by side. in: which row of kernels is innermost, -1 none. */
struct pair {
	struct common_text template, wanted[3]; /* without a row, in row 0, in row 1 */
};

static void line_random(struct pair *p)
{
	static const char *const plain[] = {"x", "$", "{", "}", "//", "% each", "\t", "#", "$ {", "end"};

	for (unsigned n = below(5); n > 0; n--) {
		const char *piece = plain[below(10)];
		const unsigned kind = below(3);

		if (kind == 0) {
			common_text_add(&p->template, "${name}");
			for (int r = 0; r < 3; r++)
				common_text_add(&p->wanted[r], "%s", r ? row_fields[r - 1][0].text : "softmax");
		} else if (kind == 1) {
			common_text_add(&p->template, ".$${q}");
			for (int r = 0; r < 3; r++)
				common_text_add(&p->wanted[r], ".${q}");
		} else {
			common_text_add(&p->template, "%s ", piece);
			for (int r = 0; r < 3; r++)
				common_text_add(&p->wanted[r], "%s ", piece);
		}
	}
	common_text_add(&p->template, "\n");
	for (int r = 0; r < 3; r++)
		common_text_add(&p->wanted[r], "\n");
}

static void lines_random(struct pair *p, unsigned depth);

static void block_random(struct pair *p, unsigned depth)
{
	const bool each = below(2);
	const char *list = below(3) ? "kernels" : "nothing";
	struct pair body = {0};

	lines_random(&body, depth + 1);
	common_text_add(&p->template, "%s//%%%s %s\n%s//%%end\n", below(2) ? "\t" : "", each ? "each" : "if", list, common_text_view(&body.template));
	for (int r = 0; r < 3 && *list == 'k'; r++)
		for (int k = 0; k < (each ? 2 : 1); k++)
			common_text_add(&p->wanted[r], "%s", common_text_view(&body.wanted[each ? k + 1 : r]));
	common_text_finish(&body.template);
	for (int r = 0; r < 3; r++)
		common_text_finish(&body.wanted[r]);
}

static void lines_random(struct pair *p, unsigned depth)
{
	for (unsigned n = below(4); n > 0; n--)
		if (depth < 5 && below(2))
			block_random(p, depth);
		else
			line_random(p);
}

TEST(random_templates_become_what_is_wanted)
{
	const char *seed = getenv("PTOWSP_SEED");
	const uint64_t from = seed ? strtoull(seed, NULL, 0) : (uint64_t)time(NULL) << 16;

	for (uint64_t trial = from; trial < from + (seed ? 1 : 2000); trial++) {
		struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
		struct common_text out = {0};
		struct pair p = {0};

		state = trial;
		lines_random(&p, 0);
		if (ascend_template_fill(common_text_view(&p.template), "random", &scope, &out, &error) ||
		    strcmp(common_text_view(&out), common_text_view(&p.wanted[0])) != 0)
			CHECK_FAIL("PTOWSP_SEED=%llu: %s\n%s\nbecame\n%s", (unsigned long long)trial, error.text, common_text_view(&p.template),
				   common_text_view(&out));
		common_text_finish(&out);
		common_text_finish(&p.template);
		for (int r = 0; r < 3; r++)
			common_text_finish(&p.wanted[r]);
	}
}

/* Any bytes: filled or refused with a sentence, nothing else (the sanitizers look on). */
TEST(random_bytes_do_no_harm)
{
	static const char *const words[] = {"//%", "#%", "each ", "if ", "else", "end", "${", "}", "name", "kernels", "\n", "$", " ", "\t", "x"};

	state = (uint64_t)time(NULL);
	for (int trial = 0; trial < 3000; trial++) {
		struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
		struct common_text template = {0}, out = {0};

		for (unsigned n = below(40); n > 0; n--)
			common_text_add(&template, "%s", words[below(15)]);
		if (ascend_template_fill(common_text_view(&template), "random", &scope, &out, &error))
			CHECK_CONTAINS(error.text, "template random, line ");
		common_text_finish(&template);
		common_text_finish(&out);
	}
}

/* ---- names -------------------------------------------------------------------------------------------------------------------- */

static bool is_identifier(const char *name)
{
	if (!isalpha((unsigned char)*name) || strstr(name, "__"))
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && *name != '_')
			return false;
	return true;
}

TEST(names_become_identifiers)
{
	static const struct {
		const char *name, *wanted;
	} cases[] = {{"add", "add"},        {"llama.x", "llama_x"},
		     {"add", "add_2"},      {"4k", "k4k"},
		     {"for", "for_"},       {"A", "A"},
		     {"ABC", "ABC_"},       {"", "k"},
		     {"a--b", "a_b"},       {"_x", "k_x"},
		     {"size_t", "size_t_"}, {"*/ system(\"rm\"); /*", "k_system_rm_"},
		     {"\xC3\xA4", "k_x_2"}, {"b", "b_"}};
	struct common_names names = {0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		CHECK_STR(ascend_names_add(&names, cases[i].name, 'k'), cases[i].wanted);
	CHECK_STR(ascend_names_add(&names, "TENSOR_x", ASCEND_LOCAL), "tENSOR_x");
	common_names_finish(&names);
}

TEST(random_names_are_identifiers_and_different)
{
	const char *seed = getenv("PTOWSP_SEED");
	const uint64_t from = seed ? strtoull(seed, NULL, 0) : (uint64_t)time(NULL);
	struct common_names names = {0};
	unsigned wrong = 0;
	char name[80];

	state = from;
	for (int i = 0; i < 20000 && wrong < 3; i++) {
		unsigned length = below(4) ? below(3) : below(79);

		for (unsigned k = 0; k < length; k++)
			name[k] = (char)(below(3) ? "ab_.-"[below(5)] : (char)(1 + below(255)));
		name[length] = 0;
		if (is_identifier(ascend_names_add(&names, name, 'k')) && strlen(names.rows[names.count - 1].text) < ASCEND_NAME)
			continue;
		CHECK_FAIL("PTOWSP_SEED=%llu: %s is no identifier", (unsigned long long)from, names.rows[names.count - 1].text);
		wrong++;
	}
	for (uint32_t i = 0; i < names.count; i++) {
		const uint32_t before = names.count;

		CHECK(common_names_add(&names, names.rows[i].text));
		REQUIRE_UINT(names.count, before); /* it was there */
	}
	common_names_finish(&names);
}

TEST(texts_stay_inside_comments_and_strings)
{
	struct common_text text = {0};

	common_text_comment(&text, "a */ b \n c \\ d ?? \x7F");
	CHECK_STR(common_text_view(&text), "a __ b _ c _ d __ _");
	text.length = 0;
	common_text_json(&text, "a\"\\\n\xC3\xA4\xFF");
	CHECK_STR(common_text_view(&text), "\"a\\\"\\\\\\u000a\xC3\xA4?\"");
	common_text_finish(&text);
}
