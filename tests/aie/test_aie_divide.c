/* SPDX-License-Identifier: MIT
 * test_aie_divide.c - calls that take more of a core's memory than there is: parts of random tile programs beside the whole, programs of awkward shapes on the arrays, and what cannot be divided. */
#include "aie/graph/divide.h"
#include "isa/opcode.h"
#include "rt/program/policy.h"
#include "tests/aie/aie_written.h"
#include "tests/contract/cli.h"
#include "tests/isa/random_tiles.h"
#include "tests/isa/tile_random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- parts and the whole ------------------------------------------------------------------------------------------------ */

static unsigned char given[RANDOM_WINDOWS][RANDOM_BYTES], whole[RANDOM_WINDOWS][RANDOM_BYTES], parts[RANDOM_WINDOWS][RANDOM_BYTES];
static unsigned char between[TILE_TILES][RANDOM_BYTES]; /* of tiles */

/* The array's windows have no gaps in their rows. */
static void gaps_close(struct random_tiles *r)
{
	for (unsigned w = 0; w < RANDOM_WINDOWS; w++)
		if (r->task.tensors[w].column_stride != 1)
			tile_window(&r->task, w, r->memory[w], r->task.tensors[w].dtype, 6000);
}

/* Leaves out what touches single elements or takes addresses from them, and most of what mixes all elements of a tile. */
static void mixing_drop(struct tile_builder *b)
{
	for (uint32_t i = 0; i < b->header.inst_count; i++) {
		struct ptowsp_tile_inst *inst = &b->insts[i];
		const unsigned shape = isa_op(inst->op)->shape;
		const bool single = shape == ISA_SHAPE_ELEMENT || inst->op == PTOWSP_PTO_LOAD || inst->op == PTOWSP_PTO_STORE || inst->op == PTOWSP_PTO_DIV ||
				    inst->op == PTOWSP_PTO_MGATHER || inst->op == PTOWSP_PTO_MSCATTER;
		const bool mixes = (shape >= ISA_SHAPE_RESHAPE && shape <= ISA_SHAPE_MERGE) || inst->op == PTOWSP_PTO_TCI;

		if (single || (mixes && random_below(8)))
			*inst = (struct ptowsp_tile_inst){.op = PTOWSP_PTO_YIELD, .line = inst->line};
	}
}

static bool windows_same(const struct random_tiles *r)
{
	for (unsigned w = 0; w < RANDOM_WINDOWS; w++) {
		const unsigned dtype = r->task.tensors[w].dtype, bytes = cell_bytes(dtype);

		for (size_t at = (size_t)((unsigned char *)r->task.tensors[w].data - r->memory[w]); at + bytes <= RANDOM_BYTES; at += bytes)
			if (memcmp(whole[w] + at, parts[w] + at, bytes) &&
			    !(cell_is_float(dtype) && cell_same(dtype, cell_unpack(dtype, whole[w] + at), cell_unpack(dtype, parts[w] + at))))
				return false;
	}
	return true;
}

/* The part's task on the windows of the whole one. */
static ptowsp_status part_run(const struct tile_task *of, const struct isa_program *program, const struct aie_division *division,
			      const struct aie_division_part *part)
{
	const struct ptowsp_tile_tile *tiles = isa_program_tiles(program);
	struct ptowsp_tensor_arg windows[64];
	struct tile_task task = *of;

	for (uint32_t s = 0; s < part->count; s++) {
		const struct isa_slice *slice = &division->slices[part->slices + s];
		const bool is_tile = slice->param >= RANDOM_WINDOWS;
		const unsigned dtype = is_tile ? tiles[slice->param - RANDOM_WINDOWS].dtype : of->tensors[slice->param].dtype;
		unsigned char *data = is_tile ? between[slice->param - RANDOM_WINDOWS] : of->tensors[slice->param].data;

		windows[s] = (struct ptowsp_tensor_arg){.data = data + slice->at * cell_bytes(dtype),
							.rows = slice->grid.rows,
							.columns = slice->grid.columns,
							.row_stride = slice->grid.stride,
							.column_stride = 1,
							.dtype = (uint16_t)dtype,
							.access = (uint16_t)((slice->reads ? PTOWSP_READ : 0) | (slice->writes ? PTOWSP_WRITE : 0))};
	}
	task.task.tensors = windows;
	task.task.tensor_count = part->count;
	task.task.args = of->args;
	task.out.error = &task.error;
	return tile_run(&task, division->programs[part->program]);
}

/* Bytes of the part's arguments. */
static uint64_t arguments_of(const struct aie_division *division, const struct aie_division_part *part)
{
	uint64_t bytes = 0;

	for (uint32_t s = 0; s < part->count; s++) {
		const struct isa_slice *slice = &division->slices[part->slices + s];

		bytes += slice->grid.rows * slice->grid.columns * isa_dtype_bytes(isa_program_params(division->programs[part->program])[s].dtype);
	}
	return bytes;
}

/* What became of the trials. */
static struct counts {
	unsigned divided, parts, pieces, one, refused;
} counts;

static void trial(uint64_t seed)
{
	struct random_tiles r;
	struct isa_program *program;
	struct isa_grid grids[RANDOM_WINDOWS];
	uint32_t same[RANDOM_WINDOWS];
	struct aie_division division = {.parts = NULL};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct aie_division_args args = {.grids = grids, .same = same, .blocks = 1, .times = 1 + (uint32_t)(seed % 2)};
	struct tile_task on_whole, on_parts;
	ptowsp_status status;

	random_tiles_make(&r, seed, given);
	gaps_close(&r);
	mixing_drop(&r.b);
	REQUIRE(!tile_create(&r.b, &program, &error));
	tile_finish(&r.b);
	for (unsigned w = 0; w < RANDOM_WINDOWS; w++) {
		grids[w] = (struct isa_grid){r.task.tensors[w].rows, r.task.tensors[w].columns, r.task.tensors[w].row_stride};
		same[w] = w;
	}
	args.program = program;
	args.scalars = r.task.args;
	args.scalar_count = r.task.task.arg_count;
	args.bytes = 256u << seed / 2 % 7;
	status = isa_program_unusable(program) ? PTOWSP_UNSUPPORTED : aie_division_make(&division, &args, &error);
	counts.refused += status != PTOWSP_OK;
	if (status && status != PTOWSP_UNSUPPORTED && status != PTOWSP_RUN_FAILED) /* loops without a step fail as they do in the whole */
		CHECK_FAIL("PTOWSP_SEED=%llu: %s", (unsigned long long)seed, error.text);
	if (!status) {
		on_whole = random_tiles_task(&r, whole);
		on_parts = random_tiles_task(&r, parts);
		on_whole.task.tensors = on_whole.tensors;
		on_whole.task.args = on_whole.args;
		on_whole.out.error = &on_whole.error;
		memset(between, 0xA5, sizeof(between));
		status = tile_run(&on_whole, program);
		for (uint32_t p = 0; !status && p < division.part_count; p++) {
			if (args.times * arguments_of(&division, &division.parts[p]) > args.bytes)
				CHECK_FAIL("PTOWSP_SEED=%llu: part %u takes too much", (unsigned long long)seed, p);
			if (part_run(&on_parts, program, &division, &division.parts[p]))
				CHECK_FAIL("PTOWSP_SEED=%llu: part %u does not run", (unsigned long long)seed, p);
		}
		if (!status && !windows_same(&r))
			CHECK_FAIL("PTOWSP_SEED=%llu: %u parts, %u pieces: not what the whole makes", (unsigned long long)seed, division.part_count,
				   division.pieces);
		counts.one += division.part_count == 1;
		counts.divided += division.part_count > 1;
		counts.parts += division.part_count;
		counts.pieces += division.pieces > 1;
	}
	aie_division_finish(&division);
	isa_program_destroy(program);
}

TEST(parts_of_random_programs_make_what_the_whole_makes)
{
	uint64_t seeds, from = check_seeds(&seeds, cli_slow() ? 200 : 800);

	counts = (struct counts){0};
	for (uint64_t seed = from; seed < from + seeds; seed++)
		trial(seed);
	printf("# %llu programs from seed %llu: %u divided into %u parts, %u of them in pieces, %u as one, %u refused\n", (unsigned long long)seeds,
	       (unsigned long long)from, counts.divided, counts.parts, counts.pieces, counts.one, counts.refused);
	CHECK(seeds < 200 || (counts.divided * 20 > seeds && counts.pieces * 100 > seeds));
}

static uint32_t below(uint64_t *state, uint32_t limit)
{
	return (uint32_t)(rt_mix64(++*state) % limit);
}

/* ---- on the arrays ------------------------------------------------------------------------------------------------------ */

static void packed(const char *text)
{
	REQUIRE(check_write(check_fmt("%s/p.pto", check_dir()), text, strlen(text)));
	REQUIRE_INT(cli("$B/ptowsp-pack --strict p.pto -o p.pkg.zst"), 0);
}

/* Tensor y has the bytes that cpu_sim makes of tensors that are filled so. */
static void filled_is_right(const char *text, const char *fills, const char *ways)
{
	packed(text);
	REQUIRE_INT(cli(check_fmt("$B/ptowsp-run --quiet %s --plugin=cpu_sim --out y=y.npy p.pkg.zst", fills)), 0);
	if (cli(check_fmt("$B/ptowsp-run --quiet %s --plugin=aie %s --out y=aie.y.npy p.pkg.zst && cmp y.npy aie.y.npy", fills, ways)))
		CHECK_FAIL("%s: %s%s\n%s", ways, cli_out, cli_err, text);
}

static void is_right(const char *text, const char *ways)
{
	filled_is_right(text, "--fill x=random:1 --fill w=random:2 --fill y=random:3", ways);
}

/* A kernel of x and w that stores y, of one shape each. */
static const char *program(const char *type, unsigned m, unsigned k, unsigned n, const char *tiles, const char *body)
{
	return check_fmt("tensor %%x : %s[%u, %u] in\ntensor %%w : %s[%u, %u] in\ntensor %%y : %s[%u, %u] inout\n"
			 "func @k(%%x: !pto.memref<gm,...,%s>, %%w: !pto.memref<gm,...,%s>, %%y: !pto.memref<gm,...,%s>) {\n%s%s  return\n}\n"
			 "workload @main { call @k(%%x -> %%x%s, %%w -> %%w%s, %%y -> %%y%s) }\n",
			 type, m, k, type, k, n, type, m, n, type, type, type, tiles, body, "", "", "");
}

static const char *tiles(const char *type, unsigned m, unsigned k, unsigned n)
{
	return check_fmt("  %%a = alloc_tile : !pto.tile<%ux%ux%s>\n  %%b = alloc_tile : !pto.tile<%ux%ux%s>\n  %%c = alloc_tile : !pto.tile<%ux%ux%s>\n"
			 "  %%r = alloc_tile : !pto.tile<%ux1x%s>\n",
			 m, k, type, k, n, type, m, n, type, m, type);
}

static const char *const types[] = {"f32", "i32", "i16", "bf16", "i8"};
static const char load[] = "  %a = tload %x[0, 0]\n  %b = tload %w[0, 0]\n", store[] = "  tstore %c, %y[0, 0]\n";

/* Rows, columns, both, and neither: with numbers that nothing divides. */
TEST(products_of_awkward_shapes_are_those_of_cpu_sim)
{
	static const unsigned shapes[][3] = {{129, 67, 131}, {1, 251, 260}, {257, 251, 1}, {61, 509, 68}, {300, 100, 200}};
	static const char *const bodies[] = {"  %c = tmatmul %a, %b\n", "  %c = tmatmul %a, %b\n  %r = trowmax %c\n  %c = trowexpandsub %c, %r\n",
					     "  %c = tmatmul %a, %b\n  %c = tmatmul.acc %c, %a, %b\n  %c = tmul %c, %c\n"};

	cli_begin();
	for (unsigned s = 0; s < sizeof(shapes) / sizeof(*shapes); s++)
		for (unsigned b = 0; b < sizeof(bodies) / sizeof(*bodies); b++) {
			const char *type = types[(s + b) % 5];
			const unsigned *shape = shapes[s];

			is_right(program(type, shape[0], shape[1], shape[2], tiles(type, shape[0], shape[1], shape[2]),
					 check_fmt("%s%s%s", load, bodies[b], store)),
				 s % 2 ? "--device=npu2" : "");
		}
}

/* A program that goes round a loop with what it has so far. */
TEST(loops_become_pieces_that_follow_each_other)
{
	static const char text[] =
		"tensor %x : f32[96, 100] in\ntensor %w : f32[480, 100] in\ntensor %y : f32[96, 100] inout\n"
		"func @k(%x: !pto.memref<gm,...,f32>, %w: !pto.memref<gm,...,f32>, %y: !pto.memref<gm,...,f32>) {\n"
		"  %a = alloc_tile : !pto.tile<96x100xf32>\n  %b = alloc_tile : !pto.tile<96x100xf32>\n  %s = alloc_tile : !pto.tile<96x96xf32>\n"
		"  %t = alloc_tile : !pto.tile<100x96xf32>\n  %r = alloc_tile : !pto.tile<96x1xf32>\n  %o = alloc_tile : !pto.tile<96x100xf32>\n"
		"  %a = tload %x[0, 0]\n  %o = texpands %0.0\n  FOR %i:idx, 0:idx, 5:idx, 1:idx\n    %b = tload %w[%i, 0]\n    %t = ttrans %b\n"
		"    %s = tmatmul %a, %t\n    %r = trowmax %s\n    %s = trowexpandsub %s, %r\n    %o = tmatmul.acc %o, %s, %b\n  ENDFOR\n"
		"  tstore %o, %y[0, 0]\n  return\n}\nworkload @main { call @k(%x -> %x, %w -> %w, %y -> %y) }\n";

	cli_begin();
	is_right(text, "");
	is_right(text, "--device=npu2 --opt cores=2");
	CLI_OUT(0, "$B/ptowsp-run --plugin=aie --explain --timeout-ms 60000 p.pkg.zst", "divided: kernel k takes ", "pieces that follow each other");
}

/* What is written may be what is read. */
TEST(in_place_and_by_rows)
{
	static const char text[] =
		"tensor %%x : f32[200, 100] in\ntensor %%w : f32[1, 100] in\ntensor %%y : f32[200, 100] inout\n"
		"func @k(%%x: !pto.memref<gm,...,f32>, %%w: !pto.memref<gm,...,f32>, %%y: !pto.memref<gm,...,f32>, %%z: !pto.memref<gm,...,f32>) {\n"
		"  %%a = alloc_tile : !pto.tile<200x100xf32>\n  %%b = alloc_tile : !pto.tile<1x100xf32>\n  %%c = alloc_tile : !pto.tile<200x100xf32>\n"
		"  %%a = tload %%x[0, 0]\n  %%b = tload %%w[0, 0]\n  %%c = tload %%y[0, 0]\n  %%a = tadd %%a, %%c\n  %%c = tcolexpand %%b\n"
		"  %%a = tmul %%a, %%c\n  tstore %%a, %%z[0, 0]\n  return\n}\n"
		"workload @main { for_each %%i in 0 to 2 { call @k(%%x -> %%x%s, %%w -> %%w, %%y -> %%y%s, %%z -> %%y%s) } }\n";

	cli_begin();
	is_right(check_fmt(text, "", "", ""), "");
	is_right(check_fmt(text, "[0, 0 : 200, 100]", "[0, 0 : 200, 100]", "[0, 0 : 200, 100]"), "--opt cores=3");
}

TEST(what_cannot_be_divided_says_why)
{
	static const struct {
		const char *body, *said;
	} rows[] = {
		{"  %c = tmatmul %a, %b\n  %v = getval %c, 0\n  %c = tadds %c, %v\n", "not divided: it computes with single elements"},
		{"  %c = tmatmul %a, %b\n  %d = treshape %c\n  %c = treshape %d\n", "not divided: treshape in line "},
	};

	cli_begin();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		packed(program("f32", 130, 130, 130,
			       check_fmt("%s  %%v = alloc_scalar : f32\n  %%d = alloc_tile : !pto.tile<65x260xf32>\n", tiles("f32", 130, 130, 130)),
			       check_fmt("%s%s%s", load, rows[i].body, store)));
		CHECK_INT(cli("$B/ptowsp-run --plugin=aie --quiet --fill x=random:1 --fill w=random:2 --fill y=zeros p.pkg.zst"), 5);
		CHECK_CONTAINS(cli_err, "task 0, kernel k (p.pto:4) needs ");
		CHECK_CONTAINS(cli_err, " bytes of 4 x 65532: tiles ");
		CHECK_CONTAINS(cli_err, rows[i].said);
		cli_check_sentence();
		/* the program's tiles are the figure of ptowsp-inspect */
		CHECK_INT(cli("$B/ptowsp-run --plugin=aie --quiet --fill x=random:1 --fill w=random:2 --fill y=zeros p.pkg.zst 2>&1 | sed 's/.*tiles [0-9]* of "
			      "//; s/,.*//' "
			      ">said; $B/ptowsp-inspect p.pkg.zst | sed -n '/^tile memory/,/^$/p' | awk '$1 == \"k\" { print $3 }' | cmp - said"),
			  0);
	}
	packed(program("f32", 130, 130, 130, tiles("f32", 130, 130, 130), check_fmt("%s  %%c = tmatmul %%a, %%b\n%s", load, store)));
	CLI_ERR(5, "$B/ptowsp-run --plugin=aie --quiet --schedule task_window=1 --fill x=random:1 --fill w=random:2 --fill y=zeros p.pkg.zst",
		"not divided: the schedule counts tasks");
}

/* ---- memories beside cores ---------------------------------------------------------------------------------------------- */

/* Elements of tables by computed places, up to 200 KB a call with what it makes, where y may be read, too. */
static const char *gathering(uint64_t *state, unsigned tables)
{
	const unsigned rows = 8 * (2 + below(state, 4)), calls = 1 + below(state, 4), in_place = below(state, 3) == 0;
	char parameters[512] = "", arguments[512] = "", tensors[512] = "", body[1024] = "";

	for (unsigned t = 0; t < tables; t++) {
		const unsigned columns = tables == 1 ? 230 + below(state, 20) : 96 + below(state, 40);

		text_put(tensors, sizeof(tensors), "tensor %%t%u : f32[64, %u] in\n", t, columns);
		text_put(parameters, sizeof(parameters), "%%t%u: !pto.memref<gm,...,f32>, ", t);
		text_put(arguments, sizeof(arguments), "%%t%u -> %%t%u[0, 0 : ...], ", t, t);
		text_put(body, sizeof(body), "  %%b = mgather %%t%u, %%at\n  %%c = tadd %%c, %%b\n", t);
	}
	return check_fmt("%stensor %%x : i32[%u, 64] in\ntensor %%y : f32[%u, 64] inout\n"
			 "func @k(%s%%x: !pto.memref<gm,...,i32>, %%y: !pto.memref<gm,...,f32>) {\n  %%at = alloc_tile : !pto.tile<%ux64xi32>\n"
			 "  %%b = alloc_tile : !pto.tile<%ux64xf32>\n  %%c = alloc_tile : !pto.tile<%ux64xf32>\n  %%at = tload %%x[0, 0]\n  %%at = tands %%at, "
			 "4095\n%s%s"
			 "  tstore %%c, %%y[0, 0]\n  return\n}\n"
			 "workload @main { for_each %%i in 0 to %u { call @k(%s%%x -> %%x[%%i * %u, 0 : %u, 64], %%y -> %%y[%%i * %u, 0 : %u, 64]) } }\n",
			 tensors, rows * calls, rows * calls, parameters, rows, rows, rows, in_place ? "  %c = tload %y[0, 0]\n" : "  %c = texpands %1.0\n",
			 body, calls, arguments, rows, rows, rows, rows);
}

/* Such calls are not divided; those that need more than a core has run with memories beside it. */
TEST(random_gathers_are_those_of_cpu_sim)
{
	static const char *const ways[] = {"", "--device=npu2", "--opt cores=2", "--device=npu2 --opt depth=1"};
	uint64_t seeds, from = check_seeds(&seeds, cli_slow() ? 4 : 16);
	unsigned beside = 0;

	cli_begin();
	for (uint64_t seed = from; seed < from + seeds; seed++) {
		uint64_t state = seed << 32;
		const unsigned tables = 1 + below(&state, 3);
		const char *text = gathering(&state, tables);
		char fills[160] = "--fill x=random:1 --fill y=random:3";

		printf("# seed %llu\n", (unsigned long long)seed);
		for (unsigned t = 0; t < tables; t++)
			text_put(fills, sizeof(fills), " --fill t%u=random:%u", t, 4 + t);
		filled_is_right(text, fills, ways[seed % 4]);
		CHECK_INT(cli("$B/ptowsp-run --plugin=aie --explain --timeout-ms 60000 p.pkg.zst"), 0);
		beside += strstr(cli_out, "with memories beside its core") != NULL;
	}
	CHECK(seeds < 4 || beside * 2 > seeds);
}

/* ---- random programs ---------------------------------------------------------------------------------------------------- */

enum { TEXT = 8192 };

/* Statements on tiles of one shape, a column, a row and their products, in any order. */
static void body_make(char *text, uint64_t *state)
{
	static const char *const statements[] = {"%c = tadd %c, %c", "%c = tmul %c, %c",          "%r = trowsum %c",
						 "%r = trowmin %c",  "%c = trowexpandsub %c, %r", "%c = trowexpandmul %c, %r",
						 "%l = tcolmax %c",  "%c = tcolexpand %l",        "%c = tmatmul.acc %c, %a, %b",
						 "%a = tadd %a, %a", "%c = tmax %c, %c",          "%u = ttrans %c",
						 "%c = ttrans %u",   "%c = trowexpand %r",        "%c = trelu %c",
						 "%c = tabs %c"};

	for (uint32_t count = 2 + below(state, 7); count; count--)
		text_put(text, TEXT, "  %s\n", statements[below(state, sizeof(statements) / sizeof(*statements))]);
}

TEST(random_programs_are_those_of_cpu_sim)
{
	static const char *const ways[] = {"", "--device=npu2", "--opt cores=2", "--opt cores=5 --opt depth=1"};
	uint64_t seeds, from = check_seeds(&seeds, cli_slow() ? 4 : 24);

	cli_begin();
	for (uint64_t seed = from; seed < from + seeds; seed++) {
		uint64_t state = seed << 32;
		const char *type = types[below(&state, 5)];
		const unsigned m = 40 + below(&state, 120), k = 20 + below(&state, 80), n = 40 + below(&state, 120);
		char body[TEXT] = "";

		text_put(body, TEXT, "%s  %%c = tmatmul %%a, %%b\n  %%r = trowmax %%c\n  %%l = tcolmax %%c\n  %%u = ttrans %%c\n", load);
		body_make(body, &state);
		text_put(body, TEXT, "%s", store);
		printf("# seed %llu\n", (unsigned long long)seed);
		is_right(program(type, m, k, n,
				 check_fmt("%s  %%l = alloc_tile : !pto.tile<1x%ux%s>\n  %%u = alloc_tile : !pto.tile<%ux%ux%s>\n", tiles(type, m, k, n), n,
					   type, n, m, type),
				 body),
			 ways[seed % 4]);
	}
}
