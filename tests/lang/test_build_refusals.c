/* SPDX-License-Identifier: MIT
 * test_build_refusals.c - the sentences of the builder's refusals, part by part. Those of everyday mistakes are in test_build_mistakes.c. */
#include "tests/lang/build_refused.h"

#include "lang/builder/tile_code.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* A call made so many times, as an expression: the result of the last one, 1 where one before it was refused. */
#define TIMES(name, ...)                                                                                                                                       \
	static uint32_t name(struct ptowsp_build *b, uint32_t x, uint32_t times)                                                                               \
	{                                                                                                                                                      \
		(void)x;                                                                                                                                       \
		for (uint32_t i = 1; i < times; i++)                                                                                                           \
			if (!(__VA_ARGS__))                                                                                                                    \
				return 1;                                                                                                                      \
		return (__VA_ARGS__);                                                                                                                          \
	}

TIMES(targets, ptowsp_build_target(b, "a2a3"))
TIMES(params, ptowsp_build_param(b, x, "p", "f32", "none"))
TIMES(payloads, ptowsp_build_payload(b, x, "elf", "x", 1))
TIMES(variants, ptowsp_build_variant(b, x, 32, x))
TIMES(nops, ptowsp_build_nop(b))
TIMES(scopes, ptowsp_build_scope(b))
TIMES(tiles, ptowsp_build_tile(b, "t", "f32", 1, 1))
TIMES(locals, ptowsp_build_scalar(b, "s", "i64", "local"))
TIMES(sets, OP(b, "MOV", x, x))
TIMES(ifs, ptowsp_build_op(b, "IF", 0, &x, 1))
TIMES(nodes, ptowsp_build_graph_node(b, "const", 1))

/* Slots s0, s1, ...; the latest. */
static uint32_t slots(struct ptowsp_build *b, uint32_t count)
{
	uint32_t slot = 0;

	for (uint32_t i = 0; i < count; i++) {
		char name[16];

		snprintf(name, sizeof(name), "s%u", (unsigned)i);
		slot = ptowsp_build_slot(b, name, "i32");
	}
	return slot;
}

/* A tensor whose first dimension is sharded over axis 0. */
static uint32_t shaped(struct ptowsp_build *b, const char *name, const char *type, const uint32_t *extents, uint32_t rank)
{
	uint32_t tensor = ptowsp_build_tensor(b, name, type, "inout");

	for (uint32_t i = 0; i < rank; i++) {
		ptowsp_build_tensor_dim(b, tensor, extents[i]);
		if (!i)
			ptowsp_build_tensor_shard(b, tensor, 0);
	}
	return tensor;
}
#define SHAPED(name, type, ...) shaped(b, (name), (type), (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* ---- values, facts, bytes ---------------------------------------------------------------------------------------------------------- */

TEST(values_and_facts)
{
	REFUSED("ptowsp_build_named: the name of the loop is empty", ptowsp_build_named(b, ""));
	REFUSED("ptowsp_build_meta: the key is empty: a fact is found by its key", ptowsp_build_meta(b, "", "value"));
	REFUSED("ptowsp_build_target: a package names at most 32 backends", targets(b, 0, 33));
	REFUSED("ptowsp_build_position: line 0 of a file: the first line is 1", ptowsp_build_position(b, "a.pto", 0, 1));
	REFUSED("ptowsp_build_string: the empty string is in every package already, leave it out", ptowsp_build_string(b, ""));
	REFUSED("ptowsp_build_payload: handle 1073741824 is a directive, a kernel is needed",
		ptowsp_build_payload(b, ptowsp_build_directive(b, "streams", "count"), "elf", "x", 1));
	REFUSED("ptowsp_build_directive_must: handle 738197504 is a scalar of a body, a directive is needed", ptowsp_build_body(b, p.kernel),
		ptowsp_build_directive_must(b, ptowsp_build_scalar(b, "s", "i64", "local")));
	REFUSED("ptowsp_build_stated: this stands before everything but facts", ptowsp_build_stated(b));
	REFUSED("ptowsp_build_named: a text is missing (NULL)", ptowsp_build_named(b, NULL));
	REFUSED("ptowsp_build_symbol: a dtype is missing (NULL)", ptowsp_build_symbol(b, "m", NULL));
	REFUSED("ptowsp_build_section: \"STRS\" is no section that can be given; STRS is, string by string", ptowsp_build_section(b, "STRS", "x", 1));
	REFUSED("ptowsp_build_section: section EVNT has records of 16 bytes, 17 are no multiple of that", ptowsp_build_section(b, "EVNT", "x", 17));
	REFUSED("ptowsp_build_payload: the bytes are missing (NULL)", ptowsp_build_payload(b, p.kernel, "elf", NULL, 1));
	REFUSED("ptowsp_build_payload: 1073741825 bytes are more than a builder holds, 1073741824",
		ptowsp_build_payload(b, p.kernel, "elf", "x", ((uint64_t)1 << 30) + 1));
}

/* ---- axes -------------------------------------------------------------------------------------------------------------------------- */

TEST(axes_and_levels)
{
	static const int64_t numbers[] = {0, 1, -3};
	static const int64_t many[] = {0, (1 << 24) + 1};
	static const uint32_t block[] = {3}, rows[] = {32};

	REFUSED("ptowsp_build_axis: an axis needs a name", ptowsp_build_axis(b, "", "dense", p.zero, p.one, p.one, 0));
	REFUSED("ptowsp_build_levels: block size 3 is neither 0 nor a power of two", ptowsp_build_levels(b, 16, 4, block, rows, 1));
	REFUSED("ptowsp_build_levels: max_range 4 and min_range 16: both must be powers of two, the second one not above the first",
		ptowsp_build_levels(b, 4, 16, block, rows, 1));
	REFUSED("ptowsp_build_levels: the blocks or their rows are missing (NULL)", ptowsp_build_levels(b, 16, 4, block, NULL, 1));
	REFUSED("ptowsp_build_ragged: the lengths are missing (NULL), or more than 2^24: give them as a tensor, ptowsp_build_axis_of",
		ptowsp_build_ragged(b, "j", p.zero, NULL, 1));
	REFUSED("ptowsp_build_ragged: the lengths are missing (NULL), or more than 2^24: give them as a tensor, ptowsp_build_axis_of",
		ptowsp_build_ragged(b, "j", p.zero, numbers, (1u << 24) + 1));
	REFUSED("ptowsp_build_sparse: the beginnings are missing (NULL), or more than 2^24: give them as a tensor, ptowsp_build_axis_of",
		ptowsp_build_sparse(b, "j", p.zero, NULL, 1, numbers));
	REFUSED("ptowsp_build_sparse: the indices are missing (NULL), or more than 2^24: give them as a tensor, ptowsp_build_axis_of",
		ptowsp_build_sparse(b, "j", p.zero, numbers, 1, NULL));
	REFUSED("ptowsp_build_sparse: the indices are missing (NULL), or more than 2^24: give them as a tensor, ptowsp_build_axis_of",
		ptowsp_build_sparse(b, "j", p.zero, many, 1, numbers));
	REFUSED("ptowsp_build_sparse: index 0 is -3: an index is 0 or more", ptowsp_build_sparse(b, "j", p.zero, numbers, 1, &numbers[2]));
}

/* ---- tensors ----------------------------------------------------------------------------------------------------------------------- */

TEST(shapes_of_tensors)
{
	REFUSED("ptowsp_build_tensor_alignment: alignment 24 is neither 0 nor a power of two up to 2^30", ptowsp_build_tensor_alignment(b, p.tensor, 24));
	REFUSED("ptowsp_build_tensor_dim: the tensor takes its shape from what is bound (ptowsp_build_tensor_shapeless), it has no dimensions here",
		ptowsp_build_tensor_shapeless(b, p.tensor), ptowsp_build_tensor_dim(b, p.tensor, p.one));
	REFUSED("ptowsp_build_tensor_dim: the tensor shares its dimensions with another one (ptowsp_build_tensor_like), they stand",
		ptowsp_build_tensor_dim(b, p.tensor, p.one), ptowsp_build_tensor_like(b, ptowsp_build_tensor(b, "u", "f32", "in"), p.tensor),
		ptowsp_build_tensor_dim(b, p.tensor, p.one));
	REFUSED("ptowsp_build_tensor_dim: the extent is -1: 0 or more elements are possible", ptowsp_build_tensor_dim(b, p.tensor, ptowsp_build_number(b, -1)));
	REFUSED("ptowsp_build_tensor_dim: a tensor has at most 4 dimensions", ptowsp_build_tensor_dim(b, p.tensor, p.one),
		ptowsp_build_tensor_dim(b, p.tensor, p.one), ptowsp_build_tensor_dim(b, p.tensor, p.one), ptowsp_build_tensor_dim(b, p.tensor, p.one),
		ptowsp_build_tensor_dim(b, p.tensor, p.one));
	REFUSED("ptowsp_build_tensor_shard: a grid has no axis 65536: they are 0 to 65535", ptowsp_build_tensor_dim(b, p.tensor, p.one),
		ptowsp_build_tensor_shard(b, p.tensor, 65536));
	REFUSED("ptowsp_build_tensor_like: the tensor has a shape already, or is itself the other one", ptowsp_build_tensor_like(b, p.tensor, p.tensor));
	REFUSED("ptowsp_build_tensor_like: the other tensor has no dimensions yet",
		ptowsp_build_tensor_like(b, ptowsp_build_tensor(b, "u", "f32", "in"), p.tensor));
	REFUSED("ptowsp_build_tensor_shapeless: the tensor has a dimension already, so it has a shape", ptowsp_build_tensor_dim(b, p.tensor, p.one),
		ptowsp_build_tensor_shapeless(b, p.tensor));
}

TEST(memory_of_tensors)
{
#define STRIDE ptowsp_build_tensor_stride(b, p.tensor, 1)
	REFUSED("ptowsp_build_tensor_memory: a swizzle of 8 bits: 0 to 7 are possible", ptowsp_build_tensor_memory(b, p.tensor, "nz", 8));
	REFUSED("ptowsp_build_tensor_block: only a tensor in order blocked or nz has blocks: ptowsp_build_tensor_memory",
		ptowsp_build_tensor_block(b, p.tensor, 1, 1));
	REFUSED("ptowsp_build_tensor_block: a block has rows and columns", ptowsp_build_tensor_memory(b, p.tensor, "blocked", 0),
		ptowsp_build_tensor_block(b, p.tensor, 1, 0));
	REFUSED("ptowsp_build_tensor_stride: strides are 1 or more, of a tensor in order strides: ptowsp_build_tensor_memory", STRIDE);
	REFUSED("ptowsp_build_tensor_stride: a tensor has at most 4 dimensions", ptowsp_build_tensor_memory(b, p.tensor, "strides", 0), STRIDE, STRIDE, STRIDE,
		STRIDE, STRIDE);
#undef STRIDE
	REFUSED("ptowsp_build_tensor_replicated: dimension 1 is sharded: a layout says so already (ptowsp_build_tensor_shard)",
		ptowsp_build_tensor_dim(b, p.tensor, p.one), ptowsp_build_tensor_dim(b, p.tensor, p.one), ptowsp_build_tensor_shard(b, p.tensor, 0),
		ptowsp_build_tensor_replicated(b, p.tensor));
	REFUSED("ptowsp_build_tensor_shard: the tensor is replicated in every dimension (ptowsp_build_tensor_replicated)",
		ptowsp_build_tensor_dim(b, p.tensor, p.one), ptowsp_build_tensor_replicated(b, p.tensor), ptowsp_build_tensor_shard(b, p.tensor, 0));
}

TEST(views_and_samples)
{
	static const uint64_t huge[] = {UINT64_MAX / 2, 3}, most[] = {UINT64_MAX / 4}, more[] = {UINT64_MAX / 4 + 1}, none[] = {UINT64_MAX / 4, 0, UINT64_MAX},
			      one[] = {1};

	REFUSED("ptowsp_build_view: a view with a unit is a flat window and has no rows: rows must be 0",
		ptowsp_build_view(b, p.tensor, "f32", p.zero, p.zero, 1, 1, 1));
	REFUSED("ptowsp_build_view: tensor t is not of u8: only bytes are seen as other types", ptowsp_build_view(b, p.tensor, "f32", p.zero, p.zero, 1, 1, 0));
	REFUSED("ptowsp_build_sample: no extents: sample data have 1 to 4", ptowsp_build_sample(b, p.tensor, "input", NULL, 1, "abcd", 4));
	REFUSED("ptowsp_build_sample: 5 extents: sample data have 1 to 4", ptowsp_build_sample(b, p.tensor, "input", huge, 5, "abcd", 4));
	REFUSED("ptowsp_build_sample: the extents make more bytes than 64 bits count", ptowsp_build_sample(b, p.tensor, "input", huge, 2, "abcd", 4));
	REFUSED("ptowsp_build_sample: the extents make more bytes than 64 bits count", ptowsp_build_sample(b, p.tensor, "input", more, 1, "abcd", 4));
	REFUSED("ptowsp_build_sample: the extents make 18446744073709551612 bytes, here are 4", ptowsp_build_sample(b, p.tensor, "input", most, 1, "abcd", 4));
	REFUSED("ptowsp_build_sample: the extents make 0 bytes, here are 4", ptowsp_build_sample(b, p.tensor, "input", none, 3, "abcd", 4));
	REFUSED("ptowsp_build_sample: the tensor has input data already", ptowsp_build_sample(b, p.tensor, "input", one, 1, "abcd", 4),
		ptowsp_build_sample(b, p.tensor, "input", one, 1, "abcd", 4));
}

/* ---- kernels ----------------------------------------------------------------------------------------------------------------------- */

TEST(parameters_of_kernels)
{
#define SCALAR ptowsp_build_param_scalar(b, p.kernel, "w", "i32")
#define PARAM  (p.n = ptowsp_build_param(b, p.kernel, "y", "f32", "in"))
	REFUSED("ptowsp_build_param: a parameter needs a name", ptowsp_build_param(b, p.kernel, "", "f32", "in"));
	REFUSED("ptowsp_build_param: a kernel has at most 65535 parameters", params(b, p.kernel, 65534));
	REFUSED("ptowsp_build_param_tile: w is a scalar, tiles touch tensors", ptowsp_build_param_tile(b, SCALAR, 1, 1));
	REFUSED("ptowsp_build_param_tile: the layout of y has 3 dimensions already", PARAM, ptowsp_build_param_dim(b, p.n, "replicated", 0),
		ptowsp_build_param_dim(b, p.n, "replicated", 0), ptowsp_build_param_dim(b, p.n, "replicated", 0), ptowsp_build_param_tile(b, p.n, 1, 1));
	REFUSED("ptowsp_build_param_dim: w is a scalar, tensors have layouts", ptowsp_build_param_dim(b, SCALAR, "replicated", 0));
	REFUSED("ptowsp_build_param_dim: axis 1: axes of a grid are 0 to 65535, and a replicated dimension has 0 here", PARAM,
		ptowsp_build_param_dim(b, p.n, "replicated", 1));
	REFUSED("ptowsp_build_param_dim: axis 65536: axes of a grid are 0 to 65535, and a replicated dimension has 0 here", PARAM,
		ptowsp_build_param_dim(b, p.n, "sharded", 65536));
#define STRIDE ptowsp_build_param_stride(b, p.n, 1)
	REFUSED("ptowsp_build_param_memory: w is a scalar, tensors lie in memory", ptowsp_build_param_memory(b, SCALAR, "nz", 0));
	REFUSED("ptowsp_build_param_memory: a swizzle of 8 bits: 0 to 7 are possible", ptowsp_build_param_memory(b, PARAM, "nz", 8));
	REFUSED("ptowsp_build_param_block: only a parameter in order blocked or nz has blocks: ptowsp_build_param_memory",
		ptowsp_build_param_block(b, PARAM, 1, 1));
	REFUSED("ptowsp_build_param_block: a block has rows and columns", PARAM, ptowsp_build_param_memory(b, p.n, "blocked", 0),
		ptowsp_build_param_block(b, p.n, 0, 1));
	REFUSED("ptowsp_build_param_stride: strides are 1 or more, of a parameter in order strides: ptowsp_build_param_memory", PARAM, STRIDE);
	REFUSED("ptowsp_build_param_stride: a parameter has at most 4 dimensions", PARAM, ptowsp_build_param_memory(b, p.n, "strides", 0), STRIDE, STRIDE,
		STRIDE, STRIDE, STRIDE);
#undef STRIDE
#undef SCALAR
#undef PARAM
}

TEST(payloads_and_variants)
{
#define PAYLOAD (p.n = ptowsp_build_payload(b, p.kernel, "elf", "abcd", 4))
	REFUSED("ptowsp_build_payload: a payload has bytes", ptowsp_build_payload(b, p.kernel, "elf", "x", 0));
	REFUSED("ptowsp_build_payload: the kernel has the payloads of another one (ptowsp_build_payload_like), and none of its own",
		ptowsp_build_payload_like(b, p.kernel, ptowsp_build_kernel(b, "m", "any")), PAYLOAD);
	REFUSED("ptowsp_build_payload: a kernel has at most 65535 payloads", payloads(b, p.kernel, 65536));
	REFUSED("ptowsp_build_payload_entry: the payload has an entry offset already, its entry is one or the other", PAYLOAD,
		ptowsp_build_payload_offset(b, p.n, 1), ptowsp_build_payload_entry(b, p.n, "f"));
	REFUSED("ptowsp_build_payload_offset: the payload has an entry symbol already, its entry is one or the other", PAYLOAD,
		ptowsp_build_payload_entry(b, p.n, "f"), ptowsp_build_payload_offset(b, p.n, 1));
	REFUSED("ptowsp_build_payload_offset: offset 4 lies behind the payload, which has 4 bytes", PAYLOAD, ptowsp_build_payload_offset(b, p.n, 4));
	REFUSED("ptowsp_build_variant: level 33: levels are multiples of 32 rows", ptowsp_build_variant(b, p.kernel, 33, p.kernel));
	REFUSED("ptowsp_build_variant: a kernel has at most 65535 variants", variants(b, p.kernel, 65536));
	REFUSED("ptowsp_build_payload_file: the name of the file is missing", ptowsp_build_payload_file(b, p.kernel, "elf", ""));
#undef PAYLOAD
	{
		const char *path = check_fmt("%s/empty", check_tmp());

		check_write(path, "", 0);
		REFUSED(check_fmt("ptowsp_build_payload_file: %s is empty, a payload has bytes", path), ptowsp_build_payload_file(b, p.kernel, "elf", path));
	}
}

/* ---- bodies ------------------------------------------------------------------------------------------------------------------------ */

/* A kernel with a tensor a and a scalar n; its body is open. */
#define BODY                                                                                                                                                   \
	(p.one = ptowsp_build_kernel(b, "l", "any")), (p.tensor = ptowsp_build_param(b, p.one, "a", "f32", "none")),                                           \
		(p.slot = ptowsp_build_param_scalar(b, p.one, "n", "i64")), ptowsp_build_body(b, p.one), (p.n = ptowsp_build_literal(b, "i64", "0"))
/* The same of kernel o, behind a body with a tile. */
#define LATER                                                                                                                                                  \
	(p.kernel = ptowsp_build_kernel(b, "o", "any")), ptowsp_build_body(b, p.kernel), (p.region = ptowsp_build_tile(b, "t", "f32", 1, 1)),                  \
		ptowsp_build_body_end(b), BODY

TEST(tables_of_bodies)
{
	REFUSED("ptowsp_build_tile: a body has at most 65535 tiles, and as many scalars and literals", BODY, tiles(b, 0, 65536));
	REFUSED("ptowsp_build_scalar: a body has at most 65535 tiles, and as many scalars and literals", BODY, locals(b, 0, 65535));
	REFUSED("ptowsp_build_scalar: \"global\" is no kind of scalar; known: local, block_index, block_count", BODY,
		ptowsp_build_scalar(b, "s", "i64", "global"));
	REFUSED("ptowsp_build_tile_space: the tile belongs to another body: each body declares its own", LATER, ptowsp_build_tile_space(b, p.region, "ub"));
	REFUSED("ptowsp_build_argument: parameter n belongs to another kernel", BODY, (p.axis = ptowsp_build_kernel(b, "q", "any")), ptowsp_build_body_end(b),
		ptowsp_build_body(b, p.axis), ptowsp_build_argument(b, p.slot));
	REFUSED("ptowsp_build_argument: parameter a is a tensor, tiles are loaded from it: only scalars are arguments", BODY,
		ptowsp_build_argument(b, p.tensor));
}

TEST(instructions_of_bodies)
{
	REFUSED("ptowsp_build_op: a body has at most 1048576 instructions", BODY,
		sets(b, ptowsp_build_scalar(b, "s", "i64", "local"), LANG_MAX_INSTRUCTIONS + 1));
	REFUSED("ptowsp_build_op: parameter a is a tensor, a scalar is needed", BODY, OP(b, "IF", p.tensor));
	REFUSED("ptowsp_build_op: the tile belongs to another body: each body declares its own", LATER, OP(b, "tadd", p.region, p.region, p.region));
	REFUSED("ptowsp_build_op: parameter n is a scalar, a tensor is needed", BODY, (p.region = ptowsp_build_tile(b, "t", "f32", 1, 1)),
		OP(b, "tload", p.region, p.slot, p.n, p.n));
	REFUSED("ptowsp_build_op: loops and branches nest at most 64 deep", BODY, ifs(b, p.n, 65));
	REFUSED("ptowsp_build_body_end: parameter a of kernel l is declared none, but the body reads it", BODY,
		(p.region = ptowsp_build_tile(b, "t", "f32", 1, 1)), OP(b, "tload", p.region, p.tensor, p.n, p.n), ptowsp_build_body_end(b));
	REFUSED("ptowsp_build_body_end: parameter a of kernel l is declared none, but the body writes it", BODY,
		(p.region = ptowsp_build_tile(b, "t", "f32", 1, 1)), OP(b, "tstore", p.region, p.tensor, p.n, p.n), ptowsp_build_body_end(b));
	REFUSED("ptowsp_build_body_end: parameter o of kernel m is declared in, but the body reads and writes it", BODY, ptowsp_build_body_end(b),
		(p.one = ptowsp_build_kernel(b, "m", "any")), (p.tensor = ptowsp_build_param(b, p.one, "o", "f32", "in")), ptowsp_build_body(b, p.one),
		(p.n = ptowsp_build_literal(b, "i64", "0")), (p.region = ptowsp_build_tile(b, "t", "f32", 1, 1)), OP(b, "tload", p.region, p.tensor, p.n, p.n),
		OP(b, "tstore", p.region, p.tensor, p.n, p.n), ptowsp_build_body_end(b));
	REFUSED("ptowsp_build_op: BREAK has no mode 256", BODY, ptowsp_build_op(b, "BREAK", 256, NULL, 0));
}

/* ---- code -------------------------------------------------------------------------------------------------------------------------- */

TEST(limits_of_code)
{
	REFUSED("ptowsp_build_slot_set: row 65536 of its table cannot be named by an instruction: those name rows 0 to 65535", (p.slot = slots(b, 65535)), CODE,
		ptowsp_build_slot_set(b, p.slot, p.one));
	REFUSED("ptowsp_build_nop: a package has at most 1048576 instructions", CODE, nops(b, 0, LANG_MAX_INSTRUCTIONS + 1));
	REFUSED("ptowsp_build_scope: loops, branches and scopes nest at most 64 deep", CODE, scopes(b, 0, 65));
	REFUSED("ptowsp_build_combine: 0 branches or steps: 1 to 65535 are possible", CODE, ptowsp_build_combine(b, 0));
	REFUSED("ptowsp_build_sequential: 65536 branches or steps: 1 to 65535 are possible", CODE, ptowsp_build_sequential(b, 65536));
}

TEST(bodies_of_code)
{
	static const int64_t none[] = {0, 0};

	REFUSED("ptowsp_build_for_each: the axis is not in the list of axes: ptowsp_build_list", ptowsp_build_list(b, p.axis), CODE,
		ptowsp_build_for_each(b, ptowsp_build_axis(b, "j", "dense", p.zero, p.n, p.one, 0)));
	REFUSED("ptowsp_build_slot_set: the expression uses the value of the loop at depth 1, 1 loop is open here", CODE, ptowsp_build_for_each(b, p.axis),
		ptowsp_build_slot_set(b, p.slot, ptowsp_build_loop(b, 1)));
	REFUSED("ptowsp_build_for_each: select walks sparse axes, the other loops all others; j is sparse", CODE,
		ptowsp_build_for_each(b, ptowsp_build_sparse(b, "j", p.zero, none, 1, NULL)));
	REFUSED("ptowsp_build_else: the call in this branch is still open: ptowsp_build_call_end", CODE, ptowsp_build_if(b, p.n), ptowsp_build_call(b, "other"),
		ptowsp_build_else(b));
	REFUSED("ptowsp_build_next: the call in this branch is still open: ptowsp_build_call_end", CODE, ptowsp_build_combine(b, 2),
		ptowsp_build_call(b, "other"), ptowsp_build_next(b));
	REFUSED("ptowsp_build_next: a next belongs to the innermost body, which must be combine or sequential", CODE, ptowsp_build_scope(b),
		ptowsp_build_next(b));
	REFUSED("ptowsp_build_copy: a copy from 1 x 1 to 2 x 1 elements: both must be the same", CODE,
		ptowsp_build_copy(b, p.region, ptowsp_build_region(b, p.tensor, p.zero, p.zero, 2, 1)));
	REFUSED("ptowsp_build_extent: the extent of a dense_dyn axis is a slot: ptowsp_build_extent_slot", CODE,
		ptowsp_build_extent(b, p.axis, "dense_dyn", 1));
	REFUSED("ptowsp_build_filter: \"sieve\" is no policy of dispatch", CODE, ptowsp_build_filter(b, "sieve", p.one));
}

/* ---- tasks ------------------------------------------------------------------------------------------------------------------------- */

TEST(tasks_and_their_arguments)
{
	REFUSED("ptowsp_build_nop: the task of k in front has 0 of 1 arguments", CODE, ptowsp_build_task(b, p.kernel), ptowsp_build_nop(b));
	REFUSED("ptowsp_build_arg: a package has at most 1048576 instructions", CODE, nops(b, 0, LANG_MAX_INSTRUCTIONS - 1), ptowsp_build_task(b, p.kernel),
		ptowsp_build_arg(b, p.one));
	REFUSED("ptowsp_build_arg_loop: there is no loop at depth 0 here, 0 are open", CODE, ptowsp_build_task(b, p.kernel), ptowsp_build_arg_loop(b, 0));
}

TEST(copies_between_layouts)
{
#define PART(tensor) ptowsp_build_region(b, (tensor), p.zero, p.zero, 1, 1)
	REFUSED("ptowsp_build_move: all_gather keeps the number of dimensions, here are 1 and 0", CODE,
		ptowsp_build_move(b, "all_gather", PART(SHAPED("u", "f32", p.one)), p.region));
	REFUSED("ptowsp_build_move: a broadcast reaches all places, and dimension 0 of the target is sharded", CODE,
		ptowsp_build_move(b, "broadcast", p.region, PART(SHAPED("u", "f32", p.one))));
	REFUSED("ptowsp_build_move: all_gather makes S(0) of no dimension, here of dimension 1", CODE, (p.axis = ptowsp_build_tensor(b, "w", "f32", "in")),
		ptowsp_build_tensor_dim(b, p.axis, p.one), ptowsp_build_tensor_dim(b, p.axis, p.one), (p.slot = ptowsp_build_tensor(b, "u", "f32", "out")),
		ptowsp_build_tensor_dim(b, p.slot, p.one), ptowsp_build_tensor_dim(b, p.slot, p.one), ptowsp_build_tensor_shard(b, p.slot, 0),
		ptowsp_build_move(b, "all_gather", PART(p.axis), PART(p.slot)));
	REFUSED("ptowsp_build_reduce: a reduction has tensors of one type, which is not bool", CODE,
		ptowsp_build_reduce(b, "all_reduce", SHAPED("u", "f32", p.one, p.one), SHAPED("w", "i32", p.one), "sum"));
	REFUSED("ptowsp_build_reduce: the total has no tiles to add: its last extent is a constant, of the others symbols decide only the first, and a row has "
		"at most 2^24 elements",
		CODE, (p.axis = ptowsp_build_tensor(b, "w", "f32", "out")), ptowsp_build_tensor_dim(b, p.axis, p.n),
		ptowsp_build_reduce(b, "all_reduce", SHAPED("u", "f32", p.one, p.n), p.axis, "sum"));
#undef PART
}

TEST(rows_as_stated)
{
	struct ptowsp_build *b = ptowsp_build_create(NULL);
	uint32_t from, to, one;

	ptowsp_build_stated(b);
	one = ptowsp_build_number(b, 1);
	from = SHAPED("u", "f32", one, one);
	to = SHAPED("w", "f32", one);
	ptowsp_build_entry(b, "main");
	CHECK_UINT(ptowsp_build_reduce(b, "all_reduce", from, to, "sum"), 0);
	CHECK_STR(ptowsp_build_error(b), "ptowsp_build_reduce: rows are kept as they are stated here: state the copies and tasks themselves");
	ptowsp_build_destroy(b);
}

/* ---- pipelines --------------------------------------------------------------------------------------------------------------------- */

TEST(pipelines_of_processes)
{
	REFUSED("ptowsp_build_process_uses: process w has channel c as one that it consumes already", (p.n = ptowsp_build_process(b, "w", 1)),
		ptowsp_build_process_uses(b, p.n, "consumes", p.channel), ptowsp_build_process_uses(b, p.n, "consumes", p.channel));
	REFUSED("ptowsp_build_send: process w does not say that it produces for c: ptowsp_build_process_uses", ptowsp_build_process(b, "w", 1),
		ptowsp_build_send(b, p.channel, p.one));
	REFUSED("ptowsp_build_end: the send in front lacks the region of its payload: ptowsp_build_carry",
		(p.channel = ptowsp_build_channel(b, "d", "payload", 1, 0)), (p.n = ptowsp_build_process(b, "w", 1)),
		ptowsp_build_process_uses(b, p.n, "produces", p.channel), ptowsp_build_send(b, p.channel, p.one), ptowsp_build_end(b));
	REFUSED("ptowsp_build_entry: the code of process \"w\" is still open", ptowsp_build_process(b, "w", 1), CODE);
	REFUSED("ptowsp_build_notify: devices tell each other in the code of an entry, not in a process", ptowsp_build_process(b, "w", 1),
		ptowsp_build_notify(b, 1, 1));
	REFUSED("ptowsp_build_notify: there is no device 65536; devices of a run are numbered from 0, at most to 65535", CODE,
		ptowsp_build_notify(b, 65536, 1));
	REFUSED("ptowsp_build_entry_pipeline: entry one is one task of a kernel",
		ptowsp_build_entry_pipeline(b, ptowsp_build_entry_kernel(b, "one", p.kernel)));
}

/* ---- schedule ---------------------------------------------------------------------------------------------------------------------- */

TEST(features_that_are_required)
{
	REFUSED("ptowsp_build_require: \"speed\" is no feature: \"opcode task\", \"directive dispatch round_robin\", \"payload pto\", \"total_cycles\"",
		ptowsp_build_require(b, "speed", 1));
}

/* ---- graphs ------------------------------------------------------------------------------------------------------------------------ */

#define GRAPH ptowsp_build_graph(b, "g", 0)

TEST(operands_of_graphs)
{
	REFUSED("ptowsp_build_graph_name: \"core\" is no object of a graph: graph, kernel, tensor, stream, event, ... as in graph_objects.def", GRAPH,
		ptowsp_build_graph_name(b, "core", 1, "a"));
	REFUSED("ptowsp_build_graph_number: graph_id of TG_SYNC: 4294967296 is too large", GRAPH, ptowsp_build_graph_op(b, "TG_SYNC"),
		ptowsp_build_graph_number(b, (uint64_t)1 << 32));
	REFUSED("ptowsp_build_graph_word: graph_id of TG_SYNC is no word", GRAPH, ptowsp_build_graph_op(b, "TG_SYNC"), ptowsp_build_graph_word(b, "a"));
	REFUSED("ptowsp_build_graph_set: graph_id of TG_SYNC is no set", GRAPH, ptowsp_build_graph_op(b, "TG_SYNC"), ptowsp_build_graph_set(b, &p.n, 1));
	REFUSED("ptowsp_build_graph_set: the numbers are missing (NULL)", GRAPH, ptowsp_build_graph_op(b, "CA_AFFINITY"), ptowsp_build_graph_set(b, NULL, 1));
	REFUSED("ptowsp_build_graph_end: kernel 1 has two names, a and b", GRAPH, ptowsp_build_graph_name(b, "kernel", 1, "a"),
		ptowsp_build_graph_name(b, "kernel", 2, "c"), ptowsp_build_graph_name(b, "kernel", 1, "b"), ptowsp_build_graph_end(b));
}

TEST(scalars_of_graphs)
{
	REFUSED("ptowsp_build_graph_op: 1 node is of no scalar: ptowsp_build_graph_scalar", GRAPH, nodes(b, 0, 1), ptowsp_build_graph_op(b, "TG_SYNC"));
	REFUSED("ptowsp_build_graph_end: 2 nodes are of no scalar: ptowsp_build_graph_scalar", GRAPH, nodes(b, 0, 2), ptowsp_build_graph_end(b));
	REFUSED("ptowsp_build_graph_node: 64 nodes wait for the operation that takes them, more are not possible", GRAPH, nodes(b, 0, 65));
	REFUSED("ptowsp_build_graph_node: \"task\" is no node of a scalar of a graph", GRAPH, ptowsp_build_graph_node(b, "task", 1));
	REFUSED("ptowsp_build_graph_scalar: graph_id of TG_SYNC is no scalar", GRAPH, ptowsp_build_graph_op(b, "TG_SYNC"), nodes(b, 0, 1),
		ptowsp_build_graph_scalar(b));
	REFUSED("ptowsp_build_graph_scalar: a scalar is one node with its operands, here are 2 nodes", GRAPH, ptowsp_build_graph_op(b, "CF_IF"), nodes(b, 0, 2),
		ptowsp_build_graph_scalar(b));
}

/* ---- notes, and the end ------------------------------------------------------------------------------------------------------------ */

TEST(notes_of_calls)
{
	REFUSED("ptowsp_build_call: the name of the entry is missing", CODE, ptowsp_build_call(b, ""));
	REFUSED("ptowsp_build_call: calls inside of a call are notes of the entry that makes them", CODE, ptowsp_build_call(b, "other"),
		ptowsp_build_call(b, "third"));
	REFUSED("ptowsp_build_call_scalar: the arguments of a call stand in front of its code", CODE, ptowsp_build_call(b, "other"), ptowsp_build_nop(b),
		ptowsp_build_call_scalar(b, p.n, p.one));
}

TEST(what_seal_misses)
{
#define UNSEALED (ptowsp_build_seal(b) == PTOWSP_OK)
	REFUSED("ptowsp_build_seal: there is no entry other, which is called", CODE, ptowsp_build_call(b, "other"), ptowsp_build_call_end(b),
		ptowsp_build_end(b), UNSEALED);
	REFUSED("ptowsp_build_seal: the code of entry \"main\" is still open", CODE, UNSEALED);
	REFUSED("ptowsp_build_seal: the body of kernel l is still open", BODY, UNSEALED);
	REFUSED("ptowsp_build_seal: graph g is still open", GRAPH, UNSEALED);
#undef UNSEALED
}
