/* SPDX-License-Identifier: MIT */
/* declare.c - declarations around functions: values, tensors, axes, kernels. */
#include "print/print_work.h"

#include "format/format_names.h"
#include "format/json/base64.h"
#include "lang/parse/parse.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* --- values --- */

static bool default_add(struct print_text *text, const struct ptowsp_slot_record *slot)
{
	char number[40];

	if (!(slot->flags & PTOWSP_SLOT_HAS_DEFAULT))
		return true;
	if (!print_number(number, slot->value, slot->dtype))
		return false;
	print_add(text, " = %s", number);
	return true;
}

void print_values(const struct print_job *job, struct print_text *text)
{
	for (uint32_t i = 0; i < job->t->slot_count; i++) {
		const struct ptowsp_slot_record *slot = &job->t->slot[i];
		const char *name = print_string(job, slot->name);

		if (!print_is_declared(job, i))
			continue;
		print_add(text, "%s %%%s : %s", slot->kind == PTOWSP_SLOT_SYMBOL ? "symbol" : "slot", name, print_dtype(slot->dtype));
		if (!lang_name_is_plain(name) || !default_add(text, slot)) {
			print_end(text);
			print_inexpressible(text, 0, "the name or the value of \"%.80s\"", name);
		} else {
			print_end(text);
		}
	}
	for (uint32_t i = 0; i < job->t->event_count; i++) {
		if (job->made.events[i])
			continue;
		print_add(text, "event %%%s", print_string(job, job->t->event[i].name));
		print_end(text);
	}
}

/* --- tensors --- */

/* "S(0)" or "R" of dimension i of a layout that stands there, the words around it, too. */
static void dim_add(struct print_text *text, uint32_t i, int sharded, uint32_t mesh_axis)
{
	print_add(text, "%s", i ? ", " : " layout(");
	if (sharded)
		print_add(text, "S(%u)", mesh_axis);
	else
		print_add(text, "R");
}

static void layout_add(const struct print_job *job, struct print_text *text, const struct ptowsp_tensor_record *tensor)
{
	const struct ptowsp_dim_record *dims = job->t->dim + tensor->dims;
	int stated = (tensor->flags & PTOWSP_TENSOR_REPLICATED) != 0;

	for (uint32_t i = 0; i < tensor->dim_count; i++)
		stated |= dims[i].distribution || dims[i].mesh_axis;
	for (uint32_t i = 0; i < tensor->dim_count && stated; i++)
		dim_add(text, i, dims[i].distribution, dims[i].mesh_axis);
	print_add(text, "%s", stated ? ")" : "");
}

/* " mem(blocked(16, 16) swizzle 3)" */
static void memory_add(struct print_text *text, const struct ptowsp_memory_record *m)
{
	char order[PKG_MEMORY_TEXT];

	if (!m)
		return;
	pkg_memory_text(m, order);
	print_add(text, " %s", order);
}

static void tensor_print(struct print_job *job, struct print_text *text, const struct ptowsp_tensor_record *tensor)
{
	struct print_work work = {.job = job, .text = text};
	const char *name = print_string(job, tensor->name), *role = pkg_word(PKG_WORDS_role, tensor->role);

	if (!lang_name_is_plain(name) || tensor->flags & PTOWSP_TENSOR_SHAPELESS || !tensor->dim_count) {
		print_inexpressible(text, 0, "the tensor \"%.80s\" of no function and without a shape", name);
		return;
	}
	print_add(text, "tensor %%%s : %s[", name, print_dtype(tensor->dtype));
	for (uint32_t i = 0; i < tensor->dim_count; i++) {
		print_add(text, "%s", i ? ", " : "");
		print_expr(&work, job->t->dim[tensor->dims + i].extent);
	}
	print_add(text, "] %s", role);
	if (tensor->location != PTOWSP_SPACE_GM)
		print_add(text, " @%s", print_space(tensor->location));
	if (tensor->alignment)
		print_add(text, " align %lu", (unsigned long)tensor->alignment);
	layout_add(job, text, tensor);
	memory_add(text, pkg_tensor_memory(job->t, (uint32_t)(tensor - job->t->tensor)));
	print_line_end(&work, PTOWSP_NONE);
}

void print_tensors(struct print_job *job, struct print_text *text)
{
	const struct pkg_tables *t = job->t;

	for (uint64_t position = 0, next = 0; next <= UINT32_MAX; position = next) {
		next = UINT64_MAX;
		for (uint32_t i = 0; i < t->tensor_count; i++) {
			const struct ptowsp_tensor_record *tensor = &t->tensor[i];

			if (tensor->entry != PTOWSP_NONE || job->made.tensors[i])
				continue;
			if (tensor->position == position) /* several where a package was not made from source */
				tensor_print(job, text, tensor);
			else if (tensor->position > position && tensor->position < next)
				next = tensor->position;
		}
	}
}

/* --- axes whose rows are values --- */

static void list_add(const struct print_job *job, struct print_text *text, uint32_t first, uint32_t count, int lengths)
{
	const struct ptowsp_axis_value_record *values = job->t->axis_value + first;

	print_add(text, "[");
	for (uint32_t i = 0; i < count; i++)
		print_add(text, "%s%lld", i ? ", " : "", (long long)(lengths ? values[i + 1].value - values[i].value : values[i].value));
	print_add(text, "]");
}

static void stated_print(struct print_job *job, struct print_text *text, uint32_t row)
{
	struct print_work work = {.job = job, .text = text};

	print_add(text, "axis ");
	print_axis_name(job, text, row);
	print_add(text, " = ");
	print_axis(&work, row);
	print_line_end(&work, PTOWSP_NONE);
}

void print_axes(struct print_job *job, struct print_text *text)
{
	const struct pkg_tables *t = job->t;

	for (uint32_t i = 0; i < t->axis_count; i++) {
		const struct ptowsp_axis_record *axis = &t->axis[i];
		uint32_t rows = t->expr[axis->high].b, seen = 0;

		if (job->stated[i] && !axis->count)
			stated_print(job, text, i);

		while (seen < i && (t->axis[seen].first != axis->first || !t->axis[seen].count))
			seen++;
		if (!axis->count || seen < i)
			continue;
		print_add(text, "axis %%%s_axis%lu = ", job->helper, (unsigned long)axis->first);
		if (axis->kind == PTOWSP_AXIS_RAGGED) {
			print_add(text, "ragged(%lu, ", (unsigned long)rows);
			list_add(job, text, axis->first, rows, 1);
		} else {
			print_add(text, "sparse(");
			list_add(job, text, axis->first, rows + 1, 0);
			print_add(text, ", ");
			list_add(job, text, axis->first + rows + 1, axis->count - rows - 1, 0);
		}
		print_add(text, ")");
		print_end(text);
	}
}

/* --- kernels --- */

static void params_add(const struct print_job *job, struct print_text *text, const struct ptowsp_kernel_record *kernel)
{
	for (uint32_t i = 0; i < kernel->param_count; i++) {
		const struct ptowsp_param_record *p = &job->t->param[kernel->params + i];
		const struct ptowsp_param_layout_record *dims;
		struct ptowsp_memory_record memory;
		uint32_t rank;
		int ordered;

		print_add(text, "%s%%%s: %s", i ? ", " : "", print_string(job, p->name), print_dtype(p->dtype));
		if (p->kind == PTOWSP_PARAM_SCALAR)
			continue;
		dims = pkg_param_layout(job->t, kernel->params + i, &rank);
		ordered = pkg_param_memory(job->t, kernel->params + i, &memory);
		if (!p->rows || !p->columns)
			print_add(text, "[]");
		else if (p->rows == 1 && (rank == 1 || (ordered && memory.stride0 && !memory.stride1)))
			print_add(text, "[%lu]", (unsigned long)p->columns);
		else
			print_add(text, "[%lu, %lu]", (unsigned long)p->rows, (unsigned long)p->columns);
		print_add(text, " %s", lang_access_text(p->access));
		for (uint32_t d = 0; d < rank; d++)
			dim_add(text, d, dims[d].distribution, dims[d].mesh_axis);
		print_add(text, "%s", rank ? ")" : "");
		memory_add(text, ordered ? &memory : NULL);
	}
}

/* The InCore function whose code the payload is; NULL: none. */
static const char *function_of(const struct print_job *job, const struct ptowsp_payload_record *payload)
{
	const struct pkg_tables *t = job->t;

	for (uint32_t e = 0; e < t->entry_count; e++) {
		const struct ptowsp_kernel_record *k;
		const struct ptowsp_payload_record *own;

		if (!(t->entry[e].flags & PTOWSP_ENTRY_KERNEL))
			continue;
		k = &t->kernel[t->entry[e].instruction];
		own = k->payload_count == 1 ? &t->payload[k->payloads] : NULL;
		if (own && own->size == payload->size && !memcmp(t->code + own->offset, t->code + payload->offset, (size_t)own->size))
			return print_string(job, k->name);
	}
	return NULL;
}

/* unit: the kernel's */
static void payload_print(const struct print_job *job, struct print_text *text, const struct ptowsp_payload_record *p, unsigned unit)
{
	static const char *const words[] = {
		[PTOWSP_PAYLOAD_PTO] = "portable", [PTOWSP_PAYLOAD_ELF] = "native", [PTOWSP_PAYLOAD_IMAGE] = "image", [PTOWSP_PAYLOAD_SOURCE] = "source"};
	const char *function = p->kind == PTOWSP_PAYLOAD_PTO ? function_of(job, p) : NULL, *entry = print_string(job, p->entry);

	print_indent(text, 1);
	if (function) {
		print_add(text, "portable @%s", function);
	} else if (p->kind > PTOWSP_PAYLOAD_SOURCE) {
		print_inexpressible(text, 0, "a payload of kind %u", p->kind);
		return;
	} else {
		char *bytes = pkg_base64_write(job->t->code + p->offset, (size_t)p->size);
		const char *target = p->kind == PTOWSP_PAYLOAD_PTO ? "" : print_string(job, p->target);

		print_add(text, "%s%s%s base64 \"%s\"", words[p->kind], *target ? " " : "", target, bytes ? bytes : "");
		if (*entry)
			print_add(text, " \"%s\"", entry);
		text->out.failed |= !bytes;
		free(bytes);
	}
	if (p->entry_offset)
		print_add(text, " at %llu", (unsigned long long)p->entry_offset);
	if (p->unit != unit)
		print_add(text, " on %s", pkg_word(PKG_WORDS_unit, p->unit));
	if (p->cycles)
		print_add(text, " cycles %llu", (unsigned long long)p->cycles);
	if (p->workspace)
		print_add(text, " workspace %llu", (unsigned long long)p->workspace);
	print_end(text);
}

static void kernel_print(const struct print_job *job, struct print_text *text, uint32_t row)
{
	const struct ptowsp_kernel_record *k = &job->t->kernel[row];
	const char *signature = print_string(job, k->signature);

	print_end(text);
	print_add(text, "kernel @%s(", print_string(job, k->name));
	params_add(job, text, k);
	print_add(text, ")");
	if (k->unit)
		print_add(text, " on %s", pkg_word(PKG_WORDS_unit, k->unit));
	if (k->blockdim)
		print_add(text, " blockdim %lu", (unsigned long)k->blockdim);
	if (k->workspace)
		print_add(text, " workspace %llu", (unsigned long long)k->workspace);
	if (*signature)
		print_add(text, " sig \"%s\"", signature);
	if (*print_string(job, k->symbol))
		print_add(text, " function \"%s\"", print_string(job, k->symbol));
	for (uint32_t i = 0; i < k->variant_count; i++)
		print_add(text, " variant %lu @%s", (unsigned long)job->t->variant[k->variants + i].rows,
			  print_string(job, job->t->kernel[job->t->variant[k->variants + i].kernel].name));
	print_add(text, "%s%s", k->flags & PTOWSP_KERNEL_MEASURED ? " measured" : "", k->payload_count ? " {" : "");
	print_end_of(job, text, 1, row);
	for (uint32_t i = 0; i < k->payload_count; i++)
		payload_print(job, text, &job->t->payload[k->payloads + i], k->unit);
	if (k->payload_count) {
		print_add(text, "}");
		print_end(text);
	}
}

/* Prints the kernels that are no InCore function: no entry is one task of them. */
void print_kernels(const struct print_job *job, struct print_text *text)
{
	const struct pkg_tables *t = job->t;
	uint8_t *function = calloc((size_t)t->kernel_count + 1, 1);

	for (uint32_t e = 0; function && e < t->entry_count; e++)
		if (t->entry[e].flags & PTOWSP_ENTRY_KERNEL)
			function[t->entry[e].instruction] = 1;
	for (uint32_t k = 0; function && k < t->kernel_count; k++)
		if (!function[k] && !job->made.kernels[k])
			kernel_print(job, text, k);
	text->out.failed |= !function;
	free(function);
}
