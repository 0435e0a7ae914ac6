/* SPDX-License-Identifier: MIT */
/* sign.c - keys, and signatures of packages and plugins. */
#include "tools/pack/pack.h"
#include "tools/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "format/container.h"
#include "format/format_file.h"
#include "format/format_package.h"
#include "format/format_signature.h"
#include "registry/text.h"
#include "tools/apart.h"
#include "tools/output.h"

/* ---- keys ---- */

static ptowsp_status key_write(const char *path, mode_t mode, const char *text, struct ptowsp_error *error)
{
	size_t size = strlen(text);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
	bool written;

	if (fd < 0)
		return errno == EEXIST ? reg_fail(error, PTOWSP_IO, "%.150s is there already, and keys are not overwritten; choose another name", path)
				       : reg_fail(error, PTOWSP_IO, "%.150s cannot be written: %s", path, strerror(errno));
	written = !fchmod(fd, mode) && write(fd, text, size) == (ssize_t)size && !fsync(fd);
	written = !close(fd) && written;
	if (!written)
		unlink(path);
	return written ? PTOWSP_OK : reg_fail(error, PTOWSP_IO, "%.150s cannot be written: %s", path, strerror(errno));
}

int pack_key_make(const char *path)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	uint8_t seed[PKG_KEY_SIZE], public[PKG_KEY_SIZE];
	char text[PKG_KEY_TEXT], id[PKG_KEY_ID], *beside = NULL;
	ptowsp_status status = apart_named(path, "a key", &error);

	if (!status)
		status = pkg_key_make(seed, public, &error);
	if (!status && asprintf(&beside, "%s.pub", path) < 0) {
		beside = NULL;
		status = reg_fail(&error, PTOWSP_NO_MEMORY, "no memory to make a key");
	}
	if (!status) {
		pkg_key_write(text, PKG_KEY_SECRET, seed);
		status = key_write(path, 0600, text, &error);
	}
	explicit_bzero(seed, sizeof(seed));
	explicit_bzero(text, sizeof(text));
	if (!status) {
		pkg_key_write(text, PKG_KEY_PUBLIC, public);
		status = key_write(beside, 0644, text, &error);
		if (status)
			unlink(path);
	}
	pkg_key_id(id, public);
	if (!status)
		printf("key %s: %s signs and is nobody else's business, %s goes where signatures are to be trusted\n", id, path, beside);
	free(beside);
	return status ? tool_complain(&error) : 0;
}

/* A secret key that others can read is none. */
static ptowsp_status secret_read(const char *path, uint8_t seed_out[PKG_KEY_SIZE], struct ptowsp_error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char text[PKG_KEY_TEXT];
	struct stat info;
	ssize_t size = -1;
	const char *wrong = NULL;
	ptowsp_status status = PTOWSP_OK;

	if (fd < 0 || fstat(fd, &info) || (S_ISREG(info.st_mode) && (size = read(fd, text, sizeof(text))) < 0))
		status = reg_fail(error, PTOWSP_IO, "key %.150s cannot be read: %s", path, strerror(errno));
	else if (!S_ISREG(info.st_mode))
		status = reg_fail(error, PTOWSP_IO, "key %.150s is no file", path);
	else if (info.st_uid != geteuid() && info.st_uid != 0)
		status = reg_fail(error, PTOWSP_IO, "key %.120s belongs to another user; sign with a key of your own", path);
	else if (info.st_mode & 077)
		status = reg_fail(error, PTOWSP_IO, "others may read key %.80s (mode %04o); cure: chmod 600 '%.80s'", path, (unsigned)info.st_mode & 07777u,
				  path);
	else if ((wrong = pkg_key_read(seed_out, PKG_KEY_SECRET, text, (size_t)size)))
		status = reg_fail(error, PTOWSP_INVALID, "%.120s %s", path, wrong);
	explicit_bzero(text, sizeof(text));
	if (fd >= 0)
		close(fd);
	return status;
}

/* ---- what is signed ---- */

static ptowsp_status until_read(const char *text, uint64_t *expires_out, struct ptowsp_error *error)
{
	struct tm date = {0}, wanted;
	const char *end = text && strlen(text) == 10 ? strptime(text, "%Y-%m-%d", &date) : NULL;
	time_t at;

	wanted = date; /* timegm makes March of 30 February */
	at = end && !*end ? timegm(&date) : 0;
	*expires_out = 0;
	if (!text)
		return PTOWSP_OK;
	if (at <= 0 || date.tm_mday != wanted.tm_mday)
		return reg_fail(error, PTOWSP_INVALID, "--sign-until=%.40s is no day such as 2030-12-31", text);
	if (at <= time(NULL))
		fprintf(stderr, "ptowsp-pack: warning: --sign-until=%s is past: nobody will take this signature\n", text);
	*expires_out = (uint64_t)at;
	return PTOWSP_OK;
}

static ptowsp_status abi_read(const char *text, uint16_t *minor_out, struct ptowsp_error *error)
{
	char end;
	unsigned major = PTOWSP_ABI_MAJOR, minor = 0;

	if (text && (sscanf(text, "v%2u.%5u%c", &major, &minor, &end) != 2 || major != PTOWSP_ABI_MAJOR || minor > UINT16_MAX))
		return reg_fail(error, PTOWSP_INVALID, "--sign-abi=%.40s is no ABI such as v%u.0", text, PTOWSP_ABI_MAJOR);
	*minor_out = (uint16_t)minor;
	return PTOWSP_OK;
}

/* standard: whom it is for unless --sign-for says it; NULL: that must say it. */
static ptowsp_status signature_make(const struct pack_options *o, enum pkg_signed what, const uint8_t *digest, const char *standard,
				    struct pkg_signature *row_out, struct ptowsp_error *error)
{
	const char *plugins = o->sign_for ? o->sign_for : standard, *wrong;
	uint8_t seed[PKG_KEY_SIZE];
	ptowsp_status status;

	*row_out = (struct pkg_signature){.abi_major = PTOWSP_ABI_MAJOR};
	if (!plugins)
		return reg_fail(error, PTOWSP_INVALID, "say which plugin that is with --sign-for=NAME: the file is not called libptowsp_NAME.so");
	wrong = pkg_plugins_wrong(plugins);
	if (wrong)
		return reg_fail(error, PTOWSP_INVALID, "--sign-for=%.100s %s", plugins, wrong);
	memcpy(row_out->plugins, plugins, strlen(plugins));
	status = until_read(o->sign_until, &row_out->expires, error);
	if (!status)
		status = abi_read(o->sign_abi, &row_out->abi_minor, error);
	if (!status)
		status = secret_read(o->sign, seed, error);
	if (!status)
		status = pkg_signature_make(row_out, what, digest, seed, error);
	explicit_bzero(seed, sizeof(seed));
	return status;
}

static ptowsp_status full(struct ptowsp_error *error, const char *path)
{
	return reg_fail(error, PTOWSP_TOO_BIG, "%.150s has %u signatures already, which is the limit", path, PKG_SIGNATURE_ROWS);
}

ptowsp_status pack_package_sign(const struct pack_options *o, const char *path, void **bytes, size_t *size, struct ptowsp_error *error)
{
	struct pkg_signature rows[PKG_SIGNATURE_ROWS], row;
	uint8_t frame[PKG_FRAME_HEAD + PKG_SIGNATURES_MOST], *signed_bytes;
	uint32_t head[2] = {PKG_SIGNATURE_FRAME, 0}, count = 0;
	uint64_t total = 0;
	struct pkg *package;
	ptowsp_status status = pkg_open_memory(&package, *bytes, *size, path, NULL, error);

	if (status)
		return status;
	count = pkg_signatures(package, rows);
	memcpy(&total, (uint8_t *)*bytes + PKG_FRAME_HEAD + offsetof(struct pkg_header, total_size), sizeof(total));
	status = signature_make(o, PKG_SIGNED_PACKAGE, pkg_header_digest(package), "*", &row, error);
	pkg_close(package);
	if (!status && !pkg_signatures_put(rows, &count, &row))
		status = full(error, path);
	if (status)
		return status;
	head[1] = (uint32_t)pkg_signatures_write(frame + PKG_FRAME_HEAD, rows, count);
	memcpy(frame, head, sizeof(head));
	signed_bytes = realloc(*bytes, (size_t)total + sizeof(frame));
	if (!signed_bytes)
		return reg_fail(error, PTOWSP_NO_MEMORY, "no memory to sign %.150s", path);
	memcpy(signed_bytes + total, frame, PKG_FRAME_HEAD + head[1]);
	*bytes = signed_bytes;
	*size = (size_t)total + PKG_FRAME_HEAD + head[1];
	return PTOWSP_OK;
}

/* ---- files that are there ---- */

/* "" of libptowsp_NAME.so: NAME in name_out; else NULL. */
static const char *plugin_name(const char *path, char name_out[33])
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t length = strlen(base);

	if (length <= 13 || length > 13 + 32 || strncmp(base, "libptowsp_", 10) != 0 || strcmp(base + length - 3, ".so") != 0)
		return NULL;
	memcpy(name_out, base + 10, length - 13);
	name_out[length - 13] = 0;
	return name_out;
}

/* Signatures that are beside the plugin and fit its bytes stay; those of other bytes go. */
static ptowsp_status beside_read(const char *path, const uint8_t *digest, struct pkg_signature *rows, uint32_t *count, struct ptowsp_error *error)
{
	const struct pkg_place place = {path, error};
	struct pkg_signature found[PKG_SIGNATURE_ROWS];
	uint32_t rows_found;
	void *text;
	size_t size;
	ptowsp_status status;

	*count = 0;
	if (access(path, F_OK))
		return PTOWSP_OK;
	status = pkg_file_load(path, PKG_SIGNATURES_MOST + 1, &text, &size, error);
	if (status)
		return status;
	status = pkg_signatures_read(found, &rows_found, text, size, &place);
	for (uint32_t i = 0; !status && i < rows_found; i++)
		if (pkg_signature_holds(&found[i], PKG_SIGNED_PLUGIN, digest))
			rows[(*count)++] = found[i];
	free(text);
	return status;
}

static ptowsp_status plugin_sign(const struct pack_options *o, const char *path, const void *bytes, size_t size, struct ptowsp_error *error)
{
	struct pkg_signature rows[PKG_SIGNATURE_ROWS], row;
	uint8_t digest[PKG_DIGEST_SIZE], file[PKG_SIGNATURES_MOST];
	char name[33], *beside = NULL;
	uint32_t count;
	ptowsp_status status = PTOWSP_OK;

	if (!pkg_digest_make(digest, bytes, size) || asprintf(&beside, "%s.sig", path) < 0)
		return reg_fail(error, PTOWSP_NO_MEMORY, "no memory to sign %.150s", path);
	status = beside_read(beside, digest, rows, &count, error);
	if (!status)
		status = signature_make(o, PKG_SIGNED_PLUGIN, digest, plugin_name(path, name), &row, error);
	if (!status && !pkg_signatures_put(rows, &count, &row))
		status = full(error, beside);
	if (!status && o->output)
		status = apart_input(path, "the plugin", error); /* a package is signed in place, the signatures of a plugin lie beside it */
	if (!status)
		status = output_save(o->output ? o->output : beside, NULL, 0, file, pkg_signatures_write(file, rows, count), error);
	free(beside);
	return status;
}

static bool begins(const char *bytes, size_t size, size_t at, const char *magic, size_t length)
{
	return size >= at + length && !memcmp(bytes + at, magic, length);
}

bool pack_sign_takes(const char *path)
{
	char bytes[16] = "";
	uint64_t all;
	ssize_t size = 0;
	int fd;

	if (pkg_file_open(AT_FDCWD, path, path, UINT64_MAX, &fd, &all, NULL))
		return false;
	size = read(fd, bytes, sizeof(bytes));
	close(fd);
	if (size < 0)
		return false;
	return begins(bytes, (size_t)size, PKG_FRAME_HEAD, PKG_MAGIC, 8) || begins(bytes, (size_t)size, 0, "\177ELF", 4);
}

int pack_sign_files(const struct pack_options *o)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	ptowsp_status status = PTOWSP_OK;

	for (int i = 0; i < o->input_count && !status; i++) {
		size_t size;
		void *bytes;

		status = pkg_file_load(o->inputs[i], PKG_FILE_MOST, &bytes, &size, &error);
		if (!status && begins(bytes, size, 0, "\177ELF", 4)) {
			status = plugin_sign(o, o->inputs[i], bytes, size, &error);
		} else if (!status) {
			status = pack_package_sign(o, o->inputs[i], &bytes, &size, &error);
			if (!status)
				status = output_save(o->output ? o->output : o->inputs[i], NULL, 0, bytes, size, &error);
		}
		free(bytes);
	}
	return status ? tool_complain(&error) : 0;
}
