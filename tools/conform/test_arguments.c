/* SPDX-License-Identifier: MIT */
/* test_arguments.c - argument structs from earlier and later hosts, wrong ones, results of other sizes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/call/buffer.h"
#include "host/call/describe.h"
#include "ptowsp/report.h"
#include "registry/names.h"
#include "tools/conform/conform.h"
#include "tools/conform/packages.h"
#if PTOWSP_ABI_MINOR >= 1
#include "ptowsp/buffers.h"
#endif

_Static_assert(offsetof(struct ptowsp_init_args, setting_stride) + 4 == PTOWSP_INIT_ARGS_FLOOR_10_0 &&
		       offsetof(struct ptowsp_open_args, reserved) + 4 == PTOWSP_OPEN_ARGS_FLOOR_10_0 &&
		       offsetof(struct ptowsp_load_args, digest) + 32 == PTOWSP_LOAD_ARGS_FLOOR_10_0 &&
		       offsetof(struct ptowsp_run_args, max_tasks) + 8 == PTOWSP_RUN_ARGS_FLOOR_10_0,
	       "10.0 arguments");

/* Each struct that a host fills, and a way to hand it over. Objects that such a call makes are destroyed again. */
enum argument {
	INIT,
	OPEN,
	LOAD,
	SUBMIT,
	MEASURE,
	EMIT,
	REPORT,
#if PTOWSP_ABI_MINOR >= 1
	IMPORT,
#endif
	ARGUMENTS
};
static const struct {
	const char *name;
	enum host_struct_id id;
} arguments[ARGUMENTS] = {
	{"init_args", HOST_STRUCT_init_args},
	{"open_args", HOST_STRUCT_open_args},
	{"load_args", HOST_STRUCT_load_args},
	{"run_args", HOST_STRUCT_run_args},
	{"run_args of " PTOWSP_EXTENSION_EXTENTS, HOST_STRUCT_run_args},
	{"load_args of " PTOWSP_EXTENSION_ARTIFACT, HOST_STRUCT_load_args},
	{"run_args of " PTOWSP_EXTENSION_REPORT, HOST_STRUCT_run_args},
#if PTOWSP_ABI_MINOR >= 1
	{"external of " PTOWSP_EXTENSION_BUFFERS, HOST_STRUCT_external},
#endif
};

/* Bytes that both sides know, and bytes below which nothing is taken. */
static uint32_t known_of(const struct conform *c, int which)
{
	return host_struct_size(arguments[which].id, c->plugin->minor);
}
static uint32_t floor_of(int which)
{
	const uint32_t bytes = host_struct_size(arguments[which].id, 0);

	return bytes ? bytes : host_structs[arguments[which].id].size; /* of a minor that came later, and is not frozen */
}

static ptowsp_status file_drop(void *context, const char *path, const void *bytes, uint64_t size)
{
	(void)context, (void)path, (void)bytes, (void)size;
	return PTOWSP_OK;
}

#if PTOWSP_ABI_MINOR >= 1
static const struct ptowsp_buffers_extension *buffers_of(struct conform *c)
{
	const struct ptowsp_buffers_extension *table = c->plugin->minor >= 1 ? c->plugin->ops.extension(c->instance, PTOWSP_EXTENSION_BUFFERS) : NULL;

	return table && PTOWSP_HAS(table, struct ptowsp_buffers_extension, expose) && table->import ? table : NULL;
}

static ptowsp_status import_give(struct conform *c, const struct ptowsp_external *external, struct ptowsp_error *error)
{
	const struct ptowsp_buffers_extension *table = buffers_of(c);
	struct ptowsp_object *made = NULL;
	ptowsp_status status;

	conform_before(c, "buffers import");
	status = conform_after(c, table->import(c->device, external, &made, error), false);
	if (!status)
		table->destroy(made, NULL);
	return status;
}

/* Memory of a type that it takes. */
static bool import_fill(struct conform *c, struct ptowsp_external *out)
{
	enum { BYTES = 4096 };
	static void *memory;
	static int fd = -1;

	if (!buffers_of(c) || !(memory = memory ? memory : host_buffer_take(BYTES)) ||
	    (fd < 0 && ((fd = host_memory_file("conform", BYTES)) < 0 || !host_memory_file_seal(fd, false))))
		return false;
	*out = (struct ptowsp_external){.head = PTOWSP_HEAD(*out, EXTERNAL), .type = PTOWSP_EXTERNAL_OPAQUE_FD, .bytes = BYTES, .fd = fd};
	if (import_give(c, out, &c->error) != PTOWSP_UNSUPPORTED)
		return true;
	out->type = PTOWSP_EXTERNAL_HOST;
	out->address = (uintptr_t)memory;
	out->fd = -1;
	return import_give(c, out, &c->error) != PTOWSP_UNSUPPORTED;
}
#endif

/* The struct of this version; false: the plugin has no use for it. */
static bool argument_fill(struct conform *c, enum argument which, const struct conform_program *p, void *into)
{
	struct ptowsp_init_args init = conform_init_args(c);
	struct ptowsp_open_args open = {.head = PTOWSP_HEAD(open, OPEN_ARGS), .threads = 1};
	struct ptowsp_run_args run = conform_program_run(p, PTOWSP_RUN_NO_KERNELS);
	static const char *const ids[ARGUMENTS] = {
		[MEASURE] = PTOWSP_EXTENSION_EXTENTS, [EMIT] = PTOWSP_EXTENSION_ARTIFACT, [REPORT] = PTOWSP_EXTENSION_REPORT};
	const struct ptowsp_report_extension *report;

#if PTOWSP_ABI_MINOR >= 1
	if (which == IMPORT)
		return import_fill(c, into);
#endif
	if (ids[which] && !c->plugin->ops.extension(c->instance, ids[which]))
		return false;
	report = which == REPORT ? c->plugin->ops.extension(c->instance, ids[which]) : NULL;
	if (which == REPORT && !report->emit)
		return false;
	memcpy(into,
	       which == INIT                    ? (const void *)&init
	       : which == OPEN                  ? (const void *)&open
	       : which == LOAD || which == EMIT ? (const void *)&p->load
						: (const void *)&run,
	       host_structs[arguments[which].id].size);
	return true;
}

static ptowsp_status made_destroy(struct conform *c, ptowsp_status status, enum argument which, struct ptowsp_object *const *made_at)
{
	struct ptowsp_object *made = *made_at;
	struct ptowsp_error error = c->error;
	char operation[sizeof(c->record->operation)];

	memcpy(operation, c->record->operation, sizeof(operation));
	if (!status && which == INIT)
		conform_ok(c, CONFORM_WAIT(c, fini, made, &c->error), "the end of a second instance");
	if (!status && which == OPEN)
		conform_ok(c, CONFORM_CALL(c, close, made, &c->error), "close of a second device");
	if (!status && which == LOAD)
		conform_ok(c, CONFORM_CALL(c, unload, made, &c->error), "unload of a second program");
	c->error = error;
	memcpy(c->record->operation, operation, sizeof(operation)); /* the call that this is about */
	return status;
}

static ptowsp_status run_give(struct conform *c, struct ptowsp_run_args *args)
{
	struct conform_token *token = conform_token_make(&c->services);
	ptowsp_status status;

	if (!token)
		conform_tokens_forget(&c->services), token = conform_token_make(&c->services);
	if (args->head.size >= offsetof(struct ptowsp_run_args, token) + sizeof(args->token)) /* else there is no such field */
		args->token = token->token;
	status = CONFORM_CALL(c, submit, c->device, args, c->recordless ? NULL : &c->error);
	conform_token_answer(&c->services, token, status);
	if (!status)
		CONFORM_MUST(c, conform_wait(c, c->device, token, UINT64_C(60000000000)), "an accepted run was not completed within 60 s (PL5)");
	return status;
}

static ptowsp_status extension_give(struct conform *c, enum argument which, const struct conform_program *p, void *args)
{
	const void *table = c->plugin->ops.extension(c->instance, which == MEASURE ? PTOWSP_EXTENSION_EXTENTS
								  : which == EMIT  ? PTOWSP_EXTENSION_ARTIFACT
										   : PTOWSP_EXTENSION_REPORT);
	uint64_t *elements = conform_lend(c, (p->plan->tables->tensor_count + 1u) * sizeof(*elements));
	struct ptowsp_error *error = c->recordless ? NULL : &c->error;
	ptowsp_status status;

	conform_before(c, which == MEASURE ? "extents measure" : which == EMIT ? "artifact emit" : "report emit");
	if (which == MEASURE)
		status = ((const struct ptowsp_extents_extension *)table)->measure(p->object, args, elements, p->plan->tables->tensor_count, error);
	else if (which == EMIT)
		status = ((const struct ptowsp_artifact_extension *)table)->emit(c->instance, NULL, args, file_drop, NULL, error);
	else
		status = ((const struct ptowsp_report_extension *)table)->emit(p->object, args, file_drop, NULL, error);
	return conform_after(c, status, false);
}

/* In place of the device that is open, which is opened again behind it. */
static ptowsp_status open_give(struct conform *c, struct conform_program *p, void *args, struct ptowsp_error *error)
{
	bool recordless = c->recordless;
	struct ptowsp_object *made = NULL;
	struct ptowsp_error kept;
	ptowsp_status status;

	c->recordless = false;
	conform_program_unload(c, p);
	conform_ok(c, CONFORM_CALL(c, close, c->device, &c->error), "close");
	c->recordless = recordless;
	status = made_destroy(c, CONFORM_CALL(c, open, c->instance, args, &made, error), OPEN, &made);
	kept = c->error;
	c->recordless = false;
	conform_ok(c, conform_device_open(c, 1, &c->device), "open again");
	conform_ok(c, conform_program_load(c, c->device, p), "load again");
	c->recordless = recordless;
	c->error = kept;
	snprintf(c->record->operation, sizeof(c->record->operation), "open");
	return status;
}

/* Hands the struct over; args: lent memory. */
static ptowsp_status argument_give(struct conform *c, enum argument which, struct conform_program *p, void *args)
{
	struct ptowsp_error *error = c->recordless ? NULL : &c->error;
	struct ptowsp_object *made = NULL;

	conform_about(c, "%s of %u bytes%s", arguments[which].name, ((const struct ptowsp_head *)args)->size, error ? "" : " and no error record");
	switch (which) {
	case INIT: return made_destroy(c, CONFORM_CALL(c, init, &c->services.table, args, &made, error), which, &made);
	case OPEN: /* a device may be for one caller at a time */ return open_give(c, p, args, error);
	case LOAD: return made_destroy(c, CONFORM_CALL(c, load, c->device, args, &made, error), which, &made);
	case SUBMIT: return run_give(c, args);
#if PTOWSP_ABI_MINOR >= 1
	case IMPORT: return import_give(c, args, error);
#endif
	default: return extension_give(c, which, p, args);
	}
}

/* A struct of `size` bytes in lent memory: this version's and what is behind it. A shorter one is cut. */
static void *argument_lend(struct conform *c, enum argument which, const struct conform_program *p, uint32_t size)
{
	uint32_t known = known_of(c, which);
	char full[256] = {0}, *lent = conform_lend(c, (size + 7u) / 8 * 8);

	argument_fill(c, which, p, full);
	memset(lent, 0, size);
	memcpy(lent, full, size < known ? size : known);
	((struct ptowsp_head *)(void *)lent)->size = size;
	return lent;
}

/* An open device with the smallest program loaded. */
static void stage(struct conform *c, struct conform_program *p)
{
	conform_open(c, 1);
	conform_smallest(c, p);
	conform_ok(c, conform_program_load(c, c->device, p), "load of the smallest package");
}

static void unstage(struct conform *c, struct conform_program *p)
{
	conform_program_unload(c, p);
	conform_close(c);
}

void conform_test_unknown_fields_are_refused(struct conform *c)
{
	static const uint32_t behind[] = {0, 7, 8, 100, 4095};
	struct conform_program p;
	char full[256];

	stage(c, &p);
	for (int which = 0; which < ARGUMENTS; which++) {
		uint32_t known = known_of(c, which);

		for (size_t i = 0; argument_fill(c, (enum argument)which, &p, full) && i < sizeof(behind) / sizeof(*behind); i++) {
			uint32_t size = known + (behind[i] / 8 + 1) * 8;
			char *args = argument_lend(c, (enum argument)which, &p, size);

			args[known + behind[i]] = 1;
			conform_refused(c, argument_give(c, (enum argument)which, &p, args), PTOWSP_UNKNOWN_FIELD, 0, arguments[which].name);
		}
	}
	unstage(c, &p);
}

void conform_test_longer_arguments_of_zeros_are_taken(struct conform *c)
{
	static const uint32_t behind[] = {0, 8, 64, 4096};
	struct conform_program p;
	char full[256];

	stage(c, &p);
	for (int which = 0; which < ARGUMENTS; which++)
		for (size_t i = 0; argument_fill(c, (enum argument)which, &p, full) && i < sizeof(behind) / sizeof(*behind); i++) {
			void *args = argument_lend(c, (enum argument)which, &p, known_of(c, which) + behind[i]);
			ptowsp_status status = argument_give(c, (enum argument)which, &p, args);

			if (which == EMIT || which == REPORT)
				CONFORM_MUST(c, status != PTOWSP_UNKNOWN_FIELD, "%s with %u zeros behind it: %s", arguments[which].name, behind[i],
					     c->error.text);
			else
				conform_ok(c, status, arguments[which].name);
		}
	unstage(c, &p);
}

void conform_test_sizes_out_of_range_are_refused(struct conform *c)
{
	struct conform_program p;
	char full[256];

	stage(c, &p);
	for (int which = 0; which < ARGUMENTS; which++) {
		const uint32_t sizes[] = {0, 4, 8, floor_of(which) - 8, PTOWSP_SIZE_LIMIT + 8, 0x7FFFFFF8, 0xFFFFFFF8};

		for (size_t i = 0; argument_fill(c, (enum argument)which, &p, full) && i < sizeof(sizes) / sizeof(*sizes); i++) {
			/* Too long ones lie in memory of this version's size: the size is refused before what it covers is read. */
			bool small = sizes[i] < floor_of(which);
			struct ptowsp_head *args = argument_lend(c, (enum argument)which, &p,
								 small && sizes[i] > 8 ? sizes[i]
								 : small               ? 8
										       : known_of(c, which));
			char what[96];

			args->size = sizes[i];
			snprintf(what, sizeof(what), "%s of %u bytes", arguments[which].name, sizes[i]);
			conform_refused(c, argument_give(c, (enum argument)which, &p, args), PTOWSP_INVALID, 0, what);
		}
	}
	unstage(c, &p);
}

void conform_test_results_stay_in_their_size(struct conform *c)
{
	static const uint32_t sizes[] = {8,
					 16,
					 24,
					 64,
					 80,
					 128,
					 200,
					 (uint32_t)sizeof(struct ptowsp_run_stats),
					 (uint32_t)sizeof(struct ptowsp_run_stats) + 8,
					 (uint32_t)sizeof(struct ptowsp_run_stats) + 512};
	struct conform_program p;

	stage(c, &p);
	conform_ok(c, conform_run(c, c->device, &p, PTOWSP_RUN_NO_KERNELS, 0), "a run of the smallest package");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct ptowsp_run_stats *stats = conform_lend(c, sizes[i]);
		ptowsp_status status;

		memset(stats, 0xEE, sizes[i]);
		stats->head = (struct ptowsp_head){sizes[i], PTOWSP_STRUCT_RUN_STATS, 0};
		status = CONFORM_CALL(c, stats, p.object, stats, &c->error);
		if (status == PTOWSP_UNIMPLEMENTED)
			break;
		conform_ok(c, status, "statistics of a shorter or longer struct");
		CONFORM_MUST(c, stats->head.size == sizes[i], "stats changed the size of the caller's struct from %u to %u (PL3)", sizes[i], stats->head.size);
		for (uint32_t k = host_struct_size(HOST_STRUCT_run_stats, c->plugin->minor); k < sizes[i]; k++)
			CONFORM_MUST(c, !((char *)stats)[k], "stats left byte %u of %u as it was; what the plugin does not know is zero (PL3)", k, sizes[i]);
	}
	unstage(c, &p);
}

/* ---- strides ---------------------------------------------------------------------------------------------------- */

static void sections_widen(struct conform *c, struct conform_program *p, uint32_t stride)
{
	char *rows = conform_lend(c, (size_t)p->section_count * stride);

	memset(rows, 0xEE, (size_t)p->section_count * stride);
	for (uint32_t i = 0; i < p->section_count; i++)
		memcpy(rows + (size_t)i * stride, &p->sections[i], sizeof(p->sections[i]));
	p->load.sections = (const void *)rows;
	p->load.section_stride = stride;
}

/* Tables with longer records, as a later packer writes them: the records of this version, and bytes behind each. */
static void tables_widen(struct conform *c, struct conform_program *p)
{
	for (uint32_t i = 0; i < p->section_count; i++) {
		struct ptowsp_section *s = &p->sections[i];
		uint32_t stride = s->stride + 16;
		char *rows;

		if (s->stride <= 1 || !s->count)
			continue;
		rows = aligned_alloc(64, (s->count * stride + 63) / 64 * 64);
		if (!rows)
			conform_skip(c, "this machine has no memory for the test");
		memset(rows, 0, s->count * stride);
		for (uint64_t k = 0; k < s->count; k++)
			memcpy(rows + k * stride, (const char *)s->data + k * s->stride, s->stride);
		s->data = rows;
		s->stride = stride;
	}
}

static void bindings_widen(struct conform *c, const struct conform_program *p, struct ptowsp_run_args *args, uint32_t stride)
{
	char *rows = conform_lend(c, (size_t)p->binding_count * stride);

	memset(rows, 0xEE, (size_t)p->binding_count * stride);
	for (uint32_t i = 0; i < p->binding_count; i++)
		memcpy(rows + (size_t)i * stride, &p->bindings[i], sizeof(p->bindings[i]));
	args->bindings = (const void *)rows;
	args->binding_stride = stride;
}

void conform_test_strides_are_stepped_by(struct conform *c)
{
	static const char *const names[] = {"tasks:regions", "tasks:chain", "tasks:nest", NULL};
	struct conform_program p, again;
	struct ptowsp_run_args args;
	struct conform_token *token;
	ptowsp_status plain;

	conform_program_choose(c, &p, names);
	conform_open(c, 1);
	conform_ok(c, conform_program_load(c, c->device, &p), "load of a package that its rows allow");
	plain = conform_run(c, c->device, &p, 0, 0);
	again = p;
	sections_widen(c, &again, sizeof(struct ptowsp_section) + 16);
	conform_ok(c, conform_program_load(c, c->device, &again), "load with longer section rows");
	conform_program_unload(c, &again);
	tables_widen(c, &again);
	sections_widen(c, &again, sizeof(struct ptowsp_section));
	conform_ok(c, conform_program_load(c, c->device, &again), "load with longer records");
	args = conform_program_run(&again, 0);
	bindings_widen(c, &again, &args, sizeof(struct ptowsp_binding) + 24);
	token = conform_submit(c, c->device, &args);
	CONFORM_MUST(c, token || plain, "a run with longer bindings was refused: %s", c->error.text);
	if (token)
		CONFORM_MUST(c, conform_wait(c, c->device, token, UINT64_C(60000000000)) && atomic_load(&token->status) == plain,
			     "a run with longer bindings ended otherwise than one with bindings of this version: %s", reg_status_name(token->status));
	conform_program_unload(c, &again);
	conform_program_unload(c, &p);
	conform_close(c);
}

/* ---- strangers -------------------------------------------------------------------------------------------------- */

static void setting_refuse(struct conform *c)
{
	struct ptowsp_setting setting = {"no_such_option_at_all", "1"};
	struct ptowsp_init_args args = {.head = PTOWSP_HEAD(args, INIT_ARGS), .settings = &setting, .setting_count = 1, .setting_stride = sizeof(setting)};
	struct ptowsp_object *made = NULL;

	conform_refused(c, CONFORM_CALL(c, init, &c->services.table, &args, &made, c->recordless ? NULL : &c->error), PTOWSP_INVALID, 0,
			"an option that is not declared");
}

static void device_refuse(struct conform *c)
{
	struct ptowsp_open_args args = {.head = PTOWSP_HEAD(args, OPEN_ARGS), .selector = "no such device", .threads = 1};
	struct ptowsp_object *made = NULL;

	conform_refused(c, CONFORM_CALL(c, open, c->instance, &args, &made, c->recordless ? NULL : &c->error), PTOWSP_NO_DEVICE, PTOWSP_NOT_FOUND,
			"a device that is not listed");
}

static void entry_refuse(struct conform *c, struct conform_program *p)
{
	static const uint32_t entries[] = {1, 1000, 0x7FFFFFFF, PTOWSP_NONE};

	for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++) {
		struct ptowsp_load_args args = p->load;
		struct ptowsp_object *made = NULL;
		ptowsp_status status;

		args.entry = entries[i];
		status = CONFORM_CALL(c, load, c->device, &args, &made, c->recordless ? NULL : &c->error);
		CONFORM_MUST(c, status, "load took entry %u of a package with one entry", entries[i]);
	}
}

void conform_test_strangers_are_refused(struct conform *c)
{
	struct conform_program p;

	stage(c, &p);
	setting_refuse(c);
	device_refuse(c);
	entry_refuse(c, &p);
	unstage(c, &p);
}

void conform_test_an_absent_error_record_is_allowed(struct conform *c)
{
	struct conform_program p;
	char full[256];

	stage(c, &p);
	c->recordless = true;
	conform_about(c, "no error record");
	setting_refuse(c);
	device_refuse(c);
	entry_refuse(c, &p);
	for (int which = 0; which < ARGUMENTS; which++)
		if (argument_fill(c, (enum argument)which, &p, full)) {
			char *args = argument_lend(c, (enum argument)which, &p, known_of(c, which) + 8);

			args[known_of(c, which)] = 1;
			conform_refused(c, argument_give(c, (enum argument)which, &p, args), PTOWSP_UNKNOWN_FIELD, 0, arguments[which].name);
		}
	c->recordless = false;
	unstage(c, &p);
}
