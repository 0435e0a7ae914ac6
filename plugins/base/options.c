/* SPDX-License-Identifier: MIT */
#include "options.h"

#include "backend.h"
#include "error.h"
#include "rt/rt.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct base_option standard[] = {
	BASE_OPTION(offsetof(struct base_options, opt_level), "opt_level", "int", "2", "0..3",
		    "effort for speed, same results; 0: a kernel's instructions one by one; 1: its tiles share memory, by vectors; 2, 3: in blocks of rows"),
	BASE_OPTION(offsetof(struct base_options, profiling), "profiling", "bool", "off", "off|on",
		    "measure the wall time of kernels and their operations (--profile)"),
	BASE_OPTION(offsetof(struct base_options, debug), "debug", "bool", "off", "off|on", "log what serves each kernel when a package is loaded"),
	BASE_OPTION(offsetof(struct base_options, fixed_map), "tensor_map", "word", "dynamic", "dynamic|fixed",
		    "grows with what is live, or a pool made for a full window; same results"),
	BASE_OPTION(offsetof(struct base_options, schedulers), "schedulers", "int", "1", "1..64",
		    "instances that generate tasks from the same bytecode, each its own part"),
	BASE_OPTION(offsetof(struct base_options, own_clock), "clock", "word", "own", "reference|own",
		    "cycle model; this backend's own is the reference model"),
	BASE_OPTION(offsetof(struct base_options, fast), "numerics", "word", "exact", "exact|fast",
		    "fast may fuse products with sums and sum rows in any order, and says how far results may be off"),
	BASE_OPTION(offsetof(struct base_options, threads), "threads", "int", "0", "0..65536",
		    "worker threads, 0: all cores this process may use; --threads says it in place of this"),
	BASE_OPTION(offsetof(struct base_options, real_time), "trace", "word", "semantic", "semantic|real|both",
		    "what --trace shows: cycles and executors, or nanoseconds in which kernels ran on worker threads, and those, or both"),
};
#define STANDARD ((uint32_t)(sizeof(standard) / sizeof(*standard)))

/* The row of that name among the backend's own, NULL if it has none. */
static const struct base_option *own_find(const struct base_backend *backend, const char *name)
{
	for (uint32_t i = 0; i < backend->option_count; i++)
		if (!strcmp(backend->options[i].option.name, name))
			return &backend->options[i];
	return NULL;
}

static const struct base_option *standard_find(const char *name)
{
	for (uint32_t i = 0; i < STANDARD; i++)
		if (!strcmp(standard[i].option.name, name))
			return &standard[i];
	return NULL;
}

/* Row i of all there are, NULL behind the last: the standard ones, each as the backend has it, then its other ones. */
static const struct base_option *row(const struct base_backend *backend, uint32_t i)
{
	const struct base_option *own;

	if (i < STANDARD) {
		own = own_find(backend, standard[i].option.name);
		return own ? own : &standard[i];
	}
	i -= STANDARD;
	for (uint32_t k = 0; k < backend->option_count; k++)
		if (!standard_find(backend->options[k].option.name) && !i--)
			return &backend->options[k];
	return NULL;
}

static bool is_text(const struct base_option *option)
{
	return !*option->option.standard;
}

static bool number_set(unsigned *field, const char *range, const char *value)
{
	char *end = NULL;
	unsigned long least = strtoul(range, &end, 10), most = *end ? strtoul(end + strlen(".."), NULL, 10) : least, n = strtoul(value, &end, 10);
	bool good = *value >= '0' && *value <= '9' && !*end && n >= least && n <= most;

	if (good)
		*field = (unsigned)n;
	return good;
}

static bool word_set(unsigned *field, const char *range, const char *value)
{
	size_t length = strcspn(range, "|");

	for (unsigned v = 0;; v++, range += length + 1, length = strcspn(range, "|")) {
		if (strlen(value) == length && !memcmp(range, value, length)) {
			*field = v;
			return true;
		}
		if (!range[length])
			return false;
	}
}

/* As a host takes it: a bool without words has these. */
static const char *range_of(const struct base_option *option)
{
	return *option->option.range || strcmp(option->option.type, "bool") ? option->option.range : "false|true";
}

/* A value that is no text. False: it is not of the range. */
static bool value_set(struct base_options *options, const struct base_option *option, const char *value)
{
	unsigned *field = (unsigned *)(void *)((char *)options + option->field);

	return (strcmp(option->option.type, "int") ? word_set : number_set)(field, range_of(option), value);
}

static ptowsp_status set(const struct base_backend *backend, struct base_options *options, const struct base_option *option, const char *value,
			 struct ptowsp_error *error)
{
	if (!is_text(option))
		return value_set(options, option, value) ? PTOWSP_OK
							 : base_fail(error, PTOWSP_INVALID, "%s: option %s takes %s, not \"%.40s\"", backend->name,
								     option->option.name, range_of(option), value);
	if (strlen(value) >= BASE_TEXT)
		return base_fail(error, PTOWSP_INVALID, "%s: option %s takes at most %u bytes, not %zu", backend->name, option->option.name, BASE_TEXT - 1,
				 strlen(value));
	memcpy((char *)options + option->field, value, strlen(value) + 1);
	return PTOWSP_OK;
}

static ptowsp_status unknown(const struct base_backend *backend, const char *key, struct ptowsp_error *error)
{
	const struct base_option *option;
	char known[192];
	size_t used = 0;

	for (uint32_t i = 0; (option = row(backend, i)) && used < sizeof(known); i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s", i ? ", " : "", option->option.name);
	return base_fail(error, PTOWSP_INVALID, "%s has no option \"%.40s\"; it has %s", backend->name, key, known);
}

static ptowsp_status apply(const struct base_backend *backend, struct base_options *options, const struct ptowsp_setting *setting, struct ptowsp_error *error)
{
	const struct base_option *option = own_find(backend, setting->key);

	if (!option)
		option = standard_find(setting->key);
	return option ? set(backend, options, option, setting->value, error) : unknown(backend, setting->key, error);
}

uint32_t base_options_size(const struct base_backend *backend)
{
	return backend->options_size ? backend->options_size : (uint32_t)sizeof(struct base_options);
}

ptowsp_status base_options_read(const struct base_backend *backend, struct base_options *options_out, const struct ptowsp_init_args *args,
				struct ptowsp_error *error)
{
	const struct base_option *option;
	ptowsp_status status = PTOWSP_OK;

	memset(options_out, 0, base_options_size(backend));
	if (args->setting_count && args->setting_stride < PTOWSP_SETTING_FLOOR_10_0)
		return base_fail(error, PTOWSP_INVALID, "init: settings have at least %u bytes, not %u", PTOWSP_SETTING_FLOOR_10_0, args->setting_stride);
	for (uint32_t i = 0; (option = row(backend, i)); i++)
		if (!is_text(option))
			value_set(options_out, option, option->option.standard);
	for (uint32_t i = 0; !status && i < args->setting_count; i++)
		status = apply(backend, options_out,
			       (const struct ptowsp_setting *)(const void *)((const char *)args->settings + (size_t)i * args->setting_stride), error);
	if (backend->settle)
		backend->settle(options_out);
	return status;
}

ptowsp_status base_options_list(const struct base_backend *backend, const struct ptowsp_option **options_out, uint32_t *count, struct ptowsp_error *error)
{
	const struct base_option *option;
	uint32_t room = *count;

	for (*count = 0; (option = row(backend, *count)); (*count)++)
		if (*count < room)
			options_out[*count] = &option->option;
	return room >= *count ? PTOWSP_OK : base_fail(error, PTOWSP_MORE, "%s has %u options, there is room for %u", backend->name, *count, room);
}
