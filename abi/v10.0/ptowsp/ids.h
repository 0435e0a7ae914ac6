/* SPDX-License-Identifier: MIT */
/* ids.h - the small enumerations that .def tables define; stored as fixed-width integers wherever they cross. */
#ifndef PTOWSP_IDS_H
#define PTOWSP_IDS_H

enum ptowsp_dtype {
#define X(name, code, bytes, cls, text, descr) PTOWSP_##name = code,
#include "dtype.def"
#undef X
};
enum ptowsp_unit {
#define X(name, code, text, pool) PTOWSP_UNIT_##name = code,
#include "unit.def"
#undef X
};
enum ptowsp_space {
#define X(name, code, text) PTOWSP_SPACE_##name = code,
#include "space.def"
#undef X
};
enum ptowsp_resource {
#define X(name, code, text, reason, capacity) PTOWSP_RESOURCE_##name = code,
#include "resource.def"
#undef X
	PTOWSP_RESOURCE_COUNT
};
enum ptowsp_payload {
#define X(name, code, text, trust) PTOWSP_PAYLOAD_##name = code,
#include "payload.def"
#undef X
};
enum ptowsp_directive {
#define X(name, code, text, meaning) PTOWSP_DIRECTIVE_##name = code,
#include "directive.def"
#undef X
};
enum ptowsp_policy {
#define X(directive, name, code, word, least, most, effect) PTOWSP_##directive##_##name = code,
#include "policy.def"
#undef X
};

#endif
