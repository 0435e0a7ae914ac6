/* SPDX-License-Identifier: MIT */
/* format_plain.c - all tables into a writer again, but for what --native added at the end of them. */
#include "format/format_plain.h"

#include "format/fail.h"
#include "format/schema.h"
#include "format/writer.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Whether a payload (row of KPAY) of a kernel came so: of kind elf, right in front of a portable one, and its object ends CODE. */
static bool payload_is_added(const struct pkg_tables *t, const struct ptowsp_kernel_record *kernel, uint32_t payload)
{
	const struct ptowsp_payload_record *p = &t->payload[payload];

	return payload >= kernel->payloads && payload + 1 < kernel->payloads + kernel->payload_count && p->kind == PTOWSP_PAYLOAD_ELF &&
	       p[1].kind == PTOWSP_PAYLOAD_PTO && p->offset + p->size == t->code_size;
}

/* Rows of KPAY: 1 where one was added. The number of these. */
static uint32_t payloads_mark(const struct pkg_tables *t, uint8_t *added)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < t->kernel_count; i++)
		for (uint32_t k = 0; k < t->kernel[i].payload_count; k++) {
			const uint32_t row = t->kernel[i].payloads + k;

			if (!added[row] && payload_is_added(t, &t->kernel[i], row)) {
				added[row] = 1;
				count++;
			}
		}
	return count;
}

/* Strings get the places that they have: those of --native are the last ones, from the key on. 0: a string stands twice, another packer made them. */
static bool strings_write(struct pkg_writer *writer, const struct pkg_tables *t)
{
	for (size_t at = 1; at < t->strings_size && strcmp(t->strings + at, PKG_NATIVE_COMPILER); at += strlen(t->strings + at) + 1)
		if (pkg_writer_string(writer, t->strings + at) != at)
			return false;
	return true;
}

static void facts_write(struct pkg_writer *writer, const struct pkg_tables *t)
{
	for (uint32_t i = 0; i < t->meta_count; i++) {
		const char *key = pkg_string(t, t->meta[i].key);

		if (strcmp(key, PKG_NATIVE_COMPILER) && strcmp(key, PKG_NATIVE_FLAGS))
			pkg_writer_row(writer, PTOWSP_SECTION_META, &t->meta[i], sizeof(t->meta[i]));
	}
}

static uint32_t added_before(const uint8_t *added, uint32_t from, uint32_t to)
{
	uint32_t count = 0;

	for (uint32_t i = from; i < to; i++)
		count += added[i];
	return count;
}

/* Payloads, kernels with the rows that they then have, and CODE up to the last payload that stays. */
static void kernels_write(struct pkg_writer *writer, const struct pkg_tables *t, const uint8_t *added)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < t->payload_count; i++)
		if (!added[i]) {
			pkg_writer_row(writer, PTOWSP_SECTION_KPAY, &t->payload[i], sizeof(t->payload[i]));
			end = t->payload[i].offset + t->payload[i].size > end ? t->payload[i].offset + t->payload[i].size : end;
		}
	for (uint32_t i = 0; i < t->kernel_count; i++) {
		struct ptowsp_kernel_record kernel = t->kernel[i];

		if (kernel.payload_count) {
			kernel.payload_count -= added_before(added, kernel.payloads, kernel.payloads + kernel.payload_count);
			kernel.payloads -= added_before(added, 0, kernel.payloads);
		}
		pkg_writer_row(writer, PTOWSP_SECTION_KREG, &kernel, sizeof(kernel));
	}
	pkg_writer_bytes(writer, PTOWSP_SECTION_CODE, t->code, (size_t)end, 0);
}

static ptowsp_status rest_write(struct pkg_writer *writer, struct pkg *package, struct ptowsp_error *error)
{
	const struct pkg_tables *t = pkg_tables(package);
	const void *sample;
	uint64_t sample_size;
	uint32_t count, rows, targets;
	const struct pkg_schema *schemas = pkg_schema_all(&count);
	const char *const *target = pkg_targets(package, &targets);
	ptowsp_status status = pkg_sample_section(package, &sample, &sample_size, error);

	for (uint32_t i = 0; i < count && !status; i++) {
		const uint8_t *array = pkg_schema_array(&schemas[i], t, &rows);

		if (rows && schemas[i].type != PTOWSP_SECTION_META && schemas[i].type != PTOWSP_SECTION_KPAY && schemas[i].type != PTOWSP_SECTION_KREG)
			pkg_writer_replace(writer, schemas[i].type, array, (size_t)rows * schemas[i].bytes);
	}
	if (!status) {
		pkg_writer_bytes(writer, PTOWSP_SECTION_WORK, t->raw_work, (size_t)t->raw_work_size, 0);
		pkg_writer_bytes(writer, PTOWSP_SECTION_GRPH, t->graph, (size_t)t->graph_size, 0);
		pkg_writer_bytes(writer, PTOWSP_SECTION_TBLB, sample, (size_t)sample_size, 0);
	}
	for (uint32_t i = 0; i < targets; i++)
		pkg_writer_target(writer, target[i]);
	return status;
}

static ptowsp_status plain_seal(struct pkg_writer *writer, struct pkg *package, const uint8_t *added, struct pkg **plain_out, void **bytes_out,
				struct ptowsp_error *error)
{
	const struct pkg_tables *t = pkg_tables(package);
	size_t size;
	ptowsp_status status;

	facts_write(writer, t);
	kernels_write(writer, t, added);
	status = rest_write(writer, package, error);
	if (!status)
		status = pkg_writer_seal(writer, bytes_out, &size, error);
	return status ? status : pkg_open_memory(plain_out, *bytes_out, size, pkg_path(package), NULL, error);
}

ptowsp_status pkg_plain_make(struct pkg *package, struct pkg **plain_out, void **bytes_out, struct ptowsp_error *error)
{
	const struct pkg_tables *t = pkg_tables(package);
	uint8_t *added = calloc(t->payload_count + 1u, 1);
	struct pkg_writer *writer = pkg_writer_create();
	ptowsp_status status = PTOWSP_OK;

	*plain_out = NULL;
	*bytes_out = NULL;
	if (!added || !writer)
		status = pkg_fail(error, PTOWSP_NO_MEMORY, "out of memory for the package");
	else if (pkg_meta(package, PKG_NATIVE_COMPILER) && pkg_meta(package, PKG_NATIVE_FLAGS) && payloads_mark(t, added) && strings_write(writer, t))
		status = plain_seal(writer, package, added, plain_out, bytes_out, error);
	if (status) {
		free(*bytes_out);
		*bytes_out = NULL;
	}
	pkg_writer_destroy(writer);
	free(added);
	return status;
}
