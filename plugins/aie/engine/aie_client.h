/* SPDX-License-Identifier: MIT */
/* aie_client.h - the bridge to XRT in this process, and the device that it opened: compiled once against the user's XRT and kept, or a file of his; met in a child first. One
 * thread per client. */
#ifndef AIE_CLIENT_H
#define AIE_CLIENT_H

#include "aie/bridge.h"
#include "aie/engine/aie_hardware.h"

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
