/* SPDX-License-Identifier: MIT */
#include "tests/isa/random_tiles.h"

#include <stdio.h>
#include <string.h>

#include "tests/isa/tile_random.h"
#include "tests/isa/tile_subjects.h"

enum {
	PART_SUBJECTS = 20,
	SUBJECTS = sizeof(subjects) / sizeof(*subjects),
	TILES_MOST = TILE_TILES - 2,
	INSTS_MOST = 60,
	AT_I32 = 13,
	AT_U32 = 14,
	FLAT_ELEMENTS = 6000
};

/* What one program is made of. */
struct making {
	struct tile_builder *b;
	unsigned key; /* the type that most of it is on */
	uint32_t R, C, K, G, H;
	unsigned numbers[4]; /* i64, i32, u8 and u64 locals */
	unsigned floats;     /* a local of the key type, if that is a float type */
	unsigned counter;    /* of the innermost loop, an i64 */
	bool chains;         /* element-wise operations on one shape, mostly */
	unsigned loops;
};

static bool chance(unsigned percent)
{
	return random_below(100) < percent;
}

static unsigned some_type(const struct making *m)
{
	return chance(80) ? m->key : tile_dtypes[random_below(TILE_TYPES)];
}

static bool has_key(const struct isa_op *op, unsigned dtype)
{
	return strchr(op->keys, cell_is_float(dtype) ? 'f' : dtype == PTOWSP_BOOL ? 'b' : 'i') != NULL;
}

static unsigned window_of(unsigned dtype)
{
	for (unsigned i = 0; i < TILE_TYPES; i++)
		if (tile_dtypes[i] == dtype)
			return i;
	return 0;
}

/* --- scalars --- */

static unsigned integer_scalar(struct making *m)
{
	static const unsigned types[] = {PTOWSP_I64, PTOWSP_I32, PTOWSP_U8, PTOWSP_I16, PTOWSP_U64, PTOWSP_BOOL, PTOWSP_I8, PTOWSP_U32};
	const unsigned type = types[random_below(8)];

	if (chance(50))
		return m->numbers[random_below(4)];
	return tile_scalar(m->b, "", type, PTOWSP_SCALAR_CONST, cell_bits(type, random_cell(type)));
}

static unsigned value_scalar(struct making *m, unsigned key)
{
	if (!cell_is_float(key))
		return integer_scalar(m);
	if (key == m->key && chance(50))
		return m->floats;
	return tile_scalar(m->b, "", key, PTOWSP_SCALAR_CONST, cell_bits(key, random_cell(key)));
}

/* Mostly where there is something. */
static unsigned small_number(struct making *m, unsigned below)
{
	return chance(30) ? m->counter : tile_int(m->b, chance(99) ? (int64_t)random_below(below) : (int64_t)random_below(100000) - 3);
}

/* --- tiles --- */

/* One of that shape, most of the time one that is there; TILE_TILES: none. */
static unsigned some_tile(struct making *m, uint32_t rows, uint32_t columns, unsigned dtype)
{
	struct tile_builder *b = m->b;
	unsigned seen = 0, chosen = TILE_TILES;

	for (unsigned i = 0; i < b->header.tile_count; i++)
		if (b->tiles[i].rows == rows && b->tiles[i].columns == columns && b->tiles[i].dtype == dtype && !random_below(++seen))
			chosen = i;
	if (b->header.tile_count == TILES_MOST || (seen && chance(seen > 3 ? 90 : 60)))
		return chosen;
	return tile_tile(b, chance(20) ? "x" : "", rows, columns, dtype); /* names may repeat */
}

static uint32_t side_of(const struct making *m, char letter)
{
	switch (letter) {
	case 'r': return 1 + m->R / 2;
	case 'c': return 1 + m->C / 2;
	case 'P': return m->R * m->C;
	default: return TILE_SIDE(m, letter);
	}
}

static void load(struct making *m, unsigned tile, unsigned window)
{
	tile_op(m->b, PTOWSP_PTO_TLOAD, tile, window, small_number(m, 3), small_number(m, 40));
}

static void load_some(struct making *m)
{
	const unsigned dtype = some_type(m), tile = some_tile(m, m->R, chance(80) ? m->C : 1, dtype);

	if (tile < TILE_TILES)
		load(m, tile, window_of(dtype));
}

static void store_some(struct making *m)
{
	const unsigned tile = random_below(m->b->header.tile_count);

	tile_op(m->b, PTOWSP_PTO_TSTORE, tile, window_of(m->b->tiles[tile].dtype), small_number(m, 3), small_number(m, 40));
}

static void store_scaled(struct making *m)
{
	const unsigned tile = some_tile(m, m->R, m->C, m->key), scale = some_tile(m, 1, m->C, m->key);

	if (tile < TILE_TILES && scale < TILE_TILES && m->key != PTOWSP_BOOL)
		tile_op(m->b, PTOWSP_PTO_TSTORE_FP, tile, scale, window_of(m->key), small_number(m, 3), small_number(m, 40));
}

/* Indices are loaded where they are few enough, bytes are all 0. */
static void index_fill(struct making *m, unsigned op, unsigned tile, unsigned dtype)
{
	if (chance(4))
		return;
	if (op == PTOWSP_PTO_TGATHERB || chance(20))
		tile_op(m->b, PTOWSP_PTO_TEXPANDS, tile, tile_int(m->b, 0));
	else
		tile_op(m->b, PTOWSP_PTO_TLOAD, tile, dtype == PTOWSP_I32 ? AT_I32 : AT_U32, tile_int(m->b, 0), tile_int(m->b, random_below(40)));
}

static void indexed(struct making *m)
{
	const unsigned dtype = chance(50) ? PTOWSP_I32 : PTOWSP_U32;
	const unsigned tile = some_tile(m, m->R, m->C, m->key), index = some_tile(m, m->R, m->C, dtype);

	if (tile == TILE_TILES || index == TILE_TILES)
		return;
	index_fill(m, 0, index, dtype);
	if (chance(50))
		tile_op(m->b, PTOWSP_PTO_MGATHER, tile, window_of(m->key), index);
	else
		tile_op(m->b, PTOWSP_PTO_MSCATTER, tile, window_of(m->key), index);
}

static bool is_chain(unsigned op)
{
	const struct isa_op *row = isa_op(op);

	return row->operands[0] == 'T' && op != PTOWSP_PTO_TASSIGN && op < PTOWSP_PTO_TTRANS && (op < PTOWSP_PTO_TMATMUL || op > PTOWSP_PTO_TMATMUL_MX) &&
	       (op < PTOWSP_PTO_TCOLSUM || op > PTOWSP_PTO_TCOLMIN);
}

/* An instruction; nothing where no tile is left for it. */
static void operate_on(struct making *m, const struct subject *s, unsigned key)
{
	const struct isa_op *op = isa_op(s->op);
	const unsigned sum = chance(50) ? key : tile_wider(key), mask = some_type(m);
	const unsigned index = chance(50) ? PTOWSP_I32 : PTOWSP_U32;
	unsigned row[6] = {0}, next = 0;

	if (!has_key(op, key))
		return;
	for (unsigned k = 0; op->operands[k]; k++)
		if (op->operands[k] == 'T' || op->operands[k] == 't') {
			const char type = s->types[next];
			const unsigned dtype = type == 'k' ? key : type == 'r' ? sum : type == 'm' ? mask : index;

			row[k] = some_tile(m, side_of(m, s->shapes[2 * next]), side_of(m, s->shapes[2 * next + 1]), dtype);
			next++;
			if (row[k] == TILE_TILES)
				return;
			if (type == 'i' && op->operands[k] == 't')
				index_fill(m, s->op, row[k], dtype);
		} else {
			row[k] = s->op == PTOWSP_PTO_TEXTRACT ? small_number(m, 2) : value_scalar(m, key);
		}
	if (s->op == PTOWSP_PTO_TSORT32 && row[0] == row[1])
		return;
	tile_op(m->b, s->op, row[0], row[1], row[2], row[3], row[4]);
	if (s->op == PTOWSP_PTO_TCVT)
		tile_mode(m->b, random_below(PTOWSP_ROUND_ODD + 1));
	else if (s->op == PTOWSP_PTO_TCMP || s->op == PTOWSP_PTO_TCMPS)
		tile_mode(m->b, random_below(6));
}

static void operate(struct making *m)
{
	const struct subject *s = &subjects[random_below(SUBJECTS)];

	if (!m->chains || is_chain(s->op) || chance(10))
		operate_on(m, s, some_type(m));
}

/* --- single elements, scalar arithmetic --- */

static void element(struct making *m)
{
	const unsigned tile = random_below(m->b->header.tile_count), type = m->b->tiles[tile].dtype, window = window_of(m->key);
	const unsigned number = m->numbers[random_below(4)], held = cell_is_float(m->key) ? m->floats : number;

	switch (random_below(4)) {
	case 0:
		if (!cell_is_float(type) || type == m->key)
			tile_op(m->b, PTOWSP_PTO_GETVAL, cell_is_float(type) ? m->floats : number, tile, small_number(m, 4));
		break;
	case 1:
		if (!cell_is_float(type) || type == m->key)
			tile_op(m->b, PTOWSP_PTO_SETVAL, tile, small_number(m, 4), value_scalar(m, type));
		break;
	case 2: tile_op(m->b, PTOWSP_PTO_LOAD, held, window, small_number(m, 300)); break;
	default: tile_op(m->b, PTOWSP_PTO_STORE, value_scalar(m, m->key), window, small_number(m, 300)); break;
	}
}

static void arithmetic(struct making *m)
{
	static const unsigned ops[] = {PTOWSP_PTO_ADD, PTOWSP_PTO_SUB, PTOWSP_PTO_MUL, PTOWSP_PTO_DIV};
	const unsigned op = ops[random_below(4 - chance(70))];

	if (cell_is_float(m->key) && chance(40)) {
		if (chance(30))
			tile_op(m->b, PTOWSP_PTO_MOV, chance(50) ? m->floats : m->numbers[random_below(4)], chance(50) ? m->floats : integer_scalar(m));
		else
			tile_op(m->b, op, m->floats, m->floats, value_scalar(m, m->key));
	} else if (chance(30)) {
		tile_op(m->b, PTOWSP_PTO_CMP, m->numbers[random_below(4)], integer_scalar(m), integer_scalar(m));
		tile_mode(m->b, random_below(6));
	} else if (chance(20)) {
		tile_op(m->b, chance(50) ? PTOWSP_PTO_MOV : PTOWSP_PTO_LI, m->numbers[random_below(4)], integer_scalar(m));
	} else {
		tile_op(m->b, op, m->numbers[random_below(4)], integer_scalar(m), integer_scalar(m));
	}
}

/* --- control --- */

static void statements(struct making *m, unsigned depth, unsigned count);

static void leave(struct making *m)
{
	tile_if(m->b, m->numbers[random_below(4)]);
	if (chance(50))
		tile_mode(m->b, 0);
	tile_op(m->b, chance(50) ? PTOWSP_PTO_BREAK : PTOWSP_PTO_CONTINUE);
	tile_end(m->b);
}

/* Counters are i64, i32 or u8; the bound a number or an argument; the step now and then a variable. */
static void loop(struct making *m, unsigned depth)
{
	static const unsigned types[] = {PTOWSP_I64, PTOWSP_I64, PTOWSP_I32, PTOWSP_U8};
	const unsigned before = m->counter, step = chance(70) ? tile_int(m->b, 1 + random_below(2)) : tile_local(m->b, "step", PTOWSP_I32, 1);

	m->counter = tile_local(m->b, "i", types[random_below(4)], 0);
	m->loops++;
	tile_for(m->b, m->counter, tile_int(m->b, 0), chance(50) ? tile_int(m->b, random_below(4)) : 0, step);
	statements(m, depth + 1, 1 + random_below(4));
	if (chance(40))
		leave(m);
	statements(m, depth + 1, 1 + random_below(3));
	tile_end(m->b);
	m->loops--;
	m->counter = before;
}

static void repeat(struct making *m, unsigned depth)
{
	const unsigned left = tile_local(m->b, "left", PTOWSP_I64, 1 + random_below(3)), one = tile_int(m->b, 1);

	m->loops++;
	tile_while(m->b);
	tile_do(m->b, left);
	tile_op(m->b, PTOWSP_PTO_SUB, left, left, one);
	statements(m, depth + 1, 1 + random_below(4));
	if (chance(40))
		leave(m);
	tile_end(m->b);
	m->loops--;
}

static void branch(struct making *m, unsigned depth)
{
	tile_if(m->b, chance(50) || !cell_is_float(m->key) ? m->numbers[random_below(4)] : m->floats);
	statements(m, depth + 1, 1 + random_below(3));
	if (chance(50)) {
		tile_else(m->b);
		statements(m, depth + 1, 1 + random_below(3));
	}
	tile_end(m->b);
}

static void statement(struct making *m, unsigned depth)
{
	const unsigned which = random_below(100);

	if (which < 55 || m->b->header.inst_count > INSTS_MOST || m->b->header.scalar_count > TILE_SCALARS - 40)
		operate(m);
	else if (which < 66)
		load_some(m);
	else if (which < 76)
		store_some(m);
	else if (which < 78)
		store_scaled(m);
	else if (which < 81)
		indexed(m);
	else if (which < 85)
		element(m);
	else if (which < 90)
		arithmetic(m);
	else if (depth < 3 && which < 94)
		loop(m, depth);
	else if (depth < 3 && which < 96)
		repeat(m, depth);
	else if (depth < 3)
		branch(m, depth);
}

static void statements(struct making *m, unsigned depth, unsigned count)
{
	for (unsigned i = 0; i < count * 3; i++)
		statement(m, depth);
}

/* --- the task --- */

static void window_fill(unsigned char *memory, unsigned window)
{
	const unsigned dtype = window < TILE_TYPES ? tile_dtypes[window] : window == AT_I32 ? PTOWSP_I32 : PTOWSP_U32;

	for (uint32_t i = 0; i < RANDOM_BYTES / cell_bytes(dtype); i++)
		cell_pack(dtype, window < TILE_TYPES ? random_cell(dtype) : (struct cell){0, random_below(4)}, memory + i * cell_bytes(dtype));
}

static void windows_make(struct random_tiles *r)
{
	for (unsigned w = 0; w < RANDOM_WINDOWS; w++) {
		const unsigned dtype = w < TILE_TYPES ? tile_dtypes[w] : w == AT_I32 ? PTOWSP_I32 : PTOWSP_U32;
		unsigned char *data = r->memory[w];

		random_few = random_below(8) == 0;
		window_fill(data, w);
		random_few = false;
		if (w >= TILE_TYPES || chance(60))
			tile_window(&r->task, w, data, dtype, FLAT_ELEMENTS);
		else if (chance(10) && cell_bytes(dtype) > 1)
			tile_window(&r->task, w, data + 1, dtype, FLAT_ELEMENTS); /* elements at odd bytes */
		else if (chance(70))
			tile_grid(&r->task, w, data, dtype, 64, 80, 90, 1);
		else
			tile_grid(&r->task, w, data, dtype, 40, 80, 180, 2);
	}
}

static void sides_choose(struct making *m)
{
	static const uint32_t rows[] = {1, 2, 8, 9, 16, 17, 33}, columns[] = {1, 3, 8, 16, 33, 40};

	m->R = rows[random_below(7)];
	m->C = columns[random_below(6)];
	m->G = 1 + random_below(3);
	m->H = 1 + random_below(3);
	m->K = m->G * m->H * (1 + random_below(3));
	if (chance(30)) /* makes room for in-place products */
		m->K = m->R = m->C, m->G = m->H = 1;
}

/* Any shape; half of them have one row more than vectors take. */
static void sides_any(struct making *m)
{
	m->R = chance(50) ? 1 + 16 * (1 + random_below(4)) : 1 + random_below(70);
	m->C = 1 + random_below(20);
	m->G = m->H = m->K = 1;
}

static void sides_17x5(struct making *m)
{
	m->R = 17, m->C = 5;
	m->G = m->H = m->K = 1;
}

static void begin(struct making *m, struct random_tiles *r, uint64_t seed, unsigned key, void (*sides)(struct making *), unsigned char (*memory)[RANDOM_BYTES])
{
	char name[32];

	*m = (struct making){.b = &r->b};
	random_seed = seed;
	r->memory = memory;
	m->key = key < TILE_TYPES ? tile_dtypes[key] : tile_dtypes[random_below(TILE_TYPES)];
	sides(m);
	snprintf(name, sizeof(name), "random_%llu", (unsigned long long)seed);
	tile_begin(&r->b, name);
	tile_task_begin(&r->task);
	for (unsigned w = 0; w < RANDOM_WINDOWS; w++)
		tile_param(&r->b, chance(50) ? "w" : "", w < TILE_TYPES ? tile_dtypes[w] : w == AT_I32 ? PTOWSP_I32 : PTOWSP_U32);
	tile_arg(&r->b, "n", PTOWSP_I32); /* row 0 */
	tile_task_arg(&r->task, random_below(4));
	m->numbers[0] = tile_local(&r->b, "a", PTOWSP_I64, random_below(3));
	m->numbers[1] = tile_local(&r->b, "b", PTOWSP_I32, (uint64_t) - (int64_t)random_below(3));
	m->numbers[2] = tile_local(&r->b, "c", PTOWSP_U8, 255);
	m->numbers[3] = tile_local(&r->b, "d", PTOWSP_U64, UINT64_MAX - random_below(3));
	m->floats = cell_is_float(m->key) ? tile_local(&r->b, "f", m->key, cell_bits(m->key, random_cell(m->key))) : 0;
	m->counter = tile_local(&r->b, "", PTOWSP_I64, 1);
	tile_tile(&r->b, "x", m->R, m->C, m->key);
	load(m, 0, window_of(m->key));
}

/* Some tiles are seen at the end. */
static void finish(struct random_tiles *r, unsigned percent)
{
	for (unsigned t = 0; t < r->b.header.tile_count; t++)
		if (chance(percent))
			tile_op(&r->b, PTOWSP_PTO_TSTORE, t, window_of(r->b.tiles[t].dtype), tile_int(&r->b, 0), tile_int(&r->b, t * 50));
	for (unsigned w = 0; w < RANDOM_WINDOWS; w++) /* what nothing touches */
		r->b.params[w].access |= PTOWSP_READ;
	windows_make(r);
}

void random_tiles_make(struct random_tiles *r, uint64_t seed, unsigned char (*memory)[RANDOM_BYTES])
{
	struct making m;

	begin(&m, r, seed, TILE_TYPES, sides_choose, memory);
	m.chains = chance(60);
	statements(&m, 0, 10);
	finish(r, 30);
}

unsigned random_tiles_all(struct random_tiles *r, uint64_t seed, unsigned type, unsigned part, unsigned char (*memory)[RANDOM_BYTES])
{
	struct making m;

	begin(&m, r, seed, type, sides_choose, memory);
	for (unsigned k = part * PART_SUBJECTS; k < (part + 1) * PART_SUBJECTS && k < SUBJECTS; k++) {
		operate_on(&m, &subjects[k], m.key);
		element(&m);
	}
	if (part == 0) {
		store_scaled(&m);
		indexed(&m);
		indexed(&m);
	}
	finish(r, 100);
	return m.key;
}

/* Each reduction, and what is made of its result at once. */
static void reduce_all(struct making *m)
{
	static const unsigned thens[] = {PTOWSP_PTO_TRELU, PTOWSP_PTO_TNEG, PTOWSP_PTO_TMOV};

	for (unsigned k = 0; k < SUBJECTS; k++) {
		const struct subject *s = &subjects[k];
		const unsigned then = thens[random_below(3)], t = m->b->header.tile_count;

		if (s->op < PTOWSP_PTO_TROWSUM || s->op > PTOWSP_PTO_TCOLMIN || !has_key(isa_op(s->op), m->key))
			continue;
		for (unsigned i = 0; i < 2; i++)
			tile_tile(m->b, "", side_of(m, s->shapes[0]), side_of(m, s->shapes[1]), m->key);
		tile_op(m->b, s->op, t, 0);
		tile_op(m->b, has_key(isa_op(then), m->key) ? then : PTOWSP_PTO_TMOV, t + 1, t);
	}
}

/* All tiles one behind the other, those that no longer fit from the beginning again. */
static void store_all(struct making *m)
{
	uint64_t at[RANDOM_WINDOWS] = {0};

	for (unsigned t = 0; t < m->b->header.tile_count; t++) {
		const unsigned w = window_of(m->b->tiles[t].dtype);
		const uint64_t count = (uint64_t)m->b->tiles[t].rows * m->b->tiles[t].columns;

		at[w] = at[w] + count > FLAT_ELEMENTS ? 0 : at[w];
		tile_op(m->b, PTOWSP_PTO_TSTORE, t, w, tile_int(m->b, 0), tile_int(m->b, (int64_t)at[w]));
		at[w] += count;
	}
}

void random_tiles_shape(struct random_tiles *r, uint64_t seed, bool any, unsigned char (*memory)[RANDOM_BYTES])
{
	struct making m;

	begin(&m, r, seed, (unsigned)(seed % TILE_TYPES), any ? sides_any : sides_17x5, memory);
	reduce_all(&m);
	for (unsigned i = 0; i < 12; i++) {
		const struct subject *s = &subjects[random_below(SUBJECTS)];

		if (is_chain(s->op))
			operate_on(&m, s, m.key);
	}
	store_all(&m);
	finish(r, 0);
	for (unsigned w = 0; w < TILE_TYPES; w++)
		tile_window(&r->task, w, memory[w], tile_dtypes[w], FLAT_ELEMENTS);
}

struct tile_task random_tiles_task(const struct random_tiles *r, unsigned char (*memory)[RANDOM_BYTES])
{
	struct tile_task task = r->task;

	for (unsigned w = 0; w < RANDOM_WINDOWS; w++)
		task.tensors[w].data = memory[w] + ((unsigned char *)task.tensors[w].data - r->memory[w]);
	memcpy(memory, r->memory, sizeof(*memory) * RANDOM_WINDOWS);
	return task;
}
