/* softmax as C, written by ptowsp-pack: its loops, branches and tasks as calls of the task API (plugins/rt/task_api.h), the same for
 * every target of the kernels. Values are integers of 64 bits; compile with -fwrapv if they may be larger. */
#include "rt/task_api.h"

/* The kernels: functions as ptowsp/task.h says. */
extern ptowsp_status row_max(const struct ptowsp_task *task, struct ptowsp_kernel_out *out);
extern ptowsp_status exp_shifted(const struct ptowsp_task *task, struct ptowsp_kernel_out *out);
extern ptowsp_status divide_by_sum(const struct ptowsp_task *task, struct ptowsp_kernel_out *out);

struct softmax_memory {
	void *data;
	uint64_t elements;
};
/* Data of the tasks: memory and values from the caller, the rest by softmax_begin. */
struct softmax {
	struct {
		struct softmax_memory x; /* f32 */
		struct softmax_memory y; /* f32 */
		struct softmax_memory max; /* f32 */
		struct softmax_memory exps; /* f32 */
	} memory;
	struct {
		int64_t total_rows; /* i32 */
	} value;
	struct {
		uint32_t x, y, max, exps;
	} tensor; /* numbers of rt_tasks_tensor */
	struct {
		uint32_t row_max, exp_shifted, divide_by_sum;
	} kernel; /* numbers of rt_tasks_kernel */
};

/* Makes kernels and tensors known, before a run. */
void softmax_begin(struct rt_tasks *tasks, struct softmax *o);
void softmax_begin(struct rt_tasks *tasks, struct softmax *o)
{
	o->kernel.row_max = rt_tasks_kernel(tasks, "row_max", PTOWSP_UNIT_ANY, row_max);
	rt_tasks_kernel_workspace(tasks, o->kernel.row_max, 1152);
	o->kernel.exp_shifted = rt_tasks_kernel(tasks, "exp_shifted", PTOWSP_UNIT_ANY, exp_shifted);
	rt_tasks_kernel_workspace(tasks, o->kernel.exp_shifted, 1664);
	o->kernel.divide_by_sum = rt_tasks_kernel(tasks, "divide_by_sum", PTOWSP_UNIT_ANY, divide_by_sum);
	rt_tasks_kernel_workspace(tasks, o->kernel.divide_by_sum, 1600);
	o->tensor.x = rt_tasks_tensor(tasks, "x", o->memory.x.data, PTOWSP_F32, o->memory.x.elements / 16, 16);
	o->tensor.y = rt_tasks_tensor(tasks, "y", o->memory.y.data, PTOWSP_F32, o->memory.y.elements / 16, 16);
	o->tensor.max = rt_tasks_tensor(tasks, "max", o->memory.max.data, PTOWSP_F32, o->memory.max.elements, 1);
	o->tensor.exps = rt_tasks_tensor(tasks, "exps", o->memory.exps.data, PTOWSP_F32, o->memory.exps.elements / 16, 16);
}

/* So many of the tile's rows or columns are there; 0, which no region has, where that is none, or more than it has. */
static inline uint32_t part_of(int64_t there, uint32_t all)
{
	return there < 1 || there > all ? 0 : (uint32_t)there;
}

static inline int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* The orchestration function of rt_tasks_run; context is the struct. */
ptowsp_status softmax(struct rt_tasks *tasks, void *context);
ptowsp_status softmax(struct rt_tasks *tasks, void *context)
{
	const struct softmax *o = context;
	uint64_t t = 0;
	const int64_t total_rows = o->value.total_rows;

	for (int64_t i = 0; i < total_rows; i += 8) {
		rt_task_alloc(tasks, o->kernel.row_max, &t);
		rt_task_add_arg(tasks, t, (uint64_t)smaller(8, total_rows - i));
		rt_task_add_arg(tasks, t, (uint64_t)smaller(8, total_rows - i));
		rt_task_add_input(tasks, t, o->tensor.x, (uint64_t)i, 0, part_of(smaller(8, total_rows - i), 8), 16);
		rt_task_add_output(tasks, t, o->tensor.max, (uint64_t)i, 0, part_of(smaller(8, total_rows - i), 8), 1);
		rt_task_submit(tasks, t);
		rt_task_alloc(tasks, o->kernel.exp_shifted, &t);
		rt_task_add_arg(tasks, t, (uint64_t)smaller(8, total_rows - i));
		rt_task_add_arg(tasks, t, (uint64_t)smaller(8, total_rows - i));
		rt_task_add_arg(tasks, t, (uint64_t)smaller(8, total_rows - i));
		rt_task_add_input(tasks, t, o->tensor.x, (uint64_t)i, 0, part_of(smaller(8, total_rows - i), 8), 16);
		rt_task_add_input(tasks, t, o->tensor.max, (uint64_t)i, 0, part_of(smaller(8, total_rows - i), 8), 1);
		rt_task_add_inout(tasks, t, o->tensor.exps, (uint64_t)i, 0, part_of(smaller(8, total_rows - i), 8), 16);
		rt_task_submit(tasks, t);
		rt_task_alloc(tasks, o->kernel.divide_by_sum, &t);
		rt_task_add_arg(tasks, t, (uint64_t)smaller(8, total_rows - i));
		rt_task_add_arg(tasks, t, (uint64_t)smaller(8, total_rows - i));
		rt_task_add_input(tasks, t, o->tensor.exps, (uint64_t)i, 0, part_of(smaller(8, total_rows - i), 8), 16);
		rt_task_add_output(tasks, t, o->tensor.y, (uint64_t)i, 0, part_of(smaller(8, total_rows - i), 8), 16);
		rt_task_submit(tasks, t);
	}
	return PTOWSP_OK;
}
