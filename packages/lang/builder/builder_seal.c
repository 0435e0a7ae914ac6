/* SPDX-License-Identifier: MIT */
/* builder_seal.c - the end of a builder: the tables written, the package made and verified, its file. */
#include "lang/builder/build.h"

#include "format/format_package.h"
#include "format/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Words name expressions as #row, and rows have been put in order since the words were written: those that are not used any more are left out. */
static void words_settle(struct ptowsp_build *b, struct pkg_writer *writer, size_t before)
{
	struct word {
		int64_t *place;
		const char *text;
	} *words = common_alloc(b->arena, ((size_t)b->directive_count * 8 + 1) * sizeof(*words));
	size_t count = 0;

	for (uint32_t i = 0; i < b->directive_count; i++) {
		struct ptowsp_directive_record *row = pkg_writer_at(writer, PTOWSP_SECTION_SCHD, i);
		int64_t *const places[] = {&row->a0, &row->a1, &row->a2, &row->a3, &row->a4, &row->a5, &row->a6, &row->a7};

		for (uint32_t k = 0; k < row->count && k < 8; k++)
			if ((row->kinds >> 8 * k & 0xFF) == PTOWSP_ARGUMENT_WORD && *places[k] >= (int64_t)before) {
				const char *text = pkg_writer_text(writer, (uint32_t)*places[k]);

				words[count++] = (struct word){places[k], common_copy(b->arena, text, strlen(text))};
			}
	}
	pkg_writer_strings_cut(writer, before);
	for (size_t i = 0; i < count; i++)
		*words[i].place = pkg_writer_string(writer, words[i].text);
}

/* The digest of what was sealed, as text. */
static ptowsp_status digest_take(struct ptowsp_build *b, struct ptowsp_error *error)
{
	struct pkg *package;
	ptowsp_status status = pkg_open_memory(&package, b->bytes, b->size, "new package", NULL, error);

	for (int i = 0; i < 32 && !status; i++)
		snprintf(b->digest + 2 * i, 3, "%02x", pkg_digest(package)[i]);
	pkg_close(package);
	return status;
}

/* The number-th tensor, or scalar, of a kernel. */
static const struct build_param *param_at(const struct ptowsp_build *b, const struct build_kernel *k, unsigned kind, uint32_t number)
{
	for (uint32_t i = 0; i < k->record.param_count; i++)
		if (b->params[k->params[i]].record.kind == kind && b->params[k->params[i]].number == number)
			return &b->params[k->params[i]];
	return NULL;
}

/* A task is bound when its level is known: what takes the kernel's place has the same parameters. */
static void variant_check(struct ptowsp_build *b, const struct build_kernel *k, const struct build_kernel *other)
{
	int fits = k->tensors == other->tensors && k->scalars == other->scalars;

	for (uint32_t i = 0; i < k->record.param_count && fits; i++) {
		const struct build_param *own = &b->params[k->params[i]], *its = param_at(b, other, own->record.kind, own->number);

		fits = its && its->record.dtype == own->record.dtype && its->record.access == own->record.access;
	}
	if (!fits)
		build_refuse(b, "kernel %.80s is a variant of %.80s and has other parameters: number, types or directions", build_text(b, other->record.name),
			     build_text(b, k->record.name));
}

static void open_check(struct ptowsp_build *b)
{
	build_task_close(b);
	if (b->depth)
		build_refuse(b, "the code of %s \"%.80s\" is still open", b->entry != PTOWSP_NONE ? "entry" : "process",
			     build_text(b, b->entry != PTOWSP_NONE ? b->entries[b->entry].record.name : b->processes[b->process].record.name));
	if (b->body.code)
		build_refuse(b, "the body of kernel %.80s is still open", build_text(b, b->kernels[b->body.kernel].record.name));
	if (b->graph_open)
		build_refuse(b, "graph %.80s is still open", build_text(b, b->graphs[b->graph_count - 1].name));
	for (uint32_t i = 0; i < b->call_count; i++)
		if (!lang_map_find(&b->names[BUILD_ENTRY], build_text(b, b->calls[i].callee)))
			build_refuse(b, "there is no entry %.80s, which is called", build_text(b, b->calls[i].callee));
	for (uint32_t i = 0; i < b->kernel_count; i++)
		for (uint32_t v = 0; v < b->kernels[i].record.variant_count; v++)
			variant_check(b, &b->kernels[i], &b->kernels[b->kernels[i].variants[v].kernel]);
}

static uint32_t seal(struct ptowsp_build *b, struct pkg_writer *writer)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	size_t strings;
	ptowsp_status status;

	if (!build_enter(b, "ptowsp_build_seal"))
		return 0;
	if (setjmp(b->out)) {
		build_leave(b);
		return 0;
	}
	open_check(b);
	b->closed = 1;
	strings = build_write(b, writer);
	status = pkg_writer_sort(writer, &error);
	if (!status && !b->stated)
		status = pkg_writer_normalise(writer, &error);
	if (!status && !b->stated)
		words_settle(b, writer, strings);
	for (uint32_t i = 0; i < b->section_count; i++)
		pkg_writer_replace(writer, b->sections[i].type, b->sections[i].bytes, b->sections[i].size);
	if (!status)
		status = pkg_writer_seal(writer, &b->bytes, &b->size, &error);
	if (!status)
		status = digest_take(b, &error);
	if (status) {
		snprintf(b->error, sizeof(b->error), "ptowsp_build_seal: %s", error.text);
		b->status = status;
	}
	return 1;
}

ptowsp_status ptowsp_build_seal(struct ptowsp_build *b)
{
	struct pkg_writer *writer;

	if (!b)
		return PTOWSP_INVALID;
	if (b->status || b->closed)
		return b->status;
	writer = pkg_writer_create();
	if (writer) {
		seal(b, writer);
	} else {
		b->current_call = "ptowsp_build_seal";
		build_leave(b);
	}
	pkg_writer_destroy(writer);
	return b->status;
}

const void *ptowsp_build_bytes(const struct ptowsp_build *b)
{
	return b && !b->status ? b->bytes : NULL;
}

uint64_t ptowsp_build_size(const struct ptowsp_build *b)
{
	return b && !b->status ? b->size : 0;
}

const char *ptowsp_build_digest(const struct ptowsp_build *b)
{
	return b && !b->status ? b->digest : "";
}

ptowsp_status ptowsp_build_save(struct ptowsp_build *b, const char *path)
{
	FILE *file;
	int whole;

	if (ptowsp_build_seal(b))
		return ptowsp_build_status(b);
	file = path ? fopen(path, "wb") : NULL;
	whole = file && fwrite(b->bytes, 1, b->size, file) == b->size;
	if (file && fclose(file))
		whole = 0;
	if (whole)
		return PTOWSP_OK;
	snprintf(b->error, sizeof(b->error), "ptowsp_build_save: %.200s cannot be written: %s", path ? path : "(NULL)", path ? strerror(errno) : "no name");
	return b->status = PTOWSP_IO;
}
