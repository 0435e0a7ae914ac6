/* SPDX-License-Identifier: MIT */
/* builder.h - what generated orchestration code is written against: tasks are allocated, given what they read and write, and submitted; who waits for whom, windows,
 * streams, channels and turns of processes are found out here (builder.cc), so that generated code is loops and calls.
 *
 *	b.alloc_task(KERNEL_scale, TASK_NO_STREAM, b.owner_by_number());
 *	b.add_inout(block(TENSOR_x, 32 * i, 0, 32, 128));
 *	b.add_arg(i);
 *	if (!b.submit())
 *		return b.status;
 *
 * Each AICPU scheduler instance runs the same function. All count the same task numbers and follow all accesses; each keeps and runs the tasks that it owns.
 * The first error stays: what is called behind it does nothing. No exceptions, no library but that of C; one thread per Builder. */
#ifndef BUILDER_H
#define BUILDER_H

#include "task_abi.h"
#include <stdint.h>

enum BuilderStatus : int32_t {
	BUILDER_OK = 0,
	BUILDER_DIVISION = -1, /* by zero */
	BUILDER_OUTSIDE = -2,  /* a region, an axis or a slot_load leaves its tensor */
	BUILDER_KERNEL = -3,   /* a kernel failed */
	BUILDER_STUCK = -4,    /* nothing runs, and nothing can be issued: scopes, channels or events */
	BUILDER_MEMORY = -5,
	BUILDER_VALUE = -6 /* a step below 1, a negative extent, more than the platform takes */
};

/* Facts of the package that generated code has. */
struct BuilderKernel {
	const char *name;
	ExecDomain domain;
	ExecPool pool;
	uint32_t blocks;
	bool cluster; /* a cube core and a vector core run it together: it multiplies on the cube */
};
struct BuilderTensor {              /* as bound for this run */
	uint64_t data;              /* device address */
	uint64_t elements, columns; /* columns: of the matrix whose last dimension they are, 0: not known */
	uint8_t dtype, size;
};
enum AxisKind : uint8_t { AXIS_IS_RAGGED, AXIS_IS_SPARSE };
struct BuilderAxis {
	AxisKind kind;
	const int64_t *values; /* ragged: running sums; sparse: beginnings and end, then indices; NULL: the tensors have them */
	uint32_t value_count;
	uint32_t lengths, indices; /* TensorId: lengths of rows, or beginnings; column indices */
};
struct BuilderLevels {              /* tile levels of an axis */
	uint32_t largest, smallest; /* blocks, powers of two */
	uint32_t rows[32];          /* tile rows of a block of 2^k */
	uint8_t level[32];          /* and what they are called: 0 no level */
};
enum DepthDomain : uint8_t { DEPTH_GLOBAL, DEPTH_STREAM, DEPTH_POOL, DEPTH_LOOP };
struct BuilderDepth {
	DepthDomain domain;
	uint64_t most; /* tasks of the domain that run at the same time */
};
enum DepRules : uint8_t { DEPS_EXPLICIT, DEPS_EXACT, DEPS_OVERLAP };
struct BuilderChannel {
	uint64_t capacity;             /* tokens; 0: a rendezvous */
	uint32_t block_bytes;          /* of a token's payload, 0: none */
	uint32_t producers, consumers; /* first place in BuilderPlan.ends, in the order of instances */
	uint32_t producer_count, consumer_count;
};
struct BuilderPlan {
	const BuilderKernel *kernels;
	const BuilderAxis *axes;
	const BuilderLevels *levels;
	const BuilderDepth *depths;
	const BuilderChannel *channels;
	const uint32_t *ends; /* instances at the ends of channels */
	uint32_t kernel_count, tensor_count, slot_count, event_count, channel_count, depth_count, instance_count;
	uint32_t copy_kernel; /* its KernelId, UINT32_MAX: there is none */
	uint32_t window;      /* own tasks in flight */
	uint32_t batch;       /* dependencies are found for so many tasks, then those are run; 0, 1: for each */
	uint32_t streams;
	DepRules rules;
	bool stated; /* dependencies that the program states count */
	bool full;   /* write after read and write after write count, too */
	bool loads;  /* slots are loaded from tensors, or payload is moved: writers are followed whatever the rules say */
};

/* ---- regions ------------------------------------------------------------------------------------------------------- */

/* A block of a tensor as a matrix, or (unit not 0) a flat window from row * unit + column on. */
struct Region {
	uint32_t tensor;
	int64_t row, column;
	uint32_t rows, columns;
	uint32_t unit;
	uint32_t reach;          /* flat: elements behind its start that it touches, 0: to the end of the tensor */
	uint8_t view, view_size; /* size not 0: a tensor of bytes seen as that type */
	bool whole;              /* flat: what it touches may lie before its start */
	Region seen_as(uint8_t dtype, uint8_t size) const
	{
		Region r = *this;
		r.view = dtype;
		r.view_size = size;
		return r;
	}
	Region anywhere() const
	{
		Region r = *this;
		r.whole = true;
		return r;
	}
};
static inline Region block(uint32_t tensor, int64_t row, int64_t column, uint32_t rows, uint32_t columns)
{
	return Region{tensor, row, column, rows, columns, 0, 0, 0, 0, false};
}
static inline Region flat(uint32_t tensor, int64_t row, uint32_t unit, int64_t column, uint32_t reach)
{
	return Region{tensor, row, column, 1, 0, unit, reach, 0, 0, false};
}

/* ---- the machine below ---------------------------------------------------------------------------------------------- */

/* The platform that runs tasks: platform_host.cc, platform_device.cc. */
struct BuilderPlatform {
	void *context;
	/* A task whose predecessors have ended goes to an idle core of its pool; false: none is idle. */
	bool (*start)(void *context, TaskNodePod *task);
	/* Tasks that have ended since the last call, at most `most`; how many. */
	uint32_t (*ended)(void *context, TaskNodePod **tasks, uint32_t most);
	/* Between devices of one run. wait: false while it has not come. NULL: the run has one device, and both do nothing. */
	void (*notify)(void *context, uint32_t device, uint32_t notification);
	bool (*notified)(void *context, uint32_t device, uint32_t notification);
	/* Told of each task that is submitted, of every instance; may be NULL. */
	void (*submitted)(void *context, const TaskNodePod *task);
	/* A runtime that keeps tasks and minds the order itself; NULL: the builder does, and calls start and ended. A task comes with its predecessors, and with task->order, and counts as ended as
	 * soon as it was taken. take: false after fail(). */
	bool (*take)(void *context, const TaskNodePod *task, const TaskId *deps, uint32_t count) = nullptr;
	/* With take: until all tasks before `tasks` have really ended, and what they wrote can be read. False after fail(). */
	bool (*wait)(void *context, TaskId tasks) = nullptr;
	/* With take: a scope of the program begins or ends. */
	void (*scope)(void *context, bool begin) = nullptr;
};

/* State that instances of one run share, in device memory. */
struct BuilderShared {
	volatile uint64_t *finished; /* finished[n mod room] is n + 1 once task n has ended, then of n + room */
	uint64_t room;               /* a power of two, the same for all; no instance is further ahead of the oldest task than that */
};

/* The position of one process instance, or of the workload. */
struct BuilderPlace {
	uint32_t instance; /* TASK_NO_PROCESS: the workload */
	uint32_t wants;    /* channel at whose consume it stands, UINT32_MAX: none */
	bool given;        /* a rendezvous has given it a token */
	uint64_t token, block;
	uint8_t level; /* tile level in force */
	uint32_t order_depth, filter_depth;
	struct Order {
		TaskId begin, outer;
	} orders[64];
	TaskId order;         /* tasks before it have ended before the next one starts */
	uint32_t filters[64]; /* owners, innermost last */
};

struct BuilderRow {
	int64_t first, count;
};

enum { BUILDER_MOST_DEPS = 256, BUILDER_DEPTH_KEPT = 1024 };

struct Builder;
struct BuilderTracker; /* builder_deps.cc: who touched what */
struct BuilderPreds;   /* builder.cc: predecessors of tasks that wait */

enum Turn : uint8_t { TURN_OVER, TURN_STUCK, TURN_ENDED, TURN_FAILED };
/* A process: one step function over a state of its own. */
struct BuilderProcess {
	Turn (*turn)(Builder &b, void *state);
	void *state;
	BuilderPlace *place;
};

struct Builder {
	/* Fields that the caller sets before init. */
	const BuilderPlan *plan;
	BuilderPlatform platform;
	BuilderShared shared;         /* room 0: this instance is the only one, and makes its own */
	BuilderTensor *tensors;       /* by TensorId */
	int64_t *slots;               /* by SlotId: values of symbols and slots */
	uint32_t instances, instance; /* AICPU scheduler instances, and which one this is */
	bool alone;                   /* runs the tasks of all instances, whoever owns them */

	int32_t status; /* BuilderStatus */
	char message[160];

	/* 0 or BUILDER_MEMORY. finish: waits for nothing; also of what init left half done. */
	int32_t init();
	void finish();

	/* ---- tasks */
	void alloc_task(uint16_t kernel, uint32_t stream, uint32_t owner);
	void add_input(const Region &region)
	{
		add(region, TASK_READ);
	}
	void add_output(const Region &region)
	{
		add(region, TASK_WRITE);
	}
	void add_inout(const Region &region)
	{
		add(region, TASK_READ | TASK_WRITE);
	}
	void bind(const Region &region)
	{
		add(region, 0);
	}
	void add_arg(int64_t value);
	void add_dep(int64_t task); /* negative: none */
	void in_loop(uint32_t depths)
	{
		task_now.domains = depths;
	}              /* bits of the pipeline depths whose loop is around it */
	bool submit(); /* false: something is wrong, see status */
	int64_t next_task() const
	{
		return (int64_t)next;
	}

	/* ---- order, scopes, values */
	void scope_begin();
	void scope_end();
	void order_begin(); /* a for_each or sequential */
	void order_step();  /* its next iteration or step */
	void order_end();
	void barrier(); /* what follows starts after the end of all tasks so far */
	void fence();   /* after all copies so far */
	void signal(uint32_t event);
	bool wait(uint32_t event); /* in the workload */
	bool signalled(uint32_t event) const;
	void notify(uint32_t device, uint32_t notification);
	bool wait_notify(uint32_t device, uint32_t notification);
	bool load(int64_t &slot, const Region &region, bool bits); /* waits for who wrote the element */
	int64_t quotient(int64_t a, int64_t b);
	int64_t remainder(int64_t a, int64_t b);
	int64_t extent(int64_t value);                          /* fails if negative */
	int64_t trips(int64_t low, int64_t high, int64_t step); /* iterations of a loop */
	/* A block of which so many rows and columns are there; fails if that is none, or more than it has. */
	Region part(uint32_t tensor, int64_t row, int64_t column, int64_t rows, int64_t columns, uint32_t all_rows, uint32_t all_columns);
	BuilderRow axis_row(uint32_t axis, int64_t row, int64_t rows);
	int64_t axis_index(uint32_t axis, int64_t rows, int64_t place);
	void fail(int32_t code, const char *format, ...) __attribute__((format(printf, 3, 4)));

	/* ---- whose it is, its stream: the policies of dispatch and stream_by. A policy names one of n executors, and pools with so many each are counted on: that is
	 * an instance, as far as there are so many */
	void queue(uint32_t pool, uint32_t executors); /* of the task that is allocated next */
	uint32_t owner_at(uint64_t executor) const
	{
		return (uint32_t)(((uint64_t)queue_now * queue_executors + executor) % instances);
	}
	uint32_t owner_by_turn(uint32_t n) const
	{
		return owner_at(queue_turn % n);
	} /* tasks of a queue take them in turn */
	uint32_t owner_by_value(int64_t value, int64_t n) const
	{
		return owner_at((uint64_t)wrap(value, n));
	}
	uint32_t owner_by_hash(int64_t value, uint64_t n) const
	{
		return owner_at(mix(value) % n);
	}
	uint32_t owner_by_number() const
	{
		return (uint32_t)(next % instances);
	}
	uint32_t owner_by_process() const
	{
		return place->instance % instances;
	}
	uint32_t filter_by_value(int64_t value) const
	{
		return (uint32_t)wrap(value, instances);
	}
	uint32_t filter_by_hash(int64_t value) const
	{
		return (uint32_t)(mix(value) % instances);
	}
	static uint64_t mix(int64_t value);
	static int64_t wrap(int64_t value, int64_t n)
	{
		value %= n;
		return value < 0 ? value + n : value;
	} /* 0 .. n - 1 */
	uint32_t next_stream() const
	{
		return status || !plan->streams ? TASK_NO_STREAM : (uint32_t)(queue_turn % plan->streams);
	}
	uint32_t stream(int64_t value) const
	{
		return (uint32_t)wrap(value, plan->streams);
	}
	void filter_begin(uint32_t owner); /* of the tasks up to filter_end; OWNER_BY_NUMBER: each by its number */
	void filter_end();

	/* ---- processes; `me` is the instance's place */
	bool can_send(uint32_t channel);
	void send(uint32_t channel, int64_t token);
	void send(uint32_t channel, int64_t token, const Region &from);
	bool can_consume(uint32_t channel);                 /* a token, or the end */
	bool consume(uint32_t channel, int64_t &token);     /* false: the channel is closed and empty */
	void receive(uint32_t channel, const Region &into); /* what came with the token */
	void close(uint32_t channel);
	void end_process();
	int32_t run_processes(BuilderProcess *processes, uint32_t count);

	/* The end of an orchestration: all own tasks are started, and ended. */
	int32_t complete();

	BuilderPlace *place; /* whose turn it is */
	BuilderPlace workload;

	/* ---- private */
	TaskNodePod task_now;
	Region regions[TASK_MOST_TENSORS]; /* of it */
	TaskId deps[BUILDER_MOST_DEPS];    /* its predecessors that have not ended */
	uint32_t deps_count;
	bool open; /* a task is being made */
	bool own_shared;
	TaskId next;      /* its number */
	TaskId all_ended; /* tasks before it have ended, of all instances */
	TaskId copies;    /* the latest copy + 1 */
	TaskId barrier_at;
	TaskNodePod *ring;      /* own tasks in flight, plan->window of them */
	uint64_t own, own_tail; /* own tasks so far; those before own_tail have left the ring */
	BuilderPreds *preds;
	uint32_t *preds_head; /* by ring place: first predecessor that has not ended */
	uint32_t *waiting;    /* ring places of tasks that have not started, in order */
	uint32_t waiting_count, running, unflushed;
	uint64_t scope_from; /* own tasks from here on are held by a scope */
	uint32_t scopes;
	TaskId *stream_last;   /* by stream: its latest task + 1 */
	uint64_t *queue_count; /* by queue: tasks so far */
	uint64_t queue_turn;   /* of the task that is allocated next: those before it in its queue */
	uint32_t queue_now, queue_executors;
	uint64_t *depth_now; /* tasks that run, by depth and domain; with a platform that takes: tasks so far */
	TaskId *depth_tasks; /* with such a platform: the latest ones of each, BUILDER_DEPTH_KEPT of them */
	struct Event {
		uint64_t count;
		TaskId tasks;
	} * events;
	struct ChannelState;
	ChannelState *channels;
	uint8_t *ends_closed; /* by place in plan->ends */
	uint64_t steps;       /* grows whenever somebody gets on */
	BuilderTracker *tracker;
	BuilderPlace **places; /* by instance */

	void add(const Region &region, uint8_t access);
	bool resolve(const Region &region, uint8_t access, TaskWindow *window, TaskIO *io, uint64_t *from, uint64_t *to);
	bool has_ended(TaskId task) const
	{
		return task < all_ended || shared.finished[task & (shared.room - 1)] > task;
	}
	void frontier();
	void pred_add(TaskId task);
	bool tracker_room();
	void infer();
	bool ring_put();
	void depth_follow(uint32_t k);
	bool give();
	bool ended_take();
	bool may_start(const TaskNodePod *task, uint32_t at);
	void depth_count(const TaskNodePod *task, int by);
	void flush();                /* at the end of a batch: of so many tasks, or at a barrier or the end of a scope */
	bool pump();                 /* one look: what may start starts, what has ended is taken; something happened */
	bool wait_for(TaskId tasks); /* until all before it have ended */
	bool room_make();
	int64_t element(uint32_t tensor, int64_t at);
	bool copy_block(uint32_t channel, uint64_t block, const Region &region, bool out);
};
enum : uint32_t { OWNER_BY_NUMBER = UINT32_MAX };

/* Iterations of a loop with tile levels: n / largest full blocks, one block per bit of the rest, then one by one. */
struct LevelWalk {
	const BuilderLevels *levels;
	int64_t value;
	uint64_t full, rest, base, left;
	uint32_t step, size;
	bool residual;
	uint8_t level;
	void start(const BuilderLevels *of, int64_t count);
	bool next();
};

static inline int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}
static inline int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}
static inline int64_t chosen(int64_t which, int64_t a, int64_t b)
{
	return which ? a : b;
}

/* Steps of a process: it goes on behind them in its next turn. */
#define TURN_ENDS(state, number)                                                                                                                               \
	do {                                                                                                                                                   \
		(state).at = number;                                                                                                                           \
		return TURN_OVER;                                                                                                                              \
	case number:;                                                                                                                                          \
	} while (0)
#define TURN_UNTIL(state, number, condition)                                                                                                                   \
	do {                                                                                                                                                   \
		(state).at = number;                                                                                                                           \
		b.steps++; /* it stands here: who waits for that gets on */                                                                                    \
		[[fallthrough]];                                                                                                                               \
	case number:                                                                                                                                           \
		if (!(condition))                                                                                                                              \
			return b.status ? TURN_FAILED : TURN_STUCK;                                                                                            \
	} while (0)

#endif
