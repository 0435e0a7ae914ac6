/* SPDX-License-Identifier: MIT */
/* fake_xrt_run.h - what is in a fake xclbin: the text of a design, and a library with its kernels; executed by the simulator. */
#ifndef FAKE_XRT_RUN_H
#define FAKE_XRT_RUN_H

#include <stddef.h>
#include <stdint.h>

struct fake_design;
/* A file that tests/fakes/xrt/aiecc made: a line "fake xclbin", the path of the library, the text. NULL: why. */
struct fake_design *fake_design_open(const char *path, char *why, size_t room);
/* Of its sequence. */
unsigned fake_design_arguments(const struct fake_design *design);
void fake_design_close(struct fake_design *design);
/* NULL, or why not. words: of the insts.bin that aiecc made of the same text. */
const char *fake_design_run(struct fake_design *design, const uint32_t *words, uint64_t word_count, void *const *arguments, unsigned count);

#endif
