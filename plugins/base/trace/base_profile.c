/* SPDX-License-Identifier: MIT */
#include "base/trace/base_profile.h"

#include "base/error.h"
#include "base/kernels.h"
#include "registry/common/common_dtype.h"
#include "registry/common/common_tile.h"
#if PTOWSP_ABI_TARGET >= 1
#include "ptowsp/profile.h"
#else
struct ptowsp_profile_row { /* a host of 10.0 asks for none */
	char none;
};
#endif
#include <stdio.h>
#include <string.h>

static uint32_t instructions(const struct base_kernel *kernel)
{
	return kernel->isa ? isa_program_header(kernel->isa)->inst_count : 0;
}

static size_t times_size(const struct base_profile *profile)
{
	return (size_t)profile->workers * profile->first[profile->kernels] * sizeof(*profile->times);
}

ptowsp_status base_profile_init(struct base_profile *profile, const struct base_kernels *kernels, struct ptowsp_error *error)
{
	uint64_t count = 0;

	*profile = (struct base_profile){.instance = kernels->instance, .kernels = kernels->count, .workers = kernels->workers};
	profile->first = base_alloc(kernels->instance, (kernels->count + UINT64_C(1)) * sizeof(*profile->first));
	for (uint32_t k = 0; profile->first && k < kernels->count; k++) {
		profile->first[k] = (uint32_t)count;
		count += UINT64_C(1) + instructions(&kernels->rows[k]);
	}
	if (count > UINT32_MAX / sizeof(struct base_profile_time))
		return base_fail(error, PTOWSP_TOO_BIG, "profiling=on: %llu instructions are too many to measure", (unsigned long long)count);
	if (profile->first) {
		profile->first[kernels->count] = (uint32_t)count;
		profile->times = base_alloc(kernels->instance, times_size(profile));
		profile->rows = base_alloc(kernels->instance, count * sizeof(*profile->rows));
	}
	if (!profile->first || (count && (!profile->times || !profile->rows)))
		return base_fail(error, PTOWSP_NO_MEMORY, "profiling=on: no memory for the times of %u threads", kernels->workers);
	return PTOWSP_OK;
}

void base_profile_finish(struct base_profile *profile)
{
	if (profile->first) {
		base_release(profile->instance, profile->times, times_size(profile));
		base_release(profile->instance, profile->rows, profile->first[profile->kernels] * sizeof(*profile->rows));
		base_release(profile->instance, profile->first, (profile->kernels + UINT64_C(1)) * sizeof(*profile->first));
	}
	*profile = (struct base_profile){.times = NULL};
}

void base_profile_begin(struct base_profile *profile)
{
	if (profile->times)
		memset(profile->times, 0, times_size(profile));
}

static uint64_t now(const struct base_profile *profile)
{
	const struct ptowsp_host *host = profile->instance->host;

	return host->now_ns(host->context);
}

static struct base_profile_time *time_at(const struct base_profile *profile, uint32_t worker, uint32_t at)
{
	return &profile->times[(size_t)worker * profile->first[profile->kernels] + at];
}

uint64_t base_profile_enter(const struct base_profile *profile)
{
	return profile->times ? now(profile) : 0;
}

void base_profile_leave(struct base_profile *profile, uint32_t kernel, uint32_t worker, uint64_t began)
{
	struct base_profile_time *time;

	if (!profile->times)
		return;
	time = time_at(profile, worker, profile->first[kernel]);
	time->calls++;
	time->ns += now(profile) - began;
}

struct base_profile_lap base_profile_lap(const struct base_profile *profile, uint32_t kernel, uint32_t worker)
{
	return (struct base_profile_lap){profile, time_at(profile, worker, profile->first[kernel] + 1), now(profile)};
}

void base_profile_pass(void *context, uint32_t first, uint32_t last)
{
	struct base_profile_lap *lap = context;
	struct base_profile_time *time = &lap->times[first];
	const uint64_t at = now(lap->profile);

	time->calls++;
	time->ns += at - lap->last_ns;
	time->more = last - first;
	lap->last_ns = at;
}

/* ---- after a run ---------------------------------------------------------------------------------------------- */

/* The sum over all workers; calls 0 where none came there. */
static struct base_profile_time time_of(const struct base_profile *profile, uint32_t at)
{
	struct base_profile_time sum = {0, 0, 0};

	for (uint32_t w = 0; w < profile->workers; w++) {
		const struct base_profile_time *time = time_at(profile, w, at);

		sum.calls += time->calls;
		sum.ns += time->ns;
		sum.more = time->calls ? time->more : sum.more;
	}
	return sum;
}

void base_profile_tell(const struct base_profile *profile, const struct base_kernels *kernels)
{
	for (uint32_t k = 0; profile->times && k < kernels->count; k++) {
		const struct base_profile_time time = time_of(profile, profile->first[k]);

		if (time.calls)
			base_log(kernels->instance, PTOWSP_LOG_INFO, "profile: kernel %s: %llu tasks, %llu ns", kernels->rows[k].name,
				 (unsigned long long)time.calls, (unsigned long long)time.ns);
	}
}

#if PTOWSP_ABI_TARGET >= 1
/* The larger of two tiles, by elements; either may be NULL. */
static const struct ptowsp_tile_tile *larger(const struct ptowsp_tile_tile *a, const struct ptowsp_tile_tile *b)
{
	return !a || (b && (uint64_t)b->rows * b->columns > (uint64_t)a->rows * a->columns) ? b : a;
}

/* The largest tile of an instruction, and of `before`. */
static const struct ptowsp_tile_tile *largest_of(const struct isa_program *program, uint32_t inst, const struct ptowsp_tile_tile *before)
{
	const struct isa_uses uses = isa_uses(&isa_program_insts(program)[inst]);
	const struct ptowsp_tile_tile *const tiles = isa_program_tiles(program);

	for (unsigned i = 0; i < uses.written_count; i++)
		before = larger(before, &tiles[uses.written[i]]);
	for (unsigned i = 0; i < uses.read_count; i++)
		before = larger(before, &tiles[uses.read[i]]);
	return before;
}

/* "tadd+texp": "+.." stands for a rest beyond `room`. */
static size_t operations_text(const struct isa_program *program, uint32_t first, uint32_t last, char *text, size_t room)
{
	size_t length = 0;

	for (uint32_t i = first; i <= last; i++) {
		const char *const mnemonic = isa_op(isa_program_insts(program)[i].op)->mnemonic;

		if (length + strlen(mnemonic) + sizeof("+") + sizeof("+..") > room)
			return length + (size_t)snprintf(text + length, room - length, "+..");
		length += (size_t)snprintf(text + length, room - length, "%s%s", i > first ? "+" : "", mnemonic);
	}
	return length;
}

/* "tadd+texp f32 16x64": operations of a pass, then the largest of their tiles. */
static void pass_text(const struct isa_program *program, uint32_t first, uint32_t last, struct ptowsp_profile_row *row)
{
	const size_t room = sizeof(row->what) - sizeof(" bf16 65535x65535"), length = operations_text(program, first, last, row->what, room);
	const struct ptowsp_tile_tile *largest = NULL;

	for (uint32_t i = first; i <= last; i++)
		largest = largest_of(program, i, largest);
	if (!largest)
		return;
	snprintf(row->what + length, sizeof(row->what) - length, " %s %ux%u", common_dtype_text(largest->dtype), (unsigned)largest->rows,
		 (unsigned)largest->columns);
	row->elements = (uint64_t)largest->rows * largest->columns;
}

static void pass_row(const struct base_kernels *kernels, uint32_t kernel, uint32_t inst, struct base_profile_time time, struct ptowsp_profile_row *row)
{
	const struct isa_program *program = kernels->rows[kernel].isa;
	const uint32_t last = inst + time.more;

	*row = (struct ptowsp_profile_row){.kernel = kernel,
					   .operations = time.more + 1,
					   .line = isa_program_insts(program)[inst].line,
					   .last_line = isa_program_insts(program)[last].line,
					   .calls = time.calls,
					   .wall_ns = time.ns};
	pass_text(program, inst, last, row);
	for (uint32_t i = inst; !kernels->costs && !kernels->whole_costs && i <= last; i++)
		row->cycles += time.calls * isa_program_cost(program, i);
}

uint32_t base_profile_rows(struct base_profile *profile, const struct base_kernels *kernels, const struct ptowsp_profile_row **rows_out)
{
	uint32_t count = 0;

	for (uint32_t k = 0; profile->times && k < profile->kernels; k++) {
		const uint32_t own = profile->first[k];
		const struct base_profile_time whole = time_of(profile, own);

		if (whole.calls)
			profile->rows[count++] = (struct ptowsp_profile_row){.kernel = k, .calls = whole.calls, .wall_ns = whole.ns};
		for (uint32_t at = own + 1; at < profile->first[k + 1]; at++) {
			const struct base_profile_time time = time_of(profile, at);

			if (time.calls)
				pass_row(kernels, k, at - own - 1, time, &profile->rows[count++]);
		}
	}
	*rows_out = profile->rows;
	return count;
}
#endif
