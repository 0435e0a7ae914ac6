/* SPDX-License-Identifier: MIT */
#include "print/tasks_parts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/fail.h"
#include "format/format_names.h"

struct ptowsp_instruction print_c_instruction(const struct print_tasks *p, uint32_t at)
{
	return pkg_code_at(p->code, at);
}

void print_c_refuse(struct print_tasks *p, const char *format, ...)
{
	va_list list;

	if (p->why.code)
		return;
	p->why.code = PTOWSP_UNSUPPORTED;
	va_start(list, format);
	vsnprintf(p->why.text, sizeof(p->why.text), format, list);
	va_end(list);
}

void print_c_line(struct print_tasks *p, const char *format, ...)
{
	va_list list;

	for (uint32_t i = 0; i < p->depth; i++)
		print_add(&p->body, "\t");
	va_start(list, format);
	print_add_list(&p->body, format, list);
	va_end(list);
	print_add(&p->body, "\n");
}

/* --- the parts around the statements --- */

static const char *const units[] = {
#define X(NAME, code, text, pool) [code] = "PTOWSP_UNIT_" #NAME,
#include "ptowsp/unit.def"
#undef X
};
static const char *const dtypes[] = {
#define X(NAME, code, bytes, class, text, descr) [code] = "PTOWSP_" #NAME,
#include "ptowsp/dtype.def"
#undef X
};

const char *print_c_dtype(unsigned dtype)
{
	return dtypes[dtype];
}

static bool is_passed(const struct print_tasks *p, uint32_t slot)
{
	return p->slots[slot].used && !(p->t->slot[slot].flags & PTOWSP_SLOT_INTERNAL);
}

static void head_print(const struct print_tasks *p, struct print_text *text)
{
	print_add(text,
		  "/* %s as C, written by ptowsp-pack: its loops, branches and tasks as calls of the task API (plugins/rt/task_api.h), the same for\n"
		  " * every target of the kernels. Values are integers of 64 bits; compile with -fwrapv if they may be larger. */\n",
		  p->name);
	print_add(text, "#include \"rt/task_api.h\"\n\n/* The kernels: functions as ptowsp/task.h says. */\n");
	for (uint32_t i = 0; i < p->kernel_count; i++)
		if (p->first_of[p->functions->of_kernel[p->kernels[i]]] == i + 1)
			print_add(text, "extern ptowsp_status %s(const struct ptowsp_task *task, struct ptowsp_kernel_out *out);\n",
				  print_c_function(p, p->kernels[i]));
}

static void struct_print(const struct print_tasks *p, struct print_text *text)
{
	int values = 0;

	print_add(text,
		  "\nstruct %s_memory {\n\tvoid *data;\n\tuint64_t elements;\n};\n/* Data of the tasks: memory and values from the caller, the rest by "
		  "%s_begin. */\nstruct %s {\n\tstruct {\n",
		  p->name, p->name, p->name);
	for (uint32_t i = 0; i < p->order.count; i++)
		print_add(text, "\t\tstruct %s_memory %s; /* %s */\n", p->name, p->tensors[p->order.rows[i].row].name,
			  print_dtype(p->t->tensor[p->order.rows[i].row].dtype));
	print_add(text, "\t} memory;\n");
	for (uint32_t i = 0; i < p->slot_order.count; i++) {
		const uint32_t slot = p->slot_order.rows[i].row;

		if (is_passed(p, slot))
			print_add(text, "%s\t\tint64_t %s; /* %s%s */\n", values++ ? "" : "\tstruct {\n", p->slots[slot].name,
				  print_dtype(p->t->slot[slot].dtype),
				  p->t->slot[slot].dtype == PTOWSP_F32 || p->t->slot[slot].dtype == PTOWSP_F64 ? ": its bits" : "");
	}
	print_add(text, "%s\tstruct {\n\t\tuint32_t ", values ? "\t} value;\n" : "");
	values = 0;
	for (uint32_t i = 0; i < p->order.count; i++)
		print_add(text, "%s%s", values++ ? ", " : "", p->tensors[p->order.rows[i].row].name);
	print_add(text, "%s;\n\t} tensor; /* numbers of rt_tasks_tensor */\n\tstruct {\n\t\tuint32_t ", values ? "" : "none");
	values = 0;
	for (uint32_t i = 0; i < p->kernel_count; i++)
		print_add(text, "%s%s", values++ ? ", " : "", p->kernel_names[i]);
	if (p->copy[0])
		print_add(text, "%s%s", values++ ? ", " : "", p->copy);
	print_add(text, "%s;\n\t} kernel; /* numbers of rt_tasks_kernel */\n", values ? "" : "none");
	print_c_channels_declare(p, text);
	print_add(text, "};\n\n");
}

/* Text as C takes it between quotes. */
static const char *quoted_name(const char *name, char quoted[512])
{
	size_t at = 0;

	for (; *name && at < 500; name++) {
		const unsigned char c = (unsigned char)*name;

		if (c < ' ' || c > '~' || c == '"' || c == '\\' || c == '?')
			at += (size_t)snprintf(quoted + at, 5, "\\%03o", c);
		else
			quoted[at++] = (char)c;
	}
	quoted[at] = '\0';
	return quoted;
}

/* The value that rows are as long as. */
static void lengths_print(const struct print_tasks *p, struct print_text *text)
{
	for (uint32_t i = 0; i < p->slot_order.count; i++) {
		const uint32_t row = p->slot_order.rows[i].row;
		const struct print_c_slot *slot = &p->slots[row];

		if (!slot->in_length)
			continue;
		if (is_passed(p, row))
			print_add(text, "\tconst int64_t %s = o->value.%s;\n", slot->name, slot->name);
		else
			print_add(text, "\tconst int64_t %s = %" PRId64 ";\n", slot->name, (int64_t)p->t->slot[row].value);
	}
}

/* Rows and columns of a tensor, which end its call. */
static void matrix_print(struct print_tasks *p, struct print_text *text, const struct print_c_tensor *tensor)
{
	if (tensor->by_value) {
		print_add(text, "rows_of(o->memory.%s.elements, ", tensor->name);
		print_c_expr(p, text, tensor->length, PRINT_C_ANY);
		print_add(text, "), (uint64_t)(");
		print_c_expr(p, text, tensor->length, PRINT_C_ANY);
		print_add(text, "));\n");
	} else if (tensor->mixed && !tensor->blocks) {
		print_add(text, "1, o->memory.%s.elements);\n", tensor->name);
	} else if (tensor->columns <= 1) { /* 0: only its elements are read */
		print_add(text, "o->memory.%s.elements, 1);\n", tensor->name);
	} else {
		print_add(text, "o->memory.%s.elements / %" PRIu32 ", %" PRIu32 ");\n", tensor->name, tensor->columns, tensor->columns);
	}
}

static void begin_print(struct print_tasks *p, struct print_text *text)
{
	char quoted[512];

	if (p->rows)
		print_add(text, "/* Rows of so many elements; none where they have none. */\n"
				"static inline uint64_t rows_of(uint64_t elements, int64_t columns)\n{\n\treturn columns > 0 ? elements / (uint64_t)columns : "
				"0;\n}\n\n");
	print_add(text, "/* Makes kernels and tensors known, before a run%s.", p->rows ? "; rows are as long as the values say that are there then" : "");
	if (p->most_tensors > 16 || p->most_args > 16)
		print_add(text, " A task has up to %" PRIu32 " tensors and %" PRIu32 " arguments: say so in rt_tasks_config.", p->most_tensors, p->most_args);
	print_add(text, " */\nvoid %s_begin(struct rt_tasks *tasks, struct %s *o);\nvoid %s_begin(struct rt_tasks *tasks, struct %s *o)\n{\n", p->name, p->name,
		  p->name, p->name);
	lengths_print(p, text);
	for (uint32_t i = 0; i < p->kernel_count; i++) {
		const struct ptowsp_kernel_record *kernel = &p->t->kernel[p->kernels[i]];
		const struct print_function *function = &p->functions->rows[p->functions->of_kernel[p->kernels[i]]];
		const uint64_t workspace = print_c_workspace(p, function);

		print_add(text, "\to->kernel.%s = rt_tasks_kernel(tasks, \"%s\", %s, %s);\n", p->kernel_names[i],
			  quoted_name(pkg_string(p->t, kernel->name), quoted), units[kernel->unit], function->name);
		if (kernel->blockdim > 1)
			print_add(text, "\trt_tasks_kernel_blocks(tasks, o->kernel.%s, %" PRIu32 ");\n", p->kernel_names[i], kernel->blockdim);
		if (workspace)
			print_add(text, "\trt_tasks_kernel_workspace(tasks, o->kernel.%s, %" PRIu64 ");\n", p->kernel_names[i], workspace);
	}
	for (uint32_t i = 0; i < p->order.count; i++) {
		const struct print_c_tensor *tensor = &p->tensors[p->order.rows[i].row];

		print_add(text, "\to->tensor.%s = rt_tasks_tensor(tasks, \"%s\", o->memory.%s.data, %s, ", tensor->name, tensor->name, tensor->name,
			  dtypes[p->t->tensor[p->order.rows[i].row].dtype]);
		matrix_print(p, text, tensor);
	}
	if (p->copy[0])
		print_add(text, "\to->kernel.%s = rt_tasks_kernel(tasks, \"copy\", PTOWSP_UNIT_ANY, rt_tasks_copy);\n", p->copy);
	print_c_channels_begin(p, text);
	print_add(text, "}\n\n");
}

static void locals_print(const struct print_tasks *p, struct print_text *text)
{
	if (p->kernel_count || p->counts || p->copy[0] || p->pipeline)
		print_add(text, "\tuint64_t t = 0;\n");
	for (uint32_t i = 0; i < p->slot_order.count; i++) {
		const struct ptowsp_slot_record *record = &p->t->slot[p->slot_order.rows[i].row];
		const struct print_c_slot *slot = &p->slots[p->slot_order.rows[i].row];

		if (p->pipeline && is_passed(p, p->slot_order.rows[i].row))
			print_add(text, "\tv->%s = o->value.%s;\n", slot->name, slot->name);
		else if (p->pipeline)
			print_add(text, "\tv->%s = %" PRId64 ";\n", slot->name, record->flags & PTOWSP_SLOT_HAS_DEFAULT ? (int64_t)record->value : 0);
		else if (is_passed(p, p->slot_order.rows[i].row))
			print_add(text, "\t%sint64_t %s = o->value.%s;\n", slot->set ? "" : "const ", slot->name, slot->name);
		else
			print_add(text, "\tint64_t %s = %" PRId64 ";\n", slot->name, record->flags & PTOWSP_SLOT_HAS_DEFAULT ? (int64_t)record->value : 0);
		if (!p->pipeline && slot->set && !slot->used)
			print_add(text, "\t(void)%s;\n", slot->name);
	}
}

static void helpers_print(const struct print_tasks *p, struct print_text *text)
{
	if (p->divides)
		print_add(text, "/* Toward zero; the smallest number by -1 wraps. b is not 0. */\n"
				"static inline int64_t quotient(int64_t a, int64_t b)\n{\n\treturn b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;\n}\n\n"
				"static inline int64_t remainder_of(int64_t a, int64_t b)\n{\n\treturn b == -1 ? 0 : a %% b;\n}\n\n");
	if (p->floats)
		print_add(text,
			  "/* The bits of a float with that many bits of mantissa and of exponent, to nearest even; what is too large is infinite. */\n"
			  "static inline uint64_t float_bits(int64_t value, unsigned mantissa, unsigned exponent)\n{\n"
			  "\tconst uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value, bias = (UINT64_C(1) << (exponent - 1)) - 1;\n"
			  "\tconst uint64_t sign = value < 0 ? UINT64_C(1) << (mantissa + exponent) : 0, most = ((UINT64_C(1) << exponent) - 1) << mantissa;\n"
			  "\tunsigned top = 63;\n\tuint64_t bits, kept;\n\n\tif (!size)\n\t\treturn 0;\n\twhile (!(size >> top))\n\t\ttop--;\n"
			  "\tkept = size << (63 - top) << 1;\n\tbits = ((top + bias) << mantissa) + (kept >> (64 - mantissa));\n\tkept <<= mantissa;\n"
			  "\tbits += kept > UINT64_C(1) << 63 || (kept == UINT64_C(1) << 63 && (bits & 1));\n"
			  "\treturn sign | (bits < most ? bits : most);\n}\n\n");
	if (p->parts)
		print_add(text,
			  "/* So many of the tile's rows or columns are there; 0, which no region has, where that is none, or more than it has. */\n"
			  "static inline uint32_t part_of(int64_t there, uint32_t all)\n{\n\treturn there < 1 || there > all ? 0 : (uint32_t)there;\n}\n\n");
	if (p->orders)
		print_add(text, "static inline int64_t smaller(int64_t a, int64_t b)\n{\n\treturn a < b ? a : b;\n}\n\n"
				"static inline int64_t larger(int64_t a, int64_t b)\n{\n\treturn a > b ? a : b;\n}\n\n");
}

/* Values that processes share, and their functions. */
static void processes_print(const struct print_tasks *p, struct print_text *text)
{
	if (!p->pipeline)
		return;
	print_add(text, "/* What processes share. */\nstruct %s_run {\n\tconst struct %s *o;\n", p->name, p->name);
	for (uint32_t i = 0; i < p->slot_order.count; i++)
		print_add(text, "\tint64_t %s;\n", p->slots[p->slot_order.rows[i].row].name);
	print_add(text, "};\n\n%s", common_text_view(&p->processes.out));
}

static void all_print(struct print_tasks *p, struct print_text *text)
{
	head_print(p, text);
	struct_print(p, text);
	begin_print(p, text);
	helpers_print(p, text);
	processes_print(p, text);
	print_add(text,
		  "/* The orchestration function of rt_tasks_run; context is the struct. */\n"
		  "ptowsp_status %s(struct rt_tasks *tasks, void *context);\nptowsp_status %s(struct rt_tasks *tasks, void *context)\n{\n"
		  "\tconst struct %s *o = context;\n",
		  p->name, p->name, p->name);
	if (p->pipeline)
		print_add(text, "\tstruct %s_run run = {.o = o}, *v = &run;\n", p->name);
	locals_print(p, text);
	if (p->pipeline)
		print_c_processes_run(p, text);
	else
		print_add(text, "\n%s%s\treturn PTOWSP_OK;\n}\n", common_text_view(&p->body.out),
			  p->kernel_count || p->copy[0] ? "" : "\t(void)tasks;\n\t(void)o;\n");
}

/* --- all of it --- */

/* Operands are earlier rows: one pass. */
static void exprs_look(struct print_tasks *p)
{
	for (uint32_t i = 0; i < p->t->expr_count; i++) {
		const struct ptowsp_expr_record *r = &p->t->expr[i];
		const uint32_t operands[3] = {r->a, r->b, r->c};
		const int is_symbol = r->op == PTOWSP_EXPR_VALUE && p->t->slot[r->a].kind == PTOWSP_SLOT_SYMBOL;
		const int adds = r->op == PTOWSP_EXPR_ADD || r->op == PTOWSP_EXPR_SUB || r->op == PTOWSP_EXPR_MUL;

		if (r->op == PTOWSP_EXPR_TASK || (r->op == PTOWSP_EXPR_VALUE && !is_symbol))
			p->exprs[i] = PRINT_C_CHANGES;
		for (unsigned k = 0; k < pkg_expr_operands(r->op); k++)
			p->exprs[i] |= p->exprs[operands[k]] & PRINT_C_CHANGES;
		if (r->op == PTOWSP_EXPR_CONST || is_symbol || (adds && p->exprs[r->a] & p->exprs[r->b] & PRINT_C_STEADY))
			p->exprs[i] |= PRINT_C_STEADY;
		p->counts |= r->op == PTOWSP_EXPR_TASK;
	}
}

struct print_tasks *print_tasks_create(const struct pkg_code *code, const struct print_functions *functions)
{
	const struct pkg_tables *t = pkg_tables(pkg_code_package(code));
	struct print_tasks *p = calloc(1, sizeof(*p));
	struct common_names channels = {0};
	bool ranked;

	if (!p)
		return NULL;
	*p = (struct print_tasks){.package = pkg_code_package(code), .code = code, .t = t, .functions = functions, .work = *pkg_code_header(code)};
	p->kernels = calloc((size_t)t->kernel_count + 1, sizeof(*p->kernels));
	p->kernel_names = calloc((size_t)t->kernel_count + 1, sizeof(*p->kernel_names));
	p->kernel_at = calloc((size_t)t->kernel_count + 1, sizeof(*p->kernel_at));
	p->first_of = calloc((size_t)t->kernel_count + 1, sizeof(*p->first_of));
	p->tensors = calloc((size_t)t->tensor_count + 1, sizeof(*p->tensors));
	p->reach = calloc((size_t)t->kernel_count + 1, sizeof(*p->reach));
	p->slots = calloc((size_t)t->slot_count + 1, sizeof(*p->slots));
	p->channels = calloc((size_t)t->channel_count + 1, sizeof(*p->channels));
	p->extents = calloc((size_t)t->axis_count + 1, sizeof(*p->extents));
	p->payloads = calloc((size_t)t->channel_count + 1, sizeof(*p->payloads));
	p->exprs = calloc((size_t)t->expr_count + 1, sizeof(*p->exprs));
	p->seen = calloc((size_t)t->expr_count + 1, sizeof(*p->seen));
	ranked = pkg_ranks_init(&p->order, t->tensor_count);
	ranked = pkg_ranks_init(&p->slot_order, t->slot_count) && ranked; /* both, because both are finished */
	if (!ranked || !p->kernels || !p->kernel_names || !p->kernel_at || !p->first_of || !p->tensors || !p->reach || !p->slots || !p->exprs || !p->seen ||
	    !p->channels || !p->payloads) {
		print_tasks_destroy(p);
		return NULL;
	}
	exprs_look(p);
	for (uint32_t i = 0; i < t->channel_count; i++) {
		print_c_name(p->channels[i], pkg_string(t, t->channel[i].name));
		ranked = common_names_choose(&channels, p->channels[i], PRINT_C_NAME, "_") && ranked;
	}
	common_names_finish(&channels);
	if (ranked)
		return p;
	print_tasks_destroy(p);
	return NULL;
}

void print_tasks_destroy(struct print_tasks *p)
{
	for (uint32_t i = 0; p && p->reach && i < p->t->kernel_count; i++)
		free(p->reach[i]);
	if (!p)
		return;
	free(p->reach);
	free(p->kernels);
	free(p->kernel_names);
	free(p->kernel_at);
	free(p->first_of);
	free(p->tensors);
	free(p->slots);
	free(p->exprs);
	free(p->channels);
	free(p->payloads);
	free(p->extents);
	free(p->seen);
	pkg_ranks_finish(&p->order);
	pkg_ranks_finish(&p->slot_order);
	free(p);
}

static void entry_end(struct print_tasks *p)
{
	for (uint32_t i = 0; i < p->kernel_count; i++)
		p->kernel_at[p->kernels[i]] = p->first_of[p->functions->of_kernel[p->kernels[i]]] = 0;
	for (uint32_t i = 0; i < p->order.count; i++)
		p->tensors[p->order.rows[i].row] = (struct print_c_tensor){.used = 0};
	for (uint32_t i = 0; i < p->slot_order.count; i++)
		p->slots[p->slot_order.rows[i].row] = (struct print_c_slot){.used = 0};
	for (uint32_t i = 0; i < p->t->axis_count; i++)
		p->extents[i] = (struct ptowsp_instruction){0};
	p->order.count = p->slot_order.count = 0;
	common_names_finish(&p->names);
	common_names_finish(&p->named);
	print_text_finish(&p->body);
	print_text_finish(&p->processes);
	*p = (struct print_tasks){.package = p->package,
				  .code = p->code,
				  .t = p->t,
				  .functions = p->functions,
				  .work = p->work,
				  .counts = p->counts,
				  .kernels = p->kernels,
				  .kernel_names = p->kernel_names,
				  .kernel_at = p->kernel_at,
				  .first_of = p->first_of,
				  .tensors = p->tensors,
				  .reach = p->reach,
				  .slots = p->slots,
				  .exprs = p->exprs,
				  .channels = p->channels,
				  .payloads = p->payloads,
				  .extents = p->extents,
				  .seen = p->seen,
				  .walk = p->walk,
				  .order = p->order,
				  .slot_order = p->slot_order};
}

static void body_make(struct print_tasks *p)
{
	const uint32_t first = p->t->entry[p->entry].instruction;

	p->pipeline = (p->t->entry[p->entry].flags & PTOWSP_ENTRY_PIPELINE) != 0;
	for (int pass = 0; pass < 2; pass++) {
		p->first_pass = !pass;
		print_text_finish(&p->body);
		print_text_finish(&p->processes);
		p->depth = 1;
		print_c_block(p, first, p->work.num_instructions);
		print_c_processes_make(p);
		p->no_memory |= !pass && !print_c_names_make(p);
	}
}

ptowsp_status print_tasks_entry(struct print_tasks *p, uint32_t entry, char **text_out, struct ptowsp_error *error)
{
	struct print_text text = {0};
	const char *name = pkg_string(p->t, p->t->entry[entry].name);
	ptowsp_status status;

	*text_out = NULL;
	p->entry = entry;
	p->name = p->functions->entries[entry];
	p->why.head = (struct ptowsp_head)PTOWSP_HEAD(struct ptowsp_error, ERROR);
	body_make(p);
	if (!p->body.out.failed && !p->no_memory && !p->why.code)
		all_print(p, &text);
	status = p->body.out.failed || p->no_memory || text.out.failed ? PTOWSP_NO_MEMORY : p->why.code;
	if (status == PTOWSP_UNSUPPORTED)
		pkg_fail(error, status, "%.80s is not written as C: %.400s", name, p->why.text);
	if (status == PTOWSP_NO_MEMORY)
		pkg_fail(error, status, "no memory to write %.80s as C", name);
	if (!status)
		*text_out = text.out.bytes;
	else
		print_text_finish(&text);
	entry_end(p);
	return status;
}
