/* SPDX-License-Identifier: MIT */
/* inspect_c.c - ptowsp-inspect --c: a C program that builds the packages again by calls of the builder.
 *
 * Each package is said in the way of a frontend first, and built by the same calls. Where that gives other bytes, it is said again with its
 * strings in front, then with its rows as they are; sections that still differ are given as bytes. What is printed has been built. */
#include "tools/inspect.h"
#include "tools/inspect_c.h"

#include "format/fail.h"
#include "format/graph_read.h"
#include "format/names.h"
#include "format/schema.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows that are said when they are needed ----------------------------------------------------------------------------------------- */

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
	case PTOWSP_EXPR_CONST:
		return say(s, "number", (int64_t)((uint64_t)e->c << 32 | e->b));
	case PTOWSP_EXPR_LOOP:
		return say(s, "loop", e->a);
	case PTOWSP_EXPR_VALUE:
		return say(s, "value", s->slots[e->a]);
	case PTOWSP_EXPR_AXIS:
		return say(s, "named", pkg_string(s->t, e->a));
	default:
		return operation_say(s, row, handles);
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
		say(s, "view", s->tensors[r->tensor], pkg_word(PKG_WORDS_dtype, r->view - 1) ? pkg_word(PKG_WORDS_dtype, r->view - 1) : "?", place,
		    column, r->rows, r->columns, r->unit);
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
		say(s, "axis_of", name, row, say_expr(s, a->high), s->tensors[a->lengths],
		    a->indices == PTOWSP_NONE ? 0 : s->tensors[a->indices]);
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

/* ---- declarations ----------------------------------------------------------------------------------------------------------------------- */

static void facts_say(struct said *s)
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

static void slots_say(struct said *s)
{
	const struct pkg_tables *t = s->t;

	for (uint32_t i = 0; i < t->slot_count; i++) {
		const struct ptowsp_slot_record *slot = &t->slot[i];

		s->slots[i] = say(s, slot->kind == PTOWSP_SLOT_SLOT ? "slot" : "symbol", pkg_string(t, slot->name),
				  pkg_word(PKG_WORDS_dtype, slot->dtype));
		if (slot->flags & PTOWSP_SLOT_HAS_DEFAULT)
			say(s, "default_bits", s->slots[i], slot->value);
		if (slot->flags & PTOWSP_SLOT_INTERNAL)
			say(s, "internal", s->slots[i]);
	}
}

/* The tensor that was said before and has the same rows of DIMS; 0 if there is none. */
static uint32_t like_of(const struct said *s, uint32_t row)
{
	const struct ptowsp_tensor_record *x = &s->t->tensor[row];

	for (uint32_t i = 0; i < s->t->tensor_count && x->dim_count; i++)
		if (i != row && s->tensors[i] && s->t->tensor[i].dims == x->dims && s->t->tensor[i].dim_count == x->dim_count)
			return s->tensors[i];
	return 0;
}

static void memory_say(struct said *s, uint32_t row, uint32_t handle)
{
	const struct ptowsp_memory_record *m = pkg_tensor_memory(s->t, row);
	const uint32_t strides[] = {m ? m->stride0 : 0, m ? m->stride1 : 0, m ? m->stride2 : 0, m ? m->stride3 : 0};

	if (!m)
		return;
	say(s, "tensor_memory", handle, pkg_word(PKG_WORDS_memory_order, m->order), (uint32_t)m->swizzle);
	if (m->block_rows)
		say(s, "tensor_block", handle, m->block_rows, m->block_columns);
	for (uint32_t i = 0; i < 4 && strides[i]; i++)
		say(s, "tensor_stride", handle, strides[i]);
}

static void tensor_say(struct said *s, uint32_t row, uint32_t *position)
{
	const struct pkg_tables *t = s->t;
	const struct ptowsp_tensor_record *x = &t->tensor[row];
	uint32_t like = like_of(s, row), handle;

	handle = say(s, "tensor", pkg_string(t, x->name), pkg_word(PKG_WORDS_dtype, x->dtype), pkg_word(PKG_WORDS_role, x->role));
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
	memory_say(s, row, handle);
	if (x->entry != PTOWSP_NONE)
		++*position; /* placed when its entry is there */
	else if (x->position != (*position)++)
		say(s, "tensor_place", handle, 0u, x->position), --*position;
}

/* Everyone's tensors in the order of declaration, or of their dimensions where rows are kept as stated; then those of entries. */
static uint64_t tensor_rank(const struct said *s, uint32_t i)
{
	const struct ptowsp_tensor_record *x = &s->t->tensor[i];
	uint64_t first = s->how & SAY_STATED ? x->dims : x->entry == PTOWSP_NONE ? x->position : UINT32_MAX;

	return first << 32 | (i + 1);
}

static void tensors_say(struct said *s)
{
	uint64_t last = 0;
	uint32_t position = 0;

	for (uint32_t n = 0; n < s->t->tensor_count; n++) {
		uint64_t best = UINT64_MAX;

		for (uint32_t i = 0; i < s->t->tensor_count; i++)
			if (tensor_rank(s, i) > last && tensor_rank(s, i) < best)
				best = tensor_rank(s, i);
		last = best;
		tensor_say(s, (uint32_t)best - 1, &position);
	}
}

static void pipeline_say(struct said *s)
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
		say(s, "graph_node", word ? word : "?", n->op == PTOWSP_EXPR_CONST ? n->value : n->op == PTOWSP_EXPR_VALUE || n->op == PTOWSP_EXPR_AXIS ? (int64_t)n->a : (int64_t)0);
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
static ptowsp_status graphs_say(struct said *s, struct ptowsp_error *error)
{
	const struct pkg_place place = {pkg_name(s->package), error};
	struct pkg_graphs graphs = {0};
	ptowsp_status st = pkg_graphs_read(&graphs, s->t, &place);

	for (uint32_t i = 0; i < graphs.count && !st; i++)
		if (graphs.rows[i].version != PTOWSP_GRAPH_VERSION_SEED)
			graph_say(s, &graphs.rows[i]);
	pkg_graphs_finish(&graphs);
	return st;
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

static void schedule_say(struct said *s)
{
	const struct pkg_tables *t = s->t;
	char feature[64];

	for (uint32_t i = 0; i < t->directive_count; i++) {
		const struct ptowsp_directive_record *d = &t->directive[i];
		const int64_t values[8] = {d->a0, d->a1, d->a2, d->a3, d->a4, d->a5, d->a6, d->a7};
		uint32_t handle = say(s, "directive", pkg_word(PKG_WORDS_directive, d->directive),
				      pkg_policy_text(pkg_policy(d->directive, d->policy)).text);

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

static ptowsp_status samples_say(struct said *s, struct pkg *package, struct ptowsp_error *error)
{
	const struct pkg_tables *t = s->t;
	ptowsp_status st = PTOWSP_OK;

	for (uint32_t i = 0; i < t->sample_count && !st; i++) {
		const struct ptowsp_sample_record *x = &t->sample[i];
		const uint64_t extents[] = {x->extent0, x->extent1, x->extent2, x->extent3};
		const void *bytes;
		uint64_t size;

		st = pkg_sample_bytes(package, i, &bytes, &size, error);
		if (!st)
			say(s, "sample", s->tensors[x->tensor], pkg_word(PKG_WORDS_sample_role, x->role), extents, (uint32_t)x->rank,
			    (uint32_t)x->rank, bytes, size);
	}
	return st;
}

/* ---- sections as bytes --------------------------------------------------------------------------------------------------------------------- */

/* The bytes of a section as the writer takes them; NULL and 0 if there is none. */
static ptowsp_status section_bytes(struct pkg *package, const struct pkg_schema *schema, const void **bytes_out, uint64_t *size_out,
				   struct ptowsp_error *error)
{
	const struct pkg_tables *t = pkg_tables(package);
	uint32_t count;
	struct pkg_content content;

	*bytes_out = NULL;
	*size_out = 0;
	if (schema->type == PTOWSP_SECTION_TBLB)
		return pkg_sample_section(package, bytes_out, size_out, error);
	if (schema->fields) {
		*bytes_out = pkg_schema_array(schema, t, &count);
		*size_out = (uint64_t)count * schema->bytes;
		return PTOWSP_OK;
	}
	for (uint32_t i = 0; pkg_content(package, i, &content); i++)
		if (content.type == schema->type)
			*size_out = content.size;
	for (uint32_t i = 0; i < UINT32_MAX; i++) {
		const struct ptowsp_section *sections = pkg_sections(package, &count);

		if (i >= count)
			break;
		if (sections[i].type == schema->type)
			*bytes_out = sections[i].data;
	}
	return PTOWSP_OK;
}

/* Sections in which what was built differs from the package, or all of them. 0 if none does. */
static ptowsp_status sections_say(struct said *s, struct pkg *package, const char *built, size_t built_size, struct ptowsp_error *error)
{
	uint32_t count;
	const struct pkg_schema *schemas = pkg_schema_all(&count);
	struct pkg *other = NULL;
	ptowsp_status st = built ? pkg_open_memory(&other, built, built_size, "new package", NULL, error) : PTOWSP_OK;

	for (uint32_t i = 0; i < count && !st; i++) {
		const void *want, *got = NULL;
		uint64_t want_size, got_size = 0;

		if (schemas[i].type == PTOWSP_SECTION_STRS || schemas[i].type == PTOWSP_SECTION_META)
			continue;
		st = section_bytes(package, &schemas[i], &want, &want_size, error);
		if (!st && other)
			st = section_bytes(other, &schemas[i], &got, &got_size, error);
		if (st || (want_size == got_size && (!want_size || !memcmp(want, got, (size_t)want_size))))
			continue;
		say(s, "section", schemas[i].section, want, want_size);
		s->raw++;
	}
	pkg_close(other);
	return st;
}

/* ---- one package -------------------------------------------------------------------------------------------------------------------------- */

static ptowsp_status said_init(struct said *s, struct pkg *package, unsigned how, char **text, size_t *size)
{
	const struct pkg_tables *t = pkg_tables(package);
	size_t rows = (size_t)t->kernel_count + t->slot_count + t->tensor_count + t->entry_count + t->channel_count + t->event_count + t->param_count +
		      t->expr_count;

	memset(s, 0, sizeof(*s));
	s->package = package;
	s->t = t;
	s->how = how;
	s->kernels = calloc(rows + 1, sizeof(*s->kernels));
	s->b = ptowsp_build_create(NULL);
	s->to = open_memstream(text, size);
	if (!s->kernels || !s->b || !s->to)
		return PTOWSP_NO_MEMORY;
	s->slots = s->kernels + t->kernel_count;
	s->tensors = s->slots + t->slot_count;
	s->entries = s->tensors + t->tensor_count;
	s->channels = s->entries + t->entry_count;
	s->events = s->channels + t->channel_count;
	s->params = s->events + t->event_count;
	s->values = s->params + t->param_count;
	return PTOWSP_OK;
}

static void said_finish(struct said *s)
{
	free(s->kernels);
	ptowsp_build_destroy(s->b);
	if (s->to)
		fclose(s->to);
}

static ptowsp_status everything_say(struct said *s, struct pkg *package, struct ptowsp_error *error)
{
	ptowsp_status st;

	facts_say(s);
	if (s->how & SAY_SECTIONS)
		return PTOWSP_OK;
	slots_say(s);
	tensors_say(s);
	pipeline_say(s);
	say_kernels(s);
	say_work(s);
	fputc('\n', s->to);
	say_rest(s, 0);
	schedule_say(s);
	say_rest(s, 1);
	st = graphs_say(s, error);
	return st ? st : samples_say(s, package, error);
}

static int equal(const struct said *s)
{
	char digest[65];

	for (int i = 0; i < 32; i++)
		snprintf(digest + 2 * i, 3, "%02x", pkg_digest(s->package)[i]);
	return !strcmp(ptowsp_build_digest(s->b), digest);
}

/* Says it in one way. 1 in *equal_out: what it built is the package. built: what an earlier try has built, whose differing sections are
 * given as bytes; NULL in the first one. */
static ptowsp_status try(struct said *s, struct pkg *package, unsigned how, const char *built, size_t built_size, char **text, size_t *size,
			 int *equal_out, struct ptowsp_error *error)
{
	ptowsp_status st = said_init(s, package, how, text, size);

	*equal_out = 0;
	if (!st)
		st = everything_say(s, package, error);
	if (!st && (built || how & SAY_SECTIONS))
		st = sections_say(s, package, built, built_size, error);
	if (st)
		return st;
	if (s->failed == 1)
		return PTOWSP_NO_MEMORY;
	ptowsp_build_seal(s->b);
	*equal_out = !s->failed && !ptowsp_build_status(s->b) && equal(s);
	return fflush(s->to) ? PTOWSP_NO_MEMORY : PTOWSP_OK;
}

static void variables_print(const struct said *s, FILE *to)
{
	for (uint32_t kind = 1; kind < BUILD_KINDS; kind++)
		if (s->rows[kind])
			fprintf(to, "\tstatic uint32_t %s[%u];\n", inspect_c_variable(kind), s->rows[kind]);
	fputc('\n', to);
}

/* Of compilers that warn of what is set and never read. */
static void unread_print(const struct said *s, FILE *to)
{
	for (uint32_t kind = 1; kind < BUILD_KINDS; kind++)
		if (s->rows[kind] && !s->reads[kind])
			fprintf(to, "\t(void)%s;\n", inspect_c_variable(kind));
}

static void function_print(const struct said *s, const char *text, uint32_t number, FILE *to)
{
	fprintf(to, "\n/* %s%s */\nstatic void package_%u(struct ptowsp_build *b)\n{\n", pkg_name(s->package),
		s->raw ? "; sections whose rows no call makes are given as bytes" : "", number);
	variables_print(s, to);
	fputs(text, to);
	unread_print(s, to);
	fputs("}\n", to);
}

/* How many sections differ, by saying them into nothing. */
static uint32_t differing(struct pkg *package, const struct said *tried)
{
	struct said count;
	char *text = NULL;
	size_t size;
	ptowsp_status st = said_init(&count, package, 0, &text, &size);

	if (!st)
		st = sections_say(&count, package, ptowsp_build_bytes(tried->b), (size_t)ptowsp_build_size(tried->b), NULL);
	said_finish(&count);
	free(text);
	return st ? UINT32_MAX : count.raw;
}

/* The way that came nearest. */
struct nearest {
	struct ptowsp_build *b;
	uint32_t differing;
	unsigned how;
};

static void nearest_keep(struct nearest *nearest, struct pkg *package, struct said *tried, unsigned how)
{
	uint32_t count = tried->failed || ptowsp_build_status(tried->b) ? UINT32_MAX : differing(package, tried);

	if (count >= nearest->differing)
		return;
	ptowsp_build_destroy(nearest->b);
	*nearest = (struct nearest){tried->b, count, how};
	tried->b = NULL;
}

ptowsp_status inspect_c(struct pkg *package, uint32_t number, FILE *to, struct ptowsp_error *error)
{
	static const unsigned ways[] = {0, SAY_STRINGS, SAY_STATED, SAY_STRINGS | SAY_STATED};
	struct nearest nearest = {NULL, UINT32_MAX, SAY_STRINGS | SAY_SECTIONS};
	char *text = NULL;
	size_t size;
	int done = 0;
	ptowsp_status st = PTOWSP_OK;
	struct said s;

	for (unsigned i = 0; i < 5 && !done && !st; i++) {
		unsigned how = i < 4 ? ways[i] : nearest.how;
		const struct ptowsp_build *built = i < 4 ? NULL : nearest.b;

		st = try(&s, package, how, built ? ptowsp_build_bytes(built) : NULL, built ? (size_t)ptowsp_build_size(built) : 0, &text, &size,
			 &done, error);
		if (done)
			function_print(&s, text, number, to);
		else if (!st && i < 4)
			nearest_keep(&nearest, package, &s, how);
		said_finish(&s);
		free(text);
		text = NULL;
	}
	ptowsp_build_destroy(nearest.b);
	if (st == PTOWSP_NO_MEMORY)
		return pkg_fail(error, st, "%s: no memory for its program", pkg_name(package));
	if (!st && !done)
		return pkg_fail(error, PTOWSP_BAD_PACKAGE, "%s holds what this build cannot make: sections that it does not know", pkg_name(package));
	return st;
}

/* ---- the program ---------------------------------------------------------------------------------------------------------------------------- */

void inspect_c_begin(FILE *to)
{
	fputs("/* Made by ptowsp-inspect --c: builds packages again. cc FILE.c -lptowsp-pack; in the source tree with -DPTOWSP_TREE -Iabi -Ipackages. */\n"
	      "#ifdef PTOWSP_TREE\n#include \"lang/builder.h\"\n#else\n#include <ptowsp_builder.h>\n#endif\n\n#include <stdio.h>\n",
	      to);
}

static void names_print(FILE *to, const char *const *names, uint32_t count)
{
	fputs("\nstatic const struct {\n\tconst char *name;\n\tvoid (*build)(struct ptowsp_build *b);\n} packages[] = {\n", to);
	for (uint32_t i = 0; i < count; i++) {
		fputs("\t{", to);
		say_text(to, names[i]);
		fprintf(to, ", package_%u},\n", i);
	}
	fputs("};\n", to);
}

void inspect_c_end(FILE *to, const char *const *names, uint32_t count)
{
	names_print(to, names, count);
	fputs("\n/* Writes the package to a file, or all of them into a folder, and prints their digests. */\n"
	      "int main(int argc, char **argv)\n"
	      "{\n"
	      "\tint failed = 0;\n"
	      "\n"
	      "\tif (argc != 2) {\n", to);
	fprintf(to, "\t\tfprintf(stderr, \"usage: %%s %s\\n\", argv[0]);\n", count == 1 ? "PACKAGE" : "FOLDER");
	fputs("\t\treturn 2;\n"
	      "\t}\n"
	      "\tfor (size_t i = 0; i < sizeof(packages) / sizeof(packages[0]); i++) {\n"
	      "\t\tstruct ptowsp_build *b = ptowsp_build_create(NULL);\n"
	      "\t\tchar path[4096];\n"
	      "\n", to);
	fprintf(to, "\t\tsnprintf(path, sizeof(path), %s);\n", count == 1 ? "\"%s\", argv[1]" : "\"%s/%s\", argv[1], packages[i].name");
	fputs("\t\tif (b)\n"
	      "\t\t\tpackages[i].build(b);\n"
	      "\t\tif (ptowsp_build_save(b, path)) {\n"
	      "\t\t\tfprintf(stderr, \"%s\\n\", ptowsp_build_error(b));\n"
	      "\t\t\tfailed = 1;\n"
	      "\t\t}\n"
	      "\t\tprintf(\"%s %s\\n\", ptowsp_build_digest(b), packages[i].name);\n"
	      "\t\tptowsp_build_destroy(b);\n"
	      "\t}\n"
	      "\treturn failed;\n"
	      "}\n", to);
}
