/* SPDX-License-Identifier: MIT
 * test_isa_rows.c - random programs three ways: every tile in memory of its own and one instruction after the other; with shared
 * memory; with groups in small blocks of rows; with factors of products copied and in place; with the vectors of one processor and of another. All must do the same. PTOWSP_SEED=n repeats a trial. */
#include "isa/state.h"
#include "tests/check.h"
#include "tests/isa/tile_builder.h"
#include "tests/isa/tile_random.h"

#include <stdio.h>

enum { ELEMENTS = 1 << 13, PARAMS = 3, TILES = 12, TRIALS = 400 };

struct trial {
	struct tile_builder b;
	unsigned scalars, args[4], ints[4], floats[4], local;
	unsigned loops[4], depth; /* counters of the open loops */
	uint32_t rows, columns;
};
static struct trial t;

struct result {
	ptowsp_status status;
	bool placed; /* ran well, and some tile was read in its window */
	uint64_t cycles;
	char text[sizeof(((struct ptowsp_error *)0)->text)];
	float memory[ELEMENTS];
};
static struct result plain, other;
static unsigned placed;
static float start[ELEMENTS]; /* what memory holds before a run */

static void tiles_add(void)
{
	const uint32_t r = t.rows, c = t.columns;
	const uint32_t shapes[TILES][2] = {{r, c}, {r, c}, {r, c}, {r, c}, {r, c}, {r, 1}, {r, 1}, {1, c}, {1, c}, {c, r}, {r, r}, {1 + random_below(40), c}};

	for (unsigned i = 0; i < TILES; i++)
		tile_tile(&t.b, "", shapes[i][0], shapes[i][1], PTOWSP_F32);
}

static unsigned operand(char letter, char type)
{
	switch (letter) {
	case 'T':
	case 't': return random_below(TILES);
	case 'S': return t.local;
	case 's':
		if (type == 'n' || type == 'x')
			return t.depth && !random_below(3) ? t.loops[random_below(t.depth)] : t.ints[random_below(4)];
		return random_below(4) ? t.floats[random_below(4)] : t.local;
	default: return random_below(PARAMS);
	}
}

static bool shapes_fit(const struct isa_op *op, const unsigned rows[ISA_OPERANDS_MAX], unsigned opcode)
{
	const struct ptowsp_tile_tile *dst[2], *src[4];
	unsigned dst_count = 0, src_count = 0;
	char text[160];

	for (unsigned k = 0; op->operands[k]; k++)
		if (op->operands[k] == 'T')
			dst[dst_count++] = &t.b.tiles[rows[k]];
		else if (op->operands[k] == 't')
			src[src_count++] = &t.b.tiles[rows[k]];
	return !isa_shape_check(opcode, dst, dst_count, src, src_count, text, sizeof(text));
}

/* Instructions of f32 tiles alone. */
static bool is_usable(const struct isa_op *op, unsigned opcode)
{
	return op && !isa_op_is_control(opcode) && strchr(op->keys, 'f') && !strchr(op->types, 'i');
}

static void operation_add(void)
{
	unsigned rows[ISA_OPERANDS_MAX] = {0};
	const unsigned opcode = random_below(5) ? random_below(PTOWSP_PTO_FOR) : random_below(2) ? PTOWSP_PTO_TLOAD : PTOWSP_PTO_TSTORE;
	const struct isa_op *op = isa_op(opcode);

	if (!is_usable(op, opcode))
		return;
	for (unsigned tries = 0; tries < 100; tries++) {
		for (unsigned k = 0; op->operands[k]; k++)
			rows[k] = operand(op->operands[k], op->types[k]);
		if (shapes_fit(op, rows, opcode)) {
			tile_op(&t.b, opcode, rows[0], rows[1], rows[2], rows[3], rows[4]);
			if (opcode == PTOWSP_PTO_TCMP || opcode == PTOWSP_PTO_TCMPS || opcode == PTOWSP_PTO_TCVT)
				tile_mode(&t.b, random_below(6));
			return;
		}
	}
}

/* Factors that nothing else reads stay where they are loaded from (place.h), unless something stores in between. */
static void product_add(void)
{
	const uint32_t r = t.rows, c = t.columns;
	const unsigned a = tile_tile(&t.b, "", r, c, PTOWSP_F32), b = tile_tile(&t.b, "", c, r, PTOWSP_F32), d = 10;

	tile_op(&t.b, PTOWSP_PTO_TLOAD, a, random_below(PARAMS), t.ints[random_below(4)], t.ints[random_below(4)]);
	if (!random_below(4))
		operation_add();
	tile_op(&t.b, PTOWSP_PTO_TLOAD, b, random_below(PARAMS), t.ints[random_below(4)], t.ints[random_below(4)]);
	for (unsigned count = 1 + random_below(3); count > 0; count--) {
		if (!random_below(3))
			operation_add();
		if (random_below(2))
			tile_op(&t.b, PTOWSP_PTO_TMATMUL, d, a, b);
		else
			tile_op(&t.b, PTOWSP_PTO_TMATMUL_ACC, d, d, a, b);
	}
	if (!random_below(8))
		tile_op(&t.b, PTOWSP_PTO_TMOV, random_below(5), a);
}

static void block_add(unsigned depth);

static void loop_add(unsigned depth)
{
	const unsigned i = tile_local(&t.b, "", PTOWSP_I64, 0);

	tile_for(&t.b, i, tile_int(&t.b, 0), tile_int(&t.b, 1 + random_below(3)), tile_int(&t.b, 1));
	t.loops[t.depth++] = i;
	block_add(depth + 1);
	t.depth--;
	tile_end(&t.b);
}

static void branch_add(unsigned depth)
{
	tile_if(&t.b, t.depth && random_below(2) ? t.loops[random_below(t.depth)] : t.args[random_below(4)]);
	tile_mode(&t.b, 1 + random_below(3));
	block_add(depth + 1);
	if (t.depth && !random_below(3))
		tile_op(&t.b, random_below(2) ? PTOWSP_PTO_BREAK : PTOWSP_PTO_CONTINUE);
	if (random_below(2)) {
		tile_else(&t.b);
		block_add(depth + 1);
	}
	tile_end(&t.b);
}

static void block_add(unsigned depth)
{
	for (unsigned count = 1 + random_below(depth ? 6 : 14); count > 0; count--)
		if (depth < 4 && t.b.header.scalar_count < TILE_SCALARS - 8 && !random_below(7)) {
			if (random_below(2))
				loop_add(depth);
			else
				branch_add(depth);
		} else if (t.b.header.tile_count < TILE_TILES - 2 && t.b.header.inst_count < TILE_INSTS - 100 && !random_below(6)) {
			product_add();
		} else if (t.b.header.inst_count < TILE_INSTS - 100)
			for (unsigned run = 1 + random_below(8); run > 0; run--)
				operation_add();
}

static void program_make(void)
{
	memset(&t, 0, sizeof(t));
	t.rows = 1 + random_below(40);
	t.columns = 1 + random_below(random_below(3) ? 40 : 8);
	tile_begin(&t.b, "random");
	for (unsigned i = 0; i < PARAMS; i++)
		tile_param(&t.b, "", PTOWSP_F32);
	tiles_add();
	for (unsigned i = 0; i < 4; i++) {
		t.args[i] = tile_arg(&t.b, "", PTOWSP_U32);
		t.ints[i] = tile_int(&t.b, i < 2 ? 0 : random_below(3));
		t.floats[i] = tile_float(&t.b, (float)random_float(PTOWSP_F32));
	}
	t.local = tile_local(&t.b, "", PTOWSP_F32, tile_bits(0.5f));
	block_add(0);
	for (unsigned i = 0; i < TILES; i++) /* whatever is left */
		tile_op(&t.b, PTOWSP_PTO_TSTORE, i, random_below(PARAMS), t.ints[0], t.ints[0]);
}

/* Windows begin anywhere in the same memory: some are the same, some overlap. */
static void windows_make(struct tile_task *task, float *memory)
{
	for (unsigned i = 0; i < PARAMS; i++) {
		const uint32_t at = random_below(3) ? i * ELEMENTS / PARAMS / 16 * 16 : random_below(ELEMENTS / PARAMS);
		const uint32_t count = ELEMENTS - at < ELEMENTS / 2 ? ELEMENTS - at : ELEMENTS / 2;

		switch (random_below(5)) {
		case 0: /* rows 64 apart */ tile_grid(task, i, memory + at, PTOWSP_F32, count / 64, 48, 64, 1); break;
		case 2: /* rows that overlap */ tile_grid(task, i, memory + at, PTOWSP_F32, count / 64, 48, 20, 1); break;
		case 1: /* columns further apart than rows */ tile_grid(task, i, memory + at, PTOWSP_F32, 64, count / 64, 1, 64); break;
		default: tile_window(task, i, memory + at, PTOWSP_F32, count); break;
		}
	}
	for (unsigned i = 0; i < 4; i++)
		tile_task_arg(task, random_below(16));
}

static void way_run(const struct isa_options *options, uint64_t seed, struct result *r)
{
	struct tile_task task;
	struct isa_program *program;
	size_t size;
	const void *payload = tile_payload(&t.b, &size);

	memcpy(r->memory, start, sizeof(start));
	tile_task_begin(&task);
	random_seed = seed;
	windows_make(&task, r->memory);
	r->status = isa_program_create_with(&program, payload, size, t.b.strings, t.b.strings_size, options, &task.error);
	if (r->status || isa_program_unusable(program))
		CHECK_FAIL("%s", r->status ? task.error.text : isa_program_unusable(program));
	else
		r->status = tile_run(&task, program);
	r->cycles = task.out.cycles;
	memcpy(r->text, task.error.text, sizeof(r->text));
	r->placed = !r->status && program->place_at;
	isa_program_destroy(program);
}

static bool memory_same(void)
{
	for (unsigned i = 0; i < ELEMENTS; i++)
		if (memcmp(&plain.memory[i], &other.memory[i], sizeof(float)) && !(isnan(plain.memory[i]) && isnan(other.memory[i])))
			return false;
	return true;
}

static bool trial_do(uint64_t seed)
{
	const struct isa_options ways[] = {{.own_places = false, .rows_bytes = 0},
					   {.own_places = true, .rows_bytes = 64 + random_below(1000)},
					   {.own_places = false, .rows_bytes = 64 + random_below(1000)},
					   {.own_places = false, .rows_bytes = 16 << 10}};
	bool same = true;

	way_run(&(struct isa_options){.own_places = true, .all_copied = true, .any_processor = true}, seed, &plain);
	for (unsigned i = 0; i < sizeof(ways) / sizeof(*ways) && same; i++) {
		way_run(&ways[i], seed, &other);
		placed += other.placed;
		same = plain.status == other.status && plain.cycles == other.cycles && !strcmp(plain.text, other.text) && memory_same();
		if (!same)
			CHECK_FAIL("PTOWSP_SEED=%llu way %u: %d %llu \"%s\", wanted %d %llu \"%s\"", (unsigned long long)seed, i, other.status,
				   (unsigned long long)other.cycles, other.text, plain.status, (unsigned long long)plain.cycles, plain.text);
	}
	return same;
}

TEST(every_way_of_running_gives_the_same)
{
	const uint64_t seed = random_start();
	unsigned failed = 0, good = 0;

	printf("# isa_rows: PTOWSP_SEED=%llu\n", (unsigned long long)seed);
	for (uint64_t i = 0; i < TRIALS && failed < 3; i++) {
		random_seed = seed + i;
		program_make();
		for (unsigned k = 0; k < ELEMENTS; k++)
			start[k] = (float)random_float(PTOWSP_F32);
		failed += !trial_do(seed + i);
		good += !plain.status;
		tile_finish(&t.b);
	}
	CHECK(good > TRIALS / 2);
	CHECK(placed > TRIALS / 10);
	CHECK(good < TRIALS);
}

/* out = 3 in + 1 - in[i, 0], both in the same memory `shift` elements apart, rows `step` apart. */
static void shifted_check(int shift, uint64_t step)
{
	enum { ROWS = 12, COLUMNS = 8 };
	const struct isa_options ways[] = {{.own_places = true}, {.rows_bytes = 100}, {.rows_bytes = 200}};
	struct tile_task task;
	struct isa_program *program;
	unsigned x, y, first, zero;

	memset(&t, 0, sizeof(t));
	tile_begin(&t.b, "shifted");
	tile_param(&t.b, "in", PTOWSP_F32);
	tile_param(&t.b, "out", PTOWSP_F32);
	x = tile_tile(&t.b, "x", ROWS, COLUMNS, PTOWSP_F32);
	y = tile_tile(&t.b, "y", ROWS, COLUMNS, PTOWSP_F32);
	first = tile_tile(&t.b, "first", ROWS, 1, PTOWSP_F32);
	zero = tile_int(&t.b, 0);
	tile_op(&t.b, PTOWSP_PTO_TLOAD, x, 0, zero, zero);
	tile_op(&t.b, PTOWSP_PTO_TROWMAX, first, x);
	tile_op(&t.b, PTOWSP_PTO_TMULS, y, x, tile_float(&t.b, 3));
	tile_op(&t.b, PTOWSP_PTO_TROWEXPANDSUB, y, y, first);
	tile_op(&t.b, PTOWSP_PTO_TSTORE, y, 1, zero, zero);
	for (unsigned way = 0; way < 3; way++) {
		struct result *r = way ? &other : &plain;
		size_t size;
		const void *payload = tile_payload(&t.b, &size);

		for (unsigned i = 0; i < ELEMENTS; i++)
			r->memory[i] = (float)(i * 37 % 101);
		tile_task_begin(&task);
		tile_grid(&task, 0, r->memory + 512, PTOWSP_F32, step ? ROWS : 1, step ? COLUMNS : ROWS * COLUMNS, step ? step : ROWS * COLUMNS, 1);
		tile_grid(&task, 1, r->memory + 512 + shift, PTOWSP_F32, step ? ROWS : 1, step ? COLUMNS : ROWS * COLUMNS, step ? step : ROWS * COLUMNS, 1);
		REQUIRE(!isa_program_create_with(&program, payload, size, t.b.strings, t.b.strings_size, &ways[way], &task.error));
		CHECK_UINT(program->rows_count, way ? 1 : 0);
		CHECK_INT(tile_run(&task, program), PTOWSP_OK);
		CHECK_UINT(task.out.cycles, ROWS * COLUMNS * 4 + ROWS);
		isa_program_destroy(program);
		if (way)
			CHECK(memory_same());
	}
	tile_finish(&t.b);
}

/* A later block must not read what an earlier one stored. */
TEST(places_that_overlap_give_the_same)
{
	static const uint64_t steps[] = {0, 8, 11, 5, 1};

	for (unsigned k = 0; k < sizeof(steps) / sizeof(*steps); k++)
		for (int shift = -100; shift <= 100; shift++)
			shifted_check(shift, steps[k]);
}

/* The matrix that comes from outside shares no memory with the result, whose first rows are there before its last are read. */
TEST(tiles_from_outside_survive_until_their_last_row)
{
	const struct isa_options ways[] = {{.own_places = true}, {.rows_bytes = 100}};
	struct tile_task task;
	struct isa_program *program;
	unsigned x, y, spread, sums, zero;

	memset(&t, 0, sizeof(t));
	tile_begin(&t.b, "survive");
	tile_param(&t.b, "in", PTOWSP_F32);
	x = tile_tile(&t.b, "x", 12, 4, PTOWSP_F32);
	y = tile_tile(&t.b, "y", 12, 1, PTOWSP_F32);
	spread = tile_tile(&t.b, "wide", 12, 16, PTOWSP_F32);
	sums = tile_tile(&t.b, "sums", 1, 16, PTOWSP_F32);
	zero = tile_int(&t.b, 0);
	tile_op(&t.b, PTOWSP_PTO_TCI, x, tile_float(&t.b, 1));
	tile_op(&t.b, PTOWSP_PTO_TROWSUM, y, x);
	tile_op(&t.b, PTOWSP_PTO_TROWEXPAND, spread, y);
	tile_op(&t.b, PTOWSP_PTO_TCOLSUM, sums, spread);
	tile_op(&t.b, PTOWSP_PTO_TSTORE, sums, 0, zero, zero);
	for (unsigned way = 0; way < 2; way++) {
		size_t size;
		const void *payload = tile_payload(&t.b, &size);
		float result[16];

		tile_task_begin(&task);
		tile_window(&task, 0, result, PTOWSP_F32, 16);
		REQUIRE(!isa_program_create_with(&program, payload, size, t.b.strings, t.b.strings_size, &ways[way], &task.error));
		CHECK_INT(tile_run(&task, program), PTOWSP_OK);
		CHECK(result[0] == 48 * 49 / 2 && result[15] == result[0]);
		isa_program_destroy(program);
	}
	tile_finish(&t.b);
}
