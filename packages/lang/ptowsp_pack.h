/* SPDX-License-Identifier: MIT */
/* ptowsp_pack.h - libptowsp-pack.so: .pto text to the bytes of a package, for frontends in any language.
 *
 *	struct ptowsp_pack_result *result = NULL;
 *	if (ptowsp_pack_text("add.pto", text, &result) == 0)
 *		fwrite(ptowsp_pack_bytes(result), 1, ptowsp_pack_size(result), file);
 *	for (i = 0; i < ptowsp_pack_message_count(result); i++)
 *		fputs(ptowsp_pack_message(result, i), stderr);
 *	ptowsp_pack_destroy(result);
 *
 * Plain functions on plain types, so that they can be called through a foreign function interface without this header.
 * Any thread; no state is shared between calls. Statuses are those of ptowsp/status.def. */
#ifndef PTOWSP_PACK_H
#define PTOWSP_PACK_H

#include "ptowsp/base.h"

PTOWSP_BEGIN

#if defined(__GNUC__)
#define PTOWSP_PACK_API __attribute__((visibility("default")))
#else
#define PTOWSP_PACK_API
#endif

struct ptowsp_pack_result; /* a package, or why there is none; with all messages */

/* Several sources as one module set, linked by function names.
 *   names  as messages show them; the package keeps the part behind the last '/'
 *   texts, sizes  UTF-8, sizes in bytes; sizes may be NULL for NUL-terminated texts
 *   name   of the package, entry the default entry; both may be NULL (the source says)
 * *result_out is made whenever there is memory, also on failure; the caller destroys it.
 * Returns 0, BAD_PACKAGE (-8) if the source has errors, TOO_BIG (-23) if compiling takes more than 896 MiB, NO_MEMORY (-2), INVALID (-1) for NULL pointers, no source or an
 * entry that there is not. */
PTOWSP_PACK_API ptowsp_status ptowsp_pack_sources(const char *const *names, const char *const *texts, const uint64_t *sizes, uint32_t count, const char *name,
						  const char *entry, struct ptowsp_pack_result **result_out);
/* Sources by their paths, which are their names, too. Files that they name (payloads, sample data; regular ones of at most 2^28 bytes) are read, each seen from
 * the folder of its source and, links followed, below that folder. All else as above; a source that cannot be read is a message. */
PTOWSP_PACK_API ptowsp_status ptowsp_pack_files(const char *const *paths, uint32_t count, const char *name, const char *entry,
						struct ptowsp_pack_result **result_out);
/* The same, and what sources name may also lie below one of these folders. INVALID also for one that is NULL. */
PTOWSP_PACK_API ptowsp_status ptowsp_pack_files_below(const char *const *paths, uint32_t count, const char *name, const char *entry, const char *const *folders,
						      uint32_t folder_count, struct ptowsp_pack_result **result_out);
/* A package whose graphs have no code yet, as ptowsp_build_graph leaves them: the same with the code that runs them, an entry per graph, made
 * as ptowsp-pack makes it of the graphs of a source. INVALID for a package that has code. Messages are about the package's own source
 * text (ptowsp-inspect --pto). */
PTOWSP_PACK_API ptowsp_status ptowsp_pack_graphs(const void *package, uint64_t size, struct ptowsp_pack_result **result_out);
/* One NUL-terminated text. */
PTOWSP_PACK_API ptowsp_status ptowsp_pack_text(const char *name, const char *text, struct ptowsp_pack_result **result_out);
PTOWSP_PACK_API void ptowsp_pack_destroy(struct ptowsp_pack_result *result); /* NULL is allowed */

/* The file's bytes, borrowed; NULL and 0 if the source was refused. */
PTOWSP_PACK_API const void *ptowsp_pack_bytes(const struct ptowsp_pack_result *result);
PTOWSP_PACK_API uint64_t ptowsp_pack_size(const struct ptowsp_pack_result *result);

/* Messages in source order: "file:line:column: error: sentence", the line, a caret, a line of help; each line ends in a
 * newline. Borrowed. NULL beyond the last one. */
PTOWSP_PACK_API uint32_t ptowsp_pack_message_count(const struct ptowsp_pack_result *result);
PTOWSP_PACK_API const char *ptowsp_pack_message(const struct ptowsp_pack_result *result, uint32_t index);
/* How many of them are errors; the rest are warnings. */
PTOWSP_PACK_API uint32_t ptowsp_pack_error_count(const struct ptowsp_pack_result *result);

/* "v10.0": the ABI of the packages that it makes. */
PTOWSP_PACK_API const char *ptowsp_pack_abi(void);

PTOWSP_END
#endif
