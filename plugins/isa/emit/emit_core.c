/* SPDX-License-Identifier: MIT */
/* emit_core.c - the function of a kernel for a core: its head, its products, where its tiles lie on the stack. The statements are those of C, whose emitter asks here and in
 * emit_home.c what a core has instead of a call. */
#include "isa/emit/emit_core.h"

#include "isa/emit/emit_home.h"
#include "isa/isa_values.h"

#include <stdlib.h>
#include <string.h>

enum { TURNS = 4 }; /* times that the body is written until the tiles that need memory are known; then all that may need some get it */

/* ---- what statements ask for ---------------------------------------------------------------------------------------------- */

bool isa_is_checked(const struct isa_emitter *e)
{
	return !e->core || e->p->data_dependent;
}

void isa_fail_put(struct isa_emitter *e, const char *statement)
{
	isa_line(e, "\t%s", e->core ? "tile_stop();" : statement);
}

struct isa_piece isa_window_text(struct isa_emitter *e, uint32_t param)
{
	const struct isa_core_window *w;

	if (!e->core)
		return isa_piece("tile_window(call, %s)", isa_param_name(e, param));
	w = &e->core->windows[param];
	return isa_piece("TILE_ARGUMENT(%s, %llu, %llu, %llu)", isa_param_name(e, param), (unsigned long long)w->rows, (unsigned long long)w->columns,
			 (unsigned long long)w->stride);
}

struct isa_piece isa_core_product(struct isa_emitter *e, const char *macro, const unsigned *dtypes, unsigned count, unsigned how, const unsigned long *shape,
				  unsigned shape_count)
{
	static const char *const kinds[] = {"", "_bias", "_scaled"};
	struct isa_piece name = isa_piece("tile_product%s", kinds[!strcmp(macro, "TILE_PRODUCT") ? 0 : !strcmp(macro, "TILE_PRODUCT_BIAS") ? 1 : 2]);
	struct isa_piece given = isa_piece("%s", ""), line;

	for (unsigned i = 0; i < count; i++) {
		name = isa_piece("%s_%s", name.text, isa_type_suffix(dtypes[i]));
		given = isa_piece("%s, %s", given.text, isa_type_suffix(dtypes[i]));
	}
	given = isa_piece("%s, %s", given.text, isa_type_suffix(how));
	for (unsigned i = 0; i < shape_count; i++) {
		name = isa_piece("%s_%lu", name.text, shape[i]);
		given = isa_piece("%s, %lu", given.text, shape[i]);
	}
	line = isa_piece("%s(%s%s)\n", macro, name.text, given.text);
	if (!strstr(common_text_view(&e->product_text), line.text))
		common_text_put(&e->product_text, line.text);
	return name;
}

/* ---- the function --------------------------------------------------------------------------------------------------------- */

static bool is_alone(const struct isa_core_function *f, uint32_t tensor)
{
	for (uint32_t i = 0; i < f->tensors; i++)
		if (i != tensor && f->windows[i].same == f->windows[tensor].same)
			return false;
	return true;
}

static void parameters_put(struct isa_emitter *e)
{
	const struct isa_core_function *f = e->core;

	for (uint32_t i = 0; i < f->tensors; i++) {
		if (i < e->p->header.param_count)
			isa_put(e, "%s%s *%s%s", i ? ", " : "", isa_stored_type(e->p->params[i].dtype), is_alone(f, i) ? "restrict " : "",
				isa_param_name(e, i));
		else
			isa_put(e, "%svoid *tile_tensor_%lu", i ? ", " : "", (unsigned long)i);
	}
	for (uint32_t i = 0; i < f->scalars; i++)
		isa_put(e, "%sint64_t tile_scalar_%lu", f->tensors || i ? ", " : "", (unsigned long)i);
}

/* The kernel's windows begin where it counts from, which is not where the objects do. */
static void windows_put(struct isa_emitter *e)
{
	for (uint32_t i = 0; i < e->p->header.param_count; i++)
		if (e->core->windows[i].before)
			isa_line(e, "%s -= %lld;", isa_param_name(e, i), (long long)e->core->windows[i].before);
}

/* Parameters of the function up to its body's brace, "void" where there are none. */
static void bracket_put(struct isa_emitter *e, const char *more)
{
	const bool any = e->core->tensors || e->core->scalars;

	parameters_put(e);
	isa_put(e, "%s%s)\n{\n", any && *more ? ", " : "", any || *more ? more : "void");
}

static const char *linkage(const struct isa_emitter *e)
{
	return e->core->is_inside ? "static" : "TILE_KERNEL";
}

static void head_put(struct isa_emitter *e, uint64_t memory)
{
	const bool blocks = e->core->blocks > 1;

	isa_put(e, "%s void %s%s(", blocks ? "static" : linkage(e), e->core->symbol, blocks ? "_block" : "");
	bracket_put(e, blocks ? "uint32_t tile_block" : "");
	e->out.depth = 1;
	if (memory)
		isa_line(e, "_Alignas(32) unsigned char tile_memory[%llu];", (unsigned long long)memory);
	if (e->p->of_blocks && !blocks)
		isa_line(e, "static const uint32_t tile_block = 0;");
	if (e->p->of_blocks)
		isa_line(e, "static const uint32_t tile_blocks = %lu;", (unsigned long)e->core->blocks);
	windows_put(e);
	isa_tiles_put(e);
	isa_scalars_put(e);
	e->out.depth = 0;
	isa_put(e, "\n");
}

/* Arguments of a call of what has the function's own parameters, and behind them `more`; owner: per argument, whose whole tile it is, or none of the tensors. */
static void arguments_put(struct isa_emitter *e, const uint32_t *owner, const char *more)
{
	const struct isa_core_function *f = e->core;
	const char *comma = "";

	for (uint32_t i = 0; i < f->tensors; i++, comma = ", ")
		if (owner && owner[i] < f->tensors)
			isa_put(e, "%stile_whole_%lu", comma, (unsigned long)owner[i]);
		else if (i < e->p->header.param_count)
			isa_put(e, "%s%s", comma, isa_param_name(e, i));
		else
			isa_put(e, "%stile_tensor_%lu", comma, (unsigned long)i);
	for (uint32_t i = 0; i < f->scalars; i++, comma = ", ")
		isa_put(e, "%stile_scalar_%lu", comma, (unsigned long)i);
	isa_put(e, "%s%s", *more ? comma : "", more);
}

static void tail_put(struct isa_emitter *e)
{
	const struct isa_core_function *f = e->core;

	isa_put(e, "}\n");
	if (f->blocks < 2)
		return;
	isa_put(e, "\n%s void %s(", linkage(e), f->symbol);
	bracket_put(e, "");
	isa_put(e, "\tfor (uint32_t tile_block = 0; tile_block < %lu; tile_block++)\n\t\t%s_block(", (unsigned long)f->blocks, f->symbol);
	arguments_put(e, NULL, "tile_block");
	isa_put(e, ");\n}\n");
}

/* ---- memory --------------------------------------------------------------------------------------------------------------- */

static void body_again(struct isa_emitter *e)
{
	const bool failed = e->out.text.failed;

	common_text_finish(&e->out.text);
	common_text_finish(&e->product_text);
	e->out = (struct isa_writing){.text.failed = failed};
	e->product_text = (struct common_text){0};
	e->temp_most = 0;
	memset(e->tile_used, 0, e->p->header.tile_count * sizeof(*e->tile_used));
	isa_body_emit(e);
}

/* Adds to `in` tiles that the body has in memory; true: it had all of them. */
static bool all_in(const struct isa_emitter *e, uint8_t *in, bool any)
{
	bool all = true;

	for (uint32_t t = 0; t < e->p->header.tile_count; t++) {
		const bool needs = !e->homes[t].inst && (any || e->tile_used[t]);

		all &= !needs || in[t];
		in[t] |= needs;
	}
	return all;
}

/* The body, written with places for just the tiles that it has in memory; which these are depends on what shares memory, so it is written again until it does not change. */
static ptowsp_status body_place(struct isa_emitter *e, uint8_t *in, uint32_t *at)
{
	uint64_t bytes = 0;
	ptowsp_status status;

	all_in(e, in, true);
	status = isa_program_memory_of(e->p, in, at, &bytes);
	e->at = at;
	if (!status)
		body_again(e);
	memset(in, 0, e->p->header.tile_count);
	for (unsigned turn = 0; !status && !all_in(e, in, turn == TURNS); turn++) {
		status = isa_program_memory_of(e->p, in, at, &bytes);
		e->temp_at = bytes;
		if (!status)
			body_again(e);
	}
	if (!bytes)
		e->temp_at = 0;
	return status;
}

static ptowsp_status text_make(struct isa_emitter *e, uint64_t *memory_out)
{
	uint8_t *in = calloc(e->p->header.tile_count + 1u, sizeof(*in));
	uint32_t *at = calloc(e->p->header.tile_count + 1u, sizeof(*at));
	struct common_text body;
	ptowsp_status status = in && at ? isa_homes_find(e) : PTOWSP_NO_MEMORY;

	e->temp_at = 0;
	if (!status)
		status = body_place(e, in, at);
	*memory_out = e->temp_at + e->temp_most;
	body = e->out.text;
	e->out = (struct isa_writing){.text.failed = body.failed};
	if (!status) {
		head_put(e, *memory_out);
		common_text_put(&e->out.text, common_text_view(&body));
		tail_put(e);
	}
	common_text_finish(&body);
	free(in);
	free(at);
	return status ? status : e->out.text.failed || e->product_text.failed ? PTOWSP_NO_MEMORY : PTOWSP_OK;
}

static ptowsp_status whole_emit(const struct isa_program *program, const struct isa_core_function *function, char **products_out, char **text_out,
				uint64_t *memory_out, struct ptowsp_error *error)
{
	struct isa_emitter e = {.target = &isa_emit_targets[0], .symbol = function->symbol, .core = function};
	struct isa_program *split;
	ptowsp_status status;

	if (program->unusable[0])
		return isa_error(error, PTOWSP_UNSUPPORTED, "%s", program->unusable);
	status = isa_values_split(&split, program, error);
	if (status)
		return status;
	e.p = split;
	e.homes = calloc(split->header.tile_count + 1u, sizeof(*e.homes));
	e.done = calloc(split->header.inst_count + 1u, sizeof(*e.done));
	status = e.homes && e.done ? isa_emitter_begin(&e) : PTOWSP_NO_MEMORY;
	if (!status)
		status = text_make(&e, memory_out);
	if (!status) {
		*text_out = e.out.text.bytes;
		*products_out = e.product_text.bytes;
		e.out.text = e.product_text = (struct common_text){0};
	}
	common_text_finish(&e.out.text);
	isa_emitter_finish(&e);
	isa_program_destroy(split);
	return status ? isa_error(error, status, "no memory to write kernel %.64s", program->name) : PTOWSP_OK;
}

/* ---- parts of tiles ------------------------------------------------------------------------------------------------------- */

static bool is_part(const struct isa_program *program, const struct isa_core_function *f, uint32_t i)
{
	const struct ptowsp_tile_param *tile = &program->params[i];
	const struct isa_core_window *w = &f->windows[i];

	return f->parts >> i & 1 && w->rows <= tile->rows && w->columns <= tile->columns && (w->rows < tile->rows || w->columns < tile->columns);
}

bool isa_core_whole(const struct isa_program *program, const struct isa_core_function *function, struct isa_core_window *windows_out)
{
	bool any = false;

	for (uint32_t i = 0; i < function->tensors; i++) {
		windows_out[i] = function->windows[i];
		if (i >= program->header.param_count || i >= 64 || !is_part(program, function, i))
			continue;
		any = true;
		windows_out[i] =
			(struct isa_core_window){program->params[i].rows, program->params[i].columns, program->params[i].columns, 0, function->windows[i].same};
	}
	return any;
}

static bool same_part(const struct isa_program *program, const struct isa_core_function *f, uint32_t a, uint32_t b)
{
	const struct isa_core_window *v = &f->windows[a], *w = &f->windows[b];
	const struct ptowsp_tile_param *x = &program->params[a], *y = &program->params[b];

	return v->rows == w->rows && v->columns == w->columns && v->stride == w->stride && v->before == w->before && x->rows == y->rows &&
	       x->columns == y->columns && x->dtype == y->dtype;
}

/* Per argument, the first one that is the same part, or as many as there are where it is none. One part of a buffer that several arguments have parts of would be undone by another one's return. */
static ptowsp_status owners_find(const struct isa_program *program, const struct isa_core_function *f, uint32_t *owner, struct ptowsp_error *error)
{
	for (uint32_t i = 0; i < f->tensors; i++) {
		owner[i] = i < program->header.param_count && i < 64 && is_part(program, f, i) ? i : f->tensors;
		for (uint32_t k = 0; k < i; k++) {
			if (f->windows[k].same != f->windows[i].same || (owner[k] == f->tensors && owner[i] == f->tensors))
				continue;
			if (!same_part(program, f, k, i) || owner[k] == f->tensors || owner[i] == f->tensors)
				return isa_error(
					error, PTOWSP_UNSUPPORTED,
					"kernel %.60s: tensor arguments %u and %u are parts of one tensor that meet, one is written, and of one not all is "
					"there; copy one of them beforehand",
					program->name, k, i);
			owner[i] = owner[k];
		}
	}
	return PTOWSP_OK;
}

/* The copy of a part: what it is as bytes. */
static void part_move(struct isa_emitter *e, uint32_t i, bool back)
{
	const struct ptowsp_tile_param *tile = &e->p->params[i];
	const struct isa_core_window *w = &e->core->windows[i];
	const unsigned long long size = isa_dtype_bytes(tile->dtype), width = w->columns * size, step = w->stride * size, own = tile->columns * size;
	const struct isa_piece part = w->before ? isa_piece("%s - %lld", isa_param_name(e, i), (long long)w->before) : isa_piece("%s", isa_param_name(e, i));
	const struct isa_piece whole = isa_piece("tile_whole_%lu", (unsigned long)i);

	isa_line(e, "tile_copy(%s, %llu, %s, %llu, %llu, %llu);", back ? part.text : whole.text, back ? step : own, back ? whole.text : part.text,
		 back ? own : step, (unsigned long long)w->rows, width);
}

/* Whole tiles of zeros on the stack. */
static uint64_t wholes_put(struct isa_emitter *e, const uint32_t *owner)
{
	struct isa_writing places = {.depth = 1}, head = e->out;
	uint64_t bytes = 0;

	e->out = places;
	for (uint32_t i = 0; i < e->core->tensors; i++)
		if (owner[i] == i) {
			const struct ptowsp_tile_param *tile = &e->p->params[i];
			const char *type = isa_stored_type(tile->dtype);

			isa_line(e, "%s *const tile_whole_%lu = (%s *)(void *)(tile_memory + %llu);", type, (unsigned long)i, type, (unsigned long long)bytes);
			bytes += ((uint64_t)tile->rows * tile->columns * isa_dtype_bytes(tile->dtype) + 31) / 32 * 32;
		}
	places = e->out;
	e->out = head;
	if (bytes)
		isa_line(e, "_Alignas(32) unsigned char tile_memory[%llu] = {0};", (unsigned long long)bytes);
	common_text_put(&e->out.text, common_text_view(&places.text));
	e->out.text.failed |= places.text.failed;
	common_text_finish(&places.text);
	return bytes;
}

static void parts_put(struct isa_emitter *e, const char *whole, const uint32_t *owner, uint64_t *memory_out)
{
	const struct isa_core_function *f = e->core;

	isa_put(e, "%s void %s(", linkage(e), f->symbol);
	bracket_put(e, "");
	e->out.depth = 1;
	*memory_out += wholes_put(e, owner);
	for (uint32_t i = 0; i < f->tensors; i++)
		if (owner[i] == i)
			part_move(e, i, false);
	isa_put(e, "\t%s(", whole);
	arguments_put(e, owner, "");
	isa_put(e, ");\n");
	for (uint32_t i = 0; i < f->tensors; i++)
		if (owner[i] == i && e->p->params[i].access & PTOWSP_WRITE)
			part_move(e, i, true);
	isa_put(e, "}\n");
}

/* A function that calls the one for whole tiles, behind what the text has already. */
static ptowsp_status parts_emit(const struct isa_program *program, const struct isa_core_function *function, const char *whole, const uint32_t *owner,
				char **text, uint64_t *memory_out, struct ptowsp_error *error)
{
	struct isa_emitter e = {.p = program, .target = &isa_emit_targets[0], .symbol = function->symbol, .core = function};
	ptowsp_status status = isa_emitter_begin(&e);

	if (*text)
		isa_put(&e, "%s\n", *text);
	if (!status)
		parts_put(&e, whole, owner, memory_out);
	status = status ? status : e.out.text.failed ? PTOWSP_NO_MEMORY : PTOWSP_OK;
	if (!status) {
		free(*text);
		*text = e.out.text.bytes;
		e.out.text = (struct common_text){0};
	}
	common_text_finish(&e.out.text);
	isa_emitter_finish(&e);
	return status ? isa_error(error, status, "no memory to write kernel %.64s", program->name) : PTOWSP_OK;
}

ptowsp_status isa_emit_core(const struct isa_program *program, const struct isa_core_function *function, char **products_out, char **text_out,
			    uint64_t *memory_out, struct ptowsp_error *error)
{
	struct isa_core_window windows[ISA_CORE_TENSORS];
	uint32_t owner[ISA_CORE_TENSORS];
	struct isa_core_function whole = *function;
	struct isa_piece name;
	ptowsp_status status;

	*text_out = *products_out = NULL;
	*memory_out = 0;
	if (program->unusable[0] || function->tensors > ISA_CORE_TENSORS || (!isa_core_whole(program, function, windows) && !function->whole))
		return whole_emit(program, function, products_out, text_out, memory_out, error);
	status = owners_find(program, function, owner, error);
	name = isa_piece(ISA_CORE_WHOLE, function->symbol);
	whole.symbol = name.text;
	whole.windows = windows;
	whole.is_inside = true;
	if (!status && !function->whole)
		status = whole_emit(program, &whole, products_out, text_out, memory_out, error);
	if (!status)
		status = parts_emit(program, function, function->whole ? function->whole : name.text, owner, text_out, memory_out, error);
	if (status) {
		free(*text_out);
		free(*products_out);
		*text_out = *products_out = NULL;
	}
	return status;
}
