/* SPDX-License-Identifier: MIT
 * test_aie_inline.c - bodies of kernels as operations of MLIR, from random tile programs: what the text that is printed and read again does is what the interpreter does, bit for bit;
 * people's form of it is the same module, and mlir-opt-22 takes both. PTOWSP_SEED=n repeats a trial. */
#include "aie/body.h"
#include "aie/inline.h"
#include "check.h"
#include "random_tiles.h"
#include "tile_random.h"

#include <stdio.h>

enum { MOST_BYTES = 1 << 20 };

/* One window: how it lies in its memref. */
struct lie {
	struct aie_view view;
	uint32_t rank;
	int64_t dims[2];
};
struct trial {
	uint64_t seed;
	struct random_tiles tiles;
	struct isa_program *program;
	struct lie lies[RANDOM_WINDOWS];
	char why[96];
};
static struct trial t;
static unsigned char start[RANDOM_WINDOWS][RANDOM_BYTES], first[RANDOM_WINDOWS][RANDOM_BYTES], second[RANDOM_WINDOWS][RANDOM_BYTES];
static unsigned inlined, called, ran, failed_too;
static bool seen[256];   /* opcodes that were compared */
static FILE *texts;      /* of all bodies, for mlir-opt */

static const char *texts_path(void)
{
	return check_fmt("%s/../bodies.mlir", check_tmp());
}

/* ---- a trial ------------------------------------------------------------------------------------------------------------- */

/* flat: with one row, for programs whose tiles reach far. */
static struct lie lie_make(bool flat)
{
	const int64_t lead = random_below(3), behind = random_below(3);

	switch (random_below(flat ? 2 : 4)) {
	case 0: return (struct lie){{.before = 0, .rows = 1, .columns = 6000, .stride = 6000}, 1, {6000}};
	case 1: return (struct lie){{.before = -lead, .rows = 1, .columns = 6000, .stride = 6000}, 1, {6000 + lead + behind}};
	case 2: return (struct lie){{.before = -lead, .rows = 64, .columns = 80, .stride = 90}, 1, {63 * 90 + 80 + lead + behind}};
	default: return (struct lie){{.before = -lead, .rows = 64, .columns = 80, .stride = (uint64_t)(80 + lead + behind)}, 2, {64, 80 + lead + behind}};
	}
}

static void windows_place(bool flat)
{
	for (unsigned w = 0; w < RANDOM_WINDOWS; w++) {
		const struct lie *lie = &t.lies[w];
		const unsigned dtype = t.tiles.b.params[w].dtype;

		t.lies[w] = lie_make(flat);
		tile_grid(&t.tiles.task, w, first[w] - lie->view.before * (int64_t)cell_bytes(dtype), dtype, lie->view.rows, lie->view.columns, lie->view.stride, 1);
	}
	memcpy(first, start, sizeof(first));
	memcpy(second, start, sizeof(second));
}

static const struct aie_type *memref_type(struct aie_module *module, unsigned w)
{
	static const enum aie_type_kind kinds[] = {[PTOWSP_F32] = AIE_TYPE_F32, [PTOWSP_F16] = AIE_TYPE_F16, [PTOWSP_BF16] = AIE_TYPE_BF16, [PTOWSP_F64] = AIE_TYPE_F64};
	const unsigned dtype = t.tiles.b.params[w].dtype;
	const struct aie_type *element = aie_type_plain(module, cell_is_float(dtype) ? kinds[dtype] : AIE_TYPE_INT, 8 * (uint32_t)cell_bytes(dtype));

	return aie_type_memref(module, element, t.lies[w].rank, t.lies[w].dims);
}

static bool body_make(struct aie_module *module, struct aie_op *parent, struct aie_region *region, struct aie_value *const *memrefs)
{
	struct aie_view views[RANDOM_WINDOWS];
	const struct aie_inline_args args = {.module = module, .parent = parent, .region = region, .program = t.program, .name = "k", .blocks = (uint32_t)t.tiles.task.task.block_count,
					     .memrefs = memrefs, .views = views, .memref_count = RANDOM_WINDOWS, .scalars = t.tiles.task.args,
					     .scalar_count = t.tiles.task.task.arg_count, .memory = isa_program_scratch(t.program)};
	bool failed, made;

	for (unsigned w = 0; w < RANDOM_WINDOWS; w++)
		views[w] = t.lies[w].view;
	made = aie_inline(&args, t.why, &failed);
	CHECK(!failed);
	return made;
}

/* ---- in a function, for forms and for MLIR ---------------------------------------------------------------------------------- */

static bool function_make(struct aie_module *module)
{
	const struct aie_type *types[RANDOM_WINDOWS];
	struct aie_op *op = aie_op_add(module, module->top, &module->top->regions[0], "func.func");
	struct aie_region *region = aie_op_region(module, op);
	struct aie_value *memrefs[RANDOM_WINDOWS];
	bool made;

	for (unsigned w = 0; w < RANDOM_WINDOWS; w++) {
		types[w] = memref_type(module, w);
		memrefs[w] = aie_region_argument(module, op, region, types[w]);
	}
	aie_op_attr(module, op, "sym_name", aie_attr_text(module, AIE_ATTR_STRING, check_fmt("random_%llu_%u", (unsigned long long)t.seed, inlined)));
	aie_op_attr(module, op, "function_type", aie_attr_type(module, aie_type_function(module, RANDOM_WINDOWS, RANDOM_WINDOWS, types)));
	made = body_make(module, op, region, memrefs);
	aie_op_add(module, op, region, "func.return");
	return made;
}

static char *printed(const struct aie_module *module, enum aie_form form)
{
	char *text = NULL;

	CHECK_INT(aie_module_print(module, form, &text, NULL), PTOWSP_OK);
	return text;
}

static bool forms_agree(void)
{
	struct aie_module module = {0}, again = {0};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	char *generic, *custom, *generic_again = NULL;
	bool made;

	REQUIRE(aie_module_begin(&module, &error) == 0);
	made = function_make(&module);
	if (made) {
		generic = printed(&module, AIE_FORM_GENERIC);
		custom = printed(&module, AIE_FORM_EPOCH_B);
		if (aie_module_read(&again, custom, strlen(custom), &error))
			CHECK_FAIL("PTOWSP_SEED=%llu: people's form: %s", (unsigned long long)t.seed, error.text);
		else
			generic_again = printed(&again, AIE_FORM_GENERIC);
		if (generic_again && strcmp(generic, generic_again) != 0)
			CHECK_FAIL("PTOWSP_SEED=%llu: people's form is another module", (unsigned long long)t.seed);
		if (texts)
			fprintf(texts, "%s// -----\n%s// -----\n", generic, custom);
		free(generic);
		free(custom);
		free(generic_again);
	}
	aie_module_finish(&again);
	aie_module_finish(&module);
	return made;
}

/* ---- in a core, to run ------------------------------------------------------------------------------------------------------ */

static struct aie_op *named(struct aie_module *module, struct aie_op *parent, const char *name)
{
	return aie_op_add(module, parent, &parent->regions[0], name);
}

static char *core_text(void)
{
	const struct aie_type *index;
	struct aie_value *memrefs[RANDOM_WINDOWS], *tile;
	struct aie_module module = {0};
	struct aie_op *device, *core;
	char *text;

	REQUIRE(aie_module_begin(&module, NULL) == 0);
	index = aie_type_plain(&module, AIE_TYPE_INDEX, 0);
	device = named(&module, module.top, "aie.device");
	aie_op_region(&module, device);
	tile = aie_op_result(&module, named(&module, device, "aie.tile"), index);
	for (unsigned w = 0; w < RANDOM_WINDOWS; w++) {
		struct aie_op *buffer = named(&module, device, "aie.buffer");

		aie_op_operand(&module, buffer, tile);
		aie_op_attr(&module, buffer, "sym_name", aie_attr_text(&module, AIE_ATTR_STRING, check_fmt("%u", w)));
		memrefs[w] = aie_op_result(&module, buffer, memref_type(&module, w));
	}
	core = named(&module, device, "aie.core");
	aie_op_operand(&module, core, tile);
	aie_op_region(&module, core);
	CHECK(body_make(&module, core, &core->regions[0], memrefs));
	named(&module, core, "aie.end");
	aie_op_result(&module, core, index);
	text = printed(&module, AIE_FORM_GENERIC);
	aie_module_finish(&module);
	return text;
}

static uint8_t *buffer_of(void *context, const struct aie_op *op)
{
	(void)context;
	return aie_op_is(op, "aie.buffer") ? second[atoi(aie_attr_of(op, "sym_name")->text)] : NULL;
}

static ptowsp_status text_run(const char *text, struct ptowsp_error *error)
{
	struct aie_module module = {0};
	struct aie_design design = {0};
	const struct aie_body_outside outside = {.buffer = buffer_of, .design = &design};
	struct aie_body *body = NULL;
	struct aie_ask ask = {0};
	ptowsp_status st = aie_module_read(&module, text, strlen(text), error);

	if (st)
		CHECK_FAIL("PTOWSP_SEED=%llu: %s", (unsigned long long)t.seed, error->text);
	if (!st)
		st = aie_body_create(&body, module.top->regions[0].first->regions[0].last, &outside, error);
	if (st)
		CHECK_FAIL("PTOWSP_SEED=%llu: %s", (unsigned long long)t.seed, error->text);
	while (!st && ask.kind == AIE_ASK_NOTHING)
		st = aie_body_next(body, NULL, &ask, error);
	aie_body_destroy(body);
	aie_module_finish(&module);
	return st;
}

/* One NaN is as good as another. */
static void windows_compare(void)
{
	for (unsigned w = 0; w < RANDOM_WINDOWS; w++) {
		const unsigned dtype = t.tiles.b.params[w].dtype, bytes = (unsigned)cell_bytes(dtype);

		for (size_t at = 0; memcmp(first[w], second[w], RANDOM_BYTES) != 0 && at + bytes <= RANDOM_BYTES; at += bytes)
			if (memcmp(first[w] + at, second[w] + at, bytes) != 0 && !cell_same(dtype, cell_unpack(dtype, first[w] + at), cell_unpack(dtype, second[w] + at))) {
				CHECK_FAIL("PTOWSP_SEED=%llu: element %zu of window %u (%s), the interpreter's is another", (unsigned long long)t.seed, at / bytes, w, t.tiles.b.strings);
				return;
			}
	}
}

static void trial_run(void)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	const ptowsp_status want = tile_run(&t.tiles.task, t.program);
	char *text = core_text();
	const ptowsp_status got = text ? text_run(text, &error) : PTOWSP_NO_MEMORY;

	ran++;
	failed_too += want && got;
	if (!want && got)
		CHECK_FAIL("PTOWSP_SEED=%llu: %s", (unsigned long long)t.seed, error.text);
	else if (!want)
		windows_compare();
	for (uint32_t i = 0; !want && i < t.tiles.b.header.inst_count; i++)
		seen[t.tiles.b.insts[i].op] = true;
	free(text);
}

static void trial(bool flat)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};

	windows_place(flat);
	REQUIRE(tile_create(&t.tiles.b, &t.program, &error) == 0);
	if (forms_agree()) {
		inlined++;
		trial_run();
	} else {
		called++;
		if (getenv("PTOWSP_WHY"))
			printf("# %llu: %s\n", (unsigned long long)t.seed, t.why);
	}
	isa_program_destroy(t.program);
	tile_finish(&t.tiles.b);
}

/* All operations on each type: of four parts of them one, which has no more of them than tiles are short. */
static void every_operation_does_what_the_interpreter_does(void)
{
	const uint64_t seed = random_start();

	texts = fopen(texts_path(), "w");
	REQUIRE(texts != NULL);
	for (unsigned type = 0; type < TILE_TYPES; type++)
		for (unsigned part = 0; part < 4; part++)
			for (t.seed = seed; t.seed < seed + 2; t.seed++) {
				random_tiles_all(&t.tiles, t.seed, type, part, start);
				trial(true);
			}
	printf("# %u programs of all operations have bodies, %u have not\n", inlined, called);
}

static void random_programs_do_what_the_interpreter_does(void)
{
	const uint64_t seed = random_start();

	for (t.seed = seed; t.seed < seed + 100; t.seed++) {
		random_tiles_make(&t.tiles, t.seed, start);
		trial(random_below(2));
	}
	printf("# and random ones: %u have bodies, %u have not; of those that were compared %u fail both ways\n", inlined, called, failed_too);
}

/* What a loop and branches change and what is behind them; a task's numbers, and what only memory says. */
static void scalars_go_through_loops_and_branches(void)
{
	struct tile_builder *b = &t.tiles.b;
	unsigned window, i, sum, q, f, x, seen_once, n;

	for (t.seed = 1; t.seed <= 4; t.seed++) {
		random_tiles_make(&t.tiles, t.seed, start); /* windows, which begin with small numbers */
		tile_finish(b);
		tile_begin(b, "scalars");
		for (window = 0; window < RANDOM_WINDOWS; window++)
			tile_param(b, "", window < TILE_TYPES ? tile_dtypes[window] : window == TILE_TYPES ? PTOWSP_I32 : PTOWSP_U32);
		n = tile_arg(b, "n", PTOWSP_I32);
		x = tile_tile(b, "x", 1, 8, PTOWSP_F32);
		i = tile_local(b, "i", PTOWSP_I32, 7);
		sum = tile_local(b, "sum", PTOWSP_I16, 1);
		q = tile_local(b, "q", PTOWSP_I64, 0);
		f = tile_local(b, "f", PTOWSP_F32, 0);
		seen_once = tile_local(b, "once", PTOWSP_BOOL, 0);
		tile_for(b, i, n, tile_int(b, 6), tile_int(b, 2));
		tile_op(b, PTOWSP_PTO_LOAD, q, TILE_TYPES, i);
		tile_op(b, PTOWSP_PTO_ADD, sum, sum, q);
		tile_op(b, PTOWSP_PTO_MUL, sum, sum, tile_int(b, 301));
		tile_if(b, q);
		tile_op(b, PTOWSP_PTO_DIV, q, sum, q);
		tile_op(b, PTOWSP_PTO_MOV, f, q);
		tile_else(b);
		tile_op(b, PTOWSP_PTO_MOV, seen_once, tile_int(b, 1));
		tile_op(b, PTOWSP_PTO_LI, f, tile_int(b, -3));
		tile_end(b);
		tile_op(b, PTOWSP_PTO_TEXPANDS, x, f);
		tile_op(b, PTOWSP_PTO_TSTORE, x, 0, i, tile_int(b, 0));
		tile_end(b);
		tile_op(b, PTOWSP_PTO_MOV, f, sum);
		tile_op(b, PTOWSP_PTO_TEXPANDS, x, f);
		tile_op(b, PTOWSP_PTO_TSTORE, x, 0, i, tile_int(b, 100)); /* i is the first number behind the loop */
		tile_if(b, seen_once);
		tile_op(b, PTOWSP_PTO_MOV, q, f);
		tile_op(b, PTOWSP_PTO_STORE, q, TILE_TYPES, tile_int(b, 50));
		tile_end(b);
		for (window = 0; window < RANDOM_WINDOWS; window++)
			b->params[window].access |= PTOWSP_READ;
		ran = failed_too = 0;
		trial(true);
		CHECK_INT(ran, 1);
		CHECK_INT(failed_too, 0);
	}
}

/* A merge or sort onto its own operand reads the operand before writing to it. */
static void sorted_tiles_may_lie_on_their_operands(void)
{
	struct tile_builder *b = &t.tiles.b;

	for (unsigned trial_of = 0; trial_of < 4; trial_of++) {
		unsigned window, x, y, at;

		t.seed = 1 + trial_of;
		random_tiles_make(&t.tiles, t.seed, start); /* windows, which begin with small numbers */
		tile_finish(b);
		tile_begin(b, "sorted");
		for (window = 0; window < RANDOM_WINDOWS; window++)
			tile_param(b, "", window < TILE_TYPES ? tile_dtypes[window] : window == TILE_TYPES ? PTOWSP_I32 : PTOWSP_U32);
		x = tile_tile(b, "x", 4, 10, PTOWSP_F32);
		y = tile_tile(b, "y", 1, 9, PTOWSP_F32);
		at = tile_tile(b, "at", 4, 10, PTOWSP_I32);
		tile_op(b, PTOWSP_PTO_TLOAD, x, 0, tile_int(b, 0), tile_int(b, 0));
		tile_op(b, PTOWSP_PTO_TLOAD, y, 0, tile_int(b, 0), tile_int(b, 50));
		if (trial_of >= 2)
			tile_op(b, PTOWSP_PTO_TSORT32, x, at, x);
		if (trial_of % 2)
			tile_op(b, PTOWSP_PTO_TMRGSORT, x, y, x);
		else
			tile_op(b, PTOWSP_PTO_TMRGSORT, x, x, y);
		tile_op(b, PTOWSP_PTO_TSTORE, x, 0, tile_int(b, 0), tile_int(b, 100));
		for (window = 0; window < RANDOM_WINDOWS; window++)
			b->params[window].access |= PTOWSP_READ;
		ran = failed_too = 0;
		trial(true);
		CHECK_INT(ran, 1);
		CHECK_INT(failed_too, 0);
	}
}

/* Of all that has a row in inline.def, but for what needs no operation. */
static void no_operation_was_left_out(void)
{
	static const char *const rows[] = {
#define X(NAME, form, access, floats, signeds, unsigneds, bools) [PTOWSP_PTO_##NAME] = #form,
#include "aie/inline.def"
#undef X
	};

	for (unsigned op = 0; op < sizeof(rows) / sizeof(*rows); op++)
		if (rows[op] && strcmp(rows[op], "nothing") != 0 && !seen[op])
			CHECK_FAIL("no program with %s was compared", isa_op(op)->mnemonic);
}

/* Each in both forms. */
static void mlir_takes_the_bodies(void)
{
	char *words = NULL;

	REQUIRE(texts != NULL);
	fclose(texts);
	texts = NULL;
	if (check_run("command -v mlir-opt-22", NULL, NULL))
		CHECK_SKIP("mlir-opt-22 is not installed");
	if (check_run(check_fmt("mlir-opt-22 --split-input-file %s -o /dev/null", texts_path()), NULL, &words))
		CHECK_FAIL("mlir-opt-22: %.600s", words ? words : "");
	free(words);
}

void suite_aie_inline(CU_pSuite s)
{
	TEST(s, every_operation_does_what_the_interpreter_does);
	TEST(s, random_programs_do_what_the_interpreter_does);
	TEST(s, scalars_go_through_loops_and_branches);
	TEST(s, sorted_tiles_may_lie_on_their_operands);
	TEST(s, no_operation_was_left_out);
	TEST(s, mlir_takes_the_bodies);
}
