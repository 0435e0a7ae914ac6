/* SPDX-License-Identifier: MIT */
/* exec.h - where a task runs, in four vocabularies: executor type (unit.def), execution domain, execution pool, core type. Each has
 * codes of its own: 0 is `any`, a host processor, the vector pool and the cube core. So none is ever cast or assigned to another: the functions below
 * translate, from exec.def and core.def. Needs <stdint.h> only; no library, for devices too. */
#ifndef PTOWSP_EXEC_H
#define PTOWSP_EXEC_H

#include <stdint.h>
#include "ids.h"

enum ptowsp_exec_domain {
#define X(name, code, text) PTOWSP_EXEC_DOMAIN_##name = code,
#include "domain.def"
#undef X
};
enum ptowsp_exec_pool {
#define X(name, code, text) PTOWSP_EXEC_POOL_##name = code,
#include "pool.def"
#undef X
};
enum ptowsp_core {
#define X(name, code, text, unit) PTOWSP_CORE_##name = code,
#include "core.def"
#undef X
};

/* All return 1 and the translation, or 0 where there is none: the code is unknown, or the other vocabulary has no word for it. */
static inline int ptowsp_domain_of_unit(enum ptowsp_unit unit, enum ptowsp_exec_domain *domain_out)
{
	switch (unit) {
#define X(unit, domain, pool) case PTOWSP_UNIT_##unit: *domain_out = PTOWSP_EXEC_DOMAIN_##domain; return 1;
#include "exec.def"
#undef X
	}
	return 0;
}
static inline int ptowsp_pool_of_unit(enum ptowsp_unit unit, enum ptowsp_exec_pool *pool_out)
{
	switch (unit) {
#define X(unit, domain, pool) case PTOWSP_UNIT_##unit: *pool_out = PTOWSP_EXEC_POOL_##pool; return 1;
#include "exec.def"
#undef X
	}
	return 0;
}
static inline int ptowsp_core_of_unit(enum ptowsp_unit unit, enum ptowsp_core *core_out)
{
	switch (unit) {
#define X(name, code, text, unit) case PTOWSP_UNIT_##unit: *core_out = PTOWSP_CORE_##name; return 1;
#include "core.def"
#undef X
	default: return 0;
	}
}
static inline int ptowsp_unit_of_core(enum ptowsp_core core, enum ptowsp_unit *unit_out)
{
	switch (core) {
#define X(name, code, text, unit) case PTOWSP_CORE_##name: *unit_out = PTOWSP_UNIT_##unit; return 1;
#include "core.def"
#undef X
	}
	return 0;
}

/* A stored integer as a code of the vocabulary; 0 if it is none. */
static inline int ptowsp_unit_read(uint32_t code, enum ptowsp_unit *unit_out)
{
	switch (code) {
#define X(name, code, text, pool) case code: *unit_out = PTOWSP_UNIT_##name; return 1;
#include "unit.def"
#undef X
	default: return 0;
	}
}
static inline int ptowsp_domain_read(uint32_t code, enum ptowsp_exec_domain *domain_out)
{
	switch (code) {
#define X(name, code, text) case code: *domain_out = PTOWSP_EXEC_DOMAIN_##name; return 1;
#include "domain.def"
#undef X
	default: return 0;
	}
}
static inline int ptowsp_pool_read(uint32_t code, enum ptowsp_exec_pool *pool_out)
{
	switch (code) {
#define X(name, code, text) case code: *pool_out = PTOWSP_EXEC_POOL_##name; return 1;
#include "pool.def"
#undef X
	default: return 0;
	}
}
static inline int ptowsp_core_read(uint32_t code, enum ptowsp_core *core_out)
{
	switch (code) {
#define X(name, code, text, unit) case code: *core_out = PTOWSP_CORE_##name; return 1;
#include "core.def"
#undef X
	default: return 0;
	}
}

#endif
