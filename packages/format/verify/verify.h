/* SPDX-License-Identifier: MIT */
/* verify.h - the tables of a decoded package against records.def, and the rules between fields. */
#ifndef FORMAT_VERIFY_H
#define FORMAT_VERIFY_H

#include <stdbool.h>

#include "format/fail.h"
#include "format/format_package.h"
#include "format/schema.h"

#define PKG_BLOB_ALIGNMENT 64u /* of payloads and sample data in their sections */

/* The package that is verified: tables of native records plus what is not in them. */
struct pkg_check {
	struct pkg_place place;
	const struct pkg_tables *tables;
	const char *abi;      /* wsp_runtime_abi of the header */
	uint64_t sample_size; /* bytes of TBLB, which is not decoded here */
};

/* STRS alone: begins with the empty string, ends in NUL, is UTF-8 without control characters but tab and newline. */
ptowsp_status pkg_verify_strings(const struct pkg_check *check);
/* Every field of every table by its kind. Needs verified strings. */
ptowsp_status pkg_verify_tables(const struct pkg_check *check);
/* Rules that a single field cannot state. Needs verified tables. */
ptowsp_status pkg_verify_rules(const struct pkg_check *check);

/* Kernels and their payloads (verify_kernels.c). */
ptowsp_status pkg_verify_kernels(const struct pkg_check *check);
ptowsp_status pkg_verify_payloads(const struct pkg_check *check);
/* Portable payloads take what the kernels that have them are called with. Needs verified payloads and parameters. */
ptowsp_status pkg_verify_portable(const struct pkg_check *check);
/* Tensors that tasks hand to portable payloads: element types, and each access that a payload makes is one that its task states. Needs verified payloads, regions and WORK's lists. */
ptowsp_status pkg_verify_tasks(const struct pkg_check *check);
/* Directives (verify_schedule.c). Needs verified expressions. */
ptowsp_status pkg_verify_schedule(const struct pkg_check *check);
/* Sample data (verify_samples.c). Needs verified expressions. */
ptowsp_status pkg_verify_samples(const struct pkg_check *check);
/* verify_pipeline.c: the part about channels and processes. instructions: of a checked WORK. */
ptowsp_status pkg_verify_pipeline(const struct pkg_check *check, uint32_t instructions);
/* Layouts of kernel parameters (layouts.c). Needs verified tables. */
ptowsp_status pkg_verify_layouts(const struct pkg_check *check);
/* Orders of tensors in memory (layouts.c). Needs verified tables. */
ptowsp_status pkg_verify_memories(const struct pkg_check *check);
/* Orders that kernel parameters take (layouts.c). Needs verified tables and layouts. */
ptowsp_status pkg_verify_param_memories(const struct pkg_check *check);

/* 1 if offset is the first byte of a string of STRS. */
bool pkg_verify_is_string(const struct pkg_check *check, uint64_t offset);

#endif
