/* SPDX-License-Identifier: MIT */
/* xrt_kernel.h - what the bridge uses of XRT's header of this name, over fake_xrt.h. */
#ifndef FAKE_XRT_KERNEL_H
#define FAKE_XRT_KERNEL_H

#include <chrono>
#include <type_traits>
#include "xrt/xrt_bo.h"
#include "xrt/xrt_hw_context.h"

enum ert_cmd_state {
	ERT_CMD_STATE_NEW = 1, ERT_CMD_STATE_QUEUED = 2, ERT_CMD_STATE_RUNNING = 3, ERT_CMD_STATE_COMPLETED = 4, ERT_CMD_STATE_ERROR = 5, ERT_CMD_STATE_ABORT = 6,
	ERT_CMD_STATE_SUBMITTED = 7, ERT_CMD_STATE_TIMEOUT = 8, ERT_CMD_STATE_NORESPONSE = 9
};

namespace xrt {

class kernel {
public:
	kernel() = default;
	kernel(const hw_context &in, const std::string &name) : context(in)
	{
		must(fake_kernel(context.handle.get(), name.c_str()));
	}
	int group_id(int argument) const
	{
		return fake_group(context.handle.get(), argument);
	}
	hw_context context;
};

class run {
public:
	run() = default;
	explicit run(const kernel &of) : context(of.context), handle(shared(fake_run_make(of.context.handle.get()), fake_run_close)) {}
	template <typename Value>
	std::enable_if_t<std::is_integral_v<Value>> set_arg(int index, Value value)
	{
		must(fake_run_number(handle.get(), index, uint64_t(value)));
	}
	void set_arg(int index, const bo &data)
	{
		must(fake_run_bo(handle.get(), index, data.handle.get()));
	}
	void start()
	{
		must(fake_run_start(handle.get()));
	}
	ert_cmd_state wait(const std::chrono::milliseconds &ms) const
	{
		int state = fake_run_wait(handle.get(), unsigned(ms.count()));

		must(state);
		return ert_cmd_state(state);
	}
	ert_cmd_state state() const
	{
		return ert_cmd_state(fake_run_state(handle.get()));
	}
	ert_cmd_state abort()
	{
		must(fake_run_abort(handle.get()));
		return ERT_CMD_STATE_ABORT;
	}

private:
	hw_context context;
	std::shared_ptr<fake_run> handle;
};

} // namespace xrt

#endif
