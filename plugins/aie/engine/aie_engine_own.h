/* SPDX-License-Identifier: MIT */
/* aie_engine_own.h - what the files of the engine share. */
#ifndef AIE_ENGINE_OWN_H
#define AIE_ENGINE_OWN_H

#include "aie/aie_backend.h"
#include "aie/aie_report.h"
#include "aie/design/aie_channels.h"
#include "aie/design/design.h"
#include "aie/design/kernel_files.h"
#include "aie/design/map.h"
#include "aie/picture/picture.h"
#include "aie/picture/picture_design.h"
#include "base/planned.h"
#include "base/program.h"

struct aie_loaded {
	struct base_program *program;
	const struct aie_arch *arch; /* part */
	struct aie_arch part;        /* of the device's, as --opt grid says */
	struct base_planned kernels;
	struct rt_program *planned;
	struct base_walk walk;    /* of the run that goes on, as the next ones; empty between runs */
	struct aie_bounds bounds; /* of its schedule */
	struct aie_map map;
	void **bases;                      /* per TENS row, of the run: where it lies */
	struct aie_tensor *tensors;        /* per TENS row, of the run */
	uint8_t *kept;                     /* per TENS row */
	uint8_t *all;                      /* per TENS row: 1, as a phase keeps what the next one may read */
	struct aie_report report;          /* of the latest run */
	struct aie_layout *layouts;        /* per TENS row, of the run */
	bool by_holder;                    /* the schedule says nothing of executors: tasks go to those who hold what they touch */
	uint8_t *stated;                   /* per KREG row, as in hold.h */
	struct aie_kernel_object *objects; /* per KREG row */
	struct base_sections sections;     /* of the package */
};
/* The user's object for a kernel of the map; none for parts of a divided one. */
static inline struct aie_kernel_object aie_object_of(const struct aie_loaded *loaded, uint32_t kernel)
{
	return kernel < loaded->program->kernels.count ? loaded->objects[kernel] : (struct aie_kernel_object){.entry = ""};
}

struct aie_run {
	struct aie_loaded *loaded;
	const struct rt_run_args *args;
	struct ptowsp_deadlock *deadlock; /* NULL: nobody asks */
	struct ptowsp_error *error;
	const struct aie_options *options;
	/* The step that follows the map. */
	ptowsp_status (*then)(struct aie_run *run, struct rt_feed *feed);
	struct aie_sim_stats stuck;                                                               /* of a run that the array cannot end: who waits */
	ptowsp_status (*file)(void *context, const char *path, const void *bytes, uint64_t size); /* of files that are made, not run */
	void *context;
	uint64_t grid[2];              /* rows and columns that executors of this run stand on; 0: none */
	struct base_patience patience; /* with its planning and its simulation */
	bool counted;                  /* no kernel runs, and tensors need no memory */
	uint32_t phase;                /* phases that are over */
	bool more;                     /* behind the one that goes on another one follows */
	uint64_t cycles;               /* of those that are over; of a device nanoseconds */
};
static inline const struct aie_options *aie_options_of(const struct base_program *program)
{
	return (const void *)program->device->instance->options;
}
/* aie_engine.c: walks the program with the arguments of the run, maps it, and does what follows. */
ptowsp_status aie_engine_walk(struct aie_run *run, struct ptowsp_run_stats *stats_out, struct ptowsp_deadlock *deadlock_out);
/* A map as read back from its text. */
struct aie_back {
	struct aie_module module;
	struct aie_design design;
	struct aie_channels channels;
	struct aie_routes routes;
	struct aie_picture_design drawn;
	char title[256]; /* of the picture */
	char ring[256];  /* of streams, which a run with bounded buffers has shown to move; "": there is none */
};
/* engine_back.c: fills a zeroed one. Errors: of the reader, the rules and the router, in words of tasks, kernels and tensors. */
ptowsp_status aie_back_read(struct aie_back *back, struct aie_loaded *loaded, struct ptowsp_error *error);
/* Memory of cores for --explain, one line for cores that take the same. */
void aie_back_tell(const struct aie_back *back, const struct aie_loaded *loaded);
void aie_back_finish(struct aie_back *back);
/* engine_emit.c: the text of the map and what is read from it as files. */
ptowsp_status aie_engine_files(struct aie_run *run, const struct aie_back *back);
/* engine_phase.c: a run in phases. A slot that is loaded from what a task writes ends one: its design runs, and the walk goes on with the values that are there then. The tasks of the walk so far
 * are one phase: behind it run->phase and run->cycles count it. */
ptowsp_status aie_phase_run(struct aie_run *run, struct rt_feed *feed, const struct base_walk_phase *phase, struct ptowsp_error *error);
/* The last phase: the rest of the walk, all of it in a run without phases. */
ptowsp_status aie_phase_last(struct aie_run *run, struct rt_feed *feed, struct ptowsp_error *error);
/* May the program have phases? Before its runs a diagnostic says so. */
bool aie_phases_may(const struct rt_program *program);
void aie_phases_say(const struct aie_loaded *loaded);
/* aie_engine.c: maps what was walked, and does what follows. */
ptowsp_status aie_engine_planned(struct aie_run *run, struct rt_feed *feed, struct ptowsp_error *error);
/* engine_layout.c: layouts of a program, whose shards the engine places itself. load: behind the tables of `loaded`. Errors: NO_MEMORY. */
ptowsp_status aie_layouts_load(struct aie_loaded *loaded, struct ptowsp_error *error);
/* Layouts of a run, as its tensors are bound. Errors: INVALID for a dimension that a tensor has not. */
ptowsp_status aie_layouts_bind(struct aie_run *run);
/* The layouts if there are any and a grid for them, else NULL. */
const struct aie_layout *aie_layouts_of(const struct aie_loaded *loaded);
/* Fills the layouts' stats of a mapped run. */
void aie_layouts_tell(struct aie_run *run);
/* engine_go.c: reads the text of the map, runs what it says, tells the feed; where files are wanted it gives those instead. */
ptowsp_status aie_engine_go(struct aie_run *run, struct rt_feed *feed);

/* engine_phase.c: per core of the design the kernel that takes most of its time, by the times of all tasks of the map's walk. The caller frees the rows; NULL: no memory. */
struct aie_stage_times {
	const uint32_t *cores; /* per task */
	const uint64_t *starts, *ends;
};
struct aie_report_stage *aie_stages_find(const struct aie_map *map, uint32_t core_count, const struct aie_stage_times *times);

/* engine_window.c: the task window as the host keeps it: a task has a place from when the host hands it over, in the order of numbers, until it and all before it have ended. What
 * statistics say of it comes from the times of a run. One thread. */
struct aie_ring {
	const struct aie_map *map;
	const struct base_walk *walk;
	struct rt_feed *feed;
	uint64_t window;   /* 0: none is stated, and nothing else is there */
	uint32_t mode;     /* enum rt_window_mode */
	uint64_t before;   /* cycles of the run before these */
	uint64_t *issued;  /* per task: when it was handed over; UINT64_MAX: with the one before it */
	uint64_t *stalls;  /* per task: when the host began to wait for its place; UINT64_MAX: it had not to */
	uint64_t *stalled; /* per task: for how long */
};
/* ring: zeroed but for `before`. Errors: NO_MEMORY. */
ptowsp_status aie_ring_begin(struct aie_ring *ring, const struct aie_map *map, const struct base_walk *walk, struct rt_feed *feed, uint64_t window,
			     uint32_t mode, struct ptowsp_error *error);
/* As in aie_sim_args. RUN_FAILED, said by the feed: the window is full, and its mode is abort. */
ptowsp_status aie_ring_stepped(void *ring, uint32_t step, uint64_t begin, uint64_t end);
/* ends: per task. */
void aie_ring_tell(struct aie_ring *ring, const uint64_t *ends);
void aie_ring_finish(struct aie_ring *ring);

/* engine_files.c: a design as files for people and tools: the text of record, the form that people write, placement and routes, a picture, and a page about each. */
struct aie_emit_args {
	const char *text;                /* of the module, in the generic form */
	const struct aie_module *module; /* read from it */
	const struct aie_design *design;
	const struct aie_kernel_files *files; /* of its kernels */
	const struct aie_channels *channels;
	const struct aie_picture *picture;
	const char *ring;             /* of streams, "" where there is none */
	bool epoch_b;                 /* of the form that people write */
	const char *const *arguments; /* per argument of the sequence: the tensor's name, NULL of words that nobody reads */
	ptowsp_status (*file)(void *context, const char *path, const void *bytes, uint64_t size);
	void *context;
};
/* Gives each file away once. Errors: those of file, NO_MEMORY. One thread. */
ptowsp_status aie_emit(const struct aie_emit_args *args, struct ptowsp_error *error);

#endif
