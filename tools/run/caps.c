/* SPDX-License-Identifier: MIT */
/* caps.c - --capabilities: features against backends and their devices. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptowsp/graph.h"
#include "registry/common/common_dtype.h"
#include "registry/common/common_grow.h"
#include "registry/common/common_tile.h"
#include "registry/names.h"
#include "registry/platform.h"
#include "registry/text.h"
#include "tools/columns.h"
#include "tools/html_page.h"
#include "tools/run/probe.h"
#include "tools/run/run_run.h"

/* One column per backend, one more for each device of it whose rows are others; cells by feature, in the order of reg_feature_at. */
struct matrix {
	const struct run_options *options;
	struct column {
		char name[80];
		char engine[80], model[40];
		struct ptowsp_cap *cells; /* owned; feature 0: no row */
	} * columns;                      /* owned */
	uint32_t count, features;
	bool failed; /* out of memory */
};

/* NULL: no memory. */
static struct column *column_add(struct matrix *m, const struct ptowsp_backend *backend)
{
	const struct ptowsp_device *device = ptowsp_backend_current(backend);
	const bool room = COMMON_RESIZE(m->columns, m->count + 1u);
	struct column *column;
	struct reg_feature feature;
	struct reg_text text;

	m->failed |= !room;
	if (!room)
		return NULL;
	column = &m->columns[m->count];
	column->cells = calloc(m->features, sizeof(*column->cells));
	m->failed |= !column->cells;
	if (!column->cells)
		return NULL;
	m->count++;
	reg_text_init(&text, column->name, sizeof(column->name));
	reg_text_add(&text, "%s", ptowsp_backend_name(backend));
	reg_text_init(&text, column->engine, sizeof(column->engine));
	reg_text_add(&text, "%s", run_engine(device));
	reg_text_init(&text, column->model, sizeof(column->model));
	reg_text_add(&text, "%s", run_cycle_model(device));
	for (uint32_t i = 0; reg_feature_at(i, &feature); i++) {
		const struct ptowsp_cap *cap = ptowsp_backend_cap(backend, feature.id);

		if (cap)
			column->cells[i] = *cap;
	}
	return column;
}

static void column_drop(struct matrix *m)
{
	free(m->columns[--m->count].cells);
}

static void device_name(struct column *column, const struct ptowsp_backend *backend, const struct ptowsp_device *device)
{
	struct reg_text text;

	reg_text_init(&text, column->name, sizeof(column->name));
	reg_text_add(&text, "%s %s", ptowsp_backend_name(backend), device->name);
}

/* Are the rows of the last column those of an earlier one, from `first` on? */
static bool repeats(const struct matrix *m, uint32_t first)
{
	for (uint32_t c = first; c + 1 < m->count; c++)
		if (!memcmp(m->columns[m->count - 1].cells, m->columns[c].cells, m->features * sizeof(*m->columns->cells)))
			return true;
	return false;
}

/* Another device of the plugin: a column if there is none with its rows. */
static void device_add(struct matrix *m, const struct ptowsp_backend *first, uint32_t first_column, const struct ptowsp_device *device)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct run_options options = *m->options;
	struct ptowsp_backend *backend;
	struct column *column;

	options.plugin = ptowsp_backend_path(first);
	options.device = device->name;
	if (run_backend_open(&backend, &options, NULL, &error)) {
		fprintf(stderr, "ptowsp-run: %s %s skipped: %s\n", ptowsp_backend_name(first), device->name, error.text);
		return;
	}
	column = column_add(m, backend);
	if (column && repeats(m, first_column)) {
		column_drop(m);
	} else if (column) {
		device_name(column, first, device);
		device_name(&m->columns[first_column], first, ptowsp_backend_current(first));
	}
	ptowsp_backend_close(backend);
}

static void backend_add(void *context, struct ptowsp_backend *backend)
{
	struct matrix *m = context;
	const struct ptowsp_device *current = ptowsp_backend_current(backend), *device;
	uint32_t first = m->count;

	if (!column_add(m, backend) || m->options->device)
		return;
	for (uint32_t i = 0; (device = ptowsp_backend_device(backend, i)); i++)
		if (device != current)
			device_add(m, backend, first, device);
}

static void matrix_finish(struct matrix *m)
{
	for (uint32_t i = 0; i < m->count; i++)
		free(m->columns[i].cells);
	free(m->columns);
}

const char *run_cap_text(const struct ptowsp_cap *cap, bool shown)
{
	return !cap ? "-" : cap->state == PTOWSP_STATE_ENFORCED && !shown ? "claimed" : reg_state_text(cap->state);
}

/* Without running it: there is a probe, and the plugin's maker says that it was seen. */
static const char *state_text(const struct ptowsp_cap *cap)
{
	return run_cap_text(cap, cap->evidence != PTOWSP_EVIDENCE_CLAIMED && probe_exists(cap->feature));
}

/* "enforced 1..64"; "-" without a row. */
static void cell_text(const struct ptowsp_cap *cap, char *memory, size_t room)
{
	struct reg_text text;

	reg_text_init(&text, memory, room);
	reg_text_add(&text, "%s", cap->feature ? state_text(cap) : "-");
	if (cap->low || cap->high)
		reg_text_add(&text, " %lld..%lld", (long long)cap->low, (long long)cap->high);
	for (unsigned dtype = 0; common_tile_is_feature(cap->feature) && common_dtype(dtype); dtype++)
		if (cap->bits >> dtype & 1)
			reg_text_add(&text, " %s", common_dtype_text(dtype));
	for (unsigned scope = 0; scope < 8 && cap->feature == PTOWSP_FEATURE_GRAPH(PTOWSP_MC_FENCE); scope++)
		if (cap->bits >> scope & 1)
			reg_text_add(&text, " but %s", reg_fence_scope(scope));
}

/* Does any backend say something of it, or leave it out? */
static bool is_shown(const struct matrix *m, uint32_t i, const struct reg_feature *feature)
{
	bool told = !feature->optional;

	for (uint32_t c = 0; c < m->count; c++)
		told |= m->columns[c].cells[i].feature != 0;
	return told;
}

static uint32_t column_width(const struct column *column, uint32_t features)
{
	uint32_t width = (uint32_t)strlen(column->name);
	char text[96];

	for (uint32_t i = 0; i < features; i++) {
		cell_text(&column->cells[i], text, sizeof(text));
		width = strlen(text) > width ? (uint32_t)strlen(text) : width;
	}
	return width;
}

/* The first column: as wide as the longest name. */
static int name_width(void)
{
	struct reg_feature feature;
	size_t width = 0;

	for (uint32_t i = 0; reg_feature_at(i, &feature); i++)
		width = strlen(feature.name) > width ? strlen(feature.name) : width;
	return (int)width;
}

static void matrix_print(const struct matrix *m)
{
	struct reg_feature feature;
	const char *group = "";
	uint32_t *widths = calloc(m->count + 1u, sizeof(*widths));
	int name = name_width();
	char text[96];

	printf("%-*s", name + 2, "feature");
	for (uint32_t c = 0; c < m->count; c++) {
		if (widths)
			widths[c] = c + 1 < m->count ? column_width(&m->columns[c], m->features) : 0; /* no blanks at the end */
		printf("  %-*s", widths ? (int)widths[c] : 0, m->columns[c].name);
	}
	printf("\n");
	for (uint32_t i = 0; reg_feature_at(i, &feature); i++) {
		if (!is_shown(m, i, &feature))
			continue;
		if (strcmp(group, feature.group))
			printf("%s\n", feature.group);
		group = feature.group;
		printf("  %-*s", name, feature.name);
		for (uint32_t c = 0; c < m->count; c++) {
			cell_text(&m->columns[c].cells[i], text, sizeof(text));
			printf("  %-*s", widths ? (int)widths[c] : 0, text);
		}
		printf("\n");
	}
	printf("\n");
	for (uint32_t c = 0; c < m->count; c++)
		printf("%s: engine %s, cycle model %s\n", m->columns[c].name, m->columns[c].engine, m->columns[c].model);
	for (unsigned state = PTOWSP_STATE_ENFORCED + 1; state-- > PTOWSP_STATE_UNSUPPORTED;)
		printf("%s: %s\n", reg_state_text(state), reg_state_meaning(state));
	printf("claimed: the backend says enforced, and no probe of this tool has seen it there; --strict takes it as enforced\n");
	printf("- : no row; a directive is then diagnosed and ignored, an opcode or payload is unsupported\n");
	run_platforms_print();
	free(widths);
}

static json_t *cell_json(const struct ptowsp_cap *cap)
{
	json_t *cell;

	if (!cap->feature)
		return json_null();
	cell = json_pack("{s:s, s:s, s:s}", "state", state_text(cap), "declared", reg_state_text(cap->state), "evidence", reg_evidence_text(cap->evidence));
	json_object_set_new(cell, "since", json_sprintf("%d.%d", PTOWSP_ABI_MAJOR, cap->since));
	if (cap->low || cap->high) {
		json_object_set_new(cell, "low", json_integer(cap->low));
		json_object_set_new(cell, "high", json_integer(cap->high));
	}
	if (cap->bits)
		json_object_set_new(cell, "bits", json_integer((json_int_t)cap->bits));
	return cell;
}

static json_t *matrix_json(const struct matrix *m)
{
	json_t *plugins = json_array(), *engines = json_object(), *rows = json_array();
	struct reg_feature feature;

	for (uint32_t c = 0; c < m->count; c++) {
		json_array_append_new(plugins, json_string(m->columns[c].name));
		json_object_set_new(engines, m->columns[c].name, json_pack("{s:s, s:s}", "engine", m->columns[c].engine, "cycle_model", m->columns[c].model));
	}
	for (uint32_t i = 0; reg_feature_at(i, &feature); i++) {
		json_t *cells;

		if (!is_shown(m, i, &feature))
			continue;
		cells = json_object();
		for (uint32_t c = 0; c < m->count; c++)
			json_object_set_new(cells, m->columns[c].name, cell_json(&m->columns[c].cells[i]));
		json_array_append_new(
			rows, json_pack("{s:s, s:i, s:s, s:o}", "feature", feature.name, "id", (int)feature.id, "group", feature.group, "plugins", cells));
	}
	return json_pack("{s:s, s:o, s:o, s:o, s:o}", "schema", "ptowsp.capabilities/1", "plugins", plugins, "engines", engines, "features", rows, "graph",
			 run_platforms_json());
}

static bool matrix_place(void *context, const char *line, FILE *file)
{
	json_t *root = strcmp(line, "@matrix@\n") ? NULL : matrix_json(context);

	if (root)
		json_dumpf(root, file, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_ESCAPE_SLASH); /* no "</script>" can come of it */
	json_decref(root);
	return root != NULL;
}

/* --html: the matrix as a page to look at, which needs nothing else. */
static ptowsp_status matrix_page(struct matrix *m, struct ptowsp_error *error)
{
	struct output output = {.slot = -1};
	ptowsp_status status = output_open(&output, m->options->html, error);

	if (!status) {
		html_page_print(output.file, &run_report_page[REPORT_MATRIX], matrix_place, m);
		status = output_finish(&output, error);
	}
	if (!status)
		status = output_publish(&output, error);
	output_drop(&output);
	return status;
}

static ptowsp_status host_print(const struct run_options *options, struct ptowsp_error *error)
{
	struct ptowsp_host_feature row;
	struct columns columns = {0};
	json_t *rows = json_array();

	for (uint32_t i = 0; ptowsp_host_feature(i, &row); i++) {
		columns_add(&columns, "%s\t%s\t%s", row.name, reg_state_text(row.state), row.text);
		json_array_append_new(rows, json_pack("{s:s, s:s, s:s}", "name", row.name, "state", reg_state_text(row.state), "text", row.text));
	}
	columns_print(&columns, options->json ? NULL : stdout, 0);
	if (options->json)
		return run_json_print(json_pack("{s:s, s:o}", "schema", "ptowsp.host/1", "capabilities", rows), error);
	json_decref(rows);
	return PTOWSP_OK;
}

ptowsp_status run_capabilities(const struct run_options *options, struct ptowsp_error *error)
{
	struct matrix matrix = {.options = options, .features = reg_feature_count()};
	ptowsp_status status;

	if (options->host)
		return host_print(options, error);
	status = run_each_backend(options, backend_add, &matrix, error);
	if (!status && matrix.failed)
		status = reg_fail(error, PTOWSP_NO_MEMORY, "no memory for the matrix");
	if (!status && options->html)
		status = matrix_page(&matrix, error);
	else if (!status && options->json)
		status = run_json_print(matrix_json(&matrix), error);
	else if (!status)
		matrix_print(&matrix);
	matrix_finish(&matrix);
	return status;
}
