/* SPDX-License-Identifier: MIT */
/* test_buffers.c - memory of a device that outlives runs, by "ptowsp.buffers/0" (PL13). */
#include <stdio.h>
#include <string.h>

#include "registry/common/common_dtype.h"
#include "registry/common/common_hash.h"
#include "registry/names.h"
#include "tools/conform/conform.h"
#include "tools/conform/packages.h"

#if PTOWSP_ABI_MINOR < 1
#define NONE(name)                                                                                                                                             \
	void conform_test_##name(struct conform *c)                                                                                                            \
	{                                                                                                                                                      \
		conform_skip(c, "this host is of 10.0, which has no ptowsp.buffers");                                                                          \
	}
NONE(buffers_keep_what_was_written)
NONE(buffers_stay_in_bounds)
NONE(bound_buffers_are_used_in_place)
NONE(buffers_of_strangers_are_refused)
NONE(buffers_in_flight_stay)
NONE(memory_for_buffers_runs_out)
#else
#include "ptowsp/buffers.h"

#define CALL(c, table, operation, ...) (conform_before(c, #operation), conform_after(c, (table)->operation(__VA_ARGS__), false))

/* init; the extension's table. */
static const struct ptowsp_buffers_extension *table_of(struct conform *c)
{
	const struct ptowsp_buffers_extension *table;

	conform_init(c);
	table = c->plugin->minor >= 1 ? c->plugin->ops.extension(c->instance, PTOWSP_EXTENSION_BUFFERS) : NULL;
	if (!table)
		conform_skip(c, "it has no %s: the host keeps such tensors itself", PTOWSP_EXTENSION_BUFFERS);
	CONFORM_MUST(c,
		     table->head.size >= sizeof(*table) && table->head.type == PTOWSP_STRUCT_EXTENSION && table->create && table->destroy && table->write &&
			     table->read && table->copy,
		     "%s has no head, or a hole (PL2)", PTOWSP_EXTENSION_BUFFERS);
	return table;
}

static struct ptowsp_object *create(struct conform *c, const struct ptowsp_buffers_extension *table, uint64_t bytes)
{
	struct ptowsp_object *buffer = NULL;

	conform_ok(c, CALL(c, table, create, c->device, bytes, &buffer, &c->error), "create of a buffer");
	CONFORM_MUST(c, buffer, "create answered 0 and left no buffer");
	return buffer;
}

static void destroy(struct conform *c, const struct ptowsp_buffers_extension *table, struct ptowsp_object *buffer)
{
	conform_ok(c, CALL(c, table, destroy, buffer, &c->error), "destroy of a buffer that rests");
}

/* What is lent is no longer readable afterwards. */
static void write(struct conform *c, const struct ptowsp_buffers_extension *table, struct ptowsp_object *buffer, uint64_t offset, const void *bytes,
		  uint64_t size)
{
	conform_ok(c, CALL(c, table, write, buffer, offset, conform_lend_copy(c, bytes, size), size, &c->error), "write into a buffer");
	conform_take_back(c);
}

static void expect(struct conform *c, const struct ptowsp_buffers_extension *table, struct ptowsp_object *buffer, const unsigned char *bytes, uint64_t size,
		   const char *when)
{
	unsigned char *got = conform_lend(c, size);
	uint64_t at = 0;

	memset(got, 0xa5, size);
	conform_ok(c, CALL(c, table, read, buffer, 0, got, size, &c->error), "read of a buffer");
	while (at < size && got[at] == bytes[at])
		at++;
	CONFORM_MUST(c, at == size, "byte %llu of a buffer of %llu is %u %s, not %u (PL13)", (unsigned long long)at, (unsigned long long)size, got[at], when,
		     bytes[at]);
	conform_take_back(c);
}

/* ---- bytes -------------------------------------------------------------------------------------------------------------- */

enum { BYTES_MOST = 70001, MOVES = 24 };

/* Random ranges, of which a model of the bytes is kept. */
static void moves_try(struct conform *c, const struct ptowsp_buffers_extension *table, uint64_t bytes, uint64_t seed)
{
	static unsigned char model[2][BYTES_MOST], from[BYTES_MOST];
	struct ptowsp_object *const buffers[2] = {create(c, table, bytes), create(c, table, bytes)};

	memset(model, 0, sizeof(model));
	c->record->seed = seed;
	for (unsigned i = 0; i < 2; i++)
		expect(c, table, buffers[i], model[i], bytes, "when it is made");
	for (unsigned i = 0; i < MOVES; i++) {
		const uint64_t at = common_mix(seed + 4 * i) % bytes, size = common_mix(seed + 4 * i + 1) % (bytes - at) + 1, to = bytes - at - size;
		const unsigned k = i & 1;

		for (uint64_t b = 0; b < size; b++)
			from[b] = (unsigned char)common_mix(seed + i * size + b);
		write(c, table, buffers[k], at, from, size);
		memcpy(model[k] + at, from, size);
		conform_ok(c, CALL(c, table, copy, buffers[!k], to, buffers[k], at, size, &c->error), "copy between two buffers");
		memcpy(model[!k] + to, model[k] + at, size);
	}
	for (unsigned i = 0; i < 2; i++) {
		expect(c, table, buffers[i], model[i], bytes, "after writes and copies");
		destroy(c, table, buffers[i]);
	}
	c->record->seed = 0;
}

void conform_test_buffers_keep_what_was_written(struct conform *c)
{
	static const uint64_t sizes[] = {1, 63, 4096, BYTES_MOST};
	const struct ptowsp_buffers_extension *table = table_of(c);

	conform_open(c, 1);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		moves_try(c, table, sizes[i], c->seed + i + 1);
	conform_close(c);
}

void conform_test_buffers_stay_in_bounds(struct conform *c)
{
	enum { BYTES = 256 };
	static const struct {
		uint64_t offset, size;
	} outside[] = {{BYTES, 1}, {0, BYTES + 1}, {BYTES - 1, 2}, {UINT64_MAX, 2}, {16, UINT64_MAX - 7}, {UINT64_MAX - 7, 16}};
	const struct ptowsp_buffers_extension *table = table_of(c);
	struct ptowsp_object *buffer, *other = NULL;
	unsigned char model[BYTES], *lent;

	conform_open(c, 1);
	buffer = create(c, table, BYTES);
	memset(model, 7, BYTES);
	write(c, table, buffer, 0, model, BYTES);
	lent = conform_lend(c, BYTES);
	memset(lent, 9, BYTES);
	for (size_t i = 0; i < sizeof(outside) / sizeof(*outside); i++) {
		const uint64_t offset = outside[i].offset, size = outside[i].size;

		conform_about(c, "%llu bytes from byte %llu on", (unsigned long long)size, (unsigned long long)offset);
		conform_refused(c, CALL(c, table, write, buffer, offset, lent, size, &c->error), PTOWSP_INVALID, 0, "a write that does not lie in its buffer");
		conform_refused(c, CALL(c, table, read, buffer, offset, lent, size, &c->error), PTOWSP_INVALID, 0, "a read that does not lie in its buffer");
		conform_refused(c, CALL(c, table, copy, buffer, offset, buffer, 0, size, &c->error), PTOWSP_INVALID, 0,
				"a copy that does not lie in its buffer");
	}
	conform_about(c, "%s", "");
	conform_refused(c, CALL(c, table, copy, buffer, 8, buffer, 0, 16, &c->error), PTOWSP_INVALID, 0, "a copy onto itself");
	conform_refused(c, CALL(c, table, create, c->device, 0, &other, &c->error), PTOWSP_INVALID, 0, "a buffer of no bytes");
	conform_ok(c, CALL(c, table, write, buffer, BYTES, lent, 0, &c->error), "a write of no bytes behind the last");
	expect(c, table, buffer, model, BYTES, "after refusals");
	destroy(c, table, buffer);
	conform_close(c);
}

void conform_test_memory_for_buffers_runs_out(struct conform *c)
{
	struct ptowsp_open_args args = {.head = PTOWSP_HEAD(args, OPEN_ARGS), .threads = 1, .memory_limit = 1 << 20};
	const struct ptowsp_buffers_extension *table = table_of(c);
	struct ptowsp_object *first, *second = NULL;
	ptowsp_status status = CONFORM_CALL(c, open, c->instance, &args, &c->device, &c->error);

	if (status == PTOWSP_NO_DEVICE)
		conform_skip(c, "its device is not there: %s", c->error.text);
	conform_ok(c, status, "open with a limit of 1 MiB");
	conform_refused(c, CALL(c, table, create, c->device, 2 << 20, &second, &c->error), PTOWSP_NO_MEMORY, 0, "a buffer of twice the limit");
	conform_refused(c, CALL(c, table, create, c->device, UINT64_MAX, &second, &c->error), PTOWSP_NO_MEMORY, 0, "a buffer of 2^64 - 1 bytes");
	first = create(c, table, 512 << 10);
	conform_refused(c, CALL(c, table, create, c->device, 768 << 10, &second, &c->error), PTOWSP_NO_MEMORY, 0,
			"a buffer beyond the limit beside another one");
	destroy(c, table, first);
	destroy(c, table, create(c, table, 768 << 10));
	conform_close(c);
}

/* ---- runs --------------------------------------------------------------------------------------------------------------- */

static uint64_t bytes_of(const struct ptowsp_binding *b)
{
	return b->elements * common_dtype_bytes(b->dtype);
}

/* What the tensors of a program are bound to instead of its memory. */
struct bound {
	struct ptowsp_object *buffers[PROGRAM_TENSORS];
	void *memory[PROGRAM_TENSORS];
};

/* A program that the plugin takes, whose tasks write a tensor, loaded on an open device. */
static void begin(struct conform *c, struct conform_program *p)
{
	static const char *const names[] = {"tasks:chain", "tasks:regions", NULL};

	conform_program_choose(c, p, names);
	conform_open(c, 1);
	conform_ok(c, conform_program_load(c, c->device, p), "load of a package that its rows allow");
	if (!p->binding_count || !bytes_of(p->bindings))
		conform_skip(c, "it takes none of the programs with tensors");
	for (size_t i = 0; i < p->memory_bytes; i++)
		((unsigned char *)p->memory)[i] = (unsigned char)(i * 7 & 0x3f);
}

/* Behind some bytes that no tensor has. */
enum { BEFORE = 64 };

/* Every tensor that has a buffer is bound to it, or to the memory that it came from. */
static void aim(struct conform_program *p, const struct bound *bound, bool at_buffers)
{
	for (uint32_t b = 0; b < p->binding_count; b++) {
		struct ptowsp_binding *binding = &p->bindings[b];

		if (!bound->buffers[b])
			continue;
		binding->data = at_buffers ? NULL : bound->memory[b];
		binding->buffer = at_buffers ? bound->buffers[b] : NULL;
		binding->buffer_offset = at_buffers ? BEFORE : 0;
	}
}

static void bind(struct conform *c, const struct ptowsp_buffers_extension *table, struct conform_program *p, struct bound *bound)
{
	for (uint32_t b = 0; b < p->binding_count; b++) {
		const struct ptowsp_binding *binding = &p->bindings[b];

		if (!bytes_of(binding))
			continue;
		bound->buffers[b] = create(c, table, BEFORE + bytes_of(binding));
		bound->memory[b] = binding->data;
		write(c, table, bound->buffers[b], BEFORE, binding->data, bytes_of(binding));
	}
	aim(p, bound, true);
}

static void unbind(struct conform *c, const struct ptowsp_buffers_extension *table, struct conform_program *p, const struct bound *bound)
{
	aim(p, bound, false);
	for (uint32_t b = 0; b < p->binding_count; b++)
		if (bound->buffers[b])
			destroy(c, table, bound->buffers[b]);
}

/* Three runs in a row, on memory and on buffers, with another beginning of each tensor before the last. */
void conform_test_bound_buffers_are_used_in_place(struct conform *c)
{
	static unsigned char model[BEFORE + PROGRAM_ELEMENTS * sizeof(uint64_t)];
	const struct ptowsp_buffers_extension *table = table_of(c);
	const unsigned char changed[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	struct conform_program p;
	struct bound bound = {0};

	begin(c, &p);
	bind(c, table, &p, &bound);
	for (unsigned run = 0; run < 3; run++) {
		for (uint32_t b = 0; run == 2 && b < p.binding_count; b++)
			if (bound.buffers[b] && bytes_of(&p.bindings[b]) >= sizeof(changed)) {
				write(c, table, bound.buffers[b], BEFORE, changed, sizeof(changed));
				memcpy(bound.memory[b], changed, sizeof(changed));
			}
		aim(&p, &bound, true);
		conform_ok(c, conform_run(c, c->device, &p, 0, 0), "a run on buffers");
		aim(&p, &bound, false);
		conform_ok(c, conform_run(c, c->device, &p, 0, 0), "the same run on memory");
	}
	for (uint32_t b = 0; b < p.binding_count; b++)
		if (bound.buffers[b]) {
			memcpy(model + BEFORE, bound.memory[b], bytes_of(&p.bindings[b]));
			expect(c, table, bound.buffers[b], model, BEFORE + bytes_of(&p.bindings[b]), "after three runs");
		}
	unbind(c, table, &p, &bound);
	conform_program_unload(c, &p);
	conform_close(c);
}

/* The first binding is another one for this submit. */
static void refuse(struct conform *c, const struct conform_program *p, const struct ptowsp_binding *first, const char *what)
{
	struct ptowsp_binding rows[PROGRAM_TENSORS];
	struct ptowsp_run_args args = conform_program_run(p, 0);
	const struct conform_token *token;

	memcpy(rows, p->bindings, p->binding_count * sizeof(*rows));
	rows[0] = *first;
	args.bindings = rows;
	token = conform_submit(c, c->device, &args);
	CONFORM_MUST(c, !token && c->error.code == PTOWSP_INVALID, "submit with %s answered %s, not INVALID (PL13)", what,
		     token ? "0" : reg_status_name(c->error.code));
}

void conform_test_buffers_of_strangers_are_refused(struct conform *c)
{
	const struct ptowsp_buffers_extension *table = table_of(c);
	struct ptowsp_object *buffer, *theirs, *device, *own;
	struct ptowsp_binding first;
	struct conform_program p;

	begin(c, &p);
	buffer = create(c, table, bytes_of(p.bindings) + 64);
	first = p.bindings[0];
	first.buffer = buffer;
	refuse(c, &p, &first, "a tensor bound to memory and to a buffer");
	first.data = NULL;
	first.buffer_offset = 65;
	refuse(c, &p, &first, "a tensor that does not lie in its buffer");
	first.buffer_offset = UINT64_MAX - 7;
	refuse(c, &p, &first, "an offset by which the sum wraps");
	first.buffer_offset = 1;
	if (common_dtype_bytes(first.dtype) > 1)
		refuse(c, &p, &first, "elements that begin between two");
	first.buffer_offset = 0;
	conform_device_again(c, 1, &device);
	own = c->device;
	c->device = device;
	theirs = create(c, table, bytes_of(p.bindings));
	c->device = own;
	first.buffer = theirs;
	refuse(c, &p, &first, "a buffer of another device");
	destroy(c, table, theirs);
	conform_ok(c, CONFORM_CALL(c, close, device, &c->error), "close of the other device");
	destroy(c, table, buffer);
	conform_program_unload(c, &p);
	conform_close(c);
}

void conform_test_buffers_in_flight_stay(struct conform *c)
{
	const struct ptowsp_buffers_extension *table = table_of(c);
	const unsigned char byte = 1;
	unsigned char *lent;
	struct ptowsp_run_args args;
	struct conform_token *token;
	struct conform_program p;
	struct bound bound = {0};
	ptowsp_status status[3];
	uint32_t b = 0;
	bool fits;

	if (!conform_program_find(c, &p, "tasks:long"))
		conform_skip(c, "package tasks of the probes is not here; --probes says where it is");
	conform_match_begin(c);
	fits = conform_program_fits(c, &p);
	conform_match_end(c);
	conform_open(c, 1);
	if (!fits || conform_claim(c, PTOWSP_FEATURE_CANCEL) < PTOWSP_STATE_ENFORCED)
		conform_skip(c, "it does not take the package with the long task, or cannot cancel it");
	conform_ok(c, conform_program_load(c, c->device, &p), "load of a package that its rows allow");
	bind(c, table, &p, &bound);
	while (b < p.binding_count && !bound.buffers[b])
		b++;
	if (b == p.binding_count)
		conform_skip(c, "the package with the long task has no tensors");
	args = conform_program_run(&p, 0);
	lent = conform_lend(c, 1);
	token = conform_submit(c, c->device, &args);
	CONFORM_MUST(c, token, "the run on buffers was refused: %.200s", c->error.text);
	status[0] = CALL(c, table, write, bound.buffers[b], 0, &byte, 1, &c->error);
	status[1] = CALL(c, table, read, bound.buffers[b], 0, lent, 1, &c->error);
	status[2] = CALL(c, table, destroy, bound.buffers[b], &c->error);
	fits = !atomic_load(&token->done);
	conform_ok(c, CONFORM_CALL(c, cancel, c->device, token->token, &c->error), "cancel of the run");
	CONFORM_MUST(c, conform_wait(c, c->device, token, UINT64_C(10000000000)), "a run was cancelled and not completed within 10 s (PL10)");
	for (unsigned i = 0; i < 3; i++)
		CONFORM_MUST(c, !fits || status[i] == PTOWSP_INVALID, "%s of a buffer that a run in flight has answered %s, not INVALID (PL13)",
			     i == 2   ? "destroy"
			     : i == 1 ? "read"
				      : "write",
			     reg_status_name(status[i]));
	unbind(c, table, &p, &bound);
	conform_program_unload(c, &p);
	conform_close(c);
}
#endif
