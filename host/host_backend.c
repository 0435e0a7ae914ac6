/* SPDX-License-Identifier: MIT */
/* host_backend.c - from a plugin's name to an initialised instance, and to its device. */
#include "host/host_backend.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/host_error.h"
#include "host/plan/host_plan.h"
#include "host/plan/match.h"
#include "host/trust/host_policy.h"
#include "host/worker/isolate.h"

#define DEVICE  "device"  /* the option whose values say whose devices come first; abi/README.md */
#define THREADS "threads" /* the option that says how many threads a device will be opened with; abi/README.md */
enum { ROOM = 4096 };     /* devices, options or capability rows of one plugin: more is a lie */

struct host_search host_backend_search(const struct ptowsp_backend_options *options, const struct host_policy *policy)
{
	struct host_search search = {.policy = policy,
				     .dirs = options->plugin_dirs,
				     .dir_count = options->plugin_dir_count,
				     .user_plugins = options->flags & PTOWSP_BACKEND_USER_PLUGINS,
				     .grants = options->flags & PTOWSP_BACKEND_GRANTS,
				     .load_timeout_ms = options->load_timeout_ms,
				     .settings = options->settings,
				     .setting_count = options->setting_count,
				     .limits = {options->sandbox_memory, options->sandbox_threads, options->sandbox_cpu_s},
				     .isolate = options->isolate ? options->isolate : HOST_ISOLATE_RULE};

	host_limits_fill(&search.limits, options->memory_limit, options->threads);
	return search;
}

struct host_cause host_backend_cause(const struct ptowsp_backend *b, const char *operation)
{
	return (struct host_cause){.plugin = b->plugin->note.name,
				   .operation = operation,
				   .chosen = b->has_settings || *b->selector,
				   .late = b->plugin->remote && host_remote_ended(b->plugin->remote)};
}

static ptowsp_status theirs(const struct ptowsp_backend *b, const char *operation, ptowsp_status status, struct ptowsp_error *error)
{
	const struct host_cause cause = host_backend_cause(b, operation);

	return host_answer(&cause, status, error);
}

/* Room for the rows of a list whose first call, "how many", has answered. *count: 0 where there are none, as with a plugin without the operation. */
static ptowsp_status rows_make(const struct ptowsp_backend *b, const char *operation, const char *rows, ptowsp_status status, uint32_t *count, size_t size,
			       void **rows_out, struct ptowsp_error *error)
{
	if (status == PTOWSP_UNIMPLEMENTED)
		*count = 0;
	else if (status && status != PTOWSP_MORE)
		return theirs(b, operation, status, error);
	if (!*count)
		return PTOWSP_OK;
	if (*count > ROOM)
		return host_fail(error, PTOWSP_PLUGIN_REFUSED, "%s claims %u %s", b->plugin->note.name, *count, rows);
	*rows_out = calloc(*count, size);
	return *rows_out ? PTOWSP_OK : host_fail(error, PTOWSP_NO_MEMORY, "no memory for the %s of %s", operation, b->plugin->note.name);
}

static ptowsp_status devices_read(struct ptowsp_backend *b, struct ptowsp_error *error)
{
	const struct ptowsp_device *none;
	uint32_t count = 0;
	ptowsp_status status = host_call_devices(&b->caller, b->instance, &none, &count, error);

	status = rows_make(b, "devices", "devices", status, &count, sizeof(*b->devices), (void **)&b->devices, error);
	if (status || !count)
		return status;
	b->device_count = count;
	status = theirs(b, "devices", host_call_devices(&b->caller, b->instance, b->devices, &count, error), error);
	for (uint32_t i = 0; i < b->device_count && !status; i++)
		if (!b->devices[i] || !b->devices[i]->name)
			status = host_fail(error, PTOWSP_PLUGIN_REFUSED, "%s: device %u has no name", b->plugin->note.name, i);
		else if (!reg_text_is_plain(b->devices[i]->name))
			status = host_fail(error, PTOWSP_PLUGIN_REFUSED, "%s: the name of device %u has control characters: %s", b->plugin->note.name, i,
					   b->devices[i]->name);
	return status;
}

static ptowsp_status options_read(struct ptowsp_backend *b, struct ptowsp_error *error)
{
	const struct ptowsp_option *none;
	uint32_t count = 0;
	ptowsp_status status = host_call_options(&b->caller, &none, &count, error);

	status = rows_make(b, "options", "options", status, &count, sizeof(*b->options), (void **)&b->options, error);
	if (status || !count)
		return status;
	b->option_count = count;
	status = theirs(b, "options", host_call_options(&b->caller, b->options, &count, error), error);
	for (uint32_t i = 0; i < b->option_count && !status; i++)
		if (!b->options[i] || !b->options[i]->name || !b->options[i]->type)
			status = host_fail(error, PTOWSP_PLUGIN_REFUSED, "%s: option %u has no name or type", b->plugin->note.name, i);
	return status;
}

static ptowsp_status caps_read(struct ptowsp_backend *b, struct ptowsp_error *error)
{
	const struct ptowsp_device *device = ptowsp_backend_current(b);
	const char *name = device ? device->name : NULL;
	struct ptowsp_cap none;
	uint32_t count = 0;
	ptowsp_status status = host_call_capabilities(&b->caller, b->instance, name, &none, sizeof(none), &count, error);

	status = rows_make(b, "capabilities", "capability rows", status, &count, sizeof(*b->caps), (void **)&b->caps, error);
	if (status || !count)
		return status;
	b->cap_count = count;
	status = host_call_capabilities(&b->caller, b->instance, name, b->caps, sizeof(*b->caps), &count, error);
	return theirs(b, "capabilities", status, error);
}

/* Every selector of "a,b" must be a device's name. */
static ptowsp_status selector_check(const struct ptowsp_backend *b, struct ptowsp_error *error)
{
	for (const char *at = b->selector; *at;) {
		size_t length = strcspn(at, ",");
		const char *begin = at, **names;
		char copy[64];
		uint32_t d = 0;
		ptowsp_status status;
		struct reg_text text;

		while (d < b->device_count && (strlen(b->devices[d]->name) != length || memcmp(b->devices[d]->name, at, length)))
			d++;
		at += length + (at[length] == ',');
		if (d < b->device_count)
			continue;
		names = calloc(b->device_count + 1u, sizeof(*names));
		for (d = 0; names && d < b->device_count; d++)
			names[d] = b->devices[d]->name;
		reg_text_init(&text, copy, sizeof(copy));
		reg_text_add(&text, "%.*s", (int)length, begin);
		status = reg_fail_unknown(error, PTOWSP_NO_DEVICE, "device", copy, names, names ? b->device_count : 0);
		free(names);
		return status;
	}
	return PTOWSP_OK;
}

/* The target that says which of the plugin's devices is meant: the name that it was asked for by, else one of the package's; NULL if none does. */
static const char *target_of(const struct ptowsp_backend *b, const struct ptowsp_backend_options *options, const struct ptowsp_plan *plan)
{
	const char *name = options->plugin;

	for (uint32_t i = 0; i < options->setting_count; i++)
		if (!strcmp(options->settings[i].key, DEVICE))
			return NULL;
	if (name && host_note_has_target(&b->plugin->note, name) && host_option_takes(b, DEVICE, name))
		return name;
	for (uint32_t i = 0; plan && (name = ptowsp_package_target(plan->package, i)); i++)
		if (host_note_has_target(&b->plugin->note, name) && host_option_takes(b, DEVICE, name))
			return name;
	return NULL;
}

/* The caller's settings, and behind them the device of the target, and how many threads there will be, which a plugin that has an option for it hears before it says what it enforces;
 * owned, NULL: no memory. */
static struct ptowsp_setting *settings_make(const struct ptowsp_backend_options *options, const char *target, const char *threads, uint32_t *count_out)
{
	struct ptowsp_setting *settings = calloc(options->setting_count + 2u, sizeof(*settings));

	*count_out = options->setting_count;
	if (settings && options->setting_count)
		memcpy(settings, options->settings, options->setting_count * sizeof(*settings));
	if (settings && target)
		settings[(*count_out)++] = (struct ptowsp_setting){DEVICE, target};
	if (settings && *threads)
		settings[(*count_out)++] = (struct ptowsp_setting){THREADS, threads};
	return settings;
}

static ptowsp_status instance_make(struct ptowsp_backend *b, const struct ptowsp_setting *settings, uint32_t count, struct ptowsp_error *error)
{
	struct ptowsp_init_args args = {
		.head = PTOWSP_HEAD(struct ptowsp_init_args, INIT_ARGS), .settings = settings, .setting_count = count, .setting_stride = sizeof(*settings)};
	const struct ptowsp_host *services = host_caller_services(&b->caller, &b->services.table);
	ptowsp_status status;

	if (!services)
		return host_fail(error, PTOWSP_NO_MEMORY, "no memory for the host services");
	status = theirs(b, "init", host_call_init(&b->caller, services, &args, &b->instance, error), error);
	if (status)
		b->instance = NULL;
	return status;
}

/* And the keys whose signatures count for packages, if they are asked for. */
static ptowsp_status plugin_load(struct ptowsp_backend *b, const struct ptowsp_backend_options *options, const struct ptowsp_plan *plan,
				 struct ptowsp_error *error)
{
	const uint32_t trusts = options->flags & (PTOWSP_BACKEND_TRUST_NATIVE | PTOWSP_BACKEND_TRUST_SIGNED);
	const struct host_trust_dirs dirs = {options->trust_dirs, options->trust_dir_count};
	struct host_policy policy = {0};
	struct host_search search = host_backend_search(options, &policy);
	ptowsp_status status = host_policy_init(&policy, options->plugin_trust, &dirs, error);

	search.apart = (options->flags & PTOWSP_BACKEND_NATIVE_APART) && trusts && plan && host_plan_brings_native(plan);
	if (!status)
		status = host_plugin_load(&search, options->plugin ? options->plugin : "cpu_sim", &b->plugin, error);
	host_policy_finish(&policy);
	b->keys_read = options->flags & PTOWSP_BACKEND_TRUST_SIGNED;
	return !status && b->keys_read ? host_keys_read(&b->keys, &dirs, error) : status;
}

static void breach_say(void *context, int32_t level, const char *text)
{
	host_services_log(context, level, "%s", text);
}

/* The way to the plugin, with what the host does for it and the layers between. */
static ptowsp_status caller_make(struct ptowsp_backend *b, const struct ptowsp_backend_options *options, struct ptowsp_error *error)
{
	char more[NAME_MAX + 1], line[256];

	if (b->plugin->remote)
		host_remote_caller(&b->caller, b->plugin->remote);
	else
		host_caller_init(&b->caller, &b->plugin->ops);
	b->caller.main_lock = b->plugin->main_lock;
	b->caller.name = b->plugin->note.name;
	b->caller.minor = b->plugin->minor;
	if (host_services_init(&b->services, b->plugin->minor))
		return host_fail(error, PTOWSP_NO_MEMORY, "no memory for the host services");
	b->services_ready = true;
	if (b->plugin->remote)
		host_remote_serve(b->plugin->remote, &b->services);
	b->services.log = options->log;
	b->services.log_context = options->log_context;
	if (b->plugin->isolate == PTOWSP_ISOLATE_SANDBOX && host_folder_holds_more(b->plugin->path, more, sizeof(more)))
		host_services_log(&b->services, PTOWSP_LOG_WARNING, "the sandbox of %s may read the folder of %.160s, which holds more than plugins (%.60s)",
				  b->plugin->note.name, b->plugin->path, more);
	for (uint32_t i = 0; host_keys_line(&b->keys, i, line, sizeof(line)); i++) /* else a signature of it is only said to be that of a stranger */
		host_services_log(&b->services, PTOWSP_LOG_WARNING, "%s", line);
	b->validates = host_layers_have(options->layers, "validate");
	b->breach = options->breach;
	host_breaches_init(&b->breaches, b->plugin->note.name, breach_say, &b->services);
	return options->layers ? host_layers_create(&b->caller, options->layers, &b->breaches, error) : PTOWSP_OK;
}

static ptowsp_status instance_open(struct ptowsp_backend *b, const struct ptowsp_backend_options *options, const struct ptowsp_plan *plan,
				   struct ptowsp_error *error)
{
	const bool tells = b->threads && host_option_counts(b, THREADS);
	uint32_t count;
	char threads[12] = "";
	struct ptowsp_setting *settings;
	ptowsp_status status;

	snprintf(threads, sizeof(threads), "%u", b->threads);
	settings = settings_make(options, target_of(b, options, plan), tells ? threads : "", &count);
	status = settings ? host_settings_check(b, settings, count, error) : host_fail(error, PTOWSP_NO_MEMORY, "no memory for the options of a plugin");
	if (!status)
		status = instance_make(b, settings, count, error);
	if (!status && !host_settings_digest(b->settings_digest, settings, count - tells, b->selector))
		status = host_fail(error, PTOWSP_NO_MEMORY, "no memory for the options of a plugin");
	free(settings);
	return status;
}

ptowsp_status ptowsp_backend_open(struct ptowsp_backend **out, const struct ptowsp_backend_options *options, struct ptowsp_error *error)
{
	return ptowsp_backend_open_for(out, options, NULL, error);
}

ptowsp_status ptowsp_backend_open_for(struct ptowsp_backend **out, const struct ptowsp_backend_options *options, const struct ptowsp_plan *plan,
				      struct ptowsp_error *error)
{
	struct ptowsp_backend *b = calloc(1, sizeof(*b));
	ptowsp_status status;

	*out = NULL;
	error = host_error_enter(error);
	if (!b || !(b->selector = strdup(options->device ? options->device : ""))) {
		free(b);
		return host_error_leave(host_fail(error, PTOWSP_NO_MEMORY, "no memory to open a backend"), error);
	}
	b->threads = options->threads;
	b->memory_limit = options->memory_limit;
	b->has_settings = options->setting_count > 0;
	status = plugin_load(b, options, plan, error);
	if (!status)
		status = caller_make(b, options, error);
	if (!status)
		status = options_read(b, error);
	if (!status)
		status = instance_open(b, options, plan, error);
	if (!status)
		status = devices_read(b, error);
	if (!status)
		status = selector_check(b, error);
	if (!status)
		status = caps_read(b, error);
	if (status)
		ptowsp_backend_close(b);
	else
		*out = b;
	return host_error_leave(status, error);
}

ptowsp_status host_backend_device_open(struct ptowsp_backend *b, struct ptowsp_error *error)
{
	struct ptowsp_open_args args = {
		.head = PTOWSP_HEAD(struct ptowsp_open_args, OPEN_ARGS), .selector = b->selector, .memory_limit = b->memory_limit, .threads = b->threads};
	ptowsp_status status;

	if (b->device) /* a worker that is no more says so when asked, and has no table to ask for */
		return b->plugin->remote && host_remote_ended(b->plugin->remote) ? host_call_poll(&b->caller, b->device, 0, error) : PTOWSP_OK;
	status = theirs(b, "open", host_call_open(&b->caller, b->instance, &args, &b->device, error), error);
	if (status)
		b->device = NULL; /* a failed call leaves nothing there */
	if (status && b->plugin->withheld)
		snprintf(error->text + strlen(error->text), sizeof(error->text) - strlen(error->text), "; its sandbox withholds %.120s (--sandbox-grants=note)",
			 b->plugin->note.grants);
	else if (status == PTOWSP_NO_DEVICE && b->plugin->isolate == PTOWSP_ISOLATE_SANDBOX)
		snprintf(error->text + strlen(error->text), sizeof(error->text) - strlen(error->text),
			 "; its sandbox lets a driver write no file and start no program (--isolate=process does)");
	return status;
}

ptowsp_status ptowsp_backend_device_open(struct ptowsp_backend *b, struct ptowsp_error *error)
{
	error = host_error_enter(error);
	return host_error_leave(host_backend_device_open(b, error), error);
}

bool host_backend_worker_lives(const struct ptowsp_backend *b)
{
	return b->plugin->remote && !host_remote_ended(b->plugin->remote);
}

void host_backend_end_tell(struct ptowsp_backend *b, bool lived, ptowsp_status status, const struct ptowsp_error *error)
{
	if (lived && status && !host_backend_worker_lives(b))
		host_services_log(&b->services, PTOWSP_LOG_WARNING, "%s", error->text);
}

static void device_close(struct ptowsp_backend *b)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	const bool lives = host_backend_worker_lives(b);

	host_backend_end_tell(b, lives, host_call_close(&b->caller, b->device, &error), &error);
}

static void instance_end(struct ptowsp_backend *b)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	const bool lives = host_backend_worker_lives(b);

	host_backend_end_tell(b, lives, host_call_fini(&b->caller, b->instance, &error), &error);
}

void ptowsp_backend_close(struct ptowsp_backend *b)
{
	if (!b)
		return;
	ptowsp_program_unload(b->kept);
	if (b->device)
		device_close(b);
	if (b->instance)
		instance_end(b);
	host_plugin_release(b->plugin); /* its worker may say things until here */
	host_caller_finish(&b->caller);
	if (b->services_ready) {
		if (b->breach && !b->breach->code)
			host_breaches_verdict(&b->breaches, b->breach);
		host_breaches_finish(&b->breaches);
		host_services_finish(&b->services);
	}
	host_keys_finish(&b->keys);
	free(b->devices);
	free(b->options);
	free(b->caps);
	free(b->selector);
	free(b);
}

const char *ptowsp_backend_name(const struct ptowsp_backend *b)
{
	return b->plugin->note.name;
}

const char *ptowsp_backend_path(const struct ptowsp_backend *b)
{
	return b->plugin->path;
}

uint32_t ptowsp_backend_isolation(const struct ptowsp_backend *b)
{
	return b->plugin->isolate;
}

const char *ptowsp_backend_grants(const struct ptowsp_backend *b, uint32_t *given_out)
{
	*given_out = b->plugin->isolate == PTOWSP_ISOLATE_SANDBOX && *b->plugin->note.grants && !b->plugin->withheld;
	return b->plugin->note.grants;
}

uint64_t ptowsp_backend_copied(const struct ptowsp_backend *b)
{
	return b->plugin->remote ? host_remote_copied(b->plugin->remote) : 0;
}

int64_t ptowsp_backend_worker(const struct ptowsp_backend *b)
{
	return b->plugin->remote ? host_remote_pid(b->plugin->remote) : 0;
}

const char *ptowsp_backend_trust(const struct ptowsp_backend *b)
{
	return b->plugin->trust;
}

const char *ptowsp_backend_version(const struct ptowsp_backend *b)
{
	return b->plugin->note.version;
}

const struct ptowsp_device *ptowsp_backend_device(const struct ptowsp_backend *b, uint32_t index)
{
	return index < b->device_count ? b->devices[index] : NULL;
}

const struct ptowsp_option *ptowsp_backend_option(const struct ptowsp_backend *b, uint32_t index)
{
	return index < b->option_count ? b->options[index] : NULL;
}

const struct ptowsp_device *ptowsp_backend_current(const struct ptowsp_backend *b)
{
	size_t length = strcspn(b->selector, ",");

	for (uint32_t i = 0; length && i < b->device_count; i++)
		if (strlen(b->devices[i]->name) == length && !memcmp(b->devices[i]->name, b->selector, length))
			return b->devices[i];
	return b->device_count ? b->devices[0] : NULL;
}

struct reg_caps host_backend_caps(const struct ptowsp_backend *b)
{
	return (struct reg_caps){b->caps, b->cap_count, sizeof(*b->caps)};
}

const struct ptowsp_cap *ptowsp_backend_cap(const struct ptowsp_backend *b, uint32_t feature)
{
	struct reg_caps caps = host_backend_caps(b);

	return reg_caps_find(&caps, feature);
}
