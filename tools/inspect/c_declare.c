/* SPDX-License-Identifier: MIT */
/* c_declare.c - what stands around code: facts, values, tensors, pipelines, graphs, the schedule, data. */
#include "tools/inspect/c.h"

#include "format/fail.h"
#include "format/format_names.h"
#include "format/graph/graph_read.h"

#include <stdlib.h>
#include <string.h>

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
