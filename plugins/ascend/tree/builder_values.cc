/* SPDX-License-Identifier: MIT */
/* builder_values.cc - what generated code computes with: checked arithmetic, axes, tile levels, slots, owners, streams; order, scopes, events. */
#include "builder_private.h"

#include <math.h>
#include <string.h>

/* ---- arithmetic ------------------------------------------------------------------------------------------------------ */

/* Toward zero; the smallest number by -1 wraps. */
int64_t Builder::quotient(int64_t a, int64_t b)
{
	if (!b) {
		fail(BUILDER_DIVISION, "division by zero before task %llu", (unsigned long long)next);
		return 0;
	}
	return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

int64_t Builder::remainder(int64_t a, int64_t b)
{
	if (!b) {
		fail(BUILDER_DIVISION, "division by zero before task %llu", (unsigned long long)next);
		return 0;
	}
	return b == -1 ? 0 : a % b;
}

int64_t Builder::extent(int64_t value)
{
	if (value >= 0)
		return value;
	fail(BUILDER_VALUE, "an extent is %lld before task %llu, it must be 0 or more", (long long)value, (unsigned long long)next);
	return 0;
}

Region Builder::part(uint32_t tensor, int64_t row, int64_t column, int64_t rows, int64_t columns, uint32_t all_rows, uint32_t all_columns)
{
	if (rows < 1 || columns < 1 || rows > all_rows || columns > all_columns)
		fail(BUILDER_VALUE, "task %llu gets %lld x %lld elements of tensor %u, and takes 1 x 1 to %u x %u", (unsigned long long)next, (long long)rows,
		     (long long)columns, tensor, all_rows, all_columns);
	return block(tensor, row, column, (uint32_t)rows, (uint32_t)columns);
}

int64_t Builder::trips(int64_t low, int64_t high, int64_t step)
{
	if (status)
		return 0;
	if (step < 1) {
		fail(BUILDER_VALUE, "the step of a loop is %lld before task %llu, it must be at least 1", (long long)step, (unsigned long long)next);
		return 0;
	}
	if (low >= high)
		return 0;
	return (int64_t)(((uint64_t)high - (uint64_t)low - 1) / (uint64_t)step + 1);
}

/* ---- axes ------------------------------------------------------------------------------------------------------------- */

int64_t Builder::element(uint32_t tensor, int64_t at)
{
	const BuilderTensor *t = &tensors[tensor];
	const uint8_t *data = (const uint8_t *)(uintptr_t)t->data;
	union {
		uint8_t u8; int8_t i8; uint16_t u16; int16_t i16; uint32_t u32; int32_t i32; uint64_t u64; int64_t i64;
	} v;

	if (at < 0 || (uint64_t)at >= t->elements) {
		fail(BUILDER_OUTSIDE, "an axis needs element %lld of tensor %u, which has %llu", (long long)at, tensor, (unsigned long long)t->elements);
		return 0;
	}
	memcpy(&v, data + (uint64_t)at * t->size, t->size);
	switch (t->dtype) {
	case DTYPE_I8: return v.i8;
	case DTYPE_I16: return v.i16;
	case DTYPE_I32: return v.i32;
	case DTYPE_U8: return v.u8;
	case DTYPE_U16: return v.u16;
	case DTYPE_U32: return v.u32;
	default: return v.i64;
	}
}

BuilderRow Builder::axis_row(uint32_t axis, int64_t row, int64_t rows)
{
	const BuilderAxis *a = &plan->axes[axis];
	BuilderRow out = {0, 0};
	int64_t end;

	if (status)
		return out;
	if (row < 0 || row >= rows || (a->values && row + 1 >= (int64_t)a->value_count)) {
		fail(BUILDER_OUTSIDE, "axis %u has no row %lld, it has %lld", axis, (long long)row, (long long)rows);
		return out;
	}
	if (a->kind == AXIS_IS_RAGGED && !a->values) {
		out.count = extent(element(a->lengths, row));
		return out;
	}
	out.first = a->values ? a->values[row] : element(a->lengths, row);
	end = a->values ? a->values[row + 1] : element(a->lengths, row + 1);
	if (!status && (out.first < 0 || end < out.first))
		fail(BUILDER_OUTSIDE, "axis %u, row %lld begins at %lld and ends at %lld", axis, (long long)row, (long long)out.first, (long long)end);
	out.count = status ? 0 : end - out.first;
	return out;
}

int64_t Builder::axis_index(uint32_t axis, int64_t rows, int64_t at)
{
	const BuilderAxis *a = &plan->axes[axis];
	int64_t index;

	if (status)
		return 0;
	if (a->values && rows + 1 + at >= (int64_t)a->value_count) {
		fail(BUILDER_OUTSIDE, "axis %u has no index %lld", axis, (long long)at);
		return 0;
	}
	index = a->values ? a->values[rows + 1 + at] : element(a->indices, at);
	return extent(index);
}

/* ---- tile levels ------------------------------------------------------------------------------------------------------ */

void LevelWalk::start(const BuilderLevels *of, int64_t count)
{
	const uint64_t n = count > 0 ? (uint64_t)count : 0;

	levels = of;
	value = 0;
	full = n / of->largest;
	rest = n % of->largest;
	base = left = 0;
	step = 1;
	size = of->largest / 2;
	residual = false;
	level = 0;
}

static void block_enter(LevelWalk *walk, uint32_t size)
{
	const unsigned k = 31u - (unsigned)__builtin_clz(size);

	walk->step = walk->levels->rows[k] / 32;
	walk->left = size / walk->step;
	walk->level = walk->levels->level[k];
}

bool LevelWalk::next()
{
	if (!left && full) {
		full--;
		block_enter(this, levels->largest);
	}
	for (; !left && size && size >= levels->smallest; size /= 2)
		if (rest & size)
			block_enter(this, size);
	if (!left && !residual) {
		residual = true;
		step = 1;
		level = 0;
		left = rest & (levels->smallest - 1);
	}
	if (!left)
		return false;
	value = (int64_t)base;
	base += step;
	left--;
	return true;
}

/* ---- slots ------------------------------------------------------------------------------------------------------------ */

static double half_value(uint16_t bits)
{
	const int exponent = bits >> 10 & 31;
	const double mantissa = bits & 1023, sign = bits >> 15 ? -1 : 1;

	if (exponent == 31)
		return mantissa ? (double)NAN : sign * (double)INFINITY;
	return sign * (exponent ? ldexp(mantissa + 1024, exponent - 25) : ldexp(mantissa, -24));
}

/* Toward zero, saturating, NaN gives 0. */
static int64_t from_float(double value)
{
	if (value != value)
		return 0;
	if (value >= 9223372036854775808.0)
		return INT64_MAX;
	return value <= -9223372036854775808.0 ? INT64_MIN : (int64_t)value;
}

static int64_t element_value(const uint8_t *at, uint8_t dtype, uint8_t size, bool bits)
{
	TaskBits v = {0};
	uint16_t u16 = 0;

	memcpy(&v.word, at, size);
	memcpy(&u16, at, size < 2 ? size : 2);
	if (bits)
		return (int64_t)v.word;
	switch (dtype) {
	case DTYPE_F16: return from_float(half_value(u16));
	case DTYPE_BF16: v.word <<= 16; return from_float((double)v.f32);
	case DTYPE_F32: return from_float((double)v.f32);
	case DTYPE_F64: return from_float(v.f64);
	case DTYPE_I8: return (int8_t)v.word;
	case DTYPE_I16: return (int16_t)v.word;
	case DTYPE_I32: return (int32_t)v.word;
	default: return (int64_t)v.word;
	}
}

static void latest_found(void *context, uint64_t task)
{
	uint64_t *latest = (uint64_t *)context;

	if (task + 1 > *latest)
		*latest = task + 1;
}

bool Builder::load(int64_t &slot, const Region &region, bool bits)
{
	const BuilderTensor *t = &tensors[region.tensor];
	const uint8_t size = region.view_size ? region.view_size : t->size;
	uint64_t from = 0, to, writers = 0;
	TaskWindow window;
	Region one = region;
	TaskIO io;

	if (one.unit)
		one.reach = one.view_size ? one.view_size : 1;
	if (status || !resolve(one, 0, &window, &io, &from, &to))
		return false;
	tracker_look(tracker, region.tensor, from, from + (region.view_size ? region.view_size : 1), false, latest_found, &writers);
	if (!wait_for(writers))
		return false;
	slot = element_value((const uint8_t *)(uintptr_t)window.data, io.dtype, size, bits);
	return true;
}

/* ---- owners and streams ------------------------------------------------------------------------------------------------- */

/* The mixing steps of splitmix64. */
uint64_t Builder::mix(int64_t value)
{
	uint64_t z = (uint64_t)value;

	z ^= z >> 30;
	z *= UINT64_C(0xBF58476D1CE4E5B9);
	z ^= z >> 27;
	z *= UINT64_C(0x94D049BB133111EB);
	return z ^ z >> 31;
}

void Builder::queue(uint32_t pool, uint32_t executors)
{
	queue_now = pool;
	queue_executors = executors;
	queue_turn = queue_count[pool & 255]++;
}

void Builder::filter_begin(uint32_t owner)
{
	if (place->filter_depth < 64)
		place->filters[place->filter_depth++] = owner;
}

void Builder::filter_end()
{
	if (place->filter_depth)
		place->filter_depth--;
}

/* ---- order, scopes, events ------------------------------------------------------------------------------------------------ */

void Builder::order_begin()
{
	if (place->order_depth < 64)
		place->orders[place->order_depth++] = BuilderPlace::Order{next, place->order};
}

void Builder::order_step()
{
	flush();
	if (place->order_depth && next > place->orders[place->order_depth - 1].begin)
		place->order = next;
}

void Builder::order_end()
{
	if (place->order_depth)
		place->order = place->orders[--place->order_depth].outer;
}

void Builder::scope_begin()
{
	if (platform.scope)
		platform.scope(platform.context, true);
	if (!scopes++)
		scope_from = own;
}

void Builder::scope_end()
{
	if (platform.scope)
		platform.scope(platform.context, false);
	if (scopes && !--scopes)
		scope_from = UINT64_MAX;
	flush();
}

void Builder::barrier()
{
	flush();
	barrier_at = next;
}

void Builder::fence()
{
	if (copies > barrier_at)
		barrier_at = copies;
}

void Builder::signal(uint32_t event)
{
	events[event].count++;
	events[event].tasks = next;
}

bool Builder::signalled(uint32_t event) const
{
	return events[event].count > 0;
}

bool Builder::wait(uint32_t event)
{
	if (status)
		return false;
	if (!events[event].count) {
		fail(BUILDER_STUCK, "event %u is waited for before task %llu, and every signal comes after it", event, (unsigned long long)next);
		return false;
	}
	events[event].count--;
	if (events[event].tasks > barrier_at)
		barrier_at = events[event].tasks;
	return true;
}

void Builder::notify(uint32_t device, uint32_t notification)
{
	if (wait_for(next) && platform.notify)
		platform.notify(platform.context, device, notification);
}

bool Builder::wait_notify(uint32_t device, uint32_t notification)
{
	while (!status && platform.notified && !platform.notified(platform.context, device, notification))
		pump();
	return !status;
}
