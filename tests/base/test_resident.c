/* SPDX-License-Identifier: MIT */
/* test_resident.c - windows of a task that lie in no tensor of the run, in memory of a device that is made of the heap: a kernel there does what it does here, in whatever way they meet.
 * PTOWSP_SEED=n repeats a trial. */
#include <stdlib.h>
#include <string.h>

#include "base/backend.h"
#include "base/memory/base_resident.h"
#include "tests/check.h"
#include "tests/draw.h"
#include "tests/isa/tile_random.h"

enum { TRIALS = 400, WINDOWS = 6, ELEMENTS = 400 };

/* ---- a device ------------------------------------------------------------------------------------------------------------- */

struct piece {
	uint64_t bytes;
	unsigned char memory[];
};
static uint64_t pieces; /* that there are */

static bool shares(const struct base_device *device)
{
	(void)device;
	return false;
}

static ptowsp_status make(const struct base_device *device, void *place, uint64_t bytes, void **own_out, struct ptowsp_error *error)
{
	struct piece *piece = malloc(sizeof(*piece) + bytes);

	(void)device, (void)place, (void)error;
	memset(piece->memory, 0xa5, bytes);
	piece->bytes = bytes;
	pieces++;
	*own_out = piece;
	return PTOWSP_OK;
}

static void unmake(const struct base_device *device, void *own)
{
	(void)device;
	pieces--;
	free(own);
}

static ptowsp_status move(const struct base_device *device, void *own, uint64_t offset, void *memory, uint64_t bytes, bool there, struct ptowsp_error *error)
{
	struct piece *piece = own;

	(void)device, (void)error;
	if (offset > piece->bytes || bytes > piece->bytes - offset)
		CHECK_FAIL("%llu bytes at %llu of %llu are moved", (unsigned long long)bytes, (unsigned long long)offset, (unsigned long long)piece->bytes);
	else
		memcpy(there ? piece->memory + offset : memory, there ? memory : piece->memory + offset, bytes);
	return PTOWSP_OK;
}

static const struct base_buffers memory = {.shares = shares, .make = make, .free = unmake, .move = move};
static const struct base_backend backend = {.buffers = &memory};
static struct base_instance instance = {.backend = &backend};
static const struct base_device device = {.instance = &instance};

/* ---- a task --------------------------------------------------------------------------------------------------------------- */

struct trial {
	struct ptowsp_tensor_arg windows[WINDOWS];
	struct ptowsp_tile_param params[WINDOWS];
	uint32_t count;
};

/* Windows of one row of elements: whole rows, columns apart, and all that there is between. */
static struct trial trial_draw(uint64_t *state, float *data)
{
	struct trial t = {.count = 1 + (uint32_t)draw(state, WINDOWS)};

	for (uint32_t i = 0; i < t.count; i++) {
		const uint64_t column_stride = 1 + draw(state, 3), columns = 1 + draw(state, 8), rows = 1 + draw(state, 4),
			       row_stride = columns * column_stride + draw(state, 9), last = (rows - 1) * row_stride + (columns - 1) * column_stride;

		t.windows[i] = (struct ptowsp_tensor_arg){.data = data + draw(state, ELEMENTS - last),
							  .dtype = PTOWSP_F32,
							  .rows = rows,
							  .columns = columns,
							  .row_stride = row_stride,
							  .column_stride = column_stride};
		t.params[i].access = draw(state, 3) ? PTOWSP_READ | PTOWSP_WRITE : PTOWSP_READ;
	}
	return t;
}

/* One window after the other: what is written has the sum of what was there and of the window before. at: where element 0 of each lies. */
static void kernel(const struct trial *t, float *const *at)
{
	for (uint32_t i = 0; i < t->count; i++) {
		const struct ptowsp_tensor_arg *w = &t->windows[i];

		for (uint64_t e = 0; t->params[i].access & PTOWSP_WRITE && e < w->rows * w->columns; e++)
			at[i][e / w->columns * w->row_stride + e % w->columns * w->column_stride] += i ? at[i - 1][0] : 1;
	}
}

static void trial_run(struct base_resident *resident, const struct trial *t, struct ptowsp_error *error)
{
	const struct ptowsp_task task = {.tensors = t->windows, .tensor_stride = sizeof(*t->windows), .tensor_count = t->count};
	struct base_place places[WINDOWS];
	float *at[WINDOWS];
	bool lies_well = true;

	CHECK(!base_places_find(resident, places, &task, t->params, t->count));
	REQUIRE_INT(base_strays_send(resident, places, t->count, error), PTOWSP_OK);
	for (uint32_t i = 0; i < t->count; i++) {
		const struct ptowsp_tensor_arg *w = places[i].window;
		struct piece *piece = places[i].own;

		at[i] = (float *)(void *)(piece->memory + places[i].offset);
		lies_well = lies_well &&
			    places[i].offset + ((w->rows - 1) * w->row_stride + (w->columns - 1) * w->column_stride + 1) * sizeof(float) <= piece->bytes;
	}
	if (lies_well)
		kernel(t, at);
	CHECK_INT(base_strays_take(resident, places, t->count, error), PTOWSP_OK);
	base_strays_finish(resident, places, t->count);
}

TEST(windows_outside_of_tensors_go_there_and_back)
{
	const uint64_t seed = random_start();
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct base_resident resident;
	float here[ELEMENTS], there[ELEMENTS], *at[WINDOWS];
	bool good = true;

	base_resident_init(&resident, &device);
	for (unsigned n = 0; n < TRIALS && good; n++) {
		uint64_t state = draw_seed(seed + n);
		struct trial t;

		for (unsigned e = 0; e < ELEMENTS; e++)
			here[e] = there[e] = (float)draw(&state, 100);
		t = trial_draw(&state, there);
		for (uint32_t i = 0; i < t.count; i++)
			at[i] = here + ((float *)t.windows[i].data - there);
		kernel(&t, at);
		trial_run(&resident, &t, &error);
		good = !memcmp(here, there, sizeof(here)) && !pieces;
		if (!good)
			CHECK_FAIL("PTOWSP_SEED=%llu: the device leaves other elements, or %llu pieces", (unsigned long long)(seed + n),
				   (unsigned long long)pieces);
	}
	base_resident_finish(&resident);
}
