/* SPDX-License-Identifier: MIT */
/* subject.h - what users run: a package opened, planned and loaded on a plugin by the host library, and packages made of source text in memory. */
#ifndef TOOLS_BENCH_SUBJECT_H
#define TOOLS_BENCH_SUBJECT_H

#include "host/ptowsp_host.h"
#include "lang/lang.h"
#include "tools/bench/bench.h"

/* The caller sets the first part, which is borrowed; bench_subject_open makes the second. */
struct bench_subject {
	const char *path; /* of the package; NULL: `bytes` has it */
	const void *bytes;
	size_t size;
	struct ptowsp_plan_options schedule;
	struct ptowsp_backend_options on; /* plugin, device, options, threads, isolation */
	uint32_t trust;                   /* PTOWSP_LOAD_x */
	struct ptowsp_backend *shared;    /* a backend that is open already; NULL: its own */

	struct ptowsp_package *package;
	struct ptowsp_plan *plan;
	struct ptowsp_backend *backend;
	struct ptowsp_program *program;
};
/* Close also after a failure. Errors: of opening, planning and loading. */
ptowsp_status bench_subject_open(struct bench_subject *subject, struct ptowsp_error *error);
void bench_subject_close(struct bench_subject *subject);
/* One run, prepared before the clock begins. flags: PTOWSP_RUN_NO_KERNELS or 0. *ns_out: from submitting it until it is done. */
ptowsp_status bench_subject_run(struct bench_subject *subject, uint32_t flags, bench_clock *clock, double *ns_out, struct ptowsp_error *error);

/* Sources to the bytes of a package, to be freed. files: folder of the files that they name, NULL: they name none. Errors: of compiling. */
ptowsp_status bench_pack(const struct lang_source *sources, uint32_t count, const char *files, void **bytes_out, size_t *size_out, struct ptowsp_error *error);
/* Path of a file of the build that the folder of packages lies in, e.g. "obj/tools/bench/native.so". */
const char *bench_build_path(const struct bench *bench, const char *file, char path[BENCH_PATH]);
/* The shapes are there, which no installation has. Errors: INVALID, with a sentence in bench->error. */
ptowsp_status bench_shapes_check(struct bench *bench);

#define BENCH_PACKAGE ".pkg.zst"
/* Calls take with each package of a folder, by name. Errors: IO with a sentence where there is none; those of take, which end the walk. */
ptowsp_status bench_packages_walk(struct bench *bench, const char *folder, ptowsp_status (*take)(struct bench *bench, const char *path, const char *name));

#endif
