/* SPDX-License-Identifier: MIT */
/* run_run.h - one call of ptowsp-run: what it holds from the package to the last figure. */
#ifndef TOOLS_RUN_H
#define TOOLS_RUN_H

#include <stdbool.h>

#include "host/ptowsp_host.h"
#include "ptowsp/package.h"
#include "registry/npy.h"
#include "tools/output.h"
#include "tools/run/checkpoint.h"
#include "tools/run/compare.h"
#include "tools/run/fill.h"
#include "tools/run/run_counters.h"
#include "tools/run/run_options.h"
#include "tools/run/run_report.h"
#include "tools/tools_graph.h"

/* An end of this tool alone, beside those of ptowsp/status.def: neither host nor plugin returns it. */
enum { RUN_NOTHING_PROVED = -1000, RUN_NOTHING_PROVED_EXIT = 11 };

/* The options of one tensor; index as in the plan. */
struct run_tensor {
	struct ptowsp_tensor_info info;
	uint32_t device;               /* the first one whose program uses it, run/mates.c; 0 if none does */
	uint32_t place;                /* its index in that program */
	const char *in, *expect, *out; /* paths, NULL unless given */
	struct npy in_file, expect_file;
	struct fill fill;
	bool filled;            /* --fill */
	bool mark, in_file_too; /* of a checkpoint, run/resume.c; --restore has it */
	const void *restored;   /* its beginning, NULL without --restore */
	uint64_t restored_elements;
	struct output output;
	struct compare compare;
	bool compared;
	const char *compared_with;           /* path, or "sample data" */
	struct ptowsp_device_buffer *buffer; /* owned: where it lies from run to run, run/run_chain.c; NULL: it does not */
	uint32_t origin;                     /* of what it held before the first of these runs */
	void *left;                          /* owned: what the last of them has left there; NULL before */
};

/* The program of device 1, 2 ...; the first one is that of struct run. */
struct run_mate {
	struct run_options options; /* of the run, for another device */
	struct ptowsp_plan *plan;
	struct ptowsp_backend *backend;
	struct ptowsp_program *program;
};

struct run_trace {
	struct output output;
	const struct ptowsp_plan *plan;
	char **names; /* owned: kernel names as JSON strings, by row, made when first seen */
	uint32_t name_room;
	struct run_lane *lanes; /* owned: tracks of resources and channels, run/tracks.c */
	uint32_t lane_count;
	uint32_t named;                 /* bit p: the group of tracks p has its name */
	struct run_executor *executors; /* owned: what the backend says of them, run/tracks.c */
	uint32_t executor_count;
	bool begun, any; /* a run is being traced; an event was written */
	bool threads;    /* tasks in real time stand beside those in semantic time */
};
enum { RUN_PID_EXECUTORS, RUN_PID_THREADS = 4 }; /* groups of tracks that have tasks */

/* Zeroed, then filled step by step; run_finish accepts any prefix. */
struct run {
	const struct run_options *options;
	struct ptowsp_package *package;
	struct ptowsp_plan *plan;
	struct ptowsp_backend *backend;
	struct ptowsp_program *program;
	struct run_mate *mates; /* owned: further devices, run/mates.c */
	uint32_t mate_count;
	bool joined;       /* they are one run that has not begun */
	bool mates_failed; /* one of them ended in an error while the run went on */
	struct ptowsp_execute_options execute;
	struct run_tensor *tensors; /* owned */
	uint32_t tensor_count;
	struct checkpoint restored; /* --restore */
	struct output checkpoint;   /* --checkpoint */
	struct run_trace trace;
	struct run_report report;
	struct run_counters counters; /* --profile */
	struct graph graph;
	bool graph_wanted, trace_wanted, report_wanted;
	bool times_real;         /* --opt trace=real: tasks come in real time alone */
	_Atomic bool graph_full; /* there are more than GRAPH_MOST: set on the plugin's thread, and the run is to end */
	bool emitted;            /* --emit has written its files, or would have */
	uint64_t runs_done;
	uint64_t deadline_ns; /* of the run in progress, 0 = none */
};

/* run/backend.c: options of the command line as the host wants them; finish frees. */
struct run_backend_options {
	struct ptowsp_backend_options options;
	struct ptowsp_setting *settings;
	char device[64]; /* the first of --device */
};
/* The first breach of a rule that layers found; code 0: none. */
struct ptowsp_error *run_breach(void);
ptowsp_status run_backend_options(struct run_backend_options *out, const struct run_options *options, struct ptowsp_error *error);
void run_backend_options_finish(struct run_backend_options *out);
/* Plugins that auto has passed over so far, and why; NULL behind the last. */
struct run_passed {
	char name[40], reason[256];
};
const struct run_passed *run_passed(uint32_t index);
/* The value of an option of the backend, by --opt or by default; NULL if it has no such option. */
const char *run_setting(const struct run *run, const char *key);
/* Opens options->plugin, on the device that the plan's package names if it names one, or chooses for auto; plan: NULL for neither. */
ptowsp_status run_backend_open(struct ptowsp_backend **out, const struct run_options *options, const struct ptowsp_plan *plan, struct ptowsp_error *error);

/* run/session.c */
ptowsp_status run_open(struct run *run, const struct run_options *options, struct ptowsp_error *error); /* package, plan */
/* The files of the command line, tensors and values among them by name: outputs get no content and are not in their places yet. After run_open. Errors: IO, INVALID with the flag. */
ptowsp_status run_files_open(struct run *run, struct ptowsp_error *error);
ptowsp_status run_execute(struct run *run, struct ptowsp_error *error);
void run_finish(struct run *run);
/* ptowsp_program_load under the watchdog; flags: PTOWSP_LOAD_LOOK or 0, besides those of the options. */
ptowsp_status run_program_load(struct ptowsp_program **out, struct ptowsp_backend *backend, const struct ptowsp_plan *plan, const struct run_options *options,
			       uint32_t flags, struct ptowsp_error *error);
/* ptowsp_program_place and ptowsp_program_check with the values that are set, within --timeout-ms and 3 s each. */
ptowsp_status run_program_place(struct ptowsp_program *program, const struct run_options *options, struct ptowsp_error *error);
ptowsp_status run_program_check(struct ptowsp_program *program, const struct run_options *options, struct ptowsp_error *error);
/* The run of that number, on all its devices, without its kernels and without content of tensors, within --timeout-ms, else 3 s: what becomes of it as far as its tasks decide. Errors: those of a run;
 * DEADLINE where there are too many tasks to count; INVALID as PTOWSP_RUN_LOOK has it. */
ptowsp_status run_look(struct run *run, uint64_t number, struct ptowsp_error *error);

/* run/mates.c: what --device names behind the first one. prepare, start: after the run itself is prepared; wait: st is what has become of it, and failures of
 * the others become the run's. failed: while the run goes on; one of the others has failed, so that it need not. */
/* Before the plan is made: the entry of the first device, NULL for the package's own default. */
ptowsp_status run_mates_entry(const struct run *run, const char **entry_out, struct ptowsp_error *error);
/* How many devices there are behind the first one. */
uint32_t run_mates_wanted(const struct run_options *options);
/* open: room for all of them, then plan and backend of one, then its program; flags as for run_program_load. */
ptowsp_status run_mates_make(struct run *run, struct ptowsp_error *error);
ptowsp_status run_mate_open(struct run *run, uint32_t number, struct ptowsp_error *error);
ptowsp_status run_mate_load(struct run *run, uint32_t number, uint32_t flags, struct ptowsp_error *error);
/* Values of the command line that the mate's program has. Errors: INVALID. */
ptowsp_status run_mate_values(const struct run_mate *mate, struct ptowsp_error *error);
/* Makes one run of all programs that are loaded. */
ptowsp_status run_mates_join(struct run *run, struct ptowsp_error *error);
ptowsp_status run_mates_open(struct run *run, struct ptowsp_error *error);
ptowsp_status run_mates_prepare(struct run *run, struct ptowsp_error *error);
ptowsp_status run_mates_start(struct run *run, struct ptowsp_error *error);
bool run_mates_failed(struct run *run);
ptowsp_status run_mates_wait(struct run *run, ptowsp_status st, struct ptowsp_error *error);
/* A line of each device behind the first one, unless nobody wants lines. */
void run_mates_print(const struct run *run);
/* The program that has the tensor's memory, and the tensor's index there. */
struct ptowsp_program *run_tensor_program(const struct run *run, uint32_t index, uint32_t *place_out);
void run_tensor_view(const struct run *run, uint32_t index, struct ptowsp_tensor_view *view_out);
void run_mates_finish(struct run *run);

/* run/resume.c, --checkpoint and --restore. open: after run_tensors_open. fill: of a mark, or of a tensor that is restored. write: after a run that
 * succeeded; the file is complete but not yet in its place. tell: after one on one device, of checkpoints that were brought back and not there. */
ptowsp_status run_checkpoints_open(struct run *run, struct ptowsp_error *error);
ptowsp_status run_checkpoint_fill(const struct run_tensor *tensor, void *data, uint64_t elements, struct ptowsp_error *error);
ptowsp_status run_checkpoint_write(struct run *run, struct ptowsp_error *error);
void run_checkpoints_tell(const struct run *run);

/* run/bind.c: files and fills. */
ptowsp_status run_tensors_open(struct run *run, struct ptowsp_error *error);
ptowsp_status run_tensors_bind(struct run *run, struct ptowsp_error *error);
ptowsp_status run_values_set(struct ptowsp_program *program, const struct run_options *options, uint64_t number, struct ptowsp_error *error);
bool run_values_vary(const struct run_options *options); /* from run to run */
ptowsp_status run_values_check(const struct run *run, struct ptowsp_error *error);
void run_tensors_finish(struct run *run);

/* run/emit.c, --emit: files below its folder: before anything is loaded, or, where they are those of a run, before it. Errors: IO, those of the backend. was_all: nothing else was asked for that only a run
 * can give, so that st, of a device that is not there or lacks something, is no failure: says so. */
ptowsp_status run_emit(struct run *run, struct ptowsp_error *error);
/* Would it be refused? Nothing is left in the folder. Where the files are those of a run, only the folder is looked at. */
ptowsp_status run_emit_look(struct run *run, struct ptowsp_error *error);
bool run_emit_was_all(const struct run *run, ptowsp_status st, const struct ptowsp_error *error);

/* run/verify.c: expectations. MISMATCH with the sentence of the first tensor that differs. */
ptowsp_status run_compare(struct run *run, struct ptowsp_error *error);
/* Has what run_compare compares with as many elements as its tensors, whose shapes are settled? Errors: INVALID for a file of --expect, BAD_PACKAGE for data of the package. */
ptowsp_status run_expect_check(const struct run *run, struct ptowsp_error *error);
/* run/run_chain.c, with --chain. begin: tensors of the run that is prepared get buffers with their content, and it is prepared again; end: what is there after the last run comes back, for
 * run_tensor_view; finish: with the program unloaded. */
ptowsp_status run_chain_begin(struct run *run, struct ptowsp_error *error);
ptowsp_status run_chain_end(struct run *run, struct ptowsp_error *error);
void run_chain_finish(struct run *run);
struct run_chained {
	uint32_t tensors;
	uint64_t bytes;
	bool is_apart; /* on the device, by the plugin */
};
struct run_chained run_chained(const struct run *run);

/* run/files.c: INVALID where an output of the command line is an input, the plugin or another output. */
ptowsp_status run_files_apart(const struct run_options *options, struct ptowsp_error *error);
ptowsp_status run_plugin_apart(const char *path, struct ptowsp_error *error);
/* run/write.c: --out files. */
ptowsp_status run_outputs_write(struct run *run, struct ptowsp_error *error);
ptowsp_status run_outputs_publish(struct run *run, struct ptowsp_error *error);

/* run/trace.c: --trace and --graph. */
ptowsp_status run_sinks_attach(struct run *run, struct ptowsp_error *error);
/* failure: why the run ended early, marked in the trace where the clock then stood; NULL: it did not. */
ptowsp_status run_trace_finish(struct run *run, const struct ptowsp_error *failure, struct ptowsp_error *error);
void run_trace_drop(struct run *run);
/* run/tracks.c: what --trace shows beside tasks; finish names all tracks. */
void run_tracks_write(struct run_trace *trace, const struct ptowsp_trace_event *event);
void run_tracks_finish(struct run *run, const struct ptowsp_error *failure);

/* run/wait.c: waiting with signals, deadline and progress. */
void run_signals_install(void);
/* Of the rank "I/N", borrowed: one by which its launcher ends the process is not said. */
void run_signals_silence(const char *rank);
/* Outputs are about to be put in place: a signal that asks to end comes too late from here on. */
void run_signals_over(void);
/* The signal that asked to end, 0 if none. */
int run_signal(void);
/* Gives a phase that cannot be interrupted a limit: --timeout-ms for running, if it is given, --load-timeout-ms for the others; a little behind it the process ends by itself. A
 * watcher is told when opening or loading takes long. NOTHING: no limit any more. */
enum run_phase { RUN_NOTHING, RUN_OPENING, RUN_LOADING, RUN_LOOKING, RUN_RUNNING, RUN_CLOSING };
void run_watchdog(const struct run_options *options, enum run_phase phase);
/* The phase and its time so far, as a line. In handlers, too. */
void run_phase_say(void);
bool run_is_watched(const struct run_options *options); /* by people, who get lines about what goes on */
/* Around a phase in which tensors without a shape may be measured: says so, once, when it takes long and someone watches. */
void run_measuring(const struct run *run, bool begins);
ptowsp_status run_wait(struct run *run, struct ptowsp_error *error);
/* run/state.c */
void run_state_print(struct run *run);
void run_progress_print(struct run *run, const struct ptowsp_run_stats *live);

/* run/stats.c, run/text.c: results of the last run. */
/* The object of --stats=json; NULL without memory. failure may be NULL where status is OK. */
struct json_t *run_stats_make(struct run *run, ptowsp_status status, const struct ptowsp_error *failure);
ptowsp_status run_stats_json(struct run *run, ptowsp_status status, const struct ptowsp_error *failure, struct ptowsp_error *error);
void run_stats_text(struct run *run);
/* Name of a resource row, a channel's in full; into text where it is not the row's own. */
/* The kind of code that the tasks of a kernel ran, by its flags: "native", "portable" or "c"; NULL if the backend does not say. */
const char *run_code_text(uint32_t flags);
/* Time of its tasks on the device, 0: not measured. */
uint64_t run_device_ns(const struct ptowsp_kernel_stats *kernel);
const char *run_resource_name(const struct run *run, const struct ptowsp_resource_stats *row, char *text, size_t size);
/* The name of a row of the TENS table; "?" for one that the entry does not have. */
const char *run_tensor_name(const struct run *run, uint32_t row);
void run_summary_print(struct run *run);
/* Diagnostics, one line each on stderr. */
void run_diagnostics_print(struct run *run);
/* A temp tensor that a run read, that nothing was given and no task had written is UNSUPPORTED with --strict. */
ptowsp_status run_unwritten_check(const struct run *run, struct ptowsp_error *error);

/* run/list.c: the backend of --plugin, else every usable one; those that cannot be opened are named on stderr. */
typedef void (*run_backend_fn)(void *context, struct ptowsp_backend *backend);
ptowsp_status run_each_backend(const struct run_options *options, run_backend_fn visit, void *context, struct ptowsp_error *error);

/* Other modes; each prints its page. */
ptowsp_status run_list_plugins(const struct run_options *options, struct ptowsp_error *error);
/* The engine that runs tasks on a device, and the model of its cycles: "unknown" where it does not say, or is NULL. Borrowed from the plugin. */
const char *run_engine(const struct ptowsp_device *device);
const char *run_cycle_model(const struct ptowsp_device *device);
ptowsp_status run_devices(const struct run_options *options, struct ptowsp_error *error);
ptowsp_status run_capabilities(const struct run_options *options, struct ptowsp_error *error);
/* run/platforms.c: what the specification says of task graph instructions on each platform. */
void run_platforms_print(void);
/* The text of a capability row: its state, "-" for NULL; "claimed" where the plugin claims to enforce the feature and nothing here has shown that. */
const char *run_cap_text(const struct ptowsp_cap *cap, bool shown);
/* DEVICE_LOST or DEADLINE, naming the feature, if a probe crashed a backend or did not come back; RUN_FAILED, naming the features, if a backend claims to enforce what a probe does not see; NO_DEVICE if nothing was proved, because no device could be opened, else
 * RUN_NOTHING_PROVED. */
ptowsp_status run_claims(const struct run_options *options, struct ptowsp_error *error);
ptowsp_status run_explain(const struct run_options *options, struct ptowsp_error *error);
ptowsp_status run_help(const struct run_options *options, struct ptowsp_error *error);

/* run/json.c: prints and frees; NULL is NO_MEMORY. */
struct json_t;
struct json_t *run_platforms_json(void);
struct json_t *run_words_json(const char *text);                               /* "a,b" as an array; NULL without memory */
ptowsp_status run_json_print(struct json_t *root, struct ptowsp_error *error); /* reals with up to 9 digits */
ptowsp_status run_json_print_digits(struct json_t *root, unsigned digits, struct ptowsp_error *error);

#endif
