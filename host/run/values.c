/* SPDX-License-Identifier: MIT */
/* values.c - symbols and slots: texts to 64-bit values. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/host_error.h"
#include "host/run/host_program.h"
#include "registry/common/common_decimal.h"
#include "registry/common/common_dtype.h"

/* With the values that there are, where they can be said in a few words. */
static ptowsp_status wrong(const struct common_dtype *dtype, const char *name, const char *text, struct ptowsp_error *error)
{
	uint64_t most = UINT64_MAX >> (64 - dtype->bytes * 8u) >> (dtype->class == 'i');
	char range[64] = "";

	if (dtype->class == 'i')
		snprintf(range, sizeof(range), ", which is %lld..%lld", -(long long)most - 1, (long long)most);
	else if (dtype->class == 'u')
		snprintf(range, sizeof(range), ", which is 0..%llu", (unsigned long long)most);
	else if (dtype->class == 'b')
		snprintf(range, sizeof(range), ", which is false, true, 0 or 1");
	return host_fail(error, PTOWSP_INVALID, "--set %.60s: \"%.40s\" is no value of type %s%s", name, text, dtype->text, range);
}

/* Decimal or 0x; a text with nothing behind the number. */
static bool parse_signed(const char *text, unsigned bits, uint64_t *out)
{
	char *stop;
	long long value;

	errno = 0;
	value = strtoll(text, &stop, !strncmp(text, "0x", 2) ? 16 : 10);
	*out = (uint64_t)value;
	return stop != text && !*stop && !errno && (bits == 64 || (value >= -(INT64_C(1) << (bits - 1)) && value < INT64_C(1) << (bits - 1)));
}

static bool parse_unsigned(const char *text, unsigned bits, uint64_t *out)
{
	char *stop;

	errno = 0;
	*out = strtoull(text, &stop, !strncmp(text, "0x", 2) ? 16 : 10);
	return text[0] != '-' && stop != text && !*stop && !errno && (bits == 64 || *out < UINT64_C(1) << bits);
}

static bool parse_bool(const char *text, uint64_t *out)
{
	static const char *const words[] = {"false", "true", "0", "1"};

	for (uint64_t i = 0; i < 4; i++)
		if (!strcmp(text, words[i])) {
			*out = i & 1;
			return true;
		}
	return false;
}

/* Bit pattern of the nearest f32 or f64; slots have no other floats. *beyond_out: a number, but too large for the type. */
static bool parse_float(const char *text, uint16_t dtype, uint64_t *out, bool *beyond_out)
{
	char *stop;
	double value;
	float single;
	uint32_t bits;

	errno = 0;
	value = common_decimal_double(text, &stop);
	single = dtype == PTOWSP_F64 ? 0 : (float)value;
	*beyond_out = stop != text && !*stop && ((isinf(value) && errno == ERANGE) || (isfinite(value) && isinf(single)));
	memcpy(&bits, &single, sizeof(bits));
	*out = bits;
	if (dtype == PTOWSP_F64)
		memcpy(out, &value, sizeof(value));
	return stop != text && !*stop && !*beyond_out && (dtype == PTOWSP_F64 || dtype == PTOWSP_F32);
}

ptowsp_status host_value_parse(uint16_t dtype, const char *name, const char *text, uint64_t *bits_out, struct ptowsp_error *error)
{
	const struct common_dtype *type = common_dtype(dtype);
	bool fine = false, beyond = false;

	if (!type)
		return host_fail(error, PTOWSP_BAD_PACKAGE, "\"%.60s\" has an unknown type", name);
	switch (type->class) {
	case 'i': fine = parse_signed(text, type->bytes * 8u, bits_out); break;
	case 'u': fine = parse_unsigned(text, type->bytes * 8u, bits_out); break;
	case 'b': fine = parse_bool(text, bits_out); break;
	case 'f': fine = parse_float(text, dtype, bits_out, &beyond); break;
	}
	if (beyond)
		return host_fail(error, PTOWSP_INVALID, "--set %.60s: \"%.40s\" is beyond %s, whose largest value is %s; infinity is written inf", name, text,
				 type->text, dtype == PTOWSP_F64 ? "1.7976931348623157e308" : "3.40282347e38");
	return fine ? PTOWSP_OK : wrong(type, name, text, error);
}

ptowsp_status ptowsp_value_set(struct ptowsp_program *program, const char *name, const char *text, struct ptowsp_error *error)
{
	const struct ptowsp_plan *plan = program->plan;
	uint32_t index, row;
	uint64_t bits;
	ptowsp_status status;

	error = host_error_enter(error);
	status = host_plan_value_find(plan, name, &index, error);
	if (!status) {
		row = plan->values[index].row;
		status = host_value_parse(plan->tables->slot[row].dtype, name, text, &bits, error);
	}
	if (!status) {
		program->values[row] = bits;
		program->value_known[row] = 1;
		program->prepared = false;
		program->asked = true;
	}
	return host_error_leave(status, error);
}

ptowsp_status host_values_fault(const struct ptowsp_program *program)
{
	return program->asked ? PTOWSP_INVALID : PTOWSP_BAD_PACKAGE;
}

ptowsp_status host_values_check(const struct ptowsp_program *program, struct ptowsp_error *error)
{
	const struct ptowsp_plan *plan = program->plan;

	for (uint32_t i = 0; i < plan->value_count; i++) {
		const struct host_plan_value *value = &plan->values[i];

		const struct ptowsp_slot_record *row = &plan->tables->slot[value->row];

		if (value->needed && row->dtype == PTOWSP_U64 && row->kind == PTOWSP_SLOT_SYMBOL && program->values[value->row] > INT64_MAX)
			return host_fail(error, host_values_fault(program), "\"%s\" is %llu; what a workload computes with is at most 2^63 - 1", value->name,
					 (unsigned long long)program->values[value->row]);
		if (value->needed && !program->value_known[value->row])
			return host_fail(error, PTOWSP_INVALID, "\"%s\" (%s) has no value in %s; give it one with --set %s=VALUE", value->name,
					 common_dtype(plan->tables->slot[value->row].dtype)->text, ptowsp_plan_entry(plan), value->name);
	}
	return PTOWSP_OK;
}
