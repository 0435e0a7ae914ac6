/* SPDX-License-Identifier: MIT */
/* lower.c - from verified instructions to steps: where tiles lie, which function does what, what it costs. */
#include "isa/ops/isa_ops.h"

#include <stdlib.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

static const struct isa_kernel *const tables[] = {isa_ops_element, isa_ops_compare, isa_ops_matrix,  isa_ops_reduce, isa_ops_broadcast,
						  isa_ops_move,    isa_ops_memory,  isa_ops_special, isa_ops_scalar, isa_ops_convert};
static const struct isa_kernel *const tables_avx2[] = {isa_ops_element_avx2, isa_ops_reduce_avx2, isa_ops_broadcast_avx2};
static const struct isa_kernel *const tables_fast[] = {isa_ops_matrix_fast, isa_ops_fast};

/* Kernels by opcode, gathered once per program. */
struct kernels {
	const struct isa_kernel *of[256], *fast[256];
};

static void tables_gather(const struct isa_kernel **to, const struct isa_kernel *const *from, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (const struct isa_kernel *row = from[i]; row->op; row++)
			to[row->op] = row;
}

static bool has_avx2(void)
{
#if defined(__x86_64__)
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx2");
#else
	return false;
#endif
}

static bool has_avx512(void)
{
#if defined(__x86_64__)
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
	       __builtin_cpu_supports("avx512vl");
#else
	return false;
#endif
}

/* clang has no word for it in __builtin_cpu_supports. With AVX2 the operating system keeps its registers. */
static void f16c_gather(struct kernels *k)
{
#if defined(__x86_64__)
	unsigned a, b, c, d;

	if (__get_cpuid(1, &a, &b, &c, &d) && c & bit_F16C)
		tables_gather(k->of, (const struct isa_kernel *const[]){isa_ops_convert_f16c}, 1);
#else
	(void)k;
#endif
}

static void kernels_gather(struct kernels *k, const struct isa_options *options)
{
	memset(k, 0, sizeof(*k));
	tables_gather(k->of, tables, sizeof(tables) / sizeof(*tables));
	if (!options->any_processor && has_avx2()) {
		tables_gather(k->of, tables_avx2, sizeof(tables_avx2) / sizeof(*tables_avx2));
		f16c_gather(k);
		if (has_avx512())
			tables_gather(k->of, (const struct isa_kernel *const[]){isa_ops_element_avx512}, 1);
	}
	if (options->fast)
		tables_gather(k->fast, tables_fast, sizeof(tables_fast) / sizeof(*tables_fast));
}

static uint64_t round_up(uint64_t bytes)
{
	return (bytes + ISA_ALIGN - 1) / ISA_ALIGN * ISA_ALIGN;
}

static uint64_t tile_bytes(const struct ptowsp_tile_tile *t)
{
	return (uint64_t)t->rows * t->columns * isa_dtype_bytes(t->dtype);
}

/* Scalars first, then tiles; both together stay below 2^32 bytes (verify.c caps the tiles at 2^30). */
static void layout(struct isa_program *p)
{
	p->tiles_at = (uint32_t)round_up(p->header.scalar_count * (uint64_t)sizeof(*p->initial));
	p->temp_at = p->scratch = (size_t)p->tiles_at + p->plan.bytes;
}

static ptowsp_status scalars_start(struct isa_program *p, struct ptowsp_error *error)
{
	p->initial = malloc((p->header.scalar_count + 1u) * sizeof(*p->initial));
	if (!p->initial)
		return isa_error(error, PTOWSP_NO_MEMORY, "no memory for a tile program");
	for (uint32_t i = 0; i < p->header.scalar_count; i++) {
		const struct ptowsp_tile_scalar *s = &p->scalars[i];

		p->initial[i] = s->kind >= PTOWSP_SCALAR_ARG ? 0 : isa_scalar_narrow(s->value, s->dtype);
	}
	return PTOWSP_OK;
}

/* An operand decoded by its letter. */
static struct isa_operand operand(const struct isa_program *p, char letter, uint16_t row)
{
	struct isa_operand o = {.at = row, .row = row};

	switch (letter) {
	case 'T':
	case 't':
		o.at = p->tiles_at + p->plan.at[row];
		o.rows = p->tiles[row].rows;
		o.columns = p->tiles[row].columns;
		o.dtype = (uint8_t)p->tiles[row].dtype;
		break;
	case 'S':
	case 's': o.dtype = (uint8_t)p->scalars[row].dtype; break;
	default: o.dtype = (uint8_t)p->params[row].dtype; break;
	}
	o.bytes = isa_element(o.dtype)->bytes;
	return o;
}

/* The tiles of an instruction in operand order. */
struct tile_list {
	const struct ptowsp_tile_tile *dst[2], *src[4];
	unsigned dst_count, src_count;
};

static void operands_lower(const struct isa_program *p, uint32_t i, struct isa_step *s, struct tile_list *tiles)
{
	struct isa_operand *const dst[2] = {&s->d, &s->e};
	struct isa_operand *const src[4] = {&s->a, &s->b, &s->c, &s->f};
	const struct isa_op *op = isa_op(p->insts[i].op);
	uint16_t rows[ISA_OPERANDS_MAX];
	const unsigned count = isa_op_operands(op, &p->insts[i], rows);
	unsigned dst_count = 0, src_count = 0;

	for (unsigned k = 0; k < count; k++) {
		const char letter = op->operands[k];

		*(letter < 'a' ? dst[dst_count++] : src[src_count++]) = operand(p, letter, rows[k]);
		if (letter == 'T')
			tiles->dst[tiles->dst_count++] = &p->tiles[rows[k]];
		else if (letter == 't')
			tiles->src[tiles->src_count++] = &p->tiles[rows[k]];
	}
}

/* Operations that read a source after they began to write the destination. */
static bool reads_late(unsigned shape)
{
	switch (shape) {
	case ISA_SHAPE_MATMUL:
	case ISA_SHAPE_MATMUL_ACC:
	case ISA_SHAPE_MATMUL_BIAS:
	case ISA_SHAPE_MATMUL_MX:
	case ISA_SHAPE_TRANSPOSE:
	case ISA_SHAPE_GATHER:
	case ISA_SHAPE_SCATTER:
	case ISA_SHAPE_MERGE: return true;
	default: return false;
	}
}

static bool is_product(unsigned shape)
{
	return shape >= ISA_SHAPE_MATMUL && shape <= ISA_SHAPE_MATMUL_MX;
}

static void copy_reserve(struct isa_program *p, struct isa_step *s, const struct tile_list *tiles, unsigned shape)
{
	const size_t most = p->scratch - p->temp_at;
	size_t need;

	if (!reads_late(shape))
		return;
	/* The start of a sum is read before the result is written, element by element. */
	for (unsigned i = shape == ISA_SHAPE_MATMUL_ACC; i < tiles->src_count; i++)
		s->copy |= tiles->src[i] == tiles->dst[0];
	need = is_product(shape) ? isa_matrix_temp(tiles->dst[0], tiles->src, tiles->src_count, s->copy)
	       : s->copy         ? (size_t)round_up(tile_bytes(tiles->dst[0]))
				 : 0;
	if (need > most)
		p->scratch = p->temp_at + need;
}

static bool is_scalar(const struct isa_op *op)
{
	return op->shape == ISA_SHAPE_SCALAR || op->shape == ISA_SHAPE_SCALAR_MASK;
}

static void step_lower(struct isa_program *p, const struct kernels *kernels, uint32_t i)
{
	const struct ptowsp_tile_inst *inst = &p->insts[i];
	const struct isa_op *op = isa_op(inst->op);
	const struct isa_kernel *kernel = kernels->of[inst->op];
	struct isa_step *s = &p->steps[i];
	struct tile_list tiles = {.dst_count = 0};
	char text[160];
	int variant;

	s->op = inst->op;
	s->mode = inst->mode;
	s->target = inst->target;
	s->line = inst->line;
	operands_lower(p, i, s, &tiles);
	s->cost = isa_op_cycles(op, tiles.dst, tiles.src);
	if (isa_shape_check(inst->op, tiles.dst, tiles.dst_count, tiles.src, tiles.src_count, text, sizeof(text)))
		isa_program_mark(p, p->unusable, i, "%s", text);
	variant = isa_type_check(p, i);
	if (kernel) {
		s->run = variant >= 0 ? kernel->run[variant] : NULL;
		/* Scalars are computed in a walk as in a run. */
		s->walk = kernel->walk ? kernel->walk : is_scalar(op) ? s->run : NULL;
	}
	if (s->run && kernels->fast[inst->op] && kernels->fast[inst->op]->run[variant])
		s->run = kernels->fast[inst->op]->run[variant];
	copy_reserve(p, s, &tiles, op->shape);
}

ptowsp_status isa_lower(struct isa_program *p, const struct isa_options *options, struct ptowsp_error *error)
{
	struct kernels kernels;
	ptowsp_status status = scalars_start(p, error);

	layout(p);
	if (!status) {
		p->steps = calloc(p->header.inst_count, sizeof(*p->steps));
		if (!p->steps)
			status = isa_error(error, PTOWSP_NO_MEMORY, "no memory for a tile program");
	}
	if (!status) {
		kernels_gather(&kernels, options);
		for (uint32_t i = 0; i < p->header.inst_count; i++)
			step_lower(p, &kernels, i);
	}
	return status;
}
