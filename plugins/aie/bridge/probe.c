/* SPDX-License-Identifier: MIT */
/* probe.c - a process that opens the device by the bridge and closes it again: XRT may abort where something is amiss with the driver, and then it is this process that
 * ends. Compiled on the user's machine beside the bridge. Arguments: the bridge, the device's number. Status 0: it can be opened, a line with its name is written; 2: the
 * bridge cannot be loaded; 3: there is no such device; a line says why. */
#include "bridge.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	void *handle = argc == 3 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL, *device;
	const struct aie_bridge *(*entry)(void) = NULL;
	const struct aie_bridge *bridge;
	struct aie_bridge_device found;
	struct aie_bridge_about about = {0};

	if (handle)
		*(void **)&entry = dlsym(handle, AIE_BRIDGE_ENTRY);
	bridge = entry ? entry() : NULL;
	if (!bridge || bridge->version != AIE_BRIDGE_VERSION || bridge->size < sizeof(*bridge)) {
		const char *why = dlerror();

		printf("%s\n", why ? why : "it is no bridge of this version");
		return 2;
	}
	if (bridge->open((uint32_t)atoi(argv[2]), &device, &found, &about)) {
		printf("%s\n", about.text);
		return 3;
	}
	bridge->close(device);
	printf("%s\n", found.name);
	return 0;
}
