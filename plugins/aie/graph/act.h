/* SPDX-License-Identifier: MIT */
/* act.h - what a walk does, in its order, as acts on areas: calls of kernels, elements that go into channels with a token or come out of them, and what orders the tasks of a
 * workload besides what they touch. A cell does them: a core to be, or the host, which moves what lies in memory and calls nothing. One thread. */
#ifndef AIE_ACT_H
#define AIE_ACT_H

#define AIE_MOST_TENSORS 64 /* arguments of a call */

#include "aie/graph/aie_called.h"
#include "aie/graph/area.h"
#include "base/kernels.h"
#include "base/patience.h"
#include "base/walk.h"

enum aie_act_kind {
	AIE_ACT_CALL,
	AIE_ACT_SEND,
	AIE_ACT_TAKE,
	AIE_ACT_CLOSE,
	AIE_ACT_LEAVE, /* a process closes its end of a channel; another one goes on when that has been (closing.h) */
	AIE_ACT_HOLD,  /* of the core of an executor, place `task` among them: it takes the only use, changes nothing, and has it (hold.h) */
	AIE_ACT_BEGIN,
	AIE_ACT_STEP,
	AIE_ACT_END,  /* of what has ordered steps: tasks of one start when those of the steps before it have ended */
	AIE_ACT_GATE, /* later tasks start when those before number `task` have ended */
};
/* A tensor argument of a call, or what goes with a token. */
struct aie_use {
	uint32_t area;
	bool reads, writes;   /* a kernel reads an area, too, that it does not write wholly */
	struct aie_view view; /* of the kernel, in the area */
	uint32_t
		with; /* of a call: place among its uses of the one that is the same buffer and reads and writes for both; its own: it is one by itself (alias.h) */
	/* aie_version.h */
	uint32_t from; /* version that is read; AIE_FROM_MEMORY: what lies there, whoever put it there */
	uint32_t to;   /* version that is made */
};
struct aie_act {
	uint8_t kind;               /* enum aie_act_kind */
	uint32_t process;           /* instance, PTOWSP_NONE: of the workload */
	uint32_t cell;              /* set by cell.h */
	uint64_t task;              /* of CALL, GATE */
	uint32_t kernel;            /* of CALL: KREG row */
	uint64_t stack, tiles;      /* of CALL: bytes of its tiles on the core's stack; of all its tiles; set by fits.h */
	uint32_t channel;           /* of SEND, TAKE, CLOSE and LEAVE: CSPC row */
	uint64_t token;             /* its number in the channel; of CLOSE and LEAVE: of the closing that both are, in the order of LEAVEs */
	uint32_t uses, use_count;   /* a token without elements has none */
	uint32_t preds, pred_count; /* of CALL: tasks that it follows although both touch nothing of the other's: places in preds */
};
struct aie_acts {
	struct aie_act *rows;
	struct aie_use *uses;
	struct aie_areas areas;
	uint64_t *preds;
	uint32_t pred_count, pred_room;
	uint32_t count, room, use_count, use_room;
	uint64_t first;     /* tasks of the run before those of the acts: what sentences add to their numbers */
	uint32_t processes; /* instances */
	uint32_t closings;
	struct base_patience *patience; /* of who works on them; NULL: any. Work on acts that takes long asks it, and ends with any error when it is over */
	bool widened;                   /* a call touches parts of words, and has the words instead */
};
struct aie_acts_args {
	const struct base_walk *walk;
	const struct rt_kernels *kernels;  /* asked for footprints */
	void *const *bases;                /* per TENS row: where its memory begins */
	const struct aie_tensor *tensors;  /* per TENS row */
	struct base_patience *patience;    /* as of the acts, which keep it */
	const struct base_kernels *served; /* serves them: the kernel that a task runs several times */
	bool exact;                        /* areas of calls stay as they are, and do not become words */
	struct aie_called names;
};
/* Fills zeroed or finished acts. Errors: UNSUPPORTED naming task, kernel and tensor where a window has gaps between the elements of a row, or where two that are one buffer
 * have different types; NO_MEMORY. */
ptowsp_status aie_acts_make(struct aie_acts *acts, const struct aie_acts_args *args, struct ptowsp_error *error);
void aie_acts_finish(struct aie_acts *acts);

#endif
