/* SPDX-License-Identifier: MIT */
#include "tests/isa/overlap_tiles.h"

#include <stdbool.h>
#include <string.h>

#include "tests/isa/tile_random.h"
#include "tests/isa/tile_subjects.h"

enum { SUBJECTS = sizeof(subjects) / sizeof(*subjects), FIRST = 4096, EQUAL = 0 /* the mode of a comparison */ };

/* A program being made. */
struct making {
	struct overlap_tiles *o;
	struct tile_builder *b;
	unsigned key, sum, mask;
	uint32_t R, C, K, G, H;
	unsigned places[OVERLAP_PLACES]; /* arguments */
	bool taken[TILE_TILES];          /* by the instruction that is being made */
};

static bool chance(unsigned percent)
{
	return random_below(100) < percent;
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

/* One of that shape that this instruction does not have; now and then one that it has. */
static unsigned some_tile(struct making *m, uint32_t rows, uint32_t columns, unsigned dtype)
{
	struct tile_builder *b = m->b;
	const bool again = chance(25);
	unsigned found = TILE_TILES;

	for (unsigned i = 0; i < b->header.tile_count; i++)
		if (b->tiles[i].rows == rows && b->tiles[i].columns == columns && b->tiles[i].dtype == dtype && (again || !m->taken[i]))
			found = i;
	if (found == TILE_TILES && b->header.tile_count < TILE_TILES)
		found = tile_tile(b, "", rows, columns, dtype);
	if (found < TILE_TILES)
		m->taken[found] = true;
	return found;
}

static unsigned place(struct making *m)
{
	return chance(30) ? tile_int(m->b, (int64_t)random_below(3)) : m->places[random_below(OVERLAP_PLACES)];
}

/* The window of a type from `first` on; OVERLAP_WINDOWS: there is none. */
static unsigned window_of(const struct making *m, unsigned first, unsigned dtype)
{
	if (dtype == m->key)
		return first + random_below(2);
	for (unsigned w = first + 2; w < first + 4; w++)
		if (m->o->dtypes[w] == dtype)
			return w;
	return OVERLAP_WINDOWS;
}

static void expand(struct making *m, unsigned tile, int64_t number)
{
	const unsigned dtype = m->b->tiles[tile].dtype;
	const struct cell value = {(double)number, number};

	tile_op(m->b, PTOWSP_PTO_TEXPANDS, tile,
		cell_is_float(dtype) ? tile_scalar(m->b, "", dtype, PTOWSP_SCALAR_CONST, cell_bits(dtype, value)) : tile_int(m->b, number));
}

static void load(struct making *m, unsigned tile)
{
	const unsigned window = window_of(m, OVERLAP_READ, m->b->tiles[tile].dtype);

	if (window < OVERLAP_WINDOWS)
		tile_op(m->b, PTOWSP_PTO_TLOAD, tile, window, place(m), place(m));
	else
		expand(m, tile, 1);
}

static void index_load(struct making *m, unsigned op, unsigned tile)
{
	if (op == PTOWSP_PTO_TGATHERB)
		expand(m, tile, 0);
	else
		tile_op(m->b, PTOWSP_PTO_TLOAD, tile, m->b->tiles[tile].dtype == PTOWSP_I32 ? OVERLAP_I32 : OVERLAP_U32, tile_int(m->b, 0), tile_int(m->b, 0));
}

static void store(struct making *m, struct overlap_section *section, unsigned tile)
{
	const unsigned dtype = m->b->tiles[tile].dtype;
	const unsigned window = window_of(m, section->apart ? OVERLAP_WRITE : OVERLAP_READ, dtype);

	if (window == OVERLAP_WINDOWS || (section->stored && section->stored != dtype))
		return;
	section->stored = dtype;
	if (m->b->tiles[tile].columns == m->C && m->b->tiles[tile].rows == m->R && dtype == m->key && dtype != PTOWSP_BOOL && chance(10)) {
		const unsigned scale = some_tile(m, 1, m->C, m->key);

		if (scale < TILE_TILES) {
			expand(m, scale, 2);
			tile_op(m->b, PTOWSP_PTO_TSTORE_FP, tile, scale, window, place(m), place(m));
			return;
		}
	}
	tile_op(m->b, PTOWSP_PTO_TSTORE, tile, window, place(m), place(m));
}

static unsigned scalar_for(struct making *m, unsigned op)
{
	if (op == PTOWSP_PTO_TEXTRACT)
		return tile_int(m->b, 0);
	if (cell_is_float(m->key))
		return tile_scalar(m->b, "", m->key, PTOWSP_SCALAR_CONST, cell_bits(m->key, random_cell(m->key)));
	return tile_int(m->b, 1 + (int64_t)random_below(5));
}

/* Its operands' tiles and scalars; false: there is no room for one. */
static bool operands_choose(struct making *m, const struct subject *s, unsigned row[6])
{
	const struct isa_op *op = isa_op(s->op);
	const unsigned sum = chance(50) ? m->key : m->sum, index = chance(50) ? PTOWSP_I32 : PTOWSP_U32;
	unsigned next = 0;

	memset(m->taken, 0, sizeof(m->taken));
	for (unsigned k = 0; op->operands[k]; k++) {
		if (op->operands[k] != 'T' && op->operands[k] != 't') {
			row[k] = scalar_for(m, s->op);
			continue;
		}
		row[k] = some_tile(m, side_of(m, s->shapes[2 * next]), side_of(m, s->shapes[2 * next + 1]),
				   s->types[next] == 'k'   ? m->key
				   : s->types[next] == 'r' ? sum
				   : s->types[next] == 'm' ? m->mask
							   : index);
		if (row[k] == TILE_TILES)
			return false;
		next++;
	}
	return s->op != PTOWSP_PTO_TSORT32 || row[0] != row[1];
}

static void instruction(struct making *m, struct overlap_section *section, const struct subject *s)
{
	const struct isa_op *op = isa_op(s->op);
	unsigned row[6] = {0}, next = 0;

	if (!operands_choose(m, s, row))
		return;
	for (unsigned k = 0; op->operands[k]; k++)
		if (op->operands[k] == 'T' || op->operands[k] == 't') {
			if (s->types[next++] == 'i' && op->operands[k] == 't')
				index_load(m, s->op, row[k]);
			else
				load(m, row[k]);
		}
	tile_op(m->b, s->op, row[0], row[1], row[2], row[3], row[4]);
	if (s->op == PTOWSP_PTO_TCVT)
		tile_mode(m->b, random_below(PTOWSP_ROUND_ODD + 1));
	else if (s->op == PTOWSP_PTO_TCMP || s->op == PTOWSP_PTO_TCMPS)
		tile_mode(m->b, random_below(6));
	if (chance(30) && m->b->tiles[row[0]].dtype != PTOWSP_BOOL)
		tile_op(m->b, PTOWSP_PTO_TADD, row[0], row[0], row[0]);
	for (unsigned k = 0; op->operands[k]; k++)
		if (op->operands[k] == 'T')
			store(m, section, row[k]);
	if (chance(30))
		store(m, section, row[0]);
}

/* One operation behind its loads, with stores of what comes of it; or two, whose second one reads what the first one's stores have left. */
static void section_make(struct making *m, unsigned number, const struct subject *s)
{
	struct overlap_section *section = &m->o->sections[number];
	const unsigned is = tile_local(m->b, "", PTOWSP_BOOL, 0);

	if (!strchr(isa_op(s->op)->keys, cell_is_float(m->key) ? 'f' : m->key == PTOWSP_BOOL ? 'b' : 'i'))
		return;
	*section = (struct overlap_section){.op = s->op, .apart = chance(60)};
	tile_op(m->b, PTOWSP_PTO_CMP, is, 0, tile_int(m->b, number)); /* row 0: the first argument */
	tile_mode(m->b, EQUAL);
	tile_if(m->b, is);
	instruction(m, section, s);
	if (!section->apart && chance(50))
		instruction(m, section, s);
	tile_end(m->b);
}

static void sides_choose(struct making *m)
{
	static const uint32_t rows[] = {1, 2, 3, 8, 9}, columns[] = {1, 3, 8, 17, 64, 70};

	m->R = rows[random_below(5)];
	m->C = columns[random_below(6)];
	m->G = 1 + random_below(3);
	m->H = 1 + random_below(3);
	m->K = m->G * m->H * (1 + random_below(3));
	m->o->rows = m->R > m->K ? m->R : m->K;
	m->o->columns = m->C > m->K ? m->C : m->K;
	m->o->inner = m->K;
}

void overlap_tiles_make(struct overlap_tiles *o, uint64_t seed, unsigned type, unsigned part)
{
	struct making m = {.o = o, .b = &o->b, .key = tile_dtypes[type]};

	random_seed = draw_seed(seed);
	memset(o->sections, 0, sizeof(o->sections));
	m.sum = tile_wider(m.key);
	m.mask = tile_dtypes[random_below(TILE_TYPES)];
	sides_choose(&m);
	tile_begin(m.b, "overlap");
	for (unsigned w = 0; w < OVERLAP_WINDOWS; w++) {
		const unsigned among[] = {m.key, m.key, m.sum, m.mask};

		o->dtypes[w] = w < OVERLAP_I32 ? among[w % 4] : w == OVERLAP_I32 ? PTOWSP_I32 : PTOWSP_U32;
		m.b->params[tile_param(m.b, "", o->dtypes[w])].access = w < OVERLAP_I32 ? PTOWSP_READ | PTOWSP_WRITE : PTOWSP_READ;
	}
	tile_arg(m.b, "section", PTOWSP_I64);
	for (unsigned i = 0; i < OVERLAP_PLACES; i++)
		m.places[i] = tile_arg(m.b, "", PTOWSP_I64);
	for (unsigned k = 0; k < OVERLAP_SECTIONS && part * OVERLAP_SECTIONS + k < SUBJECTS; k++)
		section_make(&m, k, &subjects[part * OVERLAP_SECTIONS + k]);
}

void overlap_tiles_fill(const struct overlap_tiles *o, uint64_t seed, unsigned char *memory, unsigned char *indices)
{
	const unsigned dtype = o->dtypes[OVERLAP_READ], bytes = cell_bytes(dtype);
	uint32_t one;

	random_seed = draw_seed(seed);
	for (size_t at = 0; at + bytes <= OVERLAP_BYTES; at += bytes)
		cell_pack(dtype, random_cell(dtype), memory + at);
	for (size_t at = 0; at < OVERLAP_BYTES; at += sizeof(one)) {
		one = random_below(o->inner < o->rows ? o->inner : o->rows);
		memcpy(indices + at, &one, sizeof(one));
	}
}

/* Flat, or rows that lie apart, side by side or over each other; now and then elements with gaps between them. Windows of a task begin at multiples of an element from each other. */
static void window_choose(const struct overlap_tiles *o, struct tile_task *task, unsigned w, unsigned char *memory, size_t at)
{
	static const uint32_t few[] = {0, 1, 2, 5};
	const unsigned dtype = o->dtypes[w];
	const uint32_t own[] = {o->columns, o->columns + 1, o->columns + 7, 2 * o->columns, 97, few[random_below(4)], o->columns - o->columns / 3};
	const uint32_t rows = 3 * o->rows + 2, columns = o->columns + 40;
	const uint64_t step = task->tensors[OVERLAP_READ].row_stride;

	if (chance(30))
		tile_window(task, w, memory + at, dtype, 4096);
	else
		tile_grid(task, w, memory + at, dtype, rows, columns, w && chance(60) && step < 200 ? step : own[random_below(7)],
			  chance(90) ? 1 : random_below(3));
}

void overlap_tiles_task(const struct overlap_tiles *o, struct tile_task *task, unsigned section, uint64_t seed, unsigned char *read, unsigned char *written,
			unsigned char *indices)
{
	size_t bytes, phase;

	random_seed = draw_seed(seed);
	bytes = cell_bytes(o->dtypes[OVERLAP_READ]);
	phase = chance(10) ? random_below((uint32_t)bytes) : 0;
	tile_task_begin(task);
	for (unsigned w = 0; w < OVERLAP_I32; w++)
		window_choose(o, task, w, w < OVERLAP_WRITE ? read : written,
			      FIRST + phase +
				      bytes * (chance(50)        ? 0
					       : random_below(2) ? random_below(o->columns + 2)
								 : random_below(200)));
	tile_window(task, OVERLAP_I32, indices, PTOWSP_I32, OVERLAP_BYTES / 4);
	tile_window(task, OVERLAP_U32, indices, PTOWSP_U32, OVERLAP_BYTES / 4);
	tile_task_arg(task, section);
	for (unsigned i = 0; i < OVERLAP_PLACES; i++)
		tile_task_arg(task, chance(99) ? random_below(i % 2 ? 3 : 12) : 1000);
}
