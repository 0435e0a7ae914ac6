/* SPDX-License-Identifier: MIT
 * test_cpu_sim_kernels.c - kernels as cpu_sim finds and runs them: registered, built in, portable, native; blocks, and payloads that are broken. */
#include "tests/check.h"
#include "tests/host/fake_host.h"
#include "tests/isa/fake_tile.h"

TEST(each_block_knows_its_index)
{
	fake_reset();
	fake_chain_program("record", 1);
	((struct ptowsp_kernel_record *)fake_rows(PTOWSP_SECTION_KREG))->blockdim = 4;
	fake_start(2);
	blocks_seen = 0;
	CHECK_INT(fake_submit(1, 0, NULL), PTOWSP_OK);
	fake_drain();
	CHECK_STR(fake.error, "");
	CHECK_UINT(blocks_seen, 0xF);
	CHECK_UINT(block_count_seen, 4);
	CHECK_UINT(fake.stats.tasks, 1);
	CHECK_UINT(fake.stats.total_cycles, 20); /* four rounds of one block of 5 */
	CHECK_UINT(fake.first_kernel_cycles, 20);
	fake_stop();
}

TEST(blocks_of_a_portable_kernel_add_up_with_and_without_running)
{
	fake_reset();
	fake_add_program();
	((struct ptowsp_kernel_record *)fake_rows(PTOWSP_SECTION_KREG))->blockdim = 3;
	fake_start(1);
	CHECK_INT(fake_submit(1, 0, NULL), PTOWSP_OK);
	fake_drain();
	CHECK_UINT(fake.stats.total_cycles, 3 * 4 * ELEMENTS);
	CHECK_INT(fake_submit(2, PTOWSP_RUN_NO_KERNELS, NULL), PTOWSP_OK);
	fake_drain();
	CHECK_UINT(fake.stats.total_cycles, 3 * 4 * ELEMENTS);
	fake_stop();
}

TEST(built_in_kernels_copy_and_fill)
{
	uint32_t fill, copy, zero;

	fake_reset();
	zero = fake_program_const(&fake.code, 0);
	fill = fake_program_kernel(&fake.code, "fill", 1, 1, NULL, 0);
	copy = fake_program_kernel(&fake.code, "copy", 2, 0, NULL, 0);
	for (unsigned i = 0; i < 3; i++)
		fake_program_tensor(&fake.code, check_fmt("t%u", i), ROWS, COLUMNS);
	fake_program_task(&fake.code, fill, 1, 1);
	fake_program_emit(&fake.code, PTOWSP_OP_IO_OUTPUT, 0, fake_program_region(&fake.code, 0, zero, ROWS, COLUMNS));
	fake_program_emit(&fake.code, PTOWSP_OP_PARAM_CONST, 0, 0x40000000); /* 2.0f */
	fake_program_task(&fake.code, copy, 2, 0);
	fake_program_emit(&fake.code, PTOWSP_OP_IO_INPUT, 0, fake_program_region(&fake.code, 0, zero, 2, COLUMNS));
	fake_program_emit(&fake.code, PTOWSP_OP_IO_OUTPUT, 1, fake_program_region(&fake.code, 1, zero, 2, COLUMNS));
	fake_start(2);
	CHECK_INT(fake_submit(1, 0, NULL), PTOWSP_OK);
	fake_drain();
	CHECK_STR(fake.error, "");
	CHECK_UINT(fake.stats.total_cycles, ELEMENTS + 2 * COLUMNS);
	CHECK_NEAR(fake.data[0][ELEMENTS - 1], 2, 0);
	CHECK_NEAR(fake.data[1][2 * COLUMNS - 1], 2, 0);
	CHECK_NEAR(fake.data[1][2 * COLUMNS], 0, 0);
	fake_stop();
}

/* A task of a built-in kernel: the rows of its tensors, 0: it has one less; its scalars. */
static void built_in_kernel_is(const char *name, const uint32_t rows[3], uint32_t scalars, const char *wrong)
{
	uint32_t tensors = 0, kernel, zero;

	while (tensors < 3 && rows[tensors])
		tensors++;
	fake_reset();
	zero = fake_program_const(&fake.code, 0);
	kernel = fake_program_kernel(&fake.code, name, tensors, scalars, NULL, 0);
	for (unsigned i = 0; i < 3; i++)
		fake_program_tensor(&fake.code, check_fmt("t%u", i), ROWS, COLUMNS);
	fake_program_task(&fake.code, kernel, tensors, scalars);
	for (uint32_t i = 0; i < tensors; i++)
		fake_program_emit(&fake.code, i ? PTOWSP_OP_IO_OUTPUT : PTOWSP_OP_IO_INPUT, (uint16_t)i,
				  fake_program_region(&fake.code, i, zero, rows[i], COLUMNS));
	for (uint32_t i = 0; i < scalars; i++)
		fake_program_emit(&fake.code, PTOWSP_OP_PARAM_CONST, (uint16_t)i, 7);
	fake_start(2);
	CHECK_INT(fake_submit(1, 0, NULL), PTOWSP_OK);
	fake_drain();
	CHECK_INT(fake.status, *wrong ? PTOWSP_KERNEL_FAILED : PTOWSP_OK);
	CHECK_CONTAINS(fake.error, wrong);
	fake_stop();
}

TEST(built_in_kernels_say_what_they_take)
{
	built_in_kernel_is("copy", (const uint32_t[3]){2, 2, 0}, 0, "");
	built_in_kernel_is("copy", (const uint32_t[3]){2, 0, 0}, 0, "copy takes 2 tensors, source and destination, not 1");
	built_in_kernel_is("copy", (const uint32_t[3]){2, 2, 2}, 0, "copy takes 2 tensors, source and destination, not 3");
	built_in_kernel_is("copy", (const uint32_t[3]){2, 1, 0}, 0, check_fmt("copy needs equal shapes and types, got 2x%d and 1x%d", COLUMNS, COLUMNS));
	built_in_kernel_is("fill", (const uint32_t[3]){2, 0, 0}, 1, "");
	built_in_kernel_is("fill", (const uint32_t[3]){2, 0, 0}, 0, "fill takes 1 tensor and 1 scalar, not 1 and 0");
	built_in_kernel_is("fill", (const uint32_t[3]){2, 0, 0}, 2, "fill takes 1 tensor and 1 scalar, not 1 and 2");
	built_in_kernel_is("fill", (const uint32_t[3]){2, 2, 0}, 1, "fill takes 1 tensor and 1 scalar, not 2 and 1");
}

TEST(a_kernel_nobody_serves_is_named_and_still_counted)
{
	fake_reset();
	fake_chain_program("mystery", 4);
	fake_start(2);
	CHECK_INT(fake_submit(1, 0, NULL), PTOWSP_OK);
	fake_drain();
	CHECK_INT(fake.status, PTOWSP_KERNEL_FAILED);
	CHECK_CONTAINS(fake.error, "mystery");
	CHECK_CONTAINS(fake.error, "cpu_sim");
	CHECK_CONTAINS(fake.error, "nop");
	CHECK_CONTAINS(fake.error, "sleepy");
	CHECK_INT(fake_submit(2, PTOWSP_RUN_NO_KERNELS, NULL), PTOWSP_OK);
	fake_drain();
	CHECK_INT(fake.status, PTOWSP_OK);
	CHECK_UINT(fake.stats.tasks, 4);
	fake_stop();
}

static ptowsp_status load_flags(uint32_t flags, struct ptowsp_error *error)
{
	uint32_t count;
	const struct ptowsp_section *sections = fake_program_seal(&fake.code, &count);
	struct ptowsp_load_args args = {
		.head = PTOWSP_HEAD(args, LOAD_ARGS), .sections = sections, .section_count = count, .section_stride = sizeof(*sections), .flags = flags};

	*error = (struct ptowsp_error){.head = PTOWSP_HEAD(*error, ERROR)};
	return fake.ops->load(fake.device, &args, &fake.program, error);
}

TEST(native_code_is_skipped_without_trust_and_refused_with_it)
{
	struct ptowsp_error error;

	for (uint32_t flags = 0; flags <= PTOWSP_LOAD_TRUST_NATIVE; flags++) {
		fake_reset();
		fake_add_program();
		((struct ptowsp_payload_record *)fake_rows(PTOWSP_SECTION_KPAY))->kind = PTOWSP_PAYLOAD_ELF;
		CHECK_INT(fake_init(NULL, NULL, &error), PTOWSP_OK);
		CHECK_INT(fake_open(1, &error), PTOWSP_OK);
		CHECK_INT(load_flags(flags, &error), flags ? PTOWSP_UNSUPPORTED : PTOWSP_OK);
		if (flags) {
			CHECK_CONTAINS(error.text, "kernel add carries native code");
			CHECK(fake.program == NULL);
		} else {
			CHECK_INT(fake_submit(1, 0, NULL), PTOWSP_OK);
			fake_drain();
			CHECK_INT(fake.status, PTOWSP_KERNEL_FAILED);
			CHECK_CONTAINS(fake.error, "without --trust");
		}
		fake_stop();
	}
}

TEST(a_payload_for_another_target_does_not_serve)
{
	fake_reset();
	fake_add_program();
	((struct ptowsp_payload_record *)fake_rows(PTOWSP_SECTION_KPAY))->target = fake_program_string(&fake.code, "aie");
	fake_start(1);
	CHECK_INT(fake_submit(1, 0, NULL), PTOWSP_OK);
	fake_drain();
	CHECK_INT(fake.status, PTOWSP_KERNEL_FAILED);
	CHECK_CONTAINS(fake.error, "only for other targets");
	fake_stop();
}

TEST(cycles_of_a_payload_may_be_fixed)
{
	fake_reset();
	fake_add_program();
	((struct ptowsp_payload_record *)fake_rows(PTOWSP_SECTION_KPAY))->cycles = 77;
	fake_start(1);
	CHECK_INT(fake_submit(1, 0, NULL), PTOWSP_OK);
	fake_drain();
	CHECK_UINT(fake.stats.total_cycles, 77);
	CHECK_INT(fake_submit(1, PTOWSP_RUN_NO_KERNELS, NULL), PTOWSP_OK);
	fake_drain();
	CHECK_UINT(fake.stats.total_cycles, 77);
	fake_stop();
}

TEST(a_broken_payload_is_refused_when_loaded)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};

	fake_reset();
	fake_add_program();
	fake_program_kernel(&fake.code, "later", 0, 0, NULL, 0); /* not reached */
	((unsigned char *)fake_rows(PTOWSP_SECTION_CODE))[0] ^= 1;
	CHECK_INT(fake_init(NULL, NULL, &error), PTOWSP_OK);
	CHECK_INT(fake_open(1, &error), PTOWSP_OK);
	CHECK_INT(fake_load(&error), PTOWSP_BAD_PACKAGE);
	CHECK(*error.text);
	CHECK(fake.program == NULL);
	fake_stop();
}

/* d = a + b of different shapes: the kernel cannot run, and says where and why; it is still counted. */
TEST(a_shape_error_fails_only_the_runs_that_reach_it)
{
	struct ptowsp_debug_record place = {.kind = 1, .row = 0, .line = 12};
	struct fake_tile tile = {0};
	uint32_t kernel;
	uint64_t size;
	const void *payload;
	uint16_t a, b;

	fake_reset();
	a = fake_tile_tile(&tile, 8, 8);
	b = fake_tile_tile(&tile, 8, 1);
	fake_tile_inst(&tile, PTOWSP_PTO_TDIV, a, a, b, 0);
	payload = fake_tile_pack(&tile, &size);
	kernel = fake_program_kernel(&fake.code, "crooked", 0, 0, payload, size);
	place.file = fake_program_string(&fake.code, "softmax.pto");
	fake_program_row(&fake.code, PTOWSP_SECTION_DBGI, &place, sizeof(place));
	for (unsigned i = 0; i < 3; i++)
		fake_program_tensor(&fake.code, check_fmt("t%u", i), ROWS, COLUMNS);
	fake_program_task(&fake.code, kernel, 0, 0);
	fake_start(1);
	CHECK_INT(fake_submit(1, 0, NULL), PTOWSP_OK);
	fake_drain();
	CHECK_INT(fake.status, PTOWSP_KERNEL_FAILED);
	CHECK_CONTAINS(fake.error, "crooked (softmax.pto:12)");
	CHECK_CONTAINS(fake.error, "tdiv");
	CHECK_CONTAINS(fake.error, "8x1");
	CHECK_INT(fake_submit(2, PTOWSP_RUN_NO_KERNELS, NULL), PTOWSP_OK);
	fake_drain();
	CHECK_INT(fake.status, PTOWSP_OK);
	CHECK_UINT(fake.stats.tasks, 1);
	fake_stop();
}
