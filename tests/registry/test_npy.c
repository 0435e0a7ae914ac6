/* SPDX-License-Identifier: MIT */
/* test_npy.c - .npy files in and out, made content, comparison, files that appear whole. */
#include "registry/common/common_dtype.h"
#include "tests/check.h"
#include "tests/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ptowsp/ids.h"
#include "registry/npy.h"
#include "tools/output.h"
#include "tools/run/compare.h"
#include "tools/run/fill.h"
#include "tools/run/run_element.h"

static struct ptowsp_error error;
static unsigned char bytes[4096];

/* A file of the given version, dictionary and data size; its length. */
static size_t make(int version, const char *dictionary, size_t data)
{
	size_t head = version == 1 ? 10 : 12, length = strlen(dictionary);

	memset(bytes, 0, sizeof(bytes));
	memcpy(bytes, "\x93NUMPY", 6);
	bytes[6] = (unsigned char)version;
	bytes[8] = (unsigned char)length;
	bytes[9] = (unsigned char)(length >> 8);
	memcpy(bytes + head, dictionary, length);
	for (size_t i = 0; i < data; i++)
		bytes[head + length + i] = (unsigned char)i;
	return head + length + data;
}

TEST(versions_one_to_three_are_read)
{
	struct npy npy;

	for (int version = 1; version <= 3; version++) {
		size_t size = make(version, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }   \n", 48);

		REQUIRE_INT(npy_parse(&npy, bytes, size, "x.npy", &error), 0);
		CHECK_UINT(npy.rank, 2);
		CHECK_UINT(npy.extents[0], 3);
		CHECK_UINT(npy.extents[1], 4);
		CHECK_UINT(npy.elements, 12);
		CHECK_UINT(npy.dtype, PTOWSP_F32);
		CHECK_UINT(((const unsigned char *)npy.data)[47], 47);
	}
}

TEST(shapes_of_every_rank_are_read)
{
	struct npy npy;

	REQUIRE_INT(npy_parse(&npy, bytes, make(1, "{'descr':'|i1','fortran_order':False,'shape':()}", 1), "x", &error), 0);
	CHECK_UINT(npy.rank, 0);
	CHECK_UINT(npy.elements, 1);
	REQUIRE_INT(npy_parse(&npy, bytes, make(1, "{'shape': (7,), 'fortran_order': False, 'descr': '<u2'}", 14), "x", &error), 0);
	CHECK_UINT(npy.rank, 1);
	CHECK_UINT(npy.dtype, PTOWSP_U16);
	REQUIRE_INT(npy_parse(&npy, bytes, make(1, "{\"descr\":\"|b1\",\"fortran_order\":False,\"shape\":(1,2,3,4)}", 24), "x", &error), 0);
	CHECK_UINT(npy.rank, 4);
	REQUIRE_INT(npy_parse(&npy, bytes, make(1, "{'descr':'<f8','fortran_order':False,'shape':(0,5)}", 0), "x", &error), 0);
	CHECK_UINT(npy.elements, 0);
}

TEST(wrong_files_are_refused_with_the_reason)
{
	static const struct {
		const char *dictionary;
		size_t data;
		const char *why;
	} rows[] = {
		{"{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }", 16, "x.npy: it is in Fortran order; save it with numpy.ascontiguousarray"},
		{"{'descr': '>f4', 'fortran_order': False, 'shape': (2, 2), }", 16,
		 "x.npy: element type '>f4' is not known; little-endian f2, f4, f8, i1 to i8, u1 to u8, b1 and bf16 as V2 are"},
		{"{'descr': '<c8', 'fortran_order': False, 'shape': (2, 2), }", 32,
		 "x.npy: element type '<c8' is not known; little-endian f2, f4, f8, i1 to i8, u1 to u8, b1 and bf16 as V2 are"},
		{"{'descr': '<f4abcdefghijkl', 'fortran_order': False, 'shape': (2, 2), }", 16,
		 "x.npy: element type '<f4abcdefghijkl' is not known; little-endian f2, f4, f8, i1 to i8, u1 to u8, b1 and bf16 as V2 are"},
		{"{'descr': '<f4abcdefghijklm', 'fortran_order': False, 'shape': (2, 2), }", 16, "x.npy: it has no plain element type"},
		{"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }", 8, "x.npy: it has no plain element type"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }", 15, "x.npy: its shape and type need 16 bytes of data, it has 15"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }", 17, "x.npy: its shape and type need 16 bytes of data, it has 17"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,4), }", 16, "x.npy: it has more than 4 dimensions"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", 16, "x.npy: its shape has more elements than any memory"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", 16, "x.npy: its shape is no tuple of numbers"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", 16, "x.npy: its shape is no tuple of numbers"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': 4, }", 16, "x.npy: its shape is no tuple"},
		{"{'descr': '<f4', 'fortran_order': False, }", 16, "x.npy: its header lacks descr, fortran_order or shape"},
		{"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (4,), }", 16, "x.npy: its header has an unknown or repeated key"},
		{"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (4,), }", 16, "x.npy: its fortran_order is neither True nor False"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (4,), } x", 16, "x.npy: its header goes on behind the dictionary"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (4,), ", 16, "x.npy: its header is no dictionary"},
		{"{4: '<f4'}", 16, "x.npy: its header is no dictionary"},
		{"{'shape': (4 4)}", 16, "x.npy: its shape is no tuple of numbers"},
		{"{'fortran_order': False 'shape': (4,)}", 16, "x.npy: its header is no dictionary"},
		{"", 16, "x.npy: its header is no dictionary"},
	};
	struct npy npy;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK_INT(npy_parse(&npy, bytes, make(1, rows[i].dictionary, rows[i].data), "x.npy", &error), PTOWSP_INVALID);
		CHECK_STR(error.text, rows[i].why);
		CHECK(npy.data == NULL);
	}
}

TEST(every_prefix_of_a_file_is_refused)
{
	size_t size = make(2, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }", 16);
	struct npy npy;

	for (size_t n = 0; n < size; n++) {
		unsigned char *copy = malloc(n + 1); /* so that a sanitizer sees a step too far */

		memcpy(copy, bytes, n);
		CHECK_INT(npy_parse(&npy, copy, n, "x.npy", &error), PTOWSP_INVALID);
		CHECK_STR(error.text, n < size - 16 ? "x.npy: this is no whole .npy file of version 1, 2 or 3"
						    : check_fmt("x.npy: its shape and type need 16 bytes of data, it has %zu", n - (size - 16)));
		free(copy);
	}
}

TEST(headers_are_read_back)
{
	static const uint64_t extents[4] = {2, 3, 1, 2};
	char header[NPY_HEADER];
	struct npy npy;

	for (unsigned code = 0; common_dtype(code); code++)
		for (uint32_t rank = 0; rank <= 4; rank++) {
			size_t length = npy_header(header, (uint16_t)code, rank, extents), elements = 1;

			for (uint32_t i = 0; i < rank; i++)
				elements *= extents[i];
			CHECK_UINT(length % 64, 0);
			memcpy(bytes, header, length);
			REQUIRE_INT(npy_parse(&npy, bytes, length + elements * common_dtype(code)->bytes, "x", &error), 0);
			CHECK_UINT(npy.dtype, code == PTOWSP_BF16 ? PTOWSP_U16 : code); /* NumPy has no bf16 */
			CHECK_UINT(npy.rank, rank);
		}
}

TEST(a_void_of_two_bytes_is_bf16)
{
	static const uint64_t extents[1] = {3};
	char header[NPY_HEADER];
	const size_t length = npy_header(header, PTOWSP_BF16, 1, extents);
	struct npy npy;

	memcpy(strstr(header + 10, "<u2"), "|V2", 3);
	memcpy(bytes, header, length);
	REQUIRE_INT(npy_parse(&npy, bytes, length + 6, "x", &error), 0);
	CHECK_UINT(npy.dtype, PTOWSP_BF16);
	CHECK_UINT(npy.elements, 3);
}

TEST(missing_and_empty_files_are_named)
{
	struct npy npy;
	const char *path = check_fmt("%s/empty.npy", check_tmp());

	CHECK_INT(npy_open(&npy, "/nonexistent/x.npy", &error), PTOWSP_IO);
	CHECK_STR(error.text, "/nonexistent/x.npy cannot be read: No such file or directory");
	CHECK(check_write(path, "", 0));
	CHECK_INT(npy_open(&npy, path, &error), PTOWSP_INVALID);
	CHECK_STR(error.text, check_fmt("%s: the file is empty", path));
	CHECK_INT(npy_open(&npy, "/tmp", &error), PTOWSP_IO);
	CHECK_STR(error.text, "/tmp is no regular file");
}

/* ---- elements ----------------------------------------------------------------------------------------------- */

TEST(elements_of_every_type_come_back)
{
	static const double values[] = {0, 1, 100, -1, -100, 0.5, 1.5};
	unsigned char data[64];

	for (unsigned code = 0; common_dtype(code); code++)
		for (size_t v = 0; v < sizeof(values) / sizeof(*values); v++) {
			char sort = common_dtype(code)->class;
			double want = values[v];

			if (sort != 'f' && want != floor(want))
				continue;
			if ((sort == 'u' || sort == 'b') && want < 0)
				continue;
			if (sort == 'b')
				want = want != 0;
			element_set((uint16_t)code, data + 1, 3, values[v]); /* unaligned */
			CHECK_NEAR(element_get((uint16_t)code, data + 1, 3), want, 0);
		}
}

TEST(halves_round_to_even_and_keep_their_specials)
{
	static const struct {
		double in;
		uint16_t bits;
	} rows[] = {{0, 0},
		    {-0.0, 0x8000},
		    {1, 0x3C00},
		    {65504, 0x7BFF},
		    {65519, 0x7BFF},
		    {65520, 0x7C00},
		    {INFINITY, 0x7C00},
		    {1.0 + 0x1p-11, 0x3C00},
		    {1.0 + 0x1p-10 + 0x1p-11, 0x3C02},
		    {0x1p-24, 1},
		    {0x1p-25, 0},
		    {0x1.8p-25, 1},
		    {0x1.8p-24, 2},
		    {0x1p-14, 0x0400},
		    {-INFINITY, 0xFC00}};
	uint16_t bits;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		element_set(PTOWSP_F16, &bits, 0, rows[i].in);
		if (bits != rows[i].bits)
			CHECK_FAIL("%a gives 0x%04x, not 0x%04x", rows[i].in, bits, rows[i].bits);
	}
	for (uint32_t half = 0; half < 0x10000; half++) { /* every finite half survives */
		uint16_t in = (uint16_t)half;

		element_set(PTOWSP_F16, &bits, 0, element_get(PTOWSP_F16, &in, 0));
		if (bits != in && !isnan(element_get(PTOWSP_F16, &in, 0)))
			CHECK_FAIL("half 0x%04x comes back as 0x%04x", in, bits);
	}
	element_set(PTOWSP_F16, &bits, 0, NAN);
	CHECK(isnan(element_get(PTOWSP_F16, &bits, 0)));
}

/* Values of the corpus rule, computed with exact integers elsewhere. */
TEST(random_is_the_rule_of_the_corpus)
{
	struct fill fill;
	float data[4];

	REQUIRE_INT(fill_parse(&fill, "random:7", &error), 0);
	fill_write(&fill, PTOWSP_F32, 1, data, 4);
	for (uint64_t i = 0; i < 4; i++) {
		const uint64_t z = draw_mix((UINT64_C(7) << 40) | (UINT64_C(1) << 32) | i);

		CHECK_NEAR(data[i], (float)(-1 + 2 * ((double)(z >> 40) / 16777216)), 0);
		CHECK(data[i] >= -1 && data[i] < 1);
	}
	CHECK_INT(fill_parse(&fill, "random", &error), 0);
	CHECK_UINT(fill.seed, 0);
	CHECK_INT(fill_parse(&fill, "random:", &error), PTOWSP_INVALID);
	CHECK_INT(fill_parse(&fill, "random:-1", &error), PTOWSP_INVALID);
	CHECK_INT(fill_parse(&fill, "noise", &error), PTOWSP_INVALID);
	CHECK_CONTAINS(error.text, "iota");
}

/* ---- comparison --------------------------------------------------------------------------------------------- */

TEST(comparison_counts_and_finds_places)
{
	const float got[4] = {1, 2, 3, 4}, ref[4] = {1, 2.5f, 3, 2};
	struct compare c;

	compare_run(&c, PTOWSP_F32, got, ref, 4, 0, 0.1);
	CHECK_UINT(c.exceed, 2);
	CHECK_UINT(c.first.index, 1);
	CHECK_NEAR(c.first.expected, 2.5, 0);
	CHECK_UINT(c.worst.index, 3);
	CHECK_NEAR(c.max_abs, 2, 0);
	CHECK_NEAR(c.mean_abs, 2.5 / 4, 1e-12);
	CHECK_NEAR(c.max_rel, 1, 1e-12);
	compare_run(&c, PTOWSP_F32, got, ref, 4, 1, 0);
	CHECK_UINT(c.exceed, 0); /* |got - ref| <= |ref| */
}

TEST(nan_equals_nan_and_infinities_only_themselves)
{
	const double got[5] = {NAN, INFINITY, INFINITY, 1, NAN}, ref[5] = {NAN, INFINITY, -INFINITY, INFINITY, 1};
	struct compare c;

	compare_run(&c, PTOWSP_F64, got, ref, 5, 1e9, 1e9);
	CHECK_UINT(c.exceed, 3);
	CHECK_UINT(c.first.index, 2);
	CHECK(isinf(c.max_abs));
}

TEST(large_integers_are_not_rounded)
{
	const uint64_t got[1] = {UINT64_MAX}, ref[1] = {UINT64_MAX - 1};
	const int64_t a[1] = {INT64_MIN}, b[1] = {INT64_MAX};
	struct compare c;

	compare_run(&c, PTOWSP_U64, got, ref, 1, 0, 0.5);
	CHECK_UINT(c.exceed, 1);
	CHECK_NEAR(c.max_abs, 1, 0);
	compare_run(&c, PTOWSP_I64, a, b, 1, 0, 0);
	CHECK_NEAR(c.max_abs, 18446744073709551615.0, 0);
}

/* ---- files that appear whole -------------------------------------------------------------------------------- */

TEST(outputs_appear_when_published)
{
	const char *path = check_fmt("%s/out.txt", check_tmp());
	struct output output;
	char *text;

	CHECK(check_write(path, "old", 3));
	REQUIRE_INT(output_open(&output, path, &error), 0);
	fputs("new", output.file);
	CHECK_INT(output_finish(&output, &error), 0);
	text = check_read(path, NULL);
	CHECK_STR(text, "old");
	free(text);
	CHECK_INT(output_publish(&output, &error), 0);
	output_drop(&output);
	text = check_read(path, NULL);
	CHECK_STR(text, "new");
	free(text);
}

TEST(dropped_outputs_leave_nothing)
{
	const char *dir = check_tmp(), *path = check_fmt("%s/out.txt", dir);
	struct output output;
	char *listing = NULL;

	REQUIRE_INT(output_open(&output, path, &error), 0);
	fputs("new", output.file);
	output_drop(&output);
	CHECK_INT(check_run(check_fmt("ls -A '%s'", dir), &listing, NULL), 0);
	CHECK_STR(listing, "");
	free(listing);
	CHECK_INT(output_open(&output, check_fmt("%s/no/such/x", dir), &error), PTOWSP_IO);
	CHECK_CONTAINS(error.text, "no/such/x");
	output_drop(&output);
	CHECK_INT(output_open(&output, dir, &error), PTOWSP_IO);
	CHECK_CONTAINS(error.text, "folder");
	output_drop(&output);
}
