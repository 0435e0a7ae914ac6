/* SPDX-License-Identifier: MIT */
/* bridge.h - what the C plugin and the C++ bridge to XRT say to each other: a table of functions and records of fixed layout. Compiled by both, the bridge on the user's
 * machine against his XRT (bridge/xrt.cc); nothing else of this tree is needed there. No exception crosses, and nobody but the maker frees what he made. */
#ifndef AIE_BRIDGE_H
#define AIE_BRIDGE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define AIE_BRIDGE_ASSERT(what, text) static_assert(what, text)
#else
#define AIE_BRIDGE_ASSERT(what, text) _Static_assert(what, text)
#endif

#define AIE_BRIDGE_VERSION 1u
#define AIE_BRIDGE_ENTRY   "ptowsp_aie_bridge" /* const struct aie_bridge *(void) */
#define AIE_BRIDGE_TEXT    160
#define AIE_BRIDGE_BUFFERS 64u /* most of a design */

enum {
	AIE_BRIDGE_OK = 0,
	AIE_BRIDGE_BUSY = 1,       /* of wait: the time is over, the run is not */
	AIE_BRIDGE_NO_DEVICE = -1, /* the driver has none, or it is not to be had */
	AIE_BRIDGE_REFUSED = -2,   /* the artifact or what was asked of it: not for this device, its firmware, this XRT */
	AIE_BRIDGE_NO_MEMORY = -3,
	AIE_BRIDGE_FAILED = -4, /* the run ended otherwise than complete: about->state says how */
	AIE_BRIDGE_LOST = -5,   /* anything else that XRT throws */
};

/* The failure in XRT's words. Filled with every code below 0. */
struct aie_bridge_about {
	int32_t state; /* ert_cmd_state of a run that failed, else 0 */
	uint32_t reserved;
	char text[AIE_BRIDGE_TEXT]; /* ends with a 0 */
};
struct aie_bridge_artifact {
	const char *xclbin;    /* path */
	const char *kernel;    /* its kernel's name begins with that */
	const uint32_t *words; /* instructions of the sequence */
	uint64_t word_count;
	const uint64_t *bytes; /* per argument of the sequence: of its buffer */
	uint32_t buffer_count; /* at most AIE_BRIDGE_BUFFERS */
	uint32_t opcode;       /* the kernel's first argument: 3 */
};
struct aie_bridge_device {
	char name[128]; /* as XRT calls it, ends with a 0; "": it does not say */
};

/* Each function but close and unload gives a code and fills about where that is below 0. One thread at a time per device. */
struct aie_bridge {
	uint32_t version; /* AIE_BRIDGE_VERSION */
	uint32_t size;    /* of this struct */
	/* Device `index`; to be closed. */
	int32_t (*open)(uint32_t index, void **device_out, struct aie_bridge_device *device_about_out, struct aie_bridge_about *about);
	void (*close)(void *device);
	/* The artifact as a context of its own, with its kernel, instructions and buffers; to be unloaded, before the device is closed. artifact is borrowed for the call. */
	int32_t (*load)(void *device, const struct aie_bridge_artifact *artifact, void **design_out, struct aie_bridge_about *about);
	void (*unload)(void *design);
	/* The host's address of a buffer; valid until unload. */
	int32_t (*map)(void *design, uint32_t buffer, void **data_out, struct aie_bridge_about *about);
	/* give: the host's writes go to the device; take: the device's writes come to the host. */
	int32_t (*give)(void *design, uint32_t buffer, struct aie_bridge_about *about);
	int32_t (*take)(void *design, uint32_t buffer, struct aie_bridge_about *about);
	/* One run, from the first word; no other is under way. Then wait until it gives something else than BUSY, or stop. ms at least 1. */
	int32_t (*start)(void *design, struct aie_bridge_about *about);
	int32_t (*wait)(void *design, uint32_t ms, struct aie_bridge_about *about);
	/* Ends a run that is under way. A code below 0: it may still be, and nothing but unload may follow. */
	int32_t (*stop)(void *design, struct aie_bridge_about *about);
};

AIE_BRIDGE_ASSERT(sizeof(struct aie_bridge_about) == 168 && offsetof(struct aie_bridge_about, text) == 8, "layout of a bridge's about");
AIE_BRIDGE_ASSERT(sizeof(struct aie_bridge_artifact) == 48 && offsetof(struct aie_bridge_artifact, word_count) == 24 &&
			  offsetof(struct aie_bridge_artifact, buffer_count) == 40,
		  "layout of a bridge's artifact");
AIE_BRIDGE_ASSERT(sizeof(struct aie_bridge_device) == 128, "layout of a bridge's device");
AIE_BRIDGE_ASSERT(sizeof(struct aie_bridge) == 88 && offsetof(struct aie_bridge, open) == 8 && offsetof(struct aie_bridge, stop) == 80, "layout of a bridge");

#ifdef __cplusplus
}
#endif

#endif
