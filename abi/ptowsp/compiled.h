/* SPDX-License-Identifier: MIT */
/* compiled.h - what a plugin compiled for a program, kept by the host for the next time. Of 10.1, and provisional: the id ends in /0 until that minor is frozen. */
#ifndef PTOWSP_COMPILED_H
#define PTOWSP_COMPILED_H

#include "base.h"

#if PTOWSP_ABI_TARGET >= 1
PTOWSP_BEGIN

#define PTOWSP_COMPILED_KEY   1024u               /* bytes that a key has room in */
#define PTOWSP_COMPILED_BLOBS 4096u               /* the most of a program */
#define PTOWSP_COMPILED_BLOB  (UINT64_C(1) << 27) /* bytes, the most of a blob */
#define PTOWSP_COMPILED_BYTES (UINT64_C(1) << 30) /* of all blobs of a program */

/* "ptowsp.compiled/0": the host gives load what an earlier load of the same program has compiled (load_args.blobs), and asks for it where it had nothing to give. A blob is a hint (PL16): damaged,
 * cut, foreign or missing blobs change the time that a load takes, never what it answers, nor results, nor memory. So the plugin compares what it needs itself before it uses one; the host compares
 * its own files, and cannot know where the bytes came from. */
struct ptowsp_compiled_extension {
	struct ptowsp_head head;
	/* Everything that compiled code depends on, but for the package, the plugin's file and its settings: versions of device, driver and compiler. A text of printable ASCII, NUL-terminated, the
	 * same for the same machine in every process. room: bytes at text_out, PTOWSP_COMPILED_KEY at least. Errors: INVALID for less room, DEVICE_LOST. [device] */
	ptowsp_status (*key)(struct ptowsp_object *device, char *text_out, uint32_t room, struct ptowsp_error *error);
	/* Blobs of what this program has compiled by now, none being as good as any: file is called once for each, path is its name as in ptowsp_blob, no name twice; bytes are borrowed for that call,
	 * and a status other than 0 ends the whole. Errors: INVALID while a run of it is going on, NO_MEMORY, DEVICE_LOST. [device] */
	ptowsp_status (*save)(struct ptowsp_object *program, ptowsp_status (*file)(void *context, const char *path, const void *bytes, uint64_t size),
			      void *context, struct ptowsp_error *error);
};
#define PTOWSP_EXTENSION_COMPILED "ptowsp.compiled/0"

PTOWSP_END
#endif
#endif
