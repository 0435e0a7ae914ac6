/* SPDX-License-Identifier: MIT */
/* xrt_bo.h - what the bridge uses of XRT's header of this name, over fake_xrt.h. */
#ifndef FAKE_XRT_BO_H
#define FAKE_XRT_BO_H

#include "xrt/xrt_device.h"

enum xclBOSyncDirection { XCL_BO_SYNC_BO_TO_DEVICE = 0, XCL_BO_SYNC_BO_FROM_DEVICE = 1 };

namespace xrt {

using memory_group = uint32_t;

class bo {
public:
	enum class flags : uint32_t { normal = 0, cacheable = 1u << 24, host_only = 1u << 29 };
	bo() = default;
	bo(const device &on, size_t bytes, flags how, memory_group group) : handle(shared(fake_bo_make(on.handle.get(), bytes, uint32_t(how), group), fake_bo_close)) {}
	void *map()
	{
		void *data = fake_bo_map(handle.get());

		must(data ? 0 : -1);
		return data;
	}
	void sync(xclBOSyncDirection direction, size_t bytes, size_t offset)
	{
		must(fake_bo_sync(handle.get(), direction == XCL_BO_SYNC_BO_FROM_DEVICE, bytes, offset));
	}
	size_t size() const
	{
		return fake_bo_size(handle.get());
	}
	std::shared_ptr<fake_bo> handle;
};

} // namespace xrt

#endif
