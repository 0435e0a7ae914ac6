/* SPDX-License-Identifier: MIT */
/* c_declare.c - what stands around code: facts, values, tensors, pipelines, graphs, the schedule, data. */
#include "format/fail.h"
#include "format/format_names.h"
#include "format/graph/graph_read.h"
#include "tools/inspect/c.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows without names, said when they are needed: expressions, regions, levels, axes. ---- */

/* A division has a position of its own; what comes behind it has the one from before. */
static uint32_t operation_say(struct said *s, uint32_t row, const uint32_t handles[3])
{
	uint16_t op = s->t->expr[row].op;
	const struct ptowsp_debug_record before = s->place;
	uint32_t handle;

	if (op == PTOWSP_EXPR_DIV || op == PTOWSP_EXPR_MOD)
		say_position(s, 4, row);
	handle = say(s, "expr", pkg_word(PKG_WORDS_expr_op, op), handles[0], handles[1], handles[2]);
	say_place(s, &before);
	return handle;
}

static uint32_t expr_say(struct said *s, uint32_t row)
{
	const struct ptowsp_expr_record *e = &s->t->expr[row];
	const uint32_t operands[3] = {e->a, e->b, e->c};
	uint32_t count = pkg_expr_operands(e->op), handles[3] = {0};

	for (uint32_t i = 0; i < count; i++)
		handles[i] = s->values[operands[i]];
	switch (e->op) {
	case PTOWSP_EXPR_CONST: return say(s, "number", (int64_t)((uint64_t)e->c << 32 | e->b));
	case PTOWSP_EXPR_LOOP: return say(s, "loop", e->a);
	case PTOWSP_EXPR_VALUE: return say(s, "value", s->slots[e->a]);
	case PTOWSP_EXPR_AXIS: return say(s, "named", pkg_string(s->t, e->a));
	default: return operation_say(s, row, handles);
	}
}

uint32_t say_expr(struct said *s, uint32_t row)
{
	for (; s->exprs <= row && !ptowsp_build_status(s->b); s->exprs++)
		if (!s->values[s->exprs])
			s->values[s->exprs] = expr_say(s, s->exprs);
	return s->values[row];
}

void say_loop_value(struct said *s, uint32_t depth, uint32_t handle)
{
	for (uint32_t i = s->exprs; i < s->t->expr_count && !(s->how & SAY_STATED); i++)
		if (s->t->expr[i].op == PTOWSP_EXPR_LOOP && s->t->expr[i].a == depth && !s->values[i]) {
			s->values[i] = handle;
			return;
		}
}

static void region_say(struct said *s, uint32_t row)
{
	const struct ptowsp_region_record *r = &s->t->region[row];
	uint32_t place = say_expr(s, r->row), column = say_expr(s, r->column);

	if (r->view)
		say(s, "view", s->tensors[r->tensor], pkg_word(PKG_WORDS_dtype, r->view - 1) ? pkg_word(PKG_WORDS_dtype, r->view - 1) : "?", place, column,
		    r->rows, r->columns, r->unit);
	else if (r->unit)
		say(s, "window", s->tensors[r->tensor], place, column, r->unit, r->columns);
	else
		say(s, "region", s->tensors[r->tensor], place, column, r->rows, r->columns);
}

uint32_t say_region(struct said *s, uint32_t row)
{
	while (s->regions <= row && !ptowsp_build_status(s->b))
		region_say(s, s->regions++);
	return (uint32_t)BUILD_REGION << BUILD_ROW_BITS | row;
}

static uint32_t levels_say(struct said *s, uint32_t row)
{
	for (; s->levels <= row && !ptowsp_build_status(s->b); s->levels++) {
		const struct ptowsp_levels_record *l = &s->t->levels[s->levels];
		uint32_t *rows = calloc((size_t)l->count * 2 + 1, sizeof(*rows));

		if (!rows) {
			s->failed = 1;
			break;
		}
		for (uint32_t i = 0; i < l->count; i++) {
			rows[i] = s->t->level[l->first + i].block;
			rows[l->count + i] = s->t->level[l->first + i].rows;
		}
		say(s, "levels", l->max_range, l->min_range, rows, l->count, rows + l->count, l->count, l->count);
		free(rows);
	}
	return (uint32_t)BUILD_LEVELS << BUILD_ROW_BITS | row;
}

/* The constants 0 and 1 that the calls of ragged and sparse axes need are rows that come by themselves. */
static void rows_axis_say(struct said *s, const struct ptowsp_axis_record *a, const char *name)
{
	const int64_t *values = s->t->axis_value_count ? &s->t->axis_value[a->first].value : NULL;
	uint32_t row = say_expr(s, a->row), rows = a->kind == PTOWSP_AXIS_RAGGED ? a->count - 1 : 0;
	int64_t *lengths;

	say_expr(s, a->low);
	say_expr(s, a->step);
	if (!a->count) {
		say(s, "axis_of", name, row, say_expr(s, a->high), s->tensors[a->lengths], a->indices == PTOWSP_NONE ? 0 : s->tensors[a->indices]);
		return;
	}
	say_expr(s, a->high);
	if (a->kind == PTOWSP_AXIS_SPARSE) {
		rows = s->t->expr[a->high].b; /* a constant, as the verifier demands */
		say(s, "sparse", name, row, values, rows + 1, rows, values + rows + 1, (uint32_t)values[rows]);
		return;
	}
	lengths = calloc((size_t)rows + 1, sizeof(*lengths));
	for (uint32_t i = 0; lengths && i < rows; i++)
		lengths[i] = values[i + 1] - values[i];
	if (lengths)
		say(s, "ragged", name, row, lengths, rows + !rows, rows);
	s->failed |= !lengths;
	free(lengths);
}

static void one_axis_say(struct said *s, uint32_t row)
{
	const struct ptowsp_axis_record *a = &s->t->axis[row];
	const char *name = pkg_string(s->t, a->name);
	uint32_t low, high, step;

	if (a->kind == PTOWSP_AXIS_RAGGED || a->kind == PTOWSP_AXIS_SPARSE) {
		rows_axis_say(s, a, name);
		return;
	}
	low = say_expr(s, a->low);
	high = say_expr(s, a->high);
	step = say_expr(s, a->step);
	say(s, "axis", name, pkg_word(PKG_WORDS_axis_kind, a->kind), low, high, step, a->levels == PTOWSP_NONE ? 0 : levels_say(s, a->levels));
}

uint32_t say_axis(struct said *s, uint32_t row)
{
	while (s->axes <= row && !ptowsp_build_status(s->b))
		one_axis_say(s, s->axes++);
	return (uint32_t)BUILD_AXIS << BUILD_ROW_BITS | row;
}

void say_rest(struct said *s, int exprs)
{
	if (s->t->levels_count)
		levels_say(s, s->t->levels_count - 1);
	if (s->t->axis_count)
		say_axis(s, s->t->axis_count - 1);
	if (s->t->region_count)
		say_region(s, s->t->region_count - 1);
	if (s->t->expr_count && exprs)
		say_expr(s, s->t->expr_count - 1);
}

void say_facts(struct said *s)
{
	const struct pkg_tables *t = s->t;
	uint32_t count;
	const char *const *targets = pkg_targets(s->package, &count);

	for (uint64_t at = 1; s->how & SAY_STRINGS && at < t->strings_size; at += strlen(t->strings + at) + 1)
		say(s, "string", t->strings + at);
	for (uint32_t i = 0; i < t->meta_count; i++)
		say(s, "meta", pkg_string(t, t->meta[i].key), pkg_string(t, t->meta[i].value));
	for (uint32_t i = 0; i < count; i++)
		say(s, "target", targets[i]);
	if (s->how & SAY_STATED)
		say(s, "stated");
}

void say_slots(struct said *s)
{
	const struct pkg_tables *t = s->t;

	for (uint32_t i = 0; i < t->slot_count; i++) {
		const struct ptowsp_slot_record *slot = &t->slot[i];

		s->slots[i] = say(s, slot->kind == PTOWSP_SLOT_SLOT ? "slot" : "symbol", pkg_string(t, slot->name), pkg_word(PKG_WORDS_dtype, slot->dtype));
		if (slot->flags & PTOWSP_SLOT_HAS_DEFAULT)
			say(s, "default_bits", s->slots[i], slot->value);
		if (slot->flags & PTOWSP_SLOT_INTERNAL)
			say(s, "internal", s->slots[i]);
	}
}

/* Tensors with the same rows of DIMS have one key. */
static uint64_t shape_key(const struct ptowsp_tensor_record *x)
{
	return (uint64_t)x->dims << 32 | x->dim_count;
}

/* The first tensor that was said before and has the same rows of DIMS; 0 if there is none. first: handles, by the places of tensors in `shapes`. */
static uint32_t like_of(const struct said *s, const struct pkg_ranks *shapes, uint32_t *first, uint32_t row, uint32_t handle)
{
	const struct ptowsp_tensor_record *x = &s->t->tensor[row];
	uint32_t *like = &first[pkg_ranks_from(shapes, shape_key(x))];

	if (!*like) {
		*like = handle;
		return 0;
	}
	return x->dim_count ? *like : 0;
}

void say_memory(struct said *s, const char *const calls[3], uint32_t handle, const struct ptowsp_memory_record *m)
{
	const uint32_t strides[] = {m->stride0, m->stride1, m->stride2, m->stride3};

	say(s, calls[0], handle, pkg_word(PKG_WORDS_memory_order, m->order), (uint32_t)m->swizzle);
	if (m->block_rows)
		say(s, calls[1], handle, m->block_rows, m->block_columns);
	for (uint32_t i = 0; i < 4 && strides[i]; i++)
		say(s, calls[2], handle, strides[i]);
}

static void tensor_say(struct said *s, uint32_t row, const struct pkg_ranks *shapes, uint32_t *first, uint32_t *position)
{
	const struct pkg_tables *t = s->t;
	const struct ptowsp_tensor_record *x = &t->tensor[row];
	static const char *const memory_calls[] = {"tensor_memory", "tensor_block", "tensor_stride"};
	const uint32_t handle = say(s, "tensor", pkg_string(t, x->name), pkg_word(PKG_WORDS_dtype, x->dtype), pkg_word(PKG_WORDS_role, x->role));
	const uint32_t like = like_of(s, shapes, first, row, handle);

	s->tensors[row] = handle;
	if (x->location)
		say(s, "tensor_space", handle, pkg_word(PKG_WORDS_space, x->location));
	if (x->alignment)
		say(s, "tensor_alignment", handle, x->alignment);
	if (x->flags & PTOWSP_TENSOR_SHAPELESS)
		say(s, "tensor_shapeless", handle);
	if (like)
		say(s, "tensor_like", handle, like);
	for (uint32_t k = 0; k < x->dim_count && !like; k++) {
		const struct ptowsp_dim_record *dim = &t->dim[x->dims + k];

		say(s, "tensor_dim", handle, say_expr(s, dim->extent));
		if (dim->distribution)
			say(s, "tensor_shard", handle, (uint32_t)dim->mesh_axis);
	}
	if (x->flags & PTOWSP_TENSOR_REPLICATED)
		say(s, "tensor_replicated", handle);
	if (pkg_tensor_memory(t, row))
		say_memory(s, memory_calls, handle, pkg_tensor_memory(t, row));
	if (x->entry != PTOWSP_NONE)
		++*position; /* placed when its entry is there */
	else if (x->position != (*position)++)
		say(s, "tensor_place", handle, 0u, x->position), --*position;
}

/* Everyone's tensors in the order of declaration, or of their dimensions where rows are kept as stated; then those of entries. */
static uint32_t tensor_rank(const struct said *s, uint32_t i)
{
	const struct ptowsp_tensor_record *x = &s->t->tensor[i];

	return s->how & SAY_STATED ? x->dims : x->entry == PTOWSP_NONE ? x->position : UINT32_MAX;
}

void say_tensors(struct said *s)
{
	const uint32_t count = s->t->tensor_count;
	uint32_t position = 0, *first = calloc((size_t)count + 1, sizeof(*first));
	struct pkg_ranks order = {0}, shapes = {0};

	if (!first || !pkg_ranks_init(&order, count) || !pkg_ranks_init(&shapes, count))
		s->failed = 1;
	for (uint32_t i = 0; i < count && !s->failed; i++) {
		pkg_ranks_add(&order, tensor_rank(s, i), i);
		pkg_ranks_add(&shapes, shape_key(&s->t->tensor[i]), i);
	}
	pkg_ranks_sort(&order);
	pkg_ranks_sort(&shapes);
	for (uint32_t i = 0; i < order.count; i++)
		tensor_say(s, order.rows[i].row, &shapes, first, &position);
	pkg_ranks_finish(&order);
	pkg_ranks_finish(&shapes);
	free(first);
}

void say_pipeline(struct said *s)
{
	const struct pkg_tables *t = s->t;

	for (uint32_t i = 0; i < t->event_count; i++)
		s->events[i] = say(s, "event", pkg_string(t, t->event[i].name));
	for (uint32_t i = 0; i < t->channel_count; i++) {
		const struct ptowsp_channel_record *c = &t->channel[i];

		s->channels[i] = say(s, "channel", pkg_string(t, c->name), pkg_word(PKG_WORDS_channel_kind, c->kind), c->capacity, c->latency);
	}
}

/* ---- graphs ---------------------------------------------------------------------------------------------------------------------------------- */

static void node_say(struct said *s, const struct pkg_graph_node *n)
{
	const char *word = pkg_word(PKG_WORDS_expr_op, n->op), *type = pkg_word(PKG_WORDS_dtype, n->dtype);

	if (n->op == PTOWSP_GRAPH_NODE_ELEMENT)
		say(s, "graph_element", n->b, type ? type : "?");
	else if (n->op == PTOWSP_GRAPH_NODE_ITERATION)
		say(s, "graph_node", "iteration", (int64_t)0);
	else
		say(s, "graph_node", word ? word : "?",
		    n->op == PTOWSP_EXPR_CONST                                ? n->value
		    : n->op == PTOWSP_EXPR_VALUE || n->op == PTOWSP_EXPR_AXIS ? (int64_t)n->a
									      : (int64_t)0);
}

/* nodes: said so far; those of a scalar end with its own. */
static void operand_say(struct said *s, const struct pkg_graph *g, const struct pkg_graph_operand *operand, uint64_t value, uint32_t *nodes)
{
	const char *word = operand->kind == PKG_GRAPH_ENUM ? pkg_word((enum pkg_words)operand->argument, value) : NULL;

	if (operand->kind == PKG_GRAPH_SET) {
		say(s, "graph_set", &g->sets[value + 1], g->sets[value], g->sets[value]);
	} else if (operand->kind == PKG_GRAPH_SYMBOL || word) {
		say(s, "graph_word", word ? word : pkg_string(s->t, (uint32_t)value));
	} else if (operand->kind == PKG_GRAPH_SCALAR && value & PTOWSP_GRAPH_DYNAMIC) {
		for (; *nodes <= (value & ~PTOWSP_GRAPH_DYNAMIC); ++*nodes)
			node_say(s, &g->nodes[*nodes]);
		say(s, "graph_scalar");
	} else {
		say(s, "graph_number", value);
	}
}

static void graph_say(struct said *s, const struct pkg_graph *g)
{
	uint32_t nodes = 0;

	fputc('\n', s->to);
	say(s, "graph", pkg_string(s->t, g->name), g->device);
	s->depth++;
	for (uint32_t i = 0; i < g->name_count; i++)
		say(s, "graph_name", pkg_graph_object_text(g->names[i].object), g->names[i].number, pkg_string(s->t, g->names[i].text));
	for (uint32_t i = 0; i < g->inst_count; i++) {
		const struct pkg_graph_inst *inst = &g->insts[i];

		say(s, "graph_op", inst->form->name);
		s->depth++;
		for (uint32_t k = 0; k < inst->form->count; k++)
			operand_say(s, g, &inst->form->operands[k], inst->values[k], &nodes);
		s->depth--;
	}
	s->depth--;
	say(s, "graph_end");
}

/* A binary of the first version is left to the section as bytes. */
ptowsp_status say_graphs(struct said *s, struct ptowsp_error *error)
{
	const struct pkg_place place = {pkg_name(s->package), error};
	struct pkg_graphs graphs = {0};
	ptowsp_status status = pkg_graphs_read(&graphs, s->t, &place);

	for (uint32_t i = 0; i < graphs.count && !status; i++)
		if (graphs.rows[i].version != PTOWSP_GRAPH_VERSION_SEED)
			graph_say(s, &graphs.rows[i]);
	pkg_graphs_finish(&graphs);
	return status;
}

/* ---- schedule, data ---------------------------------------------------------------------------------------------------------------------- */

/* A word names expressions as #row: those of the builder stand in the text. */
static void word_say(struct said *s, uint32_t directive, const char *word)
{
	char text[1024];
	size_t used = 0;

	while (*word && used + 16 < sizeof(text)) {
		char *end;
		unsigned long row = *word == '#' ? strtoul(word + 1, &end, 10) : 0;

		if (*word == '#' && end > word + 1 && row < s->t->expr_count) {
			used += (size_t)snprintf(text + used, sizeof(text) - used, "#%u", say_expr(s, (uint32_t)row) & ((1u << BUILD_ROW_BITS) - 1));
			word = end;
		} else {
			text[used++] = *word++;
		}
	}
	text[used] = '\0';
	say(s, "directive_word", directive, text);
}

void say_schedule(struct said *s)
{
	const struct pkg_tables *t = s->t;
	char feature[64];

	for (uint32_t i = 0; i < t->directive_count; i++) {
		const struct ptowsp_directive_record *d = &t->directive[i];
		const int64_t values[8] = {d->a0, d->a1, d->a2, d->a3, d->a4, d->a5, d->a6, d->a7};
		uint32_t handle = say(s, "directive", pkg_word(PKG_WORDS_directive, d->directive), pkg_policy_text(pkg_policy(d->directive, d->policy)).text);

		for (uint32_t k = 0; k < d->count; k++)
			if ((d->kinds >> 8 * k & 0xFF) == PTOWSP_ARGUMENT_WORD)
				word_say(s, handle, pkg_string(t, (uint32_t)values[k]));
			else if ((d->kinds >> 8 * k & 0xFF) == PTOWSP_ARGUMENT_EXPR)
				say(s, "directive_expr", handle, say_expr(s, (uint32_t)values[k]));
			else
				say(s, "directive_number", handle, values[k]);
		if (d->flags & PTOWSP_DIRECTIVE_MUST)
			say(s, "directive_must", handle);
	}
	for (uint32_t i = 0; i < t->requirement_count; i++) {
		pkg_feature_text(t->requirement[i].feature, feature, sizeof(feature));
		say(s, "require", feature, (uint32_t)t->requirement[i].state);
	}
}

ptowsp_status say_samples(struct said *s, struct pkg *package, struct ptowsp_error *error)
{
	const struct pkg_tables *t = s->t;
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; i < t->sample_count && !status; i++) {
		const struct ptowsp_sample_record *x = &t->sample[i];
		const uint64_t extents[] = {x->extent0, x->extent1, x->extent2, x->extent3};
		const void *bytes;
		uint64_t size;

		status = pkg_sample_bytes(package, i, &bytes, &size, error);
		if (!status)
			say(s, "sample", s->tensors[x->tensor], pkg_word(PKG_WORDS_sample_role, x->role), extents, (uint32_t)x->rank, (uint32_t)x->rank, bytes,
			    size);
	}
	return status;
}
