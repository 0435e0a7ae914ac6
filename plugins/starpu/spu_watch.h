/* SPDX-License-Identifier: MIT */
/* spu_watch.h - the other ranks of a machine, watched: what waits in StarPU or MPI for one that is gone waits forever, and mpirun tells nobody. A rank of another machine is not seen. One watch per process. */
#ifndef SPU_WATCH_H
#define SPU_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* How ranks know which of them are processes of one machine. */
struct spu_sign {
	char machine[64]; /* its boot, and the numbering of processes on it */
	int32_t pid;
};
void spu_sign_make(struct spu_sign *sign_out);

/* Begins to watch; signs: of `count` ranks, all of them running, this one being `rank`. gone: called once, by the watch's thread, when another rank has ended while the watch is armed; it may
 * end the process. False: no memory or no thread. Main thread, as below. */
bool spu_watch_begin(const struct spu_sign *signs, uint32_t count, uint32_t rank, void (*gone)(uint32_t rank));
/* Armed, as long as a run needs all ranks. */
void spu_watch_arm(bool armed);
/* Has another rank ended? */
bool spu_watch_lost(void);
/* Without spu_watch_begin: nothing. */
void spu_watch_end(void);

#endif
