/* SPDX-License-Identifier: MIT */
/* capture.h - what the runtime writes to the error stream during a call: its C interface gives codes only, the sentences behind them go there. They are passed on
 * as they come; the last lines are kept, too. The error stream belongs to the process: one capture at a time (begin waits for its turn). */
#ifndef ASCEND_CAPTURE_H
#define ASCEND_CAPTURE_H

#include <pthread.h>
#include <stddef.h>

#define ASCEND_CAPTURE_ROOM 16384

struct ascend_capture {
	int was, pipe; /* the error stream as it was; reading end; -1 where nothing is captured */
	pthread_t thread;
	size_t used;
	char text[ASCEND_CAPTURE_ROOM]; /* the last bytes, NUL-terminated after end */
};
/* Begins to keep the output; where that cannot be done nothing is kept, and the call goes on without. */
void ascend_capture_begin(struct ascend_capture *capture);
void ascend_capture_end(struct ascend_capture *capture);

#endif
