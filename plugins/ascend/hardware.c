/* SPDX-License-Identifier: MIT */
#include "ascend/hardware.h"

#include "base/error.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DRIVER "/usr/local/Ascend/driver/lib64"

struct ascend_places ascend_places(void)
{
	return (struct ascend_places){.home = secure_getenv("ASCEND_HOME_PATH"), .library = secure_getenv("LD_LIBRARY_PATH"), .root = ""};
}

/* A file in a folder (of `length` bytes) of `base`; its path, if it fits and is there. */
static bool in_folder(char *path, const char *base, const char *folder, size_t length, const char *file)
{
	int used = snprintf(path, ASCEND_HARDWARE_PATH, "%s%.*s/%s", base, (int)length, folder, file);

	return used > 0 && used < ASCEND_HARDWARE_PATH && !access(path, R_OK);
}

/* In one of the folders of a list with colons; an empty one is none. */
static bool in_folders(char *path, const char *base, const char *list, const char *file)
{
	for (const char *at = list; at && *at;) {
		size_t length = strcspn(at, ":");

		if (length && in_folder(path, base, at, length, file))
			return true;
		at += length + (at[length] == ':');
	}
	return false;
}

/* Folders of CANN's libraries. Source: host/CMakeLists.txt of the pto-runtime. */
#define TOOLKIT "/lib64:/runtime/lib64:/x86_64-linux/lib64:/aarch64-linux/lib64"

static ptowsp_status toolkit_find(struct ascend_hardware *found, const struct ascend_places *places, struct ptowsp_error *error)
{
	const char *missing = !in_folders(found->acl, places->home, TOOLKIT, "libascendcl.so")      ? "libascendcl.so"
			      : !in_folders(found->runtime, places->home, TOOLKIT, "libruntime.so") ? "libruntime.so"
												    : NULL;

	if (!missing)
		return PTOWSP_OK;
	return base_fail(error, PTOWSP_NO_DEVICE,
			 "no %s in lib64, runtime/lib64 and *-linux/lib64 of ASCEND_HOME_PATH=%.60s; name a CANN toolkit, 9.0 or newer", missing, places->home);
}

ptowsp_status ascend_hardware_find(struct ascend_hardware *found_out, const struct ascend_places *places, unsigned number, struct ptowsp_error *error)
{
	char folders[2 * ASCEND_HARDWARE_PATH];
	ptowsp_status status;

	*found_out = (struct ascend_hardware){.acl = ""};
	if (!places->home || !*places->home)
		return base_fail(error, PTOWSP_NO_DEVICE,
				 "ASCEND_HOME_PATH is not set, which says where CANN is: source set_env.sh of a CANN toolkit, or take "
				 "--plugin=a2a3sim, which needs none");
	status = toolkit_find(found_out, places, error);
	if (status)
		return status;
	snprintf(folders, sizeof(folders), "%s" DRIVER "/driver:%s" DRIVER, places->root, places->root);
	if (!in_folders(found_out->driver, "", places->library, "libascend_hal.so") && !in_folders(found_out->driver, "", folders, "libascend_hal.so"))
		return base_fail(error, PTOWSP_NO_DEVICE,
				 "no libascend_hal.so of the Ascend driver in LD_LIBRARY_PATH, %.60s" DRIVER "/driver and " DRIVER "; install the driver",
				 places->root);
	snprintf(found_out->device, sizeof(found_out->device), "%.400s/dev/davinci%u", places->root, number);
	if (access(found_out->device, F_OK))
		return base_fail(error, PTOWSP_NO_DEVICE, "no device %.100s; npu-smi info lists the devices that there are", found_out->device);
	if (access(found_out->device, R_OK | W_OK))
		return base_fail(error, PTOWSP_NO_DEVICE, "%.100s may not be opened by this user; join the group that owns it", found_out->device);
	return PTOWSP_OK;
}
