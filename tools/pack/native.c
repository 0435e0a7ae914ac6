/* SPDX-License-Identifier: MIT */
/* native.c - the portable kernels of a package as native code beside them: one shared object of all (compiler.h). */
#include "tools/pack/compiler.h"
#include "tools/pack/pack.h"
#include "tools/scratch.h"

#include <stdlib.h>
#include <string.h>

#include "format/format_plain.h"
#include "registry/text.h"

struct native {
	struct compiler compiler;
	struct pack_kernels kernels;
	void *object; /* made by it, owned */
	size_t object_size;
};

static void row_add(const struct native *n, struct pkg_writer *writer, const struct ptowsp_payload_record *portable, uint32_t function, uint64_t offset)
{
	const struct ptowsp_payload_record row = {.target = pkg_writer_string(writer, n->compiler.triple),
						  .kind = PTOWSP_PAYLOAD_ELF,
						  .unit = portable->unit,
						  .entry = pkg_writer_string(writer, n->kernels.functions.rows[function].name),
						  .offset = offset,
						  .size = n->object_size,
						  .cycles = portable->cycles,
						  .workspace = n->kernels.rows[function].workspace};

	pkg_writer_row(writer, PTOWSP_SECTION_KPAY, &row, sizeof(row));
}

/* All rows in their order, a native one in front of each portable one. first: where row i, or what was put in front of it, is now; one more than rows. */
static void payloads_write(const struct native *n, struct pkg_writer *writer, const struct pkg_tables *t, uint64_t offset, uint32_t *first)
{
	pkg_writer_cut(writer, PTOWSP_SECTION_KPAY, 0);
	for (uint32_t i = 0; i < t->payload_count; i++) {
		const uint32_t function = n->kernels.functions.of_payload[i];

		first[i] = pkg_writer_count(writer, PTOWSP_SECTION_KPAY);
		if (function != PTOWSP_NONE && n->kernels.rows[function].text)
			row_add(n, writer, &t->payload[i], function, offset);
		pkg_writer_row(writer, PTOWSP_SECTION_KPAY, &t->payload[i], sizeof(t->payload[0]));
	}
	first[t->payload_count] = pkg_writer_count(writer, PTOWSP_SECTION_KPAY);
}

/* Everything is added at the end of its section, strings from that key on: format/format_plain.c takes it away again. */
static ptowsp_status rows_write(const struct native *n, struct pkg_writer *writer, const struct pkg_tables *t, struct ptowsp_error *error)
{
	uint32_t *first = calloc(t->payload_count + 1u, sizeof(*first));
	uint64_t offset;

	if (!first)
		return reg_fail(error, PTOWSP_NO_MEMORY, "no memory for the native kernels");
	pkg_writer_string(writer, PKG_NATIVE_COMPILER);
	offset = pkg_writer_bytes(writer, PTOWSP_SECTION_CODE, n->object, n->object_size, 64);
	payloads_write(n, writer, t, offset, first);
	for (uint32_t i = 0; i < t->kernel_count; i++) {
		const struct ptowsp_kernel_record *old = &t->kernel[i];
		struct ptowsp_kernel_record *kernel = pkg_writer_at(writer, PTOWSP_SECTION_KREG, i);

		if (old->payload_count) {
			kernel->payloads = first[old->payloads];
			kernel->payload_count = first[old->payloads + old->payload_count] - first[old->payloads];
		}
	}
	free(first);
	pkg_writer_meta(writer, PKG_NATIVE_COMPILER, n->compiler.version);
	pkg_writer_meta(writer, PKG_NATIVE_FLAGS, compiler_flags);
	return PTOWSP_OK;
}

static ptowsp_status compile(struct native *n, const char *triple, const struct isa_emit_target *target, struct ptowsp_error *error)
{
	struct emitted files;
	ptowsp_status status = scratch_open("ptowsp-pack", error);

	emitted_init(&files, scratch_path());
	if (!status)
		status = compiler_find(&n->compiler, triple, error);
	if (!status)
		status = pack_kernels_add(&files, &n->kernels, target, error);
	if (!status)
		status = compiler_units_add(&files, &n->kernels, target, error);
	if (!status)
		status = emitted_write(&files, error);
	emitted_finish(&files);
	if (!status)
		status = compiler_run(&n->compiler, &n->kernels, target, &n->object, &n->object_size, error);
	scratch_close("ptowsp-pack");
	return status;
}

static ptowsp_status native_make(struct native *n, const char *triple, struct pkg_writer *writer, const struct pkg_tables *t, struct ptowsp_error *error)
{
	const struct isa_emit_target *target = isa_emit_targets; /* C */
	ptowsp_status status = pack_kernels_emit(&n->kernels, t, target, error);

	if (!status && n->kernels.emitted) {
		status = compile(n, triple, target, error);
		if (!status)
			status = rows_write(n, writer, t, error);
	}
	free(n->object);
	pack_kernels_finish(&n->kernels);
	return status;
}

ptowsp_status pack_native_add(const struct pack_options *options, struct pkg_writer *writer, struct ptowsp_error *error)
{
	struct native native = {.object = NULL};
	struct pkg *package = NULL;
	void *bytes = NULL;
	ptowsp_status status;

	if (!options->native)
		return PTOWSP_OK;
	status = pack_package_open(writer, &package, &bytes, error);
	if (!status)
		status = native_make(&native, options->native, writer, pkg_tables(package), error);
	pkg_close(package);
	free(bytes);
	return status;
}
