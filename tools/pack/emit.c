/* SPDX-License-Identifier: MIT */
/* emit.c - the kernels and entries of a package as sources in a folder. */
#include "tools/apart.h"
#include "tools/entries.h"
#include "tools/pack/pack.h"
#include "tools/pack/pack_kernels.h"
#include "tools/tool.h"

#include <stdlib.h>
#include <string.h>

ptowsp_status pack_package_open(struct pkg_writer *writer, struct pkg **package_out, void **bytes_out, struct ptowsp_error *error)
{
	size_t size;
	ptowsp_status status = pkg_writer_seal(writer, bytes_out, &size, error);

	return status ? status : pkg_open_memory(package_out, *bytes_out, size, "the new package", NULL, error);
}

static ptowsp_status sources_write(const struct pack_options *options, struct pkg *package, const char *folder, struct ptowsp_error *error)
{
	const struct isa_emit_target *target = pack_emit_target(options->emit);
	struct pack_kernels list = {.emitted = 0};
	struct pkg_code *code = NULL;
	struct emitted files;
	ptowsp_status status = entries_code(&code, package, error);

	emitted_init(&files, folder);
	if (!status)
		status = pack_kernels_emit(&list, pkg_tables(package), target, error);
	if (!status)
		status = pack_kernels_add(&files, &list, target, error);
	if (!status)
		status = pack_tasks_add(&files, code, &list.functions, options->strict, error);
	if (!status)
		status = emitted_write(&files, error);
	emitted_finish(&files);
	pack_kernels_finish(&list);
	pkg_code_close(code);
	return status;
}

ptowsp_status pack_emit_write(const struct pack_options *options, struct pkg_writer *writer, const char *folder, struct ptowsp_error *error)
{
	struct pkg *package = NULL;
	void *bytes = NULL;
	ptowsp_status status = pack_package_open(writer, &package, &bytes, error);

	if (!status)
		status = sources_write(options, package, folder, error);
	pkg_close(package);
	free(bytes);
	return status;
}

int pack_emit_package(const struct pack_options *options)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct pkg *package = NULL;
	ptowsp_status status = apart_input(options->inputs[0], "the package", &error);

	if (!status)
		status = pkg_open(&package, options->inputs[0], NULL, &error);
	if (!status)
		status = sources_write(options, package, options->output, &error);
	pkg_close(package);
	return status ? tool_complain(&error) : 0;
}

const struct isa_emit_target *pack_emit_target(const char *name)
{
	for (const struct isa_emit_target *t = isa_emit_targets; t->name; t++)
		if (!strcmp(t->name, name))
			return t;
	return NULL;
}
