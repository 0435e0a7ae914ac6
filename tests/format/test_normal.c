/* SPDX-License-Identifier: MIT */
/* test_normal.c - the EXPR table in the order of its use. */
#include "format/writer.h"
#include "ptowsp/workload.h"
#include "tests/check.h"

/* Appends 10 (nobody's), 20, 30, 20 + 30 as rows 0 to 3. */
static struct pkg_writer *writer_of_four(void)
{
	const struct ptowsp_expr_record rows[] = {{.op = PTOWSP_EXPR_CONST, .b = 10},
						  {.op = PTOWSP_EXPR_CONST, .b = 20},
						  {.op = PTOWSP_EXPR_CONST, .b = 30},
						  {.op = PTOWSP_EXPR_ADD, .a = 1, .b = 2}};
	struct pkg_writer *writer = pkg_writer_create();

	REQUIRE(writer != NULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		pkg_writer_row(writer, PTOWSP_SECTION_EXPR, &rows[i], sizeof(rows[i]));
	return writer;
}

static void axis_add(struct pkg_writer *writer, uint32_t low, uint32_t high, uint32_t step)
{
	const struct ptowsp_axis_record axis = {
		.low = low, .high = high, .step = step, .levels = PTOWSP_NONE, .row = PTOWSP_NONE, .lengths = PTOWSP_NONE, .indices = PTOWSP_NONE};

	pkg_writer_row(writer, PTOWSP_SECTION_AXES, &axis, sizeof(axis));
}

static void axis_is(struct pkg_writer *writer, uint32_t row, uint32_t low, uint32_t high, uint32_t step)
{
	const struct ptowsp_axis_record *axis = pkg_writer_at(writer, PTOWSP_SECTION_AXES, row);

	CHECK_UINT(axis->low, low);
	CHECK_UINT(axis->high, high);
	CHECK_UINT(axis->step, step);
}

TEST(expressions_are_numbered_by_their_first_use_and_others_left_out)
{
	struct pkg_writer *writer = writer_of_four();
	const struct ptowsp_expr_record *rows;

	axis_add(writer, 2, 3, 2);
	axis_add(writer, 1, 3, 2);
	CHECK_INT(pkg_writer_normalise(writer, NULL), PTOWSP_OK);
	REQUIRE_UINT(pkg_writer_count(writer, PTOWSP_SECTION_EXPR), 3);
	rows = pkg_writer_at(writer, PTOWSP_SECTION_EXPR, 0);
	CHECK_UINT(rows[0].b, 30);
	CHECK_UINT(rows[1].b, 20);
	CHECK_UINT(rows[2].op, PTOWSP_EXPR_ADD);
	CHECK_UINT(rows[2].a, 1);
	CHECK_UINT(rows[2].b, 0);
	axis_is(writer, 0, 0, 2, 0);
	axis_is(writer, 1, 1, 2, 0);
	pkg_writer_destroy(writer);
}

/* A wrong row is left for the verifier, and nothing else is changed: from the first row behind the table on. */
TEST(a_table_with_a_reference_behind_its_end_is_left_alone)
{
	static const uint32_t wrong[] = {4, 5, 1000, PTOWSP_NONE};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct pkg_writer *writer = writer_of_four();

		axis_add(writer, 2, 3, 2);
		axis_add(writer, 1, wrong[i], 2);
		CHECK_INT(pkg_writer_normalise(writer, NULL), PTOWSP_OK);
		CHECK_UINT(pkg_writer_count(writer, PTOWSP_SECTION_EXPR), 4);
		axis_is(writer, 0, 2, 3, 2);
		axis_is(writer, 1, 1, wrong[i], 2);
		pkg_writer_destroy(writer);
	}
}

TEST(a_table_whose_rows_are_made_of_later_ones_is_left_alone)
{
	static const uint32_t wrong[] = {4, 5, PTOWSP_NONE}; /* itself, behind it */

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct pkg_writer *writer = writer_of_four();
		const struct ptowsp_expr_record row = {.op = PTOWSP_EXPR_ADD, .a = 1, .b = wrong[i]};

		pkg_writer_row(writer, PTOWSP_SECTION_EXPR, &row, sizeof(row));
		axis_add(writer, 2, 4, 2);
		CHECK_INT(pkg_writer_normalise(writer, NULL), PTOWSP_OK);
		CHECK_UINT(pkg_writer_count(writer, PTOWSP_SECTION_EXPR), 5);
		axis_is(writer, 0, 2, 4, 2);
		pkg_writer_destroy(writer);
	}
}
