/* SPDX-License-Identifier: MIT */
#include "tests/lang/source.h"

#include "format/format_code.h"
#include "format/graph/graph_read.h"
#include "isa/isa.h"
#include "print/print.h"
#include "ptowsp/workload.h"
#include "registry/npy.h"
#include "tests/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Text that grows. */
struct text {
	char *at;
	size_t length;
};

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *text, const char *format, ...)
{
	char piece[512];
	va_list args;

	va_start(args, format);
	vsnprintf(piece, sizeof(piece), format, args);
	va_end(args);
	text->at = realloc(text->at, text->length + strlen(piece) + 1);
	strcpy(text->at + text->length, piece);
	text->length += strlen(piece);
}

static void emit(void *context, const char *line)
{
	add(context, "%s", line);
}

static struct source compile(const struct lang_source *sources, uint32_t count, const struct lang_options *options)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct pkg_writer *writer = pkg_writer_create();
	struct source s = {0};
	struct text text = {0};

	s.status = lang_compile(writer, sources, count, options, &s.list, &error);
	if (!s.status)
		s.status = pkg_writer_seal(writer, &s.bytes, &s.size, &error);
	if (!s.status)
		s.status = pkg_open_memory(&s.package, s.bytes, s.size, "test", NULL, &error);
	if (s.status && s.list && !s.list->errors)
		CHECK_FAIL("a source without errors gives no package: %s", error.text);
	if (s.package)
		s.t = pkg_tables(s.package);
	pkg_writer_destroy(writer);
	add(&text, "%s", "");
	for (uint32_t i = 0; s.list && i < s.list->count; i++)
		lang_diagnostic_print(&s.list->rows[i], emit, &text);
	s.messages = text.at;
	return s;
}

struct source source_compile_as(const char *name, const char *text, size_t size, const struct lang_options *options)
{
	struct lang_source source = {name, text, size};

	return compile(&source, 1, options);
}

static ptowsp_status any_file(void *context, uint32_t source, const char *file, void **bytes_out, size_t *size_out, struct ptowsp_error *error)
{
	static const uint64_t extents[] = {100};
	size_t length = strlen(file), head = 0;
	int npy = length > 4 && !strcmp(file + length - 4, ".npy");
	char *bytes = calloc(1, NPY_HEADER + 400 + length + 1);

	(void)context, (void)source, (void)error;
	*bytes_out = bytes;
	if (!bytes)
		return PTOWSP_NO_MEMORY;
	if (npy)
		head = npy_header(bytes, PTOWSP_F32, 1, extents);
	for (size_t i = 0; i < (npy ? 400 : length); i++)
		bytes[head + i] = npy ? (char)(i % 7) : file[i];
	*size_out = npy ? head + 400 : length;
	return PTOWSP_OK;
}
const struct lang_options source_with_files = {.read = any_file};

struct source source_compile(const char *text)
{
	return source_compile_as("test.pto", text, strlen(text), NULL);
}

struct source source_compile_set(const char *const *texts, uint32_t count)
{
	static const char *const names[] = {"a.pto", "b.pto", "c.pto", "d.pto"};
	struct lang_source sources[4];

	for (uint32_t i = 0; i < count; i++)
		sources[i] = (struct lang_source){names[i], texts[i], strlen(texts[i])};
	return compile(sources, count, NULL);
}

void source_free(struct source *s)
{
	pkg_close(s->package);
	lang_diagnostics_destroy(s->list);
	free(s->bytes);
	free(s->messages);
	memset(s, 0, sizeof(*s));
}

#define FIND(table)                                                                                                                                            \
	do {                                                                                                                                                   \
		for (uint32_t i = 0; s->t && i < s->t->table##_count; i++)                                                                                     \
			if (!strcmp(pkg_string(s->t, s->t->table[i].name), name))                                                                              \
				return (int)i;                                                                                                                 \
		return -1;                                                                                                                                     \
	} while (0)

int source_kernel(const struct source *s, const char *name)
{
	FIND(kernel);
}

int source_entry(const struct source *s, const char *name)
{
	FIND(entry);
}

int source_tensor(const struct source *s, const char *name)
{
	FIND(tensor);
}

int source_slot(const struct source *s, const char *name)
{
	FIND(slot);
}

/* --- workload --- */

static void expr_add(struct text *text, const struct pkg_tables *t, uint32_t row)
{
	static const char *const names[] = {
#define X(NAME, code, mnemonic, operands, effect) [code] = mnemonic,
#include "ptowsp/expr_ops.def"
#undef X
	};
	const struct ptowsp_expr_record *node = &t->expr[row];

	switch (node->op) {
	case PTOWSP_EXPR_CONST: add(text, "%lld", (long long)((uint64_t)node->c << 32 | node->b)); break;
	case PTOWSP_EXPR_LOOP: add(text, "loop%u", node->a); break;
	case PTOWSP_EXPR_VALUE: add(text, "%s", pkg_string(t, t->slot[node->a].name)); break;
	case PTOWSP_EXPR_TASK:
	case PTOWSP_EXPR_INSTANCE: add(text, "%s", names[node->op]); break;
	case PTOWSP_EXPR_NEG:
	case PTOWSP_EXPR_NOT:
	case PTOWSP_EXPR_LNOT:
		add(text, "%s(", names[node->op]);
		expr_add(text, t, node->a);
		add(text, ")");
		break;
	default:
		add(text, "(");
		expr_add(text, t, node->a);
		add(text, " %s ", names[node->op]);
		expr_add(text, t, node->b);
		if (node->op == PTOWSP_EXPR_SELECT) {
			add(text, " : ");
			expr_add(text, t, node->c);
		}
		add(text, ")");
	}
}

static void region_add(struct text *text, const struct pkg_tables *t, uint32_t row)
{
	const struct ptowsp_region_record *region = &t->region[row];

	add(text, "%s[", pkg_string(t, t->tensor[region->tensor].name));
	expr_add(text, t, region->row);
	if (region->unit)
		add(text, " * %u + ", region->unit);
	else
		add(text, ", ");
	expr_add(text, t, region->column);
	if (!region->unit)
		add(text, " : %u, %u", region->rows, region->columns);
	add(text, "]");
}

static void axis_add(struct text *text, const struct pkg_tables *t, uint32_t row)
{
	const struct ptowsp_axis_record *axis = &t->axis[row];

	add(text, "%s ", pkg_string(t, axis->name));
	expr_add(text, t, axis->low);
	add(text, "..");
	expr_add(text, t, axis->high);
	add(text, " by ");
	expr_add(text, t, axis->step);
	if (axis->row != PTOWSP_NONE) {
		add(text, " row ");
		expr_add(text, t, axis->row);
	}
	if (axis->levels == PTOWSP_NONE)
		return;
	add(text, " levels %u..%u", t->levels[axis->levels].max_range, t->levels[axis->levels].min_range);
	for (uint32_t i = 0; i < t->levels[axis->levels].count; i++)
		add(text, " %u:%u", t->level[t->levels[axis->levels].first + i].block, t->level[t->levels[axis->levels].first + i].rows);
}

static void instruction_add(struct text *text, const struct pkg_tables *t, const struct ptowsp_instruction *inst, const uint32_t *axes, const uint32_t *kernels)
{
	static const char *const names[] = {
#define X(NAME, code, mnemonic, operand1, operand2, effect) [code] = mnemonic,
#include "ptowsp/workload_ops.def"
#undef X
	};

	add(text, "%s ", names[inst->opcode]);
	switch (inst->opcode) {
	case PTOWSP_OP_PARALLEL_FOR:
	case PTOWSP_OP_FOR_EACH:
	case PTOWSP_OP_SELECT:
		axis_add(text, t, axes[inst->operand1]);
		add(text, " -> %u", inst->operand2);
		break;
	case PTOWSP_OP_TASK: add(text, "%s", pkg_string(t, t->kernel[kernels[inst->operand1]].name)); break;
	case PTOWSP_OP_IO_INPUT:
	case PTOWSP_OP_IO_OUTPUT:
	case PTOWSP_OP_IO_INOUT:
	case PTOWSP_OP_IO_BIND:
		add(text, "%u ", inst->operand1);
		region_add(text, t, inst->operand2);
		break;
	case PTOWSP_OP_SLOT_LOAD:
		add(text, "%s ", pkg_string(t, t->slot[inst->operand1].name));
		region_add(text, t, inst->operand2);
		break;
	case PTOWSP_OP_SLOT_SET:
		add(text, "%s ", pkg_string(t, t->slot[inst->operand1].name));
		expr_add(text, t, inst->operand2);
		break;
	case PTOWSP_OP_COPY: region_add(text, t, inst->operand2); break;
	case PTOWSP_OP_SCOPE: add(text, "-> %u", inst->operand2); break;
	case PTOWSP_OP_FENCE:
	case PTOWSP_OP_COMBINE:
	case PTOWSP_OP_SEQUENTIAL: add(text, "%u", inst->operand1); break;
	case PTOWSP_OP_SIGNAL:
	case PTOWSP_OP_WAIT: add(text, "%s", pkg_string(t, t->event[inst->operand2].name)); break;
	case PTOWSP_OP_ALLOC:
	case PTOWSP_OP_FREE: add(text, "%s", pkg_string(t, t->tensor[inst->operand2].name)); break;
	case PTOWSP_OP_COND:
	case PTOWSP_OP_WHILE:
	case PTOWSP_OP_PARAM_EXPR:
	case PTOWSP_OP_AFTER:
		if (inst->opcode == PTOWSP_OP_PARAM_EXPR || inst->opcode == PTOWSP_OP_AFTER)
			add(text, "%u ", inst->operand1);
		expr_add(text, t, inst->operand2);
		break;
	case PTOWSP_OP_TARGET: add(text, "%u", inst->operand2); break;
	case PTOWSP_OP_PARAM_CONST:
	case PTOWSP_OP_PARAM_LOOPVAR: add(text, "%u %d", inst->operand1, (int)inst->operand2); break;
	default: break;
	}
	while (text->at[text->length - 1] == ' ')
		text->at[--text->length] = '\0';
	add(text, "\n");
}

char *source_workload(const struct source *s, const char *name)
{
	int entry = source_entry(s, name);
	const struct ptowsp_workload_header *header;
	const struct ptowsp_instruction *code;
	const uint32_t *axes;
	struct text text = {0};

	add(&text, "%s", "");
	if (entry < 0)
		return text.at;
	header = (const void *)s->t->raw_work;
	code = (const void *)(header + 1);
	axes = (const void *)(code + header->num_instructions);
	for (uint32_t i = s->t->entry[entry].instruction; i < header->num_instructions; i++) {
		add(&text, "%u ", i - s->t->entry[entry].instruction);
		if (code[i].opcode == PTOWSP_OP_PARALLEL_FOR || code[i].opcode == PTOWSP_OP_FOR_EACH || code[i].opcode == PTOWSP_OP_SELECT ||
		    code[i].opcode == PTOWSP_OP_TARGET || code[i].opcode == PTOWSP_OP_SCOPE) {
			struct ptowsp_instruction here = code[i];

			here.operand2 -= s->t->entry[entry].instruction;
			instruction_add(&text, s->t, &here, axes, axes + header->num_axes);
		} else {
			instruction_add(&text, s->t, &code[i], axes, axes + header->num_axes);
		}
		if (code[i].opcode == PTOWSP_OP_HALT)
			break;
	}
	return text.at;
}

/* --- kernels --- */

static void scalar_add(struct text *text, const struct source *s, const struct ptowsp_tile_scalar *scalar)
{
	float single;
	uint32_t bits = (uint32_t)scalar->value;

	memcpy(&single, &bits, sizeof(single));
	if (scalar->kind != PTOWSP_SCALAR_CONST)
		add(text, "%%%s", pkg_string(s->t, scalar->name));
	else if (scalar->dtype == PTOWSP_F32)
		add(text, "%g", (double)single);
	else
		add(text, "%lld", (long long)scalar->value);
}

char *source_program(const struct source *s, const char *name)
{
	int kernel = source_kernel(s, name);
	struct text text = {0};
	const struct ptowsp_tile_header *header;
	const struct ptowsp_tile_param *params;
	const struct ptowsp_tile_tile *tiles;
	const struct ptowsp_tile_scalar *scalars;
	const struct ptowsp_tile_inst *insts;

	add(&text, "%s", "");
	if (kernel < 0)
		return text.at;
	header = (const void *)(s->t->code + s->t->payload[s->t->kernel[kernel].payloads].offset);
	params = (const void *)(header + 1);
	tiles = (const void *)(params + header->param_count);
	scalars = (const void *)(tiles + header->tile_count);
	insts = (const void *)(scalars + header->scalar_count);
	for (uint32_t i = 0; i < header->scalar_count; i++)
		if (scalars[i].kind == PTOWSP_SCALAR_ARG)
			add(&text, "arg %u %%%s\n", (unsigned)scalars[i].value, pkg_string(s->t, scalars[i].name));
	for (uint32_t i = 0; i < header->inst_count; i++) {
		const struct isa_op *op = isa_op(insts[i].op);
		uint16_t dst[] = {insts[i].d, insts[i].e}, src[] = {insts[i].a, insts[i].b, insts[i].c, insts[i].f};
		unsigned d = 0, a = 0;

		add(&text, "%u %s", i, op->mnemonic);
		if (insts[i].mode)
			add(&text, "/%u", insts[i].mode);
		for (const char *letter = op->operands; *letter; letter++) {
			uint16_t row = *letter < 'a' ? dst[d++] : src[a++];

			add(&text, " ");
			if (*letter == 'T' || *letter == 't')
				add(&text, "%%%s", pkg_string(s->t, tiles[row].name));
			else if (*letter == 'M' || *letter == 'm')
				add(&text, "%%%s", pkg_string(s->t, params[row].name));
			else
				scalar_add(&text, s, &scalars[row]);
		}
		if (insts[i].target)
			add(&text, " -> %u", insts[i].target);
		add(&text, "\n");
	}
	return text.at;
}

static void source_is(const char *text, const char *name, const char *want, char *(*print)(const struct source *, const char *))
{
	struct source s = source_compile(text);
	char *got = print(&s, name);

	CHECK_STR(s.messages, "");
	CHECK_STR(got, want);
	free(got);
	source_free(&s);
}

void source_is_workload(const char *text, const char *entry, const char *want)
{
	source_is(text, entry, want, source_workload);
}

void source_is_program(const char *text, const char *kernel, const char *want)
{
	source_is(text, kernel, want, source_program);
}

char *source_graphs(const struct pkg_tables *tables)
{
	const struct pkg_place place = {"test", NULL};
	struct pkg_graphs graphs;
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!pkg_graphs_read(&graphs, tables, &place))
		for (uint32_t i = 0; i < graphs.count; i++)
			pkg_graph_print(&graphs.rows[i], tables, to);
	pkg_graphs_finish(&graphs);
	fclose(to);
	return text;
}

ptowsp_status source_print(struct pkg *package, const struct print_files *files, char **text_out, uint32_t *inexpressible_out, struct ptowsp_error *error)
{
	struct pkg_code *code;
	ptowsp_status status = pkg_code_open(&code, package, error);

	*text_out = NULL;
	if (!status)
		status = print_source(code, files, text_out, inexpressible_out, error);
	pkg_code_close(code);
	return status;
}

char *source_pages(void)
{
	static const char *const names[] = {"LANGUAGE", "WORKLOADS", "GRAPHS", "SCHEDULE", "GRAMMAR", "std/README"};
	struct text all = {0};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t size = 0;
		char *page = check_read(check_fmt("%s/packages/%s.md", check_root(), names[i]), &size);

		REQUIRE(page != NULL);
		all.at = realloc(all.at, all.length + size + 1);
		memcpy(all.at + all.length, page, size);
		all.length += size;
		all.at[all.length] = '\0';
		free(page);
	}
	return all.at;
}

char *source_block(const char **at)
{
	const char *begin = strstr(*at, "\n```pto\n"), *end;

	if (!begin)
		return NULL;
	begin += strlen("\n```pto\n");
	end = strstr(begin, "\n```\n");
	REQUIRE(end != NULL);
	*at = end;
	return strndup(begin, (size_t)(end + 1 - begin));
}
