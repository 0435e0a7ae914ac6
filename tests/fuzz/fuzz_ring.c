/* SPDX-License-Identifier: MIT */
/* fuzz_ring.c - any bytes as what a worker left in its ring: u32 where it says that it has written to, then the ring. What the reader takes for messages is read as every struct
 * that crosses, and all of that can be touched. */
#include "host/frame.h"
#include "host/wire.h"

#include <stdlib.h>
#include <string.h>

#include "ptowsp/ptowsp.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static volatile uint64_t sum;

static void touch(const void *bytes, size_t size)
{
	for (size_t i = 0; bytes && i < size; i++)
		sum += ((const unsigned char *)bytes)[i];
}

static void text_touch(const char *text)
{
	touch(text, text ? strlen(text) : 0);
}

static void stats_touch(const struct ptowsp_run_stats *s)
{
	if (!s)
		return;
	touch(s->resources, (size_t)s->resource_count * sizeof(*s->resources));
	touch(s->kernels, (size_t)s->kernel_count * sizeof(*s->kernels));
	touch(s->channels, (size_t)s->channel_count * sizeof(*s->channels));
	touch(s->processes, (size_t)s->process_count * sizeof(*s->processes));
	touch(s->layouts, (size_t)s->layout_count * sizeof(*s->layouts));
	touch(s->schedulers, (size_t)s->scheduler_count * sizeof(*s->schedulers));
	touch(s->pipes, (size_t)s->pipe_count * sizeof(*s->pipes));
}

static void done_touch(const struct ptowsp_done *d)
{
	stats_touch(d ? d->stats : NULL);
	touch(d ? d->error : NULL, sizeof(*d->error));
	touch(d ? d->deadlock : NULL, sizeof(*d->deadlock));
}

static void device_touch(const struct ptowsp_device *d)
{
	if (!d)
		return;
	text_touch(d->name);
	text_touch(d->text);
	text_touch(d->engine);
	touch(d->memories, (size_t)d->memory_count * sizeof(*d->memories));
	touch(d->units, (size_t)d->unit_count * sizeof(*d->units));
}

static void message_touch(unsigned char *bytes, size_t size, uint16_t kind)
{
	struct host_unwire wire = {.bytes = bytes, .size = size, .at = sizeof(struct host_frame)};
	const struct ptowsp_option *option;
	struct host_frame frame;
	uint32_t count;

	if (size < sizeof(frame))
		return;
	memcpy(&frame, bytes, sizeof(frame));
	count = (uint32_t)frame.values[2];
	switch (kind & 7) {
	case 0: device_touch(host_unwire_struct(&wire, HOST_STRUCT_device, frame.values[0])); break;
	case 1:
		option = host_unwire_struct(&wire, HOST_STRUCT_option, frame.values[0]);
		text_touch(option ? option->name : NULL);
		text_touch(option ? option->text : NULL);
		break;
	case 2: text_touch(host_unwire_text(&wire, frame.values[1])); break;
	case 3: done_touch(host_unwire_struct(&wire, HOST_STRUCT_done, frame.values[0])); break;
	case 4: touch(host_unwire_rows(&wire, HOST_STRUCT_trace_task, frame.values[1], count), wire.forged ? 0 : count * sizeof(struct ptowsp_trace_task)); break;
	case 5: stats_touch(host_unwire_struct(&wire, HOST_STRUCT_run_stats, frame.values[0])); break;
	case 6: touch(host_unwire_values(&wire, frame.values[1], count, sizeof(uint64_t)), wire.forged ? 0 : count * sizeof(uint64_t)); break;
	default:
		text_touch(host_unwire_text(&wire, frame.values[0]));
		touch(host_unwire_bytes(&wire, frame.values[1], frame.values[2]), wire.forged ? 0 : frame.values[2]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct host_ring_shared shared;
	struct host_ring ring;
	uint32_t head;

	if (size < sizeof(head) || size - sizeof(head) > sizeof(shared.bytes))
		return 0;
	memcpy(&head, bytes, sizeof(head));
	memset(shared.bytes, 0, sizeof(shared.bytes) < 65536 ? sizeof(shared.bytes) : 65536);
	memcpy(shared.bytes, bytes + sizeof(head), size - sizeof(head));
	atomic_store(&shared.head, head);
	atomic_store(&shared.tail, 0);
	host_ring_init(&ring, &shared);
	for (int n = 0; n < 64 && host_ring_read(&ring) == HOST_RING_READY; n++) {
		unsigned char *copy = malloc(ring.size + 1); /* of its exact size */

		if (copy) {
			memcpy(copy, ring.message, ring.size);
			copy = realloc(copy, ring.size ? ring.size : 1);
		}
		if (copy)
			message_touch(copy, ring.size, ring.kind);
		free(copy);
	}
	host_ring_finish(&ring);
	return 0;
}
