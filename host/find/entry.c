/* SPDX-License-Identifier: MIT */
/* entry.c - a checked file becomes code of this process: its constructors and its entry run, and the descriptor must say what the note said. */
#include "host/find/entry.h"
#include "host/call/services.h"
#include "host/find/normalise.h"
#include "host/find/refuse.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

typedef const struct ptowsp_plugin *(*entry_fn)(uint32_t host_minor);

/* The object in which `address` is mapped, and whether a note segment of that object holds these bytes. */
struct note_match {
	uintptr_t address;
	const struct host_note_place *place;
	bool equal;
};

static bool holds(const struct dl_phdr_info *object, const ElfW(Phdr) * segment, uintptr_t address)
{
	return address - (object->dlpi_addr + segment->p_vaddr) < segment->p_memsz;
}

static int object_match(struct dl_phdr_info *object, size_t size, void *context)
{
	struct note_match *match = context;
	const struct host_note_place *place = match->place;
	bool ours = false;

	(void)size;
	for (ElfW(Half) i = 0; i < object->dlpi_phnum; i++)
		ours = ours || (object->dlpi_phdr[i].p_type == PT_LOAD && holds(object, &object->dlpi_phdr[i], match->address));
	for (ElfW(Half) i = 0; ours && i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];

		if (segment->p_type == PT_NOTE && place->address >= segment->p_vaddr && place->address - segment->p_vaddr <= segment->p_memsz &&
		    place->size <= segment->p_memsz - (place->address - segment->p_vaddr))
			match->equal = !memcmp((const void *)(object->dlpi_addr + place->address), place->bytes, place->size);
	}
	return ours;
}

/* The object that holds the entry is the file that was checked, not one that glibc knew by the same name. */
static ptowsp_status identity_check(const struct host_file *file, entry_fn entry, struct ptowsp_error *error)
{
	struct note_match match = {.place = &file->place};
	struct stat stat_of, checked = file->stat;
	Dl_info info;
	void *address;

	memcpy(&address, &entry, sizeof(address));
	match.address = (uintptr_t)address;
	if ((file->sealed.fd >= 0 && fstat(file->sealed.fd, &checked)) || !dladdr(address, &info) || !info.dli_fname || stat(info.dli_fname, &stat_of) ||
	    stat_of.st_dev != checked.st_dev || stat_of.st_ino != checked.st_ino)
		return host_refuse(error, file->path, "the entry that was found belongs to another file");
	dl_iterate_phdr(object_match, &match);
	if (!match.equal)
		return host_refuse(error, file->path,
				   "what was loaded is not what was checked; the file changed "
				   "meanwhile, try again");
	return PTOWSP_OK;
}

/* dlopen tells its reason in words only: ENOMEM for a library that finds no place below a limit of memory, else the errno of taking one descriptor more, or 0. */
static int lack_find(const char *why)
{
	const int fd = dup(STDERR_FILENO), native = errno;
	struct rlimit memory;

	if (fd < 0)
		return native;
	close(fd);
	return why && strstr(why, "failed to map segment") && !getrlimit(RLIMIT_AS, &memory) && memory.rlim_cur != RLIM_INFINITY ? ENOMEM : 0;
}

static ptowsp_status object_open(struct host_file *file, entry_fn *entry_out, struct ptowsp_error *error)
{
	const char *name = file->path, *why;
	char sealed[HOST_SEALED_NAME];
	void *handle, *symbol;

	if (file->sealed.fd >= 0) {
		if (!host_sealed_number(&file->sealed))
			return host_refuse(error, file->path, "every name for its sealed copy belongs to something that is loaded");
		host_sealed_name(file->sealed.fd, sealed);
		name = sealed;
	}
	handle = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	symbol = handle ? dlsym(handle, PTOWSP_ENTRY_NAME) : NULL;
	if (!symbol) {
		int native;

		why = dlerror();
		native = handle ? 0 : lack_find(why);
		/* dlerror repeats the path before its sentence. */
		if (why && !strncmp(why, name, strlen(name)) && why[strlen(name)] == ':')
			why += strlen(name) + 2;
		host_refuse(error, file->path, "cannot be loaded: %s", why ? why : "it has no entry");
		return error ? error->code = host_refuse_status(native) : host_refuse_status(native);
	}
	memcpy(entry_out, &symbol, sizeof(symbol));
	return identity_check(file, *entry_out, error);
}

static ptowsp_status same(const char *what, const char *in_note, const char *in_descriptor, const char *path, struct ptowsp_error *error)
{
	if (!strcmp(in_note, in_descriptor))
		return PTOWSP_OK;
	return host_refuse(error, path,
			   "its note says %s \"%.40s\", its descriptor \"%.40s\"; write both "
			   "from one macro",
			   what, in_note, in_descriptor);
}

/* The plugin must be what a listing showed without running it. */
static ptowsp_status note_check(const struct host_note *note, const struct ptowsp_plugin *descriptor, const char *path, struct ptowsp_error *error)
{
	ptowsp_status status = same("name", note->name, descriptor->name, path, error);

	if (!status)
		status = same("vendor", note->vendor, descriptor->vendor, path, error);
	if (!status)
		status = same("version", note->version, descriptor->version, path, error);
	if (!status)
		status = same("targets", note->targets, descriptor->targets, path, error);
	if (!status && (note->minor != descriptor->minor || note->flags != descriptor->flags))
		status = host_refuse(error, path,
				     "its note says minor %u, flags %#x, its descriptor minor "
				     "%u, flags %#x; write both from one macro",
				     note->minor, note->flags, descriptor->minor, descriptor->flags);
	return status;
}

static ptowsp_status needs_check(const struct ptowsp_plugin *descriptor, const char *path, struct ptowsp_error *error)
{
	const char *id = NULL;
	const size_t length = host_services_lack(descriptor->needs, &id);

	if (!length)
		return PTOWSP_OK;
	return host_refuse(error, path, "it needs the host extension \"%.*s\", which this host (v%d.%d) does not have; it takes a host that does",
			   (int)(length < 64 ? length : 64), id, PTOWSP_ABI_MAJOR, PTOWSP_HOST_MINOR);
}

/* A function: the compiler warns of a comparison with a minor that is 0 today. */
static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

uint32_t host_minor_of(uint32_t theirs)
{
	return smaller(theirs, PTOWSP_HOST_MINOR);
}

static ptowsp_status describe(const struct host_file *file, entry_fn entry, struct host_plugin *plugin, struct ptowsp_error *error)
{
	const struct ptowsp_plugin *descriptor = entry(PTOWSP_HOST_MINOR);
	ptowsp_status status;

	if (!descriptor)
		return host_refuse(error, file->path, "its entry returned NULL: it needs a newer host than v%d.%d", PTOWSP_ABI_MAJOR, PTOWSP_HOST_MINOR);
	status = host_descriptor_check(descriptor, file->path, error);
	if (!status)
		status = note_check(&file->note, descriptor, file->path, error);
	if (!status)
		status = needs_check(descriptor, file->path, error);
	if (status)
		return status;
	plugin->descriptor = descriptor;
	plugin->minor = host_minor_of(descriptor->minor);
	host_ops_normalise(&plugin->ops, descriptor->ops, plugin->minor);
	return PTOWSP_OK;
}

ptowsp_status host_entry_call(struct host_file *file, void (*entering)(void), struct host_plugin *plugin, struct ptowsp_error *error)
{
	entry_fn entry = NULL;
	ptowsp_status status = object_open(file, &entry, error);

	if (!status && entering)
		entering();
	if (!status)
		status = describe(file, entry, plugin, error);
	return status;
}
