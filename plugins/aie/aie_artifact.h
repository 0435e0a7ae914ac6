/* SPDX-License-Identifier: MIT */
/* aie_artifact.h - a design compiled for its device: a folder named after everything that goes into it, with the emitted text, its kernels as C, the script that compiles both
 * by the user's tools, and what comes out. One thread; several processes may make the same one. */
#ifndef AIE_ARTIFACT_H
#define AIE_ARTIFACT_H

#include "aie/aie_arch.h"
#include "aie/design/kernel_files.h"
#include "aie/engine/aie_hardware.h"
#include "registry/common/common_text.h"

struct aie_artifact_args {
	const struct aie_arch *arch;
	const char *text; /* of the design */
	const struct aie_kernel_files *files;
	const struct aie_piece *pieces; /* AIECC and PEANO may be missing: what was compiled before is there all the same */
	const char *cache;              /* as of base/cache.h */
};
struct aie_artifact {
	char folder[AIE_PATH];
	char xclbin[AIE_PATH + 32]; /* path */
	char cores[AIE_PATH + 32];  /* folder of the programs of cores, as core_program.h reads them; there may be none, or only some */
	uint32_t *words;            /* owned: instructions of the sequence */
	uint64_t word_count;
	bool compiled; /* now, and not before */
};
/* Fills a zeroed or finished artifact. Errors: NO_DEVICE: the tools are missing (named) or refuse, or what they made is no artifact: the sentence has the folder, which stays;
 * IO, INVALID: the cache; NO_MEMORY. */
ptowsp_status aie_artifact_make(struct aie_artifact *artifact, const struct aie_artifact_args *args, struct ptowsp_error *error);
/* The script of a design whose files' folder is `folder`, seen from the script: it compiles design.mlir beside it, and leaves aie.xclbin, insts.bin and cores there. */
void aie_artifact_script(struct common_text *text, const struct aie_arch *arch, const struct aie_kernel_files *files, const char *folder);
void aie_artifact_finish(struct aie_artifact *artifact);

/* Kernels of a design with what they include, in a folder that is there; false: it cannot be written, or not all of it. Removed are these files and the folders of headers. */
bool aie_artifact_sources_write(const char *folder, const struct aie_kernel_files *files);
void aie_artifact_sources_remove(const char *folder, const struct aie_kernel_files *files);

#endif
