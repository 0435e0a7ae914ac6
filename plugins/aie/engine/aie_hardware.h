/* SPDX-License-Identifier: MIT */
/* aie_hardware.h - what a machine needs to run a design on its array: the driver's device file, XRT, the compilers of mlir-aie. Files are looked for, nothing is loaded, opened or
 * started. Any thread. */
#ifndef AIE_HARDWARE_H
#define AIE_HARDWARE_H

#include "aie/bridge.h"
#include "ptowsp/base.h"
#include <stdbool.h>

#define AIE_PATH 1024

/* Places of hardware and tools; NULL and "": not stated. */
struct aie_places {
	const char *root;                              /* before /dev and before where XRT is installed */
	const char *xrt;                               /* folder of XRT with include and lib; else xilinx_xrt, else /opt/xilinx/xrt, else /usr */
	const char *peano;                             /* folder of Peano with bin/clang; else peano_install */
	const char *aiecc;                             /* the program; else aiecc in path */
	const char *xilinx_xrt, *peano_install, *path; /* XILINX_XRT, PEANO_INSTALL_DIR, PATH */
};
/* Places from the environment, which is not read under elevated privileges; the others are NULL. */
struct aie_places aie_places(void);

enum aie_piece_kind {
	AIE_PIECE_DRIVER,  /* /dev/accel/accel0 */
	AIE_PIECE_XRT,     /* libxrt_coreutil.so.2: found is its folder */
	AIE_PIECE_HEADERS, /* xrt/xrt_device.h: found is the folder with xrt/ */
	AIE_PIECE_AIECC,   /* the program */
	AIE_PIECE_PEANO,   /* bin/clang: found is Peano's folder */
	AIE_PIECES
};
struct aie_piece {
	char found[AIE_PATH]; /* "": it is not there, or not to be had */
	char missing[200];    /* then: what was looked for, where, and what to do */
};
/* Each by itself. */
void aie_pieces_find(struct aie_piece pieces_out[AIE_PIECES], const struct aie_places *places);
/* Errors: NO_DEVICE: the first of `count` kinds that is missing, as one sentence. */
ptowsp_status aie_pieces_need(const struct aie_piece pieces[AIE_PIECES], const enum aie_piece_kind *kinds, unsigned count, struct ptowsp_error *error);

/* The bridge to XRT in this process, and the device that it opened: compiled once against the user's XRT and kept, or a file of his; met in a child first. One
 * thread per client. */
struct aie_client_args {
	const struct aie_piece *pieces; /* DRIVER and XRT are there; HEADERS, too, where bridge is "" */
	const char *bridge;             /* file of a bridge, "": compile it */
	const char *cache;              /* as of base/cache.h */
};
struct aie_client {
	void *handle; /* of the library */
	const struct aie_bridge *bridge;
	void *device;
	struct aie_bridge_device about;
	char path[AIE_PATH]; /* of the bridge */
};
/* Fills a zeroed client; to be closed whatever comes out. Compilers: $CXX, $CC, else g++, gcc. Errors: NO_DEVICE: a compiler that is not there or refuses; a bridge that cannot
 * be loaded or is of another version; the child found no device, or ended by a signal; IO, INVALID: the cache. */
ptowsp_status aie_client_open(struct aie_client *client, const struct aie_client_args *args, struct ptowsp_error *error);
void aie_client_close(struct aie_client *client);
/* The bridge's failure as a sentence; step as in "load". */
ptowsp_status aie_client_fail(const struct aie_client *client, int32_t code, const struct aie_bridge_about *about, const char *step,
			      struct ptowsp_error *error);

#endif
