/* SPDX-License-Identifier: MIT */
#include "tools/bench/bench_sim.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- tasks that do nothing ---------------------------------------------------------------------------------------- */

static void body_print(FILE *f, enum bench_stream stream, uint32_t tasks)
{
	switch (stream) {
	case BENCH_INDEPENDENT: fprintf(f, "  parallel_for %%i in 0 to %u { call @nothing(%%x -> %%x[%%i, 0]) }\n", tasks); break;
	case BENCH_SCOPES:
		fprintf(f, "  parallel_for %%s in 0 to %u { scope { parallel_for %%i in 0 to 256 { call @nothing(%%x -> %%x[%%s * 256 + %%i, 0]) } } }\n", tasks / 256);
		break;
	case BENCH_CHAINS: fprintf(f, "  parallel_for %%i in 0 to %u { parallel_for %%c in 0 to 64 { call @nothing(%%x -> %%x[%%c, 0]) } }\n", tasks / 64); break;
	case BENCH_SERIAL: fprintf(f, "  parallel_for %%i in 0 to %u { call @nothing(%%x -> %%x[0, 0]) }\n", tasks); break;
	}
}

char *bench_sim_stream(enum bench_stream stream, uint32_t tasks, size_t *size_out)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, size_out);

	if (!f)
		return NULL;
	fprintf(f, "module @nothing\n\ntensor %%x : f32[%u, 1] inout\n\nfunc @empty(%%x: !pto.memref<gm,...,f32>) {\n  return\n}\n\n"
		   "kernel @nothing(%%x: f32[1, 1] inout) on vector { portable @empty }\n\nworkload @main {\n",
		stream == BENCH_SERIAL || tasks < 64 ? 64 : tasks);
	body_print(f, stream, tasks);
	fprintf(f, "}\n");
	if (!fclose(f))
		return text;
	free(text);
	return NULL;
}

/* ---- paged attention ---------------------------------------------------------------------------------------------- */

/* As packages/examples/paged_attention.pto, for pages that are full. */
static const char kernels[] =
	"func @nothing_yet(%m: !pto.memref<gm,...,f32>, %l: !pto.memref<gm,...,f32>, %o: !pto.memref<gm,...,f32>) {\n"
	"  %column = alloc_tile : !pto.tile<16x1xf32>\n  %all = alloc_tile : !pto.tile<16x128xf32>\n"
	"  %column = texpands %-inf\n  tstore %column, %m[0, 0]\n  %column = texpands %0.0\n  tstore %column, %l[0, 0]\n"
	"  %all = texpands %0.0\n  tstore %all, %o[0, 0]\n  return\n}\n"
	"func @scores(%q: !pto.memref<gm,...,bf16>, %k: !pto.memref<gm,...,bf16>, %s: !pto.memref<gm,...,f32>) {\n"
	"  %query = alloc_tile : !pto.tile<16x128xbf16>\n  %key = alloc_tile : !pto.tile<128x128xbf16>\n"
	"  %turned = alloc_tile : !pto.tile<128x128xbf16>\n  %score = alloc_tile : !pto.tile<16x128xf32>\n"
	"  %query = tload %q[0, 0]\n  %key = tload %k[0, 0]\n  %turned = ttrans %key\n  %score = tmatmul %query, %turned\n"
	"  tstore %score, %s[0, 0]\n  return\n}\n"
	"func @exponentials(%s: !pto.memref<gm,...,f32>, %p: !pto.memref<gm,...,f32>, %m: !pto.memref<gm,...,f32>, %l: !pto.memref<gm,...,f32>) {\n"
	"  %score = alloc_tile : !pto.tile<16x128xf32>\n  %column = alloc_tile : !pto.tile<16x1xf32>\n"
	"  %score = tload %s[0, 0]\n  %score = tmuls %score, %0.08838834764831845\n  %column = trowmax %score\n  tstore %column, %m[0, 0]\n"
	"  %score = trowexpandsub %score, %column\n  %score = texp %score\n  tstore %score, %p[0, 0]\n  %column = trowsum %score\n"
	"  tstore %column, %l[0, 0]\n  return\n}\n"
	"func @weighted(%p: !pto.memref<gm,...,f32>, %v: !pto.memref<gm,...,bf16>, %pv: !pto.memref<gm,...,f32>) {\n"
	"  %weight = alloc_tile : !pto.tile<16x128xf32>\n  %half = alloc_tile : !pto.tile<128x128xbf16>\n"
	"  %value = alloc_tile : !pto.tile<128x128xf32>\n  %sum = alloc_tile : !pto.tile<16x128xf32>\n"
	"  %weight = tload %p[0, 0]\n  %half = tload %v[0, 0]\n  %value = tcvt %half\n  %sum = tmatmul %weight, %value\n"
	"  tstore %sum, %pv[0, 0]\n  return\n}\n"
	"func @updated(%block_m: !pto.memref<gm,...,f32>, %block_l: !pto.memref<gm,...,f32>, %pv: !pto.memref<gm,...,f32>, %m: !pto.memref<gm,...,f32>, "
	"%l: !pto.memref<gm,...,f32>, %o: !pto.memref<gm,...,f32>) {\n"
	"  %before = alloc_tile : !pto.tile<16x1xf32>\n  %here = alloc_tile : !pto.tile<16x1xf32>\n  %larger = alloc_tile : !pto.tile<16x1xf32>\n"
	"  %sum = alloc_tile : !pto.tile<16x1xf32>\n  %more = alloc_tile : !pto.tile<16x1xf32>\n"
	"  %out = alloc_tile : !pto.tile<16x128xf32>\n  %new = alloc_tile : !pto.tile<16x128xf32>\n"
	"  %before = tload %m[0, 0]\n  %here = tload %block_m[0, 0]\n  %larger = tmax %before, %here\n  tstore %larger, %m[0, 0]\n"
	"  %before = tsub %before, %larger\n  %before = texp %before\n  %here = tsub %here, %larger\n  %here = texp %here\n"
	"  %sum = tload %l[0, 0]\n  %sum = tmul %sum, %before\n  %more = tload %block_l[0, 0]\n  %more = tmul %more, %here\n"
	"  %sum = tadd %sum, %more\n  tstore %sum, %l[0, 0]\n  %out = tload %o[0, 0]\n  %out = trowexpandmul %out, %before\n"
	"  %new = tload %pv[0, 0]\n  %new = trowexpandmul %new, %here\n  %out = tadd %out, %new\n  tstore %out, %o[0, 0]\n  return\n}\n"
	"func @divided(%o: !pto.memref<gm,...,f32>, %l: !pto.memref<gm,...,f32>, %out: !pto.memref<gm,...,f32>) {\n"
	"  %t = alloc_tile : !pto.tile<16x128xf32>\n  %sum = alloc_tile : !pto.tile<16x1xf32>\n"
	"  %t = tload %o[0, 0]\n  %sum = tload %l[0, 0]\n  %t = trowexpanddiv %t, %sum\n  tstore %t, %out[0, 0]\n  return\n}\n"
	"kernel @begin(%m: f32[16, 1] out, %l: f32[16, 1] out, %o: f32[16, 128] out) on vector { portable @nothing_yet }\n"
	"kernel @qk(%q: bf16[16, 128] in, %k: bf16[128, 128] in, %s: f32[16, 128] out) on cube { portable @scores }\n"
	"kernel @softmax(%s: f32[16, 128] in, %p: f32[16, 128] out, %m: f32[16, 1] out, %l: f32[16, 1] out) on vector { portable @exponentials }\n"
	"kernel @pv(%p: f32[16, 128] in, %v: bf16[128, 128] in, %pv: f32[16, 128] out) on cube { portable @weighted }\n"
	"kernel @update(%block_m: f32[16, 1] in, %block_l: f32[16, 1] in, %pv: f32[16, 128] in, %m: f32[16, 1] inout, %l: f32[16, 1] inout, "
	"%o: f32[16, 128] inout) on vector { portable @updated }\n"
	"kernel @finish(%o: f32[16, 128] in, %l: f32[16, 1] in, %out: f32[16, 128] out) on vector { portable @divided }\n";

static void tensors_print(FILE *f, uint32_t sequences, uint32_t blocks)
{
	fprintf(f, "module @paged\n\nslot %%page : i64 = 0\n\ntensor %%q : bf16[%u, 128] in\ntensor %%keys : bf16[%u, 128] in\ntensor %%values : bf16[%u, 128] in\n"
		   "tensor %%pages : i32[%u, %u] in\ntensor %%out : f32[%u, 128] out\n",
		16 * sequences, BENCH_PAGE * BENCH_PAGES, BENCH_PAGE * BENCH_PAGES, sequences, blocks, 16 * sequences);
	fprintf(f, "tensor %%m : f32[%u, 1] temp\ntensor %%l : f32[%u, 1] temp\ntensor %%o : f32[%u, 128] temp\n", 16 * sequences, 16 * sequences, 16 * sequences);
	fprintf(f, "tensor %%s : f32[16, 128] temp\ntensor %%p : f32[16, 128] temp\ntensor %%block_m : f32[16, 1] temp\n"
		   "tensor %%block_l : f32[16, 1] temp\ntensor %%pv : f32[16, 128] temp\n");
}

char *bench_sim_paged(uint32_t sequences, uint32_t blocks, size_t *size_out)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, size_out);

	if (!f)
		return NULL;
	tensors_print(f, sequences, blocks);
	fputs(kernels, f);
	fprintf(f, "workload @main {\n  parallel_for %%b in 0 to %u {\n    call @begin(%%m -> %%m[%%b * 16, 0], %%l -> %%l[%%b * 16, 0], %%o -> %%o[%%b * 16, 0])\n"
		   "    parallel_for %%j in 0 to %u {\n      slot_load %%page, %%pages[%%b, %%j]\n",
		sequences, blocks);
	fprintf(f, "      call @qk(%%q -> %%q[%%b * 16, 0], %%k -> %%keys[%%page * 128, 0], %%s -> %%s)\n"
		   "      call @softmax(%%s -> %%s, %%p -> %%p, %%m -> %%block_m, %%l -> %%block_l)\n"
		   "      call @pv(%%p -> %%p, %%v -> %%values[%%page * 128, 0], %%pv -> %%pv)\n"
		   "      call @update(%%block_m -> %%block_m, %%block_l -> %%block_l, %%pv -> %%pv, %%m -> %%m[%%b * 16, 0], %%l -> %%l[%%b * 16, 0], "
		   "%%o -> %%o[%%b * 16, 0])\n    }\n    call @finish(%%o -> %%o[%%b * 16, 0], %%l -> %%l[%%b * 16, 0], %%out -> %%out[%%b * 16, 0])\n  }\n}\n");
	if (!fclose(f))
		return text;
	free(text);
	return NULL;
}
