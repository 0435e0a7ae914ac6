/* SPDX-License-Identifier: MIT */
/* plugin.c - narrow: a backend of 10.1 whose device, in truth the interpreter, has only some operations: no texp, and of element types no f16 and no bf16. With its option `beside` its processor
 * runs kernels with texp. It judges kernels, too: those with more tiles than its option `tiles` says are not for it.
 *
 * With -DWRONG=NAME it is the plugin null and breaks an obligation of the extension "ptowsp.support/0"; tests/hostile/verdicts.def has what is said of each. */
#include "base/base_support.h"
#include "base/error.h"
#include "base/ops.h"
#include "base/program.h"
#include "ptowsp/support.h"
#include "ptowsp/tile.h"
#include "tests/narrow/processor.h"
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

enum wrong {
	NOTHING_WRONG,
	JUDGES_BLINDLY,  /* says DEVICE of what its processor runs */
	JUDGE_OPENS,     /* keeps a descriptor */
	JUDGE_TRUSTS,    /* reads a tile program as far as that says it goes */
	JUDGE_OVERFLOWS, /* writes rows of its own length */
	JUDGE_FORGETS,   /* gives no reason */
	RUNS_ELSEWHERE   /* its device executes nothing */
};
#ifdef WRONG
#define NAME "null"
#else
#define WRONG NOTHING_WRONG
#define NAME  "narrow"
#endif

static bool is(enum wrong which)
{
	return which == WRONG;
}

struct narrow_options {
	struct base_options base;
	unsigned tiles, beside, few, lie;
};
static const struct base_option options[] = {
	BASE_OPTION(offsetof(struct narrow_options, tiles), "tiles", "int", "64", "0..64", "tiles that a kernel may have"),
	BASE_OPTION(offsetof(struct narrow_options, beside), "beside", "bool", "off", "off|on", "the processor runs texp"),
	BASE_OPTION(offsetof(struct narrow_options, few), "few", "bool", "off", "off|on", "of element types f32 alone"),
	BASE_OPTION(offsetof(struct narrow_options, lie), "lie", "word", "none", "none|bits|place", "what is wrong: results of trowsum, or where kernels run"),
};
enum { LIE_BITS = 1, LIE_PLACE };

PROCESSOR_MODELS(NAME "0", "a device with few operations")

static uint32_t caps(const struct base_options *chosen, const struct base_model *model, struct ptowsp_cap *rows_out)
{
	static const struct ptowsp_cap own[] = {
		BASE_TILE(0, ENFORCED, ~(BASE_TYPE(F16) | BASE_TYPE(BF16)) & (BASE_TYPE(BOOL) * 2 - 1)),
		BASE_TILE(PTOWSP_PTO_TEXP, UNSUPPORTED, 0), /* behind the one below */
		BASE_DEVICE_TASKS,
	};
	static const struct ptowsp_cap blind[] = {BASE_TILE(PTOWSP_PTO_TSTORE, DIAGNOSED, 0)}, beside[] = {BASE_TILE(PTOWSP_PTO_TEXP, DIAGNOSED, 0)},
				       few[] = {BASE_TILE(0, ENFORCED, BASE_TYPE(F32))};
	uint32_t count = is(JUDGES_BLINDLY) || is(JUDGE_FORGETS) ? BASE_CAPS_ADD(rows_out, 0, blind) : 0;

	(void)model;
	if (chosen && ((const struct narrow_options *)(const void *)chosen)->beside)
		count = BASE_CAPS_ADD(rows_out, count, beside);
	if (chosen && ((const struct narrow_options *)(const void *)chosen)->few)
		count = BASE_CAPS_ADD(rows_out, count, few);
	return BASE_CAPS_ADD(rows_out, count, own);
}

static void judge(const struct base_options *chosen, const struct base_model *model, const struct base_kernel *kernel, struct ptowsp_kernel_support *support)
{
	const uint32_t tiles = isa_program_header(kernel->isa)->tile_count, most = ((const struct narrow_options *)(const void *)chosen)->tiles;

	(void)model;
	if (support->verdict == PTOWSP_SUPPORT_NO || tiles <= most)
		return;
	support->verdict = PTOWSP_SUPPORT_NO;
	base_text(support->reason, sizeof(support->reason), "it has %u tiles, and the device takes %u", tiles, most);
}

static unsigned lie_of(const struct base_instance *instance)
{
	return ((const struct narrow_options *)(const void *)instance->options)->lie;
}

static bool has_trowsum(const struct isa_program *isa)
{
	bool found = false;

	for (uint32_t i = 0; i < isa_program_header(isa)->inst_count && !found; i++)
		found = isa_program_insts(isa)[i].op == PTOWSP_PTO_TROWSUM;
	return found;
}

/* The device. */
static ptowsp_status block_compute(void *context, uint32_t row, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker,
				   const struct isa_guard *guard)
{
	struct base_kernels *kernels = context;
	const ptowsp_status status = isa_run_guarded(kernels->rows[row].isa, task, out, kernels->scratch + worker * kernels->scratch_bytes, guard);

	for (uint32_t i = 0; !status && lie_of(kernels->instance) == LIE_BITS && has_trowsum(kernels->rows[row].isa) && i < task->tensor_count; i++)
		if (task->tensors[i].access & PTOWSP_WRITE)
			*(unsigned char *)task->tensors[i].data ^= 1;
	return status;
}

static ptowsp_status bind(struct base_program *program, struct ptowsp_error *error)
{
	struct base_compute *compute = base_alloc(program->device->instance, sizeof(*compute));

	if (!compute)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for a program");
	*compute = (struct base_compute){.context = &program->kernels, .block = block_compute};
	program->own = compute;
	program->kernels.compute = is(RUNS_ELSEWHERE) || lie_of(program->device->instance) == LIE_PLACE ? NULL : compute;
	return PTOWSP_OK;
}

static void unload(struct base_program *program)
{
	base_release(program->device->instance, program->own, sizeof(struct base_compute));
}

static const void *wrong_extension(struct ptowsp_object *instance, const char *id);

static const struct base_backend backend = {.name = NAME,
					    .targets = NAME,
					    .models = models,
					    .caps = caps,
					    .judge = judge,
					    .options = options,
					    .option_count = sizeof(options) / sizeof(*options),
					    .options_size = sizeof(struct narrow_options),
					    .extension = wrong_extension,
					    .bind = bind,
					    .unload = unload};

/* ---- what is wrong ---------------------------------------------------------------------------------------------------- */

static volatile unsigned char looked;

static void kernels_walk(const struct ptowsp_load_args *args)
{
	for (uint32_t i = 0; i < args->section_count; i++) {
		const struct ptowsp_section *s = (const void *)((const char *)args->sections + (size_t)i * args->section_stride);

		for (uint64_t at = 0; s->type == PTOWSP_SECTION_CODE && at + sizeof(struct ptowsp_tile_header) <= s->count; at += 64) {
			const struct ptowsp_tile_header *header = (const void *)((const char *)s->data + at);

			for (uint32_t k = 0; header->magic == PTOWSP_TILE_MAGIC && k < header->inst_count; k++)
				looked = ((volatile const struct ptowsp_tile_inst *)(header + 1))[k].op;
		}
	}
}

static ptowsp_status wrong_judge(struct ptowsp_object *instance, const char *device, const struct ptowsp_load_args *args,
				 struct ptowsp_kernel_support *rows_out, uint32_t stride, uint32_t count, struct ptowsp_error *error)
{
	const struct ptowsp_support_extension *right = base_support_table(&backend, instance);
	ptowsp_status status;

	if (is(JUDGE_TRUSTS))
		kernels_walk(args);
	if (is(JUDGE_OPENS) && open("/dev/null", O_RDONLY | O_CLOEXEC) < 0)
		return base_fail(error, PTOWSP_NO_DEVICE, "no device");
	status = right->judge(instance, device, args, rows_out, stride, count, error);
	for (uint32_t k = 0; !status && k < count; k++) {
		struct ptowsp_kernel_support *row = (void *)((char *)rows_out + (size_t)k * stride);

		if (is(JUDGES_BLINDLY))
			row->verdict = PTOWSP_SUPPORT_DEVICE;
		if (is(JUDGE_FORGETS))
			row->reason[0] = '\0';
		if (is(JUDGE_OVERFLOWS))
			memset(row + 1, 0x5a, 8);
	}
	return status;
}

static const void *wrong_extension(struct ptowsp_object *instance, const char *id)
{
	static const struct ptowsp_support_extension wrong = {.head = PTOWSP_HEAD(wrong, EXTENSION), .judge = wrong_judge};

	return !is(NOTHING_WRONG) && !strcmp(id, PTOWSP_EXTENSION_SUPPORT) && base_support_table(&backend, instance) ? &wrong : NULL;
}

BASE_OPS(narrow_ops, backend);
BASE_PLUGIN(narrow_ops, NAME, "tests", "1.0", NAME);
