/* SPDX-License-Identifier: MIT */
/* host_backend.h - an initialised plugin with its tables and, once something is loaded, its open device. */
#ifndef HOST_BACKEND_H
#define HOST_BACKEND_H

#include "format/format_digest.h"
#include "host/call/answer.h"
#include "host/call/call.h"
#include "host/call/services.h"
#include "host/find/host_plugin.h"
#include "host/layers/layers.h"
#include "host/ptowsp_host.h"
#include "host/trust/trust.h"
#include "registry/caps_match.h"

struct ptowsp_backend {
	struct host_plugin *plugin;           /* stays loaded for the life of the process */
	struct host_caller caller;            /* the way to it: all calls of the plugin go there */
	struct host_breaches breaches;        /* found by its layers */
	struct ptowsp_error *breach;          /* of the caller: the first one, when it is closed; may be NULL */
	struct host_services services;        /* the plugin holds a pointer to its table: a backend does not move */
	struct ptowsp_object *instance;       /* NULL before init */
	struct ptowsp_object *device;         /* NULL before the first load */
	const struct ptowsp_device **devices; /* owned array of the plugin's tables */
	uint32_t device_count;
	const struct ptowsp_option **options; /* likewise */
	uint32_t option_count;
	struct ptowsp_cap *caps; /* owned copy of the current device's rows */
	uint32_t cap_count;
	char *selector; /* owned, "" for the first device */
	uint32_t threads;
	uint64_t memory_limit;
	struct ptowsp_program *kept;              /* owned: what ptowsp_backend_choose loaded, until somebody loads that plan; NULL */
	struct ptowsp_program *held;              /* borrowed: the first of those whose runs wait for fences of this host */
	uint32_t kept_flags;                      /* that it was loaded with */
	uint8_t settings_digest[PKG_DIGEST_SIZE]; /* of the settings of init but for the number of threads, and of the selector */
	bool services_ready;
	bool has_settings; /* the caller gave options of the plugin */
	bool validates;    /* a layer does: then a race is an error, too */
	bool keys_read;    /* opened with PTOWSP_BACKEND_TRUST_SIGNED */
	struct host_keys keys;
};

/* Opens the device if that has not happened. Errors: NO_DEVICE and what the plugin says. */
ptowsp_status host_backend_device_open(struct ptowsp_backend *backend, struct ptowsp_error *error);
struct reg_caps host_backend_caps(const struct ptowsp_backend *backend);

/* Facts about an operation of that name, which reads the options of the plugin and the selector of its device; the limit of a worker is the only one. */
struct host_cause host_backend_cause(const struct ptowsp_backend *backend, const char *operation);

/* The search path that options describe. */
struct host_search host_backend_search(const struct ptowsp_backend_options *options, const struct host_policy *policy);

/* options.c: checks settings against what the plugin declares. Errors: INVALID, lists the declared ones, the nearest first. */
ptowsp_status host_settings_check(const struct ptowsp_backend *backend, const struct ptowsp_setting *settings, uint32_t count, struct ptowsp_error *error);

/* options.c: digest of what the caller has chosen of a plugin: the settings, whatever their order, and the device. false: no memory. */
bool host_settings_digest(uint8_t digest_out[PKG_DIGEST_SIZE], const struct ptowsp_setting *settings, uint32_t count, const char *selector);

/* options.c: does the plugin declare this option with this word among its values? */
bool host_option_takes(const struct ptowsp_backend *backend, const char *key, const char *word);
/* Does it declare this option as a number? */
bool host_option_counts(const struct ptowsp_backend *backend, const char *key);

/* A worker that ends in a call behind the run, whose result stands: told once, as a warning. lived: as the other says, in front of that call. */
void host_backend_end_tell(struct ptowsp_backend *b, bool lived, ptowsp_status status, const struct ptowsp_error *error);
/* Is the plugin in a worker that lives? */
bool host_backend_worker_lives(const struct ptowsp_backend *b);

#endif
