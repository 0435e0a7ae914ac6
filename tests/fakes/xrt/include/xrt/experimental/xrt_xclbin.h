/* SPDX-License-Identifier: MIT */
/* xrt_xclbin.h - what the bridge uses of XRT's header of this name, over fake_xrt.h. */
#ifndef FAKE_XRT_XCLBIN_H
#define FAKE_XRT_XCLBIN_H

#include <vector>
#include "xrt/xrt_device.h"

namespace xrt {

class xclbin {
public:
	class kernel {
	public:
		explicit kernel(std::shared_ptr<fake_xclbin> of) : handle(std::move(of)) {}
		std::string get_name() const
		{
			return fake_xclbin_kernel(handle.get());
		}
		size_t get_num_args() const
		{
			return fake_xclbin_args(handle.get());
		}

	private:
		std::shared_ptr<fake_xclbin> handle;
	};
	explicit xclbin(const std::string &path) : handle(shared(fake_xclbin_open(path.c_str()), fake_xclbin_close)) {}
	std::vector<kernel> get_kernels() const
	{
		return {kernel(handle)};
	}
	uuid get_uuid() const
	{
		return uuid(fake_xclbin_number(handle.get()));
	}
	std::shared_ptr<fake_xclbin> handle;
};

} // namespace xrt

#endif
