/* SPDX-License-Identifier: MIT
 * test_common_names.c - names that are taken: a number behind each that came before, in sets of either kind, and many that are one. */
#include "tests/check.h"

#include <stdio.h>
#include <string.h>

#include "registry/common/common_names.h"

static const char *chosen(struct common_names *names, const char *name)
{
	static char text[64];

	snprintf(text, sizeof(text), "%s", name);
	return common_names_choose(names, text, sizeof(text), "_") ? text : "no memory";
}

TEST(an_empty_set_has_nothing)
{
	struct common_names names = {0};

	CHECK(!common_names_find(&names, ""));
	CHECK(!common_names_find(&names, "a"));
	common_names_finish(&names);
}

TEST(the_first_keeps_its_name_and_others_get_numbers)
{
	struct common_names names = {0};

	CHECK_STR(chosen(&names, "a"), "a");
	CHECK_STR(chosen(&names, "a"), "a_2");
	CHECK_STR(chosen(&names, "a_2"), "a_2_2");
	CHECK_STR(chosen(&names, "a"), "a_3");
	CHECK_STR(chosen(&names, "A"), "A");
	CHECK_STR(chosen(&names, ""), "");
	CHECK_STR(chosen(&names, ""), "_2");
	CHECK(common_names_add(&names, "a_4"));
	CHECK(common_names_add(&names, "a_4"));
	CHECK_STR(chosen(&names, "a"), "a_5");
	CHECK_UINT(names.count, 9);
	CHECK_STR(names.rows[3].text, "a_3");
	common_names_finish(&names);
	CHECK_UINT(names.count, 0);
}

TEST(letters_of_either_case_may_be_one)
{
	struct common_names names = {.any_case = true};

	CHECK_STR(chosen(&names, "Add"), "Add");
	CHECK_STR(chosen(&names, "aDD"), "aDD_2");
	CHECK(common_names_find(&names, "ADD_2"));
	CHECK(!common_names_find(&names, "ADD_3"));
	common_names_finish(&names);
}

/* A number that began at 2 for each would take 2 * 10^10 steps. */
TEST(many_of_one_name_take_a_step_each)
{
	struct common_names names = {0};

	for (unsigned i = 0; i < 200000; i++)
		chosen(&names, "same");
	CHECK_UINT(names.count, 200000);
	CHECK_STR(names.rows[199999].text, "same_200000");
	common_names_finish(&names);
}
