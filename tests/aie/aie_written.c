/* SPDX-License-Identifier: MIT */
/* aie_written.c - texts of designs. */
#include "tests/aie/aie_written.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void written_begin(struct written *text)
{
	*text = (struct written){calloc(1, 1 << 16), 0, 1 << 16};
}

void written_add(struct written *text, const char *format, ...)
{
	va_list list;
	int n;

	if (text->room - text->length < 8192)
		text->text = realloc(text->text, text->room *= 2);
	va_start(list, format);
	n = vsnprintf(text->text + text->length, text->room - text->length, format, list);
	va_end(list);
	text->length += n > 0 ? (size_t)n : 0;
}

void written_finish(struct written *text)
{
	free(text->text);
	*text = (struct written){0};
}

void written_tile(struct written *text, int column, int row)
{
	written_add(text, "%%t%d_%d = \"aie.tile\"() {col = %d : i32, row = %d : i32} : () -> index\n", column, row, column, row);
}

void written_fifo(struct written *text, const char *name, const char *from, const char *to, int consumers, const char *depths, const char *memref, bool via_dma)
{
	written_add(text,
		    "\"aie.objectfifo\"(%s, %s) {sym_name = \"%s\", elemNumber = %s, elemType = !aie.objectfifo<%s>, via_DMA = %s, plio = false, "
		    "disable_synchronization = false, "
		    "dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]",
		    from, to, name, depths, memref, via_dma ? "true" : "false");
	for (int i = 1; i < consumers; i++)
		written_add(text, ", []");
	written_add(text, "]>} : (index");
	for (int i = 0; i < consumers; i++)
		written_add(text, ", index");
	written_add(text, ") -> ()\n");
}

void written_acquire(struct written *text, const char *value, const char *fifo, int port, const char *memref)
{
	written_add(text, "%s = \"aie.objectfifo.acquire\"() {objFifo_name = @%s, port = %d : i32, size = 1 : i32} : () -> %s\n", value, fifo, port, memref);
}

void written_release(struct written *text, const char *fifo, int port)
{
	written_add(text, "\"aie.objectfifo.release\"() {objFifo_name = @%s, port = %d : i32, size = 1 : i32} : () -> ()\n", fifo, port);
}

void written_task(struct written *text, int argument, int id, const char *fifo, long offset, long count, const char *memref, bool token)
{
	written_add(text,
		    "\"aiex.npu.dma_memcpy_nd\"(%%p%d) {id = %d : i64, issue_token = %s, metadata = @%s, operandSegmentSizes = array<i32: 1, 0, 0, 0>, "
		    "static_offsets = "
		    "array<i64: 0, 0, 0, %ld>, static_sizes = array<i64: 1, 1, 1, %ld>, static_strides = array<i64: 0, 0, 0, 1>} : (%s) -> ()\n",
		    argument, id, token ? "true" : "false", fifo, offset, count, memref);
}

void written_wait(struct written *text, const char *fifo)
{
	written_add(text, "\"aiex.npu.dma_wait\"() {symbol = @%s} : () -> ()\n", fifo);
}

ptowsp_status aie_whole_read(struct aie_whole *whole, const char *text, struct ptowsp_error *error)
{
	const struct aie_flow *flows;
	const uint32_t *fifos;
	uint32_t count;
	ptowsp_status status;

	*whole = (struct aie_whole){0};
	status = aie_module_read(&whole->module, text, strlen(text), error);
	if (!status)
		status = aie_design_read(&whole->design, &whole->module, error);
	if (!status)
		status = aie_channels_assign(&whole->channels, &whole->design, error);
	if (status)
		return status;
	aie_design_flows(&whole->channels, &flows, &fifos, &count);
	return aie_route(whole->design.arch, flows, count, &whole->routes, error);
}

void aie_whole_finish(struct aie_whole *whole)
{
	aie_routes_finish(&whole->routes);
	aie_channels_finish(&whole->channels);
	aie_design_finish(&whole->design);
	aie_module_finish(&whole->module);
}

void text_put(char *text, size_t room, const char *format, ...)
{
	const size_t length = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + length, room - length, format, args);
	va_end(args);
}
