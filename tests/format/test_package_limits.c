/* SPDX-License-Identifier: MIT
 * test_package_limits.c - numbers that a package may have at most: that one is packed and read, one more is refused by a sentence. */
#include "format/writer.h"
#include "ptowsp/workload.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

#define ROW(writer, SECT, record) pkg_writer_row(writer, PTOWSP_SECTION_##SECT, &(record), sizeof(record))

/* `count` times a letter. */
static const char *letters(uint64_t count)
{
	static char text[1024];

	REQUIRE(count < sizeof(text));
	memset(text, 'k', (size_t)count);
	text[count] = '\0';
	return text;
}

static struct ptowsp_kernel_record kernel_of(struct pkg_writer *w, const char *name)
{
	return (struct ptowsp_kernel_record){.id = ptowsp_id(name, strlen(name)), .name = pkg_writer_string(w, name)};
}

static void parameters(struct pkg_writer *w, uint64_t count)
{
	struct ptowsp_kernel_record kernel = kernel_of(w, "k");
	struct ptowsp_param_record param = {.name = pkg_writer_string(w, "x"), .access = 1};

	kernel.param_count = (uint32_t)count;
	for (uint64_t i = 0; i < count; i++)
		ROW(w, KPRM, param);
	ROW(w, KREG, kernel);
}

static void payloads_with(struct pkg_writer *w, uint64_t count, uint64_t cycles)
{
	static const uint8_t code[64] = "code";
	struct ptowsp_kernel_record kernel = kernel_of(w, "k");
	struct ptowsp_payload_record payload = {.kind = PTOWSP_PAYLOAD_SOURCE, .size = sizeof(code), .cycles = cycles};

	kernel.payload_count = (uint32_t)count;
	payload.offset = pkg_writer_bytes(w, PTOWSP_SECTION_CODE, code, sizeof(code), 64);
	for (uint64_t i = 0; i < count; i++)
		ROW(w, KPAY, payload);
	ROW(w, KREG, kernel);
}

static void variants(struct pkg_writer *w, uint64_t count)
{
	struct ptowsp_kernel_record kernel = kernel_of(w, "k");
	struct ptowsp_variant_record variant = {32, 0};

	kernel.variant_count = (uint32_t)count;
	for (uint64_t i = 0; i < count; i++)
		ROW(w, KVAR, variant);
	ROW(w, KREG, kernel);
}

static void signature(struct pkg_writer *w, uint64_t count)
{
	struct ptowsp_kernel_record kernel = kernel_of(w, "k");
	char text[256] = "v(p";

	while (--count)
		strcat(text, ",p");
	kernel.signature = pkg_writer_string(w, strcat(text, ")"));
	ROW(w, KREG, kernel);
}

/* Of two processes. */
static void replicas(struct pkg_writer *w, uint64_t count)
{
	static const struct {
		struct ptowsp_workload_header header;
		struct ptowsp_instruction end;
	} work = {{PTOWSP_WORKLOAD_MAGIC, PTOWSP_WORKLOAD_VERSION, 1, 0, 0, 0}, {PTOWSP_OP_HALT, 0, 0, 0}};

	for (uint32_t i = 0; i < 2; i++) {
		const char *name = i ? "b" : "a";
		struct ptowsp_process_record process = {
			.id = ptowsp_id(name, 1), .name = pkg_writer_string(w, name), .order = i, .replicas = i ? (uint32_t)count - 1 : 1};

		ROW(w, PROC, process);
	}
	pkg_writer_bytes(w, PTOWSP_SECTION_WORK, &work, sizeof(work), 8);
}

static void facts(struct pkg_writer *w, uint64_t count)
{
	while (pkg_writer_count(w, PTOWSP_SECTION_META) < count)
		pkg_writer_meta(w, check_fmt("key %u", pkg_writer_count(w, PTOWSP_SECTION_META)), "value");
}

static void key_bytes(struct pkg_writer *w, uint64_t count)
{
	pkg_writer_meta(w, letters(count), "value");
}

static void file_bytes(struct pkg_writer *w, uint64_t count)
{
	struct ptowsp_kernel_record kernel = kernel_of(w, "k");
	struct ptowsp_debug_record debug = {.file = pkg_writer_string(w, letters(count)), .kind = 1, .line = 1};

	ROW(w, KREG, kernel);
	ROW(w, DBGI, debug);
}

static void tensor_with(struct pkg_writer *w, uint64_t dims, uint64_t alignment)
{
	struct ptowsp_expr_record two = {.op = PTOWSP_EXPR_CONST, .b = 2};
	struct ptowsp_dim_record dim = {0};
	struct ptowsp_tensor_record tensor = {.id = ptowsp_id("x", 1),
					      .name = pkg_writer_string(w, "x"),
					      .dim_count = (uint32_t)dims,
					      .alignment = (uint32_t)alignment,
					      .entry = PTOWSP_NONE};

	ROW(w, EXPR, two);
	for (uint64_t i = 0; i < dims; i++)
		ROW(w, DIMS, dim);
	ROW(w, TENS, tensor);
}

static void depth(struct pkg_writer *w, uint64_t loops)
{
	struct ptowsp_expr_record loop = {.op = PTOWSP_EXPR_LOOP, .a = (uint32_t)loops};

	ROW(w, EXPR, loop);
}

#define FILL(name, call)                                                                                                                                       \
	static void name(struct pkg_writer *w, uint64_t number)                                                                                                \
	{                                                                                                                                                      \
		call;                                                                                                                                          \
	}
FILL(payloads, payloads_with(w, number, 0))
FILL(cycles, payloads_with(w, 1, number))
FILL(dimensions, tensor_with(w, number, 0))
FILL(alignment, tensor_with(w, 1, number))

static const struct limit {
	const char *name;
	uint64_t most, over;
	void (*fill)(struct pkg_writer *w, uint64_t number);
	const char *says;
} limits[] = {
	{"a_kernel_has_65535_parameters", 65535, 65536, parameters, "KREG[0].param_count is 65536, the limit is 65535"},
	{"a_kernel_has_65535_payloads", 65535, 65536, payloads, "KREG[0].payload_count is 65536, the limit is 65535"},
	{"a_kernel_has_65535_variants", 65535, 65536, variants, "KREG[0].variant_count is 65536, the limit is 65535"},
	{"a_signature_has_32_arguments", 32, 33, signature, "write it as v(p,p,i64), types i8 to u64, f32, f64, p, at most 32"},
	{"a_call_takes_2_40_cycles", UINT64_C(1) << 40, (UINT64_C(1) << 40) + 1, cycles, "KPAY[0].cycles is 1099511627777, the limit is 1099511627776"},
	{"processes_have_4096_instances", 4096, 4097, replicas, "PROC[1].replicas is 4096: all processes together have at most 4096 instances"},
	{"a_package_has_1024_facts", 1024, 1025, facts, "META has 1025 rows, the limit is 1024"},
	{"a_key_has_127_bytes", 127, 128, key_bytes, "has more than 127 bytes"},
	{"the_name_of_a_source_has_255_bytes", 255, 256, file_bytes, "DBGI[0].file has more than 255 bytes"},
	{"a_tensor_has_4_dimensions", 4, 5, dimensions, "TENS[0].dim_count is 5: a tensor has at most 4 dimensions"},
	{"a_tensor_is_aligned_to_2_30_bytes", 1 << 30, UINT64_C(1) << 31, alignment,
	 "TENS[0].alignment is 2147483648: 0 or a power of two up to 2^30 is needed"},
	{"loops_nest_64_deep", PTOWSP_NESTING_LIMIT - 1, PTOWSP_NESTING_LIMIT, depth, "EXPR[0].a is 64: loops nest at most 64 deep"},
};

/* NULL: it is packed. */
static const char *refusal(const struct limit *limit, uint64_t number)
{
	static struct ptowsp_error error;
	struct pkg_writer *w = pkg_writer_create();
	void *bytes = NULL;
	size_t size;
	ptowsp_status status;

	error = (struct ptowsp_error){.text = ""};
	REQUIRE(w != NULL);
	pkg_writer_level(w, 1);
	limit->fill(w, number);
	status = pkg_writer_sort(w, &error);
	if (!status)
		status = pkg_writer_seal(w, &bytes, &size, &error);
	free(bytes);
	pkg_writer_destroy(w);
	CHECK(!status || status == PTOWSP_BAD_PACKAGE);
	return status ? error.text : NULL;
}

static void run_limit(void)
{
	const struct limit *limit = CHECK_ROW(limits);
	const char *said;

	said = refusal(limit, limit->most);
	CHECK_STR(said ? said : "packed", "packed");
	said = refusal(limit, limit->over);
	CHECK_CONTAINS(said ? said : "packed", limit->says);
}

void suite_package_limits(CU_pSuite s)
{
	CHECK_ROWS(s, limits, run_limit);
}
