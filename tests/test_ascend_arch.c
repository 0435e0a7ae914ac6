/* SPDX-License-Identifier: MIT
 * test_ascend_arch.c - 910B, 910C and 950: every number is there and has a source, rows and selectors. */
#include "ascend/arch.h"
#include "check.h"

static const struct row {
	const char *arch, *number, *source;
	uint64_t value;
} rows[] = {
#define X(arch, number, value, source) {#arch, #number, source, value},
#include "ascend/arch.def"
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

static void every_number_is_there_once_and_has_a_source(void)
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

static void numbers_fit_together(void)
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

static void cores_are_numbered_cubes_first(void)
{
	const struct ascend_arch *b = ascend_arch(ASCEND_910B), *five = ascend_arch(ASCEND_950);

	CHECK_UINT(ascend_arch_cores(b), 72);
	CHECK_UINT(b->first_cube, 0);
	CHECK_UINT(b->first_vector, 24);
	CHECK_UINT(b->first_vector + ascend_arch_vectors(b) - 1, 71);
	CHECK_UINT(ascend_arch_cores(five), 108);
	CHECK_UINT(ascend_arch_vectors(five), 72);
}

static void times_become_cycles_of_the_cores(void)
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

static void device_rows_are_the_numbers(void)
{
	for (int kind = ASCEND_SIMULATED; kind <= ASCEND_ONBOARD; kind++)
		for (int i = 0; i < ASCEND_DEVICE_COUNT; i++) {
			const struct ptowsp_device *d = &ascend_devices((enum ascend_kind)kind)[i];
			const struct ascend_arch *a = ascend_device_arch(i);

			CHECK_UINT(d->head.size, sizeof(*d));
			CHECK(!strncmp(d->name, a->name, strlen(a->name)));
			CHECK_INT(ascend_device_find(d->name), i);
			CHECK_CONTAINS(d->text, a->text);
			CHECK_UINT(capacity(d, PTOWSP_SPACE_UB), a->ub);
			CHECK_UINT(capacity(d, PTOWSP_SPACE_L1), a->l1);
			CHECK_UINT(capacity(d, PTOWSP_SPACE_GM), (uint64_t)a->hbm_mib << 20);
			CHECK_UINT(capacity(d, PTOWSP_SPACE_L2), (uint64_t)a->l2_mib << 20);
			CHECK_UINT(units(d, PTOWSP_UNIT_AIC), a->clusters);
			CHECK_UINT(units(d, PTOWSP_UNIT_AIV), ascend_arch_vectors(a));
			CHECK_UINT(units(d, PTOWSP_UNIT_AIC_AIV), a->clusters);
			CHECK_UINT(units(d, PTOWSP_UNIT_AICPU), a->aicpus);
			CHECK_UINT(d->timing, kind == ASCEND_SIMULATED ? PTOWSP_TIMING_EVENTS : PTOWSP_TIMING_MEASURED);
		}
}

static void selectors_name_a_device_or_an_architecture(void)
{
	CHECK_INT(ascend_device_find(NULL), 0);
	CHECK_INT(ascend_device_find(""), 0);
	CHECK_INT(ascend_device_find("910b"), 0);
	CHECK_INT(ascend_device_find("910b-1"), 1);
	CHECK_INT(ascend_device_find("910c"), 2);
	CHECK_INT(ascend_device_find("950"), 4);
	CHECK_INT(ascend_device_find("950-1"), 5);
	CHECK_INT(ascend_device_find("950-2"), -1);
	CHECK_INT(ascend_device_find("910"), -1);
}

void suite_ascend_arch(CU_pSuite s)
{
	TEST(s, every_number_is_there_once_and_has_a_source);
	TEST(s, numbers_fit_together);
	TEST(s, cores_are_numbered_cubes_first);
	TEST(s, times_become_cycles_of_the_cores);
	TEST(s, device_rows_are_the_numbers);
	TEST(s, selectors_name_a_device_or_an_architecture);
}
