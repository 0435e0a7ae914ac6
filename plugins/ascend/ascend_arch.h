/* SPDX-License-Identifier: MIT */
/* ascend_arch.h - the machines: Ascend 910B, 910C and 950 as data. Constant; any thread. */
#ifndef ASCEND_ARCH_H
#define ASCEND_ARCH_H

#include "base/models.h"

/* X(architecture, name of its devices without the number, its column of platform.def, text for people) */
#define ASCEND_ARCHS(X)                                                                                                                                        \
	X(910B, "910b", A2, "Ascend 910B (A2), 24 cube and 48 vector cores")                                                                                   \
	X(910C, "910c", A3, "one die of Ascend 910C (A3), 24 cube and 48 vector cores")                                                                        \
	X(950, "950", A5, "Ascend 950 (A5), 36 cube and 72 vector cores")
enum ascend_arch_id {
#define X(id, name, platform, text) ASCEND_##id,
	ASCEND_ARCHS(X)
#undef X
		ASCEND_ARCH_COUNT
};
/* Every number of ascend_arch.def by its name as a constant: ASCEND_910B_clusters ... */
enum {
#define X(arch, number, value, source) ASCEND_##arch##_##number = value,
#include "ascend/ascend_arch.def"
#undef X
};

/* A machine of one device. Sources of the numbers stand in ascend_arch.def. */
struct ascend_arch {
	const char *name; /* "910b": its devices are 910b-0, 910b-1 */
	const char *text;
	uint32_t clusters;          /* of one cube core (AIC) and */
	uint32_t vectors_each;      /* so many vector cores (AIV) */
	uint32_t first_cube;        /* number of the cube core of cluster 0; the others follow */
	uint32_t first_vector;      /* number of the first vector core of cluster 0; those of cluster i begin at + i * vectors_each */
	uint32_t aicpus;            /* threads that generate and schedule unless an option says otherwise */
	uint32_t aicpus_most;       /* threads that there are */
	uint32_t clock_mhz;         /* of the cores: the clock of all cycles */
	uint32_t counter_mhz;       /* of the system counter, in which hardware stamps times */
	uint32_t ub;                /* unified buffer of a vector core, bytes */
	uint32_t l1, l0a, l0b, l0c; /* of a cube core, bytes */
	uint32_t block;             /* bytes; tiles in these memories begin at multiples of it */
	uint32_t l2_mib, hbm_mib;   /* MiB of the device; 0: what there is */
	uint32_t rings;             /* task rings: a task goes to ring min(scope depth, rings - 1) */
	uint32_t ring_tasks;        /* slots of a ring, a power of two */
	uint32_t ring_heap;         /* bytes of outputs of a ring */
	uint32_t ring_deps;         /* entries of a ring's dependency list pool */
	uint32_t map_entries;       /* of the tensor map */
	uint32_t scope_depth;       /* scopes in scopes */
	uint32_t ready_tasks;       /* of a ready queue; there is one per shape */
};
const struct ascend_arch *ascend_arch(enum ascend_arch_id id);

static inline uint32_t ascend_arch_vectors(const struct ascend_arch *arch)
{
	return arch->clusters * arch->vectors_each;
}
static inline uint32_t ascend_arch_cores(const struct ascend_arch *arch)
{
	return arch->clusters + ascend_arch_vectors(arch);
}
/* Cycles of the cores' clock in a time, rounded to the nearest and up from a half; at least 1 unless the time is 0. ns <= 2^32. */
uint64_t ascend_arch_cycles(const struct ascend_arch *arch, uint64_t ns);

/* Engines for tasks of the same machine, and their cycles: the machine of machine.h with one of three models of kernels (in the order of enum ascend_model),
 * rt's threads and clock, or a pto-runtime, simulated or on the hardware, which tells no times: plan_clock.h. In the order of ascend_pto_variants. */
enum ascend_kind {
	ASCEND_MACHINE,
	ASCEND_REFERENCE = ASCEND_MACHINE + 3,
	ASCEND_PTO_SIMULATED,
	ASCEND_PTO_ONBOARD = ASCEND_PTO_SIMULATED + 2,
	ASCEND_KIND_COUNT = ASCEND_PTO_ONBOARD + 2
};
enum { ASCEND_DEVICES_EACH = 2, ASCEND_DEVICE_COUNT = ASCEND_ARCH_COUNT * ASCEND_DEVICES_EACH };
/* The devices of a backend, ASCEND_DEVICE_COUNT of them: 910b-0, 910b-1, 910c-0 ..., those of architecture `first` before the others. Two of each,
 * because what one tells the other needs a second one. */
const struct base_model *ascend_models(enum ascend_kind kind, enum ascend_arch_id first);
/* The architecture of a model. */
enum ascend_arch_id ascend_model_id(const struct base_model *model);
static inline const struct ascend_arch *ascend_model_arch(const struct base_model *model)
{
	return ascend_arch(ascend_model_id(model));
}

/* Rows for the instructions behind those of task graphs that platform.def calls unsupported on A2 and A3: no device there tells another one anything. */
#define ASCEND_CAPS_ALONE BASE_CAP(PTOWSP_FEATURE_OPCODE(PTOWSP_OP_NOTIFY), UNSUPPORTED), BASE_CAP(PTOWSP_FEATURE_OPCODE(PTOWSP_OP_WAIT_NOTIFY), UNSUPPORTED)

#endif
