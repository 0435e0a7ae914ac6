/* SPDX-License-Identifier: MIT */
/* lower_name.c - symbols of a design: its fifos and the functions that its cores call, and files of these. A core's program is linked with C's library and with what the tools begin it by, so no
 * symbol is what a package calls something: a kernel may be called memcpy or main. */
#include "aie/design/lower_own.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "kernel_";

void aie_lower_stream_names(struct aie_lowering *lowering)
{
	static const char *const kinds[] = {"load", "store", "pass", "channel", "order"}, *const wholes[] = {"loads", "stores"};
	const struct aie_graph *graph = lowering->args->graph;

	for (uint32_t s = 0; s < graph->stream_count; s++) {
		const struct aie_stream *stream = &graph->streams[s];
		char *name = lowering->streams[s];

		if (stream->kind == AIE_STREAM_CHANNEL)
			snprintf(name, sizeof(lowering->streams[s]), "%.40s_%u", lowering->args->channel_name(lowering->args->context, stream->channel), s);
		else
			snprintf(name, sizeof(lowering->streams[s]), "%s_%u", stream->whole ? wholes[stream->kind] : kinds[stream->kind], s);
		if (!common_names_add(&lowering->symbols, name))
			lowering->failed = PTOWSP_NO_MEMORY;
	}
}

char *aie_lower_function_name(struct aie_lowering *lowering, const char *kernel)
{
	size_t length = sizeof(prefix) - 1 + strlen(kernel);
	char *name = malloc(length + 16);

	if (!name)
		return NULL;
	snprintf(name, length + 1, "%s%s", prefix, kernel);
	for (size_t i = sizeof(prefix) - 1; i < length; i++)
		name[i] = isalnum((unsigned char)kernel[i - sizeof(prefix) + 1]) ? name[i] : '_';
	if (common_names_choose(&lowering->symbols, name, length + 16, "_"))
		return name;
	free(name);
	return NULL;
}

void aie_lower_buffer_name(struct aie_lowering *lowering, char name_out[AIE_BUFFER_NAME], uint32_t buffer)
{
	snprintf(name_out, AIE_BUFFER_NAME, "buffer_%" PRIu32, buffer);
	if (!common_names_choose(&lowering->symbols, name_out, AIE_BUFFER_NAME, "_"))
		lowering->failed = PTOWSP_NO_MEMORY;
}

/* Kernels of one name have different numbers, and files have names of bounded length. */
void aie_lower_object_name(char name_out[AIE_OBJECT_NAME], uint32_t kernel, const char *name)
{
	int length = snprintf(name_out, AIE_OBJECT_NAME, "%s%" PRIu32 "_%.48s", prefix, kernel, name);

	for (int i = sizeof(prefix) - 1; i < length; i++)
		name_out[i] = isalnum((unsigned char)name_out[i]) ? name_out[i] : '_';
	snprintf(name_out + length, AIE_OBJECT_NAME - (size_t)length, ".o");
}
