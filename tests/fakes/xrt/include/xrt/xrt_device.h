/* SPDX-License-Identifier: MIT */
/* xrt_device.h - what the bridge uses of XRT's header of this name, over fake_xrt.h. */
#ifndef FAKE_XRT_DEVICE_H
#define FAKE_XRT_DEVICE_H

#include <memory>
#include <stdexcept>
#include <string>
#include "fake_xrt.h"

namespace xrt {

/* What was made is closed with the last that shares it; what was not made throws. */
template <typename T>
std::shared_ptr<T> shared(T *made, void (*close)(T *))
{
	if (!made)
		throw std::runtime_error(fake_xrt_why);
	return std::shared_ptr<T>(made, close);
}
inline void must(int code)
{
	if (code < 0)
		throw std::runtime_error(fake_xrt_why);
}

class uuid {
public:
	explicit uuid(unsigned n) : number(n) {}
	unsigned number;
};

namespace info {
enum class device : unsigned int { name };
}

class xclbin;

class device {
public:
	device() = default;
	explicit device(unsigned int index) : handle(shared(fake_device_open(index), fake_device_close)) {}
	template <info::device what>
	std::string get_info() const
	{
		return fake_device_name(handle.get());
	}
	uuid register_xclbin(const xclbin &file);
	std::shared_ptr<fake_device> handle;
};

} // namespace xrt

#include "xrt/experimental/xrt_xclbin.h"

inline xrt::uuid xrt::device::register_xclbin(const xrt::xclbin &file)
{
	must(fake_register(handle.get(), file.handle.get()));
	return file.get_uuid();
}

#endif
