/* SPDX-License-Identifier: MIT */
/* choose.c - --plugin=auto: the first of the preference list that enforces what a plan needs, and loads it; if none does, the first whose processor runs what its device does not have. */
#include <stdlib.h>
#include <string.h>

#include "host/plan/match.h"
#include "host/run/host_program.h"
#include "registry/backends.h"
#include "registry/names.h"

struct choice {
	const struct ptowsp_backend_options *options;
	const struct ptowsp_plan *plan;
	const struct ptowsp_choice *how;
	struct reg_text tried; /* names for the last sentence */
	bool processor;        /* second time: the processor may run what the device does not have */
	bool again;            /* one would do then */
};

static void skip(struct choice *c, const char *name, const char *reason)
{
	if (c->processor)
		return; /* said the first time */
	reg_text_add(&c->tried, "%s%s", c->tried.length ? ", " : "", name);
	if (c->how->skipped)
		c->how->skipped(c->how->context, name, reason);
}

/* Only the plugin knows whether its device is there and whether all of the plan can run. The loaded program is kept for the caller that runs the plan. */
static ptowsp_status loads(const struct choice *c, struct ptowsp_backend *backend, uint32_t flags, struct ptowsp_error *error)
{
	struct ptowsp_program *program;
	ptowsp_status status = ptowsp_program_load(&program, backend, c->plan, flags | PTOWSP_LOAD_LOOK, error);

	if (status)
		return status;
	if (c->how->trial && (status = c->how->trial(c->how->context, program, error)))
		ptowsp_program_unload(program);
	else
		host_program_keep(program, flags);
	return status;
}

/* Every need enforced, and a device that opens and takes the program. */
static ptowsp_status suits(struct choice *c, struct ptowsp_backend *backend, struct ptowsp_error *error)
{
	struct ptowsp_match *match;
	const struct reg_verdict *weak;
	uint32_t flags = (c->options->flags & PTOWSP_BACKEND_TRUST_NATIVE ? PTOWSP_LOAD_TRUST_NATIVE : 0) |
			 (c->options->flags & PTOWSP_BACKEND_TRUST_SIGNED ? PTOWSP_LOAD_TRUST_SIGNED : 0) |
			 (c->options->flags & PTOWSP_BACKEND_STRICT ? PTOWSP_LOAD_STRICT : 0);
	ptowsp_status status = ptowsp_match_create(&match, backend, c->plan, flags, error);

	if (status)
		return status;
	status = host_match_check(match, backend, c->plan, error);
	weak = host_match_weak(match, c->processor);
	c->again |= weak && !status && !host_match_weak(match, true);
	if (!status && weak)
		status = host_fail(error, PTOWSP_UNSUPPORTED, "%s is only %s: %s", weak->what, reg_state_text(weak->state), weak->reason);
	ptowsp_match_destroy(match);
	return status ? status : loads(c, backend, flags, error);
}

static ptowsp_status try(struct choice *c, const char *name, struct ptowsp_backend **out, struct ptowsp_error *error)
{
	struct ptowsp_backend_options options = *c->options;
	struct ptowsp_backend *backend;
	ptowsp_status status;

	options.plugin = name;
	status = ptowsp_backend_open_for(&backend, &options, c->plan, error);
	if (!status) {
		status = suits(c, backend, error);
		if (status)
			ptowsp_backend_close(backend);
		else
			*out = backend;
	}
	if (status)
		skip(c, name, error->text);
	return status;
}

/* Plugins that were found but that nobody prefers are named, so that the user can. */
static void strangers_report(struct choice *c, const char *const *names, uint32_t count, struct ptowsp_error *error)
{
	struct ptowsp_listing *listing;
	struct ptowsp_listing_row row;

	if (!c->how->skipped || ptowsp_listing_create(&listing, c->options, error))
		return;
	for (uint32_t i = 0; ptowsp_listing_row(listing, i, &row); i++) {
		uint32_t n = 0;

		while (n < count && strcmp(names[n], row.name))
			n++;
		if (row.usable && !row.shadowed && n == count)
			c->how->skipped(c->how->context, row.name, "it is not in the preference list; name it with --plugin-order or --plugin");
	}
	ptowsp_listing_destroy(listing);
}

/* Cuts "a,b" into names; the copy and the array are owned by the caller. */
static uint32_t order_split(char *copy, const char **names)
{
	uint32_t count = 0;

	for (char *at = copy; at; at = at ? at + 1 : NULL) {
		names[count] = at;
		at = strchr(at, ',');
		if (at)
			*at = '\0';
		count += *names[count] != '\0';
	}
	return count;
}

static ptowsp_status choose_among(struct choice *c, const char *const *names, uint32_t count, struct ptowsp_backend **out, struct ptowsp_error *error)
{
	char tried[100];

	reg_text_init(&c->tried, tried, sizeof(tried));
	for (int pass = 0; pass == 0 || (pass == 1 && c->again); pass++) {
		c->processor = pass;
		for (uint32_t i = 0; i < count; i++)
			if (!try(c, names[i], out, error))
				return PTOWSP_OK;
	}
	strangers_report(c, names, count, error);
	return host_fail(error, PTOWSP_PLUGIN_REFUSED,
			 "no plugin of the preference list (%s) enforces what the package needs and "
			 "loads it; --explain --plugin=NAME says why, --plugin=NAME takes one in spite of what it does not enforce",
			 tried);
}

/* Values that are still missing are no fault of a backend. */
static ptowsp_status defaults_try(void *context, struct ptowsp_program *program, struct ptowsp_error *error)
{
	ptowsp_status status = ptowsp_program_place(program, NULL, error);

	(void)context;
	return status == PTOWSP_INVALID ? PTOWSP_OK : status;
}

ptowsp_status ptowsp_backend_choose(struct ptowsp_backend **out, const struct ptowsp_backend_options *options, const char *order,
				    const struct ptowsp_plan *plan, void (*skipped)(void *context, const char *name, const char *reason), void *context,
				    struct ptowsp_error *error)
{
	const struct ptowsp_choice how = {skipped, defaults_try, context};

	return ptowsp_backend_choose_by(out, options, order, plan, &how, error);
}

ptowsp_status ptowsp_backend_choose_by(struct ptowsp_backend **out, const struct ptowsp_backend_options *options, const char *order,
				       const struct ptowsp_plan *plan, const struct ptowsp_choice *choice, struct ptowsp_error *error)
{
	struct choice c = {.options = options, .plan = plan, .how = choice};
	uint32_t count;
	const char *const *names = reg_backends(&count);
	const char **own = NULL;
	char *copy = NULL;
	ptowsp_status status;

	*out = NULL;
	error = host_error_enter(error);
	if (order && *order) {
		copy = strdup(order);
		own = calloc(strlen(order) + 1, sizeof(*own));
		count = copy && own ? order_split(copy, own) : 0;
		names = own;
	}
	if (order && *order && !(copy && own))
		status = host_fail(error, PTOWSP_NO_MEMORY, "no memory for the preference list");
	else
		status = choose_among(&c, names, count, out, error);
	free(copy);
	free(own);
	return host_error_leave(status, error);
}
