/* SPDX-License-Identifier: MIT */
/* aie_design.h - designs of AMD's arrays whose times are published, as text to be freed. */
#ifndef TESTS_AIE_DESIGN_H
#define TESTS_AIE_DESIGN_H

#include <stdbool.h>
#include <stdint.h>

/* One core that multiplies 1,024 bytes by a number, element by element, so many times. */
char *aie_design_scalar(uint32_t times);
/* npu1, 4 columns: `tasks` tasks of so many words each from DDR to a core (in) or back, which has objects of as many words as a task, at most 4096. */
char *aie_design_ddr(bool in, uint32_t tasks, uint32_t words);
/* npu1, 16 cores: `steps` times @mm on tiles of 64 x 64 of A, the same for a row of cores, and of B, the same for a column, each from its own shim. element: "i16". */
char *aie_design_gemm(uint32_t steps, const char *element);
/* npu2, 8 columns: so many words in and out of DDR on each. */
char *aie_design_copy(uint32_t words);

#endif
