/* SPDX-License-Identifier: MIT */
/* emit_kernels.c - kernels of a package as rows of the templates and as files, and what they touch. */
#include "ascend/emit/ascend_emit_state.h"

#include "isa/emit/emit.h"
#include "ptowsp/exec.h"
#include "rt/program/dtype.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *scalar_type(unsigned dtype)
{
	static const char *const types[] = {
		[PTOWSP_F32] = "float",   [PTOWSP_F64] = "double",   [PTOWSP_I8] = "int8_t",    [PTOWSP_I16] = "int16_t",  [PTOWSP_I32] = "int32_t",
		[PTOWSP_I64] = "int64_t", [PTOWSP_U8] = "uint8_t",   [PTOWSP_U16] = "uint16_t", [PTOWSP_U32] = "uint32_t", [PTOWSP_U64] = "uint64_t",
		[PTOWSP_BOOL] = "bool",   [PTOWSP_F16] = "uint16_t", [PTOWSP_BF16] = "uint16_t"};

	return dtype < sizeof(types) / sizeof(*types) && types[dtype] ? types[dtype] : "uint64_t";
}

/* Scalars of a kernel, in a list of the row. */
static void scalars_put(struct ascend_rows *rows, struct ascend_rows *scalars, const struct rt_tables *t, const struct ptowsp_kernel_record *kernel)
{
	struct common_names names = {0};

	ascend_rows_init(scalars, kernel->param_count);
	for (uint32_t i = 0; i < kernel->param_count && !scalars->failed && !rows->failed; i++) {
		const struct ptowsp_param_record *param = &t->param.rows[kernel->params + i];
		const char *name;

		if (param->kind != PTOWSP_PARAM_SCALAR)
			continue;
		name = ascend_names_add(&names, rt_string(t, param->name), 'p');
		ascend_row_add(scalars);
		ascend_row_field(scalars, "field", "%s", name ? name : "");
		ascend_row_field(scalars, "type", "%s", scalar_type(param->dtype));
		ascend_row_field(scalars, "number", "%" PRIu32, scalars->count - 1);
	}
	ascend_row_field(rows, "scalar_count", "%" PRIu32, scalars->count);
	ascend_row_list(rows, "scalars", scalars);
	common_names_finish(&names);
}

/* Tensor parameters of a kernel, in a list of the row. */
static void params_put(struct ascend_rows *rows, struct ascend_rows *params, const struct rt_tables *t, const struct ptowsp_kernel_record *kernel)
{
	ascend_rows_init(params, kernel->param_count);
	for (uint32_t i = 0; i < kernel->param_count && !params->failed; i++) {
		const struct ptowsp_param_record *param = &t->param.rows[kernel->params + i];

		if (param->kind == PTOWSP_PARAM_SCALAR)
			continue;
		ascend_row_add(params);
		ascend_row_field(params, "dtype", "%u", (unsigned)param->dtype);
		ascend_row_field(params, "access", "%u", (unsigned)param->access);
		ascend_row_field(params, "bytes", "%u", (unsigned)rt_dtype_bytes(param->dtype));
	}
	ascend_row_field(rows, "tensors", "%" PRIu32, params->count);
	ascend_row_list(rows, "params", params);
}

static const struct isa_emit_target *target_of(const char *name)
{
	for (const struct isa_emit_target *t = isa_emit_targets; t->name; t++)
		if (!strcmp(t->name, name))
			return t;
	return NULL;
}

const struct isa_emit_target *ascend_emit_target(const struct ascend_emitter *e)
{
	return target_of(e->args->target);
}

/* A missing kernel is left to the user who builds the tree. */
static void missing_tell(struct ascend_emitter *e, const struct rt_program *p, uint32_t kernel, const char *what, const char *why)
{
	ascend_tell(e, "kernel %.80s %s%.200s%s %s_incore is declared, and whoever builds the tree gives it", rt_kernel_name(p, kernel), what, why,
		    *why ? ";" : ":", ascend_kernel(e, kernel));
}

static void source_file(struct ascend_emitter *e, uint32_t kernel, const char *extension, const char *text, size_t size)
{
	char path[ASCEND_NAME + 24];

	snprintf(path, sizeof(path), "kernels/%s.%s", ascend_kernel(e, kernel), extension);
	if (!e->status)
		e->status = e->sink->file(e->sink->context, path, text, size);
}

/* kernels/NAME.cpp; false: there is none, and why was said. */
static bool source_give(struct ascend_emitter *e, const struct rt_program *p, uint32_t kernel, const char *symbol, bool *cluster_out)
{
	const struct isa_program *program = e->args->portable ? e->args->portable(e->args->context, kernel) : NULL;
	struct ptowsp_error why = {.head = PTOWSP_HEAD(why, ERROR)};
	uint64_t workspace = 0;
	char *text = NULL;
	size_t size = 0;
	ptowsp_status status;

	if (kernel == p->copy_kernel)
		return false;
	if (!program) {
		missing_tell(e, p, kernel, "has no portable code in the package", "");
		return false;
	}
	status = isa_emit(program, ascend_emit_target(e), symbol, &text, &size, &why);
	if (!status)
		status = isa_emit_workspace(program, isa_emit_targets, &workspace, &why);
	if (status == PTOWSP_NO_MEMORY && !e->status)
		e->status = rt_no_memory(e->error, "kernels");
	if (status) {
		missing_tell(e, p, kernel, "is not written for the device: ", why.text);
	} else {
		e->workspace = workspace > e->workspace ? workspace : e->workspace;
		*cluster_out = isa_emit_multiplies(text);
		source_file(e, kernel, ascend_emit_target(e)->extension, text, size);
	}
	free(text);
	return !status;
}

/* kernels/NAME.c for the simulation of the pto-runtime, with the bits of the interpreter; false: there is none. *memory_out: bytes of its tiles. */
static bool source_give_c(struct ascend_emitter *e, const struct rt_program *p, uint32_t kernel, const char *symbol, uint64_t *memory_out)
{
	const struct isa_program *program = kernel != p->copy_kernel && e->args->portable ? e->args->portable(e->args->context, kernel) : NULL;
	const struct isa_emit_target *c = target_of("c");
	struct ptowsp_error why = {.head = PTOWSP_HEAD(why, ERROR)};
	char *text = NULL;
	size_t size = 0;
	ptowsp_status status;

	*memory_out = 0;
	if (!program)
		return false;
	status = isa_emit(program, c, symbol, &text, &size, &why);
	if (!status)
		status = isa_emit_workspace(program, c, memory_out, &why);
	if (status == PTOWSP_NO_MEMORY && !e->status)
		e->status = rt_no_memory(e->error, "kernels");
	if (!status)
		source_file(e, kernel, c->extension, text, size);
	free(text);
	return !status;
}

static const char *const domains[] = {[PTOWSP_EXEC_DOMAIN_HOST_CPU] = "HostCPU",
				      [PTOWSP_EXEC_DOMAIN_ASCEND_AICORE] = "AscendAICore",
				      [PTOWSP_EXEC_DOMAIN_AMD_AIE_TILE] = "AMDAIETile",
				      [PTOWSP_EXEC_DOMAIN_ASCEND_AICPU] = "AscendAICPU"};

static const char *pool_text(unsigned code)
{
	static const char *const pools[] = {[PTOWSP_EXEC_POOL_VECTOR] = "Vector", [PTOWSP_EXEC_POOL_CUBE] = "Cube",   [PTOWSP_EXEC_POOL_MIX] = "Mix",
					    [PTOWSP_EXEC_POOL_HOST] = "Host",     [PTOWSP_EXEC_POOL_AICPU] = "AICPU", [PTOWSP_EXEC_POOL_AIE] = "AIE"};
	enum ptowsp_exec_pool pool = PTOWSP_EXEC_POOL_ANY;
	enum ptowsp_unit unit = PTOWSP_UNIT_ANY;

	return ptowsp_unit_read(code, &unit) && ptowsp_pool_of_unit(unit, &pool) && pool != PTOWSP_EXEC_POOL_ANY ? pools[pool] : "Any";
}

static const char *domain_text(const struct ascend_emitter *e, unsigned code)
{
	enum ptowsp_exec_domain domain = PTOWSP_EXEC_DOMAIN_HOST_CPU;
	enum ptowsp_unit unit = PTOWSP_UNIT_ANY;

	(void)e;
	if (!ptowsp_unit_read(code, &unit))
		return domains[0];
	if (unit == PTOWSP_UNIT_ANY) /* joins vector or cube */
		return domains[PTOWSP_EXEC_DOMAIN_ASCEND_AICORE];
	return ptowsp_domain_of_unit(unit, &domain) ? domains[domain] : domains[0];
}

void ascend_emit_kernels(struct ascend_emitter *e, const struct rt_program *p, struct ascend_rows *rows, struct ascend_rows *scalars,
			 struct ascend_rows *params)
{
	ascend_rows_init(rows, e->kernels.count);
	for (uint32_t i = 0; i < e->kernels.count && !rows->failed && !e->status; i++) {
		const struct ptowsp_kernel_record *kernel = &p->tables.kernel.rows[i];
		char symbol[ASCEND_NAME + 2];
		bool cluster = kernel->unit == PTOWSP_UNIT_AIC_AIV;
		uint64_t memory;

		snprintf(symbol, sizeof(symbol), "k_%s", e->kernels.rows[i].text);
		ascend_row_add(rows);
		ascend_row_field(rows, "name", "%s", e->kernels.rows[i].text);
		ascend_row_field(rows, "domain", "%s", domain_text(e, kernel->unit));
		ascend_row_field(rows, "pool", "%s", pool_text(kernel->unit));
		ascend_row_field(rows, "blocks", "%" PRIu32, kernel->blockdim ? kernel->blockdim : 1);
		ascend_row_field(rows, "symbol", "%s", symbol);
		ascend_row_comment(rows, "comment", "", rt_string(&p->tables, kernel->name));
		ascend_row_field(rows, "source", "%s", source_give(e, p, i, symbol, &cluster) ? "1" : "");
		ascend_row_field(rows, "copy", "%s", i == p->copy_kernel ? "1" : "");
		ascend_row_field(rows, "cluster", "%s", cluster ? "true" : "false");
		ascend_row_field(rows, "id", "%" PRIu32, i);
		ascend_row_field(rows, "c_source", "%s", source_give_c(e, p, i, symbol, &memory) ? "1" : "");
		ascend_row_field(rows, "memory", "%" PRIu64, memory);
		scalars_put(rows, &scalars[i], &p->tables, kernel);
		params_put(rows, &params[i], &p->tables, kernel);
		if (kernel->workspace > e->workspace)
			e->workspace = kernel->workspace;
	}
	if (rows->failed && !e->status)
		e->status = rt_no_memory(e->error, "kernels");
}

void ascend_emit_footprints(struct ascend_emitter *e, const struct rt_program *p)
{
	uint8_t *scales = calloc(UINT16_MAX + 1, 1); /* none: elements as the kernel sees them */
	uint64_t args[256] = {0};

	e->footprints = calloc((size_t)p->tables.kernel.count + 1, sizeof(*e->footprints));
	if (!e->footprints || !scales)
		e->status = rt_no_memory(e->error, "footprints");
	for (uint32_t i = 0; i < p->tables.kernel.count && !e->status; i++) {
		const struct ptowsp_kernel_record *kernel = &p->tables.kernel.rows[i];
		uint32_t tensors = 0, scalars = 0;

		for (uint32_t k = 0; k < kernel->param_count; k++)
			++*(p->tables.param.rows[kernel->params + k].kind == PTOWSP_PARAM_SCALAR ? &scalars : &tensors);
		/* A footprint that depends on the arguments is not known here. */
		if (i == p->copy_kernel || !p->kernels.footprint || tensors > UINT16_MAX || scalars > sizeof(args) / sizeof(*args) ||
		    (p->kernels.varies && p->kernels.varies(p->kernels.context, i)))
			continue;
		if (rt_footprint_ask(&e->footprints[i], &p->kernels, i, args, scales, tensors) == PTOWSP_NO_MEMORY)
			e->status = rt_no_memory(e->error, "footprints");
	}
	free(scales);
}
