/* SPDX-License-Identifier: MIT */
/* c_kernel.c - kernels: parameters, payloads, and the instructions of portable ones. */
#include "tools/inspect/c.h"

#include "format/format_names.h"
#include "isa/isa.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *word(unsigned words, uint32_t code)
{
	const char *text = pkg_word((enum pkg_words)words, code);

	return text ? text : "?";
}

static int is_string(const struct pkg_tables *t, uint32_t offset)
{
	return offset < t->strings_size && (!offset || !t->strings[offset - 1]);
}

/* 1 if the parameters in the payload are the tensors of the kernel, and what is said of them is the same. */
static bool params_equal(const struct pkg_tables *t, const struct ptowsp_kernel_record *k, const struct ptowsp_tile_param *params, uint32_t count)
{
	uint32_t seen = 0;

	for (uint32_t i = k->params; i < k->params + k->param_count; i++) {
		const struct ptowsp_param_record *p = &t->param[i];

		if (p->kind != PTOWSP_PARAM_TENSOR)
			continue;
		if (seen == count || params[seen].name != p->name || params[seen].dtype != p->dtype || params[seen].access != p->access ||
		    params[seen].rows != p->rows || params[seen].columns != p->columns)
			return false;
		seen++;
	}
	return seen == count;
}

/* The program of a payload that calls can say: sound, and nothing in it but what instructions mean. NULL: there is none; to be destroyed. */
static struct isa_program *program_open(const struct pkg_tables *t, const struct ptowsp_kernel_record *k, const uint8_t *bytes, size_t size)
{
	struct isa_program *program = NULL;
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	const struct ptowsp_tile_header *header;
	int fine;

	if (isa_program_create(&program, bytes, size, t->strings, t->strings_size, &error))
		return NULL;
	header = isa_program_header(program);
	fine = is_string(t, header->name) && params_equal(t, k, isa_program_params(program), header->param_count);
	for (uint32_t i = 0; i < header->tile_count; i++)
		fine &= is_string(t, isa_program_tiles(program)[i].name);
	for (uint32_t i = 0; i < header->scalar_count; i++) {
		const struct ptowsp_tile_scalar *scalar = &isa_program_scalars(program)[i];

		fine &= is_string(t, scalar->name) && (scalar->kind == PTOWSP_SCALAR_CONST || scalar->kind == PTOWSP_SCALAR_ARG || !scalar->value);
	}
	if (fine)
		return program;
	isa_program_destroy(program);
	return NULL;
}

/* Handles while a body is said. */
struct body {
	struct said *s;
	const struct isa_program *program;
	const struct ptowsp_tile_header *header;
	const uint32_t *tensors, *arguments; /* handles of the kernel's parameters by number */
	uint32_t *tiles, *scalars;
};

static void tile_say(struct body *body, uint32_t i)
{
	const struct ptowsp_tile_tile *tile = &isa_program_tiles(body->program)[i];

	body->tiles[i] = say(body->s, "tile", pkg_string(body->s->t, tile->name), word(PKG_WORDS_dtype, tile->dtype), tile->rows, tile->columns);
	if (tile->space != PTOWSP_SPACE_UB)
		say(body->s, "tile_space", body->tiles[i], word(PKG_WORDS_space, tile->space));
}

static void scalar_say(struct body *body, uint32_t i)
{
	static const char *const kinds[] = {[PTOWSP_SCALAR_LOCAL] = "local", [PTOWSP_SCALAR_BLOCK] = "block_index", [PTOWSP_SCALAR_BLOCKS] = "block_count"};
	const struct ptowsp_tile_scalar *scalar = &isa_program_scalars(body->program)[i];
	const char *type = word(PKG_WORDS_dtype, scalar->dtype), *name = pkg_string(body->s->t, scalar->name);

	if (scalar->kind == PTOWSP_SCALAR_CONST)
		body->scalars[i] = say(body->s, "literal_bits", type, scalar->value);
	else if (scalar->kind == PTOWSP_SCALAR_ARG)
		body->scalars[i] = say(body->s, "argument", body->arguments[scalar->value]);
	else
		body->scalars[i] = say(body->s, "scalar", name, type, kinds[scalar->kind]);
}

/* Tiles and scalars have one order of declaration, which the offsets of new names show. */
static void locals_say(struct body *body)
{
	uint32_t tile = 0, scalar = 0, known = 0;

	while (tile < body->header->tile_count || scalar < body->header->scalar_count) {
		uint32_t a = tile < body->header->tile_count ? isa_program_tiles(body->program)[tile].name : UINT32_MAX;
		uint32_t b = scalar < body->header->scalar_count ? isa_program_scalars(body->program)[scalar].name : UINT32_MAX;
		uint32_t next = a <= known ? a : b <= known ? b : a < b ? a : b;

		known = next > known ? next : known;
		if (next == a)
			tile_say(body, tile++);
		else
			scalar_say(body, scalar++);
	}
}

static void inst_say(struct body *body, const struct ptowsp_tile_inst *inst, const char *file)
{
	struct said *s = body->s;
	const char *letters = isa_op(inst->op)->operands;
	uint16_t rows[ISA_OPERANDS_MAX];
	const uint32_t count = isa_op_operands(isa_op(inst->op), inst, rows);
	uint32_t handles[ISA_OPERANDS_MAX] = {0};

	for (uint32_t i = 0; i < count; i++)
		handles[i] = ((letters[i] | 32) == 't' ? body->tiles : (letters[i] | 32) == 'm' ? body->tensors : body->scalars)[rows[i]];
	if (inst->line != s->place.line) {
		s->place = (struct ptowsp_debug_record){.line = inst->line, .file = SAY_ANY_FILE};
		say(s, "position", inst->line ? file : "", inst->line, 0u);
	}
	say(s, "op", isa_op(inst->op)->mnemonic, (uint32_t)inst->mode, handles, count, count);
}

static void body_say(struct said *s, uint32_t kernel, const struct isa_program *program)
{
	const struct ptowsp_tile_header *header = isa_program_header(program);
	const struct ptowsp_kernel_record *k = &s->t->kernel[kernel];
	uint32_t *room = calloc((size_t)k->param_count * 2 + header->tile_count + header->scalar_count + 1, sizeof(*room));
	uint32_t tensors = 0, scalars = 0;
	const char *file = s->place.line && s->place.file != SAY_ANY_FILE ? pkg_string(s->t, s->place.file) : "tiles";
	struct body body = {s, program, header, room, room + k->param_count, room + 2 * k->param_count, room + 2 * k->param_count + header->tile_count};

	if (!room) {
		s->failed = 1;
		return;
	}
	for (uint32_t i = 0; i < k->param_count; i++)
		if (s->t->param[k->params + i].kind == PTOWSP_PARAM_TENSOR)
			room[tensors++] = s->params[k->params + i];
		else
			room[k->param_count + scalars++] = s->params[k->params + i];
	say(s, "body", s->kernels[kernel]);
	s->depth++;
	if (header->name != k->name)
		say(s, "body_name", pkg_string(s->t, header->name));
	for (uint32_t i = 0; i < header->scalar_count; i++)
		if (isa_program_scalars(program)[i].kind == PTOWSP_SCALAR_ARG && isa_program_scalars(program)[i].value >= scalars)
			s->failed = 2;
	if (header->param_count == tensors && s->failed != 2) {
		locals_say(&body);
		for (uint32_t i = 0; i < header->inst_count; i++)
			inst_say(&body, &isa_program_insts(program)[i], file);
	}
	s->depth--;
	say(s, "body_end");
	free(room);
}

static void layout_say(struct said *s, uint32_t param)
{
	uint32_t count;
	const struct ptowsp_param_layout_record *dims = pkg_param_layout(s->t, param, &count);

	for (uint32_t i = 0; i < count; i++)
		say(s, "param_dim", s->params[param], word(PKG_WORDS_distribution, dims[i].distribution), (uint32_t)dims[i].mesh_axis);
}

static void params_say(struct said *s, uint32_t kernel)
{
	static const char *const memory_calls[] = {"param_memory", "param_block", "param_stride"};
	const struct ptowsp_kernel_record *k = &s->t->kernel[kernel];
	struct ptowsp_memory_record memory;

	for (uint32_t i = k->params; i < k->params + k->param_count; i++) {
		const struct ptowsp_param_record *p = &s->t->param[i];
		const char *name = pkg_string(s->t, p->name), *type = word(PKG_WORDS_dtype, p->dtype);

		s->params[i] = p->kind == PTOWSP_PARAM_TENSOR ? say(s, "param", s->kernels[kernel], name, type, word(PKG_WORDS_access, p->access & 3u))
							      : say(s, "param_scalar", s->kernels[kernel], name, type);
		if (p->kind == PTOWSP_PARAM_TENSOR && (p->rows || p->columns))
			say(s, "param_tile", s->params[i], p->rows, p->columns);
		layout_say(s, i);
		if (pkg_param_memory(s->t, i, &memory))
			say_memory(s, memory_calls, s->params[i], &memory);
	}
}

static void payload_say(struct said *s, uint32_t kernel, const struct ptowsp_payload_record *p)
{
	const struct pkg_tables *t = s->t;
	struct isa_program *program = p->kind == PTOWSP_PAYLOAD_PTO ? program_open(t, &t->kernel[kernel], t->code + p->offset, (size_t)p->size) : NULL;
	uint32_t handle;

	if (program) {
		body_say(s, kernel, program);
		isa_program_destroy(program);
		handle = (uint32_t)BUILD_PAYLOAD << BUILD_ROW_BITS | (s->b->payload_count - 1);
		if (p->target || p->entry || p->unit || p->entry_offset || p->cycles || p->workspace)
			s->rows[BUILD_PAYLOAD] = s->b->payload_count;
	} else {
		handle = say(s, "payload", s->kernels[kernel], word(PKG_WORDS_payload, p->kind), t->code + p->offset, p->size);
	}
	if (p->target)
		say(s, "payload_target", handle, pkg_string(t, p->target));
	if (p->unit)
		say(s, "payload_unit", handle, word(PKG_WORDS_unit, p->unit));
	if (p->entry)
		say(s, "payload_entry", handle, pkg_string(t, p->entry));
	if (p->entry_offset)
		say(s, "payload_offset", handle, p->entry_offset);
	if (p->cycles)
		say(s, "payload_cycles", handle, p->cycles);
	if (p->workspace)
		say(s, "payload_workspace", handle, p->workspace);
}

/* Kernels with the same rows of KPAY have one key. */
static uint64_t payloads_key(const struct ptowsp_kernel_record *k)
{
	return (uint64_t)k->payloads << 32 | k->payload_count;
}

/* The first kernel that has the same rows of KPAY, by the kernels in their order. */
static uint32_t like_of(const struct said *s, const struct pkg_ranks *payloads, uint32_t row)
{
	const struct ptowsp_kernel_record *k = &s->t->kernel[row];

	return k->payload_count ? payloads->rows[pkg_ranks_from(payloads, payloads_key(k))].row : row;
}

static void kernel_say(struct said *s, uint32_t i, uint32_t like)
{
	const struct pkg_tables *t = s->t;
	const struct ptowsp_kernel_record *k = &t->kernel[i];

	fputc('\n', s->to);
	say_position(s, 1, i);
	s->kernels[i] = say(s, "kernel", pkg_string(t, k->name), word(PKG_WORDS_unit, k->unit));
	if (k->signature)
		say(s, "kernel_signature", s->kernels[i], pkg_string(t, k->signature));
	if (k->symbol)
		say(s, "kernel_symbol", s->kernels[i], pkg_string(t, k->symbol));
	if (k->blockdim)
		say(s, "kernel_blocks", s->kernels[i], k->blockdim);
	if (k->workspace)
		say(s, "kernel_workspace", s->kernels[i], k->workspace);
	if (k->flags & PTOWSP_KERNEL_MEASURED)
		say(s, "kernel_measured", s->kernels[i]);
	params_say(s, i);
	for (uint32_t p = 0; p < k->payload_count && like == i; p++)
		payload_say(s, i, &t->payload[k->payloads + p]);
}

static void likes_say(struct said *s, const struct pkg_ranks *payloads)
{
	for (uint32_t i = 0; i < s->t->kernel_count; i++)
		if (like_of(s, payloads, i) != i)
			say(s, "payload_like", s->kernels[i], s->kernels[like_of(s, payloads, i)]);
}

static void variants_say(struct said *s)
{
	const struct pkg_tables *t = s->t;

	for (uint32_t i = 0; i < t->kernel_count; i++)
		for (uint32_t v = 0; v < t->kernel[i].variant_count; v++) {
			const struct ptowsp_variant_record *variant = &t->variant[t->kernel[i].variants + v];

			say(s, "variant", s->kernels[i], variant->rows, s->kernels[variant->kernel]);
		}
}

/* Kernels in the order of their rows, or, where rows are kept as stated, in that of their parameters. */
void say_kernels(struct said *s)
{
	const struct pkg_tables *t = s->t;
	struct pkg_ranks order = {0}, payloads = {0};

	if (!pkg_ranks_init(&order, t->kernel_count) || !pkg_ranks_init(&payloads, t->kernel_count))
		s->failed = 1;
	for (uint32_t i = 0; i < t->kernel_count && !s->failed; i++) {
		pkg_ranks_add(&order, s->how & SAY_STATED ? t->kernel[i].params : 0, i);
		pkg_ranks_add(&payloads, payloads_key(&t->kernel[i]), i);
	}
	pkg_ranks_sort(&order);
	pkg_ranks_sort(&payloads);
	for (uint32_t i = 0; i < order.count; i++)
		kernel_say(s, order.rows[i].row, like_of(s, &payloads, order.rows[i].row));
	if (!s->failed)
		likes_say(s, &payloads);
	variants_say(s);
	pkg_ranks_finish(&order);
	pkg_ranks_finish(&payloads);
}
