/* SPDX-License-Identifier: MIT */
#include "attempt.h"

#include <stdlib.h>
#include <string.h>

#include "format/format_seal.h"
#include "format/json/json.h"
#include "host/plan/host_plan.h"
#include "isa/isa.h"

/* Nothing that a package says may take longer or more than this. Time is the processor's (clock.c). */
enum { CONTENT_MOST = 16 << 20, TENSORS_MOST = 2 << 20, TASKS_MOST = 16, TIME_NS = 3000000 };

ptowsp_status attempt_backend_open(struct ptowsp_backend **out, const char *plugin, struct ptowsp_error *error)
{
	const struct ptowsp_backend_options options = {.plugin = plugin, .threads = 1, .memory_limit = 8 << 20, .isolate = PTOWSP_ISOLATE_NONE};

	return ptowsp_backend_open(out, &options, error);
}

/* Whoever refuses says why in one printable line, with a status that a package can be the reason for. */
static const char *refusal_problem(ptowsp_status status, const struct ptowsp_error *error)
{
	static const ptowsp_status never[] = {PTOWSP_AGAIN,          PTOWSP_UNIMPLEMENTED, PTOWSP_DEVICE_LOST, PTOWSP_NO_DEVICE, PTOWSP_CANCELLED,
					      PTOWSP_PLUGIN_REFUSED, PTOWSP_MISMATCH,      PTOWSP_MORE,        PTOWSP_IO,        PTOWSP_UNKNOWN_FIELD};

	for (size_t i = 0; i < sizeof(never) / sizeof(*never); i++)
		if (status == never[i])
			return "a status that no package is a reason for";
	if (status > 0 || status < PTOWSP_TOO_BIG)
		return "a status that does not exist";
	if (!error->text[0] || !memchr(error->text, 0, sizeof(error->text)))
		return "a refusal without a sentence";
	return strpbrk(error->text, "\n\r\t\033") ? "a refusal of more than one line" : NULL;
}

static bool is_container(const void *bytes, size_t size)
{
	struct pkg_image image;
	ptowsp_status status = pkg_image_read(&image, bytes, size, "mutant", NULL);

	pkg_image_finish(&image);
	return status != PTOWSP_OK;
}

static bool tiles_refused(const struct pkg_tables *t)
{
	for (uint32_t i = 0; i < t->payload_count; i++) {
		struct isa_program *program = NULL;

		if (t->payload[i].kind != PTOWSP_PAYLOAD_PTO)
			continue;
		if (isa_program_create(&program, t->code + t->payload[i].offset, (size_t)t->payload[i].size, t->strings, t->strings_size, NULL))
			return true;
		isa_program_destroy(program);
	}
	return false;
}

static bool is_bad(ptowsp_status status)
{
	return status == PTOWSP_BAD_PACKAGE || status == PTOWSP_UNKNOWN_OPCODE;
}

/* What must be given is two. */
static void values_give(struct ptowsp_program *program, const struct ptowsp_plan *plan)
{
	struct ptowsp_value_info info;

	for (uint32_t i = 0; i < 64 && ptowsp_plan_value(plan, i, &info); i++)
		if ((info.flags & PTOWSP_VALUE_NEEDED) && !(info.flags & PTOWSP_VALUE_HAS_DEFAULT))
			ptowsp_value_set(program, info.name, "2", NULL);
}

static enum attempt_end run(struct ptowsp_program *program, const char **problem, struct ptowsp_error *error)
{
	const struct ptowsp_execute_options options = {.timeout_ns = TIME_NS, .max_tasks = TASKS_MOST, .memory_limit = TENSORS_MOST};
	ptowsp_status status = ptowsp_prepare(program, &options, error);

	if (status) {
		*problem = refusal_problem(status, error);
		return ATTEMPT_BACKEND;
	}
	status = ptowsp_execute(program, &options, error);
	*problem = status ? refusal_problem(status, error) : NULL;
	return !status ? ATTEMPT_DONE : status == PTOWSP_DEADLINE || status == PTOWSP_LIMIT ? ATTEMPT_CUT : ATTEMPT_FAILED;
}

static enum attempt_end load(struct ptowsp_backend *backend, struct ptowsp_package *package, const char **problem, struct ptowsp_error *error)
{
	/* The usual heap of 64 MiB is taken at once, which costs the address sanitizer milliseconds. */
	static const char *const schedule[] = {"heap=1048576"};
	const struct ptowsp_plan_options options = {.schedule = schedule, .schedule_count = 1};
	struct ptowsp_plan *plan;
	struct ptowsp_program *program = NULL;
	enum attempt_end end = ATTEMPT_BACKEND;
	ptowsp_status status = ptowsp_plan_create(&plan, package, &options, error);

	if (is_bad(status))
		end = ATTEMPT_BYTECODE;
	if (!status) {
		status = ptowsp_program_load(&program, backend, plan, 0, error);
		if (is_bad(status))
			end = tiles_refused(plan->tables) ? ATTEMPT_TILES : ATTEMPT_BYTECODE;
	}
	if (status) {
		*problem = refusal_problem(status, error);
	} else {
		values_give(program, plan);
		end = run(program, problem, error);
	}
	ptowsp_program_unload(program);
	ptowsp_plan_destroy(plan);
	return end;
}

enum attempt_end attempt_bytes(struct ptowsp_backend *backend, const void *bytes, size_t size, const char **problem, struct ptowsp_error *error)
{
	struct ptowsp_package *package;
	ptowsp_status status = ptowsp_package_open_memory(&package, bytes, size, "mutant", CONTENT_MOST, error);
	enum attempt_end end;

	if (status) {
		*problem = refusal_problem(status, error);
		return is_container(bytes, size) ? ATTEMPT_CONTAINER : ATTEMPT_TABLES;
	}
	end = load(backend, package, problem, error);
	ptowsp_package_close(package);
	return end;
}

enum attempt_end attempt_text(struct ptowsp_backend *backend, const char *text, size_t length, const char **problem, struct ptowsp_error *error)
{
	struct pkg_writer *writer = pkg_writer_create();
	enum attempt_end end = ATTEMPT_JSON;
	void *bytes = NULL;
	size_t size = 0;
	ptowsp_status status;

	pkg_writer_level(writer, 1);
	status = pkg_from_json(writer, text, length, "mutant", error);
	if (!status) {
		end = ATTEMPT_TABLES; /* which the writer looks at before it gives anything away */
		status = pkg_writer_seal(writer, &bytes, &size, error);
	}
	if (status)
		*problem = refusal_problem(status, error);
	else
		end = attempt_bytes(backend, bytes, size, problem, error);
	pkg_writer_destroy(writer);
	free(bytes);
	return end;
}
