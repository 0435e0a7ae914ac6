/* SPDX-License-Identifier: MIT */
/* fake_cann_hal.c - libascend_hal.so for tests: fake_cann.c. */
#include "fake_cann.h"

#include <string.h>

int halMemCtl(int type, const void *in, uint64_t in_size, void *out, uint64_t *out_size)
{
	const AddrMapInPara *map = in;
	int rc = fake_cann_call("halMemCtl");

	if (rc)
		return rc;
	if (type || in_size != sizeof(*map) || (int)map->devid != fake_cann_device() || map->addr_type != ADDR_MAP_TYPE_REG_AIC_CTRL || !out ||
	    *out_size < sizeof(uint64_t))
		return fake_cann_wrong("halMemCtl of another device, or without room");
	memset(out, 0, *out_size);
	return 0;
}
