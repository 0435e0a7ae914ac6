/* SPDX-License-Identifier: MIT */
#include "aie/graph/fits.h"

#include "aie/design/near.h"
#include "isa/emit/emit_core.h"
#include "registry/common/common_grow.h"
#include "registry/common/common_names.h"
#include "registry/common/common_text.h"
#include "rt/program/rt_error.h"
#include <inttypes.h>
#include <stdlib.h>

/* Each area once: what is changed in place is there once. */
static bool is_new(const struct aie_acts *acts, const struct aie_act *act, uint32_t u)
{
	for (uint32_t before = act->uses; before < u; before++)
		if (acts->uses[before].area == acts->uses[u].area)
			return false;
	return true;
}

/* The least that its arguments take, in bytes. */
static uint64_t arguments_of(const struct aie_acts *acts, const struct aie_act *act)
{
	uint64_t bytes = 0;

	for (uint32_t u = act->uses; u < act->uses + act->use_count; u++)
		if (is_new(acts, act, u))
			bytes += aie_area_bytes(&acts->areas.rows[acts->uses[u].area]);
	return bytes;
}

/* ---- tiles -------------------------------------------------------------------------------------------------------------- */

/* Calls of one kernel with windows alike have one function: a name for each, and what its tiles take. */
struct functions {
	struct common_names names;
	uint64_t *bytes; /* per name */
	uint32_t room;
};

/* The window as the function of a design says it (design.h). */
static struct isa_core_window window_of(const struct aie_acts *acts, const struct aie_use *use)
{
	const struct aie_area *area = &acts->areas.rows[use->area];
	const struct aie_view *view = &use->view;
	const uint64_t columns = area->columns + (uint64_t)view->before;

	if (view->rows)
		return (struct isa_core_window){view->rows, view->columns, view->stride, view->before, use->with};
	return (struct isa_core_window){area->flat ? 1 : area->rows, columns, columns, view->before, use->with};
}

static void key_make(struct common_text *key, const struct aie_act *act, const struct isa_core_window *windows, uint32_t scalars)
{
	common_text_add(key, "%" PRIu32 " %" PRIu32, act->kernel, scalars);
	for (uint32_t i = 0; i < act->use_count; i++)
		common_text_add(key, ", %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIi64 " %" PRIu32, windows[i].rows, windows[i].columns, windows[i].stride,
				windows[i].before, windows[i].same);
}

/* Measures a function that is not known yet. */
static ptowsp_status function_measure(struct functions *functions, const struct base_kernel *kernel, const struct isa_core_function *function, const char *key,
				      uint64_t *bytes_out, struct ptowsp_error *error)
{
	char *products, *text;
	ptowsp_status status = isa_emit_core(kernel->isa, function, &products, &text, bytes_out, error);

	free(products);
	free(text);
	if (status == PTOWSP_UNSUPPORTED) { /* it cannot run, which its run says */
		*bytes_out = 0;
		status = PTOWSP_OK;
	}
	if (!status && (!COMMON_GROW(functions->bytes, functions->room, functions->names.count) || !common_names_add(&functions->names, key)))
		status = rt_no_memory(error, "what kernels take of a core's memory");
	if (!status)
		functions->bytes[functions->names.count - 1] = *bytes_out;
	return status;
}

static ptowsp_status stack_find(struct functions *functions, const struct aie_acts *acts, struct aie_act *act, const struct aie_map_args *args,
				struct ptowsp_error *error)
{
	const struct base_kernel *kernel = act->kernel < args->served->count ? &args->served->rows[act->kernel] : NULL;
	const uint32_t scalars = args->walk->tasks[act->task].arg_count;
	uint64_t without;
	struct isa_core_window windows[AIE_MOST_TENSORS];
	const struct isa_core_function function = {.symbol = "kernel",
						   .windows = windows,
						   .tensors = act->use_count,
						   .scalars = scalars,
						   .blocks = kernel && kernel->blocks ? kernel->blocks : 1,
						   .parts = kernel ? kernel->parts : 0};
	struct common_text key = {0};
	ptowsp_status status = PTOWSP_OK;
	uint32_t row;

	act->stack = act->tiles = 0;
	if (!kernel || !kernel->isa || act->use_count > AIE_MOST_TENSORS)
		return PTOWSP_OK;
	isa_program_memory(kernel->isa, &without, &act->tiles);
	for (uint32_t i = 0; i < act->use_count; i++)
		windows[i] = window_of(acts, &acts->uses[act->uses + i]);
	key_make(&key, act, windows, scalars);
	row = common_names_find(&functions->names, common_text_view(&key));
	if (key.failed)
		status = rt_no_memory(error, "what kernels take of a core's memory");
	else if (row)
		act->stack = functions->bytes[row - 1];
	else
		status = function_measure(functions, kernel, &function, common_text_view(&key), &act->stack, error);
	common_text_finish(&key);
	return status;
}

ptowsp_status aie_fits_find(struct aie_acts *acts, const struct aie_map_args *args, struct ptowsp_error *error)
{
	struct functions functions = {.bytes = NULL};
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t a = 0; !status && a < acts->count; a++)
		if (acts->rows[a].kind == AIE_ACT_CALL)
			status = stack_find(&functions, acts, &acts->rows[a], args, error);
	common_names_finish(&functions.names);
	free(functions.bytes);
	return status;
}

/* Sum of the memory of a call. */
static struct aie_fits fits_of(const struct aie_acts *acts, const struct aie_act *act, const struct aie_arch *arch)
{
	return (struct aie_fits){act->stack, arguments_of(acts, act), aie_arch_tile(arch, AIE_FIRST_CORE)->limits[AIE_STACK], act->tiles};
}

uint64_t aie_fits_need(const struct aie_acts *acts, const struct aie_act *act, const struct aie_arch *arch, uint32_t times)
{
	struct aie_fits fits = fits_of(acts, act, arch);

	fits.arguments *= times;
	return aie_fits_sum(&fits);
}

bool aie_fits_near(const struct aie_acts *acts, const struct aie_act *act, const struct aie_arch *arch)
{
	const struct aie_fits fits = fits_of(acts, act, arch);
	struct aie_place_node items[AIE_MOST_TENSORS] = {0}, tiles[1 + AIE_NEAR_TILES] = {{.bytes = aie_near_bytes(fits.tiles) + fits.stack}};
	uint8_t tile_of[AIE_MOST_TENSORS];
	uint32_t count = 0;

	if (act->use_count > AIE_MOST_TENSORS || tiles[0].bytes > aie_arch_core_bytes(arch))
		return false;
	for (uint32_t u = act->uses; u < act->uses + act->use_count; u++) {
		const uint64_t bytes = aie_area_bytes(&acts->areas.rows[acts->uses[u].area]);

		if (bytes > aie_near_most(arch))
			return false;
		if (is_new(acts, act, u))
			items[count++].bytes = aie_near_bytes(bytes);
	}
	return aie_near_pack(arch, items, count, tiles, tile_of);
}

bool aie_fits_most(const struct aie_acts *acts, uint32_t kernel, const struct aie_arch *arch, struct aie_fits *fits_out)
{
	bool any = false;

	for (uint32_t a = 0; a < acts->count; a++) {
		const struct aie_act *act = &acts->rows[a];
		struct aie_fits fits;

		if (act->kind != AIE_ACT_CALL || act->kernel != kernel)
			continue;
		fits = fits_of(acts, act, arch);
		if (!any || aie_fits_sum(&fits) > aie_fits_sum(fits_out))
			*fits_out = fits;
		any = true;
	}
	return any;
}

/* Place among its uses of the one that takes most. */
static uint32_t largest_of(const struct aie_acts *acts, const struct aie_act *act)
{
	uint32_t largest = 0;

	for (uint32_t u = 1; u < act->use_count; u++)
		if (aie_area_bytes(&acts->areas.rows[acts->uses[act->uses + u].area]) > aie_area_bytes(&acts->areas.rows[acts->uses[act->uses + largest].area]))
			largest = u;
	return largest;
}

ptowsp_status aie_fits_refuse(const struct aie_acts *acts, const struct aie_act *act, const struct aie_map_args *args, const char *why,
			      struct ptowsp_error *error)
{
	const struct aie_fits fits = fits_of(acts, act, args->arch);
	char place[AIE_CALLED_PLACE];
	const struct aie_area *most = act->use_count ? &acts->areas.rows[acts->uses[act->uses + largest_of(acts, act)].area] : NULL;
	const bool alone = most && aie_area_bytes(most) > aie_near_most(args->arch); /* no tile is small enough for that */

	return rt_fail_at(
		error, PTOWSP_UNSUPPORTED, acts->first + act->task, act->kernel,
		"task %llu, kernel %.20s%s needs %llu bytes of %d x %llu: tiles %llu of %llu, arguments %llu (%.16s %llu), stack %llu; not divided: %.44s; "
		"%s%.16s",
		(unsigned long long)(acts->first + act->task), aie_kernel_name(&args->names, act->kernel), aie_kernel_place(&args->names, act->kernel, place),
		(unsigned long long)aie_fits_sum(&fits), 1 + AIE_NEAR_TILES, (unsigned long long)aie_near_most(args->arch), (unsigned long long)fits.tiles,
		(unsigned long long)fits.declared, (unsigned long long)fits.arguments, most ? aie_tensor_name(&args->names, most->tensor) : "none",
		(unsigned long long)(most ? aie_area_bytes(most) : 0), (unsigned long long)fits.stack, why, alone ? "pass less of " : "use smaller tiles",
		alone ? aie_tensor_name(&args->names, most->tensor) : "");
}
