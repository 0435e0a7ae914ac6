/* SPDX-License-Identifier: MIT */
/* ptowsp_host.h - the embedding API of libptowsp: open a package, open a backend, load, bind, run, ask what happened.
 *
 *	struct ptowsp_package *package;  ptowsp_package_open(&package, "model.pkg.zst", 0, &error);
 *	struct ptowsp_plan *plan;        ptowsp_plan_create(&plan, package, NULL, &error);
 *	struct ptowsp_backend *backend;  ptowsp_backend_open(&backend, &options, &error);
 *	struct ptowsp_program *program;  ptowsp_program_load(&program, backend, plan, 0, &error);
 *	ptowsp_tensor_bind(program, "x", x, 4096, &error);
 *	ptowsp_execute(program, NULL, &error);
 *
 * Every handle is destroyed by the function that its maker's comment names, in reverse order; what a handle was made from
 * must outlive it. Destroyers accept NULL. A handle is used by one thread at a time unless a declaration says [any].
 * Functions that can fail return 0 or a negative status of ptowsp/status.def, put one sentence into *error (NULL is
 * allowed), and leave *out NULL. Texts that are returned are borrowed from the handle. */
#ifndef PTOWSP_HOST_API_H
#define PTOWSP_HOST_API_H

#include "ptowsp/plugin.h"

PTOWSP_BEGIN

#if defined(__GNUC__)
#define PTOWSP_API __attribute__((visibility("default")))
#else
#define PTOWSP_API
#endif

struct ptowsp_package;       /* an open, verified file; immutable */
struct ptowsp_plan;          /* the work of a run: package, entry, schedule; independent of any backend; immutable */
struct ptowsp_backend;       /* an initialised plugin and, once a program is loaded, its device */
struct ptowsp_program;       /* a plan loaded on a backend, with bindings and values */
struct ptowsp_match;         /* verdicts about a plan on a backend */
struct ptowsp_device_buffer; /* memory of a backend's device that outlives runs */
struct ptowsp_fence;         /* a value of a backend's device that runs wait for and signal */
struct ptowsp_external;      /* memory or an event that others have a name for: ptowsp/buffers.h, with PTOWSP_ABI_TARGET 1 */
struct ptowsp_listing;       /* plugins that were found */

/* ---- general [any] ------------------------------------------------------------------------------------------ */

PTOWSP_API const char *ptowsp_version(void);  /* "10.1.0" */
PTOWSP_API const char *ptowsp_features(void); /* features of this host's build, one line */
/* Sentence of the last failed call of this thread, "" if none failed. */
PTOWSP_API const char *ptowsp_last_error(void);

/* Protection of this program from its plugins, as far as this machine can: worker processes, Landlock, seccomp, memory that is never writable and executable, sealed
 * memory files. index 0..; 0 behind the last, else 1. */
struct ptowsp_host_feature {
	const char *name; /* static */
	uint32_t state;   /* PTOWSP_STATE_ENFORCED, PTOWSP_STATE_UNSUPPORTED */
	uint32_t reserved;
	char text[120]; /* its use, or why it is not there */
};
PTOWSP_API int ptowsp_host_feature(uint32_t index, struct ptowsp_host_feature *row_out);

/* ---- package ------------------------------------------------------------------------------------------------ */

/* max_bytes: uncompressed content, 0 = 1 GiB. Errors: IO, BAD_PACKAGE (file, offset, rule), NO_MEMORY. Destroyed by
 * ptowsp_package_close. */
PTOWSP_API ptowsp_status ptowsp_package_open(struct ptowsp_package **out, const char *path, uint64_t max_bytes, struct ptowsp_error *error);
/* bytes must live as long as the package; name is for messages. */
PTOWSP_API ptowsp_status ptowsp_package_open_memory(struct ptowsp_package **out, const void *bytes, size_t size, const char *name, uint64_t max_bytes,
						    struct ptowsp_error *error);
PTOWSP_API void ptowsp_package_close(struct ptowsp_package *package);
PTOWSP_API const char *ptowsp_package_name(const struct ptowsp_package *package);
PTOWSP_API const char *ptowsp_package_meta(const struct ptowsp_package *package, const char *key); /* NULL if absent */
/* index 0.., NULL behind the last: targets (none: any), entries, notices about unknown optional sections */
PTOWSP_API const char *ptowsp_package_target(const struct ptowsp_package *package, uint32_t index);
PTOWSP_API const char *ptowsp_package_entry(const struct ptowsp_package *package, uint32_t index);
/* Number of the device of a run that an entry is made for: N of `graph ... on device N`, 0 of other graphs, PTOWSP_NONE (any) of other entries. */
PTOWSP_API uint32_t ptowsp_package_entry_device(const struct ptowsp_package *package, uint32_t index);
PTOWSP_API const char *ptowsp_package_notice(const struct ptowsp_package *package, uint32_t index);

/* ---- plan --------------------------------------------------------------------------------------------------- */

struct ptowsp_plan_options {
	const char *entry;           /* NULL: the package's default */
	const char *const *schedule; /* KEY=VALUE each; replaces the package's row of that directive */
	uint32_t schedule_count;
	uint32_t reserved;
};
/* options may be NULL. Errors: NOT_FOUND (entry; lists the known ones, nearest first), INVALID (schedule text),
 * BAD_PACKAGE (tables of the workload), NO_MEMORY. Destroyed by ptowsp_plan_destroy. */
PTOWSP_API ptowsp_status ptowsp_plan_create(struct ptowsp_plan **out, struct ptowsp_package *package, const struct ptowsp_plan_options *options,
					    struct ptowsp_error *error);
PTOWSP_API void ptowsp_plan_destroy(struct ptowsp_plan *plan);
PTOWSP_API const char *ptowsp_plan_entry(const struct ptowsp_plan *plan);
/* Names of rows of CSPC and PROC; "?" for others. */
PTOWSP_API const char *ptowsp_plan_channel(const struct ptowsp_plan *plan, uint32_t row);
PTOWSP_API const char *ptowsp_plan_process(const struct ptowsp_plan *plan, uint32_t row);
/* Name of a row of the KREG table; "copy" behind the last one where the program copies; else "?". */
PTOWSP_API const char *ptowsp_plan_kernel(const struct ptowsp_plan *plan, uint32_t row);
/* Bytes of the tiles that it writes, by its declared parameters; 0 unknown. */
PTOWSP_API uint64_t ptowsp_plan_kernel_bytes(const struct ptowsp_plan *plan, uint32_t row);

/* A symbol, a slot, or a scalar that the entry never initialises. */
struct ptowsp_value_info {
	const char *name; /* as the entry calls it */
	uint16_t dtype;
	uint16_t kind;     /* PTOWSP_SLOT_SYMBOL, PTOWSP_SLOT_SLOT */
	uint32_t flags;    /* PTOWSP_VALUE_x */
	uint64_t standard; /* default: sign-extended integer or bit pattern */
};
enum { PTOWSP_VALUE_NEEDED = 1, PTOWSP_VALUE_HAS_DEFAULT = 2 };
/* index 0..; 0 behind the last, else 1. */
PTOWSP_API int ptowsp_plan_value(const struct ptowsp_plan *plan, uint32_t index, struct ptowsp_value_info *info_out);

struct ptowsp_tensor_info {
	const char *name; /* as the entry calls it */
	uint16_t dtype, role;
	uint32_t flags;    /* PTOWSP_TENSOR_INFO_x */
	uint32_t position; /* in the entry's signature, 0 first */
	uint32_t row;      /* of the TENS table */
};
enum {
	PTOWSP_TENSOR_INFO_USED = 1,      /* the entry touches it */
	PTOWSP_TENSOR_INFO_SHAPELESS = 2, /* takes the shape of what is bound */
	PTOWSP_TENSOR_INFO_SAMPLE = 4,    /* the package has sample data for it as an input */
	PTOWSP_TENSOR_INFO_EXPECTED = 8   /* the package has its expected content for those inputs */
};
/* index 0.., in order of position; 0 behind the last, else 1. The same indices as in a program of this plan. */
PTOWSP_API int ptowsp_plan_tensor(const struct ptowsp_plan *plan, uint32_t index, struct ptowsp_tensor_info *info_out);
/* Errors: NOT_FOUND, lists the known ones, nearest first. */
PTOWSP_API ptowsp_status ptowsp_plan_tensor_find(const struct ptowsp_plan *plan, const char *name, uint32_t *index_out, struct ptowsp_error *error);

/* ---- backends ----------------------------------------------------------------------------------------------- */

struct ptowsp_backend_options {
	const char *plugin;             /* name, target alias, or a path with a '/'; NULL: cpu_sim */
	const char *const *plugin_dirs; /* searched first, in order */
	uint32_t plugin_dir_count;
	uint32_t flags;                        /* PTOWSP_BACKEND_x */
	const char *device;                    /* selector, NULL: the first */
	const struct ptowsp_setting *settings; /* options of the plugin */
	uint32_t setting_count;
	uint32_t threads;      /* workers, 0 = all cores this process may use */
	uint64_t memory_limit; /* told to the plugin: bytes that it may hold for tensors and tasks, 0 = none; a run that holds more ends, TOO_BIG */
	/* Lines for people; called from any thread, one at a time; must not call back into this API. NULL: dropped. */
	void (*log)(void *context, int32_t level, const char *text);
	void *log_context;
	/* Folders with public keys NAME.pub and lists of plugins, beside the system's and those of PTOWSP_TRUST_DIR. Under elevated privileges the system's only. */
	const char *const *trust_dirs;
	uint32_t trust_dir_count;
	uint32_t isolate;      /* PTOWSP_ISOLATE_x: where the plugin runs */
	uint32_t plugin_trust; /* PTOWSP_PLUGINS_x */
	/* The most that a load of an isolated plugin may take, or any other call without a deadline; then its worker is ended, DEADLINE. 0: two minutes. Calls that only ask have 10 s of it, init
	 * and open have 30 s. A plugin in this process cannot be ended. */
	uint32_t load_timeout_ms;
	/* Checking layers between host and plugin, "NAME[:PARAMETER],...": trace[:FILE], validate, threads, fault[:SEED]; host/README.md. NULL: none. With validate a race
	 * found is an error of the run, as with PTOWSP_RUN_STRICT. */
	const char *layers;
	/* Gets the first breach of a rule that they find, at the latest when the backend is closed: DEVICE_LOST where the plugin broke it, RUN_FAILED where the host
	 * did; without one, what kept a layer from its work (IO: trace could not write all); else code stays 0. Each is logged, too. Lives until then; may serve several
	 * backends. NULL: only logged. */
	struct ptowsp_error *breach;
	/* Limits of a sandbox: bytes of memory of its own (tensors of the host do not count), seconds of processor time, threads at once; a sandbox beyond one is ended,
	 * DEVICE_LOST. 0: a limit that ordinary plugins do not meet: half of the machine's memory, or where there is one memory_limit and 1 GiB; a day per core; 256 and four
	 * per core or thread. */
	uint64_t sandbox_memory;
	uint32_t sandbox_cpu_s, sandbox_threads;
};
/* Plugins that may load: any; those whose file a plugins.list of a trust folder has ("SHA-256 NAME" per line); those with a signature of a trusted key in PLUGIN.sig.
 * A sealed copy in memory of the latter two is checked and loaded. Under elevated privileges ANY is LISTED. */
enum { PTOWSP_PLUGINS_ANY = 0, PTOWSP_PLUGINS_LISTED = 1, PTOWSP_PLUGINS_SIGNED = 2 };
enum {
	PTOWSP_BACKEND_USER_PLUGINS = 1, /* search the user's own folder too */
	PTOWSP_BACKEND_TRUST_NATIVE = 2, /* the choice will load with PTOWSP_LOAD_TRUST_NATIVE */
	PTOWSP_BACKEND_TRUST_SIGNED = 4, /* programs may be loaded with PTOWSP_LOAD_TRUST_SIGNED: trusted keys are read when the backend is opened */
	PTOWSP_BACKEND_STRICT = 8,       /* the choice will load with PTOWSP_LOAD_STRICT */
	PTOWSP_BACKEND_NATIVE_APART =
		16, /* without `isolate`, and opened for a plan whose native code may run here, it gets a worker, wherever its plugin lies: that code may end its process */
	PTOWSP_BACKEND_GRANTS =
		32 /* its sandbox gives what the plugin's note asks for (ptowsp/note.h), whoever made the plugin; without it those of root, of the library's owner, listed and signed ones get that */
};
/* A load flag of this API, beside those of ptowsp/run.h; plugins do not see it: native code runs if the package is signed by a trusted key for this plugin and
 * the ABI that it speaks with this host, else the package is as without trust. The backend was opened with PTOWSP_BACKEND_TRUST_SIGNED. */
#define PTOWSP_LOAD_TRUST_SIGNED 0x10000u
/* Another one: the program is loaded to hear what the plugin says of it, and cannot run. Native code that would run is checked, and not a byte of it is mapped or run. */
#define PTOWSP_LOAD_LOOK 0x20000u
/* A run flag of this API, in the place of PTOWSP_RUN_NO_KERNELS: a look at the run with kernels, also of programs that were loaded to look at them. No kernel runs; tensors have the
 * memory that they would have, and no content. Errors of a run with it also: INVALID where data of tensors decide which tasks there are. */
#define PTOWSP_RUN_LOOK 0x10000u

enum {                             /* where a plugin runs */
       PTOWSP_ISOLATE_DEFAULT = 0, /* NONE for a plugin in the folder of the running tool or library whose owner is root or that of the library, else PROCESS */
       PTOWSP_ISOLATE_NONE = 1,    /* in this process */
       PTOWSP_ISOLATE_PROCESS = 2, /* in one of its own, which may crash and hang: runs end as DEVICE_LOST or DEADLINE then, and every later call says so */
       PTOWSP_ISOLATE_SANDBOX = 3  /* and which may not write files, use the network or take what it likes */
};

/* Every plugin of the search path; runs no plugin code. Destroyed by ptowsp_listing_destroy. */
PTOWSP_API ptowsp_status ptowsp_listing_create(struct ptowsp_listing **out, const struct ptowsp_backend_options *options, struct ptowsp_error *error);
PTOWSP_API void ptowsp_listing_destroy(struct ptowsp_listing *listing);
/* Breaches of PL8 and PL9 that a plugin's note declares of its driver (ptowsp/note.h). */
enum { PTOWSP_DRIVER_THREADS = 1, PTOWSP_DRIVER_ENVIRONMENT = 2, PTOWSP_DRIVER_DESCRIPTORS = 4, PTOWSP_DRIVER_HANDLERS = 8, PTOWSP_DRIVER_OUTPUT = 16 };
PTOWSP_API const char *ptowsp_driver_text(uint32_t driver); /* the word of one bit, "threads"; NULL if there is none */
struct ptowsp_listing_row {
	const char *path, *name, *vendor, *version, *targets;
	const char *reason; /* why it was skipped, "" if usable */
	uint32_t major, minor;
	uint32_t usable, shadowed;
	uint32_t isolation; /* PTOWSP_ISOLATE_NONE or _PROCESS: where it runs if nothing else is asked for; meaningful if usable */
	uint32_t driver;    /* PTOWSP_DRIVER_x: what its note declares of its driver, which gives it a process of its own (ptowsp_listing_option) */
};
/* Words of its note that ask for more than a sandbox has (ptowsp/note.h), "" for none; *given_out: a sandbox of these options gives it that. Borrowed from the listing. index: as of a row. */
PTOWSP_API const char *ptowsp_listing_grants(const struct ptowsp_listing *listing, uint32_t index, uint32_t *given_out);
/* The option of a plugin without which it has no driver, and no process of its own by it; "": it always has. Borrowed from the listing. index: as of a row. */
PTOWSP_API const char *ptowsp_listing_option(const struct ptowsp_listing *listing, uint32_t index);
PTOWSP_API int ptowsp_listing_row(const struct ptowsp_listing *listing, uint32_t index, struct ptowsp_listing_row *row_out);
PTOWSP_API const char *ptowsp_listing_folder(const struct ptowsp_listing *listing, uint32_t index); /* NULL behind the last */

/* Finds, checks, loads and initialises a plugin; touches no device yet. A plugin that is named by one of its targets, and has that name among the values of its option
 * `device`, gets it as that option, unless settings have one. Errors: PLUGIN_REFUSED, INVALID (unknown option or
 * value, lists the declared ones), what the plugin's init says. Destroyed by ptowsp_backend_close, after its programs. */
PTOWSP_API ptowsp_status ptowsp_backend_open(struct ptowsp_backend **out, const struct ptowsp_backend_options *options, struct ptowsp_error *error);
/* The same for a plan: where the package names targets, and one of them is a value of the plugin's option `device`, that is whose devices come first. */
PTOWSP_API ptowsp_status ptowsp_backend_open_for(struct ptowsp_backend **out, const struct ptowsp_backend_options *options, const struct ptowsp_plan *plan,
						 struct ptowsp_error *error);
/* The first plugin of the preference list (order: comma-separated names, NULL: the host's own) that enforces every directive
 * of the plan, has a device, loads it there and finds a place for it with its default values. skipped: told of each one passed over, with the reason; may be NULL.
 * Errors: PLUGIN_REFUSED if none is left. The plan must outlive the backend, which may keep what it loaded for ptowsp_program_load. */
PTOWSP_API ptowsp_status ptowsp_backend_choose(struct ptowsp_backend **out, const struct ptowsp_backend_options *options, const char *order,
					       const struct ptowsp_plan *plan, void (*skipped)(void *context, const char *name, const char *reason),
					       void *context, struct ptowsp_error *error);
/* The same with a trial of the caller's own in place of the defaults: of each program that loads, to which it may give values; a status other than OK passes the plugin over,
 * and its sentence is the reason. Either may be NULL. */
struct ptowsp_choice {
	void (*skipped)(void *context, const char *name, const char *reason);
	ptowsp_status (*trial)(void *context, struct ptowsp_program *program, struct ptowsp_error *error);
	void *context;
};
PTOWSP_API ptowsp_status ptowsp_backend_choose_by(struct ptowsp_backend **out, const struct ptowsp_backend_options *options, const char *order,
						  const struct ptowsp_plan *plan, const struct ptowsp_choice *choice, struct ptowsp_error *error);
PTOWSP_API void ptowsp_backend_close(struct ptowsp_backend *backend);
/* Opens its device now; loading a program does it, too. Nothing happens where it is open. Errors: NO_DEVICE (says which, and where it looked), what the plugin says. */
PTOWSP_API ptowsp_status ptowsp_backend_device_open(struct ptowsp_backend *backend, struct ptowsp_error *error);
PTOWSP_API const char *ptowsp_backend_name(const struct ptowsp_backend *backend);
PTOWSP_API const char *ptowsp_backend_path(const struct ptowsp_backend *backend);
/* Why its plugin may load: "in a list", "signed by NAME (KEY)", "" where any may. */
PTOWSP_API const char *ptowsp_backend_trust(const struct ptowsp_backend *backend);
PTOWSP_API const char *ptowsp_backend_version(const struct ptowsp_backend *backend);
/* PTOWSP_ISOLATE_x, never DEFAULT: where it runs. */
PTOWSP_API uint32_t ptowsp_backend_isolation(const struct ptowsp_backend *backend);
/* As ptowsp_listing_grants, of its plugin. *given_out: 0 also where it is in no sandbox. Borrowed. */
PTOWSP_API const char *ptowsp_backend_grants(const struct ptowsp_backend *backend, uint32_t *given_out);
/* Bytes of tensors that were copied to and from an isolated plugin so far: those of memory that is not of ptowsp_buffer_alloc or the host's own. [any] */
PTOWSP_API uint64_t ptowsp_backend_copied(const struct ptowsp_backend *backend);
/* Number of its worker process; 0: it has none. For people who look at it. [any] */
PTOWSP_API int64_t ptowsp_backend_worker(const struct ptowsp_backend *backend);
/* index 0.., NULL behind the last; tables of the plugin */
PTOWSP_API const struct ptowsp_device *ptowsp_backend_device(const struct ptowsp_backend *backend, uint32_t index);
PTOWSP_API const struct ptowsp_option *ptowsp_backend_option(const struct ptowsp_backend *backend, uint32_t index);
/* The device that programs run on: the selected one, else the first; NULL if the plugin lists none. */
PTOWSP_API const struct ptowsp_device *ptowsp_backend_current(const struct ptowsp_backend *backend);
/* Capability row of that device; NULL if it has none for the feature. */
PTOWSP_API const struct ptowsp_cap *ptowsp_backend_cap(const struct ptowsp_backend *backend, uint32_t feature);

/* ---- matching ----------------------------------------------------------------------------------------------- */

struct ptowsp_verdict {
	uint32_t feature;
	uint8_t directive;  /* 1: about a directive; 0: opcode, kernel or requirement */
	uint8_t state;      /* PTOWSP_STATE_x: how it is met */
	uint8_t wanted;     /* the least state asked for, 0 = none */
	uint8_t refused;    /* 1: the plan cannot be loaded on this backend */
	const char *what;   /* "dispatch=round_robin(4)" */
	const char *reason; /* why it is not enforced, "" if it is; of a kernel with native code: what runs, and why */
};
/* flags: PTOWSP_LOAD_x. Refusals are rows, not errors; with TRUST_NATIVE native code is looked at, too, and none of it runs. Destroyed by
 * ptowsp_match_destroy. */
PTOWSP_API ptowsp_status ptowsp_match_create(struct ptowsp_match **out, const struct ptowsp_backend *backend, const struct ptowsp_plan *plan, uint32_t flags,
					     struct ptowsp_error *error);
PTOWSP_API void ptowsp_match_destroy(struct ptowsp_match *match);
/* May native code run, and why: "signed by NAME (KEY)", why no signature counts, "" where nobody asked for signatures. */
PTOWSP_API const char *ptowsp_match_trust(const struct ptowsp_match *match);
PTOWSP_API int ptowsp_match_row(const struct ptowsp_match *match, uint32_t index, struct ptowsp_verdict *verdict_out);

/* ---- program ------------------------------------------------------------------------------------------------ */

/* Matches, opens the device if that has not happened, and loads. flags: PTOWSP_LOAD_STRICT, and
 * PTOWSP_LOAD_TRUST_NATIVE to let native code of the package run, in this process and with its rights, or PTOWSP_LOAD_TRUST_SIGNED. Errors: UNSUPPORTED (names
 * what and why), NO_DEVICE, what the plugin's load says. Destroyed by ptowsp_program_unload. */
PTOWSP_API ptowsp_status ptowsp_program_load(struct ptowsp_program **out, struct ptowsp_backend *backend, const struct ptowsp_plan *plan, uint32_t flags,
					     struct ptowsp_error *error);
PTOWSP_API void ptowsp_program_unload(struct ptowsp_program *program);             /* waits for a run in flight */
PTOWSP_API const char *ptowsp_program_trust(const struct ptowsp_program *program); /* as ptowsp_match_trust */
/* Code that a plugin compiles for a program is kept in a file of this user below $XDG_CACHE_HOME/ptowsp/compiled (else $HOME/.cache), if the plugin offers "ptowsp.compiled" (ptowsp/compiled.h), and given to
 * the next load of that package with that plugin and those settings: the time of a load changes, and nothing else. For all backends of the process, from the next load on: bytes that the folder may have,
 * the least recently used go; 0, which is so at first, and always under elevated privileges: nothing is kept or found. It is written when a program is unloaded of which a run ended well. [any] */
PTOWSP_API void ptowsp_compiled_cache(uint64_t bytes);
struct ptowsp_compiled_use {
	uint32_t found, reserved; /* pieces that load was given, 0: none were there */
	uint64_t found_bytes;
};
PTOWSP_API void ptowsp_compiled_used(const struct ptowsp_program *program, struct ptowsp_compiled_use *use_out);
PTOWSP_API double ptowsp_compile_ms(const struct ptowsp_program *program); /* wall time of the plugin's load */

/* A value as text in the type of the symbol or slot: "1024", "0x40", "-1", "0.5", "true". Kept for all later runs.
 * Errors: NOT_FOUND (lists the known ones), INVALID (not a number, out of range). Not while a run goes on. */
PTOWSP_API ptowsp_status ptowsp_value_set(struct ptowsp_program *program, const char *name, const char *text, struct ptowsp_error *error);

/* Memory of the caller for a tensor, C order; borrowed until unload or the next bind. For a shapeless tensor the shape
 * is [elements] unless ptowsp_tensor_shape gave one. data NULL takes a binding back. A run that writes one of two tensors that share
 * memory is refused (INVALID), because its tasks are ordered by tensor. Errors: NOT_FOUND. */
PTOWSP_API ptowsp_status ptowsp_tensor_bind(struct ptowsp_program *program, const char *name, void *data, uint64_t elements, struct ptowsp_error *error);
/* Memory that an isolated plugin sees without copies: zeroed, on a page of its own, and as good as any other for a plugin in this process. Each takes a file descriptor.
 * Freed by ptowsp_buffer_free when no run uses it. Errors: NO_MEMORY. [any] */
PTOWSP_API ptowsp_status ptowsp_buffer_alloc(void **out, uint64_t bytes, struct ptowsp_error *error);
PTOWSP_API void ptowsp_buffer_free(void *memory); /* NULL is allowed. [any] */
/* Memory of a backend's device that outlives runs (ptowsp/buffers.h), zeroed; opens the device if that has not happened. A plugin that has none gets memory of this process in its place,
 * with the same results. bytes: at least 1. Destroyed before the backend is closed, and when no run uses it. Calls for a buffer come when no run of its backend is in flight, one at a time. Errors:
 * INVALID, NO_MEMORY, NO_DEVICE, DEVICE_LOST. */
PTOWSP_API ptowsp_status ptowsp_device_buffer_create(struct ptowsp_device_buffer **out, struct ptowsp_backend *backend, uint64_t bytes,
						     struct ptowsp_error *error);
PTOWSP_API void ptowsp_device_buffer_destroy(struct ptowsp_device_buffer *buffer); /* NULL is allowed */
/* 1: the plugin holds it, wherever it keeps its bytes, be that in this process as cpu_sim does; 0: the host does, in memory of this process. [any] */
PTOWSP_API int ptowsp_device_buffer_is_apart(const struct ptowsp_device_buffer *buffer);
/* Bytes of the caller into the buffer, and out of it, from byte `offset` on. Errors: INVALID (outside of it), DEVICE_LOST. */
PTOWSP_API ptowsp_status ptowsp_device_buffer_write(struct ptowsp_device_buffer *buffer, uint64_t offset, const void *from, uint64_t bytes,
						    struct ptowsp_error *error);
PTOWSP_API ptowsp_status ptowsp_device_buffer_read(struct ptowsp_device_buffer *buffer, uint64_t offset, void *to, uint64_t bytes, struct ptowsp_error *error);
/* A buffer that is memory of others (ptowsp/buffers.h): HOST, memory of the caller at a page; OPAQUE_FD, a memory file sealed against shrinking; DMABUF; NATIVE, a handle of the backend's driver. Nothing is
 * copied; memory and handle outlive the buffer, a descriptor need not outlive the call. Each plugin takes what it can; one that takes none gets memory of the caller as its tensors do. A plugin in a
 * process of its own takes HOST from ptowsp_buffer_alloc, and descriptors. Errors: UNSUPPORTED (not that type, not there), INVALID (smaller than it says, may shrink, nobody may write it, of another device),
 * NO_MEMORY, NO_DEVICE, DEVICE_LOST. */
PTOWSP_API ptowsp_status ptowsp_device_buffer_import(struct ptowsp_device_buffer **out, struct ptowsp_backend *backend, const struct ptowsp_external *external,
						     struct ptowsp_error *error);
/* A name of its memory for others, of one of these types, into *out. A descriptor is the caller's to close, and outlives the buffer; an address, or a handle, does not. Who else writes there while a run has the buffer
 * orders that by fences. Errors: UNSUPPORTED (not that type, not there), NO_MEMORY, DEVICE_LOST. */
PTOWSP_API ptowsp_status ptowsp_device_buffer_expose(struct ptowsp_device_buffer *buffer, uint32_t type, struct ptowsp_external *out,
						     struct ptowsp_error *error);
/* Bytes of one buffer into another, of whatever backend. *way_out (NULL is allowed) says how: on their device; by a name of the source that the other device takes (expose and import), so that it copies
 * itself; or through memory of this process, which is the way between two devices that know no name of each other. Errors: INVALID (outside of one, ranges of one buffer that overlap), NO_MEMORY, DEVICE_LOST. */
enum { PTOWSP_COPY_DEVICE = 1, PTOWSP_COPY_PEER = 2, PTOWSP_COPY_HOST = 3 };
PTOWSP_API ptowsp_status ptowsp_device_buffer_copy(struct ptowsp_device_buffer *to, uint64_t to_offset, struct ptowsp_device_buffer *from, uint64_t from_offset,
						   uint64_t bytes, uint32_t *way_out, struct ptowsp_error *error);
/* ptowsp_tensor_bind with a buffer of the program's backend: runs read and write the tensor there, so what one has left the next one finds, and nothing is copied between them. offset: bytes, a
 * multiple of those of an element. Borrowed until unload or the next bind. Errors: NOT_FOUND, INVALID. */
PTOWSP_API ptowsp_status ptowsp_tensor_bind_buffer(struct ptowsp_program *program, const char *name, struct ptowsp_device_buffer *buffer, uint64_t offset,
						   uint64_t elements, struct ptowsp_error *error);
/* Shape of a shapeless tensor, or a demand on a shaped one: it is compared when a run is prepared. `source` names where the
 * shape comes from in messages ("file x.npy"), NULL: the caller; copied. extents NULL takes shape or demand back. Errors: NOT_FOUND (index), INVALID (rank above 4, too large). */
PTOWSP_API ptowsp_status ptowsp_tensor_shape(struct ptowsp_program *program, uint32_t index, uint32_t rank, const uint64_t *extents, const char *source,
					     struct ptowsp_error *error);
/* Called each time a run is prepared, to fill memory that the host allocated; fill NULL takes it back. Of an index that no tensor has nothing is kept. */
typedef ptowsp_status (*ptowsp_fill_fn)(void *context, void *data, uint64_t elements, struct ptowsp_error *error);
PTOWSP_API void ptowsp_tensor_fill(struct ptowsp_program *program, uint32_t index, ptowsp_fill_fn fill, void *context);

enum { PTOWSP_ORIGIN_NONE = 0, PTOWSP_ORIGIN_BOUND = 1, PTOWSP_ORIGIN_FILLED = 2, PTOWSP_ORIGIN_SAMPLE = 3, PTOWSP_ORIGIN_ZEROS = 4 };
struct ptowsp_tensor_view {
	void *data; /* NULL if the tensor has no memory (not used, or no kernels are run), or lies in a buffer of the plugin */
	uint64_t elements;
	uint64_t extents[4];
	uint16_t rank, dtype;
	uint32_t origin; /* PTOWSP_ORIGIN_x */
};
/* Memory of a tensor as prepared for, or left by, the latest run; zeros of an index that no tensor has. */
PTOWSP_API void ptowsp_tensor_view(const struct ptowsp_program *program, uint32_t index, struct ptowsp_tensor_view *view_out);
/* Sample data of the package, role PTOWSP_SAMPLE_INPUT or _EXPECTED. Errors: NOT_FOUND if there is none, or no such index, BAD_PACKAGE. */
PTOWSP_API ptowsp_status ptowsp_tensor_sample(struct ptowsp_program *program, uint32_t index, uint32_t role, struct ptowsp_tensor_view *view_out,
					      struct ptowsp_error *error);

/* ---- runs --------------------------------------------------------------------------------------------------- */

struct ptowsp_execute_options {
	uint32_t flags; /* PTOWSP_RUN_NO_KERNELS or PTOWSP_RUN_LOOK, PTOWSP_RUN_STRICT */
	uint32_t reserved;
	uint64_t timeout_ns;   /* DEADLINE after that long, 0 = none */
	uint64_t max_tasks;    /* LIMIT beyond, 0 = 2^32 */
	uint64_t memory_limit; /* TOO_BIG if the tensors need more bytes; 0: if those that are not bound need more than the machine has left for this process */
};
/* Gives every tensor its shape and content: bound memory, fill function, sample data, else zeros (a diagnostic for inputs).
 * Runs do it themselves if it has not been done since the last one. Errors: INVALID (a value that must be set, wrong
 * shape, too few elements: names tensor, source, elements and need; a run that goes on), TOO_BIG, NO_MEMORY, DEADLINE between two tensors. */
PTOWSP_API ptowsp_status ptowsp_prepare(struct ptowsp_program *program, const struct ptowsp_execute_options *options, struct ptowsp_error *error);
/* Runs and waits. options may be NULL. */
PTOWSP_API ptowsp_status ptowsp_execute(struct ptowsp_program *program, const struct ptowsp_execute_options *options, struct ptowsp_error *error);
/* Starts a run and returns; one at a time per program. */
PTOWSP_API ptowsp_status ptowsp_execute_async(struct ptowsp_program *program, const struct ptowsp_execute_options *options, struct ptowsp_error *error);
/* Waits for the run; its status. AGAIN if it goes on after timeout_ns (UINT64_MAX: no limit). OK if there was no run. */
PTOWSP_API ptowsp_status ptowsp_synchronize(struct ptowsp_program *program, uint64_t timeout_ns, struct ptowsp_error *error);
PTOWSP_API int ptowsp_is_complete(struct ptowsp_program *program); /* [any] */
/* Asks the run to end; it completes as CANCELLED. [any] */
PTOWSP_API ptowsp_status ptowsp_cancel(struct ptowsp_program *program, struct ptowsp_error *error);
/* The next run of each of these programs is part of one run on `count` devices: program i is device i, and SY_NOTIFY in it reaches the others. Each has a
 * backend of its own, opened for its device; each is then started with ptowsp_execute_async, in any order. A program that is not started keeps
 * the others waiting until it is unloaded. Errors: INVALID (one backend twice, a run that goes on), NO_MEMORY. */
PTOWSP_API ptowsp_status ptowsp_programs_join(struct ptowsp_program *const *programs, uint32_t count, struct ptowsp_error *error);
/* A value of a backend's device that only grows (ptowsp/fences.h), `value` at first; opens the device if that has not happened. Runs wait for it, and make it grow when they end; one that fails, fails
 * it for ever. A plugin that has none gets those of this host, with the same results: a run then begins in a call of ptowsp_synchronize or ptowsp_fence_wait for its backend. Errors: NO_MEMORY,
 * NO_DEVICE, DEVICE_LOST. */
PTOWSP_API ptowsp_status ptowsp_fence_create(struct ptowsp_fence **out, struct ptowsp_backend *backend, uint64_t value, struct ptowsp_error *error);
/* A fence that is 0 until an event of the caller's has come (NATIVE, of the backend's driver: ptowsp/fences.h), then 1, or has failed as that has. Errors: UNSUPPORTED (not that type, a plugin without), INVALID
 * (of another device), NO_MEMORY, NO_DEVICE, DEVICE_LOST. */
PTOWSP_API ptowsp_status ptowsp_fence_import(struct ptowsp_fence **out, struct ptowsp_backend *backend, const struct ptowsp_external *external,
					     struct ptowsp_error *error);
/* An event of the backend's driver (NATIVE) that comes when the fence has the value or more, and fails when that does or is destroyed before; the caller's to release. Errors: UNSUPPORTED (not that type, a plugin
 * without), NO_MEMORY, DEVICE_LOST. */
PTOWSP_API ptowsp_status ptowsp_fence_expose(struct ptowsp_fence *fence, uint64_t value, uint32_t type, struct ptowsp_external *out,
					     struct ptowsp_error *error);
/* Before its backend is closed. NULL is allowed. Errors: INVALID while a run, or the next run of a program, waits for it or signals it, and it stays. */
PTOWSP_API ptowsp_status ptowsp_fence_destroy(struct ptowsp_fence *fence, struct ptowsp_error *error);
/* 1: it is the plugin's; 0: this host's. [any] */
PTOWSP_API int ptowsp_fence_is_apart(const struct ptowsp_fence *fence);
/* Errors: INVALID for less than its value, the status of a fence that has failed, DEVICE_LOST. [any] */
PTOWSP_API ptowsp_status ptowsp_fence_signal(struct ptowsp_fence *fence, uint64_t value, struct ptowsp_error *error);
/* Errors: the status of a fence that has failed, DEVICE_LOST. [any] */
PTOWSP_API ptowsp_status ptowsp_fence_read(struct ptowsp_fence *fence, uint64_t *value_out, struct ptowsp_error *error);
/* Until it has the value or more; works on the runs of its backend meanwhile, as ptowsp_synchronize does. Errors: AGAIN after timeout_ns (UINT64_MAX: no limit), the status of a fence that has
 * failed, DEVICE_LOST. */
PTOWSP_API ptowsp_status ptowsp_fence_wait(struct ptowsp_fence *fence, uint64_t value, uint64_t timeout_ns, struct ptowsp_error *error);
/* The next run of the program begins when the fence has the value or more; its deadline counts from ptowsp_execute_async on, and it can be cancelled. RUN_FAILED ends it where the fence has failed. A
 * run that is refused leaves this for the one behind it, ptowsp_program_unload takes it back. 64 fences at the most. Nobody notices that a fence is never signalled: give such a run a timeout.
 * Errors: INVALID (of another backend, too many). */
PTOWSP_API ptowsp_status ptowsp_run_wait(struct ptowsp_program *program, struct ptowsp_fence *fence, uint64_t value, struct ptowsp_error *error);
/* Likewise: it gives the fence that value when it has ended well, before it is complete, and fails it with its status else. A fence that is beyond the value stays. */
PTOWSP_API ptowsp_status ptowsp_run_signal(struct ptowsp_program *program, struct ptowsp_fence *fence, uint64_t value, struct ptowsp_error *error);
/* Wall time from submit to completion of the latest run, or until now. [any] */
PTOWSP_API double ptowsp_elapsed_ms(struct ptowsp_program *program);
/* Statistics of the latest complete run; valid until the next one. Never NULL: zeros before the first. */
PTOWSP_API const struct ptowsp_run_stats *ptowsp_stats(const struct ptowsp_program *program);
/* Live counters of a run that goes on; arrays in them are valid until the next call. [any] */
PTOWSP_API ptowsp_status ptowsp_stats_live(struct ptowsp_program *program, struct ptowsp_run_stats *stats_out, struct ptowsp_error *error);
/* Report of the latest run if it ended as DEADLOCK, else NULL. */
PTOWSP_API const struct ptowsp_deadlock *ptowsp_deadlock(const struct ptowsp_program *program);

/* Something that is met below `enforced`, or an input nobody gave: said once per program. */
struct ptowsp_diagnostic {
	uint32_t feature; /* 0: about an input */
	uint32_t state;   /* PTOWSP_STATE_x */
	const char *text;
};
PTOWSP_API int ptowsp_diagnostic_row(const struct ptowsp_program *program, uint32_t index, struct ptowsp_diagnostic *row_out);

/* Sinks for what a run does, in task order, called while it goes on, on one thread at a time. NULL detaches.
 * Errors: UNSUPPORTED if the backend does not offer it. */
PTOWSP_API ptowsp_status ptowsp_trace_attach(struct ptowsp_program *program,
					     void (*sink)(void *context, const struct ptowsp_trace_task *tasks, uint32_t count, uint32_t stride), void *context,
					     struct ptowsp_error *error);
/* Stalls, tokens and processes beside the tasks. */
PTOWSP_API ptowsp_status ptowsp_trace_events_attach(struct ptowsp_program *program,
						    void (*sink)(void *context, const struct ptowsp_trace_event *events, uint32_t count, uint32_t stride),
						    void *context, struct ptowsp_error *error);
PTOWSP_API ptowsp_status ptowsp_graph_attach(struct ptowsp_program *program,
					     void (*sink)(void *context, const struct ptowsp_graph_edge *edges, uint32_t count, uint32_t stride), void *context,
					     struct ptowsp_error *error);

/* Hands out the files that the backend makes of the plan's program: sources, a plan. No device is opened. flags: PTOWSP_LOAD_x. file gets each file once: a path below a
 * folder of the caller's choice, checked: parts of [A-Za-z0-9_.-] joined by '/', none "." or ".."; bytes are borrowed for the call, and a status that
 * is not 0 ends the whole. The log tells what the backend cannot express. Errors: UNSUPPORTED if it makes none, those of loading, of file. [main] */
PTOWSP_API ptowsp_status ptowsp_artifact_emit(struct ptowsp_backend *backend, const struct ptowsp_plan *plan, uint32_t flags,
					      ptowsp_status (*file)(void *context, const char *path, const void *bytes, uint64_t size), void *context,
					      struct ptowsp_error *error);

/* The same of the run that the next execute with these options would do, where the backend makes its files of a run and not of a plan (ptowsp/report.h); prepares it
 * if need be. Nothing is run, no tensor is written. Errors also: those of a run. [main] */
PTOWSP_API ptowsp_status ptowsp_report_emit(struct ptowsp_program *program, const struct ptowsp_execute_options *options,
					    ptowsp_status (*file)(void *context, const char *path, const void *bytes, uint64_t size), void *context,
					    struct ptowsp_error *error);
/* Is there anything of that kind? [main] */
PTOWSP_API int ptowsp_report_has_files(struct ptowsp_backend *backend);
/* ptowsp_program_check: would a run with these options, bindings and values be prepared, and has it the devices that it tells? Tensors get neither memory nor content, and nothing
 * runs; how much of them the program touches may be measured, for which the deadline counts. Also of programs that were loaded to look at them. options may be NULL. Errors: those
 * of ptowsp_prepare; INVALID where the program needs another device and was joined with none. [main] */
PTOWSP_API ptowsp_status ptowsp_program_check(struct ptowsp_program *program, const struct ptowsp_execute_options *options, struct ptowsp_error *error);
/* ptowsp_program_place finds errors that show only when a run is laid out: a backend that makes a design of each run (ptowsp/report.h) makes one of the values that are set,
 * and forgets that again; other backends say everything when a program is loaded. Nothing runs and no tensor gets memory; options may be NULL, their deadline counts. Errors:
 * those of a run; INVALID where a value or a shape is missing, or where the layout of the run depends on data; with PTOWSP_RUN_NO_KERNELS also where only a run with kernels
 * would be refused for it. [main] */
PTOWSP_API ptowsp_status ptowsp_program_place(struct ptowsp_program *program, const struct ptowsp_execute_options *options, struct ptowsp_error *error);
/* A figure of the latest run that is over, as the backend has it; 0: there is no such row. [main] */
struct ptowsp_figure;
PTOWSP_API int ptowsp_report_row(struct ptowsp_program *program, uint32_t index, struct ptowsp_figure *row_out);
/* Times that the backend measured in the latest run that is over, with its option profiling=on (ptowsp/profile.h): visit is told each row, borrowed for that call; none where nothing was
 * measured. Errors: UNSUPPORTED of a backend that measures none, INVALID while a run is going on. [main] */
struct ptowsp_profile_row;
PTOWSP_API ptowsp_status ptowsp_profile_visit(struct ptowsp_program *program, void (*visit)(void *context, const struct ptowsp_profile_row *row), void *context,
					      struct ptowsp_error *error);

/* ---- kernels of the embedding program [any] ----------------------------------------------------------------- */

typedef void (*ptowsp_native_fn)(void); /* cast from the function's real type */
/* Serves kernels that carry only this name and signature. signature: natural ("v(p,p,p,i64,f32)": v, i8..i64, u8..u64,
 * f32, f64, p, at most 32 arguments, the result is ignored; tensors are passed as pointers in order of p, scalars in order
 * of the rest), or "" for a ptowsp_kernel_fn. The texts are copied. Errors: INVALID; see ptowsp_last_error. */
PTOWSP_API ptowsp_status ptowsp_kernel_register(const char *name, const char *signature, ptowsp_native_fn fn);
PTOWSP_API int ptowsp_kernel_has(const char *name);
/* 0 if there was none. Programs that are loaded keep the function that they found. */
PTOWSP_API int ptowsp_kernel_unregister(const char *name);

PTOWSP_END
#endif
