/* SPDX-License-Identifier: MIT
 * test_aie_word.c - parts of tensors that begin and end within words: the words that have them, and random programs whose results are those of cpu_sim. */
#include "aie/graph/area.h"
#include "rt/program/dtype.h"
#include "rt/program/policy.h"
#include "tests/aie/aie_written.h"
#include "tests/contract/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static uint32_t below(uint32_t limit)
{
	return (uint32_t)(rt_mix64(++state) % limit);
}

/* ---- words -------------------------------------------------------------------------------------------------------------- */

static bool has(const struct aie_area *area, uint64_t byte)
{
	for (uint64_t r = 0; r < area->rows; r++)
		if (byte >= area->at + r * area->stride && byte < area->at + r * area->stride + aie_area_row_bytes(area))
			return true;
	return false;
}

/* Where an element of the object lies in the tensor: rows of an object lie one behind the other. */
static uint64_t byte_of(const struct aie_area *area, uint64_t element)
{
	return area->at + element / area->columns * area->stride + element % area->columns * rt_dtype_bytes(area->dtype);
}

static void one(uint64_t seed)
{
	const uint64_t size = 1 + below(2), columns = 1 + below(12), pitch = size * (columns + below(3) * below(9));
	const struct aie_area exact = {
		.dtype = size == 1 ? PTOWSP_I8 : PTOWSP_I16, .at = size * below(9), .rows = 1 + below(4), .columns = columns, .stride = pitch};
	struct aie_area area = exact;
	struct aie_view view = {0};
	uint64_t end = exact.at + (exact.rows - 1) * pitch + columns * size, bytes = end + size * below(4) * below(2), inside = 0;
	bool others = false, said;

	if (area.rows == 1)
		area.stride = columns * size;
	if (aie_area_is_words(&area))
		return;
	said = aie_area_widen(&area, &view, bytes);
	for (uint64_t b = 0; b < end + 8; b++) {
		inside += has(&area, b);
		others |= has(&area, b) && !has(&exact, b) && b < bytes;
	}
	if (!aie_area_is_words(&area) || said < others || inside != aie_area_bytes(&area) || view.rows != exact.rows || view.columns != columns)
		CHECK_FAIL("seed %llu: from byte %llu %llu x %llu of %llu bytes", (unsigned long long)seed, (unsigned long long)area.at,
			   (unsigned long long)area.rows, (unsigned long long)area.columns, (unsigned long long)inside);
	for (uint64_t r = 0; r < exact.rows; r++)
		for (uint64_t c = 0; c < columns; c++)
			if (byte_of(&area, (uint64_t)(-view.before) + r * view.stride + c) != exact.at + r * pitch + c * size)
				CHECK_FAIL("seed %llu: element (%llu, %llu) is another one", (unsigned long long)seed, (unsigned long long)r,
					   (unsigned long long)c);
}

TEST(words_have_the_elements)
{
	for (uint64_t seed = 0; seed < 20000; seed++) {
		state = seed << 32;
		one(seed);
	}
}

/* ---- programs ----------------------------------------------------------------------------------------------------------- */

enum { TENSORS = 4, TEXT = 8192 };
struct random {
	char text[TEXT], calls[2048], fills[512], outs[512], compares[512];
	uint32_t rows[TENSORS], columns[TENSORS], count, kernels;
	bool inout[TENSORS];
};

static void tensors_make(struct random *random, const char *type, uint64_t seed)
{
	text_put(random->text, TEXT, "module @words\n");
	random->count = 2 + below(TENSORS - 1);
	for (uint32_t t = 0; t < random->count; t++) {
		random->rows[t] = 1 + below(2) * below(8);
		random->columns[t] = 1 + below(21);
		random->inout[t] = t > 0;
		text_put(random->text, TEXT, "tensor %%t%u : %s[%u, %u] %s\n", t, type, random->rows[t], random->columns[t], t ? "inout" : "in");
		text_put(random->fills, sizeof(random->fills), "--fill t%u=random:%llu ", t, (unsigned long long)seed + t);
	}
}

/* y = 2 x, or y = 2 (x + y), of a part of each. */
static void call_make(struct random *random, const char *type)
{
	const uint32_t x = below(random->count), y = 1 + below(random->count - 1),
		       least[2] = {random->rows[x] < random->rows[y] ? random->rows[x] : random->rows[y],
				   random->columns[x] < random->columns[y] ? random->columns[x] : random->columns[y]};
	const uint32_t rows = 1 + below(least[0]), columns = 1 + below(least[1]), k = random->kernels++;
	const char *flat = rows == 1 && !below(3) ? " : ..." : "";

	text_put(random->text, TEXT,
		 "func @k%u(%%x: !pto.memref<gm,...,%s>, %%y: !pto.memref<gm,...,%s>) {\n  %%a = alloc_tile : !pto.tile<%ux%ux%s>\n  %%a = tload %%x[0, 0]\n",
		 k, type, type, rows, columns, type);
	if (!below(3))
		text_put(random->text, TEXT, "  %%b = alloc_tile : !pto.tile<%ux%ux%s>\n  %%b = tload %%y[0, 0]\n  %%a = tadd %%a, %%b\n", rows, columns, type);
	text_put(random->text, TEXT, "  %%a = tadd %%a, %%a\n  tstore %%a, %%y[0, 0]\n  return\n}\n");
	text_put(random->calls, sizeof(random->calls), "  call @k%u(%%x -> %%t%u[%u, %u%s], %%y -> %%t%u[%u, %u%s])\n", k, x, below(random->rows[x] - rows + 1),
		 below(random->columns[x] - columns + 1), flat, y, below(random->rows[y] - rows + 1), below(random->columns[y] - columns + 1), flat);
	if (random->inout[y]) {
		text_put(random->outs, sizeof(random->outs), "--out t%u=$W.t%u.npy ", y, y);
		text_put(random->compares, sizeof(random->compares), "cmp cpu.t%u.npy aie.t%u.npy && ", y, y);
		random->inout[y] = false;
	}
}

static bool program_write(struct random *random, uint64_t seed)
{
	static const char *const types[] = {"i8", "i16", "f16", "bf16"};
	const char *type;

	*random = (struct random){0};
	state = seed << 32;
	type = types[below(4)];
	tensors_make(random, type, seed);
	for (uint32_t calls = 1 + below(6); calls; calls--)
		call_make(random, type);
	text_put(random->text, TEXT, "workload @main {\n%s}\n", random->calls);
	return check_write(check_fmt("%s/p.pto", check_dir()), random->text, strlen(random->text));
}

TEST(random_programs_have_the_results_of_cpu_sim)
{
	static const char *const ways[] = {"--opt cores=1", "", "--device=npu2 --opt depth=1", "--opt cores=2 --opt buffering=both"};
	struct random random;

	cli_begin();
	for (uint64_t seed = 1; seed <= (cli_slow() ? 8 : 48); seed++) {
		REQUIRE(program_write(&random, seed));
		if (cli(check_fmt("$B/ptowsp-pack p.pto -o p.pkg.zst && W=cpu && $B/ptowsp-run --plugin=cpu_sim --quiet %s%sp.pkg.zst", random.fills,
				  random.outs)) ||
		    cli(check_fmt("W=aie; $B/ptowsp-run --plugin=aie --quiet %s %s%sp.pkg.zst && %s true", ways[seed % 4], random.fills, random.outs,
				  random.compares)))
			CHECK_FAIL("seed %llu, %s: %s%s\n%s", (unsigned long long)seed, ways[seed % 4], cli_out, cli_err, random.text);
	}
}

/* ---- what stands in the text -------------------------------------------------------------------------------------------- */

static const char row[] =
	"module @row\ntensor %%x : i16[4, 7] in\ntensor %%y : i16[4, 7] inout\n"
	"func @k(%%x: !pto.memref<gm,...,i16>, %%y: !pto.memref<gm,...,i16>) {\n  %%a = alloc_tile : !pto.tile<1x3xi16>\n  %%a = tload %%x[0, 0]\n"
	"  %%a = tadd %%a, %%a\n  tstore %%a, %%y[0, 0]\n%s  return\n}\nworkload @main { call @k(%%x -> %%x[1, 2], %%y -> %%y[3, 4]) %s}\n";

static int row_pack(const char *more, const char *calls)
{
	const char *text = check_fmt(row, more, calls);

	return check_write(check_fmt("%s/row.pto", check_dir()), text, strlen(text)) ? cli("$B/ptowsp-pack row.pto -o row.pkg.zst") : -1;
}

/* The last three elements of the last word of 56 bytes, from byte 50 on: a word and a half. The tensor is read before it is written. */
TEST(windows_stand_in_the_text)
{
	cli_begin();
	REQUIRE_INT(row_pack("", ""), 0);
	REQUIRE_INT(
		cli("$B/ptowsp-run --plugin=aie --quiet --emit made --fill x=iota --fill y=iota --out y=y.npy row.pkg.zst && grep func.func made/design.mlir"),
		0);
	CHECK_CONTAINS(cli_out, "(memref<4xi16>, memref<4xi16>)");
	CHECK_CONTAINS(cli_out, "ptowsp.before = array<i64: -1, -1>, ptowsp.window = array<i64: 1, 3, 3, 1, 3, 3>");
	REQUIRE_INT(cli("$B/ptowsp-run --plugin=cpu_sim --quiet --fill x=iota --fill y=iota --out y=cpu.npy row.pkg.zst && cmp y.npy cpu.npy"), 0);
}

/* Neither has the word before the other one has: it is one buffer for both. */
TEST(who_writes_two_parts_of_a_word_has_it_once)
{
	static const char two[] =
		"module @two\ntensor %x : i8[1, 2] in\ntensor %y : i8[1, 4] inout\n"
		"func @k(%x: !pto.memref<gm,...,i8>, %y: !pto.memref<gm,...,i8>, %z: !pto.memref<gm,...,i8>) {\n  %a = alloc_tile : !pto.tile<1x2xi8>\n  %a = "
		"tload %x[0, 0]\n"
		"  tstore %a, %y[0, 0]\n  tstore %a, %z[0, 0]\n  return\n}\nworkload @main { call @k(%x -> %x, %y -> %y[0, 0], %z -> %y[0, 2]) }\n";
	static const char run[] = "$B/ptowsp-run --quiet --fill x=iota --fill y=ones";

	cli_begin();
	REQUIRE(check_write(check_fmt("%s/two.pto", check_dir()), two, sizeof(two) - 1));
	REQUIRE_INT(cli("$B/ptowsp-pack two.pto -o two.pkg.zst"), 0);
	CHECK_INT(cli(check_fmt("%s --plugin=cpu_sim --out y=cpu.npy two.pkg.zst && %s --plugin=aie --out y=aie.npy two.pkg.zst && cmp cpu.npy aie.npy", run,
				run)),
		  0);
}
