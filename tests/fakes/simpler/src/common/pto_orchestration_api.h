/* SPDX-License-Identifier: MIT */
/* pto_orchestration_api.h - what plugins/ascend/orchestration and emitted trees use of the pto-runtime's header of this name: names and signatures as there, bodies and private layout
 * ours, for the fake runtime of tests/fakes. Records that cross to kernels and hosts have the runtime's layout, asserted. The layout of argument lists is that
 * of fake_api.h. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define PTO2_ERROR_INVALID_ARGS 5

constexpr int MAX_TENSOR_ARGS = 32;
constexpr int MAX_SCALAR_ARGS = 16;
constexpr int CHIP_MAX_TENSOR_ARGS = 256;
constexpr int CHIP_MAX_SCALAR_ARGS = 128;
constexpr int MAX_TENSOR_DIMS = 5;
constexpr int32_t INVALID_KERNEL_ID = -1;

enum class DataType : uint8_t { FLOAT32, FLOAT16, INT32, INT16, INT8, UINT8, BFLOAT16, INT64, UINT64, UINT16, UINT32, BOOL };
enum class AddressSpace : uint8_t { HOST = 0, DEVICE = 1 };
enum class TensorArgType : int32_t { INPUT = 0, OUTPUT = 1, INOUT = 2, OUTPUT_EXISTING = 3, NO_DEP = 4 };
enum class PTO2ScopeMode : uint8_t { AUTO = 0, MANUAL = 1 };

static inline uint64_t get_element_size(DataType dtype)
{
	constexpr uint8_t sizes[] = {4, 2, 4, 2, 1, 1, 2, 8, 8, 2, 4, 1};

	return static_cast<size_t>(dtype) < sizeof(sizes) ? sizes[static_cast<size_t>(dtype)] : 0;
}

struct PTO2TaskId {
	uint64_t raw;
	static constexpr PTO2TaskId invalid() { return PTO2TaskId{UINT64_MAX}; }
	constexpr bool is_valid() const { return raw != UINT64_MAX; }
};

struct alignas(64) ChipTensor {
	struct {
		uint64_t addr, size;
	} buffer;
	PTO2TaskId owner_task_id;
	uint64_t start_offset;
	int32_t version;
	uint32_t ndims;
	DataType dtype;
	bool manual_dep, is_contiguous;
	AddressSpace address_space;
	uint32_t shapes[MAX_TENSOR_DIMS];
	uint64_t extent_elem_cache;
	uint32_t strides[MAX_TENSOR_DIMS];
	uint8_t _pad_cl2[36];

	ChipTensor view(const uint32_t extents[], const uint32_t offsets[]) const
	{
		ChipTensor part = *this;

		part.extent_elem_cache = 1;
		for (uint32_t i = 0; i < ndims; i++) {
			part.start_offset += (uint64_t)offsets[i] * strides[i];
			part.shapes[i] = extents[i];
			part.extent_elem_cache += (uint64_t)(extents[i] - 1) * strides[i];
		}
		return part;
	}
};
static_assert(sizeof(ChipTensor) == 128 && offsetof(ChipTensor, shapes) == 44 && offsetof(ChipTensor, strides) == 72, "the runtime's layout");

/* An output that the runtime places. */
struct TensorCreateInfo {
	ChipTensor made = {};

	TensorCreateInfo(const uint32_t shapes[], uint32_t ndims, DataType dtype = DataType::FLOAT32)
	{
		uint64_t elements = 1;

		made.ndims = ndims;
		made.dtype = dtype;
		made.is_contiguous = true;
		for (uint32_t d = ndims; d-- > 0;) {
			made.shapes[d] = shapes[d];
			made.strides[d] = static_cast<uint32_t>(elements);
			elements *= shapes[d];
		}
		made.extent_elem_cache = elements;
		made.buffer.size = elements * get_element_size(dtype);
	}
};

class TensorRef {
	const ChipTensor *ptr_ = nullptr;

public:
	TensorRef &operator=(const ChipTensor *p)
	{
		ptr_ = p;
		return *this;
	}
	const ChipTensor &ref() const { return *ptr_; }
};

class PTO2LaunchSpec {
	int16_t block_num_ = 1;
	bool require_sync_start_ = false;

public:
	void set_block_num(int16_t n) { block_num_ = n; }
};

template <size_t MaxT, size_t MaxS> struct Arg {
	TensorArgType tags_[MaxT];
	TensorRef tensors_[MaxT];
	uint64_t scalars_[MaxS];
	int32_t tensor_count_ = 0, scalar_count_ = 0;
	bool has_error = false;
	const char *error_msg = nullptr;
	PTO2LaunchSpec launch_spec;
	const PTO2TaskId *explicit_deps_ = nullptr;
	uint32_t explicit_dep_count_ = 0;

	Arg() = default;
	Arg(const Arg &) = delete;
	Arg &operator=(const Arg &) = delete;

	const TensorRef &tensor(int32_t i) const { return tensors_[i]; }
	uint64_t scalar(int32_t i) const { return scalars_[i]; }
	int32_t tensor_count() const { return tensor_count_; }
	int32_t scalar_count() const { return scalar_count_; }
	void set_error(const char *message)
	{
		if (!has_error)
			error_msg = message;
		has_error = true;
	}
	/* By reference: what is stored is the address, and it has to be there at submit. */
	void add_no_dep(ChipTensor &tensor) { add(tensor, TensorArgType::NO_DEP); }
	void add_input(ChipTensor &tensor) { add(tensor, TensorArgType::INPUT); }
	void add_output(ChipTensor &tensor) { add(tensor, TensorArgType::OUTPUT_EXISTING); }
	void add_output(TensorCreateInfo &info) { add(info.made, TensorArgType::OUTPUT); }
	void add_inout(ChipTensor &tensor) { add(tensor, TensorArgType::INOUT); }
	void add(ChipTensor &tensor, TensorArgType tag)
	{
		if (scalar_count_ != 0 || tensor_count_ == static_cast<int32_t>(MaxT)) {
			set_error("a tensor behind a scalar, or one too many");
			return;
		}
		tags_[tensor_count_] = tag;
		tensors_[tensor_count_++] = &tensor;
	}
	void add_scalar(uint64_t value) { add_scalars(&value, 1); }
	void add_scalars(const uint64_t *values, int count)
	{
		if (count < 0 || scalar_count_ + count > static_cast<int>(MaxS)) {
			set_error("more scalars than a task takes");
			return;
		}
		for (int i = 0; i < count; i++)
			scalars_[scalar_count_++] = values[i];
	}
	void set_dependencies(const PTO2TaskId *deps, uint32_t count)
	{
		if (count != 0 && (deps == nullptr || explicit_deps_ != nullptr))
			set_error("set_dependencies: no list, or a second one");
		explicit_deps_ = count != 0 ? deps : nullptr;
		explicit_dep_count_ = count;
	}
};
using CoreTaskArgs = Arg<MAX_TENSOR_ARGS, MAX_SCALAR_ARGS>;
struct ChipTaskArgs : Arg<CHIP_MAX_TENSOR_ARGS, CHIP_MAX_SCALAR_ARGS> {};

class TaskOutputTensors {
	PTO2TaskId task_id_ = {UINT64_MAX};
	uint32_t output_count_ = 0;
	const ChipTensor *tensors_[MAX_TENSOR_ARGS] = {};

public:
	PTO2TaskId task_id() const { return task_id_; }
};

struct MixedKernels {
	int32_t aic_kernel_id = INVALID_KERNEL_ID, aiv0_kernel_id = INVALID_KERNEL_ID, aiv1_kernel_id = INVALID_KERNEL_ID;
};

struct PTO2OrchestrationConfig {
	int expected_arg_count;
};

struct PTO2Runtime;
struct PTO2RuntimeOps {
	TaskOutputTensors (*submit_task)(PTO2Runtime *rt, const MixedKernels &kernels, const CoreTaskArgs &args);
	void (*scope_begin)(PTO2Runtime *rt);
	void (*scope_end)(PTO2Runtime *rt);
	bool (*is_fatal)(PTO2Runtime *rt);
	void (*report_fatal)(PTO2Runtime *rt, int32_t code, const char *func, const char *fmt, ...);
	TaskOutputTensors (*submit_dummy_task)(PTO2Runtime *rt, const CoreTaskArgs &args);
	uint64_t (*get_tensor_data)(PTO2Runtime *rt, const ChipTensor &tensor, uint32_t ndims, const uint32_t indices[]);
};
struct PTO2Runtime {
	const PTO2RuntimeOps *ops;
	PTO2ScopeMode pending_scope_mode;
};

extern "C" PTO2Runtime *framework_current_runtime(void);

static inline bool rt_is_fatal()
{
	PTO2Runtime *rt = framework_current_runtime();

	return rt->ops->is_fatal(rt);
}
static inline TaskOutputTensors rt_submit_task(const MixedKernels &kernels, const CoreTaskArgs &args)
{
	PTO2Runtime *rt = framework_current_runtime();

	return rt->ops->is_fatal(rt) ? TaskOutputTensors{} : rt->ops->submit_task(rt, kernels, args);
}
static inline TaskOutputTensors rt_submit_aiv_task(int32_t kernel, const CoreTaskArgs &args)
{
	MixedKernels kernels;

	kernels.aiv0_kernel_id = kernel;
	return rt_submit_task(kernels, args);
}
static inline TaskOutputTensors rt_submit_dummy_task(const CoreTaskArgs &args)
{
	PTO2Runtime *rt = framework_current_runtime();

	return rt->ops->is_fatal(rt) ? TaskOutputTensors{} : rt->ops->submit_dummy_task(rt, args);
}
static inline void rt_scope_begin(PTO2ScopeMode mode = PTO2ScopeMode::AUTO)
{
	PTO2Runtime *rt = framework_current_runtime();

	if (rt->ops->is_fatal(rt))
		return;
	rt->pending_scope_mode = mode;
	rt->ops->scope_begin(rt);
}
static inline void rt_scope_end()
{
	PTO2Runtime *rt = framework_current_runtime();

	if (!rt->ops->is_fatal(rt))
		rt->ops->scope_end(rt);
}
struct PTO2ScopeGuard {
	PTO2ScopeGuard() { rt_scope_begin(); }
	~PTO2ScopeGuard() { rt_scope_end(); }
};
#define PTO2_SCOPE() if (PTO2ScopeGuard scope_guard; true)
/* Waits for those who write the tensor and says so. */
static inline uint64_t get_tensor_data(const ChipTensor &tensor, uint32_t ndims, const uint32_t indices[])
{
	PTO2Runtime *rt = framework_current_runtime();

	return rt->ops->is_fatal(rt) ? 0 : rt->ops->get_tensor_data(rt, tensor, ndims, indices);
}
#define rt_report_fatal(code, ...)                                             \
	do {                                                                   \
		PTO2Runtime *rt_ = framework_current_runtime();                \
		rt_->ops->report_fatal(rt_, (code), __FUNCTION__, __VA_ARGS__); \
	} while (0)
