/* SPDX-License-Identifier: MIT */
/* xrt_hw_context.h - what the bridge uses of XRT's header of this name, over fake_xrt.h. */
#ifndef FAKE_XRT_HW_CONTEXT_H
#define FAKE_XRT_HW_CONTEXT_H

#include "xrt/xrt_device.h"

namespace xrt {

class hw_context {
public:
	hw_context() = default;
	hw_context(const device &on, const uuid &of) : handle(shared(fake_context_make(on.handle.get(), of.number), fake_context_close)) {}
	std::shared_ptr<fake_context> handle;
};

} // namespace xrt

#endif
