/* SPDX-License-Identifier: MIT */
/* function_rows.c - functions as kernels and entries, and their memrefs as tensors. */
#include "lang/lang_lower.h"
#include "lang/lang_rows.h"

/* The execution unit of a kernel whose source does not say one: whichever pool is free first. */
#define KERNEL_UNIT PTOWSP_UNIT_ANY

void lang_functions_declare(struct lang_lower *lower, struct lang_rows *kernels, struct lang_rows *entries)
{
	for (struct lang_function *f = lower->module->first; f; f = f->next) {
		lang_row_add(lower, entries, f->name)->function = f;
		if (f->kind == LANG_INCORE)
			lang_row_add(lower, kernels, f->name)->function = f;
	}
	lang_rows_sort(lower, kernels);
	lang_rows_sort(lower, entries);
	for (uint32_t i = 0; i < entries->count; i++)
		if (entries->rows[i].function)
			entries->rows[i].function->entry = i;
	for (uint32_t i = 0; i < kernels->count; i++)
		if (kernels->rows[i].function)
			kernels->rows[i].function->kernel = i;
}

void lang_tensors_write(struct lang_lower *lower)
{
	static const uint8_t roles[] = {[0] = PTOWSP_ROLE_IN,
					[PTOWSP_READ] = PTOWSP_ROLE_IN,
					[PTOWSP_WRITE] = PTOWSP_ROLE_OUT,
					[PTOWSP_READ | PTOWSP_WRITE] = PTOWSP_ROLE_INOUT};
	struct lang_rows *tensors = lang_rows_of(lower, PTOWSP_SECTION_TENS);

	for (struct lang_function *f = lower->module->first; f; f = f->next)
		for (uint32_t i = 0; i < f->memref_count; i++) {
			struct lang_row *row =
				lang_row_add(lower, tensors, lang_format(&lower->unit->arena, "%s.%s", f->name, f->memrefs[i]->name));

			row->function = f;
			row->var = f->memrefs[i];
		}
	lang_rows_sort(lower, tensors);
	for (uint32_t i = 0; i < tensors->count; i++) {
		const struct lang_row *row = &tensors->rows[i];
		struct ptowsp_tensor_record record = {.id = row->id, .flags = PTOWSP_TENSOR_SHAPELESS};

		if (row->decl) {
			lang_decl_forms[row->decl->kind].write(lower, row->decl);
			continue;
		}
		if (lang_row_made(lower, row))
			continue;
		record.name = pkg_writer_string(lower->writer, row->name);
		record.dtype = row->var->type.dtype;
		record.role = roles[row->var->access];
		record.location = row->var->type.space;
		record.entry = row->function->entry;
		record.position = row->var->number;
		pkg_writer_row(lower->writer, PTOWSP_SECTION_TENS, &record, sizeof(record));
		row->function->tensors[row->var->number] = i;
	}
}

static uint32_t params_write(struct lang_lower *lower, const struct lang_function *f)
{
	uint32_t first = pkg_writer_count(lower->writer, PTOWSP_SECTION_KPRM);

	for (uint32_t i = 0; i < f->memref_count; i++) {
		const struct lang_var *memref = f->memrefs[i];
		struct ptowsp_param_record record = {.name = pkg_writer_string(lower->writer, memref->name),
						     .kind = PTOWSP_PARAM_TENSOR,
						     .dtype = memref->type.dtype,
						     .access = memref->access,
						     .rows = memref->rows,
						     .columns = memref->columns};

		pkg_writer_row(lower->writer, PTOWSP_SECTION_KPRM, &record, sizeof(record));
	}
	for (uint32_t i = 0; i < f->need_count; i++) {
		struct ptowsp_param_record record = {.name = pkg_writer_string(lower->writer, f->needs[i]->name),
						     .kind = PTOWSP_PARAM_SCALAR,
						     .dtype = f->needs[i]->type.dtype};

		pkg_writer_row(lower->writer, PTOWSP_SECTION_KPRM, &record, sizeof(record));
	}
	return first;
}

static uint32_t payload_write(struct lang_lower *lower, struct lang_function *f)
{
	struct ptowsp_payload_record record = {.kind = PTOWSP_PAYLOAD_PTO, .unit = KERNEL_UNIT};
	size_t size;
	const void *payload;

	if (f->payload) /* of another kernel with the same body */
		return f->payload - 1;
	payload = lang_kernel_encode(lower, f, &size);

	record.offset = pkg_writer_bytes(lower->writer, PTOWSP_SECTION_CODE, payload, size, 64);
	record.size = size;
	f->payload = pkg_writer_row(lower->writer, PTOWSP_SECTION_KPAY, &record, sizeof(record)) + 1;
	return f->payload - 1;
}

static uint32_t variants_write(struct lang_lower *lower, const struct lang_function *f, uint32_t *count_out)
{
	uint32_t first = pkg_writer_count(lower->writer, PTOWSP_SECTION_KVAR);

	*count_out = 0;
	for (uint32_t i = 0; i < f->variant_count; i++) {
		struct ptowsp_variant_record record = {.rows = f->variants[i].rows};

		if (!f->variants[i].function)
			continue;
		record.kernel = f->variants[i].function->kernel;
		pkg_writer_row(lower->writer, PTOWSP_SECTION_KVAR, &record, sizeof(record));
		++*count_out;
	}
	return first;
}

void lang_kernel_rows(struct lang_lower *lower, struct lang_function *f, struct ptowsp_kernel_record *record)
{
	record->params = params_write(lower, f);
	record->param_count = f->memref_count + f->need_count;
	record->payloads = payload_write(lower, f);
	record->payload_count = 1;
}

static void kernel_write(struct lang_lower *lower, struct lang_function *f, uint64_t id)
{
	struct ptowsp_kernel_record record = {.id = id, .name = pkg_writer_string(lower->writer, f->name), .unit = KERNEL_UNIT};

	lang_kernel_rows(lower, f, &record);
	record.variants = variants_write(lower, f, &record.variant_count);
	pkg_writer_row(lower->writer, PTOWSP_SECTION_KREG, &record, sizeof(record));
}

void lang_kernels_write(struct lang_lower *lower, const struct lang_rows *kernels)
{
	for (uint32_t i = 0; i < kernels->count; i++) {
		if (lang_row_made(lower, &kernels->rows[i])) {
			continue;
		} else if (kernels->rows[i].decl) {
			lang_decl_forms[kernels->rows[i].decl->kind].write(lower, kernels->rows[i].decl);
			lang_debug_add(lower, 1, i, kernels->rows[i].decl->at);
		} else {
			kernel_write(lower, kernels->rows[i].function, kernels->rows[i].id);
			lang_debug_add(lower, 1, i, kernels->rows[i].function->at);
		}
	}
}
