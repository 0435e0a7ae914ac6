/* SPDX-License-Identifier: MIT */
/* host_note.c - reads the ELF note that says what a plugin is, without running it. */
#include "host/find/host_note.h"
#include "host/find/bytes.h"
#include "host/find/refuse.h"
#include "host/ptowsp_host.h"
#include "ptowsp/note.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#define WORDS 4u /* major, minor, flags, sanitizer */

static uint64_t align_up(uint64_t value, uint64_t align)
{
	return (value + align - 1) & ~(align - 1);
}

/* The next note of a segment. *at moves behind it; false at the end or when the rest is not a note. */
struct note {
	uint32_t type, size, name_size;
	uint64_t name, descriptor; /* offsets in the segment */
};
static bool note_next(const unsigned char *bytes, uint64_t size, uint64_t align, uint64_t *at, struct note *note_out)
{
	Elf64_Nhdr raw;

	if (*at > size || size - *at < sizeof(raw))
		return false;
	memcpy(&raw, bytes + *at, sizeof(raw));
	note_out->type = raw.n_type;
	note_out->size = raw.n_descsz;
	note_out->name_size = raw.n_namesz;
	note_out->name = *at + sizeof(raw);
	note_out->descriptor = align_up(note_out->name + raw.n_namesz, align);
	if (note_out->descriptor > size || raw.n_descsz > size - note_out->descriptor)
		return false;
	*at = align_up(note_out->descriptor + raw.n_descsz, align);
	return true;
}

static bool is_ours(const unsigned char *bytes, const struct note *note)
{
	return note->type == PTOWSP_NOTE_TYPE && note->name_size == sizeof(PTOWSP_NOTE_OWNER) &&
	       !memcmp(bytes + note->name, PTOWSP_NOTE_OWNER, sizeof(PTOWSP_NOTE_OWNER));
}

/* The notes seen so far in all segments. */
struct finder {
	const struct host_elf *elf;
	struct host_note_place place;
	uint32_t of_ours, other_major; /* notes of our major; another major, 0 if none */
	bool too_short;
};

static void segment_search(struct finder *finder, const struct host_segment *segment)
{
	const unsigned char *bytes = finder->elf->bytes + segment->offset;
	uint64_t at = 0, align = segment->align == 8 ? 8 : 4;
	struct note note;
	uint32_t major;

	/* Only what is mapped when the plugin is loaded counts. */
	if (host_elf_at(finder->elf, segment->address, segment->file_size) != bytes)
		return;
	while (note_next(bytes, segment->file_size, align, &at, &note)) {
		if (!is_ours(bytes, &note))
			continue;
		if (note.size < WORDS * sizeof(uint32_t)) {
			finder->too_short = true;
			continue;
		}
		memcpy(&major, bytes + note.descriptor, sizeof(major));
		if (major != PTOWSP_ABI_MAJOR) {
			finder->other_major = major;
			continue;
		}
		finder->of_ours++;
		finder->place = (struct host_note_place){.bytes = bytes + note.descriptor, .address = segment->address + note.descriptor, .size = note.size};
	}
}

ptowsp_status host_note_find(const struct host_elf *elf, struct host_note_place *place_out, struct ptowsp_error *error)
{
	struct finder finder = {.elf = elf};

	for (uint32_t i = 0; i < elf->segment_count; i++) {
		struct host_segment segment = host_elf_segment(elf, i);

		if (segment.type == PT_NOTE)
			segment_search(&finder, &segment);
	}
	*place_out = finder.place;
	if (finder.of_ours == 1)
		return PTOWSP_OK;
	if (finder.of_ours > 1)
		return host_refuse(error, elf->path, "it has two notes of ABI v10; write PTOWSP_NOTE once");
	if (finder.too_short)
		return host_refuse(error, elf->path, "its ptowsp note is cut short; make it with PTOWSP_NOTE of ptowsp/note.h");
	if (finder.other_major)
		return host_refuse(error, elf->path, "its note is of ABI v%u only, this host speaks v%d", finder.other_major, PTOWSP_ABI_MAJOR);
	return host_refuse(error, elf->path, "no ptowsp note, so not a plugin; make one with PTOWSP_NOTE of ptowsp/note.h");
}

bool host_name_valid(const char *name, size_t length)
{
	size_t good = 0; /* no byte, not even a NUL, need follow the name */

	while (good < length && ((name[good] >= 'a' && name[good] <= 'z') || (name[good] >= '0' && name[good] <= '9') || name[good] == '_'))
		good++;
	return length >= 1 && length <= 32 && good == length;
}

static bool targets_valid(const char *targets)
{
	size_t length;

	if (!*targets)
		return true;
	for (;; targets += length + 1) {
		length = strcspn(targets, ",");
		if (!host_name_valid(targets, length))
			return false;
		if (!targets[length])
			return true;
	}
}

/* Goes to terminals and into JSON: no control characters, and UTF-8 of the usual shape. */
static bool text_valid(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	while (*at) {
		unsigned more = *at < 0x80 ? 0 : *at < 0xE0 ? 1 : *at < 0xF0 ? 2 : 3;

		if (*at < 0x20 || *at == 0x7F || (*at >= 0x80 && *at < 0xC2) || *at > 0xF4)
			return false;
		if ((at[0] == 0xC2 && at[1] < 0xA0) || (at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xED && at[1] > 0x9F) || (at[0] == 0xF0 && at[1] < 0x90) ||
		    (at[0] == 0xF4 && at[1] > 0x8F))
			return false;
		for (at++; more; more--, at++)
			if ((*at & 0xC0) != 0x80)
				return false;
	}
	return true;
}

/* One string of the descriptor; false if it does not end or does not fit. */
static bool string_take(const char **at, size_t *left, char *out, size_t room)
{
	const char *end = memchr(*at, 0, *left);
	size_t bytes = end ? (size_t)(end - *at) + 1 : 0;

	if (!bytes || bytes > room)
		return false;
	memcpy(out, *at, bytes);
	*at += bytes;
	*left -= bytes;
	return true;
}

static const char *const drivers[] = {"threads", "environment", "descriptors", "handlers", "output"}; /* by bit: PTOWSP_DRIVER_x */
enum { DRIVERS = sizeof(drivers) / sizeof(*drivers) };

const char *ptowsp_driver_text(uint32_t driver)
{
	for (unsigned i = 0; i < DRIVERS; i++)
		if (driver == 1u << i)
			return drivers[i];
	return NULL;
}

/* The bit of a word; 0: there is no such class. */
static uint32_t class_of(const char *word, size_t length)
{
	for (unsigned i = 0; i < DRIVERS; i++)
		if (length == strlen(drivers[i]) && !memcmp(word, drivers[i], length))
			return 1u << i;
	return 0;
}

/* "threads,environment": the first `left` characters. */
static ptowsp_status driver_parse(const char *at, size_t left, const char *path, struct host_note *note, struct ptowsp_error *error)
{
	for (size_t length;; at += length + 1, left -= length + 1) {
		const size_t whole = strcspn(at, ",");
		const uint32_t class = class_of(at, length = whole < left ? whole : left);

		if (!class)
			return host_refuse(error, path,
					   "the note declares of its driver \"%.*s\", which is none of threads, environment, descriptors, handlers, output",
					   length < 32 ? (int)length : 32, at);
		note->driver |= class;
		if (length == left)
			return PTOWSP_OK;
	}
}

/* "=threads" behind the word driver, or ":option=threads". */
static ptowsp_status option_parse(const char *at, size_t left, const char *path, struct host_note *note, struct ptowsp_error *error)
{
	const size_t length = strcspn(++at, "=");

	if (note->driver)
		return host_refuse(error, path, "the note declares of its driver two words");
	if (at[-1] == '=')
		return driver_parse(at, left - 1, path, note, error);
	if (length + 1 >= left || !host_name_valid(at, length))
		return host_refuse(error, path, "the note declares of its driver an option that is not 1 to 32 of a-z 0-9 _ with '=' behind");
	snprintf(note->driver_option, sizeof(note->driver_option), "%.*s", (int)length, at);
	return driver_parse(at + length + 1, left - length - 2, path, note, error);
}

uint32_t host_note_driver(const struct host_note *note, const struct ptowsp_setting *settings, uint32_t count)
{
	bool there = !*note->driver_option;

	for (uint32_t s = 0; !there && s < count; s++)
		there = !strcmp(settings[s].key, note->driver_option) && settings[s].value[strspn(settings[s].value, "0")];
	return there ? note->driver : 0;
}

/* "read=/etc/x;driver=threads,environment": what is of the driver, and the rest, which is for a sandbox. Words of a later minor mean nothing to this host. */
static ptowsp_status fifth_parse(const char *text, const char *path, struct host_note *note, struct ptowsp_error *error)
{
	static const char key[] = "driver";
	const char *fault, *word = "";
	ptowsp_status status = PTOWSP_OK;
	size_t length, at = 0;

	for (; *text && note->minor <= PTOWSP_HOST_MINOR && !status; text += length + (text[length] == ';')) {
		length = strcspn(text, ";");
		if (!length || (text[length] && !text[length + 1]))
			status = host_refuse(error, path, "the fifth string of its note has an empty word; one ';' stands between two words (ptowsp/note.h)");
		else if (!strncmp(text, key, sizeof(key) - 1) && text[sizeof(key) - 1] && strchr("=:", text[sizeof(key) - 1]))
			status = option_parse(text + sizeof(key) - 1, length - (sizeof(key) - 1), path, note, error);
		else
			at += (size_t)sprintf(note->grants + at, "%s%.*s", at ? ";" : "", (int)length, text);
	}
	fault = host_grants_fault(note->grants, &word);
	return status || !fault ? status
				: host_refuse(error, path, "its note has \"%.*s\", which no host knows: %s",
					      (int)(strcspn(word, ";") < 24 ? strcspn(word, ";") : 24), word, fault);
}

ptowsp_status host_note_decode(const struct host_note_place *place, const char *path, struct host_note *note_out, struct ptowsp_error *error)
{
	const char *at = (const char *)place->bytes + WORDS * sizeof(uint32_t);
	size_t left = place->size - WORDS * sizeof(uint32_t);
	struct host_note note = {0};
	uint32_t words[WORDS];
	char fifth[HOST_GRANTS_TEXT] = "";
	ptowsp_status status;

	*note_out = note;
	memcpy(words, place->bytes, sizeof(words));
	note.major = words[0];
	note.minor = words[1];
	note.flags = words[2];
	note.sanitizer = words[3];
	if (!string_take(&at, &left, note.name, sizeof(note.name)) || !string_take(&at, &left, note.vendor, sizeof(note.vendor)) ||
	    !string_take(&at, &left, note.version, sizeof(note.version)) || !string_take(&at, &left, note.targets, sizeof(note.targets)))
		return host_refuse(error, path,
				   "a string of its note does not end or is too long (name 32, vendor 63, version 31, "
				   "targets 255 bytes)");
	if (!host_name_valid(note.name, strlen(note.name)))
		return host_refuse(error, path, "the name in its note is not 1 to 32 of a-z 0-9 _");
	if (!targets_valid(note.targets))
		return host_refuse(error, path, "the targets in its note are not names of 1 to 32 of a-z 0-9 _ with commas between");
	if (!text_valid(note.vendor) || !text_valid(note.version))
		return host_refuse(error, path, "vendor or version in its note is not printable UTF-8");
	if (note.minor >= 1 && left && !string_take(&at, &left, fifth, sizeof(fifth)))
		return host_refuse(error, path, "the fifth string of its note does not end or is longer than 1024 bytes");
	if (!text_valid(fifth))
		return host_refuse(error, path, "the fifth string of its note is not printable UTF-8");
	status = fifth_parse(fifth, path, &note, error);
	if (!status)
		*note_out = note;
	return status;
}

bool host_note_has_target(const struct host_note *note, const char *name)
{
	size_t length = strlen(name), here;
	const char *at = note->targets;

	for (;; at += here + 1) {
		here = strcspn(at, ",");
		if (here == length && !memcmp(at, name, length))
			return length > 0;
		if (!at[here])
			return false;
	}
}

ptowsp_status host_note_parse(const void *elf_bytes, size_t size, const char *path, struct host_note *note_out, struct ptowsp_error *error)
{
	struct host_note_place place;
	struct host_elf elf;
	ptowsp_status status = host_elf_open(&elf, elf_bytes, size, path, error);

	memset(note_out, 0, sizeof(*note_out));
	if (!status)
		status = host_note_find(&elf, &place, error);
	if (!status)
		status = host_note_decode(&place, path, note_out, error);
	return status;
}

ptowsp_status host_note_read(int fd, const char *path, struct host_note *note_out, struct ptowsp_error *error)
{
	unsigned char *bytes = NULL;
	size_t size = 0;
	ptowsp_status status = host_bytes_read(fd, path, &bytes, &size, error);

	memset(note_out, 0, sizeof(*note_out));
	if (!status)
		status = host_note_parse(bytes, size, path, note_out, error);
	host_bytes_release(bytes);
	return status;
}
