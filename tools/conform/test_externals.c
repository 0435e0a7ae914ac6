/* SPDX-License-Identifier: MIT */
/* test_externals.c - memory of others as buffers, and buffers as memory of others, by "ptowsp.buffers/0" (PL13). Each plugin takes what it can: what it refuses as UNSUPPORTED is not asked for again. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/call/buffer.h"
#include "tools/conform/conform.h"

#if PTOWSP_ABI_MINOR < 1
#define NONE(name)                                                                                                                                             \
	void conform_test_##name(struct conform *c)                                                                                                            \
	{                                                                                                                                                      \
		conform_skip(c, "this host is of 10.0, which has no ptowsp.buffers");                                                                          \
	}
NONE(imported_memory_is_reached)
NONE(exposed_memory_is_reached)
NONE(names_of_no_memory_are_refused)
#else
#include "ptowsp/buffers.h"

#define CALL(c, table, operation, ...) (conform_before(c, #operation), conform_after(c, (table)->operation(__VA_ARGS__), false))

enum { BYTES = 70001, PART = 4000 };

/* An open device; the extension's table. */
static const struct ptowsp_buffers_extension *begin(struct conform *c)
{
	const struct ptowsp_buffers_extension *table;

	conform_init(c);
	table = c->plugin->minor >= 1 ? c->plugin->ops.extension(c->instance, PTOWSP_EXTENSION_BUFFERS) : NULL;
	if (!table || !PTOWSP_HAS(table, struct ptowsp_buffers_extension, expose))
		conform_skip(c, "it has no %s with names of memory: the host keeps such tensors itself", PTOWSP_EXTENSION_BUFFERS);
	conform_open(c, 1);
	return table;
}

static struct ptowsp_external name_of(uint32_t type, void *memory, int fd, uint64_t bytes)
{
	return (struct ptowsp_external){
		.head = PTOWSP_HEAD(struct ptowsp_external, EXTERNAL), .type = type, .address = (uintptr_t)memory, .bytes = bytes, .fd = fd};
}

static void fill(unsigned char *bytes, unsigned seed)
{
	for (unsigned i = 0; i < BYTES; i++)
		bytes[i] = (unsigned char)(i * 7 + i / 251 + seed);
}

static void same(struct conform *c, const unsigned char *got, unsigned seed, const char *what)
{
	static unsigned char expected[BYTES];
	unsigned at = 0;

	fill(expected, seed);
	while (at < BYTES && got[at] == expected[at])
		at++;
	CONFORM_MUST(c, at == BYTES, "byte %u of %s is %u, not %u (PL13)", at, what, got[at < BYTES ? at : 0], expected[at < BYTES ? at : 0]);
}

/* The plugin writes what the memory then has, and reads what the memory was given. */
static void both_sides(struct conform *c, const struct ptowsp_buffers_extension *table, struct ptowsp_object *buffer, unsigned char *memory)
{
	static unsigned char bytes[BYTES];

	fill(bytes, 1);
	conform_ok(c, CALL(c, table, write, buffer, 0, bytes, BYTES, &c->error), "write into the buffer");
	same(c, memory, 1, "memory by its name");
	fill(memory, 2);
	conform_ok(c, CALL(c, table, read, buffer, 0, bytes, BYTES, &c->error), "read of the buffer");
	same(c, bytes, 2, "a buffer by its name");
}

/* The number of the lent descriptor is another file's when the call is over. */
static void lent_end(struct conform *c, int fd)
{
	int null;

	CONFORM_MUST(c, fcntl(fd, F_GETFD) >= 0, "import closed the descriptor that it was lent (PL11)");
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null >= 0) {
		dup3(null, fd, O_CLOEXEC);
		close(null);
	}
}

static bool import_try(struct conform *c, const struct ptowsp_buffers_extension *table, uint32_t type, unsigned char *memory, int fd)
{
	const struct ptowsp_external name = name_of(type, type == PTOWSP_EXTERNAL_HOST ? memory : NULL, fd, BYTES);
	struct ptowsp_object *buffer = NULL;
	ptowsp_status status = CALL(c, table, import, c->device, &name, &buffer, &c->error);

	if (status == PTOWSP_UNSUPPORTED)
		return false;
	conform_ok(c, status, type == PTOWSP_EXTERNAL_HOST ? "import of memory at a page" : "import of a sealed memory file");
	CONFORM_MUST(c, buffer, "import answered 0 and left no buffer");
	if (fd >= 0)
		lent_end(c, fd);
	fill(memory, 3);
	both_sides(c, table, buffer, memory);
	conform_ok(c, CALL(c, table, destroy, buffer, &c->error), "destroy of a buffer that was imported");
	same(c, memory, 2, "memory that was a buffer");
	CONFORM_MUST(c, fd < 0 || fcntl(fd, F_GETFD) >= 0, "destroy closed the descriptor that import was lent: a buffer takes one of its own (PL11)");
	return true;
}

void conform_test_imported_memory_is_reached(struct conform *c)
{
	const struct ptowsp_buffers_extension *table = begin(c);
	void *memory = host_buffer_take(BYTES);
	unsigned char *mapped;
	bool taken;
	int fd;

	if (!table->import || !memory)
		conform_skip(c, "it takes no memory of others");
	taken = import_try(c, table, PTOWSP_EXTERNAL_HOST, memory, -1);
	fd = host_memory_file("conform", BYTES);
	CONFORM_MUST(c, fd >= 0 && host_memory_file_seal(fd, false), "this machine has no memory file");
	mapped = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CONFORM_MUST(c, mapped != MAP_FAILED, "this machine has no memory");
	taken = import_try(c, table, PTOWSP_EXTERNAL_OPAQUE_FD, mapped, fd) || taken;
	munmap(mapped, BYTES);
	close(fd);
	conform_close(c);
	host_buffer_give(memory);
	if (!taken)
		conform_skip(c, "it takes neither memory of the caller nor memory files");
}

/* Looked at, mapped, and still there without the buffer. */
static void file_reached(struct conform *c, const struct ptowsp_buffers_extension *table, struct ptowsp_object *buffer, const struct ptowsp_external *name)
{
	const int seals = fcntl(name->fd, F_GET_SEALS);
	unsigned char *mapped;
	struct stat file;

	CONFORM_MUST(c, seals >= 0 && seals & F_SEAL_SHRINK, "what expose gave as OPAQUE_FD is no memory file that stays as large as it is (PL13)");
	CONFORM_MUST(c, !fstat(name->fd, &file) && file.st_size >= BYTES && name->bytes == BYTES,
		     "the file that expose gave is not as large as the buffer (PL13)");
	mapped = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, name->fd, 0);
	CONFORM_MUST(c, mapped != MAP_FAILED, "what expose gave as OPAQUE_FD cannot be mapped for writing (PL13)");
	CONFORM_MUST(c, name->head.size == sizeof(*name) && name->head.type == PTOWSP_STRUCT_EXTERNAL && !name->head.flags,
		     "expose changed the head of its result (PL3)");
	both_sides(c, table, buffer, mapped);
	conform_ok(c, CALL(c, table, destroy, buffer, &c->error), "destroy of a buffer that was exposed");
	same(c, mapped, 2, "memory whose buffer is no more");
	CONFORM_MUST(c, fcntl(name->fd, F_GETFD) >= 0, "the descriptor that expose gave is closed with its buffer: it is the caller's (PL13)");
	close(name->fd);
	munmap(mapped, BYTES);
}

void conform_test_exposed_memory_is_reached(struct conform *c)
{
	const struct ptowsp_buffers_extension *table = begin(c);
	struct ptowsp_external name = name_of(0, NULL, -1, 0);
	struct ptowsp_object *buffer = NULL;
	ptowsp_status status;
	bool given;

	if (!table->expose)
		conform_skip(c, "it gives no names of its memory");
	conform_ok(c, CALL(c, table, create, c->device, BYTES, &buffer, &c->error), "create of a buffer");
	conform_refused(c, CALL(c, table, expose, buffer, 99, &name, &c->error), PTOWSP_UNSUPPORTED, PTOWSP_INVALID, "a name of a type that is none");
	status = CALL(c, table, expose, buffer, PTOWSP_EXTERNAL_HOST, &name, &c->error);
	CONFORM_MUST(c, name.head.size == sizeof(name) && name.head.type == PTOWSP_STRUCT_EXTERNAL, "expose changed the head of its result (PL3)");
	given = !status;
	if (given)
		both_sides(c, table, buffer, (unsigned char *)(uintptr_t)name.address);
	else
		conform_refused(c, status, PTOWSP_UNSUPPORTED, 0, "an address that it does not give");
	status = CALL(c, table, expose, buffer, PTOWSP_EXTERNAL_OPAQUE_FD, &name, &c->error);
	if (!status)
		file_reached(c, table, buffer, &name);
	else
		conform_refused(c, status, PTOWSP_UNSUPPORTED, 0, "a memory file that it does not give");
	if (status)
		conform_ok(c, CALL(c, table, destroy, buffer, &c->error), "destroy of a buffer");
	conform_close(c);
	if (!given && status)
		conform_skip(c, "its buffers have no address and no memory file");
}

void conform_test_names_of_no_memory_are_refused(struct conform *c)
{
	const struct ptowsp_buffers_extension *table = begin(c);
	const int shorter = host_memory_file("conform", BYTES - 1), loose = host_memory_file("conform", BYTES), fixed = host_memory_file("conform", BYTES);
	const struct {
		const char *what;
		uint32_t type;
		int fd;
		uint64_t bytes;
	} names[] = {
		{"a memory file that is a byte too short", PTOWSP_EXTERNAL_OPAQUE_FD, shorter, BYTES},
		{"a memory file that may shrink", PTOWSP_EXTERNAL_OPAQUE_FD, loose, BYTES},
		{"a memory file that nobody may write", PTOWSP_EXTERNAL_OPAQUE_FD, fixed, BYTES},
		{"memory of no bytes", PTOWSP_EXTERNAL_OPAQUE_FD, shorter, 0},
		{"a size that nothing has", PTOWSP_EXTERNAL_OPAQUE_FD, shorter, UINT64_MAX},
		{"no descriptor", PTOWSP_EXTERNAL_OPAQUE_FD, -1, BYTES},
		{"a memory file as a dma-buf", PTOWSP_EXTERNAL_DMABUF, shorter, BYTES - 1},
		{"memory at NULL", PTOWSP_EXTERNAL_HOST, -1, BYTES},
		{"a type that is none", 99, -1, BYTES},
	};
	struct ptowsp_object *buffer = NULL;
	struct ptowsp_external odd[] = {name_of(PTOWSP_EXTERNAL_OPAQUE_FD, NULL, shorter, BYTES - 1),
					name_of(PTOWSP_EXTERNAL_OPAQUE_FD, &buffer, shorter, BYTES - 1)};

	if (!table->import)
		conform_skip(c, "it takes no memory of others");
	CONFORM_MUST(c, host_memory_file_seal(shorter, false) && host_memory_file_seal(fixed, true), "this machine has no memory files");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const struct ptowsp_external name = name_of(names[i].type, NULL, names[i].fd, names[i].bytes);

		conform_refused(c, CALL(c, table, import, c->device, &name, &buffer, &c->error), PTOWSP_INVALID, PTOWSP_UNSUPPORTED, names[i].what);
		CONFORM_MUST(c, names[i].fd < 0 || fcntl(names[i].fd, F_GETFD) >= 0, "import closed the descriptor that it was lent (PL11)");
	}
	odd[0].reserved = 9;
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		const ptowsp_status status = CALL(c, table, import, c->device, &odd[i], &buffer, &c->error);

		CONFORM_MUST(c, status, "%s: import answered OK", i ? "an address beside a descriptor" : "a field `reserved` that is not 0");
	}
	conform_close(c);
	close(shorter);
	close(loose);
	close(fixed);
}
#endif
