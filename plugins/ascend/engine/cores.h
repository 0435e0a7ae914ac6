/* SPDX-License-Identifier: MIT */
/* cores.h - a portable kernel as code for the cores of a device: written as Ascend C, compiled with the toolkit's compiler once for vector cores and, where it multiplies, once more for the
 * cube core of a cluster, linked, and kept in the cache. */
#ifndef ASCEND_CORES_H
#define ASCEND_CORES_H

#include "ascend/ascend_arch.h"
#include "ascend/engine/files.h"
#include "isa/isa.h"

/* Text sections, the entry kernel_entry at the first byte of each. */
struct ascend_cores {
	void *vector, *cube; /* owned; cube NULL: it does not multiply */
	size_t vector_size, cube_size;
	uint64_t workspace; /* bytes of global memory per block, through which the cores of a cluster pass factors and products; 0: none */
};
/* cache: base_cache_find. The compiler is ccec or bisheng of $ASCEND_HOME_PATH, its linker lies beside it. Any thread. Errors: UNSUPPORTED: the kernel cannot be written for these cores;
 * TOO_SMALL: its tiles want more than their unified buffer; NO_DEVICE: there is no compiler,, it refuses, or what it made is no such section; IO; NO_MEMORY. All name the kernel. */
ptowsp_status ascend_cores_make(struct ascend_cores *cores_out, const struct isa_program *program, const char *name, enum ascend_arch_id arch,
				const char *cache, struct ptowsp_error *error);
void ascend_cores_finish(struct ascend_cores *cores); /* of zeroed ones, too */

/* The text section of a linked image: nothing of it is left to relocate, no code stands elsewhere, and it begins with the entry. *text_out: in the image. The sentence why it is none, or NULL.
 * Source: elf_parser.py of the pto-runtime. */
const char *ascend_cores_text(const void *image, size_t size, const void **text_out, size_t *size_out);

#endif
