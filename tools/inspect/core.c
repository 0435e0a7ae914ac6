/* SPDX-License-Identifier: MIT */
/* core.c - the portable kernels on cores of Ascend: where they run, what they need of each memory, what they cost there. */
#include "tools/inspect/inspect.h"

#include "ascend/core/core.h"
#include "tools/columns.h"

#include <inttypes.h>
#include <string.h>

/* A kernel on one machine. */
struct core_row {
	struct ascend_kernel *kernel; /* NULL: `text` says why */
	struct ascend_cost cost;
	bool known; /* cost */
	char text[300];
};

/* So many looks at a walk that does not end, one in 65,536 instructions: who lists a package does not wait for its loops. */
enum { LOOKS = 16 };

static int enough(void *context)
{
	unsigned *looks = context;

	return ++*looks > LOOKS;
}

/* One block, with scalars that do not matter. */
static void cost_find(struct core_row *row, const struct isa_program *program)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	unsigned looks = 0;
	const struct isa_guard guard = {enough, &looks};
	ptowsp_status status;

	if (isa_program_varies(program) || isa_program_data_dependent(program)) {
		snprintf(row->text, sizeof(row->text), "cycles depend on its %s", isa_program_data_dependent(program) ? "data" : "scalars");
		return;
	}
	status = ascend_kernel_cost(row->kernel, (const uint64_t[64]){0}, 64, (struct isa_block){0, 1}, &guard, &row->cost, &error);
	row->known = !status;
	if (status == PTOWSP_CANCELLED)
		snprintf(row->text, sizeof(row->text), "its loops are too long to be walked here");
	else if (row->known)
		ascend_cost_text(&row->cost, row->text, sizeof(row->text));
	else
		snprintf(row->text, sizeof(row->text), "%.256s", error.text);
}

static struct core_row row_make(const struct isa_program *program, const char *name, unsigned unit, enum ascend_arch_id arch)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct core_row row = {.kernel = NULL};

	if (ascend_kernel_create(&row.kernel, program, name, ascend_arch(arch), unit, &error))
		snprintf(row.text, sizeof(row.text), "%.256s", error.text);
	else
		cost_find(&row, program);
	return row;
}

static const char *unit_text(unsigned unit)
{
	return unit == PTOWSP_UNIT_AIC ? "aic" : unit == PTOWSP_UNIT_AIV ? "aiv" : "aic_aiv";
}

static void line_add(struct columns *c, const char *name, const struct core_row *row, const struct core_row *a5)
{
	char needs[160] = "";

	for (int m = 0; m < ASCEND_MEMORY_COUNT; m++) {
		const size_t at = strlen(needs);

		if (row->kernel)
			snprintf(needs + at, sizeof(needs) - at, "\t%" PRIu64, ascend_kernel_need(row->kernel, (enum ascend_memory)m));
		else
			snprintf(needs + at, sizeof(needs) - at, "\t-");
	}
	columns_add(c, "%.200s\t%s%s\t%s\t%s", name, row->kernel ? unit_text(ascend_kernel_unit(row->kernel)) : "-", needs, a5->kernel ? "fits" : "too large",
		    row->text);
}

void inspect_cores(const struct pkg_tables *t, FILE *to)
{
	struct columns c = {0};
	bool any = false;

	columns_add(&c, "kernel\tunit\tUB\tL1\tL0A\tL0B\tL0C\t950\t910b");
	for (uint32_t i = 0; i < t->kernel_count; i++) {
		const char *name = pkg_string(t, t->kernel[i].name);
		struct isa_program *program = inspect_portable(t, &t->kernel[i]);
		struct core_row row, a5;

		if (!program)
			continue;
		row = row_make(program, name, t->kernel[i].unit, ASCEND_910B);
		a5 = row_make(program, name, t->kernel[i].unit, ASCEND_950);
		line_add(&c, name, &row, &a5);
		ascend_kernel_destroy(row.kernel);
		ascend_kernel_destroy(a5.kernel);
		isa_program_destroy(program);
		any = true;
	}
	if (any)
		fputs("\non cores of Ascend: bytes of their memories; cycles of the model core, computed and not measured\n", to);
	columns_sort(&c, 1);
	columns_print(&c, any ? to : NULL, 2);
}

static json_t *kernel_json(const char *name, const struct core_row *row, enum ascend_arch_id arch)
{
	json_t *object = json_pack("{s:s, s:s}", "kernel", name, "device", ascend_arch(arch)->name), *needs, *busy;

	if (!row->kernel) {
		json_object_set_new(object, "refused", json_string(row->text));
		return object;
	}
	json_object_set_new(object, "unit", json_string(unit_text(ascend_kernel_unit(row->kernel))));
	needs = json_object();
	for (int m = 0; m < ASCEND_MEMORY_COUNT; m++)
		json_object_set_new(needs, ascend_memory_text((enum ascend_memory)m),
				    json_integer((json_int_t)ascend_kernel_need(row->kernel, (enum ascend_memory)m)));
	json_object_set_new(object, "bytes", needs);
	if (!row->known)
		return object;
	json_object_set_new(object, "cycles", json_integer((json_int_t)row->cost.cycles));
	busy = json_object();
	for (int p = 0; p < ASCEND_PIPE_COUNT; p++)
		json_object_set_new(busy, ascend_pipe_text((enum ascend_pipe)p), json_integer((json_int_t)row->cost.busy[p]));
	json_object_set_new(object, "pipes", busy);
	return object;
}

json_t *inspect_cores_json(const struct pkg_tables *t)
{
	static const enum ascend_arch_id archs[] = {ASCEND_910B, ASCEND_950};
	json_t *rows = json_array();

	for (uint32_t i = 0; i < t->kernel_count; i++) {
		struct isa_program *program = inspect_portable(t, &t->kernel[i]);

		for (unsigned a = 0; program && a < sizeof(archs) / sizeof(*archs); a++) {
			const char *name = pkg_string(t, t->kernel[i].name);
			struct core_row row = row_make(program, name, t->kernel[i].unit, archs[a]);

			json_array_append_new(rows, kernel_json(name, &row, archs[a]));
			ascend_kernel_destroy(row.kernel);
		}
		isa_program_destroy(program);
	}
	return rows;
}
