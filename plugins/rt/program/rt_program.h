/* SPDX-License-Identifier: MIT */
/* rt_program.h - a workload after verification and lowering: what the expander walks and what a task needs, in flat tables that
 * never change while a run goes on. Immutable after rt_program_create except `run`. */
#ifndef RT_PROGRAM_H
#define RT_PROGRAM_H

#include "rt/program/axis.h"
#include "rt/program/form.h"
#include "rt/program/renamed.h"
#include "rt/program/rt_schedule.h"
#include "rt/program/table.h"
#include "rt/rt.h"
#include "rt/run/spares.h"
#include "rt/threads/ready_queue.h"
#include <pthread.h>
#include <stdatomic.h>

/* One instruction, at its own index: positions in messages are those of the package. */
struct rt_ins {
	uint8_t op;
	uint8_t flags;  /* PTOWSP_CHECKED: some bound could not be proved */
	uint16_t count; /* SEQUENTIAL: steps; SEND, CONSUME: words behind it, whose `row` is that of a move */
	uint32_t end;   /* first instruction behind the body; TASK: behind its words */
	uint32_t row;   /* loops, sites; CONSUME: depth of its value; SEND, COND, SLOT_SET: expression; SLOT_LOAD: reads */
	uint32_t slot;  /* SLOT_SET, SLOT_LOAD; SEND, CONSUME, CLOSE: CSPC row; SIGNAL, WAIT: EVNT row; ALLOC, FREE: TENS row */
};

/* A parallel_for, for_each or select. */
struct rt_loop {
	uint32_t name;             /* STRS offset */
	uint32_t axis;             /* AXES row */
	uint32_t depth;            /* of its value, 0 the outermost */
	uint32_t low, high, step;  /* expressions; ragged and sparse: high is how many rows there are */
	uint32_t kind;             /* PTOWSP_AXIS_x */
	uint32_t line;             /* ragged and sparse: expression, the row it runs over */
	uint32_t lengths, indices; /* TENS rows or PTOWSP_NONE */
	uint32_t first, count;     /* AXVL rows; count 0: the tensors have them */
	uint32_t levels;           /* rt_program.level_sets or PTOWSP_NONE */
	uint32_t read, read_count; /* slots its bounds read: exprs.reads */
};

/* A tensor argument of a task instruction, or the region of a slot_load. */
struct rt_io {
	uint32_t tensor;      /* TENS row */
	uint32_t row, column; /* expressions */
	uint32_t rows, columns;
	uint32_t unit;   /* not 0: a flat window */
	uint32_t key;    /* block: class of its keys; flat: class at level 0, + level */
	uint16_t access; /* PTOWSP_READ | PTOWSP_WRITE, 0 for io_bind */
	uint8_t checked; /* the verifier could not prove that it stays inside its tensor */
	uint8_t view;    /* 0, or bytes of an element that the kernel sees, of a tensor of bytes */
	uint32_t limit;  /* flat windows: elements behind the start that may be touched, 0: as far as there are */
	uint16_t view_dtype;
	uint16_t parts;                   /* RT_PART_x: sizes of the block that each task says */
	uint32_t part_rows, part_columns; /* expressions, where parts has them */
};
enum { RT_PART_ROWS = 1, RT_PART_COLUMNS = 2 };

/* Operands of a policy inside dispatch threshold at a task instruction. */
struct rt_site_part {
	uint32_t value;   /* expression or PTOWSP_NONE */
	int32_t affinity; /* depth, -1: outside */
};

/* An edge that a task instruction states. */
struct rt_after {
	uint32_t task; /* expression */
	uint16_t kind; /* PTOWSP_AFTER_x */
	uint16_t reserved;
};

/* A task instruction. */
struct rt_site {
	uint32_t instruction;
	uint32_t first_arg, first_io; /* rt_program.args (expressions), rt_program.ios, in argument order */
	uint16_t arg_count, io_count;
	uint32_t kernels;                  /* KREG row at level 0, 1 ...: rt_program.site_kernels */
	uint32_t read, read_count;         /* slots that its arguments and schedule expressions read: exprs.reads */
	uint32_t pool, dispatch, stream;   /* schedule expressions or PTOWSP_NONE */
	int32_t affinity;                  /* depth of the affinity axis, -1: outside */
	int32_t grid[2];                   /* depths of the two outermost parallel loops, -1: none */
	uint32_t depth_loops;              /* bit k: inside the loop that pipeline depth k is about */
	uint32_t reads, writes;            /* accesses that read, that write */
	uint32_t first_after, after_count; /* rt_program.afters */
	uint32_t first_part;               /* rt_program.parts: one per policy of dispatch threshold */
	uint32_t first_name;               /* rt_program.names: of the loops around it, for dispatch auto */
	uint8_t allocated;                 /* a tensor of its accesses lives between ALLOC and FREE */
	uint8_t renamed;                   /* a tensor of its accesses is renamed */
	uint8_t distinct;                  /* no two accesses of one kind can have the same key */
	uint8_t depth;                     /* how many loops are around it */
};

/* The block with each token of a channel, per CSPC row. */
struct rt_payload {
	uint32_t rows, columns;
	uint64_t bytes;       /* of a block; 0: nothing, it is a channel of tokens or nobody uses it */
	uint32_t takers;      /* instances that consume from it */
	uint32_t instruction; /* that said so first */
	uint16_t dtype, size; /* of an element */
};

/* The region of a SEND or CONSUME of a payload channel; its row stands in the word behind the instruction. */
struct rt_move {
	uint32_t io, channel;      /* rt_program.ios, CSPC row */
	uint32_t read, read_count; /* slots that it, and the token of a SEND, reads: exprs.reads */
};

/* The entry's uses of a tensor. */
struct rt_tensor_traits {
	uint8_t access;    /* how its tasks access it */
	uint8_t moved;     /* payload is sent from it (PTOWSP_READ), arrives in it (PTOWSP_WRITE) */
	uint8_t loaded;    /* a slot_load reads it */
	uint8_t copied;    /* it is one of a COPY */
	uint8_t indexed;   /* an axis reads its lengths or indices from it */
	uint8_t allocated; /* there is an ALLOC of it */
};

struct rt_program {
	struct rt_tables tables;
	struct rt_kernels kernels;
	const struct ptowsp_host *host; /* may be NULL */
	uint32_t entry, begin;          /* ENTR row; its first instruction */
	uint8_t *changed;               /* per SLOT row: set or loaded by the program */
	struct rt_exprs exprs;
	struct rt_schedule schedule;

	struct rt_ins *code; /* those of the package, the task of an entry that is one of a kernel, a halt */
	struct rt_loop *loops;
	struct rt_site *sites;
	uint32_t *args; /* expressions of all sites */
	struct rt_io *ios;
	struct rt_after *afters;
	struct rt_move *moves;
	struct rt_payload *payloads; /* per CSPC row */
	struct rt_site_part *parts;
	uint32_t *names;        /* STRS offsets */
	uint32_t *site_kernels; /* site-major, level_count each */
	uint32_t *levels;       /* tile rows of each level in force; levels[0] is 32 */
	struct rt_level_set *level_sets;
	uint32_t *dim_exprs;    /* per DIMS row: its extent; only of tensors with a shape */
	uint32_t *region_class; /* per REGN row: equal where tensor, rows and columns are */
	uint32_t move_count, move_room, after_count, after_room, part_count, part_room, name_count, name_room;
	bool planned;                     /* rt_program_args.planned */
	bool loads;                       /* some slot is loaded from a tensor */
	bool shadowed, windowed, renames; /*   and these */
	uint32_t copy_kernel;             /* KREG row that was added for COPY, PTOWSP_NONE without one */
	ptowsp_status (*kernel_run)(void *context, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker); /* copy.c: the backend's */
	struct rt_tensor_traits *traits;                                                                                            /* per TENS row */
	struct rt_renaming *renamings;                                                                                              /* per TENS row */
	bool renamed;                                                                                                               /* any of them */
	uint32_t loop_count, loop_room, site_count, site_room, arg_count, arg_room, io_count, io_room;
	uint32_t level_count, level_room, level_set_count, level_set_room, class_count;
	uint8_t *io_views;            /* per row of ios: its view */
	uint32_t most_args, most_ios; /* of one site */
	bool process_scopes;          /* some process has a scope */
	bool asks;                    /* symbols, slots or elements decide which tasks there are, and what they touch */
	uint64_t *parts_of;           /* per KREG row: a bit per tensor argument of which some task says what is there */
	bool parted;                  /* there is one */
	uint8_t *kernel_used;         /* per KREG row: named by a site at some level */
	uint64_t clock_ns;            /* how far two looks at the clock without anything between are apart */
	_Atomic uint32_t *kernel_ns;  /* per KREG row: how long a task of it takes, blended from samples; UINT32_MAX: not known. Kept from run to run */
	uint8_t *level_told;          /* per KREG row: "no variant for a level" was said */
	struct rt_wish *wishes;       /* per instruction, wish_count of them: of the tasks of a TASK; NULL: none has any */
	uint32_t wish_count;
	bool homes; /* some of them have one */
	struct rt_spares spares;
	struct rt_chosen {                /* by dispatch auto, at the first run; executors 0: nothing */
		uint32_t axis, executors; /* STRS offset; PTOWSP_NONE where no loop has tasks */
		uint64_t edges, cross;
	} chosen;

	pthread_mutex_t lock;         /* of what follows; innermost */
	struct rt_snapshot *snapshot; /* counters of the run, now and then and at its end */
	struct rt_snapshot *reader;   /* the copy that rt_stats gave out last */
	struct rt_snapshot *result;   /* the copy that rt_run gave out last */
};

static inline struct rt_wish rt_program_wish(const struct rt_program *program, uint32_t instruction)
{
	return instruction < program->wish_count ? program->wishes[instruction] : (struct rt_wish){0, 0};
}
/* The order of ready tasks on worker threads, by the schedule and these wishes. NULL: none is stated. */
const struct rt_ready_policy *rt_program_order(const struct rt_program *program);
/* Lowers and verifies the entry; see rt_verify.c for the rules. */
ptowsp_status rt_program_verify(struct rt_program *program, struct ptowsp_error *error);
/* rt_program.c: what is the same for all entries: tables, arrays, shapes of tensors, kernels, the schedule. Errors: of rt_program_create. */
ptowsp_status rt_program_begin(struct rt_program **program_out, const struct rt_program_args *args, struct ptowsp_error *error);
/* copy.c: the kernel of COPY, if the program has one: its row, and `kernels` in front of the backend's. */
ptowsp_status rt_copy_init(struct rt_program *program, struct ptowsp_error *error);
/* region.c: region_class. */
ptowsp_status rt_classes_init(struct rt_program *program, struct ptowsp_error *error);
void rt_log(const struct rt_program *program, int32_t level, const char *text, ...)
#if defined(__GNUC__)
	__attribute__((format(printf, 3, 4)))
#endif
	;
/* One line for a feature that is met below `enforced`; the host tells it once. */
void rt_diagnose(const struct rt_program *program, uint32_t feature, const char *text);
/* Wall time by the host's clock. */
uint64_t rt_now_ns(const struct rt_program *program);
const char *rt_kernel_name(const struct rt_program *program, uint32_t kernel);
const char *rt_tensor_name(const struct rt_program *program, uint32_t tensor);
const char *rt_slot_name(const struct rt_program *program, uint32_t slot);

#endif
