/* SPDX-License-Identifier: MIT */
/* act.h - what a walk does, in its order, as acts on areas: calls of kernels, elements that go into channels with a token or come out of them, and what orders the tasks of a
 * workload besides what they touch. A cell does them: a core to be, or the host, which moves what lies in memory and calls nothing. One thread. */
#ifndef AIE_ACT_H
#define AIE_ACT_H

#define AIE_MOST_TENSORS 64 /* arguments of a call */

#include "aie/graph/area.h"
#include "base/kernels.h"
#include "base/patience.h"
#include "base/walk.h"
#include "rt/access/footprint.h"
#include <stddef.h>
#include <stdint.h>

/* Names of a program's kernels, channels and tensors, for sentences and symbols. Any thread. */
/* Rows of the package, or of what stands in its place; texts are borrowed from the program. */
struct aie_called {
	const char *(*kernel)(const void *context, uint32_t kernel);
	const char *(*channel)(const void *context, uint32_t channel);
	const char *(*tensor)(const void *context, uint32_t tensor);
	/* " (file.pto:4)", or "" where the package does not say it, into text of size bytes, its end where all of it is longer; that. */
	const char *(*place)(const void *context, uint32_t kernel, char *text, size_t size);
	const void *context;
};
enum { AIE_CALLED_PLACE = 28 }; /* bytes of a place in a sentence */

static inline const char *aie_kernel_name(const struct aie_called *names, uint32_t kernel)
{
	return names->kernel(names->context, kernel);
}
static inline const char *aie_channel_name(const struct aie_called *names, uint32_t channel)
{
	return names->channel(names->context, channel);
}
static inline const char *aie_tensor_name(const struct aie_called *names, uint32_t tensor)
{
	return names->tensor(names->context, tensor);
}
static inline const char *aie_kernel_place(const struct aie_called *names, uint32_t kernel, char text[AIE_CALLED_PLACE])
{
	return names->place(names->context, kernel, text, AIE_CALLED_PLACE);
}

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

/* Arguments of one call that have elements in common, and of which it writes some. A core has what a call gets in buffers, so that a kernel that reads in one of them what
 * it has written to another would not find it: such arguments are one buffer, and each is a view of that. One thread. */
/* A tensor argument of a call while its act is made. */
struct aie_argument {
	struct aie_area area;
	struct aie_use use; /* all but the number of its area */
};
struct aie_alias_args {
	const struct rt_footprint *footprint; /* of the call */
	bool once;                            /* its kernel runs once, so that the footprint has all it does in its order */
	bool exact;                           /* as in act.h */
	const struct aie_tensor *tensors;     /* per TENS row */
};
/* Sets use.with of all, and for those that are to be one buffer area, view and access. `first` and `second` are places of two that cannot be. Errors: UNSUPPORTED: their types
 * differ. */
ptowsp_status aie_alias(struct aie_argument *arguments, uint32_t count, const struct aie_alias_args *args, uint32_t *first, uint32_t *second);

/* A consumer that leaves the loop over a closed channel goes on when all its producers have closed it, which may be later than their last token: one word per producer that did
 * something in between, if the consumer does anything behind. Source: runtime semantics, section 6, K. One thread. */
/* acts: with a CLOSE for each end of a channel that a producer closes, and a LEAVE where a consumer finds it closed and empty, as the walk has them. Afterwards there is
 * a CLOSE and a LEAVE for each producer that a consumer has to wait for, at the same places, and no other. Errors: NO_MEMORY. */
ptowsp_status aie_closings_settle(struct aie_acts *acts, uint32_t channels, struct ptowsp_error *error);

#endif
