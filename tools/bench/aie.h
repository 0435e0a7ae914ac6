/* SPDX-License-Identifier: MIT */
/* aie.h - designs of AMD's arrays that the benchmark runs, as text to be freed; what comes before running them. */
#ifndef TOOLS_BENCH_AIE_H
#define TOOLS_BENCH_AIE_H

#include <stdbool.h>
#include <stdint.h>

/* npu2: on each of 8 columns 4 cores in a chain hand on `objects` objects of 16 words, from DDR and back. moved: through DMAs, else through memories that both see. */
char *bench_aie_chains(uint32_t objects, bool moved);
/* One core that multiplies 1,024 bytes by a number, element by element, so many times. */
char *bench_aie_scalar(uint32_t times);
/* One core that multiplies two f32 tiles of 32 x 32 element by element of the result, as the bodies of kernels do, so many times. */
char *bench_aie_product(uint32_t times);
/* npu1, 4 columns: `tasks` tasks of so many words each from DDR to a core (in) or back, which has objects of as many words as a task, at most 4096. */
char *bench_aie_ddr(bool in, uint32_t tasks, uint32_t words);
/* npu1, 16 cores: `steps` times @mm on tiles of 64 x 64 of A, the same for a row of cores, and of B, the same for a column, each from its own shim. element: "i16". */
char *bench_aie_gemm(uint32_t steps, const char *element);
/* npu2, 8 columns: so many words in and out of DDR on each. */
char *bench_aie_copy(uint32_t words);

/* Rows of placing, routing and drawing a product on 32 cores. 0, or an exit code after a sentence on stderr. */
struct bench_options;
int bench_aie_array(const struct bench_options *options);
/* Rows of a package's way to the files of its design. The same. */
int bench_aie_package(const struct bench_options *options);

#endif
