/* SPDX-License-Identifier: MIT */
/* policy_read.c - is a plugin's file listed or signed? All bytes of the sealed copy are judged. */
#include "host/trust/host_policy.h"

#include "host/find/host_plugin.h"
#include "host/find/refuse.h"
#include "registry/common/common_grow.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIST_BYTES ((size_t)1 << 20)

/* ---- lists ---- */

static ptowsp_status line_take(struct host_listed *listed, const char *line, size_t length, struct ptowsp_error *error, const char *path, unsigned number)
{
	struct host_listed_row row = {.name = ""};
	size_t digits = 0, got = 0, name;

	if (!length || *line == '#')
		return PTOWSP_OK;
	while (digits < length && line[digits] && strchr("0123456789abcdef", line[digits]))
		digits++;
	name = digits;
	while (name < length && (line[name] == ' ' || line[name] == '\t'))
		name++;
	if (digits != 2 * sizeof(row.digest) || name == digits || !host_name_valid(line + name, length - name) ||
	    sodium_hex2bin(row.digest, sizeof(row.digest), line, digits, NULL, &got, NULL))
		return host_refuse(error, path, "line %u is not: 64 digits 0-9 a-f of a SHA-256, a blank, a plugin's name", number);
	memcpy(row.name, line + name, length - name);
	if (!COMMON_RESIZE(listed->rows, listed->count + 1))
		return host_fail(error, PTOWSP_NO_MEMORY, "no memory for the list of plugins");
	listed->rows[listed->count++] = row;
	return PTOWSP_OK;
}

ptowsp_status host_listed_parse(struct host_listed *listed, const char *text, size_t size, const char *path, struct ptowsp_error *error)
{
	const uint32_t before = listed->count;
	ptowsp_status status = PTOWSP_OK;
	unsigned number = 0;

	for (size_t at = 0; at < size && !status;) {
		const char *end = memchr(text + at, '\n', size - at);
		size_t length = end ? (size_t)(end - text) - at : size - at;

		status = line_take(listed, text + at, length, error, path, ++number);
		at += length + 1;
	}
	if (status)
		listed->count = before;
	return status;
}

void host_listed_finish(struct host_listed *listed)
{
	free(listed->rows);
	*listed = (struct host_listed){0};
}

/* A folder without one has no plugins. */
static ptowsp_status list_read(void *context, const char *folder, bool given, struct ptowsp_error *error)
{
	struct ptowsp_error why = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct host_listed *listed = context;
	char path[PATH_MAX], *text;
	struct stat there;
	size_t size = 0;
	ptowsp_status status;

	snprintf(path, sizeof(path), "%s/.", folder); /* of what is no folder, that it is none */
	if (given && access(path, R_OK | X_OK))
		return host_fail(error, PTOWSP_IO, "trust folder %.120s cannot be read: %s", folder, strerror(errno));
	if (snprintf(path, sizeof(path), "%s/plugins.list", folder) >= (int)sizeof(path) ||
	    lstat(path, &there)) /* a link that leads nowhere, or to itself, is one that cannot be read */
		return PTOWSP_OK;
	text = malloc(LIST_BYTES);
	if (!text)
		return host_fail(error, PTOWSP_NO_MEMORY, "no memory for the list of plugins");
	status = host_trust_file(path, "list", text, LIST_BYTES, &size, &why);
	if (!status)
		status = host_listed_parse(listed, text, size, path, &why);
	free(text);
	if (status && !listed->passed_over[0])
		snprintf(listed->passed_over, sizeof(listed->passed_over), "%s", why.text);
	return PTOWSP_OK;
}

/* ---- checks ---- */

static ptowsp_status listed_check(const struct host_policy *policy, const struct host_file *file, const uint8_t *digest, char *text_out,
				  struct ptowsp_error *error)
{
	char digits[2 * PKG_DIGEST_SIZE + 1];

	for (uint32_t i = 0; i < policy->listed.count; i++)
		if (!memcmp(policy->listed.rows[i].digest, digest, PKG_DIGEST_SIZE) && !strcmp(policy->listed.rows[i].name, file->note.name)) {
			snprintf(text_out, HOST_TRUST_TEXT, "in a list");
			return PTOWSP_OK;
		}
	if (policy->listed.passed_over[0])
		return host_refuse(error, file->path, "is in no list; not used: %s", policy->listed.passed_over);
	sodium_bin2hex(digits, sizeof(digits), digest, PKG_DIGEST_SIZE);
	return host_refuse(error, file->path, "no plugins.list of the trust folders has \"%s %s\"", digits, file->note.name);
}

/* The content needs no owner: it holds or does not. */
static ptowsp_status signatures_read(const struct host_file *file, struct pkg_signature *rows, uint32_t *count, struct ptowsp_error *error)
{
	struct ptowsp_error why = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	const struct pkg_place place = {"its .sig file", &why};
	uint8_t bytes[PKG_SIGNATURES_MOST + 1];
	char path[PATH_MAX];
	ssize_t size = -1;
	int fd = -1;

	*count = 0;
	if (snprintf(path, sizeof(path), "%s.sig", file->path) < (int)sizeof(path))
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0) {
		size = read(fd, bytes, sizeof(bytes));
		close(fd);
	}
	if (size < 0)
		return host_refuse(error, file->path, "is not signed: there is no .sig file beside it that can be read; ptowsp-pack --sign makes one");
	return pkg_signatures_read(rows, count, bytes, (size_t)size, &place) ? host_refuse(error, file->path, "is not signed: %s", why.text) : PTOWSP_OK;
}

static ptowsp_status signed_check(const struct host_policy *policy, const struct host_file *file, const uint8_t *digest, char *text_out,
				  struct ptowsp_error *error)
{
	const uint32_t ours = PTOWSP_HOST_MINOR;
	const struct host_trust_for whom = {file->note.name, file->note.minor < ours ? file->note.minor : ours};
	struct pkg_signature rows[PKG_SIGNATURE_ROWS];
	uint32_t count;
	char more[48];
	ptowsp_status status = signatures_read(file, rows, &count, error);

	if (status || host_trust_judge(&policy->keys, rows, count, PKG_SIGNED_PLUGIN, digest, &whom, text_out))
		return status;
	if (policy->keys.passed_count > 1)
		snprintf(more, sizeof(more), "; of %u keys that are not used: ", policy->keys.passed_count);
	else
		snprintf(more, sizeof(more), "%s", policy->keys.passed_count ? "; a key is not used: " : "");
	return host_refuse(error, file->path, "is not trusted: %s%s%s", text_out, more, policy->keys.passed_over[0]);
}

/* The question of host_policy_check. */
static ptowsp_status check(const struct host_policy *policy, const struct host_file *file, char text_out[HOST_TRUST_TEXT], struct ptowsp_error *error)
{
	uint8_t digest[PKG_DIGEST_SIZE];

	if (!pkg_digest_make(digest, file->sealed.bytes, file->sealed.size))
		return host_fail(error, PTOWSP_NO_MEMORY, "%s: no memory for SHA-256", file->path);
	return policy->kind == PTOWSP_PLUGINS_LISTED ? listed_check(policy, file, digest, text_out, error)
						     : signed_check(policy, file, digest, text_out, error);
}

/* ---- the policy ---- */

ptowsp_status host_policy_init(struct host_policy *policy, uint32_t kind, const struct host_trust_dirs *dirs, struct ptowsp_error *error)
{
	*policy = (struct host_policy){.kind = kind, .check = check};
	policy->kind = host_policy_kind(policy);
	if (policy->kind == PTOWSP_PLUGINS_SIGNED)
		return host_keys_read(&policy->keys, dirs, error);
	return policy->kind == PTOWSP_PLUGINS_LISTED ? host_trust_folders(dirs, list_read, &policy->listed, error) : PTOWSP_OK;
}

void host_policy_finish(struct host_policy *policy)
{
	host_keys_finish(&policy->keys);
	host_listed_finish(&policy->listed);
}
