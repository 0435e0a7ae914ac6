/* SPDX-License-Identifier: MIT */
/* memory.c - tile memory of the portable kernels: every tile by itself, and shared by lifetimes, beside what targets have. */
#include "tools/inspect/inspect.h"

#include "isa/isa.h"
#include "tools/columns.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const struct limit {
	const char *target, *memory;
	uint64_t bytes;
	const char *source;
} limits[] = {
#define X(target, memory, bytes, source) {target, memory, bytes, source},
#include "tools/inspect/tile_limits.def"
#undef X
};
enum { LIMITS = sizeof(limits) / sizeof(*limits) };

struct memory {
	uint64_t without, with;
};

struct isa_program *inspect_portable(const struct pkg_tables *t, const struct ptowsp_kernel_record *k)
{
	struct isa_program *program = NULL;

	for (uint32_t i = 0; i < k->payload_count; i++) {
		const struct ptowsp_payload_record *p = &t->payload[k->payloads + i];
		struct ptowsp_error error;

		if (p->kind != PTOWSP_PAYLOAD_PTO)
			continue;
		if (isa_program_create(&program, t->code + p->offset, p->size, t->strings, t->strings_size, &error))
			return NULL;
		return program;
	}
	return NULL;
}

/* The memory of a kernel's portable payload; false if it has none that holds. */
static bool memory_of(const struct pkg_tables *t, uint32_t kernel, struct memory *memory_out)
{
	struct isa_program *program = inspect_portable(t, &t->kernel[kernel]);

	if (!program)
		return false;
	isa_program_memory(program, &memory_out->without, &memory_out->with);
	isa_program_destroy(program);
	return true;
}

static void head_add(struct columns *c)
{
	char text[240] = "";

	for (unsigned i = 0; i < LIMITS; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "\t%s %s %" PRIu64 " KiB", limits[i].target, limits[i].memory,
			 limits[i].bytes / 1024);
	columns_add(c, "kernel\ttiles, bytes\twith reuse%s", text);
}

static void kernel_add(struct columns *c, const char *name, const struct memory *m)
{
	char text[80] = "";

	for (unsigned i = 0; i < LIMITS; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "\t%s", m->with <= limits[i].bytes ? "fits" : "too large");
	columns_add(c, "%.200s\t%" PRIu64 "\t%" PRIu64 "%s", name, m->without, m->with, text);
}

void inspect_memory(const struct pkg_tables *t, FILE *to)
{
	struct columns c = {0};
	struct memory m;
	bool any = false;

	head_add(&c);
	for (uint32_t i = 0; i < t->kernel_count; i++)
		if (memory_of(t, i, &m)) {
			kernel_add(&c, pkg_string(t, t->kernel[i].name), &m);
			any = true;
		}
	if (any)
		fputs("\ntile memory\n", to);
	columns_sort(&c, 1);
	columns_print(&c, any ? to : NULL, 2);
}

static json_t *kernel_object(const char *name, const struct memory *m)
{
	json_t *fits = json_array();

	for (unsigned i = 0; i < LIMITS; i++)
		if (m->with <= limits[i].bytes)
			json_array_append_new(fits, json_sprintf("%s %s", limits[i].target, limits[i].memory));
	return json_pack("{s:s, s:I, s:I, s:o}", "kernel", name, "bytes", (json_int_t)m->without, "bytes_with_reuse", (json_int_t)m->with, "fits", fits);
}

json_t *inspect_memory_json(const struct pkg_tables *t)
{
	json_t *kernels = json_array(), *targets = json_array();
	struct memory m;

	for (uint32_t i = 0; i < t->kernel_count; i++)
		if (memory_of(t, i, &m))
			json_array_append_new(kernels, kernel_object(pkg_string(t, t->kernel[i].name), &m));
	for (unsigned i = 0; i < LIMITS; i++)
		json_array_append_new(targets, json_pack("{s:s, s:s, s:I, s:s}", "target", limits[i].target, "memory", limits[i].memory, "bytes",
							 (json_int_t)limits[i].bytes, "source", limits[i].source));
	return json_pack("{s:o, s:o, s:o}", "targets", targets, "kernels", kernels, "ascend", inspect_cores_json(t));
}

bool inspect_memory_append(const struct pkg_tables *t, char *text, FILE *to)
{
	char *end = strrchr(text, '}');
	json_t *object = inspect_memory_json(t);
	char *memory = object ? json_dumps(object, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;

	if (end && memory) {
		while (end > text && (end[-1] == '\n' || end[-1] == ' '))
			end--;
		*end = '\0';
		fprintf(to, "%s,\n  \"tile_memory\": %s\n}\n", text, memory);
	}
	free(memory);
	json_decref(object);
	return end && memory ? 0 : 1;
}
