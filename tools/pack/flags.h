/* SPDX-License-Identifier: MIT */
/* flags.h - how native kernels are compiled: by ptowsp-pack --native, and by the benchmark that measures such code. */
#ifndef TOOLS_PACK_FLAGS_H
#define TOOLS_PACK_FLAGS_H

/* -ffp-contract=off and no fast math: each operation rounds once; what it flags nobody reads, so that conversions to integers become vectors. No names of files get in. */
#define PACK_NATIVE_FLAGS                                                                                                                                      \
	"-std=c11 -O3 -fPIC -shared -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-strict-aliasing "                                                \
	"-fno-tree-slp-vectorize -fvisibility=hidden "                                                                                                         \
	"-Wl,--build-id=none -Wl,-z,noexecstack -Wl,-z,relro -Wl,-z,now -s"

#endif
