/* SPDX-License-Identifier: MIT */
/* listing.c - every plugin of the search path, or why a file was skipped; nothing of them is run. */
#include "host/find/refuse.h"
#include "host/find/search.h"
#include "host/trust/host_policy.h"
#include "registry/common/common_grow.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ptowsp_status no_memory(struct ptowsp_error *error)
{
	return host_fail(error, PTOWSP_NO_MEMORY, "no memory for the list of plugins");
}

/* A new row that owns path (freed on failure). */
static struct host_candidate *row_add(struct host_listing *listing, char *path)
{
	if (!path || !COMMON_RESIZE(listing->rows, listing->count + 1)) {
		free(path);
		return NULL;
	}
	listing->rows[listing->count] = (struct host_candidate){.path = path};
	return &listing->rows[listing->count++];
}

static void reason_put(struct host_candidate *row, const char *reason)
{
	snprintf(row->reason, sizeof(row->reason), "%s", reason);
}

/* The first file with a name has it, usable or not: what a name means must not depend on the health of other files. */
static void shadow_check(struct host_listing *listing, struct host_candidate *row, const char *name, size_t length)
{
	for (struct host_candidate *earlier = listing->rows; earlier < row; earlier++) {
		if (strlen(earlier->name) != length || memcmp(earlier->name, name, length) != 0)
			continue;
		row->shadowed = true;
		row->shadowed_by = (uint32_t)(earlier - listing->rows);
		return;
	}
}

static ptowsp_status file_list(struct host_listing *listing, const struct host_policy *policy, const char *link, struct ptowsp_error *error)
{
	struct ptowsp_error reason = {0};
	struct host_candidate *row;
	struct host_file file;
	char trust[HOST_TRUST_TEXT];
	size_t length = 0;
	const char *name = host_file_name(link, &length);
	ptowsp_status status;

	if (!host_name_valid(name, length)) {
		row = row_add(listing, strdup(link));
		if (row)
			reason_put(row, "not called libptowsp_NAME.so with a NAME of 1 to 32 of a-z 0-9 _");
		return row ? PTOWSP_OK : no_memory(error);
	}
	status = host_file_open(&file, link, &reason);
	row = row_add(listing, strdup(file.path ? file.path : link));
	if (!status && row)
		status = host_policy_seal(policy, &file, &reason);
	if (!status && row)
		status = host_file_check(&file, false, &reason);
	if (!status && row)
		status = host_file_name_check(link, &file.note, &reason);
	if (!status && row)
		status = host_policy_check(policy, &file, trust, &reason);
	if (row) {
		row->usable = !status;
		row->note = file.note;
		if (status)
			reason_put(row, host_refuse_sentence(reason.text, row->path));
		else
			host_lint_warn(file.bytes, file.size, row->warning, sizeof(row->warning));
		shadow_check(listing, row, name, length);
		snprintf(row->name, sizeof(row->name), "%.*s", (int)length, name);
	}
	host_file_finish(&file);
	return row ? PTOWSP_OK : no_memory(error);
}

static int is_candidate(const struct dirent *entry)
{
	size_t length;

	return host_file_name(entry->d_name, &length) != NULL;
}

/* By strcmp, not alphasort: the same order in every locale. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static ptowsp_status folder_list(struct host_listing *listing, const struct host_policy *policy, const struct host_folder *folder, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;
	struct dirent **entries = NULL;
	int count = folder->reason ? -1 : scandir(folder->path, &entries, is_candidate, by_name);

	if (count < 0) {
		struct host_candidate *row = row_add(listing, strdup(folder->path));

		if (!row)
			return no_memory(error);
		reason_put(row, folder->reason ? folder->reason : "the folder cannot be read");
		return PTOWSP_OK;
	}
	for (int i = 0; i < count; i++) {
		char path[PATH_MAX];

		if (!status && snprintf(path, sizeof(path), "%s/%s", folder->path, entries[i]->d_name) < PATH_MAX)
			status = file_list(listing, policy, path, error);
		free(entries[i]);
	}
	free(entries);
	return status;
}

static ptowsp_status folders_take(struct host_listing *listing, const struct host_folders *folders, struct ptowsp_error *error)
{
	listing->folders = calloc(folders->count + 1u, sizeof(*listing->folders));
	if (!listing->folders)
		return no_memory(error);
	for (uint32_t i = 0; i < folders->count; i++) {
		if (!folders->rows[i].looked)
			continue;
		listing->folders[listing->folder_count] = strdup(folders->rows[i].path);
		if (!listing->folders[listing->folder_count])
			return no_memory(error);
		listing->folder_count++;
	}
	return PTOWSP_OK;
}

ptowsp_status host_list(const struct host_search *search, struct host_listing *listing_out, struct ptowsp_error *error)
{
	struct host_folders folders;
	ptowsp_status status = host_folders_init(&folders, search, error);

	*listing_out = (struct host_listing){0};
	if (!status)
		status = folders_take(listing_out, &folders, error);
	for (uint32_t i = 0; i < folders.count && !status; i++)
		status = folder_list(listing_out, search ? search->policy : NULL, &folders.rows[i], error);
	host_folders_finish(&folders);
	if (status)
		host_listing_finish(listing_out);
	return status;
}

void host_listing_finish(struct host_listing *listing)
{
	for (uint32_t i = 0; i < listing->count; i++)
		free(listing->rows[i].path);
	for (uint32_t i = 0; i < listing->folder_count; i++)
		free(listing->folders[i]);
	free(listing->rows);
	free(listing->folders);
	*listing = (struct host_listing){0};
}

const struct host_candidate *host_listing_alias(const struct host_listing *listing, const struct host_search *search, const char *alias,
						const struct host_candidate **rival_out)
{
	const struct host_candidate *best = NULL;
	uint32_t best_rank = UINT32_MAX;

	*rival_out = NULL;
	for (uint32_t i = 0; i < listing->count; i++) {
		const struct host_candidate *row = &listing->rows[i];
		uint32_t rank = host_preference_rank(search, row->note.name);

		if (!row->usable || row->shadowed || !host_note_has_target(&row->note, alias))
			continue;
		if (best && rank == UINT32_MAX && best_rank == UINT32_MAX) {
			*rival_out = row;
		} else if (!best || rank < best_rank) {
			best = row;
			best_rank = rank;
			*rival_out = rank == UINT32_MAX ? *rival_out : NULL;
		}
	}
	return best;
}
