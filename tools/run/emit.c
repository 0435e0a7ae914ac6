/* SPDX-License-Identifier: MIT */
/* emit.c - --emit DIR: what the backend makes of the program, as files below a folder: all of them, or, where it is refused, not even the folder. */
#include <string.h>

#include "registry/text.h"
#include "tools/emitted.h"
#include "tools/folder.h"
#include "tools/run/run_run.h"

struct emitting {
	struct emitted files;
	struct ptowsp_error *error;
};

/* Says itself what is wrong. The name of a file is relative, without "..": the host sees to it. */
static ptowsp_status file_take(void *context, const char *name, const void *bytes, uint64_t size)
{
	struct emitting *e = context;

	return emitted_add(&e->files, name, bytes, (size_t)size, e->error);
}

/* The files of the program where there is one, else of the plan. */
static ptowsp_status files_make(const struct run *run, struct ptowsp_program *program, struct emitting *e, struct ptowsp_error *error)
{
	struct ptowsp_error ours = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	ptowsp_status status;

	e->error = &ours;
	status = program ? ptowsp_report_emit(program, &run->execute, file_take, e, error)
			 : ptowsp_artifact_emit(run->backend, run->plan, run_load_flags(run->options), file_take, e, error);
	return status && *ours.text ? reg_fail(error, status, "%s", ours.text) : status;
}

ptowsp_status run_emit_look(struct run *run, struct ptowsp_error *error)
{
	struct emitting e;
	const bool of_run = ptowsp_report_has_files(run->backend);
	ptowsp_status status;

	emitted_init(&e.files, run->options->emit);
	status = of_run ? PTOWSP_OK : files_make(run, NULL, &e, error);
	if (!status)
		status = emitted_look(&e.files, error);
	run->emitted = !status && !of_run;
	folder_drop_empty();
	emitted_finish(&e.files);
	return status;
}

ptowsp_status run_emit(struct run *run, struct ptowsp_error *error)
{
	struct emitting e;
	unsigned long long bytes;
	unsigned files;
	ptowsp_status status;

	emitted_init(&e.files, run->options->emit);
	status = files_make(run, run->program, &e, error);
	if (!status)
		status = emitted_write(&e.files, error);
	emitted_count(&e.files, &files, &bytes);
	if (!status && !run->options->quiet)
		fprintf(stderr, "ptowsp-run: %u files, %llu bytes below %s\n", files, bytes, run->options->emit);
	emitted_finish(&e.files);
	return status;
}

bool run_emit_was_all(const struct run *run, ptowsp_status status, const struct ptowsp_error *error)
{
	const struct run_options *o = run->options;
	const bool lacks = status == PTOWSP_NO_DEVICE || (status == PTOWSP_UNSUPPORTED && !o->strict);

	if (!lacks || !run->emitted || o->trace || o->graph || o->report || o->stats || o->checkpoint || o->out.count || o->expect.count)
		return false;
	if (!o->quiet)
		fprintf(stderr, "ptowsp-run: nothing was run: %s\n", error->text);
	return true;
}
