/* SPDX-License-Identifier: MIT
 * test_ascend_arch.c - 910B, 910C and 950: every number is there and has a source, rows of the devices. */
#include "ascend/ascend_arch.h"
#include "tests/check.h"

static const struct row {
	const char *arch, *number, *source;
	uint64_t value;
} rows[] = {
#define X(arch, number, value, source) {#arch, #number, source, value},
#include "ascend/ascend_arch.def"
#undef X
};
enum {
	ROWS = sizeof(rows) / sizeof(*rows),
	NUMBERS = (offsetof(struct ascend_arch, ready_tasks) - offsetof(struct ascend_arch, clusters)) / sizeof(uint32_t) + 1
};

static unsigned times(const char *arch, const char *number)
{
	unsigned count = 0;

	for (unsigned i = 0; i < ROWS; i++)
		count += !strcmp(rows[i].arch, arch) && !strcmp(rows[i].number, number);
	return count;
}

TEST(every_number_is_there_once_and_has_a_source)
{
	for (unsigned i = 0; i < ROWS; i++) {
		CHECK_UINT(times("910B", rows[i].number), 1);
		CHECK_UINT(times("910C", rows[i].number), 1);
		CHECK_UINT(times("950", rows[i].number), 1);
		CHECK(strlen(rows[i].source) > 5);
	}
	CHECK_UINT(ROWS % ASCEND_ARCH_COUNT, 0);
	CHECK_UINT(ROWS / ASCEND_ARCH_COUNT, NUMBERS); /* each number of the struct is a line of the table */
}

TEST(numbers_fit_together)
{
	for (int i = 0; i < ASCEND_ARCH_COUNT; i++) {
		const struct ascend_arch *a = ascend_arch((enum ascend_arch_id)i);

		CHECK_UINT(a->first_vector, a->first_cube + a->clusters);
		CHECK(a->aicpus && a->aicpus <= a->aicpus_most);
		CHECK(a->clock_mhz >= a->counter_mhz && a->counter_mhz);
		CHECK(a->block && !(a->ub % a->block) && !(a->l1 % a->block) && !(a->l0a % a->block) && !(a->l0c % a->block));
		CHECK(a->ring_tasks >= 4 && !(a->ring_tasks & (a->ring_tasks - 1)));
		CHECK_UINT(a->ready_tasks, (uint64_t)a->rings * a->ring_tasks);
	}
}

TEST(cores_are_numbered_cubes_first)
{
	const struct ascend_arch *b = ascend_arch(ASCEND_910B), *five = ascend_arch(ASCEND_950);

	CHECK_UINT(ascend_arch_cores(b), 72);
	CHECK_UINT(b->first_cube, 0);
	CHECK_UINT(b->first_vector, 24);
	CHECK_UINT(b->first_vector + ascend_arch_vectors(b) - 1, 71);
	CHECK_UINT(ascend_arch_cores(five), 108);
	CHECK_UINT(ascend_arch_vectors(five), 72);
}

TEST(times_become_cycles_of_the_cores)
{
	const struct ascend_arch *b = ascend_arch(ASCEND_910B), *five = ascend_arch(ASCEND_950);

	CHECK_UINT(ascend_arch_cycles(b, 140), 252);
	CHECK_UINT(ascend_arch_cycles(b, 600), 1080);
	CHECK_UINT(ascend_arch_cycles(b, 5), 9);
	CHECK_UINT(ascend_arch_cycles(five, 140), 231);
	CHECK_UINT(ascend_arch_cycles(five, 5), 8);
	CHECK_UINT(ascend_arch_cycles(b, 0), 0);
	CHECK_UINT(ascend_arch_cycles(five, UINT64_C(1) << 32), 7086696038);
}

static uint64_t capacity(const struct ptowsp_device *d, unsigned space)
{
	for (uint32_t i = 0; i < d->memory_count; i++)
		if (d->memories[i].space == space)
			return d->memories[i].capacity;
	return UINT64_MAX;
}

static uint32_t units(const struct ptowsp_device *d, unsigned unit)
{
	for (uint32_t i = 0; i < d->unit_count; i++)
		if (d->units[i].unit == unit)
			return d->units[i].count;
	return 0;
}

TEST(device_rows_are_the_numbers)
{
	static const struct {
		const char *model, *engine;
		unsigned timing;
	} kinds[ASCEND_KIND_COUNT] = {
		{"core", "machine", PTOWSP_TIMING_EVENTS},
		{"op-sum", "machine", PTOWSP_TIMING_EVENTS},
		{"name", "machine", PTOWSP_TIMING_EVENTS},
		{"reference", "threads", PTOWSP_TIMING_REFERENCE},
		{"plan", "pto-runtime tensormap_and_ringbuffer", PTOWSP_TIMING_EVENTS},
		{"plan", "pto-runtime host_build_graph", PTOWSP_TIMING_EVENTS},
		{"plan", "pto-runtime tensormap_and_ringbuffer", PTOWSP_TIMING_EVENTS},
		{"plan", "pto-runtime host_build_graph", PTOWSP_TIMING_EVENTS},
	};

	for (unsigned kind = 0; kind < ASCEND_KIND_COUNT; kind++)
		for (unsigned i = 0; i < ASCEND_DEVICE_COUNT; i++) {
			const struct base_model *m = &ascend_models((enum ascend_kind)kind, ASCEND_910B)[i];
			const struct ptowsp_device *d = &m->device;
			const struct ascend_arch *a = ascend_model_arch(m);

			CHECK_UINT(d->head.size, sizeof(*d));
			CHECK_STR(d->name, check_fmt("%s-%u", a->name, i % ASCEND_DEVICES_EACH));
			CHECK_CONTAINS(d->text, a->text);
			CHECK_STR(d->cycle_model, kinds[kind].model);
			CHECK_STR(d->engine, kinds[kind].engine);
			CHECK_UINT(capacity(d, PTOWSP_SPACE_UB), a->ub);
			CHECK_UINT(capacity(d, PTOWSP_SPACE_L1), a->l1);
			CHECK_UINT(capacity(d, PTOWSP_SPACE_GM), (uint64_t)a->hbm_mib << 20);
			CHECK_UINT(capacity(d, PTOWSP_SPACE_L2), (uint64_t)a->l2_mib << 20);
			CHECK_UINT(units(d, PTOWSP_UNIT_AIC), a->clusters);
			CHECK_UINT(units(d, PTOWSP_UNIT_AIV), ascend_arch_vectors(a));
			CHECK_UINT(units(d, PTOWSP_UNIT_AIC_AIV), a->clusters);
			CHECK_UINT(units(d, PTOWSP_UNIT_AICPU), a->aicpus);
			CHECK_UINT(d->timing, kinds[kind].timing);
		}
}

TEST(an_architecture_comes_first_and_the_others_follow)
{
	for (unsigned kind = 0; kind < ASCEND_KIND_COUNT; kind++)
		for (unsigned first = 0; first < ASCEND_ARCH_COUNT; first++) {
			const struct base_model *m = ascend_models((enum ascend_kind)kind, (enum ascend_arch_id)first);

			for (unsigned i = 0; i < ASCEND_DEVICE_COUNT; i++)
				CHECK_UINT(ascend_model_id(&m[i]), (first + i / ASCEND_DEVICES_EACH) % ASCEND_ARCH_COUNT);
			CHECK_STR(m[0].device.name, check_fmt("%s-0", ascend_arch((enum ascend_arch_id)first)->name));
		}
}

TEST(each_belongs_to_its_platform)
{
	const struct base_model *m = ascend_models(ASCEND_MACHINE, ASCEND_910B);

	CHECK_INT(m[0].platform == RT_PLATFORM_A2 && m[2].platform == RT_PLATFORM_A3 && m[4].platform == RT_PLATFORM_A5, 1);
}
