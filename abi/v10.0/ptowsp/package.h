/* SPDX-License-Identifier: MIT */
/* package.h - section types and the records of their tables, made from records.def. */
#ifndef PTOWSP_PACKAGE_H
#define PTOWSP_PACKAGE_H

#include "base.h"
#include "ids.h"

/* A section type is its four letters, the first one lowest. */
#define PTOWSP_SECTION(a, b, c, d) \
	((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
enum {
	PTOWSP_SECTION_META = PTOWSP_SECTION('M', 'E', 'T', 'A'), PTOWSP_SECTION_STRS = PTOWSP_SECTION('S', 'T', 'R', 'S'),
	PTOWSP_SECTION_KREG = PTOWSP_SECTION('K', 'R', 'E', 'G'), PTOWSP_SECTION_KPRM = PTOWSP_SECTION('K', 'P', 'R', 'M'),
	PTOWSP_SECTION_KPAY = PTOWSP_SECTION('K', 'P', 'A', 'Y'), PTOWSP_SECTION_KVAR = PTOWSP_SECTION('K', 'V', 'A', 'R'),
	PTOWSP_SECTION_CODE = PTOWSP_SECTION('C', 'O', 'D', 'E'), PTOWSP_SECTION_TENS = PTOWSP_SECTION('T', 'E', 'N', 'S'),
	PTOWSP_SECTION_DIMS = PTOWSP_SECTION('D', 'I', 'M', 'S'), PTOWSP_SECTION_SLOT = PTOWSP_SECTION('S', 'L', 'O', 'T'),
	PTOWSP_SECTION_EXPR = PTOWSP_SECTION('E', 'X', 'P', 'R'), PTOWSP_SECTION_AXES = PTOWSP_SECTION('A', 'X', 'E', 'S'),
	PTOWSP_SECTION_TLVL = PTOWSP_SECTION('T', 'L', 'V', 'L'), PTOWSP_SECTION_LVLS = PTOWSP_SECTION('L', 'V', 'L', 'S'),
	PTOWSP_SECTION_REGN = PTOWSP_SECTION('R', 'E', 'G', 'N'), PTOWSP_SECTION_WORK = PTOWSP_SECTION('W', 'O', 'R', 'K'),
	PTOWSP_SECTION_ENTR = PTOWSP_SECTION('E', 'N', 'T', 'R'), PTOWSP_SECTION_ESYM = PTOWSP_SECTION('E', 'S', 'Y', 'M'),
	PTOWSP_SECTION_SCHD = PTOWSP_SECTION('S', 'C', 'H', 'D'), PTOWSP_SECTION_REQS = PTOWSP_SECTION('R', 'E', 'Q', 'S'),
	PTOWSP_SECTION_TDAT = PTOWSP_SECTION('T', 'D', 'A', 'T'), PTOWSP_SECTION_TBLB = PTOWSP_SECTION('T', 'B', 'L', 'B'),
	PTOWSP_SECTION_DBGI = PTOWSP_SECTION('D', 'B', 'G', 'I'),
	PTOWSP_SECTION_CSPC = PTOWSP_SECTION('C', 'S', 'P', 'C'), PTOWSP_SECTION_PROC = PTOWSP_SECTION('P', 'R', 'O', 'C'),
	PTOWSP_SECTION_PRCH = PTOWSP_SECTION('P', 'R', 'C', 'H'),
	PTOWSP_SECTION_AXVL = PTOWSP_SECTION('A', 'X', 'V', 'L'), PTOWSP_SECTION_EVNT = PTOWSP_SECTION('E', 'V', 'N', 'T'),
	PTOWSP_SECTION_GRPH = PTOWSP_SECTION('G', 'R', 'P', 'H'), PTOWSP_SECTION_CALL = PTOWSP_SECTION('C', 'A', 'L', 'L'),
	PTOWSP_SECTION_CARG = PTOWSP_SECTION('C', 'A', 'R', 'G'), PTOWSP_SECTION_KLAY = PTOWSP_SECTION('K', 'L', 'A', 'Y'),
	PTOWSP_SECTION_TMEM = PTOWSP_SECTION('T', 'M', 'E', 'M'), PTOWSP_SECTION_KMEM = PTOWSP_SECTION('K', 'M', 'E', 'M')
};

enum { PTOWSP_PARAM_TENSOR = 0, PTOWSP_PARAM_SCALAR = 1 };
enum { PTOWSP_ROLE_IN = 0, PTOWSP_ROLE_OUT = 1, PTOWSP_ROLE_INOUT = 2, PTOWSP_ROLE_TEMP = 3, PTOWSP_ROLE_CONST = 4 };
enum { PTOWSP_TENSOR_SHAPELESS = 1, PTOWSP_TENSOR_REPLICATED = 2 };
enum { PTOWSP_MEMORY_ROW_MAJOR = 0, PTOWSP_MEMORY_COL_MAJOR = 1, PTOWSP_MEMORY_BLOCKED = 2, PTOWSP_MEMORY_NZ = 3, PTOWSP_MEMORY_STRIDED = 4 };
enum { PTOWSP_SLOT_SYMBOL = 0, PTOWSP_SLOT_SLOT = 1 };
enum { PTOWSP_SLOT_HAS_DEFAULT = 1, PTOWSP_SLOT_INTERNAL = 2 };
enum { PTOWSP_AXIS_DENSE = 0, PTOWSP_AXIS_DENSE_DYN = 1, PTOWSP_AXIS_RAGGED = 2, PTOWSP_AXIS_SPARSE = 3 };
enum { PTOWSP_ENTRY_DEFAULT = 1, PTOWSP_ENTRY_KERNEL = 2, PTOWSP_ENTRY_PIPELINE = 4 };
enum { PTOWSP_CHANNEL_TOKEN = 0, PTOWSP_CHANNEL_PAYLOAD = 1 };
enum { PTOWSP_CHANNEL_PRODUCES = 0, PTOWSP_CHANNEL_CONSUMES = 1 };
enum { PTOWSP_DIRECTIVE_MUST = 1 };
enum { PTOWSP_ARGUMENT_NUMBER = 0, PTOWSP_ARGUMENT_WORD = 1, PTOWSP_ARGUMENT_EXPR = 2 };
enum { PTOWSP_SAMPLE_INPUT = 0, PTOWSP_SAMPLE_EXPECTED = 1 };
enum { PTOWSP_KERNEL_MEASURED = 1 };

#define BYTES(SECT, text)
#define TABLE(SECT, record, text) struct ptowsp_##record##_record {
#define FIELD(type, name, kind, argument, text) type name;
#define END(SECT, record, bytes) };
#include "records.def"
#undef BYTES
#undef TABLE
#undef FIELD
#undef END
#define BYTES(SECT, text)
#define TABLE(SECT, record, text)
#define FIELD(type, name, kind, argument, text)
#define END(SECT, record, bytes) \
	PTOWSP_STATIC_ASSERT(sizeof(struct ptowsp_##record##_record) == (bytes), "layout of section " #SECT);
#include "records.def"
#undef BYTES
#undef TABLE
#undef FIELD
#undef END

#endif
