/* SPDX-License-Identifier: MIT */
/* verify_rules.c - the rules between fields and tables that records.def cannot say. One function per table. */
#include "graph_read.h"
#include "verify.h"

#include "ptowsp/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define META_LIMIT 1024u
#define RUN_LIMIT 65535u /* parameters, payloads, variants of a kernel */
#define ALIGNMENT_LIMIT (1u << 30)
#define LEVEL_STEP 32u
#define SIGNATURE_LIMIT 32u
#define KEY_LIMIT 128u   /* bytes of a META key and */
#define FILE_LIMIT 256u  /* of a file name: texts that are compared once per row must be short */
#define BLOB_ALIGNMENT 64u

/* c: the check, as in MUST of the other files; row and the table's name come first in every sentence. */
#define MUST(condition, ...)                                                                                           \
	do {                                                                                                           \
		if (!(condition))                                                                                      \
			return pkg_refuse(&c->place, __VA_ARGS__);                                                     \
	} while (0)

static int is_power_of_two(uint64_t value)
{
	return value && !(value & (value - 1));
}

static int is_shorter(const char *text, size_t limit)
{
	for (size_t i = 0; i < limit; i++)
		if (!text[i])
			return 1;
	return 0;
}

static int compare_keys(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static ptowsp_status meta_check(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;
	const char *keys[META_LIMIT];

	MUST(t->meta_count <= META_LIMIT, "META has %u rows, the limit is %u", (unsigned)t->meta_count, META_LIMIT);
	for (uint32_t i = 0; i < t->meta_count; i++) {
		keys[i] = pkg_string(t, t->meta[i].key);
		MUST(keys[i][0], "META[%u].key is empty", (unsigned)i);
		MUST(is_shorter(keys[i], KEY_LIMIT), "META[%u].key has more than %u bytes", (unsigned)i, KEY_LIMIT - 1);
		MUST(strcmp(keys[i], "wsp_runtime_abi") || !strcmp(pkg_string(t, t->meta[i].value), c->abi),
		     "META[%u].value is \"%.16s\", the header's wsp_runtime_abi is \"%s\"", (unsigned)i,
		     pkg_string(t, t->meta[i].value), c->abi);
	}
	qsort(keys, t->meta_count, sizeof(keys[0]), compare_keys);
	for (uint32_t i = 1; i < t->meta_count; i++)
		MUST(strcmp(keys[i - 1], keys[i]), "META has the key \"%.40s\" twice", keys[i]);
	return PTOWSP_OK;
}

/* Length of a type at the start of text: p, f32, f64, i8 .. u64, v; 0 if there is none. */
static size_t signature_type_length(const char *text)
{
	static const char *const types[] = {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "p", "v"};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strncmp(text, types[i], strlen(types[i])))
			return strlen(types[i]);
	return 0;
}

/* type(type,type,...), at most 32 arguments, none of them void. */
static int signature_is_valid(const char *text)
{
	size_t length = signature_type_length(text);
	unsigned count = 0;

	if (!length || text[length] != '(')
		return 0;
	text += length + 1;
	if (!strcmp(text, ")"))
		return 1;
	for (;;) {
		length = signature_type_length(text);
		if (!length || *text == 'v' || ++count > SIGNATURE_LIMIT)
			return 0;
		text += length;
		if (*text != ',')
			return !strcmp(text, ")");
		text++;
	}
}

static ptowsp_status kernels_check(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;

	for (uint32_t i = 0; i < t->kernel_count; i++) {
		const struct ptowsp_kernel_record *k = &t->kernel[i];
		const char *signature = pkg_string(t, k->signature);

		MUST(!*signature || signature_is_valid(signature),
		     "KREG[%u].signature is \"%.60s\": write it as v(p,p,i64), types i8 to u64, f32, f64, p, at most 32", (unsigned)i,
		     signature);
		MUST(k->param_count <= RUN_LIMIT, "KREG[%u].param_count is %u, the limit is %u", (unsigned)i,
		     (unsigned)k->param_count, RUN_LIMIT);
		MUST(k->payload_count <= RUN_LIMIT, "KREG[%u].payload_count is %u, the limit is %u", (unsigned)i,
		     (unsigned)k->payload_count, RUN_LIMIT);
		MUST(k->variant_count <= RUN_LIMIT, "KREG[%u].variant_count is %u, the limit is %u", (unsigned)i,
		     (unsigned)k->variant_count, RUN_LIMIT);
	}
	return PTOWSP_OK;
}

static ptowsp_status payloads_check(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;

	for (uint32_t i = 0; i < t->payload_count; i++) {
		const struct ptowsp_payload_record *p = &t->payload[i];

		MUST(p->offset % BLOB_ALIGNMENT == 0, "KPAY[%u].offset is %llu, which is no multiple of %u", (unsigned)i,
		     (unsigned long long)p->offset, BLOB_ALIGNMENT);
		MUST(p->size, "KPAY[%u].size is 0: a payload has bytes", (unsigned)i);
		MUST(p->entry_offset < p->size, "KPAY[%u].entry_offset is %llu, the payload has %llu bytes", (unsigned)i,
		     (unsigned long long)p->entry_offset, (unsigned long long)p->size);
		MUST(!p->entry || !p->entry_offset, "KPAY[%u] has both an entry symbol and an entry_offset", (unsigned)i);
	}
	return PTOWSP_OK;
}

static ptowsp_status levels_check(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;

	for (uint32_t i = 0; i < t->variant_count; i++)
		MUST(t->variant[i].rows && t->variant[i].rows % LEVEL_STEP == 0, "KVAR[%u].rows is %u: a multiple of %u from there on is needed",
		     (unsigned)i, (unsigned)t->variant[i].rows, LEVEL_STEP);
	for (uint32_t i = 0; i < t->levels_count; i++) {
		const struct ptowsp_levels_record *l = &t->levels[i];

		MUST(is_power_of_two(l->max_range), "TLVL[%u].max_range is %u, which is no power of two", (unsigned)i,
		     (unsigned)l->max_range);
		MUST(is_power_of_two(l->min_range) && l->min_range <= l->max_range,
		     "TLVL[%u].min_range is %u: a power of two up to max_range %u is needed", (unsigned)i, (unsigned)l->min_range,
		     (unsigned)l->max_range);
	}
	for (uint32_t i = 0; i < t->level_count; i++) {
		MUST(!t->level[i].block || is_power_of_two(t->level[i].block), "LVLS[%u].block is %u: 0 or a power of two is needed",
		     (unsigned)i, (unsigned)t->level[i].block);
		MUST(t->level[i].rows % LEVEL_STEP == 0, "LVLS[%u].rows is %u, which is no multiple of %u", (unsigned)i,
		     (unsigned)t->level[i].rows, LEVEL_STEP);
	}
	return PTOWSP_OK;
}

static ptowsp_status tensors_check(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;

	for (uint32_t i = 0; i < t->tensor_count; i++) {
		const struct ptowsp_tensor_record *x = &t->tensor[i];

		MUST(x->dim_count <= 4, "TENS[%u].dim_count is %u: a tensor has at most 4 dimensions", (unsigned)i,
		     (unsigned)x->dim_count);
		MUST(!(x->flags & PTOWSP_TENSOR_SHAPELESS) || !x->dim_count,
		     "TENS[%u].dim_count is %u, but its flags say that it has no shape", (unsigned)i, (unsigned)x->dim_count);
		MUST(!x->alignment || (is_power_of_two(x->alignment) && x->alignment <= ALIGNMENT_LIMIT),
		     "TENS[%u].alignment is %u: 0 or a power of two up to 2^30 is needed", (unsigned)i, (unsigned)x->alignment);
	}
	return PTOWSP_OK;
}

/* Operands of one node; those that it does not use are 0, so that equal expressions have equal bytes. */
static ptowsp_status node_check(const struct pkg_check *c, uint32_t i)
{
	const struct ptowsp_expr_record *e = &c->tables->expr[i];
	const uint32_t operands[3] = {e->a, e->b, e->c};
	uint32_t used = pkg_expr_operands(e->op), free_from = used;

	for (uint32_t k = 0; k < used; k++)
		MUST(operands[k] < i, "EXPR[%u].%c is %u: an operand is an earlier row", (unsigned)i, "abc"[k], (unsigned)operands[k]);
	if (e->op == PTOWSP_EXPR_CONST) {
		MUST(!e->a, "EXPR[%u].a is %u: not used by %s, must be 0", (unsigned)i, (unsigned)e->a, "const");
		return PTOWSP_OK;
	}
	if (e->op == PTOWSP_EXPR_LOOP)
		MUST(e->a < PTOWSP_NESTING_LIMIT, "EXPR[%u].a is %u: loops nest at most %u deep", (unsigned)i, (unsigned)e->a,
		     PTOWSP_NESTING_LIMIT);
	if (e->op == PTOWSP_EXPR_VALUE)
		MUST(e->a < c->tables->slot_count, "EXPR[%u].a is %u: SLOT has %u rows", (unsigned)i, (unsigned)e->a,
		     (unsigned)c->tables->slot_count);
	if (e->op == PTOWSP_EXPR_AXIS)
		MUST(e->a && pkg_verify_is_string(c, e->a), "EXPR[%u].a is %u: not the name of a loop in STRS", (unsigned)i,
		     (unsigned)e->a);
	if (e->op == PTOWSP_EXPR_LOOP || e->op == PTOWSP_EXPR_VALUE || e->op == PTOWSP_EXPR_AXIS)
		free_from = 1;
	for (uint32_t k = free_from; k < 3; k++)
		MUST(!operands[k], "EXPR[%u].%c is %u: not used by %s, must be 0", (unsigned)i, "abc"[k], (unsigned)operands[k],
		     pkg_word(PKG_WORDS_expr_op, e->op));
	return PTOWSP_OK;
}

/* varies[i] = 1 if row i depends on more than constants and symbols. Operands are earlier rows: one pass. */
static void varies_fill(const struct pkg_tables *t, uint8_t *varies)
{
	for (uint32_t i = 0; i < t->expr_count; i++) {
		const struct ptowsp_expr_record *e = &t->expr[i];
		const uint32_t operands[3] = {e->a, e->b, e->c};

		varies[i] = e->op == PTOWSP_EXPR_LOOP || e->op == PTOWSP_EXPR_AXIS || e->op == PTOWSP_EXPR_TASK || e->op == PTOWSP_EXPR_INSTANCE ||
			    (e->op == PTOWSP_EXPR_VALUE && t->slot[e->a].kind != PTOWSP_SLOT_SYMBOL);
		for (uint32_t k = 0; k < pkg_expr_operands(e->op); k++)
			varies[i] |= varies[operands[k]];
	}
}

static ptowsp_status dims_check(const struct pkg_check *c, const uint8_t *varies)
{
	const struct pkg_tables *t = c->tables;

	for (uint32_t i = 0; i < t->dim_count; i++) {
		const struct ptowsp_expr_record *e = &t->expr[t->dim[i].extent];

		MUST(!varies[t->dim[i].extent], "DIMS[%u].extent is EXPR[%u], which uses more than constants and symbols", (unsigned)i,
		     (unsigned)t->dim[i].extent);
		MUST(e->op != PTOWSP_EXPR_CONST || !(e->c >> 31), "DIMS[%u].extent is negative", (unsigned)i);
	}
	return PTOWSP_OK;
}

static ptowsp_status expressions_check(const struct pkg_check *c)
{
	uint32_t count = c->tables->expr_count;
	ptowsp_status st = PTOWSP_OK;
	uint8_t *varies;

	for (uint32_t i = 0; i < count && !st; i++)
		st = node_check(c, i);
	if (st)
		return st;
	varies = calloc(count + 1, 1);
	if (!varies)
		return pkg_fail(c->place.error, PTOWSP_NO_MEMORY, "%s: out of memory", c->place.file);
	varies_fill(c->tables, varies);
	st = dims_check(c, varies);
	free(varies);
	return st;
}

static ptowsp_status loops_check(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;

	for (uint32_t i = 0; i < t->axis_count; i++) {
		const struct ptowsp_expr_record *step = &t->expr[t->axis[i].step];

		MUST(step->op != PTOWSP_EXPR_CONST || (!(step->c >> 31) && (step->b | step->c)),
		     "AXES[%u].step is less than 1", (unsigned)i);
	}
	for (uint32_t i = 0; i < t->region_count; i++)
		MUST(!t->region[i].unit || !t->region[i].rows, "REGN[%u].unit is %u: rows must then be 0", (unsigned)i,
		     (unsigned)t->region[i].unit);
	return PTOWSP_OK;
}

static ptowsp_status work_rows_check(const struct pkg_check *c, uint64_t offset, uint32_t count, uint32_t rows, const char *what,
				     const char *table)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t row;

		memcpy(&row, c->tables->work + offset + 4ull * i, sizeof(row));
		MUST(row < rows, "WORK: %s %u is row %u, %s has %u rows", what, (unsigned)i, (unsigned)row, table, (unsigned)rows);
	}
	return PTOWSP_OK;
}

static ptowsp_status work_check(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;
	struct ptowsp_workload_header h = {0};
	uint64_t rows, tables_at;
	ptowsp_status st;

	if (!t->work_size)
		return PTOWSP_OK;
	MUST(t->work_size >= sizeof(h), "WORK has %llu bytes, fewer than its header", (unsigned long long)t->work_size);
	memcpy(&h, t->work, sizeof(h));
	MUST(h.magic == PTOWSP_WORKLOAD_MAGIC, "WORK: magic is 0x%08x, not 0x%08x", (unsigned)h.magic, PTOWSP_WORKLOAD_MAGIC);
	MUST(h.version == PTOWSP_WORKLOAD_VERSION, "WORK: bytecode version is %u, this build knows %u", (unsigned)h.version,
	     PTOWSP_WORKLOAD_VERSION);
	rows = (uint64_t)h.num_axes + h.num_kernels + h.num_tensors;
	tables_at = sizeof(h) + (uint64_t)h.num_instructions * sizeof(struct ptowsp_instruction);
	MUST(t->work_size == tables_at + 4 * rows, "WORK has %llu bytes, its header's counts make %llu",
	     (unsigned long long)t->work_size, (unsigned long long)(tables_at + 4 * rows));
	st = work_rows_check(c, tables_at, h.num_axes, t->axis_count, "axis", "AXES");
	tables_at += 4ull * h.num_axes;
	if (!st)
		st = work_rows_check(c, tables_at, h.num_kernels, t->kernel_count, "kernel", "KREG");
	tables_at += 4ull * h.num_kernels;
	if (!st)
		st = work_rows_check(c, tables_at, h.num_tensors, t->tensor_count, "tensor", "TENS");
	return st;
}

/* Needs a checked WORK. */
static uint32_t instruction_count(const struct pkg_tables *t)
{
	struct ptowsp_workload_header h = {0};

	if (t->work_size)
		memcpy(&h, t->work, sizeof(h));
	return h.num_instructions;
}

static ptowsp_status entries_check(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;
	uint32_t instructions = instruction_count(t), defaults = 0;

	for (uint32_t i = 0; i < t->entry_count; i++) {
		if (t->entry[i].flags & PTOWSP_ENTRY_KERNEL)
			MUST(t->entry[i].instruction < t->kernel_count, "ENTR[%u].instruction is %u: its flags say a kernel, KREG has %u rows",
			     (unsigned)i, (unsigned)t->entry[i].instruction, (unsigned)t->kernel_count);
		else
			MUST(t->entry[i].instruction < instructions, "ENTR[%u].instruction is %u, WORK has %u instructions", (unsigned)i,
			     (unsigned)t->entry[i].instruction, (unsigned)instructions);
		defaults += t->entry[i].flags & PTOWSP_ENTRY_DEFAULT;
		MUST(defaults <= 1, "ENTR[%u].flags: another entry is the default already", (unsigned)i);
	}
	return pkg_verify_pipeline(c, instructions);
}

static ptowsp_status argument_check(const struct pkg_check *c, uint32_t i, uint32_t k, int64_t value, uint64_t kind)
{
	const struct pkg_tables *t = c->tables;

	MUST(kind <= PTOWSP_ARGUMENT_EXPR, "SCHD[%u].kinds: argument %u has kind %u; known: 0 number, 1 word, 2 expression",
	     (unsigned)i, (unsigned)k, (unsigned)kind);
	if (kind == PTOWSP_ARGUMENT_WORD)
		MUST(value >= 0 && pkg_verify_is_string(c, (uint64_t)value), "SCHD[%u].a%u is %lld, which is no string of STRS",
		     (unsigned)i, (unsigned)k, (long long)value);
	if (kind == PTOWSP_ARGUMENT_EXPR)
		MUST(value >= 0 && value < (int64_t)t->expr_count, "SCHD[%u].a%u is %lld, EXPR has %u rows", (unsigned)i, (unsigned)k,
		     (long long)value, (unsigned)t->expr_count);
	return PTOWSP_OK;
}

/* A loop of the package, or one of the words: a name that is neither would hold nothing back. */
static int is_domain(const struct pkg_tables *t, const char *name)
{
	static const char *const words[] = {"global", "stream", "pool"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(name, words[i]))
			return 1;
	for (uint32_t i = 0; i < t->axis_count; i++)
		if (*name && !strcmp(name, pkg_string(t, t->axis[i].name)))
			return 1;
	return 0;
}

static ptowsp_status domain_check(const struct pkg_check *c, uint32_t i)
{
	const struct ptowsp_directive_record *d = &c->tables->directive[i];
	int named = d->directive == PTOWSP_DIRECTIVE_PIPELINE_DEPTH && d->count == 2 && (d->kinds & 0xFF) == PTOWSP_ARGUMENT_WORD;

	MUST(!named || is_domain(c->tables, pkg_string(c->tables, (uint32_t)d->a0)),
	     "SCHD[%u]: pipeline_depth names the domain \"%.40s\", and no loop of the package has that name; known: global, stream, pool, or a loop",
	     (unsigned)i, pkg_string(c->tables, (uint32_t)d->a0));
	return PTOWSP_OK;
}

static ptowsp_status directive_check(const struct pkg_check *c, uint32_t i)
{
	const struct ptowsp_directive_record *d = &c->tables->directive[i];
	const int64_t values[8] = {d->a0, d->a1, d->a2, d->a3, d->a4, d->a5, d->a6, d->a7};
	const struct pkg_policy *policy = pkg_policy(d->directive, d->policy);
	ptowsp_status st = PTOWSP_OK;
	char known[128], most[16];

	pkg_policy_list(d->directive, known, sizeof(known));
	MUST(policy, "SCHD[%u].policy is %u: %s has no such policy; known: %s", (unsigned)i, (unsigned)d->policy,
	     pkg_word(PKG_WORDS_directive, d->directive), known);
	most[0] = 0;
	if (policy && policy->least != policy->most)
		snprintf(most, sizeof(most), " to %u", policy->most);
	MUST(d->count >= policy->least && d->count <= policy->most, "SCHD[%u].count is %u: %s %s takes %u%s arguments", (unsigned)i,
	     (unsigned)d->count, pkg_word(PKG_WORDS_directive, d->directive), pkg_policy_text(policy).text, policy->least, most);
	for (uint32_t k = 0; k < 8 && !st; k++) {
		uint64_t kind = d->kinds >> 8 * k & 0xFF;

		if (k < d->count)
			st = argument_check(c, i, k, values[k], kind);
		else
			MUST(!kind && !values[k], "SCHD[%u].a%u: behind the last argument there must be zeros", (unsigned)i, (unsigned)k);
	}
	return st ? st : domain_check(c, i);
}

static ptowsp_status schedule_check(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;
	ptowsp_status st = PTOWSP_OK;

	for (uint32_t i = 0; i < t->directive_count && !st; i++)
		st = directive_check(c, i);
	for (uint32_t i = 0; i < t->requirement_count && !st; i++)
		MUST(t->requirement[i].state >= 1 && t->requirement[i].state <= 3, "REQS[%u].state is %u: states are 1 to 3", (unsigned)i,
		     (unsigned)t->requirement[i].state);
	return st;
}

/* Bytes of a sample, or 0 with *valid_out 0 if they do not fit into 64 bits. */
static uint64_t sample_bytes(const struct pkg_tables *t, const struct ptowsp_sample_record *s, int *valid_out)
{
	const uint64_t extents[4] = {s->extent0, s->extent1, s->extent2, s->extent3};
	uint64_t bytes = pkg_dtype_bytes(t->tensor[s->tensor].dtype);

	*valid_out = 1;
	for (uint32_t k = 0; k < s->rank && *valid_out; k++)
		if (__builtin_mul_overflow(bytes, extents[k], &bytes))
			*valid_out = 0;
	return bytes;
}

static ptowsp_status sample_check(const struct pkg_check *c, uint32_t i)
{
	const struct ptowsp_sample_record *s = &c->tables->sample[i];
	const uint64_t extents[4] = {s->extent0, s->extent1, s->extent2, s->extent3};
	uint64_t bytes;
	int valid;

	MUST(s->rank >= 1 && s->rank <= 4, "TDAT[%u].rank is %u: ranks are 1 to 4", (unsigned)i, (unsigned)s->rank);
	for (uint32_t k = s->rank; k < 4; k++)
		MUST(!extents[k], "TDAT[%u].extent%u is %llu: beyond the rank of %u it must be 0", (unsigned)i, (unsigned)k,
		     (unsigned long long)extents[k], (unsigned)s->rank);
	bytes = sample_bytes(c->tables, s, &valid);
	MUST(valid && bytes == s->size, "TDAT[%u].size is %llu: its extents and element type do not make that", (unsigned)i,
	     (unsigned long long)s->size);
	MUST(s->offset % BLOB_ALIGNMENT == 0, "TDAT[%u].offset is %llu, which is no multiple of %u", (unsigned)i,
	     (unsigned long long)s->offset, BLOB_ALIGNMENT);
	return PTOWSP_OK;
}

static ptowsp_status samples_unique_check(const struct pkg_check *c, uint8_t *seen)
{
	const struct pkg_tables *t = c->tables;

	for (uint32_t i = 0; i < t->sample_count; i++) {
		uint8_t bit = (uint8_t)(1u << t->sample[i].role);

		MUST(!(seen[t->sample[i].tensor] & bit), "TDAT[%u]: another row gives the same tensor (\"%.40s\") for the same role",
		     (unsigned)i, pkg_string(t, t->tensor[t->sample[i].tensor].name));
		seen[t->sample[i].tensor] |= bit;
	}
	return PTOWSP_OK;
}

static ptowsp_status samples_check(const struct pkg_check *c)
{
	uint8_t *seen = calloc((size_t)c->tables->tensor_count + 1, 1);
	ptowsp_status st = PTOWSP_OK;

	if (!seen)
		return pkg_fail(c->place.error, PTOWSP_NO_MEMORY, "%s: out of memory", c->place.file);
	for (uint32_t i = 0; i < c->tables->sample_count && !st; i++)
		st = sample_check(c, i);
	if (!st)
		st = samples_unique_check(c, seen);
	free(seen);
	return st;
}

static ptowsp_status positions_check(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;
	const uint32_t rows[5] = {instruction_count(t), t->kernel_count, t->entry_count, t->slot_count, t->expr_count};
	static const char *const tables[5] = {"WORK", "KREG", "ENTR", "SLOT", "EXPR"};

	for (uint32_t i = 0; i < t->debug_count; i++) {
		const struct ptowsp_debug_record *d = &t->debug[i];

		MUST(d->kind < 5, "DBGI[%u].kind is %u: kinds are 0 to 4", (unsigned)i, (unsigned)d->kind);
		MUST(d->row < rows[d->kind], "DBGI[%u].row is %u, %s has %u rows", (unsigned)i, (unsigned)d->row, tables[d->kind],
		     (unsigned)rows[d->kind]);
		MUST(is_shorter(pkg_string(t, d->file), FILE_LIMIT), "DBGI[%u].file has more than %u bytes", (unsigned)i,
		     FILE_LIMIT - 1);
		MUST(!strchr(pkg_string(t, d->file), '/'), "DBGI[%u].file is \"%.60s\": a file name without folder is needed",
		     (unsigned)i, pkg_string(t, d->file));
	}
	return PTOWSP_OK;
}

static ptowsp_status graphs_check(const struct pkg_check *c)
{
	struct pkg_graphs graphs;
	ptowsp_status st = pkg_graphs_read(&graphs, c->tables, &c->place);

	pkg_graphs_finish(&graphs);
	return st;
}

static ptowsp_status calls_check(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;

	for (uint32_t i = 0; i < t->call_count; i++)
		MUST((uint64_t)t->call[i].first + t->call[i].instructions <= instruction_count(t),
		     "CALL[%u] begins at instruction %u and has %u of them, WORK has %u", (unsigned)i, (unsigned)t->call[i].first,
		     (unsigned)t->call[i].instructions, (unsigned)instruction_count(t));
	return PTOWSP_OK;
}

ptowsp_status pkg_verify_rules(const struct pkg_check *check)
{
	static ptowsp_status (*const steps[])(const struct pkg_check *) = {
		meta_check, kernels_check, payloads_check, levels_check,   tensors_check, expressions_check,
		loops_check, pkg_verify_axes, work_check, entries_check, pkg_verify_kernel_entries, schedule_check, samples_check,
		graphs_check, positions_check, calls_check, pkg_verify_layouts, pkg_verify_memories};
	ptowsp_status st = PTOWSP_OK;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !st; i++)
		st = steps[i](check);
	return st;
}
