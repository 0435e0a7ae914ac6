/* SPDX-License-Identifier: MIT */
/* timeline.c - --trace: what each core, DMA and the host did when, as Chrome trace events. */
#include "tools/aie/aie.h"

#include <jansson.h>
#include <stdlib.h>

void aie_timeline_begin(struct aie_timeline *timeline)
{
	if (timeline->output.file)
		fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[", timeline->output.file);
}

/* A text as JSON has it; "?" without memory. */
static void text_write(FILE *to, const char *text)
{
	json_t *string = json_string(text);
	char *written = string ? json_dumps(string, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;

	fputs(written ? written : "\"?\"", to);
	free(written);
	json_decref(string);
}

void aie_timeline_told(void *context, uint32_t agent, const char *what, uint64_t begin, uint64_t end)
{
	struct aie_timeline *timeline = context;
	FILE *file = timeline->output.file;

	if (!file)
		return;
	fprintf(file, "%s\n{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%llu,\"dur\":%llu,\"name\":", timeline->any ? "," : "", timeline->device, agent,
		(unsigned long long)begin, (unsigned long long)(end - begin));
	text_write(file, what);
	fputc('}', file);
	timeline->any = true;
}

void aie_timeline_name(struct aie_timeline *timeline, const char *device, const struct aie_sim_stats *stats)
{
	FILE *file = timeline->output.file;

	if (!file)
		return;
	fprintf(file, "%s\n{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_name\",\"args\":{\"name\":", timeline->any ? "," : "", timeline->device);
	text_write(file, device);
	fputs("}}", file);
	for (uint32_t i = 0; i < stats->agent_count; i++) {
		fprintf(file, ",\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"thread_name\",\"args\":{\"name\":", timeline->device, i);
		text_write(file, stats->agents[i].name);
		fputs("}}", file);
	}
	timeline->any = true;
	timeline->device++;
}

ptowsp_status aie_timeline_end(struct aie_timeline *timeline, struct ptowsp_error *error)
{
	if (!timeline->output.file)
		return PTOWSP_OK;
	fputs("\n]}\n", timeline->output.file);
	return output_finish(&timeline->output, error);
}
