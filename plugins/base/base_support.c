/* SPDX-License-Identifier: MIT */
#include "base_support.h"

#include "backend.h"
#include "error.h"
#include "program.h"
#include "select.h"
#include <string.h>

void base_support_init(struct base_support *support, const struct base_backend *backend, const struct base_options *options, const struct base_model *model)
{
	support->backend = backend;
	support->options = options;
	support->model = model;
	common_tile_rows_find(&support->rows, support->caps, base_caps(backend, options, model, support->caps), sizeof(*support->caps));
}

#if PTOWSP_ABI_TARGET >= 1
#include "ptowsp/support.h"

/* Verdict by rows alone: the device, or why not. */
static void rows_judge(const struct base_support *support, const struct base_kernel *kernel, struct ptowsp_kernel_support *row)
{
	struct common_tile_lack lack;

	row->verdict = PTOWSP_SUPPORT_DEVICE;
	if (!common_tile_lacks(&support->rows, kernel->payload, kernel->payload_size, &lack))
		return;
	row->verdict = lack.state || support->backend->processor ? PTOWSP_SUPPORT_HOST : PTOWSP_SUPPORT_NO;
	row->opcode = lack.op;
	row->dtype = lack.dtype;
	row->line = lack.line;
	base_text(row->reason, sizeof(row->reason), "%s", lack.text);
}

static struct ptowsp_kernel_support kernel_judge(const struct base_support *support, const struct base_kernel *kernel)
{
	struct ptowsp_kernel_support row = {.payload = UINT16_MAX, .opcode = PTOWSP_NONE, .dtype = PTOWSP_NONE};

	if (!kernel->isa || kernel->ref.fn) /* functions of this process answer for themselves, and a kernel that nothing serves is no question of support */
		return row;
	row.payload = kernel->payload_number < UINT16_MAX ? (uint16_t)kernel->payload_number : UINT16_MAX;
	if (*kernel->why) {
		row.verdict = PTOWSP_SUPPORT_NO;
		base_text(row.reason, sizeof(row.reason), "%s", isa_program_unusable(kernel->isa));
		return row;
	}
	rows_judge(support, kernel, &row);
	if (support->backend->judge)
		support->backend->judge(support->options, support->model, kernel, &row);
	return row;
}

void base_support_apply(const struct base_support *support, struct base_kernel *kernel, struct base_sections *sections, uint32_t row)
{
	const struct ptowsp_kernel_support told = kernel_judge(support, kernel);

	kernel->processor = told.verdict == PTOWSP_SUPPORT_HOST;
	if (told.verdict == PTOWSP_SUPPORT_NO && !*kernel->why)
		base_why_set(kernel, sections, row, told.reason);
}

/* Trusted native code may run in place of the portable payload: loading it shows. */
static bool brings_native(const struct base_sections *sections, uint32_t k)
{
	struct ptowsp_kernel_record record;
	struct ptowsp_payload_record payload;
	bool native = false;

	if (base_sections_row(&sections->kreg, k, &record, sizeof(record), NULL))
		return false;
	for (uint32_t i = 0; i < record.payload_count && !native; i++)
		native = !base_sections_row(&sections->kpay, (uint64_t)record.payloads + i, &payload, sizeof(payload), NULL) &&
			 payload.kind == PTOWSP_PAYLOAD_ELF;
	return native;
}

/* Writes what the caller has room for. */
static ptowsp_status row_judge(const struct base_support *support, const struct base_instance *instance, struct base_sections *sections, uint32_t k,
			       uint32_t flags, void *row_out, uint32_t stride, struct ptowsp_error *error)
{
	struct base_kernel kernel = {.name = ""};
	struct ptowsp_kernel_support row = {.payload = UINT16_MAX, .opcode = PTOWSP_NONE, .dtype = PTOWSP_NONE};
	ptowsp_status status = base_select(&kernel, instance, sections, k, flags & ~(uint32_t)PTOWSP_LOAD_TRUST_NATIVE, error);

	if (!status && !(flags & PTOWSP_LOAD_TRUST_NATIVE && brings_native(sections, k)))
		row = kernel_judge(support, &kernel);
	isa_program_destroy(kernel.isa);
	memcpy(row_out, &row, stride < sizeof(row) ? stride : sizeof(row));
	return status;
}

static ptowsp_status judge(struct ptowsp_object *object, const char *device, const struct ptowsp_load_args *args, struct ptowsp_kernel_support *rows_out,
			   uint32_t stride, uint32_t count, struct ptowsp_error *error)
{
	const struct base_instance *instance = (const void *)object;
	const struct base_model *model;
	struct base_support support;
	struct base_sections sections;
	ptowsp_status status = base_load_args_check(instance, args, error);

	if (!status)
		status = base_model_find(instance->backend, instance->options, device, &model, error);
	if (status)
		return status;
	base_sections_find(&sections, args);
	if (stride < PTOWSP_KERNEL_SUPPORT_FLOOR_10_1 || count != sections.kreg.count)
		return base_fail(error, PTOWSP_INVALID, "judge: %u rows of %u bytes for %llu kernels; a row each, of at least %u", count, stride,
				 (unsigned long long)sections.kreg.count, PTOWSP_KERNEL_SUPPORT_FLOOR_10_1);
	base_support_init(&support, instance->backend, instance->options, model);
	for (uint32_t k = 0; k < count && !status; k++)
		status = row_judge(&support, instance, &sections, k, args->flags, (char *)rows_out + (size_t)k * stride, stride, error);
	return status;
}

const void *base_support_table(const struct base_backend *backend, const struct ptowsp_object *instance)
{
	static const struct ptowsp_support_extension table = {.head = PTOWSP_HEAD(table, EXTENSION), .judge = judge};

	return (backend->judge || backend->processor) && base_minor_of(instance) >= 1 ? &table : NULL;
}
#else /* headers of 10.0 have no such rows */
void base_support_apply(const struct base_support *support, struct base_kernel *kernel, struct base_sections *sections, uint32_t row)
{
	(void)support, (void)kernel, (void)sections, (void)row;
}

const void *base_support_table(const struct base_backend *backend, const struct ptowsp_object *instance)
{
	(void)backend, (void)instance;
	return NULL;
}
#endif
