/* SPDX-License-Identifier: MIT */
#include "aie/graph/divide.h"

#include "aie/graph/area.h"
#include "isa/emit/emit_core.h"
#include "isa/isa_straight.h"
#include "isa/isa_stretch.h"
#include "isa/opcode.h"
#include "registry/common/common_grow.h"
#include "rt/program/dtype.h"
#include "rt/program/rt_error.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	INSTS = 4096,   /* of a program as it runs */
	PIECE = 48,     /* instructions of a piece, or as many as its program has: programs of cores are short */
	DIMS = 8,       /* dimensions that are looked at */
	CUTS = 2,       /* of them, those that are cut at a time */
	PARTS = 256,    /* of a piece */
	ARGUMENTS = 64, /* of a part */
	ALIGN = 4       /* elements: ends of parts lie there, where there are more */
};

struct dividing {
	struct aie_division *division;
	const struct aie_division_args *args;
	struct isa_program *straight;
	struct isa_grid *grids; /* per parameter of a piece */
	uint32_t *same;         /* likewise */
	uint8_t *fixed;         /* per parameter of the program: nothing is stored there */
	struct ptowsp_error *error;
};
/* A piece, and how it is cut. */
struct piece {
	struct isa_program *program;
	struct isa_dims dims;
	struct isa_slice *slices;  /* room for those of a part */
	bool banned[DIMS][DIMS];   /* parts of these cuts get in each other's way */
	uint32_t cut[CUTS], count; /* places among dims.cuts; dimensions that are cut */
	uint32_t length[CUTS];     /* elements of each but the last */
	uint64_t tiles;            /* bytes of a part's tiles that do not lie in its arguments */
	uint64_t parts, weight;
};

/* ---- what a part takes ------------------------------------------------------------------------------------------------------ */

static uint32_t extent_of(const struct piece *piece, uint32_t cut)
{
	return isa_dims_extent(piece->program, piece->dims.cuts[cut]);
}

/* Part number `number` of the piece, whose cuts are written there. */
static struct isa_part part_of(const struct dividing *d, const struct piece *piece, uint64_t number, struct isa_cut cuts[CUTS])
{
	for (uint32_t c = piece->count; c-- > 0;) {
		const uint32_t extent = extent_of(piece, piece->cut[c]), length = piece->length[c], count = (extent + length - 1) / length;
		const uint32_t from = (uint32_t)(number % count) * length;

		cuts[c] = (struct isa_cut){piece->dims.cuts[piece->cut[c]], from, extent - from < length ? extent - from : length};
		number /= count;
	}
	return (struct isa_part){piece->program, &piece->dims, d->grids, cuts, piece->count};
}

/* As words, which is how it is moved: rows that do not lie whole words apart come with what lies between them (area.h). */
static uint64_t slice_bytes(const struct piece *piece, const struct isa_slice *slice)
{
	const uint64_t size = rt_dtype_bytes(isa_program_params(piece->program)[slice->param].dtype), row = slice->grid.columns * size;

	if (slice->grid.rows > 1 && slice->grid.stride * size % 4)
		return ((slice->grid.rows - 1) * slice->grid.stride * size + row + 6) / 4 * 4;
	return slice->grid.rows * ((slice->at * size % 4 + row + 3) / 4 * 4);
}

/* Bytes of the arguments of the first part, which is the largest. UINT64_MAX: too many, or one cannot be. */
static uint64_t arguments_of(const struct dividing *d, const struct piece *piece)
{
	struct ptowsp_error unsaid = {.head = PTOWSP_HEAD(unsaid, ERROR)};
	struct isa_cut cuts[CUTS];
	const struct isa_part part = part_of(d, piece, 0, cuts);
	uint32_t count;
	uint64_t bytes = 0;

	if (isa_part_slices(&part, piece->slices, &count, &unsaid) || count > ARGUMENTS)
		return UINT64_MAX;
	for (uint32_t s = 0; s < count; s++)
		bytes += slice_bytes(piece, &piece->slices[s]);
	return bytes;
}

/* Bytes of the first part's tiles that its function has on the stack. */
static ptowsp_status tiles_of(const struct dividing *d, const struct piece *piece, uint64_t *bytes_out)
{
	struct isa_cut cuts[CUTS];
	const struct isa_part part = part_of(d, piece, 0, cuts);
	struct isa_core_window windows[ARGUMENTS];
	struct isa_core_function function = {.symbol = "kernel", .windows = windows, .scalars = d->args->scalar_count, .blocks = 1};
	struct isa_program *program;
	char *products = NULL, *text = NULL;
	ptowsp_status status = isa_part_program(&program, &part, d->error);

	if (!status)
		status = isa_part_slices(&part, piece->slices, &function.tensors, d->error);
	for (uint32_t s = 0; !status && s < function.tensors; s++) {
		const struct isa_grid *grid = &piece->slices[s].grid;

		windows[s] = (struct isa_core_window){grid->rows, grid->columns, grid->columns, 0, s};
	}
	if (!status)
		status = isa_emit_core(program, &function, &products, &text, bytes_out, d->error);
	free(products);
	free(text);
	isa_program_destroy(program);
	return status;
}

/* ---- how a piece is cut ----------------------------------------------------------------------------------------------------- */

/* The next shorter length of parts. */
static uint32_t length_next(uint32_t extent, uint32_t length)
{
	uint32_t count = (extent + length - 1) / length, next = length;

	if (length <= ALIGN)
		return length / 2;
	while (next >= length)
		next = ((extent + count) / (count + 1) + ALIGN - 1) / ALIGN * ALIGN, count++;
	return next;
}

/* Parts along all cuts; uneven_out: the last ones are shorter. */
static uint64_t parts_of(const struct piece *piece, bool *uneven_out)
{
	uint64_t parts = 1;

	*uneven_out = false;
	for (uint32_t c = 0; c < piece->count; c++) {
		parts *= (extent_of(piece, piece->cut[c]) + piece->length[c] - 1) / piece->length[c];
		*uneven_out |= extent_of(piece, piece->cut[c]) % piece->length[c] != 0;
	}
	return parts;
}

/* The better of two cuts has fewer parts; even ones may be twice as many: they are one program, and elements that others cut alike go from core to core. */
static void better_take(struct piece *best, const struct piece *piece)
{
	bool uneven;
	const uint64_t parts = parts_of(piece, &uneven), weight = parts * (uneven ? 2 : 1);

	if (parts > PARTS || (best->parts && best->weight <= weight))
		return;
	best->parts = parts;
	best->weight = weight;
	best->count = piece->count;
	memcpy(best->cut, piece->cut, sizeof(best->cut));
	memcpy(best->length, piece->length, sizeof(best->length));
}

/* All lengths of the last cut with which the arguments take no more. */
static void lengths_look(const struct dividing *d, struct piece *best, struct piece *piece, uint64_t bytes)
{
	uint32_t *length = &piece->length[piece->count - 1];
	const uint32_t extent = extent_of(piece, piece->cut[piece->count - 1]);

	for (*length = length_next(extent, extent); *length; *length = length_next(extent, *length))
		if (arguments_of(d, piece) <= bytes / d->args->times)
			better_take(best, piece);
}

/* Along one dimension, or two. False: the arguments of no way take so little. */
static bool cuts_find(const struct dividing *d, struct piece *best, uint64_t bytes)
{
	const uint32_t dims = best->dims.cut_count < DIMS ? best->dims.cut_count : DIMS;
	struct piece piece = *best;

	best->parts = best->count = piece.count = 0;
	if (arguments_of(d, &piece) <= bytes / d->args->times) {
		best->parts = 1;
		return true;
	}
	for (piece.cut[0] = 0; piece.cut[0] < dims; piece.cut[0]++) {
		const uint32_t extent = extent_of(&piece, piece.cut[0]);

		piece.count = 1;
		if (!piece.banned[piece.cut[0]][piece.cut[0]])
			lengths_look(d, best, &piece, bytes);
		piece.count = 2;
		for (piece.cut[1] = piece.cut[0] + 1; piece.cut[1] < dims; piece.cut[1]++)
			for (piece.length[0] = length_next(extent, extent); piece.length[0]; piece.length[0] = length_next(extent, piece.length[0]))
				if (!piece.banned[piece.cut[0]][piece.cut[1]])
					lengths_look(d, best, &piece, bytes);
	}
	return best->parts;
}

/* ---- parts and each other --------------------------------------------------------------------------------------------------- */

static struct aie_area area_of(const struct isa_program *program, const struct isa_slice *slice)
{
	const uint16_t dtype = isa_program_params(program)[slice->param].dtype;
	const uint64_t size = rt_dtype_bytes(dtype);

	return (struct aie_area){.dtype = dtype,
				 .flat = slice->grid.rows == 1,
				 .at = slice->at * size,
				 .rows = slice->grid.rows,
				 .columns = slice->grid.columns,
				 .stride = slice->grid.stride * size};
}

/* Does one write what the other one touches? */
static bool slices_meet(const struct dividing *d, const struct isa_program *program, const struct isa_slice *a, const struct isa_slice *b)
{
	const struct aie_area x = area_of(program, a), y = area_of(program, b);

	return d->same[a->param] == d->same[b->param] && (a->writes || b->writes) && aie_areas_touch(&x, &y);
}

static bool is_one(const struct isa_slice *a, const struct isa_slice *b)
{
	return a->at == b->at && !memcmp(&a->grid, &b->grid, sizeof(a->grid));
}

/* Do slices of the parts meet? Part p has those from first[p] on; within one part they may be the same. */
static bool parts_meet(const struct dividing *d, const struct piece *piece, const struct isa_slice *slices, const uint32_t *first, uint64_t parts)
{
	for (uint64_t p = 0; p < parts; p++)
		for (uint32_t s = first[p]; s < first[p + 1]; s++)
			for (uint32_t other = s + 1; other < first[parts]; other++)
				if (slices_meet(d, piece->program, &slices[s], &slices[other]) && !(other < first[p + 1] && is_one(&slices[s], &slices[other])))
					return true;
	return false;
}

static ptowsp_status slices_all(const struct dividing *d, const struct piece *piece, struct isa_slice **slices_out, uint32_t **first_out)
{
	const uint32_t most = isa_program_header(piece->program)->inst_count;
	struct isa_slice *slices = calloc(piece->parts * most + 1, sizeof(*slices));
	uint32_t *first = calloc(piece->parts + 1, sizeof(*first));
	ptowsp_status status = slices && first ? PTOWSP_OK : rt_no_memory(d->error, "the parts of a call");

	for (uint64_t p = 0; !status && p < piece->parts; p++) {
		struct isa_cut cuts[CUTS];
		const struct isa_part part = part_of(d, piece, p, cuts);
		uint32_t count;

		status = isa_part_slices(&part, slices + first[p], &count, d->error);
		first[p + 1] = first[p] + count;
	}
	*slices_out = slices;
	*first_out = first;
	return status;
}

static ptowsp_status meeting_find(const struct dividing *d, const struct piece *piece, bool *meet_out)
{
	struct isa_slice *slices;
	uint32_t *first;
	ptowsp_status status = slices_all(d, piece, &slices, &first);

	*meet_out = !status && parts_meet(d, piece, slices, first, piece->parts);
	free(slices);
	free(first);
	return status;
}

/* ---- a piece ---------------------------------------------------------------------------------------------------------------- */

static void piece_finish(struct piece *piece)
{
	isa_program_destroy(piece->program);
	isa_dims_finish(&piece->dims);
	free(piece->slices);
	memset(piece, 0, sizeof(*piece));
}

/* Cuts it so that each part fits with its tiles. *fits_out: there is such a way. */
static ptowsp_status piece_cut(const struct dividing *d, struct piece *piece, bool *fits_out)
{
	uint64_t bytes = d->args->bytes;
	ptowsp_status status = PTOWSP_OK;

	*fits_out = false;
	while (!status && cuts_find(d, piece, bytes)) {
		bool meet;

		status = meeting_find(d, piece, &meet);
		if (!status && meet && !piece->count)
			return PTOWSP_OK;
		if (status || meet) {
			piece->banned[piece->cut[0]][piece->count > 1 ? piece->cut[1] : piece->cut[0]] = true;
			continue;
		}
		status = tiles_of(d, piece, &piece->tiles);
		*fits_out = !status && d->args->times * arguments_of(d, piece) + piece->tiles <= d->args->bytes;
		if (status || *fits_out || piece->tiles >= d->args->bytes || d->args->bytes - piece->tiles >= bytes)
			return status;
		bytes = d->args->bytes - piece->tiles;
	}
	return status;
}

static ptowsp_status piece_try(const struct dividing *d, struct piece *piece, uint32_t first, uint32_t end, bool *fits_out)
{
	ptowsp_status status;

	piece_finish(piece);
	*fits_out = false;
	status = isa_stretch(&piece->program, d->straight, first, end, d->fixed, d->error);
	if (!status)
		status = isa_dims_find(&piece->dims, piece->program, d->error);
	piece->slices = status ? NULL : calloc(isa_program_header(piece->program)->inst_count + 1u, sizeof(*piece->slices));
	if (!status && !piece->slices)
		status = rt_no_memory(d->error, "the parts of a call");
	return status ? status : piece_cut(d, piece, fits_out);
}

/* ---- parts ------------------------------------------------------------------------------------------------------------------ */

/* Takes the program. */
static ptowsp_status program_add(const struct dividing *d, struct isa_program *program, uint32_t *number_out)
{
	struct aie_division *division = d->division;

	for (*number_out = 0; *number_out < division->program_count; ++*number_out)
		if (isa_program_same(division->programs[*number_out], program)) {
			isa_program_destroy(program);
			return PTOWSP_OK;
		}
	if (!COMMON_GROW(division->programs, division->program_room, division->program_count)) {
		isa_program_destroy(program);
		return rt_no_memory(d->error, "the parts of a call");
	}
	division->programs[division->program_count++] = program;
	return PTOWSP_OK;
}

static ptowsp_status part_add(const struct dividing *d, const struct isa_part *part, const struct piece *piece)
{
	struct aie_division *division = d->division;
	struct aie_division_part row = {.slices = division->slice_count};
	struct isa_program *program;
	ptowsp_status status = isa_part_program(&program, part, d->error);

	if (!status)
		status = program_add(d, program, &row.program);
	if (!status)
		status = isa_part_slices(part, piece->slices, &row.count, d->error);
	for (uint32_t s = 0; !status && s < row.count; s++) {
		if (!COMMON_GROW(division->slices, division->slice_room, division->slice_count))
			return rt_no_memory(d->error, "the parts of a call");
		division->slices[division->slice_count++] = piece->slices[s];
	}
	if (!status && !COMMON_GROW(division->parts, division->part_room, division->part_count))
		return rt_no_memory(d->error, "the parts of a call");
	if (!status)
		division->parts[division->part_count++] = row;
	return status;
}

/* The tile that the program stores first; NULL: it stores nothing. */
static const struct ptowsp_tile_tile *stored_first(const struct isa_program *program)
{
	const struct ptowsp_tile_inst *insts = isa_program_insts(program);

	for (uint32_t i = 0; i < isa_program_header(program)->inst_count; i++)
		if (isa_op(insts[i].op)->shape == ISA_SHAPE_STORE)
			return &isa_program_tiles(program)[insts[i].a];
	return NULL;
}

static void text_make(const struct dividing *d, const struct ptowsp_tile_tile *whole, uint64_t parts)
{
	const struct ptowsp_tile_tile *part = stored_first(d->division->programs[0]);

	snprintf(d->division->text, sizeof(d->division->text), "%llu parts, %ux%u of %ux%u", (unsigned long long)parts, part->rows, part->columns, whole->rows,
		 whole->columns);
}

/* A piece that stores nothing is dropped. */
static ptowsp_status piece_take(struct dividing *d, const struct piece *piece)
{
	const struct ptowsp_tile_tile *stored = stored_first(piece->program);
	ptowsp_status status = PTOWSP_OK;

	for (uint64_t p = 0; stored && !status && p < piece->parts; p++) {
		struct isa_cut cuts[CUTS];
		const struct isa_part part = part_of(d, piece, p, cuts);

		status = part_add(d, &part, piece);
	}
	if (!status && stored && !d->division->pieces++)
		text_make(d, stored, piece->parts);
	return status;
}

/* ---- pieces ----------------------------------------------------------------------------------------------------------------- */

static ptowsp_status cannot(const struct dividing *d, uint32_t inst)
{
	const struct ptowsp_tile_inst *row = &isa_program_insts(d->straight)[inst];

	return rt_fail(d->error, PTOWSP_UNSUPPORTED, "%s in line %u needs all its elements", isa_op(row->op)->mnemonic, row->line);
}

/* The longest piece from `first` on that can be done, by halves; where it ends, and the piece. */
static ptowsp_status piece_find(struct dividing *d, struct piece *piece, uint32_t first, uint32_t *end_out)
{
	const uint32_t all = isa_program_header(d->straight)->inst_count - 1, length = isa_program_header(d->args->program)->inst_count;
	uint32_t most = first + (length > PIECE ? length : PIECE), good = first, bad;
	bool fits;
	ptowsp_status status;

	most = most < all ? most : all;
	status = piece_try(d, piece, first, most, &fits);
	if (status || fits) {
		*end_out = most;
		return status;
	}
	for (bad = most; !status && bad - good > 1;) {
		const uint32_t middle = good + (bad - good) / 2;

		status = piece_try(d, piece, first, middle, &fits);
		*(fits ? &good : &bad) = middle;
	}
	*end_out = good;
	if (!status && good == first)
		return cannot(d, first);
	return status ? status : piece_try(d, piece, first, good, &fits);
}

static ptowsp_status pieces_make(struct dividing *d)
{
	const uint32_t all = isa_program_header(d->straight)->inst_count - 1;
	struct piece piece = {.program = NULL};
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t at = 0; !status && at < all;) {
		status = piece_find(d, &piece, at, &at);
		if (!status)
			status = piece_take(d, &piece);
	}
	piece_finish(&piece);
	if (!status && !d->division->pieces)
		return rt_fail(d->error, PTOWSP_UNSUPPORTED, "it stores nothing");
	if (!status && d->division->pieces > 1)
		snprintf(d->division->text, sizeof(d->division->text), "%u parts of %u pieces that follow each other", d->division->part_count,
			 d->division->pieces);
	return status;
}

/* Windows of the program's parameters, and behind them of its tiles. */
static bool windows_make(struct dividing *d)
{
	const struct ptowsp_tile_header *h = isa_program_header(d->straight);
	const struct ptowsp_tile_inst *insts = isa_program_insts(d->straight);
	const struct ptowsp_tile_tile *tiles = isa_program_tiles(d->straight);

	d->grids = calloc(h->param_count + h->tile_count + 1u, sizeof(*d->grids));
	d->same = calloc(h->param_count + h->tile_count + 1u, sizeof(*d->same));
	d->fixed = calloc(h->param_count + 1u, 1);
	if (!d->grids || !d->same || !d->fixed)
		return false;
	for (uint32_t t = 0; t < h->tile_count; t++) {
		const uint64_t elements = (uint64_t)tiles[t].rows * tiles[t].columns;

		d->grids[h->param_count + t] = (struct isa_grid){1, elements, elements};
		d->same[h->param_count + t] = h->param_count + t;
	}
	for (uint32_t m = 0; m < h->param_count; m++) {
		d->grids[m] = d->args->grids[m];
		d->same[m] = d->args->same[m];
		d->fixed[m] = 1;
		for (uint32_t i = 0; i < h->inst_count; i++)
			if (isa_op(insts[i].op)->shape == ISA_SHAPE_STORE && d->args->same[insts[i].d] == d->same[m])
				d->fixed[m] = 0;
	}
	return true;
}

ptowsp_status aie_division_make(struct aie_division *division, const struct aie_division_args *args, struct ptowsp_error *error)
{
	struct dividing d = {.division = division, .args = args, .error = error};
	ptowsp_status status = isa_straight(&d.straight, args->program, args->scalars, args->scalar_count, args->blocks, INSTS, error);

	if (!status && !windows_make(&d))
		status = rt_no_memory(error, "the parts of a call");
	if (!status)
		status = pieces_make(&d);
	isa_program_destroy(d.straight);
	free(d.grids);
	free(d.same);
	free(d.fixed);
	return status;
}

void aie_division_finish(struct aie_division *division)
{
	for (uint32_t p = 0; p < division->program_count; p++)
		isa_program_destroy(division->programs[p]);
	free(division->programs);
	free(division->parts);
	free(division->slices);
	memset(division, 0, sizeof(*division));
}
