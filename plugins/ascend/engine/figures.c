/* SPDX-License-Identifier: MIT */
#include "ascend/engine/figures.h"

#include "ascend/engine/files.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file of the folder, to be freed; NULL: there is none. */
static char *text_read(const char *folder, const char *name)
{
	char path[ASCEND_PATH + 40];
	size_t size;
	void *text;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return ascend_file_read(path, &text, &size, NULL) ? NULL : text;
}

/* Cuts the line off; NULL: there is none. */
static char *line_cut(char **at)
{
	char *line = *at, *end = line + strcspn(line, "\n");

	if (!*line)
		return NULL;
	*at = *end ? end + 1 : end;
	*end = '\0';
	return line;
}

/* ---- pipes ----------------------------------------------------------------------------------------------------------- */

enum { KINDS = 2, COLUMNS = 24 };
/* The table: what its columns are, and their sums per kind of core. */
struct pmu {
	uint32_t columns, kind, total; /* of the core and of all cycles; COLUMNS: there is none */
	char names[COLUMNS][24];       /* of pipes, "" for other columns */
	uint64_t sums[KINDS][COLUMNS];
};

/* A column "vec_busy_cycles" is that of pipe vec. */
static void columns_read(struct pmu *pmu, char *head)
{
	static const char busy[] = "_busy_cycles";

	pmu->kind = pmu->total = COLUMNS;
	for (char *word = strtok_r(head, ",", &head); word && pmu->columns < COLUMNS; word = strtok_r(NULL, ",", &head)) {
		const char *end = strstr(word, busy);

		if (!strcmp(word, "core_type"))
			pmu->kind = pmu->columns;
		else if (!strcmp(word, "pmu_total_cycles"))
			pmu->total = pmu->columns;
		else if (end)
			snprintf(pmu->names[pmu->columns], sizeof(pmu->names[0]), "%.*s", (int)(end - word), word);
		pmu->columns++;
	}
}

static void row_sum(struct pmu *pmu, const char *line)
{
	uint64_t values[COLUMNS] = {0};

	for (uint32_t c = 0; c < pmu->columns; c++) {
		values[c] = strtoull(line, NULL, 10);
		line += strcspn(line, ",");
		line += *line == ',';
	}
	for (uint32_t c = 0; pmu->kind < COLUMNS && values[pmu->kind] < KINDS && c < pmu->columns; c++)
		pmu->sums[values[pmu->kind]][c] += values[c];
}

static void pipe_add(struct ascend_figures *figures, struct ptowsp_run_stats *stats, const struct ascend_arch *arch, uint32_t kind, const char *name,
		     uint64_t cycles)
{
	struct ptowsp_pipe_stats *row = &figures->pipes[stats->pipe_count];

	if (!cycles || stats->pipe_count == sizeof(figures->pipes) / sizeof(*figures->pipes))
		return;
	*row = (struct ptowsp_pipe_stats){
		.unit = kind ? PTOWSP_UNIT_AIV : PTOWSP_UNIT_AIC, .cores = kind ? ascend_arch_vectors(arch) : arch->clusters, .cycles = cycles};
	snprintf(row->name, sizeof(row->name), "%s", name);
	stats->pipe_count++;
}

static void pipes_tell(struct ascend_figures *figures, char *text, const struct ascend_arch *arch, struct ptowsp_run_stats *stats)
{
	struct pmu pmu = {0};
	char *at = text, *line = line_cut(&at);

	if (line)
		columns_read(&pmu, line);
	while ((line = line_cut(&at)))
		row_sum(&pmu, line);
	if (pmu.total == COLUMNS || !(pmu.sums[0][pmu.total] + pmu.sums[1][pmu.total]))
		return;
	stats->pipes = figures->pipes;
	stats->pipe_stride = sizeof(*figures->pipes);
	stats->pipe_count = 0;
	for (uint32_t kind = 0; kind < KINDS; kind++) {
		pipe_add(figures, stats, arch, kind, "", pmu.sums[kind][pmu.total]);
		for (uint32_t c = 0; c < pmu.columns; c++)
			if (*pmu.names[c])
				pipe_add(figures, stats, arch, kind, pmu.names[c], pmu.sums[kind][c]);
	}
}

/* ---- resources ------------------------------------------------------------------------------------------------------- */

/* The number behind "key": in a line, or behind a bracket there. */
static bool number_find(const char *line, const char *key, uint64_t *out)
{
	const char *found = strstr(line, key);

	if (!found)
		return false;
	found += strlen(key);
	*out = strtoull(found + strspn(found, "\": ["), NULL, 10);
	return true;
}

/* A resource's places in use, at the begin or the end of a scope. */
static uint64_t taken(const char *line, const char *tail, const char *head)
{
	uint64_t from = 0, to = 0;

	return number_find(line, head, &to) && (!*tail || number_find(line, tail, &from)) && to > from ? to - from : 0;
}

static void resource_set(struct ascend_figures *figures, const struct ptowsp_run_stats *stats, uint32_t resource, uint64_t capacity, uint64_t most)
{
	for (uint32_t r = 0; r < stats->resource_count; r++)
		if (figures->resources[r].resource == resource) {
			figures->resources[r].capacity = capacity;
			figures->resources[r].high_water = most;
		}
}

static void resources_tell(struct ascend_figures *figures, char *text, struct ptowsp_run_stats *stats)
{
	static const struct {
		uint32_t resource;
		const char *capacity, *tail, *head;
	} rows[] = {{PTOWSP_RESOURCE_TENSOR_MAP, "tensormap_max", "", "\"tensormap\""},
		    {PTOWSP_RESOURCE_DEP_LIST, "dep_pool_max", "dep_pool_start", "dep_pool_end"},
		    {PTOWSP_RESOURCE_HEAP, "heap_max", "heap_start", "heap_end"}};
	uint64_t capacities[3] = {0}, most[3] = {0};
	char *at = text, *line = line_cut(&at);

	for (size_t i = 0; line && i < 3; i++)
		number_find(line, rows[i].capacity, &capacities[i]);
	while ((line = line_cut(&at)))
		for (size_t i = 0; i < 3; i++)
			most[i] = taken(line, rows[i].tail, rows[i].head) > most[i] ? taken(line, rows[i].tail, rows[i].head) : most[i];
	figures->resources = calloc(stats->resource_count + 1, sizeof(*figures->resources));
	if (!figures->resources)
		return;
	for (uint32_t r = 0; r < stats->resource_count; r++)
		memcpy(&figures->resources[r], (const char *)stats->resources + (size_t)r * stats->resource_stride, sizeof(*figures->resources));
	for (size_t i = 0; i < 3; i++)
		if (capacities[i])
			resource_set(figures, stats, rows[i].resource, capacities[i], most[i]);
	stats->resources = figures->resources;
	stats->resource_stride = sizeof(*figures->resources);
}

void ascend_figures_tell(struct ascend_figures *figures, const char *folder, const struct ascend_arch *arch, struct ptowsp_run_stats *stats)
{
	char *pmu = text_read(folder, "pmu.csv"), *scopes = text_read(folder, "scope_stats/scope_stats.jsonl");

	ascend_figures_finish(figures);
	if (pmu)
		pipes_tell(figures, pmu, arch, stats);
	if (scopes)
		resources_tell(figures, scopes, stats);
	free(pmu);
	free(scopes);
}

void ascend_figures_finish(struct ascend_figures *figures)
{
	free(figures->resources);
	figures->resources = NULL;
}
