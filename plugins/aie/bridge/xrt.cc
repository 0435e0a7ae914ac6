/* SPDX-License-Identifier: MIT */
/* xrt.cc - bridge.h by XRT's C++ interface: C++17, compiled where XRT is. An array is driven with xclbin, hardware context and kernel; XRT's C interface
 * cannot do that for it. What XRT throws becomes a code and a text here; what makes it abort was looked for before (hardware.h) and is met in a child first (probe.c). */
#include "bridge.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "xrt/xrt_bo.h"
#include "xrt/xrt_device.h"
#include "xrt/xrt_hw_context.h"
#include "xrt/xrt_kernel.h"
#include "xrt/experimental/xrt_xclbin.h"

namespace {

/* Arguments of the kernel before the buffers: opcode, instructions, their number. */
enum { ARGUMENT_OPCODE, ARGUMENT_WORDS, ARGUMENT_WORD_COUNT, ARGUMENT_BUFFERS };

struct device {
	xrt::device xrt;
};

/* Members go in the reverse order: the run first, the context last. */
struct design {
	xrt::hw_context context;
	xrt::kernel kernel;
	xrt::bo words;
	std::vector<xrt::bo> buffers;
	uint32_t opcode = 0;
	uint32_t word_count = 0;
	xrt::run run;
};

void say(aie_bridge_about *about, const char *step, const char *what, int32_t state = 0)
{
	about->state = state;
	about->reserved = 0;
	std::snprintf(about->text, sizeof(about->text), "%s: %s", step, what);
}

/* Does it; what it throws becomes `code`. */
template <typename Step>
int32_t guarded(aie_bridge_about *about, const char *name, int32_t code, Step step)
{
	try {
		return step();
	} catch (const std::bad_alloc &) {
		say(about, name, "no memory");
		return AIE_BRIDGE_NO_MEMORY;
	} catch (const std::exception &error) {
		say(about, name, error.what());
	} catch (...) {
		say(about, name, "something was thrown that is no std::exception");
	}
	return code;
}

void text_copy(char *to, size_t room, const std::string &from)
{
	std::snprintf(to, room, "%s", from.c_str());
}

/* ---- the device --------------------------------------------------------------------------------------------------------- */

int32_t device_open(uint32_t index, void **device_out, aie_bridge_device *device_about_out, aie_bridge_about *about)
{
	*device_out = nullptr;
	*device_about_out = {};
	return guarded(about, "xrt::device", AIE_BRIDGE_NO_DEVICE, [&] {
		auto opened = new device{xrt::device(index)};

		*device_out = opened;
		try {
			text_copy(device_about_out->name, sizeof(device_about_out->name), opened->xrt.get_info<xrt::info::device::name>());
		} catch (const std::exception &) {
			device_about_out->name[0] = 0; /* it runs without a name */
		}
		return int32_t(AIE_BRIDGE_OK);
	});
}

void device_close(void *opened)
{
	delete static_cast<device *>(opened);
}

/* ---- a design ----------------------------------------------------------------------------------------------------------- */

/* The name of the kernel, and whether it takes so many buffers: XRT dies of more, without a word. */
int32_t kernel_find(const xrt::xclbin &xclbin, const aie_bridge_artifact *artifact, std::string &name, aie_bridge_about *about)
{
	char text[AIE_BRIDGE_TEXT];

	for (const auto &kernel : xclbin.get_kernels()) {
		name = kernel.get_name();
		if (name.rfind(artifact->kernel, 0) != 0)
			continue;
		if (kernel.get_num_args() >= ARGUMENT_BUFFERS + artifact->buffer_count)
			return AIE_BRIDGE_OK;
		std::snprintf(text, sizeof(text), "kernel %.40s takes %zu arguments, with %u buffers it has %u; compile with mlir-aie 1.4.3 or newer", name.c_str(),
			      size_t(kernel.get_num_args()), artifact->buffer_count, ARGUMENT_BUFFERS + artifact->buffer_count);
		say(about, "xclbin", text);
		return AIE_BRIDGE_REFUSED;
	}
	std::snprintf(text, sizeof(text), "no kernel whose name begins with %.60s", artifact->kernel);
	say(about, "xclbin", text);
	return AIE_BRIDGE_REFUSED;
}

int32_t context_make(device *opened, design *made, const aie_bridge_artifact *artifact, aie_bridge_about *about)
{
	const char *step = "xrt::xclbin";

	return guarded(about, step, AIE_BRIDGE_REFUSED, [&] {
		xrt::xclbin xclbin{std::string(artifact->xclbin)};
		std::string name;
		int32_t code = kernel_find(xclbin, artifact, name, about);

		if (code)
			return code;
		return guarded(about, "register_xclbin, hw_context, kernel", AIE_BRIDGE_REFUSED, [&] {
			opened->xrt.register_xclbin(xclbin);
			made->context = xrt::hw_context(opened->xrt, xclbin.get_uuid());
			made->kernel = xrt::kernel(made->context, name);
			return int32_t(AIE_BRIDGE_OK);
		});
	});
}

int32_t buffers_make(device *opened, design *made, const aie_bridge_artifact *artifact, aie_bridge_about *about)
{
	return guarded(about, "xrt::bo", AIE_BRIDGE_NO_MEMORY, [&] {
		size_t size = size_t(artifact->word_count) * sizeof(uint32_t);

		made->words = xrt::bo(opened->xrt, size, xrt::bo::flags::cacheable, made->kernel.group_id(ARGUMENT_WORDS));
		std::memcpy(made->words.map(), artifact->words, size);
		made->words.sync(XCL_BO_SYNC_BO_TO_DEVICE, size, 0);
		for (uint32_t b = 0; b < artifact->buffer_count; b++)
			made->buffers.emplace_back(opened->xrt, size_t(artifact->bytes[b]), xrt::bo::flags::host_only, made->kernel.group_id(int(ARGUMENT_BUFFERS + b)));
		made->opcode = artifact->opcode;
		made->word_count = uint32_t(artifact->word_count);
		return int32_t(AIE_BRIDGE_OK);
	});
}

void design_unload(void *loaded)
{
	auto made = static_cast<design *>(loaded);

	aie_bridge_about about;
	guarded(&about, "unload", AIE_BRIDGE_LOST, [&] {
		delete made;
		return int32_t(AIE_BRIDGE_OK);
	});
}

int32_t design_load(void *opened, const aie_bridge_artifact *artifact, void **design_out, aie_bridge_about *about)
{
	auto made = new (std::nothrow) design;
	int32_t code;

	*design_out = nullptr;
	if (!made) {
		say(about, "load", "no memory");
		return AIE_BRIDGE_NO_MEMORY;
	}
	code = context_make(static_cast<device *>(opened), made, artifact, about);
	if (!code)
		code = buffers_make(static_cast<device *>(opened), made, artifact, about);
	if (code)
		design_unload(made);
	else
		*design_out = made;
	return code;
}

/* ---- buffers ------------------------------------------------------------------------------------------------------------ */

int32_t buffer_map(void *loaded, uint32_t buffer, void **data_out, aie_bridge_about *about)
{
	*data_out = nullptr;
	return guarded(about, "xrt::bo::map", AIE_BRIDGE_LOST, [&] {
		*data_out = static_cast<design *>(loaded)->buffers.at(buffer).map();
		return int32_t(AIE_BRIDGE_OK);
	});
}

int32_t buffer_sync(void *loaded, uint32_t buffer, xclBOSyncDirection direction, aie_bridge_about *about)
{
	return guarded(about, "xrt::bo::sync", AIE_BRIDGE_LOST, [&] {
		auto &bo = static_cast<design *>(loaded)->buffers.at(buffer);

		bo.sync(direction, bo.size(), 0);
		return int32_t(AIE_BRIDGE_OK);
	});
}

int32_t buffer_give(void *loaded, uint32_t buffer, aie_bridge_about *about)
{
	return buffer_sync(loaded, buffer, XCL_BO_SYNC_BO_TO_DEVICE, about);
}

int32_t buffer_take(void *loaded, uint32_t buffer, aie_bridge_about *about)
{
	return buffer_sync(loaded, buffer, XCL_BO_SYNC_BO_FROM_DEVICE, about);
}

/* ---- a run -------------------------------------------------------------------------------------------------------------- */

int32_t run_start(void *loaded, aie_bridge_about *about)
{
	auto made = static_cast<design *>(loaded);

	return guarded(about, "xrt::run", AIE_BRIDGE_LOST, [&] {
		made->run = xrt::run(made->kernel);
		made->run.set_arg(ARGUMENT_OPCODE, made->opcode);
		made->run.set_arg(ARGUMENT_WORDS, made->words);
		made->run.set_arg(ARGUMENT_WORD_COUNT, made->word_count);
		for (size_t b = 0; b < made->buffers.size(); b++)
			made->run.set_arg(int(ARGUMENT_BUFFERS + b), made->buffers[b]);
		made->run.start();
		return int32_t(AIE_BRIDGE_OK);
	});
}

/* XRT says TIMEOUT both for its own clock and for a command that the driver gave up: of the latter the run's state says it, too. */
int32_t run_wait(void *loaded, uint32_t ms, aie_bridge_about *about)
{
	auto made = static_cast<design *>(loaded);

	return guarded(about, "xrt::run::wait", AIE_BRIDGE_LOST, [&] {
		auto state = made->run.wait(std::chrono::milliseconds(ms));

		if (state == ERT_CMD_STATE_COMPLETED)
			return int32_t(AIE_BRIDGE_OK);
		if (state == ERT_CMD_STATE_TIMEOUT && made->run.state() != ERT_CMD_STATE_TIMEOUT)
			return int32_t(AIE_BRIDGE_BUSY);
		say(about, "xrt::run::wait", "the command did not complete", int32_t(state));
		return int32_t(AIE_BRIDGE_FAILED);
	});
}

int32_t run_stop(void *loaded, aie_bridge_about *about)
{
	return guarded(about, "xrt::run::abort", AIE_BRIDGE_LOST, [&] {
		static_cast<design *>(loaded)->run.abort();
		return int32_t(AIE_BRIDGE_OK);
	});
}

const aie_bridge bridge = {AIE_BRIDGE_VERSION, sizeof(aie_bridge), device_open, device_close, design_load, design_unload, buffer_map,
			   buffer_give, buffer_take, run_start, run_wait, run_stop};

} // namespace

extern "C" __attribute__((visibility("default"))) const aie_bridge *ptowsp_aie_bridge(void)
{
	return &bridge;
}
