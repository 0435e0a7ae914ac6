/* SPDX-License-Identifier: MIT */
/* run_report.c - --report: data of a run, put into the places of tools/run/report.html. */
#include "tools/run/run_report.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "format/format_code.h"
#include "format/format_names.h"
#include "format/json/base64.h"
#include "host/plan/host_plan.h"
#include "registry/common/common_grow.h"
#include "registry/names.h"
#include "registry/text.h"
#include "tools/html_page.h"
#include "tools/run/run_run.h"

/* Numbers of a row that stand in it when they differ from those of the row before, by bits that begin it; of tasks and of stalls. Behind the bits stands when it began. */
enum { LENGTH, ROW, KERNEL, NUMBER, ALIKE, RESOURCE = KERNEL, INSTANCE = NUMBER, START = ALIKE };

static void put(struct report_column *column, uint64_t value)
{
	if (!COMMON_RESERVE(column->bytes, column->room, column->size + 10)) {
		column->failed = true;
		return;
	}
	for (; value > 127; value >>= 7)
		column->bytes[column->size++] = (unsigned char)(value | 128);
	column->bytes[column->size++] = (unsigned char)value;
}

/* The difference to the value before, of the first or second such of a row. */
static void put_difference(struct report_column *column, unsigned which, uint64_t value)
{
	const int64_t difference = (int64_t)(value - column->last[which]);

	put(column, (uint64_t)difference << 1 ^ (uint64_t)(difference >> 63));
	column->last[which] = value;
}

static bool has_room(struct report_column *column, uint64_t most)
{
	return column->count < most && !column->failed && ++column->count;
}

void run_report_begin(struct run_report *report)
{
	struct report_column *const columns[] = {&report->tasks, &report->reals, &report->edges, &report->events};

	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		columns[i]->size = 0;
		columns[i]->count = 0;
		memset(columns[i]->last, 0, sizeof(columns[i]->last));
	}
	report->tasks.last[NUMBER] = report->reals.last[NUMBER] = UINT64_MAX; /* the first task may have number 0 */
}

static void row_put(struct report_column *column, const uint64_t *values)
{
	unsigned others = 0;

	for (unsigned i = 0; i < ALIKE; i++)
		others |= (unsigned)(values[i] != column->last[i]) << i;
	put(column, others);
	put_difference(column, START, values[START]);
	for (unsigned i = 0; i < ALIKE; i++)
		if (others & 1u << i)
			put_difference(column, i, values[i]);
}

/* A task has the number behind that of the one before it, if nothing else is said. */
static void task_put(struct report_column *column, const struct ptowsp_trace_task *task, uint32_t kernel)
{
	if (!has_room(column, REPORT_TASKS))
		return;
	column->last[NUMBER]++;
	row_put(column, (const uint64_t[]){task->end - task->start, task->executor, kernel, task->task, task->start});
}

void run_report_task(struct run_report *report, const struct ptowsp_trace_task *task)
{
	task_put(&report->tasks, task, task->kernel);
}

void run_report_real(struct run_report *report, const struct ptowsp_trace_task *task)
{
	task_put(&report->reals, task, 0);
}

void run_report_edge(struct run_report *report, const struct ptowsp_graph_edge *edge)
{
	if (edge->producer > edge->consumer || !has_room(&report->edges, REPORT_EDGES))
		return;
	put_difference(&report->edges, 0, edge->consumer);
	put(&report->edges, edge->consumer - edge->producer);
}

void run_report_event(struct run_report *report, const struct ptowsp_trace_event *event)
{
	struct report_column *column = &report->events;

	if (event->kind != PTOWSP_TRACE_STALL || event->end < event->begin || !has_room(column, REPORT_EVENTS))
		return;
	row_put(column, (const uint64_t[]){event->end - event->begin, event->row, event->resource,
					   event->instance == PTOWSP_NONE ? 0 : event->instance + UINT64_C(1), event->begin});
}

void run_report_drop(struct run_report *report)
{
	free(report->tasks.bytes);
	free(report->reals.bytes);
	free(report->edges.bytes);
	free(report->events.bytes);
	output_drop(&report->output);
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

static json_t *verdicts_json(const struct run *run)
{
	json_t *rows = json_array();
	struct ptowsp_match *match;
	struct ptowsp_verdict v;

	if (ptowsp_match_create(&match, run->backend, run->plan, run_load_flags(run->options), NULL))
		return rows;
	for (uint32_t i = 0; ptowsp_match_row(match, i, &v); i++)
		json_array_append_new(rows, json_pack("{s:s, s:s, s:s}", "about", v.what, "state", reg_state_text(v.state), "reason", v.reason));
	ptowsp_match_destroy(match);
	return rows;
}

/* Names by row until "?", which no row has. */
static json_t *names_json(const struct ptowsp_plan *plan, const char *(*name)(const struct ptowsp_plan *plan, uint32_t row))
{
	json_t *rows = json_array();

	for (uint32_t i = 0; strcmp(name(plan, i), "?") != 0; i++)
		json_array_append_new(rows, json_string(name(plan, i)));
	return rows;
}

static json_t *resource_names_json(void)
{
	json_t *rows = json_array();

	for (uint32_t i = 0; i <= PTOWSP_RESOURCE_CHANNEL_EMPTY; i++)
		json_array_append_new(rows, json_string(reg_stall_text(i)));
	return rows;
}

/* What tasks of the kernel do to the tensors of the words behind `at`: bits PTOWSP_READ and PTOWSP_WRITE by name. */
static void uses_add(json_t *uses, const struct pkg_tables *t, const struct pkg_code *code, uint32_t at)
{
	static const int bits[] = {[PTOWSP_OP_IO_INPUT] = PTOWSP_READ, [PTOWSP_OP_IO_OUTPUT] = PTOWSP_WRITE, [PTOWSP_OP_IO_INOUT] = PTOWSP_READ | PTOWSP_WRITE};
	const struct ptowsp_instruction task = pkg_code_at(code, at);

	for (uint32_t i = 1; i <= (task.operand2 >> 16) + (task.operand2 & 0xFFFF); i++) {
		const struct ptowsp_instruction word = pkg_code_at(code, at + i);
		const int access = word.opcode < sizeof(bits) / sizeof(*bits) ? bits[word.opcode] : 0;
		const char *name = access ? pkg_string(t, t->tensor[t->region[word.operand2].tensor].name) : NULL;

		if (name)
			json_object_set_new(uses, name, json_integer(json_integer_value(json_object_get(uses, name)) | access));
	}
}

/* The tensors that tasks of each kernel touch, by KREG row; variants touch those of their kernel. */
static json_t *kernel_tensors_json(const struct run *run)
{
	const struct pkg_tables *t = pkg_tables(run->package->pkg);
	json_t *rows = json_array();
	struct pkg_code *code;

	for (uint32_t i = 0; i < t->kernel_count; i++)
		json_array_append_new(rows, json_object());
	if (pkg_code_open(&code, run->package->pkg, NULL))
		return rows;
	for (uint32_t at = 0; at < pkg_code_header(code)->num_instructions; at++) {
		const struct ptowsp_instruction task = pkg_code_at(code, at);
		const struct ptowsp_kernel_record *kernel;

		if (task.opcode != PTOWSP_OP_TASK)
			continue;
		kernel = &t->kernel[pkg_code_kernel(code, task.operand1)];
		uses_add(json_array_get(rows, (size_t)(kernel - t->kernel)), t, code, at);
		for (uint32_t v = 0; v < kernel->variant_count; v++)
			uses_add(json_array_get(rows, t->variant[kernel->variants + v].kernel), t, code, at);
	}
	pkg_code_close(code);
	return rows;
}

/* ---- loops ------------------------------------------------------------------------------------------------------- */

static bool is_loop(unsigned opcode)
{
	return opcode == PTOWSP_OP_PARALLEL_FOR || opcode == PTOWSP_OP_FOR_EACH || opcode == PTOWSP_OP_SELECT || opcode == PTOWSP_OP_WHILE ||
	       opcode == PTOWSP_OP_CONSUME;
}

static uint32_t line_of(const struct pkg_tables *t, uint32_t instruction)
{
	for (uint32_t i = 0; i < t->debug_count; i++)
		if (!t->debug[i].kind && t->debug[i].row == instruction)
			return t->debug[i].line;
	return 0;
}

/* "parallel_for i, line 26" */
static json_t *loop_name(const struct pkg_tables *t, const struct pkg_code *code, uint32_t at)
{
	const struct ptowsp_instruction in = pkg_code_at(code, at);
	const bool axis = in.opcode == PTOWSP_OP_PARALLEL_FOR || in.opcode == PTOWSP_OP_FOR_EACH || in.opcode == PTOWSP_OP_SELECT;
	const char *name = axis ? pkg_string(t, t->axis[pkg_code_axis(code, in.operand1)].name) : NULL;
	const uint32_t line = line_of(t, at);
	char behind[24] = "";

	if (line)
		snprintf(behind, sizeof(behind), ", line %u", line);
	return json_sprintf("%s%s%.80s%s", pkg_word(PKG_WORDS_opcode, in.opcode), name && *name ? " " : "", name ? name : "", behind);
}

/* A loop of the code: the one around it, and that one's end. */
struct loop {
	uint32_t number, end;
};

/* Loops, each with the one around it, and those of each kernel's calls, by KREG row: the innermost one of each call, or -1. */
static void loops_add(json_t *root, const struct run *run)
{
	const struct pkg_tables *t = pkg_tables(run->package->pkg);
	json_t *loops = json_array(), *kernels = json_array();
	struct loop open[PTOWSP_NESTING_LIMIT + 1];
	uint32_t depth = 0, from, to;
	struct pkg_code *code = NULL;

	for (uint32_t i = 0; i < t->kernel_count; i++)
		json_array_append_new(kernels, json_array());
	if (pkg_code_open(&code, run->package->pkg, NULL))
		code = NULL;
	for (uint32_t at = 0; code && at < pkg_code_header(code)->num_instructions; at++) {
		const struct ptowsp_instruction in = pkg_code_at(code, at);

		while (depth && open[depth - 1].end <= at)
			depth--;
		if (in.opcode == PTOWSP_OP_TASK)
			json_array_append_new(json_array_get(kernels, pkg_code_kernel(code, in.operand1)),
					      json_integer(depth ? (json_int_t)open[depth - 1].number : -1));
		if (!is_loop(in.opcode) || depth > PTOWSP_NESTING_LIMIT || !pkg_code_body(code, at, 0, &from, &to))
			continue;
		json_array_append_new(loops, json_pack("{s:o, s:i}", "name", loop_name(t, code, at), "around", depth ? (int)open[depth - 1].number : -1));
		open[depth++] = (struct loop){(uint32_t)json_array_size(loops) - 1, to};
	}
	pkg_code_close(code);
	json_object_set_new(root, "loops", loops);
	json_object_set_new(root, "kernel_loops", kernels);
}

static void run_write(struct run *run, const struct ptowsp_error *failure, FILE *file)
{
	const char *trace = run_setting(run, "trace");
	json_t *root = run_stats_make(run, failure ? failure->code : PTOWSP_OK, failure);

	if (!root)
		return;
	json_object_set_new(root, "version", json_string(ptowsp_version()));
	json_object_set_new(root, "time_unit", json_string(trace && !strcmp(trace, "real") ? "ns" : "cycles"));
	json_object_set_new(root, "kernel_names", names_json(run->plan, ptowsp_plan_kernel));
	json_object_set_new(root, "kernel_tensors", kernel_tensors_json(run));
	loops_add(root, run);
	json_object_set_new(root, "channel_names", names_json(run->plan, ptowsp_plan_channel));
	json_object_set_new(root, "resource_names", resource_names_json());
	json_object_set_new(root, "executor_names", run_executor_names(run));
	json_object_set_new(root, "verdicts", verdicts_json(run));
	json_dumpf(root, file, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_ESCAPE_SLASH); /* no "</script>" can come of it */
	json_decref(root);
}

/* ---- bytes without their repetitions ----------------------------------------------------------------------------- */

/* Rows of loops are alike: how many bytes stand here, those, then how many are as those so many before, and so on; the last are followed by nothing. */
enum { PLACES_LOG2 = 15, LEAST_ALIKE = 6 };

static void bytes_put(struct report_column *column, const unsigned char *bytes, size_t count)
{
	put(column, count);
	if (!count || column->failed)
		return;
	if (!COMMON_RESERVE(column->bytes, column->room, column->size + count)) {
		column->failed = true;
		return;
	}
	memcpy(column->bytes + column->size, bytes, count);
	column->size += count;
}

/* How many bytes at `at` are as those at `before`. */
static size_t alike(const struct report_column *column, size_t at, size_t before)
{
	size_t count = 0;

	while (at + count < column->size && column->bytes[at + count] == column->bytes[before + count])
		count++;
	return count;
}

/* Where bytes as the four at `at` stood last: its place in a table of 1 << PLACES_LOG2. */
static uint32_t place_of(const struct report_column *column, size_t at)
{
	uint32_t word;

	memcpy(&word, column->bytes + at, sizeof(word));
	return word * UINT32_C(2654435761) >> (32 - PLACES_LOG2);
}

static void repetitions_drop(const struct report_column *column, struct report_column *shorter)
{
	size_t *last = calloc(1U << PLACES_LOG2, sizeof(*last)), at = 0, told = 0; /* last: one more than where that was */

	shorter->failed = !last;
	while (last && at + LEAST_ALIKE <= column->size) {
		size_t *place = &last[place_of(column, at)];
		const size_t before = *place, count = before ? alike(column, at, before - 1) : 0;

		*place = ++at;
		if (count < LEAST_ALIKE)
			continue;
		bytes_put(shorter, column->bytes + told, at - 1 - told);
		put(shorter, count);
		put(shorter, at - before);
		told = at += count - 1;
	}
	if (column->size)
		bytes_put(shorter, column->bytes + told, column->size - told);
	free(last);
}

static void column_write(const struct report_column *column, FILE *file)
{
	struct report_column shorter = {0};
	char *text;

	repetitions_drop(column, &shorter);
	text = shorter.failed ? NULL : pkg_base64_write(shorter.bytes, shorter.size);
	if (text)
		fputs(text, file);
	free(text);
	free(shorter.bytes);
}

/* The picture of an array, which stands in the page as it is. */
static ptowsp_status picture_take(void *context, const char *path, const void *bytes, uint64_t size)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path, *begin = size ? memmem(bytes, size, "<svg", 4) : NULL;

	if (begin && !strcmp(name, "array.svg"))
		fwrite(begin, 1, (size_t)(size - (uint64_t)(begin - (const char *)bytes)), context);
	return PTOWSP_OK;
}

/* The run that a page is of, and what it ended with. */
struct ended {
	struct run *run;
	const struct ptowsp_error *failure;
};

static bool place_fill(void *context, const char *line, FILE *file)
{
	const struct ended *ended = context;
	const struct ptowsp_error *const failure = ended->failure;
	struct run *const run = ended->run;
	struct run_report *report = &run->report;

	if (!strcmp(line, "@run@\n"))
		run_write(run, failure, file);
	else if (!strcmp(line, "@tasks@\n"))
		column_write(&report->tasks, file);
	else if (!strcmp(line, "@reals@\n"))
		column_write(&report->reals, file);
	else if (!strcmp(line, "@edges@\n"))
		column_write(&report->edges, file);
	else if (!strcmp(line, "@events@\n"))
		column_write(&report->events, file);
	else if (strcmp(line, "@array@\n") != 0)
		return false;
	else if (!failure && ptowsp_report_has_files(run->backend))
		ptowsp_report_emit(run->program, &run->execute, picture_take, file, NULL);
	fputc('\n', file);
	return true;
}

ptowsp_status run_report_write(struct run *run, const struct ptowsp_error *failure, struct ptowsp_error *error)
{
	struct ended ended = {run, failure};

	if (run->report.tasks.failed || run->report.reals.failed || run->report.edges.failed || run->report.events.failed)
		return reg_fail(error, PTOWSP_NO_MEMORY, "out of memory for the tasks and edges of --report");
	html_page_print(run->report.output.file, &run_report_page[REPORT_PAGE], place_fill, &ended);
	return output_finish(&run->report.output, error);
}
