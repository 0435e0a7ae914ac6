/* SPDX-License-Identifier: MIT */
/* check_walk.c - walks of DMAs: those of fifos in tiles, and those of the host's tasks in its memory. */
#include "aie/design/check_parts.h"
#include "aie/design/design_read.h"

#include <inttypes.h>

enum { WORD = 4, MEMTILE_WRAP = 512 /* the dialect refuses more, though the field holds 1023 */ };

/* A DMA's walk, for texts. */
struct walker {
	const struct aie_design *design;
	const struct aie_op *op;
	const char *fifo;
	uint32_t tile;
	struct aie_check_job *check;
};

static const uint64_t *limits_of(const struct walker *walker)
{
	return walker->design->arch->generation->tiles[walker->design->tiles[walker->tile].kind].limits;
}

static _Noreturn void says(const struct walker *walker, enum aie_rule rule, const char *what, int64_t need, const char *of, int64_t limit)
{
	aie_check_fail(walker->check, walker->op, rule, "%s %s %" PRId64 " for fifo '%.40s', %s %" PRId64, aie_design_tile_text(walker->design, walker->tile),
		       what, need, walker->fifo, of, limit);
}

static void check_bytes(const struct walker *walker, uint64_t bytes)
{
	if (!bytes || bytes % WORD)
		says(walker, AIE_RULE_BYTES, "moves bytes", (int64_t)bytes, "expected 1 or more of", WORD);
	if (bytes / WORD > limits_of(walker)[AIE_BD_WORDS])
		says(walker, AIE_RULE_BYTES, "moves words at once", (int64_t)(bytes / WORD), "of", (int64_t)limits_of(walker)[AIE_BD_WORDS]);
}

/* A dimension; innermost: of single elements. wrap, most: limits in words, 0: none. */
static void check_dim(const struct walker *walker, const struct aie_type *element, bool innermost, int64_t size, int64_t stride, uint64_t wrap, bool repeats)
{
	const int64_t bytes = (int64_t)aie_type_bytes(element), most = (int64_t)limits_of(walker)[AIE_STRIDE_MAX];
	const int64_t words = innermost ? (size * bytes + WORD - 1) / WORD : size;

	if (size < 1)
		says(walker, AIE_RULE_STRIDES, "has a size of", size, "expected at least", 1);
	if (stride < 0 || (!stride && size > 1 && !repeats))
		says(walker, AIE_RULE_STRIDES, "has a stride of", stride, "expected at least", 1);
	if (innermost && bytes < WORD && size > 1 && stride != 1)
		says(walker, AIE_RULE_INNERMOST, "has an innermost stride of", stride, "expected", 1);
	if (innermost && bytes < WORD && size * bytes % WORD)
		says(walker, AIE_RULE_BYTES, "has innermost bytes", size * bytes, "expected multiples of", WORD);
	if (wrap && words > (int64_t)wrap)
		says(walker, AIE_RULE_STRIDES, "has a size of", words, "of", (int64_t)wrap);
	if (size > 1 && !innermost && stride * bytes % WORD)
		says(walker, AIE_RULE_BYTES, "has a stride in bytes of", stride * bytes, "expected multiples of", WORD);
	if (size > 1 && stride * bytes / WORD > most)
		says(walker, AIE_RULE_STRIDES, "has a stride in words of", stride * bytes / WORD, "of", most);
}

/* ---- fifos */

static void check_walk(const struct walker *walker, const struct aie_fifo *fifo, const struct aie_walk *walk)
{
	const int64_t count = (int64_t)aie_type_count(fifo->type);
	const uint64_t field = limits_of(walker)[AIE_WRAP_MAX],
		       wrap = walker->design->tiles[walker->tile].kind == AIE_MEMTILE && field > MEMTILE_WRAP ? MEMTILE_WRAP : field;
	int64_t all = 1, last = 0;

	for (uint32_t i = 0; i < walk->rank; i++) {
		check_dim(walker, fifo->type->element, i == walk->rank - 1, walk->sizes[i], walk->strides[i], wrap, false);
		all *= walk->sizes[i];
		last += (walk->sizes[i] - 1) * walk->strides[i];
	}
	if (walk->rank && all != count)
		says(walker, AIE_RULE_INSIDE, "walks elements", all, "an object has", count);
	if (walk->rank && last >= count)
		says(walker, AIE_RULE_INSIDE, "walks to element", last, "an object's last is", count - 1);
}

static void check_end(const struct aie_design *design, const struct aie_fifo *fifo, uint32_t tile, const struct aie_walk *walk, struct aie_check_job *check)
{
	const struct walker walker = {design, fifo->op, fifo->name, tile, check};

	if (design->tiles[tile].kind == AIE_SHIM)
		return;
	check_bytes(&walker, aie_type_bytes(fifo->type));
	check_walk(&walker, fifo, walk);
}

static void check_link(const struct aie_design *design, const struct aie_link *link, struct aie_check_job *check)
{
	const uint32_t *parts = link->in_count > 1 ? link->ins : link->outs;
	const uint32_t count = link->in_count > 1 ? link->in_count : link->out_count;

	for (uint32_t i = 0; link->offsets && i < count; i++) {
		const struct aie_fifo *fifo = &design->fifos[parts[i]];
		const struct walker walker = {design, link->op, fifo->name, link->tile, check};
		const int64_t bytes = link->offsets[i] * (int64_t)aie_type_bytes(fifo->type->element);

		if (bytes % WORD)
			says(&walker, AIE_RULE_BYTES, "has an offset in bytes of", bytes, "expected multiples of", WORD);
	}
}

void aie_check_walks(const struct aie_design *design, struct aie_check_job *check)
{
	for (uint32_t i = 0; i < design->fifo_count; i++) {
		const struct aie_fifo *fifo = &design->fifos[i];

		if (!fifo->moves)
			continue;
		check_end(design, fifo, fifo->producer, &fifo->to_stream, check);
		for (uint32_t j = 0; j < fifo->consumer_count; j++)
			check_end(design, fifo, fifo->consumers[j], &fifo->from_stream[j], check);
	}
	for (uint32_t i = 0; i < design->link_count; i++)
		check_link(design, &design->links[i], check);
}

/* ---- tasks of the host */

/* The outermost dimension is a repetition of the whole, the next one has no limit of its own; what lies in one piece needs no dimensions. */
static void check_task(const struct walker *walker, const struct aie_step *step)
{
	const struct aie_type *type = walker->design->arguments[step->argument];
	const bool plain = step->sizes[1] == 1 && step->sizes[2] == 1 && step->strides[3] == 1;
	const uint64_t wraps[] = {limits_of(walker)[AIE_ITERATIONS], 0, limits_of(walker)[AIE_WRAP_MAX], plain ? 0 : limits_of(walker)[AIE_WRAP_MAX]};
	const int64_t count = (int64_t)aie_type_count(type), bytes = (int64_t)aie_type_bytes(type->element);
	int64_t last = step->offset;

	for (uint32_t i = 0; i < 4; i++) {
		check_dim(walker, type->element, i == 3, step->sizes[i], step->strides[i], wraps[i], i == 0);
		if (step->sizes[i] > 1 && step->strides[i] > (INT64_MAX - last) / (step->sizes[i] - 1))
			says(walker, AIE_RULE_INSIDE, "walks beyond element", last, "the argument's last is", count - 1);
		last += (step->sizes[i] - 1) * step->strides[i];
	}
	if (last >= count)
		says(walker, AIE_RULE_INSIDE, "walks to element", last, "the argument's last is", count - 1);
	if (step->offset * bytes % WORD)
		says(walker, AIE_RULE_BYTES, "has an offset in bytes of", step->offset * bytes, "expected multiples of", WORD);
	if (step->sizes[3] * bytes % WORD)
		says(walker, AIE_RULE_BYTES, "has innermost bytes", step->sizes[3] * bytes, "expected multiples of", WORD);
}

void aie_check_task(const struct aie_design *design, const struct aie_step *step, uint32_t shim, struct aie_check_job *check)
{
	const struct walker walker = {design, step->op, design->fifos[step->fifo].name, shim, check};

	check_task(&walker, step);
}
