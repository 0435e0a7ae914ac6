/* SPDX-License-Identifier: MIT
 * test_isa_shape.c - the opcode table and the shape rules with their sentences. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "tests/check.h"

/* "8x8 8x1 > 8x8": sources > destinations. why NULL: accepted. */
static const struct row {
	unsigned op;
	const char *shapes, *why;
} rows[] = {
	{PTOWSP_PTO_TLOAD, "> 8x8", NULL},
	{PTOWSP_PTO_TDIV, "8x8 8x8 > 8x8", NULL},
	{PTOWSP_PTO_TDIV, "8x8 8x1 > 8x8", "tdiv needs equal shapes, got 8x8 and 8x1"},
	{PTOWSP_PTO_TADD, "8x8 8x8 > 8x1", "tadd needs equal shapes, got 8x8 and 8x8 -> 8x1"},
	{PTOWSP_PTO_TADDC, "8x8 8x8 1x64 > 8x8", "taddc needs equal shapes, got 8x8, 8x8 and 1x64"},
	{PTOWSP_PTO_TEXP, "8x4 > 4x8", "texp needs equal shapes, got 8x4 -> 4x8"},
	{PTOWSP_PTO_TCMP, "2x3 2x3 > 2x3", NULL},
	{PTOWSP_PTO_TCMP, "2x3 2x3 > 3x2", "tcmp needs equal shapes, got 2x3 and 2x3 -> 3x2"},
	{PTOWSP_PTO_TSEL, "2x2 2x3 2x3 > 2x3", "tsel needs equal shapes, got 2x2, 2x3 and 2x3"},
	{PTOWSP_PTO_TMATMUL, "64x128 128x32 > 64x32", NULL},
	{PTOWSP_PTO_TMATMUL, "64x128 64x128 > 64x64", "tmatmul 64x64 <- 64x128, 64x128: the second operand needs 128 rows"},
	{PTOWSP_PTO_TMATMUL, "64x128 128x32 > 64x64", "tmatmul 64x64 <- 64x128, 128x32: the result needs 64x32"},
	{PTOWSP_PTO_TMATMUL_ACC, "4x2 4x3 3x2 > 4x2", NULL},
	{PTOWSP_PTO_TMATMUL_ACC, "4x4 4x3 3x2 > 4x2", "tmatmul.acc 4x2 <- 4x3, 3x2: the accumulator needs 4x2"},
	{PTOWSP_PTO_TMATMUL_BIAS, "4x3 3x2 1x2 > 4x2", NULL},
	{PTOWSP_PTO_TMATMUL_BIAS, "4x3 3x2 4x2 > 4x2", "tmatmul.bias 4x2 <- 4x3, 3x2: the bias needs 1x2"},
	{PTOWSP_PTO_TMATMUL_MX, "4x64 4x2 64x8 2x8 > 4x8", NULL},
	{PTOWSP_PTO_TMATMUL_MX, "4x64 4x3 64x8 2x8 > 4x8", "tmatmul.mx: the first scale of 4x64 needs 4 rows and a divisor of 64 as columns, got 4x3"},
	{PTOWSP_PTO_TMATMUL_MX, "4x64 4x2 64x8 2x4 > 4x8", "tmatmul.mx: the second scale of 64x8 needs 8 columns and a divisor of 64 as rows, got 2x4"},
	{PTOWSP_PTO_TROWSUM, "8x16 > 8x1", NULL},
	{PTOWSP_PTO_TROWSUM, "8x16 > 8x8", "trowsum of 8x16 needs a result of 8x1, got 8x8"},
	{PTOWSP_PTO_TCOLSUM, "8x16 > 1x16", NULL},
	{PTOWSP_PTO_TCOLSUM, "8x1 > 1x1", NULL},
	{PTOWSP_PTO_TCOLMAX, "8x1 > 8x1", "tcolmax of 8x1 needs a result of 1x1, got 8x1"},
	{PTOWSP_PTO_TEXPANDS, "> 3x5", NULL},
	{PTOWSP_PTO_TROWEXPAND, "8x1 > 8x9", NULL},
	{PTOWSP_PTO_TROWEXPAND, "1x9 > 8x9", "trowexpand to 8x9 needs a source of 8x1, got 1x9"},
	{PTOWSP_PTO_TCOLEXPAND, "1x9 > 8x9", NULL},
	{PTOWSP_PTO_TCOLEXPAND, "8x1 > 8x9", "tcolexpand to 8x9 needs a source of 1x9, got 8x1"},
	{PTOWSP_PTO_TROWEXPANDSUB, "8x9 8x1 > 8x9", NULL},
	{PTOWSP_PTO_TROWEXPANDSUB, "8x9 1x9 > 8x9", "trowexpandsub of 8x9 needs a second operand of 8x1, got 1x9"},
	{PTOWSP_PTO_TROWEXPANDDIV, "8x9 8x1 > 8x8", "trowexpanddiv of 8x9 needs a result of 8x9, got 8x8"},
	{PTOWSP_PTO_TTRANS, "8x9 > 9x8", NULL},
	{PTOWSP_PTO_TTRANS, "8x9 > 8x9", "ttrans of 8x9 needs a result of 9x8, got 8x9"},
	{PTOWSP_PTO_TRESHAPE, "8x9 > 1x72", NULL},
	{PTOWSP_PTO_TRESHAPE, "8x9 > 8x8", "treshape keeps the number of elements: 8x9 has 72, 8x8 has 64"},
	{PTOWSP_PTO_TEXTRACT, "8x9 > 2x9", NULL},
	{PTOWSP_PTO_TEXTRACT, "8x9 > 9x2", "textract cannot take 9x2 out of 8x9"},
	{PTOWSP_PTO_TGATHER, "1x100 4x4 > 4x4", NULL},
	{PTOWSP_PTO_TGATHER, "1x100 4x4 > 4x5", "tgather to 4x5 needs as many indices, got 4x4"},
	{PTOWSP_PTO_TSCATTER, "4x5 4x5 > 9x5", NULL},
	{PTOWSP_PTO_TSCATTER, "4x5 4x4 > 9x5", "tscatter needs equal shapes, got 4x5 and 4x4"},
	{PTOWSP_PTO_TSCATTER, "4x5 4x5 > 9x4", "tscatter of 4x5 needs a result of 5 columns, got 9x4"},
	{PTOWSP_PTO_TMOV_FP, "4x5 1x5 > 4x5", NULL},
	{PTOWSP_PTO_TMOV_FP, "4x5 4x5 > 4x5", "tmov.fp of 4x5 needs a scale of 1x5, got 4x5"},
	{PTOWSP_PTO_TMOV, "4x5 > 5x4", "tmov needs equal shapes, got 4x5 -> 5x4"},
	{PTOWSP_PTO_TSTORE_FP, "4x5 1x5 >", NULL},
	{PTOWSP_PTO_TSTORE_FP, "4x5 1x4 >", "tstore.fp of 4x5 needs a scale of 1x5, got 1x4"},
	{PTOWSP_PTO_TSORT32, "4x5 > 4x5 4x5", NULL},
	{PTOWSP_PTO_TSORT32, "4x5 > 4x5 5x4", "tsort32 needs equal shapes, got 4x5 -> 4x5 and 5x4"},
	{PTOWSP_PTO_TMRGSORT, "4x5 1x7 > 3x9", NULL},
	{PTOWSP_PTO_TMRGSORT, "4x5 1x7 > 7x4", "tmrgsort has 27 elements to merge, the result of 7x4 takes more"},
	{PTOWSP_PTO_TADD, "8x8 > 8x8", "tadd writes 1 and reads 2 tiles, got 1 and 1"},
	{0xEE, ">", "there is no opcode 0xEE"},
};

static void row_check(const struct row *r)
{
	struct ptowsp_tile_tile tiles[8];
	const struct ptowsp_tile_tile *dst[8], *src[8];
	unsigned count = 0, dst_count = 0, src_count = 0;
	char text[160] = "untouched";
	bool right = false;
	ptowsp_status status;

	memset(tiles, 0, sizeof(tiles));
	for (const char *p = r->shapes; *p; p += strcspn(p, " "), p += strspn(p, " ")) {
		if (*p == '>') {
			right = true;
			continue;
		}
		if (sscanf(p, "%ux%u", &tiles[count].rows, &tiles[count].columns) != 2)
			abort();
		if (right)
			dst[dst_count++] = &tiles[count++];
		else
			src[src_count++] = &tiles[count++];
	}
	status = isa_shape_check(r->op, dst, dst_count, src, src_count, text, sizeof(text));
	CHECK_INT(status, r->why ? PTOWSP_INVALID : PTOWSP_OK);
	CHECK_STR(text, r->why ? r->why : "untouched");
}

TEST(shape_rules_accept_and_say_why_not)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		row_check(&rows[i]);
}

TEST(opcode_table_has_a_hundred_and_four_rows)
{
	unsigned count = 0;

	for (unsigned i = 0; i < 300; i++)
		count += isa_op(i) != NULL;
	CHECK_UINT(count, 104);
	CHECK(isa_op(0) == NULL);
	CHECK(isa_op(UINT32_MAX) == NULL);
	CHECK_STR(isa_op(PTOWSP_PTO_TMATMUL_ACC)->mnemonic, "tmatmul.acc");
	CHECK_STR(isa_op(PTOWSP_PTO_TSTORE)->operands, "tMss");
}

TEST(every_mnemonic_finds_its_opcode)
{
	for (unsigned i = 0; i < 256; i++)
		if (isa_op(i))
			CHECK_INT(isa_op_find(isa_op(i)->mnemonic, strlen(isa_op(i)->mnemonic)), i);
	CHECK_INT(isa_op_find("tadds", 4), PTOWSP_PTO_TADD);
	CHECK_INT(isa_op_find("TADD", 4), -1);
	CHECK_INT(isa_op_find("tad", 3), -1);
	CHECK_INT(isa_op_find("", 0), -1);
}

TEST(scalar_opcodes_have_a_second_spelling)
{
	static const char *const words[] = {"SADD", "ADD", "SSUB", "SUB", "SMUL", "MUL", "SDIV", "DIV", "SMOV", "MOV", "SLI", "LI", "SCMP", "CMP"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i += 2)
		CHECK_INT(isa_op_find(words[i], strlen(words[i])), isa_op_find(words[i + 1], strlen(words[i + 1])));
	CHECK_INT(isa_op_find("SLOAD", 5), -1);
}

/* One letter of a type for each operand, and keys wherever something works on tiles. */
TEST(every_row_has_types_for_its_operands)
{
	for (unsigned i = 0; i < 256; i++)
		if (isa_op(i)) {
			CHECK_UINT(strlen(isa_op(i)->types), strlen(isa_op(i)->operands));
			CHECK_UINT(strspn(isa_op(i)->types, "krmivcnx-"), strlen(isa_op(i)->types));
			CHECK_UINT(strspn(isa_op(i)->keys, "fib"), strlen(isa_op(i)->keys));
			CHECK(!strchr(isa_op(i)->types, 'k') || *isa_op(i)->keys);
		}
}
