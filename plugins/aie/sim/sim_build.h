/* SPDX-License-Identifier: MIT */
/* sim_build.h - a design as what the simulator runs. */
#ifndef AIE_SIM_BUILD_H
#define AIE_SIM_BUILD_H

#include "aie/ir/body.h"

/* Indices into the net of what a design has. */
struct aie_build {
	const struct aie_sim_args *args;
	struct aie_net *net;
	uint32_t *put;     /* [fifos]: lock of the producer's end, its first part; AIE_NONE on a shim */
	uint32_t **got;    /* [fifos][consumers] */
	uint32_t *ends;    /* [fifos]: the sender's end, behind it the receivers'; AIE_NONE: nothing moves */
	uint8_t **buffers; /* [buffers] */
	struct aie_body_core {
		struct aie_build *build;
		struct aie_body_outside outside;
		struct aie_body *body;
		uint32_t core;
	} * cores;
	struct ptowsp_error *error;
	jmp_buf out;          /* whatever fails while the net is made leaves by it */
	ptowsp_status status; /* why it was left; OK: there was no memory */
};
/* Fills a zeroed net; the build goes on living as long as it does. Errors: UNSUPPORTED, INVALID, NO_MEMORY; both are to be finished then, too. */
ptowsp_status aie_build_make(struct aie_build *build, const struct aie_sim_args *args, struct aie_net *net, struct ptowsp_error *error);
void aie_build_finish(struct aie_build *build);

/* ---- between its files */
void aie_build_locks(struct aie_build *build);
void aie_build_cores(struct aie_build *build);
/* Leaves with this status, whose sentence the error has. */
_Noreturn void aie_build_leave(struct aie_build *build, ptowsp_status status);
#define AIE_BUILD_FAIL(build, ...) aie_build_leave((build), base_fail((build)->error, __VA_ARGS__))

#endif
