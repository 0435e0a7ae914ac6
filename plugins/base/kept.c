/* SPDX-License-Identifier: MIT */
#include "kept.h"

#include "error.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_ROOM = BASE_KEPT_PATH + 80 };

static const char *name_of(const struct isa_text *source)
{
	const char *slash = strrchr(source->path, '/');

	return slash ? slash + 1 : source->path;
}

static void digest_all(struct base_digest *digest, const struct base_kept *kept)
{
	for (const struct isa_text *source = kept->sources; source->path; source++)
		for (const char *const *line = source->lines; *line; line++)
			base_digest_add(digest, *line, strlen(*line));
	for (uint32_t s = 0; s < kept->step_count; s++)
		for (uint32_t i = 0; i < kept->steps[s].command->count; i++)
			base_digest_add(digest, kept->steps[s].command->words[i], strlen(kept->steps[s].command->words[i]) + 1);
}

static ptowsp_status sources_write(const char *folder, const struct isa_text *sources, struct ptowsp_error *error)
{
	char path[PATH_ROOM];
	bool written = true;

	for (const struct isa_text *source = sources; source->path; source++) {
		FILE *file;

		snprintf(path, sizeof(path), "%s/%.60s", folder, name_of(source));
		file = fopen(path, "w");
		for (const char *const *line = source->lines; file && *line; line++)
			written &= fputs(*line, file) >= 0;
		written &= file && !fclose(file);
	}
	return written ? PTOWSP_OK : base_fail(error, PTOWSP_IO, "%.120s cannot be written: %s; name another folder with cache=DIR", folder, strerror(errno));
}

static void file_remove(const char *folder, const char *name, const char *ending)
{
	char path[PATH_ROOM];

	snprintf(path, sizeof(path), "%s/%.60s%s", folder, name, ending);
	unlink(path);
}

static void folder_remove(const char *folder, const struct base_kept *kept)
{
	for (const struct isa_text *source = kept->sources; source->path; source++)
		file_remove(folder, name_of(source), "");
	for (uint32_t s = 0; s < kept->step_count; s++) {
		file_remove(folder, kept->steps[s].output, "");
		file_remove(folder, kept->steps[s].what, ".log");
	}
	rmdir(folder);
}

/* Everything is made in a folder of this process, which then becomes the kept one; where another process was faster, its folder is kept. */
static ptowsp_status folder_make(const char *place, const struct base_kept *kept, struct ptowsp_error *error)
{
	char folder[BASE_KEPT_PATH + 8];
	ptowsp_status status;

	snprintf(folder, sizeof(folder), "%s.XXXXXX", place);
	if (!mkdtemp(folder))
		return base_fail(error, PTOWSP_IO, "%.120s cannot be made: %s; name another folder with cache=DIR", folder, strerror(errno));
	status = sources_write(folder, kept->sources, error);
	for (uint32_t s = 0; !status && s < kept->step_count; s++)
		if (kept->steps[s].command->count)
			status = base_command_compile(kept->steps[s].command, folder, kept->steps[s].what, kept->steps[s].whose, error);
	if (!status && rename(folder, place))
		folder_remove(folder, kept);
	return status;
}

ptowsp_status base_kept_make(char folder_out[BASE_KEPT_PATH], const struct base_kept *kept, struct base_digest digest, bool *compiled_out,
			     struct ptowsp_error *error)
{
	char cache[BASE_CACHE_PATH + 1];
	ptowsp_status status = base_cache_find(cache, kept->cache, error);

	*compiled_out = false;
	digest_all(&digest, kept);
	snprintf(folder_out, BASE_KEPT_PATH, "%s/%.30s%016llx%016llx", cache, kept->prefix, (unsigned long long)digest.words[0],
		 (unsigned long long)digest.words[1]);
	if (status || !access(folder_out, R_OK | X_OK))
		return status;
	status = folder_make(folder_out, kept, error);
	*compiled_out = !status;
	return status;
}
