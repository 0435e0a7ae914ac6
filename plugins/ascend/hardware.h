/* SPDX-License-Identifier: MIT */
/* hardware.h - what a machine needs to run anything on an Ascend device: a CANN toolkit, the driver's library, the device. Files are looked for, nothing is
 * loaded or opened. */
#ifndef ASCEND_HARDWARE_H
#define ASCEND_HARDWARE_H

#include "ptowsp/base.h"

/* The places of the search. */
struct ascend_places {
	const char *home;    /* ASCEND_HOME_PATH; NULL: it is not set */
	const char *library; /* LD_LIBRARY_PATH; NULL: it is not set */
	const char *root;    /* before /usr/local/Ascend/driver and /dev; "": they lie where they do */
};
/* The places of this process; nothing of the environment under elevated privileges. */
struct ascend_places ascend_places(void);

#define ASCEND_HARDWARE_PATH 512
/* The result of the search. */
struct ascend_hardware {
	char acl[ASCEND_HARDWARE_PATH], runtime[ASCEND_HARDWARE_PATH]; /* libascendcl.so, libruntime.so of the toolkit */
	char driver[ASCEND_HARDWARE_PATH];                             /* libascend_hal.so */
	char device[ASCEND_HARDWARE_PATH];                             /* /dev/davinciN */
};
/* number: N. Errors: NO_DEVICE: the first that is missing, in the order of the struct, where it was looked for and what to do. */
ptowsp_status ascend_hardware_find(struct ascend_hardware *found_out, const struct ascend_places *places, unsigned number, struct ptowsp_error *error);

#endif
