/* SPDX-License-Identifier: MIT */
/* slot.c - slots that the program itself changes: set from an expression, loaded from an element of a tensor. */
#include "rt/access/mirror.h"
#include "rt/graph/graph_record.h"
#include "rt/process/process.h"
#include "rt/program/rt_error.h"
#include "rt/run/rt_run.h"
#include "rt/structure/slot_element.h"
#include <math.h>
#include <string.h>

/* Source place of the instruction that the expander has just given. */
static const char *here(const struct rt_run *run, char *text, size_t size)
{
	return rt_division_place(&run->env, &run->program->tables, run->expand.at - 1, text, size);
}

ptowsp_status rt_slot_set(struct rt_run *run, uint32_t slot, uint32_t expr)
{
	const struct rt_expr *row = &run->program->exprs.rows[expr];
	int64_t value = rt_value(&run->env, expr);
	char text[160];

	if (run->env.failed)
		return rt_fail_at(run->error, PTOWSP_RUN_FAILED, run->tasks, UINT64_MAX, "setting slot %.40s before task %llu divides by zero, %s",
				  rt_slot_name(run->program, slot), (unsigned long long)run->tasks, here(run, text, sizeof(text)));
	run->values[slot] = (uint64_t)value;
	if (run->quiet || run->slots_prompt)
		return PTOWSP_OK;
	return rt_clock_failed(run, rt_lag_slot_set(&run->lag, slot, run->program->exprs.reads + row->read, row->read_count));
}

/* ---- elements as 64-bit values --------------------------------------------------------------------------------- */

/* Toward zero, saturating; NaN is 0. */
static int64_t from_double(double x)
{
	if (isnan(x))
		return 0;
	if (x >= 9223372036854775808.0)
		return INT64_MAX;
	if (x < -9223372036854775808.0)
		return INT64_MIN;
	return (int64_t)x;
}

static double from_half(uint16_t bits)
{
	int exponent = bits >> 10 & 31, mantissa = bits & 1023;
	double value = exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);

	if (exponent == 31)
		value = mantissa ? NAN : INFINITY;
	return bits >> 15 ? -value : value;
}

static double from_bfloat(uint16_t bits)
{
	uint32_t wide = (uint32_t)bits << 16;
	float value;

	memcpy(&value, &wide, sizeof(value));
	return value;
}

int64_t rt_element_value(const char *at, unsigned dtype)
{
	union {
		int8_t i8;
		int16_t i16;
		int32_t i32;
		int64_t i64;
		uint8_t u8;
		uint16_t u16;
		uint32_t u32;
		float f32;
		double f64;
	} v;

#define FIELD(kind, name, value)                                                                                                                               \
	case PTOWSP_##kind: memcpy(&v.name, at, sizeof(v.name)); return value
	switch (dtype) {
		FIELD(F32, f32, from_double(v.f32));
		FIELD(F64, f64, from_double(v.f64));
		FIELD(F16, u16, from_double(from_half(v.u16)));
		FIELD(BF16, u16, from_double(from_bfloat(v.u16)));
		FIELD(I8, i8, v.i8);
		FIELD(I16, i16, v.i16);
		FIELD(I32, i32, v.i32);
		FIELD(I64, i64, v.i64);
		FIELD(U8, u8, v.u8);
		FIELD(U16, u16, v.u16);
		FIELD(U32, u32, v.u32);
		FIELD(U64, i64, v.i64);
		FIELD(BOOL, u8, v.u8);
	}
#undef FIELD
	return 0;
}

uint64_t rt_element_bits(const char *at, uint32_t size)
{
	uint64_t bits = 0;

	memcpy(&bits, at, size < sizeof(bits) ? size : sizeof(bits)); /* elements are little-endian, as every host is that this builds for */
	return bits;
}

/* The element's value by the SLOT_LOAD behind which the expander stands. */
static uint64_t element_load(const struct rt_run *run, const struct rt_io *io, const struct rt_tensor *tensor, int64_t element)
{
	const char *at = tensor->data + element * (int64_t)tensor->size;
	uint16_t size = io->view ? io->view : tensor->size, dtype = io->view ? io->view_dtype : tensor->dtype;

	rt_mirror_fetch(run->program->kernels.mirror, at, size);
	if (run->program->code[run->expand.at - 1].flags & PTOWSP_SLOT_LOAD_BITS)
		return rt_element_bits(at, size);
	return (uint64_t)rt_element_value(at, dtype);
}

/* ---- slot_load ------------------------------------------------------------------------------------------------- */

static ptowsp_status element_find(struct rt_run *run, const struct rt_io *io, int64_t *element_out)
{
	const struct rt_footprint nothing = {0};
	const struct rt_tensor *tensor = &run->tensors.rows[io->tensor];
	struct rt_access access = {0};
	char text[160];
	ptowsp_status status;

	status = rt_access_resolve(&access, run->program, &run->tensors, &run->env, io, 0, &nothing, 0, PTOWSP_NONE, run->error);
	if (!status && run->env.failed)
		return rt_fail_at(run->error, PTOWSP_RUN_FAILED, run->tasks, UINT64_MAX, "a slot_load before task %llu divides by zero, %s",
				  (unsigned long long)run->tasks, here(run, text, sizeof(text)));
	if (!status && !run->tensors.measuring && (uint64_t)access.start + (io->view ? io->view - 1u : 0) >= tensor->elements)
		status = rt_fail_at(run->error, PTOWSP_RUN_FAILED, run->tasks, UINT64_MAX,
				    "slot_load before task %llu reads element %lld of tensor %.40s, which has %llu", (unsigned long long)run->tasks,
				    (long long)access.start, rt_tensor_name(run->program, io->tensor), (unsigned long long)tensor->elements);
	*element_out = access.start;
	return rt_error_place(&run->program->tables, run->expand.at - 1, status, run->error);
}

/* The latest task that wrote it, + 1; of a view: any of its bytes. */
static uint64_t element_writer(const struct rt_run *run, const struct rt_io *io, int64_t element)
{
	uint64_t latest = rt_infer_writer(run, io->tensor, element), writer;

	for (unsigned byte = 1; byte < io->view; byte++) {
		writer = rt_infer_writer(run, io->tensor, element + byte);
		latest = writer > latest ? writer : latest;
	}
	return latest;
}

/* Is what a task writes needed before it runs, and would a run with kernels certainly need it, too? Zeros stand in for data that are not there: behind them a run may go elsewhere. */
static bool is_needed_before(const struct rt_run *run)
{
	const struct rt_program *program = run->program;
	bool blind = run->load_said || run->tensors.unbound_told;

	if (run->quiet)
		return false;
	if (program->schedule.built || !program->planned || !program->shadowed || run->bodies)
		return program->schedule.built || program->planned;
	return run->designed && !blind;
}

uint64_t rt_slot_load_writer(struct rt_run *run, const struct rt_io *io)
{
	int64_t element = 0;
	uint64_t writer = element_find(run, io, &element) ? 0 : element_writer(run, io, element);

	return writer > run->phased ? writer : 0;
}

ptowsp_status rt_slot_load(struct rt_run *run, uint32_t slot, const struct rt_io *io)
{
	const struct rt_tensor *tensor = &run->tensors.rows[io->tensor];
	uint64_t writer;
	int64_t element = 0;
	ptowsp_status status = element_find(run, io, &element);

	if (status)
		return status;
	writer = element_writer(run, io, element);
	run->loaded_from = writer;
	if (run->engine && run->engine->wait && writer && !run->quiet)
		status = run->engine->wait(run->engine->device, writer, run->error);
	else if (writer > run->phased && is_needed_before(run))
		return rt_record_load(run, slot, io->tensor, writer);
	if (!status)
		status = rt_wait_tasks(run, writer);
	if (status)
		return status;
	if (run->bodies && !tensor->bound)
		return rt_fail_at(run->error, PTOWSP_RUN_FAILED, run->tasks, UINT64_MAX, "slot_load: tensor %.40s is bound to no memory",
				  rt_tensor_name(run->program, io->tensor));
	if (!tensor->data && !run->load_said && !run->quiet)
		rt_log(run->program, PTOWSP_LOG_WARNING, "slot %.40s is loaded from tensor %.40s, which is not bound: it is 0",
		       rt_slot_name(run->program, slot), rt_tensor_name(run->program, io->tensor));
	run->load_said |= !tensor->data;
	run->values[slot] = tensor->data && (uint64_t)element < tensor->elements ? element_load(run, io, tensor, element) : 0;
	if (run->quiet)
		return PTOWSP_OK;
	if (run->pipeline) {
		rt_clocks_slot_load(&run->pipeline->clocks, slot, writer);
		return run->lag.feed ? rt_clock_failed(run, rt_lag_slot_load(&run->lag, slot, writer)) : PTOWSP_OK;
	}
	return rt_clock_failed(run, rt_lag_slot_load(&run->lag, slot, writer));
}
