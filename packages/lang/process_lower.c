/* SPDX-License-Identifier: MIT */
/* process_lower.c - channels and processes to CSPC, PROC and PRCH; what a pipeline needs of the entries in front of it. */
#include "lang/lang_lower.h"
#include "lang/parse.h"
#include "lang/lang_process.h"

#include <string.h>

int lang_has_pipeline(const struct lang_module *module)
{
	return module->decl_counts[LANG_DECL_PROCESS] > 0;
}

void lang_pipeline_complete(struct lang_module *module)
{
	struct lang_parser parser = {.unit = module->unit, .module = module};
	struct lang_workload *workload;
	struct lang_decl *first = module->decls;

	if (!lang_has_pipeline(module) || module->decl_counts[LANG_DECL_WORKLOAD])
		return;
	while (first->kind != LANG_DECL_PROCESS)
		first = first->next;
	if (lang_decl_find(module, '@', "main") || lang_map_find(&module->functions, "main")) {
		lang_error(module->unit, first->at, "the pipeline needs an entry, and the name main is taken by something else");
		lang_help(module->unit, "write an entry of another name: workload @run { }");
		return;
	}
	workload = lang_decl_add(&parser, LANG_DECL_WORKLOAD, sizeof(*workload), "main", first->at);
	workload->body.last = &workload->body.first;
}

/* --- rows --- */

void lang_channel_write(struct lang_lower *lower, struct lang_decl *decl)
{
	const struct lang_channel *channel = (const struct lang_channel *)decl;
	struct ptowsp_channel_record record = {.id = ptowsp_id(decl->name, strlen(decl->name)),
					       .name = pkg_writer_string(lower->writer, decl->name),
					       .capacity = channel->capacity,
					       .latency = channel->latency,
					       .kind = channel->is_payload ? PTOWSP_CHANNEL_PAYLOAD : PTOWSP_CHANNEL_TOKEN};

	pkg_writer_row(lower->writer, PTOWSP_SECTION_CSPC, &record, sizeof(record));
}

void lang_process_write(struct lang_lower *lower, struct lang_decl *decl)
{
	const struct lang_process *process = (const struct lang_process *)decl;
	struct ptowsp_process_record record = {.id = ptowsp_id(decl->name, strlen(decl->name)),
					       .name = pkg_writer_string(lower->writer, decl->name),
					       .instruction = process->instruction,
					       .replicas = process->replicas,
					       .order = decl->position,
					       .channels = pkg_writer_count(lower->writer, PTOWSP_SECTION_PRCH),
					       .channel_count = process->use_count};

	for (uint32_t i = 0; i < process->use_count; i++) {
		struct ptowsp_process_channel_record use = {.channel = process->uses[i].channel->head.row, .direction = process->uses[i].direction};

		pkg_writer_row(lower->writer, PTOWSP_SECTION_PRCH, &use, sizeof(use));
	}
	pkg_writer_row(lower->writer, PTOWSP_SECTION_PROC, &record, sizeof(record));
}

/* --- code --- */

static void body_lower(struct lang_lower *lower, struct lang_process *process)
{
	struct lang_work_walk walk = {.lower = lower, .entry = PTOWSP_NONE, .body = &process->body};

	process->instruction = lower->tables.work_count;
	lang_body_lower(&walk, &process->body);
	lang_work_emit(&walk, PTOWSP_OP_HALT, 0, 0, process->head.at);
}

/* What the bodies read is noted as if they were one entry, and kept for all entries that they run behind. */
void lang_pipeline_lower(struct lang_lower *lower)
{
	struct lang_tables *tables = &lower->tables;
	uint32_t first = tables->value_count;

	if (!lang_has_pipeline(lower->module))
		return;
	lower->value_first = first;
	for (struct lang_decl *decl = lower->module->decls; decl; decl = decl->next)
		if (decl->kind == LANG_DECL_PROCESS)
			body_lower(lower, (struct lang_process *)decl);
	lower->value_first = PTOWSP_NONE;
	lower->pipeline_value_count = tables->value_count - first;
	lower->pipeline_values = lang_alloc(&lower->unit->arena, (lower->pipeline_value_count + 1) * sizeof(*lower->pipeline_values));
	if (lower->pipeline_value_count)
		memcpy(lower->pipeline_values, tables->values + first,
		       lower->pipeline_value_count * sizeof(*lower->pipeline_values));
	tables->value_count = first;
}
