/* SPDX-License-Identifier: MIT */
/* lent.c - what the host hands in: arguments by their heads, services by using them, sections and bindings by their digests. */
#include <string.h>

#include "ptowsp/package.h"
#include "watch.h"

static const uint32_t dtype_bytes[] = {
#define X(name, value, bytes, ...) [value] = bytes,
#include "ptowsp/dtype.def"
#undef X
};

void watch_arguments(struct watch_call *call, const struct ptowsp_host *host, const struct ptowsp_head *head, uint16_t type, uint32_t floor, uint32_t known)
{
	if (!head) {
		watch_broke(call, "HO1: the arguments are NULL");
		return;
	}
	if (head->size < floor || head->size > PTOWSP_SIZE_LIMIT || head->type != type || head->flags) {
		watch_broke(call, "HO1: the arguments' head has a size below the floor of 10.0 or beyond the limit, another type, or flags");
		return;
	}
	for (uint32_t i = host->minor == PTOWSP_ABI_TARGET ? known : floor; i < head->size; i++)
		if (((const unsigned char *)head)[i]) {
			watch_broke(call, "HO1: bytes of the arguments above the effective minor are not zero");
			return;
		}
}

static void memory_check(struct watch_call *call, const struct ptowsp_host *host)
{
	for (uint64_t align = 1; align <= 4096; align *= 8) {
		unsigned char *memory = host->alloc(host->context, 200, align);

		if (!memory)
			continue; /* out of memory is no breach */
		if ((uintptr_t)memory % align)
			watch_broke(call, "HO8: memory of alloc is not aligned as asked for");
		for (int i = 0; i < 200; i++)
			if (memory[i]) {
				watch_broke(call, "HO8: memory of alloc is not zeroed");
				break;
			}
		memset(memory, 0xa5, 200); /* found by the next one, if it is not zeroed */
		host->release(host->context, memory, 200);
	}
	host->release(host->context, NULL, 0);
}

void watch_services(struct watch_call *call, const struct ptowsp_host *host)
{
	const struct ptowsp_kernels_extension *kernels;

	if (host->head.size < PTOWSP_HOST_FLOOR_10_0 || host->head.type != PTOWSP_STRUCT_HOST || host->head.flags || host->major != PTOWSP_ABI_MAJOR ||
	    host->minor > PTOWSP_ABI_TARGET || host->flags || !host->extension || !host->alloc || !host->release || !host->log || !host->diagnose ||
	    !host->done || !host->now_ns) {
		watch_broke(call, "HO1: the table of services is incomplete, or its head, version or flags are above the effective minor");
		return;
	}
	kernels = host->extension(host->context, PTOWSP_EXTENSION_KERNELS);
	if (host->extension(host->context, "com.example.nobody/1") || (kernels && kernels->head.type != PTOWSP_STRUCT_EXTENSION))
		watch_broke(call, "HO8: an extension that nobody has is not NULL, or one has another type in its head");
	if (host->now_ns(host->context) > host->now_ns(host->context) + 1)
		watch_broke(call, "HO8: now_ns goes back");
	memory_check(call, host);
}

static const struct ptowsp_section *row(const struct ptowsp_load_args *args, uint32_t i)
{
	return (const void *)((const char *)args->sections + (size_t)i * args->section_stride);
}

void watch_sections(struct watch_call *call, const struct ptowsp_load_args *args)
{
	if (args->flags & ~(uint32_t)(PTOWSP_LOAD_TRUST_NATIVE | PTOWSP_LOAD_STRICT))
		watch_broke(call, "HO1: a flag of load is above the effective minor");
	if (args->section_count && (!args->sections || args->section_stride < sizeof(struct ptowsp_section))) {
		watch_broke(call, "HO1: the sections are NULL, or their stride is below the size of one");
		return;
	}
	for (uint32_t i = 0; i < args->section_count; i++) {
		const struct ptowsp_section *s = row(args, i);

		if ((s->count && (!s->data || !s->stride)) || (uintptr_t)s->data % 64)
			watch_broke(call, "HO8: the data of a section is NULL or not aligned to 64 bytes");
		if (s->type == PTOWSP_SECTION_ENTR && args->entry >= s->count)
			watch_broke(call, "HO8: the entry is not in the table of entries");
	}
}

static uint64_t mix(uint64_t a, uint64_t b)
{
	return (a ^ b) * UINT64_C(0x100000001B3);
}

static uint64_t sections_digest(const struct watch *program)
{
	uint64_t digest = program->section_count;

	for (uint32_t i = 0; i < program->section_count; i++)
		digest = mix(digest, ptowsp_id(program->sections[i].data, program->sections[i].count * program->sections[i].stride));
	return digest;
}

void watch_lend_sections(struct watch *program, const struct ptowsp_load_args *args)
{
	for (uint32_t i = 0; i < args->section_count && i < WATCH_SECTIONS; i++)
		program->sections[program->section_count++] = *row(args, i);
	program->section_digest = sections_digest(program);
}

void watch_sections_same(struct watch_call *call, const struct watch *program)
{
	if (sections_digest(program) != program->section_digest)
		watch_broke(call, "HO7: a section is another one than at load; they are lent until unload");
}

static uint64_t rows_of(const struct watch *program, uint32_t type)
{
	for (uint32_t i = 0; i < program->section_count; i++)
		if (program->sections[i].type == type)
			return program->sections[i].count;
	return 0;
}

/* As far as the host's row goes. */
static struct ptowsp_binding binding_at(const struct ptowsp_run_args *args, uint32_t i)
{
	struct ptowsp_binding b = {0};

	memcpy(&b, (const char *)args->bindings + (size_t)i * args->binding_stride, args->binding_stride < sizeof(b) ? args->binding_stride : sizeof(b));
	return b;
}

#if PTOWSP_ABI_TARGET >= 1
static bool in_buffer(struct watch_call *call, const struct watch *program, const struct ptowsp_binding *b)
{
	const struct watch *buffer = b->buffer ? watch_find(b->buffer, WATCH_BUFFER) : NULL;
	const uint64_t bytes = buffer ? b->elements * dtype_bytes[b->dtype] : 0;

	if (b->buffer && (!buffer || buffer->parent != program->parent))
		watch_broke(call, "HO9: a binding's buffer is destroyed, of another device, or was never given");
	else if (buffer && (b->data || b->buffer_offset > buffer->bytes || bytes > buffer->bytes - b->buffer_offset))
		watch_broke(call, "HO9: a binding has memory beside its buffer, or does not lie in it");
	return b->buffer != NULL;
}
#else
static bool in_buffer(struct watch_call *call, const struct watch *program, const struct ptowsp_binding *b)
{
	(void)call, (void)program, (void)b;
	return false;
}
#endif

static void binding_check(struct watch_call *call, const struct watch *program, const struct ptowsp_run_args *args, const struct ptowsp_binding *b)
{
	uint64_t elements = 1;

	for (uint16_t k = 0; k < b->rank && k < 4; k++)
		elements *= b->extents[k];
	if (b->rank > 4 || elements != b->elements || b->dtype >= sizeof(dtype_bytes) / sizeof(*dtype_bytes))
		watch_broke(call, "HO8: the rank, elements or dtype of a binding do not fit its extents");
	else if (b->tensor >= rows_of(program, PTOWSP_SECTION_TENS))
		watch_broke(call, "HO8: a binding is for no row of the table of tensors");
	else if (!in_buffer(call, program, b) && !b->data && b->elements && !(args->flags & PTOWSP_RUN_NO_KERNELS))
		watch_broke(call, "HO8: a binding has no memory, and kernels are to run");
}

void watch_run(struct watch_call *call, const struct watch *program, const struct ptowsp_run_args *args)
{
	if (args->flags & ~(uint32_t)(PTOWSP_RUN_NO_KERNELS | PTOWSP_RUN_STRICT))
		watch_broke(call, "HO1: a flag of submit is above the effective minor");
	if ((args->binding_count && (!args->bindings || args->binding_stride < PTOWSP_BINDING_FLOOR_10_0)) || (args->value_count && !args->values)) {
		watch_broke(call, "HO1: bindings or values are NULL, or their stride is below the size of one");
		return;
	}
	if (args->value_count != rows_of(program, PTOWSP_SECTION_SLOT))
		watch_broke(call, "HO8: there are more or fewer values than rows in the table of slots");
	for (uint32_t i = 0; i < args->binding_count; i++) {
		const struct ptowsp_binding binding = binding_at(args, i);

		binding_check(call, program, args, &binding);
	}
	if (args->deadline_ns && args->deadline_ns + UINT64_C(3600000000000) < call->instance->host->now_ns(call->instance->host->context))
		watch_broke(call, "HO8: deadline_ns is no time of today on the clock of now_ns");
}

static uint64_t bindings_digest(const struct watch *device)
{
	uint64_t digest = device->binding_count;

	for (uint32_t i = 0; i < device->binding_count; i++) {
		const struct ptowsp_binding *b = &device->bindings[i];

		digest = mix(digest, b->data ? ptowsp_id(b->data, b->elements * dtype_bytes[b->dtype]) : 0);
	}
	return digest;
}

void watch_lend_run(struct watch *device, struct watch *program, const struct ptowsp_run_args *args)
{
	device->running = program;
	device->token = args->token;
	device->deadline_ns = args->deadline_ns;
	device->binding_count = 0;
	for (uint32_t i = 0; i < args->binding_count && i < WATCH_BINDINGS; i++)
		device->bindings[device->binding_count++] = binding_at(args, i);
	device->binding_digest = bindings_digest(device);
}

/* The program writes nothing: what is bound stays as it was. */
void watch_bindings_same(struct watch_call *call, const struct watch *device)
{
	if (bindings_digest(device) != device->binding_digest)
		watch_broke(call, "HO7: the memory of a binding was written to during the run; it is lent until done");
}
